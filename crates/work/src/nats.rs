//! Quarterply on many machines: tasks and outcomes through NATS JetStream.
//!
//! Only the NATS server listens. The tasks of a [`NatsTransport`] wait in a stream until a worker on any machine has executed them
//! ([`serve`]). [`overview`] lists workers and runs; [`names`] documents the streams.
//!
//! A task leaves its stream after its outcome was stored, and an outcome is stored once: after any kill nothing is lost and nothing
//! counts twice.

mod access;
mod inbox;
mod link;
pub mod names;
mod objects;
pub mod overview;
mod pull_batch;
mod queue;
mod status;
mod transport;
mod worker;

pub use access::Access;
pub use link::{Link, NatsError};
pub use status::{RunStatus, Running, WorkerStatus};
pub use transport::{NatsTransport, RunPlan};
pub use worker::{WorkerReport, WorkerSettings, serve};
