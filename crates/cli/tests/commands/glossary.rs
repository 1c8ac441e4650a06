//! `docs/glossary.md`: every type, parameter, command and option that it names exists, and terms are sorted and defined once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use quarterply_engine::params::Parameters;

use crate::documentation::{ROOT, read, spans};
use crate::seeds::{command_fault, rows};
use crate::support::{contents, quarterply};

const PAGE: &str = "docs/glossary.md";
const COLUMNS: [&str; 3] = ["term", "meaning", "in the program"];
/// UCI options, which are neither types nor parameters.
const OPTIONS: [&str; 2] = ["EvalFile", "Ponder"];
/// What declares a type.
const DECLARATIONS: [&str; 4] = ["struct ", "enum ", "trait ", "type "];

/// What the program has, by kind of name.
struct Names {
    types: BTreeSet<String>,
    /// Long options of every command.
    flags: BTreeSet<String>,
}

impl Names {
    fn collect() -> Self {
        let mut types = BTreeSet::new();
        let mut flags = BTreeSet::new();
        for file in sources(&Path::new(ROOT).join("crates")) {
            let text = contents(&file);
            types.extend(text.lines().filter_map(declared).map(str::to_owned));
        }
        for command in ["datagen", "datagen sample", "train", "tune ga", "match", "ablate", "stats"] {
            let arguments: Vec<&str> = command.split(' ').chain(["--help"]).collect();
            let help = quarterply(&arguments).out;
            let words = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
            flags.extend(words.map(|word| word.trim_end_matches(',').to_owned()));
        }
        Self { types, flags }
    }

    /// Why a name does not exist.
    fn fault(&self, name: &str) -> Option<String> {
        let exists = if let Some(call) = name.strip_prefix("quarterply ") {
            command_fault(call).is_none()
        } else if name.starts_with("--") {
            self.flags.contains(name)
        } else if name.contains('.') {
            Parameters::find(name).is_ok()
        } else {
            self.types.contains(name) || OPTIONS.contains(&name)
        };
        (!exists).then(|| format!("the program has no `{name}`"))
    }
}

/// All Rust sources below a folder.
fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// The name of the type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or("", |(_, rest)| rest),
        None => rest,
    });
    let name = DECLARATIONS.iter().find_map(|keyword| line.trim_start().strip_prefix(keyword))?;
    name.split(|c: char| !c.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

/// The most types of the workspace that may have one name; readers confuse more of them.
const NAMESAKES: usize = 3;
/// The exception: the arguments of one command each.
const EXCEPTION: &str = "Arguments";

#[test]
fn type_names_are_distinct() {
    let mut counts = BTreeMap::<String, usize>::new();
    for file in sources(&Path::new(ROOT).join("crates")) {
        let text = contents(&file);
        // Types of a trait have the name that the trait gives them.
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("type "));
        lines.filter_map(declared).for_each(|name| *counts.entry(name.to_owned()).or_default() += 1);
    }
    counts.retain(|name, count| *count > NAMESAKES && name != EXCEPTION);
    assert!(counts.is_empty(), "types with the same name, which need more exact ones: {counts:?}");
}

/// What is wrong with the page.
fn faults(text: &str, names: &Names) -> Vec<String> {
    let mut faults = Vec::new();
    let mut terms = BTreeSet::new();
    let mut before = String::new();
    for (number, cells) in rows(text) {
        let mut say = |fault: String| faults.push(format!("{PAGE}:{number}: {fault}"));
        let [term, meaning, place] = cells[..] else {
            say(format!("{} columns, not {}", cells.len(), COLUMNS.len()));
            continue;
        };
        if cells == COLUMNS {
            before.clear();
            continue;
        }
        if meaning.is_empty() {
            say(format!("`{term}` has no meaning"));
        }
        let sorted = term.to_lowercase();
        if sorted < before {
            say(format!("`{term}` is not in alphabetical order"));
        }
        before = sorted;
        if !terms.insert(term.to_owned()) {
            say(format!("`{term}` is defined twice"));
        }
        if spans(place).next().is_none() {
            say(format!("`{term}` names nothing of the program"));
        }
        spans(place).filter_map(|span| names.fault(span)).for_each(&mut say);
    }
    faults
}

#[test]
fn names_in_the_glossary_exist() {
    let text = read(PAGE);
    let faults = faults(&text, &Names::collect());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(text.lines().filter(|line| line.starts_with("| ")).count() > 100, "the concepts of the program");
}

#[test]
fn wrong_rows_of_the_glossary_are_found() {
    let page = "| node | a position | `Node`, `null_move.on`, `--sprt`, `quarterply tune ga`, `EvalFile` |\n\
        | nodes | | Nodes |\n\
        | nodes | a | `NoSuchType`, `null_move.onn`, `--sprtt`, `quarterply tune guess` |\n\
        | move | a | `Node` |\n\
        | move | `Node` |";
    let faults = faults(page, &Names::collect());
    let lines: Vec<_> = faults.iter().filter_map(|fault| fault.split(':').nth(1)).collect();
    assert_eq!(lines, ["2", "2", "3", "3", "3", "3", "3", "4", "5"], "{faults:?}");
}
