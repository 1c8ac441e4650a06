//! The match while it runs, on stderr.

use std::time::{Duration, Instant};

use quarterply_games::matches::schedule::PAIR;
use quarterply_games::matches::{MatchEvent, MatchPlan};

use super::report;
use crate::common::Common;
use crate::progress;

/// What it looks like: the result, and below it how far the match is.
const TEMPLATE: &str = "{msg}\n{prefix} {wide_bar} {pos}/{len} games [{elapsed} gone, {eta} to go]";
/// How often the standing is written where there is no terminal.
const STANDING_EVERY: Duration = Duration::from_secs(60);

/// The live display: a bar and the standing in a terminal, remarks everywhere, the standing once a minute in a file; nothing with
/// `--quiet`.
pub struct MatchDisplay {
    /// The bar and the remarks.
    pub line: progress::ProgressLine,
    /// When the standing was written last.
    written: Instant,
}

impl MatchDisplay {
    /// A display for this match.
    pub fn new(common: &Common, plan: &MatchPlan) -> MatchDisplay {
        let games = plan.schedule().games() as u64;
        let line = progress::ProgressLine::new(common, games, "match", TEMPLATE);
        MatchDisplay { line, written: Instant::now() }
    }

    /// Shows what has happened.
    pub fn show(&mut self, news: &MatchEvent<'_>) {
        let MatchDisplay { line: live, written } = self;
        match news {
            MatchEvent::Note(text) => live.say(&format!("warning: {text}")),
            MatchEvent::Begin { resumed, pairs } => {
                if *resumed > 0 {
                    live.say(&format!("going on: {resumed} of {pairs} pairs are in the journal"));
                    live.bar.set_position((PAIR * resumed) as u64);
                    live.bar.reset_eta();
                }
                live.begin("the first pair of games is running");
            }
            MatchEvent::Game(line) => {
                live.bar.inc(1);
                if let Some(fault) = &line.fault {
                    live.say(&format!("game {}: {}: {}", line.game, fault.by, fault.what));
                }
            }
            MatchEvent::Pair { standing, .. } if live.bar.is_hidden() => {
                if written.elapsed() >= STANDING_EVERY {
                    *written = Instant::now();
                    live.say(&format!("{} games: {}", standing.games, report::brief(standing)));
                }
            }
            MatchEvent::Pair { standing, .. } => live.bar.set_message(report::live(standing)),
        }
    }
}
