//! Searches positions and counts events.

use super::{Census, CensusRecorder};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::ProgressEvent;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::{Control, STACK};
use quarterply_engine::search::watch::Watched;
use quarterply_engine::table::{Table, TableError};
use quarterply_files::epd::Record;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use thiserror::Error;

/// Settings of the searches.
#[derive(Clone, Debug)]
pub struct CensusPlan {
    /// Nodes or depth.
    pub limits: Limits,
    /// The table of each worker in MiB; its audits have another of this size.
    pub hash: usize,
    /// The share of prunings and reductions that is audited, from 0 to 1.
    pub audit: f64,
    /// Seed of the choice of that share.
    pub seed: u64,
}

/// Why nothing could be counted.
#[derive(Debug, Error)]
pub enum CensusError {
    /// Memory for the tables cannot be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refuses the first thread.
    #[error("cannot start a thread: {0}; raise the limit of threads of this process")]
    Thread(io::Error),
}

/// The effort of one position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PositionEffort {
    /// Its name, or its number.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Moves made.
    pub nodes: u64,
    /// Depth of the last iteration (plies).
    pub depth: u32,
    /// The greatest ply reached in it.
    pub seldepth: u32,
    /// Moves made in audits, which are counted nowhere else.
    pub audit_nodes: u64,
}

/// Searches each position in a new game and counts. Results reach `on_position` in the order of the positions and are the same with any
/// number of workers; `false` ends the run. When `control` stops, the census is that of the positions before.
pub fn run(
    records: &[Record],
    parameters: &Parameters,
    plan: &CensusPlan,
    workers: usize,
    control: &Control,
    on_position: &mut dyn FnMut(&PositionEffort) -> bool,
) -> Result<Census, CensusError> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut census = Census::new(parameters);
    let work = CensusWork { records, parameters, plan, control, next: &next };
    thread::scope(|scope| {
        for number in 0..workers.clamp(1, records.len().max(1)) {
            let sender = sender.clone();
            let work = &work;
            let search = move || work.work(&sender);
            match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, search) {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(CensusError::Thread(error)),
                // Fewer threads find the same.
                Err(_) => break,
            }
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for result in receiver {
            let (index, searched, counted) = result?;
            waiting.insert(index, (searched, counted));
            while let Some((searched, counted)) = waiting.remove(&due) {
                census.add(&counted);
                due += 1;
                if !on_position(&searched) {
                    next.store(records.len(), Ordering::Relaxed);
                }
            }
        }
        Ok(census)
    })
}

/// A position that was searched, with its place.
type PositionResult = Result<(usize, PositionEffort, Census), CensusError>;

/// The data that all workers share.
struct CensusWork<'a> {
    records: &'a [Record],
    parameters: &'a Parameters,
    plan: &'a CensusPlan,
    control: &'a Control,
    next: &'a AtomicUsize,
}

impl CensusWork<'_> {
    fn work(&self, sender: &Sender<PositionResult>) {
        let tables = || -> Result<_, TableError> { Ok((self.table()?, self.table()?)) };
        let (table, aside) = match tables() {
            Ok(tables) => tables,
            Err(error) => {
                // A receiver that is gone has its result already.
                let _ = sender.send(Err(error.into()));
                return;
            }
        };
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(record) = self.records.get(index).filter(|_| !self.control.stopped()) else { return };
            table.clear(1);
            aside.clear(1);
            let (searched, census) = self.search(index, record, &table, &aside);
            // The counts of an interrupted search are not used.
            if self.control.stopped() || sender.send(Ok((index, searched, census))).is_err() {
                return;
            }
        }
    }

    fn table(&self) -> Result<Arc<Table>, TableError> {
        Ok(Arc::new(Table::new(self.plan.hash)?))
    }

    fn search(
        &self,
        index: usize,
        record: &Record,
        table: &Arc<Table>,
        aside: &Arc<Table>,
    ) -> (PositionEffort, Census) {
        let game = Game::from_chess(record.position.clone(), record.mode);
        let mut recorder = CensusRecorder::new(self.parameters, self.plan.audit, self.plan.seed, index as u64);
        let watched = Watched::audited_by(&mut recorder);
        let mut searcher = Searcher::watched(self.parameters.clone(), table.clone(), watched, None);
        searcher.set_audit_table(aside.clone());
        let mut reached = Vec::new();
        let outcome = searcher.search_alone(&game, &self.plan.limits, self.control, &mut |event| {
            if let ProgressEvent::Iteration([report, ..]) = event {
                reached.truncate((report.depth as usize).saturating_sub(1));
                reached.resize(report.depth as usize, report.nodes);
            }
            ControlFlow::Continue(())
        });
        drop(searcher);
        let mut census = recorder.into_census();
        census.positions = 1;
        census.nodes = outcome.nodes;
        census.note_iterations(&differences(&reached));
        let searched = PositionEffort {
            id: record.id.clone().unwrap_or_else(|| (index + 1).to_string()),
            fen: record.fen(),
            nodes: outcome.nodes,
            depth: outcome.report.depth,
            seldepth: outcome.report.seldepth,
            audit_nodes: census.audit_nodes(),
        };
        (searched, census)
    }
}

/// The nodes of each iteration, from the sums up to each.
fn differences(reached: &[u64]) -> Vec<u64> {
    let before = [0].into_iter().chain(reached.iter().copied());
    reached.iter().zip(before).map(|(now, before)| now.saturating_sub(before)).collect()
}
