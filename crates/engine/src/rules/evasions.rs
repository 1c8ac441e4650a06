//! Enough evasions in quiescence.

use super::{Family, RuleInfo};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "enough evasions",
    about: "Evasions: quiescence in check skips late quiet replies.",
    family: Family::MoveLeftOut,
    switches: &["quiescence.evasions_limited"],
    idea: "In check quiescence looks at evasions as well. Once a few were searched and one does not lose at once, \
        quiet ones that are left will hardly change whether the check was dangerous.",
    risk: "The only good evasion may come late in the order.",
    reads: "position, move order.",
    papers: "current practice.",
};

crate::reason! {
    searched: i32,
    most: i32,
    "{searched} searched, {most} allowed"
}
