//! Any bytes as the journal of a match, with or without the right beginning: refused with a message that names the file, or
//! gone on with so that the next run finds it in order.
#![no_main]

use std::fs;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use quarterply_games::matches::journal::{Existing, Journal, JournalError, MatchHeader, Opened};

/// The settings of a match in its journal.
const HEADER: &str = r#"{"match":1,"engine":"quarterply 0","date":"2026.01.01","players":[],"format":"gauntlet","games":2}"#;

fuzz_target!(|input: (bool, Vec<u8>)| {
    let (begun, rest) = input;
    let path = std::env::temp_dir().join(format!("quarterply-fuzz-{}.jsonl", std::process::id()));
    a_match(&path, begun, &rest);
    let _ = fs::remove_file(path.with_extension("jsonl.cut"));
    fs::remove_file(&path).expect("it was written");
});

fn a_match(path: &Path, begun: bool, rest: &[u8]) {
    let Ok(header) = serde_json::from_str::<MatchHeader>(HEADER) else { panic!("the header is one") };
    let beginning = if begun { format!("{HEADER}\n") } else { String::new() };
    fs::write(path, [beginning.as_bytes(), rest].concat()).expect("there is room");
    match open(path, &header) {
        Ok(opened) => {
            let pairs = opened.lines.len();
            drop(opened);
            let again = open(path, &header).map_err(|error| error.to_string());
            assert_eq!(again.map(|opened| opened.lines.len()), Ok(pairs));
        }
        Err(error) => assert!(error.to_string().contains("quarterply-fuzz"), "{error}"),
    }
}

fn open(path: &Path, header: &MatchHeader) -> Result<Opened, JournalError> {
    Journal::open(path, Existing::Resume, header)
}
