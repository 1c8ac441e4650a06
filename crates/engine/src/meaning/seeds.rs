//! Statements of `docs/seeds.md` about its sources that no unit test verifies.

use super::*;
use crate::budget;
use crate::clock::Limits;
use crate::ordering::sources::OrderingSource;
use crate::profile::builtin;
use crate::rules::{iterative_deepening, null_move, sex};
use crate::testing;
use std::collections::BTreeSet;

/// The lowest and highest published cost of checks and captures (1/8 ply).
const FORCING: std::ops::RangeInclusive<i32> = 3..=7;

#[test]
fn the_costs_of_sex_are_within_the_published_numbers() {
    let p = builtin("sex").expect("built in").sex;
    for (name, cost) in [
        ("a safe check", p.safe_check),
        ("an unsafe check", p.unsafe_check),
        ("a recapture", p.recapture),
        ("a winning capture", p.winning),
        ("an equal capture", p.equal),
    ] {
        assert!(FORCING.contains(&cost), "{name}: {cost}");
    }
    assert_eq!((p.forward_max, p.backward_max), (21, 24));
}

#[test]
fn each_iteration_adds_seven_or_eight_units() {
    const UNIT: i32 = Depth::ONE_PLY.0 / 8;
    let game = Game::new();
    for (units, budget) in [(8, Depth::plies(3)), (7, Depth(Depth::ONE_PLY.0 + 3 * 7 * UNIT))] {
        let mut parameters = builtin("sex").expect("built in");
        assert_eq!(parameters.budget.increment, 8 * UNIT);
        parameters.budget.increment = units * UNIT;
        let mut s = testing::searcher(parameters);
        testing::search(&mut s, &game, &Limits::depth(3));
        // The first iteration has a ply in any case; the last one is that of three whole plies at most.
        assert_eq!(s.root_depth, budget, "{units} units");
    }
}

#[test]
fn a_killer_costs_less_than_another_quiet_move() {
    let mut p = builtin("sex").expect("built in").sex;
    assert_eq!(p.killer_or_counter, 7);
    // Other quiet moves cost more.
    p.quiet_base = 12;
    let game = game(QUIET_MIDDLEGAME);
    let n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(6), NodeType::Cut);
    let usual = candidate(n.position, "h2h3");
    let killer = Candidate { killer_or_counter: true, ..usual.clone() };
    let found = sex::decrement(&p, &n, &killer);
    assert_eq!((found.category, found.units), (sex::Category::KillerOrCounter, 7));
    assert_eq!(sex::decrement(&p, &n, &usual).category, sex::Category::Forward);
}

#[test]
fn values_with_costs_by_parity_are_kept_apart_for_each_side_at_the_root() {
    let game = game(QUIET_MIDDLEGAME);
    let mut after_a_move = game.clone();
    after_a_move.play_uci("h2h3").expect("legal");
    let mut after_two = after_a_move.clone();
    after_two.play_uci("h7h6").expect("legal");
    let sex = builtin("sex").expect("built in");
    for (name, on, root_side_cost, shared) in
        [("no parity", true, 0, true), ("parity", true, 2, false), ("off", false, 2, true)]
    {
        let mut parameters = sex.clone();
        (parameters.sex.on, parameters.sex.root_side_cost) = (on, root_side_cost);
        let mut s = testing::searcher(parameters);
        let mut key = |root: &Game| {
            testing::search(&mut s, root, &Limits::depth(1));
            s.table_key(after_two.position(), Window::FULL, Budget::even(Depth::ONE_PLY))
        };
        let keys = [&game, &after_a_move, &after_two].map(&mut key);
        assert_eq!(keys[0], keys[2], "{name}: White is at the root of both");
        assert_eq!(keys[0] == keys[1], shared, "{name}: White and Black at the root");
    }
}

#[test]
fn by_the_published_rule_a_line_continues_while_either_side_has_budget() {
    const PUBLISHED: i32 = 1024;
    const MEAN: i32 = 512;
    let left = |theta: i32, dear: &[Color]| {
        let p = budget::Params { separate: true, theta, debt_max: 2048, ..budget::Params::DEFAULT };
        let spent = |budget: Budget, mover: &Color| budget.deduct(&p, *mover, Depth::plies(9));
        dear.iter().fold(Budget::even(Depth::plies(3)), spent).left(&p)
    };
    for side in [Color::White, Color::Black] {
        assert_eq!(left(PUBLISHED, &[side]), Depth::plies(3), "the budget of the other side is untouched");
        assert_eq!(left(MEAN, &[side]), Depth::ONE_PLY / 2, "three plies and a debt of two");
    }
    assert_eq!(left(PUBLISHED, &[Color::White, Color::Black]), Depth::plies(-2), "both have spent theirs");
}

#[test]
fn a_null_move_is_deducted_from_both_sides() {
    let game = game(QUIET_MIDDLEGAME);
    let passed = game.position().play_null().expect("not in check");
    for separate in [false, true] {
        // All depths here are whole plies, as the table stores them.
        let mut s = classical_with(|all| {
            (all.budget.separate, all.budget.theta) = (separate, 512);
            (all.null_move.on, all.null_move.modern) = (true, false);
        });
        let p = s.params().budget;
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(7), NodeType::Cut);
        // White has already paid for a move.
        n.budget = n.budget.deduct(&p, Color::White, Depth::ONE_PLY);
        n.window = Window::reaching(n.eval - Score(200));
        let cost = Depth::ONE_PLY + null_move::reduction(&s.params().null_move, n.depth, Score(200));
        let after = n.budget.deduct_both(cost);
        assert!(cut!(null_move, s, n).expect("no limit").is_some(), "{separate}: nothing threatens White");
        let key = s.table_key(&passed, Window::reaching(n.window.beta), after);
        let entry = s.table.probe(key, Ply(3)).expect("the position after the null move, with White's smaller budget");
        assert_eq!(entry.depth, after.left(&p), "{separate}");
    }
}

#[test]
fn a_missing_table_move_is_found_by_a_shallower_search() {
    let game = game(QUIET_MIDDLEGAME);
    let p = iterative_deepening::Params { on: true, ..iterative_deepening::Params::DEFAULT };
    for (name, on, kind, plies, found) in [
        ("on the principal variation", true, NodeType::Pv, p.depth_min, true),
        ("off", false, NodeType::Pv, p.depth_min, false),
        ("too shallow", true, NodeType::Pv, p.depth_min - 1, false),
        ("at a cut node", true, NodeType::Cut, p.cut_depth_min, true),
        ("at a shallow cut node", true, NodeType::Cut, p.cut_depth_min - 1, false),
        ("where every move should fail", true, NodeType::All, p.cut_depth_min, false),
    ] {
        let mut s = classical_with(|all| {
            all.iterative_deepening = iterative_deepening::Params { on, ..p };
            // What ends the inner search without a move finds none.
            (all.reverse_futility.on, all.null_move.on, all.probcut.on) = (false, false, false);
        });
        let mut n = node(&mut s, &game, Window::FULL, Depth::plies(plies), kind);
        if kind != NodeType::Pv {
            n.window = Window::reaching(n.eval - Score(200));
        }
        assert_eq!(cut!(iterative_deepening, s, n), Ok(None), "{name}: it never ends the node");
        assert_eq!(n.table_move.is_some(), found, "{name}");
    }
}

#[test]
fn killers_of_the_next_ply_are_forgotten_at_a_new_node() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let mv = game.parse_uci("h2h3").expect("legal");
    for ply in [2, 3, 4] {
        s.frame_mut(Ply(ply)).killers.push(mv);
    }
    let place = testing::place(AT_ZERO, 5, 2, NodeType::Cut);
    let _ = s.facts(game.position(), place);
    let kept = |ply: u16| s.frame(Ply(ply)).killers.slot(pack(mv)).is_some();
    assert_eq!([2, 3, 4].map(kept), [true, false, true]);
}

#[test]
fn multi_cut_without_moves_or_cuts_is_off() {
    for (moves, cuts) in [(0, 0), (0, 3), (6, 0)] {
        let found = multi_cut(|p| (p.moves, p.cuts) = (moves, cuts), NodeType::Cut, None, 300);
        assert_eq!(found, (false, false), "{cuts} of {moves}: nothing is tried");
    }
}

#[test]
fn multi_cut_is_tried_where_the_table_or_the_type_of_node_expects_a_cut() {
    let (lower, upper) = (Some(Bound::Lower), Some(Bound::Upper));
    for (by_kind, by_table, kind, bound, tried) in [
        (true, false, NodeType::Cut, None, true),
        (true, false, NodeType::All, lower, false),
        (false, true, NodeType::Cut, None, false),
        (false, true, NodeType::All, lower, true),
        (false, true, NodeType::Cut, upper, false),
        (false, false, NodeType::Cut, lower, false),
    ] {
        let found = multi_cut(|p| (p.by_kind, p.by_table) = (by_kind, by_table), kind, bound, 300);
        assert_eq!(found, (tried, tried), "{by_kind} {by_table} {kind:?} {bound:?}");
    }
}

#[test]
fn falcon_has_the_rules_of_the_paper_and_no_others() {
    const RULES: [&str; 13] = [
        "aspiration",
        "check",
        "explosion",
        "futility",
        "iterative_deepening",
        "mate_distance",
        "mate_threat",
        "multi_cut",
        "null_move",
        "one_reply",
        "passed_pawn",
        "recapture",
        "table",
    ];
    let falcon = builtin("falcon").expect("built in");
    let ordering = |group: &str| OrderingSource::ALL.iter().any(|source| source.module() == group);
    let on = |group: &&str| falcon.get(&format!("{group}.on")) == Ok(1) && !ordering(group);
    let groups: BTreeSet<&str> = Parameters::specs().map(|entry| entry.group).collect();
    assert_eq!(groups.into_iter().filter(on).collect::<Vec<_>>(), RULES);
    assert!(!falcon.null_move.modern && !falcon.futility.modern, "the forms of the paper");
    let orders = ["table_move", "killers", "butterfly"].map(|source| falcon.get(&format!("{source}.on")));
    assert_eq!(orders, [Ok(1), Ok(1), Ok(1)], "table, killers and history order its moves");
}

#[test]
fn two_moves_that_reach_beta_cut_in_the_singular_search() {
    let game = game(QUIET_MIDDLEGAME);
    for (name, on, kind, cuts) in [
        ("on", true, NodeType::Cut, true),
        ("off", false, NodeType::Cut, false),
        ("on the principal variation", true, NodeType::Pv, false),
    ] {
        let mut s = classical_with(|all| all.singular.multi_cut = on);
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(8), kind);
        n.window = Window::reaching(n.eval - Score(300));
        let value = n.eval - Score(200);
        remember(&mut n, &game, "h2h3", value);
        let value = cut!(singular, s, n).expect("nothing stops it");
        assert_eq!(value.is_some_and(|value| value >= n.window.beta), cuts, "{name}: {value:?}");
        assert_eq!(n.singular < Depth::ZERO, !cuts, "{name}: a move among equals gets less depth");
    }
}

#[test]
fn no_node_is_pruned_against_mate_bounds() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = classical_with(|all| (all.reverse_futility.on, all.null_move.on, all.razoring.on) = (true, true, true));
    for mate in [false, true] {
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(4), NodeType::Cut);
        n.window = Window::reaching(if mate { Score::mated_in(Ply(8)) } else { n.eval - Score(150) });
        assert_eq!(cut!(null_move, s, n).expect("nothing stops it").is_none(), mate, "null move");
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(3), NodeType::Cut);
        n.window = Window::reaching(if mate { Score::mated_in(Ply(8)) } else { n.eval - Score(900) });
        assert_eq!(cut!(reverse_futility, s, n).expect("nothing stops it").is_none(), mate, "reverse futility");
        n.window = Window::above(if mate { Score::mate_in(Ply(9)) } else { n.eval + Score(1840) });
        assert_eq!(cut!(razoring, s, n).expect("nothing stops it").is_none(), mate, "razoring");
    }
}

#[test]
fn values_of_the_table_are_not_used_near_the_fifty_move_limit() {
    let mut s = searcher();
    for (halfmoves, used) in [(89, true), (90, false)] {
        let game = game(&format!("4k3/8/8/8/8/8/4P3/R3K3 w - - {halfmoves} 80"));
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
        n.entry = Some(testing::entry(Score(0), Bound::Exact, n.depth));
        assert_eq!(cut!(table, s, n).expect("nothing stops it").is_some(), used, "{halfmoves}");
    }
}

#[test]
fn root_moves_are_not_extended() {
    let game = game(QUIET_MIDDLEGAME);
    let mut n = node(&mut searcher(), &game, Window::FULL, Depth::plies(6), NodeType::Pv);
    let p = explosion::Params { on: true, ..explosion::Params::DEFAULT };
    for (ply, granted) in [(0, Depth::ZERO), (1, Depth::QUARTER)] {
        n.ply = Ply(ply);
        assert_eq!(explosion::limit(&p, &n, Depth::QUARTER), granted, "ply {ply}");
    }
}

#[test]
fn nothing_is_extended_before_the_configured_iteration() {
    let game = game(QUIET_MIDDLEGAME);
    let n = node(&mut searcher(), &game, Window::FULL, Depth::plies(6), NodeType::Pv);
    for (iteration_min, granted) in [(0, Depth::QUARTER), (10, Depth::QUARTER), (11, Depth::ZERO)] {
        let p = explosion::Params { on: true, iteration_min, ..explosion::Params::DEFAULT };
        assert_eq!(explosion::limit(&p, &n, Depth::QUARTER), granted, "the tenth iteration, {iteration_min}");
    }
}

#[test]
fn unguarded_moves_are_left_out_near_the_leaves() {
    use crate::rules::guard_pruning;
    // f5 is controlled by a black pawn only, f4 by White only.
    let game = game("6k1/5ppp/4p3/8/8/8/4NPPP/1B4K1 w - - 0 1");
    let p = guard_pruning::Params { on: true, ..guard_pruning::Params::DEFAULT };
    let mut s = searcher();
    for (name, p, uci, plies, check, skipped) in [
        ("a square that nobody attacks", p, "e2f4", 2, false, false),
        ("a bishop to a pawn's square", p, "b1f5", 2, false, true),
        ("too deep", p, "b1f5", p.depth_max + 1, false, false),
        ("a margin of all that attacks it", guard_pruning::Params { margin: 9, ..p }, "b1f5", 2, false, false),
        ("a margin that is too small", guard_pruning::Params { margin: 8, ..p }, "b1f5", 2, false, true),
        ("off", guard_pruning::Params { on: false, ..p }, "b1f5", 2, false, false),
        ("a check", p, "b1f5", 2, true, false),
    ] {
        let n = node(&mut s, &game, AT_ZERO, Depth::plies(plies), NodeType::Cut);
        let c = Candidate { gives_check: check, ..candidate(n.position, uci) };
        assert_eq!(guard_pruning::skip(&p, &n, &c) == Skip::This, skipped, "{name}");
    }
}
