//! A mining run as a job: a task is a game to mine; the journal stores the results.

use super::journal::Journal;
use super::play::{PlayedMove, Players};
use super::{FilterVerdict, GameSource, GameToMine, MineError, MinedPosition, MiningPlan, MiningTally, PositionFilter};
use super::{filter, play};
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_games::external::EngineSetup;
use quarterply_games::openings;
use quarterply_games::portable::{EngineData, Opening};
use quarterply_uci::process::Stop;
use quarterply_work::{
    Context, Digest, Done, Executor, Job, JobItem, JobState, StopMode, TaskError, TaskKind, Threads, WorkError,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Plies after a find that are left out: they belong to the same combination.
const SAME_COMBINATION: usize = 8;
/// Positions whose value for the player exceeds this (pawns/100) are not searched again.
const PLAYED_OUT: Score = Score(600);

/// The numbers that decide which positions are searched, for comparing mining runs.
pub(super) fn constants() -> String {
    format!("{SAME_COMBINATION} plies, {PLAYED_OUT:?}")
}

/// The result of one game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MinedGame {
    /// The number of the game.
    pub game: u64,
    /// Counts of its positions.
    pub tally: MiningTally,
    /// The positions that are kept.
    pub finds: Vec<MinedPosition>,
}

/// Mines all games that are not in the journal yet, until it is stopped. `on_message` receives messages for the user, and `on_game` every
/// game in the order of `tasks`, those of the journal too.
///
/// # Errors
/// [`MineError`] of the first game that could not be mined; the journal keeps those before it.
pub fn run(
    plan: &MiningPlan,
    tasks: &[GameToMine],
    journal: &mut Option<Journal>,
    executor: &mut dyn Executor<Mining>,
    on_message: &dyn Fn(&str),
    on_game: &mut dyn FnMut(&MinedGame),
) -> Result<Vec<MinedGame>, MineError> {
    if executor.threads() == 0 && plan.check_engine.is_some() {
        let text = "--check: tasks hold no commands, so another engine checks on this machine only; leave out --nats and --tasks";
        return Err(WorkError::Refused(text.to_owned()).into());
    }
    let settings = MiningSettings::new(plan, executor)?;
    let mut job = MiningJob {
        stop: &plan.stop,
        settings: Arc::new(settings),
        tasks,
        next: 0,
        journal,
        mined: Vec::new(),
        on_game,
    };
    quarterply_work::run(&mut job, executor, on_message)?;
    Ok(job.mined)
}

/// How games are mined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MiningSettings {
    engine: EngineData,
    play_nodes: u64,
    shallow_nodes: u64,
    deep_nodes: u64,
    verify_nodes: u64,
    /// True if the engine of the executor checks solutions.
    check_engine: bool,
}

impl MiningSettings {
    fn new(plan: &MiningPlan, executor: &mut dyn Executor<Mining>) -> Result<MiningSettings, WorkError> {
        // The table sizes are set separately.
        let engine = EngineData::new(&plan.parameters, 0, 1, &mut |path| executor.store(path))?;
        let &MiningPlan { play_nodes, shallow_nodes, deep_nodes, verify_nodes, .. } = plan;
        let check_engine = plan.check_engine.is_some();
        Ok(MiningSettings { engine, play_nodes, shallow_nodes, deep_nodes, verify_nodes, check_engine })
    }

    fn plan(&self, check_engine: Option<&(EngineSetup, u64)>, context: &Context) -> Result<MiningPlan, TaskError> {
        let &MiningSettings { play_nodes, shallow_nodes, deep_nodes, verify_nodes, .. } = self;
        let check_engine = match (self.check_engine, check_engine) {
            (false, _) => None,
            (true, Some(check_engine)) => Some(check_engine.clone()),
            (true, None) => {
                let text = "cannot execute the task: its other engine is on another machine only";
                return Err(TaskError::Refused(text.to_owned()));
            }
        };
        let (parameters, stop) = (self.engine.parameters(context)?, Stop::default());
        Ok(MiningPlan { parameters, play_nodes, shallow_nodes, deep_nodes, verify_nodes, check_engine, stop })
    }
}

/// A game to mine, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MineTask {
    settings: Arc<MiningSettings>,
    number: u64,
    /// The seed of a game to play.
    seed: u64,
    /// A game that was played already.
    game: Option<Opening>,
}

/// Mines games.
#[derive(Default)]
pub struct Mining {
    /// Another engine that this machine has, and its nodes.
    check_engine: Option<(EngineSetup, u64)>,
    miner: Option<(Arc<MiningSettings>, Miner)>,
}

impl Mining {
    /// The executor that mines `count` games at a time in this process.
    pub fn threads(count: usize, plan: &MiningPlan) -> Threads<Mining> {
        let check_engine = plan.check_engine.clone();
        let make = move || Ok(Mining { check_engine: check_engine.clone(), miner: None });
        Threads::start_until(count, Some(plan.stop.flag()), make)
    }
}

impl TaskKind for Mining {
    const NAME: &'static str = "mine";
    type Task = MineTask;
    type Outcome = MinedGame;

    fn run(&mut self, task: &MineTask, context: &Context) -> Result<MinedGame, TaskError> {
        let failed = |error: MineError| TaskError::Failed(error.to_string());
        context.reserve((filter::TABLES + play::TABLES) as u64)?;
        let mut miner = match self.miner.take() {
            Some((settings, miner)) if settings == task.settings => miner,
            _ => Miner::new(task.settings.plan(self.check_engine.as_ref(), context)?).map_err(failed)?,
        };
        let game = task.game.as_ref().map(Opening::game).transpose().map_err(TaskError::Refused)?;
        let mined = miner.mine(task.number, task.seed, game.as_ref(), context);
        if context.is_cancelled() {
            // An interrupted game is mined again.
            return Err(TaskError::Stopped);
        }
        self.miner = Some((Arc::clone(&task.settings), miner));
        mined.map_err(failed)
    }

    fn objects(task: &MineTask) -> Vec<Digest> {
        task.settings.engine.evaluation.object().into_iter().collect()
    }

    fn checksum(task: &MineTask, mined: &MinedGame) -> Option<Digest> {
        (!task.settings.check_engine).then(|| Digest::of(&serde_json::to_vec(mined).unwrap_or_default()))
    }
}

/// Games that are mined: a job.
struct MiningJob<'a, 'b> {
    stop: &'a Stop,
    settings: Arc<MiningSettings>,
    tasks: &'a [GameToMine],
    next: usize,
    journal: &'a mut Option<Journal>,
    mined: Vec<MinedGame>,
    on_game: &'a mut (dyn FnMut(&MinedGame) + 'b),
}

impl Job for MiningJob<'_, '_> {
    type Kind = Mining;
    type Error = MineError;

    fn next(&mut self) -> Result<Option<JobItem<Mining>>, MineError> {
        let Some(task) = self.tasks.get(self.next) else { return Ok(None) };
        self.next += 1;
        if let Some(done) = self.journal.as_ref().and_then(|journal| journal.done.get(&task.number)) {
            return Ok(Some(JobItem::Known(done.clone())));
        }
        let (seed, game) = match &task.source {
            GameSource::Play(seed) => (*seed, None),
            GameSource::Played(game) => (0, Some(Opening::of(game))),
        };
        Ok(Some(JobItem::Task(MineTask { settings: Arc::clone(&self.settings), number: task.number, seed, game })))
    }

    fn check(&self, number: u64, mined: &MinedGame) -> Result<(), String> {
        let expected = self.tasks[number as usize].number;
        if mined.game == expected { Ok(()) } else { Err(format!("game {} instead of {expected}", mined.game)) }
    }

    fn received(&mut self, _: u64, done: &Done<MinedGame>) -> Result<(), MineError> {
        Ok(self.journal.as_mut().map_or(Ok(()), |journal| journal.note(&done.outcome))?)
    }

    fn done(&mut self, _: u64, done: Done<MinedGame>) -> Result<(), MineError> {
        (self.on_game)(&done.outcome);
        self.mined.push(done.outcome);
        Ok(())
    }

    fn state(&self) -> JobState {
        if self.stop.is_set() { JobState::Stop(StopMode::Cancel) } else { JobState::Running }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let done = self.mined.len();
        (done as u64, Some((self.tasks.len() - done) as u64))
    }
}

/// The state of a worker.
struct Miner {
    plan: Arc<MiningPlan>,
    players: Players,
    filter: PositionFilter,
}

impl Miner {
    fn new(plan: MiningPlan) -> Result<Miner, MineError> {
        let plan = Arc::new(plan);
        Ok(Miner { players: Players::new(&plan.parameters)?, filter: PositionFilter::new(&plan)?, plan })
    }

    /// Mines one game; plays one if none is given. A game that is cancelled is not mined to its end.
    fn mine(&mut self, number: u64, seed: u64, game: Option<&Game>, context: &Context) -> Result<MinedGame, MineError> {
        let (mut game, steps) = match game {
            None => self.players.play(seed, number, self.plan.play_nodes),
            Some(game) => split_opening(game),
        };
        let mut mined =
            MinedGame { game: number, tally: MiningTally { games: 1, ..MiningTally::default() }, finds: Vec::new() };
        let mut wait = 0;
        for step in steps {
            if context.is_cancelled() {
                break;
            }
            let decided = step.score.is_some_and(|score| score.0.abs() > PLAYED_OUT.0);
            if wait == 0 && !decided {
                mined.tally.positions += 1;
                let verdict = self.filter.classify(&game, Some(step.mv))?;
                mined.tally.add(&verdict);
                if let FilterVerdict::Found(find) = verdict {
                    mined.finds.push(*find);
                    wait = SAME_COMBINATION;
                }
            } else {
                wait = wait.saturating_sub(1);
            }
            game.play(step.mv);
        }
        mined.tally.nodes = self.filter.finish_game();
        Ok(mined)
    }
}

/// Splits a game that was read from a file: its first plies are known opening moves.
fn split_opening(game: &Game) -> (Game, Vec<PlayedMove>) {
    let mut start = Game::from_fen(&game.start_fen(), game.castling_mode()).unwrap_or_default();
    let known = openings::PLIES.min(game.moves().len());
    let (first, rest) = game.moves().split_at(known);
    first.iter().for_each(|mv| start.play(*mv));
    (start, rest.iter().map(|mv| PlayedMove { mv: *mv, score: None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_work::{Loopback, ObjectFolder};

    #[test]
    fn a_task_that_needs_more_memory_is_left_to_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = MiningPlan::default();
        let mut connection = Loopback::connect(Box::new(Mining::default()), folder.path().to_owned(), 1);
        let settings = Arc::new(MiningSettings::new(&plan, &mut connection.executor()).expect("no files"));
        let mut context = Context::new(Arc::new(ObjectFolder(folder.path().to_owned())));
        context.memory = Some(60);
        let task = MineTask { settings, number: 0, seed: 1, game: None };
        let found = Mining::default().run(&task, &context);
        assert!(matches!(&found, Err(TaskError::Unfit(reason)) if reason.contains("67 MiB")), "{found:?}");
    }

    #[test]
    fn games_that_were_read_are_mined_after_their_opening() {
        let mut game = Game::new();
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8", "e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"];
        game.play_line(moves).expect("legal");
        let (start, rest) = split_opening(&game);
        assert_eq!((start.moves().len(), rest.len()), (openings::PLIES, 3));
        let (start, rest) = split_opening(&Game::new());
        assert_eq!((start.moves().len(), rest.len()), (0, 0));
    }
}
