//! The bytes of a trace file; `docs/window.md` describes them for other programs.

use super::compress::Compressor;
use quarterply_engine::params::{ParameterError, Parameters};
use serde::{Deserialize, Serialize};
use std::io;
use thiserror::Error;

/// First bytes of a trace.
pub(crate) const MAGIC: [u8; 8] = *b"QWINDOW\n";
/// Last bytes of a complete trace.
pub(crate) const END_MAGIC: [u8; 8] = *b"\nEND-QW\n";
/// The version that this program writes, and the only one it reads.
pub const VERSION: u32 = 2;
/// The stage of a quiet move that came as a killer or as the countermove; smaller numbers are places in [`Stage`].
///
/// [`Stage`]: quarterply_engine::ordering::Stage
pub(crate) const KILLER_OR_COUNTER: u8 = 4;
/// Bytes before the first frame: the magic and the version.
pub(crate) const PREFIX_BYTES: usize = MAGIC.len() + size_of::<u32>();
/// Bytes after the last frame: where the index is, and the magic.
pub(crate) const SUFFIX_BYTES: usize = size_of::<u64>() + END_MAGIC.len();
/// Bytes before the data of a frame: compressed and plain length.
pub(crate) const FRAME_HEAD_BYTES: usize = 2 * size_of::<u32>();
/// Largest frame: a damaged length must not cause a huge allocation.
pub(crate) const FRAME_BYTES_MAX: usize = 1 << 26;
/// A block of nodes is written out when it has grown to this.
pub(crate) const BLOCK_BYTES: usize = 1 << 17;

/// Reason why a trace cannot be read.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum TraceError {
    #[error("cannot read {file}: {reason}; check the path and the permissions")]
    Io { file: String, reason: io::Error },
    #[error(
        "cannot read {file}: not a trace (it begins with {found:?}); make one with `quarterply window search -o FILE`"
    )]
    NotATrace { file: String, found: String },
    #[error(
        "cannot read {file}: trace version {found}, this program reads version {VERSION}; record it again, or use a newer program"
    )]
    OtherVersion { file: String, found: u32 },
    #[error(
        "cannot read {file}: it ends too early, because the recording or the copy was cut short; record or copy it again"
    )]
    Truncated { file: String },
    #[error("cannot read {file}: damaged at {place}: {reason}; copy or record it again")]
    Damaged { file: String, place: String, reason: String },
    #[error("cannot find node {id}: the trace has nodes 0 to {last}")]
    NoNode { id: u64, last: u64 },
}

/// A rule as the trace names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RuleName {
    /// The rule.
    pub name: String,
    /// Labels of its numbers.
    pub labels: Vec<String>,
}

/// The position and the settings of the search.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TraceHeader {
    /// The program that made the trace.
    pub program: String,
    /// The position before the first move of the game.
    pub fen: String,
    /// True for Chess960, where castling is written as king takes rook.
    pub chess960: bool,
    /// The moves played from there to the root, in UCI notation.
    pub moves: Vec<String>,
    /// The profile.
    pub profile: String,
    /// Parameters that differ from the built-in default, by dotted name.
    pub parameters: Vec<(String, i32)>,
    /// The limits, for people: `depth 8`.
    pub limits: String,
    /// The recorder's filter, for people; empty if everything was recorded.
    pub filter: String,
    /// The rules, by the number under which nodes refer to them.
    pub rules: Vec<RuleName>,
    /// Text of the model file if a model was searched, else empty. It follows the rest of the header, and only if it is not empty.
    #[serde(skip)]
    pub model: String,
}

impl TraceHeader {
    /// The parameters that were searched with.
    ///
    /// # Errors
    /// This program has none of a name, or refuses its value.
    pub fn parameters(&self) -> Result<Parameters, ParameterError> {
        let mut parameters = Parameters::default();
        for (name, value) in &self.parameters {
            parameters.set(name, *value)?;
        }
        Ok(parameters)
    }
}

/// One search of the root.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct IterationInfo {
    /// Depth of the iteration in 1/1024 ply.
    pub depth: i32,
    /// Taken off it after fail highs, in 1/1024 ply.
    pub reduction: i32,
    /// Which of several lines was looked for, from 0.
    pub line: u32,
    /// Number of times that the window was widened before.
    pub attempt: u32,
    /// Its window.
    pub window: (i32, i32),
    /// Its root node, if that was recorded.
    pub root: Option<u64>,
    /// Moves made.
    pub nodes: u64,
    /// Nodes entered that were not recorded.
    pub unrecorded: u64,
    /// Its value; `None` if it was stopped.
    pub score: Option<i32>,
    /// Its best move, packed; 0 for none.
    pub best: u16,
    /// Number of the active voter of a consultation, from 0.
    pub voter: u32,
}

impl IterationInfo {
    /// Returns true if it found a value inside its window.
    pub fn is_exact(&self) -> bool {
        self.score.is_some_and(|score| self.window.0 < score && score < self.window.1)
    }
}

/// The result of the search and the contents of the trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TraceSummary {
    /// Every search of the root, in order.
    pub iterations: Vec<IterationInfo>,
    /// Nodes recorded.
    pub recorded: u64,
    /// Nodes entered that were not recorded.
    pub unrecorded: u64,
    /// Moves made by the search: its node count.
    pub nodes: u64,
    /// The principal variation in UCI notation.
    pub line: Vec<String>,
    /// Its value in pawns/100.
    pub score: i32,
    /// Depth of the last finished iteration (plies).
    pub depth: u32,
}

/// The places of the blocks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Footer {
    pub summary: TraceSummary,
    /// The first node and the offset of each block.
    pub blocks: Vec<(u64, u64)>,
}

/// The fixed part of a node as stored.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub(crate) struct RawNode {
    pub size: u64,
    pub unrecorded: u64,
    pub nodes: u64,
    pub ply: u16,
    pub iteration: u32,
    /// 0 for a root, else one more than the place in `Purpose::ALL`.
    pub purpose: u8,
    pub mv: u16,
    pub kind: u8,
    pub level: Option<u16>,
    pub in_check: bool,
    pub depth: i32,
    pub depth_out: i32,
    /// White's and Black's, where either is not `depth`.
    pub budget: Option<(i32, i32)>,
    pub window: (i32, i32),
    /// The amounts by which alpha rose and beta fell.
    pub raised: i32,
    pub lowered: i32,
    pub excluded: u16,
    pub table: Option<RawEntry>,
    pub value: Option<RawValue>,
    pub stored: bool,
    pub score: Option<i32>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub(crate) struct RawEntry {
    pub score: i32,
    pub bound: u8,
    pub depth: i32,
    pub mv: u16,
    pub eval: Option<i32>,
    /// The search of the root, and how many nodes back; 0 if the node was not recorded.
    pub origin: Option<(u32, u64)>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub(crate) struct RawValue {
    pub raw: Option<i32>,
    pub corrected: i32,
    pub estimate: i32,
    pub improving: bool,
}

/// An event at a node as stored, after its fixed part, up to the end of its bytes. `N` is a slice when written, a vector when read. `Only` has
/// the packed moves that exist at the node, where these are not the legal ones.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub(crate) enum RawEvent<N> {
    Deepened { rule: u8, amount: i32, numbers: N },
    Probed { mv: u16, search: RawSearch },
    Considered { mv: u16, stage: u8, order: Option<i32>, history: i32, gives_check: bool, number: u16 },
    Skipped { rule: u8, rest: u8, numbers: N },
    CostChanged { rule: u8, cost: i32, numbers: N },
    TotalCost { cost: i32 },
    Tried { search: RawSearch },
    Decision { decision: u8, score: i32 },
    Ended { rule: u8, numbers: N },
    Only { moves: N },
}

/// A search made from a node as stored: the child's number follows from the sizes, the last child being the one before its
/// parent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
pub(crate) struct RawSearch {
    pub purpose: u8,
    pub cost: i32,
    pub size: u64,
    pub unrecorded: u64,
    pub nodes: u64,
    pub score: Option<i32>,
}

/// Compresses and frames what follows the prefix.
pub(crate) struct Framer(Compressor);

impl Framer {
    pub fn new() -> io::Result<Framer> {
        Compressor::new().map(Framer)
    }

    /// The frame of `plain`: both lengths, then the compressed data with its checksum.
    pub fn frame(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
        let too_large = || io::Error::other("a frame of the trace is too large");
        if plain.len() > FRAME_BYTES_MAX {
            return Err(too_large());
        }
        let packed = self.0.compress(plain)?;
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| too_large());
        let mut frame = Vec::with_capacity(FRAME_HEAD_BYTES + packed.len());
        frame.extend(length(&packed)?.to_le_bytes());
        frame.extend(length(plain)?.to_le_bytes());
        frame.extend(packed);
        Ok(frame)
    }
}

/// Appends the postcard form of `value` to `bytes`.
pub(crate) fn append<T: Serialize>(bytes: &mut Vec<u8>, value: &T) {
    let form = postcard::to_stdvec(value);
    debug_assert!(form.is_ok(), "numbers, lists and names always have a form");
    bytes.extend(form.unwrap_or_default());
}

/// A complete file from the plain bytes of its frames: the header, blocks of nodes, and the index last. For tests of the reader:
/// nothing is checked.
pub fn assemble(frames: &[&[u8]]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    let mut last = file.len() as u64;
    let mut framer = Framer::new().ok();
    for frame in frames {
        last = file.len() as u64;
        file.extend(framer.as_mut().and_then(|framer| framer.frame(frame).ok()).unwrap_or_default());
    }
    file.extend(last.to_le_bytes());
    file.extend(END_MAGIC);
    file
}
