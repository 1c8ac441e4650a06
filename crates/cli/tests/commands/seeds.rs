//! `docs/seeds.md`: no row lacks a column, and every file, parameter, profile, command and test that a row names exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use quarterply_engine::params::Parameters;
use quarterply_engine::profile::builtin;

use crate::documentation::{ROOT, read, spans, words};
use crate::support::quarterply;

const PAGE: &str = "docs/seeds.md";
/// Pages that lead to it.
const LINKED_FROM: [&str; 2] = ["docs/map.md", "docs/papers.md"];
const COLUMNS: [&str; 5] = ["mechanism", "what the source says", "file", "switch", "test"];
/// The entry of the column for mechanisms without a switch.
const ALWAYS: &str = "always";

/// The rows of all tables, their heads among them, each with its line in the page.
pub fn rows(text: &str) -> Vec<(usize, Vec<&str>)> {
    let lines = (1..).zip(text.lines());
    let tables = lines.filter_map(|(line, text)| Some((line, text.strip_prefix('|')?.trim_end().strip_suffix('|')?)));
    let cells = tables.map(|(line, text)| (line, text.split('|').map(str::trim).collect::<Vec<_>>()));
    cells.filter(|(_, cells)| cells.iter().any(|cell| !cell.starts_with("---"))).collect()
}

/// What is wrong with the page.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, cells) in rows(text) {
        let mut say = |fault: String| faults.push(format!("{PAGE}:{line}: {fault}"));
        if cells == COLUMNS {
            continue;
        }
        let [_, _, file, switch, test] = cells[..] else {
            say(format!("{} columns, not {}", cells.len(), COLUMNS.len()));
            continue;
        };
        cells.iter().zip(COLUMNS).filter(|(cell, _)| cell.is_empty()).for_each(|(_, name)| say(format!("no {name}")));
        file_faults(file).into_iter().chain(switch_faults(switch)).chain(test_faults(test)).for_each(&mut say);
    }
    faults
}

fn file_faults(cell: &str) -> Vec<String> {
    let spans: Vec<&str> = spans(cell).collect();
    let missing = spans.iter().filter(|file| !is_file(file)).map(|file| format!("no file `{file}`"));
    missing.chain(spans.is_empty().then(|| "no file in backquotes".to_owned())).collect()
}

/// A file of the project, named from its root.
fn is_file(file: &str) -> bool {
    !file.starts_with('/') && !file.contains("..") && Path::new(ROOT).join(file).is_file()
}

fn switch_faults(cell: &str) -> Vec<String> {
    if spans(cell).next().is_none() && cell != ALWAYS {
        return vec![format!("`{cell}` is neither in backquotes nor `{ALWAYS}`")];
    }
    spans(cell).filter_map(switch_fault).collect()
}

/// Why a switch does not exist: a parameter, with a value or without; a profile; or a command.
fn switch_fault(span: &str) -> Option<String> {
    if let Some(name) = span.strip_prefix("--profile ") {
        return builtin(name).is_none().then(|| format!("no profile `{name}`"));
    }
    if let Some(call) = span.strip_prefix("quarterply ") {
        return command_fault(call);
    }
    let outcome = match span.split_once('=') {
        Some((name, value)) => Parameters::default().parse(name, value),
        None => Parameters::find(span).map(drop),
    };
    outcome.err().map(|error| error.to_string())
}

/// Why a command does not exist. Its flags are checked with those of all other pages, by a test of the program itself.
pub fn command_fault(call: &str) -> Option<String> {
    let is_name = |word: &String| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with("--");
    let path: Vec<String> = words(call).into_iter().take_while(is_name).collect();
    let arguments: Vec<&str> = std::iter::once("help").chain(path.iter().map(String::as_str)).collect();
    let found = !path.is_empty() && quarterply(&arguments).code == Some(0);
    (!found).then(|| format!("no command `quarterply {call}`"))
}

fn test_faults(cell: &str) -> Vec<String> {
    let spans: Vec<&str> = spans(cell).collect();
    let missing = spans.iter().filter_map(|span| {
        let Some((file, name)) = span.split_once("::") else { return Some(format!("`{span}` is not a `path::test`")) };
        let text = fs::read_to_string(Path::new(ROOT).join(file));
        let found = is_file(file) && text.is_ok_and(|text| has_test(&text, name));
        (!found).then(|| format!("no test `{name}` in `{file}`"))
    });
    missing.chain(spans.is_empty().then(|| "no test in backquotes".to_owned())).collect()
}

/// Has the source a function of this name that is a test?
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_head = |line: &&&str| line.starts_with("#[") || line.starts_with("//");
    let declared = lines.iter().enumerate().filter(|(_, line)| line.starts_with(&format!("fn {name}(")));
    declared
        .into_iter()
        .any(|(place, _)| lines[..place].iter().rev().take_while(is_head).any(|line| *line == "#[test]"))
}

#[test]
fn names_in_the_table_of_sources_exist() {
    let text = read(PAGE);
    let faults = faults(&text);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let sections = text.split("\n## ").skip(1);
    for section in sections {
        let title = section.lines().next().unwrap_or_default();
        let rows = rows(section);
        assert!(rows.first().is_some_and(|(_, head)| *head == COLUMNS) && rows.len() > 1, "{title}: no table");
        let names: BTreeSet<&str> = rows.iter().map(|(_, cells)| cells[0]).collect();
        assert_eq!(names.len(), rows.len(), "{title}: each mechanism has one row");
    }
    for page in LINKED_FROM {
        assert!(read(page).contains("(seeds.md)"), "{page} does not lead to {PAGE}");
    }
}

#[test]
fn wrong_rows_of_the_table_of_sources_are_found() {
    const TEST: &str = "`crates/cli/tests/commands/seeds.rs::wrong_rows_of_the_table_of_sources_are_found`";
    let row = |file: &str, switch: &str, test: &str| format!("| m | says | {file} | {switch} | {test} |");
    let switches = "`sex.on`, `null_move.reduction=2`, `--profile falcon`, `quarterply tune ga --seed 1`";
    let page = [
        row("`README.md`", switches, TEST),
        format!("| m | says | `README.md` | {ALWAYS} |"),
        format!("| m | | `README.md` | {ALWAYS} | {TEST} |"),
        row("README.md", ALWAYS, TEST),
        row("`../README.md`", ALWAYS, TEST),
        row("`README.md`", "sometimes", TEST),
        row("`README.md`", "`sex.onn`, `null_move.reduction=99`, `--profile eagle`, `quarterply tune guess`", TEST),
        row("`README.md`", ALWAYS, "`README.md`, `crates/cli/tests/commands/seeds.rs::is_file`"),
        row("`README.md`", ALWAYS, "none"),
    ];
    let found = faults(&page.join("\n"));
    let lines: Vec<_> = found.iter().filter_map(|fault| fault.split(':').nth(1)).collect();
    assert_eq!(lines, ["2", "3", "4", "5", "6", "7", "7", "7", "7", "8", "8", "9"], "{found:?}");
}
