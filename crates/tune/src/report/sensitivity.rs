//! The effect of each parameter on the cost, estimated from the candidates that the run has measured.
//!
//! The cost is fitted by a straight line and a curve in each parameter (least squares over all of them together), and a parameter's
//! share is the part of the variance of the costs that is lost without its terms, less the part expected by chance. With few candidates
//! each parameter is fitted alone instead.
//!
//! The candidates are those of the optimiser, not a random sample: a parameter that it fixed early seems to have no effect, and of
//! parameters that moved together the effects cannot be separated. Interactions are ignored. The result is a hint, not a measurement.

use crate::optimiser::CandidateCost;
use crate::space::Dimension;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Fewer candidates are not analysed.
const CANDIDATES_MIN: usize = 12;
/// Candidates for each term of the joint fit, at least.
const CANDIDATES_PER_TERM: usize = 3;
/// Prevents a division by zero in the fit, as a share of the candidates.
const RIDGE: f64 = 1e-6;
/// Least number of values for fitting a curve.
const CURVE_LEVELS: u32 = 3;
/// Lowest and highest third of a range.
const THIRDS: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];

/// Where in its range a parameter is cheapest, all others being equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BestRange {
    /// In the lowest third.
    Low,
    /// In the middle.
    Middle,
    /// In the highest third.
    High,
}

/// The effect of a parameter on the cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// Share of the variance that only it explains, 0 to 1.
    pub share: f64,
    /// The value with the least cost; `None` if the parameter has no effect.
    pub cheapest: Option<BestRange>,
}

/// Effects of all parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// In the order of the space.
    pub effects: Vec<Effect>,
    /// Different candidates looked at.
    pub candidates: usize,
    /// Share of the variance that all parameters explain together; nothing if each was fitted alone.
    pub explained: Option<f64>,
}

/// The effects of all parameters, or nothing if too few candidates were measured, or all cost the same.
pub fn sensitivity(dimensions: &[Dimension], measured: &[&CandidateCost]) -> Option<Sensitivity> {
    let fits = |one: &&&CandidateCost| one.candidate.len() == dimensions.len() && one.cost.value.is_finite();
    let measured: Vec<&CandidateCost> = measured.iter().filter(fits).copied().collect();
    if measured.len() < CANDIDATES_MIN || dimensions.is_empty() {
        return None;
    }
    let costs = centred(measured.iter().map(|one| one.cost.value).collect());
    let total: f64 = costs.norm_squared();
    if total <= 0.0 {
        return None;
    }
    let blocks: Vec<ParameterTerms> =
        dimensions.iter().enumerate().map(|(i, d)| ParameterTerms::new(d, i, &measured)).collect();
    let terms: usize = blocks.iter().map(|block| block.columns.len()).sum();
    if measured.len() >= CANDIDATES_PER_TERM * (terms + 1) {
        let all: Vec<&ParameterTerms> = blocks.iter().collect();
        let fit = LeastSquares::of(&all, &costs)?;
        let effects = (0..blocks.len()).map(|index| fit.effect(&blocks[index], index, total)).collect();
        let explained = Some((1.0 - fit.residue / total).clamp(0.0, 1.0));
        return Some(Sensitivity { effects, candidates: measured.len(), explained });
    }
    let alone = |block: &ParameterTerms| Some(LeastSquares::of(&[block], &costs)?.effect(block, 0, total));
    let effects = blocks.iter().map(alone).collect::<Option<_>>()?;
    Some(Sensitivity { effects, candidates: measured.len(), explained: None })
}

fn centred(values: Vec<f64>) -> DVector<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    DVector::from_iterator(values.len(), values.into_iter().map(|value| value - mean))
}

/// The terms of one parameter: value, and square of the value if there are enough values.
struct ParameterTerms {
    columns: Vec<DVector<f64>>,
    centre: f64,
}

impl ParameterTerms {
    fn new(dimension: &Dimension, index: usize, measured: &[&CandidateCost]) -> ParameterTerms {
        let width = dimension.width().max(1.0);
        let share = |one: &&CandidateCost| (f64::from(one.candidate[index]) - f64::from(dimension.min)) / width;
        let shares: Vec<f64> = measured.iter().map(share).collect();
        let centre = shares.iter().sum::<f64>() / shares.len() as f64;
        let line: Vec<f64> = shares.iter().map(|share| share - centre).collect();
        let curve: Vec<f64> = line.iter().map(|x| x * x).collect();
        let mut columns = Vec::new();
        if line.iter().any(|x| *x != 0.0) {
            columns.push(centred(line));
            if dimension.levels() >= CURVE_LEVELS {
                columns.push(centred(curve));
            }
        }
        ParameterTerms { columns, centre }
    }

    /// The value with the least fitted cost.
    fn cheapest(&self, coefficients: &[f64]) -> BestRange {
        let slope = coefficients.first().copied().unwrap_or(0.0);
        let bend = coefficients.get(1).copied().unwrap_or(0.0);
        let cost = |share: f64| slope * (share - self.centre) + bend * (share - self.centre) * (share - self.centre);
        let turn = if bend > 0.0 { self.centre - slope / (2.0 * bend) } else { 0.0 };
        let places = [0.0, 1.0, turn.clamp(0.0, 1.0)];
        let least = places.into_iter().min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(0.0);
        match least {
            share if share < THIRDS[0] => BestRange::Low,
            share if share > THIRDS[1] => BestRange::High,
            _ => BestRange::Middle,
        }
    }
}

/// A least-squares fit.
struct LeastSquares {
    /// First term of each block, and one past the last.
    places: Vec<usize>,
    coefficients: DVector<f64>,
    inverse: DMatrix<f64>,
    residue: f64,
    noise: f64,
}

impl LeastSquares {
    fn of(blocks: &[&ParameterTerms], costs: &DVector<f64>) -> Option<LeastSquares> {
        let columns: Vec<&DVector<f64>> = blocks.iter().flat_map(|block| &block.columns).collect();
        let mut places = vec![0];
        for block in blocks {
            places.push(places[places.len() - 1] + block.columns.len());
        }
        let (n, terms) = (costs.len(), columns.len());
        let mut products = DMatrix::from_fn(terms, terms, |i, j| columns[i].dot(columns[j]));
        for i in 0..terms {
            products[(i, i)] += RIDGE * n as f64;
        }
        let targets = DVector::from_iterator(terms, columns.iter().map(|column| column.dot(costs)));
        let inverse = products.cholesky()?.inverse();
        let coefficients = &inverse * &targets;
        let mut rest = costs.clone();
        for (column, coefficient) in columns.iter().zip(coefficients.iter()) {
            rest.axpy(-coefficient, column, 1.0);
        }
        let residue = rest.norm_squared();
        let noise = residue / (n - terms).saturating_sub(1).max(1) as f64;
        Some(LeastSquares { places, coefficients, inverse, residue, noise })
    }

    /// The effect of a block: the growth of the residue without it, less the growth expected by chance.
    fn effect(&self, block: &ParameterTerms, index: usize, total: f64) -> Effect {
        let (first, count) = (self.places[index], self.places[index + 1] - self.places[index]);
        let own = self.coefficients.rows(first, count).into_owned();
        let inverse = self.inverse.view((first, first), (count, count)).into_owned();
        let lost = inverse.try_inverse().map_or(0.0, |weight| (own.transpose() * weight * &own).sum());
        let share = ((lost - count as f64 * self.noise) / total).clamp(0.0, 1.0);
        Effect { share, cheapest: (share > 0.0).then(|| block.cheapest(own.as_slice())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimiser::Cost;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn dimension(max: i32) -> Dimension {
        Dimension { name: format!("to.{max}"), min: 0, max, step: 1, start: 0, switch: max == 1 }
    }

    fn sample(dimensions: &[Dimension], count: usize, cost: &dyn Fn(&[f64], f64) -> f64) -> Vec<CandidateCost> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut one = || {
            let candidate: Vec<i32> = dimensions.iter().map(|d| rng.random_range(d.min..=d.max)).collect();
            let shares: Vec<f64> =
                candidate.iter().zip(dimensions).map(|(v, d)| f64::from(*v) / f64::from(d.max)).collect();
            let value = cost(&shares, rng.random::<f64>() - 0.5);
            CandidateCost { candidate, cost: Cost { value, error: 0.0, solved: None } }
        };
        (0..count).map(|_| one()).collect()
    }

    #[test]
    fn shares_are_the_known_shares_of_variance() {
        // Uniform x: the variance of x is 1/12, of (x - 1/2)^2 1/180, of the noise 1/12.
        let dimensions = [dimension(1000), dimension(1000), dimension(1000), dimension(1)];
        let measured =
            sample(&dimensions, 4000, &|x, noise| 3.0 * x[0] + 15.0 * (x[1] - 0.5).powi(2) - x[3] + noise + 1e6);
        let variances = [9.0 / 12.0, 225.0 / 180.0, 0.0, 1.0 / 4.0, 1.0 / 12.0];
        let total: f64 = variances.iter().sum();
        let result = sensitivity(&dimensions, &measured.iter().collect::<Vec<_>>()).expect("enough");
        for (index, effect) in result.effects.iter().enumerate() {
            assert!((effect.share - variances[index] / total).abs() < 0.02, "{index}: {effect:?}");
        }
        let sides: Vec<_> = [0, 1, 3].iter().map(|index| result.effects[*index].cheapest).collect();
        assert_eq!(sides, [Some(BestRange::Low), Some(BestRange::Middle), Some(BestRange::High)]);
        let explained = result.explained.expect("a joint fit");
        assert!((explained - (1.0 - variances[4] / total)).abs() < 0.02, "{explained}");
    }

    #[test]
    fn parameters_without_effect_have_no_share_on_average() {
        let dimensions = [dimension(100), dimension(100)];
        let measured = sample(&dimensions, 300, &|_, noise| noise);
        let result = sensitivity(&dimensions, &measured.iter().collect::<Vec<_>>()).expect("enough");
        assert!(result.effects.iter().all(|effect| effect.share < 0.03), "{result:?}");
    }

    #[test]
    fn few_candidates_are_fitted_alone_and_very_few_not_at_all() {
        let dimensions: Vec<Dimension> = (0..10).map(|_| dimension(7)).collect();
        let measured = sample(&dimensions, 30, &|x, _| x[4]);
        let all: Vec<_> = measured.iter().collect();
        let result = sensitivity(&dimensions, &all).expect("enough");
        assert_eq!(result.explained, None);
        assert!(result.effects[4].share > 0.9, "{result:?}");
        assert_eq!(sensitivity(&dimensions, &all[..CANDIDATES_MIN - 1]), None);
    }

    #[test]
    fn costs_or_values_that_never_differ_end_well() {
        let dimensions = [dimension(7), dimension(0)];
        let flat = sample(&dimensions, 40, &|_, _| 5.0);
        assert_eq!(sensitivity(&dimensions, &flat.iter().collect::<Vec<_>>()), None);
        let fixed = sample(&[dimension(7), dimension(7)], 40, &|x, _| x[0]);
        let mut fixed: Vec<CandidateCost> = fixed;
        fixed.iter_mut().for_each(|one| one.candidate[1] = 3);
        let result = sensitivity(&[dimension(7), dimension(7)], &fixed.iter().collect::<Vec<_>>()).expect("enough");
        assert_eq!(result.effects[1], Effect { share: 0.0, cheapest: None });
    }
}
