//! One position searched with one budget and with two.

use super::count::{CountedSearch, classical, engine};
use quarterply_engine::position::Game;
use quarterply_engine::table::TableError;

/// Black promotes by force, but between Black's checks White has many dull moves to choose from. From our own games
/// (`data/suites/quarterply-tactics.epd`, Tactics.0402).
pub(super) const POSITION: &str = "2r1k3/4pp2/2P3n1/3P3Q/pR5p/Pp2P2P/4KP2/1q3B2 b - - 0 31";

/// Search by interestingness to this iteration, with a budget for each side or one for both.
pub(super) fn search(game: &Game, iteration: u32, separate: bool) -> Result<CountedSearch, TableError> {
    engine(game, iteration, &classical(if separate { "sex-two" } else { "sex" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Score;
    use quarterply_engine::shakmaty::CastlingMode;

    /// The horizon example: at the same iteration the combination is cut short by dull defences with one budget, and found with two.
    #[test]
    fn two_budgets_see_past_the_dull_moves_of_the_defender() {
        const WON: Score = Score(250);
        let game = Game::from_fen(POSITION, CastlingMode::Standard).expect("legal");
        let seen = |separate: bool| {
            (3..=7).find(|&iteration| {
                let found = search(&game, iteration, separate).expect("memory");
                found.line.starts_with("b2") && found.count.value >= WON
            })
        };
        let (one, two) = (seen(false), seen(true));
        assert!(two.is_some() && one.is_none_or(|one| two.is_some_and(|two| two < one)), "one {one:?}, two {two:?}");
        let nodes = |separate| search(&game, two.unwrap_or_default(), separate).expect("memory").count.nodes;
        assert!(nodes(true) < 3 * nodes(false), "with fewer than three times the nodes");
    }
}
