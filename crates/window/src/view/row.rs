//! One row of the tree.

use std::num::{NonZeroU16, NonZeroU32};

use quarterply_engine::node::NodeType;
use quarterply_engine::score::Bound;

use crate::move_sources::MoveSource;
use crate::trace::{Decision, Purpose};

/// Refers to a move of [`View::moves`](super::View::moves).
pub type MoveNumber = NonZeroU16;
/// Refers to a text of [`View::strings`](super::View::strings).
pub type TextNumber = NonZeroU32;

/// The kind of a row.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(u8)]
pub enum RowKind {
    /// A node of the search.
    #[default]
    Node = 0,
    /// A node of quiescence.
    Quiet = 1,
    /// A move that was not searched.
    Unsearched = 2,
    /// One iteration, or one window of it.
    Iteration = 4,
}

/// The decision about the move of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RowDecision {
    /// It refuted the move before it.
    Cutoff = 1,
    /// It was the best so far.
    Best = 2,
    /// It changed nothing.
    NotBest = 3,
    /// It was promising enough to be searched again with more depth or a wider window.
    Again = 4,
}

impl From<Decision> for RowDecision {
    fn from(decision: Decision) -> RowDecision {
        match decision {
            Decision::Cutoff => RowDecision::Cutoff,
            Decision::Best => RowDecision::Best,
            Decision::NotBest => RowDecision::NotBest,
        }
    }
}

/// Marks of a row, to be added up.
pub mod flag {
    /// On the principal variation.
    pub const LINE: u16 = 1;
    /// A repeated search of the same move.
    pub const AGAIN: u16 = 2;
    /// The side to move is in check.
    pub const CHECK: u16 = 4;
    /// The move was a null move.
    pub const NULL_MOVE: u16 = 8;
    /// A separate search of the same position: a verification, or a search for the first move.
    pub const ASIDE: u16 = 16;
    /// The evaluation is better than two plies ago.
    pub const IMPROVING: u16 = 32;
    /// Nodes below were not recorded or have no rows.
    pub const FOLDED: u16 = 64;
    /// The table knew the position. Not set in [`TreeRow::flags`](super::TreeRow::flags): [`TreeRow::hit`](super::TreeRow::hit) says it.
    pub const KNOWN: u16 = 128;
    /// Created and never evaluated (model trees).
    pub const REFUTED: u16 = 256;
}

/// One row of the tree: a node, a move that was not searched, or a search of the root.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct TreeRow {
    /// Depth in the tree of rows; 0 at the first row only.
    pub level: u16,
    /// Distance from the root in plies.
    pub ply: u16,
    /// Its kind.
    pub kind: RowKind,
    /// Sum of [`flag`]s.
    pub flags: u16,
    /// The move that led here.
    pub mv: Option<MoveNumber>,
    /// The reason in words.
    pub why: Option<TextNumber>,
    /// Moves made in the subtree, recorded or not: its width in the overview.
    pub nodes: u32,
    /// Purpose of the search of the move.
    pub purpose: Option<Purpose>,
    /// Depth left on entering, in 1/1024 ply, as all depths of a row.
    pub depth: Option<i32>,
    /// Budget of the side to move, if the budgets are separate.
    pub own: Option<i32>,
    /// Budget of the other side, if they are separate.
    pub other: Option<i32>,
    /// Depth deducted for the move.
    pub cost: Option<i32>,
    /// Lower bound of the window. All scores are seen by the side that made the move.
    pub alpha: Option<i16>,
    /// Upper bound of the window.
    pub beta: Option<i16>,
    /// Static value.
    pub guess: Option<i16>,
    /// Value the search returned.
    pub value: Option<i16>,
    /// The expected type of the node.
    pub expected: Option<NodeType>,
    /// Its actual type.
    pub found: Option<NodeType>,
    /// The decision about the move; `None` if the search stopped, or if the row is not a move of its parent.
    pub decision: Option<RowDecision>,
    /// The source of the move.
    pub source: Option<MoveSource>,
    /// The score that the move was ordered by.
    pub order: Option<i32>,
    /// Moves or nodes without separate rows.
    pub omitted: Omitted,
    /// Legal moves that were not reached, because another decided the node.
    pub unreached: u8,
    /// The entry of the transposition table.
    pub hit: Option<RowTableEntry>,
    /// The node of the model; only in trees of models.
    pub model: Option<ModelNode>,
    /// One past the last row below, set by [`ViewBuilder`](super::ViewBuilder) as the next two.
    pub end: u32,
    /// The row it is below; `None` for the first.
    pub up: Option<u32>,
    /// The place of its first mark in [`View::marks`](super::View::marks).
    pub marks: u32,
}

/// Moves or nodes that a row represents in addition to itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Omitted {
    /// Nothing.
    #[default]
    Nothing,
    /// Number of nodes below it that were not recorded.
    Nodes(u32),
    /// Moves that were skipped together, as a range of [`View::rests`](super::View::rests).
    Moves {
        /// The place of the first.
        first: u32,
        /// Their number.
        count: u32,
    },
}

impl Omitted {
    /// Number of moves or nodes.
    pub fn count(self) -> u32 {
        match self {
            Omitted::Nothing => 0,
            Omitted::Nodes(count) | Omitted::Moves { count, .. } => count,
        }
    }

    /// The place of the first move; 0 if there are none.
    pub(super) fn first(self) -> u32 {
        if let Omitted::Moves { first, .. } = self { first } else { 0 }
    }
}

/// An entry of the transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowTableEntry {
    /// The bound of its value.
    pub bound: Bound,
    /// Its value, seen by the side to move at the node.
    pub value: Option<i16>,
    /// Its move.
    pub mv: Option<MoveNumber>,
    /// Its depth in 1/1024 ply.
    pub depth: i32,
    /// The row that stored it.
    pub from: Option<u32>,
}

/// The node of a model that a row represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelNode {
    /// Its number.
    pub number: u32,
    /// Its place in the order of evaluation, from 1; `None` if it was not evaluated.
    pub event: Option<NonZeroU32>,
    /// Value of a leaf, evaluated or not.
    pub leaf_value: Option<i32>,
}

impl TreeRow {
    /// Its [`flag`]s as the page reads them.
    pub(super) fn page_flags(&self) -> u16 {
        self.flags | if self.hit.is_some() { flag::KNOWN } else { 0 }
    }

    /// The purpose as a place in [`TreeInfo::purposes`](super::TreeInfo::purposes); 0 if it is not known.
    pub(super) fn page_purpose(&self) -> u8 {
        self.purpose.map_or(0, |purpose| purpose as u8 + 1)
    }

    /// The source as a place in [`TreeInfo::stages`](super::TreeInfo::stages); 0 if it is not known.
    pub(super) fn page_stage(&self) -> u8 {
        self.source.map_or(0, |source| source as u8 + 1)
    }

    /// The score of the order, or the value of the leaf of a model.
    pub(super) fn page_order(&self) -> Option<i32> {
        self.order.or(self.model.and_then(|node| node.leaf_value))
    }

    /// Number and place of the node of a model; 0 if there is none.
    pub(super) fn page_model(&self) -> (u32, u32) {
        self.model.map_or((0, 0), |node| (node.number, node.event.map_or(0, NonZeroU32::get)))
    }

    /// Expected type, actual type and decision as numbers for the page; 0 is unknown.
    pub(super) fn page_outcome(&self) -> [u8; 3] {
        let kind = |kind: Option<NodeType>| kind.map_or(0, |kind| kind as u8 + 1);
        [kind(self.expected), kind(self.found), self.decision.map_or(0, |decision| decision as u8)]
    }
}

impl RowTableEntry {
    /// The bound of its value for the page: 1 at most, 2 at least, 3 exact; 0 is for rows without an entry.
    pub(super) fn page_bound(self) -> u8 {
        match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        }
    }
}
