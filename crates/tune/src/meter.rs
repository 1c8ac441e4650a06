//! Other UCI engines that are measured, the positions and openings of a run, and the scores of its games.

mod external;

pub(crate) use external::ExternalEngine;
pub use external::{Engine, space_of};

use super::fault::{GameFault, NO_START, PairPlayer};
use super::measure::{Measure, ProbeResult, Set};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_files::epd::Record;
use quarterply_games::game::{self, Pace, Player};
use quarterply_games::openings::Openings;
use shakmaty::{ByColor, Color};
use std::sync::OnceLock;

/// The positions and openings of a run.
#[derive(Default)]
pub struct Material {
    /// The suite that is tuned on.
    pub tuning: Vec<Record>,
    /// The hold-out suite.
    pub holdout: Vec<Record>,
    /// How many openings there are.
    pub opening_count: usize,
    /// Their seed.
    pub opening_seed: u64,
    /// The openings, made when the first is wanted.
    pub openings: OnceLock<Vec<Game>>,
}

impl Material {
    /// A position.
    pub(crate) fn position(&self, set: Set, index: u32) -> Result<&Record, String> {
        let records = match set {
            Set::Tuning => &self.tuning,
            Set::Holdout => &self.holdout,
        };
        records
            .get(index as usize)
            .ok_or_else(|| format!("cannot find position {index}: the suite has {} positions", records.len()))
    }

    /// An opening, judged to be balanced by these parameters.
    pub(crate) fn opening(&self, judge: &Parameters, number: u32) -> &Game {
        let make = || Openings::new(judge.clone(), self.opening_seed).take(self.opening_count.max(1)).collect();
        let all: &Vec<Game> = self.openings.get_or_init(make);
        &all[number as usize % all.len()]
    }
}

/// What came of games of a pair; the points are half points of the first player.
#[derive(Default)]
pub(crate) struct PairScore {
    points: u8,
    nodes: u64,
    faults: Vec<GameFault>,
}

impl PairScore {
    /// Half points of a win.
    const WIN: u8 = 2;

    /// A game that a player lost at its opening, because it cannot be started for this reason.
    pub(crate) fn lose(&mut self, by: PairPlayer, what: String, opening: &Game) {
        self.points += if by == PairPlayer::Opponent { PairScore::WIN } else { 0 };
        self.faults.push(GameFault { by, kind: NO_START.to_owned(), what, position: opening.fen() });
    }

    /// Adds a game between the first player, which has this colour, and the second. Returns true if neither committed a fault.
    pub(crate) fn add(&mut self, record: &game::Record, color: Color) -> bool {
        self.points += match record.verdict.winner {
            None => 1,
            Some(winner) if winner == color => PairScore::WIN,
            Some(_) => 0,
        };
        self.nodes += record.played.iter().map(|played| played.choice.nodes).sum::<u64>();
        let ending = &record.verdict.ending;
        if !ending.is_fault() {
            return true;
        }
        let mut game = record.opening.clone();
        record.played.iter().for_each(|played| game.play(played.mv));
        let by = if record.verdict.winner == Some(color) { PairPlayer::Opponent } else { PairPlayer::Candidate };
        self.faults.push(GameFault {
            by,
            kind: ending.code().to_owned(),
            what: ending.detail().unwrap_or_else(|| ending.to_string()),
            position: game.fen(),
        });
        false
    }

    /// The result of the pair.
    pub(crate) fn result(self) -> ProbeResult {
        let PairScore { points, nodes, faults } = self;
        ProbeResult { measure: Measure::Pair { points, nodes }, faults }
    }
}

/// Plays a game from an opening; the first player has this colour.
pub(crate) fn play_game(
    [first, second]: [&mut dyn Player; 2],
    color: Color,
    opening: &Game,
    pace: Pace,
) -> game::Record {
    let players: ByColor<&mut dyn Player> = match color {
        Color::White => ByColor { white: first, black: second },
        Color::Black => ByColor { white: second, black: first },
    };
    game::play(players, opening, pace, &mut [])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_cannot_be_started_loses_the_game() {
        for (by, points) in [(PairPlayer::Candidate, 0), (PairPlayer::Opponent, PairScore::WIN)] {
            let mut score = PairScore::default();
            score.lose(by, "exit status 1".to_owned(), &Game::new());
            let ProbeResult { measure, faults } = score.result();
            assert_eq!(measure, Measure::Pair { points, nodes: 0 });
            assert_eq!((faults[0].by, faults[0].kind.as_str()), (by, NO_START));
        }
    }
}
