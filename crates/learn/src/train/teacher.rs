//! Distillation: positions outside the games, labelled by the classical evaluation.
//!
//! Games are expensive, and they contain few positions that follow a bad move, while a search mostly values such positions. So a share of
//! the positions of games is replaced by the position after a random legal move, whose label is its classical value, without a search.
//! Every pass draws another move. Source: knowledge distillation (Hinton, Vinyals, Dean 2015, arXiv:1503.02531).

use crate::train::packed::{NO_RESULT, Packed};
use quarterply_engine::eval::Params;
use quarterply_engine::evaluator::Evaluator;
use quarterply_engine::position::Position;
use quarterply_engine::score::Score;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Setup};

/// Separates the numbers of passes and positions in a seed.
const PASS_SHIFT: u32 = 40;

/// Values positions as the classical evaluation does.
pub struct Teacher(Evaluator);

impl Default for Teacher {
    fn default() -> Teacher {
        Teacher(Evaluator::new(&Params::DEFAULT))
    }
}

/// Which positions of a pass are replaced, and by which moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveSampling {
    /// The run's seed.
    pub seed: u64,
    /// The pass.
    pub pass: u64,
    /// The share of the positions that are replaced.
    pub share: f64,
}

impl Teacher {
    /// The position that is trained in place of `packed`. For the share that is drawn it is the position after a random legal move, with
    /// its classical value; if the move gives check or there is none, `packed` with its classical value. Otherwise it is `packed`. The
    /// draw and the number of the position determine the result.
    pub fn teach(&mut self, packed: &Packed, draw: MoveSampling, number: u32) -> Packed {
        let seed = draw.seed ^ (draw.pass + 1) << PASS_SHIFT ^ u64::from(number);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        if random.random::<f64>() >= draw.share {
            return *packed;
        }
        let Some(position) = position(packed) else { return *packed };
        let moves = position.legal_moves();
        let after_move = (!moves.is_empty()).then(|| position.play(moves[random.random_range(0..moves.len())]));
        let found = after_move.filter(|position| !position.in_check()).unwrap_or(position);
        let value = self.value(&found);
        let score = value.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        Packed::new(&found, score, NO_RESULT).with_classical(value)
    }

    /// The classical value of a position for its side to move, without the effect of the 50-move counter.
    pub fn value(&mut self, position: &Position) -> Score {
        self.0.begin(position);
        self.0.raw(position)
    }
}

/// The position without castling and en passant rights, which are not stored; `None` if it is illegal.
fn position(packed: &Packed) -> Option<Position> {
    let setup = Setup { board: packed.board(), turn: Color::White, ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).ok().map(Position::from_chess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;
    use std::collections::HashSet;

    fn packed(fen: &str) -> Packed {
        Packed::new(Game::standard(fen).expect(fen).position(), 777, 2)
    }

    /// The classical value, without the effect of the 50-move counter.
    fn raw(position: &Position) -> i32 {
        let mut evaluator = Evaluator::new(&Params::DEFAULT);
        evaluator.begin(position);
        evaluator.raw(position).0
    }

    /// The position after this move, and its value.
    fn after(fen: &str, uci: &str) -> (Packed, i32) {
        let mut game = Game::standard(fen).expect(fen);
        game.play_uci(uci).expect(uci);
        let value = raw(game.position());
        (Packed::new(game.position(), value as i16, NO_RESULT).with_classical(Score(value)), value)
    }

    #[test]
    fn every_move_is_drawn_and_valued_for_the_side_that_moves_then() {
        let fen = "7k/8/8/8/8/8/P7/K7 w - - 0 1";
        let mut expected: Vec<Packed> = Vec::new();
        for uci in ["a2a3", "a2a4", "a1b1", "a1b2"] {
            let (position, value) = after(fen, uci);
            assert!(value < 0, "{uci}: the side without a pawn is to move, and says {value}");
            expected.push(position);
        }
        let mut teacher = Teacher::default();
        let mut seen = HashSet::new();
        for pass in 0..40 {
            let draw = MoveSampling { seed: 1, pass, share: 1.0 };
            let one = teacher.teach(&packed(fen), draw, 3);
            assert_eq!(one, Teacher::default().teach(&packed(fen), draw, 3), "the same draw");
            seen.insert(expected.iter().position(|other| *other == one).expect("a legal move"));
        }
        assert_eq!(seen.len(), expected.len());
    }

    #[test]
    fn the_requested_share_is_drawn() {
        let one = packed("7k/8/8/8/8/8/P7/K7 w - - 0 1");
        let mut teacher = Teacher::default();
        let mut left = |share| {
            let draw = MoveSampling { seed: 1, pass: 0, share };
            (0..1000).filter(|&number| teacher.teach(&one, draw, number) != one).count()
        };
        assert_eq!((left(0.0), left(1.0)), (0, 1000));
        let quarter = left(0.25);
        assert!((200..300).contains(&quarter), "{quarter}");
    }

    #[test]
    fn moves_of_black_are_drawn_as_those_of_white() {
        let (white, black) = ("7k/8/8/8/8/8/P7/K7 w - - 0 1", "k7/p7/8/8/8/8/8/7K b - - 0 1");
        let draw = MoveSampling { seed: 5, pass: 2, share: 1.0 };
        let [one, other] = [white, black].map(|fen| Teacher::default().teach(&packed(fen), draw, 9));
        assert_eq!(one, other);
    }

    #[test]
    fn a_position_is_kept_if_the_move_gives_check_or_there_is_none() {
        // The only move gives check; or the side to move has no legal move.
        for fen in ["7k/8/6P1/8/8/8/p6r/K7 w - - 0 1", "7k/8/8/8/8/8/5q2/7K w - - 0 1"] {
            let game = Game::standard(fen).expect(fen);
            for number in 0..20 {
                let found =
                    Teacher::default().teach(&packed(fen), MoveSampling { seed: 1, pass: 0, share: 1.0 }, number);
                let value = raw(game.position());
                let expected = Packed::new(game.position(), value as i16, NO_RESULT).with_classical(Score(value));
                assert_eq!(found, expected, "{fen}");
            }
        }
    }
}
