//! Execution of long work: jobs, and the executors of their tasks.
//!
//! A [`Job`] hands out tasks as plain data and consumes their outcomes in order; [`run`] and [`run_all`] have it executed. An
//! [`Executor`] executes tasks of one [`TaskKind`]: [`Threads`] in this process, [`Remote`] elsewhere. The latter encodes tasks as JSON
//! ([`EncodedTask`]) and sends them through a [`Transport`]: a [`FolderTransport`] for batch systems, or a message queue. A worker decodes and
//! executes them with [`execute`].

#![forbid(unsafe_code)]

mod cancel;
pub mod digest;
mod executor;
mod folder;
pub mod job;
mod kind;
mod loopback;
#[cfg(feature = "nats")]
pub mod nats;
mod remote;
mod store;
mod task;
mod threads;
pub mod workers;

pub use cancel::{Cancel, Hook};
pub use digest::Digest;
pub use executor::{Done, Executor, ExecutorEvent, NOMINAL_SPEED, OutcomeOrigin, StopMode, WorkError};
pub use folder::{FolderTransport, write_whole};
pub use job::{Job, JobItem, JobOutcome, JobState, run, run_all};
pub use kind::{Context, Runner, RunnerOutput, TaskError, TaskKind, encode, execute};
pub use loopback::{Loopback, NAME as LOOPBACK};
pub use remote::{Connection, Delivery, Remote, Transport};
pub use store::{LocalFiles, ObjectFolder, Objects};
pub use task::{Build, Conflict, EncodedTask, EngineIdentity, FORMAT, TaskFailure, TaskOutcome, WorkerIdentity};
pub use threads::Threads;
