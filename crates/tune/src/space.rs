//! The space that is searched: some parameters with their ranges.
//!
//! A point of it, a [`Candidate`], is one whole number for each dimension. Dimensions come from the declarations of the engine's
//! parameters, from the spin options of another engine, or from the 2010 paper.

mod code;
mod paper;
mod select;

pub use select::SpaceError;

use quarterply_engine::params::{ParameterEntry, ParameterError, ParameterKind, Parameters};
use serde::{Deserialize, Serialize};

/// One value for each dimension, in the order of the space.
pub type Candidate = Vec<i32>;

/// One parameter that is tuned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimension {
    /// `rule.parameter`, or the name of another engine's option.
    pub name: String,
    /// Least value.
    pub min: i32,
    /// Greatest value.
    pub max: i32,
    /// Distance of neighbouring values.
    pub step: i32,
    /// The value that the run starts from and is compared with.
    pub start: i32,
    /// On or off?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub switch: bool,
}

impl Dimension {
    /// The dimension of an engine parameter over its declared range.
    fn of(entry: &ParameterEntry, base: &Parameters) -> Dimension {
        let spec = entry.spec;
        Dimension {
            name: entry.name.clone(),
            min: spec.min,
            max: spec.max,
            step: spec.step,
            start: base.get(&entry.name).unwrap_or(spec.default),
            switch: spec.kind == ParameterKind::Switch,
        }
    }

    /// How many values there are.
    pub fn levels(&self) -> u32 {
        (self.min.abs_diff(self.max) / self.step.unsigned_abs().max(1)).saturating_add(1)
    }

    /// The value of a level, counted from 0; levels beyond the last are the last.
    pub fn value(&self, level: u32) -> i32 {
        // In 64 bits, because the range may be wider than the greatest value of an `i32`.
        let offset = i64::from(level.min(self.levels() - 1)) * i64::from(self.step);
        (i64::from(self.min) + offset) as i32
    }

    /// The level nearest to a value.
    pub fn level(&self, value: f64) -> u32 {
        let level = (value - f64::from(self.min)) / f64::from(self.step);
        level.round().clamp(0.0, f64::from(self.levels() - 1)) as u32
    }

    /// The allowed value nearest to a value.
    pub fn nearest(&self, value: f64) -> i32 {
        self.value(self.level(value))
    }

    /// Returns true if the start value is in the range.
    pub fn has_start(&self) -> bool {
        (self.min..=self.max).contains(&self.start)
    }

    /// Greatest less least value.
    pub fn width(&self) -> f64 {
        f64::from(self.max) - f64::from(self.min)
    }
}

/// The parameters that are tuned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// One for each of them.
    pub dimensions: Vec<Dimension>,
}

impl Space {
    /// The parameters of this engine that match `patterns`, see [`select`](Space::select).
    pub fn of_engine(base: &Parameters, patterns: &str) -> Result<Space, SpaceError> {
        let all: Vec<_> = Parameters::specs().map(|entry| Dimension::of(&entry, base)).collect();
        Space::select(&all, patterns)
    }

    /// The start values.
    pub fn start(&self) -> Candidate {
        self.dimensions.iter().map(|dimension| dimension.start).collect()
    }

    /// The candidate nearest to a point of real numbers.
    pub fn nearest(&self, point: &[f64]) -> Candidate {
        self.dimensions.iter().zip(point).map(|(dimension, value)| dimension.nearest(*value)).collect()
    }

    /// A candidate as shares of the ranges: 0 is the least value of a dimension, 1 the greatest.
    pub fn shares(&self, candidate: &[i32]) -> Vec<f64> {
        let share = |(d, value): (&Dimension, &i32)| (f64::from(*value) - f64::from(d.min)) / d.width().max(1.0);
        self.dimensions.iter().zip(candidate).map(share).collect()
    }

    /// The reverse of [`Space::shares`] without rounding.
    pub fn point(&self, shares: &[f64]) -> Vec<f64> {
        self.dimensions.iter().zip(shares).map(|(d, share)| f64::from(d.min) + share * d.width()).collect()
    }

    /// The base profile with the values of a candidate.
    ///
    /// # Errors
    /// A dimension is not a parameter of the engine, or its value is out of the declared range.
    pub fn apply(&self, base: &Parameters, candidate: &[i32]) -> Result<Parameters, ParameterError> {
        let mut parameters = base.clone();
        for (dimension, value) in self.dimensions.iter().zip(candidate) {
            parameters.set(&dimension.name, *value)?;
        }
        Ok(parameters)
    }

    /// Name and value of each dimension, as engines take them in options.
    pub fn settings(&self, candidate: &[i32]) -> Vec<(String, String)> {
        let text = |d: &Dimension, value: i32| if d.switch { (value != 0).to_string() } else { value.to_string() };
        self.dimensions.iter().zip(candidate).map(|(d, value)| (d.name.clone(), text(d, *value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(min: i32, max: i32, step: i32) -> Dimension {
        Dimension { name: "a.b".into(), min, max, step, start: min, switch: false }
    }

    #[test]
    fn levels_cover_the_range_in_steps() {
        for (min, max, step, levels, last) in
            [(0, 7, 1, 8, 7), (1024, 8192, 128, 57, 8192), (0, 1023, 8, 128, 1016), (-5, 5, 5, 3, 5)]
        {
            let d = dimension(min, max, step);
            assert_eq!((d.levels(), d.value(0), d.value(levels - 1), d.value(levels)), (levels, min, last, last));
            assert_eq!((d.nearest(-1e9), d.nearest(1e9)), (min, last));
        }
        let d = dimension(1024, 8192, 128);
        assert_eq!((d.nearest(1087.0), d.nearest(1089.0)), (1024, 1152));
    }

    /// An option of another engine from -2147483648 to 2147483647 had no level, and a random one could not be drawn.
    #[test]
    fn a_range_may_have_all_values_of_32_bits() {
        let d = dimension(i32::MIN, i32::MAX, 1);
        assert_eq!((d.levels(), d.value(0)), (u32::MAX, i32::MIN));
        for value in [i32::MIN, -1, 0, 1, 2_000_000_000, i32::MAX - 1] {
            assert_eq!(d.nearest(f64::from(value)), value);
        }
    }

    #[test]
    fn shares_and_points_are_each_others_reverse() {
        let space = Space { dimensions: vec![dimension(0, 200, 10), dimension(-8, 8, 1)] };
        let shares = space.shares(&[50, 0]);
        assert_eq!(shares, [0.25, 0.5]);
        assert_eq!(space.point(&shares), [50.0, 0.0]);
        assert_eq!(space.nearest(&[54.0, -99.0]), [50, -8]);
    }

    #[test]
    fn a_candidate_is_applied_to_the_base() {
        let base = Parameters::default();
        let space = Space::of_engine(&base, "null_move.on,futility.depth").expect("a space");
        assert_eq!(space.start(), [1, 3]);
        let changed = space.apply(&base, &[0, 1]).expect("good values");
        assert_eq!((changed.null_move.on, changed.futility.depth), (false, 1));
        assert_eq!(space.settings(&[0, 1])[0], ("null_move.on".to_owned(), "false".to_owned()));
    }
}
