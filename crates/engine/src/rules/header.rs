//! What a rule or a source of move order is, by the name of its file.

use super::Rule;
use crate::ordering::sources::Source;
use crate::source::Header;

/// The names of the files of all rules and of all sources of move order.
pub fn names() -> impl Iterator<Item = &'static str> {
    Rule::ALL.iter().map(|rule| rule.module()).chain(Source::ALL.iter().map(|source| source.module()))
}

/// What the rule or source in the file called `name` is in a sentence, and its header.
pub fn of(name: &str) -> Option<(&'static str, &'static Header)> {
    let rule = Rule::ALL.iter().map(|rule| (rule.module(), rule.info().about, &rule.info().header));
    let source = Source::ALL.iter().map(|source| (source.module(), source.info().about, &source.info().header));
    rule.chain(source).find(|(file, ..)| *file == name).map(|(_, about, header)| (about, header))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_is_complete() {
        for name in names() {
            let (about, h) = of(name).expect(name);
            for (part, text) in
                [("about", about), ("idea", h.idea), ("risk", h.risk), ("reads", h.reads), ("papers", h.papers)]
            {
                assert!(text.len() > 4 && !text.contains("  "), "{name}: {part}: `{text}`");
                assert!(part == "papers" || text.ends_with('.'), "{name}: {part} is not a sentence: `{text}`");
            }
        }
        assert!(of("no such rule").is_none());
    }

    #[test]
    fn every_key_of_a_header_is_in_the_bibliography() {
        let papers = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers.md"));
        let papers = papers.expect("docs/papers.md");
        let mut keys = 0;
        for name in names() {
            let (_, header) = of(name).expect(name);
            // A name with an underscore is a parameter's.
            for key in header.papers.split('`').skip(1).step_by(2).filter(|key| !key.contains('_')) {
                assert!(papers.contains(&format!("\n- `{key}`:")), "{name}: docs/papers.md lacks {key}");
                keys += 1;
            }
        }
        assert!(keys > 50, "{keys}");
    }
}
