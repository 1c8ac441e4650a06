//! Recapture extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score};
use crate::see::{balance, gain};

pub(crate) const RULE: Description = Description {
    name: "recapture",
    about: "Recapture extension: recaptures are searched deeper.",
    idea: "A recapture on the square of the last capture is usually forced; classical engines extend it by half a \
        ply. Variants: only even trades, only recaptures that restore the material of the root, or any capture \
        that follows a capture.",
    risk: "Pointless exchanges; therefore only if the exchange does not lose material and, optionally, only on \
        the principal variation.",
    reads: "position, path (the last capture), material at the root.",
    papers: "`moreland-notes`, `berliner-hitech`, `davidtabibi2010`.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend recaptures
    on = false;
    /// extension (quarter plies)
    quarters = 2 in 0..=4 by 1;
    /// only on the principal variation
    pv_only = true;
    /// only on the square of the last capture
    same_square = true, neutral true;
    /// only if both captured pieces have about the same value
    even_only = false;
    /// greatest difference of the values of both captured pieces for `even_only` (pawns/100)
    even_margin = 100 in 0..=400 by 10;
    /// only if it restores the material balance of the root
    restores_balance = false;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of a capture that answers a capture.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    let Some(square) = n.captured_on else { return Depth::ZERO };
    let applies = p.on
        && c.mv.is_capture()
        && (n.is_pv() || !p.pv_only)
        && (!p.same_square || square == c.mv.to())
        && (!p.even_only || is_even(p, n, c))
        && (!p.restores_balance || restores(n, c));
    if applies && c.see_ge(n, Score::ZERO) { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// Returns true if the captured piece has about the value of the piece captured before.
fn is_even(p: &Params, n: &Node<'_>, c: &Candidate) -> bool {
    let before = n.previous.map_or(0, gain);
    (before - gain(c.mv)).abs() <= p.even_margin
}

/// Returns true if the material after the move equals that of the root.
fn restores(n: &Node<'_>, c: &Candidate) -> bool {
    balance(n.position) + Score(n.position.turn().fold_wb(gain(c.mv), -gain(c.mv))) == n.root_balance
}
