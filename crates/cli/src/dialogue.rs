//! `--log`: a record of all lines to and from external engines.

use std::path::{Path, PathBuf};

use miette::miette;
use quarterply_files::draft::is_same;
use quarterply_uci::dialogue::{self, DialogueLog};

use crate::common::Common;
use crate::failure::Failure;

/// For commands that start other programs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Results")]
pub struct DialogueArguments {
    /// Append every line to and from external engines to FILE, with time, player and direction.
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

impl DialogueArguments {
    /// Refuses `--log` if no external engine was given with this `option`.
    pub fn require_engine(&self, engine: Option<&String>, option: &str) -> Result<(), Failure> {
        if self.log.is_some() && engine.is_none() {
            refuse!("cannot use --log without {option}: only lines of external engines are recorded; remove --log");
        }
        Ok(())
    }

    /// Opens the log; `others` are files of the command with other contents.
    pub fn open<P: AsRef<Path>>(
        &self,
        common: &Common,
        others: impl IntoIterator<Item = P>,
    ) -> Result<OpenDialogue, Failure> {
        let Some(path) = &self.log else { return Ok(OpenDialogue) };
        let shown = path.display();
        let others: Vec<P> = others.into_iter().collect();
        let mut named = others.iter().map(AsRef::as_ref).chain(common.json.as_deref());
        if named.any(|other| is_same(path, other)) {
            refuse!("cannot write log `{shown}`: another option names this file; give --log a separate file");
        }
        let log = DialogueLog::open(path, common.overwrite).map_err(|error| {
            Failure::Input(miette!("cannot write log `{shown}`: {error}; give another path to --log"))
        })?;
        dialogue::set_log(log);
        Ok(OpenDialogue)
    }
}

/// An open log, or none. Dropping it writes what waits.
pub struct OpenDialogue;

impl Drop for OpenDialogue {
    fn drop(&mut self) {
        if let Err(error) = dialogue::close_log() {
            say!("warning: the log of engines is incomplete: {error}; free space, or give another path to --log");
        }
    }
}
