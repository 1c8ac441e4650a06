//! Watching a search: one trait, free of cost when nobody watches.

use crate::rules::Rule;
use crate::score::{Depth, Ply, Score, Window};
use shakmaty::Move;

/// Where in the tree something happened.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Distance from the root.
    pub ply: Ply,
    /// Depth left to search.
    pub depth: Depth,
    /// The window of the node.
    pub window: Window,
    /// Key of the position.
    pub key: u64,
    /// The move that led here; `None` at the root and after a null move.
    pub mv: Option<Move>,
}

/// What a rule did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Ended the node with this value.
    Cut(Score),
    /// Left one move out.
    Skipped(Move),
    /// Left this move and all quiet ones after it out.
    SkippedRest(Move),
    /// Added to a move's cost: reductions are positive, extensions negative.
    Priced(Move, Depth),
    /// Changed the depth of the node.
    Deepened(Depth),
}

/// What became of a searched move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// Its value reached beta.
    Cutoff(Move, Score),
    /// Its value raised alpha.
    Best(Move, Score),
    /// It changed nothing.
    NotBest(Move, Score),
    /// It is searched again, with this cost, because a cheaper search beat alpha.
    Again(Move, Depth),
}

/// Sees every node, rule and value of a search, and changes nothing.
pub trait Observer {
    /// Is anybody watching? Lets callers skip work that only an observer needs.
    const WATCHES: bool = true;
    /// A node was entered.
    fn entered(&mut self, _: At) {}
    /// A rule spoke.
    fn ruled(&mut self, _: At, _: Rule, _: Verdict) {}
    /// A move is about to be searched at this total cost.
    fn charged(&mut self, _: At, _: Move, _: Depth) {}
    /// A searched move was judged.
    fn judged(&mut self, _: At, _: Judgement) {}
    /// A node was left with this value.
    fn left(&mut self, _: At, _: Score) {}
}

impl Observer for () {
    const WATCHES: bool = false;
}

/// Counts how often each rule spoke.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Nodes entered.
    pub nodes: u64,
    /// Cutoffs by searched moves.
    pub cutoffs: u64,
    /// How often each rule cut, skipped, priced or deepened, by [`Rule`].
    pub spoke: [u64; Rule::ALL.len()],
}

impl Default for Counter {
    fn default() -> Counter {
        Counter { nodes: 0, cutoffs: 0, spoke: [0; Rule::ALL.len()] }
    }
}

impl Observer for Counter {
    fn entered(&mut self, _: At) {
        self.nodes += 1;
    }

    fn ruled(&mut self, _: At, rule: Rule, _: Verdict) {
        self.spoke[rule as usize] += 1;
    }

    fn judged(&mut self, _: At, judgement: Judgement) {
        self.cutoffs += u64::from(matches!(judgement, Judgement::Cutoff(..)));
    }
}
