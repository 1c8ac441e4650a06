//! Workers: threads that take tasks from one queue, so that all are busy as long as there is anything to do.

use super::measure::{Outcome, Task};
use super::meter::{Meter, Meters};
use super::space::Candidate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// What workers say.
#[derive(Debug)]
pub enum News {
    /// A task is finished.
    Done(Outcome),
    /// Something went wrong that could be mended, as a sentence for the user.
    Trouble(String),
    /// Why a worker had to give up.
    Failed(String),
}

/// Threads that measure. They end when the pool is dropped.
pub struct Pool {
    tasks: Option<Sender<Task>>,
    news: Receiver<News>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads; each makes its meter when it has its first task.
    pub fn start(workers: usize, meters: &Arc<dyn Meters>) -> Pool {
        let (tasks, queue) = channel();
        let (sender, news) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..workers.max(1))
            .map(|_| {
                let worker = Worker {
                    meters: Arc::clone(meters),
                    queue: Arc::clone(&queue),
                    news: sender.clone(),
                    stop: Arc::clone(&stop),
                };
                thread::spawn(move || worker.work())
            })
            .collect();
        Pool { tasks: Some(tasks), news, stop, threads }
    }

    /// Puts a task at the end of the queue.
    pub fn add(&self, task: Task) {
        // Workers outlive the pool's sender, so somebody listens unless all have failed, and then there is news of it.
        let _ = self.tasks.as_ref().map(|tasks| tasks.send(task));
    }

    /// Waits for what a worker says next.
    pub fn next(&self) -> News {
        self.news.recv().unwrap_or_else(|_| News::Failed("every worker has failed".to_owned()))
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for Pool {
    /// Lets every worker finish the probe it is at and leave the rest.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks = None;
        for thread in self.threads.drain(..) {
            // A worker that panicked has said so already.
            let _ = thread.join();
        }
    }
}

struct Worker {
    meters: Arc<dyn Meters>,
    queue: Arc<Mutex<Receiver<Task>>>,
    news: Sender<News>,
    stop: Arc<AtomicBool>,
}

impl Worker {
    fn work(&self) {
        let mut meter: Option<Box<dyn Meter>> = None;
        loop {
            let task = self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(task) = task else { return };
            let candidate = task.candidate.clone();
            let measured = catch_unwind(AssertUnwindSafe(|| self.measure(&mut meter, task)));
            // Whoever waits for this task has to hear of it, or it waits for ever.
            let news = measured.unwrap_or_else(|_| Some(News::Failed(defect(&candidate))));
            let Some(news) = news else { return };
            if self.news.send(news).is_err() {
                return;
            }
        }
    }

    /// Measures all probes of a task; `None` if the pool is closing.
    fn measure(&self, slot: &mut Option<Box<dyn Meter>>, task: Task) -> Option<News> {
        let mut meter = match slot.take().map_or_else(|| self.meters.make(), Ok) {
            Ok(meter) => meter,
            Err(reason) => return Some(News::Failed(reason)),
        };
        let mut measures = Vec::with_capacity(task.probes.len());
        // Nobody listens only when the run is over.
        let mut on_trouble = |what| drop(self.news.send(News::Trouble(what)));
        for probe in &task.probes {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            match meter.measure(&task.candidate, probe, &mut on_trouble) {
                Ok(measure) => measures.push(measure),
                Err(reason) => return Some(News::Failed(reason)),
            }
        }
        *slot = Some(meter);
        Some(News::Done(Outcome { task, measures }))
    }
}

/// What is said of a measurement that panicked. The panic itself has written where.
fn defect(candidate: &Candidate) -> String {
    let values: Vec<String> = candidate.iter().map(ToString::to_string).collect();
    format!(
        "a defect of this program ended the measurement of {}; please report it with what was written above",
        values.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Measure, Probe, Set};
    use super::*;

    /// Panics at one value and measures nothing at all others.
    struct Fragile;

    impl Meter for Fragile {
        fn measure(&mut self, candidate: &Candidate, _: &Probe, _: &mut dyn FnMut(String)) -> Result<Measure, String> {
            assert_ne!(candidate[0], 13, "a defect");
            Err("nothing to measure".to_owned())
        }
    }

    impl Meters for Fragile {
        fn make(&self) -> Result<Box<dyn Meter>, String> {
            Ok(Box::new(Fragile))
        }
    }

    #[test]
    fn a_measurement_that_panics_is_told_and_the_worker_goes_on() {
        let meters: Arc<dyn Meters> = Arc::new(Fragile);
        let pool = Pool::start(1, &meters);
        for (value, told) in [(13, "ended the measurement of 13 7;"), (1, "nothing to measure")] {
            pool.add(Task { candidate: vec![value, 7], probes: vec![Probe::Position { set: Set::Tuning, index: 0 }] });
            let News::Failed(reason) = pool.next() else { panic!("{value} is not told") };
            assert!(reason.contains(told), "{reason}");
        }
    }
}
