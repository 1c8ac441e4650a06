//! Messages to users on stderr and stdout.
//!
//! Text from engines, traces and files passes through here. Control characters in it are escaped, and a closed pipe is not an
//! error.

use std::fmt;
use std::io::{self, Write};

/// Begins a control sequence.
const ESCAPE: char = '\u{1b}';

/// Writes a line to stderr; errors are ignored.
macro_rules! say {
    ($($text:tt)*) => { $crate::screen::say(format_args!($($text)*)) };
}

/// See the macro.
pub fn say(text: fmt::Arguments<'_>) {
    // Nobody may be listening.
    let _ = writeln!(io::stderr().lock(), "{}", clean(&text.to_string()));
}

/// Writes a report to stderr with its colours.
pub fn say_coloured(text: &str) {
    // Nobody may be listening.
    let _ = writeln!(io::stderr().lock(), "{}", clean_but_colours(text));
}

/// Flushes stdout.
pub fn flush() -> io::Result<()> {
    io::stdout().flush()
}

/// Returns true for control characters, and for those that change the direction of text.
fn is_obeyed(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (letter.is_control() && letter != '\n' && letter != '\t') || turns
}

fn show(letter: char, text: &mut String) {
    if (letter as u32) <= 0xff {
        *text += &format!("\\x{:02x}", letter as u32);
    } else {
        *text += &format!("\\u{{{:x}}}", letter as u32);
    }
}

/// The text with its control characters escaped.
pub fn clean(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_obeyed(letter) { show(letter, &mut shown) } else { shown.push(letter) }
    }
    shown
}

/// As [`clean`], but colours stay.
pub fn clean_but_colours(text: &str) -> String {
    let mut parts = text.split(ESCAPE);
    let mut shown = clean(parts.next().unwrap_or_default());
    for part in parts {
        let length = colour(part).unwrap_or(0);
        if length > 0 {
            shown.push(ESCAPE)
        } else {
            show(ESCAPE, &mut shown)
        }
        shown += &part[..length];
        shown += &clean(&part[length..]);
    }
    shown
}

/// The length of the colour that a text begins with, without its first letter, [`ESCAPE`].
fn colour(text: &str) -> Option<usize> {
    let after = text.strip_prefix('[')?;
    let end = after.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    after[end..].starts_with('m').then_some(text.len() - after.len() + end + 1)
}

/// Writes text for people line by line, cleaned; colours stay.
pub struct Cleaned<W: Write> {
    out: W,
    /// The beginning of a line that is not whole yet.
    line: Vec<u8>,
}

impl<W: Write> Cleaned<W> {
    /// Cleans what goes to `out`.
    pub fn new(out: W) -> Cleaned<W> {
        Cleaned { out, line: Vec::new() }
    }

    fn pass(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all(clean_but_colours(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Cleaned<W> {
    fn drop(&mut self) {
        // Callers that need write errors call `flush` first.
        let _ = self.flush();
    }
}

/// Stdout for people.
pub fn out() -> Cleaned<io::StdoutLock<'static>> {
    Cleaned::new(io::stdout().lock())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "a\u{1b}]0;title\u{7}b\u{1b}[31mc\u{1b}[2Jd\u{9b}e\u{202e}f\tg\n";

    #[test]
    fn control_characters_are_shown() {
        let shown = "a\\x1b]0;title\\x07b\\x1b[31mc\\x1b[2Jd\\x9be\\u{202e}f\tg\n";
        assert_eq!(clean(EVIL), shown);
        assert_eq!(clean_but_colours(EVIL), shown.replace("\\x1b[31m", "\u{1b}[31m"));
        assert_eq!(clean("½ – ä 日本"), "½ – ä 日本");
    }

    #[test]
    fn text_is_cleaned_however_it_comes() {
        let mut bytes = Vec::new();
        let mut out = Cleaned::new(&mut bytes);
        for byte in EVIL.as_bytes() {
            out.write_all(&[*byte]).expect("written");
        }
        out.write_all("ende ä".as_bytes()).expect("written");
        drop(out);
        assert_eq!(String::from_utf8(bytes).expect("text"), format!("{}ende ä", clean_but_colours(EVIL)));
    }
}
