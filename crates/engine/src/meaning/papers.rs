//! Profiles named after papers do what the papers say: one case a line, in terms of chess.

use super::{candidate, game, multi_cut, node};
use crate::budget::Budget;
use crate::clock::Limits;
use crate::network::EvalFile;
use crate::node::{Candidate, Node, NodeType};
use crate::ordering::testing::OrderingFixture;
use crate::params::Parameters;
use crate::position::Game;
use crate::profile;
use crate::score::{Bound, Depth, Window};
use crate::search::Searcher;
use crate::testing;
use shakmaty::Square;

/// A searcher of this profile, with the classical evaluation.
fn searcher_of(name: &str) -> Searcher<()> {
    let parameters = Parameters { eval_file: EvalFile::Classical, ..profile::builtin(name).expect("built in") };
    testing::searcher(parameters)
}

/// The difference of a move's cost in its first search to one ply, four plies above the leaves.
fn surcharge(name: &str, fen: &str, uci: &str, change: impl FnOnce(&mut Node<'_>, &mut Candidate)) -> Depth {
    let (game, mut s) = (game(fen), searcher_of(name));
    let mut n = node(&mut s, &game, Window::FULL, Depth::plies(4), NodeType::Pv);
    n.replies = Some(n.position.legal_moves().len());
    let mut c = candidate(n.position, uci);
    change(&mut n, &mut c);
    s.prepare_costs(&mut n);
    s.move_cost(&n, &c).first() - Depth::ONE_PLY
}

/// The five extensions of `davidtabibi2010` in quarter plies, and nothing that reduces.
#[test]
fn falcon_extends_as_in_the_2010_paper() {
    extends_as_in_the_2010_paper("falcon", [3, 3, 2, 3, 3]);
}

/// The same rules, with the values that the genetic algorithm found.
#[test]
fn evolved_extends_as_in_the_2010_paper() {
    extends_as_in_the_2010_paper("evolved", [4, 4, 3, 3, 3]);
}

/// Checks that a profile extends checks, only replies, recaptures, passed pawns and mate threats by these quarter plies.
fn extends_as_in_the_2010_paper(profile: &str, [check, reply, recapture, pawn, threat]: [i32; 5]) {
    let knights = "k7/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1";
    for (name, fen, uci, captured, extended) in [
        ("a quiet move", "k7/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4f5", None, 0),
        ("a check", "7k/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", None, check),
        ("a check that loses the rook", "1k6/8/8/8/8/8/4K3/R7 w - - 0 1", "a1a8", None, check),
        ("the only reply to a check", "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "e1e2", None, reply),
        ("the only move, not in check", "8/8/8/8/8/1p1k4/p7/K7 w - - 0 1", "a1b2", None, reply),
        ("one of two replies", "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", "e1f1", None, 0),
        ("a recapture on the square", knights, "e4d6", Some(Square::D6), recapture),
        ("a capture elsewhere", knights, "e4d6", Some(Square::A3), 0),
        ("a capture after a quiet move", knights, "e4d6", None, 0),
        ("a passed pawn to the seventh", "8/8/1P6/8/7k/8/8/4K3 w - - 0 1", "b6b7", None, pawn),
        ("a passed pawn to the sixth", "8/8/8/1P6/7k/8/8/4K3 w - - 0 1", "b5b6", None, 0),
        ("a pawn to the sixth that is not passed", "8/p7/8/1P6/7k/8/8/4K3 w - - 0 1", "b5b6", None, 0),
    ] {
        let found = surcharge(profile, fen, uci, |n, _| n.captured_on = captured);
        assert_eq!(found, -Depth::quarters(extended), "{profile}: {name}");
    }
    let threatened = surcharge(profile, "k7/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4f5", |n, _| n.mate_threat = true);
    assert_eq!(threatened, -Depth::quarters(threat), "{profile}: mate threatens");
}

/// A cut node is expected where the table knows a lower bound, whatever the type of the node.
#[test]
fn falcon_tries_multi_cut_if_the_table_has_a_lower_bound() {
    let p = profile::builtin("falcon").expect("built in").multi_cut;
    for (name, kind, bound, cut) in [
        ("a lower bound", NodeType::Cut, Some(Bound::Lower), true),
        ("a lower bound where no move is expected to cut", NodeType::All, Some(Bound::Lower), true),
        ("an upper bound", NodeType::Cut, Some(Bound::Upper), false),
        ("a position that the table does not have", NodeType::Cut, None, false),
    ] {
        assert_eq!(multi_cut(|all| *all = p, kind, bound, 300), (cut, cut), "{name}");
    }
}

/// The parameters of the chromosome of `davidtabibi2010`.
const CHROMOSOME: [&str; 18] = [
    "null_move.on",
    "null_move.reduction",
    "null_move.adaptive",
    "null_move.adaptive_depth",
    "futility.depth",
    "futility.threshold_1",
    "futility.threshold_2",
    "futility.threshold_3",
    "multi_cut.on",
    "multi_cut.reduction",
    "multi_cut.depth_min",
    "multi_cut.moves",
    "multi_cut.cuts",
    "check.quarters",
    "one_reply.quarters",
    "recapture.quarters",
    "passed_pawn.quarters",
    "mate_threat.quarters",
];

/// Evolution chose values of the chromosome and nothing else.
#[test]
fn evolved_has_the_rules_of_falcon() {
    let [falcon, evolved] = ["falcon", "evolved"].map(|name| profile::builtin(name).expect("built in"));
    for entry in Parameters::specs().filter(|entry| !CHROMOSOME.contains(&entry.name.as_str())) {
        assert_eq!(evolved.get(&entry.name), falcon.get(&entry.name), "{}", entry.name);
    }
    for name in CHROMOSOME {
        assert!(evolved.get(name).is_ok(), "{name}");
    }
}

/// Eighths of a ply that a move costs.
fn eighths(name: &str, fen: &str, uci: &str) -> i32 {
    (surcharge(name, fen, uci, |_, _| {}) + Depth::ONE_PLY).0 * 8 / Depth::ONE_PLY.0
}

/// Checks and captures 3 to 7, dull moves up to 21 forward and 24 backward (`levy1989`).
#[test]
fn interesting_moves_cost_3_to_7_and_dull_ones_up_to_24() {
    for name in ["sex-1989", "sex-mark-v"] {
        for (kind, fen, uci) in [
            ("a safe check", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),
            ("a check that loses the rook", "1k6/8/8/8/8/8/4K3/R7 w - - 0 1", "a1a8"),
            ("a winning capture", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
            ("an even capture", "k7/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1", "e4d6"),
        ] {
            let found = eighths(name, fen, uci);
            assert!((3..=7).contains(&found), "{name}, {kind}: {found}");
        }
        let lost = "k6r/8/8/8/8/8/3Q4/K7 w - - 0 1";
        assert_eq!([eighths(name, lost, "d2h2"), eighths(name, lost, "d2d1")].map(|n| n > 8), [true; 2], "{name}");
    }
    // Without evaluation, every dull move costs the same: forward, sideways, backward.
    let quiet = "k7/p7/8/8/8/3N4/PP6/K7 w - - 0 1";
    assert_eq!(["d3f4", "a2a3", "d3e1"].map(|uci| eighths("sex-mark-v", quiet, uci)), [21, 21, 24]);
    let moves: Vec<String> = game(quiet)
        .position()
        .legal_moves()
        .into_iter()
        .map(|mv| shakmaty::uci::UciMove::from_standard(mv).to_string())
        .collect();
    let mut evaluated: Vec<i32> = moves.iter().map(|uci| eighths("sex-1989", quiet, uci)).collect();
    evaluated.sort_unstable();
    assert!(evaluated[0] == 8 && evaluated[1] > 8, "the best costs a ply, the others by their gap: {evaluated:?}");
    assert!(evaluated.iter().all(|cost| *cost <= 24), "{evaluated:?}");
    evaluated.dedup();
    assert!(evaluated.len() >= 5, "{evaluated:?}");
}

/// One budget is shared in the first generation; in the second the line goes on while either side has something left.
#[test]
fn the_second_generation_has_a_budget_for_each_side() {
    use shakmaty::Color::{Black, White};
    let left = |name: &str, white: Depth, black: Depth| {
        let p = profile::builtin(name).expect("built in").budget;
        Budget::even(Depth::plies(4)).deduct(&p, White, white).deduct(&p, Black, black).left(&p)
    };
    let (cheap, dull) = (Depth(Depth::ONE_PLY.0 * 3 / 8), Depth::plies(3));
    assert_eq!(left("sex-mark-v", cheap, dull), Depth::plies(4) - cheap - dull);
    assert_eq!(
        left("sex-1989", cheap, dull),
        Depth::plies(4) - cheap * 2,
        "dull moves of the defender cost the attacker nothing"
    );
    assert_eq!(left("sex-1989", cheap, Depth::plies(90)), Depth::plies(4) - cheap * 2);
}

/// Each iteration adds 7 or 8 eighths of a ply: here 8.
#[test]
fn each_iteration_adds_eight_eighths_of_a_ply() {
    for name in ["sex-1989", "sex-mark-v"] {
        let mut s = searcher_of(name);
        testing::search(&mut s, &Game::new(), &Limits::depth(2));
        assert_eq!(s.root_depth, Depth::plies(2), "{name}");
    }
}

/// The second generation evaluates the moves of every node and orders them by the same values; the first does neither.
#[test]
fn quiet_moves_are_evaluated_and_ordered_in_the_second_generation_only() {
    let [published, first] = ["sex-1989", "sex-mark-v"].map(|name| profile::builtin(name).expect("built in").sex);
    assert_eq!((published.static_depth, published.order), (1, true));
    assert_eq!((first.quiet_slope, first.flat_slope, first.order), (0, 0, false));
}

/// A move costs the less the likelier it is to be played (`tsuruoka2002`): here the queen can be taken.
#[test]
fn a_likely_move_costs_less_than_a_ply_and_an_unlikely_one_more() {
    let [likely, unlikely] =
        ["e4d5", "e1f1"].map(|uci| surcharge("realization", "k7/8/8/3q4/4P3/8/8/4K3 w - - 0 1", uci, |_, _| {}));
    assert!(likely < Depth::ZERO && unlikely > Depth::ZERO, "{likely:?} {unlikely:?}");
}

/// The authors warn of values that depend on the window: the form exists, and is off.
#[test]
fn the_window_form_is_off_in_profiles_of_the_paper() {
    for name in ["sex-1989", "sex-mark-v"] {
        let p = profile::builtin(name).expect("built in").sex;
        assert!(p.on && !p.promise_in_window && !p.promise, "{name}");
        assert_eq!((p.forward_max, p.backward_max), (21, 24), "{name}");
    }
}

/// An expensive move is searched once at its cost: it is not reduced, so it is never re-searched.
#[test]
fn published_costs_are_not_reductions() {
    let fen = "k7/p7/8/8/8/3N4/PP6/K7 w - - 0 1";
    for (name, reduced) in [("sex-1989", false), ("sex-mark-v", false), ("sex", true)] {
        let (game, mut s) = (game(fen), searcher_of(name));
        let mut n = node(&mut s, &game, Window::FULL, Depth::plies(4), NodeType::Pv);
        s.prepare_costs(&mut n);
        let c = candidate(n.position, "d3e1");
        assert_eq!(s.move_cost(&n, &c).reduction > Depth::ZERO, reduced, "{name}");
    }
}

/// Of captures of the same piece the cheapest attacker's comes first, and what wins comes before what only trades.
#[test]
fn the_textbook_tries_winning_captures_and_cheap_attackers_first() {
    for (name, fen, first, second) in [
        ("queen or pawn takes a pawn", "6k1/8/8/3p4/4P3/8/8/3Q2K1 w - - 0 1", "e4d5", "d1d5"),
        ("a pawn that is won, a rook that is traded", "3r2k1/3r4/8/p7/8/8/3R4/Q5K1 w - - 0 1", "a1a5", "d2d7"),
    ] {
        for profile in ["classic", "falcon", "sex-1989", "sex-mark-v"] {
            let parameters = profile::builtin(profile).expect("built in");
            let fixture = OrderingFixture::new(fen).with(|p| *p = parameters.clone());
            assert!(fixture.place(first) < fixture.place(second), "{profile}, {name}");
        }
    }
}
