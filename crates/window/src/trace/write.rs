//! Writes a trace as the search goes on: only one block of nodes is kept in memory.

use super::format::{
    BLOCK_BYTES, END_MAGIC, Footer, Framer, Header, MAGIC, PREFIX_BYTES, RawNode, Summary, VERSION, append,
};
use std::io::{self, Write};

/// A trace being written.
pub(crate) struct Writer<W: Write> {
    out: W,
    framer: Framer,
    /// Bytes written so far.
    offset: u64,
    /// Nodes of the block being filled, each behind its length.
    block: Vec<u8>,
    /// The first node of that block.
    first: u64,
    /// The number of the next node.
    next: u64,
    blocks: Vec<(u64, u64)>,
    head: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a trace.
    pub fn new(mut out: W, header: &Header) -> io::Result<Writer<W>> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        let mut writer = Writer {
            out,
            framer: Framer::new()?,
            offset: PREFIX_BYTES as u64,
            block: Vec::with_capacity(2 * BLOCK_BYTES),
            first: 0,
            next: 0,
            blocks: Vec::new(),
            head: Vec::new(),
        };
        let mut bytes = Vec::new();
        append(&mut bytes, header);
        writer.frame(&bytes)?;
        Ok(writer)
    }

    /// The number the next node will have.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Adds a node: its fixed part, then its events.
    pub fn node(&mut self, node: &RawNode, events: &[u8]) -> io::Result<()> {
        self.head.clear();
        append(&mut self.head, node);
        append(&mut self.block, &(self.head.len() + events.len()));
        self.block.extend_from_slice(&self.head);
        self.block.extend_from_slice(events);
        self.next += 1;
        if self.block.len() >= BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.blocks.push((self.first, self.offset));
        let block = std::mem::take(&mut self.block);
        let written = self.frame(&block);
        self.block = block;
        self.block.clear();
        self.first = self.next;
        written
    }

    fn frame(&mut self, plain: &[u8]) -> io::Result<()> {
        let frame = self.framer.frame(plain)?;
        self.offset += frame.len() as u64;
        self.out.write_all(&frame)
    }

    /// Writes what is left, the summary and the index.
    pub fn finish(mut self, summary: Summary) -> io::Result<W> {
        self.flush()?;
        let at = self.offset;
        let mut bytes = Vec::new();
        append(&mut bytes, &Footer { summary, blocks: std::mem::take(&mut self.blocks) });
        self.frame(&bytes)?;
        self.out.write_all(&at.to_le_bytes())?;
        self.out.write_all(&END_MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
