//! The longest line there is.

pub use super::reason::Plain as Why;
use super::{Family, Header, RuleInfo};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "horizon",
    about: "The longest line there is.",
    family: Family::Limit,
    switches: &[],
    header: Header {
        idea: "Lines are kept in tables of a fixed length; where one is full, the static evaluation stands for what \
            would follow.",
        risk: "none in practice: lines end long before.",
        reads: "the ply only.",
        papers: "none.",
    },
};
