//! Single games: wins, draws and losses. The strength of a player follows from pairs of games: [`super::pentanomial`].

use std::ops::AddAssign;

/// Results of games, seen by the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
        let share = |count: u64| count as f64 / self.games() as f64;
        if self.games() == 0 { 0.5 } else { 0.5 * share(self.draws) + share(self.wins) }
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
}

impl AddAssign for Trinomial {
    fn add_assign(&mut self, more: Trinomial) {
        self.wins += more.wins;
        self.draws += more.draws;
        self.losses += more.losses;
    }
}
