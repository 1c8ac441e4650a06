//! Parameters that a run could tune without any effect: their rule is off, or no short search depends on them.

use super::space::{Dimension, Space};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterError, Parameters};
use quarterply_engine::position::Game;
use quarterply_engine::report::ProgressEvent;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_files::bench;
use std::ops::ControlFlow;
use thiserror::Error;

/// Positions that are searched with both ends of a range.
const POSITIONS: usize = 24;
/// Nodes of each search.
const NODES: u64 = 20_000;
/// Larger spaces are not searched: in a run of all parameters, some without an effect are expected.
const SPACE_MAX: usize = 60;

/// Why a parameter has no effect, as far as can be seen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoEffectReason {
    /// Its rule is off in the base profile, and its switch is not tuned: the switch.
    #[error("{0} is off in this profile, and not tuned")]
    Off(String),
    /// Searches with its least and its greatest value were the same: how many positions were searched.
    #[error("searches with its least and its greatest value were identical in {0} positions of {NODES} nodes")]
    NoDifference(usize),
}

/// The parameters of a space without effect on top of a base, each with the reason.
///
/// # Errors
/// A dimension is not a parameter of the engine, or its bounds exceed the declared ones.
pub fn without_effect(base: &Parameters, space: &Space) -> Result<Vec<(String, NoEffectReason)>, ParameterError> {
    let mut ineffective = Vec::new();
    for dimension in &space.dimensions {
        if let Some(switch) = switched_off(base, space, dimension) {
            ineffective.push((dimension.name.clone(), NoEffectReason::Off(switch)));
        } else if space.dimensions.len() <= SPACE_MAX && !changes_search(base, space, dimension)? {
            ineffective.push((dimension.name.clone(), NoEffectReason::NoDifference(POSITIONS)));
        }
    }
    Ok(ineffective)
}

/// The switch of the parameter's rule, if that is off for the whole run.
fn switched_off(base: &Parameters, space: &Space, dimension: &Dimension) -> Option<String> {
    let (group, _) = dimension.name.split_once('.')?;
    let switch = format!("{group}.on");
    let tuned = space.dimensions.iter().any(|other| other.name == switch);
    (!tuned && base.get(&switch) == Ok(0)).then_some(switch)
}

/// Returns true if searches with the ends of its range differ in a position. Rules whose switches are tuned are on for that; each other
/// switch that is tuned may have either value.
fn changes_search(base: &Parameters, space: &Space, dimension: &Dimension) -> Result<bool, ParameterError> {
    let mut open = base.clone();
    let switches = || space.dimensions.iter().filter(|other| other.switch && other.name != dimension.name);
    for other in switches().filter(|other| other.name.ends_with(".on")) {
        open.set(&other.name, 1)?;
    }
    if has_effect(&open, dimension)? {
        return Ok(true);
    }
    for other in switches().filter(|other| !other.name.ends_with(".on")) {
        let mut flipped = open.clone();
        flipped.set(&other.name, 1 - open.get(&other.name)?)?;
        if has_effect(&flipped, dimension)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The same with all other values as they are.
fn has_effect(open: &Parameters, dimension: &Dimension) -> Result<bool, ParameterError> {
    let engine = |value| -> Result<Engine, ParameterError> {
        let mut parameters = open.clone();
        parameters.set(&dimension.name, value)?;
        let mut engine = Engine::new(parameters);
        // The usual table serves as well, and is only emptied more slowly.
        let _ = engine.resize(1);
        Ok(engine)
    };
    let (mut least, mut greatest) = (engine(dimension.min)?, engine(dimension.max)?);
    let mut games =
        bench::positions().into_iter().take(POSITIONS).map(|record| Game::from_chess(record.position, record.mode));
    Ok(games.any(|game| search(&mut least, &game) != search(&mut greatest, &game)))
}

/// The results of a short search and the nodes of its iterations, which depend on how it searches.
fn search(engine: &mut Engine, game: &Game) -> (u32, i32, Vec<u64>) {
    engine.new_game();
    let mut trail = Vec::new();
    let outcome = engine.search(game, &Limits::nodes(NODES), &Control::default(), &mut |event| {
        match event {
            ProgressEvent::Best { nodes, .. } => trail.push(*nodes),
            ProgressEvent::Iteration(lines) => trail.push(lines[0].nodes),
            ProgressEvent::Bound(report) => trail.push(report.nodes),
            ProgressEvent::Current { .. } => {}
        }
        ControlFlow::Continue(())
    });
    (outcome.report.depth, outcome.report.score.0, trail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_files::profile;

    #[test]
    fn parameters_of_rules_that_are_off_are_named() {
        let classic = profile::named("classic").expect("built in");
        let space = Space::of_engine(&classic, "null_move.base,futility.depth").expect("a space");
        let ineffective = without_effect(&classic, &space).expect("good bounds");
        let names: Vec<&str> = ineffective.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["null_move.base", "futility.depth"]);
        assert!(ineffective[0].1.to_string().contains("null_move.on is off"), "{}", ineffective[0].1);
        let tuned = Space::of_engine(&classic, "null_move.on,null_move.reduction").expect("a space");
        assert_eq!(without_effect(&classic, &tuned).expect("good bounds"), []);
    }

    #[test]
    fn a_parameter_has_an_effect_if_a_tuned_switch_gives_it_one() {
        let base = Parameters::default();
        let of = |names: &str| {
            let space = Space::of_engine(&base, names).expect("a space");
            without_effect(&base, &space).expect("good bounds").into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(of("null_move.reduction"), ["null_move.reduction"], "the modern form does not read it");
        assert_eq!(of("null_move.modern,null_move.reduction"), [""; 0], "the form of the paper does");
    }

    #[test]
    fn a_parameter_without_effect_is_named() {
        let base = Parameters::default();
        let mut space = Space::of_engine(&base, "late_move_reduction.quiet_base").expect("a space");
        assert_eq!(without_effect(&base, &space).expect("good bounds"), []);
        // A range of one value.
        space.dimensions[0].max = space.dimensions[0].min;
        let ineffective = without_effect(&base, &space).expect("good bounds");
        assert_eq!(
            ineffective,
            [("late_move_reduction.quiet_base".to_owned(), NoEffectReason::NoDifference(POSITIONS))]
        );
    }
}
