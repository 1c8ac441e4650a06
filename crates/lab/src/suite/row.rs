//! The result of one position and of a whole suite, as they are written in JSON lines.

use super::{Stop, SuiteConditions};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteRow {
    /// The suite.
    pub suite: String,
    /// The position.
    pub id: String,
    /// The position as a FEN.
    pub fen: String,
    /// True if the final best move was a solution.
    pub solved: bool,
    /// The final best move in UCI notation.
    #[serde(rename = "move")]
    pub best: Option<String>,
    /// Nodes when the best move first became a solution; the cap if unsolved.
    pub nodes_first: u64,
    /// Nodes when the best move became a solution for good; the cap if unsolved.
    pub nodes_stable: u64,
    /// Nodes searched.
    pub nodes: u64,
    /// Depth reached.
    pub depth: u32,
    /// Time taken in milliseconds.
    pub ms: u64,
    /// Points of the move by `c0`, if there are points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<i32>,
    /// The most points of `c0`, if there are points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points_max: Option<i32>,
}

/// The result of a suite: sums of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteSummary {
    /// Always true: it marks the line as a summary.
    pub summary: bool,
    /// The suite.
    pub suite: String,
    /// Positions that were run.
    pub positions: u64,
    /// How many of them were solved.
    pub solved: u64,
    /// Sum of `nodes_first`.
    pub nodes_first_total: u64,
    /// Sum of `nodes_stable`.
    pub nodes_stable_total: u64,
    /// Sum of `nodes`.
    pub nodes_total: u64,
    /// Sum of `ms`.
    pub ms: u64,
    /// Lines of the suite that could not be run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// Points earned by `c0`, where there are points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// Points offered by `c0`, where there are points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points_max: Option<i64>,
    /// How the positions were searched; `None` in files of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<RunConditions>,
}

/// The limits of the searches of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunConditions {
    /// Limit in nodes.
    pub nodes: Option<u64>,
    /// Limit in milliseconds.
    pub movetime: Option<u64>,
    /// Limit in plies.
    pub depth: Option<u32>,
    /// When a search stops before its limit.
    pub stop: Stop,
}

impl RunConditions {
    /// The limits of `conditions`.
    pub fn of(conditions: &SuiteConditions) -> RunConditions {
        let SuiteConditions { limits, stop } = conditions;
        let movetime = limits.movetime.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        RunConditions { nodes: limits.nodes, movetime, depth: limits.depth, stop: *stop }
    }
}

/// In words: `20000 nodes, stops when found`.
impl fmt::Display for RunConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        parts.extend(self.movetime.map(|time| format!("{time} ms")));
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        match self.stop {
            Stop::AtLimit => {}
            Stop::Held(count) => parts.push(format!("stops when a solution was best for {count} iterations in a row")),
            Stop::WhenFound => parts.push("stops when found".to_owned()),
        }
        f.write_str(&parts.join(", "))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl SuiteSummary {
    /// The summary of no rows yet.
    pub fn new(suite: &str, skipped: usize) -> SuiteSummary {
        SuiteSummary { summary: true, suite: suite.to_owned(), skipped: skipped as u64, ..SuiteSummary::default() }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &SuiteRow) {
        self.positions += 1;
        self.solved += u64::from(row.solved);
        self.nodes_first_total += row.nodes_first;
        self.nodes_stable_total += row.nodes_stable;
        self.nodes_total += row.nodes;
        self.ms += row.ms;
        for (total, one) in [(&mut self.points, row.points), (&mut self.points_max, row.points_max)] {
            if let Some(points) = one {
                *total.get_or_insert(0) += i64::from(points);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> SuiteRow {
        SuiteRow {
            suite: "s".into(),
            id: "one".into(),
            fen: "4k3/8/8/8/8/8/8/4K3 w - - 0 1".into(),
            solved: true,
            best: Some("e1e2".into()),
            nodes_first: 5,
            nodes_stable: 7,
            nodes: 20,
            depth: 3,
            ms: 1,
            ..SuiteRow::default()
        }
    }

    #[test]
    fn lines_have_the_documented_keys() {
        let keys = r#"{"suite":"s","id":"one","fen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1","solved":true,"move":"e1e2","nodes_first":5,"nodes_stable":7,"nodes":20,"depth":3,"ms":1}"#;
        assert_eq!(serde_json::to_string(&row()).expect("a row"), keys);
        let mut summary = SuiteSummary::new("s", 0);
        summary.add(&row());
        let keys = r#"{"summary":true,"suite":"s","positions":1,"solved":1,"nodes_first_total":5,"nodes_stable_total":7,"nodes_total":20,"ms":1}"#;
        assert_eq!(serde_json::to_string(&summary).expect("a summary"), keys);
    }

    #[test]
    fn sums_add_up() {
        let mut summary = SuiteSummary::new("s", 3);
        summary.add(&row());
        summary.add(&SuiteRow { solved: false, points: Some(4), points_max: Some(10), ..row() });
        summary.add(&SuiteRow { points: Some(10), points_max: Some(10), ..row() });
        assert_eq!((summary.positions, summary.solved, summary.skipped), (3, 2, 3));
        assert_eq!((summary.nodes_first_total, summary.nodes_stable_total, summary.nodes_total), (15, 21, 60));
        assert_eq!((summary.points, summary.points_max), (Some(14), Some(20)));
    }
}
