//! Static evaluation.

mod pair;

pub use pair::{Pair, pair};
