//! Faults of EPD lines and files.

use std::io;
use thiserror::Error;

/// Longest piece of a bad line that a message quotes, in characters.
const QUOTE_MAX: usize = 90;

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum EpdError {
    /// Fewer than four fields.
    #[error("`{}` has {found} of the four FEN fields; give board, side to move, castling rights and en passant square", quote(.text))]
    Fields { found: usize, text: String },
    /// Not a FEN.
    #[error("`{}` is not a valid FEN ({reason}); correct this field or delete the line", quote(.text))]
    Fen { text: String, reason: String },
    /// A FEN of a position that cannot be played.
    #[error("`{}` is not a legal position ({reason}); correct it or delete the line", quote(.text))]
    Position { text: String, reason: String },
    /// A quotation that never ends.
    #[error("the quotation `{}` is not closed; add the missing \"", quote(.text))]
    Quotation { text: String },
    /// An operation without the operand it needs.
    #[error("`{}` is followed by nothing; add its operand or delete it", quote(.name))]
    Operand { name: String },
    /// An operand that should be a number.
    #[error("`{}` after `{name}` is not a valid number: expected a value in the range {range}", quote(.text))]
    Number { name: String, text: String, range: &'static str },
    /// A move that cannot be parsed.
    #[error("`{}` after `{name}` is not a valid move: write it like Nf3 or g1f3", quote(.text))]
    Move { name: String, text: String },
    /// A move that cannot be played in the position.
    #[error("the move `{}` after `{name}` is {why} in this position; correct the move or the position", quote(.text))]
    Illegal { name: String, text: String, why: &'static str },
}

/// A line that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {fault}")]
pub struct LineError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Its fault.
    pub fault: EpdError,
}

/// Why a whole file cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum FileError {
    /// It cannot be opened or read.
    #[error("cannot read `{file}`: {reason}; check the path and the permissions")]
    Io { file: String, reason: io::Error },
    /// Larger than any suite.
    #[error("cannot read `{file}`: it is larger than {limit} MiB; give an EPD file")]
    TooLarge { file: String, limit: u64 },
    /// Not text.
    #[error(
        "cannot read {file}:{line}: not a text file (byte {byte:#04x}); give an EPD file as plain text, neither packed nor UTF-16"
    )]
    Binary { file: String, line: usize, byte: u8 },
    /// Nothing but blank lines and comments.
    #[error(
        "cannot read `{file}`: it holds no position; give lines with a FEN and operations such as `bm Nf3; id \"one\";`"
    )]
    Empty { file: String },
    /// The last line breaks off.
    #[error("cannot read {line}; the file ends in the middle of this line: get the complete file or delete the line")]
    Truncated { line: LineError },
    /// There are lines, but none can be read.
    #[error("cannot read any of the {count} lines as EPD: the first fault is {first}")]
    NoGoodLine { first: LineError, count: usize },
}

/// The text as a message shows it: shortened, without control characters.
pub fn quote(text: &str) -> String {
    let mut shown: String =
        text.chars().take(QUOTE_MAX).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if text.chars().nth(QUOTE_MAX).is_some() {
        shown.push('…');
    }
    shown
}
