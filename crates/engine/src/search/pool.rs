//! The [`Engine`]: search threads with one shared table (lazy SMP), and [`Control`], which stops a search.

use super::Searcher;
use super::root::Listener;
use crate::clock::{Allotment, Clock, Delays, Limits, Turn};
use crate::params::Parameters;
use crate::position::{Game, Position};
use crate::report::{SearchOutcome, SearchReport};
use crate::score::{Bound, Ply, Score};
use crate::table::{Table, TableError};
use crate::tablebase::Tablebase;
use shakmaty::Move;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;
use thiserror::Error;

/// Stack of a search thread (bytes). A line takes several kilobytes per ply, and far more than the usual 2 MiB if the
/// search has an observer.
pub const STACK: usize = 64 << 20;

/// Table size of a new engine (MiB).
pub const TABLE_DEFAULT: usize = 16;

/// Counters that all threads of a search add to.
#[derive(Default, Debug)]
pub(crate) struct SharedCounters {
    nodes: AtomicU64,
    pub tbhits: AtomicU64,
}

impl SharedCounters {
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    pub fn add_nodes(&self, more: u64) {
        self.nodes.fetch_add(more, Relaxed);
    }

    fn reset(&self) {
        self.nodes.store(0, Relaxed);
        self.tbhits.store(0, Relaxed);
    }
}

#[derive(Default, Debug)]
struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    ponder_hit: AtomicBool,
    /// The control of the enclosing work.
    parent: Option<Control>,
    /// Flags of other code; each of them stops the search.
    flags: Vec<Arc<AtomicBool>>,
}

/// Stops a search, or signals a ponder hit, from any thread. Clones control the same search.
#[derive(Clone, Default, Debug)]
pub struct Control(Arc<Signals>);

impl Control {
    /// A control for one search; `pondering` searches have no time limit until [`Control::ponder_hit`].
    pub fn new(pondering: bool) -> Control {
        let control = Control::default();
        control.0.pondering.store(pondering, Relaxed);
        control
    }

    /// A control for one of several searches. Stopping `self` stops it; stopping it, for example at a mate, does not
    /// stop the others.
    pub fn child(&self) -> Control {
        Control(Arc::new(Signals { parent: Some(self.clone()), ..Signals::default() }))
    }

    /// A control that is also stopped by any of these flags.
    pub fn with_stop_flags(flags: &[Arc<AtomicBool>]) -> Control {
        Control(Arc::new(Signals { flags: flags.to_vec(), ..Signals::default() }))
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }

    /// Returns true if [`Control::stop`] was called for this control or its parent, or if a stop flag is set.
    pub fn stopped(&self) -> bool {
        // Everything that can be stopped calls this, also while no clock runs.
        #[cfg(target_arch = "wasm32")]
        crate::clock::hosted::during_search();
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Relaxed);
        self.0.stop.load(Relaxed)
            || self.0.parent.as_ref().is_some_and(Control::stopped)
            || self.0.flags.iter().any(is_set)
    }

    /// Signals that the opponent has played the expected move: the time of the search begins now.
    pub fn ponder_hit(&self) {
        self.0.ponder_hit.store(true, Relaxed);
        self.0.pondering.store(false, Relaxed);
    }

    /// Returns true until the ponder hit of a pondering search.
    pub fn pondering(&self) -> bool {
        self.0.pondering.load(Relaxed)
    }

    pub(crate) fn take_ponder_hit(&self) -> bool {
        self.0.ponder_hit.load(Relaxed) && self.0.ponder_hit.swap(false, Relaxed)
    }
}

/// A search ran with fewer threads than requested, because the system could not start them all.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("cannot start {requested} threads: {started} could be started ({reason}); set Threads to {started}")]
pub struct ThreadShortage {
    /// Number of threads that searched.
    pub started: usize,
    /// Number of requested threads.
    pub requested: usize,
    /// The system's reason.
    pub reason: String,
}

/// A chess engine: parameters, table, and one or more search threads.
pub struct Engine {
    table: Arc<Table>,
    /// Number of search threads.
    threads: usize,
    /// Those that have searched since the last new game, the first always. The others are made by their own threads when they are needed:
    /// the tables of many take longer to fill than a GUI waits for `readyok`.
    searchers: Vec<Searcher<()>>,
    shared: Arc<SharedCounters>,
    delays: Delays,
    /// Makes the builder of a helper's thread.
    helper_thread: fn() -> Builder,
    /// A shortage of threads that was not returned yet.
    shortage: Option<ThreadShortage>,
    /// True if a shortage was found since the number of threads was set.
    shortage_found: bool,
}

impl Engine {
    /// An engine with one thread and a small table.
    ///
    /// # Panics
    /// If [`TABLE_DEFAULT`] MiB cannot be allocated.
    pub fn new(parameters: Parameters) -> Engine {
        let table = Arc::new(Table::new(TABLE_DEFAULT).expect("memory for the smallest table"));
        let searchers = vec![Searcher::new(parameters, Arc::clone(&table))];
        Engine {
            table,
            threads: 1,
            searchers,
            shared: Arc::default(),
            delays: Delays::default(),
            helper_thread: || Builder::new().stack_size(STACK),
            shortage: None,
            shortage_found: false,
        }
    }

    /// The parameters in force.
    pub fn parameters(&self) -> &Parameters {
        self.searchers[0].params()
    }

    /// Replaces the parameters. Clears the table if stored evaluations become invalid.
    pub fn set_parameters(&mut self, parameters: Parameters) {
        let mut stale = false;
        for searcher in &mut self.searchers {
            stale |= searcher.set_parameters(parameters.clone());
        }
        if stale {
            self.clear_table();
        }
    }

    /// Table size in MiB.
    pub fn table_size(&self) -> usize {
        self.table.mebibytes()
    }

    /// Replaces the table by an empty one of this size.
    ///
    /// # Errors
    /// [`TableError`] if it cannot be allocated; the old table stays.
    pub fn resize(&mut self, mebibytes: usize) -> Result<(), TableError> {
        let table = Arc::new(Table::new(mebibytes)?);
        for searcher in &mut self.searchers {
            searcher.table = Arc::clone(&table);
        }
        self.table = table;
        Ok(())
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Sets the number of threads of later searches; 0 counts as 1.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
        self.searchers.truncate(self.threads);
        self.shortage_found = false;
    }

    /// Returns, once, the first shortage of threads since [`Engine::set_threads`].
    pub fn take_shortage(&mut self) -> Option<ThreadShortage> {
        self.shortage.take()
    }

    /// Sets the endgame tablebases; `None` removes them.
    pub fn set_tablebase(&mut self, tablebase: Option<Arc<Tablebase>>) {
        for searcher in &mut self.searchers {
            searcher.tablebase = tablebase.clone();
        }
    }

    /// Clears the table, histories and corrections.
    pub fn new_game(&mut self) {
        self.clear_table();
        self.searchers.truncate(1); // new helpers have empty histories, and their threads allocate them in parallel
        self.searchers[0].new_game();
    }

    /// Clears the table, using all threads.
    pub fn clear_table(&mut self) {
        self.table.clear(self.threads);
    }

    /// Makes the system allocate the memory of a new table, using all threads, so that the first search does not wait
    /// for it. Returns true if pages were touched.
    pub fn touch_table(&mut self) -> bool {
        self.table.touch(self.threads)
    }

    /// The table move of the position after this legal move, if there is one.
    pub fn expected_reply(&self, position: &Position, mv: Move) -> Option<Move> {
        let after = position.play(mv);
        let entry = self.table.probe(after.key(), Ply::ROOT)?;
        after.unpack(entry.mv)
    }

    /// The time that a search with these limits may take, if it is limited.
    pub fn allotment(&self, limits: &Limits, turn: Turn) -> Option<Allotment> {
        limits.allot(&self.parameters().clock, turn, self.delays)
    }

    /// Records a delay outside the search, which increases the reserve of later searches.
    pub fn note_delay(&mut self, delay: Duration) {
        let p = self.parameters().clock;
        self.delays.note(&p, delay);
    }

    /// The static evaluation for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        self.searchers[0].evaluate(position)
    }

    /// Searches until a limit is reached. Without limits it cannot be stopped.
    pub fn search_within(&mut self, game: &Game, limits: &Limits) -> SearchOutcome {
        self.search(game, limits, &Control::default(), &mut |_| ControlFlow::Continue(()))
    }

    /// Searches until a limit is reached, the listener returns `Break` or `control` stops the search.
    ///
    /// An infinite or pondering search may return before it is stopped: the caller must then withhold its best move.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        listener: &mut Listener<'_>,
    ) -> SearchOutcome {
        self.table.new_search();
        self.shared.reset();
        let clock = Clock::start(limits, &self.parameters().clock, Turn::of(game.position()), self.delays);
        for (thread, searcher) in self.searchers.iter_mut().enumerate() {
            searcher.join_search(thread, control.clone(), Arc::clone(&self.shared));
        }
        let threads = if limits.single_thread { 1 } else { self.threads };
        let missing = self.searchers.len()..threads;
        let (first, helpers) = self.searchers.split_first_mut().expect("an engine has a thread");
        let helpers = if limits.single_thread { &mut [] } else { helpers };
        let (parameters, tablebase) = (first.params().clone(), first.tablebase.clone());
        let new_helper = |thread| {
            let mut helper = Searcher::new(parameters.clone(), Arc::clone(&self.table));
            helper.tablebase = tablebase.clone();
            helper.join_search(thread, control.clone(), Arc::clone(&self.shared));
            helper
        };
        let limits_of_helpers = Limits { lines: 1, depth: None, ..limits.clone() };
        let help = |helper: &mut Searcher<()>| {
            helper.think(game, &limits_of_helpers, clock, &mut |_| ControlFlow::Continue(()))
        };
        let (main, others, made, refusal) = std::thread::scope(|scope| {
            // Made before the first thread is started: a helper ends only if it is stopped.
            let stop = (threads > 1).then(|| StopHelpers(control));
            let (help, new_helper) = (&help, &new_helper);
            let mut starter = Starter { scope, thread: self.helper_thread, refusal: None };
            let old = starter.start(helpers.iter_mut().map(|helper| move || help(helper)));
            let new = starter.start(missing.map(|thread| {
                move || {
                    let mut helper = new_helper(thread);
                    (help(&mut helper), helper)
                }
            }));
            let main = first.think(game, limits, clock, listener);
            drop(stop);
            let mut others: Vec<SearchOutcome> = old.into_iter().filter_map(|h| h.join().ok()).collect();
            let (outcomes, made): (Vec<_>, Vec<_>) = new.into_iter().filter_map(|h| h.join().ok()).unzip();
            others.extend(outcomes);
            (main, others, made, starter.refusal)
        });
        self.searchers.extend(made);
        if let Some(refusal) = refusal {
            self.note_shortage(others.len() + 1, &refusal);
        }
        let total = self.shared.nodes();
        self.note_delay(self.searchers[0].clock.delay());
        let mut chosen = if limits.lines <= 1 { vote(main, others) } else { main };
        chosen.nodes = total;
        chosen
    }

    /// Keeps the first shortage since the number of threads was set.
    fn note_shortage(&mut self, started: usize, refusal: &io::Error) {
        if !self.shortage_found {
            self.shortage_found = true;
            self.shortage = Some(ThreadShortage { started, requested: self.threads, reason: refusal.to_string() });
        }
    }
}

/// Starts helpers until the system refuses a thread.
struct Starter<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    thread: fn() -> Builder,
    refusal: Option<io::Error>,
}

impl<'scope> Starter<'scope, '_> {
    /// Starts a thread for each search, as long as there are threads.
    fn start<T: Send + 'scope, F: FnOnce() -> T + Send + 'scope>(
        &mut self,
        searches: impl Iterator<Item = F>,
    ) -> Vec<ScopedJoinHandle<'scope, T>> {
        let mut started = Vec::new();
        for search in searches {
            match (self.thread)().spawn_scoped(self.scope, search) {
                Ok(handle) => started.push(handle),
                Err(error) => {
                    self.refusal = Some(error);
                    break;
                }
            }
        }
        started
    }
}

/// Stops the other threads when the first has finished, even if it panics: helpers have no limits, and the scope waits for them.
struct StopHelpers<'a>(&'a Control);

impl Drop for StopHelpers<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The threads vote for the move: each votes for its best move, with a weight that grows with depth and score. Ties go to the first. Of the
/// outcomes with that move, one with an exact value is preferred to one with a bound. Its reports get the largest counts and time of all.
fn vote(main: SearchOutcome, others: Vec<SearchOutcome>) -> SearchOutcome {
    const MARGIN: i32 = 14;
    let mut all = vec![main];
    all.extend(others.into_iter().filter(|o| o.best.is_some() && o.report.depth > 0));
    let lowest = all.iter().map(|o| o.report.score.0).min().unwrap_or(0);
    let weight = |o: &SearchOutcome| i64::from(o.report.score.0 - lowest + MARGIN) * i64::from(o.report.depth);
    let votes = |o: &SearchOutcome| all.iter().filter(|other| other.best == o.best).map(weight).sum::<i64>();
    let rank = |o: &SearchOutcome| (o.report.bound == Bound::Exact, weight(o));
    let mut chosen = 0;
    for index in 1..all.len() {
        let (best, candidate) = (&all[chosen], &all[index]);
        let better = if best.report.score.is_won() || candidate.report.score.is_won() {
            candidate.report.score > best.report.score
        } else {
            votes(candidate) > votes(best) || (candidate.best == best.best && rank(candidate) > rank(best))
        };
        if better {
            chosen = index;
        }
    }
    if chosen == 0 {
        return all.swap_remove(chosen);
    }
    // This thread may have ended before the first one wrote its last line.
    let most = |of: fn(&SearchReport) -> u64| all.iter().map(|o| of(&o.report)).max().unwrap_or(0);
    let (nodes, tbhits) = (most(|report| report.nodes), most(|report| report.tbhits));
    let time = all.iter().map(|o| o.report.time).max().unwrap_or_default();
    let mut elected = all.swap_remove(chosen);
    for report in elected.lines.iter_mut().chain([&mut elected.report]) {
        (report.nodes, report.tbhits, report.time) = (nodes, tbhits, time);
    }
    elected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::pack;
    use crate::table::Entry;
    use crate::testing;

    fn search(engine: &mut Engine, limits: &Limits) -> SearchOutcome {
        engine.search_within(&Game::new(), limits)
    }

    #[test]
    fn a_flag_of_others_stops_a_search() {
        let flags = [Arc::default(), Arc::default()];
        let control = Control::with_stop_flags(&flags);
        assert!(!control.stopped());
        flags[1].store(true, Relaxed);
        assert!(control.stopped() && !Control::default().stopped());
    }

    #[test]
    fn a_child_stops_with_its_parent_and_not_the_parent_with_its_child() {
        let parent = Control::default();
        let (first, second) = (parent.child(), parent.child());
        first.stop();
        assert_eq!((first.stopped(), second.stopped(), parent.stopped()), (true, false, false));
        parent.stop();
        assert!(second.stopped());
    }

    /// `isready` waited for more than a second where `Threads` was set to 64: every thread's tables were made at once, and again for a
    /// new game.
    #[test]
    fn many_threads_cost_nothing_before_they_search() {
        let mut engine = Engine::new(Parameters::default());
        engine.set_threads(64);
        engine.new_game();
        assert_eq!((engine.threads(), engine.searchers.len()), (64, 1));
        engine.set_threads(3);
        assert!(search(&mut engine, &Limits::nodes(3000)).best.is_some());
        assert_eq!(engine.searchers.len(), 3, "they are kept for the next search");
        assert!(search(&mut engine, &Limits::nodes(3000)).best.is_some());
        engine.set_threads(2);
        assert_eq!((engine.threads(), engine.searchers.len()), (2, 2));
        engine.new_game();
        assert_eq!((engine.threads(), engine.searchers.len()), (2, 1), "a new game forgets what helpers learnt");
    }

    /// The program panicked, and the helpers that had been started never ended.
    #[test]
    fn a_search_continues_with_the_threads_that_can_be_started() {
        let mut engine = Engine::new(Parameters::default());
        let search = |engine: &mut Engine| {
            assert!(search(engine, &Limits::nodes(500)).best.is_some());
            (engine.searchers.len(), engine.take_shortage())
        };
        engine.set_threads(2);
        assert_eq!(search(&mut engine), (2, None));
        engine.helper_thread = testing::impossible_thread;
        engine.set_threads(4);
        let (searchers, shortage) = search(&mut engine);
        let shortage = shortage.expect("no helper can be started");
        assert_eq!((searchers, shortage.started, shortage.requested), (2, 1, 4));
        let message = shortage.to_string();
        assert!(message.starts_with("cannot start 4 threads: 1 could be started ("), "{message}");
        assert!(message.ends_with("); set Threads to 1"), "{message}");
        assert_eq!(search(&mut engine).1, None, "there is one message for each number of threads");
        engine.set_threads(3);
        assert!(search(&mut engine).1.is_some());
    }

    #[test]
    fn the_expected_reply_is_the_legal_move_of_the_table() {
        let engine = Engine::new(Parameters::default());
        let game = testing::game("7k/8/8/8/8/8/7P/KB6 w - - 0 1");
        let mv = |game: &Game, uci: &str| game.parse_uci(uci).expect(uci);
        let best = mv(&game, "h2h4");
        assert_eq!(engine.expected_reply(game.position(), best), None, "nothing was stored");
        let mut after = game.clone();
        after.play(best);
        for (stored, expected) in [
            (pack(mv(&after, "h8g7")), Some(mv(&after, "h8g7"))),
            (pack(mv(&game, "b1a2")), None),
            (crate::position::NO_MOVE, None),
        ] {
            engine.table.clear(1);
            let entry = testing::entry(Score(20), Bound::Exact, crate::score::Depth::ONE_PLY);
            engine.table.store(after.position().key(), Ply::ROOT, Entry { mv: stored, ..entry });
            assert_eq!(engine.expected_reply(game.position(), best), expected);
        }
    }

    /// The result of a thread: move, score, bound, and depth (plies).
    fn outcome(uci: &str, score: i32, bound: Bound, depth: u32) -> SearchOutcome {
        let best = Game::new().parse_uci(uci).expect(uci);
        let report = testing::report(best, Score(score), bound, depth);
        let lines = vec![report.clone()];
        SearchOutcome { best: Some(best), ponder: None, report, lines, nodes: 1, time: Duration::ZERO }
    }

    /// The last line before `bestmove` had a bound although another thread had the exact value of that move.
    #[test]
    fn of_outcomes_with_the_elected_move_an_exact_one_is_preferred() {
        use Bound::{Exact, Lower};
        let elected = |main, others| {
            let SearchReport { score, bound, depth, .. } = vote(main, others).report;
            (score.0, bound, depth)
        };
        let exact = || outcome("e2e4", 20, Exact, 8);
        let bound = || outcome("e2e4", 30, Lower, 9);
        assert_eq!(elected(exact(), vec![bound()]), (20, Exact, 8));
        assert_eq!(elected(bound(), vec![exact()]), (20, Exact, 8));
        assert_eq!(elected(exact(), vec![outcome("e2e4", 25, Exact, 9), bound()]), (25, Exact, 9), "the heavier one");
        assert_eq!(elected(outcome("e2e4", 20, Lower, 8), vec![bound()]), (30, Lower, 9), "if there is no exact one");
        let others = vec![outcome("d2d4", 40, Lower, 12), outcome("d2d4", 41, Lower, 12)];
        assert_eq!(elected(exact(), others), (41, Lower, 12), "the move is elected as before");
    }

    /// Nodes and time of the last line could be below those of the line before.
    #[test]
    fn the_elected_thread_reports_the_nodes_and_the_time_of_all() {
        let at = |nodes: u64, outcome: SearchOutcome| {
            let report = SearchReport { nodes, time: Duration::from_millis(nodes), ..outcome.report };
            SearchOutcome { lines: vec![report.clone()], report, ..outcome }
        };
        let main = at(50, outcome("e2e4", 20, Bound::Exact, 8));
        let elected = vote(main, vec![at(40, outcome("e2e4", 25, Bound::Exact, 9))]);
        let told = |report: &SearchReport| (report.depth, report.nodes, report.time);
        assert_eq!(told(&elected.report), (9, 50, Duration::from_millis(50)));
        assert_eq!(told(&elected.lines[0]), told(&elected.report));
    }

    #[test]
    fn another_network_finds_an_empty_table() {
        let network = |seed| crate::network::tests::random_choice(32, 1, seed);
        let with = |seed| Parameters { eval_file: network(seed), ..Parameters::default() };
        let mut engine = Engine::new(with(1));
        let known = |engine: &Engine| engine.table.probe(Game::new().position().key(), Ply::ROOT).is_some();
        search(&mut engine, &Limits::nodes(3000));
        engine.set_parameters(with(1));
        assert!(known(&engine), "the same network");
        engine.set_parameters(with(2));
        assert!(!known(&engine));
        search(&mut engine, &Limits::nodes(3000));
        assert!(known(&engine));
        engine.set_parameters(Parameters::default());
        assert!(!known(&engine));
    }
}
