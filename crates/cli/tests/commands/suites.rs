//! The suites that come with the program: well formed, graded, disjoint, and our own.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use quarterply_engine::position::Position;
use quarterply_files::epd::{Record, read_suite};
use quarterply_lab::mine::difficulty;
use shakmaty::{Color, Position as _};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/suites");
/// Public suites: present on some machines, next to the working copy.
const PUBLIC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/suites");

/// Our suites and the least number of positions of each.
const OWN: [(&str, usize); 3] = [("quarterply-24", 24), ("quarterply-tactics", 1000), ("quarterply-holdout", 300)];

/// Nodes of the search that missed every solution when the suites were made.
const SHALLOW_NODES: u64 = 1000;

fn suite(name: &str) -> Vec<Record> {
    let suite = read_suite(&Path::new(FOLDER).join(format!("{name}.epd"))).unwrap_or_else(|e| panic!("{e}"));
    assert!(suite.skipped.is_empty(), "{:?}", suite.skipped);
    suite.records
}

fn key(record: &Record) -> u64 {
    Position::from_chess(record.position.clone()).key()
}

/// The text of `c9`.
fn remark(record: &Record) -> &str {
    let c9 = record.others.iter().find(|operation| operation.name == "c9").unwrap_or_else(|| panic!("{record}"));
    &c9.operands[0].text
}

/// The nodes to the solution, which end the remark.
fn nodes(record: &Record) -> u64 {
    let words = remark(record).split(' ').collect::<Vec<_>>();
    assert_eq!(words.last(), Some(&"nodes"), "{record}");
    words[words.len() - 2].parse().unwrap_or_else(|e| panic!("{record}: {e}"))
}

#[test]
fn every_position_has_one_legal_solution_and_a_name_of_its_own() {
    for (name, least) in OWN {
        let records = suite(name);
        assert!(records.len() >= least, "{name}: {}", records.len());
        let ids: HashSet<_> = records.iter().map(|record| record.id.clone().expect("an id")).collect();
        assert_eq!(ids.len(), records.len(), "{name}");
        for record in &records {
            let legal = record.position.legal_moves();
            assert!(legal.len() > 1 && record.best.len() == 1 && legal.contains(&record.best[0]), "{name}: {record}");
        }
    }
}

#[test]
fn no_position_stands_twice_in_our_suites() {
    let mut seen = HashMap::new();
    for (name, _) in OWN {
        for record in suite(name) {
            let before = seen.insert(key(&record), name);
            assert!(before.is_none(), "{name} and {before:?}: {record}");
        }
    }
}

#[test]
fn positions_are_graded_from_easy_to_hard() {
    for (name, _) in OWN {
        let effort = suite(name).iter().map(nodes).collect::<Vec<_>>();
        assert!(effort.is_sorted(), "{name}");
        assert!(effort.first() >= Some(&SHALLOW_NODES), "{name}: {:?}", effort.first());
    }
}

#[test]
fn all_grades_are_there_and_each_position_has_its_own() {
    for (name, _) in &OWN[1..] {
        let records = suite(name);
        for record in &records {
            assert_eq!(remark(record).split(';').next(), Some(difficulty(nodes(record))), "{name}: {record}");
        }
        for grade in ["easy", "medium", "hard"] {
            let count = records.iter().filter(|record| remark(record).starts_with(grade)).count();
            assert!(count >= records.len() / 10, "{name}: {count} positions are {grade}");
        }
    }
}

#[test]
fn both_sides_have_their_share_of_the_moves() {
    for (name, _) in OWN {
        let records = suite(name);
        for color in Color::ALL {
            let count = records.iter().filter(|record| record.position.turn() == color).count();
            assert!(count >= records.len() / 4, "{name}: {count} positions with {color} to move");
        }
    }
}

#[test]
fn no_position_is_from_a_public_suite() {
    let own: HashSet<u64> = OWN.iter().flat_map(|(name, _)| suite(name)).map(|record| key(&record)).collect();
    let Ok(folder) = std::fs::read_dir(PUBLIC) else { return };
    let is_epd = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "epd");
    for path in folder.flatten().map(|entry| entry.path()).filter(is_epd) {
        let public = read_suite(&path).unwrap_or_else(|e| panic!("{e}"));
        for record in public.records.iter().filter(|record| record.has_task()) {
            assert!(!own.contains(&key(record)), "{}: {record}", path.display());
        }
    }
}
