//! Notes the commit that the program is built from and the compiler, for `--version` and for files that say what made them.

use std::process::Command;

/// Digits of a commit.
const DIGITS: &str = "--abbrev=10";

fn main() {
    // The sources and the head of the repository: whatever changes one of them changes the commit, or makes it inexact.
    println!("cargo::rerun-if-changed=..");
    if let Some(log) = output_of("git", &["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let commit = output_of("git", &["describe", "--always", "--dirty", "--exclude=*", DIGITS]);
    println!("cargo::rustc-env=QUARTERPLY_COMMIT={}", commit.as_deref().unwrap_or("unknown commit"));
    let compiler = output_of(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()), &["--version"]);
    println!("cargo::rustc-env=QUARTERPLY_COMPILER={}", compiler.as_deref().unwrap_or("unknown compiler"));
}

/// The trimmed output of a program; `None` if it cannot be started, fails or writes nothing.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
