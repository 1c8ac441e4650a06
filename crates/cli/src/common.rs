//! Flags that all commands share.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::{ArgAction, Args};
use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_engine::search::pool::STACK;
use quarterply_files::journal::Existing;
use quarterply_files::profile;
use quarterply_uci::client::MessageSink;
use quarterply_uci::launch::Launch;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;
use crate::numbers::count;

/// The program.
pub const NAME: &str = "quarterply";

/// The command that is being carried out, as it can be given to a shell again.
pub fn command_line() -> String {
    let arguments = std::env::args_os().skip(1).map(|text| quoted(&text.to_string_lossy()));
    std::iter::once(NAME.to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// An argument as a shell reads it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Flags that mean the same everywhere.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Everywhere")]
pub struct Common {
    /// Start from the parameters of this profile: a built-in one such as `classic`, or a TOML file [default: `default`].
    #[arg(long, global = true, value_name = "NAME|FILE.toml", action = ArgAction::Append)]
    pub profile: Option<String>,
    /// Every profile that was given, for `window diff`.
    #[arg(skip)]
    pub profiles: Vec<String>,
    /// Set one parameter (`quarterply params` lists all); may be repeated.
    #[arg(long, global = true, value_name = "RULE.PARAMETER=VALUE")]
    pub set: Vec<String>,
    /// Run N positions or games at the same time.
    #[arg(long, global = true, value_name = "N", value_parser = count::<usize>(1..))]
    pub workers: Option<usize>,
    /// Write the results as JSON lines to a file, or to stdout for `-`.
    #[arg(long, global = true, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Replace existing result files.
    #[arg(long, global = true)]
    pub overwrite: bool,
    /// Hide progress and remarks.
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Seed of all random choices.
    #[arg(long, global = true, value_name = "N", default_value_t = 1, value_parser = count::<u64>(0..))]
    pub seed: u64,
    /// True if the seed was given on the command line.
    #[arg(skip)]
    pub seed_given: bool,
}

/// Threads that share work; 0 for one for each processor.
pub fn pool_of(threads: usize) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    pool.map_err(|error| Failure::Run(miette!("cannot start {threads} threads: {error}; give fewer --workers")))
}

/// Reads `NAME=VALUE` of every `--option`.
pub fn engine_options(texts: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let read = |text: &String| {
        let Some((name, value)) = text.split_once('=') else {
            refuse!("cannot set option `{text}`: it has no `=`; write --option NAME=VALUE");
        };
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    texts.iter().map(read).collect()
}

impl Common {
    /// The file of `--json`; `None` without one, and for stdout.
    pub fn json_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Returns true if JSON lines are written to stdout, and text for people to stderr.
    pub fn is_json_on_stdout(&self) -> bool {
        self.json.is_some() && self.json_file().is_none()
    }

    /// Number of workers: --workers, or one for each processor.
    pub fn worker_count(&self) -> usize {
        self.workers.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
    }

    /// The number that --workers and another flag are two names of; `what` says what it counts.
    pub fn same_number(&self, flag: &str, number: Option<usize>, what: &str) -> Result<Option<usize>, Failure> {
        if let (Some(one), Some(other)) = (number, self.workers)
            && one != other
        {
            refuse!("cannot use {flag} {one} with --workers {other}: both are the number of {what}; give one of them");
        }
        Ok(number.or(self.workers))
    }

    /// What becomes of the results of `what` that exist: --resume continues it, --overwrite replaces it.
    pub fn existing(&self, resume: bool, what: &str) -> Result<Existing, Failure> {
        match (resume, self.overwrite) {
            (true, true) => refuse!(
                "cannot use --resume with --overwrite: --resume continues {what}, --overwrite replaces it; give one of them"
            ),
            (true, false) => Ok(Existing::Resume),
            (false, true) => Ok(Existing::Overwrite),
            (false, false) => Ok(Existing::Keep),
        }
    }

    /// Name of the profile.
    pub fn profile_name(&self) -> &str {
        self.profile.as_deref().unwrap_or(profile::DEFAULT_NAME)
    }

    /// Name of the profile and the parameters of `--set`, with blanks between them.
    pub fn settings(&self) -> String {
        std::iter::once(self.profile_name()).chain(self.set.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// Prints messages about engines on stderr; none with `--quiet`.
    pub fn messages(&self) -> MessageSink {
        if self.quiet { MessageSink::default() } else { MessageSink::new(|text| say!("{text}")) }
    }

    /// The parameters of `--profile` and `--set`. Says on stderr if a network is not used as it was trained.
    pub fn parameters(&self) -> Result<Parameters, Failure> {
        self.parameters_of(self.profile.as_deref())
    }

    /// This program as an engine with the parameters of `--profile` and `--set`.
    pub fn this_program(&self) -> Result<Launch, Failure> {
        self.parameters()?;
        let mut launch = Launch::program(std::env::current_exe()?);
        launch.arguments.extend(self.profile.iter().map(|profile| format!("--profile={profile}")));
        launch.arguments.extend(self.set.iter().map(|setting| format!("--set={setting}")));
        Ok(launch)
    }

    /// Refuses `--profile` and `--set` where nothing uses them, for this reason.
    pub fn refuse_parameters(&self, reason: &str) -> Result<(), Failure> {
        if self.profile.is_some() || !self.set.is_empty() {
            refuse!("cannot use --profile or --set: {reason}; remove them");
        }
        Ok(())
    }

    /// Refuses `--workers` and `--seed` where neither changes anything.
    pub fn refuse_workers_and_seed(&self) -> Result<(), Failure> {
        if self.workers.is_some() || self.seed_given {
            refuse!("cannot use --workers or --seed: this command has one thread and no random choices; remove them");
        }
        Ok(())
    }

    /// Refuses `--json` where there are no results for it, for this reason.
    pub fn refuse_json(&self, reason: &str) -> Result<(), Failure> {
        if self.json.is_some() {
            refuse!("cannot use --json: {reason}; remove it");
        }
        Ok(())
    }

    /// Refuses the options whose values are stored in the folder of a run.
    pub fn refuse_other_settings(&self) -> Result<(), Failure> {
        if self.profile.is_some() || !self.set.is_empty() || self.seed_given {
            refuse!(
                "cannot change --profile, --set or --seed of a run: it continues with the settings in its folder; remove these options"
            );
        }
        Ok(())
    }

    /// A pool of --workers threads [default: one for each processor].
    pub fn pool(&self) -> Result<ThreadPool, Failure> {
        pool_of(self.workers.unwrap_or(0))
    }

    /// The same for another profile than that of `--profile`.
    pub fn parameters_of(&self, profile: Option<&str>) -> Result<Parameters, Failure> {
        let parameters = profile::resolve(profile, &self.set).map_err(Failure::input)?;
        if let Some(mismatch) = parameters.share_mismatch().filter(|_| !self.quiet) {
            say!("warning: {mismatch}");
        }
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_the_shell() {
        for (text, expected) in [
            ("--nodes=20k", "--nodes=20k"),
            ("", "''"),
            ("default set.null_move.on=false", "'default set.null_move.on=false'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
