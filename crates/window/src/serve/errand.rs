//! Work that the page asked for: it ends when a reader who goes away asks for it no more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use quarterply_engine::search::pool::Control;

/// Something that is being searched, and how far it is.
pub struct Errand<T> {
    /// Stops it.
    pub control: Control,
    start: Instant,
    /// When the page asked for it last.
    asked: Mutex<Instant>,
    state: Mutex<T>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> Errand<T> {
    /// Begins now; it is stopped after so long an absence.
    pub fn begin(state: T, absence: Duration) -> Arc<Errand<T>> {
        let now = Instant::now();
        let errand =
            Errand { control: Control::default(), start: now, asked: Mutex::new(now), state: Mutex::new(state) };
        let errand = Arc::new(errand);
        tokio::spawn(watch(Arc::downgrade(&errand), absence));
        errand
    }

    /// The page asks for it.
    pub fn ask(&self) {
        *lock(&self.asked) = Instant::now();
    }

    /// Seconds since it began.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// How far it is.
    pub fn state(&self) -> MutexGuard<'_, T> {
        lock(&self.state)
    }
}

async fn watch<T>(errand: Weak<Errand<T>>, absence: Duration) {
    const LOOKS: u32 = 4;
    while let Some(errand) = errand.upgrade() {
        if lock(&errand.asked).elapsed() > absence {
            errand.control.stop();
            return;
        }
        drop(errand);
        tokio::time::sleep(absence / LOOKS).await;
    }
}
