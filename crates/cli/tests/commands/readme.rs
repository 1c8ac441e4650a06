//! README.md can be read in a minute: its length, its lines and tables, its first commands, its links, and the output that it shows.
//! Pages of results answer one question each.

use std::path::Path;
use std::process::Command;

use crate::documentation::{ROOT, commands, pages, read};
use crate::documented::{place, shell};
use crate::support::contents;

const PAGE: &str = "README.md";
const LINES_MAX: usize = 120;
/// Characters.
const LINE_MAX: usize = 120;
/// Rows of a table with its head, without the line of dashes.
const ROWS_MAX: usize = 12;
/// What the first commands begin with: the first shows something in seconds, the second does the main task, the third runs the tests.
const FIRST: [&str; 3] = [
    "cargo run --release -- window search -o first.html",
    "cargo run --release -- tune ga --quick",
    "cargo test --release --workspace",
];
const RESULTS: &str = "docs/results/";
/// `ablate --write` generates this page of results.
const GENERATED: &str = "docs/results/rules.md";
const RESULT_LINES_MAX: usize = 150;
/// Paragraphs that a page of results begins with.
const PARTS: [&str; 2] = ["\n**Question.** ", "\n**Answer.** "];
/// What a reader cannot obtain: a path outside of the repository, or a name that means something to its writer only.
const UNOBTAINABLE: [&str; 3] = ["../", "/home/", "/usr/games/"];
/// Stands for output that is left out.
const LEFT_OUT: &str = "...";

/// Where the page is longer or wider than it may be.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = text.lines().count();
    if lines > LINES_MAX {
        faults.push(format!("{lines} lines, at most {LINES_MAX}"));
    }
    let mut rows = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let length = line.chars().count();
        if length > LINE_MAX {
            faults.push(format!("line {number}: {length} characters, at most {LINE_MAX}"));
        }
        rows = match line {
            line if line.starts_with("|--") => rows,
            line if line.starts_with('|') => rows + 1,
            _ => 0,
        };
        if rows == ROWS_MAX + 1 {
            faults.push(format!("line {number}: a table of more than {ROWS_MAX} rows"));
        }
    }
    faults
}

/// The targets of links and images, without anchors.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.split('#').next().unwrap_or(target))
}

/// The commands of each fence of `sh` that a fence of `text` follows, and the lines of the latter.
fn shown(text: &str) -> Vec<(String, Vec<&str>)> {
    let scripts = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    let shown = scripts.filter_map(|(script, rest)| {
        let (output, _) = rest.trim_start().strip_prefix("```text\n")?.split_once("```")?;
        Some((script.to_owned(), output.lines().collect()))
    });
    shown.collect()
}

/// The first line of the page that the output lacks: lines come in this order, and an output line begins with the one shown.
fn missing<'a>(shown: &[&'a str], printed: &str) -> Option<&'a str> {
    let mut printed = printed.lines();
    shown.iter().filter(|line| **line != LEFT_OUT).find(|line| !printed.any(|found| found.starts_with(**line))).copied()
}

#[test]
fn the_readme_keeps_its_limits() {
    let text = read(PAGE);
    let faults = faults(&text);
    assert!(faults.is_empty(), "{PAGE}: {}", faults.join("\n"));
    let first: Vec<String> = commands(PAGE).into_iter().map(|command| command.text).collect();
    for (begin, found) in FIRST.iter().zip(&first) {
        assert!(found.starts_with(begin), "{PAGE} has `{found}` in place of `{begin}`");
    }
    assert!(text.contains("\n!["), "{PAGE} shows no picture");
}

#[test]
fn a_page_of_results_answers_its_question_in_few_lines() {
    let pages = pages(true).into_iter().filter(|page| page.starts_with(RESULTS) && page != GENERATED);
    for page in pages {
        let text = read(&page);
        let lines = text.lines().count();
        assert!(lines <= RESULT_LINES_MAX, "{page} has {lines} lines, at most {RESULT_LINES_MAX}");
        let places: Vec<_> = PARTS.iter().map(|part| text.find(part)).collect();
        assert!(places.is_sorted() && places[0].is_some(), "{page} does not begin with its question and answer");
        for command in commands(&page) {
            let found = UNOBTAINABLE.iter().find(|path| command.text.contains(**path));
            assert_eq!(found, None, "{page}:{}: {}", command.line, command.text);
        }
    }
}

#[test]
fn links_of_the_pages_at_the_root_lead_somewhere() {
    for page in [PAGE, "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = read(page);
        for target in links(&text).filter(|target| !target.is_empty() && !target.contains("://")) {
            assert!(Path::new(ROOT).join(target).exists(), "{page} links to `{target}`, which does not exist");
        }
    }
}

/// The newest section of the changelog is that of this version, and all sections after it were released.
#[test]
fn the_changelog_has_the_notes_of_this_version() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let text = read("CHANGELOG.md");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert!(headings[0].starts_with(&format!("## [{VERSION}] - ")), "{}: the version is {VERSION}", headings[0]);
    for heading in &headings[1..] {
        assert!(heading.ends_with(|last: char| last.is_ascii_digit()), "`{heading}` has no date");
    }
    let notes = |arguments: &[&str]| {
        let run = Command::new(format!("{ROOT}/tools/release/notes")).args(arguments).output().expect("a script");
        (
            run.status.success(),
            String::from_utf8(run.stdout).expect("text"),
            String::from_utf8_lossy(&run.stderr).into_owned(),
        )
    };
    let (done, newest, _) = notes(&[VERSION]);
    assert!(done && newest.contains("### Added") && !newest.contains("\n## "), "{newest}");
    assert_eq!(notes(&[]).1, newest);
    let (done, printed, error) = notes(&["9.9.9"]);
    assert!(!done && printed.is_empty() && error.contains("cannot print notes of version `9.9.9`"), "{error}");
    let (done, printed, error) = notes(&["0.1.0", VERSION]);
    assert!(!done && printed.is_empty() && error.contains("expected VERSION"), "{error}");
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let text = read(PAGE);
    let shown = shown(&text);
    assert!(shown.len() >= 3, "the capabilities with their results");
    for (script, lines) in shown {
        let folder = place();
        shell(folder.path(), &format!("{{ set -e; {script} }} > printed")).expect(&script);
        let printed = contents(folder.path().join("printed"));
        assert_eq!(missing(&lines, &printed), None, "put into {PAGE} what is printed:\n{printed}");
    }
}

#[test]
fn pages_beyond_the_limits_are_found() {
    let table = |rows: usize| "| a |\n|---|\n".to_owned() + &"| b |\n".repeat(rows - 1);
    assert_eq!(faults(&"x\n".repeat(LINES_MAX)), [""; 0]);
    assert_eq!(faults(&"ö".repeat(LINE_MAX)), [""; 0]);
    assert_eq!(faults(&table(ROWS_MAX)), [""; 0]);
    assert_eq!(faults(&"x\n".repeat(LINES_MAX + 1)), ["121 lines, at most 120"]);
    assert_eq!(faults(&"x".repeat(LINE_MAX + 1)), ["line 1: 121 characters, at most 120"]);
    assert_eq!(faults(&table(ROWS_MAX + 1)), ["line 14: a table of more than 12 rows"]);
    assert_eq!(missing(&["a", LEFT_OUT, "c"], "a 1\nb\nc"), None);
    assert_eq!(missing(&["c", "a"], "a\nb\nc"), Some("a"));
    assert_eq!(links("[a](b.md#c) ![d](e.png)").collect::<Vec<_>>(), ["b.md", "e.png"]);
}
