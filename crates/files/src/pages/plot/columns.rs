//! Histograms: one column for each value or range of values.

use super::{Axes, HEADROOM, HEIGHT, PlotError, SERIES, WIDTH, chart, on_paper};
use crate::pages::number::Scale;
use plotters::prelude::*;

/// The share of its place that a column fills.
const FILLED: f64 = 0.9;

/// A histogram with one column for each count. The first column begins at `from` on the x axis; each has this `width`. `x_name` and
/// `y_name` are the quantities on the axes; `title` is the text for screen readers.
pub fn columns(
    title: &str,
    [x_name, y_name]: [&str; 2],
    [from, width]: [f64; 2],
    counts: &[u64],
) -> Result<String, PlotError> {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let end = from + width * counts.len().max(1) as f64;
    let axes = Axes {
        x: from..end,
        y: 0.0..most * (1.0 + HEADROOM),
        x_scale: Scale::ONES,
        y_scale: Scale::of_counts(most),
        x_name,
        y_name,
    };
    on_paper((WIDTH, HEIGHT), title, |area| {
        let mut chart = chart(area, &axes)?;
        let column = |(index, count): (usize, &u64)| {
            let left = from + width * index as f64;
            let gap = width * (1.0 - FILLED) / 2.0;
            Rectangle::new([(left + gap, 0.0), (left + width - gap, *count as f64)], SERIES[0].rgb.filled())
        };
        chart.draw_series(counts.iter().enumerate().map(column))?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_column_for_each_count() {
        let drawn = |counts: &[u64]| {
            columns("t", ["x", "y"], [-5.0, 5.0], counts).expect("drawn").matches("fill=\"#0B62A3\"").count()
        };
        assert_eq!((drawn(&[3, 1, 2]), drawn(&[7])), (3, 1));
        assert_eq!(drawn(&[]), 0);
    }
}
