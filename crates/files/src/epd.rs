//! EPD: test positions with their solutions, one on each line.
//!
//! A line is the four fields of a FEN (or all six), then operations that end in `;`. The operations this crate acts on are
//! `bm`, `am`, `dm`, `id`, `c0` with points per move, `hmvc`, `fmvn`, and `D1 20 ;D2 400` perft counts; every other
//! operation is kept unchanged, so that it can be written again. `bm #2`, as collections of mates have it, means `dm 2`.

mod error;
mod parse;
mod read;
mod write;

pub use error::{EpdError, FileError, LineError, quote};
pub use parse::{parse_line, parse_move};
pub use read::{Suite, parse_suite, read_suite};

use quarterply_engine::position::DroppedRights;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, fen::Fen};

/// One position with its operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its line in the file, counted from 1; 0 if it came from elsewhere.
    pub line: usize,
    /// The position.
    pub position: Chess,
    /// The notation of castling.
    pub mode: CastlingMode,
    /// Castling rights that the line names and its position cannot have.
    pub dropped: Option<DroppedRights>,
    /// The name of the position.
    pub id: Option<String>,
    /// `bm`: any of these moves is a solution.
    pub best: Vec<Move>,
    /// `am`: none of these moves is a solution.
    pub avoid: Vec<Move>,
    /// `dm`: the side to move mates in at most this number of moves or, if the number is negative, is mated.
    pub mate: Option<i32>,
    /// `c0` if it holds points: the points of each move.
    pub points: Vec<(Move, i32)>,
    /// `D1 20 ;D2 400`: depth and number of leaves.
    pub counts: Vec<(u32, u64)>,
    /// All other operations, in order.
    pub others: Vec<Operation>,
}

/// An operation that is kept without being interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode.
    pub name: String,
    /// Its operands.
    pub operands: Vec<Operand>,
}

/// One operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The text without its quotation marks.
    pub text: String,
    /// True if it was in quotation marks.
    pub quoted: bool,
}

impl Record {
    /// A position without operations.
    pub fn new(position: Chess, mode: CastlingMode) -> Record {
        Record {
            line: 0,
            position,
            mode,
            dropped: None,
            id: None,
            best: Vec::new(),
            avoid: Vec::new(),
            mate: None,
            points: Vec::new(),
            counts: Vec::new(),
            others: Vec::new(),
        }
    }

    /// The six fields of its FEN.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    /// Returns true if it has an operation that a search can solve.
    pub fn has_task(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty() || self.mate.is_some() || !self.points.is_empty()
    }

    /// The points of the move by `c0`; 0 if it is not listed.
    pub fn points_of(&self, mv: Move) -> i32 {
        self.points.iter().find(|(listed, _)| *listed == mv).map_or(0, |(_, points)| *points)
    }

    /// The most points that `c0` offers.
    pub fn points_max(&self) -> i32 {
        self.points.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }
}
