//! Curves of a run: cost and positions solved, step by step; and of several runs: the best so far by the nodes spent.

use crate::history::TuningStep;
use crate::optimiser::CandidateCost;
use crate::report::compare::RunComparison;
use crate::report::{RunView, quantity, scale};
use quarterply_files::pages::number::Scale;
use quarterply_files::pages::plot::{
    Axes, BAND, BEST, HEIGHT, Ink, Mark, POPULATION, PlotArea, PlotError, QUIET, SERIES, WIDTH, band, chart, legend,
    level, line, on_paper, range_of, steps_of,
};

/// Three lines over the steps: mean of the population, its extremes as a band, and the best so far, or the point of a method.
struct StepCurves {
    mean: Vec<(f64, f64)>,
    extremes: Vec<(f64, f64, f64)>,
    best: Vec<(f64, f64)>,
    best_word: &'static str,
    start: Option<f64>,
}

impl StepCurves {
    fn of(
        view: &RunView<'_>,
        figure: &dyn Fn(&CandidateCost) -> Option<f64>,
        best: &dyn Fn(&TuningStep) -> Option<f64>,
        start: Option<f64>,
    ) -> StepCurves {
        let mut curves =
            StepCurves { mean: Vec::new(), extremes: Vec::new(), best: Vec::new(), best_word: view.best_word(), start };
        for step in &view.summary.steps {
            let x = step.snapshot.step as f64;
            let all: Vec<f64> = step.snapshot.population.iter().filter_map(figure).collect();
            if !all.is_empty() {
                let (low, high) = all.iter().fold((all[0], all[0]), |(l, h), v| (l.min(*v), h.max(*v)));
                curves.mean.push((x, all.iter().sum::<f64>() / all.len() as f64));
                curves.extremes.push((x, low, high));
            }
            curves.best.extend(best(step).map(|value| (x, value)));
        }
        curves
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let extremes = self.extremes.iter().flat_map(|(_, low, high)| [*low, *high]);
        extremes.chain(self.best.iter().map(|(_, value)| *value)).chain(self.start)
    }

    /// The plot. `y_scale` counts values up to the greatest.
    fn plot(
        &self,
        view: &RunView<'_>,
        title: &str,
        y_name: &str,
        y_scale: impl FnOnce(f64) -> Scale,
    ) -> Result<String, PlotError> {
        let y = range_of(self.values());
        let axes = Axes {
            x: steps_of(view.summary.steps.iter().map(|step| step.snapshot.step)),
            y_scale: y_scale(y.end),
            y,
            x_scale: Scale::WHOLE,
            x_name: view.step_word(),
            y_name,
        };
        on_paper((WIDTH, HEIGHT), title, |area| self.draw(area, &axes))
    }

    fn draw(&self, area: &PlotArea<'_>, axes: &Axes<'_>) -> Result<(), PlotError> {
        let mut entries = vec![
            ("mean of the population", POPULATION, Mark::Line),
            ("best and worst of it", POPULATION, Mark::Band),
            (self.best_word, BEST, Mark::Line),
        ];
        if self.start.is_some() {
            entries.push(("start values", &QUIET, Mark::Dashes));
        }
        let rest = legend(area, &entries)?;
        let mut chart = chart(&rest, axes)?;
        band(&mut chart, &self.extremes, POPULATION, BAND)?;
        if let Some(start) = self.start {
            level(&mut chart, start, &QUIET)?;
        }
        line(&mut chart, &self.mean, POPULATION)?;
        line(&mut chart, &self.best, BEST)
    }
}

/// Cost over the steps.
pub fn cost_curves(view: &RunView<'_>) -> Result<String, PlotError> {
    let best = |step: &TuningStep| step.snapshot.best_cost.map(|cost| cost.value);
    let curves = StepCurves::of(view, &|one| Some(one.cost.value), &best, view.start_cost());
    let objective = &view.summary.objective;
    curves.plot(view, "Cost over the steps", quantity(objective), |y| scale(objective, y))
}

/// Positions solved over the steps; nothing if the objective has no suite.
pub fn solved_curves(view: &RunView<'_>) -> Result<Option<String>, PlotError> {
    let best = |step: &TuningStep| step.snapshot.best_cost.and_then(|cost| cost.solved);
    let curves = StepCurves::of(view, &|one| one.cost.solved, &best, view.start_solved());
    let known = !curves.mean.is_empty();
    known.then(|| curves.plot(view, "Positions solved over the steps", "positions solved", |_| Scale::ONES)).transpose()
}

/// One line for each group of runs, the mean of its seeds, in a band from the best seed to the worst.
pub fn comparison(comparison: &RunComparison) -> Result<String, PlotError> {
    let curves = comparison.curves();
    let points = || curves.iter().flat_map(|(_, points)| points);
    let most = points().map(|point| point.spent).fold(0.0, f64::max).max(1.0);
    let y = range_of(points().flat_map(|point| [point.least, point.greatest]));
    let axes = Axes {
        x: 0.0..most,
        x_scale: Scale::of_counts(most),
        y_scale: scale(&comparison.objective, y.end),
        y,
        x_name: "nodes spent",
        y_name: quantity(&comparison.objective),
    };
    let color = |index: usize| -> &'static Ink { &SERIES[index % SERIES.len()] };
    on_paper((WIDTH, HEIGHT), "Best so far against nodes spent", |area| {
        let entries: Vec<_> =
            curves.iter().enumerate().map(|(index, (name, _))| (*name, color(index), Mark::Line)).collect();
        let rest = legend(area, &entries)?;
        let mut chart = chart(&rest, &axes)?;
        for (index, (_, points)) in curves.iter().enumerate() {
            let edges: Vec<_> = points.iter().map(|p| (p.spent, p.least, p.greatest)).collect();
            band(&mut chart, &edges, color(index), BAND)?;
        }
        for (index, (_, points)) in curves.iter().enumerate() {
            line(&mut chart, &points.iter().map(|p| (p.spent, p.mean)).collect::<Vec<_>>(), color(index))?;
        }
        Ok(())
    })
}
