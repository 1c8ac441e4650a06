//! Writes a trace as the search goes on. A few blocks of nodes are in memory at a time: the search fills one while a thread of
//! its own compresses and writes those before. Where there are no threads, the search compresses each block itself.

use super::encode::Encode;
use super::format::{
    BLOCK_BYTES, END_MAGIC, Footer, Framer, MAGIC, PREFIX_BYTES, RawNode, TraceHeader, TraceSummary, VERSION, append,
};
use std::any::Any;
use std::io::{self, Write};

#[cfg(target_arch = "wasm32")]
use direct::BlockWriter;
#[cfg(not(target_arch = "wasm32"))]
use threaded::BlockWriter;

/// Room for the last node of a block.
const BLOCK_ROOM: usize = BLOCK_BYTES + BLOCK_BYTES / 2;

/// Where a trace goes. Given back at the end as what it was.
pub(crate) trait Sink: Write + Send {
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<W: Write + Send + 'static> Sink for W {
    fn into_any(self: Box<W>) -> Box<dyn Any> {
        self
    }
}

/// A trace being written.
pub(crate) struct Writer {
    blocks: BlockWriter,
    /// Nodes of the block being filled, each behind its length.
    block: Vec<u8>,
    /// The first node of every block.
    firsts: Vec<u64>,
    first: u64,
    /// The number of the next node.
    next: u64,
    head: Vec<u8>,
}

/// The file, as the thread sees it.
struct File {
    out: Box<dyn Sink>,
    framer: Framer,
    /// Bytes written so far.
    offset: u64,
    /// Where each block begins.
    offsets: Vec<u64>,
}

impl Writer {
    /// Begins a trace.
    pub fn new(out: Box<dyn Sink>, header: &TraceHeader) -> io::Result<Writer> {
        let blocks = BlockWriter::start(File::new(out, header)?)?;
        let block = Vec::with_capacity(BLOCK_ROOM);
        Ok(Writer { blocks, block, firsts: Vec::new(), first: 0, next: 0, head: Vec::new() })
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
        if self.block.len() >= BLOCK_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.block = self.blocks.write(block);
        self.firsts.push(self.first);
        self.first = self.next;
    }

    /// Writes what is left, the summary and the index.
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
    fn new(mut out: Box<dyn Sink>, header: &TraceHeader) -> io::Result<File> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        let mut file = File { out, framer: Framer::new()?, offset: PREFIX_BYTES as u64, offsets: Vec::new() };
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
        self.offset += frame.len() as u64;
        self.out.write_all(&frame)
    }

    fn finish(mut self, footer: &Footer) -> io::Result<Box<dyn Sink>> {
        let at = self.offset;
        let mut bytes = Vec::new();
        append(&mut bytes, footer);
        self.frame(&bytes)?;
        self.out.write_all(&at.to_le_bytes())?;
        self.out.write_all(&END_MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod threaded {
    use super::{BLOCK_ROOM, File};
    use std::io;
    use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
    use std::thread::{self, JoinHandle};

    /// Blocks that may wait to be written; the search waits when there are more.
    const WAITING_MAX: usize = 8;

    /// Writes blocks on a separate thread.
    pub struct BlockWriter {
        /// To the thread that writes; `None` once it has failed.
        blocks: Option<SyncSender<Vec<u8>>>,
        /// Written blocks come back for their memory.
        spent: Receiver<Vec<u8>>,
        thread: JoinHandle<io::Result<File>>,
    }

    impl BlockWriter {
        pub fn start(mut file: File) -> io::Result<BlockWriter> {
            let (blocks, waiting) = sync_channel::<Vec<u8>>(WAITING_MAX);
            let (give_back, spent) = channel();
            let thread = thread::Builder::new().name("trace".to_owned()).spawn(move || {
                for block in waiting {
                    file.block(&block)?;
                    let _ = give_back.send(block); // the search may have ended
                }
                Ok(file)
            })?;
            Ok(BlockWriter { blocks: Some(blocks), spent, thread })
        }

        /// Takes a block and returns an empty one.
        pub fn write(&mut self, block: Vec<u8>) -> Vec<u8> {
            let sent = self.blocks.as_ref().is_some_and(|blocks| blocks.send(block).is_ok());
            if !sent {
                self.blocks = None;
            }
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
    use super::File;
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

    /// The bytes of a file with these blocks.
    fn bytes(file: File) -> Vec<u8> {
        let footer = Footer { summary: TraceSummary::default(), blocks: Vec::new() };
        let out = file.finish(&footer).expect("memory").into_any().downcast::<Vec<u8>>();
        *out.expect("the sink comes back as it went")
    }

    #[test]
    fn with_and_without_threads_the_file_is_the_same() {
        let file = || File {
            out: Box::new(Vec::new()),
            framer: Framer::new().expect("memory"),
            offset: 0,
            offsets: Vec::new(),
        };
        let blocks = || (0..20_u8).map(|number| vec![number; 5000]);
        let mut one = threaded::BlockWriter::start(file()).expect("a thread");
        let mut other = direct::BlockWriter::start(file()).expect("nothing to fail");
        for block in blocks() {
            assert!(one.write(block.clone()).is_empty() && other.write(block).is_empty());
        }
        let (one, other) = (one.finish().expect("written"), other.finish().expect("written"));
        assert_eq!((one.offsets.len(), &one.offsets), (20, &other.offsets));
        assert_eq!(bytes(one), bytes(other));
    }
}
