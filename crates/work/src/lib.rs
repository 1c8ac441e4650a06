//! Work as data: what is run by threads of this process can be run anywhere.
//!
//! A [`Task`] says what to do, which build of the program must do it, and which files it needs; an [`Outcome`] is what came of it.
//! Both are JSON. A [`Runner`] does tasks of some kinds. Commands hand out their work in the order of their schedule and take the
//! outcomes in any order; [`Hands`] says who does it: threads of this process, for which nothing is written as data, or an
//! [`Executor`] that has tasks done elsewhere. [`drive`] is all that a command needs for the latter.
//!
//! Nothing here prints, and nothing here knows a network.

#![forbid(unsafe_code)]

pub mod crew;
pub mod digest;
mod drive;
mod executor;
mod folder;
mod here;
mod model;
mod run;
mod task;

pub use digest::Digest;
pub use drive::{Course, drive};
pub use executor::{Answer, Executor, Far, Hands, NOMINAL_SPEED, WorkError};
pub use folder::{Folder, write_whole};
pub use here::Here;
pub use model::{Load, Model};
pub use run::{Desk, Fault, Found, Objects, Runner, Shelf, carry_out, judge};
pub use task::{Build, Dispute, FORMAT, Failure, Outcome, Side, Task, WorkerCard};
