//! Games as tasks: some to play, or one to search again.

use crate::play::{PlayError, Player};
use crate::read::ArchiveGames;
use crate::record::GameRecord;
use crate::replay::{Filter, ReplayError};
use crate::run::RunError;
use crate::settings::{DatagenSettings, Openings};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use quarterply_engine::network::{CLASSICAL, DEFAULT};
use quarterply_engine::tablebase::Tablebase;
use quarterply_work::{Context, Digest, Executor, NOMINAL_SPEED, TaskError, TaskKind, Threads, WorkError};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Plies of a game, for the first estimate of the time that it takes.
const PLIES: f64 = 120.0;
/// A task is at most this part of the remaining games, so that no worker is idle near the end.
const PART: u64 = 16;
/// Maximum number of games of a task: they must fit into a message.
const GAMES_MAX: u64 = 256;
/// Weight of the last task in the mean time of a game.
const NEWEST: f64 = 0.2;

/// The work of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatagenWork {
    /// Play the games with these numbers.
    Play {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
    },
    /// Give the positions of a game new scores.
    Relabel(GameText),
    /// Draw positions from searches of a game, from this number on.
    Sample(GameText, u64),
}

/// Games to play, or to search again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesTask {
    /// The work.
    pub work: DatagenWork,
    /// The settings.
    pub how: Arc<TaskSettings>,
}

/// Data common to all tasks of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSettings {
    /// The settings of the games, without a path.
    pub settings: DatagenSettings,
    /// The network that values positions, if a file has it.
    pub network: Option<Digest>,
    /// The book that games begin from, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Digest>,
}

/// A game as text: its number, and its bytes in Base64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(u64, String)", into = "(u64, String)")]
pub struct GameText(pub GameRecord);

/// A game that was made, and how many of its positions pass the default filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "GameText", into = "GameText")]
pub struct ProducedGame {
    /// The game.
    pub game: GameRecord,
    /// Positions that pass [`Filter::DEFAULT`]. They are counted again where the game is received, which shows that it is legal.
    pub kept: u64,
}

impl From<GameText> for (u64, String) {
    fn from(GameText(game): GameText) -> (u64, String) {
        (game.number, BASE64_STANDARD.encode(game.encode()))
    }
}

impl TryFrom<(u64, String)> for GameText {
    type Error = String;

    fn try_from((number, text): (u64, String)) -> Result<GameText, String> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|error| error.to_string())?;
        GameRecord::decode(number, &bytes).map(GameText).map_err(|error| error.to_string())
    }
}

impl From<ProducedGame> for GameText {
    fn from(made: ProducedGame) -> GameText {
        GameText(made.game)
    }
}

impl TryFrom<GameText> for ProducedGame {
    type Error = ReplayError;

    fn try_from(GameText(game): GameText) -> Result<ProducedGame, ReplayError> {
        ProducedGame::count(game)
    }
}

impl ProducedGame {
    /// Counting replays the game, so every game that is written can be read.
    fn count(game: GameRecord) -> Result<ProducedGame, ReplayError> {
        let kept = Filter::DEFAULT.count(&game)?;
        Ok(ProducedGame { game, kept })
    }
}

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamesFound {
    /// The games, in the order of their numbers.
    pub games: Vec<ProducedGame>,
    /// Time spent in searches (seconds).
    pub searching: f64,
}

impl TaskSettings {
    /// Stores what the games need.
    ///
    /// # Errors
    /// The settings are not valid, or name something that other machines do not have.
    pub fn new(settings: &DatagenSettings, executor: &mut dyn Executor<Production>) -> Result<TaskSettings, RunError> {
        settings.check().map_err(PlayError::from)?;
        let mut settings = settings.clone();
        if let Some(path) = settings.syzygy.take()
            && executor.threads() == 0
        {
            let text =
                format!("--syzygy {path}: endgame tables are on this machine only; leave them out, or play here");
            return Err(WorkError::Refused(text).into());
        }
        let file = settings.eval_file.take_if(|text| is_file(text));
        let network = file.map(|file| executor.store(Path::new(&file))).transpose()?;
        // New scores for existing games need no book, and it may be on another machine.
        let openings = settings.openings.take().filter(|_| settings.relabelled.is_none());
        openings.as_ref().map(Openings::games).transpose().map_err(PlayError::from)?;
        let book = openings.map(|book| executor.store(Path::new(&book.file))).transpose()?;
        Ok(TaskSettings { settings, network, book })
    }
}

fn is_file(evaluation: &str) -> bool {
    evaluation != CLASSICAL && evaluation != DEFAULT
}

/// Plays games and searches them again.
#[derive(Default)]
pub struct Production {
    tables: Option<Arc<Tablebase>>,
    /// The player of the last task.
    player: Option<(Arc<TaskSettings>, Player)>,
}

impl Production {
    /// The executor that works in this process, with the endgame tables of a run.
    pub fn threads(count: usize, tables: Option<Arc<Tablebase>>) -> Threads<Production> {
        Threads::start(count, move || Ok(Production { tables: tables.clone(), player: None }))
    }

    fn player(&mut self, how: &Arc<TaskSettings>, context: &Context) -> Result<&mut Player, TaskError> {
        let player = match self.player.take() {
            Some((known, player)) if Arc::ptr_eq(&known, how) || known == *how => player,
            _ => self.new_player(how, context)?,
        };
        Ok(&mut self.player.insert((Arc::clone(how), player)).1)
    }

    fn new_player(&self, how: &TaskSettings, context: &Context) -> Result<Player, TaskError> {
        let TaskSettings { settings, network, book } = how;
        let named = settings.syzygy.is_some() || settings.openings.is_some();
        if named || settings.eval_file.as_deref().is_some_and(is_file) {
            return Err(TaskError::Refused(
                "cannot execute the task: its settings name files, and tasks hold no paths".to_owned(),
            ));
        }
        context.reserve(settings.hash as u64)?;
        let mut here = settings.clone();
        let place = |object: &Digest| context.objects.path(object).map(|path| path.display().to_string());
        if let Some(network) = network {
            here.eval_file = Some(place(network).map_err(TaskError::Failed)?);
        }
        if let Some(book) = book {
            let file = place(book).map_err(TaskError::Failed)?;
            here.openings = Some(Openings::of(&file).map_err(refused)?.0);
        }
        Player::new(&here, self.tables.clone()).map_err(refused)
    }
}

fn refused(error: impl Display) -> TaskError {
    TaskError::Refused(error.to_string())
}

impl TaskKind for Production {
    const NAME: &'static str = "datagen";
    type Task = GamesTask;
    type Outcome = GamesFound;

    fn run(&mut self, task: &GamesTask, context: &Context) -> Result<GamesFound, TaskError> {
        let player = self.player(&task.how, context)?;
        let before = player.searching;
        let games = match &task.work {
            DatagenWork::Play { first, last } => {
                if first > last || last - first >= GAMES_MAX {
                    return Err(TaskError::Refused(format!(
                        "cannot execute the task: it has games {first} to {last}, and {GAMES_MAX} are the most"
                    )));
                }
                let mut games = Vec::new();
                for number in *first..=*last {
                    if context.is_cancelled() {
                        return Err(TaskError::Stopped);
                    }
                    games.push(player.play(number).map_err(refused)?);
                }
                games
            }
            DatagenWork::Relabel(GameText(game)) => vec![player.relabel(game).map_err(refused)?],
            DatagenWork::Sample(GameText(game), from) => {
                let mut games = player.sample_positions(game).map_err(refused)?;
                games.retain(|game| game.number >= *from);
                games
            }
        };
        let searching = (player.searching - before).as_secs_f64();
        let games = games.into_iter().map(ProducedGame::count).collect::<Result<_, _>>().map_err(refused)?;
        Ok(GamesFound { games, searching })
    }

    fn objects(task: &GamesTask) -> Vec<Digest> {
        [task.how.network, task.how.book].into_iter().flatten().collect()
    }

    fn checksum(_: &GamesTask, found: &GamesFound) -> Option<Digest> {
        Some(Digest::of(&found.games.iter().flat_map(|made| made.game.encode()).collect::<Vec<u8>>()))
    }
}

/// The source of the work of a run, in order.
pub(crate) enum TaskSource<'a> {
    /// Games to play: the next number, and the last one.
    Play { next: u64, last: Option<u64> },
    /// Games to give new scores, starting with number `from`; with `each`, games to sample this number of positions from, starting with
    /// position number `from`.
    Stored { games: Box<ArchiveGames<'a>>, each: Option<u64>, from: u64 },
}

impl TaskSource<'_> {
    /// The next work; as many games to play as `size` says.
    pub fn next(&mut self, size: &TaskSize) -> Result<Option<DatagenWork>, RunError> {
        let left = self.left();
        Ok(match self {
            TaskSource::Play { next, .. } => {
                if left == Some(0) {
                    return Ok(None);
                }
                let first = *next;
                *next += size.games(left);
                Some(DatagenWork::Play { first, last: *next - 1 })
            }
            TaskSource::Stored { games, each, from } => {
                let is_remaining = |game: &GameRecord| game.number * each.unwrap_or(1) >= *from;
                let game = games.find(|game| game.as_ref().map_or(true, is_remaining)).transpose()?;
                game.map(|game| match each {
                    None => DatagenWork::Relabel(GameText(game)),
                    Some(_) => DatagenWork::Sample(GameText(game), *from),
                })
            }
        })
    }

    /// Number of games that have not been handed out, if it is known.
    pub fn left(&self) -> Option<u64> {
        let TaskSource::Play { next, last } = self else { return None };
        last.map(|last| last.saturating_add(1).saturating_sub(*next))
    }
}

/// Number of games of a task.
pub(crate) struct TaskSize {
    /// Intended time of a task; single games if there is none.
    target_duration: Option<Duration>,
    /// Mean time of a game (seconds).
    mean: f64,
}

impl TaskSize {
    pub fn new(target_duration: Option<Duration>, settings: &DatagenSettings) -> TaskSize {
        TaskSize { target_duration, mean: PLIES * settings.soft_nodes as f64 / NOMINAL_SPEED }
    }

    fn games(&self, left: Option<u64>) -> u64 {
        let Some(target_duration) = self.target_duration else { return 1 };
        let fitting = (target_duration.as_secs_f64() / self.mean.max(f64::EPSILON)) as u64;
        fitting.min(left.map_or(GAMES_MAX, |left| left.div_ceil(PART))).clamp(1, GAMES_MAX)
    }

    /// Updates the mean time of a game by a finished task.
    pub fn learn(&mut self, time: Duration, games: usize) {
        let mean = time.as_secs_f64() / games.max(1) as f64;
        self.mean += NEWEST * (mean - self.mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{SHARD_MAX, ShardPlan, Writer};
    use crate::run::{Totals, run};
    use crate::testing::{contents, plan};
    use quarterply_work::{Loopback, ObjectFolder};
    use std::fs;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn games_of_remote_workers_make_the_same_files_in_any_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("book.epd");
        fs::write(&file, "4r1k1/5ppp/8/8/8/8/5PPP/R5K1 w - -\n8/5pk1/6p1/8/8/1P6/1K6/8 w - -\n").expect("written");
        let (openings, _) = Openings::of(file.to_str().expect("UTF-8")).expect("a book");
        let begun = plan(30);
        let settings = DatagenSettings { openings: Some(openings), ..begun.settings.clone() };
        for plan in [begun.clone(), ShardPlan { settings, ..begun }] {
            compare(&plan);
        }
    }

    /// Plays the games of a plan by threads of this process and by remote workers.
    fn compare(plan: &ShardPlan) {
        let written = |executor: &mut dyn Executor<Production>| -> Vec<Vec<u8>> {
            let folder = tempfile::tempdir().expect("a folder");
            let mut writer = Writer::create(folder.path(), plan, SHARD_MAX).expect("a new run");
            let (none, on_message) = (&mut |_: &Totals| {}, &|text: &str| panic!("{text}"));
            let summary =
                run(&mut writer, plan.goal, Totals::default(), executor, &AtomicBool::new(false), on_message, none);
            let summary = summary.expect("a run");
            assert_eq!(summary.all.games, 30);
            assert!(summary.searching > Duration::ZERO && summary.searching <= summary.working);
            contents(folder.path())
        };
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Loopback::connect(Box::new(Production::default()), folder.path().to_owned(), 7);
        assert_eq!(written(&mut Production::threads(2, None)), written(&mut connection.executor()));
    }

    #[test]
    fn the_largest_number_of_games_is_a_goal() {
        let mut source = TaskSource::Play { next: 1, last: Some(u64::MAX) };
        let work = source.next(&TaskSize::new(None, &DatagenSettings::default())).expect("no file is read");
        assert_eq!(work, Some(DatagenWork::Play { first: 1, last: 1 }));
    }

    /// The games exist, and the book may be on the machine that played them.
    #[test]
    fn relabelling_needs_no_book() {
        let openings = Some(Openings { file: "/nowhere/book.epd".to_owned(), fingerprint: 1 });
        let settings = DatagenSettings { openings, ..plan(1).settings };
        let mut executor = Production::threads(1, None);
        let played = TaskSettings::new(&settings, &mut executor);
        assert!(played.is_err_and(|error| error.to_string().contains("/nowhere/book.epd")));
        let relabelled = DatagenSettings { relabelled: Some([60, 200]), ..settings };
        let how = TaskSettings::new(&relabelled, &mut executor).expect("no book is read");
        assert_eq!((how.book, how.settings.openings), (None, None));
    }

    #[test]
    fn tasks_hold_no_paths() {
        let path = || "/etc/passwd".to_owned();
        let usual = DatagenSettings::default();
        for settings in [
            DatagenSettings { eval_file: Some(path()), ..usual.clone() },
            DatagenSettings { openings: Some(Openings { file: path(), fingerprint: 1 }), ..usual.clone() },
            DatagenSettings { syzygy: Some(path()), ..usual },
        ] {
            let how = Arc::new(TaskSettings { settings, network: None, book: None });
            let task = GamesTask { work: DatagenWork::Play { first: 1, last: 1 }, how };
            let context = Context::new(Arc::new(ObjectFolder("/nowhere".into())));
            let refused = Production::default().run(&task, &context);
            assert!(matches!(&refused, Err(TaskError::Refused(text)) if text.contains("no paths")), "{refused:?}");
        }
    }
}
