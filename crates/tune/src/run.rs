//! A run: an optimiser, a cost function and a cache, from the first query to the last.

use super::cache::{BatchProgress, FaultTolerance, MeasurementCache};
use super::conclude::{self, FinalComparison};
use super::cost_function::CostFunction;
use super::error::TuneError;
use super::folder::{TuningFolder, write_whole};
use super::history::{RunSummary, TuningStep};
use super::inputs::{ExternalEngine, TuningInputs};
use super::journal::{Journal, TuningHeader};
use super::optimiser::{CurrentPoint, MeasurementScope};
use super::plan::{SuitePlan, TuningPlan};
use super::progress::{ProgressTracker, TuningProgress};
use super::race::Race;
use super::tasks::{MeasuredEngine, MeasurementRunner, Measuring};
use quarterply_engine::params::Parameters;
use quarterply_files::epd::Record;
use quarterply_games::solver::EngineSolver;
use quarterply_uci::process::Stop;
use quarterply_work::Executor;
use std::path::Path;
use std::sync::Arc;

/// The summary in a run's folder.
pub const SUMMARY: &str = "summary.json";
/// The best profile so far in a run's folder.
pub const PROFILE: &str = "profile.toml";

/// How this process works on a run; results do not depend on it.
#[derive(Clone, Debug)]
pub struct ExecutionOptions {
    /// Units measured at the same time.
    pub workers: usize,
    /// The stop signal of the run.
    pub stop: Stop,
    /// Games lost by faults after which a resumed run stops, if that is not the number of its plan.
    pub faults: Option<u32>,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The optimiser runs.
    Search,
    /// The best candidate is compared with the start values.
    Conclusion,
}

/// An event of a run.
#[derive(Debug)]
pub enum TuningEvent<'a> {
    /// A stage begins.
    Stage(Stage),
    /// Measurements are being made.
    Batch(BatchProgress),
    /// The run is this far: at its start, and after each answer to its method.
    Progress(&'a TuningProgress),
    /// A problem that did not stop the run, as a sentence for the user.
    Warning(&'a str),
    /// A step is finished; `fresh` if this process measured anything for it.
    Step {
        /// The step.
        step: &'a TuningStep,
        /// True if it required measurements.
        fresh: bool,
    },
}

/// Sees events.
pub type OnEvent<'a> = dyn FnMut(TuningEvent<'_>) + 'a;

/// A run that can be driven on.
pub struct TuningRun<'e> {
    folder: TuningFolder,
    plan: TuningPlan,
    cache: MeasurementCache<'e>,
    cost_function: CostFunction,
    holdout: u32,
    summary: RunSummary,
    tracker: ProgressTracker,
    /// The engine and its conditions; `None` if the run is only read.
    setup: Option<MeasuredEngine>,
    stop: Stop,
    /// A message about the engine for the user.
    note: Option<String>,
}

impl<'e> TuningRun<'e> {
    /// Begins a run in a new folder.
    pub fn begin(path: &Path, mut plan: TuningPlan, options: &ExecutionOptions) -> Result<TuningRun<'e>, TuneError> {
        plan.check().map_err(TuneError::Number)?;
        let inputs = inputs(&plan)?;
        plan.record_external(&inputs);
        // A run that cannot measure anything must not leave a folder.
        if plan.engine.is_none() {
            EngineSolver::new(plan.base()?, plan.hash, 1).map_err(|error| TuneError::Start(error.to_string()))?;
        }
        let (folder, journal) = TuningFolder::create(path, &plan)?;
        TuningRun::new(folder, journal, plan, Some((options, inputs)))
    }

    /// Opens a run to continue it. New paths can be given for suites that were moved.
    pub fn resume(
        path: &Path,
        suite: Option<&Path>,
        holdout: Option<&Path>,
        options: &ExecutionOptions,
    ) -> Result<TuningRun<'e>, TuneError> {
        let mut plan = TuningPlan::read(path)?;
        plan.faults = options.faults.unwrap_or(plan.faults);
        plan.find_suites(suite, holdout)?;
        // Other bounds make another signature, but not because the program has changed.
        if !Journal::is_missing(path) {
            Journal::open_read_only(path, &TuningHeader::of(&plan))?;
        }
        let found = plan.signature_now()?;
        if found != plan.signature {
            let searches =
                format!("its search had signature {}, and this program's search has {found}", plan.signature);
            return Err(TuneError::OtherBuild(path.to_owned(), searches, plan.version));
        }
        let inputs = inputs(&plan).map_err(|error| match error {
            TuneError::Suite(fault) => TuneError::SuiteGone(fault),
            other => other,
        })?;
        plan.require_openings(path, &inputs)?;
        let (folder, journal) = TuningFolder::open(path, &plan, true)?;
        let mut run = TuningRun::new(folder, journal, plan, Some((options, inputs)))?;
        run.note = run.plan.program_note();
        Ok(run)
    }

    /// Opens a run to read it, also while another process works on it. Nothing is measured or written, and no suite is needed.
    pub fn open_read_only(path: &Path) -> Result<TuningRun<'e>, TuneError> {
        let plan = TuningPlan::read(path)?;
        let (folder, journal) = TuningFolder::open(path, &plan, false)?;
        TuningRun::new(folder, journal, plan, None)
    }

    fn new(
        folder: TuningFolder,
        journal: Journal,
        plan: TuningPlan,
        work: Option<(&ExecutionOptions, TuningInputs)>,
    ) -> Result<TuningRun<'e>, TuneError> {
        let size = |suite: &Option<SuitePlan>| suite.as_ref().map_or(Ok(0), SuitePlan::size);
        let cost_function = CostFunction {
            objective: plan.objective.clone(),
            cap: plan.nodes,
            positions: size(&plan.suite)?,
            pairs: if plan.objective.needs_games() { plan.pairs } else { 0 },
            openings: plan.tuning_openings(),
            start: plan.space.start(),
            seed: plan.seed,
        };
        let holdout = size(&plan.holdout)?;
        let tolerance = FaultTolerance { most: plan.faults, pace: plan.pace() };
        let (summary, cache, stop) =
            (RunSummary::of(&plan), MeasurementCache::new(journal, tolerance), Stop::default());
        let progress = TuningProgress {
            iterations: plan.method.iterations(),
            values: plan.space.start().into_iter().map(f64::from).collect(),
            pairs: cache.pairs(),
            faults: cache.faults().to_vec(),
            ..TuningProgress::default()
        };
        let tracker = ProgressTracker::new(folder.path(), progress, cache.known() > 0);
        let (setup, note) = (None, None);
        let mut run = TuningRun { folder, plan, cache, cost_function, holdout, summary, tracker, setup, stop, note };
        if let Some((options, inputs)) = work {
            run.use_threads(options, Arc::new(inputs))?;
        }
        Ok(run)
    }

    /// Measures with threads of this process.
    fn use_threads(&mut self, options: &ExecutionOptions, inputs: Arc<TuningInputs>) -> Result<(), TuneError> {
        self.stop = options.stop.clone();
        let (space, conditions) = (self.plan.space.clone(), self.plan.conditions());
        let (base, external) = match self.plan.engine.clone() {
            None => (self.plan.base()?, None),
            Some(engine) => {
                (Parameters::default(), Some(ExternalEngine { engine, conditions, stop: options.stop.clone() }))
            }
        };
        let threads = Measuring::threads(options.workers, &options.stop, external.clone());
        self.setup = Some(MeasuredEngine { base, external, space, conditions, inputs });
        self.set_executor(Box::new(threads))
    }

    /// Measures with this executor from now on.
    ///
    /// # Errors
    /// The program of another engine cannot be read, or the network of this one cannot be stored.
    pub fn set_executor(&mut self, executor: Box<dyn Executor<Measuring> + 'e>) -> Result<(), TuneError> {
        let Some(setup) = self.setup.clone() else { return Ok(()) };
        let runner = MeasurementRunner::new(executor, setup, self.plan.chunk(), self.stop.clone())?;
        self.cache.set_runner(runner);
        Ok(())
    }

    /// The plan.
    pub fn plan(&self) -> &TuningPlan {
        &self.plan
    }

    /// How many measurements are known before it is driven on.
    pub fn measured(&self) -> usize {
        self.cache.known()
    }

    /// Drives the run to its end; a run that is only read, as far as its journal goes.
    pub fn drive(mut self, on_event: &mut OnEvent<'_>) -> Result<RunSummary, TuneError> {
        self.tracker.start();
        self.note.iter().chain(self.cache.notes()).for_each(|note| on_event(TuningEvent::Warning(note)));
        on_event(TuningEvent::Progress(&self.tracker.progress));
        let ended = match self.steps(on_event).and_then(|()| self.conclude(on_event)) {
            Err(TuneError::Unknown) if self.setup.is_none() => Ok(()),
            ended => ended,
        };
        let saved = ended.and_then(|()| self.save());
        // Also of a run that was stopped.
        self.tracker.progress.faults = self.cache.faults().to_vec();
        let saved = if self.setup.is_some() { saved.and(self.tracker.write(&self.folder)) } else { saved };
        on_event(TuningEvent::Progress(&self.tracker.progress));
        let closed = self.cache.close();
        saved.and(closed).map(|()| self.summary)
    }

    fn conclude(&mut self, on_event: &mut OnEvent<'_>) -> Result<(), TuneError> {
        self.summary.finished = true;
        self.save()?;
        on_event(TuningEvent::Stage(Stage::Conclusion));
        let Some(last) = self.summary.steps.last() else { return Ok(()) };
        let comparison =
            FinalComparison { cost_function: &self.cost_function, plan: &self.plan, holdout: self.holdout };
        let (tracker, folder) = (&mut self.tracker, &self.folder);
        let mut on_progress = |event: TuningEvent<'_>| {
            tracker.record_event(&event, folder);
            on_event(event);
        };
        let conclusion = comparison.conclude(&last.snapshot.best, &mut self.cache, &mut on_progress)?;
        self.summary.conclusion = Some(conclusion);
        Ok(())
    }

    fn steps(&mut self, on_event: &mut OnEvent<'_>) -> Result<(), TuneError> {
        on_event(TuningEvent::Stage(Stage::Search));
        let mut optimiser = self.plan.method.start(&self.plan.space, self.plan.seed, self.plan.noisy);
        let mut race = self.plan.race.map(|settings| Race::new(settings, self.plan.seed, &self.cost_function));
        let mut fresh = false;
        for number in 0.. {
            let is_spent = self.plan.budget.is_some_and(|budget| self.cache.spent() >= budget);
            let query = if is_spent { optimiser.last() } else { Some(optimiser.ask()) };
            let Some(query) = query.filter(|query| !query.candidates.is_empty()) else { break };
            // Known measurements need no worker that notices the stop.
            if self.stop.is_set() {
                return Err(TuneError::Stopped);
            }
            let (tracker, folder) = (&mut self.tracker, &self.folder);
            let mut on_progress = |event: TuningEvent<'_>| {
                fresh = true;
                tracker.record_event(&event, folder);
                on_event(event);
            };
            let costs = match &mut race {
                Some(race) if query.scope == MeasurementScope::Whole => {
                    race.run(&self.cost_function, query.candidates, number, &mut self.cache, &mut on_progress)
                }
                _ => self.cost_function.evaluate(query, number, &mut self.cache, &mut on_progress),
            };
            let costs = match costs {
                // Older versions ended at the budget without the last cost.
                Err(TuneError::Unknown) if is_spent => break,
                costs => costs?,
            };
            optimiser.tell(&costs);
            let (spent, candidates) = (self.cache.spent(), self.cache.candidates());
            let step = optimiser.snapshot().map(|snapshot| TuningStep { snapshot, spent, candidates });
            self.update_progress(optimiser.point(), step.as_ref());
            on_event(TuningEvent::Progress(&self.tracker.progress));
            if let Some(step) = step {
                on_event(TuningEvent::Step { step: &step, fresh });
                self.summary.steps.push(step);
                if std::mem::take(&mut fresh) {
                    self.save()?;
                }
            }
        }
        Ok(())
    }

    /// Records the state of the optimiser after an answer.
    fn update_progress(&mut self, point: Option<CurrentPoint>, step: Option<&TuningStep>) {
        let TuningRun { tracker, cache, cost_function, plan, .. } = self;
        let progress = &mut tracker.progress;
        (progress.nodes, progress.pairs) = (cache.spent(), cache.pairs());
        progress.faults = cache.faults().to_vec();
        if let Some(TuningStep { snapshot, .. }) = step {
            progress.iteration = snapshot.step;
            progress.values = snapshot.best.iter().copied().map(f64::from).collect();
        }
        if let Some(CurrentPoint { iteration, values }) = point {
            (progress.iteration, progress.values) = (iteration, values);
        }
        let Some(step) = step else { return };
        let pairs = cache.pairs_of(&step.snapshot.best, &cost_function.start, cost_function.pairs);
        if pairs.pairs() > 0 {
            progress.gain = Some((progress.iteration, conclude::rate(pairs, &plan.pace())));
        }
    }

    /// Writes what is known so far.
    fn save(&self) -> Result<(), TuneError> {
        if self.setup.is_none() {
            return Ok(());
        }
        self.folder.write(SUMMARY, serde_json::to_string_pretty(&self.summary))?;
        write_profile(self.folder.path(), &self.plan, &self.summary)
    }
}

/// Writes the best profile so far into the folder of a run; nothing before the first step.
pub fn write_profile(folder: &Path, plan: &TuningPlan, summary: &RunSummary) -> Result<(), TuneError> {
    let Some(step) = summary.steps.last() else { return Ok(()) };
    write_whole(&folder.join(PROFILE), plan.profile_of(&step.snapshot.best).as_bytes())
}

fn inputs(plan: &TuningPlan) -> Result<TuningInputs, TuneError> {
    let load = |suite: &Option<SuitePlan>| -> Result<Vec<Record>, TuneError> {
        suite.as_ref().map_or_else(|| Ok(Vec::new()), SuitePlan::load)
    };
    let recorded = plan.opening_set.as_ref().map_or(0, |openings| openings.count);
    Ok(TuningInputs {
        tuning: load(&plan.suite)?,
        holdout: load(&plan.holdout)?,
        opening_count: (plan.tuning_openings() + plan.match_pairs).max(recorded) as usize,
        opening_seed: plan.seed,
        ..TuningInputs::default()
    })
}
