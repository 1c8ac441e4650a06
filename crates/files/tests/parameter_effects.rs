//! Every parameter has an effect: moved to one of its ends it changes the node count of the bench, or of a few positions for rare
//! rules.
//!
//! With `GROUPS=check,threat` only these groups are tested, while a rule is written. A parameter without an effect is dead code or
//! a typing error. Parameters in [`ELSEWHERE`] are tested in other tests.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterEntry, ParameterKind, Parameters};
use quarterply_engine::position::Game;
use quarterply_engine::rules::learned_cost;
use quarterply_engine::search::pool::Engine;
use quarterply_files::bench;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The search of a test.
enum TestSearch {
    /// This number of positions of the bench to this depth.
    Bench(u32, usize),
    /// The rare positions to this depth.
    Rare(u32),
}

/// Cheapest first: most parameters change the first.
const SEARCHES: [TestSearch; 5] = [
    TestSearch::Bench(6, 10),
    TestSearch::Rare(9),
    TestSearch::Bench(9, 16),
    TestSearch::Bench(12, 24),
    TestSearch::Bench(13, 58),
];

/// Last pieces that can be traded, kings with one move that are not in check, mates that are found at once, promotions next to a king
/// without moves.
const RARE: [&str; 7] = [
    "8/5pk1/4r1p1/7p/7P/6P1/4R1K1/8 w - - 0 1",
    "8/8/4kpp1/3n3p/7P/3B2P1/5PK1/8 w - - 0 1",
    "8/3r1pk1/6p1/7p/1P5P/2P3P1/P2R1PK1/8 w - - 0 1",
    "k7/8/K1p5/2P5/8/8/8/1N6 b - - 0 1",
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
    "7k/p5pP/6P1/8/8/8/P5pp/6BK w - - 0 1",
    "5rk1/1p3ppQ/p1p5/6N1/3P4/8/PPq2PPP/R5K1 b - - 0 1",
];

/// Groups that have an effect only with this value of a parameter of another group, or have it sooner with another value of their
/// own.
const NEEDS: [(&str, &str, i32); 4] = [
    ("attack_layer", "budget.separate", 1),
    ("botvinnik_markoff", "null_move.modern", 0),
    ("null_move", "null_move.verify_depth_min", 4),
    ("threat", "null_move.modern", 0),
];

/// Groups that other tests cover.
const ELSEWHERE: [&str; 3] = [
    // They change times, not nodes: tested with the clock.
    "clock",
    // Some choose between moves and change no nodes: `every_parameter_of_a_consultation_is_felt` in the engine.
    "consultation",
    // They are read together with a network only: `changes_of_source_and_of_style_are_distinguished` in the engine.
    "network",
];

/// The nodes of each position, by name of the setting and number of the search.
type Signatures = Mutex<HashMap<(String, usize), Vec<u64>>>;

/// The settings under which a parameter of this group can have an effect: its rule on, and each other switch of the group
/// inverted. With the classical evaluation, which has its own parameters and handles the rare positions well.
fn contexts(entry: &ParameterEntry) -> Vec<(String, Parameters)> {
    let mut on = Parameters::classical();
    if on.get(&format!("{}.on", entry.group)).is_ok() {
        on.set(&format!("{}.on", entry.group), 1).expect("a switch");
    }
    for (_, needed, value) in NEEDS.iter().filter(|(group, ..)| *group == entry.group) {
        on.set(needed, *value).expect("within its range");
    }
    let mut contexts = vec![(entry.group.to_owned(), on.clone())];
    for other in Parameters::specs().filter(|o| o.group == entry.group && o.spec.kind == ParameterKind::Switch) {
        if other.spec.name != "on" && other.name != entry.name {
            let mut turned = on.clone();
            turned.set(&other.name, 1 - on.get(&other.name).expect("declared")).expect("a switch");
            contexts.push((format!("{} {}", entry.group, other.spec.name), turned));
        }
    }
    contexts
}

/// The positions that a search goes over.
fn games(search: &TestSearch) -> Vec<Game> {
    match *search {
        TestSearch::Bench(_, count) => {
            let records = bench::positions().into_iter().take(count);
            records.map(|record| Game::from_chess(record.position.clone(), record.mode)).collect()
        }
        TestSearch::Rare(_) => RARE.iter().map(|fen| Game::standard(fen).expect(fen)).collect(),
    }
}

/// The nodes of each position, in new games; as lazily as it is read. With `most`, no position takes many more nodes than that.
fn nodes<'a>(
    parameters: &Parameters,
    search: &TestSearch,
    most: impl Iterator<Item = Option<u64>> + 'a,
) -> impl Iterator<Item = u64> + 'a {
    let (TestSearch::Bench(depth, _) | TestSearch::Rare(depth)) = *search;
    let mut engine = Engine::new(parameters.clone());
    engine.resize(1).expect("a little memory");
    games(search).into_iter().zip(most).map(move |(game, nodes)| {
        engine.new_game();
        let limits = Limits { depth: Some(depth), nodes, ..Limits::default() };
        engine.search_within(&game, &limits).nodes
    })
}

fn signature(known: &Signatures, name: &str, parameters: &Parameters, level: usize) -> Vec<u64> {
    let key = (name.to_owned(), level);
    if let Some(found) = known.lock().expect("no test thread panicked").get(&key) {
        return found.clone();
    }
    let found: Vec<u64> = nodes(parameters, &SEARCHES[level], std::iter::repeat(None)).collect();
    known.lock().expect("no test thread panicked").insert(key, found.clone());
    found
}

/// Returns true if a position takes another number of nodes than usual. The search ends at the first that does.
fn differs(changed: &Parameters, search: &TestSearch, usual: &[u64]) -> bool {
    let most = usual.iter().map(|nodes| Some(nodes + 1));
    nodes(changed, search, most).zip(usual).any(|(found, usual)| found != *usual)
}

fn has_effect(entry: &ParameterEntry, known: &Signatures) -> bool {
    for (level, search) in SEARCHES.iter().enumerate() {
        for (name, context) in contexts(entry) {
            let usual = signature(known, &name, &context, level);
            let value = context.get(&entry.name).expect("declared");
            for end in [entry.spec.min, entry.spec.max].into_iter().filter(|&end| end != value) {
                let mut changed = context.clone();
                changed.set(&entry.name, end).expect("an end of the range");
                if differs(&changed, search, &usual) {
                    return true;
                }
            }
        }
    }
    false
}

/// Those of `realization` have tests in the engine: `every_weight_changes_a_chance` and `every_chance_of_a_kind_changes_a_search`.
#[test]
fn every_weight_of_the_learned_cost_changes_the_bench() {
    let mut usual = Parameters::classical();
    usual.set("learned_cost.on", 1).expect("a switch");
    let known = Signatures::default();
    let has_effect = |name: &str| {
        SEARCHES.iter().enumerate().any(|(level, search)| {
            let nodes = signature(&known, "learned_cost", &usual, level);
            [learned_cost::WEIGHTS.min, learned_cost::WEIGHTS.max].into_iter().any(|end| {
                let mut changed = usual.clone();
                changed.restore(&format!("learned_cost.{name}"), end).expect("an end of the range");
                differs(&changed, search, &nodes)
            })
        })
    };
    let names = learned_cost::WEIGHTS.coefficients.iter().map(|coefficient| coefficient.name);
    assert_all_effective(&names.filter(|name| !has_effect(name)).collect::<Vec<_>>());
}

fn assert_all_effective(without_effect: &[&str]) {
    assert!(without_effect.is_empty(), "nothing changes when these are moved to their ends: {without_effect:?}");
}

/// Tests that take many seconds; `.ci/run` runs them.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn every_parameter_changes_the_bench() {
        let selected = std::env::var("GROUPS").ok();
        let is_selected = |group: &str| selected.as_ref().is_none_or(|list| list.split(',').any(|one| one == group));
        let is_here = |entry: &ParameterEntry| !ELSEWHERE.contains(&entry.group);
        let entries: Vec<ParameterEntry> =
            Parameters::specs().filter(|entry| is_here(entry) && is_selected(entry.group)).collect();
        let (next, known, without_effect) = (AtomicUsize::new(0), Signatures::default(), Mutex::new(Vec::new()));
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if !has_effect(entry, &known) {
                            without_effect.lock().expect("no test thread panicked").push(entry.name.as_str());
                        }
                    }
                });
            }
        });
        assert_all_effective(&without_effect.into_inner().expect("no test thread panicked"));
    }
}
