//! Tests of the root with endgame tables: scripted ones, and real ones where `QUARTERPLY_SYZYGY` names a directory with four pieces.

use super::*;
use crate::params::Parameters;
use crate::report::SearchOutcome;
use crate::search::pool::Control;
use crate::tablebase::scripted::{self, MaybeRounded::Precise};
use crate::tablebase::{Dtz, Tablebase, Wdl};
use crate::testing::{self, game};
use crate::whole::SPREAD;
use shakmaty::{CastlingMode, Chess, Color, Position as _, Square};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Mate in two, a pawn that can be pushed, and many other wins.
const MATE: &str = "8/8/8/8/2K5/8/4Q2P/k7 w - - 0 1";
const ROOK_AND_BISHOP: &str = "8/8/8/3k1b2/8/8/8/KR6 w - - 0 1";
const QUEEN: &str = "8/4Q3/8/8/8/8/8/k6K w - - 0 1";

fn moves(game: &Game, texts: &str) -> Vec<Move> {
    texts.split_whitespace().map(|text| game.parse_uci(text).expect(text)).collect()
}

fn searcher(tables: Tablebase, parameters: Parameters) -> Searcher<()> {
    let mut s = testing::searcher(parameters);
    s.tablebase = Some(Arc::new(tables));
    s
}

fn search(game: &Game, tables: Tablebase, limits: &Limits) -> SearchOutcome {
    testing::search(&mut searcher(tables, Parameters::default()), game, limits)
}

/// White wins in `plies` plies if its queen is safe; otherwise it is a draw.
fn queen_wins(plies: i32) -> Tablebase {
    scripted::tables(4, move |position: &Chess| {
        let queen = position.board().queens().first();
        let hangs = position.turn() == Color::Black && position.legal_moves().iter().any(|mv| Some(mv.to()) == queen);
        let won = queen.is_some() && !hangs && !position.is_stalemate();
        Some(Precise(Dtz(match position.turn() {
            _ if !won => 0,
            Color::White => plies,
            Color::Black => -plies,
        })))
    })
}

/// Only a white move to `square` wins; everything else is a draw.
fn wins_on(square: Option<Square>) -> Tablebase {
    scripted::tables(4, move |position: &Chess| {
        let here = square.is_some_and(|square| position.board().white().contains(square));
        Some(Precise(Dtz(if here && position.turn() == Color::Black { -5 } else { 0 })))
    })
}

fn uci(mv: Option<Move>) -> String {
    mv.map_or_else(String::new, |mv| mv.to_uci(CastlingMode::Standard).to_string())
}

/// `go searchmoves h1h2` was answered by `bestmove (none)`, because the tables had a faster win.
#[test]
fn requested_moves_are_searched_whatever_the_tables_contain() {
    let game = game(QUEEN);
    for (requested, best) in [("h1h2", "h1h2"), ("e7a3", "e7a3"), ("e7b4 h1h2", "h1h2"), ("h1h2 e7b4", "h1h2")] {
        let limits = Limits { search_moves: moves(&game, requested), ..Limits::depth(4) };
        for tables in [wins_on(Some(Square::H2)), wins_on(None), queen_wins(7)] {
            let found = uci(search(&game, tables, &limits).best);
            assert!(requested.contains(&found) && !found.is_empty(), "{requested}: {found}");
        }
        assert_eq!(uci(search(&game, wins_on(Some(Square::H2)), &limits).best), best, "{requested}");
    }
}

/// The pawn was pushed and promoted, because a pawn move resets the clock.
#[test]
fn a_mate_is_found_among_the_moves_that_win() {
    for limits in [Limits::depth(6), Limits { mate: Some(2), ..Limits::default() }] {
        let report = search(&game(MATE), queen_wins(9), &limits).report;
        assert_eq!(report.score.mate_moves(), Some(2), "{limits:?}: {report:?}");
    }
}

#[test]
fn the_requested_number_of_lines_is_listed_better_results_first() {
    let game = game(MATE);
    let legal = game.position().legal_moves().len();
    for lines in [1, 2, 5, 256] {
        let outcome = search(&game, wins_on(Some(Square::H4)), &Limits { lines, ..Limits::depth(4) });
        assert_eq!((uci(outcome.best).as_str(), outcome.lines.len()), ("h2h4", lines.min(legal)));
        let results: Vec<Option<Wdl>> = outcome.lines.iter().map(|report| report.table).collect();
        assert_eq!(results[0], Some(Wdl::Win));
        assert!(results[1..].iter().all(|&result| result == Some(Wdl::Draw)), "{results:?}");
        assert!(outcome.lines[1..].iter().all(|report| report.score == Score::DRAW), "{:?}", outcome.lines);
    }
}

#[test]
fn without_a_mate_the_result_of_the_tables_is_reported() {
    let game = game(ROOK_AND_BISHOP);
    let report = search(&game, wins_on(None), &Limits::depth(5)).report;
    assert_eq!((report.score, report.bound, report.table), (Score::DRAW, Bound::Exact, Some(Wdl::Draw)));
    let mut reported = Vec::new();
    let mut s = searcher(wins_on(Some(Square::B7)), Parameters::default());
    s.search_alone(&game, &Limits::depth(3), &Control::default(), &mut |event| {
        match event {
            ProgressEvent::Best { mv, score, .. } => reported.push((*mv, *score)),
            ProgressEvent::Iteration(lines) => reported.push((lines[0].line[0], lines[0].score)),
            ProgressEvent::Bound(_) | ProgressEvent::Current { .. } => {}
        }
        ControlFlow::Continue(())
    });
    let win = game.parse_uci("b1b7").expect("legal");
    assert!(!reported.is_empty() && reported.iter().all(|&found| found == (win, Score::TABLEBASE_WIN)), "{reported:?}");
}

/// The capture that leads into the tables failed high, and was dropped again in the search with an open window, because there a lost
/// position was searched on.
#[test]
fn a_win_by_the_tables_is_preferred_to_a_better_evaluation() {
    let tables = scripted::tables(4, |position: &Chess| {
        Some(Precise(Dtz(if position.turn() == Color::White { 5 } else { -5 })))
    });
    let game = game("6k1/7p/8/7Q/8/8/8/1NK5 w - - 0 1");
    let outcome = search(&game, tables, &Limits::depth(4));
    assert_eq!(uci(outcome.best), "h5h7");
    assert!(outcome.report.score.is_won(), "{:?}", outcome.report);
}

#[test]
fn probes_of_root_moves_are_counted() {
    let game = game(ROOK_AND_BISHOP);
    let moves = game.position().legal_moves().len() as u64;
    let hits = |nodes| search(&game, wins_on(None), &Limits::nodes(nodes)).report.tbhits;
    assert_eq!(hits(1), moves);
    assert!(hits(3000) > moves, "captures are looked up in the search");
}

#[test]
fn the_only_move_that_keeps_the_result_takes_a_fraction_of_the_time() {
    let nodes = |tables| {
        let mut parameters = Parameters::default();
        parameters.clock.nodes_per_ms = 20;
        let mut limits = Limits::default();
        limits.time.white = Some(Duration::from_secs(60));
        let listen = &mut |_: &ProgressEvent<'_>| ControlFlow::Continue(());
        searcher(tables, parameters).search_alone(&game(ROOK_AND_BISHOP), &limits, &Control::default(), listen).nodes
    };
    let (one, several) = (nodes(wins_on(Some(Square::B7))), nodes(wins_on(None)));
    assert!(one < several / 3, "{one} {several}");
}

/// For any table results and any requested moves, the lines are these moves, each once, with better table results first.
#[test]
fn the_list_of_root_moves_is_never_empty() {
    const SEARCHES: u64 = 400;
    let roots = ["8/8/8/8/2K5/8/4Q2P/k7 w - - 60 80", ROOK_AND_BISHOP, "4k3/8/4K3/4P3/8/8/8/8 b - - 3 1"];
    for number in 0..SEARCHES {
        let game = game(roots[number as usize % roots.len()]);
        let draw = move |at: u64, bound: u64| ((at ^ number.wrapping_mul(SPREAD)).wrapping_mul(SPREAD) >> 40) % bound;
        let tables = scripted::tables(4, move |position: &Chess| {
            let key = Position::from_chess(position.clone()).key();
            let unknown = number % 8 == 0 && draw(key, 64) == 0;
            (!unknown).then_some(Precise(Dtz(draw(key, 260) as i32 - 130)))
        });
        let legal = game.position().legal_moves();
        let requested: Vec<Move> = legal.iter().copied().filter(|mv| draw(mv.to() as u64, 3) == 0).collect();
        let allowed: HashSet<Move> =
            if requested.is_empty() { &legal[..] } else { &requested }.iter().copied().collect();
        let ranks = tables.root_moves(&game);
        let lines = 1 + draw(7, 6) as usize;
        let limits = Limits { nodes: Some(1 + draw(8, 400)), lines, search_moves: requested, ..Limits::default() };
        let outcome = search(&game, tables, &limits);
        let listed: Vec<Move> = outcome.lines.iter().map(|report| report.line[0]).collect();
        let distinct: HashSet<Move> = listed.iter().copied().collect();
        assert_eq!((listed.len(), distinct.len()), (lines.min(allowed.len()), listed.len()), "{number}");
        assert!(distinct.is_subset(&allowed), "{number}");
        let Some(ranks) = ranks else { continue };
        let class = |mv: Move| ranks.iter().find(|(ranked, _)| *ranked == mv).expect("ranked").1.class;
        assert_eq!(Some(class(listed[0])), allowed.iter().map(|&mv| class(mv)).max(), "{number}");
        assert!(listed.is_sorted_by(|&a, &b| class(a) >= class(b)), "{number}");
    }
}

/// Won endings are won by short searches, although the search chooses among all sure wins.
#[test]
fn short_searches_with_real_tables_win_won_positions() {
    let Ok(path) = std::env::var("QUARTERPLY_SYZYGY") else { return };
    let tables = Arc::new(Tablebase::open(&path).expect("the variable names a directory with tables"));
    for fen in [
        "8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
        "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
        "8/8/8/4k3/8/8/8/KBB5 w - - 0 1",
        "8/8/3k4/8/8/3K4/4Q3/7r w - - 0 1",
        "8/8/8/8/3k4/8/1P6/1K6 w - - 0 1",
    ] {
        for nodes in [20, 500] {
            let mut game = game(fen);
            let mut s = testing::searcher(Parameters::default());
            s.tablebase = Some(Arc::clone(&tables));
            while !game.position().chess().is_checkmate() {
                let found = testing::search(&mut s, &game, &Limits::nodes(nodes));
                game.play(found.best.expect("a move"));
                assert_eq!(game.draw(), None, "{fen}, {nodes} nodes: {:?}", game.moves());
            }
        }
    }
}
