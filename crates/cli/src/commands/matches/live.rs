//! The progress of a match on stderr.

use std::io::{IsTerminal, stderr};

use quarterply_games::matches::schedule::PAIR;
use quarterply_games::matches::{MatchEvent, MatchPlan};

use super::report;
use crate::common::Common;
use crate::progress;

/// The template: the result, and below it the progress of the match.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {pos}/{len} games [{elapsed} gone, {eta} to go]";
/// The same with a table of the players.
const TABLE: &str = "{msg}\n{prefix} {wide_bar} {pos}/{len} games [{elapsed} gone, {eta} to go]";

/// The live display: a bar and the standing in a terminal, lines elsewhere, remarks everywhere, nothing with `--quiet`.
pub struct MatchDisplay {
    /// The bar and the remarks.
    pub line: progress::ProgressLine,
    /// Shows a table, where there are lines for it and more than two players.
    is_table: bool,
}

impl MatchDisplay {
    /// A display for this match.
    pub fn new(common: &Common, plan: &MatchPlan) -> MatchDisplay {
        let games = plan.schedule().games() as u64;
        let is_table = stderr().is_terminal() && plan.entrants.len() > 2;
        let template = if is_table { TABLE } else { TEMPLATE };
        MatchDisplay { line: progress::ProgressLine::new(common, games, "match", template), is_table }
    }

    /// Shows an event.
    pub fn show(&mut self, event: &MatchEvent<'_>) {
        let MatchDisplay { line: live, is_table } = self;
        match event {
            MatchEvent::Note(text) => live.say(&format!("warning: {text}")),
            MatchEvent::Resized { file, then, now } => {
                live.say(&format!("warning: {}: begun with --games {then}, continues to {now}", file.display()));
            }
            MatchEvent::Begin { resumed, pairs } => {
                if *resumed > 0 {
                    live.say(&format!("continuing: {resumed} of {pairs} pairs are in the journal"));
                    live.bar.set_position((PAIR * resumed) as u64);
                    live.bar.reset_eta();
                }
                live.begin("no pair of games is finished yet");
            }
            MatchEvent::Game(line) => {
                live.bar.inc(1);
                if let Some(fault) = &line.fault {
                    live.say(&format!("game {}: {}: {}", line.game, fault.by, fault.what));
                }
            }
            MatchEvent::Pair { standing, .. } if *is_table => live.bar.set_message(report::live_table(standing)),
            MatchEvent::Pair { standing, .. } => live.bar.set_message(report::brief(standing)),
        }
    }
}
