//! `quarterply train verify NET [DATA...]`: checks a network, and compares its loss with that of other evaluations.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quarterply_engine::network::{BIAS_MAX, DEFAULT, Network, OUTPUT_MAX, OUTPUT_SUM_MAX, Parts, WEIGHT_MAX};
use quarterply_engine::words::grouped;
use quarterply_learn::train::comparison::{Difference, Finding, NetworkComparison, ValidationSet, compare};
use quarterply_learn::train::data::DataSource;
use quarterply_learn::train::error::TrainError;
use quarterply_learn::train::kernel::Labels;
use quarterply_learn::train::known::{KnownValue, answers};
use quarterply_learn::train::settings::{FILE, TrainingSettings};
use quarterply_stats::SAMPLE_MIN;
use quarterply_window::words::several;
use serde_json::{Value, json};

use super::{failure, read};
use crate::commands::datagen::filter::flags;
use crate::common::Common;
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::numbers::{count, share};
use crate::progress;

/// Enough to separate evaluations.
const POSITIONS: usize = 100_000;
const PERCENT: f32 = 100.0;

/// Which network, and by which games.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Network file, or `<default>` for the built-in network.
    #[arg(value_name = "NET")]
    network: PathBuf,
    /// Folders of `datagen` or of packed files, single shards or packed files [default: the games of the network's run, if the network is in its folder].
    #[arg(value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Use all games of DATA, because the network was not trained on them.
    #[arg(long, requires = "data")]
    all: bool,
    /// Evaluate on at most N positions.
    #[arg(long, value_name = "N", default_value_t = POSITIONS as u64, value_parser = count::<u64>(1..))]
    positions: u64,
    /// Weight of the game result in the target, 0 to 1, so that losses of networks with different targets can be compared [default:
    /// that of the network's training].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    result: Option<f64>,
}

/// Reads, checks, compares; exit code 1 if the network's loss is not below that of counting pieces.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let mut json = JsonLines::open(common, arguments.data.iter().chain([&arguments.network]))?;
    let network = read(&arguments.network)?;
    let plan = stored_plan(&network);
    let share = plan["classical"].as_f64().unwrap_or_default() as f32;
    let validation = validation(arguments, share, plan)?;
    json.print(&facts(&network))?;
    let cells = |answer: KnownValue| [answer.name.to_owned(), answer.value.to_string(), answer.passed.to_string()];
    json.print(&Listing::of(&["position", "value", "other side to move"], answers(&network).into_iter().map(cells)))?;
    let comparison = match validation {
        Some(validation) => {
            let compared = examine(common, &network, &validation, arguments.data.is_empty())?;
            Some((compared, validation))
        }
        None => None,
    };
    let better = comparison.as_ref().is_none_or(|(losses, _)| losses.network.loss < losses.material.loss);
    match &comparison {
        Some((losses, validation)) => {
            json.print(&table(losses, validation))?;
            for (other, difference) in
                [("the classical evaluation", losses.against_classical), ("counting pieces", losses.against_material)]
            {
                json.print(&conclusion(&name(validation), other, &difference))?;
            }
        }
        None => json.print(&"not compared: no games are known; give folders of games after the network")?,
    }
    json.write(&json!({
        "network": network.name(),
        "hidden": network.neurons(),
        "buckets": network.buckets(),
        "scale": network.parts().scale,
        "facts": serde_json::from_str::<serde_json::Value>(network.facts()).ok(),
        "classical_share": decimal(share),
        "target": comparison.as_ref().map(|(_, validation)| json!({
            "result": decimal(validation.goal.result),
            "result_endings": decimal(validation.goal.result_endings),
            "scale": validation.goal.scale,
            "filter": validation.selection.filter,
        })),
        "comparison": comparison.as_ref().map(|(losses, _)| losses),
        "better_than_material": comparison.as_ref().map(|_| better),
    }))?;
    json.close()?;
    if !better {
        say!("the loss of the network is not below that of counting pieces: train with more games or more passes");
    }
    Ok(if better { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn examine(
    common: &Common,
    network: &Network,
    validation: &ValidationSet,
    of_run: bool,
) -> Result<NetworkComparison, Failure> {
    let bar = progress::bar(common, validation.positions_max, "positions");
    let comparison = common.pool()?.install(|| compare(network, validation, &mut |done| bar.set_position(done as u64)));
    bar.finish_and_clear();
    comparison.map_err(|error| unreadable(error, of_run))
}

/// Why games cannot be used. Those `of_run` were not named by the user.
fn unreadable(error: TrainError, of_run: bool) -> Failure {
    match error {
        TrainError::Data(error) if of_run => Failure::Input(miette::miette!(
            "cannot use the games of the network's run: {error}; or name other games after the network"
        )),
        error => failure(error),
    }
}

/// A share as it was written: 0.3 without the digits of its binary form.
fn decimal(share: f32) -> f64 {
    share.to_string().parse().unwrap_or_else(|_| share.into())
}

/// The games to evaluate on: those held out by the run if it is known, otherwise all. The labels are defined as in training, by the
/// run's plan or else by the network file.
fn validation(arguments: &Arguments, classical: f32, stored: Value) -> Result<Option<ValidationSet>, Failure> {
    let folder = arguments.network.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let built_in = arguments.network.as_path() == Path::new(DEFAULT);
    let settings = if !built_in && folder.join(FILE).exists() {
        Some(TrainingSettings::read(folder).map_err(failure)?)
    } else {
        None
    };
    let from_network = || serde_json::from_value(stored).ok(); // plans of older versions may have another form
    let plan = settings.as_ref().map(|settings| settings.plan.clone()).or_else(from_network).unwrap_or_default();
    let sources = if arguments.data.is_empty() {
        settings.as_ref().map(|settings| settings.sources.clone()).unwrap_or_default()
    } else {
        arguments.data.iter().map(|path| DataSource::all(path)).collect()
    };
    if sources.is_empty() {
        return Ok(None);
    }
    let held_out_only = settings.is_some() && !arguments.all;
    if !held_out_only && !arguments.all {
        let unknown = if built_in {
            "the network is built in".to_owned()
        } else {
            format!("{}: no {FILE} in the network's folder", folder.display())
        };
        say!("{unknown}: all games are used, including those that it may have been trained on");
    }
    let mut goal = Labels { classical, ..plan.goal() };
    if let Some(result) = arguments.result {
        (goal.result, goal.result_endings) = (result as f32, result as f32);
    }
    Ok(Some(ValidationSet {
        sources,
        selection: plan.selection(),
        held_out_only,
        goal,
        positions_max: usize::try_from(arguments.positions).unwrap_or(usize::MAX),
    }))
}

/// The training settings stored in a network; `null` without them.
fn stored_plan(network: &Network) -> Value {
    let mut facts: Value = serde_json::from_str(network.facts()).unwrap_or_default();
    let mut plan = facts.get_mut("plan").map(Value::take).unwrap_or_default();
    if let Some(plan) = plan.as_object_mut() {
        // A removed option, which does not change the labels used here.
        plan.remove("distil");
    }
    plan
}

fn facts(network: &Network) -> String {
    let parts = network.parts();
    let largest = |values: &[i16]| values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
    let Parts { weights, biases, output_weights, scale, .. } = &parts;
    let sum = |row: &[i16], sign: i32| row.iter().map(|value| (i32::from(*value) * sign).max(0)).sum::<i32>();
    let rows = output_weights.chunks(output_weights.len() / network.buckets());
    let sums = rows.map(|row| sum(row, 1).max(sum(row, -1))).max().unwrap_or(0);
    format!(
        "{}: {} hidden units, {}, scale {scale}\nfacts: {}\n\
         largest values and limits: weights {} of {WEIGHT_MAX}, biases {} of {BIAS_MAX}, output weights {} of {OUTPUT_MAX}, \
         sums of output weights {} of {}",
        network.name(),
        network.neurons(),
        several(network.buckets() as u64, "output bucket"),
        if network.facts().is_empty() { "none" } else { network.facts() },
        largest(weights),
        largest(biases),
        largest(output_weights),
        grouped(sums as u64),
        grouped(OUTPUT_SUM_MAX as u64),
    )
}

/// Name of the network, with the share of the classical evaluation that it was trained with.
fn name(validation: &ValidationSet) -> String {
    let share = validation.goal.classical;
    if share > 0.0 { format!("network, {:.0} % classical", PERCENT * share) } else { "network".to_owned() }
}

/// The result of a comparison, in a sentence with its interval.
fn conclusion(name: &str, other: &str, difference: &Difference) -> String {
    let Difference { loss, low, high, games, finding } = *difference;
    let end = |value: Option<f64>, open: &str| value.map_or_else(|| open.to_owned(), |value| format!("{value:+.6}"));
    let interval = format!("{loss:+.6} [{}, {}]", end(low, "-inf"), end(high, "+inf"));
    let measured = format!("difference of the losses {interval}, 95 % interval over {}", several(games as u64, "game"));
    match finding {
        Finding::Better => format!("The {name} is better than {other}: {measured}."),
        Finding::Worse => format!("The {name} is worse than {other}: {measured}."),
        Finding::Unclear if (games as u64) < SAMPLE_MIN => {
            format!("Unclear whether the {name} is better than {other}: {measured}, too few for a conclusion.")
        }
        Finding::Unclear => format!("No difference found between the {name} and {other}: {measured}."),
    }
}

/// Loss of each evaluation and the definition of the labels: losses can be compared only for the same labels.
fn table(losses: &NetworkComparison, validation: &ValidationSet) -> String {
    let Labels { result, result_endings, scale, .. } = validation.goal;
    let name = name(validation);
    let rows = [(name.as_str(), losses.network), ("classical", losses.classical), ("counting pieces", losses.material)]
        .map(|(name, fitted)| [name.to_owned(), format!("{:.6}", fitted.loss), format!("{:.0}", fitted.scale)]);
    let listing = Listing::of(&["evaluation", "loss", "best scale"], rows);
    let endings = if result_endings == result { String::new() } else { format!(" (in endings {result_endings})") };
    format!(
        "{listing}\n{} of {}\ntarget: scores at scale {scale}, results weigh {result}{endings}; filter: {}",
        several(losses.positions as u64, "position"),
        several(losses.games, "game"),
        flags(&validation.selection.filter)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_digits_that_it_was_given_with() {
        for share in [0.0, 0.3, 0.33, 0.7, 1.0] {
            assert_eq!(decimal(share as f32), share);
        }
    }

    /// 0.0300 against 0.0218 stood there without a conclusion.
    #[test]
    fn the_conclusion_contains_its_interval() {
        let [better, worse] = ["better", "worse"].map(|word| format!("The network is {word} than X"));
        let (none, unclear) =
            ("No difference found between the network and X", "Unclear whether the network is better than X");
        for (low, high, games, finding, verdict, interval, over) in [
            (None, None, 30, Finding::Better, better.as_str(), "[-inf, +inf]", "30 games"),
            (Some(0.007), Some(0.0094), 1328, Finding::Worse, &worse, "[+0.007000, +0.009400]", "1 328 games"),
            (Some(-0.001), Some(0.0174), 40, Finding::Unclear, none, "[-0.001000, +0.017400]", "40 games"),
            (None, None, 1, Finding::Unclear, unclear, "[-inf, +inf]", "1 game, too few for a conclusion"),
        ] {
            let found = conclusion("network", "X", &Difference { loss: 0.0082, low, high, games, finding });
            let expected =
                format!("{verdict}: difference of the losses +0.008200 {interval}, 95 % interval over {over}.");
            assert_eq!(found, expected);
        }
    }
}
