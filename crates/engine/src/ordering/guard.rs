//! Guard heuristic.

use super::extras::{MoveSet, RatedMove, RatingView};
use super::mvv_lva;
use crate::source::Description;
use shakmaty::{Bitboard, Board, Color, Move, Role, Square};

pub(crate) const SOURCE: Description = Description {
    name: "guard",
    about: "Guard heuristic: the control of a move's squares.",
    idea: "The guard of a square is the strength of the side's attackers minus that of the enemy's; the cheaper a \
        piece, the greater its strength. Pieces on squares without enough guard are moved first, the most valuable \
        first; then captures and quiet moves to guarded squares; moves to unguarded squares come last.",
    risk: "The attackers are added up instead of exchanged one by one, and pins are ignored.",
    reads: "position.",
    papers: "`ke-parng1993`.",
};

crate::params! {
    /// order moves by the control of the squares that they leave and reach
    on = false;
    /// greatest deficit of guard at which a square counts as safe (strength; a pawn has 9, a king 1)
    margin = 0 in 0..=20 by 1;
    /// bonus for leaving an unsafe square, per pawn/100 of the piece (history counts)
    escape = 16 in 0..=100 by 2;
    /// bonus for a quiet move to a safe square (history counts)
    safe = 1000 in 0..=20000 by 250;
    /// malus of a quiet move to an unsafe square, per pawn/100 of the piece (history counts)
    loose = 16 in 0..=100 by 2;
    /// bonus for a capture on a safe square (counts; 10 equal a pawn/100 of the victim)
    capture = 1000 in 0..=20000 by 250;
}

/// Strength of a controller by role: a piece that may be exchanged for anything is strong.
const STRENGTHS: [(Role, i32); 6] =
    [(Role::Pawn, 9), (Role::Knight, 6), (Role::Bishop, 5), (Role::Rook, 2), (Role::Queen, 1), (Role::King, 1)];

fn strength(board: &Board, pieces: Bitboard) -> i32 {
    STRENGTHS.iter().map(|&(role, strength)| strength * (board.by_role(role) & pieces).count() as i32).sum()
}

/// The guard of a square for `side`, seen without what stands on `without`. `None` if the enemy does not control it: then it is safe.
fn guard(board: &Board, side: Color, square: Square, without: Square) -> Option<i32> {
    let occupied = board.occupied().without(without);
    let enemies = board.attacks_to(square, !side, occupied).without(square);
    if enemies.is_empty() {
        return None;
    }
    let own = board.attacks_to(square, side, occupied).without(without);
    // A defended enemy on the square adds its own strength to its side.
    let occupant = board
        .piece_at(square)
        .filter(|piece| piece.color != side)
        .map_or(0, |piece| STRENGTHS.iter().find(|(role, _)| *role == piece.role).map_or(0, |(_, strength)| *strength));
    Some(strength(board, own) - strength(board, enemies) - occupant)
}

/// Returns true if the deficit of the guard of a square for `side` is at most `margin`, with `without` removed from the board.
pub(crate) fn is_safe(margin: i32, board: &Board, side: Color, square: Square, without: Square) -> bool {
    guard(board, side, square, without).is_none_or(|guard| guard >= -margin)
}

/// Rates moves by the guard of the squares they leave and reach.
pub(super) fn rate(view: &RatingView<'_>, moves: &mut [RatedMove]) {
    let (p, board, side) = (&view.p.guard, view.position.board(), view.position.turn());
    let loose: Bitboard =
        board.by_color(side).into_iter().filter(|&square| !is_safe(p.margin, board, side, square, square)).collect();
    for rated in moves {
        rated.score += match view.set {
            MoveSet::Noisy => noisy(p, board, side, rated.mv),
            MoveSet::Quiet => quiet(p, board, side, loose, rated.mv),
        };
    }
}

fn noisy(p: &Params, board: &Board, side: Color, mv: Move) -> i32 {
    let safe = mv.from().is_some_and(|from| is_safe(p.margin, board, side, mv.to(), from));
    if safe { p.capture } else { 0 }
}

fn quiet(p: &Params, board: &Board, side: Color, loose: Bitboard, mv: Move) -> i32 {
    let Some(from) = mv.from().filter(|_| !mv.is_castle() && mv.role() != Role::King) else { return p.safe };
    let value = mvv_lva::attacker_value(mv.role());
    match (is_safe(p.margin, board, side, mv.to(), from), loose.contains(from)) {
        (true, true) => p.safe + p.escape * value,
        (true, false) => p.safe,
        (false, _) => -p.loose * value,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::OrderingFixture;
    use super::*;

    #[test]
    fn pieces_flee_from_unsafe_squares_to_safe_ones() {
        // The rook on d4 is attacked by the pawn on e5 and not defended.
        let fixture = OrderingFixture::new("6k1/5ppp/8/4p3/3R4/8/5PPP/1N4K1 w - - 0 1").with(|p| p.guard.on = true);
        let p = Params::DEFAULT;
        for (uci, bonus) in [
            ("d4d1", p.safe + 500 * p.escape),
            ("d4f4", -500 * p.loose),
            ("b1c3", p.safe),
            ("h2h3", p.safe),
            ("g1f1", p.safe),
        ] {
            assert_eq!(fixture.added(uci), bonus, "{uci}");
        }
    }

    #[test]
    fn strong_controllers_are_the_cheap_ones() {
        // c5 is controlled by a white pawn and a black rook; d6 by a white rook and a black pawn.
        let fixture = OrderingFixture::new("2r3k1/2p5/8/8/1P6/8/1K6/3R4 w - - 0 1");
        let board = fixture.game.position().board();
        let at = |square| guard(board, Color::White, square, Square::A1);
        assert_eq!((at(Square::D6), at(Square::A6)), (Some(2 - 9), None));
        let fixture = OrderingFixture::new("2r3k1/8/8/2p5/1P6/8/1K6/3R4 w - - 0 1");
        let board = fixture.game.position().board();
        assert_eq!(guard(board, Color::White, Square::C5, Square::A1), Some(9 - 2 - 9), "the pawn defends itself");
        assert!(is_safe(2, board, Color::White, Square::C5, Square::A1));
        assert!(!is_safe(1, board, Color::White, Square::C5, Square::A1));
    }

    #[test]
    fn captures_on_safe_squares_come_before_others() {
        let fixture = OrderingFixture::new("6k1/1p3ppp/r7/8/3b4/8/Q3NPPP/6K1 w - - 0 1").with(|p| p.guard.on = true);
        assert_eq!(fixture.added("e2d4"), Params::DEFAULT.capture, "nobody takes back");
        assert_eq!(fixture.added("a2a6"), 0, "the pawn takes back");
    }
}
