//! Choosing parameters by patterns.

use super::{Dimension, Space};
use quarterply_engine::params::{current_name, nearest_name};
use thiserror::Error;

/// Why a selection is not a valid space.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpaceError {
    /// A pattern that matches nothing: the pattern and the most similar name.
    #[error("cannot find a parameter that matches `{0}`{hint}; list them with `quarterply params`", hint = hint(.1))]
    NoMatch(String, Option<String>),
    /// Nothing is left.
    #[error(
        "cannot use the selection `{0}`: no parameter remains; write names or patterns such as `null_move.*,futility.*`"
    )]
    Empty(String),
    /// A range that cannot be read.
    #[error("`{0}` is not a valid range: expected `name=min..max` with whole numbers, min below max")]
    Range(String),
    /// A range outside the declared one: the requested range, the parameter, its least value and its greatest value.
    #[error("cannot use `{0}`: the range of `{1}` is {2}..{3}; give a part of it")]
    Beyond(String, String, i32, i32),
    /// A range with fewer than two values of the parameter: the requested range, the parameter, and its first, second and last value.
    #[error(
        "cannot use `{0}`: fewer than two values of `{1}`, which are {first}, {second}, ... {last}, are in this range; widen it",
        first = .2[0], second = .2[1], last = .2[2]
    )]
    Narrow(String, String, [i32; 3]),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

impl Space {
    /// The dimensions among `all` that match one of the patterns, in their own order. Patterns are separated by commas: `*` is any
    /// text, `name=min..max` narrows the range, and a `-` before a pattern takes parameters out again.
    pub fn select(all: &[Dimension], patterns: &str) -> Result<Space, SpaceError> {
        let mut chosen: Vec<Option<Dimension>> = vec![None; all.len()];
        for item in patterns.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (out, item) = item.strip_prefix('-').map_or((false, item), |rest| (true, rest));
            let (pattern, range) =
                item.split_once('=').map_or((item, None), |(name, range)| (name.trim(), Some(range)));
            let current = current_name(pattern);
            let mut matched = false;
            let places = all.iter().zip(&mut chosen);
            for (dimension, place) in places.filter(|(d, _)| matches(pattern, &d.name) || d.name == current) {
                matched = true;
                *place = if out { None } else { Some(narrowed(dimension, range, item)?) };
            }
            if !matched {
                return Err(SpaceError::NoMatch(pattern.to_owned(), nearest(all, pattern)));
            }
        }
        let dimensions: Vec<_> = chosen.into_iter().flatten().collect();
        if dimensions.is_empty() { Err(SpaceError::Empty(patterns.to_owned())) } else { Ok(Space { dimensions }) }
    }
}

fn nearest(all: &[Dimension], pattern: &str) -> Option<String> {
    let own = nearest_name(pattern).filter(|name| all.iter().any(|dimension| dimension.name == *name));
    own.or_else(|| quarterply_files::profile::nearest(pattern, all.iter().map(|dimension| dimension.name.as_str())))
}

/// The dimension with the requested range, from its first to its last declared value.
fn narrowed(dimension: &Dimension, range: Option<&str>, text: &str) -> Result<Dimension, SpaceError> {
    let Some(range) = range else { return Ok(dimension.clone()) };
    let wrong = || SpaceError::Range(text.to_owned());
    let (min, max) = range.split_once("..").ok_or_else(wrong)?;
    let number = |part: &str| part.trim().trim_start_matches('=').parse::<i32>().map_err(|_| wrong());
    let (min, max) = (number(min)?, number(max)?);
    if min >= max {
        return Err(wrong());
    }
    if min < dimension.min || max > dimension.max {
        return Err(SpaceError::Beyond(text.to_owned(), dimension.name.clone(), dimension.min, dimension.max));
    }
    let (least, step) = (i64::from(dimension.min), i64::from(dimension.step).max(1));
    let [below, last] = [i64::from(min) - 1, i64::from(max)].map(|value| (value - least).div_euclid(step));
    let first = below + 1;
    if first >= last {
        let values = [0, 1, dimension.levels() - 1].map(|level| dimension.value(level));
        return Err(SpaceError::Narrow(text.to_owned(), dimension.name.clone(), values));
    }
    // Both are between `min` and `max`, so they fit 32 bits.
    let [min, max] = [first, last].map(|level| (least + level * step) as i32);
    Ok(Dimension { min, max, ..dimension.clone() })
}

/// Returns true if a name matches a pattern; case is ignored.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*').map(str::to_ascii_lowercase);
    let name = name.to_ascii_lowercase();
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    let mut parts: Vec<String> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in &parts {
        match rest.find(part.as_str()) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::Parameters;

    fn select(patterns: &str) -> Result<Space, SpaceError> {
        Space::of_engine(&Parameters::default(), patterns)
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("null_move.*", "null_move.on", true),
            ("null_move.*", "futility.on", false),
            ("*.on", "null_move.on", true),
            ("*.on", "null_move.one", false),
            ("*quarters", "check.quarters", true),
            ("c*k.q*s", "check.quarters", true),
            ("*", "anything", true),
            ("NULL_MOVE.ON", "null_move.on", true),
            ("null_move", "null_move.on", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn selections_keep_the_order_of_declaration() {
        let names =
            |patterns| select(patterns).expect(patterns).dimensions.into_iter().map(|d| d.name).collect::<Vec<_>>();
        assert_eq!(names("check.quarters, razoring.on"), ["razoring.on", "check.quarters"]);
        assert_eq!(names("mate_threat.q*,mate_threat.on,-mate_threat.on"), ["mate_threat.quarters"]);
        assert_eq!(names("check.spare"), ["check.reduction_only"], "a former name");
        let narrow = select("futility.threshold_1=100..300").expect("a range").dimensions.remove(0);
        assert_eq!((narrow.min, narrow.max), (104, 296));
    }

    /// Steps were counted from the least value of the narrowed range, so that the start value was between two of them.
    #[test]
    fn a_narrowed_range_keeps_the_declared_values() {
        let all = [Dimension { name: "a.b".into(), min: 1024, max: 8192, step: 128, start: 2304, switch: false }];
        for (range, expected) in [
            ("2000..3000", (2048, 2944)),
            ("2048..2944", (2048, 2944)),
            ("2049..2943", (2176, 2816)),
            ("1024..8192", (1024, 8192)),
            ("1920..2048", (1920, 2048)),
        ] {
            let space = Space::select(&all, &format!("a.b={range}")).expect(range);
            let narrow = &space.dimensions[0];
            assert_eq!((narrow.min, narrow.max), expected, "{range}");
            let level = narrow.level(f64::from(narrow.start));
            assert!(narrow.value(level) == narrow.start || !narrow.has_start(), "{range}");
        }
        let spin = Dimension { name: "x".into(), min: i32::MIN, max: i32::MAX, step: 1, start: 0, switch: false };
        let narrow = Space::select(&[spin], "x=2000000000..2147483647").expect("a range").dimensions.remove(0);
        assert_eq!((narrow.min, narrow.max), (2_000_000_000, i32::MAX));
    }

    #[test]
    fn wrong_selections_name_text_and_remedy() {
        for (patterns, needles) in [
            ("", vec!["no parameter remains", "null_move.*"]),
            ("check.quarters,-*", vec!["no parameter remains"]),
            ("nul_move.on", vec!["`nul_move.on`", "did you mean `null_move.on`?"]),
            ("null_move.*,qqq", vec!["a parameter that matches `qqq`", "quarterply params"]),
            ("null_move.base=9..3", vec!["`null_move.base=9..3` is not a valid range", "min..max"]),
            ("null_move.base=2000", vec!["is not a valid range"]),
            ("null_move.base=0..3000", vec!["null_move.base=0..3000", "1024..8192"]),
            ("null_move.base=2050..2060", vec!["`null_move.base=2050..2060`", "1024, 1152, ... 8192", "widen it"]),
            ("null_move.base=2000..2100", vec!["`null_move.base=2000..2100`", "fewer than two values"]),
        ] {
            let message = select(patterns).expect_err(patterns).to_string();
            assert!(needles.iter().all(|needle| message.contains(needle)), "{message}");
        }
    }
}
