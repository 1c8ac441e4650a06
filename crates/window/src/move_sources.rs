//! Sources and places of the moves that decided nodes.
//!
//! Only nodes of the main search count, where a move cut or was the best one at the end. The place of a move is its number among the
//! moves that were searched there, so with perfect move ordering each place is 1.

use std::fmt;

use quarterply_engine::ordering::Stage;
use quarterply_engine::words::{grouped, named};
use serde::Serialize;

use crate::trace::{Decision, MoveRecord, NodeRecord, Trace, TraceError};

named! {
    /// The source of a move, in the usual order of trial.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum MoveSource {
        /// The transposition table.
        Table "table move",
        /// Captures and queen promotions that lose no material.
        GoodCapture "good capture",
        /// Killers and the countermove.
        KillerOrCounter "killer or countermove",
        /// Other quiet moves, ordered by history.
        Quiet "quiet by history",
        /// Captures that lose material.
        BadCapture "bad capture",
    }
}

impl MoveSource {
    /// The source of a recorded move.
    pub fn of(mv: &MoveRecord) -> MoveSource {
        match mv.stage {
            Stage::Table => MoveSource::Table,
            Stage::GoodNoisy => MoveSource::GoodCapture,
            Stage::Quiet if mv.killer_or_counter => MoveSource::KillerOrCounter,
            Stage::Quiet => MoveSource::Quiet,
            Stage::BadNoisy => MoveSource::BadCapture,
        }
    }
}

/// Totals of the moves of one source.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Debug)]
pub struct SourceTally {
    /// Name of the source; `all` for the sum.
    pub source: &'static str,
    /// Nodes that such a move cut.
    pub cutoffs: u64,
    /// Nodes where such a move was the best, without a cutoff.
    pub best: u64,
    /// The sum of the places of these moves.
    pub places: u64,
    /// Number of those that were searched first.
    pub first: u64,
}

impl SourceTally {
    /// Nodes that such a move decided.
    pub fn decided(&self) -> u64 {
        self.cutoffs + self.best
    }

    fn add(&mut self, decision: Decision, place: u64) {
        match decision {
            Decision::Cutoff => self.cutoffs += 1,
            Decision::Best => self.best += 1,
            Decision::NotBest => return,
        }
        self.places += place;
        self.first += u64::from(place == 1);
    }
}

/// A tally for each source.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MoveSources([SourceTally; MoveSource::ALL.len()]);

impl MoveSources {
    /// Those of a whole recording.
    pub fn of(trace: &Trace) -> Result<MoveSources, TraceError> {
        let mut places = MoveSources::default();
        for id in 0..trace.len() {
            places.add(&trace.node(id)?);
        }
        Ok(places)
    }

    /// Counts a node.
    pub fn add(&mut self, node: &NodeRecord) {
        let Some(best) = node.best().filter(|_| !node.is_quiescence()) else { return };
        if let Some(decision) = best.decision() {
            self.0[MoveSource::of(best) as usize].add(decision, u64::from(best.number));
        }
    }

    /// Nodes that a move decided.
    pub fn decided(&self) -> u64 {
        self.0.iter().map(SourceTally::decided).sum()
    }

    /// The sources with moves that decided, and the sum last; nothing if no move did.
    pub fn tallies(&self) -> Vec<SourceTally> {
        let named = MoveSource::ALL.iter().zip(&self.0).filter(|(_, tally)| tally.decided() > 0);
        let mut list: Vec<SourceTally> =
            named.map(|(source, tally)| SourceTally { source: source.name(), ..tally.clone() }).collect();
        if !list.is_empty() {
            let sum = |of: fn(&SourceTally) -> u64| self.0.iter().map(of).sum();
            let (cutoffs, best) = (sum(|tally| tally.cutoffs), sum(|tally| tally.best));
            let (places, first) = (sum(|tally| tally.places), sum(|tally| tally.first));
            list.push(SourceTally { source: "all", cutoffs, best, places, first });
        }
        list
    }
}

/// A small table; empty if no move decided a node.
impl fmt::Display for MoveSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PERCENT: f64 = 100.0;
        let tallies = self.tallies();
        if tallies.is_empty() {
            return Ok(());
        }
        writeln!(f, "sources of the moves that cut or were best (main search, all recorded nodes)")?;
        writeln!(f, "{:<22}{:>10}{:>10}{:>15}{:>12}", "source", "cutoffs", "best", "average place", "came first")?;
        for tally in tallies {
            let decided = tally.decided() as f64;
            let (average, first) = (tally.places as f64 / decided, PERCENT * tally.first as f64 / decided);
            let (cutoffs, best) = (grouped(tally.cutoffs), grouped(tally.best));
            writeln!(f, "{:<22}{cutoffs:>10}{best:>10}{average:>15.2}{first:>10.0} %", tally.source)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(cutoffs: u64, best: u64, places: u64, first: u64) -> SourceTally {
        SourceTally { source: "", cutoffs, best, places, first }
    }

    #[test]
    fn decisions_and_places_are_counted() {
        let mut found = SourceTally::default();
        for (decision, place) in
            [(Decision::Cutoff, 1), (Decision::Cutoff, 4), (Decision::Best, 2), (Decision::NotBest, 9)]
        {
            found.add(decision, place);
        }
        assert_eq!(found, tally(2, 1, 7, 1));
    }

    #[test]
    fn the_table_has_averages_shares_and_a_sum() {
        let mut places = MoveSources::default();
        assert_eq!(places.to_string(), "");
        places.0[MoveSource::Table as usize] = tally(1500, 500, 2000, 2000);
        places.0[MoveSource::KillerOrCounter as usize] = tally(2000, 0, 6000, 500);
        let text = places.to_string();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .skip(1)
            .map(|line| line.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect())
            .collect();
        assert_eq!(
            lines,
            [
                vec!["source", "cutoffs", "best", "average place", "came first"],
                vec!["table move", "1 500", "500", "1.00", "100 %"],
                vec!["killer or countermove", "2 000", "0", "3.00", "25 %"],
                vec!["all", "3 500", "500", "2.00", "62 %"],
            ]
        );
    }
}
