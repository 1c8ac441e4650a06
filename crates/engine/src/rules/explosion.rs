//! Limits against search explosion.

use super::Description;
use super::reason::{Numbers, RuleReason, Unit};
use crate::node::{Node, NodeType};
use crate::score::Depth;
use crate::words::{in_plies, plies};
use std::fmt;

pub(crate) const RULE: Description = Description {
    name: "explosion limit",
    about: "Limits against search explosion: the sum of extensions is limited.",
    idea: "The extensions of a move add up, so their sum is limited to a ply for each move, or to a larger singular \
        extension. Beyond twice the root depth, half of the sum is granted; beyond three times, nothing. Optionally, \
        extensions are reduced at expected all nodes and limited along a line to a share of the root depth. Root \
        moves are not extended, because the same extension of all of them changes no comparison.",
    risk: "Forced lines beyond the limits are searched less deeply.",
    reads: "ply, root depth, expected node type, path (extensions so far).",
    papers: "`anantharaman1991`, current practice.",
};

crate::params! {
    /// limit the sum of extensions
    on = true;
    /// iteration before which nothing is extended (plies)
    iteration_min = 0 in 0..=64 by 1;
    /// greatest sum of the extensions of one move, unless its singular extension is larger (1/1024 ply)
    move_max = 1024 in 0..=2048 by 128;
    /// distance from the root beyond which extensions are halved (percent of the root depth)
    half_beyond = 200 in 50..=400 by 10;
    /// distance from the root beyond which nothing is extended (percent of the root depth)
    none_beyond = 300 in 50..=600 by 10;
    /// share of extensions at expected all nodes (percent)
    all_share = 100 in 0..=100 by 10;
    /// limit of the extensions along one line (percent of the root depth; 400: unlimited)
    line_max = 400 in 0..=400 by 10;
}

/// A limited amount with its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// An extension of a move.
    Extension {
        /// The sum of the rules of extension.
        requested: Depth,
        /// The granted amount.
        granted: Depth,
    },
    /// The captures tried in a long quiescence.
    Captures {
        /// How many were tried.
        tried: i32,
        /// How many may be.
        limit: i32,
    },
    /// The captures looked at in a very long quiescence.
    Recaptures {
        /// Plies of quiescence so far.
        plies: i32,
        /// From how many on only recaptures are looked at.
        limit: i32,
    },
}

impl RuleReason for Reason {
    const LABELS: &'static [&'static str] = &["requested", "granted", "tried or plies", "limit", "by number"];

    fn numbers(&self) -> Numbers {
        match *self {
            Reason::Extension { requested, granted } => Numbers::from_iter([requested.0, granted.0]),
            Reason::Captures { tried, limit } => Numbers::from_iter([0, 0, tried, limit, true.number()]),
            Reason::Recaptures { plies, limit } => Numbers::from_iter([0, 0, plies, limit, false.number()]),
        }
    }

    fn read(numbers: &[i32]) -> Option<Reason> {
        match *numbers {
            [requested, granted] => Some(Reason::Extension { requested: Depth(requested), granted: Depth(granted) }),
            [_, _, tried, limit, by_number] if bool::of(by_number) => Some(Reason::Captures { tried, limit }),
            [_, _, plies, limit, _] => Some(Reason::Recaptures { plies, limit }),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reason::Extension { requested, granted } => {
                write!(f, "extension of {} requested, {} granted", plies(requested), plies(granted))
            }
            Reason::Captures { tried, limit } => {
                write!(f, "{tried} captures tried, {limit} allowed at this ply of quiescence")
            }
            Reason::Recaptures { plies, limit } => {
                write!(f, "{} of quiescence, only recaptures from ply {limit} on", in_plies(Depth::plies(plies)))
            }
        }
    }
}

const PERCENT: i32 = 100;
/// The value of `line_max` that means no limit along a line (percent).
const NO_LIMIT: i32 = 400;

/// The part of a requested extension that is granted. Negative amounts are granted in full.
pub fn limit(p: &Params, n: &Node<'_>, requested: Depth) -> Depth {
    if !p.on || requested <= Depth::ZERO {
        return requested;
    }
    if n.ply.is_root() || n.root_depth < Depth::plies(p.iteration_min) {
        return Depth::ZERO;
    }
    let most = n.singular.max(Depth(p.move_max));
    let all = if n.kind == NodeType::All { p.all_share } else { PERCENT };
    by_ply(p, requested.min(most).min(left_on_line(p, n)) * all / PERCENT, i32::from(n.ply.0), n.root_depth)
}

/// The remaining amount for extensions on the line that leads here.
fn left_on_line(p: &Params, n: &Node<'_>) -> Depth {
    if p.line_max == NO_LIMIT {
        return Depth::plies(i32::from(u16::MAX));
    }
    (n.root_depth * p.line_max / PERCENT - n.extended).max(Depth::ZERO)
}

fn by_ply(p: &Params, extension: Depth, ply: i32, root_depth: Depth) -> Depth {
    let plies = PERCENT * ply;
    let root = root_depth.whole();
    if plies > p.none_beyond * root {
        Depth::ZERO
    } else if plies > p.half_beyond * root {
        extension / 2
    } else {
        extension
    }
}

/// The least cost of a move if costs replace depth: nothing up to twice the nominal depth, half a ply beyond it, which only chains of
/// cheap moves reach. At the last ply it exceeds the remaining depth.
pub fn cost_floor(n: &Node<'_>) -> Depth {
    const DEEP_MIN: Depth = Depth(Depth::ONE_PLY.0 / 2);
    // The last ply: this multiple of the nominal depth, plus this number of plies.
    const LAST_FACTOR: i32 = 2;
    const LAST_MORE: i32 = 16;
    let deep = LAST_FACTOR * n.root_depth.whole();
    match i32::from(n.ply.0) {
        ply if ply >= deep + LAST_MORE => n.depth + Depth(1),
        ply if ply > deep => DEEP_MIN,
        _ => Depth::ZERO,
    }
}
