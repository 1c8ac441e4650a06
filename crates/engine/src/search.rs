//! The [`Searcher`]: the state of one search thread, and the steps that all parts of the search share.

pub mod aspiration;
mod audit;
pub mod chances;
pub mod classic;
pub mod consultation;
mod cost;
mod estimate;
mod events;
mod iterate;
pub mod ladder;
mod line;
mod node;
pub mod pool;
pub mod quiescence;
pub(crate) mod root;
pub mod watch;

use crate::budget::{self, Budget};
use crate::clock::{Clock, SearchStability};
use crate::correction::{Corrections, PrecedingMoves};
use crate::evaluator::{Evaluator, EvaluatorChange};
use crate::history::{CONTINUATIONS, Context, Histories, PERCENT, PieceTo};
use crate::node::{Candidate, Frame, Node, NodeType, Place};
use crate::ordering::{Orders, QuietFacts, Sources};
use crate::params::Parameters;
use crate::position::{CheckInfo, FIFTY_MOVES, NO_MOVE, Position, pack};
use crate::rules::Coefficients;
use crate::rules::late_move_reduction::Reductions;
use crate::rules::purpose::Purpose;
use crate::rules::reason::RuleReason;
use crate::rules::search::Search;
pub use crate::rules::search::Stopped;
use crate::rules::sex;
use crate::score::{Bound, Depth, MAX_PLY, Ply, Score, Window};
use crate::table::{Entry, Table};
use crate::tablebase::Tablebase;
use crate::tree::{Chess, Script, Tree as _};
use crate::whole::SPREAD;
use audit::Audits;
use consultation::VoterState;
use cost::CostModel;
use pool::{Control, SharedCounters};
use root::RootMove;
use shakmaty::{Move, MoveList};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use watch::{Detail, Mode, SearchEvent, SubSearch, Watched};

/// Frames before the root, so that "six plies ago" always exists.
const LEAD: usize = 6;

/// The search of one thread.
pub struct Searcher<M: Mode> {
    parameters: Parameters,
    pub(crate) reductions: Reductions,
    cost_model: CostModel,
    /// Learned coefficients, read from their files when the parameters were set.
    learned: Coefficients,
    pub(crate) orders: Orders,
    /// Which moves exist.
    pub(crate) tree: M::Tree,
    pub(crate) mode: M,
    audits: Audits,
    pub(crate) table: Arc<Table>,
    pub(crate) tablebase: Option<Arc<Tablebase>>,
    pub(crate) histories: Histories,
    pub(crate) corrections: Corrections,
    /// The learned data of the further voters of a consultation; while another voter is active, its slot holds that of the first.
    inactive_voters: Vec<VoterState>,
    pub(crate) evaluator: Evaluator,
    frames: Vec<Frame>,
    keys: Vec<u64>,
    root_keys: usize,
    lines: Vec<Vec<Move>>,
    /// Null moves are allowed from this ply on.
    pub(crate) null_from: Ply,
    pub(crate) root_depth: Depth,
    /// White's material less Black's at the root (pawns/100).
    root_balance: Score,
    /// Part of the keys in the table, if costs depend on the root's side.
    root_class: u64,
    /// Share of the nodes that the best root move took up to this iteration (percent).
    root_share: i32,
    root_moves: Vec<RootMove>,
    announced: Option<Move>,
    nodes: u64,
    node_limit: u64,
    published: u64,
    /// Nodes of the other voters of a consultation.
    other_voter_nodes: u64,
    /// The active voter of a consultation.
    voter: usize,
    /// If true, results are not reported, because another voter was chosen.
    muted: bool,
    seldepth: u16,
    stop_seen: bool,
    thread: usize,
    clock: Clock,
    /// How settled the last iteration was.
    settled: SearchStability,
    control: Control,
    shared: Arc<SharedCounters>,
}

/// Nodes between two looks at the clock and the stop signal.
const CHECK_INTERVAL: u64 = 1024;

impl Searcher<()> {
    /// A searcher of chess with empty histories and without an observer.
    pub fn new(parameters: Parameters, table: Arc<Table>) -> Searcher<()> {
        Searcher::of(parameters, table, (), Chess)
    }
}

impl<'w> Searcher<Watched<'w>> {
    /// A searcher with empty histories and an observer. It searches the model tree `script`, or chess if that is
    /// `None`.
    pub fn watched(
        parameters: Parameters,
        table: Arc<Table>,
        watched: Watched<'w>,
        script: Option<Script>,
    ) -> Searcher<Watched<'w>> {
        Searcher::of(parameters, table, watched, script)
    }
}

impl<M: Mode> Searcher<M> {
    fn of(parameters: Parameters, table: Arc<Table>, mode: M, tree: M::Tree) -> Searcher<M> {
        Searcher {
            reductions: Reductions::new(&parameters.late_move_reduction),
            cost_model: CostModel::of(&parameters),
            orders: Orders::of(parameters.weights(), parameters.extras()),
            evaluator: Evaluator::of(&parameters.evaluation_choice()),
            learned: parameters.learned(),
            parameters,
            tree,
            mode,
            audits: Audits::default(),
            table,
            tablebase: None,
            histories: Histories::default(),
            corrections: Corrections::default(),
            inactive_voters: Vec::new(),
            frames: vec![Frame::default(); MAX_PLY + LEAD + 2],
            keys: Vec::with_capacity(MAX_PLY * 2),
            root_keys: 0,
            lines: vec![Vec::new(); MAX_PLY + 2],
            null_from: Ply::ROOT,
            root_depth: Depth::ZERO,
            root_balance: Score::ZERO,
            root_class: 0,
            root_share: 0,
            root_moves: Vec::new(),
            announced: None,
            nodes: 0,
            node_limit: u64::MAX,
            published: 0,
            other_voter_nodes: 0,
            voter: 0,
            muted: false,
            seldepth: 0,
            stop_seen: false,
            thread: 0,
            clock: Clock::unlimited(),
            settled: SearchStability::default(),
            control: Control::default(),
            shared: Arc::default(),
        }
    }

    /// The parameters in force. With the feature `frozen` they are the defaults, known at compile time: only to measure
    /// the cost of run-time parameters.
    #[inline(always)]
    pub fn params(&self) -> &Parameters {
        #[cfg(feature = "frozen")]
        return const { &Parameters::DEFAULT };
        #[cfg(not(feature = "frozen"))]
        &self.parameters
    }

    /// Replaces the parameters and all derived data. Returns true if stored evaluations are invalid.
    pub fn set_parameters(&mut self, parameters: Parameters) -> bool {
        self.reductions = Reductions::new(&parameters.late_move_reduction);
        self.cost_model = CostModel::of(&parameters);
        self.learned = parameters.learned();
        if parameters != self.parameters {
            self.inactive_voters.clear();
        }
        self.orders.change(parameters.weights(), parameters.extras());
        let changed = self.evaluator.set(&parameters.evaluation_choice());
        if changed == EvaluatorChange::Source {
            self.corrections = Corrections::default();
        }
        self.parameters = parameters;
        changed != EvaluatorChange::Nothing
    }

    /// Clears histories, corrections and caches.
    pub fn new_game(&mut self) {
        self.histories = Histories::default();
        if let Some(extras) = &mut self.orders.extras {
            extras.clear();
        }
        self.corrections = Corrections::default();
        self.inactive_voters.clear();
        self.evaluator.clear();
        self.frames.fill(Frame::default());
    }

    /// The static evaluation of a position for its side to move. Must not be called during a search.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        if self.is_scripted() {
            self.begin_script();
            return self.raw(position);
        }
        self.evaluator.evaluate(position)
    }

    /// The frame `back` plies before `ply`; empty before the root.
    #[inline(always)]
    pub(crate) fn earlier(&self, ply: Ply, back: usize) -> &Frame {
        &self.frames[ply.index() + LEAD - back]
    }

    /// Where the moves of a node are looked up in the histories.
    #[inline(always)]
    pub(crate) fn context(&self, position: &Position, ply: Ply) -> Context {
        let weights = &self.orders.weights;
        let mut before = CONTINUATIONS.map(|back| self.earlier(ply, back).piece_to);
        if weights.quiet.continuation.six == 0 {
            before[CONTINUATIONS.len() - 1] = PieceTo::NONE;
        }
        let threatened = self.orders.threatened(position);
        Context { turn: position.turn(), pawn_key: position.pawn_key(), threatened, before }
    }

    /// The two moves before a node, the last first.
    #[inline(always)]
    pub(crate) fn preceding(&self, ply: Ply) -> PrecedingMoves {
        [1, 2].map(|back| self.earlier(ply, back).piece_to)
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), Stopped> {
        self.publish();
        let limit = self.node_limit;
        self.stop_seen |= self.control.stopped() || self.nodes >= limit || self.shared.nodes() >= limit;
        if self.thread == 0 && !self.control.pondering() {
            let nodes = self.all_nodes();
            if self.control.take_ponder_hit() {
                self.clock.restart(nodes);
                self.limit_by_clock();
                self.stop_seen |= self.clock.enough(&self.params().clock, self.settled, nodes);
            }
            self.stop_seen |= self.clock.expired(nodes);
        }
        if self.stop_seen { Err(Stopped) } else { Ok(()) }
    }

    /// Publishes this thread's node count.
    fn publish(&mut self) {
        self.shared.add_nodes(self.nodes - self.published);
        self.published = self.nodes;
    }

    /// Moves made by all threads.
    fn all_nodes(&self) -> u64 {
        self.shared.nodes() + self.nodes - self.published
    }

    /// The triangular table: the line from `ply` is `mv` and then the line from the next ply.
    pub(crate) fn set_line(&mut self, ply: Ply, mv: Move) {
        let (here, below) = self.lines.split_at_mut(ply.index() + 1);
        let line = &mut here[ply.index()];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0]);
    }

    /// Empties the line from `ply`.
    #[inline(always)]
    pub(crate) fn clear_line(&mut self, ply: Ply) {
        self.lines[ply.index()].clear();
    }

    /// Moves made by this thread.
    #[inline(always)]
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }
}

impl<M: Mode> Search for Searcher<M> {
    type Tree = M::Tree;

    #[inline(always)]
    fn frame(&self, ply: Ply) -> &Frame {
        &self.frames[ply.index() + LEAD]
    }

    #[inline(always)]
    fn frame_mut(&mut self, ply: Ply) -> &mut Frame {
        &mut self.frames[ply.index() + LEAD]
    }

    #[inline(always)]
    fn quiet_facts(&self, n: &Node<'_>) -> QuietFacts {
        let context = self.context(n.position, n.ply);
        let counter = self.histories.countermoves.after(context.before[0]);
        QuietFacts { context, killers: self.frame(n.ply).killers, counter }
    }

    #[inline(always)]
    fn sources<'a>(&'a self, position: &'a Position, checks: &'a CheckInfo, ply: Ply) -> Sources<'a> {
        Sources {
            histories: &self.histories,
            orders: &self.orders,
            ply,
            position,
            checks,
            table: &self.table,
            quiet_scores: None,
        }
    }

    #[inline(always)]
    fn first_move(&self, n: &Node<'_>) -> Option<Move> {
        let suggested = n.suggested.filter(|&mv| self.tree.has(mv));
        n.table_move.filter(|_| self.orders.weights.table_move.on).or(suggested)
    }

    #[inline(always)]
    fn count(&mut self) -> Result<(), Stopped> {
        if self.in_audit() {
            return self.count_audit_node();
        }
        self.nodes += 1;
        if self.nodes >= self.node_limit || self.nodes.is_multiple_of(CHECK_INTERVAL) {
            self.check_limits()?;
        }
        Ok(())
    }

    #[inline]
    fn make(&mut self, position: &Position, ply: Ply, mv: Move, gives_check: bool) -> Position {
        let piece_to = PieceTo::of(position.turn(), mv);
        let mut child = position.play_with(mv, gives_check, |next| {
            self.table.prefetch(next.key());
            if !gives_check {
                self.evaluator.prefetch(next.key());
                let moves = [piece_to, self.earlier(ply, 1).piece_to];
                self.corrections.prefetch(!position.turn(), next, moves);
            }
        });
        if self.is_scripted() {
            child.salt_key(self.key_salt(mv));
        }
        let frame = self.frame_mut(ply);
        frame.last = Some(mv);
        frame.piece_to = piece_to;
        frame.captured_on = mv.is_capture().then(|| mv.to());
        self.keys.push(position.key());
        self.advance(position.turn(), mv);
        child
    }

    fn make_null(&mut self, position: &Position, ply: Ply) -> Result<Option<Position>, Stopped> {
        let Some(child) = position.play_null() else { return Ok(None) };
        self.count()?;
        self.table.prefetch(child.key());
        let frame = self.frame_mut(ply);
        frame.last = None;
        frame.piece_to = PieceTo::NONE;
        (frame.captured_on, frame.history) = (None, 0);
        (frame.reduction, frame.extension, frame.table_run) = (Depth::ZERO, Depth::ZERO, 0);
        self.keys.push(position.key());
        self.advance_null();
        Ok(Some(child))
    }

    fn note_threat(&mut self, n: &mut Node<'_>) {
        n.threat = self.frame(n.ply.next()).best;
        self.frame_mut(n.ply).threat = n.threat;
        if let Some(extras) = &mut self.orders.extras {
            extras.set_threat(n.ply, n.threat);
        }
    }

    #[inline(always)]
    fn unmake(&mut self) {
        self.keys.pop();
        self.retreat();
    }

    #[inline]
    fn is_draw(&self, position: &Position, ply: Ply) -> bool {
        const SHORTEST_CYCLE: usize = 4;
        if self.is_scripted() {
            return false; // the tree has the scores of its lines
        }
        if position.halfmoves() >= FIFTY_MOVES && !(position.in_check() && position.legal_moves().is_empty()) {
            return true;
        }
        let board = position.board();
        if (board.pawns() | board.rooks_and_queens()).is_empty() && position.insufficient_material() {
            return true;
        }
        let back_max = (position.reversible() as usize).min(self.keys.len());
        let mut seen_in_game = false;
        for back in (SHORTEST_CYCLE..=back_max).step_by(2) {
            if self.keys[self.keys.len() - back] == position.key() {
                if back < ply.index() || seen_in_game {
                    return true;
                }
                seen_in_game = true;
            }
        }
        false
    }

    #[inline(always)]
    fn key_before(&self, back: usize) -> Option<u64> {
        self.keys.len().checked_sub(back).map(|at| self.keys[at])
    }

    fn count_tablebase_hits(&self, hits: u64) {
        self.shared.tbhits.fetch_add(hits, Relaxed);
    }

    #[inline(always)]
    fn tree(&self) -> &Self::Tree {
        &self.tree
    }

    #[inline(always)]
    fn budget(&self) -> &budget::Params {
        &self.params().budget
    }

    #[inline(always)]
    fn tablebase(&self) -> Option<&Tablebase> {
        self.tablebase.as_deref()
    }

    #[inline(always)]
    fn null_from(&mut self) -> &mut Ply {
        &mut self.null_from
    }

    #[inline(always)]
    fn in_audit(&self) -> bool {
        M::WATCHED && self.audits.running
    }

    #[inline(always)]
    fn is_scripted(&self) -> bool {
        self.tree.script().is_some()
    }

    #[inline(always)]
    fn moves_at(&self, position: &Position) -> MoveList {
        self.tree.moves(position)
    }

    #[inline(always)]
    fn key_salt(&self, mv: Move) -> u64 {
        self.tree.script().map_or(0, |script| script.key_salt(mv))
    }

    fn table_key(&self, position: &Position, window: Window, budget: Budget) -> u64 {
        let class = sex::window_class(&self.params().sex, window);
        position.key() ^ budget.imbalance().wrapping_add(class).wrapping_add(self.root_class).wrapping_mul(SPREAD)
    }

    #[inline(always)]
    fn probe_table(&self, key: u64, ply: Ply) -> Option<Entry> {
        let known = self.table.probe(key, ply);
        if !self.in_audit() {
            return known;
        }
        let found = self.audits.table.as_ref().and_then(|table| table.probe(key, ply));
        match (known, found) {
            (Some(known), Some(found)) => Some(if found.depth >= known.depth { found } else { known }),
            (known, found) => found.or(known),
        }
    }

    fn store_in_table(&mut self, n: &Node<'_>, score: Score, depth: Depth, bound: Bound, mv: Option<Move>) {
        let entry = Entry {
            mv: mv.map_or(NO_MOVE, pack),
            score,
            eval: n.raw_eval,
            depth,
            bound,
            pv: n.was_pv,
            threat: n.mate_threat,
        };
        let key = self.table_key(n.position, n.window, n.budget);
        self.store_entry(key, n.ply, entry);
        self.watch_stored(n, key, &entry);
    }

    fn reward_quiet(&mut self, n: &Node<'_>, mv: Move, share: i32) {
        let p = self.params().history;
        let context = self.context(n.position, n.ply);
        self.histories.update_quiet(&p, &context, mv, p.bonus(n.depth).good * share / PERCENT);
    }

    #[inline(always)]
    fn search(&mut self, position: &Position, place: Place) -> Result<Score, Stopped> {
        Searcher::search(self, position, place)
    }

    #[inline(always)]
    fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        ply: Ply,
        kind: NodeType,
        level: i32,
    ) -> Result<Score, Stopped> {
        Searcher::quiescence(self, position, window, ply, kind, level)
    }

    fn try_move(&mut self, n: &mut Node<'_>, c: &Candidate) -> Result<Score, Stopped> {
        self.audit_late_move(n, c)?;
        let move_cost = self.move_cost(n, c);
        self.count()?;
        let child = self.make_at_cost(n, c, move_cost);
        let score = self.search_and_repeat(n, c, &child, move_cost)?;
        self.unmake();
        Ok(score)
    }

    #[inline(always)]
    fn report_reason<R: RuleReason>(&mut self, reason: impl FnOnce() -> R) {
        if self.emits(Detail::Everything) {
            self.mode.emit(SearchEvent::Reason(&reason().numbers()));
        }
    }

    #[inline(always)]
    fn watch_sub_search(&mut self, n: &Node<'_>, purpose: Purpose, mv: Option<Move>, cost: Depth) {
        self.emit_at(Detail::Everything, n, |at| SearchEvent::Searching(at, SubSearch { purpose, mv, cost }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Limits;
    use crate::testing;

    /// Returns true if the last position of a game, `ply` plies from the root, is a draw.
    fn drawn(fen: &str, moves: &str, ply: u16) -> bool {
        let game = testing::after(fen, moves);
        let mut s = testing::searcher(Parameters::default());
        s.begin(&game, &Limits::default(), Clock::unlimited());
        s.is_draw(game.position(), Ply(ply))
    }

    #[test]
    fn fifty_moves_are_a_draw_unless_the_last_one_mates() {
        for (halfmoves, draw) in [(0, false), (99, false), (100, true), (101, true)] {
            assert_eq!(drawn(&format!("8/8/8/3k4/8/8/8/KQ6 w - - {halfmoves} 90"), "", 3), draw, "{halfmoves}");
        }
        assert!(!drawn("R6k/8/6K1/8/8/8/8/8 b - - 100 90", "", 3), "mate comes first");
        assert!(drawn("R6k/8/8/6K1/8/8/8/8 b - - 100 90", "", 3), "a check does not");
    }

    #[test]
    fn one_repetition_of_the_search_or_two_of_the_game_are_a_draw() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let once = "g1f3 g8f6 f3g1 f6g8";
        let twice = format!("{once} {once}");
        for (name, moves, ply, draw) in [
            ("in the search", once, 5, true),
            ("of the root", once, 4, false),
            ("from the game into the search", once, 3, false),
            ("of the root, which the game had repeated", twice.as_str(), 4, true),
            ("in the game", once, 0, false),
            ("twice in the game", twice.as_str(), 0, true),
            ("not the same side to move", "g1f3 g8f6 f3g1", 4, false),
            ("a pawn moved between", "g1f3 g8f6 f3g1 f6g8 e2e4", 5, false),
        ] {
            assert_eq!(drawn(START, moves, ply), draw, "{name}");
        }
    }
}
