//! Where a queue saturates: a model of many threads of workers at one queue.
//!
//! A thread does a task, then waits until the queue has taken its outcome and given it another. That is a closed network of queues
//! with one station and a delay, whose means follow exactly from those with one thread less (Reiser and Lavenberg 1980), if the times
//! are exponentially distributed. Workers fetch short tasks ahead, which hides some of the waiting: below saturation the model is
//! too dark, beyond it that changes nothing.

/// A queue and the tasks that go through it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Empty tasks that go through the queue in a second.
    pub rate: f64,
    /// How long a task takes (seconds).
    pub seconds: f64,
}

/// What comes of so many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Tasks a second.
    pub throughput: f64,
    /// The share of their time in which threads work.
    pub working: f64,
    /// The share of its time in which the queue works.
    pub queue: f64,
}

impl Model {
    /// What comes of so many threads.
    pub fn load(&self, threads: u32) -> Load {
        let service = 1.0 / self.rate;
        let (mut throughput, mut waiting) = (0.0, 0.0);
        for present in 1..=threads {
            // Who arrives sees the queue as it is without him.
            let passing = service * (1.0 + waiting);
            throughput = f64::from(present) / (self.seconds + passing);
            waiting = throughput * passing;
        }
        let working = throughput * self.seconds / f64::from(threads.max(1));
        Load { throughput, working, queue: throughput * service }
    }

    /// So many threads keep the queue busy all the time; more bring nothing.
    pub fn saturation(&self) -> f64 {
        self.seconds * self.rate + 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_those_of_the_textbook() {
        // By hand: service 1, delay 4. One thread: 1/5. Two: the second sees 1/5 of a task, passes in 1.2, 2/5.2.
        let model = Model { rate: 1.0, seconds: 4.0 };
        assert!((model.load(1).throughput - 0.2).abs() < 1e-12);
        assert!((model.load(2).throughput - 2.0 / 5.2).abs() < 1e-12);
        assert!((model.load(2).working - 4.0 / 5.2).abs() < 1e-12);
        assert_eq!(model.saturation(), 5.0);
        assert_eq!(model.load(0).throughput, 0.0);
    }

    #[test]
    fn nothing_is_faster_than_the_queue_or_than_the_threads() {
        let model = Model { rate: 1500.0, seconds: 0.5 };
        let mut last = 0.0;
        for threads in [1, 10, 100, 700, 800, 1000, 5000] {
            let load = model.load(threads);
            // Beyond saturation nothing is left but rounding.
            assert!(load.throughput > last - 1e-9 && load.throughput < model.rate + 1e-9, "{threads}");
            assert!(load.throughput <= f64::from(threads) / (model.seconds + 1.0 / model.rate) + 1e-9, "{threads}");
            assert!(load.working <= 1.0 && load.queue <= 1.0 + 1e-12, "{threads}");
            last = load.throughput;
        }
        assert!(model.load(100).working > 0.99 && model.load(5000).queue > 0.999);
    }
}
