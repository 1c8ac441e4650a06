//! The journal of a mining run: one line of JSON for the plan, then one for each finished game.
//!
//! A line is written before the next game of that worker begins.

use super::{MinedGame, MiningPlan, filter, job, play};
use quarterply_files::bench;
use quarterply_files::fingerprint::of_parameters;
use quarterply_files::journal::{self, Existing, JournalHeader, JournalTerms, Opened};
use quarterply_games::external::EngineSetup;
use quarterply_games::offered;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

pub use journal::JournalError;

/// First word of every journal.
const KIND: &str = "quarterply mine";
/// Version of the format and of the procedure: to be raised when the same arguments find other positions.
const FORMAT: u32 = 1;
/// Depth of the searches whose nodes identify the engine (plies).
const SIGNATURE_DEPTH: u32 = 7;

/// The first line: everything that the finds depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MiningHeader {
    journal: String,
    format: u32,
    plan: BTreeMap<String, String>,
}

impl MiningHeader {
    fn new(plan: &MiningPlan, games: &str) -> Result<MiningHeader, JournalError> {
        let engine = bench::signature(&plan.parameters, SIGNATURE_DEPTH, usize::MAX);
        let check_engine = match &plan.check_engine {
            None => "none".to_owned(),
            Some((setup, nodes)) => format!("{}, {nodes} nodes", identity_of(setup)?),
        };
        let entries = [
            ("engine", format!("{engine} nodes at depth {SIGNATURE_DEPTH}")),
            ("games", games.to_owned()),
            ("marks", format!("{}; {}; {}", play::constants(), job::constants(), filter::constants())),
            ("nodes", plan.deep_nodes.to_string()),
            ("parameters", of_parameters(&plan.parameters)),
            ("play-nodes", plan.play_nodes.to_string()),
            ("referee", check_engine),
            ("shallow-nodes", plan.shallow_nodes.to_string()),
            ("verify-nodes", plan.verify_nodes.to_string()),
        ];
        let plan = entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(MiningHeader { journal: KIND.to_owned(), format: FORMAT, plan })
    }
}

/// The identity of the engine that checks solutions: its name, its program and its arguments.
fn identity_of(setup: &EngineSetup) -> Result<String, JournalError> {
    let identity = offered::identity(&setup.launch).map_err(|reason| JournalError::Io {
        file: setup.launch.program.display().to_string(),
        action: "identify",
        reason: io::Error::other(reason),
    })?;
    let name = setup.name.as_deref().unwrap_or("unnamed");
    Ok(format!("{name}, SHA-256 {}, arguments {:?}", identity.checksum, identity.arguments))
}

impl JournalHeader for MiningHeader {
    const TERMS: &'static JournalTerms = &JournalTerms {
        whole: "mining run",
        line: "finished game",
        again: "its game is mined again",
        existing: "continue it with the arguments and the build that it was begun with",
        writer: "mine --journal",
        elsewhere: "give another path to --journal",
    };
    const PREFIX: &'static [u8] = b"{\"journal\":\"quarterply mine\"";

    fn known(&self) -> Result<(), String> {
        match (self.journal.as_str(), self.format) {
            (KIND, FORMAT) => Ok(()),
            (KIND, format) => Err(format!("its format is {format}, this build writes {FORMAT}")),
            (kind, _) => Err(format!("it is a journal of `{kind}`")),
        }
    }

    fn binding(&self) -> Map<String, Value> {
        self.plan.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
    }

    fn flag(name: &str) -> String {
        match name {
            "marks" => "thresholds",
            "referee" => "check engine",
            name => name,
        }
        .to_owned()
    }
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    journal: journal::Journal,
    /// The finished games, by number.
    pub done: BTreeMap<u64, MinedGame>,
    /// Messages for the user.
    pub notes: Vec<String>,
}

impl Journal {
    /// Opens a journal, or begins a new one, for the mining run of `plan` in the games called `games`.
    ///
    /// # Errors
    /// [`JournalError`] if the file is not a journal, belongs to another mining run, or cannot be used.
    pub fn open(path: &Path, plan: &MiningPlan, games: &str) -> Result<Journal, JournalError> {
        let opened: Opened<MiningHeader, MinedGame> =
            journal::Journal::open(path, Existing::Resume, &MiningHeader::new(plan, games)?)?;
        let done = opened.lines.into_iter().map(|mined| (mined.game, mined)).collect();
        Ok(Journal { journal: opened.journal, done, notes: opened.notes })
    }

    /// Adds a finished game; it is in the file when this returns.
    pub fn note(&mut self, mined: &MinedGame) -> Result<(), JournalError> {
        self.journal.append(mined)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GameSource, GameToMine, Mining, run};
    use super::*;
    use quarterply_engine::params::Parameters;
    use quarterply_games::players::PlayerDefaults;
    use quarterply_uci::launch::Launch;
    use std::fs;
    use std::path::PathBuf;

    const GAMES: u64 = 6;
    const NAME: &str = "played, seed 3";

    fn plan() -> MiningPlan {
        MiningPlan {
            parameters: Parameters::classical(),
            play_nodes: 60,
            shallow_nodes: 60,
            deep_nodes: 1000,
            verify_nodes: 4000,
            ..MiningPlan::default()
        }
    }

    fn mine_games(workers: usize, path: Option<&Path>, games: u64) -> Vec<MinedGame> {
        let plan = plan();
        let mut journal = path.map(|path| Journal::open(path, &plan, NAME).expect("a journal"));
        let task = |number| GameToMine { number, source: GameSource::Play(3) };
        let tasks = (0..games).map(task).collect::<Vec<_>>();
        let mut executor = Mining::threads(workers, &plan);
        run(&plan, &tasks, &mut journal, &mut executor, &|_| {}, &mut |_| {}).expect("mined")
    }

    fn journal() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mining.jsonl");
        (folder, path)
    }

    #[test]
    fn a_run_that_was_interrupted_anywhere_finds_the_same() {
        let whole = mine_games(1, None, GAMES);
        assert!(whole.iter().any(|game| !game.finds.is_empty()), "nothing to compare");
        let (_folder, path) = journal();
        assert_eq!(mine_games(1, Some(&path), 2), whole[..2]);
        assert_eq!(mine_games(2, Some(&path), GAMES), whole);
        let bytes = fs::read(&path).expect("the journal");
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end);
        let ends = ends.collect::<Vec<_>>();
        assert_eq!(ends.len() as u64, 1 + GAMES);
        // Nothing, the middle of the first line, just before and after an end of line, the middle of the last line.
        for length in [0, 20, ends[0], ends[0] + 1, ends[3], ends[3] + 1, bytes.len() - 9] {
            fs::write(&path, &bytes[..length]).expect("written");
            assert_eq!(mine_games(2, Some(&path), GAMES), whole, "cut after {length} bytes");
            let again = fs::read_to_string(&path).expect("the journal");
            assert_eq!((again.lines().count() as u64, again.ends_with('\n')), (1 + GAMES, true), "{length}");
        }
    }

    #[test]
    fn finished_games_are_not_mined_again() {
        let (_folder, path) = journal();
        mine_games(1, Some(&path), 1);
        let marked = fs::read_to_string(&path).expect("the journal").replace("\"positions\":", "\"positions\":9");
        fs::write(&path, &marked).expect("written");
        let shown = mine_games(1, Some(&path), 1)[0].tally.positions.to_string();
        assert!(shown.starts_with('9'), "{shown}");
        assert_eq!(fs::read_to_string(&path).expect("the journal"), marked);
    }

    #[test]
    fn journals_of_other_runs_are_refused_and_stay() {
        let (_folder, path) = journal();
        mine_games(1, Some(&path), 1);
        let before = fs::read(&path).expect("the journal");
        let mut other = Parameters::default();
        other.set("null_move.on", 0).expect("a switch");
        // The clock changes no search at a number of nodes; other parameters may change only deep ones.
        let mut no_bench_shows = plan().parameters;
        no_bench_shows.set("clock.moves_to_go", 41).expect("in range");
        for (name, plan, games, needle) in [
            ("seed", plan(), "played, seed 4", "games: `played, seed 3` then, `played, seed 4` now"),
            ("engine", MiningPlan { parameters: other, ..plan() }, NAME, "engine: `"),
            ("clock", MiningPlan { parameters: no_bench_shows, ..plan() }, NAME, "(parameters: `"),
            ("play", MiningPlan { play_nodes: 61, ..plan() }, NAME, "play-nodes: `60` then, `61` now"),
            ("shallow", MiningPlan { shallow_nodes: 61, ..plan() }, NAME, "shallow-nodes: `60`"),
            ("deep", MiningPlan { deep_nodes: 1001, ..plan() }, NAME, "(nodes: `1000`"),
            ("verify", MiningPlan { verify_nodes: 4001, ..plan() }, NAME, "verify-nodes: `4000`"),
        ] {
            let message = Journal::open(&path, &plan, games).expect_err(name).to_string();
            assert!(message.contains(needle) && message.contains("another path to --journal"), "{name}: {message}");
        }
        assert_eq!(fs::read(&path).expect("the journal"), before);
    }

    #[test]
    fn another_program_or_other_arguments_of_the_checking_engine_make_another_run() {
        let (folder, path) = journal();
        let program = |name: &str, text: &str| {
            let program = folder.path().join(name);
            fs::write(&program, text).expect("written");
            Launch::program(program)
        };
        let plan = |launch: Launch| {
            let defaults = PlayerDefaults::default();
            let setup = EngineSetup { launch, name: Some("Toy".to_owned()), options: Vec::new(), defaults };
            MiningPlan { check_engine: Some((setup, 9)), ..plan() }
        };
        let launch = program("toy", "one");
        drop(Journal::open(&path, &plan(launch.clone()), NAME).expect("a new journal"));
        let other = Launch { arguments: vec!["--fast".to_owned()], ..launch.clone() };
        for launch in [program("other", "two"), other] {
            let message = Journal::open(&path, &plan(launch), NAME).expect_err("another engine").to_string();
            assert!(message.contains("(check engine: `Toy, SHA-256 "), "{message}");
        }
        assert!(Journal::open(&path, &plan(launch), NAME).is_ok(), "the same engine");
    }

    #[test]
    fn other_journals_and_impossible_finds_are_named_and_stay() {
        let (_folder, path) = journal();
        mine_games(1, Some(&path), 1);
        let text = fs::read_to_string(&path).expect("the journal");
        for (name, content, needle) in [
            (
                "other JSON",
                "{\"journal\":\"match\",\"format\":1,\"plan\":{}}\n".to_owned(),
                "it is a journal of `match`",
            ),
            ("other format", text.replacen("\"format\":1", "\"format\":0", 1), "its format is 0, this build writes 1"),
            ("illegal", text.replacen("\"finds\":[", "\"finds\":[{\"fen\":\"8/8\"}", 1), "is not a finished game"),
        ] {
            fs::write(&path, &content).expect("written");
            let message = Journal::open(&path, &plan(), NAME).expect_err(name).to_string();
            assert!(message.contains(needle), "{name}: {message}");
            assert_eq!(fs::read_to_string(&path).expect("the journal"), content, "{name}");
        }
    }
}
