//! `docs/map.md` tells the truth: the files it names exist, and its example changes lines that are there.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn map() -> String {
    fs::read_to_string(root().join("docs/map.md")).expect("docs/map.md")
}

/// The lines of one hunk as they are before it is applied, and as they are after.
#[derive(Default)]
struct Hunk {
    before: Vec<String>,
    after: Vec<String>,
}

/// The hunks of the example by the file they change; a new file's have nothing before.
fn example() -> Vec<(String, Hunk)> {
    let map = map();
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
            assert!(!path.exists(), "{file} exists: the example is no example any more");
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
fn the_files_of_the_house_exist() {
    let map = map();
    let house =
        map.split("## The house of the search").nth(1).and_then(|rest| rest.split("```").nth(1)).expect("the house");
    let mut named = 0;
    for line in house.lines().filter(|line| line.starts_with("engine/")) {
        let end = line.find([' ', ',']).expect("a path and what it is");
        let (first, others) = line.split_at(end);
        let path = root().join("crates").join(first);
        let folder = path.parent().expect("a folder");
        let exists = if path.file_stem().is_some_and(|stem| stem == "NAME") { folder.is_dir() } else { path.is_file() };
        assert!(exists, "{line}");
        if let Some(second) = others.strip_prefix(", ") {
            let name = second.split_whitespace().next().expect("a second file");
            assert!(folder.join(name).is_file(), "{line}");
        }
        named += 1;
    }
    assert!(named > 5, "{named} files");
}
