//! Converts the words after `go` to limits of a search.
//!
//! - A clock that is zero or below gives the least time, not no limit.
//! - If only the other side's clock is given, it is used as ours; if only increments are given, the increment is used as the clock.
//! - A depth, node count or mate distance of zero or below counts as 1.
//! - `mate N` ends when a mate in at most N moves is found, by either side. The search is selective and cannot prove that there is no
//!   mate: without one it goes on to the greatest depth there is, or until `stop` or another limit.
//! - `searchmoves` with no legal move among them means all moves.

use std::time::Duration;

use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::score::MAX_PLY;
use shakmaty::{ByColor, Color, Move};

use crate::command::Go;

/// The least time for a move.
const LEAST_TIME: Duration = Duration::from_millis(1);

/// The limits, and remarks about values that were changed.
pub fn of(go: &Go, game: &Game, lines: usize, overhead: Duration) -> (Limits, Vec<String>) {
    let mut remarks = go.complaints.clone();
    let increment = ByColor { white: increment(go.white_increment), black: increment(go.black_increment) };
    let limits = Limits {
        depth: go.depth.map(|depth| depth.clamp(1, MAX_PLY as i64 - 1) as u32),
        nodes: go.nodes.map(|nodes| nodes.max(1).unsigned_abs()),
        soft_nodes: None,
        movetime: go.move_time.map(time),
        mate: go.mate.map(|moves| moves.clamp(1, MAX_PLY as i64) as u32),
        time: clocks(go, game.position().turn(), &increment),
        increment,
        moves_to_go: go.moves_to_go.filter(|moves| *moves > 0).map(|moves| u32::try_from(moves).unwrap_or(u32::MAX)),
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: search_moves(go, game, &mut remarks),
        lines,
        single_thread: false,
        overhead,
        since: None,
    };
    shorten(&mut remarks);
    (limits, remarks)
}

/// Keeps the first remarks, because a line of a megabyte can have a hundred thousand.
fn shorten(remarks: &mut Vec<String>) {
    const REMARKS_MAX: usize = 10;
    if remarks.len() > REMARKS_MAX {
        let more = remarks.len() - REMARKS_MAX;
        remarks.truncate(REMARKS_MAX);
        remarks.push(format!("and {more} more of this kind"));
    }
}

/// Returns true if a search with these limits goes on until it is stopped.
pub fn endless(go: &Go) -> bool {
    go.infinite || (go.mate.is_none() && !bounded(go))
}

/// Returns true if a limit ends the search in any case.
fn bounded(go: &Go) -> bool {
    let bounds =
        [go.depth, go.nodes, go.move_time, go.white_time, go.black_time, go.white_increment, go.black_increment];
    bounds.iter().any(Option::is_some)
}

/// The remedy for a `go` that may need `stop` or `ponderhit` to end; `None` if it ends without them. A search for a mate ends only
/// if it finds one.
pub fn remedy(go: &Go) -> Option<&'static str> {
    if go.perft.is_some() {
        return None;
    }
    match (bounded(go), go.infinite, go.ponder) {
        (true, false, false) => None,
        (true, true, false) => Some("leave out `infinite`"),
        (true, false, true) => Some("leave out `ponder`"),
        (true, true, true) => Some("leave out `infinite` and `ponder`"),
        (false, false, false) => Some("give it a depth, nodes or a time"),
        (false, _, _) => Some("give it a depth, nodes or a time instead of `infinite` or `ponder`"),
    }
}

fn time(milliseconds: i64) -> Duration {
    Duration::from_millis(milliseconds.max(0).unsigned_abs()).clamp(LEAST_TIME, LONGEST)
}

/// More than a game lasts; keeps sums of times far from overflow.
const LONGEST: Duration = Duration::from_secs(3_600 * 24 * 365);

fn increment(milliseconds: Option<i64>) -> Duration {
    Duration::from_millis(milliseconds.unwrap_or(0).max(0).unsigned_abs()).min(LONGEST)
}

fn clocks(go: &Go, turn: Color, increment: &ByColor<Duration>) -> ByColor<Option<Duration>> {
    let mut clocks = ByColor { white: go.white_time.map(time), black: go.black_time.map(time) };
    let ours = *clocks.get(turn);
    let given = go.white_increment.is_some() || go.black_increment.is_some();
    let spare = if increment.get(turn).is_zero() { *increment.get(!turn) } else { *increment.get(turn) };
    let only_increments = given.then(|| spare.max(LEAST_TIME));
    *clocks.get_mut(turn) = ours.or(*clocks.get(!turn)).or(only_increments);
    clocks
}

fn search_moves(go: &Go, game: &Game, remarks: &mut Vec<String>) -> Vec<Move> {
    let mut moves = Vec::new();
    for text in go.search_moves.iter().flatten() {
        match game.parse_uci(text) {
            Ok(mv) if moves.contains(&mv) => {}
            Ok(mv) => moves.push(mv),
            Err(error) => remarks.push(format!("searchmoves: {error}")),
        }
    }
    if moves.is_empty() && go.search_moves.is_some() {
        remarks.push("searchmoves names no legal move: all moves are searched".into());
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, parse};

    fn read(line: &str, black: bool) -> (Limits, Vec<String>) {
        let Ok(Some(Command::Go(go))) = parse(line) else { panic!("{line}") };
        let mut game = Game::new();
        if black {
            game.play_uci("e2e4").expect("legal");
        }
        of(&go, &game, 1, Duration::ZERO)
    }

    fn ms(milliseconds: u64) -> Option<Duration> {
        Some(Duration::from_millis(milliseconds))
    }

    #[test]
    fn the_mover_always_has_a_clock_when_any_time_was_given() {
        for (line, black, expected) in [
            ("go wtime 1000 btime 2000", false, ms(1000)),
            ("go wtime 1000 btime 2000", true, ms(2000)),
            ("go btime 2000", false, ms(2000)),
            ("go wtime 1000", true, ms(1000)),
            ("go wtime 0", false, ms(1)),
            ("go wtime -5000 btime 7", false, ms(1)),
            ("go wtime -99999999999999999999", false, ms(1)),
            ("go winc 100 binc 200", false, ms(100)),
            ("go winc 100", true, ms(100)),
            ("go winc 0 binc 0", false, ms(1)),
            ("go", false, None),
            ("go infinite", true, None),
            ("go depth 3", true, None),
        ] {
            let (limits, remarks) = read(line, black);
            let turn = if black { Color::Black } else { Color::White };
            assert_eq!(*limits.time.get(turn), expected, "{line}");
            assert!(remarks.is_empty(), "{line}: {remarks:?}");
        }
    }

    #[test]
    fn counts_below_one_are_raised_and_huge_ones_lowered() {
        for (line, depth, nodes, movetime) in [
            ("go depth 0", Some(1), None, None),
            ("go depth -4", Some(1), None, None),
            ("go depth 99999999999", Some(MAX_PLY as u32 - 1), None, None),
            ("go nodes 0", None, Some(1), None),
            ("go nodes 5000", None, Some(5000), None),
            ("go movetime 0", None, None, ms(1)),
            ("go movetime -1", None, None, ms(1)),
        ] {
            let (limits, _) = read(line, false);
            assert_eq!((limits.depth, limits.nodes, limits.movetime), (depth, nodes, movetime), "{line}");
        }
        assert_eq!(read("go wtime 1000 movestogo 0", false).0.moves_to_go, None);
        assert_eq!(read("go wtime 1000 movestogo -3", false).0.moves_to_go, None);
        assert_eq!(read("go wtime 1000 movestogo 7", false).0.moves_to_go, Some(7));
    }

    /// The message for `go ponder depth 3` requested a depth, and `go mate 1` never ended.
    #[test]
    fn the_remedy_fits_the_reason_for_an_endless_search() {
        const LIMIT: &str = "give it a depth, nodes or a time";
        for (line, expected) in [
            ("go depth 3", None),
            ("go wtime 1000 btime 1000", None),
            ("go perft 3", None),
            ("go mate 2 nodes 500", None),
            ("go", Some(LIMIT.to_owned())),
            ("go mate 1", Some(LIMIT.to_owned())),
            ("go infinite", Some(format!("{LIMIT} instead of `infinite` or `ponder`"))),
            ("go ponder mate 1", Some(format!("{LIMIT} instead of `infinite` or `ponder`"))),
            ("go infinite depth 3", Some("leave out `infinite`".to_owned())),
            ("go ponder depth 3", Some("leave out `ponder`".to_owned())),
            ("go ponder infinite depth 3", Some("leave out `infinite` and `ponder`".to_owned())),
        ] {
            let Ok(Some(Command::Go(go))) = parse(line) else { panic!("{line}") };
            assert_eq!(remedy(&go).map(str::to_owned), expected, "{line}");
        }
    }

    #[test]
    fn a_line_of_nonsense_is_answered_briefly() {
        let (limits, remarks) = read(&format!("go depth 3 {}", "nonsense ".repeat(100_000)), false);
        assert_eq!((limits.depth, remarks.len()), (Some(3), 11));
        assert!(remarks[10].contains("99990 more"), "{}", remarks[10]);
    }

    #[test]
    fn illegal_search_moves_are_dropped_and_an_empty_set_means_all() {
        let (limits, remarks) = read("go searchmoves e2e4 e2e5 e2e4 xyz d2d4 depth 3", false);
        assert_eq!((limits.search_moves.len(), remarks.len(), limits.depth), (2, 2, Some(3)));
        let (limits, remarks) = read("go searchmoves e7e5", false);
        assert!(limits.search_moves.is_empty());
        assert!(remarks.iter().any(|remark| remark.contains("all moves")), "{remarks:?}");
    }
}
