//! Dates of the Gregorian calendar, UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds of a day.
pub const SECONDS_PER_DAY: u64 = 86_400;
const FIRST_YEAR: u64 = 1970;
const DAYS_OF_YEAR: u64 = 365;
const DAYS_OF_MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const FEBRUARY: usize = 1;

/// The date of today: year, month and day with `separator` between them.
pub fn today(separator: char) -> String {
    date(SystemTime::now(), separator)
}

/// The date of a time; of 1970-01-01 if it is before that.
pub fn date(at: SystemTime, separator: char) -> String {
    let elapsed = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date_of(elapsed.as_secs() / SECONDS_PER_DAY);
    format!("{year:04}{separator}{month:02}{separator}{day:02}")
}

/// Year, month and day, both from 1, of a day since 1970.
fn date_of(mut days: u64) -> (u64, usize, u64) {
    let mut year = FIRST_YEAR;
    while days >= DAYS_OF_YEAR + leap_day(year) {
        days -= DAYS_OF_YEAR + leap_day(year);
        year += 1;
    }
    let mut month = 0;
    let length = |month: usize| DAYS_OF_MONTHS[month] + if month == FEBRUARY { leap_day(year) } else { 0 };
    while days >= length(month) {
        days -= length(month);
        month += 1;
    }
    (year, month + 1, days + 1)
}

/// Days that a year has more than others.
fn leap_day(year: u64) -> u64 {
    const EVERY: u64 = 4;
    const CENTURY: u64 = 100;
    const FOUR_CENTURIES: u64 = 400;
    let leap = year.is_multiple_of(EVERY) && (!year.is_multiple_of(CENTURY) || year.is_multiple_of(FOUR_CENTURIES));
    u64::from(leap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        // Values of `date -u -d @$((DAYS * 86400))`.
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (30, (1970, 1, 31)),
            (31, (1970, 2, 1)),
            (789, (1972, 2, 29)),
            (790, (1972, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_778, (2026, 11, 21)),
            (20_818, (2026, 12, 31)),
            (20_819, (2027, 1, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date_of(days), expected, "{days}");
        }
    }
}
