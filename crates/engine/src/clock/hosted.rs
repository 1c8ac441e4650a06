//! A clock for targets without one: the program that embeds the engine provides the time.

use std::ops::Add;
use std::sync::OnceLock;
use std::time::Duration;

/// Functions of the embedding program.
#[derive(Clone, Copy, Debug)]
pub struct ClockSource {
    /// The time since any fixed moment.
    pub now: fn() -> Duration,
    /// Called whenever a search or a count checks for a stop, a search about once a millisecond: without threads the program can stop it
    /// only here.
    pub during_search: fn(),
}

static SOURCE: OnceLock<ClockSource> = OnceLock::new();

/// Sets the clock. Only the first call counts.
pub fn set_source(source: ClockSource) {
    let _ = SOURCE.set(source);
}

/// Gives the embedding program its turn.
pub(crate) fn during_search() {
    if let Some(source) = SOURCE.get() {
        (source.during_search)();
    }
}

/// A moment, as [`std::time::Instant`] is one where the system has a clock. Without a source the time stands still.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instant(Duration);

impl Instant {
    /// The present.
    pub fn now() -> Instant {
        Instant(SOURCE.get().map_or(Duration::ZERO, |source| (source.now)()))
    }

    /// Time since this moment.
    pub fn elapsed(&self) -> Duration {
        Instant::now().saturating_duration_since(*self)
    }

    /// Time since an earlier moment; zero if it is not earlier.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment this long after it, if the clock reaches so far.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }

    /// The moment that was this long ago, if the clock reaches back to it.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, duration: Duration) -> Instant {
        Instant(self.0 + duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static MILLISECONDS: AtomicU64 = AtomicU64::new(0);
    static TURNS: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn the_host_moves_the_clock() {
        let before = Instant::now();
        assert_eq!(before.elapsed(), Duration::ZERO);
        super::during_search();
        let (now, during_search): (fn() -> Duration, fn()) =
            (|| Duration::from_millis(MILLISECONDS.load(Relaxed)), || _ = TURNS.fetch_add(1, Relaxed));
        set_source(ClockSource { now, during_search });
        set_source(ClockSource { now: || Duration::MAX, during_search });
        super::during_search();
        assert_eq!(TURNS.load(Relaxed), 1, "only since there is a source");
        let start = Instant::now();
        MILLISECONDS.store(30, Relaxed);
        assert_eq!(start.elapsed(), Duration::from_millis(30));
        assert_eq!(start.saturating_duration_since(Instant::now()), Duration::ZERO);
        assert_eq!(Instant::now().checked_sub(Duration::from_millis(30)), Some(start));
        assert_eq!(start.checked_sub(Duration::from_millis(1)), None);
        assert_eq!(start.checked_add(Duration::from_millis(30)), Some(Instant::now()));
        assert_eq!(start + Duration::from_millis(30), Instant::now());
    }
}
