//! Arithmetic of whole numbers that is the same on every machine.

/// The golden ratio in 64 bits: multiplying by it spreads a number over all bits.
pub const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Implements the operators of a type with one `i32` by the given methods of `i32`.
macro_rules! arithmetic {
    ($type:ident: $add:ident $sub:ident $neg:ident $mul:ident) => {
        impl std::ops::Add for $type {
            type Output = $type;
            #[inline(always)]
            fn add(self, other: $type) -> $type {
                $type(self.0.$add(other.0))
            }
        }
        impl std::ops::Sub for $type {
            type Output = $type;
            #[inline(always)]
            fn sub(self, other: $type) -> $type {
                $type(self.0.$sub(other.0))
            }
        }
        impl std::ops::AddAssign for $type {
            #[inline(always)]
            fn add_assign(&mut self, other: $type) {
                *self = *self + other;
            }
        }
        impl std::ops::SubAssign for $type {
            #[inline(always)]
            fn sub_assign(&mut self, other: $type) {
                *self = *self - other;
            }
        }
        impl std::ops::Neg for $type {
            type Output = $type;
            #[inline(always)]
            fn neg(self) -> $type {
                $type(self.0.$neg())
            }
        }
        impl std::ops::Mul<i32> for $type {
            type Output = $type;
            #[inline(always)]
            fn mul(self, factor: i32) -> $type {
                $type(self.0.$mul(factor))
            }
        }
    };
}
pub(crate) use arithmetic;

/// The natural logarithm of `n` in 1/1024, by integers only so that it is the same on every machine.
pub fn log(n: u32) -> i64 {
    const BITS: u32 = 16;
    const UNIT_BITS: u32 = 10; // the result counts in 1/1024
    const LN_2: i64 = 45_426; // ln 2 in 1/65536
    (log2(u64::from(n), BITS, BITS) * LN_2) >> (2 * BITS - UNIT_BITS)
}

/// The logarithm of `n` to base 2 with this number of binary digits after the point, digit by digit. The numbers that are squared have `bits`
/// of them: at most 31, and `n` is less than 2^(64 - `bits`).
///
/// # Panics
///
/// If `n` is 0.
#[inline(always)]
pub const fn log2(n: u64, bits: u32, digits: u32) -> i64 {
    let whole = n.ilog2();
    let mut mantissa = (n << bits) >> whole;
    let mut log = whole as i64;
    let mut digit = 0;
    while digit < digits {
        mantissa = (mantissa * mantissa) >> bits;
        log *= 2;
        if mantissa >= 2 << bits {
            mantissa >>= 1;
            log += 1;
        }
        digit += 1;
    }
    log
}
