//! The standard options: one row each, with name, kind and what a value changes. Parameters of the engine are the other options.

use super::{CUSTOM, OptionError, OptionValue, SHOW_PARAMETERS, UciSettings, any_seed, capitalised};
use crate::info::{Declaration, OptionKind};
use crate::strength::{ELO_MAX, ELO_MIN};
use quarterply_engine::network;
use quarterply_engine::profile;
use quarterply_engine::tablebase::TablebaseOptions;
use std::thread::available_parallelism;
use std::time::Duration;

/// Least and greatest size of the table, and the size at the start (MiB).
pub(super) const HASH: (i64, i64, i64) = (1, 1 << 25, 16);
/// Most search threads for each processor, and on a machine with few of them.
const THREADS_PER_PROCESSOR: i64 = 4;
const THREADS_ANYWHERE: i64 = 64;
/// Most lines: no position has more legal moves.
const LINES_MAX: i64 = 256;
/// Time lost between engine and clock: at the start and at most (milliseconds).
pub(super) const OVERHEAD: (i64, i64) = (10, 5000);
/// Depth from which tables are probed (plies): at the start and at most.
const PROBE_DEPTH: (i64, i64) = (1, 100);
/// Text of `UCI_EngineAbout`.
const ABOUT: &str =
    concat!("Quarterply ", env!("CARGO_PKG_VERSION"), ", free software under the GPL, version 3 or later");

/// The option that chooses a profile.
pub(super) const PROFILE: &str = "Profile";

/// A standard option.
pub(super) struct StandardOption {
    /// Its name.
    pub name: &'static str,
    /// Its kind, where settings begin with these.
    kind: fn(&UciSettings) -> OptionKind,
    /// Takes a value of that kind.
    pub set: fn(&mut UciSettings, OptionValue, &mut Vec<String>) -> Result<(), OptionError>,
}

impl StandardOption {
    /// Its declaration, where settings begin with these.
    pub fn declared(&self, settings: &UciSettings) -> Declaration {
        Declaration { name: self.name.into(), kind: (self.kind)(settings) }
    }
}

/// Most search threads that make sense here. Each has its own histories, megabytes of them: a thousand threads on two
/// processors take several seconds for their first move.
pub fn threads_max() -> i64 {
    let processors = available_parallelism().map_or(1, |count| count.get() as i64);
    THREADS_ANYWHERE.max(THREADS_PER_PROCESSOR * processors)
}

fn check(default: bool) -> OptionKind {
    OptionKind::Check { default }
}

fn spin(min: i64, max: i64, default: i64) -> OptionKind {
    OptionKind::Spin { default, min, max }
}

fn text(default: impl ToString) -> OptionKind {
    OptionKind::Text { default: default.to_string() }
}

fn profiles(settings: &UciSettings) -> OptionKind {
    let mut choices: Vec<String> = profile::BUILTIN.iter().map(|name| capitalised(name)).collect();
    if settings.profile == CUSTOM {
        choices.push(CUSTOM.into());
    }
    OptionKind::Combo { default: settings.profile.clone(), choices }
}

macro_rules! table {
    (@sets |$s:pat_param, $value:pat_param| $set:expr) => {
        |$s, $value, _| {
            $set;
            Ok(())
        }
    };
    (@tries $set:expr) => { $set };
    ($($name:expr, $kind:expr, $how:ident($($set:tt)*);)*) => {
        /// The standard options, in the order in which they are listed.
        pub(super) const STANDARD: &[StandardOption] =
            &[$(StandardOption { name: $name, kind: $kind, set: table!(@$how $($set)*) },)*];
    };
}

// Ignored options: the GUI controls pondering, play and analysis do not depend on the opponent, and the text of `UCI_EngineAbout` is
// constant.
table! {
    "Hash", |_| spin(HASH.0, HASH.1, HASH.2), tries(|s, value, _| s.set_hash(value.number()));
    "Threads", |_| spin(1, threads_max(), 1), sets(|s, value| {
        s.threads = value.number() as usize;
        s.changed.threads = true;
    });
    "MultiPV", |_| spin(1, LINES_MAX, 1), sets(|s, value| s.lines = value.number() as usize);
    "Ponder", |_| check(false), tries(|_, _, _| Ok(()));
    "Clear Hash", |_| OptionKind::Button, sets(|s, _| s.changed.clear = true);
    "Move Overhead", |_| spin(0, OVERHEAD.1, OVERHEAD.0), sets(|s, value| {
        s.overhead = Duration::from_millis(value.number().unsigned_abs());
    });
    "UCI_Chess960", |_| check(false), sets(|s, value| s.chess960 = value.is_on());
    "UCI_ShowWDL", |_| check(false), sets(|s, value| s.show_wdl = value.is_on());
    "UCI_LimitStrength", |_| check(false), sets(|s, value| s.limit_strength = value.is_on());
    "UCI_Elo", |_| spin(ELO_MIN, ELO_MAX, ELO_MAX), sets(|s, value| s.elo = value.number());
    "SyzygyPath", |_| text(""), tries(|s, value, remarks| s.set_syzygy_path(value.text(), remarks));
    "SyzygyProbeDepth", |_| spin(1, PROBE_DEPTH.1, PROBE_DEPTH.0), tries(|s, value, _| {
        s.set_tablebase_options(TablebaseOptions { probe_depth: value.number() as i32, ..s.tablebase_options })
    });
    "Syzygy50MoveRule", |_| check(true), tries(|s, value, _| {
        s.set_tablebase_options(TablebaseOptions { fifty_move_rule: value.is_on(), ..s.tablebase_options })
    });
    network::OPTION, |s| text(&s.parameters.eval_file), tries(|s, value, remarks| {
        s.set_eval_file(&value.text(), remarks)
    });
    PROFILE, profiles, sets(|s, value| {
        s.set_profile(profile::builtin(&value.text()).unwrap_or_else(|| s.start.clone()));
    });
    SHOW_PARAMETERS, |s| check(s.show_parameters), sets(|s, value| s.show_parameters = value.is_on());
    "Strength Seed", |_| spin(0, i64::from(i32::MAX), 0), sets(|s, value| {
        s.fixed_seed = (value.number() > 0).then_some(value.number().unsigned_abs());
        s.seed = s.fixed_seed.unwrap_or_else(any_seed);
    });
    "UCI_AnalyseMode", |_| check(false), tries(|_, _, _| Ok(()));
    "UCI_Opponent", |_| text(""), tries(|_, _, _| Ok(()));
    "UCI_EngineAbout", |_| text(ABOUT), tries(|_, _, _| Ok(()));
}
