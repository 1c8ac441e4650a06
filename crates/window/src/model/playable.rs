//! Models for the real search: the moves behind their lines, and their scores in its units.

use std::collections::HashMap;

use quarterply_engine::position::{Game, Position};
use quarterply_engine::score::Score;
use quarterply_engine::shakmaty::{CastlingMode, Move};
use quarterply_engine::tree::{Script, ScriptedPosition};

use super::{Model, ModelError};
use crate::trace::MoveCode;
use crate::trace::record::ModelScript;

/// A model whose lines are moves, ready to be searched.
#[derive(Clone, Debug)]
pub struct PlayableModel {
    /// Its position.
    pub game: Game,
    /// The tree with its text, for a search. The places of its positions are those of [`Model::nodes`].
    pub model: ModelScript,
    /// The moves of each node with the places they lead to, in listing order.
    pub steps: Vec<Vec<(MoveCode, usize)>>,
    scenes: Vec<ScriptedPosition>,
}

impl PlayableModel {
    /// The node that a move leads to from the node at `place`.
    pub fn after(&self, place: usize, mv: MoveCode) -> Option<usize> {
        self.steps[place].iter().find(|(step, _)| *step == mv).map(|&(_, child)| child)
    }

    /// The part of the tree below a node, for a search of that node's position.
    pub fn below(&self, place: usize) -> Script {
        let mut scenes = vec![self.scenes[place].clone()];
        let mut at = 0;
        while at < scenes.len() {
            for step in 0..scenes[at].moves.len() {
                let child = scenes[at].moves[step].1;
                scenes[at].moves[step].1 = scenes.len();
                scenes.push(self.scenes[child].clone());
            }
            at += 1;
        }
        Script::new(scenes)
    }
}

/// Eighths of a pawn as pawns/100, halves away from zero: larger eighths stay larger, and both sides see the same number.
pub fn hundredths(eighths: Score) -> Score {
    const PAWN: i32 = 100;
    const EIGHTHS: i32 = 8;
    let rest = eighths.0.signum() * (EIGHTHS / 2);
    Score((eighths.0 * PAWN + rest) / EIGHTHS)
}

impl Model {
    /// The model for the real search: its position, and its lines as moves from there. Each line must continue that of its parent by one
    /// move. Static scores are those of the nodes, and 0 at the root; moves that nothing else orders come in the textbook's order.
    ///
    /// # Errors
    /// [`ModelError`] naming the key and the remedy.
    pub fn playable(&self) -> Result<PlayableModel, ModelError> {
        let game = self.game()?;
        let nodes = self.nodes();
        let mut positions: Vec<Option<Position>> = vec![None; nodes.len()];
        let mut steps = vec![Vec::new(); nodes.len()];
        let mut moves: Vec<Vec<(Move, usize)>> = vec![Vec::new(); nodes.len()];
        positions[0] = Some(game.position().clone());
        let mut open = vec![0];
        while let Some(place) = open.pop() {
            let Some(here) = positions[place].take() else { continue };
            let mut taken: HashMap<Move, usize> = HashMap::new();
            for &child in &nodes[place].children {
                let (mv, after) = self.continued(place, child, &here)?;
                if let Some(&other) = taken.get(&mv) {
                    let (key, other) = (nodes[child].key.clone(), nodes[other].key.clone());
                    return Err(ModelError::SameMove { key, other, line: nodes[child].line.clone() });
                }
                taken.insert(mv, child);
                steps[place].push((MoveCode::of(mv), child));
                moves[place].push((mv, child));
                positions[child] = Some(after);
                open.push(child);
            }
            if nodes[place].ply + 1 < self.depth() {
                moves[place].sort_by_key(|&(_, child)| std::cmp::Reverse(nodes[child].guess));
            }
        }
        let scenes = nodes.iter().zip(moves).map(|(node, moves)| ScriptedPosition {
            moves,
            value: -hundredths(node.guess),
            leaf_value: -hundredths(node.score),
        });
        let scenes: Vec<ScriptedPosition> = scenes.collect();
        let model = ModelScript { script: Script::new(scenes.clone()), text: self.to_text() };
        Ok(PlayableModel { game, model, steps, scenes })
    }

    /// The game that consists of the model's position; Chess960 only where ordinary rules refuse it.
    pub(super) fn game(&self) -> Result<Game, ModelError> {
        let fen = self.fen.as_deref().ok_or(ModelError::NoPosition)?;
        let game = Game::standard(fen).or_else(|error| {
            Game::from_fen(fen, CastlingMode::Chess960).map_err(|_| error) // the error of the ordinary rules is clearer
        });
        game.map_err(ModelError::Position)
    }

    /// The last move of `child`, whose line continues that of `parent`, and the position after it.
    fn continued(&self, parent: usize, child: usize, here: &Position) -> Result<(Move, Position), ModelError> {
        let (parent, child) = (&self.nodes()[parent], &self.nodes()[child]);
        let (before, _) = self.played(parent)?;
        let (mut line, _) = self.played(child)?;
        match line.pop() {
            Some(mv) if line == before => Ok((mv, here.play(mv))),
            _ => Err(ModelError::Astray {
                key: child.key.clone(),
                line: child.line.clone(),
                parent: if parent.key.is_empty() { "the position".to_owned() } else { format!("`{}`", parent.line) },
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_keep_order_and_sign() {
        for (eighths, expected) in [(0, 0), (1, 13), (2, 25), (3, 38), (8, 100), (27, 338), (126, 1575)] {
            assert_eq!(hundredths(Score(eighths)), Score(expected), "{eighths}");
            assert_eq!(hundredths(Score(-eighths)), Score(-expected), "-{eighths}");
        }
        assert!((-126..126).all(|eighths| hundredths(Score(eighths)) < hundredths(Score(eighths + 1))));
    }

    /// The tree below a node is that of a model which begins there.
    #[test]
    fn a_part_of_a_model_is_a_model() {
        let nodes = r#"{"key": "A", "line": "1.e4"}, {"key": "B", "line": "1.e3"}, {"key": "BG", "line": "1.e3 Kd7", "score": 1},
            {"key": "BH", "line": "1.e3 Ke7", "score": 2}, {"key": "BHA", "line": "1.e3 Ke7 2.e4", "score": 3}"#;
        let text = format!(r#"{{"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "nodes": [{nodes}]}}"#);
        let playable = Model::parse(&text).and_then(|model| model.playable()).expect("chess");
        assert_eq!(playable.below(0).moves().count(), 2);
        let place = playable.after(0, playable.steps[0][1].0).expect("a move of the model");
        let names: Vec<String> = playable.below(place).moves().map(|mv| mv.to_string()).collect();
        assert_eq!(names, ["Ke8-e7", "Ke8-d7"], "the better guess first");
        assert_eq!(playable.below(playable.steps[place][0].1).moves().count(), 0, "a leaf");
    }

    #[test]
    fn a_line_that_is_not_legal_chess_is_refused_with_the_key_and_the_remedy() {
        const FEN: &str = r#""fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "#;
        for (name, fen, nodes, expected) in [
            ("no position", "", r#"{"key": "A", "line": "1.e4"}"#, "give it a key `fen`"),
            ("no move", FEN, r#"{"key": "A", "line": "1.e5"}"#, "key `A`: `e5` is not a legal move"),
            ("no line", FEN, r#"{"key": "A"}"#, "key `A`: `A` is not a legal move"),
            (
                "another line",
                FEN,
                r#"{"key": "A", "line": "1.e4"}, {"key": "AG", "line": "1.e3 Kd7"}"#,
                "key `AG`: `1.e3 Kd7` does not continue `1.e4` by one move",
            ),
            (
                "two moves at once",
                FEN,
                r#"{"key": "A", "line": "1.e4 Kd7"}"#,
                "key `A`: `1.e4 Kd7` does not continue the position by one move",
            ),
            (
                "the same move twice",
                FEN,
                r#"{"key": "A", "line": "1.e4"}, {"key": "B", "line": "e4"}"#,
                "keys `A` and `B` are the same move `e4`; keep one",
            ),
        ] {
            let model = Model::parse(&format!("{{{fen}\"nodes\": [{nodes}]}}")).expect(name);
            let error = model.playable().expect_err(name).to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
    }
}
