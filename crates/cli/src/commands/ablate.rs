//! `quarterply ablate SUITE`: the worth of each rule, by turning its switch over.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use miette::miette;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::words::grouped;
use quarterply_files::bench;
use quarterply_files::draft::{Draft, Rules};
use quarterply_files::epd::Suite;
use quarterply_files::profile;
use quarterply_games::matches;
use quarterply_games::solver::EngineSolver;
use quarterply_lab::suite::{self, Conditions, HASH_DEFAULT, Row, Stop};
use quarterply_lab::worths::{self, Worth};

use crate::common::Common;
use crate::export::{JsonLines, failure, write_whole};
use crate::failure::{Done, Failure};
use crate::listing::Listing;
use crate::numbers::count;
use crate::progress;

/// Where the rules are within the sources, and the page of their worths.
const RULES: &str = "crates/engine/src/rules";
const PAGE: &str = "docs/results/rules.md";
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
    /// Write the worths down in this copy of the sources: under *Measured* in the header of each rule, and in
    /// docs/results/rules.md. Then `quarterply params --format markdown > docs/rules.md`.
    #[arg(long, value_name = "ROOT")]
    pub write: Option<PathBuf>,
}

/// Runs the suite with the profile as it is, then with each rule's switch turned over.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let parameters = profile::resolve(common.profile.as_deref(), &common.set).map_err(Failure::input)?;
    let suite = super::solve::load(&arguments.suite)?;
    let groups: Vec<&str> = Parameters::specs().filter(|e| e.spec.name == "on").map(|e| e.group).collect();
    if arguments.write.is_some() && !common.set.is_empty() {
        return Err(Failure::Input(miette!("--write: worths are those of a profile, so --set has no place beside it")));
    }
    let mut json = JsonLines::open(common, [&arguments.suite])?;
    let mut listing =
        Listing::new(&["rule turned over", "now", "solved", "newly", "lost", "stable", "ratio", "95 %"], 2..7);
    let bar = progress::bar(common, groups.len() + 1, "rules");
    let usual = solve(common, &suite, &parameters, arguments.nodes)?;
    let first = worth(worths::NONE, true, &usual, &usual);
    let mut worths = Vec::new();
    let mut add = |worth: Worth| {
        listing.add_row(cells(&worth));
        bar.inc(1);
        let written = json.write(&worth);
        worths.push(worth);
        written
    };
    add(first)?;
    for group in groups {
        let name = format!("{group}.on");
        let mut turned = parameters.clone();
        let on = turned.get(&name).map_err(Failure::input)? == 0;
        turned.set(&name, i32::from(on)).map_err(Failure::input)?;
        let rows = solve(common, &suite, &turned, arguments.nodes)?;
        add(worth(group, on, &usual, &rows))?;
    }
    bar.finish_and_clear();
    json.print(&listing)?;
    json.close()?;
    if let Some(root) = &arguments.write {
        write_down(common, arguments, &suite.name, root, &worths)?;
    }
    Ok(if suite.skipped.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Refreshes every place where worths are written down.
fn write_down(
    common: &Common,
    arguments: &Arguments,
    suite: &str,
    root: &Path,
    worths: &[Worth],
) -> Result<(), Failure> {
    let conditions = worths::Conditions {
        suite: suite.to_uppercase(),
        nodes: arguments.nodes,
        profile: common.profile.clone().unwrap_or_else(|| profile::DEFAULT_NAME.to_owned()),
        hash: HASH_DEFAULT,
        date: matches::today().replace('.', "-"),
        bench: bench::signature(&Parameters::default(), bench::DEPTH_DEFAULT, usize::MAX),
    };
    let (usual, rules) = worths.split_first().ok_or_else(|| Failure::Run(miette!("nothing was measured")))?;
    let mut changed = 0;
    for worth in rules {
        let path = root.join(RULES).join(&worth.rule).with_extension("rs");
        // Not every switch has a file of its own.
        let Ok(source) = fs::read_to_string(&path) else { continue };
        if let Some(new) = worths::in_header(&source, &worths::sentence(worth, usual, &conditions)) {
            replace(&path, &new)?;
            changed += 1;
        }
    }
    let page = root.join(PAGE);
    let old = fs::read_to_string(&page).map_err(|error| {
        Failure::Input(miette!("{}: {error}; --write takes the folder of the sources", page.display()))
    })?;
    let command = format!("quarterply ablate {} --nodes {} --write .", arguments.suite.display(), arguments.nodes);
    let new = worths::in_page(&old, worths, &conditions, &command)
        .ok_or_else(|| Failure::Input(miette!("{}: has no table of worths", page.display())))?;
    replace(&page, &new)?;
    say!("{changed} headers and {PAGE} are refreshed; now: quarterply params --format markdown > docs/rules.md");
    Ok(())
}

/// Sources are there to be replaced.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let rules = Rules { overwrite: true, ..Rules::default() };
    write_whole(Draft::create(path, &rules).map_err(failure)?, path, text)
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
        quarterply_stats::mean(&logs).map_or((0.0, 0.0), |m| (m.mean, m.margin.unwrap_or(f64::INFINITY)));
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
