//! Chances in whole numbers: powers and logarithms of two from one table, and the chances of the moves of a node by a softmax.
//!
//! A chance is counted in bits (1/1024): 0 is certain, 1024 one half, 5120 one of 32. A move's sum of weights is in the same unit, so
//! that 1024 more double its odds.

use crate::position::{MOVES_MAX, pack};
use arrayvec::ArrayVec;
use shakmaty::Move;

/// The unit of bits and of sums.
pub const BIT: i32 = 1024;
/// The unit of powers.
const ONE: u64 = 1 << ONE_BITS;
const ONE_BITS: u32 = 24;
/// Powers in the table: the parts into which a bit is divided.
const STEPS: usize = BIT as usize;
const STEPS_LOG: usize = STEPS.ilog2() as usize;

/// Two to the power of `n`/1024, from 1 to nearly 2, in units of [`ONE`]; made from square roots of two.
static POWERS: [u32; STEPS] = powers();

const fn powers() -> [u32; STEPS] {
    // More digits than are kept, so that rounding does not add up.
    const FINE: u32 = 30;
    let mut roots = [0u64; STEPS_LOG];
    let mut root = 2u64 << FINE;
    let mut index = STEPS_LOG;
    while index > 0 {
        index -= 1;
        root = (root << FINE).isqrt();
        roots[index] = root;
    }
    let mut table = [0u32; STEPS];
    let mut step = 0;
    while step < STEPS {
        let mut power = 1u64 << FINE;
        let mut index = 0;
        while index < STEPS_LOG {
            if step >> index & 1 == 1 {
                power = (power * roots[index]) >> FINE;
            }
            index += 1;
        }
        table[step] = (power >> (FINE - ONE_BITS)) as u32;
        step += 1;
    }
    table
}

/// Two to the power of `-bits`/1024 in units of [`ONE`]; `bits` is not negative.
fn power(bits: i32) -> u64 {
    let (whole, rest) = ((-bits).div_euclid(BIT), (-bits).rem_euclid(BIT));
    u64::from(POWERS[rest as usize]).checked_shr(whole.unsigned_abs()).unwrap_or(0)
}

/// The binary logarithm (1/1024) of a number in units of [`ONE`], which is not 0.
fn logarithm(number: u64) -> i32 {
    let top = number.max(1).ilog2();
    let mantissa = if top >= ONE_BITS { number >> (top - ONE_BITS) } else { number << (ONE_BITS - top) };
    let step = POWERS.partition_point(|&power| u64::from(power) <= mantissa) - 1;
    (top as i32 - ONE_BITS as i32) * BIT + step as i32
}

/// A chance of `share` in `whole` in bits (1/1024); an impossible one counts as the least chance.
pub fn bits_of(share: i32, whole: i32) -> i32 {
    let share = ONE * share.max(1) as u64 / whole.max(1) as u64;
    -logarithm(share.clamp(1, ONE))
}

/// The probability that corresponds to `bits` (1/1024), as a share of `whole`.
pub fn share_of(bits: i32, whole: i32) -> i32 {
    ((power(bits.max(0)) * whole as u64 + ONE / 2) / ONE) as i32
}

/// The binary logarithm (1/1024) of the sum of the odds of moves with these sums of weights (1/1024 bit).
pub(crate) fn log_sum(sums: impl Iterator<Item = i32> + Clone) -> i32 {
    let most = sums.clone().max().unwrap_or(0);
    let odds: u64 = sums.map(|sum| power(most - sum)).sum();
    most + logarithm(odds.max(ONE))
}

/// The moves of a node with their sums of weights, from which their chances follow.
#[derive(Clone, Default, Debug)]
pub struct Chances {
    sums: ArrayVec<(u16, i32), MOVES_MAX>,
    /// The logarithm of the sum of all odds.
    total: i32,
}

impl Chances {
    /// The chances of moves from their sums of weights.
    pub fn new(moves: impl IntoIterator<Item = (Move, i32)>) -> Chances {
        let sums: ArrayVec<(u16, i32), MOVES_MAX> =
            moves.into_iter().take(MOVES_MAX).map(|(mv, sum)| (pack(mv), sum)).collect();
        Chances { total: log_sum(sums.iter().map(|(_, sum)| *sum)), sums }
    }

    /// A move's sum of weights (1/1024 bit) and its chance in bits (1/1024); `None` for a move that is not among them.
    pub fn of(&self, mv: Move) -> Option<(i32, i32)> {
        let packed = pack(mv);
        let (_, sum) = self.sums.iter().find(|(other, _)| *other == packed)?;
        Some((*sum, (self.total - sum).max(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    #[test]
    fn powers_and_logarithms_are_those_of_two() {
        for bits in 0..16 * BIT {
            let exact = (-f64::from(bits) / f64::from(BIT)).exp2() * ONE as f64;
            assert!((power(bits) as f64 - exact).abs() <= exact * 1e-6 + 2.0, "{bits}: {} {exact}", power(bits));
        }
        for number in [1, 2, 3, 1000, ONE - 1, ONE, ONE + 1, 3 * ONE, 218 * ONE] {
            let exact = (number as f64 / ONE as f64).log2() * f64::from(BIT);
            let found = f64::from(logarithm(number));
            assert!(found <= exact + 0.01 && exact < found + 1.01, "{number}: {found} {exact}");
        }
        assert_eq!(power(i32::MAX), 0);
    }

    #[test]
    fn a_half_is_one_bit_and_back() {
        for (share, bits) in [(10_000, 0), (5000, 1024), (2500, 2048), (625, 4096)] {
            assert_eq!((bits_of(share, 10_000), share_of(bits, 10_000)), (bits, share));
        }
        assert!(bits_of(0, 10_000) > 13 * BIT, "what never happened is dear, not impossible");
    }

    #[test]
    fn chances_add_up_to_one_and_a_bit_doubles_the_odds() {
        let moves = Game::new().position().legal_moves();
        let sums: Vec<i32> = (0..moves.len() as i32).map(|n| (n * 7919 % 13 - 6) * 1024).collect();
        let chances = Chances::new(moves.iter().copied().zip(sums.iter().copied()));
        let bits: Vec<i32> = moves.iter().map(|mv| chances.of(*mv).expect("a move of the node").1).collect();
        let total: f64 = bits.iter().map(|&bits| (-f64::from(bits) / f64::from(BIT)).exp2()).sum();
        assert!((total - 1.0).abs() < 0.002, "{total}");
        for (a, b) in [(0, 1), (3, 17)] {
            assert_eq!(bits[a] - bits[b], sums[b] - sums[a], "odds are what the sums say");
        }
        let equal = Chances::new(moves.iter().take(16).map(|mv| (*mv, -700)));
        assert_eq!(equal.of(moves[3]), Some((-700, 4 * BIT)), "one of sixteen is four bits");
        assert_eq!(equal.of(moves[19]), None);
        assert_eq!(Chances::new([(moves[0], 99_999)]).of(moves[0]), Some((99_999, 0)), "the only move is certain");
        assert!(Chances::default().of(moves[0]).is_none());
    }
}
