//! Numbers in plain words: scores, depths, and what a rule computed before it spoke.
//!
//! Scores are in pawns/100 for the side to move at the node; depths in plies.

use crate::trace::{Decision, LedgerLine, Rest, Spoken};
use quarterply_engine::node::Kind;
use quarterply_engine::ordering::Stage;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score, Window};
use quarterply_engine::search::observer::Purpose;
use quarterply_engine::shakmaty::Color;
use quarterply_engine::words::grouped;

const HUNDREDTHS: i32 = 100;

/// A score: pawns/100, `#3` for a mate in three, `-#3` for being mated, `win` and `loss` for endgame tables.
pub fn score(score: Score) -> String {
    match score.mate_moves() {
        _ if score >= Score::INFINITE => "MAX".to_owned(),
        _ if score <= -Score::INFINITE => "-MAX".to_owned(),
        Some(moves) if score.is_won() => format!("#{moves}"),
        Some(moves) => format!("-#{}", moves.abs()),
        None if score.is_won() => "win".to_owned(),
        None if score.is_lost() => "loss".to_owned(),
        None => score.0.to_string(),
    }
}

/// The side whose turn it is.
pub const fn side(colour: Color) -> &'static str {
    match colour {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// `1 move`, `2 moves`.
pub fn several(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{} {thing}s", grouped(number)) }
}

/// A depth in plies, to a hundredth where that is needed.
pub fn plies(depth: Depth) -> String {
    let hundredths = (depth.0 * HUNDREDTHS + Depth::ONE_PLY.0 / 2).div_euclid(Depth::ONE_PLY.0);
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.abs() / HUNDREDTHS, hundredths.abs() % HUNDREDTHS);
    let text = format!("{sign}{whole}.{rest:02}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A depth with its sign: `+1.25`, `-0.5`.
pub fn signed_plies(depth: Depth) -> String {
    let text = plies(depth);
    if depth > Depth::ZERO { format!("+{text}") } else { text }
}

/// A window: `[12, 13]`.
pub fn window(window: Window) -> String {
    format!("[{}, {}]", score(window.alpha), score(window.beta))
}

/// A value with what it proves: `at least 34`.
pub fn bounded(value: Score, bound: Bound) -> String {
    match bound {
        Bound::Lower => format!("at least {}", score(value)),
        Bound::Upper => format!("at most {}", score(value)),
        Bound::Exact => score(value),
    }
}

/// What is expected of a node, or what it turned out to be.
pub const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Pv => "pv",
        Kind::Cut => "cut",
        Kind::All => "all",
    }
}

/// What a value did.
pub const fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Cutoff => "cutoff",
        Decision::Best => "best",
        Decision::NotBest => "not best",
    }
}

/// The moves left out together with one.
pub const fn rest(rest: Rest) -> &'static str {
    match rest {
        Rest::None => "none",
        Rest::Quiets => "quiet moves",
        Rest::QuietsButChecks => "quiet moves but checks",
    }
}

/// Where the picker took a move from.
pub const fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Table => "table move",
        Stage::GoodNoisy => "good capture",
        Stage::Quiet => "quiet",
        Stage::BadNoisy => "bad capture",
    }
}

/// Why a node is searched, in a word or two.
pub const fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::First => "first move",
        Purpose::Scout => "scout",
        Purpose::Reduced => "reduced",
        Purpose::Middle => "again, deeper",
        Purpose::Full => "again, full depth",
        Purpose::Open => "again, open window",
        Purpose::Quiescence => "quiescence",
        Purpose::NullMove => "null move",
        Purpose::NullCheck => "null move check",
        Purpose::Razoring => "razoring",
        Purpose::ProbCutQuiet => "probcut, captures",
        Purpose::ProbCut => "probcut",
        Purpose::MultiCut => "multi-cut",
        Purpose::FirstGuess => "first guess",
        Purpose::Exclusion => "without the table move",
    }
}

/// The parameters that switch a rule off; none for what is not a choice.
pub const fn switches(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::Draw | Rule::Horizon | Rule::Tablebase | Rule::StandPat => &[],
        Rule::MateDistance => &["mate_distance.on"],
        Rule::Table => &["table.on"],
        Rule::Hindsight => &["hindsight.on"],
        Rule::IterativeReduction => &["iterative_reduction.on"],
        Rule::IterativeDeepening => &["iterative_deepening.on"],
        Rule::ReverseFutility => &["reverse_futility.on"],
        Rule::Razoring => &["razoring.on"],
        Rule::NullMove => &["null_move.on"],
        Rule::ProbCut => &["probcut.on"],
        Rule::MultiCut => &["multi_cut.on"],
        Rule::Singular => &["singular.on"],
        Rule::LateMovePruning => &["late_move_pruning.on"],
        Rule::Futility => &["futility.on"],
        Rule::HistoryPruning => &["history_pruning.on"],
        Rule::SeePruning => &["see_pruning.on", "quiescence.see"],
        Rule::Check => &["check.on"],
        Rule::OneReply => &["one_reply.on"],
        Rule::Recapture => &["recapture.on"],
        Rule::PassedPawn => &["passed_pawn.on"],
        Rule::MateThreat => &["mate_threat.on"],
        Rule::Explosion => &["explosion.on", "quiescence.narrow"],
        Rule::LateMoveReduction => &["late_move_reduction.on"],
        Rule::Delta => &["quiescence.delta"],
        Rule::Evasions => &["quiescence.evasions_limited"],
    }
}

/// A rule with its numbers: `reverse futility: 312 - 234 = 78 >= beta 51 (3 plies x 78)`. `labels` are those of the trace.
pub fn spoken(by: &Spoken, labels: &[String]) -> String {
    let name = by.rule.name();
    let known = explain(by.rule, &Named { labels, numbers: &by.numbers });
    match known {
        Some(text) => format!("{name}: {text}"),
        None if by.numbers.is_empty() => name.to_owned(),
        None => {
            let pairs = labels.iter().zip(&by.numbers).map(|(label, number)| format!("{label} {number}"));
            format!("{name}: {}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A line of a ledger: `late move reduction +2.4: base 1.9, cut node +1.25, history -0.75`.
pub fn ledger(line: &LedgerLine, labels: &[String]) -> String {
    let name = line.by.rule.name();
    let cost = signed_plies(line.cost);
    match explain(line.by.rule, &Named { labels, numbers: &line.by.numbers }) {
        Some(text) => format!("{name} {cost}: {text}"),
        None => format!("{name} {cost}"),
    }
}

/// A changed depth of a node: `hindsight +1: the move before was reduced by 3 plies, and the gain is -20`.
pub fn deepened(by: &Spoken, amount: Depth, labels: &[String]) -> String {
    let cost = signed_plies(amount);
    match explain(by.rule, &Named { labels, numbers: &by.numbers }) {
        Some(text) => format!("{} {cost}: {text}", by.rule.name()),
        None => format!("{} {cost}", by.rule.name()),
    }
}

/// Numbers by name.
struct Named<'a> {
    labels: &'a [String],
    numbers: &'a [i32],
}

impl Named<'_> {
    fn get(&self, label: &str) -> Option<i32> {
        let place = self.labels.iter().position(|known| known == label)?;
        self.numbers.get(place).copied()
    }

    fn plies(&self, label: &str) -> Option<String> {
        self.get(label).map(|number| plies(Depth(number)))
    }

    fn score(&self, label: &str) -> Option<String> {
        self.get(label).map(|number| score(Score(number)))
    }
}

/// What the numbers say; `None` if there are none or they are called something else.
fn explain(rule: Rule, n: &Named<'_>) -> Option<String> {
    match rule {
        Rule::Draw => Some("repetition, fifty moves or too little material".to_owned()),
        Rule::MateDistance => {
            n.get("alpha").map(|_| "no mate from here can be as near as the one found already".to_owned())
        }
        Rule::Table => table(n),
        Rule::Hindsight => Some(format!(
            "the move before was reduced by {}, and the gain is {}",
            n.plies("reduction")?,
            n.get("gain")?
        )),
        Rule::IterativeReduction => Some(format!("no table move at depth {}", n.plies("depth")?)),
        Rule::ReverseFutility => reverse_futility(n),
        Rule::Razoring => {
            let (evaluation, margin, value) = (n.get("evaluation")?, n.get("margin")?, n.score("value")?);
            let alpha = n.get("alpha")?;
            let sum = evaluation + margin;
            Some(format!("{evaluation} + {margin} = {sum} <= alpha {alpha}, and captures reach only {value}"))
        }
        Rule::NullMove => {
            let verified = if n.get("verified")? > 0 { ", verified without it" } else { "" };
            let (value, beta, reduction) = (n.score("value")?, n.score("beta")?, n.plies("reduction")?);
            Some(format!("passing is worth {value} >= beta {beta}, searched {reduction} less deep{verified}"))
        }
        Rule::ProbCut => {
            let (value, beta) = (n.score("value")?, n.score("beta")?);
            let (margin, reduction) = (n.get("margin")?, n.plies("reduction")?);
            Some(format!("a capture is worth {value} >= beta {beta} + {margin}, searched {reduction} less deep"))
        }
        Rule::MultiCut => {
            let (cuts, tried) = (n.get("cuts")?, n.get("tried")?);
            let (beta, reduction) = (n.score("beta")?, n.plies("reduction")?);
            Some(format!("{cuts} of {tried} moves reach beta {beta}, searched {reduction} less deep"))
        }
        Rule::Singular => {
            let (value, beta) = (n.score("value")?, n.score("beta")?);
            Some(format!("even without the table move {value} >= beta {beta}"))
        }
        _ => explain_move(rule, n),
    }
}

/// The rules that speak about a move.
fn explain_move(rule: Rule, n: &Named<'_>) -> Option<String> {
    match rule {
        Rule::LateMovePruning => {
            let (before, limit, depth) = (n.get("quiet moves before")?, n.get("limit")?, n.plies("depth")?);
            let trend = if n.get("improving")? > 0 { "improves" } else { "does not improve" };
            Some(format!("{before} quiet moves before it >= {limit} allowed at depth {depth}, the evaluation {trend}"))
        }
        Rule::Futility => {
            let (evaluation, margin, alpha) = (n.get("evaluation")?, n.get("margin")?, n.get("alpha")?);
            let (depth, history) = (n.plies("reduced depth")?, n.get("history")?);
            let sum = evaluation + margin;
            Some(format!("{evaluation} + {margin} = {sum} <= alpha {alpha} (reduced depth {depth}, history {history})"))
        }
        Rule::HistoryPruning => {
            let (history, least) = (n.get("history")?, n.get("least history")?);
            Some(format!("history {history} < {least} at reduced depth {}", n.plies("reduced depth")?))
        }
        Rule::SeePruning => match n.get("allowed loss")? {
            0 => Some("it loses material on its square".to_owned()),
            allowed => Some(format!("it loses more than {allowed} on its square")),
        },
        Rule::Delta => {
            let (evaluation, captured, margin) = (n.get("evaluation")?, n.get("captured")?, n.get("margin")?);
            let sum = evaluation + captured + margin;
            Some(format!("{evaluation} + {captured} captured + {margin} = {sum} <= alpha {}", n.score("alpha")?))
        }
        Rule::StandPat => Some(format!("{} >= beta {}", n.score("evaluation")?, n.score("beta")?)),
        Rule::Evasions => Some(format!("{} searched, {} allowed", n.get("searched")?, n.get("most")?)),
        Rule::Explosion => explosion(n),
        Rule::LateMoveReduction => late_move_reduction(n),
        _ => None,
    }
}

fn table(n: &Named<'_>) -> Option<String> {
    let (value, depth) = (Score(n.get("value")?), n.plies("depth")?);
    let bound = match n.get("bound")? {
        -1 => Bound::Upper,
        0 => Bound::Exact,
        _ => Bound::Lower,
    };
    let (alpha, beta) = (Score(n.get("alpha")?), Score(n.get("beta")?));
    let verdict = if value >= beta {
        format!(">= beta {}", score(beta))
    } else if value <= alpha {
        format!("<= alpha {}", score(alpha))
    } else {
        "inside the window".to_owned()
    };
    let slack = match n.get("slack")? {
        0 => String::new(),
        slack => format!(" - {} slack", plies(Depth(slack))),
    };
    Some(format!("{} {verdict}, from depth {} >= {depth}{slack}", bounded(value, bound), n.plies("entry depth")?))
}

fn reverse_futility(n: &Named<'_>) -> Option<String> {
    let (evaluation, margin, beta) = (n.get("evaluation")?, n.get("margin")?, n.get("beta")?);
    let mut margin_text = format!("{} plies x {}", n.plies("depth")?, n.get("slope")?);
    for (label, sign) in [("improving", "-"), ("uncertain", "+")] {
        match n.get(label)? {
            0 => {}
            term => margin_text.push_str(&format!(" {sign} {term} {label}")),
        }
    }
    Some(format!("{evaluation} - {margin} = {} >= beta {beta} ({margin_text})", evaluation - margin))
}

fn explosion(n: &Named<'_>) -> Option<String> {
    match (n.get("tried or plies"), n.get("most")) {
        (Some(found), Some(most)) if n.get("by number")? > 0 => {
            Some(format!("{found} captures tried, {most} allowed so far out"))
        }
        (Some(found), Some(most)) => {
            Some(format!("{found} plies of quiescence, only recaptures are looked at from {most} on"))
        }
        _ => Some(format!("{} wished, {} granted", n.plies("wished")?, n.plies("granted")?)),
    }
}

fn late_move_reduction(n: &Named<'_>) -> Option<String> {
    let mut terms = vec![format!("base {}", n.plies("base")?)];
    let mut sum = n.get("base")?;
    let others = n.labels.iter().zip(n.numbers).filter(|(label, _)| !matches!(label.as_str(), "base" | "granted"));
    for (label, &term) in others.filter(|(_, term)| **term != 0) {
        sum += term;
        terms.push(format!("{label} {}", signed_plies(Depth(term))));
    }
    let granted = n.get("granted")?;
    if sum != granted {
        terms.push(format!("limited from {} to {}", plies(Depth(sum)), plies(Depth(granted))));
    }
    Some(terms.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::Parameters;
    use quarterply_engine::score::Ply;

    fn said(rule: Rule, numbers: &[i32]) -> String {
        let labels: Vec<String> = rule.numbers().iter().map(|&label| label.to_owned()).collect();
        spoken(&Spoken { rule, numbers: numbers.to_vec() }, &labels)
    }

    #[test]
    fn rules_explain_themselves() {
        for (rule, numbers, expected) in [
            (
                Rule::ReverseFutility,
                &[312, 78, 3072, 0, 0, 234, 51][..],
                "reverse futility: 312 - 234 = 78 >= beta 51 (3 plies x 78)",
            ),
            (
                Rule::ReverseFutility,
                &[300, 80, 2560, 70, 12, 142, 51],
                "reverse futility: 300 - 142 = 158 >= beta 51 (2.5 plies x 80 - 70 improving + 12 uncertain)",
            ),
            (
                Rule::NullMove,
                &[90, 4352, 87, 51, 0],
                "null move: passing is worth 87 >= beta 51, searched 4.25 less deep",
            ),
            (
                Rule::Table,
                &[34, 1, 5376, 6144, 768, 11, 12],
                "table: at least 34 >= beta 12, from depth 5.25 >= 6 - 0.75 slack",
            ),
            (Rule::SeePruning, &[90], "see pruning: it loses more than 90 on its square"),
            (Rule::Delta, &[20, 100, 180, 320], "delta: 20 + 100 captured + 180 = 300 <= alpha 320"),
            (Rule::StandPat, &[78, 51], "stand pat: 78 >= beta 51"),
            (Rule::Explosion, &[1536, 1024], "explosion limit: 1.5 wished, 1 granted"),
            (Rule::Explosion, &[0, 0, 4, 4, 1], "explosion limit: 4 captures tried, 4 allowed so far out"),
            (
                Rule::LateMoveReduction,
                &[1946, 0, 0, 1280, 0, 0, 0, 0, -1024, 0, 0, 0, 256, 2048],
                "late move reduction: base 1.9, cut node +1.25, refuter -1, history +0.25, limited from 2.4 to 2",
            ),
            (Rule::Check, &[], "check"),
            (Rule::Futility, &[1, 2], "futility: evaluation 1, margin 2"),
        ] {
            assert_eq!(said(rule, numbers), expected);
        }
    }

    #[test]
    fn every_rule_with_numbers_has_words() {
        for &rule in Rule::ALL {
            let numbers = vec![1; rule.numbers().len()];
            let labels: Vec<String> = rule.numbers().iter().map(|&label| label.to_owned()).collect();
            let words = explain(rule, &Named { labels: &labels, numbers: &numbers });
            assert!(words.is_some() || numbers.is_empty(), "{}", rule.name());
        }
    }

    #[test]
    fn every_switch_is_a_parameter() {
        for &rule in Rule::ALL {
            for name in switches(rule) {
                assert!(Parameters::find(name).is_ok(), "{}: {name}", rule.name());
            }
        }
    }

    #[test]
    fn scores_and_depths_are_short() {
        for (value, text) in [
            (Score(51), "51"),
            (Score::mate_in(Ply(5)), "#3"),
            (Score::mated_in(Ply(4)), "-#2"),
            (Score::INFINITE, "MAX"),
            (-Score::INFINITE, "-MAX"),
            (Score::tablebase_win_in(Ply(3)), "win"),
        ] {
            assert_eq!(score(value), text);
        }
        for (depth, text) in [(3072, "3"), (1536, "1.5"), (-512, "-0.5"), (1024 / 3, "0.33"), (0, "0"), (10240, "10")] {
            assert_eq!(plies(Depth(depth)), text);
        }
        assert_eq!(signed_plies(Depth(1280)), "+1.25");
        assert_eq!(
            (several(1, "node"), several(1_234_567, "node")),
            ("1 node".to_owned(), "1 234 567 nodes".to_owned())
        );
    }
}
