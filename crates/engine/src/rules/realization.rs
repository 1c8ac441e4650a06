//! Realization probability: a move costs -log2 of its probability.

use super::Description;

pub(crate) const RULE: Description = Description {
    name: "realization probability",
    about: "Realization probability: moves cost depth by the probability that they are played.",
    idea: "The depth of a line depends on the probability that it is played. The probability of each move is learned \
        from games: by the kind of move, or by a softmax over features of all legal moves, so that the probabilities \
        of a node sum to one. A move with probability P costs -log2 P bits; `bits_per_ply` is the number of bits that \
        cost a ply.",
    risk: "Moves that both sides avoid in games have a low probability even if they win; therefore, an expensive \
        move that beats alpha is searched again at a cost of one ply. A line of likely moves becomes long: every \
        move has a minimum cost, half a ply beyond twice the nominal depth.",
    reads: "position, path (last capture, own last move), history, table, static evaluation after the move, expected \
        node type; near the leaves nothing: there `late_move_reduction` applies.",
    papers: "`tsuruoka2002`, `tsuruoka2012`, `winands-bjornsson2008`, `levy1989`.",
};

pub mod features;

use super::explosion;
use super::sex::{self, Category};
use crate::chance::{BIT, bits_of, share_of};
use crate::coefficients::{Coefficient, CoefficientModel, Group};
use crate::node::{Candidate, Node, NodeType};
use crate::score::Depth;
use crate::words::in_plies;
use arrayvec::ArrayVec;
use std::fmt;

/// As many features as one move can have.
const FEATURES_OF_MOVE: usize = 40;

/// The features of one move with their values (1/64; 64 is one that is there).
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FeatureVector(ArrayVec<(Feature, i16), FEATURES_OF_MOVE>);

impl FeatureVector {
    /// The features with their values.
    pub fn as_slice(&self) -> &[(Feature, i16)] {
        &self.0
    }
}

macro_rules! declare {
    (
        chances { $($category:ident $chance:ident $meaning:literal;)* }
        weights { $($feature:ident $weight:ident $text:literal $($learnt:ident)?;)* }
    ) => {
        /// How often kinds of moves are played (1/10000), in the order of the kinds.
        pub const CHANCES: Group = Group {
            name: "chances",
            min: 1,
            max: WHOLE,
            coefficients: &[$(Coefficient {
                name: stringify!($chance),
                doc: concat!("chance of ", $meaning, " (1/10000)"),
            },)*],
        };

        /// The weights of the features (1/1024 bit), in their order.
        pub const WEIGHTS: Group = Group {
            name: "weights",
            min: -16_384,
            max: 16_384,
            coefficients: &[$(Coefficient {
                name: stringify!($weight),
                doc: concat!("weight of ", $text, " (1/1024 bit)"),
            },)*],
        };

        /// The features of a move.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Feature {
            $(#[doc = concat!("For ", $text, ".")] $feature,)*
        }

        impl Feature {
            /// All features, in the order of their numbers.
            pub const ALL: &'static [Feature] = &[$(Feature::$feature,)*];

            /// The name of its weight.
            pub const fn name(self) -> &'static str {
                WEIGHTS.coefficients[self as usize].name
            }

            /// Returns true if it depends on search results or on the evaluation, not on the position alone.
            pub const fn is_learnt(self) -> bool {
                match self {
                    // Always true; a repetition has to name its variable.
                    $($(Feature::$feature => stringify!($learnt).len() > 0,)?)*
                    _ => false,
                }
            }
        }

        /// The name of the coefficient that holds the chance of a kind of move.
        pub const fn chance_name(category: Category) -> &'static str {
            match category {
                $(Category::$category => stringify!($chance),)*
            }
        }
    };
}

crate::params! {
    /// deduct depth for moves by the probability that they are played
    on = false;
    /// probabilities by a softmax over features; off: by the kind of move
    softmax = true;
    /// bits that cost one ply (1/1024 bit)
    bits_per_ply = 2048 in 512..=4096 by 64;
    /// least depth of these costs; below it `late_move_reduction` applies (plies)
    depth_min = 2 in 1..=16 by 1;
    /// least cost of a move (1/1024 ply)
    cost_min = 512 in 64..=1024 by 64;
    /// greatest cost of a move (1/1024 ply)
    cost_max = 4096 in 1024..=12288 by 256;
    /// share of the cost on the principal variation (percent)
    pv_share = 80 in 10..=100 by 5;
    /// greatest cost of the table's move (1/1024 ply)
    table_max = 768 in 256..=2048 by 64;
    /// greatest cost of a killer or the countermove (1/1024 ply)
    killer_or_counter_max = 1536 in 512..=4096 by 128;
    /// first moves that cost a ply at most (moves)
    first_moves = 2 in 0..=10 by 1;
    /// cost of the re-search of a move that beats alpha (1/1024 ply)
    repeated = 1024 in 512..=2048 by 64;
}

// The kind of a move or the feature, its coefficient, and what that is the chance or the weight of. `learnt`: see `Feature::is_learnt`.
declare! {
    chances {
        OnlyMove p_only_move "the only legal answer to a check";
        Recapture p_recapture "a recapture";
        SafeCheck p_safe_check "a safe check";
        Promotion p_promotion "a safe promotion";
        MateThreat p_mate_threat "a mate threat";
        Winning p_winning "a winning capture";
        Equal p_equal "an even capture";
        KingEvasion p_king_evasion "a king move out of check";
        BlockEvasion p_block_evasion "any other answer to a check";
        MateThreatReply p_mate_threat_reply "a move where the opponent threatens mate";
        Seventh p_seventh "a passed pawn to the seventh rank";
        Sixth p_sixth "a passed pawn to the sixth rank";
        Escape p_escape "an escape from attack";
        UnsafeCheck p_unsafe_check "an unsafe check";
        KillerOrCounter p_killer_or_counter "a killer or the countermove";
        Promising p_promise "a promising move, see `sex.promise`";
        Losing p_losing "a losing capture";
        Underpromotion p_underpromotion "an underpromotion";
        Forward p_forward "a quiet move forward or sideways";
        Backward p_backward "a quiet move backward";
    }
    weights {
        TakesPawn takes_pawn "taking a pawn";
        TakesMinor takes_minor "taking a knight or bishop";
        TakesRook takes_rook "taking a rook";
        TakesQueen takes_queen "taking a queen";
        TakesBest takes_best "taking the most valuable piece that can be taken";
        TakesMoved takes_moved "taking the piece that moved last, if it captured nothing";
        Recaptures recaptures "a recapture";
        Wins wins "a capture or promotion that wins material by static exchange";
        LosesLittle loses_little "a capture that loses at most 1.5 pawns by static exchange";
        LosesMuch loses_much "a capture that loses more than 1.5 pawns by static exchange";
        Promotes promotes "a promotion to a queen";
        Underpromotes underpromotes "a promotion to another piece than a queen";
        CaptureHistory capture_history "a capture history of 16384 counts" learnt;
        Gain gain "each pawn that a capture adds to the evaluation" learnt;
        NoisyGap noisy_gap "a capture with a value three pawns below the best, in proportion for smaller gaps" learnt;
        SafeCheck safe_check "a check that loses nothing by static exchange";
        UnsafeCheck unsafe_check "a check that loses material by static exchange";
        KingEvades king_evades "a king move out of check";
        HangsPawn hangs_pawn "a quiet pawn move that loses the pawn";
        HangsMinor hangs_minor "a quiet move that loses the moved knight or bishop";
        HangsMore hangs_more "a quiet move that loses the moved rook or queen";
        IntoLesser into_lesser "a quiet move to a square that a less valuable piece attacks";
        EscapesMinor escapes_minor "a safe quiet move of a knight or bishop in danger";
        EscapesRook escapes_rook "a safe quiet move of a rook in danger";
        EscapesQueen escapes_queen "a safe quiet move of a queen in danger";
        Abandons abandons "a quiet move that leaves another piece in danger";
        PawnThreatens pawn_threatens "a quiet pawn move that attacks a piece";
        ThreatensQueen threatens_queen "a quiet move by which a less valuable piece attacks the queen";
        ThreatensRook threatens_rook "a quiet move by which a knight or bishop attacks a rook";
        ThreatensLoose threatens_loose "a quiet move that attacks an unprotected piece or pawn";
        Forks forks "a quiet move that attacks two at once: more valuable or unprotected pieces, or the king";
        MovesPawn moves_pawn "a quiet pawn move, relative to a knight move";
        MovesBishop moves_bishop "a quiet bishop move, relative to a knight move";
        MovesRook moves_rook "a quiet rook move, relative to a knight move";
        MovesQueen moves_queen "a quiet queen move, relative to a knight move";
        KingEarly king_early "a quiet king move with all pieces on the board, in proportion with fewer";
        KingLate king_late "a quiet king move with no pieces on the board, in proportion with more";
        KingCentre king_centre "a quiet king move one square nearer to the centre with no pieces on the board";
        Castles castles "castling";
        NearsKing nears_king "a quiet piece move four squares nearer to the enemy king";
        Advances advances "a quiet piece move four ranks forward";
        Centre centre "a quiet knight, bishop or queen move four squares nearer to the centre";
        Develops develops "a knight or bishop leaving the first rank with all pieces on the board";
        RookOpens rook_opens "a quiet rook move from a file with own pawns to one without";
        Passed passed "a passed pawn that moves to the last rank, in proportion before";
        SamePiece same_piece "a move of the piece that its side moved last";
        Returns returns "a move that undoes its side's last move";
        Counter counter "the countermove" learnt;
        History history "a history of 16384 counts" learnt;
        HistoryBest history_best "the quiet move with the best history" learnt;
        HistoryGood history_good "a quiet move with the second to fourth best history" learnt;
        TableMove table_move "the table move" learnt;
        TableDeep table_deep "a table move from a search of eight plies, in proportion for fewer" learnt;
        TableUnsure table_unsure "a table move whose entry is an upper bound" learnt;
        TableBest table_best "a table move that also has the best value" learnt;
        Refuted refuted "a move for which the table has an upper bound" learnt;
        RefutedDeep refuted_deep "an upper bound from a search of eight plies, in proportion for fewer" learnt;
        Held held "a move for which the table has a lower bound or an exact value" learnt;
        HeldDeep held_deep "a lower bound or exact value from a search of eight plies, in proportion for fewer" learnt;
        HeldExact held_exact "a move for which the table has an exact value" learnt;
        Threatened threatened "a move after which the opponent wins a queen, in proportion for less" learnt;
        ValueBest value_best "a move with the best value after it" learnt;
        Lead lead "a lead of a pawn of the best value over the second best, in proportion for less" learnt;
        ValueGood value_good "a move with the second to fourth best value" learnt;
        ValueSecond value_second "a move with the second best value" learnt;
        ValueFair value_fair "a move with the fifth to eighth best value" learnt;
        Gap gap "a quiet move with a value three pawns below the best, in proportion for smaller gaps" learnt;
        MiddleGap middle_gap "a quiet move with a value one pawn below the best, in proportion for smaller gaps" learnt;
        SmallGap small_gap "a quiet move with a value 0.25 pawns below the best, in proportion for smaller gaps" learnt;
    }
}

/// The chances and weights as data.
pub const MODEL: CoefficientModel = CoefficientModel {
    rule: "realization",
    option: "realization.coefficients",
    groups: &[CHANCES, WEIGHTS],
    built_in: include_str!("../../coefficients/realization.toml"),
};

/// The learned coefficients in the form that the search reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Learned {
    /// The chance of a move of each kind (1/10000).
    pub chances: [i32; CHANCES.coefficients.len()],
    /// The weight of each feature (1/1024 bit).
    pub weights: [i32; WEIGHTS.coefficients.len()],
}

impl Learned {
    /// From values in the order of the declarations of [`MODEL`]; `None` if there are not as many.
    pub fn of(values: &[i32]) -> Option<Learned> {
        let (chances, weights) = values.split_at_checked(CHANCES.coefficients.len())?;
        Some(Learned { chances: chances.try_into().ok()?, weights: weights.try_into().ok()? })
    }

    /// The sum of the weights of a move's features (1/1024 bit).
    pub fn sum(&self, features: &FeatureVector) -> i32 {
        features.0.iter().map(|&(feature, value)| self.weights[feature as usize] * i32::from(value)).sum::<i32>()
            / features::ONE
    }
}

impl Feature {
    /// Returns true if it refers to the table move.
    pub const fn is_of_table_move(self) -> bool {
        matches!(self, Feature::TableMove | Feature::TableDeep | Feature::TableUnsure | Feature::TableBest)
    }
}

/// Chances in words are shares of this.
const WHOLE: i32 = 10_000;
const PERCENT: i32 = 100;
/// The category of a move whose chance is a softmax.
const BY_FEATURES: i32 = -1;

crate::reason! {
    category: i32,
    sum "sum of weights": i32,
    chance: i32,
    bits: i32,
    cost: Depth,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = |bits: i32| (i64::from(bits) * i64::from(PERCENT) / i64::from(BIT)) as i32;
        let decimal = |n: i32| format!("{}.{:02}", n / PERCENT, n.abs() % PERCENT);
        match usize::try_from(self.category).ok().and_then(|index| Category::ALL.get(index)) {
            Some(category) => write!(f, "{}: ", category.name())?,
            None => {
                let sum = hundredths(self.sum);
                let sign = if sum < 0 { "-" } else { "" };
                write!(f, "features add up to {sign}{}: ", decimal(sum.abs()))?;
            }
        }
        let (chance, bits) = (decimal(self.chance), decimal(hundredths(self.bits)));
        write!(f, "a chance of {chance} percent, {bits} bits, {}", in_plies(self.cost))
    }
}

/// The cost of a move and how it came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decrement {
    /// The kind of the move, if the probability depends on it.
    pub category: Option<Category>,
    /// The sum of its weights, where they decide (1/1024 bit).
    pub sum: i32,
    /// Its chance (1/1024 bit).
    pub bits: i32,
    /// The cost.
    pub cost: Depth,
}

impl Decrement {
    pub(crate) fn reason(self) -> Reason {
        let category = self.category.map_or(BY_FEATURES, |category| category as i32);
        Reason { category, sum: self.sum, chance: share_of(self.bits, WHOLE), bits: self.bits, cost: self.cost }
    }
}

/// Returns true if the depth is sufficient for costs by probability.
#[inline(always)]
pub fn reaches(p: &Params, depth: Depth) -> bool {
    depth.whole() >= p.depth_min
}

/// Returns true if the moves of this node have costs by probability.
#[inline(always)]
pub fn applies(p: &Params, n: &Node<'_>) -> bool {
    reaches(p, n.depth) && (!p.softmax || n.chances.is_some())
}

/// The cost of the move.
pub fn decrement(p: &Params, learned: &Learned, kinds: &sex::Params, n: &Node<'_>, c: &Candidate) -> Decrement {
    let known = if p.softmax { n.chances.as_deref().and_then(|chances| chances.of(c.mv)) } else { None };
    let (category, sum, bits) = match known {
        Some((sum, bits)) => (None, sum, bits),
        None => {
            let category = sex::category(kinds, n, c);
            (Some(category), 0, bits_of(learned.chances[category as usize], WHOLE))
        }
    };
    Decrement { category, sum, bits, cost: cost(p, n, c, bits).max(explosion::cost_floor(n)) }
}

/// The cost of a probability of `bits`, within limits.
fn cost(p: &Params, n: &Node<'_>, c: &Candidate, bits: i32) -> Depth {
    let mut cost = Depth((i64::from(bits) * i64::from(Depth::ONE_PLY.0) / i64::from(p.bits_per_ply)) as i32);
    if n.kind == NodeType::Pv {
        cost = cost * p.pv_share / PERCENT;
    }
    if c.from_table {
        cost = cost.min(Depth(p.table_max));
    }
    if c.killer_or_counter {
        cost = cost.min(Depth(p.killer_or_counter_max));
    }
    if c.number <= p.first_moves {
        cost = cost.min(Depth::ONE_PLY);
    }
    cost.clamp(Depth(p.cost_min), Depth(p.cost_max))
}

#[cfg(test)]
mod tests;
