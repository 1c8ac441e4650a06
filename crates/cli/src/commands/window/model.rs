//! `quarterply window model`: a small tree searched by the textbook, or by the engine, every decision shown.

mod engine;

pub use engine::model_failure;

use std::io::{self, Write};
use std::path::PathBuf;

use quarterply_window::{Model, ModelRun, View, board, html, model, text};

use crate::common::Common;
use crate::export::{JsonLines, create};
use crate::failure::{CommandResult, Failure};
use crate::limits::DEPTH_MAX;
use crate::numbers::count;

/// Output formats.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelFormat {
    /// The board, the diagram, how the line was found, and what was cut.
    Text,
    /// The tree with every decision at its node.
    Diagram,
    /// Every creation and every comparison, in order.
    Log,
    /// The steps that read the principal variation from the list of best moves.
    Scan,
    /// Cutoffs, their reasons, and the number of leaves saved.
    Verdict,
    /// The order of creation and the order of evaluation, side by side.
    Pairs,
    /// The text of "A Window into Sargon": board, annotated diagram, PV, remarks, detailed log, starred lists.
    Sargon,
    /// The board at the end of each line.
    Boards,
    /// The event table, one JSON object.
    Json,
    /// The page, with everything in one file.
    Html,
    /// With --engine: the recording itself, for `window show`.
    Trace,
}

/// Arguments of `window model`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Model file: {"nodes": [{"key": "A", "line": "1.e4", "score": 0.25}, ...]}.
    #[arg(value_name = "FILE", conflicts_with = "new")]
    pub file: Option<PathBuf>,
    /// Write a template of a model instead, with these numbers of moves at each ply.
    #[arg(long, value_name = "2x2x2")]
    pub new: Option<String>,
    /// Output format [default: by the file extension json, html, log or trace, else text].
    #[arg(long, value_enum, conflicts_with = "new")]
    pub format: Option<ModelFormat>,
    /// Write to this file [default: stdout].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Search the model with the engine and every rule of --profile and --set; it needs a `fen` and lines that are
    /// moves.
    #[arg(long, conflicts_with = "new")]
    pub engine: bool,
    /// With --engine: search to depth D, in plies [default: the depth of the model].
    #[arg(long, value_name = "D", requires = "engine", value_parser = count::<u32>(1..=DEPTH_MAX))]
    pub depth: Option<u32>,
}

impl Arguments {
    fn format(&self) -> ModelFormat {
        let ending = self.output.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        let guess = match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => ModelFormat::Json,
            Some("html") => ModelFormat::Html,
            Some("log") => ModelFormat::Log,
            Some("trace") => ModelFormat::Trace,
            _ => ModelFormat::Text,
        };
        self.format.unwrap_or(guess)
    }
}

/// Width for boards placed side by side, in columns.
const WIDTH: usize = 100;

/// Writes the model in the chosen format.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    if !arguments.engine && (common.profile.is_some() || !common.set.is_empty()) {
        refuse!("cannot use --profile or --set: the textbook search has no rules; add --engine");
    }
    let mut json = JsonLines::open(common, &arguments.file)?;
    let draft = arguments.output.as_deref().map(|path| create(common, path, &arguments.file)).transpose()?;
    let text = match (&arguments.file, &arguments.new) {
        (Some(file), _) => {
            let model = Model::read(file).map_err(Failure::input)?;
            if model.fen.is_some()
                && !arguments.engine
                && let Err(error) = model.position()
            {
                say!("{}: {error}; no board is shown", file.display());
            }
            if !common.quiet {
                model.warnings.iter().for_each(|warning| say!("{}: {warning}", file.display()));
            }
            if arguments.engine {
                let to_file = arguments.output.is_some();
                let output = engine::search_model(
                    common,
                    (file.as_path(), &model),
                    arguments.format(),
                    arguments.depth,
                    to_file,
                )?;
                json.write(&output.comparison)?;
                output.bytes
            } else {
                let text = shown(&model, arguments.format())?;
                json.write(&model.run().to_json())?;
                text.into_bytes()
            }
        }
        (None, Some(shape)) => {
            let text = model::template(shape).map_err(Failure::input)?;
            json.write(&serde_json::from_str::<serde_json::Value>(&text).map_err(io::Error::from)?)?;
            text.into_bytes()
        }
        (None, None) => {
            refuse!("cannot start: no model is given; give a model file, or a shape with --new 2x2x2");
        }
    };
    match draft {
        Some(draft) => draft.finish(&text)?,
        None => {
            let mut out = json.out();
            out.write_all(&text)?;
            out.flush()?;
        }
    }
    json.close()
}

fn shown(model: &Model, format: ModelFormat) -> Result<String, Failure> {
    let run = model.run();
    Ok(match format {
        ModelFormat::Text => overview(model, &run),
        ModelFormat::Diagram => text::diagram(&run),
        ModelFormat::Log => text::log(&run),
        ModelFormat::Scan => text::scan(&run),
        ModelFormat::Verdict => text::verdict(&run),
        ModelFormat::Pairs => text::pairs(&run),
        ModelFormat::Sargon => text::sargon(&run),
        ModelFormat::Boards => boards(model)?,
        ModelFormat::Json => {
            let json = serde_json::to_string_pretty(&run.to_json()).map_err(io::Error::from)?;
            format!("{json}\n")
        }
        ModelFormat::Html => html::page(&View::of_model(&run)),
        ModelFormat::Trace => {
            refuse!("cannot write a trace: only a search by the engine has one; add --engine");
        }
    })
}

/// Title and board where the model has them.
fn head(model: &Model) -> String {
    let mut parts = Vec::new();
    let title: Vec<&str> =
        [&model.name, &model.title].into_iter().flatten().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if !title.is_empty() {
        parts.push(format!("{}\n", title.join(": ")));
    }
    if let Ok(position) = model.position() {
        parts.push(format!("{}\n", board::lines(&position).join("\n")));
    }
    parts.into_iter().map(|part| part + "\n").collect()
}

/// Title and board, the diagram with its legend, the scan, the verdict.
fn overview(model: &Model, run: &ModelRun<'_>) -> String {
    let diagram = format!("{}\n{}", text::diagram(run), text::LEGEND);
    head(model) + &[diagram, text::scan(run), text::verdict(run)].join("\n")
}

/// The board at the end of each line; lines that are no chess moves are refused.
fn boards(model: &Model) -> Result<String, Failure> {
    let mut blocks = Vec::new();
    for node in model.nodes() {
        let mut block = vec![if node.line.is_empty() { "(root)".to_owned() } else { node.line.clone() }];
        block.extend(board::lines(&model.position_at(node).map_err(Failure::input)?));
        blocks.push(block);
    }
    Ok(board::side_by_side(&blocks, WIDTH))
}
