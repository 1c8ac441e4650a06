//! Cases about what an engine must accept and withstand.

use std::time::Duration;

use shakmaty::uci::UciMove;

use super::answers::{TestPosition, answer, legal, legal_answer};
use super::connection::{RawConnection, first_word};
use super::{CaseError, CaseResult, Severity, demand};
use crate::launch::Launch;

/// A king and a rook against a king: no move of the initial position is legal here.
const ROOK_ENDING: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

pub(super) fn idle_stop(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    engine.send("stop")?;
    engine.send("ponderhit")?;
    engine.never("bestmove")?;
    // A stop kept for later would end this search before its depth.
    engine.send("stop")?;
    let lines = engine.play(&TestPosition::start(&[])?, "go depth 4")?;
    demand(lines.iter().any(|line| line.contains("depth 4")), || {
        "a stop before the search cut it short: no `depth 4` in `go depth 4`".into()
    })?;
    engine.send("stop")?;
    engine.never("bestmove").map(|_| ())
}

pub(super) fn ready(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    engine.send("position startpos")?;
    engine.send("go infinite")?;
    let lines = engine.sync().after("go infinite, isready")?;
    demand(!lines.iter().any(|line| first_word(line) == "bestmove"), || "isready ended the search".into())?;
    engine.never("bestmove")?;
    engine.send("stop")?;
    engine.until("bestmove").map(|_| ())
}

pub(super) fn interruptions(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    engine.send("position startpos")?;
    for line in [
        "setoption name Hash value 2",
        "setoption name Hash value 8",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "position startpos moves e2e4",
        "ucinewgame",
        "ponderhit",
        "go depth 2",
        "xyzzy",
        "",
        "position fen nonsense",
    ] {
        engine.send("go infinite")?;
        engine.lines_within(Duration::from_millis(50)).after("go infinite")?;
        engine.send(line)?;
        engine.send("stop")?;
        engine.until("bestmove").after(&format!("go infinite, {line}, stop"))?;
        engine.sync().after(line)?;
    }
    engine.lines_within(Duration::from_millis(200))?;
    engine.play(&TestPosition::fen(ROOK_ENDING, &[])?, "go depth 3").map(|_| ())
}

pub(super) fn bare_go(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    engine.send("position startpos")?;
    engine.send("go")?;
    engine.never("bestmove").after("go")?;
    engine.send("stop")?;
    engine.until("bestmove")?;
    let scene = TestPosition::start(&[])?;
    for go in ["go foo 3 depth 2", "go depth 2 bar", "go movetime 200"] {
        engine.play(&scene, go)?;
    }
    Ok(())
}

pub(super) fn clocks(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    for scene in [TestPosition::start(&[])?, TestPosition::start(&["e2e4"])?] {
        for go in [
            "go wtime 500",
            "go btime 500",
            "go movestogo 5 binc 10 btime 500 winc 10 wtime 500",
            "go wtime 500 btime 500 movestogo 0",
            "go wtime 500 btime 500 movestogo 1",
        ] {
            engine.play(&scene, go)?;
        }
    }
    // No GUI leaves out both clocks.
    let scene = TestPosition::start(&[])?;
    engine.play(&scene, "go winc 100 binc 100").rated(Severity::Unusual).map(|_| ())
}

pub(super) fn no_time(launch: &Launch) -> Result<(), CaseError> {
    const AT_ONCE: Duration = Duration::from_secs(2);
    let mut engine = RawConnection::ready(launch)?;
    let scene = TestPosition::start(&[])?;
    for go in [
        "go wtime 0 btime 0",
        "go wtime -100 btime -100",
        "go wtime -2147483649 btime 60000 winc 0 binc 0",
        "go wtime 1 btime 1 movestogo 40",
        "go movetime 0",
        "go movetime -5",
        "go depth 0",
        "go nodes 0",
    ] {
        engine.send(&scene.line)?;
        engine.send(go)?;
        let lines = engine.until_within("bestmove", AT_ONCE).after(go).rated(rating(go))?;
        legal_answer(&scene, &lines)?;
    }
    Ok(())
}

/// A millisecond on the clock happens in games, less only in those of tools that go on after a loss on time.
fn rating(go: &str) -> Severity {
    if go.starts_with("go wtime 1 ") { Severity::Game } else { Severity::Tool }
}

pub(super) fn search_moves(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    let scene = TestPosition::start(&[])?;
    for (go, allowed) in [
        ("go searchmoves a2a3 h2h3 depth 4", &["a2a3", "h2h3"][..]),
        ("go depth 4 searchmoves a2a3 h2h3", &["a2a3", "h2h3"]),
        ("go nodes 3000 searchmoves a2a3", &["a2a3"]),
        ("go searchmoves e2e5 a2a3 depth 3", &["a2a3"]),
        ("go searchmoves a2a3 movetime 100", &["a2a3"]),
    ] {
        let lines = engine.play(&scene, go)?;
        let best = legal_answer(&scene, &lines)?;
        demand(allowed.contains(&best.as_str()), || format!("`{go}` gave {best}"))?;
    }
    // UCI does not define the result of an empty set; the engine must answer anyway.
    engine.go("go searchmoves e7e5 depth 2")?;
    engine.play(&scene, "go depth 2").map(|_| ())
}

pub(super) fn position_forms(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    let start = TestPosition::start(&[])?;
    let ending = TestPosition::fen(ROOK_ENDING, &[])?;
    let moved = TestPosition::fen(ROOK_ENDING, &["e1g1"])?;
    for (line, scene) in [
        ("position startpos", &start),
        ("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", &ending),
        ("position startpos moves", &start),
        ("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves", &ending),
        ("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1", &moved),
        ("position startpos", &start),
        ("position fen 4k3/8/8/8/8/8/8/4K2R w K -", &ending),
        ("position startpos", &start),
        ("position fen 4k3/8/8/8/8/8/8/4K2R w K - moves e1g1", &moved),
    ] {
        engine.send(line)?;
        let lines = engine.go("go depth 2").after(line)?;
        legal_answer(scene, &lines).after(line)?;
    }
    Ok(())
}

pub(super) fn bad_positions(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    let old = TestPosition::fen(ROOK_ENDING, &[])?;
    for line in [
        "position fen xyzzy",
        "position fen",
        "position",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w KQkq - 0 1",
        "position fen kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
        "position fen 4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
        "position fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves e2e4 0000",
        "position startpos moves e2e4 e7e5 \u{fc}",
    ] {
        engine.send(&old.line)?;
        engine.sync()?;
        engine.send(line)?;
        engine.sync().after(line)?;
        let lines = engine.go("go depth 2").after(line)?;
        let best = answer(&lines)?.best.filter(|best| *best != UciMove::Null);
        let fits = best.as_ref().is_none_or(|best| legal(&old.board, &best.to_string()).is_some());
        let text = || best.as_ref().map_or_else(String::new, ToString::to_string);
        demand(fits, || format!("bestmove {} after `{line}` is illegal in the position before it", text()))?;
    }
    // Rights without their rook may be dropped or refused, but must not crash.
    engine.send("position fen 4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1")?;
    engine.sync()?;
    engine.go("go depth 2").and_then(|lines| answer(&lines)).map(|_| ())
}

pub(super) fn blanks(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    for bytes in [&b"isready\r\n"[..], b"  isready  \n", b"\tisready\t\r\n", b"\n\r\n  \nisready\n"] {
        engine.send_bytes(bytes)?;
        let text = String::from_utf8_lossy(bytes).escape_debug().to_string();
        engine.until("readyok").after(&text)?;
    }
    let scene = TestPosition::start(&["e2e4"])?;
    engine.send_bytes(b"position   startpos\tmoves  e2e4 \r\n")?;
    engine.send_bytes(b"  go \t depth  2  \r\n")?;
    let lines = engine.until("bestmove").after("go depth 2 with tabs and CRLF")?;
    legal_answer(&scene, &lines)?;
    engine.send("joho isready")?;
    engine.until("readyok").after("joho isready").rated(Severity::Unusual).map(|_| ())
}

pub(super) fn quotes(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    engine.send("setoption name \"Hash\" value \"2\"")?;
    engine.sync()?;
    drop(engine);
    let mut lines = launch.clone();
    lines.arguments.extend(["setoption name Hash value 2".to_owned(), "go depth 3".to_owned()]);
    let mut engine = RawConnection::open(&lines)?;
    engine.close_input();
    engine.ended_within(super::connection::TIMEOUT).after("two lines as arguments")?;
    let output = engine.rest();
    if !output.iter().any(|line| first_word(line) == "bestmove") {
        return Err(CaseError::skip("takes no UCI lines as arguments"));
    }
    legal_answer(&TestPosition::start(&[])?, &output).map(|_| ())
}
