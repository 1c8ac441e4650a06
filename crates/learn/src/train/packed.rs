//! A position in 32 bytes as the trainer keeps it: seen by the side to move, with its labels.

use quarterply_datagen::replay::GamePosition;
use quarterply_engine::network::INPUTS;
use quarterply_engine::position::Position;
use quarterply_engine::score::Score;
use shakmaty::{Board, Color, Piece, Role, Square};

/// Most pieces on a board.
pub const PIECES_MAX: usize = 32;
/// Most inputs of a perspective that are set: every piece.
pub const INPUTS_MAX: usize = PIECES_MAX;
/// Kinds of pieces.
const ROLES: usize = 6;
const SQUARES: usize = 64;
const _: () = assert!(INPUTS == 2 * ROLES * SQUARES);
/// Changes a square into that on the same file seen from the other side.
const FLIP: u8 = 56;
/// Changes a square into that on the mirrored file.
const MIRROR: u8 = 7;
/// The bit of a file number that is set for the files e to h.
const KING_SIDE: u8 = 4;
/// Marks a piece of the side not to move.
const THEIRS: u8 = 8;
const ROLE_MASK: u8 = 7;
const NIBBLE: u8 = 15;
const NIBBLE_BITS: usize = 4;
/// In place of half points: the position belongs to no game.
pub const NO_RESULT: u8 = 3;

/// A position to learn from, 32 bytes. Its side to move plays up the board, as White does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Occupied squares, a1 first.
    occupied: u64,
    /// A code of four bits for each of them.
    codes: [u8; PIECES_MAX / 2],
    /// The value that the search gave, for the side to move (pawns/100).
    pub score: i16,
    /// Half points of the side to move, or [`NO_RESULT`].
    pub half_points: u8,
    /// Own king's square, then the other's.
    kings: [u8; 2],
    /// The classical value for the side to move (pawns/100), where it has a share; else 0.
    pub classical: i16,
}

/// The active inputs of both perspectives. Only the first `count` entries of each list are valid.
#[derive(Clone, Copy)]
pub struct ActiveFeatures {
    /// Inputs of the side to move.
    pub own: [u16; INPUTS_MAX],
    /// Inputs of the other side.
    pub other: [u16; INPUTS_MAX],
    /// Number of active inputs of each.
    pub count: usize,
}

impl Packed {
    /// A position of a game with its score, 0 if it has none, and its result.
    pub fn of(view: &GamePosition) -> Packed {
        let score = view.mover_score().map_or(0, |score| score.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16);
        Packed::new(&view.position, score, view.mover_points().map_or(NO_RESULT, |points| (2.0 * points) as u8))
    }

    /// A position with the value and the half points (0, 1, 2 or [`NO_RESULT`]) of its side to move.
    pub fn new(position: &Position, score: i16, half_points: u8) -> Packed {
        let (board, turn) = (position.board(), position.turn());
        let flip = if turn.is_white() { 0 } else { FLIP };
        let mut found: Vec<(u8, u8)> = Vec::with_capacity(PIECES_MAX);
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else { continue };
            let owner = if piece.color == turn { 0 } else { THEIRS };
            // The pawn is 0, the king 5.
            found.push((u8::from(square) ^ flip, owner | (piece.role as u8 - Role::Pawn as u8)));
        }
        found.sort_unstable();
        let mut packed =
            Packed { occupied: 0, codes: [0; PIECES_MAX / 2], score, half_points, kings: [0; 2], classical: 0 };
        for (index, &(square, code)) in found.iter().enumerate().take(PIECES_MAX) {
            packed.occupied |= 1 << square;
            packed.codes[index / 2] |= code << (NIBBLE_BITS * (index % 2));
        }
        packed.kings = [turn, !turn].map(|color| u8::from(position.king(color)) ^ flip);
        packed
    }

    /// The same position with its classical value for the side to move (pawns/100).
    pub fn with_classical(self, value: Score) -> Packed {
        Packed { classical: value.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16, ..self }
    }

    /// Points of the side to move, 0, 0.5 or 1; `None` if the position belongs to no game.
    pub fn points(&self) -> Option<f32> {
        (self.half_points != NO_RESULT).then_some(f32::from(self.half_points) / 2.0)
    }

    /// Number of pieces, kings and pawns included.
    pub fn pieces(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// All fields except the classical value, for fingerprints.
    pub fn bytes(&self) -> [u8; 27] {
        let mut bytes = [0; 27];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.codes);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.half_points;
        bytes
    }

    /// Squares with the codes of their pieces.
    fn each(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let mut left = self.occupied;
        let mut index = 0;
        std::iter::from_fn(move || {
            let square = (left != 0).then(|| left.trailing_zeros() as u8)?;
            left &= left - 1;
            let code = self.codes[index / 2 % (PIECES_MAX / 2)] >> (NIBBLE_BITS * (index % 2)) & NIBBLE;
            index += 1;
            Some((square, code))
        })
    }

    /// The inputs of both perspectives.
    pub fn active_features(&self) -> ActiveFeatures {
        let mirror = |king: u8| if king & KING_SIDE != 0 { MIRROR } else { 0 };
        let (own_mirror, other_mirror) = (mirror(self.kings[0]), mirror(self.kings[1]) ^ FLIP);
        let mut seen = ActiveFeatures { own: [0; INPUTS_MAX], other: [0; INPUTS_MAX], count: 0 };
        for (square, code) in self.each() {
            let (role, theirs) = (usize::from(code & ROLE_MASK), usize::from(code / THEIRS));
            let input = |owner: usize, square: u8| ((owner * ROLES + role) * SQUARES + usize::from(square)) as u16;
            seen.own[seen.count % INPUTS_MAX] = input(theirs, square ^ own_mirror);
            seen.other[seen.count % INPUTS_MAX] = input(1 - theirs, square ^ other_mirror);
            seen.count += 1;
        }
        seen
    }

    /// The pieces, those of the side to move as White.
    pub fn board(&self) -> Board {
        let mut board = Board::empty();
        for (square, code) in self.each() {
            let role = Role::ALL[usize::from(code & ROLE_MASK) % ROLES];
            let piece = Piece { color: Color::from_white(code & THEIRS == 0), role };
            board.set_piece_at(Square::new(square.into()), piece);
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::network::Perspective;
    use quarterply_engine::position::Game;

    fn packed(fen: &str) -> Packed {
        Packed::new(Game::standard(fen).expect(fen).position(), 12, 2)
    }

    fn sorted(seen: &ActiveFeatures) -> [Vec<u16>; 2] {
        [&seen.own, &seen.other].map(|list| {
            let mut list = list[..seen.count].to_vec();
            list.sort_unstable();
            list
        })
    }

    #[test]
    fn a_position_takes_32_bytes_and_its_board_comes_back() {
        assert_eq!(size_of::<Packed>(), 32);
        let fen = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9";
        let one = packed(fen);
        assert_eq!(one.board(), *Game::standard(fen).expect(fen).position().board());
        assert_eq!((one.pieces(), one.score, one.points()), (30, 12, Some(1.0)));
    }

    #[test]
    fn inputs_are_those_of_the_definition() {
        // Own king on e1 is mirrored to d1; the other king on a8 is on a1 for its owner.
        let seen = packed("k7/8/8/8/8/8/P7/4K3 w - - 0 1").active_features();
        let pawn_own = 15; // a2 mirrored: h2
        let pawn_other = 6 * 64 + 48; // a7 seen from the other side
        assert_eq!(sorted(&seen)[0], [pawn_own, 5 * 64 + 3, 11 * 64 + 63]);
        assert_eq!(sorted(&seen)[1], [5 * 64, pawn_other, 11 * 64 + 60]);
    }

    #[test]
    fn inputs_are_those_of_the_engine() {
        for fen in [
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 4 4",
            "3rk3/1N6/8/8/8/2p5/3Q4/4K3 b - - 0 1",
        ] {
            let game = Game::standard(fen).expect(fen);
            let (board, turn) = (game.position().board(), game.position().turn());
            let expected = [turn, !turn].map(|color| {
                let view = Perspective::of(board, color);
                let mut all: Vec<u16> = view.inputs(board).map(|at| at as u16).collect();
                all.sort_unstable();
                all
            });
            assert_eq!(sorted(&packed(fen).active_features()), expected, "{fen}");
        }
    }

    #[test]
    fn colours_and_files_change_nothing() {
        let plain = packed("r4rk1/pp3ppp/8/2q5/8/8/PP3PPP/R2Q1R1K w - - 0 1");
        for other in
            ["r2q1r1k/pp3ppp/8/8/2Q5/8/PP3PPP/R4RK1 b - - 0 1", "1kr4r/ppp3pp/8/5q2/8/8/PPP3PP/K1R1Q2R w - - 0 1"]
        {
            let changed = packed(other);
            assert_eq!(sorted(&plain.active_features()), sorted(&changed.active_features()), "{other}");
        }
    }
}
