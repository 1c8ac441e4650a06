//! A middlegame value and an endgame value packed in one integer, so that terms add up in one instruction.

use crate::whole::arithmetic;

/// Two 16-bit values in one word: middlegame in the low half, endgame in the high half (pawns/100).
///
/// A half wraps beyond 327 pawns, as for a side with about 27 queens more than the other. No position of a game has such values.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Pair(i32);

/// Packs a middlegame and an endgame value (pawns/100, each within i16).
pub const fn pair(mg: i32, eg: i32) -> Pair {
    Pair((eg << 16) + mg)
}

impl Pair {
    /// Nothing in either phase.
    pub const ZERO: Pair = Pair(0);

    /// The middlegame half.
    #[inline(always)]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame half.
    #[inline(always)]
    pub const fn eg(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }

    /// `const` addition, for tables built at compile time.
    pub const fn plus(self, other: Pair) -> Pair {
        Pair(self.0 + other.0)
    }

    /// `const` negation, for tables built at compile time.
    pub const fn negative(self) -> Pair {
        Pair(-self.0)
    }
}

arithmetic!(Pair: wrapping_add wrapping_sub wrapping_neg wrapping_mul);

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_keep_their_signs() {
        for mg in [-3000, -1, 0, 1, 77, 3000] {
            for eg in [-3000, -1, 0, 1, 77, 3000] {
                let p = pair(mg, eg);
                assert_eq!((p.mg(), p.eg()), (mg, eg));
                assert_eq!((-p).mg(), -mg);
                assert_eq!((-p).eg(), -eg);
                assert_eq!((p * 3).mg(), mg * 3);
                assert_eq!((p * 3 - p).eg(), eg * 2);
            }
        }
    }
}
