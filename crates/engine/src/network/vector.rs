//! The inner loops of a network, compiled for the instruction sets of the processor.
//!
//! Loops are written once, in plain Rust over whole cache lines of 16-bit values, and compiled once for each [`Level`]: the
//! compiler uses the widest instructions of that level. The sum of products is written separately for each level. All levels
//! compute the same bits. Additions wrap around, as those of the processor do; [`super`] explains why that is correct. On 64-bit
//! ARM the compiler may use NEON at the plain level too, which every such processor has; the level of that name differs in the
//! sum of products.
//!
//! The level is chosen at run time: the highest that the processor supports, or that named by the environment variable
//! `QUARTERPLY_VECTOR`.

use super::{NEURONS_STEP, NeuronBlock, QA};
use std::fmt;
use std::sync::LazyLock;

/// The environment variable that names a level: `plain`, `avx2`, `avx512` or `neon`.
pub const VARIABLE: &str = "QUARTERPLY_VECTOR";

/// Instructions that the processor has: no value of this type is made for others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(Instructions);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Instructions::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => "neon",
        })
    }
}

impl Level {
    /// The level that the whole program is compiled for.
    pub const PLAIN: Level = Level(Instructions::Plain);

    /// Every level of this processor, the lowest first.
    pub fn all() -> Vec<Level> {
        #[cfg_attr(
            not(any(target_arch = "x86_64", target_arch = "aarch64")),
            expect(unused_mut, reason = "other processors have no other level")
        )]
        let mut levels = vec![Level::PLAIN];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                levels.push(Level(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                levels.push(Level(Instructions::Avx512));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            levels.push(Level(Instructions::Neon));
        }
        levels
    }

    /// The level that is used: see [`VARIABLE`].
    pub fn used() -> Level {
        CHOSEN.0
    }

    /// The fault of the value of [`VARIABLE`], if it has one; the highest level is used then.
    pub fn complaint() -> Option<&'static str> {
        CHOSEN.1.as_deref()
    }
}

static CHOSEN: LazyLock<(Level, Option<String>)> = LazyLock::new(|| choose(std::env::var(VARIABLE).ok().as_deref()));

/// The level of this name, or the highest with a complaint.
fn choose(requested: Option<&str>) -> (Level, Option<String>) {
    let all = Level::all();
    let highest = all.last().copied().unwrap_or(Level::PLAIN);
    match requested.map(|name| (name, all.iter().find(|level| level.to_string() == name))) {
        None => (highest, None),
        Some((_, Some(level))) => (*level, None),
        Some((name, None)) => {
            let names: Vec<String> = all.iter().map(Level::to_string).collect();
            let text = format!("{VARIABLE}: this machine has {}, not `{name}`; {highest} is used", names.join(", "));
            (highest, Some(text))
        }
    }
}

/// Compiles each function for every level, as a method of [`Level`] that calls the right one.
macro_rules! levels {
    ($($(#[doc = $doc:literal])+ fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)+) => {
        mod plain {
            use super::*;
            $(#[inline(always)] pub fn $name($($argument: $type),*) $(-> $result)? $body)+
        }

        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;
            $(#[target_feature(enable = "avx2")] pub fn $name($($argument: $type),*) $(-> $result)? {
                plain::$name($($argument),*)
            })+
        }

        #[cfg(target_arch = "x86_64")]
        mod avx512 {
            use super::*;
            $(#[target_feature(enable = "avx512f,avx512bw")] pub fn $name($($argument: $type),*) $(-> $result)? {
                plain::$name($($argument),*)
            })+
        }

        impl Level {
            $($(#[doc = $doc])+
            #[inline]
            #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "instructions that not every processor has"))]
            pub(crate) fn $name(self, $($argument: $type),*) $(-> $result)? {
                match self.0 {
                    Instructions::Plain => plain::$name($($argument),*),
                    // SAFETY: a `Level` of this kind is made only by `Level::all`, which checks that the processor has these features.
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => unsafe { avx2::$name($($argument),*) },
                    // SAFETY: the same.
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx512 => unsafe { avx512::$name($($argument),*) },
                    // Every processor that this is compiled for has NEON.
                    #[cfg(target_arch = "aarch64")]
                    Instructions::Neon => plain::$name($($argument),*),
                }
            })+
        }
    };
}

levels! {
    /// `new = old + on - off`: an ordinary move.
    fn add_sub(new: &mut [NeuronBlock], old: &[NeuronBlock], on: &[NeuronBlock], off: &[NeuronBlock]) {
        for (((new, old), on), off) in new.iter_mut().zip(old).zip(on).zip(off) {
            for i in 0..NEURONS_STEP {
                new.0[i] = old.0[i].wrapping_add(on.0[i]).wrapping_sub(off.0[i]);
            }
        }
    }

    /// `new = old + on - off - taken`: a capture.
    fn add_sub_sub(new: &mut [NeuronBlock], old: &[NeuronBlock], on: &[NeuronBlock], off: &[NeuronBlock], taken: &[NeuronBlock]) {
        for ((((new, old), on), off), taken) in new.iter_mut().zip(old).zip(on).zip(off).zip(taken) {
            for i in 0..NEURONS_STEP {
                new.0[i] = old.0[i].wrapping_add(on.0[i]).wrapping_sub(off.0[i]).wrapping_sub(taken.0[i]);
            }
        }
    }

    /// `sums += rows on - rows off`, all rows being parts of `weights` of the length of `sums`.
    fn apply(sums: &mut [NeuronBlock], weights: &[NeuronBlock], on: &[u16], off: &[u16]) {
        let length = sums.len();
        for (at, sum) in sums.iter_mut().enumerate() {
            let mut total = *sum;
            for row in on {
                let row = &weights[usize::from(*row) * length + at];
                for i in 0..NEURONS_STEP {
                    total.0[i] = total.0[i].wrapping_add(row.0[i]);
                }
            }
            for row in off {
                let row = &weights[usize::from(*row) * length + at];
                for i in 0..NEURONS_STEP {
                    total.0[i] = total.0[i].wrapping_sub(row.0[i]);
                }
            }
            *sum = total;
        }
    }
}

/// Both accumulators, or both halves of the output weights.
type Both<'a> = [&'a [NeuronBlock]; 2];

impl Level {
    /// The values clipped, squared, weighed and added up. Of all loops the only one that compilers do not make the best of by themselves.
    #[inline]
    #[cfg_attr(
        any(target_arch = "x86_64", target_arch = "aarch64"),
        expect(unsafe_code, reason = "instructions that not every processor has")
    )]
    pub(crate) fn dot(self, values: Both<'_>, weights: Both<'_>) -> i32 {
        match self.0 {
            Instructions::Plain => dot_plain(values, weights),
            // SAFETY: a `Level` of this kind is made only by `Level::all`, which checks that the processor has these features.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { x86::dot_avx2(values, weights) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { x86::dot_avx512(values, weights) },
            // SAFETY: the same.
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => unsafe { arm::dot_neon(values, weights) },
        }
    }
}

fn dot_plain(values: Both<'_>, weights: Both<'_>) -> i32 {
    let mut sums = [0; NEURONS_STEP];
    for half in 0..2 {
        for (values, weights) in values[half].iter().zip(weights[half]) {
            for (i, sum) in sums.iter_mut().enumerate() {
                let clipped = values.0[i].clamp(0, QA as i16);
                *sum += i32::from(clipped) * i32::from(clipped.wrapping_mul(weights.0[i]));
            }
        }
    }
    sums.iter().sum()
}

/// The same in vectors: clip, weigh in 16 bits, then multiply by the clipped values and add neighbours in 32 bits.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Both, NeuronBlock, QA};
    use std::arch::x86_64::*;

    /// A block as two vectors.
    #[inline]
    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "vectors are loaded from addresses")]
    fn halves(block: &NeuronBlock) -> [__m256i; 2] {
        let address = std::ptr::from_ref(block).cast::<__m256i>();
        // SAFETY: a block has the size of two such vectors and is aligned to both together.
        unsafe { [_mm256_load_si256(address), _mm256_load_si256(address.add(1))] }
    }

    /// A block as a vector.
    #[inline]
    #[target_feature(enable = "avx512f")]
    #[expect(unsafe_code, reason = "vectors are loaded from addresses")]
    fn whole(block: &NeuronBlock) -> __m512i {
        // SAFETY: a block has the size of this vector, and its alignment.
        unsafe { _mm512_load_si512(std::ptr::from_ref(block).cast()) }
    }

    #[target_feature(enable = "avx2")]
    pub fn dot_avx2(values: Both<'_>, weights: Both<'_>) -> i32 {
        let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        for half in 0..2 {
            for (values, weights) in values[half].iter().zip(weights[half]) {
                for ((values, weights), sum) in halves(values).into_iter().zip(halves(weights)).zip(&mut sums) {
                    let clipped = _mm256_min_epi16(_mm256_max_epi16(values, zero), most);
                    let weighted = _mm256_mullo_epi16(clipped, weights);
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(clipped, weighted));
                }
            }
        }
        let eight = _mm256_add_epi32(sums[0], sums[1]);
        let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
        let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
        let one = _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two));
        _mm_cvtsi128_si32(one)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn dot_avx512(values: Both<'_>, weights: Both<'_>) -> i32 {
        let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        for (half, sum) in sums.iter_mut().enumerate() {
            for (values, weights) in values[half].iter().zip(weights[half]) {
                let clipped = _mm512_min_epi16(_mm512_max_epi16(whole(values), zero), most);
                let weighted = _mm512_mullo_epi16(clipped, whole(weights));
                *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(clipped, weighted));
            }
        }
        _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
    }
}

/// The same on 64-bit ARM, where a product is added to its sum as it is made.
#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{Both, NeuronBlock, QA};
    use std::arch::aarch64::*;

    /// A block as four vectors.
    #[inline]
    #[target_feature(enable = "neon")]
    #[expect(unsafe_code, reason = "vectors are loaded from addresses")]
    fn quarters(block: &NeuronBlock) -> [int16x8_t; 4] {
        let values = block.0.as_ptr();
        // SAFETY: a block has 32 values, and these are the four vectors of eight that begin at its first.
        unsafe { [vld1q_s16(values), vld1q_s16(values.add(8)), vld1q_s16(values.add(16)), vld1q_s16(values.add(24))] }
    }

    #[target_feature(enable = "neon")]
    pub fn dot_neon(values: Both<'_>, weights: Both<'_>) -> i32 {
        let (zero, most) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
        let mut sums = [vdupq_n_s32(0); 4];
        for half in 0..2 {
            for (values, weights) in values[half].iter().zip(weights[half]) {
                for ((values, weights), sum) in quarters(values).into_iter().zip(quarters(weights)).zip(&mut sums) {
                    let clipped = vminq_s16(vmaxq_s16(values, zero), most);
                    let weighted = vmulq_s16(clipped, weights);
                    let low = vmlal_s16(*sum, vget_low_s16(clipped), vget_low_s16(weighted));
                    *sum = vmlal_high_s16(low, clipped, weighted);
                }
            }
        }
        vaddvq_s32(vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn draw(random: &mut ChaCha8Rng, blocks: usize, most: i16) -> Vec<NeuronBlock> {
        (0..blocks).map(|_| NeuronBlock(std::array::from_fn(|_| random.random_range(-most..=most)))).collect()
    }

    #[test]
    fn every_level_computes_the_same_bits() {
        let mut random = ChaCha8Rng::seed_from_u64(15);
        assert!(Level::all().contains(&Level::PLAIN));
        println!("levels of this machine: {:?}", Level::all());
        for blocks in [1, 2, 3, 8, 16, 32] {
            for _ in 0..20 {
                let (old, weights) = (draw(&mut random, blocks, i16::MAX), draw(&mut random, 12 * blocks, i16::MAX));
                let row = |at: usize| &weights[at * blocks..][..blocks];
                let compute = |level: Level| {
                    let mut all = [(); 3].map(|()| old.clone());
                    level.add_sub(&mut all[0], &old, row(0), row(1));
                    level.add_sub_sub(&mut all[1], &old, row(2), row(3), row(4));
                    level.apply(&mut all[2], &weights, &[5, 6, 7, 11], &[8, 9, 10]);
                    all
                };
                // The tests of the accumulators check the sums themselves.
                for level in Level::all() {
                    assert_eq!(compute(level), compute(Level::PLAIN), "{level}");
                }
            }
        }
    }

    #[test]
    fn every_level_adds_the_same_products_up() {
        let mut random = ChaCha8Rng::seed_from_u64(16);
        for blocks in [1, 2, 5, 16, 64] {
            for most in [10, 300, i16::MAX] {
                let (values, weights) = (draw(&mut random, blocks, most), draw(&mut random, blocks, 16));
                let both = values.iter().flat_map(|block| block.0).zip(weights.iter().flat_map(|block| block.0));
                let expected: i32 = both.map(|(value, weight)| super::super::product(value, weight)).sum();
                for level in Level::all() {
                    let (own, other) = values.split_at(blocks / 2);
                    let (first, second) = weights.split_at(blocks / 2);
                    assert_eq!(level.dot([own, other], [first, second]), expected, "{level}");
                }
            }
        }
        let (values, weights) = (vec![NeuronBlock([i16::MAX; 32]); 4], vec![NeuronBlock([127; 32]); 4]);
        for level in Level::all() {
            let sum = level.dot([&values[..2], &values[2..]], [&weights[..2], &weights[2..]]);
            assert_eq!(sum, 255 * 255 * 127 * 128, "the greatest products on {level}");
        }
    }

    #[test]
    fn a_level_can_be_requested() {
        for level in Level::all() {
            assert_eq!(choose(Some(&level.to_string())), (level, None));
        }
        let highest = *Level::all().last().expect("the plain one");
        assert_eq!(choose(None), (highest, None));
        let (level, complaint) = choose(Some("mmx"));
        assert_eq!(level, highest);
        assert!(
            complaint.is_some_and(
                |text| text.contains("QUARTERPLY_VECTOR: this machine has plain") && text.contains("`mmx`")
            )
        );
    }
}
