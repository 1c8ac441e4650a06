//! Compares two result files of `solve`, with tests of significance.

use crate::suite::{RunConditions, SuiteRow, SuiteSummary};
use quarterply_stats::{Mean, mean, sign_test};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use thiserror::Error;

/// Why a result file cannot be used.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// It cannot be opened or read: the file and the reason.
    #[error("cannot read {0}: {1}; check the path and the permissions")]
    Io(String, io::Error),
    /// It is not UTF-8 text: the file.
    #[error("cannot read {0}: not a text file; give a file written by `quarterply solve --json FILE`")]
    NotText(String),
    /// The file holds no row: the file.
    #[error("cannot compare {0}: it contains no result; give a file written by `quarterply solve --json FILE`")]
    Empty(String),
    /// A line is not a row: its place, its text, the fault and the remedy.
    #[error("{0}: cannot read the result `{1}`: {2}; {3}")]
    Line(String, String, serde_json::Error, &'static str),
    /// Two runs have a row of the same name and the same position: the place of the second, its name and its suite.
    #[error(
        "{0}: cannot use the result of `{1}` of suite {2}: it occurs twice with the same position; delete one of the lines, or give the \
         results of a single run"
    )]
    Twice(String, String, String),
    /// The results of several runs of a suite are in one file: the place and the suite.
    #[error(
        "{0}: cannot use the results of suite {1}: more than one run is in the file; give the results of a single run"
    )]
    Several(String, String),
    /// The two files have no position in common: one file and the other.
    #[error("cannot compare {0} with {1}: they have no position in common; compare runs of the same suite")]
    NothingInCommon(String, String),
}

/// One result file.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The path of the file.
    pub file: String,
    /// The rows, in order.
    pub rows: Vec<SuiteRow>,
    /// The summaries, one per suite; fewer if the run was cut short.
    pub summaries: Vec<SuiteSummary>,
}

/// Reads a result file.
pub fn read_results(path: &Path) -> Result<Results, ResultsError> {
    let file = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => parse_results(&file, &text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(ResultsError::NotText(file)),
        Err(reason) => Err(ResultsError::Io(file, reason)),
    }
}

/// Reads results from the text of the file named `file`.
pub fn parse_results(file: &str, text: &str) -> Result<Results, ResultsError> {
    let mut results = Results { file: file.to_owned(), ..Results::default() };
    let mut seen = BTreeMap::new();
    let mut begin = 0;
    for (index, text_line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let text_line = text_line.trim();
        if text_line.is_empty() {
            continue;
        }
        let place = || format!("{file}:{}", index + 1);
        let fault = |e: serde_json::Error| {
            let cut_off = "the file was cut off: delete this line or run again";
            let remedy = if e.is_eof() { cut_off } else { "delete or correct this line" };
            ResultsError::Line(place(), quarterply_files::epd::quote(text_line), e, remedy)
        };
        let value: Value = serde_json::from_str(text_line).map_err(fault)?;
        if value.get("summary") == Some(&Value::Bool(true)) {
            let summary: SuiteSummary = serde_json::from_value(value).map_err(fault)?;
            // An interrupted run has no summary: its rows stand before those of the next one.
            let rows = results.rows[begin..].iter().filter(|row| row.suite == summary.suite).count() as u64;
            if summary.positions > 0 && rows > summary.positions {
                return Err(ResultsError::Several(place(), summary.suite));
            }
            begin = results.rows.len();
            results.summaries.push(summary);
            continue;
        }
        let row: SuiteRow = serde_json::from_value(value).map_err(fault)?;
        // A suite may have a position twice, but not a line, and nothing of it comes after its summary.
        let run = results.summaries.len();
        let before = seen.insert((row.suite.clone(), row.id.clone(), row.fen.clone()), run);
        if before.is_some_and(|before| before != run || is_line(&row)) {
            return Err(ResultsError::Twice(place(), row.id, row.suite));
        }
        results.rows.push(row);
    }
    if let Some(row) = second_run(&results.rows[begin..]) {
        return Err(ResultsError::Several(file.to_owned(), row.suite.clone()));
    }
    if results.rows.is_empty() { Err(ResultsError::Empty(file.to_owned())) } else { Ok(results) }
}

/// The first row of a second run among rows without a summary: it and the next rows are the first ones again, two or more in their order.
fn second_run(rows: &[SuiteRow]) -> Option<&SuiteRow> {
    let is_same = |a: &SuiteRow, b: &SuiteRow| (&a.suite, &a.id, &a.fen) == (&b.suite, &b.id, &b.fen);
    let is_second = |at: &usize| {
        let (first, second) = rows.split_at(*at);
        let is_repeated = first.iter().zip(second).all(|(a, b)| is_same(a, b));
        // A suite may begin with one position several times.
        is_repeated && second.len() > 1 && !is_same(&first[0], &first[1])
    };
    (2..rows.len()).find(is_second).map(|at| &rows[at])
}

/// A position in both files.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The position in the first file.
    pub first: SuiteRow,
    /// The position in the second file.
    pub second: SuiteRow,
}

/// The differences between the first file and the second.
#[derive(Clone, Debug)]
pub struct ResultsComparison {
    /// Positions in both files, in the order of the first.
    pub pairs: Vec<Pair>,
    /// Positions only in the first file.
    pub only_first: usize,
    /// Positions only in the second file.
    pub only_second: usize,
    /// Mean change of the natural logarithm of `nodes_stable` over all pairs.
    pub log_nodes: Option<Mean>,
    /// Pairs in which the second needed fewer nodes.
    pub fewer: u64,
    /// Pairs in which the second needed more nodes.
    pub more: u64,
    /// Two-sided p-value of fewer against more.
    pub nodes_p: f64,
    /// Two-sided p-value of newly solved against newly lost.
    pub solved_p: f64,
}

/// Compares two runs over the positions that both have.
pub fn compare(first: &Results, second: &Results) -> Result<ResultsComparison, ResultsError> {
    let mut others: BTreeMap<PositionKey<'_>, &SuiteRow> = keys(&second.rows).into_iter().zip(&second.rows).collect();
    let mut pairs = Vec::new();
    for (key, row) in keys(&first.rows).iter().zip(&first.rows) {
        if let Some(other) = others.remove(key) {
            pairs.push(Pair { first: row.clone(), second: other.clone() });
        }
    }
    if pairs.is_empty() {
        return Err(ResultsError::NothingInCommon(first.file.clone(), second.file.clone()));
    }
    let changes: Vec<f64> = pairs.iter().map(Pair::log_change).collect();
    let fewer = changes.iter().filter(|change| **change < 0.0).count() as u64;
    let more = changes.iter().filter(|change| **change > 0.0).count() as u64;
    let mut comparison = ResultsComparison {
        only_first: first.rows.len() - pairs.len(),
        only_second: others.len(),
        log_nodes: mean(&changes),
        fewer,
        more,
        nodes_p: sign_test(more, fewer),
        solved_p: 1.0,
        pairs,
    };
    let counts = (comparison.newly_solved().count() as u64, comparison.newly_lost().count() as u64);
    comparison.solved_p = sign_test(counts.0, counts.1);
    Ok(comparison)
}

/// Why the nodes of two runs cannot be compared: their limits differ or, where a file of an older program does not hold them, positions
/// that neither run solved have different costs. `None` otherwise.
pub fn limits_differ(first: &Results, second: &Results, comparison: &ResultsComparison) -> Option<String> {
    let known = |results: &Results| -> Vec<(String, RunConditions)> {
        let summaries = results.summaries.iter();
        summaries.filter_map(|one| Some((one.suite.clone(), one.conditions.clone()?))).collect()
    };
    let (ours, theirs) = (known(first), known(second));
    for (suite, one) in &ours {
        if let Some((_, other)) = theirs.iter().find(|(name, other)| name == suite && other != one) {
            return Some(format!(
                "the searches of suite {suite} had different limits, {one} in {} and {other} in {}: unsolved positions cost the limit, so \
                 the nodes are not comparable; run both with the same limits",
                first.file, second.file
            ));
        }
    }
    if !ours.is_empty() && !theirs.is_empty() {
        return None;
    }
    let costs_differ =
        |pair: &&Pair| !pair.first.solved && !pair.second.solved && pair.first.nodes_stable != pair.second.nodes_stable;
    let count = comparison.pairs.iter().filter(costs_differ).count();
    (count > 0).then(|| {
        let positions = if count == 1 { "1 position is".to_owned() } else { format!("{count} positions are") };
        format!(
            "{positions} unsolved in both files with different costs: if their limits in nodes differ, the nodes are not \
             comparable; run both with the same limits"
        )
    })
}

/// The identity of a position in several runs: its suite, its FEN, its name if it has one, and rows before it of the same position and
/// name.
type PositionKey<'a> = (&'a str, &'a str, Option<&'a str>, usize);

/// The keys of rows.
fn keys(rows: &[SuiteRow]) -> Vec<PositionKey<'_>> {
    let mut met: BTreeMap<(&str, &str, Option<&str>), usize> = BTreeMap::new();
    let keys = rows.iter().map(|row| {
        let (suite, fen) = (row.suite.as_str(), row.fen.as_str());
        let name = (!is_line(row)).then_some(row.id.as_str());
        let count = met.entry((suite, fen, name)).or_default();
        *count += 1;
        (suite, fen, name, *count - 1)
    });
    keys.collect()
}

/// Returns true if the position has no name. Its id is then its line in the suite, which changes when lines are added above it.
fn is_line(row: &SuiteRow) -> bool {
    let line = row.id.strip_prefix(&row.suite).and_then(|rest| rest.strip_prefix(':'));
    line.is_some_and(|line| line.parse::<usize>().is_ok())
}

impl Pair {
    /// The change of the natural logarithm of `nodes_stable`; no nodes count as one.
    fn log_change(&self) -> f64 {
        let log = |row: &SuiteRow| (row.nodes_stable.max(1) as f64).ln();
        log(&self.second) - log(&self.first)
    }
}

impl ResultsComparison {
    /// Positions that only the second run solved.
    pub fn newly_solved(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| !pair.first.solved && pair.second.solved)
    }

    /// Positions that only the first run solved.
    pub fn newly_lost(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.first.solved && !pair.second.solved)
    }

    /// Solved positions among the pairs, in the first and the second run.
    pub fn solved(&self) -> (usize, usize) {
        let count = |solved: fn(&Pair) -> bool| self.pairs.iter().filter(|pair| solved(pair)).count();
        (count(|pair| pair.first.solved), count(|pair| pair.second.solved))
    }

    /// The sums of `nodes_stable` among the pairs, in the first and the second run.
    pub fn nodes_stable(&self) -> (u64, u64) {
        let first = self.pairs.iter().map(|pair| pair.first.nodes_stable).sum();
        (first, self.pairs.iter().map(|pair| pair.second.nodes_stable).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, solved: bool, stable: u64) -> String {
        format!(
            r#"{{"suite":"s","id":"{id}","fen":"f","solved":{solved},"move":null,"nodes_first":1,"nodes_stable":{stable},"nodes":9,"depth":1,"ms":0}}"#
        )
    }

    fn results(lines: &[(&str, bool, u64)]) -> Results {
        let text: Vec<String> = lines.iter().map(|(id, solved, stable)| line(id, *solved, *stable)).collect();
        parse_results("r.json", &text.join("\r\n")).expect("good lines")
    }

    #[test]
    fn changes_are_paired_by_position() {
        let a = results(&[("1", true, 100), ("2", false, 800), ("3", true, 200), ("4", true, 50), ("5", true, 1)]);
        let b = results(&[("3", false, 800), ("2", true, 100), ("1", true, 50), ("4", true, 50), ("6", true, 1)]);
        let c = compare(&a, &b).expect("four pairs");
        assert_eq!((c.pairs.len(), c.only_first, c.only_second), (4, 1, 1));
        assert_eq!(c.newly_solved().map(|p| p.first.id.as_str()).collect::<Vec<_>>(), ["2"]);
        assert_eq!(c.newly_lost().map(|p| p.first.id.as_str()).collect::<Vec<_>>(), ["3"]);
        assert_eq!((c.fewer, c.more, c.solved()), (2, 1, (3, 3)));
        assert_eq!(c.nodes_stable(), (1150, 1000));
        // ln(1/2) + ln(1/8) + ln 4 + ln 1 = -2 ln 2
        let log = c.log_nodes.expect("four pairs").mean;
        assert!((log + 2.0 * std::f64::consts::LN_2 / 4.0).abs() < 1e-12, "{log}");
        assert!((c.nodes_p - 1.0).abs() < 1e-12 && (c.solved_p - 1.0).abs() < 1e-12);
    }

    /// Rows of positions by id and FEN.
    fn positions(rows: &[(&str, &str)]) -> Results {
        let row = |(id, fen): &(&str, &str)| line(id, true, 10).replace("\"fen\":\"f\"", &format!("\"fen\":\"{fen}\""));
        parse_results("r.json", &rows.iter().map(row).collect::<Vec<_>>().join("\n")).expect("good lines")
    }

    /// A position was paired with the one that had its line before. A single run over two files of the same name, or with a name twice, was
    /// "several runs".
    #[test]
    fn positions_are_paired_by_name_and_fen_and_not_by_line() {
        for (first, second, pairs, only) in [
            (
                &[("s:1", "x"), ("s:2", "y"), ("s:3", "y")][..],
                &[("s:1", "new"), ("s:2", "x"), ("s:3", "y"), ("s:4", "y")][..],
                &["s:1 s:2 x", "s:2 s:3 y", "s:3 s:4 y"][..],
                (0, 1),
            ),
            (&[("p", "x"), ("q", "y")], &[("p", "new"), ("q", "y")], &["q q y"], (1, 1)),
            (&[("p", "x"), ("p", "y")], &[("p", "y"), ("p", "x")], &["p p x", "p p y"], (0, 0)),
            (&[("p", "x"), ("p", "x")], &[("p", "x"), ("p", "x"), ("p", "x")], &["p p x", "p p x"], (0, 1)),
        ] {
            let found = compare(&positions(first), &positions(second)).expect("pairs");
            assert!(found.pairs.iter().all(|pair| pair.first.fen == pair.second.fen), "{:?}", found.pairs);
            let text = |Pair { first, second }: &Pair| format!("{} {} {}", first.id, second.id, first.fen);
            assert_eq!(found.pairs.iter().map(text).collect::<Vec<_>>(), pairs);
            assert_eq!((found.only_first, found.only_second), only, "{pairs:?}");
            assert_eq!((found.fewer, found.more), (0, 0), "{pairs:?}");
        }
    }

    #[test]
    fn other_limits_are_noticed_by_the_summaries_or_by_the_costs_of_unsolved_positions() {
        let lines = [("1", true, 100), ("2", false, 800)];
        let with = |stable: u64, nodes: Option<u64>| {
            let mut results = results(&[lines[0], (lines[1].0, lines[1].1, stable)]);
            let conditions = nodes.map(|nodes| RunConditions { nodes: Some(nodes), ..RunConditions::default() });
            results.summaries.push(SuiteSummary { conditions, ..SuiteSummary::new("s", 0) });
            results
        };
        for (first, second, expected) in [
            (with(800, Some(800)), with(800, Some(800)), None),
            (with(800, Some(800)), with(900, Some(900)), Some("800 nodes in r.json and 900 nodes in r.json")),
            // Searches to a depth end anywhere.
            (with(800, Some(900)), with(850, Some(900)), None),
            (with(800, None), with(900, Some(900)), Some("1 position is unsolved in both files with different costs")),
            (with(800, None), with(800, None), None),
        ] {
            let comparison = compare(&first, &second).expect("pairs");
            let difference = limits_differ(&first, &second, &comparison);
            assert_eq!(difference.is_some(), expected.is_some(), "{difference:?}");
            assert!(difference.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }

    #[test]
    fn summaries_are_kept_apart_from_rows() {
        let summary = serde_json::to_string(&SuiteSummary::new("s", 0)).expect("a summary");
        let r = parse_results("r.json", &format!("{}\n{summary}\n", line("1", true, 5))).expect("both");
        assert_eq!((r.rows.len(), r.summaries.len()), (1, 1));
    }

    #[test]
    fn bad_files_are_reported_with_line_text_and_remedy() {
        let good = line("1", true, 5);
        let summary = serde_json::to_string(&SuiteSummary::new("s", 0)).expect("a summary");
        let unnamed = line("s:4", true, 5);
        let other = line("2", true, 5);
        let of_two = SuiteSummary { positions: 2, ..SuiteSummary::new("s", 0) };
        let of_two = serde_json::to_string(&of_two).expect("a summary");
        for (text, needles) in [
            (String::new(), vec!["cannot compare r.json: it contains no result"]),
            (format!("{good}\n{}", &good[..40]), vec!["r.json:2: cannot read the result `{\"suite\"", "cut off"]),
            (format!("{good}\nhello\n"), vec!["r.json:2: cannot read the result `hello`"]),
            (format!("{good}\n{{\"suite\":\"s\"}}\n"), vec!["r.json:2:", "missing field"]),
            (
                format!("{good}\n{summary}\n{good}\n"),
                vec!["r.json:3: cannot use the result of `1` of suite s: it occurs twice"],
            ),
            (format!("{unnamed}\n\n{unnamed}\n"), vec!["r.json:3: cannot use the result of `s:4` of suite s"]),
            (good.replace(":5", ":-5"), vec!["r.json:1:", "invalid value"]),
            // An interrupted run, followed by a complete one or by another interrupted one.
            (
                format!("{good}\n{good}\n{other}\n{of_two}\n"),
                vec!["r.json:4: cannot use the results of suite s: more than one run"],
            ),
            (
                format!("{good}\n{other}\n{good}\n{other}\n"),
                vec!["r.json: cannot use the results of suite s: more than one run"],
            ),
        ] {
            let message = parse_results("r.json", &text).expect_err(&text).to_string();
            assert!(needles.iter().all(|needle| message.contains(needle)), "{text}\n{message}");
        }
    }

    #[test]
    fn different_suites_cannot_be_compared() {
        let message = compare(&results(&[("1", true, 5)]), &results(&[("2", true, 5)])).expect_err("none").to_string();
        assert!(message.contains("no position in common"), "{message}");
    }
}
