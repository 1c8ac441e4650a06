//! What the user sees while a run works: a bar for the question at hand, and a line for every step.

use std::io::{IsTerminal, stderr};
use std::time::Instant;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use quarterply_lab::tune::history::Step;
use quarterply_lab::tune::ledger::Batch;
use quarterply_lab::tune::plan::Plan;
use quarterply_lab::tune::run::{Event, Stage};

use crate::args::Common;
use crate::export::grouped;

/// What the bar looks like.
const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg}";

/// Sees the events of a run.
pub struct Watch {
    bar: ProgressBar,
    quiet: bool,
    start: Instant,
    nodes: u64,
    batch: Batch,
    known: usize,
    fresh_steps: usize,
    steps: usize,
    step: usize,
    best: Option<String>,
    stage: Stage,
}

impl Watch {
    /// Says what begins.
    pub fn new(common: &Common, plan: &Plan, workers: usize) -> Watch {
        let hidden = common.quiet || workers == 0 || !stderr().is_terminal();
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        let watch = Watch {
            bar,
            quiet: common.quiet || workers == 0,
            start: Instant::now(),
            nodes: 0,
            batch: Batch::default(),
            known: 0,
            fresh_steps: 0,
            steps: 0,
            step: 0,
            best: None,
            stage: Stage::Search,
        };
        watch.say(&describe(plan, workers));
        watch
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Stage(stage) => self.stage = *stage,
            Event::Batch(batch) => self.on_batch(*batch),
            Event::Step { step, fresh } => self.on_step(step, *fresh),
        }
    }

    /// Clears the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn on_batch(&mut self, batch: Batch) {
        if batch.nodes == 0 {
            self.known += batch.known;
            self.batch = Batch::default();
        }
        self.nodes += batch.nodes - self.batch.nodes;
        self.batch = batch;
        self.bar.set_length(batch.wanted as u64);
        self.bar.set_position(batch.done as u64);
        let steps = if self.steps > 0 { format!("/{}", self.steps) } else { String::new() };
        self.bar.set_prefix(match self.stage {
            Stage::Search => format!("step {}{steps}", self.step + 1),
            Stage::Conclusion => "comparing with the start values".to_owned(),
        });
        let mut message = format!("{} nodes/s, {} known before", grouped(self.speed()), grouped(self.known as u64));
        if let Some(best) = &self.best {
            message += &format!(", best {best}");
        }
        self.bar.set_message(message);
    }

    fn on_step(&mut self, step: &Step, fresh: bool) {
        self.step = step.snapshot.step;
        self.steps = step.snapshot.steps;
        self.best = step.snapshot.best_cost.map(|cost| format!("{:.0}", cost.value));
        if !fresh {
            return;
        }
        self.fresh_steps += 1;
        let left = self.steps.saturating_sub(self.step);
        let eta =
            self.start.elapsed() / u32::try_from(self.fresh_steps).unwrap_or(1) * u32::try_from(left).unwrap_or(0);
        let solved = step.snapshot.best_cost.and_then(|cost| cost.solved);
        self.say(&format!(
            "step {} of {}: mean {}, best {}{}; {} nodes in all, {} nodes/s, {} to go",
            self.step,
            self.steps,
            figure(step.mean()),
            step.snapshot.best_cost.map_or_else(|| "unknown".to_owned(), |cost| figure(cost.value)),
            solved.map_or_else(String::new, |solved| format!(" ({solved:.0} solved)")),
            grouped(step.spent),
            grouped(self.speed()),
            HumanDuration(eta),
        ));
    }

    fn speed(&self) -> u64 {
        (self.nodes as f64 / self.start.elapsed().as_secs_f64().max(f64::EPSILON)) as u64
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| eprintln!("{text}"));
        }
    }
}

/// A cost in its unit.
pub fn figure(value: f64) -> String {
    const SHARE_MAX: f64 = 1.0;
    if value.abs() <= SHARE_MAX { format!("{value:.4}") } else { grouped(value.round() as u64) }
}

fn describe(plan: &Plan, workers: usize) -> String {
    let suite = plan
        .suite
        .as_ref()
        .map_or_else(String::new, |suite| format!(" on {suite}, {} nodes each", grouped(plan.nodes)));
    format!(
        "{} over {} parameters, objective {}{suite}; seed {}, {workers} workers",
        plan.method.name(),
        plan.space.len(),
        plan.objective,
        plan.seed
    )
}
