//! Models of real positions: the positions after their lines.

use super::{Model, ModelError, Node};
use crate::moves;
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::SanPlus;

impl Model {
    /// The position the model was taken from.
    ///
    /// # Errors
    /// [`ModelError::NoPosition`] or [`ModelError::Position`].
    pub fn position(&self) -> Result<Position, ModelError> {
        Ok(self.game()?.position().clone())
    }

    /// The position at the end of a node's line, which is read as moves in short algebraic notation with or without numbers.
    ///
    /// # Errors
    /// As [`Model::position`], and [`ModelError::Move`] naming the word that is not a move.
    pub fn position_at(&self, node: &Node) -> Result<Position, ModelError> {
        Ok(self.played(node)?.1)
    }

    /// The moves of a node's line, and the position after them.
    pub(super) fn played(&self, node: &Node) -> Result<(Vec<Move>, Position), ModelError> {
        let mut position = self.position()?;
        let mut moves = Vec::new();
        for word in moves::words(&node.line) {
            let legal = word.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(position.chess()).ok());
            let mv = legal.ok_or_else(|| ModelError::Move {
                key: node.key.clone(),
                text: word.to_owned(),
                fen: position.fen(),
            })?;
            position = position.play(mv);
            moves.push(mv);
        }
        Ok((moves, position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_played() {
        let text = r#"{"fen": "7k/R1ppp1p1/1p6/4q3/5N1r/3b3P/PP3PP1/Q5K1 w - - 0 1", "nodes": [
            {"key": "A", "line": "1.Ng6+"}, {"key": "AG", "line": "1. Ng6+ Kg8"}, {"key": "AGA", "line": "1.Ng6+ Kg8 2.Nxe5"},
            {"key": "B", "line": "1.Nxd3 Qd6 2.Rxe9"}]}"#;
        let model = Model::parse(text).expect("a model");
        let end = |place: usize| model.position_at(&model.nodes()[place]);
        assert_eq!(end(3).expect("legal").fen(), "6k1/R1ppp1p1/1p6/4N3/7r/3b3P/PP3PP1/Q5K1 b - - 0 2");
        assert_eq!(end(0).expect("the root").fen(), model.position().expect("legal").fen());
        let error = end(4).expect_err("no such square").to_string();
        assert!(error.contains("key `B`: `Rxe9` is not a legal move in"), "{error}");
        let bare = Model::parse(r#"{"nodes": [{"key": "A", "line": "1.e4"}]}"#).expect("a model");
        assert!(matches!(bare.position_at(&bare.nodes()[1]), Err(ModelError::NoPosition)));
        let bad = Model::parse(r#"{"fen": "8/8 w", "nodes": [{"key": "A"}]}"#).expect("a model");
        assert!(bad.position().expect_err("no position").to_string().contains("8/8 w"));
    }
}
