use super::coder::{Corrupt, Reader};
use super::file::{FILE_MAX, PackedFile, Packing, PackingError, pack_blocks};
use super::games::{decode, encode};
use super::moves::{Moves, PreviousMoves};
use super::scores::{SCORE_MAX, STEPS, expected_points, rounded};
use super::unpack::unpack;
use crate::error::DataError;
use crate::folder::SHARD_MAX;
use crate::read::Archive;
use crate::record::{Ending, GameRecord, NO_SCORE, StoredMove};
use crate::replay::Filter;
use crate::testing::{game, played, write};
use crate::viriformat::encode_move;
use proptest::prelude::*;
use quarterply_engine::position::Game;
use quarterply_files::draft::Rules;
use quarterply_files::fingerprint::fingerprint;
use shakmaty::CastlingMode;
use std::fs;
use std::path::{Path, PathBuf};

/// The game as a packed file stores it.
fn kept(game: &GameRecord) -> GameRecord {
    let mut kept = game.clone();
    for (step, view) in kept.steps.iter_mut().zip(game.replay()) {
        let keeps = Filter::DEFAULT.keeps(&view.expect("a legal move"));
        step.score = rounded(step.score).filter(|_| keeps).unwrap_or(NO_SCORE);
    }
    kept
}

fn assert_comes_back(games: &[GameRecord]) -> Vec<u8> {
    let bytes = encode(games).expect("legal moves");
    let first = games.first().map_or(1, |game| game.number);
    let found = decode(&bytes, first, games.len() as u32).expect("games");
    assert_eq!(found, games.iter().map(kept).collect::<Vec<_>>());
    bytes
}

#[test]
fn moves_results_and_rounded_scores_come_back() {
    let mut games: Vec<GameRecord> = (1..=40).map(game).collect();
    for (index, game) in games.iter_mut().enumerate() {
        game.random_until = index as u16 % 5;
    }
    assert_comes_back(&games);
    assert_comes_back(&(1..=3).map(played).collect::<Vec<_>>());
    assert_comes_back(&[]);
}

#[test]
fn any_start_comes_back() {
    for (fen, mode) in [
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 12 90", CastlingMode::Standard),
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2", CastlingMode::Standard),
        ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 40", CastlingMode::Standard),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", CastlingMode::Chess960),
        ("6k1/5ppp/8/8/8/8/5PPP/QQQ3K1 b - - 0 1", CastlingMode::Standard),
    ] {
        let line = Game::from_fen(fen, mode).expect(fen);
        let moves = line.position().legal_moves();
        let steps = moves.first().map(|mv| StoredMove { raw: encode_move(*mv), score: -321 });
        let (start, steps) = (line.position().chess().clone(), steps.into_iter().collect());
        assert_comes_back(&[GameRecord { start, mode, steps, ending: Ending::Sampled, ..game(7) }]);
    }
}

/// The models learn: what repeats itself takes less, and can still be read.
#[test]
fn repeated_games_take_less() {
    const TIMES: u64 = 200;
    let one = played(1);
    let games: Vec<GameRecord> = (1..=TIMES).map(|number| GameRecord { number, ..one.clone() }).collect();
    let (alone, all) = (assert_comes_back(&games[..1]).len(), assert_comes_back(&games).len());
    assert!(2 * all < alone * TIMES as usize, "{all} bytes for {TIMES} games of {alone} bytes");
}

/// Scores are kept just where the default filter keeps positions: the format has its own copy of that rule.
#[test]
fn the_rule_of_scores_is_the_default_filter() {
    assert_eq!(Filter::DEFAULT.score_max, i32::from(SCORE_MAX));
    let mut ends = 0;
    for number in 1..=60 {
        let mut game = game(number);
        game.steps.iter_mut().for_each(|step| step.score %= SCORE_MAX);
        let found = decode(&encode(&[game.clone()]).expect("legal moves"), number, 1).expect("a game");
        for (view, step) in game.replay().zip(&found[0].steps) {
            let view = view.expect("a legal move");
            assert_eq!(step.score != NO_SCORE, Filter::DEFAULT.keeps(&view), "game {number}, ply {}", view.index);
            ends += u32::from(view.ending == Ending::DrawnByScore && view.left == Filter::DEFAULT.drawn_tail);
        }
    }
    assert!(ends > 0, "no game shows where the end of a draw begins");
}

#[test]
fn a_score_is_wrong_by_half_a_step_at_most() {
    let half = 0.5 / STEPS as f64;
    for score in -SCORE_MAX..=SCORE_MAX {
        let near = rounded(score).expect("a score of the grid");
        let error = (expected_points(near) - expected_points(score)).abs();
        // Scores of the grid are whole numbers themselves, which adds half of one.
        let whole = (expected_points(near + 1) - expected_points(near)).abs();
        assert!(error <= half + whole / 2.0, "{score} became {near}, {error} of a point away");
        assert_eq!(rounded(near), Some(near), "rounding twice changes nothing");
        assert_eq!(rounded(-score), Some(-near), "the sides are alike");
    }
    assert_eq!((rounded(0), rounded(SCORE_MAX + 1), rounded(-SCORE_MAX - 1)), (Some(0), None, None));
}

/// The grid is part of the format.
#[test]
fn the_grid_is_the_same_everywhere() {
    let grid: Vec<u8> = (-SCORE_MAX..=SCORE_MAX).filter_map(rounded).flat_map(i16::to_le_bytes).collect();
    assert_eq!(fingerprint(&grid), "ad646541bd48052e");
}

/// Corrupt bytes may continue after the end of a game.
#[test]
fn no_move_follows_mate_or_stalemate() {
    for fen in ["7k/5QQ1/8/8/8/8/8/K7 b - - 0 1", "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"] {
        let over = Game::standard(fen).expect(fen);
        let chess = over.position().chess();
        let found =
            Moves::default().code(&mut Reader::new(&[0; 8]).expect("words"), None, chess, PreviousMoves::default());
        assert_eq!(found, Err(Corrupt), "{fen}");
    }
}

/// A file of format 1 that an earlier program wrote.
#[test]
fn the_sample_file_of_an_earlier_program_is_read() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sample.games");
    let archive = Archive::open(&[&sample]).expect("the sample");
    let bytes: Vec<u8> = archive.games().flat_map(|game| game.expect("a game").encode()).collect();
    assert_eq!((archive.games().count(), fingerprint(&bytes).as_str()), (24, "5e3bdbd28534e0e4"));
}

proptest! {
    #[test]
    fn any_bytes_are_games_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), count in 0u32..20) {
        let _ = decode(&bytes, 1, count);
    }

    #[test]
    fn a_changed_byte_is_read_or_refused(place in any::<prop::sample::Index>(), change in 1u8..) {
        let mut bytes = encode(&[played(2)]).expect("legal moves");
        let place = place.index(bytes.len());
        bytes[place] ^= change;
        let _ = decode(&bytes, 2, 1);
    }
}

/// Random games 1 to `count` in a packed file with four games a block.
struct Packed {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Packed {
    fn new(count: u64) -> Packed {
        let folder = tempfile::tempdir().expect("a folder");
        write(&folder.path().join("run"), count, SHARD_MAX);
        let packed = Packed { file: folder.path().join("all.games"), folder };
        packed.pack(&["run"], FILE_MAX).expect("packed");
        packed
    }

    fn open(&self, names: &[&str]) -> Result<Archive, DataError> {
        Archive::open(&names.iter().map(|name| self.folder.path().join(name)).collect::<Vec<_>>())
    }

    fn pack_archive(&self, archive: &Archive, file_max: u64) -> Result<Packing, PackingError> {
        let rules = Rules { overwrite: true, ..Rules::default() };
        pack_blocks(archive, &self.file, &rules, (file_max, 4), &mut |_| ())
    }

    fn pack(&self, names: &[&str], file_max: u64) -> Result<Vec<String>, PackingError> {
        let packed = self.pack_archive(&self.open(names)?, file_max)?;
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(packed.files.iter().map(|file| name(&file.path)).collect())
    }

    fn games(&self, names: &[&str]) -> Result<Vec<GameRecord>, DataError> {
        self.open(names)?.games().collect()
    }
}

fn all(count: u64) -> Vec<GameRecord> {
    (1..=count).map(|number| kept(&game(number))).collect()
}

#[test]
fn files_and_folders_of_packed_games_are_read_like_runs() {
    let packed = Packed::new(10);
    assert_eq!(packed.games(&["all.games"]).expect("games"), all(10));
    assert_eq!(packed.open(&["all.games"]).expect("a file").headers().count(), 1);
    fs::create_dir(packed.folder.path().join("many")).expect("a folder");
    for name in ["b.games", "a.games"] {
        fs::copy(&packed.file, packed.folder.path().join("many").join(name)).expect("copied");
    }
    fs::write(packed.folder.path().join("many/README.md"), "not games").expect("written");
    assert_eq!(packed.games(&["many"]).expect("games"), [all(10), all(10)].concat());
    let batches: Vec<usize> = packed
        .open(&["all.games"])
        .expect("a file")
        .batches()
        .map(|batch| batch.expect("a block").games().expect("whole").len())
        .collect();
    assert_eq!(batches, [4, 4, 2]);
}

/// Games that were packed into the folder of their run were read twice.
#[test]
fn a_folder_with_shards_and_packed_files_is_refused() {
    let packed = Packed::new(3);
    let run = packed.folder.path().join("run");
    fs::copy(&packed.file, run.join("all.games")).expect("copied");
    let refused = packed.games(&["run"]).expect_err("both kinds").to_string();
    assert!(
        refused.contains("run`: it contains shards and packed files") && refused.contains("all.games"),
        "{refused}"
    );
    assert_eq!(Archive::open_run(&run).expect("the shards").games().count(), 3);
}

#[test]
fn a_file_that_would_grow_too_large_is_followed_by_another() {
    let packed = Packed::new(10);
    let size = fs::metadata(&packed.file).expect("a file").len();
    assert_eq!(packed.pack(&["run"], size - 1).expect("packed"), ["all.games", "all-2.games"]);
    assert_eq!(packed.games(&["all.games", "all-2.games"]).expect("games"), all(10));
    assert_eq!(packed.pack(&["run"], 1).expect("packed"), ["all.games", "all-2.games", "all-3.games"]);
    let repacked = packed.pack_archive(&packed.open(&["run"]).expect("a run"), FILE_MAX).expect("packed");
    assert_eq!(repacked.older, Some(packed.file.with_file_name("all-2.games")));
}

#[test]
fn eleven_files_of_a_run_are_read_in_the_order_of_their_numbers() {
    let packed = Packed::new(44);
    assert_eq!(packed.pack(&["run"], 1).expect("packed").len(), 11);
    fs::remove_dir_all(packed.folder.path().join("run")).expect("removed");
    assert_eq!(packed.games(&["."]).expect("games"), all(44));
    let unpacked = unpack(&packed.open(&["."]).expect("files"), &packed.folder.path().join("again"));
    assert_eq!(unpacked.expect("unpacked").games, 44);
}

#[test]
fn only_the_games_of_one_run_are_packed_together() {
    let packed = Packed::new(10);
    write(&packed.folder.path().join("other"), 3, SHARD_MAX);
    let refused = packed.pack(&["run", "other"], FILE_MAX).expect_err("two runs").to_string();
    assert!(refused.contains("other") && refused.contains("one run at a time"), "{refused}");
    assert_eq!(packed.games(&["all.games"]).expect("games"), all(10), "the older file is as it was");
}

#[test]
fn unpacked_games_are_packed_to_the_same_bytes() {
    let packed = Packed::new(10);
    let bytes = fs::read(&packed.file).expect("a file");
    let unpacked = unpack(&packed.open(&["all.games"]).expect("a file"), &packed.folder.path().join("again"));
    assert_eq!(unpacked.expect("unpacked").games, 10);
    assert_eq!(packed.games(&["again"]).expect("games"), all(10));
    packed.pack(&["again"], FILE_MAX).expect("packed");
    assert_eq!(fs::read(&packed.file).expect("a file"), bytes);
    let refused = unpack(&packed.open(&["all.games"]).expect("a file"), &packed.folder.path().join("again"));
    assert!(matches!(refused, Err(DataError::Exists(..))), "{refused:?}");
}

#[test]
fn the_shards_of_a_killed_unpacking_are_not_a_run_and_are_replaced() {
    let packed = Packed::new(10);
    let again = packed.folder.path().join("again");
    let aside = again.join("unpacking.new");
    write(&aside, 3, SHARD_MAX);
    assert!(matches!(packed.games(&["again"]), Err(DataError::Empty(_))));
    unpack(&packed.open(&["all.games"]).expect("a file"), &again).expect("unpacked");
    assert_eq!(packed.games(&["again"]).expect("games"), all(10));
    assert!(!aside.exists());
}

/// Headers above 1 MiB were written, and refused when they were read.
#[test]
fn the_packed_file_of_a_run_with_thousands_of_shards_is_read() {
    const SHARDS: usize = 4000;
    let packed = Packed::new(1);
    let run = packed.folder.path().join("none");
    write(&run, 0, SHARD_MAX);
    let archive = Archive::open(&vec![run.join("games-00001.shard"); SHARDS]).expect("shards");
    packed.pack_archive(&archive, FILE_MAX).expect("packed");
    assert!(fs::metadata(&packed.file).expect("a file").len() > 1 << 20);
    assert_eq!(PackedFile::open(&packed.file).expect("a file").headers().len(), SHARDS);
}

#[test]
fn every_damaged_byte_is_found_and_can_be_skipped() {
    let packed = Packed::new(10);
    let whole = fs::read(&packed.file).expect("a file");
    let blocks: Vec<u64> = {
        let file = PackedFile::open(&packed.file).expect("a file");
        file.blocks().map(|block| block.expect("a block").offset as u64).collect()
    };
    let [_, _, last] = blocks[..] else { panic!("{blocks:?}") };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&packed.file, &bytes).expect("written");
        let refused = packed.games(&["all.games"]).expect_err("damage").to_string();
        assert!(refused.contains("all.games"), "byte {at}: {refused}");
        let Some(block) = blocks.iter().rposition(|offset| *offset <= at as u64) else { continue };
        let place = format!("block {} is damaged at byte {}", block + 1, blocks[block]);
        assert!(refused.contains(&place) && refused.contains("--skip-damaged"), "byte {at}: {refused}");
        let archive = packed.open(&["all.games"]).expect("a header").skipping_damaged(true);
        let mut games = archive.games();
        let found: Vec<u64> = games.by_ref().map(|game| game.expect("a game").number).collect();
        let rest: Vec<u64> = (1..=10).filter(|number| (number - 1) / 4 != block as u64).collect();
        assert_eq!(found, rest, "byte {at}");
        assert!(games.skipped().len() == 1 && games.skipped()[0].contains(&place), "{:?}", games.skipped());
        assert!(!games.skipped()[0].contains("--skip-damaged"), "no remedy that is in force: {:?}", games.skipped());
    }
    for length in 0..whole.len() {
        fs::write(&packed.file, &whole[..length]).expect("written");
        let read = packed.games(&["all.games"]);
        let is_whole_part = blocks.contains(&(length as u64));
        assert_eq!(read.is_ok(), is_whole_part && length as u64 <= last, "{length} bytes: {read:?}");
    }
}

/// The rest of a damaged shard is skipped; the numbers of the next one continue in a separate block.
#[test]
fn games_around_skipped_damage_are_packed() {
    let packed = Packed::new(1);
    let run = packed.folder.path().join("many");
    write(&run, 40, 1500);
    let second = run.join("games-00002.shard");
    let mut bytes = fs::read(&second).expect("a shard");
    let at = bytes.len() - 1;
    bytes[at] ^= 1;
    fs::write(&second, bytes).expect("written");
    assert!(packed.pack(&["many"], FILE_MAX).is_err());
    let archive = packed.open(&["many"]).expect("a run").skipping_damaged(true);
    let done = packed.pack_archive(&archive, FILE_MAX).expect("packed");
    assert_eq!(done.skipped.len(), 1);
    let numbers: Vec<u64> = packed.games(&["all.games"]).expect("games").iter().map(|game| game.number).collect();
    let expected: Vec<u64> = archive.games().map(|game| game.expect("a game").number).collect();
    assert!(numbers == expected && numbers.len() == 39, "{numbers:?}");
}

/// Shards have no gaps. The shards up to the gap would look like a whole run.
#[test]
fn packed_games_with_a_gap_are_not_unpacked_and_leave_no_shard() {
    let packed = Packed::new(10);
    let mut bytes = fs::read(&packed.file).expect("a file");
    let file = PackedFile::open(&packed.file).expect("a file");
    let middle = file.blocks().nth(1).expect("a block").expect("whole").offset;
    bytes[middle + 30] ^= 1;
    fs::write(&packed.file, bytes).expect("written");
    let archive = packed.open(&["all.games"]).expect("a file").skipping_damaged(true);
    let again = packed.folder.path().join("again");
    let message = unpack(&archive, &again).expect_err("a gap").to_string();
    assert!(message.contains("cannot unpack") && message.contains("games 5 to 8"), "{message}");
    assert!(matches!(Archive::open(&[again]), Err(DataError::Empty(_))));
}

/// Games after the damage of a shard are skipped, too: their numbers would be wrong.
#[test]
fn a_damaged_shard_is_read_up_to_the_damage() {
    let packed = Packed::new(10);
    let shard = packed.folder.path().join("run/games-00001.shard");
    let mut bytes = fs::read(&shard).expect("a shard");
    let near_the_end = bytes.len() - 10;
    bytes[near_the_end] ^= 1;
    fs::write(&shard, bytes).expect("written");
    let archive = packed.open(&["run"]).expect("a run").skipping_damaged(true);
    let mut games = archive.games();
    assert_eq!(
        games.by_ref().map(|game| game.expect("a game").number).collect::<Vec<_>>(),
        (1..=9).collect::<Vec<_>>()
    );
    assert_eq!(games.skipped().len(), 1);
}

#[test]
fn other_files_are_refused_by_name() {
    let packed = Packed::new(1);
    for (bytes, part) in [
        (&b"PK\x03\x04 something else"[..], "not a file of games"),
        (b"", "nothing"),
        (b"\x89QPPACK\n\x02\0\0\0\0\0\0\0", "format 2"),
        (b"\x89QPPACK\n\x01\0\0\0\xff\0\0\0", "header is damaged"),
        (b"\x89QPPACK\n\x01", "header is damaged"),
    ] {
        fs::write(&packed.file, bytes).expect("written");
        let refused = packed.games(&["all.games"]).expect_err(part).to_string();
        assert!(refused.contains("all.games") && refused.contains(part), "{refused}");
    }
}
