//! A small network that orders moves: one hidden layer, whole numbers only.
//!
//! Inputs and outputs are sparse: a position is a short list of inputs, a move a short list of output units, each with a small
//! factor. The score of a move is the sum of its units, in nats: the difference of two moves is the logarithm of their odds.
//! Hidden units are clipped between zero and [`CEILING`]. Trained by `quarterply learn order`.

use arrayvec::ArrayVec;
use shakmaty::{Color, Square};
use thiserror::Error;

/// One in the weights of the first layer and in hidden units.
pub const HIDDEN_ONE: i32 = 64;
/// One in the weights of the second layer.
pub const OUTPUT_ONE: i32 = 32;
/// One nat in what a move gets.
pub const NAT: i32 = HIDDEN_ONE * OUTPUT_ONE;
/// Greatest value of a hidden unit.
pub const CEILING: i32 = 127;
/// Most hidden units.
pub const HIDDEN_MAX: usize = 64;

/// The first bytes of every file of a network.
const MAGIC: &[u8] = b"QORDER1\n";
const SIZE_BYTES: usize = 2;

/// Inputs of a position, or units of a move: number and factor.
pub type Sparse = ArrayVec<(u16, i8), 96>;

/// The file is not a network of this kind.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NetworkError {
    #[error("the file is not a move-ordering network; make one with `quarterply learn order`")]
    Foreign,
    #[error("the network has {inputs} inputs, {hidden} hidden units and {outputs} outputs, which does not fit")]
    Shape { inputs: usize, hidden: usize, outputs: usize },
    #[error("the network has {found} bytes of weights instead of {expected}: the file is damaged")]
    Length { found: usize, expected: usize },
}

/// The weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    /// Hidden units.
    pub hidden: usize,
    /// For each input a weight to each hidden unit (1/64).
    pub first: Vec<i8>,
    /// The bias of each hidden unit (1/64).
    pub first_bias: Vec<i8>,
    /// For each output a weight from each hidden unit (1/32).
    pub second: Vec<i8>,
    /// The bias of each output (1/32).
    pub second_bias: Vec<i8>,
}

/// The hidden layer of one position.
pub struct Hidden(ArrayVec<i32, HIDDEN_MAX>);

impl Network {
    /// Reads a file of a network with this number of inputs and outputs.
    ///
    /// # Errors
    /// It is something else, damaged, or of other sizes.
    pub fn parse(bytes: &[u8], inputs: usize, outputs: usize) -> Result<Network, NetworkError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::Foreign)?;
        let (head, mut rest) = rest.split_at_checked(SIZE_BYTES * 3).ok_or(NetworkError::Foreign)?;
        let size = |at: usize| usize::from(u16::from_le_bytes([head[at * SIZE_BYTES], head[at * SIZE_BYTES + 1]]));
        let (found_inputs, hidden, found_outputs) = (size(0), size(1), size(2));
        if (found_inputs, found_outputs) != (inputs, outputs) || hidden == 0 || hidden > HIDDEN_MAX {
            return Err(NetworkError::Shape { inputs: found_inputs, hidden, outputs: found_outputs });
        }
        let expected = (inputs + 1) * hidden + outputs * (hidden + 1);
        if rest.len() != expected {
            return Err(NetworkError::Length { found: rest.len(), expected });
        }
        let mut take = |count: usize| {
            let (part, others) = rest.split_at(count);
            rest = others;
            part.iter().map(|&byte| byte as i8).collect()
        };
        Ok(Network {
            hidden,
            first: take(inputs * hidden),
            first_bias: take(hidden),
            second: take(outputs * hidden),
            second_bias: take(outputs),
        })
    }

    /// The file of the network.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for size in [self.first.len() / self.hidden, self.hidden, self.second_bias.len()] {
            bytes.extend_from_slice(&(size as u16).to_le_bytes());
        }
        let parts = [&self.first, &self.first_bias, &self.second, &self.second_bias];
        bytes.extend(parts.into_iter().flatten().map(|&weight| weight as u8));
        bytes
    }

    /// The hidden layer of a position.
    pub fn hidden(&self, inputs: &Sparse) -> Hidden {
        let mut sums: ArrayVec<i32, HIDDEN_MAX> = self.first_bias.iter().map(|&bias| i32::from(bias)).collect();
        for &(input, factor) in inputs {
            let row = &self.first[usize::from(input) * self.hidden..][..self.hidden];
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum += i32::from(weight) * i32::from(factor);
            }
        }
        sums.iter_mut().for_each(|sum| *sum = (*sum).clamp(0, CEILING));
        Hidden(sums)
    }

    /// The score of a move with these units ([`NAT`] is one nat).
    pub fn value(&self, hidden: &Hidden, units: &Sparse) -> i32 {
        units.iter().map(|&(unit, factor)| self.output(hidden, usize::from(unit)) * i32::from(factor)).sum()
    }

    fn output(&self, hidden: &Hidden, unit: usize) -> i32 {
        let row = &self.second[unit * self.hidden..][..self.hidden];
        let sum: i32 = row.iter().zip(&hidden.0).map(|(&weight, &value)| i32::from(weight) * value).sum();
        sum + i32::from(self.second_bias[unit]) * HIDDEN_ONE
    }
}

/// The square as the side to move sees it, whose first rank is the first.
pub(super) fn seen_by(turn: Color, square: Square) -> Square {
    if turn.is_white() { square } else { square.flip_vertical() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Network {
        Network {
            hidden: 2,
            first: vec![64, -64, 32, 127, 0, 10],
            first_bias: vec![0, 5],
            second: vec![32, 0, -32, 16],
            second_bias: vec![0, 32],
        }
    }

    fn sparse(pairs: &[(u16, i8)]) -> Sparse {
        pairs.iter().copied().collect()
    }

    #[test]
    fn sums_are_those_of_the_weights_and_clipped_between() {
        let network = small();
        for (inputs, hidden) in [
            (vec![], [0, 5]),
            (vec![(0, 1)], [64, 0]),
            (vec![(0, -1)], [0, 69]),
            (vec![(1, 1), (2, 1)], [32, 127]),
            (vec![(0, 1), (1, 1)], [96, 68]),
        ] {
            assert_eq!(network.hidden(&sparse(&inputs)).0.as_slice(), hidden, "{inputs:?}");
        }
        let hidden = network.hidden(&sparse(&[(0, 1), (1, 1)]));
        assert_eq!(network.value(&hidden, &sparse(&[(0, 1)])), 96 * 32, "a nat and a half");
        assert_eq!(network.value(&hidden, &sparse(&[(1, 1)])), -96 * 32 + 68 * 16 + NAT);
        assert_eq!(network.value(&hidden, &sparse(&[(0, 2), (1, -1)])), 2 * 96 * 32 + 96 * 32 - 68 * 16 - NAT);
        assert_eq!(network.value(&hidden, &sparse(&[])), 0);
    }

    #[test]
    fn a_file_is_read_back_and_others_are_refused() {
        let network = small();
        let bytes = network.bytes();
        assert_eq!(Network::parse(&bytes, 3, 2), Ok(network));
        assert_eq!(Network::parse(b"something else", 3, 2), Err(NetworkError::Foreign));
        assert_eq!(Network::parse(&bytes[..10], 3, 2), Err(NetworkError::Foreign));
        let shape = NetworkError::Shape { inputs: 3, hidden: 2, outputs: 2 };
        assert_eq!(Network::parse(&bytes, 4, 2), Err(shape));
        let short = &bytes[..bytes.len() - 1];
        assert_eq!(Network::parse(short, 3, 2), Err(NetworkError::Length { found: 13, expected: 14 }));
    }
}
