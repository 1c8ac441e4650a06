//! The weights by name: their groups, their meanings, and where their values are found.
//!
//! A weight is declared here once, in a group; its values are in `weights.rs`, which `quarterply learn eval` writes. Four kinds of groups
//! end in four vectors: ordinary weights, a [`Pair`] each, times a count; inputs of king danger, whole numbers whose
//! weighted sum is read off a curve; the points of that curve; and parts of the endgame's scale (1/64).

use super::pair::Pair;
use super::weights::{CURVE, DANGER, SCALE, WEIGHTS};

/// Some weights under one name, next to each other in their vector.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name, as in the source.
    pub name: &'static str,
    /// The meaning of the weights and of their index.
    pub about: &'static str,
    /// Place of the first one.
    pub first: usize,
    /// Number of weights.
    pub len: usize,
}

impl Group {
    /// Place of the weight number `index` of the group.
    #[inline(always)]
    pub const fn at(&self, index: usize) -> usize {
        debug_assert!(index < self.len);
        self.first + index
    }
}

/// Declares the groups of one vector: a constant for each, the list of all, and how many weights there are.
macro_rules! groups {
    ($(#[$doc:meta])* $all:ident, $count:ident: $($(#[doc = $about:literal])+ $name:ident[$len:expr];)+) => {
        groups!(@each 0; $($(#[doc = $about])+ $name[$len];)+);
        $(#[$doc])*
        pub const $all: &[Group] = &[$($name),+];
        /// How many weights there are in this vector.
        pub const $count: usize = 0 $(+ $len)+;
    };
    (@each $first:expr; $(#[doc = $about:literal])+ $name:ident[$len:expr]; $($rest:tt)*) => {
        $(#[doc = $about])+
        pub const $name: Group = Group { name: stringify!($name), about: concat!($($about),+), first: $first, len: $len };
        groups!(@each $first + $len; $($rest)*);
    };
    (@each $first:expr;) => {};
}

/// Squares of half a board, by rank and distance of the file from the edge.
pub const HALF_BOARD: usize = 32;
/// Ranks, from the owner's home rank.
pub const RANKS: usize = 8;
/// Roles from pawn to queen.
const ARMY: usize = 5;
/// Roles from knight to queen.
const PIECES: usize = 4;

groups! {
    /// The ordinary weights.
    GROUPS, COUNT:
    /// a piece, from pawn to queen
    VALUE[ARMY];
    /// a pawn on its square: rank, and distance of the file from the edge
    PAWN_SQUARE[HALF_BOARD];
    /// a knight on its square: rank, and distance of the file from the edge
    KNIGHT_SQUARE[HALF_BOARD];
    /// a bishop on its square: rank, and distance of the file from the edge
    BISHOP_SQUARE[HALF_BOARD];
    /// a rook on its square: rank, and distance of the file from the edge
    ROOK_SQUARE[HALF_BOARD];
    /// a queen on its square: rank, and distance of the file from the edge
    QUEEN_SQUARE[HALF_BOARD];
    /// the king on its square: rank, and distance of the file from the edge
    KING_SQUARE[HALF_BOARD];

    /// two bishops or more
    BISHOP_PAIR[1];
    /// two bishops or more, for each own pawn
    BISHOP_PAIR_PAWN[1];
    /// a piece of a kind after the first, from knight to queen
    SECOND[PIECES];
    /// each piece of a kind for each own pawn, from knight to queen
    WITH_PAWN[PIECES];
    /// each piece of a kind for each enemy pawn, from knight to queen
    AGAINST_PAWN[PIECES];
    /// the queen, for each enemy minor piece
    QUEEN_AGAINST_MINOR[1];
    /// the queen, for each enemy rook
    QUEEN_AGAINST_ROOK[1];
    /// each rook, for each enemy minor piece
    ROOK_AGAINST_MINOR[1];

    /// a pawn without own pawns on the neighbouring files, by distance of the file from the edge
    ISOLATED[4];
    /// an isolated pawn without an enemy pawn before it on its file
    ISOLATED_OPEN[1];
    /// a pawn with an own pawn before it on its file
    DOUBLED[1];
    /// a pawn that no own pawn can defend any more and that cannot advance safely
    BACKWARD[1];
    /// a backward pawn without an enemy pawn before it on its file
    BACKWARD_OPEN[1];
    /// a pawn with a neighbour on its rank, by rank
    PHALANX[RANKS];
    /// a pawn that pawns defend, by rank
    DEFENDED[RANKS];
    /// a pawn that an enemy pawn blocks, by rank
    BLOCKED[RANKS];
    /// a pawn that attacks an enemy pawn
    LEVER[1];
    /// a pawn with no pawn before it on its file and at least as many helping own pawns as hindering enemy pawns, by
    /// rank
    CANDIDATE[RANKS];
    /// groups of pawns on neighbouring files
    ISLAND[1];

    /// a passed pawn, by rank
    PASSED[RANKS];
    /// a passed pawn with another one next to it, by the rank of the rear one
    PASSED_PAIR[RANKS];
    /// a passed pawn that a pawn defends, by rank
    PASSED_DEFENDED[RANKS];
    /// a passed pawn with a piece on the square before it, by rank
    PASSED_BLOCKED[RANKS];
    /// a passed pawn whose next square the enemy does not attack, by rank
    PASSED_SAFE_STEP[RANKS];
    /// a passed pawn whose squares to promotion are neither attacked nor occupied by the enemy, by rank
    PASSED_SAFE_WAY[RANKS];
    /// a passed pawn whose next square is defended, by rank
    PASSED_ESCORTED[RANKS];
    /// each king move between a passed pawn's next square and its own king, by rank
    PASSED_OUR_KING[RANKS];
    /// each king move between a passed pawn's next square and the enemy king, by rank
    PASSED_THEIR_KING[RANKS];
    /// a rook behind an own passed pawn
    ROOK_BEHIND_PASSED[1];
    /// a rook behind an enemy passed pawn
    ROOK_BEHIND_THEIR_PASSED[1];
    /// a passed pawn that the enemy king, the last enemy piece, cannot catch, by rank
    UNSTOPPABLE[RANKS];

    /// the nearest own pawn before the king, by file (the king's, towards the centre, towards the edge) and ranks ahead (0: none)
    SHIELD[3 * RANKS];
    /// the nearest enemy pawn before the king, not blocked by an own pawn, by file and ranks ahead (0: none)
    STORM[3 * RANKS];
    /// the nearest enemy pawn before the king, blocked by an own pawn, by file and ranks ahead
    STORM_BLOCKED[3 * RANKS];
    /// the king may still castle to the king's side
    MAY_CASTLE_SHORT[1];
    /// the king may still castle to the queen's side
    MAY_CASTLE_LONG[1];
    /// each king move to the nearest own pawn
    KING_TO_PAWN[1];
    /// each king move to the nearest enemy pawn
    KING_TO_THEIR_PAWN[1];

    /// a knight, by the number of attacked squares in the mobility area
    KNIGHT_MOBILITY[9];
    /// a bishop, by the number of attacked squares in the mobility area
    BISHOP_MOBILITY[14];
    /// a rook, by the number of attacked squares in the mobility area
    ROOK_MOBILITY[15];
    /// a queen, by the number of attacked squares in the mobility area
    QUEEN_MOBILITY[28];

    /// a knight on ranks 4 to 6 that a pawn defends and no enemy pawn can ever attack
    KNIGHT_OUTPOST[1];
    /// a knight on ranks 4 to 6 that no pawn defends and no enemy pawn can ever attack
    KNIGHT_HOLE[1];
    /// a bishop on ranks 4 to 6 that a pawn defends and no enemy pawn can ever attack
    BISHOP_OUTPOST[1];
    /// a minor piece behind a pawn
    BEHIND_PAWN[1];
    /// a bishop, for each own pawn on squares of its colour
    PAWN_ON_SHADE[1];
    /// a bishop, for each blocked own pawn on squares of its colour
    BLOCKED_PAWN_ON_SHADE[1];
    /// a bishop, for each enemy pawn on squares of its colour
    THEIR_PAWN_ON_SHADE[1];
    /// a bishop that attacks two centre squares or more, blocked by pawns only
    BISHOP_ON_CENTRE[1];
    /// a rook on a file without pawns
    ROOK_OPEN[1];
    /// a rook on a file with enemy pawns only
    ROOK_HALF_OPEN[1];
    /// a rook on a file where an enemy pawn blocks an own pawn
    ROOK_CLOSED[1];
    /// a rook on the seventh rank with the enemy king on the eighth or pawns to take
    ROOK_SEVENTH[1];
    /// a rook or queen on the file of the enemy king
    ON_KING_FILE[1];
    /// a queen with a single piece between it and an enemy rook or bishop
    QUEEN_IN_LINE[1];
    /// each king move between a piece and its own king, from knight to queen
    FROM_OUR_KING[PIECES];
    /// each king move between a piece and the enemy king, from knight to queen
    FROM_THEIR_KING[PIECES];

    /// a safe pawn attacks a piece, from knight to queen
    PAWN_HITS[PIECES];
    /// a safe pawn move would attack a piece, from knight to queen
    PAWN_WILL_HIT[PIECES];
    /// a knight attacks a defended piece, from pawn to queen
    KNIGHT_HITS[ARMY];
    /// a bishop attacks a defended piece, from pawn to queen
    BISHOP_HITS[ARMY];
    /// a rook attacks a defended piece, from pawn to queen
    ROOK_HITS[ARMY];
    /// a queen attacks a defended piece, from pawn to queen
    QUEEN_HITS[ARMY];
    /// a piece or king attacks an undefended piece, from pawn to queen
    UNDEFENDED[ARMY];
    /// an attacked undefended piece if the attacker is to move
    LOOSE_TO_MOVE[1];
    /// a piece attacked twice, defended once and not by a pawn
    OUTNUMBERED[1];
    /// a queen that a knight could attack from a safe square
    KNIGHT_NEAR_QUEEN[1];
    /// a queen that a bishop or rook could attack from a safe square
    SLIDER_NEAR_QUEEN[1];
    /// each square that both sides attack and no enemy pawn defends
    CONTESTED[1];

    /// each safe square without an own pawn on files c to f and ranks 2 to 4, times the number of pieces (1/8)
    SPACE[1];
    /// bonus for the side to move
    TEMPO[1];
}

groups! {
    /// What makes a king unsafe, seen by the attacker (danger units).
    DANGER_GROUPS, DANGER_COUNT:
    /// a piece that attacks the king's zone, from knight to queen
    ATTACKER[PIECES];
    /// each square next to the king that a piece attacks, from knight to queen
    HIT[PIECES];
    /// a kind of piece that can check safely, from knight to queen
    CHECKER[PIECES];
    /// a kind of piece that can check safely from several squares, from knight to queen
    CHECKERS[PIECES];
    /// each square from which a check could be answered by capturing the piece
    UNSAFE_CHECK[1];
    /// each square of the zone that the attacker attacks and at most the king defends
    WEAK_SQUARE[1];
    /// each piece that alone stands between the king and a slider
    SHIELDED[1];
    /// each square of the king's wing that the attacker attacks, counted again if attacked twice
    WING_HIT[1];
    /// each square of the king's wing that the defender attacks
    WING_GUARDED[1];
    /// each minor piece of the defender in the zone
    GUARD[1];
    /// each file without a pawn of the defender among the king's file and its neighbours
    OPEN_FILE[1];
    /// each pawn of the attacker on the files around the king, up to three ranks before it
    PAWN_NEAR[1];
    /// a queen of the attacker
    WITH_QUEEN[1];
    /// the attacker is to move
    ATTACKER_TO_MOVE[1];
    /// constant
    ALWAYS[1];
}

groups! {
    /// The endgame's scale for the side that is better (1/64).
    SCALE_GROUPS, SCALE_COUNT:
    /// constant
    SCALE_BASE[1];
    /// each own pawn
    SCALE_PAWN[1];
    /// each own passed pawn
    SCALE_PASSED[1];
    /// pawns on one wing only
    SCALE_ONE_WING[1];
    /// only pawns and kings
    SCALE_PAWNS_ONLY[1];
    /// a rook each and nothing else but pawns
    SCALE_ROOKS[1];
    /// a queen each and nothing else but pawns
    SCALE_QUEENS[1];
    /// bishops of opposite colours and nothing else but pawns
    SCALE_OPPOSITE[1];
    /// bishops of opposite colours and other pieces
    SCALE_OPPOSITE_PIECES[1];
    /// no own pawn and at most a minor piece ahead
    SCALE_BARREN[1];
}

/// Points of the curve that turns danger into a penalty.
pub const CURVE_POINTS: usize = 17;
/// Danger from one point of the curve to the next (danger units); a power of two.
pub const CURVE_STEP: i32 = 64;

/// The penalty for this amount of danger: linear between the points, constant beyond the ends.
#[inline(always)]
pub fn penalty(danger: i32) -> Pair {
    const LAST: usize = CURVE_POINTS - 1;
    let danger = danger.clamp(0, CURVE_STEP * LAST as i32 - 1);
    let (step, rest) = ((danger / CURVE_STEP) as usize, danger % CURVE_STEP);
    let (low, high) = (POINTS[step], POINTS[step + 1]);
    let between = |low: i32, high: i32| low + (high - low) * rest / CURVE_STEP;
    super::pair::pair(between(low.mg(), high.mg()), between(low.eg(), high.eg()))
}

pub(super) static ORDINARY: [Pair; COUNT] = WEIGHTS;
pub(super) static INPUTS: [i32; DANGER_COUNT] = DANGER;
static POINTS: [Pair; CURVE_POINTS] = CURVE;
pub(super) static PARTS: [i32; SCALE_COUNT] = SCALE;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_fill_their_vectors_without_gaps() {
        for (name, groups, count) in
            [("weights", GROUPS, COUNT), ("danger", DANGER_GROUPS, DANGER_COUNT), ("scale", SCALE_GROUPS, SCALE_COUNT)]
        {
            let mut next = 0;
            for group in groups {
                assert_eq!(group.first, next, "{name}: {}", group.name);
                assert!(group.len > 0 && !group.about.trim().is_empty(), "{}", group.name);
                next += group.len;
            }
            assert_eq!(next, count, "{name}");
        }
        let mut names: Vec<_> = [GROUPS, DANGER_GROUPS, SCALE_GROUPS].concat().iter().map(|g| g.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
        assert_eq!(KING_SQUARE.first - PAWN_SQUARE.first, HALF_BOARD * ARMY);
    }

    #[test]
    fn the_penalty_is_that_of_the_points_and_straight_between_them() {
        for (step, point) in CURVE.iter().enumerate().take(CURVE_POINTS - 1) {
            let here = CURVE_STEP * step as i32;
            assert_eq!(penalty(here), *point, "point {step}");
            let half = penalty(here + CURVE_STEP / 2);
            let (low, high) = (point.mg(), CURVE[step + 1].mg());
            assert_eq!(half.mg(), low + (high - low) / 2, "half way after point {step}");
        }
        assert_eq!(penalty(-500), CURVE[0]);
        assert_eq!(penalty(100_000), penalty(CURVE_STEP * (CURVE_POINTS as i32 - 1) - 1));
    }
}
