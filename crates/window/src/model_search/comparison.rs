//! Comparison of both searches of a model.

use std::collections::BTreeMap;
use std::fmt;

use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use serde_json::{Value, json};

use super::error::{ValueError, ValueErrorKind};
use super::outcomes::NodeOutcomes;
use super::{ModelSearch, ModelSearchError, ModelSearchSettings};
use crate::model::hundredths;
use crate::run::shown;
use crate::trace::RuleReason;
use crate::why::switched_off;
use crate::words;

/// Lines named for each rule; the others are counted.
const NAMED_MAX: usize = 4;

/// Comparison of both searches.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelComparison {
    /// The textbook's value in pawns/100, and as it shows it.
    pub textbook: (Score, String),
    /// The textbook's line.
    pub textbook_line: String,
    /// Leaves that the textbook evaluated.
    pub textbook_leaves: usize,
    /// Leaves of the model.
    pub leaves: usize,
    /// The engine's value in pawns/100.
    pub engine: Score,
    /// The engine's line, shortened to the part that is printed.
    pub engine_line: String,
    /// Leaves that the engine's last iteration reached.
    pub engine_leaves: usize,
    /// Its depth in plies.
    pub depth: u32,
    /// Moves made in all iterations.
    pub nodes: u64,
    /// The profile.
    pub profile: String,
    /// Lines whose last move a rule skipped everywhere in the last iteration.
    pub skipped: BTreeMap<&'static str, Vec<String>>,
    /// Lines that a rule ended, so that nothing after them was searched.
    pub ended: BTreeMap<&'static str, Vec<String>>,
    /// Lines at whose end the depth was used up, so that nothing after them was searched.
    pub shallow: Vec<String>,
    /// The reason why the values differ, if they do: in words, and the rule if it is one.
    pub cause: Option<(String, Option<Rule>)>,
    /// Each active rule with the engine's value without it, in pawns/100, if the values differ.
    pub without: Vec<(Rule, Score)>,
    /// Rules at fault one after the other, each found with those before it off. With all of them off the values are the same. Empty if
    /// one alone is enough, or if rules are not the reason.
    pub together: Vec<Rule>,
}

impl ModelSearch<'_> {
    /// Compares both searches. If the values differ, the model is searched again with each active rule off.
    pub fn comparison(&self) -> Result<ModelComparison, ModelSearchError> {
        let outcomes = NodeOutcomes::of(self)?;
        let nodes = self.run.model.nodes();
        let is_leaf = |place: usize| nodes[place].children.is_empty();
        let named = |found: &mut dyn Iterator<Item = (Rule, usize)>| {
            let mut lines: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
            found.for_each(|(rule, place)| lines.entry(rule.name()).or_default().push(self.name(place)));
            lines
        };
        let cause = self.cause()?;
        let without = match cause {
            Some(_) => self.without()?,
            None => Vec::new(),
        };
        let textbook = hundredths(self.run.value);
        let alone = without.iter().any(|&(_, value)| value == textbook);
        let together = match &cause {
            Some(cause) if !alone => self.together(cause.rule())?,
            _ => Vec::new(),
        };
        Ok(ModelComparison {
            textbook: (textbook, shown(self.run.value)),
            textbook_line: self.run.pv_line().to_owned(),
            textbook_leaves: self.run.evaluations().filter(|e| is_leaf(e.node)).count(),
            leaves: (0..nodes.len()).filter(|&place| is_leaf(place)).count(),
            engine: self.value(),
            engine_line: self.line().to_owned(),
            engine_leaves: outcomes.leaves(),
            depth: self.trace.summary().depth,
            nodes: self.trace.summary().nodes,
            profile: self.trace.header().profile.clone(),
            skipped: named(&mut outcomes.skipped_everywhere()),
            ended: named(&mut outcomes.cut()),
            shallow: outcomes.shallow().map(|place| self.name(place)).collect(),
            cause: cause.map(|cause| (self.describe(&cause), cause.rule())),
            without,
            together,
        })
    }

    /// The line to a node; the root has none.
    fn name(&self, place: usize) -> String {
        if place == 0 { "the root".to_owned() } else { self.run.node(place).line.clone() }
    }

    /// The value without each active rule that can be switched off.
    fn without(&self) -> Result<Vec<(Rule, Score)>, ModelSearchError> {
        let mut acted = vec![false; Rule::ALL.len()];
        for id in 0..self.trace.len() {
            self.trace.node(id)?.reasons().for_each(|by| acted[by.rule as usize] = true);
        }
        let rules = Rule::ALL.iter().copied().filter(|&rule| acted[rule as usize] && !rule.switches().is_empty());
        rules.map(|rule| Ok((rule, self.value_without(rule)?))).collect()
    }

    /// The rules at fault, each found with those before it off, until the engine finds the textbook's value.
    fn together(&self, first: Option<Rule>) -> Result<Vec<Rule>, ModelSearchError> {
        let mut parameters = self.settings.parameters.clone();
        let mut rules = Vec::new();
        let mut next = first;
        while let Some(rule) = next.filter(|rule| !rules.contains(rule) && !rule.switches().is_empty()) {
            rules.push(rule);
            parameters = switched_off(&parameters, rule);
            let again = self.run.model.search(ModelSearchSettings { parameters: &parameters, ..self.settings })?;
            match again.cause()? {
                None => return Ok(rules),
                Some(cause) => next = cause.rule(),
            }
        }
        Ok(Vec::new())
    }

    /// A cause in words.
    fn describe(&self, cause: &ValueError) -> String {
        let line = self.name(cause.place);
        let claimed = words::proven(cause.returned, cause.bound);
        let to_move = self.position().turn();
        let turn = words::side(if self.run.node(cause.place).ply.is_multiple_of(2) { to_move } else { !to_move });
        let minimax = words::score(cause.minimax);
        let at = format!("At {line}, {turn} to move, the search found {claimed} where the leaves say {minimax}");
        let reason = |by: &RuleReason| words::reason(by, self.trace.labels(by.rule));
        match &cause.fault {
            ValueErrorKind::Ended(by) => format!("{at}: {} ended it ({}).", by.rule.name(), reason(by)),
            ValueErrorKind::Skipped(child, by) => {
                let best = self.name(*child);
                format!("{at}: {} skipped {best}, the best move by the leaves ({}).", by.rule.name(), reason(by))
            }
            ValueErrorKind::Shallow => format!("{at}: its depth was used up{}.", self.taken(cause)),
            ValueErrorKind::Other => format!("{at}: no single decision there is the reason{}.", self.taken(cause)),
        }
    }

    /// Lists the reductions along the line.
    fn taken(&self, cause: &ValueError) -> String {
        let one = |&(rule, depth, place): &_| {
            format!("{} took {} at {}", Rule::name(rule), words::plies(depth), self.name(place))
        };
        let taken: Vec<String> = cause.reductions.iter().map(one).collect();
        if taken.is_empty() { String::new() } else { format!("; {}", taken.join(", ")) }
    }
}

impl ValueError {
    /// The responsible rule: the one that decided at the node, or the one with the largest reduction along the line.
    pub fn rule(&self) -> Option<Rule> {
        match &self.fault {
            ValueErrorKind::Ended(by) | ValueErrorKind::Skipped(_, by) => Some(by.rule),
            ValueErrorKind::Shallow | ValueErrorKind::Other => {
                self.reductions.iter().max_by_key(|(_, depth, _)| *depth).map(|&(rule, ..)| rule)
            }
        }
    }
}

impl ModelComparison {
    /// Returns true if both find the same value.
    pub fn agrees(&self) -> bool {
        self.textbook.0 == self.engine
    }

    /// The rules without which the engine finds the textbook's value.
    pub fn sufficient_rules(&self) -> impl Iterator<Item = Rule> + '_ {
        self.without.iter().filter(|&&(_, value)| value == self.textbook.0).map(|&(rule, _)| rule)
    }

    /// One JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "textbook": {
                "value": self.textbook.0.0, "shown": self.textbook.1, "line": self.textbook_line, "leaves": self.textbook_leaves,
            },
            "engine": {
                "value": self.engine.0, "line": self.engine_line, "leaves": self.engine_leaves, "depth": self.depth,
                "nodes": self.nodes, "profile": self.profile,
            },
            "leaves": self.leaves,
            "skipped": self.skipped,
            "ended": self.ended,
            "shallow": self.shallow,
            "agrees": self.agrees(),
            "cause": self.cause.as_ref().map(|(words, rule)| json!({"words": words, "rule": rule.map(Rule::name)})),
            "together": self.together.iter().map(|rule| rule.name()).collect::<Vec<_>>(),
            "without": self.without.iter().map(|(rule, value)| json!({"rule": rule.name(), "value": value.0})).collect::<Vec<_>>(),
        })
    }
}

/// A few lines of a list, and how many more there are.
fn some(lines: &[String]) -> String {
    let shown = lines.len().min(NAMED_MAX);
    let more = lines.len() - shown;
    let text = lines[..shown].join("; ");
    if more > 0 { format!("{text}; and {more} more") } else { text }
}

/// The comparison in words: both searches, the moves that were not searched, the verdict.
impl fmt::Display for ModelComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.leaves;
        let (value, exact) = (words::score(self.textbook.0), &self.textbook.1);
        let leaves = self.textbook_leaves;
        writeln!(f, "textbook: {value} (exactly {exact}), {}; {leaves} of {all} leaves evaluated", self.textbook_line)?;
        let (made, leaves) = (words::several(self.nodes, "move"), self.engine_leaves);
        writeln!(
            f,
            "engine, {}: {}, {}; {leaves} of {all} leaves seen at depth {}, {made} made in all",
            self.profile,
            words::score(self.engine),
            self.engine_line,
            self.depth
        )?;
        for (rule, lines) in &self.skipped {
            writeln!(f, "skipped by {rule}: {}", some(lines))?;
        }
        for (rule, lines) in &self.ended {
            writeln!(f, "ended by {rule}: {}", some(lines))?;
        }
        if !self.shallow.is_empty() {
            writeln!(f, "depth used up: {}", some(&self.shallow))?;
        }
        let Some((cause, _)) = &self.cause else {
            return writeln!(f, "verdict: the rules changed nothing, both find {value}");
        };
        let engine = words::score(self.engine);
        writeln!(f, "verdict: the rules changed the result: {engine} in place of {value}")?;
        writeln!(f, "{cause}")?;
        let sufficient_rules: Vec<&str> = self.sufficient_rules().map(Rule::name).collect();
        let together: Vec<&str> = self.together.iter().copied().map(Rule::name).collect();
        match (sufficient_rules.is_empty(), together.is_empty()) {
            (false, _) => {
                writeln!(f, "Without {} alone the engine finds {value} too.", words::listed(&sufficient_rules, "or"))
            }
            (true, false) => writeln!(
                f,
                "No rule alone did it. Without {} together the engine finds {value} too.",
                words::listed(&together, "and")
            ),
            (true, true) => writeln!(f, "No rule alone did it: with any single one off the value is still another."),
        }
    }
}
