//! The same search with one rule off.

use crate::last_iteration::LastIteration;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::SearchOutcome;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::table::{Table, TableError};

/// Two searches: one of all moves, one of the move asked about alone.
#[derive(Clone, PartialEq, Debug)]
pub struct WhatIf {
    /// The move.
    pub mv: Move,
    /// The rule that was off; `None` for the search as it is.
    pub without: Option<Rule>,
    /// The search of all moves.
    pub all: SearchOutcome,
    /// The search of the one move.
    pub alone: SearchOutcome,
    /// The depth that the search of the move alone finished, and that of the search of all moves (plies).
    pub depths: [u32; 2],
    /// True if both reached the depth or ended with a mate. Otherwise one was stopped before.
    pub finished: bool,
}

impl WhatIf {
    /// The depth that both searches finished (plies).
    pub fn depth(&self) -> u32 {
        self.depths[0].min(self.depths[1])
    }

    /// The value of the move asked about.
    pub fn value(&self) -> Score {
        self.alone.report.score
    }

    /// Value of the best move.
    pub fn best_value(&self) -> Score {
        self.all.report.score
    }
}

/// The parameters with one rule off.
pub fn switched_off(parameters: &Parameters, rule: Rule) -> Parameters {
    let mut changed = parameters.clone();
    for name in rule.switches() {
        // Every switch is a parameter, which a test makes sure of.
        let _ = changed.set(name, 0);
    }
    changed
}

/// Searches `game` to `depth`, with at most `nodes` moves made, once with all moves and once with `mv` alone; `without` a rule if one
/// is given.
pub fn what_if(
    game: &Game,
    parameters: &Parameters,
    without: Option<Rule>,
    mv: Move,
    (depth, nodes): (u32, u64),
    hash: usize,
) -> Result<WhatIf, TableError> {
    let changed = without.map_or_else(|| parameters.clone(), |rule| switched_off(parameters, rule));
    let usual = Limits { depth: Some(depth), nodes: Some(nodes), ..Limits::default() };
    let alone = Limits { search_moves: vec![mv], ..usual.clone() };
    let search = |limits: &Limits| -> Result<(SearchOutcome, u32, bool), TableError> {
        let mut searcher = Searcher::new(changed.clone(), Table::new(hash)?.into());
        let (mut finished, control) = (LastIteration::default(), Control::default());
        let outcome = searcher.search_alone(game, limits, &control, &mut |event| finished.listen(event));
        let reached = finished.depth();
        // A confirmed mate ends a search early. An unfinished last iteration does not count.
        let is_done = control.stopped() || reached >= depth;
        let outcome = match finished.report {
            Some(report) => SearchOutcome { best: report.line.first().copied(), report, ..outcome },
            None => outcome,
        };
        Ok((outcome, reached, is_done))
    };
    let ((all, all_depth, all_done), (alone, alone_depth, alone_done)) = (search(&usual)?, search(&alone)?);
    Ok(WhatIf { mv, without, all, alone, depths: [alone_depth, all_depth], finished: all_done && alone_done })
}
