//! Model trees for the search: trees made by hand in which only the listed moves exist and given scores stand for the evaluation.
//!
//! An observer may bring a [`Script`] along ([`Observer::script`]). The search then walks that tree instead of chess: at each position
//! it finds the tree's moves and no others, its static value is the tree's, and where the tree has no more moves the line ends and is
//! worth what the tree says: no mate, no stalemate, no draw, nothing that quiescence could add. Every rule works as it always does, on
//! these moves. The position after a pass is in no tree: it is worth what the position before it is, for the other side, and its line
//! ends there. Two lines that come to one position are two positions here, with scores of their own: their keys differ, so the table
//! and the history of positions never take one for the other.
//!
//! Without a script, which is known when compiling, none of this exists.

use super::observer::Observer;
use crate::position::Position;
use crate::rules::leaf;
use crate::score::Score;
use shakmaty::{Color, Move, MoveList};

/// A position of a tree.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The moves that exist, with the places they lead to in the list of positions; where nothing else orders them, in this order. None
    /// at a leaf.
    pub moves: Vec<(Move, usize)>,
    /// The static value for the side to move.
    pub value: Score,
    /// What a line that ends here is worth for the side to move.
    pub worth: Score,
}

/// A tree, and how far along a line of it the search is.
#[derive(Clone, Debug)]
pub struct Script {
    scenes: Vec<Scene>,
    line: Vec<Spot>,
}

/// Where a line is.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// At a position of the tree.
    Scene(usize),
    /// After a pass, which is worth this to the side to move then.
    Passed(Score),
}

impl Script {
    /// The tree of these positions; the first is the root, and every other is the end of one move.
    ///
    /// # Panics
    /// If there is no position, or a move leads to one that is not in the list.
    pub fn new(scenes: Vec<Scene>) -> Script {
        assert!(!scenes.is_empty(), "a tree has a root");
        let inside = |&(_, place): &(Move, usize)| (1..scenes.len()).contains(&place);
        assert!(scenes.iter().flat_map(|scene| &scene.moves).all(inside), "every move leads into the tree");
        Script { scenes, line: vec![Spot::Scene(0)] }
    }

    fn here(&self) -> Spot {
        self.line.last().copied().unwrap_or(Spot::Scene(0))
    }

    fn steps(&self) -> &[(Move, usize)] {
        match self.here() {
            Spot::Scene(place) => &self.scenes[place].moves,
            Spot::Passed(_) => &[],
        }
    }

    /// The moves that exist here, in their order.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + '_ {
        self.steps().iter().map(|&(mv, _)| mv)
    }

    pub(crate) fn leads_to(&self, mv: Move) -> Option<usize> {
        self.steps().iter().find(|&&(step, _)| step == mv).map(|&(_, place)| place)
    }

    fn begin(&mut self) {
        self.line.clear();
        self.line.push(Spot::Scene(0));
    }

    fn push(&mut self, mv: Move) {
        let next = self.leads_to(mv);
        debug_assert!(next.is_some(), "{mv:?} is no move of the tree");
        self.line.push(next.map_or(Spot::Passed(-self.value()), Spot::Scene));
    }

    fn push_null(&mut self) {
        self.line.push(Spot::Passed(-self.value()));
    }

    fn pop(&mut self) {
        self.line.pop();
    }

    /// The static value here for the side to move.
    fn value(&self) -> Score {
        match self.here() {
            Spot::Scene(place) => self.scenes[place].value,
            Spot::Passed(value) => value,
        }
    }

    /// What the line is worth if it ends here, and why it does.
    fn end(&self) -> Option<(Score, leaf::Why)> {
        match self.here() {
            Spot::Scene(place) => {
                let Scene { moves, worth, .. } = &self.scenes[place];
                moves.is_empty().then_some((*worth, leaf::Why { passed: false, worth: *worth }))
            }
            Spot::Passed(value) => Some((value, leaf::Why { passed: true, worth: value })),
        }
    }

    /// What tells the key of the position after a move from the keys of equal positions elsewhere in the tree.
    fn mark(&self, mv: Move) -> u64 {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.leads_to(mv).map_or(0, |place| (place as u64 + 1).wrapping_mul(SPREAD).rotate_left(u32::BITS))
    }
}

/// An observer that brings a tree along and sees nothing.
pub struct Unwatched(pub Script);

impl Observer for Unwatched {
    const WATCHES: bool = false;

    fn script(&self) -> Option<&Script> {
        Some(&self.0)
    }

    fn script_mut(&mut self) -> Option<&mut Script> {
        Some(&mut self.0)
    }
}

impl<O: Observer> super::Searcher<O> {
    /// Every move of the position at the end of the line: the legal ones, or those of the tree.
    #[inline(always)]
    pub(crate) fn moves_at(&self, position: &Position) -> MoveList {
        match self.observer.script() {
            Some(script) => script.moves().collect(),
            None => position.legal_moves(),
        }
    }

    /// Does the search walk a tree made by hand?
    #[inline(always)]
    pub(crate) fn is_scripted(&self) -> bool {
        self.observer.script().is_some()
    }

    /// Is there such a move at the end of the line? It is legal.
    #[inline(always)]
    pub(crate) fn exists(&self, mv: Move) -> bool {
        self.observer.script().is_none_or(|script| script.leads_to(mv).is_some())
    }

    /// The static value of the position at the end of the line, before anything is made of it.
    #[inline(always)]
    pub(crate) fn raw(&mut self, position: &Position) -> Score {
        match self.observer.script() {
            Some(script) => script.value(),
            None => self.evaluator.raw(position),
        }
    }

    /// A static value as the 50-move counter fades it; scores of a tree stay as they are.
    #[inline(always)]
    pub(crate) fn faded(&self, raw: Score, position: &Position) -> Score {
        if self.is_scripted() { raw } else { crate::eval::fade(raw, position.halfmoves()) }
    }

    /// Where a tree made by hand has no more moves: what its line is worth, and why it ends.
    #[inline(always)]
    pub(crate) fn script_ends(&self) -> Option<(Score, leaf::Why)> {
        self.observer.script().and_then(Script::end)
    }

    /// What the key of the position after a move differs by from what the move itself makes of it.
    #[inline(always)]
    pub(crate) fn mark(&self, mv: Move) -> u64 {
        self.observer.script().map_or(0, |script| script.mark(mv))
    }

    /// A line begins at the root.
    #[inline(always)]
    pub(crate) fn begin_line(&mut self, position: &Position) {
        self.begin_script();
        self.evaluator.begin(position);
    }

    /// The tree, if there is one, is at its root.
    #[inline(always)]
    pub(crate) fn begin_script(&mut self) {
        if let Some(script) = self.observer.script_mut() {
            script.begin();
        }
    }

    /// The line goes on with a move of `turn`.
    #[inline(always)]
    pub(crate) fn advance(&mut self, turn: Color, mv: Move) {
        self.evaluator.push(turn, mv);
        if let Some(script) = self.observer.script_mut() {
            script.push(mv);
        }
    }

    /// The line goes on with a pass.
    #[inline(always)]
    pub(crate) fn advance_null(&mut self) {
        self.evaluator.push_null();
        if let Some(script) = self.observer.script_mut() {
            script.push_null();
        }
    }

    /// Takes the last step of the line back.
    #[inline(always)]
    pub(crate) fn retreat(&mut self) {
        self.evaluator.pop();
        if let Some(script) = self.observer.script_mut() {
            script.pop();
        }
    }
}
