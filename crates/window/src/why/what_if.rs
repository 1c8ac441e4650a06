//! What would a search say with one rule off?

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::Outcome;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::table::{Table, TableError};
use std::ops::ControlFlow;

/// Two searches: one of all moves, one of the move asked about alone.
#[derive(Clone, PartialEq, Debug)]
pub struct WhatIf {
    /// The rule that was off; `None` for the search as it is.
    pub without: Option<Rule>,
    /// The search of all moves.
    pub all: Outcome,
    /// The search of the one move.
    pub alone: Outcome,
}

impl WhatIf {
    /// The value of the move asked about.
    pub fn value(&self) -> Score {
        self.alone.report.score
    }

    /// The depth that both searches finished (plies).
    pub fn depth(&self) -> u32 {
        self.all.report.depth.min(self.alone.report.depth)
    }

    /// What the best move is worth.
    pub fn best_value(&self) -> Score {
        self.all.report.score
    }
}

/// Searches `game` to `depth`, with at most `nodes` moves made, and does the same for `mv` alone; `without` a rule if one is
/// given.
///
/// # Errors
/// [`TableError`] if there is no memory.
pub fn what_if(
    game: &Game,
    parameters: &Parameters,
    without: Option<Rule>,
    mv: Move,
    (depth, nodes): (u32, u64),
    hash: usize,
) -> Result<WhatIf, TableError> {
    let mut changed = parameters.clone();
    for name in without.map_or(&[][..], Rule::switches) {
        // Every switch is a parameter, which a test makes sure of.
        let _ = changed.set(name, 0);
    }
    let usual = Limits { depth: Some(depth), nodes: Some(nodes), ..Limits::default() };
    let alone = Limits { search_moves: vec![mv], ..usual.clone() };
    let search = |limits: &Limits| -> Result<Outcome, TableError> {
        let mut searcher = Searcher::new(changed.clone(), Table::new(hash)?.into(), ());
        Ok(searcher.search_unwatched(game, limits, &Control::default(), &mut |_| ControlFlow::Continue(())))
    };
    Ok(WhatIf { without, all: search(&usual)?, alone: search(&alone)? })
}
