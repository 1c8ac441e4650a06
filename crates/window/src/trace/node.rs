//! The record of one node in a trace.

use quarterply_engine::node::NodeType;
use quarterply_engine::ordering::Stage;
use quarterply_engine::position::{NO_MOVE, Position, pack};
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score, Window};
pub use quarterply_engine::search::classic::Decision;
pub use quarterply_engine::search::watch::{Purpose, Valuation};
use quarterply_engine::shakmaty::{CastlingSide, Color, Move, Role, Square};
use quarterply_engine::words::named;

/// The number of a node in its trace.
///
/// Nodes are numbered from 0 in the order in which the search *left* them. So the subtree of node `id` is the range from
/// `id + 1 - size` to `id`, and every child has a smaller number than its parent.
pub type NodeId = u64;

/// A move in 16 bits: from, to (the rook's square when castling) and kind, as the engine packs it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MoveCode(pub u16);

const SQUARE_BITS: u16 = 6;
const SQUARE_MASK: u16 = (1 << SQUARE_BITS) - 1;
const KIND_SHIFT: u16 = 2 * SQUARE_BITS;
const KIND_CASTLE: u16 = 6;
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl MoveCode {
    /// The code of a move.
    pub fn of(mv: Move) -> MoveCode {
        MoveCode(pack(mv))
    }

    /// The stored code; 0 is `None`.
    pub(crate) fn from_raw(raw: u16) -> Option<MoveCode> {
        (raw != NO_MOVE).then_some(MoveCode(raw))
    }

    /// The move, if it is legal in `position`.
    pub fn in_position(self, position: &Position) -> Option<Move> {
        position.unpack(self.0)
    }

    /// The square where it starts.
    pub fn from(self) -> Square {
        Square::new(u32::from(self.0 & SQUARE_MASK))
    }

    /// The square where it ends; the rook's square when castling.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> SQUARE_BITS & SQUARE_MASK))
    }

    /// The move in UCI notation; if `takes_rook` is true, castling is written as king takes rook (Chess960).
    pub fn uci(self, takes_rook: bool) -> String {
        let (from, to) = (self.from(), self.to());
        if self.0 >> KIND_SHIFT == KIND_CASTLE && !takes_rook {
            let side = CastlingSide::from_king_side(from < to);
            let file = side.king_to(Color::White).file();
            return format!("{from}{}", Square::from_coords(file, from.rank()));
        }
        let promotion = Role::try_from(self.0 >> KIND_SHIFT).ok().filter(|role| PROMOTIONS.contains(role));
        format!("{from}{to}{}", promotion.map_or(String::new(), |role| role.char().to_string()))
    }
}

/// Numbers that a rule gave for its decision, in the order of the rule's labels ([`super::Trace::labels`]).
pub type Numbers = Vec<i32>;

/// Everything known about one node of the search.
///
/// Scores are in pawns/100 for the side to move *at this node*; depths in 1/1024 ply.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeRecord {
    /// Its number.
    pub id: NodeId,
    /// Recorded nodes in its subtree, itself included.
    pub size: u64,
    /// Nodes of its subtree that were not recorded.
    pub unrecorded: u64,
    /// Moves made below it, which the search counts as nodes. The move that led here is not among them.
    pub nodes: u64,
    /// Distance from the root.
    pub ply: u16,
    /// Which search of the root it belongs to: its place in [`super::TraceSummary::iterations`].
    pub iteration: usize,
    /// The purpose of its search for the parent; `None` for a root.
    pub purpose: Option<Purpose>,
    /// The move that led here; `None` for a root, after a null move, and where a rule searches the same position once more
    /// ([`Purpose::same_position`]).
    pub mv: Option<MoveCode>,
    /// Its expected type.
    pub expected: NodeType,
    /// Plies of quiescence so far; `None` in the main search.
    pub level: Option<u16>,
    /// True if the side to move is in check.
    pub in_check: bool,
    /// Depth when it was entered.
    pub depth: Depth,
    /// Depth its moves were searched with: after rules changed it.
    pub depth_out: Depth,
    /// Depth left to White and to Black when it was entered.
    pub budget: [Depth; 2],
    /// Window when it was entered.
    pub window: Window,
    /// Window when it was left: alpha raised by the best move, both limited by mate distance.
    pub window_out: Window,
    /// The move that a rule excluded to find the value of the node without it.
    pub excluded: Option<MoveCode>,
    /// Its entry in the transposition table.
    pub table: Option<TableHit>,
    /// The static value, where one was computed.
    pub value: Option<Valuation>,
    /// Its events in order. A search that a rule makes between two searches of a move follows the move.
    pub steps: Vec<NodeStep>,
    /// The rule that ended it before its moves were searched through; `None` if the moves decided.
    pub ended: Option<RuleReason>,
    /// The moves that exist here, where a model tree was searched; `None`: all legal ones.
    pub only: Option<Vec<MoveCode>>,
    /// True if its result was stored in the table.
    pub stored: bool,
    /// Its value; `None` if the search was stopped inside it.
    pub score: Option<Score>,
}

/// An entry of the transposition table, as it was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableHit {
    /// The value, counted from this node.
    pub score: Score,
    /// The bound of the value.
    pub bound: Bound,
    /// Depth of the search that found it.
    pub depth: Depth,
    /// Its move.
    pub mv: Option<MoveCode>,
    /// Its static value.
    pub eval: Option<Score>,
    /// The node that stored it; `None` if it is from an earlier search or unknown.
    pub origin: Option<EntryOrigin>,
}

/// The node that stored a table entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryOrigin {
    /// In which search of the root: its place in [`super::TraceSummary::iterations`].
    pub iteration: usize,
    /// At which node, if that one was recorded.
    pub node: Option<NodeId>,
}

/// A rule and its numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleReason {
    /// The rule.
    pub rule: Rule,
    /// Its numbers, in the order of its labels.
    pub numbers: Numbers,
}

/// Something that happened at a node.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeStep {
    /// A rule changed the depth of the node itself.
    Deepened {
        /// Which rule, and why.
        by: RuleReason,
        /// Added to the depth.
        amount: Depth,
    },
    /// A rule started a separate search: null move, singular test, ProbCut and similar.
    Probe {
        /// The move that was tried; `None` for a null move and where the same position is searched.
        mv: Option<MoveCode>,
        /// The search.
        search: ChildSearch,
    },
    /// The picker returned a move, which was searched or skipped.
    Move(MoveRecord),
}

/// A search made from a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChildSearch {
    /// Its purpose.
    pub purpose: Purpose,
    /// Depth deducted for it, in 1/1024 ply.
    pub cost: Depth,
    /// Its node, if that one was recorded.
    pub child: Option<NodeId>,
    /// Recorded nodes in its subtree.
    pub size: u64,
    /// Nodes of its subtree that were not recorded.
    pub unrecorded: u64,
    /// Moves made below its node.
    pub nodes: u64,
    /// Its value for the side to move at *this* node; `None` if it was stopped.
    pub score: Option<Score>,
}

/// One move of a node.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveRecord {
    /// The move.
    pub mv: MoveCode,
    /// Which part of the move picker it came from.
    pub stage: Stage,
    /// True for a quiet move that came as a killer or as the countermove; false in recordings of older programs.
    pub killer_or_counter: bool,
    /// Its score for the order within its stage.
    pub order: Option<i32>,
    /// Its history score.
    pub history: i32,
    /// True if it gives check.
    pub gives_check: bool,
    /// Its number among the moves searched here, from 1, had it been searched.
    pub number: u16,
    /// Its outcome.
    pub outcome: MoveOutcome,
}

/// The outcome of a move.
#[derive(Clone, PartialEq, Debug)]
pub enum MoveOutcome {
    /// It was not searched.
    Skipped {
        /// The rule that skipped it, and why.
        by: RuleReason,
        /// Which other moves were skipped with it.
        rest: SkippedToo,
    },
    /// It was searched.
    Searched(SearchedMove),
    /// The picker returned it, and nothing more is known: the search was stopped, or the node is the one where it was.
    Unknown,
}

named! {
    /// The other moves that a rule skipped together with one, in the order of their numbers in a trace.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum SkippedToo {
        None "none",
        /// All that the picker had not returned.
        Quiets "quiet moves",
        /// The same, but not those that give check.
        QuietsButChecks "quiet moves but checks",
    }
}

/// The searches of a move and their cost.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchedMove {
    /// Every extension (negative) and reduction (positive) of its cost; those of the last time if a rule had it searched once more at
    /// another cost.
    pub breakdown: Vec<CostLine>,
    /// Depth deducted with this breakdown: one ply plus its sum. `None` in quiescence, which counts no depth.
    pub deducted: Option<Depth>,
    /// Its searches: the first, and each repetition.
    pub tries: Vec<ChildSearch>,
    /// Its value for the side to move, and the decision by it; `None` if the search was stopped.
    pub value: Option<MoveValue>,
}

/// One line of a move's breakdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CostLine {
    /// The rule, and its numbers.
    pub by: RuleReason,
    /// Its part of the cost of the move.
    pub cost: Depth,
}

impl CostLine {
    /// The change of depth: reductions are negative, extensions positive.
    pub fn change(&self) -> Depth {
        -self.cost
    }
}

/// A move's value and the decision by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The value.
    pub score: Score,
    /// The decision by the value.
    pub decision: Decision,
}

impl NodeStep {
    /// Its searches, in order.
    pub fn searches(&self) -> &[ChildSearch] {
        match self {
            NodeStep::Probe { search, .. } => std::slice::from_ref(search),
            NodeStep::Move(MoveRecord { outcome: MoveOutcome::Searched(searched), .. }) => &searched.tries,
            NodeStep::Deepened { .. } | NodeStep::Move(_) => &[],
        }
    }

    /// Moves made for it.
    pub fn nodes(&self) -> u64 {
        match self {
            NodeStep::Move(record) => record.nodes(),
            _ => self.searches().iter().map(|search| search.nodes).sum(),
        }
    }
}

impl NodeRecord {
    /// The type it turned out to be: `Cut` if its value reached beta, `All` if it did not raise alpha, else `Pv`.
    pub fn actual(&self) -> Option<NodeType> {
        let score = self.score?;
        Some(match self.window.bound(score) {
            Bound::Lower => NodeType::Cut,
            Bound::Upper => NodeType::All,
            Bound::Exact => NodeType::Pv,
        })
    }

    /// Returns true if it is part of quiescence.
    pub fn is_quiescence(&self) -> bool {
        self.level.is_some()
    }

    /// Its moves, in the order of the picker.
    pub fn moves(&self) -> impl Iterator<Item = &MoveRecord> {
        self.steps.iter().filter_map(|step| match step {
            NodeStep::Move(mv) => Some(mv),
            _ => None,
        })
    }

    /// All searches made from it, with the move of each, in the order of [`NodeRecord::steps`].
    pub fn searches(&self) -> impl Iterator<Item = (Option<MoveCode>, &ChildSearch)> {
        self.steps.iter().flat_map(|step| {
            let mv = match step {
                NodeStep::Deepened { .. } => None,
                NodeStep::Probe { mv, .. } => *mv,
                NodeStep::Move(record) => Some(record.mv),
            };
            step.searches().iter().map(move |search| (mv, search))
        })
    }

    /// The decisions of rules about it and its moves. A move whose cost was being computed when the search was stopped counts for nothing.
    pub fn reasons(&self) -> impl Iterator<Item = &RuleReason> {
        let of_steps = self.steps.iter().flat_map(|step| {
            let (by, breakdown): (Option<&RuleReason>, &[CostLine]) = match step {
                NodeStep::Deepened { by, .. }
                | NodeStep::Move(MoveRecord { outcome: MoveOutcome::Skipped { by, .. }, .. }) => (Some(by), &[]),
                NodeStep::Move(MoveRecord { outcome: MoveOutcome::Searched(searched), .. })
                    if !searched.tries.is_empty() =>
                {
                    (None, &searched.breakdown)
                }
                NodeStep::Probe { .. } | NodeStep::Move(_) => (None, &[]),
            };
            by.into_iter().chain(breakdown.iter().map(|line| &line.by))
        });
        of_steps.chain(&self.ended)
    }

    /// Its recorded children, in the order they were entered.
    pub fn children(&self) -> impl Iterator<Item = NodeId> {
        let mut children: Vec<NodeId> = self.searches().filter_map(|(_, search)| search.child).collect();
        children.sort_unstable();
        children.into_iter()
    }

    /// The move that cut or is best at the end.
    pub fn best(&self) -> Option<&MoveRecord> {
        let improved = |mv: &&MoveRecord| matches!(mv.decision(), Some(Decision::Cutoff | Decision::Best));
        self.moves().filter(improved).last()
    }
}

impl MoveRecord {
    /// Its searches, if there are any.
    pub fn searched(&self) -> Option<&SearchedMove> {
        match &self.outcome {
            MoveOutcome::Searched(searched) => Some(searched),
            _ => None,
        }
    }

    /// The decision by its value.
    pub fn decision(&self) -> Option<Decision> {
        self.searched()?.value.map(|value| value.decision)
    }

    /// The node of the last of its searches that was recorded.
    pub fn last_child(&self) -> Option<NodeId> {
        self.searched()?.tries.iter().rev().find_map(|search| search.child)
    }

    /// Moves made for it: itself and everything below.
    pub fn nodes(&self) -> u64 {
        self.searched().map_or(0, |searched| 1 + searched.tries.iter().map(|search| search.nodes).sum::<u64>())
    }
}

impl SearchedMove {
    /// Returns true if the depth deducted is one ply plus the sum of the breakdown, or if none is deducted.
    pub fn adds_up(&self) -> bool {
        let sum = self.breakdown.iter().fold(Depth::ONE_PLY, |sum, line| sum + line.cost);
        self.deducted.is_none_or(|deducted| deducted == sum)
    }

    /// The lines of rules that reduced its first search, without the limit of extensions: that only withdraws extensions.
    pub fn reductions(&self) -> impl Iterator<Item = &CostLine> {
        self.breakdown.iter().filter(|line| line.cost > Depth::ZERO && line.by.rule != Rule::Explosion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;
    use quarterply_engine::shakmaty::CastlingMode;

    #[test]
    fn codes_are_read_like_moves() {
        for fen in [
            "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        ] {
            let game = Game::standard(fen).expect(fen);
            for mv in game.position().legal_moves() {
                let code = MoveCode::of(mv);
                assert_eq!(code.in_position(game.position()), Some(mv));
                assert_eq!(code.uci(false), mv.to_uci(CastlingMode::Standard).to_string());
                assert_eq!(code.uci(true), mv.to_uci(CastlingMode::Chess960).to_string());
            }
        }
    }
}
