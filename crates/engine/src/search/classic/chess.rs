//! Chess as a tree of fixed depth: the definition both searches share when no rule is on.
//!
//! The first line that applies defines the value of a node (`ply` counts from the root):
//!
//! 1. Any node but the root: a position with insufficient material is a draw; so is one with a clock of fifty moves, unless
//!    its side is mated; so is a repetition, see [`Position::reversible`]: of a position on the line from the root
//!    (root included) once, or of the game before it twice.
//! 2. No legal move: mated at `ply`, or stalemate. Beyond the depth a stalemate is not noticed: quiescence without check
//!    looks at captures and queen promotions only, and their absence means nothing.
//! 3. `ply` at the limit of all lines: the static evaluation, or a draw in check, where it is meaningless.
//! 4. `ply` below the depth: the best of all legal moves.
//! 5. Otherwise quiescence. In check: the best of all evasions. Not in check: the best of the static evaluation (*standing
//!    pat*), of all captures, en passant and captures that promote to any piece included, and of promotions to a queen.
//!
//! Alpha-beta omits only what cannot change the result.

use super::GameTree;
use crate::position::{FIFTY_MOVES, Game, Position, is_quiet};
use crate::score::{MAX_PLY, Ply, Score, Window};
use shakmaty::Move;

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

impl<E: FnMut(&Position) -> Score> ChessTree<E> {
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

    /// Returns true if `position`, just reached at `ply`, is drawn by rule.
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
            if distance + 1 < ply.index() {
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
        if ply.index() >= MAX_PLY - 1 {
            return if position.in_check() { Score::DRAW } else { (self.evaluate)(position) };
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
            moves.retain(|&mv| !is_quiet(mv));
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

impl<E: FnMut(&Position) -> Score> GameTree for ChessTree<E> {
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

    fn guess(&mut self, node: &ChessNode) -> Score {
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

/// All legal moves, those that take or promote most first. The order changes the effort, never the value.
fn ordered_moves(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves().to_vec();
    moves.sort_by_key(|&mv| {
        let [captured, promoted] = [mv.capture(), mv.promotion()].map(|role| role.map_or(0, |role| role as i32));
        (-captured - promoted, if mv.is_capture() { mv.role() as i32 } else { 0 })
    });
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::classic::search;
    use crate::testing::{after, game};
    use shakmaty::Color;

    /// Material and squares: enough to tell moves apart.
    fn simple(position: &Position) -> Score {
        let white = crate::eval::Sums::of(position.board()).psq.mg();
        Score(if position.turn() == Color::White { white } else { -white })
    }

    fn value(game: &Game, depth: u16) -> Score {
        let (mut tree, root) = ChessTree::new(game, depth, simple);
        search(&mut tree, root, &mut ())
    }

    /// The definition again, without any window: the value of `game`'s position at `ply` for the side to move.
    fn minimax(game: &Game, ply: u16, depth: u16) -> Score {
        let position = game.position();
        let moves = position.legal_moves();
        let in_check = position.in_check();
        if ply > 0 && drawn(game, ply) {
            return Score::DRAW;
        }
        if moves.is_empty() && (in_check || ply < depth) {
            return if in_check { Score::mated_in(Ply(ply)) } else { Score::DRAW };
        }
        let quiet_end = ply >= depth && !in_check;
        let stand_pat = quiet_end.then(|| simple(position));
        let tried = moves.into_iter().filter(|&mv| !quiet_end || !is_quiet(mv));
        let values = tried.map(|mv| {
            let mut next = game.clone();
            next.play(mv);
            -minimax(&next, ply + 1, depth)
        });
        values.chain(stand_pat).max().expect("a move or a stand pat")
    }

    fn drawn(game: &Game, ply: u16) -> bool {
        let key = game.position().key();
        let reversible = game.position().reversible() as usize;
        let earlier = game.keys().iter().rev().take(reversible).enumerate();
        let same: Vec<usize> = earlier.filter(|&(_, &other)| other == key).map(|(distance, _)| distance).collect();
        game.draw().is_some() || same.iter().any(|&distance| distance < usize::from(ply))
    }

    #[test]
    fn agrees_with_its_definition() {
        for (fen, depth) in [
            ("6k1/5ppp/8/8/8/5N2/5PPP/3R2K1 w - - 0 1", 2),
            ("8/2P5/8/1k6/8/1K6/8/8 w - - 0 1", 3),
            ("k7/2Q5/1K6/8/8/8/8/8 w - - 98 80", 3),
            ("4k3/4p3/8/3P4/8/8/8/4K2R b K - 0 1", 3),
            ("4k3/3p4/8/2B1n3/8/8/8/4K2R w K - 0 1", 2),
            ("6k1/6p1/8/8/8/8/q4PPP/1R4K1 w - - 3 40", 2),
            ("8/8/8/8/8/k7/p7/K7 w - - 0 1", 2),
        ] {
            let game = game(fen);
            for depth in 1..=depth {
                assert_eq!(value(&game, depth), minimax(&game, 0, depth), "{fen} to depth {depth}");
            }
        }
    }

    #[test]
    fn ends_of_the_game_have_their_values() {
        for (name, fen, depth, expected) in [
            ("mate in one", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, Score::mate_in(Ply(1))),
            ("mate in two", "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 3, Score::mate_in(Ply(3))),
            ("mated at the root", "k7/8/1K6/8/8/8/8/7R b - - 0 1", 2, Score::mated_in(Ply(2))),
            ("stalemate at the root", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 2, Score::DRAW),
            ("mate on the hundredth ply", "7k/8/6K1/8/8/8/8/R7 w - - 99 90", 1, Score::mate_in(Ply(1))),
            ("no mate after it", "7k/8/5K2/8/8/8/8/R7 w - - 99 90", 3, Score::DRAW),
            ("bare bishop", "7k/8/5K2/8/8/8/8/B7 w - - 0 1", 2, Score::DRAW),
        ] {
            assert_eq!(value(&game(fen), depth), expected, "{name}");
        }
    }

    /// One repetition in the line is a draw, two are needed in the game before it.
    #[test]
    fn the_line_repeats_once_and_the_game_twice() {
        const SHUFFLE: &str = "a2a3 g1g2 a3a2 g2g1";
        let fen = "7k/8/8/8/8/8/r7/6RK b - - 0 1";
        for (name, before, line, expected) in [
            ("first time", "", "a2a3", false),
            ("back at the root", "", SHUFFLE, false),
            ("back below the root", "", "a2b2 g1g2 b2b3 g2g1 b3b2", true),
            ("once in the game", "a2a3 g1g2 a3a2", "g2g1", false),
            ("twice in the game", "a2a3 g1g2 a3a2 g2g1 a2a3 g1g2 a3a2", "g2g1", true),
        ] {
            let (mut tree, mut node) = ChessTree::new(&after(fen, before), 0, simple);
            let mut follow = after(fen, before);
            for (ply, text) in (0..).zip(line.split_whitespace()) {
                tree.enter(&node, Ply(ply));
                node = tree.play(&node.position, follow.play_uci(text).expect("legal move"), Ply(ply + 1));
            }
            assert_eq!(node.drawn, expected, "{name}");
        }
    }
}
