//! Capture history.

use crate::source::{Header, SourceInfo};

pub(crate) const SOURCE: SourceInfo = SourceInfo {
    name: "capture history",
    about: "Capture history: how captures fared.",
    header: Header {
        idea: "Captures have histories too: counters by piece, square and victim, which rise when the capture cuts and \
            fall when it was tried in vain. They order captures of like victims and decide which exchanges are good \
            enough to come before the quiet moves.",
        risk: "Exchanges hang on details of a position that piece, square and victim do not tell.",
        reads: "position; what was learnt. Captures are reduced by their counters whatever this switch says.",
        papers: "`practice`.",
    },
};

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
