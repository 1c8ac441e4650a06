//! Openings for OpenBench, which requests them from an engine: `genfens N seed S book <None|PATH>`.

use crate::play::{PlayError, Player};
use crate::settings::{DatagenSettings, RANDOM_PLIES_MAX};
use quarterply_engine::position::Game;
use quarterply_games::openings::{BookError, BookOrder, OpeningSource, Options};
use std::ops::ControlFlow;
use std::path::Path;
use thiserror::Error;

/// The name for "no book" in a request.
const NO_BOOK: &str = "none";
/// Default range of the number of random plies after an opening of a book.
pub const BOOK_PLIES: (u32, u32) = (4, 5);
/// The form of a request.
const FORM: &str = "genfens N seed S book None|FILE [plies N|MIN..MAX]";

/// Openings that cannot be made.
#[derive(Debug, Error)]
pub enum GenfensError {
    /// The request is not valid: the request and the reason.
    #[error("cannot read `{0}`: {1}; write `{FORM}`")]
    Request(String, String),
    /// The book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// No opening can be drawn.
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// A request for openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of openings.
    pub count: u64,
    /// Seed of the random moves, and of the order of the book.
    pub seed: u64,
    /// A book of openings to begin from.
    pub book: Option<String>,
    /// Fewest and most random plies.
    pub plies: (u32, u32),
}

impl Request {
    /// Reads the text after the word `genfens`. Other words that OpenBench adds are ignored.
    ///
    /// # Errors
    /// The number, the seed or the book is missing, or a number is not valid.
    pub fn parse(text: &str) -> Result<Request, GenfensError> {
        let wrong = |reason: String| GenfensError::Request(format!("genfens {text}"), reason);
        let words: Vec<&str> = text.split_whitespace().collect();
        let after = |key: &str| words.iter().position(|word| *word == key).and_then(|at| words.get(at + 1)).copied();
        let number = |what: &str, word: Option<&str>| {
            let word = word.ok_or_else(|| wrong(format!("{what} is missing")))?;
            word.parse::<u64>().map_err(|_| wrong(format!("`{word}` is not a valid number")))
        };
        let count = number("the number of openings", words.first().copied())?;
        let seed = number("seed", after("seed"))?;
        let book = after("book").ok_or_else(|| wrong("book is missing".to_owned()))?;
        let book = (!book.eq_ignore_ascii_case(NO_BOOK)).then(|| book.to_owned());
        let usual = DatagenSettings::default();
        let plies = match after("plies") {
            None if book.is_some() => BOOK_PLIES,
            None => (usual.random_min, usual.random_max),
            Some(text) => match range(text) {
                Some((min, max)) if min > max => {
                    return Err(wrong(format!("the range `{text}` of plies is reversed: expected `{max}..{min}`")));
                }
                Some(plies) if plies.1 <= RANDOM_PLIES_MAX => plies,
                _ => {
                    let most = format!("expected at most {RANDOM_PLIES_MAX}");
                    return Err(wrong(format!("`{text}` is not a valid number of plies: {most}")));
                }
            },
        };
        Ok(Request { count, seed, book, plies })
    }

    /// Draws the openings and calls `on_opening` with the FEN of each, until it breaks. The same request gives the same openings.
    ///
    /// # Errors
    /// The book cannot be read, or no opening is within bounds.
    pub fn answer(&self, on_opening: &mut dyn FnMut(String) -> ControlFlow<()>) -> Result<(), GenfensError> {
        let (random_min, random_max) = self.plies;
        let settings = DatagenSettings { seed: self.seed, random_min, random_max, ..DatagenSettings::default() };
        let mut player = Player::new(&settings, None)?;
        let options = Options { order: BookOrder::Random, seed: self.seed, ..Options::default() };
        // A book may have millions of positions: only the requested number is parsed.
        let most = usize::try_from(self.count).unwrap_or(usize::MAX);
        let starts: Vec<Game> = match &self.book {
            Some(path) => OpeningSource::book(Path::new(path), &options)?.take(most).collect(),
            None => vec![Game::new()],
        };
        // A short book begins again; the random plies are others.
        for (number, start) in (1..=self.count).zip(starts.iter().cycle()) {
            if on_opening(player.opening(number, start)?.fen()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A number, or a range such as `8..9`.
pub fn range(text: &str) -> Option<(u32, u32)> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    Some((min.parse().ok()?, max.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn fens(request: &str) -> Vec<String> {
        let mut fens = Vec::new();
        let request = Request::parse(request).expect(request);
        let mut take = |fen| {
            fens.push(fen);
            ControlFlow::Continue(())
        };
        request.answer(&mut take).expect("openings");
        fens
    }

    #[test]
    fn requests_are_read_as_openbench_writes_them() {
        for (text, expected) in [
            ("10 seed 42 book None ", Request { count: 10, seed: 42, book: None, plies: (8, 9) }),
            (
                "3 seed 1 book Books/a.epd",
                Request { count: 3, seed: 1, book: Some("Books/a.epd".into()), plies: (4, 5) },
            ),
            ("1 seed 2 book none dfrc plies 6", Request { count: 1, seed: 2, book: None, plies: (6, 6) }),
            ("1 seed 2 book None plies 2..3", Request { count: 1, seed: 2, book: None, plies: (2, 3) }),
        ] {
            assert_eq!(Request::parse(text).expect(text), expected);
        }
        for (text, needle) in [
            ("", "the number of openings is missing"),
            ("x seed 1 book None", "`x` is not a valid number"),
            ("5 book None", "seed is missing"),
            ("5 seed 1", "book is missing"),
            ("5 seed 1 book None plies many", "`many` is not a valid number of plies"),
            ("5 seed 1 book None plies 61", "`61` is not a valid number of plies: expected at most 60"),
            ("5 seed 1 book None plies 3..2", "the range `3..2` of plies is reversed: expected `2..3`"),
        ] {
            let message = Request::parse(text).expect_err(text).to_string();
            assert!(message.contains(needle) && message.contains("write `genfens N seed S"), "{message}");
        }
    }

    #[test]
    fn openings_are_legal_different_and_the_same_for_the_same_seed() {
        let first = fens("12 seed 42 book None");
        assert_eq!(first, fens("12 seed 42 book None"));
        assert_eq!(first[..5], fens("5 seed 42 book None"));
        let all: HashSet<String> = first.iter().cloned().chain(fens("12 seed 43 book None")).collect();
        assert_eq!(all.len(), 24);
        for fen in &first {
            let game = Game::standard(fen).expect(fen);
            assert!((8..=9).contains(&crate::replay::ply(game.position())), "{fen}");
        }
    }

    /// `stop` and `quit` waited for the last of any number of openings.
    #[test]
    fn no_opening_is_drawn_after_a_break() {
        let mut count = 0;
        let mut take = |_| {
            count += 1;
            if count == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        Request::parse("3 seed 1 book None").expect("a request").answer(&mut take).expect("openings");
        assert_eq!(count, 2);
    }

    #[test]
    fn a_book_comes_first_and_random_plies_after() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.epd");
        let lines = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\nrnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n";
        std::fs::write(&path, lines).expect("written");
        let found = fens(&format!("6 seed 3 book {}", path.display()));
        let different: HashSet<&String> = found.iter().collect();
        assert_eq!((found.len(), different.len()), (6, 6));
        let missing = Request::parse("1 seed 1 book /no/such.epd").expect("a request");
        let missing = missing.answer(&mut |_| ControlFlow::Continue(()));
        assert!(missing.expect_err("no book").to_string().contains("/no/such.epd"));
    }
}
