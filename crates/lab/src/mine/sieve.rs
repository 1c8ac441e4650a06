//! Which positions are worth keeping: searches from cheap to dear, each of which lets fewer through.

use super::{MineError, Plan, Theme};
use crate::external::UciEngine;
use crate::suite::{HASH_DEFAULT, Solver};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::report::Event;
use quarterply_engine::score::{Bound, Score};
use quarterply_engine::search::pool::{Control, Engine};
use shakmaty::{CastlingMode, Chess, Move};
use std::ops::ControlFlow;

/// Table of the shallow and deep searches in MiB; small, as it is emptied before each of them.
const QUICK_HASH: usize = 4;
/// The deep search is only made where one with this fraction of its nodes changes the move or the value.
const PROBE_DIVISOR: u64 = 10;
/// A change of value that calls for the deep search (pawns/100).
const CHANGE_MIN: Score = Score(60);
/// Where only the move changes, the probe must see the second move so much behind already (pawns/100).
const PROMISE_MIN: Score = Score(60);
/// The second move is at least so much worse (pawns/100).
const MARGIN: Score = Score(150);
/// A solution that wins is worth at least this (pawns/100).
const WINNING_MIN: Score = Score(200);
/// A move that leaves more than this wins by itself (pawns/100).
const WON_ANYWAY: Score = Score(300);
/// A solution that saves is worth at least this (pawns/100).
const SAVED_MIN: Score = Score(-50);
/// A move that leaves this or less loses (pawns/100).
const LOST_MAX: Score = Score(-200);
/// Positions worse than this by the shallow search are not looked into (pawns/100).
const HOPELESS: Score = Score(-600);
/// Positions better than this by the shallow search are not looked into (pawns/100).
const DECIDED: Score = Score(400);
/// The solution must be best from this fraction of the last search on, to its end.
const SETTLED_DIVISOR: u64 = 2;

/// A position worth keeping.
#[derive(Clone, Debug, PartialEq)]
pub struct Find {
    /// The position.
    pub position: Chess,
    /// How castling is written.
    pub mode: CastlingMode,
    /// Its key.
    pub key: u64,
    /// The solution.
    pub best: Move,
    /// Nodes after which a search with an empty table settled on it.
    pub nodes: u64,
    /// What kind of solution it is.
    pub themes: Vec<Theme>,
}

/// What became of one position.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing to see.
    Dull,
    /// The deep search found what the shallow one missed, but that was not confirmed.
    Candidate,
    /// Confirmed, but the referee chose another move.
    Refused,
    /// Worth keeping.
    Found(Box<Find>),
}

/// The two best moves of a search, by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    best: Move,
    score: Score,
    second: Score,
}

impl Pair {
    /// Is the best move clearly best, and does that matter?
    fn is_clear(&self) -> bool {
        let wins = self.score >= WINNING_MIN && self.second <= WON_ANYWAY;
        self.score - self.second >= MARGIN && (wins || self.saves())
    }

    /// Does the best move merely save?
    fn saves(&self) -> bool {
        (SAVED_MIN..WINNING_MIN).contains(&self.score) && self.second <= LOST_MAX
    }
}

/// A search with one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Single {
    best: Move,
    score: Score,
    /// Nodes when the best move became so for good.
    nodes: u64,
}

/// Searches positions.
pub struct Sieve<'a> {
    plan: &'a Plan,
    quick: Engine,
    thorough: Engine,
    referee: Option<UciEngine>,
}

impl<'a> Sieve<'a> {
    /// A sieve for this plan.
    pub fn new(plan: &'a Plan) -> Result<Sieve<'a>, MineError> {
        let engine = |hash| {
            let mut engine = Engine::new(plan.parameters.clone());
            engine.resize(hash).map(|()| engine)
        };
        let start = |setup| UciEngine::start(setup).map_err(|e| MineError::Referee(e.to_string()));
        let referee = plan.referee.as_ref().map(|(setup, _)| start(setup)).transpose()?;
        Ok(Sieve { plan, quick: engine(QUICK_HASH)?, thorough: engine(HASH_DEFAULT)?, referee })
    }

    /// Judges the position reached in `game`, as a position without a history.
    pub fn judge(&mut self, game: &Game) -> Result<Verdict, MineError> {
        let bare = Game::from_chess(game.position().chess().clone(), game.castling_mode());
        let Some(candidate) = self.candidate(&bare) else { return Ok(Verdict::Dull) };
        if is_recapture(game, candidate) {
            return Ok(Verdict::Dull);
        }
        let Some(find) = self.verified(&bare, candidate) else { return Ok(Verdict::Candidate) };
        Ok(if self.referee_agrees(&bare, find.best)? { Verdict::Found(Box::new(find)) } else { Verdict::Refused })
    }

    /// The clearly best move of the deep search, if the shallow one does not find it.
    fn candidate(&mut self, game: &Game) -> Option<Move> {
        if game.position().legal_moves().len() <= 1 {
            return None;
        }
        let shallow = single(&mut self.quick, game, self.plan.shallow_nodes)?;
        if shallow.score > DECIDED || shallow.score < HOPELESS {
            return None;
        }
        let probe = pair(&mut self.quick, game, self.plan.deep_nodes / PROBE_DIVISOR)?;
        let changed = (probe.score - shallow.score).0.abs() >= CHANGE_MIN.0;
        let promising = probe.best != shallow.best && probe.score - probe.second >= PROMISE_MIN;
        if !changed && !promising {
            return None;
        }
        let deep = pair(&mut self.quick, game, self.plan.deep_nodes)?;
        (deep.best != shallow.best && deep.is_clear()).then_some(deep.best)
    }

    /// Two long searches: the move is clearly best in one, and stays best in the other.
    fn verified(&mut self, game: &Game, candidate: Move) -> Option<Find> {
        let nodes = self.plan.verify_nodes;
        let clear = pair(&mut self.thorough, game, nodes)?;
        if clear.best != candidate || !clear.is_clear() {
            return None;
        }
        let again = single(&mut self.thorough, game, nodes)?;
        let settled = self.plan.shallow_nodes..=nodes / SETTLED_DIVISOR;
        if again.best != candidate || !settled.contains(&again.nodes) {
            return None;
        }
        let position = game.position();
        Some(Find {
            position: position.chess().clone(),
            mode: game.castling_mode(),
            key: position.key(),
            best: candidate,
            nodes: again.nodes,
            themes: Theme::of(position, candidate, again.score.max(clear.score), clear.saves()),
        })
    }

    /// Does the other engine, if there is one, choose the same move?
    fn referee_agrees(&mut self, game: &Game, best: Move) -> Result<bool, MineError> {
        let (Some(engine), Some((_, nodes))) = (&mut self.referee, &self.plan.referee) else { return Ok(true) };
        let limits = Limits { nodes: Some(*nodes), ..Limits::default() };
        engine.new_game().map_err(|e| MineError::Referee(e.to_string()))?;
        let found = engine.search(game, &limits, &mut |_| ControlFlow::Continue(()));
        Ok(found.map_err(|e| MineError::Referee(e.to_string()))?.best == Some(best))
    }
}

/// Does the move take back on the square where something was just taken?
fn is_recapture(game: &Game, mv: Move) -> bool {
    game.moves().last().is_some_and(|last| last.is_capture() && mv.is_capture() && last.to() == mv.to())
}

/// Searches with an empty table and one line; `None` without a legal move.
fn single(engine: &mut Engine, game: &Game, nodes: u64) -> Option<Single> {
    let mut since: Option<(Move, u64)> = None;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    engine.new_game();
    let outcome = engine.search(game, &limits, &Control::default(), &mut |event| {
        if let Event::Best { mv, nodes, .. } = event
            && since.is_none_or(|(best, _)| best != *mv)
        {
            since = Some((*mv, *nodes));
        }
        ControlFlow::Continue(())
    });
    let best = outcome.best?;
    let nodes = since.filter(|(mv, _)| *mv == best).map_or(outcome.nodes, |(_, nodes)| nodes);
    Some(Single { best, score: outcome.report.score, nodes })
}

/// Searches with an empty table and two lines; the values are those of the last finished iteration.
fn pair(engine: &mut Engine, game: &Game, nodes: u64) -> Option<Pair> {
    let mut first: Option<(Move, Score)> = None;
    let mut pair: Option<Pair> = None;
    let limits = Limits { nodes: Some(nodes), lines: 2, ..Limits::default() };
    engine.new_game();
    engine.search(game, &limits, &Control::default(), &mut |event| {
        if let Event::Line(report) = event
            && report.bound == Bound::Exact
        {
            match (report.number, first) {
                (1, _) => first = report.line.first().map(|mv| (*mv, report.score)),
                (2, Some((best, score))) => pair = Some(Pair { best, score, second: report.score }),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    });
    pair
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::parse_line;
    use quarterply_engine::params::Parameters;
    use quarterply_engine::score::Ply;

    #[test]
    fn clear_means_winning_or_saving_and_far_ahead() {
        let mate = Score::mate_in(Ply(5));
        for (name, score, second, clear, saves) in [
            ("wins", Score(300), Score(50), true, false),
            ("wins, but so does another", Score(600), Score(301), false, false),
            ("wins by too little", Score(190), Score(0), false, false),
            ("not far ahead", Score(210), Score(100), false, false),
            ("mates", mate, Score(150), true, false),
            ("mates sooner", mate, Score::mate_in(Ply(9)), false, false),
            ("saves", Score(0), Score(-300), true, true),
            ("saves from mate", Score(20), Score::mated_in(Ply(4)), true, true),
            ("lost anyway", Score(-300), Score(-900), false, false),
            ("bad otherwise, but not lost", Score(0), Score(-199), false, false),
        ] {
            let best = parse_line("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;", 1).expect("a good line").best[0];
            let pair = Pair { best, score, second };
            assert_eq!((pair.is_clear(), pair.saves()), (clear, saves), "{name}");
        }
    }

    #[test]
    fn taking_back_is_no_feat() {
        let mut game = Game::new();
        for text in ["e2e4", "d7d5", "e4d5"] {
            game.play_uci(text).expect(text);
        }
        for (text, expected) in [("d8d5", true), ("g8f6", false), ("c8g4", false)] {
            let mv = game.parse_uci(text).expect(text);
            assert_eq!(is_recapture(&game, mv), expected, "{text}");
        }
        assert!(!is_recapture(&Game::new(), game.moves()[0]));
    }

    fn plan(shallow_nodes: u64) -> Plan {
        Plan {
            parameters: Parameters::default(),
            play_nodes: 1,
            shallow_nodes,
            deep_nodes: 40_000,
            verify_nodes: 100_000,
            referee: None,
            workers: 1,
        }
    }

    #[test]
    fn dull_positions_fall_through() {
        let plan = plan(500);
        let mut sieve = Sieve::new(&plan).expect("a sieve");
        for (name, fen) in [
            ("nothing happens", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            ("nothing can happen", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
            ("won already", "7k/8/8/8/8/1R6/R7/K7 w - - 0 1"),
            ("lost already", "7k/8/8/8/8/1R6/R7/K7 b - - 0 1"),
            ("one legal move", "7k/8/8/8/8/8/6r1/7K w - - 0 1"),
            ("over", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
            assert_eq!(sieve.judge(&game), Ok(Verdict::Dull), "{name}");
        }
    }

    #[test]
    fn a_find_is_best_by_far_and_missed_by_the_shallow_search() {
        let plan = plan(1); // one node sees nothing, however good the search
        let mut sieve = Sieve::new(&plan).expect("a sieve");
        let game = Game::from_fen(CHECK, CastlingMode::Standard).expect("a good FEN");
        let Verdict::Found(find) = sieve.judge(&game).expect("no referee") else { panic!("not found") };
        assert_eq!((find.key, find.best.to_string().as_str()), (game.position().key(), "Qe4-b7"));
        assert!(find.nodes >= plan.shallow_nodes && find.nodes <= plan.verify_nodes, "{find:?}");
        assert!(find.themes.contains(&Theme::Check) && find.themes.contains(&Theme::Endgame), "{find:?}");
        let patient = Plan { shallow_nodes: plan.verify_nodes, ..plan.clone() };
        assert_eq!(Sieve::new(&patient).expect("a sieve").judge(&game), Ok(Verdict::Dull), "seen at once");
    }

    /// A check forces the queens off, and the pawn that takes back promotes: an easy position of our own suite.
    const CHECK: &str = "8/q5k1/P5pp/8/4Q3/8/5p2/5K2 w - - 3 64";
}
