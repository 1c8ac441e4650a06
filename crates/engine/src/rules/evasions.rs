//! Enough evasions in quiescence.

use super::{Family, RuleInfo};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "enough evasions",
    about: "Evasions: quiescence in check skips late quiet replies.",
    family: Family::MoveSkipped,
    switches: &["quiescence.evasions_limited"],
    idea: "In check, quiescence searches evasions as well. After a few of them, if one does not lose at once, the \
        remaining quiet evasions rarely change the result.",
    risk: "The only good evasion may come late in the order.",
    reads: "position, move order.",
    papers: "current practice.",
};

crate::reason! {
    searched: i32,
    most: i32,
    "{searched} searched, {most} allowed"
}
