//! Plots of runs as SVG.

mod comparison;
mod curves;
mod distribution;
mod effects;

pub use comparison::comparison;
pub use curves::{cost_curves, solved_curves};
pub use distribution::{distribution, distributions};
pub use effects::effects;
