//! Searches that a caller follows, and ends as soon as their result cannot matter.

use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::report::ProgressEvent;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::{Control, Engine};
use shakmaty::Move;
use std::ops::ControlFlow;

/// The state of a search at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchView {
    /// The best move.
    pub best: Move,
    /// Its value.
    pub score: Score,
    /// Nodes when it became the best move for the last time.
    pub since: u64,
}

/// A search, and the moment at which it may be ended.
pub struct StagedSearch<'a> {
    /// The position.
    pub game: &'a Game,
    /// Leave out this move.
    pub without: Option<Move>,
    /// Nodes of the whole search.
    pub nodes: u64,
    /// Nodes after which the callback is called.
    pub stage: Option<u64>,
}

/// Decides whether to go on, from the view at the end of the stage.
pub type OnStage<'a> = dyn FnMut(&SearchView) -> ControlFlow<()> + 'a;

/// Follows one search.
struct Follower<'a, 'j> {
    /// The end of the stage, until it is over.
    stage: Option<u64>,
    view: Option<SearchView>,
    on_stage: &'a mut OnStage<'j>,
}

impl Follower<'_, '_> {
    /// Calls the callback if the stage ended before `nodes`.
    fn finish_stage(&mut self, nodes: u64) -> ControlFlow<()> {
        let Some(view) = self.view else { return ControlFlow::Continue(()) };
        match self.stage.take_if(|end| *end < nodes) {
            Some(_) => (self.on_stage)(&view),
            None => ControlFlow::Continue(()),
        }
    }

    fn set_view(&mut self, best: Move, score: Score, nodes: u64) {
        let since = self.view.filter(|view| view.best == best).map_or(nodes, |view| view.since);
        self.view = Some(SearchView { best, score, since });
    }

    fn follow(&mut self, event: &ProgressEvent<'_>) -> ControlFlow<()> {
        match event {
            ProgressEvent::Best { mv, nodes, score, .. } => {
                self.finish_stage(*nodes)?;
                self.set_view(*mv, *score, *nodes);
            }
            ProgressEvent::Iteration([report, ..]) => {
                self.finish_stage(report.nodes)?;
                if let Some(mv) = report.line.first() {
                    self.set_view(*mv, report.score, report.nodes);
                }
            }
            ProgressEvent::Iteration(_) | ProgressEvent::Bound(_) | ProgressEvent::Current { .. } => {}
        }
        ControlFlow::Continue(())
    }
}

/// Searches with an empty table and one line; `None` when the callback stopped the search or there is nothing to search. The second value is
/// the nodes searched.
///
/// A search with fewer nodes is the beginning of one with more, so the view at the end of the stage is the result of a search with
/// the nodes of the stage.
pub fn run_staged(
    engine: &mut Engine,
    search: &StagedSearch<'_>,
    on_stage: &mut OnStage<'_>,
) -> (Option<SearchView>, u64) {
    let mut search_moves = Vec::new();
    if let Some(without) = search.without {
        search_moves.extend(search.game.position().legal_moves().iter().filter(|mv| **mv != without));
        if search_moves.is_empty() {
            return (None, 0);
        }
    }
    let limits = Limits { nodes: Some(search.nodes), search_moves, ..Limits::default() };
    let mut follower = Follower { stage: search.stage, view: None, on_stage };
    let mut given_up = false;
    engine.new_game();
    let outcome = engine.search(search.game, &limits, &Control::default(), &mut |event| {
        let verdict = if given_up { ControlFlow::Break(()) } else { follower.follow(event) };
        given_up |= verdict.is_break();
        verdict
    });
    let Some(best) = outcome.best.filter(|_| !given_up) else { return (None, outcome.nodes) };
    follower.set_view(best, outcome.report.score, outcome.nodes);
    let ended = follower.finish_stage(u64::MAX);
    (follower.view.filter(|_| ended.is_continue()), outcome.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::Parameters;

    const FEN: &str = "8/q5k1/P5pp/8/4Q3/8/5p2/5K2 w - - 3 64";

    fn game(fen: &str) -> Game {
        Game::standard(fen).expect("a good FEN")
    }

    /// The views at the end of the stage and at the end of the search.
    fn views(nodes: u64, stage: Option<u64>) -> [Option<SearchView>; 2] {
        let mut seen = None;
        let search = StagedSearch { game: &game(FEN), without: None, nodes, stage };
        let (end, _) = run_staged(&mut Engine::new(Parameters::default()), &search, &mut |view| {
            assert_eq!(seen.replace(*view), None, "once");
            ControlFlow::Continue(())
        });
        [seen, end]
    }

    #[test]
    fn a_stage_is_a_shorter_search() {
        let [none, whole] = views(9000, None);
        assert_eq!(none, None);
        for nodes in [3, 100, 700, 3000] {
            let [seen, end] = views(9000, Some(nodes));
            let [_, short] = views(nodes, None);
            assert_eq!((seen.expect("a view").best, end), (short.expect("a result").best, whole), "{nodes}");
        }
    }

    #[test]
    fn a_stage_after_the_end_sees_the_result() {
        let [seen, end] = views(500, Some(700));
        assert!(seen.is_some() && seen == end, "{seen:?} {end:?}");
    }

    #[test]
    fn a_search_is_given_up_soon() {
        let search = StagedSearch { game: &game(FEN), without: None, nodes: 1_000_000, stage: Some(1000) };
        let (end, nodes) =
            run_staged(&mut Engine::new(Parameters::default()), &search, &mut |_| ControlFlow::Break(()));
        assert!(end.is_none() && (1000..100_000).contains(&nodes), "{nodes}");
    }

    #[test]
    fn a_move_can_be_left_out() {
        let mut engine = Engine::new(Parameters::classical());
        let mut best = |game: &Game, without, nodes| {
            let search = StagedSearch { game, without, nodes, stage: None };
            run_staged(&mut engine, &search, &mut |_| ControlFlow::Continue(()))
        };
        let first = best(&game(FEN), None, 5000).0.expect("a move");
        let second = best(&game(FEN), Some(first.best), 5000).0.expect("a move");
        assert!(second.best != first.best && second.score < first.score, "{first:?} {second:?}");
        let single = game("7k/8/8/8/8/8/6r1/7K w - - 0 1");
        assert_eq!(best(&single, Some(single.position().legal_moves()[0]), 50), (None, 0));
    }
}
