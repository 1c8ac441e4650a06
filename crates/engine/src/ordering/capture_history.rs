//! Capture history.
//!
//! *Idea*: Captures have histories too: counters by piece, square and victim, which rise when the capture cuts and fall when it was tried in
//! vain. They order captures of like victims and decide which exchanges are good enough to come before the quiet moves.
//! *Risk*: Exchanges hang on details of a position that piece, square and victim do not tell.
//! *Reads*: position; what was learnt. Captures are reduced by their counters whatever this switch says.
//! *Papers*: `practice`.
//! *Measured*: ECM, 20 000 nodes, off: 532 solved (+39 -54 against 547 with it on), nodes to the solution x1.03 (0.98 ..
//! 1.08), +26.1 Elo (-17.7 .. +70.7) in 200 games at 2 000 nodes a move; default profile, 2026-11-27, bench 5512052,
//! `docs/results/rules.md`.

use crate::source::SourceInfo;

/// The source of move order.
pub const SOURCE: SourceInfo = SourceInfo { name: "capture history", about: "Capture history: how captures fared." };

crate::params! {
    /// how a capture fared counts in the order of captures
    on = true;
    /// weight of the counter against the captured piece's value (1/16)
    weight = 8 in 0..=64 by 2, neutral 16;
}

impl Params {
    /// What counts: nothing when switched off.
    pub fn in_force(self) -> Params {
        if self.on { self } else { Params { weight: 0, ..self } }
    }
}
