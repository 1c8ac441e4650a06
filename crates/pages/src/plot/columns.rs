//! Histograms: one column for each value or range of values.

use super::{Axes, HEADROOM, HEIGHT, PlotError, SERIES, WIDTH, chart, on_paper};
use crate::number::Scale;
use plotters::prelude::*;

/// The share of its place that a column fills.
const FILLED: f64 = 0.9;

/// Columns of equal width.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    /// The text for screen readers.
    pub title: &'a str,
    /// The quantity on the x axis.
    pub x_name: &'a str,
    /// The name of the counts.
    pub y_name: &'a str,
    /// The lower end of the first column.
    pub from: f64,
    /// The width of each column on the x axis.
    pub width: f64,
    /// The count of each column.
    pub counts: &'a [u64],
}

/// One column for each count.
///
/// # Errors
/// The plot cannot be drawn.
pub fn columns(columns: &Columns<'_>) -> Result<String, PlotError> {
    let most = columns.counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let end = columns.from + columns.width * columns.counts.len().max(1) as f64;
    let axes = Axes {
        x: columns.from..end,
        y: 0.0..most * (1.0 + HEADROOM),
        x_scale: Scale::ONES,
        y_scale: Scale::of_counts(most),
        x_name: columns.x_name,
        y_name: columns.y_name,
    };
    on_paper((WIDTH, HEIGHT), columns.title, |area| {
        let mut chart = chart(area, &axes)?;
        let column = |(index, count): (usize, &u64)| {
            let left = columns.from + columns.width * index as f64;
            let gap = columns.width * (1.0 - FILLED) / 2.0;
            Rectangle::new([(left + gap, 0.0), (left + columns.width - gap, *count as f64)], SERIES[0].rgb.filled())
        };
        chart.draw_series(columns.counts.iter().enumerate().map(column))?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_column_for_each_count() {
        let drawn = |counts: &[u64]| {
            let all = Columns { title: "t", x_name: "x", y_name: "y", from: -5.0, width: 5.0, counts };
            columns(&all).expect("drawn").matches("fill=\"#0B62A3\"").count()
        };
        assert_eq!((drawn(&[3, 1, 2]), drawn(&[7])), (3, 1));
        assert_eq!(drawn(&[]), 0);
    }
}
