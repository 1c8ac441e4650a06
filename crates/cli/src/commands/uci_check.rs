//! `quarterply uci-check [CMD]`: the checklist as a program.

use std::process::ExitCode;

use miette::miette;
use quarterply_uci::check::{self, Case, CaseError};
use quarterply_uci::child::ChildProcess;
use quarterply_uci::launch::Launch;
use serde_json::{Value, json};

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{Done, Failure};
use crate::listing::Listing;
use crate::progress;

/// Which engine, which questions.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Command line of the engine [default: this program].
    #[arg(value_name = "CMD")]
    pub engine: Option<String>,
    /// Run only the case with this number; may be repeated.
    #[arg(long, value_name = "N")]
    pub case: Vec<u8>,
}

/// Asks every question; exit code 1 when an answer is wrong.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let launch = match &arguments.engine {
        Some(text) => Launch::parse(text).map_err(Failure::input)?,
        None => Launch::program(std::env::current_exe()?),
    };
    if let Err(error) = ChildProcess::start(&launch, false) {
        let report = miette!("{error}").wrap_err(format!("cannot start {}", launch.program.display()));
        return Err(Failure::Input(report));
    }
    let cases = check::cases();
    if let Some(number) = arguments.case.iter().find(|number| !cases.iter().any(|case| case.number == **number)) {
        refuse!("cannot run case `{number}`: not found; give 1 to {}", cases.len());
    }
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let mut table = Listing::new(&["#", "case", "what is asked", "verdict"], 0..1);
    let chosen: Vec<&Case> =
        cases.iter().filter(|case| arguments.case.is_empty() || arguments.case.contains(&case.number)).collect();
    let bar = progress::bar(common, chosen.len(), "cases");
    let (mut failed, mut skipped) = (0, 0);
    for case in &chosen {
        bar.set_message(case.name);
        let verdict = case.ask(&launch);
        failed += usize::from(matches!(verdict, Err(CaseError::Fault(_))));
        skipped += usize::from(matches!(verdict, Err(CaseError::Skip(_))));
        json.write(&row(case, &verdict))?;
        let seen = verdict.err().map_or_else(|| "pass".to_owned(), |error| error.to_string());
        table.add_row([case.number.to_string(), case.name.into(), case.about.into(), seen]);
        bar.inc(1);
    }
    bar.finish_and_clear();
    json.print(&table)?;
    json.print(&format!("{} passed, {failed} failed, {skipped} not applicable", chosen.len() - failed - skipped))?;
    json.close()?;
    Ok(if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A verdict for programs.
fn row(case: &Case, verdict: &Result<(), CaseError>) -> Value {
    let (word, seen) = match verdict {
        Ok(()) => ("pass", None),
        Err(CaseError::Fault(seen)) => ("fail", Some(seen)),
        Err(CaseError::Skip(why)) => ("n/a", Some(why)),
    };
    json!({ "case": case.number, "name": case.name, "verdict": word, "seen": seen })
}
