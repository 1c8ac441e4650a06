//! Results of moves elsewhere in the tree: butterfly, continuation, pawn-structure and capture histories, killers and
//! countermoves.
//!
//! All counters are updated by gravity: the nearer a counter is to its limit, the less an update in that direction
//! adds. So counters do not saturate, and old results fade (`schaeffer1983` and current practice).

use crate::position::MoveParts;
use crate::score::{Depth, Score};
use shakmaty::{Bitboard, Color, Move, Role, Square};

pub mod butterfly;
mod captures;
pub mod continuation;
pub mod pawn_history;
mod refutations;

use crate::source::sources;
use captures::Captures;
use refutations::Countermoves;
pub use refutations::{KILLERS, Killers};

crate::params! {
    /// quiet bonus per ply of depth (history counts)
    bonus_slope = 140 in 0..=600 by 10, neutral 150;
    /// deduction from the quiet bonus (history counts)
    bonus_base = 80 in 0..=600 by 10;
    /// greatest quiet bonus (history counts)
    bonus_max = 1300 in 100..=8000 by 50, neutral 1600;
    /// malus per ply of depth for quiet moves tried before the cutoff move (history counts)
    malus_slope = 280 in 0..=600 by 10, neutral 150;
    /// deduction from the malus (history counts)
    malus_base = 60 in 0..=600 by 10;
    /// greatest malus (history counts)
    malus_max = 800 in 100..=8000 by 50, neutral 1400;
    /// capture bonus and malus relative to the quiet ones (percent)
    capture_share = 120 in 0..=300 by 10, neutral 100;
    /// bonus and malus of continuation history relative to butterfly history (percent)
    continuation_share = 100 in 0..=300 by 10;
    /// bonus and malus of pawn-structure history relative to butterfly history (percent)
    pawn_share = 110 in 0..=300 by 10, neutral 100;
    /// additional bonus for each pawn, up to four, by which the score exceeds beta (history counts)
    excess = 10 in 0..=400 by 10, neutral 0;
    /// decrease of a move's malus for each move of its kind tried before it (percent of the malus)
    malus_fade = 2 in 0..=25 by 1, neutral 0;
}

/// Greatest absolute value of a counter.
pub const LIMIT: i32 = 16_384;

/// The unit of weights.
const WEIGHT_UNIT: i32 = 64;

pub(crate) const SIDES: usize = 2;
pub(crate) const SQUARES: usize = 64;
const PIECES: usize = 12;
/// Pieces on squares: how many indices [`PieceTo`] has.
pub(crate) const PIECE_TO: usize = PIECES * SQUARES;

/// A piece arriving on a square, as an index of continuation tables; [`PieceTo::NONE`] means "no such move".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    /// The index before the root and after a null move.
    pub const NONE: PieceTo = PieceTo(PIECE_TO as u16);

    /// A piece of `color` and its target.
    #[inline(always)]
    pub fn of(color: Color, mv: Move) -> PieceTo {
        PieceTo((piece_index(color, mv.role()) * SQUARES + mv.to() as usize) as u16)
    }

    /// A dense number, at most 768.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Default for PieceTo {
    fn default() -> PieceTo {
        PieceTo::NONE
    }
}

#[inline(always)]
fn piece_index(color: Color, role: Role) -> usize {
    color as usize * (PIECES / SIDES) + role as usize - 1
}

/// The amounts of one update of history counters.
#[derive(Clone, Copy, Debug)]
pub struct Bonus {
    /// Added for the move that cut.
    pub good: i32,
    /// Deducted from the moves tried before the cutoff move; positive.
    pub bad: i32,
}

impl Bonus {
    /// The malus of a move that was tried after `tried` moves of its kind: earlier moves get a larger malus.
    #[inline]
    pub fn blame(&self, p: &Params, tried: usize) -> i32 {
        self.bad * (PERCENT - p.malus_fade * tried as i32).max(0) / PERCENT
    }
}

impl Params {
    /// The size of an update after a search of `depth`.
    pub fn bonus(&self, depth: Depth) -> Bonus {
        let plies = |slope: i32| slope * depth.0 / Depth::ONE_PLY.0;
        Bonus {
            good: (plies(self.bonus_slope) - self.bonus_base).clamp(0, self.bonus_max),
            bad: (plies(self.malus_slope) - self.malus_base).clamp(0, self.malus_max),
        }
    }

    /// The addition to the bonus of a move whose score exceeds beta by `excess`.
    pub fn extra(&self, excess: Score) -> i32 {
        const PAWN: i32 = 100;
        const PAWNS_MAX: i32 = 4;
        self.excess * excess.0.clamp(0, PAWNS_MAX * PAWN) / PAWN
    }
}

/// Percent, the unit of shares.
pub(crate) const PERCENT: i32 = 100;

/// The plies back whose move indexes a continuation history.
pub const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

/// A piece that may move, as an index of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mover {
    /// Colour and role.
    pub piece: usize,
    /// Its square.
    pub from: usize,
}

impl Mover {
    /// A piece of `turn`.
    #[inline(always)]
    pub fn of(turn: Color, role: Role, from: Square) -> Mover {
        Mover { piece: piece_index(turn, role), from: from as usize }
    }
}

/// A quiet move as an index of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveIndex {
    /// The moving piece.
    pub mover: Mover,
    /// Destination square; the rook's square for castling.
    pub to: usize,
}

impl MoveIndex {
    /// The index of a quiet move of `turn`.
    #[inline(always)]
    pub fn of(turn: Color, mv: Move) -> MoveIndex {
        MoveIndex::of_parts(turn, &MoveParts::of(mv))
    }

    /// The same for a move taken apart.
    #[inline(always)]
    pub fn of_parts(turn: Color, parts: &MoveParts) -> MoveIndex {
        MoveIndex { mover: Mover::of(turn, parts.role, parts.from), to: parts.to as usize }
    }

    /// The move by from and to, as one number.
    #[inline(always)]
    pub fn from_to(&self) -> usize {
        self.mover.from * SQUARES + self.to
    }
}

/// Number of values of [`cell`]: moves by side, from and to.
pub(crate) const CELLS: usize = SIDES * SQUARES * SQUARES;

/// A quiet move of `turn` by side, from and to, as one number.
pub(crate) fn cell(turn: Color, mv: Move) -> usize {
    turn as usize * SQUARES * SQUARES + MoveIndex::of(turn, mv).from_to()
}

/// Counters by the square that a piece goes to.
pub(crate) type ByTo = [i16; SQUARES];
/// The same for each piece.
pub(crate) type ByPieceTo = [ByTo; PIECES];

/// The counter of a square.
#[inline(always)]
pub(crate) fn count(counters: &ByTo, to: usize) -> i32 {
    // The remainder changes nothing: it tells the compiler that the number is a square's.
    counters[to % SQUARES].into()
}

/// A table of counters of quiet moves: a source of their order, see [`crate::ordering`].
pub trait QuietTable: Default {
    /// The part of the table for the moves of one node.
    type Row<'a>: Copy
    where
        Self: 'a;

    /// That part.
    fn row(&self, context: &Context) -> Self::Row<'_>;

    /// The part of a row for the moves of one piece, with its weight.
    type Lane<'a>: Copy
    where
        Self: 'a;

    /// That part.
    fn lane<'a>(row: Self::Row<'a>, weights: &QuietWeights, mover: Mover) -> Self::Lane<'a>;

    /// The weighted counters of a move to a square (1/64 count).
    fn weigh(lane: Self::Lane<'_>, to: usize) -> i32;

    /// Adds `amount`, with gravity, to the counters of a move.
    fn update(&mut self, p: &Params, context: &Context, at: MoveIndex, amount: i32);
}

/// Declares a table on the heap: its name, its entries and their number, and an empty entry.
macro_rules! heap_table {
    ($(#[$doc:meta])+ $visible:vis struct $name:ident([$entry:ty; $count:expr]) = $empty:expr;) => {
        $(#[$doc])+
        $visible struct $name(Box<[$entry]>);

        impl Default for $name {
            fn default() -> $name {
                $name(vec![$empty; $count].into_boxed_slice())
            }
        }
    };
}
pub(crate) use heap_table;

macro_rules! histories {
    (tables { $($table:ident $module:ident;)* } $($others:tt)*) => {
        $(pub use $module::$table;)*

        /// The parameters of the tables in force: a table that is switched off has weight 0.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct QuietWeights {
            $(#[doc = concat!("Those of `", stringify!($module), "`.")] pub $module: $module::Params,)*
        }

        /// All tables of one search thread.
        #[derive(Default)]
        pub struct Histories {
            $(pub(crate) $module: $table,)*
            pub(crate) captures: Captures,
            pub(crate) countermoves: Countermoves,
        }

        /// The rows of all tables for the quiet moves of one node.
        #[derive(Clone, Copy)]
        pub struct Rows<'a> {
            $($module: <$table as QuietTable>::Row<'a>,)*
        }

        impl<'a> Rows<'a> {
            /// The lanes of one piece.
            #[inline(always)]
            pub fn lanes(&self, weights: &QuietWeights, mover: Mover) -> Lanes<'a> {
                Lanes { $($module: $table::lane(self.$module, weights, mover),)* }
            }

            /// The history score of a quiet move: a weighted sum of all tables (counts).
            #[inline(always)]
            pub fn history(&self, weights: &QuietWeights, at: MoveIndex) -> i32 {
                self.lanes(weights, at.mover).history(at.to)
            }
        }

        /// The parts of all rows for the quiet moves of one piece.
        #[derive(Clone, Copy)]
        pub struct Lanes<'a> {
            $($module: <$table as QuietTable>::Lane<'a>,)*
        }

        impl Lanes<'_> {
            /// The history score of the piece's move to a square: a weighted sum of all tables (counts).
            #[inline(always)]
            pub fn history(&self, to: usize) -> i32 {
                (0 $(+ $table::weigh(self.$module, to))*) / WEIGHT_UNIT
            }
        }

        impl Histories {
            /// The rows of all tables for the quiet moves of a node.
            #[inline(always)]
            pub fn rows(&self, context: &Context) -> Rows<'_> {
                Rows { $($module: self.$module.row(context),)* }
            }

            /// Adds `amount`, with gravity, to every counter of a quiet move.
            pub fn update_quiet(&mut self, p: &Params, context: &Context, mv: Move, amount: i32) {
                let at = MoveIndex::of(context.turn, mv);
                $(self.$module.update(p, context, at, amount);)*
            }
        }
    };
}

sources!(histories);

/// The facts that index the counters of a node's quiet moves: side, pawn structure and preceding moves.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Side to move.
    pub turn: Color,
    /// Key of the pawns.
    pub pawn_key: u64,
    /// Squares that the opponent attacks, if the butterfly history uses them; else none.
    pub threatened: Bitboard,
    /// The moves 1, 2, 4 and 6 plies ago; the last only where its weight is not zero.
    pub before: [PieceTo; CONTINUATIONS.len()],
}

/// Adds `amount` to a counter: the less, the nearer the counter is to `limit` in that direction. It never exceeds
/// `limit`.
#[inline]
pub(crate) fn gravity(cell: &mut i16, amount: i32, limit: i32) {
    let (held, amount) = (i32::from(*cell), amount.clamp(-limit, limit));
    *cell = (held + amount - held * amount.abs() / limit).clamp(-limit, limit) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Parameters;
    use shakmaty::{Role, Square};

    /// Weights of which none counts but those that are changed.
    fn only(change: impl Fn(&mut QuietWeights)) -> QuietWeights {
        let mut parameters = Parameters::DEFAULT;
        parameters.butterfly.on = false;
        parameters.continuation.on = false;
        parameters.pawn_history.on = false;
        let mut weights = parameters.weights().quiet;
        change(&mut weights);
        weights
    }

    #[test]
    fn gravity_never_leaves_the_limit_and_fades() {
        let mut cell = 0i16;
        for _ in 0..200 {
            gravity(&mut cell, 1600, LIMIT);
            assert!(i32::from(cell) <= LIMIT);
        }
        let high = cell;
        gravity(&mut cell, -1600, LIMIT);
        assert!(high - cell > 1600, "a surprise moves more than a confirmation");
        gravity(&mut cell, i32::MAX, LIMIT);
        assert_eq!(i32::from(cell), LIMIT);
    }

    #[test]
    fn every_pair_of_squares_has_its_own_number() {
        fn number(turn: Color, from: Square, to: Square) -> usize {
            cell(turn, Move::Normal { role: Role::Queen, from, capture: None, to, promotion: None })
        }
        let of = |turn| Square::ALL.into_iter().flat_map(move |from| Square::ALL.map(|to| number(turn, from, to)));
        let numbers: std::collections::BTreeSet<usize> = Color::ALL.into_iter().flat_map(of).collect();
        assert_eq!((numbers.len(), numbers.last()), (CELLS, Some(&(CELLS - 1))));
    }

    #[test]
    fn each_history_is_indexed_by_its_own_keys() {
        let mut h = Histories::default();
        let p = Params { pawn_share: 100, continuation_share: 100, ..Params::DEFAULT };
        let mv = Move::Normal { role: Role::Knight, from: Square::G1, capture: None, to: Square::F3, promotion: None };
        let before = PieceTo::of(
            Color::Black,
            Move::Normal { role: Role::Pawn, from: Square::E7, capture: None, to: Square::E5, promotion: None },
        );
        let context = Context {
            turn: Color::White,
            pawn_key: 9,
            threatened: Bitboard::EMPTY,
            before: [before, PieceTo::NONE, PieceTo::NONE, PieceTo::NONE],
        };
        h.update_quiet(&p, &context, mv, 500);
        let butterfly = |color| h.butterfly.count(color, Bitboard::EMPTY, mv);
        assert_eq!((butterfly(Color::White), butterfly(Color::Black)), (500, 0));
        // A weight of one count for one table at a time shows the contents of that table alone.
        let at = MoveIndex::of(Color::White, mv);
        let elsewhere = Context { pawn_key: 10, before: [PieceTo::NONE; CONTINUATIONS.len()], ..context };
        for (weights, here, there) in [
            (only(|_| {}), 0, 0),
            (only(|w| w.butterfly.weight = WEIGHT_UNIT), 500, 500),
            (only(|w| w.pawn_history.weight = WEIGHT_UNIT), 500, 0),
            (only(|w| w.continuation.one = WEIGHT_UNIT), 500, 0),
            (only(|w| w.continuation.two = WEIGHT_UNIT), 0, 0),
            (only(|w| (w.butterfly.weight, w.pawn_history.weight) = (WEIGHT_UNIT, WEIGHT_UNIT / 2)), 750, 500),
        ] {
            assert_eq!(h.rows(&context).history(&weights, at), here, "{weights:?}");
            assert_eq!(h.rows(&elsewhere).history(&weights, at), there, "{weights:?}");
        }
    }

    #[test]
    fn the_sizes_of_updates_are_slope_times_depth_less_base() {
        let p = Params {
            bonus_slope: 100,
            bonus_base: 30,
            bonus_max: 500,
            malus_slope: 50,
            malus_base: 20,
            malus_max: 200,
            ..Params::DEFAULT
        };
        for (plies, good, bad) in [(0, 0, 0), (1, 70, 30), (2, 170, 80), (4, 370, 180), (6, 500, 200)] {
            let bonus = p.bonus(Depth::plies(plies));
            assert_eq!((bonus.good, bonus.bad), (good, bad), "{plies} plies");
        }
    }

    #[test]
    fn passing_beta_by_more_is_rewarded_and_later_moves_are_blamed_less() {
        let p = Params { excess: 50, malus_fade: 20, ..Params::DEFAULT };
        for (excess, extra) in [(-30, 0), (0, 0), (100, 50), (250, 125), (400, 200), (9000, 200)] {
            assert_eq!(p.extra(Score(excess)), extra, "{excess}");
        }
        let bonus = Bonus { good: 0, bad: 500 };
        for (tried, blame) in [(0, 500), (1, 400), (4, 100), (5, 0), (9, 0)] {
            assert_eq!(bonus.blame(&p, tried), blame, "{tried}");
        }
        let off = Params { excess: 0, malus_fade: 0, ..p };
        assert_eq!((off.extra(Score(300)), bonus.blame(&off, 7)), (0, 500));
    }

    fn to(role: Role, to: Square, capture: Option<Role>) -> Move {
        Move::Normal { role, from: Square::E4, capture, to, promotion: None }
    }

    #[test]
    fn a_move_is_remembered_after_each_of_the_four_before_it() {
        let [one, two, four, six] = [Square::A1, Square::B1, Square::C1, Square::D1]
            .map(|at| PieceTo::of(Color::Black, to(Role::Rook, at, None)));
        let none = PieceTo::NONE;
        let p = Params { continuation_share: 100, ..Params::DEFAULT };
        let context = |before| Context { turn: Color::White, pawn_key: 1, threatened: Bitboard::EMPTY, before };
        let mv = to(Role::Knight, Square::F6, None);
        let mut h = Histories::default();
        h.update_quiet(&p, &context([one, two, four, six]), mv, 400);
        let weights = only(|w| {
            let p = &mut w.continuation;
            (p.one, p.two, p.four, p.six) = (WEIGHT_UNIT, WEIGHT_UNIT, WEIGHT_UNIT, WEIGHT_UNIT);
        });
        let at = MoveIndex::of(Color::White, mv);
        for (before, expected) in [
            ([one, none, none, none], 400),
            ([none, two, none, none], 400),
            ([none, none, four, none], 400),
            ([none, none, none, six], 400),
            ([one, two, four, six], 1600),
            ([none, none, none, none], 0),
        ] {
            assert_eq!(h.rows(&context(before)).history(&weights, at), expected, "{before:?}");
        }
    }

    #[test]
    fn captures_are_distinguished_by_piece_square_victim_and_side() {
        let mut h = Histories::default();
        let p = Params { capture_share: 100, ..Params::DEFAULT };
        let mv = to(Role::Knight, Square::D6, Some(Role::Queen));
        h.captures.update(&p, Color::White, mv, 300);
        assert_eq!(h.captures.count(Color::White, mv), 300);
        assert_eq!(h.captures.count(Color::Black, mv), 0);
        for other in [
            to(Role::Knight, Square::D6, Some(Role::Pawn)),
            to(Role::Knight, Square::F6, Some(Role::Queen)),
            to(Role::Rook, Square::D6, Some(Role::Queen)),
        ] {
            assert_eq!(h.captures.count(Color::White, other), 0, "{other:?}");
        }
    }
}
