//! Arithmetic of whole numbers that is the same on every machine.

/// The natural logarithm of `n` in 1/1024, by integers only so that it is the same on every machine.
pub fn log(n: u32) -> i64 {
    const BITS: u32 = 16;
    const UNIT_BITS: u32 = 10; // the result counts in 1/1024
    const LN_2: i64 = 45_426; // ln 2 in 1/65536
    let whole = n.ilog2();
    let mut mantissa = (u64::from(n) << BITS) >> whole;
    let mut fraction = 0u64;
    for bit in (0..BITS).rev() {
        mantissa = (mantissa * mantissa) >> BITS;
        if mantissa >= 2 << BITS {
            mantissa >>= 1;
            fraction |= 1 << bit;
        }
    }
    let log_2 = (i64::from(whole) << BITS) + fraction as i64;
    (log_2 * LN_2) >> (2 * BITS - UNIT_BITS)
}
