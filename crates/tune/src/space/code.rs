//! Candidates as bits, for genetic algorithms.
//!
//! Each dimension gets the least number of bits that distinguishes its values, in Gray code, most significant bit first. `n`
//! values in `b` bits: code `c` means level `floor(c * n / 2^b)`, so every value can be reached, neighbours stay neighbours
//! and there are no invalid bits. For 0 to 4 in three bits that is the `floor(c * 5 / 8)` which the paper does not state.

use super::{Candidate, Dimension, Space};

impl Space {
    /// Bits of a candidate.
    pub fn bits(&self) -> usize {
        self.dimensions.iter().map(|dimension| bits(dimension) as usize).sum()
    }

    /// The candidate encoded by these bits.
    pub fn decode(&self, chromosome: &[bool]) -> Candidate {
        let mut rest = chromosome;
        let mut candidate = Candidate::with_capacity(self.dimensions.len());
        for dimension in &self.dimensions {
            let (own, others) = rest.split_at((bits(dimension) as usize).min(rest.len()));
            rest = others;
            let gray = own.iter().fold(0, |sum, bit| sum << 1 | u32::from(*bit));
            let level = (u64::from(from_gray(gray)) * u64::from(dimension.levels())) >> bits(dimension);
            candidate.push(dimension.value(level as u32));
        }
        candidate
    }

    /// The first bits that encode a candidate.
    pub fn encode(&self, candidate: &[i32]) -> Vec<bool> {
        let mut chromosome = Vec::with_capacity(self.bits());
        for (dimension, value) in self.dimensions.iter().zip(candidate) {
            let (width, levels) = (bits(dimension), u64::from(dimension.levels()));
            let level = u64::from(dimension.level(f64::from(*value)));
            let gray = to_gray((level << width).div_ceil(levels) as u32);
            chromosome.extend((0..width).rev().map(|bit| gray >> bit & 1 == 1));
        }
        chromosome
    }
}

/// Bits that distinguish the values of a dimension.
pub fn bits(dimension: &Dimension) -> u32 {
    u32::BITS - (dimension.levels() - 1).leading_zeros()
}

fn to_gray(plain: u32) -> u32 {
    plain ^ plain >> 1
}

fn from_gray(gray: u32) -> u32 {
    let mut plain = gray;
    for shift in [1, 2, 4, 8, 16] {
        plain ^= plain >> shift;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quarterply_engine::params::Parameters;

    fn one(min: i32, max: i32, step: i32) -> Space {
        let dimension = Dimension { name: "a.b".into(), min, max, step, start: min, switch: false };
        Space { dimensions: vec![dimension] }
    }

    #[test]
    fn gray_neighbours_differ_in_one_bit() {
        for plain in 0..1023 {
            assert_eq!(from_gray(to_gray(plain)), plain);
            assert_eq!((to_gray(plain) ^ to_gray(plain + 1)).count_ones(), 1, "{plain}");
        }
    }

    #[test]
    fn five_values_in_three_bits_are_spread_as_documented() {
        let code = one(0, 4, 1);
        let value = |plain: u32| {
            let gray = to_gray(plain);
            code.decode(&[gray & 4 != 0, gray & 2 != 0, gray & 1 != 0])[0]
        };
        assert_eq!((0..8).map(value).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 3, 3, 4]);
    }

    #[test]
    fn every_value_of_every_parameter_survives_the_code() {
        let space = Space::of_engine(&Parameters::default(), "*").expect("all parameters");
        for dimension in space.dimensions {
            let code = Space { dimensions: vec![dimension.clone()] };
            for level in 0..dimension.levels() {
                let value = dimension.value(level);
                assert_eq!(code.decode(&code.encode(&[value])), [value], "{}", dimension.name);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bits_are_a_candidate(min in -2000..2000, levels in 2..3000, step in 1..50, bits in any::<u32>()) {
            let code = one(min, min + (levels - 1) * step, step);
            let chromosome: Vec<bool> = (0..code.bits()).map(|bit| bits >> bit & 1 == 1).collect();
            let value = code.decode(&chromosome)[0];
            prop_assert!(value >= min && value <= min + (levels - 1) * step && (value - min) % step == 0);
        }
    }
}
