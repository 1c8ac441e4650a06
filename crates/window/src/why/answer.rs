//! The answer to "why not this move?" in terms of chess: the reply, the value, the better move, the depth.
//!
//! The page builds the same sentences from its rows (`page/js/whynot.js`); a test compares them.

use super::line::{Refutation, refutation};
use super::reply::{end_meaning, reply, reply_effect};
use crate::show::untried::skipped_with;
use crate::show::{ShowError, move_name, name, position_of};
use crate::trace::{
    Decision, MoveCode, MoveOutcome, MoveRecord, MoveValue, NodeRecord, RuleReason, SearchedMove, Trace,
};
use crate::words;
use quarterply_engine::position::{Position, is_quiet};
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Score};
use quarterply_engine::shakmaty::Move;

/// Moves of a line that the answer shows, the one asked about included.
const SHOWN_MAX: usize = 4;

/// The reason of a rule that skips moves, in terms of chess; empty for other rules.
pub const fn skip_meaning(rule: Rule) -> &'static str {
    match rule {
        Rule::Futility | Rule::Delta => "it gains too little here",
        Rule::SeePruning | Rule::GuardPruning => "it loses material",
        Rule::HistoryPruning => "it was bad elsewhere in this search",
        Rule::LateMovePruning => "enough quiet moves were tried before it",
        Rule::Evasions => "enough replies to the check were tried before it",
        Rule::AttackLayer => "it is not forcing",
        _ => "",
    }
}

/// A value for a side in words: `is 1.32 behind`, `is at most 0.30 ahead`, `mates in 3`.
pub fn standing(value: Score, bound: Bound) -> String {
    let ahead = value > Score::ZERO;
    // At most -1.00 ahead is at least 1.00 behind.
    let limit = |bound: Bound| match (bound, ahead) {
        (Bound::Exact, _) => "",
        (Bound::Upper, true) | (Bound::Lower, false) => "at most ",
        (Bound::Upper, false) | (Bound::Lower, true) => "at least ",
    };
    if let Some(moves) = value.mate_moves() {
        let verb = if ahead { "mates" } else { "is mated" };
        let limit = match (bound, ahead) {
            (Bound::Exact, _) => "",
            (Bound::Upper, true) | (Bound::Lower, false) => " at the earliest",
            (Bound::Upper, false) | (Bound::Lower, true) => " at the latest",
        };
        return format!("{verb} in {}{limit}", moves.abs());
    }
    if value.is_decisive() {
        return if ahead { "wins the endgame".to_owned() } else { "loses the endgame".to_owned() };
    }
    match (value, bound) {
        (Score::ZERO, Bound::Exact) => "is level".to_owned(),
        (Score::ZERO, Bound::Upper) => "is level at best".to_owned(),
        (Score::ZERO, Bound::Lower) => "is level at least".to_owned(),
        _ => {
            let amount = words::pawns(Score(value.0.abs()));
            format!("is {}{amount} {}", limit(bound), if ahead { "ahead" } else { "behind" })
        }
    }
}

/// A claim, the beginning of the line that shows it, and the result.
pub(super) fn shown_line(claim: &str, line: &[String], end: &str) -> String {
    format!("{claim}: {}, and {end}", line[..line.len().min(SHOWN_MAX)].join(" "))
}

/// The best move of a node, with its value.
struct BestMove {
    code: MoveCode,
    title: String,
    value: MoveValue,
}

impl BestMove {
    fn of(node: &NodeRecord, position: &Position) -> Option<BestMove> {
        let best = node.best()?;
        Some(BestMove { code: best.mv, title: name(position, Some(best.mv)), value: best.searched()?.value? })
    }
}

/// A move of a node.
struct MoveAtNode<'a> {
    trace: &'a Trace,
    node: &'a NodeRecord,
    position: &'a Position,
    mv: Move,
    title: String,
    best: Option<BestMove>,
}

/// Says in terms of chess what `node`, at `position`, found about `mv`.
pub fn answer(trace: &Trace, node: &NodeRecord, position: &Position, mv: Move) -> Result<String, ShowError> {
    let title = move_name(position, mv);
    let at_node = MoveAtNode { trace, node, position, mv, title, best: BestMove::of(node, position) };
    let record = node.moves().find(|record| record.mv == MoveCode::of(mv));
    match record.map(|record| (record, &record.outcome)) {
        Some((record, MoveOutcome::Searched(searched))) => at_node.searched(record, searched),
        Some((_, MoveOutcome::Skipped { by, .. })) => Ok(at_node.skipped(by, None)),
        Some((_, MoveOutcome::Unknown)) => Ok(at_node.stopped()),
        None => Ok(at_node.unsearched()),
    }
}

impl MoveAtNode<'_> {
    fn side(&self) -> &'static str {
        words::side(self.position.turn())
    }

    fn score(&self, value: MoveValue) -> String {
        let bound = if value.decision == Decision::Cutoff { Bound::Lower } else { Bound::Exact };
        words::named(words::bounded(value.score, bound), self.position.turn())
    }

    fn stopped(&self) -> String {
        format!("The search was stopped before it finished {}.", self.title)
    }

    /// `; dxc5 is +0.06`, or nothing.
    fn better(&self) -> String {
        let best = self.best.as_ref();
        best.map_or(String::new(), |best| format!("; {} is {}", best.title, self.score(best.value)))
    }

    /// A move that a rule skipped, alone or after `first`.
    fn skipped(&self, by: &RuleReason, first: Option<String>) -> String {
        let (title, rule) = (&self.title, by.rule.name());
        let with = first.map_or(String::new(), |first| format!(" together with {first}, which was ordered before it"));
        let because = match skip_meaning(by.rule) {
            "" => String::new(),
            meaning => format!(", because {meaning}"),
        };
        format!("{title} was not searched: {rule} skipped it{with}{because}{}{}.", self.argument(by), self.better())
    }

    /// The numbers of a decision in brackets.
    fn argument(&self, by: &RuleReason) -> String {
        let reason = words::reason(by, self.trace.labels(by.rule));
        if reason.is_empty() { String::new() } else { format!(" ({reason})") }
    }

    /// A move that the picker did not return.
    fn unsearched(&self) -> String {
        let (node, title) = (self.node, &self.title);
        if node.excluded == Some(MoveCode::of(self.mv)) {
            return format!("{title} was excluded on purpose: this search finds the value of the position without it.");
        }
        if let Some(by) = &node.ended {
            let (rule, argument) = (by.rule.name(), self.argument(by));
            return format!(
                "No move was searched here, {title} included: {rule} had already ended the node{argument}."
            );
        }
        if let Some((first, by)) = skipped_with(self.position, node, MoveCode::of(self.mv)) {
            return self.skipped(by, Some(name(self.position, Some(first))));
        }
        if let Some(best) = self.best.as_ref().filter(|best| best.value.decision == Decision::Cutoff) {
            let enough = if node.ply == 0 { "ended this search" } else { "refutes the move before it" };
            return format!("{title} was not needed: {} is {}, which {enough}.", best.title, self.score(best.value));
        }
        if node.score.is_none() {
            return format!("The search was stopped before it reached {title}.");
        }
        if !node.is_quiescence() {
            return format!("{title} was not searched here, and no reason was recorded.");
        }
        if is_quiet(self.mv) {
            return format!(
                "{title} was never generated: no depth was left here, and quiescence searches only captures, promotions, some checks and \
                 replies to checks."
            );
        }
        format!("{title} was not searched: quiescence skips moves that lose material and limits the number of moves.")
    }

    fn searched(&self, record: &MoveRecord, searched: &SearchedMove) -> Result<String, ShowError> {
        let Some(move_value) = searched.value else { return Ok(self.stopped()) };
        let Some(child) = record.last_child() else {
            let stands = standing(move_value.score, words::bound_of(move_value.decision));
            return Ok(format!("After {} {} {stands}{}.", self.title, self.side(), self.comparison(move_value)));
        };
        let child = self.trace.node(child)?;
        let after = position_of(&child, self.position)?;
        let depth = if child.is_quiescence() {
            "The position after it was searched in quiescence".to_owned()
        } else {
            format!("The position after it was searched to depth {}", words::plies(child.depth))
        };
        let line = refutation(self.trace, child.clone(), after.clone())?;
        let opening = self.opening(move_value, &child, &after, &line);
        let ended = child.ended.as_ref().filter(|_| line.moves.is_empty() && !after.legal_moves().is_empty());
        let ended = ended.map_or(String::new(), |by| {
            format!("; {} ended the search after {}{}", by.rule.name(), self.title, self.argument(by))
        });
        Ok(format!("{opening}{}. {depth}{ended}.", self.comparison(move_value)))
    }

    /// The claim, the line that shows it, and the result.
    fn opening(&self, move_value: MoveValue, child: &NodeRecord, after: &Position, line: &Refutation) -> String {
        let (title, side) = (&self.title, self.side());
        let stands = standing(move_value.score, words::bound_of(move_value.decision));
        if after.legal_moves().is_empty() {
            let end = if after.in_check() { "is mate" } else { "is stalemate" };
            return format!("{title} {end}: {side} {stands}");
        }
        let opponent = words::side(after.turn());
        let claim = self.claim(move_value);
        let Some(reply) = reply(child, after, self.mv, line) else {
            let meaning = child.ended.as_ref().map_or("", |by| end_meaning(by.rule)).replace("{}", opponent);
            let claim = claim.or((!meaning.is_empty()).then(|| words::capital(&meaning)));
            let claim = claim.map_or("After ".to_owned(), |claim| format!("{claim}: after "));
            return format!("{claim}{title} {side} {stands}");
        };
        let claim = claim.unwrap_or_else(|| {
            let mated = move_value.score.is_lost() && move_value.score.mate_moves().is_some();
            let effect = if mated { "mates".to_owned() } else { reply_effect(after, self.mv, reply.mv) };
            format!("{opponent} {effect}")
        });
        let line: Vec<String> = std::iter::once(title.clone()).chain(reply.line).collect();
        shown_line(&claim, &line, &format!("{side} {stands}"))
    }

    /// The role of the move at its node, if that matters more than the reply.
    fn claim(&self, move_value: MoveValue) -> Option<String> {
        let title = &self.title;
        let is_best = self.is_best();
        if self.position.legal_moves().len() == 1 {
            return Some(format!("{title} is the only legal move"));
        }
        match move_value.decision {
            Decision::Cutoff if self.node.ply > 0 => Some(format!("{title} refutes the move before it")),
            Decision::Cutoff => Some(format!("{title} is the best move")),
            Decision::Best if is_best => Some(format!("{title} is the best move")),
            Decision::Best | Decision::NotBest => None,
        }
    }

    fn is_best(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.code == MoveCode::of(self.mv))
    }

    /// The better move.
    fn comparison(&self, move_value: MoveValue) -> String {
        let Some(best) = &self.best else {
            return match self.node.ply {
                0 => String::new(),
                _ => format!("; {} has a better move earlier in the line", self.side()),
            };
        };
        if self.is_best() || self.position.legal_moves().len() == 1 {
            return String::new();
        }
        let (title, value) = (&best.title, self.score(best.value));
        match move_value.decision {
            Decision::Cutoff => String::new(),
            Decision::NotBest if best.value.score <= move_value.score => {
                format!("; {title} with {value} was found before it")
            }
            Decision::Best | Decision::NotBest => format!("; {title} is {value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Ply;

    #[test]
    fn a_value_in_words_has_its_sign_and_bound() {
        for (value, bound, expected) in [
            (Score(-132), Bound::Exact, "is 1.32 behind"),
            (Score(-132), Bound::Upper, "is at least 1.32 behind"),
            (Score(-132), Bound::Lower, "is at most 1.32 behind"),
            (Score(30), Bound::Upper, "is at most 0.30 ahead"),
            (Score(30), Bound::Lower, "is at least 0.30 ahead"),
            (Score(0), Bound::Exact, "is level"),
            (Score(0), Bound::Upper, "is level at best"),
            (Score::mate_in(Ply(5)), Bound::Exact, "mates in 3"),
            (Score::mate_in(Ply(5)), Bound::Lower, "mates in 3 at the latest"),
            (Score::mated_in(Ply(4)), Bound::Upper, "is mated in 2 at the latest"),
            (Score::tablebase_win_in(Ply(3)), Bound::Exact, "wins the endgame"),
        ] {
            assert_eq!(standing(value, bound), expected, "{value:?} {bound:?}");
        }
    }
}
