//! The report of a fit: one page that needs nothing else.

use super::fit::RealizationFit;
use super::kinds::RatedMoveKind;
use super::measure::{BINS, BINS_OF_BIT, RealizationBin, RealizationQuality};
use maud::{Markup, html};
use quarterply_engine::rules::realization::{Feature, MODEL, chance_name};
use quarterply_engine::words::grouped;
use quarterply_files::pages::number::Scale;
use quarterply_files::pages::plot::{
    Axes, HEIGHT, Mark, PlotError, QUIET, SERIES, WIDTH, chart, legend, line, on_paper,
};
use quarterply_files::pages::{document, report};

const PERCENT: f64 = 100.0;
/// Rates of fewer moves played are imprecise and are not drawn.
const PLAYED_MIN: u64 = 5;

/// A model with its figures.
#[derive(Clone, Debug)]
pub struct FittedModel {
    /// Its name.
    pub name: &'static str,
    /// On games that were held out.
    pub held_out: RealizationQuality,
}

/// Everything that a report shows.
pub struct RealizationReport<'a> {
    /// The lines on its origin.
    pub origin: &'a [String],
    /// All models, the worst first.
    pub models: &'a [FittedModel],
    /// The softmax.
    pub fit: &'a RealizationFit,
    /// Its weights as the engine has them (1/1024 bit).
    pub weights: &'a [i32],
    /// Kinds of moves.
    pub kinds: &'a [RatedMoveKind],
}

/// The description of a coefficient.
pub fn about(name: &str) -> &'static str {
    MODEL.declared().find(|(_, one)| one.name == name).map_or("", |(_, one)| one.doc.trim())
}

/// The page.
pub fn page(found: &RealizationReport<'_>) -> Result<String, PlotError> {
    let title = "Chances of moves, learned from games of this program";
    let body = html! {
        p .kind { "Realization probability" }
        h1 { (title) }
        @for line in found.origin { p { (line) } }
        h2 { "Quality of the chances on held-out games" }
        (models(found.models))
        h2 { "Calibration" }
        (report::figure(
            &calibration(found.models)?,
            "Moves by the bits of their chance, against the bits of the share that was played. On the grey line they are equal.",
        ))
        @if let Some(best) = found.models.last() { (table(best)) }
        h2 { "Kinds of moves" }
        (kinds(found.kinds))
        h2 { "Weights of the softmax" }
        p { "In bits: one bit more doubles the odds. The error is the standard error of the weight: how well these games determine it." }
        (weights(found))
    };
    Ok(document(title, &body))
}

fn percent(share: f64) -> String {
    format!("{:.2} %", PERCENT * share)
}

fn models(models: &[FittedModel]) -> Markup {
    let row = |FittedModel { name, held_out }: &FittedModel| {
        [
            (*name).to_owned(),
            format!("{:.3}", held_out.cross_entropy()),
            percent(held_out.top_1()),
            percent(held_out.top_3()),
            format!("{:.3}", held_out.miscalibration()),
        ]
    };
    let head = ["model", "cross-entropy (bits)", "likeliest move played", "one of three", "miscalibration (bits)"];
    report::table(head, models.iter().map(row))
}

fn table(model: &FittedModel) -> Markup {
    let shown = model.held_out.bins.iter().enumerate().filter(|(_, bin)| bin.moves > 0);
    let row = |(index, bin): (usize, &RealizationBin)| {
        [bits(index), grouped(bin.moves), grouped(bin.played), percent(bin.predicted()), percent(bin.observed())]
    };
    html! {
        h3 { (model.name) }
        (report::table(["bits", "moves", "played", "predicted", "observed"], shown.map(row)))
    }
}

/// The range of a bin.
pub fn bits(index: usize) -> String {
    let from = index as f64 / BINS_OF_BIT;
    if index + 1 == BINS { format!("from {from:.1}") } else { format!("{from:.1} to {:.1}", from + 1.0 / BINS_OF_BIT) }
}

fn kinds(kinds: &[RatedMoveKind]) -> Markup {
    let row = |kind: &RatedMoveKind| {
        let [seen, played] = [kind.seen, kind.played].map(grouped);
        [kind.kind.name().to_owned(), chance_name(kind.kind).to_owned(), seen, played, percent(kind.chance())]
    };
    report::table(["kind", "coefficient", "seen", "played", "chance of each"], kinds.iter().map(row))
}

fn weights(found: &RealizationReport<'_>) -> Markup {
    let row = |(index, feature): (usize, &Feature)| {
        let bits = super::fit::in_bits(found.weights)[index];
        let (name, error) = (feature.name(), found.fit.errors[index]);
        [name.to_owned(), about(name).to_owned(), format!("{bits:+.2}"), format!("{error:.2}")]
    };
    report::table(["coefficient", "about", "bits", "error"], Feature::ALL.iter().enumerate().map(row))
}

/// The points of a calibration curve: bits expected and bits observed.
fn points(measured: &RealizationQuality) -> Vec<(f64, f64)> {
    let drawn = |bin: &&RealizationBin| bin.played >= PLAYED_MIN;
    measured.bins.iter().filter(drawn).map(|bin| (-bin.predicted().log2(), -bin.observed().log2())).collect()
}

/// Bits expected against bits observed, for every model except the one with equal chances.
fn calibration(models: &[FittedModel]) -> Result<String, PlotError> {
    let shown: Vec<(&str, Vec<(f64, f64)>)> =
        models.iter().skip(1).map(|model| (model.name, points(&model.held_out))).collect();
    let most = shown.iter().flat_map(|(_, points)| points).fold(1.0f64, |most, (x, y)| most.max(*x).max(*y)).ceil();
    let axes = Axes {
        x: 0.0..most,
        y: 0.0..most,
        x_scale: Scale::ONES,
        y_scale: Scale::ONES,
        x_name: "bits of the chance",
        y_name: "bits of the share played",
    };
    on_paper((WIDTH, HEIGHT), "Calibration of the chances of moves", |area| {
        let mut entries: Vec<_> =
            shown.iter().zip(SERIES.iter()).map(|((name, _), ink)| (*name, ink, Mark::Line)).collect();
        entries.push(("equal", &QUIET, Mark::Line));
        let rest = legend(area, &entries)?;
        let mut plot = chart(&rest, &axes)?;
        line(&mut plot, &[(0.0, 0.0), (most, most)], &QUIET)?;
        for ((_, points), ink) in shown.iter().zip(SERIES.iter()) {
            line(&mut plot, points, ink)?;
        }
        Ok(())
    })
}
