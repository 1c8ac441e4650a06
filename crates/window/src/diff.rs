//! Differences of two searches of the same position: nodes by root move, different decisions, and the cause of each difference.
//!
//! Both trees are walked together. Where a rule decides differently, or the cost of a move differs, everything below is
//! attributed to that difference, and the walk continues only where both did the same. Bounds may be shifted: two windows are equal
//! if both are open or both are null windows.

pub mod align;
pub mod divergence;
pub mod page;

use crate::show::{ShowError, name, position_of};
use crate::trace::{
    ChildSearch, Decision, MoveCode, MoveOutcome, MoveRecord, NodeRecord, NodeStep, RuleReason, SearchedMove,
    SkippedToo, Trace,
};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Depth, Score};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of single differences kept, the largest first.
const KEPT: usize = 200;
/// Trees are not compared further down.
const PLIES_MAX: usize = 120;

/// Cause of a difference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum DifferenceCause {
    /// A rule ended the node on one side only, or with another value.
    Ended(&'static str),
    /// A rule left the move out on one side only.
    Skipped(&'static str),
    /// A rule changed the cost of the move by another amount.
    Cost(&'static str),
    /// A rule started a separate search on one side only.
    Probed(&'static str),
    /// A rule changed the depth of the node on one side only, or by another amount.
    Deepened(&'static str),
    /// One side found a cutoff before it came to the move.
    Cutoff,
    /// A reduced search beat alpha on one side only.
    Again,
    /// The window was open on one side only.
    Window,
    /// The move was searched for another purpose, or at another cost.
    Depth,
    /// The search was stopped, or the node was not recorded.
    Unknown,
}

impl DifferenceCause {
    /// The words for it.
    pub fn words(self) -> String {
        match self {
            DifferenceCause::Ended(rule) => format!("{rule} ended the node"),
            DifferenceCause::Skipped(rule) => format!("{rule} skipped the move"),
            DifferenceCause::Cost(rule) => format!("{rule} changed the cost"),
            DifferenceCause::Probed(rule) => format!("{rule} made a separate search"),
            DifferenceCause::Deepened(rule) => format!("{rule} changed the depth"),
            DifferenceCause::Cutoff => "a cutoff came before the move".to_owned(),
            DifferenceCause::Again => "a reduced search was repeated".to_owned(),
            DifferenceCause::Window => "only one of the searches had an open window".to_owned(),
            DifferenceCause::Depth => "another kind of search or another cost of the move".to_owned(),
            DifferenceCause::Unknown => "stopped or not recorded".to_owned(),
        }
    }
}

/// Totals of a cause over the whole tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CauseTotal {
    /// Number of differences.
    pub times: u64,
    /// Moves made below, on each side.
    pub nodes: [u64; 2],
}

/// One place where the searches differ.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchDifference {
    /// The moves to the place, in short algebraic notation.
    pub path: Vec<String>,
    /// Its cause.
    pub cause: DifferenceCause,
    /// The decision of each side, in words.
    pub sides: [String; 2],
    /// Moves made below, on each side.
    pub nodes: [u64; 2],
}

/// A move of the root on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct RootMove {
    /// The move in short algebraic notation.
    pub name: String,
    /// Its place in the order.
    pub place: [Option<u16>; 2],
    /// Its value, and the decision by it.
    pub score: [Option<(Score, Decision)>; 2],
    /// Moves made for it.
    pub nodes: [u64; 2],
}

/// Two searches side by side.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchComparison {
    /// The moves of the root, largest first.
    pub root: Vec<RootMove>,
    /// Causes, those that matter most first.
    pub causes: Vec<(DifferenceCause, CauseTotal)>,
    /// Single differences, the largest first.
    pub differences: Vec<SearchDifference>,
    /// Nodes where both did the same before the moves were searched.
    pub common: u64,
}

/// The roots of the deepest iteration that both searches finished, and its depth. Where the window was widened, the last attempt of
/// each is taken: it is the one with the iteration's value. In a consultation only the voter of the answer counts.
pub fn common_roots(traces: [&Trace; 2]) -> Option<([u64; 2], Depth)> {
    let finished = |trace: &Trace| -> Vec<(i32, u64)> {
        let exact = trace.chosen_iterations().filter(|i| i.line == 0 && i.is_exact());
        exact.filter_map(|i| Some((i.depth, i.root?))).collect()
    };
    let [one, other] = traces.map(finished);
    let depth = one.iter().map(|root| root.0).filter(|depth| other.iter().any(|root| root.0 == *depth)).max()?;
    let last = |list: &[(i32, u64)]| list.iter().rfind(|root| root.0 == depth).map(|root| root.1);
    Some(([last(&one)?, last(&other)?], Depth(depth)))
}

/// The roots of all iterations that both searches finished, with their depths; of the windows of one iteration the last with the last.
pub(crate) fn iterations_in_common(traces: [&Trace; 2]) -> Vec<(Depth, [u64; 2])> {
    let finished = |trace: &Trace| -> Vec<((i32, u32, u32), u64)> {
        let done = trace.summary().iterations.iter().filter(|iteration| iteration.score.is_some());
        done.filter_map(|i| Some(((i.depth, i.line, i.voter), i.root?))).collect()
    };
    let sides = traces.map(finished);
    let mut names: Vec<(i32, u32, u32)> = sides[0].iter().map(|(name, _)| *name).collect();
    names.dedup();
    let pairs = |name: (i32, u32, u32)| {
        let windows =
            |side: usize| sides[side].iter().rev().filter(move |(other, _)| *other == name).map(|(_, root)| *root);
        windows(0).zip(windows(1)).map(move |(one, other)| (Depth(name.0), [one, other])).collect::<Vec<_>>()
    };
    names.into_iter().flat_map(pairs).collect()
}

/// Compares the trees below two roots of the same position.
pub fn compare(traces: [&Trace; 2], roots: [u64; 2]) -> Result<SearchComparison, ShowError> {
    let position = traces[0].game()?.position().clone();
    let nodes = [traces[0].node(roots[0])?, traces[1].node(roots[1])?];
    let mut comparer =
        Comparer { traces, causes: BTreeMap::new(), differences: Vec::new(), common: 0, path: Vec::new() };
    comparer.nodes([&nodes[0], &nodes[1]], &position)?;
    let Comparer { causes, mut differences, common, .. } = comparer;
    let mut causes: Vec<(DifferenceCause, CauseTotal)> = causes.into_iter().collect();
    causes.sort_by_key(|(_, amount)| largest_first(amount.nodes));
    keep_largest(&mut differences);
    Ok(SearchComparison { root: root_moves([&nodes[0], &nodes[1]], &position), causes, differences, common })
}

/// Sort key: the difference of the moves made, the largest first.
fn largest_first(counts: [u64; 2]) -> Reverse<u64> {
    Reverse(counts[0].abs_diff(counts[1]))
}

fn keep_largest(differences: &mut Vec<SearchDifference>) {
    differences.sort_by_key(|difference| largest_first(difference.nodes));
    differences.truncate(KEPT);
}

fn root_moves(nodes: [&NodeRecord; 2], position: &Position) -> Vec<RootMove> {
    let sides = nodes.map(moves_by_code);
    let mut moves: Vec<RootMove> = codes(nodes)
        .into_iter()
        .map(|code| {
            let both = [sides[0].get(&code), sides[1].get(&code)];
            let result = |mv: &&MoveRecord| mv.searched()?.value.map(|value| (value.score, value.decision));
            RootMove {
                name: name(position, Some(code)),
                place: both.map(|mv| mv.map(|mv| mv.number)),
                score: both.map(|mv| mv.and_then(result)),
                nodes: both.map(|mv| mv.map_or(0, |mv| mv.nodes())),
            }
        })
        .collect();
    moves.sort_by_key(|mv| Reverse(mv.nodes[0] + mv.nodes[1]));
    moves
}

/// The moves of either node.
fn codes(nodes: [&NodeRecord; 2]) -> BTreeSet<MoveCode> {
    nodes.iter().flat_map(|node| node.moves().map(|mv| mv.mv)).collect()
}

/// The purpose of a rule's search, its move, and its place among those with the same.
type ProbeKey = (u8, Option<MoveCode>, usize);

fn probes_by_key(node: &NodeRecord) -> BTreeMap<ProbeKey, ChildSearch> {
    let mut probes: BTreeMap<ProbeKey, ChildSearch> = BTreeMap::new();
    for step in &node.steps {
        if let NodeStep::Probe { mv, search } = step {
            let (purpose, mv) = (search.purpose as u8, *mv);
            let before = probes.range((purpose, mv, 0)..=(purpose, mv, usize::MAX)).count();
            probes.insert((purpose, mv, before), *search);
        }
    }
    probes
}

fn moves_by_code(node: &NodeRecord) -> HashMap<MoveCode, &MoveRecord> {
    node.moves().map(|mv| (mv.mv, mv)).collect()
}

struct Comparer<'a> {
    traces: [&'a Trace; 2],
    causes: BTreeMap<DifferenceCause, CauseTotal>,
    differences: Vec<SearchDifference>,
    common: u64,
    path: Vec<String>,
}

impl Comparer<'_> {
    fn note(&mut self, cause: DifferenceCause, at: Option<&str>, counts: [u64; 2], sides: [String; 2]) {
        let amount = self.causes.entry(cause).or_default();
        amount.times += 1;
        amount.nodes[0] += counts[0];
        amount.nodes[1] += counts[1];
        if counts[0].abs_diff(counts[1]) > 0 {
            let path = self.path.iter().cloned().chain(at.map(str::to_owned)).collect();
            self.differences.push(SearchDifference { path, cause, sides, nodes: counts });
            if self.differences.len() > 2 * KEPT {
                keep_largest(&mut self.differences);
            }
        }
    }

    /// Purpose and value of a search on one side.
    fn value(&self, side: usize, search: &ChildSearch) -> String {
        format!("{}: {}", search.purpose.name(), words::found(self.traces[side], search))
    }

    /// Two nodes of the same position.
    fn nodes(&mut self, nodes: [&NodeRecord; 2], position: &Position) -> Result<(), ShowError> {
        let counts = nodes.map(|node| node.nodes);
        if let Some((cause, sides)) = self.ended(nodes) {
            self.note(cause, None, counts, sides);
            return Ok(());
        }
        if nodes[0].window.is_null() != nodes[1].window.is_null() {
            let sides = nodes.map(|node| format!("window {}", words::window(node.window)));
            self.note(DifferenceCause::Window, None, counts, sides);
            return Ok(());
        }
        if let Some((cause, sides)) = self.deepened(nodes) {
            self.note(cause, None, counts, sides);
            return Ok(());
        }
        self.common += 1;
        self.probes(nodes, position)?;
        self.moves(nodes, position)
    }

    /// A rule that ended one node and not the other.
    fn ended(&self, nodes: [&NodeRecord; 2]) -> Option<(DifferenceCause, [String; 2])> {
        let rules = nodes.map(|node| node.ended.as_ref().map(|by| by.rule));
        if rules[0] == rules[1] {
            return None;
        }
        let rule = nodes.iter().find_map(|node| node.ended.as_ref()).map(|by| by.rule.name())?;
        let side = |side: usize| match &nodes[side].ended {
            Some(by) => self.traces[side].words(by),
            None => format!("searched at depth {}", words::plies(nodes[side].depth)),
        };
        Some((DifferenceCause::Ended(rule), [side(0), side(1)]))
    }

    /// A rule that changed the depth of one node and not the other.
    fn deepened(&self, nodes: [&NodeRecord; 2]) -> Option<(DifferenceCause, [String; 2])> {
        let changes = nodes.map(|node| {
            let deepened = |step: &NodeStep| match step {
                NodeStep::Deepened { by, amount } => Some((by.rule, *amount)),
                _ => None,
            };
            node.steps.iter().filter_map(deepened).collect::<Vec<_>>()
        });
        if changes[0] == changes[1] {
            return None;
        }
        let only = |side: usize| changes[side].iter().find(|change| !changes[1 - side].contains(change));
        let (rule, _) = only(0).or_else(|| only(1))?;
        let text = |changes: &Vec<(Rule, Depth)>| {
            let sum = changes.iter().fold(Depth::ZERO, |sum, (_, amount)| sum + *amount);
            format!("depth changed by {}", words::signed_plies(sum))
        };
        Some((DifferenceCause::Deepened(rule.name()), [text(&changes[0]), text(&changes[1])]))
    }

    /// The separate searches of rules.
    fn probes(&mut self, nodes: [&NodeRecord; 2], position: &Position) -> Result<(), ShowError> {
        let probes = nodes.map(probes_by_key);
        let keys: BTreeSet<ProbeKey> = probes[0].keys().chain(probes[1].keys()).copied().collect();
        for key in keys {
            let both = [probes[0].get(&key), probes[1].get(&key)];
            let title = match key.1 {
                Some(mv) => name(position, Some(mv)),
                None => both.iter().flatten().map(|search| search.purpose.name()).next().unwrap_or("").to_owned(),
            };
            match both {
                [Some(one), Some(other)] => self.searches([one, other], &title, position)?,
                _ => {
                    let rule = both.iter().flatten().find_map(|search| search.purpose.rule()).map_or("", Rule::name);
                    let sides = [0, 1].map(|side: usize| {
                        both[side].map_or_else(|| "not tried".to_owned(), |search| self.value(side, search))
                    });
                    let counts = both.map(|search| search.map_or(0, |search| search.nodes));
                    self.note(DifferenceCause::Probed(rule), Some(&title), counts, sides);
                }
            }
        }
        Ok(())
    }

    fn moves(&mut self, nodes: [&NodeRecord; 2], position: &Position) -> Result<(), ShowError> {
        let sides = nodes.map(moves_by_code);
        for code in codes(nodes) {
            let both = [sides[0].get(&code).copied(), sides[1].get(&code).copied()];
            let title = name(position, Some(code));
            match both.map(|mv| mv.and_then(MoveRecord::searched)) {
                [Some(one), Some(other)] => {
                    if let Some((cause, words)) = self.cost_difference([one, other]) {
                        let counts = both.map(|mv| mv.map_or(0, MoveRecord::nodes));
                        self.note(cause, Some(&title), counts, words);
                    } else {
                        for pair in one.tries.iter().zip(&other.tries) {
                            self.searches([pair.0, pair.1], &title, position)?;
                        }
                        let longer = if one.tries.len() > other.tries.len() { 0 } else { 1 };
                        let common = one.tries.len().min(other.tries.len());
                        for search in [one, other][longer].tries.iter().skip(common) {
                            let mut counts = [0, 0];
                            counts[longer] = search.nodes;
                            let mut words = ["not repeated".to_owned(), "not repeated".to_owned()];
                            words[longer] = self.value(longer, search);
                            self.note(DifferenceCause::Again, Some(&title), counts, words);
                        }
                    }
                }
                [None, None] => {}
                _ => self.searched_once(nodes, both, &title),
            }
        }
        Ok(())
    }

    /// A move that only one side searched.
    fn searched_once(&mut self, nodes: [&NodeRecord; 2], both: [Option<&MoveRecord>; 2], title: &str) {
        let counts = both.map(|mv| mv.map_or(0, MoveRecord::nodes));
        let mut cause = DifferenceCause::Unknown;
        let sides = [0, 1].map(|side: usize| match both[side] {
            Some(MoveRecord { outcome: MoveOutcome::Searched(searched), .. }) => {
                searched.tries.last().map_or_else(|| "searched".to_owned(), |search| self.value(side, search))
            }
            Some(MoveRecord { outcome: MoveOutcome::Skipped { by, .. }, .. }) => {
                cause = DifferenceCause::Skipped(by.rule.name());
                self.traces[side].words(by)
            }
            Some(MoveRecord { outcome: MoveOutcome::Unknown, .. }) => "stopped".to_owned(),
            None => match skipped_with_others(nodes[side]) {
                _ if nodes[side].score.is_some_and(|score| nodes[side].window.fails_high(score)) => {
                    cause = DifferenceCause::Cutoff;
                    "not reached after a cutoff".to_owned()
                }
                Some(by) => {
                    cause = DifferenceCause::Skipped(by.rule.name());
                    self.traces[side].words(by)
                }
                None => "not reached".to_owned(),
            },
        });
        self.note(cause, Some(title), counts, sides);
    }

    /// A rule that changed the cost of a move differently.
    fn cost_difference(&self, both: [&SearchedMove; 2]) -> Option<(DifferenceCause, [String; 2])> {
        if both[0].deducted == both[1].deducted {
            return None;
        }
        let change = |side: usize, rule: Rule| {
            both[side]
                .breakdown
                .iter()
                .filter(|line| line.by.rule == rule)
                .fold(Depth::ZERO, |sum, line| sum + line.change())
        };
        let rules = both.iter().flat_map(|searched| searched.breakdown.iter().map(|line| line.by.rule));
        let widest = rules.max_by_key(|&rule| (change(0, rule) - change(1, rule)).0.abs())?;
        let side = |side: usize| format!("{} {}", widest.name(), words::signed_plies(change(side, widest)));
        Some((DifferenceCause::Cost(widest.name()), [side(0), side(1)]))
    }

    /// Two searches for the same purpose.
    fn searches(&mut self, both: [&ChildSearch; 2], title: &str, position: &Position) -> Result<(), ShowError> {
        if both[0].cost != both[1].cost || both[0].purpose != both[1].purpose {
            let sides = [0, 1]
                .map(|side: usize| format!("{}, cost {}", self.value(side, both[side]), words::plies(both[side].cost)));
            self.note(DifferenceCause::Depth, Some(title), both.map(|search| search.nodes), sides);
            return Ok(());
        }
        let [Some(one), Some(other)] = both.map(|search| search.child) else {
            let counts = both.map(|search| search.nodes);
            let sides = [self.value(0, both[0]), self.value(1, both[1])];
            self.note(DifferenceCause::Unknown, Some(title), counts, sides);
            return Ok(());
        };
        if self.path.len() > PLIES_MAX {
            return Ok(());
        }
        let nodes = [self.traces[0].node(one)?, self.traces[1].node(other)?];
        let below = position_of(&nodes[0], position)?;
        self.path.push(title.to_owned());
        self.nodes([&nodes[0], &nodes[1]], &below)?;
        self.path.pop();
        Ok(())
    }
}

/// The last rule that skipped a move together with others.
fn skipped_with_others(node: &NodeRecord) -> Option<&RuleReason> {
    node.moves()
        .filter_map(|mv| match &mv.outcome {
            MoveOutcome::Skipped { by, rest } if *rest != SkippedToo::None => Some(by),
            _ => None,
        })
        .last()
}
