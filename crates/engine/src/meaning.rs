//! Tests of the rules in small positions and tables: each case fails if a sign, a comparison or a bound is reversed.

use crate::budget::Budget;
use crate::node::{Candidate, Node, NodeType, Place, Stage};
use crate::params::Parameters;
use crate::position::{Game, NO_MOVE, pack};
use crate::rules::search::Search as _;
use crate::rules::{
    Skip, check, explosion, futility, hindsight, history_pruning, iterative_reduction, late_move_pruning,
    late_move_reduction, mate_threat, one_reply, passed_pawn, recapture, reverse_futility, see_pruning, singular,
};
use crate::score::{Bound, Depth, Ply, Score, Window};
use crate::search::Searcher;
use crate::table::Entry;
use crate::testing::{self, candidate, game};
use shakmaty::{Color, Square};

/// The result of a rule that may end a node, with the current parameters.
macro_rules! cut {
    ($rule:ident, $searcher:ident, $node:ident) => {{
        let p = $searcher.params().$rule;
        crate::rules::$rule::cut(&mut $searcher, &p, &mut $node)
    }};
}

mod extensions;
mod papers;
mod seeds;

const QUIET_MIDDLEGAME: &str = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8";

/// The window of the question whether a value reaches zero.
const AT_ZERO: Window = Window::reaching(Score(0));

/// With the classical evaluation, so that what is meant does not depend on a network.
fn searcher() -> Searcher<()> {
    testing::searcher(Parameters::classical())
}

/// The same after a change of parameters.
fn classical_with(change: impl FnOnce(&mut Parameters)) -> Searcher<()> {
    let mut parameters = Parameters::classical();
    change(&mut parameters);
    testing::searcher(parameters)
}

/// A node two plies from the root, evaluated, as the rules see it.
fn node<'a>(s: &mut Searcher<()>, game: &'a Game, window: Window, depth: Depth, kind: NodeType) -> Node<'a> {
    s.root_depth = Depth::plies(10);
    let mut n = testing::node(s, game, Place::new(window, Budget::even(depth), Ply(2), kind));
    n.previous = game.position().legal_moves().first().copied();
    n
}

/// Whether multi-cut ends a node with five plies left and beta this far below the evaluation, and whether it tries moves.
fn multi_cut(
    change: impl FnOnce(&mut crate::rules::multi_cut::Params),
    kind: NodeType,
    bound: Option<Bound>,
    below: i32,
) -> (bool, bool) {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = classical_with(|all| {
        all.multi_cut.on = true;
        change(&mut all.multi_cut);
    });
    let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(5), kind);
    n.window = Window::reaching(n.eval - Score(below));
    n.entry = bound.map(|bound| testing::entry(n.window.beta, bound, Depth::ZERO));
    let before = s.nodes();
    let value = cut!(multi_cut, s, n).expect("nothing stops it");
    assert!(value.is_none_or(|value| value == n.window.beta), "{value:?}");
    (value.is_some(), s.nodes() > before)
}

/// Enters a move of the table, with this value at least.
fn remember(n: &mut Node<'_>, game: &Game, uci: &str, score: Score) {
    let mv = game.parse_uci(uci).expect(uci);
    n.table_move = Some(mv);
    n.entry = Some(Entry { mv: pack(mv), ..testing::entry(score, Bound::Lower, n.depth) });
}

/// The reduction of a late move that would usually be reduced by six plies, at a node where all moves should fail.
fn reduction(
    s: &mut Searcher<()>,
    game: &Game,
    p: &late_move_reduction::Params,
    uci: &str,
    change: impl FnOnce(&mut Node<'_>),
) -> Depth {
    let mut n = node(s, game, AT_ZERO, Depth::plies(12), NodeType::All);
    change(&mut n);
    let c = Candidate { number: 12, usual_reduction: Depth::plies(6), ..candidate(n.position, uci) };
    late_move_reduction::cost(p, &n, &c)
}

#[test]
fn exchanges_are_counted_to_the_last_piece_behind_another() {
    for (name, fen, mv, value) in [
        ("rooks behind rooks", "3r2k1/3r4/8/3p4/8/8/3R4/3R2K1 w - - 0 1", "d2d5", -400),
        ("a bishop behind the queen", "b6k/1q6/8/3p4/8/5B2/6Q1/7K w - - 0 1", "f3d5", -230),
        ("a queen behind a pawn", "7k/8/4p3/3p4/4P3/8/6Q1/7K w - - 0 1", "e4d5", 100),
        ("nobody takes back", "6k1/8/8/3q4/8/8/3R4/6K1 w - - 0 1", "d2d5", 950),
        ("a defended pawn", "6k1/8/4p3/3p4/8/8/3R4/6K1 w - - 0 1", "d2d5", -400),
        ("the king may not take a defended piece", "8/8/3k4/3p4/8/8/3R4/3R2K1 w - - 0 1", "d2d5", 100),
        ("the king takes an undefended one", "8/8/3k4/3p4/8/8/3R4/6K1 w - - 0 1", "d2d5", -400),
        ("a quiet move into a pawn", "6k1/8/4p3/8/8/8/3N4/6K1 w - - 0 1", "d2e4", 0),
        ("a quiet move to an attacked square", "6k1/8/4p3/8/8/2N5/8/6K1 w - - 0 1", "c3d5", -320),
        ("en passant", "6k1/8/8/3pP3/8/8/8/6K1 w - d6 0 1", "e5d6", 100),
        ("en passant, taken back", "6k1/2p5/8/3pP3/8/8/8/6K1 w - d6 0 1", "e5d6", 0),
        ("a promotion", "6k1/1P6/8/8/8/8/8/6K1 w - - 0 1", "b7b8q", 850),
        ("a promotion that is taken", "r5k1/1P6/8/8/8/8/8/6K1 w - - 0 1", "b7b8q", -100),
    ] {
        let game = game(fen);
        let mv = game.parse_uci(mv).expect(name);
        let reaches = |threshold: i32| game.position().see_ge(mv, Score(threshold));
        assert!(reaches(value) && !reaches(value + 1), "{name}: {} {}", reaches(value), reaches(value + 1));
    }
}

#[test]
fn a_pawn_is_passed_when_no_enemy_pawn_is_ahead() {
    for (fen, square, color, passed) in [
        ("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", Square::E5, Color::White, true),
        ("4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", Square::E5, Color::White, false),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", Square::E5, Color::White, true),
        ("4k3/8/4p3/4P3/8/8/8/4K3 w - - 0 1", Square::E5, Color::White, false),
        ("4k3/5p2/8/4P3/8/8/8/4K3 w - - 0 1", Square::E5, Color::White, false),
        ("4k3/6p1/8/4P3/8/8/8/4K3 w - - 0 1", Square::E5, Color::White, true),
        ("4k3/7p/8/P7/8/8/8/4K3 w - - 0 1", Square::A5, Color::White, true),
        ("4k3/p7/8/7P/8/8/8/4K3 w - - 0 1", Square::H5, Color::White, true),
        ("4k3/8/8/8/4p3/8/8/4K3 b - - 0 1", Square::E4, Color::Black, true),
        ("4k3/8/8/8/4p3/3P4/8/4K3 b - - 0 1", Square::E4, Color::Black, false),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - - 0 1", Square::E4, Color::Black, true),
        ("4k3/8/8/8/4p3/8/5P2/4K3 b - - 0 1", Square::E4, Color::Black, false),
    ] {
        assert_eq!(game(fen).position().is_passed(square, color), passed, "{fen}");
    }
}

#[test]
fn good_history_means_less_reduction_and_bad_history_more() {
    let game = game(QUIET_MIDDLEGAME);
    let n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(10), NodeType::Cut);
    let p = Parameters::classical().late_move_reduction;
    let with = |change: &dyn Fn(&mut Candidate)| {
        let mut c = candidate(n.position, "h2h3");
        c.number = 12;
        c.usual_reduction = Depth::plies(3);
        change(&mut c);
        late_move_reduction::cost(&p, &n, &c)
    };
    let usual = with(&|_| {});
    assert!(usual > Depth::ZERO);
    assert_eq!(with(&|c| c.history = p.history_divisor), usual - Depth::ONE_PLY);
    assert_eq!(with(&|c| c.history = -p.history_divisor), usual + Depth::ONE_PLY);
    assert_eq!(with(&|c| c.killer_or_counter = true), usual - Depth(p.killer_or_counter));
    assert_eq!(with(&|c| c.gives_check = true), usual - Depth(p.check));
    assert_eq!(with(&|c| c.cutoffs_below = p.cutoffs_min), usual + Depth(p.cutoffs));
    assert_eq!(with(&|c| c.cutoffs_below = p.cutoffs_min - 1), usual);
    assert_eq!(with(&|c| c.number = 1), Depth::ZERO);
    assert_eq!(with(&|c| c.stage = Stage::Table), Depth::ZERO);
    assert_eq!(with(&|c| c.usual_reduction = Depth::plies(40)), n.depth - Depth::ONE_PLY - Depth(p.floor));
    assert_eq!(with(&|c| c.usual_reduction = Depth::plies(-40)), Depth::ZERO);
}

#[test]
fn kinds_of_nodes_change_the_reduction_in_their_direction() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let p = Parameters::classical().late_move_reduction;
    let mut cost = |change: &dyn Fn(&mut Node<'_>)| {
        reduction(&mut s, &game, &p, "h2h3", |n| {
            n.improving = true;
            change(n);
        })
    };
    let usual = cost(&|_| {});
    assert_eq!(cost(&|n| n.kind = NodeType::Cut), usual + Depth(p.cut));
    assert_eq!(cost(&|n| n.kind = NodeType::Pv), usual - Depth(p.pv));
    assert_eq!(cost(&|n| n.was_pv = true), usual - Depth(p.was_pv));
    assert_eq!(cost(&|n| n.improving = false), usual + Depth(p.worsening));
    assert_eq!(cost(&|n| n.raised = 1), usual + Depth(p.raised));
    assert_eq!(cost(&|n| n.uncertainty = Score(100)), usual - Depth(p.uncertain));
    assert_eq!(cost(&|n| n.in_check = true), usual - Depth(p.evasion));
    assert_eq!(cost(&|n| n.table_move_gap = Score(900)), usual, "off as long as nothing else was measured");
    assert_eq!(cost(&|n| n.depth = Depth::plies(p.depth_min - 1)), Depth::ZERO);
}

#[test]
fn empty_boards_and_fallen_variations_change_the_reduction_if_enabled() {
    // Seven men are missing.
    let game = game("r1b2rk1/ppp2ppp/2np1n2/4p3/4P3/2NP1N2/PPP2PP1/R1B2RK1 w - - 0 8");
    let missing = 32 - game.position().board().occupied().count() as i32;
    assert!(missing > 0);
    let mut s = searcher();
    let usual =
        late_move_reduction::Params { missing: 0, failed_low_pv: 0, ..Parameters::classical().late_move_reduction };
    let mut cost = |p: &late_move_reduction::Params, was_pv: bool, entry: Option<(i32, Bound)>| {
        let entry = entry.map(|(score, bound)| testing::entry(Score(score), bound, Depth::ONE_PLY));
        let entry = entry.map(|entry| Entry { pv: was_pv, ..entry });
        reduction(&mut s, &game, p, "c3d5", |n| (n.was_pv, n.entry) = (was_pv, entry))
    };
    for each in [20, -20] {
        let p = late_move_reduction::Params { missing: each, ..usual };
        assert_eq!(cost(&p, false, None), cost(&usual, false, None) + Depth(each * missing), "{each}");
    }
    let p = late_move_reduction::Params { failed_low_pv: 256, ..usual };
    // Alpha is one below nothing.
    for (was_pv, entry, more) in [
        (true, Some((-1, Bound::Upper)), 256),
        (true, Some((0, Bound::Upper)), 0),
        (true, Some((-1, Bound::Exact)), 256),
        (true, Some((0, Bound::Exact)), 0),
        (true, Some((-1, Bound::Lower)), 0),
        (true, None, 0),
        (false, Some((-1, Bound::Upper)), 0),
    ] {
        assert_eq!(cost(&p, was_pv, entry), cost(&usual, was_pv, entry) + Depth(more), "{was_pv} {entry:?}");
    }
}

#[test]
fn moves_at_the_root_and_of_its_side_are_reduced_less_and_less_in_later_iterations() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let p = Parameters::classical().late_move_reduction;
    let usual = late_move_reduction::Params { root: 0, root_slope: 0, own: 0, own_slope: 0, ..p };
    let mut cost = |p: &late_move_reduction::Params, ply: u16, iteration: Depth| {
        reduction(&mut s, &game, p, "h2h3", |n| (n.ply, n.root_depth) = (Ply(ply), iteration))
    };
    let root = late_move_reduction::Params { root: 640, root_slope: 64, ..usual };
    let own = late_move_reduction::Params { own: 384, own_slope: 32, ..usual };
    let both = late_move_reduction::Params { root: 640, root_slope: 64, ..own };
    // Halves of plies beyond the eighth: a slope is what a whole one takes off.
    for (plies, halves) in [(2, 0), (16, 0), (18, 2), (19, 3), (24, 8), (48, 32), (120, 32)] {
        let iteration = Depth::plies(plies) / 2;
        let (at_root, of_own) = (Depth(640 + 32 * halves), Depth(384 + 16 * halves));
        let (none, by_own) = ([Depth::ZERO; 3], [Depth::ZERO, of_own, of_own]);
        for (ply, less) in [(0, [at_root, of_own, at_root + of_own]), (1, none), (2, by_own), (3, none), (4, by_own)] {
            let before = cost(&usual, ply, iteration);
            let found = [root, own, both].map(|p| before - cost(&p, ply, iteration));
            assert_eq!(found, less, "ply {ply}, iteration {iteration:?}");
        }
    }
}

#[test]
fn history_lets_a_move_lose_more_and_warns_of_a_good_move_before() {
    let game = game("6k1/8/2p1p3/3p4/8/2N5/8/6K1 w - - 0 1");
    let mut s = searcher();
    let n = node(&mut s, &game, AT_ZERO, Depth::plies(2), NodeType::Cut);
    let usual = Parameters::classical().see_pruning;
    let most = 16_384;
    // The knight is lost for nothing on e4, and for a pawn on d5.
    let allowed = |p: &see_pruning::Params, mv: &str, history: i32| {
        see_pruning::reason(p, &n, &Candidate { history, ..candidate(n.position, mv) }).allowed
    };
    let p = see_pruning::Params { quiet_history: 60, noisy_history: 40, ..usual };
    for (mv, share) in [("c3e4", 60), ("c3d5", 40)] {
        let before = allowed(&usual, mv, 0);
        for (history, more) in [(0, 0), (most, share), (most / 2, share / 2)] {
            assert_eq!(allowed(&p, mv, history), before + Score(more), "{mv} {history}");
            assert_eq!(allowed(&usual, mv, history), before, "{mv} {history}: off");
        }
        assert_eq!(allowed(&p, mv, -9 * most), Score::ZERO, "{mv}: no move has to win");
    }
    let usual = Parameters::classical().reverse_futility;
    for (share, history, more) in [(40, most, 40), (40, -most / 2, -20), (-40, most, -40), (0, most, 0)] {
        let p = reverse_futility::Params { history: share, ..usual };
        let mut s = classical_with(|all| all.reverse_futility = p);
        let game = self::game(QUIET_MIDDLEGAME);
        for (short, cut) in [(0, true), (1, false)] {
            let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(3), NodeType::Cut);
            (n.previous_history, n.improving) = (history, false);
            n.window = Window::reaching(n.eval - Score(240 + more - short));
            let value = cut!(reverse_futility, s, n).expect("nothing stops it");
            assert_eq!(value.is_some(), cut, "{share} {history} {short}");
        }
    }
}

#[test]
fn extensions_make_moves_cheaper() {
    let p = Parameters::classical();
    let cheaper = |quarters: i32| -Depth::quarters(quarters);
    let quiet = game(QUIET_MIDDLEGAME);
    let mut n = node(&mut searcher(), &quiet, AT_ZERO, Depth::plies(6), NodeType::Cut);
    let c = candidate(n.position, "h2h3");
    assert_eq!(mate_threat::cost(&p.mate_threat, &n, &c), Depth::ZERO);
    n.mate_threat = true;
    assert_eq!(mate_threat::cost(&p.mate_threat, &n, &c), cheaper(p.mate_threat.quarters));
    for (replies, number, expected) in [(Some(1), 1, p.one_reply.quarters), (Some(3), 1, 0), (None, 1, 0)] {
        n.replies = replies;
        let cost = one_reply::cost(&p.one_reply, &n, &Candidate { number, ..c.clone() });
        assert_eq!(cost, cheaper(expected), "{replies:?}");
    }
    let two = one_reply::Params { two_quarters: 2, ..p.one_reply };
    n.replies = Some(2);
    assert_eq!(one_reply::cost(&two, &n, &Candidate { number: 1, ..c.clone() }), cheaper(2));
    assert_eq!(one_reply::cost(&two, &n, &Candidate { number: 2, ..c.clone() }), Depth::ZERO);
    n.singular = Depth::ONE_PLY;
    assert_eq!(singular::cost(&p.singular, &n, &Candidate { from_table: true, ..c.clone() }), -Depth::ONE_PLY);
    assert_eq!(singular::cost(&p.singular, &n, &c), Depth::ZERO);
}

#[test]
fn checks_recaptures_and_far_pawns_are_extended_where_they_lose_nothing() {
    let p = Parameters::classical();
    let recaptures = recapture::Params { on: true, ..p.recapture };
    for (name, fen, mv, by_check, by_recapture, by_pawn) in [
        ("a good check", "6k1/8/8/8/8/8/R7/6K1 w - - 0 1", "a2a8", true, false, false),
        ("a losing check", "1r4k1/8/8/8/8/8/R7/6K1 w - - 0 1", "a2a8", false, false, false),
        ("taking back", "6k1/8/8/3r4/4P3/8/8/6K1 w - - 0 1", "e4d5", false, true, false),
        ("a pawn on the seventh", "6k1/8/1P6/8/8/8/8/6K1 w - - 0 1", "b6b7", false, false, true),
        ("a pawn on the seventh, lost", "1r4k1/8/1P6/8/8/8/8/6K1 w - - 0 1", "b6b7", false, false, false),
        ("a black pawn on its seventh", "6k1/8/8/8/8/1p6/8/6K1 b - - 0 1", "b3b2", false, false, true),
        ("a pawn on the sixth, near the leaves", "6k1/8/8/1P6/8/8/8/6K1 w - - 0 1", "b5b6", false, false, true),
        ("a pawn on the fifth", "6k1/8/8/8/1P6/8/8/6K1 w - - 0 1", "b4b5", false, false, false),
        ("a rook on the seventh", "6k1/8/1R6/8/8/8/8/6K1 w - - 0 1", "b6b7", false, false, false),
    ] {
        let game = game(fen);
        let mut s = searcher();
        let mut n = node(&mut s, &game, Window::FULL, Depth::plies(p.passed_pawn.sixth_depth_max), NodeType::Pv);
        n.captured_on = Some(Square::D5);
        let c = candidate(n.position, mv);
        let extended = |cost: Depth| cost < Depth::ZERO;
        assert_eq!(extended(check::cost(&p.check, &n, &c)), by_check, "{name}: check");
        assert_eq!(extended(recapture::cost(&recaptures, &n, &c)), by_recapture, "{name}: recapture");
        assert_eq!(extended(passed_pawn::cost(&p.passed_pawn, &n, &c)), by_pawn, "{name}: pawn");
    }
}

#[test]
fn futility_leaves_out_what_cannot_reach_alpha_and_nothing_else() {
    let game = game(QUIET_MIDDLEGAME);
    let p = Parameters::classical().futility;
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(3), NodeType::Cut);
    let c = Candidate { usual_reduction: Depth::ONE_PLY, ..candidate(n.position, "h2h3") };
    let paper = futility::Params { modern: false, depth: 2, ..p };
    for (p, depth, history, margin) in [
        (p, 2048, 0, 90),
        (p, 3584, 0, 240),
        (p, 10_240, 0, 890),
        (p, 4096, 2560, 300),
        (p, 4096, -2560, 280),
        (paper, 1024, 0, 150),
        (paper, 2048, 0, 400),
    ] {
        n.depth = Depth(depth);
        for (alpha, skip) in [(margin, Skip::RestButChecks), (margin - 1, Skip::No)] {
            n.window = Window::above(n.static_eval + Score(alpha));
            let c = Candidate { history, ..c.clone() };
            assert_eq!(futility::skip(&p, &n, &c), skip, "{depth} {history} {alpha}");
        }
    }
    n.window = Window::above(n.static_eval + Score(1000));
    for (p, depth) in [(p, 10_241), (paper, 3072), (futility::Params { depth: 0, ..paper }, 1024)] {
        n.depth = Depth(depth);
        assert_eq!(futility::skip(&p, &n, &c), Skip::No, "{depth}: too deep");
    }
    n.depth = Depth::plies(3);
    n.window = Window::above(n.static_eval + Score(190));
    for spared in [
        Candidate { gives_check: true, ..c.clone() },
        Candidate { quiet: false, ..c.clone() },
        Candidate { history: 4096, ..c },
    ] {
        assert_eq!(futility::skip(&p, &n, &spared), Skip::No);
    }
}

#[test]
fn futility_leaves_out_captures_whose_gain_cannot_reach_alpha() {
    // The pawn on e5 is defended.
    let game = game("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/3P1N2/PPP2PPP/RNBQKB1R w KQkq - 0 5");
    let p = futility::Params { noisy: true, ..Parameters::classical().futility };
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(3), NodeType::Cut);
    let c = Candidate { usual_reduction: Depth::ONE_PLY, ..candidate(n.position, "f3e5") };
    let reduced = c.reduced_depth(&n).0 / Depth::ONE_PLY.0;
    let margin = Score(p.noisy_base + p.noisy_slope * reduced + 100);
    n.window = Window::above(n.static_eval + margin);
    assert_eq!(futility::skip(&p, &n, &c), Skip::This, "just not enough, and other captures may win more");
    for (name, p, c) in [
        ("a check", p, Candidate { gives_check: true, ..c.clone() }),
        ("good history", p, Candidate { history: p.noisy_history_divisor, ..c.clone() }),
        ("switched off", futility::Params { noisy: false, ..p }, c.clone()),
        ("too deep", futility::Params { noisy_depth_max: reduced - 1, ..p }, c.clone()),
        ("the paper's form", futility::Params { modern: false, ..p }, c.clone()),
    ] {
        assert_eq!(futility::skip(&p, &n, &c), Skip::No, "{name}");
    }
    n.window = Window::above(n.static_eval + margin - Score(1));
    assert_eq!(futility::skip(&p, &n, &c), Skip::No, "just enough");
}

#[test]
fn late_moves_with_bad_history_are_left_out_at_their_limits() {
    let game = game(QUIET_MIDDLEGAME);
    let p = Parameters::classical();
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(3), NodeType::Cut);
    let c = candidate(n.position, "h2h3");
    for (depth, least) in [(1024, -2000), (2048, -7000), (3584, -14_500)] {
        n.depth = Depth(depth);
        for (history, skip) in [(least - 1, Skip::This), (least, Skip::No), (-least, Skip::No)] {
            let c = Candidate { history, ..c.clone() };
            assert_eq!(history_pruning::skip(&p.history_pruning, &n, &c), skip, "{depth} {history}");
        }
    }
    for (plies, improving, limit) in [(1, true, 4), (4, true, 19), (4, false, 9)] {
        (n.depth, n.improving) = (Depth::plies(plies), improving);
        for (quiets_before, skip) in [(limit - 1, Skip::No), (limit, Skip::RestButChecks)] {
            let c = Candidate { quiets_before, ..c.clone() };
            assert_eq!(late_move_pruning::skip(&p.late_move_pruning, &n, &c), skip, "{quiets_before} of {limit}");
        }
    }
    n.depth = Depth::plies(p.late_move_pruning.depth_max + 1);
    let many = Candidate { quiets_before: 99, ..c };
    assert_eq!(late_move_pruning::skip(&p.late_move_pruning, &n, &many), Skip::No, "too deep");
}

#[test]
fn moves_that_lose_more_than_is_allowed_are_left_out() {
    // The knight may go where a pawn takes it, and may take a defended pawn.
    let game = game("6k1/8/2p1p3/3p4/8/2N5/8/6K1 w - - 0 1");
    let p = Parameters::classical().see_pruning;
    let mut s = searcher();
    let noisy = |depth: i32| depth * p.noisy_slope;
    for (mv, depth, skip) in [
        ("c3d5", 1, Skip::This),
        ("c3d5", 2, Skip::This),
        ("c3d5", 3, Skip::No),
        ("c3e4", 2, Skip::This),
        ("c3e2", 2, Skip::No),
    ] {
        let n = node(&mut s, &game, AT_ZERO, Depth::plies(depth), NodeType::Cut);
        assert_eq!(see_pruning::skip(&p, &n, &candidate(n.position, mv)), skip, "{mv} at depth {depth}");
    }
    assert!(noisy(2) < 220 && noisy(3) >= 220, "the case above rests on these margins");
}

#[test]
fn an_evaluation_far_outside_the_window_ends_the_node() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(3), NodeType::Cut);
    // The margin is never below zero.
    for (plies, improving, doubt, margin) in [
        (0, true, 0, 0),
        (0, true, 40, 20),
        (2, false, 0, 160),
        (3, false, 0, 240),
        (3, true, 0, 170),
        (3, false, 40, 260),
    ] {
        (n.depth, n.improving, n.uncertainty) = (Depth::plies(plies), improving, Score(doubt));
        for (lead, cut) in [(margin, true), (margin - 1, false)] {
            let beta = n.eval - Score(lead);
            n.window = Window::reaching(beta);
            let value = cut!(reverse_futility, s, n).expect("nothing stops it");
            assert_eq!(value.is_some(), cut, "{plies} {improving} {doubt} {lead}");
            assert!(value.is_none_or(|value| value >= beta && value <= n.eval));
        }
    }
    for (plies, margin) in [(1, 400), (2, 940), (3, 1840)] {
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(plies), NodeType::Cut);
        for (lack, cut) in [(margin, true), (margin - 1, false)] {
            let alpha = n.eval + Score(lack);
            n.window = Window::above(alpha);
            let value = cut!(razoring, s, n).expect("nothing stops it");
            assert_eq!(value.is_some(), cut, "{plies} {lack}");
            assert!(value.is_none_or(|value| value <= alpha));
        }
    }
}

#[test]
fn passing_cuts_when_it_reaches_beta_and_finds_mate_threats() {
    let mut s = searcher();
    let quiet = game(QUIET_MIDDLEGAME);
    let mut n = node(&mut s, &quiet, AT_ZERO, Depth::plies(4), NodeType::Cut);
    n.window = Window::reaching(n.eval - Score(150));
    let value = cut!(null_move, s, n).expect("nothing stops it");
    assert!(value.is_some_and(|value| value >= n.window.beta), "{value:?}");
    assert!(!n.mate_threat);
    n.window = Window::reaching(n.eval + Score(1));
    assert_eq!(cut!(null_move, s, n), Ok(None), "the evaluation is below beta");
    // White is far ahead, but Black mates on the back rank if White passes.
    let threatened = game("3r2k1/5ppp/N7/N6N/8/8/5PPP/7K w - - 0 1");
    let mut n = node(&mut s, &threatened, AT_ZERO, Depth::plies(5), NodeType::Cut);
    n.window = Window::reaching(n.eval - Score(50));
    assert_eq!(cut!(null_move, s, n), Ok(None));
    assert!(n.mate_threat, "passing is answered by Rd1 mate");
}

#[test]
fn a_cutoff_by_passing_that_a_search_refutes_is_none() {
    // The side to move loses a pawn. The bishop, permanently shut in, allows White to try a null move.
    let zugzwang = game("8/8/8/4pK2/3kP3/1p6/1P6/B7 w - - 0 1");
    let quiet = game(QUIET_MIDDLEGAME);
    for (name, game, verify, below, cut) in [
        ("believed", &zugzwang, false, 0, true),
        ("verified", &zugzwang, true, 0, false),
        ("verified where any move will do", &quiet, true, 150, true),
    ] {
        let mut s = classical_with(|all| {
            all.null_move.verify_depth_min = 1;
            all.null_move.modern = false;
            all.null_move.verify = verify;
        });
        let mut n = node(&mut s, game, AT_ZERO, Depth::plies(7), NodeType::Cut);
        n.window = Window::reaching(n.eval - Score(below));
        let value = cut!(null_move, s, n).expect("nothing stops it");
        assert_eq!(value.is_some(), cut, "{name}: {value:?}");
    }
}

#[test]
fn a_mate_behind_a_pass_proves_no_more_than_beta() {
    let game = game("7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    let mut s = classical_with(|all| {
        all.null_move.modern = false;
        all.null_move.adaptive = false;
        all.null_move.reduction = 1;
    });
    let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(6), NodeType::Cut);
    let beta = n.eval + Score(300);
    n.window = Window::reaching(beta);
    assert_eq!(cut!(null_move, s, n), Ok(Some(beta)), "Black must step into mate");
}

#[test]
fn as_many_moves_must_cut_as_are_asked_for() {
    for (moves, cuts, below, cut) in
        [(3, 3, 300, true), (6, 3, 300, true), (1, 1, 300, true), (2, 3, 300, false), (6, 3, -300, false)]
    {
        let (found, _) = multi_cut(|p| (p.moves, p.cuts) = (moves, cuts), NodeType::Cut, None, below);
        assert_eq!(found, cut, "{cuts} of {moves}, {below} below the evaluation");
    }
}

#[test]
fn probcut_takes_a_table_value_far_above_beta_for_its_shallow_search() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let p = Parameters::classical().probcut;
    let (lead, reduction) = (300, Depth(p.reduction));
    let mate = Score::mate_in(Ply(5)).0;
    for (name, lead, bound, over, short, kind, cuts) in [
        ("just enough", lead, Bound::Lower, lead, reduction, NodeType::Cut, true),
        ("an exact value", lead, Bound::Exact, lead, reduction, NodeType::Cut, true),
        ("an upper bound", lead, Bound::Upper, lead, reduction, NodeType::Cut, false),
        ("a point less", lead, Bound::Lower, lead - 1, reduction, NodeType::Cut, false),
        ("too shallow", lead, Bound::Lower, lead, reduction + Depth(1), NodeType::Cut, false),
        ("on the principal variation", lead, Bound::Lower, lead, reduction, NodeType::Pv, false),
        ("a mate", lead, Bound::Lower, mate, reduction, NodeType::Cut, false),
        ("switched off", 0, Bound::Lower, lead, reduction, NodeType::Cut, false),
    ] {
        // No capture wins two rooks: what cuts is the table.
        let beta = Score(1000);
        let mut parameters = Parameters::classical();
        parameters.probcut.table_lead = lead;
        s.set_parameters(parameters);
        let mut n = node(&mut s, &game, Window::reaching(beta), Depth::plies(7), kind);
        let (score, depth) = (if over == mate { Score(mate) } else { beta + Score(over) }, n.depth - short);
        n.entry = Some(testing::entry(score, bound, depth));
        let value = cut!(probcut, s, n).expect("nothing stops it");
        assert_eq!(value, cuts.then_some(beta + Score(lead)), "{name}");
    }
}

#[test]
fn probcut_tries_captures_that_win_enough_unless_the_table_refutes_them() {
    let hanging = "r1b2rk1/ppp2ppp/2n5/3q4/8/2N2N2/PP3PPP/R1BQ1RK1 w - - 0 1";
    let defended = "6k1/5ppp/4p3/3p4/8/2N5/5PPP/6K1 w - - 0 1";
    let cases = [
        ("a queen for nothing", hanging, None, true, true),
        ("a knight for a pawn", defended, None, false, false),
        ("the table knows that it fails", hanging, Some(-1), false, false),
        ("the table promises as much", hanging, Some(0), true, true),
    ];
    // The lead is smaller when the evaluation improves, and never nothing.
    for (margin, improving, lead) in [(190, false, 190), (190, true, 140), (0, true, 1)] {
        for (name, fen, known, tried, cut) in cases {
            let game = game(fen);
            let mut s = classical_with(|all| all.probcut.margin = margin);
            let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(7), NodeType::Cut);
            n.improving = improving;
            n.window = Window::reaching(n.static_eval + Score(100));
            let target = n.window.beta + Score(lead);
            n.entry = known.map(|more| testing::entry(target + Score(more), Bound::Upper, n.depth));
            let value = cut!(probcut, s, n).expect("nothing stops it");
            let eval = n.static_eval;
            assert_eq!(value.is_some(), cut, "{name}: {value:?}, {} nodes, {eval:?} {target:?}", s.nodes());
            assert!(value.is_none_or(|value| value >= n.window.beta), "{name}: {value:?}");
            let found = s.table.probe(s.table_key(n.position, n.window, n.budget), n.ply);
            assert_eq!(found.is_some_and(|entry| entry.bound == Bound::Lower), cut, "{name}");
            assert_eq!(s.nodes() > 0, tried, "{name}");
        }
    }
}

#[test]
fn only_a_move_that_stands_alone_is_singular() {
    // The queen is attacked: taking the attacker wins a rook, everything else loses the queen.
    let game = game("6k1/5ppp/8/8/3r4/8/3Q1PPP/6K1 w - - 0 1");
    let mut s = searcher();
    for (score, alone) in [(400, true), (-2500, false)] {
        let mut n = node(&mut s, &game, Window::reaching(Score(2000)), Depth::plies(8), NodeType::Cut);
        remember(&mut n, &game, "d2d4", Score(score));
        assert_eq!(cut!(singular, s, n), Ok(None));
        assert_eq!(n.singular > Depth::ZERO, alone, "{score}: {:?}", n.singular);
        assert!(alone || n.singular < Depth::ZERO, "others come near at a cut node: {:?}", n.singular);
    }
}

/// The other moves must stay below the table's value by the margin: the larger it is, the higher the table's value must be.
#[test]
fn a_larger_margin_makes_fewer_moves_singular() {
    const STEP: usize = 8;
    let game = game("6k1/5ppp/8/8/3r4/8/3Q1PPP/6K1 w - - 0 1");
    let mut s = searcher();
    let mut lowest = |margin_slope: i32| {
        let p = singular::Params { margin_slope, ..s.params().singular };
        let is_singular = |score: &i32| {
            let mut n = node(&mut s, &game, Window::reaching(Score(2000)), Depth::plies(8), NodeType::Pv);
            remember(&mut n, &game, "d2d4", Score(*score));
            assert_eq!(singular::cut(&mut s, &p, &mut n), Ok(None));
            n.singular > Depth::ZERO
        };
        (-1500..400).step_by(STEP).find(is_singular).expect("a rook ahead is singular")
    };
    let margins = [0, 200, 400].map(&mut lowest);
    assert!(margins.is_sorted_by(|low, high| low < high), "{margins:?}");
}

#[test]
fn the_table_decides_only_what_its_bound_and_depth_prove() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let slack = Depth(Parameters::classical().table.slack);
    for (name, bound, score, short, kind, decides) in [
        ("at least beta", Bound::Lower, 50, Depth::ZERO, NodeType::Cut, true),
        ("at least less than beta", Bound::Lower, 49, Depth::ZERO, NodeType::Cut, false),
        ("at most alpha", Bound::Upper, 49, Depth::ZERO, NodeType::Cut, true),
        ("at most more than alpha", Bound::Upper, 50, Depth::ZERO, NodeType::Cut, false),
        ("exactly", Bound::Exact, 50, Depth::ZERO, NodeType::Cut, true),
        ("a little shallower", Bound::Lower, 50, slack, NodeType::Cut, true),
        ("too shallow", Bound::Lower, 50, slack + Depth(1), NodeType::Cut, false),
        ("on the principal variation", Bound::Exact, 50, Depth::ZERO, NodeType::Pv, false),
    ] {
        let mut n = node(&mut s, &game, Window::reaching(Score(50)), Depth::plies(5), kind);
        n.entry = Some(testing::entry(Score(score), bound, n.depth - short));
        let value = cut!(table, s, n).expect("nothing stops it");
        assert_eq!(value, decides.then_some(Score(score)), "{name}");
    }
}

#[test]
fn mates_further_away_than_one_known_end_the_node() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    for (alpha, beta, cut) in [
        (Score(0), Score(50), false),
        (Score::mate_in(Ply(3)), Score::INFINITE, true),
        (Score::mate_in(Ply(5)), Score::INFINITE, false),
        (-Score::INFINITE, Score::mated_in(Ply(2)), true),
        (-Score::INFINITE, Score::mated_in(Ply(4)), false),
        (-Score::INFINITE, Score::mated_in(Ply(3)), false),
        (Score::mate_in(Ply(4)), Score::INFINITE, false),
    ] {
        let mut n = node(&mut s, &game, Window::new(alpha, beta), Depth::plies(5), NodeType::Pv);
        let value = cut!(mate_distance, s, n).expect("nothing stops it");
        assert_eq!(value.is_some(), cut, "{alpha:?} {beta:?}");
    }
}

#[test]
fn shallow_probes_and_missing_moves_change_the_depth_as_they_should() {
    let game = game(QUIET_MIDDLEGAME);
    let p = Parameters::classical();
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(6), NodeType::Cut);
    assert_eq!(iterative_reduction::extend(&p.iterative_reduction, &n), -Depth(p.iterative_reduction.cut));
    n.table_move = Some(game.parse_uci("h2h3").expect("legal"));
    assert_eq!(iterative_reduction::extend(&p.iterative_reduction, &n), Depth::ZERO);
    n.table_move = None;
    n.depth = Depth::plies(p.iterative_reduction.depth_min - 1);
    assert_eq!(iterative_reduction::extend(&p.iterative_reduction, &n), Depth::ZERO);
    n.depth = Depth::plies(6);
    // A reduced move that did no harm gets depth back; one by which the mover lost a lot loses depth.
    for (reduction, gain, plies, amount) in [
        (3072, -20, 6, p.hindsight.deeper),
        (3072, 0, 1, p.hindsight.deeper),
        (3071, -20, 6, 0),
        (3072, 1, 6, 0),
        (2048, 161, 2, -p.hindsight.shallower),
        (2048, 160, 2, 0),
        (2047, 161, 2, 0),
        (2048, 161, 1, 0),
    ] {
        (n.reduced_by, n.eval_before, n.depth) =
            (Depth(reduction), Some(Score(gain) - n.static_eval), Depth::plies(plies));
        assert_eq!(hindsight::extend(&p.hindsight, &n), Depth(amount), "{reduction} {gain} {plies}");
    }
    let granted = |ply: u16, requested: i32, n: &mut Node<'_>| {
        n.ply = Ply(ply);
        explosion::limit(&p.explosion, n, Depth(requested))
    };
    assert_eq!(granted(4, 512, &mut n), Depth(512));
    assert_eq!(granted(4, 5000, &mut n), Depth(p.explosion.move_max));
    assert_eq!(granted(4, -700, &mut n), Depth(-700), "what makes dearer is not limited");
    for (ply, amount) in [(20, 1024), (21, 512), (30, 512), (31, 0)] {
        assert_eq!(granted(ply, 1024, &mut n), Depth(amount), "far from the root: {ply}");
    }
}
