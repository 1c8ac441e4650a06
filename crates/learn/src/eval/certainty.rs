//! Standard errors of the weights, from the curvature of the loss at the fitted weights (Gauss and Newton) and the prior.

use super::data::EvalData;
use super::fit::{Link, loss};
use super::model::{self, LEN};
use super::prior::Prior;
use nalgebra::{Cholesky, DMatrix};
use rayon::prelude::*;

/// Positions that the curvature is measured on, spread over the data.
const SAMPLE: usize = 100_000;
/// Positions that one thread adds at a time.
const PART: usize = 8192;
/// Keeps the matrix invertible for weights without data and prior (positions).
const FLOOR: f64 = 1e-6;

/// The standard error of each weight (its own unit); infinite where nothing is known.
pub fn errors(weights: &[f64], data: &EvalData, link: &Link) -> Vec<f64> {
    let stride = data.positions().div_ceil(SAMPLE).max(1);
    let sample: Vec<usize> = (0..data.positions()).step_by(stride).collect();
    let parts: Vec<DMatrix<f64>> = sample.par_chunks(PART).map(|part| curvature(weights, data, part, link)).collect();
    let mut matrix = DMatrix::zeros(LEN, LEN);
    for part in parts {
        matrix += part;
    }
    matrix *= data.positions() as f64 / sample.len() as f64;
    let steepest = 1.0 / (4.0 * link.scale);
    for penalty in Prior::default().penalties {
        for (row, a) in penalty.terms {
            for (column, b) in penalty.terms {
                matrix[(row, column)] += penalty.strength * a * b * steepest * steepest;
            }
        }
    }
    for place in 0..LEN {
        matrix[(place, place)] += FLOOR * steepest * steepest;
    }
    let spread = loss(weights, data, link);
    match Cholesky::new(matrix) {
        Some(factors) => {
            let inverse = factors.inverse();
            (0..LEN).map(|place| (spread * inverse[(place, place)]).max(0.0).sqrt()).collect()
        }
        None => vec![f64::INFINITY; LEN],
    }
}

/// Sum of products of slopes of the prediction.
fn curvature(weights: &[f64], data: &EvalData, part: &[usize], link: &Link) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(LEN, LEN);
    let mut dense = vec![0.0; LEN];
    let mut touched = Vec::new();
    for &index in part {
        let example = data.example(index);
        let p = link.predict(model::value(weights, &example));
        let steep = p * (1.0 - p) / link.scale;
        touched.clear();
        model::slopes(weights, &example, |place, slope| {
            if dense[place] == 0.0 {
                touched.push(place);
            }
            dense[place] += steep * slope;
        });
        touched.sort_unstable();
        touched.dedup();
        for &column in &touched {
            for &row in &touched {
                matrix[(row, column)] += dense[row] * dense[column];
            }
        }
        for &place in &touched {
            dense[place] = 0.0;
        }
    }
    matrix
}
