//! Reading games from PGN: main lines and their comments. A game that cannot be replayed is left out and reported; the others are
//! kept. Every move is either played or belongs to a game that is reported.

use super::lexer::{Lexer, Number, Token, TokenKind};
use super::{Correction, GameError, GameFault, MoveComment, ReadError};
use quarterply_engine::notation::read_move;
use quarterply_engine::position::Game;
use quarterply_engine::variant::Variant;
use shakmaty::KnownOutcome;
use std::path::Path;

/// The games of one file with their comments and tags.
#[derive(Clone, Debug, Default)]
pub struct AnnotatedGames {
    /// The games that could be replayed, in the order of the file. A game without moves is kept if it has a `FEN` tag.
    pub games: Vec<ReadGame>,
    /// The others.
    pub skipped: Vec<GameError>,
    /// Those of `games` that begin without castling rights of their FEN.
    pub corrected: Vec<Correction>,
}

/// A game with its comments and tags.
#[derive(Clone, Debug)]
pub struct ReadGame {
    /// The line with the beginning of the game, counted from 1.
    pub line: usize,
    /// The tags in their order.
    pub tags: Vec<(String, String)>,
    /// The main line.
    pub game: Game,
    /// The comment of each move.
    pub remarks: Vec<MoveComment>,
    /// The result; `None` if it is open.
    pub outcome: Option<KnownOutcome>,
}

impl ReadGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The text of the last comment: the reason for the end of the game, if this program wrote it.
    pub fn reason(&self) -> &str {
        self.remarks.last().map_or("", |remark| remark.text.as_str())
    }
}

/// Reads all games of a file with their comments and tags.
///
/// # Errors
/// The file cannot be read, or holds no game.
pub fn read_annotated(path: &Path) -> Result<AnnotatedGames, ReadError> {
    let file = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => parse_annotated(&file, &bytes),
        Err(reason) => Err(ReadError::Io(file, reason)),
    }
}

/// Reads all games with their comments and tags from the bytes of the file named `file`.
///
/// # Errors
/// The file holds no game.
pub fn parse_annotated(file: &str, bytes: &[u8]) -> Result<AnnotatedGames, ReadError> {
    let mut reader = Reader { file, found: AnnotatedGames::default(), draft: Draft::default() };
    Lexer::new(bytes).for_each(|token| reader.take(token));
    reader.end_game();
    let found = reader.found;
    match (found.games.is_empty(), found.skipped.is_empty()) {
        (true, _) if bytes.contains(&0) => Err(ReadError::Binary(file.to_owned())),
        (true, true) => Err(ReadError::Empty(file.to_owned())),
        _ => Ok(found),
    }
}

/// Puts tokens together to games.
struct Reader<'a> {
    file: &'a str,
    found: AnnotatedGames,
    draft: Draft,
}

/// The game that is read.
#[derive(Default)]
struct Draft {
    /// The line of its first token.
    begin: Option<usize>,
    tags: Vec<(String, String)>,
    /// The lines of the tags.
    tag_lines: Vec<usize>,
    body: Body,
    /// The lines of the parentheses that are open.
    variations: Vec<usize>,
}

/// The movetext of a game: its moves, or its first fault.
#[derive(Default)]
enum Body {
    /// Nothing yet.
    #[default]
    Missing,
    /// Moves that could be played.
    Moves(Box<Moves>),
    /// Moves behind a fault.
    Failed(GameError),
}

struct Moves {
    game: Game,
    remarks: Vec<MoveComment>,
    correction: Option<Correction>,
}

impl Draft {
    /// Half moves up to here, legal or not.
    fn plies(&self) -> usize {
        match &self.body {
            Body::Missing => 0,
            Body::Moves(moves) => moves.game.moves().len(),
            Body::Failed(error) => error.plies + error.unread,
        }
    }

    fn tag(&self, name: &str) -> Option<(&str, usize)> {
        let place = self.tags.iter().position(|(known, _)| known == name)?;
        Some((&self.tags[place].1, self.tag_lines[place]))
    }
}

impl Reader<'_> {
    fn take(&mut self, token: Token<'_>) {
        let Token { line, kind } = token;
        if self.begins_game(&kind) {
            self.end_game();
        }
        let begin = *self.draft.begin.get_or_insert(line);
        if let TokenKind::Tag { name, value } = kind {
            self.draft.tags.push((name, value));
            self.draft.tag_lines.push(line);
            return;
        }
        self.start(begin);
        match kind {
            TokenKind::OpenVariation => self.draft.variations.push(line),
            TokenKind::CloseVariation if !self.draft.variations.is_empty() => drop(self.draft.variations.pop()),
            TokenKind::OpenComment => {
                self.fail(line, GameFault::OpenComment);
                self.end_game();
            }
            _ if !self.draft.variations.is_empty() => {}
            TokenKind::CloseVariation => self.word(line, ")"),
            TokenKind::Word(text) => self.word(line, &text),
            TokenKind::Comment(text) => self.comment(&text),
            TokenKind::Result(outcome) => self.end(outcome.known()),
            TokenKind::Tag { .. } | TokenKind::Annotation | TokenKind::Number(_) => {}
        }
    }

    /// Is this the first token of another game? Games can follow each other without results: then they begin with a tag, or with the
    /// first move number on a new line.
    fn begins_game(&self, kind: &TokenKind<'_>) -> bool {
        match kind {
            TokenKind::Tag { name, .. } => {
                let again = self.draft.tags.first().is_some_and(|(first, _)| first == name);
                again || !matches!(self.draft.body, Body::Missing)
            }
            TokenKind::Number(Number { value: Some(1), dots: 0 | 1, begins_line: true }) => {
                self.draft.variations.is_empty() && self.draft.plies() > 0
            }
            _ => false,
        }
    }

    /// Sets up the start of the game, if that is not done.
    fn start(&mut self, begin: usize) {
        if matches!(self.draft.body, Body::Missing) {
            self.draft.body = self.body(begin);
        }
    }

    /// The game before its first move.
    fn body(&self, begin: usize) -> Body {
        let error = |line, fault| GameError { file: self.file.to_owned(), line, begin, fault, plies: 0, unread: 0 };
        let (variant, variant_line) = self.draft.tag("Variant").unwrap_or_default();
        let mode = match Variant::from_tag(variant) {
            Some(variant) => variant.castling_mode(),
            None => return Body::Failed(error(variant_line, GameFault::Variant(variant.to_owned()))),
        };
        let Some((text, line)) = self.draft.tag("FEN") else {
            return Body::Moves(Box::new(Moves { game: Game::new(), remarks: Vec::new(), correction: None }));
        };
        match Game::from_fen_lossy(text, mode) {
            Ok((game, dropped)) => {
                let correction = dropped.map(|dropped| Correction { file: self.file.to_owned(), line, dropped });
                Body::Moves(Box::new(Moves { game, remarks: Vec::new(), correction }))
            }
            Err(reason) => Body::Failed(error(line, GameFault::Fen { text: text.to_owned(), reason: reason.reason })),
        }
    }

    /// Plays a move of the main line, or notes that it cannot be played.
    fn word(&mut self, line: usize, text: &str) {
        match &mut self.draft.body {
            Body::Moves(moves) => match read_move(moves.game.position().chess(), text) {
                Ok(mv) => {
                    moves.game.play(mv);
                    moves.remarks.push(MoveComment::default());
                }
                Err(reason) => self.fail(line, GameFault::Move { text: text.to_owned(), reason }),
            },
            Body::Failed(error) => error.unread += 1,
            Body::Missing => {}
        }
    }

    /// Notes the first fault of the game.
    fn fail(&mut self, line: usize, fault: GameFault) {
        if matches!(self.draft.body, Body::Failed(_)) {
            return;
        }
        let (file, begin) = (self.file.to_owned(), self.draft.begin.unwrap_or(line));
        let plies = self.draft.plies();
        self.draft.body = Body::Failed(GameError { file, line, begin, fault, plies, unread: 0 });
    }

    fn comment(&mut self, text: &str) {
        // A comment before the first move is about the game.
        if let Body::Moves(moves) = &mut self.draft.body
            && let Some(remark) = moves.remarks.last_mut()
        {
            remark.note(text);
        }
    }

    fn end_game(&mut self) {
        self.end(None);
    }

    /// Keeps the game or the error, and begins another.
    fn end(&mut self, outcome: Option<KnownOutcome>) {
        let Some(begin) = self.draft.begin else { return };
        // A game without moves can have a start position.
        self.start(begin);
        if let Some(line) = self.draft.variations.first() {
            self.fail(*line, GameFault::OpenVariation);
        }
        let Draft { tags, body, .. } = std::mem::take(&mut self.draft);
        match body {
            Body::Failed(error) => self.found.skipped.push(error),
            Body::Moves(moves) => {
                let Moves { game, remarks, correction } = *moves;
                let read = ReadGame { line: begin, tags, game, remarks, outcome };
                if !read.game.moves().is_empty() || read.tag("FEN").is_some() {
                    self.found.games.push(read);
                    self.found.corrected.extend(correction);
                }
            }
            Body::Missing => {}
        }
    }
}
