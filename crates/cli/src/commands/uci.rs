//! UCI, the default mode of `quarterply`.

use std::io::{self, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use quarterply_datagen::genfens::Request;
use quarterply_engine::params::Parameters;
use quarterply_engine::search::pool::Control;
use quarterply_files::bench;
use quarterply_files::profile;
use quarterply_files::profile::nearest;
use quarterply_uci::command::starts_command;
use quarterply_uci::server::{self, LineError, ServerHost};
use quarterply_uci::settings::UciSettings;

use crate::common::Common;
use crate::failure::{CommandResult, Failure};

/// Listens on stdin and answers on stdout.
pub fn listen(common: &Common, show_parameters: bool) -> CommandResult {
    refuse_unused(common)?;
    server::serve(BufReader::new(io::stdin()), io::stdout(), host(common.parameters()?, show_parameters))?;
    Ok(ExitCode::SUCCESS)
}

/// Carries out the UCI lines given as arguments; `command` is the whole command line, for those that are none.
pub fn run_lines(common: &Common, words: &[String], show_parameters: bool, command: &clap::Command) -> CommandResult {
    refuse_unused(common)?;
    if let Some(option) = words.iter().find(|word| word.starts_with("--") && !word.contains(char::is_whitespace)) {
        refuse!("cannot use `{option}` after UCI lines: they take the rest of the arguments; write it before them");
    }
    let lines = lines_of(words);
    let first = lines.first().and_then(|line| line.split_whitespace().next()).unwrap_or("");
    if !starts_command(first) {
        let names = command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
        let advice = nearest(first, names).map_or_else(
            || "`quarterply --help` lists the sub-commands".to_owned(),
            |name| format!("did you mean `{name}`?"),
        );
        refuse!("cannot run `{first}`: not a sub-command or UCI command; {advice}");
    }
    match server::run_lines(&lines, io::stdout(), host(common.parameters()?, show_parameters)) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(LineError::Io(error)) => Err(error.into()),
        Err(error) => Err(Failure::input(error)),
    }
}

/// Refuses options of sub-commands that would have no effect: UCI defines its own options and its own output.
fn refuse_unused(common: &Common) -> Result<(), Failure> {
    if common.json.is_some() {
        refuse!(
            "cannot use --json with UCI: the protocol defines the output; use a sub-command such as `solve` or `bench`"
        );
    }
    if common.workers.is_some() || common.seed_given {
        refuse!("cannot use --workers or --seed with UCI: set its options Threads and Strength Seed with `setoption`");
    }
    Ok(())
}

/// An argument with a blank in it is a line. A single word starts a line if it is a command and belongs to the line before it
/// otherwise, so that the quotes around a line may be left out.
fn lines_of(words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let starts = word.contains(char::is_whitespace) || starts_command(word);
        match lines.last_mut() {
            Some(line) if !starts => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// Searches the bench's positions; the last line is the signature and the speed.
fn run_bench(settings: &UciSettings, depth: Option<u32>, control: &Control, write: &mut dyn FnMut(&str)) {
    let depth = depth.unwrap_or(bench::DEPTH_DEFAULT);
    let total = bench::run_until(&settings.parameters, depth, usize::MAX, control, &mut |step| {
        write(&format!("{}/{} {} nodes  {}", step.number, step.count, step.nodes, step.id));
    });
    match total {
        Some(total) => write(&total.to_string()),
        None => write("info string the bench was stopped"),
    }
}

/// Draws openings for OpenBench.
fn run_genfens(request: &str, tell: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<(), String> {
    let request = Request::parse(request).map_err(|error| error.to_string())?;
    request.answer(&mut |fen| tell(&fen)).map_err(|error| error.to_string())
}

/// Is the program called as OpenBench's client calls what it builds: the engine, `-`, and eight digits of the commit, perhaps with those of
/// a network? The runners of its matches set no option that is not listed.
fn is_of_openbench(program: &Path) -> bool {
    const DIGITS: usize = 8;
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let commit = name.trim_end_matches(".exe").split('-').nth(1).unwrap_or_default();
    commit.len() == DIGITS && commit.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_lowercase())
}

fn host(parameters: Parameters, show_parameters: bool) -> ServerHost {
    let program = std::env::args_os().next().unwrap_or_default();
    ServerHost {
        name: concat!("Quarterply ", env!("CARGO_PKG_VERSION")).into(),
        author: env!("CARGO_PKG_AUTHORS").into(),
        parameters,
        bench: Arc::new(run_bench),
        profiles: Arc::new(|path| profile::read_profile(Path::new(path)).map_err(|error| error.to_string())),
        show_parameters: show_parameters || is_of_openbench(Path::new(&program)),
        genfens: Arc::new(run_genfens),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_of_openbench, lines_of};
    use std::path::Path;

    #[test]
    fn builds_of_openbench_are_known_by_their_names() {
        for (name, expected) in [
            ("./Quarterply-1A2B3C4D", true),
            ("Engines/Quarterply-00000000.exe", true),
            ("Quarterply-1A2B3C4D-deadbeef", true),
            ("quarterply", false),
            ("quarterply.exe", false),
            ("quarterply-1a2b3c4d", false),
            ("quarterply-release", false),
            ("quarterply-1A2B3C4", false),
        ] {
            assert_eq!(is_of_openbench(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn arguments_become_lines() {
        for (words, lines) in [
            (vec!["go depth 3"], vec!["go depth 3"]),
            (vec!["go", "depth", "3"], vec!["go depth 3"]),
            (vec!["setoption name Hash value 8", "go depth 3"], vec!["setoption name Hash value 8", "go depth 3"]),
            (vec!["uci", "isready"], vec!["uci", "isready"]),
            (vec!["position startpos", "moves", "e2e4", "d"], vec!["position startpos moves e2e4", "d"]),
            (vec!["isready", "xyzzy now"], vec!["isready", "xyzzy now"]),
            (vec!["nonsense", "go"], vec!["nonsense", "go"]),
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(lines_of(&words), lines, "{words:?}");
        }
    }
}
