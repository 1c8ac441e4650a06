//! Players that are started when they are needed.

use super::PlayerDefaults;
use super::spec::{PlayerKind, Spec, SpecError};
use super::xboard::XboardEngine;
use crate::external::{EngineSetup, UciEngine};
use crate::game::{Choice, GameVerdict, MoveInfo, Pace, Player, PlayerError};
use crate::player::EnginePlayer;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::table::TableError;
use quarterply_engine::tablebase::Tablebase;
use quarterply_uci::settings::threads_max;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Largest reserve of time (milliseconds).
pub const OVERHEAD_MAX: usize = 5000;
/// Attempts to start a player.
const STARTS_MAX: u32 = 3;

/// A player that is started when it is needed: for the first game, and again after a failure. One that cannot be started is not tried
/// again.
pub struct RestartablePlayer {
    spec: Spec,
    label: String,
    starter: Box<PlayerStarter>,
    started: Option<Box<dyn StartedPlayer>>,
    /// Why it cannot be started.
    last_failure: Option<PlayerError>,
    /// What stops the search of a move.
    flags: Vec<Arc<AtomicBool>>,
}

/// Starts the player under this name; the error is the reason why it does not run.
type PlayerStarter = dyn Fn(&str) -> Result<Box<dyn StartedPlayer>, String> + Send;

/// Our engine and its options.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its parameters and its evaluation.
    pub parameters: Parameters,
    /// Transposition table (MiB).
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Time that it keeps in reserve for each move.
    pub overhead: Duration,
    /// Its endgame tables.
    pub tables: Option<Arc<Tablebase>>,
}

/// A player that has been started.
pub(super) trait StartedPlayer: Player + Send {
    /// Ends it by its protocol.
    fn quit(self: Box<Self>) {}

    /// The settings that it has no option for, or another value of, in words.
    fn unused_settings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true if it can play another game.
    fn is_reusable(&self) -> bool {
        true
    }
}

impl StartedPlayer for EnginePlayer {}

impl StartedPlayer for UciEngine {
    fn quit(self: Box<Self>) {
        self.client.quit();
    }

    fn unused_settings(&self) -> Vec<String> {
        self.unused_settings.clone()
    }
}

impl RestartablePlayer {
    /// The player, not running yet. Nothing is started, but profiles and tables are read.
    ///
    /// # Errors
    /// [`SpecError`] if the profile, an option or the tables cannot be used.
    pub fn new(spec: &Spec, terms: &PlayerDefaults) -> Result<RestartablePlayer, SpecError> {
        let starter: Box<PlayerStarter> = match &spec.kind {
            PlayerKind::Profile(_) => {
                let profile = Profile::new(spec, terms)?;
                Box::new(move |label: &str| boxed(profile.player(label)))
            }
            PlayerKind::Uci(launch) => {
                let (launch, options, defaults) = (launch.clone(), spec.options.clone(), terms.clone());
                let setup = EngineSetup { launch, name: None, options, defaults };
                Box::new(move |label: &str| {
                    boxed(UciEngine::start(&EngineSetup { name: Some(label.to_owned()), ..setup.clone() }))
                })
            }
            PlayerKind::Xboard(launch) => {
                let (launch, options, terms) = (launch.clone(), spec.options.clone(), terms.clone());
                Box::new(move |label: &str| boxed(XboardEngine::start(&launch, label, &options, &terms)))
            }
        };
        let label = spec.label();
        let (spec, flags) = (spec.clone(), Vec::new());
        Ok(RestartablePlayer { spec, label, starter, started: None, last_failure: None, flags })
    }

    /// The engine and the options of a player that other machines can play.
    ///
    /// # Errors
    /// A message: it is another program, or uses tables of this machine.
    pub fn portable(spec: &Spec, terms: &PlayerDefaults) -> Result<Profile, String> {
        let PlayerKind::Profile(_) = spec.kind else {
            return Err(
                "it is a program on this machine, and tasks hold no commands; profiles can play elsewhere".to_owned()
            );
        };
        let profile = Profile::new(spec, terms).map_err(|error| error.to_string())?;
        if profile.tables.is_some() {
            return Err("its endgame tables are on this machine only; leave them out, or play here".to_owned());
        }
        Ok(profile)
    }

    /// Changes the name of the player.
    #[must_use]
    pub fn named(mut self, label: &str) -> RestartablePlayer {
        label.clone_into(&mut self.label);
        self
    }

    /// Starts the player, if it does not run.
    ///
    /// # Errors
    /// [`PlayerError::Start`]. After some failed attempts there are no others.
    pub fn start(&mut self) -> Result<(), PlayerError> {
        self.running().map(|_| ())
    }

    /// The common settings that it does not use, in words, if it runs.
    pub fn unused_settings(&self) -> Vec<String> {
        self.started.as_ref().map_or_else(Vec::new, |started| started.unused_settings())
    }

    fn running(&mut self) -> Result<&mut Box<dyn StartedPlayer>, PlayerError> {
        let started = match self.started.take() {
            Some(started) => started,
            None => self.make()?,
        };
        Ok(self.started.insert(started))
    }

    /// Starts it, in several attempts if necessary.
    fn make(&mut self) -> Result<Box<dyn StartedPlayer>, PlayerError> {
        if let Some(error) = &self.last_failure {
            return Err(error.clone());
        }
        let mut made = (self.starter)(&self.label);
        for _ in 1..STARTS_MAX {
            if made.is_ok() {
                break;
            }
            made = (self.starter)(&self.label);
        }
        let mut player = made.map_err(|reason| {
            let error = PlayerError::Start { command: self.spec.to_string(), reason };
            self.last_failure.insert(error).clone()
        })?;
        player.stop_on(&self.flags);
        Ok(player)
    }

    /// Calls a function with the player, and ends the player if it fails.
    fn with<T>(&mut self, act: impl FnOnce(&mut dyn Player) -> Result<T, PlayerError>) -> Result<T, PlayerError> {
        let outcome = act(&mut **self.running()?);
        if outcome.as_ref().is_err_and(PlayerError::is_breakdown) {
            self.started = None;
        }
        outcome
    }
}

impl Player for RestartablePlayer {
    fn name(&self) -> &str {
        &self.label
    }

    /// Starts the player if needed. A player that ended between two games is started again, because it lost neither.
    fn new_game(&mut self) -> Result<(), PlayerError> {
        let was_running = self.started.is_some();
        match self.with(|player| player.new_game()) {
            Err(_) if was_running => self.with(|player| player.new_game()),
            outcome => outcome,
        }
    }

    fn stop_on(&mut self, flags: &[Arc<AtomicBool>]) {
        self.flags = flags.to_vec();
        if let Some(started) = &mut self.started {
            started.stop_on(flags);
        }
    }

    fn prepare(&mut self, opening: &Game, pace: &Pace) -> Result<(), PlayerError> {
        self.with(|player| player.prepare(opening, pace))
    }

    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        self.with(|player| player.choose(game, limits))
    }

    fn remarks(&self) -> MoveInfo {
        self.started.as_ref().map_or_else(MoveInfo::default, |started| started.remarks())
    }

    fn receive_draw_offer(&mut self) {
        if let Some(started) = &mut self.started {
            started.receive_draw_offer();
        }
    }

    fn game_over(&mut self, game: &Game, verdict: &GameVerdict) {
        if let Some(mut started) = self.started.take() {
            started.game_over(game, verdict);
            if started.is_reusable() {
                self.started = Some(started);
            } else {
                started.quit();
            }
        }
    }
}

impl Drop for RestartablePlayer {
    fn drop(&mut self) {
        if let Some(started) = self.started.take() {
            started.quit();
        }
    }
}

fn boxed<E: ToString>(made: Result<impl StartedPlayer + 'static, E>) -> Result<Box<dyn StartedPlayer>, String> {
    made.map(|player| Box::new(player) as Box<dyn StartedPlayer>).map_err(|error| error.to_string())
}

impl Profile {
    fn new(spec: &Spec, terms: &PlayerDefaults) -> Result<Profile, SpecError> {
        let mut profile = Profile {
            parameters: spec.parameters()?,
            hash: terms.hash,
            threads: terms.threads,
            overhead: terms.overhead.unwrap_or_default(),
            tables: None,
        };
        let mut path = terms.tables.clone();
        let wrong = |fault: String| SpecError::Setting(spec.to_string(), fault);
        for (name, value) in &spec.options {
            let number = || {
                let fault = || wrong(format!("`{value}` is not a valid value of `{name}`: expected a whole number"));
                value.parse::<usize>().map_err(|_| fault())
            };
            match name.to_ascii_lowercase().as_str() {
                "hash" => profile.hash = limited("Hash", number()?, 1..=usize::MAX).map_err(wrong)?,
                // Each thread needs megabytes.
                "threads" => {
                    profile.threads = limited("Threads", number()?, 1..=threads_max() as usize).map_err(wrong)?;
                }
                "syzygypath" => path = Some(value.clone()),
                _ => {
                    let millis = limited("Move Overhead", number()?, 0..=OVERHEAD_MAX).map_err(wrong)?;
                    profile.overhead = Duration::from_millis(millis as u64);
                }
            }
        }
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            profile.tables = Some(Arc::new(Tablebase::open(&path).map_err(|e| wrong(e.to_string()))?));
        }
        Ok(profile)
    }

    fn player(&self, name: &str) -> Result<EnginePlayer, TableError> {
        let player = EnginePlayer::new(name, self.parameters.clone(), self.hash)?;
        Ok(player.with(self.threads, self.overhead, self.tables.clone()))
    }
}

/// The value of an option, within its limits.
fn limited(name: &str, value: usize, valid: RangeInclusive<usize>) -> Result<usize, String> {
    let (least, most) = (*valid.start(), *valid.end());
    let end = if most == usize::MAX { "on".to_owned() } else { format!("to {most}") };
    let fault = || format!("`{value}` is not a valid value of `{name}`: expected a whole number from {least} {end}");
    if valid.contains(&value) { Ok(value) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million threads took all the memory of the machine. This test starts none.
    #[test]
    fn more_threads_than_make_sense_are_refused() {
        let profile = |threads: i64| {
            let text = format!("default option.Threads={threads}");
            Profile::new(&text.parse().expect("a player"), &PlayerDefaults::default()).map(|profile| profile.threads)
        };
        let most = threads_max();
        assert_eq!([1, most].map(|count| profile(count).expect("in range") as i64), [1, most]);
        for count in [0, most + 1, 999_999] {
            let error = profile(count).expect_err("out of range");
            let message =
                format!("`{count}` is not a valid value of `Threads`: expected a whole number from 1 to {most}");
            assert!(matches!(&error, SpecError::Setting(_, fault) if *fault == message), "{error}");
        }
    }

    #[test]
    fn options_beyond_their_limits_are_refused() {
        for (option, message) in [
            ("option.Hash=0", "`0` is not a valid value of `Hash`: expected a whole number from 1 on"),
            (
                "\"option.Move Overhead=5001\"",
                "`5001` is not a valid value of `Move Overhead`: expected a whole number from 0 to 5000",
            ),
        ] {
            let spec: Spec = format!("default {option}").parse().expect("a player");
            let error = Profile::new(&spec, &PlayerDefaults::default()).expect_err("out of range");
            assert!(matches!(&error, SpecError::Setting(_, fault) if fault.as_str() == message), "{error}");
        }
    }
}
