//! The outcome of a run as text.

use super::{RunView, capital, cost, quantity};
use crate::conclude::{Conclusion, Finding, GamesComparison, SuiteComparison, TuningVerdict};
use crate::history::TuningStep;
use quarterply_engine::words::grouped;
use quarterply_files::pages::number::{change, percent};
use quarterply_stats::Pentanomial;

/// The name of the values that a run is compared with, if it began at them.
const START: &str = "start values";
/// The same if it began at random: they were chosen by hand or by an earlier run, and this one did not use them.
const OWN: &str = "profile's own values";
/// The same of another engine: it has no profile, its values are those that it declares or those of `--option`.
const OWN_OF_ENGINE: &str = "engine's own values";

/// The verdict as a headline.
pub fn headline(view: &RunView<'_>, verdict: TuningVerdict) -> String {
    let own = view.own_values();
    let verdict = match verdict {
        TuningVerdict::Better => format!("better than the {own}"),
        TuningVerdict::OnlyWhereTuned => "only better on what it was tuned on".to_owned(),
        TuningVerdict::Unclear => format!("unclear whether better than the {own}"),
        TuningVerdict::NoBetter => format!("no better than the {own}"),
        TuningVerdict::Worse => format!("worse than the {own}"),
    };
    match way(view) {
        Some(way) => format!("{way}; {verdict}"),
        None => capital(&verdict),
    }
}

/// The progress of a run that began at random towards the values of its profile: the share of the distance between the mean of random values
/// and the profile's own that the best value has covered.
fn way(view: &RunView<'_>) -> Option<String> {
    const ALL: f64 = 1.0;
    let (first, last) = (view.summary.steps.first()?, view.summary.steps.last()?);
    let (mean, best, own) = (first.mean(), last.snapshot.best_cost?.value, view.start_cost()?);
    let (share, name) = ((mean - best) / (mean - own), view.own_values());
    (view.is_random() && mean > own).then(|| match share {
        share if share >= ALL => format!("From random values to the cost of the {name} and beyond"),
        share if share > 0.0 => format!("From random values {} of the way to the {name}", percent(share)),
        _ => "No progress from random values".to_owned(),
    })
}

impl RunView<'_> {
    /// The name of the values that the run is compared with.
    pub(super) fn own_values(&self) -> &'static str {
        match self.engine {
            _ if !self.is_random() => START,
            Some(_) => OWN_OF_ENGINE,
            None => OWN,
        }
    }

    /// Returns true if the run began at random, without the values of its profile.
    fn is_random(&self) -> bool {
        let start: Vec<i32> = self.summary.dimensions.iter().map(|dimension| dimension.start).collect();
        let random = self.summary.method.contains("genetic") || self.summary.method.contains("random");
        let first = self.summary.steps.first().map(|step| &step.snapshot.population);
        random && first.is_some_and(|first| first.len() > 1 && first.iter().all(|one| one.candidate != start))
    }
}

/// The results of a conclusion and their consequences, in a few sentences. Every result has its 95 % confidence interval.
pub fn advice(view: &RunView<'_>, conclusion: &Conclusion) -> String {
    advice_on(conclusion).replace(START, view.own_values())
}

fn advice_on(conclusion: &Conclusion) -> String {
    let (shown, few) = evidence(conclusion);
    let next = match conclusion.verdict {
        TuningVerdict::Better => "Confirm it at your time control before you use the values.",
        TuningVerdict::OnlyWhereTuned => "Tune on more positions or measure longer before you believe it.",
        TuningVerdict::Unclear if few => {
            "Fewer than 20 positions or pairs of games are too few for a conclusion: measure more before you change anything."
        }
        TuningVerdict::Unclear => {
            "The difference, if there is one, is too small for this measurement: use more positions, more steps or a longer \
             match, or keep the start values."
        }
        TuningVerdict::NoBetter => {
            return "The best candidate is the start values, so no match was played. Use more steps or wider ranges, or keep the \
                    start values."
                .to_owned();
        }
        TuningVerdict::Worse if finding(&conclusion.tuning) == Some(Finding::Worse) => {
            "Keep the start values; give the search more steps, or begin at them."
        }
        TuningVerdict::Worse => "Keep the start values; tune on more positions, or on games.",
    };
    format!("{shown} {next}")
}

/// The gain of the search, in a sentence or two: from the mean and the best of the first step to the best of all, or to the last one if
/// costs are noisy.
pub fn gain(view: &RunView<'_>) -> Option<String> {
    let (first, last) = (view.summary.steps.first()?, view.summary.steps.last()?);
    let (one, other) = (first.snapshot.best_cost?.value, last.snapshot.best_cost?.value);
    if view.summary.steps.len() == 1 && !is_drawn(view, first) {
        return None;
    }
    let text = |value: f64| cost(&view.summary.objective, value);
    let mut sentence = format!(
        "{}: {}, {} {} ({}",
        capital(quantity(&view.summary.objective)),
        beginning(view, first, one),
        if view.summary.noisy { "the last one" } else { "the best in the end" },
        text(other),
        change(one, other),
    );
    if is_drawn(view, first) {
        sentence += &format!(" against that best, {} against the mean", change(first.mean(), other));
    }
    sentence += ").";
    if let Some(start) = view.start_cost() {
        sentence += &format!(" The {} cost {}.", view.own_values(), text(start));
    }
    Some(sentence)
}

/// Returns true if the first step was a random population, whose mean is a baseline. Descents only measure neighbours.
fn is_drawn(view: &RunView<'_>, first: &TuningStep) -> bool {
    let drawn = ["genetic", "random", "CMA"].iter().any(|name| view.summary.method.contains(name));
    drawn && first.snapshot.population.len() > 1
}

/// The cost of the first step.
fn beginning(view: &RunView<'_>, first: &TuningStep, best: f64) -> String {
    let text = |value: f64| cost(&view.summary.objective, value);
    let population = &first.snapshot.population;
    if !is_drawn(view, first) {
        return format!("the first {} cost {}", view.step_word(), text(best));
    }
    let what = if view.is_random() { "random candidates" } else { "candidates" };
    let count = grouped(population.len() as u64);
    format!("the first {count} {what} cost {} on average, the best of them {}", text(first.mean()), text(best))
}

fn finding(suite: &Option<SuiteComparison>) -> Option<Finding> {
    suite.as_ref().map(|suite| suite.finding)
}

/// The comparisons by their results in one sentence; true if a part of it was measured on too few positions or pairs of games.
fn evidence(conclusion: &Conclusion) -> (String, bool) {
    let (mut places, mut few) = (Vec::new(), false);
    for (name, suite) in [("on the tuning suite", &conclusion.tuning), ("on the hold-out", &conclusion.holdout)] {
        few |= suite.as_ref().is_some_and(SuiteComparison::is_few);
        let measured = suite.as_ref().map(|suite| format!(" ({}, {} positions)", interval(suite), suite.positions));
        places.push((finding(suite), format!("{name}{}", measured.unwrap_or_default())));
    }
    let games = conclusion.games.as_ref();
    few |= games.is_some_and(GamesComparison::is_few);
    let elo = |games: &GamesComparison| {
        format!(" ({} Elo, {} games)", games.estimate().with_interval(), Pentanomial::new(games.pairs).games())
    };
    places.push((games.map(|games| games.finding), format!("in the match{}", games.map(elo).unwrap_or_default())));
    let with = |(what, finding): (&str, Option<Finding>)| {
        let there: Vec<&str> =
            places.iter().filter(|(found, _)| *found == finding).map(|(_, place)| place.as_str()).collect();
        (!there.is_empty()).then(|| format!("{what} {}", listed(&there)))
    };
    let results = [
        ("better", Some(Finding::Better)),
        ("worse", Some(Finding::Worse)),
        ("no clear difference", Some(Finding::Unclear)),
        ("not measured", None),
    ];
    let findings: Vec<String> = results.into_iter().filter_map(with).collect();
    (capital(&(findings.join("; ") + ".")), few)
}

/// The change of the cost on a suite with its interval: `-12.3 % [-20.1 %, -4.5 %]`.
pub(super) fn interval(suite: &SuiteComparison) -> String {
    let share = |value: Option<f64>, open: &str| {
        value.map_or_else(
            || open.to_owned(),
            |value| if value > 0.0 { format!("+{}", percent(value)) } else { percent(value) },
        )
    };
    let ends = [share(suite.change_low, "-inf"), share(suite.change_high, "+inf")];
    format!("{} [{}, {}]", change(suite.start.value, suite.best.value), ends[0], ends[1])
}

/// A list as text: `a, b and c`.
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
    use crate::conclude::rate;
    use crate::optimiser::Cost;
    use quarterply_games::game::Pace;

    fn conclusion(findings: [Option<Finding>; 3], verdict: TuningVerdict) -> Conclusion {
        let cost = |value| Cost { value, ..Cost::default() };
        let suite = |finding| SuiteComparison {
            positions: 90,
            start: cost(100.0),
            best: cost(90.0),
            change_low: Some(-0.15),
            change_high: Some(0.05),
            finding,
            ..SuiteComparison::default()
        };
        let games = findings[2].map(|finding| rated([1, 20, 40, 19, 1], finding));
        Conclusion {
            best: vec![],
            tuning: findings[0].map(suite),
            holdout: findings[1].map(suite),
            games,
            verdict,
            spent: 0,
            failed: None,
        }
    }

    fn rated(pairs: [u64; 5], finding: Finding) -> GamesComparison {
        GamesComparison { finding, ..rate(Pentanomial::new(pairs), &Pace::Nodes(1)) }
    }

    #[test]
    fn a_verdict_agrees_with_the_findings() {
        use Finding::{Better, Unclear, Worse};
        const SUITE: &str = "(-10.0 % [-15.0 %, +5.0 %], 90 positions)";
        const GAMES: &str = "(-2.1 [-31.0, +26.7] Elo, 162 games)";
        for (findings, verdict, start) in [
            (
                [Some(Better), Some(Unclear), Some(Better)],
                TuningVerdict::Better,
                "Better on the tuning suite SUITE and in the match GAMES; no clear difference on the hold-out SUITE. Confirm",
            ),
            (
                [Some(Unclear), Some(Unclear), Some(Unclear)],
                TuningVerdict::Unclear,
                "No clear difference on the tuning suite SUITE, on the hold-out SUITE and in the match GAMES. The difference, if",
            ),
            (
                [Some(Better), Some(Unclear), None],
                TuningVerdict::OnlyWhereTuned,
                "Better on the tuning suite SUITE; no clear difference on the hold-out SUITE; not measured in the match. Tune",
            ),
            (
                [Some(Better), Some(Better), Some(Worse)],
                TuningVerdict::Worse,
                "Better on the tuning suite SUITE and on the hold-out SUITE; worse in the match GAMES. Keep",
            ),
            (
                [Some(Unclear), Some(Unclear), None],
                TuningVerdict::NoBetter,
                "The best candidate is the start values, so no match was played. Use",
            ),
        ] {
            let text = advice_on(&conclusion(findings, verdict));
            assert!(text.starts_with(&start.replace("SUITE", SUITE).replace("GAMES", GAMES)), "{text}");
        }
    }

    #[test]
    fn four_games_lead_to_no_advice_about_the_values() {
        let mut few = conclusion([None, None, Some(Finding::Unclear)], TuningVerdict::Unclear);
        few.games = Some(rated([1, 1, 0, 0, 0], Finding::Unclear));
        let text = advice_on(&few);
        assert!(text.starts_with("No clear difference in the match (-338.0 [at most "), "{text}");
        assert!(text.contains("Elo, 4 games); not measured on the tuning suite and on the hold-out."), "{text}");
        assert!(text.contains("too few for a conclusion") && !text.contains("eep the start values"), "{text}");
    }
}
