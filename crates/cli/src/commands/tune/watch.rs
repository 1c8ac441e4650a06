//! What the user sees while a run works: a bar for the question at hand, and a line for every step.

use quarterply_engine::words::grouped;
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use quarterply_tune::history::TuningStep;
use quarterply_tune::ledger::Batch;
use quarterply_tune::plan::TuningPlan;
use quarterply_tune::report::step_word;
use quarterply_tune::run::{Stage, TuningEvent};

use crate::common::Common;
use crate::progress::ProgressLine;

/// What the bar looks like.
const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg}";

/// Sees the events of a run.
pub struct TuneDisplay {
    /// The bar.
    pub line: ProgressLine,
    start: Instant,
    /// Nodes searched by this process.
    nodes: u64,
    batch: Batch,
    known: usize,
    /// Steps that this process had to measure for.
    fresh_steps: usize,
    step: usize,
    steps: usize,
    /// Nodes that the run has spent, and may spend.
    spent: u64,
    budget: Option<u64>,
    best: Option<String>,
    stage: Stage,
    word: &'static str,
    games: u32,
}

impl TuneDisplay {
    /// Says what begins.
    pub fn new(common: &Common, plan: &TuningPlan, workers: usize) -> TuneDisplay {
        let common = Common { quiet: common.quiet || workers == 0, ..common.clone() };
        let watch = TuneDisplay {
            line: ProgressLine::new(&common, 0, "", TEMPLATE),
            start: Instant::now(),
            nodes: 0,
            batch: Batch::default(),
            known: 0,
            fresh_steps: 0,
            step: 0,
            steps: 0,
            spent: 0,
            budget: plan.budget,
            best: None,
            stage: Stage::Search,
            word: step_word(plan.method.name()),
            games: 2 * plan.match_pairs,
        };
        watch.line.say(&describe(plan, workers));
        watch
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: &TuningEvent<'_>) {
        match event {
            TuningEvent::Stage(stage) => self.on_stage(*stage),
            TuningEvent::Batch(batch) => self.on_batch(*batch),
            // Also when quiet: it is a warning, and it costs time.
            TuningEvent::Trouble(what) => self.line.bar.suspend(|| say!("warning: {what}")),
            TuningEvent::Step { step, fresh } => self.on_step(step, *fresh),
        }
    }

    fn on_stage(&mut self, stage: Stage) {
        self.stage = stage;
        if stage == Stage::Conclusion {
            let games = if self.games > 0 { format!(", then a match of {} games", self.games) } else { String::new() };
            self.line.say(&format!("comparing the best values with the start values: the suites{games}"));
        }
    }

    fn on_batch(&mut self, batch: Batch) {
        if batch.nodes == 0 {
            self.known += batch.known;
            self.batch = Batch::default();
        }
        self.nodes += batch.nodes - self.batch.nodes;
        self.batch = batch;
        self.line.bar.set_length(batch.wanted as u64);
        self.line.bar.set_position(batch.done as u64);
        self.line.bar.set_prefix(self.place(batch));
        let mut message = format!("{} nodes/s, {} known before", grouped(self.speed()), grouped(self.known as u64));
        if let Some(best) = &self.best {
            message += &format!(", best {best}");
        }
        if self.stage == Stage::Search
            && let Some(left) = self.left(batch.nodes, share(batch))
        {
            message += &format!(", {} to go", HumanDuration(left));
        }
        self.line.bar.set_message(message);
    }

    /// Where the run is.
    fn place(&self, batch: Batch) -> String {
        if self.stage == Stage::Conclusion {
            return "comparing with the start values".to_owned();
        }
        let of = |count: usize| if count > 0 { format!("/{count}") } else { String::new() };
        let candidate = 1 + (batch.candidates as f64 * share(batch)) as usize;
        let candidate = candidate.min(batch.candidates);
        format!("{} {}{}, candidate {candidate}{}", self.word, self.step + 1, of(self.steps), of(batch.candidates))
    }

    fn on_step(&mut self, step: &TuningStep, fresh: bool) {
        self.step = step.snapshot.step;
        self.steps = step.snapshot.steps;
        self.spent = step.spent;
        self.best = step.snapshot.best_cost.map(|cost| figure(cost.value));
        if !fresh {
            return;
        }
        self.fresh_steps += 1;
        self.batch = Batch::default();
        let solved = step.snapshot.best_cost.and_then(|cost| cost.solved);
        let left = self.left(0, 0.0).filter(|left| !left.is_zero());
        self.line.say(&format!(
            "{} {} of {}: mean {}, best {}{}; {} nodes in all, {} nodes/s{}",
            self.word,
            self.step,
            self.steps,
            figure(step.mean()),
            step.snapshot.best_cost.map_or_else(|| "unknown".to_owned(), |cost| figure(cost.value)),
            solved.map_or_else(String::new, |solved| format!(" ({solved:.0} solved)")),
            grouped(step.spent),
            grouped(self.speed()),
            left.map_or_else(String::new, |left| format!(", {} to go", HumanDuration(left))),
        ));
    }

    /// How long the search will take, judged by the steps and the part of a step that this process has measured, and by the nodes left
    /// of the budget; `None` if that cannot be said yet.
    fn left(&self, nodes: u64, share: f64) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        let done = self.fresh_steps as f64 + share;
        let steps = self.steps.saturating_sub(self.step) as f64 - share;
        let by_steps = (self.fresh_steps > 0).then(|| elapsed.as_secs_f64() / done * steps.max(0.0));
        let by_budget = self.budget.filter(|_| self.nodes > 0).map(|budget| {
            let left = budget.saturating_sub(self.spent + nodes) as f64;
            elapsed.as_secs_f64() / self.nodes as f64 * left
        });
        let least = match (by_steps, by_budget) {
            (Some(one), Some(other)) => one.min(other),
            (one, other) => one.or(other)?,
        };
        Some(Duration::from_secs(least.round() as u64))
    }

    fn speed(&self) -> u64 {
        (self.nodes as f64 / self.start.elapsed().as_secs_f64().max(f64::EPSILON)) as u64
    }
}

/// Which share of a batch is done.
fn share(batch: Batch) -> f64 {
    batch.done as f64 / batch.wanted.max(1) as f64
}

/// A cost in its unit.
fn figure(value: f64) -> String {
    const SHARE_MAX: f64 = 1.0;
    if value.abs() <= SHARE_MAX { format!("{value:.4}") } else { grouped(value.round() as u64) }
}

fn describe(plan: &TuningPlan, workers: usize) -> String {
    let suite = plan
        .suite
        .as_ref()
        .map_or_else(String::new, |suite| format!(" on {suite}, {} nodes each", grouped(plan.nodes)));
    let raced = if plan.race.is_some() { ", raced" } else { "" };
    let workers = if workers == 1 { "1 worker".to_owned() } else { format!("{workers} workers") };
    format!(
        "{} over {} parameters, objective {}{suite}{raced}; seed {}, {workers}",
        plan.method.name(),
        plan.space.len(),
        plan.objective,
        plan.seed
    )
}
