//! Every weight of the evaluation, in the order of [`super::groups`]: generated, do not edit.
//!
//! Units: a [`Pair`] holds a middlegame and an endgame value in pawns/100.
//!
//! Fitted to 495 817 positions of 6 978 games that this program played against itself.
//! Players: quarterply 0.1.0 (da1e268171-dirty), evaluation 0256510e851878f4, bench 3280729.
//! Passes 80, rate 1, result 0.05, scores up to 2000, seed 1; odds are e to 1 at a score of 185 and at a value of 215.
//! Loss on held-out games: 0.024870 before, 0.010017 after.

use super::groups::{COUNT, CURVE_POINTS, DANGER_COUNT, SCALE_COUNT};
use super::pair::{Pair, pair};

/// The ordinary weights.
#[rustfmt::skip]
pub const WEIGHTS: [Pair; COUNT] = [
    // VALUE
       pair(57, 100),   pair(345, 365),   pair(390, 402),   pair(560, 619), pair(1189, 1087),
    // PAWN_SQUARE
    pair(-11, -11),  pair(-9, -10),  pair(-13, -8),  pair(-22, -4),
    pair(-16, -15),  pair(-4, -13), pair(-11, -11),  pair(-37, -1),
    pair(-16, -19),  pair(-7, -22),  pair(-9, -24), pair(-14, -19),
    pair(-16, -16),  pair(-25, -9),  pair(-1, -25),   pair(4, -22),
       pair(-2, 2),    pair(2, -2),    pair(3, -9),   pair(7, -10),
      pair(15, 17),   pair(17, 21),   pair(26, 27),   pair(27, 19),
      pair(15, 10),   pair(23, 29),   pair(19, 31),   pair(16, 20),
      pair(14, 13),   pair(16, 19),   pair(15, 21),   pair(14, 18),
    // KNIGHT_SQUARE
    pair(-30, -21), pair(-16, -18),   pair(4, -12),  pair(-3, -10),
    pair(-21, -13),  pair(-4, -10),   pair(9, -11),    pair(9, -9),
     pair(-9, -10),  pair(13, -13),  pair(15, -10),    pair(12, 1),
        pair(7, 2),    pair(14, 3),    pair(32, 6),   pair(28, 15),
        pair(9, 6),    pair(17, 9),   pair(19, 13),   pair(22, 20),
      pair(-18, 1),    pair(-2, 4),    pair(-1, 8),   pair(10, 18),
      pair(-39, 3),   pair(-31, 5),   pair(-8, 11),   pair(-2, 13),
    pair(-86, -25), pair(-51, -10),  pair(-39, -6),   pair(-15, 7),
    // BISHOP_SQUARE
    pair(-18, -16),    pair(5, -7),  pair(-3, -11),    pair(-5, 2),
      pair(5, -11),  pair(17, -12),   pair(17, -5),     pair(7, 1),
       pair(4, -8),   pair(29, -5),   pair(13, -4),    pair(14, 4),
      pair(6, -11),   pair(20, -2),    pair(20, 2),    pair(27, 5),
      pair(5, -10),     pair(5, 1),     pair(8, 4),    pair(24, 7),
       pair(0, -5),  pair(-19, 10),   pair(-14, 6),    pair(8, 10),
     pair(-28, 11),   pair(-34, 8),  pair(-26, 12),   pair(-24, 7),
      pair(-34, 5),  pair(-34, 10),   pair(-38, 5),   pair(-37, 2),
    // ROOK_SQUARE
    pair(-12, -15),  pair(10, -18),  pair(19, -13),  pair(21, -18),
    pair(-10, -15),   pair(2, -15),    pair(4, -5),    pair(4, -5),
     pair(-10, -4),    pair(-2, 0),    pair(-9, 5),   pair(-13, 5),
     pair(-11, -1),   pair(-13, 5),  pair(-13, 11),   pair(-14, 6),
      pair(-17, 4),   pair(-7, 12),   pair(-7, 10),   pair(-10, 2),
       pair(-7, 7),   pair(-7, 10),    pair(-2, 6),    pair(1, -1),
       pair(4, -2),    pair(2, -1),   pair(-7, -2),   pair(-2, -5),
       pair(-4, 1),    pair(-1, 5),    pair(-1, 0),   pair(-5, -3),
    // QUEEN_SQUARE
       pair(7, -8),  pair(-3, -14),   pair(0, -21),   pair(8, -23),
     pair(-2, -13),   pair(7, -16),  pair(16, -13),     pair(5, 6),
       pair(8, -7),   pair(18, -1),    pair(11, 4),     pair(2, 8),
     pair(12, -10),    pair(5, -1),   pair(-1, 10),     pair(0, 5),
       pair(13, 1),    pair(-7, 8),  pair(-13, 12),   pair(-11, 6),
        pair(1, 1),    pair(-4, 9),   pair(-10, 9),   pair(-12, 3),
      pair(-6, -2),    pair(-7, 2),    pair(-6, 3),  pair(-16, -2),
       pair(-7, 5),   pair(-11, 3),  pair(-13, -6), pair(-13, -10),
    // KING_SQUARE
     pair(27, -13),  pair(45, -24),  pair(17, -18), pair(-23, -13),
     pair(46, -12),  pair(33, -17),   pair(11, -7),  pair(-27, -1),
      pair(-2, -7),    pair(9, -9),   pair(-2, -6),  pair(-25, -3),
      pair(-15, 2),   pair(-6, -3),   pair(-7, -5),  pair(-12, -2),
      pair(-13, 6),    pair(-9, 2),   pair(-6, 13),    pair(-7, 7),
      pair(-10, 9),   pair(-9, 18),   pair(-6, 26),   pair(-6, 25),
     pair(-11, -6),   pair(-9, 10),   pair(-8, 18),   pair(-7, 20),
    pair(-11, -12),    pair(-9, 6),   pair(-7, 11),    pair(-6, 8),
    pair(20, 5), // BISHOP_PAIR
    pair(-3, 5), // BISHOP_PAIR_PAWN
    // SECOND
     pair(-7, -1),   pair(20, 5),  pair(0, -21), pair(-16, -4),
    // WITH_PAWN
     pair(10, 3), pair(12, -5), pair(10, -6),  pair(1, -5),
    // AGAINST_PAWN
     pair(3, -3),   pair(4, 1),  pair(2, -6), pair(-5, -7),
    pair(-5, 33), // QUEEN_AGAINST_MINOR
    pair(-15, 72), // QUEEN_AGAINST_ROOK
    pair(-7, -1), // ROOK_AGAINST_MINOR
    // ISOLATED
     pair(2, -4),  pair(2, -5),  pair(4, -5), pair(-1, -5),
    pair(-5, -11), // ISOLATED_OPEN
    pair(-7, -8), // DOUBLED
    pair(0, -6), // BACKWARD
    pair(-16, -2), // BACKWARD_OPEN
    // PHALANX
      pair(8, 0),  pair(10, 0),   pair(5, 3),  pair(11, 7), pair(22, 21), pair(29, 33), pair(26, 31), pair(21, 25),
    // DEFENDED
      pair(9, 4),  pair(12, 5),  pair(17, 7),  pair(13, 6),  pair(22, 9), pair(42, 23), pair(50, 17), pair(40, 14),
    // BLOCKED
      pair(10, 7),   pair(12, 8),    pair(8, 3),    pair(0, 0),  pair(-7, -3), pair(-11, -8),  pair(-7, -5),  pair(-6, -4),
    pair(0, 0), // LEVER
    // CANDIDATE
    pair(3, -2), pair(4, -2),  pair(5, 3),  pair(2, 9), pair(1, 12), pair(9, 37), pair(6, 25), pair(5, 20),
    pair(-13, 3), // ISLAND
    // PASSED
     pair(-4, -1),  pair(-6, -1),  pair(-13, 6), pair(-20, 10),  pair(-8, 24),  pair(13, 27),  pair(23, 50),  pair(19, 40),
    // PASSED_PAIR
     pair(3, -2),  pair(4, -2), pair(-8, -1), pair(-7, 11),   pair(9, 7), pair(23, 24), pair(22, 24), pair(18, 19),
    // PASSED_DEFENDED
      pair(6, -6),   pair(7, -7), pair(11, -10),    pair(8, 0),   pair(20, 5),  pair(26, 16),  pair(40, 12),  pair(32, 10),
    // PASSED_BLOCKED
      pair(10, -1),   pair(12, -1),     pair(5, 0),    pair(2, -8),  pair(-4, -21), pair(-11, -34), pair(-39, -61), pair(-31, -49),
    // PASSED_SAFE_STEP
     pair(5, -5),  pair(6, -6),  pair(5, -1),   pair(4, 5),  pair(5, 13), pair(12, 24),  pair(6, 29),  pair(5, 23),
    // PASSED_SAFE_WAY
     pair(-12, 7),  pair(-14, 9), pair(-19, 13), pair(-28, 28), pair(-20, 30),   pair(0, 49),  pair(24, 91),  pair(20, 73),
    // PASSED_ESCORTED
      pair(5, 4),   pair(7, 5),  pair(10, 1),   pair(0, 4), pair(11, 16), pair(31, 32), pair(52, 80), pair(41, 64),
    // PASSED_OUR_KING
     pair(2, -1),  pair(2, -2),  pair(1, -1), pair(13, -8), pair(5, -11), pair(0, -11),  pair(5, -9),  pair(4, -7),
    // PASSED_THEIR_KING
      pair(-4, 2),   pair(-6, 2),   pair(-2, 1), pair(-11, 12),  pair(-7, 18),   pair(2, 25),  pair(12, 36),   pair(9, 28),
    pair(17, 10), // ROOK_BEHIND_PASSED
    pair(10, 53), // ROOK_BEHIND_THEIR_PASSED
    // UNSTOPPABLE
    pair(0, 15), pair(1, 19), pair(1, 26), pair(1, 44), pair(1, 64), pair(1, 70), pair(1, 65), pair(1, 52),
    // SHIELD
    pair(-16, -1),    pair(0, 0),  pair(29, -4),  pair(15, -4),  pair(-2, -6),  pair(0, -13), pair(-21, 10), pair(-21, 25),
     pair(-13, 1),   pair(31, 0),   pair(16, 0),   pair(-5, 0), pair(-10, -2), pair(-13, -2),   pair(-6, 6),  pair(24, -6),
      pair(2, 13),   pair(27, 8),   pair(32, 2),  pair(14, 17),  pair(11, 11),  pair(-1, 19),   pair(2, 27),   pair(-7, 4),
    // STORM
     pair(-18, 0),    pair(0, 0),   pair(15, 7), pair(-25, 18),   pair(-6, 7),   pair(-3, 6),  pair(-1, -1),   pair(-1, 4),
      pair(1, -1), pair(-39, 27),    pair(0, 0), pair(-23, -3),   pair(-5, 1),   pair(1, -3),   pair(6, -5),   pair(6, -1),
       pair(1, 7),  pair(31, 19),    pair(0, 0),  pair(-19, 8),    pair(5, 7),    pair(9, 7),   pair(17, 8),  pair(13, 10),
    // STORM_BLOCKED
       pair(0, 0),    pair(0, 0),    pair(0, 0), pair(-15, -8),   pair(2, -3),  pair(18, -4), pair(18, -13), pair(27, -22),
       pair(0, 0),   pair(-6, 9),    pair(0, 0),  pair(-14, 0),  pair(8, -10),   pair(9, -4), pair(19, -15),    pair(8, 4),
       pair(0, 0),  pair(-6, 35),    pair(0, 0),    pair(0, 5),  pair(24, -2),   pair(19, 7), pair(32, -17),  pair(-2, 12),
    pair(42, -4), // MAY_CASTLE_SHORT
    pair(25, 4), // MAY_CASTLE_LONG
    pair(-4, -10), // KING_TO_PAWN
    pair(4, -6), // KING_TO_THEIR_PAWN
    // KNIGHT_MOBILITY
    pair(-37, -22), pair(-28, -36), pair(-17, -15),   pair(-9, -6),    pair(-2, 2),    pair(5, 10),   pair(10, 13),   pair(18, 15),
      pair(21, 10),
    // BISHOP_MOBILITY
    pair(-30, -26), pair(-21, -26),  pair(-7, -11),    pair(-2, 0),     pair(3, 6),     pair(9, 4),    pair(12, 6),   pair(12, 10),
      pair(12, 14),    pair(8, 13),    pair(13, 8),    pair(15, 7),    pair(16, 8),    pair(19, 4),
    // ROOK_MOBILITY
    pair(-63, -73), pair(-37, -51), pair(-22, -26), pair(-16, -10),   pair(-4, -3),    pair(-5, 6),     pair(0, 9),     pair(3, 9),
       pair(7, 11),   pair(13, 15),   pair(15, 15),   pair(21, 15),   pair(31, 11),   pair(21, 18),   pair(38, 16),
    // QUEEN_MOBILITY
    pair(-11, -10), pair(-16, -15), pair(-19, -28), pair(-14, -44), pair(-13, -51),  pair(-9, -41),  pair(-6, -28),  pair(-2, -21),
      pair(0, -23),   pair(2, -13),    pair(2, -2),    pair(2, 10),    pair(3, 11),     pair(5, 8),   pair(10, 15),    pair(7, 18),
       pair(3, 30),    pair(3, 34),    pair(8, 38),   pair(13, 32),   pair(18, 19),    pair(10, 9),     pair(9, 8),     pair(6, 1),
        pair(6, 2),    pair(4, -2),    pair(3, -3),    pair(2, -4),
    pair(31, 1), // KNIGHT_OUTPOST
    pair(4, -5), // KNIGHT_HOLE
    pair(20, 11), // BISHOP_OUTPOST
    pair(6, 7), // BEHIND_PAWN
    pair(-6, -3), // PAWN_ON_SHADE
    pair(-7, -6), // BLOCKED_PAWN_ON_SHADE
    pair(-7, -3), // THEIR_PAWN_ON_SHADE
    pair(18, 7), // BISHOP_ON_CENTRE
    pair(30, 2), // ROOK_OPEN
    pair(18, 6), // ROOK_HALF_OPEN
    pair(-3, -8), // ROOK_CLOSED
    pair(9, 12), // ROOK_SEVENTH
    pair(7, -11), // ON_KING_FILE
    pair(-28, -4), // QUEEN_IN_LINE
    // FROM_OUR_KING
    pair(-1, -5),  pair(1, -3),   pair(2, 1),   pair(0, 5),
    // FROM_THEIR_KING
     pair(-3, 0),   pair(0, 1),  pair(-7, 3), pair(1, -14),
    // PAWN_HITS
    pair(116, 29), pair(123, 38), pair(129, 36), pair(101, 37),
    // PAWN_WILL_HIT
    pair(24, 12),  pair(35, 2),  pair(35, 2), pair(24, -1),
    // KNIGHT_HITS
      pair(-3, 2),  pair(31, 48),  pair(65, 26),  pair(99, 39), pair(100, 31),
    // BISHOP_HITS
       pair(2, 2),  pair(31, 26),  pair(32, 44),  pair(79, 58), pair(100, 59),
    // ROOK_HITS
      pair(-5, 3),   pair(16, 9),   pair(21, 9),  pair(62, 11), pair(130, 63),
    // QUEEN_HITS
       pair(0, 6), pair(-1, -11),   pair(-5, 8), pair(-13, 14),  pair(71, 30),
    // UNDEFENDED
    pair(25, 25), pair(77, 32), pair(80, 27), pair(92, 21), pair(99, 35),
    pair(20, 14), // LOOSE_TO_MOVE
    pair(32, 30), // OUTNUMBERED
    pair(13, 11), // KNIGHT_NEAR_QUEEN
    pair(32, 21), // SLIDER_NEAR_QUEEN
    pair(6, 3), // CONTESTED
    pair(5, -6), // SPACE
    pair(41, -2), // TEMPO
];

/// Inputs of king danger (danger units).
#[rustfmt::skip]
pub const DANGER: [i32; DANGER_COUNT] = [
    // ATTACKER
    34, 18, 32,  9,
    // HIT
     9,  5, -4,  9,
    // CHECKER
    118,  66, 122,  87,
    // CHECKERS
    107,  59, 158, 145,
    21, // UNSAFE_CHECK
    15, // WEAK_SQUARE
    15, // SHIELDED
    12, // WING_HIT
    -7, // WING_GUARDED
    -14, // GUARD
    15, // OPEN_FILE
    8, // PAWN_NEAR
    109, // WITH_QUEEN
    73, // ATTACKER_TO_MOVE
    75, // ALWAYS
];

/// The penalty of danger for the king's side: a point every `CURVE_STEP` units of danger.
#[rustfmt::skip]
pub const CURVE: [Pair; CURVE_POINTS] = [
    // CURVE
         pair(0, 0),     pair(-1, 5),     pair(0, 11),     pair(6, 16),    pair(22, 21),    pair(52, 26),   pair(102, 29),   pair(173, 32),
      pair(261, 36),   pair(358, 43),   pair(458, 52),   pair(557, 62),   pair(654, 71),   pair(749, 80),   pair(844, 89),   pair(938, 97),
    pair(1032, 106),
];

/// Parts of the endgame's scale (1/64).
#[rustfmt::skip]
pub const SCALE: [i32; SCALE_COUNT] = [
    58, // SCALE_BASE
    7, // SCALE_PAWN
    6, // SCALE_PASSED
    -11, // SCALE_ONE_WING
    46, // SCALE_PAWNS_ONLY
    -7, // SCALE_ROOKS
    -6, // SCALE_QUEENS
    -49, // SCALE_OPPOSITE
    -22, // SCALE_OPPOSITE_PIECES
    -37, // SCALE_BARREN
];
