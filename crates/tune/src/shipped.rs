//! Suites that come with the program, so that a first run needs no file.

use quarterply_data::SUITES;

/// The suite that is tuned on if none is named.
pub const TUNING: &str = "quarterply-tactics";
/// The hold-out if none is named: positions from other games.
pub const HOLDOUT: &str = "quarterply-holdout";

/// The contents of the suite with this name.
pub fn suite(name: &str) -> Option<&'static str> {
    SUITES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_files::epd::parse_suite;

    #[test]
    fn every_shipped_suite_is_whole() {
        for (name, text) in SUITES {
            let suite = parse_suite(name, text.as_bytes()).expect(name);
            assert!(suite.skipped.is_empty() && suite.records.iter().all(|record| record.has_task()), "{name}");
        }
        assert!(suite(TUNING).is_some() && suite(HOLDOUT).is_some() && suite("none such").is_none());
    }
}
