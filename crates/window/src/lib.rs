//! The window of Quarterply: see what a search decided, and why.
//!
//! Two windows. The first shows the textbook search ([`quarterply_engine::search::classic`]) on small trees made by hand: a
//! [`Model`] is read from JSON and checked, [`Model::run`] searches it and keeps every event, and [`text`] writes the log and
//! the diagram. The second shows the real search: [`trace`] records it and reads it back.

pub mod board;
pub mod diff;
pub mod model;
pub mod run;
pub mod show;
pub mod text;
pub mod trace;
pub mod tutorial;
pub mod why;
pub mod words;

pub use model::{Model, ModelError};
pub use run::{Event, Run};
