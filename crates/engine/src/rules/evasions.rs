//! Limit of quiet evasions in quiescence.

use super::Description;

pub(crate) const RULE: Description = Description {
    name: "enough evasions",
    about: "Evasions: quiescence in check skips late quiet replies.",
    idea: "In check, quiescence searches evasions as well. After a few of them, if one avoids mate, the remaining \
        quiet evasions rarely change the result.",
    risk: "The only good evasion may come late in the order.",
    reads: "position, move order.",
    papers: "current practice.",
};

crate::reason! {
    searched: i32,
    limit: i32,
    "{searched} evasions searched before it, {limit} allowed"
}
