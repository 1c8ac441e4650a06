//! The part of a search that a recorder keeps.

use super::node::MoveCode;
use crate::moves;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::rules::Rule;
use quarterply_engine::shakmaty::uci::UciMove;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Limits of a recording. The default keeps everything.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Filter {
    /// Only nodes at most this number of plies from the root.
    pub plies: Option<u16>,
    /// Only this number of nodes, the first ones, and their ancestors.
    pub nodes: Option<u64>,
    /// Only the subtree below these moves from the root, and its ancestors; everything if there are none.
    pub line: Vec<MoveCode>,
    /// Only subtrees of the position with this key, and their ancestors.
    pub key: Option<u64>,
    /// Only iterations of these depths, in whole plies, both ends included.
    pub iterations: Option<(u32, u32)>,
    /// Record only one of this number of subtrees below the root's moves.
    pub sample: Option<u64>,
    /// Do not record quiescence.
    pub main_only: bool,
    /// End the search, and so the recording, at the first of these.
    pub until: Vec<Until>,
}

/// An event of a recorded node at which a recording ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// Alpha rises: a move exceeds the best move before it at a node whose distance from the root is in this range of plies, ends
    /// included. At the root both moves belong to the same iteration; below it quiescence does not count.
    Alpha(u16, u16),
    /// A rule makes a decision.
    Rule(Rule),
    /// The position with this key is entered.
    Key(u64),
    /// This move, in UCI notation, is about to be searched at any node.
    Move(String),
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Until::Alpha(0, 0) => f.write_str("until=alpha"),
            Until::Alpha(from, to) if from == to => write!(f, "until=alpha@{from}"),
            Until::Alpha(from, to) => write!(f, "until=alpha@{from}..{to}"),
            Until::Rule(rule) => write!(f, "until={}", rule.name()),
            Until::Key(key) => write!(f, "until={key:#x}"),
            Until::Move(mv) => write!(f, "until={mv}"),
        }
    }
}

impl Until {
    /// Reads `alpha` (below the root with the plies after `@`), the name of a rule, a key in hexadecimal digits after `0x`, or a move from
    /// square to square.
    fn read(text: &str) -> Option<Until> {
        let plain = text.replace('_', " ");
        if plain == "alpha" {
            return Some(Until::Alpha(0, 0));
        }
        if let Some(plies) = plain.strip_prefix("alpha@") {
            let (from, to) = range(plies)?;
            return Some(Until::Alpha(from, to));
        }
        if let Some(&rule) = Rule::ALL.iter().find(|rule| rule.name() == plain) {
            return Some(Until::Rule(rule));
        }
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, HEX).ok().map(Until::Key);
        }
        let mv = text.parse::<UciMove>().ok().filter(|mv| matches!(mv, UciMove::Normal { .. }))?;
        Some(Until::Move(mv.to_string()))
    }
}

/// Reason why a filter is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum FilterError {
    #[error("`{0}` is not a valid filter: expected {FORMS}")]
    Form(String),
    #[error("`{text}` is not a valid value of the filter `{name}`: expected {expected}")]
    Value { name: String, text: String, expected: &'static str },
    #[error(
        "`{text}` in the filter `line` is not a legal move in {fen}: expected moves from the root on such as e2e4 or e4"
    )]
    Move { text: String, fen: String },
}

const FORMS: &str = "plies=N, nodes=N, line=MOVE MOVE ..., key=HEX, iteration=N or N..N, sample=N, quiescence=yes|no, or until=EVENT, with commas between";
const EVENTS: &str = "`alpha` (at the root; `alpha@2` or `alpha@1..4` for the number of plies below it), the name of a rule such as null_move, a key such as 0x463b96181691fc9c, or a move such as e2e4";
const HEX: u32 = 16;

impl Filter {
    /// Adds what `text` says, one or more `name=value` with commas between; moves are those of `game`.
    ///
    /// # Errors
    /// [`FilterError`] naming the offending text.
    pub fn add(&mut self, text: &str, game: &Game) -> Result<(), FilterError> {
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=') else { return Err(FilterError::Form(part.to_owned())) };
            self.add_one(name.trim(), value.trim(), game)?;
        }
        Ok(())
    }

    fn add_one(&mut self, name: &str, value: &str, game: &Game) -> Result<(), FilterError> {
        let refuse = |expected| FilterError::Value { name: name.to_owned(), text: value.to_owned(), expected };
        match name {
            "plies" => self.plies = Some(value.parse().map_err(|_| refuse("a number of plies, 0 to 65535"))?),
            "nodes" => self.nodes = Some(at_least_one(value).ok_or_else(|| refuse("a number of nodes, 1 or more"))?),
            "sample" => self.sample = Some(at_least_one(value).ok_or_else(|| refuse("a number, 1 or more"))?),
            "key" => {
                let digits = value.trim_start_matches("0x");
                let key = u64::from_str_radix(digits, HEX).map_err(|_| refuse("up to 16 hexadecimal digits"))?;
                self.key = Some(key);
            }
            "iteration" => {
                self.iterations = Some(range(value).ok_or_else(|| refuse("N or N..N in plies"))?);
            }
            "quiescence" => {
                self.main_only = match value {
                    "yes" => false,
                    "no" => true,
                    _ => return Err(refuse("yes or no")),
                }
            }
            "until" => self.until.push(Until::read(value).ok_or_else(|| refuse(EVENTS))?),
            "line" if value.is_empty() => return Err(refuse("moves from the root on such as e2e4 e7e5")),
            "line" => self.line = line(value, game.position())?,
            _ => return Err(FilterError::Form(name.to_owned())),
        }
        Ok(())
    }

    /// Returns true if an iteration of this depth is recorded.
    pub(crate) fn includes_iteration(&self, plies: u32) -> bool {
        self.iterations.is_none_or(|(from, to)| (from..=to).contains(&plies))
    }
}

/// Both ends of `N` or `N..N`.
fn range<T: FromStr + PartialOrd>(text: &str) -> Option<(T, T)> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let ends = from.trim().parse().ok().zip(to.trim().parse().ok());
    ends.filter(|(from, to)| from <= to)
}

fn at_least_one(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&number| number > 0)
}

/// Moves in either notation, played from `position` on.
fn line(text: &str, position: &Position) -> Result<Vec<MoveCode>, FilterError> {
    let mut position = position.clone();
    let mut codes = Vec::new();
    for word in text.split_whitespace() {
        let Some(mv) = moves::read(&position, word) else {
            return Err(FilterError::Move { text: word.to_owned(), fen: position.fen() });
        };
        codes.push(MoveCode::of(mv));
        position = position.play(mv);
    }
    Ok(codes)
}

/// The filter as it was written, except for the moves of the line: UCI notation, castling as king takes rook. Empty if everything is kept.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.plies.map(|plies| format!("plies={plies}")));
        parts.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        if !self.line.is_empty() {
            let moves: Vec<String> = self.line.iter().map(|code| code.uci(true)).collect();
            parts.push(format!("line={}", moves.join(" ")));
        }
        parts.extend(self.key.map(|key| format!("key={key:016x}")));
        parts.extend(self.iterations.map(|(from, to)| format!("iteration={from}..{to}")));
        parts.extend(self.sample.map(|every| format!("sample={every}")));
        parts.extend(self.main_only.then(|| "quiescence=no".to_owned()));
        parts.extend(self.until.iter().map(Until::to_string));
        f.write_str(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_and_written() {
        let read = |text: &str, game: &Game| {
            let mut filter = Filter::default();
            filter.add(text, game).expect(text);
            filter
        };
        for text in [
            "",
            "plies=4",
            "nodes=7,line=e2e4 e7e5",
            "key=00000000000000ff,iteration=3..5",
            "sample=9,quiescence=no",
            "until=alpha,until=null move,until=0xff,until=e2e4",
            "until=alpha@2,until=alpha@1..4",
        ] {
            assert_eq!(read(text, &Game::new()).to_string(), text);
        }
        let promotion = Game::standard("8/P6k/8/8/8/8/8/K7 w - - 0 1").expect("a position");
        assert_eq!(read("line=a8=N", &promotion).to_string(), "line=a7a8n");
        assert_eq!(read("until=alpha@0", &Game::new()).to_string(), "until=alpha");
        let one = read("iteration=6", &Game::new());
        assert!(one.includes_iteration(6) && !one.includes_iteration(5));
    }

    #[test]
    fn refusals_name_the_text() {
        for (text, expected) in [
            ("plies", "`plies` is not a valid filter"),
            ("depth=3", "`depth` is not a valid filter: expected plies=N"),
            ("plies=many", "`many` is not a valid value of the filter `plies`"),
            ("nodes=0", "`0` is not a valid value of the filter `nodes`"),
            ("key=xyz", "`xyz`"),
            ("iteration=5..3", "`5..3`"),
            ("quiescence=maybe", "yes or no"),
            ("line=e2e4 e2e4", "`e2e4` in the filter `line` is not a legal move in rnbqkbnr/pppppppp"),
            ("line=zz", "`zz`"),
            ("line=", "`` is not a valid value of the filter `line`: expected moves"),
            (
                "until=later",
                "`later` is not a valid value of the filter `until`: expected `alpha` (at the root; `alpha@2`",
            ),
            ("until=alpha@deep", "`alpha@deep` is not a valid value of the filter `until`"),
            ("until=alpha@4..2", "`alpha@4..2` is not a valid value of the filter `until`"),
        ] {
            let error = Filter::default().add(text, &Game::new()).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
