//! `quarterply ablate SUITE`: the worth of each rule, by turning its switch over.

use std::path::PathBuf;
use std::process::ExitCode;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::words::grouped;
use quarterply_lab::epd::Suite;
use quarterply_lab::suite::{self, Conditions, EngineSolver, HASH_DEFAULT, Row, Stop};
use quarterply_lab::{profile, stats};
use serde::Serialize;

use crate::args::Common;
use crate::export::JsonLines;
use crate::failure::{Done, Failure};
use crate::listing::Listing;
use crate::numbers::count;
use crate::progress;

/// Nodes per position unless said otherwise.
const NODES_DEFAULT: u64 = 50_000;

/// Which suite, which limit.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// EPD file with bm or am operations.
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// Nodes per position.
    #[arg(long, value_name = "N", default_value_t = NODES_DEFAULT, value_parser = count::<u64>(1..))]
    pub nodes: u64,
}

/// What the suite says of one setting.
#[derive(Serialize)]
struct Worth {
    rule: String,
    /// The rule's switch in this run.
    on: bool,
    solved: u64,
    newly_solved: u64,
    newly_lost: u64,
    nodes_stable_total: u64,
    /// Geometric mean of nodes to solution against the profile as it is, with its 95 % interval.
    ratio: f64,
    ratio_low: f64,
    ratio_high: f64,
}

/// Runs the suite with the profile as it is, then with each rule's switch turned over.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let parameters = profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?;
    let suite = super::solve::load(&arguments.suite)?;
    let groups: Vec<&str> = Parameters::specs().filter(|e| e.spec.name == "on").map(|e| e.group).collect();
    let mut json = JsonLines::open(common, [&arguments.suite])?;
    let mut listing =
        Listing::new(&["rule turned over", "now", "solved", "newly", "lost", "stable", "ratio", "95 %"], 2..7);
    let bar = progress::bar(common, groups.len() + 1, "rules");
    let usual = solve(common, &suite, &parameters, arguments.nodes)?;
    let first = worth("none", true, &usual, &usual);
    let mut add = |worth: &Worth| {
        listing.add_row(cells(worth));
        bar.inc(1);
        json.write(worth)
    };
    add(&first)?;
    for group in groups {
        let name = format!("{group}.on");
        let mut turned = parameters.clone();
        let on = turned.get(&name).map_err(Failure::input)? == 0;
        turned.set(&name, i32::from(on)).map_err(Failure::input)?;
        let rows = solve(common, &suite, &turned, arguments.nodes)?;
        add(&worth(group, on, &usual, &rows))?;
    }
    bar.finish_and_clear();
    json.print(&listing)?;
    json.close()?;
    Ok(if suite.skipped.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn solve(common: &Common, suite: &Suite, parameters: &Parameters, nodes: u64) -> Result<Vec<Row>, Failure> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let make = || EngineSolver::new(parameters.clone(), HASH_DEFAULT, 1);
    let mut rows = Vec::new();
    suite::run(
        suite,
        &Conditions { limits, stop: Stop::AtLimit },
        common.workers.unwrap_or(1),
        &make,
        &mut |_, row| {
            rows.push(row.clone());
            true
        },
    )
    .map_err(Failure::input)?;
    Ok(rows)
}

fn worth(rule: &str, on: bool, usual: &[Row], rows: &[Row]) -> Worth {
    let pairs = || usual.iter().zip(rows);
    let logs: Vec<f64> =
        pairs().map(|(a, b)| (b.nodes_stable.max(1) as f64 / a.nodes_stable.max(1) as f64).ln()).collect();
    let (middle, half): (f64, f64) =
        stats::mean(&logs).map_or((0.0, 0.0), |m| (m.mean, m.margin.unwrap_or(f64::INFINITY)));
    Worth {
        rule: rule.to_owned(),
        on,
        solved: rows.iter().filter(|r| r.solved).count() as u64,
        newly_solved: pairs().filter(|(a, b)| !a.solved && b.solved).count() as u64,
        newly_lost: pairs().filter(|(a, b)| a.solved && !b.solved).count() as u64,
        nodes_stable_total: rows.iter().map(|r| r.nodes_stable).sum(),
        ratio: middle.exp(),
        ratio_low: (middle - half).exp(),
        ratio_high: (middle + half).exp(),
    }
}

fn cells(w: &Worth) -> Vec<String> {
    let now = if w.rule == "none" {
        ""
    } else if w.on {
        "on"
    } else {
        "off"
    };
    vec![
        w.rule.clone(),
        now.to_owned(),
        w.solved.to_string(),
        format!("+{}", w.newly_solved),
        format!("-{}", w.newly_lost),
        grouped(w.nodes_stable_total),
        format!("{:.3}", w.ratio),
        format!("{:.3} .. {:.3}", w.ratio_low, w.ratio_high),
    ]
}
