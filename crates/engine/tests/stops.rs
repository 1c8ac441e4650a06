//! A search that is stopped at any point reports one line for each rank, each with a different move, and no false mate.

mod common;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::Duration;

use common::{Random, engine, random_game, reported_lines};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::{FIFTY_MOVES, Game, Position};
use quarterply_engine::profile;
use quarterply_engine::report::{ProgressEvent, SearchOutcome, SearchReport};
use quarterply_engine::score::Bound;
use quarterply_engine::search::pool::{Control, Engine};
use quarterply_engine::shakmaty::Move;

/// Numbers from 1 to `most`, small ones as likely as large ones.
fn upto(random: &mut Random, most: usize) -> usize {
    let bits = random.below(most.ilog2() as usize + 1);
    (1 + random.below(2 << bits)).min(most)
}

/// The most random moves of a game.
const MOVES_MAX: usize = 16;

/// Start positions of random games: an opening, middlegames and endings, several of them near a mate.
const STARTS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2Q4/r1p3pp/1pk4n/p2p1Q2/P2p3P/R4K2/2nb4/2BN2qR b - - 7 34",
    "1r1Bn3/rp6/2pp3b/8/pR1N4/2p4n/2K3p1/kB6 b - - 0 1",
    "k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p2Q/2B1P3/2N5/PPPP1PPP/R1B1K1NR w KQkq - 6 5",
    "r4rk1/ppp2ppp/3p4/4n3/2B1P1bq/2N3N1/PPP2PPP/R2Q1RK1 b - - 0 1",
    "8/8/1k6/8/2QR4/8/5K2/3q4 b - - 90 80",
    "8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 4 45",
];

/// Is there one line for each rank, each with a different legal move?
fn fills_ranks(game: &Game, lines: &[SearchReport], requested: usize) -> bool {
    let legal = game.position().legal_moves();
    let numbers: Vec<usize> = lines.iter().map(|report| report.number).collect();
    let moves: HashSet<_> = lines.iter().filter_map(|report| report.line.first()).collect();
    let complete = numbers == (1..=requested.min(legal.len())).collect::<Vec<_>>();
    complete && moves.len() == lines.len() && moves.into_iter().all(|mv| legal.contains(mv))
}

/// Is a final line from the last finished iteration, from the iteration after it, or of a move that was not searched?
fn is_explained(report: &SearchReport, last: &[SearchReport]) -> bool {
    let content = |report: &SearchReport| (report.depth, report.score, report.bound, report.line.clone());
    let finished = last.first().map_or(0, |report| report.depth);
    report.depth > finished || report.depth == 0 || last.iter().any(|other| content(other) == content(report))
}

/// Searches, and checks the lines of every iteration and the final lines.
fn checked(name: &str, engine: &mut Engine, game: &Game, limits: &Limits) -> SearchOutcome {
    let (mut wrong, mut last) = (None, Vec::new());
    let outcome = engine.search(game, limits, &Control::default(), &mut |event| {
        if let ProgressEvent::Iteration(lines) = event {
            last = lines.to_vec();
            wrong = wrong.take().or_else(|| (!fills_ranks(game, lines, limits.lines)).then(|| last.clone()));
        }
        ControlFlow::Continue(())
    });
    let context = format!("{name}, {} threads, {limits:?}, {}", engine.threads(), game.fen());
    assert!(wrong.is_none(), "{context}: {wrong:?}");
    assert!(fills_ranks(game, &outcome.lines, limits.lines), "{context}: {:?}", outcome.lines);
    if engine.threads() == 1 {
        let stray = outcome.lines.iter().find(|report| !is_explained(report, &last));
        assert!(stray.is_none(), "{context}: {stray:?} after {last:?}");
    }
    assert_eq!(outcome.report, outcome.lines[0], "the first line is that of the best move");
    let line = &outcome.report.line;
    assert_eq!((outcome.best, outcome.ponder), (line.first().copied(), line.get(1).copied()));
    outcome
}

/// With two lines, `go nodes 450` from the start position ended with d2d4 in both ranks.
#[test]
fn lines_are_distinct_and_cover_all_ranks_wherever_the_search_stops() {
    let game = Game::new();
    let mut engine = engine("default");
    for nodes in 1..=600 {
        engine.new_game();
        let limits = Limits { nodes: Some(nodes), lines: 2, ..Limits::default() };
        checked("default", &mut engine, &game, &limits);
    }
}

/// A bound from an earlier window of the last finished iteration was ranked above the result of that iteration.
#[test]
fn a_stop_that_finds_nothing_keeps_the_order_of_the_last_iteration() {
    const SEARCHES: usize = 500;
    const NODES: usize = 8000;
    let mut engine = engine("default");
    let mut random = Random(1);
    for _ in 0..SEARCHES {
        engine.new_game();
        let game = random_game(&mut random, STARTS, MOVES_MAX, true);
        let limits =
            Limits { nodes: Some(1 + random.below(NODES) as u64), lines: 1 + random.below(3), ..Limits::default() };
        checked("default", &mut engine, &game, &limits);
    }
}

#[test]
fn lines_are_distinct_and_cover_all_ranks_with_any_limits() {
    const SEARCHES: usize = 120;
    const NODES_MAX: usize = 4000;
    const LINES_MAX: usize = 256;
    for name in profile::BUILTIN {
        for threads in [1, 2] {
            let mut engine = engine(name);
            engine.set_threads(threads);
            let mut random = Random(threads as u64);
            for _ in 0..SEARCHES {
                let game = random_game(&mut random, STARTS, MOVES_MAX, true);
                let (lines, nodes) = (upto(&mut random, LINES_MAX), upto(&mut random, NODES_MAX) as u64);
                let limits = Limits { nodes: Some(nodes), lines, ..Limits::default() };
                checked(name, &mut engine, &game, &limits);
            }
        }
    }
}

/// The first move of an unfinished search of the root was reported as the value of the position: `mate -1` where Black wins by g1h1, and
/// `mate -2` where White has no mate in less than seven.
#[test]
fn a_lost_first_move_has_no_effect_on_unsearched_moves() {
    for (fen, shortest, nodes_max) in [(STARTS[1], u32::MAX, 400), (STARTS[2], 7, 1500)] {
        let game = Game::standard(fen).expect("legal");
        let mut engine = engine("default");
        for nodes in 1..=nodes_max {
            engine.new_game();
            let limits = Limits { nodes: Some(nodes), lines: 1, ..Limits::default() };
            let outcome = checked("default", &mut engine, &game, &limits);
            let claimed = outcome.report.score.mate_moves().filter(|&moves| moves < 0).map(i32::unsigned_abs);
            assert!(claimed.is_none_or(|moves| moves >= shortest), "{nodes} nodes: {:?}", outcome.report);
        }
    }
}

/// The first iteration has no earlier result: a move that was not searched is preferred to one that is mated at once.
#[test]
fn a_move_that_was_not_searched_is_preferred_to_one_that_is_mated() {
    let game = Game::standard(STARTS[1]).expect("legal");
    let mut engine = engine("default");
    let limits = Limits { nodes: Some(150), lines: 256, ..Limits::default() };
    let outcome = checked("default", &mut engine, &game, &limits);
    let (first, last) = (&outcome.lines[0], &outcome.lines[outcome.lines.len() - 1]);
    assert_eq!((first.depth, first.score.mate_moves()), (0, None), "{first:?}");
    assert_eq!((last.depth, last.score.mate_moves()), (1, Some(-1)), "the line of the refuted move is true: {last:?}");
    assert_eq!(outcome.best, Some(first.line[0]));
}

/// Proves or refutes mates by exhaustive search.
struct Prover {
    known: HashMap<(u64, u32), bool>,
    left: u64,
}

impl Prover {
    /// Positions searched before a proof is aborted.
    const POSITIONS_MAX: u64 = 400_000;

    fn new() -> Prover {
        Prover { known: HashMap::new(), left: Prover::POSITIONS_MAX }
    }

    /// Can the side to move mate in at most `moves` moves? `None` if the proof was aborted.
    fn mates(&mut self, position: &Position, moves: u32) -> Option<bool> {
        if moves == 0 {
            return Some(false);
        }
        let place = (position.key(), 2 * moves);
        if let Some(&known) = self.known.get(&place) {
            return Some(known);
        }
        let checks = position.check_info();
        let mut all: Vec<Move> = position.legal_moves().into_iter().collect();
        all.sort_by_key(|&mv| !position.gives_check(&checks, mv));
        let mut found = false;
        for mv in all {
            if moves == 1 && !position.gives_check(&checks, mv) {
                break;
            }
            if self.is_mated(&position.play(mv), moves - 1)? {
                found = true;
                break;
            }
        }
        self.known.insert(place, found);
        Some(found)
    }

    /// Is the side to move mated after at most `moves` moves?
    fn is_mated(&mut self, position: &Position, moves: u32) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let all = position.legal_moves();
        if all.is_empty() {
            return Some(position.in_check());
        }
        if moves == 0 || position.halfmoves() >= FIFTY_MOVES || position.insufficient_material() {
            return Some(false);
        }
        for mv in all {
            if !self.mates(&position.play(mv), moves)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Is the claimed mate real? A loss in the first line is a claim about all moves, in other lines about their first move.
    fn confirms(&mut self, position: &Position, report: &SearchReport) -> Option<bool> {
        let Some(moves) = report.score.mate_moves() else { return Some(true) };
        let number = moves.unsigned_abs();
        let first = position.play(report.line[0]);
        match (moves > 0, report.bound) {
            (true, Bound::Exact | Bound::Lower) => self.is_mated(&first, number - 1),
            (false, Bound::Exact | Bound::Upper) if report.number == 1 => self.is_mated(position, number),
            (false, Bound::Exact | Bound::Upper) => self.mates(&first, number),
            _ => Some(true),
        }
    }
}

/// Searches with any limits and lines, and checks every mate that is claimed.
fn check_mates(name: &str, threads: usize, searches: usize) {
    const NODES_MAX: usize = 4000;
    const LINES_MAX: usize = 4;
    const NEW_GAME_EVERY: usize = 20;
    let mut engine = engine(name);
    engine.set_threads(threads);
    let mut random = Random(threads as u64);
    let (mut confirmed, mut open) = (0, 0);
    for number in 0..searches {
        if number % NEW_GAME_EVERY == 0 {
            engine.new_game();
        }
        let game = random_game(&mut random, STARTS, MOVES_MAX, true);
        let (lines, nodes) = (upto(&mut random, LINES_MAX), upto(&mut random, NODES_MAX) as u64);
        let limits = Limits { nodes: Some(nodes), lines, ..Limits::default() };
        let reported = reported_lines(&mut engine, &game, &limits);
        for line in reported.iter().filter(|line| line.score.mate_moves().is_some()) {
            match Prover::new().confirms(game.position(), line) {
                Some(true) => confirmed += 1,
                Some(false) => {
                    panic!("{name}, {threads} threads, {nodes} nodes, {lines} lines, {}: {line:?}", game.fen())
                }
                None => open += 1,
            }
        }
    }
    assert!(confirmed > open, "{name}, {threads} threads: {confirmed} mates confirmed, {open} not decided");
}

fn check_mates_of_all_profiles(searches: usize) {
    for name in profile::BUILTIN {
        for threads in [1, 2] {
            check_mates(name, threads, searches);
        }
    }
}

#[test]
fn no_mate_is_claimed_that_is_none() {
    check_mates_of_all_profiles(60);
}

#[test]
#[ignore = "takes minutes"]
fn no_mate_is_claimed_that_is_none_in_thousands_of_searches() {
    check_mates_of_all_profiles(5000);
}

/// The iteration that was running at `ponderhit` went on, up to the hard limit.
#[test]
fn a_move_that_was_thought_about_for_long_is_made_at_ponderhit() {
    /// More than a search may take on this clock, and the nodes between two looks at it.
    const LONG: u64 = 100_000;
    const LOOK: u64 = 2_000;
    let mut parameters = profile::builtin("default").expect("built in");
    parameters.clock.nodes_per_ms = 20;
    let mut engine = Engine::new(parameters);
    let mut limits = Limits::default();
    limits.time.white = Some(Duration::from_secs(60));
    let control = Control::new(true);
    let mut hit = None;
    let outcome = engine.search(&Game::new(), &limits, &control, &mut |event| {
        // Within an iteration, after which the search would end anyway.
        if let &ProgressEvent::Best { nodes, .. } = event
            && nodes > LONG
            && hit.is_none()
        {
            hit = Some(nodes);
            control.ponder_hit();
        }
        ControlFlow::Continue(())
    });
    let hit = hit.expect("the best move is set again");
    assert!(outcome.best.is_some() && outcome.nodes < hit + LOOK, "{} nodes after {hit}", outcome.nodes);
}
