//! Races over made-up units: fair, thrifty and repeatable.

use super::*;
use crate::baseline::CostBaseline;
use crate::cache::{Counter, FaultTolerance, ProbeRunner};
use crate::journal::{Journal, TuningHeader};
use crate::measure::{ProbeOutcome, SuiteRole, TaskResults};
use crate::objective::Objective;
use crate::space::Dimension;
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

impl ProbeRunner for FakeRunner {
    fn cut(&self, tasks: &[ProbeTask], missing: &dyn Fn(&[ProbeTask]) -> Vec<ProbeTask>) -> Vec<ProbeTask> {
        missing(tasks)
    }

    fn measure(
        &mut self,
        tasks: Vec<ProbeTask>,
        counter: &mut Counter<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<(), TuneError> {
        for task in tasks {
            let mut results = TaskResults::default();
            for probe in &task.probes {
                let Probe::Position { index, .. } = probe else { panic!("no games here") };
                let nodes = nodes(&task.candidate, *index);
                let measure = Measure::Position { solved: nodes < CAP, first: nodes, stable: nodes, nodes };
                results.push(measure, Vec::new());
            }
            counter.take(ProbeOutcome { task, results }, on_progress)?;
        }
        Ok(())
    }
}

fn total(candidate: &[i32]) -> f64 {
    (0..UNITS).map(|index| nodes(candidate, index) as f64).sum()
}

/// A race track with an empty cache; the folder lives as long as the cache is needed.
fn track(seed: u64) -> (TempDir, ProbeCache<'static>, CostBaseline, Race) {
    let home = TempDir::new().expect("a folder");
    let dimension =
        |name: &str| Dimension { name: name.to_owned(), min: 0, max: 1000, step: 1, start: 0, switch: false };
    let dimensions = ["badness", "luck"].map(dimension).to_vec();
    let journal = Journal::open(home.path(), &TuningHeader::new("made up", dimensions)).expect("a journal");
    let mut cache = ProbeCache::new(journal, FaultTolerance { most: 1, pace: Pace::Nodes(1) });
    cache.measure_with(FakeRunner);
    let objective = Objective::default();
    let baseline =
        CostBaseline { objective, cap: CAP, positions: UNITS, start: vec![0, 0], seed, ..CostBaseline::default() };
    let race = Race::new(RaceSettings::default(), seed, &baseline);
    (home, cache, baseline, race)
}

/// A field of candidates: the first number is the true cost, the second the seed of the noise.
fn field(round: i32) -> Vec<Candidate> {
    (0..10).map(|place| vec![40 * ((place * 7 + round * 3) % 11), round * 10 + place]).collect()
}

#[test]
fn the_winner_is_exact_and_cheap() {
    let (_home, mut cache, baseline, mut race) = track(1);
    let mut full = 0.0;
    let (mut best_of_all, mut truth) = (f64::INFINITY, f64::INFINITY);
    for round in 0..8 {
        let candidates = field(round);
        let costs = race.run(&baseline, candidates.clone(), round as u64, &mut cache, &mut |_| ()).expect("a race");
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
    let (_home, mut cache, baseline, mut race) = track(1);
    for round in 0..6 {
        race.run(&baseline, field(round), round as u64, &mut cache, &mut |_| ()).expect("a race");
    }
    let draw = UnitSampler::new(&race.spreads, race.seed, 6);
    let sum = |kind: usize| draw.weights.iter().skip(kind).step_by(3).sum::<f64>();
    assert!(sum(2) > 2.0 * sum(0), "{} {}", sum(2), sum(0));
    assert!(draw.weights.iter().all(|weight| *weight > 0.0));
    let probabilities = draw.probabilities(20.0);
    assert!((probabilities.iter().sum::<f64>() - 20.0).abs() < 1e-6);
}

#[test]
fn estimates_are_right_on_average_and_their_errors_too() {
    let (_home, mut cache, baseline, mut race) = track(1);
    race.run(&baseline, field(0), 0, &mut cache, &mut |_| ()).expect("a race");
    let (best, other): (Candidate, Candidate) = (vec![0, 70], vec![60, 71]);
    let truth = total(&other) - total(&best);
    let mut runners = race.racing_candidates(&[best.clone(), other.clone()]);
    let all: Vec<usize> = (0..UNITS as usize).collect();
    let ones = vec![1.0; UNITS as usize];
    race.measure(&baseline, &mut runners, &ones, &all, &mut cache, &mut |_| ()).expect("measures");
    let mut errors = Vec::new();
    let mut variance = 0.0;
    for number in 0..400 {
        let draw = UnitSampler::new(&race.spreads, race.seed, number);
        let probabilities = draw.probabilities(30.0);
        let sample = draw.sample(&probabilities);
        let runner = RacingCandidate { candidate: other.clone(), probabilities, sample, out: false };
        errors.push(race.difference(&runner, &best) - truth);
        variance += race.variance(&runner, &best, None);
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
    let (_home, mut cache, baseline, mut race) = track(3);
    race.run(&baseline, field(0), 0, &mut cache, &mut |_| ()).expect("a race");
    let draw = UnitSampler::new(&race.spreads, race.seed, 5);
    let sample = |expected_units: f64| draw.sample(&draw.probabilities(expected_units));
    let (small, large) = (sample(15.0), sample(60.0));
    assert!(small.len() < large.len() && small.iter().all(|unit| large.contains(unit)));
}

#[test]
fn the_seed_decides_everything() {
    let run = |seed| {
        let (_home, mut cache, baseline, mut race) = track(seed);
        let mut all = Vec::new();
        for round in 0..3 {
            all.extend(race.run(&baseline, field(round), round as u64, &mut cache, &mut |_| ()).expect("a race"));
        }
        (all, cache.spent())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).1, run(2).1);
}

#[test]
fn a_single_candidate_is_measured_in_full() {
    let (_home, mut cache, baseline, mut race) = track(1);
    let one: Candidate = vec![100, 1];
    let costs = race.run(&baseline, vec![one.clone(), one.clone()], 0, &mut cache, &mut |_| ()).expect("a race");
    assert!(costs.len() == 2 && costs.iter().all(|p| p.cost.value == total(&one) && p.cost.error == 0.0));
    assert!(race.units.contains(&Probe::Position { set: SuiteRole::Tuning, index: 0 }));
}
