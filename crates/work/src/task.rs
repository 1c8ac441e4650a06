//! Tasks and outcomes.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The version of the format of tasks and outcomes.
pub const FORMAT: u32 = 1;
/// Characters of the name of a build.
const BUILD_NAME: usize = 16;

/// Another engine that tasks need, as data: its path is in the configuration of a worker, never in a task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineIdentity {
    /// The name of its program file.
    pub name: String,
    /// The SHA-256 of its program file.
    pub checksum: Digest,
    /// The arguments that it is started with. Workers compare them with their configuration, and start nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

impl EngineIdentity {
    /// Why a worker that offers `offered` cannot be given tasks for this engine, and what to do; `None` if it can.
    pub fn incompatibility(&self, offered: &[EngineIdentity]) -> Option<String> {
        if offered.contains(self) {
            return None;
        }
        let EngineIdentity { name, checksum, arguments } = self;
        let named: Vec<&EngineIdentity> = offered.iter().filter(|engine| engine.name == *name).collect();
        if named.is_empty() {
            return Some(format!(
                "the worker offers no engine `{name}`; start it with --engine {name}=PATH, where PATH is the program with SHA-256 {checksum}"
            ));
        }
        if let Some(same) = named.iter().find(|engine| engine.checksum == *checksum) {
            let (theirs, ours) = (same.arguments.join(" "), arguments.join(" "));
            return Some(format!(
                "the worker starts `{name}` with arguments `{theirs}`, the command with `{ours}`; configure the same arguments"
            ));
        }
        let theirs: Vec<String> = named.iter().map(|engine| engine.checksum.to_string()).collect();
        Some(format!(
            "`{name}` of the worker has SHA-256 {}, that of the command {checksum}; copy the program of the command to the worker and restart the worker",
            theirs.join(" and ")
        ))
    }
}

/// The program that must execute a task: games and searches of another one would differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// Name, version and commit.
    pub program: String,
    /// The signature of its search and its evaluation.
    pub signature: String,
    /// The other engines that the tasks of a run need, or that a worker offers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineIdentity>,
}

impl Build {
    /// A short name that no other build has: hexadecimal digits.
    pub fn name(&self) -> String {
        let mut text = format!("{}\n{}\n{FORMAT}", self.program, self.signature);
        for EngineIdentity { name, checksum, arguments } in &self.engines {
            text += &format!("\n{name}\n{checksum}\n{}", arguments.join("\n"));
        }
        Digest::of(text.as_bytes()).to_string()[..BUILD_NAME].to_owned()
    }
}

impl Build {
    /// The same without other engines.
    #[must_use]
    pub fn base(&self) -> Build {
        Build { engines: Vec::new(), ..self.clone() }
    }

    /// Returns true if it is the same program; other engines do not matter.
    pub fn is_same_program(&self, other: &Build) -> bool {
        (&self.program, &self.signature) == (&other.program, &other.signature)
    }

    /// Why a worker of this build cannot be given tasks for `required`, a build of the same program: the first engine that it lacks.
    pub fn incompatibility(&self, required: &Build) -> Option<String> {
        required.engines.iter().find_map(|engine| engine.incompatibility(&self.engines))
    }

    /// Returns true if a worker of this build can be given tasks for `required`.
    pub fn can_execute(&self, required: &Build) -> bool {
        self.is_same_program(required) && self.incompatibility(required).is_none()
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, signature {}", self.program, self.signature)
    }
}

/// A task as data: never a command, never a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncodedTask {
    /// The kind of the task, which determines the meaning of `content`: `datagen`, `match`.
    pub kind: String,
    /// The build that must execute it.
    pub build: Build,
    /// The files that it needs, by their digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Digest>,
    /// The parameters of the task.
    pub content: Value,
}

impl EncodedTask {
    /// The task as it is sent and stored.
    pub fn encode(&self) -> Vec<u8> {
        // Texts, numbers and maps with texts as keys can always be written.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The task and its name.
    ///
    /// # Errors
    /// A message: the bytes are not a task.
    pub fn decode(bytes: &[u8]) -> Result<(EncodedTask, Digest), String> {
        let task = serde_json::from_slice(bytes).map_err(|error| format!("cannot read a task: {error}"))?;
        Ok((task, Digest::of(bytes)))
    }
}

/// The worker that executed a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerIdentity {
    /// Its name: by default the machine and the process.
    pub name: String,
    /// Name, version and commit of its program.
    pub program: String,
    /// Its processor.
    pub processor: String,
    /// The speed of one of its threads (nodes per second), measured when it began.
    pub speed: u64,
    /// How many tasks it executes at a time.
    pub workers: usize,
}

impl fmt::Display for WorkerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}; {})", self.name, self.processor, self.program)
    }
}

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskOutcome {
    /// The task.
    pub task: Digest,
    /// The worker.
    pub worker: WorkerIdentity,
    /// How long it took (seconds).
    pub seconds: f64,
    /// The digest of the deterministic part of the outcome, equal for all workers; `None` if the outcome depends on clocks.
    #[serde(rename = "agree")]
    pub checksum: Option<Digest>,
    /// The encoded outcome.
    pub body: Value,
}

/// A task that was given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskFailure {
    /// The task's name.
    pub task: Digest,
    /// The worker of the last attempt.
    pub worker: WorkerIdentity,
    /// Why.
    pub reason: String,
    /// How often it was tried.
    pub tries: i64,
    /// The task as it was sent, so that it can be tried again.
    pub text: String,
}

/// Two workers whose outcomes of one task differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// The task.
    pub task: Digest,
    /// The worker whose outcome was stored first.
    pub first: WorkerIdentity,
    /// The worker whose outcome differs.
    pub second: WorkerIdentity,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The message names both engines with their checksums, and the remedy.
    #[test]
    fn a_worker_without_the_engine_names_the_reason() {
        let engine = |name: &str, bytes: &[u8], arguments: &[&str]| EngineIdentity {
            name: name.to_owned(),
            checksum: Digest::of(bytes),
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
        };
        let required = engine("toga", b"new", &[]);
        let (new, old) = (Digest::of(b"new").to_string(), Digest::of(b"old").to_string());
        for (name, offered, needles) in [
            ("nothing", vec![], vec!["offers no engine `toga`", "--engine toga=PATH", new.as_str()]),
            ("another one", vec![engine("fruit", b"new", &[])], vec!["offers no engine `toga`"]),
            ("another binary", vec![engine("toga", b"old", &[])], vec![new.as_str(), old.as_str(), "copy the program"]),
            ("other arguments", vec![engine("toga", b"new", &["-x"])], vec!["`-x`", "configure the same arguments"]),
        ] {
            let reason = required.incompatibility(&offered).expect(name);
            assert!(needles.iter().all(|needle| reason.contains(needle)), "{name}: {reason}");
        }
        assert_eq!(required.incompatibility(&[engine("toga", b"old", &[]), required.clone()]), None);
    }

    #[test]
    fn the_digest_of_a_task_covers_everything_in_it() {
        let build = Build { program: "p 1".to_owned(), signature: "5".to_owned(), engines: Vec::new() };
        let task = EncodedTask { kind: "k".to_owned(), build, objects: Vec::new(), content: json!({"a": 1}) };
        let digest = |task: &EncodedTask| Digest::of(&task.encode());
        let (read, found) = EncodedTask::decode(&task.encode()).expect("a task");
        assert_eq!((&read, found), (&task, digest(&task)));
        let other_build = Build { signature: "6".to_owned(), ..task.build.clone() };
        assert_ne!(other_build.name(), task.build.name());
        let engine = EngineIdentity { name: "e".to_owned(), checksum: Digest::of(b"e"), arguments: Vec::new() };
        let with_engine = Build { engines: vec![engine], ..task.build.clone() };
        assert!(with_engine.name() != task.build.name() && with_engine.base() == task.build);
        for other in [
            EncodedTask { kind: "l".to_owned(), ..task.clone() },
            EncodedTask { build: other_build, ..task.clone() },
            EncodedTask { objects: vec![Digest::of(b"net")], ..task.clone() },
            EncodedTask { content: json!({"a": 2}), ..task.clone() },
        ] {
            assert_ne!(digest(&other), digest(&task), "{other:?}");
        }
        assert!(EncodedTask::decode(b"{\"kind\":\"k\",\"command\":\"rm\"}").is_err());
    }
}
