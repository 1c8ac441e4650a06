//! The prior of the weights: they are small, and neighbours in rank, mobility and danger are alike.
//!
//! Its strength is counted in positions: 50 weighs as much as 50 positions that show the weight at its default value. With much data it
//! does not matter; with little it keeps a weight readable.

use super::model::{CURVE_EG, CURVE_MG, EG, INPUTS, LEN, MG, PARTS};
use quarterply_engine::eval::WHOLE;
use quarterply_engine::eval::groups::{
    BISHOP_MOBILITY, BLOCKED, CANDIDATE, CURVE_POINTS, DANGER_COUNT, DEFENDED, GROUPS, Group, HALF_BOARD,
    KNIGHT_MOBILITY, PASSED, PASSED_BLOCKED, PASSED_DEFENDED, PASSED_ESCORTED, PASSED_OUR_KING, PASSED_PAIR,
    PASSED_SAFE_STEP, PASSED_SAFE_WAY, PASSED_THEIR_KING, PAWN_SQUARE, PHALANX, QUEEN_MOBILITY, ROOK_MOBILITY,
    SCALE_BASE, SCALE_COUNT, UNSTOPPABLE, VALUE,
};

/// Groups of weights for increasing counts of the same thing: neighbours are alike.
const LADDERS: [Group; 17] = [
    KNIGHT_MOBILITY,
    BISHOP_MOBILITY,
    ROOK_MOBILITY,
    QUEEN_MOBILITY,
    PHALANX,
    DEFENDED,
    BLOCKED,
    CANDIDATE,
    PASSED,
    PASSED_PAIR,
    PASSED_DEFENDED,
    PASSED_BLOCKED,
    PASSED_SAFE_STEP,
    PASSED_SAFE_WAY,
    PASSED_ESCORTED,
    PASSED_OUR_KING,
    PASSED_THEIR_KING,
];
/// Squares of a rank in half a board.
const HALF_RANK: usize = 4;
/// Boards: pawn to king.
const BOARDS: usize = 6;

/// Strength of the prior that each weight has its default value (positions).
const VALUE_STRENGTH: f64 = 50.0;
/// That of the prior that neighbours are alike.
const SMOOTHNESS_STRENGTH: f64 = 200.0;
/// That of the prior that the curve of danger is straight.
const CURVATURE_STRENGTH: f64 = 2000.0;

/// A quadratic penalty on a linear combination of up to three weights.
#[derive(Clone, Copy, Debug)]
pub struct Penalty {
    /// Its terms: places and factors; a factor may be 0.
    pub terms: [(usize, f64); 3],
    value: f64,
    /// Its strength (positions).
    pub strength: f64,
}

impl Penalty {
    /// The difference of the weights to it.
    fn residual(&self, weights: &[f64]) -> f64 {
        self.terms.iter().map(|(place, factor)| weights[*place] * factor).sum::<f64>() - self.value
    }
}

/// All penalties.
#[derive(Clone, Debug)]
pub struct Prior {
    /// The penalties.
    pub penalties: Vec<Penalty>,
}

impl Default for Prior {
    fn default() -> Prior {
        let mut prior = Prior { penalties: Vec::new() };
        for half in [MG, EG] {
            // Weights other than those of the pieces are usually zero.
            for group in GROUPS.iter().filter(|group| group.name != VALUE.name) {
                (0..group.len).for_each(|index| prior.add_single(half + group.at(index), 0.0));
            }
            for group in LADDERS.into_iter().chain([UNSTOPPABLE]) {
                for index in 1..group.len {
                    prior.add_difference(half + group.at(index - 1), half + group.at(index));
                }
            }
            prior.add_boards(half);
        }
        for place in INPUTS..INPUTS + DANGER_COUNT {
            prior.add_single(place, 0.0);
        }
        for place in PARTS..PARTS + SCALE_COUNT {
            let default = if place == PARTS + SCALE_BASE.at(0) { f64::from(WHOLE) } else { 0.0 };
            prior.add_single(place, default);
        }
        for half in [CURVE_MG, CURVE_EG] {
            for point in 1..CURVE_POINTS - 1 {
                let terms = [(half + point - 1, 1.0), (half + point, -2.0), (half + point + 1, 1.0)];
                prior.penalties.push(Penalty { terms, value: 0.0, strength: CURVATURE_STRENGTH });
            }
        }
        prior
    }
}

impl Prior {
    fn add_single(&mut self, place: usize, value: f64) {
        self.penalties.push(Penalty {
            terms: [(place, 1.0), (place, 0.0), (place, 0.0)],
            value,
            strength: VALUE_STRENGTH,
        });
    }

    fn add_difference(&mut self, first: usize, second: usize) {
        let terms = [(first, 1.0), (second, -1.0), (first, 0.0)];
        self.penalties.push(Penalty { terms, value: 0.0, strength: SMOOTHNESS_STRENGTH });
    }

    /// Squares next to each other are alike.
    fn add_boards(&mut self, half: usize) {
        for square in 0..BOARDS * HALF_BOARD {
            let place = half + PAWN_SQUARE.first + square;
            if square % HALF_RANK + 1 < HALF_RANK {
                self.add_difference(place, place + 1);
            }
            if square % HALF_BOARD + HALF_RANK < HALF_BOARD {
                self.add_difference(place, place + HALF_RANK);
            }
        }
    }

    /// Adds the gradient of the penalty. A position of the data whose value misses by one has the penalty `unit`.
    pub fn add_gradient(&self, weights: &[f64], unit: f64, gradient: &mut [f64]) {
        debug_assert_eq!(gradient.len(), LEN);
        for penalty in &self.penalties {
            let slope = 2.0 * unit * penalty.strength * penalty.residual(weights);
            for (place, factor) in penalty.terms {
                gradient[place] += slope * factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::compiled;
    use super::*;

    #[test]
    fn the_gradient_is_that_of_the_penalty() {
        const STEP: f64 = 1e-4;
        let prior = Prior::default();
        let weights = compiled();
        let mut gradient = vec![0.0; LEN];
        prior.add_gradient(&weights, 1.0, &mut gradient);
        for place in (0..LEN).step_by(7) {
            let at = |shift: f64| {
                let mut moved = weights.clone();
                moved[place] += shift;
                prior.penalties.iter().map(|penalty| penalty.strength * penalty.residual(&moved).powi(2)).sum::<f64>()
            };
            let slope = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            assert!(
                (slope - gradient[place]).abs() <= 1e-3 * (1.0 + slope.abs()),
                "{place}: {slope} {}",
                gradient[place]
            );
        }
    }

    #[test]
    fn piece_values_have_no_prior() {
        let prior = Prior::default();
        let has_prior =
            |place: usize| prior.penalties.iter().any(|b| b.terms.iter().any(|(p, f)| *p == place && *f != 0.0));
        assert!(!has_prior(MG + VALUE.at(0)) && has_prior(MG + PAWN_SQUARE.at(0)) && has_prior(PARTS));
    }
}
