//! Workers, runs, waiting and failed tasks, for people; and retrying failed tasks.

use crate::nats::link::{Link, NatsError, Stored, publish, purge, stream, subjects};
use crate::nats::names::{self, RESULTS, STATUS, TASKS};
use crate::nats::status::{self, RunStatus, WorkerStatus};
use crate::{EncodedTask, TaskFailure};
use serde::Serialize;
use std::collections::BTreeMap;

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunOverview {
    /// Its name on the server.
    pub run: String,
    /// The last status of its command, if it is recent.
    pub status: Option<RunStatus>,
    /// Tasks that wait or run.
    pub tasks: u64,
    /// Outcomes that are stored.
    pub outcomes: u64,
    /// Tasks that were given up.
    pub failures: Vec<TaskFailure>,
}

/// The state of all workers and runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Overview {
    /// Workers with a status message in the last minute, by name.
    pub workers: Vec<WorkerStatus>,
    /// Runs, by name.
    pub runs: Vec<RunOverview>,
}

/// Reads the state of all workers and runs from the server.
pub fn overview(link: &Link) -> Result<Overview, NatsError> {
    link.wait(async {
        let mut workers: Vec<WorkerStatus> = status::latest(&link.js, &link.messages, "quarterply.worker.*").await;
        workers.retain(|worker| !worker.ended);
        workers.sort_by(|a, b| a.identity.name.cmp(&b.identity.name));
        let mut runs: BTreeMap<String, RunOverview> = BTreeMap::new();
        let of = |run: &str| RunOverview { run: run.to_owned(), ..RunOverview::default() };
        for status in status::latest::<RunStatus>(&link.js, &link.messages, "quarterply.run.*").await {
            let name = status.run.clone();
            runs.entry(name.clone()).or_insert_with(|| of(&name)).status = Some(status);
        }
        for (subject, count) in subjects(&link.js, TASKS, "quarterply.task.>").await? {
            let run = names::run_of_task(&subject);
            runs.entry(run.to_owned()).or_insert_with(|| of(run)).tasks += count;
        }
        for (subject, count) in subjects(&link.js, RESULTS, "quarterply.found.*.outcome.*").await? {
            let (run, _) = names::parts_of_result(&subject);
            runs.entry(run.to_owned()).or_insert_with(|| of(run)).outcomes += count;
        }
        for (run, failure, _) in failures(link, None).await? {
            runs.entry(run.clone()).or_insert_with(|| of(&run)).failures.push(failure);
        }
        Ok(Overview { workers, runs: runs.into_values().collect() })
    })
}

/// Failures of a run or of all, with their place in the stream.
async fn failures(link: &Link, run: Option<&str>) -> Result<Vec<(String, TaskFailure, u64)>, NatsError> {
    let stream = stream(&link.js, RESULTS).await?;
    let subject = names::failures_of_run(run.unwrap_or("*"));
    let (mut found, mut next) = (Vec::new(), 1);
    while let Ok(message) = stream.raw_message_builder().sequence(next).next_by_subject(subject.as_str()).send().await {
        next = message.sequence + 1;
        let (run, _) = names::parts_of_result(&message.subject);
        if let Ok(failure) = serde_json::from_slice(&message.payload) {
            found.push((run.to_owned(), failure, message.sequence));
        }
    }
    Ok(found)
}

/// Submits the failed tasks of one run or of all again; returns their number.
pub fn retry(link: &Link, run: Option<&str>) -> Result<usize, NatsError> {
    link.wait(async {
        let found = failures(link, run).await?;
        let stream = stream(&link.js, RESULTS).await?;
        let mut count = 0;
        for (run, failure, sequence) in found {
            let Ok((task, digest)) = EncodedTask::decode(failure.text.as_bytes()) else { continue };
            // The failure is deleted first, so that a second one can be stored; this process has the task meanwhile.
            let gone = stream.delete_message(sequence).await;
            gone.map_err(|error| NatsError::server("delete a failure", &error))?;
            // Offers are counted from 1 again.
            purge(&link.js, RESULTS, &names::unfit(&run, &digest, "*")).await?;
            let subject = names::task(&task.build.name(), &run, &digest);
            let stored = publish(&link.js, &link.messages, subject, "", failure.text.into()).await;
            count += usize::from(stored != Stored::TooLarge);
        }
        Ok(count)
    })
}

/// Deletes all data of a run: its tasks, outcomes and last status. For runs whose command does not return; outcomes from late
/// workers would otherwise be kept for a month.
pub fn forget(link: &Link, run: &str) -> Result<(), NatsError> {
    let parts = [(TASKS, names::tasks_of_run(run)), (RESULTS, names::results_of_run(run)), (STATUS, names::run(run))];
    link.wait(async {
        for (name, filter) in parts {
            purge(&link.js, name, &filter).await?;
        }
        Ok(())
    })
}
