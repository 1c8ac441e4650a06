//! Games to mine: from a random start, with few nodes for each move, so that moves are missed. A game ends when it is decided.

use super::MineError;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_games::game::{self, Adjudicator, Choice, Ending, GameVerdict, Pace, Player};
use quarterply_games::openings;
use quarterply_games::player::EnginePlayer;
use shakmaty::{ByColor, Color, Move};

/// Table of a player in MiB.
const HASH: usize = 1;
/// Tables of both players together in MiB.
pub(super) const TABLES: usize = 2 * HASH;
/// Nodes of the search that decides whether a start is balanced.
const START_NODES: u64 = 1000;
/// Starts further from equality are left out (pawns/100).
const IMBALANCE_MAX: i32 = 100;
/// A game in which one side is this much ahead (pawns/100) ...
const DECIDED: Score = Score(900);
/// ... for this number of plies is over.
const DECIDED_PLIES: usize = 6;
/// A game in which neither side is ahead by more than this (pawns/100) ...
const LEVEL: Score = Score(10);
/// ... for this number of plies is over, too.
const LEVEL_PLIES: usize = 24;

/// The numbers that decide how games are played, for comparing mining runs.
pub(super) fn constants() -> String {
    format!(
        "{} plies, {START_NODES} nodes, {IMBALANCE_MAX}, {DECIDED:?} {DECIDED_PLIES}, {LEVEL:?} {LEVEL_PLIES}, {HASH} MiB",
        openings::PLIES
    )
}

/// A move of a game and its value for the player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// The value for the side to move, if known.
    pub score: Option<Score>,
}

/// Two players of the same engine.
pub struct Players {
    white: EnginePlayer,
    black: EnginePlayer,
}

impl Players {
    /// Players with these parameters.
    pub fn new(parameters: &Parameters) -> Result<Players, MineError> {
        let player = |name| EnginePlayer::new(name, parameters.clone(), HASH);
        Ok(Players { white: player("white")?, black: player("black")? })
    }

    /// The start of game `number`, and its moves, each searched with `nodes` nodes.
    pub fn play(&mut self, seed: u64, number: u64, nodes: u64) -> (Game, Vec<PlayedMove>) {
        let start = self.start(seed, number);
        let players: ByColor<&mut dyn Player> = ByColor { white: &mut self.white, black: &mut self.black };
        let record = game::play(players, &start, Pace::Nodes(nodes), &mut [Box::new(DecidedGame::default())]);
        let step = |played: &game::Played| PlayedMove { mv: played.mv, score: played.choice.score };
        (start, record.played.iter().map(step).collect())
    }

    /// A random start that is quiet and fairly even. It depends on the seed and the number only.
    fn start(&mut self, seed: u64, number: u64) -> Game {
        let mut rng = openings::stream(seed, number);
        loop {
            if let Some(game) = openings::random_moves(&mut rng, Game::new(), openings::PLIES)
                && !game.position().in_check()
                && self.is_even(&game)
            {
                return game;
            }
        }
    }

    fn is_even(&mut self, game: &Game) -> bool {
        let limits = Limits::nodes(START_NODES);
        let score = self.white.new_game().and_then(|()| self.white.choose(game, &limits)).map(|choice| choice.score);
        score.is_ok_and(|score| score.is_some_and(|score| score.0.abs() <= IMBALANCE_MAX))
    }
}

/// Ends a game that is decided, or level for many plies.
#[derive(Default)]
struct DecidedGame {
    decided: usize,
    level: usize,
}

impl Adjudicator for DecidedGame {
    fn adjudicate(&mut self, _: &Game, mover: Color, choice: &Choice) -> Option<GameVerdict> {
        let score = choice.score?;
        let size = Score(score.0.abs());
        self.decided = if size >= DECIDED { self.decided + 1 } else { 0 };
        self.level = if size <= LEVEL { self.level + 1 } else { 0 };
        if self.decided >= DECIDED_PLIES {
            let winner = if score > Score::ZERO { mover } else { !mover };
            return Some(GameVerdict { winner: Some(winner), ending: Ending::Adjudicated("decided") });
        }
        (self.level >= LEVEL_PLIES).then_some(GameVerdict { winner: None, ending: Ending::Adjudicated("level") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_depends_on_seed_and_number_only() {
        let players = || Players::new(&Parameters::default()).expect("two players");
        let mut first = players();
        let games = [(1, 0), (1, 1), (2, 0)].map(|(seed, number)| first.play(seed, number, 30));
        let fens = games.each_ref().map(|(start, _)| start.fen());
        assert!(fens[0] != fens[1] && fens[0] != fens[2] && fens[1] != fens[2], "{fens:?}");
        let (start, steps) = players().play(1, 1, 30);
        assert_eq!((start.fen(), &steps), (fens[1].clone(), &games[1].1));
        assert!(steps.iter().all(|step| step.score.is_some()) && start.moves().len() == openings::PLIES);
    }

    /// How a game with these scores ends, each for the side to move.
    fn adjudicated(scores: &[i32]) -> Option<(Option<Color>, usize)> {
        let mut open = DecidedGame::default();
        let choice = |score: i32| Choice { text: String::new(), score: Some(Score(score)), depth: 1, nodes: 1 };
        let mut mover = Color::White;
        for (index, score) in scores.iter().enumerate() {
            if let Some(verdict) = open.adjudicate(&Game::new(), mover, &choice(*score)) {
                return Some((verdict.winner, index + 1));
            }
            mover = !mover;
        }
        None
    }

    #[test]
    fn decided_and_level_games_are_ended() {
        let decided = [DECIDED.0, -DECIDED.0].repeat(DECIDED_PLIES);
        assert_eq!(adjudicated(&decided), Some((Some(Color::White), DECIDED_PLIES)));
        assert_eq!(adjudicated(&decided.iter().map(|score| -score).collect::<Vec<_>>()), Some((Some(Color::Black), 6)));
        assert_eq!(adjudicated(&[LEVEL.0; LEVEL_PLIES]), Some((None, LEVEL_PLIES)));
        let mut open = vec![0; LEVEL_PLIES - 1];
        open.push(50);
        assert_eq!(adjudicated(&open.repeat(3)), None);
        assert_eq!(adjudicated(&[900, -899, 900, -900, 900, -900, 500]), None);
    }
}
