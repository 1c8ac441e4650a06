//! Positions that a user gives: a FEN, or the lines of a suite.

use std::path::{Path, PathBuf};

use miette::miette;
use quarterply_engine::position::{DroppedRights, Game};
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_files::bench;
use quarterply_files::epd::{self, Record, Suite};

use crate::failure::Failure;

/// Letters of castling rights that do not name the file of the rook, so that a standard position could be meant.
const LETTERS_OF_BOTH: [char; 4] = ['K', 'Q', 'k', 'q'];

/// The position of a FEN. Impossible castling rights are dropped, with a warning.
///
/// # Errors
/// The FEN is not a legal position.
pub fn read_fen(fen: &str) -> Result<Game, Failure> {
    let read = Game::from_fen_lossy(fen, None);
    let (game, dropped) = read.map_err(|error| {
        Failure::Input(miette!(
            "cannot read the position: {error}; give a complete one such as `{}`",
            Game::new().fen()
        ))
    })?;
    warn_of_castling(fen, game.castling_mode(), dropped.as_ref());
    Ok(game)
}

/// Warns of castling rights that were dropped, or that make a position one of Chess960 though they could be a mistake.
pub fn warn_of_castling(fen: &str, mode: CastlingMode, dropped: Option<&DroppedRights>) {
    if let Some(dropped) = dropped {
        say!("warning: {dropped}");
    }
    let rights = fen.split_whitespace().nth(2).unwrap_or_default();
    if mode == CastlingMode::Chess960 && rights.contains(LETTERS_OF_BOTH) {
        say!("warning: `{fen}` is read as Chess960: castling rights `{rights}` are impossible in standard chess");
    }
}

/// The suite of a file, with warnings of lines that are left out or corrected.
///
/// # Errors
/// The file cannot be read, or none of its lines.
pub fn read_suite(path: &Path) -> Result<Suite, Failure> {
    let suite = epd::read_suite(path).map_err(Failure::input)?;
    for error in &suite.skipped {
        say!("warning: {error}");
    }
    warn_of_suite(path, &suite);
    Ok(suite)
}

/// The positions of suites, or those of the bench if there are none, and how many lines were left out.
pub fn read_suites(paths: &[PathBuf]) -> Result<(Vec<Record>, usize), Failure> {
    let (mut records, mut skipped) = (Vec::new(), 0);
    for path in paths {
        let suite = read_suite(path)?;
        if suite.records.is_empty() {
            refuse!(
                "cannot read positions from `{}`: it has none; give a file with one EPD or FEN a line",
                path.display()
            );
        }
        skipped += suite.skipped.len();
        records.extend(suite.records);
    }
    Ok((if paths.is_empty() { bench::positions() } else { records }, skipped))
}

/// Warns of lines that are corrected or read as Chess960.
pub fn warn_of_suite(path: &Path, suite: &Suite) {
    let file = path.display();
    for (line, dropped) in suite.corrected() {
        say!("warning: {file}:{line}: {dropped}");
    }
    if let Some(first) = suite.chess960().next() {
        let count = suite.chess960().count();
        say!(
            "warning: {file}:{first}: read as Chess960 ({count} of {} positions): the castling rights are impossible in \
             standard chess",
            suite.records.len()
        );
    }
}
