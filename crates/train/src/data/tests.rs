use super::*;
use crate::judge::{Court, judge};
use crate::kernel::Goal;
use crate::testing::play;
use quarterply_datagen::folder::{Plan, Writer};
use quarterply_datagen::record::{Ending, Outcome};
use quarterply_datagen::settings::{Settings, Visited};
use quarterply_engine::network::EvalFile;

/// Places for each game.
const EACH: u64 = 5;
const GAMES: u64 = 12;
const SELECTION: Selection = Selection { filter: Filter::ALL, held_out: 0.4, seed: 2, classical: false };

/// Positions of the games of `source` as if searches had visited them: those before the moves from the fortieth on.
fn visited(source: &Path, folder: &Path) -> Vec<GameRecord> {
    let archive = Archive::open(&[source]).expect("games");
    let header = &archive.shards()[0].header;
    let visited = Visited { search: 1, each: EACH, per_search: Visited::PER_SEARCH, tree: None, seed: 1 };
    let settings = Settings { visited: Some(visited), ..header.settings.clone() };
    let plan = Plan { origin: header.origin.clone(), settings, goal: header.goal };
    let mut writer = Writer::create(folder, &plan, 1 << 24).expect("a new run");
    let mut written = Vec::new();
    for game in archive.games() {
        let game = game.expect("a game");
        let views: Vec<View> = game.replay().map(|view| view.expect("legal")).collect();
        for place in 0..EACH as usize {
            let there = 40 + place;
            let (start, steps) = match views.get(there) {
                Some(view) => (view.position.chess().clone(), vec![game.steps[there]]),
                None => (game.start.clone(), Vec::new()),
            };
            let (number, mode) = (writer.next_number(), game.mode);
            let record = GameRecord { number, start, mode, outcome: Outcome::Draw, ending: Ending::Visited, steps };
            writer.append(&record).expect("written");
            written.push(record);
        }
    }
    written
}

#[test]
fn visited_positions_have_no_result_and_are_held_out_with_their_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let [games, drawn] = ["games", "drawn"].map(|name| folder.path().join(name));
    play(&games, GAMES);
    let records = visited(&games, &drawn);
    let data = load(&[&drawn], &SELECTION, &mut |_| true).expect("positions of both kinds");
    assert!(data.train.iter().chain(&data.held_out).all(|position| position.points().is_none()));
    let of_held_out: usize = records
        .iter()
        .filter(|record| is_held_out(&SELECTION, (record.number - 1) / EACH + 1))
        .map(|record| record.steps.len())
        .sum();
    assert_eq!(data.held_out.len(), of_held_out, "{} to learn from", data.train.len());
    let read = &data.sources[0];
    assert_eq!((read.games, read.visited, read.played()), (GAMES * EACH, GAMES * EACH, 0));
    // A network is judged by the same.
    let network = EvalFile::open("<default>").expect("is built in").network().expect("a network");
    let court = Court {
        sources: data.sources.clone(),
        selection: SELECTION,
        held_out_only: true,
        goal: Goal { result: 0.0, result_endings: 0.0, scale: 400.0, unit: 1.0, classical: 0.0 },
        positions_max: usize::MAX,
    };
    let judgement = judge(&network, &court, &mut |_| true).expect("a judgement");
    let split_off = (1..=GAMES).filter(|game| is_held_out(&SELECTION, *game)).count();
    assert_eq!((judgement.positions, judgement.games), (of_held_out, split_off as u64));
    let both = load(&[&games, &drawn], &SELECTION, &mut |_| true).expect("positions");
    assert_eq!(both.duplicates as usize, data.train.len() + data.held_out.len(), "each was in its game");
    assert!(both.train.iter().all(|position| position.points().is_some()));
    assert_eq!(both.sources.iter().map(Source::played).sum::<u64>(), GAMES);
}
