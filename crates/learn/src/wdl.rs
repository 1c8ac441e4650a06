//! Fits the curve behind `UCI_ShowWDL` to the scores and results of games.
//!
//! Positions are counted by size of the score and game phase; one where the side to move is worse counts as one where it is better, seen from
//! the other side. The four numbers are those that make the results likeliest, by Fisher scoring. Positions of a game share their result, so
//! that the error is that of leaving out a tenth of the games at a time (jackknife).

use crate::eval::data::{LoadError, POSITIONS_MIN, check_counts};
use crate::is_held_out;
use nalgebra::{Matrix4, Vector4};
use quarterply_datagen::read::ArchiveGames;
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::ReplayError;
use quarterply_engine::evaluator;
use quarterply_uci::wdl::{FULL_PHASE, WdlCurve};
use rayon::prelude::*;

/// Games that are replayed at a time.
const BATCH: usize = 1024;
/// Larger scores are left out (pawns/100). Draws with a large score, in a fortress for example, do not follow the curve and would distort
/// its middle part.
pub const SCORE_MAX: i32 = 300;
/// Parts of the games; each is left out once.
pub const PARTS: usize = 10;
/// One of this number of games is held out.
pub const HOLD_OUT: u64 = 10;
/// Decides which games are held out.
const SEED: u64 = 1;
/// Results: to win, to draw, to lose.
const RESULTS: usize = 3;
const PHASES: usize = FULL_PHASE as usize + 1;
const SCORES: usize = SCORE_MAX as usize + 1;
/// The numbers of the curve.
pub const NUMBERS: usize = 4;
/// Steps of the fit; it needs about ten.
const STEPS_MAX: usize = 100;
/// The fit ends if a step that is halved this number of times does not raise the likelihood.
const HALVINGS: usize = 20;
/// A step this short ends the fit (pawns/100).
const CLOSE: f64 = 1e-4;
/// Half a difference to find slopes by (pawns/100).
const DELTA: f64 = 1e-3;
/// The least a number of the curve may be (pawns/100).
const LEAST: f64 = 1.0;
/// The least chance of a result, so that its information is finite.
const CHANCE_MIN: f64 = 1e-9;
/// Upper ends of the bands of the table (pawns/100).
const BANDS: [i32; 6] = [25, 50, 100, 150, 200, SCORE_MAX + 1];

/// Results by phase and size of the score, for the side that is better.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultCounts(Vec<[u64; RESULTS]>);

impl Default for ResultCounts {
    fn default() -> ResultCounts {
        ResultCounts(vec![[0; RESULTS]; PHASES * SCORES])
    }
}

impl ResultCounts {
    /// Counts a position with `score` and `points` (1, 0.5 or 0) for its side to move, unless the score is too large.
    pub fn enter(&mut self, phase: i32, score: i32, points: f64) {
        if score.abs() > SCORE_MAX {
            return;
        }
        let seen = if score < 0 { 1.0 - points } else { points };
        let result = if seen > 0.5 { 0 } else { usize::from(seen < 0.5) + 1 };
        let place = phase.clamp(0, FULL_PHASE) as usize * SCORES + score.unsigned_abs() as usize;
        self.0[place][result] += 1;
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &ResultCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    /// Number of positions.
    pub fn positions(&self) -> u64 {
        self.cells().map(|(.., results)| results.iter().sum::<u64>()).sum()
    }

    /// Phase, score and results where there are any.
    fn cells(&self) -> impl Iterator<Item = (i32, i32, &[u64; RESULTS])> {
        let seen = self.0.iter().enumerate().filter(|(_, results)| results.iter().any(|count| *count > 0));
        seen.map(|(place, results)| ((place / SCORES) as i32, (place % SCORES) as i32, results))
    }

    /// Mean information of a result, when these are its chances, in bits.
    pub fn bits(&self, chances: impl Fn(i32, i32) -> [f64; RESULTS]) -> f64 {
        let mut sum = 0.0;
        for (phase, score, results) in self.cells() {
            let chances = chances(phase, score);
            sum -= chances.iter().zip(results).map(|(p, &n)| n as f64 * p.max(CHANCE_MIN).log2()).sum::<f64>();
        }
        sum / self.positions().max(1) as f64
    }

    /// The shares of the results at all scores.
    fn shares(&self) -> [f64; RESULTS] {
        let mut sums = [0; RESULTS];
        for (.., results) in self.cells() {
            sums.iter_mut().zip(results).for_each(|(sum, count)| *sum += count);
        }
        sums.map(|sum| sum as f64 / self.positions().max(1) as f64)
    }
}

/// A band of scores with its predicted and observed results.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreBand {
    /// Scores from here on (pawns/100).
    pub from: i32,
    /// And below this.
    pub to: i32,
    /// Positions.
    pub positions: u64,
    /// The mean chances to win, to draw and to lose.
    pub predicted: [f64; RESULTS],
    /// The shares that won, drew and lost.
    pub observed: [f64; RESULTS],
}

/// Games, counted.
#[derive(Clone, Debug, Default)]
pub struct CountedGames {
    /// Games to fit, in parts.
    pub parts: [ResultCounts; PARTS],
    /// Held out.
    pub held_out: ResultCounts,
    /// Games read.
    pub games: u64,
}

/// The results of a fit.
#[derive(Clone, Debug)]
pub struct WdlFit {
    /// The likeliest curve.
    pub curve: WdlCurve,
    /// Standard errors of its numbers, in the order of [`numbers`].
    pub errors: [f64; NUMBERS],
    /// Bits of a held-out result if all positions have the same chances.
    pub shares: f64,
    /// The same by the curve that is used today.
    pub used: f64,
    /// The same by the likeliest curve.
    pub fitted: f64,
    /// Held-out positions by score.
    pub bands: Vec<ScoreBand>,
}

/// The numbers of a curve with their names.
pub fn numbers(curve: &WdlCurve) -> [(&'static str, f64); NUMBERS] {
    let WdlCurve { middle_ending, middle_opening, spread_ending, spread_opening } = *curve;
    [
        ("middle_ending", middle_ending),
        ("middle_opening", middle_opening),
        ("spread_ending", spread_ending),
        ("spread_opening", spread_opening),
    ]
}

fn curve(numbers: &Vector4<f64>) -> WdlCurve {
    let [middle_ending, middle_opening, spread_ending, spread_opening] = (*numbers).into();
    WdlCurve { middle_ending, middle_opening, spread_ending, spread_opening }
}

/// Reads games and counts their positions. `progress` receives the number of games.
///
/// # Errors
/// Files that cannot be read, illegal moves, or too few positions.
pub fn load(games: &mut ArchiveGames<'_>, mut progress: impl FnMut(u64)) -> Result<CountedGames, LoadError> {
    let mut loaded = CountedGames::default();
    loop {
        let batch: Vec<GameRecord> = games.by_ref().take(BATCH).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            break;
        }
        let seen: Vec<Vec<(i32, i32, f64)>> = batch.par_iter().map(positions).collect::<Result<_, _>>()?;
        for (game, positions) in batch.iter().zip(seen) {
            loaded.games += u64::from(!game.is_sampled());
            let counts = if is_held_out(SEED, HOLD_OUT, game.number) {
                &mut loaded.held_out
            } else {
                &mut loaded.parts[game.number as usize % PARTS]
            };
            positions.into_iter().for_each(|(phase, score, points)| counts.enter(phase, score, points));
        }
        progress(loaded.games);
    }
    let positions: u64 = loaded.parts.iter().map(ResultCounts::positions).sum();
    check_counts((positions as usize, loaded.held_out.positions() as usize), POSITIONS_MIN, HOLD_OUT, false)?;
    Ok(loaded)
}

/// Phase, score and points of the side to move in every position of a game.
fn positions(game: &GameRecord) -> Result<Vec<(i32, i32, f64)>, ReplayError> {
    let mut seen = Vec::new();
    for view in game.replay() {
        let view = view?;
        if let (Some(points), Some(score)) = (view.mover_points(), view.mover_score()) {
            seen.push((evaluator::phase(view.position.board()), score.0, points));
        }
    }
    Ok(seen)
}

/// Fits the curve.
pub fn fit(loaded: &CountedGames) -> WdlFit {
    let mut all = ResultCounts::default();
    loaded.parts.iter().for_each(|part| all.add(part));
    let start = Vector4::from(numbers(&WdlCurve::USED).map(|(_, number)| number));
    let best = likeliest(&all, start);
    let others = (0..PARTS).into_par_iter().map(|left_out| {
        let mut rest = ResultCounts::default();
        (0..PARTS).filter(|part| *part != left_out).for_each(|part| rest.add(&loaded.parts[part]));
        likeliest(&rest, best)
    });
    let others: Vec<Vector4<f64>> = others.collect();
    let mean: Vector4<f64> = others.iter().sum::<Vector4<f64>>() / PARTS as f64;
    let squares: Vector4<f64> = others.iter().map(|other| (other - mean).map(|miss| miss * miss)).sum();
    let fitted = curve(&best);
    let (shares, held_out) = (all.shares(), &loaded.held_out);
    WdlFit {
        errors: squares.map(|sum| ((PARTS - 1) as f64 / PARTS as f64 * sum).sqrt()).into(),
        shares: held_out.bits(|_, _| shares),
        used: held_out.bits(|phase, score| WdlCurve::USED.chances(score.into(), phase)),
        fitted: held_out.bits(|phase, score| fitted.chances(score.into(), phase)),
        bands: bands(held_out, &fitted),
        curve: fitted,
    }
}

/// The maximum-likelihood parameters, from a good initial guess.
fn likeliest(counts: &ResultCounts, start: Vector4<f64>) -> Vector4<f64> {
    let bits = |at: &Vector4<f64>| {
        let curve = curve(at);
        counts.bits(|phase, score| curve.chances(score.into(), phase))
    };
    let (mut at, mut reached) = (start, bits(&start));
    for _ in 0..STEPS_MAX {
        let Some(step) = scoring(counts, &at) else { break };
        let tried =
            (0..HALVINGS).map(|halvings| (at + step / f64::from(1u32 << halvings)).map(|number| number.max(LEAST)));
        let Some((next, found)) = tried.map(|next| (next, bits(&next))).find(|(_, found)| *found < reached) else {
            break;
        };
        let moved = (next - at).norm();
        (at, reached) = (next, found);
        if moved < CLOSE {
            break;
        }
    }
    at
}

/// A step of Fisher scoring: the slope of the likelihood by the information that the positions have.
fn scoring(counts: &ResultCounts, at: &Vector4<f64>) -> Option<Vector4<f64>> {
    let (mut slope, mut information) = (Vector4::zeros(), Matrix4::zeros());
    let moved = |number: usize, by: f64| {
        let mut other = *at;
        other[number] += by;
        curve(&other)
    };
    let (here, less, more) = (
        curve(at),
        std::array::from_fn::<_, NUMBERS, _>(|number| moved(number, -DELTA)),
        std::array::from_fn::<_, NUMBERS, _>(|number| moved(number, DELTA)),
    );
    for (phase, score, results) in counts.cells() {
        let of = |curve: &WdlCurve| curve.chances(score.into(), phase);
        let (chances, less, more) = (of(&here), less.map(|curve| of(&curve)), more.map(|curve| of(&curve)));
        let all = results.iter().sum::<u64>() as f64;
        for result in 0..RESULTS {
            let chance = chances[result].max(CHANCE_MIN);
            let rise = Vector4::from_fn(|number, _| (more[number][result] - less[number][result]) / (2.0 * DELTA));
            slope += rise * (results[result] as f64 / chance);
            information += rise * rise.transpose() * (all / chance);
        }
    }
    information.cholesky().map(|information| information.solve(&slope))
}

fn bands(counts: &ResultCounts, curve: &WdlCurve) -> Vec<ScoreBand> {
    let mut bands = Vec::new();
    let mut from = 0;
    for to in BANDS {
        let (mut predicted, mut observed) = ([0.0; RESULTS], [0.0; RESULTS]);
        let mut positions = 0;
        for (phase, score, results) in counts.cells().filter(|(_, score, _)| (from..to).contains(score)) {
            let all = results.iter().sum::<u64>();
            positions += all;
            let chances = curve.chances(score.into(), phase);
            for result in 0..RESULTS {
                predicted[result] += all as f64 * chances[result];
                observed[result] += results[result] as f64;
            }
        }
        let mean = |sums: [f64; RESULTS]| sums.map(|sum| sum / positions.max(1) as f64);
        bands.push(ScoreBand { from, to, positions, predicted: mean(predicted), observed: mean(observed) });
        from = to;
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Positions whose results follow a curve, seen by either side.
    fn drawn(truth: &WdlCurve, positions: usize) -> CountedGames {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut loaded = CountedGames { games: positions as u64, ..CountedGames::default() };
        for number in 0..positions {
            let (phase, score) = (random.random_range(0..=FULL_PHASE), random.random_range(-SCORE_MAX..=SCORE_MAX));
            let [win, draw, _] = truth.chances(score.into(), phase);
            let chance: f64 = random.random();
            let points = if chance < win {
                1.0
            } else if chance < win + draw {
                0.5
            } else {
                0.0
            };
            let counts =
                if number % HOLD_OUT as usize == 0 { &mut loaded.held_out } else { &mut loaded.parts[number % PARTS] };
            counts.enter(phase, score, points);
        }
        loaded
    }

    #[test]
    fn a_curve_is_found_again_within_its_errors() {
        let truth = WdlCurve { middle_ending: 60.0, middle_opening: 140.0, spread_ending: 40.0, spread_opening: 90.0 };
        let fit = fit(&drawn(&truth, 60_000));
        for ((name, found), ((_, expected), error)) in
            numbers(&fit.curve).into_iter().zip(numbers(&truth).into_iter().zip(fit.errors))
        {
            assert!((0.1..6.0).contains(&error), "{name}: {error}");
            assert!((found - expected).abs() < 4.0 * error, "{name}: {found} +- {error}, drawn from {expected}");
        }
        assert!(fit.fitted < fit.used && fit.fitted < fit.shares, "{fit:?}");
        for band in fit.bands.iter().filter(|band| band.positions > 300) {
            for (predicted, observed) in band.predicted.iter().zip(&band.observed) {
                assert!((predicted - observed).abs() < 0.08, "{band:?}");
            }
        }
        assert_eq!(
            fit.bands.iter().map(|band| band.positions).sum::<u64>(),
            drawn(&truth, 60_000).held_out.positions()
        );
    }

    #[test]
    fn the_curve_in_use_is_as_good_as_the_likeliest_where_results_follow_it() {
        let fit = fit(&drawn(&WdlCurve::USED, 60_000));
        assert!((fit.used - fit.fitted).abs() < 0.005 && fit.used < fit.shares - 0.1, "{fit:?}");
    }

    #[test]
    fn a_worse_side_is_counted_as_the_better_opponent() {
        let (mut one, mut other) = (ResultCounts::default(), ResultCounts::default());
        one.enter(3, 120, 1.0);
        other.enter(3, -120, 0.0);
        assert_eq!(one, other);
        one.enter(30, SCORE_MAX, 0.5);
        other.enter(FULL_PHASE, -SCORE_MAX, 0.5);
        other.enter(0, SCORE_MAX + 1, 1.0);
        assert_eq!(one, other);
        assert_eq!((one.positions(), one.shares()), (2, [0.5, 0.5, 0.0]));
    }
}
