use super::*;
use crate::read::Archive;
use crate::testing::{contents, game, origin, plan, write};

/// Small enough for several games, and several shards.
const SHARD_MAX: u64 = 1500;
const GAMES: u64 = 40;
/// Bytes between two places where a file is cut.
const STEP: usize = 11;

fn numbers(folder: &Path) -> Vec<u64> {
    let archive = Archive::open(&[folder]).expect("a run");
    archive.games().map(|game| game.expect("a good game").number).collect()
}

fn resume(folder: &Path, accept: bool, origin: &DataOrigin) -> Result<(Writer, Option<String>, Vec<u64>), DataError> {
    let mut seen = Vec::new();
    let (writer, dropped) = Writer::resume(folder, origin, accept, SHARD_MAX, &mut |game, _| {
        seen.push(game.number);
        Ok(())
    })?;
    Ok((writer, dropped, seen))
}

#[test]
fn shards_rotate_and_are_read_in_order() {
    let written = |shard_max| {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), GAMES, shard_max);
        assert_eq!(numbers(folder.path()), (1..=GAMES).collect::<Vec<_>>());
        contents(folder.path())
    };
    let shards = written(SHARD_MAX);
    assert!(shards.len() > 4, "{}", shards.len());
    assert!(shards.iter().all(|bytes| bytes.len() as u64 <= SHARD_MAX));
    assert_eq!(written(1).len() as u64, GAMES, "a shard holds at least one game");
}

#[test]
fn a_game_out_of_order_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path(), &plan(3), SHARD_MAX).expect("a new run");
    for (number, next) in [(2, 1), (1, 1), (1, 2), (3, 2)] {
        let written = writer.append(&game(number));
        assert_eq!(written.is_ok(), number == next, "game {number}");
        let message = written.err().map_or_else(String::new, |error| error.to_string());
        assert!(number == next || message.contains(&format!("game {next} must come next")), "{message}");
    }
    assert_eq!(numbers(folder.path()), [1]);
}

#[test]
fn a_run_cut_anywhere_goes_on_to_the_same_files() {
    let whole = tempfile::tempdir().expect("a folder");
    write(whole.path(), GAMES, SHARD_MAX);
    let shards = contents(whole.path());
    let names = shards_of(whole.path()).expect("a folder");
    let header = ShardReader::open(&names[2]).expect("a shard").offset as usize;
    for length in (header..=shards[2].len()).step_by(STEP).chain([shards[2].len()]) {
        let cut = tempfile::tempdir().expect("a folder");
        for (name, bytes) in names.iter().zip(&shards).take(3) {
            fs::write(cut.path().join(name.file_name().expect("a name")), bytes).expect("written");
        }
        let last = cut.path().join(names[2].file_name().expect("a name"));
        OpenOptions::new().write(true).open(&last).expect("a shard").set_len(length as u64).expect("cut");
        let (mut writer, dropped, seen) = resume(cut.path(), false, &origin()).expect("resumed");
        assert_eq!(seen.len() as u64 + 1, writer.next_number());
        for number in writer.next_number()..=GAMES {
            writer.append(&game(number)).expect("written");
        }
        assert!(contents(cut.path()) == shards, "cut at {length}");
        let named = dropped.is_none_or(|text| text.contains(&last.display().to_string()) && text.contains("offset"));
        assert!(named);
    }
}

#[test]
fn a_run_killed_before_its_first_game_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Writer::create(folder.path(), &plan(3), SHARD_MAX).expect("a new run"));
    let (mut writer, dropped, seen) = resume(folder.path(), false, &origin()).expect("resumed");
    assert_eq!((writer.next_number(), dropped, seen.len()), (1, None, 0));
    writer.append(&game(1)).expect("written");
    assert_eq!(numbers(folder.path()), [1]);
}

#[test]
fn a_folder_is_neither_overwritten_nor_shared() {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = Writer::create(folder.path(), &plan(3), SHARD_MAX).expect("a new run");
    let message = Writer::create(folder.path(), &plan(3), SHARD_MAX).err().expect("in use").to_string();
    assert!(message.contains("another process is writing"), "{message}");
    let message = resume(folder.path(), false, &origin()).err().expect("in use").to_string();
    assert!(message.contains("another process is writing"), "{message}");
    drop(writer);
    let message = Writer::create(folder.path(), &plan(3), SHARD_MAX).err().expect("used").to_string();
    assert!(message.contains("datagen resume"), "{message}");
    let empty = tempfile::tempdir().expect("a folder");
    let message = resume(empty.path(), false, &origin()).err().expect("empty").to_string();
    assert!(message.contains("contains no shards"), "{message}");
}

/// A resumed run waits for a process that is about to end; that process may begin another shard meanwhile.
#[test]
fn games_follow_the_last_shard_of_a_process_that_just_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = Writer::create(folder.path(), &plan(3), 1).expect("a new run");
    first.append(&game(1)).expect("written");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            loop {
                // On a slow machine the first process may outlast the timeout of a resumed one.
                match resume(folder.path(), false, &origin()) {
                    Err(DataError::Busy(_)) => {}
                    resumed => break resumed,
                }
            }
        });
        std::thread::sleep(std::time::Duration::from_millis(100));
        first.append(&game(2)).expect("written");
        drop(first);
        let (mut writer, ..) = waiting.join().expect("no panic").expect("resumed");
        writer.append(&game(3)).expect("written");
    });
    assert_eq!(numbers(folder.path()), [1, 2, 3]);
}

#[test]
fn another_program_is_refused_with_the_field_or_begins_a_shard() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), 3, u64::MAX);
    for (other, field) in [
        (
            DataOrigin { program: "quarterply 9".into(), ..origin() },
            "`program` was \"quarterply test\" and is \"quarterply 9\"",
        ),
        (DataOrigin { bench: 2, ..origin() }, "`bench` was 1 and is 2"),
        (DataOrigin { evaluation: "net".into(), ..origin() }, "`evaluation` was \"none\" and is \"net\""),
    ] {
        let message = resume(folder.path(), false, &other).err().expect("another program").to_string();
        assert!(message.contains(field) && message.contains("games-00001.shard"), "{message}");
    }
    let other = DataOrigin { bench: 2, ..origin() };
    let (mut writer, ..) = resume(folder.path(), true, &other).expect("accepted");
    writer.append(&game(4)).expect("written");
    drop(writer);
    assert_eq!(numbers(folder.path()), [1, 2, 3, 4]);
    let archive = Archive::open(&[folder.path()]).expect("a run");
    let benches: Vec<u64> = archive.headers().map(|header| header.origin.bench).collect();
    assert_eq!(benches, [1, 2]);
    // The first program is now the other one.
    assert!(resume(folder.path(), false, &origin()).is_err());
}

#[test]
fn missing_and_cut_shards_in_the_middle_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), GAMES, SHARD_MAX);
    let names = shards_of(folder.path()).expect("a folder");
    let read = || -> Result<Vec<_>, _> { Archive::open(&[folder.path()]).expect("a run").games().collect() };
    let second = fs::read(&names[1]).expect("a shard");
    fs::write(&names[1], &second[..second.len() - 1]).expect("written");
    let message = read().expect_err("cut").to_string();
    assert!(message.contains("games-00002.shard`: block") && message.contains("not the last of its run"), "{message}");
    fs::remove_file(&names[1]).expect("removed");
    let message = read().expect_err("missing").to_string();
    assert!(message.contains("games-00003.shard`: it begins with game"), "{message}");
}
