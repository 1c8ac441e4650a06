//! Losing captures after the quiet moves.

use crate::source::Description;

pub(crate) const SOURCE: Description = Description {
    name: "losing captures",
    about: "Losing captures after the quiet moves.",
    idea: "A capture with a negative exchange value is rarely the refutation; quiet moves with a good history are \
        searched first. If off, losing captures come right after the good ones, as in many older programs, or \
        directly after the killers.",
    risk: "Sacrifices are found late, and are reduced more.",
    reads: "position; capture history, through the exchange evaluation.",
    papers: "`practice`.",
};

crate::params! {
    /// captures that lose material come after the quiet moves; off: before them
    on = true;
    /// losing captures come directly after the killers, and killers before all other quiet moves; `on` then has no effect
    after_killers = false;
}

crate::source::in_force! {}

#[cfg(test)]
mod tests {
    use super::super::Stage;
    use super::super::testing::OrderingFixture;

    #[test]
    fn losing_captures_come_after_the_quiet_moves_or_before_them() {
        let fen = "6k1/1p3ppp/r7/8/3b4/8/Q3NPPP/6K1 w - - 0 1";
        for on in [true, false] {
            let fixture = OrderingFixture::new(fen).with(|p| p.losing_captures.on = on);
            let stages: Vec<Stage> = fixture.all(None).into_iter().map(|(_, stage)| stage).collect();
            let first = |stage: Stage| stages.iter().position(|&other| other == stage).expect("there are some");
            assert!(first(Stage::GoodNoisy) < first(Stage::BadNoisy).min(first(Stage::Quiet)));
            assert_eq!(first(Stage::Quiet) < first(Stage::BadNoisy), on);
            fixture.assert_complete();
        }
    }

    #[test]
    fn losing_captures_can_come_directly_behind_the_killers() {
        let fen = "6k1/1p3ppp/r7/8/3b4/8/Q3NPPP/6K1 w - - 0 1";
        let mut fixture = OrderingFixture::new(fen).with(|p| p.losing_captures.after_killers = true);
        fixture.facts.killers.push(fixture.mv("h2h3"));
        fixture.facts.killers.push(fixture.mv("g1h1"));
        let stages: Vec<Stage> = fixture.all(None).into_iter().map(|(_, stage)| stage).collect();
        let first = |stage: Stage| stages.iter().position(|&other| other == stage).expect("there are some");
        let killers = first(Stage::GoodNoisy) + stages.iter().filter(|stage| **stage == Stage::GoodNoisy).count();
        assert_eq!(
            [fixture.place("g1h1"), fixture.place("h2h3"), first(Stage::BadNoisy)],
            [killers, killers + 1, killers + 2]
        );
        fixture.assert_complete();
    }
}
