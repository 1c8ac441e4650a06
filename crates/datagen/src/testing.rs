//! Games and runs for tests.

use crate::folder::{ShardPlan, Writer, shards_of};
use crate::opening::{random_opening, stream};
use crate::play::Player;
use crate::record::{Ending, GameOutcome, GameRecord, StoredMove};
use crate::replay::GamePosition;
use crate::settings::{DataOrigin, DatagenGoal, DatagenSettings, SamplingSettings};
use crate::viriformat::encode_move;
use quarterply_engine::position::Game;
use rand::RngExt;
use shakmaty::Chess;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// A game of random moves with random scores; most of them short.
pub fn game(number: u64) -> GameRecord {
    let mut rng = stream(77, number);
    let start = Game::new();
    let line = (0..100).find_map(|_| random_opening(&mut rng, &start, 0..=40)).expect("a game that is not over");
    let mut step = |mv: &shakmaty::Move| StoredMove { raw: encode_move(*mv), score: rng.random() };
    let steps = line.moves().iter().map(&mut step).collect();
    GameRecord {
        number,
        start: start.position().chess().clone(),
        mode: start.castling_mode(),
        outcome: GameOutcome::ALL[number as usize % GameOutcome::ALL.len()],
        ending: Ending::ALL[number as usize % Ending::ALL.len()],
        random_until: 0,
        steps,
    }
}

/// The engine that made the games.
pub fn origin() -> DataOrigin {
    DataOrigin { program: "quarterply test".into(), bench: 1, bench_depth: 1, evaluation: "none".into() }
}

/// A plan with few nodes, for quick games.
pub fn plan(games: u64) -> ShardPlan {
    let settings = DatagenSettings { soft_nodes: 60, nodes: 200, hash: 1, seed: 5, ..DatagenSettings::default() };
    ShardPlan { origin: origin(), settings, goal: DatagenGoal { games: Some(games), ..DatagenGoal::default() } }
}

/// Writes the first `count` random games into a folder.
pub fn write(folder: &Path, count: u64, shard_max: u64) {
    let mut writer = Writer::create(folder, &plan(count), shard_max).expect("a new run");
    for number in 1..=count {
        writer.append(&game(number)).expect("written");
    }
}

/// A game that the program played.
pub fn played(number: u64) -> GameRecord {
    Player::new(&plan(1).settings, None).expect("a small table").play(number).expect("a game")
}

/// All positions of a game.
pub fn views(game: &GameRecord) -> Vec<GamePosition> {
    game.replay().collect::<Result<_, _>>().expect("legal moves")
}

/// A game that the program played, with its positions.
pub fn played_positions() -> (GameRecord, Vec<Chess>) {
    let game = played(1);
    let positions = views(&game).iter().map(|view| view.position.chess().clone()).collect();
    (game, positions)
}

/// The contents of the shards of a folder.
pub fn contents(folder: &Path) -> Vec<Vec<u8>> {
    shards_of(folder).expect("a folder").iter().map(|path| fs::read(path).expect("a shard")).collect()
}

/// The positions that are sampled from searches of game 2, and the number of them that do not occur in it. Checks their records: numbers,
/// endings and bytes.
pub fn sampled_positions(settings: &DatagenSettings) -> (Vec<GamePosition>, usize) {
    let game = played(2);
    let records = Player::new(settings, None).expect("a small table").sample_positions(&game).expect("legal moves");
    let each = settings.sampling.expect("a number of slots").each;
    let numbers: Vec<u64> = records.iter().map(|record| record.number).collect();
    assert_eq!(numbers, (each + 1..=2 * each).collect::<Vec<_>>(), "the slots of the second game");
    for record in &records {
        assert!(record.steps.len() <= 1 && record.ending == Ending::Sampled);
        assert_eq!(GameRecord::decode(record.number, &record.encode()).as_ref(), Ok(record));
    }
    let in_game: HashSet<u64> = views(&game).iter().map(|view| view.position.key()).collect();
    let full: Vec<GamePosition> = records.iter().flat_map(views).collect();
    let below = full.iter().filter(|view| !in_game.contains(&view.position.key())).count();
    (full, below)
}

/// Samples by these settings do not depend on the order of the games, and change with the seed.
pub fn draws_depend_on_seed_and_game_only(settings: &DatagenSettings) {
    let player = |settings: &DatagenSettings| Player::new(settings, None).expect("a small table");
    let mut one = player(settings);
    let all: Vec<Vec<GameRecord>> =
        (1..=3).map(|number| one.sample_positions(&played(number)).expect("legal moves")).collect();
    let mut other = player(settings);
    for number in [3, 1, 2] {
        assert_eq!(other.sample_positions(&played(number)).expect("legal moves"), all[number as usize - 1]);
    }
    let sampling = settings.sampling.map(|sampling| SamplingSettings { seed: sampling.seed + 1, ..sampling });
    let reseeded =
        player(&DatagenSettings { sampling, ..settings.clone() }).sample_positions(&played(1)).expect("legal moves");
    assert_ne!(reseeded, all[0]);
}
