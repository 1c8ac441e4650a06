//! A trace as JSON lines: one object per recorded node, in the order the nodes were entered.

use super::{ShowError, name, position_of};
use crate::trace::{
    ChildSearch, CostLine, MoveCode, MoveOutcome, MoveRecord, NodeId, NodeRecord, NodeStep, Purpose, RuleReason, Trace,
};
use crate::words;
use quarterply_engine::node::NodeType;
use quarterply_engine::position::Position;
use quarterply_engine::score::{Bound, Depth, Score, Window};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Writes a node and everything below it.
pub fn write(out: &mut dyn Write, trace: &Trace, id: NodeId, position: &Position) -> Result<(), ShowError> {
    Json::new(trace).node(out, id, position, None)
}

/// The object of one node; `parent` is the number of the node above.
pub fn object(trace: &Trace, node: &NodeRecord, position: &Position, parent: Option<NodeId>) -> Value {
    Json::new(trace).object(node, position, parent)
}

struct Json<'a> {
    trace: &'a Trace,
    takes_rook: bool,
}

impl<'a> Json<'a> {
    fn new(trace: &'a Trace) -> Json<'a> {
        Json { trace, takes_rook: trace.header().chess960 }
    }

    fn node(
        &self,
        out: &mut dyn Write,
        id: NodeId,
        position: &Position,
        parent: Option<NodeId>,
    ) -> Result<(), ShowError> {
        let node = self.trace.node(id)?;
        writeln!(out, "{}", self.object(&node, position, parent))?;
        for child in node.children() {
            let record = self.trace.node(child)?;
            self.node(out, child, &position_of(&record, position)?, Some(id))?;
        }
        Ok(())
    }

    fn object(&self, node: &NodeRecord, position: &Position, parent: Option<NodeId>) -> Value {
        let [white, black] = node.budget.map(depth);
        json!({
            "id": node.id,
            "parent": parent,
            "iteration": node.iteration,
            "ply": node.ply,
            "purpose": node.purpose.map(Purpose::name),
            "move": node.mv.map(|mv| self.uci(mv)),
            "key": format!("{:016x}", position.key()),
            "expected": node.expected.name(),
            "actual": node.actual().map(NodeType::name),
            "quiescence": node.level,
            "in_check": node.in_check,
            "depth": depth(node.depth),
            "depth_out": depth(node.depth_out),
            "budget": { "white": white, "black": black },
            "window": window(node.window),
            "window_out": window(node.window_out),
            "excluded": node.excluded.map(|mv| self.uci(mv)),
            "table": node.table.map(|entry| json!({
                "score": entry.score.0,
                "bound": bound(entry.bound),
                "depth": depth(entry.depth),
                "move": entry.mv.map(|mv| self.uci(mv)),
                "static": entry.eval.map(|eval| eval.0),
                "from_iteration": entry.origin.map(|origin| origin.iteration),
                "from_node": entry.origin.and_then(|origin| origin.node),
            })),
            "static": node.value.filter(|_| !node.in_check).map(|value| json!({
                "raw": value.raw.map(|raw| raw.0),
                "corrected": value.corrected.0,
                "estimate": value.estimate.0,
                "improving": value.improving,
            })),
            "steps": node.steps.iter().map(|step| self.step(step, position)).collect::<Vec<_>>(),
            "ended": node.ended.as_ref().map(|by| self.reason_json(by)),
            "stored": node.stored,
            "score": node.score.map(|score| score.0),
            "nodes": node.nodes,
            "size": node.size,
            "unrecorded": node.unrecorded,
        })
    }

    fn step(&self, step: &NodeStep, position: &Position) -> Value {
        match step {
            NodeStep::Deepened { by, amount } => {
                json!({ "step": "deepened", "by": self.reason_json(by), "amount": depth(*amount) })
            }
            NodeStep::Probe { mv, search } => {
                let mv = mv.map(|mv| self.uci(mv));
                json!({ "step": "probe", "move": mv, "search": self.search(search) })
            }
            NodeStep::Move(mv) => self.mv(mv, position),
        }
    }

    fn mv(&self, mv: &MoveRecord, position: &Position) -> Value {
        let mut object = json!({
            "step": "move",
            "move": self.uci(mv.mv),
            "san": name(position, Some(mv.mv)),
            "stage": mv.stage.name(),
            "order": mv.order,
            "history": mv.history,
            "gives_check": mv.gives_check,
            "number": mv.number,
        });
        match &mv.outcome {
            MoveOutcome::Unknown => {}
            MoveOutcome::Skipped { by, rest } => {
                object["skipped"] = self.reason_json(by);
                object["rest"] = json!(rest.name());
            }
            MoveOutcome::Searched(searched) => {
                let line = |line: &CostLine| json!({ "by": self.reason_json(&line.by), "cost": depth(line.cost), "words": words::breakdown(line, self.trace.labels(line.by.rule)) });
                object["breakdown"] = searched.breakdown.iter().map(line).collect();
                object["deducted"] = json!(searched.deducted.map(depth));
                object["tries"] = searched.tries.iter().map(|search| self.search(search)).collect();
                object["score"] = json!(searched.value.map(|value| value.score.0));
                object["decision"] = json!(searched.value.map(|value| value.decision.name()));
            }
        }
        object
    }

    fn search(&self, search: &ChildSearch) -> Value {
        json!({
            "purpose": search.purpose.name(),
            "cost": depth(search.cost),
            "child": search.child,
            "size": search.size,
            "unrecorded": search.unrecorded,
            "nodes": search.nodes,
            "score": search.score.map(|score| score.0),
        })
    }

    fn reason_json(&self, by: &RuleReason) -> Value {
        let labels = self.trace.labels(by.rule);
        let numbers: Map<String, Value> =
            labels.iter().zip(&by.numbers).map(|(label, &number)| (label.clone(), json!(number))).collect();
        json!({ "rule": by.rule.name(), "numbers": numbers, "words": words::rule_and_reason(by, labels) })
    }

    fn uci(&self, code: MoveCode) -> String {
        code.uci(self.takes_rook)
    }
}

fn depth(depth: Depth) -> i32 {
    depth.0
}

fn window(window: Window) -> [Option<i32>; 2] {
    let open = |score: Score| (score.0.abs() < Score::INFINITE.0).then_some(score.0);
    [open(window.alpha), open(window.beta)]
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Upper => "upper",
        Bound::Lower => "lower",
        Bound::Exact => "exact",
    }
}
