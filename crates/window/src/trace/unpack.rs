//! From the stored form of a node to its record: checks every number and puts the events of each move together.

use super::format::{KILLER_OR_COUNTER, RawEntry, RawEvent, RawNode, RawSearch};
use super::node::{
    ChildSearch, CostLine, Decision, EntryOrigin, MoveCode, MoveOutcome, MoveRecord, MoveValue, NodeId, NodeRecord,
    NodeStep, Numbers, RuleReason, SearchedMove, SkippedToo, TableHit, Valuation,
};
use quarterply_engine::node::NodeType;
use quarterply_engine::ordering::Stage;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score, Window};
use quarterply_engine::search::watch::Purpose;

/// Values beyond this are not scores, and their sums could overflow.
const NUMBER_MAX: i32 = 1 << 24;

const BOUNDS: [Bound; 3] = [Bound::Upper, Bound::Exact, Bound::Lower];

type UnpackResult<T> = Result<T, String>;

/// The record of node `id` from its fixed part and the bytes of its events.
pub(super) fn unpack(
    id: NodeId,
    raw: &RawNode,
    events: &[u8],
    rules: &[Rule],
    iterations: usize,
) -> UnpackResult<NodeRecord> {
    if raw.size == 0 || raw.size > id + 1 {
        return Err(format!("its subtree of {} nodes begins before the trace", raw.size));
    }
    let mut reader = Events { rules, id, next: id + 1 - raw.size, steps: Vec::new(), ended: None, only: None };
    reader.read(events)?;
    let Events { next, steps, ended, only, .. } = reader;
    if next != id {
        return Err("its children are smaller than itself".to_owned());
    }
    let depth = Depth(number(raw.depth)?);
    let (white, black) = raw.budget.unwrap_or((raw.depth, raw.depth));
    let (alpha, beta) = (number(raw.window.0)?, number(raw.window.1)?);
    let window_out = Window::new(Score(alpha + number(raw.raised)?), Score(beta - number(raw.lowered)?));
    Ok(NodeRecord {
        id,
        size: raw.size,
        unrecorded: raw.unrecorded,
        nodes: raw.nodes,
        ply: raw.ply,
        iteration: known_iteration(raw.iteration, iterations)?,
        purpose: match raw.purpose {
            0 => None,
            code => Some(named(Purpose::ALL, code - 1, "purpose")?),
        },
        mv: MoveCode::from_raw(raw.mv),
        expected: named(NodeType::ALL, raw.kind, "type of node")?,
        level: raw.level,
        in_check: raw.in_check,
        depth,
        depth_out: Depth(number(raw.depth_out)?),
        budget: [Depth(number(white)?), Depth(number(black)?)],
        window: Window::new(Score(alpha), Score(beta)),
        window_out,
        excluded: MoveCode::from_raw(raw.excluded),
        table: raw.table.map(|entry| table_hit(id, entry, iterations)).transpose()?,
        value: match raw.value {
            None => None,
            Some(value) => Some(Valuation {
                raw: value.raw.map(number).transpose()?.map(Score),
                corrected: Score(number(value.corrected)?),
                estimate: Score(number(value.estimate)?),
                improving: value.improving,
            }),
        },
        steps,
        ended,
        only,
        stored: raw.stored,
        score: raw.score.map(number).transpose()?.map(Score),
    })
}

fn table_hit(id: NodeId, raw: RawEntry, iterations: usize) -> UnpackResult<TableHit> {
    let origin = match raw.origin {
        None => None,
        Some((iteration, back)) => {
            let node = (back > 0).then(|| id.checked_sub(back).ok_or("its table entry is older than the trace"));
            Some(EntryOrigin { iteration: known_iteration(iteration, iterations)?, node: node.transpose()? })
        }
    };
    Ok(TableHit {
        score: Score(number(raw.score)?),
        bound: named(&BOUNDS, raw.bound, "bound")?,
        depth: Depth(number(raw.depth)?),
        mv: MoveCode::from_raw(raw.mv),
        eval: raw.eval.map(number).transpose()?.map(Score),
        origin,
    })
}

/// Reads events in order; those of a move are added to the last move.
struct Events<'a> {
    rules: &'a [Rule],
    /// The node itself, which follows its last child.
    id: NodeId,
    /// The first node of the next child's subtree.
    next: NodeId,
    steps: Vec<NodeStep>,
    ended: Option<RuleReason>,
    only: Option<Vec<MoveCode>>,
}

impl Events<'_> {
    fn read(&mut self, mut bytes: &[u8]) -> UnpackResult<()> {
        while !bytes.is_empty() {
            let (event, rest) = postcard::take_from_bytes(bytes).map_err(|error| error.to_string())?;
            bytes = rest;
            self.event(event)?;
        }
        Ok(())
    }

    fn event(&mut self, event: RawEvent<Numbers>) -> UnpackResult<()> {
        match event {
            RawEvent::Deepened { rule, amount, numbers } => {
                let by = self.reason(rule, numbers)?;
                self.steps.push(NodeStep::Deepened { by, amount: Depth(number(amount)?) });
            }
            RawEvent::Probed { mv, search } => {
                let search = self.search(search)?;
                self.steps.push(NodeStep::Probe { mv: MoveCode::from_raw(mv), search });
            }
            RawEvent::Considered { mv, stage, order, history, gives_check, number } => {
                let mv = MoveCode::from_raw(mv).ok_or("a move is missing")?;
                let killer_or_counter = stage == KILLER_OR_COUNTER;
                let stage = if killer_or_counter { Stage::Quiet } else { named(Stage::ALL, stage, "stage")? };
                let outcome = MoveOutcome::Unknown;
                let record = MoveRecord { mv, stage, killer_or_counter, order, history, gives_check, number, outcome };
                self.steps.push(NodeStep::Move(record));
            }
            RawEvent::Skipped { rule, rest, numbers } => {
                let by = self.reason(rule, numbers)?;
                let rest = named(SkippedToo::ALL, rest, "kind of skip")?;
                self.last_move()?.outcome = MoveOutcome::Skipped { by, rest };
            }
            RawEvent::CostChanged { rule, cost, numbers } => {
                let by = self.reason(rule, numbers)?;
                let cost = Depth(number(cost)?);
                self.costed_move()?.breakdown.push(CostLine { by, cost });
            }
            RawEvent::TotalCost { cost } => self.costed_move()?.deducted = Some(Depth(number(cost)?)),
            RawEvent::Tried { search } => {
                let search = self.search(search)?;
                self.searched()?.tries.push(search);
            }
            RawEvent::Decision { decision, score } => {
                let decision = named(Decision::ALL, decision, "decision")?;
                self.searched()?.value = Some(MoveValue { score: Score(number(score)?), decision });
            }
            RawEvent::Ended { rule, numbers } => self.ended = Some(self.reason(rule, numbers)?),
            RawEvent::Only { moves } => {
                let code = |raw: i32| u16::try_from(raw).ok().and_then(MoveCode::from_raw);
                let codes: Option<Vec<MoveCode>> = moves.into_iter().map(code).collect();
                self.only = Some(codes.ok_or("its list of moves has an invalid move")?);
            }
        }
        Ok(())
    }

    fn reason(&self, rule: u8, numbers: Numbers) -> UnpackResult<RuleReason> {
        Ok(RuleReason { rule: named(self.rules, rule, "rule")?, numbers })
    }

    /// The move considered last: a rule may make a separate search between two searches of it.
    fn last_move(&mut self) -> UnpackResult<&mut MoveRecord> {
        let last = self.steps.iter_mut().rev().find_map(|step| match step {
            NodeStep::Move(mv) => Some(mv),
            _ => None,
        });
        last.ok_or_else(|| "an event of a move occurs without a move".to_owned())
    }

    /// The move considered last, with the breakdown that is being filled: a move whose cost is computed once more gets a new one.
    fn costed_move(&mut self) -> UnpackResult<&mut SearchedMove> {
        let searched = self.searched()?;
        if searched.deducted.take().is_some() {
            searched.breakdown.clear();
        }
        Ok(searched)
    }

    /// The next search made from the node. Children are numbered in the order of the events.
    fn search(&mut self, raw: RawSearch) -> UnpackResult<ChildSearch> {
        let end = self.next.checked_add(raw.size).filter(|&end| end <= self.id);
        self.next = end.ok_or("its children are larger than itself")?;
        Ok(ChildSearch {
            purpose: named(Purpose::ALL, raw.purpose, "purpose")?,
            cost: Depth(number(raw.cost)?),
            child: (raw.size > 0).then(|| self.next - 1),
            size: raw.size,
            unrecorded: raw.unrecorded,
            nodes: raw.nodes,
            score: raw.score.map(number).transpose()?.map(Score),
        })
    }

    fn searched(&mut self) -> UnpackResult<&mut SearchedMove> {
        let outcome = &mut self.last_move()?.outcome;
        if !matches!(outcome, MoveOutcome::Searched(_)) {
            *outcome = MoveOutcome::Searched(SearchedMove::default());
        }
        match outcome {
            MoveOutcome::Searched(searched) => Ok(searched),
            _ => Err("a move is both searched and skipped".to_owned()),
        }
    }
}

fn known_iteration(raw: u32, iterations: usize) -> UnpackResult<usize> {
    let iteration = raw as usize;
    if iteration < iterations { Ok(iteration) } else { Err(format!("iteration {iteration} does not exist")) }
}

fn number(raw: i32) -> UnpackResult<i32> {
    if (-NUMBER_MAX..=NUMBER_MAX).contains(&raw) {
        Ok(raw)
    } else {
        Err(format!("{raw} is out of the range of scores and depths"))
    }
}

fn named<T: Copy>(all: &[T], code: u8, what: &str) -> UnpackResult<T> {
    all.get(usize::from(code)).copied().ok_or_else(|| format!("{code} is not a valid {what}"))
}
