//! The header of the file of a rule or of a source of move order, as data: what it does, when it is wrong, what it reads, where it comes from, what it is worth.

use super::SOURCES;
use crate::ordering::sources::FILES;

/// The five fixed parts of a rule's header, each as one line of text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// What the rule is called.
    pub title: String,
    /// Two to four sentences.
    pub idea: String,
    /// When it is wrong.
    pub risk: String,
    /// Which facts it depends on.
    pub reads: String,
    /// Keys of `docs/papers.md`.
    pub papers: String,
    /// Its worth, with conditions and date.
    pub measured: String,
}

/// The names of the files of all rules and of all sources of move order.
pub fn names() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(name, _)| *name).chain(FILES.iter().map(|(name, ..)| *name))
}

/// The text of such a file.
fn source(name: &str) -> Option<&'static str> {
    let rule = SOURCES.iter().find(|(file, _)| *file == name).map(|(_, text)| *text);
    rule.or_else(|| FILES.iter().find(|(file, ..)| *file == name).map(|(.., text)| *text))
}

/// Where such a file is below `crates/engine/src`.
pub fn file(name: &str) -> Option<String> {
    let order = FILES.iter().find(|(file, ..)| *file == name).map(|(_, path, _)| (*path).to_owned());
    order.or_else(|| SOURCES.iter().any(|(file, _)| *file == name).then(|| format!("rules/{name}.rs")))
}

/// What begins each part; the title comes before the first.
const MARKS: [&str; 5] = ["*Idea*:", "*Risk*:", "*Reads*:", "*Papers*:", "*Measured*:"];

/// The header of the rule or source of move order in the file called `name`.
pub fn of(name: &str) -> Option<Header> {
    let source = source(name)?;
    let mut parts: [String; MARKS.len() + 1] = Default::default();
    let mut part = 0;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim) {
        let marked = MARKS.iter().position(|mark| line.starts_with(mark));
        let text = marked.map_or(line, |at| line[MARKS[at].len()..].trim());
        part = marked.map_or(part, |at| at + 1);
        if !text.is_empty() && !parts[part].is_empty() {
            parts[part].push(' ');
        }
        parts[part].push_str(text);
    }
    let [title, idea, risk, reads, papers, measured] = parts;
    Some(Header { title, idea, risk, reads, papers, measured })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_file_has_the_fixed_header() {
        for name in names() {
            let h = of(name).expect(name);
            for (part, text) in [
                ("title", h.title),
                ("Idea", h.idea),
                ("Risk", h.risk),
                ("Reads", h.reads),
                ("Papers", h.papers),
                ("Measured", h.measured),
            ] {
                assert!(text.len() > 4, "{name}: {part} is missing");
            }
        }
        assert!(of("no such rule").is_none());
    }

    #[test]
    fn parts_that_go_over_several_lines_are_joined() {
        let header = of("mate_distance").expect("a rule");
        assert_eq!(header.title, "Mate-distance pruning.");
        assert!(header.idea.starts_with("A mate already found") && header.idea.ends_with("decided."));
        assert_eq!(header.reads, "window and ply.");
    }
}
