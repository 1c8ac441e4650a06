//! Any UCI engine, tuned through its options.

use crate::objective::ObjectiveConditions;
use crate::space::{Dimension, Space, SpaceError};
use quarterply_files::fingerprint::fingerprint;
use quarterply_games::external::{EngineSetup, UciEngine};
use quarterply_games::game::Pace;
use quarterply_games::offered::{self, EngineProtocol, ExternalEngineData};
use quarterply_games::players::{PlayerDefaults, Timeouts};
use quarterply_uci::client::Client;
use quarterply_uci::info::OptionKind;
use quarterply_uci::launch::Launch;
use quarterply_uci::process::Stop;
use quarterply_work::Digest;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

/// How long an engine may take to name its options.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Time for a search in addition to that for its nodes.
const TIMEOUT_BASE: Duration = Duration::from_secs(60);
/// Nodes per second of the slowest engine that is waited for.
const SPEED_MIN: u64 = 2_000;
/// Options that a message names at most.
const OPTIONS_NAMED: usize = 30;
/// Options that do not change the search.
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
/// Prefix of other such options.
const NOT_TUNED_PREFIX: &str = "uci_";

/// Another engine as recorded in a run's plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedEngine {
    /// Its command line.
    pub command: String,
    /// Options that are the same for all candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// SHA-256 of its program when the run began, if it could be read.
    pub program: Option<Digest>,
}

impl RecordedEngine {
    /// SHA-256 of its program now, if it can be read.
    pub(crate) fn program_now(&self) -> Option<Digest> {
        Some(offered::identity(&launch_of(&self.command).ok()?).ok()?.checksum)
    }
}

/// Reads a command line.
fn launch_of(command: &str) -> Result<Launch, String> {
    Launch::parse(command).map_err(|e| e.to_string())
}

/// The options of an engine that can be tuned, and its signature: a fingerprint of its name and options. A new build that searches
/// differently may have the same signature; it is noticed by [`RecordedEngine::program`].
pub fn space_of(engine: &RecordedEngine, patterns: &str) -> Result<(Space, String), String> {
    let mut client = Client::start(&launch_of(&engine.command)?, TIMEOUT).map_err(|e| e.to_string())?;
    for (name, value) in &engine.options {
        let value = (!value.is_empty()).then_some(value.as_str());
        client.set_option(name, value).map_err(|error| format!("cannot use --option {name}: {error}"))?;
    }
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
        SpaceError::NoMatch(pattern, nearest) => no_match(&pattern, nearest.as_deref(), &dimensions),
        other => other.to_string(),
    })?;
    Ok((chosen, fingerprint(text.as_bytes())))
}

/// The message for a pattern that matches no option. An engine may have hundreds of them, so it names only the first.
fn no_match(pattern: &str, nearest: Option<&str>, dimensions: &[Dimension]) -> String {
    let hint = nearest.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    let names: Vec<_> = dimensions.iter().take(OPTIONS_NAMED).map(|dimension| dimension.name.as_str()).collect();
    let more = match dimensions.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "no option matches `{pattern}`{hint}; the engine offers {}{more} (options of use, such as Hash, are never tuned)",
        names.join(", ")
    )
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
fn timeout(conditions: &ObjectiveConditions) -> Duration {
    let by_nodes = |nodes: u64| TIMEOUT_BASE + Duration::from_secs(nodes / SPEED_MIN);
    match conditions.pace {
        Pace::Nodes(nodes) => by_nodes(conditions.nodes.max(nodes)),
        Pace::Depth(_) => by_nodes(conditions.nodes).max(Timeouts::default().search),
        Pace::Clock(_) | Pace::Movetime { .. } => by_nodes(conditions.nodes),
    }
}

/// Another engine as this machine starts it.
#[derive(Clone)]
pub(crate) struct ExternalEngine {
    /// The engine.
    pub engine: RecordedEngine,
    /// Limits.
    pub conditions: ObjectiveConditions,
    /// Ends every wait for the engine when it is set.
    pub stop: Stop,
}

impl ExternalEngine {
    /// Starts the engine with the options of a candidate.
    pub(crate) fn start(&self, settings: &[(String, String)]) -> Result<UciEngine, String> {
        let timeouts = Timeouts { search: timeout(&self.conditions), ..Timeouts::default() };
        // Its options were read when the run began.
        let timeouts = timeouts.of_known();
        let (hash, stop) = (self.conditions.hash, self.stop.clone());
        let setup = EngineSetup {
            launch: launch_of(&self.engine.command)?,
            name: None,
            options: [&self.engine.options, settings].concat(),
            defaults: PlayerDefaults { hash, timeouts, stop, ..PlayerDefaults::default() },
        };
        UciEngine::start(&setup).map_err(|e| e.to_string())
    }

    /// The engine with the options of a candidate, for people.
    pub(crate) fn with(&self, settings: &[(String, String)]) -> String {
        let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("`{}` with {}", self.engine.command, settings.join(", "))
    }

    /// The engine as data for workers elsewhere.
    ///
    /// # Errors
    /// A message: its program cannot be read.
    pub(crate) fn data(&self) -> Result<ExternalEngineData, String> {
        Ok(ExternalEngineData {
            engine: offered::identity(&launch_of(&self.engine.command)?)?,
            protocol: EngineProtocol::Uci,
            options: self.engine.options.clone(),
            hash: self.conditions.hash,
            threads: 1,
            overhead: None,
            timeout: Some(timeout(&self.conditions).as_secs()),
        })
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

    #[test]
    fn a_message_names_few_of_many_options() {
        let spin = OptionKind::Spin { default: 5, min: 0, max: 9 };
        let options: Vec<Dimension> = (1..=32).filter_map(|n| dimension(&format!("Option{n}"), &spin, &[])).collect();
        let message = no_match("Optoin7", Some("Option7"), &options);
        assert!(
            message.starts_with("no option matches `Optoin7` (did you mean `Option7`?); the engine offers Option1, ")
        );
        assert!(message.contains("Option30 and 2 more (") && !message.contains("Option31"), "{message}");
        let message = no_match("x", None, &options[..2]);
        assert!(message.starts_with("no option matches `x`; the engine offers Option1, Option2 (options of use"));
    }
}
