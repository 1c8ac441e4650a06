//! The worth of a setting against the profile as it is.

use crate::suite::SuiteRow;
use quarterply_games::game::Pace;
use quarterply_stats::{Estimate, Pentanomial, mean};
use serde::{Deserialize, Deserializer, Serialize};

/// The rule in the row of the unchanged profile.
pub const NO_RULE: &str = "none";

/// The measurements of one setting; those that were not requested are missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SettingWorth {
    /// The rule whose switch differs; [`NO_RULE`] for the profile as it is.
    pub rule: String,
    /// The rule's switch in this setting.
    pub on: bool,
    /// On the suite at fixed nodes.
    #[serde(flatten)]
    pub at_nodes: Option<AtNodes>,
    /// On the suite at fixed depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_depth: Option<AtDepth>,
    /// In games, at each limit of the moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<InGames>,
    /// Elo at the last of these limits minus Elo at the first, with openings shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<WorthChange>,
}

/// A suite at fixed nodes, position by position against the profile as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AtNodes {
    /// Positions solved.
    pub solved: u64,
    /// Positions that only this setting solves.
    pub newly_solved: u64,
    /// Positions that only the profile as it is solves.
    pub newly_lost: u64,
    /// Nodes to the solution in all.
    pub nodes_stable_total: u64,
    /// Geometric mean of nodes to solution against the profile as it is.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub ratio_low: f64,
    /// Upper end; infinite with a single position.
    #[serde(deserialize_with = "high_end")]
    pub ratio_high: f64,
}

/// A suite at fixed depth, position by position against the profile as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AtDepth {
    /// The depth (plies).
    pub depth: u32,
    /// Positions solved.
    pub solved: u64,
    /// Nodes in all.
    pub nodes_total: u64,
    /// Geometric mean of nodes against the profile as it is.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub ratio_low: f64,
    /// Upper end; infinite with a single position.
    #[serde(deserialize_with = "high_end")]
    pub ratio_high: f64,
}

/// Games against the profile as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "ReadGames")]
pub struct InGames {
    /// Games that count.
    pub games: u64,
    /// Nodes of each move; 0 by the clock.
    pub nodes: u64,
    /// Pairs by half points of this setting, 0 to 4.
    pub pairs: [u64; 5],
    /// Elo of this setting against the profile as it is; infinite if it won or lost every game.
    pub elo: f64,
    /// Lower end of its 95 % interval; infinite where nothing is known.
    pub elo_low: f64,
    /// Upper end.
    pub elo_high: f64,
    /// Its expected Elo, given the spread of the settings that played in the same games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo_shrunken: Option<f64>,
    /// True if it differs from 0 when all rows of the table are considered together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant: Option<bool>,
    /// Its Elo minus that of the row next above it in Elo at the same limit.
    #[serde(skip)]
    pub behind: Option<WorthChange>,
}

/// Games as JSON has them, where infinite numbers are null.
#[derive(Deserialize)]
struct ReadGames {
    games: u64,
    nodes: u64,
    #[serde(default)]
    pairs: [u64; 5],
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    #[serde(alias = "elo_likely")]
    elo_shrunken: Option<f64>,
    significant: Option<bool>,
}

impl From<ReadGames> for InGames {
    fn from(read: ReadGames) -> InGames {
        let ReadGames { games, nodes, pairs, elo, elo_low, elo_high, elo_shrunken, significant } = read;
        InGames {
            games,
            nodes,
            pairs,
            // Everything was won or lost, as the pairs show.
            elo: elo.unwrap_or_else(|| Pentanomial::new(pairs).elo().value),
            elo_low: elo_low.unwrap_or(f64::NEG_INFINITY),
            elo_high: elo_high.unwrap_or(f64::INFINITY),
            elo_shrunken,
            significant,
            behind: None,
        }
    }
}

/// A difference of two worths that were measured from the same openings, in Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorthChange {
    /// The difference.
    pub elo: f64,
    /// Lower end of its 95 % interval; infinite where nothing is known.
    #[serde(deserialize_with = "low_end")]
    pub elo_low: f64,
    /// Upper end.
    #[serde(deserialize_with = "high_end")]
    pub elo_high: f64,
}

impl From<Estimate> for WorthChange {
    fn from(found: Estimate) -> WorthChange {
        WorthChange { elo: found.value, elo_low: found.low, elo_high: found.high }
    }
}

impl SettingWorth {
    /// The games at this limit, given as nodes of a move; 0 means a clock.
    pub fn at(&self, nodes: u64) -> Option<&InGames> {
        self.games.iter().find(|games| games.nodes == nodes)
    }
}

/// JSON has no infinite numbers; they are written as null.
fn low_end<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NEG_INFINITY))
}

/// See [`low_end`].
fn high_end<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}

impl AtNodes {
    /// `rows` against `baseline`, in the same order.
    pub fn new(baseline: &[SuiteRow], rows: &[SuiteRow]) -> AtNodes {
        let pairs = || baseline.iter().zip(rows);
        let [ratio, ratio_low, ratio_high] = ratio(baseline, rows, |row| row.nodes_stable);
        AtNodes {
            solved: solved(rows),
            newly_solved: pairs().filter(|(a, b)| !a.solved && b.solved).count() as u64,
            newly_lost: pairs().filter(|(a, b)| a.solved && !b.solved).count() as u64,
            nodes_stable_total: rows.iter().map(|row| row.nodes_stable).sum(),
            ratio,
            ratio_low,
            ratio_high,
        }
    }
}

impl AtDepth {
    /// `rows` against `baseline`, in the same order, all of this depth.
    pub fn new(depth: u32, baseline: &[SuiteRow], rows: &[SuiteRow]) -> AtDepth {
        let [ratio, ratio_low, ratio_high] = ratio(baseline, rows, |row| row.nodes);
        let nodes_total = rows.iter().map(|row| row.nodes).sum();
        AtDepth { depth, solved: solved(rows), nodes_total, ratio, ratio_low, ratio_high }
    }
}

impl InGames {
    /// The figures of these pairs, with an estimate of Elo if there is one.
    pub fn new(pairs: Pentanomial, pace: Pace, elo: Option<Estimate>) -> InGames {
        let elo = elo.unwrap_or(Estimate { value: pairs.elo().value, ..Estimate::UNKNOWN });
        let (games, pairs, nodes) = (pairs.games(), pairs.counts, pace.nodes().unwrap_or_default());
        let (elo, elo_low, elo_high) = (elo.value, elo.low, elo.high);
        InGames { games, nodes, pairs, elo, elo_low, elo_high, ..InGames::default() }
    }
}

fn solved(rows: &[SuiteRow]) -> u64 {
    rows.iter().filter(|row| row.solved).count() as u64
}

/// The geometric mean of the ratio of costs of each position, and the ends of its interval.
fn ratio(baseline: &[SuiteRow], rows: &[SuiteRow], cost: impl Fn(&SuiteRow) -> u64) -> [f64; 3] {
    let log = |(a, b): (&SuiteRow, &SuiteRow)| (cost(b).max(1) as f64 / cost(a).max(1) as f64).ln();
    let logs: Vec<f64> = baseline.iter().zip(rows).map(log).collect();
    let (middle, half) = mean(&logs).map_or((0.0, 0.0), |m| (m.mean, m.margin.unwrap_or(f64::INFINITY)));
    [middle, middle - half, middle + half].map(f64::exp)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row of which only the result counts.
    pub fn row(id: &str, solved: bool, stable: u64, nodes: u64) -> SuiteRow {
        SuiteRow { id: id.to_owned(), solved, nodes_stable: stable, nodes, ..SuiteRow::default() }
    }

    #[test]
    fn a_setting_that_costs_more_has_a_ratio_above_one() {
        let baseline = [row("a", true, 100, 500), row("b", false, 1000, 1000), row("c", true, 10, 100)];
        let rows = [row("a", true, 200, 1000), row("b", true, 2000, 2000), row("c", false, 20, 200)];
        let at = AtNodes::new(&baseline, &rows);
        assert_eq!((at.solved, at.newly_solved, at.newly_lost, at.nodes_stable_total), (2, 1, 1, 2220));
        assert!((at.ratio - 2.0).abs() < 1e-9 && at.ratio_low <= at.ratio && at.ratio <= at.ratio_high, "{at:?}");
        let at = AtDepth::new(7, &baseline, &rows);
        assert_eq!((at.depth, at.solved, at.nodes_total), (7, 2, 3200));
        assert!((at.ratio - 2.0).abs() < 1e-9);
        let same = AtNodes::new(&baseline, &baseline);
        assert_eq!((same.newly_solved, same.newly_lost), (0, 0));
        assert!((same.ratio - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_suite_of_one_position_and_games_all_won_or_lost_come_back_as_they_were() {
        let (baseline, rows) = ([row("a", true, 100, 500)], [row("a", true, 200, 500)]);
        let games = [[0, 0, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 2, 3, 4, 5]];
        let worth = SettingWorth {
            at_nodes: Some(AtNodes::new(&baseline, &rows)),
            at_depth: Some(AtDepth::new(7, &baseline, &rows)),
            games: games.map(|pairs| InGames::new(Pentanomial::new(pairs), Pace::Nodes(2), None)).to_vec(),
            ..SettingWorth::default()
        };
        let text = serde_json::to_string(&worth).expect("JSON");
        assert_eq!(serde_json::from_str::<SettingWorth>(&text).expect("JSON"), worth, "{text}");
    }

    #[test]
    fn games_have_their_limit_and_known_elo() {
        let pairs = Pentanomial::new([1, 2, 10, 8, 4]);
        let better = InGames::new(pairs, Pace::Nodes(5000), Some(pairs.elo()));
        assert!(better.elo > 0.0 && better.elo_low < better.elo && better.elo < better.elo_high, "{better:?}");
        assert_eq!((better.games, better.nodes), (50, 5000));
        let clock = "2+0.02".parse().expect("a time control");
        let unknown = InGames::new(Pentanomial::new([0, 0, 0, 1, 0]), clock, None);
        assert!(unknown.nodes == 0 && unknown.elo > 0.0 && unknown.elo_low.is_infinite(), "{unknown:?}");
    }

    #[test]
    fn the_former_name_of_the_shrunken_elo_is_read() {
        let text = r#"{"games":2,"nodes":9,"elo":1.0,"elo_low":0.0,"elo_high":2.0,"elo_likely":0.5}"#;
        let games: InGames = serde_json::from_str(text).expect("JSON");
        assert_eq!(games.elo_shrunken, Some(0.5));
    }

    #[test]
    fn missing_measurements_are_not_written() {
        let mut worth = SettingWorth { rule: "x".to_owned(), ..SettingWorth::default() };
        let text = |worth: &SettingWorth| serde_json::to_string(worth).expect("plain");
        assert_eq!(text(&worth), r#"{"rule":"x","on":false}"#);
        worth.at_nodes = Some(AtNodes { solved: 3, ..AtNodes::default() });
        assert!(text(&worth).starts_with(r#"{"rule":"x","on":false,"solved":3,"#), "{}", text(&worth));
    }
}
