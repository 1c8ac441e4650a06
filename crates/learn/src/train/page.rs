//! The report of a run as one self-contained page.

use crate::train::data::DataSource;
use crate::train::folder::TrainingLine;
use crate::train::known::{KnownValue, answers};
use crate::train::run::TrainingOutcome;
use maud::{Markup, html};
use quarterply_engine::words::grouped;
use quarterply_files::pages::number::{Scale, decimal};
use quarterply_files::pages::plot::{Axes, PlotError, Points, curves, range_of};
use quarterply_files::pages::{document, report};

const PERCENT: f64 = 100.0;
/// Digits of a loss behind the point.
const LOSS_DIGITS: usize = 6;

/// The page of a run.
pub fn page(outcome: &TrainingOutcome) -> Result<String, PlotError> {
    let title = format!("Training of {}", outcome.network.name());
    let (losses, speed) = (losses(outcome)?, speed(&outcome.lines)?);
    let body = html! {
        (head(outcome, &title))
        (facts(outcome))
        @if outcome.lines.is_empty() {
            p { "No line in the journal yet." }
        } @else {
            h2 { "Loss" }
            (report::figure(&losses, ""))
            p .note {
                "Mean square of the difference between the expected points of the network and their targets. Learned from: each \
                 batch before its step. Dashed: counting pieces on the held-out games, with the scale that suits it best (" (decimal(outcome.material.scale, 0)) ")."
                @if outcome.settings.plan.distil_share > 0.0 {
                    " Some of these targets are classical values of additional positions: they are easier, and their loss is lower."
                }
            }
            h2 { "Positions per second" }
            (report::figure(&speed, ""))
        }
        h2 { "Positions with an obvious value" }
        (known(&answers(&outcome.network)))
        h2 { "Effect of rounding" }
        (rounding(outcome))
        h2 { "To repeat this run" }
        pre { (outcome.settings.command.as_deref().unwrap_or("quarterply train")) }
        p .note { "The same seed and games give the same network with any number of threads and interruptions." }
    };
    Ok(document(&title, &body))
}

fn head(outcome: &TrainingOutcome, title: &str) -> Markup {
    let last = outcome.lines.last();
    html! {
        p .kind { (title) }
        div class="verdict" {
            @if outcome.stopped {
                h1 { "Under way: batch " (grouped(outcome.steps)) " of " (grouped(outcome.settings.steps())) }
                p { code { "quarterply train resume" } " continues it; the network is the same as without the interruption." }
            } @else {
                h1 { "Finished after " (grouped(outcome.steps)) " batches" }
            }
            @if let Some(line) = last {
                p {
                    "Loss on held-out games " (decimal(line.held_out, LOSS_DIGITS)) ", that of counting pieces "
                    (decimal(outcome.material.loss, LOSS_DIGITS)) ". " code { "quarterply train verify" } " gives an interval of the difference, and a comparison with the \
                     classical evaluation."
                }
            }
        }
    }
}

fn facts(outcome: &TrainingOutcome) -> Markup {
    let settings = &outcome.settings;
    let plan = &settings.plan;
    let games = settings.sources.iter().map(DataSource::played).sum::<u64>();
    let result = plan.result_end.map_or(plan.result.to_string(), |end| format!("{} to {end}", plan.result));
    let facts = [
        ("hidden units", grouped(plan.hidden as u64)),
        ("output buckets", plan.buckets.to_string()),
        ("games", grouped(games)),
        ("positions", grouped(settings.positions)),
        ("held out", grouped(settings.held_out_positions)),
        ("batch", grouped(plan.batch as u64)),
        ("batches", grouped(outcome.steps)),
        ("rate", format!("{} to {}", plan.rate, plan.rate_end)),
        ("weight of the result", result),
        ("in endings", plan.result_endings.unwrap_or(plan.result).to_string()),
        ("average of the weights", plan.average.to_string()),
        ("additional positions", format!("{} %", decimal(PERCENT * plan.distil_share, 0))),
        ("classical share", format!("{} %", decimal(PERCENT * plan.classical, 0))),
        ("scale", plan.scale.to_string()),
        ("unit of the output", plan.unit().to_string()),
        ("seed", plan.seed.to_string()),
        ("seconds", decimal(outcome.lines.last().map_or(0.0, |line| line.seconds), 0)),
    ];
    report::facts(facts)
}

fn losses(outcome: &TrainingOutcome) -> Result<String, PlotError> {
    let series: [Series; 2] = [("learned from", |line| line.loss), ("held out", |line| line.held_out)];
    over_passes(&outcome.lines, &series, Some(("counting pieces", outcome.material.loss)), "loss")
}

fn speed(lines: &[TrainingLine]) -> Result<String, PlotError> {
    over_passes(lines, &[("positions per second", |line| line.per_second)], None, "positions per second")
}

/// The name of a curve, and its value in a line of the journal.
type Series = (&'static str, fn(&TrainingLine) -> f64);

/// Curves over the passes, with a level to compare with.
fn over_passes(
    lines: &[TrainingLine],
    series: &[Series],
    goal: Option<(&str, f64)>,
    name: &str,
) -> Result<String, PlotError> {
    let values = series.iter().flat_map(|(_, of)| lines.iter().map(of)).chain(goal.map(|(_, value)| value));
    let y = range_of(values);
    let width = |value: f64| if value > 0.0 { value } else { 1.0 };
    let axes = Axes {
        x: 0.0..width(lines.last().map_or(0.0, |line| line.pass)),
        y_scale: Scale::of_counts(y.end),
        y,
        x_scale: Scale::ONES,
        x_name: "pass",
        y_name: name,
    };
    let curve = |(name, of): &Series| (*name, lines.iter().map(|entry| (entry.pass, of(entry))).collect::<Points>());
    curves(name, &axes, &series.iter().map(curve).collect::<Vec<_>>(), goal)
}

fn known(answers: &[KnownValue]) -> Markup {
    let row = |answer: &KnownValue| {
        let mirrored = if answer.symmetric { "the same" } else { "DIFFERENT" };
        [answer.name.to_owned(), answer.value.to_string(), answer.passed.to_string(), mirrored.to_owned()]
    };
    html! {
        (report::table(["position", "value", "with the other side to move", "mirrored"], answers.iter().map(row)))
        p .note { "For the side to move, in hundredths of a pawn, by the rounded network. The positions are White's to move." }
    }
}

fn rounding(outcome: &TrainingOutcome) -> Markup {
    let rounding = &outcome.rounding;
    html! {
        p {
            "Over " (grouped(rounding.positions as u64)) " held-out positions the rounded network differs by "
            (decimal(rounding.mean, 2)) " hundredths of a pawn from the trained one on average and by "
            (decimal(rounding.largest, 1)) " at most; the loss goes from " (decimal(rounding.before, LOSS_DIGITS)) " to "
            (decimal(rounding.after, LOSS_DIGITS)) "."
        }
    }
}
