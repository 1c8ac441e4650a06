//! Chapters on search, from minimax to alpha-beta, ordering, quiescence and selective search.
//!
//! Every tree and every number in them is searched when a chapter is made. [`write()`] prints them; [`page`] makes one page of them in
//! which every tree can be walked through.

mod count;
mod page;
mod selective;
mod text;
mod trees;

pub use page::{PageLocation, chapter_part, page};
pub use text::write;

use crate::trace::record::{self, RecordError, RecordSetup};
use crate::trace::{Filter, Trace, TraceError};
use crate::{Model, ModelError};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{FenError, Game};
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::table::TableError;
use std::io;
use thiserror::Error;

/// A position with few pieces and one good move, where deep trees are still small.
const SMALL: &str = "8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40";
/// A middlegame.
const LARGE: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11";

/// Depths of the counted searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depths {
    /// Minimax and alpha-beta of the small position (plies).
    pub small: u16,
    /// Minimax and alpha-beta of the middlegame (plies).
    pub large: u16,
    /// The engine with one rule after the other (plies).
    pub rules: u32,
}

impl Default for Depths {
    fn default() -> Depths {
        Depths { small: 6, large: 3, rules: 5 }
    }
}

/// Reason why a chapter was not made.
#[derive(Debug, Error)]
pub enum TutorialError {
    /// A model is not valid.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A position is not valid.
    #[error(transparent)]
    Position(#[from] FenError),
    /// No memory for a search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A search could not be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A recorded node cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A recording cannot be shown.
    #[error(transparent)]
    Show(#[from] crate::show::ShowError),
    /// The text cannot be written.
    #[error("cannot write the text: {0}")]
    Write(#[from] io::Error),
}

/// A part of a chapter.
#[derive(Clone, Debug)]
pub enum ChapterPart {
    /// Paragraphs, with an empty line between them.
    Text(String),
    /// A position.
    Board(Game),
    /// A model tree, searched by the textbook.
    Tree(Model),
    /// The steps that find the principal variation of such a tree.
    Scan(Model),
    /// A table; the first column is text, the others are figures.
    FigureTable(FigureTable),
    /// A search of the engine to walk through.
    Search(ExampleSearch),
}

/// A table of figures.
#[derive(Clone, Debug)]
pub struct FigureTable {
    /// The names of the columns.
    pub head: Vec<&'static str>,
    /// The rows, as long as the head.
    pub rows: Vec<Vec<String>>,
}

/// Values of parameters by name; a switch is 0 or 1.
pub type ParameterValues = &'static [(&'static str, i32)];

/// A search of the engine that a command can repeat.
#[derive(Clone, Debug)]
pub struct ExampleSearch {
    /// The position.
    pub game: Game,
    /// A built-in profile.
    pub profile: &'static str,
    /// Parameters that differ from it.
    pub set: ParameterValues,
    /// Depth (plies).
    pub depth: u32,
}

impl ExampleSearch {
    /// Parameters of its searches. The evaluation is the classical one, so that the text does not change with every network.
    fn parameters(&self) -> Parameters {
        count::with(&count::classical(self.profile), self.set)
    }

    /// Searches and records it.
    fn record(&self) -> Result<Trace, RecordError> {
        let limits = Limits::depth(self.depth);
        let (parameters, profile, filter) = (&self.parameters(), self.profile, Filter::default());
        let setup = RecordSetup { game: &self.game, parameters, profile, limits: &limits, hash: TABLE_DEFAULT, filter };
        record::in_memory(&setup, None, &Control::default(), None)
    }

    /// The command that makes the same search; `place` names its file.
    fn command(&self, place: SearchPlace) -> String {
        let SearchPlace { chapter, number } = place;
        let value =
            |name: &str, value: i32| if name.ends_with(".on") { (value != 0).to_string() } else { value.to_string() };
        let sets: String =
            self.set.iter().map(|&(name, number)| format!(" --set {name}={}", value(name, number))).collect();
        format!(
            "quarterply window search --fen \"{}\" --profile {} --set \"EvalFile=<classical>\"{sets} --depth {} -o chapter-{chapter}-{number}.html",
            self.game.fen(),
            self.profile,
            self.depth
        )
    }
}

/// The place of a search: its chapter, and its number there. Both count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SearchPlace {
    chapter: usize,
    number: usize,
}

impl SearchPlace {
    /// The parts of a chapter, each with the place of the next search.
    fn each(chapter: usize, parts: &[ChapterPart]) -> impl Iterator<Item = (SearchPlace, &ChapterPart)> {
        let is_search = |part: &ChapterPart| matches!(part, ChapterPart::Search(_));
        parts.iter().scan(1, move |number, part| {
            let place = SearchPlace { chapter, number: *number };
            *number += usize::from(is_search(part));
            Some((place, part))
        })
    }
}

/// Columns of one decision in two notations.
const STANDARD: &str = "standard terms";
const SARGON: &str = "A Window into Sargon";

/// True for columns of words, false for columns of figures.
fn is_words(head: &str) -> bool {
    matches!(head, "line" | "costs" | STANDARD | SARGON)
}

/// The end of the text.
const END: &str = "
Where to go from here
---------------------

  quarterply window model data/models/example-5.json --format log      every comparison in words
  quarterply window model --new 2x2x2                                  an empty tree to fill in
  quarterply window search --fen FEN --depth 8                         the engine's tree, with every decision
  quarterply window why MOVE --fen FEN                                 why a move is not the best
  quarterply window diff --fen FEN --profile default --profile falcon  where two searches differ";

/// A chapter: its heading, and the function that makes its parts.
type Chapter = (&'static str, fn(Depths) -> Result<Vec<ChapterPart>, TutorialError>);

/// The chapters in their order.
const CHAPTERS: [Chapter; 11] = [
    ("Alpha-beta: minimax without irrelevant moves", trees::alpha_beta),
    ("The principal variation, and cutoffs in an ending", trees::variation),
    ("Move order: the same value for less work", trees::order),
    ("Real positions: minimax and alpha-beta in numbers", trees::numbers),
    ("Quiescence: do not stop in the middle of an exchange", selective::quiescence),
    ("Null move: good enough even without moving", selective::null_move),
    ("Reductions: less depth for late moves", selective::reductions),
    ("Extensions: more depth for forcing moves", selective::extensions),
    ("Selective search: rules alone and together", selective::rules),
    ("Search extensions (SEX): two budgets against a horizon", selective::interest),
    ("Realization probability: depth by the probability of a line", selective::realization),
];

/// Number of chapters.
pub const COUNT: usize = CHAPTERS.len();

#[cfg(test)]
mod tests;
