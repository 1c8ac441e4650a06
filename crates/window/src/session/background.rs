//! Background tasks of the page: a task is stopped when its page stops asking for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use quarterply_engine::clock::Instant;
use quarterply_engine::search::pool::Control;
use serde::Serialize;

use super::answers::{SessionAnswer, json_of};
use super::lock;

/// A search that runs or has ended, and what it has found.
pub struct BackgroundTask<T> {
    /// Stops it.
    pub control: Control,
    start: Instant,
    /// Seconds that it took; `None` while it runs.
    took: Mutex<Option<f64>>,
    /// Time of the last request of the page.
    last_request: Mutex<Instant>,
    state: Mutex<T>,
}

/// A task as the page reads it.
#[derive(Serialize)]
struct TaskProgress<'a, T> {
    running: bool,
    seconds: f64,
    #[serde(flatten)]
    state: &'a T,
}

impl<T> BackgroundTask<T> {
    /// What it has found.
    pub fn state(&self) -> MutexGuard<'_, T> {
        lock(&self.state)
    }

    /// Does its work and ends it; `panicked` notes an internal error.
    pub fn execute(&self, work: impl FnOnce(&BackgroundTask<T>), panicked: fn(&mut T)) {
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            panicked(&mut self.state());
        }
        self.end();
    }

    /// Notes that it has ended.
    pub fn end(&self) {
        *lock(&self.took) = Some(self.start.elapsed().as_secs_f64());
    }
}

impl<T: Serialize> BackgroundTask<T> {
    /// The progress, for a page that asks.
    pub fn progress(&self) -> SessionAnswer {
        *lock(&self.last_request) = Instant::now();
        let took = *lock(&self.took);
        let seconds = took.unwrap_or_else(|| self.start.elapsed().as_secs_f64());
        json_of(TaskProgress { running: took.is_none(), seconds, state: &*self.state() })
    }
}

/// The task of one kind that runs or ran last.
#[derive(Default)]
pub struct TaskSlot<T>(pub Option<Arc<BackgroundTask<T>>>);

impl<T> TaskSlot<T> {
    /// A task that begins now; the one before is ended.
    pub fn begin(&mut self, state: T) -> Arc<BackgroundTask<T>> {
        self.stop();
        let (control, start, took) = (Control::default(), Instant::now(), Mutex::default());
        let task = BackgroundTask { control, start, took, last_request: Mutex::new(start), state: Mutex::new(state) };
        self.0.insert(Arc::new(task)).clone()
    }

    /// Returns true if the task runs.
    pub fn is_running(&self) -> bool {
        self.0.as_ref().is_some_and(|task| lock(&task.took).is_none())
    }

    /// Ends the task if it runs.
    pub fn stop(&self) {
        if let Some(task) = &self.0 {
            task.control.stop();
        }
    }

    /// Ends the task if the page has not asked for it for this time.
    pub fn stop_unattended(&self, absence: Duration) {
        if self.0.as_ref().is_some_and(|task| lock(&task.last_request).elapsed() > absence) {
            self.stop();
        }
    }
}
