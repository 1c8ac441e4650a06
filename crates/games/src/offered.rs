//! Other engines on workers.
//!
//! Tasks are data, never commands. A task has the name of an engine, the SHA-256 of its program, and its options. The configuration of
//! the worker has the program of this name and its arguments; it is started only if its SHA-256 is the same. Options with numbers,
//! switches and choices are taken from tasks; texts, which can name files, only if the configuration allows them.

use crate::external::{EngineSetup, UciEngine};
use crate::players::{PlayerDefaults, PlayerKind, RestartablePlayer, Spec, Timeouts};
use quarterply_uci::client::MessageSink;
use quarterply_uci::info::milliseconds;
use quarterply_uci::launch::Launch;
use quarterply_uci::process::Stop;
use quarterply_work::{Context, Digest, EngineIdentity, TaskError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use thiserror::Error;

/// The protocol of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineProtocol {
    /// UCI.
    Uci,
    /// The protocol of xboard.
    Xboard,
}

/// Another engine as a player, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalEngineData {
    /// Which program it is.
    pub engine: EngineIdentity,
    /// Its protocol.
    pub protocol: EngineProtocol,
    /// Options of the protocol.
    pub options: Vec<(String, String)>,
    /// Transposition table (MiB).
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Time kept in reserve for each move (milliseconds), if given.
    pub overhead: Option<u64>,
    /// Time for a search without a clock (seconds), if given.
    pub timeout: Option<u64>,
}

impl ExternalEngineData {
    /// A player as data; `None` if it plays in this process.
    ///
    /// # Errors
    /// A message: its program cannot be read, or it needs endgame tables of this machine.
    pub fn of(spec: &Spec, terms: &PlayerDefaults) -> Option<Result<ExternalEngineData, String>> {
        let (launch, protocol) = match &spec.kind {
            PlayerKind::Profile(_) => return None,
            PlayerKind::Uci(launch) => (launch, EngineProtocol::Uci),
            PlayerKind::Xboard(launch) => (launch, EngineProtocol::Xboard),
        };
        if terms.tables.is_some() {
            let text = "its endgame tables are on this machine only; leave out --syzygy, or play here";
            return Some(Err(text.to_owned()));
        }
        Some(identity(launch).map(|engine| ExternalEngineData {
            engine,
            protocol,
            options: spec.options.clone(),
            hash: terms.hash,
            threads: terms.threads,
            overhead: terms.overhead.map(milliseconds),
            timeout: terms.timeouts.search_fixed.map(|time| time.as_secs()),
        }))
    }
}

/// The name and the checksum of a program with its arguments.
///
/// # Errors
/// A message: the program does not exist or cannot be read.
pub fn identity(launch: &Launch) -> Result<EngineIdentity, String> {
    let path = launch.require().map_err(|error| error.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".exe").unwrap_or(&name).to_owned();
    let bytes = std::fs::read(&path).map_err(|error| format!("cannot read program `{}`: {error}", path.display()))?;
    Ok(EngineIdentity { name, checksum: Digest::of(&bytes), arguments: launch.arguments.clone() })
}

/// Why an engine cannot be offered.
#[derive(Debug, Error)]
pub enum OfferError {
    /// The text is not a name and a program.
    #[error("`{0}` is not a valid engine: expected NAME=PATH, such as toga2=/usr/games/toga2")]
    Form(String),
    /// The program does not exist or cannot be read: the name, what is wrong, and the remedy.
    #[error("cannot offer engine `{0}`: {1}")]
    Program(String, String),
}

/// An engine that a worker offers.
#[derive(Clone, Debug)]
pub struct OfferedEngine {
    identity: EngineIdentity,
    launch: Launch,
    texts: Vec<String>,
    path: PathBuf,
    /// Size and time of the program when its checksum was computed.
    state: (u64, Option<SystemTime>),
}

impl OfferedEngine {
    /// An engine by its name in tasks; tasks may set its options of texts in `texts`.
    pub fn new(name: &str, launch: Launch, texts: Vec<String>) -> Result<OfferedEngine, OfferError> {
        let wrong = |fault: String| OfferError::Program(name.to_owned(), fault);
        let path = launch.require().map_err(|error| wrong(error.to_string()))?;
        let state = state(&path).map_err(|error| wrong(error.to_string()))?;
        let identity = EngineIdentity { name: name.to_owned(), ..identity(&launch).map_err(wrong)? };
        Ok(OfferedEngine { identity, launch, texts, path, state })
    }

    /// Its identity in tasks.
    pub fn identity(&self) -> &EngineIdentity {
        &self.identity
    }

    /// Fails if the program was changed after its checksum was computed.
    fn require_unchanged(&self) -> Result<(), TaskError> {
        if state(&self.path).is_ok_and(|state| state == self.state) {
            return Ok(());
        }
        let (name, path) = (&self.identity.name, self.path.display());
        Err(TaskError::Unfit(format!(
            "engine `{name}` was changed after the worker started: `{path}`; restart the worker"
        )))
    }
}

/// Reads `NAME=PATH`: the name of an engine in tasks, and how it is started. Arguments may follow the path; the program need not exist.
pub fn parse(text: &str) -> Result<(String, Launch), OfferError> {
    let form = || OfferError::Form(text.to_owned());
    let (name, command) = text.split_once('=').ok_or_else(form)?;
    if name.trim().is_empty() {
        return Err(form());
    }
    let launch = Launch::parse(command).map_err(|_| form())?;
    Ok((name.trim().to_owned(), launch))
}

fn state(path: &Path) -> std::io::Result<(u64, Option<SystemTime>)> {
    path.metadata().map(|data| (data.len(), data.modified().ok()))
}

/// The engines that a worker offers.
#[derive(Clone, Debug, Default)]
pub struct OfferedEngines(Arc<Vec<OfferedEngine>>);

impl OfferedEngines {
    /// These engines. Several may have one name: the checksum decides.
    pub fn new(engines: Vec<OfferedEngine>) -> OfferedEngines {
        OfferedEngines(Arc::new(engines))
    }

    /// Their identities in tasks.
    pub fn identities(&self) -> Vec<EngineIdentity> {
        self.0.iter().map(|engine| engine.identity.clone()).collect()
    }

    /// The engine of a task, if it is offered and its options can be sent.
    fn find(&self, data: &ExternalEngineData) -> Result<&OfferedEngine, TaskError> {
        let offered = self.0.iter().find(|engine| engine.identity == data.engine);
        let offered = offered.ok_or_else(|| {
            let reason = data.engine.incompatibility(&self.identities()).unwrap_or_default();
            TaskError::Unfit(format!("cannot start the engine: {reason}"))
        })?;
        offered.require_unchanged()?;
        require_plain(&data.options)?;
        Ok(offered)
    }

    /// The engine of a task as a UCI engine, started.
    ///
    /// # Errors
    /// As [`OfferedEngines::player`].
    pub fn solver(&self, data: &ExternalEngineData, context: &Context) -> Result<UciEngine, TaskError> {
        let offered = self.find(data)?;
        let (launch, options) = (offered.launch.clone(), data.options.clone());
        let setup = EngineSetup { launch, name: None, options, defaults: terms(data, offered, context) };
        UciEngine::start(&setup).map_err(|error| failed(&error, context))
    }

    /// The player of a task, started.
    ///
    /// # Errors
    /// [`TaskError::Unfit`] if the engine is not offered, [`TaskError::Failed`] if it does not start.
    pub fn player(
        &self,
        data: &ExternalEngineData,
        name: &str,
        context: &Context,
    ) -> Result<RestartablePlayer, TaskError> {
        let offered = self.find(data)?;
        let launch = offered.launch.clone();
        let kind = match data.protocol {
            EngineProtocol::Uci => PlayerKind::Uci(launch),
            EngineProtocol::Xboard => PlayerKind::Xboard(launch),
        };
        let spec =
            Spec { kind, name: Some(name.to_owned()), options: data.options.clone(), settings: Vec::new(), pace: None };
        let player = RestartablePlayer::new(&spec, &terms(data, offered, context));
        let mut player = player.map_err(|error| TaskError::Refused(error.to_string()))?;
        player.start().map_err(|error| failed(&error, context))?;
        Ok(player)
    }
}

/// The error of a task whose engine did not start: [`TaskError::Stopped`] if the task is cancelled.
fn failed(error: &dyn std::error::Error, context: &Context) -> TaskError {
    if context.is_cancelled() { TaskError::Stopped } else { TaskError::Failed(error.to_string()) }
}

/// The settings of an engine for tasks.
fn terms(data: &ExternalEngineData, offered: &OfferedEngine, context: &Context) -> PlayerDefaults {
    // The last flag is that of the worker: players outlive their tasks.
    let stop = context.cancel.flags().last().map(|flag| Stop::from(Arc::clone(flag)));
    PlayerDefaults {
        hash: data.hash,
        threads: data.threads,
        overhead: data.overhead.map(Duration::from_millis),
        tables: None,
        timeouts: Timeouts { search_fixed: data.timeout.map(Duration::from_secs), ..Timeouts::default() },
        stop: stop.unwrap_or_default(),
        messages: MessageSink::default(),
        texts: Some(offered.texts.clone()),
    }
}

/// Options are sent as lines: a line feed in one would be a command.
fn require_plain(options: &[(String, String)]) -> Result<(), TaskError> {
    let odd = options.iter().find(|(name, value)| [name, value].iter().any(|text| text.contains(char::is_control)));
    match odd {
        None => Ok(()),
        Some((name, _)) => Err(TaskError::Refused(format!(
            "cannot set option `{}`: it contains a control character; remove it",
            name.escape_debug()
        ))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use quarterply_work::ObjectFolder;

    /// A UCI engine with one option of each kind, as a script.
    const ENGINE: &str = "while read -r word rest; do case $word in
        uci) echo 'id name Toy'; echo 'option name Hash type spin default 1 min 1 max 9';
             echo 'option name Log type string default <empty>'; echo uciok;;
        isready) echo readyok;; setoption) echo \"$rest\" >> \"$0.set\";; esac; done";

    fn offered(folder: &Path, texts: &[&str]) -> OfferedEngine {
        let script = folder.join("toy.sh");
        std::fs::write(&script, ENGINE).expect("written");
        let launch = Launch { arguments: vec![script.display().to_string()], ..Launch::program("sh") };
        OfferedEngine::new("toy", launch, texts.iter().map(|&text| text.to_owned()).collect()).expect("sh")
    }

    fn data(engine: &OfferedEngine, options: &[(&str, &str)]) -> ExternalEngineData {
        let options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let (engine, protocol) = (engine.identity().clone(), EngineProtocol::Uci);
        ExternalEngineData { engine, protocol, options, hash: 1, threads: 1, overhead: None, timeout: None }
    }

    fn context() -> Context {
        Context::new(Arc::new(ObjectFolder("/nowhere".into())))
    }

    #[test]
    fn options_are_data_and_texts_need_a_permission() {
        let folder = tempfile::tempdir().expect("a folder");
        for (texts, options, refusal) in [
            (&[][..], &[("Hash", "3")][..], None),
            (&[], &[("Log", "/tmp/x")], Some("can name a file")),
            (&["log"], &[("Log", "/tmp/x")], None),
            (&[], &[("Hash", "many")], Some("cannot set option Hash")),
            (&[], &[("Hash", "3\nsetoption name Log value /tmp/x")], Some("control character")),
            (&[], &[("Contempt", "3")], Some("has no option `Contempt`")),
        ] {
            let engine = offered(folder.path(), texts);
            let engines = OfferedEngines::new(vec![engine.clone()]);
            match engines.player(&data(&engine, options), "Toy", &context()) {
                Ok(_) => assert_eq!(refusal, None, "{options:?}"),
                Err(TaskError::Failed(text) | TaskError::Refused(text)) => {
                    assert!(refusal.is_some_and(|refusal| text.contains(refusal)), "{options:?}: {text}");
                }
                Err(other) => panic!("{options:?}: {other:?}"),
            }
        }
        let set = std::fs::read_to_string(folder.path().join("toy.sh.set")).expect("options");
        assert!(!set.lines().any(|line| line.contains("Log") && !line.contains("value /tmp/x")), "{set}");
        assert_eq!(set.matches("name Log").count(), 1, "{set}");
    }

    /// Only programs of the configuration are started, and only with the checksum and the arguments of the task.
    #[test]
    fn other_programs_and_arguments_are_not_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = offered(folder.path(), &[]);
        let engines = OfferedEngines::new(vec![engine.clone()]);
        let known = data(&engine, &[]);
        let with = |change: &dyn Fn(&mut EngineIdentity)| {
            let mut data = known.clone();
            change(&mut data.engine);
            data
        };
        for (name, requested, needle) in [
            ("another name", with(&|engine| engine.name = "/bin/sh".to_owned()), "offers no engine `/bin/sh`"),
            ("another binary", with(&|engine| engine.checksum = Digest::of(b"x")), "has SHA-256"),
            (
                "other arguments",
                with(&|engine| engine.arguments = vec!["-c".to_owned()]),
                "configure the same arguments",
            ),
        ] {
            match engines.player(&requested, "Toy", &context()) {
                Err(TaskError::Unfit(text)) => assert!(text.contains(needle), "{name}: {text}"),
                other => panic!("{name}: {:?}", other.map(|_| ())),
            }
        }
        let mut changed = engine;
        changed.state.0 += 1;
        let fault = OfferedEngines::new(vec![changed]).player(&known, "Toy", &context()).map(|_| ());
        assert!(matches!(&fault, Err(TaskError::Unfit(text)) if text.contains("restart the worker")), "{fault:?}");
    }

    #[test]
    fn engines_are_named_with_their_program() {
        let (name, launch) = parse("shell=sh -x").expect("a name and a program");
        assert_eq!((name.as_str(), &launch.arguments[..]), ("shell", &["-x".to_owned()][..]));
        for text in ["toga2", "=sh", "x="] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains("expected NAME=PATH"), "{text}: {error}");
        }
        let (name, launch) = parse("x=/no/such/engine").expect("a name and a program");
        let error = OfferedEngine::new(&name, launch, Vec::new()).expect_err("no program").to_string();
        assert!(error.contains("cannot offer engine `x`: no program `/no/such/engine`"), "{error}");
    }
}
