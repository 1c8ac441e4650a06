//! The staged move picker: table move, good captures, quiet moves by killers and histories, bad captures.
//!
//! A stage is prepared only when the moves of the stages before it did not cut. The weight of each source is a
//! parameter.

use crate::history::{Context, Histories, Killers, QuietWeights};
pub(crate) use crate::history::{butterfly, continuation, pawn_history};
use crate::movegen::Generator;
pub use crate::node::Stage;
use crate::position::{CheckInfo, MOVES_MAX, Position, is_quiet, pack};
use crate::quiet_scores::QuietScores;
use crate::score::{Ply, Score};
use crate::see::Exchange;
use crate::source::sources;
use crate::table::Table;
use crate::tree::{Script, Tree};
use arrayvec::ArrayVec;
use extras::{Extras, MoveSet};
use lesser_attackers::Cheaper;
use ranks::{List, Ranks, SCORE_SHIFT};
use shakmaty::{Bitboard, Move};

pub mod capture_history;
pub mod chessmaps;
pub mod classic_history;
pub mod countermove;
pub mod exchange_order;
pub(crate) mod extras;
pub mod guard;
pub mod killers;
pub mod last_best_reply;
pub mod last_moved;
pub mod lesser_attackers;
pub mod losing_captures;
pub mod low_ply_history;
pub mod mate_killers;
pub mod move_map;
pub mod mvv_lva;
pub mod network;
pub mod node_type;
pub mod occurrence;
pub mod piece_square;
pub mod quiescence_order;
pub mod quiet_checks;
mod ranks;
pub mod refutation_table;
pub mod relative_history;
pub mod root_oracle;
pub mod root_order;
pub mod sources;
pub mod table_move;
#[cfg(test)]
pub(crate) mod testing;
pub mod threat_move;

macro_rules! ordering {
    (
        tables { $($tables:tt)* }
        bonuses { $($Bonus:ident $bonus:ident;)* }
        stages { $($Stage:ident $stage:ident;)* }
        learners { $($learners:tt)* } extras { $($extras:tt)* }
    ) => {
        /// The parameters of the sources in force: a table or bonus that is switched off has weight 0.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Weights {
            /// Those of the tables of quiet moves.
            pub quiet: QuietWeights,
            $(#[doc = concat!("Those of `", stringify!($bonus), "`.")] pub $bonus: $bonus::Params,)*
            $(#[doc = concat!("Those of `", stringify!($stage), "`.")] pub $stage: $stage::Params,)*
        }

        /// The sum of all bonuses of a quiet move.
        #[inline(always)]
        fn bonuses(sources: Sources<'_>, facts: &QuietFacts, quiet: &Quiet<'_>) -> i32 {
            0 $(+ $bonus::bonus(sources, facts, quiet))*
        }
    };
}

sources!(ordering);

/// The unit of the weights of captures.
const NOISY_UNIT: i32 = 16;

/// The settings of move ordering, derived from the parameters once.
pub struct Orders {
    /// The weights of tables, bonuses and stages.
    pub weights: Weights,
    /// The sources of the second pass; `None` if all of them are off.
    pub(crate) extras: Option<Box<Extras>>,
}

impl Orders {
    /// The settings for these parameters, with empty tables.
    pub fn of(weights: Weights, extras: extras::Params) -> Orders {
        Orders { weights, extras: Extras::of(extras) }
    }

    /// The squares that the opponent attacks, if the butterfly history has separate counters for them.
    #[inline(always)]
    pub(crate) fn threatened(&self, position: &Position) -> Bitboard {
        if self.weights.quiet.butterfly.threats { position.attacked() } else { Bitboard::EMPTY }
    }

    /// Replaces the parameters.
    pub(crate) fn change(&mut self, weights: Weights, extras: extras::Params) {
        *self = Orders { weights, extras: Extras::change(self.extras.take(), extras) };
    }
}

/// The move that the bonus sources score.
struct Quiet<'a> {
    mv: Move,
    /// The same, packed.
    packed: u16,
    gives_check: bool,
    /// The squares that cheaper pieces attack, by the role of the attacked piece.
    cheaper: &'a Cheaper,
}

/// A move that the picker returns.
#[derive(Clone, Copy, Debug)]
pub struct PickedMove {
    /// The move.
    pub mv: Move,
    /// The stage that returned it.
    pub stage: Stage,
    /// True if it gives check.
    pub gives_check: bool,
    /// The static exchange test of a noisy move: its threshold and its result.
    pub tested: Option<(Score, bool)>,
    /// The rank of the move, as the picker packs it.
    rank: i32,
}

impl PickedMove {
    /// A move that does not come from a ranked list.
    pub(crate) const fn plain(mv: Move, stage: Stage, gives_check: bool) -> PickedMove {
        PickedMove { mv, stage, gives_check, tested: None, rank: 0 }
    }

    /// The ordering score of the move within its stage; meaningless for the table move.
    pub fn score(&self) -> i32 {
        self.rank >> SCORE_SHIFT
    }

    /// Returns true if the move's exchange value is at least `threshold`. The result of an earlier test is reused.
    #[inline(always)]
    pub fn see_ge(&self, position: &Position, threshold: Score) -> bool {
        Exchange::known(self.tested).reaches(position, self.mv, threshold)
    }
}

/// The facts of one node about its quiet moves.
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
    /// The settings of move ordering.
    pub orders: &'a Orders,
    /// Distance from the root.
    pub ply: Ply,
    /// The position to move in.
    pub position: &'a Position,
    /// Data to test whether a move gives check.
    pub checks: &'a CheckInfo,
    /// The table that the search will probe for the positions after the moves. Its slots are prefetched when noisy moves are ranked and
    /// when quiet moves are returned; the caller that makes the picker prefetches for the table's move.
    pub table: &'a Table,
    /// The quiet scores that replace histories in the order of quiet moves, if there are any.
    pub quiet_scores: Option<&'a QuietScores>,
}

impl Sources<'_> {
    /// The weighted capture history of a noisy move (counts).
    #[inline(always)]
    fn capture_history(&self, mv: Move) -> i32 {
        self.histories.captures.count(self.position.turn(), mv) * self.orders.weights.capture_history.weight
            / NOISY_UNIT
    }
}

/// Which moves a picker returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MoveFilter {
    All,
    /// Captures, queen promotions and quiet checks.
    NoisyAndChecks,
    Noisy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PickerStep {
    Table,
    Generate,
    GoodNoisy,
    /// Before the other quiet moves are generated, if the parameters say so.
    Killers,
    /// Before the quiet moves, if the parameters say so.
    EarlyBadNoisy,
    GenerateQuiets,
    Quiets,
    BadNoisy,
}

/// Returns the legal moves of one node, best first.
#[derive(Clone)]
pub struct Picker {
    step: PickerStep,
    filter: MoveFilter,
    table_move: Option<Move>,
    quiet_facts: Option<QuietFacts>,
    /// First the noisy moves, then the quiet ones as well.
    list: List,
    /// Ranks and failed exchange thresholds of delayed noisy moves.
    bad: ArrayVec<(i32, Score), MOVES_MAX>,
    next_bad: usize,
    /// True if losing noisy moves are delayed.
    delays_losing: bool,
    /// Killers that were returned, or do not exist here, before the other quiet moves.
    killers_tried: usize,
}

impl Picker {
    /// All moves.
    #[inline(always)]
    pub fn all(table_move: Option<Move>, facts: QuietFacts) -> Picker {
        Picker::new(table_move, Some(facts), MoveFilter::All)
    }

    /// Captures and queen promotions only.
    #[inline(always)]
    pub fn noisy(table_move: Option<Move>) -> Picker {
        Picker::new(table_move.filter(|&mv| !is_quiet(mv)), None, MoveFilter::Noisy)
    }

    /// Captures, queen promotions, and quiet checks in no particular order.
    #[inline(always)]
    pub fn noisy_and_checks(table_move: Option<Move>) -> Picker {
        Picker::new(table_move.filter(|&mv| !is_quiet(mv)), None, MoveFilter::NoisyAndChecks)
    }

    #[inline(always)]
    fn new(table_move: Option<Move>, quiet_facts: Option<QuietFacts>, filter: MoveFilter) -> Picker {
        Picker {
            step: if table_move.is_some() { PickerStep::Table } else { PickerStep::Generate },
            filter,
            table_move,
            quiet_facts,
            list: List::default(),
            bad: ArrayVec::new(),
            next_bad: 0,
            delays_losing: true,
            killers_tried: 0,
        }
    }

    /// Does not delay losing noisy moves.
    pub fn without_delays(self) -> Picker {
        Picker { delays_losing: false, ..self }
    }

    /// Skips remaining quiet moves.
    pub fn skip_quiets(&mut self) {
        self.filter = MoveFilter::Noisy;
    }

    /// Skips remaining quiet moves that do not give check.
    pub fn skip_quiets_but_checks(&mut self) {
        self.filter = MoveFilter::NoisyAndChecks;
        self.list.keep_checks();
    }

    /// The next move; `None` after the last one. The moves are all legal ones, or those of the model tree.
    #[inline]
    pub fn next(&mut self, sources: Sources<'_>, tree: &impl Tree) -> Option<PickedMove> {
        loop {
            match self.step {
                PickerStep::Table => {
                    self.step = PickerStep::Generate;
                    let mv = self.table_move?;
                    let gives_check = sources.position.gives_check(sources.checks, mv);
                    return Some(PickedMove { mv, stage: Stage::Table, gives_check, tested: None, rank: 0 });
                }
                PickerStep::Generate => {
                    self.noisy_moves(sources, tree);
                    self.step = PickerStep::GoodNoisy;
                }
                PickerStep::GoodNoisy => match self.good_noisy(sources) {
                    Some(picked) => return Some(picked),
                    None if killers_first(&sources.orders.weights) => self.step = PickerStep::Killers,
                    None => self.step = after_killers(&sources.orders.weights),
                },
                PickerStep::Killers => match self.killer(sources, tree) {
                    Some(picked) => return Some(picked),
                    None => self.step = after_killers(&sources.orders.weights),
                },
                PickerStep::EarlyBadNoisy => match self.bad_noisy() {
                    Some(picked) => return Some(picked),
                    None => self.step = PickerStep::GenerateQuiets,
                },
                PickerStep::GenerateQuiets => {
                    self.quiet_moves(sources, tree);
                    self.step = PickerStep::Quiets;
                }
                PickerStep::Quiets => {
                    if self.filter != MoveFilter::Noisy
                        && let Some(rank) = self.list.take_best()
                    {
                        let picked = self.list.picked(rank, Stage::Quiet);
                        sources.table.prefetch(sources.position.key_hint(picked.mv));
                        return Some(picked);
                    }
                    self.step = PickerStep::BadNoisy;
                }
                PickerStep::BadNoisy => return self.bad_noisy(),
            }
        }
    }

    #[inline(never)]
    fn noisy_moves(&mut self, sources: Sources<'_>, tree: &impl Tree) {
        let Picker { list, table_move, .. } = self;
        match tree.script() {
            None => Generator::new(sources.position).noisy(&mut |mv| list.moves.push(mv)),
            Some(script) => list.moves.extend(backwards(script).filter(|&mv| !is_quiet(mv))),
        }
        for place in list.unranked() {
            let mv = list.moves[place];
            if Some(mv) == *table_move {
                list.skip_unranked();
            } else {
                sources.table.prefetch(sources.position.key_hint(mv));
                list.rank(noisy_score(sources, mv), sources.position.gives_check(sources.checks, mv));
            }
        }
        if let Some(extras) = &sources.orders.extras {
            list.rate(extras, sources, MoveSet::Noisy);
        }
    }

    fn good_noisy(&mut self, sources: Sources<'_>) -> Option<PickedMove> {
        let p = &sources.orders.weights.exchange_order;
        while let Some(rank) = self.list.take_best() {
            let picked = self.list.picked(rank, Stage::GoodNoisy);
            if exchange_order::untested(p, picked.mv) {
                return Some(picked);
            }
            let threshold = exchange_order::threshold(sources, picked.mv);
            if sources.position.see_ge(picked.mv, threshold) {
                return Some(PickedMove { tested: Some((threshold, true)), ..picked });
            }
            if !(self.delays_losing && p.on) {
                return Some(PickedMove { stage: Stage::BadNoisy, tested: Some((threshold, false)), ..picked });
            }
            self.bad.push((rank, threshold));
        }
        None
    }

    /// The next killer that exists in this position and was not returned.
    #[cold]
    fn killer(&mut self, sources: Sources<'_>, tree: &impl Tree) -> Option<PickedMove> {
        let killers = self.quiet_facts.filter(|_| self.filter == MoveFilter::All)?.killers;
        while let Some(packed) = killers.get(self.killers_tried) {
            self.killers_tried += 1;
            let known = self.table_move.is_some_and(|mv| pack(mv) == packed);
            let mv = sources.position.unpack(packed).filter(|&mv| !known && is_quiet(mv));
            let scripted = |mv: &Move| tree.has(*mv);
            if let Some(mv) = mv.filter(scripted) {
                return Some(PickedMove::plain(mv, Stage::Quiet, sources.position.gives_check(sources.checks, mv)));
            }
        }
        None
    }

    fn bad_noisy(&mut self) -> Option<PickedMove> {
        let &(rank, threshold) = self.bad.get(self.next_bad)?;
        self.next_bad += 1;
        Some(PickedMove { tested: Some((threshold, false)), ..self.list.picked(rank, Stage::BadNoisy) })
    }

    #[inline(never)]
    fn quiet_moves(&mut self, sources: Sources<'_>, tree: &impl Tree) {
        let Picker { list, table_move, .. } = self;
        list.begin_batch();
        match (self.filter, self.quiet_facts) {
            (MoveFilter::All, Some(facts)) => match (tree.script(), &sources.orders.extras) {
                (None, None) if sources.quiet_scores.is_none() => {
                    let mut ranks = Ranks::new(list, *table_move, sources, &facts);
                    Generator::new(sources.position).quiets(&mut ranks);
                }
                (script, extras) => list.quiets_with(script, extras.as_deref(), *table_move, sources, &facts),
            },
            (MoveFilter::NoisyAndChecks, _) => {
                let checks = |mv| sources.position.gives_check(sources.checks, mv);
                match tree.script() {
                    None => {
                        Generator::new(sources.position).quiet_checks(sources.checks, &mut |mv| list.moves.push(mv));
                    }
                    Some(script) => list.moves.extend(backwards(script).filter(|&mv| is_quiet(mv) && checks(mv))),
                }
                let by_history = sources.orders.weights.quiescence_order.checks_by_history;
                let turn = sources.position.turn();
                let threatened = if by_history { sources.orders.threatened(sources.position) } else { Bitboard::EMPTY };
                for place in list.unranked() {
                    let history = |mv| sources.histories.butterfly.count(turn, threatened, mv);
                    let score = if by_history { history(list.moves[place]) } else { 0 };
                    list.rank(score, true);
                }
            }
            _ => {}
        }
        if let (1.., Some(facts)) = (self.killers_tried, self.quiet_facts) {
            self.list.remove_move(|mv| facts.killers.slot(pack(mv)).is_some_and(|slot| slot < self.killers_tried));
        }
    }
}

/// Returns true if killers are returned before the other quiet moves are generated.
#[inline(always)]
fn killers_first(weights: &Weights) -> bool {
    weights.killers.first || weights.losing_captures.after_killers
}

/// The step after the good captures, or after the killers if these are returned before the other quiet moves.
#[inline(always)]
fn after_killers(weights: &Weights) -> PickerStep {
    let p = &weights.losing_captures;
    if p.on && !p.after_killers { PickerStep::GenerateQuiets } else { PickerStep::EarlyBadNoisy }
}

/// The moves of a script, the last first: of moves with equal ranks the picker returns the later one.
fn backwards(script: &Script) -> impl Iterator<Item = Move> + '_ {
    script.moves().rev()
}

/// The stage in which a picker without a table move returns `mv`.
pub(crate) fn stage_of(sources: Sources<'_>, mv: Move) -> Stage {
    if is_quiet(mv) {
        Stage::Quiet
    } else if sources.position.see_ge(mv, exchange_order::threshold(sources, mv)) {
        Stage::GoodNoisy
    } else {
        Stage::BadNoisy
    }
}

/// Ordering score of a noisy move: the weighted value that it wins, and its capture history.
fn noisy_score(sources: Sources<'_>, mv: Move) -> i32 {
    let score = mvv_lva::score(&sources.orders.weights.mvv_lva, mv) / NOISY_UNIT + sources.capture_history(mv);
    score + exchange_order::bonus(sources, mv)
}

#[cfg(test)]
mod tests {
    use super::testing::{OrderingFixture, PLY, names};
    use super::*;
    use crate::history;
    use crate::params::Parameters;
    use crate::position::pack;

    /// White can take queen and rook, and lose the queen for a pawn.
    const CAPTURES: &str = "6k1/1p3ppp/p1n5/1r1q4/4P3/2N2Q2/5PPP/3R2K1 w - - 0 1";
    /// The position with most moves.
    const MOST: &str = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1";
    /// White has a check that loses nothing and one that loses the rook.
    const CHECKS: &str = "6k1/1b6/8/8/8/8/R4PPP/1N3QK1 w - - 0 1";

    #[test]
    fn every_legal_move_comes_once_and_the_table_s_first() {
        for fen in [CAPTURES, CHECKS] {
            let fixture = OrderingFixture::new(fen);
            for table_move in [None, Some("g1h1"), Some(if fen == CAPTURES { "f3f7" } else { "a2a8" })] {
                let order = fixture.all(table_move);
                let mut found = names(&order);
                if let Some(first) = table_move {
                    assert_eq!((found[0], order[0].1), (first, Stage::Table));
                }
                assert!(order.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{order:?}");
                let legal = fixture.game.position().legal_moves();
                let mut legal: Vec<String> =
                    legal.iter().map(|mv| shakmaty::uci::UciMove::from_standard(*mv).to_string()).collect();
                found.sort_unstable();
                legal.sort_unstable();
                assert_eq!(found, legal, "{fen} {table_move:?}");
            }
        }
    }

    /// As search by interestingness requires it, whatever histories say.
    #[test]
    fn quiet_moves_come_by_the_scores_that_determine_their_costs() {
        let mut fixture = OrderingFixture::new("6k1/5ppp/8/8/8/8/N4PPP/6K1 w - - 0 1");
        let (p, context, preferred) = (history::Params::DEFAULT, fixture.facts.context, fixture.mv("g1h1"));
        (0..50).for_each(|_| fixture.histories.update_quiet(&p, &context, preferred, 400));
        assert_eq!(fixture.place("g1h1"), 0);
        let [best, second] = ["h2h4", "a2c1"].map(|uci| fixture.mv(uci));
        let position = fixture.game.position();
        let mut scores = QuietScores::default();
        for mv in position.legal_moves() {
            scores.push(mv, Score(if mv == best { 90 } else { i32::from(mv == second) * 50 }));
        }
        let checks = position.check_info();
        let OrderingFixture { histories, table, orders, .. } = &fixture;
        let quiet_scores = Some(&scores);
        let sources = Sources { histories, orders, ply: PLY, position, checks: &checks, table, quiet_scores };
        let mut picker = Picker::all(None, fixture.facts);
        let first = [best, second].map(|_| picker.next(sources, &crate::tree::Chess).map(|picked| picked.mv));
        assert_eq!(first, [Some(best), Some(second)]);
    }

    #[test]
    fn the_position_with_most_moves_has_room_in_either_pass() {
        for second_pass in [false, true] {
            let fixture = OrderingFixture::new(MOST).with(|p| p.occurrence.on = second_pass);
            assert_eq!(fixture.game.position().legal_moves().len(), MOVES_MAX);
            fixture.assert_complete();
        }
    }

    #[test]
    fn captures_come_by_victim_and_those_that_lose_come_last() {
        let fixture = OrderingFixture::new(CAPTURES);
        let order = fixture.all(None);
        let mut queens = names(&order)[..3].to_vec();
        queens.sort_unstable();
        assert_eq!(queens, ["c3d5", "d1d5", "e4d5"]);
        assert_eq!(order[3], ("c3b5".to_owned(), Stage::GoodNoisy));
        assert_eq!(order[4].1, Stage::Quiet);
        let last = order.last().expect("there are moves");
        assert_eq!((last.0.as_str(), last.1), ("f3f7", Stage::BadNoisy));
    }

    #[test]
    fn captures_that_fared_well_come_earlier_and_pass_the_test_more_easily() {
        let p = history::Params::DEFAULT;
        let mut fixture = OrderingFixture::new(CAPTURES);
        let update = |fixture: &mut OrderingFixture, uci: &str, amount: i32| {
            let mv = fixture.mv(uci);
            (0..200).for_each(|_| fixture.histories.captures.update(&p, shakmaty::Color::White, mv, amount));
        };
        update(&mut fixture, "d1d5", 40);
        assert_eq!(fixture.place("d1d5"), 0, "the best of three that take the queen");
        // Knight for rook wins 180: less than what history takes off.
        update(&mut fixture, "c3b5", -1600);
        assert_eq!(fixture.stage("c3b5"), Stage::BadNoisy);
        // A queen for a pawn is never good, a knight for a defended pawn is where history says so.
        let mut fixture = OrderingFixture::new("6k1/8/4p3/3p4/8/2N5/8/6K1 w - - 0 1");
        assert_eq!(fixture.stage("c3d5"), Stage::BadNoisy);
        update(&mut fixture, "c3d5", 1600);
        assert_eq!(fixture.stage("c3d5"), Stage::GoodNoisy);
    }

    #[test]
    fn killers_the_countermove_and_safe_checks_lead_the_quiet_moves() {
        let mut fixture = OrderingFixture::new(CHECKS);
        fixture.facts.killers.push(fixture.mv("g2g3"));
        fixture.facts.killers.push(fixture.mv("h2h3"));
        fixture.facts.counter = pack(fixture.mv("b1d2"));
        let order = fixture.all(None);
        assert_eq!(names(&order)[..4], ["h2h3", "g2g3", "b1d2", "f1c4"]);
        let p = history::Params::DEFAULT;
        let (context, mv) = (fixture.facts.context, fixture.mv("b1c3"));
        (0..20).for_each(|_| fixture.histories.update_quiet(&p, &context, mv, 300));
        assert_eq!(fixture.place("b1c3"), 3, "what fared well comes before a mere check");
        (0..400).for_each(|_| fixture.histories.update_quiet(&p, &context, mv, -300));
        assert_eq!(fixture.place("b1c3"), order.len() - 1, "and last where it fared badly");
    }

    #[test]
    fn sources_that_are_off_have_weight_zero() {
        let learnt = |change: fn(&mut Parameters)| {
            let mut fixture = OrderingFixture::new(CHECKS).with(change);
            fixture.facts.killers.push(fixture.mv("g2g3"));
            fixture.facts.killers.push(fixture.mv("h2h3"));
            fixture.facts.counter = pack(fixture.mv("b1d2"));
            fixture
        };
        let killers = learnt(|p| p.killers.on = false);
        assert_eq!(killers.place("b1d2"), 0, "then the countermove is first");
        assert!(killers.place("h2h3") > 1 && killers.place("g2g3") > 1);
        assert!(learnt(|p| p.countermove.on = false).place("b1d2") > 2);
        let mut dear = learnt(|p| p.countermove.bonus = 40_000);
        dear.facts.counter = pack(dear.mv("g2g3"));
        assert_eq!(dear.place("g2g3"), 0, "of killer and countermove the larger bonus counts");
        let noisy = learnt(|_| {}).with(|p| (p.mvv_lva.on, p.capture_history.on) = (false, false));
        assert_eq!(noisy.orders.weights.mvv_lva.victim, 0);
        let mut captures = OrderingFixture::new(CAPTURES).with(|p| p.capture_history.on = false);
        let mv = captures.mv("c3b5");
        let p = history::Params::DEFAULT;
        (0..200).for_each(|_| captures.histories.captures.update(&p, shakmaty::Color::White, mv, -1600));
        assert_eq!(captures.stage("c3b5"), Stage::GoodNoisy, "its bad history counts nothing");
    }

    #[test]
    fn quiet_moves_can_be_left_out_at_any_time() {
        let mut fixture = OrderingFixture::new(CHECKS);
        fixture.facts.counter = pack(fixture.mv("b1d2"));
        let picker = || Picker::all(None, fixture.facts);
        let without = fixture.order(picker(), 1, Picker::skip_quiets);
        assert_eq!(names(&without), ["b1d2"]);
        let checks = fixture.order(picker(), 1, Picker::skip_quiets_but_checks);
        let mut found = names(&checks)[1..].to_vec();
        found.sort_unstable();
        assert_eq!(found, ["a2a8", "f1c4"]);
        let fixture = OrderingFixture::new(CAPTURES);
        for limited in [Picker::skip_quiets, Picker::skip_quiets_but_checks] {
            let order = fixture.order(Picker::all(None, fixture.facts), 5, limited);
            assert_eq!(order[4].1, Stage::Quiet);
            assert_eq!(names(&order).last(), Some(&"f3f7"), "captures stay: {order:?}");
        }
    }

    #[test]
    fn quiescence_gets_captures_and_at_most_checks() {
        for fen in [CAPTURES, CHECKS] {
            let fixture = OrderingFixture::new(fen);
            let legal = fixture.game.position().legal_moves();
            let checks = fixture.game.position().check_info();
            for (name, with_checks) in [("noisy", false), ("noisy and checks", true)] {
                for table_move in [None, Some(fixture.mv("g1h1"))] {
                    let picker =
                        if with_checks { Picker::noisy_and_checks(table_move) } else { Picker::noisy(table_move) };
                    let order = fixture.order(picker, usize::MAX, |_| {});
                    let filter = legal.iter().filter(|mv| {
                        !is_quiet(**mv) || (with_checks && fixture.game.position().gives_check(&checks, **mv))
                    });
                    assert_eq!(order.len(), filter.count(), "{name}, {fen}, {table_move:?}: {order:?}");
                }
            }
        }
    }
}
