//! The interface of the search for rules. Rules do not depend on the searcher itself: the search depends on the rules, not the other way
//! round.

use super::purpose::Purpose;
use super::reason::RuleReason;
use crate::budget::{self, Budget};
use crate::node::{Candidate, Frame, Node, NodeType, Place};
use crate::ordering::{PickedMove, QuietFacts, Sources};
use crate::position::{CheckInfo, Position};
use crate::score::{Bound, Depth, Ply, Score, Window};
use crate::table::Entry;
use crate::tablebase::Tablebase;
use crate::tree::Tree;
use shakmaty::{Move, MoveList};

/// The search was stopped; passed by `?` to the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// The part of the search that rules use.
pub(crate) trait Search {
    /// The kind of tree that is searched.
    type Tree: Tree;

    /// The frame of a ply.
    fn frame(&self, ply: Ply) -> &Frame;

    /// The same, to change it.
    fn frame_mut(&mut self, ply: Ply) -> &mut Frame;

    /// The facts of a node about its quiet moves.
    fn quiet_facts(&self, n: &Node<'_>) -> QuietFacts;

    /// The tables that a move picker reads.
    fn sources<'a>(&'a self, position: &'a Position, checks: &'a CheckInfo, ply: Ply) -> Sources<'a>;

    /// The move that a node's picker returns first: the table's, if that is how moves are ordered, else one that was suggested.
    fn first_move(&self, n: &Node<'_>) -> Option<Move>;

    /// Counts a node and checks at intervals whether to stop.
    fn count(&mut self) -> Result<(), Stopped>;

    /// Makes a move that will be searched and notes it in the frame of `ply`. It has been counted: a position is too large to
    /// be handed over inside a result.
    fn make(&mut self, position: &Position, ply: Ply, mv: Move, gives_check: bool) -> Position;

    /// Makes a null move if not in check.
    fn make_null(&mut self, position: &Position, ply: Ply) -> Result<Option<Position>, Stopped>;

    /// Stores the move that refuted the null move, for this node, for nodes below it, and for move ordering.
    fn note_threat(&mut self, n: &mut Node<'_>);

    /// Undoes the last move.
    fn unmake(&mut self);

    /// Makes a move, searches it with this remaining depth, and returns the value for the mover.
    fn search_move(
        &mut self,
        n: &Node<'_>,
        picked: PickedMove,
        window: Window,
        budget: Budget,
        kind: NodeType,
    ) -> Result<Score, Stopped> {
        self.count()?;
        let child = self.make(n.position, n.ply, picked.mv, picked.gives_check);
        let frame = self.frame_mut(n.ply);
        (frame.history, frame.reduction, frame.extension, frame.table_run) = (0, Depth::ZERO, Depth::ZERO, 0);
        let score = -self.search(&child, Place::new(-window, budget, n.ply.next(), kind))?;
        self.unmake();
        Ok(score)
    }

    /// Returns true if the position is drawn by repetition, by the fifty-move rule or by insufficient material.
    ///
    /// A single repetition counts only if the first occurrence is after the root. A repetition of the root needs two earlier occurrences, as
    /// in the game: with restricted root moves, returning to the root does not prove that there is nothing better.
    fn is_draw(&self, position: &Position, ply: Ply) -> bool;

    /// The key of the position `back` plies earlier on the line, including the game before the root; `None` before its beginning.
    fn key_before(&self, back: usize) -> Option<u64>;

    /// Counts successful probes of the endgame tables.
    fn count_tablebase_hits(&self, hits: u64);

    /// The tree that is searched.
    fn tree(&self) -> &Self::Tree;

    /// How depth is shared between the sides.
    fn budget(&self) -> &budget::Params;

    /// The endgame tables, if there are any.
    fn tablebase(&self) -> Option<&Tablebase>;

    /// Null moves are allowed from this ply on.
    fn null_from(&mut self) -> &mut Ply;

    /// Returns true if events are not part of the main search.
    fn in_audit(&self) -> bool;

    /// Returns true if the search uses a model tree.
    fn is_scripted(&self) -> bool;

    /// Every move of the position at the end of the line: the legal ones, or those of the tree.
    fn moves_at(&self, position: &Position) -> MoveList;

    /// Mixed into the key of the position after a move: equal positions of a model tree have different keys; 0 in chess.
    fn key_salt(&self, mv: Move) -> u64;

    /// The key under which a node is kept in the table.
    fn table_key(&self, position: &Position, window: Window, budget: Budget) -> u64;

    /// The entry of the table. An audit also reads the table of audits and takes the deeper entry.
    fn probe_table(&self, key: u64, ply: Ply) -> Option<Entry>;

    /// Stores a result of this node in the table.
    fn store_in_table(&mut self, n: &Node<'_>, score: Score, depth: Depth, bound: Bound, mv: Option<Move>);

    /// Rewards a quiet move that refutes the node, with this share of the usual bonus (percent).
    fn reward_quiet(&mut self, n: &Node<'_>, mv: Move, share: i32);

    /// The value of a position: by the node loop while there is depth left, else by quiescence.
    fn search(&mut self, position: &Position, place: Place) -> Result<Score, Stopped>;

    /// The value of a position by quiescence.
    fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        ply: Ply,
        kind: NodeType,
        level: i32,
    ) -> Result<Score, Stopped>;

    /// Computes the cost of a move, makes it, and searches it: reduced, at full depth, with an open window, as far as needed.
    fn try_move(&mut self, n: &mut Node<'_>, c: &Candidate) -> Result<Score, Stopped>;

    /// Reports the reason for the decision that follows.
    fn report_reason<R: RuleReason>(&mut self, reason: impl FnOnce() -> R);

    /// The rule is about to search a move, or the node itself, for a special purpose.
    fn watch_sub_search(&mut self, n: &Node<'_>, purpose: Purpose, mv: Option<Move>, cost: Depth);
}
