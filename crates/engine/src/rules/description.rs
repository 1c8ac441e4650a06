//! The descriptions of rules and of sources of move order, by the names of their files.

use super::{Description, Rule};
use crate::ordering::sources::OrderingSource;

/// The names of the files of all rules and of all sources of move order.
pub fn names() -> impl Iterator<Item = &'static str> {
    Rule::ALL.iter().map(|rule| rule.module()).chain(OrderingSource::ALL.iter().map(|source| source.module()))
}

/// The description of the rule or source in the file called `name`.
pub fn of(name: &str) -> Option<&'static Description> {
    let rule = Rule::ALL.iter().find(|rule| rule.module() == name).map(|rule| rule.info());
    rule.or_else(|| OrderingSource::ALL.iter().find(|source| source.module() == name).map(|source| source.info()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_description_is_complete() {
        for name in names() {
            let d = of(name).expect(name);
            for (part, text) in
                [("about", d.about), ("idea", d.idea), ("risk", d.risk), ("reads", d.reads), ("papers", d.papers)]
            {
                assert!(text.len() > 4 && !text.contains("  "), "{name}: {part}: `{text}`");
                assert!(part == "papers" || text.ends_with('.'), "{name}: {part} is not a sentence: `{text}`");
            }
        }
        assert!(of("no such rule").is_none());
    }

    #[test]
    fn a_rule_with_a_switch_is_described() {
        for rule in Rule::ALL.iter().filter(|rule| rule.switches().iter().any(|name| name.ends_with(".on"))) {
            let about = rule.info().about;
            let text = about.split_once(": ").map_or("", |(_, text)| text);
            assert!(text.split_whitespace().count() >= 4, "{about}");
        }
    }

    #[test]
    fn every_key_of_a_description_is_in_the_bibliography() {
        let papers = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers.md"));
        let papers = papers.expect("docs/papers.md");
        let mut keys = 0;
        for name in names() {
            let description = of(name).expect(name);
            // A name with an underscore is a parameter's.
            for key in description.papers.split('`').skip(1).step_by(2).filter(|key| !key.contains('_')) {
                assert!(papers.contains(&format!("\n- `{key}`:")), "{name}: docs/papers.md lacks {key}");
                keys += 1;
            }
        }
        assert!(keys > 50, "{keys}");
    }
}
