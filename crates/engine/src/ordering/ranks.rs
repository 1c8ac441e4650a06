//! The moves of one node with their ranks: what the picker selects from.

use super::extras::{Extras, MoveSet, RatedMove};
use super::lesser_attackers::Cheaper;
use super::{PickedMove, Quiet, QuietFacts, Sources, Stage, backwards, bonuses, killers};
use crate::history::{MoveIndex, Mover, Rows};
use crate::movegen::{Generator, QuietSink};
use crate::position::{MOVES_MAX, MoveParts, NO_MOVE, is_quiet, pack};
use crate::quiet_scores::QuietScores;
use crate::tree::Script;
use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Move, Role, Square};

/// Moves with their order as one number each: score, whether the move gives check, and the move's place in the list.
#[derive(Clone, Default)]
pub(super) struct List {
    /// Every move so far, in the order in which it was made.
    pub moves: ArrayVec<Move, MOVES_MAX>,
    /// The ranks of the moves from place `first` on, [`TAKEN`] where a move is excluded or was returned.
    ranks: ArrayVec<i32, MOVES_MAX>,
    first: usize,
}

const PLACE_BITS: u32 = 9;
const PLACE_MASK: i32 = (1 << PLACE_BITS) - 1;
const _: () = assert!(MOVES_MAX <= 1 << PLACE_BITS);
const CHECK_FLAG: i32 = 1 << PLACE_BITS;
pub(super) const SCORE_SHIFT: u32 = PLACE_BITS + 1;
const SCORE_MAX: i32 = i32::MAX >> SCORE_SHIFT;
/// History counts that stand for a pawn/100 of quiet score, when bonuses are added.
const COUNTS_PER_CENTIPAWN: i32 = 64;
/// Below the rank of every move.
const TAKEN: i32 = i32::MIN;

impl List {
    /// Begins the next set of moves: all earlier ones were returned.
    #[inline(always)]
    pub fn begin_batch(&mut self) {
        self.first = self.moves.len();
        self.ranks.clear();
    }

    /// Ranks the first move that is not ranked.
    #[inline(always)]
    pub fn rank(&mut self, score: i32, gives_check: bool) {
        let check = if gives_check { CHECK_FLAG } else { 0 };
        let place = (self.first + self.ranks.len()) as i32;
        self.ranks.push(score.clamp(-SCORE_MAX, SCORE_MAX) << SCORE_SHIFT | check | place);
    }

    /// Leaves out the first move that is not ranked.
    #[inline(always)]
    pub fn skip_unranked(&mut self) {
        self.ranks.push(TAKEN);
    }

    /// Adds and ranks the quiet moves, all or those of a script, cheaply or not, and then once more with the sources of the second pass.
    #[cold]
    #[inline(never)]
    pub fn quiets_with(
        &mut self,
        script: Option<&Script>,
        extras: Option<&Extras>,
        table_move: Option<Move>,
        sources: Sources<'_>,
        facts: &QuietFacts,
    ) {
        let mut moves: ArrayVec<Move, MOVES_MAX> = ArrayVec::new();
        match script {
            None => Generator::new(sources.position).quiets(&mut |mv| moves.push(mv)),
            Some(script) => moves.extend(backwards(script).filter(|&mv| is_quiet(mv))),
        }
        if let Some(quiet_scores) = sources.quiet_scores {
            self.rank_by(quiet_scores, &moves, table_move, sources, facts);
        } else if extras.is_some_and(|extras| extras.is_cheap(sources.ply)) {
            let table_move = table_move.map_or(NO_MOVE, pack);
            for mv in moves {
                self.moves.push(mv);
                let gives_check = sources.position.gives_check(sources.checks, mv);
                let quiet = Quiet { mv, packed: pack(mv), gives_check, cheaper: &Cheaper::default() };
                if quiet.packed == table_move {
                    self.skip_unranked();
                } else {
                    let history = sources.histories.butterfly.count(facts.context.turn, facts.context.threatened, mv);
                    self.rank(history + killers::bonus(sources, facts, &quiet), quiet.gives_check);
                }
            }
        } else {
            let mut ranks = Ranks::new(self, table_move, sources, facts);
            moves.into_iter().for_each(|mv| ranks.other(mv));
        }
        if let Some(extras) = extras {
            self.rate(extras, sources, MoveSet::Quiet);
        }
    }

    /// Adds quiet moves and ranks them by the scores that determine their costs, and by bonuses such as that of killers.
    fn rank_by(
        &mut self,
        quiet_scores: &QuietScores,
        moves: &[Move],
        table_move: Option<Move>,
        sources: Sources<'_>,
        facts: &QuietFacts,
    ) {
        let (table_move, cheaper) = (table_move.map_or(NO_MOVE, pack), Cheaper::of(sources));
        for &mv in moves {
            self.moves.push(mv);
            let gives_check = sources.position.gives_check(sources.checks, mv);
            let quiet = Quiet { mv, packed: pack(mv), gives_check, cheaper: &cheaper };
            if quiet.packed == table_move {
                self.skip_unranked();
            } else {
                self.rank(quiet_scores.of(mv).0 * COUNTS_PER_CENTIPAWN + bonuses(sources, facts, &quiet), gives_check);
            }
        }
    }

    /// Scores the moves in the list again, with the sources of the second pass.
    #[cold]
    pub fn rate(&mut self, extras: &Extras, sources: Sources<'_>, set: MoveSet) {
        // Filled in its place: what `collect` returns would be copied as a whole, room for all moves that there can be.
        let mut rated: ArrayVec<RatedMove, MOVES_MAX> = ArrayVec::new();
        for &rank in self.ranks.iter().filter(|&&rank| rank != TAKEN) {
            rated.push(RatedMove {
                mv: self.moves[(rank & PLACE_MASK) as usize],
                gives_check: rank & CHECK_FLAG != 0,
                score: rank >> SCORE_SHIFT,
                rest: rank & (PLACE_MASK | CHECK_FLAG),
            });
        }
        extras.rate(sources.position, sources.ply, set, &mut rated);
        for (rank, rated) in self.ranks.iter_mut().filter(|rank| **rank != TAKEN).zip(&rated) {
            *rank = rated.score.clamp(-SCORE_MAX, SCORE_MAX) << SCORE_SHIFT | rated.rest;
        }
    }

    /// Removes every move of this set for which `was_returned` returns true.
    #[cold]
    pub fn remove_move(&mut self, was_returned: impl Fn(Move) -> bool) {
        let List { moves, ranks, first } = self;
        let set = moves.iter().skip(*first);
        ranks.iter_mut().zip(set).filter(|(_, mv)| was_returned(**mv)).for_each(|(rank, _)| *rank = TAKEN);
    }

    /// Removes all remaining moves but those that give check.
    pub fn keep_checks(&mut self) {
        self.ranks.iter_mut().filter(|rank| **rank & CHECK_FLAG == 0).for_each(|rank| *rank = TAKEN);
    }

    /// The places of the moves that are not ranked yet, in the order to rank them in.
    #[inline(always)]
    pub fn unranked(&self) -> std::ops::Range<usize> {
        self.first + self.ranks.len()..self.moves.len()
    }

    /// Takes out the highest rank.
    #[inline(always)]
    pub fn take_best(&mut self) -> Option<i32> {
        // The maximum alone is found several ranks at a time, and it names its place.
        let best = self.ranks.iter().copied().max().filter(|&best| best != TAKEN)?;
        self.ranks[(best & PLACE_MASK) as usize - self.first] = TAKEN;
        Some(best)
    }

    /// The move that was given this rank.
    #[inline(always)]
    pub fn picked(&self, rank: i32, stage: Stage) -> PickedMove {
        PickedMove {
            mv: self.moves[(rank & PLACE_MASK) as usize],
            stage,
            gives_check: rank & CHECK_FLAG != 0,
            tested: None,
            rank,
        }
    }
}

/// Takes the quiet moves of a node and ranks each, but for the table's move.
pub(super) struct Ranks<'a> {
    list: &'a mut List,
    table_move: u16,
    sources: Sources<'a>,
    facts: &'a QuietFacts,
    rows: Rows<'a>,
    cheaper: Cheaper,
}

impl<'a> Ranks<'a> {
    #[inline(always)]
    pub fn new(list: &'a mut List, table_move: Option<Move>, sources: Sources<'a>, facts: &'a QuietFacts) -> Ranks<'a> {
        let table_move = table_move.map_or(NO_MOVE, pack);
        let (rows, cheaper) = (sources.histories.rows(&facts.context), Cheaper::of(sources));
        Ranks { list, table_move, sources, facts, rows, cheaper }
    }

    #[inline(always)]
    fn take(&mut self, mv: Move, packed: u16, gives_check: bool, history: i32) {
        self.list.moves.push(mv);
        if packed == self.table_move {
            self.list.skip_unranked();
        } else {
            let quiet = Quiet { mv, packed, gives_check, cheaper: &self.cheaper };
            self.list.rank(history + bonuses(self.sources, self.facts, &quiet), gives_check);
        }
    }
}

impl QuietSink for Ranks<'_> {
    /// Data common to all moves of a piece is looked up once. A copy for each kind of piece would only fill the instruction
    /// cache.
    #[inline(never)]
    fn piece(&mut self, role: Role, from: Square, squares: Bitboard) {
        let mover = Mover::of(self.facts.context.turn, role, from);
        let lanes = self.rows.lanes(&self.sources.orders.weights.quiet, mover);
        let checking = self.sources.checks.checking_squares(role, from);
        for to in squares {
            let mv = Move::Normal { role, from, capture: None, to, promotion: None };
            self.take(mv, MoveParts::of(mv).packed, checking.contains(to), lanes.history(to as usize));
        }
    }

    #[inline(never)]
    fn other(&mut self, mv: Move) {
        let parts = MoveParts::of(mv);
        let gives_check = self.sources.position.gives_check(self.sources.checks, mv);
        let at = MoveIndex::of_parts(self.facts.context.turn, &parts);
        let history = self.rows.history(&self.sources.orders.weights.quiet, at);
        self.take(mv, parts.packed, gives_check, history);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of king moves to the first squares of the board: scores, and whether they give check; `None` is left out.
    fn list(moves: &[Option<(i32, bool)>]) -> List {
        let mut list = List::default();
        add(&mut list, moves);
        list
    }

    fn add(list: &mut List, moves: &[Option<(i32, bool)>]) {
        for &ranked in moves {
            let to = Square::new(list.moves.len() as u32);
            list.moves.push(Move::Normal { role: Role::King, from: Square::H8, capture: None, to, promotion: None });
            match ranked {
                Some((score, gives_check)) => list.rank(score, gives_check),
                None => list.skip_unranked(),
            }
        }
        assert!(list.unranked().is_empty());
    }

    /// The squares of the moves in the order of the picker, with their stored values.
    fn order(list: &mut List) -> Vec<(u32, i32, bool)> {
        let picked = std::iter::from_fn(|| list.take_best().map(|rank| list.picked(rank, Stage::Quiet)));
        picked.map(|picked| (picked.mv.to() as u32, picked.score(), picked.gives_check)).collect()
    }

    #[test]
    fn each_move_comes_once_the_best_first_and_of_equals_the_later() {
        let mut list = list(&[Some((-3, false)), Some((9, false)), None, Some((9, false)), Some((5, true))]);
        assert_eq!(order(&mut list), [(3, 9, false), (1, 9, false), (4, 5, true), (0, -3, false)]);
        assert_eq!(list.take_best(), None);
    }

    #[test]
    fn scores_too_large_for_a_rank_are_the_largest_there_is() {
        let mut list = list(&[Some((i32::MIN, false)), Some((i32::MAX, false)), Some((SCORE_MAX, false))]);
        assert_eq!(order(&mut list), [(2, SCORE_MAX, false), (1, SCORE_MAX, false), (0, -SCORE_MAX, false)]);
    }

    #[test]
    fn the_next_portion_has_ranks_of_its_own_and_places_after_those_of_the_first() {
        let mut list = list(&[Some((7, false)), Some((8, false))]);
        assert_eq!(list.take_best().map(|rank| list.picked(rank, Stage::Quiet).mv.to()), Some(Square::B1));
        list.begin_batch();
        add(&mut list, &[Some((1, false)), None, Some((2, false))]);
        assert_eq!(order(&mut list), [(4, 2, false), (2, 1, false)]);
    }

    #[test]
    fn moves_that_give_no_check_can_be_left_out() {
        let mut list = list(&[Some((-5, true)), Some((9, false)), None, Some((4, true))]);
        list.keep_checks();
        assert_eq!(order(&mut list), [(3, 4, true), (0, -5, true)]);
    }
}
