//! Whole runs, small ones: the same result for any number of workers, and after any interruption.

use super::error::TuneError;
use super::fault::{FAULTS, PairPlayer};
use super::history::{RunSummary, TuningStep};
use super::inputs::{RecordedEngine, TuningInputs};
use super::objective::{Metric, Objective};
use super::optimiser::genetic::GeneticSettings;
use super::optimiser::{Method, cmaes, gradient, random, spsa};
use super::plan::{FORMAT, MoveLimit, SuitePart, SuitePlan, TuningPlan};
use super::recorded::{RecordedCoefficients, RecordedProfile};
use super::report::{self, RunView};
use super::run::{ExecutionOptions, PROFILE, SUMMARY, TuningEvent, TuningRun};
use super::space::Space;
use super::tasks::Measuring;
use super::{journal, plan, race, signature};
use quarterply_engine::params::{ParameterEntry, Parameters};
use quarterply_files::profile;
use quarterply_games::game::{Pace, TimeControl};
use quarterply_uci::process::Stop;
use quarterply_work::{Digest, Loopback};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tempfile::TempDir;

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/suites/quarterply-24.epd");
/// The finished run of the paper's algorithm that profile `evolved` comes from.
const PAPER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/runs/paper");
/// The finished gradient descent of four extensions.
const EXTENSIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/runs/extensions");
/// Nodes per position: a blink.
const NODES: u64 = 400;

/// The signature takes a moment, and all plans here have the same.
static SIGNATURE: OnceLock<String> = OnceLock::new();

fn a_plan() -> TuningPlan {
    let base = profile::named("falcon").expect("built in");
    let space = Space::of_engine(&base, "null_move.reduction,check.quarters,futility.threshold_1").expect("a space");
    TuningPlan {
        format: FORMAT,
        version: "test".to_owned(),
        signature: SIGNATURE.get_or_init(|| signature::of_engine(&base, &space).expect("good values")).clone(),
        command: None,
        seed: 7,
        budget: None,
        objective: Objective::of(Metric::First),
        noisy: false,
        nodes: NODES,
        hash: 1,
        move_nodes: Some(100),
        move_limit: None,
        faults: FAULTS,
        pairs: 1,
        match_pairs: 1,
        openings: 4,
        opening_set: None,
        race: None,
        engine: None,
        method: Method::Genetic(GeneticSettings { population: 4, generations: 5, ..GeneticSettings::default() }),
        suite: Some(part_of(Path::new(SUITE), false)),
        holdout: Some(part_of(Path::new(SUITE), true)),
        space,
        eval_file: None,
        coefficients: RecordedCoefficients::new(),
        base: RecordedProfile::of(&base).values().clone(),
    }
}

/// Six positions of a suite, or the rest.
fn part_of(suite: &Path, rest: bool) -> SuitePlan {
    SuitePlan::of_file(suite, Some(SuitePart { count: 6, seed: 1, rest })).expect("our suite")
}

/// A short SPSA run on games.
fn spsa_on_games(iterations: usize, pairs: usize) -> TuningPlan {
    let settings = spsa::SpsaSettings { iterations, pairs, checks: 1, ..spsa::SpsaSettings::default() };
    TuningPlan {
        objective: Objective::of(Metric::Games),
        method: Method::Spsa(settings),
        move_nodes: Some(20),
        ..a_plan()
    }
}

fn options(workers: usize) -> ExecutionOptions {
    ExecutionOptions { workers, stop: Stop::default(), faults: None }
}

/// How a run is driven until this flag is set.
fn options_until(stop: &Arc<AtomicBool>, workers: usize) -> ExecutionOptions {
    ExecutionOptions { stop: Arc::clone(stop).into(), ..options(workers) }
}

/// A path for the folder of a run, in a temporary folder.
fn place() -> (TempDir, PathBuf) {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("run");
    (home, folder)
}

fn begin(folder: &Path, plan: &TuningPlan, workers: usize) -> TuningRun<'static> {
    TuningRun::begin(folder, plan.clone(), &options(workers)).expect("a run")
}

fn finish(run: TuningRun<'_>) -> RunSummary {
    run.drive(&mut |_| ()).expect("an end")
}

fn reopen(folder: &Path, options: &ExecutionOptions) -> Result<TuningRun<'static>, TuneError> {
    TuningRun::resume(folder, None, None, options)
}

fn resume(folder: &Path, workers: usize) -> RunSummary {
    finish(reopen(folder, &options(workers)).expect("a run"))
}

fn look(folder: &Path) -> RunSummary {
    finish(TuningRun::open_read_only(folder).expect("a run"))
}

/// A complete run in a temporary folder.
fn whole(plan: &TuningPlan, workers: usize) -> (RunSummary, String) {
    let (_home, folder) = place();
    let done = finish(begin(&folder, plan, workers));
    let summary = fs::read_to_string(folder.join(SUMMARY)).expect("a summary");
    (done, summary)
}

/// A run that is stopped after a number of events.
fn begin_and_stop(folder: &Path, plan: &TuningPlan, events: usize) -> Result<RunSummary, TuneError> {
    let stop = Arc::new(AtomicBool::new(false));
    drive_and_stop(TuningRun::begin(folder, plan.clone(), &options_until(&stop, 2))?, &stop, events)
}

fn drive_and_stop(run: TuningRun<'_>, stop: &AtomicBool, events: usize) -> Result<RunSummary, TuneError> {
    let mut seen = 0;
    run.drive(&mut |event| {
        seen += usize::from(matches!(event, TuningEvent::Batch(_)));
        stop.store(seen >= events, Ordering::Relaxed);
    })
}

/// The least cost of a step.
fn least(step: &TuningStep) -> f64 {
    step.snapshot.population.iter().map(|candidate| candidate.cost.value).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_run_improves_and_counts_its_nodes() {
    let (done, summary) = whole(&a_plan(), 2);
    assert!(done.finished);
    assert_eq!(done.steps.len(), 5);
    let best: Vec<f64> = done.steps.iter().map(least).collect();
    assert!(best.windows(2).all(|pair| pair[1] <= pair[0]), "{best:?}");
    assert!(done.steps.windows(2).all(|pair| pair[0].spent <= pair[1].spent));
    let last = done.steps.last().expect("five steps");
    assert!(last.spent > 0 && last.candidates > 4 && last.candidates <= 4 + 4 * 3, "{}", last.candidates);
    assert_eq!(serde_json::from_str::<RunSummary>(&summary).expect("a summary"), done);
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let plan = a_plan();
    let one = whole(&plan, 1);
    assert_eq!(one, whole(&plan, 2));
    assert_eq!(one, whole(&plan, 5));
    assert_ne!(one.0.steps, whole(&TuningPlan { seed: 8, ..plan }, 1).0.steps);
}

/// A run with remote workers, stopped after a number of events and resumed.
fn elsewhere(plan: &TuningPlan, events: usize) -> (RunSummary, String) {
    let (home, folder) = place();
    let connect = || Loopback::connect(Box::new(Measuring::default()), home.path().join("objects"), 5);
    let (mut first, mut second) = (connect(), connect());
    let stop = Arc::new(AtomicBool::new(false));
    let mut run = TuningRun::begin(&folder, plan.clone(), &options_until(&stop, 2)).expect("a run");
    run.set_executor(Box::new(first.executor())).expect("our engine");
    assert!(matches!(drive_and_stop(run, &stop, events), Err(TuneError::Stopped)));
    let mut run = reopen(&folder, &options(1)).expect("a run");
    assert!(run.measured() > 0);
    run.set_executor(Box::new(second.executor())).expect("our engine");
    let done = finish(run);
    (done, fs::read_to_string(folder.join(SUMMARY)).expect("a summary"))
}

#[test]
fn measurements_of_other_machines_make_the_same_run() {
    let race = Some(race::RaceSettings { first: 3.0, ..race::RaceSettings::default() });
    for (name, plan) in [("race", TuningPlan { race, ..a_plan() }), ("spsa on games", spsa_on_games(2, 2))] {
        assert_eq!(elsewhere(&plan, 4), whole(&plan, 2), "{name}");
    }
}

/// A run whose games are all lost on time, here or by remote workers, until more faults are allowed.
fn lose_on_time(remote: bool) {
    let (home, folder) = place();
    let no_time =
        TimeControl { base: Duration::from_nanos(1), increment: Duration::ZERO, moves: None, margin: Duration::ZERO };
    let move_limit = Some(MoveLimit(Pace::Clock(no_time)));
    let plan = TuningPlan { move_nodes: None, move_limit, faults: 3, match_pairs: 0, ..spsa_on_games(2, 2) };
    let mut warnings = Vec::new();
    let mut drive = |run: TuningRun<'_>| {
        let mut connection = Loopback::connect(Box::new(Measuring::default()), home.path().join("objects"), 5);
        let mut run: TuningRun<'_> = run;
        if remote {
            run.set_executor(Box::new(connection.executor())).expect("our engine");
        }
        let mut faults = Vec::new();
        let ended = run.drive(&mut |event| match event {
            TuningEvent::Progress(progress) => faults = progress.faults.clone(),
            TuningEvent::Warning(text) => warnings.push(text.to_owned()),
            _ => {}
        });
        (ended, faults)
    };
    let (ended, faults) = drive(begin(&folder, &plan, 1));
    let message = ended.expect_err("faults").to_string();
    assert!(message.contains("games were lost by faults") && message.contains("longer --tc"), "{message}");
    // Of each pair the first game is lost by the candidate, which has white, and the second by its opponent.
    assert!(faults.len() >= 3 && faults.iter().all(|fault| fault.fault.kind == "time-loss"), "{faults:?}");
    assert!(faults[0].fault.by == PairPlayer::Candidate && faults[1].fault.by == PairPlayer::Opponent, "{faults:?}");
    let more = |faults| reopen(&folder, &ExecutionOptions { faults, ..options(1) }).expect("a run");
    let (ended, same) = drive(more(None));
    assert!(matches!(ended, Err(TuneError::Faults(count, ..)) if count == faults.len()));
    assert_eq!(same, faults);
    // Read from its file, the limit has the usual margin.
    let (ended, later) = drive(more(Some(u32::MAX)));
    assert!(ended.expect("an end").finished && later.starts_with(&faults));
    assert!(warnings[0].starts_with("fault 1 (limit 3): the candidate lost a game by time loss, in "), "{warnings:?}");
}

#[test]
fn games_lost_by_faults_stop_a_run_and_are_kept() {
    lose_on_time(false);
    lose_on_time(true);
}

#[test]
fn a_raced_run_repeats_for_any_workers_and_interruptions() {
    let part = Some(SuitePart { count: 24, seed: 1, rest: false });
    let suite = Some(SuitePlan::of_file(Path::new(SUITE), part).expect("our suite"));
    let race = Some(race::RaceSettings { first: 3.0, ..race::RaceSettings::default() });
    let plan = TuningPlan { suite, race, nodes: 2000, ..a_plan() };
    let one = whole(&plan, 1);
    assert_eq!(one, whole(&plan, 3));
    let (_home, folder) = place();
    assert!(matches!(begin_and_stop(&folder, &plan, 30), Err(TuneError::Stopped)));
    let again = resume(&folder, 2);
    assert_eq!(again, one.0);
    let plain = whole(&TuningPlan { race: None, ..plan }, 2).0;
    let spent = |done: &RunSummary| done.steps.last().map_or(0, |step| step.spent);
    assert!(spent(&one.0) < spent(&plain), "{} {}", spent(&one.0), spent(&plain));
}

#[test]
fn games_and_blends_are_objectives_too() {
    let games = TuningPlan { nodes: 100, ..spsa_on_games(3, 1) };
    let method = Method::Random(random::RandomSettings { steps: 2, population: 2 });
    let blend = TuningPlan { objective: "stable,games=2".parse().expect("a blend"), method, ..games.clone() };
    for plan in [games, blend] {
        let (done, summary) = whole(&plan, 2);
        assert_eq!((done.clone(), summary), whole(&plan, 1), "{}", plan.objective);
        let last = done.steps.last().expect("a step");
        let is_share = last.snapshot.population.iter().all(|p| (0.0..=1.0).contains(&p.cost.value));
        assert!(is_share, "{}: {last:?}", plan.objective);
    }
}

#[test]
fn a_run_ends_with_a_verdict() {
    let (done, _) = whole(&a_plan(), 2);
    let conclusion = done.conclusion.expect("a conclusion");
    let tuning = conclusion.tuning.expect("a suite");
    assert_eq!((tuning.positions, conclusion.holdout.expect("a suite").positions), (6, 25));
    let last = done.steps.last().expect("a step");
    assert_eq!((tuning.best.value, &conclusion.best), (least(last), &last.snapshot.best));
    assert_eq!(conclusion.games.expect("a match").pairs.iter().sum::<u64>(), 1);
    assert!(conclusion.spent > 0);
}

#[test]
fn a_run_that_was_stopped_anywhere_ends_like_one_that_was_not() {
    let plan = a_plan();
    let expected = whole(&plan, 1);
    for events in [1, 3, 8, 20, 33] {
        let (_home, folder) = place();
        assert!(matches!(begin_and_stop(&folder, &plan, events), Err(TuneError::Stopped)), "{events}");
        let stop = Arc::new(AtomicBool::new(false));
        let again = reopen(&folder, &options_until(&stop, 1)).expect("a run");
        // It may be stopped once more before the end.
        let _ = drive_and_stop(again, &stop, events);
        let done = resume(&folder, 2);
        let summary = fs::read_to_string(folder.join(SUMMARY)).expect("a summary");
        assert_eq!((done, summary), expected, "{events}");
    }
}

#[test]
fn a_run_can_be_shown_while_it_is_in_progress() {
    let (_home, folder) = place();
    let run = begin(&folder, &a_plan(), 2);
    let mut seen = Vec::new();
    let done = run.drive(&mut |event| {
        if let TuningEvent::Step { .. } = event {
            seen.push(look(&folder));
        }
    });
    let done = done.expect("an end");
    for (index, look) in seen.iter().enumerate() {
        assert_eq!(look.steps, done.steps[..=index], "{index}");
    }
    assert!(look(&folder).finished);
}

#[test]
fn a_run_is_shown_where_its_suite_is_gone() {
    let home = TempDir::new().expect("a folder");
    let (suite, folder) = (home.path().join("suite.epd"), home.path().join("run"));
    fs::copy(SUITE, &suite).expect("a suite");
    let (suite_part, rest) = (part_of(&suite, false), part_of(&suite, true));
    let plan = TuningPlan { suite: Some(suite_part.clone()), holdout: Some(rest), ..a_plan() };
    let done = finish(begin(&folder, &plan, 2));
    for (suite, known) in [(&plan.suite, 6), (&plan.holdout, shipped_size() - 6)] {
        let suite = suite.as_ref().expect("a suite");
        assert_eq!((suite.positions, suite.load().expect("our suite").len()), (Some(known as u32), known));
    }
    let wrong = SuitePlan { positions: Some(7), ..suite_part };
    let message = wrong.load().expect_err("six").to_string();
    assert!(message.contains("6 positions, not 7 positions"), "{message}");
    fs::remove_file(&suite).expect("it was there");
    assert_eq!(look(&folder), done);
    let message = reopen(&folder, &options(2)).map(drop).expect_err("no suite").to_string();
    assert!(message.contains("suite.epd`: ") && message.contains("--suite"), "{message}");
    let elsewhere = Some(Path::new(SUITE));
    assert!(TuningRun::resume(&folder, elsewhere, elsewhere, &options(2)).is_ok());
}

fn shipped_size() -> usize {
    SuitePlan::of_file(Path::new(SUITE), None).and_then(|plan| plan.load()).expect("our suite").len()
}

#[test]
fn a_budget_ends_a_run_and_may_be_lifted() {
    let plan = a_plan();
    let (all, _) = whole(&plan, 2);
    let budget = all.steps[1].spent;
    let (_home, folder) = place();
    let short = finish(begin(&folder, &TuningPlan { budget: Some(budget), ..plan }, 2));
    assert_eq!(short.steps, all.steps[..2]);
    edit(&folder.join(plan::FILE), &format!("budget = {budget}\n"), "");
    assert_eq!(resume(&folder, 2), all);
}

/// Without a check there was no step, and no profile was written.
#[test]
fn a_budget_that_ends_spsa_before_its_first_check_leaves_a_result() {
    let plan = TuningPlan { budget: Some(1), suite: None, ..spsa_on_games(4, 1) };
    let (_home, folder) = place();
    let done = finish(begin(&folder, &plan, 1));
    assert_eq!(done.steps.iter().map(|step| step.snapshot.step).collect::<Vec<_>>(), [1]);
    assert!(done.conclusion.is_some() && folder.join(PROFILE).exists());
    assert_eq!((look(&folder), resume(&folder, 2)), (done.clone(), done));
    edit(&folder.join(plan::FILE), "budget = 1\n", "");
    assert_eq!(resume(&folder, 2), whole(&TuningPlan { budget: None, ..plan }, 1).0);
}

#[test]
fn only_games_make_a_method_that_moves_a_point_noisy() {
    let methods = [
        (Method::Spsa(spsa::SpsaSettings::default()), true),
        (Method::Cmaes(cmaes::CmaesSettings::default()), true),
        (Method::Genetic(GeneticSettings::default()), false),
        (Method::Gradient(gradient::GradientSettings::default()), false),
        (Method::Random(random::RandomSettings::default()), false),
    ];
    for (method, moves) in methods {
        for (objective, games) in [("first", false), ("games", true), ("stable=1,games=1", true)] {
            let objective = objective.parse().expect(objective);
            assert_eq!(method.is_noisy(&objective), moves && games, "{} {objective}", method.name());
        }
    }
}

#[test]
fn a_run_of_another_engine_records_its_program_and_openings() {
    let engine = |program| Some(RecordedEngine { command: "sh".to_owned(), options: Vec::new(), program });
    let inputs = |opening_seed| TuningInputs { opening_count: 2, opening_seed, ..TuningInputs::default() };
    let folder = Path::new("runs/one");
    let mut plan = TuningPlan { engine: engine(None), ..a_plan() };
    assert!(plan.require_openings(folder, &inputs(7)).is_ok(), "a run of an older version");
    assert_eq!(plan.program_note(), None, "a run of an older version");
    plan.record_external(&inputs(7));
    assert_eq!(toml::from_str::<TuningPlan>(&plan.to_toml().expect("a plan")).expect("a plan"), plan);
    assert!(plan.require_openings(folder, &inputs(7)).is_ok());
    let message = plan.require_openings(folder, &inputs(8)).expect_err("others").to_string();
    assert!(message.starts_with("cannot continue the run runs/one: its openings had fingerprint "), "{message}");
    assert!(plan.engine.as_ref().is_some_and(|engine| engine.program.is_some()));
    assert_eq!(plan.program_note(), None);
    let note = TuningPlan { engine: engine(Some(Digest::of(b"another"))), ..plan }.program_note().expect("a note");
    assert!(note.starts_with("the program of `sh` has changed since the run began (SHA-256 "), "{note}");
    let mut own = a_plan();
    own.record_external(&inputs(7));
    assert_eq!(own, a_plan());
}

/// The error of `resume`, which is that of `show`, after a change in the folder of a run that was stopped.
fn spoilt(change: impl FnOnce(&Path)) -> String {
    let (_home, folder) = place();
    let _ = begin_and_stop(&folder, &a_plan(), 9);
    change(&folder);
    let before = fs::read(folder.join(journal::FILE)).unwrap_or_default();
    let [error, shown] = [reopen(&folder, &options(1)), TuningRun::open_read_only(&folder)]
        .map(|run| run.and_then(|run| run.drive(&mut |_| ())).expect_err("it is spoilt").to_string());
    assert_eq!(fs::read(folder.join(journal::FILE)).unwrap_or_default(), before, "{error}");
    assert_eq!(shown, error);
    error
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).expect("a file");
}

#[test]
fn spoilt_folders_are_refused_with_reason_and_remedy() {
    type Change = fn(&Path);
    let cases: [(&str, Change, &[&str]); 10] = [
        (
            "other search",
            |f| edit(&f.join(plan::FILE), "signature = \"", "signature = \"1"),
            &["identity of run.toml: `", "give the same values"],
        ),
        (
            "other version",
            |f| edit(&f.join(plan::FILE), "format = 2", "format = 99"),
            &["format 99", "reads format 2", "(test)"],
        ),
        (
            "other limits",
            |f| edit(&f.join(plan::FILE), "nodes = 400", "nodes = 500"),
            &["identity of run.toml: `", "give the same values"],
        ),
        (
            "other bounds",
            |f| edit(&f.join(plan::FILE), "max = 7", "max = 6"),
            &["bounds of run.toml: `null_move.reduction: 0 to 7 by 1, start 3` then"],
        ),
        ("no plan", |f| fs::remove_file(f.join(plan::FILE)).expect("a file"), &["cannot read the tuning run", "--out"]),
        ("bad plan", |f| edit(&f.join(plan::FILE), "seed = 7", "seed = x"), &["run.toml", "restore"]),
        (
            "no journal",
            |f| {
                fs::remove_file(f.join(journal::FILE)).expect("a file");
                fs::write(f.join(SUMMARY), "a step was finished").expect("a file");
            },
            &["journal.jsonl: the journal of the run is missing", "restore"],
        ),
        (
            "no journal of tune",
            |f| fs::write(f.join(journal::FILE), "not JSON\n").expect("a file"),
            &["journal.jsonl:1: `not JSON` is not the header of a tuning run"],
        ),
        (
            "damaged line",
            |f| edit(&f.join(journal::FILE), "\"record\":\"tuning\"", "\"record\":\"tunin"),
            &["journal.jsonl:3: `{", "restore this line or remove it"],
        ),
        (
            "other suite",
            |f| edit(&f.join(plan::FILE), "fingerprint = \"", "fingerprint = \"0"),
            &["identity of run.toml: `", "give the same values"],
        ),
    ];
    for (name, change, needles) in cases {
        let message = spoilt(change);
        assert!(needles.iter().all(|needle| message.contains(needle)), "{name}: {message}");
    }
}

#[test]
fn a_run_that_was_killed_before_its_journal_was_made_is_resumed() {
    let plan = TuningPlan { method: Method::Random(random::RandomSettings { steps: 1, population: 1 }), ..a_plan() };
    let expected = whole(&plan, 1).0;
    let changes: [fn(&Path); 2] =
        [|journal| fs::remove_file(journal).expect("a file"), |journal| fs::write(journal, "").expect("an empty file")];
    for change in changes {
        let (_home, folder) = place();
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("run.toml.new"), "half of a pl").expect("a file");
        // A half-written plan is not a run.
        drop(begin(&folder, &plan, 1));
        change(&folder.join(journal::FILE));
        assert_eq!(resume(&folder, 1), expected);
    }
}

#[test]
fn a_damaged_journal_is_refused_with_the_line() {
    let plan = a_plan();
    let expected = whole(&plan, 1).0;
    let (_home, folder) = place();
    finish(begin(&folder, &plan, 2));
    let path = folder.join(journal::FILE);
    let whole = fs::read(&path).expect("a journal");
    let mut refused = 0;
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] = b'~';
        fs::write(&path, &bytes).expect("a journal");
        let line = 1 + whole[..at].iter().filter(|byte| **byte == b'\n').count();
        match TuningRun::open_read_only(&folder).and_then(|run| run.drive(&mut |_| ())) {
            Ok(done) => assert_eq!(done.steps, expected.steps[..done.steps.len()], "byte {at}"),
            Err(error) => {
                refused += usize::from(error.to_string().contains(&format!("journal.jsonl:{line}: ")));
            }
        }
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn a_line_that_was_cut_off_is_measured_again() {
    let plan = a_plan();
    let expected = whole(&plan, 1);
    let (_home, folder) = place();
    assert!(matches!(begin_and_stop(&folder, &plan, 9), Err(TuneError::Stopped)));
    let path = folder.join(journal::FILE);
    let mut bytes = fs::read(&path).expect("a journal");
    bytes.truncate(bytes.len() - 7);
    fs::write(&path, &bytes).expect("a journal");
    look(&folder);
    assert_eq!(fs::read(&path).expect("a journal"), bytes, "looking changes nothing");
    let mut warnings = Vec::new();
    let done = reopen(&folder, &options(1)).expect("a run").drive(&mut |event| {
        if let TuningEvent::Warning(text) = event {
            warnings.push(text.to_owned());
        }
    });
    assert!(warnings.len() == 1 && warnings[0].contains("the last line was cut off in the middle"), "{warnings:?}");
    let summary = fs::read_to_string(folder.join(SUMMARY)).expect("a summary");
    assert_eq!((done.expect("an end"), summary), expected);
}

#[test]
fn a_large_journal_is_compressed_at_the_end_and_resumes() {
    const LARGE: usize = 1 << 20;
    let plan = a_plan();
    let (_home, folder) = place();
    assert!(matches!(begin_and_stop(&folder, &plan, 9), Err(TuneError::Stopped)));
    let path = folder.join(journal::FILE);
    let text = fs::read_to_string(&path).expect("a journal");
    // The same measurement again changes nothing.
    let last = format!("{}\n", text.lines().last().expect("a measurement"));
    fs::write(&path, text + &last.repeat(LARGE / last.len())).expect("a journal");
    assert_eq!(resume(&folder, 2), whole(&plan, 2).0);
    assert!(!path.exists() && folder.join("journal.jsonl.zst").exists());
    edit(&folder.join(plan::FILE), "generations = 5", "generations = 6");
    let method = Method::Genetic(GeneticSettings { population: 4, generations: 6, ..GeneticSettings::default() });
    assert_eq!(resume(&folder, 2), whole(&TuningPlan { method, ..plan }, 2).0);
    assert!(!path.exists() && folder.join("journal.jsonl.zst").exists());
}

#[test]
fn nothing_is_overwritten_and_a_run_has_one_process() {
    let (_home, folder) = place();
    let run = begin(&folder, &a_plan(), 1);
    let message = TuningRun::begin(&folder, a_plan(), &options(1)).map(drop).expect_err("it exists").to_string();
    assert!(message.contains("the folder exists") && message.contains("tune resume"), "{message}");
    let message = reopen(&folder, &options(1)).map(drop).expect_err("it is busy").to_string();
    assert!(message.contains("another process"), "{message}");
    drop(run);
    assert!(reopen(&folder, &options(1)).is_ok());
}

#[test]
fn suites_are_split_without_overlap() {
    let ids = |rest| part_of(Path::new(SUITE), rest).load().expect("our suite").into_iter().map(|r| r.fen());
    let (drawn, rest): (Vec<_>, Vec<_>) = (ids(false).collect(), ids(true).collect());
    assert_eq!(drawn.len(), 6);
    assert!(!rest.is_empty() && rest.iter().all(|fen| !drawn.contains(fen)));
    let too_many = SuitePlan::of_file(Path::new(SUITE), Some(SuitePart { count: 6000, seed: 1, rest: false }));
    assert!(too_many.expect_err("too many").to_string().contains("cannot use --positions 6000"));
    let missing = SuitePlan::of_file(&PathBuf::from("no/such.epd"), None).expect_err("no file");
    assert!(missing.to_string().contains("no/such.epd"), "{missing}");
}

/// Positions of the hold-out that were tuned on counted as evidence.
#[test]
fn a_hold_out_leaves_out_what_is_tuned_on() {
    let plan = a_plan();
    let [tuning, rest] = [&plan.suite, &plan.holdout].map(|suite| suite.clone().expect("a suite"));
    let fens = |plan: &SuitePlan| plan.load().expect("our suite").iter().map(|r| r.fen()).collect::<Vec<_>>();
    let all = SuitePlan::of_file(Path::new(SUITE), None).expect("our suite");
    let fresh = all.clone().without(&tuning).expect("our suite");
    assert_eq!((fens(&fresh), fresh.positions), (fens(&rest), rest.positions));
    assert!(fresh.to_string().ends_with(".epd (without 6 positions that are tuned on)"), "{fresh}");
    assert_eq!(rest.clone().without(&tuning).expect("our suite"), rest);
    let [old, new] = [all, fresh].map(|suite| TuningPlan { holdout: Some(suite), ..plan.clone() });
    assert_ne!(old.identity(), new.identity());
    assert!(!old.to_toml().expect("a plan").contains("left_out"));
    let (_home, folder) = place();
    let done = finish(begin(&folder, &new, 2));
    assert_eq!(TuningPlan::read(&folder).expect("a plan"), new);
    let holdout = done.conclusion.as_ref().and_then(|conclusion| conclusion.holdout.as_ref()).expect("a hold-out");
    assert_eq!(Some(holdout.positions as u32), rest.positions);
    assert_eq!((look(&folder), resume(&folder, 1)), (done.clone(), done));
}

#[test]
fn profile_evolved_is_what_the_shipped_run_found() {
    let text = fs::read_to_string(Path::new(PAPER).join(SUMMARY)).expect("a summary");
    let done: RunSummary = serde_json::from_str(&text).expect("a summary");
    let falcon = profile::named("falcon").expect("built in");
    let space = Space::paper(&falcon).expect("18 parameters");
    assert_eq!(done.dimensions, space.dimensions);
    let best = done.conclusion.expect("it came to its end").best;
    let evolved = profile::named("evolved").expect("built in");
    assert_eq!(space.apply(&falcon, &best).expect("good values"), evolved, "nothing else differs from `falcon`");
}

/// A copy of a shipped run whose journal is not compressed.
fn copy_of(shipped: &Path) -> TempDir {
    let home = TempDir::new().expect("a folder");
    for entry in fs::read_dir(shipped).expect("a run") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), home.path().join(entry.file_name())).expect("a copy");
    }
    fs::remove_file(home.path().join(SUMMARY)).expect("a summary");
    quarterply_files::journal::unpack(&home.path().join(journal::FILE)).expect("a journal");
    home
}

/// A copy of the paper's run as if one of its parameters had been removed since, another one narrowed, a third one added, and its network
/// and its profile were gone.
fn of_a_later_version() -> TempDir {
    let home = copy_of(Path::new(PAPER));
    let mut plan = TuningPlan::read(home.path()).expect("a plan");
    for (from, to) in [("check.quarters", "removed_rule.quarters"), ("multi_cut.moves", "in_check.quarters")] {
        let dimension = plan.space.dimensions.iter_mut().find(|dimension| dimension.name == from).expect(from);
        dimension.name = to.to_owned();
    }
    plan.base.entry("removed_rule".to_owned()).or_default().insert("on".to_owned(), 1);
    plan.base.entry("null_move".to_owned()).or_default().insert("base".to_owned(), 123_456);
    plan.base.entry("reverse_futility".to_owned()).or_default().remove("history").expect("recorded");
    plan.eval_file = Some("no/such.nnue".to_owned());
    plan.command = Some("quarterply tune ga --profile no-such-profile".to_owned());
    let identity = TuningPlan::read(home.path()).expect("a plan").identity();
    fs::write(home.path().join(plan::FILE), plan.to_toml().expect("a plan")).expect("written");
    let path = home.path().join(journal::FILE);
    let text = fs::read_to_string(&path).expect("a journal").replace(&identity, &plan.identity());
    let text = text.replace("check.quarters\"", "removed_rule.quarters\"");
    fs::write(&path, text.replace("multi_cut.moves\"", "in_check.quarters\"")).expect("written");
    home
}

#[test]
fn a_run_whose_parameters_were_removed_or_narrowed_is_shown_as_recorded() {
    let home = of_a_later_version();
    let run = TuningRun::open_read_only(home.path()).expect("a run");
    let plan = run.plan().clone();
    let done = finish(run);
    assert_eq!(done.steps, look(copy_of(Path::new(PAPER)).path()).steps, "figures do not depend on names");
    let best = &done.steps.last().expect("fifty steps").snapshot.best;
    let base = plan.recorded();
    let command = plan.command.as_deref().expect("a command");
    let view = RunView { summary: &done, base: base.as_ref(), engine: None, faults: &[], workers: &[], command };
    let files: BTreeMap<String, String> = report::files(&view).expect("a report").into_iter().collect();
    let place = |name: &str| plan.space.dimensions.iter().position(|d| d.name == name).expect(name);
    let [removed, narrowed] = ["removed_rule.quarters", "in_check.quarters"].map(|name| (name, best[place(name)]));
    for (name, value, reason) in [
        (removed.0, removed.1.to_string(), "this version has no such parameter"),
        (narrowed.0, narrowed.1.to_string(), "this version takes 0 to 4"),
        ("removed_rule.on", "1".to_owned(), "this version has no such parameter"),
        ("null_move.base", "123456".to_owned(), "this version takes 1024 to 8192"),
        ("EvalFile", "no/such.nnue".to_owned(), "cannot read `no/such.nnue`: "),
    ] {
        let found = view.mismatches().into_iter().find(|one| one.name == name).expect(name);
        assert_eq!(found.recorded, value, "{name}");
        assert!(found.reason.to_string().starts_with(reason), "{name}: {}", found.reason);
        assert!(files[report::PAGE].contains(reason), "{reason}");
        assert!(plan.profile_of(best).contains(&format!("# {name} = {value} ({reason}")), "{name}");
    }
    for text in [&plan.profile_of(best), &files["formats/tuned.toml"]] {
        profile::parse_profile("p.toml", text.as_bytes()).expect("what cannot be used stands in comments");
    }
    // Parameters that are newer than the run are neutral: the search equals that of the run.
    let read = profile::parse_profile("p.toml", plan.profile_of(best).as_bytes()).expect("a profile");
    let recorded = plan.recorded().expect("values of this program");
    let knew = |entry: &ParameterEntry| {
        recorded.values().get(entry.group).is_some_and(|values| values.contains_key(entry.spec.name))
    };
    let newer: Vec<ParameterEntry> = Parameters::specs().filter(|entry| !knew(entry)).collect();
    assert!(newer.iter().any(|entry| entry.spec.neutral != entry.spec.default));
    for entry in newer {
        assert_eq!(read.get(&entry.name), Ok(entry.spec.neutral), "{}", entry.name);
    }
    for (name, text) in files.iter().filter(|(name, _)| name.starts_with("formats/") && !name.ends_with("tuned.toml")) {
        assert!(!text.contains(removed.0) && !text.contains(narrowed.0), "{name}: {text}");
    }
    assert!(files["formats/uci.txt"].contains("setoption name null_move.reduction value "));
}

#[test]
fn the_journals_of_shipped_runs_give_their_summaries() {
    for shipped in [PAPER, EXTENSIONS].map(Path::new) {
        let home = copy_of(shipped);
        let done = look(home.path());
        let summary = serde_json::to_string_pretty(&done).expect("a summary") + "\n";
        assert_eq!(summary, fs::read_to_string(shipped.join(SUMMARY)).expect("a summary"), "{}", shipped.display());
    }
}
