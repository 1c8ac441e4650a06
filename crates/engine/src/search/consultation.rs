//! Consultation: two voters that evaluate positions differently search one position in turn, and the move of one is chosen.
//!
//! Each voter runs a separate iterative deepening. Evaluation, corrections, histories and table entries are not shared, because
//! voters that learn from each other make the same errors. The voter with the fewest nodes searches next; after each iteration
//! one of their best moves is chosen. Voters overlook different things. In Shogi, players made from one program by random numbers
//! in its evaluation gain strength by a majority vote (Obata, Sugiyama, Hoki & Ito 2010), and more by choosing the highest value,
//! the optimistic selection (Sugiyama, Obata, Hoki & Ito 2010), which is used here; there they search in parallel, here they
//! share the time. Random numbers, a third voter and the majority vote solved fewer problems here than two voters that weigh king
//! danger differently (`docs/consultation.md`).

use super::Searcher;
use super::root::RootMove;
use super::watch::Mode;
use crate::clock::Limits;
use crate::correction::Corrections;
use crate::eval;
use crate::history::Histories;
use crate::ordering::extras::Extras;
use crate::position::Position;
use crate::report::SearchReport;
use crate::rules::search::Search as _;
use crate::score::{Depth, Score};
use crate::whole::SPREAD;
use shakmaty::Move;

crate::params! {
    /// two voters search in turn, if one line is requested
    on = false;
    /// weight of king danger in the evaluation of the second voter, relative to the first (percent)
    danger = 40 in 0..=400 by 5;
    /// nodes of the first voter before the second begins (1000 nodes)
    after = 10 in 0..=1000 by 10;
    /// bonus for each ply of depth in the selection of a voter (pawns/100)
    depth_bonus = 30 in 0..=200 by 5;
    /// share of the first iteration's value that is subtracted in the selection; 100 compares the rise of the values (percent)
    rise = 0 in 0..=100 by 5;
    /// bonus for each iteration without a change of the move, up to twelve, in the selection of a voter (pawns/100)
    held_bonus = 0 in 0..=100 by 2;
}

/// Number of voters.
const VOTERS: usize = 2;
const PERCENT: i32 = 100;
const THOUSAND: u64 = 1000;
/// Iterations after which a voter's unchanged move gains no more confidence.
const HELD_MAX: i32 = 12;

/// A voter with its separate state. The root moves and the depth of the active voter are stored in the searcher.
#[derive(Default)]
struct Voter {
    evaluation: eval::Params,
    /// Mixed into its keys to separate them from those of other voters; 0 for the first.
    key_salt: u64,
    root_moves: Vec<RootMove>,
    root_depth: Depth,
    nodes: u64,
    /// True after its last iteration.
    finished: bool,
    /// The value of its first iteration.
    first: Score,
    /// Number of consecutive iterations, up to the last, with the same best move.
    held: i32,
    /// The result of its last iteration.
    found: Option<SearchReport>,
}

impl Voter {
    fn best(&self) -> Option<Move> {
        self.found.as_ref().and_then(|report| report.line.first().copied())
    }

    /// The rating of its move in the selection.
    fn worth(&self, p: &Params) -> i32 {
        let Some(found) = &self.found else { return i32::MIN };
        let start = self.first.0 * p.rise / PERCENT;
        found.score.0 - start + p.depth_bonus * found.depth as i32 + p.held_bonus * self.held.min(HELD_MAX)
    }
}

/// The learned data of a further voter, kept between searches. While it is active, this field holds the data of the first voter.
#[derive(Default)]
pub(crate) struct VoterState {
    corrections: Corrections,
    histories: Histories,
    extras: Option<Box<Extras>>,
}

/// The voters of a search: one if consultation is off.
pub(super) struct Consultation {
    params: Params,
    voters: Vec<Voter>,
    /// The active voter.
    active: usize,
    /// The voter whose move is chosen.
    chosen: usize,
}

impl Consultation {
    /// The next active voter: of those that may continue, the one with the fewest nodes.
    fn next(&self) -> Option<usize> {
        let first = &self.voters[0];
        let others_begin = first.finished || first.nodes >= self.params.after as u64 * THOUSAND;
        let may = |&at: &usize| !self.voters[at].finished && (at == 0 || others_begin);
        (0..self.voters.len()).filter(may).min_by_key(|&at| self.voters[at].nodes)
    }

    /// The voter whose move is chosen, of those that have found one; of equals the earliest.
    fn choose(&self) -> usize {
        let with_result = (0..self.voters.len()).rev().filter(|&at| self.voters[at].found.is_some());
        with_result.max_by_key(|&at| self.voters[at].worth(&self.params)).unwrap_or(0)
    }

    /// Returns true if the active voter proposed the chosen move.
    pub(super) fn active_is_chosen(&self) -> bool {
        self.active == self.chosen
    }

    /// Stores the finished iteration of the active voter, and returns the result of the voter that is chosen now.
    pub(super) fn record(&mut self, found: SearchReport) -> SearchReport {
        let own = found.clone();
        let voter = &mut self.voters[self.active];
        if voter.found.is_none() {
            voter.first = found.score;
        }
        voter.held = if voter.best() == found.line.first().copied() { voter.held + 1 } else { 1 };
        voter.found = Some(found);
        self.chosen = self.choose();
        let chosen = self.voters[self.chosen].found.as_ref().unwrap_or(&own);
        SearchReport { nodes: own.nodes, time: own.time, hashfull: own.hashfull, tbhits: own.tbhits, ..chosen.clone() }
    }

    /// The active voter has finished its search.
    pub(super) fn finish(&mut self) {
        self.voters[self.active].finished = true;
    }

    /// The position as the active voter searches it.
    pub(super) fn position(&self, position: &Position) -> Position {
        let mut salted = position.clone();
        salted.salt_key(self.voters[self.active].key_salt);
        salted
    }
}

impl<M: Mode> Searcher<M> {
    /// The voters of the position whose root moves are prepared.
    pub(super) fn consult(&mut self, limits: &Limits) -> Consultation {
        let params = self.params().consultation;
        let several = params.on && limits.lines <= 1 && !self.is_scripted();
        let count = if several { VOTERS } else { 1 };
        let mut evaluation = self.params().evaluation;
        let mut voters = Vec::with_capacity(count);
        for at in 0..count {
            if at > 0 {
                evaluation.king_danger = evaluation.king_danger * params.danger / PERCENT;
            }
            voters.push(Voter {
                evaluation,
                key_salt: SPREAD.wrapping_mul(at as u64),
                root_moves: if at > 0 { self.root_moves.clone() } else { Vec::new() },
                ..Voter::default()
            });
        }
        while self.inactive_voters.len() + 1 < count {
            self.inactive_voters
                .push(VoterState { extras: Extras::of(self.params().extras()), ..VoterState::default() });
        }
        self.inactive_voters.iter_mut().filter_map(|learnt| learnt.extras.as_mut()).for_each(|extras| extras.begin());
        Consultation { params, voters, active: 0, chosen: 0 }
    }

    /// Activates the next voter; `None` when all have finished.
    pub(super) fn next_voter(&mut self, consultation: &mut Consultation) -> Option<()> {
        let to = consultation.next()?;
        self.activate(consultation, to);
        self.muted = !consultation.active_is_chosen();
        Some(())
    }

    /// Adds the nodes of the active voter.
    pub(super) fn count_voter_nodes(&self, consultation: &mut Consultation) {
        consultation.voters[consultation.active].nodes = self.nodes - self.other_voter_nodes;
    }

    /// Activates the first voter, whose parameters are those that were set.
    pub(super) fn end_consultation(&mut self, mut consultation: Consultation) {
        self.activate(&mut consultation, 0);
        self.keys.truncate(self.root_keys);
        self.muted = false;
    }

    fn activate(&mut self, consultation: &mut Consultation, to: usize) {
        let from = consultation.active;
        if from == to {
            return;
        }
        for at in [from, to] {
            self.exchange(&mut consultation.voters[at], at);
        }
        let change = consultation.voters[from].key_salt ^ consultation.voters[to].key_salt;
        self.keys.truncate(self.root_keys);
        self.keys.iter_mut().for_each(|key| *key ^= change);
        let voter = &consultation.voters[to];
        self.other_voter_nodes = self.nodes - voter.nodes;
        self.parameters.evaluation = voter.evaluation;
        self.evaluator.set(&self.parameters.evaluation_choice());
        (consultation.active, self.voter) = (to, to);
    }

    /// Exchanges a voter's state with that of the searcher.
    fn exchange(&mut self, voter: &mut Voter, at: usize) {
        use std::mem::swap;
        swap(&mut self.root_moves, &mut voter.root_moves);
        swap(&mut self.root_depth, &mut voter.root_depth);
        if let Some(at) = at.checked_sub(1) {
            let learnt = &mut self.inactive_voters[at];
            swap(&mut self.corrections, &mut learnt.corrections);
            swap(&mut self.histories, &mut learnt.histories);
            swap(&mut self.orders.extras, &mut learnt.extras);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::params::{ParameterKind, Parameters};
    use crate::position::Game;
    use crate::report::ProgressEvent;
    use crate::score::Bound;
    use crate::testing::{self, game};
    use std::ops::ControlFlow;

    const POSITIONS: [&str; 4] = [
        "r1bq1rk1/pp3ppp/2nbpn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 10",
        "r2q1rk1/1b2bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 2 13",
        "2rq1rk1/pb1nbppp/1p2p3/3pP3/3P1P2/1PNB4/P5PP/R1BQ1RK1 w - - 0 14",
        "r3r1k1/pp3pbp/1qp1b1p1/2B5/2BP4/Q1n2N2/P4PPP/3R1K1R w - - 4 18",
    ];

    fn searcher(change: impl Fn(&mut Parameters)) -> Searcher<()> {
        let mut parameters = Parameters::default();
        parameters.consultation.on = true;
        parameters.consultation.after = 0;
        change(&mut parameters);
        testing::searcher(parameters)
    }

    /// The reported events of a search: each best move, and each line with its value and its nodes.
    fn reported_events(s: &mut Searcher<()>, game: &Game, limits: &Limits) -> Vec<String> {
        let mut events = Vec::new();
        let outcome = s.think(game, limits, Clock::unlimited(), &mut |event| {
            match event {
                ProgressEvent::Best { mv, nodes, .. } => events.push(format!("best {mv} {nodes}")),
                ProgressEvent::Iteration([r, ..]) => events.push(format!("{} {} {:?}", r.score.0, r.nodes, r.line)),
                _ => {}
            }
            ControlFlow::Continue(())
        });
        events.push(format!("{:?}", outcome.best));
        events
    }

    /// The result of a voter: the number of its move, its first value, its value and its depth.
    type VoterResult = (usize, i32, i32, u32);

    /// Voters with these node counts and results.
    fn voters(params: Params, have: &[(u64, Option<VoterResult>)]) -> Consultation {
        let start = game(POSITIONS[0]);
        let moves = start.position().legal_moves();
        let voters = have.iter().map(|&(nodes, found)| Voter {
            nodes,
            first: Score(found.map_or(0, |found| found.1)),
            found: found.map(|(mv, _, score, depth)| testing::report(moves[mv], Score(score), Bound::Exact, depth)),
            ..Voter::default()
        });
        Consultation { params, voters: voters.collect(), active: 0, chosen: 0 }
    }

    #[test]
    fn the_voter_with_the_fewest_nodes_continues_once_the_second_may_begin() {
        let p = Params { after: 10, ..Params::DEFAULT };
        let next = |first: u64, second: u64| voters(p, &[(first, None), (second, None)]).next();
        assert_eq!(next(9_999, 0), Some(0), "too early for the second");
        assert_eq!(next(10_000, 0), Some(1));
        assert_eq!(next(10_000, 9_999), Some(1));
        assert_eq!(next(10_000, 10_001), Some(0));
        let mut early = voters(p, &[(100, None), (0, None)]);
        early.finish();
        assert_eq!(early.next(), Some(1), "who goes no deeper holds nobody up");
        early.active = 1;
        early.finish();
        assert_eq!(early.next(), None);
    }

    #[test]
    fn the_choice_is_by_value_depth_or_rise_as_configured() {
        let usual = Params { depth_bonus: 0, rise: 0, held_bonus: 0, ..Params::DEFAULT };
        let choose = |p: Params, found: &[VoterResult]| {
            let have: Vec<_> = found.iter().map(|&found| (1, Some(found))).collect();
            voters(p, &have).choose()
        };
        assert_eq!(choose(usual, &[(0, 0, 30, 9), (1, 0, 31, 8)]), 1, "the highest value");
        assert_eq!(choose(usual, &[(0, 0, 31, 9), (1, 0, 31, 9)]), 0, "of equals the first");
        let by_depth = Params { depth_bonus: 20, ..usual };
        assert_eq!(choose(by_depth, &[(0, 0, 30, 9), (1, 0, 49, 8)]), 0, "a ply is worth more than the 19 it lacks");
        assert_eq!(choose(by_depth, &[(0, 0, 30, 9), (1, 0, 51, 8)]), 1);
        let by_rise = Params { rise: 100, ..usual };
        assert_eq!(choose(by_rise, &[(0, 10, 90, 9), (1, -80, 10, 9)]), 1, "rose by 90, not by 80");
        let half = Params { rise: 50, ..usual };
        assert_eq!(choose(half, &[(0, 10, 60, 9), (1, -80, 10, 9)]), 0, "55 against 50");
        assert_eq!(choose(half, &[(0, 10, 54, 9), (1, -80, 10, 9)]), 1, "49 against 50");
        assert_eq!(voters(usual, &[(1, Some((0, 0, -500, 9))), (1, None)]).choose(), 0, "who found nothing has no say");
    }

    #[test]
    fn a_move_that_is_held_counts_for_more_up_to_a_limit() {
        let p = Params { depth_bonus: 0, rise: 0, held_bonus: 10, ..Params::DEFAULT };
        let other = |c: &Consultation| 1 - c.active;
        let mut c = voters(p, &[(1, Some((0, 0, 30, 9))), (1, Some((1, 0, 45, 9)))]);
        let report = |c: &Consultation, at: usize| c.voters[at].found.clone().expect("a report");
        // Without this term, the second would be chosen throughout.
        let (first, second) = (report(&c, 0), report(&c, 1));
        c.record(first.clone());
        assert_eq!((c.voters[0].held, c.chosen), (1, 1), "40 against 45");
        c.record(first.clone());
        assert_eq!((c.voters[0].held, c.chosen), (2, 0), "50 against 45");
        c.active = other(&c);
        c.record(second.clone());
        assert_eq!((c.voters[1].held, c.chosen), (1, 1), "50 against 55");
        c.active = other(&c);
        for _ in 0..40 {
            c.record(first.clone());
        }
        assert_eq!(c.chosen, 0);
        c.record(SearchReport { line: second.line.clone(), ..first.clone() });
        assert_eq!((c.voters[0].held, c.chosen), (1, 1), "another move resets the count: 40 against 55");
        let most = |lead: i32| {
            let mut c = voters(p, &[(1, Some((0, 0, 0, 9))), (1, Some((1, 0, lead, 9)))]);
            c.voters[0].held = 12;
            let once = c.choose();
            c.voters[0].held = 40;
            (once, c.choose())
        };
        assert_eq!((most(119), most(121)), ((0, 0), (1, 1)), "twelve times at most");
    }

    #[test]
    fn the_announced_move_is_the_chosen_one() {
        let mut changes = 0;
        for fen in POSITIONS {
            let mut best = None;
            searcher(|_| ()).think(&game(fen), &Limits::nodes(30_000), Clock::unlimited(), &mut |event| {
                match event {
                    ProgressEvent::Best { mv, .. } => (best, changes) = (Some(*mv), changes + 1),
                    ProgressEvent::Iteration([report, ..]) => {
                        assert_eq!(report.line.first().copied(), best, "{fen}: {report:?}");
                    }
                    _ => {}
                }
                ControlFlow::Continue(())
            });
        }
        assert!(changes > POSITIONS.len(), "{changes}");
    }

    #[test]
    fn a_consultation_leaves_the_searcher_as_it_was_set() {
        let mut s = searcher(|_| ());
        let start = game(POSITIONS[1]);
        let (before, value) = (s.params().clone(), s.evaluate(start.position()));
        for limit in [500, 3001, 20_000] {
            reported_events(&mut s, &start, &Limits::nodes(limit));
            assert_eq!((s.params(), s.voter, s.muted), (&before, 0, false), "{limit}");
            assert_eq!(s.keys.first(), start.keys().first(), "{limit}");
            assert_eq!(s.evaluate(start.position()), value, "{limit}");
        }
        assert_eq!(s.inactive_voters.len(), 1);
        s.new_game();
        assert!(s.inactive_voters.is_empty());
    }

    #[test]
    fn a_consultation_repeats_exactly() {
        for fen in POSITIONS {
            let run = || {
                let mut s = searcher(|_| ());
                let first = reported_events(&mut s, &game(fen), &Limits::nodes(12_000));
                (first, reported_events(&mut s, &game(fen), &Limits::nodes(12_000)))
            };
            assert_eq!(run(), run(), "{fen}");
        }
    }

    #[test]
    fn the_first_voter_alone_equals_a_search_without_consultation() {
        let late = |p: &mut Parameters| p.consultation.after = 1000;
        let off = |p: &mut Parameters| p.consultation.on = false;
        for fen in POSITIONS {
            let alone = reported_events(&mut searcher(off), &game(fen), &Limits::nodes(9000));
            assert_eq!(reported_events(&mut searcher(late), &game(fen), &Limits::nodes(9000)), alone, "{fen}");
            let lines = Limits { lines: 3, ..Limits::nodes(9000) };
            let several = reported_events(&mut searcher(off), &game(fen), &lines);
            let consulted = reported_events(&mut searcher(|_| ()), &game(fen), &lines);
            assert_eq!(consulted, several, "{fen}: searches of three lines do not consult");
        }
    }

    #[test]
    fn voters_share_the_nodes_and_reach_the_requested_depth() {
        let mut s = searcher(|_| ());
        let limits = Limits::depth(6);
        let start = game(POSITIONS[2]);
        s.begin(&start, &limits, Clock::unlimited());
        let mut consultation = s.consult(&limits);
        let mut iterations = [0; VOTERS];
        while s.next_voter(&mut consultation).is_some() {
            let Some(budget) = s.next_budget(&limits) else {
                consultation.finish();
                continue;
            };
            s.root_depth = budget;
            let position = consultation.position(start.position());
            assert_eq!(position.key() == start.position().key(), s.voter == 0, "voters do not meet in the table");
            s.iteration(&position, &limits, &mut |_| ControlFlow::Continue(())).expect("nothing stops it");
            s.count_voter_nodes(&mut consultation);
            iterations[s.voter] += 1;
        }
        assert_eq!(iterations, [6; VOTERS]);
        assert_eq!(consultation.voters.iter().map(|voter| voter.nodes).sum::<u64>(), s.nodes);
    }

    #[test]
    fn every_parameter_of_a_consultation_is_felt() {
        const NODES: u64 = 40_000;
        let contexts: [fn(&mut Parameters); 2] = [|_| (), |p| p.consultation.rise = 100];
        let reports = |name: &str, value: Option<i32>, context: fn(&mut Parameters)| {
            POSITIONS.map(|fen| {
                let set = |p: &mut Parameters| {
                    context(p);
                    if let Some(value) = value {
                        p.set(name, value).expect("within its range");
                    }
                };
                reported_events(&mut searcher(set), &game(fen), &Limits::nodes(NODES))
            })
        };
        let usual = contexts.map(|context| reports("", None, context));
        for spec in Params::SPECS {
            let name = format!("consultation.{}", spec.name);
            let ends = if spec.kind == ParameterKind::Switch { vec![0, 1] } else { vec![spec.min, spec.max] };
            let felt = contexts
                .iter()
                .zip(&usual)
                .any(|(context, usual)| ends.iter().any(|&end| reports(&name, Some(end), *context) != *usual));
            assert!(felt, "{name}");
        }
    }
}
