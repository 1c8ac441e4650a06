//! Correction history: the static evaluation learns from what search found in positions with the same pawns, the same minor
//! pieces, the same pieces of one side, or after the same move.

use crate::history::{PIECE_TO, PieceTo, gravity};
use crate::position::Position;
use crate::prefetch::prefetch;
use crate::score::{Depth, Score};
use shakmaty::Color;

crate::params! {
    /// correct the static evaluation by search results
    on = true;
    /// weight of the table indexed by the pawns (1/128)
    pawn_weight = 32 in 0..=256 by 8, neutral 64;
    /// weight of the table indexed by the minor pieces (1/128)
    minor_weight = 48 in 0..=256 by 8;
    /// weight of each table indexed by the pieces of one side (1/128)
    side_weight = 48 in 0..=256 by 8;
    /// weight of the table indexed by the last move (1/128)
    move_weight = 8 in 0..=256 by 8, neutral 48;
    /// weight of the table indexed by the last two moves; if 0, it is not updated either (1/128)
    two_weight = 48 in 0..=256 by 8, neutral 0;
    /// share of an error learnt per ply of depth (1/128)
    rate = 15 in 1..=64 by 1, neutral 16;
    /// greatest change by one update (pawns/800)
    step_max = 416 in 16..=1024 by 16, neutral 256;
}

/// The two moves that led to a node, the last first; [`PieceTo::NONE`] where there was none.
pub type PrecedingMoves = [PieceTo; 2];

/// No moves led here.
#[cfg(test)]
pub(crate) const NO_PRECEDING: PrecedingMoves = [PieceTo::NONE; 2];

/// Counters are kept in 1/8 centipawn and stay within this.
const LIMIT: i32 = 1024;
const GRAIN: i32 = 8;
const UNIT: i32 = 128;
const SLOTS: usize = 16_384;
const SIDES: usize = 2;
const MOVES: usize = 1024;
const PAIRS: usize = PIECE_TO * PIECE_TO;

/// The tables of one search thread.
pub struct Corrections {
    pawn: Box<[i16]>,
    minor: Box<[i16]>,
    white: Box<[i16]>,
    black: Box<[i16]>,
    last: Box<[i16]>,
    /// By the last move and the one before; empty until something is learnt.
    pairs: Vec<i16>,
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
            pairs: Vec::new(),
        }
    }
}

fn slot(turn: Color, key: u64) -> usize {
    turn as usize * SLOTS + key as usize % SLOTS
}

/// The counter of the last move with the one before, if it is in use.
fn pair(p: &Params, &[last, before]: &PrecedingMoves) -> Option<usize> {
    let known = p.two_weight != 0 && before != PieceTo::NONE && last != PieceTo::NONE;
    known.then(|| last.index() * PIECE_TO + before.index())
}

impl Corrections {
    /// The amount to add to the static evaluation (pawns/100).
    pub fn correction(&self, p: &Params, position: &Position, preceding: &PrecedingMoves) -> Score {
        if !p.on {
            return Score::ZERO;
        }
        let turn = position.turn();
        let at = |table: &[i16], key: u64| i32::from(table[slot(turn, key)]);
        let sum = at(&self.pawn, position.pawn_key()) * p.pawn_weight
            + at(&self.minor, position.minor_key()) * p.minor_weight
            + (at(&self.white, position.side_key(Color::White)) + at(&self.black, position.side_key(Color::Black)))
                * p.side_weight
            + i32::from(self.last[turn as usize * MOVES + preceding[0].index()]) * p.move_weight
            + self.by_pair(p, preceding) * p.two_weight;
        Score(sum / (UNIT * GRAIN))
    }

    /// Prefetches the counters of a position that will be evaluated soon, with `turn` to move after these moves: those in large tables that
    /// change with most moves. Of the position only its keys are read.
    #[inline(always)]
    pub fn prefetch(&self, turn: Color, position: &Position, [last, before]: [PieceTo; 2]) {
        prefetch(&self.minor[slot(turn, position.minor_key())]);
        prefetch(&self.white[slot(turn, position.side_key(Color::White))]);
        prefetch(&self.black[slot(turn, position.side_key(Color::Black))]);
        if let Some(place) = self.pairs.get(last.index() * PIECE_TO + before.index()) {
            prefetch(place);
        }
    }

    fn by_pair(&self, p: &Params, preceding: &PrecedingMoves) -> i32 {
        pair(p, preceding).and_then(|place| self.pairs.get(place)).map_or(0, |&count| i32::from(count))
    }

    /// Updates the counters by `error`: the value search found less the corrected evaluation (pawns/100).
    pub fn update(&mut self, p: &Params, position: &Position, preceding: &PrecedingMoves, error: Score, depth: Depth) {
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
        gravity(&mut self.last[turn as usize * MOVES + preceding[0].index()], amount, LIMIT);
        if let Some(place) = pair(p, preceding) {
            if self.pairs.is_empty() {
                self.pairs = vec![0; PAIRS];
            }
            gravity(&mut self.pairs[place], amount, LIMIT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use crate::testing;

    /// Learns 1/8 of an error per ply of depth, and corrects by whole counters of the tables with these weights.
    fn plain([pawn_weight, minor_weight, side_weight, move_weight]: [i32; 4]) -> Params {
        let weights = Params { pawn_weight, minor_weight, side_weight, move_weight, ..Params::DEFAULT };
        Params { two_weight: 0, rate: UNIT / GRAIN, step_max: 256, ..weights }
    }

    #[test]
    fn an_update_is_the_share_of_the_error_by_depth_within_its_limit() {
        let (game, p) = (Game::new(), plain([UNIT, 0, 0, 0]));
        for (error, depth, learnt) in [
            (20, 8192, 20),
            (20, 4096, 10),
            (-20, 8192, -20),
            (80, 8192, 32),
            (-80, 8192, -32),
            (20, 0, 0),
            (20, -1024, 0),
        ] {
            let mut c = Corrections::default();
            c.update(&p, game.position(), &NO_PRECEDING, Score(error), Depth(depth));
            assert_eq!(c.correction(&p, game.position(), &NO_PRECEDING), Score(learnt), "{error} at {depth}");
        }
    }

    #[test]
    fn each_table_is_indexed_by_its_own_pieces() {
        // The position that is learnt, and others with another pawn, white knight, white rook and black rook.
        let games = [
            "rn2k3/5ppp/8/8/8/8/5PPP/RN2K3",
            "rn2k3/5pp1/7p/8/8/8/5PPP/RN2K3",
            "rn2k3/5ppp/8/8/8/2N5/5PPP/R3K3",
            "rn2k3/5ppp/8/8/8/8/5PPP/1N1RK3",
            "1n1rk3/5ppp/8/8/8/8/5PPP/RN2K3",
        ]
        .map(|placement| testing::game(&format!("{placement} w - - 0 1")));
        for (name, weights, expected) in [
            ("pawns", [UNIT, 0, 0, 0], [20, 0, 20, 20, 20]),
            ("minor pieces", [0, UNIT, 0, 0], [20, 20, 0, 20, 20]),
            ("one table for each side", [0, 0, UNIT, 0], [40, 40, 20, 20, 20]),
            ("the last move", [0, 0, 0, UNIT], [20; 5]),
        ] {
            let (p, mut c) = (plain(weights), Corrections::default());
            c.update(&p, games[0].position(), &NO_PRECEDING, Score(20), Depth::plies(8));
            let found = games.each_ref().map(|game| c.correction(&p, game.position(), &NO_PRECEDING).0);
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_repeated_error_is_learnt_and_bounded() {
        let game = Game::new();
        let p = Params::DEFAULT;
        let mut c = Corrections::default();
        assert_eq!(c.correction(&p, game.position(), &NO_PRECEDING), Score::ZERO);
        let mut last = 0;
        for _ in 0..50 {
            c.update(&p, game.position(), &NO_PRECEDING, Score(80), Depth::plies(8));
            let now = c.correction(&p, game.position(), &NO_PRECEDING).0;
            assert!(now >= last);
            last = now;
        }
        assert!((20..=400).contains(&last), "{last}");
        assert_eq!(c.correction(&Params { on: false, ..p }, game.position(), &NO_PRECEDING), Score::ZERO);
    }

    #[test]
    fn each_side_to_move_learns_for_itself() {
        let fen = |turn: char| format!("4k3/ppp5/8/8/8/8/5PPP/4K3 {turn} - - 0 1");
        let [white, black] = ['w', 'b'].map(|turn| testing::game(&fen(turn)));
        let p = Params::DEFAULT;
        for error in [90, -90] {
            let mut c = Corrections::default();
            c.update(&p, white.position(), &NO_PRECEDING, Score(error), Depth::plies(8));
            let learnt = c.correction(&p, white.position(), &NO_PRECEDING);
            assert_eq!(learnt.0.signum(), error.signum(), "{error}: {learnt:?}");
            assert_eq!(c.correction(&p, black.position(), &NO_PRECEDING), Score::ZERO, "{error}");
        }
    }

    #[test]
    fn the_move_before_the_last_one_corrects_with_its_weight() {
        use shakmaty::{Move, Role, Square};
        let game = Game::new();
        let at = |to| {
            let mv = Move::Normal { role: Role::Rook, from: Square::H1, capture: None, to, promotion: None };
            PieceTo::of(Color::White, mv)
        };
        let own = |two_weight| Params {
            pawn_weight: 0,
            minor_weight: 0,
            side_weight: 0,
            move_weight: 0,
            two_weight,
            ..Params::DEFAULT
        };
        let (p, off, preceding) = (own(128), own(0), [at(Square::A1), at(Square::B1)]);
        let mut c = Corrections::default();
        c.update(&off, game.position(), &preceding, Score(80), Depth::plies(8));
        assert_eq!(c.correction(&p, game.position(), &preceding), Score::ZERO, "not learnt while it is off");
        for _ in 0..20 {
            c.update(&p, game.position(), &preceding, Score(80), Depth::plies(8));
        }
        let learnt = c.correction(&p, game.position(), &preceding);
        assert!(learnt > Score(20), "{learnt:?}");
        let half = c.correction(&own(64), game.position(), &preceding);
        assert!((half.0 * 2 - learnt.0).abs() <= 1, "{half:?} {learnt:?}");
        let [last, before] = preceding;
        for other in [
            [last, at(Square::C1)],
            [at(Square::C1), before],
            [last, PieceTo::NONE],
            [PieceTo::NONE, before],
            [before, last],
        ] {
            assert_eq!(c.correction(&p, game.position(), &other), Score::ZERO, "other moves");
        }
        assert_eq!(c.correction(&off, game.position(), &preceding), Score::ZERO);
    }
}
