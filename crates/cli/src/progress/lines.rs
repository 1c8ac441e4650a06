//! Progress where stderr is not a terminal: one line at intervals instead of a bar, for logs.

use std::fmt;
use std::io;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressDrawTarget, TermLike};

use crate::numbers::seconds;

/// Time between two lines.
pub const INTERVAL: Duration = Duration::from_secs(30);
/// The environment variable that sets another time, in seconds.
pub const VARIABLE: &str = "QUARTERPLY_PROGRESS";
/// How many times per second a line is composed at most.
const FRAMES_PER_SECOND: u8 = 20;
/// Columns of a line; longer messages are cut.
const WIDTH: u16 = 2000;

/// The time between two lines: that of the environment, or [`INTERVAL`] if it is not set. A value that is not a valid time is reported
/// once, and not used.
pub fn interval() -> Duration {
    static WARNING: Once = Once::new();
    let Ok(text) = std::env::var(VARIABLE) else { return INTERVAL };
    seconds(&text).unwrap_or_else(|error| {
        let usual = INTERVAL.as_secs();
        WARNING.call_once(|| {
            say!("warning: cannot use {VARIABLE}: {error}; the interval is {usual} s");
        });
        INTERVAL
    })
}

/// The template of a bar as one line without the bar; a message above the bar comes after it.
pub fn template(bar: &str) -> String {
    let mut parts: Vec<&str> = bar.lines().collect();
    let message = parts.first().is_some_and(|first| *first == "{wide_msg}").then(|| parts.remove(0));
    let mut line = parts.first().copied().unwrap_or_default().replace("{wide_bar} ", "");
    if message.is_some() {
        line += ": {msg}";
    }
    for part in parts.iter().skip(1) {
        line += &format!("; {part}");
    }
    line
}

/// Where a bar is drawn as lines: `write` receives one after each interval.
pub fn target(interval: Duration, write: impl Fn(&str) + Send + Sync + 'static) -> ProgressDrawTarget {
    let page = LinePrinter {
        interval,
        write: Box::new(write),
        state: Mutex::new(Frame { text: String::new(), last: Instant::now() }),
    };
    ProgressDrawTarget::term_like_with_hz(Box::new(page), FRAMES_PER_SECOND)
}

/// The frame that is being drawn, and when the last one was written.
struct Frame {
    text: String,
    last: Instant,
}

/// Collects what would be drawn, and writes one frame after each interval.
struct LinePrinter {
    interval: Duration,
    write: Box<dyn Fn(&str) + Send + Sync>,
    state: Mutex<Frame>,
}

impl fmt::Debug for LinePrinter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinePrinter").field("interval", &self.interval).finish_non_exhaustive()
    }
}

impl LinePrinter {
    fn with_frame<T>(&self, change: impl FnOnce(&mut Frame) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl TermLike for LinePrinter {
    fn width(&self) -> u16 {
        WIDTH
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.with_frame(|frame| frame.text += text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let line = self.with_frame(|frame| {
            let text = std::mem::take(&mut frame.text);
            let words: Vec<&str> = text.split_whitespace().collect();
            // A bar that is taken away draws an empty frame.
            let is_due = !words.is_empty() && frame.last.elapsed() >= self.interval;
            if is_due {
                frame.last = Instant::now();
            }
            is_due.then(|| words.join(" "))
        });
        if let Some(line) = line {
            (self.write)(line.trim_end_matches([':', ';']));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::{ProgressBar, ProgressStyle};
    use std::sync::Arc;

    /// A bar that writes its lines into a list.
    fn bar(interval: Duration, shape: &str) -> (ProgressBar, Arc<Mutex<Vec<String>>>) {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&lines);
        let target = target(interval, move |line| kept.lock().expect("alone").push(line.to_owned()));
        let style = ProgressStyle::with_template(&template(shape)).expect("a template");
        (ProgressBar::with_draw_target(Some(40), target).with_style(style), lines)
    }

    #[test]
    fn bars_become_lines() {
        for (shape, line) in [
            ("{prefix} {wide_bar} {pos}/{len} {msg}", "match 7/40 even"),
            ("{wide_msg}\n{prefix} {wide_bar} {pos}/{len} games", "match 7/40 games: even"),
            ("{wide_msg}\n{prefix} {wide_bar} {pos}/{len}\n{wide_msg}", "match 7/40: even; even"),
        ] {
            let (bar, lines) = bar(Duration::ZERO, shape);
            bar.set_prefix("match");
            bar.set_message("even");
            bar.set_position(7);
            bar.tick();
            bar.finish_and_clear();
            let lines = lines.lock().expect("alone").clone();
            assert_eq!(lines.last().map(String::as_str), Some(line), "{lines:?}");
            assert!(lines.iter().all(|line| !line.contains(['\n', '\r', '\u{1b}', '█'])), "{lines:?}");
        }
    }

    #[test]
    fn lines_keep_their_distance() {
        let (bar, lines) = bar(Duration::from_secs(3600), "{prefix} {pos}");
        (0..100).for_each(|_| bar.tick());
        bar.finish_and_clear();
        assert!(lines.lock().expect("alone").is_empty());
    }
}
