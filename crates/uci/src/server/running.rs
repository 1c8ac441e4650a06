//! A task that is not over, and the time of the next action for it.

use std::time::Duration;

use quarterply_engine::clock::Instant;
use quarterply_engine::search::pool::Control;
use shakmaty::CastlingMode;

use crate::reporter::ReportedLine;

/// How long after its time a search may take to end before its last line is the answer.
const GRACE: Duration = Duration::from_millis(10);

/// A task that is not over: the GUI has not had its answer, or its thread still works.
#[derive(Default)]
pub(super) struct Running {
    pub control: Control,
    pub infinite: bool,
    pub pondering: bool,
    pub stopping: bool,
    pub last_line: Option<String>,
    /// True if the GUI was answered before the search ended.
    pub answered: bool,
    pub reported: ReportedLine,
    /// How the answer is written; `None` if no other thread may answer.
    pub fallback_notation: Option<CastlingMode>,
    /// When its time began to run, how long it may take, and when it should have ended.
    pub began: Option<Instant>,
    pub hard: Option<Duration>,
    pub due: Option<Instant>,
    /// The least time from the beginning to the answer.
    pub pause: Duration,
}

impl Running {
    /// Returns true if the answer must wait for `stop` or `ponderhit`.
    pub fn withheld(&self) -> bool {
        !self.stopping && (self.infinite || self.pondering)
    }

    /// The end of the pause before the answer, also if it has passed.
    pub fn pause_end(&self) -> Option<Instant> {
        self.began?.checked_add(self.pause)
    }

    /// Returns true if only the pause delays the answer.
    pub fn is_pausing(&self) -> bool {
        !self.stopping && self.pause_end().is_some_and(|end| Instant::now() < end)
    }

    /// The time of the next action: the end of its time, and again a grace period later. An answer that may be given is due at the end of
    /// its pause, also if that has passed.
    pub fn deadline(&self) -> Option<Instant> {
        if self.answered {
            return None;
        }
        if self.last_line.is_some() {
            return (!self.withheld()).then(|| self.pause_end().unwrap_or_else(Instant::now));
        }
        if self.control.stopped() { self.due?.checked_add(GRACE) } else { self.due }
    }

    /// Starts its time.
    pub fn begin(&mut self, began: Instant) {
        self.began = Some(began);
        self.due = self.hard.and_then(|hard| began.checked_add(hard));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of the pause passed between two looks at the clock, and `bestmove` was never sent.
    #[test]
    fn an_answer_is_due_once_its_pause_is_over() {
        const PAUSE: Duration = Duration::from_millis(10);
        let began = Instant::now().checked_sub(2 * PAUSE);
        let ended = Running { last_line: Some(String::new()), began, pause: PAUSE, ..Running::default() };
        assert!(!ended.is_pausing());
        assert_eq!(ended.deadline(), began.map(|began| began + PAUSE));
        let untimed = Running { last_line: Some(String::new()), ..Running::default() };
        assert!(untimed.deadline().is_some() && !untimed.is_pausing());
        for withheld in [Running { pondering: true, ..ended }, Running { infinite: true, ..untimed }] {
            assert_eq!(withheld.deadline(), None);
        }
    }
}
