//! Numbers on the command line: one way of reading them for every option.

use std::ops::{Bound, RangeBounds};
use std::time::Duration;

use quarterply_files::count;
use quarterply_games::game::{TIME_MAX, parse_seconds};

/// Reads a count within a range, in any form that people write it: `100000`, `100_000`, `100k`, `0.1M`.
pub fn count<T: TryFrom<u64>>(
    range: impl RangeBounds<u64> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = count::parse(text);
        let found = number.filter(|number| range.contains(number)).and_then(|number| T::try_from(number).ok());
        let too_large = count::is_too_large(text) || number.is_some_and(|number| T::try_from(number).is_err());
        found.ok_or_else(|| advice(&range, too_large.then(largest::<T>)))
    }
}

/// The largest number of a type.
fn largest<T: TryFrom<u64>>() -> u64 {
    (0..u64::BITS).map(|bits| u64::MAX >> bits).find(|most| T::try_from(*most).is_ok()).unwrap_or_default()
}

/// Parts of a hundred in one.
const PERCENT: f64 = 100.0;

/// Reads a share of a whole, as 0.01 or as 1%.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim_end(), PERCENT),
        None => (text.trim(), 1.0),
    };
    let share = number.parse::<f64>().ok().map(|number| number / unit);
    share.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
        format!("`{text}` is not a valid share: expected a number from 0 to 1 such as 0.01, or percent such as 1%")
    })
}

/// Reads a number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("`{text}` is not a valid number: expected one above 0, such as 1.5"))
}

/// Reads a share of a whole that is not 0.
pub fn positive_share(text: &str) -> Result<f64, String> {
    share(text).and_then(|share| if share > 0.0 { Ok(share) } else { Err("expected a share above 0".to_owned()) })
}

/// Reads a time in seconds, above 0 and at most [`TIME_MAX`].
pub fn seconds(text: &str) -> Result<Duration, String> {
    let time = parse_seconds(text.trim()).filter(|time| !time.is_zero());
    time.ok_or_else(|| {
        let most = TIME_MAX.as_secs();
        format!("`{text}` is not a valid time: expected seconds above 0 and at most {most}, such as 0.1")
    })
}

/// How a number may be written.
const FORMS: &str = ", such as 500, 20k, 2.5M or 1_000_000";
/// The largest of [`FORMS`].
const FORMS_FROM: u64 = 2_500_000;

/// The error for a number outside of `range`. If the range has no end, `largest` is shown as its end, if given.
fn advice(range: &impl RangeBounds<u64>, largest: Option<u64>) -> String {
    let least = match range.start_bound() {
        Bound::Included(least) => *least,
        Bound::Excluded(below) => below + 1,
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(most) => Some(*most),
        Bound::Excluded(above) => Some(above - 1),
        Bound::Unbounded => largest,
    };
    let range = match most {
        Some(most) => format!("from {least} to {most}"),
        None => format!("of {least} or more"),
    };
    // The forms are shown where each of them is in the range.
    let forms = most.is_none_or(|most| most >= FORMS_FROM);
    format!("give a whole number {range}{}", if forms { FORMS } else { "" })
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
            assert_eq!(message, "give a whole number from 1 to 2000", "no example is out of the range");
        }
        let message = count::<u32>(1..=2_500_000)("x").expect_err("no number");
        assert_eq!(message, format!("give a whole number from 1 to 2500000{FORMS}"));
        let too_large = count::<u8>(0..)("256").expect_err("it does not fit");
        assert_eq!(too_large, "give a whole number from 0 to 255");
        for text in ["99999999999999999999", "99999999999G"] {
            let message = count::<u64>(1..)(text).expect_err(text);
            assert_eq!(message, format!("give a whole number from 1 to 18446744073709551615{FORMS}"));
        }
        let too_small = count::<u64>(1..)("0").expect_err("below the range");
        assert_eq!(too_small, format!("give a whole number of 1 or more{FORMS}"));
    }

    #[test]
    fn shares_are_read_as_numbers_and_as_percent() {
        for (text, expected) in [("0", 0.0), ("0.01", 0.01), ("1%", 0.01), ("2.5 %", 0.025), ("1", 1.0), ("100%", 1.0)]
        {
            assert_eq!(share(text), Ok(expected), "{text}");
        }
        for text in ["-0.1", "1.5", "101%", "a", "", "%", "nan"] {
            let message = share(text).expect_err(text);
            assert!(message.contains("0.01") && message.contains(&format!("`{text}`")), "{message}");
        }
    }

    #[test]
    fn numbers_and_times_are_above_0() {
        for text in ["0", "-1", "inf", "nan", "1e999", "a", ""] {
            for message in [positive(text).expect_err(text), seconds(text).expect_err(text)] {
                assert!(message.starts_with(&format!("`{text}` is not a valid ")), "{message}");
            }
        }
        assert_eq!((positive("0.5"), seconds("2.5")), (Ok(0.5), Ok(Duration::from_millis(2500))));
    }

    #[test]
    fn times_have_the_limit_of_time_controls() {
        assert_eq!(seconds("1e9"), Ok(TIME_MAX));
        let message = seconds("1e10").expect_err("too long");
        assert!(message.contains("`1e10`") && message.contains("above 0 and at most 1000000000,"), "{message}");
    }
}
