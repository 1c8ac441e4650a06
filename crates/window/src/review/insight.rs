//! Reasons for a mistake: the refutation, and the rules that hid it.

use super::{ExpectedPoints, Iteration, PositionValue, ReviewError, ReviewSettings, search_position};
use crate::trace::record::{self, RecordSetup};
use crate::trace::{Filter, Trace};
use crate::why::{MoveQuestion, explain, switched_off};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::Move;

/// Minimum move limit of a search with a rule off: small searches grow most.
const NODES_LEAST: u64 = 500_000;
/// Values are clamped to this before averaging (pawns/100): the mean with a mate score is meaningless.
const DECIDED: i32 = 1500;

/// A move searched alone, and what kept the answer from being seen earlier.
#[derive(Clone, PartialEq, Debug)]
pub struct MistakeAnalysis {
    /// The search of the move alone, from the position before it.
    pub alone: PositionValue,
    /// Half-way between the value of the best move and that of this one: below it the move looks bad.
    pub middle: Score,
    /// Expected points of the side that makes the move, from the search of the move alone.
    pub expected: f64,
    /// From this iteration on the move looks bad; `None` if it does not at the end.
    pub turn: Option<u32>,
    /// How the iteration before that treated the answer; `None` if there was no such iteration.
    pub missed: Option<MissedReply>,
}

/// How a search that did not find the answer treated it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MissedReply {
    /// Number of moves of the refutation that the search found itself; the report describes the next move.
    pub after: usize,
    /// The decisions about that one, in sentences.
    pub sentences: Vec<String>,
    /// The same search with single rules off.
    pub trials: Vec<RuleTrial>,
    /// Rules that were involved, but not tried: more than [`ReviewSettings::rules`].
    pub untried: Vec<Rule>,
}

/// The move alone, searched with one rule off.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleTrial {
    /// The rule.
    pub without: Rule,
    /// From which iteration on the move looks bad; `None` if it does not.
    pub turn: Option<u32>,
    /// Its depth (plies).
    pub depth: u32,
    /// True if it reached the depth of the unchanged search.
    pub finished: bool,
}

/// Analyses a mistake at the position before it: `best` is the value of the best move there. `None` if the search was stopped from
/// outside.
pub fn analyse_mistake(
    game: &Game,
    mv: Move,
    best: Score,
    settings: &ReviewSettings<'_>,
    expect: &ExpectedPoints<'_>,
    control: &Control,
) -> Result<Option<MistakeAnalysis>, ReviewError> {
    let only = |limits: &Limits| Limits { search_moves: vec![mv], ..limits.clone() };
    let alone = search_position(game, settings, only(settings.limits), control)?;
    if !alone.whole {
        return Ok(None);
    }
    let middle = middle(best, alone.score);
    let turn = turn(&alone.iterations, middle);
    let expected = expect(alone.score, game.position().board());
    let mut insight = MistakeAnalysis { alone, middle, expected, turn, missed: None };
    if let Some(depth) = turn.and_then(|turn| turn.checked_sub(1)).filter(|&depth| depth > 0) {
        let missed = missed_reply(game, mv, &insight, depth, settings, control)?;
        if control.stopped() {
            return Ok(None);
        }
        insight.missed = Some(missed);
    }
    Ok(Some(insight))
}

/// Half-way between two values.
fn middle(best: Score, value: Score) -> Score {
    let near = |score: Score| score.0.clamp(-DECIDED, DECIDED);
    Score((near(best) + near(value)) / 2)
}

/// The first of the last iterations in a row with a value of at most `middle`.
fn turn(iterations: &[Iteration], middle: Score) -> Option<u32> {
    iterations.iter().rev().take_while(|iteration| iteration.score <= middle).last().map(|iteration| iteration.depth)
}

/// How the search of the move alone to `depth`, where its value was still good, treated the line that refutes it.
fn missed_reply(
    game: &Game,
    mv: Move,
    insight: &MistakeAnalysis,
    depth: u32,
    settings: &ReviewSettings<'_>,
    control: &Control,
) -> Result<MissedReply, ReviewError> {
    let ReviewSettings { parameters, profile, hash, .. } = *settings;
    let limits = &Limits { depth: Some(depth), search_moves: vec![mv], ..Limits::default() };
    let setup = RecordSetup { game, parameters, profile, limits, hash, filter: Filter::default() };
    let trace = record::in_memory(&setup, None, &control.child(), None)?;
    let search_nodes = trace.summary().nodes;
    let (mut missed, rules) = follow(&trace, &insight.alone.line)?;
    missed.untried = rules.get(settings.rules..).unwrap_or_default().to_vec();
    let nodes = search_nodes.saturating_mul(settings.node_factor).max(NODES_LEAST);
    for &rule in rules.iter().take(settings.rules) {
        let parameters = switched_off(settings.parameters, rule);
        let changed = ReviewSettings { parameters: &parameters, ..*settings };
        let limits = Limits { nodes: Some(nodes), ..limits.clone() };
        let value = search_position(game, &changed, limits, control)?;
        let finished = value.settled || value.depth() >= depth;
        let turn = turn(&value.iterations, insight.middle);
        missed.trials.push(RuleTrial { without: rule, turn, depth: value.depth(), finished });
    }
    Ok(missed)
}

/// Follows the refutation of a move as far as the search found the same replies. Returns its decision about the first reply that it did
/// not choose, with all rules involved.
fn follow(trace: &Trace, line: &[Move]) -> Result<(MissedReply, Vec<Rule>), ReviewError> {
    let (mut missed, mut rules) = (MissedReply::default(), Vec::new());
    for place in (1..line.len()).step_by(2) {
        let question = MoveQuestion { after: line[..place].to_vec(), mv: line[place] };
        let account = explain(trace, &question)?;
        for rule in account.rules {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        if account.depth.is_none() && !missed.sentences.is_empty() {
            break;
        }
        missed.after = place;
        missed.sentences = account.sentences;
        missed.sentences.extend(account.refutation.map(|line| line.end));
        if !account.is_best {
            break;
        }
    }
    Ok((missed, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iterations(values: &[i32]) -> Vec<Iteration> {
        (1..).zip(values).map(|(depth, &value)| Iteration { depth, score: Score(value), best: None }).collect()
    }

    #[test]
    fn a_move_turns_bad_at_the_last_fall() {
        for (values, expected) in [
            (&[20, 30, -90, -100][..], Some(3)),
            (&[20, -90, 30, -100, -80], Some(4)),
            (&[-80, -90], Some(1)),
            (&[-80, -40], None),
            (&[30, -50], Some(2)),
            (&[], None),
        ] {
            assert_eq!(turn(&iterations(values), Score(-50)), expected, "{values:?}");
        }
    }

    #[test]
    fn half_of_a_mate_is_a_value_of_a_position() {
        assert_eq!(middle(Score(100), Score(-300)), Score(-100));
        assert_eq!(middle(Score(0), -Score::MATE), Score(-DECIDED / 2));
    }
}
