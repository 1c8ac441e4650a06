//! Background tasks of the page: a task is stopped when its page stops asking for it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use quarterply_engine::clock::Instant;
use quarterply_engine::search::pool::Control;

use super::lock;

/// A running search and its progress.
pub struct BackgroundTask<T> {
    /// Stops it.
    pub control: Control,
    start: Instant,
    /// Time of the last request of the page.
    last_request: Mutex<Instant>,
    state: Mutex<T>,
}

impl<T> BackgroundTask<T> {
    /// A task that begins now.
    pub fn begin(state: T) -> Arc<BackgroundTask<T>> {
        let now = Instant::now();
        let control = Control::default();
        Arc::new(BackgroundTask { control, start: now, last_request: Mutex::new(now), state: Mutex::new(state) })
    }

    /// Records a request of the page.
    pub fn record_request(&self) {
        *lock(&self.last_request) = Instant::now();
    }

    /// Stops it if the page has not asked for this time.
    pub fn stop_unattended(&self, absence: Duration) {
        if lock(&self.last_request).elapsed() > absence {
            self.control.stop();
        }
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

/// The task of one kind that runs or ran last.
#[derive(Default)]
pub struct TaskSlot<T>(pub Option<Arc<BackgroundTask<T>>>);

impl<T> TaskSlot<T> {
    /// Ends the task if it runs.
    pub fn stop(&self) {
        if let Some(task) = &self.0 {
            task.control.stop();
        }
    }

    /// Ends the task if the page has not asked for it for this time.
    pub fn stop_unattended(&self, absence: Duration) {
        if let Some(task) = &self.0 {
            task.stop_unattended(absence);
        }
    }

    /// Ends the task before, and keeps this one in its place.
    pub fn replace(&mut self, task: &Arc<BackgroundTask<T>>) {
        self.stop();
        self.0 = Some(task.clone());
    }
}
