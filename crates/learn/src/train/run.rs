//! A run: from games to a network, in a folder, interrupted and resumed as often as need be.

use crate::train::comparison::{self, FittedEvaluation};
use crate::train::data::{self, DataSource, TrainingData};
use crate::train::error::TrainError;
use crate::train::folder::{NETWORK, REPORT, TrainingFolder, TrainingLine, Window};
use crate::train::kernel::Labels;
use crate::train::packed::Packed;
use crate::train::page;
use crate::train::quantise;
use crate::train::settings::{Plan, TrainingSettings};
use crate::train::start::{self, START};
use crate::train::trainer::{Trainer, TrainerState, TrainingStep};
use quarterply_engine::network::Network;
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Positions by which rounding is measured and corrected.
const ROUNDED_MAX: usize = 60_000;

/// Options of this process; results do not depend on them.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionOptions<'a> {
    /// Training threads.
    pub threads: usize,
    /// Set from outside to save and end the run.
    pub stop: &'a AtomicBool,
    /// Longest time between two checkpoints.
    pub save: Duration,
}

/// An event of a run.
#[derive(Debug)]
pub enum TrainingEvent<'a> {
    /// Number of positions read so far.
    Reading(usize),
    /// All were read.
    Loaded(&'a TrainingData),
    /// A batch was learned from.
    Batch {
        /// Batches so far.
        done: u64,
        /// Its loss before the step.
        loss: f64,
        /// Positions a second, since the latest line of the journal.
        per_second: f64,
    },
    /// A line was added to the journal.
    Line(&'a TrainingLine),
    /// A network was written.
    Network(&'a Path),
}

/// Receives events.
pub type OnEvent<'a> = dyn FnMut(TrainingEvent<'_>) + 'a;

/// The difference of the rounded network to the trained weights, over held-out positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounding {
    /// Positions compared.
    pub positions: usize,
    /// Mean size of the difference (pawns/100).
    pub mean: f64,
    /// Largest difference (pawns/100).
    pub largest: f64,
    /// Loss of the network as it was trained.
    pub before: f64,
    /// Loss of the rounded network.
    pub after: f64,
}

/// The results of a run.
#[derive(Debug)]
pub struct TrainingOutcome {
    /// Its settings.
    pub settings: TrainingSettings,
    /// Its journal.
    pub lines: Vec<TrainingLine>,
    /// True if it was stopped before its end.
    pub stopped: bool,
    /// Batches learned from.
    pub steps: u64,
    /// The network as it is now.
    pub network: Network,
    /// Where the network is, if the run is finished.
    pub file: Option<PathBuf>,
    /// The effect of rounding.
    pub rounding: Rounding,
    /// Material counting on the held-out games.
    pub material: FittedEvaluation,
}

/// A run that can be driven on.
pub struct TrainingRun {
    folder: TrainingFolder,
    /// The settings of the run.
    pub settings: TrainingSettings,
    data: TrainingData,
    state: TrainerState,
    window: Window,
    lines: Vec<TrainingLine>,
}

impl TrainingRun {
    /// Reads games and begins a run in a new folder, with random weights or those of the network `from`. `program` is its name and
    /// version, `command` the command line.
    ///
    /// # Errors
    /// The plan is not valid, the folder is not free, or the games cannot be used; no folder was made then.
    pub fn begin<P: AsRef<Path>>(
        path: &Path,
        plan: Plan,
        from: Option<&Network>,
        games: &[P],
        (program, command): (String, Option<String>),
        stop: &AtomicBool,
        on_event: &mut OnEvent<'_>,
    ) -> Result<TrainingRun, TrainError> {
        plan.check()?;
        TrainingFolder::is_free(path)?;
        let unit = from.map(|network| network.parts().scale).filter(|unit| *unit != plan.scale);
        let plan = Plan { from: from.map(Network::name), unit, ..plan };
        let state = first(from, &plan)?;
        let data = data::load(games, &plan.selection(), &mut |count| read_on(count, stop, on_event))?;
        let settings = TrainingSettings::new(plan, &data, program, command)?;
        let start = from.map(Network::encode);
        let folder = TrainingFolder::create(path, &settings, start.as_deref())?;
        on_event(TrainingEvent::Loaded(&data));
        Ok(TrainingRun { folder, settings, data, state, window: Window::default(), lines: Vec::new() })
    }

    /// Goes on with the run of a folder.
    ///
    /// # Errors
    /// There is none, its games are not there any more, or its files are damaged; nothing was changed then.
    pub fn resume(path: &Path, stop: &AtomicBool, on_event: &mut OnEvent<'_>) -> Result<TrainingRun, TrainError> {
        let settings = TrainingSettings::read(path)?;
        let folder = TrainingFolder::open(path)?;
        let (identity, length) = (settings.identity(), settings.plan.shape().weights());
        let restored = folder.restore(identity, length)?;
        let selection = settings.plan.selection();
        let data = data::reload(&settings.sources, &selection, &mut |count| read_on(count, stop, on_event))?;
        if format!("{:016x}", data.fingerprint) != settings.fingerprint {
            return Err(TrainError::OtherGames(path.to_owned()));
        }
        settings.check_positions(path, &data)?;
        on_event(TrainingEvent::Loaded(&data));
        let (state, window) = match restored {
            Some(restored) => restored,
            None => (first(start(path, &settings.plan)?.as_ref(), &settings.plan)?, Window::default()),
        };
        let lines = folder.lines_up_to(state.steps)?;
        Ok(TrainingRun { folder, settings, data, state, window, lines })
    }

    /// Batches learned from so far.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Trains to the end, or until it is stopped; writes checkpoints, journal, networks and the report.
    ///
    /// # Errors
    /// A file cannot be written, or the loss is not finite; the latest checkpoint stays.
    pub fn drive(
        mut self,
        means: &ExecutionOptions<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<TrainingOutcome, TrainError> {
        let TrainingSettings { plan, .. } = &self.settings;
        let (batches, steps, batch) = (self.settings.batches(), self.settings.steps(), plan.batch);
        let (seed, every, keep) = (plan.seed, plan.every, plan.keep);
        let mut trainer = Trainer::new(plan.shape(), means.threads);
        let mut order = (u64::MAX, Vec::new());
        let mut saved = Instant::now();
        while self.state.steps < steps && !means.stop.load(Relaxed) {
            let (pass, place) = (self.state.steps / batches, (self.state.steps % batches) as usize);
            if order.0 != pass {
                order = (pass, data::order(self.data.train.len(), seed, pass));
            }
            self.learn(&mut trainer, &order.1[place * batch..(place + 1) * batch], steps, on_event)?;
            let done = self.state.steps;
            if done.is_multiple_of(every) || done.is_multiple_of(batches) || done == steps {
                self.note(&mut trainer, on_event)?;
            }
            if keep > 0 && done.is_multiple_of(batches.saturating_mul(keep)) && done < steps {
                let network = self.network(&mut trainer)?;
                self.write_network(&format!("network-pass-{:03}.nnue", pass + 1), &network, on_event)?;
            }
            if done.is_multiple_of(batches) || saved.elapsed() >= means.save {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.save()?;
        self.conclude(&mut trainer, on_event)
    }

    /// Learns from one batch.
    fn learn(
        &mut self,
        trainer: &mut Trainer,
        batch: &[u32],
        steps: u64,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), TrainError> {
        let begin = Instant::now();
        let plan = &self.settings.plan;
        let done = self.state.steps;
        let step = TrainingStep {
            goal: plan.goal_at(done, steps),
            rate: plan.rate_at(done, steps) as f32,
            decay: plan.decay as f32,
            average: plan.average,
            distil: self.settings.distils(done),
        };
        let loss = trainer.step(&mut self.state, &self.data.train, batch, &step);
        if !loss.is_finite() {
            return Err(TrainError::Diverged(self.state.steps));
        }
        let took = begin.elapsed().as_secs_f64();
        self.window.loss += loss;
        self.window.batches += 1;
        self.window.seconds += took;
        self.window.total += took;
        on_event(TrainingEvent::Batch { done: self.state.steps, loss, per_second: self.per_second() });
        Ok(())
    }

    fn per_second(&self) -> f64 {
        (self.window.batches * self.settings.plan.batch as u64) as f64 / self.window.seconds.max(f64::EPSILON)
    }

    /// Adds a line to the journal.
    fn note(&mut self, trainer: &mut Trainer, on_event: &mut OnEvent<'_>) -> Result<(), TrainError> {
        let (done, steps, plan) = (self.state.steps, self.settings.steps(), &self.settings.plan);
        let held_out = loss(&trainer.values(self.state.result(), &self.data.held_out), &self.data, &plan.goal());
        if !held_out.is_finite() {
            return Err(TrainError::Diverged(done));
        }
        let line = TrainingLine {
            batch: done,
            pass: done as f64 / self.settings.batches() as f64,
            loss: self.window.loss / self.window.batches.max(1) as f64,
            held_out,
            rate: plan.rate_at(done - 1, steps),
            per_second: self.per_second(),
            seconds: self.window.total,
        };
        self.folder.append(&line)?;
        self.lines.push(line);
        self.window = Window { total: self.window.total, ..Window::default() };
        on_event(TrainingEvent::Line(&line));
        Ok(())
    }

    fn save(&self) -> Result<(), TrainError> {
        self.folder.save(self.settings.identity(), &self.state, &self.window)
    }

    /// The network as it is now, rounded.
    fn network(&self, trainer: &mut Trainer) -> Result<Network, TrainError> {
        let TrainingSettings { program, positions, held_out_positions, sources, plan, .. } = &self.settings;
        let facts = json!({
            "program": program,
            "positions": positions,
            "held_out_positions": held_out_positions,
            "games": sources.iter().map(DataSource::played).sum::<u64>(),
            "batches": self.state.steps,
            "passes": self.state.steps as f64 / self.settings.batches() as f64,
            "held_out_loss": self.lines.last().map(|line| line.held_out),
            "plan": plan,
        });
        let (shape, weights) = (plan.shape(), self.state.result());
        let every = self.data.train.len().div_ceil(ROUNDED_MAX);
        let known: Vec<Packed> = self.data.train.iter().step_by(every).copied().collect();
        let exact = trainer.values(weights, &known);
        Ok(quantise::fitted(shape, weights, plan.unit(), facts.to_string(), (&known, &exact))?)
    }

    fn write_network(&self, name: &str, network: &Network, on_event: &mut OnEvent<'_>) -> Result<PathBuf, TrainError> {
        let file = self.folder.write(name, &network.encode())?;
        on_event(TrainingEvent::Network(&file));
        Ok(file)
    }

    /// Writes the report, and the network if it is finished.
    fn conclude(self, trainer: &mut Trainer, on_event: &mut OnEvent<'_>) -> Result<TrainingOutcome, TrainError> {
        let stopped = self.state.steps < self.settings.steps();
        let network = self.network(trainer)?;
        let file = if stopped { None } else { Some(self.write_network(NETWORK, &network, on_event)?) };
        let rounding = self.rounding(trainer, &network);
        let goal = self.settings.plan.goal();
        let targets: Vec<f32> = self.data.held_out.iter().map(|position| goal.target(position)).collect();
        let counted: Vec<f32> =
            self.data.held_out.iter().map(|position| comparison::material(&position.board())).collect();
        let material = comparison::fit(&counted, &targets);
        let TrainingRun { folder, settings, lines, state, .. } = self;
        let outcome =
            TrainingOutcome { settings, lines, stopped, steps: state.steps, network, file, rounding, material };
        folder.write(REPORT, page::page(&outcome)?.as_bytes())?;
        Ok(outcome)
    }

    fn rounding(&self, trainer: &mut Trainer, network: &Network) -> Rounding {
        let plan = &self.settings.plan;
        let held_out = &self.data.held_out[..self.data.held_out.len().min(ROUNDED_MAX)];
        let exact = trainer.values(self.state.result(), held_out);
        let rounded = quantise::values(network, held_out);
        let unit = plan.unit() as f32;
        let differences = exact.iter().zip(&rounded).map(|(exact, rounded)| f64::from((exact * unit - rounded).abs()));
        let whole: Vec<f32> = rounded.iter().map(|value| value / unit).collect();
        Rounding {
            positions: held_out.len(),
            mean: differences.clone().sum::<f64>() / held_out.len() as f64,
            largest: differences.fold(0.0, f64::max),
            before: loss(&exact, &self.data, &plan.goal()),
            after: loss(&whole, &self.data, &plan.goal()),
        }
    }
}

/// The initial state of a run of this plan.
fn first(from: Option<&Network>, plan: &Plan) -> Result<TrainerState, TrainError> {
    let state = match from {
        Some(network) => start::state(network, plan)?,
        None => TrainerState::new(plan.shape(), plan.seed),
    };
    Ok(if plan.average > 0.0 { state.with_average() } else { state })
}

/// The network that the run in a folder began with, if its weights were not random.
fn start(folder: &Path, plan: &Plan) -> Result<Option<Network>, TrainError> {
    let Some(name) = &plan.from else { return Ok(None) };
    let file = folder.join(START);
    let bytes = fs::read(&file).map_err(|e| TrainError::io(&file, e))?;
    let network = Network::read(&bytes).map_err(|reason| TrainError::BadNetwork(file.clone(), reason))?;
    if network.name() != *name {
        let reason = format!("it is {}, but the run began with {name}", network.name());
        return Err(TrainError::Damaged(file, reason, "restore it, or begin another run"));
    }
    Ok(Some(network))
}

fn read_on(count: usize, stop: &AtomicBool, on_event: &mut OnEvent<'_>) -> bool {
    on_event(TrainingEvent::Reading(count));
    !stop.load(Relaxed)
}

/// Mean loss of the values of the first held-out positions.
fn loss(values: &[f32], data: &TrainingData, goal: &Labels) -> f64 {
    let losses = values.iter().zip(&data.held_out).map(|(value, position)| {
        let miss = f64::from(goal.points(*value, position) - goal.target(position));
        miss * miss
    });
    losses.sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests;
