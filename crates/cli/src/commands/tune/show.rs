//! The tables at the end of a run.

use quarterply_lab::tune::conclude::Conclusion;
use quarterply_lab::tune::history::{Step, Story};
use quarterply_lab::tune::optimiser::Cost;

use super::watch::figure;
use crate::args::Common;
use crate::export::{JsonLines, grouped, table};
use crate::failure::Failure;

/// Prints the first and the last step like the paper, and the values before and after.
pub fn print(common: &Common, story: &Story) -> Result<(), Failure> {
    let mut json = JsonLines::open(common)?;
    json.write(story)?;
    let (Some(first), Some(last)) = (story.steps.first(), story.steps.last()) else {
        json.print(&"no step is finished yet")?;
        return Ok(());
    };
    let mut steps = table(&["step", "mean", "best", "solved, mean", "solved, best", "nodes so far"], 1..6);
    let mut shown = vec![first];
    if last.snapshot.step != first.snapshot.step {
        shown.push(last);
    }
    for step in shown {
        steps.add_row(row(step));
    }
    json.print(&steps)?;
    let mut values = table(&["parameter", "start", "best", "least", "greatest"], 1..5);
    for (index, dimension) in story.dimensions.iter().enumerate() {
        let all = last.snapshot.population.iter().filter_map(|priced| priced.candidate.get(index));
        let best = last.snapshot.best.get(index).copied().unwrap_or(dimension.start);
        let (least, greatest) = all.fold((best, best), |(low, high), value| (low.min(*value), high.max(*value)));
        values.add_row([
            dimension.name.clone(),
            dimension.start.to_string(),
            best.to_string(),
            least.to_string(),
            greatest.to_string(),
        ]);
    }
    json.print(&values)?;
    if let Some(conclusion) = &story.conclusion {
        print_conclusion(&json, story, conclusion)?;
    }
    let state = if story.finished { "finished" } else { "not finished" };
    json.print(&format!("{}, seed {}: {state} after {} steps", story.method, story.seed, story.steps.len()))?;
    Ok(())
}

/// The comparisons with the start values and the verdict.
fn print_conclusion(json: &JsonLines, story: &Story, conclusion: &Conclusion) -> Result<(), Failure> {
    let mut suites =
        table(&["against the start values", "start", "best", "solved", "solved", "gained", "lost", "p"], 1..8);
    let named = [(&story.suite, &conclusion.tuning), (&story.holdout, &conclusion.holdout)];
    for (index, (name, result)) in named.into_iter().enumerate() {
        let (Some(name), Some(result)) = (name, result) else { continue };
        let kind = if index == 0 { "tuned on" } else { "hold-out" };
        let solved = |cost: Cost| cost.solved.map_or_else(String::new, |solved| format!("{solved:.0}"));
        suites.add_row([
            format!("{kind}: {name}"),
            figure(result.start.value),
            figure(result.best.value),
            solved(result.start),
            solved(result.best),
            result.gained.to_string(),
            result.lost.to_string(),
            result.p.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")),
        ]);
    }
    if conclusion.tuning.is_some() || conclusion.holdout.is_some() {
        json.print(&suites)?;
    }
    if let Some(games) = &conclusion.games {
        let elo = match (games.elo, games.margin) {
            (Some(elo), Some(margin)) => format!("{elo:+.1} +- {margin:.1} Elo"),
            _ => "beyond measure".to_owned(),
        };
        let count: u64 = games.pairs.iter().sum();
        let text = format!(
            "match of {} games at {} nodes a move: {elo}, pairs {:?}",
            2 * count,
            games.move_nodes,
            games.pairs
        );
        json.print(&text)?;
    }
    json.print(&format!("verdict: {}", conclusion.verdict))?;
    Ok(())
}

fn row(step: &Step) -> Vec<String> {
    let count = |solved: Option<f64>| solved.map_or_else(|| "-".to_owned(), |solved| format!("{solved:.0}"));
    let best = step.snapshot.best_cost;
    vec![
        step.snapshot.step.to_string(),
        figure(step.mean()),
        best.map_or_else(|| "-".to_owned(), |cost| figure(cost.value)),
        count(step.mean_solved()),
        count(best.and_then(|cost| cost.solved)),
        grouped(step.spent),
    ]
}
