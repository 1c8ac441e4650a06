//! Quarterply on many machines: tasks and outcomes through NATS JetStream.
//!
//! Nothing listens but the NATS server. A [`NatsTransport`] is a transport whose tasks wait in a stream until a worker, anywhere, has
//! done them ([`serve`]); [`overview`] is what can be seen of all that. [`names`] says what is kept where.
//!
//! A task leaves its stream after its outcome was stored, and an outcome is stored once: whatever is killed, and when, nothing is lost
//! and nothing counts twice.

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
