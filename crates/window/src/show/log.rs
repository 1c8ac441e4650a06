//! Every event in its order, one line each.

use super::{ShowError, name, position_of, probe_name};
use crate::trace::{ChildSearch, MoveOutcome, MoveRecord, NodeId, NodeRecord, NodeStep, SearchedMove, TableHit, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::score::Depth;
use quarterply_engine::words::grouped;
use std::io::Write;

/// Indentation of each ply, in spaces.
const STEP: usize = 2;

/// Writes the events of a node and of everything below it.
pub fn write(out: &mut dyn Write, trace: &Trace, id: NodeId, position: &Position) -> Result<(), ShowError> {
    let mut log = Log { out, trace };
    let node = trace.node(id)?;
    log.node(&node, position, "root", 0)
}

struct Log<'a> {
    out: &'a mut dyn Write,
    trace: &'a Trace,
}

impl Log<'_> {
    fn write_line(&mut self, level: usize, text: &str) -> Result<(), ShowError> {
        writeln!(self.out, "{:width$}{text}", "", width = level * STEP)?;
        Ok(())
    }

    fn node(&mut self, node: &NodeRecord, position: &Position, title: &str, level: usize) -> Result<(), ShowError> {
        self.write_line(level, &entered(node, position, title))?;
        if let Some(entry) = &node.table {
            self.write_line(level + 1, &self.table(entry, position))?;
        }
        if let Some(value) = &node.value
            && let Some(raw) = value.raw
        {
            let trend = if value.improving { ", improving" } else { "" };
            let (corrected, estimate) = (words::score(value.corrected), words::score(value.estimate));
            let raw = words::score(raw);
            self.write_line(
                level + 1,
                &format!("static value {raw}, corrected {corrected}, estimate {estimate}{trend}"),
            )?;
        }
        for step in &node.steps {
            self.step(step, position, level + 1)?;
        }
        if let Some(by) = &node.ended {
            self.write_line(level + 1, &format!("ended by {}", self.trace.words(by)))?;
        }
        self.write_line(level, &left(node))
    }

    fn table(&self, entry: &TableHit, position: &Position) -> String {
        let origin = match entry.origin {
            None => "from before".to_owned(),
            Some(origin) => {
                let iteration = &self.trace.summary().iterations[origin.iteration];
                let depth = words::plies(Depth(iteration.depth));
                match origin.node {
                    Some(node) => format!("from node {node} in iteration {depth}"),
                    None => format!("from iteration {depth}"),
                }
            }
        };
        let mv = entry.mv.map_or(String::new(), |mv| format!(", move {}", name(position, Some(mv))));
        format!(
            "table: {} at depth {}{mv}, {origin}",
            words::bounded(entry.score, entry.bound),
            words::plies(entry.depth)
        )
    }

    fn step(&mut self, step: &NodeStep, position: &Position, level: usize) -> Result<(), ShowError> {
        match step {
            NodeStep::Deepened { by, amount } => {
                self.write_line(level, &words::deepened(by, *amount, self.trace.labels(by.rule)))
            }
            NodeStep::Probe { mv, search } => {
                self.search(search, &probe_name(position, *mv, search.purpose), position, level)
            }
            NodeStep::Move(mv) => self.mv(mv, position, level),
        }
    }

    fn mv(&mut self, mv: &MoveRecord, position: &Position, level: usize) -> Result<(), ShowError> {
        let title = name(position, Some(mv.mv));
        let order = mv.order.map_or(String::new(), |order| format!(" {order}"));
        let head = format!("move {} {title} ({}{order})", mv.number, mv.stage.name());
        match &mv.outcome {
            MoveOutcome::Unknown => self.write_line(level, &head),
            MoveOutcome::Skipped { by, .. } => {
                self.write_line(level, &format!("{head} skipped: {}", self.trace.words(by)))
            }
            MoveOutcome::Searched(searched) => {
                self.write_line(level, &head)?;
                self.searched(searched, &title, position, level + 1)
            }
        }
    }

    fn searched(
        &mut self,
        searched: &SearchedMove,
        title: &str,
        position: &Position,
        level: usize,
    ) -> Result<(), ShowError> {
        for line in &searched.breakdown {
            self.write_line(level, &words::breakdown(line, self.trace.labels(line.by.rule)))?;
        }
        if let Some(deducted) = searched.deducted {
            self.write_line(level, &format!("costs {}", words::plies(deducted)))?;
        }
        for search in &searched.tries {
            self.search(search, &format!("{title}, {}", search.purpose.name()), position, level)?;
        }
        if let Some(value) = searched.value {
            self.write_line(
                level,
                &format!(
                    "{title} is worth {}: {}",
                    words::move_value(value.score, value.decision),
                    value.decision.name()
                ),
            )?;
        }
        Ok(())
    }

    fn search(
        &mut self,
        search: &ChildSearch,
        title: &str,
        position: &Position,
        level: usize,
    ) -> Result<(), ShowError> {
        match search.child {
            Some(id) => {
                let child = self.trace.node(id)?;
                let position = position_of(&child, position)?;
                self.node(&child, &position, title, level)
            }
            None => {
                let value = search.score.map_or_else(|| "stopped".to_owned(), words::score);
                let unrecorded = words::several(search.unrecorded, "node");
                self.write_line(level, &format!("{title}: value {value}, {unrecorded} not recorded"))
            }
        }
    }
}

fn entered(node: &NodeRecord, position: &Position, title: &str) -> String {
    let mut text = format!(
        "[{}] {title}: ply {}, depth {}, window {}, expected {}",
        node.id,
        node.ply,
        words::plies(node.depth),
        words::window(node.window),
        node.expected.name()
    );
    if let Some(level) = node.level {
        text.push_str(&format!(", quiescence ply {level}"));
    }
    let [white, black] = node.budget;
    if white != black {
        text.push_str(&format!(", budget White {} Black {}", words::plies(white), words::plies(black)));
    }
    if node.in_check {
        text.push_str(", in check");
    }
    if let Some(excluded) = node.excluded {
        text.push_str(&format!(", without {}", name(position, Some(excluded))));
    }
    text
}

fn left(node: &NodeRecord) -> String {
    let value = words::value(node);
    let actual = node.actual().map_or(String::new(), |kind| format!(" ({} node)", kind.name()));
    let unrecorded =
        if node.unrecorded > 0 { format!(", {} not recorded", grouped(node.unrecorded)) } else { String::new() };
    let window = words::window(node.window_out);
    format!(
        "[{}] value {value}{actual}, window out {window}, {}{unrecorded}",
        node.id,
        words::several(node.nodes, "node")
    )
}
