//! Results of other tuners as values of our parameters.
//!
//! Read are lines of values separated by commas, semicolons, tabs or spaces, in any of these forms:
//!
//! - OpenBench, digest of an SPSA run: a header `Name,Curr,Start,...`, then `name,value,...`;
//! - OpenBench, values: `name, value`; or inputs: `name, int, value, min, max, C_end, R_end`;
//! - fishtest: `name,value,min,max,C_end,R_end`; and its `param: name, best: value, ...` lines;
//! - weather-factory: its `config.json`; chess-tuning-tools: the values of the second engine in its configuration;
//! - UCI: `setoption name NAME value VALUE`, also `setoption name Profile value NAME` before all others.
//!
//! Empty lines and lines that begin with `#` are passed over. Values with a fraction are rounded to whole numbers.

use quarterply_engine::params::{ParameterError, ParameterKind, Parameters};
use quarterply_engine::profile::{BUILTIN, builtin};
use serde_json::{Map, Value};
use thiserror::Error;

/// Headers of the column with the names.
const NAME_HEADERS: [&str; 3] = ["name", "param", "parameter"];
/// Headers of the column with the results, the best first.
const VALUE_HEADERS: [&str; 5] = ["curr", "current", "best", "value", "theta"];
/// Types between name and value in some forms.
const KINDS: [&str; 2] = ["int", "float"];

/// Options of games in a configuration of chess-tuning-tools.
const GAME_OPTIONS: [&str; 2] = ["Hash", "Threads"];

/// Why a text gives no values: what is wrong, where.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{place}: {fault}")]
pub struct ImportError {
    /// The file, and the line if there is one.
    place: String,
    fault: ImportFault,
}

#[derive(Clone, Debug, PartialEq, Error)]
enum ImportFault {
    #[error(
        "`{0}` is not a line `name, value`: expected the digest of an OpenBench SPSA run, a list of fishtest, or lines `name, value`"
    )]
    Line(String),
    #[error("cannot read the header `{0}`: it has no column of values; name that column {names}", names = VALUE_HEADERS.join(" or "))]
    Header(String),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("cannot find the profile `{0}`: expected {names}", names = BUILTIN.join(", "))]
    NoProfile(String),
    #[error("the profile `{0}` must come before all values")]
    LateProfile(String),
    #[error("`{0}` is set a second time; leave one of the lines out")]
    Twice(String),
    #[error("{0}; give a configuration of weather-factory or chess-tuning-tools, or an object of names and values")]
    Json(String),
    #[error(
        "cannot find a value; give the digest of an OpenBench SPSA run, a list of fishtest, or lines `name, value`"
    )]
    Empty,
}

/// A parameter that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// Its value before.
    pub from: i32,
    /// Its value now.
    pub to: i32,
}

/// Values that were imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// All parameters, with the values that were read.
    pub parameters: Parameters,
    /// The values that were read, in their order, also unchanged ones.
    pub changes: Vec<Change>,
    /// True if the text named the profile that its values belong to.
    pub on_profile: bool,
}

/// Reads the result of a tuner from `text`, the content of `file`, on top of a base profile.
///
/// # Errors
/// A line that is not understood, an unknown parameter, a value out of range, or nothing at all. Nothing is imported in part.
pub fn import(file: &str, text: &str, base: &Parameters) -> Result<Import, ImportError> {
    let mut import = Import { parameters: base.clone(), changes: Vec::new(), on_profile: false };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let at = |place: String| move |fault| ImportError { place, fault };
    if text.trim_start().starts_with('{') {
        from_json(text, &mut import).map_err(at(file.to_owned()))?;
    } else {
        let mut column = None;
        let lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
        for (line, number) in lines {
            from_line(line, &mut column, &mut import).map_err(at(format!("{file}:{number}")))?;
        }
    }
    if import.changes.is_empty() { Err(at(file.to_owned())(ImportFault::Empty)) } else { Ok(import) }
}

/// Reads a line: the column of the values if it is a header, otherwise a value or the profile.
fn from_line(line: &str, column: &mut Option<usize>, import: &mut Import) -> Result<(), ImportFault> {
    let cells = cells(line);
    if is_header(&cells) {
        *column = Some(value_column(&cells).ok_or_else(|| ImportFault::Header(line.to_owned()))?);
        return Ok(());
    }
    let (name, value) = pair(&cells, *column).ok_or_else(|| ImportFault::Line(line.to_owned()))?;
    if import.take_profile(name, value)? { Ok(()) } else { import.set(name, value) }
}

/// Reads an object: the configuration of chess-tuning-tools, whose second engine has the values, or names with values or with
/// objects that hold them, as weather-factory has them.
fn from_json(text: &str, import: &mut Import) -> Result<(), ImportFault> {
    let object: Map<String, Value> = serde_json::from_str(text).map_err(|e| ImportFault::Json(e.to_string()))?;
    let opponent = object.get("engines").map(|engines| &engines[1]["fixed_parameters"]);
    let values = match opponent {
        None => &object,
        Some(fixed) => fixed
            .as_object()
            .ok_or_else(|| ImportFault::Json("the second engine has no fixed_parameters".to_owned()))?,
    };
    // A profile comes before what is set on top of it.
    let is_profile = |name: &str| name.eq_ignore_ascii_case("Profile");
    let mut entries: Vec<(&String, &Value)> = values.iter().collect();
    entries.sort_by_key(|(name, _)| !is_profile(name));
    for (name, value) in entries {
        let value = value.get("value").unwrap_or(value);
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Options for playing games do not affect the engine's search.
        let is_of_games = opponent.is_some() && GAME_OPTIONS.iter().any(|option| option.eq_ignore_ascii_case(name));
        if !import.take_profile(name, &value)? && !is_of_games {
            import.set(name, &value).map_err(|fault| ImportFault::Json(fault.to_string()))?;
        }
    }
    Ok(())
}

impl Import {
    /// Starts from a built-in profile. Returns false if the option does not select one.
    fn take_profile(&mut self, name: &str, value: &str) -> Result<bool, ImportFault> {
        if !name.eq_ignore_ascii_case("Profile") {
            return Ok(false);
        }
        if !self.changes.is_empty() {
            return Err(ImportFault::LateProfile(value.to_owned()));
        }
        self.parameters = builtin(value).ok_or_else(|| ImportFault::NoProfile(value.to_owned()))?;
        self.on_profile = true;
        Ok(true)
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), ImportFault> {
        let entry = Parameters::find(name)?;
        if self.changes.iter().any(|change| change.name == entry.name) {
            return Err(ImportFault::Twice(entry.name));
        }
        let from = self.parameters.get(&entry.name)?;
        let text = whole(entry.spec.kind, text);
        self.parameters.parse(&entry.name, &text)?;
        let to = self.parameters.get(&entry.name)?;
        self.changes.push(Change { name: entry.name, from, to });
        Ok(())
    }
}

/// Greatest number without a fraction that is exact.
const WHOLE_MAX: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

/// A value without its fraction. Text that is not a number is returned unchanged; a later check accepts or refuses it.
fn whole(kind: ParameterKind, text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if number.abs() < WHOLE_MAX && (kind == ParameterKind::Number || text.contains('.')) => {
            format!("{}", number.round() as i64)
        }
        _ => text.to_owned(),
    }
}

/// The cells of a line, without quotes.
fn cells(line: &str) -> Vec<&str> {
    fn clean(cell: &str) -> &str {
        cell.trim().trim_matches('"').trim()
    }
    let separator = [',', ';', '\t'].into_iter().find(|separator| line.contains(*separator));
    match separator {
        Some(separator) => line.split(separator).map(clean).collect(),
        None => line.split_whitespace().map(clean).collect(),
    }
}

fn is_header(cells: &[&str]) -> bool {
    cells.first().is_some_and(|first| NAME_HEADERS.iter().any(|name| first.eq_ignore_ascii_case(name)))
}

fn value_column(cells: &[&str]) -> Option<usize> {
    VALUE_HEADERS.iter().find_map(|name| cells.iter().position(|cell| cell.eq_ignore_ascii_case(name)))
}

/// Name and value of a line.
fn pair<'a>(cells: &[&'a str], column: Option<usize>) -> Option<(&'a str, &'a str)> {
    if let ["setoption", "name", name, "value", value] = cells {
        return Some((name, value));
    }
    if let Some((name, value)) = labelled(cells) {
        return Some((name, value));
    }
    let kind = |cell: &&&str| KINDS.iter().any(|kind| cell.eq_ignore_ascii_case(kind));
    let place = column.unwrap_or_else(|| if cells.get(1).as_ref().is_some_and(kind) { 2 } else { 1 });
    let (name, value) = (cells.first()?, cells.get(place)?);
    (!name.is_empty() && !value.is_empty()).then_some((*name, *value))
}

/// `param: NAME, best: VALUE, start: ...`
fn labelled<'a>(cells: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let after = |labels: &[&str]| {
        labels.iter().find_map(|name| {
            cells.iter().find_map(|cell| {
                let (label, value) = cell.split_once(':')?;
                label.trim().eq_ignore_ascii_case(name).then_some(value.trim())
            })
        })
    };
    Some((after(&NAME_HEADERS)?, after(&VALUE_HEADERS)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Vec<(String, i32)>, String> {
        let import = import("digest.csv", text, &Parameters::default()).map_err(|e| e.to_string())?;
        for change in &import.changes {
            assert_eq!(import.parameters.get(&change.name), Ok(change.to));
        }
        Ok(import.changes.into_iter().map(|change| (change.name, change.to)).collect())
    }

    #[test]
    fn every_form_is_understood() {
        let expected = Ok(vec![("null_move.base".to_owned(), 2871), ("check.quarters".to_owned(), 3)]);
        for (name, text) in [
            (
                "digest",
                "Name,Curr,Start,Min,Max,C,C_end,R,R_end\nnull_move.base,2870.6123,3072,1024,8192,400.0,358.4,0.01,0.002\n\
                 check.quarters,2.9817,2,0,4,0.5,0.5,0.01,0.002\n",
            ),
            ("values", "null_move.base, 2871\ncheck.quarters, 3\n"),
            ("inputs", "null_move.base, int, 2871, 1024, 8192, 358.4, 0.002\ncheck.quarters, int, 3, 0, 4, 0.5, 0.002"),
            ("fishtest", "null_move.base,2871,1024,8192,358.4,0.0020\ncheck.quarters,3,0,4,0.5,0.0020\n"),
            (
                "labelled",
                "param: null_move.base, best: 2870.61, start: 3072.00, min: 1024.00\nparam: check.quarters, best: 2.98, start: 2.00",
            ),
            ("options", "setoption name null_move.base value 2871\nsetoption name check.quarters value 3\n"),
            ("tabs, remarks", "\u{feff}# from a server\r\n\r\nnull_move.base\t2871\r\nCHECK.QUARTERS\t3\r\n"),
            ("spaces", "null_move.base 2871\ncheck.quarters 3"),
            (
                "quotes, other order",
                "\"Parameter\";\"Min\";\"Best\"\n\"null_move.base\";1024;2870.6\n\"check.quarters\";0;3.2",
            ),
        ] {
            assert_eq!(read(text), expected, "{name}");
        }
        assert_eq!(read("null_move.on, false"), Ok(vec![("null_move.on".to_owned(), 0)]));
    }

    #[test]
    fn exports_for_other_tuners_are_read_back() {
        use quarterply_files::params::{Export, ParameterList, ctt, fishtest, openbench, weather_factory};
        let all = Export::from(&ParameterList::new(Parameters::default(), &[]).expect("all"));
        for text in [openbench(&all), fishtest(&all), weather_factory(&all), ctt(&all, "x.epd")] {
            let read = read(&text).expect("understood");
            assert_eq!(read.len(), all.numbers.len());
            assert!(read.iter().all(|(name, value)| Parameters::default().get(name) == Ok(*value)));
        }
    }

    #[test]
    fn faults_name_line_text_and_remedy() {
        for (text, needles) in [
            ("", vec!["digest.csv: cannot find a value"]),
            ("# only a remark\n", vec!["cannot find a value"]),
            ("{", vec!["digest.csv: EOF", "weather-factory"]),
            ("{\"nul_move.base\": 5}", vec!["did you mean `null_move.base`?"]),
            ("{\"engines\": []}", vec!["no fixed_parameters"]),
            ("{}", vec!["cannot find a value"]),
            ("null_move.base", vec!["digest.csv:1", "`null_move.base` is not a line `name, value`"]),
            ("\nnul_move.base, 5", vec!["digest.csv:2", "did you mean `null_move.base`?"]),
            ("null_move.base, 99999", vec!["`99999` is not a valid value of `null_move.base`", "1024 to 8192"]),
            ("null_move.base, many", vec!["`many` is not a valid value"]),
            ("null_move.base, nan", vec!["`nan` is not a valid value"]),
            ("Name,Start\nnull_move.base,5", vec!["digest.csv:1", "`Name,Start`", "curr"]),
            ("null_move.base,2000\nNULL_MOVE.BASE,3000", vec!["digest.csv:2", "second time"]),
            ("null_move.base,1e300", vec!["`1e300` is not a valid value of `null_move.base`"]),
            ("setoption name Profile value clasic", vec!["digest.csv:1", "profile `clasic`: expected default, "]),
            ("null_move.base,2000\nProfile,classic", vec!["digest.csv:2", "`classic` must come before all values"]),
        ] {
            let message = read(text).expect_err(text);
            assert!(needles.iter().all(|needle| message.contains(needle)), "{message}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}(\n\\PC{0,80}){0,3}") {
            let _ = import("any", &text, &Parameters::default());
        }
    }
}
