//! A comparison of several runs: the best so far by the nodes spent.

use crate::report::compare::RunComparison;
use quarterply_pages::number::Scale;
use quarterply_pages::plot::{
    Axes, BAND, HEIGHT, Ink, Mark, PlotError, SERIES, WIDTH, band, chart, legend, line, on_paper, range_of,
};

/// One line for each group of runs, the mean of its seeds, in a band from the best seed to the worst.
pub fn comparison(comparison: &RunComparison) -> Result<String, PlotError> {
    let curves = comparison.curves();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let most = points().map(|point| point.spent).fold(0.0, f64::max).max(1.0);
    let y = range_of(points().flat_map(|point| [point.least, point.greatest]));
    let axes = Axes {
        x: 0.0..most,
        x_scale: Scale::of_counts(most),
        y_scale: comparison.scale(y.end),
        y,
        x_name: "nodes spent",
        y_name: comparison.quantity(),
    };
    let color = |index: usize| -> &'static Ink { &SERIES[index % SERIES.len()] };
    on_paper((WIDTH, HEIGHT), "Best so far against nodes spent", |area| {
        let entries: Vec<_> =
            curves.iter().enumerate().map(|(i, curve)| (curve.name.as_str(), color(i), Mark::Line)).collect();
        let rest = legend(area, &entries)?;
        let mut chart = chart(&rest, &axes)?;
        for (index, curve) in curves.iter().enumerate() {
            let edges: Vec<_> = curve.points.iter().map(|p| (p.spent, p.least, p.greatest)).collect();
            band(&mut chart, &edges, color(index), BAND)?;
        }
        for (index, curve) in curves.iter().enumerate() {
            line(&mut chart, &curve.points.iter().map(|p| (p.spent, p.mean)).collect::<Vec<_>>(), color(index))?;
        }
        Ok(())
    })
}
