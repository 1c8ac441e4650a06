//! Writes a trace during the search. A few blocks of nodes are in memory at a time: the search fills one while a separate thread
//! compresses and writes those before. Without threads the search compresses each block itself.

use super::encode::Encode;
use super::format::{
    BLOCK_BYTES, END_MAGIC, Footer, Framer, MAGIC, RawNode, TraceHeader, TraceSummary, VERSION, append,
};
use super::partial::PartialTraces;
use std::any::Any;
use std::io::{self, Write};

#[cfg(target_arch = "wasm32")]
use direct::BlockWriter;
#[cfg(not(target_arch = "wasm32"))]
use threaded::BlockWriter;

/// Room for the last node of a block.
const BLOCK_ROOM: usize = BLOCK_BYTES + BLOCK_BYTES / 2;

/// The destination of a trace, which is returned at the end with its own type.
pub(crate) trait Sink: Write + Send + Any {}

impl<W: Write + Send + 'static> Sink for W {}

/// A trace being written.
pub(crate) struct Writer {
    blocks: BlockWriter,
    /// Nodes of the block being filled, each after its length.
    block: Vec<u8>,
    /// The first node of every block.
    firsts: Vec<u64>,
    first: u64,
    /// The number of the next node.
    next: u64,
    head: Vec<u8>,
    /// The place of the first node of a part in the block, and its number. While a part is made, nothing is written.
    part: Option<(usize, u64)>,
}

/// Nodes after those that were written, and the summary, of a trace that ends there.
struct TracePart {
    block: Vec<u8>,
    firsts: Vec<u64>,
    summary: TraceSummary,
}

/// The file, as the thread sees it.
struct File {
    out: Box<dyn Sink>,
    framer: Framer,
    /// Bytes written so far.
    offset: u64,
    /// The place of each block.
    offsets: Vec<u64>,
    parts: Option<PartialTraces>,
}

impl Writer {
    /// Begins a trace, which is also sent to `parts` while it grows.
    pub fn new(out: Box<dyn Sink>, header: &TraceHeader, parts: Option<PartialTraces>) -> io::Result<Writer> {
        let blocks = BlockWriter::start(File::new(out, header, parts)?)?;
        let block = Vec::with_capacity(BLOCK_ROOM);
        Ok(Writer { blocks, block, firsts: Vec::new(), first: 0, next: 0, head: Vec::new(), part: None })
    }

    /// The number the next node will have.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Adds a node: its fixed part, then its events.
    pub fn node(&mut self, node: &RawNode, events: &[u8]) {
        self.head.clear();
        node.encode(&mut self.head);
        ((self.head.len() + events.len()) as u64).encode(&mut self.block);
        self.block.extend_from_slice(&self.head);
        self.block.extend_from_slice(events);
        self.next += 1;
        if self.block.len() >= BLOCK_BYTES && self.part.is_none() {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.block = self.blocks.write(block);
        self.firsts.push(self.first);
        self.first = self.next;
    }

    /// Returns true if all nodes were written.
    pub fn is_flushed(&self) -> bool {
        self.block.is_empty()
    }

    /// The nodes that follow, up to [`Writer::send_part`], belong to a part only.
    pub fn begin_part(&mut self) {
        self.part = Some((self.block.len(), self.next));
    }

    /// Sends the bytes that were written with the nodes since [`Writer::begin_part`], which are forgotten.
    pub fn send_part(&mut self, summary: TraceSummary) {
        let Some((length, next)) = self.part.take() else { return };
        let mut firsts = self.firsts.clone();
        let block = self.block.clone();
        firsts.extend((!block.is_empty()).then_some(self.first));
        self.block.truncate(length);
        self.next = next;
        self.blocks.send(TracePart { block, firsts, summary });
    }

    /// Writes the remaining nodes, the summary and the index.
    pub fn finish(mut self, summary: TraceSummary) -> io::Result<Box<dyn Sink>> {
        if !self.block.is_empty() {
            self.flush();
        }
        let file = self.blocks.finish()?;
        let blocks = self.firsts.into_iter().zip(file.offsets.iter().copied()).collect();
        file.finish(&Footer { summary, blocks })
    }
}

impl File {
    fn new(out: Box<dyn Sink>, header: &TraceHeader, parts: Option<PartialTraces>) -> io::Result<File> {
        let mut file = File { out, framer: Framer::new()?, offset: 0, offsets: Vec::new(), parts };
        file.put(&MAGIC)?;
        file.put(&VERSION.to_le_bytes())?;
        let mut bytes = Vec::new();
        append(&mut bytes, header);
        if !header.model.is_empty() {
            append(&mut bytes, &header.model);
        }
        file.frame(&bytes)?;
        Ok(file)
    }

    fn block(&mut self, plain: &[u8]) -> io::Result<()> {
        self.offsets.push(self.offset);
        self.frame(plain)
    }

    fn frame(&mut self, plain: &[u8]) -> io::Result<()> {
        let frame = self.framer.frame(plain)?;
        self.put(&frame)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        if let Some(parts) = &mut self.parts {
            parts.fresh.extend_from_slice(bytes);
        }
        self.out.write_all(bytes)
    }

    /// Sends what is fresh, with the end of a trace that is complete here.
    fn send(&mut self, part: &TracePart) -> io::Result<()> {
        let Some(PartialTraces { receive, fresh, .. }) = &mut self.parts else { return Ok(()) };
        let mut offsets = self.offsets.clone();
        let mut end = Vec::new();
        if !part.block.is_empty() {
            offsets.push(self.offset);
            end = self.framer.frame(&part.block)?;
        }
        let blocks = part.firsts.iter().copied().zip(offsets).collect();
        let footer = Footer { summary: part.summary.clone(), blocks };
        let at = self.offset + end.len() as u64;
        end.extend(ending(&mut self.framer, &footer, at)?);
        receive(fresh, &end);
        fresh.clear();
        Ok(())
    }

    fn finish(mut self, footer: &Footer) -> io::Result<Box<dyn Sink>> {
        self.parts = None;
        let end = ending(&mut self.framer, footer, self.offset)?;
        self.put(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The bytes after the last node, which begin at `at`.
fn ending(framer: &mut Framer, footer: &Footer, at: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    append(&mut bytes, footer);
    let mut end = framer.frame(&bytes)?;
    end.extend(at.to_le_bytes());
    end.extend(END_MAGIC);
    Ok(end)
}

#[cfg(not(target_arch = "wasm32"))]
mod threaded {
    use super::{BLOCK_ROOM, File, TracePart};
    use std::io;
    use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
    use std::thread::{self, JoinHandle};

    /// Blocks that may wait to be written; the search waits when there are more.
    const WAITING_MAX: usize = 8;

    /// A message to the thread.
    enum WriterMessage {
        /// A block of nodes.
        Block(Vec<u8>),
        /// The end of a part, to be sent and not to be written.
        Part(TracePart),
    }

    /// Writes blocks on a separate thread.
    pub struct BlockWriter {
        /// To the thread that writes; `None` once it has failed.
        blocks: Option<SyncSender<WriterMessage>>,
        /// Written blocks come back for their memory.
        spent: Receiver<Vec<u8>>,
        thread: JoinHandle<io::Result<File>>,
    }

    impl BlockWriter {
        pub fn start(mut file: File) -> io::Result<BlockWriter> {
            let (blocks, waiting) = sync_channel::<WriterMessage>(WAITING_MAX);
            let (give_back, spent) = channel();
            let thread = thread::Builder::new().name("trace".to_owned()).spawn(move || {
                for written in waiting {
                    match written {
                        WriterMessage::Part(part) => file.send(&part)?,
                        WriterMessage::Block(block) => {
                            file.block(&block)?;
                            let _ = give_back.send(block); // the search may have ended
                        }
                    }
                }
                Ok(file)
            })?;
            Ok(BlockWriter { blocks: Some(blocks), spent, thread })
        }

        fn hand_over(&mut self, written: WriterMessage) {
            let sent = self.blocks.as_ref().is_some_and(|blocks| blocks.send(written).is_ok());
            if !sent {
                self.blocks = None;
            }
        }

        pub fn send(&mut self, part: TracePart) {
            self.hand_over(WriterMessage::Part(part));
        }

        /// Takes a block and returns an empty one.
        pub fn write(&mut self, block: Vec<u8>) -> Vec<u8> {
            self.hand_over(WriterMessage::Block(block));
            let mut fresh = self.spent.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK_ROOM));
            fresh.clear();
            fresh
        }

        pub fn finish(mut self) -> io::Result<File> {
            drop(self.blocks.take());
            self.thread.join().map_err(|_| io::Error::other("the thread that writes the trace has panicked"))?
        }
    }
}

#[cfg(any(test, target_arch = "wasm32"))]
mod direct {
    use super::{File, TracePart};
    use std::io;

    /// Writes blocks at once.
    pub struct BlockWriter {
        file: File,
        /// The first error; nothing is written after it.
        written: io::Result<()>,
    }

    impl BlockWriter {
        pub fn start(file: File) -> io::Result<BlockWriter> {
            Ok(BlockWriter { file, written: Ok(()) })
        }

        pub fn send(&mut self, part: TracePart) {
            if self.written.is_ok() {
                self.written = self.file.send(&part);
            }
        }

        /// Takes a block and returns an empty one.
        pub fn write(&mut self, mut block: Vec<u8>) -> Vec<u8> {
            if self.written.is_ok() {
                self.written = self.file.block(&block);
            }
            block.clear();
            block
        }

        pub fn finish(self) -> io::Result<File> {
            self.written.map(|()| self.file)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// The bytes of a file with these blocks.
    fn bytes(file: File) -> Vec<u8> {
        let footer = Footer { summary: TraceSummary::default(), blocks: Vec::new() };
        let out: Box<dyn Any> = file.finish(&footer).expect("memory");
        *out.downcast::<Vec<u8>>().expect("the sink comes back as it went")
    }

    #[test]
    fn with_and_without_threads_the_file_is_the_same() {
        let received = [(); 2].map(|()| Arc::new(Mutex::new(Vec::new())));
        let [one, other] = received.clone().map(|received| {
            let receive =
                move |fresh: &[u8], end: &[u8]| received.lock().expect("no panic").push([fresh, end].concat());
            let parts = PartialTraces::new(Duration::ZERO, receive);
            File::new(Box::new(Vec::new()), &TraceHeader::default(), Some(parts)).expect("memory")
        });
        let mut one = threaded::BlockWriter::start(one).expect("a thread");
        let mut other = direct::BlockWriter::start(other).expect("nothing to fail");
        let part = || TracePart { block: vec![7], firsts: vec![0, 1], summary: TraceSummary::default() };
        let blocks = || (0..20_u8).map(|number| vec![number; 5000]);
        for block in blocks() {
            assert!(one.write(block.clone()).is_empty() && other.write(block).is_empty());
            one.send(part());
            other.send(part());
        }
        let (one, other) = (one.finish().expect("written"), other.finish().expect("written"));
        assert_eq!((one.offsets.len(), &one.offsets), (20, &other.offsets));
        assert_eq!(bytes(one), bytes(other));
        let [one, other] = received.map(|received| received.lock().expect("no panic").clone());
        assert!(one.len() == 20 && one == other);
    }
}
