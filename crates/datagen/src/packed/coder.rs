//! The range coder and its adaptive models.
//!
//! Writing and reading share their code: a function that codes a value takes it as an `Option`, which is `Some` when writing, and returns
//! the value that was written or read. Both directions therefore update their models alike. The coder is that of the crate
//! `constriction`. All arithmetic is on integers, so a file decodes to the same games on every machine.

use constriction::stream::model::{DecoderModel, EncoderModel, EntropyModel};
use constriction::stream::queue::{DefaultRangeDecoder, DefaultRangeEncoder};
use constriction::stream::{Decode, Encode};
use std::borrow::Borrow;
use std::num::NonZeroU32;

/// Bits of a probability.
const PRECISION: usize = 16;
/// A probability of 1.
pub const ONE: u32 = 1 << PRECISION;
/// Bytes of a word of the coder.
const WORD_BYTES: usize = 4;

/// The bytes were not written by this coder with these models, or the value cannot be coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt;

/// Writes or reads symbols.
pub trait Coder {
    /// Codes a symbol. `cumulative` has one entry more than there are symbols: symbol `i` has the probability
    /// `cumulative[i + 1] - cumulative[i]`, which is at least 1. The first entry is 0, the last [`ONE`]; there are at least two symbols.
    /// `known` is the symbol when writing; a reader ignores it.
    ///
    /// # Errors
    /// The bytes are corrupt, or the symbol is not among those of `cumulative`.
    fn symbol(&mut self, known: Option<usize>, cumulative: &[u32]) -> Result<usize, Corrupt>;
}

/// Writes symbols.
#[derive(Default)]
pub struct Writer(DefaultRangeEncoder);

impl Writer {
    /// The bytes of everything written.
    pub fn into_bytes(self) -> Vec<u8> {
        let Ok(words) = self.0.into_compressed();
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

impl Coder for Writer {
    fn symbol(&mut self, known: Option<usize>, cumulative: &[u32]) -> Result<usize, Corrupt> {
        let symbol = known.ok_or(Corrupt)?;
        self.0.encode_symbol(symbol, CumulativeTable(cumulative)).map_err(|_| Corrupt)?;
        Ok(symbol)
    }
}

/// Reads symbols. After the end of the bytes it reads zeros.
pub struct Reader(DefaultRangeDecoder);

impl Reader {
    /// A reader of what a [`Writer`] wrote.
    ///
    /// # Errors
    /// The length is not a multiple of four bytes.
    pub fn new(bytes: &[u8]) -> Result<Reader, Corrupt> {
        let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
        if !rest.is_empty() {
            return Err(Corrupt);
        }
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        DefaultRangeDecoder::from_compressed(words).map(Reader).map_err(|_| Corrupt)
    }

    /// Returns true if the reader may have reached the end of the data.
    pub fn may_be_at_end(&self) -> bool {
        self.0.maybe_exhausted()
    }
}

impl Coder for Reader {
    fn symbol(&mut self, _: Option<usize>, cumulative: &[u32]) -> Result<usize, Corrupt> {
        self.0.decode_symbol(CumulativeTable(cumulative)).map_err(|_| Corrupt)
    }
}

/// Cumulative probabilities in the form that the crate expects.
#[derive(Clone, Copy)]
struct CumulativeTable<'a>(&'a [u32]);

impl CumulativeTable<'_> {
    fn part(&self, symbol: usize) -> Option<(u32, NonZeroU32)> {
        let (&low, &high) = (self.0.get(symbol)?, self.0.get(symbol + 1)?);
        Some((low, NonZeroU32::new(high.checked_sub(low)?)?))
    }
}

impl EntropyModel<PRECISION> for CumulativeTable<'_> {
    type Symbol = usize;
    type Probability = u32;
}

impl EncoderModel<PRECISION> for CumulativeTable<'_> {
    fn left_cumulative_and_probability(&self, symbol: impl Borrow<usize>) -> Option<(u32, NonZeroU32)> {
        self.part(*symbol.borrow())
    }
}

impl DecoderModel<PRECISION> for CumulativeTable<'_> {
    fn quantile_function(&self, quantile: u32) -> (usize, u32, NonZeroU32) {
        let symbol = self.0.partition_point(|&low| low <= quantile).saturating_sub(1);
        // `quantile` is below `ONE`, the last entry, so it is within one of the parts.
        let (low, probability) = self.part(symbol).unwrap_or((0, NonZeroU32::MIN));
        (symbol, low, probability)
    }
}

/// A bit whose probability is learned from the bits coded before.
#[derive(Clone, Copy)]
pub struct Bit {
    /// Probability that it is set, in parts of [`ONE`].
    set: u32,
    /// Number of bits coded, up to [`Bit::MEMORY`].
    coded: u32,
}

impl Default for Bit {
    fn default() -> Bit {
        Bit { set: ONE / 2, coded: 0 }
    }
}

impl Bit {
    /// Window of the running mean that estimates the probability (bits).
    const MEMORY: u32 = 250;
    /// The least probability of either value, in parts of [`ONE`].
    const LEAST: u32 = 32;

    /// Codes a bit.
    pub fn code(&mut self, coder: &mut impl Coder, known: Option<bool>) -> Result<bool, Corrupt> {
        let bit = coder.symbol(known.map(usize::from), &[0, ONE - self.set, ONE])? == 1;
        let target = if bit { ONE - Bit::LEAST } else { Bit::LEAST };
        self.coded += u32::from(self.coded < Bit::MEMORY);
        let step = (i64::from(target) - i64::from(self.set)) / (i64::from(self.coded) + 1);
        self.set = (i64::from(self.set) + step) as u32;
        Ok(bit)
    }
}

/// A number with few bits, coded from its highest bit; each bit has a probability for every prefix.
#[derive(Clone)]
pub struct BitTree {
    /// Node 1 is the highest bit, nodes `2n` and `2n + 1` follow node `n`.
    nodes: Vec<Bit>,
    bits: u32,
}

impl BitTree {
    /// Numbers below `2^bits`.
    pub fn new(bits: u32) -> BitTree {
        BitTree { nodes: vec![Bit::default(); 1 << bits], bits }
    }

    /// Codes a number.
    pub fn code(&mut self, coder: &mut impl Coder, known: Option<u32>) -> Result<u32, Corrupt> {
        let mut node = 1;
        for place in (0..self.bits).rev() {
            let bit = self.nodes[node].code(coder, known.map(|number| number >> place & 1 == 1))?;
            node = 2 * node + usize::from(bit);
        }
        Ok(node as u32 - (1 << self.bits))
    }
}

/// A number of any size, mostly small: the length of the number plus one in bits, then these bits (Elias gamma code with adaptive bits).
#[derive(Clone)]
pub struct Number {
    longer: [Bit; Number::LENGTHS],
    bits: [[Bit; Number::LENGTHS]; Number::LENGTHS],
}

impl Default for Number {
    fn default() -> Number {
        let longer = [Bit::default(); Number::LENGTHS];
        Number { longer, bits: [longer; Number::LENGTHS] }
    }
}

impl Number {
    /// Number of possible lengths of a 32-bit number plus one.
    const LENGTHS: usize = 33;

    /// Codes a number.
    pub fn code(&mut self, coder: &mut impl Coder, known: Option<u32>) -> Result<u32, Corrupt> {
        let known = known.map(|number| u64::from(number) + 1);
        let known_length = known.map(|number| number.ilog2() as usize);
        let mut length = 0;
        while self.longer[length].code(coder, known_length.map(|known| length < known))? {
            length += 1;
            if length == Number::LENGTHS {
                return Err(Corrupt);
            }
        }
        let mut number = 1u64;
        for place in (0..length).rev() {
            let bit = self.bits[length][place].code(coder, known.map(|number| number >> place & 1 == 1))?;
            number = 2 * number + u64::from(bit);
        }
        u32::try_from(number - 1).map_err(|_| Corrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Codes these values with fresh models, and gives the bytes.
    fn written(values: &[(bool, u32, u32)]) -> Vec<u8> {
        let mut writer = Writer::default();
        code(&mut writer, values.len(), |index| Some(values[index])).expect("values that can be coded");
        writer.into_bytes()
    }

    fn code(
        coder: &mut impl Coder,
        count: usize,
        known: impl Fn(usize) -> Option<(bool, u32, u32)>,
    ) -> Result<Vec<(bool, u32, u32)>, Corrupt> {
        let (mut bit, mut tree, mut number) = (Bit::default(), BitTree::new(5), Number::default());
        let mut one = |index| {
            let known = known(index);
            Ok((
                bit.code(coder, known.map(|values| values.0))?,
                tree.code(coder, known.map(|values| values.1))?,
                number.code(coder, known.map(|values| values.2))?,
            ))
        };
        (0..count).map(&mut one).collect()
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(values in prop::collection::vec((any::<bool>(), 0u32..32, any::<u32>()), 0..200)) {
            let bytes = written(&values);
            let mut reader = Reader::new(&bytes).expect("whole words");
            prop_assert_eq!(code(&mut reader, values.len(), |_| None), Ok(values));
            prop_assert!(reader.may_be_at_end());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(mut reader) = Reader::new(&bytes) {
                let _ = code(&mut reader, 100, |_| None);
            }
        }
    }

    /// A bit that is set once in a hundred times has 0.08 bits of information.
    #[test]
    fn likely_bits_take_few_bytes() {
        let mut writer = Writer::default();
        let mut bit = Bit::default();
        for index in 0..10_000 {
            bit.code(&mut writer, Some(index % 100 == 0)).expect("a bit");
        }
        let bits = 8 * writer.into_bytes().len();
        assert!((800..1000).contains(&bits), "{bits}");
    }
}
