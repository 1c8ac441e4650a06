//! Reading games from PGN: main lines only. A game that cannot be replayed is left out and reported; the others are kept.

use crate::epd::quote;
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use quarterply_engine::position::Game;
use shakmaty::CastlingMode;
use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use thiserror::Error;

/// The games of one file.
#[derive(Clone, Debug)]
pub struct Games {
    /// Those that could be replayed, in the order of the file.
    pub games: Vec<Game>,
    /// The others.
    pub skipped: Vec<GameError>,
}

/// A game that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameError {
    /// The file.
    pub file: String,
    /// The line with the beginning of the game, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: GameFault,
}

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameFault {
    /// Its start cannot be set up.
    #[error("the FEN `{}` of this game cannot be used ({reason}); correct it or delete the game", quote(.text))]
    Fen {
        /// The FEN.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A move cannot be played.
    #[error("`{}` cannot be played after {plies} half moves of this game; correct it or delete the game", quote(.text))]
    Move {
        /// The move.
        text: String,
        /// Half moves before it.
        plies: usize,
    },
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.fault)
    }
}

/// Why a whole file is of no use.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It cannot be opened or read.
    #[error("{file}: cannot be read ({reason}); check the path and the permissions")]
    Io {
        /// The file.
        file: String,
        /// What the operating system says.
        reason: io::Error,
    },
    /// No moves in it.
    #[error("{file}: no game with moves in it; give a file of games in PGN")]
    Empty {
        /// The file.
        file: String,
    },
}

/// Reads all games of a file.
pub fn read_games(path: &Path) -> Result<Games, ReadError> {
    let file = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => parse_games(&file, &bytes),
        Err(reason) => Err(ReadError::Io { file, reason }),
    }
}

/// Reads all games from the bytes of the file named `file`.
pub fn parse_games(file: &str, bytes: &[u8]) -> Result<Games, ReadError> {
    let taken = Cell::new(0);
    let mut reader = Reader::new(Counted { rest: bytes, taken: &taken });
    let mut found = Games { games: Vec::new(), skipped: Vec::new() };
    let failed = |reason| ReadError::Io { file: file.to_owned(), reason };
    while reader.has_more().map_err(failed)? {
        let start = taken.get() - reader.buffer().len();
        match reader.read_game(&mut Replay).map_err(failed)? {
            None => break,
            Some(Ok(game)) => found.games.push(game),
            Some(Err(fault)) => {
                found.skipped.push(GameError { file: file.to_owned(), line: line_of(bytes, start), fault });
            }
        }
    }
    found.games.retain(|game| !game.moves().is_empty());
    if found.games.is_empty() && found.skipped.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    Ok(found)
}

/// The line of the first visible character from `start` on.
fn line_of(bytes: &[u8], start: usize) -> usize {
    let blank = bytes[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    1 + bytes[..start + blank].iter().filter(|byte| **byte == b'\n').count()
}

/// Counts what the reader has taken, which tells where in the file it stands.
struct Counted<'a> {
    rest: &'a [u8],
    taken: &'a Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(buffer)?;
        self.taken.set(self.taken.get() + count);
        Ok(count)
    }
}

/// Replays the main line of a game.
struct Replay;

/// The tags that matter.
#[derive(Default)]
struct Tags {
    fen: Option<String>,
    chess960: bool,
}

impl Visitor for Replay {
    type Tags = Tags;
    type Movetext = Game;
    type Output = Result<Game, GameFault>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        match name {
            b"FEN" => tags.fen = Some(value.into_owned()),
            b"Variant" => tags.chess960 = value.to_ascii_lowercase().contains("960"),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Game> {
        let Some(text) = tags.fen else { return ControlFlow::Continue(Game::new()) };
        let mode = if tags.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        match Game::from_fen(&text, mode) {
            Ok(game) => ControlFlow::Continue(game),
            Err(error) => ControlFlow::Break(Err(GameFault::Fen { text, reason: error.reason })),
        }
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        match san.san.to_move(game.position().chess()) {
            Ok(mv) => {
                game.play(mv);
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(Err(GameFault::Move { text: san.to_string(), plies: game.moves().len() })),
        }
    }

    fn end_game(&mut self, game: Game) -> Self::Output {
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[Event \"one\"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 *\n\n\
        [Event \"two\"]\n\n1. e4 e5 2. Ke3 *\n\n\
        [Event \"three\"]\n[FEN \"4k3/8/8/8/8/8/4P3 w - - 0 1\"]\n\n1. e4 *\n\n\
        [Event \"four\"]\r\n[SetUp \"1\"]\r\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\r\n\r\n1. e4 Kd7 1-0\r\n\n\
        [Event \"no moves\"]\n\n*\n";

    #[test]
    fn good_games_are_kept_and_bad_ones_are_named_with_their_line() {
        let found = parse_games("x.pgn", TEXT.as_bytes()).expect("games");
        let plies = found.games.iter().map(|game| game.moves().len()).collect::<Vec<_>>();
        assert_eq!(plies, [3, 2]);
        assert!(found.games[1].fen().starts_with("8/3k4/8/8/4P3/"), "{}", found.games[1].fen());
        let messages = found.skipped.iter().map(GameError::to_string).collect::<Vec<_>>();
        assert!(messages[0].starts_with("x.pgn:5: `Ke3` cannot be played after 2 half moves"), "{messages:?}");
        assert!(messages[1].starts_with("x.pgn:9: the FEN `4k3/8/8/8/8/8/4P3 w - - 0 1`"), "{messages:?}");
        assert_eq!(messages.len(), 2);
    }

    #[test]
    fn what_is_written_is_read_back() {
        use crate::game::{Ending, Record, Verdict};
        use crate::pgn::{Header, write};
        let mut opening = Game::new();
        for text in ["e2e4", "d7d5", "e4d5", "g8f6", "f1b5", "c8d7", "g1f3", "d8c8", "e1g1"] {
            opening.play_uci(text).expect(text);
        }
        let verdict = Verdict { winner: None, ending: Ending::TooLong };
        let record = Record { names: Default::default(), opening: opening.clone(), played: Vec::new(), verdict };
        let header = Header { event: "e".into(), round: 1, date: "????.??.??".into(), time_control: "-".into() };
        let found = parse_games("x.pgn", write(&record, &header).as_bytes()).expect("a game");
        assert_eq!(found.games[0].moves(), opening.moves());
    }

    #[test]
    fn files_without_games_say_so() {
        for bytes in [&b""[..], b"\n\n", b"[Event \"only tags\"]\n\n*\n", b"\x7fELF\x00\x01\x02"] {
            let message = parse_games("x.pgn", bytes).expect_err("no games").to_string();
            assert!(message.starts_with("x.pgn: no game with moves in it"), "{message}");
        }
        let message = read_games(Path::new("/no/such.pgn")).expect_err("no file").to_string();
        assert!(message.starts_with("/no/such.pgn: cannot be read"), "{message}");
    }
}
