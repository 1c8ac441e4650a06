//! Results for programs: JSON lines to a file or to stdout, each written out at once.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quarterply_files::draft::{Draft, Rules, is_same};
use quarterply_window::words::several;
use serde::Serialize;

use crate::common::Common;
use crate::failure::{CommandResult, Failure};
use crate::screen;

/// For commands that read no files.
pub const NO_INPUT: [&Path; 0] = [];

/// Where JSON lines go.
///
/// A file gets its name in [`JsonLines::close`]. If the command fails or is interrupted before, the lines are kept as well, if there are
/// any: an older file of the name stays, and the new lines are in a file next to it.
pub struct JsonLines {
    sink: Sink,
}

enum Sink {
    None,
    Stdout,
    /// Its whole lines are counted; `cut` is true if another one could not be written.
    File {
        path: PathBuf,
        draft: Box<Draft>,
        lines: u64,
        cut: bool,
    },
}

impl JsonLines {
    /// Opens the target of `--json`: none, a file, or stdout for `-`. The files that the command reads are refused.
    pub fn open<P: AsRef<Path>>(common: &Common, inputs: impl IntoIterator<Item = P>) -> Result<JsonLines, Failure> {
        let sink = match common.json_file() {
            None if common.json.is_some() => Sink::Stdout,
            None => Sink::None,
            Some(path) => {
                let draft = Box::new(create_json(common, path, inputs)?);
                Sink::File { path: path.to_owned(), draft, lines: 0, cut: false }
            }
        };
        Ok(JsonLines { sink })
    }

    /// Returns true if JSON lines are written.
    pub fn is_requested(&self) -> bool {
        !matches!(self.sink, Sink::None)
    }

    /// Writes one value as one line, at once.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        if !self.is_requested() {
            return Ok(());
        }
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        match &mut self.sink {
            Sink::None => Ok(()),
            Sink::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(line.as_bytes()).and_then(|()| out.flush())
            }
            Sink::File { draft, lines, cut, .. } => {
                let written = draft.append_whole(line.as_bytes()).and_then(|()| draft.flush());
                if written.is_ok() {
                    *lines += 1;
                } else {
                    *cut = true;
                }
                written
            }
        }
    }

    /// Gives the file its name: the command was successful so far.
    pub fn close(mut self) -> CommandResult {
        if let Sink::File { draft, .. } = std::mem::replace(&mut self.sink, Sink::None) {
            draft.keep()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints for people: on stdout, unless the JSON lines are there.
    pub fn print(&self, text: &dyn Display) -> io::Result<()> {
        let mut out = self.out();
        writeln!(out, "{text}")?;
        out.flush()
    }

    /// Where text for people goes: to stdout, unless the JSON lines are there. If they go to a file, it is completed also after the
    /// reader of stdout has gone.
    pub fn out(&self) -> Box<dyn Write> {
        match self.sink {
            Sink::Stdout => Box::new(screen::Cleaned::new(io::stderr())),
            Sink::File { .. } => Box::new(screen::Cleaned::new(IgnoreBrokenPipe(io::stdout()))),
            Sink::None => Box::new(screen::Cleaned::new(io::stdout())),
        }
    }
}

/// An output whose reader may end early: a closed pipe is not reported, and the text is lost.
struct IgnoreBrokenPipe<W>(W);

impl<W: Write> Write for IgnoreBrokenPipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

/// The result, or `closed` if the pipe is closed.
fn unless_closed<T>(result: io::Result<T>, closed: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(closed),
        other => other,
    }
}

impl Drop for JsonLines {
    fn drop(&mut self) {
        if let Sink::File { path, draft, lines, cut } = std::mem::replace(&mut self.sink, Sink::None)
            && lines > 0
        {
            match draft.keep_part() {
                Ok(kept) if kept == path && !cut => {}
                Ok(kept) if kept == path => say!("{} has only the first {}", path.display(), several(lines, "line")),
                Ok(kept) => say!("{} is unchanged; the new results are in {}", path.display(), kept.display()),
                Err(error) => say!("{error}"),
            }
        }
    }
}

/// Returns true for a regular file that begins like JSON lines.
pub fn has_json_lines(path: &Path) -> bool {
    let mut first = [0];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"{"
}

/// Returns true if a file begins like a page.
pub fn has_page(path: &Path) -> bool {
    const BEGINNING: &[u8; 15] = b"<!DOCTYPE html>";
    let mut first = [0; BEGINNING.len()];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *BEGINNING
}

/// Refuses `-`, which means the standard output for --json only.
pub fn refuse_dash(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        refuse!("cannot write to `-`: this output needs a file; give its name (`./-` for a file of this name)");
    }
    Ok(())
}

/// Refuses two results in one file.
pub fn refuse_same<P: AsRef<Path>>(named: impl IntoIterator<Item = P>) -> Result<(), Failure> {
    let named: Vec<P> = named.into_iter().collect();
    for (index, path) in named.iter().enumerate() {
        if named[..index].iter().any(|other| is_same(path.as_ref(), other.as_ref())) {
            refuse!("cannot write two results to `{}`: two options name it; give two files", path.as_ref().display());
        }
    }
    Ok(())
}

/// Refuses a file of results that --json names as well.
pub fn refuse_json_file(common: &Common, path: &Path) -> Result<(), Failure> {
    refuse_same(common.json_file().into_iter().chain([path]))
}

/// Begins a file of results other than that of --json. An existing file needs --overwrite, and a file that the command reads is refused.
pub fn create<P: AsRef<Path>>(
    common: &Common,
    path: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<Draft, Failure> {
    refuse_json_file(common, path)?;
    create_json(common, path, inputs)
}

/// Begins the file of --json by the same rules.
pub fn create_json<P: AsRef<Path>>(
    common: &Common,
    path: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<Draft, Failure> {
    refuse_dash(path)?;
    let profiles = common.profile.iter().chain(&common.profiles).map(PathBuf::from);
    let rules = Rules { overwrite: common.overwrite, inputs: profiles.collect() }.reading(inputs);
    Ok(Draft::create(path, &rules)?)
}

/// Writes the content of a file and gives it its name. The results of an interrupted command replace no older file.
pub fn finish(mut draft: Draft, text: &str, interrupted: bool) -> Result<(), Failure> {
    if !interrupted {
        return Ok(draft.finish(text)?);
    }
    draft.write_all(text.as_bytes())?;
    say!("the results so far are in {}", draft.keep_part()?.display());
    Ok(())
}

/// Replaces a file; readers see the old content or the complete new content. A file that the command reads is refused.
pub fn replace<P: AsRef<Path>>(path: &Path, inputs: impl IntoIterator<Item = P>, text: &str) -> Result<(), Failure> {
    let rules = Rules { overwrite: true, ..Rules::default() }.reading(inputs);
    Ok(Draft::create(path, &rules)?.finish(text)?)
}

/// Gives a file that is written in parts its name.
pub fn keep(out: BufWriter<Draft>) -> Result<(), Failure> {
    Ok(out.into_inner().map_err(IntoInnerError::into_error)?.keep()?)
}
