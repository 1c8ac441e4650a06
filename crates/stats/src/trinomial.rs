//! Single games: wins, draws and losses. For games that come in pairs, [`super::pentanomial`] gives narrower and better intervals.

use super::Estimate;
use super::outcomes::Outcomes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;

/// Results of games, seen by the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trinomial {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Trinomial {
    /// Results with these counts.
    pub const fn new(wins: u64, draws: u64, losses: u64) -> Trinomial {
        Trinomial { wins, draws, losses }
    }

    /// Adds a game: `Some(true)` was won by the first player, `Some(false)` lost, `None` drawn.
    pub fn add(&mut self, won: Option<bool>) {
        match won {
            Some(true) => self.wins += 1,
            None => self.draws += 1,
            Some(false) => self.losses += 1,
        }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the first player.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Score per game, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        self.outcomes().map_or(0.5, |outcomes| outcomes.mean())
    }

    /// The Elo difference in the logistic model: that at which [`Trinomial::score`] is expected, and the interval that belongs to
    /// the normal interval of the score.
    pub fn elo(&self) -> Estimate {
        self.outcomes().map_or(Estimate::UNKNOWN, |outcomes| outcomes.elo())
    }

    /// The normalized Elo difference: how far the score is above one half in standard deviations of one game, times 800 / ln 10.
    pub fn normalized_elo(&self) -> Estimate {
        self.outcomes().map_or(Estimate::UNKNOWN, |outcomes| outcomes.normalized_elo())
    }

    /// Likelihood of superiority: the probability that the first player is the stronger one, if nothing was known before.
    pub fn los(&self) -> f64 {
        self.outcomes().map_or(0.5, |outcomes| outcomes.superiority())
    }

    /// The share of drawn games; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| self.draws as f64 / games as f64)
    }

    /// The same games seen by the second player.
    #[must_use]
    pub fn reversed(self) -> Trinomial {
        Trinomial { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Losses, draws and wins, as the common formulas take them.
    pub(super) fn counts(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    fn outcomes(&self) -> Option<Outcomes<3>> {
        Outcomes::new(self.counts())
    }
}

impl AddAssign for Trinomial {
    fn add_assign(&mut self, more: Trinomial) {
        self.wins += more.wins;
        self.draws += more.draws;
        self.losses += more.losses;
    }
}

impl fmt::Display for Trinomial {
    /// `+12 =30 -11`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}
