use super::*;
use crate::folder::shards_of;
use crate::read::{Archive, TruncatedBlock};
use crate::testing::{game, write};
use std::fs;

const GAMES: u64 = 3;

/// A shard of a few games, and where its blocks begin.
fn sample(folder: &Path) -> (PathBuf, Vec<u8>, Vec<u64>) {
    write(folder, GAMES, u64::MAX);
    let path = shards_of(folder).expect("a folder").remove(0);
    let mut reader = ShardReader::open(&path).expect("our own file");
    let mut starts = vec![reader.offset];
    while reader.next_block(&mut Vec::new()).expect("our own file").is_some() {
        starts.push(reader.offset);
    }
    assert_eq!((reader.blocks, reader.tail), (GAMES, 0));
    let bytes = fs::read(&path).expect("our own file");
    (path, bytes, starts)
}

/// All games of a file or the error, and its truncated blocks.
fn read(path: &Path) -> (Result<Vec<GameRecord>, String>, Vec<TruncatedBlock>) {
    let archive = match Archive::open(&[path]) {
        Ok(archive) => archive,
        Err(error) => return (Err(error.to_string()), Vec::new()),
    };
    let mut games = archive.games();
    let all: Result<Vec<_>, _> = games.by_ref().collect();
    (all.map_err(|error| error.to_string()), games.tails().to_vec())
}

#[test]
fn every_damaged_byte_is_found_and_its_place_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, bytes, starts) = sample(folder.path());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        fs::write(&path, &damaged).expect("written");
        let message = read(&path).0.expect_err("a damaged file");
        assert!(message.contains(&path.display().to_string()), "{at}: {message}");
        let block = starts.iter().filter(|start| **start <= at as u64).count();
        let expected = match (at, block) {
            (..8, _) => "not a file of games of `datagen`".to_owned(),
            (8..12, _) => "(byte 8)".to_owned(),
            (_, 0) => "the header is damaged".to_owned(),
            (_, block) => format!("block {block} (game {block}) is damaged at byte {}", starts[block - 1]),
        };
        assert!(message.contains(&expected), "byte {at}: {message}");
    }
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, bytes, starts) = sample(folder.path());
    for length in starts[0] as usize..=bytes.len() {
        fs::write(&path, &bytes[..length]).expect("written");
        let (games, tails) = read(&path);
        let whole = starts.iter().filter(|start| **start <= length as u64).count() - 1;
        assert_eq!(games, Ok((1..=whole as u64).map(game).collect()), "{length}");
        let left = length as u64 - starts[whole];
        let tail = TruncatedBlock { path: path.clone(), offset: starts[whole], bytes: left };
        assert_eq!(tails, if left > 0 { vec![tail] } else { Vec::new() }, "{length}");
    }
    for length in 0..starts[0] as usize {
        fs::write(&path, &bytes[..length]).expect("written");
        let message = read(&path).0.expect_err("no header");
        let expected = if length < 8 { "it begins with" } else { "the file ends here" };
        assert!(message.contains(expected), "{length}: {message}");
    }
}

#[test]
fn zeros_at_the_end_are_a_tail_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut bytes, starts) = sample(folder.path());
    let end = bytes.len() as u64;
    bytes.resize(bytes.len() + 500_000, 0);
    fs::write(&path, &bytes).expect("written");
    let (games, tails) = read(&path);
    assert_eq!(games.map(|games| games.len()), Ok(GAMES as usize));
    assert_eq!(tails, [TruncatedBlock { path: path.clone(), offset: end, bytes: 500_000 }]);
    *bytes.last_mut().expect("bytes") = 1;
    fs::write(&path, &bytes).expect("written");
    let message = read(&path).0.expect_err("damage");
    assert!(
        message.contains(&format!("block 4 (game 4) is damaged at byte {end}")) && starts.contains(&end),
        "{message}"
    );
}

#[test]
fn foreign_and_newer_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, mut bytes, _) = sample(folder.path());
    bytes[8] = 3;
    fs::write(&path, &bytes).expect("written");
    let message = read(&path).0.expect_err("newer");
    assert!(message.contains("its format 3 (byte 8) is newer than 2"), "{message}");
    for (content, found) in [("", "nothing"), ("[Event \"?\"]\n", "`[Event \\\"`"), ("\u{89}QPGAME\n", "QPGAM")] {
        fs::write(&path, content).expect("written");
        let message = read(&path).0.expect_err("foreign");
        assert!(message.contains("not a file of games of `datagen`") && message.contains(found), "{message}");
    }
}

#[test]
fn headers_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, ..) = sample(folder.path());
    let plan = crate::testing::plan(GAMES);
    let header = ShardHeader { shard: 1, first: 1, origin: plan.origin, settings: plan.settings, goal: plan.goal };
    assert_eq!(ShardReader::open(&path).expect("our own file").header, header);
}
