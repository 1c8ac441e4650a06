//! The report as one self-contained page of HTML: plots are embedded, without scripts or network access. It follows the reader's
//! choice of light or dark, and adapts to small screens.

use super::plot;
use super::sensitivity::Sensitivity;
use super::table::{TextTable, conclusion_table, mismatch_table, steps_table, values_table};
use super::words::{advice, gain, headline};
use super::{RunComparison, RunView, quantity};
use crate::conclude::TuningVerdict;
use maud::{Markup, PreEscaped, html};
use quarterply_engine::words::grouped;
use quarterply_files::pages::document;
use quarterply_files::pages::number::{nodes, percent};
use quarterply_files::pages::plot::{PlotError, themed};
use quarterply_files::pages::report::{self, figure};
use quarterply_work::workers;

/// More parameters than this get one picture instead of one each.
const CELLS_MAX: usize = 60;

/// The treatment of values that this version cannot use.
const MISMATCHED: &str = "The run was recorded by another version. Its figures are shown as recorded. Profiles name these values in \
    comments, and the formats of other tuners leave them out.";

/// The page of a run. `plots` are named pictures, `formats` the files with the values.
pub(super) fn page(
    view: &RunView<'_>,
    sensitivity: Option<&Sensitivity>,
    plots: &[(&str, String)],
    formats: &[(String, String)],
) -> Result<String, PlotError> {
    let summary = view.summary;
    let title = format!("Tuning with {}, seed {}", summary.method, summary.seed);
    let cells = cells(view)?;
    let picture = |requested: &str| plots.iter().find(|(name, _)| *name == requested).map(|(_, svg)| svg.as_str());
    let body = html! {
        (head(view, &title))
        (facts(view))
        @if summary.steps.is_empty() {
            p { "No " (view.step_word()) " is finished yet." }
        } @else {
            h2 { "From the first " (view.step_word()) " to the last" }
            (markup(&steps_table(view)))
            @if view.is_raced() {
                p .note {
                    "Candidates were raced: those that fell behind were dropped early, and their costs are estimates; so are the means. \
                     The costs of the best are exact."
                }
            }
            @for svg in ["course", "solved"].into_iter().filter_map(picture) { (figure(svg, "")) }
            (checked(view))
            h2 { "The values" }
            (markup(&values_table(view, sensitivity)))
            h2 { "How the population moved" }
            p .note {
                "From the left to the right: " (view.step_word()) " by " (view.step_word()) ". Dark band: the middle half of the \
                 population; light band: all of it; blue: the median, or the share with the switch on; orange: the best; dashed: the \
                 start value."
            }
            @if cells.is_empty() { (figure(picture("parameters").unwrap_or_default(), "")) } @else {
                div .cells { @for cell in &cells { (PreEscaped(themed(cell))) } }
            }
            (effects(sensitivity, picture("sensitivity")))
            (values(view, formats))
        }
        @if let Some(table) = mismatch_table(view) {
            h2 { "Recorded values that this version cannot use" }
            (markup(&table))
            p .note { (MISMATCHED) }
        }
        @if !view.workers.is_empty() {
            h2 { "Workers" }
            (report::table(workers::WORKER_COLUMNS, workers::rows(view.workers)))
        }
        h2 { "To repeat this run" }
        pre { (view.command) }
        p .note {
            "The same seed gives the same run on any machine and with any number of workers, as long as the engine searches alike \
             (signature " (summary.signature) ", version " (summary.version) ")."
        }
    };
    Ok(document(&title, &body))
}

fn head(view: &RunView<'_>, title: &str) -> Markup {
    let summary = view.summary;
    let class = match summary.conclusion.as_ref().map(|conclusion| conclusion.verdict) {
        Some(TuningVerdict::Better) => "verdict better",
        Some(TuningVerdict::Worse) => "verdict worse",
        _ => "verdict",
    };
    let last = summary.steps.last();
    html! {
        p .kind { (title) }
        div class=(class) {
            @if let Some(conclusion) = &summary.conclusion {
                h1 { (headline(view, conclusion.verdict)) }
                p { (unbroken(&advice(view, conclusion))) }
                @if let Some(reason) = &conclusion.failed { p .note { "The comparison broke off: " (reason) } }
            } @else if summary.finished {
                h1 { "Tuning finished, comparison pending" }
                p { "The comparison of the best values with the " (view.own_values()) " is still to come." }
            } @else {
                h1 {
                    "Under way: " (view.step_word()) " " (last.map_or(0, |step| step.snapshot.step))
                    @if let Some(step) = last { " of " (step.snapshot.steps) }
                }
                p { "`quarterply tune resume` continues it; the result is the same as without the interruption." }
            }
            @if let Some(text) = gain(view) { p { (unbroken(&text)) } }
        }
    }
}

/// Text whose numbers are not broken between their groups of digits, nor before their unit.
fn unbroken(text: &str) -> String {
    const NO_BREAK: char = '\u{a0}';
    let letters: Vec<char> = text.chars().collect();
    let after_digit = |place: usize| place > 0 && letters[place - 1].is_ascii_digit();
    let belongs = |place: usize| match (letters.get(place), letters.get(place + 1)) {
        (Some(next), _) if next.is_ascii_digit() || *next == '%' => true,
        (Some('k' | 'M' | 'G'), next) => next.is_none_or(|next| !next.is_alphanumeric()),
        _ => false,
    };
    let letter = |(place, letter): (usize, &char)| {
        if *letter == ' ' && after_digit(place) && belongs(place + 1) { NO_BREAK } else { *letter }
    };
    letters.iter().enumerate().map(letter).collect()
}

fn facts(view: &RunView<'_>) -> Markup {
    let summary = view.summary;
    let last = summary.steps.last();
    let spent =
        last.map_or(0, |step| step.spent) + summary.conclusion.as_ref().map_or(0, |conclusion| conclusion.spent);
    let mut facts = vec![
        ("method", summary.method.clone()),
        ("minimised", format!("{} ({})", quantity(&summary.objective), summary.objective)),
        ("parameters", summary.dimensions.len().to_string()),
    ];
    facts.extend(summary.suite.as_ref().map(|suite| ("tuned on", suite.clone())));
    facts.extend(summary.holdout.as_ref().map(|suite| ("hold-out", suite.clone())));
    facts.push(("nodes per position", grouped(summary.nodes)));
    facts.push(("nodes searched", nodes(spent as f64)));
    facts.push(("different candidates", last.map_or(0, |step| step.candidates).to_string()));
    if !view.faults.is_empty() {
        facts.push(("games lost by faults", view.faults.len().to_string()));
    }
    facts.push(("seed", summary.seed.to_string()));
    facts.extend(view.base_name().map(|name| ("profile", name.to_owned())));
    report::facts(facts.iter().map(|(name, value)| (name, unbroken(value))))
}

fn markup(table: &TextTable) -> Markup {
    report::table(&table.head, &table.rows)
}

fn checked(view: &RunView<'_>) -> Markup {
    let Some(table) = conclusion_table(view) else { return html! {} };
    html! {
        h2 { "Checked against the " (view.own_values()) }
        (markup(&table))
        p .note {
            "A finding is \"unclear\" unless chance would give such a difference in fewer than one of twenty cases. The suite that was \
             tuned on is not evidence for the values: they were chosen because they are good on it."
        }
    }
}

fn cells(view: &RunView<'_>) -> Result<Vec<String>, PlotError> {
    let count = view.summary.dimensions.len();
    if count > CELLS_MAX {
        return Ok(Vec::new());
    }
    let cells: Result<Vec<_>, _> = (0..count).map(|index| plot::distribution(view, index)).collect();
    Ok(cells?.into_iter().flatten().collect())
}

fn effects(sensitivity: Option<&Sensitivity>, svg: Option<&str>) -> Markup {
    let Some(sensitivity) = sensitivity else { return html! {} };
    html! {
        h2 { "Which parameters matter" }
        @if let Some(svg) = svg { (figure(svg, "")) }
        p .note {
            "The share of the variance of the cost that only this parameter explains, among " (sensitivity.candidates) " candidates"
            @if let Some(explained) = sensitivity.explained { "; all together explain " (percent(explained)) }
            ". The candidates are those of the search, not a random sample. A parameter that was fixed early seems to have no effect, \
             parameters that moved together share their effect, and interactions are ignored. It is a hint, not a measurement."
        }
    }
}

/// The values in all formats, the profile first and open.
fn values(view: &RunView<'_>, formats: &[(String, String)]) -> Markup {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    html! {
        h2 { "The best values, to use" }
        @if let Some(name) = view.base_name() {
            p .note {
                "They belong on top of profile " (name) "; profile.toml in the folder of the run has all parameters: "
                code { "quarterply --profile profile.toml" } "."
            }
        }
        @for (index, (path, text)) in formats.iter().enumerate() {
            details open[index == 0] { summary { (name(path)) } pre { (text) } }
        }
    }
}

impl RunComparison {
    /// A page with the table and the plot.
    pub fn page(&self) -> Result<String, PlotError> {
        let svg = plot::comparison(self)?;
        let body = html! {
            p .kind { "Tuning runs side by side" }
            h1 { "Best so far against nodes spent" }
            (figure(&svg, "Line: mean over the seeds; band: from the best seed to the worst."))
            (markup(&self.table()))
            p .note { "Costs are those of the suite that was tuned on, except in the column of the hold-out, which is the evidence." }
            @if let Some(note) = self.note { p .note { (note) } }
        };
        Ok(document("Tuning runs side by side", &body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_not_broken() {
        assert_eq!(
            unbroken("from 1 234 567 to 5.0 M (-3.2 %) in 2 Moves"),
            "from 1\u{a0}234\u{a0}567 to 5.0\u{a0}M (-3.2\u{a0}%) in 2 Moves"
        );
    }
}
