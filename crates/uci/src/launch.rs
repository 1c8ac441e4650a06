//! How to start another engine.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use thiserror::Error;

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The program, looked up in `PATH` unless it is a path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// A command line that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LaunchError {
    /// There is no word in it.
    #[error("an empty engine command")]
    Empty,
    /// A quotation mark has no partner.
    #[error("a quotation mark without its partner in the engine command: {0}")]
    Quote(String),
}

impl Launch {
    /// A program without arguments.
    pub fn program(program: impl Into<PathBuf>) -> Launch {
        Launch { program: program.into(), arguments: Vec::new() }
    }

    /// Splits a command line at blanks; single or double quotation marks keep words together.
    pub fn parse(text: &str) -> Result<Launch, LaunchError> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote: Option<char> = None;
        for letter in text.chars() {
            match quote {
                Some(mark) if letter == mark => quote = None,
                Some(_) => word.get_or_insert_default().push(letter),
                None if letter == '"' || letter == '\'' => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                None if letter.is_whitespace() => words.extend(word.take()),
                None => word.get_or_insert_default().push(letter),
            }
        }
        if quote.is_some() {
            return Err(LaunchError::Quote(text.to_owned()));
        }
        words.extend(word);
        if words.is_empty() {
            return Err(LaunchError::Empty);
        }
        let program = words.remove(0).into();
        Ok(Launch { program, arguments: words })
    }

    /// Starts the program with its three streams in our hands; what it says on stderr is thrown away.
    pub fn spawn(&self) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_split_like_in_a_shell() {
        for (text, words) in [
            ("stockfish", vec!["stockfish"]),
            ("  lc0   --backend=blas ", vec!["lc0", "--backend=blas"]),
            ("'/opt/my engines/x' -a \"b c\"", vec!["/opt/my engines/x", "-a", "b c"]),
            ("x ''", vec!["x", ""]),
        ] {
            let launch = Launch::parse(text).expect(text);
            assert_eq!(launch.program.to_str(), Some(words[0]), "{text}");
            assert_eq!(launch.arguments, words[1..], "{text}");
        }
        assert_eq!(Launch::parse("  "), Err(LaunchError::Empty));
        assert_eq!(Launch::parse("x 'y"), Err(LaunchError::Quote("x 'y".into())));
    }
}
