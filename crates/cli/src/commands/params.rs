//! `quarterply params`: every parameter, for people and for tuners.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use miette::miette;
use quarterply_engine::params::{MODELS, ParameterKind, Parameters};
use quarterply_engine::rules::worth::Worths;
use quarterply_files::params::{self, Export, OPENINGS_FILE, ParameterList};
use quarterply_files::profile::{self, nearest};
use serde_json::Value;

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT, create};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;

/// Openings for other tuners.
const OPENINGS: usize = 200;

/// Which form, which parameters.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Rules (`null_move`) or parameters (`null_move.base`) to list [default: all]. The option of a file of learned coefficients
    /// (`learned_cost.coefficients`) alone prints that file.
    #[arg(value_name = "RULE|PARAMETER")]
    pub names: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// With --format ctt: write openings to this file and name it in the configuration.
    #[arg(long, value_name = "FILE.epd")]
    pub openings: Option<PathBuf>,
}

/// The forms of the list.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// A table to read.
    Table,
    /// A JSON array of objects.
    Json,
    /// A profile as `--profile` reads it; parameters that it does not list have the values of `default`.
    Toml,
    /// The page docs/rules.md.
    Markdown,
    /// Lines for an OpenBench SPSA test.
    Openbench,
    /// Lines for a fishtest SPSA test.
    Fishtest,
    /// The config.json of weather-factory.
    WeatherFactory,
    /// A configuration of chess-tuning-tools.
    Ctt,
}

/// Prints the parameters; exit code 2 if the profile or a name is wrong.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    if arguments.openings.is_some() && arguments.format != ListFormat::Ctt {
        refuse!("cannot use --openings without --format ctt: only that configuration names openings; add --format ctt");
    }
    if common.json.is_some() && arguments.format == ListFormat::Json {
        refuse!("cannot use --json with --format json: both write the parameters as JSON; remove one of them");
    }
    let parameters = common.parameters()?;
    if let Some(text) = coefficients(&parameters, &arguments.names) {
        if common.json.is_some() {
            refuse!("cannot use --json with a file of coefficients: it is printed as it is; remove --json");
        }
        io::stdout().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let list = ParameterList::new(parameters, &arguments.names).map_err(|name| {
        let all = Parameters::specs();
        let files = MODELS.iter().map(|model| model.option.to_owned());
        let known: Vec<String> = all.flat_map(|entry| [entry.group.to_owned(), entry.name]).chain(files).collect();
        let advice = nearest(&name, known.iter().map(String::as_str))
            .map_or_else(|| "`quarterply params` lists all".to_owned(), |name| format!("did you mean `{name}`?"));
        Failure::Input(miette!("cannot list `{name}`: not a rule or parameter; {advice}"))
    })?;
    let text = match arguments.format {
        ListFormat::Table => format!("{}\n", listing(&list)),
        ListFormat::Json => params::json(&list),
        ListFormat::Toml => {
            let chosen = |entry: &_| list.entries.contains(entry);
            profile::write_profile(&list.parameters, chosen)
        }
        ListFormat::Markdown => params::markdown(&list, Worths::builtin()),
        ListFormat::Openbench => params::openbench(&Export::from(&list)),
        ListFormat::Fishtest => params::fishtest(&Export::from(&list)),
        ListFormat::WeatherFactory => params::weather_factory(&Export::from(&list)),
        ListFormat::Ctt => params::ctt(&Export::from(&list), &openings(common, arguments)?),
    };
    let mut json = JsonLines::open(common, NO_INPUT)?;
    if json.is_requested() {
        let list: Vec<Value> = serde_json::from_str(&params::json(&list)).map_err(io::Error::from)?;
        list.iter().try_for_each(|entry| json.write(entry))?;
    }
    // A form for other programs is written as it is.
    let mut out = json.out();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    json.close()
}

/// The text of the file of coefficients whose option is the only name.
fn coefficients(parameters: &Parameters, names: &[String]) -> Option<String> {
    let [name] = names else { return None };
    let mut files = parameters.coefficient_contents();
    let (model, contents) = files.find(|(model, _)| name.trim().eq_ignore_ascii_case(model.option))?;
    Some(model.write(contents))
}

/// The file of openings that chess-tuning-tools cannot do without; it is written if it was named.
fn openings(common: &Common, arguments: &Arguments) -> Result<String, Failure> {
    let Some(path) = &arguments.openings else {
        if !common.quiet {
            say!("the configuration needs {OPENINGS_FILE}; write it with --openings {OPENINGS_FILE}");
        }
        return Ok(OPENINGS_FILE.to_owned());
    };
    let book = quarterply_games::openings::book(common.seed, OPENINGS);
    create(common, path, NO_INPUT)?.finish(&book)?;
    Ok(std::path::absolute(path)?.display().to_string())
}

fn listing(list: &ParameterList) -> Listing {
    let mut listing = Listing::new(&["parameter", "value", "default", "range", "step", "meaning"], 1..3);
    for entry in &list.entries {
        let spec = entry.spec;
        let text = |value| profile::value_text(spec.kind, value);
        let (range, step) = match spec.kind {
            ParameterKind::Switch => ("switch".to_owned(), String::new()),
            ParameterKind::Number => (format!("{} to {}", spec.min, spec.max), spec.step.to_string()),
        };
        let value = text(list.value(entry));
        listing.add_row([&entry.name, &value, &text(spec.default), &range, &step, spec.doc.trim()]);
    }
    listing
}
