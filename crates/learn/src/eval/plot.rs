//! Plots of the report, as SVG.

use super::fit::Pass;
use plotters::prelude::*;
use std::error::Error;
use thiserror::Error as ThisError;

/// A plot could not be drawn.
#[derive(Debug, ThisError)]
#[error("a plot could not be drawn: {0}")]
pub struct PlotError(String);

impl<E: Error + Send + Sync> From<DrawingAreaErrorKind<E>> for PlotError {
    fn from(error: DrawingAreaErrorKind<E>) -> PlotError {
        PlotError(error.to_string())
    }
}

/// Pixels.
const SIZE: (u32, u32) = (680, 320);
const MARGIN: u32 = 8;
const X_LABELS: u32 = 36;
const Y_LABELS: u32 = 72;
const TEXT: u32 = 13;
/// Room above and below a line, as a share of its range.
const ROOM: f64 = 0.06;
const COLOURS: [RGBColor; 2] = [RGBColor(11, 98, 163), RGBColor(184, 80, 10)];

/// A named line.
pub struct Line<'a> {
    /// For the legend.
    pub name: &'a str,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// The loss after each pass.
pub fn losses(course: &[Pass]) -> Result<String, PlotError> {
    let of = |value: fn(&Pass) -> f64| course.iter().map(|pass| (pass.number as f64, value(pass))).collect();
    let lines = [
        Line { name: "learned from", points: of(|pass| pass.train) },
        Line { name: "held out", points: of(|pass| pass.held_out) },
    ];
    lines_plot(&lines, "pass", "loss", SeriesLabelPosition::UpperRight)
}

/// Lines over one axis, with the legend where they leave room.
pub fn lines_plot(
    lines: &[Line<'_>],
    x_name: &str,
    y_name: &str,
    legend: SeriesLabelPosition,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let (xs, ys): (Vec<f64>, Vec<f64>) = lines.iter().flat_map(|line| line.points.iter().copied()).unzip();
        let mut chart = ChartBuilder::on(&area)
            .margin(MARGIN)
            .x_label_area_size(X_LABELS)
            .y_label_area_size(Y_LABELS)
            .build_cartesian_2d(range(&xs, 0.0), range(&ys, ROOM))?;
        chart
            .configure_mesh()
            .x_desc(x_name)
            .y_desc(y_name)
            .light_line_style(TRANSPARENT)
            .label_style(("sans-serif", TEXT))
            .draw()?;
        for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            let series = LineSeries::new(line.points.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(series)?
                .label(line.name)
                .legend(|(x, y)| PathElement::new([(x, y), (x + X_LABELS as i32 / 2, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(legend)
            .background_style(WHITE)
            .border_style(BLACK.mix(ROOM))
            .label_font(("sans-serif", TEXT))
            .draw()?;
        area.present()?;
    }
    Ok(svg)
}

/// From the least to the greatest value, with room.
fn range(values: &[f64], room: f64) -> std::ops::Range<f64> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let width = if high > low { high - low } else { 1.0 };
    low - room * width..high + room * width
}
