//! A transport within this thread: encoded tasks and outcomes can be tested without a network.

use crate::digest::Digest;
use crate::executor::WorkError;
use crate::kind::{Context, Runner, TaskError, execute};
use crate::remote::{Connection, Delivery, Transport};
use crate::store::ObjectFolder;
use crate::task::{Build, EncodedTask, TaskFailure, WorkerIdentity};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The name of the worker.
pub const NAME: &str = "loopback";
/// How long a task should take: as short as the jobs allow.
const TARGET_DURATION: Duration = Duration::from_secs(5);

/// Executes a task whenever its caller polls, the last one first: a job that relies on the order of answers fails.
pub struct Loopback {
    build: Build,
    identity: WorkerIdentity,
    runner: Box<dyn Runner>,
    context: Context,
    files: ObjectFolder,
    waiting: Vec<Vec<u8>>,
    window: usize,
}

impl Loopback {
    /// A connection to a worker in this thread that stores files in `folder`; `window` tasks wait at a time.
    pub fn connect(runner: Box<dyn Runner>, folder: PathBuf, window: usize) -> Connection {
        let build = Build { program: "p".to_owned(), signature: "1".to_owned(), engines: Vec::new() };
        let files = ObjectFolder(folder);
        let context = Context::new(Arc::new(files.clone()));
        let identity =
            WorkerIdentity { name: NAME.to_owned(), program: build.program.clone(), ..WorkerIdentity::default() };
        let transport =
            Loopback { build: build.clone(), identity, runner, context, files, waiting: Vec::new(), window };
        Connection::new(Box::new(transport), build, None)
    }
}

impl Transport for Loopback {
    fn window(&self) -> usize {
        self.window
    }

    fn target_duration(&self) -> Duration {
        TARGET_DURATION
    }

    fn submit(&mut self, task: &EncodedTask) -> Result<Digest, WorkError> {
        let bytes = task.encode();
        let digest = Digest::of(&bytes);
        self.waiting.push(bytes);
        Ok(digest)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Digest, WorkError> {
        self.files.put(bytes).map_err(|error| WorkError::Executor(error.to_string()))
    }

    fn poll(&mut self, _: Duration) -> Result<Option<Delivery>, WorkError> {
        let Some(bytes) = self.waiting.pop() else { return Ok(None) };
        let reason = match execute(&bytes, &self.build, &self.identity, self.runner.as_mut(), &self.context) {
            Ok(outcome) => return Ok(Some(Delivery::Done(outcome))),
            Err(TaskError::Refused(reason) | TaskError::Unfit(reason) | TaskError::Failed(reason)) => reason,
            Err(TaskError::Stopped) => "stopped".to_owned(),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let worker = self.identity.clone();
        Ok(Some(Delivery::GivenUp(TaskFailure { task: Digest::of(&bytes), worker, reason, tries: 1, text })))
    }

    fn close(&mut self, _: bool) -> Result<(), WorkError> {
        self.waiting.clear();
        Ok(())
    }
}
