//! Output of an engine: `info`, `bestmove`, `option`. Our server writes these types, and our client reads them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;
use thiserror::Error;

use quarterply_engine::report::SearchReport;
use quarterply_engine::score::{Bound, Score};

use crate::wdl::Wdl;

/// The fullest a hash table can be, in thousandths.
const FULL: u32 = 1000;

/// A score in the units of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreValue {
    /// Pawns/100 for the side to move.
    Centipawns(i32),
    /// Moves to mate: positive when the side to move gives it, zero or negative when it is mated.
    Mate(i32),
}

impl From<Score> for ScoreValue {
    fn from(score: Score) -> ScoreValue {
        match score.mate_moves() {
            Some(moves) => ScoreValue::Mate(moves),
            None => ScoreValue::Centipawns(score.0),
        }
    }
}

impl fmt::Display for ScoreValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScoreValue::Centipawns(amount) => write!(f, "cp {amount}"),
            ScoreValue::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// One `info` line. A missing field is `None` or empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// `depth`, plies
    pub depth: Option<u32>,
    /// `seldepth`, plies
    pub seldepth: Option<u32>,
    /// `multipv`, from 1
    pub number: Option<usize>,
    /// `score`
    pub value: Option<ScoreValue>,
    /// The bound that the score is; `None` if it is exact.
    pub bound: Option<Bound>,
    /// `wdl`
    pub wdl: Option<Wdl>,
    /// `nodes`
    pub nodes: Option<u64>,
    /// `nps`, nodes per second
    pub speed: Option<u64>,
    /// `hashfull`, thousandths
    pub hashfull: Option<u32>,
    /// `tbhits`
    pub tbhits: Option<u64>,
    /// `time`, milliseconds
    pub time: Option<u64>,
    /// `currmove`
    pub current: Option<UciMove>,
    /// `currmovenumber`, from 1
    pub current_number: Option<u32>,
    /// `pv`
    pub line: Vec<UciMove>,
    /// `string`: the rest of the line
    pub text: Option<String>,
}

impl Info {
    /// The report of a search, with moves in the notation of `mode`.
    pub fn from_report(report: &SearchReport, mode: CastlingMode, wdl: Option<Wdl>) -> Info {
        Info {
            depth: Some(report.depth),
            seldepth: Some(report.seldepth),
            number: Some(report.number),
            value: Some(report.score.into()),
            bound: Some(report.bound).filter(|bound| *bound != Bound::Exact),
            wdl,
            nodes: Some(report.nodes),
            speed: Some(nodes_per_second(report.nodes, report.time)),
            hashfull: Some(report.hashfull.min(FULL)),
            tbhits: Some(report.tbhits),
            time: Some(milliseconds(report.time)),
            line: report.line.iter().map(|mv| UciMove::from_move(*mv, mode)).collect(),
            ..Info::default()
        }
    }
}

/// Whole milliseconds.
pub fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Speed without division by zero and without overflow; a time too short to measure counts as a microsecond.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    const MICROSECONDS: u128 = 1_000_000;
    let speed = u128::from(nodes) * MICROSECONDS / time.as_micros().max(1);
    u64::try_from(speed).unwrap_or(u64::MAX)
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        let field = |f: &mut fmt::Formatter<'_>, name: &str, value: Option<&dyn fmt::Display>| match value {
            Some(value) => write!(f, " {name} {value}"),
            None => Ok(()),
        };
        field(f, "depth", self.depth.as_ref().map(|v| v as _))?;
        field(f, "seldepth", self.seldepth.as_ref().map(|v| v as _))?;
        field(f, "multipv", self.number.as_ref().map(|v| v as _))?;
        field(f, "score", self.value.as_ref().map(|v| v as _))?;
        match self.bound {
            Some(Bound::Lower) => f.write_str(" lowerbound")?,
            Some(Bound::Upper) => f.write_str(" upperbound")?,
            Some(Bound::Exact) | None => {}
        }
        field(f, "wdl", self.wdl.as_ref().map(|v| v as _))?;
        field(f, "nodes", self.nodes.as_ref().map(|v| v as _))?;
        field(f, "nps", self.speed.as_ref().map(|v| v as _))?;
        field(f, "hashfull", self.hashfull.as_ref().map(|v| v as _))?;
        field(f, "tbhits", self.tbhits.as_ref().map(|v| v as _))?;
        field(f, "time", self.time.as_ref().map(|v| v as _))?;
        field(f, "currmove", self.current.as_ref().map(|v| v as _))?;
        field(f, "currmovenumber", self.current_number.as_ref().map(|v| v as _))?;
        if !self.line.is_empty() {
            f.write_str(" pv")?;
            self.line.iter().try_for_each(|mv| write!(f, " {mv}"))?;
        }
        field(f, "string", self.text.as_ref().map(|v| v as _))
    }
}

/// A line of an engine that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum InfoError {
    #[error("`{text}` is not a valid {expected} line")]
    OptionKind { expected: &'static str, text: String },
    #[error("`{word}` is not a valid {field}: `{text}`")]
    Field { field: String, word: String, text: String },
    #[error("`{text}` has no value for {field}")]
    Missing { field: String, text: String },
}

/// The words of a line, with the whole line for errors.
struct Words<'a> {
    text: &'a str,
    rest: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str, expected: &'static str) -> Result<Words<'a>, InfoError> {
        let mut rest = text.split_whitespace().peekable();
        match rest.next() {
            Some(word) if word == expected => Ok(Words { text, rest }),
            _ => Err(InfoError::OptionKind { expected, text: text.to_owned() }),
        }
    }

    fn value<T: FromStr>(&mut self, field: &str) -> Result<T, InfoError> {
        let (field, text) = (field.to_owned(), self.text.to_owned());
        match self.rest.next() {
            Some(word) => word.parse().map_err(|_| InfoError::Field { field, word: word.to_owned(), text }),
            None => Err(InfoError::Missing { field, text }),
        }
    }
}

impl FromStr for Info {
    type Err = InfoError;

    /// Reads one line; unknown fields are skipped.
    fn from_str(text: &str) -> Result<Info, InfoError> {
        let mut words = Words::of(text, "info")?;
        let mut info = Info::default();
        while let Some(field) = words.rest.next() {
            info.take(field, &mut words)?;
        }
        Ok(info)
    }
}

impl Info {
    /// Reads a line of an engine; unknown fields and those that cannot be read are skipped. `None` if it is of another kind.
    pub fn lenient(text: &str) -> Option<Info> {
        let mut words = Words::of(text, "info").ok()?;
        let mut info = Info::default();
        while let Some(field) = words.rest.next() {
            // Of a field that cannot be read, the words are read as names of fields, which they are not.
            let _ = info.take(field, &mut words);
        }
        Some(info)
    }

    /// Reads the value of a field.
    fn take(&mut self, field: &str, words: &mut Words<'_>) -> Result<(), InfoError> {
        match field {
            "depth" => self.depth = Some(words.value(field)?),
            "seldepth" => self.seldepth = Some(words.value(field)?),
            "multipv" => self.number = Some(words.value(field)?),
            "cp" => self.value = Some(ScoreValue::Centipawns(words.value(field)?)),
            "mate" => self.value = Some(ScoreValue::Mate(words.value(field)?)),
            "lowerbound" => self.bound = Some(Bound::Lower),
            "upperbound" => self.bound = Some(Bound::Upper),
            "wdl" => {
                let (win, draw, loss) = (words.value(field)?, words.value(field)?, words.value(field)?);
                self.wdl = Some(Wdl { win, draw, loss });
            }
            "nodes" => self.nodes = Some(words.value(field)?),
            "nps" => self.speed = Some(words.value(field)?),
            "hashfull" => self.hashfull = Some(words.value(field)?),
            "tbhits" => self.tbhits = Some(words.value(field)?),
            "time" => self.time = Some(words.value(field)?),
            "currmove" => self.current = Some(words.value(field)?),
            "currmovenumber" => self.current_number = Some(words.value(field)?),
            "pv" => {
                while let Some(mv) = words.rest.peek().and_then(|word| word.parse().ok()) {
                    self.line.push(mv);
                    words.rest.next();
                }
            }
            "string" => self.text = Some(words.rest.by_ref().collect::<Vec<_>>().join(" ")),
            _ => {}
        }
        Ok(())
    }
}

/// The `bestmove` line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BestMove {
    /// The move to play; `None` when the game is over.
    pub best: Option<UciMove>,
    /// The reply to think about.
    pub ponder: Option<UciMove>,
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.best {
            Some(best) => write!(f, "bestmove {best}")?,
            None => f.write_str("bestmove (none)")?,
        }
        match self.ponder {
            Some(ponder) => write!(f, " ponder {ponder}"),
            None => Ok(()),
        }
    }
}

impl FromStr for BestMove {
    type Err = InfoError;

    /// Reads one line. `(none)`, `0000` and `NULL` all stand for a missing move.
    fn from_str(text: &str) -> Result<BestMove, InfoError> {
        let mut words = Words::of(text, "bestmove")?;
        let best = match words.rest.peek() {
            Some(&("(none)" | "0000" | "NULL" | "null")) => {
                words.rest.next();
                None
            }
            _ => Some(words.value("bestmove")?),
        };
        let ponder = match words.rest.next() {
            // The ponder move is optional: the best move is valid even if this one is not.
            Some("ponder") => words.value("ponder").ok().filter(|mv| *mv != UciMove::Null),
            _ => None,
        };
        Ok(BestMove { best, ponder })
    }
}

/// The type of an option's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A switch.
    Check {
        /// The value at the start.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The value at the start.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The value at the start.
        default: String,
        /// Every value.
        choices: Vec<String>,
    },
    /// Something to press.
    Button,
    /// A text.
    Text {
        /// The value at the start.
        default: String,
    },
}

impl OptionKind {
    /// The expected value, if `value` is not valid.
    pub fn refuses(&self, value: &str) -> Option<String> {
        match self {
            OptionKind::Check { .. } => (!matches!(value, "true" | "false")).then(|| "true or false".to_owned()),
            OptionKind::Spin { min, max, .. } => {
                let fits = value.parse().is_ok_and(|number: i64| (*min..=*max).contains(&number));
                (!fits).then(|| format!("a whole number, {min} to {max}"))
            }
            OptionKind::Combo { choices, .. } => {
                let fits = choices.is_empty() || choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
                (!fits).then(|| format!("one of {}", choices.join(", ")))
            }
            OptionKind::Button | OptionKind::Text { .. } => None,
        }
    }

    /// The number nearest to `number` that a numeric option takes.
    pub fn nearest(&self, number: i64) -> i64 {
        match self {
            OptionKind::Spin { min, max, .. } => number.max(*min).min(*max),
            _ => number,
        }
    }
}

/// The protocol's text for an empty string.
pub const EMPTY: &str = "<empty>";

/// The `option` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The option's name.
    pub name: String,
    /// Its values.
    pub kind: OptionKind,
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Text { default } if default.is_empty() => write!(f, "string default {EMPTY}"),
            OptionKind::Text { default } => write!(f, "string default {default}"),
        }
    }
}

impl FromStr for Declaration {
    type Err = InfoError;

    fn from_str(text: &str) -> Result<Declaration, InfoError> {
        Declaration::read(text, [None; 3])
    }
}

impl Declaration {
    /// Reads a line of an engine; a number may be missing or too large: then the default is 0, and there is no bound.
    pub fn lenient(text: &str) -> Result<Declaration, InfoError> {
        Declaration::read(text, [Some(0), Some(i64::MIN), Some(i64::MAX)])
    }

    /// Reads a line; of an option with a number, default, minimum and maximum are replaced if they cannot be read.
    fn read(text: &str, [default, min, max]: [Option<i64>; 3]) -> Result<Declaration, InfoError> {
        let mut words = Words::of(text, "option")?.rest;
        let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
        for word in words.by_ref() {
            match (word, fields.last_mut()) {
                // Names may hold any word but `type`; nothing else starts a field before the type is known.
                ("name", None) | ("type", Some(("name", _))) => fields.push((word, Vec::new())),
                ("default" | "min" | "max" | "var", Some((field, _))) if *field != "name" => {
                    fields.push((word, Vec::new()));
                }
                (_, Some((_, value))) => value.push(word),
                (_, None) => break,
            }
        }
        let all = |key: &str| -> Vec<String> {
            fields.iter().filter(|(field, _)| *field == key).map(|(_, value)| value.join(" ")).collect()
        };
        let one = |key: &str| all(key).into_iter().next().unwrap_or_default();
        let wrong = |field: &str| {
            let (field, word, text) = (field.to_owned(), one(field), text.to_owned());
            if word.is_empty() { InfoError::Missing { field, text } } else { InfoError::Field { field, word, text } }
        };
        let number =
            |field: &str, instead: Option<i64>| one(field).parse().ok().or(instead).ok_or_else(|| wrong(field));
        let name = one("name");
        if name.is_empty() {
            return Err(wrong("name"));
        }
        let kind = match one("type").as_str() {
            "check" => OptionKind::Check { default: one("default") == "true" },
            "spin" => OptionKind::Spin {
                default: number("default", default)?,
                min: number("min", min)?,
                max: number("max", max)?,
            },
            "combo" => OptionKind::Combo { default: one("default"), choices: all("var") },
            "button" => OptionKind::Button,
            "string" => {
                OptionKind::Text { default: Some(one("default")).filter(|text| text != EMPTY).unwrap_or_default() }
            }
            _ => return Err(wrong("type")),
        };
        Ok(Declaration { name, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_line_is_read_without_a_panic(text in "(info|bestmove|option|)( [ -~]{0,12}){0,12}") {
            let _ = (text.parse::<Info>(), text.parse::<BestMove>(), text.parse::<Declaration>());
        }

        #[test]
        fn numbers_survive_writing_and_reading(
            depth in any::<u32>(), nodes in any::<u64>(), cp in any::<i32>(), mate in any::<Option<i32>>(), nanos in any::<u64>()
        ) {
            let info = Info {
                depth: Some(depth),
                nodes: Some(nodes),
                value: Some(mate.map_or(ScoreValue::Centipawns(cp), ScoreValue::Mate)),
                speed: Some(nodes_per_second(nodes, Duration::from_nanos(nanos))),
                time: Some(milliseconds(Duration::from_nanos(nanos))),
                ..Info::default()
            };
            prop_assert_eq!(info.to_string().parse(), Ok(info));
        }
    }

    #[test]
    fn a_field_that_cannot_be_read_costs_only_itself() {
        let line = "info depth 3 nps -1 time 0.5 score cp 17 nodes 50 hashfull -1 pv e2e4";
        assert!(line.parse::<Info>().is_err());
        let info = Info::lenient(line).expect("an info line");
        assert_eq!((info.depth, info.value, info.nodes), (Some(3), Some(ScoreValue::Centipawns(17)), Some(50)));
        assert_eq!((info.speed, info.time, info.hashfull, info.line.len()), (None, None, None, 1));
        assert_eq!(Info::lenient("bestmove e2e4"), None);
        for bounds in ["", " min 1 max 18446744073709551615"] {
            let text = format!("option name Hash type spin default 16{bounds}");
            assert!(text.parse::<Declaration>().is_err());
            let OptionKind::Spin { default, max, .. } = Declaration::lenient(&text).expect("an option").kind else {
                panic!("{text}")
            };
            assert_eq!((default, max), (16, i64::MAX));
        }
    }

    #[test]
    fn info_lines_are_written_and_read_back() {
        for line in [
            "info",
            "info depth 12 seldepth 20 multipv 1 score cp -34 nodes 1234 nps 99 hashfull 12 tbhits 0 time 17 pv e2e4 e7e5",
            "info depth 3 score mate 2 lowerbound pv h5f7",
            "info depth 3 score mate -1 upperbound",
            "info depth 0 score mate 0",
            "info score cp 10 wdl 300 600 100",
            "info depth 9 currmove e1h1 currmovenumber 12",
            "info string No such option: Foo bar",
            "info depth 2 score cp 3 pv a7a8q h2h1n",
        ] {
            let info: Info = line.parse().expect(line);
            assert_eq!(info.to_string(), line);
        }
    }

    #[test]
    fn unknown_fields_are_skipped_and_wrong_ones_named() {
        let info: Info =
            "info depth 4 sbhits 3 cpuload 900 score cp 5 refutation e2e4".parse().expect("foreign fields");
        assert_eq!((info.depth, info.value), (Some(4), Some(ScoreValue::Centipawns(5))));
        let error = "info depth x".parse::<Info>().expect_err("no number");
        assert!(error.to_string().contains("`x` is not a valid depth: `info depth x`"), "{error}");
        let missing = "info depth".parse::<Info>().expect_err("no number").to_string();
        assert_eq!(missing, "`info depth` has no value for depth");
        for (line, message) in [
            ("option name Hash type spin default 16", "` has no value for min"),
            ("option name Hash type spin default 16 min x max 9", "`x` is not a valid min: `"),
        ] {
            let error = line.parse::<Declaration>().expect_err(line).to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!("bestmove e2e4".parse::<Info>().is_err());
    }

    #[test]
    fn speed_never_divides_by_zero_and_never_overflows() {
        for (nodes, time, expected) in [
            (0, Duration::ZERO, 0),
            (1000, Duration::ZERO, 1_000_000_000),
            (u64::MAX, Duration::ZERO, u64::MAX),
            (u64::MAX, Duration::from_secs(1), u64::MAX),
            (500, Duration::from_millis(250), 2000),
        ] {
            assert_eq!(nodes_per_second(nodes, time), expected, "{nodes} in {time:?}");
        }
    }

    #[test]
    fn best_moves_are_written_and_read_back() {
        for line in ["bestmove e2e4", "bestmove e7e8q ponder a1b1", "bestmove (none)"] {
            let answer: BestMove = line.parse().expect(line);
            assert_eq!(answer.to_string(), line);
        }
        for line in ["bestmove 0000", "bestmove NULL"] {
            assert_eq!(line.parse(), Ok(BestMove::default()), "{line}");
        }
        for line in ["bestmove", "bestmove e9e4", "info", "bestmove e2e4junk"] {
            assert!(line.parse::<BestMove>().is_err(), "{line}");
        }
        let odd: BestMove = "bestmove e2e4 ponder (none)".parse().expect("the move is fine");
        assert_eq!(odd.ponder, None);
    }

    #[test]
    fn option_lines_are_written_and_read_back() {
        for line in [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Clear Hash type button",
            "option name UCI_Chess960 type check default false",
            "option name Profile type combo default Default var Default var Classic",
            "option name SyzygyPath type string default <empty>",
            "option name Log File type string default /tmp/a b.txt",
            "option name null_move.base type spin default -3 min -10 max 10",
        ] {
            let option: Declaration = line.parse().expect(line);
            assert_eq!(option.to_string(), line);
        }
        for line in
            ["option", "option name", "option name X", "option name X type odd", "option name X type spin default a"]
        {
            assert!(line.parse::<Declaration>().is_err(), "{line}");
        }
    }
}
