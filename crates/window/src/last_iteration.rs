//! The last finished iteration of a search, and whether deeper ones would only repeat it.

use quarterply_engine::report::{ProgressEvent, SearchReport};
use quarterply_engine::score::Score;
use std::ops::ControlFlow;

/// Keeps the result of the last finished iteration of a search. Ends the search when two iterations in a row find the same mate within
/// their depth: further iterations would only repeat it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LastIteration {
    /// The result of the last finished iteration; `None` before the first.
    pub report: Option<SearchReport>,
    /// True if the search was ended because of such a mate.
    pub settled: bool,
}

impl LastIteration {
    /// Takes note of an event of the search; breaks if the search is to end.
    pub fn listen(&mut self, event: &ProgressEvent<'_>) -> ControlFlow<()> {
        let ProgressEvent::Iteration([report, ..]) = event else { return ControlFlow::Continue(()) };
        let before = self.report.replace(report.clone());
        let stands = before.is_some_and(|before| before.score == report.score);
        let (mate, depth) = (report.score.mate_moves().is_some(), report.depth as i32);
        // A mate within the depth of the search.
        self.settled |= stands && mate && Score::MATE.0 - report.score.0.abs() <= depth;
        if self.settled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The depth of the last finished iteration (plies); 0 if there is none.
    pub fn depth(&self) -> u32 {
        self.report.as_ref().map_or(0, |report| report.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::clock::Limits;
    use quarterply_engine::params::Parameters;
    use quarterply_engine::position::Game;
    use quarterply_engine::search::Searcher;
    use quarterply_engine::search::pool::Control;
    use quarterply_engine::table::Table;

    fn searched(fen: &str, nodes: u64) -> (LastIteration, u32) {
        let game = Game::standard(fen).expect(fen);
        let limits = Limits::nodes(nodes);
        let mut searcher = Searcher::new(Parameters::classical(), Table::new(1).expect("a MiB").into());
        let mut finished = LastIteration::default();
        let outcome = searcher.search_alone(&game, &limits, &Control::default(), &mut |e| finished.listen(e));
        (finished, outcome.report.depth)
    }

    /// Without this limit a mate is recorded up to the greatest depth: some 200 iterations of 20 nodes.
    #[test]
    fn a_mate_needs_no_hundred_iterations() {
        for (fen, mate) in [("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1), ("7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", -1)] {
            let (finished, _) = searched(fen, 20_000);
            assert_eq!(finished.report.as_ref().and_then(|report| report.score.mate_moves()), Some(mate), "{fen}");
            assert!(finished.depth() < 12, "{fen} {}", finished.depth());
        }
    }

    #[test]
    fn an_iteration_that_was_stopped_is_not_finished() {
        let unfinished = (100..130).filter(|nodes| {
            let (finished, depth) =
                searched("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8", nodes * 17);
            assert!(finished.depth() <= depth);
            finished.depth() < depth
        });
        assert!(unfinished.count() > 20, "most searches of a number of nodes end inside an iteration");
    }
}
