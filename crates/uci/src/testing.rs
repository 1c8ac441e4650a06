//! Helpers of the tests: a writer that remembers.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

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
