//! Whole EPD files: good lines are kept, bad lines are reported.

use super::{FileError, LineError, Record, parse_line};
use quarterply_engine::position::DroppedRights;
use shakmaty::CastlingMode;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest file that is read as a suite, in MiB.
const SIZE_MAX_MIB: u64 = 256;
/// Bytes per MiB.
const MIB: u64 = 1 << 20;
/// The mark that ends texts of old systems.
const END_OF_TEXT: u8 = 0x1a;

/// The positions of one file.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file name without folder and extension.
    pub name: String,
    /// The positions, in the order of the file.
    pub records: Vec<Record>,
    /// The lines that could not be read.
    pub skipped: Vec<LineError>,
}

impl Suite {
    /// The lines whose castling rights their positions cannot have, and the rights that were dropped.
    pub fn corrected(&self) -> impl Iterator<Item = (usize, &DroppedRights)> {
        self.records.iter().filter_map(|record| record.dropped.as_ref().map(|dropped| (record.line, dropped)))
    }

    /// The lines that are read as Chess960, because their castling rights are impossible in standard chess.
    pub fn chess960(&self) -> impl Iterator<Item = usize> {
        self.records.iter().filter(|record| record.mode == CastlingMode::Chess960).map(|record| record.line)
    }
}

/// Reads a suite from a file.
pub fn read_suite(path: &Path) -> Result<Suite, FileError> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|f| f.take(SIZE_MAX_MIB * MIB + 1).read_to_end(&mut bytes));
    match opened {
        Err(reason) => Err(FileError::Io { file, reason }),
        Ok(size) if size as u64 > SIZE_MAX_MIB * MIB => Err(FileError::TooLarge { file, limit: SIZE_MAX_MIB }),
        Ok(_) => parse_suite(&file, &bytes),
    }
}

/// Reads a suite from the bytes of the file named `file`.
pub fn parse_suite(file: &str, bytes: &[u8]) -> Result<Suite, FileError> {
    let text = decode(file, bytes)?;
    let mut suite = Suite { name: stem(file), records: Vec::new(), skipped: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = index + 1;
        match parse_line(line, number) {
            Ok(record) => suite.records.push(record),
            Err(fault) => suite.skipped.push(LineError { file: file.to_owned(), line: number, fault }),
        }
    }
    check_suite(file, &text, suite)
}

/// Returns the suite, unless the text is not a suite.
fn check_suite(file: &str, text: &str, mut suite: Suite) -> Result<Suite, FileError> {
    if let Some(last) = suite.skipped.last()
        && breaks_off(text, last.line)
        && !suite.records.is_empty()
    {
        let line = last.clone();
        return Err(FileError::Truncated { line });
    }
    if !suite.records.is_empty() {
        return Ok(suite);
    }
    let count = suite.skipped.len();
    match suite.skipped.drain(..).next() {
        Some(first) => Err(FileError::NoGoodLine { first, count }),
        None => Err(FileError::Empty { file: file.to_owned() }),
    }
}

/// Returns true if the text ends inside the line `number`, with neither a line end nor the end of an operation.
fn breaks_off(text: &str, number: usize) -> bool {
    number == text.lines().count() && !text.ends_with(['\n', '\r', ';'])
}

/// The bytes as text: UTF-8, or else Latin-1 as in suites of the nineties.
fn decode(file: &str, bytes: &[u8]) -> Result<String, FileError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(&[END_OF_TEXT]).unwrap_or(bytes);
    let foreign = |b: &u8| b.is_ascii_control() && !b"\t\n\r\x0c".contains(b);
    if let Some(at) = bytes.iter().position(foreign) {
        let line = 1 + bytes[..at].iter().filter(|b| **b == b'\n').count();
        return Err(FileError::Binary { file: file.to_owned(), line, byte: bytes[at] });
    }
    let text: String = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    };
    // Lines of old Macintosh files end with a carriage return alone.
    Ok(if text.contains('\n') { text } else { text.replace('\r', "\n") })
}

fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one\";";

    #[test]
    fn line_ends_marks_blanks_and_comments_do_not_matter() {
        for text in [
            format!("{GOOD}\n{GOOD}\n"),
            format!("{GOOD}\r\n{GOOD}\r\n"),
            format!("{GOOD}\r{GOOD}\r"),
            format!("\u{feff}{GOOD}\n{GOOD}"),
            format!("# a comment\n\n  \t\n{GOOD}  \n\n   {GOOD}\n# end\n\u{1a}"),
            format!("{GOOD}\n{GOOD} c1 \"Gr\u{fc}n\";"),
        ] {
            let suite = parse_suite("dir/x.epd", text.as_bytes()).expect("a good suite");
            assert_eq!((suite.records.len(), suite.skipped.len(), suite.name.as_str()), (2, 0, "x"), "{text:?}");
        }
    }

    #[test]
    fn latin_1_is_understood() {
        let mut bytes = b"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"Gr".to_vec();
        bytes.extend([0xfc, b'n', b'"', b';', b'\n']);
        let suite = parse_suite("x.epd", &bytes).expect("a good suite");
        assert_eq!(suite.records[0].id.as_deref(), Some("Grün"));
    }

    #[test]
    fn one_bad_line_leaves_the_others() {
        let text = format!("{GOOD}\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e9;\n{GOOD}\n");
        let suite = parse_suite("x.epd", text.as_bytes()).expect("two good lines");
        assert_eq!(suite.records.iter().map(|r| r.line).collect::<Vec<_>>(), [1, 3]);
        let message = suite.skipped[0].to_string();
        assert!(message.starts_with("x.epd:2: ") && message.contains("`e9`"), "{message}");
    }

    #[test]
    fn files_that_are_not_suites_are_refused_with_the_reason() {
        for (bytes, needle) in [
            (b"".to_vec(), "it holds no position"),
            (b"# only a comment\n\n".to_vec(), "it holds no position"),
            (b"\x7fELF\x02\x01\x01\x00\x00".to_vec(), "x.epd:1: not a text file (byte 0x7f)"),
            (GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect(), "not a text file (byte 0x00)"),
            (format!("{GOOD}\n{}", &GOOD[..20]).into_bytes(), "ends in the middle of this line"),
            (format!("{GOOD}\n{}", &GOOD[..GOOD.len() - 2]).into_bytes(), "x.epd:2: the quotation"),
            (b"Dear reader,\nthis is a letter.\n".to_vec(), "cannot read any of the 2 lines as EPD"),
        ] {
            let message = parse_suite("x.epd", &bytes).expect_err(needle).to_string();
            assert!(message.contains(needle), "{message}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = read_suite(Path::new("/no/such/suite.epd")).expect_err("there is none").to_string();
        assert!(message.starts_with("cannot read `/no/such/suite.epd`: "), "{message}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse_suite("x.epd", &bytes);
        }
    }
}
