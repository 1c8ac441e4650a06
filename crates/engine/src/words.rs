//! How numbers are written for people, everywhere in the project.
//!
//! Scores are in pawns with two digits; depths in plies. `+` is more depth, `-` less.

use crate::score::{Bound, Depth, Score};

/// Declares an enum whose values have names for people: `Variant "name",` for each, with `/// meaning` where the name does not say it all.
#[macro_export]
macro_rules! named {
    ($(#[$attribute:meta])* pub enum $enum:ident { $($(#[doc = $doc:literal])* $variant:ident $name:literal,)* }) => {
        $(#[$attribute])*
        pub enum $enum {
            $(#[doc = concat!($name, ".")] $(#[doc = $doc])* $variant,)*
        }

        impl $enum {
            /// All of them, in order.
            pub const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            /// The name shown to people.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)*
                }
            }
        }
    };
}
pub use named;

const HUNDREDTHS: i32 = 100;

/// A count with its digits in groups of three.
pub fn grouped(count: u64) -> String {
    const GROUP: usize = 3;
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / GROUP);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(GROUP) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// An amount of pawns, such as a margin: `0.78`, `-0.20`.
pub fn pawns(amount: Score) -> String {
    let (whole, rest) = (amount.0.abs() / HUNDREDTHS, amount.0.abs() % HUNDREDTHS);
    format!("{}{whole}.{rest:02}", if amount < Score::ZERO { "-" } else { "" })
}

/// A score: pawns with a sign, `#3` for a mate in three, `-#3` for being mated, `win` and `loss` for endgame tables.
pub fn score(score: Score) -> String {
    match score.mate_moves() {
        _ if score >= Score::INFINITE => "+inf".to_owned(),
        _ if score <= -Score::INFINITE => "-inf".to_owned(),
        Some(moves) if score.is_won() => format!("#{moves}"),
        Some(moves) => format!("-#{}", moves.abs()),
        None if score.is_won() => "win".to_owned(),
        None if score.is_lost() => "loss".to_owned(),
        None if score > Score::ZERO => format!("+{}", pawns(score)),
        None => pawns(score),
    }
}

/// A depth in plies, to a hundredth where that is needed.
pub fn plies(depth: Depth) -> String {
    let hundredths = (depth.0 * HUNDREDTHS + Depth::ONE_PLY.0 / 2).div_euclid(Depth::ONE_PLY.0);
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.abs() / HUNDREDTHS, hundredths.abs() % HUNDREDTHS);
    let text = format!("{sign}{whole}.{rest:02}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A depth with its unit: `1 ply`, `1.25 plies`.
pub fn in_plies(depth: Depth) -> String {
    let text = plies(depth);
    let unit = if text == "1" { "ply" } else { "plies" };
    format!("{text} {unit}")
}

/// A depth with its sign: `+1.25`, `-0.5`.
pub fn signed_plies(depth: Depth) -> String {
    let text = plies(depth);
    if depth > Depth::ZERO { format!("+{text}") } else { text }
}

/// A value with what it proves: `at least +0.34`.
pub fn bounded(value: Score, bound: Bound) -> String {
    match bound {
        Bound::Lower => format!("at least {}", score(value)),
        Bound::Upper => format!("at most {}", score(value)),
        Bound::Exact => score(value),
    }
}

/// The one of `names` most like `name` whatever the case of their letters, if any is like it at all.
pub fn nearest_of(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    const LIKENESS_MIN: f64 = 0.75;
    // Comparing takes time in proportion to the square of the length, and no name is that long.
    const LENGTH_MAX: usize = 100;
    if name.len() > LENGTH_MAX {
        return None;
    }
    let name_lower = name.to_ascii_lowercase();
    names
        .map(|known| (strsim::jaro_winkler(&name_lower, &known.to_ascii_lowercase()), known))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The remedy for a name that does not exist: the one that is most like it, if there is one.
pub fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |n| format!("; did you mean `{n}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Ply;

    #[test]
    fn digits_are_grouped() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (205_000_000, "205 000 000"), (12_345, "12 345")]
        {
            assert_eq!(grouped(count), text);
        }
    }

    #[test]
    fn scores_and_depths_are_short() {
        for (value, text) in [
            (Score(51), "+0.51"),
            (Score(-132), "-1.32"),
            (Score(-5), "-0.05"),
            (Score(0), "0.00"),
            (Score::mate_in(Ply(5)), "#3"),
            (Score::mated_in(Ply(4)), "-#2"),
            (Score::INFINITE, "+inf"),
            (-Score::INFINITE, "-inf"),
            (Score::tablebase_win_in(Ply(3)), "win"),
        ] {
            assert_eq!(score(value), text);
        }
        for (depth, text) in [(3072, "3"), (1536, "1.5"), (-512, "-0.5"), (1024 / 3, "0.33"), (0, "0"), (10240, "10")] {
            assert_eq!(plies(Depth(depth)), text);
        }
        assert_eq!(signed_plies(Depth(1280)), "+1.25");
    }
}
