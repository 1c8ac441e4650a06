//! How the values of each parameter are spread over the population, step by step: one small plot for each.

use crate::history::TuningStep;
use crate::report::RunView;
use crate::space::Dimension;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use quarterply_files::pages::number::quantile;
use quarterply_files::pages::plot::{
    BAND, BEST, LINE, POPULATION, PlotArea, PlotError, QUIET, TEXT, TEXT_HEIGHT, anchored, band, level, line, on_paper,
    steps_of, text_style,
};

/// Pixels of one small plot.
const WIDTH: u32 = 300;
const HEIGHT: u32 = 150;
/// Columns of small plots in the file with all of them.
const COLUMNS: usize = 3;
/// Room for the name of the parameter, and for labels.
const NAME_HEIGHT: i32 = 26;
const X_LABELS: u32 = 22;
const Y_LABELS: u32 = 48;
const MARGIN: i32 = 10;
/// Shares of the population: the ends of the outer and of the inner band, and the line between them.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The values of a parameter at one step, sorted, by these shares of the population. A switch has no middle half, so the share of candidates
/// that have it on is shown.
fn spread(sorted: &[f64], switch: bool) -> [f64; 5] {
    let on = sorted.iter().sum::<f64>() / sorted.len() as f64;
    if switch { [0.0, on, on, on, on] } else { SHARES.map(|share| quantile(sorted, share)) }
}

/// The spreads of a parameter, with the steps that have a population.
fn spreads(view: &RunView<'_>, index: usize, switch: bool) -> Vec<(f64, [f64; 5])> {
    let spread_at = |step: &TuningStep| {
        let values = step.snapshot.population.iter().filter_map(|one| one.candidate.get(index));
        let mut values: Vec<f64> = values.copied().map(f64::from).collect();
        values.sort_by(f64::total_cmp);
        (!values.is_empty()).then(|| (step.snapshot.step as f64, spread(&values, switch)))
    };
    view.summary.steps.iter().filter_map(spread_at).collect()
}

/// The values of one parameter over the steps; nothing if it does not exist.
pub fn distribution(view: &RunView<'_>, index: usize) -> Result<Option<String>, PlotError> {
    let Some(dimension) = view.summary.dimensions.get(index) else { return Ok(None) };
    let title = format!("Values of {} over the steps", dimension.name);
    on_paper((WIDTH, HEIGHT), &title, |area| cell(area, view, index, dimension)).map(Some)
}

/// All parameters in one picture.
pub fn distributions(view: &RunView<'_>) -> Result<String, PlotError> {
    let dimensions = &view.summary.dimensions;
    let columns = COLUMNS.min(dimensions.len()).max(1);
    let rows = dimensions.len().div_ceil(columns).max(1);
    let size = (WIDTH * columns as u32, HEIGHT * rows as u32);
    on_paper(size, "Values of every parameter over the steps", |area| {
        let cells = area.split_evenly((rows, columns));
        for (index, (part, dimension)) in cells.iter().zip(dimensions).enumerate() {
            cell(part, view, index, dimension)?;
        }
        Ok(())
    })
}

fn cell(area: &PlotArea<'_>, view: &RunView<'_>, index: usize, dimension: &Dimension) -> Result<(), PlotError> {
    let bold = anchored(&TEXT, TEXT_HEIGHT, HPos::Left, VPos::Center);
    area.draw(&Text::new(dimension.name.clone(), (MARGIN, NAME_HEIGHT / 2 + 1), bold))?;
    let (_, rest) = area.split_vertically(NAME_HEIGHT);
    let (least, greatest) = (f64::from(dimension.min), f64::from(dimension.max));
    let room = ((greatest - least) * quarterply_files::pages::plot::HEADROOM).max(0.1);
    let mut chart = ChartBuilder::on(&rest)
        .margin_right(MARGIN)
        .margin_bottom(2)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(
            steps_of(view.summary.steps.iter().map(|step| step.snapshot.step)),
            (least - room)..(greatest + room),
        )?;
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(quarterply_files::pages::plot::GRID.rgb)
        .x_labels(3)
        .y_labels(0)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .label_style(text_style(&QUIET, TEXT_HEIGHT - 2.0))
        .draw()?;
    ends(&rest, &chart, dimension)?;
    let spreads = spreads(view, index, dimension.switch);
    let outer: Vec<_> = spreads.iter().map(|(step, [least, .., greatest])| (*step, *least, *greatest)).collect();
    let inner: Vec<_> = spreads.iter().map(|(step, [_, low, _, high, _])| (*step, *low, *high)).collect();
    let middle: Vec<_> = spreads.iter().map(|(step, [_, _, middle, ..])| (*step, *middle)).collect();
    band(&mut chart, &outer, POPULATION, BAND)?;
    band(&mut chart, &inner, POPULATION, BAND * 2.0)?;
    level(&mut chart, f64::from(dimension.start), &QUIET)?;
    line(&mut chart, &middle, POPULATION)?;
    let best =
        |step: &TuningStep| step.snapshot.best.get(index).map(|value| (step.snapshot.step as f64, f64::from(*value)));
    line(&mut chart, &view.summary.steps.iter().filter_map(best).collect::<Vec<_>>(), BEST)
}

/// Writes the ends of the range next to the axis, with a thin line at each.
fn ends(
    area: &PlotArea<'_>,
    chart: &quarterply_files::pages::plot::Chart<'_, '_>,
    dimension: &Dimension,
) -> Result<(), PlotError> {
    let plot = chart.plotting_area();
    let (x, _) = plot.get_pixel_range();
    let base = area.get_pixel_range().1.start;
    for (value, name) in [(dimension.min, "off"), (dimension.max, "on")] {
        let (_, y) = plot.map_coordinate(&(chart.x_range().start, f64::from(value)));
        let place = y - base;
        let left = area.get_pixel_range().0.start;
        area.draw(&PathElement::new(
            vec![(x.start - left, place), (x.end - left, place)],
            quarterply_files::pages::plot::GRID.rgb.stroke_width(LINE - 1),
        ))?;
        let text = if dimension.switch { name.to_owned() } else { value.to_string() };
        let style = anchored(&QUIET, TEXT_HEIGHT - 2.0, HPos::Right, VPos::Center);
        area.draw(&Text::new(text, (x.start - left - 6, place), style))?;
    }
    Ok(())
}
