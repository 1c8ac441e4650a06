//! The tree that is searched: chess, or a model tree in which only the listed moves exist and given scores replace the
//! evaluation.
//!
//! With a [`Script`] the search finds at each position only the tree's moves, and its static values. A line ends where the tree
//! has no more moves, with the value of the tree: there is no mate, stalemate, draw or quiescence search. Every rule works on
//! these moves as usual. The position after a null move is in no tree: its value is the negated value of the position before it,
//! and its line ends there. Two lines that lead to the same chess position are two different positions here, with separate
//! scores: their keys differ, so the table and the history of positions never confuse them.
//!
//! A search of chess is compiled without any of this.

use crate::position::Position;
use crate::score::Score;
use crate::whole::SPREAD;
use shakmaty::{Move, MoveList};

/// The moves that exist, and the values of leaves.
pub trait Tree {
    /// The model tree; `None`: all of chess.
    fn script(&self) -> Option<&Script>;

    /// The same, to walk in it.
    fn script_mut(&mut self) -> Option<&mut Script>;

    /// Every move of the position at the end of the line.
    #[inline(always)]
    fn moves(&self, position: &Position) -> MoveList {
        match self.script() {
            Some(script) => script.moves().collect(),
            None => position.legal_moves(),
        }
    }

    /// Returns true if the model tree has this legal move at the end of the line.
    #[inline(always)]
    fn has(&self, mv: Move) -> bool {
        self.script().is_none_or(|script| script.leads_to(mv).is_some())
    }
}

/// The tree of chess.
#[derive(Clone, Copy, Debug)]
pub struct Chess;

impl Tree for Chess {
    #[inline(always)]
    fn script(&self) -> Option<&Script> {
        None
    }

    #[inline(always)]
    fn script_mut(&mut self) -> Option<&mut Script> {
        None
    }
}

impl Tree for Option<Script> {
    #[inline(always)]
    fn script(&self) -> Option<&Script> {
        self.as_ref()
    }

    #[inline(always)]
    fn script_mut(&mut self) -> Option<&mut Script> {
        self.as_mut()
    }
}

/// How a line ends in a model tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineEnd {
    /// After a null move, or at a leaf.
    pub passed: bool,
    /// Its value for the side to move.
    pub value: Score,
}

/// A position of a tree.
#[derive(Clone, Debug)]
pub struct ScriptedPosition {
    /// The moves that exist, each with the index of the position that it leads to; this is the order if no source
    /// orders moves. Empty at a leaf.
    pub moves: Vec<(Move, usize)>,
    /// The static value for the side to move.
    pub value: Score,
    /// The value of a line that ends here, for the side to move.
    pub leaf_value: Score,
}

/// A tree, and how far along a line of it the search is.
#[derive(Clone, Debug)]
pub struct Script {
    positions: Vec<ScriptedPosition>,
    line: Vec<LinePosition>,
}

/// Where a line is.
#[derive(Clone, Copy, Debug)]
enum LinePosition {
    /// At a position of the tree.
    Inside(usize),
    /// After a null move, with this value for the side to move then.
    Passed(Score),
}

impl Script {
    /// The tree of these positions; the first is the root, and every other is the end of one move.
    ///
    /// # Panics
    /// If `positions` is empty, or a move leads to a position that is not in the list.
    pub fn new(positions: Vec<ScriptedPosition>) -> Script {
        assert!(!positions.is_empty(), "a tree has a root");
        let inside = |&(_, place): &(Move, usize)| (1..positions.len()).contains(&place);
        assert!(positions.iter().flat_map(|position| &position.moves).all(inside), "every move leads into the tree");
        Script { positions, line: vec![LinePosition::Inside(0)] }
    }

    fn here(&self) -> LinePosition {
        self.line.last().copied().unwrap_or(LinePosition::Inside(0))
    }

    fn steps(&self) -> &[(Move, usize)] {
        match self.here() {
            LinePosition::Inside(place) => &self.positions[place].moves,
            LinePosition::Passed(_) => &[],
        }
    }

    /// The moves that exist here, in their order.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + '_ {
        self.steps().iter().map(|&(mv, _)| mv)
    }

    pub(crate) fn leads_to(&self, mv: Move) -> Option<usize> {
        self.steps().iter().find(|&&(step, _)| step == mv).map(|&(_, place)| place)
    }

    pub(crate) fn begin(&mut self) {
        self.line.clear();
        self.line.push(LinePosition::Inside(0));
    }

    pub(crate) fn push(&mut self, mv: Move) {
        let next = self.leads_to(mv);
        debug_assert!(next.is_some(), "{mv:?} is not a move of the tree");
        self.line.push(next.map_or(LinePosition::Passed(-self.value()), LinePosition::Inside));
    }

    pub(crate) fn push_null(&mut self) {
        self.line.push(LinePosition::Passed(-self.value()));
    }

    pub(crate) fn pop(&mut self) {
        self.line.pop();
    }

    /// The static value here for the side to move.
    pub(crate) fn value(&self) -> Score {
        match self.here() {
            LinePosition::Inside(place) => self.positions[place].value,
            LinePosition::Passed(value) => value,
        }
    }

    /// How the line ends, if it ends here.
    pub(crate) fn end(&self) -> Option<LineEnd> {
        match self.here() {
            LinePosition::Inside(place) => {
                let ScriptedPosition { moves, leaf_value, .. } = &self.positions[place];
                moves.is_empty().then_some(LineEnd { passed: false, value: *leaf_value })
            }
            LinePosition::Passed(value) => Some(LineEnd { passed: true, value }),
        }
    }

    /// A salt for the key of the position after a move, so that it differs from the keys of equal positions elsewhere in the tree.
    pub(crate) fn key_salt(&self, mv: Move) -> u64 {
        self.leads_to(mv).map_or(0, |place| (place as u64 + 1).wrapping_mul(SPREAD).rotate_left(u32::BITS))
    }
}
