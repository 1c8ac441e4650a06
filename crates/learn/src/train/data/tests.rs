use super::*;
use crate::train::comparison::{ValidationSet, compare};
use crate::train::kernel::Labels;
use crate::train::testing::{EACH, play, rewrite, sampled_positions};
use quarterply_datagen::packed::file::{FILE_MAX, pack};
use quarterply_datagen::packed::scores;
use quarterply_datagen::packed::unpack::unpack;
use quarterply_datagen::record::NO_SCORE;
use quarterply_engine::network::EvalFile;
use quarterply_files::draft::Rules;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const GAMES: u64 = 12;
const SELECTION: PositionSelection =
    PositionSelection { filter: Filter::ALL, held_out: 0.4, seed: 2, classical: false, skip_damaged: false };

#[test]
fn sampled_positions_have_no_result_and_are_held_out_with_their_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let [games, drawn] = ["games", "drawn"].map(|name| folder.path().join(name));
    play(&games, GAMES);
    let records = sampled_positions(&games, &drawn);
    let data = load(&[&drawn], &SELECTION, &mut |_| true).expect("positions of both kinds");
    assert!(data.train.iter().chain(&data.held_out).all(|position| position.points().is_none()));
    let of_held_out: usize = records
        .iter()
        .filter(|record| is_held_out(&SELECTION, (record.number - 1) / EACH + 1))
        .map(|record| record.steps.len())
        .sum();
    assert_eq!(data.held_out.len(), of_held_out, "{} to learn from", data.train.len());
    let read = &data.sources[0];
    assert_eq!((read.games, read.sampled, read.played()), (GAMES * EACH, GAMES * EACH, 0));
    // A network is compared on the same games.
    let network = EvalFile::open("<default>").expect("is built in").network().expect("a network");
    let validation = ValidationSet {
        sources: data.sources.clone(),
        selection: SELECTION,
        held_out_only: true,
        goal: Labels { result: 0.0, result_endings: 0.0, scale: 400.0, unit: 1.0, classical: 0.0 },
        positions_max: usize::MAX,
    };
    let comparison = compare(&network, &validation, &mut |_| ()).expect("a comparison");
    let split_off = (1..=GAMES).filter(|game| is_held_out(&SELECTION, *game)).count();
    assert_eq!((comparison.positions, comparison.games), (of_held_out, split_off as u64));
    let both = load(&[&games, &drawn], &SELECTION, &mut |_| true).expect("positions");
    assert_eq!(both.duplicates as usize, data.train.len() + data.held_out.len(), "each was in its game");
    assert!(both.train.iter().all(|position| position.points().is_some()));
    assert_eq!(both.sources.iter().map(DataSource::played).sum::<u64>(), GAMES);
}

/// `train verify --positions 2000` replayed 32 768 games of a packed file.
#[test]
fn few_games_are_found_without_reading_many() {
    const PLAYED: u64 = 300;
    let folder = tempfile::tempdir().expect("a folder");
    play(folder.path(), PLAYED);
    let replayed = AtomicU64::new(0);
    let count = |_: &mut Teacher, _: &GameRecord, _| Ok(replayed.fetch_add(1, Relaxed));
    let mut taken = 0;
    let source = DataSource::all(folder.path());
    each_game(&source, false, count, &mut |games| {
        taken += games.len();
        Ok(false)
    })
    .expect("games");
    assert!(taken > 0 && replayed.into_inner() < PLAYED / 2, "{taken}");
    let mut all = 0;
    each_game(&source, false, |_, _, _| Ok(()), &mut |games| {
        all += games.len() as u64;
        Ok(true)
    })
    .expect("games");
    assert_eq!(all, PLAYED);
}

/// Learning from packed games is learning from the same games with scores rounded to the grid, whichever way they are read.
#[test]
fn packed_games_give_the_positions_of_the_rounded_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let [run, rounded, unpacked] = ["run", "rounded", "unpacked"].map(|name| folder.path().join(name));
    let packed = folder.path().join("run.games");
    play(&run, GAMES);
    let archive = Archive::open(&[&run]).expect("games");
    pack(&archive, &packed, &Rules::default(), FILE_MAX, &mut |_| ()).expect("packed");
    unpack(&Archive::open(&[&packed]).expect("games"), &unpacked).expect("unpacked");
    rewrite(&run, &rounded, |game| {
        game.steps.iter_mut().for_each(|step| step.score = scores::rounded(step.score).unwrap_or(NO_SCORE));
    });
    let selection = PositionSelection { filter: Filter::DEFAULT, classical: true, ..SELECTION };
    let read = |path: &Path| load(&[path], &selection, &mut |_| true).expect("positions");
    let expected = read(&rounded);
    assert_ne!(expected.fingerprint, read(&run).fingerprint, "rounding changes something");
    for path in [&packed, &unpacked] {
        let found = read(path);
        assert_eq!(found.train, expected.train);
        assert_eq!(found.held_out, expected.held_out);
        assert_eq!(found.fingerprint, expected.fingerprint);
    }
}

/// Damage is skipped only on request, with a message.
#[test]
fn damage_is_refused_or_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, damaged] = ["a.games", "b.games"].map(|name| folder.path().join(name));
    play(&folder.path().join("run"), GAMES);
    let archive = Archive::open(&[folder.path().join("run")]).expect("games");
    pack(&archive, &whole, &Rules::default(), FILE_MAX, &mut |_| ()).expect("packed");
    let mut bytes = std::fs::read(&whole).expect("a file");
    *bytes.last_mut().expect("bytes") ^= 1;
    std::fs::write(&damaged, bytes).expect("written");
    let read = |skip_damaged| {
        let selection = PositionSelection { filter: Filter::DEFAULT, skip_damaged, ..SELECTION };
        load(&[&damaged, &whole], &selection, &mut |_| true)
    };
    let refused = read(false).expect_err("damage").to_string();
    assert!(refused.contains("b.games`: block 1 is damaged at byte"), "{refused}");
    let data = read(true).expect("the other file");
    assert_eq!((data.skipped.len(), data.sources[0].games, data.sources[1].games), (1, 0, GAMES));
}

/// A random move may have decided the game, so the result is not a label of earlier positions.
#[test]
fn positions_before_a_random_move_have_no_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let [games, strayed] = ["games", "strayed"].map(|name| folder.path().join(name));
    play(&games, GAMES);
    rewrite(&games, &strayed, |game| game.random_until = 30);
    let read = |path: &Path| load(&[path], &SELECTION, &mut |_| true).expect("positions");
    let (plain, strayed) = (read(&games), read(&strayed));
    let without = |data: &TrainingData| data.train.iter().filter(|position| position.points().is_none()).count();
    let learned = (1..=GAMES).filter(|game| !is_held_out(&SELECTION, *game)).count();
    assert_eq!((without(&plain), plain.train.len()), (0, strayed.train.len()));
    assert!(without(&strayed) <= 30 * learned && without(&strayed) > 29 * learned, "{}", without(&strayed));
}
