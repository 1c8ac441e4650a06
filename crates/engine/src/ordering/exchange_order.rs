//! Exchange evaluation of captures.

use super::{Sources, mvv_lva};
use crate::score::Score;
use crate::see;
use crate::source::Description;
use shakmaty::Move;

pub(crate) const SOURCE: Description = Description {
    name: "exchange evaluation",
    about: "Exchange evaluation: captures that lose are separated from those that win.",
    idea: "Static exchange evaluation on the target square separates losing captures, which are searched later. A \
        good capture history allows a small loss; a bad one requires a gain.",
    risk: "It ignores pins, overloading and in-between checks.",
    reads: "position; capture history. If off, no capture is delayed; pruning rules still use the exchange value.",
    papers: "`slate-atkin1977`, `practice`.",
};

crate::params! {
    /// captures that lose material by static exchange come later
    on = true;
    /// capture history that outweighs one pawn/100 in the test (history counts)
    good_divisor = 17 in 1..=512 by 4, neutral 32;
    /// allowed loss in the test (pawns/100)
    good_margin = 0 in 0..=400 by 10;
    /// only captures by a more valuable piece are tested; the others count as good
    dearer_only = false;
    /// captures that win material by static exchange come before even trades
    winning_first = false;
}

crate::source::in_force! {}

/// The gain that a noisy move needs on its square to be tried before the quiet moves.
#[inline(always)]
pub(super) fn threshold(sources: Sources<'_>, mv: Move) -> Score {
    let p = &sources.orders.weights.exchange_order;
    Score(-p.good_margin - sources.capture_history(mv) / p.good_divisor)
}

/// More than any capture has otherwise (counts).
const WINS: i32 = 1 << 20;

/// Puts captures that win material first, where that is wanted.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, mv: Move) -> i32 {
    let wins = sources.orders.weights.exchange_order.winning_first && sources.position.see_ge(mv, Score(1));
    if wins { WINS } else { 0 }
}

/// Returns true if the capture counts as good without a test.
#[inline(always)]
pub(super) fn untested(p: &Params, mv: Move) -> bool {
    p.dearer_only && mv.promotion().is_none() && mvv_lva::attacker_value(mv.role()) <= see::gain(mv)
}

#[cfg(test)]
mod tests {
    use super::super::Stage;
    use super::super::testing::OrderingFixture;

    /// The queen can take a defended rook, the knight a loose bishop.
    const FEN: &str = "6k1/1p3ppp/r7/8/3b4/8/Q3NPPP/6K1 w - - 0 1";

    #[test]
    fn losing_captures_are_put_off_only_where_exchanges_are_counted() {
        for (on, place) in [(true, 1), (false, 0)] {
            let fixture = OrderingFixture::new(FEN).with(|p| p.exchange_order.on = on);
            assert_eq!((fixture.place("a2a6") == 0, fixture.stage("a2a6")), (place == 0, Stage::BadNoisy), "{on}");
            assert_eq!(fixture.stage("e2d4"), Stage::GoodNoisy, "{on}");
        }
    }

    /// The queen takes an undefended pawn, the rook a defended rook: the rook is the more valuable victim, the pawn is won.
    #[test]
    fn winning_captures_come_before_even_ones_if_enabled() {
        let fen = "3r2k1/3r4/8/p7/8/8/3R4/Q5K1 w - - 0 1";
        for (winning_first, first) in [(false, "d2d7"), (true, "a1a5")] {
            let fixture = OrderingFixture::new(fen).with(|p| p.exchange_order.winning_first = winning_first);
            assert_eq!(fixture.place(first), 0, "{winning_first}");
            assert_eq!((fixture.stage("d2d7"), fixture.stage("a1a5")), (Stage::GoodNoisy, Stage::GoodNoisy));
        }
    }

    #[test]
    fn cheap_attackers_need_no_test_where_only_dear_ones_are_tested() {
        // Knight and pawn can take a pawn that two pawns defend.
        let fen = "6k1/8/2p1p3/3p4/4P3/2N5/8/6K1 w - - 0 1";
        for (dearer_only, pawn) in [(true, Stage::GoodNoisy), (false, Stage::BadNoisy)] {
            let mut fixture = OrderingFixture::new(fen).with(|p| p.exchange_order.dearer_only = dearer_only);
            let (mv, p) = (fixture.mv("e4d5"), crate::history::Params::DEFAULT);
            (0..200).for_each(|_| fixture.histories.captures.update(&p, shakmaty::Color::White, mv, -1600));
            assert_eq!(fixture.stage("e4d5"), pawn, "{dearer_only}: a bad history asks for more than it wins");
            assert_eq!(fixture.stage("c3d5"), Stage::BadNoisy, "{dearer_only}: a pawn takes the knight back");
        }
    }
}
