//! The table of worths in the sources, the list of all rules, and the page of results.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::worth::{FILE, Worths};
use quarterply_files::bench;
use quarterply_files::epd::Suite;
use quarterply_files::params::{self, ParameterList};
use quarterply_lab::ablation::SettingWorth;
use quarterply_lab::ablation::worth_table::{ClockConditions, WorthTable, WrittenConditions};
use quarterply_lab::suite::HASH_DEFAULT;
use quarterply_uci::date::today;

use super::Arguments;
use crate::common::Common;
use crate::export::{NO_INPUT, replace};
use crate::failure::Failure;

/// The list of all rules, and the page of their worths.
const LIST: &str = "docs/rules.md";
const PAGE: &str = "docs/results/rules.md";

/// Refreshes every place where worths are written down. `measured` are the rows, and how the figures of games come about.
pub fn write_down(
    common: &Common,
    arguments: &Arguments,
    suite: Option<&Suite>,
    root: &Path,
    measured: (Vec<SettingWorth>, String),
) -> Result<(), Failure> {
    let old = read(root, FILE)?;
    let table = match arguments.game_tc {
        Some(control) => by_clock(common, arguments, &old, &control.to_string(), measured)?,
        None => new_table(common, arguments, suite, &old, measured)?,
    };
    let text = table.json().map_err(Failure::input)?;
    let new = Worths::parse(&text).ok_or_else(|| Failure::Run(miette!("cannot write {FILE}: it would not be JSON")))?;
    let page = table
        .in_page(&read(root, PAGE)?)
        .ok_or_else(|| Failure::Input(miette!("cannot update {PAGE}: it has no generated part")))?;
    let everything = ParameterList::new(Parameters::default(), &[]).map_err(Failure::run)?;
    for (file, text) in [(FILE, text), (LIST, params::markdown(&everything, &new)), (PAGE, page)] {
        replace(&root.join(file), NO_INPUT, &text)?;
    }
    say!("{FILE}, {LIST} and {PAGE} were written");
    Ok(())
}

/// Fails before anything is measured if what will be measured could not be written.
pub fn check(common: &Common, arguments: &Arguments, root: &Path) -> Result<(), Failure> {
    read(root, LIST)?;
    let old = read(root, FILE)?;
    if arguments.game_tc.is_some() {
        of_this_program(common, &old)?;
    }
    if !WorthTable::placed(&read(root, PAGE)?) {
        refuse!("cannot update {PAGE}: it has no generated part; restore the page");
    }
    notes(&old).map(drop)
}

/// The old table with its notes.
fn notes(old: &str) -> Result<Worths, Failure> {
    Worths::parse(old).ok_or_else(|| Failure::Input(miette!("cannot read {FILE}: it is not JSON; restore the file")))
}

/// A table of what was measured at numbers of nodes, with the notes of the old one.
fn new_table(
    common: &Common,
    arguments: &Arguments,
    suite: Option<&Suite>,
    old: &str,
    (worths, method): (Vec<SettingWorth>, String),
) -> Result<WorthTable, Failure> {
    let conditions = WrittenConditions {
        suite: suite.map(|suite| suite.name.to_uppercase()),
        nodes: suite.and(arguments.nodes),
        profile: common.profile_name().to_owned(),
        hash: HASH_DEFAULT,
        date: today('-'),
        bench: signature(),
        together: arguments.together,
        command: command(common, arguments),
        method,
        clock: None,
    };
    Ok(WorthTable::new(conditions, worths, notes(old)?.notes().clone()))
}

/// The old table, if it is of this program and profile: games by the clock can be added to it.
fn of_this_program(common: &Common, old: &str) -> Result<WorthTable, Failure> {
    let old: WorthTable = serde_json::from_str(old)
        .map_err(|error| Failure::Input(miette!("cannot read {FILE}: {error}; measure it again without --game-tc")))?;
    const REMEDY: &str = "measure all rows first, without --game-tc";
    let (known, profile) = (&old.conditions, common.profile_name());
    if known.profile != profile {
        refuse!(
            "cannot add games by the clock to {FILE}: it is of profile `{}`, this is profile `{profile}`; {REMEDY}",
            known.profile
        );
    }
    let bench = signature();
    if known.bench != bench {
        refuse!(
            "cannot add games by the clock to {FILE}: it is of bench {}, this is bench {bench}; {REMEDY}",
            known.bench
        );
    }
    Ok(old)
}

/// The old table with games by the clock.
fn by_clock(
    common: &Common,
    arguments: &Arguments,
    old: &str,
    control: &str,
    (worths, method): (Vec<SettingWorth>, String),
) -> Result<WorthTable, Failure> {
    let old = of_this_program(common, old)?;
    let clock = ClockConditions {
        control: control.to_owned(),
        date: today('-'),
        workers: common.workers.unwrap_or(1),
        command: command(common, arguments),
        method,
    };
    Ok(old.with_clock(clock, worths))
}

/// The bench of this program.
fn signature() -> u64 {
    static BENCH: OnceLock<u64> = OnceLock::new();
    *BENCH.get_or_init(|| bench::signature(&Parameters::default(), bench::DEPTH_DEFAULT, usize::MAX))
}

/// The command that repeats the measurement.
fn command(common: &Common, arguments: &Arguments) -> String {
    let mut words = vec!["quarterply ablate".to_owned()];
    if let Some(suite) = &arguments.suite {
        // Readers find the suite by its name; where it is stored on this machine does not help them.
        words.extend(suite.file_name().map(|name| name.display().to_string()));
        words.extend(arguments.nodes.map(|nodes| format!("--nodes {nodes}")));
    }
    words.extend(arguments.staged.then(|| format!("--staged --width {}", listed(&arguments.width))));
    words.extend(arguments.budget.map(|games| format!("--budget {games}")));
    words.extend(arguments.games.map(|games| format!("--games {games}")));
    match arguments.game_tc {
        Some(control) => words.push(format!("--game-tc {control}")),
        None if arguments.staged || arguments.games.is_some() => {
            words.push(format!("--game-nodes {}", listed(&arguments.game_nodes)));
        }
        None => {}
    }
    words.extend(arguments.without.as_ref().map(|rules| match rules.as_slice() {
        [] => "--without".to_owned(),
        rules => format!("--without={}", rules.join(",")),
    }));
    words.extend(common.workers.filter(|_| arguments.game_tc.is_some()).map(|workers| format!("--workers {workers}")));
    if arguments.together {
        words.push(format!("--together --block {} --share {}", arguments.block, arguments.share));
    }
    words.extend(common.profile.as_ref().map(|profile| format!("--profile {profile}")));
    words.extend(common.seed_given.then(|| format!("--seed {}", common.seed)));
    words.push("--write .".to_owned());
    words.join(" ")
}

fn listed<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(",")
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
        common: Common,
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn the_page_names_the_suite_without_its_folder_and_the_arguments() {
        for (words, command) in [
            ("some/folder/ecm.epd", "ecm.epd --nodes 50000"),
            ("a.epd --nodes 20k --games 200", "a.epd --nodes 20000 --games 200 --game-nodes 5000"),
            (
                "--staged --width 16,32.5 --budget 200k --game-nodes 2000,20k --seed 7",
                "--staged --width 16,32.5 --budget 200000 --game-nodes 2000,20000 --seed 7",
            ),
            (
                "--staged --width 24 --game-tc 2+0.02 --without=probcut,null_move --workers 2",
                "--staged --width 24 --game-tc 2+0.02 --without=probcut,null_move --workers 2",
            ),
        ] {
            let line = Line::parse_from(format!("ablate {words} --write .").split_whitespace());
            let common = Common { seed_given: words.contains("--seed"), ..line.common };
            let found = super::command(&common, &line.arguments);
            assert_eq!(found, format!("quarterply ablate {command} --write ."));
        }
    }
}
