//! What each rule is worth on a suite, as it is written down: in the headers of the rules' files and in one table.
//!
//! `quarterply ablate SUITE --write ROOT` measures all of them and refreshes every place at once, so that the figures of one
//! program never stand beside those of another.

use quarterply_engine::words::grouped;
use serde::Serialize;

/// What begins the part of a header that holds the worth.
const MARK: &str = "//! *Measured*:";
/// What begins every line of a header.
const COMMENT: &str = "//!";
/// Where the standard sentence ends; what follows it was added by hand.
const SOURCE: &str = "`docs/results/rules.md`.";
/// Widest line of a header (characters).
const WIDTH: usize = 125;
/// The first row of the table.
const TABLE: &str = "| rule turned over | now |";
/// What begins the line with the conditions of the table.
const CONDITIONS: &str = ", one thread, Hash ";

/// What the suite says of one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// The rule whose switch was turned over; `none` for the profile as it is.
    pub rule: String,
    /// The rule's switch in this run.
    pub on: bool,
    /// Positions solved.
    pub solved: u64,
    /// Positions that only this setting solves.
    pub newly_solved: u64,
    /// Positions that only the profile as it is solves.
    pub newly_lost: u64,
    /// Nodes to the solution in all.
    pub nodes_stable_total: u64,
    /// Geometric mean of nodes to solution against the profile as it is, with its 95 % interval.
    pub ratio: f64,
    /// See `ratio`.
    pub ratio_low: f64,
    /// See `ratio`.
    pub ratio_high: f64,
}

/// The rule of the first row.
pub const NONE: &str = "none";

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
}

/// The worth of a rule in one sentence.
pub fn sentence(worth: &Worth, usual: &Worth, conditions: &Conditions) -> String {
    let state = |on: bool| if on { "on" } else { "off" };
    let Worth { solved, newly_solved, newly_lost, ratio, ratio_low, ratio_high, .. } = worth;
    let Conditions { suite, nodes, profile, date, bench, .. } = conditions;
    format!(
        "{suite}, {} nodes, {}: {solved} solved (+{newly_solved} -{newly_lost} against {} with it {}), nodes to the solution \
         x{ratio:.2} ({ratio_low:.2} .. {ratio_high:.2}); {profile} profile, {date}, bench {bench}, {SOURCE}",
        grouped(*nodes),
        state(worth.on),
        usual.solved,
        state(!worth.on),
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
    new.extend(lines[from..from + 2].iter().map(|line| (*line).to_owned()));
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
    let Worth { solved, newly_solved, newly_lost, nodes_stable_total, ratio, ratio_low, ratio_high, .. } = worth;
    let total = grouped(*nodes_stable_total);
    format!(
        "| {name} | {now} | {solved} | +{newly_solved} | -{newly_lost} | {total} | {ratio:.3} | {ratio_low:.3} .. {ratio_high:.3} |"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(rule: &str, solved: u64) -> Worth {
        Worth {
            rule: rule.to_owned(),
            on: false,
            solved,
            newly_solved: 45,
            newly_lost: 77,
            nodes_stable_total: 10_420_895,
            ratio: 1.097,
            ratio_low: 1.028,
            ratio_high: 1.171,
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
        }
    }

    /// A header in a shape of our own, so that no change of a real one matters.
    const SOURCE_FILE: &str = "//! Title.\n//!\n//! *Papers*: `x`.\n//! *Measured*: ECM, 9 nodes, off: 1 solved; bench 3,\n\
        //! `docs/results/rules.md`. In games: +5 Elo.\n\nuse x;\n";

    #[test]
    fn a_header_gets_the_new_figures_and_keeps_what_was_added() {
        let sentence = sentence(&worth("null_move", 461), &worth(NONE, 493), &conditions());
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
