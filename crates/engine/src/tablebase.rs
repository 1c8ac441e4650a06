//! Syzygy endgame tables: exact results in the search and at the root.
//!
//! There are two kinds of tables. *WDL* is the result of a position if the fifty-move clock is 0. *DTZ* is the number of plies to
//! the next capture or pawn move if both sides play well. A won position is certainly won only if the clock does not run out
//! first, so at the root both are needed.
//!
//! Files are read with ordinary positioned reads rather than memory maps: a table on a failing disk then gives an answer
//! of "unknown" instead of killing the process, and the crate stays free of `unsafe`.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
#[cfg(any(unix, windows))]
use std::sync::Arc;

use shakmaty::{Chess, Move, Position as _};
#[cfg(any(unix, windows))]
use shakmaty_syzygy::filesystem::OsFilesystem;
use shakmaty_syzygy::{MaybeRounded, Tablebase as Tables};
use thiserror::Error;

pub use shakmaty_syzygy::{Dtz, Wdl};

use crate::position::{Draw, FIFTY_MOVES, Game};
use crate::score::{Bound, Ply, Score};

/// Why tables could not be opened.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum TablebaseError {
    #[error("cannot read tablebases: the path is empty; give one or more directories with .rtbw and .rtbz files")]
    EmptyPath,
    #[error("cannot read tablebases: `{}` is not a directory; SyzygyPath expects directories with .rtbw and .rtbz files", path.display())]
    NotADirectory { path: PathBuf },
    #[error("cannot read tablebases: `{}`: {source}; check its permissions", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("cannot read tablebases: `{}` is damaged or incomplete ({source}); fetch it again or remove it", path.display())]
    Damaged { path: PathBuf, source: io::Error },
    #[error("cannot read tablebases: this build has no access to files; use the program for the command line")]
    NoFileSystem,
    #[error("cannot read tablebases: no tables in `{path}`; expected files such as KQvK.rtbw")]
    NoTables { path: String },
}

/// How the search uses the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TablebaseOptions {
    /// Least remaining depth (plies) at which a position with the largest number of pieces is looked up.
    pub probe_depth: i32,
    /// True if a game without capture or pawn move in fifty moves ends in a draw.
    pub fifty_move_rule: bool,
}

impl Default for TablebaseOptions {
    fn default() -> TablebaseOptions {
        TablebaseOptions { probe_depth: 1, fifty_move_rule: true }
    }
}

/// The result of the tables for a root move, seen by the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rank {
    /// The result, the present clock taken into account.
    pub wdl: Wdl,
    /// Plies to the next capture, pawn move or mate, this move included; 0 when unknown or drawn.
    pub zeroing_in: i32,
    /// Moves of one class preserve the same result, those of a higher class a better one: the search may choose within a class.
    pub class: i32,
}

impl Rank {
    /// More than any distance (plies).
    const SPAN: i32 = 1 << 16;

    /// A move with this result.
    fn new(wdl: Wdl, zeroing_in: i32) -> Rank {
        Rank { wdl, zeroing_in, class: i32::from(wdl) * Rank::SPAN }
    }

    /// The same for a win that a wasted ply may turn into a draw: its class is below a sure win, and lower the longer it takes.
    fn urgent(self) -> Rank {
        Rank { class: i32::from(Wdl::Win) * Rank::SPAN - 1 - self.zeroing_in, ..self }
    }

    /// The value to report if a search found `score` with this bound: that score if it proves a mate, or else the table result.
    pub fn report(self, score: Score, bound: Bound) -> (Score, Bound) {
        let mates = self.wdl == Wdl::Win && score.is_won() && bound.is_lower();
        let is_mated = self.wdl == Wdl::Loss && score.is_lost() && bound.is_upper();
        if score.is_terminal() && (mates || is_mated) {
            (score, bound)
        } else {
            (wdl_score(self.wdl, Ply::ROOT), Bound::Exact)
        }
    }
}

/// The score of a table result `ply` plies from the root. Wins that the fifty-move rule takes away are one pawn/100
/// from a draw, so that they are preferred to plain draws and nothing else.
pub fn wdl_score(wdl: Wdl, ply: Ply) -> Score {
    match wdl {
        Wdl::Win => Score::tablebase_win_in(ply),
        Wdl::Loss => -Score::tablebase_win_in(ply),
        Wdl::CursedWin => Score(1),
        Wdl::BlessedLoss => Score(-1),
        Wdl::Draw => Score::DRAW,
    }
}

/// A source of table results: files, or a function in tests.
trait Probe: fmt::Debug + Send + Sync {
    /// The largest number of pieces, kings included, of a known position.
    fn pieces_max(&self) -> usize;

    /// The result for the side to move, assuming that the halfmove clock is 0; `None` if unknown.
    fn wdl(&self, position: &Chess) -> Option<Wdl>;

    /// The distance to zeroing (plies) for the side to move; `None` if unknown.
    fn dtz(&self, position: &Chess) -> Option<MaybeRounded<Dtz>>;
}

impl Probe for Tables<Chess> {
    fn pieces_max(&self) -> usize {
        self.max_pieces()
    }

    fn wdl(&self, position: &Chess) -> Option<Wdl> {
        self.probe_wdl_after_zeroing(position).ok()
    }

    fn dtz(&self, position: &Chess) -> Option<MaybeRounded<Dtz>> {
        self.probe_dtz(position).ok()
    }
}

/// A set of opened tables.
#[derive(Debug)]
pub struct Tablebase {
    tables: Box<dyn Probe>,
    files: usize,
    options: TablebaseOptions,
}

impl Tablebase {
    /// Opens every table in `path`: one directory, or several separated as in the system's `PATH` variable.
    ///
    /// # Errors
    /// [`TablebaseError`], with the directory or file.
    pub fn open(path: &str) -> Result<Tablebase, TablebaseError> {
        // Before `split_paths`, which panics in WebAssembly.
        let mut tables = no_tables()?;
        let directories: Vec<PathBuf> =
            std::env::split_paths(path).filter(|directory| !directory.as_os_str().is_empty()).collect();
        if directories.is_empty() {
            return Err(TablebaseError::EmptyPath);
        }
        let mut files = 0;
        for directory in &directories {
            files += add_directory(&mut tables, directory)?;
        }
        if files == 0 {
            return Err(TablebaseError::NoTables { path: path.to_owned() });
        }
        Ok(Tablebase { tables: Box::new(tables), files, options: TablebaseOptions::default() })
    }

    /// The same tables, used in another way.
    pub fn with_options(self, options: TablebaseOptions) -> Tablebase {
        Tablebase { options, ..self }
    }

    /// How the search uses these tables.
    pub fn options(&self) -> TablebaseOptions {
        self.options
    }

    /// The largest number of pieces, kings included, that any of the tables covers.
    pub fn max_pieces(&self) -> usize {
        self.tables.pieces_max()
    }

    /// The number of table files found.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The result of `position` for use inside the search, or `None` if the tables have none: too many pieces,
    /// castling still possible, a clock that is running (the tables assume it was just set back), or a missing table.
    pub fn probe_wdl(&self, position: &Chess) -> Option<Wdl> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        Some(self.without_clock(self.tables.wdl(position)?))
    }

    /// The table result of every legal move in the current position of a game; `None` if the tables do not cover it.
    ///
    /// The halfmove clock counts, and a third repetition is a draw. All sure wins have the same class, so that the search can look for a mate
    /// among them. After a repetition, or if the clock leaves no ply to waste, wins are classed by distance. A player that always plays a move
    /// of the highest class therefore wins in time. Without DTZ tables all wins have the same class.
    pub fn root_moves(&self, game: &Game) -> Option<Vec<(Move, Rank)>> {
        let position = game.position().chess();
        if !self.covers(position) {
            return None;
        }
        let (moves, repeated) = (position.legal_moves(), game.has_repeated());
        let ranked = |by_distance: bool| {
            let rank = |m: Move| {
                let mut next = game.clone();
                next.play(m);
                self.rank_at_end(&next).or_else(|| {
                    if by_distance {
                        self.rank_by_distance(game, m, &next, repeated)
                    } else {
                        self.rank_by_result(&next)
                    }
                })
            };
            moves.iter().map(|&m| Some((m, rank(m)?))).collect::<Option<Vec<_>>>()
        };
        ranked(true).or_else(|| ranked(false))
    }

    /// Returns true if the tables can hold this position.
    fn covers(&self, position: &Chess) -> bool {
        position.board().occupied().count() <= self.max_pieces() && !position.castles().any()
    }

    /// The result when the fifty-move rule is or is not in force.
    fn without_clock(&self, wdl: Wdl) -> Wdl {
        match wdl {
            Wdl::CursedWin if !self.options.fifty_move_rule => Wdl::Win,
            Wdl::BlessedLoss if !self.options.fifty_move_rule => Wdl::Loss,
            other => other,
        }
    }

    /// The rank of a move that ends the game.
    fn rank_at_end(&self, next: &Game) -> Option<Rank> {
        let position = next.position().chess();
        if position.is_checkmate() {
            return Some(Rank::new(Wdl::Win, 1));
        }
        let drawn = match next.draw() {
            Some(Draw::FiftyMoves) if !self.options.fifty_move_rule => next.is_threefold() || position.is_stalemate(),
            Some(_) => true,
            None => position.is_stalemate(),
        };
        drawn.then(|| Rank::new(Wdl::Draw, 0))
    }

    /// The rank of `m`, after which the game is `next`, from the DTZ tables; `repeated` if the game has repeated a position.
    fn rank_by_distance(&self, game: &Game, m: Move, next: &Game, repeated: bool) -> Option<Rank> {
        /// Plies that rounding may cost: one in the distance, and one in later moves.
        const LOST_MAX: u32 = 2;
        let position = next.position().chess();
        let (dtz, clock) = if m.is_zeroing() {
            (MaybeRounded::Precise(Dtz::before_zeroing(-self.tables.wdl(position)?)), 0)
        } else {
            let dtz = -self.tables.dtz(position)?;
            (dtz.map(|d| d.add_plies_saturating(1)), game.position().halfmoves())
        };
        let zeroing_in = dtz.ignore_rounding().0.saturating_abs();
        let in_time = |lost| {
            !self.options.fifty_move_rule || zeroing_in.saturating_add_unsigned(clock + lost) <= FIFTY_MOVES as i32
        };
        let lost = if matches!(dtz, MaybeRounded::Rounded(_)) { LOST_MAX } else { 0 };
        let is_sure = in_time(lost) && (m.is_zeroing() || !repeated);
        let rank = Rank::new(self.without_clock(result_at(dtz, clock)), zeroing_in);
        Some(if dtz.is_positive() && in_time(0) && !is_sure { rank.urgent() } else { rank })
    }

    /// The rank of a move, after which the game is `next`, from the WDL tables alone.
    fn rank_by_result(&self, next: &Game) -> Option<Rank> {
        Some(Rank::new(self.without_clock(-self.tables.wdl(next.position().chess())?), 0))
    }
}

/// A set without tables, to which files are added.
#[cfg(any(unix, windows))]
fn no_tables() -> Result<Tables<Chess>, TablebaseError> {
    Ok(Tables::with_filesystem(Arc::new(OsFilesystem::new().with_advise_random(true))))
}

#[cfg(not(any(unix, windows)))]
fn no_tables() -> Result<Tables<Chess>, TablebaseError> {
    Err(TablebaseError::NoFileSystem)
}

/// Adds all tables of one directory and returns their number.
fn add_directory(tables: &mut Tables<Chess>, directory: &Path) -> Result<usize, TablebaseError> {
    if !directory.is_dir() {
        return Err(TablebaseError::NotADirectory { path: directory.to_owned() });
    }
    let unreadable = |source| TablebaseError::Unreadable { path: directory.to_owned(), source };
    let mut files = 0;
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        match tables.add_file(&path) {
            Ok(()) => files += 1,
            // The directory may hold other files.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(source) if source.kind() == io::ErrorKind::InvalidData => {
                return Err(TablebaseError::Damaged { path, source });
            }
            Err(source) => return Err(TablebaseError::Unreadable { path, source }),
        }
    }
    Ok(files)
}

/// The result of a distance when the clock already shows `clock` plies. A rounded distance may be one ply too short;
/// it counts as a win only if the win survives that ply.
fn result_at(dtz: MaybeRounded<Dtz>, clock: u32) -> Wdl {
    let slack = match dtz {
        MaybeRounded::Rounded(d) if d.is_positive() && clock > 0 => 1,
        _ => 0,
    };
    let total = dtz.ignore_rounding().add_plies_saturating(clock + slack);
    Wdl::from_dtz(total)
}

/// Tables that are defined by a function, for tests.
#[cfg(test)]
pub(crate) mod scripted {
    use super::*;

    pub(crate) use shakmaty_syzygy::MaybeRounded::{self, Precise, Rounded};

    /// The distance for the side to move of a position, if it is known.
    pub(crate) type Answer = dyn Fn(&Chess) -> Option<MaybeRounded<Dtz>> + Send + Sync;

    struct Scripted {
        pieces_max: usize,
        answer: Box<Answer>,
    }

    impl fmt::Debug for Scripted {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a function for {} pieces", self.pieces_max)
        }
    }

    impl Probe for Scripted {
        fn pieces_max(&self) -> usize {
            self.pieces_max
        }

        fn wdl(&self, position: &Chess) -> Option<Wdl> {
            (self.answer)(position).map(Wdl::from_dtz_after_zeroing)
        }

        fn dtz(&self, position: &Chess) -> Option<MaybeRounded<Dtz>> {
            (self.answer)(position)
        }
    }

    /// Tables for up to `pieces_max` pieces with the results of `answer`.
    pub(crate) fn tables(
        pieces_max: usize,
        answer: impl Fn(&Chess) -> Option<MaybeRounded<Dtz>> + Send + Sync + 'static,
    ) -> Tablebase {
        let tables = Box::new(Scripted { pieces_max, answer: Box::new(answer) });
        Tablebase { tables, files: 0, options: TablebaseOptions::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::scripted::{Precise, Rounded};
    use super::*;
    use crate::testing::{after, game};
    use shakmaty::uci::UciMove;
    use shakmaty::{CastlingMode, Square};

    /// Names a directory with real tables (four pieces suffice); without it the tests that need tables do nothing.
    const DIRECTORY_VARIABLE: &str = "QUARTERPLY_SYZYGY";

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn tables() -> Option<Tablebase> {
        let path = std::env::var(DIRECTORY_VARIABLE).ok()?;
        Some(Tablebase::open(&path).expect("the variable names a directory with tables"))
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("quarterply-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("temporary directory");
        path
    }

    #[test]
    fn bad_paths_are_named_with_a_remedy() {
        let empty = scratch("syzygy-empty");
        let damaged = scratch("syzygy-damaged");
        fs::write(damaged.join("KQvK.rtbw"), b"not a table").expect("written");
        fs::write(empty.join("readme.txt"), b"no table either").expect("written");
        let missing = empty.join("missing");
        let text = |path: &Path| path.display().to_string();
        for (name, path, expected) in [
            ("empty text", String::new(), "is empty"),
            ("no such directory", text(&missing), "is not a directory"),
            ("a file", text(&empty.join("readme.txt")), "is not a directory"),
            ("no tables", text(&empty), "no tables in"),
            ("damaged", text(&damaged), "KQvK.rtbw` is damaged"),
        ] {
            let error = Tablebase::open(&path).expect_err(name).to_string();
            assert!(error.contains(expected) && error.contains(&path), "{name}: {error}");
        }
        fs::remove_dir_all(empty).expect("removed");
        fs::remove_dir_all(damaged).expect("removed");
    }

    #[test]
    fn distances_meet_the_clock() {
        for (name, dtz, clock, expected) in [
            ("plain win", Precise(Dtz(10)), 0, Wdl::Win),
            ("win on the last ply", Precise(Dtz(10)), 90, Wdl::Win),
            ("win one ply too late", Precise(Dtz(10)), 91, Wdl::CursedWin),
            ("rounded win on the last ply", Rounded(Dtz(10)), 90, Wdl::CursedWin),
            ("rounded win at a fresh clock", Rounded(Dtz(100)), 0, Wdl::Win),
            ("loss that holds out", Precise(Dtz(-10)), 91, Wdl::BlessedLoss),
            ("loss in time", Rounded(Dtz(-10)), 90, Wdl::Loss),
            ("draw", Precise(Dtz(0)), 99, Wdl::Draw),
        ] {
            assert_eq!(result_at(dtz, clock), expected, "{name}");
        }
        let [on, off] = [true, false].map(|fifty_move_rule| {
            let options = TablebaseOptions { fifty_move_rule, ..TablebaseOptions::default() };
            scripted::tables(3, |_| None).with_options(options)
        });
        assert_eq!(on.without_clock(Wdl::CursedWin), Wdl::CursedWin);
        assert_eq!(off.without_clock(Wdl::CursedWin), Wdl::Win);
        assert_eq!(off.without_clock(Wdl::BlessedLoss), Wdl::Loss);
    }

    /// King and rook against king. The square of the rook decides the distance in these tests.
    const ROOK: &str = "7k/8/8/8/8/8/K7/2R5 w - - 0 1";

    /// The ranks of the rook's moves to `squares` after moves that begin at `clock`, where the tables have these distances for White
    /// after them.
    fn ranks(clock: u32, moves: &str, distances: &[(Square, MaybeRounded<Dtz>)], fifty_move_rule: bool) -> Vec<Rank> {
        let game = after(&ROOK.replace(" 0 1", &format!(" {clock} 1")), moves);
        let list = distances.to_vec();
        let answer = move |position: &Chess| {
            let rook = position.board().rooks().first()?;
            let known = list.iter().find(|(square, _)| *square == rook);
            Some(known.map_or(Precise(Dtz(0)), |&(_, dtz)| -dtz))
        };
        let tables = scripted::tables(3, answer)
            .with_options(TablebaseOptions { fifty_move_rule, ..TablebaseOptions::default() });
        let ranked = tables.root_moves(&game).expect("covered");
        let of = |square: Square| ranked.iter().find(|(m, _)| m.to() == square && m.role() == shakmaty::Role::Rook);
        distances.iter().map(|&(square, _)| of(square).expect("a move of the rook").1).collect()
    }

    #[test]
    fn moves_that_preserve_the_result_are_of_one_class() {
        use Square::{A1, B1, D1, E1, F1, G1};
        let distances = [
            (A1, Precise(Dtz(9))),
            (B1, Precise(Dtz(31))),
            (D1, Precise(Dtz(103))),
            (E1, Precise(Dtz(0))),
            (F1, Precise(Dtz(-130))),
            (G1, Precise(Dtz(-8))),
        ];
        let found = ranks(0, "", &distances, true);
        assert_eq!(found[0].class, found[1].class, "the search chooses between sure wins");
        assert!(found[1..].is_sorted_by(|a, b| a.class > b.class), "{found:?}");
        let results: Vec<Wdl> = found.iter().map(|rank| rank.wdl).collect();
        assert_eq!(results, [Wdl::Win, Wdl::Win, Wdl::CursedWin, Wdl::Draw, Wdl::BlessedLoss, Wdl::Loss]);
        let without = ranks(0, "", &distances, false);
        assert_eq!(without[0].class, without[2].class, "without the rule a cursed win is a win");
        assert_eq!(without[4].class, without[5].class);
    }

    #[test]
    fn the_clock_turns_wins_into_cursed_ones_and_leaves_no_ply_to_rounded_ones() {
        use Square::{A1, B1, D1, E1};
        let distances =
            [(A1, Precise(Dtz(39))), (B1, Precise(Dtz(40))), (D1, Rounded(Dtz(37))), (E1, Rounded(Dtz(38)))];
        let found = ranks(60, "", &distances, true);
        assert_eq!([found[0].wdl, found[1].wdl], [Wdl::Win, Wdl::CursedWin], "the ply of the move itself counts");
        assert_eq!(found[2].class, found[0].class, "two plies may be lost");
        assert!(found[3].class < found[0].class && found[3].class > found[1].class, "not more: {found:?}");
        let urgent = ranks(60, "", &[(A1, Rounded(Dtz(38))), (B1, Rounded(Dtz(39)))], true);
        assert!(urgent[0].class > urgent[1].class, "then the nearer win comes first: {urgent:?}");
        assert_eq!(ranks(60, "", &distances, false)[1].class, ranks(60, "", &distances, false)[0].class);
    }

    /// Otherwise a sure win could be delayed until the third repetition.
    #[test]
    fn after_a_repetition_the_nearest_win_comes_first_and_a_third_one_is_a_draw() {
        use Square::{A1, B1, D1};
        let distances = [(A1, Precise(Dtz(9))), (B1, Precise(Dtz(31))), (D1, Precise(Dtz(11)))];
        let once = "c1d1 h8g8 d1c1 g8h8";
        let found = ranks(0, once, &distances, true);
        assert!(found[0].class > found[2].class && found[2].class > found[1].class, "{found:?}");
        assert_eq!(found[2].wdl, Wdl::Win, "the second time");
        let found = ranks(0, &format!("{once} {once}"), &distances, true);
        assert_eq!(found[2].wdl, Wdl::Draw, "the third time");
        let found = ranks(100, &format!("{once} {once}"), &distances, false);
        assert_eq!([found[0].wdl, found[2].wdl], [Wdl::Win, Wdl::Draw], "also beyond fifty moves without that rule");
    }

    #[test]
    fn a_proved_mate_is_reported_and_else_the_result_of_the_tables() {
        let mate = Score::mate_in(Ply(5));
        for (wdl, score, bound, expected) in [
            (Wdl::Win, mate, Bound::Exact, (mate, Bound::Exact)),
            (Wdl::Win, mate, Bound::Lower, (mate, Bound::Lower)),
            (Wdl::Win, mate, Bound::Upper, (Score::TABLEBASE_WIN, Bound::Exact)),
            (Wdl::Win, Score(500), Bound::Exact, (Score::TABLEBASE_WIN, Bound::Exact)),
            (Wdl::Win, Score::tablebase_win_in(Ply(3)), Bound::Exact, (Score::TABLEBASE_WIN, Bound::Exact)),
            (Wdl::CursedWin, Score(300), Bound::Upper, (Score(1), Bound::Exact)),
            (Wdl::Draw, Score(101), Bound::Exact, (Score::DRAW, Bound::Exact)),
            (Wdl::Draw, mate, Bound::Exact, (Score::DRAW, Bound::Exact)),
            (Wdl::BlessedLoss, Score(-300), Bound::Exact, (Score(-1), Bound::Exact)),
            (Wdl::Loss, -mate, Bound::Exact, (-mate, Bound::Exact)),
            (Wdl::Loss, -mate, Bound::Upper, (-mate, Bound::Upper)),
            (Wdl::Loss, -mate, Bound::Lower, (-Score::TABLEBASE_WIN, Bound::Exact)),
            (Wdl::Loss, Score(-40), Bound::Exact, (-Score::TABLEBASE_WIN, Bound::Exact)),
        ] {
            assert_eq!(Rank::new(wdl, 7).report(score, bound), expected, "{wdl:?} {score:?} {bound:?}");
        }
    }

    #[test]
    fn scores_are_ordered_like_results() {
        let results = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];
        let scores: Vec<Score> = results.iter().map(|&wdl| wdl_score(wdl, Ply(4))).collect();
        assert!(scores.is_sorted() && scores[4].is_won() && scores[0].is_lost());
        assert!(wdl_score(Wdl::Win, Ply(2)) > wdl_score(Wdl::Win, Ply(4)), "nearer wins are better");
    }

    #[test]
    fn results_in_the_search_are_known_only_after_a_zeroing_move() {
        let Some(tables) = tables() else { return };
        for (name, fen, expected) in [
            ("queen wins", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Some(Wdl::Win)),
            ("seen from the other side", "8/8/8/4k3/8/8/8/KQ6 b - - 0 1", Some(Wdl::Loss)),
            ("rook pawn draws", "k7/8/8/8/8/8/P7/K7 w - - 0 1", Some(Wdl::Draw)),
            ("running clock", "8/8/8/4k3/8/8/8/KQ6 w - - 5 30", None),
            ("castling rights", "4k2r/8/8/8/8/8/8/4K3 w k - 0 1", None),
            ("too many pieces", START, None),
        ] {
            assert_eq!(tables.probe_wdl(game(fen).position().chess()), expected, "{name}");
        }
    }

    #[test]
    fn the_highest_class_keeps_the_result() {
        let Some(tables) = tables() else { return };
        for (name, fen, must, never) in [
            ("stalemate is a draw", "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "c1c8", "c1c7"),
            ("the king must keep the opposition", "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", "e8d8", "a1a1"),
            ("the king must stay in front of its pawn", "1k6/8/1K6/1P6/8/8/8/8 w - - 0 1", "b6a6", "b6c5"),
        ] {
            let texts: Vec<String> = best_moves(&tables, &game(fen))
                .into_iter()
                .map(|(m, _)| UciMove::from_move(m, CastlingMode::Standard).to_string())
                .collect();
            assert!(texts.iter().any(|text| text == must), "{name}: {texts:?}");
            assert!(!texts.iter().any(|text| text == never), "{name}: {texts:?}");
        }
        assert!(tables.root_moves(&game(START)).is_none());
    }

    /// The moves of the highest class.
    fn best_moves(tables: &Tablebase, game: &Game) -> Vec<(Move, Rank)> {
        let mut moves = tables.root_moves(game).expect("tables cover the ending");
        let best = moves.iter().map(|(_, rank)| rank.class).max();
        moves.retain(|(_, rank)| Some(rank.class) == best);
        moves
    }

    /// Plays a won ending against itself: each side takes any move of the highest class, and mate comes before fifty moves or a third
    /// repetition.
    #[test]
    fn any_moves_of_the_highest_class_win_in_time() {
        const GAMES: usize = 20;
        let Some(tables) = tables() else { return };
        for fen in ["8/8/8/4k3/8/8/8/KBN5 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KBB5 w - - 0 1"]
        {
            let mut draw = 1_usize;
            for number in 0..GAMES {
                let mut game = game(fen);
                while !game.position().chess().is_checkmate() {
                    let moves = best_moves(&tables, &game);
                    draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    // Half of the games repeat moves as long as the highest class allows it.
                    let pick = if number % 2 == 0 { (draw >> 33) % moves.len() } else { 0 };
                    game.play(moves[pick].0);
                    assert_eq!(game.draw(), None, "{fen}: {:?}", game.moves());
                }
            }
        }
    }
}
