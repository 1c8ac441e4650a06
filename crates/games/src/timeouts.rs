//! Time limits of players without a clock: set by the user, estimated from earlier searches, or the defaults.

use quarterply_engine::clock::Limits;
use quarterply_uci::client::{FIRST_ANSWER, SearchTimeout};
use std::time::Duration;

/// A search may take this multiple of the time expected from the player's slowest search: other programs may use the machine.
const SLACK: f64 = 20.0;
/// Searches with fewer nodes are too short to estimate a player's speed.
const NODES_MIN: u64 = 1_000;
/// The duration of a search to a fixed depth cannot be predicted: its time limit is this many times longer.
const DEPTH_FACTOR: u32 = 5;

/// Time limits of players where no clock limits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To start and introduce itself.
    pub start: Duration,
    /// Of that, for the first line of an answer to `uci`.
    pub first_answer: Duration,
    /// For an answer that should come at once.
    pub answer: Duration,
    /// For a move in a game without clocks.
    pub search: Duration,
    /// Added to all of these before a player counts as hung.
    pub grace: Duration,
    /// For a search without a clock to make any progress, if the player's speed is not known.
    pub standstill: Duration,
    /// For a search without a clock, if the user sets it.
    pub search_fixed: Option<Duration>,
}

impl Timeouts {
    /// The same for a program that has answered `uci` before: it may take longer on a busy machine.
    #[must_use]
    pub fn of_known(self) -> Timeouts {
        Timeouts { first_answer: self.start, ..self }
    }
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        const START: u64 = 60;
        const ANSWER: u64 = 20;
        const SEARCH: u64 = 3600;
        const GRACE: u64 = 5;
        const STANDSTILL: u64 = 60;
        Timeouts {
            start: Duration::from_secs(START),
            first_answer: FIRST_ANSWER,
            answer: Duration::from_secs(ANSWER),
            search: Duration::from_secs(SEARCH),
            grace: Duration::from_secs(GRACE),
            standstill: Duration::from_secs(STANDSTILL),
            search_fixed: None,
        }
    }
}

/// The speed of a player's searches without a clock so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchTimes {
    /// Seconds per node of its slowest search.
    per_node: Option<f64>,
    /// Its longest search.
    longest: Duration,
}

impl SearchTimes {
    /// Notes a finished search.
    pub fn note(&mut self, nodes: u64, time: Duration) {
        self.longest = self.longest.max(time);
        if nodes >= NODES_MIN {
            let per_node = time.as_secs_f64() / nodes as f64;
            self.per_node = Some(self.per_node.map_or(per_node, |known| known.max(per_node)));
        }
    }

    /// How long a search with these limits is waited for.
    pub fn timeout(&self, limits: &Limits, timeouts: &Timeouts) -> SearchTimeout {
        if let Some(total) = timeouts.search_fixed {
            return SearchTimeout { total, standstill: Some(total) };
        }
        let most = |seconds: f64| Duration::try_from_secs_f64(SLACK * seconds).unwrap_or(timeouts.search);
        match (limits.nodes, self.per_node) {
            (Some(nodes), Some(per_node)) => {
                let total = (timeouts.standstill + most(nodes as f64 * per_node)).min(timeouts.search);
                SearchTimeout { total, standstill: Some(total) }
            }
            (Some(_), None) => SearchTimeout { total: timeouts.search, standstill: Some(timeouts.standstill) },
            (None, _) => {
                let usual = most(self.longest.as_secs_f64());
                let standstill = usual.max(DEPTH_FACTOR * timeouts.standstill).min(timeouts.search);
                SearchTimeout { total: timeouts.search, standstill: Some(standstill) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_follow_from_the_speed_that_was_seen() {
        let secs = Duration::from_secs;
        let timeouts = Timeouts { search: secs(3600), standstill: secs(60), ..Timeouts::default() };
        let nodes = Limits::nodes;
        let depth = Limits::depth(9);
        let fresh = SearchTimes::default();
        let mut slow = fresh;
        slow.note(100_000, secs(1));
        slow.note(50_000, secs(1));
        slow.note(10, secs(1));
        for (name, habit, limits, total, standstill) in [
            ("nothing known", fresh, nodes(1_000_000), 3600, 60),
            ("nothing known of a depth", fresh, depth.clone(), 3600, 300),
            ("the slowest search counts", slow, nodes(100_000), 60 + 40, 100),
            ("never longer than for ever", slow, nodes(u64::MAX), 3600, 3600),
            ("a depth", slow, depth, 3600, 300),
        ] {
            let expected = SearchTimeout { total: secs(total), standstill: Some(secs(standstill)) };
            assert_eq!(habit.timeout(&limits, &timeouts), expected, "{name}");
        }
        let fixed = Timeouts { search_fixed: Some(secs(3)), ..timeouts };
        assert_eq!(slow.timeout(&nodes(9), &fixed), SearchTimeout { total: secs(3), standstill: Some(secs(3)) });
    }
}
