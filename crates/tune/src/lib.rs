//! Tuning: the engine's parameters as a space, optimisers that search it, objectives that define the cost of its points, and runs
//! that can be interrupted at any moment.
//!
//! - [`space`]: which parameters, in which ranges, and as bits;
//! - [`optimiser`]: proposes candidates and receives their costs; each is a pure function of its seed and of the costs received;
//! - [`objective`]: the definition of cost; [`units`]: the units of work;
//! - [`cost_function`]: from queries to measurements and back to costs; [`race`]: the same for a tenth of the work;
//! - [`tasks`]: measurements as tasks, and what executes them; [`inputs`]: positions, openings, other engines;
//! - [`cache`], [`journal`]: where results are kept;
//! - [`plan`], [`folder`], [`run`]: a run from its plan to its end; [`recorded`]: its base profile, which may be that of an older
//!   version; [`conclude`]: its conclusion; [`history`]: its steps, for reports; [`progress`]: its progress.
//!
//! No state of an optimiser is ever saved. Every measurement is; a run is resumed by starting the optimiser again from its seed and
//! answering from the measurements until a query has no known answer.

#![forbid(unsafe_code)]

pub mod cache;
pub mod conclude;
pub mod cost_function;
pub mod error;
pub mod fault;
pub mod folder;
pub mod history;
pub mod import;
pub mod ineffective;
pub mod inputs;
pub mod journal;
pub mod objective;
pub mod optimiser;
pub mod plan;
pub mod progress;
pub mod race;
pub mod recorded;
pub mod report;
pub mod run;
pub mod shipped;
pub mod signature;
pub mod space;
pub mod tasks;
pub mod units;

#[cfg(test)]
mod tests;
