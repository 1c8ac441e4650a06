//! The report of a fit as one self-contained page.

use super::fit::{ChanceBin, CostFit, names};
use super::sample::Examples;
use maud::{Markup, html};
use plotters::prelude::*;
use quarterply_engine::words::grouped;
use quarterply_files::pages::number::{Scale, decimal, percent};
use quarterply_files::pages::plot::{
    Axes, HEADROOM, HEIGHT, Mark, PlotError, QUIET, SERIES, WIDTH, chart, legend, line, on_paper,
};
use quarterply_files::pages::{document, report};
use quarterply_stats::wilson;

/// Weights within this number of standard errors of zero are marked.
const DOUBT: f64 = 2.0;
const PERCENT: f64 = 100.0;

/// The page. `origin`: how the examples were made, a line each.
pub fn page(fit: &CostFit, examples: &Examples, origin: &[String]) -> Result<String, PlotError> {
    let body = html! {
        p .kind { "Learned cost" }
        h1 { "The chance that a late move matters" }
        @for line in origin { p { (line) } }
        (report::facts(facts(fit, examples)))
        h2 { "Calibration" }
        (report::figure(&calibration(&fit.bins)?, ""))
        (report::table(["examples", "predicted", "observed", "95 %", "formula", "learned"], bin_rows(&fit.bins)))
        p .note {
            "Held-out examples in groups of the same size by predicted chance, the share that mattered with Wilson's interval, and the \
             mean reductions (plies) of the formula and of the learned cost."
        }
        h2 { "Weights" }
        (weights(fit))
        p .note {
            "In bits: a bit more doubles the odds. Each with its standard error; (?): within " (DOUBT) " standard errors of zero."
        }
    };
    Ok(document("Learned cost", &body))
}

/// Names and values of the main figures, for the page and for the terminal.
pub fn facts(fit: &CostFit, examples: &Examples) -> Vec<(&'static str, String)> {
    let all = examples.train.len() + examples.held_out.len();
    let mattered = examples.train.iter().chain(&examples.held_out).filter(|e| e.mattered).count();
    let bits = |value: f64| format!("{value:.4} bits");
    vec![
        ("positions searched", grouped(examples.positions)),
        (
            "nodes, and nodes of full-depth searches",
            format!("{}, {}", grouped(examples.nodes), grouped(examples.audit_nodes)),
        ),
        ("examples", grouped(all as u64)),
        ("of these held out", grouped(examples.held_out.len() as u64)),
        (
            "moves that mattered",
            format!("{} ({})", grouped(mattered as u64), percent(mattered as f64 / all.max(1) as f64)),
        ),
        ("held-out loss: constant probability", bits(fit.constant)),
        ("held-out loss: from the reduction of `late_move_reduction`", bits(fit.formula)),
        ("held-out loss: learned", bits(fit.learned)),
        ("loss on the training examples", bits(fit.train)),
    ]
}

/// The calibration as text: examples, predicted and observed shares, interval, mean reductions.
pub fn bin_rows(bins: &[ChanceBin]) -> Vec<[String; 6]> {
    let text = |share: f64| format!("{} %", decimal(share * PERCENT, 2));
    let row = |bin: &ChanceBin| {
        let found = wilson(bin.mattered, bin.count);
        let interval = format!("{} .. {}", decimal(found.low * PERCENT, 2), decimal(found.high * PERCENT, 2));
        let [formula, learned] = [bin.formula, bin.learned].map(|plies| decimal(plies, 2));
        [grouped(bin.count), text(bin.predicted), text(found.value), interval, formula, learned]
    };
    bins.iter().map(row).collect()
}

fn weights(fit: &CostFit) -> Markup {
    let row = |(((name, about), weight), error): (((&str, &str), &f64), &f64)| {
        let doubt = if weight.abs() < DOUBT * error { "(?)" } else { "" };
        [name.to_owned(), format!("{weight:+.3}"), format!("{error:.3}"), doubt.to_owned(), about.to_owned()]
    };
    let rows = names().zip(&fit.weights).zip(&fit.errors).map(row);
    report::table(["feature", "weight", "error", "", "what it is"], rows)
}

/// Predicted against observed chances.
fn calibration(bins: &[ChanceBin]) -> Result<String, PlotError> {
    let points: Vec<(f64, f64)> =
        bins.iter().map(|bin| (bin.predicted, wilson(bin.mattered, bin.count).value)).collect();
    let most = bins.iter().map(|bin| bin.predicted.max(wilson(bin.mattered, bin.count).high)).fold(0.0, f64::max);
    let end = if most > 0.0 { most * (1.0 + HEADROOM) } else { 1.0 };
    let axes = Axes {
        x: 0.0..end,
        y: 0.0..end,
        x_scale: Scale::PERCENT,
        y_scale: Scale::PERCENT,
        x_name: "predicted chance to matter",
        y_name: "observed share",
    };
    on_paper((WIDTH, HEIGHT), "Predicted and observed chances", |area| {
        let entries = [("held-out examples", &SERIES[0], Mark::Line), ("as predicted", &QUIET, Mark::Line)];
        let rest = legend(area, &entries)?;
        let mut chart = chart(&rest, &axes)?;
        line(&mut chart, &[(0.0, 0.0), (end, end)], &QUIET)?;
        line(&mut chart, &points, &SERIES[0])?;
        for bin in bins {
            let found = wilson(bin.mattered, bin.count);
            line(&mut chart, &[(bin.predicted, found.low), (bin.predicted, found.high)], &SERIES[0])?;
        }
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, SERIES[0].rgb.filled())))?;
        Ok(())
    })
}
