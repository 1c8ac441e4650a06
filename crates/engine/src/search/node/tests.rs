use super::*;
use crate::history::PERCENT;
use crate::params::Parameters;
use crate::position::Game;
use crate::score::Bound;
use crate::testing;
use shakmaty::Bitboard;

#[test]
fn a_reduced_node_keeps_a_ply_for_its_moves() {
    let game = Game::new();
    for separate in [false, true] {
        let mut s = testing::searcher_with(|p| p.budget.separate = separate);
        for (plies, amount, expected) in [(2, -3, 1), (4, -3, 1), (5, -3, 2), (2, 1, 3), (1, -1, 1)] {
            let mut n = s.facts(game.position(), testing::place(Window::FULL, plies, 1, NodeType::Pv));
            s.deepen(&mut n, Rule::IterativeReduction, Depth::plies(amount));
            let left = n.budget.left(&s.params().budget);
            assert_eq!((n.depth, left), (Depth::plies(expected), Depth::plies(expected)), "{plies} {amount}");
        }
    }
}

/// How far a cut passes beta adds nothing to its reward here.
fn searcher() -> Searcher<()> {
    let mut parameters = Parameters::default();
    parameters.history.excess = 0;
    testing::searcher(parameters)
}

/// Updates the tables with a node of the start position with a value and moves tried before the best.
fn update(s: &mut Searcher<()>, game: &Game, alpha: i32, best: i32, beta: i32) {
    let window = Window::new(Score(alpha), Score(beta));
    let mut n = testing::node(s, game, testing::place(window, 6, 1, NodeType::Pv));
    let context = s.context(n.position, n.ply);
    let mut tried = TriedMoves::default();
    tried.quiets.push(game.parse_uci("a2a3").expect("legal"));
    n.best = Score(best);
    n.best_move = (best > alpha).then(|| game.parse_uci("e2e4").expect("legal"));
    // The window as it is after the move: alpha has risen to the value.
    n.window.alpha = n.window.alpha.max(n.best.min(n.window.beta - Score(1)));
    s.update_tables(&n, &context, &tried, Score(alpha));
}

#[test]
fn the_bound_of_a_node_follows_from_the_window_it_was_entered_with() {
    let game = Game::new();
    for (best, bound) in
        [(-50, Bound::Upper), (0, Bound::Upper), (1, Bound::Exact), (99, Bound::Exact), (100, Bound::Lower)]
    {
        let mut s = searcher();
        update(&mut s, &game, 0, best, 100);
        let key = s.table_key(game.position(), Window::FULL, Budget::even(Depth::plies(6)));
        let entry = s.table.probe(key, Ply(1)).expect("stored");
        assert_eq!((entry.score, entry.bound, entry.depth), (Score(best), bound, Depth::plies(6)), "{best}");
    }
}

/// Corrections learned in a pawn ending changed the evaluation of rook endings with the kings on the same squares.
#[test]
fn a_known_ending_updates_no_correction() {
    for (fen, corrects) in [("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", false), ("4k3/p7/4K3/4P3/8/8/8/8 w - - 0 1", true)] {
        let game = testing::game(fen);
        let mut s = searcher();
        let mut n = testing::node(&mut s, &game, testing::place(Window::FULL, 6, 1, NodeType::Pv));
        n.best = n.static_eval + Score(300);
        let (context, p) = (s.context(n.position, n.ply), s.params().correction);
        s.update_tables(&n, &context, &TriedMoves::default(), n.static_eval);
        let learned = s.corrections.correction(&p, game.position(), &s.preceding(n.ply));
        assert_eq!(learned != Score::ZERO, corrects, "{fen}: {learned:?}");
    }
}

/// A table of endgames decides a node before its static evaluation is known: 0 was stored as the evaluation.
#[test]
fn a_result_without_an_evaluation_stores_none() {
    let game = Game::new();
    for evaluated in [false, true] {
        let mut s = searcher();
        s.evaluator.begin(game.position());
        let mut n = s.facts(game.position(), testing::place(Window::FULL, 6, 1, NodeType::Cut));
        if evaluated {
            s.evaluate_node(&mut n);
        }
        s.store_in_table(&n, Score(50), n.depth, Bound::Lower, None);
        let key = s.table_key(game.position(), n.window, n.budget);
        let entry = s.table.probe(key, Ply(1)).expect("stored");
        assert_eq!(entry.eval.is_some(), evaluated);
    }
}

#[test]
fn a_refutation_without_a_search_earns_its_share_of_the_bonus() {
    let game = Game::new();
    let white = shakmaty::Color::White;
    let mv = game.parse_uci("e2e4").expect("legal");
    let bonus = Parameters::default().history.bonus(Depth::plies(6)).good;
    for share in [0, 50, 100] {
        let mut s = searcher();
        s.evaluator.begin(game.position());
        let n = s.facts(game.position(), testing::place(Window::FULL, 6, 1, NodeType::Cut));
        s.reward_quiet(&n, mv, share);
        assert_eq!(s.histories.butterfly.count(white, Bitboard::EMPTY, mv), bonus * share / PERCENT, "{share}");
    }
}

#[test]
fn a_move_that_cuts_is_rewarded_and_those_before_it_are_blamed() {
    let game = Game::new();
    let white = shakmaty::Color::White;
    let (good, bad) = (game.parse_uci("e2e4").expect("legal"), game.parse_uci("a2a3").expect("legal"));
    let mut s = searcher();
    update(&mut s, &game, 0, 50, 100);
    assert_eq!(s.histories.butterfly.count(white, Bitboard::EMPTY, good), 0, "no cutoff, no reward");
    update(&mut s, &game, 0, 120, 100);
    let bonus = Parameters::default().history.bonus(Depth::plies(6));
    assert_eq!(s.histories.butterfly.count(white, Bitboard::EMPTY, good), bonus.good);
    assert_eq!(s.histories.butterfly.count(white, Bitboard::EMPTY, bad), -bonus.bad);
    assert!(bonus.good > 0 && bonus.bad > 0);
    assert_eq!(s.frame(Ply(1)).killers.slot(pack(good)), Some(0));
    assert_eq!(s.frame(Ply(1)).cutoffs, 1);
}

#[test]
fn the_evaluation_is_corrected_towards_the_search_value() {
    let game = Game::new();
    for (alpha, best, beta, up) in [(300, 400, 350, true), (-400, -500, -300, false)] {
        let mut s = searcher();
        let place = testing::place(Window::new(Score(0), Score(1)), 6, 1, NodeType::Cut);
        let before = testing::node(&mut s, &game, place).static_eval;
        update(&mut s, &game, alpha, best, beta);
        let after = testing::node(&mut s, &game, place).static_eval;
        assert!(after != before && (after > before) == up, "{best}: {before:?} {after:?}");
    }
}

#[test]
fn a_bound_without_information_corrects_nothing() {
    let game = Game::new();
    for (alpha, best, beta) in [(-400, -300, -350), (400, 300, 500)] {
        let mut s = searcher();
        update(&mut s, &game, alpha, best, beta);
        let correction =
            s.corrections.correction(&s.params().correction, game.position(), &crate::correction::NO_PRECEDING);
        assert_eq!(correction, Score::ZERO, "at least {best} and at most {best} hold already");
    }
}

#[test]
fn captures_are_rewarded_and_blamed_and_refutations_noted_for_the_move_before() {
    use crate::history::PieceTo;
    let fen = "4k3/8/8/3p1n2/4P3/8/8/R3K3 w - - 0 1";
    let game = testing::game(fen);
    let mv = |uci: &str| game.parse_uci(uci).expect(uci);
    let white = shakmaty::Color::White;
    let p = Parameters::default().history;
    let bonus = p.bonus(Depth::plies(6));
    let share = |amount: i32| amount * p.capture_share / 100;
    for (best, quiet) in [("e4f5", false), ("a1a8", true)] {
        let mut s = searcher();
        let [before, earlier] = [(Ply(1), "e1e2"), (Ply(0), "e1f2")].map(|(ply, uci)| {
            let piece_to = PieceTo::of(shakmaty::Color::Black, mv(uci));
            s.frame_mut(ply).piece_to = piece_to;
            piece_to
        });
        let mut n = testing::node(&mut s, &game, testing::place(Window::reaching(Score(50)), 6, 2, NodeType::Cut));
        let context = s.context(n.position, n.ply);
        let mut tried = TriedMoves::default();
        tried.noisy.push(mv("e4d5"));
        tried.quiets.push(mv("e1d1"));
        (n.best, n.best_move) = (Score(60), Some(mv(best)));
        s.update_tables(&n, &context, &tried, Score(49));
        assert_eq!(s.histories.captures.count(white, mv("e4d5")), -share(bonus.bad), "{best}");
        assert_eq!(s.histories.captures.count(white, mv("e4f5")), if quiet { 0 } else { share(bonus.good) }, "{best}");
        let tried_quiet = s.histories.butterfly.count(white, Bitboard::EMPTY, mv("e1d1"));
        assert_eq!(tried_quiet, if quiet { -bonus.bad } else { 0 }, "{best}");
        assert_eq!(s.histories.countermoves.after(before), if quiet { pack(mv(best)) } else { NO_MOVE }, "{best}");
        assert_eq!(s.histories.countermoves.after(earlier), NO_MOVE, "{best}");
    }
}

#[test]
fn improving_is_better_than_two_plies_ago_or_else_four() {
    let game = Game::new();
    for (two, four, improving) in [
        (Some(-1), None, true),
        (Some(0), None, false),
        (Some(1), None, false),
        (Some(1), Some(-1), false),
        (None, Some(-1), true),
        (None, Some(1), false),
        (None, None, false),
    ] {
        let mut s = searcher();
        let mut n = testing::node(&mut s, &game, testing::place(Window::FULL, 6, 5, NodeType::Pv));
        let eval = n.static_eval;
        s.frame_mut(Ply(3)).eval = two.map(|more| eval + Score(more));
        s.frame_mut(Ply(1)).eval = four.map(|more| eval + Score(more));
        s.evaluate_node(&mut n);
        assert_eq!(n.improving, improving, "{two:?} {four:?}");
    }
}

#[test]
fn a_more_accurate_table_value_replaces_the_evaluation() {
    let game = Game::new();
    let mut s = searcher();
    for (bound, above, taken) in [
        (Bound::Lower, 30, true),
        (Bound::Lower, -30, false),
        (Bound::Upper, -30, true),
        (Bound::Upper, 30, false),
        (Bound::Exact, 30, true),
        (Bound::Exact, -30, true),
    ] {
        let mut n = testing::node(&mut s, &game, testing::place(Window::FULL, 6, 1, NodeType::Pv));
        let score = n.static_eval + Score(above);
        n.entry = Some(testing::entry(score, bound, Depth::ZERO));
        s.evaluate_node(&mut n);
        assert_eq!(n.eval, if taken { score } else { n.static_eval }, "{bound:?} {above}");
    }
}

#[test]
fn without_a_move_it_is_mate_or_stalemate_or_the_only_one_was_left_out() {
    let window = Window::new(Score(-20), Score(30));
    for (fen, excluded, value) in [
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", NO_MOVE, Score::mated_in(Ply(3))),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", NO_MOVE, Score::DRAW),
        ("k7/1Q6/8/8/8/8/8/K7 b - - 0 1", 1, window.alpha),
    ] {
        let game = testing::game(fen);
        let mut n = Node::new(game.position(), testing::place(window, 4, 3, NodeType::Cut));
        n.excluded = excluded;
        assert_eq!(no_move_value(&n), value, "{fen}");
    }
}
