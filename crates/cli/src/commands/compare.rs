//! `quarterply compare A.json B.json`: what changed from one run of `solve` to the other.

use quarterply_engine::words::grouped;
use std::io::{self, Write};
use std::path::PathBuf;

use quarterply_lab::compare::{self, Pair, ResultsComparison};
use quarterply_stats::Mean;
use quarterply_window::words::several;
use serde_json::json;

use crate::common::Common;
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;

/// Two result files.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Results of the earlier run, from `solve --json`.
    #[arg(value_name = "A.json")]
    pub first: PathBuf,
    /// Results of the later run, from `solve --json`.
    #[arg(value_name = "B.json")]
    pub second: PathBuf,
}

/// Prints what changed; exit code 2 if a file is of no use.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    common.refuse_parameters("results are compared without a search")?;
    let mut json = JsonLines::open(common, [&arguments.first, &arguments.second])?;
    let first = compare::read_results(&arguments.first).map_err(Failure::input)?;
    let second = compare::read_results(&arguments.second).map_err(Failure::input)?;
    let comparison = compare::compare(&first, &second).map_err(Failure::input)?;
    write_json(&mut json, &comparison)?;
    let mut out = json.out();
    let (solved, lost): (Vec<&Pair>, Vec<&Pair>) =
        (comparison.newly_solved().collect(), comparison.newly_lost().collect());
    for (title, pairs) in [("newly solved", &solved), ("newly lost", &lost)] {
        writeln!(out, "{title}: {}", pairs.len())?;
        if !pairs.is_empty() {
            writeln!(out, "{}", changed(pairs))?;
        }
    }
    writeln!(out, "{}", totals(&comparison))?;
    for (name, count) in [(&first.file, comparison.only_first), (&second.file, comparison.only_second)] {
        if count > 0 {
            say!("warning: left out {} that only {name} has", several(count as u64, "position"));
        }
    }
    if let Some(warning) = compare::limits_differ(&first, &second, &comparison) {
        say!("warning: {warning}");
    }
    out.flush()?;
    json.close()
}

/// One line for each position that both runs have, then the totals.
fn write_json(json: &mut JsonLines, comparison: &ResultsComparison) -> io::Result<()> {
    for Pair { first, second } in &comparison.pairs {
        json.write(&json!({
            "suite": first.suite, "id": first.id, "fen": first.fen,
            "solved": [first.solved, second.solved], "move": [first.best, second.best],
            "nodes_stable": [first.nodes_stable, second.nodes_stable],
        }))?;
    }
    let (solved, nodes) = (comparison.solved(), comparison.nodes_stable());
    json.write(&json!({
        "summary": true, "positions": comparison.pairs.len(), "solved": [solved.0, solved.1], "solved_p": comparison.solved_p,
        "nodes_stable_total": [nodes.0, nodes.1], "fewer": comparison.fewer, "more": comparison.more,
        "nodes_p": comparison.nodes_p, "log_ratio": comparison.log_nodes.map(|mean| mean.mean),
        "log_ratio_margin": comparison.log_nodes.and_then(|mean| mean.margin),
    }))
}

fn changed(pairs: &[&Pair]) -> Listing {
    let mut listing =
        Listing::new(&["suite", "position", "move in A", "move in B", "stable in A", "stable in B"], 4..6);
    for Pair { first, second } in pairs {
        let text = |best: &Option<String>| best.clone().unwrap_or_else(|| "-".to_owned());
        listing.add_row([
            first.suite.clone(),
            first.id.clone(),
            text(&first.best),
            text(&second.best),
            grouped(first.nodes_stable),
            grouped(second.nodes_stable),
        ]);
    }
    listing
}

fn totals(comparison: &ResultsComparison) -> Listing {
    let (solved_a, solved_b) = comparison.solved();
    let (nodes_a, nodes_b) = comparison.nodes_stable();
    let mut listing = Listing::new(&["quantity", "A", "B", "change"], 1..4);
    let count = |n: usize| n.to_string();
    listing.add_row(["positions", &count(comparison.pairs.len()), &count(comparison.pairs.len()), ""]);
    let change = solved_b as i64 - solved_a as i64;
    let p = comparison.solved_p;
    listing.add_row(["solved", &count(solved_a), &count(solved_b), &format!("{change:+} (sign test p = {p:.4})")]);
    let percent = (nodes_b as f64 / (nodes_a as f64).max(1.0) - 1.0) * 100.0;
    listing.add_row([
        "nodes to the solution, stable",
        &grouped(nodes_a),
        &grouped(nodes_b),
        &format!("{percent:+.1} %"),
    ]);
    let ResultsComparison { fewer, more, nodes_p, .. } = comparison;
    let sign = format!("{fewer} fewer, {more} more (sign test p = {nodes_p:.4})");
    listing.add_row(["positions with fewer or more nodes", "", "", &sign]);
    if let Some(mean) = comparison.log_nodes {
        listing.add_row(["nodes per position, geometric mean", "", "", &ratio(mean)]);
    }
    listing
}

/// A mean of logarithms as a ratio with its 95 % interval.
fn ratio(mean: Mean) -> String {
    match mean.margin {
        None => format!("x {:.3} (one position has no interval)", mean.mean.exp()),
        Some(margin) => format!(
            "x {:.3}, 95 % between {:.3} and {:.3} (ln {:+.4} +- {:.4})",
            mean.mean.exp(),
            (mean.mean - margin).exp(),
            (mean.mean + margin).exp(),
            mean.mean,
            margin
        ),
    }
}
