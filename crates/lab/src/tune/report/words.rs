//! The outcome of a run in words.

use crate::tune::conclude::{Conclusion, Finding, Verdict};

/// The verdict as a headline.
pub fn headline(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "Better than the start values",
        Verdict::OnlyWhereTuned => "Only better on what it was tuned on",
        Verdict::NoBetter => "No better than the start values",
        Verdict::Worse => "Worse than the start values",
    }
}

/// What follows from a conclusion, in a sentence or two.
pub fn advice(conclusion: &Conclusion) -> String {
    let seen = match (conclusion.holdout.is_some(), conclusion.games.is_some()) {
        (true, true) => "fresh positions and games",
        (true, false) => "fresh positions, though not games,",
        (false, true) => "games",
        (false, false) => return unproven(conclusion.verdict).to_owned(),
    };
    match conclusion.verdict {
        Verdict::Better => {
            format!("Measured on {seen}, not only where it was tuned. Confirm it at your own time control before you ship it.")
        }
        Verdict::OnlyWhereTuned => {
            let there = match conclusion.tuning.as_ref().map(|tuning| tuning.finding) {
                Some(Finding::Better) => "The gain on the tuning suite is more than chance, but",
                Some(_) => "The gain on the tuning suite may be chance, and",
                None => "There is a gain in what was tuned on, but",
            };
            format!("{there} {seen} do not confirm it. Tune on more positions or measure longer before you believe it.")
        }
        Verdict::NoBetter => {
            "The search found nothing better. Give it more steps or wider ranges, or keep the start values: they are good."
                .to_owned()
        }
        Verdict::Worse => format!("Judged by {seen} the new values are worse, whatever the suite says. Keep the old ones."),
    }
}

/// Nothing but the tuning itself was measured.
fn unproven(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NoBetter => "The search found nothing better. Give it more steps or wider ranges.",
        _ => {
            "Neither a hold-out suite nor games were measured, so nothing shows that the gain is more than luck there."
        }
    }
}
