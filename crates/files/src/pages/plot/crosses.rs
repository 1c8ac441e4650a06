//! Two measurements of the same things: points with an interval in each direction, and the line of equal values.

use super::{
    Axes, DASH, HPos, Ink, LINE, PlotError, QUIET, SERIES, TEXT, TEXT_HEIGHT, VPos, WIDTH, anchored, chart, on_paper,
    range_of,
};
use crate::pages::number::Scale;
use plotters::prelude::*;
use std::ops::Range;

/// Height in pixels: nearly square, so that the line of equal values rises by about as much as it goes to the right.
const HEIGHT: u32 = 560;
/// Radius of a point in pixels.
const POINT: i32 = 4;
/// Distance of a name from its point in pixels.
const NAME: i32 = 8;

/// A pair of measurements.
#[derive(Clone, Debug)]
pub struct Cross {
    /// Its name; written next to the point if the two differ.
    pub name: String,
    /// Lower end, value and upper end of the first measurement; ends may be infinite.
    pub x: [f64; 3],
    /// The same of the second.
    pub y: [f64; 3],
    /// 1 if the second is larger beyond chance, -1 if it is smaller, 0 if it may be chance.
    pub change: i8,
}

/// Points with both intervals. The second value of a point above the dashed line is larger than the first; points that differ beyond chance
/// have a name and a colour.
pub fn crosses(title: &str, points: &[Cross], x_name: &str, y_name: &str) -> Result<String, PlotError> {
    let range = range_of(points.iter().flat_map(|point| point.x.into_iter().chain(point.y)));
    let (x, y) = (range.clone(), range.clone());
    let axes = Axes { x, y, x_scale: Scale::ONES, y_scale: Scale::ONES, x_name, y_name };
    on_paper((WIDTH, HEIGHT), title, |area| {
        let mut chart = chart(area, &axes)?;
        let equal = [(range.start, range.start), (range.end, range.end)];
        let style = QUIET.rgb.stroke_width(LINE - 1);
        chart.draw_series(DashedLineSeries::new(equal, DASH.0, DASH.1, style))?;
        // Those that differ are drawn last, over the others.
        for named in [false, true] {
            for point in points.iter().filter(|point| (point.change != 0) == named) {
                let color = color(point);
                let line = if named { color.rgb.stroke_width(LINE) } else { color.rgb.mix(FAINT).stroke_width(1) };
                let ([left, x, right], [low, y, high]) = (kept(point.x, &range), kept(point.y, &range));
                let arms = [vec![(left, y), (right, y)], vec![(x, low), (x, high)]];
                chart.draw_series(arms.map(|arm| PathElement::new(arm, line)))?;
                chart.draw_series([Circle::new((x, y), POINT, color.rgb.filled())])?;
                if named {
                    let style = anchored(&TEXT, TEXT_HEIGHT, HPos::Left, VPos::Bottom);
                    let text = Text::new(point.name.clone(), (NAME / 2, -NAME / 2), style);
                    chart.draw_series([EmptyElement::at((x, y)) + text])?;
                }
            }
        }
        Ok(())
    })
}

/// Opacity of the intervals of points whose values may be equal.
const FAINT: f64 = 0.4;

fn color(point: &Cross) -> &'static Ink {
    match point.change {
        0 => &SERIES[5],
        change if change > 0 => &SERIES[1],
        _ => &SERIES[0],
    }
}

/// Values limited to the range of the plot.
fn kept(values: [f64; 3], range: &Range<f64>) -> [f64; 3] {
    values.map(|value| value.clamp(range.start, range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_and_those_that_differ_are_named() {
        let cross = |name: &str, change| Cross {
            name: name.to_owned(),
            x: [-10.0, 0.0, 10.0],
            y: [f64::NEG_INFINITY, f64::from(change) * 40.0, 60.0],
            change,
        };
        let points = [cross("same", 0), cross("a<b", 1), cross("less", -1)];
        let svg = crosses("Elo", &points, "2 000", "20 000").expect("drawn");
        assert_eq!(svg.matches("<circle").count(), points.len());
        assert!(svg.contains("a&lt;b") && svg.contains("less") && !svg.contains("same"), "{svg}");
        assert!(crosses("nothing", &[], "x", "y").is_ok());
    }
}
