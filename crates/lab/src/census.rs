//! Counts of a search: cutoffs, decisions of rules, results of re-searches, lengths of lines, and how often a pruned or reduced
//! move would have mattered.
//!
//! Cutoffs are counted as usual for move ordering: only those by a searched move, without quiescence. A *visit* is a node
//! entered; a re-searched move is visited again, but made only once, so there are more visits than nodes. The engine searches
//! audited moves outside the main search (its `search/audit.rs`), so all other figures are those of the main search.

mod json;
mod page;
mod recorder;
mod run;
mod tables;

pub use json::json;
pub use page::page;
pub use recorder::CensusRecorder;
pub use run::{CensusError, CensusPlan, PositionEffort, run};
pub use tables::{CensusTable, facts, tables};

use quarterply_engine::params::Parameters;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::search::watch::{PruningKind, Purpose};
use serde::Serialize;
use std::ops::AddAssign;
use strum::{EnumMessage, VariantArray};

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Class {
    /// One move should refute it.
    Cut,
    /// Every move should fail low.
    All,
    /// On the principal variation.
    Pv,
    /// Searched without its table move.
    #[strum(serialize = "singular")]
    Excluded,
    /// In quiescence.
    Quiescence,
}

impl Class {
    /// All of them, in order.
    pub const ALL: &'static [Class] = Class::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The origin of a move: the stages of the picker, killers and countermoves apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
pub enum MoveOrigin {
    /// The table's move.
    #[strum(serialize = "table move", message = "table")]
    Table,
    /// Captures and queen promotions that do not lose material.
    #[strum(serialize = "good capture", message = "capture")]
    GoodCapture,
    /// Killers and countermoves.
    #[strum(serialize = "killer or countermove", message = "killer")]
    KillerOrCounter,
    /// Other quiet moves.
    #[strum(serialize = "quiet move", message = "quiet")]
    Quiet,
    /// Captures that lose material.
    #[strum(serialize = "bad capture", message = "losing")]
    BadCapture,
}

impl MoveOrigin {
    /// All of them, in order.
    pub const ALL: &'static [MoveOrigin] = MoveOrigin::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The same in a word, for narrow columns.
    pub fn short(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }
}

/// Depths with a separate count (plies); greater depths count as the last.
const DEPTHS: usize = 40;
/// Move numbers with a separate count; later moves count as the last.
pub(crate) const NUMBERS: usize = 16;
/// Plies with a separate count.
const PLIES: usize = 128;
/// Costs of moves with a separate count (1/8 ply); higher costs count as the last.
const COSTS: usize = 33;
/// Eighths of a ply.
const EIGHTHS: i32 = 8;
/// The least depth of the cut nodes for which the share of first moves is reported (plies).
pub const DEEP: usize = 4;
/// Iterations before this one are too small for a branching factor.
const FACTOR_DEPTH_MIN: usize = 5;
/// An iteration is shown if at least one of this number of positions has finished it.
const COMMON: u64 = 4;

/// Cutoffs by searched moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cutoffs {
    /// Number of cutoffs.
    pub count: u64,
    /// By the number of the move: the first, the second ...; the last holds all later ones.
    pub by_number: [u64; NUMBERS],
    /// The sum of those numbers.
    pub numbers: u64,
    /// The sum of their squares.
    pub squares: u64,
    /// By where the move came from.
    pub by_origin: [u64; MoveOrigin::ALL.len()],
    /// Moves made below all moves of nodes where the first did not cut.
    pub late_nodes: u64,
    /// The part of them made before the move that cut.
    pub late_before: u64,
}

impl AddAssign<&Cutoffs> for Cutoffs {
    fn add_assign(&mut self, more: &Cutoffs) {
        self.count += more.count;
        add_all(&mut self.by_number, &more.by_number);
        self.numbers += more.numbers;
        self.squares += more.squares;
        add_all(&mut self.by_origin, &more.by_origin);
        self.late_nodes += more.late_nodes;
        self.late_before += more.late_before;
    }
}

impl Cutoffs {
    /// Cutoffs by the first move searched.
    pub fn first(&self) -> u64 {
        self.by_number[0]
    }

    /// Cutoffs by a later move.
    pub fn late(&self) -> u64 {
        self.count - self.first()
    }

    /// The share of the first move; `None` without cutoffs.
    pub fn first_share(&self) -> Option<f64> {
        share(self.first(), self.count)
    }

    /// The mean number of the move that cut.
    pub fn mean(&self) -> Option<f64> {
        share(self.numbers, self.count)
    }

    /// The root of the mean square of that number.
    pub fn root_mean_square(&self) -> Option<f64> {
        share(self.squares, self.count).map(f64::sqrt)
    }
}

/// Searches of one purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Searches {
    /// How many were finished.
    pub made: u64,
    /// How many beat the alpha of the node above.
    pub above: u64,
}

/// The counts of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleCounts {
    /// How often its condition was tested.
    pub tested: u64,
    /// At how many nodes it made a search.
    pub tried: u64,
    /// How often it cut, left out a move, set a cost or changed the depth.
    pub applied: u64,
}

impl RuleCounts {
    /// Attempts: for a rule that searches, the nodes at which it did so; for all others, the tests of its condition.
    pub fn attempts(&self) -> u64 {
        if self.tried > 0 { self.tried } else { self.tested }
    }

    /// Attempts without effect.
    pub fn not_applied(&self) -> u64 {
        self.attempts().saturating_sub(self.applied)
    }
}

/// Probes of the transposition table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Probes {
    /// How often it was probed.
    pub made: u64,
    /// How often it had the position.
    pub hits: u64,
    /// How often it had a move.
    pub moves: u64,
    /// How often its value ended the node.
    pub cutoffs: u64,
}

/// Iterations of one depth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iterations {
    /// Positions that finished this one and the one before.
    pub positions: u64,
    /// Nodes of this one.
    pub nodes: u64,
    /// Nodes of the one before.
    pub before: u64,
    /// The sum of the logarithms of the positions' factors.
    pub logarithms: f64,
}

impl Iterations {
    /// Nodes of this iteration for each of the one before.
    pub fn factor(&self) -> Option<f64> {
        share(self.nodes, self.before)
    }

    /// The geometric mean of the positions' factors.
    pub fn mean(&self) -> Option<f64> {
        (self.positions > 0).then(|| (self.logarithms / self.positions as f64).exp())
    }
}

/// The results of audits of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditCounts {
    /// The number of prunings or reductions by the rule.
    pub pruned_or_reduced: u64,
    /// How often it was searched after all.
    pub audited: u64,
    /// How often that made a difference.
    pub mattered: u64,
    /// Moves made to find out.
    pub nodes: u64,
}

/// Everything that is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Census {
    /// Positions searched.
    pub positions: u64,
    /// Moves made.
    pub nodes: u64,
    /// Visits by the class of the node.
    pub visits: [u64; Class::ALL.len()],
    /// Cutoffs by class and depth.
    cutoffs: Vec<Vec<Cutoffs>>,
    /// Searches by [`Purpose`].
    searches: Vec<Searches>,
    /// Counts of rules, by [`Rule`].
    rules: Vec<RuleCounts>,
    /// Rules whose switches are all off.
    off: Vec<bool>,
    /// The table in the node loop.
    pub table: Probes,
    /// The table in quiescence.
    pub table_quiet: Probes,
    /// Visits that entered no other node, by ply.
    pub leaves: Vec<u64>,
    /// Those of them in quiescence.
    pub leaves_quiet: u64,
    /// Iterations by depth.
    pub iterations: Vec<Iterations>,
    /// Prunings and reductions, by [`PruningKind`] and [`Rule`].
    audits: Vec<Vec<AuditCounts>>,
    /// First searches of moves in the node loop, by [`MoveOrigin`] and by cost (1/8 ply).
    pub costs: [[u64; COSTS]; MoveOrigin::ALL.len()],
}

impl Census {
    /// Nothing yet, of a search with these parameters.
    pub fn new(parameters: &Parameters) -> Census {
        let is_off = |name: &&str| parameters.get(name).is_ok_and(|value| value == 0);
        let off = |rule: &Rule| !rule.switches().is_empty() && rule.switches().iter().all(is_off);
        Census {
            positions: 0,
            nodes: 0,
            visits: [0; Class::ALL.len()],
            cutoffs: vec![vec![Cutoffs::default(); DEPTHS]; Class::ALL.len()],
            searches: vec![Searches::default(); Purpose::ALL.len()],
            rules: vec![RuleCounts::default(); Rule::ALL.len()],
            off: Rule::ALL.iter().map(off).collect(),
            table: Probes::default(),
            table_quiet: Probes::default(),
            leaves: vec![0; PLIES],
            leaves_quiet: 0,
            iterations: Vec::new(),
            audits: vec![vec![AuditCounts::default(); Rule::ALL.len()]; PruningKind::ALL.len()],
            costs: [[0; COSTS]; MoveOrigin::ALL.len()],
        }
    }

    /// Adds what another search of the same parameters did.
    pub fn add(&mut self, other: &Census) {
        self.positions += other.positions;
        self.nodes += other.nodes;
        add_all(&mut self.visits, &other.visits);
        self.cutoffs.iter_mut().zip(&other.cutoffs).for_each(|(mine, theirs)| add_all(mine, theirs));
        add_all(&mut self.searches, &other.searches);
        add_all(&mut self.rules, &other.rules);
        self.table += &other.table;
        self.table_quiet += &other.table_quiet;
        add_all(&mut self.leaves, &other.leaves);
        self.leaves_quiet += other.leaves_quiet;
        self.iterations.resize(self.iterations.len().max(other.iterations.len()), Iterations::default());
        add_all(&mut self.iterations, &other.iterations);
        self.audits.iter_mut().zip(&other.audits).for_each(|(mine, theirs)| add_all(mine, theirs));
        self.costs.iter_mut().zip(&other.costs).for_each(|(mine, theirs)| add_all(mine, theirs));
    }

    /// Adds the nodes of a position's iterations, the first being that of depth 1.
    pub fn note_iterations(&mut self, nodes: &[u64]) {
        self.iterations.resize(self.iterations.len().max(nodes.len() + 1), Iterations::default());
        for (depth, pair) in (2..).zip(nodes.windows(2)) {
            if let [before, now] = *pair
                && before.min(now) > 0
            {
                let counts = &mut self.iterations[depth];
                counts.positions += 1;
                counts.nodes += now;
                counts.before += before;
                counts.logarithms += (now as f64 / before as f64).ln();
            }
        }
    }

    /// Cutoffs of a class within a range of depths.
    pub fn cutoffs(&self, class: Class, depths: impl IntoIterator<Item = usize>) -> Cutoffs {
        let mut sum = Cutoffs::default();
        depths.into_iter().filter_map(|depth| self.cutoffs[class as usize].get(depth)).for_each(|c| sum += c);
        sum
    }

    /// All cutoffs of a class.
    pub fn all_cutoffs(&self, class: Class) -> Cutoffs {
        self.cutoffs(class, 0..DEPTHS)
    }

    /// Cutoffs at expected cut nodes of [`DEEP`] plies and more, for which the share of first moves is reported.
    pub fn deep_cuts(&self) -> Cutoffs {
        self.cutoffs(Class::Cut, DEEP..DEPTHS)
    }

    /// Searches of a purpose.
    pub fn searches(&self, purpose: Purpose) -> Searches {
        self.searches[purpose as usize]
    }

    /// Rules that are switched on, or had an effect, with their counts.
    pub fn active_rules(&self) -> impl Iterator<Item = (Rule, RuleCounts)> + '_ {
        let all = Rule::ALL.iter().zip(&self.rules).zip(&self.off);
        let has_switch = |rule: &Rule| !rule.switches().is_empty();
        let active = all.filter(move |((rule, did), off)| {
            did.applied + did.tried > 0 || (has_switch(rule) && !**off && did.tested > 0)
        });
        active.map(|((rule, did), _)| (*rule, *did))
    }

    /// The counts of a kind of pruning or reduction by a rule.
    pub fn audits(&self, kind: PruningKind, rule: Rule) -> AuditCounts {
        self.audits[kind as usize][rule as usize]
    }

    /// All prunings and reductions, with the rule.
    pub fn all_audits(&self) -> impl Iterator<Item = (PruningKind, Rule, AuditCounts)> + '_ {
        PruningKind::ALL.iter().flat_map(move |&kind| {
            let rules = Rule::ALL.iter().map(move |&rule| (kind, rule, self.audits(kind, rule)));
            rules.filter(|(_, _, audits)| audits.pruned_or_reduced > 0)
        })
    }

    /// Moves made in audits.
    pub fn audit_nodes(&self) -> u64 {
        self.audits.iter().flatten().map(|audits| audits.nodes).sum()
    }

    /// All visits.
    pub fn all_visits(&self) -> u64 {
        self.visits.iter().sum()
    }

    /// Returns true if enough positions finished this iteration. Only small trees reach great depths.
    pub fn is_common(&self, iterations: &Iterations) -> bool {
        iterations.positions > 0 && iterations.positions * COMMON >= self.positions
    }

    /// The geometric mean of all factors from iteration to iteration, leaving out the first few iterations and those that few
    /// positions finished.
    pub fn branching(&self) -> Option<f64> {
        let from = self.iterations.iter().skip(FACTOR_DEPTH_MIN).filter(|it| self.is_common(it));
        let (positions, sum) = from.fold((0, 0.0), |(n, sum), it| (n + it.positions, sum + it.logarithms));
        (positions > 0).then(|| (sum / positions as f64).exp())
    }

    /// The mean ply of leaves, and the greatest.
    pub fn leaf_plies(&self) -> (Option<f64>, usize) {
        let sum: u64 = (0..).zip(&self.leaves).map(|(ply, count): (u64, _)| ply * count).sum();
        let last = self.leaves.iter().rposition(|count| *count > 0).unwrap_or(0);
        (share(sum, self.leaves.iter().sum()), last)
    }
}

/// Adds counts of the same kind, field by field.
macro_rules! sums {
    ($($counts:ty: $($field:ident)+;)+) => {$(
        impl AddAssign<&$counts> for $counts {
            fn add_assign(&mut self, more: &$counts) {
                $(self.$field += more.$field;)+
            }
        }
    )+};
}

sums! {
    Searches: made above;
    RuleCounts: tested tried applied;
    Probes: made hits moves cutoffs;
    Iterations: positions nodes before logarithms;
    AuditCounts: pruned_or_reduced audited mattered nodes;
}

/// `part` as a share of `whole`; `None` if that is 0.
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn add_all<T: for<'a> AddAssign<&'a T>>(mine: &mut [T], theirs: &[T]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
}

fn cost_index(cost: Depth) -> usize {
    ((cost.0 * EIGHTHS / Depth::ONE_PLY.0).max(0) as usize).min(COSTS - 1)
}

fn depth_index(depth: Depth) -> usize {
    (depth.whole().max(0) as usize).min(DEPTHS - 1)
}

#[cfg(test)]
mod tests;
