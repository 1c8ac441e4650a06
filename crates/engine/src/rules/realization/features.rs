//! The features of a move before it is made, from which its probability is computed. The search and the fit share this code.
//!
//! Most features are binary; some have a magnitude. Everything is relative to the side to move.

use super::{Feature, FeatureVector};
use crate::evaluator;
use crate::history::LIMIT;
use crate::node::Node;
use crate::position::{CheckInfo, Position, is_quiet};
use crate::score::{Bound, Depth, Score};
use crate::see::{self, Exchange};
use shakmaty::{Bitboard, Color, Move, Role, Square, attacks};

/// The value of a feature that is there; those with a size may have more.
pub const ONE: i32 = 64;
/// Values never leave this range.
const VALUE_MAX: i32 = 8 * ONE;

/// Exchange values closer than this count as equal (pawns/100).
const SLACK: i32 = 50;
/// A pawn and a half: what is lost beyond is much (pawns/100).
const MUCH: i32 = 150;
/// Phase of the game with all pieces on the board.
const OPENING: i32 = 24;

/// Facts about a move from the search, not from the position.
#[derive(Clone, Copy, Default, Debug)]
pub struct MoveFacts {
    /// Its history score (counts).
    pub history: i32,
    /// Number of quiet moves with a better history.
    pub better_histories: i32,
    /// True if it is the countermove.
    pub counter: bool,
    /// The search that left it in the table, if it is the table's move.
    pub from_table: Option<EarlierSearch>,
    /// The search of the position after it, if the table has one.
    pub found: Option<EarlierSearch>,
    /// The amount that the opponent then wins by the best capture (pawns/100).
    pub threatened: i32,
    /// The best estimate of the position after it: the table's value, or else the evaluation less the threatened amount (pawns/100).
    pub value: Score,
    /// Number of moves with a better such value.
    pub better_values: i32,
    /// The best such value of all moves.
    pub best_value: Score,
    /// The value of the second-best move; of the best if it is the only one.
    pub second_value: Score,
}

/// An earlier search, as stored in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EarlierSearch {
    /// How deep it went.
    pub depth: Depth,
    /// The bound that its value is for the side that moves.
    pub bound: Bound,
}

/// The facts of a node that all its moves share.
pub struct FeatureContext<'a> {
    position: &'a Position,
    checks: CheckInfo,
    us: Color,
    /// Squares that enemy pawns, minor pieces, and rooks attack.
    pawns: Bitboard,
    minors: Bitboard,
    rooks: Bitboard,
    /// Own pieces that something less valuable attacks, or that are attacked and not protected.
    in_danger: Bitboard,
    /// Enemy pieces that nothing protects.
    loose: Bitboard,
    /// The value of the most valuable piece that can be taken.
    best_victim: i32,
    captured_on: Option<Square>,
    moved_last: Option<Square>,
    own_last: Option<Move>,
    phase: i32,
    static_eval: Score,
}

impl<'a> FeatureContext<'a> {
    /// The context of a node; `own_last` is the move that its side made before.
    pub fn new(n: &Node<'a>, legal: &[Move], own_last: Option<Move>) -> FeatureContext<'a> {
        let position = n.position;
        let (us, board) = (position.turn(), position.board());
        let pawns = position.attacked_by(board.pawns());
        let minors = position.attacked_by(board.knights() | board.bishops());
        let rooks = position.attacked_by(board.rooks());
        let theirs = position.attacked();
        let ours = board.by_color(us).into_iter().fold(Bitboard::EMPTY, |all, from| all | board.attacks_from(from));
        let pieces = board.by_color(us) & !board.pawns() & !board.kings();
        let by_lesser = pawns | (minors & board.rooks_and_queens()) | (rooks & board.queens());
        let victims = legal.iter().filter_map(|mv| mv.capture());
        FeatureContext {
            position,
            checks: position.check_info(),
            us,
            pawns,
            minors,
            rooks,
            in_danger: pieces & (by_lesser | (theirs & !ours)),
            loose: board.by_color(!us) & !board.kings() & !theirs,
            best_victim: victims.map(see::value).max().unwrap_or(0),
            captured_on: n.captured_on,
            moved_last: n.previous.map(arrival),
            own_last,
            phase: evaluator::phase(board).clamp(0, OPENING),
            static_eval: n.static_eval,
        }
    }

    /// True if the move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        self.position.gives_check(&self.checks, mv)
    }

    /// The features of a legal move.
    pub fn features(&self, mv: Move, known: &MoveFacts) -> FeatureVector {
        let mut features = FeatureVector::default();
        let exchange = Exchange::known(None);
        let reaches = |threshold: i32| exchange.reaches(self.position, mv, Score(threshold));
        let safe = reaches(0);
        if self.gives_check(mv) {
            features.set(if safe { Feature::SafeCheck } else { Feature::UnsafeCheck });
        }
        features.set_if(self.position.in_check() && mv.role() == Role::King, Feature::KingEvades);
        if is_quiet(mv) {
            self.quiet(mv, safe, known, &mut features);
        } else {
            self.noisy(mv, safe, &reaches, known, &mut features);
        }
        self.repeated(mv, &mut features);
        self.known(known, &mut features);
        features
    }

    /// Features from the table and the evaluation of the position after the move.
    fn known(&self, known: &MoveFacts, features: &mut FeatureVector) {
        if let Some(search) = known.from_table {
            features.set(Feature::TableMove);
            features.set_value(Feature::TableDeep, deep(search));
            features.set_if(search.bound == Bound::Upper, Feature::TableUnsure);
            features.set_if(known.better_values == 0, Feature::TableBest);
        }
        match known.found {
            Some(search) if search.bound.is_lower() => {
                features.set(Feature::Held);
                features.set_value(Feature::HeldDeep, deep(search));
                features.set_if(search.bound == Bound::Exact, Feature::HeldExact);
            }
            Some(search) => {
                features.set(Feature::Refuted);
                features.set_value(Feature::RefutedDeep, deep(search));
            }
            None => {}
        }
        features.set_value(Feature::Threatened, known.threatened * ONE / see::value(Role::Queen));
        self.ranked(known, features);
    }

    /// Which place its value has among those of all moves.
    fn ranked(&self, known: &MoveFacts, features: &mut FeatureVector) {
        if known.better_values == 0 {
            features.set(Feature::ValueBest);
            let ahead = (known.value - known.second_value).0.clamp(0, PAWN);
            features.set_value(Feature::Lead, ahead * ONE / PAWN);
        } else if known.better_values < FEW {
            features.set(Feature::ValueGood);
            features.set_if(known.better_values == 1, Feature::ValueSecond);
        } else if known.better_values < 2 * FEW {
            features.set(Feature::ValueFair);
        }
    }

    /// The same piece again, and perhaps back.
    fn repeated(&self, mv: Move, features: &mut FeatureVector) {
        let Some(last) = self.own_last else { return };
        if mv.from() == Some(arrival(last)) {
            features.set(Feature::SamePiece);
            features.set_if(last.from() == Some(mv.to()) && !mv.is_capture(), Feature::Returns);
        }
    }

    fn noisy(
        &self,
        mv: Move,
        safe: bool,
        reaches: &dyn Fn(i32) -> bool,
        known: &MoveFacts,
        features: &mut FeatureVector,
    ) {
        if let Some(victim) = mv.capture() {
            features.set(match victim {
                Role::Pawn => Feature::TakesPawn,
                Role::Knight | Role::Bishop => Feature::TakesMinor,
                Role::Rook => Feature::TakesRook,
                Role::Queen | Role::King => Feature::TakesQueen,
            });
            features.set_if(see::value(victim) == self.best_victim, Feature::TakesBest);
            if self.captured_on == Some(mv.to()) {
                features.set(Feature::Recaptures);
            } else if self.moved_last == Some(mv.to()) {
                features.set(Feature::TakesMoved);
            }
        }
        if mv.promotion() == Some(Role::Queen) {
            features.set(Feature::Promotes);
        } else if mv.is_promotion() {
            features.set(Feature::Underpromotes);
        }
        if reaches(SLACK) {
            features.set(Feature::Wins);
        } else if !safe {
            features.set(if reaches(-MUCH) { Feature::LosesLittle } else { Feature::LosesMuch });
        }
        features.set_value(Feature::CaptureHistory, known.history * ONE / LIMIT);
        if !self.position.in_check() {
            features.set_value(Feature::Gain, (known.value - self.static_eval).0 * ONE / PAWN);
        }
        features.set_value(Feature::NoisyGap, gap(known, GAP_MAX));
    }

    fn quiet(&self, mv: Move, safe: bool, known: &MoveFacts, features: &mut FeatureVector) {
        let role = mv.role();
        features.set_if(mv.is_promotion(), Feature::Underpromotes);
        features.set_value(Feature::History, known.history * ONE / LIMIT);
        if known.better_histories == 0 {
            features.set(Feature::HistoryBest);
        } else if known.better_histories < FEW {
            features.set(Feature::HistoryGood);
        }
        features.set_if(known.counter, Feature::Counter);
        features.set_value(Feature::Gap, gap(known, GAP_MAX));
        features.set_value(Feature::MiddleGap, gap(known, MIDDLE_GAP));
        features.set_value(Feature::SmallGap, gap(known, SMALL_GAP));
        if mv.is_castle() {
            features.set(Feature::Castles);
            return;
        }
        let Some(from) = mv.from() else { return };
        let to = mv.to();
        if !safe {
            features.set(match role {
                Role::Pawn => Feature::HangsPawn,
                Role::Knight | Role::Bishop => Feature::HangsMinor,
                _ => Feature::HangsMore,
            });
        }
        self.danger(role, from, to, safe, features);
        if safe {
            self.threats(role, from, to, features);
        }
        match role {
            Role::Pawn => self.pawn(to, features),
            Role::King => self.king(from, to, features),
            _ => self.piece(role, from, to, features),
        }
    }

    /// Features of pieces in danger before and after the move.
    fn danger(&self, role: Role, from: Square, to: Square, safe: bool, features: &mut FeatureVector) {
        if self.in_danger.contains(from) && safe {
            features.set(match role {
                Role::Rook => Feature::EscapesRook,
                Role::Queen => Feature::EscapesQueen,
                _ => Feature::EscapesMinor,
            });
        }
        let abandoned = self.in_danger.without(from) & !self.attacks_from(role, from, to);
        features.set_if(abandoned.any(), Feature::Abandons);
        let lesser = match role {
            Role::Knight | Role::Bishop => self.pawns,
            Role::Rook => self.pawns | self.minors,
            Role::Queen => self.pawns | self.minors | self.rooks,
            Role::Pawn | Role::King => Bitboard::EMPTY,
        };
        features.set_if(lesser.contains(to), Feature::IntoLesser);
    }

    /// The squares that a piece attacks after its move.
    fn attacks_from(&self, role: Role, from: Square, to: Square) -> Bitboard {
        attacks::attacks(to, role.of(self.us), self.position.board().occupied().without(from).with(to))
    }

    /// Attacks that were not there before, on what is worth more or not protected.
    fn threats(&self, role: Role, from: Square, to: Square, features: &mut FeatureVector) {
        let board = self.position.board();
        let before = attacks::attacks(from, role.of(self.us), board.occupied());
        let after = self.attacks_from(role, from, to) & board.by_color(!self.us);
        let new = after & !before;
        let pieces = after & !board.pawns();
        let worth_more = match role {
            Role::Pawn => pieces,
            Role::Knight | Role::Bishop => pieces & !board.knights() & !board.bishops(),
            Role::Rook => pieces & !board.knights() & !board.bishops() & !board.rooks(),
            Role::Queen | Role::King => Bitboard::EMPTY,
        } & !board.kings();
        let fresh = worth_more & new;
        if role == Role::Pawn && fresh.any() {
            features.set(Feature::PawnThreatens);
        } else if (fresh & board.queens()).any() {
            features.set(Feature::ThreatensQueen);
        } else if fresh.any() {
            features.set(Feature::ThreatensRook);
        }
        features.set_if((new & self.loose).any(), Feature::ThreatensLoose);
        let at_once = worth_more | (after & self.loose & !board.pawns()) | (after & board.kings());
        features.set_if(at_once.more_than_one(), Feature::Forks);
    }

    fn pawn(&self, to: Square, features: &mut FeatureVector) {
        features.set(Feature::MovesPawn);
        if self.position.is_passed(to, self.us) {
            features.set_value(Feature::Passed, self.rank(to) * ONE / LAST_RANK);
        }
    }

    fn king(&self, from: Square, to: Square, features: &mut FeatureVector) {
        let late = OPENING - self.phase;
        features.set_value(Feature::KingEarly, ONE * self.phase / OPENING);
        features.set_value(Feature::KingLate, ONE * late / OPENING);
        features.set_value(Feature::KingCentre, (from_centre(from) - from_centre(to)) * ONE * late / OPENING);
    }

    fn piece(&self, role: Role, from: Square, to: Square, features: &mut FeatureVector) {
        match role {
            Role::Bishop => features.set(Feature::MovesBishop),
            Role::Rook => features.set(Feature::MovesRook),
            Role::Queen => features.set(Feature::MovesQueen),
            _ => {}
        }
        let king = self.position.king(!self.us);
        let nearer = from.distance(king) as i32 - to.distance(king) as i32;
        features.set_value(Feature::NearsKing, nearer * ONE / NEAR_UNIT);
        let forward = self.rank(to) - self.rank(from);
        features.set_value(Feature::Advances, forward * ONE / NEAR_UNIT);
        if role == Role::Rook {
            let pawns = self.position.board().pawns() & self.position.board().by_color(self.us);
            let blocked = |square: Square| (Bitboard::from_file(square.file()) & pawns).any();
            features.set_if(blocked(from) && !blocked(to), Feature::RookOpens);
        } else {
            features.set_value(Feature::Centre, (from_centre(from) - from_centre(to)) * ONE / NEAR_UNIT);
        }
        if matches!(role, Role::Knight | Role::Bishop) && self.rank(from) == 0 && forward > 0 {
            features.set_value(Feature::Develops, ONE * self.phase / OPENING);
        }
    }

    /// The rank of a square as its owner counts, from 0.
    fn rank(&self, square: Square) -> i32 {
        u32::from(self.us.fold_wb(square.rank(), square.rank().flip_vertical())) as i32
    }
}

/// A pawn (pawns/100).
const PAWN: i32 = 100;
/// Gaps count up to here (pawns/100).
const GAP_MAX: i32 = 300;
/// Middle and small gaps count for themselves up to here (pawns/100).
const MIDDLE_GAP: i32 = 100;
const SMALL_GAP: i32 = 25;
/// Number of moves with the best history or value that have a separate feature.
const FEW: i32 = 4;
/// Deeper searches count as this.
const DEEP: Depth = Depth::plies(8);
/// Squares that count as one.
const NEAR_UNIT: i32 = 4;
const LAST_RANK: i32 = 7;

/// How far the position after a move falls behind the best one, as a value.
fn gap(known: &MoveFacts, most: i32) -> i32 {
    (known.best_value - known.value).0.clamp(0, most) * ONE / most
}

/// How deep a search went, as a value.
fn deep(search: EarlierSearch) -> i32 {
    search.depth.0.clamp(0, DEEP.0) * ONE / DEEP.0
}

/// The square of the moved piece after the move: for castling, the new square of the king.
fn arrival(mv: Move) -> Square {
    match mv {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => mv.to(),
    }
}

/// Squares from the centre, 0 to 3.
fn from_centre(square: Square) -> i32 {
    const DOUBLE_MIDDLE: i32 = 7;
    let far = |n: u32| (2 * n as i32 - DOUBLE_MIDDLE).abs() / 2;
    far(square.file().into()).max(far(square.rank().into()))
}

impl FeatureVector {
    /// Sets a feature that the move has.
    fn set(&mut self, feature: Feature) {
        self.set_value(feature, ONE);
    }

    fn set_if(&mut self, is_there: bool, feature: Feature) {
        if is_there {
            self.set(feature);
        }
    }

    /// Sets the value of a feature (1/64).
    fn set_value(&mut self, feature: Feature, value: i32) {
        if value != 0 {
            let _ = self.0.try_push((feature, value.clamp(-VALUE_MAX, VALUE_MAX) as i16)); // no move has that many
        }
    }
}
