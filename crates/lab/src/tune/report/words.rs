//! The outcome of a run in words.

use super::number::change;
use super::{RunView, capital, cost};
use crate::tune::conclude::{Conclusion, Finding, OnSuite, Verdict};
use crate::tune::history::Step;
use quarterply_engine::words::grouped;

/// The verdict as a headline.
pub fn headline(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "Better than the start values",
        Verdict::OnlyWhereTuned => "Only better on what it was tuned on",
        Verdict::NotShown => "Not shown to be better than the start values",
        Verdict::NoBetter => "No better than the start values",
        Verdict::Worse => "Worse than the start values",
    }
}

/// What a conclusion shows and what follows from it, in a few sentences that never say more than its findings.
pub fn advice(conclusion: &Conclusion) -> String {
    let evidence = Evidence::of(conclusion);
    let shown = evidence.shown();
    let next = match conclusion.verdict {
        Verdict::Better => "Confirm it at your own time control before you ship it.",
        Verdict::OnlyWhereTuned => "Tune on more positions or measure longer before you believe it.",
        Verdict::NotShown => {
            "The difference, if there is one, is too small for what was measured: give it more positions, more steps or a longer \
             match, or keep the start values."
        }
        Verdict::NoBetter => {
            return "The search came back with the start values. Give it more steps or wider ranges, or keep them: they are good."
                .to_owned();
        }
        Verdict::Worse if finding(&conclusion.tuning) == Some(Finding::Worse) => {
            "Keep the start values; give the search more steps, or begin at them."
        }
        Verdict::Worse => "Keep the start values; tune on more positions, or on games.",
    };
    format!("{shown} {next}")
}

/// What the search itself gained, in a sentence or two: from the mean and the best of the first step to the best of all.
pub fn gain(view: &RunView<'_>) -> Option<String> {
    let (first, last) = (view.story.steps.first()?, view.story.steps.last()?);
    let (one, other) = (first.snapshot.best_cost?.value, last.snapshot.best_cost?.value);
    let text = |value: f64| cost(&view.story.objective, value);
    let mut said = format!(
        "{}: {}, the best in the end {} ({}",
        capital(view.quantity()),
        beginning(view, first, one),
        text(other),
        change(one, other),
    );
    if is_drawn(view, first) {
        said += &format!(" against that best, {} against the mean", change(first.mean(), other));
    }
    said += ").";
    if let Some(start) = view.start_cost() {
        said += &format!(" The start values cost {}.", text(start));
    }
    Some(said)
}

/// Was the first step a population, whose mean says what values are worth that nobody chose? Descents only look at neighbours.
fn is_drawn(view: &RunView<'_>, first: &Step) -> bool {
    let drawn = ["genetic", "random", "CMA"].iter().any(|name| view.story.method.contains(name));
    drawn && first.snapshot.population.len() > 1
}

/// What the first step cost.
fn beginning(view: &RunView<'_>, first: &Step, best: f64) -> String {
    let text = |value: f64| cost(&view.story.objective, value);
    let population = &first.snapshot.population;
    if !is_drawn(view, first) {
        return format!("the first step cost {}", text(best));
    }
    let start: Vec<i32> = view.story.dimensions.iter().map(|dimension| dimension.start).collect();
    let random = view.story.method.contains("genetic") || view.story.method.contains("random");
    let random = random && population.iter().all(|one| one.candidate != start);
    let what = if random { "random candidates" } else { "candidates" };
    let count = grouped(population.len() as u64);
    format!("the first {count} {what} cost {} on average, the best of them {}", text(first.mean()), text(best))
}

fn finding(suite: &Option<OnSuite>) -> Option<Finding> {
    suite.as_ref().map(|suite| suite.finding)
}

/// What was measured, by what it says.
struct Evidence {
    better: Vec<&'static str>,
    unclear: Vec<&'static str>,
    worse: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl Evidence {
    fn of(conclusion: &Conclusion) -> Evidence {
        let mut evidence = Evidence { better: vec![], unclear: vec![], worse: vec![], missing: vec![] };
        for (name, finding) in [
            ("on the tuning suite", finding(&conclusion.tuning)),
            ("on the hold-out", finding(&conclusion.holdout)),
            ("in the match", conclusion.games.as_ref().map(|games| games.finding)),
        ] {
            evidence.list(finding).push(name);
        }
        evidence
    }

    fn list(&mut self, finding: Option<Finding>) -> &mut Vec<&'static str> {
        match finding {
            Some(Finding::Better) => &mut self.better,
            Some(Finding::Unclear) => &mut self.unclear,
            Some(Finding::Worse) => &mut self.worse,
            None => &mut self.missing,
        }
    }

    /// All of it in one sentence.
    fn shown(&self) -> String {
        let parts = [
            ("better", &self.better),
            ("worse", &self.worse),
            ("no clear difference", &self.unclear),
            ("not measured", &self.missing),
        ];
        let said: Vec<String> = parts
            .into_iter()
            .filter(|(_, places)| !places.is_empty())
            .map(|(what, places)| format!("{what} {}", listed(places)))
            .collect();
        capital(&(said.join("; ") + "."))
    }
}

/// Things one after the other: `a, b and c`.
fn listed(things: &[&str]) -> String {
    match things {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::conclude::{InGames, OnSuite};
    use crate::tune::optimiser::Cost;

    fn conclusion(findings: [Option<Finding>; 3], verdict: Verdict) -> Conclusion {
        let cost = Cost::default();
        let suite = |finding: Option<Finding>| {
            finding.map(|finding| OnSuite {
                positions: 9,
                start: cost,
                best: cost,
                gained: 0,
                lost: 0,
                p: None,
                finding,
            })
        };
        let games =
            findings[2].map(|finding| InGames { pairs: [0; 5], move_nodes: 1, elo: None, margin: None, finding });
        Conclusion { best: vec![], tuning: suite(findings[0]), holdout: suite(findings[1]), games, verdict, spent: 0 }
    }

    #[test]
    fn a_verdict_says_what_the_findings_say() {
        use Finding::{Better, Unclear, Worse};
        for (findings, verdict, start) in [
            (
                [Some(Better), Some(Unclear), Some(Better)],
                Verdict::Better,
                "Better on the tuning suite and in the match; no clear difference on the hold-out. Confirm",
            ),
            (
                [Some(Unclear), Some(Unclear), Some(Unclear)],
                Verdict::NotShown,
                "No clear difference on the tuning suite, on the hold-out and in the match. The difference, if",
            ),
            (
                [Some(Better), Some(Unclear), None],
                Verdict::OnlyWhereTuned,
                "Better on the tuning suite; no clear difference on the hold-out; not measured in the match. Tune",
            ),
            (
                [Some(Better), Some(Better), Some(Worse)],
                Verdict::Worse,
                "Better on the tuning suite and on the hold-out; worse in the match. Keep",
            ),
        ] {
            let text = advice(&conclusion(findings, verdict));
            assert!(text.starts_with(start), "{text}");
        }
    }
}
