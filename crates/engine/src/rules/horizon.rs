//! The longest line there is.

pub use super::reason::Plain as Why;
use super::{Family, Header, RuleInfo};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "horizon",
    about: "Maximum length of a line.",
    family: Family::Limit,
    switches: &[],
    header: Header {
        idea: "Near the leaves, if the static evaluation is above beta but would fall to alpha by a minor piece after \
            the null move, the side to move is under a serious threat beyond the horizon: the depth is increased.",
        risk: "none in practice: lines end long before.",
        reads: "the ply only.",
        papers: "none.",
    },
};
