//! Reading games: from folders of runs, also of runs in progress, and from packed files.

use crate::error::DataError;
use crate::folder::shards_of;
use crate::packed::file::{self, Blocks, PackedBlock, PackedFile};
use crate::record::GameRecord;
use crate::shard::{ShardHeader, ShardReader};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice;

/// Games of a shard in a batch.
const BATCH: usize = 64;

/// A file of games.
#[derive(Clone, Debug)]
enum GameFile {
    Shard(Box<Shard>),
    Packed(PackedFile),
}

/// A shard to be read.
#[derive(Clone, Debug)]
struct Shard {
    path: PathBuf,
    header: ShardHeader,
    /// True if it may end within a block, like a shard that is being written.
    open_ended: bool,
    /// True if it continues where the previous one ended.
    follows: bool,
}

/// Games in files.
#[derive(Clone, Debug)]
pub struct Archive {
    parts: Vec<GameFile>,
    /// True if damage is skipped, so that numbers of games may be missing.
    pub(crate) skip_damaged: bool,
}

impl Archive {
    /// Opens folders of runs or of packed files, single shards and single packed files, in the order given; of a folder, the files are read in the
    /// order of their names. Headers are read at once.
    ///
    /// # Errors
    /// One of them cannot be read, is something else, or is from a later version; or a folder contains shards and packed files.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Archive, DataError> {
        let mut parts = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            if path.is_dir() {
                parts.extend(open_folder(path)?);
            } else if path.metadata().is_ok_and(|data| !data.is_file()) {
                return Err(DataError::Pipe(path.to_owned()));
            } else if is_packed(path)? {
                parts.push(GameFile::Packed(PackedFile::open(path)?));
            } else {
                parts.push(GameFile::Shard(Box::new(Shard::open(path.to_owned(), true, false)?)));
            }
        }
        Ok(Archive { parts, skip_damaged: false })
    }

    /// Opens the shards of a run, not the packed files in its folder.
    ///
    /// # Errors
    /// There are none, or one of them cannot be read.
    pub fn open_run(folder: &Path) -> Result<Archive, DataError> {
        let parts = open_shards(folder)?;
        if parts.is_empty() {
            return Err(DataError::Empty(folder.to_owned()));
        }
        Ok(Archive { parts, skip_damaged: false })
    }

    /// The same games, but damaged blocks of packed files are skipped, and damaged shards from the damage on. See [`ArchiveGames::skipped`].
    #[must_use]
    pub fn skipping_damaged(self, skip_damaged: bool) -> Archive {
        Archive { skip_damaged, ..self }
    }

    /// The headers of the files, in their order: one for each shard, also for those that were packed.
    pub fn headers(&self) -> impl Iterator<Item = &ShardHeader> {
        self.parts.iter().flat_map(GameFile::headers)
    }

    /// The files, in their order.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().map(GameFile::path)
    }

    /// The programs that played the games, each once, as text.
    pub fn origins(&self) -> Vec<String> {
        let mut origins = Vec::new();
        for header in self.headers() {
            let origin = &header.origin;
            let origin = format!("{}, evaluation {}, bench {}", origin.program, origin.evaluation, origin.bench);
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }

    /// All games, in the order of the files and of their numbers.
    pub fn games(&self) -> ArchiveGames<'_> {
        ArchiveGames { batches: self.batches(), games: VecDeque::new(), path: Path::new("") }
    }

    /// All games in portions that can be decoded in parallel.
    pub fn batches(&self) -> Batches<'_> {
        Batches {
            parts: self.parts.iter(),
            open: None,
            last: 0,
            skip_damaged: self.skip_damaged,
            failure: None,
            tails: Vec::new(),
            skipped: Vec::new(),
        }
    }
}

/// The files of games in a folder: the shards of a run, and packed files.
fn open_folder(folder: &Path) -> Result<Vec<GameFile>, DataError> {
    let mut parts = open_shards(folder)?;
    for file in packed_files(folder)? {
        if matches!(parts.first(), Some(GameFile::Shard(_))) {
            return Err(DataError::Mixed(folder.to_owned(), file));
        }
        parts.push(GameFile::Packed(PackedFile::open(&file)?));
    }
    if parts.is_empty() {
        return Err(DataError::Empty(folder.to_owned()));
    }
    Ok(parts)
}

fn open_shards(folder: &Path) -> Result<Vec<GameFile>, DataError> {
    let shards = shards_of(folder)?;
    let count = shards.len();
    let open =
        |(index, file)| Shard::open(file, index + 1 == count, index > 0).map(|shard| GameFile::Shard(Box::new(shard)));
    shards.into_iter().enumerate().map(open).collect()
}

/// The packed files of a folder, by name: `run.games` comes before `run-2.games`, and that before `run-10.games`.
fn packed_files(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let io = |error| DataError::io(folder, error);
    let entries = fs::read_dir(folder).map_err(io)?.map(|entry| Ok(entry.map_err(io)?.path()));
    let mut files = entries.collect::<Result<Vec<_>, DataError>>()?;
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == file::SUFFIX));
    files.sort_by_cached_key(|path| name_parts(path));
    Ok(files)
}

/// The parts of a file's name between hyphens, for sorting: a number is compared as a number and comes before any text.
fn name_parts(path: &Path) -> Vec<(u64, String)> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.split('-').map(|part| (part.parse().unwrap_or(u64::MAX), part.to_owned())).collect()
}

fn is_packed(path: &Path) -> Result<bool, DataError> {
    let mut beginning = Vec::new();
    let file = File::open(path).map_err(|error| DataError::io(path, error))?;
    let read = file.take(file::MAGIC.len() as u64).read_to_end(&mut beginning);
    read.map_err(|error| DataError::io(path, error))?;
    Ok(file::is_packed(&beginning))
}

impl GameFile {
    fn path(&self) -> &Path {
        match self {
            GameFile::Shard(shard) => &shard.path,
            GameFile::Packed(file) => file.path(),
        }
    }

    fn headers(&self) -> &[ShardHeader] {
        match self {
            GameFile::Shard(shard) => slice::from_ref(&shard.header),
            GameFile::Packed(file) => file.headers(),
        }
    }
}

impl Shard {
    fn open(path: PathBuf, open_ended: bool, follows: bool) -> Result<Shard, DataError> {
        let header = ShardReader::open(&path)?.header;
        Ok(Shard { path, header, open_ended, follows })
    }
}

/// Some games, perhaps still packed.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    part: &'a GameFile,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Games(Vec<GameRecord>),
    Block(PackedBlock),
}

impl<'a> Batch<'a> {
    /// The file that they are from.
    pub fn path(&self) -> &'a Path {
        self.part.path()
    }

    /// The games.
    ///
    /// # Errors
    /// They are packed, and the block is damaged in a way that its checksum does not show.
    pub fn games(self) -> Result<Vec<GameRecord>, DataError> {
        match self.content {
            Content::Games(games) => Ok(games),
            Content::Block(block) => block.decode(),
        }
    }

    /// The numbers of the games, which are consecutive. Packed games are not decoded for this.
    pub(crate) fn numbers(&self) -> Range<u64> {
        match &self.content {
            Content::Games(games) => {
                let first = games.first().map_or(0, |game| game.number);
                first..first + games.len() as u64
            }
            Content::Block(block) => block.numbers(),
        }
    }

    /// Number of records of each game, if these are positions that searches of games visited; otherwise 1. Record `n` belongs to
    /// game `n.div_ceil(each)`.
    pub fn each(&self) -> u64 {
        let sampling = self.part.headers().first().and_then(|header| header.settings.sampling);
        sampling.map_or(1, |sampling| sampling.each.max(1))
    }

    /// The seed of the run: with the number of a game it identifies the game, also in relabelled copies and samples of the run.
    pub fn seed(&self) -> u64 {
        self.part.headers().first().map_or(0, |header| header.settings.seed)
    }
}

/// A block that was left out because the file ends within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruncatedBlock {
    /// The file.
    pub path: PathBuf,
    /// Its offset.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// A file that is being read.
enum OpenFile {
    Shard(Box<ShardReader>),
    Packed(Blocks),
}

/// Walks over the games of an archive in portions; ends after the first error.
pub struct Batches<'a> {
    parts: slice::Iter<'a, GameFile>,
    open: Option<(&'a GameFile, OpenFile)>,
    /// The number of the last game read.
    last: u64,
    skip_damaged: bool,
    /// Comes after the games before it.
    failure: Option<DataError>,
    tails: Vec<TruncatedBlock>,
    skipped: Vec<String>,
}

impl<'a> Batches<'a> {
    fn advance(&mut self) -> Result<Option<Batch<'a>>, DataError> {
        loop {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            let Some((part, open)) = self.open.take() else {
                let Some(part) = self.parts.next() else { return Ok(None) };
                self.open = Some((part, self.begin(part)?));
                continue;
            };
            let content = match open {
                OpenFile::Packed(mut blocks) => {
                    let block = blocks.next();
                    self.open = block.is_some().then_some((part, OpenFile::Packed(blocks)));
                    block.transpose()?.map(Content::Block)
                }
                OpenFile::Shard(mut reader) => {
                    let (games, failure) = read_some(&mut reader);
                    self.last += games.len() as u64;
                    if games.len() < BATCH {
                        self.failure = failure.or_else(|| self.end(part, &reader).err());
                    } else {
                        self.open = Some((part, OpenFile::Shard(reader)));
                    }
                    (!games.is_empty()).then_some(Content::Games(games))
                }
            };
            if let Some(content) = content {
                return Ok(Some(Batch { part, content }));
            }
        }
    }

    fn begin(&mut self, part: &GameFile) -> Result<OpenFile, DataError> {
        let shard = match part {
            GameFile::Packed(file) => return Ok(OpenFile::Packed(file.blocks())),
            GameFile::Shard(shard) => shard,
        };
        let reader = ShardReader::open(&shard.path)?;
        let found = reader.next_number();
        if shard.follows && found != self.last + 1 && !self.skip_damaged {
            return Err(DataError::Gap(shard.path.clone(), found, self.last));
        }
        self.last = found - 1;
        Ok(OpenFile::Shard(Box::new(reader)))
    }

    /// Closes a shard whose games have all been read.
    fn end(&mut self, part: &GameFile, reader: &ShardReader) -> Result<(), DataError> {
        if let GameFile::Shard(shard) = part
            && reader.tail > 0
        {
            let (path, offset) = (shard.path.clone(), reader.offset);
            if !shard.open_ended {
                return Err(DataError::CutOff(path, reader.blocks + 1, offset));
            }
            self.tails.push(TruncatedBlock { path, offset, bytes: reader.tail });
        }
        Ok(())
    }

    fn end_here(&mut self) {
        self.open = None;
        self.parts = [].iter();
    }

    /// Messages about skipped damage.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Skips damage if the archive allows it. The rest of a damaged shard is skipped.
    fn skip(&mut self, error: DataError) -> Result<(), DataError> {
        let damage = matches!(error, DataError::PackedBlock { .. } | DataError::Block { .. } | DataError::CutOff(..));
        if !self.skip_damaged || !damage {
            return Err(error);
        }
        self.skipped.push(error.fault());
        Ok(())
    }
}

/// The next games of a shard, and what ended them if that was damage.
fn read_some(reader: &mut ShardReader) -> (Vec<GameRecord>, Option<DataError>) {
    let (mut games, mut buffer) = (Vec::new(), Vec::new());
    while games.len() < BATCH {
        match reader.next_game(&mut buffer) {
            Ok(Some(game)) => games.push(game),
            Ok(None) => break,
            Err(error) => return (games, Some(error)),
        }
    }
    (games, None)
}

impl<'a> Iterator for Batches<'a> {
    type Item = Result<Batch<'a>, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let error = match self.advance() {
                Ok(batch) => return batch.map(Ok),
                Err(error) => error,
            };
            if let Err(error) = self.skip(error) {
                self.end_here();
                return Some(Err(error));
            }
        }
    }
}

/// Walks over games; ends after the first error.
pub struct ArchiveGames<'a> {
    batches: Batches<'a>,
    games: VecDeque<GameRecord>,
    path: &'a Path,
}

impl<'a> ArchiveGames<'a> {
    /// The file that the latest game came from.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// The cut-off blocks met so far: what a kill leaves, or what is just being written.
    pub fn tails(&self) -> &[TruncatedBlock] {
        &self.batches.tails
    }

    /// Messages about the damage skipped so far.
    pub fn skipped(&self) -> &[String] {
        self.batches.skipped()
    }
}

impl Iterator for ArchiveGames<'_> {
    type Item = Result<GameRecord, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.games.pop_front() {
                return Some(Ok(game));
            }
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            };
            self.path = batch.path();
            match batch.games() {
                Ok(games) => self.games = games.into(),
                Err(error) => {
                    self.batches.end_here();
                    return Some(Err(error));
                }
            }
        }
    }
}
