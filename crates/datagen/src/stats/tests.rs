use super::*;
use crate::folder::{SHARD_MAX, Writer};
use crate::record::GameOutcome;
use crate::testing::{game, plan, played, write};

fn collect(folder: &std::path::Path, filter: Filter) -> Stats {
    Stats::collect(&Archive::open(&[folder]).expect("a run"), filter).expect("good games")
}

#[test]
fn counts_are_those_of_the_games() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), 50, SHARD_MAX);
    let stats = collect(folder.path(), Filter::ALL);
    let games: Vec<GameRecord> = (1..=50).map(game).collect();
    let moves: u64 = games.iter().map(|game| game.steps.len() as u64).sum();
    let finished: Vec<&GameRecord> = games.iter().filter(|game| !game.is_sampled()).collect();
    let count = finished.len() as u64;
    assert_eq!((stats.totals.games, stats.totals.moves, stats.totals.kept), (count, moves, moves));
    for counts in [&stats.scores, &stats.phases] {
        assert_eq!(counts.iter().sum::<u64>(), moves);
    }
    assert_eq!((stats.lengths.iter().sum::<u64>(), stats.endings.values().sum::<u64>()), (count, count));
    let long = finished.iter().filter(|game| game.steps.len() > 8).count() as u64;
    assert_eq!(stats.openings[0].all, long);
    assert!(stats.openings[0].different <= long && stats.positions.all == moves);
    assert!(collect(folder.path(), Filter::DEFAULT).totals.kept < moves);
}

/// A slot of sampled data is stored as a drawn game of one move at most.
#[test]
fn slots_are_counted_apart_from_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path(), &plan(4), SHARD_MAX).expect("a new run");
    for (number, steps) in [(1, 1), (2, 0), (3, 1)] {
        let steps = played(1).steps[..steps].to_vec();
        let slot = GameRecord { number, outcome: GameOutcome::Draw, ending: Ending::Sampled, steps, ..played(1) };
        writer.append(&slot).expect("written");
    }
    writer.append(&GameRecord { number: 4, outcome: GameOutcome::White, ..played(1) }).expect("written");
    let stats = collect(folder.path(), Filter::ALL);
    assert_eq!((stats.slots, stats.filled_slots), (3, 2));
    assert_eq!((stats.totals.games, stats.totals.white, stats.totals.draws), (1, 1, 0));
    let moves = played(1).steps.len();
    assert_eq!(stats.totals.moves, moves as u64 + 2);
    assert!(!stats.endings.contains_key(&Ending::Sampled) && stats.games.all == 1);
    let facts = facts(&stats);
    let fact = |name: &str| facts.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
    assert_eq!(fact("slots for sampled positions"), Some("3, 2 with a position"));
    assert_eq!(fact("plies per game"), Some(format!("{moves}.0 on average").as_str()));
}

#[test]
fn repeated_games_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(folder.path(), &plan(6), SHARD_MAX).expect("a new run");
    for number in 1..=6 {
        writer.append(&GameRecord { number, ..game(if number < 4 { number } else { 9 }) }).expect("written");
    }
    let stats = collect(folder.path(), Filter::ALL);
    assert_eq!(stats.games, DistinctCounts { all: 6, different: 4 });
    assert!(stats.positions.different < stats.positions.all);
}

#[test]
fn the_page_holds_figures_and_plots_and_nothing_from_outside() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), 20, SHARD_MAX);
    let page = page(&collect(folder.path(), Filter::DEFAULT), "a <b>", &[]).expect("drawn");
    assert_eq!(page.matches("<svg ").count(), 3);
    for needle in
        ["Games in a &lt;b&gt;", "different positions at ply 12", "checkmate", "quarterply test", "soft_nodes"]
    {
        assert!(page.contains(needle), "{needle}");
    }
    assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"), "links");
    assert!(!page.contains("<script"));
}

#[test]
fn a_run_without_games_has_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), 0, SHARD_MAX);
    let stats = collect(folder.path(), Filter::DEFAULT);
    assert_eq!(stats.totals, Totals::default());
    assert!(page(&stats, "empty", &[]).is_ok());
}
