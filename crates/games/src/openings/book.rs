//! Books of openings: positions in EPD or games in PGN.

use super::Options;
use crate::game::ended;
use crate::pgn::{self, ReadGame};
use quarterply_engine::position::{DroppedRights, Game};
use quarterply_files::epd::parse_line;
use shakmaty::CastlingMode;
use std::io;
use std::ops::Range;
use thiserror::Error;

/// An opening that was left out or corrected, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {reason}")]
pub struct BadOpening {
    /// The book.
    pub file: String,
    /// The line, counted from 1; of a game, the line it begins on.
    pub line: usize,
    /// The fault and its remedy.
    pub reason: String,
}

/// Reason why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// It cannot be opened or read: the file and the error of the operating system.
    #[error("cannot read {0}: {1}; check the path and the permissions, or name another book")]
    Io(String, io::Error),
    /// A file without openings.
    #[error("cannot use {0}: it contains no opening; give positions in EPD or FEN, one on each line, or games in PGN")]
    Empty(String),
    /// There are openings, but none can be used: the first of them and how many there are.
    #[error("cannot use any of the {1} openings: the first error is {0}")]
    NoGoodOpening(BadOpening, usize),
    /// Positions cannot be cut: the file and the requested number of plies.
    #[error(
        "cannot use --opening-plies {1} with {0}: its openings are positions, which have no moves to leave out; remove it, or give games in \
         PGN"
    )]
    NoPlies(String, usize),
    /// All openings are skipped: the file, how many openings it has, and how many are to be skipped.
    #[error("cannot skip {2} openings of {0}: it has {1}; give a smaller --opening-start or a larger book")]
    AllSkipped(String, usize, usize),
}

/// Warnings about the openings of a book, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookWarnings {
    /// Openings that cannot be used and are left out.
    pub skipped: Vec<BadOpening>,
    /// Openings that are used without castling rights that their positions cannot have.
    pub corrected: Vec<BadOpening>,
}

/// The openings of a file, in its order.
pub enum Book {
    /// Positions. Large books have millions of lines: they are checked at first, and each is read again when it is used.
    Positions {
        /// The text of the file.
        text: String,
        /// The places of the usable lines.
        lines: Vec<Range<usize>>,
        /// Castle as in Chess960.
        chess960: bool,
    },
    /// Games, cut after the last move of the opening.
    Games(Vec<Game>),
}

impl Book {
    /// Reads a book: PGN if its name or its first character says so, EPD otherwise.
    pub fn parse(file: &str, bytes: Vec<u8>, options: &Options) -> Result<(Book, BookWarnings), BookError> {
        let first = bytes.iter().find(|byte| byte.is_ascii_graphic());
        let is_pgn = file.to_ascii_lowercase().ends_with(".pgn") || first == Some(&b'[');
        if let (false, Some(plies)) = (is_pgn, options.plies) {
            return Err(BookError::NoPlies(file.to_owned(), plies));
        }
        let (book, remarks) =
            if is_pgn { games(file, &bytes, options)? } else { positions(file, decode(bytes), options.chess960) };
        if book.len() > 0 {
            return Ok((book, remarks));
        }
        let count = remarks.skipped.len();
        Err(match remarks.skipped.into_iter().next() {
            Some(first) => BookError::NoGoodOpening(first, count),
            None => BookError::Empty(file.to_owned()),
        })
    }

    /// How many openings there are.
    pub fn len(&self) -> usize {
        match self {
            Book::Positions { lines, .. } => lines.len(),
            Book::Games(games) => games.len(),
        }
    }

    /// The opening with this number; `None` beyond the last.
    pub fn game(&self, index: usize) -> Option<Game> {
        match self {
            Book::Positions { text, lines, chess960 } => {
                position(&text[lines.get(index)?.clone()], *chess960).ok().map(|(game, _)| game)
            }
            Book::Games(games) => games.get(index).cloned(),
        }
    }
}

/// Decodes the bytes as text. Characters of other encodings occur only in comments, which are not used.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn positions(file: &str, text: String, chess960: bool) -> (Book, BookWarnings) {
    let (mut lines, mut remarks) = (Vec::new(), BookWarnings::default());
    let mut start = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let range = start..start + whole.len();
        start = range.end;
        let line = bare(whole);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |reason| BadOpening { file: file.to_owned(), line: index + 1, reason };
        match position(line, chess960) {
            Ok((_, dropped)) => {
                lines.push(range);
                remarks.corrected.extend(dropped.map(|dropped| bad(dropped.to_string())));
            }
            Err(reason) => remarks.skipped.push(bad(reason)),
        }
    }
    (Book::Positions { text, lines, chess960 }, remarks)
}

/// The line without blanks and marks around it.
fn bare(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

fn position(line: &str, chess960: bool) -> Result<(Game, Option<DroppedRights>), String> {
    let record = parse_line(bare(line), 0).map_err(|fault| fault.to_string())?;
    let game = if chess960 {
        Game::from_fen(&record.fen(), CastlingMode::Chess960).map_err(|error| error.to_string())?
    } else {
        Game::from_chess(record.position, record.mode)
    };
    Ok((playable(game)?, record.dropped))
}

fn games(file: &str, bytes: &[u8], options: &Options) -> Result<(Book, BookWarnings), BookError> {
    let found = pgn::parse_annotated(file, bytes).map_err(|error| match error {
        pgn::ReadError::Io(file, reason) => BookError::Io(file, reason),
        pgn::ReadError::Binary(file) | pgn::ReadError::Empty(file) => BookError::Empty(file),
    })?;
    let bad = |line, reason| BadOpening { file: file.to_owned(), line, reason };
    let mut skipped: Vec<BadOpening> = found.skipped.iter().map(|error| bad(error.line, error.reason())).collect();
    let mut games = Vec::new();
    for game in found.games {
        let line = game.line;
        match opening(game, options) {
            Ok(game) => games.push(game),
            Err(reason) => skipped.push(bad(line, reason)),
        }
    }
    skipped.sort_by_key(|bad| bad.line);
    let corrected =
        found.corrected.iter().map(|correction| bad(correction.line, correction.dropped.to_string())).collect();
    Ok((Book::Games(games), BookWarnings { skipped, corrected }))
}

/// The beginning of a game.
fn opening(read: ReadGame, options: &Options) -> Result<Game, String> {
    let whole = read.game;
    let mode = if options.chess960 { CastlingMode::Chess960 } else { whole.castling_mode() };
    let mut game = Game::from_fen(&whole.start_fen(), mode).map_err(|error| error.to_string())?;
    whole.moves().iter().take(options.plies.unwrap_or(usize::MAX)).for_each(|mv| game.play(*mv));
    playable(game)
}

/// The game, if there is something to play.
fn playable(game: Game) -> Result<Game, String> {
    match ended(&game) {
        None => Ok(game),
        Some(verdict) => Err(format!("the game is over here ({}); delete this opening", verdict.ending)),
    }
}
