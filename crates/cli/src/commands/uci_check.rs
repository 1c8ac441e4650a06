//! `quarterply uci-check [CMD]`: the checklist as a program.

use std::io::{self, Write};
use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};
use miette::miette;
use quarterply_uci::check::{self, Verdict};
use quarterply_uci::launch::Launch;

use crate::args::Common;
use crate::failure::{Done, Failure};

/// Which engine, which questions.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The engine's command line; Quarterply itself when left out.
    #[arg(value_name = "CMD")]
    pub engine: Option<String>,
    /// Only this case, by its number; may be repeated.
    #[arg(long, value_name = "N")]
    pub case: Vec<u8>,
}

/// Asks every question; exit code 1 when an answer is wrong.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let launch = match &arguments.engine {
        Some(text) => Launch::parse(text).map_err(Failure::input)?,
        None => Launch::program(std::env::current_exe()?),
    };
    if let Err(error) = launch.spawn().map(|mut child| child.kill().and_then(|()| child.wait())) {
        let report = miette!("{error}").wrap_err(format!("cannot start {}", launch.program.display()));
        return Err(Failure::Input(report));
    }
    let cases = check::cases();
    if let Some(number) = arguments.case.iter().find(|number| !cases.iter().any(|case| case.number == **number)) {
        return Err(Failure::Input(miette!("there is no case {number}: the cases are 1 to {}", cases.len())));
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["#", "case", "what is asked", "verdict"]);
    let (mut failed, mut skipped, mut asked) = (0, 0, 0);
    for case in cases.iter().filter(|case| arguments.case.is_empty() || arguments.case.contains(&case.number)) {
        if !common.quiet {
            eprint!("\r{:2} {:<28}", case.number, case.name);
        }
        let verdict = case.ask(&launch);
        asked += 1;
        failed += usize::from(matches!(verdict, Verdict::Fail(_)));
        skipped += usize::from(matches!(verdict, Verdict::NotApplicable(_)));
        table.add_row([case.number.to_string(), case.name.into(), case.about.into(), verdict.to_string()]);
    }
    if !common.quiet {
        eprint!("\r{:32}\r", "");
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{table}")?;
    writeln!(out, "{} passed, {failed} failed, {skipped} not applicable", asked - failed - skipped)?;
    Ok(if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
