use super::*;
use crate::clock::Limits;
use crate::profile;
use crate::score::Score;
use crate::testing;

/// Captures, checks, promotions and a quiet ending.
const POSITIONS: [&str; 3] = [
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11",
    "2r3k1/5ppp/p3q3/1p1b4/3Q4/P3P3/1P3PPP/2R3K1 b - - 0 25",
    "8/2P5/8/1k6/6p1/1K6/8/8 w - - 0 1",
];

const DEPTH: u32 = 3;

fn value(fen: &str, cost_model: CostModel, depth: u32) -> Score {
    let mut searcher = testing::searcher(profile::builtin("classic").expect("built in"));
    searcher.cost_model = cost_model;
    testing::search(&mut searcher, &testing::game(fen), &Limits::depth(depth)).report.score
}

#[test]
fn twice_the_depth_at_twice_the_cost_gives_the_same_value() {
    for fen in POSITIONS {
        let plain = value(fen, CostModel::Uniform, DEPTH);
        assert_eq!(value(fen, CostModel::Doubled, 2 * DEPTH), plain, "{fen}");
        assert_eq!(value(fen, CostModel::Doubled, 2 * DEPTH - 1), plain, "{fen}: the last move may be begun on credit");
    }
}

#[test]
fn one_cost_model_is_used_whatever_is_on() {
    let mut p = Parameters::NEUTRAL;
    assert_eq!(CostModel::of(&p), CostModel::Uniform);
    p.late_move_reduction.on = true;
    assert_eq!(CostModel::of(&p), CostModel::Uniform);
    p.learned_cost.on = true;
    assert_eq!(CostModel::of(&p), CostModel::Learned);
    p.sex.on = true;
    assert_eq!(CostModel::of(&p), CostModel::Sex);
    p.realization.on = true;
    assert_eq!(CostModel::of(&p), CostModel::Realization);
}

#[test]
fn a_cost_is_the_sum_of_its_parts() {
    let move_cost = MoveCost { base: Depth::plies(2), extension: Depth::plies(1), reduction: Depth::QUARTER };
    assert_eq!((move_cost.full(), move_cost.first()), (Depth::ONE_PLY, Depth::ONE_PLY + Depth::QUARTER));
    assert!(!move_cost.is_double() && MoveCost { extension: Depth::plies(2), ..move_cost }.is_double());
}

#[test]
fn an_extension_that_spares_is_taken_off_the_reduction_alone() {
    use crate::node::NodeType;
    use crate::score::Window;

    let game = testing::game("6k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 0 1");
    // An exemption takes all of the reduction off, whatever the extension is: here more than a ply.
    for (quarters, reduction_only, exempt, usual, extension, left) in [
        (2, false, false, 768, 512, 768),
        (2, true, false, 768, 0, 256),
        (4, true, false, 768, 0, 0),
        (4, true, false, 2765, 0, 1741),
        (2, false, true, 2765, 0, 0),
        (2, true, true, 2765, 0, 0),
        (0, false, true, 2765, 0, 2765),
    ] {
        let mut parameters = crate::params::Parameters::default();
        (parameters.check.quarters, parameters.check.reduction_only, parameters.check.exempt) =
            (quarters, reduction_only, exempt);
        (parameters.late_move_reduction.check, parameters.late_move_reduction.own) = (0, 0);
        (parameters.late_move_reduction.own_slope, parameters.late_move_reduction.missing) = (0, 0);
        let mut s = testing::searcher(parameters);
        s.root_depth = Depth::plies(10);
        let place = testing::place(Window::reaching(Score(0)), 8, 2, NodeType::All);
        let mut n = s.facts(game.position(), place);
        n.improving = true;
        let c = Candidate { number: 9, usual_reduction: Depth(usual), ..testing::candidate(game.position(), "a2a8") };
        let found = s.move_cost(&n, &c);
        let expected = (Depth(extension), Depth(left));
        assert_eq!((found.extension, found.reduction), expected, "{quarters} {reduction_only} {exempt}");
    }
}
