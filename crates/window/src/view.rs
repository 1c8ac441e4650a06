//! The contents of the page: a tree of rows in the order of events, ready to be embedded or served.
//!
//! A [`View`] is built by pushing rows in preorder: a row comes before what happened below it, so the subtree of a row is the
//! range from the row to [`TreeRow::end`]. All scores of a row are seen by the side that made its move, as its parent valued
//! them; only rows without a move before them (the search itself and its iterations) are seen by the side to move at the root.
//! `docs/window-page.md` describes the JSON and the binary form.

mod columns;
pub mod difference;
mod model;
mod query;
mod row;
pub(crate) mod search;

use std::collections::HashMap;

use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::worth::Worths;
use quarterply_engine::rules::{Family, Rule, description};
use quarterply_engine::score::{Bound, Depth, Score};
use serde::Serialize;

use crate::model::PlayableModel;
use crate::move_sources::{MoveSource, SourceTally};
use crate::trace::RuleReason;
use crate::why::{end_meaning, skip_meaning};
use crate::words;

pub use columns::pack;
pub use query::{ChildRows, LineSearch, Matches, RowFilter};
pub use row::{ModelNode, MoveNumber, Omitted, RowDecision, RowKind, RowTableEntry, TextNumber, TreeRow, flag};

/// The code of a bound for the page: 0 exact, 1 at most, 2 at least.
pub(crate) const fn sign(bound: Bound) -> u8 {
    match bound {
        Bound::Exact => 0,
        Bound::Upper => 1,
        Bound::Lower => 2,
    }
}

/// The action of a rule on a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RuleAction {
    /// Ended the node.
    Cut = 0,
    /// Left the move out.
    Skipped = 1,
    /// Changed the cost of the move: reductions are positive, extensions negative.
    CostChanged = 2,
    /// Changed the depth of the node.
    Deepened = 3,
}

/// A decision of a rule about a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleMark {
    /// Which rule, as its place in [`Rule::ALL`].
    pub rule: u8,
    /// The action.
    pub action: RuleAction,
    /// By how much, in 1/1024 ply; zero where it has no amount.
    pub amount: i32,
    /// The place of its first number in [`View::numbers`].
    numbers: u32,
    /// Their count.
    count: u8,
}

impl RuleMark {
    /// The family of the action, as a place in [`Family::ALL`]: a rule that extends and reduces can do both, and can end nodes.
    pub(crate) fn family(&self) -> Option<u8> {
        let own = Rule::ALL.get(usize::from(self.rule))?.family();
        let deeper = match self.action {
            RuleAction::CostChanged => self.amount <= 0,
            _ => self.amount > 0,
        };
        let family = match (own, self.action) {
            (Family::Extension | Family::Reduction, RuleAction::Cut) => Family::NodeCut,
            (Family::Extension | Family::Reduction, RuleAction::Skipped) => Family::MoveSkipped,
            (Family::Extension | Family::Reduction, _) if deeper => Family::Extension,
            (Family::Extension | Family::Reduction, _) => Family::Reduction,
            (own, _) => own,
        };
        Some(family as u8)
    }
}

/// A decision of a rule, to be added with a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleDecision<'a> {
    /// The rule.
    pub rule: Rule,
    /// The action.
    pub action: RuleAction,
    /// By how much, in 1/1024 ply.
    pub amount: i32,
    /// The numbers of the decision, as [`Rule::numbers`] names them.
    pub numbers: &'a [i32],
}

/// A rule as the page lists it.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct RuleName {
    /// Its name.
    pub name: &'static str,
    /// Its family, as a place in [`Family::ALL`].
    pub family: u8,
    /// The reason why the rule skips a move, in terms of chess.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub skips: &'static str,
    /// The reason why the rule ends a node, in terms of chess, with `{}` for the side to move.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub ends: &'static str,
    /// Number of its decisions in the whole recording, shown or not.
    pub count: u64,
    /// Its card, if it made a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<RuleCard>,
}

/// Description of a rule, from its file, its worth, and its parameters.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct RuleCard {
    /// Its full name.
    pub title: String,
    /// Its idea.
    pub idea: String,
    /// When it is wrong.
    pub risk: String,
    /// Keys of the bibliography.
    pub papers: String,
    /// Its worth, with conditions and date.
    pub measured: String,
    /// Its parameters with their descriptions. The numbers of a decision have the same names.
    pub parameters: Vec<(&'static str, &'static str)>,
    /// The terms whose sum is a change of depth, and their meanings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<(&'static str, String)>,
}

impl RuleCard {
    /// The card of a rule; `None` if it has no file.
    pub fn of(rule: Rule) -> Option<RuleCard> {
        let description = description::of(rule.module())?;
        let own = Parameters::specs().filter(|entry| entry.group == rule.module());
        let parameters = own.map(|entry| (entry.spec.name, entry.spec.doc.trim())).collect();
        Some(RuleCard {
            title: description.about.split(':').next().unwrap_or_default().trim_end_matches('.').to_owned(),
            idea: description.idea.to_owned(),
            risk: description.risk.to_owned(),
            papers: description.papers.to_owned(),
            measured: Worths::builtin().measured(rule.module()),
            parameters,
            terms: rule.terms(),
        })
    }
}

/// Facts of the whole tree.
#[derive(Clone, PartialEq, Default, Serialize, Debug)]
pub struct TreeInfo {
    /// `search` or `model`.
    pub kind: &'static str,
    /// A heading; may be empty.
    pub title: String,
    /// The position at the root; a model may have none.
    pub fen: Option<String>,
    /// Units of a score that make a pawn.
    pub unit: i32,
    /// The score of an open bound.
    pub open: i32,
    /// The score of mate at once; a score of this size less up to 256 is a mate.
    pub mate: i32,
    /// Units of depth that make a ply.
    pub ply: i32,
    /// Number of rows.
    pub rows: usize,
    /// Moves made by the search.
    pub nodes: u64,
    /// Nodes that were not recorded.
    pub unrecorded: u64,
    /// Nodes that were recorded and are not shown, because the tree would be too large: those of the smallest subtrees.
    pub cut: u64,
    /// The name of the profile.
    pub profile: String,
    /// Nominal depth reached (plies).
    pub depth: u32,
    /// The value at the root for the side to move.
    pub value: i32,
    /// The bound of the value: 0 exact, 1 at most, 2 at least.
    pub bound: u8,
    /// The principal variation in words.
    pub line: String,
    /// Remarks to show with the tree: limits, parameters changed, time.
    pub remarks: Vec<String>,
    /// The lines of a model from the root in UCI notation, if one was searched. No other moves exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<String>>,
    /// The rules, in the order that marks refer to.
    pub rules: Vec<RuleName>,
    /// Groups of rules.
    pub families: Vec<&'static str>,
    /// Purposes of searches of a move, as a short name and in words; the first means unknown.
    pub purposes: Vec<(&'static str, &'static str)>,
    /// Stages of move ordering; the first is for none, the others are in the order of [`MoveSource`].
    pub stages: Vec<&'static str>,
    /// Sources and places of the moves that decided nodes, in the whole recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<SourceTally>,
    /// The program's version.
    pub version: &'static str,
}

impl TreeInfo {
    /// Nothing known yet of a tree from the search of chess positions.
    pub fn search(fen: String) -> TreeInfo {
        let rule = |&rule: &Rule| RuleName {
            name: rule.name(),
            family: rule.family() as u8,
            skips: skip_meaning(rule),
            ends: end_meaning(rule),
            count: 0,
            card: None,
        };
        TreeInfo {
            kind: "search",
            fen: Some(fen),
            unit: PAWN,
            open: Score::INFINITE.0,
            mate: Score::MATE.0,
            ply: Depth::ONE_PLY.0,
            rules: Rule::ALL.iter().map(rule).collect(),
            families: Family::ALL.iter().map(|family| family.name()).collect(),
            purposes: vec![("", "")],
            stages: std::iter::once("").chain(MoveSource::ALL.iter().map(|source| source.name())).collect(),
            version: env!("CARGO_PKG_VERSION"),
            ..TreeInfo::default()
        }
    }
}

/// Scores of a search are hundredths of a pawn.
const PAWN: i32 = 100;

/// A move as it is shown and as it is made on the board: SAN and UCI text.
pub type MoveNames = (String, String);

/// The game and the parameters of a search, so that parts of it can be searched again.
#[derive(Clone, Debug)]
pub struct SearchInput {
    /// The game up to the root.
    pub game: Game,
    /// All parameters.
    pub parameters: Parameters,
    /// The model tree to which the search was limited.
    pub playable: Option<PlayableModel>,
}

/// A finished tree.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Facts of the whole tree.
    pub about: TreeInfo,
    /// The rows in preorder.
    pub rows: Vec<TreeRow>,
    /// Moves that rows refer to; the first is empty.
    pub moves: Vec<MoveNames>,
    /// Texts that rows refer to; the first is empty.
    pub strings: Vec<String>,
    /// The decisions of rules, row by row.
    pub marks: Vec<RuleMark>,
    /// The numbers of marks.
    pub numbers: Vec<i32>,
    /// Moves that were skipped together.
    pub rests: Vec<Option<MoveNumber>>,
    /// Labels of the numbers of each rule, in the order of [`Rule::ALL`].
    pub labels: Vec<Vec<String>>,
    /// Game and parameters for further searches; `None` for models searched by the textbook, for traces of models without their model, and
    /// for searches with a custom evaluation.
    pub basis: Option<SearchInput>,
}

impl View {
    /// The marks of a row.
    pub fn marks_of(&self, row: usize) -> &[RuleMark] {
        let start = self.rows[row].marks as usize;
        let end = self.rows.get(row + 1).map_or(self.marks.len(), |next| next.marks as usize);
        &self.marks[start..end]
    }

    /// The numbers of a mark, in words.
    pub fn reason(&self, mark: &RuleMark) -> String {
        let start = mark.numbers as usize;
        let numbers = self.numbers[start..start + usize::from(mark.count)].to_vec();
        let place = usize::from(mark.rule);
        let (Some(&rule), Some(labels)) = (Rule::ALL.get(place), self.labels.get(place)) else { return String::new() };
        words::reason(&RuleReason { rule, numbers }, labels)
    }

    /// Adds the cards of all rules that made decisions.
    pub(crate) fn explain(&mut self) {
        for (rule, &which) in self.about.rules.iter_mut().zip(Rule::ALL) {
            rule.card = if rule.count > 0 { RuleCard::of(which) } else { None };
        }
    }

    /// The moves skipped together that a row represents.
    pub fn rest_of(&self, row: &TreeRow) -> &[Option<MoveNumber>] {
        match row.omitted {
            Omitted::Moves { first, count } => &self.rests[first as usize..(first + count) as usize],
            Omitted::Nothing | Omitted::Nodes(_) => &[],
        }
    }

    /// A move in SAN and UCI notation; empty if there is none.
    pub fn move_text(&self, mv: Option<MoveNumber>) -> &MoveNames {
        &self.moves[mv.map_or(0, |mv| usize::from(mv.get()))]
    }

    /// A text; empty if there is none.
    pub fn text(&self, text: Option<TextNumber>) -> &str {
        &self.strings[text.map_or(0, |text| text.get() as usize)]
    }
}

/// Builds a [`View`] row by row.
pub struct ViewBuilder {
    view: View,
    moves: HashMap<MoveNames, MoveNumber>,
    strings: HashMap<String, TextNumber>,
}

impl ViewBuilder {
    /// Begins a tree.
    pub fn new(about: TreeInfo) -> ViewBuilder {
        let (moves, strings) = (vec![MoveNames::default()], vec![String::new()]);
        let view = View { about, moves, strings, ..View::default() };
        ViewBuilder { view, moves: HashMap::new(), strings: HashMap::new() }
    }

    /// The number by which rows refer to a move; `None` if there are more different moves than numbers.
    pub fn mv(&mut self, san: &str, uci: &str) -> Option<MoveNumber> {
        let text = (san.to_owned(), uci.to_owned());
        if let Some(&known) = self.moves.get(&text) {
            return Some(known);
        }
        let number = u16::try_from(self.view.moves.len()).ok().and_then(MoveNumber::new)?;
        self.view.moves.push(text.clone());
        self.moves.insert(text, number);
        Some(number)
    }

    /// The number by which rows refer to a text; `None` if there are more texts than numbers.
    pub fn text(&mut self, text: &str) -> Option<TextNumber> {
        if let Some(&known) = self.strings.get(text) {
            return Some(known);
        }
        let number = u32::try_from(self.view.strings.len()).ok().and_then(TextNumber::new)?;
        self.view.strings.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        Some(number)
    }

    /// Adds a row with the decisions of rules about it, and returns its place. Only the first row is at level 0; a level may exceed that
    /// of the row before by one.
    pub fn push(&mut self, mut row: TreeRow, decisions: &[RuleDecision<'_>]) -> usize {
        let deepest = self.view.rows.last().map_or(0, |last| last.level + 1);
        row.level = row.level.clamp(deepest.min(1), deepest);
        row.marks = self.view.marks.len() as u32;
        for decision in decisions {
            self.add_mark(decision);
        }
        self.view.rows.push(row);
        self.view.rows.len() - 1
    }

    /// Adds a decision of a rule to the row pushed last.
    pub fn add_mark(&mut self, decision: &RuleDecision<'_>) {
        let &RuleDecision { rule, action, amount, numbers } = decision;
        let start = self.view.numbers.len() as u32;
        let numbers = &numbers[..numbers.len().min(usize::from(u8::MAX))];
        self.view.numbers.extend_from_slice(numbers);
        self.view.about.rules[rule as usize].count += 1;
        self.view.marks.push(RuleMark { rule: rule as u8, action, amount, numbers: start, count: numbers.len() as u8 });
    }

    /// Adds a row for several moves skipped together.
    pub fn push_rest(&mut self, row: TreeRow, moves: &[Option<MoveNumber>], decisions: &[RuleDecision<'_>]) {
        let omitted = Omitted::Moves { first: self.view.rests.len() as u32, count: moves.len() as u32 };
        self.view.rests.extend_from_slice(moves);
        self.push(TreeRow { kind: RowKind::Unsearched, mv: None, omitted, ..row }, decisions);
        // They went with a move of which the rule has been counted.
        decisions.iter().for_each(|decision| self.view.about.rules[decision.rule as usize].count -= 1);
    }

    /// A row pushed before, to complete it.
    pub fn row(&mut self, place: usize) -> Option<&mut TreeRow> {
        self.view.rows.get_mut(place)
    }

    /// Closes every subtree and counts the rows and nodes below each row.
    pub fn finish(mut self) -> View {
        let rows = &mut self.view.rows;
        let mut open: Vec<u32> = Vec::new();
        for (place, row) in (0..).zip(rows.iter_mut()) {
            open.truncate(usize::from(row.level));
            (row.up, row.end) = (open.last().copied(), place + 1);
            open.push(place);
        }
        let mut below: Vec<u32> = vec![0; rows.len()];
        // The rows below a row come after it.
        for place in (0..rows.len()).rev() {
            let row = &mut rows[place];
            row.nodes = row.nodes.max(below[place]);
            let TreeRow { up, end, nodes, .. } = *row;
            if let Some(up) = up.map(|up| up as usize) {
                rows[up].end = rows[up].end.max(end);
                below[up] = below[up].saturating_add(nodes);
            }
        }
        self.view.about.rows = rows.len();
        self.view.explain();
        self.view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_ranges_and_at_least_as_wide_as_what_is_below() {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        for (level, nodes) in [(0, 0), (1, 3), (2, 5), (2, 4), (1, 20)] {
            builder.push(TreeRow { level, nodes, ..TreeRow::default() }, &[]);
        }
        let view = builder.finish();
        let found: Vec<_> = view.rows.iter().map(|row| (row.end, row.nodes)).collect();
        assert_eq!(found, [(5, 29), (4, 9), (3, 5), (4, 4), (5, 20)]);
    }

    #[test]
    fn a_mark_has_the_family_of_what_was_done() {
        let family =
            |rule: Rule, action, amount| RuleMark { rule: rule as u8, action, amount, numbers: 0, count: 0 }.family();
        for (rule, action, amount, expected) in [
            (Rule::Singular, RuleAction::Cut, 0, Family::NodeCut),
            (Rule::Singular, RuleAction::CostChanged, -1024, Family::Extension),
            (Rule::Singular, RuleAction::CostChanged, 512, Family::Reduction),
            (Rule::Hindsight, RuleAction::Deepened, 1024, Family::Extension),
            (Rule::Hindsight, RuleAction::Deepened, -1024, Family::Reduction),
            (Rule::LateMoveReduction, RuleAction::CostChanged, 1024, Family::Reduction),
            (Rule::Explosion, RuleAction::CostChanged, 512, Family::Limit),
            (Rule::NullMove, RuleAction::Cut, 0, Family::NodeCut),
        ] {
            assert_eq!(family(rule, action, amount), Some(expected as u8), "{}: {action:?} {amount}", rule.name());
        }
    }

    #[test]
    fn moves_and_texts_are_kept_once() {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        let moves = ["e2e4", "e7e5", "e2e4"].map(|uci| builder.mv("", uci).map(MoveNumber::get));
        let texts = ["why", "because", "why"].map(|text| builder.text(text).map(TextNumber::get));
        assert_eq!((moves, texts), ([Some(1), Some(2), Some(1)], [Some(1), Some(2), Some(1)]));
    }
}
