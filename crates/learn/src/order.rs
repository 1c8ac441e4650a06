//! Learning which quiet move is played: the networks of the Chessmaps and MoveMap sources of move order, and the tables of piece-square order.
//!
//! - [`data`] reads games and writes down each position as a network sees it, with all its quiet moves.
//! - [`fit`] trains a network to tell the move played from the others, rounds it to whole numbers, and measures it on held-out games.

pub mod data;
pub mod fit;

use quarterply_engine::ordering::network::Sparse;
use quarterply_engine::ordering::{chessmaps, move_map, piece_square};
use quarterply_engine::position::Position;
use shakmaty::Move;

/// What a network sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkInput {
    /// The side that controls each square, and the sectors that moves influence.
    Chessmaps,
    /// The pieces, and the squares that moves connect.
    MoveMap,
    /// The number of pieces, and what moves from where to where.
    PieceSquare,
}

impl NetworkInput {
    /// Number of inputs.
    pub fn inputs(self) -> usize {
        match self {
            NetworkInput::Chessmaps => chessmaps::INPUTS,
            NetworkInput::MoveMap => move_map::INPUTS,
            NetworkInput::PieceSquare => piece_square::INPUTS,
        }
    }

    /// Number of output units.
    pub fn outputs(self) -> usize {
        match self {
            NetworkInput::Chessmaps => chessmaps::OUTPUTS,
            NetworkInput::MoveMap => move_map::OUTPUTS,
            NetworkInput::PieceSquare => piece_square::OUTPUTS,
        }
    }

    /// Hidden units of the network that is built in.
    pub fn hidden(self) -> usize {
        match self {
            NetworkInput::Chessmaps => chessmaps::HIDDEN,
            NetworkInput::MoveMap => move_map::HIDDEN,
            NetworkInput::PieceSquare => piece_square::HIDDEN,
        }
    }

    /// A position as the network sees it.
    pub fn see(self, position: &Position) -> Sparse {
        match self {
            NetworkInput::Chessmaps => chessmaps::inputs(position),
            NetworkInput::MoveMap => move_map::inputs(position),
            NetworkInput::PieceSquare => piece_square::inputs(position),
        }
    }

    /// A move as the network sees it.
    pub fn units(self, position: &Position, mv: Move) -> Sparse {
        match self {
            NetworkInput::Chessmaps => chessmaps::units(position, mv),
            NetworkInput::MoveMap => move_map::units(position, mv),
            NetworkInput::PieceSquare => piece_square::units(position, mv),
        }
    }
}
