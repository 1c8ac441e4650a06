//! The folder of a run: made once, never overwritten, in use by one process at a time; with its checkpoint and its journal.

use crate::train::aligned::Aligned;
use crate::train::error::TrainError;
use crate::train::settings::{FILE, TrainingSettings};
use crate::train::start::START;
use crate::train::trainer::TrainerState;
use quarterply_files::draft;
use quarterply_files::journal::read_if_there;
use quarterply_files::lock::try_lock;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The state of a run that is not finished.
pub const CHECKPOINT: &str = "checkpoint.bin";
/// The losses of a run over time.
pub const JOURNAL: &str = "journal.jsonl";
/// The finished network of a run.
pub const NETWORK: &str = "network.nnue";
/// The report of a run.
pub const REPORT: &str = "report.html";
/// The network that a run starts from, until its settings are written.
const START_UNFINISHED: &str = "start.nnue.new";

/// The first bytes of every checkpoint.
const MAGIC: [u8; 8] = *b"QPTRAIN1";
const WORD: usize = size_of::<u64>();
const SUM: usize = size_of::<u32>();
/// Numbers before the weights.
const HEAD_WORDS: usize = 6;
/// Bytes before the weights.
const HEAD: usize = MAGIC.len() + HEAD_WORDS * WORD;
/// Lists of a state: weights, means, squares; one more if it has an average.
const LISTS: usize = 3;
const REMEDY: &str = "remove it, and `quarterply train resume` starts again with the same result; or restore it";

/// A line of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingLine {
    /// Batches so far.
    pub batch: u64,
    /// Passes so far; a part of one counts as that part.
    pub pass: f64,
    /// Mean loss of the batches since the line before, each before its step.
    pub loss: f64,
    /// Loss on the held-out games.
    pub held_out: f64,
    /// Learning rate of the latest batch.
    pub rate: f64,
    /// Positions learned from in a second, since the line before.
    pub per_second: f64,
    /// Seconds of training so far, interruptions left out.
    pub seconds: f64,
}

/// Sums over batches that are not in the journal yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Sum of the losses of batches.
    pub loss: f64,
    /// Number of batches.
    pub batches: u64,
    /// Time of these batches (seconds).
    pub seconds: f64,
    /// Time of the whole training (seconds).
    pub total: f64,
}

/// An open folder. The lock goes with the process, however it ends.
#[derive(Debug)]
pub struct TrainingFolder {
    path: PathBuf,
    _lock: File,
}

impl TrainingFolder {
    /// Checks that a run can begin in the folder.
    ///
    /// # Errors
    /// [`TrainError::Exists`]: something is there.
    pub fn is_free(path: &Path) -> Result<(), TrainError> {
        // A process that is killed while it begins a run leaves these files.
        let is_left = |entry: fs::DirEntry| {
            let name = entry.file_name();
            name == START_UNFINISHED || draft::is_replacement(&name, FILE)
        };
        match fs::read_dir(path).map(|entries| entries.flatten().all(is_left)) {
            Ok(true) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(false) => Err(TrainError::Exists(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(TrainError::Exists(path.to_owned())),
            Err(error) => Err(TrainError::io(path, error)),
        }
    }

    /// Makes the folder of a new run with its settings, and the network file that it starts from.
    ///
    /// # Errors
    /// Something is there, or it cannot be made; a run can begin in the folder then.
    pub fn create(
        path: &Path,
        settings: &TrainingSettings,
        start: Option<&[u8]>,
    ) -> Result<TrainingFolder, TrainError> {
        TrainingFolder::is_free(path)?;
        fs::create_dir_all(path).map_err(|e| TrainError::io(path, e))?;
        // The settings make the folder that of a run, so everything else is written before.
        let unfinished = path.join(START_UNFINISHED);
        let write = || {
            start.map_or(Ok(()), |start| write_synced(&unfinished, start))?;
            write_whole(&path.join(FILE), settings.to_toml()?.as_bytes())
        };
        write().inspect_err(|_| {
            // If it cannot be removed, it does no harm.
            let _ = fs::remove_file(&unfinished);
        })?;
        TrainingFolder::open(path)
    }

    /// Opens the folder of a run to continue it.
    ///
    /// # Errors
    /// It cannot be opened, or another process works in it.
    pub fn open(path: &Path) -> Result<TrainingFolder, TrainError> {
        let file = path.join(FILE);
        let lock = File::open(&file).map_err(|e| TrainError::io(&file, e))?;
        if let Err(TryLockError::WouldBlock) = try_lock(&lock) {
            return Err(TrainError::Busy(path.to_owned()));
        }
        // File systems without locks are used without one.
        let unfinished = path.join(START_UNFINISHED);
        if unfinished.exists() {
            fs::rename(&unfinished, path.join(START)).map_err(|e| TrainError::io(&unfinished, e))?;
        }
        Ok(TrainingFolder { path: path.to_owned(), _lock: lock })
    }

    /// Writes a file of the folder; after an error it is unchanged.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, TrainError> {
        let path = self.path.join(name);
        write_whole(&path, content)?;
        Ok(path)
    }

    /// Writes the state of the run.
    ///
    /// # Errors
    /// It cannot be written; the state written before stays.
    pub fn save(&self, identity: u64, state: &TrainerState, window: &Window) -> Result<(), TrainError> {
        let numbers = [
            identity,
            state.steps,
            window.loss.to_bits(),
            window.batches,
            window.seconds.to_bits(),
            window.total.to_bits(),
        ];
        let lists = [&state.weights, &state.means, &state.squares].into_iter().chain(&state.average);
        let mut bytes = Vec::with_capacity(HEAD + (LISTS + 1) * size_of_val(&state.weights[..]) + SUM);
        bytes.extend(MAGIC);
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(lists.flat_map(|list| list.iter()).flat_map(|value| value.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        self.write(CHECKPOINT, &bytes).map(drop)
    }

    /// The last stored state, of networks with `length` weights; `None` if none was stored.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or belongs to another run.
    pub fn restore(&self, identity: u64, length: usize) -> Result<Option<(TrainerState, Window)>, TrainError> {
        let file = self.path.join(CHECKPOINT);
        let bytes = match fs::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|e| TrainError::io(&file, e))?,
        };
        parse(&bytes, identity, length).map(Some).map_err(|reason| TrainError::Damaged(file, reason.to_owned(), REMEDY))
    }

    /// Adds a line to the journal.
    pub fn append(&self, line: &TrainingLine) -> Result<(), TrainError> {
        let path = self.path.join(JOURNAL);
        let io = |e| TrainError::io(&path, e);
        let mut text = serde_json::to_string(line).map_err(|e| io(e.into()))?;
        text.push('\n');
        let mut file = File::options().append(true).create(true).open(&path).map_err(io)?;
        file.write_all(text.as_bytes()).map_err(io)
    }

    /// The lines of the journal up to a batch; later ones, which a resumed run writes again, and a torn one at the end are removed.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn lines_up_to(&self, batch: u64) -> Result<Vec<TrainingLine>, TrainError> {
        let path = self.path.join(JOURNAL);
        let text = read_if_there(&path).map_err(|e| TrainError::io(&path, e))?;
        let (mut lines, mut kept) = (Vec::new(), 0);
        for (number, text) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
            match serde_json::from_slice::<TrainingLine>(text) {
                Ok(line) if line.batch <= batch && text.ends_with(b"\n") => {
                    lines.push(line);
                    kept += text.len();
                }
                Ok(_) => break,
                Err(_) if !text.ends_with(b"\n") => break,
                Err(error) => {
                    let remedy = "restore the line or remove it: it counts for the report only";
                    return Err(TrainError::Damaged(path, format!("line {number}: {error}"), remedy));
                }
            }
        }
        if kept < text.len() {
            write_whole(&path, &text[..kept])?;
        }
        Ok(lines)
    }
}

fn parse(bytes: &[u8], identity: u64, length: usize) -> Result<(TrainerState, Window), &'static str> {
    if !bytes.starts_with(&MAGIC) {
        return Err("it is not a checkpoint of `quarterply train`");
    }
    let (body, sum) = bytes.split_last_chunk::<SUM>().ok_or("it is cut off")?;
    if crc32fast::hash(body).to_le_bytes() != *sum {
        return Err("checksum mismatch: it is damaged");
    }
    let (head, lists) = body.split_at_checked(HEAD).ok_or("it is cut off")?;
    let numbers: Vec<u64> = head[MAGIC.len()..].as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let [found, steps, loss, batches, seconds, total] = numbers[..] else { return Err("it is cut off") };
    if found != identity {
        return Err("it belongs to a run with other settings or other games");
    }
    let values: Vec<f32> = lists.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
    if values.len() != LISTS * length && values.len() != (LISTS + 1) * length {
        return Err("it belongs to a network of another size");
    }
    let list = |number: usize| Aligned::of(&values[number * length..(number + 1) * length]);
    let average = (values.len() > LISTS * length).then(|| list(LISTS));
    let state = TrainerState { weights: list(0), means: list(1), squares: list(2), average, steps };
    let [loss, seconds, total] = [loss, seconds, total].map(f64::from_bits);
    Ok((state, Window { loss, batches, seconds, total }))
}

/// Writes a file to the disk.
fn write_synced(path: &Path, content: &[u8]) -> Result<(), TrainError> {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    written.map_err(|e| TrainError::io(path, e))
}

/// Writes a temporary file in the same folder, then renames it over `path`.
fn write_whole(path: &Path, content: &[u8]) -> Result<(), TrainError> {
    draft::replace(path, content).map_err(|e| TrainError::io(path, e))
}
