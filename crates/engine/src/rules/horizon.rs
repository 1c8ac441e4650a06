//! Horizon: the maximum length of a line.

use super::Description;
pub use super::reason::Reason;

pub(crate) const RULE: Description = Description {
    name: "horizon",
    about: "Horizon: lines have a maximum length.",
    idea: "Lines are stored in tables of a fixed length; if one is full, the static evaluation replaces the rest \
        of the line.",
    risk: "none in practice: lines end long before.",
    reads: "distance from the root.",
    papers: "none.",
};
