//! The cases of `uci-check` with our own server as the engine: the test program starts itself again for each case.

#[path = "common/host.rs"]
mod host;

use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use quarterply_uci::check::{CASES, CaseError};
use quarterply_uci::launch::Launch;
use quarterply_uci::server::{run_lines, serve};

/// The argument that makes this program an engine; UCI lines may follow.
const ENGINE: &str = "--engine";
/// Cases that run at the same time.
const THREADS: usize = 4;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((ENGINE, lines)) = arguments.split_first().map(|(first, lines)| (first.as_str(), lines)) {
        return serve_as_engine(lines);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let own = std::env::current_exe().expect("the path of this program");
    let launch = Launch { arguments: vec![ENGINE.to_owned()], ..Launch::program(own) };
    let (open, failed) = (Mutex::new(CASES.iter()), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(case) = { open.lock().expect("no panic").next() } {
                    let verdict = case.ask(&launch);
                    println!("case {:02} {}: {verdict:?}", case.number, case.name);
                    *failed.lock().expect("no panic") += usize::from(matches!(verdict, Err(CaseError::Fault { .. })));
                }
            });
        }
    });
    ExitCode::from(u8::from(failed.into_inner().expect("no panic") > 0))
}

fn serve_as_engine(lines: &[String]) -> ExitCode {
    let served = match lines {
        [] => serve(BufReader::new(io::stdin()), io::stdout(), host::host()).map_err(|error| error.to_string()),
        _ => run_lines(lines, io::stdout(), host::host()).map_err(|error| error.to_string()),
    };
    let _ = io::stdout().flush();
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
