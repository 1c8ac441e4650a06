//! Parses the answers of an engine.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, FromSetup, Position};

use super::connection::first_word;
use super::{CaseError, CaseResult, RawConnection, Severity, demand};
use crate::info::{BestMove, Info, OptionKind};
use crate::launch::Launch;

/// A test position: the `position` command sent to the engine, and the same game on our side.
#[derive(Clone)]
pub struct TestPosition {
    /// The `position` command.
    pub line: String,
    /// The position after it.
    pub board: Chess,
}

impl TestPosition {
    /// The initial position and some moves.
    pub fn start(moves: &[&str]) -> Result<TestPosition, CaseError> {
        TestPosition::after("startpos", Chess::default(), moves)
    }

    /// A FEN and some moves.
    pub fn fen(fen: &str, moves: &[&str]) -> Result<TestPosition, CaseError> {
        TestPosition::fen_in(fen, CastlingMode::Standard, moves)
    }

    /// A FEN of either castling mode and some moves.
    pub fn fen_in(fen: &str, mode: CastlingMode, moves: &[&str]) -> Result<TestPosition, CaseError> {
        let setup: Fen = fen.parse().map_err(|_| CaseError::fault(format!("a FEN of the checker is bad: {fen}")))?;
        let board = Chess::from_setup(setup.into_setup(), mode)
            .map_err(|error| CaseError::fault(format!("a position of the checker is bad: {fen}: {error}")))?;
        TestPosition::after(&format!("fen {fen}"), board, moves)
    }

    fn after(origin: &str, mut board: Chess, moves: &[&str]) -> Result<TestPosition, CaseError> {
        for text in moves {
            let mv =
                legal(&board, text).ok_or_else(|| CaseError::fault(format!("a move of the checker is bad: {text}")))?;
            board.play_unchecked(mv);
        }
        let line = match moves {
            [] => format!("position {origin}"),
            _ => format!("position {origin} moves {}", moves.join(" ")),
        };
        Ok(TestPosition { line, board })
    }
}

/// The move, if it can be played.
pub fn legal(board: &Chess, text: &str) -> Option<shakmaty::Move> {
    text.parse::<UciMove>().ok().and_then(|uci| uci.to_move(board).ok())
}

/// The engine's last `bestmove`.
pub fn answer(lines: &[String]) -> Result<BestMove, CaseError> {
    let line = lines.iter().rfind(|line| first_word(line) == "bestmove").map_or("", String::as_str);
    line.parse().map_err(|error| CaseError::fault(format!("{error}"))).rated(Severity::Game)
}

/// The lines that are `info` and not remarks, read.
pub fn infos(lines: &[String]) -> Result<Vec<Info>, CaseError> {
    let info = lines.iter().filter(|line| first_word(line) == "info" && !line.contains(" string "));
    info.map(|line| line.trim().parse().map_err(|error| CaseError::fault(format!("{error}")))).collect()
}

/// The last line of the first rank that has a score and moves.
pub fn last_line(lines: &[String]) -> Result<Info, CaseError> {
    let is_first_line =
        |info: &Info| info.value.is_some() && !info.line.is_empty() && info.number.is_none_or(|rank| rank == 1);
    infos(lines)?
        .into_iter()
        .rfind(is_first_line)
        .ok_or_else(|| CaseError::fault("no info with a score and a line came before bestmove"))
}

/// The engine's move must be legal in the scene; returns it.
pub fn legal_answer(scene: &TestPosition, lines: &[String]) -> Result<String, CaseError> {
    let text = answer(lines)?.best.map_or("(none)".to_owned(), |mv| mv.to_string());
    let is_legal = legal(&scene.board, &text).is_some();
    demand(is_legal, || format!("bestmove {text} is illegal after `{}`", scene.line)).rated(Severity::Game)?;
    Ok(text)
}

impl RawConnection {
    /// Sets a position up and searches; the answer must be legal.
    pub fn play(&mut self, scene: &TestPosition, go: &str) -> Result<Vec<String>, CaseError> {
        self.send(&scene.line)?;
        let lines = self.go(go)?;
        legal_answer(scene, &lines).after(go)?;
        Ok(lines)
    }
}

/// The engine, ready, with the `option` lines it sent.
pub fn declared(launch: &Launch) -> Result<(RawConnection, Vec<String>), CaseError> {
    let engine = RawConnection::ready(launch)?;
    let options = engine.seen.iter().filter(|line| first_word(line) == "option").cloned().collect();
    Ok((engine, options))
}

/// The kind of an option, whatever the case of its name.
pub fn kind_of(options: &[String], name: &str) -> Option<OptionKind> {
    let declarations = options.iter().filter_map(|line| line.trim().parse::<crate::info::Declaration>().ok());
    declarations.filter(|option| option.name.eq_ignore_ascii_case(name)).map(|option| option.kind).next()
}
