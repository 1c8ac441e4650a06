//! A position with the data that names its moves.

use quarterply_engine::position::{CheckInfo, Position};
use quarterply_engine::shakmaty::attacks::attacks;
use quarterply_engine::shakmaty::san::{San, SanPlus, Suffix};
use quarterply_engine::shakmaty::{Move, MoveList, Position as _, Role};

use crate::show::untried::untried;
use crate::trace::{Decision, MoveOutcome, NodeRecord, SkippedToo};

/// A position with the data that names its moves, computed on first use.
pub struct NamedMoves<'a> {
    pub position: &'a Position,
    moves: Option<MoveList>,
    checks: Option<CheckInfo>,
}

impl<'a> NamedMoves<'a> {
    pub fn new(position: &'a Position) -> NamedMoves<'a> {
        NamedMoves { position, moves: None, checks: None }
    }

    fn moves(&mut self) -> &MoveList {
        self.moves.get_or_insert_with(|| self.position.legal_moves())
    }

    fn gives_check(&mut self, mv: Move) -> bool {
        let info = self.checks.get_or_insert_with(|| self.position.check_info());
        self.position.gives_check(info, mv)
    }

    /// May another piece of the same kind go to the same square? Legal or not: this only spares finding all legal moves.
    fn has_rivals(&self, mv: Move) -> bool {
        let chess = self.position.chess();
        let piece = mv.role().of(chess.turn());
        let same = chess.board().by_piece(piece);
        match mv.role() {
            // Captures of pawns name their file, and there is one king.
            Role::Pawn | Role::King => false,
            _ => (attacks(mv.to(), piece, chess.board().occupied()) & same).count() > 1,
        }
    }

    /// The move with its suffix.
    pub fn san(&mut self, mv: Move) -> SanPlus {
        let san = if self.has_rivals(mv) {
            San::disambiguate(mv, self.moves())
        } else {
            San::disambiguate(mv, &MoveList::new())
        };
        let suffix = self.gives_check(mv).then(|| {
            let mated = self.position.play(mv).legal_moves().is_empty();
            if mated { Suffix::Checkmate } else { Suffix::Check }
        });
        SanPlus { san, suffix }
    }
}

/// Moves that the search could have made and the picker did not return, in a node of the main search that its moves decided.
pub fn unreached(node: &NodeRecord, named: &mut NamedMoves<'_>) -> u8 {
    let cut = node.moves().any(|record| record.decision() == Some(Decision::Cutoff));
    if node.is_quiescence() || !cut {
        return 0;
    }
    let left = if skips_others(node) || node.only.is_some() || node.excluded.is_some() {
        untried(named.position, node).never.len()
    } else {
        named.moves().len().saturating_sub(node.moves().count())
    };
    u8::try_from(left).unwrap_or(u8::MAX)
}

/// Returns true if a rule skipped other moves together with one.
pub fn skips_others(node: &NodeRecord) -> bool {
    node.moves().any(|record| matches!(&record.outcome, MoveOutcome::Skipped { rest, .. } if *rest != SkippedToo::None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;

    #[test]
    fn moves_are_named_as_everywhere() {
        for fen in [
            "r3k2r/1P6/8/3N1N2/8/8/8/R3K2R w KQkq - 0 1",
            "3r2k1/8/8/1N3N2/8/4K3/8/3N3R w - - 0 1",
            "1k6/8/8/Q6Q/8/8/8/K2R3Q w - - 0 1",
            "4k3/4r3/8/8/1N5b/4N3/8/4K1B1 w - - 0 1",
            "6k1/5p1p/8/2Pp4/8/8/8/3Q2K1 w - d6 0 1",
        ] {
            let game = Game::standard(fen).expect(fen);
            let mut named = NamedMoves::new(game.position());
            for mv in game.position().legal_moves() {
                assert_eq!(named.san(mv), SanPlus::from_move(game.position().chess().clone(), mv), "{fen}");
            }
        }
    }
}
