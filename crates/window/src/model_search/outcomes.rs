//! The outcome of each node of a model in the last iteration.

use std::collections::{BTreeMap, BTreeSet};

use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;

use super::{ModelSearch, ModelSearchError};
use crate::show::position_of;
use crate::show::untried::untried;
use crate::trace::{MoveCode, MoveOutcome, NodeRecord, NodeStep, Purpose};

/// Nodes of a model by outcome, as their places.
pub(super) struct NodeOutcomes<'a> {
    model_search: &'a ModelSearch<'a>,
    /// Those that were entered, by their moves.
    pub entered: BTreeSet<usize>,
    /// Those of them that were entered by the main search, not by quiescence alone.
    pub deep: BTreeSet<usize>,
    /// Those whose moves rules skipped somewhere.
    pub skipped: BTreeMap<usize, Rule>,
    /// Those that rules ended before their moves somewhere.
    pub ended: BTreeMap<usize, Rule>,
}

impl<'a> NodeOutcomes<'a> {
    /// Counts the last iteration.
    pub fn of(model_search: &'a ModelSearch<'a>) -> Result<NodeOutcomes<'a>, ModelSearchError> {
        let (entered, deep) = (BTreeSet::new(), BTreeSet::new());
        let (skipped, ended) = (BTreeMap::new(), BTreeMap::new());
        let mut outcomes = NodeOutcomes { model_search, entered, deep, skipped, ended };
        let root = model_search.trace.node(model_search.root()?)?;
        outcomes.visit(&root, 0, model_search.playable.game.position())?;
        Ok(outcomes)
    }

    fn visit(&mut self, node: &NodeRecord, place: usize, position: &Position) -> Result<(), ModelSearchError> {
        let model_search = self.model_search;
        self.entered.insert(place);
        if !node.is_quiescence() {
            self.deep.insert(place);
        }
        // A rule that ends another rule's search of the same position does not end the node.
        let same_position = node.purpose.is_some_and(Purpose::same_position);
        if let Some(by) = node.ended.as_ref().filter(|by| by.rule != Rule::Leaf && !same_position) {
            self.ended.insert(place, by.rule);
        }
        let untried = untried(position, node);
        for (at, step) in node.steps.iter().enumerate() {
            let NodeStep::Move(mv) = step else { continue };
            let MoveOutcome::Skipped { by, .. } = &mv.outcome else { continue };
            let codes = std::iter::once(mv.mv).chain(untried.with(at).iter().map(|&mv| MoveCode::of(mv)));
            self.skipped.extend(
                codes.filter_map(|code| model_search.playable.after(place, code)).map(|child| (child, by.rule)),
            );
        }
        for (mv, search) in node.searches() {
            let below = match (mv, search.purpose) {
                (Some(mv), _) => model_search.playable.after(place, mv),
                (None, Purpose::NullMove) => None,
                (None, _) => Some(place),
            };
            if let (Some(below), Some(id)) = (below, search.child) {
                let child = model_search.trace.node(id)?;
                self.visit(&child, below, &position_of(&child, position)?)?;
            }
        }
        Ok(())
    }

    /// Returns true if a node has moves and none of them was searched.
    fn is_bare(&self, place: usize) -> bool {
        let children = &self.model_search.run.node(place).children;
        !children.is_empty() && !children.iter().any(|child| self.entered.contains(child))
    }

    /// Moves that a rule skipped and that were not searched anywhere.
    pub fn skipped_everywhere(&self) -> impl Iterator<Item = (Rule, usize)> + '_ {
        self.skipped.iter().filter(|(place, _)| !self.entered.contains(place)).map(|(&place, &rule)| (rule, place))
    }

    /// Nodes that a rule ended so that none of their moves was searched anywhere.
    pub fn cut(&self) -> impl Iterator<Item = (Rule, usize)> + '_ {
        self.ended.iter().filter(|(place, _)| self.is_bare(**place)).map(|(&place, &rule)| (rule, place))
    }

    /// Nodes with moves where the depth was used up.
    pub fn shallow(&self) -> impl Iterator<Item = usize> + '_ {
        self.entered.iter().copied().filter(|place| !self.deep.contains(place) && self.is_bare(*place))
    }

    /// Leaves that were reached.
    pub fn leaves(&self) -> usize {
        self.entered.iter().filter(|&&place| self.model_search.run.node(place).children.is_empty()).count()
    }
}
