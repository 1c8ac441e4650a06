//! What measures candidates of another UCI engine, and the positions and openings of a run.

mod external;

pub use external::{Engine, ExternalEngine, space_of};

use super::measure::{Measure, Probe, Set};
use super::space::Candidate;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_files::epd::Record;
use quarterply_games::game::{self, Pace, Player};
use quarterply_games::openings::Openings;
use shakmaty::{ByColor, Color};
use std::sync::OnceLock;

/// Measures one probe after the other. Nothing may be carried over from one to the next.
pub trait Meter {
    /// The result of a probe. `on_trouble` receives a message for the user about each fault that could be repaired.
    ///
    /// # Errors
    /// A message for the user about a permanent fault.
    fn measure(
        &mut self,
        candidate: &Candidate,
        probe: &Probe,
        on_trouble: &mut dyn FnMut(String),
    ) -> Result<Measure, String>;
}

/// Makes a meter for a worker, or says for the user what went wrong.
pub type MakeMeter = dyn Fn() -> Result<Box<dyn Meter>, String> + Send + Sync;

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

/// Plays an opening with both colours; the points are those of the first player. A game that a broken engine lost says nothing
/// about its values, so it is an error.
pub(crate) fn play_pair(
    first: &mut dyn Player,
    second: &mut dyn Player,
    opening: &Game,
    move_nodes: u64,
) -> Result<Measure, String> {
    let (mut points, mut nodes) = (0, 0);
    for color in Color::ALL {
        let players: ByColor<&mut dyn Player> = match color {
            Color::White => ByColor { white: &mut *first, black: &mut *second },
            Color::Black => ByColor { white: &mut *second, black: &mut *first },
        };
        let record = game::play(players, opening, Pace::Nodes(move_nodes), &mut []);
        if record.verdict.ending.is_fault() {
            let ending = &record.verdict.ending;
            let detail = ending.detail().map_or_else(|| ending.to_string(), |detail| format!("{ending}: {detail}"));
            let mut game = record.opening.clone();
            record.played.iter().for_each(|played| game.play(played.mv));
            return Err(format!("a game of the engine against itself broke off ({detail}) in {}", game.fen()));
        }
        points += match record.verdict.winner {
            None => 1,
            Some(winner) if winner == color => 2,
            Some(_) => 0,
        };
        nodes += record.played.iter().map(|played| played.choice.nodes).sum::<u64>();
    }
    Ok(Measure::Pair { points, nodes })
}
