//! Syzygy endgame tables: exact results in the search and at the root.
//!
//! The tables answer two questions. *WDL* says what a position is worth when the fifty-move clock has just been set back;
//! *DTZ* says in how many plies the next capture or pawn move comes when both sides play well. A won position is
//! won for sure only if the clock does not run out first, so at the root both are needed.
//!
//! Files are read with ordinary positioned reads rather than memory maps: a table on a failing disk then gives an answer
//! of "unknown" instead of killing the process, and the crate stays free of `unsafe`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy::filesystem::OsFilesystem;
use shakmaty_syzygy::{MaybeRounded, Tablebase as Tables};
use thiserror::Error;

pub use shakmaty_syzygy::{Dtz, Wdl};

use crate::score::{Ply, Score};

/// Why tables could not be opened.
#[derive(Debug, Error)]
pub enum TablebaseError {
    /// The path has no directory in it.
    #[error("the path of the endgame tables is empty; give one or more directories with .rtbw and .rtbz files")]
    EmptyPath,
    /// A directory of the path does not exist or is no directory.
    #[error("{} is not a directory; SyzygyPath takes directories with .rtbw and .rtbz files", path.display())]
    NotADirectory {
        /// The offending directory.
        path: PathBuf,
    },
    /// A directory or file exists but cannot be read.
    #[error("{} cannot be read ({source}); check its permissions", path.display())]
    Unreadable {
        /// The offending directory or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file has the name of a table but not its form.
    #[error("{} is damaged or incomplete ({source}); fetch it again or remove it", path.display())]
    Damaged {
        /// The offending file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// None of the directories holds a table.
    #[error("no endgame tables in {path}; expected files such as KQvK.rtbw")]
    NoTables {
        /// The whole path as it was given.
        path: String,
    },
}

/// How the search uses the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TablebaseOptions {
    /// Least remaining depth (plies) at which a position with the largest number of pieces is looked up.
    pub probe_depth: i32,
    /// Does a game without capture or pawn move in fifty moves end in a draw?
    pub fifty_move_rule: bool,
}

impl Default for TablebaseOptions {
    fn default() -> TablebaseOptions {
        TablebaseOptions { probe_depth: 1, fifty_move_rule: true }
    }
}

/// What the tables say about a root move, for the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rank {
    /// The result, the present clock taken into account.
    pub wdl: Wdl,
    /// Plies to the next capture, pawn move or mate, this move included; 0 when unknown or drawn.
    pub zeroing_in: i32,
}

impl Rank {
    /// The score to show and to search with at the root.
    pub fn score(self) -> Score {
        wdl_score(self.wdl, Ply::ROOT)
    }

    /// Sorts best first: wins by speed, losses by length.
    fn order(self) -> (i32, i32) {
        let result = -i32::from(self.wdl);
        (result, if self.wdl > Wdl::Draw { self.zeroing_in } else { -self.zeroing_in })
    }
}

/// The score of a table result `ply` plies from the root. Wins that the fifty-move rule takes away are a hair's breadth
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

/// A set of opened tables.
#[derive(Debug)]
pub struct Tablebase {
    tables: Tables<Chess>,
    files: usize,
    options: TablebaseOptions,
}

impl Tablebase {
    /// Opens every table in `path`: one directory, or several separated as in the system's `PATH` variable.
    pub fn open(path: &str) -> Result<Tablebase, TablebaseError> {
        let directories: Vec<PathBuf> =
            std::env::split_paths(path).filter(|directory| !directory.as_os_str().is_empty()).collect();
        if directories.is_empty() {
            return Err(TablebaseError::EmptyPath);
        }
        let mut tables = Tables::with_filesystem(Arc::new(OsFilesystem::new().with_advise_random(true)));
        let mut files = 0;
        for directory in &directories {
            files += add_directory(&mut tables, directory)?;
        }
        if files == 0 {
            return Err(TablebaseError::NoTables { path: path.to_owned() });
        }
        Ok(Tablebase { tables, files, options: TablebaseOptions::default() })
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
        self.tables.max_pieces()
    }

    /// The number of table files found.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The result of `position` for use inside the search, or `None` when the tables cannot say: too many pieces,
    /// castling still possible, a clock that is running (the tables assume it was just set back), or a missing table.
    pub fn probe_wdl(&self, position: &Chess) -> Option<Wdl> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        let wdl = self.tables.probe_wdl_after_zeroing(position).ok()?;
        Some(without_clock(wdl, self.options.fifty_move_rule))
    }

    /// The root moves worth searching, best first, with what the tables say of them; `None` when they cannot say.
    ///
    /// Only moves that keep the best result remain. Of winning moves only those remain that reach the next capture, pawn
    /// move or mate soonest: always playing one of them wins before the clock runs out, however the search chooses among
    /// them. Where distances are missing all winning moves remain.
    pub fn root_moves(&self, position: &Chess, fifty_move_rule: bool) -> Option<Vec<(Move, Rank)>> {
        if !self.covers(position) {
            return None;
        }
        let moves = position.legal_moves();
        let by_distance: Option<Vec<(Move, Rank)>> =
            moves.iter().map(|&m| Some((m, self.rank_by_distance(position, m, fifty_move_rule)?))).collect();
        let mut ranked = match by_distance {
            Some(ranked) => ranked,
            None => moves
                .iter()
                .map(|&m| Some((m, self.rank_by_result(position, m, fifty_move_rule)?)))
                .collect::<Option<Vec<_>>>()?,
        };
        ranked.sort_by_key(|(_, rank)| rank.order());
        let best = ranked.first()?.1;
        ranked
            .retain(|(_, rank)| rank.wdl == best.wdl && (best.wdl <= Wdl::Draw || rank.zeroing_in == best.zeroing_in));
        Some(ranked)
    }

    /// Can the tables know this position at all?
    fn covers(&self, position: &Chess) -> bool {
        position.board().occupied().count() <= self.max_pieces() && !position.castles().any()
    }

    /// The rank of `m` from the DTZ tables.
    fn rank_by_distance(&self, position: &Chess, m: Move, fifty_move_rule: bool) -> Option<Rank> {
        let after = after(position, m);
        if after.is_checkmate() {
            return Some(Rank { wdl: Wdl::Win, zeroing_in: 1 });
        }
        if after.is_stalemate() || after.is_insufficient_material() {
            return Some(Rank { wdl: Wdl::Draw, zeroing_in: 0 });
        }
        let (dtz, clock) = if m.is_zeroing() {
            let wdl = -self.tables.probe_wdl_after_zeroing(&after).ok()?;
            (MaybeRounded::Precise(Dtz::before_zeroing(wdl)), 0)
        } else {
            let dtz = -self.tables.probe_dtz(&after).ok()?;
            (dtz.map(|d| d.add_plies_saturating(1)), position.halfmoves())
        };
        let zeroing_in = dtz.ignore_rounding().0.saturating_abs();
        Some(Rank { wdl: without_clock(result_at(dtz, clock), fifty_move_rule), zeroing_in })
    }

    /// The rank of `m` from the WDL tables alone.
    fn rank_by_result(&self, position: &Chess, m: Move, fifty_move_rule: bool) -> Option<Rank> {
        let after = after(position, m);
        let wdl = if after.is_checkmate() { Wdl::Win } else { -self.tables.probe_wdl_after_zeroing(&after).ok()? };
        Some(Rank { wdl: without_clock(wdl, fifty_move_rule), zeroing_in: 0 })
    }
}

/// Adds all tables of one directory and says how many there were.
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
            // Other files may lie beside the tables.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(source) if source.kind() == io::ErrorKind::InvalidData => {
                return Err(TablebaseError::Damaged { path, source });
            }
            Err(source) => return Err(TablebaseError::Unreadable { path, source }),
        }
    }
    Ok(files)
}

/// The position after a legal move.
fn after(position: &Chess, m: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(m);
    after
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

/// The result when the fifty-move rule is or is not in force.
fn without_clock(wdl: Wdl, fifty_move_rule: bool) -> Wdl {
    match wdl {
        Wdl::CursedWin if !fifty_move_rule => Wdl::Win,
        Wdl::BlessedLoss if !fifty_move_rule => Wdl::Loss,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;
    use shakmaty::uci::UciMove;

    /// Names a directory with real tables (four pieces suffice); without it the tests that need tables do nothing.
    const DIRECTORY_VARIABLE: &str = "QUARTERPLY_SYZYGY";

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn tables() -> Option<Tablebase> {
        let path = std::env::var(DIRECTORY_VARIABLE).ok()?;
        Some(Tablebase::open(&path).expect("the variable names a directory with tables"))
    }

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().expect("valid FEN").into_position(CastlingMode::Standard).expect("legal position")
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
            ("no tables", text(&empty), "no endgame tables in"),
            ("damaged", text(&damaged), "KQvK.rtbw is damaged"),
        ] {
            let error = Tablebase::open(&path).expect_err(name).to_string();
            assert!(error.contains(expected) && error.contains(&path), "{name}: {error}");
        }
        fs::remove_dir_all(empty).expect("removed");
        fs::remove_dir_all(damaged).expect("removed");
    }

    #[test]
    fn distances_meet_the_clock() {
        use MaybeRounded::{Precise, Rounded};
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
        assert_eq!(without_clock(Wdl::CursedWin, true), Wdl::CursedWin);
        assert_eq!(without_clock(Wdl::CursedWin, false), Wdl::Win);
        assert_eq!(without_clock(Wdl::BlessedLoss, false), Wdl::Loss);
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
            assert_eq!(tables.probe_wdl(&position(fen)), expected, "{name}");
        }
    }

    #[test]
    fn root_moves_keep_the_result() {
        let Some(tables) = tables() else { return };
        for (name, fen, must, never) in [
            ("stalemate is a draw", "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "c1c8", "c1c7"),
            ("the king must keep the opposition", "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", "e8d8", "a1a1"),
            ("the king must stay in front of its pawn", "1k6/8/1K6/1P6/8/8/8/8 w - - 0 1", "b6a6", "b6c5"),
        ] {
            let moves = tables.root_moves(&position(fen), true).expect(name);
            let texts: Vec<String> =
                moves.iter().map(|&(m, _)| UciMove::from_move(m, CastlingMode::Standard).to_string()).collect();
            assert!(texts.iter().any(|text| text == must), "{name}: {texts:?}");
            assert!(!texts.iter().any(|text| text == never), "{name}: {texts:?}");
        }
        assert!(tables.root_moves(&position(START), true).is_none());
    }

    /// The clock value (plies) at which a game without capture or pawn move is drawn.
    const FIFTY_MOVES: u32 = 100;

    /// Plays a won ending against itself: each side takes any of the kept moves, and mate comes in time.
    #[test]
    fn kept_moves_always_win_in_time() {
        let Some(tables) = tables() else { return };
        for fen in ["8/8/8/4k3/8/8/8/KBN5 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KBB5 w - - 0 1"]
        {
            let mut game = position(fen);
            let mut plies = 0;
            while !game.is_checkmate() {
                let moves = tables.root_moves(&game, true).expect("tables cover the ending");
                let pick = moves.len() * (plies % 7) / 7;
                assert_eq!(moves[pick].1.wdl.signum().abs(), 1, "{fen} slipped after {plies} plies");
                game.play_unchecked(moves[pick].0);
                plies += 1;
                assert!(game.halfmoves() < FIFTY_MOVES, "{fen} ran out of moves");
            }
        }
    }
}
