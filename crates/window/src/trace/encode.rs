//! Nodes and events in postcard form. The encoder is written by hand: the general serializer, which calls a function for each field, took
//! a fifth of the time of a recorded search. Tests compare both.

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

/// Short integers have the form of long ones.
macro_rules! encode_as_u64 {
    ($($t:ty)+) => {
        $(impl Encode for $t {
            #[inline(always)]
            fn encode(&self, out: &mut Vec<u8>) {
                u64::from(*self).encode(out);
            }
        })+
    };
}

encode_as_u64! { u16 u32 }

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
        size, unrecorded, nodes, ply, iteration, purpose, mv, kind, level, in_check, depth, depth_out, budget, window, raised,
        lowered, excluded, table, value, stored, score,
    }
    RawEntry { score, bound, depth, mv, eval, origin }
    RawValue { raw, corrected, estimate, improving }
    RawSearch { purpose, cost, size, unrecorded, nodes, score }
}

/// Variants: their number, then their fields.
macro_rules! encode_variants {
    ($($number:literal $name:ident { $($field:ident),+ })+) => {
        impl<N: Encode> Encode for RawEvent<N> {
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
    4 CostChanged { rule, cost, numbers }
    5 TotalCost { cost }
    6 Tried { search }
    7 Decision { decision, score }
    8 Ended { rule, numbers }
    9 Only { moves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Serialize;

    impl Encode for Vec<i32> {
        fn encode(&self, out: &mut Vec<u8>) {
            self.as_slice().encode(out);
        }
    }

    fn is_postcard<T: Encode + Serialize>(value: &T) {
        let mut found = Vec::new();
        value.encode(&mut found);
        assert_eq!(found, postcard::to_stdvec(value).expect("a form"));
    }

    #[test]
    fn numbers_of_every_length_have_the_form_of_postcard() {
        (0..u64::BITS).for_each(|shift| is_postcard(&(u64::MAX >> shift)));
        (0..i32::BITS).for_each(|shift| is_postcard(&(i32::MAX >> shift, i32::MIN >> shift)));
    }

    proptest! {
        #[test]
        fn nodes_and_events_have_the_form_of_postcard(node in any::<RawNode>(), event in any::<RawEvent<Vec<i32>>>()) {
            is_postcard(&node);
            is_postcard(&event);
        }
    }
}
