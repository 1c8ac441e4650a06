//! The match while it runs, on stderr.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use quarterply_games::matches::schedule::PAIR;
use quarterply_games::matches::{News, Plan};

use super::report;
use crate::common::Common;

/// What it looks like: the result, and below it how far the match is.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {pos}/{len} games [{elapsed} gone, {eta} to go]";
/// How often the clocks are drawn again.
const TICK: Duration = Duration::from_millis(500);

/// The live display: a bar in a terminal, remarks everywhere, nothing with `--quiet`.
pub struct Live {
    bar: ProgressBar,
    quiet: bool,
}

impl Live {
    /// A display for this match.
    pub fn new(common: &Common, plan: &Plan) -> Live {
        let hidden = common.quiet || !stderr().is_terminal();
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(plan.schedule().games() as u64), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.set_prefix("match");
        Live { bar, quiet: common.quiet }
    }

    /// Shows what has happened.
    pub fn show(&mut self, news: &News<'_>) {
        match news {
            News::Note(text) => self.say(&format!("warning: {text}")),
            News::Begin { resumed, pairs } => {
                if *resumed > 0 {
                    self.say(&format!("going on: {resumed} of {pairs} pairs are in the journal"));
                    self.bar.set_position((PAIR * resumed) as u64);
                    self.bar.reset_eta();
                }
                self.bar.set_message("the first pair of games is running");
                self.bar.enable_steady_tick(TICK);
            }
            News::Game { line } => {
                self.bar.inc(1);
                if let Some(fault) = &line.fault {
                    self.say(&format!("game {}: {}: {}", line.game, fault.by, fault.what));
                }
            }
            News::Pair { standing, .. } => self.bar.set_message(report::brief(standing)),
        }
    }

    fn say(&self, text: &str) {
        self.speaker()(text);
    }

    /// Says something from any thread without spoiling the bar.
    pub fn speaker(&self) -> impl Fn(&str) + Send + 'static {
        let (bar, quiet) = (self.bar.clone(), self.quiet);
        move |text| {
            if !quiet {
                bar.suspend(|| say!("{text}"));
            }
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
