//! Pawn-structure history: how a quiet move fared where the pawns stood alike (current practice).

use super::{Context, LIMIT, PERCENT, PIECE_TO, Params, MoveIndex, QuietTable, gravity};
use crate::ordering;

const STRUCTURES: usize = 512;

type ByPieceTo = [i16; PIECE_TO];

/// Counters by a part of the pawns' key, piece and square.
pub struct PawnStructure(Box<[ByPieceTo]>);

impl Default for PawnStructure {
    fn default() -> PawnStructure {
        PawnStructure(vec![[0; PIECE_TO]; STRUCTURES].into_boxed_slice())
    }
}

fn structure(context: &Context) -> usize {
    context.pawn_key as usize % STRUCTURES
}

impl QuietTable for PawnStructure {
    type Row<'a> = &'a ByPieceTo;

    #[inline(always)]
    fn row(&self, context: &Context) -> &ByPieceTo {
        &self.0[structure(context)]
    }

    #[inline(always)]
    fn weigh(row: &ByPieceTo, weights: &ordering::Params, at: MoveIndex) -> i32 {
        i32::from(row[at.piece_to]) * weights.pawn
    }

    fn learn(&mut self, p: &Params, context: &Context, at: MoveIndex, amount: i32) {
        gravity(&mut self.0[structure(context)][at.piece_to], amount * p.pawn_share / PERCENT, LIMIT);
    }
}
