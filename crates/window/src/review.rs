//! Review of a game: the value of each move, the losses, and the reasons for mistakes.
//!
//! Every position is searched with an empty table, so a review does not depend on the order of the work. The loss of a move is the
//! difference of the expected points before and after it. A mistake is searched alone, iteration by iteration: the review finds the depth
//! from which its value stays bad, and how the search just below that depth treated the answer. Then the same search is made with each
//! involved rule off.

mod insight;
pub mod page;
pub mod sentences;

pub use insight::{MissedReply, MistakeAnalysis, RuleTrial, analyse_mistake};

use crate::last_iteration::LastIteration;
use crate::show::ShowError;
use crate::trace::record::RecordError;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::ProgressEvent;
use quarterply_engine::score::{Ply, Score};
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::{Board, Move};
use quarterply_engine::table::{Table, TableError};
use std::ops::ControlFlow;
use thiserror::Error;

/// Expected points (0 to 1) of the side to move, from its score (pawns/100) and the pieces on the board.
pub type ExpectedPoints<'a> = dyn Fn(Score, &Board) -> f64 + Sync + 'a;

/// Reason why a game is not reviewed.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// No memory for a search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The search of a mistake could not be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The recording cannot be understood.
    #[error(transparent)]
    Show(#[from] ShowError),
}

/// Settings of a review.
#[derive(Clone, Copy, Debug)]
pub struct ReviewSettings<'a> {
    /// Parameters of the searches.
    pub parameters: &'a Parameters,
    /// Name of the parameters.
    pub profile: &'a str,
    /// When each search ends.
    pub limits: &'a Limits,
    /// Transposition table in MiB.
    pub hash: usize,
    /// Rules that are tried off for a mistake, at most.
    pub rules: usize,
    /// Limit of a search with a rule off, as a multiple of the moves of the unchanged search.
    pub node_factor: u64,
}

/// One finished iteration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Iteration {
    /// Its depth (plies).
    pub depth: u32,
    /// Its value for the side to move.
    pub score: Score,
    /// Its best move.
    pub best: Option<Move>,
}

/// The result of the search of one position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PositionValue {
    /// The value for the side to move; without legal moves, the result of the game.
    pub score: Score,
    /// Its principal variation.
    pub line: Vec<Move>,
    /// Every finished iteration.
    pub iterations: Vec<Iteration>,
    /// Moves made.
    pub nodes: u64,
    /// False if the search was stopped from outside.
    pub whole: bool,
    /// True if it ended because deeper iterations would only repeat a mate.
    pub settled: bool,
}

impl PositionValue {
    /// The deepest iteration that was finished (plies).
    pub fn depth(&self) -> u32 {
        self.iterations.last().map_or(0, |iteration| iteration.depth)
    }

    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// The last depth at which `mv` was the best move.
    pub fn favoured(&self, mv: Move) -> Option<u32> {
        self.iterations.iter().rev().find(|iteration| iteration.best == Some(mv)).map(|iteration| iteration.depth)
    }
}

/// Listens to a search, iteration by iteration.
#[derive(Default)]
struct Iterations {
    finished: LastIteration,
    seen: Vec<Iteration>,
}

impl Iterations {
    fn listen(&mut self, event: &ProgressEvent<'_>) -> ControlFlow<()> {
        let flow = self.finished.listen(event);
        if let Some(report) = &self.finished.report {
            self.seen.retain(|iteration| iteration.depth < report.depth);
            let best = report.line.first().copied();
            self.seen.push(Iteration { depth: report.depth, score: report.score, best });
        }
        flow
    }
}

/// Searches the position of `game`; only `moves` if there are any.
pub fn search_position(
    game: &Game,
    settings: &ReviewSettings<'_>,
    limits: Limits,
    control: &Control,
) -> Result<PositionValue, TableError> {
    let legal = game.position().legal_moves();
    if legal.is_empty() {
        let score = if game.position().in_check() { Score::mated_in(Ply(0)) } else { Score::DRAW };
        return Ok(PositionValue { score, whole: true, settled: true, ..PositionValue::default() });
    }
    let table = Table::new(settings.hash)?;
    let mut searcher = Searcher::new(settings.parameters.clone(), table.into());
    let mut iterations = Iterations::default();
    // A mate that was found ends this search only.
    let child = control.child();
    let outcome = searcher.search_alone(game, &limits, &child, &mut |event| iterations.listen(event));
    let Iterations { finished: LastIteration { report, settled }, seen } = iterations;
    let report = report.unwrap_or(outcome.report);
    Ok(PositionValue {
        score: report.score,
        line: report.line,
        iterations: seen,
        nodes: outcome.nodes,
        whole: !control.stopped(),
        settled,
    })
}

/// The review of one move of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReview {
    /// Its place in the game, from 0.
    pub ply: usize,
    /// The move.
    pub mv: Move,
    /// The move that the search prefers.
    pub best: Option<Move>,
    /// The value before it, for the side that made it.
    pub before: Score,
    /// The value after it, for the same side; a mate counts from before the move.
    pub after: Score,
    /// Expected points of that side before and after it, 0 to 1.
    pub expected: [f64; 2],
    /// The points it lost: 0 for the best move, the only move, and one that the search likes better afterwards.
    pub lost: f64,
    /// True if the deeper second search found a small loss only; then the move does not count as a mistake.
    pub doubted: bool,
}

/// Text for a move whose loss the second search did not find.
const NOT_CONFIRMED: &str = "not confirmed";

impl MoveReview {
    /// Grade of the loss.
    pub fn grade(&self) -> Grade {
        if self.doubted { Grade::Fine } else { Grade::of(self.lost) }
    }

    /// Its text in tables: the name of its grade, or that its loss was not confirmed.
    pub fn verdict(&self) -> &'static str {
        if self.doubted { NOT_CONFIRMED } else { self.grade().name() }
    }
}

/// Severity of a mistake. The limits are conventions of this program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Grade {
    /// It lost less than [`INACCURACY`].
    Fine,
    /// It lost less than [`MISTAKE`].
    Inaccuracy,
    /// It lost less than [`BLUNDER`].
    Mistake,
    /// It lost that much or more.
    Blunder,
}

/// Smallest loss of an inaccuracy, in points of a game.
pub const INACCURACY: f64 = 0.05;
/// Smallest loss of a mistake, in points of a game.
pub const MISTAKE: f64 = 0.1;
/// Smallest loss of a blunder, in points of a game.
pub const BLUNDER: f64 = 0.2;

impl Grade {
    /// The grade of a loss in points.
    pub fn of(lost: f64) -> Grade {
        match lost {
            lost if lost >= BLUNDER => Grade::Blunder,
            lost if lost >= MISTAKE => Grade::Mistake,
            lost if lost >= INACCURACY => Grade::Inaccuracy,
            _ => Grade::Fine,
        }
    }

    /// Its name; empty for a move without fault.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Fine => "",
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }
}

/// The positions of a game: before its first move, and after each.
pub fn positions(game: &Game) -> Vec<Game> {
    let mut place = Game::from_fen(&game.start_fen(), game.castling_mode()).unwrap_or_default();
    let mut places = vec![place.clone()];
    for &mv in game.moves() {
        place.play(mv);
        places.push(place.clone());
    }
    places
}

/// Reviews every move between two positions that were both searched.
pub fn review_moves(places: &[Game], values: &[PositionValue], expect: &ExpectedPoints<'_>) -> Vec<MoveReview> {
    let pairs = places.windows(2).zip(values.windows(2)).enumerate();
    let reviews = pairs.filter_map(|(ply, (places, values))| {
        let mv = *places[1].moves().last()?;
        // The move itself is a ply to the mate.
        let (before, after) = (values[0].score, (-values[1].score).from_table(Ply(1)));
        let after_move = 1.0 - expect(values[1].score, places[1].position().board());
        let expected = [expect(before, places[0].position().board()), after_move].map(without_noise);
        let best = values[0].best();
        let free = best == Some(mv) || places[0].position().legal_moves().len() == 1;
        let lost = if free { 0.0 } else { without_noise((expected[0] - expected[1]).max(0.0)) };
        Some(MoveReview { ply, mv, best, before, after, expected, lost, doubted: false })
    });
    reviews.collect()
}

/// Points without the error of binary fractions: 0.6 - 0.5 is less than 0.1, the limit of a mistake.
fn without_noise(points: f64) -> f64 {
    const MILLIONTHS: f64 = 1e6;
    (points * MILLIONTHS).round() / MILLIONTHS
}

#[cfg(test)]
mod tests;
