//! The pawns before a king: those that cover it, and those that come for it.

use shakmaty::{Bitboard, File, Square};

use super::groups::*;
use super::pair::Pair;
use super::trace::{Trace, weigh};
use crate::geometry::distance;
use crate::side::ConstColor;

/// Files of the three that are looked at: the king's, the one towards the centre, the one towards the edge.
const OWN: usize = 0;
const INNER: usize = 1;
const OUTER: usize = 2;

/// Cover of a king on `king`, and its way to the pawns.
pub fn cover<S: ConstColor, T: Trace>(ours: Bitboard, theirs: Bitboard, king: Square, trace: &mut T) -> Pair {
    let mut score = Pair::ZERO;
    for (which, file) in files_of(king) {
        let Some(file) = file else { continue };
        score += on_file::<S, T>(ours, theirs, king, which * RANKS, file, trace);
    }
    let walk = |pawns: Bitboard| pawns.into_iter().map(|pawn| distance(king, pawn)).min().unwrap_or(0);
    score += weigh::<S, T>(trace, KING_TO_PAWN.at(0), walk(ours));
    score + weigh::<S, T>(trace, KING_TO_THEIR_PAWN.at(0), walk(theirs))
}

/// The king's file and its neighbours, `None` beyond the edge.
fn files_of(king: Square) -> [(usize, Option<File>); 3] {
    let (left, right) = (king.file().offset(-1), king.file().offset(1));
    let (inner, outer) = if king.file() < File::E { (right, left) } else { (left, right) };
    [(OWN, Some(king.file())), (INNER, inner), (OUTER, outer)]
}

/// The nearest pawns of both colours before the king on one file.
#[inline(always)]
fn on_file<S: ConstColor, T: Trace>(
    ours: Bitboard,
    theirs: Bitboard,
    king: Square,
    group: usize,
    file: File,
    trace: &mut T,
) -> Pair {
    let ahead = Bitboard::from_file(file) & S::rows_from(king);
    // Ranks ahead of the king, starting at one; zero if there is no pawn.
    let ranks = |pawn: Option<Square>| pawn.map_or(0, |sq| (S::rank(sq) - S::rank(king) + 1).min(RANKS - 1));
    let (shield, storm) = (S::rearmost(ours & ahead), S::rearmost(theirs & ahead));
    let blocked = storm.is_some_and(|sq| (S::down(Bitboard::from_square(sq)) & ours).any());
    let storms = if blocked { STORM_BLOCKED } else { STORM };
    weigh::<S, T>(trace, SHIELD.at(group + ranks(shield)), 1) + weigh::<S, T>(trace, storms.at(group + ranks(storm)), 1)
}

#[cfg(test)]
mod tests {
    use super::super::pawns::pawns_of;
    use super::super::{EvaluationCounts, WeightCount};
    use super::*;
    use crate::side::{Black, White};
    use shakmaty::{Board, Color};

    fn pawns(placement: &str) -> [Bitboard; 2] {
        pawns_of(&Board::from_ascii_board_fen(placement.as_bytes()).unwrap())
    }

    #[test]
    fn pawns_are_counted_by_file_and_ranks_ahead() {
        let [black, white] = pawns("8/8/8/7p/5p2/5P2/6P1/8");
        let mut counted = EvaluationCounts::new(Color::White, 0);
        cover::<White, _>(white, black, Square::G1, &mut counted);
        for (name, place) in [
            ("g2 is two ranks ahead, counted from one", SHIELD.at(OWN * RANKS + 2)),
            ("f3 towards the centre", SHIELD.at(INNER * RANKS + 3)),
            ("no pawn towards the edge", SHIELD.at(OUTER * RANKS)),
            ("no storm on the king's file", STORM.at(OWN * RANKS)),
            ("f4 is blocked by f3", STORM_BLOCKED.at(INNER * RANKS + 4)),
            ("h5 is free", STORM.at(OUTER * RANKS + 5)),
        ] {
            let used = WeightCount { place: place as u16, count: 1 };
            assert!(counted.weights.contains(&used), "{name}: {:?}", counted.weights);
        }
    }

    #[test]
    fn a_whole_shield_is_better_than_none() {
        let value = |placement: &str| {
            let [black, white] = pawns(placement);
            cover::<White, _>(white, black, Square::G1, &mut ()).mg()
        };
        let whole = value("8/8/8/8/8/8/5PPP/8");
        for (name, placement) in [("no g pawn", "8/8/8/8/8/8/5P1P/8"), ("no pawns", "8/8/8/8/8/8/PP6/8")] {
            assert!(value(placement) < whole, "{name}: {} {whole}", value(placement));
        }
    }

    #[test]
    fn colours_and_wings_mirror() {
        let [black, white] = pawns("8/p1p2pp1/7p/8/3P2P1/8/PPP2P1P/8");
        for sq in Square::ALL {
            let a = cover::<White, _>(white, black, sq, &mut ());
            let flipped = cover::<Black, _>(white.flip_vertical(), black.flip_vertical(), sq.flip_vertical(), &mut ());
            assert_eq!(a, flipped, "{sq}");
            let turned = |b: Bitboard| b.flip_horizontal();
            assert_eq!(a, cover::<White, _>(turned(white), turned(black), sq.flip_horizontal(), &mut ()), "{sq}");
        }
    }
}
