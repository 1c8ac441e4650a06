use super::*;
use crate::settings::{DatagenSettings, SamplingSettings};
use crate::testing::{draws_depend_on_seed_and_game_only, plan, played, played_positions, sampled_positions};
use quarterply_engine::node::NodeType;
use quarterply_engine::params::Parameters;
use quarterply_engine::score::{Depth, Ply};
use quarterply_engine::search::watch::Valuation;
use shakmaty::Position as _;
use std::collections::HashSet;

const LEAST: u64 = 12;
const SAMPLING: SamplingSettings =
    SamplingSettings { search: 600, each: 20, per_search: 8, tree: Some(LEAST), seed: 3 };

fn settings() -> DatagenSettings {
    DatagenSettings { sampling: Some(SAMPLING), relabelled: Some([600, 4800]), ..plan(1).settings }
}

fn draw(sampling: SamplingSettings, game: &GameRecord, positions: &[Chess]) -> Vec<(Game, StoredMove)> {
    let mut sampler = PositionSampler::new(sampling, Parameters::default(), 1).expect("a small table");
    sampler.draw(game, positions).into_iter().map(|(game, step)| (game, step.expect("a label"))).collect()
}

/// The static value is compared as it was computed, and the window is that of the beginning of the search.
#[test]
fn a_bound_is_a_label_only_if_it_contradicts_the_static_value() {
    for (name, raw, score, expected) in [
        ("an exact value", 0, 15, Some(15)),
        ("an exact value, and the same static value", 15, 15, Some(15)),
        ("at least 20, and the static value is lower", 5, 20, Some(20)),
        ("at least 30, and the static value is lower", 5, 30, Some(30)),
        ("at least 30, and the static value is higher", 50, 30, None),
        ("at least 30, and the static value is the same", 30, 30, None),
        ("at most 10, and the static value is higher", 15, 10, Some(10)),
        ("at most -5, and the static value is higher", 15, -5, Some(-5)),
        ("at most -5, and the static value is lower", -40, -5, None),
        ("at most -5, and the static value is the same", -5, -5, None),
    ] {
        let labels = labels_of(NARROW, FACTS, LEAST, score, |recorder, here| {
            recorder.event(SearchEvent::Valued(here, value(raw)))
        });
        assert_eq!(labels, expected.map(|score| (1, score)).into_iter().collect::<Vec<_>>(), "{name}");
    }
}

fn at(ply: u16, mv: Option<Move>, nodes: u64) -> EventNode {
    EventNode { ply: Ply(ply), depth: Depth::ZERO, window: Window::FULL, key: ply.into(), mv, nodes }
}

const FACTS: NodeFacts = NodeFacts {
    kind: NodeType::Pv,
    level: None,
    budget: (Depth::ZERO, Depth::ZERO),
    in_check: false,
    entry: None,
    table_key: 0,
    excluded: NO_MOVE,
};

fn value(raw: i32) -> Valuation {
    Valuation { raw: Some(Score(raw)), corrected: Score(0), estimate: Score(0), improving: false }
}

const NARROW: Window = Window { alpha: Score(10), beta: Score(20) };

/// The labels from one node below the root, which is searched within `window`, took `took` nodes, and whose events are sent by `send_events`.
fn labels_of(
    window: Window,
    facts: NodeFacts,
    took: u64,
    score: i32,
    send_events: impl Fn(&mut NodeRecorder, EventNode),
) -> Vec<(usize, i32)> {
    let mut recorder = NodeRecorder::new(LEAST);
    let here = EventNode { window, ..at(1, Some(quiet()), 1) };
    recorder.entered(at(0, None, 0), &FACTS);
    recorder.event(SearchEvent::Valued(at(0, None, 0), value(7)));
    recorder.entered(here, &facts);
    send_events(&mut recorder, here);
    // A move that was better has raised alpha by then.
    let raised = Window { alpha: here.window.alpha.max(Score(score)), ..here.window };
    recorder.left(EventNode { nodes: 1 + took, window: raised, ..here }, Score(score));
    recorder.left(at(0, None, 100), Score(0));
    recorder.found.values().map(|found| (found.path.len(), found.label.0)).collect()
}

fn quiet() -> Move {
    Game::new().position().legal_moves()[0]
}

#[test]
fn nodes_of_the_loop_with_large_subtrees_have_labels() {
    let labels = |facts, took, score| {
        labels_of(Window::FULL, facts, took, score, |recorder, here| {
            recorder.event(SearchEvent::Valued(here, value(30)))
        })
    };
    assert_eq!(labels(FACTS, LEAST, 50), [(1, 50)], "the root itself has no label");
    assert_eq!(labels(FACTS, LEAST - 1, 50), [], "too few nodes");
    assert_eq!(labels(FACTS, LEAST, 2000), [(1, 2000)]);
    assert_eq!(labels(FACTS, LEAST, 2001), [], "decided");
    assert_eq!(labels(NodeFacts { level: Some(0), ..FACTS }, LEAST, 50), [], "quiescence");
    assert_eq!(labels(NodeFacts { in_check: true, ..FACTS }, LEAST, 50), [], "in check");
    assert_eq!(labels(NodeFacts { excluded: 1, ..FACTS }, LEAST, 50), [], "a move was left out");
    assert_eq!(labels_of(Window::FULL, FACTS, LEAST, 50, |_, _| ()), [], "without a static value");
}

#[test]
fn a_node_whose_best_move_captures_has_no_label() {
    let capture = |fen| {
        let game = Game::standard(fen).expect(fen);
        game.position().legal_moves().into_iter().find(|mv| mv.is_capture()).expect(fen)
    };
    let capture = capture("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
    for (result, expected) in [
        (MoveResult::Best(capture, Score(50)), 0),
        (MoveResult::Cutoff(capture, Score(50)), 0),
        (MoveResult::NotBest(capture, Score(50)), 1),
        (MoveResult::Best(quiet(), Score(50)), 1),
    ] {
        let labels = labels_of(Window::FULL, FACTS, LEAST, 50, |recorder, here| {
            recorder.event(SearchEvent::Valued(here, value(30)));
            recorder.event(SearchEvent::MoveSearched(here, result));
        });
        assert_eq!(labels.len(), expected, "{result:?}");
    }
}

/// A position that occurs twice has the label of its larger subtree.
#[test]
fn the_larger_subtree_counts() {
    for (first, second, expected) in [(20, 30, 2), (30, 20, 1), (20, 20, 2)] {
        let labels = labels_of(Window::FULL, FACTS, LEAST, 0, |recorder, here| {
            // The node once more below itself, as after two moves there and back.
            for (took, score) in [(first, 1), (second, 2)] {
                recorder.entered(EventNode { key: 99, ..here }, &FACTS);
                recorder.event(SearchEvent::Valued(EventNode { key: 99, ..here }, value(0)));
                recorder.left(EventNode { key: 99, nodes: here.nodes + took, ..here }, Score(score));
            }
        });
        assert_eq!(labels, [(1, expected)], "{first} and {second} nodes");
    }
}

/// The label of the smaller subtree is dropped, because the larger one agrees with the static value.
#[test]
fn a_larger_subtree_without_a_label_counts() {
    for (first, second, expected) in [(20, 30, &[][..]), (30, 20, &[(1, 30)])] {
        let labels = labels_of(NARROW, FACTS, LEAST, 0, |recorder, here| {
            for (took, raw) in [(first, 5), (second, 50)] {
                let there = EventNode { key: 99, ..here };
                recorder.entered(there, &FACTS);
                recorder.event(SearchEvent::Valued(there, value(raw)));
                recorder.left(EventNode { nodes: here.nodes + took, ..there }, Score(30));
            }
        });
        assert_eq!(labels, expected, "{first} and {second} nodes");
    }
}

#[test]
fn slots_hold_positions_below_the_game_with_values_of_their_own() {
    let (full, below) = sampled_positions(&settings());
    assert!(full.len() > 12 && below > 12, "{} of twenty, {below} not in the game", full.len());
    assert!(full.iter().all(|view| Filter::DEFAULT.keeps(view)));
}

/// A queen more or less from White's view, for both sides to move.
#[test]
fn values_are_seen_from_white() {
    for (fen, sign) in [
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1", -1),
    ] {
        let root = Game::standard(fen).expect(fen).position().chess().clone();
        let sampling = SamplingSettings { search: 4000, each: 100, per_search: 100, ..SAMPLING };
        let found = draw(sampling, &played(1), &[root]);
        let turns: HashSet<_> = found.iter().map(|(game, _)| game.position().turn()).collect();
        let right = found.iter().filter(|(_, step)| i32::from(step.score) * sign > 200).count();
        assert!(found.len() > 20 && right * 10 > found.len() * 9 && turns.len() == 2, "{right} of {}", found.len());
    }
}

#[test]
fn labelled_draws_depend_on_seed_and_game_only() {
    draws_depend_on_seed_and_game_only(&settings());
}

/// The positions of the game that are searched, and the sampled positions of their trees.
#[test]
fn the_seed_decides_roots_and_draws() {
    let (game, positions) = played_positions();
    for (name, per_search, positions) in [("roots", 1000, &positions[..]), ("draws", 4, &positions[..1])] {
        let drawn = |seed| {
            let drawn = draw(SamplingSettings { each: per_search, per_search, seed, ..SAMPLING }, &game, positions);
            let mut keys: Vec<u64> = drawn.iter().map(|(game, _)| game.position().key()).collect();
            keys.sort_unstable();
            keys
        };
        assert_eq!(drawn(3), drawn(3));
        assert_ne!(drawn(3), drawn(4), "{name}");
    }
}

/// No more than the requested number, from one search and from all; each position of the game is searched once at most.
#[test]
fn no_more_are_drawn_than_there_are_slots() {
    let (game, positions) = played_positions();
    for (each, per_search, positions, least, most) in [
        (20, 8, &positions[..], 12, 20),
        (10, 20, &positions[..], 8, 10),
        (1000, 8, &positions[..3], 12, 24),
        (1000, 8, &positions[..0], 0, 0),
        // One search has a thousand slots, and some forty nodes with enough below them.
        (1000, 1000, &positions[..], 8, 200),
    ] {
        let drawn = draw(SamplingSettings { each, per_search, ..SAMPLING }, &game, positions).len();
        assert!((least..=most).contains(&drawn), "{each} slots, {per_search} from a search: {drawn}");
    }
}

#[test]
fn a_node_that_cannot_be_reached_or_moves_nowhere_is_left_out() {
    let root = Game::new();
    let moves = root.position().legal_moves();
    let found = |path: Vec<Option<Move>>, best| LabelledNode { path, label: Score(25), best, nodes: 99 };
    let (there, step) = labelled_game(&root, &found(vec![Some(moves[0])], None)).expect("a position");
    assert!(there.position().turn().is_black() && step.score == -25, "Black is 25 ahead");
    let view_move = there.position().legal_moves().into_iter().find(|mv| encode_move(*mv) == step.raw);
    assert!(view_move.is_some_and(is_quiet));
    let replies = there.position().legal_moves();
    let best = replies.last().copied();
    let (_, step) = labelled_game(&root, &found(vec![Some(moves[0])], best)).expect("a position");
    assert_eq!(Some(step.raw), best.map(encode_move), "the best move where there is one");
    assert!(labelled_game(&root, &found(vec![Some(moves[0]), Some(moves[0])], None)).is_none());
    let mated = Game::standard("7k/5Q2/5K2/8/8/8/8/8 w - - 0 1").expect("a position");
    let mate = mated.position().legal_moves().into_iter().find(|mv| mated.position().play(*mv).chess().is_checkmate());
    assert!(labelled_game(&mated, &found(vec![mate], None)).is_none());
}

#[test]
fn the_least_subtree_is_in_the_header_if_it_is_set() {
    let text = serde_json::to_string(&SAMPLING).expect("JSON");
    assert!(text.contains(r#""tree":12"#), "{text}");
    assert_eq!(serde_json::from_str::<SamplingSettings>(&text).expect("its own"), SAMPLING);
    let error =
        DatagenSettings { sampling: Some(SamplingSettings { tree: Some(0), ..SAMPLING }), ..settings() }.check();
    assert!(error.is_err_and(|error| error.to_string().contains("--tree-nodes")));
}
