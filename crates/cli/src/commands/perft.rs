//! `quarterply perft DEPTH`: counts move sequences, of one position or of a whole suite.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use quarterply_engine::position::Game;
use quarterply_engine::words::grouped;
use quarterply_files::epd::{self, EpdError, Record, Suite};
use quarterply_lab::perft::{self, PerftCheck};
use quarterply_window::words::several;
use serde_json::json;
use shakmaty::uci::UciMove;

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::numbers::count;
use crate::positions::{read_fen, warn_of_suite};
use crate::progress;

/// Depth of a suite when none is given (plies).
const SUITE_DEPTH: u32 = 5;

/// Which position or suite, how deep.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Length of the sequences in plies; with --suite the maximum length [default with --suite: 5].
    #[arg(value_name = "DEPTH", required_unless_present = "suite", value_parser = count::<u32>(0..=60))]
    pub depth: Option<u32>,
    /// Count from this position.
    #[arg(long, value_name = "FEN", default_value_t = Game::new().fen(), conflicts_with = "suite")]
    pub fen: String,
    /// Show the count of each root move.
    #[arg(long, conflicts_with = "suite")]
    pub divide: bool,
    /// Check the counts of a suite: a FEN and `;D1 20 ;D2 400` a line.
    #[arg(long, value_name = "FILE.epd")]
    pub suite: Option<PathBuf>,
    /// Maximum length checked in a suite, in plies.
    #[arg(long, value_name = "D", requires = "suite", conflicts_with = "depth", value_parser = count::<u32>(1..))]
    pub max_depth: Option<u32>,
}

/// Counts; exit code 1 if a count differs or a line cannot be read, 2 if the position or the file is of no use.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters("moves are counted without a search")?;
    common.pool()?.install(|| match &arguments.suite {
        Some(path) => {
            let depth = arguments.max_depth.or(arguments.depth).unwrap_or(SUITE_DEPTH);
            check(common, path, depth)
        }
        None => count_one(common, arguments, arguments.depth.unwrap_or(SUITE_DEPTH)),
    })
}

fn count_one(common: &Common, arguments: &Arguments, depth: u32) -> CommandResult {
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let game = read_fen(&arguments.fen)?;
    let mut out = json.out();
    let start = Instant::now();
    let total = if arguments.divide && depth > 0 {
        let parts = perft::divide(game.position(), depth);
        for (mv, count) in &parts {
            let mv = UciMove::from_move(*mv, game.castling_mode()).to_string();
            json.write(&json!({"move": mv, "depth": depth, "leaves": count}))?;
            writeln!(out, "{mv}: {count}")?;
        }
        parts.iter().map(|(_, count)| count).sum()
    } else {
        perft::perft_parallel(game.position(), depth)
    };
    let seconds = start.elapsed().as_secs_f64();
    let speed = (total as f64 / seconds.max(f64::EPSILON)) as u64;
    json.write(&json!({"summary": true, "fen": game.fen(), "depth": depth, "leaves": total, "seconds": seconds}))?;
    writeln!(out, "{total} leaves at depth {depth} in {seconds:.3} s, {} a second", grouped(speed))?;
    out.flush()?;
    json.close()
}

fn check(common: &Common, path: &Path, depth: u32) -> CommandResult {
    let suite = epd::read_suite(path).map_err(Failure::input)?;
    warn_of_suite(path, &suite);
    if suite.records.iter().all(|record| record.counts.is_empty()) {
        refuse!("cannot read counts from `{}`: it has none; write them as `FEN ;D1 20 ;D2 400`", path.display());
    }
    let mut json = JsonLines::open(common, [path])?;
    let bar = progress::bar(common, suite.records.len(), &suite.name);
    let start = Instant::now();
    let mut listing = Listing::new(&["line", "position", "depth", "leaves", "verdict"], 2..4);
    let checks = perft::check_suite(&suite, depth, &mut |record, checks| {
        bar.inc(1);
        listing.add_row(row(record, checks));
    });
    bar.finish_and_clear();
    if checks.is_empty() {
        refuse!("cannot check `{}`: it has no count up to depth {depth}; give a larger --max-depth", path.display());
    }
    for PerftCheck { line, fen, depth, expected, found } in &checks {
        let right = expected == found;
        json.write(
            &json!({"line": line, "fen": fen, "depth": depth, "expected": expected, "found": found, "right": right}),
        )?;
    }
    let mut out = json.out();
    writeln!(out, "{listing}")?;
    let wrong: Vec<&PerftCheck> = checks.iter().filter(|check| !check.agrees()).collect();
    for check in &wrong {
        let PerftCheck { line, depth, expected, found, fen } = check;
        writeln!(out, "{}:{line}: WRONG at depth {depth}: {found} found, {expected} expected: {fen}", path.display())?;
    }
    let refused = refused(&suite);
    for error in &suite.skipped {
        writeln!(out, "refused {error}")?;
    }
    let leaves: u64 = checks.iter().map(|check| check.found).sum();
    writeln!(
        out,
        "{}: {}, {} up to depth {depth} checked, {} wrong, {} refused; {} leaves in {:.1} s",
        suite.name,
        several(suite.records.len() as u64, "position"),
        several(checks.len() as u64, "count"),
        wrong.len(),
        suite.skipped.len(),
        grouped(leaves),
        start.elapsed().as_secs_f64(),
    )?;
    out.flush()?;
    json.write(&json!({
        "summary": true, "suite": suite.name, "positions": suite.records.len(), "counts": checks.len(), "wrong": wrong.len(),
        "refused": suite.skipped.len(), "leaves": leaves, "seconds": start.elapsed().as_secs_f64(),
    }))?;
    json.close()?;
    let unreadable = suite.skipped.len() > refused;
    Ok(if wrong.is_empty() && !unreadable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Number of lines whose position is not a legal chess position; they do not affect the exit code.
fn refused(suite: &Suite) -> usize {
    suite.skipped.iter().filter(|error| matches!(error.fault, EpdError::Position { .. })).count()
}

fn row(record: &Record, checks: &[PerftCheck]) -> [String; 5] {
    let wrong = checks.iter().filter(|check| !check.agrees()).count();
    let verdict = match (checks.len(), wrong) {
        (0, _) => "no count up to this depth".to_owned(),
        (_, 0) => "right".to_owned(),
        (_, wrong) => format!("{wrong} WRONG"),
    };
    let deepest = checks.iter().max_by_key(|check| check.depth);
    let [depth, leaves] =
        deepest.map_or_else(|| ["-", "-"].map(str::to_owned), |check| [check.depth.to_string(), grouped(check.found)]);
    [record.line.to_string(), record.fen(), depth, leaves, verdict]
}
