//! Numbers on the command line: one way of reading them for every option.

use std::ops::{Bound, RangeBounds};

use quarterply_files::count;

/// Reads a count within a range, in any form that people write it: `100000`, `100_000`, `100k`, `0.1M`.
pub fn count<T: TryFrom<u64>>(
    range: impl RangeBounds<u64> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let found = count::parse(text).filter(|number| range.contains(number));
        found.and_then(|number| T::try_from(number).ok()).ok_or_else(|| advice(&range))
    }
}

/// What to write instead.
fn advice(range: &impl RangeBounds<u64>) -> String {
    let least = match range.start_bound() {
        Bound::Included(least) => *least,
        Bound::Excluded(below) => below + 1,
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(most) => Some(*most),
        Bound::Excluded(above) => Some(above - 1),
        Bound::Unbounded => None,
    };
    let range = match most {
        Some(most) => format!("from {least} to {most}"),
        None => format!("of {least} or more"),
    };
    format!("give a whole number {range}, such as 500, 20k, 2.5M or 1_000_000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_within_their_range() {
        let read = |text| count::<u32>(1..=2000)(text);
        assert_eq!((read("1"), read("2k"), read("1_5")), (Ok(1), Ok(2000), Ok(15)));
        for text in ["0", "3k", "x", ""] {
            let message = read(text).expect_err(text);
            assert!(message.contains("from 1 to 2000") && message.contains("20k"), "{message}");
        }
        let too_large = count::<u8>(0..)("256").expect_err("it does not fit");
        assert!(too_large.contains("of 0 or more"), "{too_large}");
    }
}
