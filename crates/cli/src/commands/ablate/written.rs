//! The table of worths in the sources, the list of all rules, and the page of results.

use std::fs;
use std::path::Path;

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::worth::{FILE, Worths};
use quarterply_files::bench;
use quarterply_files::epd::Suite;
use quarterply_files::params::{self, ParameterList};
use quarterply_files::profile;
use quarterply_games::matches;
use quarterply_lab::ablation::SettingWorth;
use quarterply_lab::ablation::written::{self, WrittenConditions};
use quarterply_lab::suite::HASH_DEFAULT;

use super::Arguments;
use crate::common::Common;
use crate::export::replace;
use crate::failure::Failure;

/// The list of all rules, and the page of their worths.
const LIST: &str = "docs/rules.md";
const PAGE: &str = "docs/results/rules.md";

/// Refreshes every place where worths are written down.
pub fn write_down(
    common: &Common,
    arguments: &Arguments,
    nodes: u64,
    suite: Option<&Suite>,
    root: &Path,
    worths: &[SettingWorth],
) -> Result<(), Failure> {
    let conditions = WrittenConditions {
        suite: suite.map(|suite| suite.name.to_uppercase()).unwrap_or_default(),
        nodes,
        profile: common.profile.clone().unwrap_or_else(|| profile::DEFAULT_NAME.to_owned()),
        hash: HASH_DEFAULT,
        date: matches::today().replace('.', "-"),
        bench: bench::signature(&Parameters::default(), bench::DEPTH_DEFAULT, usize::MAX),
        together: arguments.together,
    };
    let old = Worths::parse(&read(root, FILE)?)
        .ok_or_else(|| Failure::Input(miette!("cannot read {FILE}: it is not JSON")))?;
    let table = written::table(worths, &conditions, old.notes()).map_err(Failure::input)?;
    let new =
        Worths::parse(&table).ok_or_else(|| Failure::Run(miette!("cannot write {FILE}: it would not be JSON")))?;
    let page = written::in_page(&read(root, PAGE)?, worths, &conditions, &command(arguments, nodes))
        .ok_or_else(|| Failure::Input(miette!("cannot update {PAGE}: it has no table of measured values")))?;
    let everything = ParameterList::new(Parameters::default(), &[]).map_err(Failure::run)?;
    for (file, text) in [(FILE, table), (LIST, params::markdown(&everything, &new)), (PAGE, page)] {
        replace(&root.join(file), |out| out.write_all(text.as_bytes()))?;
    }
    say!("{FILE}, {LIST} and {PAGE} were written");
    Ok(())
}

/// What measures the same again.
fn command(arguments: &Arguments, nodes: u64) -> String {
    // Readers find the suite by its name; where it is stored on this machine does not help them.
    let name = arguments.suite.as_deref().and_then(Path::file_name).unwrap_or_default();
    let suite = name.display();
    let mut text = format!("quarterply ablate {suite} --nodes {nodes}");
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
        Failure::Input(miette!("cannot write `{}`: {error}; give the folder of the sources to --write", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn the_page_names_the_suite_without_its_folder() {
        let line = Line::parse_from(["ablate", "some/folder/ecm.epd", "--write", "."]);
        assert_eq!(command(&line.arguments, 20_000), "quarterply ablate ecm.epd --nodes 20000 --write .");
    }
}
