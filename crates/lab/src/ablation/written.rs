//! The measured effects of the rules, in the table that is part of the engine and on the page of results.
//!
//! `quarterply ablate SUITE --write ROOT` measures all of them and replaces both at once, so that the figures of different
//! versions are never mixed.

use super::{AtNodes, InGames, NONE, SettingWorth};
use quarterply_engine::words::grouped;
use serde::Serialize;
use serde_json::Value;

/// The first row of the table, and how its columns are set.
const TABLE: &str = "| rule turned over | now |";
const COLUMNS: &str = "| rule turned over | now | solved | newly | lost | stable | ratio | 95 % | games | Elo | 95 % |";
const ALIGNMENT: &str = "|---|---|--:|--:|--:|--:|--:|---|--:|--:|---|";
/// What begins the line with the conditions of the table.
const CONDITIONS: &str = ", one thread, Hash ";

/// Under which conditions they were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenConditions {
    /// The suite, in a word.
    pub suite: String,
    /// Nodes of each position.
    pub nodes: u64,
    /// The profile.
    pub profile: String,
    /// Table in MiB.
    pub hash: usize,
    /// The day, `yyyy-mm-dd`.
    pub date: String,
    /// The bench of the program.
    pub bench: u64,
    /// True if other switches were inverted in the same games.
    pub together: bool,
}

/// The table of worths as `worths.json` holds it, one row a line, with the notes of the old one.
///
/// # Errors
/// Figures that JSON does not have.
pub fn table(worths: &[SettingWorth], conditions: &WrittenConditions, notes: &Value) -> serde_json::Result<String> {
    let rows: Vec<String> = worths.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let notes =
        if notes.is_null() { "{}".to_owned() } else { serde_json::to_string_pretty(notes)?.replace('\n', "\n  ") };
    let conditions = serde_json::to_string(conditions)?;
    let rows = rows.join(",\n    ");
    Ok(format!("{{\n  \"conditions\": {conditions},\n  \"worths\": [\n    {rows}\n  ],\n  \"notes\": {notes}\n}}\n"))
}

/// The page of results with this table and these conditions in place of the old ones. `None` if it has no table.
pub fn in_page(page: &str, worths: &[SettingWorth], conditions: &WrittenConditions, command: &str) -> Option<String> {
    let lines: Vec<&str> = page.lines().collect();
    let from = lines.iter().position(|line| line.starts_with(TABLE))?;
    let to = lines[from..].iter().position(|line| !line.starts_with('|')).map_or(lines.len(), |more| from + more);
    let mut new: Vec<String> = Vec::new();
    for line in &lines[..from] {
        if line.contains(CONDITIONS) {
            let WrittenConditions { date, bench, hash, .. } = conditions;
            new.push(format!("{date}, bench {bench}{CONDITIONS}{hash}; node counts, so the machine does not matter."));
        } else if line.starts_with("quarterply ablate ") {
            new.push(command.to_owned());
        } else {
            new.push((*line).to_owned());
        }
    }
    new.extend([COLUMNS.to_owned(), ALIGNMENT.to_owned()]);
    new.extend(worths.iter().map(row));
    new.extend(lines[to..].iter().map(|line| (*line).to_owned()));
    Some(new.join("\n") + "\n")
}

fn row(worth: &SettingWorth) -> String {
    let first = worth.rule == NONE;
    let name = if first { "(the profile as it is)" } else { &worth.rule };
    let now = match (first, worth.on) {
        (true, _) => "",
        (_, true) => "on",
        (_, false) => "off",
    };
    let suite = worth.at_nodes.as_ref().map_or_else(
        || " |  |  |  |  | ".to_owned(),
        |at| {
            let AtNodes { solved, newly_solved, newly_lost, nodes_stable_total, ratio, ratio_low, ratio_high } = at;
            let total = grouped(*nodes_stable_total);
            format!(
                "{solved} | +{newly_solved} | -{newly_lost} | {total} | {ratio:.3} | {ratio_low:.3} .. {ratio_high:.3}"
            )
        },
    );
    let games = worth.games.as_ref().map_or_else(
        || " |  | ".to_owned(),
        |InGames { games, elo, elo_low, elo_high, .. }| {
            format!("{games} | {elo:+.1} | {elo_low:+.1} .. {elo_high:+.1}")
        },
    );
    format!("| {name} | {now} | {suite} | {games} |")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::rules::worth::Worths;

    fn worth(rule: &str, solved: u64) -> SettingWorth {
        SettingWorth {
            rule: rule.to_owned(),
            on: false,
            at_nodes: Some(AtNodes {
                solved,
                newly_solved: 45,
                newly_lost: 77,
                nodes_stable_total: 10_420_895,
                ratio: 1.097,
                ratio_low: 1.028,
                ratio_high: 1.171,
            }),
            ..SettingWorth::default()
        }
    }

    fn conditions() -> WrittenConditions {
        WrittenConditions {
            suite: "ECM".to_owned(),
            nodes: 20_000,
            profile: "default".to_owned(),
            hash: 64,
            date: "2026-11-22".to_owned(),
            bench: 4_182_733,
            together: false,
        }
    }

    #[test]
    fn the_table_is_read_as_it_was_written_and_keeps_its_notes() {
        let games = InGames {
            games: 200,
            nodes: 5000,
            pairs: [5, 20, 40, 25, 10],
            elo: 13.04,
            elo_low: -4.0,
            elo_high: 30.2,
            elo_likely: None,
        };
        let played = SettingWorth { games: Some(games), ..worth("null_move", 461) };
        let notes = serde_json::json!({"draw": "no choice.", "null_move": "A note."});
        let text = table(&[worth(NONE, 493), played.clone()], &conditions(), &notes).expect("JSON");
        let table = Worths::parse(&text).expect("JSON");
        assert_eq!(
            table.measured("null_move"),
            "ECM, 20 000 nodes, off: 461 solved (+45 -77 against 493 with it on), nodes to the solution x1.10 (1.03 .. 1.17), +13.0 Elo \
             (-4.0 .. +30.2) in 200 games at 5 000 nodes a move; default profile, 2026-11-22, bench 4182733, \
             `docs/results/rules.md`. A note."
        );
        assert_eq!((table.notes(), table.measured("draw")), (&notes, "no choice.".to_owned()));
        assert_eq!(text.lines().filter(|line| line.contains("\"rule\"")).count(), 2, "a row is a line: {text}");
        assert!(row(&played).ends_with("| 200 | +13.0 | -4.0 .. +30.2 |"), "{}", row(&played));
        let cells = |text: &str| text.matches('|').count();
        for row in [row(&played), row(&worth("x", 1)), row(&SettingWorth::default()), ALIGNMENT.to_owned()] {
            assert_eq!(cells(&row), cells(COLUMNS), "{row}");
        }
    }

    #[test]
    fn the_page_gets_the_new_table() {
        let page = "# Worth\n\n```sh\nquarterply ablate old\n```\n\n2026-01-01, bench 3 (commit x), one thread, Hash 9; y.\n\n\
            | rule turned over | now | solved |\n|---|---|--:|\n| old | off | 1 |\n\nHow to read it.\n";
        let worths = [worth(NONE, 493), worth("null_move", 461)];
        let new = in_page(page, &worths, &conditions(), "quarterply ablate new").expect("a table");
        assert!(new.contains("```sh\nquarterply ablate new\n```"), "{new}");
        assert!(new.contains("2026-11-22, bench 4182733, one thread, Hash 64;"), "{new}");
        assert!(
            new.contains("| (the profile as it is) |  | 493 |") && new.contains("| null_move | off | 461 |"),
            "{new}"
        );
        assert!(!new.contains("| old |") && new.ends_with("\nHow to read it.\n"), "{new}");
        assert_eq!(in_page("# no table\n", &worths, &conditions(), ""), None);
    }
}
