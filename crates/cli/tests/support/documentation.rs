//! The commands of README.md and of the pages under docs.

use std::fs;
use std::path::Path;

use quarterply_uci::launch::split;

/// The root of the project.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A command as a page has it.
#[derive(Clone, Debug)]
pub struct DocumentedCommand {
    /// Its line in the page, from 1.
    pub line: usize,
    /// The text; what a backslash continues is one line.
    pub text: String,
}

/// README.md, the pages of docs, and those of docs/results if they are wanted.
pub fn pages(results: bool) -> Vec<String> {
    let folders: &[&str] = if results { &["docs", "docs/results"] } else { &["docs"] };
    let mut pages = vec!["README.md".to_owned()];
    for folder in folders {
        let entries = fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder of pages");
        let names = entries.map(|entry| entry.expect("a page").file_name().into_string().expect("UTF-8"));
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
        names.sort();
        pages.extend(names.into_iter().map(|name| format!("{folder}/{name}")));
    }
    pages
}

/// The text of a page.
pub fn read(page: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The lines between fences of a language, each with its number.
pub fn fenced<'a>(text: &'a str, language: &str) -> Vec<(usize, &'a str)> {
    let mut inside = None;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), inside) {
            (Some(found), None) => inside = Some(found.trim() == language),
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) => lines.push((index + 1, line)),
            (None, _) => {}
        }
    }
    lines
}

/// The commands of a page in fences of `sh`.
pub fn commands(page: &str) -> Vec<DocumentedCommand> {
    let text = read(page);
    let mut commands: Vec<DocumentedCommand> = Vec::new();
    let mut goes_on = false;
    for (line, text) in fenced(&text, "sh") {
        let (bare, continued) = match text.strip_suffix('\\') {
            Some(bare) => (bare, true),
            None => (text, false),
        };
        match commands.last_mut() {
            Some(last) if goes_on => last.text.push_str(bare.trim_start()),
            _ => commands.push(DocumentedCommand { line, text: bare.to_owned() }),
        }
        goes_on = continued;
    }
    commands.retain(|command| !command.text.trim().is_empty());
    commands
}

/// What stands between backquotes.
pub fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The words of a command without its comment. Quotation marks without an end, as in prose, are letters.
pub fn words(command: &str) -> Vec<String> {
    let code = command.split(" #").next().unwrap_or(command);
    split(code).unwrap_or_else(|_| code.split_whitespace().map(str::to_owned).collect())
}
