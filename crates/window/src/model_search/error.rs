//! The reason why the engine's value of a model is not that of its leaves: the first wrong decision, from the root on.
//!
//! A node claims that its value is at least, at most, or exactly what it returned. From the root, whose claim does not hold, there is
//! always a node below that misled it, down to one whose children are right: a rule ended it, a rule skipped its best move, or its
//! depth was used up.

use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score};

use super::{ModelSearch, ModelSearchError};
use crate::show::position_of;
use crate::show::untried::skipped_with;
use crate::trace::{MoveCode, MoveOutcome, MoveRecord, NodeRecord, NodeStep, RuleReason};

/// The kind of error at a node.
#[derive(Clone, PartialEq, Debug)]
pub enum ValueErrorKind {
    /// A rule ended it.
    Ended(RuleReason),
    /// A rule skipped its best move: the place of the node after that move.
    Skipped(usize, RuleReason),
    /// Its depth was used up, and quiescence stopped short of the best move or stood pat.
    Shallow,
    /// Something else: the same node was searched for another purpose, or by other means.
    Other,
}

/// The decision that changed the result.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueError {
    /// The node, as a place in the model.
    pub place: usize,
    /// The value that it returned for its side to move, in pawns/100.
    pub returned: Score,
    /// The bound of that value.
    pub bound: Bound,
    /// Minimax value of its leaves.
    pub minimax: Score,
    /// The kind of error there.
    pub fault: ValueErrorKind,
    /// Reductions along the line: the rule, the amount, and the place of the move.
    pub reductions: Vec<(Rule, Depth, usize)>,
}

impl ModelSearch<'_> {
    /// The reason why the value is not that of the leaves; `None` if it is.
    pub(super) fn cause(&self) -> Result<Option<ValueError>, ModelSearchError> {
        let mut walk = ErrorWalk {
            model_search: self,
            node: self.trace.node(self.root()?)?,
            place: 0,
            position: self.playable.game.position().clone(),
            reductions: Vec::new(),
        };
        if self.holds(&walk.node, 0) {
            return Ok(None);
        }
        loop {
            if let Some(fault) = walk.step()? {
                return Ok(Some(walk.cause(fault)));
            }
        }
    }

    /// Returns true if the node at `place` has the value that it claims.
    fn holds(&self, node: &NodeRecord, place: usize) -> bool {
        let (minimax, (returned, bound)) = (self.minimax[place], returned(node));
        match bound {
            Bound::Upper => minimax <= returned,
            Bound::Lower => minimax >= returned,
            Bound::Exact => minimax == returned,
        }
    }
}

/// The value that a node returned, and its bound.
fn returned(node: &NodeRecord) -> (Score, Bound) {
    let returned = node.score.unwrap_or_default();
    (returned, node.window.bound(returned))
}

struct ErrorWalk<'a> {
    model_search: &'a ModelSearch<'a>,
    node: NodeRecord,
    place: usize,
    position: Position,
    reductions: Vec<(Rule, Depth, usize)>,
}

impl ErrorWalk<'_> {
    fn minimax(&self) -> Score {
        self.model_search.minimax[self.place]
    }

    /// Descends to the child whose value is wrong, or returns the fault if it is at this node.
    fn step(&mut self) -> Result<Option<ValueErrorKind>, ModelSearchError> {
        self.note_depth();
        if let Some(by) = &self.node.ended {
            return Ok(Some(ValueErrorKind::Ended(by.clone())));
        }
        let too_high = returned(&self.node).0 > self.minimax();
        let missed = if too_high { self.node.best().map(|best| best.mv) } else { self.best_move() };
        let Some(missed) = missed else { return Ok(Some(ValueErrorKind::Shallow)) };
        let after = self.model_search.playable.after(self.place, missed);
        let Some(child) = after else { return Ok(Some(ValueErrorKind::Other)) };
        let mv = self.node.moves().find(|mv| mv.mv == missed).cloned();
        match mv {
            Some(MoveRecord { outcome: MoveOutcome::Skipped { by, .. }, .. }) => {
                Ok(Some(ValueErrorKind::Skipped(child, by)))
            }
            Some(mv) => self.descend(&mv, child),
            None => Ok(Some(self.passed_over(missed, child))),
        }
    }

    /// The best move by the leaves.
    fn best_move(&self) -> Option<MoveCode> {
        let value = |place: usize| -self.model_search.minimax[place];
        let steps = self.model_search.playable.steps[self.place].iter();
        steps.filter(|&&(_, child)| value(child) == self.minimax()).map(|&(mv, _)| mv).next()
    }

    /// The fault for a move that the picker did not return: skipped with another one, or not searched in quiescence.
    fn passed_over(&self, missed: MoveCode, child: usize) -> ValueErrorKind {
        match skipped_with(&self.position, &self.node, missed) {
            Some((_, by)) => ValueErrorKind::Skipped(child, by.clone()),
            None if self.node.is_quiescence() => ValueErrorKind::Shallow,
            None => ValueErrorKind::Other,
        }
    }

    fn descend(&mut self, mv: &MoveRecord, place: usize) -> Result<Option<ValueErrorKind>, ModelSearchError> {
        let searched = mv.searched();
        let last = searched.and_then(|searched| searched.tries.last()).copied();
        let Some(id) = last.and_then(|search| search.child) else { return Ok(Some(ValueErrorKind::Other)) };
        let child = self.model_search.trace.node(id)?;
        if self.model_search.holds(&child, place) {
            return Ok(Some(ValueErrorKind::Other));
        }
        let reducing = searched.iter().flat_map(|searched| searched.reductions());
        self.reductions.extend(reducing.map(|line| (line.by.rule, line.cost, place)));
        self.position = position_of(&child, &self.position)?;
        (self.node, self.place) = (child, place);
        Ok(None)
    }

    /// Notes depth that rules took from the node itself.
    fn note_depth(&mut self) {
        for step in &self.node.steps {
            if let NodeStep::Deepened { by, amount } = step
                && *amount < Depth::ZERO
            {
                self.reductions.push((by.rule, -*amount, self.place));
            }
        }
    }

    fn cause(self, fault: ValueErrorKind) -> ValueError {
        let (returned, bound) = returned(&self.node);
        ValueError { place: self.place, returned, bound, minimax: self.minimax(), fault, reductions: self.reductions }
    }
}
