use super::features::{EarlierSearch, FeatureContext, MoveFacts, ONE};
use super::*;
use crate::chance::Chances;
use crate::position::Game;
use crate::score::{Bound, Ply, Score, Window};
use crate::testing::{self, candidate, game};
use shakmaty::{Move, Square};

fn node(game: &Game, kind: NodeType) -> Node<'_> {
    let mut n = Node::new(game.position(), testing::place(Window::FULL, 8, 2, kind));
    n.depth = Depth::plies(8);
    n.root_depth = Depth::plies(10);
    n
}

/// The features of a move with these facts.
fn features_of(
    fen: &str,
    uci: &str,
    known: &MoveFacts,
    change: impl Fn(&mut Node<'_>),
    own_last: Option<&str>,
) -> FeatureVector {
    let game = game(fen);
    let mut n = node(&game, NodeType::Cut);
    change(&mut n);
    let legal = n.position.legal_moves();
    // The own last move of a test is one of the position itself, read backwards or not.
    let own_last = own_last.map(|text| {
        let [from, to] = [&text[..2], &text[2..]].map(|square| square.parse::<Square>().expect(text));
        let role = n.position.board().role_at(to).expect("a piece that moved");
        Move::Normal { role, from, capture: None, to, promotion: None }
    });
    FeatureContext::new(&n, &legal, own_last).features(game.parse_uci(uci).expect(uci), known)
}

fn value(features: &FeatureVector, feature: Feature) -> i32 {
    features.as_slice().iter().find(|(other, _)| *other == feature).map_or(0, |(_, value)| i32::from(*value))
}

#[test]
fn every_feature_is_seen_where_it_is_and_not_elsewhere() {
    use Feature::*;
    // The feature, a move that has it, and one of the same position that has not.
    for (feature, fen, with, without) in [
        (TakesPawn, "4k3/8/8/3p1n2/4P3/8/8/4K3 w - - 0 1", "e4d5", "e4f5"),
        (TakesMinor, "4k3/8/8/3p1n2/4P3/8/8/4K3 w - - 0 1", "e4f5", "e4d5"),
        (TakesRook, "4k3/8/8/3p1r2/4P3/8/8/4K3 w - - 0 1", "e4f5", "e4d5"),
        (TakesQueen, "4k3/8/8/3p1q2/4P3/8/8/4K3 w - - 0 1", "e4f5", "e4d5"),
        (TakesBest, "4k3/8/8/3r1n2/4P3/8/8/4K3 w - - 0 1", "e4d5", "e4f5"),
        (Wins, "4k3/2p5/3p4/5n2/4P3/8/3R4/4K3 w - - 0 1", "e4f5", "d2d6"),
        (LosesLittle, "4k3/8/1p6/n7/8/8/3B4/4K3 w - - 0 1", "d2a5", "e1f1"),
        (LosesMuch, "4k3/3p4/2n5/p3N3/8/8/R7/4K3 w - - 0 1", "a2a5", "e5c6"),
        (Promotes, "8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a7a8r"),
        (Underpromotes, "8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", "a7a8q"),
        (SafeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "a1a7"),
        (UnsafeCheck, "1k6/8/8/8/8/8/4K3/R7 w - - 0 1", "a1a8", "a1b1"),
        (KingEvades, "1k2r3/8/8/8/8/8/R7/4K3 w - - 0 1", "e1d2", "a2e2"),
        (HangsPawn, "4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1", "e4e5", "e1d1"),
        (HangsMinor, "4k3/8/3p4/8/2N5/8/8/4K3 w - - 0 1", "c4e5", "c4e3"),
        (HangsMore, "k7/8/3p4/8/8/8/4R3/3K4 w - - 0 1", "e2e5", "e2e4"),
        (IntoLesser, "k7/8/3p4/8/8/8/4R3/3K4 w - - 0 1", "e2e5", "e2e4"),
        (EscapesMinor, "k7/8/8/2p5/3N4/8/8/4K3 w - - 0 1", "d4f3", "e1d1"),
        (EscapesRook, "k7/8/8/2p5/3R4/8/8/4K3 w - - 0 1", "d4d3", "e1f2"),
        (EscapesQueen, "k7/8/8/2p5/3Q4/8/8/4K3 w - - 0 1", "d4d3", "e1f2"),
        (Abandons, "k7/8/8/8/1b6/2N5/8/6KR w - - 0 1", "g1f1", "c3e4"),
        (PawnThreatens, "k7/8/3n4/8/4P3/8/8/4K3 w - - 0 1", "e4e5", "e1d1"),
        (ThreatensQueen, "k7/8/4q3/8/8/5N2/8/7K w - - 0 1", "f3g5", "f3d2"),
        (ThreatensRook, "k7/1p1r4/8/8/8/5N2/8/7K w - - 0 1", "f3e5", "f3d2"),
        (ThreatensLoose, "k7/8/3b4/8/8/8/1N6/7K w - - 0 1", "b2c4", "b2d3"),
        (Forks, "k7/3r1r2/8/8/8/3N4/8/7K w - - 0 1", "d3e5", "d3f2"),
        (MovesPawn, "4k3/8/8/8/8/8/P7/R3K1N1 w - - 0 1", "a2a3", "g1f3"),
        (MovesBishop, "4k3/8/8/8/8/8/P7/R3K1B1 w - - 0 1", "g1e3", "a2a3"),
        (MovesRook, "4k3/8/8/8/8/8/P7/R3K1N1 w - - 0 1", "a1b1", "g1f3"),
        (MovesQueen, "4k3/8/8/8/8/8/P7/Q3K1N1 w - - 0 1", "a1b1", "g1f3"),
        (KingEarly, "4k3/8/8/8/8/8/P7/Q3K1N1 w - - 0 1", "e1d2", "g1f3"),
        (KingLate, "4k3/8/8/8/8/8/P7/Q3K1N1 w - - 0 1", "e1d2", "g1f3"),
        (Castles, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1f1"),
        (Develops, "4k3/8/8/8/8/4q3/8/4K1N1 w - - 0 1", "g1e2", "e1f1"),
        (Develops, "4k3/8/8/8/8/q4N2/8/4K1N1 w - - 0 1", "g1e2", "f3g5"),
        (RookOpens, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1", "a1b1", "a2a3"),
        (Passed, "4k3/8/8/8/1P5p/6P1/8/4K3 w - - 0 1", "b4b5", "e1d1"),
    ] {
        let plain =
            |uci| features_of(fen, uci, &MoveFacts { better_histories: 9, ..MoveFacts::default() }, |_| {}, None);
        let sizes = [with, without].map(|uci| value(&plain(uci), feature));
        assert!(sizes[0] > 0 && sizes[1] == 0, "{feature:?} {fen}: {with} {without} {sizes:?}");
    }
}

#[test]
fn sizes_have_the_signs_of_their_names() {
    use Feature::*;
    let fen = "6k1/8/8/8/8/2N5/1R6/K7 w - - 0 1";
    let of = |feature, fen, uci| value(&features_of(fen, uci, &MoveFacts::default(), |_| {}, None), feature);
    assert_eq!([of(Advances, fen, "c3d5"), of(Advances, fen, "c3d1")], [ONE / 2, -ONE / 2]);
    assert_eq!([of(NearsKing, fen, "b2b7"), of(NearsKing, fen, "c3a4")], [ONE / 4, -ONE / 4]);
    assert!(of(Centre, fen, "c3d5") > 0 && of(Centre, fen, "c3a4") < 0);
    // A queen, a knight and a pawn are five of the twenty-four units of a full board.
    let ending = "4k3/8/8/8/8/8/P7/Q3K1N1 w - - 0 1";
    assert_eq!([KingEarly, KingLate].map(|kings| of(kings, ending, "e1d2")), [ONE * 5 / 24, ONE * 19 / 24]);
    assert!(of(KingCentre, fen, "a1b1") == 0 && of(KingCentre, "6k1/8/8/8/8/8/8/K7 w - - 0 1", "a1b2") > 0);
    let (sixth, fifth) =
        (of(Passed, "4k3/8/8/1P6/8/8/8/4K3 w - - 0 1", "b5b6"), of(Passed, "4k3/8/8/8/1P6/8/8/4K3 w - - 0 1", "b4b5"));
    assert!(sixth > fifth && fifth > 0);
    // Black counts from his own side.
    let black = "k7/1r6/2n5/8/8/8/8/6K1 b - - 0 1";
    assert_eq!([of(Advances, black, "c6d4"), of(NearsKing, black, "b7b2")], [ONE / 2, ONE / 4]);
}

#[test]
fn recaptures_and_repeated_movers_follow_from_the_path() {
    use Feature::*;
    let fen = "k7/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1";
    let of = |feature, change: &dyn Fn(&mut Node<'_>), own_last, uci| {
        value(&features_of(fen, uci, &MoveFacts::default(), change, own_last), feature)
    };
    assert_eq!(of(Recaptures, &|n| n.captured_on = Some(Square::D6), None, "e4d6"), ONE);
    assert_eq!(of(Recaptures, &|n| n.captured_on = Some(Square::E4), None, "e4d6"), 0);
    let came = |n: &mut Node<'_>| {
        n.previous = Some(Move::Normal {
            role: shakmaty::Role::Knight,
            from: Square::F7,
            capture: None,
            to: Square::D6,
            promotion: None,
        });
    };
    assert_eq!([of(TakesMoved, &came, None, "e4d6"), of(TakesMoved, &|_| {}, None, "e4d6")], [ONE, 0]);
    for (uci, own_last, same, returns) in [("e4g5", "c5e4", ONE, 0), ("e4c5", "c5e4", ONE, ONE), ("e1d1", "c5e4", 0, 0)]
    {
        assert_eq!([SamePiece, Returns].map(|f| of(f, &|_| {}, Some(own_last), uci)), [same, returns], "{uci}");
    }
}

#[test]
fn features_of_the_search_have_their_sizes() {
    use Feature::*;
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let of = |feature, uci, known: &MoveFacts| {
        value(&features_of(fen, uci, known, |n| n.static_eval = Score(20), None), feature)
    };
    let history = |history| MoveFacts { history, ..MoveFacts::default() };
    for (feature, uci) in [(History, "e1d1"), (CaptureHistory, "e4d5")] {
        assert_eq!([8192, -16_384].map(|h| of(feature, uci, &history(h))), [ONE / 2, -ONE], "{feature:?}");
    }
    for (better_histories, best, good) in [(0, ONE, 0), (1, 0, ONE), (3, 0, ONE), (4, 0, 0)] {
        let known = MoveFacts { better_histories, ..MoveFacts::default() };
        assert_eq!([HistoryBest, HistoryGood].map(|f| of(f, "e1d1", &known)), [best, good], "{better_histories}");
    }
    for (better_values, places) in [
        (0, [ONE, 0, 0, 0]),
        (1, [0, ONE, ONE, 0]),
        (2, [0, ONE, 0, 0]),
        (3, [0, ONE, 0, 0]),
        (4, [0, 0, 0, ONE]),
        (7, [0, 0, 0, ONE]),
        (8, [0, 0, 0, 0]),
    ] {
        let known = MoveFacts { better_values, ..MoveFacts::default() };
        let seen = [ValueBest, ValueGood, ValueSecond, ValueFair].map(|f| of(f, "e1d1", &known));
        assert_eq!(seen, places, "{better_values}");
    }
    for (better_values, second, lead) in [(0, 50, 0), (0, 25, ONE / 4), (0, -300, ONE), (0, 80, 0), (1, 25, 0)] {
        let known = MoveFacts { better_values, value: Score(50), second_value: Score(second), ..MoveFacts::default() };
        assert_eq!(of(Lead, "e1d1", &known), lead, "{better_values} {second}");
    }
    assert_eq!(of(Threatened, "e1d1", &MoveFacts { threatened: 475, ..MoveFacts::default() }), ONE / 2);
    assert_eq!(of(Counter, "e1d1", &MoveFacts { counter: true, ..MoveFacts::default() }), ONE);
    for (behind, gap, middle, small) in
        [(0, 0, 0, 0), (25, 5, 16, ONE), (50, 10, 32, ONE), (150, 32, ONE, ONE), (900, ONE, ONE, ONE)]
    {
        let known = MoveFacts { value: Score(-behind), ..MoveFacts::default() };
        assert_eq!([Gap, MiddleGap, SmallGap].map(|f| of(f, "e1d1", &known)), [gap, middle, small], "{behind}");
        assert_eq!(of(NoisyGap, "e4d5", &known), gap, "{behind}");
    }
    let gain = |value| of(Gain, "e4d5", &MoveFacts { value: Score(value), ..MoveFacts::default() });
    assert_eq!([120, -80].map(gain), [ONE, -ONE]);
}

#[test]
fn results_of_earlier_searches_count_by_their_depth() {
    use Feature::*;
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let of = |features: [Feature; 5], known: &MoveFacts| {
        let seen = features_of(fen, "e1d1", known, |_| {}, None);
        features.map(|feature| value(&seen, feature))
    };
    let earlier = |plies, bound| Some(EarlierSearch { depth: Depth::plies(plies), bound });
    for (found, sizes) in [
        (None, [0; 5]),
        (earlier(2, Bound::Upper), [ONE, ONE / 4, 0, 0, 0]),
        (earlier(8, Bound::Lower), [0, 0, ONE, ONE, 0]),
        (earlier(4, Bound::Exact), [0, 0, ONE, ONE / 2, ONE]),
        (earlier(30, Bound::Exact), [0, 0, ONE, ONE, ONE]),
    ] {
        let known = MoveFacts { found, ..MoveFacts::default() };
        assert_eq!(of([Refuted, RefutedDeep, Held, HeldDeep, HeldExact], &known), sizes, "{found:?}");
    }
    for (from_table, better_values, sizes) in [
        (None, 0, [0, 0, 0, 0, ONE]),
        (earlier(4, Bound::Lower), 1, [ONE, ONE / 2, 0, 0, 0]),
        (earlier(4, Bound::Exact), 0, [ONE, ONE / 2, 0, ONE, ONE]),
        (earlier(9, Bound::Upper), 1, [ONE, ONE, ONE, 0, 0]),
    ] {
        let known = MoveFacts { from_table, better_values, ..MoveFacts::default() };
        let seen = of([TableMove, TableDeep, TableUnsure, TableBest, ValueBest], &known);
        assert_eq!(seen, sizes, "{from_table:?}");
    }
}

/// The coefficients that are part of the program.
fn learned() -> Learned {
    crate::params::Parameters::default().learned().realization
}

const QUIET: &str = "k7/8/8/8/3N4/8/8/4K3 w - - 0 1";

/// The cost of a knight move whose sum of weights is `behind` bits below that of one other move.
fn decrement_at(p: &Params, behind: i32, kind: NodeType, change: impl Fn(&mut Node<'_>, &mut Candidate)) -> Decrement {
    let game = game(QUIET);
    let mut n = node(&game, kind);
    let mut c = candidate(game.position(), "d4f5");
    let other = game.parse_uci("d4e2").expect("legal");
    n.chances = Some(Box::new(Chances::new([(c.mv, -behind * BIT), (other, 0)])));
    change(&mut n, &mut c);
    decrement(p, &learned(), &sex::Params::DEFAULT, &n, &c)
}

#[test]
fn a_move_costs_its_bits_within_limits() {
    let p = Params { bits_per_ply: 2048, cost_min: 512, cost_max: 4096, pv_share: 50, ..Params::DEFAULT };
    let plain = |behind| decrement_at(&p, behind, NodeType::Cut, |_, _| {});
    // Three bits behind one other move: odds of one to eight, a chance of a ninth, 3.17 bits.
    assert_eq!((plain(3).bits, plain(3).category), (3246, None));
    assert_eq!(plain(3).cost, Depth(3246 / 2));
    assert_eq!([plain(0).cost, plain(-9).cost, plain(14).cost], [512, 512, 4096].map(Depth), "least and most");
    let wide = Params { bits_per_ply: 1024, ..p };
    assert_eq!(decrement_at(&wide, 3, NodeType::Cut, |_, _| {}).cost, Depth(3246), "half the bits, twice the cost");
    let pv = decrement_at(&wide, 3, NodeType::Pv, |_, _| {});
    assert_eq!(pv.cost, Depth(3246 / 2), "less on the principal variation");
}

#[test]
fn the_tables_move_killers_and_first_moves_are_capped() {
    let p = Params { table_max: 640, killer_or_counter_max: 1536, first_moves: 2, ..Params::DEFAULT };
    let cost = |change: &dyn Fn(&mut Candidate)| decrement_at(&p, 12, NodeType::Cut, |_, c| change(c)).cost;
    assert_eq!(cost(&|_| {}), Depth(p.cost_max));
    assert_eq!(cost(&|c| c.from_table = true), Depth(640));
    assert_eq!(cost(&|c| c.killer_or_counter = true), Depth(1536));
    assert_eq!([2, 3].map(|number| cost(&|c| c.number = number)), [Depth::ONE_PLY, Depth(p.cost_max)]);
    // A cost that is already low is not raised.
    assert_eq!(decrement_at(&p, -9, NodeType::Cut, |_, c| c.killer_or_counter = true).cost, Depth(p.cost_min));
}

#[test]
fn deep_in_the_tree_likely_moves_cost_half_a_ply_and_in_the_end_all() {
    let p = Params { cost_min: 64, ..Params::DEFAULT };
    let at = |ply: u16| decrement_at(&p, -9, NodeType::Cut, |n, _| n.ply = Ply(ply)).cost;
    assert_eq!([at(20), at(21), at(36)], [Depth(64), Depth(512), Depth::plies(8) + Depth(1)]);
}

#[test]
fn near_the_leaves_chances_are_not_computed() {
    let game = game(QUIET);
    let p = Params { depth_min: 5, ..Params::DEFAULT };
    let mut n = node(&game, NodeType::Cut);
    n.chances = Some(Box::default());
    for (plies, expected) in [(4, false), (5, true)] {
        n.depth = Depth::plies(plies);
        assert_eq!(applies(&p, &n), expected, "{plies}");
    }
    n.chances = None;
    assert!(!applies(&p, &n), "no chances, no cost by them");
    assert!(applies(&Params { softmax: false, ..p }, &n), "kinds are always known");
}

#[test]
fn the_kind_of_a_move_decides_where_there_are_no_features() {
    let p = Params { softmax: false, bits_per_ply: 1024, ..Params::DEFAULT };
    let mut learned = learned();
    (learned.chances[Category::Forward as usize], learned.chances[Category::Backward as usize]) = (625, 2500);
    let game = game(QUIET);
    let n = node(&game, NodeType::Cut);
    for (uci, category, bits) in [("d4f5", Category::Forward, 4096), ("d4e2", Category::Backward, 2048)] {
        let decrement = decrement(&p, &learned, &sex::Params::DEFAULT, &n, &candidate(game.position(), uci));
        assert_eq!((decrement.category, decrement.bits, decrement.cost), (Some(category), bits, Depth(bits)), "{uci}");
    }
}

#[test]
fn every_kind_has_a_chance_and_every_feature_a_weight_of_its_own() {
    let names: std::collections::HashSet<&str> = Category::ALL
        .iter()
        .map(|kind| chance_name(*kind))
        .chain(Feature::ALL.iter().map(|feature| feature.name()))
        .collect();
    assert_eq!(names.len(), Category::ALL.len() + Feature::ALL.len());
    let restored = |name: &str, value| {
        let mut p = crate::params::Parameters::default();
        p.restore(&format!("realization.{name}"), value).expect("a coefficient");
        p.learned().realization
    };
    for (index, feature) in Feature::ALL.iter().enumerate() {
        let learned = restored(feature.name(), 77);
        assert_eq!((learned.weights[index], *feature as usize), (77, index), "{feature:?}");
        let mut features = FeatureVector::default();
        features.0.push((*feature, 2 * ONE as i16));
        assert_eq!(learned.sum(&features), 154);
    }
    for kind in Category::ALL {
        assert_eq!(restored(chance_name(*kind), 4321).chances[*kind as usize], 4321, "{kind:?}");
    }
}

#[test]
fn the_reason_is_explained() {
    let by_kind = Decrement { category: Some(Category::Recapture), sum: 0, bits: 1024, cost: Depth(512) };
    assert_eq!(by_kind.reason().to_string(), "a recapture: a chance of 50.00 percent, 1.00 bits, 0.5 plies");
    let by_features = Decrement { category: None, sum: -1536, bits: 3 * BIT, cost: Depth(1536) };
    let expected = "features add up to -1.50: a chance of 12.50 percent, 3.00 bits, 1.5 plies";
    assert_eq!(by_features.reason().to_string(), expected);
}
