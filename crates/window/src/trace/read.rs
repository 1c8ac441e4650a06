//! Reads a trace: only the blocks of the requested nodes.

use super::compress::decompress;
use super::format::{
    END_MAGIC, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, Footer, IterationInfo, MAGIC, PREFIX_BYTES, RawNode, SUFFIX_BYTES,
    TraceError, TraceHeader, TraceSummary, VERSION,
};
use super::node::{NodeId, NodeRecord, RuleReason};
use super::unpack::unpack;
use crate::words;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::shakmaty::CastlingMode;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks kept decompressed: 32 MiB.
const CACHED_BLOCKS: usize = 256;
/// Name of a trace in memory in messages.
const MEMORY: &str = "the trace";

trait TraceSource: Read + Seek + Send {}
impl<T: Read + Seek + Send> TraceSource for T {}

/// A trace whose nodes are read on request. Reading needs no exclusive access, so threads may share it.
pub struct Trace {
    file: String,
    header: TraceHeader,
    summary: TraceSummary,
    /// The rule of each number under which nodes refer to it.
    rules: Vec<Rule>,
    blocks: Vec<(u64, u64)>,
    cache: Mutex<BlockCache>,
}

struct BlockCache {
    source: Box<dyn TraceSource>,
    /// The blocks that are decompressed, by number.
    blocks: Vec<Option<Arc<NodeBlock>>>,
    /// Their numbers, in the order in which they were read.
    read: VecDeque<usize>,
}

/// A block of nodes, decompressed.
struct NodeBlock {
    first: u64,
    bytes: Vec<u8>,
    /// The begin and end of each node's bytes.
    nodes: Vec<(usize, usize)>,
}

impl Trace {
    /// Opens a trace file.
    ///
    /// # Errors
    /// [`TraceError`] naming the file and the reason.
    pub fn open(path: &Path) -> Result<Trace, TraceError> {
        let file = path.display().to_string();
        if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let reason = std::io::Error::other("it is a pipe or a device, not a regular file");
            return Err(TraceError::Io { file, reason });
        }
        match File::open(path) {
            Ok(source) => Trace::read(file, Box::new(BufReader::new(source))),
            Err(reason) => Err(TraceError::Io { file, reason }),
        }
    }

    /// Reads a trace that was just written to an open file; `name` is for messages.
    pub fn from_file(name: &str, mut file: File) -> Result<Trace, TraceError> {
        file.rewind().map_err(|reason| io_error(name, reason))?;
        Trace::read(name.to_owned(), Box::new(BufReader::new(file)))
    }

    /// Reads a trace in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Trace, TraceError> {
        Trace::read(MEMORY.to_owned(), Box::new(Cursor::new(bytes)))
    }

    fn read(file: String, mut source: Box<dyn TraceSource>) -> Result<Trace, TraceError> {
        check_prefix(&file, &mut source)?;
        let header = header(&file, &frame(&file, "the header", &mut source)?)?;
        let rules = known_rules(&file, &header)?;
        let end = source.seek(SeekFrom::End(0)).map_err(|reason| io_error(&file, reason))?;
        let footer_at = footer_offset(&file, &mut source, end)?;
        seek(&file, &mut source, footer_at)?;
        let footer: Footer = decode(&file, "the index", &frame(&file, "the index", &mut source)?)?;
        let Footer { summary, blocks } = footer;
        let in_order = |pair: &[(u64, u64)]| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1;
        let from_start = blocks.first().is_none_or(|&(first, _)| first == 0);
        let to_end = blocks.last().is_none_or(|&(first, at)| first < summary.recorded && at < footer_at);
        // Each node takes a byte at least.
        let has_room = blocks.len() as u64 * FRAME_BYTES_MAX as u64 >= summary.recorded;
        let roots_exist = summary.iterations.iter().all(|i| i.root.is_none_or(|root| root < summary.recorded));
        if !blocks.windows(2).all(in_order)
            || !from_start
            || !to_end
            || !has_room
            || !roots_exist
            || blocks.is_empty() != (summary.recorded == 0)
        {
            return Err(damaged(&file, "the index", "its parts do not fit together"));
        }
        let cache = Mutex::new(BlockCache { source, blocks: vec![None; blocks.len()], read: VecDeque::new() });
        Ok(Trace { file, header, summary, rules, blocks, cache })
    }

    /// The whole file.
    pub fn bytes(&self) -> Result<Vec<u8>, TraceError> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        seek(&self.file, &mut cache.source, 0)?;
        let mut bytes = Vec::new();
        cache.source.read_to_end(&mut bytes).map_err(|reason| io_error(&self.file, reason))?;
        Ok(bytes)
    }

    /// The position and the settings of the search.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// The result of the search, and its iterations.
    pub fn summary(&self) -> &TraceSummary {
        &self.summary
    }

    /// Number of recorded nodes.
    pub fn len(&self) -> u64 {
        self.summary.recorded
    }

    /// Returns true if no node was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the numbers of `rule` in this trace.
    pub fn labels(&self, rule: Rule) -> &[String] {
        let place = self.rules.iter().position(|&known| known == rule);
        place.map_or(&[], |place| &self.header.rules[place].labels)
    }

    /// A decision of a rule in words: `reverse futility: 312 - 234 = 78 >= beta 51 (3 plies x 78)`.
    pub fn words(&self, by: &RuleReason) -> String {
        words::rule_and_reason(by, self.labels(by.rule))
    }

    /// The roots of all recorded iterations, in order.
    pub fn roots(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        self.summary.iterations.iter().filter_map(|iteration| iteration.root)
    }

    /// The root of the last recorded search of the root that found a value inside its window, that of the whole search if there is one;
    /// else of the last that was finished, else of the last.
    pub fn last_root(&self) -> Option<NodeId> {
        self.last_iteration().and_then(|iteration| iteration.root)
    }

    fn last_iteration(&self) -> Option<&IterationInfo> {
        let recorded = || self.summary.iterations.iter().rev().filter(|iteration| iteration.root.is_some());
        let chosen = recorded()
            .find(|iteration| iteration.is_exact() && iteration.score == Some(self.summary.score))
            .or_else(|| recorded().find(|iteration| iteration.is_exact()))
            .or_else(|| recorded().find(|iteration| iteration.score.is_some()));
        chosen.or_else(|| recorded().next())
    }

    /// The recorded iterations of the voter whose answer was chosen: all but those of a consultation's other voter.
    pub fn chosen_iterations(&self) -> impl DoubleEndedIterator<Item = &IterationInfo> {
        let voter = self.last_iteration().map(|iteration| iteration.voter);
        let recorded = self.summary.iterations.iter().filter(|iteration| iteration.root.is_some());
        recorded.filter(move |iteration| Some(iteration.voter) == voter)
    }

    /// The game that led to the root.
    ///
    /// # Errors
    /// [`TraceError::Damaged`] if the header has no legal game.
    pub fn game(&self) -> Result<Game, TraceError> {
        let refuse = |reason: String| damaged(&self.file, "the header", &reason);
        let mode = if self.header.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let mut game = Game::from_fen(&self.header.fen, mode).map_err(|error| refuse(error.to_string()))?;
        game.play_line(&self.header.moves).map_err(|error| refuse(error.to_string()))?;
        Ok(game)
    }

    /// One node.
    ///
    /// # Errors
    /// [`TraceError`]: there is no such node, or the file is damaged.
    pub fn node(&self, id: NodeId) -> Result<NodeRecord, TraceError> {
        if id >= self.len() {
            return Err(TraceError::NoNode { id, last: self.len().saturating_sub(1) });
        }
        let number = self.blocks.partition_point(|&(first, _)| first <= id) - 1;
        let block = self.block(number)?;
        let place = format!("node {id}");
        let bytes = usize::try_from(id - block.first).ok().and_then(|index| block.nodes.get(index));
        let &(from, to) = bytes.ok_or_else(|| damaged(&self.file, &place, "its block ends before it"))?;
        let unreadable = |error: postcard::Error| damaged(&self.file, &place, &error.to_string());
        let (raw, events): (RawNode, _) = postcard::take_from_bytes(&block.bytes[from..to]).map_err(unreadable)?;
        unpack(id, &raw, events, &self.rules, self.summary.iterations.len())
            .map_err(|reason| damaged(&self.file, &place, &reason))
    }

    /// The nodes from the root of its iteration to `id`, both included.
    ///
    /// # Errors
    /// As for [`Trace::node`].
    pub fn path(&self, id: NodeId) -> Result<Vec<NodeRecord>, TraceError> {
        let root = self.roots().find(|&root| root >= id);
        let root = root.ok_or(TraceError::NoNode { id, last: self.len().saturating_sub(1) })?;
        let mut path = vec![self.node(root)?];
        while let Some(above) = path.last()
            && above.id > id
        {
            let next = above.children().find(|&child| child >= id);
            let next = next.ok_or_else(|| damaged(&self.file, &format!("node {}", above.id), "a child is missing"))?;
            path.push(self.node(next)?);
        }
        Ok(path)
    }

    fn block(&self, number: usize) -> Result<Arc<NodeBlock>, TraceError> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = &cache.blocks[number] {
            return Ok(Arc::clone(block));
        }
        let (first, offset) = self.blocks[number];
        let place = format!("block {number}");
        seek(&self.file, &mut cache.source, offset)?;
        let bytes = frame(&self.file, &place, &mut cache.source)?;
        let nodes = split(&bytes).ok_or_else(|| damaged(&self.file, &place, "a node runs over its end"))?;
        let block = Arc::new(NodeBlock { first, bytes, nodes });
        cache.blocks[number] = Some(Arc::clone(&block));
        cache.read.push_back(number);
        if cache.read.len() > CACHED_BLOCKS
            && let Some(oldest) = cache.read.pop_front()
        {
            cache.blocks[oldest] = None;
        }
        Ok(block)
    }
}

/// The begin and end of each node of a block. Each node follows its length.
fn split(bytes: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut nodes = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (length, after): (usize, _) = postcard::take_from_bytes(rest).ok()?;
        let from = bytes.len() - after.len();
        rest = after.get(length..)?;
        nodes.push((from, from + length));
    }
    Some(nodes)
}

fn check_prefix(file: &str, source: &mut dyn TraceSource) -> Result<(), TraceError> {
    let mut prefix = Vec::new();
    source.take(PREFIX_BYTES as u64).read_to_end(&mut prefix).map_err(|reason| io_error(file, reason))?;
    let (magic, version) = prefix.split_at(MAGIC.len().min(prefix.len()));
    if magic != MAGIC {
        return if MAGIC.starts_with(magic) && !magic.is_empty() {
            Err(TraceError::Truncated { file: file.to_owned() })
        } else {
            let found = String::from_utf8_lossy(magic).into_owned();
            Err(TraceError::NotATrace { file: file.to_owned(), found })
        };
    }
    let version = version.try_into().map_err(|_| TraceError::Truncated { file: file.to_owned() })?;
    match u32::from_le_bytes(version) {
        VERSION => Ok(()),
        found => Err(TraceError::OtherVersion { file: file.to_owned(), found }),
    }
}

/// The place of the last frame, from the last bytes of the file.
fn footer_offset(file: &str, source: &mut Box<dyn TraceSource>, end: u64) -> Result<u64, TraceError> {
    let truncated = || TraceError::Truncated { file: file.to_owned() };
    let at = end.checked_sub(SUFFIX_BYTES as u64).ok_or_else(truncated)?;
    seek(file, source, at)?;
    let mut suffix = [0; SUFFIX_BYTES];
    source.read_exact(&mut suffix).map_err(|reason| io_error(file, reason))?;
    let (offset, magic) = suffix.split_at(size_of::<u64>());
    if magic != END_MAGIC {
        return Err(truncated());
    }
    let offset = offset.try_into().map(u64::from_le_bytes).map_err(|_| truncated())?;
    if offset >= at {
        return Err(damaged(file, "the end", "it places the index behind the end"));
    }
    Ok(offset)
}

/// Reads and decompresses the frame at the current position of the source.
fn frame(file: &str, place: &str, source: &mut dyn TraceSource) -> Result<Vec<u8>, TraceError> {
    let mut head = [0; FRAME_HEAD_BYTES];
    let short = |reason: std::io::Error| match reason.kind() {
        ErrorKind::UnexpectedEof => TraceError::Truncated { file: file.to_owned() },
        _ => io_error(file, reason),
    };
    source.read_exact(&mut head).map_err(short)?;
    let word = |from: usize| {
        let mut bytes = [0; size_of::<u32>()];
        bytes.copy_from_slice(&head[from..from + size_of::<u32>()]);
        u32::from_le_bytes(bytes) as usize
    };
    let (packed, plain) = (word(0), word(size_of::<u32>()));
    if packed > FRAME_BYTES_MAX || plain > FRAME_BYTES_MAX {
        return Err(damaged(file, place, "its length is out of range"));
    }
    let mut data = Vec::new();
    source.take(packed as u64).read_to_end(&mut data).map_err(short)?;
    if data.len() < packed {
        return Err(TraceError::Truncated { file: file.to_owned() });
    }
    let bytes = decompress(&data, plain).map_err(|error| damaged(file, place, &error.to_string()))?;
    if bytes.len() == plain { Ok(bytes) } else { Err(damaged(file, place, "it is shorter than its length says")) }
}

fn decode<T: DeserializeOwned>(file: &str, place: &str, bytes: &[u8]) -> Result<T, TraceError> {
    postcard::from_bytes(bytes).map_err(|error| damaged(file, place, &error.to_string()))
}

/// The header, with the model that follows it if there is one.
fn header(file: &str, bytes: &[u8]) -> Result<TraceHeader, TraceError> {
    const PLACE: &str = "the header";
    let (header, rest) =
        postcard::take_from_bytes::<TraceHeader>(bytes).map_err(|error| damaged(file, PLACE, &error.to_string()))?;
    let model = if rest.is_empty() { String::new() } else { decode(file, PLACE, rest)? };
    Ok(TraceHeader { model, ..header })
}

/// The program's rules by the numbers of the trace.
fn known_rules(file: &str, header: &TraceHeader) -> Result<Vec<Rule>, TraceError> {
    let find = |name: &str| Rule::ALL.iter().copied().find(|rule| rule.name() == name);
    let unknown = |name: &str| damaged(file, "the header", &format!("no rule is named `{name}` in this program"));
    header.rules.iter().map(|rule| find(&rule.name).ok_or_else(|| unknown(&rule.name))).collect()
}

fn seek(file: &str, source: &mut Box<dyn TraceSource>, to: u64) -> Result<(), TraceError> {
    source.seek(SeekFrom::Start(to)).map(drop).map_err(|reason| io_error(file, reason))
}

fn io_error(file: &str, reason: std::io::Error) -> TraceError {
    TraceError::Io { file: file.to_owned(), reason }
}

fn damaged(file: &str, place: &str, reason: &str) -> TraceError {
    TraceError::Damaged { file: file.to_owned(), place: place.to_owned(), reason: reason.to_owned() }
}
