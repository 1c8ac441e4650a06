//! How to start another engine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use thiserror::Error;

/// Directories of games that are often missing in `PATH`.
const GAMES: &[&str] = &["/usr/games", "/usr/local/games"];

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The program, searched in `PATH` and in directories of games, unless it is a path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its working directory; that of this process if `None`.
    pub directory: Option<PathBuf>,
}

/// A command line that cannot be read or followed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LaunchError {
    /// The command line is empty.
    #[error("the engine command is empty; write the path of a program")]
    Empty,
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed in the engine command: {0}")]
    Quote(String),
    /// The program does not exist.
    #[error("no program `{}`{}", .0, where_searched(.0))]
    NoProgram(String),
    /// The directory does not exist.
    #[error("no directory `{0}` for the engine to run in; give an existing one")]
    NoDirectory(String),
}

/// The places where a program was looked for, and the remedy.
fn where_searched(program: &str) -> &'static str {
    if is_path(Path::new(program)) {
        "; check the path"
    } else {
        " in PATH, /usr/games or /usr/local/games; install it or write its path"
    }
}

/// Returns true unless the program is a name alone.
fn is_path(program: &Path) -> bool {
    program.components().nth(1).is_some()
}

impl Launch {
    /// A program without arguments.
    pub fn program(program: impl Into<PathBuf>) -> Launch {
        Launch { program: program.into(), arguments: Vec::new(), directory: None }
    }

    /// Reads a command line: the program, then its arguments.
    pub fn parse(text: &str) -> Result<Launch, LaunchError> {
        let mut words = split(text)?;
        if words.is_empty() {
            return Err(LaunchError::Empty);
        }
        let program = words.remove(0);
        Ok(Launch { arguments: words, ..Launch::program(program) })
    }

    /// The program's name in texts: its file name without extension.
    pub fn label(&self) -> String {
        self.program.file_stem().unwrap_or(self.program.as_os_str()).to_string_lossy().into_owned()
    }

    /// Path of the program; `None` if it does not exist.
    pub fn find(&self) -> Option<PathBuf> {
        let program = &self.program;
        if is_path(program) {
            let inside = self.directory.as_ref().map(|directory| directory.join(program));
            return inside.into_iter().chain([program.clone()]).find(|path| path.is_file()).map(absolute);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::env::split_paths(&path).chain(GAMES.iter().map(PathBuf::from));
        places.map(|place| place.join(program)).find(|path| is_program(path)).map(absolute)
    }

    /// The path of the program.
    ///
    /// # Errors
    /// [`LaunchError::NoProgram`], [`LaunchError::NoDirectory`]
    pub fn require(&self) -> Result<PathBuf, LaunchError> {
        if let Some(directory) = self.directory.as_ref().filter(|directory| !directory.is_dir()) {
            return Err(LaunchError::NoDirectory(directory.display().to_string()));
        }
        self.find().ok_or_else(|| LaunchError::NoProgram(self.program.display().to_string()))
    }

    /// The system's command, without its streams.
    ///
    /// # Errors
    /// The program or its directory does not exist.
    pub fn command(&self) -> io::Result<Command> {
        let program = self.require().map_err(|missing| io::Error::new(io::ErrorKind::NotFound, missing))?;
        let mut command = Command::new(program);
        command.args(&self.arguments);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        Ok(command)
    }
}

/// Splits a text at blanks; single or double quotation marks keep words together.
pub fn split(text: &str) -> Result<Vec<String>, LaunchError> {
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
    Ok(words)
}

/// A word in quotation marks, if [`split`] would not read it back as it is.
pub fn quoted(word: &str) -> String {
    let mut text = String::new();
    if !word.is_empty() && !word.contains(|letter: char| letter.is_whitespace() || letter == '"' || letter == '\'') {
        return word.to_owned();
    }
    // Quotation marks cannot be escaped, but pieces in different marks grow together.
    for piece in word.split_inclusive('"') {
        let (plain, mark) = piece.strip_suffix('"').map_or((piece, ""), |plain| (plain, "'\"'"));
        if !plain.is_empty() || word.is_empty() {
            text += &format!("\"{plain}\"");
        }
        text += mark;
    }
    if text.is_empty() { "\"\"".to_owned() } else { text }
}

/// A path that does not depend on the working directory.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    const EXECUTABLE: u32 = 0o111;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & EXECUTABLE != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
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

    #[test]
    fn words_survive_quotation() {
        for word in ["plain", "", "two words", "it's", "a \"quoted\" word", "\"", "\"\"", "'\"'", "a=b c"] {
            let text = format!("x {} y", quoted(word));
            assert_eq!(split(&text), Ok(vec!["x".into(), word.into(), "y".into()]), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        std::fs::write(&path, "").expect("written");
        let inside = Launch { directory: Some(folder.path().into()), ..Launch::program("./engine") };
        assert_eq!(inside.find().and_then(|found| found.canonicalize().ok()), path.canonicalize().ok());
        assert_eq!(Launch::program(&path).find(), Some(path));
        assert_eq!(Launch::program("./engine").find(), None);
        assert!(Launch::program("sh").find().is_some_and(|path| path.is_absolute()));
        let missing = Launch::program("no-such-program-anywhere");
        assert_eq!(missing.find(), None);
        let message = missing.command().expect_err("nothing to start").to_string();
        assert!(
            message.contains("no program `no-such-program-anywhere`") && message.contains("install it"),
            "{message}"
        );
    }

    /// A path was said to be missing in `PATH`, and a directory of a list of engines to be `dir=...`.
    #[test]
    fn missing_paths_are_named_as_they_were_given() {
        let program = Launch::program("/no/such/engine");
        let directory = Launch { directory: Some("/no/such".into()), ..Launch::program("sh") };
        for (launch, message) in [
            (program, "no program `/no/such/engine`; check the path"),
            (directory, "no directory `/no/such` for the engine to run in; give an existing one"),
        ] {
            assert_eq!(launch.require().expect_err(message).to_string(), message);
        }
    }
}
