//! Cases about how an engine talks.

use std::time::{Duration, Instant};

use shakmaty::Position as _;

use super::answers::{TestPosition, answer, infos, last_line, legal, legal_answer};
use super::connection::{QUIET, RawConnection, first_word};
use super::{CaseError, CaseResult, Severity, demand};
use crate::launch::Launch;

const WORDS: &[&str] = &["id", "option", "uciok", "readyok", "info", "bestmove", "copyprotection", "registration"];

pub(super) fn tidy(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::open(launch)?;
    let early = engine.lines_within(QUIET)?;
    engine.send("uci")?;
    engine.until("uciok")?;
    engine.send("debug off")?;
    engine.send("ucinewgame")?;
    engine.sync()?;
    engine.play(&TestPosition::start(&["e2e4"])?, "go depth 6")?;
    engine.send("stop")?;
    engine.sync()?;
    engine.send("quit")?;
    engine.ended_within(EXIT_TIMEOUT).after("quit")?;
    engine.rest();
    let mut empty = false;
    for line in &engine.seen[early.len()..] {
        // A carriage return before the line feed is how some systems end lines.
        let line = line.strip_suffix('\r').unwrap_or(line);
        empty |= line.is_empty();
        demand(line.trim() == line, || format!("blanks around: `{line}`"))?;
        demand(line.is_empty() || WORDS.contains(&first_word(line)), || format!("stray text: `{line}`"))?;
    }
    // A greeting and empty lines are only reported if nothing worse is found.
    demand(!empty, || "an empty line".into()).rated(Severity::Unusual)?;
    demand(early.is_empty(), || format!("a line before `uci`: `{}`", early[0])).rated(Severity::Unusual)
}

/// Time for an engine to end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);
/// Wait for an answer that must not come.
const PATIENT: Duration = Duration::from_millis(800);

pub(super) fn withheld(launch: &Launch) -> Result<(), CaseError> {
    const MOVE_TIME: Duration = Duration::from_millis(400);
    let mut engine = RawConnection::ready(launch)?;
    let mate_in_one = TestPosition::fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", &[])?;
    let one_reply = TestPosition::fen("7k/8/6K1/8/8/8/8/R7 b - - 0 1", &[])?;
    for scene in [&mate_in_one, &one_reply] {
        for (go, release) in
            [("go infinite", "stop"), ("go ponder wtime 50 btime 50", "ponderhit"), ("go ponder depth 2", "stop")]
        {
            withholds(&mut engine, scene, go, release, Severity::Game)?;
        }
    }
    engine.send("position startpos moves e2e4")?;
    let go = format!("go ponder movetime {}", MOVE_TIME.as_millis());
    engine.send(&go)?;
    engine.lines_within(PATIENT)?;
    let hit = Instant::now();
    engine.send("ponderhit")?;
    engine.until("bestmove").after(&format!("{go}, ponderhit"))?;
    let started = hit.elapsed() > MOVE_TIME / 2;
    demand(started, || format!("`{go}`: its clock did not start at ponderhit")).rated(Severity::Tool)?;
    // No program gives a time to a search that it wants to stop.
    withholds(&mut engine, &TestPosition::start(&[])?, "go infinite movetime 50", "stop", Severity::Unusual)
}

/// The answer to `go` comes after `release`; an earlier one has this severity.
fn withholds(
    engine: &mut RawConnection,
    scene: &TestPosition,
    go: &str,
    release: &str,
    early: Severity,
) -> Result<(), CaseError> {
    engine.send(&scene.line)?;
    engine.send(go)?;
    let lines = engine.lines_within(PATIENT)?;
    let answered = lines.iter().any(|line| first_word(line) == "bestmove");
    demand(!answered, || format!("`{go}` was answered before `{release}` after `{}`", scene.line)).rated(early)?;
    engine.send(release)?;
    let lines = engine.until("bestmove").after(&format!("{go}, {release}"))?;
    legal_answer(scene, &lines).map(|_| ())
}

pub(super) fn game_over(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    for (fen, score) in [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "score mate 0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "score cp 0"),
    ] {
        let scene = TestPosition::fen(fen, &[])?;
        for go in ["go depth 3", "go wtime 1000 btime 1000", "go movetime 50"] {
            engine.send(&scene.line)?;
            let lines = engine.go(go).after(&scene.line)?;
            let last = lines.last().map_or("", String::as_str);
            demand(answer(&lines)?.best.is_none(), || format!("`{last}` where the game is over: {fen}"))?;
            demand(lines.iter().any(|line| line.contains(score)), || format!("no `{score}` after `{}`", scene.line))?;
        }
    }
    Ok(())
}

/// Positions of several kinds: opening, middle game, ending, many captures, one legal move.
pub(super) const VARIED: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "7k/8/6K1/8/8/8/8/R7 b - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
];

pub(super) fn agree(launch: &Launch) -> Result<(), CaseError> {
    let mut engine = RawConnection::ready(launch)?;
    let scenes = VARIED.iter().map(|fen| TestPosition::fen(fen, &[])).collect::<Result<Vec<_>, _>>()?;
    for scene in &scenes {
        for go in ["go depth 1", "go nodes 1", "go movetime 1", "go wtime 10 btime 10", "go depth 6"] {
            agrees(&mut engine, scene, go, Severity::Tool)?;
        }
    }
    // A search that is stopped at once: strong engines answer with a move only, and programs cope with it.
    scenes.iter().try_for_each(|scene| agrees(&mut engine, scene, "go infinite", Severity::Unusual))
}

/// The last line and the move of a search agree; a search without a line has this severity.
fn agrees(engine: &mut RawConnection, scene: &TestPosition, go: &str, silence: Severity) -> Result<(), CaseError> {
    engine.send(&scene.line)?;
    engine.send(go)?;
    if go == "go infinite" {
        engine.send("stop")?;
    }
    let place = format!("{}, {go}", scene.line);
    let lines = engine.until("bestmove").after(&place)?;
    let best = legal_answer(scene, &lines)?;
    let last = last_line(&lines).after(&place).rated(silence)?;
    let first = last.line.first().map(ToString::to_string).unwrap_or_default();
    demand(first == best, || format!("bestmove {best}, but the last line began with {first}: {place}"))?;
    if let (Some(mv), Some(reply)) = (legal(&scene.board, &best), answer(&lines)?.ponder) {
        let mut after = scene.board.clone();
        after.play_unchecked(mv);
        let fits = legal(&after, &reply.to_string()).is_some();
        demand(fits, || format!("ponder {reply} is illegal after {best}: {place}"))?;
        let second = last.line.get(1).copied().unwrap_or(reply);
        demand(second == reply, || format!("ponder {reply}, but the line went on with {second}: {place}"))?;
    }
    let after = engine.sync()?;
    demand(!after.iter().any(|line| line.starts_with("info depth")), || format!("info after bestmove: {place}"))
}

pub(super) fn numbers(launch: &Launch) -> Result<(), CaseError> {
    const FULL: u32 = 1000;
    const SPEED_MAX: u64 = 1 << 40;
    const LINES_MAX: usize = 400;
    const TIME: Duration = Duration::from_millis(1500);
    let mut engine = RawConnection::ready(launch)?;
    engine.send("setoption name Hash value 1")?;
    let go = format!("go movetime {}", TIME.as_millis());
    let mut early = None;
    // A blocked ending reaches great depths at once; a middle game fills a small table.
    for fen in ["8/8/4k3/p1p1p1p1/P1P1P1P1/4K3/8/8 w - - 0 1", VARIED[1]] {
        let scene = TestPosition::fen(fen, &[])?;
        let lines = engine.play(&scene, &go)?;
        let infos = infos(&lines)?;
        demand(infos.len() <= LINES_MAX, || format!("{} lines in {} s", infos.len(), TIME.as_secs_f32()))?;
        for info in &infos {
            demand(info.hashfull.is_none_or(|full| full <= FULL), || format!("hashfull above 1000: {info}"))?;
            demand(info.speed.is_none_or(|speed| speed < SPEED_MAX), || format!("nps of {SPEED_MAX} or more: {info}"))?;
        }
        early = early.or_else(|| infos.into_iter().find(|info| info.current.is_some()));
    }
    let text = || early.as_ref().map_or_else(String::new, ToString::to_string);
    let fault = || format!("currmove within {} s: {}", TIME.as_secs_f32(), text());
    demand(early.is_none(), fault).rated(Severity::Unusual)
}
