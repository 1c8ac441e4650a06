//! Correction history: the static evaluation learns from what search found in positions with the same pawns, the same minor
//! pieces, the same pieces of one side, or after the same move.

use crate::history::{PieceTo, gravity};
use crate::position::Position;
use crate::score::{Depth, Score};
use shakmaty::Color;

crate::params! {
    /// correct the static evaluation by what search found
    on = true;
    /// weight of the table by pawns (1/128)
    pawn_weight = 48 in 0..=256 by 8;
    /// weight of the table by minor pieces (1/128)
    minor_weight = 48 in 0..=256 by 8;
    /// weight of each table by one side's pieces (1/128)
    side_weight = 48 in 0..=256 by 8;
    /// weight of the table by the last move (1/128)
    move_weight = 24 in 0..=256 by 8;
    /// share of an error learnt per ply of depth (1/128)
    rate = 16 in 1..=64 by 1;
    /// greatest change by one update (pawns/100 times 8)
    step_max = 256 in 16..=1024 by 16;
}

/// Counters are kept in 1/8 centipawn and stay within this.
const LIMIT: i32 = 1024;
const GRAIN: i32 = 8;
const UNIT: i32 = 128;
const SLOTS: usize = 16_384;
const SIDES: usize = 2;
const MOVES: usize = 1024;

/// The five tables of one search thread.
pub struct Corrections {
    pawn: Box<[i16]>,
    minor: Box<[i16]>,
    white: Box<[i16]>,
    black: Box<[i16]>,
    last: Box<[i16]>,
}

impl Default for Corrections {
    fn default() -> Corrections {
        let table = |slots: usize| vec![0i16; SIDES * slots].into_boxed_slice();
        Corrections {
            pawn: table(SLOTS),
            minor: table(SLOTS),
            white: table(SLOTS),
            black: table(SLOTS),
            last: table(MOVES),
        }
    }
}

fn slot(turn: Color, key: u64) -> usize {
    turn as usize * SLOTS + key as usize % SLOTS
}

impl Corrections {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Corrections::default();
    }

    /// What to add to the static evaluation (pawns/100).
    pub fn correction(&self, p: &Params, position: &Position, last: PieceTo) -> Score {
        if !p.on {
            return Score::ZERO;
        }
        let turn = position.turn();
        let at = |table: &[i16], key: u64| i32::from(table[slot(turn, key)]);
        let sum = at(&self.pawn, position.pawn_key()) * p.pawn_weight
            + at(&self.minor, position.minor_key()) * p.minor_weight
            + (at(&self.white, position.side_key(Color::White)) + at(&self.black, position.side_key(Color::Black)))
                * p.side_weight
            + i32::from(self.last[turn as usize * MOVES + last.index()]) * p.move_weight;
        Score(sum / (UNIT * GRAIN))
    }

    /// Learns from `error`: the value search found less the corrected evaluation (pawns/100).
    pub fn learn(&mut self, p: &Params, position: &Position, last: PieceTo, error: Score, depth: Depth) {
        if !p.on {
            return;
        }
        let turn = position.turn();
        let amount = i64::from(error.0) * i64::from(GRAIN) * i64::from(p.rate) * i64::from(depth.0.max(0));
        let amount = amount / i64::from(UNIT * Depth::ONE_PLY.0);
        let amount = amount.clamp(i64::from(-p.step_max), i64::from(p.step_max)) as i32;
        for (table, key) in [
            (&mut self.pawn, position.pawn_key()),
            (&mut self.minor, position.minor_key()),
            (&mut self.white, position.side_key(Color::White)),
            (&mut self.black, position.side_key(Color::Black)),
        ] {
            gravity(&mut table[slot(turn, key)], amount, LIMIT);
        }
        gravity(&mut self.last[turn as usize * MOVES + last.index()], amount, LIMIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    #[test]
    fn a_repeated_error_is_learnt_and_bounded() {
        let game = Game::new();
        let p = Params::DEFAULT;
        let mut c = Corrections::default();
        assert_eq!(c.correction(&p, game.position(), PieceTo::NONE), Score::ZERO);
        let mut last = 0;
        for _ in 0..50 {
            c.learn(&p, game.position(), PieceTo::NONE, Score(80), Depth::plies(8));
            let now = c.correction(&p, game.position(), PieceTo::NONE).0;
            assert!(now >= last);
            last = now;
        }
        assert!((20..=400).contains(&last), "{last}");
        assert_eq!(c.correction(&Params { on: false, ..p }, game.position(), PieceTo::NONE), Score::ZERO);
    }

    #[test]
    fn each_side_to_move_learns_for_itself() {
        let fen = |turn: char| format!("4k3/ppp5/8/8/8/8/5PPP/4K3 {turn} - - 0 1");
        let [white, black] =
            ['w', 'b'].map(|turn| Game::from_fen(&fen(turn), shakmaty::CastlingMode::Standard).expect("legal"));
        let p = Params::DEFAULT;
        for error in [90, -90] {
            let mut c = Corrections::default();
            c.learn(&p, white.position(), PieceTo::NONE, Score(error), Depth::plies(8));
            let learnt = c.correction(&p, white.position(), PieceTo::NONE);
            assert_eq!(learnt.0.signum(), error.signum(), "{error}: {learnt:?}");
            assert_eq!(c.correction(&p, black.position(), PieceTo::NONE), Score::ZERO, "{error}");
        }
    }
}
