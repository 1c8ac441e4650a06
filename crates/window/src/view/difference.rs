//! Which rows of a tree differ from those of another search of the same position.
//!
//! Rows are paired from the root on: iterations by their depth, the last window with the last one; then moves by what they are, the first
//! search of a move with the first, the second with the second, and the searches of a rule by the rule. A row without a partner is *only
//! here*. A pair differs in its value, in what that proves, in depth or cost, or in whether the move was searched; so does a pair of nodes
//! where the other one has rows that are missing here. How much was searched below is no difference of its own: the rows below tell.

use std::collections::HashMap;

use quarterply_engine::score::Bound;
use serde::Serialize;

use super::query::Matches;
use super::{Judged, Kind, NO_AMOUNT, NO_SCORE, Row, View, flag};
use crate::trace::Purpose;

/// What the other search has in place of a row.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
pub struct There {
    /// Its value, seen as that of the row.
    pub value: Option<i16>,
    /// What the value proves: 0 it is exact, 1 at most, 2 at least.
    pub bound: u8,
    /// Depth left on entering, in 1/1024 ply.
    pub depth: Option<i32>,
    /// Moves made for it and below it.
    pub nodes: u32,
    /// It was not searched.
    pub unsearched: bool,
    /// Rows directly below it that are missing here.
    pub more: u32,
}

/// A row that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Which row.
    pub row: u32,
    /// Its partner in the other tree; `None` if it is only here.
    pub there: Option<There>,
    /// Do the trees part at the row itself, whatever is below it?
    apart: bool,
}

/// All rows that differ, in their order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Differences {
    /// What the other search was made with.
    pub label: String,
    list: Vec<Difference>,
    first: Option<u32>,
}

/// What the page says of all of them.
#[derive(Serialize)]
pub struct Told<'a> {
    label: &'a str,
    /// Rows that have a partner and differ from it.
    differ: usize,
    /// Rows that have none.
    only: usize,
    /// The first row where the trees part in the deepest iteration that both have.
    first: Option<u32>,
}

/// What the page reads of one row.
#[derive(Serialize)]
pub struct DifferenceOut {
    first: bool,
    there: Option<There>,
}

impl Differences {
    /// Lays a tree beside another one of the same position.
    pub fn between(here: &View, there: &View, label: String) -> Differences {
        let mut pairing = Pairing { here, there, moves: same_moves(here, there), list: Vec::new() };
        let passes = passes(here, there);
        passes.iter().for_each(|&(one, other)| pairing.pair(one, other));
        pairing.list.sort_unstable_by_key(|found| found.row);
        let mut found = Differences { label, list: pairing.list, first: None };
        found.first = passes.iter().map(|&(one, _)| one).max().and_then(|pass| found.parts_below(here, pass));
        found
    }

    /// The rows, in their order.
    pub fn list(&self) -> &[Difference] {
        &self.list
    }

    /// The first row where the trees part in the deepest iteration that both have; `None` if they do not part there.
    pub fn first(&self) -> Option<usize> {
        self.first.map(|row| row as usize)
    }

    /// What is to be said of a row; `None` if it does not differ.
    pub fn of(&self, row: usize) -> Option<DifferenceOut> {
        let at = self.list.binary_search_by_key(&row, |found| found.row as usize).ok()?;
        Some(DifferenceOut { first: self.first() == Some(row), there: self.list[at].there })
    }

    /// What is to be said of all.
    pub fn told(&self) -> Told<'_> {
        let only = self.list.iter().filter(|found| found.there.is_none()).count();
        Told { label: &self.label, differ: self.list.len() - only, only, first: self.first }
    }

    /// The rows as matches of a filter, in a tree of so many rows.
    pub fn matches(&self, rows: usize) -> Matches {
        Matches::of(rows, self.list.iter().map(|found| found.row as usize))
    }

    /// The first difference among the rows from `from` to `end`.
    fn next(&self, from: usize, end: usize) -> Option<&Difference> {
        let at = self.list.partition_point(|found| (found.row as usize) < from);
        self.list.get(at).filter(|found| (found.row as usize) < end)
    }

    /// The row below a pass, or the pass, from which on the trees are not the same: its own story differs, or none below it does.
    fn parts_below(&self, view: &View, pass: usize) -> Option<u32> {
        let mut at = pass;
        self.next(at, view.rows[at].end as usize)?;
        loop {
            let end = view.rows[at].end as usize;
            let apart = self.next(at, at + 1).is_some_and(|found| found.apart);
            let Some(below) = self.next(at + 1, end).filter(|_| !apart) else { return u32::try_from(at).ok() };
            let leads = |&child: &usize| (below.row as usize) < view.rows[child].end as usize;
            at = view.children(at).find(leads)?;
        }
    }
}

/// What tells rows beside each other apart: the move, the rule whose search it is, and which of its kind it is.
type Key = (u16, u8, usize);

struct Pairing<'a> {
    here: &'a View,
    there: &'a View,
    /// The number here of each move there.
    moves: Vec<u16>,
    list: Vec<Difference>,
}

impl Pairing<'_> {
    /// Two rows that stand for the same, and all below them.
    fn pair(&mut self, one: usize, other: usize) {
        let (here, there) = (&self.here.rows[one], &self.there.rows[other]);
        let (ours, theirs) = (keys(self.here, one, |mv| mv), keys(self.there, other, |mv| self.moves[usize::from(mv)]));
        // Of what was not recorded or not kept nothing can be said.
        let known = [here, there].iter().all(|row| row.flags & flag::FOLDED == 0);
        let missing = theirs.iter().filter(|(key, _)| !ours.iter().any(|(own, _)| own == key)).count();
        let more = if known { missing as u32 } else { 0 };
        let apart = more > 0 || !is_alike(here, there);
        if apart || proof(here) != proof(there) {
            self.list.push(Difference { row: one as u32, there: Some(told(there, more)), apart });
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
        let rows = row as u32..self.here.rows[row].end;
        self.list.extend(rows.map(|row| Difference { row, there: None, apart: true }));
    }
}

/// The rows below a row that stand for a search or for a move, with what tells them apart.
fn keys(view: &View, place: usize, number: impl Fn(u16) -> u16) -> Vec<(Key, usize)> {
    let mut keys: Vec<(Key, usize)> = Vec::new();
    for child in view.children(place).filter(|&child| view.rows[child].kind != Kind::LeftOut) {
        let row = &view.rows[child];
        let (mv, rule) = (number(row.mv), rule_search(row));
        let before = keys.iter().filter(|((other, by, _), _)| (*other, *by) == (mv, rule)).count();
        keys.push(((mv, rule, before), child));
    }
    keys
}

/// The purpose of a search that a rule made for itself; 0 for a move of the node.
fn rule_search(row: &Row) -> u8 {
    let purpose = usize::from(row.purpose).checked_sub(1).and_then(|place| Purpose::ALL.get(place));
    if purpose.is_some_and(|purpose| purpose.rule().is_some()) { row.purpose } else { 0 }
}

/// The number here of each move there; the greatest number, which no move has, for those that are not here.
fn same_moves(here: &View, there: &View) -> Vec<u16> {
    let numbers: HashMap<&str, u16> =
        (0u16..).zip(&here.moves).map(|(number, (_, uci))| (uci.as_str(), number)).collect();
    there.moves.iter().map(|(_, uci)| numbers.get(uci.as_str()).copied().unwrap_or(u16::MAX)).collect()
}

/// The finished iterations that both trees have; of the windows of one iteration the last with the last.
fn passes(here: &View, there: &View) -> Vec<(usize, usize)> {
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
        view.children(0).filter(|&row| view.rows[row].kind == Kind::Pass && view.rows[row].value != NO_SCORE);
    let name = |row: usize| {
        let text = view.strings[view.rows[row].why as usize].as_str();
        text.split_once(WINDOW).map_or(text, |(name, _)| name).to_owned()
    };
    finished.map(|row| (name(row), row)).collect()
}

/// Was the same asked: a search to the same depth at the same price, or none?
fn is_alike(one: &Row, other: &Row) -> bool {
    (one.kind, one.depth, one.other, one.cost) == (other.kind, other.depth, other.other, other.cost)
}

/// The value of a row and what it proves.
fn proof(row: &Row) -> (i16, u8) {
    (row.value, proven(row))
}

/// What a value proves in its window, or by what became of it where the window is not known.
fn proven(row: &Row) -> u8 {
    let bound = match row {
        Row { value: NO_SCORE, .. } => Bound::Exact,
        Row { alpha: NO_SCORE, .. } | Row { beta: NO_SCORE, .. } => match row.judged {
            Judged::Cutoff | Judged::Again => Bound::Lower,
            Judged::NotBest => Bound::Upper,
            Judged::Best | Judged::Nothing => Bound::Exact,
        },
        Row { value, beta, .. } if value >= beta => Bound::Lower,
        Row { value, alpha, .. } if value <= alpha => Bound::Upper,
        _ => Bound::Exact,
    };
    super::sign(bound)
}

fn told(row: &Row, more: u32) -> There {
    There {
        value: (row.value != NO_SCORE).then_some(row.value),
        bound: proven(row),
        depth: (row.depth != NO_AMOUNT).then_some(row.depth),
        nodes: row.nodes,
        unsearched: row.kind == Kind::Unsearched,
        more,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{About, Builder};

    const E4: (&str, &str) = ("e4", "e2e4");
    const E5: (&str, &str) = ("e5", "e7e5");
    const C5: (&str, &str) = ("c5", "c7c5");

    /// One row: level, move, value for the side that made it; the window is that of a null window around 0.
    type Line = (u16, (&'static str, &'static str), i16);

    /// A tree of one iteration with these rows; the moves are numbered in the order given.
    fn tree(order: &[(&str, &str)], lines: &[Line]) -> View {
        let mut builder = Builder::new(About::search(String::new()));
        order.iter().for_each(|(san, uci)| {
            builder.mv(san, uci);
        });
        let why = builder.text("depth 2, window 3");
        builder.push(Row::default(), &[]);
        builder.push(Row { level: 1, kind: Kind::Pass, why, value: 9, ..Row::default() }, &[]);
        for &(level, (san, uci), value) in lines {
            let mv = builder.mv(san, uci);
            builder.push(Row { level: level + 1, mv, value, alpha: 0, beta: 1, depth: 1024, ..Row::default() }, &[]);
        }
        builder.finish()
    }

    fn rows(found: &Differences) -> Vec<(u32, bool)> {
        found.list().iter().map(|found| (found.row, found.there.is_none())).collect()
    }

    #[test]
    fn the_same_tree_does_not_differ() {
        let lines = [(1, E4, 5), (2, E5, -5), (2, C5, -7)];
        let found = Differences::between(&tree(&[], &lines), &tree(&[C5, E5], &lines), String::new());
        assert_eq!((rows(&found), found.first()), (Vec::new(), None));
    }

    #[test]
    fn values_bounds_and_rows_of_one_side_are_told_apart() {
        let here = tree(&[], &[(1, E4, 5), (2, E5, -5), (2, C5, -7)]);
        for (name, lines, expected, first) in [
            ("another value", vec![(1, E4, 5), (2, E5, -5), (2, C5, -8)], vec![(4, false)], 4),
            ("another bound", vec![(1, E4, 5), (2, E5, 5), (2, C5, -7)], vec![(3, false)], 3),
            ("a row only here", vec![(1, E4, 5), (2, E5, -5)], vec![(4, true)], 4),
            ("a subtree only here", vec![(1, C5, 5)], vec![(1, false), (2, true), (3, true), (4, true)], 1),
        ] {
            let found = Differences::between(&here, &tree(&[], &lines), String::new());
            assert_eq!((rows(&found), found.first()), (expected, Some(first)), "{name}");
        }
    }

    /// What the other search did beside it belongs to the node.
    #[test]
    fn rows_that_are_missing_here_make_their_node_differ() {
        let here = tree(&[], &[(1, E4, 5), (2, E5, -5)]);
        let there = tree(&[], &[(1, E4, 5), (2, E5, -5), (2, C5, -7)]);
        let found = Differences::between(&here, &there, String::new());
        assert_eq!(rows(&found), [(2, false)]);
        assert_eq!(found.list()[0].there.map(|there| there.more), Some(1));
    }

    /// A value that comes from below is no place where trees part: the way leads on to what made it.
    #[test]
    fn the_first_difference_is_the_deepest_on_the_way_to_it() {
        let here = tree(&[], &[(1, E4, 5), (2, E5, -5), (2, C5, -7)]);
        let there = tree(&[], &[(1, E4, 8), (2, E5, -5), (2, C5, -8)]);
        let found = Differences::between(&here, &there, "x = 1".to_owned());
        assert_eq!((rows(&found), found.first()), (vec![(2, false), (4, false)], Some(4)));
        let told = serde_json::to_value(found.told()).expect("JSON");
        assert_eq!(told, serde_json::json!({"label": "x = 1", "differ": 2, "only": 0, "first": 4}));
        assert_eq!(found.matches(here.rows.len()).total(), 2);
        assert!(found.of(3).is_none() && found.of(4).is_some_and(|one| one.first));
    }

    /// The second search of a move is laid beside the second.
    #[test]
    fn repeated_searches_are_paired_in_their_order() {
        let here = tree(&[], &[(1, E4, 5), (1, E4, 6)]);
        let there = tree(&[], &[(1, E4, 5), (1, E4, 7)]);
        assert_eq!(rows(&Differences::between(&here, &there, String::new())), [(3, false)]);
    }
}
