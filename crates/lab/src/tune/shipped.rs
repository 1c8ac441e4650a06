//! Suites that come with the program, so that a first run needs no file.

/// Name and contents of each.
const SUITES: &[(&str, &str)] = &[("quarterply-24", include_str!("../../../../data/suites/quarterply-24.epd"))];

/// The suite that is tuned on if none is named.
pub const TUNING: &str = "quarterply-24";

/// The contents of the suite with this name.
pub fn suite(name: &str) -> Option<&'static str> {
    SUITES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::parse_suite;

    #[test]
    fn every_shipped_suite_is_whole() {
        for (name, text) in SUITES {
            let suite = parse_suite(name, text.as_bytes()).expect(name);
            assert!(suite.skipped.is_empty() && suite.records.iter().all(|record| record.has_task()), "{name}");
        }
        assert!(suite(TUNING).is_some() && suite("none such").is_none());
    }
}
