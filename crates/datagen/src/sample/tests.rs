use super::*;
use crate::play::Player;
use crate::testing::{
    draws_depend_on_seed_and_game_only, origin, plan as quick, played, played_positions, sampled_positions,
};
use quarterply_engine::score::Score;
use rand::SeedableRng as _;
use std::collections::HashSet;

const SAMPLING: SamplingSettings = SamplingSettings { search: 300, each: 10, per_search: 4, tree: None, seed: 3 };

fn settings() -> DatagenSettings {
    DatagenSettings { sampling: Some(SAMPLING), relabelled: Some([200, 1600]), ..quick(1).settings }
}

fn player() -> Player {
    Player::new(&settings(), None).expect("a small table")
}

#[test]
fn positions_are_those_below_the_games_and_not_in_them() {
    let (full, below) = sampled_positions(&settings());
    assert!(full.len() >= 6, "{} of ten", full.len());
    assert!(full.len() - below < full.len() / 2, "{below} of {} do not occur in the game", full.len());
    assert!(full.iter().all(|view| !view.in_check && view.mover_points().is_none()));
}

#[test]
fn positions_depend_on_seed_and_game_only() {
    draws_depend_on_seed_and_game_only(&settings());
}

/// The score is that of the position drawn, seen from White, not that of the game.
#[test]
fn a_position_is_valued_by_a_separate_search() {
    let start = Game::standard("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let mut player = player();
    let game = player.play_from(1, start.expect("a position")).expect("a game");
    let first = GameRecord { steps: game.steps[..1].to_vec(), ..game };
    let records = player.sample_positions(&first).expect("legal moves");
    let scores: Vec<Score> =
        records.iter().filter(|r| !r.steps.is_empty()).filter_map(|r| r.steps[0].white_score()).collect();
    assert!(scores.iter().filter(|score| score.0 > 200).count() > scores.len() / 2, "a queen more: {scores:?}");
    assert!(scores.iter().collect::<HashSet<_>>().len() > 1, "{scores:?}");
}

/// Ten slots are filled from three searches when four are drawn from each, and from one when ten or more are.
#[test]
fn the_requested_number_of_positions_is_drawn_from_a_search() {
    let (game, positions) = played_positions();
    for (per_search, searches) in [(4, 3), (10, 1), (100, 1), (1, 10)] {
        let sampling = SamplingSettings { per_search, ..SAMPLING };
        let mut sampler = PositionSampler::new(sampling, Parameters::default(), 1).expect("a small table");
        let drawn: Vec<Game> = sampler.draw(&game, &positions).into_iter().map(|(game, _)| game).collect();
        assert!(drawn.len() > 5 && drawn.len() <= 10, "{per_search}: {}", drawn.len());
        let visits = RefCell::new(VisitSampler::new(stream(sampling.seed, game.number)));
        let mut watch = &visits;
        let table = Arc::new(Table::new(1).expect("a small table"));
        let mut searcher = Searcher::watched(Parameters::default(), table, Watched::by(&mut watch), None);
        let mut again = Vec::new();
        for number in 0..searches {
            let at = visits.borrow_mut().rng.random_range(0..positions.len());
            let root = Game::from_chess(positions[at].clone(), game.mode);
            visits.borrow_mut().begin((per_search as usize).min(10 - number * per_search as usize));
            searcher.search_within(&root, &sampling.limits());
            again.extend(visits.borrow().drawn.iter().filter_map(|path| reach(&root, path)));
        }
        let keys = |games: &[Game]| games.iter().map(|game| game.position().key()).collect::<Vec<_>>();
        assert_eq!(keys(&drawn), keys(&again), "{per_search}");
    }
}

/// The header of a run with the default number of draws is that of earlier programs.
#[test]
fn the_usual_number_is_not_written_down() {
    let usual = serde_json::to_string(&SAMPLING).expect("JSON");
    assert_eq!(usual, r#"{"search":300,"each":10,"seed":3}"#);
    let other = SamplingSettings { per_search: 8, ..SAMPLING };
    for sampling in [SAMPLING, other] {
        let text = serde_json::to_string(&sampling).expect("JSON");
        assert_eq!(serde_json::from_str::<SamplingSettings>(&text).expect("its own"), sampling);
    }
}

#[test]
fn a_game_without_moves_has_empty_slots() {
    let empty = GameRecord { steps: Vec::new(), ..played(1) };
    let records = player().sample_positions(&empty).expect("nothing to play");
    assert!(records.len() == 10 && records.iter().all(|record| record.steps.is_empty()));
}

/// Each of the positions that a search values is drawn equally often: no more of the first ones than of the last ones.
#[test]
fn the_draw_favours_neither_the_first_nor_the_last() {
    const SEARCHES: usize = 400;
    let position = Game::new().position().clone();
    let path: Vec<Move> = position.legal_moves().iter().copied().take(20).collect();
    let at = |mv| EventNode {
        ply: quarterply_engine::score::Ply(1),
        depth: quarterply_engine::score::Depth::ZERO,
        window: quarterply_engine::score::Window::FULL,
        key: 0,
        mv: Some(mv),
        nodes: 0,
    };
    let valued = |raw| Valuation { raw, corrected: Score(0), estimate: Score(0), improving: false };
    let mut visits = VisitSampler::new(ChaCha8Rng::seed_from_u64(1));
    let mut counts = vec![0_usize; path.len()];
    for _ in 0..SEARCHES {
        visits.begin(4);
        for mv in &path {
            visits.move_path = MovePath(vec![Some(*mv)]);
            visits.valued(at(*mv), valued(Some(Score(0))));
            visits.valued(at(*mv), valued(None));
        }
        assert_eq!(visits.drawn.len(), 4);
        visits.drawn.iter().for_each(|drawn_path| {
            counts[path.iter().position(|mv| drawn_path == &[Some(*mv)]).expect("one of them")] += 1
        });
    }
    // 80 each are expected, with a standard deviation of 8.
    assert!(counts.iter().all(|count| (48..=112).contains(count)), "{counts:?}");
}

#[test]
fn a_null_move_on_the_way_passes_the_turn() {
    let root = Game::new();
    let moves = root.position().legal_moves();
    let there = reach(&root, &[Some(moves[0]), None]).expect("a position");
    assert_eq!(there.position().turn(), root.position().turn());
    assert!(reach(&root, &[Some(moves[0]), Some(moves[0])]).is_none(), "nobody can move twice");
}

#[test]
fn settings_without_nodes_or_slots_are_refused() {
    for (sampling, name) in [
        (SamplingSettings { search: 0, ..SAMPLING }, "--search-nodes"),
        (SamplingSettings { each: 0, ..SAMPLING }, "--each"),
        (SamplingSettings { per_search: 0, ..SAMPLING }, "--per-search"),
    ] {
        let error = DatagenSettings { sampling: Some(sampling), ..settings() }.check().expect_err(name);
        assert!(error.to_string().contains(name), "{error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    crate::testing::write(folder.path(), 3, crate::folder::SHARD_MAX);
    let archive = Archive::open(&[folder.path()]).expect("games");
    let made = plan(&archive, origin(), (SAMPLING, [200, 1600]), &Parameters::default(), 1).expect("a plan");
    assert_eq!((made.settings.sampling, made.settings.relabelled), (Some(SAMPLING), Some([200, 1600])));
    assert!(plan(&archive, origin(), (SAMPLING, [200, 100]), &Parameters::default(), 1).is_err());
}
