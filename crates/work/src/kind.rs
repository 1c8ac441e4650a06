//! Kinds of tasks, and how a task of each kind is executed.

use crate::cancel::Cancel;
use crate::digest::Digest;
use crate::store::Objects;
use crate::task::{Build, EncodedTask, TaskOutcome, WorkerIdentity};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Why a task was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskError {
    /// The task was cancelled; another worker may execute it.
    Stopped,
    /// This program cannot execute the task, and retrying does not help.
    Refused(String),
    /// This machine lacks the resources; another machine may have them.
    Unfit(String),
    /// The execution failed here.
    Failed(String),
}

/// The context of a task's execution.
#[derive(Clone)]
pub struct Context {
    /// Cancels the task.
    pub cancel: Cancel,
    /// The files of tasks.
    pub objects: Arc<dyn Objects>,
    /// Memory for the tables of a task, in MiB.
    pub memory: Option<u64>,
    /// Receives messages for the user.
    pub notes: Arc<dyn Fn(String) + Send + Sync>,
}

impl Context {
    /// A context without a memory limit that drops messages.
    pub fn new(objects: Arc<dyn Objects>) -> Context {
        Context { cancel: Cancel::default(), objects, memory: None, notes: Arc::new(drop) }
    }

    /// Returns true once the task is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Checks that tables of `needed` MiB are allowed; otherwise the task is [`TaskError::Unfit`].
    pub fn reserve(&self, needed: u64) -> Result<(), TaskError> {
        match self.memory {
            Some(memory) if needed > memory => Err(TaskError::Unfit(format!(
                "cannot create tables of {needed} MiB: --max-memory leaves {memory} MiB to a task; raise \
                 --max-memory, or start workers with more memory"
            ))),
            _ => Ok(()),
        }
    }
}

/// A kind of task. A value of the type is one worker's state: engines and tables that are kept from task to task. The outcome depends on
/// the task alone.
pub trait TaskKind: Sized + 'static {
    /// The name of the kind in encoded tasks.
    const NAME: &'static str;
    /// A task, as plain data.
    type Task: Serialize + DeserializeOwned + Send + 'static;
    /// The result.
    type Outcome: Serialize + DeserializeOwned + Send + 'static;

    /// Executes a task.
    fn run(&mut self, task: &Self::Task, context: &Context) -> Result<Self::Outcome, TaskError>;

    /// The files that a task needs.
    fn objects(_task: &Self::Task) -> Vec<Digest> {
        Vec::new()
    }

    /// A checksum of everything in an outcome that must be equal on every machine; `None` where clocks decide.
    fn checksum(task: &Self::Task, outcome: &Self::Outcome) -> Option<Digest>;
}

/// Encodes a task of a kind for `build`.
pub fn encode<K: TaskKind>(task: &K::Task, build: &Build) -> EncodedTask {
    let content = serde_json::to_value(task).unwrap_or_default();
    EncodedTask { kind: K::NAME.to_owned(), build: build.clone(), objects: K::objects(task), content }
}

/// The encoded outcome of a task, and its checksum.
#[derive(Clone, Debug, PartialEq)]
pub struct RunnerOutput {
    /// The outcome.
    pub body: Value,
    /// See [`TaskKind::checksum`].
    pub checksum: Option<Digest>,
}

/// Executes encoded tasks: of one [`TaskKind`], or of several.
pub trait Runner {
    /// Executes a task of its build.
    fn execute(&mut self, task: &EncodedTask, context: &Context) -> Result<RunnerOutput, TaskError>;
}

impl<K: TaskKind> Runner for K {
    fn execute(&mut self, task: &EncodedTask, context: &Context) -> Result<RunnerOutput, TaskError> {
        let content = serde_json::from_value(task.content.clone());
        let content = content.map_err(|error| {
            TaskError::Refused(format!(
                "cannot read a task of kind {}: {error}; start workers of the same build",
                K::NAME
            ))
        })?;
        let outcome = self.run(&content, context)?;
        let checksum = K::checksum(&content, &outcome);
        Ok(RunnerOutput { body: serde_json::to_value(&outcome).unwrap_or_default(), checksum })
    }
}

/// Executes an encoded task: refuses those of another build, and survives panics.
pub fn execute(
    bytes: &[u8],
    build: &Build,
    identity: &WorkerIdentity,
    runner: &mut dyn Runner,
    context: &Context,
) -> Result<TaskOutcome, TaskError> {
    let (task, digest) = EncodedTask::decode(bytes).map_err(TaskError::Refused)?;
    if !task.build.is_same_program(build) {
        return Err(TaskError::Refused(format!(
            "cannot execute a task for `{}`: this is `{build}`; start workers of that build, or the command with this one",
            task.build
        )));
    }
    if let Some(reason) = build.incompatibility(&task.build) {
        return Err(TaskError::Unfit(format!("cannot execute the task: {reason}")));
    }
    for object in &task.objects {
        context.objects.path(object).map_err(TaskError::Failed)?;
    }
    let begin = Instant::now();
    let found = catch(|| runner.execute(&task, context))?;
    let seconds = begin.elapsed().as_secs_f64();
    Ok(TaskOutcome { task: digest, worker: identity.clone(), seconds, checksum: found.checksum, body: found.body })
}

/// Turns a panic into an error.
pub(crate) fn catch<T>(run: impl FnOnce() -> Result<T, TaskError>) -> Result<T, TaskError> {
    let caught = catch_unwind(AssertUnwindSafe(run));
    caught.unwrap_or_else(|_| {
        Err(TaskError::Failed(
            "cannot finish the task: a defect of this program ended it; report it with the messages above".to_owned(),
        ))
    })
}
