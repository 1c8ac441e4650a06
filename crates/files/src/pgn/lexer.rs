//! The tokens of PGN text. Every byte that is not a blank belongs to a token. Unknown text is a token, too.

use quarterply_engine::notation::is_annotation;
use shakmaty::{Color, KnownOutcome, Outcome};
use std::borrow::Cow;

/// The mark at the beginning of some UTF-8 files.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// A blank that does not break lines, as web pages have it.
const NO_BREAK_SPACE: &[u8] = b"\xc2\xa0";
/// Three dots in one character.
const ELLIPSIS: &[u8] = "…".as_bytes();
/// The mark that ends texts of old systems.
const END_OF_TEXT: u8 = 0x1a;
/// The tag that every game has first.
const FIRST_TAG: &[u8] = b"Event";

/// A token and the line it begins on, counted from 1.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub line: usize,
    pub kind: TokenKind<'a>,
}

#[derive(Debug)]
pub(super) enum TokenKind<'a> {
    /// `[Name "value"]`, the value without the backslashes of protected characters.
    Tag { name: String, value: String },
    /// The text between braces.
    Comment(Cow<'a, str>),
    /// A brace that is never closed. Lexing continues at the next tag.
    OpenComment,
    /// An opening parenthesis.
    OpenVariation,
    /// A closing parenthesis.
    CloseVariation,
    /// `$1`, `!?` or another remark on a move.
    Annotation,
    /// A move number with its dots, or dots alone.
    Number(Number),
    /// The result, which ends a game.
    Result(Outcome),
    /// A move, or another word where a move is expected.
    Word(Cow<'a, str>),
}

/// A move number with its dots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// `None` without digits, or with too many.
    pub value: Option<u32>,
    pub dots: usize,
    /// True if it is the first token of its line.
    pub begins_line: bool,
}

pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// True if only blanks precede it on the line.
    begins_line: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(bytes: &'a [u8]) -> Lexer<'a> {
        Lexer { bytes, at: 0, line: 1, begins_line: true }
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Skips `count` bytes and counts their lines.
    fn pass(&mut self, count: usize) {
        let end = self.at + count;
        // A line ends with `\n`, `\r\n`, or `\r` alone.
        let ends = |at: &usize| match self.bytes[*at] {
            b'\n' => true,
            b'\r' => self.bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        self.line += (self.at..end).filter(ends).count();
        self.at = end;
    }

    /// Passes blanks, comments to the end of the line, and lines with a per cent sign at their beginning.
    fn pass_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let Some(&first) = rest.first() else { return };
            let count = match first {
                b'\n' | b'\r' => {
                    self.begins_line = true;
                    1
                }
                b' ' | b'\t' | b'\x0b' | b'\x0c' | END_OF_TEXT => 1,
                b';' => line_length(rest),
                b'%' if self.begins_line => line_length(rest),
                _ if rest.starts_with(NO_BREAK_SPACE) => NO_BREAK_SPACE.len(),
                _ if rest.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
                _ => return,
            };
            self.pass(count);
        }
    }

    /// The tag that begins here, and its length.
    fn tag(&self) -> Option<(TokenKind<'a>, usize)> {
        let rest = self.rest();
        let line = &rest[..line_length(rest)];
        let (name, quote) = tag_name(line)?;
        let (value, length) = strict_value(&line[quote..]).unwrap_or_else(|| lenient_value(&line[quote..]));
        Some((TokenKind::Tag { name: decode(name).into_owned(), value }, quote + length))
    }

    /// The comment that begins here, and its length.
    fn comment(&self) -> (TokenKind<'a>, usize) {
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'}');
        let text = &rest[..end.unwrap_or(rest.len())];
        match (next_game(text), end) {
            (Some(length), _) => (TokenKind::OpenComment, length),
            (None, Some(end)) => (TokenKind::Comment(decode(&text[1..])), end + 1),
            (None, None) => (TokenKind::OpenComment, text.len()),
        }
    }

    /// The word, number or result that begins here, and its length.
    fn word(&self, begins_line: bool) -> (TokenKind<'a>, usize) {
        let bytes = &self.rest()[..word_length(self.rest())];
        let text = decode(bytes);
        if let Some(outcome) = outcome(&text) {
            return (TokenKind::Result(outcome), bytes.len());
        }
        if is_annotation(&text) {
            return (TokenKind::Annotation, bytes.len());
        }
        if let Some((value, dots, length)) = number(bytes) {
            return (TokenKind::Number(Number { value, dots, begins_line }), length);
        }
        (TokenKind::Word(text), bytes.len())
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.pass_blanks();
        let rest = self.rest();
        let (&first, line) = (rest.first()?, self.line);
        let begins_line = std::mem::take(&mut self.begins_line);
        let tag = if begins_line && first == b'[' { self.tag() } else { None };
        let (kind, length) = match (tag, first) {
            (Some(tag), _) => tag,
            (None, b'{') => self.comment(),
            (None, b'(') => (TokenKind::OpenVariation, 1),
            (None, b')') => (TokenKind::CloseVariation, 1),
            (None, b'}') => (TokenKind::Word(decode(&rest[..1])), 1),
            (None, b'*') => (TokenKind::Result(Outcome::Unknown), 1),
            (None, b'$') => (TokenKind::Annotation, 1 + digits(&rest[1..])),
            (None, _) => self.word(begins_line),
        };
        self.pass(length);
        // Behind a tag another can follow on the same line, and behind a lost comment is one.
        self.begins_line = matches!(kind, TokenKind::Tag { .. } | TokenKind::OpenComment);
        Some(Token { line, kind })
    }
}

/// The text: UTF-8, or else Latin-1.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// The bytes before the end of the line.
fn line_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len())
}

/// How many digits the bytes begin with.
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The name in `[Name "`, and where the quotation mark is.
fn tag_name(line: &[u8]) -> Option<(&[u8], usize)> {
    let inner = line.strip_prefix(b"[")?;
    let blanks = inner.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let name = &inner[blanks..];
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let quote = name[length..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let starts = name.first()?.is_ascii_alphabetic() && name[length + quote] == b'"';
    starts.then_some((&name[..length], 1 + blanks + length + quote))
}

/// The value of a well-formed tag from its quotation mark on, and its length to the bracket: `"value"]`.
fn strict_value(text: &[u8]) -> Option<(String, usize)> {
    let mut value = Vec::new();
    let mut at = 1;
    loop {
        match (*text.get(at)?, text.get(at + 1)) {
            (b'"', _) => break,
            (b'\\', Some(&protected @ (b'"' | b'\\'))) => {
                value.push(protected);
                at += 1;
            }
            (byte, _) => value.push(byte),
        }
        at += 1;
    }
    let behind = &text[at + 1..];
    let blanks = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (behind.get(blanks) == Some(&b']')).then(|| (decode(&value).into_owned(), at + 1 + blanks + 1))
}

/// The value of a tag with quotation marks inside, or without its end: everything up to the last of `"]`, or to the end of the line.
fn lenient_value(text: &[u8]) -> (String, usize) {
    let inner = text[1..].trim_ascii();
    let inner = inner.strip_suffix(b"]").unwrap_or(inner).trim_ascii_end();
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    (decode(inner).into_owned(), text.len())
}

/// Where the next game begins inside the text of a comment, which is then not closed: at a tag behind a blank line, or at the first
/// tag of a game.
fn next_game(text: &[u8]) -> Option<usize> {
    let mut blank = false;
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some((name, _)) = tag_name(&line[indent..])
            && at > 0
            && (blank || name == FIRST_TAG)
        {
            return Some(at + indent);
        }
        blank = indent == line.len();
        at += line.len();
    }
    None
}

/// The bytes before the next blank or the next sign of PGN. A promotion in parentheses is a part of its move.
fn word_length(bytes: &[u8]) -> usize {
    let ends = |at: &usize| {
        let rest = &bytes[*at..];
        let piece_in_parentheses = matches!(rest, [b'(', b'Q' | b'R' | b'B' | b'N', b')', ..])
            && bytes[..*at].ends_with(b"1") | bytes[..*at].ends_with(b"8");
        match rest[0] {
            b'(' => !piece_in_parentheses,
            b')' => !(*at >= 2 && bytes[at - 2] == b'('),
            b'{' | b'}' | b';' | b'$' | b'*' | END_OF_TEXT => true,
            byte => byte.is_ascii_whitespace() || byte == b'\x0b' || rest.starts_with(NO_BREAK_SPACE),
        }
    };
    (0..bytes.len()).find(ends).unwrap_or(bytes.len())
}

/// The result that a word is.
fn outcome(word: &str) -> Option<Outcome> {
    if !word.starts_with(['0', '1', '½']) {
        return None;
    }
    let is_dash = |c: char| matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{96}' | '\u{97}');
    let winner = |winner| Some(Outcome::Known(KnownOutcome::Decisive { winner }));
    match word.replace(is_dash, "-").as_str() {
        "1-0" => winner(Color::White),
        "0-1" => winner(Color::Black),
        "1/2-1/2" | "1/2" | "½-½" | "½" => Some(Outcome::Known(KnownOutcome::Draw)),
        _ => None,
    }
}

/// A move number at the beginning of a word, its dots, and the length of both. Zeros without dots are castling or no move.
fn number(word: &[u8]) -> Option<(Option<u32>, usize, usize)> {
    let digits = digits(word);
    let (mut dots, mut length) = (0, digits);
    loop {
        let rest = &word[length..];
        if rest.starts_with(b".") {
            (dots, length) = (dots + 1, length + 1);
        } else if rest.starts_with(ELLIPSIS) {
            (dots, length) = (dots + "...".len(), length + ELLIPSIS.len());
        } else {
            break;
        }
    }
    let value = std::str::from_utf8(&word[..digits]).ok().and_then(|digits| digits.parse().ok());
    let letter_follows = word.get(length).is_none_or(u8::is_ascii_alphabetic);
    let zeros = word.starts_with(b"0") && digits > 1;
    let is_number = dots > 0 || digits > 0 && letter_follows && !zeros;
    is_number.then_some((value, dots, length))
}
