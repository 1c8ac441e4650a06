//! The staged move picker: table move, good captures, quiet moves by killers and histories, bad captures.
//!
//! Each stage is prepared only when the one before has failed to cut. Which source counts how much is a parameter.

use crate::history::{Context, Histories, Killers};
use crate::position::{CheckInfo, Position, is_quiet, pack};
use crate::score::Score;
use crate::see;
use arrayvec::ArrayVec;
use shakmaty::{Move, MoveList};

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

/// A move with its place in the order.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    /// The move.
    pub mv: Move,
    /// The higher the earlier, within its stage.
    pub score: i32,
}

/// What the picker hands out.
#[derive(Clone, Copy, Debug)]
pub struct Picked {
    /// The move.
    pub mv: Move,
    /// Where it came from.
    pub stage: Stage,
    /// Its ordering score within the stage.
    pub score: i32,
}

const MOVES_MAX: usize = 256;
type List = ArrayVec<Scored, MOVES_MAX>;

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
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Table,
    Generate,
    GoodNoisy,
    ScoreQuiets,
    Quiets,
    BadNoisy,
    Done,
}

/// Hands out the legal moves of one node, best first.
pub struct Picker {
    step: Step,
    table_move: Option<Move>,
    legal: Option<MoveList>,
    quiet_facts: Option<QuietFacts>,
    noisy: List,
    quiets: List,
    bad: List,
    next_bad: usize,
    with_quiets: bool,
}

impl Picker {
    /// All moves. `legal` may carry the moves if they have been generated already.
    pub fn all(table_move: Option<Move>, legal: Option<MoveList>, facts: QuietFacts) -> Picker {
        Picker::new(table_move, legal, Some(facts), true)
    }

    /// Captures and queen promotions only.
    pub fn noisy(table_move: Option<Move>) -> Picker {
        Picker::new(table_move.filter(|&mv| !is_quiet(mv)), None, None, false)
    }

    fn new(
        table_move: Option<Move>,
        legal: Option<MoveList>,
        quiet_facts: Option<QuietFacts>,
        with_quiets: bool,
    ) -> Picker {
        let step = if table_move.is_some() { Step::Table } else { Step::Generate };
        let (noisy, quiets, bad) = (List::new(), List::new(), List::new());
        Picker { step, table_move, legal, quiet_facts, noisy, quiets, bad, next_bad: 0, with_quiets }
    }

    /// Hands out no more quiet moves.
    pub fn skip_quiets(&mut self) {
        self.with_quiets = false;
    }

    /// The next move.
    #[inline]
    pub fn next(&mut self, sources: Sources<'_>) -> Option<Picked> {
        loop {
            match self.step {
                Step::Table => {
                    self.step = Step::Generate;
                    let mv = self.table_move?;
                    return Some(Picked { mv, stage: Stage::Table, score: 0 });
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
                    if self.with_quiets {
                        self.score_quiets(sources);
                    }
                    self.step = Step::Quiets;
                }
                Step::Quiets => match self.with_quiets.then(|| take_best(&mut self.quiets)).flatten() {
                    Some(Scored { mv, score }) => return Some(Picked { mv, stage: Stage::Quiet, score }),
                    None => self.step = Step::BadNoisy,
                },
                Step::BadNoisy => {
                    if let Some(&Scored { mv, score }) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        return Some(Picked { mv, stage: Stage::BadNoisy, score });
                    }
                    self.step = Step::Done;
                }
                Step::Done => return None,
            }
        }
    }

    fn generate(&mut self, sources: Sources<'_>) {
        let legal = self.legal.take().unwrap_or_else(|| sources.position.legal_moves());
        for mv in legal {
            if Some(mv) == self.table_move {
                continue;
            }
            if !is_quiet(mv) {
                self.noisy.push(Scored { mv, score: noisy_score(sources, mv) });
            } else if self.with_quiets {
                self.quiets.push(Scored { mv, score: 0 });
            }
        }
    }

    fn good_noisy(&mut self, sources: Sources<'_>) -> Option<Picked> {
        while let Some(scored) = take_best(&mut self.noisy) {
            let history = sources.histories.capture(sources.position.turn(), scored.mv);
            let threshold = Score(-sources.weights.good_margin - history / sources.weights.good_divisor);
            if sources.position.see_ge(scored.mv, threshold) {
                return Some(Picked { mv: scored.mv, stage: Stage::GoodNoisy, score: scored.score });
            }
            self.bad.push(scored);
        }
        None
    }

    fn score_quiets(&mut self, sources: Sources<'_>) {
        let Some(facts) = self.quiet_facts else { return };
        let checks = (sources.weights.check > 0).then(|| sources.position.check_info());
        for scored in &mut self.quiets {
            scored.score = quiet_score(sources, &facts, scored.mv) + check_score(sources, checks.as_ref(), scored.mv);
        }
    }
}

fn take_best(list: &mut List) -> Option<Scored> {
    let mut best = 0;
    let mut best_score = list.first()?.score;
    for (index, scored) in list.iter().enumerate().skip(1) {
        if scored.score > best_score {
            best = index;
            best_score = scored.score;
        }
    }
    Some(list.swap_remove(best))
}

/// Order of captures and promotions: what is won, and how such captures fared.
fn noisy_score(sources: Sources<'_>, mv: Move) -> i32 {
    see::gain(mv) * sources.weights.victim / VICTIM_UNIT + sources.histories.capture(sources.position.turn(), mv)
}

/// How a quiet move fared elsewhere: the weighted sum of all histories, without killers and countermove.
pub fn quiet_history(histories: &Histories, weights: &Params, context: &Context, mv: Move) -> i32 {
    let turn = context.turn;
    let [one, two, four] = context.before;
    let sum = histories.butterfly(turn, mv) * weights.butterfly
        + histories.continuation(one, turn, mv) * weights.continuation_1
        + histories.continuation(two, turn, mv) * weights.continuation_2
        + histories.continuation(four, turn, mv) * weights.continuation_4
        + histories.pawn(context, mv) * weights.pawn;
    sum / WEIGHT_UNIT
}

fn quiet_score(sources: Sources<'_>, facts: &QuietFacts, mv: Move) -> i32 {
    let weights = sources.weights;
    let packed = pack(mv);
    let special = match facts.killers.slot(packed) {
        Some(0) => weights.killer_1,
        Some(_) => weights.killer_2,
        None if packed == facts.counter => weights.counter,
        None => 0,
    };
    special + quiet_history(sources.histories, weights, &facts.context, mv)
}

fn check_score(sources: Sources<'_>, checks: Option<&CheckInfo>, mv: Move) -> i32 {
    match checks {
        Some(info) if sources.position.gives_check(info, mv) && sources.position.see_ge(mv, Score::ZERO) => {
            sources.weights.check
        }
        _ => 0,
    }
}
