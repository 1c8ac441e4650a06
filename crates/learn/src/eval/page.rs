//! The report of a fit: one page that needs nothing else.

use super::data::Loaded;
use super::fit::Fit;
use super::model::{CURVE_EG, CURVE_MG, EG, INPUTS, MG, PARTS};
use super::plot::{self, Line, PlotError};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use quarterply_engine::eval::groups::{CURVE_POINTS, CURVE_STEP, DANGER_GROUPS, GROUPS, SCALE_GROUPS};
use quarterply_engine::words::grouped;

const STYLE: &str = include_str!("page.css");
/// A weight within so many standard errors of nothing is shown as doubtful.
const DOUBT: f64 = 2.0;

/// A group of weights, before and after.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What the weights stand for.
    pub about: &'static str,
    /// Has it a middlegame and an endgame half? Then the first half of each list is the middlegame's.
    pub halves: bool,
    /// Values before.
    pub before: Vec<f64>,
    /// Values after.
    pub after: Vec<f64>,
    /// Standard errors.
    pub error: Vec<f64>,
}

/// All groups, in the order of the source.
pub fn rows(fit: &Fit, errors: &[f64]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name, about: &'static str, halves, places: Vec<usize>| {
        let of = |values: &[f64]| places.iter().map(|&place| values[place]).collect();
        let (before, after, error) = (of(&fit.before), of(&fit.after), of(errors));
        rows.push(Row { name, about: about.trim(), halves, before, after, error });
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
    add("CURVE", "what danger costs, by point", true, curve.collect());
    rows
}

/// The page. `origin`: how the weights were made, a line each.
///
/// # Errors
/// A plot cannot be drawn.
pub fn page(fit: &Fit, errors: &[f64], loaded: &Loaded, origin: &[String]) -> Result<String, PlotError> {
    let losses = plot::losses(&fit.course)?;
    let curve = curve(fit)?;
    let rows = rows(fit, errors);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Weights of the evaluation" }
                style { (PreEscaped(STYLE)) }
            }
            body { main {
                h1 { "Weights of the evaluation, fitted to own games" }
                @for line in origin { p { (line) } }
                p {
                    (grouped(loaded.train.len() as u64)) " positions to learn from, " (grouped(loaded.held_out.len() as u64))
                    " of other games held out."
                }
                h2 { "Loss, pass by pass" }
                figure { (PreEscaped(losses)) }
                h2 { "What danger to a king costs" }
                figure { (PreEscaped(curve)) }
                h2 { "Every weight" }
                p {
                    "Before, after, and the standard error of the latter: how well these games determine it. Faint: within "
                    (DOUBT) " errors of nothing. Pairs are middlegame and endgame, in hundredths of a pawn."
                }
                @for row in &rows { (table(row)) }
            } }
        }
    };
    Ok(page.into_string())
}

fn curve(fit: &Fit) -> Result<String, PlotError> {
    let points = |first: usize| {
        (0..CURVE_POINTS).map(|point| (f64::from(CURVE_STEP) * point as f64, fit.after[first + point])).collect()
    };
    let lines =
        [Line { name: "middlegame", points: points(CURVE_MG) }, Line { name: "endgame", points: points(CURVE_EG) }];
    plot::lines_plot(&lines, "danger", "pawns/100")
}

fn table(row: &Row) -> Markup {
    let count = if row.halves { row.after.len() / 2 } else { row.after.len() };
    let cell = |values: &[f64], index: usize, digits: usize| {
        if row.halves {
            format!("{:.digits$} / {:.digits$}", values[index], values[count + index])
        } else {
            format!("{:.digits$}", values[index])
        }
    };
    let doubtful = |index: usize| {
        let near = |place: usize| row.after[place].abs() < DOUBT * row.error[place];
        near(index) && (!row.halves || near(count + index))
    };
    html! {
        section {
            h3 { code { (row.name) } }
            p { (row.about) }
            div .wide { table {
                thead { tr { th { } @for index in 0..count { th scope="col" { (index) } } } }
                tbody {
                    tr { th scope="row" { "before" } @for index in 0..count { td { (cell(&row.before, index, 0)) } } }
                    tr { th scope="row" { "after" }
                        @for index in 0..count { td .doubt[doubtful(index)] { (cell(&row.after, index, 0)) } } }
                    tr { th scope="row" { "error" } @for index in 0..count { td { (cell(&row.error, index, 1)) } } }
                }
            } }
        }
    }
}
