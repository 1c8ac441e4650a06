//! Races over made-up units: fair, thrifty and repeatable.

use super::*;
use crate::cache::{Counter, FaultTolerance, UnitRunner};
use crate::cost_function::CostFunction;
use crate::journal::{Journal, TuningHeader};
use crate::objective::Objective;
use crate::space::Dimension;
use crate::units::{FinishedTask, SuiteRole, TaskResults};
use quarterply_games::game::Pace;
use quarterply_games::openings::stream;
use rand::RngExt;
use tempfile::TempDir;

const UNITS: u32 = 300;
const CAP: u64 = 1000;

/// Nodes of a candidate on a position: a third is never solved, a third always easily, the rest depends on the candidate and luck.
fn nodes(candidate: &[i32], index: u32) -> u64 {
    let mut rng = stream(u64::from(index), candidate[1] as u64);
    let luck: u64 = rng.random_range(0..400);
    match index % 3 {
        0 => CAP,
        1 => 5 + luck / 40,
        _ => (candidate[0] as u64 + luck).min(CAP),
    }
}

struct FakeRunner;

impl UnitRunner for FakeRunner {
    fn cut(
        &self,
        tasks: &[CandidateTask],
        missing: &dyn Fn(&[CandidateTask]) -> Vec<CandidateTask>,
    ) -> Vec<CandidateTask> {
        missing(tasks)
    }

    fn measure(
        &mut self,
        tasks: Vec<CandidateTask>,
        counter: &mut Counter<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<(), TuneError> {
        for task in tasks {
            let mut results = TaskResults::default();
            for unit in &task.units {
                let WorkUnit::Position { index, .. } = unit else { panic!("no games here") };
                let nodes = nodes(&task.candidate, *index);
                let measure = Measurement::Position { solved: nodes < CAP, first: nodes, stable: nodes, nodes };
                results.push(measure, Vec::new());
            }
            counter.take(FinishedTask { task, results }, on_progress)?;
        }
        Ok(())
    }
}

fn total(candidate: &[i32]) -> f64 {
    (0..UNITS).map(|index| nodes(candidate, index) as f64).sum()
}

/// A race with an empty cache; the folder lives as long as the cache is needed.
fn new_race(seed: u64) -> (TempDir, MeasurementCache<'static>, CostFunction, Race) {
    let home = TempDir::new().expect("a folder");
    let dimension =
        |name: &str| Dimension { name: name.to_owned(), min: 0, max: 1000, step: 1, start: 0, switch: false };
    let dimensions = ["badness", "luck"].map(dimension).to_vec();
    let journal = Journal::open(home.path(), &TuningHeader::new("made up", dimensions)).expect("a journal");
    let mut cache = MeasurementCache::new(journal, FaultTolerance { most: 1, pace: Pace::Nodes(1) });
    cache.set_runner(FakeRunner);
    let objective = Objective::default();
    let cost_function =
        CostFunction { objective, cap: CAP, positions: UNITS, start: vec![0, 0], seed, ..CostFunction::default() };
    let race = Race::new(RaceSettings::default(), seed, &cost_function);
    (home, cache, cost_function, race)
}

/// Ten candidates: the first number is the true cost, the second the seed of the noise.
fn candidates(round: i32) -> Vec<Candidate> {
    (0..10).map(|place| vec![40 * ((place * 7 + round * 3) % 11), round * 10 + place]).collect()
}

#[test]
fn the_winner_is_exact_and_cheap() {
    let (_home, mut cache, cost_function, mut race) = new_race(1);
    let mut full = 0.0;
    let (mut best_of_all, mut truth) = (f64::INFINITY, f64::INFINITY);
    for round in 0..8 {
        let candidates = candidates(round);
        let costs =
            race.run(&cost_function, candidates.clone(), round as u64, &mut cache, &mut |_| ()).expect("a race");
        full += candidates.iter().map(|candidate| total(candidate)).sum::<f64>();
        truth = candidates.iter().map(|candidate| total(candidate)).fold(truth, f64::min);
        let least = costs.iter().min_by(|a, b| a.cost.value.total_cmp(&b.cost.value)).expect("ten");
        best_of_all = best_of_all.min(least.cost.value);
        assert_eq!(race.incumbent.as_deref().map(total), Some(best_of_all), "the best is never lost");
        for one in &costs {
            assert!(one.cost.error > 0.0 || one.cost.value == total(&one.candidate), "{one:?}");
            assert!(one.cost.value >= best_of_all, "{one:?}");
        }
    }
    assert!(best_of_all <= 1.02 * truth, "{best_of_all} {truth}");
    assert!((cache.spent() as f64) < full / 4.0, "{} of {full}", cache.spent());
}

#[test]
fn uninformative_units_are_drawn_less() {
    let (_home, mut cache, cost_function, mut race) = new_race(1);
    for round in 0..6 {
        race.run(&cost_function, candidates(round), round as u64, &mut cache, &mut |_| ()).expect("a race");
    }
    let draw = UnitSampler::new(&race.statistics, race.seed, 6);
    let sum = |kind: usize| draw.weights.iter().skip(kind).step_by(3).sum::<f64>();
    assert!(sum(2) > 2.0 * sum(0), "{} {}", sum(2), sum(0));
    assert!(draw.weights.iter().all(|weight| *weight > 0.0));
    let probabilities = draw.probabilities(20.0);
    assert!((probabilities.iter().sum::<f64>() - 20.0).abs() < 1e-6);
}

#[test]
fn estimates_are_right_on_average_and_their_errors_too() {
    let (_home, mut cache, cost_function, mut race) = new_race(1);
    race.run(&cost_function, candidates(0), 0, &mut cache, &mut |_| ()).expect("a race");
    let (best, other): (Candidate, Candidate) = (vec![0, 70], vec![60, 71]);
    let truth = total(&other) - total(&best);
    let mut racers = race.racing_candidates(&[best.clone(), other.clone()]);
    let all: Vec<usize> = (0..UNITS as usize).collect();
    let ones = vec![1.0; UNITS as usize];
    race.measure(&cost_function, &mut racers, &ones, &all, &mut cache, &mut |_| ()).expect("measures");
    let mut errors = Vec::new();
    let mut variance = 0.0;
    for number in 0..400 {
        let draw = UnitSampler::new(&race.statistics, race.seed, number);
        let probabilities = draw.probabilities(30.0);
        let sample = draw.sample(&probabilities);
        let racer = RacingCandidate { candidate: other.clone(), probabilities, sample, out: false };
        errors.push(race.difference(&racer, &best) - truth);
        variance += race.variance(&racer, &best, None);
    }
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let squares = errors.iter().map(|error| error * error).sum::<f64>() / count;
    assert!(mean.abs() < 3.0 * (squares / count).sqrt(), "off by {mean}, {squares}");
    let ratio = variance / count / squares;
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

#[test]
fn samples_grow_into_each_other() {
    let (_home, mut cache, cost_function, mut race) = new_race(3);
    race.run(&cost_function, candidates(0), 0, &mut cache, &mut |_| ()).expect("a race");
    let draw = UnitSampler::new(&race.statistics, race.seed, 5);
    let sample = |expected_units: f64| draw.sample(&draw.probabilities(expected_units));
    let (small, large) = (sample(15.0), sample(60.0));
    assert!(small.len() < large.len() && small.iter().all(|unit| large.contains(unit)));
}

#[test]
fn the_seed_decides_everything() {
    let run = |seed| {
        let (_home, mut cache, cost_function, mut race) = new_race(seed);
        let mut all = Vec::new();
        for round in 0..3 {
            all.extend(
                race.run(&cost_function, candidates(round), round as u64, &mut cache, &mut |_| ()).expect("a race"),
            );
        }
        (all, cache.spent())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).1, run(2).1);
}

#[test]
fn a_single_candidate_is_measured_in_full() {
    let (_home, mut cache, cost_function, mut race) = new_race(1);
    let one: Candidate = vec![100, 1];
    let costs = race.run(&cost_function, vec![one.clone(), one.clone()], 0, &mut cache, &mut |_| ()).expect("a race");
    assert!(costs.len() == 2 && costs.iter().all(|p| p.cost.value == total(&one) && p.cost.error == 0.0));
    assert!(race.units.contains(&WorkUnit::Position { set: SuiteRole::Tuning, index: 0 }));
}
