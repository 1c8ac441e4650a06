//! Cases about what a search finds and whether it finds it again.

use quarterply_engine::words::grouped;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position as _};

use super::answers::{TestPosition, declared, infos, kind_of, last_line};
use super::connection::RawConnection;
use super::output::VARIED;
use super::{CaseError, CaseResult, demand};
use crate::info::{Info, ScoreValue};
use crate::launch::Launch;

/// Forced mates: the position and the moves to mate for the side to move.
pub(super) const MATES: &[(&str, i32)] = &[
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
    ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", -1),
    ("7k/8/8/6K1/8/8/8/R7 w - - 0 1", 2),
    ("8/6k1/R7/8/8/8/1R6/K7 b - - 0 1", -2),
];

pub(super) fn mates(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    for (fen, moves) in MATES {
        engine.send("ucinewgame")?;
        engine.sync()?;
        let lines = engine.play(&TestPosition::fen(fen, &[])?, "go depth 10")?;
        let info = exact(&lines)?;
        demand(info.value == Some(ScoreValue::Mate(*moves)), || format!("mate {moves} expected in {fen}: {info}"))?;
    }
    Ok(())
}

/// The last line of the first rank with an exact score.
fn exact(lines: &[String]) -> Result<Info, CaseError> {
    let scored = |info: &Info| info.value.is_some() && info.bound.is_none() && info.number.is_none_or(|rank| rank == 1);
    infos(lines)?.into_iter().rfind(scored).ok_or_else(|| CaseError::fault("no line with an exact score"))
}

pub(super) fn lines(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    let mut scenes = VARIED.iter().map(|fen| TestPosition::fen(fen, &[])).collect::<Result<Vec<_>, _>>()?;
    scenes.push(TestPosition::fen("8/8/8/5k2/8/8/3QK3/8 w - - 90 120", &[])?);
    scenes.push(TestPosition::start(&["g1f3", "g8f6", "f3g1", "f6g8"])?);
    for scene in &scenes {
        engine.send("ucinewgame")?;
        engine.sync()?;
        for info in infos(&engine.play(scene, "go depth 11")?)? {
            walk(&scene.board, &info).after(&scene.line)?;
        }
    }
    many_short_lines(launch)
}

/// Where mates, stalemates and draws are near, so that short searches meet them on every line.
const NEAR_THE_END: &[&str] = &[
    "k3N2Q/3B4/p2B4/n7/4K2P/2P3p1/8/b5R1 w - - 1 76",
    "6k1/3R1ppp/8/8/2q5/5N2/5PPP/3R2K1 w - - 0 1",
    "r4rk1/ppp2ppp/3p4/4n3/2B1P1bq/2N3N1/PPP2PPP/R2Q1RK1 b - - 0 1",
    "8/8/1k6/8/2QR4/8/5K2/3q4 b - - 90 80",
];

/// Checks the output of hundreds of short searches, with one line and with several.
fn many_short_lines(launch: &Launch) -> Result<(), CaseError> {
    const SEARCHES: usize = 400;
    const MOVES_MAX: usize = 10;
    let (mut engine, options) = declared(launch)?;
    let several = kind_of(&options, "MultiPV").is_some();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for number in 0..SEARCHES {
        if several && number % 100 == 0 {
            engine.send(if number % 200 == 0 {
                "setoption name MultiPV value 1"
            } else {
                "setoption name MultiPV value 4"
            })?;
        }
        let fen = NEAR_THE_END[number % NEAR_THE_END.len()];
        let scene = astray(fen, random.random_range(0..MOVES_MAX), &mut random)?;
        for go in ["go depth 3", "go depth 5"] {
            for info in infos(&engine.play(&scene, go)?)? {
                walk(&scene.board, &info).after(&format!("{}, {go}", scene.line))?;
            }
        }
    }
    Ok(())
}

/// A position some random moves after another, but not past the end of the game.
fn astray(fen: &str, moves: usize, random: &mut ChaCha8Rng) -> Result<TestPosition, CaseError> {
    let mut scene = TestPosition::fen(fen, &[])?;
    let mut played: Vec<String> = Vec::new();
    for _ in 0..moves {
        let legal = scene.board.legal_moves();
        let Some(&mv) = legal.get(random.random_range(0..legal.len().max(1))) else { break };
        played.push(UciMove::from_standard(mv).to_string());
        let after = TestPosition::fen(fen, &played.iter().map(String::as_str).collect::<Vec<_>>())?;
        if after.board.is_game_over() || after.board.halfmoves() >= FIFTY_MOVES {
            break;
        }
        scene = after;
    }
    Ok(scene)
}

/// Half moves of the fifty-move rule.
const FIFTY_MOVES: u32 = 100;

/// Plays a line and demands that each move is legal and that no move follows a draw or a mate.
fn walk(start: &Chess, info: &Info) -> Result<(), CaseError> {
    const THREEFOLD: usize = 3;
    let key = |board: &Chess| board.zobrist_hash::<Zobrist64>(EnPassantMode::Legal);
    let mut board = start.clone();
    let mut keys = vec![key(&board)];
    for (index, uci) in info.line.iter().enumerate() {
        let mv = uci.to_move(&board).map_err(|_| CaseError::fault(format!("{uci} is illegal in: {info}")))?;
        let here = keys[keys.len() - 1];
        let drawn = keys.iter().filter(|key| **key == here).count() >= THREEFOLD
            || board.halfmoves() >= FIFTY_MOVES
            || board.is_insufficient_material();
        demand(!drawn || index == 0, || format!("the line goes on after a draw, at {uci}: {info}"))?;
        board.play_unchecked(mv);
        keys.push(key(&board));
    }
    Ok(())
}

pub(super) fn new_game(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    let scene = TestPosition::fen(VARIED[1], &[])?;
    let other = TestPosition::start(&["d2d4", "d7d5", "c2c4"])?;
    let mut once = || -> Result<(Option<u64>, Vec<String>), CaseError> {
        engine.send("ucinewgame")?;
        engine.sync()?;
        let info = last_line(&engine.play(&scene, "go depth 8")?)?;
        engine.play(&other, "go depth 8")?;
        Ok((info.nodes, info.line.iter().map(ToString::to_string).collect()))
    };
    let (first, second, third) = (once()?, once()?, once()?);
    demand(first == second && second == third, || {
        let nodes = [first.0, second.0, third.0].map(|nodes| nodes.map_or_else(|| "unknown".to_owned(), grouped));
        format!("the same search after ucinewgame differs; its nodes: {}", nodes.join(", "))
    })
}

pub(super) fn draw_rules(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    // The knights go out and home twice after a double step that nothing can capture: the last move repeats for the third
    // time the position right after the step, unless its en passant square is taken for a difference.
    let step = ["e2e4", "g8f6", "g1f3", "f6g8", "f3g1", "g8f6", "g1f3", "f6g8"];
    let scene = TestPosition::fen("4k1n1/8/8/8/8/8/4P3/3QK1N1 w - - 0 1", &step)?;
    let info = exact(&engine.play(&scene, "go depth 6 searchmoves f3g1")?)?;
    if info.line.first().is_some_and(|mv| mv.to_string() != "f3g1") {
        return Err(CaseError::skip("searchmoves is needed to ask"));
    }
    demand(info.value == Some(ScoreValue::Centipawns(0)), || {
        format!("a third repetition after a double step is a draw: {info}")
    })?;
    let mate = TestPosition::fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80", &[])?;
    let info = exact(&engine.play(&mate, "go depth 6")?)?;
    demand(info.value == Some(ScoreValue::Mate(1)), || format!("mate counts before the fifty-move rule: {info}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fewest plies in which the side to move can force mate.
    fn forces(board: &Chess, moves: u32) -> bool {
        board.legal_moves().into_iter().any(|mv| {
            let after = played(board, mv);
            after.is_checkmate() || (moves > 1 && is_mated(&after, moves - 1))
        })
    }

    fn is_mated(board: &Chess, moves: u32) -> bool {
        board.is_checkmate()
            || (!board.legal_moves().is_empty()
                && board.legal_moves().into_iter().all(|mv| forces(&played(board, mv), moves)))
    }

    fn played(board: &Chess, mv: shakmaty::Move) -> Chess {
        let mut after = board.clone();
        after.play_unchecked(mv);
        after
    }

    #[test]
    fn the_mates_have_the_stated_length() {
        for (fen, moves) in MATES {
            let board = TestPosition::fen(fen, &[]).expect(fen).board;
            let number = moves.unsigned_abs();
            let within = |limit: u32| if *moves > 0 { forces(&board, limit) } else { is_mated(&board, limit) };
            assert!(within(number), "{fen}");
            assert!(number == 1 || !within(number - 1), "{fen} is shorter");
        }
    }

    #[test]
    fn lines_past_a_draw_are_noticed() {
        let board = Chess::default();
        let there_and_back = "g1f3 g8f6 f3g1 f6g8";
        for (line, fine) in [
            (format!("info pv {there_and_back} {there_and_back}"), true),
            (format!("info pv {there_and_back} {there_and_back} e2e4"), false),
            ("info pv e2e4 e2e4".into(), false),
        ] {
            let info: Info = line.parse().expect("an info line");
            assert_eq!(walk(&board, &info).is_ok(), fine, "{line}");
        }
    }
}
