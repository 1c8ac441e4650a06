use super::*;
use crate::digest::Digest;
use crate::kind::Context;
use crate::loopback::Loopback;
use crate::threads::Threads;
use std::cell::RefCell;
use std::thread::sleep;
use std::time::Instant;

/// Doubles numbers. It cannot double 7, panics at 13, and takes for 100 as long as it is not cancelled.
struct Doubling;

impl TaskKind for Doubling {
    const NAME: &'static str = "doubling";
    type Task = u64;
    type Outcome = u64;

    fn run(&mut self, task: &u64, context: &Context) -> Result<u64, TaskError> {
        match task {
            7 => Err(TaskError::Failed("seven".to_owned())),
            13 => panic!("thirteen"),
            100 => {
                while !context.is_cancelled() {
                    sleep(Duration::from_millis(1));
                }
                Err(TaskError::Stopped)
            }
            number => Ok(2 * number),
        }
    }

    fn checksum(_: &u64, outcome: &u64) -> Option<Digest> {
        Some(Digest::of(&outcome.to_le_bytes()))
    }
}

/// Numbers to double.
struct Numbers {
    tasks: Vec<u64>,
    /// Those of them, by place, whose outcome a journal knows.
    known: Vec<u64>,
    handed: usize,
    /// Ends the job this way after this number of outcomes.
    stop: Option<(usize, StopMode)>,
    /// Places whose outcome is not needed after the first outcome.
    unneeded: Vec<u64>,
    received: u64,
    done: Vec<(u64, u64, OutcomeOrigin)>,
}

impl Numbers {
    fn new(tasks: impl IntoIterator<Item = u64>) -> Numbers {
        let tasks = tasks.into_iter().collect();
        Numbers { tasks, known: vec![], handed: 0, stop: None, unneeded: vec![], received: 0, done: vec![] }
    }

    fn doubled(&self) -> Vec<u64> {
        self.done.iter().map(|(_, number, _)| *number).collect()
    }
}

impl Job for Numbers {
    type Kind = Doubling;
    type Error = WorkError;

    fn next(&mut self) -> Result<Option<JobItem<Doubling>>, WorkError> {
        let Some(number) = self.tasks.get(self.handed).copied() else { return Ok(None) };
        self.handed += 1;
        let known = self.known.contains(&(self.handed as u64 - 1));
        Ok(Some(if known { JobItem::Known(2 * number) } else { JobItem::Task(number) }))
    }

    fn received(&mut self, _: u64, _: &Done<u64>) -> Result<(), WorkError> {
        self.received += 1;
        Ok(())
    }

    fn done(&mut self, number: u64, done: Done<u64>) -> Result<(), WorkError> {
        assert_eq!(done.outcome, 2 * self.tasks[number as usize], "the outcome of this item");
        self.done.push((number, done.outcome, done.origin));
        Ok(())
    }

    fn is_needed(&self, number: u64) -> bool {
        self.done.is_empty() || !self.unneeded.contains(&number)
    }

    fn state(&self) -> JobState {
        match self.stop {
            Some((count, mode)) if self.done.len() >= count => JobState::Stop(mode),
            _ => JobState::Running,
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.received, Some(self.tasks.len() as u64 - self.received))
    }
}

/// Runs a job on every executor.
fn on_all(check: &dyn Fn(&mut dyn Executor<Doubling>)) {
    for threads in [1, 3] {
        check(&mut Threads::start(threads, || Ok(Doubling)));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection = Loopback::connect(Box::new(Doubling), folder.path().to_owned(), 4);
    check(&mut connection.executor());
}

fn silent(_: &str) {}

#[test]
fn outcomes_come_once_and_in_order() {
    on_all(&|executor| {
        let mut job = Numbers::new((20..60).chain(20..30));
        run(&mut job, executor, &silent).expect("no fault");
        assert_eq!(job.doubled(), job.tasks.iter().map(|number| 2 * number).collect::<Vec<_>>());
        assert!(job.done.iter().map(|(number, ..)| *number).eq(0..50));
        assert_eq!(job.received, 50);
    });
}

#[test]
fn outcomes_of_a_journal_are_not_executed_and_come_in_their_place() {
    on_all(&|executor| {
        let mut job = Numbers::new(20..30);
        job.known = vec![0, 1, 4, 9];
        run(&mut job, executor, &silent).expect("no fault");
        assert_eq!(job.doubled(), (20..30).map(|number| 2 * number).collect::<Vec<_>>());
        let from_journal =
            job.done.iter().filter(|(.., origin)| *origin == OutcomeOrigin::Journal).map(|(number, ..)| *number);
        assert!(from_journal.eq(job.known.iter().copied()));
        assert_eq!(job.received, 6);
    });
}

#[test]
fn jobs_one_after_the_other_share_the_workers() {
    on_all(&|executor| {
        let finished = RefCell::new(Vec::new());
        let jobs = [20..25, 30..30, 40..47].map(|tasks| Ok(Numbers::new(tasks)));
        run_all(jobs, executor, &silent, &mut |number, job| {
            finished.borrow_mut().push((number, job.doubled().len()));
            Ok(())
        })
        .expect("no fault");
        let mut finished = finished.into_inner();
        finished.sort();
        assert_eq!(finished, [(0, 5), (1, 0), (2, 7)]);
    });
}

#[test]
fn a_failure_ends_a_job_of_this_process_at_once() {
    for (bad, said) in [(7, "seven"), (13, "defect")] {
        let mut job = Numbers::new([1, 2, bad].into_iter().chain(20..5000));
        let error = run(&mut job, &mut Threads::start(2, || Ok(Doubling)), &silent).expect_err("it fails");
        assert!(matches!(&error, WorkError::Task(text) if text.contains(said)), "{error}");
        assert!(job.done.len() < 4000, "{} were done after the failure", job.done.len());
    }
}

#[test]
fn a_worker_that_cannot_start_is_an_input_error() {
    let mut executor = Threads::<Doubling>::start(2, || Err(TaskError::Refused("no such program".to_owned())));
    let error = run(&mut Numbers::new(20..30), &mut executor, &silent).expect_err("it fails");
    assert_eq!(error, WorkError::Refused("no such program".to_owned()));
}

#[test]
fn tasks_that_are_given_up_are_counted() {
    for (count, tasks) in [(1, "cannot finish 1 task: no memory "), (2, "cannot finish 2 tasks: no memory ")] {
        let [task, worker, reason] = ["0f3a", "w1", "no memory"].map(str::to_owned);
        let message = WorkError::GivenUp { count, task, worker, reason }.to_string();
        assert!(message.starts_with(tasks), "{message}");
    }
}

#[test]
fn tasks_that_are_given_up_elsewhere_do_not_keep_the_others_from_being_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection = Loopback::connect(Box::new(Doubling), folder.path().to_owned(), 4);
    let notes = RefCell::new(Vec::new());
    let mut job = Numbers::new(1..=20);
    let ended = run(&mut job, &mut connection.executor(), &|text| notes.borrow_mut().push(text.to_owned()));
    assert!(matches!(ended, Err(WorkError::GivenUp { count: 2, .. })), "{ended:?}");
    assert_eq!((job.received, job.done.len()), (18, 6), "in order, up to the first that is missing");
    let notes = notes.into_inner();
    for said in ["seven", "defect"] {
        assert!(notes.iter().any(|note| note.contains(said)), "{notes:?}");
    }
}

#[test]
fn a_job_stops_after_running_tasks_or_at_once() {
    let mut executor = Threads::start(2, || Ok(Doubling));
    let mut job = Numbers::new((20..30).chain([100, 100]).chain(20..30));
    job.stop = Some((5, StopMode::Cancel));
    let begin = Instant::now();
    run(&mut job, &mut executor, &silent).expect("no fault");
    assert!((5..=10).contains(&job.done.len()) && begin.elapsed() < Duration::from_secs(20));
    let mut job = Numbers::new(20..60);
    job.stop = Some((5, StopMode::Finish));
    run(&mut job, &mut executor, &silent).expect("no fault");
    assert!((5..=8).contains(&job.done.len()), "{}", job.done.len());
    assert_eq!(job.received, job.done.len() as u64, "what ran was finished");
    assert!(job.handed < 40);
}

/// Counts its tasks, and panics when one with the number 100 is cancelled.
struct Fragile(u64);

impl TaskKind for Fragile {
    const NAME: &'static str = "fragile";
    type Task = u64;
    type Outcome = u64;

    fn run(&mut self, task: &u64, context: &Context) -> Result<u64, TaskError> {
        self.0 += 1;
        if *task == 100 {
            (context.notes)("running".to_owned());
            while !context.is_cancelled() {
                sleep(Duration::from_millis(1));
            }
            panic!("cancelled");
        }
        Ok(self.0)
    }

    fn checksum(_: &u64, _: &u64) -> Option<Digest> {
        None
    }
}

#[test]
fn the_state_after_a_panic_in_a_cancelled_task_is_not_used_again() {
    let mut executor = Threads::start(1, || Ok(Fragile(0)));
    let answer = |executor: &mut Threads<Fragile>| {
        let mut answers = std::iter::repeat_with(|| executor.poll(TIMEOUT).expect("a running thread"));
        answers.find_map(|answer| answer).expect("an answer")
    };
    for (number, task) in [(0, 1), (1, 100), (2, 1)] {
        executor.submit(number, task).expect("a running thread");
        match answer(&mut executor) {
            ExecutorEvent::Done(_, done) => assert_eq!(done.outcome, 1, "the first task of its state"),
            ExecutorEvent::Note(_) => {
                executor.cancel(number);
                assert!(matches!(answer(&mut executor), ExecutorEvent::Dropped(1)));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn unneeded_tasks_are_cancelled_and_left_out() {
    let mut job = Numbers::new([20, 100, 100, 21, 22]);
    job.unneeded = vec![1, 2];
    run(&mut job, &mut Threads::start(2, || Ok(Doubling)), &silent).expect("no fault");
    assert_eq!(job.done.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [0, 3, 4]);
}

#[test]
fn tasks_of_another_build_are_refused_by_name() {
    let build =
        |program: &str| crate::Build { program: program.to_owned(), signature: "1".to_owned(), engines: Vec::new() };
    let bytes = crate::encode::<Doubling>(&1, &build("q")).encode();
    let context = Context::new(std::sync::Arc::new(crate::LocalFiles::default()));
    let refused = crate::execute(&bytes, &build("p"), &crate::WorkerIdentity::default(), &mut Doubling, &context);
    let Err(TaskError::Refused(said)) = refused else { panic!("{refused:?}") };
    assert!(said.contains("cannot execute a task for `q, signature 1`: this is `p, signature 1`"), "{said}");
}
