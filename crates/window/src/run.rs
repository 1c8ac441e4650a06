//! A model searched: every event, the principal variation and the value.

use std::collections::{BTreeMap, HashSet};

use quarterply_engine::score::{Ply, Score, Window};
use quarterply_engine::search::classic::{self, ClassicWatch, Decision, GameTree, ValuedNode};
use serde_json::{Value, json};

use crate::model::{Model, Node, pawns};

/// Text of an open threshold.
const OPEN: &str = "MAX";

/// An event of a run. Nodes are given by their place in [`Model::nodes`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ModelEvent {
    /// A node was created.
    Created {
        /// Which node.
        node: usize,
    },
    /// A node was evaluated.
    Evaluated(Evaluation),
}

/// An evaluation in a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evaluation {
    /// Which node.
    pub node: usize,
    /// Its place among all evaluations of the run, from 1.
    pub order: usize,
    /// The value, the thresholds and the outcome.
    pub result: ValuedNode,
}

impl Evaluation {
    /// The threshold two plies lower: reaching it cuts.
    pub fn two_ply(&self) -> Score {
        self.result.window.beta
    }

    /// The threshold one ply lower, as it is stored: the negated value is compared with it.
    pub fn one_ply(&self) -> Score {
        -self.result.window.alpha
    }
}

/// The search of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelRun<'a> {
    /// The model.
    pub model: &'a Model,
    /// All events, in order.
    pub events: Vec<ModelEvent>,
    /// The nodes that became best of their siblings, in order.
    pub best_list: Vec<usize>,
    /// The principal variation.
    pub pv: Vec<usize>,
    /// The root value for the side to move, in eighths.
    pub value: Score,
}

impl Model {
    /// Searches the model.
    pub fn run(&self) -> ModelRun<'_> {
        let mut record = RunRecorder { events: Vec::new(), best_list: Vec::new(), order: 0 };
        let value = classic::search(&mut ModelTree(self), 0, &mut record);
        let pv = principal_variation(self.nodes(), &record.best_list);
        ModelRun { model: self, events: record.events, best_list: record.best_list, pv, value }
    }
}

/// A model as the search sees it: nodes are places in the list.
struct ModelTree<'a>(&'a Model);

impl GameTree for ModelTree<'_> {
    type Node = usize;
    type Step = usize;

    fn depth(&self) -> Ply {
        Ply(self.0.depth())
    }

    fn steps(&mut self, node: &usize, _: Ply) -> Vec<usize> {
        self.0.nodes()[*node].children.clone()
    }

    fn child(&mut self, _: &usize, step: usize, _: Ply) -> usize {
        step
    }

    fn guess(&mut self, node: &usize) -> Score {
        self.0.nodes()[*node].guess
    }

    fn value(&mut self, leaf: &usize, _: Ply, _: Window) -> Score {
        self.0.nodes()[*leaf].score
    }
}

struct RunRecorder {
    events: Vec<ModelEvent>,
    best_list: Vec<usize>,
    order: usize,
}

impl ClassicWatch<usize> for RunRecorder {
    fn created(&mut self, &node: &usize, _: Ply) {
        self.events.push(ModelEvent::Created { node });
    }

    fn valued(&mut self, &node: &usize, &result: &ValuedNode) {
        self.order += 1;
        if result.decision == Decision::Best {
            self.best_list.push(node);
        }
        self.events.push(ModelEvent::Evaluated(Evaluation { node, order: self.order, result }));
    }
}

/// One scan of the best list from its end: a node that is one ply longer than the line and continues it is appended.
pub(crate) fn principal_variation(nodes: &[Node], best_list: &[usize]) -> Vec<usize> {
    let mut line: Vec<usize> = Vec::new();
    for &place in best_list.iter().rev() {
        let node = &nodes[place];
        let so_far = line.last().map_or("", |&last| nodes[last].key.as_str());
        if usize::from(node.ply) == line.len() + 1 && node.key.starts_with(so_far) {
            line.push(place);
        }
    }
    line
}

/// A score or threshold as text: three decimals, `MAX` and `-MAX` when open.
pub fn shown(score: Score) -> String {
    if score == Score::INFINITE {
        OPEN.to_owned()
    } else if score == -Score::INFINITE {
        format!("-{OPEN}")
    } else {
        format!("{:.3}", pawns(score))
    }
}

impl<'a> ModelRun<'a> {
    /// The node at `place` of the model.
    pub fn node(&self, place: usize) -> &'a Node {
        &self.model.nodes()[place]
    }

    /// The evaluation of the node at `place`, if it was evaluated.
    pub fn evaluation(&self, place: usize) -> Option<&Evaluation> {
        self.evaluations().find(|evaluated| evaluated.node == place)
    }

    /// All evaluations in order.
    pub fn evaluations(&self) -> impl Iterator<Item = &Evaluation> {
        self.events.iter().filter_map(|event| match event {
            ModelEvent::Evaluated(evaluated) => Some(evaluated),
            ModelEvent::Created { .. } => None,
        })
    }

    /// All nodes that were created, in order.
    pub fn created(&self) -> impl Iterator<Item = usize> {
        self.events.iter().filter_map(|event| match event {
            ModelEvent::Created { node } => Some(*node),
            ModelEvent::Evaluated(_) => None,
        })
    }

    /// The line shown for the principal variation.
    pub fn pv_line(&self) -> &'a str {
        self.pv.last().map_or("", |&place| self.node(place).line.as_str())
    }

    /// The whole run as an event table in JSON.
    pub fn to_json(&self) -> Value {
        let keys =
            |places: &[usize]| -> Vec<&str> { places.iter().map(|&place| self.node(place).key.as_str()).collect() };
        let by_number = self.model.by_number();
        let numbers: BTreeMap<&str, usize> = by_number.iter().map(|node| (node.key.as_str(), node.number)).collect();
        let evaluated: BTreeMap<&str, usize> =
            self.evaluations().map(|e| (self.node(e.node).key.as_str(), e.order)).collect();
        let created: HashSet<&str> = self.created().map(|node| self.node(node).key.as_str()).collect();
        let listed = || by_number.iter().map(|node| node.key.as_str()).filter(|key| !key.is_empty());
        let count = |decision| self.evaluations().filter(|e| e.result.decision == decision).count();
        json!({
            "name": self.model.name,
            "depth": self.model.depth(),
            "numbers": numbers,
            "events": self.events.iter().map(|event| self.event_json(event)).collect::<Vec<_>>(),
            "best_list": keys(&self.best_list),
            "pv": keys(&self.pv),
            "pv_line": self.pv_line(),
            "value": pawns(self.value),
            "asterisks": keys(&self.pv),
            "evaluated": evaluated,
            "not_evaluated": listed().filter(|key| !evaluated.contains_key(key)).collect::<Vec<_>>(),
            "not_created": listed().filter(|&key| !created.contains(key)).collect::<Vec<_>>(),
            "counts": {
                "best": count(Decision::Best),
                "not-best": count(Decision::NotBest),
                "cutoff": count(Decision::Cutoff),
            },
        })
    }

    fn event_json(&self, event: &ModelEvent) -> Value {
        match event {
            ModelEvent::Created { node } => {
                let node = self.node(*node);
                json!({"event": "created", "number": node.number, "key": node.key, "line": node.line, "ply": node.ply})
            }
            ModelEvent::Evaluated(e) => {
                let node = self.node(e.node);
                json!({
                    "event": "evaluated",
                    "order": e.order,
                    "ply": node.ply,
                    "key": node.key,
                    "line": node.line,
                    "value": pawns(e.result.value),
                    "two_ply": number_json(e.two_ply()),
                    "one_ply": number_json(e.one_ply()),
                    "decision": e.result.decision.name().replace(' ', "-"),
                    "shown": {
                        "value": shown(e.result.value),
                        "negated": shown(-e.result.value),
                        "two_ply": shown(e.two_ply()),
                        "one_ply": shown(e.one_ply()),
                        "alpha_beta": shown(e.result.window.beta),
                        "minimax": shown(e.result.window.alpha),
                    },
                })
            }
        }
    }
}

fn number_json(score: Score) -> Value {
    if score == Score::INFINITE { json!(OPEN) } else { json!(pawns(score)) }
}
