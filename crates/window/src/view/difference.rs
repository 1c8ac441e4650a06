//! Which rows of a tree differ from those of another search of the same position.
//!
//! Rows are paired from the root on: iterations by their depth, the last window with the last one; then moves by what they are, the first
//! search of a move with the first, the second with the second, and the searches of a rule by the rule. A row without a partner is *only
//! here*. A pair differs in its value, its bound, depth, cost, the depth changes by rules, or the rule that skipped the move. So does a
//! pair of nodes where the other one has rows that are missing here, or has its rows in another order. The size of a subtree does not
//! count: the rows below differ themselves. The first difference is not found here: [`Divergence`] has the path to it, and the row at its
//! end is marked.

use std::collections::HashMap;

use quarterply_engine::score::Bound;
use serde::Serialize;
use serde_json::{Value, json};

use super::query::Matches;
use super::{MoveNames, RowDecision, RowKind, RuleAction, TreeRow, View, flag};
use crate::diff::divergence::{Divergence, PathStep};
use crate::trace::Purpose;

/// Two trees are compared: the one that is marked, and the other one.
const SIDES: usize = 2;
const HERE: usize = 0;
const THERE: usize = 1;

/// The counterpart of a row in the other search.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
pub struct Counterpart {
    /// Its value, seen as that of the row.
    pub value: Option<i16>,
    /// The bound of the value: 0 exact, 1 at most, 2 at least.
    pub bound: u8,
    /// Depth left on entering, in 1/1024 ply.
    pub depth: Option<i32>,
    /// Moves made for it and below it.
    pub nodes: u32,
    /// It was not searched.
    pub unsearched: bool,
    /// Rows directly below it that are missing here.
    pub more: u32,
    /// True if the rows that both have directly below come in another order.
    pub reordered: bool,
}

/// A row that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowDifference {
    /// Which row.
    pub row: u32,
    /// Its partner in the other tree; `None` if it is only here.
    pub there: Option<Counterpart>,
}

/// All rows that differ, in their order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RowDifferences {
    /// Settings of the other search.
    pub label: String,
    /// The rows, in their order.
    pub list: Vec<RowDifference>,
    first: Option<u32>,
}

impl RowDifferences {
    /// Compares a tree with another one of the same position, which was searched with `label`; `divergence` is where they first differ.
    pub fn between(here: &View, there: &View, label: String, divergence: &Divergence) -> RowDifferences {
        let mut pairing = RowPairing::new(here, there);
        common_iterations(here, there).iter().for_each(|&(one, other)| pairing.pair(one, other));
        let first = pairing.end_of(divergence);
        let mut list = pairing.list;
        list.sort_unstable_by_key(|found| found.row);
        if let Some(first) = first
            && let Err(place) = list.binary_search_by_key(&first.row, |found| found.row)
        {
            list.insert(place, first);
        }
        RowDifferences { label, list, first: first.map(|first| first.row) }
    }

    /// The first row where the trees differ in the deepest iteration that both have; `None` if they do not differ there.
    pub fn first(&self) -> Option<usize> {
        self.first.map(|row| row as usize)
    }

    /// The difference of a row, as the page reads it; `None` if it does not differ.
    pub fn of(&self, row: usize) -> Option<Value> {
        let at = self.list.binary_search_by_key(&row, |found| found.row as usize).ok()?;
        Some(json!({"first": self.first() == Some(row), "there": self.list[at].there}))
    }

    /// The summary of all rows for the page: how many have a partner and differ from it, how many have none, and the first row where the
    /// trees differ in the deepest iteration that both have.
    pub fn summary(&self) -> Value {
        let only = self.list.iter().filter(|found| found.there.is_none()).count();
        json!({"label": self.label, "differ": self.list.len() - only, "only": only, "first": self.first})
    }

    /// The rows as matches of a filter, in a tree of `rows` rows.
    pub fn matches(&self, rows: usize) -> Matches {
        Matches::of(rows, self.list.iter().map(|found| found.row as usize))
    }
}

/// Distinguishes sibling rows: the move, the rule whose search it is, and its number among equal ones.
type RowKey = (usize, Option<Purpose>, usize);

struct RowPairing<'a> {
    /// The tree that is marked, and the other one.
    views: [&'a View; SIDES],
    /// A number for each UCI move.
    numbers: HashMap<String, usize>,
    /// The numbers of the moves of either tree. A tree counts names, and one UCI move has several: `f4g3` is `Bg3` in one position and
    /// `Qg3+` in another.
    moves: [Vec<usize>; SIDES],
    list: Vec<RowDifference>,
}

impl<'a> RowPairing<'a> {
    fn new(here: &'a View, there: &'a View) -> RowPairing<'a> {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let moves = [here, there].map(|view| {
            let number = |(_, uci): &MoveNames| {
                let next = numbers.len();
                *numbers.entry(uci.clone()).or_insert(next)
            };
            view.moves.iter().map(number).collect()
        });
        RowPairing { views: [here, there], numbers, moves, list: Vec::new() }
    }

    /// Compares a row with its counterpart, and the rows below them.
    fn pair(&mut self, one: usize, other: usize) {
        let [here, there] = [(HERE, one), (THERE, other)].map(|(side, place)| &self.views[side].rows[place]);
        let (ours, theirs) = (self.keys(HERE, one), self.keys(THERE, other));
        // Nothing is known of rows that were not recorded or not kept.
        let known = [here, there].iter().all(|row| row.flags & flag::FOLDED == 0);
        let missing = theirs.iter().filter(|(key, _)| !ours.iter().any(|(own, _)| own == key)).count();
        let more = if known { missing as u32 } else { 0 };
        let reordered = known && in_common(&ours, &theirs) != in_common(&theirs, &ours);
        let search = |row: &TreeRow| (row.kind, row.depth, row.own, row.other, row.cost, row.value, proven(row));
        let alike = search(here) == search(there) && self.actions(HERE, one).eq(self.actions(THERE, other));
        if more > 0 || reordered || !alike {
            let there = Counterpart { more, reordered, ..counterpart(there) };
            self.list.push(RowDifference { row: one as u32, there: Some(there) });
        }
        for (key, child) in ours {
            match theirs.iter().find(|(other, _)| *other == key) {
                Some(&(_, partner)) => self.pair(child, partner),
                None if known => self.only_here(child),
                None => {}
            }
        }
    }

    fn only_here(&mut self, row: usize) {
        let rows = row as u32..self.views[HERE].rows[row].end;
        self.list.extend(rows.map(|row| RowDifference { row, there: None }));
    }

    /// The rule that skipped the move of a row, or those that changed the depth of its node, with the amounts.
    fn actions(&self, side: usize, row: usize) -> impl Iterator<Item = (u8, RuleAction, i32)> {
        let marks = self.views[side].marks_of(row).iter();
        let counts = marks.filter(|mark| matches!(mark.action, RuleAction::Skipped | RuleAction::Deepened));
        counts.map(|mark| (mark.rule, mark.action, mark.amount))
    }

    /// The row at the end of the path to where the trees differ, or the last row of the path that is shown here.
    fn end_of(&self, divergence: &Divergence) -> Option<RowDifference> {
        let path = divergence.path.as_ref()?;
        let iteration = |side: usize| {
            let view = self.views[side];
            view.children(0).filter(|&row| view.rows[row].kind == RowKind::Iteration).nth(divergence.iterations[side])
        };
        let (mut row, mut there) = (iteration(HERE)?, iteration(THERE));
        for step in path {
            let Some(below) = self.child(HERE, row, step) else { break };
            (row, there) = (below, there.and_then(|there| self.child(THERE, there, step)));
        }
        let there = there.map(|there| counterpart(&self.views[THERE].rows[there]));
        Some(RowDifference { row: row as u32, there })
    }

    /// The row that a step of a path leads to.
    fn child(&self, side: usize, row: usize, step: &PathStep) -> Option<usize> {
        let rule = step.probe.filter(|purpose| purpose.rule().is_some());
        let key = (*self.numbers.get(&step.uci)?, rule, step.place);
        self.keys(side, row).into_iter().find(|(other, _)| *other == key).map(|(_, child)| child)
    }

    /// The rows directly below a row, with their keys.
    fn keys(&self, side: usize, place: usize) -> Vec<(RowKey, usize)> {
        let (view, numbers) = (self.views[side], &self.moves[side]);
        let mut keys: Vec<(RowKey, usize)> = Vec::new();
        for child in view.children(place) {
            let row = &view.rows[child];
            let mv = numbers[row.mv.map_or(0, |mv| usize::from(mv.get()))];
            let rule = row.purpose.filter(|purpose| purpose.rule().is_some());
            let before = keys.iter().filter(|((other, by, _), _)| (*other, *by) == (mv, rule)).count();
            keys.push(((mv, rule, before), child));
        }
        keys
    }
}

/// The finished iterations that both trees have; of the windows of one iteration the last with the last.
fn common_iterations(here: &View, there: &View) -> Vec<(usize, usize)> {
    let (ours, theirs) = (attempts(here), attempts(there));
    let windows = |name: &str, list: &[(String, usize)]| -> Vec<usize> {
        list.iter().rev().filter(|(other, _)| other == name).map(|&(_, row)| row).collect()
    };
    let mut names: Vec<&str> = ours.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    names.into_iter().flat_map(|name| windows(name, &ours).into_iter().zip(windows(name, &theirs))).collect()
}

/// The finished iterations, window by window, without the number of the window in the name.
fn attempts(view: &View) -> Vec<(String, usize)> {
    const WINDOW: &str = ", window ";
    let finished =
        view.children(0).filter(|&row| view.rows[row].kind == RowKind::Iteration && view.rows[row].value.is_some());
    let name = |row: usize| {
        let text = view.text(view.rows[row].why);
        text.split_once(WINDOW).map_or(text, |(name, _)| name).to_owned()
    };
    finished.map(|row| (name(row), row)).collect()
}

/// The bound of a value in its window, or by its decision if the window is not known.
fn proven(row: &TreeRow) -> u8 {
    let &TreeRow { alpha, beta, value, .. } = row;
    let bound = match (value, alpha.zip(beta)) {
        (None, _) => Bound::Exact,
        (Some(_), None) => match row.decision {
            Some(RowDecision::Cutoff | RowDecision::Again) => Bound::Lower,
            Some(RowDecision::NotBest) => Bound::Upper,
            Some(RowDecision::Best) | None => Bound::Exact,
        },
        (Some(value), Some((_, beta))) if value >= beta => Bound::Lower,
        (Some(value), Some((alpha, _))) if value <= alpha => Bound::Upper,
        _ => Bound::Exact,
    };
    super::sign(bound)
}

/// The keys of one list that the other list has too.
fn in_common(list: &[(RowKey, usize)], other: &[(RowKey, usize)]) -> Vec<RowKey> {
    list.iter().map(|(key, _)| *key).filter(|key| other.iter().any(|(known, _)| known == key)).collect()
}

fn counterpart(row: &TreeRow) -> Counterpart {
    Counterpart {
        value: row.value,
        bound: proven(row),
        depth: row.depth,
        nodes: row.nodes,
        unsearched: row.kind == RowKind::Unsearched,
        more: 0,
        reordered: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{RuleDecision, TreeInfo, ViewBuilder};
    use quarterply_engine::rules::Rule;

    const E4: (&str, &str) = ("e4", "e2e4");
    const E5: (&str, &str) = ("e5", "e7e5");
    const C5: (&str, &str) = ("c5", "c7c5");

    /// One row: level, move, value for the side that made it; the window is that of a null window around 0.
    type TestRow = (u16, (&'static str, &'static str), i16);

    /// A tree of one iteration with these rows; the moves are numbered in the order given.
    fn tree(order: &[(&str, &str)], lines: &[TestRow]) -> View {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        order.iter().for_each(|(san, uci)| {
            builder.mv(san, uci);
        });
        let why = builder.text("depth 2, window 3");
        builder.push(TreeRow::default(), &[]);
        builder.push(TreeRow { level: 1, kind: RowKind::Iteration, why, value: Some(9), ..TreeRow::default() }, &[]);
        for &(level, (san, uci), value) in lines {
            let mv = builder.mv(san, uci);
            let searched =
                TreeRow { alpha: Some(0), beta: Some(1), value: Some(value), depth: Some(1024), ..TreeRow::default() };
            builder.push(TreeRow { level: level + 1, mv, ..searched }, &[]);
        }
        builder.finish()
    }

    /// The marks of `here` compared with `there`, if they differ after these moves; `None` if they do not.
    fn marks(here: &View, there: &View, line: Option<&[(&str, &str)]>) -> RowDifferences {
        let step = |&(name, uci): &(&str, &str)| PathStep {
            name: name.to_owned(),
            mv: None,
            uci: uci.to_owned(),
            probe: None,
            place: 0,
        };
        let path = line.map(|line| line.iter().map(step).collect());
        RowDifferences::between(here, there, "x = 1".to_owned(), &Divergence { path, ..Divergence::default() })
    }

    fn rows(found: &RowDifferences) -> Vec<(u32, bool)> {
        found.list.iter().map(|found| (found.row, found.there.is_none())).collect()
    }

    /// One UCI move has several names, in one tree as in the other.
    #[test]
    fn rows_are_paired_by_the_move_and_not_by_its_name() {
        const BISHOP: (&str, &str) = ("Bg3", "f4g3");
        const QUEEN: (&str, &str) = ("Qg3+", "f4g3");
        let lines = [(1, BISHOP, 5), (2, E5, -5), (1, C5, 3), (2, QUEEN, -4)];
        for (here, there) in [(&[BISHOP, QUEEN], &[QUEEN, BISHOP]), (&[BISHOP, QUEEN], &[BISHOP, QUEEN])] {
            let found = marks(&tree(here, &lines), &tree(there, &lines), None);
            assert_eq!(rows(&found), [], "{here:?} {there:?}");
        }
    }

    #[test]
    fn values_bounds_and_rows_of_one_side_are_distinguished() {
        let here = tree(&[], &[(1, E4, 5), (2, E5, -5), (2, C5, -7)]);
        for (name, lines, expected) in [
            ("the same", vec![(1, E4, 5), (2, E5, -5), (2, C5, -7)], vec![]),
            ("another order", vec![(1, E4, 5), (2, C5, -7), (2, E5, -5)], vec![(2, false)]),
            ("another value", vec![(1, E4, 5), (2, E5, -5), (2, C5, -8)], vec![(4, false)]),
            ("another bound", vec![(1, E4, 5), (2, E5, 5), (2, C5, -7)], vec![(3, false)]),
            ("a row only here", vec![(1, E4, 5), (2, E5, -5)], vec![(4, true)]),
            ("a subtree only here", vec![(1, C5, 5)], vec![(1, false), (2, true), (3, true), (4, true)]),
        ] {
            let found = marks(&here, &tree(&[C5, E5], &lines), None);
            assert_eq!((rows(&found), found.first()), (expected, None), "{name}");
            let reordered = found.list.iter().any(|one| one.there.is_some_and(|there| there.reordered));
            assert_eq!(reordered, name == "another order", "{name}");
        }
    }

    /// Rows that exist only in the other search mark their parent as different.
    #[test]
    fn rows_that_are_missing_here_make_their_node_differ() {
        let here = tree(&[], &[(1, E4, 5), (2, E5, -5)]);
        let there = tree(&[], &[(1, E4, 5), (2, E5, -5), (2, C5, -7)]);
        let found = marks(&here, &there, Some(&[E4, C5]));
        assert_eq!((rows(&found), found.first()), (vec![(2, false)], Some(2)));
        assert_eq!(found.list[0].there.map(|there| there.more), Some(1));
    }

    /// Two rules that skip the same move differ; the same rule does not.
    #[test]
    fn the_rule_that_left_a_move_out_counts() {
        let by = |rule: Rule| {
            let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
            let (why, mv) = (builder.text("depth 2"), builder.mv("e4", "e2e4"));
            builder.push(TreeRow::default(), &[]);
            builder
                .push(TreeRow { level: 1, kind: RowKind::Iteration, why, value: Some(9), ..TreeRow::default() }, &[]);
            let decision = RuleDecision { rule, action: RuleAction::Skipped, amount: 0, numbers: &[] };
            builder.push(TreeRow { level: 2, kind: RowKind::Unsearched, mv, ..TreeRow::default() }, &[decision]);
            builder.finish()
        };
        let found = |other| rows(&marks(&by(Rule::Futility), &by(other), None));
        assert_eq!((found(Rule::Futility), found(Rule::SeePruning)), (vec![], vec![(2, false)]));
    }

    /// The row at the end of the path is marked, also where nothing else differs at it.
    #[test]
    fn the_first_row_is_that_of_the_divergence() {
        let here = tree(&[], &[(1, E4, 5), (2, E5, -5), (2, C5, -7)]);
        let there = tree(&[], &[(1, E4, 8), (2, E5, -5), (2, C5, -8)]);
        let found = marks(&here, &there, Some(&[E4, C5]));
        assert_eq!((rows(&found), found.first()), (vec![(2, false), (4, false)], Some(4)));
        assert_eq!(found.summary(), json!({"label": "x = 1", "differ": 2, "only": 0, "first": 4}));
        assert_eq!(found.matches(here.rows.len()).total(), 2);
        assert!(found.of(3).is_none() && found.of(4).is_some_and(|one| one["first"] == true));
        let found = marks(&here, &there, Some(&[E4, E5]));
        assert_eq!((rows(&found), found.first()), (vec![(2, false), (3, false), (4, false)], Some(3)));
        let found = marks(&here, &there, Some(&[]));
        assert_eq!((rows(&found), found.first()), (vec![(1, false), (2, false), (4, false)], Some(1)));
    }

    /// The second search of a move is compared with the second.
    #[test]
    fn repeated_searches_are_paired_in_their_order() {
        let here = tree(&[], &[(1, E4, 5), (1, E4, 6)]);
        let there = tree(&[], &[(1, E4, 5), (1, E4, 7)]);
        assert_eq!(rows(&marks(&here, &there, None)), [(3, false)]);
    }
}
