//! Realization probability: a move costs -log2 of its probability.

use super::Description;

pub(crate) const RULE: Description = Description {
    name: "realization probability",
    about: "Realization probability: moves cost depth by the probability that they are played.",
    idea: "The depth of a line depends on the probability that it is played. The probability of each move is \
        learned from games: by the kind of move, or by a softmax over features of all legal moves, so that the \
        probabilities of a node sum to one. A move with probability P costs -log2 P bits; a parameter sets the \
        number of bits for a ply.",
    risk: "Moves that both sides avoid in games have a low probability even if they win; therefore, an expensive \
        move that beats alpha is searched again at a cost of one ply. A line of likely moves becomes long: every \
        move has a minimum cost, half a ply beyond twice the nominal depth.",
    reads: "position, path (last capture, own last move), history, table, static evaluation after the move, \
        expected node type; near the leaves nothing: there the usual reductions apply.",
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
        chances { $($(#[doc = $about:literal])+ $category:ident $chance:ident;)* }
        weights { $($(#[doc = $doc:literal])+ $feature:ident $weight:ident;)* }
    ) => {
        /// How often kinds of moves are played (1/10000), in the order of the kinds.
        pub const CHANCES: Group = Group {
            name: "chances",
            min: 1,
            max: WHOLE,
            coefficients: &[$(Coefficient { name: stringify!($chance), doc: concat!($($about),+) },)*],
        };

        /// The weights of the features (1/1024 bit), in their order.
        pub const WEIGHTS: Group = Group {
            name: "weights",
            min: -16_384,
            max: 16_384,
            coefficients: &[$(Coefficient { name: stringify!($weight), doc: concat!($($doc),+) },)*],
        };

        /// The features of a move.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Feature {
            $($(#[doc = $doc])+ $feature,)*
        }

        impl Feature {
            /// All features, in the order of their numbers.
            pub const ALL: &'static [Feature] = &[$(Feature::$feature,)*];

            /// The name of its weight.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Feature::$feature => stringify!($weight),)*
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
    /// least depth of these costs; below it the usual reductions apply (plies)
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
    refuter_max = 1536 in 512..=4096 by 128;
    /// first moves that cost a ply at most (moves)
    first_moves = 2 in 0..=10 by 1;
    /// cost of a repeated search (1/1024 ply)
    repeated = 1024 in 512..=2048 by 64;
}

declare! {
    chances {
        /// chance of the only legal answer to a check (1/10000)
        OnlyMove p_only_move;
        /// chance of a recapture (1/10000)
        Recapture p_recapture;
        /// chance of a safe check (1/10000)
        SafeCheck p_safe_check;
        /// chance of a safe promotion (1/10000)
        Promotion p_promotion;
        /// chance of a mate threat (1/10000)
        MateThreat p_mate_threat;
        /// chance of a winning capture (1/10000)
        Winning p_winning;
        /// chance of an even capture (1/10000)
        Equal p_equal;
        /// chance of a move of the king out of check (1/10000)
        KingEvasion p_king_evasion;
        /// chance of another answer to a check (1/10000)
        BlockEvasion p_block_evasion;
        /// chance of a move where mate is threatened (1/10000)
        Parry p_parry;
        /// chance of a passed pawn to the seventh rank (1/10000)
        Seventh p_seventh;
        /// chance of a passed pawn to the sixth rank (1/10000)
        Sixth p_sixth;
        /// chance of a withdrawal (1/10000)
        Withdrawal p_withdrawal;
        /// chance of an unsafe check (1/10000)
        UnsafeCheck p_unsafe_check;
        /// chance of a killer or the countermove (1/10000)
        Refuter p_refuter;
        /// chance of a losing capture that promises more (1/10000)
        Promise p_promise;
        /// chance of a losing capture (1/10000)
        Losing p_losing;
        /// chance of an underpromotion (1/10000)
        Underpromotion p_underpromotion;
        /// chance of a quiet move forward or sideways (1/10000)
        Forward p_forward;
        /// chance of a quiet move backward (1/10000)
        Backward p_backward;
    }
    weights {
        /// weight of taking a pawn (1/1024 bit)
        TakesPawn takes_pawn;
        /// weight of taking a knight or bishop (1/1024 bit)
        TakesMinor takes_minor;
        /// weight of taking a rook (1/1024 bit)
        TakesRook takes_rook;
        /// weight of taking a queen (1/1024 bit)
        TakesQueen takes_queen;
        /// weight of taking the most valuable piece that can be taken (1/1024 bit)
        TakesBest takes_best;
        /// weight of taking the piece that moved last (1/1024 bit)
        TakesMoved takes_moved;
        /// weight of a recapture (1/1024 bit)
        Recaptures recaptures;
        /// weight of winning material on the square (1/1024 bit)
        Wins wins;
        /// weight of a capture that loses little there (1/1024 bit)
        LosesLittle loses_little;
        /// weight of a capture that loses much there (1/1024 bit)
        LosesMuch loses_much;
        /// weight of a new queen (1/1024 bit)
        Promotes promotes;
        /// weight of a promotion to another piece than a queen (1/1024 bit)
        Underpromotes underpromotes;
        /// weight of a full capture history (1/1024 bit)
        CaptureHistory capture_history;
        /// weight of a pawn that a capture adds to the evaluation (1/1024 bit)
        Gain gain;
        /// weight of a capture that falls three pawns behind the best evaluation (1/1024 bit)
        NoisyGap noisy_gap;
        /// weight of a check that loses nothing on its square (1/1024 bit)
        SafeCheck safe_check;
        /// weight of a check that loses material there (1/1024 bit)
        UnsafeCheck unsafe_check;
        /// weight of the king leaving a check (1/1024 bit)
        KingEvades king_evades;
        /// weight of a quiet move after which a pawn is lost (1/1024 bit)
        HangsPawn hangs_pawn;
        /// weight of a quiet move after which a knight or bishop is lost (1/1024 bit)
        HangsMinor hangs_minor;
        /// weight of a quiet move after which more is lost (1/1024 bit)
        HangsMore hangs_more;
        /// weight of going where something less valuable attacks (1/1024 bit)
        IntoLesser into_lesser;
        /// weight of a knight or bishop escaping from danger (1/1024 bit)
        EscapesMinor escapes_minor;
        /// weight of a rook escaping (1/1024 bit)
        EscapesRook escapes_rook;
        /// weight of a queen escaping (1/1024 bit)
        EscapesQueen escapes_queen;
        /// weight of leaving another piece in danger (1/1024 bit)
        Abandons abandons;
        /// weight of a pawn attacking a piece (1/1024 bit)
        PawnThreatens pawn_threatens;
        /// weight of attacking the queen with less (1/1024 bit)
        ThreatensQueen threatens_queen;
        /// weight of attacking another piece with less (1/1024 bit)
        ThreatensRook threatens_rook;
        /// weight of attacking what nothing protects (1/1024 bit)
        ThreatensLoose threatens_loose;
        /// weight of attacking two such at once (1/1024 bit)
        Forks forks;
        /// weight of a pawn's quiet move against a knight's (1/1024 bit)
        MovesPawn moves_pawn;
        /// weight of a bishop's (1/1024 bit)
        MovesBishop moves_bishop;
        /// weight of a rook's (1/1024 bit)
        MovesRook moves_rook;
        /// weight of a queen's (1/1024 bit)
        MovesQueen moves_queen;
        /// weight of a king's with all pieces on the board (1/1024 bit)
        KingEarly king_early;
        /// weight of a king's with none (1/1024 bit)
        KingLate king_late;
        /// weight of a step of the king to the centre with none (1/1024 bit)
        KingCentre king_centre;
        /// weight of castling (1/1024 bit)
        Castles castles;
        /// weight of four squares nearer to the enemy king (1/1024 bit)
        NearsKing nears_king;
        /// weight of four ranks forward (1/1024 bit)
        Advances advances;
        /// weight of four squares nearer to the centre (1/1024 bit)
        Centre centre;
        /// weight of a knight or bishop leaving the first rank with all pieces on the board (1/1024 bit)
        Develops develops;
        /// weight of a rook that leaves the files of its pawns (1/1024 bit)
        RookOpens rook_opens;
        /// weight of a passed pawn on the last rank, in proportion less before (1/1024 bit)
        Passed passed;
        /// weight of the piece that moved last (1/1024 bit)
        SamePiece same_piece;
        /// weight of undoing the own last move (1/1024 bit)
        Returns returns;
        /// weight of the countermove (1/1024 bit)
        Counter counter;
        /// weight of a history as large as one counter can be (1/1024 bit)
        History history;
        /// weight of the best history of the quiet moves (1/1024 bit)
        HistoryBest history_best;
        /// weight of the second to fourth (1/1024 bit)
        HistoryGood history_good;
        /// weight of the table's move (1/1024 bit)
        TableMove table_move;
        /// weight of the table's move after a search of eight plies, in proportion less after fewer (1/1024 bit)
        TableDeep table_deep;
        /// weight of the table's move where no move had reached the window (1/1024 bit)
        TableUnsure table_unsure;
        /// weight of the table's move where it has the best evaluation too (1/1024 bit)
        TableBest table_best;
        /// weight of a move that a search has found a refutation of (1/1024 bit)
        Refuted refuted;
        /// weight of a refutation by a search of eight plies, in proportion less by fewer (1/1024 bit)
        RefutedDeep refuted_deep;
        /// weight of a move that has held in a search (1/1024 bit)
        Held held;
        /// weight of one that has held in a search of eight plies, in proportion less in fewer (1/1024 bit)
        HeldDeep held_deep;
        /// weight of one whose value that search has found out (1/1024 bit)
        HeldExact held_exact;
        /// weight of a queen that the opponent then wins (1/1024 bit)
        Threatened threatened;
        /// weight of the best evaluation after it (1/1024 bit)
        ValueBest value_best;
        /// weight of the best evaluation being a pawn ahead of the second (1/1024 bit)
        Lead lead;
        /// weight of the second to fourth (1/1024 bit)
        ValueGood value_good;
        /// weight of the second among these (1/1024 bit)
        ValueSecond value_second;
        /// weight of the fifth to eighth (1/1024 bit)
        ValueFair value_fair;
        /// weight of a quiet move that falls three pawns behind the best evaluation (1/1024 bit)
        Gap gap;
        /// weight of one that falls a pawn behind (1/1024 bit)
        MiddleGap middle_gap;
        /// weight of one that falls 25/100 behind (1/1024 bit)
        SmallGap small_gap;
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

    /// Returns true if it depends on search results or on the evaluation, not on the position alone.
    pub const fn is_learnt(self) -> bool {
        matches!(
            self,
            Feature::CaptureHistory
                | Feature::TableMove
                | Feature::TableDeep
                | Feature::TableUnsure
                | Feature::TableBest
                | Feature::Refuted
                | Feature::RefutedDeep
                | Feature::Held
                | Feature::HeldDeep
                | Feature::HeldExact
                | Feature::Threatened
                | Feature::ValueBest
                | Feature::Lead
                | Feature::ValueGood
                | Feature::ValueSecond
                | Feature::ValueFair
                | Feature::MiddleGap
                | Feature::Gain
                | Feature::NoisyGap
                | Feature::Counter
                | Feature::History
                | Feature::HistoryBest
                | Feature::HistoryGood
                | Feature::Gap
                | Feature::SmallGap
        )
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

/// The cost of a repeated search.
pub fn repeated(p: &Params) -> Depth {
    Depth(p.repeated)
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
    if c.refuter {
        cost = cost.min(Depth(p.refuter_max));
    }
    if c.number <= p.first_moves {
        cost = cost.min(Depth::ONE_PLY);
    }
    cost.clamp(Depth(p.cost_min), Depth(p.cost_max))
}

#[cfg(test)]
mod tests;
