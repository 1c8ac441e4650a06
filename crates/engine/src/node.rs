//! The facts that rules read: those of a node and of a move about to be searched.

use crate::budget::Budget;
use crate::chance::Chances;
use crate::history::{Killers, PieceTo};
use crate::position::{NO_MOVE, Position};
use crate::quiet_scores::QuietScores;
use crate::score::{Depth, Ply, Score, Window};
use crate::see::Exchange;
use crate::table::Entry;
use crate::words::named;
use shakmaty::{Color, Move, Square};

named! {
    /// Which part of the picker a move came from.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum Stage {
        /// The transposition table's move.
        Table "table move",
        /// Captures and queen promotions that do not lose material on their square.
        GoodNoisy "good capture",
        /// Quiet moves, killers and countermove among them.
        Quiet "quiet",
        /// Captures that lose material on their square.
        BadNoisy "bad capture",
    }
}

named! {
    /// The expected type of a node.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum NodeType {
        /// On the principal variation: an open window.
        Pv "pv",
        /// One move should refute it.
        Cut "cut",
        /// Every move should fail low.
        All "all",
    }
}

impl NodeType {
    /// The expected type of the child of this node, when searched with a null window.
    #[inline(always)]
    pub const fn child(self) -> NodeType {
        match self {
            NodeType::Cut => NodeType::All,
            NodeType::Pv | NodeType::All => NodeType::Cut,
        }
    }
}

/// Where in the tree a position is searched, with which window, budget and expected type.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The search window.
    pub window: Window,
    /// Depth left for each side.
    pub budget: Budget,
    /// Distance from the root.
    pub ply: Ply,
    /// Expected type.
    pub kind: NodeType,
}

impl Place {
    /// The same, written shorter.
    #[inline(always)]
    pub const fn new(window: Window, budget: Budget, ply: Ply, kind: NodeType) -> Place {
        Place { window, budget, ply, kind }
    }
}

/// The facts of one node, computed once.
pub struct Node<'a> {
    /// The position.
    pub position: &'a Position,
    /// The window; `alpha` rises as moves are searched.
    pub window: Window,
    /// Depth left for each side.
    pub budget: Budget,
    /// Depth left, as rules read it.
    pub depth: Depth,
    /// The side that continues alone after the shared budget is spent ([`attack_layer`](crate::rules::attack_layer)).
    pub attacker: Option<Color>,
    /// Distance from the root.
    pub ply: Ply,
    /// Expected type.
    pub kind: NodeType,
    /// Depth of the iteration.
    pub root_depth: Depth,
    /// The move that led here; `None` at the root and after a null move.
    pub previous: Option<Move>,
    /// Where that move captured, if it did.
    pub captured_on: Option<Square>,
    /// The history score of that move if it is quiet (history counts).
    pub previous_history: i32,
    /// The reduction of that move.
    pub reduced_by: Depth,
    /// The extension of that move.
    pub extended_by: Depth,
    /// Sum of the extensions on the line that led here.
    pub extended: Depth,
    /// Moves of the table in a row on the principal variation that led here.
    pub table_run: i32,
    /// The corrected evaluation before that move, for the side that made it; `None` in check.
    pub eval_before: Option<Score>,
    /// Double extensions on the line that led here.
    pub doubles: i32,
    /// True if the side to move is in check.
    pub in_check: bool,
    /// The entry of the table.
    pub entry: Option<Entry>,
    /// The table's move, if it is legal.
    pub table_move: Option<Move>,
    /// The move to search first if the table has none.
    pub suggested: Option<Move>,
    /// True if this node is or was on a principal variation.
    pub was_pv: bool,
    /// Static evaluation as computed; `None` in check, and before it is computed.
    pub raw_eval: Option<Score>,
    /// Static evaluation corrected by search results in similar positions.
    pub static_eval: Score,
    /// The best estimate: the corrected evaluation, or the table's value if that is more accurate.
    pub eval: Score,
    /// Size of the correction: how uncertain the evaluation is.
    pub uncertainty: Score,
    /// True if the evaluation is better than two plies ago.
    pub improving: bool,
    /// The move excluded from this search, packed; else [`NO_MOVE`].
    pub excluded: u16,
    /// How many legal moves there are, if known.
    pub replies: Option<usize>,
    /// True if the side to move would be mated after a null move.
    pub mate_threat: bool,
    /// The score of the null move, if it was tried and did not reach beta.
    pub null_score: Option<Score>,
    /// The move that refutes the null move, if it is known.
    pub threat: Option<Move>,
    /// The same two plies ago.
    pub threat_before: Option<Move>,
    /// White's material less Black's at the root (pawns/100).
    pub root_balance: Score,
    /// Share of the nodes so far that the best move of the root took (percent).
    pub root_share: i32,
    /// The score of the move that is searched again because it is singular.
    pub singular_score: Option<Score>,
    /// The score of the table move minus the bound of all others, where a singular search measured it.
    pub table_move_gap: Score,
    /// Extension of a singular table move; negative: reduction of one that is not singular.
    pub singular: Depth,
    /// How the quiet moves compare; only if the cost model requires it.
    pub quiet_scores: Option<Box<QuietScores>>,
    /// How likely each move is to be played; only if the cost model requires it.
    pub chances: Option<Box<Chances>>,
    /// True if the opponent, if it were to move, could mate at a glance; only if the cost model requires it.
    pub mate_at_a_glance: bool,
    /// Best value so far.
    pub best: Score,
    /// Best move so far, if one raised alpha.
    pub best_move: Option<Move>,
    /// Number of times that alpha was raised at this node.
    pub raised: i32,
}

impl<'a> Node<'a> {
    /// A node of which nothing is known but where it is and its window, budget and expected type.
    #[inline(always)]
    pub fn new(position: &'a Position, place: Place) -> Node<'a> {
        let Place { window, budget, ply, kind } = place;
        Node {
            position,
            window,
            budget,
            depth: Depth::ZERO,
            attacker: None,
            ply,
            kind,
            root_depth: Depth::ZERO,
            previous: None,
            captured_on: None,
            previous_history: 0,
            reduced_by: Depth::ZERO,
            extended_by: Depth::ZERO,
            extended: Depth::ZERO,
            table_run: 0,
            eval_before: None,
            doubles: 0,
            in_check: position.in_check(),
            entry: None,
            table_move: None,
            suggested: None,
            was_pv: false,
            raw_eval: None,
            static_eval: Score::ZERO,
            eval: Score::ZERO,
            uncertainty: Score::ZERO,
            improving: false,
            excluded: NO_MOVE,
            replies: None,
            mate_threat: false,
            null_score: None,
            threat: None,
            threat_before: None,
            root_balance: Score::ZERO,
            root_share: 0,
            singular_score: None,
            table_move_gap: Score::ZERO,
            singular: Depth::ZERO,
            quiet_scores: None,
            chances: None,
            mate_at_a_glance: false,
            best: -Score::INFINITE,
            best_move: None,
            raised: 0,
        }
    }
}

impl Node<'_> {
    /// Returns true if the window is open.
    #[inline(always)]
    pub fn is_pv(&self) -> bool {
        self.kind == NodeType::Pv
    }

    /// Returns true if a move is excluded from this search.
    #[inline(always)]
    pub fn is_exclusion(&self) -> bool {
        self.excluded != NO_MOVE
    }

    /// The depth under which the node is kept in the table. In the attack layer rules see a ply, however much less there is.
    #[inline(always)]
    pub fn draft(&self, p: &crate::budget::Params) -> Depth {
        if self.attacker.is_some() { self.budget.left(p) } else { self.depth }
    }

    /// Whole plies left.
    #[inline(always)]
    pub fn plies(&self) -> i32 {
        self.depth.whole()
    }

    /// Returns true if either bound of the window is a proven result.
    #[inline(always)]
    pub fn window_decisive(&self) -> bool {
        self.window.alpha.is_decisive() || self.window.beta.is_decisive()
    }
}

/// The state of one ply of the current line; the default is that nothing is known.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Frame {
    /// Corrected static evaluation; `None` in check.
    pub eval: Option<Score>,
    /// The move being searched; `None` for a null move.
    pub last: Option<Move>,
    /// The same as an index of continuation histories.
    pub piece_to: PieceTo,
    /// Where the move being searched captured, if it did.
    pub captured_on: Option<Square>,
    /// How the move being searched fared elsewhere (history counts), if it is quiet.
    pub history: i32,
    /// The reduction of the move being searched.
    pub reduction: Depth,
    /// The move excluded from this node's search, packed.
    pub excluded: u16,
    /// The extension of the move being searched.
    pub extension: Depth,
    /// Sum of the extensions on the line so far, with that of the move being searched.
    pub extended: Depth,
    /// Consecutive moves of the table on the principal variation, with the one being searched.
    pub table_run: i32,
    /// Double extensions on the line so far.
    pub doubles: i32,
    /// The best move of the last node of this ply, if it had one.
    pub best: Option<Move>,
    /// The move that refutes the null move of this ply's node.
    pub threat: Option<Move>,
    /// Cutoffs among this ply's nodes since its grandparent was entered.
    pub cutoffs: i32,
    /// Quiet moves that cut at this ply.
    pub killers: Killers,
}

/// A move about to be searched or skipped.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its number among the moves searched here, from 1.
    pub number: i32,
    /// Quiet moves returned before it.
    pub quiets_before: i32,
    /// Neither capture nor queen promotion.
    pub quiet: bool,
    /// True if it gives check.
    pub gives_check: bool,
    /// How it fared elsewhere (history counts).
    pub history: i32,
    /// Where it came from.
    pub stage: Stage,
    /// Killer or countermove.
    pub killer_or_counter: bool,
    /// True if it is the table move.
    pub from_table: bool,
    /// The usual reduction so late in the order at this depth, before anything else is known.
    pub usual_reduction: Depth,
    /// Cutoffs among the nodes of the next ply since this node was entered.
    pub cutoffs_below: i32,
    /// The static exchange value, as far as it is known.
    pub exchange: Exchange,
}

impl Candidate {
    /// Returns true if the move's exchange value is at least `threshold`. Computed on the first call.
    #[inline(always)]
    pub fn see_ge(&self, n: &Node<'_>, threshold: Score) -> bool {
        self.exchange.reaches(n.position, self.mv, threshold)
    }

    /// Depth left after the usual reduction, which pruning near the leaves reads.
    #[inline(always)]
    pub fn reduced_depth(&self, n: &Node<'_>) -> Depth {
        (n.depth - Depth::ONE_PLY - self.usual_reduction).max(Depth::ZERO)
    }
}
