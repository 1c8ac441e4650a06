//! `quarterply stats`: what a search does, counted over a suite, and what its pruning misses.

use std::path::PathBuf;
use std::process::ExitCode;

use quarterply_engine::search::pool::TABLE_DEFAULT;
use quarterply_engine::words::grouped;
use quarterply_lab::census::{self, Census, CensusPlan, CensusTable};
use serde_json::json;

use crate::common::Common;
use crate::export::{self, JsonLines};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::limits::{HASH_MAX, SearchLimits};
use crate::listing::{self, Listing};
use crate::numbers::{count, share};
use crate::positions::read_suites;
use crate::progress;

/// Default share of the pruned and reduced moves that are searched in full.
const AUDIT_DEFAULT: f64 = 0.01;
const PERCENT: f64 = 100.0;

/// Arguments of `stats`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Search the positions of these EPD files [default: those of the bench].
    #[arg(long, value_name = "FILE.epd")]
    pub suite: Vec<PathBuf>,
    #[command(flatten)]
    pub limits: SearchLimits,
    /// Size of the transposition table of each worker, in MiB.
    #[arg(long, value_name = "MB", default_value_t = TABLE_DEFAULT, value_parser = count::<usize>(0..=HASH_MAX))]
    pub hash: usize,
    /// Search this share of pruned and reduced moves in full, to see whether they matter: 0.01 or 1%; 0 for none.
    ///
    /// These searches are not counted and do not change the other figures.
    #[arg(long, value_name = "SHARE", default_value_t = AUDIT_DEFAULT, value_parser = share)]
    pub audit: f64,
    /// Write the page with the plots to this file.
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
}

/// Searches, counts, prints; exit code 1 if a line of a suite was skipped.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let parameters = common.parameters()?;
    let (records, skipped) = read_suites(&arguments.suite)?;
    let (control, stop) =
        interrupt::control("stopping: the figures so far follow (press Ctrl-C again to end at once)")?;
    let mut json = JsonLines::open(common, &arguments.suite)?;
    let page = arguments.page.as_ref().map(|path| export::create(common, path, &arguments.suite)).transpose()?;
    let plan = plan(common, arguments);
    let bar = progress::bar(common, records.len(), "positions");
    let mut failed = None;
    let workers = common.workers.unwrap_or(1);
    let census = census::run(&records, &parameters, &plan, workers, &control, &mut |searched| {
        bar.inc(1);
        failed = json.write(searched).err();
        failed.is_none()
    });
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error.into());
    }
    let census = census.map_err(Failure::input)?;
    let conditions = conditions(common, arguments, &plan);
    if let Some(draft) = page.filter(|_| !stop.is_set()) {
        draft.finish(census::page(&census, &conditions).map_err(Failure::run)?)?;
    }
    print(&mut json, &conditions, &census)?;
    if stop.is_set() {
        return Ok(interrupt::code());
    }
    json.write(&json!({"summary": true, "conditions": named(&conditions), "census": census::json(&census)}))?;
    json.close()?;
    Ok(if skipped > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn plan(common: &Common, arguments: &Arguments) -> CensusPlan {
    CensusPlan { limits: arguments.limits.get(), hash: arguments.hash, audit: arguments.audit, seed: common.seed }
}

/// A share in percent. 32 bits do not show the rounding error of the product.
fn percent(share: f64) -> f32 {
    (share * PERCENT) as f32
}

/// The conditions of the measurement.
fn conditions(common: &Common, arguments: &Arguments, plan: &CensusPlan) -> Vec<(&'static str, String)> {
    let suite = match &arguments.suite[..] {
        [] => "the positions of the bench".to_owned(),
        files => files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
    };
    let mut limits: Vec<String> =
        plan.limits.nodes.map(|nodes| format!("{} nodes", grouped(nodes))).into_iter().collect();
    limits.extend(plan.limits.depth.map(|depth| format!("depth {depth}")));
    vec![
        ("suite", suite),
        ("profile", common.settings()),
        ("limit per position", limits.join(", ")),
        ("table", format!("{} MiB", plan.hash)),
        ("audited", format!("{} %, seed {}", percent(plan.audit), plan.seed)),
        ("program", format!("{} (commit {})", env!("CARGO_PKG_VERSION"), env!("QUARTERPLY_COMMIT"))),
    ]
}

fn named(conditions: &[(&str, String)]) -> serde_json::Value {
    let pairs = conditions.iter().map(|(name, value)| (name.replace(' ', "_"), json!(value)));
    pairs.collect::<serde_json::Map<_, _>>().into()
}

fn print(json: &mut JsonLines, conditions: &[(&'static str, String)], census: &Census) -> Result<(), Failure> {
    let facts = census::facts(census);
    let facts = conditions.iter().chain(&facts).map(|(name, value)| [*name, value.as_str()]);
    json.print(&Listing::of(&["quantity", "value"], facts))?;
    for CensusTable { title, note, header, rows } in census::tables(census) {
        let table = Listing::of(&header, &rows);
        json.print(&format!("\n{title}\n{table}\n{}", listing::note(&note)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_printed_as_it_was_given() {
        for percentage in ["0", "7", "0.1", "12.5", "57", "100"] {
            let given = share(&format!("{percentage}%")).expect(percentage);
            assert_eq!(percent(given).to_string(), percentage);
        }
    }
}
