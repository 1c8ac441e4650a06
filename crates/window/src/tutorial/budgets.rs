//! One position searched with one budget and with two.

use quarterply_engine::clock::Limits;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::score::Score;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::table::{Table, TableError};
use std::ops::ControlFlow;

/// Black promotes by force, but between Black's checks White has many dull moves to choose from. From our own games
/// (`data/suites/quarterply-tactics.epd`, Tactics.0402).
pub(super) const POSITION: &str = "2r1k3/4pp2/2P3n1/3P3Q/pR5p/Pp2P2P/4KP2/1q3B2 b - - 0 31";

/// What a search came to.
pub(super) struct Found {
    /// The line, as people write it.
    pub line: String,
    /// Its value.
    pub value: Score,
    /// Moves made.
    pub nodes: u64,
}

/// Search by interestingness to this iteration, with a budget for each side or one for both.
pub(super) fn search(game: &Game, iteration: u32, separate: bool) -> Result<Found, TableError> {
    let name = if separate { "sex-two" } else { "sex" };
    // The classical evaluation, so that what is told of the position does not change with every network.
    let parameters = Parameters { eval_file: EvalFile::Classical, ..profile::builtin(name).unwrap_or_default() };
    let limits = Limits { depth: Some(iteration), ..Limits::default() };
    let mut searcher = Searcher::new(parameters, Table::new(TABLE_DEFAULT)?.into(), ());
    let outcome = searcher.search_unwatched(game, &limits, &Control::default(), &mut |_| ControlFlow::Continue(()));
    let report = outcome.report;
    let mut chess = game.position().chess().clone();
    let moves = report.line.iter().map(|mv| SanPlus::from_move_and_play_unchecked(&mut chess, *mv).to_string());
    Ok(Found { line: moves.collect::<Vec<_>>().join(" "), value: report.score, nodes: outcome.nodes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::shakmaty::CastlingMode;

    /// The horizon example: at the same iteration the combination is cut short by dull defences with one budget, and found with two.
    #[test]
    fn two_budgets_see_past_the_dull_moves_of_the_defender() {
        const WON: Score = Score(250);
        let game = Game::from_fen(POSITION, CastlingMode::Standard).expect("legal");
        let seen = |separate: bool| {
            (3..=7).find(|&iteration| {
                let found = search(&game, iteration, separate).expect("memory");
                found.line.starts_with("b2") && found.value >= WON
            })
        };
        let (one, two) = (seen(false), seen(true));
        assert!(two.is_some() && one.is_none_or(|one| two.is_some_and(|two| two < one)), "one {one:?}, two {two:?}");
        let nodes = |separate| search(&game, two.unwrap_or_default(), separate).expect("memory").nodes;
        assert!(nodes(true) < 3 * nodes(false), "at a bearable price");
    }
}
