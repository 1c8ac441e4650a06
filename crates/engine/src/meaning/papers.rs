//! Profiles named after papers do what the papers say: one case a line, in terms of chess.

use super::{candidate, game, node};
use crate::budget::Budget;
use crate::network::EvalFile;
use crate::node::{Candidate, Node, NodeType};
use crate::ordering::testing::OrderingFixture;
use crate::params::Parameters;
use crate::profile;
use crate::score::{Depth, Window};
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

/// The five extensions of `davidtabibi2010`, three quarters of a ply each and half a ply for recaptures, and nothing that reduces.
#[test]
fn falcon_extends_as_in_the_2010_paper() {
    let quarters = |n: i32| -Depth::quarters(n);
    let knights = "k7/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1";
    for (name, fen, uci, captured, extended) in [
        ("a quiet move", "k7/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4f5", None, Depth::ZERO),
        ("a check", "7k/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", None, quarters(3)),
        ("a check that loses the rook", "1k6/8/8/8/8/8/4K3/R7 w - - 0 1", "a1a8", None, quarters(3)),
        ("the only reply to a check", "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "e1e2", None, quarters(3)),
        ("the only move, not in check", "8/8/8/8/8/1p1k4/p7/K7 w - - 0 1", "a1b2", None, quarters(3)),
        ("one of two replies", "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", "e1f1", None, Depth::ZERO),
        ("a recapture on the square", knights, "e4d6", Some(Square::D6), quarters(2)),
        ("a capture elsewhere", knights, "e4d6", Some(Square::A3), Depth::ZERO),
        ("a capture after a quiet move", knights, "e4d6", None, Depth::ZERO),
        ("a passed pawn to the seventh", "8/8/1P6/8/7k/8/8/4K3 w - - 0 1", "b6b7", None, quarters(3)),
        ("a passed pawn to the sixth", "8/8/8/1P6/7k/8/8/4K3 w - - 0 1", "b5b6", None, Depth::ZERO),
        ("a pawn to the sixth that is not passed", "8/p7/8/1P6/7k/8/8/4K3 w - - 0 1", "b5b6", None, Depth::ZERO),
    ] {
        let found = surcharge("falcon", fen, uci, |n, _| n.captured_on = captured);
        assert_eq!(found, extended, "{name}");
    }
    let threatened = surcharge("falcon", "k7/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4f5", |n, _| n.mate_threat = true);
    assert_eq!(threatened, quarters(3), "mate threatens");
}

/// A cut node is expected where the table knows a lower bound, whatever the type of the node.
#[test]
fn falcon_tries_multi_cut_if_the_table_has_a_lower_bound() {
    let p = profile::builtin("falcon").expect("built in").multi_cut;
    assert_eq!((p.on, p.by_kind, p.by_table), (true, false, true));
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
