//! Positions of search trees with the values that the trees themselves found (TreeStrap, `veness2009`).
//!
//! A search of one position values thousands of others. The label of a node is the result of its subtree. A bound is a label only if the
//! static evaluation is beyond it; other nodes are left out, because their label would be the static evaluation itself.
//! So a search gives dozens of labels, where [`crate::sample`] needs a search for each. Labels are as accurate as their subtrees
//! are deep, which [`crate::settings::SamplingSettings::tree`] decides.

use crate::opening::stream;
use crate::play::white_score;
use crate::record::{GameRecord, StoredMove};
use crate::replay::Filter;
use crate::sample::{MovePath, PositionSampler, reach};
use crate::viriformat::encode_move;
use quarterply_engine::position::{Game, NO_MOVE, is_quiet};
use quarterply_engine::score::{Bound, Score, Window};
use quarterply_engine::search::watch::{Detail, EventNode, MoveResult, NodeFacts, SearchEvent, Watch};
use rand::seq::SliceRandom;
use shakmaty::{Chess, Move};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The label of a node with static evaluation `raw` and search result `score`: the score, unless it is a bound that the static evaluation
/// keeps.
fn label(raw: Score, score: Score, window: Window) -> Option<Score> {
    let contradicts = match window.bound(score) {
        Bound::Exact => true,
        Bound::Lower => score > raw,
        Bound::Upper => score < raw,
    };
    contradicts.then_some(score)
}

/// A node that is being searched.
struct OpenNode {
    at: EventNode,
    /// False for the root, which is in the game, in quiescence, in check, and if a move was excluded: such nodes have no label.
    counts: bool,
    raw: Option<Score>,
    best: Option<Move>,
}

/// A node with a label.
struct LabelledNode {
    /// The moves to it from the root; `None` is a null move.
    path: Vec<Option<Move>>,
    label: Score,
    best: Option<Move>,
    /// Nodes of its subtree.
    nodes: u64,
}

/// Watches a search, and stores labels of its nodes.
struct NodeRecorder {
    /// The least number of nodes of a subtree.
    least: u64,
    /// The nodes from the root to the current one.
    open: Vec<OpenNode>,
    move_path: MovePath,
    /// By key, so that their order does not depend on the machine.
    found: BTreeMap<u64, LabelledNode>,
}

impl Watch for NodeRecorder {
    fn detail(&self) -> Detail {
        Detail::Nodes
    }

    fn event(&mut self, event: SearchEvent<'_>) {
        match (event, self.open.last_mut()) {
            (SearchEvent::Entered(at, facts), _) => self.entered(at, facts),
            (SearchEvent::Valued(_, valuation), Some(open)) => open.raw = valuation.raw,
            (SearchEvent::MoveSearched(_, MoveResult::Cutoff(mv, _) | MoveResult::Best(mv, _)), Some(open)) => {
                open.best = Some(mv)
            }
            (SearchEvent::Left(at, score), _) => self.left(at, score),
            _ => {}
        }
    }
}

impl NodeRecorder {
    fn new(least: u64) -> NodeRecorder {
        NodeRecorder { least, open: Vec::new(), move_path: MovePath::default(), found: BTreeMap::new() }
    }

    /// Returns the labels of the finished search and clears them.
    fn take(&mut self) -> Vec<LabelledNode> {
        // A search that was stopped left its nodes without an event.
        self.move_path.0.clear();
        self.open.clear();
        std::mem::take(&mut self.found).into_values().collect()
    }

    fn entered(&mut self, at: EventNode, facts: &NodeFacts) {
        self.move_path.enter(at);
        let counts = at.ply.index() > 0 && facts.level.is_none() && facts.excluded == NO_MOVE && !facts.in_check;
        self.open.push(OpenNode { at, counts, raw: None, best: None });
    }

    fn left(&mut self, at: EventNode, score: Score) {
        let Some(OpenNode { at: entry, counts, raw: Some(raw), best }) = self.open.pop() else { return };
        let nodes = at.nodes - entry.nodes;
        let quiet = best.is_none_or(is_quiet);
        if !counts || nodes < self.least || score.0.abs() > Filter::DEFAULT.score_max || !quiet {
            return;
        }
        if self.found.get(&at.key).is_some_and(|found| found.nodes > nodes) {
            return;
        }
        // A larger subtree replaces a smaller one, even without a label.
        self.found.remove(&at.key);
        if let Some(label) = label(raw, score, entry.window) {
            // The path may contain nodes below this one.
            let path = self.move_path.0.iter().take(at.ply.index()).copied().collect();
            self.found.insert(at.key, LabelledNode { path, label, best, nodes });
        }
    }
}

/// Positions below those of a game with the labels of nodes whose subtrees have at least `least` nodes. Each position of the game is searched
/// once at most.
pub(crate) fn draw(
    sampler: &PositionSampler,
    least: u64,
    game: &GameRecord,
    positions: &[Chess],
) -> Vec<(Game, Option<StoredMove>)> {
    let [each, per_search] = [sampler.sampling.each, sampler.sampling.per_search].map(|count| count as usize);
    let mut rng = stream(sampler.sampling.seed, game.number);
    let recorder = RefCell::new(NodeRecorder::new(least));
    let mut roots: Vec<&Chess> = positions.iter().collect();
    roots.shuffle(&mut rng);
    let mut drawn = Vec::new();
    sampler.search(&recorder, roots.into_iter().take(each.div_ceil(per_search)), game.mode, |root| {
        let mut found = recorder.borrow_mut().take();
        found.shuffle(&mut rng);
        let remaining = per_search.min(each - drawn.len());
        let labelled = found.iter().filter_map(|found| labelled_game(root, found));
        drawn.extend(labelled.take(remaining).map(|(there, step)| (there, Some(step))));
    });
    drawn
}

/// The position of a node with its label, as a game of one move. If no move was best, the move is any quiet one.
fn labelled_game(root: &Game, found: &LabelledNode) -> Option<(Game, StoredMove)> {
    let there = reach(root, &found.path)?;
    let any = || there.position().legal_moves().into_iter().find(|mv| is_quiet(*mv));
    let mv = found.best.or_else(any)?;
    let step = StoredMove { raw: encode_move(mv), score: white_score(found.label, there.position().turn()) };
    Some((there, step))
}

#[cfg(test)]
mod tests;
