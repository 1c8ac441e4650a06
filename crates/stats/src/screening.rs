//! Many settings measured in the same games: a screening experiment (`plackett-burman1946`).
//!
//! In each block of games every setting is on one of the two sides, or on neither. The odds of a point are the product of what each
//! setting does to them: logistic regression without a constant, by repeated weighted least squares. The intervals take the scatter of
//! pairs of games for that of results, and are made wider if blocks differ more than that because effects are not additive.
//!
//! Of many settings the best looks better than it is. The expected worths therefore assume that all worths are drawn from a normal
//! distribution around 0, whose width is estimated from the games too (`efron-morris1973`).

use crate::pentanomial::Pentanomial;
use crate::{ELO_PER_TENFOLD, Estimate, quantile};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::LN_10;
use thiserror::Error;

/// Games that had the same settings on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct GameBlock {
    /// For each setting: 1 if the first side had it, -1 if the second had it, 0 if neither.
    pub sides: Vec<i8>,
    /// The results for the first side.
    pub pairs: Pentanomial,
}

/// The worths of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreeningFit {
    /// Elo of each setting, by its games alone.
    pub elo: Vec<Estimate>,
    /// Expected Elo of each setting, given the spread of all settings.
    pub shrunken_elo: Vec<f64>,
    /// The scatter of blocks as a multiple of that by chance; about 1 if effects add up.
    pub dispersion: f64,
}

/// Why the settings cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScreeningError {
    /// Two settings were always together, or one never played: blocks played and number of settings to be separated.
    #[error("cannot tell {1} settings apart by {0} blocks of games; play more blocks")]
    TooFew(usize, usize),
}

/// Most steps until the solution is found, and the least change that counts as one (logarithm of odds).
const STEPS_MAX: usize = 50;
const STEP_MIN: f64 = 1e-10;
/// Greatest factor by which a variance may grow because settings played together: beyond it they differ by rounding errors only.
const INFLATION_MAX: f64 = 1e6;
/// Odds are kept within this: a setting that never lost must not lead to infinity.
const LOGIT_MAX: f64 = 6.0;
/// Widths of the distribution of worths that are tried: the least (Elo), how much wider each is than the one before, and how many.
const WIDTH_MIN: f64 = 0.5;
const WIDTH_STEP: f64 = 1.1;
const WIDTHS: i32 = 70;
/// Elo of a unit of the logarithm of odds.
const UNIT: f64 = ELO_PER_TENFOLD / LN_10;
/// Games of a pair.
const PAIR: f64 = 2.0;

/// The worth of each setting, from blocks that all list the same settings.
///
/// # Errors
/// There are too few blocks for this number of settings.
pub fn fit(blocks: &[GameBlock]) -> Result<ScreeningFit, ScreeningError> {
    // Games between two identical engines, in a block without settings, would only make the variance look smaller.
    let counts = |block: &&GameBlock| block.pairs.pairs() > 0 && block.sides.iter().any(|side| *side != 0);
    let played: Vec<&GameBlock> = blocks.iter().filter(counts).collect();
    let settings = blocks.first().map_or(0, |block| block.sides.len());
    let too_few = ScreeningError::TooFew(played.len(), settings);
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
        let inverse = inverse(&matrix).ok_or(too_few)?;
        let step = &inverse * sides.transpose() * games.component_mul(&(&scores - &expected));
        worth = (worth + &step).map(|logit| logit.clamp(-LOGIT_MAX, LOGIT_MAX));
        spread = Some((matrix, inverse));
        if step.amax() < STEP_MIN {
            break;
        }
    }
    let (matrix, inverse) = spread.ok_or(too_few)?;
    let scatter = scatter(&played);
    let dispersion = dispersion(&played, &expected(&sides, &worth), settings, scatter);
    let chance = scatter * dispersion.max(1.0);
    let elo = worth.iter().enumerate().map(|(at, logit)| estimate(*logit, inverse[(at, at)] * chance)).collect();
    let shrunken_elo = shrunken_elo(matrix / chance, &worth);
    Ok(ScreeningFit { elo, shrunken_elo, dispersion })
}

/// Returns true if blocks with these settings on their sides can tell the settings apart: 1 is the first side, -1 the second, 0 neither.
pub fn are_separable(sides: &[Vec<i8>]) -> bool {
    let settings = sides.first().map_or(0, Vec::len);
    let sides = DMatrix::from_fn(sides.len(), settings, |block, setting| f64::from(sides[block][setting]));
    inverse(&(sides.transpose() * sides)).is_some()
}

/// The inverse of a matrix of products of settings; `None` if settings always played together.
fn inverse(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let inverse = matrix.clone().cholesky()?.inverse();
    let inflation = matrix.diagonal().component_mul(&inverse.diagonal()).amax();
    (inflation <= INFLATION_MAX).then_some(inverse)
}

/// From the logarithm of odds and its variance to Elo.
fn estimate(logit: f64, variance: f64) -> Estimate {
    let (value, reach) = (logit * UNIT, quantile() * variance.sqrt() * UNIT);
    Estimate { value, low: value - reach, high: value + reach }
}

/// The expected worths (Elo), from the estimates (logarithms of odds) and their information matrix (the inverse of their covariances).
/// Along its eigenvectors the estimates are independent, and each shrinks separately; every width is weighted by its likelihood.
fn shrunken_elo(information: DMatrix<f64>, worth: &DVector<f64>) -> Vec<f64> {
    let eigen = information.symmetric_eigen();
    let (precisions, directions) = (&eigen.eigenvalues, &eigen.eigenvectors);
    let evidence = (directions.transpose() * worth).component_mul(precisions);
    let widths: Vec<f64> = (0..WIDTHS).map(|step| WIDTH_MIN * WIDTH_STEP.powi(step) / UNIT).collect();
    let fits = |width: &f64| -> f64 {
        let each = precisions.iter().zip(&evidence).map(|(precision, evidence)| {
            let grown = 1.0 + width * width * precision;
            width * width * evidence * evidence / grown - grown.ln()
        });
        each.sum::<f64>() / 2.0
    };
    let fits: Vec<f64> = widths.iter().map(fits).collect();
    let best = fits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The steps grow with the width: the weight `width` gives all widths up to the greatest the same prior probability.
    let shares: Vec<f64> = widths.iter().zip(&fits).map(|(width, fit)| width * (fit - best).exp()).collect();
    let whole: f64 = shares.iter().sum();
    let mut mean = DVector::zeros(worth.len());
    for (width, share) in widths.iter().zip(&shares) {
        let left = precisions.map(|precision| width * width / (1.0 + width * width * precision));
        mean += directions * evidence.component_mul(&left) * (share / whole);
    }
    mean.iter().map(|logit| logit * UNIT).collect()
}

/// The score that each block's first side is expected to have.
fn expected(sides: &DMatrix<f64>, worth: &DVector<f64>) -> DVector<f64> {
    (sides * worth).map(|logit| 1.0 / (1.0 + (-logit.clamp(-LOGIT_MAX, LOGIT_MAX)).exp()))
}

/// The ratio of the variance of results to that of independent games with the same probabilities: pairs of games from one opening
/// scatter less, and so do draws. If all results are equal, the variance of independent games is used, because a small sample
/// does not show that results never differ.
fn scatter(blocks: &[&GameBlock]) -> f64 {
    let (mut found, mut coins) = (0.0, 0.0);
    for block in blocks {
        let (mean, last) = (block.pairs.score(), (block.pairs.counts.len() - 1) as f64);
        let squares = block.pairs.counts.iter().enumerate();
        found += squares.map(|(half, &count)| count as f64 * (half as f64 / last - mean).powi(2)).sum::<f64>();
        coins += (block.pairs.pairs() as f64 - 1.0) * mean * (1.0 - mean) / PAIR;
    }
    if coins > 0.0 && found > 0.0 { found / coins } else { 1.0 }
}

/// The distance of blocks from their expected scores, as a multiple of the distance by chance.
fn dispersion(blocks: &[&GameBlock], expected: &DVector<f64>, settings: usize, scatter: f64) -> f64 {
    let free = blocks.len().saturating_sub(settings);
    if free == 0 {
        return 1.0;
    }
    let distance = |(block, p): (&&GameBlock, &f64)| {
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

    /// Blocks of games between sides whose settings have these worths.
    fn blocks(elo: &[f64], count: usize, pairs: usize, share: f64, seed: u64) -> Vec<GameBlock> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut block = || {
            let mut lot = || if rng.random_bool(share) { [-1, 1][usize::from(rng.random::<bool>())] } else { 0 };
            let sides: Vec<i8> = elo.iter().map(|_| lot()).collect();
            let ahead: f64 = sides.iter().zip(elo).map(|(&side, elo)| f64::from(side) * elo).sum();
            let mut played = Pentanomial::default();
            for _ in 0..pairs {
                let points = (0..2).filter(|_| rng.random_bool(score_of_elo(ahead))).count();
                played.add(points * 2);
            }
            GameBlock { sides, pairs: played }
        };
        (0..count).map(|_| block()).collect()
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
            assert!((0.7..1.4).contains(&fit.dispersion), "{}", fit.dispersion);
        }
    }

    #[test]
    fn intervals_have_their_nominal_coverage() {
        let elo = [30.0, -30.0, 0.0, 5.0];
        let mut inside = 0;
        for seed in 0..60 {
            let fit = fit(&blocks(&elo, 40, 25, 1.0, seed)).expect("enough");
            inside += fit.elo.iter().zip(elo).filter(|(found, elo)| found.low <= *elo && *elo <= found.high).count();
        }
        assert!((218..=240).contains(&inside), "{inside} of 240, 228 expected");
    }

    /// They are games between identical engines, whose small variance was averaged with that of the others.
    #[test]
    fn blocks_without_settings_do_not_narrow_the_intervals() {
        let played = blocks(&[40.0], 30, 10, 1.0, 3);
        let mut diluted = played.clone();
        diluted.extend(blocks(&[40.0], 120, 10, 0.0, 4));
        assert_eq!(fit(&diluted), fit(&played));
    }

    #[test]
    fn settings_are_separable_if_no_block_structure_joins_them() {
        for (sides, separable) in [
            (vec![vec![1, 0], vec![0, 1]], true),
            (vec![vec![1, 1], vec![1, -1]], true),
            (vec![vec![1, 1], vec![-1, -1], vec![0, 0]], false),
            (vec![vec![1, 0]], false),
            (vec![vec![0], vec![0]], false),
        ] {
            assert_eq!(are_separable(&sides), separable, "{sides:?}");
        }
    }

    /// Worths as they are in practice: most next to nothing, either sign.
    fn small(count: usize) -> Vec<f64> {
        (0..count).map(|at| 8.0 * ((at * 7 % count) as f64 / count as f64 * 2.0 - 1.0).powi(3)).collect()
    }

    #[test]
    fn expected_worths_are_nearer_to_the_truth_after_few_games() {
        let elo = small(24);
        let distance =
            |found: &[f64]| -> f64 { found.iter().zip(&elo).map(|(found, elo)| (found - elo).powi(2)).sum() };
        let (mut by_games, mut expected) = (0.0, 0.0);
        for seed in 0..20 {
            let fit = fit(&blocks(&elo, 40, 10, 1.0, seed)).expect("enough");
            by_games += distance(&fit.elo.iter().map(|found| found.value).collect::<Vec<_>>());
            expected += distance(&fit.shrunken_elo);
        }
        assert!(expected < by_games / 4.0, "{expected} instead of {by_games}");
    }

    #[test]
    fn expected_worths_are_the_estimates_after_many_games() {
        let elo = [60.0, -40.0, 0.0, 15.0, -120.0, 200.0];
        let fit = fit(&blocks(&elo, 200, 100, 1.0, 5)).expect("enough");
        for (found, shrunken_elo) in fit.elo.iter().zip(&fit.shrunken_elo) {
            assert!((found.value - shrunken_elo).abs() < 1.0, "{found:?} {shrunken_elo}");
        }
    }

    #[test]
    fn settings_without_effect_have_an_expected_worth_of_zero() {
        let even = |sides: [i8; 2]| GameBlock { sides: sides.to_vec(), pairs: Pentanomial::new([10, 20, 40, 20, 10]) };
        let fit = fit(&[even([1, 1]), even([1, -1]), even([-1, 1])]).expect("enough");
        assert!(fit.shrunken_elo.iter().all(|shrunken_elo| shrunken_elo.abs() < 1e-6), "{:?}", fit.shrunken_elo);
    }

    #[test]
    fn draws_and_even_pairs_make_intervals_narrower_and_blocks_that_differ_wider() {
        let block = |side, counts| GameBlock { sides: vec![side], pairs: Pentanomial::new(counts) };
        let margin = |blocks: &[GameBlock]| fit(blocks).expect("one setting").elo[0].margin();
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
            let found =
                fit(&[GameBlock { sides: vec![1], pairs }, GameBlock { sides: vec![-1], pairs: pairs.reversed() }]);
            found.expect("one setting").elo[0]
        };
        let even = fitted([0, 0, 6, 0, 0]);
        assert!(even.value.abs() < 1e-9 && even.margin() > 50.0, "{even:?}");
        let won = fitted([0, 0, 0, 0, 6]);
        assert!(won.value > 400.0 && won.value < 2000.0 && won.margin() > 100.0, "{won:?}");
        assert!(fitted([6, 0, 0, 0, 0]).value < -400.0);
    }

    #[test]
    fn indistinguishable_settings_are_an_error() {
        let pairs = Pentanomial::new([1, 2, 3, 4, 5]);
        let together = vec![GameBlock { sides: vec![1, 1], pairs }, GameBlock { sides: vec![-1, -1], pairs }];
        let error = ScreeningError::TooFew(2, 2);
        assert_eq!(fit(&together), Err(error));
        assert!(error.to_string().contains("play more blocks"));
        assert_eq!(
            fit(&[GameBlock { sides: vec![0], pairs }]),
            Err(ScreeningError::TooFew(0, 1)),
            "a block without settings"
        );
        let empty = GameBlock { sides: vec![1], pairs: Pentanomial::new([0; 5]) };
        assert!(
            fit(&[empty]).is_err_and(|error| error.to_string().ends_with("by 0 blocks of games; play more blocks"))
        );
    }
}
