//! Other UCI engines that are measured, the positions and openings of a run, and the scores of its games.

mod external;

pub(crate) use external::ExternalEngine;
pub use external::{RecordedEngine, space_of};

use super::fault::{GameFault, NO_START, PairPlayer};
use super::plan::OpeningSet;
use super::units::{Measurement, SuiteRole};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_files::epd::Record;
use quarterply_files::fingerprint::fingerprint;
use quarterply_games::game::adjudicate::AbandonGame;
use quarterply_games::game::{self, Pace, Player};
use quarterply_games::openings::Openings;
use quarterply_work::Cancel;
use shakmaty::{ByColor, Color};
use std::sync::OnceLock;

/// The positions and openings of a run.
#[derive(Default)]
pub struct TuningInputs {
    /// The suite that is tuned on.
    pub tuning: Vec<Record>,
    /// The hold-out suite.
    pub holdout: Vec<Record>,
    /// How many openings there are.
    pub opening_count: usize,
    /// Their seed.
    pub opening_seed: u64,
    /// The openings, made when the first is requested.
    pub openings: OnceLock<Vec<Game>>,
}

impl TuningInputs {
    /// A position.
    pub(crate) fn position(&self, set: SuiteRole, index: u32) -> Result<&Record, String> {
        let records = match set {
            SuiteRole::Tuning => &self.tuning,
            SuiteRole::Holdout => &self.holdout,
        };
        records
            .get(index as usize)
            .ok_or_else(|| format!("cannot find position {index}: the suite has {} positions", records.len()))
    }

    /// An opening, balanced according to these parameters.
    pub(crate) fn opening(&self, parameters: &Parameters, number: u32) -> &Game {
        let all = self.all_openings(parameters);
        &all[number as usize % all.len()]
    }

    fn all_openings(&self, parameters: &Parameters) -> &[Game] {
        let make = || Openings::new(parameters.clone(), self.opening_seed).take(self.opening_count.max(1)).collect();
        self.openings.get_or_init(make)
    }

    /// The openings of games, filtered by the default parameters; `None` if no games are played.
    pub(crate) fn opening_set(&self) -> Option<OpeningSet> {
        let count = u32::try_from(self.opening_count).ok().filter(|count| *count > 0)?;
        Some(OpeningSet { count, fingerprint: self.fingerprint_of_openings(count) })
    }

    /// A fingerprint of the first openings, filtered by the default parameters.
    pub(crate) fn fingerprint_of_openings(&self, count: u32) -> String {
        let all = self.all_openings(&Parameters::default());
        let lines = all.iter().take(count as usize).map(|game| game.fen() + "\n");
        fingerprint(lines.collect::<String>().as_bytes())
    }
}

/// The results of the games of a pair; the points are half points of the first player.
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

    /// The result of the pair, and the faults in its games.
    pub(crate) fn result(self) -> (Measurement, Vec<GameFault>) {
        let PairScore { points, nodes, faults } = self;
        (Measurement::Pair { points, nodes }, faults)
    }
}

/// Plays a game from an opening until it ends or is cancelled; the first player has this colour.
pub(crate) fn play_game(
    [first, second]: [&mut dyn Player; 2],
    color: Color,
    opening: &Game,
    pace: Pace,
    cancel: &Cancel,
) -> game::Record {
    let flags: Vec<_> = cancel.flags().cloned().collect();
    first.stop_on(&flags);
    second.stop_on(&flags);
    let players: ByColor<&mut dyn Player> = match color {
        Color::White => ByColor { white: first, black: second },
        Color::Black => ByColor { white: second, black: first },
    };
    game::play(players, opening, pace, &mut [Box::new(AbandonGame(cancel.clone()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_games::player::EnginePlayer;

    #[test]
    fn a_cancelled_game_ends_after_one_move() {
        // Three moves before the fifty-move rule ends it.
        let opening = Game::standard("7k/8/8/8/8/8/6R1/K7 w - - 97 80").expect("a position");
        let player = || EnginePlayer::new("", Parameters::default(), 1).expect("memory");
        let (mut first, mut second) = (player(), player());
        let cancel = Cancel::default();
        let mut moves =
            || play_game([&mut first, &mut second], Color::White, &opening, Pace::Depth(1), &cancel).played.len();
        assert_eq!(moves(), 3);
        cancel.cancel();
        assert_eq!(moves(), 1);
    }

    #[test]
    fn openings_have_a_fingerprint_that_depends_on_all_of_them() {
        let inputs =
            |opening_count, opening_seed| TuningInputs { opening_count, opening_seed, ..TuningInputs::default() };
        let set = |count, seed| inputs(count, seed).opening_set();
        let two = set(2, 7).expect("openings");
        assert_eq!((two.count, set(2, 7)), (2, Some(two.clone())));
        assert_eq!(inputs(3, 7).fingerprint_of_openings(2), two.fingerprint, "more openings come after these");
        assert_ne!(set(2, 8).expect("openings").fingerprint, two.fingerprint);
        assert_ne!(set(3, 7).expect("openings").fingerprint, two.fingerprint);
        assert_eq!(set(0, 7), None, "no games");
    }

    #[test]
    fn an_engine_that_cannot_be_started_loses_the_game() {
        for (by, points) in [(PairPlayer::Candidate, 0), (PairPlayer::Opponent, PairScore::WIN)] {
            let mut score = PairScore::default();
            score.lose(by, "exit status 1".to_owned(), &Game::new());
            let (measure, faults) = score.result();
            assert_eq!(measure, Measurement::Pair { points, nodes: 0 });
            assert_eq!((faults[0].by, faults[0].kind.as_str()), (by, NO_START));
        }
    }
}
