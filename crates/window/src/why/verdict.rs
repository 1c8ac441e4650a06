//! The results of searches of a move with single rules off, in sentences that depend on their values only.
//!
//! Every statement is one of four cases of [`MoveStanding`], which compares two values of the same search settings: that of the move
//! searched alone and that of the best move. A move that beats the best one when it is searched alone was hidden: [`MoveHandling`] has
//! the cause.

use super::{SearchedAlone, WhatIf};
use crate::show::move_name;
use crate::words::{self, capital};
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Depth, Score};

/// The decision of a search of all moves about a move that it did not prefer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum MoveHandling {
    /// It was not searched, and no rule skipped it: a cutoff came first, or the search was stopped.
    #[default]
    Unreached,
    /// A rule skipped it, or ended the node before any move was searched.
    Skipped(Rule),
    /// It was searched with less depth than a move has without reductions, and not again.
    Reduced {
        /// The depth of its last search.
        depth: Depth,
        /// The rules that reduced it.
        rules: Vec<Rule>,
    },
    /// It was searched to its full depth, and a rule ended the node after it at once.
    CutAfter(Rule),
    /// It was searched to its full depth and is worth at most this.
    Refuted(Score),
}

/// Comparison of a move searched alone with the move that the search of all moves prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveStanding {
    /// It is the preferred move.
    Preferred,
    /// Another move is preferred, which is worth more by this.
    Worse(Score),
    /// Another move is preferred, which is worth the same.
    Equal,
    /// Another move is preferred, although this one is worth more by this.
    Hidden(Score),
}

impl WhatIf {
    /// The comparison of the move searched alone with the preferred one.
    pub fn standing(&self) -> MoveStanding {
        MoveStanding::of(self.all.best == Some(self.mv), self.value(), self.best_value())
    }
}

/// The searches of one move.
#[derive(Clone, Debug)]
pub struct WhatIfSearches<'a> {
    /// The position of the move.
    pub game: &'a Game,
    /// As things are.
    pub usual: &'a WhatIf,
    /// With one rule off each.
    pub without: &'a [WhatIf],
    /// The decision of the unchanged search of all moves about the move; used only if the move was hidden.
    pub handling: &'a MoveHandling,
}

impl WhatIfSearches<'_> {
    /// Answers with the unchanged searches, in sentences.
    pub fn answer(&self) -> String {
        let WhatIf { mv, alone, all, finished, .. } = self.usual;
        let (game, mv, finished) = (self.game, *mv, *finished);
        let searched = SearchedAlone { game, mv, alone: &alone.report, all: &all.report, finished };
        let (answer, hidden) = (searched.answer(), finished && matches!(searched.standing(), MoveStanding::Hidden(_)));
        if hidden { format!("{answer} {}", self.hidden_by(&self.title())) } else { answer }
    }

    /// The sentence about the rule that hid the move.
    fn hidden_by(&self, title: &str) -> String {
        match self.handling {
            MoveHandling::Unreached => format!("That search did not come to {title}."),
            MoveHandling::Skipped(rule) => capital(&format!("{} hid {title}: it skipped the move.", rule.name())),
            MoveHandling::Reduced { depth, rules } => {
                let names: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
                let names = if names.is_empty() { "a reduction".to_owned() } else { words::listed(&names, "and") };
                let depth = words::plies(*depth);
                capital(&format!("{names} hid {title}: the position after it was searched to depth {depth} only."))
            }
            MoveHandling::CutAfter(rule) => {
                capital(&format!("{} hid {title}: it ended the node after the move at once.", rule.name()))
            }
            MoveHandling::Refuted(value) => {
                let value = words::score(*value);
                format!(
                    "No rule at the move hid {title}: that search gave it its full depth and found at most {value}. Below the move the two \
                     searches pruned differently."
                )
            }
        }
    }

    /// The results of the searches with single rules off, in sentences.
    pub fn verdict(&self) -> String {
        let title = self.title();
        let done: Vec<&WhatIf> = self.without.iter().filter(|trial| trial.finished).collect();
        if !self.usual.finished || done.is_empty() {
            return "Searches were stopped before the wanted depth, so the rules are not compared.".to_owned();
        }
        let rules_with = |selected: fn(MoveStanding) -> bool| -> Vec<&str> {
            let fits = done.iter().filter(|trial| selected(trial.standing()));
            fits.filter_map(|trial| trial.without.map(Rule::name)).collect()
        };
        let preferred = rules_with(|standing| standing == MoveStanding::Preferred);
        let hidden = rules_with(|standing| matches!(standing, MoveStanding::Hidden(_)));
        let others = rules_with(|standing| matches!(standing, MoveStanding::Worse(_) | MoveStanding::Equal));
        let mut sentences = Vec::new();
        if !preferred.is_empty() {
            sentences.push(format!("{} {title} is the best move.", self.with(&preferred, &done)));
        }
        if !hidden.is_empty() {
            let with = self.with(&hidden, &done);
            sentences.push(format!("{with} {title} alone is worth more than the best move, but other rules hide it."));
        }
        if !others.is_empty() {
            let with = self.with(&others, &done);
            sentences.push(format!("{with} another move is at least as good as {title}."));
        }
        sentences.join(" ")
    }

    /// These rules off, out of those whose search finished.
    fn with(&self, names: &[&str], done: &[&WhatIf]) -> String {
        match (names, done.len(), self.without.len()) {
            ([one], ..) => format!("Without {one},"),
            (_, count, all) if names.len() == count && count == all => "With any one of these rules off,".to_owned(),
            (_, count, _) if names.len() == count => "With any one of the rules off whose search finished,".to_owned(),
            _ => format!("Without {},", words::listed(names, "or")),
        }
    }

    fn title(&self) -> String {
        move_name(self.game.position(), self.usual.mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::alone::tests::report;
    use crate::why::standing;
    use proptest::prelude::*;
    use quarterply_engine::report::SearchOutcome;
    use quarterply_engine::score::Bound;
    use std::time::Duration;

    /// Rules whose names hold none of the others.
    const RULES: [Rule; 4] = [Rule::LateMoveReduction, Rule::NullMove, Rule::SeePruning, Rule::ProbCut];

    fn outcome(game: &Game, uci: &str, value: i32) -> SearchOutcome {
        let report = report(game, uci, 9, Score(value));
        let best = report.line.first().copied();
        SearchOutcome { best, ponder: None, report, nodes: 1, time: Duration::ZERO, lines: Vec::new() }
    }

    /// The value of e4 alone, that of the best move, whether that is e4, and whether both searches finished.
    type Values = (i32, i32, bool, bool);

    /// e4 searched alone, and the best of all moves: e4 as well or d4.
    fn searched(game: &Game, without: Option<Rule>, (alone, best, preferred, finished): Values) -> WhatIf {
        let alone = outcome(game, "e2e4", alone);
        let all = outcome(game, if preferred { "e2e4" } else { "d2d4" }, best);
        let mv = alone.report.line[0];
        WhatIf { mv, without, all, alone, depths: if finished { [9, 9] } else { [9, 7] }, finished }
    }

    fn values() -> impl Strategy<Value = Values> {
        (-20..20, -20..20, prop::bool::weighted(0.2), prop::bool::weighted(0.9))
    }

    fn handling() -> impl Strategy<Value = MoveHandling> {
        prop_oneof![
            Just(MoveHandling::Unreached),
            Just(MoveHandling::Skipped(Rule::Futility)),
            Just(MoveHandling::Reduced { depth: Depth::plies(6), rules: vec![Rule::LateMoveReduction] }),
            Just(MoveHandling::CutAfter(Rule::Table)),
            Just(MoveHandling::Refuted(Score(-17))),
        ]
    }

    proptest! {
        /// Each sentence holds for the values that it rests on, and a move that beats the best one alone was hidden.
        #[test]
        fn every_sentence_rests_on_its_values(usual in values(), trials in prop::array::uniform4(values()), handling in handling()) {
            let game = Game::new();
            let without: Vec<WhatIf> = RULES.iter().zip(trials).map(|(&rule, values)| searched(&game, Some(rule), values)).collect();
            let (alone, best, preferred, finished) = usual;
            let usual = searched(&game, None, usual);
            let searches = WhatIfSearches { game: &game, usual: &usual, without: &without, handling: &handling };
            let text = searches.answer();
            let contains = |needle: &str| text.contains(needle);
            let (stands, shown) = (standing(Score(alone), Bound::Exact), words::score(Score(best)));
            prop_assert!(text.starts_with(&format!("After e4 White {stands}")), "{text}");
            prop_assert_eq!(contains("prefers it too"), finished && preferred, "{}", text);
            let hidden = finished && !preferred && alone > best;
            prop_assert_eq!(contains(&format!("; the search of all moves prefers d4 with {shown}, which is less.")), hidden, "{}", text);
            prop_assert_eq!(contains(&format!("; d4 is {shown}.")), finished && !preferred && alone < best, "{}", text);
            prop_assert_eq!(contains("d4, which is worth as much"), finished && !preferred && alone == best, "{}", text);
            prop_assert_eq!(contains("are not compared"), !finished, "{}", text);
            let by_rule = matches!(handling, MoveHandling::Skipped(_) | MoveHandling::Reduced { .. } | MoveHandling::CutAfter(_));
            let names_rule = [" hid e4: it ", " hid e4: the position after it "].into_iter().any(contains);
            prop_assert_eq!(names_rule, hidden && by_rule, "{}", text);
            prop_assert_eq!(contains("No rule at the move hid e4"), hidden && matches!(handling, MoveHandling::Refuted(_)), "{}", text);
            check_verdict(&searches.verdict(), finished, trials)?;
        }
    }

    /// Compares the sentences about rules with the values of the searches without them.
    fn check_verdict(text: &str, usual: bool, trials: [Values; 4]) -> Result<(), TestCaseError> {
        let done: Vec<(&str, Values)> =
            RULES.iter().map(|rule| rule.name()).zip(trials).filter(|(_, trial)| trial.3).collect();
        if !usual || done.is_empty() {
            prop_assert_eq!(text, "Searches were stopped before the wanted depth, so the rules are not compared.");
            return Ok(());
        }
        let sentences: Vec<&str> = text.split_inclusive('.').map(str::trim).collect();
        for (name, (alone, best, preferred, _)) in &done {
            let end = match (preferred, alone > best) {
                (true, _) => "e4 is the best move.",
                (false, true) => "e4 alone is worth more than the best move, but other rules hide it.",
                (false, false) => "another move is at least as good as e4.",
            };
            let about = |sentence: &&&str| sentence.contains(name) || sentence.starts_with("With any one of");
            let matching: Vec<&&str> = sentences.iter().filter(about).collect();
            prop_assert!(matching.len() == 1 && matching[0].ends_with(end), "{}: {} in {}", name, end, text);
        }
        let unfinished = RULES.iter().zip(trials).filter(|(_, trial)| !trial.3);
        for (rule, _) in unfinished {
            prop_assert!(!text.contains(rule.name()), "{} did not finish: {}", rule.name(), text);
        }
        let all = done.len() == RULES.len();
        prop_assert!(all || !text.contains("any one of these rules"), "{}", text);
        Ok(())
    }
}
