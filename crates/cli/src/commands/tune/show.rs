//! The tables at the end of a run.

use quarterply_lab::tune::history::{Step, Story};

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
    let state = if story.finished { "finished" } else { "not finished" };
    json.print(&format!("{}, seed {}: {state} after {} steps", story.method, story.seed, story.steps.len()))?;
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
