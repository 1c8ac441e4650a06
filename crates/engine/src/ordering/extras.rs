//! The second pass over a node's moves: sources that are off by default, and may cost more than a table access.
//!
//! If all of them are off, [`Extras::of`] returns `None` and the picker skips this pass.

use crate::node::{Node, NodeType};
use crate::position::{NO_MOVE, Position, pack};
use crate::score::{Depth, MAX_PLY, Ply, Score};
use crate::source::sources;
use crate::whole::SPREAD;
use shakmaty::Move;

/// A move of a node with its ordering score.
#[derive(Clone, Copy, Debug)]
pub struct RatedMove {
    /// The move.
    pub mv: Move,
    /// True if it gives check.
    pub gives_check: bool,
    /// Its ordering score (history counts).
    pub score: i32,
    /// Data of the picker that is stored with the score.
    pub(super) rest: i32,
}

/// Which of a node's moves are rated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveSet {
    /// Captures and queen promotions.
    Noisy,
    /// All other moves.
    Quiet,
}

/// Facts about a node before its moves are ordered, in addition to its position.
#[derive(Clone, Copy, Debug)]
pub struct NodeContext {
    /// The move that led here; `None` at the root and after a null move.
    pub previous: Option<Move>,
    /// The move before that one.
    pub before: Option<Move>,
    /// The refutation of the null move, if tried.
    pub threat: Option<Move>,
    /// Remaining depth; zero in quiescence.
    pub depth: Depth,
    /// Expected type.
    pub kind: NodeType,
    /// A hash of all moves from the root.
    pub line: u64,
}

impl NodeContext {
    const EMPTY: NodeContext =
        NodeContext { previous: None, before: None, threat: None, depth: Depth::ZERO, kind: NodeType::Pv, line: 0 };
}

/// The facts that a source reads when it rates moves.
pub struct RatingView<'a> {
    /// The parameters of all sources of the second pass.
    pub p: &'a Params,
    /// The position.
    pub position: &'a Position,
    /// Facts of the node.
    pub context: &'a NodeContext,
    /// Distance from the root.
    pub ply: Ply,
    /// Which moves are rated.
    pub set: MoveSet,
}

/// The result of a node.
pub struct NodeResult<'a> {
    /// Facts of the node.
    pub context: NodeContext,
    /// Its position.
    pub position: &'a Position,
    /// Distance from the root.
    pub ply: Ply,
    /// Its depth.
    pub depth: Depth,
    /// Its value.
    pub score: Score,
    /// The last move that raised alpha or cut; `None` if no move did.
    pub best: Option<Move>,
    /// The move that cut; `None` if no move did.
    pub cut: Option<Move>,
    /// Quiet moves that were searched without a cutoff.
    pub quiets: &'a [Move],
}

impl RatingView<'_> {
    /// Adds `amount` of each move to its score if the moves are quiet.
    #[inline(always)]
    pub(super) fn add_to_quiets(&self, moves: &mut [RatedMove], amount: impl Fn(Move) -> i32) {
        if self.set == MoveSet::Quiet {
            moves.iter_mut().for_each(|rated| rated.score += amount(rated.mv));
        }
    }
}

/// A source that learns.
pub trait Learner {
    /// Adds to the scores of a node's moves.
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]);

    /// Updates its tables with the result of a node.
    fn update(&mut self, p: &Params, result: &NodeResult<'_>);

    /// A new search begins.
    fn begin(&mut self, _: &Params) {}

    /// A new iteration begins.
    fn iterate(&mut self, _: &Params) {}
}

macro_rules! extras {
    (
        tables { $($tables:tt)* } bonuses { $($bonuses:tt)* } stages { $($stages:tt)* }
        learners { $($Learner:ident $learner:ident;)* }
        extras { $($Extra:ident $extra:ident;)* }
    ) => {
        /// The parameters of all sources of the second pass.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $(#[doc = concat!("Those of `", stringify!($learner), "`.")] pub $learner: super::$learner::Params,)*
            $(#[doc = concat!("Those of `", stringify!($extra), "`.")] pub $extra: super::$extra::Params,)*
        }

        impl Params {
            fn any(&self) -> bool {
                false $(|| self.$learner.on)* $(|| self.$extra.on)*
            }
        }

        /// The tables of the sources of the second pass.
        #[derive(Default)]
        struct LearnedTables {
            $($learner: super::$learner::$Learner,)*
        }

        impl LearnedTables {
            fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
                $(if view.p.$learner.on {
                    self.$learner.rate(view, moves);
                })*
                $(if view.p.$extra.on {
                    super::$extra::rate(view, moves);
                })*
            }

            /// Calls `f` with each source that learns and is on.
            #[inline(always)]
            fn for_each_on(&mut self, p: &Params, f: impl Fn(&mut dyn Learner)) {
                $(if p.$learner.on {
                    f(&mut self.$learner);
                })*
            }
        }
    };
}

sources!(extras);

/// The sources of the second pass at work: parameters, what was learnt, and the facts of the nodes on the line.
pub struct Extras {
    p: Params,
    tables: LearnedTables,
    contexts: Vec<NodeContext>,
}

impl Extras {
    /// The sources that are on; `None` if all are off.
    pub(crate) fn of(p: Params) -> Option<Box<Extras>> {
        p.any().then(|| {
            Box::new(Extras { p, tables: LearnedTables::default(), contexts: vec![NodeContext::EMPTY; MAX_PLY + 2] })
        })
    }

    /// Takes other parameters and keeps what was learnt.
    pub(crate) fn change(kept: Option<Box<Extras>>, p: Params) -> Option<Box<Extras>> {
        let fresh = Extras::of(p)?;
        Some(match kept {
            Some(kept) => Box::new(Extras { p: fresh.p, ..*kept }),
            None => fresh,
        })
    }

    /// Clears what was learnt.
    pub(crate) fn clear(&mut self) {
        self.tables = LearnedTables::default();
    }

    /// A new search begins.
    pub(crate) fn begin(&mut self) {
        self.contexts.fill(NodeContext::EMPTY);
        self.tables.for_each_on(&self.p, |source| source.begin(&self.p));
    }

    /// The facts of the nodes on the line, to be restored after a search outside the main search.
    pub(crate) fn line(&self) -> Vec<NodeContext> {
        self.contexts.clone()
    }

    /// Restores facts that [`Extras::line`] returned.
    pub(crate) fn restore(&mut self, line: Vec<NodeContext>) {
        self.contexts = line;
    }

    /// A new iteration begins.
    pub(crate) fn iterate(&mut self) {
        self.tables.for_each_on(&self.p, |source| source.iterate(&self.p));
    }

    /// A node is entered.
    pub(crate) fn enter(&mut self, n: &Node<'_>, before: Option<Move>) {
        const TURN: u32 = 29;
        let above = n.ply.index().checked_sub(1).map_or(0, |at| self.contexts[at].line);
        let step = n.previous.map_or(NO_MOVE, pack);
        let line = (above.rotate_left(TURN) ^ u64::from(step)).wrapping_add(1).wrapping_mul(SPREAD);
        self.contexts[n.ply.index()] =
            NodeContext { previous: n.previous, before, threat: n.threat, depth: n.depth, kind: n.kind, line };
    }

    /// A node of quiescence is entered.
    pub(crate) fn enter_quiescence(&mut self, ply: Ply, kind: NodeType, previous: Option<Move>, before: Option<Move>) {
        self.contexts[ply.index()] = NodeContext { previous, before, kind, ..NodeContext::EMPTY };
    }

    /// The facts of the node at `ply`.
    #[cfg(test)]
    pub(crate) fn context(&mut self, ply: Ply) -> &mut NodeContext {
        &mut self.contexts[ply.index()]
    }

    /// A node was searched: its best move, whether that cut, and the quiet moves before it.
    pub(crate) fn update(&mut self, n: &Node<'_>, cut: bool, quiets: &[Move]) {
        let best = n.best_move;
        self.update_from(&NodeResult {
            context: self.contexts[n.ply.index()],
            position: n.position,
            ply: n.ply,
            depth: n.depth,
            score: n.best,
            best,
            cut: best.filter(|_| cut),
            quiets,
        });
    }

    /// The result of a node.
    pub(crate) fn update_from(&mut self, result: &NodeResult<'_>) {
        self.tables.for_each_on(&self.p, |source| source.update(&self.p, result));
    }

    /// Stores the null move's refutation.
    pub(crate) fn set_threat(&mut self, ply: Ply, threat: Option<Move>) {
        self.contexts[ply.index()].threat = threat;
    }

    /// The move to search first if the table has none, packed; [`NO_MOVE`] if there is none.
    pub(crate) fn suggested(&self, ply: Ply) -> u16 {
        let p = &self.p.refutation_table;
        if p.on { self.tables.refutation_table.suggested(p, &self.contexts[ply.index()], ply) } else { NO_MOVE }
    }

    /// Returns true if the quiet moves of this node are ordered by killers and butterfly history only.
    pub(super) fn is_cheap(&self, ply: Ply) -> bool {
        super::node_type::is_cheap(&self.p.node_type, &self.contexts[ply.index()])
    }

    /// Scores the moves of a node again.
    #[cold]
    pub(super) fn rate(&self, position: &Position, ply: Ply, set: MoveSet, moves: &mut [RatedMove]) {
        let context = &self.contexts[ply.index()];
        self.tables.rate(&RatingView { p: &self.p, position, context, ply, set }, moves);
    }
}
