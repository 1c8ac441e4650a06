//! The journal of a match: the settings, every finished pair in the order in which they finished, and a summary once it is over.

use super::line::PairLine;
use quarterply_files::journal::{self, JournalHeader, JournalTerms};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use journal::{Existing, Journal, JournalError};

/// An opened journal of a match.
pub type Opened = journal::Opened<MatchHeader, PairLine>;

/// The version of the format.
pub const VERSION: u64 = 1;
/// Settings that decide the length of a match only: a match may be resumed with others.
const MAY_DIFFER: [&str; 3] = ["games", "sprt", "date"];
/// The flags behind settings whose names differ from theirs.
const FLAGS: [(&str, &str); 4] =
    [("players", "player"), ("pace", "tc, --nodes or --depth"), ("engine", ""), ("match", "")];

/// The settings of a match: the first line of its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchHeader {
    /// [`VERSION`].
    #[serde(rename = "match")]
    pub version: u64,
    /// The program.
    pub engine: String,
    /// The day it began (UTC, `yyyy.mm.dd`).
    pub date: String,
    /// The players.
    pub players: Vec<Entrant>,
    /// The pairings: gauntlet or round robin.
    pub format: super::schedule::TournamentFormat,
    /// Games for each pairing.
    pub games: usize,
    /// All other settings by name.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// A player in the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// Its name in the results, different from all others.
    pub name: String,
    /// Its specification as the user wrote it.
    pub spec: String,
    /// Other facts that its play depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// SHA-256 of the program file of another engine, if it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// A fingerprint of the time management of a profile that plays by a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_management: Option<String>,
}

impl Entrant {
    /// The change of this player since the match began, with the remedy. Only values that both journals have are compared.
    fn change(&self, now: &Entrant) -> Option<String> {
        let all = [
            ("program", "SHA-256", &self.program, &now.program, "use the earlier program"),
            ("time management", "fingerprint", &self.time_management, &now.time_management, "use the earlier build"),
        ];
        all.into_iter().find_map(|(what, kind, then, now, remedy)| {
            let (then, now) = then.as_ref().zip(now.as_ref()).filter(|(then, now)| then != now)?;
            let name = &self.name;
            Some(format!("the {what} of player `{name}` has changed ({kind} {then} then, {now} now); {remedy}"))
        })
    }
}

impl JournalHeader for MatchHeader {
    const TERMS: &'static JournalTerms = &JournalTerms {
        whole: "match",
        line: "finished pair",
        again: "the pair is played again",
        existing: "continue with --resume, replace them with --overwrite",
        writer: "match --json",
        elsewhere: "name another file",
    };
    const PREFIX: &'static [u8] = b"{\"match\":";

    fn binding(&self) -> Map<String, Value> {
        let settings = |player: &Entrant| Entrant { program: None, time_management: None, ..player.clone() };
        let players = self.players.iter().map(settings).collect();
        let header = MatchHeader { players, ..self.clone() };
        let Ok(Value::Object(mut map)) = serde_json::to_value(header) else { return Map::new() };
        map.retain(|name, _| !MAY_DIFFER.contains(&name.as_str()));
        map
    }

    fn flag(name: &str) -> String {
        let flag = FLAGS.iter().find(|(setting, _)| *setting == name).map_or(name, |(_, flag)| flag);
        if flag.is_empty() { name.to_owned() } else { format!("--{flag}") }
    }

    fn change(&self, requested: &MatchHeader) -> Option<String> {
        self.players.iter().zip(&requested.players).find_map(|(then, now)| then.change(now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::TournamentFormat;
    use super::*;
    use quarterply_files::journal::read_if_there;
    use serde_json::json;
    use std::fs;
    use std::path::{Path, PathBuf};
    use tempfile::TempDir;

    fn header() -> MatchHeader {
        let player = |name: &str| Entrant { name: name.to_owned(), spec: name.to_owned(), ..Entrant::default() };
        let mut settings = Map::new();
        settings.insert("pace".to_owned(), json!("2000 nodes a move"));
        settings.insert("hash".to_owned(), json!(16));
        MatchHeader {
            version: VERSION,
            engine: "q 1".to_owned(),
            date: "2026.01.02".to_owned(),
            players: vec![player("a"), player("b")],
            format: TournamentFormat::Gauntlet,
            games: 10,
            settings,
        }
    }

    fn pair(number: usize) -> PairLine {
        PairLine {
            pair: number,
            players: ["a".to_owned(), "b".to_owned()],
            opening: "fen".to_owned(),
            points: 0.0,
            games: Vec::new(),
            worker: None,
        }
    }

    /// A journal with two pairs.
    fn written() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut opened: Opened = Journal::open(&path, Existing::Keep, &header()).expect("a new file");
        assert!(opened.lines.is_empty() && opened.notes.is_empty());
        for number in [1, 2] {
            opened.journal.append(&pair(number)).expect("written");
        }
        (folder, path)
    }

    fn resume(path: &Path, header: &MatchHeader) -> Result<Opened, JournalError> {
        Journal::open(path, Existing::Resume, header)
    }

    #[test]
    fn written_pairs_are_read_back() {
        let (_folder, path) = written();
        let begun_later = MatchHeader { date: "2026.01.03".to_owned(), games: 20, ..header() };
        let mut opened = resume(&path, &begun_later).expect("the same match");
        assert_eq!((opened.lines, opened.settings.date.as_str()), (vec![pair(1), pair(2)], "2026.01.02"));
        opened.journal.append(&json!({"summary": true, "games": 4})).expect("written");
        drop(opened.journal);
        assert_eq!(resume(&path, &header()).expect("the same match").lines.len(), 2);
    }

    #[test]
    fn a_torn_tail_is_put_aside_wherever_it_was_cut() {
        let (_folder, path) = written();
        let whole = fs::read(&path).expect("the file");
        let header_end = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
        let first_end = header_end + (whole.len() - header_end) / 2;
        for (cut, pairs) in [
            (1, 0),
            (header_end - 1, 0),
            (header_end, 0),
            (header_end + 1, 0),
            (first_end - 1, 0),
            (first_end, 1),
            (whole.len() - 1, 1),
            (whole.len(), 2),
        ] {
            fs::write(&path, &whole[..cut]).expect("cut");
            let _ = fs::remove_file(path.with_extension("jsonl.cut"));
            let opened = resume(&path, &header()).unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
            let clean = whole[..cut].ends_with(b"\n");
            assert_eq!((opened.lines.len(), opened.notes.is_empty()), (pairs, clean), "cut at {cut}");
            drop(opened);
            let kept = fs::read(&path).expect("the file");
            assert!(whole.starts_with(&kept) && kept.ends_with(b"\n"), "cut at {cut}");
            let aside = read_if_there(&path.with_extension("jsonl.cut")).expect("readable");
            assert_eq!(aside.is_empty(), clean, "cut at {cut}");
        }
    }

    #[test]
    fn another_match_is_refused_by_name_and_left_alone() {
        let (_folder, path) = written();
        let before = fs::read(&path).expect("the file");
        let with = |change: &dyn Fn(&mut MatchHeader)| {
            let mut other = header();
            change(&mut other);
            resume(&path, &other).map(drop).expect_err("another match").to_string()
        };
        for (message, needles) in [
            (with(&|h| h.players[1].spec = "c".to_owned()), ["--player", "spec `b` then", "spec `c` now"]),
            (with(&|h| drop(h.players.pop())), ["--player", "\"b\"", "now"]),
            (with(&|h| h.format = TournamentFormat::RoundRobin), ["--format", "gauntlet", "round-robin"]),
            (with(&|h| h.engine = "q 2".to_owned()), ["engine", "`q 1` then, `q 2` now", "the same values"]),
            (with(&|h| drop(h.settings.insert("hash".into(), json!(32)))), ["--hash", "16 then", "32 now"]),
            (with(&|h| drop(h.settings.remove("hash"))), ["--hash", "16 then", "not given now"]),
            (with(&|h| drop(h.settings.insert("seed".into(), json!(7)))), ["--seed", "not given then", "7 now"]),
        ] {
            assert!(needles.iter().all(|needle| message.contains(needle)), "{needles:?}: {message}");
        }
        assert_eq!(fs::read(&path).expect("the file"), before);
    }

    #[test]
    fn a_player_that_was_rebuilt_is_refused_if_both_builds_are_known() {
        let with = |program: Option<&str>, time_management: Option<&str>| {
            let mut header = header();
            let known = |text: Option<&str>| text.map(str::to_owned);
            (header.players[1].program, header.players[1].time_management) = (known(program), known(time_management));
            header
        };
        for (name, then, now, needle) in [
            ("the same", with(Some("p1"), Some("t1")), with(Some("p1"), Some("t1")), None),
            ("an older journal", header(), with(Some("p1"), Some("t1")), None),
            ("a program that cannot be read", with(Some("p1"), None), header(), None),
            (
                "another program",
                with(Some("p1"), None),
                with(Some("p2"), None),
                Some(
                    "the program of player `b` has changed (SHA-256 p1 then, p2 now); use the earlier program, or name",
                ),
            ),
            (
                "another clock",
                with(None, Some("t1")),
                with(None, Some("t2")),
                Some("the time management of player `b` has changed (fingerprint t1 then, t2 now)"),
            ),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("out.jsonl");
            drop(resume(&path, &then).expect("a new file"));
            let before = fs::read(&path).expect("the file");
            let message = resume(&path, &now).map(drop).map_err(|error| error.to_string());
            match (message, needle) {
                (Err(message), Some(needle)) => assert!(message.contains(needle), "{name}: {message}"),
                (message, needle) => assert!(message.is_ok() && needle.is_none(), "{name}: {message:?}"),
            }
            assert_eq!(fs::read(&path).expect("the file"), before, "{name}");
        }
    }

    #[test]
    fn files_of_another_kind_are_refused_and_left_alone() {
        let (folder, path) = written();
        let text = fs::read_to_string(&path).expect("the file");
        let lines: Vec<&str> = text.lines().collect();
        let damaged = format!("{}\n{}\n{}\n", lines[0], &lines[1][..lines[1].len() / 2], lines[2]);
        for (name, content, needle) in [
            ("no journal", "[Event \"x\"]\n\n1. e4 *\n", "out.jsonl:1: `[Event \"x\"]` is not the header of a match"),
            ("one line", "precious", "`precious` is not the header of a match"),
            ("no header", lines[1], "is not the header of a match"),
            ("damaged", &damaged, "out.jsonl:2: `{\"pair\":1"),
        ] {
            fs::write(&path, content).expect("written");
            let message = resume(&path, &header()).map(drop).expect_err(name).to_string();
            assert!(message.contains(needle), "{name}: {message}");
            assert_eq!(fs::read_to_string(&path).expect("the file"), content, "{name}");
        }
        let message = resume(folder.path(), &header()).map(drop).expect_err("a folder").to_string();
        assert!(message.contains("cannot open `"), "{message}");
    }
}
