use super::*;
use crate::settings::Openings;
use crate::testing::{plan, views};

fn player(settings: &DatagenSettings) -> Player {
    Player::new(settings, None).expect("a small table")
}

fn from_fen(fen: &str) -> Game {
    Game::standard(fen).expect(fen)
}

#[test]
fn a_game_depends_on_seed_and_number_only() {
    let settings = plan(1).settings;
    let mut one = player(&settings);
    let games: Vec<GameRecord> = (1..=4).map(|number| one.play(number).expect("a game")).collect();
    let mut other = player(&settings);
    for number in [3, 1, 4, 2] {
        assert_eq!(other.play(number).expect("a game"), games[number as usize - 1]);
    }
    assert_ne!(player(&DatagenSettings { seed: 6, ..settings }).play(1).expect("a game").start, games[0].start);
}

/// The side with an extra queen wins, for both colours and both sides to move.
#[test]
fn scores_are_seen_from_white() {
    let mut player = player(&DatagenSettings { soft_nodes: 500, nodes: 4000, ..plan(1).settings });
    for (fen, winner, sign) in [
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", GameOutcome::White, 1),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", GameOutcome::White, 1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1", GameOutcome::Black, -1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1", GameOutcome::Black, -1),
    ] {
        let game = player.play_from(1, from_fen(fen)).expect("a game");
        assert_eq!(game.outcome, winner, "{fen}");
        for view in views(&game) {
            let score = view.score.expect("a score").0;
            assert!(score * sign > 200, "{fen}: {score} in {}", view.position.fen());
            assert_eq!(view.mover_score() > Some(Score::ZERO), view.turn().is_white() == (sign > 0));
        }
    }
}

#[test]
fn openings_have_the_requested_plies_and_are_within_bounds() {
    let settings = DatagenSettings { random_min: 8, random_max: 9, opening_score: 50, ..plan(1).settings };
    let mut player = player(&settings);
    for number in 1..=12 {
        let game = player.play(number).expect("a game");
        let first = &views(&game)[0];
        assert!((8..=9).contains(&first.ply), "{}", first.ply);
        assert!(first.score.expect("a score").0.abs() <= 50, "{:?}", first.score);
        assert!(!game.steps.is_empty());
    }
    let impossible =
        DatagenSettings { random_min: 1, random_max: 1, opening_score: 0, soft_nodes: 1, nodes: 1, ..settings };
    let played = super::Player::new(&impossible, None).expect("a small table").play(1);
    assert!(played.is_ok() || played.is_err_and(|error| error.to_string().contains("none of 1000 openings")));
}

/// Searches are repeated as the game had them, so that what the search chose is known for each move.
#[test]
fn random_moves_replace_their_share_of_quiet_best_moves_and_no_others() {
    let share = 0.3;
    let settings = DatagenSettings { random_moves: share, ..plan(1).settings };
    let (mut quiet, mut random) = (0, 0);
    for number in 1..=12 {
        let mut player = player(&settings);
        let game = player.play(number).expect("a game");
        assert_eq!(player.play(number).expect("a game"), game);
        player.engine.new_game();
        let mut line = Game::from_chess(game.start.clone(), game.mode);
        let mut last = 0;
        for view in views(&game) {
            let found = player.search(&line);
            let best = found.best.expect("a move");
            assert_eq!(
                view.score.expect("a score").0,
                i32::from(white_score(found.report.score, line.position().turn()))
            );
            if best.is_capture() || best.is_promotion() {
                assert_eq!(view.mv, best, "{}", line.fen());
            } else {
                quiet += 1;
                random += u32::from(view.mv != best);
            }
            if view.mv != best {
                last = view.index + 1;
            }
            line.play(view.mv);
        }
        // Positions before a random move have no result: the move may have decided the game.
        assert_eq!(usize::from(game.random_until), last, "game {number}");
        let without = views(&game).iter().filter(|view| view.mover_points().is_none()).count();
        assert_eq!(without, last, "game {number}");
    }
    let found = f64::from(random) / f64::from(quiet);
    assert!((share - 0.08..share + 0.04).contains(&found), "{random} of {quiet}: a random move can be the best one");
    assert_eq!(
        player(&plan(1).settings).play(1).expect("a game"),
        player(&DatagenSettings { random_moves: 0.0, ..settings }).play(1).expect("a game")
    );
}

#[test]
fn games_end_by_the_rules_and_by_the_score_limits_of_the_settings() {
    // By the classical evaluation, so that the length of games does not depend on the network.
    let eval_file = Some("<classical>".to_owned());
    let rules = DatagenSettings { win: None, draw: None, soft_nodes: 300, nodes: 3000, eval_file, ..plan(1).settings };
    let queen = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1";
    let mated = player(&rules).play_from(1, from_fen(queen)).expect("a game");
    assert_eq!((mated.outcome, mated.ending), (GameOutcome::White, Ending::Checkmate));
    let early = DatagenSettings { win: "moves=2 score=500".parse().ok(), ..rules.clone() };
    let won = player(&early).play_from(1, from_fen(queen)).expect("a game");
    assert_eq!((won.outcome, won.ending, won.steps.len()), (GameOutcome::White, Ending::WonByScore, 4));
    let level_ending = "4k3/8/1b2p3/4P3/8/5B2/8/4K3 w - - 0 60";
    let level = DatagenSettings { draw: "after=35 moves=3 score=30".parse().ok(), ..rules.clone() };
    let drawn = player(&level).play_from(1, from_fen(level_ending)).expect("a game");
    assert_eq!((drawn.outcome, drawn.ending, drawn.steps.len()), (GameOutcome::Draw, Ending::DrawnByScore, 6));
    let without = player(&rules).play_from(1, from_fen(level_ending)).expect("a game");
    assert!(matches!(without.ending, Ending::Threefold | Ending::FiftyMoves | Ending::InsufficientMaterial));
    assert_eq!(without.outcome, GameOutcome::Draw);
}

#[test]
fn searches_obey_both_limits() {
    let settings = DatagenSettings { soft_nodes: 400, nodes: 600, ..plan(1).settings };
    let mut player = player(&settings);
    let game = Game::new();
    player.engine.new_game();
    let found = player.search(&game);
    assert!((400..=600).contains(&found.nodes), "{}", found.nodes);
    assert!(player.searching > Duration::ZERO);
}

const ENDINGS: [&str; 3] =
    ["8/5pk1/6p1/8/8/1P6/1K6/8 w - -", "8/5pk1/6p1/8/8/1P6/1K6/8 b - -", "4r1k1/5ppp/8/8/8/8/5PPP/R5K1 w - -"];

fn book(lines: &[&str]) -> (tempfile::TempDir, DatagenSettings) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("book.epd");
    std::fs::write(&file, lines.join("\n")).expect("written");
    let (openings, _) = Openings::of(file.to_str().expect("UTF-8")).expect("a book");
    let settings = DatagenSettings {
        openings: Some(openings),
        random_min: 0,
        random_max: 0,
        opening_score: 500,
        ..plan(1).settings
    };
    (folder, settings)
}

#[test]
fn games_begin_from_all_positions_of_a_book() {
    let (_folder, settings) = book(&ENDINGS);
    let mut one = player(&settings);
    let games: Vec<GameRecord> = (1..=24).map(|number| one.play(number).expect("a game")).collect();
    let counts = ENDINGS.map(|fen| {
        let start = from_fen(&format!("{fen} 0 1"));
        games.iter().filter(|game| game.start == *start.position().chess()).count()
    });
    assert_eq!(counts.iter().sum::<usize>(), games.len(), "no other start: {counts:?}");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    let mut other = player(&settings);
    for number in [7, 3, 24] {
        assert_eq!(other.play(number).expect("a game"), games[number as usize - 1]);
    }
}

/// A decided position of a book is passed over for another one.
#[test]
fn openings_of_a_book_are_within_bounds() {
    let (_folder, settings) = book(&[ENDINGS[0], "4k3/8/8/8/8/8/8/QQQQK3 w - -"]);
    let settings = DatagenSettings { opening_score: 500, ..settings };
    let mut player = player(&settings);
    for number in 1..=8 {
        assert_eq!(
            player.play(number).expect("a game").start,
            *from_fen(&format!("{} 0 1", ENDINGS[0])).position().chess()
        );
    }
}

#[test]
fn a_book_must_be_there_and_be_the_same() {
    let refused = |settings: &DatagenSettings| match Player::new(settings, None) {
        Ok(_) => "nothing".to_owned(),
        Err(error) => error.to_string(),
    };
    let (folder, settings) = book(&ENDINGS);
    let game = player(&settings).play(1).expect("a game");
    let file = folder.path().join("book.epd");
    std::fs::write(&file, ENDINGS[0]).expect("written");
    assert!(refused(&settings).contains("book.epd`: its contents have changed"), "{}", refused(&settings));
    std::fs::remove_file(&file).expect("removed");
    assert!(refused(&settings).contains("book.epd"), "{}", refused(&settings));
    // New scores of its games need no book.
    let relabelled = DatagenSettings { relabelled: Some([100, 100]), ..settings };
    assert_eq!(player(&relabelled).relabel(&game).expect("legal moves").steps.len(), game.steps.len());
    let empty = folder.path().join("empty.epd");
    std::fs::write(&empty, "").expect("written");
    let error = Openings::of(empty.to_str().expect("UTF-8")).expect_err("no opening");
    assert!(error.to_string().contains("empty.epd"), "{error}");
}

/// Runs where the variable names a directory with tables of four pieces.
#[test]
fn tables_end_games() {
    let Ok(path) = std::env::var("QUARTERPLY_SYZYGY") else { return };
    let settings = DatagenSettings { syzygy: Some(path), win: None, draw: None, ..plan(1).settings };
    let tables = tables_of(&settings).expect("tables");
    let mut player = Player::new(&settings, tables).expect("a small table");
    let game = player.play_from(1, from_fen("7k/8/8/8/8/8/1q6/K6Q w - - 0 1")).expect("a game");
    assert_eq!((game.outcome, game.ending), (GameOutcome::White, Ending::Tables));
}
