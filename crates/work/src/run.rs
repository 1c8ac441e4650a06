//! Doing a task: the same for every executor.

use crate::digest::Digest;
use crate::folder::write_whole;
use crate::task::{Build, Dispute, Outcome, Task, WorkerCard};
use serde_json::Value;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What was found, and what of it must be the same on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What was found.
    pub body: Value,
    /// The digest of what must be the same whoever does it; nothing where clocks decide.
    pub agree: Option<Digest>,
}

/// Why a task was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Somebody stopped it; another may do it.
    Stopped,
    /// This program must not or cannot do it, and trying again does not help.
    Refused(String),
    /// This machine is not made for it; another may be.
    Unfit(String),
    /// It went wrong here.
    Failed(String),
}

/// Files by what is in them.
pub trait Objects: Send + Sync {
    /// Where the file lies on this machine.
    ///
    /// # Errors
    /// A message: it cannot be had.
    fn path(&self, digest: &Digest) -> Result<PathBuf, String>;
}

/// A folder of files that are called by their digests.
#[derive(Clone, Debug)]
pub struct Shelf(pub PathBuf);

impl Shelf {
    /// Where a file lies, or would.
    pub fn place(&self, digest: &Digest) -> PathBuf {
        self.0.join(digest.to_string())
    }

    /// Puts a file there, unless it is there and sound; it appears whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, bytes: &[u8]) -> std::io::Result<Digest> {
        let digest = Digest::of(bytes);
        let place = self.place(&digest);
        if fs::read(&place).is_ok_and(|found| Digest::of(&found) == digest) {
            return Ok(digest);
        }
        fs::create_dir_all(&self.0)?;
        write_whole(&place, bytes)?;
        Ok(digest)
    }
}

impl Objects for Shelf {
    fn path(&self, digest: &Digest) -> Result<PathBuf, String> {
        let place = self.place(digest);
        let bytes = fs::read(&place).map_err(|error| format!("{}: cannot be read ({error})", place.display()))?;
        if Digest::of(&bytes) == *digest {
            Ok(place)
        } else {
            Err(format!("{}: what is in it is not what its name says; remove it", place.display()))
        }
    }
}

/// What a task has around it.
#[derive(Clone)]
pub struct Desk {
    /// Set when nobody wants the outcome any more.
    pub stop: Arc<AtomicBool>,
    /// The files of tasks.
    pub objects: Arc<dyn Objects>,
    /// What the tables of a task may take (MiB).
    pub memory: Option<u64>,
}

impl Desk {
    /// Is the task to be left?
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Is there room for tables of so many MiB?
    ///
    /// # Errors
    /// There is not.
    pub fn room(&self, needed: u64) -> Result<(), Fault> {
        match self.memory {
            Some(memory) if needed > memory => {
                Err(Fault::Unfit(format!("tables of {needed} MiB, and --max-memory leaves {memory} MiB to a task")))
            }
            _ => Ok(()),
        }
    }
}

/// Does tasks, one after the other. What it finds depends on the task alone.
pub trait Runner: Send {
    /// Does a task of its build.
    ///
    /// # Errors
    /// [`Fault`]
    fn run(&mut self, task: &Task, desk: &Desk) -> Result<Found, Fault>;
}

/// Does the task in these bytes: refuses what another build must do, and survives defects.
///
/// # Errors
/// [`Fault`]
pub fn carry_out(
    bytes: &[u8],
    build: &Build,
    card: &WorkerCard,
    runner: &mut dyn Runner,
    desk: &Desk,
) -> Result<Outcome, Fault> {
    let (task, digest) = Task::decode(bytes).map_err(Fault::Refused)?;
    if task.build != *build {
        return Err(Fault::Refused(format!(
            "a task for `{}`, and this is `{build}`: start workers of that build, or the command with this one",
            task.build
        )));
    }
    for object in &task.objects {
        desk.objects.path(object).map_err(Fault::Failed)?;
    }
    let begin = Instant::now();
    let found = catch_unwind(AssertUnwindSafe(|| runner.run(&task, desk)));
    let found = found.unwrap_or_else(|_| Err(Fault::Failed("a defect of this program ended the task".to_owned())))?;
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Outcome { task: digest, worker: card.clone(), seconds, agree: found.agree, body: found.body })
}

/// Does a disputed task a third time, and says which of the two sides found something else; both may have.
///
/// # Errors
/// The task cannot be done here.
pub fn judge(dispute: &Dispute, build: &Build, runner: &mut dyn Runner, desk: &Desk) -> Result<[bool; 2], Fault> {
    let truth = carry_out(dispute.text.as_bytes(), build, &WorkerCard::default(), runner, desk)?;
    Ok(dispute.sides.each_ref().map(|side| side.agree != truth.agree))
}
