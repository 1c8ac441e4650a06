//! `quarterply worker`: does work that commands on other machines hand out.

#[cfg(feature = "nats")]
mod serve;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use miette::miette;
use quarterply_datagen::produce::Production;
use quarterply_files::engines::{EngineEntry, read_engines};
use quarterply_games::matches::Pairs;
use quarterply_games::offered::{self, OfferedEngine, OfferedEngines};
use quarterply_lab::mine::Mining;
use quarterply_lab::suite::SuiteWorker;
use quarterply_tune::tasks::Measuring;
use quarterply_uci::launch::Launch;
use quarterply_work::{
    Build, Context, Digest, EncodedTask, ObjectFolder, Runner, RunnerOutput, TaskError, TaskFailure, TaskKind,
    WorkerIdentity, execute, write_whole,
};
use serde::{Deserialize, Serialize};

use crate::common::Common;
use crate::dialogue::DialogueArguments;
use crate::execution::{build, host, processor, speed};
use crate::export::NO_INPUT;
use crate::failure::{CommandResult, Failure};
use crate::numbers::{count, positive};

/// Where work comes from.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    /// Take tasks from the NATS server at URL [default: NATS_URL in the environment]. Secrets come from files and the environment:
    /// NATS_CREDS, NATS_TOKEN_FILE, NATS_USER with NATS_PASSWORD_FILE, NATS_NKEY, NATS_CA, NATS_CERT with NATS_KEY.
    #[arg(long, value_name = "URL", conflicts_with = "task")]
    nats: Option<String>,
    /// Execute this one task and end: a file in a folder of --tasks of another command.
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
    /// Write the outcome of --task to FILE, or into a folder of this name [default: `outcomes` next to the folder of the task].
    #[arg(long, value_name = "FILE", requires = "task")]
    out: Option<PathBuf>,
    /// End after H hours, when the running tasks are finished.
    #[arg(long, value_name = "H", value_parser = positive, conflicts_with = "task")]
    hours: Option<f64>,
    /// Limit the memory of the process, in MiB; tasks with larger tables are left to others, and a worker that exceeds it ends.
    #[arg(long, value_name = "MB", value_parser = count::<u64>(1..))]
    max_memory: Option<u64>,
    /// Name the worker [default: machine and process].
    #[arg(long, value_name = "NAME", value_parser = worker_name)]
    name: Option<String>,
    /// Offer another engine to tasks that name it: the name and the program, then its arguments; may be repeated. Only a program
    /// with the SHA-256 of the task is started.
    #[arg(long, value_name = "NAME=PATH", value_parser = offered::parse)]
    engine: Vec<(String, Launch)>,
    /// Offer the engines of a TOML file: an array of tables `engine` with name, path, and optionally arguments, directory, texts.
    #[arg(long, value_name = "FILE.toml")]
    engines: Option<PathBuf>,
    /// Store the files of tasks in this folder [default: one in the user's cache].
    #[arg(long, value_name = "DIR", conflicts_with = "task")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    dialogue: DialogueArguments,
}

const AFTER: &str = "\
A worker needs only a connection to the server: it takes tasks as data, never commands or paths, and only those of its build. \
Matches and tuning of other engines need --engine: a task names an engine and its SHA-256, and only the worker knows its path. \
--workers is the number of tasks at the same time [default: all processors]. Ctrl-C or a termination signal ends the worker after the \
running tasks; a second one leaves them to others. The tasks of a killed worker go to others after half a minute.

Examples:
  quarterply worker --nats nats://192.0.2.7:4222
  NATS_TOKEN_FILE=token quarterply worker --nats tls://example.org --workers 4 --hours 8
  quarterply worker --nats nats://192.0.2.7:4222 --engine toga2=/usr/games/toga2
  quarterply worker --task run/tasks/0f3a.json";

/// Reads the name of a worker.
fn worker_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() { Err("the name is empty: expected one such as lab-2".to_owned()) } else { Ok(name.to_owned()) }
}

/// Executes tasks of every kind.
pub struct TaskRunner {
    games: Production,
    pairs: Pairs,
    positions: SuiteWorker,
    mining: Mining,
    measuring: Measuring,
}

impl TaskRunner {
    /// Tasks may name these engines.
    pub fn offering(engines: &OfferedEngines) -> TaskRunner {
        TaskRunner {
            games: Production::default(),
            pairs: Pairs::offering(engines.clone()),
            positions: SuiteWorker::default(),
            mining: Mining::default(),
            measuring: Measuring::offering(engines.clone()),
        }
    }
}

/// The engines that the worker offers. Prints their names and checksums.
fn offered(common: &Common, arguments: &Arguments) -> Result<OfferedEngines, Failure> {
    let mut engines = Vec::new();
    for (name, launch) in &arguments.engine {
        engines.push(OfferedEngine::new(name, launch.clone(), Vec::new()).map_err(Failure::input)?);
    }
    if let Some(file) = &arguments.engines {
        for entry in read_engines(file).map_err(Failure::input)? {
            let EngineEntry { name, path, arguments, directory, texts } = entry;
            let launch = Launch { arguments, directory, ..Launch::program(path) };
            engines.push(OfferedEngine::new(&name, launch, texts).map_err(Failure::input)?);
        }
    }
    if !common.quiet {
        for engine in &engines {
            say!("offers engine `{}` with SHA-256 {}", engine.identity().name, engine.identity().checksum);
        }
    }
    Ok(OfferedEngines::new(engines))
}

/// The longest time that an idle task may take (seconds).
pub const IDLE_MAX: f64 = 3600.0;

impl Runner for TaskRunner {
    fn execute(&mut self, task: &EncodedTask, context: &Context) -> Result<RunnerOutput, TaskError> {
        match task.kind.as_str() {
            Production::NAME => self.games.execute(task, context),
            Pairs::NAME => self.pairs.execute(task, context),
            SuiteWorker::NAME => self.positions.execute(task, context),
            Mining::NAME => self.mining.execute(task, context),
            Measuring::NAME => self.measuring.execute(task, context),
            Idle::NAME => Idle.execute(task, context),
            kind => Err(TaskError::Refused(format!(
                "cannot execute a task of kind `{kind}`: it is unknown; update this program"
            ))),
        }
    }
}

/// A task that waits for a number of seconds, to measure the queue itself. The number makes tasks distinct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IdleTask {
    /// Which one.
    pub number: u64,
    /// How long it takes (seconds).
    pub seconds: f64,
}

/// Does nothing.
pub struct Idle;

impl TaskKind for Idle {
    const NAME: &'static str = "idle";
    type Task = IdleTask;
    type Outcome = u64;

    fn run(&mut self, task: &IdleTask, _: &Context) -> Result<u64, TaskError> {
        sleep(Duration::from_secs_f64(task.seconds.clamp(0.0, IDLE_MAX)));
        Ok(task.number)
    }

    fn checksum(_: &IdleTask, number: &u64) -> Option<Digest> {
        Some(Digest::of(&number.to_le_bytes()))
    }
}

/// Executes tasks until it is stopped.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters("the tasks of a worker hold the settings")?;
    common.refuse_json("a worker sends results to the command that waits for them")?;
    let engines = offered(common, arguments)?;
    let _log = arguments.dialogue.open(common, NO_INPUT)?;
    match (&arguments.task, address(arguments.nats.as_deref())) {
        (Some(task), _) => once(arguments, task, &engines),
        #[cfg(feature = "nats")]
        (None, Some(url)) => serve::serve_queue(common, arguments, &url, &engines),
        #[cfg(not(feature = "nats"))]
        (None, Some(_)) => Err(crate::execution::without_nats()),
        (None, None) => Err(Failure::Input(miette!(
            "cannot start: no source of tasks is given; give --nats URL, NATS_URL, or --task FILE"
        ))),
    }
}

/// The address of the server: `given`, or NATS_URL of the environment.
pub fn address(given: Option<&str>) -> Option<String> {
    given.map(str::to_owned).or_else(|| std::env::var("NATS_URL").ok().filter(|url| !url.is_empty()))
}

fn identity(arguments: &Arguments, program: &str, workers: usize) -> WorkerIdentity {
    WorkerIdentity {
        name: arguments.name.clone().unwrap_or_else(|| format!("{}-{}", host(), std::process::id())),
        program: program.to_owned(),
        processor: processor(),
        speed: speed(),
        workers,
    }
}

/// Does one task of a folder.
fn once(arguments: &Arguments, task: &Path, engines: &OfferedEngines) -> CommandResult {
    let wrong = |path: &Path, what: &str, error: std::io::Error| {
        miette!("cannot {what} `{}`: {error}; check the path and the permissions", path.display())
    };
    let bytes = std::fs::read(task).map_err(|error| Failure::Input(wrong(task, "read", error)))?;
    let whole = std::path::absolute(task).map_err(|error| Failure::Input(wrong(task, "find", error)))?;
    let run = whole.parent().and_then(Path::parent).unwrap_or(Path::new(".")).to_owned();
    let out = arguments.out.clone().unwrap_or_else(|| run.join("outcomes"));
    // Without --out it is a folder, which must be there before anything is executed.
    let out =
        if arguments.out.is_none() || out.is_dir() { out.join(format!("{}.json", Digest::of(&bytes))) } else { out };
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        refuse!(
            "cannot write the outcome to `{}`: folder `{}` does not exist; give a task in a folder of --tasks, or --out FILE",
            out.display(),
            folder.display()
        );
    }
    let build = Build { engines: engines.identities(), ..build() };
    let identity = identity(arguments, &build.program, 1);
    let mut context = Context::new(Arc::new(ObjectFolder(run.join("objects"))));
    context.memory = arguments.max_memory;
    let fault = match execute(&bytes, &build, &identity, &mut TaskRunner::offering(engines), &context) {
        Ok(outcome) => {
            let text = serde_json::to_vec(&outcome).map_err(std::io::Error::from)?;
            write_whole(&out, &text).map_err(|error| Failure::Run(wrong(&out, "write", error)))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(fault) => fault,
    };
    let reason = match &fault {
        TaskError::Refused(reason) | TaskError::Unfit(reason) | TaskError::Failed(reason) => reason.clone(),
        TaskError::Stopped => "stopped".to_owned(),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let given = TaskFailure { task: Digest::of(&bytes), worker: identity, reason: reason.clone(), tries: 1, text };
    let failed = out.with_extension("failed");
    let text = serde_json::to_vec(&given).map_err(std::io::Error::from)?;
    write_whole(&failed, &text).map_err(|error| Failure::Run(wrong(&failed, "write", error)))?;
    let message = miette!("cannot execute `{}`: {reason}", task.display());
    Err(if matches!(fault, TaskError::Refused(_)) { Failure::Input(message) } else { Failure::Run(message) })
}
