//! The node loop: a list of rules.
//!
//! `search` dispatches, `node` enters, `visit` calls the rules that may end the node, `moves` the rules about a move, and
//! `try_move` searches one. The value returned is fail-soft.

use super::cost::{CostModel, MoveCost};
use super::estimate::is_known;
use super::events::order;
use super::watch::{Detail, Mode, MoveResult, RuleAction, SearchEvent};
use super::{Searcher, Stopped};
use crate::budget::Budget;
use crate::hint::{switch, unlikely};
use crate::history::{Context, Killers, MoveIndex};
use crate::mate_at_a_glance;
use crate::node::{Candidate, Frame, Node, NodeType, Place};
use crate::ordering::{PickedMove, Picker, QuietFacts, Sources, Stage};
use crate::position::{NO_MOVE, Position, is_quiet, pack};
use crate::quiet_scores::QuietScores;
use crate::rules::search::Search as _;
use crate::rules::{self, Rule, Skip, attack_layer, classic_singular, one_reply, sex};
use crate::score::{Depth, Ply, Score, Window};
use crate::see::Exchange;
use arrayvec::ArrayVec;
use shakmaty::{Color, Move};

/// Moves searched before the best, for the history tables.
#[derive(Default)]
struct TriedMoves {
    quiets: ArrayVec<Move, TRIED_MAX>,
    noisy: ArrayVec<Move, TRIED_MAX>,
}

const TRIED_MAX: usize = 32;

impl TriedMoves {
    fn push(&mut self, c: &Candidate) {
        let list = if c.quiet { &mut self.quiets } else { &mut self.noisy };
        let _ = list.try_push(c.mv); // beyond the capacity the order is good enough
    }
}

/// Plies back to compare the evaluation with when two plies ago there was none.
const FURTHER_BACK: usize = 4;

/// A rule that may end the node; `switched` if it is called only while it is on and is off by default.
macro_rules! try_cut {
    ($searcher:ident, $n:ident, $rule:ident, $name:ident) => {
        try_cut!($searcher, $n, $name, true, {
            let p = $searcher.params().$rule;
            rules::$rule::cut($searcher, &p, $n)
        });
    };
    ($searcher:ident, $n:ident, $rule:ident, $name:ident, switched) => {
        try_cut!($searcher, $n, $name, switch($searcher.params().$rule.on, rules::$rule::Params::DEFAULT.on), {
            let p = $searcher.params().$rule;
            rules::$rule::cut($searcher, &p, $n)
        });
    };
    ($searcher:ident, $n:ident, $name:ident, $enabled:expr, $cut:expr) => {
        if !$searcher.is_disabled($n.ply, Rule::$name) {
            $searcher.watch_called(Rule::$name);
            if $enabled && let Some(score) = $cut? {
                return Ok(Some($searcher.ended($n, Rule::$name, score)));
            }
        }
    };
}

/// A rule that may change the depth of the node.
macro_rules! deepen {
    ($searcher:ident, $n:ident, $rule:ident, $name:ident) => {
        if !$searcher.is_disabled($n.ply, Rule::$name) {
            $searcher.watch_called(Rule::$name);
            let p = &$searcher.params().$rule;
            let amount = rules::$rule::extend(p, $n);
            if amount != Depth::ZERO {
                let p = *p;
                $searcher.report_reason(|| rules::$rule::reason(&p, $n));
                $searcher.deepen($n, Rule::$name, amount);
            }
        }
    };
}

/// A rule that may skip a move.
macro_rules! skip_move {
    ($searcher:ident, $n:ident, $c:ident, $rule:ident, $name:ident) => {
        $searcher.watch_called(Rule::$name);
        let p = &$searcher.params().$rule;
        let skip = rules::$rule::skip(p, $n, $c);
        if skip != Skip::No {
            let p = *p;
            $searcher.report_reason(|| rules::$rule::reason(&p, $n, $c));
            $searcher.watch_skip($n, $c, Rule::$name, skip);
            return skip;
        }
    };
}

impl<M: Mode> Searcher<M> {
    /// The value of a position: by the node loop while there is depth left, else by quiescence.
    pub(crate) fn search(&mut self, position: &Position, place: Place) -> Result<Score, Stopped> {
        let Place { window, budget, ply, kind } = place;
        let depth = budget.left(&self.params().budget);
        if depth < Depth::ONE_PLY && self.attacker(budget).is_none() {
            return self.quiescence(position, window, ply, kind, 0);
        }
        if kind == NodeType::Pv {
            self.clear_line(ply);
            self.seldepth = self.seldepth.max(ply.0);
        }
        match self.line_end(position, place, None) {
            Some(score) => Ok(score),
            None => self.node(position, place),
        }
    }

    /// One node: facts, rules that may end it, moves.
    fn node(&mut self, position: &Position, place: Place) -> Result<Score, Stopped> {
        let mut n = self.facts(position, place);
        self.watch_entered(&n);
        self.audit_entered();
        if unlikely(self.orders.extras.is_some()) {
            self.enter_extras(&mut n);
        }
        let score = match self.visit(&mut n)? {
            Some(score) => score,
            None => self.moves(&mut n)?,
        };
        self.frame_mut(n.ply).best = n.best_move.or(n.table_move);
        self.watch_left(&n, score);
        self.audit_left(&n, place, score)?;
        Ok(score)
    }

    /// The facts of a node, but for its evaluation.
    pub(crate) fn facts<'a>(&mut self, position: &'a Position, place: Place) -> Node<'a> {
        let Place { window, budget, ply, kind } = place;
        let excluded = self.frame(ply).excluded;
        let entry =
            if excluded == NO_MOVE { self.probe_table(self.table_key(position, window, budget), ply) } else { None };
        let table_move = entry.and_then(|e| position.unpack(e.mv));
        if let Some(mv) = table_move {
            self.table.prefetch(position.key_hint(mv));
        }
        let threat_before = self.earlier(ply, 2).threat;
        let &Frame { last, captured_on, history, reduction, extension, extended, table_run, eval, doubles, .. } =
            self.earlier(ply, 1);
        self.clear_below(ply);
        // A search of the same node with a move excluded keeps the refutation of the null move.
        let threat = self.frame(ply).threat.filter(|_| excluded != NO_MOVE);
        self.frame_mut(ply).threat = threat;
        let attacker = self.attacker(budget);
        let left = budget.left(&self.params().budget);
        Node {
            depth: if attacker.is_some() { left.max(Depth::ONE_PLY) } else { left },
            attacker,
            root_depth: self.root_depth,
            previous: last,
            captured_on,
            previous_history: history,
            reduced_by: reduction,
            extended_by: extension,
            extended,
            table_run,
            threat,
            threat_before,
            root_balance: self.root_balance,
            root_share: self.root_share,
            eval_before: eval,
            doubles,
            table_move,
            was_pv: kind == NodeType::Pv || entry.is_some_and(|e| e.pv),
            entry,
            excluded,
            ..Node::new(position, place)
        }
    }

    /// The side that goes on alone with this budget.
    #[inline(always)]
    fn attacker(&self, budget: Budget) -> Option<Color> {
        let p = self.params();
        attack_layer::attacker(&p.attack_layer, &p.budget, budget)
    }

    /// Clears what earlier nodes of this ply left in the frames below.
    fn clear_below(&mut self, ply: Ply) {
        self.frame_mut(ply.next().next()).cutoffs = 0;
        self.frame_mut(ply.next()).killers = Killers::NONE;
        if !ply.is_root() {
            let &Frame { doubles, extended, .. } = self.earlier(ply, 1);
            let frame = self.frame_mut(ply);
            (frame.doubles, frame.extended) = (doubles, extended);
        }
    }

    /// Calls the rules that may end the node before a move is made.
    fn visit(&mut self, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
        try_cut!(self, n, mate_distance, MateDistance);
        try_cut!(self, n, upcoming_repetition, UpcomingRepetition);
        try_cut!(self, n, table, Table);
        try_cut!(self, n, Tablebase, true, rules::endgame::cut(self, n));
        try_cut!(self, n, enhanced_transposition, EnhancedTransposition, switched);
        self.evaluate_node(n);
        self.watch_value(n);
        try_cut!(self, n, attack_layer, AttackLayer, switched);
        deepen!(self, n, hindsight, Hindsight);
        deepen!(self, n, iterative_reduction, IterativeReduction);
        try_cut!(self, n, reverse_futility, ReverseFutility);
        try_cut!(self, n, razoring, Razoring, switched);
        try_cut!(self, n, null_move, NullMove);
        try_cut!(self, n, probcut, ProbCut);
        try_cut!(self, n, multi_cut, MultiCut, switched);
        try_cut!(self, n, iterative_deepening, IterativeDeepening, switched);
        try_cut!(self, n, singular, Singular);
        Ok(None)
    }

    /// Notes the rule that ended a node.
    fn ended(&mut self, n: &Node<'_>, rule: Rule, score: Score) -> Score {
        self.watch_rule(n, rule, RuleAction::Cut(score));
        self.audit_ended(rule);
        score
    }

    /// Changes the depth of the node itself, which keeps a ply at least: both as rules see it and as costs of moves are deducted from it.
    fn deepen(&mut self, n: &mut Node<'_>, rule: Rule, amount: Depth) {
        self.watch_rule(n, rule, RuleAction::Deepened(amount));
        self.audit_deepened(rule, amount);
        n.budget = n.budget.deduct_both(-amount);
        let missing = Depth::ONE_PLY - n.budget.left(&self.params().budget);
        if missing > Depth::ZERO {
            n.budget = n.budget.deduct_both(-missing);
        }
        n.depth = n.budget.left(&self.params().budget).max(Depth::ONE_PLY); // a blend of two amounts may round down
    }

    /// The static evaluation, corrected, and how it compares with earlier plies.
    pub(crate) fn evaluate_node(&mut self, n: &mut Node<'_>) {
        if n.in_check {
            self.frame_mut(n.ply).eval = None;
            n.raw_eval = None;
            n.static_eval = -Score::INFINITE;
            n.eval = -Score::INFINITE;
            return;
        }
        let estimate = self.estimate(n.position, n.entry, n.ply);
        (n.raw_eval, n.static_eval, n.eval) = (Some(estimate.raw), estimate.corrected, estimate.best);
        n.uncertainty = Score(estimate.correction.0.abs());
        self.frame_mut(n.ply).eval = Some(n.static_eval);
        let before = self.earlier(n.ply, 2).eval.or(self.earlier(n.ply, FURTHER_BACK).eval);
        n.improving = before.is_some_and(|before| n.static_eval > before);
    }

    /// Searches the moves, best first.
    pub(crate) fn moves(&mut self, n: &mut Node<'_>) -> Result<Score, Stopped> {
        let alpha = n.window.alpha;
        // Searches of the same node for other purposes may have left another threat, and nodes below read that of this one.
        self.frame_mut(n.ply).threat = n.threat;
        let facts = self.quiet_facts(n);
        let checks = n.position.check_info();
        n.replies = one_reply::counts(&self.params().one_reply, n).then(|| self.moves_at(n.position).len());
        self.prepare_costs(n);
        let mut picker = Picker::all(self.first_move(n), facts);
        let mut tried = TriedMoves::default();
        let (mut searched, mut quiets) = (0, 0);
        let by_quiet_scores = self.cost_model == CostModel::Sex && self.params().sex.order;
        loop {
            let quiet_scores = if unlikely(by_quiet_scores) { n.quiet_scores.as_deref() } else { None };
            let sources = Sources { quiet_scores, ..self.sources(n.position, &checks, n.ply) };
            let Some(picked) = picker.next(sources, &self.tree) else { break };
            if unlikely(pack(picked.mv) == n.excluded) {
                continue;
            }
            let c = self.candidate(n, &facts, picked, searched + 1, quiets);
            quiets += i32::from(c.quiet);
            self.watch_considered(n, &c, order(&picked));
            let skip = self.skip(n, &c);
            if self.has_audits() && skip != Skip::No {
                self.audit_skip(n, &c, skip, &facts, &picker)?;
            }
            match skip {
                Skip::No => {}
                Skip::This => continue,
                Skip::Rest => {
                    picker.skip_quiets();
                    continue;
                }
                Skip::RestButChecks => {
                    picker.skip_quiets_but_checks();
                    continue;
                }
            }
            let score = self.try_move(n, &c)?;
            let p = self.params().classic_singular;
            let score = classic_singular::extend_if_singular(self, &p, n, &c, score)?;
            searched += 1;
            if self.update_best(n, &c, score) {
                break;
            }
            tried.push(&c);
        }
        if searched == 0 {
            // In the attack layer all moves may have been skipped, and the side to move stands pat.
            let stands = n.attacker.is_some() && n.best > -Score::INFINITE && !self.moves_at(n.position).is_empty();
            return Ok(if stands { n.best } else { no_move_value(n) });
        }
        self.update_tables(n, &facts.context, &tried, alpha);
        Ok(n.best)
    }

    /// Values the quiet moves of a node against each other, and looks for a mate that threatens.
    pub(crate) fn compare_quiets(&mut self, n: &mut Node<'_>) {
        self.test_mate_at_a_glance(n);
        let p = self.params().sex;
        let context = self.context(n.position, n.ply);
        let by_evaluation = !n.in_check && sex::needs_evaluation(&p, n.depth);
        let mut quiet_scores = Box::new(QuietScores::default());
        for mv in self.moves_at(n.position).into_iter().filter(|mv| is_quiet(*mv)) {
            let score = if by_evaluation {
                let child = n.position.play(mv);
                self.advance(n.position.turn(), mv);
                let score = if child.in_check() { n.static_eval } else { -self.raw(&child) };
                self.retreat();
                score
            } else {
                let rows = self.histories.rows(&context);
                Score(rows.history(&self.orders.weights.quiet, MoveIndex::of(context.turn, mv)) / p.history_unit)
            };
            quiet_scores.push(mv, score);
        }
        n.quiet_scores = Some(quiet_scores);
    }

    /// Tests for mate threats at a glance, if kinds of moves have different costs.
    pub(super) fn test_mate_at_a_glance(&self, n: &mut Node<'_>) {
        n.mate_at_a_glance = self.params().sex.mate_at_a_glance
            && !n.in_check
            && mate_at_a_glance::mates(n.position, !n.position.turn());
    }

    pub(super) fn candidate(
        &self,
        n: &Node<'_>,
        facts: &QuietFacts,
        picked: PickedMove,
        number: i32,
        quiets_before: i32,
    ) -> Candidate {
        let quiet = is_quiet(picked.mv);
        let packed = pack(picked.mv);
        let history = if quiet {
            let at = MoveIndex::of(facts.context.turn, picked.mv);
            self.histories.rows(&facts.context).history(&self.orders.weights.quiet, at)
        } else {
            self.histories.captures.count(n.position.turn(), picked.mv)
        };
        Candidate {
            mv: picked.mv,
            number,
            quiets_before,
            quiet,
            gives_check: picked.gives_check,
            history,
            stage: picked.stage,
            killer_or_counter: quiet && (facts.killers.slot(packed).is_some() || packed == facts.counter),
            from_table: picked.stage == Stage::Table
                || !self.orders.weights.table_move.on && n.table_move == Some(picked.mv),
            usual_reduction: self.reductions.base(quiet, n.plies(), number),
            cutoffs_below: self.frame(n.ply.next()).cutoffs,
            exchange: Exchange::known(picked.tested),
        }
    }

    /// Calls the rules that may skip a move. The first move, and every move while the node is lost, is searched.
    fn skip(&mut self, n: &Node<'_>, c: &Candidate) -> Skip {
        if n.attacker.is_some() && self.is_too_expensive(n, c) {
            return Skip::This;
        }
        if n.ply.is_root() || n.best.is_lost() || c.number == 1 {
            return Skip::No;
        }
        skip_move!(self, n, c, late_move_pruning, LateMovePruning);
        skip_move!(self, n, c, futility, Futility);
        skip_move!(self, n, c, history_pruning, HistoryPruning);
        skip_move!(self, n, c, guard_pruning, GuardPruning);
        skip_move!(self, n, c, see_pruning, SeePruning);
        Skip::No
    }

    /// Returns true if the attacker, alone in the attack layer, skips a move because it is not forcing.
    #[cold]
    fn is_too_expensive(&mut self, n: &Node<'_>, c: &Candidate) -> bool {
        self.watch_called(Rule::AttackLayer);
        let cost = self.cost_before_extensions(n, c);
        let skip = attack_layer::skip(&self.params().attack_layer, n, cost);
        if skip != Skip::No {
            self.report_reason(|| attack_layer::reason(n, cost));
            self.watch_skip(n, c, Rule::AttackLayer, skip);
        }
        skip != Skip::No
    }

    /// Makes a move with this cost. Does not count it.
    #[inline(always)]
    pub(super) fn make_at_cost(&mut self, n: &Node<'_>, c: &Candidate, move_cost: MoveCost) -> Position {
        let child = self.make(n.position, n.ply, c.mv, c.gives_check);
        let frame = self.frame_mut(n.ply);
        (frame.doubles, frame.extension) = (n.doubles + i32::from(move_cost.is_double()), move_cost.extension);
        frame.extended = n.extended + move_cost.extension.max(Depth::ZERO);
        frame.history = if c.quiet { c.history } else { 0 };
        frame.table_run = if n.is_pv() && c.from_table { n.table_run + 1 } else { 0 };
        child
    }

    /// Updates best value, best move and alpha with a searched move's value. Returns true at a cutoff.
    fn update_best(&mut self, n: &mut Node<'_>, c: &Candidate, score: Score) -> bool {
        n.best = n.best.max(score);
        let better = score > n.window.alpha;
        if better {
            n.best_move = Some(c.mv);
            n.raised += 1;
            if n.is_pv() {
                self.set_line(n.ply, c.mv);
            }
        }
        let cutoff = n.window.fails_high(score);
        self.emit_at(Detail::Nodes, n, |at| SearchEvent::MoveSearched(at, MoveResult::of(c.mv, score, n.window)));
        if better && !cutoff {
            n.window.alpha = score;
        }
        cutoff
    }

    /// Updates histories, corrections and table with the node's result.
    fn update_tables(&mut self, n: &Node<'_>, context: &Context, tried: &TriedMoves, alpha: Score) {
        let window = Window::new(alpha, n.window.beta);
        if self.orders.extras.is_some() && !n.is_exclusion() && !self.in_audit() {
            self.update_extras(n, tried, window);
        }
        if let Some(best) = n.best_move.filter(|_| window.fails_high(n.best)) {
            self.reward(n, context, tried, best);
        }
        if n.is_exclusion() {
            return;
        }
        let bound = window.bound(n.best);
        let quiet_best = n.best_move.is_none_or(is_quiet);
        if !self.in_audit()
            && !n.in_check
            && quiet_best
            && bound.decides(n.best, Window::above(n.static_eval))
            && !n.best.is_decisive()
            && !n.raw_eval.is_some_and(|raw| is_known(n.position, raw))
        {
            let preceding = self.preceding(n.ply);
            let p = self.parameters.correction;
            self.corrections.update(&p, n.position, &preceding, n.best - n.static_eval, n.depth);
        }
        self.store_in_table(n, n.best, n.draft(&self.params().budget), bound, n.best_move);
    }

    /// Passes the node that is entered to the sources of the second pass.
    #[cold]
    fn enter_extras(&mut self, n: &mut Node<'_>) {
        let before = self.earlier(n.ply, 2).last;
        if let Some(extras) = &mut self.orders.extras {
            extras.enter(n, before);
            n.suggested = n.position.unpack(extras.suggested(n.ply));
        }
    }

    /// Passes the result of the node to the sources of the second pass.
    #[cold]
    fn update_extras(&mut self, n: &Node<'_>, tried: &TriedMoves, window: Window) {
        if let Some(extras) = &mut self.orders.extras {
            extras.update(n, window.fails_high(n.best), &tried.quiets);
        }
    }

    /// Rewards the move that cut and blames those tried before it.
    fn reward(&mut self, n: &Node<'_>, context: &Context, tried: &TriedMoves, best: Move) {
        let p = self.params().history;
        let bonus = p.bonus(n.depth);
        let good = bonus.good + p.extra(n.best - n.window.beta);
        self.frame_mut(n.ply).cutoffs += 1;
        if is_quiet(best) {
            self.frame_mut(n.ply).killers.push(best);
        }
        if self.in_audit() {
            return; // histories outlive an audit
        }
        if is_quiet(best) {
            self.histories.countermoves.update(context.before[0], best);
            self.histories.update_quiet(&p, context, best, good);
            for (number, &mv) in tried.quiets.iter().enumerate() {
                self.histories.update_quiet(&p, context, mv, -bonus.blame(&p, number));
            }
        } else {
            self.histories.captures.update(&p, context.turn, best, good);
        }
        for (number, &mv) in tried.noisy.iter().enumerate() {
            self.histories.captures.update(&p, context.turn, mv, -bonus.blame(&p, number));
        }
    }
}

/// The value of a node where no move was searched: mate, stalemate, or, with the only move excluded, a fail low.
fn no_move_value(n: &Node<'_>) -> Score {
    if n.is_exclusion() {
        n.window.alpha
    } else if n.in_check {
        Score::mated_in(n.ply)
    } else {
        Score::DRAW
    }
}

#[cfg(test)]
mod tests;
