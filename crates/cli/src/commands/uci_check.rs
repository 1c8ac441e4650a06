//! `quarterply uci-check [CMD]`: tests an engine for errors in the UCI protocol.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use miette::miette;
use quarterply_uci::check::{self, Case, CaseError, RawConnection, Severity};
use quarterply_uci::child::ChildProcess;
use quarterply_uci::launch::Launch;
use serde_json::{Value, json};

use crate::common::Common;
use crate::dialogue::DialogueArguments;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::numbers::count;
use crate::progress;

/// Exit code of an engine that breaks a GUI or tool, but no games.
const BREAKS_TOOLS: u8 = 3;
/// Cases that run at the same time with `--fast`: most of their time is waiting.
const FAST_THREADS: usize = 8;

const AFTER: &str = "\
Every fault has a severity: it breaks games, breaks a GUI or tool, or is unusual. Exit code: 0 without a fault, or if all are unusual; \
1 if one breaks games or the program does not speak UCI; 3 if one breaks a GUI or tool and none breaks games; 2 for bad input. \
docs/uci-check.md describes the cases.

Examples:
  quarterply uci-check ./engine
  quarterply uci-check ./engine --fast --json findings.jsonl";

/// Arguments of `uci-check`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    /// Command line of the engine [default: this program].
    #[arg(value_name = "CMD")]
    pub engine: Option<String>,
    /// Run only the case with this number; may be repeated.
    #[arg(long, value_name = "N", value_parser = count::<u8>(1..=check::CASES.len() as u64))]
    pub case: Vec<u8>,
    /// Leave out the slow cases and run the others at the same time: a correct engine takes less than two seconds.
    #[arg(long, conflicts_with = "case")]
    pub fast: bool,
    #[command(flatten)]
    pub dialogue: DialogueArguments,
}

/// Runs the cases; the exit code follows the worst fault.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let launch = match &arguments.engine {
        Some(text) => {
            common.refuse_parameters("CMD is another engine")?;
            Launch::parse(text).map_err(Failure::input)?
        }
        None => common.this_program()?,
    };
    let _log = arguments.dialogue.open(common, NO_INPUT)?;
    if let Err(error) = ChildProcess::start(&launch, false) {
        let report = miette!("{error}").wrap_err(format!("cannot start {}", launch.program.display()));
        return Err(Failure::Input(report));
    }
    require_uci(&launch)?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let is_selected = |case: &&Case| {
        (arguments.case.is_empty() || arguments.case.contains(&case.number)) && (case.is_fast || !arguments.fast)
    };
    let chosen: Vec<&Case> = check::CASES.iter().filter(is_selected).collect();
    let threads = if arguments.fast { FAST_THREADS } else { 1 };
    let bar = progress::bar(common, chosen.len(), "cases");
    let findings = ask(&chosen, &launch, threads, &bar);
    bar.finish_and_clear();
    let mut table = Listing::new(&["#", "case", "question", "verdict"], 0..1);
    for finding in &findings {
        json.write(&finding.row())?;
        let Case { number, name, about, .. } = finding.case;
        table.add_row([&number.to_string(), *name, *about, &finding.text()]);
    }
    json.print(&table)?;
    let left_out = if arguments.fast { check::CASES.len() - chosen.len() } else { 0 };
    json.print(&summary(&findings, left_out))?;
    json.close()?;
    Ok(exit_code(&findings))
}

/// Starts the engine once: a program that does not speak UCI would keep every case waiting.
fn require_uci(launch: &Launch) -> Result<(), Failure> {
    let Err(CaseError::Fault { seen, .. }) = RawConnection::ready(launch) else { return Ok(()) };
    let program = launch.program.display();
    Err(Failure::Run(miette!("cannot check `{program}`: {seen}; give the command of an engine that speaks UCI")))
}

/// The result of a case.
struct Finding<'a> {
    case: &'a Case,
    verdict: Result<(), CaseError>,
    time: Duration,
}

impl Finding<'_> {
    fn severity(&self) -> Option<Severity> {
        self.verdict.as_ref().err().and_then(CaseError::severity)
    }

    /// The verdict for people.
    fn text(&self) -> String {
        self.verdict.as_ref().err().map_or_else(|| "pass".to_owned(), ToString::to_string)
    }

    /// The verdict for programs.
    fn row(&self) -> Value {
        let (word, seen) = match &self.verdict {
            Ok(()) => ("pass", None),
            Err(CaseError::Fault { seen, .. }) => ("fail", Some(seen)),
            Err(CaseError::Skip(why)) => ("n/a", Some(why)),
        };
        let (severity, ms) = (self.severity().map(Severity::word), self.time.as_millis() as u64);
        let Case { number, name, .. } = self.case;
        json!({ "case": number, "name": name, "verdict": word, "severity": severity, "seen": seen, "ms": ms })
    }
}

/// Asks all cases, `threads` at a time; the findings are in their order.
fn ask<'a>(cases: &[&'a Case], launch: &Launch, threads: usize, bar: &ProgressBar) -> Vec<Finding<'a>> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            bar.set_message(case.name);
            let begun = Instant::now();
            let verdict = case.ask(launch);
            let finding = Finding { case, verdict, time: begun.elapsed() };
            found.lock().unwrap_or_else(PoisonError::into_inner).push(finding);
            bar.inc(1);
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|finding| finding.case.number);
    found
}

/// How many cases came out how.
fn summary(findings: &[Finding<'_>], left_out: usize) -> String {
    let count = |holds: &dyn Fn(&Finding<'_>) -> bool| findings.iter().filter(|finding| holds(finding)).count();
    let of = |severity| count(&|finding| finding.severity() == Some(severity));
    let passed = count(&|finding| finding.verdict.is_ok());
    let skipped = count(&|finding| matches!(finding.verdict, Err(CaseError::Skip(_))));
    let [games, tools, unusual] = Severity::ALL.map(of);
    let left_out = if left_out > 0 { format!(", {left_out} slow ones left out") } else { String::new() };
    format!(
        "{passed} passed, {games} break games, {tools} break a GUI or tool, {unusual} unusual, {skipped} not applicable{left_out}"
    )
}

fn exit_code(findings: &[Finding<'_>]) -> ExitCode {
    match findings.iter().filter_map(Finding::severity).max() {
        None | Some(Severity::Unusual) => ExitCode::SUCCESS,
        Some(Severity::Tool) => ExitCode::from(BREAKS_TOOLS),
        Some(Severity::Game) => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use quarterply_uci::check::{CASES, Severity};

    /// The page lists every case with its name, severity and whether it is fast.
    #[test]
    fn the_page_lists_the_cases_which_are_numbered_from_1() {
        assert!(CASES.iter().map(|case| usize::from(case.number)).eq(1..=27));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/uci-check.md");
        let page = std::fs::read_to_string(path).expect("a page");
        for case in CASES {
            let severity = match case.severity {
                Severity::Game => "games",
                Severity::Tool => "tool",
                Severity::Unusual => "unusual",
            };
            let slow = if case.is_fast { "" } else { "slow" };
            let row = page.lines().find(|line| line.starts_with(&format!("| {} | {} |", case.number, case.name)));
            let cells: Vec<&str> = row.unwrap_or_else(|| panic!("{}", case.number)).split('|').map(str::trim).collect();
            assert_eq!((cells[4], cells[5]), (severity, slow), "{cells:?}");
        }
    }
}
