//! The progress of a run as text.

use super::step_word;
use crate::fault::FaultReport;
use crate::progress::TuningProgress;
use crate::space::Dimension;
use quarterply_engine::words::grouped;
use std::fmt::Write;

/// The name of a method's iterations.
pub fn iteration_word(method: &str) -> &'static str {
    match step_word(method) {
        "check" => "iteration",
        "step" if !method.contains("random") => "iteration",
        word => word,
    }
}

/// A number of pairs of games.
pub fn pairs_text(pairs: u64) -> String {
    format!("{} {} of games", grouped(pairs), if pairs == 1 { "pair" } else { "pairs" })
}

/// How many values a line of text has room for.
const VALUES_SHOWN: usize = 3;

/// The current values with their start values: the few that moved farthest within their ranges, if there are many.
pub fn values_text(dimensions: &[Dimension], values: &[f64]) -> String {
    let mut pairs: Vec<(&Dimension, f64)> = dimensions.iter().zip(values.iter().copied()).collect();
    if pairs.len() > VALUES_SHOWN {
        let moved = |(dimension, value): &(&Dimension, f64)| {
            (value - f64::from(dimension.start)).abs() / dimension.width().max(f64::EPSILON)
        };
        pairs.sort_by(|one, other| moved(other).total_cmp(&moved(one)));
        pairs.truncate(VALUES_SHOWN);
    }
    let shown = |(dimension, value): &(&Dimension, f64)| {
        format!("{} {} (start {})", dimension.name, number(*value), dimension.start)
    };
    let mut text = pairs.iter().map(shown).collect::<Vec<_>>().join(", ");
    let rest = dimensions.len().min(values.len()) - pairs.len();
    if rest > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, " and {rest} more");
    }
    text
}

/// The games that were lost by faults, each in a line; `None` if there were none.
pub fn faults_text(dimensions: &[Dimension], faults: &[FaultReport]) -> Option<String> {
    let names: Vec<String> = dimensions.iter().map(|dimension| dimension.name.clone()).collect();
    let count = match faults.len() {
        0 => return None,
        1 => "1 game was".to_owned(),
        count => format!("{count} games were"),
    };
    let lines: Vec<String> = faults.iter().map(|fault| fault.describe(&names)).collect();
    Some(format!("{count} lost by faults, and counted as lost:\n{}", lines.join("\n")))
}

/// A value with at most one decimal.
fn number(value: f64) -> String {
    const TENTHS: f64 = 10.0;
    ((value * TENTHS).round() / TENTHS).to_string()
}

/// The gain against the start values with its 95 % interval, as measured in games; `None` before the first of them.
pub fn gain_text(method: &str, progress: &TuningProgress) -> Option<String> {
    let (iteration, games) = progress.gain.as_ref()?;
    let pairs: u64 = games.pairs.iter().sum();
    Some(format!(
        "{} Elo in {} {} at {} {}",
        games.estimate().with_interval(),
        grouped(pairs),
        if pairs == 1 { "pair" } else { "pairs" },
        iteration_word(method),
        grouped(*iteration as u64),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_that_moved_most_are_shown() {
        let dimension =
            |name: &str, max, start| Dimension { name: name.to_owned(), min: 0, max, step: 1, start, switch: false };
        let dimensions = ["a", "b", "c", "d", "e", "f"].map(|name| dimension(name, 100, 50));
        let values = [51.0, 58.26, 50.0, 30.0, 53.0, 50.0];
        assert_eq!(values_text(&dimensions[..2], &values[..2]), "a 51 (start 50), b 58.3 (start 50)");
        let most = "d 30 (start 50), b 58.3 (start 50), e 53 (start 50) and 3 more";
        assert_eq!(values_text(&dimensions, &values), most);
    }

    #[test]
    fn methods_count_what_they_repeat() {
        let words = ["SPSA", "gradient descent", "genetic algorithm", "CMA-ES", "random search"].map(iteration_word);
        assert_eq!(words, ["iteration", "iteration", "generation", "generation", "step"]);
    }
}
