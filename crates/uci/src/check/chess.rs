//! Cases about the way castling is written.

use shakmaty::CastlingMode;

use super::answers::{TestPosition, answer, declared, infos, kind_of, legal, legal_answer};
use super::connection::RawConnection;
use super::{CaseError, CaseResult, Severity, demand};
use crate::launch::Launch;

const ORDINARY: &str = "1k6/8/8/8/8/8/8/4K2R w K - 0 1";

pub(super) fn castling(launch: &Launch) -> Result<(), CaseError> {
    let (mut engine, options) = declared(launch)?;
    castles(&mut engine, ORDINARY, CastlingMode::Standard, "e1g1")?;
    if kind_of(&options, "UCI_Chess960").is_none() {
        other_notation(&mut engine)?;
        return Err(CaseError::skip("ordinary castling is right; it does not play Chess960"));
    }
    engine.send("setoption name UCI_Chess960 value true")?;
    for fen in [ORDINARY, "1k6/8/8/8/8/8/8/4K2R w H - 0 1"] {
        castles(&mut engine, fen, CastlingMode::Chess960, "e1h1")?;
    }
    for (fen, mv) in [
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "f1g1"),
        ("4k3/8/8/8/8/8/8/1R3KR1 w KQ - 0 1", "f1b1"),
        ("4k3/8/8/8/8/8/8/1RR3KR w HC - 0 1", "g1c1"),
        ("4k3/8/8/8/8/8/8/1RR3KR w KB - 0 1", "g1b1"),
    ] {
        // In the last one the rook on c1 is in the way: the move is illegal and the position only has to be accepted.
        let scene = TestPosition::fen_in(fen, CastlingMode::Chess960, &[])?;
        let possible = legal(&scene.board, mv).is_some();
        if possible {
            castles(&mut engine, fen, CastlingMode::Chess960, mv)?;
        } else {
            engine.play(&scene, "go depth 3")?;
        }
    }
    engine.send("setoption name UCI_Chess960 value false")?;
    castles(&mut engine, ORDINARY, CastlingMode::Standard, "e1g1")?;
    other_notation(&mut engine)
}

/// The notation of Chess960 should at least be understood where it cannot mean anything else.
fn other_notation(engine: &mut RawConnection) -> Result<(), CaseError> {
    let taken = TestPosition::fen(ORDINARY, &["e1h1"])?;
    engine.send(&taken.line)?;
    let text = answer(&engine.go("go depth 3")?)?.best.map_or_else(|| "(none)".to_owned(), |mv| mv.to_string());
    let understood = legal(&taken.board, &text).is_some();
    demand(understood, || format!("castling as e1h1 is not understood: bestmove {text} after `{}`", taken.line))
        .rated(Severity::Unusual)
}

/// The engine can only castle; the move must have the right notation in `bestmove` and in its lines.
fn castles(engine: &mut RawConnection, fen: &str, mode: CastlingMode, expected: &str) -> Result<(), CaseError> {
    let scene = TestPosition::fen_in(fen, mode, &[])?;
    let go = format!("go depth 4 searchmoves {expected}");
    let lines = engine.play(&scene, &go).after(&scene.line)?;
    let best = legal_answer(&scene, &lines)?;
    demand(best == expected, || format!("{expected} is written {best} or not known: {fen}"))?;
    for info in infos(&lines)? {
        let first = info.line.first().map(ToString::to_string);
        demand(first.is_none_or(|first| first == expected), || format!("{expected} has another notation in: {info}"))?;
    }
    Ok(())
}
