//! Reports on runs: tables, plots, one page that has everything, and the values in the formats of other tuners.
//!
//! Everything here is made from a [`RunView`] without looking at files or clocks; [`files`] are the finished files of a run's folder,
//! [`write()`] puts them there.

mod compare;
mod formats;
mod page;
pub mod plot;
mod sensitivity;
mod state;
mod table;
mod words;

pub use compare::{ComparisonError, RunComparison};
pub use sensitivity::{BestRange, Effect, Sensitivity};
pub use state::{faults_text, gain_text, iteration_word, pairs_text, values_text};
pub use table::{TextTable, conclusion_table, mismatch_table, steps_table, values_table};
pub use words::{advice, gain, headline};

use super::error::TuneError;
use super::fault::FaultReport;
use super::folder::write_whole;
use super::history::RunSummary;
use super::inputs::RecordedEngine;
use super::objective::Objective;
use super::optimiser::{CandidateCost, Cost};
use super::recorded::{Mismatch, RecordedProfile};
use super::space::Space;
use quarterply_files::pages::number::{self, Scale};
use quarterply_files::pages::plot::PlotError;
use quarterply_work::workers::WorkerShare;
use std::collections::HashMap;
use std::path::Path;

/// The page of a run.
pub const PAGE: &str = "report.html";
/// The folder of plots within that of a run.
const PLOTS: &str = "plots";
/// The folder of values in the formats of other tuners.
const FORMATS: &str = "formats";

/// A run as it is reported.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// The history of the run.
    pub summary: &'a RunSummary,
    /// The profile whose parameters were tuned, as it was recorded; nothing if another engine was tuned.
    pub base: Option<&'a RecordedProfile>,
    /// The other engine, if one was tuned.
    pub engine: Option<&'a RecordedEngine>,
    /// Games that were lost by faults.
    pub faults: &'a [FaultReport],
    /// The remote workers.
    pub workers: &'a [WorkerShare],
    /// The command that repeats the run.
    pub command: &'a str,
}

impl RunView<'_> {
    /// The name of the built-in profile whose parameters were tuned.
    fn base_name(&self) -> Option<&'static str> {
        self.base?.name()
    }

    /// The recorded values and ranges that this version cannot use, the best values included.
    pub fn mismatches(&self) -> Vec<Mismatch> {
        let Some(base) = self.base else { return Vec::new() };
        let space = Space { dimensions: self.summary.dimensions.clone() };
        let best = self.summary.steps.last().map_or_else(|| space.start(), |last| last.snapshot.best.clone());
        base.with(&space, &best).mismatches_with(&space)
    }

    /// True if candidates were raced, so that some costs are estimates.
    fn is_raced(&self) -> bool {
        self.summary.steps.iter().flat_map(|step| &step.snapshot.population).any(|one| one.cost.error > 0.0)
    }

    /// The name of a step.
    fn step_word(&self) -> &'static str {
        step_word(&self.summary.method)
    }

    /// The objective that compared candidates on suites; it differs from the run's objective if that has games.
    fn objective_on_suites(&self) -> String {
        let own = self.summary.objective.parse::<Objective>();
        own.map_or_else(|_| self.summary.objective.clone(), |objective| objective.on_suites().to_string())
    }

    /// The cost of the start values, if it was measured.
    fn start_cost(&self) -> Option<f64> {
        // Of a run with games the cost on the suite is not the cost of the run.
        (self.objective_on_suites() == self.summary.objective).then_some(self.start_on_suite()?.value)
    }

    /// How many positions the start values solve, if that was measured.
    fn start_solved(&self) -> Option<f64> {
        self.start_on_suite()?.solved
    }

    /// The start values on the suite that was tuned on. Older versions had one on games, too.
    fn start_on_suite(&self) -> Option<Cost> {
        Some(self.summary.conclusion.as_ref()?.tuning.as_ref()?.start)
    }

    /// The name of the method's present result.
    fn best_word(&self) -> &'static str {
        if self.summary.noisy { "current point" } else { "best so far" }
    }

    /// The effects of the parameters, from all candidates of all steps.
    pub fn sensitivity(&self) -> Option<Sensitivity> {
        if self.summary.sampled {
            return None;
        }
        let mut met: HashMap<&[i32], usize> = HashMap::new();
        let mut measured: Vec<&CandidateCost> = Vec::new();
        for one in self.summary.steps.iter().flat_map(|step| &step.snapshot.population) {
            match met.get(one.candidate.as_slice()) {
                // The same candidate may have been measured more exactly later.
                Some(place) if one.cost.error < measured[*place].cost.error => measured[*place] = one,
                Some(_) => {}
                None => {
                    met.insert(&one.candidate, measured.len());
                    measured.push(one);
                }
            }
        }
        sensitivity::sensitivity(&self.summary.dimensions, &measured)
    }
}

/// The name of a method's steps. The steps of SPSA are its measurements of the point, every few iterations.
pub fn step_word(method: &str) -> &'static str {
    match method {
        method if method.contains("genetic") || method.contains("CMA") => "generation",
        method if method.contains("SPSA") => "check",
        _ => "step",
    }
}

/// Returns true if the cost is a number of nodes.
fn is_nodes(objective: &str) -> bool {
    matches!(objective, "first" | "stable")
}

/// The quantity that an objective minimises.
fn quantity(objective: &str) -> &'static str {
    match objective {
        "first" => "nodes until first found",
        "stable" => "nodes until found for good",
        "solved" => "positions unsolved",
        "games" => "points lost",
        _ => "cost",
    }
}

/// A text with its first letter large.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The unit of costs.
fn scale(objective: &str, greatest: f64) -> Scale {
    if is_nodes(objective) { Scale::of_counts(greatest) } else { Scale::PERCENT }
}

/// A cost in words.
fn cost(objective: &str, value: f64) -> String {
    if is_nodes(objective) { number::nodes(value) } else { number::percent(value) }
}

/// The files of the report: paths within the folder of the run, and their text.
pub fn files(view: &RunView<'_>) -> Result<Vec<(String, String)>, PlotError> {
    let sensitivity = view.sensitivity();
    let mut files = formats::formats(view);
    let mut plots = vec![("course", plot::cost_curves(view)?), ("parameters", plot::distributions(view)?)];
    plots.extend(plot::solved_curves(view)?.map(|svg| ("solved", svg)));
    if let Some(sensitivity) = &sensitivity {
        plots.push(("sensitivity", plot::effects(&view.summary.dimensions, sensitivity)?));
    }
    files.push((PAGE.to_owned(), page::page(view, sensitivity.as_ref(), &plots, &files)?));
    files.extend(plots.into_iter().map(|(name, svg)| (format!("{PLOTS}/{name}.svg"), svg)));
    Ok(files)
}

/// Writes the report into a folder; every file is there in full, or as it was.
///
/// # Errors
/// The report cannot be made, or a file cannot be written.
pub fn write(folder: &Path, view: &RunView<'_>) -> Result<(), TuneError> {
    for (name, text) in files(view)? {
        write_whole(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
