//! `quarterply window search` and `window show`: the real search, recorded and shown.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use miette::miette;
use quarterply_engine::position::Position;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::Control;
use quarterply_engine::table::Table;
use quarterply_engine::words::grouped;
use quarterply_files::draft::Draft;
use quarterply_window::html::FirstTree;
use quarterply_window::last_iteration::LastIteration;
use quarterply_window::model_search::ModelSetup;
use quarterply_window::move_sources::MoveSources;
use quarterply_window::session::SearchBody;
use quarterply_window::show::outline::Fold;
use quarterply_window::show::{self, ShowError, tree};
use quarterply_window::trace::record::{self, RecordSetup, Recording};
use quarterply_window::trace::{NodeId, Trace, TraceSummary};
use quarterply_window::{View, html, words};

use super::model::model_failure;
use super::module;
use super::support::{self, StartPosition, record_failure, show_failure};
use crate::common::Common;
use crate::export::{create, create_json, keep};
use crate::failure::{CommandResult, Failure};
use crate::numbers::count;
use crate::{interrupt, screen};

/// Output formats.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceFormat {
    /// The folded tree as text.
    Text,
    /// All events in order.
    Log,
    /// One JSON object for each node.
    Jsonl,
    /// The folded tree for Graphviz.
    Dot,
    /// A picture of the whole tree.
    Svg,
    /// The page, with everything in one file.
    Html,
    /// The recording itself, for `window show`.
    Trace,
}

const ENDINGS: [(&str, TraceFormat); 8] = [
    ("txt", TraceFormat::Text),
    ("log", TraceFormat::Log),
    ("jsonl", TraceFormat::Jsonl),
    ("dot", TraceFormat::Dot),
    ("gv", TraceFormat::Dot),
    ("svg", TraceFormat::Svg),
    ("html", TraceFormat::Html),
    ("trace", TraceFormat::Trace),
];

/// Where to write and how much to show.
#[derive(clap::Args, Clone, Debug)]
pub struct Output {
    /// Write to this file [default: stdout].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format [default: by the file extension].
    #[arg(long, value_enum)]
    pub format: Option<TraceFormat>,
    /// Show the iteration of depth D, in plies [default: the last finished one].
    #[arg(long, value_name = "D", value_parser = count::<u32>(0..))]
    pub iteration: Option<u32>,
    /// Text, dot: expand nodes up to N plies below the root.
    #[arg(long, value_name = "N", default_value_t = Fold::default().plies, value_parser = count::<u16>(0..))]
    pub expand: u16,
    /// Text, dot: expand subtrees with at least N permille of all nodes.
    #[arg(long, value_name = "N", default_value_t = Fold::default().share, value_parser = count::<u64>(0..=1000), hide_short_help = true)]
    pub share: u64,
    /// Text, dot: list N moves of a node.
    #[arg(long, value_name = "N", default_value_t = Fold::default().moves, value_parser = count::<usize>(0..), hide_short_help = true)]
    pub list: usize,
    /// HTML: embed the engine, so that the page can search without a server (needs the WebAssembly module of `make web`).
    #[arg(long)]
    pub live: bool,
}

/// Arguments of `window search`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub place: StartPosition,
    /// Record only: plies=N, nodes=N, line=MOVE MOVE ..., key=HEX, iteration=N..N, sample=N, quiescence=no, until=EVENT; with
    /// commas between, or repeated. An event is `alpha` (`alpha@2`: two plies below the root), a rule, a key after 0x, or a move: the search ends there.
    #[arg(long, value_name = "FILTER")]
    pub filter: Vec<String>,
    #[command(flatten)]
    pub output: Output,
    /// Check the recording: every breakdown sums to the deducted depth, and the search is the same as without a recorder.
    #[arg(long, hide_short_help = true)]
    pub check: bool,
}

/// Which trace to show.
#[derive(clap::Args, Debug)]
pub struct ShowArguments {
    /// Trace file of `window search`.
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub output: Output,
}

/// Records a search and writes it in the wanted form.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    let game = arguments.place.game()?;
    let (profile, parameters) = support::parameters(common)?;
    let limits = arguments.place.limits.get();
    let filter = support::filter(&arguments.filter, &game)?;
    let hash = arguments.place.hash;
    let setup = RecordSetup { game: &game, parameters: &parameters, profile: &profile, limits: &limits, hash, filter };
    let format = arguments.output.format()?;
    let out = arguments.output.open(common, None)?;
    let lines = open_json(common, None)?;
    let (control, stop) =
        interrupt::control("stopping: the search so far is written (press Ctrl-C again to end at once)")?;
    let trace = match (out, format) {
        (Some(draft), TraceFormat::Trace) => record_into(&setup, &control, draft, common, &arguments.output)?,
        (None, TraceFormat::Trace) => {
            refuse!("cannot write a trace to the terminal: it is a binary file; give a file with -o FILE.trace");
        }
        (out, _) => {
            let (trace, recording) = support::record_aside(&setup, &control)?;
            remark(common, &recording.summary);
            warn_of_missed_event(&setup, recording.event_reached);
            let shown = ShownTrace {
                request: SearchBody::repeating(&setup, recording.summary.nodes),
                ..ShownTrace::of(&trace)
            };
            arguments.output.show(common, out, &shown, format)?;
            trace
        }
    };
    export(common, lines, &arguments.output, &trace)?;
    if stop.is_set() {
        return Ok(interrupt::code());
    }
    // Another program may read the standard output.
    let is_read = common.is_json_on_stdout() || (arguments.output.output.is_none() && format != TraceFormat::Text);
    match (arguments.check, is_read) {
        (true, true) => check(&setup, &trace, &mut io::stderr().lock()),
        (true, false) => check(&setup, &trace, &mut io::stdout().lock()),
        (false, _) => Ok(ExitCode::SUCCESS),
    }
}

/// Records a search into the file of -o.
fn record_into(
    setup: &RecordSetup<'_>,
    control: &Control,
    draft: Draft,
    common: &Common,
    output: &Output,
) -> Result<Trace, Failure> {
    let path = output.output.as_deref().unwrap_or(Path::new(""));
    let recording = record::search(setup, None, control, None, BufWriter::new(draft)).map_err(record_failure);
    let Recording { out, summary, event_reached, .. } = recording?;
    keep(out)?;
    remark(common, &summary);
    warn_of_missed_event(setup, event_reached);
    Trace::open(path).map_err(Failure::input)
}

/// Begins the file of --json; `None` without one. A wrong path is refused before the search.
fn open_json(common: &Common, read: Option<&Path>) -> Result<Option<Draft>, Failure> {
    common.json_file().map(|path| create_json(common, path, read)).transpose()
}

/// Writes the nodes as JSON lines to the target of --json, if any: `draft`, or stdout.
fn export(common: &Common, draft: Option<Draft>, output: &Output, trace: &Trace) -> Result<(), Failure> {
    if draft.is_none() && !common.is_json_on_stdout() {
        return Ok(());
    }
    output.write(draft, &ShownTrace::of(trace), TraceFormat::Jsonl).map(drop)
}

/// A recording, and the results if it is of a model.
struct ShownTrace<'a> {
    trace: &'a Trace,
    /// The last lines of the text.
    comparison: Option<String>,
    /// The tree of the page, with the model's moves and its closing.
    view: Option<View>,
    /// The request with which a page repeats the search.
    request: Option<SearchBody>,
}

impl<'a> ShownTrace<'a> {
    /// A recording without a model.
    fn of(trace: &'a Trace) -> ShownTrace<'a> {
        ShownTrace { trace, comparison: None, view: None, request: None }
    }

    /// The recording of a file, with what the form needs of its model if it has one.
    fn load(path: &Path, trace: &'a Trace, format: TraceFormat) -> Result<ShownTrace<'a>, Failure> {
        let failed = |error| model_failure(path, error);
        let mut shown = ShownTrace::of(trace);
        if let Some(model) = ModelSetup::of(trace).map_err(failed)? {
            let again = || Trace::open(path).map_err(Failure::input);
            match format {
                TraceFormat::Text => shown.comparison = Some(model.comparison(again()?).map_err(failed)?.to_string()),
                TraceFormat::Html => shown.view = Some(model.view(again()?).map_err(failed)?),
                _ => {}
            }
        }
        Ok(shown)
    }
}

/// Writes a trace in the wanted form.
pub fn show(common: &Common, arguments: &ShowArguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    common.refuse_parameters("a trace is shown without a search")?;
    let trace = Trace::open(&arguments.trace).map_err(Failure::input)?;
    let format = arguments.output.format()?;
    if format == TraceFormat::Trace {
        refuse!("cannot convert a trace to a trace; choose another --format");
    }
    let out = arguments.output.open(common, Some(&arguments.trace))?;
    let lines = open_json(common, Some(&arguments.trace))?;
    remark(common, trace.summary());
    arguments.output.show(common, out, &ShownTrace::load(&arguments.trace, &trace, format)?, format)?;
    export(common, lines, &arguments.output, &trace)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the size of the trace on stderr.
fn remark(common: &Common, summary: &TraceSummary) {
    if common.quiet {
        return;
    }
    let unrecorded = match summary.unrecorded {
        0 => String::new(),
        nodes => format!(", {} more not recorded", grouped(nodes)),
    };
    let recorded = words::several(summary.recorded, "node");
    say!("{} searched, {recorded} recorded{unrecorded}", words::several(summary.nodes, "move"));
}

/// Warns on stderr if the search ended without an event at which the filter ends it.
fn warn_of_missed_event(setup: &RecordSetup<'_>, event_reached: bool) {
    let events: Vec<String> = setup.filter.until.iter().map(ToString::to_string).collect();
    if !events.is_empty() && !event_reached {
        let events = events.join(",");
        say!(
            "warning: the search ended without the event of --filter {events}; search longer, or choose another event"
        );
    }
}

impl Output {
    /// The form, with `--live` a page. A module that is missing is noticed before the search.
    fn format(&self) -> Result<TraceFormat, Failure> {
        let format = self.named_format()?;
        if self.live {
            if format != TraceFormat::Html {
                refuse!(
                    "cannot use --live here: only a page can hold the engine; write to a file with the extension .html"
                );
            }
            module::find().map_err(Failure::Input)?;
        }
        Ok(format)
    }

    fn named_format(&self) -> Result<TraceFormat, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let Some(path) = &self.output else { return Ok(TraceFormat::Text) };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let known = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        known.map(|(_, format)| *format).ok_or_else(|| {
            let endings: Vec<&str> = ENDINGS.iter().map(|(ending, _)| *ending).collect();
            let name = path.display();
            Failure::Input(miette!(
                "cannot choose a format for `{name}`: unknown extension; use one of {}, or --format",
                endings.join(", ")
            ))
        })
    }

    /// The file; `None` for stdout.
    fn open(&self, common: &Common, read: Option<&Path>) -> Result<Option<Draft>, Failure> {
        self.output.as_deref().map(|path| create(common, path, read)).transpose()
    }

    /// Writes for people or for a file; nothing to stdout where the JSON lines go there.
    fn show(
        &self,
        common: &Common,
        out: Option<Draft>,
        shown: &ShownTrace<'_>,
        format: TraceFormat,
    ) -> Result<(), Failure> {
        if common.is_json_on_stdout() && out.is_none() {
            return Ok(());
        }
        let cut = match self.write(out, shown, format) {
            // The file of --json is still to be written.
            Err(Failure::Closed) if common.json_file().is_some() => return Ok(()),
            written => written?,
        };
        if common.quiet {
            return Ok(());
        }
        if cut > 0 {
            let (cut, all) = (grouped(cut), words::several(shown.trace.len(), "recorded node"));
            say!(
                "{cut} of {all} are not in the page, those of the smallest subtrees: `window serve --trace` shows more"
            );
        }
        if let (TraceFormat::Html, Some(path)) = (format, &self.output) {
            say!("open {} in a browser", path.display());
        }
        Ok(())
    }

    /// Writes in a format; returns the number of nodes left out of a page.
    fn write(&self, out: Option<Draft>, shown: &ShownTrace<'_>, format: TraceFormat) -> Result<u64, Failure> {
        let root = self.root(shown.trace)?;
        let game = shown.trace.game().map_err(Failure::input)?;
        let position = game.position();
        match out {
            None => {
                let colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
                let mut out = BufWriter::new(screen::out());
                let cut = self.write_as(&mut out, shown, root, position, format, colours).map_err(show_failure)?;
                out.flush()?;
                Ok(cut)
            }
            Some(draft) => {
                let mut out = BufWriter::new(draft);
                let cut = self.write_as(&mut out, shown, root, position, format, false).map_err(show_failure)?;
                keep(out)?;
                Ok(cut)
            }
        }
    }

    fn write_as(
        &self,
        out: &mut dyn Write,
        shown: &ShownTrace<'_>,
        root: NodeId,
        position: &Position,
        format: TraceFormat,
        colours: bool,
    ) -> Result<u64, ShowError> {
        let fold = Fold { plies: self.expand, share: self.share, moves: self.list };
        let trace = shown.trace;
        match format {
            TraceFormat::Text => {
                tree::write(out, trace, root, position, &tree::Style { fold, colours })?;
                let places = MoveSources::of(trace)?;
                if places.decided() > 0 {
                    write!(out, "\n{places}")?;
                }
                if let Some(comparison) = &shown.comparison {
                    write!(out, "\n{comparison}")?;
                }
            }
            TraceFormat::Log => show::log::write(out, trace, root, position)?,
            TraceFormat::Jsonl => show::jsonl::write(out, trace, root, position)?,
            TraceFormat::Dot => show::dot::write(out, trace, root, position, &fold)?,
            TraceFormat::Svg => show::svg::write(out, trace, root, position)?,
            TraceFormat::Html if self.live => {
                let module = module::read().map_err(ShowError::Write)?;
                let bytes = trace.bytes()?;
                let first = shown.request.as_ref().map_or(FirstTree::Trace(&bytes), FirstTree::Request);
                out.write_all(html::live_page(&trace.header().fen, &first, &module).as_bytes())?;
            }
            TraceFormat::Html => {
                let whole = || View::of_trace(trace, html::NODES_MAX);
                let view =
                    shown.view.as_ref().map_or_else(|| whole().map(Cow::Owned), |view| Ok(Cow::Borrowed(view)))?;
                out.write_all(html::page(&view).as_bytes())?;
                return Ok(view.about.cut);
            }
            TraceFormat::Trace => {}
        }
        Ok(0)
    }

    /// The root to show.
    fn root(&self, trace: &Trace) -> Result<NodeId, Failure> {
        let found = match self.iteration {
            None => trace.last_root(),
            Some(plies) => {
                let of_depth = |depth: i32| quarterply_engine::score::Depth(depth).whole() == plies as i32;
                let every = trace.summary().iterations.iter().rev();
                let mut fitting = trace.chosen_iterations().rev().chain(every).filter(|info| of_depth(info.depth));
                fitting.find_map(|iteration| iteration.root)
            }
        };
        found.ok_or_else(|| {
            let which =
                self.iteration.map_or("no iteration".to_owned(), |plies| format!("no iteration of depth {plies}"));
            Failure::Input(miette!("cannot show the search: {which} was recorded; choose another --iteration, or record with another --filter"))
        })
    }
}

/// Checks every node of a trace, and the search against one without a recorder.
fn check(setup: &RecordSetup<'_>, trace: &Trace, out: &mut dyn Write) -> CommandResult {
    let (mut moves, mut wrong) = (0u64, 0u64);
    for id in 0..trace.len() {
        let node = trace.node(id).map_err(Failure::input)?;
        for searched in node.moves().filter_map(|mv| mv.searched()).filter(|searched| searched.deducted.is_some()) {
            moves += 1;
            wrong += u64::from(!searched.adds_up());
        }
    }
    let table = Table::new(setup.hash).map_err(Failure::input)?;
    let mut searcher = Searcher::new(setup.parameters.clone(), table.into());
    let mut finished = LastIteration::default();
    let plain =
        searcher.search_alone(setup.game, setup.limits, &Control::default(), &mut |event| finished.listen(event));
    let mode = setup.game.castling_mode();
    let line: Vec<String> = plain.report.line.iter().map(|mv| mv.to_uci(mode).to_string()).collect();
    let summary = trace.summary();
    let same = (plain.nodes, &line, plain.report.score.0) == (summary.nodes, &summary.line, summary.score);
    writeln!(out, "{} with a breakdown, {wrong} wrong", words::several(moves, "move"))?;
    let verdict = if same { "the same" } else { "ANOTHER" };
    writeln!(out, "{verdict} search without the recorder: {}", words::several(plain.nodes, "node"))?;
    Ok(if same && wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
