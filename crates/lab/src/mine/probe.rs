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

/// A search, and the moments at which it may be ended.
pub struct Probe<'a> {
    /// The position.
    pub game: &'a Game,
    /// Leave out this move.
    pub without: Option<Move>,
    /// Nodes of the whole search.
    pub nodes: u64,
    /// Numbers of nodes, rising, after which the callback is called.
    pub stages: &'a [u64],
}

/// Decides whether to go on, from the number of the stage and the view at its end.
pub type OnStage<'a> = dyn FnMut(usize, &SearchView) -> ControlFlow<()> + 'a;

/// Follows one search.
struct Follower<'a, 'j> {
    stages: &'a [u64],
    passed: usize,
    view: Option<SearchView>,
    on_stage: &'a mut OnStage<'j>,
}

impl Follower<'_, '_> {
    /// Calls the callback for the stages that ended before `nodes`.
    fn finish_stages(&mut self, nodes: u64) -> ControlFlow<()> {
        while let (Some(end), Some(view)) = (self.stages.get(self.passed), &self.view)
            && *end < nodes
        {
            let stage = self.passed;
            self.passed += 1;
            (self.on_stage)(stage, view)?;
        }
        ControlFlow::Continue(())
    }

    fn set_view(&mut self, best: Move, score: Score, nodes: u64) {
        let since = self.view.filter(|view| view.best == best).map_or(nodes, |view| view.since);
        self.view = Some(SearchView { best, score, since });
    }

    fn follow(&mut self, event: &ProgressEvent<'_>) -> ControlFlow<()> {
        match event {
            ProgressEvent::Best { mv, nodes, score, .. } => {
                self.finish_stages(*nodes)?;
                self.set_view(*mv, *score, *nodes);
            }
            ProgressEvent::Iteration([report, ..]) => {
                self.finish_stages(report.nodes)?;
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
/// A search with fewer nodes is the beginning of one with more, so a view at the end of a stage is the result of a search with
/// the nodes of that stage.
pub fn follow(engine: &mut Engine, probe: &Probe<'_>, on_stage: &mut OnStage<'_>) -> (Option<SearchView>, u64) {
    let mut search_moves = Vec::new();
    if let Some(without) = probe.without {
        search_moves.extend(probe.game.position().legal_moves().iter().filter(|mv| **mv != without));
        if search_moves.is_empty() {
            return (None, 0);
        }
    }
    let limits = Limits { nodes: Some(probe.nodes), search_moves, ..Limits::default() };
    let mut follower = Follower { stages: probe.stages, passed: 0, view: None, on_stage };
    let mut given_up = false;
    engine.new_game();
    let outcome = engine.search(probe.game, &limits, &Control::default(), &mut |event| {
        let verdict = if given_up { ControlFlow::Break(()) } else { follower.follow(event) };
        given_up |= verdict.is_break();
        verdict
    });
    let Some(best) = outcome.best.filter(|_| !given_up) else { return (None, outcome.nodes) };
    follower.set_view(best, outcome.report.score, outcome.nodes);
    let ended = follower.finish_stages(u64::MAX);
    (follower.view.filter(|_| ended.is_continue()), outcome.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::Parameters;
    use shakmaty::CastlingMode;

    const FEN: &str = "8/q5k1/P5pp/8/4Q3/8/5p2/5K2 w - - 3 64";

    fn views(nodes: u64, stages: &[u64]) -> (Vec<SearchView>, Option<SearchView>) {
        let game = Game::from_fen(FEN, CastlingMode::Standard).expect("a good FEN");
        let mut seen = Vec::new();
        let mut engine = Engine::new(Parameters::default());
        let probe = Probe { game: &game, without: None, nodes, stages };
        let (end, _) = follow(&mut engine, &probe, &mut |stage, view| {
            assert_eq!(stage, seen.len());
            seen.push(*view);
            ControlFlow::Continue(())
        });
        (seen, end)
    }

    #[test]
    fn a_stage_is_a_shorter_search() {
        let stages = [3, 100, 700, 3000];
        let (seen, end) = views(9000, &stages);
        assert_eq!(seen.len(), stages.len());
        for (view, nodes) in seen.iter().zip(stages) {
            let short = views(nodes, &[]).1.expect("a result");
            assert_eq!(view.best, short.best, "{nodes}");
        }
        assert_eq!(views(9000, &[]).1, end);
    }

    #[test]
    fn stages_after_the_end_see_the_result() {
        let (seen, end) = views(500, &[700, 900]);
        assert_eq!(seen.iter().map(|view| Some(*view)).collect::<Vec<_>>(), [end, end]);
    }

    #[test]
    fn a_search_is_given_up_soon() {
        let game = Game::from_fen(FEN, CastlingMode::Standard).expect("a good FEN");
        let probe = Probe { game: &game, without: None, nodes: 1_000_000, stages: &[1000] };
        let (end, nodes) = follow(&mut Engine::new(Parameters::default()), &probe, &mut |_, _| ControlFlow::Break(()));
        assert!(end.is_none() && (1000..100_000).contains(&nodes), "{nodes}");
    }

    #[test]
    fn a_move_can_be_left_out() {
        let game = Game::from_fen(FEN, CastlingMode::Standard).expect("a good FEN");
        let mut engine = Engine::new(Parameters::classical());
        let mut best = |without| {
            let probe = Probe { game: &game, without, nodes: 5000, stages: &[] };
            follow(&mut engine, &probe, &mut |_, _| ControlFlow::Continue(())).0.expect("a move")
        };
        let first = best(None);
        let second = best(Some(first.best));
        assert!(second.best != first.best && second.score < first.score, "{first:?} {second:?}");
        let single = Game::from_fen("7k/8/8/8/8/8/6r1/7K w - - 0 1", CastlingMode::Standard).expect("a good FEN");
        let probe = Probe { game: &single, without: Some(single.position().legal_moves()[0]), nodes: 50, stages: &[] };
        assert_eq!(follow(&mut engine, &probe, &mut |_, _| ControlFlow::Continue(())), (None, 0));
    }
}
