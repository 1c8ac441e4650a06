//! Progress on stderr: a bar with the remaining time in a terminal, a line at intervals elsewhere, nothing with `--quiet`.

pub mod lines;

use std::cell::Cell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::common::Common;
use crate::execution::Execution;
use crate::failure::Failure;
use crate::interrupt;

/// The template of a bar.
pub const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg} [{elapsed} gone, {eta} to go]";

/// The same without an end.
const COUNTER: &str = "{prefix} {pos} [{elapsed} gone]";

/// How often clocks are drawn again.
const TICK: Duration = Duration::from_millis(500);

/// The same where lines are written at shorter intervals.
const TICK_MIN: Duration = Duration::from_millis(20);

/// Least time between two messages of a bar.
const PAUSE: Duration = Duration::from_millis(200);

/// The style of a template: as it is in a terminal, as one line without a bar elsewhere.
pub fn style(template: &str) -> ProgressStyle {
    let chosen = if stderr().is_terminal() { template.to_owned() } else { lines::template(template) };
    let style = ProgressStyle::with_template(&chosen).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("eta", |state: &ProgressState, out: &mut dyn fmt::Write| {
        // Before the first step the speed is unknown, and the library would write 0 s.
        let _ = if state.pos() == 0 { write!(out, "?") } else { write!(out, "{:#}", HumanDuration(state.eta())) };
    })
}

/// A bar over `length` steps; nothing with `--quiet`.
pub fn bar(common: &Common, length: usize, label: &str) -> ProgressBar {
    styled(common, length as u64, label, TEMPLATE)
}

/// A counter of steps whose total is unknown.
pub fn counter(common: &Common, label: &str) -> ProgressBar {
    styled(common, 0, label, COUNTER)
}

fn styled(common: &Common, length: u64, label: &str, template: &str) -> ProgressBar {
    let (target, tick) = match (common.quiet, stderr().is_terminal()) {
        (true, _) => (ProgressDrawTarget::hidden(), None),
        (false, true) => (ProgressDrawTarget::stderr(), None),
        (false, false) => {
            let interval = lines::interval();
            // Also while nothing happens, for example during one long search.
            (lines::target(interval, |line| say!("{line}")), Some(interval.clamp(TICK_MIN, TICK)))
        }
    };
    let bar = ProgressBar::with_draw_target(Some(length), target).with_style(style(template));
    bar.set_prefix(label.to_owned());
    if let Some(tick) = tick {
        bar.enable_steady_tick(tick);
    }
    bar
}

/// The time for `left` units of work, if `done` units took `seconds`; `None` if nothing is done yet or the time is too long to write.
pub fn time_left(seconds: f64, done: f64, left: f64) -> Option<HumanDuration> {
    let duration = Duration::try_from_secs_f64(seconds / done * left).ok().filter(|_| done > 0.0);
    duration.map(HumanDuration)
}

/// A bar with a running clock that allows messages above it; silent with `--quiet`.
pub struct ProgressLine {
    /// The bar.
    pub bar: ProgressBar,
    template: &'static str,
    quiet: bool,
    shown: Cell<Instant>,
}

impl ProgressLine {
    /// A bar that looks like this.
    pub fn new(common: &Common, length: u64, label: &str, template: &'static str) -> ProgressLine {
        ProgressLine {
            bar: styled(common, length, label, template),
            template,
            quiet: common.quiet,
            shown: Cell::new(Instant::now()),
        }
    }

    /// Shows the remote workers, too.
    pub fn show_workers(&self, execution: &Execution) {
        execution.show_below(&self.bar, self.template);
    }

    /// Returns true if the bar is seen and was not changed just now.
    pub fn is_due(&self) -> bool {
        let due = !self.bar.is_hidden() && self.shown.get().elapsed() >= PAUSE;
        if due {
            self.shown.set(Instant::now());
        }
        due
    }

    /// Handles Ctrl-C: the first sets the returned signal and is answered with this text, the second ends the program.
    pub fn stop_signal(&self, text: &'static str) -> Result<Arc<AtomicBool>, Failure> {
        let say = self.message_printer();
        Ok(interrupt::listen(move || say(text))?.flag())
    }

    /// Shows that work has begun.
    pub fn begin(&self, message: &'static str) {
        self.bar.set_message(message);
        if stderr().is_terminal() {
            self.bar.enable_steady_tick(TICK);
        }
    }

    /// Prints a message without damaging the bar.
    pub fn say(&self, text: &str) {
        self.message_printer()(text);
    }

    /// Returns a function that prints messages from any thread.
    pub fn message_printer(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let (bar, quiet) = (self.bar.clone(), self.quiet);
        move |text| {
            if !quiet {
                bar.suspend(|| say!("{text}"));
            }
        }
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_unknown_before_the_first_step() {
        let shown = Arc::<std::sync::Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&shown);
        let target = lines::target(Duration::ZERO, move |line| kept.lock().expect("alone").push(line.to_owned()));
        let bar = ProgressBar::with_draw_target(Some(2), target).with_style(style("{pos}/{len}, {eta} to go"));
        bar.tick();
        bar.set_position(1);
        bar.tick();
        let shown = shown.lock().expect("alone");
        assert_eq!(shown.first().map(String::as_str), Some("0/2, ? to go"));
        assert!(shown.iter().any(|line| line.starts_with("1/2, ") && !line.contains('?')), "{shown:?}");
    }

    #[test]
    fn a_goal_beyond_all_times_has_no_time_left() {
        let time_text = |done, left| time_left(10.0, done, left).map(|time| time.to_string());
        assert_eq!(time_text(0.25, 0.25).as_deref(), Some("10 seconds"));
        for (done, left) in [(1e-22, 1.0), (0.0, 0.5), (0.0, 0.0), (-0.5, 1.0)] {
            assert_eq!(time_text(done, left), None, "{done} {left}");
        }
    }
}
