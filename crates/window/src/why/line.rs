//! The line a search thinks follows.

use crate::show::{ShowError, name, position_of};
use crate::trace::{MoveRecord, NodeRecord, Trace};
use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::shakmaty::Move;

/// Lines are not followed further.
const MOVES_MAX: usize = 24;

/// The best moves of both sides from a node on, and how the line ends.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Refutation {
    /// The moves in short algebraic notation.
    pub moves: Vec<String>,
    /// The first of them.
    pub reply: Option<Move>,
    /// Its end, in a sentence.
    pub end: String,
    /// The rule that ended it, and those that changed depths along the line.
    pub rules: Vec<Rule>,
}

/// Follows the best moves from a node, through the table where an entry's search was recorded.
pub fn refutation(trace: &Trace, node: NodeRecord, position: Position) -> Result<Refutation, ShowError> {
    let mut line = Refutation::default();
    let (mut node, mut position) = (node, position);
    while line.moves.len() < MOVES_MAX {
        if let Some(by) = node.ended.clone() {
            line.rules.push(by.rule);
            // The table entry was searched at another node: continue there.
            let origin = node.table.and_then(|entry| entry.origin).and_then(|origin| origin.node);
            if by.rule == Rule::Table
                && let Some(origin) = origin
            {
                let earlier = trace.node(origin)?;
                if earlier.ended.is_none() && follow(&earlier).is_some() {
                    node = earlier;
                    continue;
                }
            }
            let side = words::side(position.turn());
            line.end = format!("The line ends with {side} to move, by {}.", trace.words(&by));
            return Ok(line);
        }
        let Some((mv, child)) = follow(&node) else {
            line.end = end_of_moves(&node, &position);
            return Ok(line);
        };
        if line.moves.is_empty() {
            line.reply = mv.mv.in_position(&position);
        }
        line.moves.push(name(&position, Some(mv.mv)));
        node = trace.node(child)?;
        position = position_of(&node, &position)?;
    }
    line.end = "The line goes on.".to_owned();
    Ok(line)
}

/// The move that decides a node, or came nearest, and its node. In quiescence only a move that gives the node its value.
fn follow(node: &NodeRecord) -> Option<(&MoveRecord, u64)> {
    let value = |mv: &&MoveRecord| mv.searched().and_then(|searched| searched.value).map(|value| value.score);
    let nearest = || node.moves().filter(|mv| value(mv).is_some()).max_by_key(value);
    let decides = |mv: &&MoveRecord| !node.is_quiescence() || value(mv) == node.score;
    let best = node.best().or_else(|| nearest().filter(decides))?;
    Some((best, best.last_child()?))
}

fn end_of_moves(node: &NodeRecord, position: &Position) -> String {
    let value = node.score.map_or_else(|| "unknown".to_owned(), words::score);
    if position.legal_moves().is_empty() {
        let end = if position.in_check() { "mate" } else { "stalemate" };
        return format!("The line ends with {end}.");
    }
    let side = words::side(position.turn());
    let stands = node.value.filter(|_| node.is_quiescence()).map(|value| words::score(value.estimate));
    match stands {
        Some(stands) => {
            format!("The line ends with {side} to move: no forcing move is better than the static value {stands}.")
        }
        None => format!("The line ends with {side} to move; its value is {value}."),
    }
}
