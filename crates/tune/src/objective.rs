//! The objective: the definition of the cost of a candidate.
//!
//! An objective is one metric of a suite, the score of games against the start values, or a weighted blend of these. A candidate's
//! cost follows from its measurements. One suite metric in nodes is kept in nodes; everything else is a share from 0 to 1.

use super::optimiser::Cost;
use super::units::Measurement;
use quarterply_games::game::Pace;
use quarterply_lab::suite::Stop;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One metric.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::Display, strum::EnumString,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Metric {
    /// Nodes until the solution is first best, the search stopping there: the paper.
    First,
    /// Nodes until the solution is best for good.
    Stable,
    /// Positions not solved at the cap.
    Solved,
    /// Points lost in games against the start values.
    Games,
}

impl Metric {
    /// Returns true if it is a metric of the suite.
    pub fn needs_suite(self) -> bool {
        self != Metric::Games
    }
}

/// Why a text is not a valid objective.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a valid objective: expected first, stable, solved or games, or a blend with weights such as stable=1,games=0.5"
)]
pub struct ObjectiveError(String);

/// Metrics with their weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Objective {
    metrics: Vec<(Metric, f64)>,
}

impl Default for Objective {
    /// The paper's.
    fn default() -> Objective {
        Objective::of(Metric::First)
    }
}

impl Objective {
    /// A single metric.
    pub fn of(metric: Metric) -> Objective {
        Objective { metrics: vec![(metric, 1.0)] }
    }

    /// Returns true if it needs a suite.
    pub fn needs_suite(&self) -> bool {
        self.metrics.iter().any(|(metric, _)| metric.needs_suite())
    }

    /// Returns true if it needs games.
    pub fn needs_games(&self) -> bool {
        self.metrics.iter().any(|(metric, _)| *metric == Metric::Games)
    }

    /// The quantity that compares two candidates on a suite: the metrics of this objective that use suites, or that of the paper if
    /// none does.
    #[must_use]
    pub fn on_suites(&self) -> Objective {
        let metrics: Vec<_> = self.metrics.iter().copied().filter(|(metric, _)| metric.needs_suite()).collect();
        if metrics.is_empty() { Objective::default() } else { Objective { metrics } }
    }

    /// Returns true if the cost is a number of nodes.
    pub fn is_nodes(&self) -> bool {
        matches!(self.metrics[..], [(Metric::First | Metric::Stable, _)])
    }

    /// When the search of a position stops.
    pub fn stop(&self) -> Stop {
        if self.metrics.iter().all(|(metric, _)| matches!(metric, Metric::First | Metric::Games)) {
            Stop::WhenFound
        } else {
            Stop::AtLimit
        }
    }

    /// The cost of one position under the metrics of the suite: nodes, or a share from 0 to 1 times the sum of their weights.
    pub fn position_cost(&self, measure: &Measurement, cap: u64) -> f64 {
        let Measurement::Position { solved, first, stable, .. } = *measure else { return 0.0 };
        if self.is_nodes() {
            return if self.metrics[0].0 == Metric::First { first as f64 } else { stable as f64 };
        }
        let share = |nodes: u64| nodes as f64 / cap.max(1) as f64;
        let metric = |metric| match metric {
            Metric::First => share(first),
            Metric::Stable => share(stable),
            Metric::Solved => f64::from(u8::from(!solved)),
            Metric::Games => 0.0,
        };
        self.metrics.iter().map(|(one, weight)| weight * metric(*one)).sum()
    }

    /// Sum of the weights.
    pub fn weight(&self) -> f64 {
        self.metrics.iter().map(|(_, weight)| weight).sum()
    }

    /// Weight of the games.
    pub fn games_weight(&self) -> f64 {
        self.metrics.iter().filter(|(metric, _)| *metric == Metric::Games).map(|(_, weight)| weight).sum()
    }
}

impl FromStr for Objective {
    type Err = ObjectiveError;

    fn from_str(text: &str) -> Result<Objective, ObjectiveError> {
        let wrong = || ObjectiveError(text.to_owned());
        let mut metrics: Vec<(Metric, f64)> = Vec::new();
        for part in text.split(',') {
            let (name, weight) = part.split_once('=').unwrap_or((part, "1"));
            let metric: Metric = name.trim().parse().map_err(|_| wrong())?;
            let weight: f64 = weight.trim().parse().map_err(|_| wrong())?;
            if !weight.is_finite() || weight <= 0.0 || metrics.iter().any(|(known, _)| *known == metric) {
                return Err(wrong());
            }
            metrics.push((metric, weight));
        }
        Ok(Objective { metrics })
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(metric, _)] = self.metrics[..] {
            return write!(f, "{metric}");
        }
        let parts: Vec<String> = self.metrics.iter().map(|(metric, weight)| format!("{metric}={weight}")).collect();
        f.write_str(&parts.join(","))
    }
}

impl TryFrom<String> for Objective {
    type Error = ObjectiveError;

    fn try_from(text: String) -> Result<Objective, ObjectiveError> {
        text.parse()
    }
}

impl From<Objective> for String {
    fn from(objective: Objective) -> String {
        objective.to_string()
    }
}

/// The limits of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectiveConditions {
    /// Nodes per position.
    pub nodes: u64,
    /// Table in MiB.
    pub hash: usize,
    /// When the search of a position stops.
    pub stop: Stop,
    /// The limit of moves in games.
    pub pace: Pace,
}

/// The exact cost of a candidate with all its measurements known: positions of the suite and pairs of games.
pub fn exact_cost(objective: &Objective, cap: u64, positions: &[Measurement], pairs: &[Measurement]) -> Cost {
    let total: f64 = positions.iter().map(|measure| objective.position_cost(measure, cap)).sum();
    let solved = positions.iter().filter(|m| matches!(m, Measurement::Position { solved: true, .. })).count();
    let solved = (!positions.is_empty()).then_some(solved as f64);
    if objective.is_nodes() {
        return Cost { value: total, error: 0.0, solved };
    }
    let per_position = if positions.is_empty() { 0.0 } else { total / positions.len() as f64 };
    let value = (per_position + objective.games_weight() * lost(pairs)) / objective.weight();
    Cost { value, error: 0.0, solved }
}

/// Share of the points lost in pairs of games; a half without any.
pub fn lost(pairs: &[Measurement]) -> f64 {
    const POINTS: f64 = 4.0;
    const EVEN: f64 = 0.5;
    let points = pairs.iter().map(|m| if let Measurement::Pair { points, .. } = m { f64::from(*points) } else { 0.0 });
    if pairs.is_empty() { EVEN } else { 1.0 - points.sum::<f64>() / (POINTS * pairs.len() as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(solved: bool, first: u64, stable: u64) -> Measurement {
        Measurement::Position { solved, first, stable, nodes: stable }
    }

    #[test]
    fn objectives_are_read_and_written() {
        for text in ["first", "stable", "solved", "games", "stable=1,games=0.5"] {
            assert_eq!(text.parse::<Objective>().expect(text).to_string(), text);
        }
        for text in ["", "nodes", "first,first", "first=0", "first=-1", "first=x", "first=nan", "games,"] {
            let error = text.parse::<Objective>().expect_err(text).to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn suites_are_compared_without_the_games_of_a_blend() {
        for (text, expected) in [
            ("stable", "stable"),
            ("games", "first"),
            ("stable=1,games=1", "stable"),
            ("first=3,games=2,solved=1", "first=3,solved=1"),
        ] {
            assert_eq!(text.parse::<Objective>().expect(text).on_suites().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn only_the_paper_stops_at_the_first_sight() {
        for (text, stop) in [("first", Stop::WhenFound), ("stable", Stop::AtLimit), ("first,solved", Stop::AtLimit)] {
            assert_eq!(text.parse::<Objective>().expect(text).stop(), stop, "{text}");
        }
    }

    #[test]
    fn costs_add_up_as_documented() {
        let positions = [position(true, 10, 30), position(false, 100, 100)];
        let pairs = [Measurement::Pair { points: 3, nodes: 1 }, Measurement::Pair { points: 2, nodes: 1 }];
        for (text, expected) in [
            ("first", 110.0),
            ("stable", 130.0),
            ("solved", 0.5),
            ("games", 0.375),
            ("stable,games", (0.65 + 0.375) / 2.0),
            ("first=3,solved=1", (3.0 * 0.55 + 0.5) / 4.0),
        ] {
            let objective: Objective = text.parse().expect(text);
            let cost = exact_cost(&objective, 100, &positions, &pairs);
            assert!((cost.value - expected).abs() < 1e-12, "{text}: {}", cost.value);
            assert_eq!(cost.solved, Some(1.0));
        }
    }
}
