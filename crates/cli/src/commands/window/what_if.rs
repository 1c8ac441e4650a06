//! What would the search say with a rule off? For `window why`.

use std::io::{self, Write};

use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::words::grouped;
use quarterply_window::why::{WhatIf, what_if};
use quarterply_window::words;

use super::why::{paragraph, san_line};
use crate::failure::Failure;
use crate::listing::Listing;

/// A search with a rule off may make so many times the moves of the search as it is, if nothing else is said.
pub const PATIENCE: u64 = 32;
/// It may always make so many: small searches grow most.
pub const NODES_LEAST: u64 = 500_000;

/// What is searched again.
pub struct Trial<'a> {
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

impl Trial<'_> {
    fn without(&self, rule: Option<Rule>) -> Result<WhatIf, Failure> {
        let limits = (self.depth, self.nodes.max(1));
        what_if(self.game, self.parameters, rule, self.mv, limits, self.hash).map_err(Failure::input)
    }

    fn name(&self, mv: Option<Move>) -> String {
        mv.map_or_else(|| "nothing".to_owned(), |mv| san_line(self.game, &[mv]))
    }

    /// The move searched alone, against the best of all.
    fn alone(&self, usual: &WhatIf) -> String {
        let title = self.name(Some(self.mv));
        let (value, line) = (words::score(usual.value()), san_line(self.game, &usual.alone.report.line));
        let verdict = if usual.all.best == Some(self.mv) {
            "and a search of all moves prefers it too".to_owned()
        } else {
            against(usual.value(), usual.best_value(), &self.name(usual.all.best))
        };
        format!("Searched afresh and alone to depth {}, {title} is worth {value}, {verdict}: {line}.", usual.depth)
    }

    /// What all the trials come to.
    fn verdict(&self, usual: &WhatIf, trials: &[WhatIf]) -> String {
        let title = self.name(Some(self.mv));
        let (trials, rest): (Vec<&WhatIf>, Vec<&WhatIf>) = trials.iter().partition(|trial| trial.finished);
        if !usual.finished || trials.is_empty() {
            return "Nothing can be said of the best move: the searches are of different depths.".to_owned();
        }
        let one = if rest.is_empty() { "any one of these rules" } else { "any one of the rules whose search finished" };
        let changed: Vec<&str> = trials
            .iter()
            .filter(|trial| (trial.all.best == Some(self.mv)) != (usual.all.best == Some(self.mv)))
            .filter_map(|trial| trial.without.map(Rule::name))
            .collect();
        match (changed.is_empty(), usual.all.best == Some(self.mv)) {
            (true, false) if trials.len() == 1 => format!("Without this rule {title} is still not the best move."),
            (true, false) => format!("With {one} off, {title} is still not the best move."),
            (true, true) => format!("With {one} off, {title} is the best move."),
            (false, false) => format!("Only without {} would {title} be the best move.", changed.join(" or ")),
            (false, true) => format!("Without {}, {title} would not be the best move.", changed.join(" or ")),
        }
    }

    fn row(&self, result: &WhatIf) -> Vec<String> {
        vec![
            result.without.map_or("as it is".to_owned(), |rule| format!("without {}", rule.name())),
            words::score(result.value()),
            self.name(result.all.best),
            words::score(result.best_value()),
            grouped(result.all.nodes + result.alone.nodes),
            if result.finished { result.depth.to_string() } else { format!("{}, unfinished", result.depth) },
        ]
    }
}

/// A value compared with the best one.
fn against(value: Score, best: Score, name: &str) -> String {
    let shown = words::score(best);
    match best.0 - value.0 {
        _ if best.is_decisive() || value.is_decisive() => format!("against {shown} for {name}"),
        0 => format!("as much as {name}"),
        gap if gap > 0 => format!("{gap} less than {name} with {shown}"),
        gap => format!("{} more than {name}, which a search of all moves prefers with {shown}", -gap),
    }
}

/// Says what the search finds as it is and with each rule off, at most `most` of them.
pub fn tell(out: &mut dyn Write, trial: &Trial<'_>, rules: &[Rule], most: u64) -> Result<(), Failure> {
    let usual = trial.without(None)?;
    paragraph(out, &trial.alone(&usual))?;
    let chosen = rules.iter().take(most as usize);
    let trials = chosen.map(|&rule| trial.without(Some(rule))).collect::<Result<Vec<_>, _>>()?;
    if trials.is_empty() {
        return Ok(());
    }
    let title = trial.name(Some(trial.mv));
    let heads = ["what if", &format!("{title} alone"), "best", "value", "nodes", "depth"];
    let mut listing = Listing::new(&heads, 1..heads.len());
    listing.add_row(trial.row(&usual));
    for result in &trials {
        listing.add_row(trial.row(result));
    }
    writeln!(out, "\n{listing}\n")?;
    paragraph(out, &trial.verdict(&usual, &trials))?;
    unfinished(out, trial, &trials)?;
    Ok(())
}

/// Says which trials were stopped: their values belong to a smaller depth.
fn unfinished(out: &mut dyn Write, trial: &Trial<'_>, trials: &[WhatIf]) -> io::Result<()> {
    for result in trials.iter().filter(|result| !result.finished) {
        let (wanted, reached) = (trial.depth, result.depth);
        let name = result.without.map_or("any change", Rule::name);
        let nodes = words::several(trial.nodes, "node");
        paragraph(
            out,
            &format!(
                "Without {name}, {nodes} were not enough for depth {wanted}: its row is of depth {reached} (--patience gives more)."
            ),
        )?;
    }
    Ok(())
}
