//! Costly bets: moves and nodes that a rule pruned or reduced in a recorded search, and that the same search later found to matter.
//!
//! Pruning and reducing are bets that something will not change the value. The recorded search is walked in the order of time. A bet
//! is *placed* where a rule skipped a move, where a reduced search of a move was enough, and where a rule ended a node. It is *lost*
//! where the same move in the same position later cuts or becomes best, and where a later search of the same position contradicts the
//! rule. Its *cost* is the error of the value in pawns/100 for the side to move; its *delay* is the number of moves that the search made
//! in the meantime. Quiescence is not counted: it never searches a move again.

use crate::show::untried::untried;
use crate::show::{ShowError, name, position_of};
use crate::trace::{
    Decision, MoveCode, MoveOutcome, MoveRecord, NodeId, NodeRecord, NodeStep, RuleReason, SearchedMove, Trace,
};
use quarterply_engine::position::Position;
use quarterply_engine::rules::{Family, Rule};
use quarterply_engine::score::{Bound, Depth, Score, Window};
use quarterply_engine::words::named;
use std::collections::{BTreeMap, HashMap};

/// Largest cost of a bet, also if the value is a mate (pawns/100): one mate must not decide which rule is the most expensive.
const COST_MAX: i32 = 1000;

named! {
    /// The action of a rule that is a bet.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
    pub enum BetKind {
        /// It skipped the move.
        Skipped "skipped",
        /// It reduced the move, and the reduced search was enough.
        Reduced "reduced",
        /// It ended the node.
        Ended "ended",
    }
}

/// A bet that was lost.
#[derive(Clone, PartialEq, Debug)]
pub struct LostBet {
    /// The rule.
    pub rule: Rule,
    /// The action.
    pub kind: BetKind,
    /// The position.
    pub fen: String,
    /// The move that turned out to matter, in short algebraic notation; `None` if a node ended and all its moves later failed low.
    pub mv: Option<String>,
    /// The node where the bet was placed, and the one where it was lost.
    pub nodes: [NodeId; 2],
    /// The depths of both.
    pub depths: [Depth; 2],
    /// The value assumed when the bet was placed and the lower bound found later, for the side to move.
    pub values: [Score; 2],
    /// The error of the value (pawns/100).
    pub cost: i32,
    /// Moves made between.
    pub delay: u64,
    /// The decision of the rule when the bet was placed.
    pub by: RuleReason,
}

/// Totals of the bets of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BetSum {
    /// Bets placed.
    pub placed: u64,
    /// Bets lost.
    pub lost: u64,
    /// Total cost of the lost ones (pawns/100).
    pub cost: i64,
    /// Moves made until they were noticed, together.
    pub delay: u64,
    /// Searches with a bet that was lost.
    pub searches: u64,
}

impl BetSum {
    /// Adds the bets of another search.
    pub fn add(&mut self, other: BetSum) {
        self.placed += other.placed;
        self.lost += other.lost;
        self.cost += other.cost;
        self.delay += other.delay;
        self.searches += other.searches;
    }
}

/// The bets of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bets {
    /// Those that were lost, the most expensive first.
    pub lost: Vec<LostBet>,
    /// All of them by rule and kind.
    pub sums: BTreeMap<(&'static str, BetKind), BetSum>,
}

/// Finds the bets of a recorded search.
pub fn find(trace: &Trace) -> Result<Bets, ShowError> {
    let position = trace.game()?.position().clone();
    let mut walk = BetWalk { trace, open: HashMap::new(), bets: Bets::default(), clock: 0 };
    for root in trace.summary().iterations.iter().filter_map(|iteration| iteration.root) {
        walk.node(&trace.node(root)?, &position)?;
    }
    let mut bets = walk.bets;
    bets.sums.values_mut().for_each(|sum| sum.searches = u64::from(sum.lost > 0));
    bets.lost.sort_by_key(|bet| (std::cmp::Reverse(bet.cost), std::cmp::Reverse(bet.delay)));
    Ok(bets)
}

/// A bet that may still be lost.
struct OpenBet {
    by: RuleReason,
    kind: BetKind,
    node: NodeId,
    depth: Depth,
    window: Window,
    value: Score,
    /// Moves made when it was placed.
    clock: u64,
}

struct BetWalk<'a> {
    trace: &'a Trace,
    /// By the position and the move; no move for a node that was ended.
    open: HashMap<(u64, Option<MoveCode>), OpenBet>,
    bets: Bets,
    /// Moves made so far.
    clock: u64,
}

impl BetWalk<'_> {
    fn node(&mut self, node: &NodeRecord, position: &Position) -> Result<(), ShowError> {
        if node.is_quiescence() {
            self.clock += node.nodes;
            return Ok(());
        }
        let key = position.key();
        let untried =
            node.moves().any(|mv| matches!(mv.outcome, MoveOutcome::Skipped { .. })).then(|| untried(position, node));
        for (place, step) in node.steps.iter().enumerate() {
            match step {
                NodeStep::Deepened { .. } => {}
                NodeStep::Probe { search, .. } => {
                    self.search(search.child, search.nodes, search.purpose.same_position(), position)?
                }
                NodeStep::Move(record) => {
                    self.outcome(node, record, position)?;
                    if let MoveOutcome::Skipped { by, .. } = &record.outcome {
                        for &mv in untried.iter().flat_map(|untried| untried.with(place)) {
                            self.place(node, (key, Some(MoveCode::of(mv))), BetKind::Skipped, by);
                        }
                    }
                }
            }
        }
        match &node.ended {
            Some(by) if matches!(by.rule.family(), Family::NodeCut) => {
                self.place(node, (key, None), BetKind::Ended, by)
            }
            Some(_) => {}
            None => self.check_ended_bet(node, position),
        }
        Ok(())
    }

    fn search(
        &mut self,
        child: Option<NodeId>,
        nodes: u64,
        same_position: bool,
        position: &Position,
    ) -> Result<(), ShowError> {
        self.clock += u64::from(!same_position);
        let Some(child) = child else {
            self.clock += nodes;
            return Ok(());
        };
        let child = self.trace.node(child)?;
        self.node(&child, &position_of(&child, position)?)
    }

    /// The outcome of a move: a bet placed, or one lost.
    fn outcome(&mut self, node: &NodeRecord, record: &MoveRecord, position: &Position) -> Result<(), ShowError> {
        let key = (position.key(), Some(record.mv));
        match &record.outcome {
            MoveOutcome::Unknown => {}
            MoveOutcome::Skipped { by, .. } => self.place(node, key, BetKind::Skipped, by),
            MoveOutcome::Searched(searched) => {
                for (index, search) in searched.tries.iter().enumerate() {
                    // A move that is searched again is made once.
                    self.search(search.child, search.nodes, index > 0, position)?;
                }
                match searched.value {
                    // The bet against a move that cuts or is best is lost if the value is above the one at the bet.
                    Some(value) if value.decision != Decision::NotBest => {
                        if let Some(bet) = self.open.remove(&key) {
                            let cost = value.score.0.saturating_sub(bet.value.0);
                            self.settle(node, bet, cost, value.score, position, Some(record.mv));
                        }
                    }
                    _ => {
                        if let Some(by) = reducer(searched) {
                            self.place(node, key, BetKind::Reduced, by);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Places the bet of a rule at a node. The first of several bets on the same move or node is kept until it is lost.
    fn place(&mut self, node: &NodeRecord, key: (u64, Option<MoveCode>), kind: BetKind, by: &RuleReason) {
        let Some(value) = node.score else { return };
        self.bets.sums.entry((by.rule.name(), kind)).or_default().placed += 1;
        let (depth, window, clock) = (node.depth_out, node.window, self.clock);
        let bet = || OpenBet { by: by.clone(), kind, node: node.id, depth, window, value, clock };
        self.open.entry(key).or_insert_with(bet);
    }

    /// A position is searched in which a rule ended the node before: the bet is lost if the value contradicts the bound of the rule.
    fn check_ended_bet(&mut self, node: &NodeRecord, position: &Position) {
        let (Some(value), Some(bet)) = (node.score, self.open.get(&(position.key(), None))) else { return };
        if node.excluded.is_some() || node.depth_out < bet.depth {
            return;
        }
        let bound = node.window.bound(value);
        // A rule that ended the node as too good claimed at least beta; one that ended it as hopeless, at most alpha.
        let broken = match bet.window.bound(bet.value) {
            Bound::Lower if bound != Bound::Lower => (bet.window.beta - value).0,
            Bound::Upper if bound != Bound::Upper => (value - bet.window.alpha).0,
            _ => 0,
        };
        if broken > 0
            && let Some(bet) = self.open.remove(&(position.key(), None))
        {
            let best = node.best().map(|best| best.mv);
            self.settle(node, bet, broken, value, position, best);
        }
    }

    fn settle(
        &mut self,
        node: &NodeRecord,
        bet: OpenBet,
        cost: i32,
        value: Score,
        position: &Position,
        mv: Option<MoveCode>,
    ) {
        if cost <= 0 {
            return;
        }
        let cost = cost.min(COST_MAX);
        let delay = self.clock - bet.clock;
        let sum = self.bets.sums.entry((bet.by.rule.name(), bet.kind)).or_default();
        sum.add(BetSum { lost: 1, cost: i64::from(cost), delay, ..BetSum::default() });
        self.bets.lost.push(LostBet {
            rule: bet.by.rule,
            kind: bet.kind,
            fen: position.fen(),
            mv: mv.map(|mv| name(position, Some(mv))),
            nodes: [bet.node, node.id],
            depths: [bet.depth, node.depth_out],
            values: [bet.value, value],
            cost,
            delay,
            by: bet.by,
        });
    }
}

/// The rule that reduced a move most, if its reduced search was the only one.
fn reducer(searched: &SearchedMove) -> Option<&RuleReason> {
    let [only] = &searched.tries[..] else { return None };
    if only.purpose != crate::trace::Purpose::Reduced {
        return None;
    }
    searched.reductions().max_by_key(|line| line.cost).map(|line| &line.by)
}
