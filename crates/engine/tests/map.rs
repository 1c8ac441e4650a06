//! `docs/map.md`, `docs/engine.md` and `docs/dependencies.md` are true: the crates, files and dependencies that they list are those of the
//! project, and the example changes lines that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The example applies to the sources as they are: a rule is a file and three lines elsewhere.
#[test]
fn the_example_is_a_rule_in_three_lines_with_its_file() {
    let map = page("map.md");
    let (_, rest) = map.split_once("```diff\n").expect("a diff");
    let (diff, _) = rest.split_once("```\n").expect("its end");
    let file = std::env::temp_dir().join(format!("quarterply-example-{}.diff", std::process::id()));
    fs::write(&file, diff).expect("a writable folder");
    let git = ["apply", "--check", "--numstat"];
    let run = Command::new("git").args(git).arg(&file).current_dir(root()).output().expect("git is installed");
    let _ = fs::remove_file(&file);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let changes = String::from_utf8(run.stdout).expect("text");
    // Added lines, removed lines, file.
    let rows: Vec<Vec<&str>> = changes.lines().map(|line| line.split('\t').collect()).collect();
    let (there, new): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| root().join(row[2]).exists());
    let added: usize = there.iter().map(|row| row[0].parse::<usize>().expect(&changes)).sum();
    assert_eq!((new.len(), added), (1, 3), "{changes}");
    assert!(there.iter().all(|row| row[1] == "0"), "the example only adds:\n{changes}");
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
