//! `quarterply worker`: does work that commands on other machines hand out.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};

use miette::miette;
use quarterply_nats::{Service, serve};
use quarterply_work::{
    Desk, Digest, Failure as Given, Fault, Found, Runner, Shelf, Task, WorkerCard, carry_out, write_whole,
};
use serde_json::Value;

use crate::away::{self, build, cache, host, processor, refuse, speed};
use crate::common::Common;
use crate::failure::{Done, Failure};
use crate::interrupt::INTERRUPTED;
use crate::numbers::count;

const SECONDS_PER_HOUR: f64 = 3600.0;

/// Where work comes from.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    /// The NATS server that has the work; NATS_URL in the environment if not given. Secrets come from files and the environment:
    /// NATS_CREDS, NATS_TOKEN_FILE, NATS_USER with NATS_PASSWORD_FILE, NATS_NKEY, NATS_CA, NATS_CERT with NATS_KEY.
    ///
    /// Example: --nats nats://192.0.2.7:4222
    #[arg(long, value_name = "URL", conflicts_with = "task")]
    nats: Option<String>,
    /// Do this one task and end: a file of a folder that --tasks of another command named.
    ///
    /// Example: --task run/tasks/0f3a.json
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
    /// Where the outcome of --task goes; beside its folder, in `outcomes`, if not given.
    ///
    /// Example: --out run/outcomes/0f3a.json
    #[arg(long, value_name = "FILE", requires = "task")]
    out: Option<PathBuf>,
    /// End after so many hours, when the tasks that are running then are done.
    ///
    /// Example: --hours 7.5
    #[arg(long, value_name = "H", value_parser = parse_hours)]
    hours: Option<f64>,
    /// What the process may take in MiB. Tasks with larger tables are left to others, and a worker that grows beyond it ends.
    ///
    /// Example: --max-memory 2048
    #[arg(long, value_name = "MB", value_parser = count::<u64>(1..))]
    max_memory: Option<u64>,
    /// What the worker is called; the machine and the process if not given.
    ///
    /// Example: --name attic
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Folder for files that tasks need; one in the user's cache if not given.
    ///
    /// Example: --cache /scratch/quarterply
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

const AFTER: &str = "\
A worker needs a connection to the server and nothing else: it takes tasks as data, never commands or paths, and only those of its own build. \
--workers is how many it does at a time: all processors if not given. Ctrl-C or a termination signal ends it after the tasks that are running; \
a second one leaves them to others. A worker that is killed loses nothing: its tasks are given out again after half a minute.

Examples:
  quarterply worker --nats nats://192.0.2.7:4222
  NATS_TOKEN_FILE=token quarterply worker --nats tls://example.org --workers 4 --hours 8
  quarterply worker --task run/tasks/0f3a.json";

fn parse_hours(text: &str) -> Result<f64, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| hours.is_finite() && *hours > 0.0);
    hours.ok_or_else(|| "give a number of hours above 0, such as 1.5".to_owned())
}

/// Does the tasks of every kind.
#[derive(Default)]
pub struct Kinds {
    datagen: quarterply_datagen::far::Runner,
    matches: quarterply_games::matches::Runner,
    suites: quarterply_lab::suite::Runner,
    tuning: quarterply_tune::far::Runner,
}

/// The kind of task that does nothing for a while: the queue itself can be measured with it.
pub const IDLE: &str = "idle";
/// The longest time that such a task may take (seconds).
const IDLE_MAX: f64 = 3600.0;

impl Runner for Kinds {
    fn run(&mut self, task: &Task, desk: &Desk) -> Result<Found, Fault> {
        match task.kind.as_str() {
            quarterply_datagen::far::KIND => self.datagen.run(task, desk),
            quarterply_games::matches::KIND => self.matches.run(task, desk),
            quarterply_lab::suite::KIND => self.suites.run(task, desk),
            quarterply_tune::far::KIND => self.tuning.run(task, desk),
            IDLE => idle(task),
            kind => Err(Fault::Refused(format!("`{kind}` is no kind of task that this program knows"))),
        }
    }
}

fn idle(task: &Task) -> Result<Found, Fault> {
    let seconds = task.content.get("seconds").and_then(Value::as_f64).unwrap_or(0.0);
    sleep(Duration::from_secs_f64(seconds.clamp(0.0, IDLE_MAX)));
    Ok(Found { body: task.content.clone(), agree: Some(task.digest()) })
}

/// Works until it is told to end.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    if common.profile.is_some() || !common.set.is_empty() {
        return Err(Failure::Input(miette!("--profile and --set say nothing to a worker: its tasks say how to play")));
    }
    match (&arguments.task, address(arguments.nats.as_deref())) {
        (Some(task), _) => once(arguments, task),
        (None, Some(url)) => attend(common, arguments, &url),
        (None, None) => Err(Failure::Input(miette!("work from where? Give --nats URL, NATS_URL, or --task FILE"))),
    }
}

/// The server: what was said, or what the environment says.
pub fn address(given: Option<&str>) -> Option<String> {
    given.map(str::to_owned).or_else(|| std::env::var("NATS_URL").ok().filter(|url| !url.is_empty()))
}

fn card(arguments: &Arguments, program: &str, workers: usize) -> WorkerCard {
    WorkerCard {
        name: arguments.name.clone().unwrap_or_else(|| format!("{}-{}", host(), std::process::id())),
        program: program.to_owned(),
        processor: processor(),
        speed: speed(),
        workers,
    }
}

/// Serves a queue.
fn attend(common: &Common, arguments: &Arguments, url: &str) -> Done {
    let link = away::connect(url, "worker")?;
    let [stop, leave] = [Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false))];
    let signals = [Arc::clone(&stop), Arc::clone(&leave)];
    let quiet = common.quiet;
    let handler = move || match signals.iter().find(|signal| !signal.swap(true, Ordering::Relaxed)) {
        Some(_) if quiet => {}
        Some(signal) if Arc::ptr_eq(signal, &signals[0]) => {
            say!("ending after the running tasks (again to leave them)")
        }
        Some(_) => say!("leaving the running tasks to others (again to end at once)"),
        None => std::process::exit(INTERRUPTED.into()),
    };
    ctrlc::set_handler(handler).map_err(Failure::input)?;
    let workers = common.workers.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
    let build = build();
    let card = card(arguments, &build.program, workers);
    let hours = arguments.hours.map(|hours| Duration::from_secs_f64(hours * SECONDS_PER_HOUR));
    if !quiet {
        let tasks = if workers == 1 { "1 task".to_owned() } else { format!("{workers} tasks") };
        say!(
            "{} serves {url}, {tasks} at a time, {} nodes a second each; build {}",
            card.name,
            card.speed,
            build.name()
        );
    }
    let service = Service {
        card,
        build,
        until: hours.and_then(|time| Instant::now().checked_add(time)),
        memory: arguments.max_memory,
        folder: arguments.cache.clone().unwrap_or_else(cache),
        stop,
        leave,
        runner: &|| Box::new(Kinds::default()),
        say: &|text| {
            if !quiet {
                say!("{text}");
            }
        },
    };
    let served = serve(&link, &service).map_err(refuse)?;
    if !quiet {
        say!("{} tasks done, {} went wrong", served.done, served.failed);
    }
    Ok(if served.too_large { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Does one task of a folder.
fn once(arguments: &Arguments, task: &Path) -> Done {
    let wrong = |path: &Path, what: &str, error: std::io::Error| miette!("{}: {what} ({error})", path.display());
    let bytes = std::fs::read(task).map_err(|error| Failure::Input(wrong(task, "cannot be read", error)))?;
    let run = task.parent().and_then(Path::parent).unwrap_or(Path::new(".")).to_owned();
    let named = format!("{}.json", Digest::of(&bytes));
    let out = arguments.out.clone().unwrap_or_else(|| run.join("outcomes").join(named));
    let build = build();
    let card = card(arguments, &build.program, 1);
    let objects = Arc::new(Shelf(run.join("objects")));
    let desk = Desk { stop: Arc::default(), objects, memory: arguments.max_memory };
    let fault = match carry_out(&bytes, &build, &card, &mut Kinds::default(), &desk) {
        Ok(outcome) => {
            let text = serde_json::to_vec(&outcome).map_err(std::io::Error::from)?;
            write_whole(&out, &text).map_err(|error| Failure::Run(wrong(&out, "cannot be written", error)))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(fault) => fault,
    };
    let reason = match &fault {
        Fault::Refused(reason) | Fault::Unfit(reason) | Fault::Failed(reason) => reason.clone(),
        Fault::Stopped => "stopped".to_owned(),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let given = Given { task: Digest::of(&bytes), worker: card, reason: reason.clone(), tries: 1, text };
    let failed = out.with_extension("failed");
    let text = serde_json::to_vec(&given).map_err(std::io::Error::from)?;
    write_whole(&failed, &text).map_err(|error| Failure::Run(wrong(&failed, "cannot be written", error)))?;
    let said = miette!("{}: {reason}", task.display());
    Err(if matches!(fault, Fault::Refused(_)) { Failure::Input(said) } else { Failure::Run(said) })
}
