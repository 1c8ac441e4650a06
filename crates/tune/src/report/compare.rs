//! A comparison of several runs: the cost of the best candidate by the nodes spent.

use super::{TextTable, cost};
use crate::history::RunSummary;
use crate::objective::Objective;
use quarterply_files::pages::number;
use serde::Serialize;
use thiserror::Error;

/// Points of a curve.
const POINTS: usize = 200;
/// A value reaches a cost if it exceeds the cost by at most this share.
const REACHED: f64 = 0.01;

/// Why runs cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ComparisonError {
    /// They measured different things: two runs, and what differs between them.
    #[error("cannot compare {0} with {1}: {2}; compare runs with equal objective, suite and limits")]
    Different(String, String, String),
    /// A run without a step.
    #[error("cannot compare {0}: it has no finished step; leave it out, or continue it with `quarterply tune resume`")]
    Empty(String),
}

/// Runs that differ in their seeds only, by the names of their folders.
#[derive(Clone, Debug)]
struct RunGroup {
    name: String,
    summaries: Vec<RunSummary>,
}

/// Runs with the same objective on the same positions, in groups.
#[derive(Clone, Debug)]
pub struct RunComparison {
    groups: Vec<RunGroup>,
    pub(super) objective: String,
    /// What is left out, and why.
    pub note: Option<&'static str>,
}

/// The figures of a group: means of its runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupFigures {
    /// The name of the run, or the common part of the names.
    pub run: String,
    /// The optimiser.
    pub method: String,
    /// Number of runs.
    pub seeds: usize,
    /// Final cost.
    pub best: Option<f64>,
    /// Least final cost of a run.
    pub least: f64,
    /// Greatest final cost of a run.
    pub greatest: f64,
    /// Positions that the final candidate solves.
    pub solved: Option<f64>,
    /// Final cost on the hold-out.
    pub holdout: Option<f64>,
    /// Nodes searched.
    pub nodes: Option<f64>,
    /// Runs that came within a hundredth of the final cost of the first group.
    pub reached: usize,
    /// Nodes until then.
    pub reached_nodes: Option<f64>,
}

impl GroupFigures {
    /// The row of the table.
    fn row(&self, objective: &str) -> Vec<String> {
        let text = |value: Option<f64>, write: &dyn Fn(f64) -> String| value.map_or_else(|| "-".to_owned(), write);
        let cost = |value| cost(objective, value);
        let reach = self.reached_nodes.map_or_else(|| "never".to_owned(), number::nodes);
        vec![
            self.run.clone(),
            self.method.clone(),
            self.seeds.to_string(),
            text(self.best, &cost),
            format!("{}..{}", cost(self.least), cost(self.greatest)),
            text(self.solved, &|mean| number::decimal(mean, 1)),
            text(self.holdout, &|value| cost_on_suites(objective, value)),
            text(self.nodes, &number::nodes),
            format!("{reach} ({} of {})", self.reached, self.seeds),
        ]
    }
}

/// The best candidate of a group after a number of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) spent: f64,
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl RunComparison {
    /// Groups runs for a comparison. Runs whose names differ only in a number at the end (`ga-1`, `ga-2`) and that used the same method are
    /// seeds of one group. If their hold-outs differ, the costs on them are left out.
    ///
    /// # Errors
    /// Runs whose costs mean different things, or a run without a finished step.
    pub fn of(mut runs: Vec<(String, RunSummary)>) -> Result<RunComparison, ComparisonError> {
        let note = have_other_holdouts(&runs)
            .then_some("The hold-outs of these runs differ, so the costs on them are left out.");
        if note.is_some() {
            runs.iter_mut()
                .filter_map(|(_, run)| run.conclusion.as_mut())
                .for_each(|conclusion| conclusion.holdout = None);
        }
        let mut groups: Vec<(String, RunGroup)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let head = runs.first().cloned();
        let objective = head.as_ref().map_or_else(String::new, |(_, summary)| summary.objective.clone());
        for (name, summary) in runs {
            if summary.steps.is_empty() {
                return Err(ComparisonError::Empty(name));
            }
            if let Some((first, head)) = &head {
                alike(first, head, &name, &summary)?;
            }
            let short = shortened(&name).to_owned();
            match groups.iter_mut().find(|(method, group)| *method == summary.method && group.name == short) {
                Some((_, group)) => group.summaries.push(summary),
                None => {
                    names.push(name);
                    groups.push((summary.method.clone(), RunGroup { name: short, summaries: vec![summary] }));
                }
            }
        }
        // The number of a single run does not distinguish seeds.
        let named = |((_, group), name): ((String, RunGroup), String)| {
            if group.summaries.len() > 1 { group } else { RunGroup { name, ..group } }
        };
        Ok(RunComparison { groups: groups.into_iter().zip(names).map(named).collect(), objective, note })
    }

    /// One curve for each group, from where all its runs have a best to where the longest ends.
    pub(super) fn curves(&self) -> Vec<(&str, Vec<Point>)> {
        self.groups.iter().map(|group| (group.name.as_str(), group.points())).collect()
    }

    /// One row for each group. The last column counts nodes until a group came within a hundredth of the final cost of the first one.
    pub fn table(&self) -> TextTable {
        let name = self.groups.first().map_or("", |group| group.name.as_str());
        let reach = format!("nodes to within 1 % of {name}");
        let mut table = TextTable::new([
            "run",
            "method",
            "seeds",
            "best in the end",
            "least..greatest",
            "solved",
            "on the hold-out",
            "nodes spent",
            &reach,
        ]);
        for figures in self.figures() {
            table.row(figures.row(&self.objective));
        }
        table
    }

    /// The figures of each group.
    pub fn figures(&self) -> Vec<GroupFigures> {
        let reference = self.groups.first().map_or(f64::NAN, |group| mean(&group.ends()));
        self.groups.iter().map(|group| group.figures(reference)).collect()
    }
}

impl RunGroup {
    /// The final cost of each run.
    fn ends(&self) -> Vec<f64> {
        self.summaries.iter().filter_map(|summary| best(summary).last().map(|(_, value)| *value)).collect()
    }

    fn points(&self) -> Vec<Point> {
        let runs: Vec<Vec<(f64, f64)>> = self.summaries.iter().map(best).filter(|run| !run.is_empty()).collect();
        let first = runs.iter().map(|run| run[0].0).fold(0.0, f64::max);
        let last = runs.iter().map(|run| run[run.len() - 1].0).fold(first, f64::max);
        let point = |index: usize| {
            let spent = first + (last - first) * index as f64 / (POINTS - 1) as f64;
            let values: Vec<f64> = runs.iter().map(|run| at(run, spent)).collect();
            let (least, greatest) = extremes(&values);
            Point { spent, mean: mean(&values), least, greatest }
        };
        if runs.is_empty() { Vec::new() } else { (0..POINTS).map(point).collect() }
    }

    /// The figures of the group; `reference` is the final cost of the first group.
    fn figures(&self, reference: f64) -> GroupFigures {
        let mean_of = |values: &[f64]| (!values.is_empty()).then(|| mean(values));
        let ends = self.ends();
        let (least, greatest) = extremes(&ends);
        let limit = reference * (1.0 + REACHED);
        let reached =
            self.each(|summary| best(summary).into_iter().find(|(_, value)| *value <= limit).map(|(at, _)| at));
        GroupFigures {
            run: self.name.clone(),
            method: self.summaries.first().map_or_else(String::new, |summary| summary.method.clone()),
            seeds: self.summaries.len(),
            best: mean_of(&ends),
            least,
            greatest,
            solved: mean_of(&self.each(|summary| summary.steps.last()?.snapshot.best_cost?.solved)),
            holdout: mean_of(&self.each(|summary| Some(summary.conclusion.as_ref()?.holdout.as_ref()?.best.value))),
            nodes: mean_of(&self.each(|summary| Some(summary.steps.last()?.spent as f64))),
            reached: reached.len(),
            reached_nodes: mean_of(&reached),
        }
    }

    /// A figure of each run that has it.
    fn each(&self, figure: impl Fn(&RunSummary) -> Option<f64>) -> Vec<f64> {
        self.summaries.iter().filter_map(figure).collect()
    }
}

/// The cost on a suite of a run with this objective, which may count games.
fn cost_on_suites(objective: &str, value: f64) -> String {
    let own = objective.parse::<Objective>().map(|own| own.on_suites().to_string());
    cost(own.as_deref().unwrap_or(objective), value)
}

/// The best so far of a run over the nodes spent; the current point if costs are noisy.
fn best(summary: &RunSummary) -> Vec<(f64, f64)> {
    let mut least = f64::INFINITY;
    let mut curve = Vec::new();
    for step in &summary.steps {
        if let Some(cost) = step.snapshot.best_cost {
            least = if summary.noisy { cost.value } else { least.min(cost.value) };
            curve.push((step.spent as f64, least));
        }
    }
    curve
}

/// The value of a curve of steps.
fn at(curve: &[(f64, f64)], spent: f64) -> f64 {
    let after = curve.partition_point(|(x, _)| *x <= spent);
    curve[after.saturating_sub(1)].1
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// A name without the number of its seed.
fn shortened(name: &str) -> &str {
    let short = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let short = short.strip_suffix("-s").or_else(|| short.strip_suffix("_s")).unwrap_or(short);
    let short = short.trim_end_matches(['-', '_', '.']);
    if short.is_empty() { name } else { short }
}

/// Returns true if not all runs with a hold-out have the same one.
fn have_other_holdouts(runs: &[(String, RunSummary)]) -> bool {
    let of = |run: &RunSummary| run.holdout.clone().map(|name| (name, run.holdout_fingerprint.clone()));
    let mut all = runs.iter().filter_map(|(_, run)| of(run));
    let first = all.next();
    all.any(|other| Some(other) != first)
}

/// Returns true if the costs of two runs are comparable.
fn alike(first: &str, one: &RunSummary, second: &str, other: &RunSummary) -> Result<(), ComparisonError> {
    let text = |suite: &Option<String>| suite.clone().unwrap_or_else(|| "none".to_owned());
    let limits = one.move_limit.clone().zip(other.move_limit.clone());
    let always = [
        ("objective", one.objective.clone(), other.objective.clone()),
        ("suite", text(&one.suite), text(&other.suite)),
        ("suite fingerprint", text(&one.suite_fingerprint), text(&other.suite_fingerprint)),
        ("nodes per position", one.nodes.to_string(), other.nodes.to_string()),
    ];
    for (what, one, other) in always.into_iter().chain(limits.map(|(one, other)| ("move limit", one, other))) {
        if one != other {
            let difference = format!("the one has {what} {one}, the other {other}");
            return Err(ComparisonError::Different(first.to_owned(), second.to_owned(), difference));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::TuningStep;
    use crate::optimiser::{Cost, Snapshot};

    #[test]
    fn the_hold_out_of_runs_on_games_is_counted_in_nodes() {
        assert_eq!(cost_on_suites("games", 1_277_460.0), cost("stable", 1_277_460.0));
        assert_ne!(cost("games", 1_277_460.0), cost("stable", 1_277_460.0));
    }

    fn summary(method: &str, points: &[(u64, f64)]) -> RunSummary {
        let step = |(index, (spent, value)): (usize, &(u64, f64))| TuningStep {
            snapshot: Snapshot {
                step: index + 1,
                best_cost: Some(Cost { value: *value, error: 0.0, solved: Some(3.0) }),
                ..Snapshot::default()
            },
            spent: *spent,
            ..TuningStep::default()
        };
        let steps = points.iter().enumerate().map(step).collect();
        RunSummary { method: method.into(), objective: "first".into(), nodes: 100, steps, ..RunSummary::default() }
    }

    #[test]
    fn seeds_are_grouped_by_name_and_method() {
        for (name, expected) in
            [("ga-1", "ga"), ("ga_s12", "ga"), ("ga-rank-3", "ga-rank"), ("spsa", "spsa"), ("12", "12"), ("ga.2", "ga")]
        {
            assert_eq!(shortened(name), expected);
        }
        let runs = [("ga-1", "x"), ("ga-2", "x"), ("ga-3", "y"), ("other", "x")];
        let runs = runs.map(|(name, method)| (name.to_owned(), summary(method, &[(1, 5.0)])));
        let comparison = RunComparison::of(runs.to_vec()).expect("comparable");
        let sizes: Vec<_> =
            comparison.groups.iter().map(|group| (group.name.as_str(), group.summaries.len())).collect();
        assert_eq!(sizes, [("ga", 2), ("ga-3", 1), ("other", 1)]);
    }

    #[test]
    fn curves_hold_the_best_so_far_with_its_spread() {
        let runs = vec![
            ("a-1".to_owned(), summary("x", &[(100, 50.0), (200, 40.0), (300, 45.0)])),
            ("a-2".to_owned(), summary("x", &[(100, 60.0), (300, 20.0)])),
        ];
        let comparison = RunComparison::of(runs).expect("comparable");
        let (_, points) = &comparison.curves()[0];
        assert_eq!((points[0].spent, points[0].mean, points[0].least, points[0].greatest), (100.0, 55.0, 50.0, 60.0));
        let middle = points.iter().find(|p| p.spent > 201.0).expect("within");
        assert_eq!((middle.mean, middle.least, middle.greatest), (50.0, 40.0, 60.0));
        let end = points[POINTS - 1];
        assert_eq!((end.spent, end.mean), (300.0, 30.0));
    }

    #[test]
    fn the_table_counts_nodes_to_the_reference() {
        let runs = vec![
            ("slow".to_owned(), summary("x", &[(1000, 150.0), (9000, 100.0)])),
            ("fast-1".to_owned(), summary("y", &[(100, 180.0), (500, 101.0)])),
            ("fast-2".to_owned(), summary("y", &[(100, 180.0), (700, 102.0)])),
        ];
        let table = RunComparison::of(runs).expect("comparable").table();
        let last = |row: usize| table.rows[row].last().expect("nine columns").as_str();
        assert_eq!((last(0), last(1)), ("9 000 (1 of 1)", "500 (1 of 2)"));
        assert_eq!(table.rows[1][3..5], ["102", "101..102"].map(str::to_owned));
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
    }

    #[test]
    fn incomparable_runs_are_refused() {
        let run = || summary("x", &[(1, 1.0)]);
        let edited = RunSummary { suite_fingerprint: Some("ab12".to_owned()), ..run() };
        for (other, parts) in [
            (RunSummary { nodes: 500, ..run() }, ["nodes per position 100", "500"]),
            (edited, ["suite fingerprint none", "ab12"]), // the same name, other positions
        ] {
            let runs = vec![("one".to_owned(), run()), ("two".to_owned(), other)];
            let message = RunComparison::of(runs).expect_err("different").to_string();
            assert!(["one with two"].iter().chain(&parts).all(|part| message.contains(part)), "{message}");
        }
        let limited = |limit: &str| RunSummary { move_limit: Some(limit.to_owned()), ..run() };
        let runs = vec![("one".to_owned(), limited("nodes=10")), ("two".to_owned(), limited("nodes=20"))];
        let message = RunComparison::of(runs).expect_err("different").to_string();
        assert!(message.contains("move limit nodes=10, the other nodes=20"), "{message}");
        let message = RunComparison::of(vec![("new".to_owned(), summary("x", &[]))]).expect_err("empty").to_string();
        assert!(message.contains("cannot compare new: it has no finished step"), "{message}");
    }
}
