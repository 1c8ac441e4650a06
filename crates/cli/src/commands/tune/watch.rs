//! The progress of a run: a bar for the current batch with the state of the run, and a line for each step.

use quarterply_engine::words::grouped;
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use quarterply_tune::cache::BatchProgress;
use quarterply_tune::history::TuningStep;
use quarterply_tune::plan::TuningPlan;
use quarterply_tune::progress::TuningProgress;
use quarterply_tune::report::{gain_text, iteration_word, pairs_text, step_word, values_text};
use quarterply_tune::run::{Stage, TuningEvent};
use quarterply_window::words::several;

use crate::common::Common;
use crate::progress::ProgressLine;

/// The template: the state of the run, and below it the current batch.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {pos}/{len}";

/// Sees the events of a run.
pub struct TuneDisplay {
    /// The bar.
    pub line: ProgressLine,
    start: Instant,
    /// Nodes searched by this process.
    nodes: u64,
    batch: BatchProgress,
    known: usize,
    /// How far the run is.
    progress: TuningProgress,
    /// How far it was when this process began to measure.
    begun: Option<TuningProgress>,
    best: Option<String>,
    stage: Stage,
    plan: TuningPlan,
}

impl TuneDisplay {
    /// Says what begins.
    pub fn new(common: &Common, plan: &TuningPlan, workers: usize) -> TuneDisplay {
        let common = Common { quiet: common.quiet || workers == 0, ..common.clone() };
        let watch = TuneDisplay {
            line: ProgressLine::new(&common, 0, "", TEMPLATE),
            start: Instant::now(),
            nodes: 0,
            batch: BatchProgress::default(),
            known: 0,
            progress: TuningProgress::default(),
            begun: None,
            best: None,
            stage: Stage::Search,
            plan: plan.clone(),
        };
        watch.line.say(&describe(plan, workers));
        watch.line.bar.set_prefix("preparing");
        watch
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: &TuningEvent<'_>) {
        match event {
            TuningEvent::Stage(stage) => self.on_stage(*stage),
            TuningEvent::Batch(batch) => self.on_batch(*batch),
            TuningEvent::Progress(progress) => self.progress = (*progress).clone(),
            // Also when quiet: it is a warning, and it costs time.
            TuningEvent::Warning(what) => self.line.bar.suspend(|| say!("warning: {what}")),
            TuningEvent::Step { step, fresh } => self.on_step(step, *fresh),
        }
    }

    fn on_stage(&mut self, stage: Stage) {
        self.stage = stage;
        if stage == Stage::Conclusion {
            let games = 2 * self.plan.match_pairs;
            let games =
                if games > 0 { format!(", then, if they differ, a match of {games} games") } else { String::new() };
            self.line.say(&format!("comparing the best values with the start values: the suites{games}"));
        }
    }

    fn on_batch(&mut self, batch: BatchProgress) {
        if batch.nodes == 0 {
            self.known += batch.known;
            self.batch = BatchProgress::default();
        }
        self.nodes += batch.nodes - self.batch.nodes;
        self.batch = batch;
        self.progress.pairs = batch.pairs;
        if self.begun.is_none() {
            self.begun = Some(self.progress.clone());
            self.start = Instant::now();
        }
        self.line.bar.set_length(batch.requested as u64);
        self.line.bar.set_position(batch.done as u64);
        self.line.bar.set_prefix(self.place(batch));
        self.line.bar.set_message(self.state(batch));
    }

    /// Where the run is.
    fn place(&self, batch: BatchProgress) -> String {
        if self.stage == Stage::Conclusion {
            return "comparing with the start values".to_owned();
        }
        let candidate = 1 + (batch.candidates as f64 * share(batch)) as usize;
        let candidate = candidate.min(batch.candidates);
        let TuningProgress { iteration, iterations, .. } = self.progress;
        let now = grouped((iteration + 1).min(iterations) as u64);
        let word = iteration_word(self.plan.method.name());
        format!("{word} {now}/{}, candidate {candidate}/{}", grouped(iterations as u64), batch.candidates)
    }

    /// The state of the run: games or nodes so far, current values, gain, time left.
    fn state(&self, batch: BatchProgress) -> String {
        let mut parts = Vec::new();
        if batch.pairs > 0 {
            let before = self.begun.as_ref().map_or(0, |begun| begun.pairs);
            let speed = (batch.pairs - before) as f64 / self.elapsed();
            parts.push(format!("{} played, {speed:.2}/s", pairs_text(batch.pairs)));
        } else {
            parts.push(format!(
                "{} nodes/s, {} measurements already known",
                grouped(self.speed()),
                grouped(self.known as u64)
            ));
        }
        if self.stage == Stage::Search {
            parts.extend(self.left(batch.nodes, share(batch)).map(|left| format!("{} to go", HumanDuration(left))));
            parts.extend(self.gain());
            parts.push(values_text(&self.plan.space.dimensions, &self.progress.values));
        }
        parts.join("; ")
    }

    /// The gain so far: Elo if it is tuned on games, else the best cost.
    fn gain(&self) -> Option<String> {
        if !self.plan.objective.needs_games() {
            return self.best.as_ref().map(|best| format!("best {best}"));
        }
        let measured = gain_text(self.plan.method.name(), &self.progress).map(|gain| format!("gain {gain}"));
        Some(measured.unwrap_or_else(|| "gain not measured yet".to_owned()))
    }

    fn on_step(&mut self, step: &TuningStep, fresh: bool) {
        self.best = step.snapshot.best_cost.map(|cost| figure(cost.value));
        if !fresh {
            return;
        }
        self.batch = BatchProgress::default();
        let solved = step.snapshot.best_cost.and_then(|cost| cost.solved);
        let TuningProgress { iteration, iterations, .. } = self.progress;
        let mut text =
            format!("{} {} of {}", step_word(self.plan.method.name()), step.snapshot.step, step.snapshot.steps);
        if iterations != step.snapshot.steps {
            text += &format!(" (iteration {} of {})", grouped(iteration as u64), grouped(iterations as u64));
        }
        text += &format!(
            ": mean {}, {} {}{}; {} nodes in all, {} nodes/s",
            figure(step.mean()),
            if self.plan.noisy && self.best.is_some() { "point" } else { "best" },
            self.best.as_deref().unwrap_or("unknown"),
            solved.map_or_else(String::new, |solved| format!(" ({solved:.0} solved)")),
            grouped(step.spent),
            grouped(self.speed()),
        );
        if let Some(gain) = gain_text(self.plan.method.name(), &self.progress) {
            text += &format!("; gain {gain}");
        }
        if let Some(left) = self.left(0, 0.0).filter(|left| !left.is_zero()) {
            text += &format!(", {} to go", HumanDuration(left));
        }
        self.line.say(&text);
    }

    /// How long the search will take, estimated from the iterations and the part of one that this process has measured, and from the nodes
    /// left of the budget; `None` if that cannot be said yet.
    fn left(&self, nodes: u64, share: f64) -> Option<Duration> {
        let begun = self.begun.as_ref()?;
        let TuningProgress { iteration, iterations, .. } = self.progress;
        let fresh = iteration.saturating_sub(begun.iteration);
        let done = fresh as f64 + share;
        let rest = iterations.saturating_sub(iteration) as f64 - share;
        let by_iterations = (fresh > 0).then(|| self.elapsed() / done * rest.max(0.0));
        let by_budget = self.plan.budget.filter(|_| self.nodes > 0).map(|budget| {
            let left = budget.saturating_sub(self.progress.nodes + nodes) as f64;
            self.elapsed() / self.nodes as f64 * left
        });
        let least = by_iterations.into_iter().chain(by_budget).reduce(f64::min)?;
        Some(Duration::from_secs(least.round() as u64))
    }

    /// How far the run is.
    pub fn progress(&self) -> &TuningProgress {
        &self.progress
    }

    /// Seconds since this process began to measure.
    fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64().max(f64::EPSILON)
    }

    fn speed(&self) -> u64 {
        (self.nodes as f64 / self.elapsed()) as u64
    }
}

/// Which share of a batch is done.
fn share(batch: BatchProgress) -> f64 {
    batch.done as f64 / batch.requested.max(1) as f64
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
    format!(
        "{} over {} parameters, objective {}{suite}{raced}; seed {}, {}",
        plan.method.name(),
        plan.space.dimensions.len(),
        plan.objective,
        plan.seed,
        several(workers as u64, "worker")
    )
}
