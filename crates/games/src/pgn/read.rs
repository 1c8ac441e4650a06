//! Reading games from PGN: main lines and their comments. A game that cannot be replayed is left out and reported; the others are
//! kept.

use super::Remark;
use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use quarterply_engine::position::Game;
use quarterply_files::epd::quote;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, KnownOutcome};
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

/// The games of one file with everything that is said about them.
#[derive(Clone, Debug)]
pub struct AnnotatedGames {
    /// Those that could be replayed, in the order of the file. A game without moves is kept if it has a start of its own.
    pub games: Vec<ReadGame>,
    /// The others.
    pub skipped: Vec<GameError>,
}

/// A game with everything that is said about it.
#[derive(Clone, Debug)]
pub struct ReadGame {
    /// The line with the beginning of the game, counted from 1.
    pub line: usize,
    /// The tags in their order.
    pub tags: Vec<(String, String)>,
    /// The main line.
    pub game: Game,
    /// What is said of each move.
    pub remarks: Vec<Remark>,
    /// The result; `None` if it is open.
    pub outcome: Option<KnownOutcome>,
}

impl ReadGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What is said at the end: why the game ended, if this program wrote it.
    pub fn reason(&self) -> &str {
        self.remarks.last().map_or("", |remark| remark.text.as_str())
    }
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
    let (file, bytes) = read_bytes(path)?;
    parse_games(&file, &bytes)
}

/// Reads all games of a file with their comments and tags.
pub fn read_annotated(path: &Path) -> Result<AnnotatedGames, ReadError> {
    let (file, bytes) = read_bytes(path)?;
    parse_annotated(&file, &bytes)
}

fn read_bytes(path: &Path) -> Result<(String, Vec<u8>), ReadError> {
    let file = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok((file, bytes)),
        Err(reason) => Err(ReadError::Io { file, reason }),
    }
}

/// Reads all games from the bytes of the file named `file`.
pub fn parse_games(file: &str, bytes: &[u8]) -> Result<Games, ReadError> {
    let AnnotatedGames { games, skipped } = parse_annotated(file, bytes)?;
    let games: Vec<Game> = games.into_iter().map(|read| read.game).filter(|game| !game.moves().is_empty()).collect();
    if games.is_empty() && skipped.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    Ok(Games { games, skipped })
}

/// Reads all games with their comments and tags from the bytes of the file named `file`.
pub fn parse_annotated(file: &str, bytes: &[u8]) -> Result<AnnotatedGames, ReadError> {
    let taken = Cell::new(0);
    let mut reader = Reader::new(Counted { rest: bytes, taken: &taken });
    let mut found = AnnotatedGames { games: Vec::new(), skipped: Vec::new() };
    let mut lines = Lines { bytes, at: 0, line: 1 };
    let failed = |reason| ReadError::Io { file: file.to_owned(), reason };
    while reader.has_more().map_err(failed)? {
        let line = lines.line_of(taken.get() - reader.buffer().len());
        match reader.read_game(&mut Replay).map_err(failed)? {
            None => break,
            Some(Ok(game)) => found.games.push(ReadGame { line, ..game }),
            Some(Err(fault)) => found.skipped.push(GameError { file: file.to_owned(), line, fault }),
        }
    }
    found.games.retain(|read| !read.game.moves().is_empty() || read.tag("FEN").is_some());
    if found.games.is_empty() && found.skipped.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    Ok(found)
}

/// Counts lines; places are asked for in the order of the file.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of the first visible character from `start` on.
    fn line_of(&mut self, start: usize) -> usize {
        let blank = self.bytes[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let end = start + blank;
        self.line += self.bytes[self.at..end].iter().filter(|byte| **byte == b'\n').count();
        self.at = end;
        self.line
    }
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

/// A game while its moves are read.
struct Text {
    read: ReadGame,
    /// A comment whose end has not come yet.
    comment: Vec<u8>,
}

impl Visitor for Replay {
    type Tags = Vec<(String, String)>;
    type Movetext = Text;
    type Output = Result<ReadGame, GameFault>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        tags.push((String::from_utf8_lossy(name).into_owned(), unescape(value.as_bytes())));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Text> {
        match start(&tags) {
            Ok(game) => {
                let read = ReadGame { line: 0, tags, game, remarks: Vec::new(), outcome: None };
                ControlFlow::Continue(Text { read, comment: Vec::new() })
            }
            Err(fault) => ControlFlow::Break(Err(fault)),
        }
    }

    fn san(&mut self, text: &mut Text, san: SanPlus) -> ControlFlow<Self::Output> {
        let game = &mut text.read.game;
        match san.san.to_move(game.position().chess()) {
            Ok(mv) => {
                game.play(mv);
                text.read.remarks.push(Remark::default());
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(Err(GameFault::Move { text: san.to_string(), plies: game.moves().len() })),
        }
    }

    fn partial_comment(&mut self, text: &mut Text, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        text.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, text: &mut Text, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        text.comment.extend_from_slice(comment.as_bytes());
        // What is said before the first move is about the game.
        if let Some(remark) = text.read.remarks.last_mut() {
            remark.note(&String::from_utf8_lossy(&text.comment));
        }
        text.comment.clear();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, text: &mut Text, outcome: Outcome) -> ControlFlow<Self::Output> {
        text.read.outcome = outcome.known();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, text: Text) -> Self::Output {
        Ok(text.read)
    }
}

/// The value of a tag without the backslashes that protect quotation marks and backslashes.
fn unescape(value: &[u8]) -> String {
    let mut plain = Vec::with_capacity(value.len());
    let mut protected = false;
    for byte in value {
        if protected && !matches!(byte, b'"' | b'\\') {
            plain.push(b'\\');
        }
        protected = !protected && *byte == b'\\';
        if !protected {
            plain.push(*byte);
        }
    }
    if protected {
        plain.push(b'\\');
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Where a game with these tags starts.
fn start(tags: &[(String, String)]) -> Result<Game, GameFault> {
    let tag = |name| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let Some(text) = tag("FEN") else { return Ok(Game::new()) };
    let named = tag("Variant").is_some_and(|variant| {
        let variant = variant.to_ascii_lowercase();
        variant.contains("960") || variant.contains("fischer")
    });
    let mode = if named {
        CastlingMode::Chess960
    } else {
        text.parse::<Fen>().map_or(CastlingMode::Standard, |fen| CastlingMode::detect(fen.as_setup()))
    };
    Game::from_fen(text, mode).map_err(|error| GameFault::Fen { text: text.clone(), reason: error.reason })
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
        let header = Header {
            event: "e".into(),
            round: 1,
            date: "????.??.??".into(),
            time_control: shakmaty::ByColor { white: "-".into(), black: "-".into() },
        };
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
