//! A game: its start position, its moves with their scores, its result, and the reason of its end.
//!
//! Scores and results are from White's view, as in *viriformat*. The byte that the format leaves free holds the reason why the
//! game ended; other readers ignore it.

use crate::viriformat::{self, EXTRA, POSITION_BYTES, PackError, RESULT, SCORE};
use quarterply_engine::score::Score;
use shakmaty::{CastlingMode, Chess, Color};
use thiserror::Error;

/// Bytes of a move with its score.
pub const STEP_BYTES: usize = 4;
/// Follows the last move of a game.
const TERMINATOR: [u8; STEP_BYTES] = [0; STEP_BYTES];

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameOutcome {
    /// Black won.
    Black = 0,
    /// A draw.
    Draw = 1,
    /// White won.
    White = 2,
}

impl GameOutcome {
    /// All outcomes, from White's defeat to White's victory.
    pub const ALL: [GameOutcome; 3] = [GameOutcome::Black, GameOutcome::Draw, GameOutcome::White];

    /// The outcome in which `winner` won.
    pub fn of(winner: Option<Color>) -> GameOutcome {
        match winner {
            Some(Color::White) => GameOutcome::White,
            Some(Color::Black) => GameOutcome::Black,
            None => GameOutcome::Draw,
        }
    }

    /// Points for White: 0, 0.5 or 1.
    pub fn points(self) -> f64 {
        f64::from(self as u8) / f64::from(GameOutcome::White as u8)
    }

    /// As PGN has it.
    pub fn text(self) -> &'static str {
        match self {
            GameOutcome::Black => "0-1",
            GameOutcome::Draw => "1/2-1/2",
            GameOutcome::White => "1-0",
        }
    }
}

/// Why a game ended. The numbers are part of the file format and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Ending {
    /// Not known: the game comes from another program.
    Unknown = 0,
    /// Mate.
    Checkmate = 1,
    /// Stalemate.
    Stalemate = 2,
    /// The same position for the third time.
    #[strum(serialize = "threefold repetition")]
    Threefold = 3,
    /// Fifty moves without capture or pawn move.
    #[strum(serialize = "fifty moves")]
    FiftyMoves = 4,
    /// Neither side can mate.
    #[strum(serialize = "insufficient material")]
    InsufficientMaterial = 5,
    /// Adjudicated: one side was far ahead for long enough.
    #[strum(serialize = "won by score")]
    WonByScore = 6,
    /// Adjudicated: neither side was ahead for long enough.
    #[strum(serialize = "drawn by score")]
    DrawnByScore = 7,
    /// Adjudicated by endgame tables.
    #[strum(serialize = "endgame tables")]
    Tables = 8,
    /// Too many moves.
    #[strum(serialize = "too long")]
    TooLong = 9,
    /// Not a game but a position that a search visited, see [`crate::sample`]. Its outcome, a draw, has no meaning.
    #[strum(serialize = "visited by a search")]
    Sampled = 10,
}

impl Ending {
    /// All endings, in the order of their numbers.
    pub const ALL: &'static [Ending] = <Ending as strum::VariantArray>::VARIANTS;
}

/// Marks an unknown score. It exceeds every score, so that other readers of *viriformat* treat it as a decided game.
pub const NO_SCORE: i16 = i16::MAX;

/// A move as it is stored. [`crate::replay`] turns it into a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoredMove {
    /// The move, see [`viriformat::encode_move`]. Never 0.
    pub raw: u16,
    /// The value of the position before the move, pawns/100 seen from **White**; mates and tablebase wins as [`Score`] has them.
    /// [`NO_SCORE`] if it is not known.
    pub score: i16,
}

impl StoredMove {
    /// The value of the position before the move, seen from White, if it is known (pawns/100).
    pub fn stored_score(self) -> Option<i16> {
        (self.score != NO_SCORE).then_some(self.score)
    }

    /// The value of the position before the move, seen from White, if it is known.
    pub fn white_score(self) -> Option<Score> {
        self.stored_score().map(|score| Score(score.into()))
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Its number in its run, from 1.
    pub number: u64,
    /// The start position: after the random plies.
    pub start: Chess,
    /// The castling mode.
    pub mode: CastlingMode,
    /// The result.
    pub outcome: GameOutcome,
    /// Why it ended.
    pub ending: Ending,
    /// The number of moves up to the last random one: the result is not a label for the positions before them. 0 if no move was
    /// random.
    pub random_until: u16,
    /// The moves with the scores of the positions before them.
    pub steps: Vec<StoredMove>,
}

/// Bytes that are not a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// They end too soon.
    #[error("cannot read the game: it ends after {0} bytes without its terminator")]
    Short(usize),
    /// There is more after the end.
    #[error("cannot read the game: {0} bytes follow its end")]
    Long(usize),
    /// No position.
    #[error("cannot read the start position: {0}")]
    Start(#[from] PackError),
    /// No result.
    #[error("cannot read the result: code {0} is unknown")]
    Outcome(u8),
    /// Written by a later version, or by another program.
    #[error("cannot read the ending: code {0} is unknown")]
    Ending(u8),
}

impl GameRecord {
    /// Returns true if it is not a game, but a sampled position of a search.
    pub fn is_sampled(&self) -> bool {
        self.ending == Ending::Sampled
    }

    /// Returns true if `other` is the same game; scores may differ.
    pub fn has_the_moves_of(&self, other: &GameRecord) -> bool {
        let moves = |game: &GameRecord| game.steps.iter().map(|step| step.raw).collect::<Vec<_>>();
        self.number == other.number && self.start == other.start && moves(self) == moves(other)
    }

    /// The game as bytes of *viriformat*; its number is not among them.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(POSITION_BYTES + STEP_BYTES * (self.steps.len() + 1));
        bytes.extend(viriformat::encode_position(&self.start));
        bytes[SCORE..RESULT].copy_from_slice(&self.random_until.to_le_bytes());
        bytes[RESULT] = self.outcome as u8;
        bytes[EXTRA] = self.ending as u8;
        for step in &self.steps {
            bytes.extend(step.raw.to_le_bytes());
            bytes.extend(step.score.to_le_bytes());
        }
        bytes.extend(TERMINATOR);
        bytes
    }

    /// The game number `number` from its bytes. Moves are not looked at: [`GameRecord::replay`] does that.
    ///
    /// # Errors
    /// [`RecordError`]: the bytes are not a game.
    pub fn decode(number: u64, bytes: &[u8]) -> Result<GameRecord, RecordError> {
        let short = || RecordError::Short(bytes.len());
        let (head, rest) = bytes.split_first_chunk::<POSITION_BYTES>().ok_or_else(short)?;
        let (start, mode) = viriformat::decode_position(head)?;
        let known = |code: &u8| usize::from(*code);
        let outcome = GameOutcome::ALL.get(known(&head[RESULT])).ok_or(RecordError::Outcome(head[RESULT]))?;
        let ending = Ending::ALL.get(known(&head[EXTRA])).ok_or(RecordError::Ending(head[EXTRA]))?;
        let random_until = u16::from_le_bytes([head[SCORE], head[SCORE + 1]]);
        let (chunks, left) = rest.as_chunks::<STEP_BYTES>();
        let length = chunks.iter().position(|chunk| *chunk == TERMINATOR).ok_or_else(short)?;
        let surplus = (chunks.len() - length - 1) * STEP_BYTES + left.len();
        if surplus > 0 {
            return Err(RecordError::Long(surplus));
        }
        let step = |[a, b, c, d]: &[u8; STEP_BYTES]| StoredMove {
            raw: u16::from_le_bytes([*a, *b]),
            score: i16::from_le_bytes([*c, *d]),
        };
        let steps = chunks[..length].iter().map(step).collect();
        Ok(GameRecord { number, start, mode, outcome: *outcome, ending: *ending, random_until, steps })
    }
}

#[cfg(test)]
mod tests;
