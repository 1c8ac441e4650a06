//! From arguments to the plan of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use miette::Report;
use quarterply_files::profile;
use quarterply_tune::inputs::{RecordedEngine, space_of};
use quarterply_tune::objective::Objective;
use quarterply_tune::optimiser::Method;
use quarterply_tune::optimiser::genetic::GeneticSettings;
use quarterply_tune::optimiser::spsa::SpsaSettings;
use quarterply_tune::plan::{FORMAT, SuitePart, SuitePlan, TuningPlan};
use quarterply_tune::recorded::{RecordedCoefficients, RecordedProfile, coefficient_files};
use quarterply_tune::space::{Dimension, Space};
use quarterply_tune::{ineffective, race, shipped, signature};

use super::methods::{OptimiserArguments, RunOrder};
use super::{Preset, RunArguments};
use crate::common::{Common, command_line, engine_options};
use crate::failure::Failure;
use crate::positions::read_suite;

/// The profile that the paper is about.
const PAPER_PROFILE: &str = "falcon";
/// The four extensions of the paper of 2002.
const EXTENSIONS: &str = "check.quarters,passed_pawn.quarters,recapture.quarters,one_reply.quarters";
/// Positions of the shipped suite that a quick run tunes on.
const QUICK_POSITIONS: usize = 500;

/// The plan that the arguments describe.
pub fn make(common: &Common, order: &RunOrder<impl OptimiserArguments>) -> Result<TuningPlan, Failure> {
    let arguments = &order.run;
    let own_choice = arguments.params.is_some() || arguments.engine.is_some();
    let preset = arguments.preset.or((arguments.quick && !own_choice).then_some(Preset::Paper));
    let objective = arguments.objective.clone().unwrap_or_else(|| order.method.objective(arguments));
    let mut method = order.method.method();
    let race = race(arguments, &method)?;
    check_method(arguments, &method, &objective)?;
    if objective.needs_games() {
        fit_sample(&mut method, arguments.openings.max(arguments.pairs), "openings", ", or raise --openings")?;
    }
    let (suite, holdout) = suites(arguments, &objective)?;
    if let Some(suite) = &suite {
        fit_sample(&mut method, suite.size().map_err(Failure::input)?, "positions in the suite", "")?;
    }
    // Last, because it searches: what is refused should be refused at once.
    let subject = match &arguments.engine {
        None => own(common, arguments, preset)?,
        Some(command) => other(arguments, command)?,
    };
    for Dimension { name, min, max, start, .. } in subject.space.dimensions.iter().filter(|one| !one.has_start()) {
        say!(
            "warning: the start value {start} of {name} is outside its range {min}..{max}; widen the range, or set a value in it"
        );
    }
    Ok(TuningPlan {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        signature: subject.signature,
        command: Some(command_line()),
        seed: common.seed,
        budget: arguments.budget_nodes,
        noisy: method.is_noisy(&objective),
        objective,
        nodes: arguments.nodes,
        hash: arguments.hash,
        move_nodes: arguments.moves.other().is_none().then_some(arguments.moves.move_nodes),
        move_limit: arguments.moves.other(),
        faults: arguments.faults,
        pairs: arguments.pairs,
        match_pairs: arguments.match_pairs,
        openings: arguments.openings,
        opening_set: None,
        race,
        method,
        engine: subject.engine,
        suite,
        holdout,
        space: subject.space,
        eval_file: subject.eval_file,
        coefficients: subject.coefficients,
        base: subject.base,
    })
}

/// The settings of --race.
fn race(arguments: &RunArguments, method: &Method) -> Result<Option<race::RaceSettings>, Failure> {
    if arguments.race && !method.may_race() {
        refuse!(
            "cannot use --race with {}: the method needs the exact cost of every candidate; remove --race, or use ga, cmaes or random",
            method.name()
        );
    }
    if let (true, Method::Cmaes(settings)) = (arguments.race, method)
        && settings.sample > 0
    {
        refuse!(
            "cannot use --race with --sample {}: a race draws its own positions or pairs of games; remove one of them",
            settings.sample
        );
    }
    Ok(arguments.race.then(race::RaceSettings::default))
}

/// Refuses options of a method that would have no effect or not the intended one.
fn check_method(arguments: &RunArguments, method: &Method, objective: &Objective) -> Result<(), Failure> {
    if let Method::Genetic(GeneticSettings { elite, population, .. }) = method
        && elite >= population
    {
        refuse!(
            "cannot use --elite {elite} with --population {population}: no organism would ever be new; give at most {}",
            population - 1
        );
    }
    if let Some(positions) = arguments.positions
        && !objective.needs_suite()
    {
        refuse!(
            "cannot use --positions {positions}: objective {objective} uses no suite; remove --positions, or use a blend such as \
             --objective stable=1,games=0.5"
        );
    }
    Ok(())
}

/// Lowers the usual `--batch` of SPSA to the number of things that a random sample is drawn from, and refuses another sample that is
/// larger.
fn fit_sample(method: &mut Method, supply: u32, things: &str, remedy: &str) -> Result<(), Failure> {
    if let Method::Spsa(settings) = method
        && settings.pairs == SpsaSettings::default().pairs
    {
        settings.pairs = settings.pairs.min(supply as usize);
    }
    let option = if matches!(method, Method::Spsa(_)) { "--batch" } else { "--sample" };
    if let Some(sample) = method.sample().filter(|sample| *sample > supply as usize) {
        refuse!("cannot use {option} {sample}: there are only {supply} {things}; give at most {supply}{remedy}");
    }
    Ok(())
}

/// The engine that is tuned, and its parameters.
struct TunedEngine {
    engine: Option<RecordedEngine>,
    space: Space,
    eval_file: Option<String>,
    coefficients: RecordedCoefficients,
    base: BTreeMap<String, BTreeMap<String, i32>>,
    signature: String,
}

/// Our own engine.
fn own(common: &Common, arguments: &RunArguments, preset: Option<Preset>) -> Result<TunedEngine, Failure> {
    let choice = common.profile.as_deref().or(preset.map(|_| PAPER_PROFILE));
    let base = profile::resolve(choice, &common.set).map_err(Failure::input)?;
    let space = match (&arguments.params, preset) {
        (Some(patterns), _) => Space::of_engine(&base, patterns).map_err(Failure::input)?,
        (None, Some(Preset::Paper)) => Space::paper(&base).map_err(Failure::input)?,
        (None, Some(Preset::Extensions)) => Space::of_engine(&base, EXTENSIONS).map_err(Failure::input)?,
        (None, None) => {
            refuse!(
                "cannot tune: no parameters are given; give --params \"null_move.*,futility.*\" (names: `quarterply params`) or --preset paper"
            );
        }
    };
    if !common.quiet {
        for (name, reason) in ineffective::without_effect(&base, &space).map_err(Failure::input)? {
            say!("warning: {name} has no effect: {reason}");
        }
    }
    let signature = signature::of_engine(&base, &space).map_err(Failure::input)?;
    Ok(TunedEngine {
        engine: None,
        space,
        eval_file: base.eval_file.kept(),
        coefficients: coefficient_files(&base),
        base: RecordedProfile::of(&base).values().clone(),
        signature,
    })
}

/// Another engine.
fn other(arguments: &RunArguments, command: &str) -> Result<TunedEngine, Failure> {
    let Some(patterns) = &arguments.params else {
        refuse!("cannot tune: no options are given; name options of the engine with --params");
    };
    let options = engine_options(&arguments.option)?;
    let engine = RecordedEngine { command: command.to_owned(), options, program: None };
    let (space, signature) = space_of(&engine, patterns).map_err(|reason| Failure::Input(Report::msg(reason)))?;
    Ok(TunedEngine {
        engine: Some(engine),
        space,
        eval_file: None,
        coefficients: RecordedCoefficients::new(),
        base: BTreeMap::new(),
        signature,
    })
}

/// The hold-out without the positions that are tuned on; `None` if none is left, which is an error for a suite of --holdout.
fn apart(tuning: &SuitePlan, holdout: SuitePlan, is_requested: bool) -> Result<Option<SuitePlan>, Failure> {
    let fresh = holdout.clone().without(tuning).map_err(Failure::input)?;
    let (common, left) = (fresh.left_out.len(), fresh.size().map_err(Failure::input)? as usize);
    if left > 0 {
        if common > 0 {
            let all = common + left;
            say!(
                "{common} of {all} positions of the hold-out ({holdout}) are also used for tuning; the comparison leaves them out"
            );
        }
        return Ok(Some(fresh));
    }
    const REMEDY: &str = "--positions N tunes on N positions and holds out the others";
    if is_requested {
        refuse!("cannot hold out `{holdout}`: all its positions are used for tuning; give another file; {REMEDY}");
    }
    say!("no hold-out: all positions are used for tuning; {REMEDY}, or name another suite with --holdout");
    Ok(None)
}

/// The suite to tune on and the hold-out; what is not named comes with the program.
fn suites(arguments: &RunArguments, objective: &Objective) -> Result<(Option<SuitePlan>, Option<SuitePlan>), Failure> {
    let seed = arguments.positions_seed;
    let count = arguments.positions.map(|count| count as usize);
    let part = |count: Option<usize>, rest| count.map(|count| SuitePart { count, seed, rest });
    let of_file = |path: &PathBuf, part| SuitePlan::of_file(path, part).map_err(Failure::input);
    let named: BTreeSet<&PathBuf> = arguments.suite.iter().chain(&arguments.holdout).collect();
    for path in named {
        // Only for its warnings: the plan reads the suite itself.
        read_suite(path)?;
    }
    let shipped = |name: &str, part| SuitePlan::of(name.into(), part).map_err(Failure::input);
    let tuning = match &arguments.suite {
        Some(path) if objective.needs_suite() => Some(of_file(path, part(count, false))?),
        Some(path) => {
            say!(
                "warning: no candidate is measured on `{}`: objective {objective} uses no suite; a blend such as --objective stable=1,games=0.5 does",
                path.display()
            );
            None
        }
        None if objective.needs_suite() => {
            let count = count.or(arguments.quick.then_some(QUICK_POSITIONS));
            Some(shipped(shipped::TUNING, part(count, false))?)
        }
        None => None,
    };
    let holdout = match (&arguments.holdout, &arguments.suite, count) {
        (Some(path), _, _) => of_file(path, None)?,
        (None, Some(path), Some(_)) => of_file(path, part(count, true))?,
        _ => shipped(shipped::HOLDOUT, None)?,
    };
    let holdout = match &tuning {
        Some(tuning) => apart(tuning, holdout, arguments.holdout.is_some())?,
        None => Some(holdout),
    };
    Ok((tuning, holdout))
}
