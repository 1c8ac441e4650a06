//! The moves of a node that the picker did not return: skipped with another one, or not reached.

use crate::trace::{MoveCode, MoveOutcome, MoveRecord, NodeRecord, NodeStep, RuleReason, SkippedToo};
use quarterply_engine::position::{Position, is_quiet};
use quarterply_engine::shakmaty::Move;

/// Legal moves that the picker of a node did not return.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UntriedMoves {
    /// Skipped together with another move: the place of that one among [`NodeRecord::steps`], and the others.
    pub skipped: Vec<(usize, Vec<Move>)>,
    /// Never reached: after a cutoff, or quiet moves in quiescence.
    pub never: Vec<Move>,
}

impl UntriedMoves {
    /// The moves skipped together with the one at `place` among the steps of the node.
    pub fn with(&self, place: usize) -> &[Move] {
        self.skipped.iter().find(|(at, _)| *at == place).map_or(&[], |(_, moves)| moves)
    }
}

/// The move together with which a rule skipped `mv`, and the rule; `None` if `mv` went with no other move.
pub fn skipped_with<'a>(position: &Position, node: &'a NodeRecord, mv: MoveCode) -> Option<(MoveCode, &'a RuleReason)> {
    let untried = untried(position, node);
    let (place, _) = untried.skipped.iter().find(|(_, moves)| moves.iter().any(|&other| MoveCode::of(other) == mv))?;
    match &node.steps[*place] {
        NodeStep::Move(MoveRecord { mv: first, outcome: MoveOutcome::Skipped { by, .. }, .. }) => Some((*first, by)),
        _ => None,
    }
}

/// The legal moves of `position` that `node` does not mention, by reason.
pub fn untried(position: &Position, node: &NodeRecord) -> UntriedMoves {
    // The list is short, so a linear scan is the fastest.
    let mentioned: Vec<MoveCode> = node.moves().map(|mv| mv.mv).chain(node.excluded).collect();
    let exists = |code: MoveCode| node.only.as_ref().is_none_or(|only| only.contains(&code));
    let open = |code: MoveCode| exists(code) && !mentioned.contains(&code);
    let mut left: Vec<Move> = position.legal_moves().into_iter().filter(|&mv| open(MoveCode::of(mv))).collect();
    let mut result = UntriedMoves::default();
    if node.moves().next().is_some() {
        let checks = position.check_info();
        for (place, step) in node.steps.iter().enumerate() {
            let NodeStep::Move(mv) = step else { continue };
            let MoveOutcome::Skipped { rest, .. } = mv.outcome else { continue };
            let goes = |mv: Move| match rest {
                SkippedToo::None => false,
                SkippedToo::Quiets => is_quiet(mv),
                SkippedToo::QuietsButChecks => is_quiet(mv) && !position.gives_check(&checks, mv),
            };
            let (skipped, stay): (Vec<Move>, Vec<Move>) = left.into_iter().partition(|&mv| goes(mv));
            left = stay;
            if rest != SkippedToo::None {
                result.skipped.push((place, skipped));
            }
        }
    }
    result.never = left;
    result
}
