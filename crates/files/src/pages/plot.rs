//! Plots as SVG. Each is made once in fixed colours, for files; [`themed`] turns the colours into CSS variables, for pages that are
//! light or dark.

mod columns;
mod crosses;
mod forest;

pub use columns::columns;
pub use crosses::{Cross, crosses};
pub use forest::{Interval, forest};

use crate::pages::number::Scale;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;
use thiserror::Error;

/// A plot cannot be drawn.
#[derive(Debug, Error)]
#[error("cannot draw the plot: {0}")]
pub struct PlotError(String);

impl<E: Error + Send + Sync> From<DrawingAreaErrorKind<E>> for PlotError {
    fn from(error: DrawingAreaErrorKind<E>) -> PlotError {
        PlotError(error.to_string())
    }
}

/// The area of a plot.
pub type PlotArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A colour in files and its name in style sheets.
pub struct Ink {
    /// The colour in files.
    pub rgb: RGBColor,
    variable: &'static str,
}

const fn ink(red: u8, green: u8, blue: u8, variable: &'static str) -> Ink {
    Ink { rgb: RGBColor(red, green, blue), variable }
}

const PAPER: Ink = ink(255, 255, 255, "--paper");
/// Text.
pub const TEXT: Ink = ink(31, 41, 51, "--text");
/// Quieter text.
pub const QUIET: Ink = ink(84, 96, 108, "--quiet");
/// Grid lines.
pub const GRID: Ink = ink(217, 222, 227, "--grid");
/// Colours of the series of a comparison, in order; they differ also in grey and for colour-blind readers.
pub const SERIES: [Ink; 6] = [
    ink(11, 98, 163, "--series-1"),
    ink(184, 80, 10, "--series-2"),
    ink(26, 127, 75, "--series-3"),
    ink(142, 58, 128, "--series-4"),
    ink(138, 109, 0, "--series-5"),
    ink(74, 74, 74, "--series-6"),
];
/// The population.
pub const POPULATION: &Ink = &SERIES[0];
/// The best of it.
pub const BEST: &Ink = &SERIES[1];
/// Opacity of bands.
pub const BAND: f64 = 0.18;
/// Width of lines in pixels.
pub const LINE: u32 = 2;

/// Width of a plot in pixels.
pub const WIDTH: u32 = 680;
/// Height of a plot in pixels.
pub const HEIGHT: u32 = 340;
/// Height of text in pixels.
pub const TEXT_HEIGHT: f64 = 13.0;
/// Font size of plotters for one pixel of text height.
const FONT_UNIT: f64 = 1.24;
/// Width of an average character of that text.
const CHARACTER: f64 = 6.3;
/// Room for the legend above a plot.
const LEGEND_HEIGHT: u32 = 30;
/// Room for the labels of an axis.
const X_LABELS: u32 = 46;
const Y_LABELS: u32 = 72;
/// Room at the border.
const MARGIN: u32 = 12;
/// Approximate number of ticks of an axis.
const TICKS: usize = 6;
/// Room above and below curves, as a share of their range.
pub const HEADROOM: f64 = 0.06;
/// Dashes and gaps in pixels.
const DASH: (u32, u32) = (6, 5);

/// Replaces the colours of a plot by CSS variables, with the fixed colours as fallback.
pub fn themed(svg: &str) -> String {
    let mut text = svg.to_owned();
    for Ink { rgb, variable } in [&PAPER, &TEXT, &QUIET, &GRID].into_iter().chain(&SERIES) {
        let hex = format!("#{:02X}{:02X}{:02X}", rgb.0, rgb.1, rgb.2);
        text = text.replace(&format!("\"{hex}\""), &format!("\"var({variable},{hex})\""));
    }
    text
}

/// Draws on white paper; `title` is the text for screen readers.
///
/// # Errors
/// The error of `draw`, or [`PlotError`] if the plot cannot be written.
pub fn on_paper(
    (width, height): (u32, u32),
    title: &str,
    draw: impl FnOnce(&PlotArea<'_>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        area.fill(&PAPER.rgb)?;
        draw(&area)?;
        area.present()?;
    }
    let label: String = title.chars().filter(|c| !"<>&\"".contains(*c)).collect();
    Ok(svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

/// Text of this height in pixels.
pub fn text_style(color: &'static Ink, height: f64) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", height * FONT_UNIT).into_font()).color(&color.rgb)
}

/// Text at this side of its point.
pub fn anchored(color: &'static Ink, height: f64, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    text_style(color, height).pos(Pos::new(horizontal, vertical))
}

/// The sample of a series in the legend.
pub enum Mark {
    /// A line.
    Line,
    /// A dashed line.
    Dashes,
    /// A band.
    Band,
}

/// Writes the meaning of the colours above a plot, in one or more rows, and returns the rest of the area.
pub fn legend<'a>(area: &PlotArea<'a>, entries: &[(&str, &'static Ink, Mark)]) -> Result<PlotArea<'a>, PlotError> {
    const SAMPLE: i32 = 22;
    const GAP: i32 = 6;
    let right = area.dim_in_pixel().0 as i32 - MARGIN as i32;
    let length = |name: &str| (name.chars().count() as f64 * CHARACTER) as i32 + SAMPLE + 3 * GAP;
    let (mut x, mut y) = (Y_LABELS as i32, (LEGEND_HEIGHT / 2 + 2) as i32);
    for (name, color, mark) in entries {
        if x + length(name) > right && x > Y_LABELS as i32 {
            (x, y) = (Y_LABELS as i32, y + LEGEND_HEIGHT as i32 * 2 / 3);
        }
        let line = color.rgb.stroke_width(LINE);
        match mark {
            Mark::Line => area.draw(&PathElement::new(vec![(x, y), (x + SAMPLE, y)], line))?,
            Mark::Dashes => dashes(area, (x, y), (SAMPLE, 0), color)?,
            Mark::Band => {
                area.draw(&Rectangle::new([(x, y - GAP), (x + SAMPLE, y + GAP)], color.rgb.mix(BAND).filled()))?;
            }
        }
        area.draw(&Text::new(
            (*name).to_owned(),
            (x + SAMPLE + GAP, y),
            anchored(&TEXT, TEXT_HEIGHT, HPos::Left, VPos::Center),
        ))?;
        x += length(name);
    }
    Ok(area.split_vertically(y + LEGEND_HEIGHT as i32 / 2).1)
}

/// A dashed line in pixels from a point to the right or down; one of the two lengths is 0.
fn dashes(
    area: &PlotArea<'_>,
    (x, y): (i32, i32),
    (right, down): (i32, i32),
    color: &'static Ink,
) -> Result<(), PlotError> {
    let (dash, gap) = (DASH.0 as i32, DASH.1 as i32);
    let place = |at: i32| (x + at.min(right), y + at.min(down));
    for start in (0..right.max(down)).step_by((dash + gap) as usize) {
        let ends = vec![place(start), place(start + dash)];
        area.draw(&PathElement::new(ends, color.rgb.stroke_width(LINE - 1)))?;
    }
    Ok(())
}

/// The axes of a plot.
pub struct Axes<'a> {
    /// From the left to the right.
    pub x: Range<f64>,
    /// From the bottom to the top.
    pub y: Range<f64>,
    /// The unit of the values on the x axis.
    pub x_scale: Scale,
    /// The same on the y axis.
    pub y_scale: Scale,
    /// The quantity on the x axis.
    pub x_name: &'a str,
    /// The quantity on the y axis.
    pub y_name: &'a str,
}

/// A plot with its axes.
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<AxisRange, AxisRange>>;

/// A range of numbers whose ticks are round.
pub type AxisRange = plotters::coord::types::RangedCoordf64;

/// Draws axes and grid.
pub fn chart<'a, 'b>(area: &'a PlotArea<'b>, axes: &Axes<'_>) -> Result<Chart<'a, 'b>, PlotError> {
    let mut chart = ChartBuilder::on(area)
        .margin_right(MARGIN * 2)
        .margin_bottom(MARGIN / 2)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(axes.x.clone(), axes.y.clone())?;
    let distance = |range: &Range<f64>| (range.end - range.start) / TICKS as f64;
    let (dx, dy) = (distance(&axes.x), distance(&axes.y));
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(0)
        .bold_line_style(GRID.rgb)
        .axis_style(QUIET.rgb)
        .x_labels(TICKS + 2)
        .y_labels(TICKS)
        .x_desc(axes.x_scale.label(axes.x_name))
        .y_desc(axes.y_scale.label(axes.y_name))
        .label_style(text_style(&TEXT, TEXT_HEIGHT - 1.0))
        .axis_desc_style(text_style(&QUIET, TEXT_HEIGHT))
        .x_label_formatter(&|x| axes.x_scale.tick(*x, dx))
        .y_label_formatter(&|y| axes.y_scale.tick(*y, dy))
        .draw()?;
    Ok(chart)
}

/// A line through points.
pub fn line(chart: &mut Chart<'_, '_>, points: &[(f64, f64)], color: &'static Ink) -> Result<(), PlotError> {
    chart.draw_series(LineSeries::new(points.iter().copied(), color.rgb.stroke_width(LINE)))?;
    if let [only] = points {
        chart.draw_series([Circle::new(*only, LINE * 2, color.rgb.filled())])?;
    }
    Ok(())
}

/// Points of a curve.
pub type Points = Vec<(f64, f64)>;

/// A plot of named curves in the colours of [`SERIES`], and of a dashed level to compare them with.
pub fn curves(
    title: &str,
    axes: &Axes<'_>,
    lines: &[(&str, Points)],
    dashed: Option<(&str, f64)>,
) -> Result<String, PlotError> {
    on_paper((WIDTH, HEIGHT), title, |area| {
        let named = lines.iter().zip(&SERIES).map(|((name, _), ink)| (*name, ink, Mark::Line));
        let entries: Vec<_> = named.chain(dashed.map(|(name, _)| (name, &QUIET, Mark::Dashes))).collect();
        let rest = legend(area, &entries)?;
        let mut chart = chart(&rest, axes)?;
        if let Some((_, y)) = dashed {
            level(&mut chart, y, &QUIET)?;
        }
        lines.iter().zip(&SERIES).try_for_each(|((_, points), ink)| line(&mut chart, points, ink))
    })
}

/// A dashed level line over the whole width.
pub fn level(chart: &mut Chart<'_, '_>, y: f64, color: &'static Ink) -> Result<(), PlotError> {
    let x = chart.x_range();
    let style = color.rgb.stroke_width(LINE - 1);
    chart.draw_series(DashedLineSeries::new([(x.start, y), (x.end, y)], DASH.0, DASH.1, style))?;
    Ok(())
}

/// A band between two lines, given as x, low, high.
pub fn band(
    chart: &mut Chart<'_, '_>,
    edges: &[(f64, f64, f64)],
    color: &'static Ink,
    strength: f64,
) -> Result<(), PlotError> {
    if edges.len() < 2 {
        return Ok(());
    }
    let lower = edges.iter().map(|(x, low, _)| (*x, *low));
    let upper = edges.iter().rev().map(|(x, _, high)| (*x, *high));
    chart.draw_series([Polygon::new(lower.chain(upper).collect::<Vec<_>>(), color.rgb.mix(strength).filled())])?;
    Ok(())
}

/// The range of some values with room around it; one value gets a range too.
pub fn range_of(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return 0.0..1.0;
    }
    let room = if high > low { (high - low) * HEADROOM } else { (high.abs() * HEADROOM).max(1.0) };
    (low - room)..(high + room)
}

/// The range of steps, from the first to the last.
pub fn steps_of(mut steps: impl Iterator<Item = usize>) -> Range<f64> {
    let first = steps.next().unwrap_or(1);
    let last = steps.last().unwrap_or(first);
    if last > first { first as f64..last as f64 } else { first as f64 - HEADROOM..first as f64 + 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_a_plot_becomes_a_variable() {
        let svg = on_paper((50, 50), "a <b> & \"c\"", |area| {
            area.draw(&Circle::new((9, 9), 3, POPULATION.rgb.filled()))?;
            area.draw(&Text::new("text", (9, 20), text_style(&QUIET, TEXT_HEIGHT)))?;
            Ok(())
        })
        .expect("drawn");
        assert!(svg.contains("aria-label=\"a b  c\"") && svg.contains("#0B62A3"), "{svg}");
        let page = themed(&svg);
        assert!(page.contains("\"var(--series-1,#0B62A3)\"") && page.contains("\"var(--paper,#FFFFFF)\""), "{page}");
        assert!(!page.contains("=\"#"), "{page}");
    }

    #[test]
    fn ranges_have_room_and_are_never_empty() {
        for (values, expected) in [
            (vec![100.0, 200.0], 94.0..206.0),
            (vec![50.0], 47.0..53.0),
            (vec![0.0], -1.0..1.0),
            (vec![f64::NAN], 0.0..1.0),
        ] {
            assert_eq!(range_of(values.into_iter()), expected);
        }
        assert_eq!(steps_of([3, 5, 9].into_iter()), 3.0..9.0);
        let one = steps_of([4].into_iter());
        assert!(one.start < 4.0 && one.end > 4.0);
    }
}
