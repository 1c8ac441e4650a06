//! Running the binary and looking at what it says.
#![allow(dead_code, unused_imports, unused_macros, reason = "every test file takes what it needs")]

pub mod nats;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// The words of a command line with values in it, as in `format!`; quotation marks hold a word with blanks together.
macro_rules! words {
    ($($line:tt)*) => {
        quarterply_uci::launch::split(&format!($($line)*)).expect("closed quotation marks")
    };
}
pub(crate) use words;

/// What a run of the binary came to.
pub struct CommandOutput {
    /// What it was called with.
    arguments: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    /// It must have ended with this exit code.
    #[track_caller]
    pub fn ends(self, code: i32) -> CommandOutput {
        assert_eq!(self.code, Some(code), "{}\n{}{}", self.arguments, self.out, self.err);
        self
    }

    /// Each of the texts must be on stdout.
    #[track_caller]
    pub fn shows(&self, needles: &[&str]) -> &CommandOutput {
        assert_texts(&self.out, needles);
        self
    }

    /// Each of the texts must be on stderr.
    #[track_caller]
    pub fn says(&self, needles: &[&str]) -> &CommandOutput {
        assert_texts(&self.err, needles);
        self
    }

    /// The JSON lines on stdout.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        json_lines(&self.out)
    }

    /// The one JSON value on stdout.
    #[track_caller]
    pub fn value(&self) -> Value {
        json_value(&self.out)
    }
}

/// The values of JSON lines.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(json_value).collect()
}

/// The value of a JSON text.
#[track_caller]
pub fn json_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The content of a file.
#[track_caller]
pub fn contents(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The program that is tested: the one just built, or an older one that a test must fail on.
pub fn program() -> String {
    std::env::var("QUARTERPLY_TESTED").unwrap_or_else(|_| env!("CARGO_BIN_EXE_quarterply").to_owned())
}

/// Runs the binary with these words after its name.
pub fn quarterply(command: &[impl AsRef<str>]) -> CommandOutput {
    let arguments: Vec<String> = command.iter().map(|word| word.as_ref().to_owned()).collect();
    let output = Command::new(program()).args(&arguments).output().expect("the binary runs");
    CommandOutput {
        arguments: format!("{arguments:?}"),
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Runs the binary, which must end with exit code 0.
#[track_caller]
pub fn succeeds(command: &[impl AsRef<str>]) -> CommandOutput {
    quarterply(command).ends(0)
}

/// Runs the binary, which must reject the command: exit code 2, and a message that contains `needle`.
#[track_caller]
pub fn refused(command: &[impl AsRef<str>], needle: &str) -> CommandOutput {
    let output = quarterply(command).ends(2);
    assert!(has_text(&output.err, needle), "{} without `{needle}`\n{}", output.arguments, output.err);
    output
}

/// Our suite of 24 positions.
pub const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/suites/quarterply-24.epd");

/// How long a run that is to be killed may take to come to that point.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Starts the binary and kills it when `is_time`: it tidies up nothing. Returns false if it ended before.
pub fn kill_when(command: &[impl AsRef<OsStr>], is_time: impl Fn() -> bool) -> bool {
    let mut process = std::process::Command::new(program());
    let process = process.args(command).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = process.spawn().expect("the binary runs");
    let begun = Instant::now();
    while !is_time() && begun.elapsed() < TIMEOUT {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    child.kill().expect("a child");
    child.wait().expect("a child");
    true
}

/// An empty folder, and the paths in it by name.
pub fn folder() -> (TempDir, impl Fn(&str) -> String + use<>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, move |name| path.join(name).to_str().expect("a path in UTF-8").to_owned())
}

/// A folder with one file in it.
pub fn file(name: &str, bytes: &[u8]) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    let text = path.to_str().expect("a path in UTF-8").to_owned();
    (folder, text)
}

/// Each of the needles must be in the text.
#[track_caller]
pub fn assert_texts(text: &str, needles: &[&str]) {
    for needle in needles {
        assert!(has_text(text, needle), "without `{needle}`:\n{text}");
    }
}

/// Messages are wrapped to the width of a terminal: compares without regard to blanks and frames.
pub fn has_text(text: &str, needle: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '│').collect::<String>();
    bare(text).contains(&bare(needle))
}
