//! The root: its moves, their values and nodes, and their order.

use super::watch::{Detail, Mode, MoveResult, Purpose, SearchEvent};
use super::{Searcher, Stopped};
use crate::budget::Budget;
use crate::clock::Limits;
use crate::node::{Candidate, Node, NodeType, Place};
use crate::ordering::{Stage, root_oracle, stage_of};
use crate::position::{Game, Position, is_quiet};
use crate::report::ProgressEvent;
use crate::rules::search::Search as _;
use crate::score::{Bound, Depth, Ply, Score, Window};
use crate::see::Exchange;
use crate::tablebase::Rank;
use shakmaty::Move;
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// Receives the events of a search; `Break` stops it.
pub type Listener<'a> = dyn FnMut(&ProgressEvent<'_>) -> ControlFlow<()> + 'a;

/// A move at the root with what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub mv: Move,
    /// Value in the last search of the root that came to it; minus infinity unless it became best there.
    pub score: Score,
    /// The bound that the value is.
    pub bound: Bound,
    /// Value in the last iteration.
    pub previous: Score,
    /// Nodes spent on it since the search began.
    pub effort: u64,
    /// The same as the order counts it: older iterations may have decayed.
    pub weight: u64,
    /// Its line in the search that gave it its value.
    pub line: Vec<Move>,
    /// The result that reports show.
    pub found: ReportedResult,
    /// Its index in the list after the last finished iteration; before the first, in the initial list.
    pub place: usize,
    /// Its result in the endgame tables, if they cover the position.
    pub rank: Option<Rank>,
}

/// The last result of a root move that reports may show.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ReportedResult {
    pub score: Score,
    /// The bound that the score is.
    pub bound: Bound,
    /// The budget of the iteration; zero if there is only the static evaluation.
    pub depth: Depth,
    /// Greatest ply reached.
    pub seldepth: u16,
    pub line: Vec<Move>,
}

impl RootMove {
    /// A move that has not been searched, at index `place`; `eval` is the static evaluation of the root.
    fn new(mv: Move, place: usize, eval: Score, rank: Option<Rank>) -> RootMove {
        RootMove {
            mv,
            score: -Score::INFINITE,
            bound: Bound::Exact,
            previous: eval,
            effort: 0,
            weight: 0,
            line: vec![mv],
            found: ReportedResult { score: eval, bound: Bound::Exact, depth: Depth::ZERO, seldepth: 0, line: vec![mv] },
            place,
            rank,
        }
    }

    /// The class of its result in the endgame tables, greater for a better one; 0 without tables.
    pub fn class(&self) -> i32 {
        self.rank.map_or(0, |rank| rank.class)
    }

    /// True if the current search of the root has given it a value.
    pub fn is_valued(&self) -> bool {
        self.score > -Score::INFINITE
    }
}

impl<M: Mode> Searcher<M> {
    /// Lists the root moves that are legal and wanted by the caller, sorted by their result in the endgame tables.
    pub(crate) fn prepare_root(&mut self, game: &Game, limits: &Limits) {
        let position = game.position();
        let legal = self.moves_at(position);
        let requested = |mv: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(mv);
        let mut moves: Vec<Move> = legal.iter().copied().filter(requested).collect();
        if moves.is_empty() {
            moves = legal.into_iter().collect(); // none of the requested moves is legal: search all
        }
        let tablebase = self.tablebase.as_ref().filter(|_| !self.is_scripted());
        let ranks = tablebase.and_then(|tablebase| tablebase.root_moves(game)).unwrap_or_default();
        self.count_tablebase_hits(ranks.len() as u64);
        let rank = |mv| ranks.iter().find(|(ranked, _)| *ranked == mv).map(|&(_, rank)| rank);
        let eval = self.evaluate(position);
        self.root_moves = (0..).zip(moves).map(|(place, mv)| RootMove::new(mv, place, eval, rank(mv))).collect();
        self.root_moves.sort_by_key(|m| Reverse(m.class()));
    }

    /// The end of the run of root moves that starts at `from` and has one class of table results. The best move is searched among these.
    pub(crate) fn class_end(&self, from: usize) -> usize {
        let class = self.root_moves[from].class();
        self.root_moves[from..]
            .iter()
            .position(|m| m.class() != class)
            .map_or(self.root_moves.len(), |count| from + count)
    }

    /// The value to report for root move `at`, given the one found by the search: the result of the endgame tables unless a mate was proved.
    pub(crate) fn reported(&self, at: usize, score: Score, bound: Bound) -> (Score, Bound) {
        self.root_moves[at].rank.map_or((score, bound), |rank| rank.report(score, bound))
    }

    /// Records the current value of root move `at` as the result to report.
    pub(crate) fn record_found(&mut self, at: usize) {
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let root_move = &mut self.root_moves[at];
        let (score, bound, line) = (root_move.score, root_move.bound, root_move.line.clone());
        root_move.found = ReportedResult { score, bound, depth, seldepth, line };
    }

    /// Records the results of a stopped search of the root moves from `from` on, and sorts these moves for the report. Moves without a value in
    /// this search keep their order and their earlier results.
    ///
    /// If every move searched so far loses, the root is not proved lost, because the other moves were not searched. Such a value
    /// does not replace an earlier result. Without an earlier result, the moves that were not searched come first.
    pub(crate) fn order_after_stop(&mut self, from: usize) {
        self.root_moves[..from].sort_by_key(|m| Reverse((m.class(), m.found.score)));
        self.sort_root(from);
        let lost = self.root_moves[from].is_valued() && self.root_moves[from].score.is_lost();
        for at in from..self.root_moves.len() {
            let root_move = &self.root_moves[at];
            let counts = root_move.is_valued() && (!lost || root_move.found.depth == Depth::ZERO);
            let place = match (counts, lost) {
                (true, false) => 0,
                (true, true) => usize::MAX,
                (false, _) => root_move.place + 1,
            };
            if counts {
                self.record_found(at);
            }
            self.root_moves[at].place = place;
        }
        self.root_moves[from..].sort_by_key(|m| (Reverse(m.class()), m.place));
    }

    /// Searches the root moves from number `from` on; those before are already reported as better lines. Returns the value
    /// of the best searched move; no other has a value as good.
    pub(crate) fn root(
        &mut self,
        position: &Position,
        window: Window,
        budget: Budget,
        from: usize,
        listener: &mut Listener<'_>,
    ) -> Result<Score, Stopped> {
        let mut n = self.facts(position, Place::new(window, budget, Ply::ROOT, NodeType::Pv));
        self.clear_line(Ply::ROOT);
        self.evaluate_node(&mut n);
        self.watch_entered(&n);
        self.watch_value(&n);
        self.prepare_costs(&mut n);
        let first = self.orders.weights.root_order.first_by_quiescence && self.root_moves.iter().all(|m| m.effort == 0);
        if first {
            self.order_by_quiescence(&n)?;
        }
        let (mut searched, end) = (from, self.class_end(from));
        while searched < end {
            searched += 1;
            if self.root_move(&mut n, from, searched - 1, listener)? {
                break;
            }
        }
        self.settle_root(window, n.best, from, searched);
        // If moves are left out, the best value is not that of the position.
        let is_whole = from == 0 && self.root_moves.len() == self.moves_at(position).len();
        if is_whole && !self.orders.weights.root_oracle.on {
            self.store_in_table(&n, n.best, n.depth, window.bound(n.best), n.best_move);
        }
        self.watch_left(&n, n.best);
        Ok(n.best)
    }

    /// Removes the values of earlier windows from moves that this window did not reach. If all moves failed low, the bound of all of them is
    /// the value of the first.
    fn settle_root(&mut self, window: Window, best: Score, from: usize, searched: usize) {
        for unseen in &mut self.root_moves[searched..] {
            unseen.score = -Score::INFINITE;
        }
        if window.fails_low(best)
            && let Some(first) = self.root_moves.get_mut(from)
        {
            first.score = best;
        }
    }

    /// Searches one root move; `true` if it fails high.
    fn root_move(
        &mut self,
        n: &mut Node<'_>,
        from: usize,
        index: usize,
        listener: &mut Listener<'_>,
    ) -> Result<bool, Stopped> {
        let mv = self.root_moves[index].mv;
        let number = (index - from + 1) as i32;
        let depth = self.nominal_depth();
        self.report_progress(listener, &ProgressEvent::Current { mv, number: (index + 1) as u32, depth });
        let c = self.root_candidate(n, mv, number);
        self.watch_considered(n, &c, None);
        let before = self.nodes;
        let score = self.try_root_move(n, &c)?;
        self.emit_at(Detail::Nodes, n, |at| SearchEvent::MoveSearched(at, MoveResult::of(mv, score, n.window)));
        let better = score > n.window.alpha;
        n.best = n.best.max(score);
        let entry = &mut self.root_moves[index];
        entry.effort += self.nodes - before;
        entry.weight += self.nodes - before;
        entry.score = -Score::INFINITE;
        if index == from || better {
            entry.score = score;
            entry.bound = n.window.bound(score);
            if better {
                entry.line.clear();
                entry.line.push(mv);
                entry.line.extend_from_slice(&self.lines[1]);
            }
        }
        if !better {
            return Ok(false);
        }
        n.best_move = Some(mv);
        n.raised += 1;
        if from == 0 {
            self.announce(mv, self.reported(index, score, n.window.bound(score)).0, listener);
        }
        if n.window.fails_high(score) {
            return Ok(true);
        }
        n.window.alpha = score;
        Ok(false)
    }

    /// Searches a root move, with the window shifted by its bonus if it has one.
    fn try_root_move(&mut self, n: &mut Node<'_>, c: &Candidate) -> Result<Score, Stopped> {
        let bonus = root_oracle::bonus(&self.orders.weights.root_oracle, n.position, c.mv);
        let (window, best) = (n.window, n.best);
        let shifted = root_oracle::without_bonus(window, best, bonus).filter(|_| bonus != Score::ZERO);
        let Some(shifted) = shifted else { return self.try_move(n, c) };
        (n.window, n.best) = shifted;
        let score = self.try_move(n, c);
        (n.window, n.best) = (window, best);
        Ok(root_oracle::shifted(score?, bonus))
    }

    fn root_candidate(&self, n: &Node<'_>, mv: Move, number: i32) -> Candidate {
        let quiet = is_quiet(mv);
        let checks = n.position.check_info();
        Candidate {
            mv,
            number,
            quiets_before: 0,
            quiet,
            gives_check: n.position.gives_check(&checks, mv),
            history: if quiet {
                self.histories.butterfly.count(n.position.turn(), self.orders.threatened(n.position), mv) * 2
            } else {
                self.histories.captures.count(n.position.turn(), mv)
            },
            stage: if number == 1 { Stage::Table } else { stage_of(self.sources(n.position, &checks, n.ply), mv) },
            killer_or_counter: false,
            from_table: number == 1,
            usual_reduction: self.reductions.base(quiet, n.plies(), number),
            cutoffs_below: self.frame(n.ply.next()).cutoffs,
            exchange: Exchange::known(None),
        }
    }

    /// Reports a new best move to the listener.
    pub(crate) fn announce(&mut self, mv: Move, score: Score, listener: &mut Listener<'_>) {
        if self.muted || self.announced == Some(mv) {
            return;
        }
        self.announced = Some(mv);
        let event = ProgressEvent::Best { mv, depth: self.nominal_depth(), nodes: self.all_nodes(), score };
        self.report_progress(listener, &event);
    }

    /// Passes an event on; the listener may stop the search.
    pub(crate) fn report_progress(&mut self, listener: &mut Listener<'_>, event: &ProgressEvent<'_>) {
        if self.thread == 0 && listener(event).is_break() {
            self.control.stop();
        }
    }

    /// Puts the moves from number `from` on in the order of the next search: best value first, then by effort,
    /// within each class of table results.
    pub(crate) fn sort_root(&mut self, from: usize) {
        let effort = |m: &RootMove| if self.orders.weights.root_order.on { m.weight } else { 0 };
        let order = |m: &RootMove| (m.class(), m.score, effort(m));
        self.root_moves[from..].sort_by_key(|m| Reverse(order(m)));
    }

    /// Orders the moves of the first iteration by their values in quiescence search, best first.
    fn order_by_quiescence(&mut self, n: &Node<'_>) -> Result<(), Stopped> {
        let checks = n.position.check_info();
        let mut valued = Vec::with_capacity(self.root_moves.len());
        for at in 0..self.root_moves.len() {
            let mv = self.root_moves[at].mv;
            self.watch_sub_search(n, Purpose::Quiescence, Some(mv), n.depth);
            self.count()?;
            let child = self.make(n.position, n.ply, mv, n.position.gives_check(&checks, mv));
            let score = -self.quiescence(&child, Window::FULL, n.ply.next(), NodeType::All, 0)?;
            self.unmake();
            valued.push((score, self.root_moves[at].clone()));
        }
        valued.sort_by_key(|(score, root_move)| Reverse((root_move.class(), *score)));
        self.root_moves = valued.into_iter().map(|(_, root_move)| root_move).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tables;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::params::Parameters;
    use crate::testing;

    const POSITIONS: &[&str] = &[
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
        "r2q1rk1/1b2bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 2 13",
        "8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 4 45",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ];

    #[test]
    fn captures_at_the_root_are_no_quiet_moves() {
        let mut s = testing::searcher(Parameters::default());
        for (fen, mv, number, stage) in [
            ("4k3/1p6/p1p5/3q4/8/3P4/1P6/Q3K2R w K - 0 1", "a1a6", 2, Stage::BadNoisy),
            ("4k3/1p6/p1p5/3q4/4P3/8/1P6/Q3K2R w K - 0 1", "e4d5", 2, Stage::GoodNoisy),
            ("4k3/1p6/p1p5/3q4/4P3/8/1P6/Q3K2R w K - 0 1", "e4e5", 2, Stage::Quiet),
            ("4k3/1p6/p1p5/3q4/4P3/8/1P6/Q3K2R w K - 0 1", "e4e5", 1, Stage::Table),
        ] {
            let game = testing::game(fen);
            let n = s.facts(game.position(), testing::place(Window::FULL, 4, 0, NodeType::Pv));
            let candidate = s.root_candidate(&n, game.parse_uci(mv).expect("legal"), number);
            assert_eq!(candidate.stage, stage, "{mv}");
            assert_eq!(candidate.quiet, stage == Stage::Quiet || number == 1, "{mv}");
        }
    }

    /// The root moves after a search of `plies`, with root moves in the requested order.
    fn after(fen: &str, plies: u32, change: impl Fn(&mut Parameters)) -> Searcher<()> {
        let mut s = testing::searcher_with(change);
        testing::search(&mut s, &testing::game(fen), &Limits::depth(plies));
        s
    }

    #[test]
    fn root_moves_come_by_value_and_then_by_the_nodes_their_refutation_took() {
        for (on, sorted) in [(true, true), (false, false)] {
            let s = after(POSITIONS[0], 6, |p| p.root_order.on = on);
            let rest = &s.root_moves[1..];
            assert!(s.root_moves[0].score > rest[0].score, "the best move comes first whatever is switched");
            assert_eq!(rest.is_sorted_by(|a, b| (a.score, a.effort) >= (b.score, b.effort)), sorted, "{on}");
        }
    }

    #[test]
    fn the_effort_of_earlier_iterations_decays_as_configured() {
        let spent = |kept: i32| {
            let s = after(POSITIONS[1], 5, |p| {
                *p = Parameters::classical();
                p.root_order.kept = kept;
            });
            let sum = |part: fn(&RootMove) -> u64| s.root_moves.iter().map(part).sum::<u64>();
            (sum(|m| m.weight), sum(|m| m.effort))
        };
        let [all, half, none] = [100, 50, 0].map(spent);
        assert_eq!(all.0, all.1, "nothing decays");
        assert!(half.0 < half.1 && none.0 < none.1, "{half:?} {none:?}");
        assert!(none.0 * half.1 < half.0 * none.1, "the last iteration alone is less: {half:?} {none:?}");
    }

    #[test]
    fn the_first_iteration_can_begin_with_the_order_of_quiescence() {
        // Only one move does not lose the queen or leave a piece: the capture, which is not generated first by accident.
        let fen = "6k1/pp3ppp/8/3q4/8/2N5/PP3PPP/6K1 w - - 0 1";
        let game = testing::game(fen);
        let mut s = testing::searcher(Parameters::default());
        s.begin(&game, &Limits::default(), Clock::unlimited());
        s.root_moves.reverse();
        s.evaluator.begin(game.position());
        let n = s.facts(game.position(), testing::place(Window::FULL, 1, 0, NodeType::Pv));
        let before = s.root_moves.len();
        s.order_by_quiescence(&n).expect("nothing stops it");
        assert_eq!((s.root_moves[0].mv, s.root_moves.len()), (game.parse_uci("c3d5").expect("legal"), before));
    }

    #[test]
    fn moves_that_raise_alpha_are_counted_for_those_that_come_later() {
        let mut rose = 0;
        for fen in POSITIONS {
            let game = testing::game(fen);
            let mut s = testing::searcher(Parameters::default());
            s.begin(&game, &Limits::default(), Clock::unlimited());
            s.evaluator.begin(game.position());
            s.root_depth = Depth::plies(3);
            // The worst first, so that alpha is raised now and then.
            s.root_moves.reverse();
            let mut n = s.facts(game.position(), testing::place(Window::FULL, 3, 0, NodeType::Pv));
            let (mut rises, moves) = (0, s.root_moves.len());
            for index in 0..moves {
                let alpha = n.window.alpha;
                let done = s.root_move(&mut n, 0, index, &mut |_| ControlFlow::Continue(()));
                assert!(!done.expect("nothing stops it"), "the window has no upper end");
                rises += i32::from(n.window.alpha > alpha);
                assert_eq!(n.raised, rises, "{fen}, move {index}");
            }
            assert!(rises < moves as i32, "{fen}: {rises} of {moves}");
            rose = rose.max(rises);
        }
        assert!(rose > 1, "alpha is raised again by a later move somewhere");
    }

    #[test]
    fn the_value_of_some_moves_is_not_stored_as_that_of_the_position() {
        let game = testing::game("4k3/1p6/p1p5/3q4/8/3P4/1P6/Q3K2R w K - 0 1");
        for (requested, is_stored) in [(&["a1a6"][..], false), (&[], true)] {
            let mut s = testing::searcher(Parameters::default());
            let search_moves = requested.iter().map(|mv| game.parse_uci(mv).expect("legal")).collect();
            testing::search(&mut s, &game, &Limits { search_moves, ..Limits::depth(4) });
            assert_eq!(s.probe_table(game.position().key(), Ply::ROOT).is_some(), is_stored, "{requested:?}");
        }
    }

    #[test]
    fn values_of_an_earlier_window_never_head_the_list() {
        for fen in POSITIONS {
            let game = testing::game(fen);
            let mut s = testing::searcher(Parameters::default());
            s.begin(&game, &Limits::default(), Clock::unlimited());
            s.root_depth = Depth::plies(4);
            let mut search = |window: Window, from: usize| {
                let budget = Budget::even(Depth::plies(4));
                let value = s.root(game.position(), window, budget, from, &mut |_| ControlFlow::Continue(()));
                s.sort_root(from);
                (value.expect("nothing stops it"), s.root_moves[from].clone(), s.root_moves[from + 1].score)
            };
            let (value, ..) = search(Window::FULL, 0);
            let above = Window::new(value + Score(60), value + Score(200));
            let below = Window::new(value - Score(400), value - Score(300));
            for (window, from) in [(above, 0), (Window::FULL, 0), (below, 0), (above, 0), (Window::FULL, 1), (above, 1)]
            {
                let (value, head, next) = search(window, from);
                assert_eq!(head.score, value, "{fen}, {window:?}, from {from}");
                assert_eq!(head.bound, window.bound(value), "{fen}, {window:?}, from {from}");
                assert!(next < value, "{fen}, {window:?}, from {from}: {next:?} is not below {value:?}");
            }
        }
    }

    #[test]
    fn moves_that_a_window_did_not_come_to_lose_their_values() {
        let game = testing::game(POSITIONS[0]);
        let mut s = testing::searcher(Parameters::default());
        s.begin(&game, &Limits::default(), Clock::unlimited());
        let (old, none) = (Score(40), -Score::INFINITE);
        s.root_moves.iter_mut().for_each(|m| m.score = old);
        s.settle_root(Window::new(Score(0), Score(30)), old, 0, 2);
        let scores: Vec<Score> = s.root_moves.iter().map(|m| m.score).collect();
        assert!(scores[..2].iter().all(|&score| score == old), "{scores:?}");
        assert!(scores[2..].iter().all(|&score| score == none), "{scores:?}");
        let all = s.root_moves.len();
        s.settle_root(Window::new(Score(50), Score(60)), Score(45), 0, all);
        assert_eq!(s.root_moves[0].score, Score(45), "all failed low: the first carries what bounds them all");
    }
}
