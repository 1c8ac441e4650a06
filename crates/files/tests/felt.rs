//! Every parameter is felt: moved to one of its ends it changes the node count of the bench.
//!
//! A parameter that changes nothing is dead code or a typing error. The clock's parameters change times, not nodes, and are
//! tested beside the clock.

use quarterply_engine::params::{Entry, Kind, Parameters};
use quarterply_files::bench;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Depth and number of positions, cheapest first: most parameters are felt at once.
const BENCHES: [(u32, usize); 4] = [(6, 10), (9, 16), (12, 24), (13, 58)];

type Signatures = Mutex<HashMap<(String, usize), u64>>;

/// The settings under which a parameter of this group can matter: its rule on, and each other switch of the group turned over.
fn contexts(entry: &Entry) -> Vec<(String, Parameters)> {
    let mut on = Parameters::default();
    if on.get(&format!("{}.on", entry.group)).is_ok() {
        on.set(&format!("{}.on", entry.group), 1).expect("a switch");
    }
    let mut contexts = vec![(entry.group.to_owned(), on.clone())];
    for other in Parameters::specs().filter(|o| o.group == entry.group && o.spec.kind == Kind::Switch) {
        if other.spec.name != "on" && other.name != entry.name {
            let mut turned = on.clone();
            turned.set(&other.name, 1 - on.get(&other.name).expect("declared")).expect("a switch");
            contexts.push((format!("{} {}", entry.group, other.spec.name), turned));
        }
    }
    contexts
}

fn signature(known: &Signatures, name: &str, parameters: &Parameters, level: usize) -> u64 {
    let key = (name.to_owned(), level);
    if let Some(&nodes) = known.lock().expect("no test thread panicked").get(&key) {
        return nodes;
    }
    let (depth, count) = BENCHES[level];
    let nodes = bench::signature(parameters, depth, count);
    known.lock().expect("no test thread panicked").insert(key, nodes);
    nodes
}

fn is_felt(entry: &Entry, known: &Signatures) -> bool {
    for (level, &(depth, count)) in BENCHES.iter().enumerate() {
        for (name, context) in contexts(entry) {
            let usual = signature(known, &name, &context, level);
            let value = context.get(&entry.name).expect("declared");
            for end in [entry.spec.min, entry.spec.max].into_iter().filter(|&end| end != value) {
                let mut changed = context.clone();
                changed.set(&entry.name, end).expect("an end of the range");
                if bench::signature(&changed, depth, count) != usual {
                    return true;
                }
            }
        }
    }
    false
}

#[test]
fn every_parameter_is_felt_by_the_bench() {
    let entries: Vec<Entry> = Parameters::specs().filter(|entry| entry.group != "clock").collect();
    let (next, known, deaf) = (AtomicUsize::new(0), Signatures::default(), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !is_felt(entry, &known) {
                        deaf.lock().expect("no test thread panicked").push(entry.name.clone());
                    }
                }
            });
        }
    });
    let deaf = deaf.into_inner().expect("no test thread panicked");
    assert!(deaf.is_empty(), "nothing changes when these are moved to their ends: {}", deaf.join(", "));
}
