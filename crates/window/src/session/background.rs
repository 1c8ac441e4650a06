//! Background tasks of the page: a task is stopped when its page no longer asks for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use quarterply_engine::search::pool::Control;

/// A running search and its progress.
pub struct BackgroundTask<T> {
    /// Stops it.
    pub control: Control,
    start: Instant,
    /// Time of the last request of the page.
    asked: Mutex<Instant>,
    state: Mutex<T>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> BackgroundTask<T> {
    /// Starts a task that is stopped after `absence` without a request.
    pub fn begin(state: T, absence: Duration) -> Arc<BackgroundTask<T>> {
        let now = Instant::now();
        let task = BackgroundTask {
            control: Control::default(),
            start: now,
            asked: Mutex::new(now),
            state: Mutex::new(state),
        };
        let task = Arc::new(task);
        tokio::spawn(watch(Arc::downgrade(&task), absence));
        task
    }

    /// Records a request of the page.
    pub fn ask(&self) {
        *lock(&self.asked) = Instant::now();
    }

    /// Seconds since it began.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// The progress.
    pub fn state(&self) -> MutexGuard<'_, T> {
        lock(&self.state)
    }
}

async fn watch<T>(task: Weak<BackgroundTask<T>>, absence: Duration) {
    const LOOKS: u32 = 4;
    while let Some(task) = task.upgrade() {
        if lock(&task.asked).elapsed() > absence {
            task.control.stop();
            return;
        }
        drop(task);
        tokio::time::sleep(absence / LOOKS).await;
    }
}
