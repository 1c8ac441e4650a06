use super::*;
use crate::node::{NodeType, Stage};
use crate::position::is_quiet;
use crate::quiet_scores::QuietScores;
use crate::score::Ply;
use crate::testing;

/// The decrement of a move; the candidate has the facts that the node loop would give it.
fn decrement_of(fen: &str, uci: &str, p: &Params, change: impl Fn(&mut Node<'_>, &mut Candidate)) -> Decrement {
    let game = testing::game(fen);
    let position = game.position();
    let mut n = Node::new(position, testing::place(Window::FULL, 8, 2, NodeType::Pv));
    n.depth = Depth::plies(8);
    n.root_depth = Depth::plies(10);
    n.mate_at_a_glance = p.mate_at_a_glance && !n.in_check && mate_at_a_glance::mates(position, !position.turn());
    n.replies = n.in_check.then(|| position.legal_moves().len());
    let mut c =
        Candidate { number: 7, quiets_before: 3, stage: Stage::Quiet, ..testing::candidate(game.position(), uci) };
    change(&mut n, &mut c);
    decrement(p, &n, &c)
}

/// Quiet moves with their scores.
fn scored(moves: &[(Move, i32)]) -> Option<Box<QuietScores>> {
    let mut scores = Box::<QuietScores>::default();
    moves.iter().for_each(|&(mv, score)| scores.push(mv, Score(score)));
    Some(scores)
}

fn plain(fen: &str, uci: &str) -> Decrement {
    decrement_of(fen, uci, &Params::DEFAULT, |_, _| {})
}

#[test]
fn every_kind_of_move_is_recognised_and_has_its_cost() {
    let p = Params::DEFAULT;
    for (fen, uci, category, units) in [
        ("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "e1e2", Category::OnlyMove, p.only_move),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", Category::SafeCheck, p.safe_check),
        ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", Category::Promotion, p.promotion),
        ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", Category::Underpromotion, p.underpromotion),
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", Category::Winning, p.winning),
        ("4k3/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1", "e4d6", Category::SafeCheck, p.safe_check),
        ("k7/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1", "e4d6", Category::Equal, p.equal),
        ("k7/2p5/3p4/8/8/8/3R4/4K3 w - - 0 1", "d2d6", Category::Losing, p.losing),
        ("1k2r3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1d2", Category::KingEvasion, p.king_evasion),
        ("1k2r3/8/8/8/8/8/R7/4K3 w - - 0 1", "a2e2", Category::BlockEvasion, p.block_evasion),
        ("8/8/1P6/8/7k/8/8/4K3 w - - 0 1", "b6b7", Category::Seventh, p.seventh),
        ("8/8/8/1P6/7k/8/8/4K3 w - - 0 1", "b5b6", Category::Sixth, p.sixth),
        ("8/p7/8/1P6/7k/8/8/4K3 w - - 0 1", "b5b6", Category::Forward, p.quiet_base),
        ("k7/8/8/2p5/3N4/8/8/4K3 w - - 0 1", "d4f3", Category::Escape, p.escape),
        ("1k6/8/8/8/8/8/4K3/R7 w - - 0 1", "a1a8", Category::UnsafeCheck, p.unsafe_check),
        ("k7/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4f5", Category::Forward, p.quiet_base),
        ("k7/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4e2", Category::Backward, p.quiet_base),
        ("k7/8/8/8/3n4/8/8/4K3 b - - 0 1", "d4e2", Category::Forward, p.quiet_base),
    ] {
        let found = plain(fen, uci);
        assert_eq!((found.category, found.units), (category, units), "{fen} {uci}");
    }
}

#[test]
fn a_recapture_is_one_on_the_square_of_the_last_capture() {
    let fen = "k7/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1";
    let on = |square| decrement_of(fen, "e4d6", &Params::DEFAULT, |n, _| n.captured_on = Some(square)).category;
    assert_eq!(on(shakmaty::Square::D6), Category::Recapture);
    assert_eq!(on(shakmaty::Square::E4), Category::Equal);
}

#[test]
fn queen_moves_with_and_without_a_mate_threat_are_distinguished() {
    let attack = "6k1/5p1p/5P2/8/8/8/7Q/6K1 w - - 0 1";
    assert_eq!(plain(attack, "h2h6").category, Category::MateThreat);
    let blind = Params { mate_at_a_glance: false, ..Params::DEFAULT };
    assert_eq!(decrement_of(attack, "h2h6", &blind, |_, _| {}).category, Category::Forward);
    let guarded = "5bk1/5p1p/5P2/8/8/8/7Q/6K1 w - - 0 1";
    assert_ne!(plain(guarded, "h2g3").category, Category::MateThreatReply);
    // The mate is threatened already: a move elsewhere brings nothing.
    let ready = "6k1/5p1p/5P1Q/8/8/8/P7/6K1 w - - 0 1";
    assert_eq!(plain(ready, "a2a3").category, Category::Forward);
    let defender = "6k1/5p1p/5P1Q/8/8/8/r7/6K1 b - - 0 1";
    assert_eq!(plain(defender, "a2a7").category, Category::MateThreatReply);
}

#[test]
fn quiet_moves_cost_by_their_gap_and_backward_ones_most() {
    let fen = "k7/8/8/8/3N4/8/8/4K3 w - - 0 1";
    let cost = |uci: &str, gap: i32, p: &Params| {
        decrement_of(fen, uci, p, |n, c| {
            let other = n.position.legal_moves().into_iter().find(|mv| *mv != c.mv).expect("more moves");
            n.quiet_scores = scored(&[(other, gap), (c.mv, 0)]);
        })
        .units
    };
    let p = Params { flat_slope: 0, ..Params::DEFAULT };
    // The figures of the specification: 8, 15 and 21 at gaps of nothing, half a pawn, and two pawns.
    assert_eq!([0, 50, 200].map(|gap| cost("d4f5", gap, &p)), [8, 15, 21]);
    assert_eq!([cost("d4f5", 2000, &p), cost("d4e2", 2000, &p)], [p.forward_max, p.backward_max]);
    let flat = Params { flat_slope: 12, ..p };
    assert!(cost("d4f5", 0, &flat) > 8, "it comes after an equal one");
    assert_eq!(cost("d4f5", -5, &flat), 8, "the best quiet move costs what it costs, however near the others are");
    let grown = Params { growth: 50, ..p };
    // The ceilings grow as well: 24 eighths are 3.7 plies at depth 8.
    assert_eq!([200, 4000].map(|gap| cost("d4e2", gap, &grown)), [25, 29]);
    assert_eq!(cost("d4f5", 0, &grown), 8, "the best one does not grow");
    let soft = Params { softmax: true, ..p };
    assert!(cost("d4f5", 100, &soft) > cost("d4f5", 10, &soft));
    assert_eq!(cost("d4f5", 0, &Params { root_side_cost: 2, ..p }), 10, "even plies are the root's side");
    let odd = decrement_of(fen, "d4f5", &Params { root_side_cost: 2, ..p }, |n, _| n.ply = Ply(3));
    assert_eq!(odd.units, 6, "the opponent's moves");
}

#[test]
fn the_tables_move_the_first_moves_and_long_lines_have_their_limits() {
    let fen = "k7/8/8/8/3N4/8/8/4K3 w - - 0 1";
    let table = decrement_of(fen, "d4e2", &Params::DEFAULT, |_, c| c.from_table = true);
    assert_eq!(table.units, Params::DEFAULT.table_max);
    let p = Params { quiet_base: 12, first_moves: 7, ..Params::DEFAULT };
    assert_eq!(decrement_of(fen, "d4e2", &p, |_, _| {}).units, PLY);
    assert!(decrement_of(fen, "d4e2", &p, |_, c| c.number = 8).units > PLY);
    let check = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
    let at = |ply: u16| decrement_of(check, "a1a8", &Params::DEFAULT, |n, _| n.ply = Ply(ply)).units;
    assert_eq!([at(20), at(21)], [Params::DEFAULT.safe_check, PLY / 2]);
    assert!(at(36) > 8 * PLY, "at the last ply a move costs more than there is");
}

#[test]
fn a_promising_capture_is_one_that_takes_enough_or_reaches_beta() {
    let fen = "k7/2p5/3r4/8/8/4P3/3Q4/4K3 w - - 0 1";
    let category = |promise: bool, promise_in_window: bool, beta: i32| {
        let p = Params { promise, promise_in_window, ..Params::DEFAULT };
        decrement_of(fen, "d2d6", &p, |n, _| {
            n.window = Window::new(Score(beta - 1), Score(beta));
            n.static_eval = Score(100);
        })
        .category
    };
    assert_eq!(category(false, false, 0), Category::Losing);
    let safe = [0, 5000].map(|beta| category(true, false, beta));
    assert_eq!(safe, [Category::Promising; 2], "the safe form knows no window");
    assert_eq!([category(false, true, 600), category(false, true, 601)], [Category::Promising, Category::Losing]);
    let literal = Params { on: true, promise_in_window: true, ..Params::DEFAULT };
    let class = |p: &Params, beta| window_class(p, Window::new(Score(beta - 1), Score(beta)));
    let keys = (-2..=2_i64)
        .flat_map(|imbalance| [10, 11, 12].map(|beta| class(&literal, beta).wrapping_add(imbalance as u64)));
    let keys: std::collections::HashSet<u64> = keys.collect();
    assert_eq!(keys.len(), 5 * 3, "one for each window and pair of budgets");
    assert_eq!(class(&Params { promise_in_window: false, promise: true, ..literal }, 10), 0);
}

#[test]
fn endgame_moves_are_cheaper_by_phase() {
    let fen = "8/8/8/k2p4/8/3P4/8/K7 w - - 0 1";
    let p = Params { phase: true, ..Params::DEFAULT };
    assert_eq!(decrement_of(fen, "d3d4", &p, |_, _| {}).units, p.quiet_base - 4, "the last of eight steps");
    assert_eq!(decrement_of(fen, "a1b2", &p, |_, _| {}).units, p.quiet_base - 2, "towards the centre");
    assert_eq!(plain(fen, "d3d4").units, p.quiet_base);
}

#[test]
fn the_eight_phases_all_have_different_costs() {
    let p = Params { phase: true, flat_slope: 0, ..Params::DEFAULT };
    // From all pieces on the board to none: a pawn move, and a knight's move far behind the best that goes backward.
    let fens = [
        "rnbqkbnr/pppppppp/8/8/3P4/2N5/PPP1PPPP/R1BQKBNR w KQkq - 0 1",
        "r2qk2r/pppppppp/8/8/3P4/2N5/PPP1PPPP/R1BQKBNR w KQkq - 0 1",
        "r2qk2r/pppppppp/8/8/3P4/2N5/PPP1PPPP/R2QK2R w KQkq - 0 1",
        "r2qk3/pppppppp/8/8/3P4/2N5/PPP1PPPP/R2QK3 w - - 0 1",
        "3qk3/pppppppp/8/8/3P4/2N5/PPP1PPPP/3QK3 w - - 0 1",
        "r3k2r/pppppppp/8/8/3P4/2N5/PPP1PPPP/R3K3 w - - 0 1",
        "r3k3/pppppppp/8/8/3P4/2N5/PPP1PPPP/R3K3 w - - 0 1",
        "4k3/pppppppp/8/8/3P4/2N5/PPP1PPPP/4K3 w - - 0 1",
    ];
    let mut seen = Vec::new();
    for fen in fens {
        let far = |n: &mut Node<'_>, c: &mut Candidate| {
            let other =
                n.position.legal_moves().into_iter().find(|mv| *mv != c.mv && is_quiet(*mv)).expect("more moves");
            n.quiet_scores = scored(&[(other, if c.mv.role() == Role::Knight { 4000 } else { 0 }), (c.mv, 0)]);
        };
        seen.push((decrement_of(fen, "e2e3", &p, far).units, decrement_of(fen, "c3b1", &p, far).units));
    }
    // The pawn move, and the move backward.
    assert_eq!(seen, [(8, 24), (7, 24), (7, 23), (6, 23), (6, 22), (5, 22), (5, 21), (4, 21)]);
}

#[test]
fn a_quiet_move_above_the_window_promises_only_in_the_window_form() {
    let fen = "k7/8/8/8/3N4/8/8/4K3 w - - 0 1";
    let category_at = |promise_in_window: bool, beta: i32, ply: u16, static_depth: i32| {
        let p = Params { promise_in_window, static_depth, ..Params::DEFAULT };
        decrement_of(fen, "d4f5", &p, |n, c| {
            n.quiet_scores = scored(&[(c.mv, 40)]);
            n.ply = Ply(ply);
            n.window = Window::new(Score(beta - 1), Score(beta));
        })
        .category
    };
    let category = |promise_in_window, beta, ply| category_at(promise_in_window, beta, ply, 1);
    assert_eq!([category(true, 40, 2), category(true, 41, 2)], [Category::Promising, Category::Forward]);
    assert_eq!([category(false, 40, 2), category(true, 40, 1)], [Category::Forward; 2], "nor at the root");
    // The node has depth 8. Where histories determine the costs of quiet moves, there are no values to compare with the window.
    assert_eq!([8, 9].map(|depth| category_at(true, 40, 2, depth)), [Category::Promising, Category::Forward]);
}

#[test]
fn the_reason_is_explained() {
    let reason = Decrement { category: Category::Backward, gap: Score(40), units: 24 }.reason();
    assert_eq!(reason.to_string(), "a quiet move backward: 24 eighths of a ply, 0.40 behind the best quiet one");
}
