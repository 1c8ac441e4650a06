//! Tuning: the engine's parameters as a space, optimisers that search it, objectives that price its points, and runs that can be
//! interrupted at any moment.
//!
//! - [`space`]: which parameters, in which ranges, and as bits;
//! - [`optimiser`]: ask for candidates, tell their costs; each is a pure function of its seed and the costs it was told;
//! - [`history`]: what happened step by step, for reports.
//!
//! No state of an optimiser is ever saved. Every measurement is; a run is resumed by starting the optimiser again from its seed and
//! answering from the measurements until it asks for something new.

pub mod history;
pub mod optimiser;
pub mod space;
