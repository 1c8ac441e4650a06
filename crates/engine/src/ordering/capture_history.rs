//! Capture history.

use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "capture history",
    about: "Capture history: results of captures elsewhere in the tree.",
    idea: "A counter for each piece, square and victim rises when the capture cuts and falls when it was searched \
        before the cutoff move. The counters order captures of equal victims and adjust the exchange value above \
        which a capture is searched before the quiet moves.",
    risk: "Exchanges depend on details of a position that piece, square and victim do not contain.",
    reads: "position; learned statistics. Captures are reduced by their counters even if this is off.",
    papers: "`practice`.",
};

crate::params! {
    /// use capture history in the order of captures
    on = true;
    /// weight of the counter against the captured piece's value (1/16)
    weight = 8 in 0..=64 by 2, neutral 16;
}

crate::source::in_force! { weight: 0 }
