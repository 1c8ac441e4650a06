//! One game: an opening, searches, an end.

use crate::opening::{RandomMoves, one_of, random_opening, stream};
use crate::record::{Ending, GameOutcome, GameRecord, StoredMove};
use crate::replay::{GamePosition, ReplayError};
use crate::sample::{self, PositionSampler};
use crate::settings::{DatagenSettings, SettingsError};
use crate::viriformat::encode_move;
use quarterply_engine::position::{Draw, Game};
use quarterply_engine::report;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::Engine;
use quarterply_engine::table::TableError;
use quarterply_engine::tablebase::{Tablebase, TablebaseError};
use quarterply_games::game::adjudicate::Adjudication;
use quarterply_games::game::{Adjudicator, Choice, Ending as End, GameVerdict, MOVES_MAX, ended};
use shakmaty::Color;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Generation fails after this number of openings without one within the bounds.
const DRAWS_MAX: u32 = 1000;

/// A game that cannot be played.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// No memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No endgame tables.
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    /// No opening: the game and the bound.
    #[error(
        "cannot start game {0}: none of {DRAWS_MAX} openings has a score within {1} pawns/100; allow a larger score, or change the random plies"
    )]
    Opening(u64, i32),
    /// A search without a move, which is a defect: the game and where.
    #[error("cannot continue game {0}: the search found no move in {1}, which is a defect of this program; report it")]
    NoMove(u64, String),
}

/// Plays games, one after the other, by an engine whose memory is cleared before each game.
pub struct Player {
    engine: Engine,
    settings: DatagenSettings,
    tables: Option<Arc<Tablebase>>,
    sampler: Option<PositionSampler>,
    /// Positions that games begin from.
    starts: Arc<[Game]>,
    /// Time spent in searches so far.
    pub searching: Duration,
}

/// Opens the endgame tables of the settings, once for all players.
///
/// # Errors
/// There are none.
pub fn tables_of(settings: &DatagenSettings) -> Result<Option<Arc<Tablebase>>, TablebaseError> {
    settings.syzygy.as_ref().map(|path| Tablebase::open(path).map(Arc::new)).transpose()
}

impl Player {
    /// A player by these settings.
    ///
    /// # Errors
    /// The settings are inconsistent, or memory cannot be allocated.
    pub fn new(settings: &DatagenSettings, tables: Option<Arc<Tablebase>>) -> Result<Player, PlayError> {
        settings.check()?;
        let parameters = settings.parameters()?;
        let sampler =
            settings.sampling.map(|sampling| PositionSampler::new(sampling, parameters.clone(), settings.hash));
        let mut engine = Engine::new(parameters);
        engine.resize(settings.hash)?;
        engine.set_tablebase(tables.clone());
        // Scores of another run's games need no book.
        let starts = match &settings.openings {
            Some(book) if settings.relabelled.is_none() => book.games()?.into(),
            _ => Arc::from([Game::new()]),
        };
        let (settings, sampler) = (settings.clone(), sampler.transpose()?);
        Ok(Player { engine, settings, tables, sampler, starts, searching: Duration::ZERO })
    }

    /// Plays game `number`. It depends on the settings and the number only.
    ///
    /// # Errors
    /// No opening was found, or the search is defective.
    pub fn play(&mut self, number: u64) -> Result<GameRecord, PlayError> {
        let (start, found) = self.open(number, &Arc::clone(&self.starts))?;
        self.play_on(number, start, found)
    }

    /// Plays game `number` from a position in which the game is not over.
    #[cfg(test)]
    pub(crate) fn play_from(&mut self, number: u64, start: Game) -> Result<GameRecord, PlayError> {
        self.engine.new_game();
        let found = self.search(&start);
        self.play_on(number, start, found)
    }

    /// Plays on from a start that has been searched.
    fn play_on(&mut self, number: u64, start: Game, first: report::SearchOutcome) -> Result<GameRecord, PlayError> {
        let (mut game, mut found) = (start.clone(), first);
        let mut adjudicator = GameAdjudicator::new(&self.settings, &self.tables);
        let mut random_moves = RandomMoves::new(self.settings.seed, number, self.settings.random_moves);
        let mut steps = Vec::new();
        let mut random_until = 0;
        loop {
            let mover = game.position().turn();
            let score = found.report.score;
            let Some(best) = found.best else { return Err(PlayError::NoMove(number, game.fen())) };
            let random = random_moves.instead_of(best, &game);
            let mv = random.unwrap_or(best);
            steps.push(StoredMove { raw: encode_move(mv), score: white_score(score, mover) });
            if random.is_some() {
                random_until = u16::try_from(steps.len()).unwrap_or(u16::MAX);
            }
            game.play(mv);
            if let Some((outcome, ending)) = adjudicator.adjudicate(&game, mover, score) {
                let (start, mode) = (start.position().chess().clone(), start.castling_mode());
                return Ok(GameRecord { number, start, mode, outcome, ending, random_until, steps });
            }
            found = self.search(&game);
        }
    }

    /// The same game with new scores: every position is searched again, in the order of the game.
    pub fn relabel(&mut self, game: &GameRecord) -> Result<GameRecord, ReplayError> {
        self.engine.new_game();
        let mut line = Game::from_chess(game.start.clone(), game.mode);
        let mut steps = Vec::with_capacity(game.steps.len());
        for view in game.replay() {
            let GamePosition { mv, .. } = view?;
            let found = self.search(&line);
            let score = white_score(found.report.score, line.position().turn());
            steps.push(StoredMove { score, ..game.steps[steps.len()] });
            line.play(mv);
        }
        Ok(GameRecord { steps, ..game.clone() })
    }

    /// Positions visited by searches of the game's positions, each with the value of a separate search or of the tree it occurs
    /// in. Numbering continues from the previous games; a slot without a position is empty. Without the settings for it, the
    /// result is empty.
    pub fn sample_positions(&mut self, game: &GameRecord) -> Result<Vec<GameRecord>, ReplayError> {
        let (Some(sampling), Some(sampler)) = (self.settings.sampling, &mut self.sampler) else {
            return Ok(Vec::new());
        };
        let positions = game.replay().map(|view| Ok(view?.position.chess().clone())).collect::<Result<Vec<_>, _>>()?;
        let begin = Instant::now();
        let drawn = sampler.draw(game, &positions);
        self.searching += begin.elapsed();
        self.engine.new_game();
        let valued = |(game, step)| match step {
            Some(step) => Some((game, step)),
            None => self.valued(game),
        };
        let slots: Vec<Option<(Game, StoredMove)>> = drawn.into_iter().map(valued).collect();
        let mut slots = slots.into_iter();
        let numbers = (game.number - 1) * sampling.each + 1..=game.number * sampling.each;
        Ok(numbers.map(|number| sample::record(number, game, slots.next().flatten())).collect())
    }

    /// A position with the value and the move of a search; `None` if the search returns no move.
    fn valued(&mut self, game: Game) -> Option<(Game, StoredMove)> {
        let found = self.search(&game);
        let score = white_score(found.report.score, game.position().turn());
        let step = StoredMove { raw: encode_move(found.best?), score };
        Some((game, step))
    }

    /// Draws openings after `start` for game `number` until one is within bounds; the result has no history.
    ///
    /// # Errors
    /// No opening is within bounds.
    pub fn opening(&mut self, number: u64, start: &Game) -> Result<Game, PlayError> {
        Ok(self.open(number, std::slice::from_ref(start))?.0)
    }

    /// Draws openings, each after one of these positions, until one is within bounds; also returns the search of its first move.
    fn open(&mut self, number: u64, from: &[Game]) -> Result<(Game, report::SearchOutcome), PlayError> {
        let (bound, plies) = (self.settings.opening_score, self.settings.random_min..=self.settings.random_max);
        let mut rng = stream(self.settings.seed, number);
        for _ in 0..DRAWS_MAX {
            let start = one_of(&mut rng, from);
            let Some(game) = random_opening(&mut rng, start, plies.clone()) else { continue };
            // Moves before the first stored position must have no effect, because they are not stored.
            let game = Game::from_chess(game.position().chess().clone(), game.castling_mode());
            self.engine.new_game();
            let found = self.search(&game);
            if found.report.score.0.abs() <= bound {
                return Ok((game, found));
            }
        }
        Err(PlayError::Opening(number, bound))
    }

    fn search(&mut self, game: &Game) -> report::SearchOutcome {
        let start = Instant::now();
        let found = self.engine.search_within(game, &self.settings.limits());
        self.searching += start.elapsed();
        found
    }
}

/// White's value from that of the mover. Every value of the search fits.
pub fn white_score(score: Score, mover: Color) -> i16 {
    let white = if mover.is_white() { score } else { -score };
    white.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// Ends games: by the rules of chess first, then by tablebases, then by scores.
struct GameAdjudicator {
    others: Vec<(Ending, Box<dyn Adjudicator>)>,
    plies: usize,
}

impl GameAdjudicator {
    fn new(settings: &DatagenSettings, tables: &Option<Arc<Tablebase>>) -> GameAdjudicator {
        let none = Adjudication::default;
        let rules = [
            (Ending::Tables, Adjudication { tables: tables.clone(), ..none() }),
            (Ending::WonByScore, Adjudication { win: settings.win, ..none() }),
            (Ending::DrawnByScore, Adjudication { draw: settings.draw, ..none() }),
        ];
        let start = |(ending, rule): (Ending, Adjudication)| {
            rule.start().into_iter().map(move |adjudicator| (ending, adjudicator))
        };
        GameAdjudicator { others: rules.into_iter().flat_map(start).collect(), plies: 0 }
    }

    /// The verdict, if the game ends after a move of `mover` with this score.
    fn adjudicate(&mut self, game: &Game, mover: Color, score: Score) -> Option<(GameOutcome, Ending)> {
        self.plies += 1;
        if let Some(GameVerdict { winner, ending }) = ended(game) {
            return Some((GameOutcome::of(winner), by_rule(&ending)));
        }
        let choice = Choice { text: String::new(), score: Some(score), depth: 0, nodes: 0 };
        // Each must receive every move, because it counts them.
        let mut verdict = None;
        for (ending, adjudicator) in &mut self.others {
            let found = adjudicator.adjudicate(game, mover, &choice);
            verdict = verdict.or(found.map(|found| (GameOutcome::of(found.winner), *ending)));
        }
        verdict.or((self.plies >= 2 * MOVES_MAX).then_some((GameOutcome::Draw, Ending::TooLong)))
    }
}

/// The stored ending for an ending by the rules of chess.
fn by_rule(ending: &End) -> Ending {
    match ending {
        End::Checkmate => Ending::Checkmate,
        End::Stalemate => Ending::Stalemate,
        End::Drawn(Draw::Threefold) => Ending::Threefold,
        End::Drawn(Draw::FiftyMoves) => Ending::FiftyMoves,
        End::Drawn(Draw::InsufficientMaterial) => Ending::InsufficientMaterial,
        _ => Ending::Unknown,
    }
}

#[cfg(test)]
mod tests;
