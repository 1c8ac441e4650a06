//! The modules of the crates: every source file is reached by plain `mod NAME;` lines. rustfmt finds files that way, and does
//! not see modules that a macro declares.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder that end in `.rs`.
fn sources(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(path);
        }
    }
}

/// The modules that a source declares in files of their own: `mod NAME;` at the beginning of a line, with or without `pub`, and the path
/// that the line before gives to it.
fn declared(source: &str) -> Vec<(&str, Option<&str>)> {
    let lines: Vec<&str> = source.lines().collect();
    let declaration = |at: usize| {
        let (before, name) = lines[at].strip_suffix(';')?.split_once("mod ")?;
        let plain = before.is_empty() || (before.starts_with("pub") && before.ends_with(' '));
        let above = at.checked_sub(1).map_or("", |above| lines[above]);
        plain.then_some((name, above.strip_prefix("#[path = \"").and_then(|path| path.strip_suffix("\"]"))))
    };
    (0..lines.len()).filter_map(declaration).collect()
}

/// The files that are reached from `file` whose modules lie in `folder`.
fn reach(file: &Path, folder: &Path, reached: &mut BTreeSet<PathBuf>) {
    reached.insert(file.to_owned());
    for (name, path) in declared(&read(file)) {
        let inside = folder.join(name);
        let [beside, within] = [inside.with_extension("rs"), inside.join("mod.rs")];
        match path {
            Some(path) => reach(&file.with_file_name(path), &inside, reached),
            None => reach(if beside.exists() { &beside } else { &within }, &inside, reached),
        }
    }
}

#[test]
fn every_source_file_is_reached_by_plain_mod_lines() {
    let mut checked = 0;
    for krate in fs::read_dir(crates()).expect("the crates") {
        let root = krate.expect("a crate").path().join("src");
        let (mut all, mut reached) = (BTreeSet::new(), BTreeSet::new());
        sources(&root, &mut all);
        for start in ["lib.rs", "main.rs"].map(|name| root.join(name)).iter().filter(|path| path.exists()) {
            reach(start, &root, &mut reached);
        }
        let hidden: Vec<_> = all.difference(&reached).collect();
        assert!(hidden.is_empty(), "rustfmt does not see these files; declare them with `mod NAME;`: {hidden:#?}");
        checked += all.len();
    }
    assert!(checked > 100, "{checked} files");
}

#[test]
fn modules_that_macros_declare_do_not_count() {
    let source =
        "mod a;\npub mod b;\npub(crate) mod c;\n    pub mod inner;\n$(pub mod $module;)*\nmod tests {\n// mod d;\n";
    assert_eq!(declared(source), [("a", None), ("b", None), ("c", None)]);
    assert_eq!(declared("#[path = \"x/y.rs\"]\nmod a;\n"), [("a", Some("x/y.rs"))]);
}
