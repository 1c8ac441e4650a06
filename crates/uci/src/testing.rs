//! Helpers of the tests: a writer that stores its text, and reports of searches.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quarterply_engine::report::SearchReport;
use quarterply_engine::score::{Bound, Score};
use shakmaty::Move;

/// A writer whose clones share what was written.
#[derive(Clone, Default)]
pub struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    /// All whole lines so far.
    pub fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().expect("no writer panicked");
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no writer panicked").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first line of a search to `depth` plies, which found `score`.
pub fn report(depth: u32, score: Score, line: Vec<Move>) -> SearchReport {
    SearchReport {
        depth,
        seldepth: depth,
        number: 1,
        score,
        bound: Bound::Exact,
        nodes: 1,
        time: Duration::ZERO,
        hashfull: 0,
        tbhits: 0,
        table: None,
        line,
    }
}
