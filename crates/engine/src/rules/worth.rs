//! Measured gains of the rules: the table `worths.json`, which `quarterply ablate --write` generates.
//!
//! It holds the conditions of the measurement, one row for each inverted switch, and notes on rules that are not measured that
//! way.

use super::Rule;
use crate::words::grouped;
use serde_json::Value;
use std::sync::LazyLock;

/// The path of the table in the sources.
pub const FILE: &str = "crates/engine/worths.json";

/// The table of worths.
#[derive(Clone, Debug)]
pub struct Worths(Value);

/// The worth of a rule in games, measured by switching it off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RuleGain {
    /// Elo with it minus Elo without it.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Nodes of each move of the games.
    pub nodes: u64,
}

impl RuleGain {
    /// From the row of its switch turned off; `None` if it was off before, or has no games or no interval.
    fn of(row: &Value) -> Option<RuleGain> {
        let games = Some(&row["games"][0]).filter(|_| row["on"] == false)?;
        let [elo, low, high] = ["elo", "elo_low", "elo_high"].map(|key| games[key].as_f64());
        let nodes = games["nodes"].as_u64().filter(|nodes| *nodes > 0)?;
        Some(RuleGain { elo: -elo?, low: -high?, high: -low?, nodes })
    }
}

impl Worths {
    /// The table of this program.
    pub fn builtin() -> &'static Worths {
        static TABLE: LazyLock<Worths> =
            LazyLock::new(|| Worths::parse(include_str!("../../worths.json")).expect("the table is JSON"));
        &TABLE
    }

    /// A table as JSON; `None` if it is not JSON.
    pub fn parse(text: &str) -> Option<Worths> {
        serde_json::from_str(text).ok().map(Worths)
    }

    /// The notes, by the names of files: what is not measured by turning a switch over.
    pub fn notes(&self) -> &Value {
        &self.0["notes"]
    }

    /// The measured gain of the rule or source in the file called `name`, with conditions and date.
    pub fn measured(&self, name: &str) -> String {
        let note = self.notes()[name].as_str().map(str::to_owned);
        let sentences: Vec<String> =
            self.row(name).and_then(|row| self.sentence(row)).into_iter().chain(note).collect();
        if sentences.is_empty() { "not yet.".to_owned() } else { sentences.join(" ") }
    }

    /// The worth of the rule or source in the file called `name` in games at the least number of nodes, if it was on: Elo with it minus
    /// Elo without it.
    pub fn gain(&self, name: &str) -> Option<RuleGain> {
        self.row(name).and_then(RuleGain::of)
    }

    /// Which program the table was measured with, and when: its profile, the day, its bench.
    pub fn source(&self) -> Option<(&str, &str, u64)> {
        let conditions = &self.0["conditions"];
        Some((conditions["profile"].as_str()?, conditions["date"].as_str()?, conditions["bench"].as_u64()?))
    }

    /// The rules that are worth most in games at the least number of nodes, of those that are on: Elo with the rule minus Elo without it, in
    /// words. `None` if no game was measured.
    pub fn most_valuable(&self, count: usize) -> Option<String> {
        let (_, date, bench) = self.source()?;
        let named = |row| Some((RuleGain::of(row)?, row["rule"].as_str()?));
        let mut rows: Vec<(RuleGain, &str)> = self.0["worths"].as_array()?.iter().filter_map(named).collect();
        rows.sort_by(|(a, _), (b, _)| b.elo.total_cmp(&a.elo));
        let nodes = grouped(rows.first()?.0.nodes);
        let gains = rows.iter().take(count);
        let gains = gains
            .map(|(RuleGain { elo, low, high, .. }, name)| format!("{name} {elo:+.0} Elo ({low:+.0} .. {high:+.0})"));
        let gains = gains.collect::<Vec<_>>().join(", ");
        Some(format!("{gains} (games at {nodes} nodes a move, {date}, bench {bench})"))
    }

    /// The row of a rule's file: that of its switch, or of another switch of the rule.
    fn row(&self, name: &str) -> Option<&Value> {
        let of = |rule: &str| self.0["worths"].as_array()?.iter().find(|row| row["rule"] == rule);
        let switches = || Rule::ALL.iter().find(|rule| rule.module() == name).map_or(&[][..], |rule| rule.switches());
        of(name).or_else(|| switches().iter().find_map(|switch| of(switch)))
    }

    /// A row in one sentence; `None` if the switch was measured neither on the suite nor in games.
    fn sentence(&self, row: &Value) -> Option<String> {
        let conditions = &self.0["conditions"];
        let text = |key: &str| conditions[key].as_str().unwrap_or_default();
        let parts: Vec<String> = self.on_suite(row).into_iter().chain(self.in_games(row)).collect();
        if parts.is_empty() {
            return None;
        }
        Some(format!(
            "{}; {} profile, {}, bench {}, `docs/results/rules.md`.",
            parts.join("; "),
            text("profile"),
            text("date"),
            conditions["bench"].as_u64()?,
        ))
    }

    fn on_suite(&self, row: &Value) -> Option<String> {
        let conditions = &self.0["conditions"];
        let whole = |of: &Value, key: &str| of[key].as_u64();
        let (on, off) = if row["on"].as_bool()? { ("on", "off") } else { ("off", "on") };
        let usual = self.row("none").and_then(|usual| whole(usual, "solved"))?;
        let (solved, gained, lost) = (whole(row, "solved")?, whole(row, "newly_solved")?, whole(row, "newly_lost")?);
        let [ratio, low, high] = ["ratio", "ratio_low", "ratio_high"].map(|key| row[key].as_f64().unwrap_or(1.0));
        Some(format!(
            "{}, {} nodes, {on}: {solved} solved (+{gained} -{lost} against {usual} with it {off}), nodes to the solution \
             x{ratio:.2} ({low:.2} .. {high:.2})",
            conditions["suite"].as_str().unwrap_or_default(),
            grouped(whole(conditions, "nodes")?),
        ))
    }

    /// The games at each limit; ends of intervals that are not known are left out.
    fn in_games(&self, row: &Value) -> Option<String> {
        let limits = row["games"].as_array()?.iter().filter_map(|games| {
            let [elo, low, high] = ["elo", "elo_low", "elo_high"].map(|key| games[key].as_f64());
            let interval = low.zip(high).map(|(low, high)| format!(" ({low:+.1} .. {high:+.1})")).unwrap_or_default();
            let limit = match games["nodes"].as_u64()? {
                0 => self.0["conditions"]["clock"]["control"].as_str()?.to_owned(),
                nodes => format!("{} nodes a move", grouped(nodes)),
            };
            // Elo is infinite, and null in JSON, where every game was won or lost.
            let elo = elo.map_or_else(|| "no estimate".to_owned(), |elo| format!("{elo:+.1} Elo{interval}"));
            Some(format!("{elo} in {} at {limit}", games["games"].as_u64()?))
        });
        let limits: Vec<String> = limits.collect();
        let state = if row["on"].as_bool()? { "on" } else { "off" };
        let together = self.0["conditions"]["together"].as_bool().unwrap_or_default();
        let others = if together { " and other switches inverted" } else { "" };
        (!limits.is_empty()).then(|| format!("games with it {state}{others}: {}", limits.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::description;

    const TABLE: &str = r#"{
        "conditions": {"suite": "ECM", "nodes": 20000, "profile": "default", "date": "2026-11-22", "bench": 4182733, "together": false},
        "worths": [
            {"rule": "none", "on": true, "solved": 493},
            {"rule": "null_move", "on": false, "solved": 461, "newly_solved": 45, "newly_lost": 77,
             "ratio": 1.097, "ratio_low": 1.028, "ratio_high": 1.171},
            {"rule": "quiescence.delta", "on": false, "solved": 490, "newly_solved": 2, "newly_lost": 5, "ratio": 1.0, "ratio_low": 0.9,
             "ratio_high": 1.1, "games": [{"games": 200, "nodes": 5000, "elo": 13.04, "elo_low": -4.0, "elo_high": 30.2}]},
            {"rule": "probcut", "on": true, "games": [{"games": 400, "nodes": 2000, "elo": 1.0, "elo_low": -8.0, "elo_high": 10.0},
             {"games": 2, "nodes": 20000, "elo": 0.0, "elo_low": null, "elo_high": null},
             {"games": 2, "nodes": 40000, "elo": null, "elo_low": null, "elo_high": null}]},
            {"rule": "check", "on": true}
        ],
        "notes": {"draw": "no choice.", "null_move": "In games: +5 Elo."}
    }"#;

    #[test]
    fn figures_become_a_sentence_and_notes_follow() {
        let table = Worths::parse(TABLE).expect("JSON");
        assert_eq!(
            table.measured("null_move"),
            "ECM, 20 000 nodes, off: 461 solved (+45 -77 against 493 with it on), nodes to the solution x1.10 (1.03 .. 1.17); default \
             profile, 2026-11-22, bench 4182733, `docs/results/rules.md`. In games: +5 Elo."
        );
        let delta = table.measured("delta");
        assert!(
            delta.contains(
                "x1.00 (0.90 .. 1.10); games with it off: +13.0 Elo (-4.0 .. +30.2) in 200 at 5 000 nodes a move;"
            ),
            "{delta}"
        );
        assert_eq!(
            table.measured("probcut"),
            "games with it on: +1.0 Elo (-8.0 .. +10.0) in 400 at 2 000 nodes a move, +0.0 Elo in 2 at 20 000 nodes a move, \
             no estimate in 2 at 40 000 nodes a move; default profile, 2026-11-22, bench 4182733, `docs/results/rules.md`."
        );
        assert_eq!(table.measured("draw"), "no choice.");
        assert_eq!([table.measured("check"), table.measured("razoring")], ["not yet.", "not yet."]);
        let together = Worths::parse(&TABLE.replace("\"together\": false", "\"together\": true")).expect("JSON");
        assert!(together.measured("delta").contains("games with it off and other switches inverted: +13.0"));
        assert!(Worths::parse("{").is_none());
    }

    #[test]
    fn the_most_valuable_rules_are_named() {
        let games =
            |elo: f64| format!(r#"[{{"games": 9, "nodes": 2000, "elo": {elo}, "elo_low": -170, "elo_high": -90.4}}]"#);
        let row =
            |name: &str, on: bool, elo: f64| format!(r#"{{"rule": "{name}", "on": {on}, "games": {}}}"#, games(elo));
        let rows = [
            row("check", false, -12.0),
            row("table", false, -130.2),
            row("razoring", true, 90.0),
            row("pv", false, 5.0),
        ];
        let text = format!(
            r#"{{"conditions": {{"profile": "default", "date": "2026-11-22", "bench": 7}}, "worths": [{}]}}"#,
            rows.join(",")
        );
        let table = Worths::parse(&text).expect("JSON");
        assert_eq!(
            table.most_valuable(2).as_deref(),
            Some(
                "table +130 Elo (+90 .. +170), check +12 Elo (+90 .. +170) (games at 2 000 nodes a move, 2026-11-22, bench 7)"
            )
        );
        let gain = RuleGain { elo: 12.0, low: 90.4, high: 170.0, nodes: 2000 };
        assert_eq!([table.gain("check"), table.gain("razoring"), table.gain("draw")], [Some(gain), None, None]);
        assert_eq!(Worths::parse(r#"{"worths": [{"rule": "pv", "on": false}]}"#).expect("JSON").most_valuable(2), None);
    }

    #[test]
    fn every_row_and_note_of_the_table_is_of_something_that_exists() {
        let table = Worths::builtin();
        let known = |name: &str| description::names().any(|file| file == name);
        let switches = |name: &str| crate::params::Parameters::find(name).is_ok();
        for row in table.0["worths"].as_array().expect("rows") {
            let name = row["rule"].as_str().expect("a name");
            assert!(name == "none" || known(name) || switches(name) || switches(&format!("{name}.on")), "{name}");
        }
        for name in table.notes().as_object().expect("notes").keys() {
            assert!(known(name), "{name}");
        }
        let measured = description::names().filter(|name| table.measured(name).contains(", bench ")).count();
        assert!(measured > 50, "{measured}");
    }
}
