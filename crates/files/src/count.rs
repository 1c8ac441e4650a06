//! Numbers such as `100k`, `2.5M` and `1_000_000`.

/// Letters for thousands, millions and billions.
const UNITS: [(char, u32); 4] = [('k', 3), ('m', 6), ('g', 9), ('b', 9)];

/// Reads a whole number: digits, with `_` between them, and a unit `k`, `M`, `G` or `B` at the end. With a unit there may be a decimal
/// point, if the number is whole. `None` for everything else, and for numbers that are too large.
pub fn parse(text: &str) -> Option<u64> {
    wide(text)?.try_into().ok()
}

/// Returns true for a number that [`parse`] refuses only because it is too large.
pub fn is_too_large(text: &str) -> bool {
    wide(text).is_some_and(|number| number > u64::MAX.into())
}

/// The number of a text; the largest one for numbers that are larger.
fn wide(text: &str) -> Option<u128> {
    let unit = text.chars().last().map(|letter| letter.to_ascii_lowercase());
    let zeros = UNITS.iter().find(|(letter, _)| Some(*letter) == unit).map(|(_, zeros)| *zeros);
    let (digits, zeros) = match zeros {
        Some(zeros) => (&text[..text.len() - 1], zeros),
        None => (text, 0),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if zeros > 0 && !fraction.is_empty() => (whole, fraction.trim_end_matches('0')),
        Some(_) => return None,
        None => (digits, ""),
    };
    let missing = zeros.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits = format!("{}{fraction}", plain(whole)?);
    // Digits alone are refused only if they are too many.
    Some(digits.parse().unwrap_or(u128::MAX).saturating_mul(10_u128.pow(missing)))
}

/// Digits without the marks between them.
fn plain(digits: &str) -> Option<String> {
    let marked = digits.split('_');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    marked.clone().all(is_number).then(|| marked.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_suffixes_and_separators_are_read() {
        for (text, number) in [
            ("0", 0),
            ("20000", 20_000),
            ("1_000_000", 1_000_000),
            ("100k", 100_000),
            ("100K", 100_000),
            ("2.5M", 2_500_000),
            ("2.50m", 2_500_000),
            ("0.001k", 1),
            ("1_5k", 15_000),
            ("3G", 3_000_000_000),
            ("1.5B", 1_500_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
    }

    #[test]
    fn too_large_numbers_are_told_from_other_texts() {
        let huge = "9".repeat(60);
        for text in ["18446744073709551616", "99999999999G", "20_000_000_000.5G", &huge, &format!("{huge}k")] {
            assert!(parse(text).is_none() && is_too_large(text), "{text}");
        }
        for text in ["18446744073709551615", "5k", "-99999999999999999999", "99999999999999999999x", "1e30", ""] {
            assert!(!is_too_large(text), "{text}");
        }
    }

    #[test]
    fn texts_that_are_not_whole_numbers_are_refused() {
        for text in [
            "",
            "k",
            "-1",
            "+1",
            "1.5",
            "1.2345k",
            "1,000",
            "1 000",
            "_1",
            "1_",
            "1__0",
            "1e6",
            ".5M",
            "2.M",
            "1kk",
            "x",
            "18446744073709551616",
            "99999999999G",
            "1.x5k",
            "1.5_0k",
            "½",
            "1é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
