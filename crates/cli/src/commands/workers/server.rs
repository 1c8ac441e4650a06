//! The commands for a NATS server.

use std::time::{Duration, Instant};

use quarterply_engine::words::grouped;
use quarterply_uci::process::Stop;
use quarterply_window::words::several;
use quarterply_work::nats::overview::{Overview, RunOverview, forget, overview, retry};
use quarterply_work::nats::{Link, RunStatus, WorkerStatus};
use quarterply_work::{Done, Job, JobItem, JobState, StopMode, WorkError};
use serde_json::json;

use super::super::worker::{Idle, IdleTask};
use super::Measure;
use crate::common::Common;
use crate::execution::{ExecutionArguments, RunIdentity, refuse};
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::Failure;
use crate::interrupt;
use crate::listing::Listing;
use crate::progress::time_left;

/// Per cent.
const PERCENT: f64 = 100.0;

pub fn show(common: &Common, link: &Link) -> super::CommandResult {
    let all = overview(link).map_err(refuse)?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    json.print(&describe(&all))?;
    json.write(&all)?;
    json.close()
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
        text += "\nrun `quarterply workers retry` to retry the failed tasks";
    }
    text
}

fn workers_table(workers: &[WorkerStatus]) -> Listing {
    let mut table = Listing::new(
        &["worker", "build", "threads", "nodes/s", "tasks", "failed", "busy", "longest", "processor"],
        2..8,
    );
    for status in workers {
        let threads = status.identity.workers as f64;
        let longest = status.running.iter().map(|running| running.seconds).fold(0.0, f64::max);
        let running: f64 = status.running.iter().map(|running| running.seconds).sum();
        let busy = PERCENT * (status.busy + running) / (status.age * threads).max(f64::EPSILON);
        table.add_row([
            status.identity.name.clone(),
            status.build.name(),
            status.identity.workers.to_string(),
            grouped(status.identity.speed),
            grouped(status.done),
            grouped(status.failed),
            format!("{:.0} %", busy.min(PERCENT)),
            if status.running.is_empty() { "-".to_owned() } else { format!("{longest:.0} s") },
            status.identity.processor.clone(),
        ]);
    }
    table
}

fn runs_table(runs: &[RunOverview]) -> Listing {
    let mut table =
        Listing::new(&["run", "what", "build", "queue", "outcomes", "failed", "done", "left", "time left"], 3..9);
    for run in runs {
        let status = run.status.as_ref();
        let cell = |what: fn(&RunStatus) -> String| status.map_or_else(|| "?".to_owned(), what);
        table.add_row([
            run.run.clone(),
            status.map_or_else(|| "no command is connected".to_owned(), |status| status.title.clone()),
            cell(|status| status.build.name()),
            grouped(run.tasks),
            grouped(run.outcomes),
            grouped(run.failures.len() as u64),
            cell(|status| grouped(status.done)),
            cell(|status| status.left.map_or_else(|| "?".to_owned(), grouped)),
            cell(time_left_of),
        ]);
    }
    table
}

/// The time left at the speed so far.
fn time_left_of(status: &RunStatus) -> String {
    let left = status.left.and_then(|left| time_left(status.age, status.done as f64, left as f64));
    left.map_or_else(|| "?".to_owned(), |left| left.to_string())
}

pub fn retry_tasks(common: &Common, link: &Link, run: Option<&str>) -> super::CommandResult {
    if let Some(name) = run {
        find(&overview(link).map_err(refuse)?, name)?;
    }
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let count = retry(link, run).map_err(refuse)?;
    json.print(&format!("queued again: {}", several(count as u64, "task")))?;
    json.write(&json!({ "retried": count }))?;
    json.close()
}

/// The run of this name.
fn find<'a>(all: &'a Overview, name: &str) -> Result<&'a RunOverview, Failure> {
    let Some(run) = all.runs.iter().find(|run| run.run == name) else {
        let names: Vec<&str> = all.runs.iter().map(|run| run.run.as_str()).collect();
        let there =
            if names.is_empty() { "it has no runs".to_owned() } else { format!("give one of {}", names.join(", ")) };
        refuse!("cannot find run `{name}` on the server: {there}");
    };
    Ok(run)
}

pub fn forget_run(common: &Common, link: &Link, name: &str) -> super::CommandResult {
    let all = overview(link).map_err(refuse)?;
    let run = find(&all, name)?;
    if run.status.as_ref().is_some_and(RunStatus::is_fresh) {
        refuse!("cannot forget run `{name}`: its command is running; stop it first with Ctrl-C");
    }
    let mut json = JsonLines::open(common, NO_INPUT)?;
    forget(link, name).map_err(refuse)?;
    let failures = run.failures.len();
    let counts = [(run.tasks, "task"), (run.outcomes, "outcome"), (failures as u64, "failure")];
    json.print(&format!("forgotten: {}", counts.map(|(count, thing)| several(count, thing)).join(", ")))?;
    json.write(&json!({ "run": name, "tasks": run.tasks, "outcomes": run.outcomes, "failures": failures }))?;
    json.close()
}

/// A job of idle tasks.
struct IdleJob {
    seconds: f64,
    next: u64,
    last: u64,
    done: u64,
    begun: Option<Instant>,
    stop: Stop,
}

impl Job for IdleJob {
    type Kind = Idle;
    type Error = WorkError;

    fn next(&mut self) -> Result<Option<JobItem<Idle>>, WorkError> {
        self.next += 1;
        let task = IdleTask { number: self.next, seconds: self.seconds };
        Ok((self.next <= self.last).then_some(JobItem::Task(task)))
    }

    fn received(&mut self, _: u64, _: &Done<u64>) -> Result<(), WorkError> {
        self.begun.get_or_insert_with(Instant::now);
        self.done += 1;
        Ok(())
    }

    fn done(&mut self, _: u64, _: Done<u64>) -> Result<(), WorkError> {
        Ok(())
    }

    fn state(&self) -> JobState {
        if self.stop.is_set() { JobState::Stop(StopMode::Cancel) } else { JobState::Running }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done, Some(self.last - self.done))
    }
}

/// Measures from the first outcome to the last: the time that a worker needs to be found does not count. Tasks of an interrupted
/// measurement are deleted.
pub fn measure(common: &Common, url: &str, measure: &Measure) -> super::CommandResult {
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let arguments = ExecutionArguments { nats: Some(url.to_owned()), tasks: None };
    let stop = interrupt::listen(|| say!("stopping: the tasks are deleted (press Ctrl-C again to end at once)"))?;
    let title = format!("measuring with {}", several(measure.tasks, "task"));
    let mut execution = arguments.open(&RunIdentity::once(title))?;
    let (seconds, last) = (measure.seconds, measure.tasks);
    let mut idle = IdleJob { seconds, next: 0, last, done: 0, begun: None, stop: stop.clone() };
    let begin = Instant::now();
    let ended = match execution.remote() {
        Some(mut executor) => quarterply_work::run(&mut idle, executor.as_mut(), &|text| say!("{text}")),
        None => Ok(()),
    };
    let (all, since) = (begin.elapsed(), idle.begun.map_or(Duration::ZERO, |begun| begun.elapsed()));
    execution.close(true)?;
    ended.map_err(Failure::run)?;
    if stop.is_set() {
        return Ok(interrupt::code());
    }
    let rate = (measure.tasks - 1) as f64 / since.as_secs_f64().max(f64::EPSILON);
    json.print(&format!(
        "{} in {:.2} s, {rate:.0} per second from the first outcome to the last",
        several(measure.tasks, "task"),
        all.as_secs_f64()
    ))?;
    json.write(&json!({ "tasks": measure.tasks, "seconds": all.as_secs_f64(), "rate": rate }))?;
    json.close()
}
