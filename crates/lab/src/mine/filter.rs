//! Which positions are kept: searches from cheap to expensive, each of which fewer positions pass.

use super::note::MinedPositionText;
use super::staged_search::{SearchView, StagedSearch, run_staged};
use super::{MineError, MiningPlan, Theme};
use crate::suite::HASH_DEFAULT;
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::Engine;
use quarterply_games::external::UciEngine;
use quarterply_games::solver::{Solver, SolverError};
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Chess, Move};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The thresholds of the filter. A change of these numbers makes another mining run.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    /// Table of the scouting searches in MiB; small, because it is cleared before each of them.
    scout_hash: usize,
    /// The deep search is only made if one with this fraction of its nodes differs from the shallow one.
    preview_divisor: u64,
    /// The least change of value that counts as a difference (pawns/100).
    change_min: Score,
    /// The error that a value of a short search may have (pawns/100).
    doubt: Score,
    /// The minimum distance of the other moves (pawns/100).
    margin: Score,
    /// A solution that wins is worth at least this (pawns/100).
    winning_min: Score,
    /// A move that leaves more than this wins by itself (pawns/100).
    won_anyway: Score,
    /// A solution that saves is worth at least this (pawns/100).
    saved_min: Score,
    /// A move that leaves this or less loses (pawns/100).
    lost_max: Score,
    /// Positions with a smaller value in the shallow search are not examined (pawns/100).
    hopeless: Score,
    /// Positions with a greater value in the shallow search are not examined (pawns/100).
    decided: Score,
    /// A plain capture that wins this much on its square is too easy (pawns/100).
    plain_gain: Score,
    /// The solution must be best from this fraction of the last search on, to its end.
    settled_divisor: u64,
    /// The long search without the best move has this fraction of the nodes of the one with it.
    others_divisor: u64,
}

/// Tables of all searches together in MiB.
pub(super) const TABLES: usize = THRESHOLDS.scout_hash + HASH_DEFAULT;

const THRESHOLDS: Thresholds = Thresholds {
    scout_hash: 1,
    preview_divisor: 3,
    change_min: Score(50),
    doubt: Score(60),
    margin: Score(130),
    winning_min: Score(150),
    won_anyway: Score(300),
    saved_min: Score(-60),
    lost_max: Score(-180),
    hopeless: Score(-700),
    decided: Score(450),
    plain_gain: Score(250),
    settled_divisor: 2,
    others_divisor: 2,
};

/// The numbers that decide which positions pass, for comparing mining runs.
pub(super) fn constants() -> String {
    let text = format!("{THRESHOLDS:?}");
    // The names in journals of earlier versions.
    text.replace("Thresholds", "Marks").replace("preview_divisor", "glance_divisor")
}

/// A position that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "MinedPositionText", try_from = "MinedPositionText")]
pub struct MinedPosition {
    /// The position.
    pub position: Chess,
    /// The notation of castling.
    pub mode: CastlingMode,
    /// Its key.
    pub key: u64,
    /// The solution.
    pub best: Move,
    /// Nodes after which a search with an empty table settled on it.
    pub nodes: u64,
    /// The kinds of the solution.
    pub themes: Vec<Theme>,
    /// The number of its game among all games, from 0; not part of the journal, which has it once for the whole game.
    pub game: u64,
}

/// The verdict on one position.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterVerdict {
    /// The deep search found no clearly best move that the shallow one missed.
    NotCandidate,
    /// The deep search found what the shallow one missed, but that was not confirmed.
    Candidate,
    /// Confirmed, but the check engine chose another move.
    Refused,
    /// Worth keeping.
    Found(Box<MinedPosition>),
}

/// The value of the best move and that of the best of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    best: Score,
    other: Score,
}

impl Pair {
    /// Returns true if the best move is clearly best and decides the result.
    fn is_clear(self) -> bool {
        let wins = self.best >= THRESHOLDS.winning_min && self.other <= THRESHOLDS.won_anyway;
        self.best - self.other >= THRESHOLDS.margin && (wins || self.saves())
    }

    /// Returns true if it may be clearly best in a longer search.
    fn is_promising(self) -> bool {
        let doubt = THRESHOLDS.doubt;
        let wins = self.best >= THRESHOLDS.winning_min - doubt && self.other <= THRESHOLDS.won_anyway + doubt;
        let saves = self.best >= THRESHOLDS.saved_min - doubt && self.other <= THRESHOLDS.lost_max + doubt;
        self.best - self.other >= THRESHOLDS.margin - doubt && (wins || saves)
    }

    /// Returns true if the best move only saves a draw.
    fn saves(self) -> bool {
        (THRESHOLDS.saved_min..THRESHOLDS.winning_min).contains(&self.best) && self.other <= THRESHOLDS.lost_max
    }
}

/// Searches positions.
pub struct PositionFilter {
    plan: Arc<MiningPlan>,
    scout: Engine,
    thorough: Engine,
    check_engine: Option<UciEngine>,
    nodes: u64,
    /// The last result of [`PositionFilter::preview`] and the key of its position: the next position of a game has often been searched so.
    latest: Option<(u64, [SearchView; 2])>,
}

impl PositionFilter {
    /// A filter for this plan.
    pub fn new(plan: &Arc<MiningPlan>) -> Result<PositionFilter, MineError> {
        let engine = |hash| {
            let mut engine = Engine::new(plan.parameters.clone());
            engine.resize(hash).map(|()| engine)
        };
        let start = |setup| UciEngine::start(setup).map_err(|e| MineError::CheckEngine(e.to_string()));
        let check_engine = plan.check_engine.as_ref().map(|(setup, _)| start(setup)).transpose()?;
        Ok(PositionFilter {
            plan: Arc::clone(plan),
            scout: engine(THRESHOLDS.scout_hash)?,
            thorough: engine(HASH_DEFAULT)?,
            check_engine,
            nodes: 0,
            latest: None,
        })
    }

    /// Ends a game: returns the nodes searched since the last one, without those of the check engine. Nothing of its positions is kept,
    /// so that the nodes of the next game do not depend on this one.
    pub fn finish_game(&mut self) -> u64 {
        self.latest = None;
        std::mem::take(&mut self.nodes)
    }

    /// Classifies the position reached in `game`, as a position without a history. `next` is the move that was played there: a search after
    /// it may find what a search of the position itself would find late.
    pub fn classify(&mut self, game: &Game, next: Option<Move>) -> Result<FilterVerdict, MineError> {
        let bare = Game::from_chess(game.position().chess().clone(), game.castling_mode());
        let Some(deep) = self.scouted(&bare, next) else { return Ok(FilterVerdict::NotCandidate) };
        if is_recapture(game, deep.best) || is_plain(&bare, deep.best) || !self.is_candidate(&bare, deep) {
            return Ok(FilterVerdict::NotCandidate);
        }
        let Some(find) = self.verified(&bare, deep) else { return Ok(FilterVerdict::Candidate) };
        Ok(if self.check_engine_agrees(&bare, find.best)? {
            FilterVerdict::Found(Box::new(find))
        } else {
            FilterVerdict::Refused
        })
    }

    /// The result of a deep search, if that of a shallow one differs and there is only one good move.
    fn scouted(&mut self, game: &Game, next: Option<Move>) -> Option<SearchView> {
        if game.position().legal_moves().len() <= 1 {
            return None;
        }
        let [first, then] = self.preview(game)?;
        if !is_open(first.score) {
            return None;
        }
        let hint = self
            .consequence(game, next)
            .filter(|view| view.score >= then.score + THRESHOLDS.change_min)
            .unwrap_or(then);
        if !differs(&first, &hint) {
            return None;
        }
        let nodes = self.plan.deep_nodes / THRESHOLDS.preview_divisor;
        let other = self.other(|filter| &mut filter.scout, game, hint, nodes)?;
        if !(Pair { best: hint.score, other }).is_promising() {
            return None;
        }
        let search = StagedSearch { game, without: None, nodes: self.plan.deep_nodes, stage: None };
        let (view, nodes) = run_staged(&mut self.scout, &search, &mut |_| ControlFlow::Continue(()));
        self.nodes += nodes;
        view.filter(|view| view.best != first.best && view.score >= THRESHOLDS.saved_min)
    }

    /// The results of a shallow and a short search. The short one is left out if the shallow one finds the game decided.
    fn preview(&mut self, game: &Game) -> Option<[SearchView; 2]> {
        let key = game.position().key();
        if let Some((_, preview)) = self.latest.filter(|(latest, _)| *latest == key) {
            return Some(preview);
        }
        let mut first: Option<SearchView> = None;
        let (nodes, stage) = (self.plan.deep_nodes / THRESHOLDS.preview_divisor, Some(self.plan.shallow_nodes));
        let search = StagedSearch { game, without: None, nodes, stage };
        let (then, nodes) = run_staged(&mut self.scout, &search, &mut |view| {
            first = Some(*view);
            if is_open(view.score) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.nodes += nodes;
        let preview = [first?, then.or(first)?];
        self.latest = Some((key, preview));
        Some(preview)
    }

    /// The value of the move that was played, by a short search of the position after it.
    fn consequence(&mut self, game: &Game, next: Option<Move>) -> Option<SearchView> {
        let best = next?;
        let mut after = game.clone();
        after.play(best);
        let bare = Game::from_chess(after.position().chess().clone(), after.castling_mode());
        self.preview(&bare).map(|[_, then]| SearchView { best, score: -then.score, since: 0 })
    }

    /// Returns true if the best move of the deep search is clearly better than all others.
    fn is_candidate(&mut self, game: &Game, deep: SearchView) -> bool {
        let other = self.other(|filter| &mut filter.scout, game, deep, self.plan.deep_nodes);
        other.is_some_and(|other| Pair { best: deep.score, other }.is_clear())
    }

    /// The best value without the best move, by one of the engines; `None` if it is too good early in the search.
    fn other(
        &mut self,
        engine: fn(&mut PositionFilter) -> &mut Engine,
        game: &Game,
        best: SearchView,
        nodes: u64,
    ) -> Option<Score> {
        let search =
            StagedSearch { game, without: Some(best.best), nodes, stage: Some(nodes / THRESHOLDS.settled_divisor) };
        let (view, nodes) = run_staged(engine(self), &search, &mut |view| {
            let hope = Pair { best: best.score, other: view.score }.is_promising();
            if hope { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.nodes += nodes;
        view.map(|view| view.score)
    }

    /// Two long searches: one settles on the move, one shows that all others are far worse.
    fn verified(&mut self, game: &Game, deep: SearchView) -> Option<MinedPosition> {
        let nodes = self.plan.verify_nodes;
        let settled = nodes / THRESHOLDS.settled_divisor;
        let search = StagedSearch { game, without: None, nodes, stage: Some(settled) };
        let (again, searched) = run_staged(&mut self.thorough, &search, &mut |view| {
            if view.best == deep.best { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.nodes += searched;
        let again = again.filter(|view| view.best == deep.best)?;
        if !(self.plan.shallow_nodes..=settled).contains(&again.since) {
            return None;
        }
        let other = self.other(|filter| &mut filter.thorough, game, again, nodes / THRESHOLDS.others_divisor)?;
        let pair = Pair { best: again.score, other };
        let position = game.position();
        pair.is_clear().then(|| MinedPosition {
            position: position.chess().clone(),
            mode: game.castling_mode(),
            key: position.key(),
            best: again.best,
            nodes: again.since,
            themes: Theme::of(position, again.best, again.score, pair.saves()),
            game: 0,
        })
    }

    /// Returns true if the other engine, if there is one, chooses the same move.
    fn check_engine_agrees(&mut self, game: &Game, best: Move) -> Result<bool, MineError> {
        let (Some(engine), Some((_, nodes))) = (&mut self.check_engine, &self.plan.check_engine) else {
            return Ok(true);
        };
        let failed = |e: SolverError| MineError::CheckEngine(e.in_position(&game.fen()));
        engine.new_game().map_err(failed)?;
        let found = engine.search(game, &Limits::nodes(*nodes), &mut |_| ControlFlow::Continue(()));
        Ok(found.map_err(failed)?.best == Some(best))
    }
}

/// Returns true if a game with this value is undecided.
fn is_open(score: Score) -> bool {
    (THRESHOLDS.hopeless..=THRESHOLDS.decided).contains(&score)
}

/// Returns true if both the move and the value differ.
fn differs(first: &SearchView, then: &SearchView) -> bool {
    first.best != then.best && (first.score - then.score).0.abs() >= THRESHOLDS.change_min.0
}

/// Returns true if the move recaptures on the square of the last capture.
fn is_recapture(game: &Game, mv: Move) -> bool {
    game.moves().last().is_some_and(|last| last.is_capture() && mv.is_capture() && last.to() == mv.to())
}

/// Returns true if the move captures an undefended piece.
fn is_plain(game: &Game, mv: Move) -> bool {
    mv.is_capture() && !mv.is_promotion() && game.position().see_ge(mv, THRESHOLDS.plain_gain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Ply;

    #[test]
    fn clear_means_winning_or_saving_and_far_ahead() {
        let mate = Score::mate_in(Ply(5));
        for (name, score, second, clear, saves) in [
            ("wins", Score(300), Score(50), true, false),
            ("wins, but so does another", Score(600), Score(301), false, false),
            ("wins by too little", Score(149), Score(0), false, false),
            ("not far ahead", Score(210), Score(81), false, false),
            ("mates", mate, Score(150), true, false),
            ("mates sooner", mate, Score::mate_in(Ply(9)), false, false),
            ("saves", Score(0), Score(-300), true, true),
            ("saves from mate", Score(20), Score::mated_in(Ply(4)), true, true),
            ("lost anyway", Score(-300), Score(-900), false, false),
            ("bad otherwise, but not lost", Score(0), Score(-179), false, false),
        ] {
            let pair = Pair { best: score, other: second };
            assert_eq!((pair.is_clear(), pair.saves()), (clear, saves), "{name}");
        }
    }

    #[test]
    fn journals_of_earlier_versions_are_continued() {
        let text = constants();
        assert!(text.starts_with("Marks { scout_hash: 1, glance_divisor: 3, change_min: Score(50), "), "{text}");
    }

    #[test]
    fn a_recapture_is_not_a_find() {
        let mut game = Game::new();
        game.play_line(["e2e4", "d7d5", "e4d5"]).expect("legal");
        for (text, expected) in [("d8d5", true), ("g8f6", false), ("c8g4", false)] {
            let mv = game.parse_uci(text).expect(text);
            assert_eq!(is_recapture(&game, mv), expected, "{text}");
        }
        assert!(!is_recapture(&Game::new(), game.moves()[0]));
    }

    fn plan(shallow_nodes: u64) -> MiningPlan {
        MiningPlan { shallow_nodes, deep_nodes: 40_000, verify_nodes: 100_000, ..MiningPlan::default() }
    }

    #[test]
    fn uninteresting_positions_do_not_pass() {
        let plan = Arc::new(plan(500));
        let mut filter = PositionFilter::new(&plan).expect("a filter");
        for (name, fen) in [
            ("nothing happens", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            ("nothing can happen", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
            ("won already", "7k/8/8/8/8/1R6/R7/K7 w - - 0 1"),
            ("lost already", "7k/8/8/8/8/1R6/R7/K7 b - - 0 1"),
            ("one legal move", "7k/8/8/8/8/8/6r1/7K w - - 0 1"),
            ("over", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        ] {
            let game = Game::standard(fen).expect(fen);
            assert_eq!(filter.classify(&game, None).expect("no check engine"), FilterVerdict::NotCandidate, "{name}");
        }
    }

    #[test]
    fn the_nodes_of_a_game_do_not_depend_on_the_game_before() {
        let mut filter = PositionFilter::new(&Arc::new(plan(500))).expect("a filter");
        let won = Game::standard("7k/8/8/8/8/1R6/R7/K7 w - - 0 1").expect("a good FEN");
        let [first, second] = [(); 2].map(|()| {
            assert_eq!(filter.classify(&won, None).expect("no check engine"), FilterVerdict::NotCandidate);
            filter.finish_game()
        });
        assert!(first > 0 && first == second, "{first} {second}");
    }

    #[test]
    fn a_find_is_best_by_far_and_missed_by_the_shallow_search() {
        let plan = Arc::new(plan(1)); // a search of one node finds nothing
        let mut filter = PositionFilter::new(&plan).expect("a filter");
        let game = Game::standard(CHECK).expect("a good FEN");
        let FilterVerdict::Found(find) = filter.classify(&game, None).expect("no check engine") else {
            panic!("not found")
        };
        assert_eq!((find.key, find.best.to_string().as_str()), (game.position().key(), "Qe4-b7"));
        assert!(find.nodes >= plan.shallow_nodes && find.nodes <= plan.verify_nodes, "{find:?}");
        assert!(find.themes.contains(&Theme::Check) && find.themes.contains(&Theme::Endgame), "{find:?}");
        let patient = Arc::new(MiningPlan { shallow_nodes: plan.verify_nodes, ..plan.as_ref().clone() });
        let verdict = PositionFilter::new(&patient).expect("a filter").classify(&game, None).expect("no check engine");
        assert_eq!(verdict, FilterVerdict::NotCandidate, "seen at once");
    }

    /// A check forces the queens off, and the recapturing pawn promotes: an easy position of the suite.
    const CHECK: &str = "8/q5k1/P5pp/8/4Q3/8/5p2/5K2 w - - 3 64";
}
