//! Quarterply as a WebAssembly module: the session of the window and the UCI engine, for a Web Worker or Node.
//!
//! The host writes a request into memory and calls the module:
//!
//! | export | meaning |
//! |---|---|
//! | `allocate(n)` | the address of `n` bytes for the next request |
//! | `call()` | carries out the request; returns a [`Code`] |
//! | `output()`, `output_length()` | address and length of the answer, until the next call |
//! | `memory` | all state: a copy of it, in another instance of the module, is a copy of the program |
//!
//! The first line of a request is the action, the rest is its content:
//!
//! | first line | content | answer |
//! |---|---|---|
//! | `GET name?query` | none | as [`Session::get`](quarterply_window::session::Session::get) |
//! | `POST name` | JSON | as [`Session::post`](quarterply_window::session::Session::post), after the tasks that it starts have ended |
//! | `TRACE` | a trace file | none; the tree is shown |
//! | `UCI` | one line | none; the lines of the engine go to the host as they come |
//! | `BENCH depth` | none | the number of nodes |
//!
//! The host provides, as module `host`, `now() -> f64` (milliseconds), `line(address, length)` for a line of the engine, `panicked(address,
//! length)` for the message of an internal error, after which the instance is lost, and `poll(address, length) -> i32`: called every
//! [`POLL_EVERY`] during a search with the progress of the running request (JSON, may be empty). The result is a sum of 1 to stop and 2 for
//! `ponderhit`. `part(address, length, address, length)` receives the recording of a running `POST search`, every [`PART_EVERY`]: bytes that
//! follow those of the calls before, and the end that makes all of them a trace of the search so far.

mod host;
mod program;

pub use program::{Code, PART_EVERY, POLL_EVERY, Program};

use std::sync::{Mutex, MutexGuard, PoisonError};

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static PROGRAM: Mutex<Option<Program>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request and returns its address.
#[expect(unsafe_code, reason = "the attribute that exports a name")]
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    input.clear();
    input.resize(length, 0);
    input.as_mut_ptr()
}

/// Carries out the request and returns its [`Code`].
#[expect(unsafe_code, reason = "the attribute that exports a name")]
#[unsafe(no_mangle)]
pub extern "C" fn call() -> u32 {
    let request = std::mem::take(&mut *lock(&INPUT));
    let (code, answer) = lock(&PROGRAM).get_or_insert_default().call(&request);
    *lock(&OUTPUT) = answer;
    code as u32
}

/// The address of the last answer.
#[expect(unsafe_code, reason = "the attribute that exports a name")]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// The length of the last answer in bytes.
#[expect(unsafe_code, reason = "the attribute that exports a name")]
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    lock(&OUTPUT).len()
}
