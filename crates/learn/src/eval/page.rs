//! The report of a fit as one self-contained page.

use super::data::EvalDataset;
use super::fit::{EvalFit, Pass};
use super::model::{CURVE_EG, CURVE_MG, EG, INPUTS, MG, PARTS};
use maud::{Markup, html};
use quarterply_engine::eval::groups::{
    CURVE_POINTS, CURVE_STEP, DANGER_GROUPS, GROUPS, HALF_BOARD, RANKS, SCALE_GROUPS,
};
use quarterply_engine::words::grouped;
use quarterply_files::pages::number::Scale;
use quarterply_files::pages::plot::{Axes, PlotError, Points, curves, range_of};
use quarterply_files::pages::{document, report};

/// A weight within this number of standard errors of zero is shown as doubtful.
const DOUBT: f64 = 2.0;
/// Files that share a weight, from the edge.
const FILE_PAIRS: [&str; 4] = ["a, h", "b, g", "c, f", "d, e"];

/// A group of weights, before and after.
pub struct WeightGroup {
    /// Its name.
    pub name: &'static str,
    /// The meaning of the weights.
    pub about: &'static str,
    /// True if it has middlegame and endgame values; the first half of each list is then the middlegame's.
    pub halves: bool,
    /// Values before.
    pub before: Vec<f64>,
    /// Values after.
    pub after: Vec<f64>,
    /// Standard errors.
    pub error: Vec<f64>,
}

impl WeightGroup {
    /// Weights, a pair counted once.
    fn count(&self) -> usize {
        if self.halves { self.after.len() / 2 } else { self.after.len() }
    }

    /// Returns true if the weight does not differ significantly from zero.
    fn doubtful(&self, index: usize) -> bool {
        let near = |place: usize| self.after[place].abs() < DOUBT * self.error[place];
        near(index) && (!self.halves || near(self.count() + index))
    }
}

/// All groups, in the order of the source.
pub fn rows(fit: &EvalFit, errors: &[f64]) -> Vec<WeightGroup> {
    let mut rows = Vec::new();
    let mut add = |name, about: &'static str, halves, places: Vec<usize>| {
        let of = |values: &[f64]| places.iter().map(|&place| values[place]).collect();
        let (before, after, error) = (of(&fit.before), of(&fit.after), of(errors));
        rows.push(WeightGroup { name, about: about.trim(), halves, before, after, error });
    };
    for group in GROUPS {
        let places = [MG, EG].into_iter().flat_map(|half| (0..group.len).map(move |index| half + group.at(index)));
        add(group.name, group.about, true, places.collect());
    }
    for (first, groups) in [(INPUTS, DANGER_GROUPS), (PARTS, SCALE_GROUPS)] {
        for group in groups {
            add(group.name, group.about, false, (0..group.len).map(|index| first + group.at(index)).collect());
        }
    }
    let curve = [CURVE_MG, CURVE_EG].into_iter().flat_map(|half| half..half + CURVE_POINTS);
    add("CURVE", "penalty of danger, by point", true, curve.collect());
    rows
}

/// The page. `origin`: how the weights were made, a line each.
pub fn page(fit: &EvalFit, errors: &[f64], loaded: &EvalDataset, origin: &[String]) -> Result<String, PlotError> {
    let rows = rows(fit, errors);
    let body = html! {
                h1 { "Weights of the evaluation, fitted to games of this program" }
                @for line in origin { p { (line) } }
                p {
                    (grouped(loaded.train.positions() as u64)) " positions to learn from, " (grouped(loaded.held_out.positions() as u64))
                    " of other games held out."
                }
                h2 { "Loss, pass by pass" }
                (report::figure(&losses(&fit.fitted_passes)?, ""))
                h2 { "Penalty of danger to a king" }
                (report::figure(&curve(fit)?, ""))
                h2 { "Every weight" }
                p {
                    "Before, after, and the standard error of the latter: how well these games determine it. Faint: within "
                    (DOUBT) " errors of zero. Pairs are middlegame and endgame, in hundredths of a pawn."
                }
                @for row in &rows { (table(row)) }
    };
    Ok(document("Weights of the evaluation", &body))
}

/// The loss after each pass.
fn losses(fitted_passes: &[Pass]) -> Result<String, PlotError> {
    let of = |value: fn(&Pass) -> f64| fitted_passes.iter().map(|pass| (pass.number as f64, value(pass))).collect();
    over("pass", "loss", &[("learned from", of(|pass| pass.train)), ("held out", of(|pass| pass.held_out))])
}

/// Curves of one quantity over another.
fn over(x_name: &str, y_name: &str, lines: &[(&str, Points)]) -> Result<String, PlotError> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let last = points().map(|(x, _)| *x).fold(1.0, f64::max);
    let y = range_of(points().map(|(_, y)| *y));
    let axes = Axes { x: 0.0..last, y, x_scale: Scale::ONES, y_scale: Scale::ONES, x_name, y_name };
    curves(&format!("{y_name} by {x_name}"), &axes, lines, None)
}

fn curve(fit: &EvalFit) -> Result<String, PlotError> {
    let points = |first: usize| {
        (0..CURVE_POINTS).map(|point| (f64::from(CURVE_STEP) * point as f64, fit.after[first + point])).collect()
    };
    over("danger", "pawns/100", &[("middlegame", points(CURVE_MG)), ("endgame", points(CURVE_EG))])
}

/// The text of a value: pairs as "middlegame / endgame".
fn cell(row: &WeightGroup, values: &[f64], index: usize, digits: usize) -> String {
    if row.halves {
        format!("{:.digits$} / {:.digits$}", values[index], values[row.count() + index])
    } else {
        format!("{:.digits$}", values[index])
    }
}

fn table(row: &WeightGroup) -> Markup {
    let count = row.count();
    html! {
        section {
            h3 { code { (row.name) } }
            p { (row.about) }
            div .scroll {
                @if count == HALF_BOARD { (boards(row)) } @else { table {
                    thead { tr { th { } @for index in 0..count { th scope="col" { (index) } } } }
                    tbody {
                        tr { th scope="row" { "before" } @for index in 0..count { td { (cell(row, &row.before, index, 0)) } } }
                        tr { th scope="row" { "after" }
                            @for index in 0..count { td .doubt[row.doubtful(index)] { (cell(row, &row.after, index, 0)) } } }
                        tr { th scope="row" { "error" } @for index in 0..count { td { (cell(row, &row.error, index, 1)) } } }
                    }
                } }
            }
        }
    }
}

/// Squares as half a board, the owner's home rank at the bottom.
fn boards(row: &WeightGroup) -> Markup {
    let files = HALF_BOARD / RANKS;
    html! {
        div .boards {
            @for (name, values, digits) in [("before", &row.before, 0), ("after", &row.after, 0), ("error", &row.error, 1)] {
                table {
                    caption { (name) }
                    thead { tr { th { } @for file in &FILE_PAIRS[..files] { th scope="col" { (file) } } } }
                    tbody { @for rank in (0..RANKS).rev() { tr {
                        th scope="row" { (rank + 1) }
                        @for index in rank * files..(rank + 1) * files {
                            td .doubt[name == "after" && row.doubtful(index)] { (cell(row, values, index, digits)) }
                        }
                    } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_shown_as_a_board_with_the_home_rank_below() {
        let values: Vec<f64> = (0..2 * HALF_BOARD).map(|n| n as f64).collect();
        let [before, after, error] = std::array::from_fn(|_| values.clone());
        let row = WeightGroup { name: "KING_SQUARE", about: "", halves: true, before, after, error };
        let shown = table(&row).into_string();
        let [top, home] =
            [">8</th><td class=\"\">28 / 60<", ">1</th><td class=\"\">0 / 32<"].map(|text| shown.find(text));
        assert!(top.is_some() && top < home, "{shown}");
    }
}
