//! Where work is done: in this process, by workers behind a NATS server, or by a batch system that finds tasks in a folder.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressState};
use quarterply_datagen::settings::evaluation;
use quarterply_engine::params::Parameters;
use quarterply_files::bench;
#[cfg(feature = "nats")]
use quarterply_work::Digest;
#[cfg(feature = "nats")]
use quarterply_work::nats::{Access, Link, NatsError, NatsTransport, RunPlan};
use quarterply_work::workers::{self, WorkerLog, WorkerShare, Workers};
use quarterply_work::{Build, Connection, EngineIdentity, Executor, FolderTransport, TaskKind, Threads, Transport};

use crate::commands::datagen::play::program;
use crate::failure::Failure;
use crate::progress;

/// Depth of the bench that identifies a build (plies).
const DEPTH: u32 = 7;
/// File in the folder of a distributed run that lists the workers and their shares.
pub const WORKERS: &str = "workers.jsonl";
/// Digits of the name of a run on the server.
#[cfg(feature = "nats")]
const RUN_NAME: usize = 16;

/// Where tasks are executed, if not in this process.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Execution")]
pub struct ExecutionArguments {
    /// Execute tasks on workers (`quarterply worker`) of the NATS server at this address. Secrets come from files and the
    /// environment: NATS_CREDS, NATS_TOKEN_FILE, NATS_USER with NATS_PASSWORD_FILE, NATS_NKEY, NATS_CA, NATS_CERT with NATS_KEY.
    #[arg(long, value_name = "URL", conflicts_with = "tasks")]
    pub nats: Option<String>,
    /// Write tasks as files into this folder and wait for their outcomes from `quarterply worker --task`.
    #[arg(long, value_name = "DIR")]
    pub tasks: Option<PathBuf>,
}

/// A run whose work is done elsewhere.
#[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "a NATS server needs what a folder does not"))]
pub struct RunIdentity {
    /// Title of the command's work, shown to users.
    pub title: String,
    /// Identifies the run on this machine; unchanged when it is resumed.
    pub identity: String,
    /// True if the run does not resume an earlier one.
    pub fresh: bool,
    /// The file that records the workers, if any.
    pub log: Option<PathBuf>,
}

impl RunIdentity {
    /// A run that is never resumed.
    pub fn once(title: String) -> RunIdentity {
        RunIdentity { title, identity: unique(), fresh: true, log: None }
    }
}

impl ExecutionArguments {
    /// Returns true if the work is done elsewhere.
    pub fn is_given(&self) -> bool {
        self.nats.is_some() || self.tasks.is_some()
    }

    /// Opens the place where the work is done.
    pub fn open(&self, run: &RunIdentity) -> Result<Execution, Failure> {
        self.open_for(run, Vec::new())
    }

    /// The same for tasks that need these other engines.
    pub fn open_for(&self, run: &RunIdentity, engines: Vec<EngineIdentity>) -> Result<Execution, Failure> {
        if !self.is_given() {
            return Ok(Execution(None));
        }
        // It takes a bench to know one's build: only commands that send tasks need it.
        let build = Build { engines, ..build() };
        let transport: Box<dyn Transport> = match (&self.nats, &self.tasks) {
            (Some(url), _) => transport(url, run, &build)?,
            (None, Some(folder)) => Box::new(FolderTransport::open(folder, run.fresh).map_err(Failure::input)?),
            (None, None) => return Ok(Execution(None)),
        };
        let log = run.log.as_deref().map(log).transpose()?;
        Ok(Execution(Some(Connection::new(transport, build, log))))
    }
}

/// Where work is done: in this process, or by workers elsewhere.
pub struct Execution(Option<Connection>);

impl Execution {
    /// This process.
    pub fn here() -> Execution {
        Execution(None)
    }

    /// Returns true if the work is done in this process.
    pub fn is_here(&self) -> bool {
        self.0.is_none()
    }

    /// The executor of one kind of task: `here`, unless the work is done elsewhere.
    pub fn executor<'a, K: TaskKind>(&'a mut self, here: impl FnOnce() -> Threads<K>) -> Box<dyn Executor<K> + 'a> {
        match &mut self.0 {
            Some(connection) => Box::new(connection.executor()),
            None => Box::new(here()),
        }
    }

    /// The executor of one kind of task, if the work is done elsewhere.
    pub fn remote<'a, K: TaskKind>(&'a mut self) -> Option<Box<dyn Executor<K> + 'a>> {
        let connection = self.0.as_mut()?;
        Some(Box::new(connection.executor()))
    }

    /// Adds a line about the workers to a bar that has this template.
    pub fn show_below(&self, bar: &ProgressBar, template: &str) {
        if let Some(connection) = &self.0 {
            show_below(connection.workers(), bar, template);
        }
    }

    /// Records the workers in this file from now on.
    pub fn set_log(&mut self, path: &Path) -> Result<(), Failure> {
        if let Some(connection) = &mut self.0 {
            connection.set_log(log(path)?);
        }
        Ok(())
    }

    /// Ends the work: nothing of it is needed any more if it is `finished`.
    pub fn close(self, finished: bool) -> Result<(), Failure> {
        let Some(connection) = self.0 else { return Ok(()) };
        connection.close(finished).map_err(Failure::run)
    }
}

fn show_below(workers: Arc<Mutex<Option<Workers>>>, bar: &ProgressBar, template: &str) {
    let line = move |_: &ProgressState, out: &mut dyn fmt::Write| {
        if let Some(workers) = workers.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            let _ = write!(out, "{workers}");
        }
    };
    bar.set_style(progress::style(&format!("{template}\n{{workers}}")).with_key("workers", line));
}

/// The error of a build without NATS.
#[cfg(not(feature = "nats"))]
pub fn without_nats() -> Failure {
    Failure::Input(miette::miette!(
        "cannot use NATS: this build does not support it; install a release, or build with `cargo build --release --features nats`"
    ))
}

#[cfg(not(feature = "nats"))]
fn transport(_: &str, _: &RunIdentity, _: &Build) -> Result<Box<dyn Transport>, Failure> {
    Err(without_nats())
}

#[cfg(feature = "nats")]
fn transport(url: &str, run: &RunIdentity, build: &Build) -> Result<Box<dyn Transport>, Failure> {
    let link = connect(url, "command")?;
    let name = Digest::of(format!("{}\n{}", host(), run.identity).as_bytes()).to_string()[..RUN_NAME].to_owned();
    let plan = RunPlan { run: name, title: run.title.clone(), build: build.clone(), fresh: run.fresh };
    Ok(Box::new(NatsTransport::begin(link, plan).map_err(refuse)?))
}

/// Connects to NATS.
#[cfg(feature = "nats")]
pub fn connect(url: &str, what: &str) -> Result<Link, Failure> {
    let access = Access::from_environment(url).map_err(refuse)?;
    Link::connect(&access, &format!("quarterply {what} on {}", host())).map_err(refuse)
}

/// A wrong address is an input error, a failure of the server is not.
#[cfg(feature = "nats")]
pub fn refuse(error: NatsError) -> Failure {
    match error {
        NatsError::Access(_) => Failure::input(error),
        _ => Failure::run(error),
    }
}

/// Number of calls of [`build`] in this process.
#[cfg(test)]
static BUILDS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// The build of this program as tasks name it. Runs a bench.
pub fn build() -> Build {
    #[cfg(test)]
    BUILDS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let parameters = Parameters::default();
    let nodes = bench::signature(&parameters, DEPTH, usize::MAX);
    Build { program: program(), signature: format!("{nodes}-{}", evaluation(&parameters)), engines: Vec::new() }
}

/// Nodes a second of one thread, by the bench.
pub fn speed() -> u64 {
    let begin = Instant::now();
    let nodes = bench::signature(&Parameters::default(), DEPTH, usize::MAX);
    (nodes as f64 / begin.elapsed().as_secs_f64().max(f64::EPSILON)) as u64
}

/// Name of this machine.
pub fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_else(|_| "machine".to_owned());
    name
}

/// The processor of this machine.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    line.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// Where files of tasks are kept on this machine.
#[cfg(feature = "nats")]
pub fn cache() -> PathBuf {
    let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    home.unwrap_or_else(std::env::temp_dir).join("quarterply").join("objects")
}

/// A unique name for a run that cannot be resumed.
pub fn unique() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    format!("{} {}", std::process::id(), now.as_nanos())
}

/// The workers of a run and their shares, for its page; empty, with a warning, if the file cannot be read.
pub fn shares(path: &Path) -> Vec<WorkerShare> {
    workers::shares(path).unwrap_or_else(|error| {
        say!("warning: cannot read `{}`: {error}; the workers are not listed", path.display());
        Vec::new()
    })
}

/// Opens a file that records the workers.
fn log(path: &Path) -> Result<WorkerLog, Failure> {
    WorkerLog::open(path).map_err(Failure::run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use crate::progress::lines;
    use clap::Parser as _;
    use std::process::{self, ExitCode};
    use std::sync::atomic::Ordering;

    #[test]
    fn a_progress_bar_shows_the_workers() {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&lines);
        let target = lines::target(Duration::ZERO, move |line| kept.lock().expect("alone").push(line.to_owned()));
        let shown = || lines.lock().expect("alone").join("\n");
        let bar = ProgressBar::with_draw_target(Some(3), target);
        let workers = Arc::default();
        show_below(Arc::clone(&workers), &bar, "{pos} of {len}");
        bar.set_position(1);
        bar.tick();
        assert!(!shown().contains("worker"));
        *workers.lock().expect("alone") = Some(Workers { workers: 2, threads: 3, ..Workers::default() });
        bar.tick();
        let shown = shown();
        assert!(shown.contains("1 of 3") && shown.contains("2 workers with 3 threads, 0 tasks under way"), "{shown}");
    }

    /// The arguments of a command that [`work_done_here_needs_no_build`] runs in a separate process, one per line.
    const WORDS: &str = "QUARTERPLY_TEST_WORDS";

    /// Since c1c719d `match`, `tune`, `solve`, `ablate` and `datagen` searched the bench for the name of the build also where nobody
    /// else was to work: matches of some seconds were 4 % slower.
    #[test]
    fn work_done_here_needs_no_build() {
        if let Ok(words) = std::env::var(WORDS) {
            let cli = Cli::try_parse_from(words.lines()).expect("a command");
            let code = crate::carry_out(cli).unwrap_or_else(|_| panic!("{words}"));
            assert_eq!((code, BUILDS.load(Ordering::Relaxed)), (ExitCode::SUCCESS, 0), "{words}");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
        let (suite, journal, games, tuned) = (at("a.epd"), at("m.jsonl"), at("g"), at("t"));
        fs::write(&suite, "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#;\n").expect("a suite");
        for line in [
            format!("match --player default --player classic --nodes 1 --hash 1 --games 2 --json {journal}"),
            format!("match --player default --player classic --nodes 1 --hash 1 --games 4 --json {journal} --resume"),
            format!(
                "tune random --suite {suite} --params null_move.* --nodes 50 --hash 1 --steps 1 --population 2 \
                 --match-pairs 0 --out {tuned}"
            ),
            format!("tune resume {tuned}"),
            format!("solve {suite} --nodes 50 --hash 1"),
            format!("ablate {suite} --nodes 50 --without=probcut"),
            format!("datagen --games 1 --nodes 50 --hash 1 --bench-depth 1 --workers 1 --out {games}"),
            format!("datagen resume {games} --games 2 --workers 1"),
        ] {
            // Only one command of a process can handle Ctrl-C.
            let output = process::Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", "execution::tests::work_done_here_needs_no_build", "--nocapture"])
                .env(WORDS, format!("quarterply {line}").replace(' ', "\n"))
                .output()
                .expect("a test in a separate process");
            let stdout = String::from_utf8_lossy(&output.stdout);
            let text = format!("{line}\n{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success() && stdout.contains("1 passed"), "{text}");
        }
    }

    /// A command that sends tasks names its build.
    #[test]
    fn tasks_name_the_build() {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = ExecutionArguments { nats: None, tasks: Some(folder.path().join("tasks")) };
        let run = RunIdentity::once("t".to_owned());
        let before = BUILDS.load(Ordering::Relaxed);
        assert!(!arguments.open(&run).expect("a folder for tasks").is_here());
        assert!(BUILDS.load(Ordering::Relaxed) > before);
    }
}
