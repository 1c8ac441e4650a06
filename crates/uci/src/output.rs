//! The output shared by all threads: whole lines, each flushed.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A writer that several threads share.
#[derive(Clone)]
pub struct Output {
    shared: Arc<SharedWriter>,
}

struct SharedWriter {
    writer: Mutex<Box<dyn Write + Send>>,
    broken: AtomicBool,
    error: Mutex<Option<io::Error>>,
}

impl Output {
    /// Takes over a writer.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output {
            shared: Arc::new(SharedWriter {
                writer: Mutex::new(Box::new(writer)),
                broken: AtomicBool::new(false),
                error: Mutex::new(None),
            }),
        }
    }

    /// Writes one line. A closed pipe is not reported here but by [`Output::broken`].
    pub fn line(&self, text: impl fmt::Display) {
        self.write(one_line(&text.to_string()));
    }

    /// Writes a text of several lines without letting another thread in between.
    pub fn block(&self, text: impl fmt::Display) {
        let text = text.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        self.write(lines.join("\n"));
    }

    /// Writes a remark for people, which the protocol allows everywhere. It may quote a line of input of any length, so it is shortened.
    pub fn remark(&self, text: impl fmt::Display) {
        self.line(format_args!("info string {}", shortened(&text.to_string())));
    }

    /// Returns true if a line could not be written, for example because the other side has closed the pipe.
    pub fn broken(&self) -> bool {
        self.shared.broken.load(Ordering::Relaxed)
    }

    /// The error of the first line that could not be written.
    pub fn take_error(&self) -> Option<io::Error> {
        self.shared.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn write(&self, mut text: String) {
        text.push('\n');
        // A thread that panicked while it wrote has at worst left a torn line behind.
        let mut writer = self.shared.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writer.write_all(text.as_bytes()).and_then(|()| writer.flush()) {
            self.shared.broken.store(true, Ordering::Relaxed);
            self.shared.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

/// Long texts lose their middle: what is wrong stands before what is quoted or after it.
fn shortened(text: &str) -> Cow<'_, str> {
    const LENGTH_MAX: usize = 2000;
    const SIDE: usize = 200;
    if text.len() <= LENGTH_MAX {
        return text.into();
    }
    let (head, tail) = (text.floor_char_boundary(SIDE), text.ceil_char_boundary(text.len() - SIDE));
    format!("{}... ({} bytes) ...{}", &text[..head], text.len(), &text[tail..]).into()
}

/// Line breaks inside a message (they occur in file names and in the errors of others) become blanks.
fn one_line(text: &str) -> String {
    text.trim().split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_message_is_one_line_without_blanks_around_it() {
        for (text, expected) in [
            ("uciok ", "uciok"),
            ("a\nb", "a b"),
            ("a \r\n\n b\n", "a b"),
            ("keeps  inner   blanks", "keeps  inner   blanks"),
        ] {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_remark_keeps_its_ends() {
        let long = "ä".repeat(1 << 20);
        let text = shortened(&long);
        assert!(text.len() < 500 && text.contains("(2097152 bytes)"), "{text}");
        assert_eq!(shortened("`x` is not a FEN"), "`x` is not a FEN");
    }

    #[test]
    fn a_closed_pipe_is_noticed_without_a_panic() {
        let output = Output::new(Closed);
        assert!(!output.broken());
        output.line("uciok");
        assert!(output.broken());
    }
}
