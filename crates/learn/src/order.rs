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

/// The inputs and outputs of a network.
#[derive(Clone, Copy, Debug)]
pub struct NetworkInput {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of output units.
    pub outputs: usize,
    /// Hidden units of the network that is built in.
    pub hidden: usize,
    /// The inputs of a position.
    pub active_inputs: fn(&Position) -> Sparse,
    /// The output units of a move.
    pub units: fn(&Position, Move) -> Sparse,
}

/// The input of a source, whose module has the items of the same names.
macro_rules! of_source {
    ($source:ident) => {
        NetworkInput {
            inputs: $source::INPUTS,
            outputs: $source::OUTPUTS,
            hidden: $source::HIDDEN,
            active_inputs: $source::inputs,
            units: $source::units,
        }
    };
}

impl NetworkInput {
    /// The side that controls each square, and the sectors that moves influence.
    pub const CHESSMAPS: NetworkInput = of_source!(chessmaps);
    /// The pieces, and the squares that moves connect.
    pub const MOVE_MAP: NetworkInput = of_source!(move_map);
    /// The number of pieces, and the piece, origin and destination of the move.
    pub const PIECE_SQUARE: NetworkInput = of_source!(piece_square);
}
