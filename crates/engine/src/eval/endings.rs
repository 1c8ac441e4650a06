//! Endings whose result is known: a bare king against something.

use shakmaty::{Bitboard, Board, Color, File, Rank, Role, Square};

use super::kpk;
use super::squares::value_of;
use crate::geometry::{distance, from_edge};
use crate::score::Score;

/// Added when the ending is known to be won, so that it is above everything that is not (pawns/100).
pub const KNOWN_WIN: i32 = 4000;
/// Bare king, for each step towards the edge, by files and by ranks: mate is at the edge (pawns/100).
const DRIVE_TO_EDGE: i32 = 20;
/// Bare king, each king move closer together (pawns/100).
const DRIVE_KINGS: i32 = 10;
/// Bishop and knight, each king move nearer to a corner the bishop controls; more than the way there loses at the edge (pawns/100).
const DRIVE_TO_CORNER: i32 = 100;
/// Pawn ending known to be won: each rank of the pawn (pawns/100).
const KPK_RANK: i32 = 20;
/// Corners of each colour.
const LIGHT_CORNERS: [Square; 2] = [Square::A8, Square::H1];
const DARK_CORNERS: [Square; 2] = [Square::A1, Square::H8];
/// Knights that mate a bare king.
const MATING_KNIGHTS: usize = 3;
/// Largest distance of two squares (king moves).
const FAR: i32 = 7;
/// Largest distance from the edge (files or ranks).
const MIDDLE: i32 = 3;

/// A known ending: its name, and its value seen by White (pawns/100).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownEnding {
    /// For the table of terms.
    pub name: &'static str,
    /// Seen by White.
    pub white: i32,
}

impl KnownEnding {
    /// Seen by the side to move.
    pub fn score(self, turn: Color) -> Score {
        Score(if turn.is_white() { self.white } else { -self.white }).as_eval()
    }
}

/// The value of the position with this side to move, if a king is bare and the result is known.
#[inline(always)]
pub fn known(board: &Board, turn: Color) -> Option<KnownEnding> {
    let bare = |color: Color| !board.by_color(color).more_than_one();
    if bare(Color::Black) {
        against_bare_king(board, turn, Color::White)
    } else if bare(Color::White) {
        against_bare_king(board, turn, Color::Black).map(|known| KnownEnding { white: -known.white, ..known })
    } else {
        None
    }
}

/// Value seen by `strong`.
#[cold]
fn against_bare_king(board: &Board, turn: Color, strong: Color) -> Option<KnownEnding> {
    let own = board.by_color(strong);
    let pawns = board.pawns();
    let (king, weak) = (board.king_of(strong)?, board.king_of(strong.other())?);
    if mates(board) {
        let white = KNOWN_WIN + material(own, board) + drive(king, weak);
        return Some(if only_bishop_and_knight(board) {
            KnownEnding { name: "bishop and knight", white: white + to_corner(board.bishops(), weak) }
        } else {
            KnownEnding { name: "bare king", white }
        });
    }
    if pawns.is_empty() {
        return Some(KnownEnding { name: "no mating material", white: 0 });
    }
    if wrong_bishop(board, strong, weak) {
        return Some(KnownEnding { name: "wrong bishop", white: 0 });
    }
    let pawn = (own & !board.kings()).single_square().filter(|sq| pawns.contains(*sq))?;
    if !kpk::is_won(strong, king, pawn, weak, turn) {
        return Some(KnownEnding { name: "drawn pawn ending", white: 0 });
    }
    let rank = if strong.is_white() { pawn.rank() } else { pawn.rank().flip_vertical() };
    let white = KNOWN_WIN + value_of(Role::Pawn).eg() + KPK_RANK * rank as i32;
    Some(KnownEnding { name: "won pawn ending", white })
}

/// Returns true if these pieces (all of one side, except the kings) can force mate.
fn mates(board: &Board) -> bool {
    let (bishops, knights) = (board.bishops(), board.knights());
    let pair = (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & Bitboard::DARK_SQUARES).any();
    board.rooks_and_queens().any() || pair || (bishops.any() && knights.any()) || (knights.count() >= MATING_KNIGHTS)
}

/// Returns true if the strong side has only pawns and bishops, and cannot win with them.
fn wrong_bishop(board: &Board, strong: Color, weak: Square) -> bool {
    let (bishops, pawns) = (board.bishops(), board.pawns());
    bishops.any() && board.occupied() == (board.kings() | bishops | pawns) && wrong_corner(pawns, bishops, strong, weak)
}

/// Returns true if these pawns are on one rook file, these bishops do not control the corner of promotion, and the weak king is in this
/// corner or next to it.
#[inline(always)]
pub fn wrong_corner(pawns: Bitboard, bishops: Bitboard, strong: Color, weak: Square) -> bool {
    let file = [File::A, File::H].into_iter().find(|&file| (pawns & !Bitboard::from_file(file)).is_empty());
    let Some(file) = file else { return false };
    let corner = Square::from_coords(file, strong.fold_wb(Rank::Eighth, Rank::First));
    let shade = if corner.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    (bishops & shade).is_empty() && distance(weak, corner) <= 1
}

fn only_bishop_and_knight(board: &Board) -> bool {
    let rest = board.occupied() & !board.kings();
    rest == (board.bishops() | board.knights()) && board.bishops().single_square().is_some() && rest.count() == 2
}

/// Endgame value of the pieces on `own`.
fn material(own: Bitboard, board: &Board) -> i32 {
    Role::ALL.into_iter().map(|role| value_of(role).eg() * (own & board.by_role(role)).count() as i32).sum()
}

/// The weak king belongs to the edge, and the strong king near it.
fn drive(king: Square, weak: Square) -> i32 {
    let rank_from_edge = (weak.rank() as i32).min(FAR - weak.rank() as i32);
    let to_edge = (MIDDLE - from_edge(weak.file()) as i32) + (MIDDLE - rank_from_edge);
    DRIVE_TO_EDGE * to_edge + DRIVE_KINGS * (FAR - distance(king, weak))
}

/// With bishop and knight only the corners of the bishop's colour will do.
fn to_corner(bishop: Bitboard, weak: Square) -> i32 {
    let corners = if (bishop & Bitboard::LIGHT_SQUARES).any() { LIGHT_CORNERS } else { DARK_CORNERS };
    let steps = |corner: Square| {
        let files = (corner.file() as i32 - weak.file() as i32).abs();
        let ranks = (corner.rank() as i32 - weak.rank() as i32).abs();
        files + ranks
    };
    DRIVE_TO_CORNER * (2 * FAR - steps(corners[0]).min(steps(corners[1])))
}
