//! Positions and games for tests.

use crate::train::packed::Packed;
use quarterply_datagen::folder::{ShardPlan, Writer};
use quarterply_datagen::opening::{random_opening, stream};
use quarterply_datagen::read::Archive;
use quarterply_datagen::record::{Ending, GameOutcome, GameRecord, StoredMove};
use quarterply_datagen::replay::GamePosition;
use quarterply_datagen::sample::record;
use quarterply_datagen::settings::{DataOrigin, DatagenGoal, DatagenSettings, SamplingSettings};
use quarterply_datagen::shard::ShardHeader;
use quarterply_datagen::viriformat::encode_move;
use quarterply_engine::eval::Params;
use quarterply_engine::evaluator::Evaluator;
use quarterply_engine::position::Game;
use rand::RngExt;
use shakmaty::CastlingMode;
use std::path::Path;

/// Positions of random play with random values and results, always the same.
pub fn positions(count: usize) -> Vec<Packed> {
    let start = Game::new();
    let random = |number| {
        let mut rng = stream(3, number);
        let game = random_opening(&mut rng, &start, 0..=120)?;
        Some(Packed::new(game.position(), rng.random_range(-900..=900), rng.random_range(0..=2)))
    };
    (0..).filter_map(random).take(count).collect()
}

/// Plies of a game of random moves.
const PLIES: usize = 90;
/// A game is won by the side with this advantage at its end (pawns/100).
const WON: i32 = 250;
const LOST: i32 = -WON;

/// Games of random moves whose scores are the classical evaluation's: made in a moment, and with as much to learn as any.
pub fn play(folder: &Path, games: u64) {
    let origin = DataOrigin { program: "quarterply test".into(), bench: 1, bench_depth: 1, evaluation: "none".into() };
    let plan = ShardPlan {
        origin,
        settings: DatagenSettings::default(),
        goal: DatagenGoal { games: Some(games), ..DatagenGoal::default() },
    };
    let mut writer = Writer::create(folder, &plan, 1 << 24).expect("a new run");
    for number in 1..=games {
        writer.append(&game(number)).expect("written");
    }
}

/// Writes the games of `source` to another folder, each of them changed.
pub fn rewrite(source: &Path, folder: &Path, change: impl Fn(&mut GameRecord)) {
    let archive = Archive::open(&[source]).expect("games");
    let header = archive.headers().next().expect("a shard").clone();
    let mut writer = Writer::begin(folder, header, 1 << 24).expect("a new run");
    for game in archive.games() {
        let mut game = game.expect("a game");
        change(&mut game);
        writer.append(&game).expect("written");
    }
}

/// Slots for each game in [`sampled_positions`].
pub const EACH: u64 = 5;

/// Positions of the games of `source` as if searches had visited them: those before the moves from the fortieth on.
pub fn sampled_positions(source: &Path, folder: &Path) -> Vec<GameRecord> {
    let archive = Archive::open(&[source]).expect("games");
    let header = archive.headers().next().expect("a shard");
    let sampling =
        SamplingSettings { search: 1, each: EACH, per_search: SamplingSettings::PER_SEARCH, tree: None, seed: 1 };
    let settings = DatagenSettings { sampling: Some(sampling), ..header.settings.clone() };
    let header = ShardHeader { settings, ..header.clone() };
    let mut writer = Writer::begin(folder, header, 1 << 24).expect("a new run");
    let mut written = Vec::new();
    for game in archive.games() {
        let game = game.expect("a game");
        let views: Vec<GamePosition> = game.replay().map(|view| view.expect("legal")).collect();
        for slot in 0..EACH as usize {
            let there = 40 + slot;
            let chess = views.get(there).map(|view| view.position.chess().clone());
            let found = chess.map(|chess| (Game::from_chess(chess, game.mode), game.steps[there]));
            let record = record(writer.next_number(), &game, found);
            writer.append(&record).expect("written");
            written.push(record);
        }
    }
    written
}

fn game(number: u64) -> GameRecord {
    let mut rng = stream(9, number);
    let mut game =
        (0..100).find_map(|_| random_opening(&mut rng, &Game::new(), 8..=9)).expect("a game that is not over");
    let mut evaluator = Evaluator::new(&Params::DEFAULT);
    let (start, mut steps, mut score) = (game.position().chess().clone(), Vec::new(), 0);
    while steps.len() < PLIES {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        let value = evaluator.evaluate(game.position());
        score = if game.position().turn().is_white() { value.0 } else { -value.0 };
        let mv = moves[rng.random_range(0..moves.len())];
        steps.push(StoredMove { raw: encode_move(mv), score: score as i16 });
        game.play(mv);
    }
    let outcome = match score {
        WON.. => GameOutcome::White,
        ..=LOST => GameOutcome::Black,
        _ => GameOutcome::Draw,
    };
    GameRecord { number, start, mode: CastlingMode::Standard, outcome, ending: Ending::Unknown, random_until: 0, steps }
}
