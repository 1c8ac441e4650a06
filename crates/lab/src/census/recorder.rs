//! Counts the events of one search.

use super::{Census, Class, MoveOrigin, NUMBERS, PLIES, Probes, cost_index, depth_index};
use quarterply_engine::node::NodeType;
use quarterply_engine::ordering::Stage;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::NO_MOVE;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Depth, Score};
use quarterply_engine::search::watch::{
    AuditResult, ConsideredMove, EventNode, MoveResult, NodeFacts, PruningKind, Purpose, RuleAction, SearchEvent,
    SubSearch, Watch,
};
use quarterply_games::openings;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// A node that has been entered and not left.
#[derive(Clone, Copy, Debug)]
struct EnteredNode {
    class: Class,
    /// The number and the origin of the last move of the picker.
    number: i32,
    origin: MoveOrigin,
    /// Nodes of the search when the picker returned the first move, and the last one.
    from: Option<u64>,
    move_from: u64,
    /// True if another node was entered from this one.
    inner: bool,
    /// The purpose of the search of the node below, and the alpha it has to beat.
    sub_search: Option<(Purpose, Score)>,
    /// Rules that set a cost for the last move, and rules that searched here: a bit each.
    cost_rules: u128,
    tried: u128,
    /// True if the table was probed.
    probed: bool,
}

/// Counts events, and audits a share of the prunings and reductions.
pub struct CensusRecorder {
    census: Census,
    open: Vec<EnteredNode>,
    chance: ChaCha8Rng,
    rate: f64,
    /// If true, events are not part of the main search.
    muted: bool,
}

impl CensusRecorder {
    /// Counts a search with these parameters. A share `rate` of the prunings and reductions is audited, chosen by `seed` and
    /// `stream`.
    pub fn new(parameters: &Parameters, rate: f64, seed: u64, stream: u64) -> CensusRecorder {
        let (chance, rate) = (openings::stream(seed, stream), rate.clamp(0.0, 1.0));
        CensusRecorder { census: Census::new(parameters), open: Vec::new(), chance, rate, muted: false }
    }

    /// The counts.
    pub fn into_census(self) -> Census {
        self.census
    }

    fn bit(rule: Rule) -> u128 {
        const { assert!(Rule::ALL.len() <= u128::BITS as usize) }
        1 << rule as usize
    }

    fn cut(&mut self, at: EventNode) {
        let Some(open) = self.open.last().copied() else { return };
        let cutoffs = &mut self.census.cutoffs[open.class as usize][depth_index(at.depth)];
        let number = open.number.max(1) as u64;
        cutoffs.count += 1;
        cutoffs.by_number[(number as usize - 1).min(NUMBERS - 1)] += 1;
        cutoffs.numbers += number;
        cutoffs.squares += number * number;
        cutoffs.by_origin[open.origin as usize] += 1;
        if number > 1 {
            let from = open.from.unwrap_or(open.move_from);
            cutoffs.late_nodes += at.nodes - from;
            cutoffs.late_before += open.move_from - from;
        }
    }

    /// The probes of the table at nodes of this class.
    fn probes(&mut self, class: Class) -> &mut Probes {
        if class == Class::Quiescence { &mut self.census.table_quiet } else { &mut self.census.table }
    }

    fn count_probe(&mut self, class: Class, facts: &NodeFacts) {
        let probes = self.probes(class);
        probes.made += 1;
        probes.hits += u64::from(facts.entry.is_some());
        probes.moves += u64::from(facts.entry.is_some_and(|entry| entry.mv != NO_MOVE));
    }

    /// A rule ended the node: the table, or a rule that comes before the table is probed.
    fn count_end(&mut self, rule: Rule) {
        let Some(open) = self.open.last().copied() else { return };
        match rule {
            Rule::Table => self.probes(open.class).cutoffs += 1,
            Rule::Draw | Rule::Horizon if open.probed => self.probes(open.class).made -= 1,
            _ => {}
        }
    }
}

fn class(facts: &NodeFacts) -> Class {
    match (facts.level, facts.kind) {
        (Some(_), _) => Class::Quiescence,
        _ if facts.excluded != NO_MOVE => Class::Excluded,
        (None, NodeType::Pv) => Class::Pv,
        (None, NodeType::Cut) => Class::Cut,
        (None, NodeType::All) => Class::All,
    }
}

fn origin(considered: &ConsideredMove) -> MoveOrigin {
    match considered.stage {
        Stage::Table => MoveOrigin::Table,
        Stage::GoodNoisy => MoveOrigin::GoodCapture,
        Stage::Quiet if considered.killer_or_counter => MoveOrigin::KillerOrCounter,
        Stage::Quiet => MoveOrigin::Quiet,
        Stage::BadNoisy => MoveOrigin::BadCapture,
    }
}

impl Watch for CensusRecorder {
    fn event(&mut self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Audited(audited) => self.audited(audited),
            SearchEvent::Iterated(_) => self.open.clear(),
            _ if self.muted => {}
            SearchEvent::Entered(_, facts) => self.entered(facts),
            SearchEvent::RuleCalled(rule) => self.census.rules[rule as usize].tested += 1,
            SearchEvent::Ruled(_, rule, verdict) => self.ruled(rule, verdict),
            SearchEvent::Considered(at, considered) => self.considered(at, considered),
            SearchEvent::TotalCost(_, _, cost) => self.count_cost(cost),
            SearchEvent::Searching(at, sub_search) => self.searching(at, sub_search),
            SearchEvent::MoveSearched(at, MoveResult::Cutoff(..)) => self.cut(at),
            SearchEvent::Left(at, score) => self.left(at, score),
            _ => {}
        }
    }

    fn audits(&mut self, _: EventNode, kind: PruningKind, rule: Rule) -> bool {
        self.census.audits[kind as usize][rule as usize].pruned_or_reduced += 1;
        self.muted = self.rate > 0.0 && self.chance.random_bool(self.rate);
        self.muted
    }
}

impl CensusRecorder {
    fn entered(&mut self, facts: &NodeFacts) {
        if let Some(parent) = self.open.last_mut() {
            parent.inner = true;
        }
        let class = class(facts);
        self.census.visits[class as usize] += 1;
        let open = EnteredNode {
            class,
            number: 0,
            origin: MoveOrigin::Quiet,
            from: None,
            move_from: 0,
            inner: false,
            sub_search: None,
            cost_rules: 0,
            tried: 0,
            probed: class != Class::Excluded,
        };
        if open.probed {
            self.count_probe(class, facts);
        }
        self.open.push(open);
    }

    fn ruled(&mut self, rule: Rule, verdict: RuleAction) {
        let mut first = true;
        match verdict {
            RuleAction::Cut(_) => self.count_end(rule),
            // A rule may report two costs of the same move.
            RuleAction::CostChanged(..) => {
                if let Some(open) = self.open.last_mut() {
                    first = open.cost_rules & CensusRecorder::bit(rule) == 0;
                    open.cost_rules |= CensusRecorder::bit(rule);
                }
            }
            _ => {}
        }
        self.census.rules[rule as usize].applied += u64::from(first);
    }

    fn considered(&mut self, at: EventNode, considered: &ConsideredMove) {
        if let Some(open) = self.open.last_mut() {
            open.number = considered.number;
            open.origin = origin(considered);
            open.from.get_or_insert(at.nodes);
            open.move_from = at.nodes;
            open.cost_rules = 0;
        }
    }

    fn count_cost(&mut self, cost: Depth) {
        if let Some(open) = self.open.last() {
            self.census.costs[open.origin as usize][cost_index(cost)] += 1;
        }
    }

    fn searching(&mut self, at: EventNode, sub_search: SubSearch) {
        if let Some(open) = self.open.last_mut() {
            open.sub_search = Some((sub_search.purpose, at.window.alpha));
            if let Some(rule) = sub_search.purpose.rule() {
                let first = open.tried & CensusRecorder::bit(rule) == 0;
                open.tried |= CensusRecorder::bit(rule);
                self.census.rules[rule as usize].tried += u64::from(first);
            }
        }
    }

    fn left(&mut self, at: EventNode, score: Score) {
        let Some(open) = self.open.pop() else { return };
        if !open.inner {
            self.census.leaves[at.ply.index().min(PLIES - 1)] += 1;
            self.census.leaves_quiet += u64::from(open.class == Class::Quiescence);
        }
        if let Some((purpose, alpha)) = self.open.last_mut().and_then(|parent| parent.sub_search.take()) {
            let value = if purpose.same_position() { score } else { -score };
            let searches = &mut self.census.searches[purpose as usize];
            searches.made += 1;
            searches.above += u64::from(value > alpha);
        }
    }

    fn audited(&mut self, audited: AuditResult) {
        self.muted = false;
        let audits = &mut self.census.audits[audited.kind as usize][audited.rule as usize];
        audits.audited += 1;
        audits.mattered += u64::from(audited.mattered);
        audits.nodes += audited.nodes;
    }
}
