//! Search by interestingness (SEX): the kind of a move determines its cost.

use super::{Description, explosion};
use crate::mate_at_a_glance;
use crate::node::{Candidate, Node};
use crate::score::{Depth, Score, Window};
use crate::see;
use crate::whole::log;
use crate::words::named;
use shakmaty::{Color, Move, Rank, Role};
use std::cmp::Ordering;
use std::fmt;

pub(crate) const RULE: Description = Description {
    name: "interestingness",
    about: "Search by interestingness (SEX algorithm): each move costs depth by its kind.",
    idea: "A line deserves search while it may be the principal variation. Each move deducts the cost of its kind \
        from the depth budget (less likely kinds cost more), and the line ends when the budget is spent. Checks, \
        captures and threats cost a fraction of a ply; the cost of quiet moves depends on their score relative to \
        the best quiet move; backward moves cost most.",
    risk: "Dull moves that matter are found late; therefore, an expensive move that beats alpha is searched again \
        at a cost of one ply. Lines of cheap moves become long: beyond twice the nominal depth every move costs \
        at least half a ply, and there is a maximum ply.",
    reads: "position, path (the last capture), move order, history, table, static evaluation; with \
        `promise_in_window` the window.",
    papers: "`levy1989`.",
};

crate::params! {
    /// deduct depth for moves by their kind instead of a ply for each
    on = false;
    /// cost of the only legal answer to a check (1/8 ply)
    only_move = 2 in 1..=4 by 1;
    /// cost of a recapture on the square of the last capture that loses nothing by static exchange (1/8 ply)
    recapture = 3 in 2..=8 by 1;
    /// cost of a check that loses nothing by static exchange (1/8 ply)
    safe_check = 3 in 2..=8 by 1;
    /// cost of a promotion to a queen that loses nothing by static exchange (1/8 ply)
    promotion = 3 in 2..=8 by 1;
    /// cost of a move that threatens a mate at a glance (1/8 ply)
    mate_threat = 4 in 2..=8 by 1;
    /// cost of a capture that wins material by static exchange (1/8 ply)
    winning = 4 in 2..=8 by 1;
    /// cost of a capture that neither wins nor loses material by static exchange (1/8 ply)
    equal = 5 in 2..=9 by 1;
    /// greatest cost of the table's move (1/8 ply)
    table_max = 5 in 2..=10 by 1;
    /// cost of a king move out of check (1/8 ply)
    king_evasion = 5 in 2..=9 by 1;
    /// cost of any other answer to a check (1/8 ply)
    block_evasion = 6 in 2..=9 by 1;
    /// cost of a move at a node where the opponent threatens a mate at a glance (1/8 ply)
    mate_threat_reply = 6 in 3..=12 by 1;
    /// cost of a passed pawn's move to the seventh rank (1/8 ply)
    seventh = 4 in 2..=9 by 1;
    /// cost of a passed pawn's move to the sixth rank (1/8 ply)
    sixth = 6 in 2..=10 by 1;
    /// cost of a move by a piece that a less valuable piece attacks, if it loses nothing by static exchange (1/8 ply)
    escape = 6 in 3..=12 by 1;
    /// cost of a check that loses material by static exchange (1/8 ply)
    unsafe_check = 7 in 3..=14 by 1;
    /// cost of a killer or the countermove (1/8 ply)
    killer_or_counter = 7 in 3..=14 by 1;
    /// cost of a capture that loses material by static exchange (1/8 ply)
    losing = 12 in 6..=24 by 1;
    /// cost of a promotion to less than a queen (1/8 ply)
    underpromotion = 24 in 8..=48 by 1;
    /// cost of the best quiet move (1/8 ply)
    quiet_base = 8 in 4..=48 by 1;
    /// factor of ln(1 + gap / `gap_unit`) in a quiet move's cost; its gap is to the best quiet score (1/8 ply)
    quiet_slope = 5 in 0..=12 by 1;
    /// gap that counts as one in the logarithm of `quiet_slope` (pawns/100)
    gap_unit = 16 in 4..=80 by 2;
    /// greatest cost of a quiet move forward or sideways (1/8 ply)
    forward_max = 21 in 8..=48 by 1;
    /// greatest cost of a quiet move backward (1/8 ply)
    backward_max = 24 in 8..=48 by 1;
    /// quiet moves cost by their probability among the quiet moves instead of by their gap
    softmax = false;
    /// with `softmax`: difference of quiet scores that multiplies the odds by e (pawns/100)
    temperature = 30 in 5..=150 by 5;
    /// gap within which a quiet move raises the cost of the quiet moves after it (pawns/100)
    flat_margin = 10 in 0..=60 by 2;
    /// cost for each doubling of 1 plus the number of such moves before (1/16 ply)
    flat_slope = 3 in 0..=12 by 1;
    /// growth of the costs of quiet moves above that of the best, times ln(depth / 4) above depth 4 (percent)
    growth = 0 in 0..=150 by 10;
    /// history that counts as one pawn/100 (history counts)
    history_unit = 64 in 8..=512 by 8;
    /// least depth at which quiet moves are valued by the evaluation after them, not by history (plies)
    static_depth = 6 in 1..=64 by 1;
    /// detect mates with a queen next to the king, and with a queen or rook on its back rank
    mate_at_a_glance = true;
    /// lower the costs of pawn moves, moves backward and, later, king moves to the centre in eight steps by the phase of the game
    phase = false;
    /// added to the cost of quiet moves of the side to move at the root, deducted from that of the opponent's (1/8 ply)
    root_side_cost = 0 in 0..=3 by 1;
    /// order quiet moves by the values that determine their costs
    order = false;
    /// lower the cost of losing captures of valuable pieces
    promise = false;
    /// lower the cost of losing captures and quiet moves whose value before any reply reaches beta; values then depend on the window
    promise_in_window = false;
    /// least value of the captured piece for `promise` (pawns/100)
    promise_margin = 150 in 0..=900 by 10;
    /// cost of the moves of `promise` and `promise_in_window` (1/8 ply)
    promise_cost = 6 in 3..=12 by 1;
    /// first moves that cost a ply at most (moves)
    first_moves = 0 in 0..=10 by 1;
    /// cost of the re-search of a move that beats alpha; no re-search if the first search cost less (1/8 ply)
    repeated = 8 in 4..=48 by 1;
}

/// The depth of one cost unit: eight units are a ply.
const UNIT: Depth = Depth(Depth::ONE_PLY.0 / 8);
/// Units of a ply.
const PLY: i32 = 8;
const PERCENT: i32 = 100;
/// The unit of logarithms.
const WHOLE: i32 = 1024;

named! {
    /// Kinds of moves, in the order in which they are tested.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Category {
        /// The only legal answer to a check.
        OnlyMove "the only move",
        Recapture "a recapture",
        SafeCheck "a safe check",
        Promotion "a promotion",
        /// It threatens mate next to the king.
        MateThreat "a mate threat",
        Winning "a winning capture",
        Equal "an even capture",
        KingEvasion "the king leaves the check",
        BlockEvasion "an answer to the check",
        MateThreatReply "mate is threatened",
        Seventh "a passed pawn to the seventh rank",
        Sixth "a passed pawn to the sixth rank",
        /// A piece leaves the attack of a lesser one.
        Escape "an escape from attack",
        UnsafeCheck "an unsafe check",
        KillerOrCounter "a killer or countermove",
        /// A losing capture of a valuable piece, or a losing capture or quiet move whose value before any reply reaches beta.
        Promising "a promising move",
        Losing "a losing capture",
        Underpromotion "an underpromotion",
        /// Quiet, not backward.
        Forward "a quiet move",
        Backward "a quiet move backward",
    }
}

crate::reason! {
    category: i32,
    gap: Score,
    units "eighths of a ply": i32,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let category = usize::try_from(self.category).ok().and_then(|index| Category::ALL.get(index));
        let Some(category) = category else { return write!(f, "{} eighths of a ply", self.units) };
        write!(f, "{}: {} eighths of a ply", category.name(), self.units)?;
        if matches!(category, Category::Forward | Category::Backward) {
            write!(f, ", {} behind the best quiet one", crate::words::pawns(self.gap))?;
        }
        Ok(())
    }
}

/// The cost of a move and how it came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decrement {
    /// The kind of the move.
    pub category: Category,
    /// Its gap to the best quiet move.
    pub gap: Score,
    /// The cost (1/8 ply).
    pub units: i32,
}

impl Decrement {
    /// The cost as depth.
    pub fn depth(self) -> Depth {
        Depth(UNIT.0 * self.units)
    }

    pub(crate) fn reason(self) -> Reason {
        Reason { category: self.category as i32, gap: self.gap, units: self.units }
    }
}

/// The cost of a repeated search.
pub fn repeated(p: &Params) -> Depth {
    Depth(UNIT.0 * p.repeated)
}

/// Returns true if quiet moves at this depth are valued by the evaluation, not by history.
pub fn needs_evaluation(p: &Params, depth: Depth) -> bool {
    depth.whole() >= p.static_depth
}

/// The cost of the move.
pub fn decrement(p: &Params, n: &Node<'_>, c: &Candidate) -> Decrement {
    let category = category(p, n, c);
    let gap = n.quiet_scores.as_deref().map_or(Score::ZERO, |quiet_scores| quiet_scores.gap(c.mv));
    let mut units = match category {
        Category::OnlyMove => p.only_move,
        Category::Recapture => p.recapture,
        Category::SafeCheck => p.safe_check,
        Category::Promotion => p.promotion,
        Category::MateThreat => p.mate_threat,
        Category::Winning => p.winning,
        Category::Equal => p.equal,
        Category::KingEvasion => p.king_evasion,
        Category::BlockEvasion => p.block_evasion,
        Category::MateThreatReply => p.mate_threat_reply,
        Category::Seventh => p.seventh,
        Category::Sixth => p.sixth,
        Category::Escape => p.escape,
        Category::UnsafeCheck => p.unsafe_check,
        Category::KillerOrCounter => p.killer_or_counter,
        Category::Promising => p.promise_cost,
        Category::Losing => p.losing,
        Category::Underpromotion => p.underpromotion,
        Category::Forward | Category::Backward => quiet(p, n, c, category, gap),
    };
    if c.from_table {
        units = units.min(p.table_max);
    }
    if c.number <= p.first_moves {
        units = units.min(PLY);
    }
    Decrement { category, gap, units: limited(n, units) }
}

/// Deep in the tree every move costs something, and at the last ply all that is left.
fn limited(n: &Node<'_>, units: i32) -> i32 {
    let floor = explosion::cost_floor(n);
    units.max((floor.0 + UNIT.0 - 1) / UNIT.0)
}

/// The cost of a quiet move of no other kind.
fn quiet(p: &Params, n: &Node<'_>, c: &Candidate, category: Category, gap: Score) -> i32 {
    let turn = n.position.turn();
    let phase = crate::evaluator::phase(n.position.board());
    let late = if p.phase { (ENDGAME_STEPS - phase / PHASE_STEP).clamp(0, ENDGAME_STEPS) } else { 0 };
    let ceiling = match category {
        Category::Backward => (p.backward_max - late / 2).max(p.forward_max.min(p.backward_max)),
        _ => p.forward_max,
    };
    let quiet_scores = n.quiet_scores.as_deref();
    let mut units = if p.softmax {
        // Four units are a bit: eight units a ply are two bits a ply.
        let bits = quiet_scores.map_or(0, |quiet_scores| quiet_scores.bits(c.mv, p.temperature));
        (bits * UNITS_OF_BIT / WHOLE).max(SOFTMAX_MIN)
    } else {
        let steps = log((WHOLE + gap.0 * WHOLE / p.gap_unit) as u32) - log(WHOLE as u32);
        p.quiet_base + (p.quiet_slope * steps as i32 + WHOLE / 2) / WHOLE
    };
    let before = quiet_scores.map_or(0, |quiet_scores| quiet_scores.near_before(c.mv, Score(p.flat_margin))) as u32;
    units += p.flat_slope * log(1 + before) as i32 / (2 * LN_2); // the slope counts half units for each doubling
    units = units.min(ceiling);
    if p.growth > 0 && n.plies() > QUARTER {
        let grown = log(n.plies() as u32) as i32 - log(QUARTER as u32) as i32;
        units += (units - p.quiet_base) * p.growth * grown / (PERCENT * WHOLE);
    }
    units -= endgame_discount(turn, c, late);
    units += if n.ply.0.is_multiple_of(2) { p.root_side_cost } else { -p.root_side_cost };
    units.max(1)
}

/// A bit that neither the windows nor the imbalance of two budgets use.
const ROOT_CLASS: u64 = 1 << (u64::BITS - 1);
/// Phase of the game in steps of three of its 24 points, from 0 in the opening to 7.
const PHASE_STEP: i32 = 3;
const ENDGAME_STEPS: i32 = 7;
/// The step beyond which a king is cheaper that goes to the centre.
const LATE: i32 = 4;
const UNITS_OF_BIT: i32 = 4;
/// The least cost by the softmax.
const SOFTMAX_MIN: i32 = 3;
const QUARTER: i32 = 4;
/// ln 2 in 1/1024.
const LN_2: i32 = 710;

/// The later the phase, the cheaper are pawn moves, and in the endgame a king that goes to the centre. Together with the ceiling of backward
/// moves no two phases have the same costs.
fn endgame_discount(turn: Color, c: &Candidate, late: i32) -> i32 {
    const TO_CENTRE: i32 = 2;
    let centre = |square: shakmaty::Square| {
        let far = |n: u32| (2 * n as i32 - 7).abs();
        far(square.file().into()).max(far(square.rank().into()))
    };
    match c.mv.role() {
        Role::Pawn if advance(turn, c.mv).is_gt() => (late + 1) / 2,
        Role::King if late > LATE && c.mv.from().is_some_and(|from| centre(c.mv.to()) < centre(from)) => TO_CENTRE,
        _ => 0,
    }
}

/// Greater if the move advances, less if it retreats.
fn advance(turn: Color, mv: Move) -> Ordering {
    let Some(from) = mv.from().filter(|_| !mv.is_castle()) else { return Ordering::Equal };
    turn.fold_wb(mv.to().rank().cmp(&from.rank()), from.rank().cmp(&mv.to().rank()))
}

/// The first kind that the move is of.
pub fn category(p: &Params, n: &Node<'_>, c: &Candidate) -> Category {
    let (safe, wins) = (|| c.see_ge(n, Score::ZERO), || c.see_ge(n, Score(1)));
    let capture = c.mv.is_capture();
    if n.replies == Some(1) {
        Category::OnlyMove
    } else if capture && n.captured_on == Some(c.mv.to()) && safe() {
        Category::Recapture
    } else if c.gives_check && safe() {
        Category::SafeCheck
    } else if c.mv.promotion() == Some(Role::Queen) && safe() {
        Category::Promotion
    } else if p.mate_at_a_glance && !n.in_check && threatens_mate(n, c) {
        Category::MateThreat
    } else if c.mv.promotion().is_some_and(|role| role != Role::Queen) {
        Category::Underpromotion
    } else if !c.quiet && wins() {
        Category::Winning
    } else if !c.quiet && safe() {
        Category::Equal
    } else {
        non_forcing_category(p, n, c)
    }
}

/// The kind of a move that neither forces nor wins anything.
fn non_forcing_category(p: &Params, n: &Node<'_>, c: &Candidate) -> Category {
    let turn = n.position.turn();
    if n.in_check {
        return if c.mv.role() == Role::King { Category::KingEvasion } else { Category::BlockEvasion };
    }
    if n.mate_at_a_glance {
        return Category::MateThreatReply;
    }
    if c.mv.role() == Role::Pawn && c.quiet && n.position.is_passed(c.mv.to(), turn) {
        match turn.fold_wb(c.mv.to().rank(), c.mv.to().rank().flip_vertical()) {
            Rank::Seventh => return Category::Seventh,
            Rank::Sixth => return Category::Sixth,
            _ => {}
        }
    }
    if c.gives_check {
        return Category::UnsafeCheck;
    }
    if !c.quiet {
        return if is_promising_capture(p, n, c) { Category::Promising } else { Category::Losing };
    }
    if escapes(n, c) {
        return Category::Escape;
    }
    if is_promising_quiet(p, n, c) {
        return Category::Promising;
    }
    if c.killer_or_counter {
        Category::KillerOrCounter
    } else if advance(turn, c.mv).is_lt() {
        Category::Backward
    } else {
        Category::Forward
    }
}

/// After the move, could the side mate at a glance if it were to move again? Asked only where a piece comes near the king, or for queens and rooks.
fn threatens_mate(n: &Node<'_>, c: &Candidate) -> bool {
    const NEAR: u32 = 3;
    let turn = n.position.turn();
    let king = n.position.king(!turn);
    let heavy = matches!(c.mv.role(), Role::Queen | Role::Rook);
    let brings = c.mv.role() != Role::King && c.mv.to().distance(king) <= NEAR || heavy;
    let pieces = n.position.board().rooks_and_queens() & n.position.board().by_color(turn);
    if !brings || pieces.is_empty() || c.gives_check {
        return false;
    }
    mate_at_a_glance::mates(&n.position.play(c.mv), turn)
}

/// Returns true if the moving piece is attacked by a less valuable piece and the move loses nothing by static exchange.
fn escapes(n: &Node<'_>, c: &Candidate) -> bool {
    const ROOM: Score = Score(100);
    let Some(from) = c.mv.from() else { return false };
    let role = c.mv.role();
    if matches!(role, Role::Pawn | Role::King) {
        return false;
    }
    let board = n.position.board();
    let attackers = board.attacks_to(from, !n.position.turn(), board.occupied());
    let by_lesser = attackers
        .into_iter()
        .any(|square| board.role_at(square).is_some_and(|other| see::value(other) + ROOM.0 <= see::value(role)));
    by_lesser && c.see_ge(n, Score::ZERO)
}

/// A number for each beta, if values depend on the window, so that the table keeps their entries apart; else 0. Its low bits are 0: the
/// imbalance of two budgets is added there.
pub fn window_class(p: &Params, window: Window) -> u64 {
    let class = (window.beta.0 - Score::INFINITE.0) as u64;
    if p.on && p.promise_in_window { class << u32::BITS } else { 0 }
}

/// A number for the root's side, if costs depend on it, so that the table keeps entries of searches for either side apart; else 0.
pub fn root_class(p: &Params, root: Color) -> u64 {
    if p.on && p.root_side_cost != 0 && root.is_black() { ROOT_CLASS } else { 0 }
}

/// Returns true if a losing capture is promising before any reply.
fn is_promising_capture(p: &Params, n: &Node<'_>, c: &Candidate) -> bool {
    let takes = see::gain(c.mv);
    p.promise && takes >= p.promise_margin || reaches_window(p, n, n.static_eval + Score(takes))
}

/// Returns true if a quiet move is promising, by the evaluation after it.
fn is_promising_quiet(p: &Params, n: &Node<'_>, c: &Candidate) -> bool {
    let value = n
        .quiet_scores
        .as_deref()
        .filter(|_| needs_evaluation(p, n.depth) && !n.in_check)
        .map(|quiet_scores| quiet_scores.of(c.mv));
    value.is_some_and(|value| reaches_window(p, n, value))
}

/// Returns true if this value, without resolving exchanges, is above the window. Kinds that depend on the window are not used at
/// the root and the ply after it: the authors of the method report problems there.
fn reaches_window(p: &Params, n: &Node<'_>, value: Score) -> bool {
    p.promise_in_window && n.ply.0 > 1 && value >= n.window.beta
}

#[cfg(test)]
mod tests;
