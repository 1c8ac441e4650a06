//! Queries of the page about trees that it does not hold: children, paths, the overview, moves and events.
//!
//! Events are numbered: every row is entered once and left once. Row `i` at level `l` is entered by event `2i - l`, because the
//! `i` rows before it were entered and all of them but its `l` ancestors were left.

use serde::Serialize;
use serde_json::{Value, json};

use super::{MoveNumber, RowDecision, RowKind, RuleAction, RuleMark, TreeRow, View, flag};

/// Which rows are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFilter {
    /// Rows with decisions of this rule, given by its place in the list of rules.
    Rule(u8),
    /// Rows with decisions of this family.
    Family(u8),
    /// Moves that refuted the move before.
    Cutoff,
    /// Repeated searches.
    Again,
    /// Nodes of quiescence.
    Quiet,
    /// Moves that were not searched.
    Unsearched,
    /// Rows on the principal variation.
    Line,
}

impl RowFilter {
    /// The forms in addresses; `N` is the place of a rule or a family.
    pub const FORMS: &str = "rule-N, family-N, cutoff, again, quiescence, unsearched, line";

    /// Reads one of [`RowFilter::FORMS`].
    pub fn parse(text: &str) -> Option<RowFilter> {
        Some(match text {
            "cutoff" => RowFilter::Cutoff,
            "again" => RowFilter::Again,
            "quiescence" => RowFilter::Quiet,
            "unsearched" => RowFilter::Unsearched,
            "line" => RowFilter::Line,
            _ => match text.split_once('-')? {
                ("rule", number) => RowFilter::Rule(number.parse().ok()?),
                ("family", number) => RowFilter::Family(number.parse().ok()?),
                _ => return None,
            },
        })
    }
}

/// The number of rows that match a filter before each row.
#[derive(Clone, PartialEq, Debug)]
pub struct Matches {
    before: Vec<u32>,
}

impl Matches {
    /// These rows, in order, of `count` rows.
    pub(crate) fn of(count: usize, rows: impl Iterator<Item = usize>) -> Matches {
        let mut before = vec![0; count + 1];
        rows.for_each(|row| before[row + 1] = 1);
        (0..count).for_each(|row| before[row + 1] += before[row]);
        Matches { before }
    }

    /// Returns true if the row or any row below it matches.
    pub fn within(&self, row: usize, end: usize) -> bool {
        self.before[end] > self.before[row]
    }

    /// Returns true if the row itself matches.
    pub fn at(&self, row: usize) -> bool {
        self.within(row, row + 1)
    }

    /// Number of rows that match.
    pub fn total(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Some children of a row.
#[derive(Serialize)]
pub struct ChildRows {
    /// Their number; with a filter, the number of those that lead to a match.
    pub total: usize,
    /// The first of these among them.
    pub from: usize,
    /// The rows.
    pub rows: Vec<Value>,
}

/// The row that a sequence of moves leads to.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct LineSearch {
    /// The row, as far as the moves are in the tree.
    pub row: usize,
    /// Number of moves that were found.
    pub matched: usize,
    /// The first move that was not.
    pub missing: Option<String>,
}

/// Rectangles sent at most: more than fit on any screen.
const RECTANGLES_MAX: usize = 20_000;

impl View {
    /// One row for the page.
    pub fn row_out(&self, place: usize) -> Value {
        let row = &self.rows[place];
        let (san, uci) = self.move_text(row.mv);
        let ([expected, found, decision], (number, event)) = (row.page_outcome(), row.page_model());
        let mark = |mark: &RuleMark| (mark.rule, mark.action as u8, mark.amount, self.reason(mark));
        let hit = row.hit.map(|hit| {
            let (bound, (san, _)) = (hit.page_bound(), self.move_text(hit.mv));
            json!({"bound": bound, "value": hit.value, "san": san, "depth": hit.depth, "from": hit.from})
        });
        json!({
            "id": place, "up": row.up, "level": row.level, "ply": row.ply, "kind": row.kind as u8, "san": san, "uci": uci,
            "size": row.end - place as u32, "kids": self.children(place).count(), "nodes": row.nodes,
            "depth": row.depth, "own": row.own, "other": row.other, "cost": row.cost,
            "alpha": row.alpha, "beta": row.beta, "guess": row.guess, "value": row.value,
            "expected": expected, "found": found, "decision": decision, "purpose": row.page_purpose(), "stage": row.page_stage(),
            "order": row.page_order(), "flags": row.page_flags(), "why": self.text(row.why), "omitted": row.omitted.count(),
            "unreached": row.unreached, "rest": self.rest_of(row).iter().map(|&mv| self.move_text(mv)).collect::<Vec<_>>(),
            "number": number, "event": event, "marks": self.marks_of(place).iter().map(mark).collect::<Vec<_>>(), "hit": hit,
        })
    }

    /// One rectangle of the overview: a row with the number of nodes before it.
    fn rectangle(&self, place: usize, offset: u64, matches: bool) -> Value {
        let row = &self.rows[place];
        let [_, _, decision] = row.page_outcome();
        let mark = self.leading_mark(place);
        let (rule, family) = (mark.map(|mark| mark.rule), mark.and_then(RuleMark::family));
        json!([
            place,
            row.level,
            row.ply,
            offset,
            row.nodes,
            rule,
            row.value,
            decision,
            row.kind as u8,
            row.page_flags(),
            self.name_of(row),
            matches,
            row.end - place as u32,
            family,
            row.alpha,
            row.beta,
        ])
    }

    /// The rows directly below a row.
    pub fn children(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.rows[place].end as usize;
        let first = (place + 1 < end).then_some(place + 1);
        std::iter::successors(first, move |&child| Some(self.rows[child].end as usize).filter(|&next| next < end))
    }

    /// Some of the children of a row, of those that lead to a match where a filter is given.
    pub fn slice(&self, place: usize, from: usize, count: usize, matches: Option<&Matches>) -> ChildRows {
        let leads = |&child: &usize| matches.is_none_or(|m| m.within(child, self.rows[child].end as usize));
        let all: Vec<usize> = self.children(place).filter(leads).collect();
        let rows = all.iter().skip(from).take(count).map(|&child| self.row_out(child)).collect();
        ChildRows { total: all.len(), from, rows }
    }

    /// The row that a row is below; `None` for the first.
    pub fn up(&self, row: usize) -> Option<usize> {
        self.rows[row].up.map(|up| up as usize)
    }

    /// The rows from the first to this one.
    pub fn path(&self, place: usize) -> Vec<Value> {
        let up = |&row: &usize| self.up(row);
        let mut rows: Vec<usize> = std::iter::successors(Some(place), up).collect();
        rows.reverse();
        rows.into_iter().map(|row| self.row_out(row)).collect()
    }

    /// The decision by which a row is coloured: what ended it, else what changed its cost or depth most.
    pub fn leading_mark(&self, place: usize) -> Option<&RuleMark> {
        let marks = self.marks_of(place);
        let ended = marks.iter().find(|mark| matches!(mark.action, RuleAction::Cut | RuleAction::Skipped));
        ended.or_else(|| marks.iter().max_by_key(|mark| mark.amount.abs()))
    }

    /// What can be seen of the subtree of `place` when its width is divided into `width` parts: rows at least one part wide, in
    /// preorder, each with the number of nodes before it.
    pub fn overview(&self, place: usize, width: u32, matches: Option<&Matches>) -> Vec<Value> {
        let least = (self.rows[place].nodes / width.max(1)).max(1);
        let mut rectangles = Vec::new();
        let mut waiting = vec![(place, 0)];
        while let Some((row, offset)) = waiting.pop() {
            if rectangles.len() >= RECTANGLES_MAX {
                break;
            }
            let matching = matches.is_none_or(|m| m.within(row, self.rows[row].end as usize));
            rectangles.push(self.rectangle(row, offset, matching));
            let mut side_by_side = offset;
            let first_below = waiting.len();
            for child in self.children(row) {
                let nodes = self.rows[child].nodes;
                if nodes >= least {
                    waiting.push((child, side_by_side));
                }
                side_by_side += u64::from(nodes);
            }
            waiting[first_below..].reverse();
        }
        rectangles
    }

    /// Counts the rows that match a filter.
    pub fn matches(&self, filter: RowFilter) -> Matches {
        let matching = |&row: &usize| self.does_match(row, &self.rows[row], filter);
        Matches::of(self.rows.len(), (0..self.rows.len()).filter(matching))
    }

    fn does_match(&self, place: usize, row: &TreeRow, filter: RowFilter) -> bool {
        match filter {
            RowFilter::Rule(rule) => self.marks_of(place).iter().any(|mark| mark.rule == rule),
            RowFilter::Family(family) => self.marks_of(place).iter().any(|mark| mark.family() == Some(family)),
            RowFilter::Cutoff => row.decision == Some(RowDecision::Cutoff),
            RowFilter::Again => row.flags & flag::AGAIN != 0,
            RowFilter::Quiet => row.kind == RowKind::Quiet,
            RowFilter::Unsearched => row.kind == RowKind::Unsearched,
            RowFilter::Line => row.flags & flag::LINE != 0,
        }
    }

    /// Follows moves in SAN or UCI notation from the root, in all iterations. Returns the row with the largest subtree if several match.
    pub fn find(&self, moves: &str) -> LineSearch {
        let words: Vec<&str> = crate::moves::words(moves).collect();
        let mut rows = vec![0];
        let mut at = 0;
        while let Some(&row) = rows.get(at) {
            rows.extend(self.children(row).filter(|&child| self.rows[child].kind == RowKind::Iteration));
            at += 1;
        }
        for (matched, word) in words.iter().enumerate() {
            let spelling = plain(word);
            let next: Vec<usize> = rows
                .iter()
                .flat_map(|&row| self.children(row))
                .filter(|&child| self.is_move(child, &spelling))
                .collect();
            if next.is_empty() {
                return LineSearch { row: self.widest(&rows), matched, missing: Some((*word).to_owned()) };
            }
            rows = next;
        }
        LineSearch { row: self.widest(&rows), matched: words.len(), missing: None }
    }

    /// The move of a row; the name of an iteration; the purpose of a search without a move.
    fn name_of(&self, row: &TreeRow) -> &str {
        match row.kind {
            RowKind::Iteration => self.text(row.why),
            _ if row.mv.is_none() => {
                self.about.purposes.get(usize::from(row.page_purpose())).map_or("", |(short, _)| short)
            }
            _ => &self.move_text(row.mv).0,
        }
    }

    fn is_move(&self, place: usize, spelling: &str) -> bool {
        let row = &self.rows[place];
        let fits = |mv: Option<MoveNumber>| {
            let (san, uci) = self.move_text(mv);
            plain(san) == spelling || uci == spelling || other_castling(san, uci).is_some_and(|other| other == spelling)
        };
        if row.mv.is_none() { self.rest_of(row).iter().any(|&mv| fits(mv)) } else { fits(row.mv) }
    }

    fn widest(&self, rows: &[usize]) -> usize {
        rows.iter().copied().max_by_key(|&row| (self.rows[row].nodes, row)).unwrap_or(0)
    }

    /// Number of events.
    pub fn events(&self) -> usize {
        self.rows.len() * 2
    }

    /// The event that enters a row.
    pub fn entering(&self, row: usize) -> usize {
        row * 2 - usize::from(self.rows[row].level)
    }

    /// The event that leaves a row.
    pub fn leaving(&self, row: usize) -> usize {
        self.rows[row].end as usize * 2 - 1 - usize::from(self.rows[row].level)
    }

    /// The row that an event is about, and whether it is left by it.
    pub fn event(&self, at: usize) -> Option<(usize, bool)> {
        if at >= self.events() {
            return None;
        }
        let (mut low, mut high) = (0, self.rows.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.entering(middle) <= at { low = middle } else { high = middle }
        }
        let steps = at - self.entering(low);
        let row = (1..steps).try_fold(low, |row, _| self.up(row))?;
        Some((row, steps > 0))
    }

    /// The nearest event after (or before) `at` that leaves a row that matches.
    pub fn next_event(&self, at: usize, back: bool, matches: &Matches) -> Option<usize> {
        let leavings = (0..self.rows.len()).filter(|&row| matches.at(row)).map(|row| self.leaving(row));
        if back { leavings.filter(|&event| event < at).max() } else { leavings.filter(|&event| event > at).min() }
    }
}

/// A move without optional signs.
fn plain(san: &str) -> String {
    san.replace('0', "O").chars().filter(|c| !"+#!?x=".contains(*c)).collect()
}

/// Castling in its other notation, as the king's move or as the king taking its rook; `None` for other moves.
fn other_castling(san: &str, uci: &str) -> Option<String> {
    let (king, corner) = match plain(san).as_str() {
        "O-O" => ('g', 'h'),
        "O-O-O" => ('c', 'a'),
        _ => return None,
    };
    let mut letters = uci.chars();
    let (file, rank) = (letters.next()?, letters.next()?);
    let move_to = |target: char| format!("{file}{rank}{target}{rank}");
    if uci == move_to(king) {
        return Some(move_to(corner));
    }
    // A step of the king is another move.
    (u32::from(file).abs_diff(u32::from(king)) > 1).then(|| move_to(king))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{RuleDecision, TreeInfo, ViewBuilder};
    use quarterply_engine::rules::Rule;

    /// `e4` with replies `e5` (cut by a rule, with one move below) and `c5`, then `Nf3+` unsearched.
    fn small() -> View {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        let (e4, e5, c5) = (builder.mv("e4", "e2e4"), builder.mv("e5", "e7e5"), builder.mv("c5", "c7c5"));
        let nf3 = builder.mv("Nf3+", "g1f3");
        let cut = [RuleDecision { rule: Rule::ReverseFutility, action: RuleAction::Cut, amount: 0, numbers: &[] }];
        builder.push(TreeRow::default(), &[]);
        builder.push(TreeRow { level: 1, mv: e4, nodes: 30, ..TreeRow::default() }, &[]);
        builder.push(TreeRow { level: 2, mv: e5, nodes: 20, ..TreeRow::default() }, &cut);
        let decision = Some(RowDecision::Cutoff);
        builder.push(TreeRow { level: 3, mv: nf3, nodes: 3, decision, ..TreeRow::default() }, &[]);
        builder.push(TreeRow { level: 2, mv: c5, nodes: 9, ..TreeRow::default() }, &[]);
        builder.push(TreeRow { level: 1, mv: nf3, kind: RowKind::Unsearched, ..TreeRow::default() }, &[]);
        builder.finish()
    }

    /// The page reads the same names from columns and from answers of a server.
    #[test]
    fn an_answer_has_the_depth_of_a_row_under_the_names_of_the_columns() {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        builder.push(TreeRow { depth: Some(3), own: Some(1), other: Some(2), ..TreeRow::default() }, &[]);
        let row = builder.finish().row_out(0);
        let read = |name: &str| row.get(name).cloned().expect(name);
        assert_eq!(["depth", "own", "other", "cost"].map(read), [json!(3), json!(1), json!(2), Value::Null]);
    }

    #[test]
    fn children_and_paths() {
        let view = small();
        assert_eq!(view.children(0).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(view.children(1).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(view.children(5).count(), 0);
        let path: Vec<u64> = view.path(3).iter().filter_map(|row| row["id"].as_u64()).collect();
        assert_eq!(path, [0, 1, 2, 3]);
        let slice = view.slice(1, 1, 5, None);
        assert_eq!((slice.total, slice.rows.len(), slice.rows[0]["san"].as_str()), (2, 1, Some("c5")));
    }

    #[test]
    fn events_enter_and_leave_every_row_once() {
        let view = small();
        let events: Vec<_> = (0..view.events()).map(|at| view.event(at).expect("in range")).collect();
        let (inn, out) = (false, true);
        let expected =
            [(0, inn), (1, inn), (2, inn), (3, inn), (3, out), (2, out), (4, inn), (4, out), (1, out), (5, inn)];
        assert_eq!(events[..10], expected);
        assert_eq!(events[10..], [(5, out), (0, out)]);
        for (at, &(row, left)) in events.iter().enumerate() {
            assert_eq!(if left { view.leaving(row) } else { view.entering(row) }, at);
        }
        assert_eq!(view.event(12), None);
        let cutoffs = view.matches(RowFilter::Cutoff);
        for (at, back, expected) in [(0, false, Some(4)), (4, false, None), (11, true, Some(4))] {
            assert_eq!(view.next_event(at, back, &cutoffs), expected, "{at} {back}");
        }
    }

    #[test]
    fn filters_keep_the_rows_that_lead_to_a_match() {
        let view = small();
        let rule = Rule::ReverseFutility as u8;
        let ruled = view.matches(RowFilter::Rule(rule));
        assert_eq!(ruled.total(), 1);
        assert_eq!(view.slice(1, 0, 9, Some(&ruled)).total, 1);
        let family = view.about.rules[usize::from(rule)].family;
        assert_eq!(view.matches(RowFilter::Family(family)), ruled);
        assert_eq!(view.matches(RowFilter::Unsearched).total(), 1);
        for (text, filter) in
            [("rule-8", Some(RowFilter::Rule(8))), ("cutoff", Some(RowFilter::Cutoff)), ("rule-", None), ("x", None)]
        {
            assert_eq!(RowFilter::parse(text), filter, "{text}");
        }
    }

    #[test]
    fn moves_are_found_in_many_spellings() {
        let view = small();
        for (moves, row, matched) in [
            ("e4 e5 Nf3", 3, 3),
            ("1.e4 e5 2.Nf3+", 3, 3),
            ("1. e4 c7c5", 4, 2),
            ("e4 d5 Nf3", 1, 1),
            ("g1f3", 5, 1),
            ("", 0, 0),
        ] {
            let found = view.find(moves);
            assert_eq!((found.row, found.matched), (row, matched), "{moves}");
        }
        assert_eq!(view.find("e4 d5").missing.as_deref(), Some("d5"));
    }

    #[test]
    fn castling_is_found_in_both_notations() {
        for (san, uci, words) in [
            ("O-O", "e1g1", &["e1g1", "e1h1", "O-O", "0-0"][..]),
            ("O-O-O+", "e8c8", &["e8c8", "e8a8", "O-O-O"]),
            ("O-O", "e1h1", &["e1g1", "e1h1", "O-O"]),
            ("O-O", "b1f1", &["b1g1", "b1f1"]),
        ] {
            let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
            let mv = builder.mv(san, uci);
            builder.push(TreeRow::default(), &[]);
            builder.push(TreeRow { level: 1, mv, ..TreeRow::default() }, &[]);
            let view = builder.finish();
            for word in words {
                assert_eq!(view.find(word).row, 1, "{san} {uci}: {word}");
            }
            assert_eq!(view.find("e1f1").row, 0, "{san} {uci}");
        }
        assert_eq!(other_castling("O-O", "f1h1"), None, "f1g1 is another move");
    }

    /// The page needs the window to distinguish a bound from an exact value.
    #[test]
    fn a_rectangle_has_the_window_of_its_row() {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        let (alpha, beta, value) = (Some(10), Some(11), Some(3));
        builder.push(TreeRow { nodes: 9, alpha, beta, value, ..TreeRow::default() }, &[]);
        let view = builder.finish();
        let sent = view.overview(0, 100, None);
        let part = |place: usize| sent[0][place].as_i64();
        assert_eq!([part(6), part(14), part(15)], [Some(3), Some(10), Some(11)]);
    }

    #[test]
    fn the_overview_leaves_out_what_is_too_narrow() {
        let view = small();
        let rows = |width| -> Vec<[u64; 2]> {
            let sent = view.overview(0, width, None);
            sent.iter().map(|rectangle| [0, 3].map(|part| rectangle[part].as_u64().expect("a number"))).collect()
        };
        assert_eq!(rows(1000), [[0, 0], [1, 0], [2, 0], [3, 0], [4, 20]]);
        assert_eq!(rows(3), [[0, 0], [1, 0], [2, 0]]);
    }
}
