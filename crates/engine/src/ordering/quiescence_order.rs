//! The order of moves in quiescence.

use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "quiescence order",
    about: "The order of moves in quiescence.",
    idea: "The table move is first, then captures by victim, attacker and history, then quiet checks, then losing \
        captures. In check, evasions are ordered as in the main search, but without killers and countermove. If off, \
        losing captures are not moved to the end.",
    risk: "Testing each capture costs time in quiescence, which has most of the nodes.",
    reads: "position, table; learned statistics. Whether losing captures are searched at all is `quiescence.see`.",
    papers: "`practice`.",
};

crate::params! {
    /// captures that lose material come last in quiescence
    on = true;
    /// quiet checks are tried by butterfly history; off: in the order in which they are generated
    checks_by_history = false;
}

crate::source::in_force! {}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, names};
    use super::super::{Picker, Stage};

    #[test]
    fn captures_that_lose_can_keep_their_place() {
        let fixture = OrderingFixture::new("6k1/1p3ppp/r7/8/3b4/8/Q3NPPP/6K1 w - - 0 1");
        let order = |picker: Picker| fixture.order(picker, usize::MAX, |_| {});
        assert_eq!(names(&order(Picker::noisy(None))), ["e2d4", "a2a6", "a2f7"]);
        let kept = order(Picker::noisy(None).without_delays());
        assert_eq!(names(&kept), ["a2a6", "e2d4", "a2f7"], "by victim alone");
        assert_eq!(kept[0].1, Stage::BadNoisy, "and known to lose");
    }

    #[test]
    fn quiet_checks_are_tried_by_history_if_enabled() {
        let fen = "6k1/1b6/8/8/8/8/R4PPP/1N3QK1 w - - 0 1";
        let first = |on: bool, better: &str| {
            let mut fixture = OrderingFixture::new(fen).with(|p| p.quiescence_order.checks_by_history = on);
            let (mv, context) = (fixture.mv(better), fixture.facts.context);
            fixture.histories.update_quiet(&crate::history::Params::DEFAULT, &context, mv, 400);
            names(&fixture.order(Picker::noisy_and_checks(None), usize::MAX, |_| {}))[0].to_owned()
        };
        assert_eq!([first(true, "f1c4"), first(true, "a2a8")], ["f1c4", "a2a8"]);
        assert_eq!(first(false, "f1c4"), first(false, "a2a8"), "as they are generated");
    }
}
