//! Repeats a search with single rules off, for `window why`.

use std::io::{self, Write};

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::words::grouped;
use quarterply_uci::process::Stop;
use quarterply_window::trace::Filter;
use quarterply_window::trace::record::RecordSetup;
use quarterply_window::why::{MoveHandling, MoveQuestion, MoveStanding, WhatIf, WhatIfSearches, explain, what_if};
use quarterply_window::words;
use serde_json::{Value, json};

use super::support::{self, show_failure};
use super::why::{paragraph, san_line};
use crate::failure::Failure;
use crate::listing::Listing;

/// Default limit of a search with a rule off, as a multiple of the moves of the unchanged search.
pub const NODE_FACTOR: u64 = 32;
/// Minimum of this limit, in nodes: small searches grow most.
pub const NODES_LEAST: u64 = 500_000;

/// The search to repeat.
pub struct WhatIfQuestion<'a> {
    /// The position of the move.
    pub game: &'a Game,
    /// How it is searched.
    pub parameters: &'a Parameters,
    /// The move asked about.
    pub mv: Move,
    /// How deep (plies).
    pub depth: u32,
    /// Moves that each search may make.
    pub nodes: u64,
    /// Transposition table in MiB.
    pub hash: usize,
}

/// The results.
pub struct MoveAnswer {
    usual: WhatIf,
    without: Vec<WhatIf>,
    /// The results of the unchanged searches, in sentences.
    pub alone: String,
    /// The results with a rule off; `None` without one.
    verdict: Option<String>,
}

impl WhatIfQuestion<'_> {
    /// Searches as things are and with each rule off, at most `most` of them, and none after `stop`.
    pub fn run(&self, rules: &[Rule], most: u64, stop: &Stop) -> Result<MoveAnswer, Failure> {
        let usual = self.without(None)?;
        let chosen = rules.iter().take(most as usize).take_while(|_| !stop.is_set());
        let without = chosen.map(|&rule| self.without(Some(rule))).collect::<Result<Vec<_>, _>>()?;
        let hidden = matches!(usual.standing(), MoveStanding::Hidden(_));
        let handling = if hidden { self.handling(usual.depths[1])? } else { MoveHandling::default() };
        let trials = WhatIfSearches { game: self.game, usual: &usual, without: &without, handling: &handling };
        let verdict = (!without.is_empty()).then(|| trials.verdict());
        Ok(MoveAnswer { alone: trials.answer(), verdict, usual, without })
    }

    fn without(&self, rule: Option<Rule>) -> Result<WhatIf, Failure> {
        let limits = (self.depth, self.nodes.max(1));
        what_if(self.game, self.parameters, rule, self.mv, limits, self.hash).map_err(Failure::input)
    }

    /// The decisions about the move in the search of all moves to this depth, which is repeated and recorded.
    fn handling(&self, depth: u32) -> Result<MoveHandling, Failure> {
        let limits = Limits::depth(depth);
        let (parameters, hash, filter) = (self.parameters, self.hash, Filter::default());
        let setup = RecordSetup { game: self.game, parameters, profile: "", limits: &limits, hash, filter };
        let (trace, _) = support::record_aside(&setup, &Control::default())?;
        let account = explain(&trace, &MoveQuestion { after: Vec::new(), mv: self.mv }).map_err(show_failure)?;
        Ok(account.handling)
    }

    fn name(&self, mv: Option<Move>) -> String {
        mv.map_or_else(|| "nothing".to_owned(), |mv| san_line(self.game, &[mv]))
    }

    fn row(&self, result: &WhatIf) -> Vec<String> {
        let depth = result.depth();
        vec![
            result.without.map_or("unchanged".to_owned(), |rule| format!("without {}", rule.name())),
            words::score(result.value()),
            self.name(result.all.best),
            words::score(result.best_value()),
            grouped(result.all.nodes + result.alone.nodes),
            if result.finished { depth.to_string() } else { format!("{depth}, unfinished") },
        ]
    }

    /// The searches with a rule off, as people read them.
    pub fn tell(&self, out: &mut dyn Write, answer: &MoveAnswer) -> io::Result<()> {
        let MoveAnswer { usual, without, verdict: Some(verdict), .. } = answer else { return Ok(()) };
        let title = self.name(Some(self.mv));
        let heads = ["what if", &format!("{title} alone"), "best move", "its value", "nodes", "depth"];
        let listing = Listing::of(&heads, std::iter::once(usual).chain(without).map(|result| self.row(result)));
        writeln!(out, "\n{listing}\n")?;
        paragraph(out, verdict)?;
        unfinished(out, self, without)
    }

    /// The answer for programs.
    pub fn as_json(&self, answer: &MoveAnswer) -> Value {
        let row = |result: &WhatIf| {
            json!({
                "without": result.without.map(Rule::name), "finished": result.finished, "depths": result.depths,
                "value": result.value().0, "best": result.all.best.map(|best| self.name(Some(best))),
                "best_value": result.best_value().0, "nodes": result.all.nodes + result.alone.nodes,
            })
        };
        let rows: Vec<Value> = std::iter::once(&answer.usual).chain(&answer.without).map(row).collect();
        let sentences: Vec<&String> = std::iter::once(&answer.alone).chain(&answer.verdict).collect();
        json!({"searches": rows, "sentences": sentences})
    }
}

/// Says which trials were stopped: their values belong to a smaller depth.
fn unfinished(out: &mut dyn Write, trial: &WhatIfQuestion<'_>, trials: &[WhatIf]) -> io::Result<()> {
    for result in trials.iter().filter(|result| !result.finished) {
        let (requested, reached) = (trial.depth, result.depth());
        let name = result.without.map_or("any change", Rule::name);
        let nodes = words::several(trial.nodes, "node");
        paragraph(
            out,
            &format!(
                "Without {name}, {nodes} were not enough for depth {requested}: its row is of depth {reached} (--node-factor gives more)."
            ),
        )?;
    }
    Ok(())
}
