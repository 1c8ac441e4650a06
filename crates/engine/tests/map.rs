//! `docs/map.md`, `docs/engine.md` and `docs/dependencies.md` are true: the crates, files and dependencies that they list are those of the
//! project, and the example changes lines that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect("a page")
}

/// The names in backquotes in the first cells of a page's tables.
fn first_cells(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The folders of the crates in the workspace.
fn crates() -> Vec<PathBuf> {
    fs::read_dir(root().join("crates")).expect("the crates").map(|entry| entry.expect("a crate").path()).collect()
}

/// The lines of one hunk as they are before it is applied, and as they are after.
#[derive(Default)]
struct Hunk {
    before: Vec<String>,
    after: Vec<String>,
}

/// The hunks of the example by the file they change; a new file's have nothing before.
fn example() -> Vec<(String, Hunk)> {
    let map = page("map.md");
    let block = map.split("```diff\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("a diff");
    let mut hunks: Vec<(String, Hunk)> = Vec::new();
    let mut file = String::new();
    for line in block.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            file = name.to_owned();
        } else if line.starts_with("@@") {
            hunks.push((file.clone(), Hunk::default()));
        } else if !line.starts_with("---") {
            let hunk = &mut hunks.last_mut().expect("a hunk begins with @@").1;
            let (mark, text) = line.split_at(usize::from(!line.is_empty()));
            if mark != "+" {
                hunk.before.push(text.to_owned());
            }
            if mark != "-" {
                hunk.after.push(text.to_owned());
            }
        }
    }
    hunks
}

#[test]
fn the_example_changes_lines_that_are_there() {
    let hunks = example();
    assert!(hunks.len() > 2, "a file, an entry and a call");
    for (file, hunk) in &hunks {
        let path = root().join(file);
        if hunk.before.is_empty() {
            assert!(!path.exists(), "{file} exists: the example must name a missing file");
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let lines: Vec<&str> = text.lines().collect();
        let found = lines.windows(hunk.before.len()).filter(|window| *window == hunk.before.as_slice()).count();
        assert_eq!(found, 1, "{file}: these lines are not there once:\n{}", hunk.before.join("\n"));
        assert!(hunk.after.len() > hunk.before.len(), "{file}: the example only adds");
    }
}

#[test]
fn the_example_is_a_rule_in_three_lines_beside_its_file() {
    let (files, others): (Vec<_>, Vec<_>) = example().into_iter().partition(|(_, hunk)| hunk.before.is_empty());
    let added: usize = others.iter().map(|(_, hunk)| hunk.after.len() - hunk.before.len()).sum();
    assert_eq!((files.len(), added), (1, 3));
}

#[test]
fn the_map_is_one_page_and_lists_every_crate() {
    const LINES_MAX: usize = 120;
    let map = page("map.md");
    assert!(map.lines().count() <= LINES_MAX, "{} lines", map.lines().count());
    let mut names: BTreeSet<String> =
        crates().iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.insert("data".to_owned());
    assert_eq!(first_cells(&map), names);
}

#[test]
fn every_dependency_has_its_reason() {
    let mut used = BTreeSet::new();
    for folder in crates().into_iter().chain([root().join("fuzz")]) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let mut listed = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                listed = line.ends_with("dependencies]");
            } else if let Some(name) = line.split(['.', ' ', '=']).next().filter(|_| listed) {
                used.insert(name.to_owned());
            }
        }
    }
    used.retain(|name| !name.is_empty() && !name.starts_with('#') && !name.starts_with("quarterply"));
    assert_eq!(first_cells(&page("dependencies.md")), used);
}

#[test]
fn the_files_that_the_engine_page_lists_exist() {
    let engine = page("engine.md");
    let mut named = 0;
    for line in engine.lines().filter(|line| line.starts_with("engine/")) {
        let (first, others) = line.split_at(line.find([' ', ',']).expect("a path and what it is"));
        let path = root().join("crates").join(first);
        let folder = path.parent().expect("a folder");
        let exists = if path.file_stem().is_some_and(|stem| stem == "NAME") { folder.is_dir() } else { path.exists() };
        assert!(exists, "{line}");
        if let Some(second) = others.strip_prefix(", ") {
            let name = second.split_whitespace().next().expect("a second file");
            assert!(folder.join(name).is_file(), "{line}");
        }
        named += 1;
    }
    assert!(named > 30, "{named} files");
}
