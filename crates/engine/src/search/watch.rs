//! Events of a search and the traits of their observers. Without an observer, events have no cost.
//!
//! The events of a node come in this order: [`SearchEvent::Entered`], [`SearchEvent::Scripted`] in a model tree,
//! [`SearchEvent::Valued`] when a static value was computed, the actions of rules ([`SearchEvent::Reason`] and [`SearchEvent::Ruled`]), the
//! moves one after the other ([`SearchEvent::Considered`], `Ruled`, [`SearchEvent::TotalCost`], [`SearchEvent::MoveSearched`]), the entry written to
//! the table ([`SearchEvent::Stored`]), and [`SearchEvent::Left`]. Before each node but a root its parent reports the reason of its search:
//! [`SearchEvent::Searching`]. A search that is stopped leaves its nodes without an event.
//!
//! An observer that audits can repeat a search that a rule pruned or reduced: see [`PruningKind`].

use crate::node::{NodeType, Stage};
use crate::rules::Rule;
use crate::rules::learned_cost::Features;
pub use crate::rules::purpose::Purpose;
pub use crate::rules::reason::Numbers;
use crate::score::{Depth, Ply, Score, Window};
use crate::table::Entry;
use crate::tree::{Chess, Script, Tree};
use crate::words::named;
use shakmaty::Move;
use std::cell::RefCell;

/// The node of an event.
#[derive(Clone, Copy, Debug)]
pub struct EventNode {
    /// Distance from the root.
    pub ply: Ply,
    /// Remaining depth.
    pub depth: Depth,
    /// The window of the node at the time of the event.
    pub window: Window,
    /// Key of the position.
    pub key: u64,
    /// The move that led here; `None` at the root and after a null move.
    pub mv: Option<Move>,
    /// Moves made by the search so far.
    pub nodes: u64,
}

/// One search of the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// Depth of the iteration before any reduction.
    pub depth: Depth,
    /// The index of the searched line (MultiPV), from 0.
    pub line: usize,
    /// The active voter of a consultation, from 0.
    pub voter: usize,
    /// Number of times that the window was widened before.
    pub attempt: u32,
    /// Deducted from the depth after fail highs.
    pub reduction: Depth,
}

/// Facts about a node when it is entered.
#[derive(Clone, Copy, Debug)]
pub struct NodeFacts {
    /// Its expected type.
    pub kind: NodeType,
    /// Plies of quiescence so far; `None` in the main search.
    pub level: Option<i32>,
    /// Remaining depth of White and of Black.
    pub budget: (Depth, Depth),
    /// True if the side to move is in check.
    pub in_check: bool,
    /// The entry of the table.
    pub entry: Option<Entry>,
    /// Its key in the table.
    pub table_key: u64,
    /// The move excluded from this search, packed; else [`NO_MOVE`](crate::position::NO_MOVE).
    pub excluded: u16,
}

/// The static value of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Valuation {
    /// The evaluation before correction; `None` in check.
    pub raw: Option<Score>,
    /// The evaluation corrected by search results in similar positions.
    pub corrected: Score,
    /// The corrected evaluation, or the table score if that is more accurate.
    pub estimate: Score,
    /// True if the corrected evaluation is better than two plies ago.
    pub improving: bool,
}

/// A search about to begin.
#[derive(Clone, Copy, Debug)]
pub struct SubSearch {
    /// Its purpose.
    pub purpose: Purpose,
    /// The move that is searched; `None` for a null move and for a search of the same position.
    pub mv: Option<Move>,
    /// The deducted depth.
    pub cost: Depth,
}

/// A move returned by the move picker.
#[derive(Clone, Copy, Debug)]
pub struct ConsideredMove {
    /// The move.
    pub mv: Move,
    /// The stage of the move picker that returned it.
    pub stage: Stage,
    /// Its ordering score within its stage; `None` if there is none.
    pub order: Option<i32>,
    /// Its history score (counts).
    pub history: i32,
    /// True if it gives check.
    pub gives_check: bool,
    /// The number that it has among the searched moves of the node, from 1, if it is not skipped.
    pub number: i32,
    /// True if it is a killer or the countermove.
    pub killer_or_counter: bool,
}

named! {
    /// The search that a rule pruned or reduced.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
    pub enum PruningKind {
        /// The moves of a node that the rule ended.
        Node "node cut",
        /// The depth that the rule deducted from a node.
        Depth "node reduced",
        /// A move that the rule skipped.
        Move "move skipped",
        /// The depth deducted for a late move whose reduced search failed low.
        Reduction "move reduced",
        /// A move that the rule skipped in quiescence.
        Quiescence "in quiescence",
    }
}

/// The result of an audit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AuditResult {
    /// The audited pruning or reduction.
    pub kind: PruningKind,
    /// The rule that pruned or reduced.
    pub rule: Rule,
    /// True if the full search has another result: the move beats alpha, or the node is on the other side of its
    /// window.
    pub mattered: bool,
    /// Moves made to find out, which the search does not count.
    pub nodes: u64,
}

/// The result of a full search of a late move, made outside the main search before the move is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LateMove {
    /// Its features before it was made.
    pub features: Features,
    /// The reduction by `late_move_reduction`.
    pub formula: Depth,
    /// True if it beat alpha.
    pub mattered: bool,
    /// Moves made to find out, which the search does not count.
    pub nodes: u64,
}

/// An action of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleAction {
    /// Ended the node with this value.
    Cut(Score),
    /// Skipped one move.
    Skipped(Move),
    /// Skipped this move and all quiet ones after it.
    SkippedRest(Move),
    /// Skipped this move and all quiet ones after it, but those that give check.
    SkippedRestButChecks(Move),
    /// Added to a move's cost: reductions are positive, extensions negative.
    CostChanged(Move, Depth),
    /// Changed the depth of the node.
    Deepened(Depth),
}

/// The result of a searched move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveResult {
    /// Its value reached beta.
    Cutoff(Move, Score),
    /// Its value raised alpha.
    Best(Move, Score),
    /// Its value did not raise alpha.
    NotBest(Move, Score),
    /// It is searched again at this cost, because a reduced search beat alpha.
    Again(Move, Depth),
}

impl MoveResult {
    /// The result of a move of this value in this window.
    pub fn of(mv: Move, score: Score, window: Window) -> MoveResult {
        if window.fails_high(score) {
            MoveResult::Cutoff(mv, score)
        } else if window.fails_low(score) {
            MoveResult::NotBest(mv, score)
        } else {
            MoveResult::Best(mv, score)
        }
    }
}

/// An event of a search.
#[derive(Clone, Copy, Debug)]
pub enum SearchEvent<'a> {
    /// A search of the root begins.
    Iterated(Iteration),
    /// A node was entered.
    Entered(EventNode, &'a NodeFacts),
    /// The entered node belongs to this model tree: only the moves of the tree exist.
    Scripted(&'a Script),
    /// The static value of a node was computed.
    Valued(EventNode, Valuation),
    /// The numbers that explain the next decision, in the order of [`Rule::numbers`].
    Reason(&'a Numbers),
    /// A rule was called; most calls change nothing.
    RuleCalled(Rule),
    /// A rule acted.
    Ruled(EventNode, Rule, RuleAction),
    /// The move picker returned a move.
    Considered(EventNode, &'a ConsideredMove),
    /// A move is about to be searched at this total cost.
    TotalCost(EventNode, Move, Depth),
    /// A search of a child, or of the same position, is about to begin.
    Searching(EventNode, SubSearch),
    /// A move was searched, with this result.
    MoveSearched(EventNode, MoveResult),
    /// A result of the node was written to the table under this key.
    Stored(EventNode, u64),
    /// A node was left with this value.
    Left(EventNode, Score),
    /// A search that [`Watch::audits`] selected was repeated in full.
    Audited(AuditResult),
    /// The late move that [`Watch::selects_late_move`] selected was searched in full.
    Sampled(EventNode, &'a LateMove),
}

/// Which events are created.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Detail {
    /// Only those of audits.
    Audits,
    /// Those of audits, and `Iterated`, `Entered`, `Scripted`, `Valued`, `MoveSearched` and `Left`.
    Nodes,
    /// All events.
    Everything,
}

/// An observer: it receives the events of a search and does not change the search.
pub trait Watch {
    /// The requested events; must be constant.
    fn detail(&self) -> Detail {
        Detail::Everything
    }

    /// Receives an event.
    fn event(&mut self, event: SearchEvent<'_>);

    /// Called when a rule has pruned or reduced a search that is [audited](Watched::audited_by); return true to search in full what it
    /// skipped. Events from the answer to [`SearchEvent::Audited`] or [`SearchEvent::Sampled`] are not part of the search.
    fn audits(&mut self, _: EventNode, _: PruningKind, _: Rule) -> bool {
        false
    }

    /// Called before a late move is searched in such a search; return true to search it in full first, outside the main search.
    fn selects_late_move(&mut self, _: EventNode) -> bool {
        false
    }
}

/// Ignores all events.
impl Watch for () {
    fn detail(&self) -> Detail {
        Detail::Audits
    }

    fn event(&mut self, _: SearchEvent<'_>) {}
}

/// Lets the owner of the observer read it between searches.
impl<W: Watch> Watch for &RefCell<W> {
    fn detail(&self) -> Detail {
        self.borrow().detail()
    }

    fn event(&mut self, event: SearchEvent<'_>) {
        self.borrow_mut().event(event);
    }

    fn audits(&mut self, at: EventNode, kind: PruningKind, rule: Rule) -> bool {
        self.borrow_mut().audits(at, kind, rule)
    }

    fn selects_late_move(&mut self, at: EventNode) -> bool {
        self.borrow_mut().selects_late_move(at)
    }
}

/// The mode of a search. There are only two modes, so that the search is compiled only twice: `()`, a search of chess
/// without an observer, and [`Watched`].
pub trait Mode {
    /// The tree that is searched.
    type Tree: Tree;
    /// True if the mode has an observer; otherwise no events are created.
    const WATCHED: bool;

    /// Which events are requested.
    fn detail(&self) -> Detail;

    /// Passes an event on.
    fn emit(&mut self, event: SearchEvent<'_>);

    /// The observer, if it audits.
    fn auditor(&mut self) -> Option<&mut dyn Watch>;

    /// Returns true if the observer audits.
    fn has_audit(&self) -> bool;
}

impl Mode for () {
    type Tree = Chess;
    const WATCHED: bool = false;

    #[inline(always)]
    fn detail(&self) -> Detail {
        Detail::Audits
    }

    #[inline(always)]
    fn emit(&mut self, _: SearchEvent<'_>) {}

    #[inline(always)]
    fn auditor(&mut self) -> Option<&mut dyn Watch> {
        None
    }

    #[inline(always)]
    fn has_audit(&self) -> bool {
        false
    }
}

/// A search with an observer, of chess or of a model tree.
pub struct Watched<'w> {
    watch: &'w mut dyn Watch,
    detail: Detail,
    audits: bool,
}

impl<'w> Watched<'w> {
    /// A search with this observer.
    pub fn by(watch: &'w mut dyn Watch) -> Watched<'w> {
        let detail = watch.detail();
        Watched { watch, detail, audits: false }
    }

    /// A search with this observer, which selects the searches to audit.
    pub fn audited_by(watch: &'w mut dyn Watch) -> Watched<'w> {
        Watched { audits: true, ..Watched::by(watch) }
    }
}

impl Mode for Watched<'_> {
    type Tree = Option<Script>;
    const WATCHED: bool = true;

    #[inline(always)]
    fn detail(&self) -> Detail {
        self.detail
    }

    fn emit(&mut self, event: SearchEvent<'_>) {
        self.watch.event(event);
    }

    fn auditor(&mut self) -> Option<&mut dyn Watch> {
        if self.audits { Some(&mut *self.watch) } else { None }
    }

    #[inline(always)]
    fn has_audit(&self) -> bool {
        self.audits
    }
}
