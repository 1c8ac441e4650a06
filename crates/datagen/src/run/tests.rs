use super::*;
use crate::folder::{SHARD_MAX, ShardPlan};
use crate::packed::file::pack_blocks;
use crate::read::Archive;
use crate::replay::Filter;
use crate::testing::{contents, origin, plan, write};
use quarterply_engine::params::Parameters;
use quarterply_files::draft::Rules;
use std::fs;
use std::path::Path;

fn drive(writer: &mut Writer, goal: DatagenGoal, so_far: Totals, workers: usize) -> DatagenSummary {
    let mut executor = Production::threads(workers, None);
    run(writer, goal, so_far, &mut executor, &AtomicBool::new(false), &|_| {}, &mut |_| {}).expect("a run")
}

/// Plays a plan into a folder.
fn whole(folder: &Path, plan: &ShardPlan, workers: usize, shard_max: u64) -> DatagenSummary {
    let mut writer = Writer::create(folder, plan, shard_max).expect("a new run");
    drive(&mut writer, plan.goal, Totals::default(), workers)
}

fn resumed(folder: &Path, shard_max: u64) -> (Writer, Totals) {
    let mut totals = Totals::default();
    let (writer, _) = Writer::resume(folder, &origin(), false, shard_max, &mut |game, _| {
        totals.add(game, Filter::DEFAULT.count(game).expect("legal"));
        Ok(())
    })
    .expect("resumed");
    (writer, totals)
}

#[test]
fn any_number_of_workers_writes_the_same_files() {
    let plan = plan(30);
    let folders = [1, 2, 5].map(|workers| {
        let folder = tempfile::tempdir().expect("a folder");
        let summary = whole(folder.path(), &plan, workers, 4000);
        assert_eq!((summary.all, summary.all.games, summary.stopped), (summary.added, 30, false));
        assert!(summary.all.kept > 0 && summary.all.kept < summary.all.moves);
        assert_eq!(summary.all.white + summary.all.draws + summary.all.black, 30);
        assert!(summary.searching > Duration::ZERO && summary.searching <= summary.working);
        folder
    });
    let first = contents(folders[0].path());
    assert!(first.len() > 2);
    assert!(folders.iter().all(|folder| contents(folder.path()) == first));
}

#[test]
fn a_run_in_parts_is_the_run_in_one() {
    let plan = plan(60);
    let one = tempfile::tempdir().expect("a folder");
    whole(one.path(), &plan, 2, SHARD_MAX);
    let parts = tempfile::tempdir().expect("a folder");
    let mut writer = Writer::create(parts.path(), &plan, SHARD_MAX).expect("a new run");
    for games in [5, 5, 17] {
        let goal = DatagenGoal { games: Some(games), ..DatagenGoal::default() };
        let (_, so_far) = (drop(writer), resumed(parts.path(), SHARD_MAX));
        writer = so_far.0;
        let summary = drive(&mut writer, goal, so_far.1, 2);
        assert_eq!(summary.all.games, games);
    }
    // A stop that comes at once and one that comes in the middle.
    for after in [0, 2] {
        drop(writer);
        let (next, so_far) = resumed(parts.path(), SHARD_MAX);
        writer = next;
        let stop = AtomicBool::new(after == 0);
        let mut seen = 0;
        let mut see = |_: &Totals| {
            seen += 1;
            stop.store(seen >= after, Relaxed);
        };
        let summary = run(&mut writer, plan.goal, so_far, &mut Production::threads(2, None), &stop, &|_| {}, &mut see)
            .expect("a run");
        assert!(summary.stopped && summary.added.games >= after && summary.all.games < 60, "{summary:?}");
    }
    drop(writer);
    let (mut writer, so_far) = resumed(parts.path(), SHARD_MAX);
    drive(&mut writer, plan.goal, so_far, 2);
    assert!(contents(one.path()) == contents(parts.path()));
}

#[test]
fn positions_are_a_goal_that_ends_at_the_same_game() {
    let goal = DatagenGoal { positions: Some(300), ..DatagenGoal::default() };
    let plan = ShardPlan { goal, ..plan(0) };
    let runs = [1, 3].map(|workers| {
        let folder = tempfile::tempdir().expect("a folder");
        let summary = whole(folder.path(), &plan, workers, SHARD_MAX);
        assert!(summary.all.kept >= 300 && !summary.stopped);
        // Nothing is left to do.
        let (mut writer, so_far) = resumed(folder.path(), SHARD_MAX);
        assert_eq!(drive(&mut writer, goal, so_far, workers).added, Totals::default());
        (summary.all, contents(folder.path()))
    });
    assert!(runs[0] == runs[1]);
}

#[test]
fn time_is_a_goal() {
    let goal = DatagenGoal { hours: Some(0.3 / SECONDS_PER_HOUR), ..DatagenGoal::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let summary = whole(folder.path(), &ShardPlan { goal, ..plan(0) }, 2, SHARD_MAX);
    assert!(summary.time >= Duration::from_millis(300) && summary.all.games > 0, "{summary:?}");
    assert!(!summary.stopped);
}

/// Each file of a packed run has the headers of all shards, so its headers do not determine its games.
#[test]
fn only_games_that_are_numbered_from_1_on_without_a_gap_are_relabelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    write(&place("run"), 8, SHARD_MAX);
    let run = Archive::open(&[place("run")]).expect("a run");
    pack_blocks(&run, &place("all.games"), &Rules::default(), (1, 4), &mut |_| ()).expect("packed");
    fs::copy(place("all.games"), place("twin.games")).expect("copied");
    let relabelled = |names: &[&str]| {
        let source = Archive::open(&names.iter().map(|name| place(name)).collect::<Vec<_>>()).expect("games");
        crate::relabel::plan(&source, origin(), [60, 200], &Parameters::default(), 1)
    };
    assert!(relabelled(&["run"]).is_ok() && relabelled(&["all.games", "all-2.games"]).is_ok());
    for (names, expected) in [
        (&["all-2.games"][..], "all-2.games`: it begins with game 5"),
        (&["all.games", "twin.games"], "twin.games`: its game 1 follows game 4"),
        (&["all.games", "all-2.games", "run"], "games-00001.shard`: its game 1 follows game 8"),
    ] {
        let message = relabelled(names).expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
}
