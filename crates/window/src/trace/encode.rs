//! Nodes and events in postcard form, written by hand: a search makes millions of them, and the general serializer, which
//! calls a function for every field, took a fifth of the time of a recorded search. Tests hold it against that one.

use super::format::{RawEntry, RawEvent, RawNode, RawSearch, RawValue};

/// The bits of a varint's byte that carry the number.
const CARRY: u32 = 7;
/// Set in every byte of a varint but the last.
const MORE: u64 = 1 << CARRY;

/// Something with a postcard form.
pub(crate) trait Encode {
    /// Appends its form to bytes.
    fn encode(&self, out: &mut Vec<u8>);
}

impl Encode for u64 {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left >= MORE {
            out.push((left | MORE) as u8);
            left >>= CARRY;
        }
        out.push(left as u8);
    }
}

impl Encode for u32 {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        u64::from(*self).encode(out);
    }
}

impl Encode for u16 {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        u64::from(*self).encode(out);
    }
}

impl Encode for u8 {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
}

impl Encode for bool {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

impl Encode for i32 {
    /// Zigzag: numbers near zero are short, whatever their sign.
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        let folded = (self << 1) ^ (self >> (i32::BITS - 1));
        u64::from(folded as u32).encode(out);
    }
}

impl<T: Encode> Encode for Option<T> {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            None => out.push(0),
            Some(value) => {
                out.push(1);
                value.encode(out);
            }
        }
    }
}

impl<A: Encode, B: Encode> Encode for (A, B) {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }
}

impl Encode for &[i32] {
    #[inline(always)]
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        for number in *self {
            number.encode(out);
        }
    }
}

/// The fields of a struct, one after the other. All are named, so that none is forgotten.
macro_rules! encode_fields {
    ($($name:ident { $($field:ident),+ $(,)? })+) => {
        $(impl Encode for $name {
            #[inline]
            fn encode(&self, out: &mut Vec<u8>) {
                let $name { $($field),+ } = self;
                $($field.encode(out);)+
            }
        })+
    };
}

encode_fields! {
    RawNode {
        size, left_out, made, ply, iteration, purpose, mv, kind, level, in_check, depth, depth_out, budget, window, raised,
        lowered, excluded, table, value, stored, score,
    }
    RawEntry { score, bound, depth, mv, eval, origin }
    RawValue { raw, corrected, estimate, improving }
    RawSearch { purpose, cost, size, left_out, made, score }
}

/// Variants: their number, then their fields.
macro_rules! encode_variants {
    ($($number:literal $name:ident { $($field:ident),+ })+) => {
        impl Encode for RawEvent<&[i32]> {
            #[inline(always)]
            fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    $(RawEvent::$name { $($field),+ } => {
                        out.push($number);
                        $($field.encode(out);)+
                    })+
                }
            }
        }
    };
}

encode_variants! {
    0 Deepened { rule, amount, numbers }
    1 Probed { mv, search }
    2 Considered { mv, stage, order, history, gives_check, number }
    3 Skipped { rule, rest, numbers }
    4 Priced { rule, cost, numbers }
    5 Charged { cost }
    6 Tried { search }
    7 Judged { decision, score }
    8 Ended { rule, numbers }
    9 Only { moves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::format::append;
    use proptest::prelude::*;
    use serde::Serialize;

    fn is_postcard<T: Encode + Serialize>(value: &T) {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        value.encode(&mut found);
        append(&mut expected, value);
        assert_eq!(found, expected);
    }

    fn search(numbers: &[i64]) -> RawSearch {
        RawSearch {
            purpose: numbers[0] as u8,
            cost: numbers[1] as i32,
            size: numbers[2] as u64,
            left_out: numbers[3] as u64,
            made: numbers[4] as u64,
            score: (numbers[5] > 0).then_some(numbers[6] as i32),
        }
    }

    fn node(n: &[i64]) -> RawNode {
        let int = |at: usize| n[at % n.len()] as i32;
        RawNode {
            size: n[0] as u64,
            left_out: n[1] as u64,
            made: n[2] as u64,
            ply: n[3] as u16,
            iteration: n[4] as u32,
            purpose: n[5] as u8,
            mv: n[6] as u16,
            kind: n[7] as u8,
            level: (n[8] > 0).then_some(n[9] as u16),
            in_check: n[10] > 0,
            depth: int(11),
            depth_out: int(12),
            budget: (n[13] > 0).then_some((int(14), int(15))),
            window: (int(16), int(17)),
            raised: int(18),
            lowered: int(19),
            excluded: n[20] as u16,
            table: (n[21] > 0).then_some(RawEntry {
                score: int(22),
                bound: n[23] as u8,
                depth: int(24),
                mv: n[25] as u16,
                eval: (n[26] > 0).then_some(int(27)),
                origin: (n[28] > 0).then_some((n[29] as u32, n[30] as u64)),
            }),
            value: (n[31] > 0).then_some(RawValue {
                raw: (n[32] > 0).then_some(int(33)),
                corrected: int(34),
                estimate: int(35),
                improving: n[36] > 0,
            }),
            stored: n[37] > 0,
            score: (n[38] > 0).then_some(int(39)),
        }
    }

    /// Numbers of every length.
    fn any_number() -> impl Strategy<Value = i64> {
        (any::<i64>(), 0u32..i64::BITS).prop_map(|(number, shift)| number >> shift)
    }

    proptest! {
        #[test]
        fn the_form_is_that_of_postcard(n in prop::collection::vec(any_number(), 40)) {
            is_postcard(&node(&n));
            let numbers: Vec<i32> = n.iter().map(|&number| number as i32).collect();
            let (rule, mv, cost, numbers) = (n[0] as u8, n[1] as u16, n[2] as i32, &numbers[..n[3] as usize % n.len()]);
            for event in [
                RawEvent::Deepened { rule, amount: cost, numbers },
                RawEvent::Probed { mv, search: search(&n[4..]) },
                RawEvent::Considered {
                    mv,
                    stage: n[5] as u8,
                    order: (n[6] > 0).then_some(n[7] as i32),
                    history: n[8] as i32,
                    gives_check: n[9] > 0,
                    number: n[10] as u16,
                },
                RawEvent::Skipped { rule, rest: n[5] as u8, numbers },
                RawEvent::Priced { rule, cost, numbers },
                RawEvent::Charged { cost },
                RawEvent::Tried { search: search(&n[4..]) },
                RawEvent::Judged { decision: rule, score: cost },
                RawEvent::Ended { rule, numbers },
                RawEvent::Only { moves: numbers },
            ] {
                is_postcard(&event);
            }
        }
    }
}
