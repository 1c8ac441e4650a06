//! Any bytes as a trace, and any bytes as the parts of a well-formed one: refused with a message, or read to the last node.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quarterply_window::trace::{Trace, TraceError, assemble};

/// Nodes read of each trace.
const NODES_MAX: u64 = 200;

fuzz_target!(|input: (Vec<u8>, Option<[Vec<u8>; 3]>)| {
    let (bytes, parts) = input;
    let file = match parts {
        Some([header, block, footer]) => assemble(&[&header, &block, &footer]),
        None => bytes,
    };
    if let Err(error) = read(file) {
        assert!(!error.to_string().is_empty());
    }
});

fn read(file: Vec<u8>) -> Result<(), TraceError> {
    let trace = Trace::from_bytes(file)?;
    let _ = trace.game();
    for id in 0..trace.len().min(NODES_MAX) {
        let node = trace.node(id)?;
        assert!(node.children().all(|child| child < id));
        trace.path(id)?;
    }
    Ok(())
}
