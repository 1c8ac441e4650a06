//! Openings of the games of a match: drawn at random, or taken from a book.
//!
//! An [`OpeningSource`] is an iterator of games. A book ends after its last opening; a caller that needs more restarts it.

mod book;
mod builtin;
mod chess960;

pub use book::{BadOpening, BookError};
pub use builtin::{Openings, PLIES, random_moves, stream};
pub use chess960::start_position;

use book::{Book, BookWarnings};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_files::fingerprint::Fingerprint;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// The name of the built-in generator, in place of a file.
pub const BUILTIN: &str = "builtin";

/// A position in EPD is a FEN without its counters.
const EPD_FIELDS: usize = 4;
/// With at most this number of half moves the generator can draw all openings in a match; with one more there are thousands.
const FEW_PLIES: usize = 2;
/// Number of openings in the fingerprint of the generator.
const PROBED: usize = 8;

/// In what order a book is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BookOrder {
    /// In the order of the file.
    #[default]
    Sequential,
    /// Shuffled by the seed.
    Random,
}

/// The selection from a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The order of a book. It does not apply to the generator.
    pub order: BookOrder,
    /// The seed of the generator and of the random order.
    pub seed: u64,
    /// The number of openings to skip at the beginning.
    pub start: usize,
    /// Half moves: of the generator ([`PLIES`] if `None`), or of each game of a PGN book (the whole game if `None`).
    pub plies: Option<usize>,
    /// Chess960: the generator draws the first rank, and the positions of a book may castle as there. Positions that castle
    /// only in this way need no flag.
    pub chess960: bool,
}

/// A source of openings.
pub struct OpeningSource {
    name: String,
    fingerprint: u64,
    remarks: BookWarnings,
    kind: SourceKind,
}

enum SourceKind {
    Builtin {
        /// Boxed: an engine is large.
        openings: Box<Openings>,
        options: Options,
        /// Openings before the first one that is used.
        unused: usize,
    },
    Book {
        book: Book,
        /// The numbers of the openings in the order of use.
        order: std::vec::IntoIter<usize>,
        count: usize,
        /// Openings at its beginning that are skipped.
        start: usize,
    },
}

impl OpeningSource {
    /// The generator if `text` is [`BUILTIN`], or else the book with this path.
    pub fn open(text: &str, options: &Options) -> Result<OpeningSource, BookError> {
        if text == BUILTIN {
            Ok(OpeningSource::builtin(options))
        } else {
            OpeningSource::book(Path::new(text), options)
        }
    }

    /// The generator. It judges with the standard parameters, so that the openings depend on the seed alone.
    pub fn builtin(options: &Options) -> OpeningSource {
        let mut fingerprint = Fingerprint::new();
        generator(options).take(PROBED).for_each(|game| fingerprint.add(game.fen().as_bytes()));
        let openings = Box::new(generator(options));
        OpeningSource {
            name: BUILTIN.to_owned(),
            fingerprint: fingerprint.0,
            remarks: BookWarnings::default(),
            kind: SourceKind::Builtin { openings, options: *options, unused: options.start },
        }
    }

    /// A book in EPD or PGN. Openings that cannot be used are left out, see [`OpeningSource::skipped`].
    pub fn book(path: &Path, options: &Options) -> Result<OpeningSource, BookError> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|reason| BookError::Io(file.clone(), reason))?;
        OpeningSource::parse(&file, bytes, options)
    }

    /// A book from the bytes of the file named `file`.
    pub fn parse(file: &str, bytes: Vec<u8>, options: &Options) -> Result<OpeningSource, BookError> {
        let mut fingerprint = Fingerprint::new();
        fingerprint.add(&bytes);
        let (book, remarks) = Book::parse(file, bytes, options)?;
        let count = book.len();
        let mut order: Vec<usize> = (0..count).collect();
        if options.order == BookOrder::Random {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
        }
        if count > 0 && options.start >= count {
            return Err(BookError::AllSkipped(file.to_owned(), count, options.start));
        }
        // After the last opening those that were skipped follow, so that a match can go on; it is warned of.
        order.rotate_left(options.start);
        let kind = SourceKind::Book { book, order: order.into_iter(), count, start: options.start };
        Ok(OpeningSource { name: file.to_owned(), fingerprint: fingerprint.0, remarks, kind })
    }

    /// The file, or [`BUILTIN`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A number that changes with the contents of the book, or with what the generator draws.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Openings of the book that were left out, with the reasons.
    pub fn skipped(&self) -> &[BadOpening] {
        &self.remarks.skipped
    }

    /// Which openings are used without castling rights that their positions cannot have.
    pub fn corrected(&self) -> &[BadOpening] {
        &self.remarks.corrected
    }

    /// How many openings there are; `None` for the generator.
    pub fn size(&self) -> Option<usize> {
        match &self.kind {
            SourceKind::Builtin { .. } => None,
            SourceKind::Book { count, .. } => Some(*count),
        }
    }

    /// Draws one opening of the generator that comes before the first one to use, and returns how many are left; `None` if there was none.
    pub fn draw_unused(&mut self) -> Option<usize> {
        let SourceKind::Builtin { openings, unused, .. } = &mut self.kind else { return None };
        *unused = unused.checked_sub(1)?;
        openings.next().map(|_| *unused)
    }

    /// A warning if a match needs more openings than there are. Draws them in advance where the generator may run out.
    pub fn shortage(&self, needed: usize) -> Option<String> {
        let (count, remedy) = match &self.kind {
            SourceKind::Book { count, start, .. } => {
                (count - start, format!("give a larger book or --openings {BUILTIN}"))
            }
            SourceKind::Builtin { options, .. } if may_run_out(options) => {
                let openings = generator(options).skip(options.start).take(needed);
                (openings.count(), "give more --opening-plies".to_owned())
            }
            SourceKind::Builtin { .. } => return None,
        };
        let (name, openings) = (&self.name, if count == 1 { "opening" } else { "openings" });
        let warning = || {
            format!(
                "{name} has {count} {openings}, but the match needs {needed}: they begin again with the first; {remedy}"
            )
        };
        (0 < count && count < needed).then(warning)
    }
}

/// Returns true if the generator has at most 400 openings: those of [`FEW_PLIES`] from the usual position.
fn may_run_out(options: &Options) -> bool {
    !options.chess960 && options.plies.is_some_and(|plies| plies <= FEW_PLIES)
}

/// The generator from its first opening on.
fn generator(options: &Options) -> Openings {
    let mut openings = Openings::new(Parameters::default(), options.seed);
    (openings.plies, openings.draw_rank) = (options.plies.unwrap_or(PLIES), options.chess960);
    openings
}

impl Iterator for OpeningSource {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        while self.draw_unused().is_some() {}
        match &mut self.kind {
            SourceKind::Builtin { openings, .. } => openings.next(),
            SourceKind::Book { book, order, .. } => order.next().and_then(|index| book.game(index)),
        }
    }
}

/// Openings of the generator as a book: positions in EPD, one a line.
pub fn book(seed: u64, count: usize) -> String {
    let openings = Openings::new(Parameters::default(), seed).take(count);
    let fields = |game: Game| game.fen().split(' ').take(EPD_FIELDS).collect::<Vec<_>>().join(" ");
    openings.map(|game| format!("{}\n", fields(game))).collect()
}

#[cfg(test)]
mod tests;
