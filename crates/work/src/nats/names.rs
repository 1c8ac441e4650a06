//! The streams of the server and their subjects.
//!
//! | stream | subjects | content |
//! |---|---|---|
//! | [`TASKS`] | `quarterply.task.BUILD.RUN.DIGEST` | a work queue in files: a task until it is done |
//! | [`RESULTS`] | `quarterply.found.RUN.KIND.DIGEST` | in files: outcomes, failures, conflicts and notes of a run until it is finished |
//! | [`STATUS`] | `quarterply.worker.NAME`, `quarterply.run.RUN` | the last status of each worker and run, for a minute |
//!
//! The first two accept one message for each subject: a task waits once, and the first outcome stays. The object store [`BUCKET`]
//! holds the files of tasks by their digests.

use crate::Digest;
use std::time::Duration;

/// The stream of tasks.
pub const TASKS: &str = "QUARTERPLY_TASKS";
/// The stream of results.
pub const RESULTS: &str = "QUARTERPLY_FOUND";
/// The stream of status messages.
pub const STATUS: &str = "QUARTERPLY_STATUS";
/// The object store.
pub const BUCKET: &str = "quarterply";

/// A kind of result: the outcome of a task.
pub const OUTCOME: &str = "outcome";
/// A kind of result: a task that was given up.
pub const FAILED: &str = "failed";
/// A kind of result: a worker that cannot execute a task; one note for each offer that was left to others.
pub const UNFIT: &str = "unfit";
/// A kind of result: workers whose outcomes of one task differ.
pub const CONFLICT: &str = "conflict";

/// How long outcomes are stored for a command that is not resumed.
pub(crate) const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Lifetime of a status message.
pub(crate) const STATUS_LIFETIME: Duration = Duration::from_secs(60);
/// How long a worker may be silent before another gets its tasks.
pub const LEASE: Duration = Duration::from_secs(30);
/// Most deliveries of a task that fails; offers to workers that cannot execute it do not count.
pub const ATTEMPTS_MAX: i64 = 5;

/// The durable consumer of the tasks of a build.
pub fn consumer(build: &str) -> String {
    format!("workers_{build}")
}

/// All tasks of a build.
pub fn tasks_of_build(build: &str) -> String {
    format!("quarterply.task.{build}.>")
}

/// All tasks of a run.
pub fn tasks_of_run(run: &str) -> String {
    format!("quarterply.task.*.{run}.*")
}

/// One task.
pub fn task(build: &str, run: &str, digest: &Digest) -> String {
    format!("quarterply.task.{build}.{run}.{digest}")
}

/// The run in the subject of a task.
pub fn run_of_task(subject: &str) -> &str {
    subject.split('.').nth(3).unwrap_or_default()
}

/// All results of a run.
pub fn results_of_run(run: &str) -> String {
    format!("quarterply.found.{run}.>")
}

/// All failures of a run.
pub fn failures_of_run(run: &str) -> String {
    format!("quarterply.found.{run}.{FAILED}.*")
}

/// A result of a task.
pub fn result(run: &str, kind: &str, digest: &Digest) -> String {
    format!("quarterply.found.{run}.{kind}.{digest}")
}

/// The note of a worker that cannot execute a task, by the number of the offer; `*` stands for all offers.
pub fn unfit(run: &str, digest: &Digest, offer: &str) -> String {
    format!("{}.{offer}", result(run, UNFIT, digest))
}

/// The run and the kind in the subject of a result.
pub fn parts_of_result(subject: &str) -> (&str, &str) {
    let mut words = subject.split('.').skip(2);
    (words.next().unwrap_or_default(), words.next().unwrap_or_default())
}

/// The status of a worker.
pub fn worker(name: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    format!("quarterply.worker.{}", name.chars().map(plain).collect::<String>())
}

/// The status of a run.
pub fn run(run: &str) -> String {
    format!("quarterply.run.{run}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_parsed_into_their_parts() {
        let digest = Digest::of(b"x");
        assert_eq!(run_of_task(&task("b", "r7", &digest)), "r7");
        assert_eq!(parts_of_result(&result("r7", FAILED, &digest)), ("r7", FAILED));
        assert_eq!(parts_of_result(&unfit("r7", &digest, "3")), ("r7", UNFIT));
        assert_eq!(worker("node 1.example*>"), "quarterply.worker.node_1_example__");
    }
}
