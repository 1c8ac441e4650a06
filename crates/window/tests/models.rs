//! Event tables of worked models, and random models against plain minimax.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use common::{root, shipped};
use proptest::prelude::*;
use quarterply_engine::search::classic::Decision;
use quarterply_window::text::sargon;
use quarterply_window::{Model, ModelEvent};
use serde_json::Value;

#[test]
fn shipped_models_have_their_event_tables() {
    let mut compared = 0;
    for entry in fs::read_dir(root().join("data/models")).expect("the models") {
        let table = entry.expect("directory entry").path();
        let Some(stem) = table.to_str().and_then(|path| path.strip_suffix(".expected.json")) else { continue };
        let model = Model::read(Path::new(&format!("{stem}.json"))).expect("the model of a table");
        let expected: Value = serde_json::from_str(&fs::read_to_string(&table).expect("readable")).expect("JSON");
        let found = model.run().to_json();
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(&found[name], value, "{stem}: {name}");
        }
        compared += 1;
    }
    assert!(compared >= 8, "{compared} models");
}

/// Board, diagram, line, remarks and log are those of the original program, the lists those of another program of ours.
#[test]
fn the_five_examples_print_the_text_of_a_window_into_sargon() {
    for number in 1..=5 {
        let model = shipped(&format!("example-{number}"));
        let text = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/sargon/example-{number}.txt"));
        let expected = fs::read_to_string(text).expect("the text");
        let found = sargon(&model.run());
        for (line, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "example {number}, line {}", line + 1);
        }
        assert_eq!(found, expected, "example {number}");
    }
}

/// The labels of the diagram; true if adjacent characters connect the label with the root.
fn labels(diagram: &[Vec<char>]) -> Vec<(String, bool)> {
    let is_label = |c: &char| c.is_alphanumeric() || *c == '(';
    let starts = diagram.iter().enumerate().filter_map(|(row, line)| Some((row, line.iter().position(is_label)?)));
    let starts: Vec<(usize, usize)> = starts.collect();
    let filled =
        |row: usize, column: usize| diagram.get(row).and_then(|line| line.get(column)).is_some_and(|c| *c != ' ');
    let root = starts.iter().copied().find(|(row, column)| diagram[*row][*column..].starts_with(&['(', 'r']));
    let mut open: Vec<(usize, usize)> = root.into_iter().collect();
    let mut reached: HashSet<(usize, usize)> = HashSet::new();
    while let Some((row, column)) = open.pop() {
        if filled(row, column) && reached.insert((row, column)) {
            let rows = row.saturating_sub(1)..=row + 1;
            open.extend(rows.flat_map(|row| (column.saturating_sub(1)..=column + 1).map(move |column| (row, column))));
        }
    }
    let label = |(row, column): (usize, usize)| {
        let text = diagram[row][column..].iter().take_while(|c| !" |".contains(**c)).collect();
        (text, reached.contains(&(row, column)))
    };
    starts.into_iter().map(label).collect()
}

/// A random model: keys with their score and static score.
fn any_model() -> impl Strategy<Value = Vec<(String, i32, Option<i32>)>> {
    let widths = prop::collection::vec(0usize..4, 1..60);
    (widths, prop::collection::vec((-140i32..140, prop::option::of(-140i32..140)), 200)).prop_map(|(widths, scores)| {
        let mut nodes = Vec::new();
        let mut open = vec![String::new()];
        for (index, width) in widths.into_iter().enumerate() {
            if index >= open.len() {
                break;
            }
            // The root must have a child; nothing else must.
            let width = if index == 0 { width.max(1) } else { width };
            let parent = open[index].clone();
            let letters = if parent.len() % 2 == 0 { ["A", "B", "C"] } else { ["G", "H", "I"] };
            for letter in &letters[..width] {
                let key = format!("{parent}{letter}");
                let (score, guess) = scores[nodes.len() % scores.len()];
                nodes.push((key.clone(), score, guess));
                open.push(key);
            }
        }
        nodes
    })
}

fn parse(nodes: &[(String, i32, Option<i32>)]) -> Model {
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|(key, score, guess)| {
            let mut node = serde_json::json!({"key": key, "line": key, "score": f64::from(*score) / 10.0});
            if let Some(guess) = guess {
                node["static"] = serde_json::json!(f64::from(*guess) / 10.0);
            }
            node
        })
        .collect();
    Model::parse(&serde_json::json!({"nodes": nodes}).to_string()).expect("valid model")
}

/// Plain minimax for the side that moved to `place`.
fn minimax(model: &Model, place: usize) -> i32 {
    let node = &model.nodes()[place];
    node.children.iter().map(|&child| minimax(model, child)).max().map_or(node.score.0, |best| -best)
}

proptest! {
    #[test]
    fn random_models_have_the_minimax_value(nodes in any_model()) {
        let model = parse(&nodes);
        let run = model.run();
        prop_assert_eq!(run.value.0, -minimax(&model, 0));
    }

    #[test]
    fn the_line_leads_to_a_leaf_of_the_root_value(nodes in any_model()) {
        let model = parse(&nodes);
        let run = model.run();
        let leaf = run.node(*run.pv.last().expect("a line"));
        prop_assert!(leaf.children.is_empty(), "the line ends at {}", leaf.key);
        let sign = if leaf.ply % 2 == 1 { 1 } else { -1 };
        prop_assert_eq!(leaf.score.0 * sign, run.value.0);
    }

    /// One list has the asterisks of minimax, which finds the same line; those of the search are among them.
    #[test]
    fn diagram_and_lists_hold_every_node_and_both_lists_give_the_same_line(nodes in any_model()) {
        let model = parse(&nodes);
        let run = model.run();
        let text = sargon(&run);
        let diagram: Vec<Vec<char>> =
            text.lines().take_while(|line| !line.is_empty()).map(|line| line.chars().collect()).collect();
        let mut found = labels(&diagram);
        let mut expected: Vec<(String, bool)> = nodes.iter().map(|(key, ..)| (key.clone(), true)).collect();
        expected.push(("(root)".to_owned(), true));
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected, "{}", text);
        let lists: Vec<&str> = text.rsplitn(5, "\n\n").take(4).collect();
        let arrows = |list: &str| list.lines().filter(|line| line.contains("<----")).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(arrows(lists[0]), arrows(lists[1]));
        prop_assert_eq!(arrows(lists[0]).len(), run.pv.len());
        let starred = |list: &str| -> HashSet<String> {
            list.lines().filter_map(|line| Some(line.split_once(" *")?.0.to_owned())).collect()
        };
        prop_assert!(starred(lists[0]).is_subset(&starred(lists[1])), "{}", text);
        prop_assert_eq!(starred(lists[0]).len(), run.best_list.len());
        prop_assert!(lists.iter().all(|list| list.lines().count() == nodes.len() + 1), "{}", text);
    }
}

#[test]
fn the_tutorial_page_shows_the_diagram_as_it_is_printed() {
    let page = fs::read_to_string(root().join("docs/tutorial.md")).expect("docs/tutorial.md");
    let model = shipped("early-leaf");
    let diagram = quarterply_window::text::diagram(&model.run());
    assert!(page.contains(&diagram), "put this into docs/tutorial.md:\n{diagram}");
}

/// The search once more, written from its description with one threshold per ply: an event is a key with its decision.
struct Thresholds<'a> {
    model: &'a Model,
    open: i32,
    thresholds: Vec<i32>,
    events: Vec<(String, Option<Decision>)>,
}

impl<'a> Thresholds<'a> {
    fn run(model: &'a Model) -> Vec<(String, Option<Decision>)> {
        const OPEN: i32 = 1000;
        let plies = usize::from(model.depth()) + 2;
        let mut search =
            Thresholds { model, open: OPEN, thresholds: vec![OPEN; plies], events: vec![(String::new(), None)] };
        search.expand(0, 0);
        search.events
    }

    /// `false` if a child cut.
    fn expand(&mut self, place: usize, ply: usize) -> bool {
        let model = self.model;
        let below = ply + 1;
        self.thresholds[below] = if below >= 2 { self.thresholds[below - 2] } else { self.open };
        let mut children = model.nodes()[place].children.clone();
        let last = below == usize::from(model.depth());
        if !last {
            self.events.extend(children.iter().map(|&child| (model.nodes()[child].key.clone(), None)));
            children.sort_by_key(|&child| -model.nodes()[child].guess.0);
        }
        for child in children {
            let node = &model.nodes()[child];
            if last {
                self.events.push((node.key.clone(), None));
            }
            let value = if node.children.is_empty() {
                node.score.0
            } else if self.expand(child, below) {
                self.thresholds[below + 1]
            } else {
                continue;
            };
            let two_ply = self.thresholds[below - 1];
            let decision = if value >= two_ply {
                Decision::Cutoff
            } else if -value < self.thresholds[below] {
                self.thresholds[below] = -value;
                Decision::Best
            } else {
                Decision::NotBest
            };
            self.events.push((node.key.clone(), Some(decision)));
            if decision == Decision::Cutoff {
                return false;
            }
        }
        true
    }
}

proptest! {
    #[test]
    fn random_models_have_the_events_of_the_description(nodes in any_model()) {
        let model = parse(&nodes);
        let found: Vec<(String, Option<Decision>)> = model
            .run()
            .events
            .iter()
            .map(|event| match event {
                ModelEvent::Created { node } => (model.nodes()[*node].key.clone(), None),
                ModelEvent::Evaluated(e) => (model.nodes()[e.node].key.clone(), Some(e.result.decision)),
            })
            .collect();
        prop_assert_eq!(found, Thresholds::run(&model));
    }
}
