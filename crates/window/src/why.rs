//! Explains why a move is not the best: its searches, the line that refutes it, and the rules involved.

mod alone;
mod answer;
mod line;
mod reply;
mod verdict;
mod what_if;

pub use alone::SearchedAlone;
pub use answer::{answer, skip_meaning, standing};
pub use line::{Refutation, refutation};
pub use reply::end_meaning;
pub use verdict::{MoveHandling, MoveStanding, WhatIfSearches};
pub use what_if::{WhatIf, switched_off, what_if};

use crate::show::untried::skipped_with;
use crate::show::{ShowError, name, position_of};
use crate::trace::{
    ChildSearch, Decision, MoveCode, MoveOutcome, MoveRecord, MoveValue, NodeRecord, Purpose, SearchedMove, Trace,
};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Depth, Score};
use quarterply_engine::shakmaty::Move;

/// A move that is asked about.
#[derive(Clone, Debug)]
pub struct MoveQuestion {
    /// Moves from the root to the position.
    pub after: Vec<Move>,
    /// The move.
    pub mv: Move,
}

/// A root move in one iteration.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveInIteration {
    /// Depth of the iteration.
    pub depth: Depth,
    /// Number of the active voter of a consultation, from 0.
    pub voter: u32,
    /// False if it was stopped: the move may have been searched in it, but others were not.
    pub finished: bool,
    /// The place of the move in the order, from 1.
    pub place: u16,
    /// The depth deducted for it, if it was searched.
    pub deducted: Option<Depth>,
    /// Its value and the decision by it.
    pub value: Option<(Score, Decision)>,
    /// Moves made for it.
    pub nodes: u64,
}

/// The answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explanation {
    /// The answer in terms of chess: the reply, the value, the better move, the depth.
    pub answer: String,
    /// The decisions of the search about the move, in sentences.
    pub sentences: Vec<String>,
    /// The move in each iteration; empty for a move that is not the root's.
    pub iterations: Vec<MoveInIteration>,
    /// The line that follows the move, where it was searched.
    pub refutation: Option<Refutation>,
    /// Rules that skipped the move, reduced it, or ended the line after it.
    pub rules: Vec<Rule>,
    /// True if it is the best move of its node.
    pub is_best: bool,
    /// The decision of its node about it, if it is not.
    pub handling: MoveHandling,
    /// The last depth of the position of the move, in whole plies; `None` if it was not reached.
    pub depth: Option<u32>,
}

/// Answers a question from a trace.
pub fn explain(trace: &Trace, question: &MoveQuestion) -> Result<Explanation, ShowError> {
    let mut explainer = Explainer { trace, account: Explanation::default() };
    let root = trace.last_root().map(|id| trace.node(id)).transpose()?;
    let Some(root) = root else {
        explainer.account.answer = "No iteration was finished, so nothing is known of the move.".to_owned();
        return Ok(explainer.account);
    };
    let position = trace.game()?.position().clone();
    if question.after.is_empty() {
        explainer.iterations(question.mv)?;
    }
    explainer.follow(root, position, question)?;
    Ok(explainer.account)
}

struct Explainer<'a> {
    trace: &'a Trace,
    account: Explanation,
}

impl Explainer<'_> {
    fn add_sentence(&mut self, sentence: impl Into<String>) {
        self.account.sentences.push(sentence.into());
    }

    fn involve(&mut self, rule: Rule) {
        if !self.account.rules.contains(&rule) && !rule.switches().is_empty() {
            self.account.rules.push(rule);
        }
    }

    /// Adds the decision of each iteration about the move.
    fn iterations(&mut self, mv: Move) -> Result<(), ShowError> {
        let code = MoveCode::of(mv);
        for iteration in &self.trace.summary().iterations {
            let Some(root) = iteration.root else { continue };
            let root = self.trace.node(root)?;
            let Some(record) = root.moves().find(|record| record.mv == code) else { continue };
            let searched = record.searched();
            // Of several windows in one iteration the last one counts.
            let (depth, voter) = (Depth(iteration.depth), iteration.voter);
            self.account.iterations.retain(|seen| (seen.depth, seen.voter) != (depth, voter));
            self.account.iterations.push(MoveInIteration {
                depth,
                voter,
                finished: iteration.score.is_some(),
                place: record.number,
                deducted: searched.and_then(|searched| searched.deducted),
                value: searched.and_then(|searched| searched.value).map(|value| (value.score, value.decision)),
                nodes: record.nodes(),
            });
        }
        Ok(())
    }

    /// Walks from the root to the given position, as far as the search went, and reports the decisions about the move.
    fn follow(&mut self, root: NodeRecord, root_position: Position, question: &MoveQuestion) -> Result<(), ShowError> {
        let (mut node, mut position) = (root, root_position);
        for &mv in &question.after {
            let code = MoveCode::of(mv);
            let child = node.moves().find(|record| record.mv == code).and_then(MoveRecord::last_child);
            let Some(child) = child else {
                let title = name(&position, Some(code));
                self.verdict(&node, &position, mv)?;
                self.account.answer = format!(
                    "The position asked about was not searched: the search left the line at {title}. {}",
                    self.account.answer
                );
                (self.account.depth, self.account.is_best) = (None, false);
                self.account.handling = MoveHandling::Unreached;
                return Ok(());
            };
            node = self.trace.node(child)?;
            position = position_of(&node, &position)?;
        }
        if !question.after.is_empty() {
            let value = words::value(&node);
            let (depth, window) = (words::plies(node.depth), words::window(node.window));
            self.add_sentence(format!(
                "The position was last searched at depth {depth} with the window {window}; its value was {value}."
            ));
        }
        self.verdict(&node, &position, question.mv)
    }

    /// Adds the decision of `node` about `mv`.
    fn verdict(&mut self, node: &NodeRecord, position: &Position, mv: Move) -> Result<(), ShowError> {
        let code = MoveCode::of(mv);
        let title = name(position, Some(code));
        self.account.answer = answer(self.trace, node, position, mv)?;
        self.account.depth = u32::try_from(node.depth_out.whole()).ok();
        match node.moves().find(|record| record.mv == code) {
            Some(record) => self.explain_returned(node, position, record, &title),
            None => {
                self.explain_unreturned(node, position, mv, &title);
                Ok(())
            }
        }
    }

    /// Adds the decision about a move that the picker returned.
    fn explain_returned(
        &mut self,
        node: &NodeRecord,
        position: &Position,
        record: &MoveRecord,
        title: &str,
    ) -> Result<(), ShowError> {
        let order = record.order.map_or(String::new(), |order| format!(", ordering score {order}"));
        let stage = record.stage.name();
        match &record.outcome {
            MoveOutcome::Unknown => {
                self.add_sentence(format!("{title} was about to be searched when the search was stopped."));
                Ok(())
            }
            MoveOutcome::Skipped { by, .. } => {
                let words = self.trace.words(by);
                let depth = words::plies(node.depth_out);
                self.add_sentence(format!("{title} ({stage}{order}) was skipped at depth {depth} by {words}."));
                self.involve(by.rule);
                self.account.handling = MoveHandling::Skipped(by.rule);
                Ok(())
            }
            MoveOutcome::Searched(searched) => {
                self.add_sentence(format!("{title} was move {} in the order ({stage}{order}).", record.number));
                self.searched(node, position, record, searched, title)
            }
        }
    }

    fn searched(
        &mut self,
        node: &NodeRecord,
        position: &Position,
        record: &MoveRecord,
        searched: &SearchedMove,
        title: &str,
    ) -> Result<(), ShowError> {
        for line in &searched.breakdown {
            let words = words::breakdown(line, self.trace.labels(line.by.rule));
            self.add_sentence(match line.by.rule {
                Rule::Explosion => format!("The extension of {title} was limited by {words}."),
                _ if line.cost > Depth::ZERO => format!("{title} was reduced by {words}."),
                _ => format!("{title} was extended by {words}."),
            });
            self.involve(line.by.rule);
        }
        if let Some(sentence) = self.tries_sentence(node, searched)? {
            self.add_sentence(sentence);
        }
        let decision = record.decision();
        self.account.is_best = decision.is_some_and(|decision| decision != Decision::NotBest)
            && node.best().is_some_and(|best| best.mv == record.mv);
        self.account.handling = self.handling(node, searched)?;
        if let Some(value) = searched.value {
            let sentence = self.decision_sentence(node, position, value, title);
            self.add_sentence(sentence);
        }
        if let Some(child) = record.last_child() {
            let child = self.trace.node(child)?;
            let child_position = position_of(&child, position)?;
            let line = refutation(self.trace, child, child_position)?;
            for &rule in &line.rules {
                self.involve(rule);
            }
            self.account.refutation = Some(line);
        }
        Ok(())
    }

    /// The decision by a value, with the depth if that is not the full one.
    fn decision_sentence(&self, node: &NodeRecord, position: &Position, move_value: MoveValue, title: &str) -> String {
        let value = words::score(move_value.score);
        let best = node.best().and_then(|best| Some((name(position, Some(best.mv)), best.searched()?.value?)));
        let at = match &self.account.handling {
            MoveHandling::Reduced { depth, .. } => {
                format!("Searched to depth {} only, {title}", words::plies(*depth))
            }
            _ => title.to_owned(),
        };
        match (move_value.decision, self.account.is_best, best) {
            (Decision::Cutoff, ..) => format!("Its value {value} reached beta, so no further move was searched here."),
            (_, true, _) => format!("Its value {value} is the best."),
            (Decision::Best, _, Some((best, _))) => format!("Its value {value} was the best until {best} was better."),
            (_, _, Some((best, better))) if better.score > move_value.score => {
                let better = words::move_value(better.score, better.decision);
                format!("{at} is worth at most {value}; {best} is better with {better}.")
            }
            (_, _, Some((best, _))) => {
                format!("{at} is worth at most {value}, no more than {best}, which was found before.")
            }
            _ => format!("{at} is worth at most {value}; no move here was shown to be worth more."),
        }
    }

    /// Classifies how the node handled a move that it searched.
    fn handling(&self, node: &NodeRecord, searched: &SearchedMove) -> Result<MoveHandling, ShowError> {
        let (Some(last), Some(value)) = (searched.tries.last(), searched.value) else {
            return Ok(MoveHandling::Unreached);
        };
        let rules: Vec<Rule> = searched.reductions().map(|line| line.by.rule).collect();
        let less = matches!(last.purpose, Purpose::Reduced | Purpose::ReSearchMiddle) || last.cost > Depth::ONE_PLY;
        if less && !rules.is_empty() {
            let depth = self.depth_of(node, last)?;
            return Ok(MoveHandling::Reduced { depth, rules });
        }
        let child = last.child.map(|child| self.trace.node(child)).transpose()?;
        let ended = child.and_then(|child| child.ended).map(|by| MoveHandling::CutAfter(by.rule));
        Ok(ended.unwrap_or(MoveHandling::Refuted(value.score)))
    }

    /// Adds the reason why the picker did not return a move.
    fn explain_unreturned(&mut self, node: &NodeRecord, position: &Position, mv: Move, title: &str) {
        if let Some(by) = &node.ended {
            let words = self.trace.words(by);
            self.add_sentence(format!("No move was searched there: the node was ended by {words}."));
            self.involve(by.rule);
            self.account.handling = MoveHandling::Skipped(by.rule);
            return;
        }
        if let Some((first, by)) = skipped_with(position, node, MoveCode::of(mv)) {
            let words = self.trace.words(by);
            let first = name(position, Some(first));
            self.add_sentence(format!(
                "{title} was skipped together with {first}, which was ordered before it: {words}."
            ));
            self.involve(by.rule);
            self.account.handling = MoveHandling::Skipped(by.rule);
            return;
        }
        let cut = node.best().filter(|best| best.decision() == Some(Decision::Cutoff));
        self.add_sentence(match cut {
            Some(best) => {
                let best = name(position, Some(best.mv));
                format!("{title} was not searched: {best}, which was ordered before it, caused a cutoff.")
            }
            None if node.excluded == Some(MoveCode::of(mv)) => {
                format!("{title} was excluded: this search finds the value of the position without it.")
            }
            None if node.is_quiescence() => {
                format!("{title} was not searched: the depth was used up, and quiescence searches forcing moves only.")
            }
            None => format!("{title} was not searched."),
        });
    }

    /// The results of the searches of a move, in order.
    fn tries_sentence(&self, node: &NodeRecord, searched: &SearchedMove) -> Result<Option<String>, ShowError> {
        let clauses: Vec<String> = searched
            .tries
            .iter()
            .map(|search| {
                let value = search
                    .score
                    .map_or_else(|| "was stopped".to_owned(), |_| format!("gave {}", words::found(self.trace, search)));
                let depth = words::plies(self.depth_of(node, search)?);
                Ok(match search.purpose {
                    Purpose::Reduced => format!("the reduced search to depth {depth} {value}"),
                    Purpose::ReSearchMiddle => format!("the re-search to depth {depth} {value}"),
                    Purpose::ReSearchFull => format!("the re-search to full depth {depth} {value}"),
                    Purpose::ReSearchOpen => format!("the re-search with an open window {value}"),
                    Purpose::Quiescence => format!("quiescence {value}"),
                    _ => format!("the search to depth {depth} {value}"),
                })
            })
            .collect::<Result<_, ShowError>>()?;
        Ok((!clauses.is_empty()).then(|| words::capital(&clauses.join("; ")) + "."))
    }

    /// The depth of a search of a move. If its node was not recorded, it is the depth of a search with one budget for both sides.
    fn depth_of(&self, node: &NodeRecord, search: &ChildSearch) -> Result<Depth, ShowError> {
        let child = search.child.map(|child| self.trace.node(child)).transpose()?;
        Ok(child.map_or((node.depth_out - search.cost).max(Depth::ZERO), |child| child.depth))
    }
}
