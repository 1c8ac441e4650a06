//! Players that fail in every way: the result and the messages are right, and the next game is played.

#![cfg(unix)]

mod faulty;

use faulty::{ENDINGS, EngineFault, ms};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_games::game::{Adjudicator, Choice, Ending, GameVerdict, Pace, Player, Record, play};
use quarterply_games::player::EnginePlayer;
use quarterply_games::players::{PlayerDefaults, RestartablePlayer, Spec, Timeouts};
use shakmaty::{ByColor, Color};

/// No test: the program that the tests below start.
#[test]
fn faulty_engine() {
    faulty::run();
}

/// Short where waiting is the fault, long where a busy machine could be.
fn terms() -> PlayerDefaults {
    let timeouts =
        Timeouts { start: ms(20_000), answer: ms(10_000), search: ms(500), grace: ms(300), ..Timeouts::default() };
    PlayerDefaults { hash: 1, timeouts, ..PlayerDefaults::default() }
}

fn make_player(text: &str) -> RestartablePlayer {
    RestartablePlayer::new(&text.parse::<Spec>().expect(text), &terms()).expect(text)
}

/// One game with the player on `color`; the opponent is sound.
fn game(player: &mut RestartablePlayer, color: Color, fault: EngineFault, pace: &str) -> Record {
    let mut sound = EnginePlayer::new("Sound", Parameters::default(), 1).expect("a small table");
    let players: ByColor<&mut dyn Player> = match color {
        Color::White => ByColor { white: player, black: &mut sound },
        Color::Black => ByColor { white: &mut sound, black: player },
    };
    let opening = Game::standard(&fault.opening()).expect("a good FEN");
    let pace = pace.parse::<Pace>().expect("a pace").with_margin(ms(400));
    play(players, &opening, pace, &mut [])
}

fn check(protocol: &str, color: Color, endings: &[(EngineFault, Option<&str>)]) {
    let mut player = make_player(&faulty::player(protocol));
    for (fault, ending) in endings {
        let record = game(&mut player, color, *fault, "movetime=1");
        let verdict = &record.verdict;
        let (winner, code) = ending.map_or((Color::White, "checkmate"), |ending| (!color, ending));
        let name = format!("{protocol} {color} {fault:?}: {verdict:?}");
        assert_eq!((verdict.winner, verdict.ending.code()), (Some(winner), code), "{name}");
        if *fault == EngineFault::Exit {
            let detail = verdict.ending.detail().unwrap_or_default();
            assert!(detail.contains("exit status: 3") && detail.contains(faulty::LAST_WORDS), "{detail}");
        }
        if code == "illegal-move" {
            let text = if *fault == EngineFault::Illegal { "e2e5" } else { "xyzzy" };
            assert_eq!(verdict.ending, Ending::IllegalMove(text.to_owned()));
        }
        if code == "wrong-claim" {
            let claim = color.fold_wb("1-0 {White mates}", "0-1 {Black mates}");
            assert_eq!(verdict.ending, Ending::WrongClaim(claim.to_owned()));
        }
        assert_eq!(record.names.get(color), &format!("Faulty-{protocol}"));
    }
}

/// Lets the player have each colour.
fn check_both(protocol: &str, endings: &[(EngineFault, Option<&str>)]) {
    std::thread::scope(|scope| {
        for color in Color::ALL {
            scope.spawn(move || check(protocol, color, endings));
        }
    });
}

#[test]
fn uci_engines_may_break_down_in_any_way() {
    check_both("uci", &ENDINGS);
}

#[test]
fn xboard_engines_may_break_down_in_any_way() {
    let endings = ENDINGS.map(|(fault, ending)| match fault {
        // A word in the place of a move is one that cannot be played.
        EngineFault::InvalidAnswer => (fault, Some("illegal-move")),
        EngineFault::WrongClaim => (fault, Some("wrong-claim")),
        EngineFault::Resign => (fault, Some("resignation")),
        _ => (fault, ending),
    });
    check_both("xboard", &endings);
}

#[test]
fn a_player_that_cannot_start_loses_and_is_named() {
    for (text, needles) in [
        ("cmd:false", vec!["cannot start cmd:false", "ended"]),
        ("cmd:/no/such/engine", vec!["cannot start cmd:/no/such/engine", "no program `/no/such/engine`"]),
        ("xboard:false", vec!["cannot start xboard:false", "ended"]),
    ] {
        let mut player = make_player(text);
        for _ in 0..5 {
            let record = game(&mut player, Color::White, EngineFault::None, "nodes=10");
            assert_eq!((record.verdict.winner, record.verdict.ending.code()), (Some(Color::Black), "no-start"));
            let detail = record.verdict.ending.detail().unwrap_or_default();
            assert!(needles.iter().all(|needle| detail.contains(needle)), "{detail}");
        }
    }
}

/// It was waited for until it lost on time, in every game.
#[test]
fn a_uci_engine_that_is_named_as_one_of_xboard_is_refused_with_the_remedy() {
    let text = faulty::player("uci").replacen("cmd:", "xboard:", 1);
    let error = make_player(&text).start().expect_err("it speaks UCI").to_string();
    assert!(error.contains("as an xboard engine: it speaks UCI; write the player as `cmd:"), "{error}");
}

#[test]
fn options_that_an_engine_lacks_are_named() {
    for protocol in ["uci", "xboard"] {
        let text = format!("{} option.Contempt=3", faulty::player(protocol));
        let error = make_player(&text).start().expect_err("no such option").to_string();
        assert!(error.contains("has no option `Contempt`"), "{error}");
    }
}

#[test]
fn engines_that_play_one_game_only_are_started_for_each() {
    let mut player = make_player(&faulty::player("once"));
    for _ in 0..2 {
        let record = game(&mut player, Color::White, EngineFault::None, "movetime=1");
        assert_eq!(record.verdict.ending.code(), "checkmate", "{:?}", record.verdict.ending.detail());
    }
}

#[test]
fn engines_of_the_older_protocol_play_from_the_start_position_only() {
    let mut player = make_player(&faulty::player("old"));
    let mut sound = EnginePlayer::new("Sound", Parameters::default(), 1).expect("a small table");
    let pace = "2+0.1".parse::<Pace>().expect("a pace").with_margin(ms(10_000));
    let mut opening = Game::new();
    for mv in ["f2f3", "e7e5", "e1f2", "d7d5", "d1e1", "b8c6"] {
        opening.play_uci(mv).expect("legal");
    }
    // The side to move may be mated soon, but not at once.
    let mut stop: Vec<Box<dyn Adjudicator>> = vec![Box::new(AfterPlies(12))];
    let record = play(ByColor { white: &mut player, black: &mut sound }, &opening, pace, &mut stop);
    assert_eq!(record.verdict.ending, Ending::Adjudicated("enough"), "{:?}", record.verdict);
    let record = game(&mut player, Color::White, EngineFault::None, "2+0.1");
    assert_eq!((record.verdict.winner, record.verdict.ending.code()), (Some(Color::Black), "refusal"));
    assert!(record.verdict.ending.detail().is_some_and(|text| text.contains("setboard")));
}

/// Ends a game after this number of plies.
struct AfterPlies(usize);

impl Adjudicator for AfterPlies {
    fn adjudicate(&mut self, game: &Game, _: Color, _: &Choice) -> Option<GameVerdict> {
        (game.moves().len() >= self.0).then(|| GameVerdict::drawn(Ending::Adjudicated("enough")))
    }
}
