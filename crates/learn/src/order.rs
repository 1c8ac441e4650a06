//! Learning which quiet move is played: the networks of the Chessmaps and MoveMap sources of move order, and the tables of piece-square order.
//!
//! - [`data`] reads games and stores the inputs of each position, with all its quiet moves.
//! - [`fit`] trains a network to predict the move played, rounds it to integers, and measures it on held-out games.

pub mod data;
pub mod fit;

use quarterply_engine::ordering::network::Sparse;
use quarterply_engine::ordering::{chessmaps, move_map, piece_square};
use quarterply_engine::position::Position;
use shakmaty::Move;

/// The inputs of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkInput {
    /// The side that controls each square, and the sectors that moves influence.
    Chessmaps,
    /// The pieces, and the squares that moves connect.
    MoveMap,
    /// The number of pieces, and the piece, origin and destination of the move.
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

    /// The inputs of a position.
    pub fn active_inputs(self, position: &Position) -> Sparse {
        match self {
            NetworkInput::Chessmaps => chessmaps::inputs(position),
            NetworkInput::MoveMap => move_map::inputs(position),
            NetworkInput::PieceSquare => piece_square::inputs(position),
        }
    }

    /// The output units of a move.
    pub fn units(self, position: &Position, mv: Move) -> Sparse {
        match self {
            NetworkInput::Chessmaps => chessmaps::units(position, mv),
            NetworkInput::MoveMap => move_map::units(position, mv),
            NetworkInput::PieceSquare => piece_square::units(position, mv),
        }
    }
}
