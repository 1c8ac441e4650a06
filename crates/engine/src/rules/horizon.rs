//! The longest line there is.

pub use super::reason::Plain as Reason;
use super::{Family, RuleInfo};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "horizon",
    about: "Horizon: lines have a maximum length.",
    family: Family::Limit,
    switches: &[],
    idea: "Lines are stored in tables of a fixed length; if one is full, the static evaluation replaces the rest \
        of the line.",
    risk: "none in practice: lines end long before.",
    reads: "distance from the root.",
    papers: "none.",
};
