//! Descent along the measured gradient, after Björnsson and Marsland, "Learning Control of Search Extensions" (2002).
//!
//! Each step measures a point and one neighbour along each parameter, then goes a fixed length against the slope; the length decays. It
//! works where parameters interact little, and stalls in local optima where they interact.
//!
//! Lengths are in plies for parameters that are declared in parts of a ply, and in shares of the range for all others. The point is
//! kept in real numbers; the allowed value nearest to it is measured, so a step may take several iterations to show.

use super::{CandidateCost, Optimiser, Progress, Query, Snapshot};
use crate::space::{Candidate, Dimension, Space};
use quarterply_engine::params::Parameters;
use serde::{Deserialize, Serialize};

/// Units in which declarations count parts of a ply, and how many make one.
const PARTS_OF_A_PLY: [(&str, f64); 2] = [("quarter plies", 4.0), ("1/1024 ply", 1024.0)];

/// The numbers of the method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradientSettings {
    /// Steps.
    pub iterations: usize,
    /// Distance of the neighbours, in plies or shares of the range.
    pub delta: f64,
    /// Length of the first step, in plies or shares of the range.
    pub eta: f64,
    /// Each step has this share of the length of the one before.
    pub decay: f64,
}

impl Default for GradientSettings {
    /// The widest of the published figures, because the extensions here are whole quarters of a ply.
    fn default() -> GradientSettings {
        GradientSettings { iterations: 20, delta: 0.25, eta: 0.25, decay: 0.9 }
    }
}

/// A descent.
pub struct Gradient {
    settings: GradientSettings,
    space: Space,
    units: Vec<f64>,
    point: Vec<f64>,
    eta: f64,
    progress: Progress,
}

impl Gradient {
    /// The descent at the start values.
    pub fn new(space: &Space, settings: GradientSettings) -> Gradient {
        Gradient {
            settings,
            space: space.clone(),
            units: space.dimensions.iter().map(unit).collect(),
            point: space.start().into_iter().map(f64::from).collect(),
            eta: settings.eta,
            progress: Progress::default(),
        }
    }

    /// The neighbour of a candidate along one parameter: above it, or below where it cannot go up.
    fn neighbour(&self, base: &Candidate, index: usize) -> Candidate {
        let dimension = &self.space.dimensions[index];
        let distance = (self.settings.delta * self.units[index]).max(f64::from(dimension.step));
        let value = f64::from(base[index]);
        let above = dimension.nearest(value + distance);
        let mut neighbour = base.clone();
        neighbour[index] = if above > base[index] { above } else { dimension.nearest(value - distance) };
        neighbour
    }

    /// The slope along each parameter, per unit.
    fn slope(&self, answer: &[CandidateCost]) -> Vec<f64> {
        let Some((base, neighbours)) = answer.split_first() else { return Vec::new() };
        let slope = |(index, one): (usize, &CandidateCost)| {
            let distance = (f64::from(one.candidate[index]) - f64::from(base.candidate[index])) / self.units[index];
            if distance == 0.0 { 0.0 } else { (one.cost.value - base.cost.value) / distance }
        };
        neighbours.iter().enumerate().map(slope).collect()
    }
}

/// Values of a dimension that make one unit.
fn unit(dimension: &Dimension) -> f64 {
    let entry = Parameters::find(&dimension.name);
    let doc = entry.as_ref().map_or("", |entry| entry.spec.doc);
    let parts = PARTS_OF_A_PLY.iter().find(|(words, _)| doc.contains(&format!("({words})")));
    parts.map_or_else(|| dimension.width().max(1.0), |(_, parts)| *parts)
}

impl Optimiser for Gradient {
    fn ask(&mut self) -> Query {
        if self.progress.step >= self.settings.iterations {
            return Query::done();
        }
        let base = self.space.nearest(&self.point);
        let neighbours = (0..base.len()).map(|index| self.neighbour(&base, index));
        Query::whole(std::iter::once(base.clone()).chain(neighbours).collect())
    }

    fn tell(&mut self, answer: &[CandidateCost]) {
        self.progress.update(answer);
        let slope = self.slope(answer);
        let length = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
        if length > 0.0 {
            for (index, dimension) in self.space.dimensions.iter().enumerate() {
                let moved = self.point[index] - self.eta * self.units[index] * slope[index] / length;
                self.point[index] = moved.clamp(f64::from(dimension.min), f64::from(dimension.max));
            }
        }
        self.eta *= self.settings.decay;
    }

    fn snapshot(&self) -> Option<Snapshot> {
        self.progress.snapshot(self.settings.iterations)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{cost, inside, run, space};
    use super::*;

    #[test]
    fn a_step_has_the_length_and_direction_of_the_formula() {
        // Ranges of 100: one unit is 100 values. Costs 3 x + 4 y: the slope is (3, 4), the step 0.25 * (0.6, 0.8) of a range.
        let mut plane = space(&[(0, 100, 1), (0, 100, 1)]);
        (plane.dimensions[0].start, plane.dimensions[1].start) = (50, 100);
        let mut descent = Gradient::new(&plane, GradientSettings { iterations: 2, ..GradientSettings::default() });
        let trial = run(&mut descent, &|c| f64::from(3 * c[0] + 4 * c[1]));
        // The second parameter cannot go up, so its neighbour is below.
        assert_eq!(trial.candidates[..3], [vec![50, 100], vec![75, 100], vec![50, 75]]);
        assert_eq!(trial.candidates[3], [35, 80]);
        // The next step is a tenth shorter: 22.5 * (0.6, 0.8) further.
        let expected = [35.0 - 13.5, 80.0 - 18.0];
        assert!(descent.point.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", descent.point);
        assert_eq!(trial.last.best, [35, 80]);
    }

    #[test]
    fn extensions_are_measured_in_plies() {
        let base = Parameters::default();
        let patterns = "budget.increment,check.quarters,null_move.on,futility.threshold_1";
        let chosen = Space::of_engine(&base, patterns).expect("four parameters");
        let named: Vec<_> = chosen.dimensions.iter().map(|d| (d.name.as_str(), unit(d))).collect();
        for (name, expected) in [
            ("budget.increment", 1024.0),
            ("check.quarters", 4.0),
            ("null_move.on", 1.0),
            ("futility.threshold_1", chosen.dimensions[2].width()),
        ] {
            assert!(named.contains(&(name, expected)), "{name}: {named:?}");
        }
    }

    #[test]
    fn the_bottom_of_a_bowl_is_found() {
        let bowl = space(&[(0, 200, 1), (-100, 100, 1), (0, 200, 2)]);
        let trial = run(
            &mut Gradient::new(&bowl, GradientSettings { iterations: 40, delta: 0.01, ..GradientSettings::default() }),
            &|c| cost(c, &[120.0, 20.0, 60.0]),
        );
        assert!(cost(&trial.last.best, &[120.0, 20.0, 60.0]) < 60.0, "{:?}", trial.last.best);
        assert!(inside(&bowl, &trial.candidates));
    }

    #[test]
    fn flat_ground_and_borders_end_well() {
        let flat = space(&[(0, 4, 1), (0, 1, 1)]);
        let trial = run(&mut Gradient::new(&flat, GradientSettings::default()), &|_| 7.0);
        assert_eq!((trial.last.best, trial.snapshots.len()), (vec![0, 0], 20));
        let corner = run(&mut Gradient::new(&flat, GradientSettings::default()), &|c| f64::from(9 - c[0] - c[1]));
        assert_eq!(corner.last.best, [4, 1]);
        assert!(inside(&flat, &corner.candidates));
    }

    /// The distance of two candidates overflowed.
    #[test]
    fn a_neighbour_may_be_a_range_of_32_bits_away() {
        let wide = space(&[(i32::MIN, i32::MAX, 1)]);
        let settings = GradientSettings { iterations: 1, delta: 1.0, ..GradientSettings::default() };
        let trial = run(&mut Gradient::new(&wide, settings), &|c| -f64::from(c[0]));
        assert_eq!(trial.last.best, [i32::MAX - 1]);
    }
}
