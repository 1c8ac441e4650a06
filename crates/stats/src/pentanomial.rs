//! Pairs of games: the same opening twice with colours swapped. The two games of a pair depend on each other (an opening that favours
//! White gives a win to each), so pairs are counted.
//!
//! References: Van den Bergh, *Normalized Elo* (`van-den-bergh2019`); the five counts and the names of the figures are those of
//! fishtest, the test system of Stockfish.

use super::outcomes::Outcomes;
use super::{Estimate, SAMPLE_MIN};
use std::fmt;
use std::ops::AddAssign;

/// Results of pairs, seen by the first player: `counts[i]` pairs with `i` half points, 0 to 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Pairs with 0, 1, 2, 3 and 4 half points.
    pub counts: [u64; 5],
}

/// The index of pairs that gave one point to each side.
const EVEN: usize = 2;

impl Pentanomial {
    /// Results with these counts.
    pub const fn new(counts: [u64; 5]) -> Pentanomial {
        Pentanomial { counts }
    }

    /// Adds a pair with `half_points` of 4 for the first player; more than 4 count as 4.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points.min(self.counts.len() - 1)] += 1;
    }

    /// Pairs played.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns true if there are enough pairs ([`SAMPLE_MIN`]) for a conclusion.
    pub fn is_conclusive(&self) -> bool {
        self.pairs() >= SAMPLE_MIN
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// Points of the first player.
    pub fn points(&self) -> f64 {
        self.counts.iter().zip(0u64..).map(|(count, half_points)| count * half_points).sum::<u64>() as f64 / 2.0
    }

    /// Score per game, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        self.outcomes().map_or(0.5, |outcomes| outcomes.mean())
    }

    /// The Elo difference in the logistic model: that at which [`Pentanomial::score`] is expected, and the interval that belongs to
    /// the normal interval of the score.
    pub fn elo(&self) -> Estimate {
        self.outcomes().map_or(Estimate::UNKNOWN, |outcomes| outcomes.elo())
    }

    /// The normalized Elo difference: how far the score is above one half in standard deviations of one game, times 800 / ln 10.
    ///
    /// The deviation of one game is the square root of 2 times the deviation of a pair's score per game, as in fishtest. A match
    /// of a given certainty needs a number of games that depends on this figure alone, not on the openings and the draws;
    /// with few draws, balanced openings and small differences it is equal to Elo.
    pub fn normalized_elo(&self) -> Estimate {
        self.outcomes().map_or(Estimate::UNKNOWN, |outcomes| outcomes.normalized_elo())
    }

    /// Likelihood of superiority: the probability that the first player is the stronger one, if nothing was known before.
    pub fn los(&self) -> f64 {
        self.outcomes().map_or(0.5, |outcomes| outcomes.superiority())
    }

    /// The share of pairs in which both sides made one point; `None` without pairs.
    pub fn draw_ratio(&self) -> Option<f64> {
        let pairs = self.pairs();
        (pairs > 0).then(|| self.counts[EVEN] as f64 / pairs as f64)
    }

    /// Pairs won for each pair lost: infinite if none was lost; `None` if none was won either.
    pub fn pairs_ratio(&self) -> Option<f64> {
        let [lost, won] = [&self.counts[..EVEN], &self.counts[EVEN + 1..]].map(|counts| counts.iter().sum::<u64>());
        (lost + won > 0).then(|| won as f64 / lost as f64)
    }

    /// The same pairs seen by the second player.
    #[must_use]
    pub fn reversed(self) -> Pentanomial {
        let mut counts = self.counts;
        counts.reverse();
        Pentanomial { counts }
    }

    fn outcomes(&self) -> Option<Outcomes> {
        Outcomes::new(self.counts)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, more: Pentanomial) {
        for (count, more) in self.counts.iter_mut().zip(more.counts) {
            *count += more;
        }
    }
}

impl fmt::Display for Pentanomial {
    /// `[0, 12, 30, 15, 1]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.counts)
    }
}

#[cfg(test)]
mod tests;
