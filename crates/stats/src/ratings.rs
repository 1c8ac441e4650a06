//! Ratings of more than two players, from all their games together.
//!
//! Every player has a rating, and the expected score of a game follows from the difference by the logistic curve; the ratings are
//! those under which the results are likeliest. A draw counts as half a win and half a loss. The intervals come from the Fisher
//! information; draws make them narrower, because results that are drawn scatter less.
//!
//! References: Zermelo (`zermelo1929`), Bradley and Terry (`bradley-terry1952`) for the model; Ford (`ford1957`) for when there is a
//! solution.

use super::{ELO_PER_TENFOLD, Estimate, Trinomial, quantile, score_of_elo};
use nalgebra::{DMatrix, DVector};

/// Most Newton steps; fewer suffice for all results.
const STEPS_MAX: usize = 200;
/// No step changes a rating by more (Elo): far from the solution Newton steps are too long.
const STEP_MAX: f64 = 200.0;
/// A step shorter than this is the last (Elo).
const STEP_LAST: f64 = 1e-9;

/// A draw instead of a win or a loss lowers the variance of a score by this amount.
const DRAW_VARIANCE: f64 = 0.25;

/// All games between two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The first player.
    pub first: usize,
    /// The second player.
    pub second: usize,
    /// The results, seen by the first.
    pub result: Trinomial,
}

/// Ratings of players that are numbered from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The rating of each player in Elo around the mean of all, with its interval.
    pub players: Vec<Estimate>,
    /// Some players won every game against the others, so that ratings would be infinite. One drawn game was added to each pairing to
    /// get finite ones.
    pub draws_added: bool,
}

/// Rates `count` players by these results. Several pairings of the same players count together. `None` if no games link all players,
/// directly or through others, or a pairing names a player beyond them.
pub fn rate(count: usize, pairings: &[Pairing]) -> Option<Ratings> {
    let is_known = |pairing: &Pairing| pairing.first.max(pairing.second) < count;
    if !pairings.iter().all(is_known) || is_split(count, pairings, |_| true) {
        return None;
    }
    let scored = |result: Trinomial| result.wins + result.draws > 0;
    let draws_added =
        is_split(count, pairings, scored) || is_split(count, pairings, |result| scored(result.reversed()));
    let mut table = CrossTable::new(count, pairings);
    if draws_added {
        table.add_draws();
    }
    Some(Ratings { players: table.estimates(), draws_added })
}

/// Returns true if a player cannot be reached from player 0 by steps from a player to an opponent, each with a result for which `step` is
/// true.
fn is_split(count: usize, pairings: &[Pairing], step: impl Fn(Trinomial) -> bool) -> bool {
    let mut reached = vec![false; count];
    let mut open = vec![0];
    while let Some(player) = open.pop() {
        if count == 0 || std::mem::replace(&mut reached[player], true) {
            continue;
        }
        for &Pairing { first, second, result } in pairings.iter().filter(|pairing| pairing.result.games() > 0) {
            if first == player && step(result) {
                open.push(second);
            }
            if second == player && step(result.reversed()) {
                open.push(first);
            }
        }
    }
    reached.contains(&false)
}

/// Games and points of each player against each other.
struct CrossTable {
    count: usize,
    games: DMatrix<f64>,
    points: DMatrix<f64>,
    draws: DMatrix<f64>,
}

impl CrossTable {
    fn new(count: usize, pairings: &[Pairing]) -> CrossTable {
        let zero = || DMatrix::zeros(count, count);
        let mut table = CrossTable { count, games: zero(), points: zero(), draws: zero() };
        for &Pairing { first, second, result } in pairings.iter().filter(|pairing| pairing.first != pairing.second) {
            for (player, opponent, result) in [(first, second, result), (second, first, result.reversed())] {
                table.games[(player, opponent)] += result.games() as f64;
                table.points[(player, opponent)] += result.points();
                table.draws[(player, opponent)] += result.draws as f64;
            }
        }
        table
    }

    /// One draw more in each pairing that was played.
    fn add_draws(&mut self) {
        for index in 0..self.games.len() {
            if self.games[index] > 0.0 {
                self.games[index] += 1.0;
                self.points[index] += 0.5;
                self.draws[index] += 1.0;
            }
        }
    }

    /// The expected score of one game between two players with these ratings.
    fn expected(ratings: &DVector<f64>, player: usize, opponent: usize) -> f64 {
        score_of_elo(ratings[player] - ratings[opponent])
    }

    /// Newton's method on the log-likelihood, which has one maximum only.
    fn likeliest(&self) -> DVector<f64> {
        let per_elo = std::f64::consts::LN_10 / ELO_PER_TENFOLD;
        let mut ratings = DVector::zeros(self.count);
        for _ in 0..STEPS_MAX {
            let missing = DVector::from_fn(self.count, |player, _| {
                let of = |opponent| {
                    self.points[(player, opponent)]
                        - self.games[(player, opponent)] * CrossTable::expected(&ratings, player, opponent)
                };
                (0..self.count).map(of).sum::<f64>()
            });
            let step: DVector<f64> = self.covariance(&ratings) * missing / per_elo;
            let longest = step.amax();
            ratings += &step * (STEP_MAX / longest).min(1.0);
            if longest < STEP_LAST {
                break;
            }
        }
        ratings
    }

    /// The matrix whose entries are, off the diagonal, minus games times `variance` of one game, and whose rows sum to zero.
    fn information(&self, variance: impl Fn(usize, usize) -> f64) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(self.count, self.count);
        for player in 0..self.count {
            for opponent in (0..self.count).filter(|opponent| self.games[(player, *opponent)] > 0.0) {
                let weight = self.games[(player, opponent)] * variance(player, opponent);
                matrix[(player, opponent)] -= weight;
                matrix[(player, player)] += weight;
            }
        }
        matrix
    }

    /// The inverse of the Fisher information (in units of natural logarithms), for ratings with a mean of zero: only differences can
    /// be known, so the direction in which all ratings rise together is taken out.
    fn covariance(&self, ratings: &DVector<f64>) -> DMatrix<f64> {
        let variance = |player, opponent| {
            let expected = CrossTable::expected(ratings, player, opponent);
            expected * (1.0 - expected)
        };
        let together = DMatrix::from_element(self.count, self.count, 1.0 / self.count as f64);
        let information = self.information(variance) + &together;
        information.try_inverse().map_or_else(|| DMatrix::zeros(self.count, self.count), |inverse| inverse - together)
    }

    /// The covariance of the ratings with the scatter that draws leave: a game with expected score `p` of which the share `d` is
    /// drawn has the variance `p (1 - p) - d / 4`. The share is taken low by one decisive game, so that no scatter is zero.
    fn scatter(&self, ratings: &DVector<f64>) -> DMatrix<f64> {
        let variance = |player, opponent| {
            let expected = CrossTable::expected(ratings, player, opponent);
            let drawn = self.draws[(player, opponent)] / (self.games[(player, opponent)] + 1.0);
            (expected * (1.0 - expected) - drawn * DRAW_VARIANCE).max(0.0)
        };
        let inverse = self.covariance(ratings);
        &inverse * self.information(variance) * &inverse
    }

    fn estimates(&self) -> Vec<Estimate> {
        let ratings = self.likeliest();
        let scatter = self.scatter(&ratings);
        let per_unit = ELO_PER_TENFOLD / std::f64::consts::LN_10;
        let estimate = |player: usize| {
            let value = ratings[player];
            let reach = quantile() * per_unit * scatter[(player, player)].max(0.0).sqrt();
            Estimate { value, low: value - reach, high: value + reach }
        };
        (0..self.count).map(estimate).collect()
    }
}

#[cfg(test)]
mod tests;
