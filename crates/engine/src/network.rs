//! The network: a static evaluation learned from our own games.
//!
//! **Inputs.** Each side looks at the board from its own end: 768 inputs, one for each own or enemy piece of six roles on 64
//! squares. Black's ranks are flipped, and the files are mirrored for a side whose own king stands on the files e to h, so that its
//! king is always seen on the left ([`Perspective`]).
//! **First layer.** An *accumulator* of N values for each side: the biases and the rows of the inputs that are set, in units of
//! 1/[`QA`].
//! **Output.** The two accumulators, the side to move's first, are clipped to 0..=[`QA`] and squared; their weighted sum
//! is the value. There are B sets of output weights, chosen by the number of pieces ([`bucket`]). The sum over all values `v` with
//! their weights `w` is exact in integers: `(sum(v * v * w) / QA + bias) * scale / (QA * QB)`, divisions rounding towards
//! zero, in pawns/100; [`Score::as_eval`] limits it.
//!
//! **Nothing overflows**, which [`Network::check`] sees to and every reader of a file can rely on:
//! - A board has at most 64 pieces, so an accumulator is at most `BIAS_MAX + 64 * WEIGHT_MAX = 32 700` from zero and fits 16 bits.
//!   Intermediate sums may wrap around: 16-bit additions are exact modulo 2^16, in any order, and so is their result.
//! - `v * w` is at most `QA * OUTPUT_MAX = 32 385` from zero and fits 16 bits.
//! - The positive weights of a bucket together are at most [`OUTPUT_SUM_MAX`], and so are the negative: `sum(v * v * w)` fits 32 bits
//!   in whatever order it is added up.
//! - The rest is done in 64 bits: `(2^31 / QA + 2^31) * SCALE_MAX` is far below 2^63.

mod accumulators;
mod choice;
mod contributions;
mod file;
mod style;
pub mod vector;

pub(crate) use accumulators::Accumulators;
pub use choice::{CLASSICAL, DEFAULT, EvalFile, EvalFileError, OPTION};
pub use contributions::Contributions;
pub use file::{FACTS_MAX, NetworkError};
pub(crate) use style::SHARE;
pub use style::{Params, ShareMismatch, ShareSource};

use crate::score::Score;
use shakmaty::{Board, Color, File, Piece, Square};

/// Inputs of one perspective.
pub const INPUTS: usize = SIDES * ROLES * SQUARES;
/// The number that means 1 in an accumulator.
pub const QA: i32 = 255;
/// The number that means 1 among the output weights.
pub const QB: i32 = 64;
/// Greatest weight of the first layer, either sign.
pub const WEIGHT_MAX: i16 = 500;
/// Greatest bias of the first layer, either sign.
pub const BIAS_MAX: i16 = 700;
/// Greatest output weight, either sign.
pub const OUTPUT_MAX: i16 = 127;
/// Most that the output weights of one sign and bucket may add up to.
pub const OUTPUT_SUM_MAX: i32 = i32::MAX / (QA * QA);
/// Greatest scale (pawns/100 for each unit of the output).
pub const SCALE_MAX: i32 = 10_000;
/// N is a multiple of this: a cache line of 16-bit values.
pub const NEURONS_STEP: usize = 32;
/// Greatest N.
pub const NEURONS_MAX: usize = 1024;
/// The allowed values of B.
pub const BUCKETS: [usize; 4] = [1, 2, 4, 8];

const SIDES: usize = 2;
const ROLES: usize = 6;
const SQUARES: usize = 64;
/// Pieces that every position has: the kings.
const PIECES_MIN: usize = 2;
/// Numbers of pieces that positions of a game can have.
const PIECE_COUNTS: usize = 31;

const _: () = assert!(BIAS_MAX as i32 + SQUARES as i32 * WEIGHT_MAX as i32 <= i16::MAX as i32);
const _: () = assert!(QA * OUTPUT_MAX as i32 <= i16::MAX as i32);

/// How one side sees the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    /// The side.
    pub color: Color,
    /// True if the files are mirrored.
    pub mirrored: bool,
}

impl Perspective {
    /// How a side with its king on `king` sees the board.
    #[inline(always)]
    pub fn new(color: Color, king: Square) -> Perspective {
        Perspective { color, mirrored: king.file() >= File::E }
    }

    /// How `color` sees this board; not mirrored without a king.
    pub fn of(board: &Board, color: Color) -> Perspective {
        let king = board.king_of(color);
        Perspective { color, mirrored: king.is_some_and(|king| Perspective::new(color, king).mirrored) }
    }

    /// The input of a piece on a square: `((own ? 0 : 1) * 6 + role) * 64 + square`, roles from pawn to king.
    #[inline(always)]
    pub fn input(self, square: Square, piece: Piece) -> usize {
        const FLIP_RANKS: usize = 0b111_000;
        const FLIP_FILES: usize = 0b000_111;
        let ranks = if self.color.is_white() { 0 } else { FLIP_RANKS };
        let files = if self.mirrored { FLIP_FILES } else { 0 };
        let side = usize::from(piece.color != self.color);
        (side * ROLES + piece.role as usize - 1) * SQUARES + (square as usize ^ ranks ^ files)
    }

    /// The inputs that are set on a board.
    pub fn inputs(self, board: &Board) -> impl Iterator<Item = usize> {
        board.clone().into_iter().map(move |(square, piece)| self.input(square, piece))
    }
}

/// The output bucket of a position with this number of pieces, kings and pawns included, if there are `buckets`:
/// `(pieces - 2) * buckets / 31`, and the last one for more than 32 pieces.
#[inline(always)]
pub fn bucket(pieces: usize, buckets: usize) -> usize {
    (pieces.saturating_sub(PIECES_MIN) * buckets / PIECE_COUNTS).min(buckets - 1)
}

/// A cache line of 16-bit values.
#[repr(align(64))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NeuronBlock(pub [i16; NEURONS_STEP]);

/// The numbers of a network as a trainer has them, each in its own order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// N, the neurons of one perspective.
    pub neurons: usize,
    /// B, the output buckets.
    pub buckets: usize,
    /// Pawns/100 for each unit of the output.
    pub scale: i32,
    /// Facts about its training as JSON: place, data, seed. The engine reads only `plan.classical`, the share of the classical evaluation.
    pub facts: String,
    /// First layer: N for each of the [`INPUTS`], in units of 1/[`QA`].
    pub weights: Vec<i16>,
    /// First layer: N biases in units of 1/[`QA`].
    pub biases: Vec<i16>,
    /// Output: 2N for each bucket, those of the side to move first, in units of 1/[`QB`].
    pub output_weights: Vec<i16>,
    /// Output: one for each bucket in units of 1/([`QA`] * [`QB`]).
    pub output_biases: Vec<i32>,
}

impl Parts {
    /// A network with this number of neurons and buckets, a scale of one pawn, and zeros elsewhere, without facts. It is a
    /// template to fill in.
    pub fn zero(neurons: usize, buckets: usize) -> Parts {
        const SCALE: i32 = 100;
        Parts {
            neurons,
            buckets,
            scale: SCALE,
            facts: String::new(),
            weights: vec![0; INPUTS * neurons],
            biases: vec![0; neurons],
            output_weights: vec![0; SIDES * neurons * buckets],
            output_biases: vec![0; buckets],
        }
    }
}

/// A network whose numbers have been checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    neurons: usize,
    scale: i32,
    facts: String,
    classical_share: Option<i32>,
    weights: Box<[NeuronBlock]>,
    biases: Box<[NeuronBlock]>,
    output_weights: Box<[NeuronBlock]>,
    output_biases: Box<[i32]>,
    checksum: u32,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network({})", self.name())
    }
}

/// The share of the classical evaluation in the facts (percent). Plans of early versions have none, which means 0.
fn share_in(facts: &str) -> Option<i32> {
    const PERCENT: f64 = 100.0;
    let facts: serde_json::Value = serde_json::from_str(facts).ok()?;
    let share = match facts.get("plan")?.as_object()?.get("classical") {
        Some(share) => share.as_f64()?,
        None => 0.0,
    };
    (0.0..=1.0).contains(&share).then_some((share * PERCENT).round() as i32)
}

fn blocks(values: &[i16]) -> Box<[NeuronBlock]> {
    let (whole, _) = values.as_chunks::<NEURONS_STEP>();
    whole.iter().map(|&chunk| NeuronBlock(chunk)).collect()
}

fn values(blocks: &[NeuronBlock]) -> impl Iterator<Item = i16> {
    blocks.iter().flat_map(|block| block.0)
}

impl Network {
    /// A network of these numbers.
    ///
    /// # Errors
    /// Those of [`Network::check`].
    pub fn new(parts: &Parts) -> Result<Network, NetworkError> {
        Network::check(parts)?;
        let mut network = Network {
            neurons: parts.neurons,
            scale: parts.scale,
            facts: parts.facts.clone(),
            classical_share: share_in(&parts.facts),
            weights: blocks(&parts.weights),
            biases: blocks(&parts.biases),
            output_weights: blocks(&parts.output_weights),
            output_biases: parts.output_biases.clone().into_boxed_slice(),
            checksum: 0,
        };
        network.checksum = crc32fast::hash(&network.body());
        Ok(network)
    }

    /// Checks that the shape and all numbers are valid, so that nothing can overflow.
    ///
    /// # Errors
    /// The first that does not: [`NetworkError::Shape`], [`NetworkError::Count`], [`NetworkError::Bound`], [`NetworkError::Sum`] or
    /// [`NetworkError::Facts`].
    pub fn check(parts: &Parts) -> Result<(), NetworkError> {
        let &Parts { neurons, buckets, scale, .. } = parts;
        file::check_shape(neurons, buckets, scale)?;
        if parts.facts.len() > FACTS_MAX {
            return Err(NetworkError::Facts { length: parts.facts.len() });
        }
        count("weights", parts.weights.len(), INPUTS * neurons)?;
        count("biases", parts.biases.len(), neurons)?;
        count("output weights", parts.output_weights.len(), SIDES * neurons * buckets)?;
        count("output biases", parts.output_biases.len(), buckets)?;
        bound("weight", &parts.weights, neurons, WEIGHT_MAX)?;
        bound("bias", &parts.biases, neurons, BIAS_MAX)?;
        bound("output weight", &parts.output_weights, SIDES * neurons, OUTPUT_MAX)?;
        for (bucket, row) in parts.output_weights.chunks(SIDES * neurons).enumerate() {
            for sign in [1, -1] {
                let found = row.iter().map(|&weight| (i32::from(weight) * sign).max(0)).sum::<i32>();
                if found > OUTPUT_SUM_MAX {
                    return Err(NetworkError::Sum { bucket, found: found * sign });
                }
            }
        }
        Ok(())
    }

    /// The numbers of the network.
    pub fn parts(&self) -> Parts {
        Parts {
            neurons: self.neurons,
            buckets: self.buckets(),
            scale: self.scale,
            facts: self.facts.clone(),
            weights: values(&self.weights).collect(),
            biases: values(&self.biases).collect(),
            output_weights: values(&self.output_weights).collect(),
            output_biases: self.output_biases.to_vec(),
        }
    }

    /// N, the neurons of one perspective.
    pub fn neurons(&self) -> usize {
        self.neurons
    }

    /// B, the output buckets.
    pub fn buckets(&self) -> usize {
        self.output_biases.len()
    }

    /// Facts about its training, as JSON.
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// The share of the classical evaluation in values that it was trained with (percent, 0 to 100); `None` if its facts lack it.
    pub fn classical_share(&self) -> Option<i32> {
        self.classical_share
    }

    /// The network in a word: its shape and its checksum, as in `768x256x8-1a2b3c4d`.
    pub fn name(&self) -> String {
        format!("{}x{}x{}-{:08x}", INPUTS, self.neurons, self.buckets(), self.checksum)
    }

    /// The value of a board for the side to move, from scratch and in plain Rust: what every faster way must agree with.
    pub fn value(&self, board: &Board, turn: Color) -> Score {
        self.value_in(board, turn, bucket(board.occupied().count(), self.buckets()))
    }

    /// The same with the output weights of this bucket.
    fn value_in(&self, board: &Board, turn: Color, bucket: usize) -> Score {
        let weights = self.output(bucket).iter().flat_map(|block| block.0);
        let both = [turn, !turn].map(|color| self.accumulate(board, Perspective::of(board, color)));
        let sum: i32 = both.iter().flatten().zip(weights).map(|(&value, weight)| product(value, weight)).sum();
        self.finish(sum, bucket)
    }

    /// The accumulator of a perspective from scratch.
    fn accumulate(&self, board: &Board, perspective: Perspective) -> Vec<i16> {
        let mut sums: Vec<i16> = values(&self.biases).collect();
        for input in perspective.inputs(board) {
            let row = self.row(input).iter().flat_map(|block| &block.0);
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
        }
        sums
    }

    /// The weights of an input.
    #[inline(always)]
    pub(crate) fn row(&self, input: usize) -> &[NeuronBlock] {
        let length = self.neurons / NEURONS_STEP;
        &self.weights[input * length..][..length]
    }

    /// The output weights of a bucket.
    #[inline(always)]
    pub(crate) fn output(&self, bucket: usize) -> &[NeuronBlock] {
        let length = SIDES * self.neurons / NEURONS_STEP;
        &self.output_weights[bucket * length..][..length]
    }

    /// The value for a sum of squares and weights.
    #[inline(always)]
    pub(crate) fn finish(&self, sum: i32, bucket: usize) -> Score {
        let units = i64::from(sum / QA) + i64::from(self.output_biases[bucket]);
        let value = units * i64::from(self.scale) / i64::from(QA * QB);
        let most = i64::from(Score::EVAL_MAX.0);
        Score(value.clamp(-most, most) as i32).as_eval()
    }
}

/// The term of a value of an accumulator in the sum: clipped, squared, weighted.
#[inline(always)]
fn product(value: i16, weight: i16) -> i32 {
    let clipped = i32::from(value).clamp(0, QA);
    clipped * clipped * i32::from(weight)
}

fn count(what: &'static str, found: usize, expected: usize) -> Result<(), NetworkError> {
    if found == expected { Ok(()) } else { Err(NetworkError::Count { what, found, expected }) }
}

fn bound(what: &'static str, values: &[i16], row: usize, limit: i16) -> Result<(), NetworkError> {
    match values.iter().position(|value| value.unsigned_abs() > limit.unsigned_abs()) {
        Some(at) => Err(NetworkError::Bound { what, row: at / row, column: at % row, found: values[at], limit }),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A network of random numbers that mean nothing but are all used: both signs, all buckets, some beyond the clipping.
    pub(crate) fn random(neurons: usize, buckets: usize, seed: u64) -> Parts {
        const LARGE: i16 = 90;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = |count: usize, most: i16| (0..count).map(|_| random.random_range(-most..=most)).collect();
        let output_max = (OUTPUT_SUM_MAX as usize / neurons).min(OUTPUT_MAX as usize) as i16;
        Parts {
            neurons,
            buckets,
            scale: 400,
            facts: format!("{{\"seed\":{seed}}}"),
            weights: draw(INPUTS * neurons, LARGE),
            biases: draw(neurons, BIAS_MAX),
            output_weights: draw(SIDES * neurons * buckets, output_max),
            output_biases: vec![1000; buckets],
        }
    }

    /// The same as a choice of evaluation.
    pub(crate) fn random_choice(neurons: usize, buckets: usize, seed: u64) -> EvalFile {
        choice(&random(neurons, buckets, seed))
    }

    /// A network of these numbers as a choice of evaluation.
    pub(crate) fn choice(parts: &Parts) -> EvalFile {
        let network = Network::new(parts).expect("its numbers fit");
        EvalFile::Network { path: parts.facts.as_str().into(), network: network.into() }
    }

    fn board(fen: &str) -> (Board, Color) {
        let game = testing::game(fen);
        (game.position().board().clone(), game.position().turn())
    }

    #[test]
    fn an_input_is_indexed_by_side_role_and_relative_square() {
        use shakmaty::{Role, Square::*};
        for (name, color, king, square, piece, input) in [
            ("white's pawn", Color::White, A1, A2, Role::Pawn.of(Color::White), 8),
            ("mirrored", Color::White, E1, A2, Role::Pawn.of(Color::White), 15),
            ("not on the d file", Color::White, D1, A2, Role::Pawn.of(Color::White), 8),
            ("an enemy", Color::White, A1, H8, Role::King.of(Color::Black), 11 * 64 + 63),
            ("black's own, ranks flipped", Color::Black, A8, A7, Role::Pawn.of(Color::Black), 8),
            ("black's enemy, both flipped", Color::Black, G8, H1, Role::Queen.of(Color::White), 10 * 64 + 56),
        ] {
            assert_eq!(Perspective::new(color, king).input(square, piece), input, "{name}");
        }
    }

    #[test]
    fn buckets_split_the_numbers_of_pieces_evenly() {
        for (pieces, expected) in [(0, 0), (2, 0), (5, 0), (6, 1), (9, 1), (10, 2), (29, 6), (30, 7), (32, 7), (64, 7)]
        {
            assert_eq!(bucket(pieces, 8), expected, "{pieces}");
            assert_eq!(bucket(pieces, 1), 0);
        }
    }

    #[test]
    fn a_value_is_that_of_the_formula() {
        let mut parts = Parts { scale: 400, output_biases: vec![0, 16_320], ..Parts::zero(32, 2) };
        let two_kings = board("8/8/8/3k4/8/8/8/K7 w - - 0 1");
        let all = board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        let value = |parts: &Parts, (board, turn): &(Board, Color)| Network::new(parts).unwrap().value(board, *turn).0;
        assert_eq!((value(&parts, &two_kings), value(&parts, &all)), (0, 400), "the bias of the bucket alone");
        parts.biases[3] = 100; // both sides' neuron 3 is 100
        parts.output_weights[3] = 64; // that of the side to move counts
        assert_eq!(value(&parts, &two_kings), 100 * 100 * 64 / 255 * 400 / 16_320);
        parts.output_weights[32 + 3] = -64; // and now the other's, too
        assert_eq!(value(&parts, &two_kings), 0);
        parts.weights[5 * 64 * 32 + 3] = 200; // the own king on a1: clipped to 255
        let clipped = (255 * 255 - 100 * 100) * 64 / 255 * 400 / 16_320;
        assert_eq!(value(&parts, &two_kings), clipped);
        assert_eq!(value(&parts, &(two_kings.0.clone(), Color::Black)), -clipped);
        parts.biases[3] = -700; // below zero is nothing
        assert_eq!(value(&parts, &two_kings), 0);
        parts.output_biases[0] = i32::MIN;
        assert_eq!(value(&parts, &two_kings), -Score::EVAL_MAX.0, "limited to what an evaluation may be");
    }

    #[test]
    fn the_greatest_numbers_do_not_overflow() {
        let weights = OUTPUT_SUM_MAX as usize / 127;
        let parts = |sign: i16| Parts {
            weights: vec![sign * WEIGHT_MAX; INPUTS * 1024],
            biases: vec![sign * BIAS_MAX; 1024],
            output_weights: (0..2048).map(|i| if i < weights { sign * OUTPUT_MAX } else { 0 }).collect(),
            output_biases: vec![i32::MAX],
            scale: SCALE_MAX,
            ..random(1024, 1, 1)
        };
        let (board, turn) = board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        for sign in [1, -1] {
            let network = Network::new(&parts(sign)).unwrap();
            assert_eq!(network.value(&board, turn), Score::EVAL_MAX);
        }
    }

    #[test]
    fn a_board_and_its_mirror_image_are_worth_the_same() {
        let network = Network::new(&random(32, 4, 7)).unwrap();
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let (board, turn) = board(fen);
            let mut flipped = board.clone();
            flipped.flip_vertical();
            flipped.swap_colors();
            assert_eq!(network.value(&board, turn), network.value(&flipped, !turn), "{fen}");
            assert_ne!(network.value(&board, turn), network.value(&board, !turn), "{fen}");
            let mut mirrored = board.clone();
            mirrored.flip_horizontal();
            assert_eq!(network.value(&board, turn), network.value(&mirrored, turn), "{fen}");
        }
    }
}
