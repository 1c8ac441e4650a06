//! The evaluation's arithmetic in real numbers, and its gradient.
//!
//! All weights are in one vector: middlegame values, endgame values, inputs of danger, middlegame and endgame values of the
//! curve, parts of the scale. The value equals that of the engine except for rounding, and the gradient is exact where it exists:
//! at the corners of the curve and at the ends of the scale it is the one-sided gradient.

use super::data::EvalExample;
use quarterply_engine::eval::groups::{
    ATTACKER, CHECKER, CHECKERS, COUNT, CURVE_POINTS, CURVE_STEP, DANGER_COUNT, SCALE_BASE, SCALE_COUNT, TEMPO, VALUE,
};
use quarterply_engine::eval::weights::{CURVE, DANGER, SCALE, WEIGHTS};
use quarterply_engine::eval::{PHASE_MAX, SCALE_MAX, WHOLE};

/// The first indices of the parts of the vector.
pub const MG: usize = 0;
/// Endgame halves.
pub const EG: usize = MG + COUNT;
/// Inputs of danger.
pub const INPUTS: usize = EG + COUNT;
/// Middlegame halves of the curve.
pub const CURVE_MG: usize = INPUTS + DANGER_COUNT;
/// Endgame halves of the curve.
pub const CURVE_EG: usize = CURVE_MG + CURVE_POINTS;
/// Parts of the scale.
pub const PARTS: usize = CURVE_EG + CURVE_POINTS;
/// Length of the vector.
pub const LEN: usize = PARTS + SCALE_COUNT;

/// Weights as real numbers, see the module.
pub type Vector = Vec<f64>;

/// The weights that are compiled into this program.
pub fn compiled() -> Vector {
    let halves = |pairs: &[quarterply_engine::eval::Pair]| {
        let mg: Vec<f64> = pairs.iter().map(|pair| pair.mg().into()).collect();
        let eg: Vec<f64> = pairs.iter().map(|pair| pair.eg().into()).collect();
        [mg, eg].concat()
    };
    let reals = |numbers: &[i32]| numbers.iter().map(|&n| n.into()).collect::<Vec<f64>>();
    [halves(&WEIGHTS), reals(&DANGER), halves(&CURVE), reals(&SCALE)].concat()
}

/// The first weights of a fit from scratch: the usual piece values, and that attackers and checks are a danger.
pub fn scratch() -> Vector {
    const PIECES: [f64; 5] = [100.0, 300.0, 300.0, 500.0, 900.0];
    /// One attacker, or one check at hand (danger units); two of them are beyond the first point of the curve.
    const ATTACK: f64 = 20.0;
    const CHECK: f64 = 50.0;
    /// Steepness of the curve at its start (pawns/100 by point).
    const SLOPE: f64 = 2.0;
    let mut weights = vec![0.0; LEN];
    for half in [MG, EG] {
        for (index, value) in PIECES.into_iter().enumerate() {
            weights[half + VALUE.at(index)] = value;
        }
    }
    for (group, value) in [(ATTACKER, ATTACK), (CHECKER, CHECK), (CHECKERS, CHECK)] {
        for index in 0..group.len {
            weights[INPUTS + group.at(index)] = value;
        }
    }
    for point in 0..CURVE_POINTS {
        // A parabola for the middlegame: twice the danger costs more than twice as much.
        weights[CURVE_MG + point] = SLOPE * (point * point) as f64;
        weights[CURVE_EG + point] = SLOPE * point as f64;
    }
    weights[PARTS + SCALE_BASE.at(0)] = f64::from(WHOLE);
    weights
}

/// The weights under which every value is `factor` times what it was.
pub fn rescaled(weights: &[f64], factor: f64) -> Vector {
    let values = [MG..INPUTS, CURVE_MG..PARTS];
    let is_value = |place: usize| values.iter().any(|range| range.contains(&place));
    weights.iter().enumerate().map(|(place, weight)| if is_value(place) { weight * factor } else { *weight }).collect()
}

/// A value with what its gradient needs.
struct EvalParts {
    white: f64,
    eg: f64,
    /// By colour: place on the curve, and whether it is between its ends.
    danger: [(usize, f64, bool); 2],
    /// The scale (1 is whole), whether it is between its ends, and for whom it is.
    scale: f64,
    free: bool,
    strong: usize,
}

/// The value of an example for White with these weights (pawns/100).
pub fn value(weights: &[f64], example: &EvalExample<'_>) -> f64 {
    parts(weights, example).white
}

/// Adds `factor` times the gradient of the value of an example for White to `gradient`, where `factor` is a function of the value.
pub fn add_gradient(weights: &[f64], example: &EvalExample<'_>, gradient: &mut [f64], factor: impl FnOnce(f64) -> f64) {
    let parts = parts(weights, example);
    let factor = factor(parts.white);
    each_slope(weights, example, &parts, |place, slope| gradient[place] += factor * slope);
}

/// Calls `f` with every weight that the value of the example depends on and its partial derivative. A place may come more than once.
pub fn slopes(weights: &[f64], example: &EvalExample<'_>, f: impl FnMut(usize, f64)) {
    each_slope(weights, example, &parts(weights, example), f);
}

fn parts(weights: &[f64], example: &EvalExample<'_>) -> EvalParts {
    let (mut mg, mut eg) = (0.0, 0.0);
    for (place, count) in example.weights() {
        mg += weights[MG + place] * count;
        eg += weights[EG + place] * count;
    }
    let mut danger = [(0, 0.0, false); 2];
    for (color, sign) in [(0, -1.0), (1, 1.0)] {
        let sum: f64 = example.danger(color).map(|(place, count)| weights[INPUTS + place] * count).sum();
        let (step, rest, free) = on_curve(sum);
        danger[color] = (step, rest, free);
        mg += sign * between(weights, CURVE_MG + step, rest);
        eg += sign * between(weights, CURVE_EG + step, rest);
    }
    let strong = usize::from(eg > 0.0);
    let (scale, free) = match example.scale(strong) {
        None => (0.0, false),
        Some(used) => {
            let sum: f64 = used.map(|(place, count)| weights[PARTS + place] * count).sum();
            let most = f64::from(SCALE_MAX);
            (sum.clamp(0.0, most) / f64::from(WHOLE), sum > 0.0 && sum < most)
        }
    };
    let middle = example.phase();
    let tempo = weights[MG + TEMPO.at(0)] * middle + weights[EG + TEMPO.at(0)] * (1.0 - middle);
    let white = mg * middle + eg * (1.0 - middle) * scale + example.turn() * tempo;
    EvalParts { white, eg, danger, scale, free, strong }
}

/// The step of the curve that contains a sum of danger, the place within it (0 to 1), and whether the sum is between the curve's ends.
fn on_curve(sum: f64) -> (usize, f64, bool) {
    let steps = sum / f64::from(CURVE_STEP);
    let last = (CURVE_POINTS - 1) as f64;
    if steps <= 0.0 {
        (0, 0.0, false)
    } else if steps >= last {
        (CURVE_POINTS - 2, 1.0, false)
    } else {
        (steps as usize, steps.fract(), true)
    }
}

fn between(weights: &[f64], place: usize, rest: f64) -> f64 {
    weights[place] * (1.0 - rest) + weights[place + 1] * rest
}

fn each_slope(weights: &[f64], example: &EvalExample<'_>, parts: &EvalParts, mut f: impl FnMut(usize, f64)) {
    let middle = example.phase();
    let end = (1.0 - middle) * parts.scale;
    for (place, count) in example.weights() {
        f(MG + place, count * middle);
        f(EG + place, count * end);
    }
    for (color, sign) in [(0, -1.0), (1, 1.0)] {
        let (step, rest, free) = parts.danger[color];
        for (curve, share) in [(CURVE_MG, sign * middle), (CURVE_EG, sign * end)] {
            f(curve + step, share * (1.0 - rest));
            f(curve + step + 1, share * rest);
        }
        if free {
            let rise = |curve: usize| (weights[curve + step + 1] - weights[curve + step]) / f64::from(CURVE_STEP);
            let slope = sign * (middle * rise(CURVE_MG) + end * rise(CURVE_EG));
            for (place, count) in example.danger(color) {
                f(INPUTS + place, count * slope);
            }
        }
    }
    if parts.free {
        let slope = parts.eg * (1.0 - middle) / f64::from(WHOLE);
        for (place, count) in example.scale(parts.strong).into_iter().flatten() {
            f(PARTS + place, count * slope);
        }
    }
    f(MG + TEMPO.at(0), example.turn() * middle);
    f(EG + TEMPO.at(0), example.turn() * (1.0 - middle));
}

/// Share of the middlegame in a position of this phase.
pub fn middle(phase: i32) -> f64 {
    f64::from(phase) / f64::from(PHASE_MAX)
}

#[cfg(test)]
mod tests {
    use super::super::data::EvalData;
    use super::*;
    use quarterply_engine::eval::{Params, PawnTable};
    use quarterply_engine::evaluator::{self, Evaluator};
    use quarterply_engine::position::Game;
    use quarterply_engine::score::Score;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Positions of games of random moves, of every length, with their values for White.
    fn positions() -> (EvalData, Vec<f64>) {
        let (mut data, mut values) = (EvalData::default(), Vec::new());
        let (mut pawns, mut evaluator) = (PawnTable::default(), Evaluator::new(&Params::NEUTRAL));
        for seed in 0..60 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut game = Game::new();
            for _ in 0..(2 + 4 * seed) {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.play(moves[random.random_range(0..moves.len())]);
                let position = game.position();
                let counted = evaluator::count(position, &mut pawns);
                if counted.known.is_none() {
                    data.push(&counted, Score::ZERO, 0.5);
                    evaluator.begin(position);
                    let own = f64::from(evaluator.raw(position).0);
                    values.push(if position.turn().is_white() { own } else { -own });
                }
            }
        }
        (data, values)
    }

    #[test]
    fn the_model_is_the_engine_but_for_rounding() {
        /// Integer divisions: blend, scale, curve.
        const ROUNDING: f64 = 4.0;
        let (data, values) = positions();
        let weights = compiled();
        assert!(data.positions() > 1000, "{}", data.positions());
        for (index, expected) in values.iter().enumerate() {
            let found = value(&weights, &data.example(index));
            assert!((found - expected).abs() <= ROUNDING, "position {index}: {found} instead of {expected}");
        }
    }

    #[test]
    fn rescaling_multiplies_every_value() {
        let (data, _) = positions();
        let (weights, half_more) = (compiled(), rescaled(&compiled(), 1.5));
        for index in 0..data.positions() {
            let (before, after) = (value(&weights, &data.example(index)), value(&half_more, &data.example(index)));
            assert!((after - 1.5 * before).abs() < 1e-6, "{before} {after}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        const STEP: f64 = 1e-5;
        let (data, _) = positions();
        // Fractional weights: no sum is on a corner of the curve or at an end of the scale.
        let weights: Vector = compiled().iter().enumerate().map(|(place, w)| w + 0.37 + 1e-3 * place as f64).collect();
        let mut seen = vec![false; LEN];
        for index in (0..data.positions()).step_by(9) {
            let example = data.example(index);
            let mut gradient = vec![0.0; LEN];
            add_gradient(&weights, &example, &mut gradient, |_| 1.0);
            for place in (0..LEN).filter(|place| gradient[*place] != 0.0) {
                if std::mem::replace(&mut seen[place], true) {
                    continue;
                }
                let at = |shift: f64| {
                    let mut moved = weights.clone();
                    moved[place] += shift;
                    value(&moved, &example)
                };
                let slope = (at(STEP) - at(-STEP)) / (2.0 * STEP);
                assert!((slope - gradient[place]).abs() < 1e-4, "weight {place}: {slope} {}", gradient[place]);
            }
        }
        assert!(seen.iter().filter(|seen| **seen).count() > LEN / 2);
    }
}
