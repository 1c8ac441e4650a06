//! Tables like those of the 2010 paper.

use super::sensitivity::Sensitivity;
use super::words::interval;
use super::{RunView, cost, number, quantity};
use crate::conclude::{Finding, GamesComparison, SuiteComparison};
use crate::history::TuningStep;
use crate::space::Dimension;
use quarterply_files::pages::number::{change, decimal, quantile};
use quarterply_stats::Pentanomial;

/// A table of text; the first column is read from the left, all others from the right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
}

/// The text of an unknown value.
const NOTHING: &str = "-";

impl TextTable {
    pub(super) fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> TextTable {
        TextTable { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub(super) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.head.len(), String::new());
        self.rows.push(row);
    }
}

/// The column of the change in [`steps_table`].
const CHANGE: usize = 3;

/// The first and the last step with the change, and the start values if they were measured.
pub fn steps_table(view: &RunView<'_>) -> TextTable {
    let (Some(first), Some(last)) = (view.summary.steps.first(), view.summary.steps.last()) else {
        return TextTable::default();
    };
    let word = view.step_word();
    let name = |step: &TuningStep| format!("{word} {}", step.snapshot.step);
    let start = view.start_cost();
    let mut head = vec![String::new(), name(first), name(last), "change".to_owned()];
    head.extend(start.map(|_| view.own_values().to_owned()));
    let mut table = TextTable::new(head);
    let objective = &view.summary.objective;
    let figures = |step: &TuningStep| [Some(step.mean()), step.snapshot.best_cost.map(|best| best.value)];
    let quantity = quantity(objective);
    let names = ["mean of the population", view.best_word()].map(|which| format!("{quantity}, {which}"));
    for (index, name) in names.into_iter().enumerate() {
        let write = |value: f64| cost(objective, value);
        let start = if index == 0 { None } else { start };
        let row = compared(name, figures(first)[index], figures(last)[index], start, &write);
        table.row(if index == 0 { of_population(view, row) } else { row });
    }
    let solved = |step: &TuningStep| [step.mean_solved(), step.snapshot.best_cost.and_then(|best| best.solved)];
    for (index, which) in ["mean of the population", view.best_word()].into_iter().enumerate() {
        let digits = 1 - index;
        let start = if index == 0 { None } else { view.start_solved() };
        let (first, last) = (solved(first)[index], solved(last)[index]);
        if first.is_some() || last.is_some() {
            let row = compared(format!("solved, {which}"), first, last, start, &|value| decimal(value, digits));
            table.row(if index == 0 { of_population(view, row) } else { row });
        }
    }
    table.row([
        "nodes searched so far".to_owned(),
        number::nodes(first.spent as f64),
        number::nodes(last.spent as f64),
    ]);
    if view.summary.steps.len() == 1 {
        // The first step is the last one.
        [&mut table.head].into_iter().chain(&mut table.rows).for_each(|row| drop(row.drain(2..=CHANGE)));
    }
    table
}

/// A row of means of populations: they have no change if each was measured on a separate sample.
fn of_population(view: &RunView<'_>, mut row: Vec<String>) -> Vec<String> {
    if view.summary.sampled {
        NOTHING.clone_into(&mut row[CHANGE]);
    }
    row
}

/// A row: two values, their change, and the start values.
fn compared(
    name: String,
    first: Option<f64>,
    last: Option<f64>,
    start: Option<f64>,
    write: &dyn Fn(f64) -> String,
) -> Vec<String> {
    let text = |value: Option<f64>| value.map_or_else(|| NOTHING.to_owned(), write);
    let change = first.zip(last).map_or_else(|| NOTHING.to_owned(), |(first, last)| change(first, last));
    vec![name, text(first), text(last), change, start.map_or_else(String::new, write)]
}

/// Every parameter before and after, with its spread over the last population and its share of the variance.
pub fn values_table(view: &RunView<'_>, sensitivity: Option<&Sensitivity>) -> TextTable {
    let mut table = TextTable::new(["parameter", "start", "best", "last population (median)", "range", "sensitivity"]);
    let Some(last) = view.summary.steps.last() else { return table };
    for (index, dimension) in view.summary.dimensions.iter().enumerate() {
        let values = last.snapshot.population.iter().filter_map(|one| one.candidate.get(index).copied());
        let best = last.snapshot.best.get(index).copied().unwrap_or(dimension.start);
        let share = sensitivity.and_then(|all| all.effects.get(index)).map(|effect| number::percent(effect.share));
        table.row([
            dimension.name.clone(),
            value(dimension, dimension.start),
            value(dimension, best),
            spread(dimension, values.collect()),
            format!("{}..{}", value(dimension, dimension.min), value(dimension, dimension.max)),
            share.unwrap_or_else(|| NOTHING.to_owned()),
        ]);
    }
    table
}

/// The recorded values that this version cannot use, if there are any.
pub fn mismatch_table(view: &RunView<'_>) -> Option<TextTable> {
    let mismatches = view.mismatches();
    let mut table = TextTable::new(["parameter", "recorded", "reason"]);
    for one in &mismatches {
        table.row([one.name.clone(), one.recorded.clone(), one.reason.to_string()]);
    }
    (!mismatches.is_empty()).then_some(table)
}

/// A value for people.
pub(super) fn value(dimension: &Dimension, value: i32) -> String {
    match (dimension.switch, value) {
        (true, 0) => "off".to_owned(),
        (true, _) => "on".to_owned(),
        (false, value) => value.to_string(),
    }
}

/// Least, greatest and median value; for a switch, how many have it on.
fn spread(dimension: &Dimension, values: Vec<i32>) -> String {
    if values.is_empty() {
        return NOTHING.to_owned();
    }
    if dimension.switch {
        let on = values.iter().filter(|value| **value != 0).count();
        return format!("{on} of {} on", values.len());
    }
    let mut sorted: Vec<f64> = values.into_iter().map(f64::from).collect();
    sorted.sort_by(f64::total_cmp);
    let [least, median, greatest] = [0.0, 0.5, 1.0].map(|share| format!("{:.0}", quantile(&sorted, share)));
    if least == greatest { format!("all {least}") } else { format!("{least}..{greatest} ({median})") }
}

/// The best values against the start values: on the suite, on the hold-out, in games.
pub fn conclusion_table(view: &RunView<'_>) -> Option<TextTable> {
    let conclusion = view.summary.conclusion.as_ref()?;
    let mut table = TextTable::new(["measured on", "size", view.own_values(), "best values", "difference", "finding"]);
    for (name, result) in [("tuning suite", &conclusion.tuning), ("hold-out", &conclusion.holdout)] {
        if let Some(result) = result {
            suite_rows(&mut table, view, name, result);
        }
    }
    if let Some(games) = &conclusion.games {
        table.row(games_row(games));
    }
    Some(table)
}

fn suite_rows(table: &mut TextTable, view: &RunView<'_>, name: &str, result: &SuiteComparison) {
    let objective = view.objective_on_suites();
    let write = |value: f64| cost(&objective, value);
    let chance = result.p.map_or_else(String::new, |p| format!(" ({})", probability(p)));
    table.row([
        format!("{name}, {}", quantity(&objective)),
        format!("{} positions", result.positions),
        write(result.start.value),
        write(result.best.value),
        interval(result),
        format!("{}{chance}", finding(result.finding, result.is_few())),
    ]);
    let (Some(start), Some(best)) = (result.start.solved, result.best.solved) else { return };
    table.row([
        format!("{name}, solved"),
        String::new(),
        decimal(start, 0),
        decimal(best, 0),
        format!("+{} -{}", result.gained, result.lost),
        String::new(),
    ]);
}

/// A p-value in three digits.
fn probability(p: f64) -> String {
    const LEAST: f64 = 0.001;
    if p < LEAST { format!("p < {LEAST}") } else { format!("p = {p:.3}") }
}

fn games_row(games: &GamesComparison) -> Vec<String> {
    let pairs = Pentanomial::new(games.pairs);
    vec![
        format!("match, {}", games.limit()),
        format!("{} games", pairs.games()),
        decimal(pairs.reversed().points(), 1),
        decimal(pairs.points(), 1),
        format!("{} Elo", games.estimate().with_interval()),
        finding(games.finding, games.is_few()).to_owned(),
    ]
}

fn finding(finding: Finding, few: bool) -> &'static str {
    match finding {
        Finding::Better => "better",
        Finding::Unclear if few => "unclear: too few",
        Finding::Unclear => "unclear",
        Finding::Worse => "worse",
    }
}
