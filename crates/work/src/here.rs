//! An executor in this thread: what tasks and outcomes are worth can be tried without any network.

use crate::digest::Digest;
use crate::executor::{Answer, Executor, WorkError};
use crate::run::{Desk, Fault, Runner, Shelf, carry_out};
use crate::task::{Build, Failure, Task, WorkerCard};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Does tasks when it is asked for their outcomes, the last first: who cares for the order must see to it.
pub struct Here {
    build: Build,
    card: WorkerCard,
    runner: Box<dyn Runner>,
    desk: Desk,
    shelf: Shelf,
    waiting: VecDeque<Vec<u8>>,
    window: usize,
}

impl Here {
    /// An executor of this build that keeps files in `folder` and so many tasks waiting.
    pub fn new(build: Build, runner: Box<dyn Runner>, folder: PathBuf, window: usize) -> Here {
        let shelf = Shelf(folder);
        let desk = Desk { stop: Arc::default(), objects: Arc::new(shelf.clone()), memory: None };
        let card = WorkerCard { name: "here".to_owned(), program: build.program.clone(), ..WorkerCard::default() };
        Here { build, card, runner, desk, shelf, waiting: VecDeque::new(), window }
    }
}

impl Executor for Here {
    fn window(&self) -> usize {
        self.window
    }

    fn submit(&mut self, task: &Task) -> Result<Digest, WorkError> {
        let bytes = task.encode();
        let digest = Digest::of(&bytes);
        self.waiting.push_back(bytes);
        Ok(digest)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Digest, WorkError> {
        self.shelf.put(bytes).map_err(|error| WorkError::Executor(error.to_string()))
    }

    fn poll(&mut self, _: Duration) -> Result<Option<Answer>, WorkError> {
        let Some(bytes) = self.waiting.pop_back() else { return Ok(None) };
        let reason = match carry_out(&bytes, &self.build, &self.card, self.runner.as_mut(), &self.desk) {
            Ok(outcome) => return Ok(Some(Answer::Done(outcome))),
            Err(Fault::Refused(reason) | Fault::Unfit(reason) | Fault::Failed(reason)) => reason,
            Err(Fault::Stopped) => "stopped".to_owned(),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let worker = self.card.clone();
        Ok(Some(Answer::Failed(Failure { task: Digest::of(&bytes), worker, reason, tries: 1, text })))
    }

    fn close(&mut self, _: bool) -> Result<(), WorkError> {
        self.waiting.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{Course, drive};
    use crate::executor::Far;
    use crate::run::Found;
    use crate::task::Outcome;
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    /// Doubles numbers, and cannot stand 7.
    struct Doubles;

    impl Runner for Doubles {
        fn run(&mut self, task: &Task, _: &Desk) -> Result<Found, Fault> {
            match task.content.as_u64() {
                Some(7) => Err(Fault::Failed("seven".to_owned())),
                Some(13) => panic!("thirteen"),
                Some(number) => Ok(Found { body: json!(2 * number), agree: None }),
                None => Err(Fault::Refused("no number".to_owned())),
            }
        }
    }

    struct Numbers {
        build: Build,
        next: u64,
        last: u64,
        found: BTreeMap<u64, u64>,
        notes: Vec<String>,
    }

    impl Course<u64> for Numbers {
        fn take(&mut self) -> Option<(u64, Task)> {
            self.next += 1;
            let task = Task { kind: "d".into(), build: self.build.clone(), objects: vec![], content: json!(self.next) };
            (self.next <= self.last).then_some((self.next, task))
        }

        fn done(&mut self, key: u64, outcome: Outcome) -> Result<(), String> {
            let number = outcome.body.as_u64().ok_or("no number")?;
            self.found.insert(key, number).map_or(Ok(()), |_| Err("twice".to_owned()))
        }

        fn is_over(&self) -> bool {
            false
        }

        fn progress(&self) -> (u64, Option<u64>) {
            (self.found.len() as u64, None)
        }
    }

    fn build(program: &str) -> Build {
        Build { program: program.to_owned(), signature: "1".to_owned() }
    }

    fn run(build_asked: &str, last: u64) -> (Result<(), WorkError>, Numbers) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut here = Here::new(build("p"), Box::new(Doubles), folder.path().to_owned(), 4);
        let mut numbers =
            Numbers { build: build(build_asked), next: 0, last, found: BTreeMap::new(), notes: Vec::new() };
        let notes = Mutex::new(Vec::new());
        let say = |text: &str| notes.lock().expect("one thread").push(text.to_owned());
        let ended = drive(&mut Far { executor: &mut here, build: build("p"), say: &say }, &mut numbers);
        numbers.notes = notes.into_inner().expect("one thread");
        (ended, numbers)
    }

    #[test]
    fn everything_is_done_once_whatever_the_order() {
        let (ended, numbers) = run("p", 6);
        assert_eq!(ended, Ok(()));
        assert_eq!(numbers.found, (1..=6).map(|number| (number, 2 * number)).collect());
    }

    #[test]
    fn what_fails_does_not_keep_the_rest_from_being_done() {
        let (ended, numbers) = run("p", 20);
        assert!(matches!(ended, Err(WorkError::Failed { count: 2, .. })), "{ended:?}");
        assert_eq!(numbers.found.len(), 18);
        assert!(numbers.notes.iter().any(|note| note.contains("seven")), "{:?}", numbers.notes);
        assert!(numbers.notes.iter().any(|note| note.contains("defect")), "{:?}", numbers.notes);
    }

    #[test]
    fn tasks_of_another_build_are_refused_by_name() {
        let (ended, numbers) = run("q", 1);
        let said = ended.expect_err("refused").to_string();
        assert!(said.contains("a task for `q, signature 1`, and this is `p, signature 1`"), "{said}");
        assert!(numbers.found.is_empty());
    }
}
