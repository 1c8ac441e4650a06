use super::*;
use crate::clock::Limits;
use crate::position::Game;
use crate::profile;
use crate::score::Score;
use crate::search::pool::Control;
use crate::table::Table;
use shakmaty::CastlingMode;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Captures, checks, promotions and a quiet ending.
const POSITIONS: [&str; 3] = [
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11",
    "2r3k1/5ppp/p3q3/1p1b4/3Q4/P3P3/1P3PPP/2R3K1 b - - 0 25",
    "8/2P5/8/1k6/6p1/1K6/8/8 w - - 0 1",
];

const DEPTH: u32 = 3;

fn value(fen: &str, pricing: Pricing, depth: u32) -> Score {
    let game = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
    let table = Arc::new(Table::new(1).expect("one MiB"));
    let mut searcher = Searcher::new(profile::builtin("classic").expect("built in"), table, ());
    searcher.pricing = pricing;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    searcher.search_alone(&game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(())).report.score
}

#[test]
fn at_twice_the_price_twice_the_depth_buys_the_same() {
    for fen in POSITIONS {
        let plain = value(fen, Pricing::Uniform, DEPTH);
        assert_eq!(value(fen, Pricing::Doubled, 2 * DEPTH), plain, "{fen}");
        assert_eq!(value(fen, Pricing::Doubled, 2 * DEPTH - 1), plain, "{fen}: the last move may be begun on credit");
    }
}

#[test]
fn a_price_is_what_its_parts_make() {
    let price = Price { base: Depth::plies(2), extension: Depth::plies(1), reduction: Depth::QUARTER };
    assert_eq!((price.full(), price.first()), (Depth::ONE_PLY, Depth::ONE_PLY + Depth::QUARTER));
    assert!(!price.is_double() && Price { extension: Depth::plies(2), ..price }.is_double());
}
