//! Runs a search with a recorder.

use super::Trace;
use super::filter::Filter;
use super::format::{TraceError, TraceHeader, TraceSummary};
use super::partial::{PartialTraces, SharedIteration};
use super::recorder::Recorder;
use super::write::Sink;
use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::SearchOutcome;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::Control;
use quarterply_engine::search::watch::Watched;
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::table::{Table, TableError};
use quarterply_engine::tree::Script;
use std::any::Any;
use std::io::{self, Write};
use std::sync::{Arc, PoisonError};
use thiserror::Error;

/// Reason why nothing was recorded.
#[derive(Debug, Error)]
pub enum RecordError {
    /// No memory for the transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}; check the path and the free space")]
    Write(#[from] io::Error),
    /// A trace in memory cannot be read back.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Settings of a recorded search.
#[derive(Clone, Debug)]
pub struct RecordSetup<'a> {
    /// The game that led to the root.
    pub game: &'a Game,
    /// All parameters.
    pub parameters: &'a Parameters,
    /// Name of the parameters.
    pub profile: &'a str,
    /// When to stop.
    pub limits: &'a Limits,
    /// Transposition table in MiB.
    pub hash: usize,
    /// The nodes that are kept.
    pub filter: Filter,
}

/// A finished recording.
pub struct Recording<W> {
    /// The output with the whole trace.
    pub out: W,
    /// The contents of the trace.
    pub summary: TraceSummary,
    /// The result of the search.
    pub outcome: SearchOutcome,
    /// True if an event of the filter ended the search.
    pub event_reached: bool,
}

/// A model tree, with the text of its file for readers of the recording.
#[derive(Clone, Debug)]
pub struct ModelScript {
    /// The tree for the search.
    pub script: Script,
    /// The text, as [`crate::Model::to_text`] writes it.
    pub text: String,
}

/// Searches as `setup` says until done, or until `control` stops it, and writes the trace to `out`; a `model` is searched instead of chess,
/// if its root is the game's position. The control is stopped too when a mate is found that deeper iterations would only repeat. The
/// recording is sent to `parts`, if given, while it grows.
pub fn search<W: Write + Send + 'static>(
    setup: &RecordSetup<'_>,
    model: Option<ModelScript>,
    control: &Control,
    parts: Option<PartialTraces>,
    out: W,
) -> Result<Recording<W>, RecordError> {
    let sink = Box::new(StopOnError { out, control: control.clone() });
    let (out, summary, outcome, event_reached) = run(setup, model, control, parts, sink)?;
    let out: Box<dyn Any> = out;
    let Ok(StopOnError { out, .. }) = out.downcast::<StopOnError<W>>().map(|guarded| *guarded) else {
        unreachable!("the sink comes back as it went")
    };
    Ok(Recording { out, summary, outcome, event_reached })
}

/// As [`search`], and opens the recording, which is never written to a file.
pub fn in_memory(
    setup: &RecordSetup<'_>,
    model: Option<ModelScript>,
    control: &Control,
    parts: Option<PartialTraces>,
) -> Result<Trace, RecordError> {
    Ok(Trace::from_bytes(search(setup, model, control, parts, Vec::new())?.out)?)
}

/// The parts of a [`Recording`]. The search is compiled once for all kinds of sinks: it is large.
fn run(
    setup: &RecordSetup<'_>,
    model: Option<ModelScript>,
    control: &Control,
    parts: Option<PartialTraces>,
    out: Box<dyn Sink>,
) -> Result<(Box<dyn Sink>, TraceSummary, SearchOutcome, bool), RecordError> {
    let table = Arc::new(Table::new(setup.hash)?);
    let (script, model) = model.map_or((None, String::new()), |model| (Some(model.script), model.text));
    let header = header(setup, model);
    let finished = SharedIteration::default();
    let lock = || finished.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = parts.map(|parts| (parts, finished.clone()));
    let mut recorder = Recorder::new(out, header, setup.filter.clone(), control.clone(), parts)?;
    let mut searcher = Searcher::watched(setup.parameters.clone(), table, Watched::by(&mut recorder), script);
    let outcome = searcher.search_alone(setup.game, setup.limits, control, &mut |event| lock().listen(event));
    let mode = setup.game.castling_mode();
    let summary = TraceSummary {
        nodes: outcome.nodes,
        line: outcome.report.line.iter().map(|mv| mv.to_uci(mode).to_string()).collect(),
        score: outcome.report.score.0,
        depth: lock().depth(),
        ..TraceSummary::default()
    };
    drop(searcher);
    let event_reached = recorder.is_event_reached();
    let (out, summary) = recorder.finish(summary)?;
    Ok((out, summary, outcome, event_reached))
}

/// Ends the search when writing fails: without it a search would continue for hours after the disk is full.
struct StopOnError<W> {
    out: W,
    control: Control,
}

impl<W: Write> StopOnError<W> {
    fn checked<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.control.stop();
            }
        })
    }
}

impl<W: Write> Write for StopOnError<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.checked(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.checked(flushed)
    }
}

fn header(setup: &RecordSetup<'_>, model: String) -> TraceHeader {
    let game = setup.game;
    let mode = game.castling_mode();
    let usual = Parameters::DEFAULT;
    let parameters = Parameters::specs().filter_map(|entry| {
        let value = setup.parameters.get(&entry.name).ok()?;
        (usual.get(&entry.name) != Ok(value)).then_some((entry.name, value))
    });
    TraceHeader {
        program: format!("quarterply {}", env!("CARGO_PKG_VERSION")),
        fen: game.start_fen(),
        chess960: mode == CastlingMode::Chess960,
        moves: game.moves().iter().map(|mv| mv.to_uci(mode).to_string()).collect(),
        profile: profile_text(setup),
        parameters: parameters.collect(),
        limits: limits_text(setup.limits, !model.is_empty()),
        filter: String::new(),
        rules: Vec::new(),
        model,
    }
}

/// Separates the name of a profile from an evaluation that is not the default.
pub(crate) const NETWORK: &str = ", evaluation ";

/// The profile, with the evaluation if that is not the default.
fn profile_text(setup: &RecordSetup<'_>) -> String {
    match &setup.parameters.eval_file {
        EvalFile::Default => setup.profile.to_owned(),
        choice => format!("{}{NETWORK}{}", setup.profile, choice.identity()),
    }
}

fn limits_text(limits: &Limits, is_scripted: bool) -> String {
    let mut parts = Vec::new();
    parts.extend(is_scripted.then(|| "only the moves of a model".to_owned()));
    parts.extend(limits.depth.map(|depth| format!("depth {depth}")));
    parts.extend(limits.nodes.map(|nodes| format!("{nodes} nodes")));
    parts.extend(limits.movetime.map(|time| format!("{} ms", time.as_millis())));
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Room for a few blocks.
    struct FullDisk(usize);

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("full"))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Without the guard this would go on to the depth limit, which takes years.
    #[test]
    fn a_full_disk_ends_the_search() {
        let (game, parameters, filter) = (&Game::new(), &Parameters::default(), Filter::default());
        let limits = &Limits::depth(60);
        let setup = RecordSetup { game, parameters, profile: "default", limits, hash: 16, filter };
        let result = search(&setup, None, &Control::default(), None, FullDisk(100_000));
        let error = result.err().expect("nothing was written").to_string();
        assert!(error.contains("full"), "{error}");
    }
}
