//! De Man's oracle at the root.

use crate::position::{Position, pack};
use crate::score::{Score, Window};
use crate::source::Description;
use crate::whole::SPREAD;
use shakmaty::{Bitboard, Color, Move, Position as _, Rank, Role};

pub(crate) const SOURCE: Description = Description {
    name: "root oracle",
    about: "De Man's oracle: bonuses for root moves by shifted windows.",
    idea: "A bonus for each root move, random for variety or for development, is added to the move's value by \
        shifting its search window: the search below, the evaluation and the table are unaffected.",
    risk: "It changes the played move: a move with a bonus of five pawns/100 can be worse by five.",
    reads: "position at the root. The root itself is not stored in the table, since its value holds for this \
        preference only.",
    papers: "`deman-oracle`.",
};

crate::params! {
    /// bonuses for root moves
    on = false;
    /// greatest random bonus of a move (pawns/100)
    random = 10 in 0..=100 by 1;
    /// seed of the random bonuses; with the same seed, a move in the same position has the same bonus (number)
    seed = 1 in 0..=1000000 by 1;
    /// bonus for castling and for bringing out a knight or bishop (pawns/100)
    development = 0 in 0..=100 by 1;
    /// penalty for a move of the queen while a knight or bishop of its side is at home (pawns/100)
    early_queen = 0 in 0..=100 by 1;
    /// penalty for a move of the king, other than castling, while it may still castle (pawns/100)
    lost_castling = 0 in 0..=100 by 1;
}

crate::source::in_force! {}

const HALF_WORD: u32 = 32;

/// The bonus of a root move.
pub(crate) fn bonus(p: &Params, position: &Position, mv: Move) -> Score {
    if !p.on {
        return Score::ZERO;
    }
    let mixed = (position.key() ^ u64::from(pack(mv)).wrapping_mul(SPREAD) ^ p.seed as u64).wrapping_mul(SPREAD);
    let mixed = (mixed ^ mixed >> HALF_WORD).wrapping_mul(SPREAD);
    let chance = ((mixed >> HALF_WORD) * (p.random as u64 + 1)) >> HALF_WORD;
    let develops = if develops(position, mv) { p.development } else { 0 };
    Score(chance as i32 + develops - penalty(p, position, mv))
}

/// Maluses of moves that are bad early in the game.
fn penalty(p: &Params, position: &Position, mv: Move) -> i32 {
    let turn = position.turn();
    let minors = position.board().knights() | position.board().bishops();
    let at_home = minors & position.board().by_color(turn) & home(turn);
    match mv.role() {
        Role::Queen if at_home.any() => p.early_queen,
        Role::King if !mv.is_castle() && position.chess().castles().has_color(turn) => p.lost_castling,
        _ => 0,
    }
}

fn home(turn: Color) -> Bitboard {
    Bitboard::from_rank(turn.fold_wb(Rank::First, Rank::Eighth))
}

fn develops(position: &Position, mv: Move) -> bool {
    let home = home(position.turn());
    let minor = matches!(mv.role(), Role::Knight | Role::Bishop);
    mv.is_castle() || minor && mv.from().is_some_and(|from| home.contains(from)) && !home.contains(mv.to())
}

/// A value with the bonus; proven results stay what they are.
pub(crate) fn shifted(score: Score, bonus: Score) -> Score {
    if score.is_decisive() { score } else { score + bonus }
}

/// The window and the best value so far with which a move with this bonus is searched; `None` if the shifted bounds would be mate or
/// tablebase scores.
pub(crate) fn without_bonus(window: Window, best: Score, bonus: Score) -> Option<(Window, Score)> {
    let [alpha, beta, best] = [window.alpha, window.beta, best].map(|score| shifted(score, -bonus));
    (alpha < beta).then_some((Window { alpha, beta }, best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Limits};
    use crate::params::Parameters;
    use crate::position::Game;
    use crate::testing;
    use std::ops::ControlFlow;

    #[test]
    fn chance_is_even_bounded_and_the_same_for_the_same_seed() {
        let game = Game::new();
        let mut seen = [0; 11];
        for seed in 0..200 {
            let p = Params { on: true, seed, ..Params::DEFAULT };
            for mv in game.position().legal_moves() {
                let value = bonus(&p, game.position(), mv);
                assert_eq!(value, bonus(&p, game.position(), mv));
                seen[value.0 as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| (250..500).contains(&count)), "{seen:?}");
    }

    #[test]
    fn development_is_castling_and_the_first_move_of_minor_pieces() {
        let fen = "4k3/8/8/8/8/2N5/8/4K1NR w K - 0 1";
        let game = testing::game(fen);
        let p = Params { on: true, random: 0, development: 7, ..Params::DEFAULT };
        for (uci, value) in [("g1f3", 7), ("c3d5", 0), ("c3d1", 0), ("h1h5", 0), ("e1e2", 0)] {
            assert_eq!(bonus(&p, game.position(), game.parse_uci(uci).expect(uci)), Score(value), "{uci}");
        }
        let off = Params { on: false, ..p };
        assert_eq!(bonus(&off, game.position(), game.parse_uci("g1f3").expect("legal")), Score::ZERO);
    }

    #[test]
    fn early_queens_and_kings_that_give_castling_up_are_taken_something_off() {
        let fen = "4k3/8/8/8/8/8/8/R2QK1N1 w Q - 0 1";
        let game = testing::game(fen);
        let p = Params { on: true, random: 0, early_queen: 9, lost_castling: 20, ..Params::DEFAULT };
        for (uci, value) in [("d1d2", -9), ("e1e2", -20), ("a1a2", 0), ("g1f3", 0)] {
            assert_eq!(bonus(&p, game.position(), game.parse_uci(uci).expect(uci)), Score(value), "{uci}");
        }
        let fen = "4k3/8/8/8/8/5N2/8/R2QK3 w - - 0 1";
        let game = testing::game(fen);
        for uci in ["d1d2", "e1e2"] {
            assert_eq!(bonus(&p, game.position(), game.parse_uci(uci).expect(uci)), Score::ZERO, "{uci}");
        }
    }

    #[test]
    fn windows_move_against_the_bonus_and_proven_results_stay() {
        let shift = |alpha, beta| without_bonus(Window::new(Score(alpha), Score(beta)), Score(8), Score(30));
        assert_eq!(shift(10, 50), Some((Window::new(Score(-20), Score(20)), Score(-22))));
        let nothing_searched = -Score::INFINITE;
        assert_eq!(without_bonus(Window::FULL, nothing_searched, Score(30)), Some((Window::FULL, nothing_searched)));
        let mate = Score::mate_in(crate::score::Ply(3));
        assert_eq!((shifted(mate, Score(30)), shifted(Score(5), Score(30))), (mate, Score(35)));
        assert_eq!(shift(-Score::DECISIVE.0 - 1, -Score::DECISIVE.0), None);
    }

    #[test]
    fn a_preference_decides_between_equals_and_not_against_a_piece() {
        let played = |fen: &str, development: i32| {
            let game = testing::game(fen);
            let mut parameters = Parameters::classical();
            let p = &mut parameters.root_oracle;
            (p.on, p.random, p.development) = (true, 0, development);
            let mut s = testing::searcher(parameters);
            let outcome = s.think(&game, &Limits::depth(4), Clock::unlimited(), &mut |_| ControlFlow::Continue(()));
            (outcome.best.expect("a move"), outcome.report.score)
        };
        let start = Game::new().fen();
        let (mv, score) = played(&start, 100);
        assert_eq!(mv.role(), Role::Knight, "{mv:?}");
        let (_, usual) = played(&start, 0);
        assert!(score >= usual + Score(50), "the bonus is part of the value: {score:?} {usual:?}");
        let hanging = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 1";
        let (mv, _) = played(hanging, 100);
        assert!(mv.is_capture() && mv.to() == shakmaty::Square::G5, "the queen is worth more: {mv:?}");
    }
}
