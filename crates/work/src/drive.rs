//! The loop of a command that has its work done elsewhere.

use crate::digest::Digest;
use crate::executor::{Answer, Far, WorkError};
use crate::task::{Failure, Outcome, Task};
use std::collections::HashMap;
use std::time::Duration;

/// How long to wait for an outcome before looking whether to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// A command as its executor sees it. `K` is what the command knows a piece of its work by.
pub trait Course<K> {
    /// The next piece in the order of the schedule; nothing if there is none, or none now.
    fn take(&mut self) -> Option<(K, Task)>;

    /// Takes what came of a piece. They come in any order, each once.
    ///
    /// # Errors
    /// The outcome makes no sense: the reason.
    fn done(&mut self, key: K, outcome: Outcome) -> Result<(), String>;

    /// Does anybody still wait for this piece?
    fn is_wanted(&self, _key: &K) -> bool {
        true
    }

    /// Shall no more be done, and nothing be waited for?
    fn is_over(&self) -> bool;

    /// How much is done since the beginning, and how much is left if that is known.
    fn progress(&self) -> (u64, Option<u64>);
}

/// Has everything done that there is to do. Tasks that were given up do not keep the others from being done.
///
/// # Errors
/// [`WorkError`]; what was done before counts.
pub fn drive<K>(far: &mut Far<'_>, course: &mut dyn Course<K>) -> Result<(), WorkError> {
    let (executor, say) = (&mut *far.executor, far.say);
    let mut open: HashMap<Digest, K> = HashMap::new();
    let mut failed: HashMap<Digest, Failure> = HashMap::new();
    loop {
        open.retain(|_, key| course.is_wanted(key));
        failed.retain(|task, _| open.contains_key(task));
        while open.len() - failed.len() < executor.window().max(1) && !course.is_over() {
            let Some((key, task)) = course.take() else { break };
            open.insert(executor.submit(&task)?, key);
        }
        if course.is_over() || open.is_empty() {
            return Ok(());
        }
        if open.len() == failed.len() {
            return Err(given_up(&failed));
        }
        match executor.poll(PATIENCE)? {
            None => {}
            Some(Answer::Note(text)) => say(&text),
            Some(Answer::Disputed(dispute)) => {
                let [first, second] = &dispute.sides;
                let task = dispute.task.short();
                say(&format!("task {task}: {} disagrees with {}", second.worker, first.worker));
            }
            Some(Answer::Failed(failure)) if !open.contains_key(&failure.task) => {}
            Some(Answer::Failed(failure)) => {
                let Failure { task, worker, reason, tries, .. } = &failure;
                say(&format!("task {} was given up after {tries} tries, last by {worker}: {reason}", task.short()));
                failed.insert(failure.task, failure);
            }
            Some(Answer::Done(outcome)) => {
                failed.remove(&outcome.task);
                let Some(key) = open.remove(&outcome.task) else { continue };
                let (task, worker) = (outcome.task.short(), outcome.worker.to_string());
                course.done(key, outcome).map_err(|reason| WorkError::Senseless { task, worker, reason })?;
                let (done, left) = course.progress();
                executor.progress(done, left);
            }
        }
    }
}

fn given_up(failed: &HashMap<Digest, Failure>) -> WorkError {
    let first = failed.values().min_by_key(|failure| failure.task);
    let said = |what: fn(&Failure) -> String| first.map(what).unwrap_or_default();
    WorkError::Failed {
        count: failed.len(),
        task: said(|failure| failure.task.short()),
        worker: said(|failure| failure.worker.to_string()),
        reason: said(|failure| failure.reason.clone()),
        remedy: "see to the cause and resume the run, which tries them again".to_owned(),
    }
}
