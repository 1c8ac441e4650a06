//! Worths in the sources: headers of rules, the list of all rules, and the page of results.

use std::fs;
use std::path::{Path, PathBuf};

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::header;
use quarterply_files::bench;
use quarterply_files::epd::Suite;
use quarterply_files::profile;
use quarterply_games::matches;
use quarterply_lab::ablation::written::{self, Conditions};
use quarterply_lab::ablation::{Worth, module_of};
use quarterply_lab::suite::HASH_DEFAULT;

use super::folder::replace;
use super::{Arguments, NODES_DEFAULT};
use crate::common::Common;
use crate::failure::Failure;

/// Where the files with headers are within the sources.
const ENGINE: &str = "crates/engine/src";
/// The list of all rules, and the page of their worths.
const LIST: &str = "docs/rules.md";
const PAGE: &str = "docs/results/rules.md";

/// Refreshes every place where worths are written down.
pub fn write_down(
    common: &Common,
    arguments: &Arguments,
    suite: Option<&Suite>,
    root: &Path,
    worths: &[Worth],
) -> Result<(), Failure> {
    let nodes = arguments.nodes.unwrap_or(NODES_DEFAULT);
    let conditions = Conditions {
        suite: suite.map(|suite| suite.name.to_uppercase()).unwrap_or_default(),
        nodes,
        profile: common.profile.clone().unwrap_or_else(|| profile::DEFAULT_NAME.to_owned()),
        hash: HASH_DEFAULT,
        date: matches::today().replace('.', "-"),
        bench: bench::signature(&Parameters::default(), bench::DEPTH_DEFAULT, usize::MAX),
        together: arguments.together,
    };
    let (usual, rules) = worths.split_first().ok_or_else(|| Failure::Run(miette!("nothing was measured")))?;
    let (mut list, page) = (read(root, LIST)?, read(root, PAGE)?);
    let mut changed = 0;
    for worth in rules {
        // A part of quiescence may share its file with a rule of the full search, whose worth the header tells.
        let file = module_of(&worth.rule);
        if file != worth.rule && rules.iter().any(|other| other.rule == file) {
            continue;
        }
        // Not every switch has a file of its own.
        let Some((path, source)) = source_of(root, &worth.rule) else { continue };
        let Some(sentence) = written::sentence(worth, usual, &conditions) else { continue };
        if let Some(new) = written::in_header(&source, &sentence) {
            replace(&path, &new)?;
            changed += 1;
        }
        list = written::in_list(&list, &worth.rule, &sentence).unwrap_or(list);
    }
    let new = written::in_page(&page, worths, &conditions, &command(arguments))
        .ok_or_else(|| Failure::Input(miette!("{PAGE}: has no table of worths")))?;
    replace(&root.join(LIST), &list)?;
    replace(&root.join(PAGE), &new)?;
    say!("{changed} headers, {LIST} and {PAGE} are refreshed");
    Ok(())
}

/// What measures the same again.
fn command(arguments: &Arguments) -> String {
    let suite = arguments.suite.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let mut text = format!("quarterply ablate {suite} --nodes {}", arguments.nodes.unwrap_or(NODES_DEFAULT));
    if let Some(games) = arguments.games {
        text += &format!(" --games {games} --game-nodes {}", arguments.game_nodes);
        if arguments.together {
            text += &format!(" --together --block {} --share {}", arguments.block, arguments.share);
        }
    }
    text + " --write ."
}

fn read(root: &Path, name: &str) -> Result<String, Failure> {
    let path = root.join(name);
    fs::read_to_string(&path).map_err(|error| {
        Failure::Input(miette!("{}: {error}; --write takes the folder of the sources", path.display()))
    })
}

fn source_of(root: &Path, rule: &str) -> Option<(PathBuf, String)> {
    let path = root.join(ENGINE).join(header::file(module_of(rule))?);
    fs::read_to_string(&path).ok().map(|source| (path, source))
}
