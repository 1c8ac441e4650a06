//! Draws.
//!
//! *Idea*: The rules of chess: repetition, fifty moves without progress, too little material. A position met before in the search counts
//! as drawn at once: what could be done better on the second visit could have been done on the first.
//! *Risk*: A position of the game, including the root, counts as drawn only at its third occurrence.
//! *Reads*: position, path, halfmove clock.
//! *Papers*: none, the laws of chess.
//! *Measured*: no choice, and never off.

use super::{Family, RuleInfo};
use std::fmt;

/// The rule.
pub const RULE: RuleInfo = RuleInfo {
    name: "draw",
    about: "Draws by repetition, by fifty moves or for want of material.",
    family: Family::Known,
    switches: &[],
};

crate::reason! {}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("repetition, fifty moves or too little material")
    }
}
