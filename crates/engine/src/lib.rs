//! The engine of Quarterply: a silent library.

pub use shakmaty;

pub mod eval;
pub mod score;
pub mod tablebase;
