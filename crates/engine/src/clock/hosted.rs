//! A clock for targets without one: the program that embeds the engine says what time it is.

use std::sync::OnceLock;
use std::time::Duration;

static SOURCE: OnceLock<fn() -> Duration> = OnceLock::new();

/// Sets what [`Instant::now`] asks: the time since any fixed moment. A search asks about once a millisecond. Only the first call counts.
pub fn set_source(source: fn() -> Duration) {
    let _ = SOURCE.set(source);
}

/// A moment, as [`std::time::Instant`] is one where the system has a clock. Without a source the time stands still.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instant(Duration);

impl Instant {
    /// The present.
    pub fn now() -> Instant {
        Instant(SOURCE.get().map_or(Duration::ZERO, |source| source()))
    }

    /// Time since this moment.
    pub fn elapsed(&self) -> Duration {
        Instant::now().saturating_duration_since(*self)
    }

    /// Time since an earlier moment; zero if it is not earlier.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment that was this long ago, if the clock reaches back to it.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static MILLISECONDS: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn the_host_moves_the_clock() {
        let before = Instant::now();
        assert_eq!(before.elapsed(), Duration::ZERO);
        set_source(|| Duration::from_millis(MILLISECONDS.load(Relaxed)));
        set_source(|| Duration::MAX);
        let start = Instant::now();
        MILLISECONDS.store(30, Relaxed);
        assert_eq!(start.elapsed(), Duration::from_millis(30));
        assert_eq!(start.saturating_duration_since(Instant::now()), Duration::ZERO);
        assert_eq!(Instant::now().checked_sub(Duration::from_millis(30)), Some(start));
        assert_eq!(start.checked_sub(Duration::from_millis(1)), None);
    }
}
