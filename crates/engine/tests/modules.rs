//! The modules of the crates: every source file is reached by plain `mod NAME;` lines. rustfmt finds files that way, and does
//! not see modules that a macro declares.
//!
//! The modules of the engine below `lib.rs` depend on each other without a cycle. A module depends on another if a source of it
//! has a path that begins with `crate::OTHER` or, in the module's own file, `super::OTHER`. A macro (`crate::NAME!`) is not a
//! module. Comments and code that is compiled for tests only (`#[cfg(test)] mod NAME`, in line or in a separate file) do not
//! count: tests may use any module.

use std::collections::{BTreeMap, BTreeSet};
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

/// The modules that a source declares in separate files: `mod NAME;` at the beginning of a line, with or without `pub`, and the
/// path in the attribute on the line before.
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

/// The files that are reached from `file`, whose modules are in `folder`.
fn reach(file: &Path, folder: &Path, reached: &mut BTreeSet<PathBuf>) {
    reached.insert(file.to_owned());
    for (name, path) in declared(&read(file)) {
        let inside = folder.join(name);
        let [sibling, nested] = [inside.with_extension("rs"), inside.join("mod.rs")];
        match path {
            Some(path) => reach(&file.with_file_name(path), &inside, reached),
            None => reach(if sibling.exists() { &sibling } else { &nested }, &inside, reached),
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

/// Modules and what they depend on.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The lines of a source that count.
fn compiled(source: &str) -> impl Iterator<Item = &str> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"))
}

/// The modules in separate files that are compiled for tests only.
fn tests_only(source: &str) -> Vec<&str> {
    let after = source.split("#[cfg(test)]\n").skip(1);
    after.filter_map(|rest| Some(rest.lines().next()?.strip_suffix(';')?.split_once("mod ")?.1)).collect()
}

/// The names that follow `start` in a text. Names of macros are left out.
fn names<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).filter_map(move |rest| {
        assert!(!rest.starts_with('{'), "`{start}{{` is not read here; use one line for each module");
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        (!rest[end..].starts_with('!')).then_some(&rest[..end])
    })
}

/// Adds what `file` and the modules below it depend on to the module `top`.
fn depend(file: &Path, folder: &Path, top: &str, found: &mut BTreeSet<String>) {
    let source = read(file);
    let own = file.file_stem().is_some_and(|stem| stem == top);
    let text = compiled(&source).collect::<Vec<_>>().join(" ");
    found.extend(names(&text, "crate::").map(str::to_owned));
    if own {
        found.extend(names(&text, "use super::").map(str::to_owned));
    }
    let tests = tests_only(&source);
    for (name, _) in declared(&source).into_iter().filter(|(name, _)| !tests.contains(name)) {
        depend(&folder.join(name).with_extension("rs"), &folder.join(name), top, found);
    }
}

/// The modules of the engine.
fn engine() -> Graph {
    let root = crates().join("engine/src");
    let lib = read(&root.join("lib.rs"));
    let tests = tests_only(&lib);
    let all: Vec<&str> =
        declared(&lib).into_iter().map(|(name, _)| name).filter(|name| !tests.contains(name)).collect();
    let depends = |top: &str| {
        let mut found = BTreeSet::new();
        depend(&root.join(top).with_extension("rs"), &root.join(top), top, &mut found);
        found.retain(|name| name != top && all.contains(&name.as_str()));
        found
    };
    all.iter().map(|top| ((*top).to_owned(), depends(top))).collect()
}

/// A cycle as a path that ends where it begins; none if there is none.
fn cycle(graph: &Graph) -> Option<Vec<&str>> {
    fn visit<'a>(graph: &'a Graph, at: &'a str, path: &mut Vec<&'a str>, done: &mut BTreeSet<&'a str>) -> bool {
        if let Some(from) = path.iter().position(|name| *name == at) {
            path.drain(..from);
            path.push(at);
            return true;
        }
        if !done.contains(at) {
            path.push(at);
            if graph.get(at).into_iter().flatten().any(|next| visit(graph, next, path, done)) {
                return true;
            }
            path.pop();
            done.insert(at);
        }
        false
    }
    let (mut path, mut done) = (Vec::new(), BTreeSet::new());
    graph.keys().any(|start| visit(graph, start, &mut path, &mut done)).then_some(path)
}

#[test]
fn the_modules_of_the_engine_depend_on_each_other_without_a_cycle() {
    let graph = engine();
    assert!(graph.len() > 20, "{graph:?}");
    for (from, to) in [("search", "rules"), ("rules", "node"), ("ordering", "history"), ("params", "ordering")] {
        assert!(graph[from].contains(to), "{from} depends on {to}: {:?}", graph[from]);
    }
    if let Some(path) = cycle(&graph) {
        panic!("modules depend on each other in a cycle: {}", path.join(" -> "));
    }
}

#[test]
fn a_cycle_is_found_and_reported_as_a_path() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    assert_eq!(cycle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let round = graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]);
    assert_eq!(cycle(&round), Some(vec!["b", "c", "d", "b"]));
}
