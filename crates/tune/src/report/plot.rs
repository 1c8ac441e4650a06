//! Plots of runs as SVG.

mod comparison;
mod course;
mod distribution;
mod effects;

pub use comparison::comparison;
pub use course::{course, solved};
pub use distribution::{distribution, distributions};
pub use effects::effects;
