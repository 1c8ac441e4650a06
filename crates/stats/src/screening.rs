//! Many settings measured in the same games: a screening experiment (`plackett-burman1946`).
//!
//! In each block of games every setting is on one of the two sides, or on neither. The odds of a point are the product of what each
//! setting does to them: logistic regression without a constant, by repeated weighted least squares. The intervals take the scatter of
//! pairs of games for that of results, and are made wider where blocks differ more than that: where settings do not simply add up.

use crate::pentanomial::Pentanomial;
use crate::{ELO_PER_TENFOLD, Estimate, quantile};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::LN_10;
use thiserror::Error;

/// Games that had the same settings on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Of each setting: 1 where the first side had it, -1 where the second had it, 0 where neither.
    pub sides: Vec<i8>,
    /// The results for the first side.
    pub pairs: Pentanomial,
}

/// What the games say.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Elo of each setting.
    pub elo: Vec<Estimate>,
    /// How much more blocks differ than by chance; about 1 where settings add up.
    pub misfit: f64,
}

/// Why nothing can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScreeningError {
    /// Two settings were always together, or one never played.
    #[error("{blocks} blocks of games cannot tell {settings} settings apart; play more blocks")]
    TooFew {
        /// Blocks played.
        blocks: usize,
        /// Settings to be told apart.
        settings: usize,
    },
}

/// Steps until the solution no longer moves.
const STEPS_MAX: usize = 50;
const STEP_MIN: f64 = 1e-10;
/// By how much variances may grow because settings were not alone: beyond that only rounding tells them apart.
const INFLATION_MAX: f64 = 1e6;
/// Odds are kept within this: a setting that never lost must not lead to infinity.
const LOGIT_MAX: f64 = 6.0;
/// Games of a pair.
const PAIR: f64 = 2.0;

/// The worth of each setting, from blocks that all list the same settings.
///
/// # Errors
/// There are too few blocks for so many settings.
pub fn fit(blocks: &[Block]) -> Result<Fit, ScreeningError> {
    let played: Vec<&Block> = blocks.iter().filter(|block| block.pairs.pairs() > 0).collect();
    let settings = played.first().map_or(0, |block| block.sides.len());
    let too_few = ScreeningError::TooFew { blocks: played.len(), settings };
    if played.is_empty() {
        return Err(too_few);
    }
    let sides = DMatrix::from_fn(played.len(), settings, |block, setting| f64::from(played[block].sides[setting]));
    let scores = DVector::from_iterator(played.len(), played.iter().map(|block| block.pairs.score()));
    let games = DVector::from_iterator(played.len(), played.iter().map(|block| block.pairs.games() as f64));
    let mut worth = DVector::<f64>::zeros(settings);
    let mut spread = None;
    for _ in 0..STEPS_MAX {
        let expected = expected(&sides, &worth);
        let variance = expected.map(|p| p * (1.0 - p));
        let weights = games.component_mul(&variance);
        let weighted = DMatrix::from_fn(played.len(), settings, |row, column| sides[(row, column)] * weights[row]);
        let matrix = sides.transpose() * &weighted;
        let inverse = matrix.clone().cholesky().ok_or(too_few)?.inverse();
        if matrix.diagonal().component_mul(&inverse.diagonal()).amax() > INFLATION_MAX {
            return Err(too_few);
        }
        let step = &inverse * sides.transpose() * games.component_mul(&(&scores - &expected));
        worth = (worth + &step).map(|logit| logit.clamp(-LOGIT_MAX, LOGIT_MAX));
        spread = Some(inverse);
        if step.amax() < STEP_MIN {
            break;
        }
    }
    let inverse = spread.ok_or(too_few)?;
    let scatter = scatter(&played);
    let misfit = misfit(&played, &expected(&sides, &worth), settings, scatter);
    let elo = (worth.iter().enumerate())
        .map(|(at, logit)| {
            let unit = ELO_PER_TENFOLD / LN_10;
            let reach = quantile() * (inverse[(at, at)] * scatter * misfit.max(1.0)).sqrt() * unit;
            let value = logit * unit;
            Estimate { value, low: value - reach, high: value + reach }
        })
        .collect();
    Ok(Fit { elo, misfit })
}

/// The score that each block's first side is expected to have.
fn expected(sides: &DMatrix<f64>, worth: &DVector<f64>) -> DVector<f64> {
    (sides * worth).map(|logit| 1.0 / (1.0 + (-logit.clamp(-LOGIT_MAX, LOGIT_MAX)).exp()))
}

/// The variance of results against that of coins with the same chances: pairs of games from one opening scatter less, and so do draws.
/// That of coins itself where no result differs from another, because so few games do not tell that none ever does.
fn scatter(blocks: &[&Block]) -> f64 {
    let (mut found, mut coins) = (0.0, 0.0);
    for block in blocks {
        let (mean, last) = (block.pairs.score(), (block.pairs.counts.len() - 1) as f64);
        let squares = block.pairs.counts.iter().enumerate();
        found += squares.map(|(half, &count)| count as f64 * (half as f64 / last - mean).powi(2)).sum::<f64>();
        coins += (block.pairs.pairs() as f64 - 1.0) * mean * (1.0 - mean) / PAIR;
    }
    if coins > 0.0 && found > 0.0 { found / coins } else { 1.0 }
}

/// How far blocks are from what is expected of them, as a multiple of what chance does.
fn misfit(blocks: &[&Block], expected: &DVector<f64>, settings: usize, scatter: f64) -> f64 {
    let free = blocks.len().saturating_sub(settings);
    if free == 0 || scatter <= 0.0 {
        return 1.0;
    }
    let distance = |(block, p): (&&Block, &f64)| {
        block.pairs.games() as f64 * (block.pairs.score() - p).powi(2) / (p * (1.0 - p) * scatter)
    };
    blocks.iter().zip(expected.iter()).map(distance).sum::<f64>() / free as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score_of_elo;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Blocks of games between sides whose settings are worth so much.
    fn blocks(elo: &[f64], count: usize, pairs: usize, share: f64, seed: u64) -> Vec<Block> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count)
            .map(|_| {
                let sides: Vec<i8> = elo
                    .iter()
                    .map(|_| {
                        if !rng.random_bool(share) {
                            0
                        } else if rng.random() {
                            1
                        } else {
                            -1
                        }
                    })
                    .collect();
                let ahead: f64 = sides.iter().zip(elo).map(|(&side, elo)| f64::from(side) * elo).sum();
                let mut pentanomial = Pentanomial::new([0; 5]);
                for _ in 0..pairs {
                    let points = (0..2).filter(|_| rng.random_bool(score_of_elo(ahead))).count();
                    pentanomial.add(points * 2);
                }
                Block { sides, pairs: pentanomial }
            })
            .collect()
    }

    #[test]
    fn every_setting_has_its_own_worth_in_the_same_games() {
        let elo = [60.0, -40.0, 0.0, 15.0, -120.0, 200.0];
        for share in [1.0, 0.4] {
            let fit = fit(&blocks(&elo, 200, 100, share, 5)).expect("enough");
            for (found, elo) in fit.elo.iter().zip(elo) {
                let reach = found.margin() * 1.6;
                assert!((found.value - elo).abs() < reach, "{elo} at {share}: {found:?}");
                assert!(found.margin() < 8.0, "{found:?}");
            }
            assert!((0.7..1.4).contains(&fit.misfit), "{}", fit.misfit);
        }
    }

    #[test]
    fn intervals_hold_what_they_promise() {
        let elo = [30.0, -30.0, 0.0, 5.0];
        let mut inside = 0;
        for seed in 0..60 {
            let fit = fit(&blocks(&elo, 40, 25, 1.0, seed)).expect("enough");
            inside += fit.elo.iter().zip(elo).filter(|(found, elo)| found.low <= *elo && *elo <= found.high).count();
        }
        assert!((218..=240).contains(&inside), "{inside} of 240, 228 expected");
    }

    #[test]
    fn draws_and_even_pairs_make_intervals_narrower_and_blocks_that_differ_wider() {
        let block = |side, counts| Block { sides: vec![side], pairs: Pentanomial::new(counts) };
        let margin = |blocks: &[Block]| fit(blocks).expect("one setting").elo[0].margin();
        let decided = margin(&[block(1, [25, 0, 50, 0, 25]), block(-1, [25, 0, 50, 0, 25])]);
        let drawn = margin(&[block(1, [0, 5, 90, 5, 0]), block(-1, [0, 5, 90, 5, 0])]);
        assert!(drawn < decided / 2.0, "{drawn} {decided}");
        let apart = margin(&[block(1, [15, 0, 50, 0, 35]), block(-1, [15, 0, 50, 0, 35])]);
        assert!(apart > decided * 1.5, "the setting won with one side and lost with the other: {apart} {decided}");
    }

    #[test]
    fn results_that_are_all_alike_leave_doubt() {
        let fitted = |counts: [u64; 5]| {
            let pairs = Pentanomial::new(counts);
            let found = fit(&[Block { sides: vec![1], pairs }, Block { sides: vec![-1], pairs: pairs.reversed() }]);
            found.expect("one setting").elo[0]
        };
        let even = fitted([0, 0, 6, 0, 0]);
        assert!(even.value.abs() < 1e-9 && even.margin() > 50.0, "{even:?}");
        let won = fitted([0, 0, 0, 0, 6]);
        assert!(won.value > 400.0 && won.value < 2000.0 && won.margin() > 100.0, "{won:?}");
        assert!(fitted([6, 0, 0, 0, 0]).value < -400.0);
    }

    #[test]
    fn settings_that_cannot_be_told_apart_are_an_error() {
        let pairs = Pentanomial::new([1, 2, 3, 4, 5]);
        let together = vec![Block { sides: vec![1, 1], pairs }, Block { sides: vec![-1, -1], pairs }];
        let error = ScreeningError::TooFew { blocks: 2, settings: 2 };
        assert_eq!(fit(&together), Err(error));
        assert!(error.to_string().contains("play more blocks"));
        assert_eq!(fit(&[Block { sides: vec![0], pairs }]), Err(ScreeningError::TooFew { blocks: 1, settings: 1 }));
        let empty = Block { sides: vec![1], pairs: Pentanomial::new([0; 5]) };
        assert!(fit(&[empty]).is_err_and(|error| error.to_string().starts_with("0 blocks")));
    }
}
