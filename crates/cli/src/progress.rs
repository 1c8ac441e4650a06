//! Progress on stderr: a bar with the remaining time, hidden with `--quiet` or if stderr is not a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::common::Common;
use crate::execution::Execution;
use crate::failure::Failure;
use crate::interrupt;

/// What a bar looks like.
pub const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg} [{elapsed} gone, {eta} to go]";

/// The same without an end.
const COUNTER: &str = "{prefix} {pos} [{elapsed} gone]";

/// How often clocks are drawn again.
const TICK: Duration = Duration::from_millis(500);

/// Least time between two messages of a bar.
const PAUSE: Duration = Duration::from_millis(200);

/// A bar over `length` steps; it draws nothing with `--quiet` or when stderr is not a terminal.
pub fn bar(common: &Common, length: usize, label: &str) -> ProgressBar {
    styled(common, length as u64, label, TEMPLATE)
}

/// A counter of steps whose total is unknown.
pub fn counter(common: &Common, label: &str) -> ProgressBar {
    styled(common, 0, label, COUNTER)
}

fn styled(common: &Common, length: u64, label: &str, template: &str) -> ProgressBar {
    let target = if common.quiet || !stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.set_prefix(label.to_owned());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A bar with a running clock that allows messages above it; silent with `--quiet`.
pub struct ProgressLine {
    /// The bar.
    pub bar: ProgressBar,
    template: &'static str,
    quiet: bool,
    shown: Instant,
}

impl ProgressLine {
    /// A bar that looks like this.
    pub fn new(common: &Common, length: u64, label: &str, template: &'static str) -> ProgressLine {
        ProgressLine {
            bar: styled(common, length, label, template),
            template,
            quiet: common.quiet,
            shown: Instant::now(),
        }
    }

    /// Shows who works elsewhere, too.
    pub fn show_workers(&self, execution: &Execution) {
        execution.show_below(&self.bar, self.template);
    }

    /// Returns true if the bar is seen and was not changed just now.
    pub fn is_due(&mut self) -> bool {
        let due = !self.bar.is_hidden() && self.shown.elapsed() >= PAUSE;
        if due {
            self.shown = Instant::now();
        }
        due
    }

    /// Handles Ctrl-C: the first sets the returned signal and is answered with this text, the second ends the program.
    pub fn stop_signal(&self, text: &'static str) -> Result<Arc<AtomicBool>, Failure> {
        let say = self.speaker();
        Ok(interrupt::listen(move || say(text))?.flag())
    }

    /// Shows that work has begun.
    pub fn begin(&self, message: &'static str) {
        self.bar.set_message(message);
        self.bar.enable_steady_tick(TICK);
    }

    /// Says something without spoiling the bar.
    pub fn say(&self, text: &str) {
        self.speaker()(text);
    }

    /// Says something from any thread.
    pub fn speaker(&self) -> impl Fn(&str) + Send + Sync + 'static {
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
