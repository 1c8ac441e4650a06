//! Every number of the evaluation, by term.
//!
//! Units: a [`Pair`] holds a middlegame and an endgame value in pawns/100 (a pawn of the endgame is worth 100). King
//! danger is summed in its own unit and turned into pawns/100 by a square law. Tables indexed by rank count ranks
//! from the owner's home rank, 0 to 7; tables indexed by role use the role number, pawn 1 to king 6.

use super::material::KINDS;
use super::pair::{Pair, pair};

pub use super::squares::{HALF_BOARD, PSQ, VALUE};

/// Weight of a piece in the game phase, by role number.
pub const PHASE: [i32; 7] = [0, 0, 1, 1, 2, 4, 0];
/// Phase of the opening position.
pub const PHASE_MAX: i32 = 24;

/// Half moves without progress at which the score would reach zero (half moves).
pub const FADE_HALFMOVES: i32 = 220;

// Material

/// What a pair of kinds of one side is worth, by kind (0 the bishop pair, then pawn to queen; 1/34 of pawns/100).
pub const IMBALANCE_OWN: [[i32; KINDS]; KINDS] = [
    [1438, 0, 0, 0, 0, 0],
    [40, 38, 0, 0, 0, 0],
    [32, 255, -62, 0, 0, 0],
    [0, 104, 4, 0, 0, 0],
    [-26, -2, 47, 105, -208, 0],
    [-189, 24, 117, 133, -134, -6],
];
/// What a kind of ours is worth for each of theirs, same kinds and unit.
pub const IMBALANCE_THEIRS: [[i32; KINDS]; KINDS] = [
    [0, 0, 0, 0, 0, 0],
    [36, 0, 0, 0, 0, 0],
    [9, 63, 0, 0, 0, 0],
    [59, 65, 42, 0, 0, 0],
    [46, 39, 24, -24, 0, 0],
    [97, 100, -42, 137, 268, 0],
];
/// What the sum of both is divided by.
pub const IMBALANCE_DIVISOR: i32 = 34;

// Mobility: safe squares a piece attacks

/// By number of squares.
pub const KNIGHT_MOBILITY: [Pair; 9] = [
    pair(-29, -38),
    pair(-24, -26),
    pair(-7, -14),
    pair(-2, -7),
    pair(2, 3),
    pair(6, 7),
    pair(10, 11),
    pair(13, 13),
    pair(15, 15),
];
/// By number of squares.
pub const BISHOP_MOBILITY: [Pair; 14] = [
    pair(-23, -28),
    pair(-10, -12),
    pair(6, -2),
    pair(12, 6),
    pair(18, 12),
    pair(24, 20),
    pair(26, 25),
    pair(29, 27),
    pair(31, 31),
    pair(33, 34),
    pair(37, 37),
    pair(39, 39),
    pair(43, 42),
    pair(46, 46),
];
/// By number of squares.
pub const ROOK_MOBILITY: [Pair; 15] = [
    pair(-28, -38),
    pair(-13, -10),
    pair(-7, 11),
    pair(-4, 25),
    pair(-2, 33),
    pair(0, 40),
    pair(4, 50),
    pair(8, 56),
    pair(12, 62),
    pair(14, 67),
    pair(16, 72),
    pair(19, 76),
    pair(22, 78),
    pair(24, 79),
    pair(27, 80),
];
/// By number of squares.
pub const QUEEN_MOBILITY: [Pair; 28] = [
    pair(-18, -18),
    pair(-9, -8),
    pair(0, 3),
    pair(2, 9),
    pair(6, 16),
    pair(10, 24),
    pair(14, 29),
    pair(18, 34),
    pair(20, 38),
    pair(23, 43),
    pair(25, 46),
    pair(27, 49),
    pair(29, 53),
    pair(30, 56),
    pair(32, 58),
    pair(33, 60),
    pair(34, 62),
    pair(35, 64),
    pair(37, 66),
    pair(39, 68),
    pair(41, 71),
    pair(44, 76),
    pair(46, 80),
    pair(48, 83),
    pair(50, 87),
    pair(51, 91),
    pair(53, 96),
    pair(54, 100),
];

// Pawns

/// An own pawn directly behind, nothing defending the front one.
pub const DOUBLED: Pair = pair(5, 25);
/// No own pawn on the files beside.
pub const ISOLATED: Pair = pair(3, 8);
/// Every neighbour has gone ahead and the square in front is blocked or attacked by a pawn.
pub const BACKWARD: Pair = pair(4, 11);
/// Isolated or backward on a half-open file.
pub const EXPOSED: Pair = pair(6, 13);
/// Undefended and attacked by two pawns.
pub const DOUBLE_LEVER: Pair = pair(0, 25);
/// Connected pawn by rank, before the factors below.
pub const CONNECTED: [i32; 8] = [0, 3, 4, 6, 14, 23, 40, 0];
/// Endgame part of [`CONNECTED`] by rank (1/4 of the middlegame part).
pub const CONNECTED_ENDGAME: [i32; 8] = [0, -1, 0, 1, 2, 3, 4, 0];
/// What [`CONNECTED_ENDGAME`] is divided by.
pub const CONNECTED_ENDGAME_DIVISOR: i32 = 4;
/// Added to a connected pawn for each defender.
pub const DEFENDED: i32 = 10;

// Passed pawns, by rank

/// Any passed pawn.
pub const PASSED: [Pair; 8] =
    [pair(0, 0), pair(4, 13), pair(7, 16), pair(8, 20), pair(28, 34), pair(78, 82), pair(130, 122), pair(0, 0)];
/// Off the edge file, for each file from the edge.
pub const PASSED_FROM_EDGE: Pair = pair(-5, -4);
/// Endgame, for each king move between the enemy king and the square in front.
pub const PASSED_THEIR_KING: [i32; 8] = [0, 0, 0, 4, 15, 27, 38, 0];
/// Endgame, for each king move between the own king and the square in front.
pub const PASSED_OUR_KING: [i32; 8] = [0, 0, 0, 2, 7, 11, 16, 0];
/// Endgame, for each king move between the own king and the square after that.
pub const PASSED_OUR_KING_NEXT: [i32; 8] = [0, 0, 0, 1, 3, 6, 0, 0];
/// King distances beyond this count as this (king moves).
pub const PASSED_KING_MAX: i32 = 5;
/// The square in front is empty: unit of the bonuses below.
pub const PASSED_UNIT: [i32; 8] = [0, 0, 0, 1, 3, 6, 8, 0];
/// Times unit: no square on the way or beside it is attacked.
pub const PASSED_WAY_CALM: i32 = 35;
/// Times unit: no square on the way is attacked.
pub const PASSED_WAY_FREE: i32 = 20;
/// Times unit: the next square is not attacked.
pub const PASSED_STEP_FREE: i32 = 9;
/// Times unit: the next square is defended, or a rook or queen stands behind.
pub const PASSED_ESCORTED: i32 = 5;
/// The enemy has only pawns and cannot catch it (endgame, pawns/100).
pub const UNSTOPPABLE: i32 = 480;
/// Taken off [`UNSTOPPABLE`] for each move to promotion (pawns/100).
pub const UNSTOPPABLE_SLOPE: i32 = 20;

// Pieces

/// Knight on a square that no enemy pawn can attack, defended by a pawn.
pub const KNIGHT_OUTPOST: Pair = pair(26, 18);
/// Knight that attacks such a square.
pub const KNIGHT_REACHES_OUTPOST: Pair = pair(14, 9);
/// Bishop on such a square.
pub const BISHOP_OUTPOST: Pair = pair(14, 10);
/// Minor piece directly behind a pawn of either colour.
pub const BEHIND_PAWN: Pair = pair(8, 1);
/// Each king move between a minor piece and its own king.
pub const FAR_FROM_KING: Pair = pair(-3, -4);
/// Bishop, for each own pawn on its colour, times one plus the own blocked centre pawns.
pub const BAD_BISHOP: Pair = pair(-1, -3);
/// Bishop that sees both central squares of its diagonal through everything but pawns.
pub const LONG_DIAGONAL: Pair = pair(20, 0);
/// Bishop shut in by its own pawn in the corner region (Chess960) or enemy pawns on the rim (a2, h7 and so on).
pub const TRAPPED_BISHOP: Pair = pair(-60, -60);
/// Rook on a file without own pawns.
pub const ROOK_HALF_OPEN: Pair = pair(10, 3);
/// Rook on a file without pawns.
pub const ROOK_OPEN: Pair = pair(22, 12);
/// Rook on the file of an enemy queen.
pub const ROOK_ON_QUEEN: Pair = pair(3, 3);
/// Rook on the seventh rank with the enemy king on the eighth or pawns to take.
pub const ROOK_ON_SEVENTH: Pair = pair(5, 14);
/// Rook without room on the side of its own uncastled king.
pub const TRAPPED_ROOK: Pair = pair(-24, -5);
/// A rook is trapped with at most this many squares (count).
pub const TRAPPED_ROOK_MAX: usize = 3;
/// Queen that a discovered attack aims at.
pub const QUEEN_IN_LINE: Pair = pair(-23, -7);

// Threats, by role of the victim

/// A minor piece attacks a weak or a greater piece.
pub const MINOR_ATTACKS: [Pair; 7] =
    [Pair::ZERO, pair(3, 15), pair(28, 19), pair(37, 26), pair(42, 56), pair(37, 76), Pair::ZERO];
/// A rook attacks a weak piece.
pub const ROOK_ATTACKS: [Pair; 7] =
    [Pair::ZERO, pair(1, 12), pair(18, 33), pair(18, 29), pair(0, 18), pair(24, 18), Pair::ZERO];
/// The king attacks a weak piece.
pub const KING_ATTACKS: Pair = pair(11, 42);
/// A weak piece is undefended, or attacked twice.
pub const HANGING: Pair = pair(32, 17);
/// A weak piece is defended by the queen only.
pub const QUEEN_DEFENDS: Pair = pair(6, 0);
/// A safe pawn attacks a piece.
pub const PAWN_ATTACKS: Pair = pair(81, 44);
/// A safe pawn push would attack a piece.
pub const PUSH_ATTACKS: Pair = pair(23, 18);
/// Each square where an enemy piece may go but finds us.
pub const RESTRICTED: Pair = pair(3, 3);
/// A knight may safely hit the queen next move.
pub const KNIGHT_ON_QUEEN: Pair = pair(8, 6);
/// A bishop or rook may safely hit the queen next move.
pub const SLIDER_ON_QUEEN: Pair = pair(28, 8);

// King shelter and storm (middlegame, pawns/100)

/// Own pawn nearest to the king on a file, by distance of the file from the edge and the pawn's rank (0: none).
pub const SHELTER: [[i32; 8]; 4] = [
    [-3, 38, 44, 27, 18, 8, 12, 0],
    [-20, 29, 16, -20, -14, -6, -28, 0],
    [-5, 35, 11, -1, 12, 1, -20, 0],
    [-18, -6, -14, -24, -23, -31, -60, 0],
];
/// Enemy pawn nearest to the king on a file, not stopped by ours, same indices.
pub const STORM: [[i32; 8]; 4] = [
    [42, -120, -80, 44, 27, 21, 24, 0],
    [21, -8, 58, 22, 18, -2, 11, 0],
    [3, 24, 74, 17, 3, -6, -1, 0],
    [-5, -7, 42, 8, 1, -3, -7, 0],
];
/// Enemy pawn stopped by our shelter pawn, by its rank.
pub const STORM_STOPPED: [Pair; 8] =
    [Pair::ZERO, Pair::ZERO, pair(38, 38), pair(6, 4), Pair::ZERO, Pair::ZERO, Pair::ZERO, Pair::ZERO];
/// King on a file without pawns: half-open for the enemy, then fully open.
pub const KING_FILE_HALF_OPEN: Pair = pair(-6, 2);
/// King on a file without any pawn.
pub const KING_FILE_OPEN: Pair = pair(-12, 0);
/// Endgame, for each king move to the nearest own pawn.
pub const KING_FROM_PAWNS: i32 = 7;
/// No pawn at all on the king's wing.
pub const BARE_FLANK: Pair = pair(-8, -45);
/// Each attacked square of our king's flank on our side of the board, once more when attacked twice.
pub const FLANK_ATTACKED: Pair = pair(-4, 0);

// King danger (danger units)

/// By role number: a piece that attacks the zone around the king.
pub const DANGER_ATTACKER: [i32; 7] = [0, 0, 81, 52, 46, 16, 0];
/// Each attack on a square next to the king.
pub const DANGER_HIT: i32 = 70;
/// Each square of the zone that only king or queen defend.
pub const DANGER_WEAK_SQUARE: i32 = 184;
/// Each square from which a check would be answered by a capture.
pub const DANGER_UNSAFE_CHECK: i32 = 148;
/// Each piece of either colour that shields the king from a slider.
pub const DANGER_SHIELD: i32 = 98;
/// Safe checks by role number: one square, several squares.
pub const DANGER_SAFE_CHECK: [[i32; 2]; 7] =
    [[0; 2], [0; 2], [800, 1250], [640, 960], [1085, 1750], [760, 1130], [0; 2]];
/// The attacker has no queen.
pub const DANGER_NO_QUEEN: i32 = -873;
/// A knight defends squares next to the king.
pub const DANGER_KNIGHT_HOME: i32 = -100;
/// Square of the number of attacks on the flank (1/8 unit).
pub const DANGER_FLANK_SQUARE: i32 = 3;
/// What [`DANGER_FLANK_SQUARE`] is divided by.
pub const DANGER_FLANK_DIVISOR: i32 = 8;
/// Each defended square of the flank.
pub const DANGER_FLANK_DEFENDED: i32 = -4;
/// For each 1/100 pawn of shelter (1/8 unit).
pub const DANGER_SHELTER: i32 = -13;
/// What [`DANGER_SHELTER`] is divided by.
pub const DANGER_SHELTER_DIVISOR: i32 = 8;
/// For each 1/100 pawn of mobility that the attacker has more.
pub const DANGER_MOBILITY: i32 = 2;
/// Always.
pub const DANGER_BASE: i32 = 37;
/// Danger up to this is ignored.
pub const DANGER_MIN: i32 = 100;
/// Danger beyond this counts as this.
pub const DANGER_MAX: i32 = 6000;
/// Middlegame penalty: danger squared divided by this.
pub const DANGER_SQUARE_DIVISOR: i32 = 8700;
/// Endgame penalty: danger divided by this.
pub const DANGER_ENDGAME_DIVISOR: i32 = 34;

// Space (middlegame)

/// Space counts from this phase on (phase units).
pub const SPACE_PHASE_MIN: i32 = 18;
/// Divides safe squares times the square of the piece weight.
pub const SPACE_DIVISOR: i32 = 34;
/// Taken off the number of pieces before it is squared.
pub const SPACE_PIECES_OFF: i32 = 1;

// Winning chances: added to the better side's endgame score, never past zero (pawns/100)

/// Each passed pawn.
pub const CHANCES_PASSED: i32 = 4;
/// Each pawn.
pub const CHANCES_PAWN: i32 = 5;
/// Each file the kings stand apart beyond the ranks.
pub const CHANCES_OUTFLANKING: i32 = 4;
/// Pawns on both wings.
pub const CHANCES_BOTH_WINGS: i32 = 10;
/// A king beyond the middle of the board.
pub const CHANCES_INFILTRATION: i32 = 11;
/// Only pawns left.
pub const CHANCES_PAWNS_ONLY: i32 = 24;
/// Kings side by side and pawns on one wing only.
pub const CHANCES_STUCK: i32 = -20;
/// Always.
pub const CHANCES_BASE: i32 = -51;
/// Added when the same sum limits the middlegame score.
pub const CHANCES_MIDDLEGAME: i32 = 24;

// Scaling of the endgame value (1/64)

/// Nothing is taken off.
pub const SCALE_NORMAL: i32 = 64;
/// Opposite bishops alone: flat part.
pub const SCALE_OPPOSITE_BASE: i32 = 18;
/// Opposite bishops alone: each passed pawn of the stronger side.
pub const SCALE_OPPOSITE_PASSED: i32 = 6;
/// Opposite bishops with other pieces: flat part.
pub const SCALE_OPPOSITE_PIECES_BASE: i32 = 24;
/// Opposite bishops with other pieces: each piece of the stronger side.
pub const SCALE_OPPOSITE_PIECES: i32 = 4;
/// Otherwise: flat part.
pub const SCALE_BASE: i32 = 37;
/// Otherwise: each pawn of the stronger side.
pub const SCALE_PAWN: i32 = 7;
/// Pawns on one wing only.
pub const SCALE_ONE_WING: i32 = 4;
/// No pawns and at most a minor piece ahead, nothing with which to win.
pub const SCALE_NO_PAWNS_DRAW: i32 = 0;
/// No pawns, at most a minor piece ahead, and the defender has little.
pub const SCALE_NO_PAWNS_SMALL: i32 = 4;
/// No pawns and at most a minor piece ahead.
pub const SCALE_NO_PAWNS: i32 = 14;
/// A queen against other pieces: flat part.
pub const SCALE_QUEEN_BASE: i32 = 37;
/// A queen against other pieces: each minor piece of the side without.
pub const SCALE_QUEEN_MINORS: i32 = 3;
/// Rook and pawn against rook, the king before the pawn.
pub const SCALE_ROOK_PAWN_HELD: i32 = 18;

// Known endings (pawns/100)

/// Added when the ending is known to be won.
pub const KNOWN_WIN: i32 = 4000;
/// Bare king, by distance of the square from the centre of the board (0 to 6): mate is at the edge.
pub const DRIVE_TO_EDGE: i32 = 30;
/// Bare king, each king move closer together.
pub const DRIVE_KINGS: i32 = 20;
/// Bishop and knight: each king move nearer to a corner the bishop controls.
pub const DRIVE_TO_CORNER: i32 = 300;
/// Pawn ending known to be won: each rank of the pawn.
pub const KPK_RANK: i32 = 20;
