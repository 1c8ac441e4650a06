//! `quarterply workers`: who works behind a NATS server, on what, what waits, and what failed.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Subcommand;
use miette::miette;
use quarterply_engine::words::grouped;
use quarterply_nats::overview::{Overview, Run, forget, overview, retry};
use quarterply_nats::{Link, RunStatus, WorkerStatus};
use quarterply_work::{Build, Course, Model, Outcome, Task, drive};
use serde_json::json;

use super::worker::{IDLE, address};
use crate::away::{self, Away, refuse};
use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{Done, Failure};
use crate::listing::Listing;
use crate::numbers::count;

/// Per cent.
const PERCENT: f64 = 100.0;

/// What to look at, or what to do.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// The NATS server; NATS_URL in the environment if not given.
    ///
    /// Example: --nats nats://192.0.2.7:4222
    #[arg(long, value_name = "URL", global = true)]
    nats: Option<String>,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Have tasks tried again that were given up: those of one run, or all.
    Retry(Retry),
    /// Throw away tasks and outcomes of a run whose command does not come back.
    Forget(Forget),
    /// Measure the queue with tasks that do nothing.
    Measure(Measure),
    /// Compute from the speed of a queue how many workers it can serve. Needs no server.
    Model(Sizes),
}

/// Which.
#[derive(clap::Args, Debug)]
struct Retry {
    /// The run, as the table names it.
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

/// What nobody goes on with.
#[derive(clap::Args, Debug)]
struct Forget {
    /// The run, as the table names it.
    #[arg(value_name = "RUN")]
    run: String,
}

/// How much.
#[derive(clap::Args, Debug)]
struct Measure {
    /// So many tasks.
    ///
    /// Example: --tasks 50000
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(1..))]
    tasks: u64,
    /// Each takes so many seconds of waiting.
    ///
    /// Example: --seconds 1
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    seconds: f64,
}

/// What is computed.
#[derive(clap::Args, Debug)]
struct Sizes {
    /// Empty tasks that the queue passes in a second, as `workers measure` tells.
    ///
    /// Example: --rate 3000
    #[arg(long, value_name = "N", default_value_t = 1456.0, value_parser = positive)]
    rate: f64,
    /// A task takes so many seconds.
    ///
    /// Example: --seconds 1
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = positive)]
    seconds: f64,
    /// Tasks of the whole run.
    ///
    /// Example: --tasks 100000
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = count::<u64>(1..))]
    tasks: u64,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "give a number above 0".to_owned())
}

const AFTER: &str = "\
A worker that was not heard of for a minute is not shown. A task is given up when it went wrong, or was lost with its worker, five times; its \
run goes on with the others, and `workers retry` has it tried again.

Examples:
  quarterply workers --nats nats://192.0.2.7:4222
  quarterply workers retry --nats nats://192.0.2.7:4222
  quarterply workers forget 0123456789abcdef --nats nats://192.0.2.7:4222
  quarterply workers measure --tasks 50000 --nats nats://127.0.0.1:4222
  quarterply workers model --rate 1456 --seconds 1";

/// Shows, or does.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    if let Some(Action::Model(sizes)) = &arguments.action {
        return compute(common, sizes);
    }
    let missing = || Failure::Input(miette!("which server? Give --nats URL, or NATS_URL in the environment"));
    let url = address(arguments.nats.as_deref()).ok_or_else(missing)?;
    match &arguments.action {
        None => show(common, &away::connect(&url, "workers")?),
        Some(Action::Retry(which)) => again(common, &away::connect(&url, "workers")?, which.run.as_deref()),
        Some(Action::Forget(which)) => throw_away(common, &away::connect(&url, "workers")?, &which.run),
        Some(Action::Measure(measure)) => take_time(common, &url, measure),
        Some(Action::Model(sizes)) => compute(common, sizes),
    }
}

fn show(common: &Common, link: &Link) -> Done {
    let all = overview(link).map_err(refuse)?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    json.print(&describe(&all))?;
    json.write(&all)?;
    json.close()?;
    Ok(ExitCode::SUCCESS)
}

/// Both tables and the failures.
fn describe(all: &Overview) -> String {
    let mut text =
        if all.workers.is_empty() { "no workers".to_owned() } else { workers_table(&all.workers).to_string() };
    if all.runs.is_empty() {
        return text + "\n\nno runs";
    }
    text += &format!("\n\n{}", runs_table(&all.runs));
    for run in &all.runs {
        for failure in &run.failures {
            let task = failure.task.short();
            text += &format!(
                "\n{} task {task}: given up after {} tries, last by {}: {}",
                run.run, failure.tries, failure.worker.name, failure.reason
            );
        }
    }
    if all.runs.iter().any(|run| !run.failures.is_empty()) {
        text += "\n`quarterply workers retry` has them tried again";
    }
    text
}

fn workers_table(workers: &[WorkerStatus]) -> Listing {
    let mut table = Listing::new(
        &["worker", "build", "threads", "nodes/s", "tasks", "failed", "busy", "longest", "processor"],
        2..8,
    );
    for word in workers {
        let threads = word.card.workers as f64;
        let longest = word.running.iter().map(|running| running.seconds).fold(0.0, f64::max);
        let running: f64 = word.running.iter().map(|running| running.seconds).sum();
        let busy = PERCENT * (word.busy + running) / (word.age * threads).max(f64::EPSILON);
        table.add_row([
            word.card.name.clone(),
            word.build.name(),
            word.card.workers.to_string(),
            grouped(word.card.speed),
            grouped(word.done),
            grouped(word.failed),
            format!("{:.0} %", busy.min(PERCENT)),
            if word.running.is_empty() { "-".to_owned() } else { format!("{longest:.0} s") },
            word.card.processor.clone(),
        ]);
    }
    table
}

fn runs_table(runs: &[Run]) -> Listing {
    let mut table =
        Listing::new(&["run", "what", "build", "queue", "outcomes", "failed", "done", "left", "time left"], 3..9);
    for run in runs {
        let word = run.status.as_ref();
        let said = |what: fn(&RunStatus) -> String| word.map_or_else(|| "?".to_owned(), what);
        table.add_row([
            run.run.clone(),
            word.map_or_else(|| "its command is not there".to_owned(), |word| word.title.clone()),
            said(|word| word.build.name()),
            grouped(run.tasks),
            grouped(run.outcomes),
            grouped(run.failures.len() as u64),
            said(|word| grouped(word.done)),
            said(|word| word.left.map_or_else(|| "?".to_owned(), grouped)),
            said(time_left),
        ]);
    }
    table
}

/// What is left at the speed so far.
fn time_left(word: &RunStatus) -> String {
    let Some(left) = word.left.filter(|_| word.done > 0) else { return "?".to_owned() };
    let seconds = word.age / word.done as f64 * left as f64;
    indicatif::HumanDuration(Duration::try_from_secs_f64(seconds).unwrap_or_default()).to_string()
}

fn again(common: &Common, link: &Link, run: Option<&str>) -> Done {
    let count = retry(link, run).map_err(refuse)?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    json.print(&format!("{} tasks are in the queue again", grouped(count as u64)))?;
    json.write(&json!({ "retried": count }))?;
    json.close()?;
    Ok(ExitCode::SUCCESS)
}

fn throw_away(common: &Common, link: &Link, name: &str) -> Done {
    let all = overview(link).map_err(refuse)?;
    let Some(run) = all.runs.iter().find(|run| run.run == name) else {
        let names: Vec<&str> = all.runs.iter().map(|run| run.run.as_str()).collect();
        let there = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
        return Err(Failure::Input(miette!("`{name}`: the server has no such run; {there}")));
    };
    if run.status.as_ref().is_some_and(RunStatus::is_fresh) {
        return Err(Failure::Input(miette!(
            "`{name}`: its command is at work; end that first, with Ctrl-C where it runs"
        )));
    }
    forget(link, name).map_err(refuse)?;
    let failures = run.failures.len();
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let (tasks, outcomes) = (grouped(run.tasks), grouped(run.outcomes));
    json.print(&format!("forgotten: {tasks} tasks, {outcomes} outcomes, {failures} failures"))?;
    json.write(&json!({ "run": name, "tasks": run.tasks, "outcomes": run.outcomes, "failures": failures }))?;
    json.close()?;
    Ok(ExitCode::SUCCESS)
}

/// One line for each number of threads.
fn compute(common: &Common, sizes: &Sizes) -> Done {
    const THREADS: [u32; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
    const SECONDS_PER_HOUR: f64 = 3600.0;
    let model = Model { rate: sizes.rate, seconds: sizes.seconds };
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let mut table = Listing::new(&["threads", "tasks/s", "working", "queue busy", "hours"], 0..5);
    for threads in THREADS {
        let load = model.load(threads);
        let hours = sizes.tasks as f64 / load.throughput / SECONDS_PER_HOUR;
        table.add_row([
            threads.to_string(),
            format!("{:.1}", load.throughput),
            format!("{:.1} %", PERCENT * load.working),
            format!("{:.1} %", PERCENT * load.queue),
            format!("{hours:.2}"),
        ]);
        json.write(&json!({
            "threads": threads, "throughput": load.throughput, "working": load.working, "queue": load.queue, "hours": hours,
        }))?;
    }
    json.print(&table)?;
    json.print(&format!("the queue is busy all the time from {:.0} threads on", model.saturation()))?;
    json.close()?;
    Ok(ExitCode::SUCCESS)
}

/// Tasks that do nothing.
struct Idle {
    build: Build,
    seconds: f64,
    next: u64,
    last: u64,
    done: u64,
    begun: Option<Instant>,
}

impl Course<u64> for Idle {
    fn take(&mut self) -> Option<(u64, Task)> {
        self.next += 1;
        let content = json!({ "number": self.next, "seconds": self.seconds });
        let task = Task { kind: IDLE.to_owned(), build: self.build.clone(), objects: Vec::new(), content };
        (self.next <= self.last).then_some((self.next, task))
    }

    fn done(&mut self, _: u64, _: Outcome) -> Result<(), String> {
        self.begun.get_or_insert_with(Instant::now);
        self.done += 1;
        Ok(())
    }

    fn is_over(&self) -> bool {
        false
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done, Some(self.last - self.done))
    }
}

/// Measures from the first outcome to the last: the time that a worker needs to be found does not count.
fn take_time(common: &Common, url: &str, measure: &Measure) -> Done {
    let away = Away { nats: Some(url.to_owned()), tasks: None };
    let title = format!("measuring with {} tasks", grouped(measure.tasks));
    let run = away::Run { title, identity: away::unique(), fresh: true, notes: None };
    let Some(mut others) = away.open(&run)? else { return Ok(ExitCode::SUCCESS) };
    let say = |text: &str| say!("{text}");
    let mut far = others.far(&say);
    let (build, seconds, last) = (far.build.clone(), measure.seconds, measure.tasks);
    let mut idle = Idle { build, seconds, next: 0, last, done: 0, begun: None };
    let begin = Instant::now();
    let ended = drive(&mut far, &mut idle);
    let (all, since) = (begin.elapsed(), idle.begun.map_or(Duration::ZERO, |begun| begun.elapsed()));
    others.close(true)?;
    ended.map_err(|error| Failure::Run(miette!("{error}")))?;
    let rate = (measure.tasks - 1) as f64 / since.as_secs_f64().max(f64::EPSILON);
    let mut json = JsonLines::open(common, NO_INPUT)?;
    json.print(&format!(
        "{} tasks in {:.2} s, {rate:.0} a second from the first outcome to the last",
        grouped(measure.tasks),
        all.as_secs_f64()
    ))?;
    json.write(&json!({ "tasks": measure.tasks, "seconds": all.as_secs_f64(), "rate": rate }))?;
    json.close()?;
    Ok(ExitCode::SUCCESS)
}
