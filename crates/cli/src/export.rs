//! Results for programs: JSON lines to a file or to stdout, each written out at once.

use std::fmt::Display;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quarterply_files::draft::{Draft, Rules};
use serde::Serialize;

use crate::common::Common;
use crate::failure::{Done, Failure};
use crate::screen;

/// For commands that read no files.
pub const NO_INPUT: [&Path; 0] = [];

/// Where JSON lines go.
///
/// A file has its name only after [`JsonLines::close`]. If that does not come, because the command failed or was interrupted, the
/// lines are kept all the same, beside an older file of the name.
pub struct JsonLines {
    sink: Sink,
}

enum Sink {
    None,
    Stdout,
    File { path: PathBuf, draft: Box<Draft>, lines: u64 },
    Closed,
}

impl JsonLines {
    /// What `--json` asks for: nothing, a file, or stdout for `-`. The files that the command reads are never written.
    pub fn open<P: AsRef<Path>>(common: &Common, inputs: impl IntoIterator<Item = P>) -> Result<JsonLines, Failure> {
        let sink = match &common.json {
            None => Sink::None,
            Some(path) if path == Path::new("-") => Sink::Stdout,
            Some(path) => {
                let draft = Box::new(create(common, path, inputs)?);
                Sink::File { path: path.clone(), draft, lines: 0 }
            }
        };
        Ok(JsonLines { sink })
    }

    /// Is anything written?
    pub fn is_wanted(&self) -> bool {
        !matches!(self.sink, Sink::None)
    }

    /// Writes one value as one line, at once.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        if !self.is_wanted() {
            return Ok(());
        }
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        match &mut self.sink {
            Sink::None | Sink::Closed => Ok(()),
            Sink::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(line.as_bytes()).and_then(|()| out.flush())
            }
            Sink::File { draft, lines, .. } => {
                *lines += 1;
                draft.write_all(line.as_bytes()).and_then(|()| draft.flush())
            }
        }
    }

    /// Gives the file its name: the command was successful so far.
    pub fn close(mut self) -> Done {
        if let Sink::File { draft, .. } = std::mem::replace(&mut self.sink, Sink::Closed) {
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

    /// Where text for people goes: to stdout, unless the JSON lines are there.
    pub fn out(&self) -> Box<dyn Write> {
        if matches!(self.sink, Sink::Stdout) {
            Box::new(screen::Cleaned::new(io::stderr()))
        } else {
            Box::new(screen::Cleaned::new(io::stdout()))
        }
    }
}

impl Drop for JsonLines {
    fn drop(&mut self) {
        if let Sink::File { path, draft, lines } = std::mem::replace(&mut self.sink, Sink::Closed)
            && lines > 0
        {
            match draft.keep_part() {
                Ok(kept) if kept == path => {}
                Ok(kept) => say!("{} is unchanged; the new results are in {}", path.display(), kept.display()),
                Err(error) => say!("{error}"),
            }
        }
    }
}

/// Begins a file of results by the rules that hold everywhere.
pub fn create<P: AsRef<Path>>(
    common: &Common,
    path: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<Draft, Failure> {
    let profiles = common.profile.iter().chain(&common.profiles).map(PathBuf::from);
    let rules = Rules { overwrite: common.overwrite, inputs: profiles.collect() }.reading(inputs);
    Ok(Draft::create(path, &rules)?)
}

/// Replaces a file with what is written to it; readers see the old content or the complete new content.
pub fn replace<E: Into<Failure>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), Failure> {
    replace_reading(path, NO_INPUT, write)
}

/// As [`replace`]; a file that the command reads is refused.
pub fn replace_reading<P: AsRef<Path>, E: Into<Failure>>(
    path: &Path,
    inputs: impl IntoIterator<Item = P>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), Failure> {
    let rules = Rules { overwrite: true, ..Rules::default() }.reading(inputs);
    let mut out = BufWriter::new(Draft::create(path, &rules)?);
    write(&mut out).map_err(E::into)?;
    Ok(out.into_inner().map_err(IntoInnerError::into_error)?.keep()?)
}
