use super::*;
use crate::outcomes::bisect;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Elo of intervals, and pairs of a first stage, of the measurement of rules.
const WIDTH: f64 = 16.0;
const FIRST: usize = 200;
const TABLES: usize = 1000;
/// Of 1000 intervals that hold in 95 % of cases, all but one in a thousand sets of them have at least this many.
const HELD_MIN: usize = 929;
/// Openings whose games are alike in all rows.
const SHARED: f64 = 0.3;

/// Pairs by half points: many decided, mostly even, and hardly ever anything else.
const DECIDED: [f64; 5] = [0.2, 0.1, 0.4, 0.1, 0.2];
const DRAWN: [f64; 5] = [0.01, 0.09, 0.8, 0.09, 0.01];
const RARELY_LOST: [f64; 5] = [0.014, 0.0, 0.986, 0.0, 0.0];
const HARDLY_DIFFERENT: [f64; 5] = [0.0, 0.006, 0.99, 0.004, 0.0];

/// Sizes of rows that are all to be equally wide.
fn sizes(rows: &[FirstStage], half_width: f64, budget: Option<u64>) -> Vec<u64> {
    super::sizes(&rows.iter().map(|row| (*row, half_width)).collect::<Vec<_>>(), budget)
}

fn score(shares: &[f64; 5]) -> f64 {
    shares.iter().zip(0u32..).map(|(share, half)| share * f64::from(half) / HALF_POINTS).sum()
}

/// The distribution turned towards wins or losses until it has this Elo.
fn turned(shares: [f64; 5], elo: f64) -> [f64; 5] {
    let at = |tilt: f64| {
        let weights: [f64; 5] = std::array::from_fn(|half| shares[half] * (tilt * half as f64).exp());
        weights.map(|weight| weight / weights.iter().sum::<f64>())
    };
    at(bisect(-20.0, 20.0, |tilt| score(&at(tilt)) < score_of_elo(elo)))
}

/// The rows of every simulated table.
fn rows() -> Vec<[f64; 5]> {
    let elo = [-150.0, -40.0, -8.0, 0.0, 20.0];
    let both = elo.into_iter().flat_map(|elo| [turned(DECIDED, elo), turned(DRAWN, elo)]);
    both.chain([RARELY_LOST, HARDLY_DIFFERENT]).collect()
}

/// The result for a number from 0 to 1.
fn drawn(shares: &[f64; 5], mut at: f64) -> u8 {
    for (share, half) in shares.iter().zip(0u8..) {
        at -= share;
        if at < 0.0 {
            return half;
        }
    }
    shares.iter().rposition(|share| *share > 0.0).unwrap_or_default() as u8
}

/// Plays tables: openings are shared, and the games of some are alike in all rows.
struct Simulation {
    rng: ChaCha8Rng,
    openings: Vec<Option<f64>>,
}

impl Simulation {
    fn new(seed: u64) -> Simulation {
        Simulation { rng: ChaCha8Rng::seed_from_u64(seed), openings: Vec::new() }
    }

    fn extend(&mut self, row: &mut Vec<u8>, shares: &[f64; 5], pairs: usize) {
        while self.openings.len() < pairs {
            let shared = self.rng.random_bool(SHARED).then(|| self.rng.random());
            self.openings.push(shared);
        }
        for at in row.len()..pairs {
            let number = self.openings[at].unwrap_or_else(|| self.rng.random());
            row.push(drawn(shares, number));
        }
    }

    /// A table measured in two stages.
    fn table(&mut self, rows: &[[f64; 5]], budget: Option<u64>) -> Vec<Vec<u8>> {
        self.openings.clear();
        let mut table = vec![Vec::new(); rows.len()];
        rows.iter().zip(&mut table).for_each(|(shares, row)| self.extend(row, shares, FIRST));
        let stages: Vec<FirstStage> = table.iter().map(|row| stage(row)).collect();
        let sizes = sizes(&stages, half_width_of_elo(WIDTH), budget);
        for ((shares, row), pairs) in rows.iter().zip(&mut table).zip(sizes) {
            self.extend(row, shares, pairs as usize);
        }
        table
    }
}

fn stage(row: &[u8]) -> FirstStage {
    FirstStage::new(counted(&row[..FIRST.min(row.len())])).expect("pairs")
}

fn contains(estimate: Estimate, truth: f64) -> bool {
    estimate.low <= truth && truth <= estimate.high
}

/// The target: of 1000 simulated tables the interval of every row contains the truth in at least 95 %, up to chance. With a budget, too,
/// and for the differences between neighbours.
#[test]
fn every_row_of_simulated_tables_contains_the_truth() {
    let rows = rows();
    let truths: Vec<f64> = rows.iter().map(|shares| elo_of_score(score(shares))).collect();
    for budget in [None, Some(12_000)] {
        let mut simulation = Simulation::new(7);
        let (mut held, mut apart) = (vec![0; rows.len()], vec![0; rows.len() - 1]);
        for _ in 0..TABLES {
            let table = simulation.table(&rows, budget);
            for (at, row) in table.iter().enumerate() {
                held[at] += usize::from(contains(stage(row).elo(counted(row)), truths[at]));
            }
            for (at, pair) in table.windows(2).enumerate() {
                let truth = truths[at] - truths[at + 1];
                apart[at] += usize::from(contains(difference(&pair[0], &pair[1], FIRST), truth));
            }
        }
        println!("budget {budget:?}: rows {held:?}, differences {apart:?}");
        for (at, held) in held.iter().enumerate() {
            assert!(*held >= HELD_MIN, "{:?} ({:.1} Elo), {budget:?}: {held} of {TABLES}", rows[at], truths[at]);
        }
        assert!(apart.iter().all(|held| *held >= HELD_MIN), "{budget:?}: {apart:?}");
        // The added pairs must not hide how good intervals of ordinary rows are.
        assert!(held[..8].iter().step_by(2).all(|held| *held <= 975), "{held:?}");
    }
}

#[test]
fn rows_without_effect_are_rarely_marked_and_large_effects_always() {
    let nothing = vec![turned(DECIDED, 0.0); 20];
    let mut rows = nothing.clone();
    rows.push(turned(DECIDED, -40.0));
    let mut simulation = Simulation::new(3);
    let (mut wrong, mut found, tables) = (0, 0, 200);
    for _ in 0..tables {
        let table = simulation.table(&rows, Some(20_000));
        let p_values: Vec<f64> = table.iter().map(|row| stage(row).p_value(counted(row))).collect();
        let marked = holm(&p_values);
        wrong += usize::from(marked[..nothing.len()].iter().any(|marked| *marked));
        found += usize::from(marked[nothing.len()]);
    }
    // 5 % of 200 tables are 10, with a standard deviation of 3.
    assert!(wrong <= 19 && found >= 195, "{wrong} wrong, {found} found");
}

/// By hand: 10 pairs with 2, 1, 4, 1 and 2 of the results have a mean of 1/2 and squares of 4/4 + 2/16 = 1.125. With the added pairs
/// (1) that is 2.125 by 9 + 4. t(0.975; 9) = 2.2622 from the published table.
#[test]
fn sizes_agree_with_an_example_by_hand() {
    let row = FirstStage::new(Pentanomial::new([2, 1, 4, 1, 2])).expect("ten pairs");
    let deviation = (2.125f64 / 13.0).sqrt();
    assert!((row.deviation - deviation).abs() < 1e-12, "{row:?}");
    // (2.2622 * 0.40430 / 0.05)^2 = 334.6.
    assert_eq!((row.pairs_for(0.05), row.pairs_for(0.5)), (335, 10));
    assert_eq!(sizes(&[row], 0.05, None), [335]);
    assert!((half_width_of_elo(WIDTH) - 0.011_511).abs() < 1e-6);
}

/// An interval from the variance of all pairs, or with the normal quantile, differs from these figures.
#[test]
fn the_interval_has_the_variance_of_the_first_stage_and_students_t() {
    let first = Pentanomial::new([2, 1, 4, 1, 2]);
    let row = FirstStage::new(first).expect("ten pairs");
    let mut all = first;
    all += Pentanomial::new([0, 0, 20, 10, 0]);
    let reach = 2.2622 * (2.125f64 / 13.0).sqrt() / 40f64.sqrt();
    let found = row.elo(all);
    let mean = (10.0 * 0.5 + 20.0 * 0.5 + 10.0 * 0.75) / 40.0;
    assert!((score_of_elo(found.value) - mean).abs() < 1e-9, "{found:?}");
    assert!((score_of_elo(found.low) - (mean - reach)).abs() < 1e-5, "{found:?}");
    assert!((score_of_elo(found.high) - (mean + reach)).abs() < 1e-5, "{found:?}");
    // t = 0.0625 * sqrt(40) / 0.40430 = 0.9777 with 9 degrees of freedom.
    assert!((row.p_value(all) - 0.3538).abs() < 2e-4, "{}", row.p_value(all));
}

#[test]
fn sizes_do_not_depend_on_means() {
    let stages = |rows: &[[u64; 5]]| -> Vec<FirstStage> {
        rows.iter().map(|counts| FirstStage::new(Pentanomial::new(*counts)).expect("pairs")).collect()
    };
    let rows = stages(&[[40, 30, 100, 30, 0], [1, 2, 190, 6, 1], [0, 60, 80, 60, 0]]);
    let swapped = stages(&[[0, 30, 100, 30, 40], [1, 6, 190, 2, 1], [0, 60, 80, 60, 0]]);
    let moved = stages(&[[40, 30, 100, 30, 0], [1, 2, 190, 6, 1], [60, 80, 60, 0, 0]]);
    for budget in [None, Some(650), Some(3000)] {
        let sizes = |rows: &[FirstStage]| super::tests::sizes(rows, half_width_of_elo(WIDTH), budget);
        assert_eq!(sizes(&rows), sizes(&swapped), "{budget:?}");
        assert_eq!(sizes(&rows), sizes(&moved), "{budget:?}");
    }
}

#[test]
fn a_budget_goes_to_the_widest_rows_until_all_are_equally_wide() {
    let row = |counts| FirstStage::new(Pentanomial::new(counts)).expect("pairs");
    let rows = [row([40, 20, 80, 20, 40]), row([0, 2, 196, 2, 0]), row([10, 40, 100, 40, 10])];
    let half = half_width_of_elo(WIDTH);
    let full = sizes(&rows, half, None);
    assert!(full[0] > full[2] && full[1] == 200, "{full:?}");
    let mut before = vec![200; 3];
    for budget in [0, 600, 700, 1500, 3000, full.iter().sum()] {
        let found = sizes(&rows, half, Some(budget));
        assert_eq!(found.iter().sum::<u64>(), budget.max(600));
        assert!(found.iter().zip(&before).all(|(now, before)| now >= before), "a larger budget only adds");
        before = found;
    }
    assert_eq!(before, full);
    let widths = |sizes: &[u64]| [0, 2].map(|at| rows[at].half_width(sizes[at]));
    let [first, third] = widths(&sizes(&rows, half, Some(3000)));
    assert!((first - third).abs() < 1e-5, "{first} {third}");
    // A row of which half the precision is requested gets a quarter of the pairs, with and without a budget.
    let uneven = [(rows[0], half), (rows[0], 2.0 * half)];
    for budget in [None, Some(2000)] {
        let [fine, coarse] = super::sizes(&uneven, budget)[..] else { panic!("two rows") };
        assert!(fine.abs_diff(4 * coarse) < 8, "{fine} {coarse}");
    }
    let equal = [rows[0]; 2];
    assert_eq!(sizes(&equal, half, Some(403)), [202, 201], "the first of equals");
}

#[test]
fn a_row_without_any_difference_has_an_interval() {
    let even = FirstStage::new(Pentanomial::new([0, 0, 200, 0, 0])).expect("pairs");
    let found = even.elo(Pentanomial::new([0, 0, 200, 0, 0]));
    assert!(found.value == 0.0 && found.high > 6.0 && found.high < 7.5 && found.low == -found.high, "{found:?}");
    assert!(even.pairs_for(half_width_of_elo(4.0)) > 200, "a narrower width needs more pairs");
    assert!(even.p_value(Pentanomial::new([0, 0, 200, 0, 0])) > 0.99);
    for counts in [[0; 5], [0, 0, 1, 0, 0]] {
        assert_eq!(FirstStage::new(Pentanomial::new(counts)), None);
    }
}

#[test]
fn rows_that_share_openings_are_compared_more_sharply() {
    let mut simulation = Simulation::new(11);
    let (one, other) = (turned(DECIDED, 0.0), turned(DECIDED, 10.0));
    let [mut a, mut b] = [Vec::new(), Vec::new()];
    simulation.extend(&mut a, &one, 3000);
    simulation.extend(&mut b, &other, 2000);
    let shared = difference(&a, &b, 2000);
    let mut turned: Vec<u8> = b.clone();
    turned.rotate_left(1);
    let apart = difference(&a, &turned, 2000);
    assert!((shared.value - apart.value).abs() < 1e-9 && contains(shared, -10.0), "{shared:?}");
    assert!(shared.margin() < apart.margin() * 0.93, "{} {}", shared.margin(), apart.margin());
    let same = difference(&a, &a, 2000);
    assert!(same.value == 0.0 && same.margin() < apart.margin() / 4.0, "{same:?}");
    assert_eq!(difference(&[4, 4, 4], &[0, 2, 1], 3), Estimate::UNKNOWN);
    assert!(difference(&[2], &[2], 1).margin().is_infinite());
}

/// Holm's procedure by hand: 0.05 / 4 = 0.0125, / 3 = 0.0167, / 2 = 0.025.
#[test]
fn p_values_are_corrected_together() {
    assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [true, false, false, true]);
    assert_eq!(holm(&[0.02, 0.02]), [true, true], "0.02 is below 0.05 / 2, then below 0.05");
    assert_eq!(holm(&[0.03, 0.001, 0.04]), [false, true, false], "0.03 is above 0.05 / 2");
    assert_eq!(holm(&[]), [false; 0]);
}
