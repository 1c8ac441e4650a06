use super::*;
use crate::train::comparison::{NetworkComparison, ValidationSet, compare};
use crate::train::data::DataSource;
use crate::train::folder::{CHECKPOINT, JOURNAL};
use crate::train::testing::play;
use std::fs;
use std::sync::OnceLock;
use tempfile::TempDir;

const COUNT: u64 = 150;

/// Games that all tests share.
fn games() -> &'static Path {
    static GAMES: OnceLock<TempDir> = OnceLock::new();
    let folder = GAMES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        play(&folder.path().join("games"), COUNT);
        folder
    });
    Box::leak(folder.path().join("games").into_boxed_path())
}

fn plan() -> Plan {
    Plan { hidden: 32, passes: 3, batch: 256, rate: 4e-3, held_out: 0.1, every: 7, ..Plan::default() }
}

/// A run in a new folder, stopped after a number of batches.
fn begin(path: &Path, plan: Plan, threads: usize, stop_at: u64) -> Result<TrainingOutcome, TrainError> {
    begin_with(None, games(), path, plan, threads, stop_at)
}

fn begin_with(
    from: Option<&Network>,
    games: &Path,
    path: &Path,
    plan: Plan,
    threads: usize,
    stop_at: u64,
) -> Result<TrainingOutcome, TrainError> {
    let stop = AtomicBool::new(false);
    let run = TrainingRun::begin(path, plan, from, &[games], ("test".into(), None), &stop, &mut |_| {})?;
    drive(run, threads, &stop, stop_at)
}

fn resume(path: &Path, threads: usize, stop_at: u64) -> Result<TrainingOutcome, TrainError> {
    let stop = AtomicBool::new(false);
    let run = TrainingRun::resume(path, &stop, &mut |_| {})?;
    drive(run, threads, &stop, stop_at)
}

fn drive(run: TrainingRun, threads: usize, stop: &AtomicBool, stop_at: u64) -> Result<TrainingOutcome, TrainError> {
    let means = ExecutionOptions { threads, stop, save: Duration::from_secs(3600) };
    run.drive(&means, &mut |event| {
        if matches!(event, TrainingEvent::Batch { done, .. } if done >= stop_at) {
            stop.store(true, Relaxed);
        }
    })
}

/// Compares a network with other evaluations on the held-out games of a plan.
fn compare_network(network: &Network, games: &Path, plan: &Plan) -> NetworkComparison {
    let validation = ValidationSet {
        sources: vec![DataSource::all(games)],
        selection: plan.selection(),
        held_out_only: true,
        goal: plan.goal(),
        positions_max: 1_000_000,
    };
    compare(network, &validation, &mut |_| ()).expect("a comparison")
}

const NEVER: u64 = u64::MAX;

/// The journal without times.
fn losses(outcome: &TrainingOutcome) -> Vec<(u64, f64, f64)> {
    outcome.lines.iter().map(|line| (line.batch, line.loss, line.held_out)).collect()
}

#[test]
fn a_tiny_network_learns_more_than_counting_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    let (games, path) = (folder.path().join("many"), folder.path().join("run"));
    play(&games, 1200);
    let tiny = Plan { passes: 4, every: 100, result: 0.0, ..plan() };
    let outcome = begin_with(None, &games, &path, tiny.clone(), 2, NEVER).expect("a network");
    let first = outcome.lines[0];
    let last = outcome.lines.last().expect("lines");
    assert!(last.held_out < first.held_out && last.loss < first.loss, "{first:?} {last:?}");
    assert!(last.held_out < outcome.material.loss, "{} {:?}", last.held_out, outcome.material);
    let rounding = outcome.rounding;
    assert!(rounding.mean < 15.0 && (rounding.after / rounding.before - 1.0).abs() < 0.05, "{rounding:?}");
    // The network file has the same loss on the games.
    let file = outcome.file.expect("a file");
    let network = Network::read(&fs::read(&file).expect("a file")).expect("a network");
    assert!(network.facts().contains("\"hidden\":32"), "{}", network.facts());
    let comparison = compare_network(&network, &games, &tiny);
    assert!(comparison.network.loss < comparison.material.loss && comparison.network.loss <= 1.05 * last.held_out);
    assert!(comparison.classical.loss < comparison.material.loss, "{comparison:?}");
    let page = fs::read_to_string(path.join(REPORT)).expect("a page");
    assert!(page.contains("<svg") && page.contains("a queen up") && !page.contains("DIFFERENT"), "{page}");
    assert!(network.value(&shakmaty::Board::default(), shakmaty::Color::White).0.abs() < 150);
}

#[test]
fn an_interrupted_run_comes_to_the_same_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let (alone, broken) = (folder.path().join("alone"), folder.path().join("broken"));
    let whole = begin(&alone, plan(), 2, NEVER).expect("a network");
    let batches = whole.settings.batches();
    assert!(batches > 8, "{batches}");
    let part = begin(&broken, plan(), 1, 10).expect("a part");
    assert!(part.stopped && part.file.is_none() && part.steps == 10);
    // In the middle of a pass, then killed after another one: the checkpoint is older than the journal.
    let old = fs::read(broken.join(CHECKPOINT)).expect("a checkpoint");
    resume(&broken, 2, 10 + batches).expect("another part");
    fs::write(broken.join(CHECKPOINT), old).expect("written");
    let mut torn = fs::read(broken.join(JOURNAL)).expect("a journal");
    torn.extend(b"{\"batch\":");
    fs::write(broken.join(JOURNAL), torn).expect("written");
    let rest = resume(&broken, 2, NEVER).expect("the rest");
    assert!(rest.network == whole.network, "another network");
    assert_eq!(losses(&rest), losses(&whole));
    assert_eq!(rest.steps, plan().passes * batches);
    // A finished run stays what it is.
    assert!(resume(&alone, 1, NEVER).expect("finished").network == whole.network);
}

#[test]
fn distillation_does_not_depend_on_threads_and_interruptions() {
    let folder = tempfile::tempdir().expect("a folder");
    let taught = Plan { distil_share: 0.25, ..plan() };
    let whole = begin(&folder.path().join("alone"), taught.clone(), 2, NEVER).expect("a network");
    let broken = folder.path().join("broken");
    begin(&broken, taught, 1, 3).expect("a part");
    resume(&broken, 2, whole.settings.batches() + 3).expect("another part");
    assert!(resume(&broken, 1, NEVER).expect("the rest").network == whole.network, "another network");
    for (name, other) in [("none", plan()), ("more", Plan { distil_share: 0.5, ..plan() })] {
        let outcome = begin(&folder.path().join(name), other, 2, NEVER).expect("a network");
        assert_ne!(losses(&outcome), losses(&whole), "{name}");
    }
    let draws = [0, whole.settings.batches()].map(|steps| whole.settings.distils(steps).expect("some"));
    assert_eq!(draws.map(|draw| (draw.pass, draw.share)), [(0, 0.25), (1, 0.25)], "each pass draws again");
}

#[test]
fn a_number_of_samples_ends_within_a_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let batches = begin(&folder.path().join("pass"), Plan { passes: 1, ..plan() }, 2, NEVER).expect("a network").steps;
    let expected = batches + batches / 2;
    let sampled = Plan { samples: Some(expected * 256 + 255), ..plan() };
    let whole = begin(&folder.path().join("alone"), sampled.clone(), 2, NEVER).expect("a network");
    assert_eq!((whole.steps, whole.stopped), (expected, false), "the last whole batch");
    let last = whole.lines.last().expect("lines");
    assert!(last.batch == expected && last.rate < sampled.rate / 100.0, "{last:?}");
    let broken = folder.path().join("broken");
    begin(&broken, sampled, 1, batches + 1).expect("a part");
    assert!(resume(&broken, 2, NEVER).expect("the rest").network == whole.network, "another network");
}

/// The network and its held-out loss are those of the average, the training is that without one, and the average is resumed.
#[test]
fn the_average_of_the_weights_becomes_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let averaged = Plan { average: 0.95, ..plan() };
    let latest = begin(&folder.path().join("latest"), plan(), 2, NEVER).expect("a network");
    let mean = begin(&folder.path().join("mean"), averaged.clone(), 2, NEVER).expect("a network");
    let losses = |outcome: &TrainingOutcome| outcome.lines.iter().map(|line| line.loss).collect::<Vec<_>>();
    assert_eq!(losses(&latest), losses(&mean), "the training itself is the same");
    let held_out = |outcome: &TrainingOutcome| outcome.lines.last().expect("lines").held_out;
    assert!(held_out(&mean) != held_out(&latest) && mean.network != latest.network, "the average is another network");
    let broken = folder.path().join("broken");
    begin(&broken, averaged, 1, 10).expect("a part");
    assert!(resume(&broken, 2, NEVER).expect("the rest").network == mean.network, "another network");
}

#[test]
fn a_network_for_the_blend_is_compared_as_a_blend_and_resumes() {
    // The games' scores are classical values: with them, almost nothing remains to learn.
    let folder = tempfile::tempdir().expect("a folder");
    let alone = Plan { result: 0.0, ..plan() };
    let blended = Plan { classical: 0.9, ..alone.clone() };
    let path = folder.path().join("whole");
    let whole = begin(&path, blended.clone(), 2, NEVER).expect("a network");
    let without = begin(&folder.path().join("alone"), alone, 2, NEVER).expect("a network");
    let [last, other] = [&whole, &without].map(|outcome| outcome.lines.last().expect("lines").held_out);
    assert!(last < 0.1 * other, "{last} {other}");
    assert!((whole.rounding.after / whole.rounding.before - 1.0).abs() < 0.05, "{:?}", whole.rounding);
    let broken = folder.path().join("broken");
    begin(&broken, blended.clone(), 1, 3).expect("a part");
    assert!(resume(&broken, 2, NEVER).expect("the rest").network == whole.network, "another network");
    let comparison = compare_network(&whole.network, games(), &blended);
    assert!(comparison.network.loss < 1.2 * last, "{comparison:?} {last}");
    let page = fs::read_to_string(path.join(REPORT)).expect("a page");
    assert!(page.contains("classical share") && page.contains("90 %"), "{page}");
}

#[test]
fn a_run_continues_training_from_a_given_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = begin(&folder.path().join("first"), plan(), 2, NEVER).expect("a network");
    let known = first.lines.last().expect("lines").held_out;
    let start = |name: &str, stop_at| {
        let plan = Plan { passes: 1, rate: 1e-4, rate_end: 1e-5, seed: 2, held_out: 0.2, ..plan() };
        begin_with(Some(&first.network), games(), &folder.path().join(name), plan, 2, stop_at)
    };
    let next = start("next", NEVER).expect("a network");
    assert!(next.network != first.network);
    assert!(next.lines[0].held_out < 1.1 * known, "{known}: {:?}", next.lines);
    assert_eq!(next.settings.plan.from, Some(first.network.name()));
    // Killed before its first checkpoint; then with another network in its place.
    let broken = folder.path().join("broken");
    start("broken", 1).expect("a part");
    fs::remove_file(broken.join(CHECKPOINT)).expect("there");
    assert!(resume(&broken, 1, NEVER).expect("the rest").network == next.network, "another network");
    fs::remove_file(broken.join(CHECKPOINT)).expect("there");
    fs::write(broken.join(START), next.network.encode()).expect("written");
    let error = resume(&broken, 1, NEVER).expect_err("another network").to_string();
    assert!(error.contains(&first.network.name()) && error.contains("restore it"), "{error}");
    // A process that was killed before the settings has begun no run; one that was killed after them has.
    let killed = folder.path().join("killed");
    fs::create_dir(&killed).expect("a folder");
    for left in ["settings.toml.new", "settings.toml.123.new", "start.nnue.new"] {
        fs::write(killed.join(left), "half").expect("written");
    }
    start("killed", 1).expect("a part");
    fs::remove_file(killed.join(CHECKPOINT)).expect("there");
    fs::rename(killed.join(START), killed.join("start.nnue.new")).expect("there");
    assert!(resume(&killed, 1, NEVER).expect("the rest").network == next.network, "another network");
}

#[test]
fn a_network_keeps_its_unit_where_scores_mean_other_odds() {
    const SCALE: i32 = 250;
    let folder = tempfile::tempdir().expect("a folder");
    let first = begin(&folder.path().join("first"), plan(), 2, NEVER).expect("a network");
    // The steps are so small that the weights stay the same.
    let next = Plan { passes: 1, rate: 1e-9, rate_end: 1e-9, scale: SCALE, result: 0.0, ..plan() };
    let outcome =
        begin_with(Some(&first.network), games(), &folder.path().join("next"), next, 2, NEVER).expect("a network");
    assert_eq!((outcome.settings.plan.scale, outcome.settings.plan.unit), (SCALE, Some(plan().scale)));
    assert_eq!(outcome.network.parts().scale, plan().scale);
    let values = |network: &Network| quantise::values(network, &crate::train::testing::positions(200));
    let apart = values(&first.network).into_iter().zip(values(&outcome.network)).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f32::max);
    assert!(apart < 8.0, "{apart} pawns/100: what rounding the outputs again may change");
    assert_eq!(outcome.settings.plan.goal().unit, plan().scale as f32 / SCALE as f32);
    // Its losses are those of the odds of the new scale, in which the same errors are larger.
    let known = first.lines.last().expect("lines").held_out;
    let reported = outcome.lines.last().expect("lines").held_out;
    let comparison = compare_network(&outcome.network, games(), &outcome.settings.plan);
    assert!(reported > 1.2 * known && comparison.network.loss < 1.05 * reported, "{known} {reported} {comparison:?}");
}

#[test]
fn the_seed_decides_and_networks_are_kept_on_the_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |name: &str, seed| {
        let path = folder.path().join(name);
        let outcome = begin(&path, Plan { seed, passes: 2, keep: 1, ..plan() }, 2, NEVER).expect("a network");
        let kept = fs::read(path.join("network-pass-001.nnue")).expect("kept");
        assert!(Network::read(&kept).expect("a network") != outcome.network);
        outcome.network
    };
    assert!(run("a", 1) == run("b", 1));
    assert!(run("c", 2) != run("d", 1));
}

#[test]
fn errors_of_a_run_name_their_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let fresh = |name: &str| folder.path().join(name);
    let wrong = |result: Result<TrainingOutcome, TrainError>, says: &str| {
        let error = result.expect_err(says).to_string();
        assert!(error.contains(says), "{says}: {error}");
    };
    wrong(begin(&fresh("a"), Plan { batch: 10_000_000, ..plan() }, 1, NEVER), "fewer than a batch of 10000000");
    wrong(begin(&fresh("a"), Plan { held_out: 7e-8, ..plan() }, 1, NEVER), "held-out share 0.00000007; give");
    wrong(begin(&fresh("a"), Plan { hidden: 33, ..plan() }, 1, NEVER), "--hidden 33");
    wrong(begin(&fresh("a"), Plan { rate: 1e300, rate_end: 1e300, decay: 0.0, ..plan() }, 1, NEVER), "lower --rate");
    wrong(begin(&fresh("a"), plan(), 1, NEVER), "train resume");
    wrong(resume(&fresh("b"), 1, NEVER), "give the folder that --out named");
    begin(&fresh("c"), plan(), 1, 5).expect("a part");
    let settings = fresh("c").join(crate::train::settings::FILE);
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, text.replace("rate = 0.004", "rate = 0.003")).expect("written");
    wrong(resume(&fresh("c"), 1, NEVER), "it belongs to a run with other settings or other games");
    fs::write(&settings, text.replace("games = 150", "games = 151")).expect("written");
    wrong(resume(&fresh("c"), 1, NEVER), "contains 150 games, and the run uses 151");
    fs::write(&settings, text.replace("format = 2", "format = 9")).expect("written");
    wrong(resume(&fresh("c"), 1, NEVER), "format 9, and this program reads format 2");
    fs::write(&settings, &text).expect("written");
    let mut bytes = fs::read(fresh("c").join(CHECKPOINT)).expect("a checkpoint");
    bytes[5000] ^= 1;
    fs::write(fresh("c").join(CHECKPOINT), bytes).expect("written");
    wrong(resume(&fresh("c"), 1, NEVER), "damaged");
    fs::remove_file(fresh("c").join(CHECKPOINT)).expect("removed");
    fs::write(&settings, text.replacen("\npositions = ", "\npositions = 9", 1)).expect("written");
    wrong(resume(&fresh("c"), 1, NEVER), "settings.toml`: positions is 9");
    let stop = AtomicBool::new(false);
    let held = TrainingRun::begin(&fresh("d"), plan(), None, &[games()], ("test".into(), None), &stop, &mut |_| {})
        .expect("a run");
    wrong(resume(&fresh("d"), 1, NEVER), "another process is working on it");
    drop(held);
}
