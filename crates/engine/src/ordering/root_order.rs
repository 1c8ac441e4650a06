//! The order of moves at the root.
//!
//! *Idea*: The best move of the last iteration comes first, then the moves whose refutation took the most nodes: the harder a move is to
//! refute, the likelier it becomes best.
//! *Risk*: Effort is a poor guide in the first iterations, and while a move fails low its effort grows without it getting better.
//! *Reads*: values and nodes of earlier iterations.
//! *Papers*: `althofer1992`.
//! *Measured*: ECM, 20 000 nodes, off: 519 solved (+38 -66 against 547 with it on), nodes to the solution x1.08 (1.03 ..
//! 1.14), -27.9 Elo (-69.2 .. +12.7) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use crate::source::SourceInfo;

/// The source of move order.
pub const SOURCE: SourceInfo = SourceInfo { name: "root order", about: "The order of moves at the root." };

crate::params! {
    /// root moves that are not best come by the nodes spent on them; off: they keep their order
    on = true;
    /// how much of the nodes of earlier iterations counts beside those of the last (percent an iteration)
    kept = 100 in 0..=100 by 5;
    /// the first iteration takes the moves by what quiescence says of each; off: as they are generated
    first_by_quiescence = false;
}

const PERCENT: u64 = 100;

impl Params {
    /// What counts.
    pub fn in_force(self) -> Params {
        self
    }

    /// What is left of `effort` when another iteration begins.
    pub fn faded(&self, effort: u64) -> u64 {
        effort * self.kept as u64 / PERCENT
    }
}
