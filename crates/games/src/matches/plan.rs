//! The plan of a match.

use super::journal::{Entrant, MatchHeader, VERSION};
use super::schedule::{Schedule, TournamentFormat};
use crate::game::adjudicate::Adjudication;
use crate::game::{Pace, Player};
use crate::offered::ExternalEngineData;
use crate::players::Profile;
use quarterply_stats::Sprt;
use quarterply_uci::date::today;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A match.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// Its name in the PGN.
    pub event: String,
    /// The program that runs it, as the journal names it.
    pub engine: String,
    /// The players.
    pub entrants: Vec<Entrant>,
    /// The pairings: gauntlet or round robin.
    pub format: TournamentFormat,
    /// Games of each pairing; an odd number ends with half a pair.
    pub games: usize,
    /// The limit of each move.
    pub pace: Pace,
    /// The pace of each player that does not use the common one; as long as the list of players, or empty.
    pub paces: Vec<Option<Pace>>,
    /// When games are ended early.
    pub adjudication: Adjudication,
    /// When each pairing is decided.
    pub sprt: Option<Sprt>,
    /// Pairs played at the same time.
    pub workers: usize,
    /// Other settings that the results depend on, for the journal: openings, seed, table sizes.
    pub settings: Map<String, Value>,
}

impl MatchPlan {
    /// A plain match of these players.
    pub fn new(entrants: Vec<Entrant>, games: usize, pace: Pace) -> MatchPlan {
        MatchPlan {
            event: "Quarterply match".to_owned(),
            engine: concat!("quarterply ", env!("CARGO_PKG_VERSION")).to_owned(),
            entrants,
            format: TournamentFormat::default(),
            games,
            pace,
            paces: Vec::new(),
            adjudication: Adjudication::default(),
            sprt: None,
            workers: 1,
            settings: Map::new(),
        }
    }

    /// The pairs of games, in order.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.entrants.len(), self.format, self.games)
    }

    /// The limit of this player's moves.
    pub fn pace_of(&self, player: usize) -> Pace {
        self.paces.get(player).copied().flatten().unwrap_or(self.pace)
    }

    /// Returns true if any player plays with a clock.
    pub fn is_timed(&self) -> bool {
        (0..self.entrants.len()).any(|player| self.pace_of(player).is_timed())
    }

    /// The paces as text: one, or one for each player.
    pub fn paces_in_words(&self) -> String {
        if self.paces.iter().all(Option::is_none) {
            return self.pace.to_string();
        }
        let one = |(player, entrant): (usize, &Entrant)| format!("{} {}", entrant.name, self.pace_of(player));
        self.entrants.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The names of the players.
    pub fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }

    /// The first line of the journal.
    pub fn header(&self) -> MatchHeader {
        let mut settings = self.settings.clone();
        settings.insert("pace".to_owned(), json!(self.pace.to_string()));
        settings.insert("sprt".to_owned(), json!(self.sprt.map(|sprt| sprt.to_string())));
        settings.insert("adjudicate-score".to_owned(), json!(self.adjudication.win.map(|rule| rule.to_string())));
        settings.insert("adjudicate-draw".to_owned(), json!(self.adjudication.draw.map(|rule| rule.to_string())));
        MatchHeader {
            version: VERSION,
            engine: self.engine.clone(),
            date: today('.'),
            players: self.entrants.clone(),
            format: self.format,
            games: self.games,
            settings,
        }
    }
}

/// Makes the players of a match.
pub trait PlayerFactory: Send + Sync {
    /// A separate instance of a player for one worker, by its number in the match. It restarts itself: a player that crashed in a
    /// game is ready for the next one.
    ///
    /// # Errors
    /// A message for the user: the player does not exist.
    fn make_player(&self, player: usize) -> Result<Box<dyn Player>, String>;

    /// The same player as an engine of this program, which other machines can play.
    ///
    /// # Errors
    /// A message for the user: it can play here only.
    fn data(&self, _player: usize) -> Result<Profile, String> {
        Err("it can play on this machine only".to_owned())
    }

    /// A player that is another engine, as data for machines that offer this engine; `None` for other players.
    ///
    /// # Errors
    /// A message for the user: it can play here only.
    fn external(&self, _player: usize) -> Option<Result<ExternalEngineData, String>> {
        None
    }
}

/// Gives players that are called the same different names: `a`, `a 2`, `a 3`.
pub fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut result = Vec::new();
    for name in names {
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.unwrap_or(name);
        taken.insert(free.clone());
        result.push(free);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_distinct() {
        let names = ["a", "b", "a", "a", "a 2"].map(str::to_owned);
        assert_eq!(distinct(names), ["a", "b", "a 2", "a 3", "a 2 2"]);
    }
}
