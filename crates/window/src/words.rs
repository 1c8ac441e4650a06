//! Texts for the contents of a trace. Scores are in pawns for the side to move at the node; depths in plies, where `+` is deeper and `-`
//! shallower.

use crate::trace::{ChildSearch, CostLine, Decision, NodeRecord, RuleReason, Trace};
use quarterply_engine::score::{Bound, Depth, Score, Window};
use quarterply_engine::shakmaty::Color;
use quarterply_engine::words::grouped;
pub use quarterply_engine::words::{bounded, pawns, plies, score, signed_plies};

/// The name of a side.
pub const fn side(colour: Color) -> &'static str {
    match colour {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A score for the side to move; Black's are named, because many readers take a score for White's.
pub fn named(score: String, mover: Color) -> String {
    if mover.is_black() { score + " for Black" } else { score }
}

/// `1 move`, `2 moves`, `2 inaccuracies`.
pub fn several(number: u64, thing: &str) -> String {
    match thing.strip_suffix('y') {
        _ if number == 1 => format!("1 {thing}"),
        Some(stem) => format!("{} {stem}ies", grouped(number)),
        None => format!("{} {thing}s", grouped(number)),
    }
}

/// A window: `[+0.12, +0.13]`.
pub fn window(window: Window) -> String {
    format!("[{}, {}]", score(window.alpha), score(window.beta))
}

/// A value with its bound: `>= +0.34`, `<= +0.34`, or `+0.34` where it is exact.
pub fn proven(value: Score, bound: Bound) -> String {
    let sign = match bound {
        Bound::Lower => ">= ",
        Bound::Upper => "<= ",
        Bound::Exact => "",
    };
    format!("{sign}{}", score(value))
}

/// The bound of the value of a move: a cutoff proves a lower bound only, a move that does not raise alpha an upper bound only.
pub(crate) const fn bound_of(decision: Decision) -> Bound {
    match decision {
        Decision::Cutoff => Bound::Lower,
        Decision::Best => Bound::Exact,
        Decision::NotBest => Bound::Upper,
    }
}

/// Value of a move with its bound.
pub fn move_value(value: Score, decision: Decision) -> String {
    proven(value, bound_of(decision))
}

/// The value of a node, with its bound in the node's window.
pub fn value(node: &NodeRecord) -> String {
    node.score.map_or_else(|| "stopped".to_owned(), |score| proven(score, node.window.bound(score)))
}

/// The value of a search for the side to move at the node that made it, with its bound if its node was recorded.
pub fn found(trace: &Trace, search: &ChildSearch) -> String {
    let Some(value) = search.score else { return "stopped".to_owned() };
    let node = search.child.and_then(|child| trace.node(child).ok());
    let bound = node.and_then(|node| node.score.map(|score| node.window.bound(score)));
    let seen = |bound: Bound| if search.purpose.same_position() { bound } else { bound.flipped() };
    bound.map_or_else(|| score(value), |bound| proven(value, seen(bound)))
}

/// A rule with its numbers: `reverse futility: +3.12 - 2.34 = +0.78 >= beta +0.51 (3 plies x 0.78)`. `labels` are those of the trace.
pub fn rule_and_reason(by: &RuleReason, labels: &[String]) -> String {
    let (name, reason) = (by.rule.name(), reason(by, labels));
    if reason.is_empty() { name.to_owned() } else { format!("{name}: {reason}") }
}

/// The same without the rule; empty if it gave no numbers.
pub fn reason(by: &RuleReason, labels: &[String]) -> String {
    explain(by, labels).unwrap_or_else(|| {
        let pairs = labels.iter().zip(&by.numbers).map(|(label, number)| format!("{label} {number}"));
        pairs.collect::<Vec<_>>().join(", ")
    })
}

/// `a, b and c`, or with another word before the last.
pub(crate) fn listed(names: &[&str], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [before @ .., last] => format!("{} {word} {last}", before.join(", ")),
    }
}

/// A sentence with its first letter large.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A line of a breakdown: `late move reduction -2.4: base -1.9, cut node -1.25, history +0.75`.
pub fn breakdown(line: &CostLine, labels: &[String]) -> String {
    deepened(&line.by, line.change(), labels)
}

/// A changed depth: `hindsight +1: the previous move was reduced by 3, and the side to move gained -0.20`.
pub fn deepened(by: &RuleReason, amount: Depth, labels: &[String]) -> String {
    let (name, cost) = (by.rule.name(), signed_plies(amount));
    match explain(by, labels) {
        Some(text) => format!("{name} {cost}: {text}"),
        None => format!("{name} {cost}"),
    }
}

/// Former labels of numbers, and the present ones. Traces of older versions have the former.
const FORMER: [(&str, &str); 4] =
    [("stands out", "table move gap"), ("fallen pv", "failed-low pv"), ("most", "limit"), ("worth", "value")];

/// The rule's own text for its numbers; `None` if it has none, or if the rule of the recording program had other numbers.
fn explain(by: &RuleReason, labels: &[String]) -> Option<String> {
    let numbers = by.rule.numbers();
    let is_same = |(label, &number): (&String, &&str)| label == number || FORMER.contains(&(label.as_str(), number));
    let same = labels.len() == numbers.len() && labels.iter().zip(numbers).all(is_same);
    if same { by.rule.explain(&by.numbers) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::rules::Rule;

    fn sentence(rule: Rule, numbers: &[i32], labels: &[&str]) -> String {
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        rule_and_reason(&RuleReason { rule, numbers: numbers.to_vec() }, &labels)
    }

    #[test]
    fn a_rule_explains_its_own_numbers_only() {
        let labels = Rule::SeePruning.numbers();
        assert_eq!(
            sentence(Rule::SeePruning, &[90], labels),
            "see pruning: it loses more than 0.90 by static exchange"
        );
        assert_eq!(sentence(Rule::SeePruning, &[90, 3], &["loss", "plies"]), "see pruning: loss 90, plies 3");
        assert_eq!(sentence(Rule::Futility, &[1, 2], Rule::Futility.numbers()), "futility: evaluation 1, margin 2");
        assert_eq!(sentence(Rule::Check, &[], &[]), "check");
        let former = sentence(Rule::Evasions, &[3, 2], &["searched", "most"]);
        assert_eq!(former, "enough evasions: 3 evasions searched before it, 2 allowed", "a label of an older version");
    }

    #[test]
    fn a_change_of_depth_has_its_sign() {
        let by = RuleReason { rule: Rule::Explosion, numbers: vec![1536, 1024] };
        let labels: Vec<String> = by.rule.numbers().iter().map(|&label| label.to_owned()).collect();
        assert_eq!(deepened(&by, Depth(512), &labels), "explosion limit +0.5: extension of 1.5 requested, 1 granted");
        assert_eq!(deepened(&by, Depth(-512), &[]), "explosion limit -0.5");
    }

    #[test]
    fn a_number_of_things_is_singular_or_plural() {
        for (number, thing, expected) in
            [(1, "node", "1 node"), (1_234_567, "node", "1 234 567 nodes"), (2, "inaccuracy", "2 inaccuracies")]
        {
            assert_eq!(several(number, thing), expected);
        }
    }
}
