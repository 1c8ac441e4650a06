//! What searches with single rules off say of a move, in sentences that rest on their values alone.
//!
//! Every statement is one of four cases of [`Standing`], which compares two values of the same search settings: that of the move searched
//! alone and that of the best move. A move that beats the best one when it is searched alone was hidden: [`Handling`] says by what.

use super::WhatIf;
use crate::words::{self, capital};
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Depth, Score};
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::SanPlus;

/// What a search of all moves did with a move that it did not prefer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Handling {
    /// It was not searched, and no rule left it out: a cutoff came first, or the search was stopped.
    #[default]
    Unreached,
    /// A rule left it out, or ended the node before any move was searched.
    LeftOut(Rule),
    /// It was searched with less depth than a move has without reductions, and not again.
    Reduced {
        /// The depth of its last search.
        depth: Depth,
        /// The rules that reduced it.
        rules: Vec<Rule>,
    },
    /// It was searched to its full depth, and a rule ended the node after it at once.
    Answered(Rule),
    /// It was searched to its full depth and is worth at most this.
    Refuted(Score),
}

/// How a move searched alone compares with the move that the search of all moves prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
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
    /// How the move searched alone compares with the preferred one.
    pub fn standing(&self) -> Standing {
        let gap = self.best_value() - self.value();
        match gap.0 {
            _ if self.all.best == Some(self.mv) => Standing::Preferred,
            0 => Standing::Equal,
            gap if gap > 0 => Standing::Worse(Score(gap)),
            gap => Standing::Hidden(Score(-gap)),
        }
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
    /// What the search of all moves did with the move as things are; looked at only if the move was hidden.
    pub handling: &'a Handling,
}

impl WhatIfSearches<'_> {
    /// Describes the unchanged searches in sentences.
    pub fn alone(&self) -> String {
        let usual = self.usual;
        let (title, line) = (self.title(), self.line(&usual.alone.report.line));
        let value = words::score(usual.value());
        let [depth, other] = usual.depths;
        let alone = format!("Searched alone to depth {depth} with an empty table, {title} is worth {value}: {line}.");
        if !usual.finished {
            return format!("{alone} The search of all moves reached depth {other}, so the values are not compared.");
        }
        let (best, shown) = (self.name(usual.all.best), words::score(usual.best_value()));
        let by = |gap: Score| {
            let decisive = usual.value().is_decisive() || usual.best_value().is_decisive();
            if decisive { String::new() } else { format!("{} ", words::pawns(gap)) }
        };
        let compared = match usual.standing() {
            Standing::Preferred => "The search of all moves prefers it too.".to_owned(),
            Standing::Equal => format!("That is as much as {best}, which the search of all moves prefers."),
            Standing::Worse(gap) => format!("That is {}less than {best} with {shown}.", by(gap)),
            Standing::Hidden(gap) => {
                let more = by(gap);
                let hidden = self.hidden_by(&title);
                format!("That is {more}more than {best} with {shown}, which the search of all moves prefers. {hidden}")
            }
        };
        format!("{alone} {compared}")
    }

    /// What hid the move.
    fn hidden_by(&self, title: &str) -> String {
        match self.handling {
            Handling::Unreached => format!("That search did not come to {title}."),
            Handling::LeftOut(rule) => capital(&format!("{} hid {title}: it left the move out.", rule.name())),
            Handling::Reduced { depth, rules } => {
                let names: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
                let names = if names.is_empty() { "a reduction".to_owned() } else { words::listed(&names, "and") };
                let depth = words::plies(*depth);
                capital(&format!("{names} hid {title}: it was searched to depth {depth} only."))
            }
            Handling::Answered(rule) => {
                capital(&format!("{} hid {title}: it ended the node after the move at once.", rule.name()))
            }
            Handling::Refuted(value) => {
                let value = words::score(*value);
                format!(
                    "No rule at the move hid {title}: that search gave it its full depth and found at most {value}. Below the move the two \
                     searches pruned differently."
                )
            }
        }
    }

    /// What the searches with single rules off come to, in sentences.
    pub fn verdict(&self) -> String {
        let title = self.title();
        let done: Vec<&WhatIf> = self.without.iter().filter(|trial| trial.finished).collect();
        if !self.usual.finished || done.is_empty() {
            return "The searches reached different depths, so the rules are not compared.".to_owned();
        }
        let case = |wanted: fn(Standing) -> bool| -> Vec<&str> {
            let fits = done.iter().filter(|trial| wanted(trial.standing()));
            fits.filter_map(|trial| trial.without.map(Rule::name)).collect()
        };
        let preferred = case(|standing| standing == Standing::Preferred);
        let hidden = case(|standing| matches!(standing, Standing::Hidden(_)));
        let others = case(|standing| matches!(standing, Standing::Worse(_) | Standing::Equal));
        let mut said = Vec::new();
        if !preferred.is_empty() {
            said.push(format!("{} {title} is the best move.", self.with(&preferred, &done)));
        }
        if !hidden.is_empty() {
            let with = self.with(&hidden, &done);
            said.push(format!("{with} {title} alone is worth more than the best move, but other rules hide it."));
        }
        if !others.is_empty() {
            let with = self.with(&others, &done);
            said.push(format!("{with} another move is at least as good as {title}."));
        }
        said.join(" ")
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
        self.name(Some(self.usual.mv))
    }

    fn name(&self, mv: Option<Move>) -> String {
        mv.map_or_else(|| "no move".to_owned(), |mv| self.line(&[mv]))
    }

    fn line(&self, moves: &[Move]) -> String {
        let mut position = self.game.position().chess().clone();
        let names = moves.iter().map(|&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string());
        names.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quarterply_engine::report::{SearchOutcome, SearchReport};
    use quarterply_engine::score::Bound;
    use std::time::Duration;

    /// Rules whose names hold none of the others.
    const RULES: [Rule; 4] = [Rule::LateMoveReduction, Rule::NullMove, Rule::SeePruning, Rule::ProbCut];

    fn outcome(game: &Game, uci: &str, value: i32) -> SearchOutcome {
        let mv = crate::moves::read(game.position(), uci).expect("legal");
        let report = SearchReport {
            depth: 9,
            seldepth: 9,
            number: 1,
            score: Score(value),
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            table: None,
            line: vec![mv],
        };
        SearchOutcome { best: Some(mv), ponder: None, report, nodes: 1, time: Duration::ZERO, lines: Vec::new() }
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

    fn handling() -> impl Strategy<Value = Handling> {
        prop_oneof![
            Just(Handling::Unreached),
            Just(Handling::LeftOut(Rule::Futility)),
            Just(Handling::Reduced { depth: Depth::plies(6), rules: vec![Rule::LateMoveReduction] }),
            Just(Handling::Answered(Rule::Table)),
            Just(Handling::Refuted(Score(-17))),
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
            let told = WhatIfSearches { game: &game, usual: &usual, without: &without, handling: &handling };
            let (text, gap) = (told.alone(), alone - best);
            let is_told = |needle: &str| text.contains(needle);
            let [value, shown, gap] = [words::score(Score(alone)), words::score(Score(best)), words::pawns(Score(gap.abs()))];
            prop_assert!(text.starts_with(&format!("Searched alone to depth 9 with an empty table, e4 is worth {value}: e4.")), "{text}");
            prop_assert_eq!(is_told("prefers it too"), finished && preferred, "{}", text);
            prop_assert_eq!(is_told(&format!("{gap} more than d4 with {shown}")), finished && !preferred && alone > best, "{}", text);
            prop_assert_eq!(is_told(&format!("{gap} less than d4 with {shown}")), finished && !preferred && alone < best, "{}", text);
            prop_assert_eq!(is_told("as much as d4"), finished && !preferred && alone == best, "{}", text);
            let hidden = finished && !preferred && alone > best;
            let by_rule = matches!(handling, Handling::LeftOut(_) | Handling::Reduced { .. } | Handling::Answered(_));
            prop_assert_eq!(is_told(" hid e4: it "), hidden && by_rule, "{}", text);
            prop_assert_eq!(is_told("No rule at the move hid e4"), hidden && matches!(handling, Handling::Refuted(_)), "{}", text);
            check_verdict(&told.verdict(), finished, trials)?;
        }
    }

    /// Holds the sentences on rules against the values of the searches without them.
    fn check_verdict(text: &str, usual: bool, trials: [Values; 4]) -> Result<(), TestCaseError> {
        let done: Vec<(&str, Values)> =
            RULES.iter().map(|rule| rule.name()).zip(trials).filter(|(_, trial)| trial.3).collect();
        if !usual || done.is_empty() {
            prop_assert_eq!(text, "The searches reached different depths, so the rules are not compared.");
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
            let told: Vec<&&str> = sentences.iter().filter(about).collect();
            prop_assert!(told.len() == 1 && told[0].ends_with(end), "{}: {} in {}", name, end, text);
        }
        let unfinished = RULES.iter().zip(trials).filter(|(_, trial)| !trial.3);
        for (rule, _) in unfinished {
            prop_assert!(!text.contains(rule.name()), "{} did not finish: {}", rule.name(), text);
        }
        let all = done.len() == RULES.len();
        prop_assert!(all || !text.contains("any one of these rules"), "{}", text);
        Ok(())
    }

    #[test]
    fn a_mate_is_not_compared_in_hundredths() {
        let game = Game::new();
        let usual = searched(&game, None, (Score::MATE.0 - 5, 40, false, true));
        let handling = Handling::Reduced { depth: Depth(3584), rules: vec![Rule::LateMoveReduction, Rule::Explosion] };
        let text = WhatIfSearches { game: &game, usual: &usual, without: &[], handling: &handling }.alone();
        let end = "That is more than d4 with +0.40, which the search of all moves prefers. Late move reduction and explosion limit hid e4: it \
                   was searched to depth 3.5 only.";
        assert!(text.ends_with(end), "{text}");
    }
}
