//! Moves: each legal move gets a chance by a log-linear model (multinomial logit), which learns from the moves coded before it.
//!
//! A move has one feature of each of six groups; its chance is proportional to 2 to the sum of the weights of its features. After each
//! move the weights take a step along the gradient of the logarithm of its chance. All in integers: see [`super::coder`].

use super::coder::{Coder, Corrupt, ONE};
use crate::viriformat::encode_move;
use shakmaty::attacks::{attacks, bishop_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks};
use shakmaty::{Bitboard, Chess, Color, Move, Position as _, Role, Square};
use std::sync::LazyLock;

/// A chance doubles if its weight grows by 2 to this.
const DOUBLE_BITS: u32 = 16;
/// Bits of the fraction of a weight that index the table of powers.
const POWER_BITS: u32 = 10;
/// The power of the likeliest move is 2 to this.
const POWER_ONE_BITS: u32 = 20;
/// Bits of the fraction of the share that a power has of all.
const SHARE_BITS: u32 = 32;
/// The step that weights take is the error of the chance, in parts of [`ONE`], times this, by [`STEP_DIVISOR`].
const STEP: i32 = 20;
/// See [`STEP`].
const STEP_DIVISOR: i32 = 1024;
/// The sum of the weights of a move must not overflow with the contents of any file.
const WEIGHT_MAX: i32 = i32::MAX / (2 * GROUPS as i32);

/// Bits of the place of a move among those generated.
const INDEX_BITS: u32 = 8;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;

const ROLES: usize = 6;
/// Roles of captured pieces, and none.
const VICTIMS: usize = ROLES + 1;
const SQUARES: usize = 64;
/// Squares of a rank.
const RANK: usize = 8;
const DANGERS: usize = 4;
/// Classes of the number of pieces on the board.
const PHASES: usize = 4;
/// Numbers of pieces in one of them.
const PHASE_PIECES: usize = 8;
const GROUPS: usize = 6;
/// Features of each group.
const SIZES: [usize; GROUPS] = [
    PHASES * ROLES * SQUARES,
    ROLES * DANGERS * DANGERS * 2 * 2,
    VICTIMS * ROLES * DANGERS * 2 * 2,
    VICTIMS * 2 * ROLES * VICTIMS,
    PHASES * ROLES * 2 * 2,
    SQUARES * SQUARES,
];
/// Where the weights of each group begin; the last entry is their number.
const BEGINS: [usize; GROUPS + 1] = {
    let mut begins = [0; GROUPS + 1];
    let mut group = 0;
    while group < GROUPS {
        begins[group + 1] = begins[group] + SIZES[group];
        group += 1;
    }
    begins
};

/// Powers of 2 from a half to 1, in parts of 2 to [`POWER_ONE_BITS`]: the last one is 1.
static POWERS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let parts = 1u32 << POWER_BITS;
    let exponent = |part: u32| f64::from(part) / f64::from(parts) - 1.0;
    (1..=parts).map(|part| libm::round(f64::from(1u32 << POWER_ONE_BITS) * libm::exp2(exponent(part))) as u32).collect()
});

/// The last two moves of a game.
#[derive(Clone, Copy, Default)]
pub struct PreviousMoves {
    /// The opponent's last move.
    theirs: Option<Move>,
    /// The last move of the side to move.
    ours: Option<Move>,
}

impl PreviousMoves {
    /// The last two moves after `mv` is played.
    pub fn then(self, mv: Move) -> PreviousMoves {
        PreviousMoves { theirs: Some(mv), ours: self.theirs }
    }
}

/// The model; it is updated by every move that it codes.
pub struct Moves {
    weights: Vec<i32>,
    // Kept to be used again.
    order: Vec<u32>,
    features: Vec<[u16; GROUPS]>,
    sums: Vec<i32>,
    cumulative: Vec<u32>,
}

impl Default for Moves {
    fn default() -> Moves {
        let weights = vec![0; BEGINS[GROUPS]];
        Moves { weights, order: Vec::new(), features: Vec::new(), sums: Vec::new(), cumulative: Vec::new() }
    }
}

impl Moves {
    /// Codes a legal move.
    ///
    /// # Errors
    /// The bytes are corrupt, the known move is illegal, or the game is over.
    pub fn code(
        &mut self,
        coder: &mut impl Coder,
        known: Option<Move>,
        chess: &Chess,
        before: PreviousMoves,
    ) -> Result<Move, Corrupt> {
        let moves = chess.legal_moves();
        match moves[..] {
            [] => return Err(Corrupt),
            [only] => return Ok(only),
            _ => {}
        }
        // Sorted by code, because the order of move generation may change with a new version of shakmaty.
        let key = |(index, mv): (usize, &Move)| u32::from(encode_move(*mv)) << INDEX_BITS | index as u32;
        self.order.clear();
        self.order.extend(moves.iter().enumerate().map(key));
        self.order.sort_unstable();
        let at = |key: &u32| moves[(key & INDEX_MASK) as usize];
        let scene = MoveContext::new(chess, before);
        self.features.clear();
        self.features.extend(self.order.iter().map(|key| scene.features(at(key))));
        self.find_chances();
        let place = |known: Move| self.order.iter().position(|key| at(key) == known).ok_or(Corrupt);
        let symbol = coder.symbol(known.map(place).transpose()?, &self.cumulative)?;
        let mv = at(self.order.get(symbol).ok_or(Corrupt)?);
        self.learn(symbol);
        Ok(mv)
    }

    /// Fills `cumulative` with the chances of the moves.
    fn find_chances(&mut self) {
        let sum = |features: &[u16; GROUPS]| features.iter().map(|at| self.weights[usize::from(*at)]).sum::<i32>();
        self.sums.clear();
        self.sums.extend(self.features.iter().map(sum));
        let most = self.sums.iter().copied().max().unwrap_or(0);
        let powers = &*POWERS;
        self.cumulative.clear();
        let mut total = 0;
        for sum in &self.sums {
            let below = most.abs_diff(*sum);
            let part = (below & ((1 << DOUBLE_BITS) - 1)) >> (DOUBLE_BITS - POWER_BITS);
            let power = powers[powers.len() - 1 - part as usize].checked_shr(below >> DOUBLE_BITS).unwrap_or(0);
            self.cumulative.push(power);
            total += u64::from(power);
        }
        // Every move has a chance of at least 1 part; the last one also gets what rounding leaves.
        let free = u64::from(ONE) - self.cumulative.len() as u64;
        let share = (free << SHARE_BITS) / total;
        let mut begin = 0;
        for entry in &mut self.cumulative {
            let chance = 1 + ((u64::from(*entry) * share) >> SHARE_BITS) as u32;
            *entry = begin;
            begin += chance;
        }
        self.cumulative.push(ONE);
    }

    /// Takes a step towards the move that was played.
    fn learn(&mut self, played: usize) {
        for (index, features) in self.features.iter().enumerate() {
            let chance = (self.cumulative[index + 1] - self.cumulative[index]) as i32;
            let target = if index == played { ONE as i32 } else { 0 };
            let step = (target - chance) * STEP / STEP_DIVISOR;
            if step == 0 {
                continue;
            }
            for at in features {
                let weight = &mut self.weights[usize::from(*at)];
                *weight = (*weight + step).clamp(-WEIGHT_MAX, WEIGHT_MAX);
            }
        }
    }
}

/// Properties of a position that the features need. Squares are seen from the side to move.
struct MoveContext {
    /// The exclusive or of a square's number with this mirrors it for Black; 0 for White.
    mirror: usize,
    phase: usize,
    in_check: bool,
    /// The role of the opponent's last move, and whether it captured, as a number.
    reply_to: usize,
    /// The square on which the opponent's last move captured.
    captured_on: Option<Square>,
    /// Origin and destination of the last move of the side to move.
    last: Option<(Square, Square)>,
    /// Squares that the opponent attacks.
    attacked: Bitboard,
    /// Those that it attacks with something cheaper than each class of roles.
    attacked_cheaply: [Bitboard; LEVELS],
    /// Squares that the side to move attacks, and those that it attacks more than once.
    defended: [Bitboard; 2],
    /// Squares from which each role would give check.
    checks: [Bitboard; ROLES],
}

/// Classes of roles by value.
const LEVELS: usize = 5;

fn level(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 3,
        Role::King => 4,
    }
}

/// The number of a role or of none.
fn code(role: Option<Role>) -> usize {
    role.map_or(0, |role| role as usize)
}

fn index(role: Role) -> usize {
    role as usize - Role::Pawn as usize
}

impl MoveContext {
    fn new(chess: &Chess, before: PreviousMoves) -> MoveContext {
        let (board, turn) = (chess.board(), chess.turn());
        let occupied = board.occupied();
        let mut attacked_by = [Bitboard::EMPTY; LEVELS];
        let mut attacked_cheaply = [Bitboard::EMPTY; LEVELS];
        let mut defended = [Bitboard::EMPTY; 2];
        let (own, enemy) = (board.by_color(turn), board.by_color(!turn));
        for (role, pieces) in Role::ALL.into_iter().map(|role| (role, board.by_role(role))) {
            for square in pieces & own {
                let reach = attacks(square, role.of(turn), occupied);
                defended[1] |= defended[0] & reach;
                defended[0] |= reach;
            }
            let attacked = &mut attacked_by[level(role)];
            (pieces & enemy).into_iter().for_each(|square| *attacked |= attacks(square, role.of(!turn), occupied));
        }
        let king = board.king_of(!turn).unwrap_or(Square::A1);
        let checks = [
            pawn_attacks(!turn, king),
            knight_attacks(king),
            bishop_attacks(king, occupied),
            rook_attacks(king, occupied),
            queen_attacks(king, occupied),
            Bitboard::EMPTY,
        ];
        let mut attacked = Bitboard::EMPTY;
        for (cheaply, by) in attacked_cheaply.iter_mut().zip(attacked_by) {
            *cheaply = attacked;
            attacked |= by;
        }
        let phase = (occupied.count().saturating_sub(1) / PHASE_PIECES).min(PHASES - 1);
        let in_check = chess.is_check();
        let PreviousMoves { theirs, ours } = before;
        let captured_on = theirs.filter(|mv| mv.is_capture()).map(|mv| mv.to());
        let reply_to = code(theirs.map(|mv| mv.role())) * 2 + usize::from(captured_on.is_some());
        let last = ours.and_then(|mv| Some((mv.from()?, mv.to())));
        let mirror = if turn == Color::White { 0 } else { SQUARES - RANK };
        MoveContext {
            mirror,
            phase,
            in_check,
            reply_to,
            captured_on,
            last,
            attacked,
            attacked_cheaply,
            defended,
            checks,
        }
    }

    fn seen(&self, square: Square) -> usize {
        usize::from(square) ^ self.mirror
    }

    /// 0: not attacked; 1: attacked, but defended; 2: not defended either; 3: attacked by something cheaper. `defended` are the squares that count
    /// as defended.
    fn danger(&self, square: Square, role: Role, defended: Bitboard) -> usize {
        if !self.attacked.contains(square) {
            0
        } else if self.attacked_cheaply[level(role)].contains(square) {
            3
        } else {
            2 - usize::from(defended.contains(square))
        }
    }

    /// The feature of each group that a move has, as the place of its weight.
    fn features(&self, mv: Move) -> [u16; GROUPS] {
        let (role, to, castles) = (mv.role(), mv.to(), mv.is_castle());
        let from = mv.from().unwrap_or(to);
        let (mover, victim) = (index(role), code(mv.capture()));
        let arrived = mv.promotion().unwrap_or(role);
        let danger_from = self.danger(from, role, self.defended[0]);
        // The moved piece does not defend the square that it goes to.
        let danger_to = if castles { 0 } else { self.danger(to, role, self.defended[1]) };
        let check = usize::from(!castles && self.checks[index(arrived)].contains(to));
        let recapture = usize::from(self.captured_on == Some(to));
        let again = self.last.is_some_and(|(_, to)| to == from);
        let back = usize::from(again && self.last.is_some_and(|(from, _)| from == to));
        let again = usize::from(again);
        let places = [
            (self.phase * ROLES + mover) * SQUARES + self.seen(to),
            (((mover * DANGERS + danger_from) * DANGERS + danger_to) * 2 + usize::from(victim > 0)) * 2
                + usize::from(self.in_check),
            (((victim * ROLES + mover) * DANGERS + danger_to) * 2 + recapture) * 2 + check,
            (self.reply_to * ROLES + mover) * VICTIMS + victim,
            ((self.phase * ROLES + mover) * 2 + again) * 2 + back,
            self.seen(from) * SQUARES + self.seen(to),
        ];
        let mut features = [0; GROUPS];
        for (group, place) in places.into_iter().enumerate() {
            debug_assert!(place < SIZES[group], "place {place} of group {group}");
            features[group] = (BEGINS[group] + place) as u16;
        }
        features
    }
}

const _: () = assert!(BEGINS[GROUPS] <= 1 << u16::BITS);
