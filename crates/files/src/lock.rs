//! Locks on files, each for one process at a time.

use std::fs::{File, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to retry a lock that is held. A child process that is being started inherits the open files of its parent for some
/// milliseconds, even if the parent has closed them since.
const TIMEOUT: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(5);

/// Locks a file for this process until it is closed.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another process keeps it, or an error of the file system.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begin.elapsed() < TIMEOUT => sleep(PAUSE),
            found => return found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_lock_is_waited_for_if_it_is_released_soon() {
        let path = tempfile::NamedTempFile::new().expect("a file").into_temp_path();
        let open = || File::open(&path).expect("it is there");
        let (first, second) = (open(), open());
        try_lock(&first).expect("it is free");
        assert!(matches!(try_lock(&second), Err(TryLockError::WouldBlock)), "it is held");
        let closing = thread::spawn(move || {
            sleep(TIMEOUT / 10);
            drop(first);
        });
        try_lock(&second).expect("let go meanwhile");
        closing.join().expect("closed");
    }
}
