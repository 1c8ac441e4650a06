//! The window of Quarterply shows the decisions of a search and their reasons.
//!
//! It has two parts. The first shows the textbook search ([`quarterply_engine::search::classic`]) on small model trees: a
//! [`Model`] is read from JSON and checked, [`Model::run`] searches it and keeps every event, and [`text`] writes the log and
//! the diagram; [`Model::search`] runs the real search with all rules on the same tree ([`model_search`]). The second shows the real search: [`trace`] records it and reads it back, [`show`] writes it as text, data and
//! pictures, [`why`] explains a move, [`diff`] compares two searches, [`move_sources`] counts decisions by source of move order. [`tutorial`] uses both parts.
//!
//! A [`View`] holds the data of the page of [`html`] for either part, from a file or from the local server of [`serve`].

pub mod bets;
pub mod board;
pub mod diff;
pub mod html;
pub mod last_iteration;
pub mod model;
pub mod model_search;
pub mod move_sources;
pub mod moves;
pub mod picture;
#[cfg(not(target_arch = "wasm32"))]
pub mod review;
pub mod run;
#[cfg(not(target_arch = "wasm32"))]
pub mod serve;
pub mod session;
pub mod show;
pub mod text;
pub mod trace;
pub mod tutorial;
pub mod view;
pub mod why;
pub mod words;

pub use model::{Model, ModelError};
pub use run::{ModelEvent, ModelRun};
pub use view::View;
