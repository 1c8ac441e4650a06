//! Results for programs: JSON lines to a file or to stdout, each written out at once.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use miette::miette;
use serde::Serialize;

use crate::args::Common;
use crate::failure::Failure;

/// Where JSON lines go.
pub struct JsonLines {
    sink: Option<Box<dyn Write>>,
    to_stdout: bool,
}

impl JsonLines {
    /// What `--json` asks for: nothing, a file, or stdout for `-`.
    pub fn open(common: &Common) -> Result<JsonLines, Failure> {
        let sink: Option<Box<dyn Write>> = match &common.json {
            None => None,
            Some(path) if path == Path::new("-") => Some(Box::new(io::stdout())),
            Some(path) => match File::create(path) {
                Ok(file) => Some(Box::new(file)),
                Err(error) => {
                    return Err(Failure::Input(miette!(
                        "{}: cannot be written ({error}); give another path to --json",
                        path.display()
                    )));
                }
            },
        };
        let to_stdout = common.json.as_deref() == Some(Path::new("-"));
        Ok(JsonLines { sink, to_stdout })
    }

    /// Writes one value as one line, at once.
    pub fn write<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        let Some(sink) = &mut self.sink else { return Ok(()) };
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        sink.write_all(line.as_bytes())?;
        sink.flush()
    }

    /// Prints for people: on stdout, unless the JSON lines are there.
    pub fn print(&self, text: &dyn std::fmt::Display) -> io::Result<()> {
        if self.to_stdout { writeln!(io::stderr().lock(), "{text}") } else { writeln!(io::stdout().lock(), "{text}") }
    }
}
