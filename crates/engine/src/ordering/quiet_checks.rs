//! Quiet checks that lose nothing by static exchange.

use super::{Quiet, QuietFacts, Sources};
use crate::score::Score;
use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "quiet checks",
    about: "Quiet checks that lose no material.",
    idea: "A check leaves few replies, so it is cheap to search, and histories do not cover it: it is searched \
        before ordinary quiet moves unless it loses the piece.",
    risk: "Checks that drive the king to safety are searched too early, and extended by the check extension.",
    reads: "position.",
    papers: "`practice`.",
};

crate::params! {
    /// quiet checks that lose nothing by static exchange come early
    on = true;
    /// bonus of such a check (history counts)
    bonus = 6000 in 0..=99999 by 1000, neutral 8000;
}

crate::source::in_force! { bonus: 0 }

/// The bonus of such a check.
#[inline(always)]
pub(super) fn bonus(sources: Sources<'_>, _: &QuietFacts, quiet: &Quiet<'_>) -> i32 {
    let bonus = sources.orders.weights.quiet_checks.bonus;
    let applies = quiet.gives_check && bonus > 0 && sources.position.see_ge(quiet.mv, Score::ZERO);
    if applies { bonus } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;

    #[test]
    fn a_check_that_loses_nothing_comes_first_unless_it_is_switched_off() {
        let fen = "6k1/1b6/8/8/8/8/R4PPP/1N3QK1 w - - 0 1";
        for (on, first) in [(true, "f1c4"), (false, "b1c3")] {
            let mut fixture = OrderingFixture::new(fen).with(|p| p.quiet_checks.on = on);
            let (mv, context) = (fixture.mv("b1c3"), fixture.facts.context);
            fixture.histories.update_quiet(&crate::history::Params::DEFAULT, &context, mv, 400);
            assert_eq!(fixture.place(first), 0, "{on}");
            assert!(fixture.place("a2a8") > 1, "{on}: the rook would be lost");
        }
    }
}
