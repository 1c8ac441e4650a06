//! What each rule is worth, as it is written down: in the headers of the rules' files, in the list of all rules, and in one table.
//!
//! `quarterply ablate SUITE --write ROOT` measures all of them and refreshes every place at once, so that the figures of one
//! program never stand beside those of another.

use super::{AtNodes, InGames, NONE, Worth};
use quarterply_engine::words::grouped;

/// What begins the part of a header that holds the worth.
const MARK: &str = "//! *Measured*:";
/// What begins every line of a header.
const COMMENT: &str = "//!";
/// Where the standard sentence ends; what follows it was added by hand.
const SOURCE: &str = "`docs/results/rules.md`.";
/// Widest line of a header (characters).
const WIDTH: usize = 125;
/// The first row of the table, and how its columns are set.
const TABLE: &str = "| rule turned over | now |";
const COLUMNS: &str = "| rule turned over | now | solved | newly | lost | stable | ratio | 95 % | games | Elo | 95 % |";
const ALIGNMENT: &str = "|---|---|--:|--:|--:|--:|--:|---|--:|--:|---|";
/// What begins the worth of a rule in the list of all rules.
const LISTED: &str = "- *Measured*:";
/// What begins the line with the conditions of the table.
const CONDITIONS: &str = ", one thread, Hash ";

/// Under which conditions they were measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditions {
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
    /// Were other rules turned over in the same games?
    pub together: bool,
}

/// The worth of a rule in one sentence; `None` if it was not measured at fixed nodes.
pub fn sentence(worth: &Worth, usual: &Worth, conditions: &Conditions) -> Option<String> {
    let state = |on: bool| if on { "on" } else { "off" };
    let AtNodes { solved, newly_solved, newly_lost, ratio, ratio_low, ratio_high, .. } = worth.at_nodes.as_ref()?;
    let solved_usually = usual.at_nodes.as_ref()?.solved;
    let Conditions { suite, nodes, profile, date, bench, .. } = conditions;
    let games = worth.games.as_ref().map_or_else(String::new, |games| in_games(games, conditions.together));
    Some(format!(
        "{suite}, {} nodes, {}: {solved} solved (+{newly_solved} -{newly_lost} against {solved_usually} with it {}), nodes to the \
         solution x{ratio:.2} ({ratio_low:.2} .. {ratio_high:.2}){games}; {profile} profile, {date}, bench {bench}, {SOURCE}",
        grouped(*nodes),
        state(worth.on),
        state(!worth.on),
    ))
}

fn in_games(games: &InGames, together: bool) -> String {
    let others = if together { " with others turned over" } else { "" };
    let InGames { games, nodes, elo, elo_low, elo_high, .. } = games;
    format!(
        ", {elo:+.1} Elo ({elo_low:+.1} .. {elo_high:+.1}) in {games} games{others} at {} nodes a move",
        grouped(*nodes)
    )
}

/// The source of a rule's file with this sentence as its worth; what was added to the old one by hand stays. `None` if it has
/// no such part.
pub fn in_header(source: &str, sentence: &str) -> Option<String> {
    let lines: Vec<&str> = source.lines().collect();
    let from = lines.iter().position(|line| line.starts_with(MARK))?;
    let ends = |line: &str| line.trim_end() == COMMENT || !line.starts_with(COMMENT) || line.starts_with("//! *");
    let to = lines[from + 1..].iter().position(|line| ends(line)).map_or(lines.len(), |more| from + 1 + more);
    let old = lines[from..to].iter().map(|line| line.trim_start_matches(COMMENT).trim()).collect::<Vec<_>>().join(" ");
    let added = old.split_once(SOURCE).map_or("", |(_, added)| added.trim());
    let text = format!("*Measured*: {sentence} {added}");
    let mut new: Vec<String> = lines[..from].iter().map(|line| (*line).to_owned()).collect();
    let mut line = COMMENT.to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            new.push(std::mem::replace(&mut line, COMMENT.to_owned()));
        }
        line.push(' ');
        line.push_str(word);
    }
    new.push(line);
    new.extend(lines[to..].iter().map(|line| (*line).to_owned()));
    Some(new.join("\n") + "\n")
}

/// The list of all rules (`docs/rules.md`) with this sentence as the worth of the rule with this group of parameters; what was added by
/// hand stays. `None` if the list does not know it.
pub fn in_list(list: &str, group: &str, sentence: &str) -> Option<String> {
    let heading = format!("## `{group}`");
    let mut lines: Vec<String> = list.lines().map(str::to_owned).collect();
    let from = lines.iter().position(|line| *line == heading)?;
    let to =
        lines[from + 1..].iter().position(|line| line.starts_with("## ")).map_or(lines.len(), |more| from + 1 + more);
    let line = lines[from..to].iter_mut().find(|line| line.starts_with(LISTED))?;
    let added = line.split_once(SOURCE).map_or("", |(_, added)| added.trim());
    *line = format!("{LISTED} {sentence} {added}").trim_end().to_owned();
    Some(lines.join("\n") + "\n")
}

/// The page of results with this table and these conditions in place of the old ones. `None` if it has no table.
pub fn in_page(page: &str, worths: &[Worth], conditions: &Conditions, command: &str) -> Option<String> {
    let lines: Vec<&str> = page.lines().collect();
    let from = lines.iter().position(|line| line.starts_with(TABLE))?;
    let to = lines[from..].iter().position(|line| !line.starts_with('|')).map_or(lines.len(), |more| from + more);
    let mut new: Vec<String> = Vec::new();
    for line in &lines[..from] {
        if line.contains(CONDITIONS) {
            let Conditions { date, bench, hash, .. } = conditions;
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

fn row(worth: &Worth) -> String {
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

    fn worth(rule: &str, solved: u64) -> Worth {
        Worth {
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
            ..Worth::default()
        }
    }

    fn conditions() -> Conditions {
        Conditions {
            suite: "ECM".to_owned(),
            nodes: 20_000,
            profile: "default".to_owned(),
            hash: 64,
            date: "2026-11-22".to_owned(),
            bench: 4_182_733,
            together: false,
        }
    }

    /// A header in a shape of our own, so that no change of a real one matters.
    const SOURCE_FILE: &str = "//! Title.\n//!\n//! *Papers*: `x`.\n//! *Measured*: ECM, 9 nodes, off: 1 solved; bench 3,\n\
        //! `docs/results/rules.md`. In games: +5 Elo.\n\nuse x;\n";

    #[test]
    fn a_header_gets_the_new_figures_and_keeps_what_was_added() {
        let sentence = sentence(&worth("null_move", 461), &worth(NONE, 493), &conditions()).expect("measured");
        assert_eq!(
            sentence,
            "ECM, 20 000 nodes, off: 461 solved (+45 -77 against 493 with it on), nodes to the solution x1.10 (1.03 .. 1.17); \
             default profile, 2026-11-22, bench 4182733, `docs/results/rules.md`."
        );
        let new = in_header(SOURCE_FILE, &sentence).expect("it has the part");
        assert!(new.starts_with("//! Title.\n//!\n//! *Papers*: `x`.\n//! *Measured*: ECM, 20 000 nodes"), "{new}");
        assert!(new.ends_with("In games: +5 Elo.\n\nuse x;\n") && !new.contains("bench 3,"), "{new}");
        assert!(new.lines().all(|line| line.chars().count() <= WIDTH), "{new}");
        assert_eq!(in_header(&new, &sentence).as_deref(), Some(new.as_str()), "a second time changes nothing");
        assert_eq!(in_header("//! Title.\n", &sentence), None);
    }

    #[test]
    fn games_stand_in_the_sentence_and_the_table() {
        let pairs = [5, 20, 40, 25, 10];
        let games =
            InGames { games: 200, nodes: 5000, pairs, elo: 13.04, elo_low: -4.0, elo_high: 30.2, elo_likely: None };
        let played = Worth { games: Some(games), ..worth("null_move", 461) };
        let sentence = sentence(&played, &worth(NONE, 493), &conditions()).expect("measured");
        assert!(
            sentence.contains(", +13.0 Elo (-4.0 .. +30.2) in 200 games at 5 000 nodes a move; default"),
            "{sentence}"
        );
        let together = Conditions { together: true, ..conditions() };
        let sentence = super::sentence(&played, &worth(NONE, 493), &together).expect("measured");
        assert!(sentence.contains("in 200 games with others turned over at 5 000 nodes"), "{sentence}");
        assert!(row(&played).ends_with("| 200 | +13.0 | -4.0 .. +30.2 |"), "{}", row(&played));
        let cells = |text: &str| text.matches('|').count();
        for row in [row(&played), row(&worth("x", 1)), row(&Worth::default()), ALIGNMENT.to_owned()] {
            assert_eq!(cells(&row), cells(COLUMNS), "{row}");
        }
    }

    #[test]
    fn the_list_of_rules_gets_the_sentence_of_its_rule_alone() {
        let list = "# R\n\n## `a`\n\n- *Idea*: i\n- *Measured*: old.\n\n| p |\n\n## `b`\n\n- *Measured*: x, `docs/results/rules.md`. Mine.\n";
        let new = in_list(list, "b", "new, `docs/results/rules.md`.").expect("it is there");
        assert!(
            new.contains("- *Measured*: old.\n")
                && new.ends_with("- *Measured*: new, `docs/results/rules.md`. Mine.\n"),
            "{new}"
        );
        let new = in_list(list, "a", "new").expect("it is there");
        assert!(new.contains("- *Measured*: new\n\n| p |") && new.contains("x, `docs"), "{new}");
        assert_eq!(in_list(list, "c", "new"), None);
        assert_eq!(in_list("## `a`\n\n## `b`\n- *Measured*: x\n", "a", "new"), None, "not the worth of the next rule");
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
