//! Any UCI engine, tuned through its options.

use super::{Material, Meter, PairScore, play_game};
use crate::fault::{GameFault, NO_START, PairPlayer};
use crate::measure::{Measure, Probe, ProbeResult, Set};
use crate::objective::ObjectiveConditions;
use crate::space::{Candidate, Dimension, Space, SpaceError};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_files::fingerprint::fingerprint;
use quarterply_games::external::{EngineSetup, UciEngine};
use quarterply_games::game::Pace;
use quarterply_games::offered::{self, EngineProtocol, ExternalEngineData};
use quarterply_games::players::Timeouts;
use quarterply_lab::suite;
use quarterply_uci::client::Client;
use quarterply_uci::info::OptionKind;
use quarterply_uci::launch::Launch;
use quarterply_uci::process::Stop;
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// How long an engine may take to name its options.
const PATIENCE: Duration = Duration::from_secs(20);
/// What a search may take beyond its nodes.
const PATIENCE_BASE: Duration = Duration::from_secs(60);
/// Nodes per second of the slowest engine that is waited for.
const SPEED_MIN: u64 = 2_000;
/// Options that say how an engine is used, not how it searches.
const NOT_TUNED: [&str; 12] = [
    "hash",
    "threads",
    "multipv",
    "ponder",
    "clear hash",
    "move overhead",
    "skill level",
    "contempt",
    "slow mover",
    "nodestime",
    "syzygyprobelimit",
    "syzygyprobedepth",
];
/// As above, by their first letters.
const NOT_TUNED_PREFIX: &str = "uci_";

/// Another engine as recorded in a run's plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its command line.
    pub command: String,
    /// Options that are the same for all candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
}

/// Reads a command line.
fn launch_of(command: &str) -> Result<Launch, String> {
    Launch::parse(command).map_err(|e| e.to_string())
}

/// What an engine offers to tune, and its signature: its name and all that it declares. How it searches cannot be known from
/// outside, so a new build under the old name is not noticed.
pub fn space_of(engine: &Engine, patterns: &str) -> Result<(Space, String), String> {
    let client = Client::start(&launch_of(&engine.command)?, PATIENCE).map_err(|e| e.to_string())?;
    let mut dimensions = Vec::new();
    let mut text = client.name().to_owned();
    for declaration in client.options() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{declaration}");
        dimensions.extend(dimension(&declaration.name, &declaration.kind, &engine.options));
    }
    client.quit();
    if dimensions.is_empty() {
        return Err(format!(
            "`{}` has no options with numbers or switches, so there is nothing to tune",
            engine.command
        ));
    }
    let chosen = Space::select(&dimensions, patterns).map_err(|error| match error {
        SpaceError::NoMatch(pattern, _) => {
            let names: Vec<_> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
            format!(
                "no option matches `{pattern}`; the engine offers {} (options of use, such as Hash, are never tuned)",
                names.join(", ")
            )
        }
        other => other.to_string(),
    })?;
    Ok((chosen, fingerprint(text.as_bytes())))
}

/// The dimension of an option, if it is a number or a switch that changes the search.
fn dimension(name: &str, kind: &OptionKind, options: &[(String, String)]) -> Option<Dimension> {
    let lower = name.to_ascii_lowercase();
    if NOT_TUNED.contains(&lower.as_str()) || lower.starts_with(NOT_TUNED_PREFIX) {
        return None;
    }
    let (min, max, default, switch) = match *kind {
        OptionKind::Spin { default, min, max } if min < max => {
            (i32::try_from(min).ok()?, i32::try_from(max).ok()?, i32::try_from(default).ok()?, false)
        }
        OptionKind::Check { default } => (0, 1, i32::from(default), true),
        _ => return None,
    };
    let given = options.iter().find(|(option, _)| option.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
    let start = match given {
        Some("true") => 1,
        Some("false") => 0,
        Some(text) => text.parse().ok()?,
        None => default,
    };
    Some(Dimension { name: name.to_owned(), min, max, step: 1, start, switch })
}

/// How long to wait for an answer before an engine counts as hung. With a clock, the clock decides.
fn patience(conditions: &ObjectiveConditions) -> Duration {
    let by_nodes = |nodes: u64| PATIENCE_BASE + Duration::from_secs(nodes / SPEED_MIN);
    match conditions.pace {
        Pace::Nodes(nodes) => by_nodes(conditions.nodes.max(nodes)),
        Pace::Depth(_) => by_nodes(conditions.nodes).max(Timeouts::default().search),
        Pace::Clock(_) | Pace::Movetime { .. } => by_nodes(conditions.nodes),
    }
}

/// Everything that measurements by another engine depend on.
#[derive(Clone)]
pub struct ExternalEngine {
    /// The engine.
    pub engine: Engine,
    /// What candidates set.
    pub space: Space,
    /// Limits.
    pub conditions: ObjectiveConditions,
    /// Positions and openings.
    pub material: Arc<Material>,
    /// The engine is waited for only as long as this is not set.
    pub stop: Stop,
}

impl ExternalEngine {
    /// A meter that starts the engine when it is needed.
    pub fn meter(&self) -> Box<dyn Meter> {
        Box::new(ExternalMeter { setup: self.clone(), running: None })
    }

    /// The engine as data for workers elsewhere.
    ///
    /// # Errors
    /// A message: its program cannot be read.
    pub fn data(&self) -> Result<ExternalEngineData, String> {
        Ok(ExternalEngineData {
            engine: offered::identity(&launch_of(&self.engine.command)?)?,
            protocol: EngineProtocol::Uci,
            options: self.engine.options.clone(),
            hash: self.conditions.hash,
            threads: 1,
            overhead: None,
            patience: Some(patience(&self.conditions).as_secs()),
        })
    }
}

struct ExternalMeter {
    setup: ExternalEngine,
    running: Option<(Candidate, UciEngine)>,
}

impl ExternalMeter {
    /// Starts the engine with the options of a candidate. A new process is needed: not every engine applies a later change of
    /// options.
    fn start(&self, candidate: &Candidate) -> Result<UciEngine, String> {
        let mut setup = EngineSetup::new(launch_of(&self.setup.engine.command)?);
        setup.preferences =
            vec![("Hash".to_owned(), self.setup.conditions.hash.to_string()), ("Threads".to_owned(), "1".to_owned())];
        setup.stop = self.setup.stop.clone();
        setup.waits.search = patience(&self.setup.conditions);
        // Its options were asked for when the run began.
        setup.waits = setup.waits.of_known();
        setup.options.clone_from(&self.setup.engine.options);
        setup.options.extend(self.setup.space.settings(candidate));
        UciEngine::start(&setup).map_err(|e| e.to_string())
    }

    fn search(&mut self, candidate: &Candidate, set: Set, index: u32) -> Result<Measure, String> {
        if self.running.as_ref().is_none_or(|(running, _)| running != candidate) {
            self.running = Some((candidate.clone(), self.start(candidate)?));
        }
        let Some((_, engine)) = &mut self.running else { return Err("the engine did not start".to_owned()) };
        let record = self.setup.material.position(set, index)?;
        let conditions = self.setup.conditions.of_suite();
        let row = suite::solve(engine, "", record, &conditions).map_err(|e| format!("{e}, in {}", record.fen()))?;
        Ok(Measure::Position { solved: row.solved, first: row.nodes_first, stable: row.nodes_stable, nodes: row.nodes })
    }

    /// The engine with its values, for people.
    fn name_of(&self, candidate: &Candidate) -> String {
        let settings = self.setup.space.settings(candidate);
        let settings: Vec<String> = settings.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("`{}` with {}", self.setup.engine.command, settings.join(", "))
    }

    /// Does something that an engine with the values of a candidate can fail to do. Engines fail for reasons that have nothing to do
    /// with their options, so it is tried once more, but never without a message: each failure may have cost the whole wait.
    fn twice<T>(
        &mut self,
        candidate: &Candidate,
        on_trouble: &mut dyn FnMut(String),
        attempt: impl Fn(&mut ExternalMeter) -> Result<T, String>,
    ) -> Result<T, String> {
        let broke = match attempt(self) {
            Ok(done) => return Ok(done),
            Err(reason) => reason,
        };
        self.running = None;
        if self.setup.stop.is_set() {
            return Err(broke);
        }
        let with = self.name_of(candidate);
        on_trouble(format!("{with} was started once more: {broke}"));
        attempt(self).map_err(|reason| format!("{with} failed twice: {reason}"))
    }

    /// Plays an opening with both colours. An engine that cannot be started although the other one can loses the game.
    fn pair(
        &mut self,
        candidate: &Candidate,
        opponent: &Candidate,
        opening: u32,
        on_trouble: &mut dyn FnMut(String),
    ) -> Result<ProbeResult, String> {
        let (setup, mut score) = (self.setup.clone(), PairScore::default());
        let opening = setup.material.opening(&Parameters::default(), opening);
        let mut running = None;
        for color in Color::ALL {
            let mut players = match running.take() {
                Some(players) => players,
                None => {
                    let first = self.twice(candidate, on_trouble, |meter| meter.start(candidate));
                    match (first, self.twice(opponent, on_trouble, |meter| meter.start(opponent))) {
                        (Ok(first), Ok(second)) => [first, second],
                        (Err(reason), Err(_)) => return Err(reason),
                        (Err(reason), Ok(_)) => {
                            score.lose(no_start(PairPlayer::Candidate, reason, opening));
                            continue;
                        }
                        (Ok(_), Err(reason)) => {
                            score.lose(no_start(PairPlayer::Opponent, reason, opening));
                            continue;
                        }
                    }
                }
            };
            let [first, second] = &mut players;
            let record = play_game([first, second], color, opening, setup.conditions.pace);
            let sound = score.add(&record, color);
            if !sound && setup.stop.is_set() {
                // An interrupt can end the engines, too.
                return Err("stopped".to_owned());
            }
            running = sound.then_some(players);
        }
        Ok(score.result())
    }
}

/// A player whose engine does not start.
fn no_start(by: PairPlayer, reason: String, opening: &Game) -> GameFault {
    GameFault { by, kind: NO_START.to_owned(), what: reason, position: opening.fen() }
}

impl Meter for ExternalMeter {
    fn measure(
        &mut self,
        candidate: &Candidate,
        probe: &Probe,
        on_trouble: &mut dyn FnMut(String),
    ) -> Result<ProbeResult, String> {
        match probe {
            Probe::Position { set, index } => {
                let search = |meter: &mut ExternalMeter| meter.search(candidate, *set, *index);
                self.twice(candidate, on_trouble, search).map(ProbeResult::from)
            }
            Probe::Pair { opponent, opening } => self.pair(candidate, opponent, *opening, on_trouble),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_dimensions() {
        let spin = |min, max| OptionKind::Spin { default: 5, min, max };
        let given = [("Razor".to_owned(), "7".to_owned())];
        let one =
            |name: &str, kind: &OptionKind| dimension(name, kind, &given).map(|d| (d.min, d.max, d.start, d.switch));
        assert_eq!(one("Null Move", &spin(0, 9)), Some((0, 9, 5, false)));
        assert_eq!(one("Razor", &spin(0, 9)), Some((0, 9, 7, false)));
        assert_eq!(one("Prune", &OptionKind::Check { default: true }), Some((0, 1, 1, true)));
        for (name, kind) in [
            ("Hash", spin(1, 99)),
            ("UCI_Elo", spin(1, 99)),
            ("Fixed", spin(3, 3)),
            ("Huge", spin(0, i64::MAX)),
            ("Book", OptionKind::Text { default: String::new() }),
        ] {
            assert_eq!(one(name, &kind), None, "{name}");
        }
    }
}
