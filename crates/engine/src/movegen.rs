//! Legal moves in portions: what takes or promotes to a queen, the quiet rest, and quiet checks.
//!
//! A node that is cut by a capture never sees its quiet moves, and quiescence wants only a few of them. What is legal is
//! what shakmaty says: together the portions are its list, each portion in the list's order, and the tests compare them.
//! Castling and en passant, rare and intricate, are left to shakmaty altogether.

use crate::hint::seldom;
use crate::position::{CheckInfo, Position};
use crate::side::{Black, ConstColor, White};
use shakmaty::{Bitboard, CastlingSide, Move, Position as _, Role, Square, attacks};

/// Pieces other than pawns and king, in the order of the list.
const OFFICERS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// Promotions in the order of the list, but for the queen's, which comes first and is not quiet.
const UNDERPROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Knight];
const THIRD: usize = 2;
const LAST: usize = 7;
const SQUARE_MASK: u32 = 63;
/// Square numbers from one rank to the next.
const RANK_STEP: i32 = 8;

/// Receives the quiet moves of a position.
pub trait QuietSink {
    /// Moves of one piece to empty squares, in their order; castling and promotions are not among them.
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, squares: Bitboard) {
        for to in squares {
            self.other(quiet(role, from, to, None));
        }
    }

    /// A promotion, or castling.
    fn other(&mut self, mv: Move);
}

impl<F: FnMut(Move)> QuietSink for F {
    #[inline(always)]
    fn other(&mut self, mv: Move) {
        self(mv);
    }
}

/// What the side to move may do with its pieces in one position.
pub struct Generator<'a> {
    position: &'a Position,
    own: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
    king: Square,
    /// Own pieces that may move only in line with their king.
    pinned: Bitboard,
    /// Where pieces other than the king may go: in check only where it helps.
    targets: Bitboard,
}

impl<'a> Generator<'a> {
    /// Looks at checks and pins.
    #[inline]
    pub fn new(position: &'a Position) -> Generator<'a> {
        let turn = position.turn();
        let board = position.board();
        let king = position.king(turn);
        let own = board.by_color(turn);
        let targets = match position.checkers() {
            Bitboard::EMPTY => !own,
            checkers => checkers.single_square().map_or(Bitboard::EMPTY, |c| attacks::between(king, c).with(c)),
        };
        Generator {
            position,
            own,
            theirs: board.by_color(!turn),
            occupied: board.occupied(),
            king,
            pinned: position.shields(king, !turn) & own,
            targets,
        }
    }

    /// Captures and promotions to a queen.
    #[inline]
    pub fn noisy(&self, push: &mut impl FnMut(Move)) {
        if seldom(self.position.has_en_passant()) {
            self.position.chess().en_passant_moves().into_iter().for_each(&mut *push);
        }
        let in_check = self.position.in_check();
        if in_check {
            self.king_captures(push);
        }
        if self.position.turn().is_white() {
            self.noisy_pawns::<White>(push)
        } else {
            self.noisy_pawns::<Black>(push)
        }
        for role in OFFICERS {
            for from in self.own_pieces(role) {
                for to in self.reach(role, from) & self.theirs {
                    push(self.capture(role, from, to, None));
                }
            }
        }
        if !in_check {
            self.king_captures(push);
        }
    }

    /// All other moves.
    #[inline]
    pub fn quiets(&self, sink: &mut impl QuietSink) {
        self.quiets_to(sink, |_, _| Bitboard::FULL);
    }

    /// Quiet moves that give check, when not in check. `info` is the position's.
    #[inline]
    pub fn quiet_checks(&self, info: &CheckInfo, push: &mut impl FnMut(Move)) {
        self.quiets_to(
            &mut |mv: Move| {
                if self.position.gives_check(info, mv) {
                    push(mv);
                }
            },
            |role, from| info.checking_squares(role, from),
        );
    }

    /// Quiet moves to the squares that `aim` allows a piece; it has no say in castling and promotions.
    #[inline(always)]
    fn quiets_to(&self, sink: &mut impl QuietSink, aim: impl Fn(Role, Square) -> Bitboard) {
        let empty = !self.occupied;
        let in_check = self.position.in_check();
        if in_check {
            sink.piece(Role::King, self.king, self.king_squares(empty));
        }
        if self.position.turn().is_white() {
            self.quiet_pawns::<White>(sink, &aim);
        } else {
            self.quiet_pawns::<Black>(sink, &aim);
        }
        for role in OFFICERS {
            for from in self.own_pieces(role) {
                sink.piece(role, from, self.reach(role, from) & empty & aim(role, from));
            }
        }
        if !in_check {
            sink.piece(Role::King, self.king, self.king_squares(empty & aim(Role::King, self.king)));
            self.castling(&mut |mv| sink.other(mv));
        }
    }

    #[inline(always)]
    fn own_pieces(&self, role: Role) -> Bitboard {
        self.position.board().by_role(role) & self.own
    }

    /// Where the piece on `from`, not a pawn or king, may go.
    #[inline(always)]
    fn reach(&self, role: Role, from: Square) -> Bitboard {
        let reach = match role {
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => attacks::bishop_attacks(from, self.occupied),
            Role::Rook => attacks::rook_attacks(from, self.occupied),
            _ => attacks::queen_attacks(from, self.occupied),
        };
        let line = if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL };
        reach & self.targets & line
    }

    #[inline(always)]
    fn capture(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
        Move::Normal { role, from, capture: self.position.board().role_at(to), to, promotion }
    }

    /// Those of `squares` that the king may go to: not attacked.
    fn king_squares(&self, squares: Bitboard) -> Bitboard {
        let board = self.position.board();
        // The king does not shelter the squares behind itself.
        let occupied = self.occupied.without(self.king);
        let near = attacks::king_attacks(self.king) & squares;
        let safe = |&to: &Square| board.attacks_to(to, !self.position.turn(), occupied).is_empty();
        near.into_iter().filter(safe).collect()
    }

    /// The king's captures.
    #[inline]
    fn king_captures(&self, push: &mut impl FnMut(Move)) {
        for to in self.king_squares(self.theirs) {
            push(self.capture(Role::King, self.king, to, None));
        }
    }

    #[inline]
    fn castling(&self, push: &mut impl FnMut(Move)) {
        let chess = self.position.chess();
        let (turn, castles) = (self.position.turn(), chess.castles());
        if castles.is_empty() {
            return;
        }
        for side in CastlingSide::ALL {
            if castles.has(turn, side) && (castles.path(turn, side) & self.occupied).is_empty() {
                chess.castling_moves(side).into_iter().for_each(&mut *push);
            }
        }
    }

    /// Returns true if the pawn is free to make this move.
    #[inline(always)]
    fn is_free(&self, from: Square, to: Square) -> bool {
        !self.pinned.contains(from) || attacks::ray(self.king, from).contains(to)
    }

    #[inline(always)]
    fn noisy_pawns<S: ConstColor>(&self, push: &mut impl FnMut(Move)) {
        let pawns = self.own_pieces(Role::Pawn);
        let last = S::rank_mask(LAST);
        let victims = self.theirs & self.targets;
        for (squares, side_step) in [(S::left_attacks(pawns), -1), (S::right_attacks(pawns), 1)] {
            let hits = squares & victims;
            for to in hits & !last {
                let from = behind::<S>(to, RANK_STEP, side_step);
                if self.is_free(from, to) {
                    push(self.capture(Role::Pawn, from, to, None));
                }
            }
            for to in hits & last {
                let from = behind::<S>(to, RANK_STEP, side_step);
                if self.is_free(from, to) {
                    push(self.capture(Role::Pawn, from, to, Some(Role::Queen)));
                    UNDERPROMOTIONS.into_iter().for_each(|role| push(self.capture(Role::Pawn, from, to, Some(role))));
                }
            }
        }
        for to in S::up(pawns) & !self.occupied & self.targets & last {
            let from = behind::<S>(to, RANK_STEP, 0);
            if self.is_free(from, to) {
                push(quiet(Role::Pawn, from, to, Some(Role::Queen)));
            }
        }
    }

    #[inline(always)]
    fn quiet_pawns<S: ConstColor>(&self, sink: &mut impl QuietSink, aim: impl Fn(Role, Square) -> Bitboard) {
        let empty = !self.occupied;
        let last = S::rank_mask(LAST);
        let once = S::up(self.own_pieces(Role::Pawn)) & empty;
        for to in once & self.targets & !last {
            let from = behind::<S>(to, RANK_STEP, 0);
            if self.is_free(from, to) && aim(Role::Pawn, from).contains(to) {
                sink.piece(Role::Pawn, from, Bitboard::from_square(to));
            }
        }
        for to in once & self.targets & last {
            let from = behind::<S>(to, RANK_STEP, 0);
            if self.is_free(from, to) {
                UNDERPROMOTIONS.into_iter().for_each(|role| sink.other(quiet(Role::Pawn, from, to, Some(role))));
            }
        }
        for to in S::up(once & S::rank_mask(THIRD)) & empty & self.targets {
            let from = behind::<S>(to, 2 * RANK_STEP, 0);
            if self.is_free(from, to) && aim(Role::Pawn, from).contains(to) {
                sink.piece(Role::Pawn, from, Bitboard::from_square(to));
            }
        }
    }
}

#[inline(always)]
fn quiet(role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal { role, from, capture: None, to, promotion }
}

/// The square a pawn came from that went `up` squares forward and `aside` towards file h.
#[inline(always)]
fn behind<S: ConstColor>(to: Square, up: i32, aside: i32) -> Square {
    let step = if S::COLOR.is_white() { up } else { -up } + aside;
    // The mask changes nothing: it tells the compiler that the number is a square's.
    Square::new((to as u32).wrapping_add_signed(-step) & SQUARE_MASK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Game, is_quiet};
    use shakmaty::CastlingMode;

    /// Positions with pins, checks, double checks, en passant, castling and promotions.
    const ROOTS: [&str; 8] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/8/8/2k5/3Pp3/8/1B4K1/4R3 b - d3 0 1",
        "4k3/8/8/1b6/4r3/8/3PPP2/R3K2R w KQ - 0 1",
    ];

    fn compare(position: &Position, depth: u32) {
        let all = position.legal_moves();
        let generator = Generator::new(position);
        let (mut noisy, mut quiets, mut checks) = (Vec::new(), Vec::new(), Vec::new());
        generator.noisy(&mut |mv| noisy.push(mv));
        generator.quiets(&mut |mv| quiets.push(mv));
        let of = |wanted: &dyn Fn(Move) -> bool| all.iter().copied().filter(|&mv| wanted(mv)).collect::<Vec<_>>();
        assert_eq!(noisy, of(&|mv| !is_quiet(mv)), "{}", position.fen());
        assert_eq!(quiets, of(&is_quiet), "{}", position.fen());
        if !position.in_check() {
            let info = position.check_info();
            generator.quiet_checks(&info, &mut |mv| checks.push(mv));
            assert_eq!(checks, of(&|mv| is_quiet(mv) && position.play(mv).in_check()), "{}", position.fen());
        }
        if depth > 0 {
            all.into_iter().for_each(|mv| compare(&position.play(mv), depth - 1));
        }
    }

    #[test]
    fn the_portions_are_the_list_in_its_order() {
        for fen in ROOTS {
            compare(Game::from_fen(fen, CastlingMode::Standard).unwrap().position(), 2);
        }
    }
}
