//! Iterative deepening: budgets that grow, aspiration windows around the last value, reports, and the decision to stop.

use super::aspiration::Aspiration;
use super::pool::{Control, SharedCounters};
use super::root::{Listener, RootMove};
use super::watch::{self, Detail, Iteration, Mode, Watched};
use super::{Searcher, Stopped};
use crate::budget::Budget;
use crate::clock::{Clock, Delays, Limits, SearchStability, Turn};
use crate::node::Frame;
use crate::position::{Game, Position};
use crate::report::{ProgressEvent, SearchOutcome, SearchReport};
use crate::rules::sex;
use crate::score::{Bound, Depth, MAX_PLY, Ply, Score};
use crate::see;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

fn whole_plies(depth: Depth) -> u32 {
    depth.whole().max(0) as u32
}

/// Units of effort.
const PERCENT: u64 = 100;
const PERMILLE: u64 = 1000;

/// How the best move and its value went over the iterations.
#[derive(Default)]
struct IterationHistory {
    stable: u32,
    scores: Vec<Score>,
    last_best: Option<shakmaty::Move>,
}

impl IterationHistory {
    fn note(&mut self, best: shakmaty::Move, score: Score) {
        self.stable = if self.last_best == Some(best) { self.stable + 1 } else { 0 };
        self.last_best = Some(best);
        self.scores.push(score);
    }

    /// How far the value fell over the last three iterations.
    fn fall(&self) -> Score {
        const BACK: usize = 3;
        match (self.scores.last(), self.scores.len().checked_sub(1 + BACK)) {
            (Some(&now), Some(then)) => self.scores[then] - now,
            _ => Score::ZERO,
        }
    }
}

impl<M: Mode> Searcher<M> {
    /// Thinks about `game` until a limit is reached, the listener breaks, or the control stops it.
    ///
    /// With one thread and a node or depth limit the result is the same every time.
    pub(crate) fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        clock: Clock,
        listener: &mut Listener<'_>,
    ) -> SearchOutcome {
        self.begin(game, limits, clock);
        if self.root_moves.is_empty() {
            let score = if game.position().in_check() { Score::mated_in(Ply::ROOT) } else { Score::DRAW };
            return self.outcome(vec![self.report(1, score, Bound::Exact, Vec::new())]);
        }
        let mut lines = self.reports(limits);
        let mut history = IterationHistory::default();
        let mut consultation = self.consult(limits);
        while let Some(()) = self.next_voter(&mut consultation) {
            let Some(budget) = self.next_budget(limits) else {
                consultation.finish();
                continue;
            };
            self.root_depth = budget;
            self.root_share = self.share_of_best(PERCENT) as i32;
            let position = consultation.position(game.position());
            let stopped = self.iteration(&position, limits, listener).is_err();
            self.count_voter_nodes(&mut consultation);
            if stopped {
                if consultation.active_is_chosen() {
                    lines = self.reports(limits);
                }
                break;
            }
            lines = self.reports(limits);
            lines[0] = consultation.record(lines[0].clone());
            self.muted = false;
            self.announce_first(&lines, listener);
            history.note(lines[0].line[0], lines[0].score);
            self.report_progress(listener, &ProgressEvent::Iteration(&lines));
            if self.finished(limits, &history, lines[0].score) || self.check_limits().is_err() {
                break;
            }
        }
        self.end_consultation(consultation);
        self.publish();
        self.announce_first(&lines, listener);
        self.outcome(lines)
    }

    pub(crate) fn begin(&mut self, game: &Game, limits: &Limits, clock: Clock) {
        self.keys.clear();
        self.keys.extend_from_slice(game.keys());
        self.frames.fill(Frame::default());
        self.nodes = 0;
        self.published = 0;
        self.other_voter_nodes = 0;
        (self.voter, self.muted) = (0, false);
        self.seldepth = 0;
        self.announced = None;
        self.stop_seen = false;
        self.node_limit = limits.nodes.unwrap_or(u64::MAX);
        (self.clock, self.settled) = (clock, SearchStability::default());
        if !self.control.pondering() {
            self.limit_by_clock();
        }
        self.root_depth = Depth::ZERO;
        self.null_from = Ply::ROOT;
        self.root_keys = self.keys.len();
        (self.root_balance, self.root_share) = (see::balance(game.position()), 0);
        self.root_class = sex::root_class(&self.params().sex, game.position().turn());
        self.begin_audits();
        self.begin_script();
        self.prepare_root(game, limits);
        if let Some(extras) = &mut self.orders.extras {
            extras.begin();
        }
    }

    /// If nodes replace time, the clock limits them.
    pub(super) fn limit_by_clock(&mut self) {
        self.node_limit = self.node_limit.min(self.clock.last_node().unwrap_or(u64::MAX));
    }

    /// The share of all nodes so far that the best move took, of `whole`.
    fn share_of_best(&self, whole: u64) -> u64 {
        let effort = self.root_moves.first().map_or(0, |best| best.effort);
        (effort * whole).checked_div(self.nodes - self.other_voter_nodes).unwrap_or(0).min(whole)
    }

    /// The budget of the next iteration, or `None` past the depth limit.
    pub(super) fn next_budget(&self, limits: &Limits) -> Option<Depth> {
        let next = (self.root_depth + Depth(self.params().budget.increment)).max(Depth::ONE_PLY);
        let deepest = limits.depth.map_or(MAX_PLY as i32 - 1, |d| (d as i32).min(MAX_PLY as i32 - 1)).max(1);
        (next.whole() <= deepest).then_some(next)
    }

    /// Depth of the running iteration in whole plies.
    pub(crate) fn nominal_depth(&self) -> u32 {
        whole_plies(self.root_depth)
    }

    /// Announces the first line's move as best, if it is new.
    fn announce_first(&mut self, lines: &[SearchReport], listener: &mut Listener<'_>) {
        let SearchReport { line, score, .. } = &lines[0];
        if let Some(&best) = line.first() {
            self.announce(best, *score, listener);
        }
    }

    /// One iteration: every wanted line with its aspiration windows.
    pub(super) fn iteration(
        &mut self,
        position: &Position,
        limits: &Limits,
        listener: &mut Listener<'_>,
    ) -> Result<(), Stopped> {
        self.seldepth = 0;
        if let Some(extras) = &mut self.orders.extras {
            extras.iterate();
        }
        for root_move in &mut self.root_moves {
            root_move.previous = root_move.score;
            root_move.score = -Score::INFINITE;
            root_move.weight = self.orders.weights.root_order.decayed(root_move.weight);
        }
        let lines = limits.lines.clamp(1, self.root_moves.len());
        for from in 0..lines {
            if let Err(stopped) = self.line(position, from, listener) {
                self.order_after_stop(from);
                return Err(stopped);
            }
            if from == 0 && self.root_moves[0].is_valued() {
                let RootMove { mv, score, bound, .. } = self.root_moves[0];
                self.announce(mv, self.reported(0, score, bound).0, listener);
            }
        }
        self.sort_root(0);
        for (place, root_move) in self.root_moves.iter_mut().enumerate() {
            root_move.place = place;
        }
        Ok(())
    }

    /// Finds the value of the best move from number `from` on.
    fn line(&mut self, position: &Position, from: usize, listener: &mut Listener<'_>) -> Result<(), Stopped> {
        let p = self.params().aspiration;
        let mut attempt = 0;
        let mut aspiration = Aspiration::start(&p, self.root_depth, self.root_moves[from].previous);
        loop {
            self.keys.truncate(self.root_keys);
            self.begin_script();
            self.evaluator.begin(position);
            let depth = (self.root_depth - aspiration.reduction).max(Depth::ONE_PLY);
            if self.emits(Detail::Nodes) {
                let (depth, voter, reduction) = (self.root_depth, self.voter, aspiration.reduction);
                let iteration = Iteration { depth, line: from, voter, attempt, reduction };
                self.mode.emit(watch::SearchEvent::Iterated(iteration));
                attempt += 1;
            }
            let score = self.root(position, aspiration.window, Budget::even(depth), from, listener)?;
            self.sort_root(from);
            debug_assert_eq!(self.root_moves[from].score, score, "the head of the list carries the value returned");
            self.record_found(from);
            if !aspiration.widen(&p, score) {
                return Ok(());
            }
            self.report_bound(from, listener);
        }
    }

    /// Reports a value outside the window, if the search has taken long enough.
    fn report_bound(&mut self, from: usize, listener: &mut Listener<'_>) {
        const QUIET_NODES: u64 = 2_000_000;
        if self.thread == 0 && !self.muted && self.nodes > QUIET_NODES {
            let m = &self.root_moves[from];
            let (score, bound) = self.reported(from, m.score, m.bound);
            if bound != Bound::Exact {
                let report = self.report(from + 1, score, bound, m.line.clone());
                self.report_progress(listener, &ProgressEvent::Bound(&report));
            }
        }
    }

    /// One report for each requested line, best first.
    fn reports(&self, limits: &Limits) -> Vec<SearchReport> {
        let report = |(index, root_move): (usize, &RootMove)| {
            let found = &root_move.found;
            let (score, bound) = self.reported(index, found.score, found.bound);
            SearchReport {
                depth: whole_plies(found.depth),
                seldepth: found.seldepth.into(),
                table: root_move.rank.map(|rank| rank.wdl),
                ..self.report(index + 1, score, bound, found.line.clone())
            }
        };
        self.root_moves.iter().take(limits.lines.max(1)).enumerate().map(report).collect()
    }

    fn report(&self, number: usize, score: Score, bound: Bound, line: Vec<shakmaty::Move>) -> SearchReport {
        SearchReport {
            depth: self.nominal_depth(),
            seldepth: u32::from(self.seldepth),
            number,
            score,
            bound,
            nodes: self.all_nodes(),
            time: self.clock.total(self.all_nodes()),
            hashfull: self.table.hashfull(),
            tbhits: self.shared.tbhits.load(Relaxed),
            table: None,
            line,
        }
    }

    /// Returns true if another iteration is pointless.
    fn finished(&mut self, limits: &Limits, history: &IterationHistory, score: Score) -> bool {
        if self.thread != 0 {
            return false;
        }
        if let (Some(limit), Some(found)) = (limits.mate, score.mate_moves())
            && found.unsigned_abs() <= limit
        {
            return true;
        }
        if limits.soft_nodes.is_some_and(|most| self.all_nodes() >= most) {
            return true;
        }
        let effort = self.share_of_best(PERMILLE) as u32;
        // Not before a reply is known on which to ponder.
        let only_move = self.class_end(0) == 1 && self.root_moves[0].line.len() > 1;
        self.settled = SearchStability { stable: history.stable, fall: history.fall(), effort, only_move };
        !self.control.pondering() && self.clock.enough(&self.params().clock, self.settled, self.all_nodes())
    }

    /// The outcome of a search with these lines (at least one).
    fn outcome(&self, lines: Vec<SearchReport>) -> SearchOutcome {
        let report = lines[0].clone();
        SearchOutcome {
            best: report.line.first().copied(),
            ponder: report.line.get(1).copied(),
            nodes: self.all_nodes(),
            time: self.clock.total(self.all_nodes()),
            report,
            lines,
        }
    }
}

impl<M: Mode> Searcher<M> {
    /// Makes the searcher a thread of a search: thread 0 decides, calls the listener and checks the clock.
    pub(crate) fn join_search(&mut self, thread: usize, control: Control, shared: Arc<SharedCounters>) {
        self.thread = thread;
        self.control = control;
        self.shared = shared;
    }
}

macro_rules! search_alone {
    ($($mode:ty)*) => {
        $(impl Searcher<$mode> {
            /// A search by this thread alone. Not generic, so that other crates do not compile the search once more.
            pub fn search_alone(
                &mut self,
                game: &Game,
                limits: &Limits,
                control: &Control,
                listener: &mut Listener<'_>,
            ) -> SearchOutcome {
                self.join_search(0, control.clone(), Arc::default());
                self.table.new_search();
                let clock = Clock::start(limits, &self.params().clock, Turn::of(game.position()), Delays::default());
                self.think(game, limits, clock, listener)
            }

            /// Searches with this thread alone until a limit is reached. Without limits it cannot be stopped.
            pub fn search_within(&mut self, game: &Game, limits: &Limits) -> SearchOutcome {
                self.search_alone(game, limits, &Control::default(), &mut |_| ControlFlow::Continue(()))
            }
        })*
    };
}

search_alone! { () Watched<'_> }
