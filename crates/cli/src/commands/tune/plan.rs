//! From arguments to the plan of a run.

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_lab::profile;
use quarterply_lab::tune::objective::Objective;
use quarterply_lab::tune::plan::{FORMAT, Part, Plan, SuitePlan, base_of};
use quarterply_lab::tune::space::Space;
use quarterply_lab::tune::{race, signature};

use super::RunArguments;
use super::methods::{Order, Preset};
use crate::args::Common;
use crate::failure::Failure;

/// The profile that the paper is about.
const PAPER_PROFILE: &str = "falcon";
/// The four extensions of the paper of 2002.
const EXTENSIONS: &str = "check.quarters,passed_pawn.quarters,recapture.quarters,one_reply.quarters";
/// Nodes per position: the paper.
const PAPER_NODES: u64 = 500_000;
/// Nodes per position if nothing is said.
const NODES: u64 = 100_000;
/// Table in MiB: room for all nodes of a position.
const HASH: usize = 16;
/// Pairs that price a candidate.
const PAIRS: u32 = 50;
/// Pairs of the final match.
const MATCH_PAIRS: u32 = 100;
/// Nodes per move in games.
const MOVE_NODES: u64 = 10_000;
/// Seed when none is given.
const SEED: u64 = 1;

/// The plan that the arguments describe.
pub fn make(common: &Common, order: &impl Order) -> Result<Plan, Failure> {
    let arguments = order.arguments();
    let preset = order.preset();
    let base = base(common, preset)?;
    let space = space(arguments, &base, preset)?;
    let objective = arguments.objective.clone().unwrap_or_else(|| order.objective());
    let (suite, holdout) = suites(arguments, &objective)?;
    let signature = signature::of_engine(&base, &space).map_err(Failure::input)?;
    Ok(Plan {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        signature,
        seed: common.seed.unwrap_or(SEED),
        budget: arguments.budget_nodes,
        objective,
        nodes: arguments.nodes.unwrap_or(if preset.is_some() { PAPER_NODES } else { NODES }),
        hash: arguments.hash.unwrap_or(HASH),
        move_nodes: arguments.move_nodes.unwrap_or(MOVE_NODES),
        pairs: arguments.pairs.unwrap_or(PAIRS),
        match_pairs: arguments.match_pairs.unwrap_or(MATCH_PAIRS),
        race: arguments.race.then(race::Settings::default),
        method: order.method(false),
        suite,
        holdout,
        space,
        base: base_of(&base),
    })
}

fn base(common: &Common, preset: Option<Preset>) -> Result<Parameters, Failure> {
    let choice = common.profile.as_deref().or(preset.map(|_| PAPER_PROFILE));
    profile::resolve(choice, &common.set).map_err(Failure::input)
}

fn space(arguments: &RunArguments, base: &Parameters, preset: Option<Preset>) -> Result<Space, Failure> {
    match (&arguments.params, preset) {
        (Some(patterns), _) => Space::of_engine(base, patterns).map_err(Failure::input),
        (None, Some(Preset::Paper)) => Space::paper(base).map_err(Failure::input),
        (None, Some(Preset::Extensions)) => Space::of_engine(base, EXTENSIONS).map_err(Failure::input),
        (None, None) => Err(Failure::Input(miette!(
            "nothing to tune: give --params \"null_move.*,futility.*\" (names: `quarterply params`) or --preset paper"
        ))),
    }
}

/// The suite to tune on and the hold-out.
fn suites(arguments: &RunArguments, objective: &Objective) -> Result<(Option<SuitePlan>, Option<SuitePlan>), Failure> {
    let part =
        |rest| arguments.positions.map(|count| Part { count: count as usize, seed: arguments.positions_seed, rest });
    let of_file = |path, part| SuitePlan::of_file(path, part).map_err(Failure::input);
    let suite = match &arguments.suite {
        Some(path) => Some(of_file(path, part(false))?),
        None if objective.needs_suite() => {
            return Err(Failure::Input(miette!("nothing to tune on: give --suite FILE.epd, or --objective games")));
        }
        None => None,
    };
    let holdout = match (&arguments.holdout, &arguments.suite) {
        (Some(path), _) => Some(of_file(path, None)?),
        (None, Some(path)) if arguments.positions.is_some() => Some(of_file(path, part(true))?),
        (None, _) => None,
    };
    Ok((suite, holdout))
}
