//! Plots of runs as SVG.

mod curves;
mod distribution;
mod effects;

pub use curves::{comparison, cost_curves, solved_curves};
pub use distribution::{distribution, distributions};
pub use effects::effects;
