//! Running the binary and looking at what it says.
#![allow(dead_code, reason = "every test file takes what it needs")]

pub mod nats;

use std::path::PathBuf;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use tempfile::TempDir;

/// What a run of the binary came to.
pub struct CommandOutput {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// The program that is tested: the one just built, or an older one that a test must fail on.
pub fn program() -> String {
    std::env::var("QUARTERPLY_TESTED").unwrap_or_else(|_| env!("CARGO_BIN_EXE_quarterply").to_owned())
}

/// Runs the binary with these arguments.
pub fn quarterply(arguments: &[&str]) -> CommandOutput {
    let output = Command::new(program()).args(arguments).output().expect("the binary runs");
    CommandOutput {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Runs the binary, which must end with exit code 0.
#[track_caller]
pub fn succeeds(arguments: &[&str]) -> CommandOutput {
    let output = quarterply(arguments);
    assert_eq!(output.code, Some(0), "{arguments:?}\n{}{}", output.out, output.err);
    output
}

/// Runs the binary, which must reject the arguments: exit code 2, and a message that contains `needle`.
#[track_caller]
pub fn refused(arguments: &[&str], needle: &str) -> CommandOutput {
    let output = quarterply(arguments);
    assert_eq!(output.code, Some(2), "{arguments:?}\n{}{}", output.out, output.err);
    assert!(has_text(&output.err, needle), "{arguments:?} without `{needle}`\n{}", output.err);
    output
}

/// How long a run that is to be killed may take to come to that point.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts the binary and kills it when `is_time`: it tidies up nothing. Returns false if it ended before.
pub fn kill_when(arguments: &[&str], is_time: impl Fn() -> bool) -> bool {
    let mut command = std::process::Command::new(program());
    let command = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary runs");
    let begun = Instant::now();
    while !is_time() && begun.elapsed() < PATIENCE {
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

/// Messages are wrapped to the width of a terminal: compares without regard to blanks and frames.
pub fn has_text(text: &str, needle: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '│').collect::<String>();
    bare(text).contains(&bare(needle))
}
