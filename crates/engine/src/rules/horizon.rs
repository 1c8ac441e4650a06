//! The longest line there is.
//!
//! *Idea*: Lines are kept in tables of a fixed length; where one is full, the static evaluation stands for what would follow.
//! *Risk*: none in practice: lines end long before.
//! *Reads*: the ply only.
//! *Papers*: none.
//! *Measured*: no choice, and never off.

pub use super::reason::Plain as Why;
use super::{Family, RuleInfo};

/// The rule.
pub const RULE: RuleInfo =
    RuleInfo { name: "horizon", about: "The longest line there is.", family: Family::Limit, switches: &[] };
