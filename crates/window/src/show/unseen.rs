//! The moves of a node that were never handed out: skipped with another one, or not reached.

use crate::trace::{Fate, MoveCode, NodeRecord, Rest, Step};
use quarterply_engine::position::{Position, is_quiet};
use quarterply_engine::shakmaty::Move;

/// Moves that exist and that a node never handed out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unseen {
    /// Left out together with a skipped move: the place of that move among [`NodeRecord::steps`], and the others.
    pub skipped: Vec<(usize, Vec<Move>)>,
    /// Never reached: after a cutoff, or quiet moves in quiescence.
    pub never: Vec<Move>,
}

/// What became of the moves that exist and that `node`, at `position`, says nothing about.
pub fn unseen(position: &Position, node: &NodeRecord) -> Unseen {
    // Short enough that looking through it is the quickest.
    let mentioned: Vec<MoveCode> = node.moves().map(|mv| mv.mv).chain(node.excluded).collect();
    let exists = |code: MoveCode| node.only.as_ref().is_none_or(|only| only.contains(&code));
    let open = |code: MoveCode| exists(code) && !mentioned.contains(&code);
    let mut left: Vec<Move> = position.legal_moves().into_iter().filter(|&mv| open(MoveCode::of(mv))).collect();
    let mut result = Unseen::default();
    if node.moves().next().is_some() {
        let checks = position.check_info();
        for (place, step) in node.steps.iter().enumerate() {
            let Step::Move(mv) = step else { continue };
            let Fate::Skipped { rest, .. } = mv.fate else { continue };
            let goes = |mv: Move| match rest {
                Rest::None => false,
                Rest::Quiets => is_quiet(mv),
                Rest::QuietsButChecks => is_quiet(mv) && !position.gives_check(&checks, mv),
            };
            let (skipped, stay): (Vec<Move>, Vec<Move>) = left.into_iter().partition(|&mv| goes(mv));
            left = stay;
            if rest != Rest::None {
                result.skipped.push((place, skipped));
            }
        }
    }
    result.never = left;
    result
}
