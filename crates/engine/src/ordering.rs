//! The staged move picker: table move, good captures, quiet moves by killers and histories, bad captures.
//!
//! Each stage is prepared only when the one before has failed to cut. Which source counts how much is a parameter.

use crate::history::{Context, Histories, Killers, Rows};
use crate::position::{CheckInfo, Position, is_quiet, pack};
use crate::score::Score;
use crate::see;
use arrayvec::ArrayVec;
use shakmaty::Move;

crate::params! {
    /// weight of the butterfly history (1/64)
    butterfly = 128 in 0..=512 by 8;
    /// weight of the continuation history one ply back (1/64)
    continuation_1 = 128 in 0..=512 by 8;
    /// weight of the continuation history two plies back (1/64)
    continuation_2 = 64 in 0..=512 by 8;
    /// weight of the continuation history four plies back (1/64)
    continuation_4 = 32 in 0..=512 by 8;
    /// weight of the pawn-structure history (1/64)
    pawn = 64 in 0..=512 by 8;
    /// bonus of the latest killer (history counts)
    killer_1 = 32000 in 0..=99999 by 1000;
    /// bonus of the killer before (history counts)
    killer_2 = 24000 in 0..=99999 by 1000;
    /// bonus of the countermove (history counts)
    counter = 16000 in 0..=99999 by 1000;
    /// bonus of a quiet check that loses nothing on its square (history counts)
    check = 8000 in 0..=99999 by 1000;
    /// weight of the captured piece's value against capture history (1/16 count per pawn/100)
    victim = 160 in 0..=999 by 8;
    /// capture history that outweighs one pawn/100 in the test of a good capture (counts)
    good_divisor = 32 in 1..=512 by 4;
    /// exchange loss a good capture may show (pawns/100)
    good_margin = 0 in 0..=400 by 10;
}

const WEIGHT_UNIT: i32 = 64;
const VICTIM_UNIT: i32 = 16;

/// Which part of the picker a move came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The transposition table's move.
    Table,
    /// Captures and queen promotions that do not lose material on their square.
    GoodNoisy,
    /// Quiet moves, killers and countermove among them.
    Quiet,
    /// Captures that lose material on their square.
    BadNoisy,
}

/// What the picker hands out.
#[derive(Clone, Copy, Debug)]
pub struct Picked {
    /// The move.
    pub mv: Move,
    /// Where it came from.
    pub stage: Stage,
    /// Does it give check?
    pub gives_check: bool,
}

const MOVES_MAX: usize = 256;

/// Moves with their order as one number each: score, whether the move gives check, and the move's place in the list.
#[derive(Default)]
struct List {
    moves: ArrayVec<Move, MOVES_MAX>,
    ranks: ArrayVec<i32, MOVES_MAX>,
}

const PLACE_BITS: u32 = 8;
const PLACE_MASK: i32 = (1 << PLACE_BITS) - 1;
const CHECK_FLAG: i32 = 1 << PLACE_BITS;
const SCORE_SHIFT: u32 = PLACE_BITS + 1;
const SCORE_MAX: i32 = i32::MAX >> SCORE_SHIFT;

impl List {
    #[inline(always)]
    fn push(&mut self, mv: Move, score: i32, gives_check: bool) {
        let place = self.moves.len();
        self.moves.push(mv);
        self.rank(place, score, gives_check);
    }

    #[inline(always)]
    fn rank(&mut self, place: usize, score: i32, gives_check: bool) {
        let check = if gives_check { CHECK_FLAG } else { 0 };
        self.ranks.push(score.clamp(-SCORE_MAX, SCORE_MAX) << SCORE_SHIFT | check | place as i32);
    }

    /// Takes out the move with the highest rank.
    #[inline(always)]
    fn take_best(&mut self) -> Option<(Move, bool)> {
        let best = self.ranks.iter().copied().max()?;
        let at = self.ranks.iter().position(|&rank| rank == best)?;
        self.ranks.swap_remove(at);
        Some((self.moves[(best & PLACE_MASK) as usize], best & CHECK_FLAG != 0))
    }
}

/// What one node knows about its quiet moves.
#[derive(Clone, Copy, Debug)]
pub struct QuietFacts {
    /// Side, pawn structure and earlier moves.
    pub context: Context,
    /// The killers of this ply.
    pub killers: Killers,
    /// The move that last refuted the previous move.
    pub counter: u16,
}

/// The tables and weights a picker reads.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// Histories of this thread.
    pub histories: &'a Histories,
    /// Weights.
    pub weights: &'a Params,
    /// The position to move in.
    pub position: &'a Position,
    /// Which moves give check.
    pub checks: &'a CheckInfo,
}

/// Which moves a picker hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    All,
    /// Captures, queen promotions and quiet checks.
    NoisyAndChecks,
    Noisy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Table,
    Generate,
    GoodNoisy,
    ScoreQuiets,
    Quiets,
    BadNoisy,
}

/// Hands out the legal moves of one node, best first.
pub struct Picker {
    step: Step,
    wanted: Wanted,
    table_move: Option<Move>,
    quiet_facts: Option<QuietFacts>,
    noisy: List,
    quiets: List,
    bad: ArrayVec<(Move, bool), MOVES_MAX>,
    next_bad: usize,
}

impl Picker {
    /// All moves.
    #[inline(always)]
    pub fn all(table_move: Option<Move>, facts: QuietFacts) -> Picker {
        Picker::new(table_move, Some(facts), Wanted::All)
    }

    /// Captures and queen promotions only.
    #[inline(always)]
    pub fn noisy(table_move: Option<Move>) -> Picker {
        Picker::new(table_move.filter(|&mv| !is_quiet(mv)), None, Wanted::Noisy)
    }

    /// Captures, queen promotions, and quiet checks in no particular order.
    #[inline(always)]
    pub fn noisy_and_checks(table_move: Option<Move>) -> Picker {
        Picker::new(table_move.filter(|&mv| !is_quiet(mv)), None, Wanted::NoisyAndChecks)
    }

    #[inline(always)]
    fn new(table_move: Option<Move>, quiet_facts: Option<QuietFacts>, wanted: Wanted) -> Picker {
        Picker {
            step: if table_move.is_some() { Step::Table } else { Step::Generate },
            wanted,
            table_move,
            quiet_facts,
            noisy: List::default(),
            quiets: List::default(),
            bad: ArrayVec::new(),
            next_bad: 0,
        }
    }

    /// Hands out no more quiet moves.
    pub fn skip_quiets(&mut self) {
        self.wanted = Wanted::Noisy;
    }

    /// Hands out no more quiet moves but those that give check.
    pub fn skip_quiets_but_checks(&mut self) {
        self.wanted = Wanted::NoisyAndChecks;
        self.quiets.ranks.retain(|rank| *rank & CHECK_FLAG != 0);
    }

    /// The next move.
    #[inline]
    pub fn next(&mut self, sources: Sources<'_>) -> Option<Picked> {
        loop {
            match self.step {
                Step::Table => {
                    self.step = Step::Generate;
                    let mv = self.table_move?;
                    let gives_check = sources.position.gives_check(sources.checks, mv);
                    return Some(Picked { mv, stage: Stage::Table, gives_check });
                }
                Step::Generate => {
                    self.generate(sources);
                    self.step = Step::GoodNoisy;
                }
                Step::GoodNoisy => match self.good_noisy(sources) {
                    Some(picked) => return Some(picked),
                    None => self.step = Step::ScoreQuiets,
                },
                Step::ScoreQuiets => {
                    self.score_quiets(sources);
                    self.step = Step::Quiets;
                }
                Step::Quiets => {
                    if self.wanted != Wanted::Noisy
                        && let Some((mv, gives_check)) = self.quiets.take_best()
                    {
                        return Some(Picked { mv, stage: Stage::Quiet, gives_check });
                    }
                    self.step = Step::BadNoisy;
                }
                Step::BadNoisy => {
                    let &(mv, gives_check) = self.bad.get(self.next_bad)?;
                    self.next_bad += 1;
                    return Some(Picked { mv, stage: Stage::BadNoisy, gives_check });
                }
            }
        }
    }

    /// Sorts the legal moves into noisy and quiet ones; quiet ones are scored later, if at all.
    fn generate(&mut self, sources: Sources<'_>) {
        for &mv in &sources.position.legal_moves() {
            if Some(mv) == self.table_move {
                continue;
            }
            if !is_quiet(mv) {
                let gives_check = sources.position.gives_check(sources.checks, mv);
                self.noisy.push(mv, noisy_score(sources, mv), gives_check);
            } else if self.wanted == Wanted::All {
                self.quiets.moves.push(mv);
            } else if self.wanted == Wanted::NoisyAndChecks && sources.position.gives_check(sources.checks, mv) {
                self.quiets.push(mv, 0, true);
            }
        }
    }

    fn good_noisy(&mut self, sources: Sources<'_>) -> Option<Picked> {
        while let Some((mv, gives_check)) = self.noisy.take_best() {
            let history = sources.histories.capture(sources.position.turn(), mv);
            let threshold = Score(-sources.weights.good_margin - history / sources.weights.good_divisor);
            if sources.position.see_ge(mv, threshold) {
                return Some(Picked { mv, stage: Stage::GoodNoisy, gives_check });
            }
            self.bad.push((mv, gives_check));
        }
        None
    }

    fn score_quiets(&mut self, sources: Sources<'_>) {
        let Some(facts) = self.quiet_facts.filter(|_| self.wanted == Wanted::All) else { return };
        let rows = sources.histories.rows(&facts.context);
        for place in 0..self.quiets.moves.len() {
            let mv = self.quiets.moves[place];
            let gives_check = sources.position.gives_check(sources.checks, mv);
            let mut score = quiet_score(&rows, sources.weights, &facts, mv);
            if gives_check && sources.weights.check > 0 && sources.position.see_ge(mv, Score::ZERO) {
                score += sources.weights.check;
            }
            self.quiets.rank(place, score, gives_check);
        }
    }
}

/// Order of captures and promotions: what is won, and how such captures fared.
fn noisy_score(sources: Sources<'_>, mv: Move) -> i32 {
    see::gain(mv) * sources.weights.victim / VICTIM_UNIT + sources.histories.capture(sources.position.turn(), mv)
}

/// How a quiet move fared elsewhere: the weighted sum of all histories, without killers and countermove.
#[inline(always)]
pub fn quiet_history(rows: &Rows<'_>, weights: &Params, mv: Move) -> i32 {
    let counters = rows.counters(mv);
    let [one, two, four] = counters.continuation;
    let sum = counters.butterfly * weights.butterfly
        + one * weights.continuation_1
        + two * weights.continuation_2
        + four * weights.continuation_4
        + counters.pawn * weights.pawn;
    sum / WEIGHT_UNIT
}

#[inline(always)]
fn quiet_score(rows: &Rows<'_>, weights: &Params, facts: &QuietFacts, mv: Move) -> i32 {
    let packed = pack(mv);
    let special = match facts.killers.slot(packed) {
        Some(0) => weights.killer_1,
        Some(_) => weights.killer_2,
        None if packed == facts.counter => weights.counter,
        None => 0,
    };
    special + quiet_history(rows, weights, mv)
}
