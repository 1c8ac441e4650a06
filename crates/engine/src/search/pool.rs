//! The engine as its users see it: search threads over one shared table (lazy SMP), and the signals that control them.

use super::Searcher;
use super::root::Listener;
use crate::clock::{Allotment, Clock, Delays, Limits, Turn};
use crate::params::Parameters;
use crate::position::{Game, Position};
use crate::report::SearchOutcome;
use crate::score::Score;
use crate::table::{Table, TableError};
use crate::tablebase::Tablebase;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

/// Stack of a thread that searches (bytes): the deepest line takes several kilobytes a ply, and far more than the usual 2 MiB where it
/// is watched.
pub const STACK: usize = 64 << 20;

/// MiB of a new engine's table.
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
    whole: Option<Control>,
}

/// Stops a search, or tells it that the expected move was played, from any thread.
#[derive(Clone, Default, Debug)]
pub struct Control(Arc<Signals>);

impl Control {
    /// A control for one search; `pondering` searches obey no clock until [`Control::ponder_hit`].
    pub fn new(pondering: bool) -> Control {
        let control = Control::default();
        control.0.pondering.store(pondering, Relaxed);
        control
    }

    /// A control for one search of several: what stops all of them stops it, but its own end, by a mate for example, is not theirs.
    pub fn part(&self) -> Control {
        Control(Arc::new(Signals { whole: Some(self.clone()), ..Signals::default() }))
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }

    /// Returns true if [`Control::stop`] was called, for this or the enclosing control.
    pub fn stopped(&self) -> bool {
        // Whatever can be stopped asks here, also while no clock runs.
        #[cfg(target_arch = "wasm32")]
        crate::clock::hosted::during_search();
        self.0.stop.load(Relaxed) || self.0.whole.as_ref().is_some_and(Control::stopped)
    }

    /// The expected move was played: the clock starts now.
    pub fn ponder_hit(&self) {
        self.0.ponder_hit.store(true, Relaxed);
        self.0.pondering.store(false, Relaxed);
    }

    /// Returns true while pondering.
    pub fn pondering(&self) -> bool {
        self.0.pondering.load(Relaxed)
    }

    pub(crate) fn take_ponder_hit(&self) -> bool {
        self.0.ponder_hit.load(Relaxed) && self.0.ponder_hit.swap(false, Relaxed)
    }
}

/// A chess engine: parameters, table, and one or more search threads.
pub struct Engine {
    table: Arc<Table>,
    /// How many threads search.
    threads: usize,
    /// Those that have searched since the last new game, the first always. The others are made by their own threads when they are needed:
    /// the tables of many take longer to fill than a GUI waits for `readyok`.
    searchers: Vec<Searcher<()>>,
    shared: Arc<SharedCounters>,
    delays: Delays,
}

impl Engine {
    /// An engine with one thread and a small table.
    ///
    /// # Panics
    /// If the system has not even [`TABLE_DEFAULT`] MiB.
    pub fn new(parameters: Parameters) -> Engine {
        let table = Arc::new(Table::new(TABLE_DEFAULT).expect("memory for the smallest table"));
        let searchers = vec![Searcher::new(parameters, Arc::clone(&table))];
        Engine { table, threads: 1, searchers, shared: Arc::default(), delays: Delays::default() }
    }

    /// The parameters in force.
    pub fn parameters(&self) -> &Parameters {
        self.searchers[0].params()
    }

    /// Replaces the parameters. The table is emptied if its evaluations come from another style.
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

    /// Makes a new, empty table.
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

    /// Sets the number of threads of later searches, at least one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
        self.searchers.truncate(self.threads);
    }

    /// Uses endgame tablebases, or none.
    pub fn set_tablebase(&mut self, tablebase: Option<Arc<Tablebase>>) {
        for searcher in &mut self.searchers {
            searcher.tablebase = tablebase.clone();
        }
    }

    /// Forgets all games: table, histories, corrections.
    pub fn new_game(&mut self) {
        self.clear_table();
        self.searchers.truncate(1); // new helpers have empty histories, and their threads allocate them in parallel
        self.searchers[0].new_game();
    }

    /// Empties the table, with all threads at work.
    pub fn clear_table(&mut self) {
        self.table.clear(self.threads);
    }

    /// The time that a search with these limits may take, if it is limited.
    pub fn allotment(&self, limits: &Limits, turn: Turn) -> Option<Allotment> {
        limits.allot(&self.parameters().clock, turn, self.delays)
    }

    /// Notes a delay outside the search, so that more time is kept back from now on.
    pub fn note_delay(&mut self, delay: Duration) {
        let p = self.parameters().clock;
        self.delays.note(&p, delay);
    }

    /// The static evaluation for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        self.searchers[0].evaluate(position)
    }

    /// Searches; returns when a limit is reached, the listener breaks or `control` stops it.
    ///
    /// The caller withholds the best move of an infinite or pondering search that ended by itself.
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
        let missing = self.searchers.len()..self.threads;
        let (first, helpers) = self.searchers.split_first_mut().expect("an engine has a thread");
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
        let (main, others, made) = std::thread::scope(|scope| {
            let (help, new_helper) = (&help, &new_helper);
            let old: Vec<_> = helpers.iter_mut().map(|helper| spawn(scope, move || help(helper))).collect();
            let new: Vec<_> = missing
                .map(|thread| {
                    spawn(scope, move || {
                        let mut helper = new_helper(thread);
                        (help(&mut helper), helper)
                    })
                })
                .collect();
            let stop = (!old.is_empty() || !new.is_empty()).then(|| StopHelpers(control));
            let main = first.think(game, limits, clock, listener);
            drop(stop);
            let mut others: Vec<SearchOutcome> = old.into_iter().filter_map(|h| h.join().ok()).collect();
            let (outcomes, made): (Vec<_>, Vec<_>) = new.into_iter().filter_map(|h| h.join().ok()).unzip();
            others.extend(outcomes);
            (main, others, made)
        });
        self.searchers.extend(made);
        let total = self.shared.nodes();
        self.note_delay(self.searchers[0].clock.delay());
        let mut chosen = if limits.lines <= 1 { vote(main, others) } else { main };
        chosen.nodes = total;
        chosen
    }
}

/// Starts a thread that searches, as [`std::thread::Scope::spawn`] does but for its stack.
fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    search: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    Builder::new().stack_size(STACK).spawn_scoped(scope, search).expect("the system has another thread")
}

/// Stops the other threads when the first has finished, even if it panics: helpers have no limits, and the scope waits for them.
struct StopHelpers<'a>(&'a Control);

impl Drop for StopHelpers<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The threads elect the move: each votes for its own, with a weight that grows with depth and score. Ties go to the first.
fn vote(main: SearchOutcome, others: Vec<SearchOutcome>) -> SearchOutcome {
    const MARGIN: i32 = 14;
    let mut all = vec![main];
    all.extend(others.into_iter().filter(|o| o.best.is_some() && o.report.depth > 0));
    let lowest = all.iter().map(|o| o.report.score.0).min().unwrap_or(0);
    let weight = |o: &SearchOutcome| i64::from(o.report.score.0 - lowest + MARGIN) * i64::from(o.report.depth);
    let votes = |o: &SearchOutcome| all.iter().filter(|other| other.best == o.best).map(weight).sum::<i64>();
    let mut chosen = 0;
    for index in 1..all.len() {
        let (best, candidate) = (&all[chosen], &all[index]);
        let better = if best.report.score.is_won() || candidate.report.score.is_won() {
            candidate.report.score > best.report.score
        } else {
            votes(candidate) > votes(best) || (candidate.best == best.best && weight(candidate) > weight(best))
        };
        if better {
            chosen = index;
        }
    }
    all.swap_remove(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_the_whole_and_never_the_whole_with_a_part() {
        let whole = Control::default();
        let (first, second) = (whole.part(), whole.part());
        first.stop();
        assert_eq!((first.stopped(), second.stopped(), whole.stopped()), (true, false, false));
        whole.stop();
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
        let limits = Limits { nodes: Some(3000), ..Limits::default() };
        let search = |engine: &mut Engine| {
            engine.search(&Game::new(), &limits, &Control::default(), &mut |_| ControlFlow::Continue(()))
        };
        assert!(search(&mut engine).best.is_some());
        assert_eq!(engine.searchers.len(), 3, "they are kept for the next search");
        assert!(search(&mut engine).best.is_some());
        engine.set_threads(2);
        assert_eq!((engine.threads(), engine.searchers.len()), (2, 2));
        engine.new_game();
        assert_eq!((engine.threads(), engine.searchers.len()), (2, 1), "a new game forgets what helpers learnt");
    }

    #[test]
    fn another_network_finds_an_empty_table() {
        let network = |seed| crate::network::tests::random_choice(32, 1, seed);
        let with = |seed| Parameters { eval_file: network(seed), ..Parameters::default() };
        let limits = Limits { nodes: Some(3000), ..Limits::default() };
        let game = Game::new();
        let mut engine = Engine::new(with(1));
        let known = |engine: &Engine| engine.table.probe(game.position().key(), crate::score::Ply::ROOT).is_some();
        engine.search(&game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
        engine.set_parameters(with(1));
        assert!(known(&engine), "the same network");
        engine.set_parameters(with(2));
        assert!(!known(&engine));
        engine.search(&game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
        assert!(known(&engine));
        engine.set_parameters(Parameters::default());
        assert!(!known(&engine));
    }
}
