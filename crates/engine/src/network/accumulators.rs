//! The accumulators of a line, kept up to date move by move.
//!
//! *Lazy*: a pushed move is only recorded. Its changes are added to the two accumulators when a value is requested, in one pass
//! over each accumulator for a whole move. Most positions of a search are left before a value is requested.
//! *Refresh cache*: when a king crosses the middle of the board, the squares of all pieces are mirrored for its side. Four
//! accumulators, for each side and each half of its king, are kept with their boards; only the pieces that differ are changed.
//! *Null moves* change nothing on the board: the accumulators are those of before.

use super::vector::Level;
use super::{NEURONS_STEP, Network, NeuronBlock, Perspective, SIDES, SQUARES, bucket};
use crate::position::{SquareChange, changes};
use crate::score::{MAX_PLY, Score};
use arrayvec::ArrayVec;
use shakmaty::{Board, CastlingSide, Color, Move, Piece, Role, Square};
use std::sync::Arc;

/// Halves of the board that a king can stand on.
const HALVES: usize = 2;

/// The accumulators of the line that a search thread is on.
pub(crate) struct Accumulators {
    network: Arc<Network>,
    level: Level,
    /// Blocks of one accumulator.
    length: usize,
    /// The last position of the line among `slots`.
    here: usize,
    slots: Vec<Slot>,
    /// Two accumulators for each slot, Black's first.
    sums: Vec<NeuronBlock>,
    cache: [[CachedAccumulator; HALVES]; SIDES],
}

/// A position of the line.
#[derive(Clone, Copy)]
struct Slot {
    /// The move that led here and its side; `None` for the first position.
    last: Option<(Color, Move)>,
    /// By colour: are the files mirrored?
    mirrored: [bool; SIDES],
    /// By colour: is the accumulator computed?
    computed: [bool; SIDES],
    /// Null moves made on top of it.
    nulls: usize,
}

impl Slot {
    const EMPTY: Slot = Slot { last: None, mirrored: [false; SIDES], computed: [false; SIDES], nulls: 0 };
}

/// An accumulator with its board.
struct CachedAccumulator {
    board: Board,
    sums: Box<[NeuronBlock]>,
}

/// The inputs that a special move sets or clears.
type Inputs = ArrayVec<u16, 2>;

impl Accumulators {
    /// A line of nothing.
    pub fn new(network: Arc<Network>, level: Level) -> Accumulators {
        let length = network.biases.len();
        let cached = || CachedAccumulator { board: Board::empty(), sums: network.biases.clone() };
        Accumulators {
            level,
            length,
            here: 0,
            slots: vec![Slot::EMPTY; MAX_PLY + 2],
            sums: vec![NeuronBlock([0; NEURONS_STEP]); (MAX_PLY + 2) * SIDES * length],
            cache: std::array::from_fn(|_| std::array::from_fn(|_| cached())),
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Begins a line with this board. Its accumulators are computed at once: whatever follows without asking, because the table knew the
    /// values, comes back to them.
    pub fn begin(&mut self, board: &Board) {
        self.here = 0;
        let mirrored = [Color::Black, Color::White].map(|color| Perspective::of(board, color).mirrored);
        self.slots[0] = Slot { mirrored, ..Slot::EMPTY };
        for color in Color::ALL {
            self.refresh(board, color);
        }
    }

    /// The line goes on with a legal move of `turn`.
    pub fn push(&mut self, turn: Color, mv: Move) {
        let mut mirrored = self.slots[self.here].mirrored;
        if let Some(king) = king_to(turn, mv) {
            mirrored[turn as usize] = Perspective::new(turn, king).mirrored;
        }
        self.here += 1;
        if self.here == self.slots.len() {
            self.grow();
        }
        self.slots[self.here] = Slot { last: Some((turn, mv)), mirrored, computed: [false; SIDES], nulls: 0 };
    }

    /// The line goes on with a null move.
    pub fn push_null(&mut self) {
        self.slots[self.here].nulls += 1;
    }

    /// Undoes the last move of the line.
    pub fn pop(&mut self) {
        let slot = &mut self.slots[self.here];
        match slot.nulls.checked_sub(1) {
            Some(nulls) => slot.nulls = nulls,
            None => self.here = self.here.saturating_sub(1),
        }
    }

    /// Room for another move: no search comes so far.
    #[cold]
    fn grow(&mut self) {
        self.slots.push(Slot::EMPTY);
        self.sums.resize(self.slots.len() * SIDES * self.length, NeuronBlock([0; NEURONS_STEP]));
    }

    /// The value of the position at the end of the line, which has this board, for the side to move.
    pub fn value(&mut self, board: &Board, turn: Color) -> Score {
        for color in Color::ALL {
            if !self.slots[self.here].computed[color as usize] {
                self.compute(board, color);
            }
        }
        let bucket = bucket(board.occupied().count(), self.network.buckets());
        let (own, other) = self.network.output(bucket).split_at(self.length);
        let both = [turn, !turn].map(|color| self.accumulator(self.here, color));
        self.network.finish(self.level.dot(both, [own, other]), bucket)
    }

    #[inline(always)]
    fn accumulator(&self, slot: usize, color: Color) -> &[NeuronBlock] {
        &self.sums[(slot * SIDES + color as usize) * self.length..][..self.length]
    }

    /// Computes an accumulator of the last position, from the nearest one before it that is computed, or from the cache if the
    /// side has seen the board otherwise since.
    fn compute(&mut self, board: &Board, color: Color) {
        let side = color as usize;
        let mut from = self.here;
        while !self.slots[from].computed[side] {
            if from == 0 || self.slots[from - 1].mirrored[side] != self.slots[from].mirrored[side] {
                return self.refresh(board, color);
            }
            from -= 1;
        }
        for slot in from + 1..=self.here {
            self.step(slot, color);
        }
    }

    /// Computes an accumulator from that of the position before.
    fn step(&mut self, slot: usize, color: Color) {
        let Slot { last, mirrored, .. } = self.slots[slot];
        let perspective = Perspective { color, mirrored: mirrored[color as usize] };
        let size = SIDES * self.length;
        let (before, after) = self.sums.split_at_mut(slot * size);
        let at = color as usize * self.length;
        let old = &before[(slot - 1) * size + at..][..self.length];
        let new = &mut after[at..][..self.length];
        let (network, level) = (&self.network, self.level);
        let row = |square: Square, piece: Piece| network.row(perspective.input(square, piece));
        if let Some((turn, Move::Normal { role, from, capture, to, promotion })) = last {
            let (off, on) = (row(from, role.of(turn)), row(to, promotion.unwrap_or(role).of(turn)));
            match capture {
                None => level.add_sub(new, old, on, off),
                Some(victim) => level.add_sub_sub(new, old, on, off, row(to, victim.of(!turn))),
            }
        } else {
            let (on, off) = special(last, perspective);
            new.copy_from_slice(old);
            level.apply(new, &network.weights, &on, &off);
        }
        self.slots[slot].computed[color as usize] = true;
    }

    /// Computes an accumulator of the last position from the cached one by the differences of their boards.
    fn refresh(&mut self, board: &Board, color: Color) {
        let mirrored = self.slots[self.here].mirrored[color as usize];
        let perspective = Perspective { color, mirrored };
        let cached = &mut self.cache[color as usize][usize::from(mirrored)];
        let (mut on, mut off) = (ArrayVec::<u16, SQUARES>::new(), ArrayVec::<u16, SQUARES>::new());
        for piece in Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| Piece { color, role })) {
            let (now, then) = (board.by_piece(piece), cached.board.by_piece(piece));
            let input = |square: Square| perspective.input(square, piece) as u16;
            on.extend((now & !then).into_iter().map(input));
            off.extend((then & !now).into_iter().map(input));
        }
        self.level.apply(&mut cached.sums, &self.network.weights, &on, &off);
        cached.board = board.clone();
        let at = (self.here * SIDES + color as usize) * self.length;
        self.sums[at..][..self.length].copy_from_slice(&cached.sums);
        self.slots[self.here].computed[color as usize] = true;
    }

    /// Returns true if the computed accumulators of the last position equal those from scratch.
    pub fn agree(&self, board: &Board) -> bool {
        Color::ALL.into_iter().filter(|color| self.slots[self.here].computed[*color as usize]).all(|color| {
            let scratch = self.network.accumulate(board, Perspective::of(board, color));
            super::values(self.accumulator(self.here, color)).eq(scratch)
        })
    }
}

/// The inputs that en passant or castling sets, and those that it clears.
#[cold]
fn special(last: Option<(Color, Move)>, perspective: Perspective) -> (Inputs, Inputs) {
    let (mut on, mut off) = (Inputs::new(), Inputs::new());
    if let Some((turn, mv)) = last {
        changes(turn, mv, |square, piece, change| {
            let inputs = if change == SquareChange::On { &mut on } else { &mut off };
            inputs.push(perspective.input(square, piece) as u16);
        });
    }
    (on, off)
}

/// The king's new square, if the king moves.
#[inline(always)]
fn king_to(turn: Color, mv: Move) -> Option<Square> {
    match mv {
        Move::Normal { role: Role::King, to, .. } => Some(to),
        Move::Castle { king, rook } => Some(CastlingSide::from_king_side(king < rook).king_to(turn)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{choice, random};
    use super::*;
    use crate::clock::Limits;
    use crate::eval::sums::tests::POSITIONS;
    use crate::params::Parameters;
    use crate::position::{Game, Position};
    use crate::search::pool::Engine;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use shakmaty::CastlingMode;

    fn network(buckets: usize) -> Arc<Network> {
        Arc::new(Network::new(&random(32, buckets, 11)).expect("its numbers fit"))
    }

    /// Begins a line with a position.
    fn line(network: &Arc<Network>, level: Level, position: &Position) -> Accumulators {
        let mut accumulators = Accumulators::new(Arc::clone(network), level);
        accumulators.begin(position.board());
        accumulators
    }

    fn check(accumulators: &mut Accumulators, position: &Position) {
        let (board, turn) = (position.board(), position.turn());
        let expected = accumulators.network().value(board, turn);
        assert_eq!(accumulators.value(board, turn), expected, "{}", position.fen());
        assert!(accumulators.agree(board), "{}", position.fen());
    }

    /// Walks the tree of moves; asks at every node, or at leaves alone, so that several moves are added at once.
    fn walk(accumulators: &mut Accumulators, position: &Position, depth: u32, leaves_only: bool) {
        if depth == 0 || !leaves_only {
            check(accumulators, position);
        }
        if depth > 0 {
            for mv in position.legal_moves() {
                accumulators.push(position.turn(), mv);
                walk(accumulators, &position.play(mv), depth - 1, leaves_only);
                accumulators.pop();
            }
        }
    }

    #[test]
    fn accumulators_kept_move_by_move_are_those_from_scratch() {
        let (network, level) = (network(8), Level::used());
        for (fen, mode) in POSITIONS {
            let game = Game::from_fen(fen, mode).expect(fen);
            for (depth, leaves_only) in [(2, false), (2, true)] {
                walk(&mut line(&network, level, game.position()), game.position(), depth, leaves_only);
            }
        }
    }

    #[test]
    fn a_king_that_crosses_the_middle_is_seen_from_the_other_side() {
        let network = network(4);
        for (fen, mode, moves) in [
            ("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", CastlingMode::Standard, "e1d1 e8d8 d1e1 d8e8 e1d1 e8d8"),
            ("r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1", CastlingMode::Standard, "e1c1 e8g8 c1d2 g8f7 d2e3 f7e8"),
            ("1rk4r/p6p/8/8/8/8/P6P/1RK4R w HBhb - 0 1", CastlingMode::Chess960, "c1h1 c8b8 g1f2 c8d7 f2e2 d7e8"),
        ] {
            for level in Level::all() {
                for interval in [1, 2, 3] {
                    let mut game = Game::from_fen(fen, mode).expect(fen);
                    let mut accumulators = line(&network, level, game.position());
                    for (number, text) in moves.split_whitespace().enumerate() {
                        let turn = game.position().turn();
                        let mv = game.play_uci(text).expect(text);
                        accumulators.push(turn, mv);
                        if number % interval == 0 {
                            check(&mut accumulators, game.position());
                        }
                    }
                    check(&mut accumulators, game.position());
                }
            }
        }
    }

    /// Moves, null moves, taking back and asking in any order, as a search might.
    #[test]
    fn any_walk_through_a_tree_comes_to_the_same_values() {
        const STEPS: usize = 6000;
        let network = network(2);
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for (fen, mode) in POSITIONS {
            let root = Game::from_fen(fen, mode).expect(fen).position().clone();
            let mut accumulators = line(&network, Level::used(), &root);
            let mut path = vec![root];
            for _ in 0..STEPS / POSITIONS.len() {
                let here = path.last().expect("never empty").clone();
                let moves = here.legal_moves();
                match random.random_range(0..8) {
                    0..4 if !moves.is_empty() => {
                        let mv = moves[random.random_range(0..moves.len())];
                        accumulators.push(here.turn(), mv);
                        path.push(here.play(mv));
                    }
                    4 if path.len() > 1 => {
                        accumulators.pop();
                        path.pop();
                    }
                    5 => {
                        if let Some(next) = here.play_null() {
                            accumulators.push_null();
                            path.push(next);
                        }
                    }
                    6 => {
                        for _ in 1..path.len().min(random.random_range(1..20)) {
                            accumulators.pop();
                            path.pop();
                        }
                    }
                    _ => check(&mut accumulators, &here),
                }
            }
            assert!(path.len() < MAX_PLY * 2);
        }
    }

    /// Debug assertions of the evaluator compare accumulators and value with those from scratch whenever a search requests a
    /// value. That is at about two of five nodes, so ten million comparisons take 25 million nodes.
    #[test]
    #[ignore = "minutes, and only with debug assertions: .ci/deep network"]
    fn accumulators_are_those_from_scratch_all_through_long_searches() {
        const NODES: u64 = 25_000_000;
        let watched = cfg!(debug_assertions);
        assert!(watched, "run this by: .ci/deep network");
        let mut nodes = 0;
        let mut engine = Engine::new(Parameters { eval_file: choice(&random(64, 8, 21)), ..Parameters::default() });
        for (fen, mode) in POSITIONS {
            let game = Game::from_fen(fen, mode).expect(fen);
            engine.new_game();
            nodes += engine.search_within(&game, &Limits::nodes(NODES / POSITIONS.len() as u64 + 1)).nodes;
        }
        assert!(nodes >= NODES, "only {nodes}");
    }

    #[test]
    fn a_line_longer_than_any_search_finds_room() {
        let network = network(1);
        let mut game = Game::new();
        let mut accumulators = line(&network, Level::used(), game.position());
        for number in 0..MAX_PLY + 20 {
            let turn = game.position().turn();
            let mv = game.play_uci(["g1f3", "g8f6", "f3g1", "f6g8"][number % 4]).expect("a knight");
            accumulators.push(turn, mv);
        }
        check(&mut accumulators, game.position());
    }
}
