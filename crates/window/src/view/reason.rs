//! The numbers behind a verdict, in words.

use quarterply_engine::rules::Rule;

/// What a rule computed: each number with its name.
pub(super) fn sentence(rule: Rule, numbers: &[i32]) -> String {
    let parts: Vec<String> =
        rule.numbers().iter().zip(numbers).map(|(name, number)| format!("{name} {number}")).collect();
    parts.join(", ")
}
