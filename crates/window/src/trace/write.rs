//! Writes a trace as the search goes on. A few blocks of nodes are in memory at a time: the search fills one while a thread of
//! its own compresses and writes those before.

use super::encode::Encode;
use super::format::{
    BLOCK_BYTES, END_MAGIC, Footer, Framer, Header, MAGIC, PREFIX_BYTES, RawNode, Summary, VERSION, append,
};
use std::any::Any;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// Blocks that may wait to be written; the search waits when there are more.
const WAITING_MAX: usize = 8;
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
    /// To the thread that writes; `None` once it has failed.
    blocks: Option<SyncSender<Vec<u8>>>,
    /// Written blocks come back for their memory.
    spent: Receiver<Vec<u8>>,
    thread: JoinHandle<io::Result<File>>,
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
    pub fn new(out: Box<dyn Sink>, header: &Header) -> io::Result<Writer> {
        let mut file = File::new(out, header)?;
        let (blocks, waiting) = sync_channel::<Vec<u8>>(WAITING_MAX);
        let (give_back, spent) = channel();
        let thread = thread::Builder::new().name("trace".to_owned()).spawn(move || {
            for block in waiting {
                file.offsets.push(file.offset);
                file.frame(&block)?;
                let _ = give_back.send(block); // the search may have ended
            }
            Ok(file)
        })?;
        let block = Vec::with_capacity(BLOCK_ROOM);
        let blocks = Some(blocks);
        Ok(Writer { blocks, spent, thread, block, firsts: Vec::new(), first: 0, next: 0, head: Vec::new() })
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
        let mut fresh = self.spent.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK_ROOM));
        fresh.clear();
        let block = std::mem::replace(&mut self.block, fresh);
        let sent = self.blocks.as_ref().is_some_and(|blocks| blocks.send(block).is_ok());
        if !sent {
            self.blocks = None;
        }
        self.firsts.push(self.first);
        self.first = self.next;
    }

    /// Writes what is left, the summary and the index.
    pub fn finish(mut self, summary: Summary) -> io::Result<Box<dyn Sink>> {
        if !self.block.is_empty() {
            self.flush();
        }
        drop(self.blocks.take());
        let file =
            self.thread.join().map_err(|_| io::Error::other("the thread that writes the trace has panicked"))??;
        let blocks = self.firsts.into_iter().zip(file.offsets.iter().copied()).collect();
        file.finish(&Footer { summary, blocks })
    }
}

impl File {
    fn new(mut out: Box<dyn Sink>, header: &Header) -> io::Result<File> {
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
