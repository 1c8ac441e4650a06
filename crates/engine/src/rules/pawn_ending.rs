//! Pawn-ending extension.

use super::Description;
use crate::node::{Candidate, Node};
use crate::position::Position;
use crate::score::Depth;
use crate::see::value;
use shakmaty::{Color, Role};

pub(crate) const RULE: Description = Description {
    name: "pawn ending",
    about: "Pawn-ending extension: moves into a pawn ending are searched deeper.",
    idea: "The capture of the last piece leads to a pawn ending and cannot be undone. Such a move is searched \
        deeper, optionally by several plies, unless the material is too uneven.",
    risk: "Deep searches of endings that are won or lost anyway.",
    reads: "position.",
    papers: "`schroder-rebel`, `moreland-notes`.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend captures of the last piece
    on = false;
    /// extension (quarter plies)
    quarters = 4 in 0..=12 by 1;
    /// greatest difference of the values of both sides' pawns (pawns/100)
    balance_max = 300 in 0..=800 by 50;
}

pub(crate) use super::reason::{Reason, plain as reason};

/// Deducted from the cost of a move after which only kings and pawns are left.
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    if p.on && takes_last_piece(n.position, c) && left_over(n.position).abs() <= p.balance_max {
        -Depth::quarters(p.quarters)
    } else {
        Depth::ZERO
    }
}

/// Returns true if the move captures the only piece and is not a promotion.
fn takes_last_piece(position: &Position, c: &Candidate) -> bool {
    let board = position.board();
    let pieces = board.occupied().count() - board.kings().count() - board.pawns().count();
    let captured = c.mv.capture().is_some_and(|role| role != Role::Pawn);
    pieces == 1 && captured && !c.mv.is_promotion()
}

/// White's pawns less Black's (pawns/100).
fn left_over(position: &Position) -> i32 {
    let board = position.board();
    let count = |color: Color| (board.pawns() & board.by_color(color)).count() as i32;
    (count(Color::White) - count(Color::Black)) * value(Role::Pawn)
}
