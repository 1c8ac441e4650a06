//! Faults of EPD lines and files.

use std::io;
use thiserror::Error;

/// Longest piece of a bad line that a message quotes, in characters.
const QUOTE_MAX: usize = 90;

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum EpdError {
    #[error("`{}` has {found} of the four FEN fields; give board, side to move, castling rights and en passant square", quote(.text))]
    Fields { found: usize, text: String },
    #[error("`{}` is not a valid FEN ({reason}); correct this field or delete the line", quote(.text))]
    Fen { text: String, reason: String },
    #[error("`{}` is not a legal position ({reason}); correct it or delete the line", quote(.text))]
    Position { text: String, reason: String },
    #[error("the quotation `{}` is not closed; add the missing \"", quote(.text))]
    Quotation { text: String },
    #[error("`{}` is followed by nothing; add its operand or delete it", quote(.name))]
    Operand { name: String },
    #[error("`{}` after `{name}` is not a valid number: expected a value in the range {range}", quote(.text))]
    Number { name: String, text: String, range: &'static str },
    #[error("`{}` after `{name}` is not a valid move: write it like Nf3 or g1f3", quote(.text))]
    Move { name: String, text: String },
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
    #[error("cannot read `{file}`: {reason}; check the path and the permissions")]
    Io { file: String, reason: io::Error },
    #[error("cannot read `{file}`: it is larger than {limit} MiB; give an EPD file")]
    TooLarge { file: String, limit: u64 },
    #[error(
        "cannot read {file}:{line}: not a text file (byte {byte:#04x}); give an EPD file as plain text, neither packed nor UTF-16"
    )]
    Binary { file: String, line: usize, byte: u8 },
    #[error(
        "cannot read `{file}`: it holds no position; give lines with a FEN and operations such as `bm Nf3; id \"one\";`"
    )]
    Empty { file: String },
    #[error("cannot read {line}; the file ends in the middle of this line: get the complete file or delete the line")]
    Truncated { line: LineError },
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
