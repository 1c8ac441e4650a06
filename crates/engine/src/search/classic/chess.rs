//! Chess as a tree of fixed depth: the definition both searches share when no rule is on.
//!
//! The value of a node is defined so, the first line that applies deciding (`ply` counts from the root):
//!
//! 1. Any node but the root: a position with insufficient material is a draw; so is one with a clock of fifty moves, unless
//!    its side is mated; so is a repetition, see [`Position::reversible`]: of a position on the line from the root
//!    (root included) once, or of the game before it twice.
//! 2. No legal move: mated at `ply`, or stalemate. Beyond the depth a stalemate is not noticed: quiescence without check
//!    looks at captures and promotions only, and their absence means nothing.
//! 3. `ply` at the limit of all lines: the static evaluation.
//! 4. `ply` below the depth: the best of all legal moves.
//! 5. Otherwise quiescence. In check: the best of all evasions. Not in check: the best of the static evaluation (*standing
//!    pat*) and of all captures (en passant included) and all promotions (to every piece).
//!
//! Nothing is left out but what alpha-beta proves irrelevant.

use super::Tree;
use crate::position::{FIFTY_MOVES, Game, Position};
use crate::score::{MAX_PLY, Ply, Score, Window};
use shakmaty::{Move, Role};

/// A position reached in a chess tree.
#[derive(Clone, Debug)]
pub struct ChessNode {
    /// The position.
    pub position: Position,
    /// The move that led to it; none at the root.
    pub mv: Option<Move>,
    drawn: bool,
}

/// The tree of a chess position down to a depth, with quiescence at its end. `E` is the static evaluation, seen by the side
/// to move.
pub struct ChessTree<E> {
    depth: Ply,
    evaluate: E,
    /// Keys of the game before the root and of the line to the node being searched.
    keys: Vec<u64>,
    /// How many of `keys` are before the root.
    before: usize,
    nodes: u64,
}

impl<E: Fn(&Position) -> Score> ChessTree<E> {
    /// The tree of the position that `game` has reached, `depth` plies deep, and its root.
    pub fn new(game: &Game, depth: u16, evaluate: E) -> (ChessTree<E>, ChessNode) {
        let keys = game.keys().to_vec();
        let root = ChessNode { position: game.position().clone(), mv: None, drawn: false };
        let before = keys.len();
        (ChessTree { depth: Ply(depth), evaluate, keys, before, nodes: 0 }, root)
    }

    /// Moves made so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    fn play(&mut self, position: &Position, mv: Move, ply: Ply) -> ChessNode {
        self.nodes += 1;
        let position = position.play(mv);
        let drawn = self.is_drawn(&position, ply);
        ChessNode { position, mv: Some(mv), drawn }
    }

    /// Is `position`, just reached at `ply`, drawn by rule?
    fn is_drawn(&self, position: &Position, ply: Ply) -> bool {
        if position.insufficient_material() {
            return true;
        }
        if position.halfmoves() >= FIFTY_MOVES && !(position.in_check() && position.legal_moves().is_empty()) {
            return true;
        }
        let reversible = position.reversible() as usize;
        let line = &self.keys[..self.before + ply.index()];
        let mut before = 0;
        for (distance, _) in line.iter().rev().enumerate().take(reversible).filter(|&(_, &key)| key == position.key()) {
            if distance < ply.index() {
                return true;
            }
            before += 1;
        }
        before >= 2
    }

    /// Notes that the search goes on from `node`.
    fn enter(&mut self, node: &ChessNode, ply: Ply) {
        self.keys.truncate(self.before + ply.index());
        self.keys.push(node.position.key());
    }

    /// The value of `node` for the side to move, at or beyond the depth; fail-hard.
    fn quiescence(&mut self, node: &ChessNode, ply: Ply, mut window: Window) -> Score {
        let position = &node.position;
        if node.drawn {
            return Score::DRAW;
        }
        if ply.index() >= MAX_PLY {
            return (self.evaluate)(position);
        }
        let mut moves = ordered_moves(position);
        if position.in_check() {
            if moves.is_empty() {
                return Score::mated_in(ply);
            }
        } else {
            let stand_pat = (self.evaluate)(position);
            if window.fails_high(stand_pat) {
                return window.beta;
            }
            window.alpha = window.alpha.max(stand_pat);
            moves.retain(|&mv| is_noisy(mv));
        }
        self.enter(node, ply);
        for mv in moves {
            let child = self.play(position, mv, ply.next());
            let value = -self.quiescence(&child, ply.next(), -window);
            if window.fails_high(value) {
                return window.beta;
            }
            window.alpha = window.alpha.max(value);
        }
        window.alpha
    }
}

impl<E: Fn(&Position) -> Score> Tree for ChessTree<E> {
    type Node = ChessNode;
    type Step = Move;

    fn depth(&self) -> Ply {
        self.depth
    }

    fn steps(&mut self, node: &ChessNode, ply: Ply) -> Vec<Move> {
        if node.drawn || ply >= self.depth {
            return Vec::new();
        }
        self.enter(node, ply);
        ordered_moves(&node.position)
    }

    fn child(&mut self, node: &ChessNode, step: Move, ply: Ply) -> ChessNode {
        self.play(&node.position, step, ply)
    }

    fn guess(&self, node: &ChessNode) -> Score {
        -(self.evaluate)(&node.position)
    }

    fn value(&mut self, leaf: &ChessNode, ply: Ply, window: Window) -> Score {
        if leaf.drawn {
            Score::DRAW
        } else if ply >= self.depth {
            -self.quiescence(leaf, ply, -window)
        } else if leaf.position.in_check() {
            -Score::mated_in(ply)
        } else {
            Score::DRAW
        }
    }
}

/// Does quiescence try this move when not in check?
fn is_noisy(mv: Move) -> bool {
    mv.is_capture() || mv.is_promotion()
}

/// All legal moves, those that take or promote most first. The order changes the effort, never the value.
fn ordered_moves(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves().to_vec();
    moves.sort_by_key(|&mv| {
        let gain = mv.capture().map_or(0, worth) + mv.promotion().map_or(0, worth);
        (-gain, if mv.is_capture() { worth(mv.role()) } else { 0 })
    });
    moves
}

/// A rank among the pieces, for ordering.
fn worth(role: Role) -> i32 {
    role as i32
}
