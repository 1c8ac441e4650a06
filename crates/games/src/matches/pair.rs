//! A pair of games as a task: its outcome is the line of the journal.

use super::line::{GameLine, PairLine};
use super::plan::{MatchPlan, PlayerFactory};
use super::run::MatchError;
use super::schedule::PAIR;
use crate::game::adjudicate::{AbandonGame, Adjudication};
use crate::game::{self, Ending, Pace, PaceError, Player, PlayerError, Record};
use crate::offered::{ExternalEngineData, OfferedEngines};
use crate::pgn;
use crate::players::Profile;
use crate::portable::{EngineData, Opening, Store};
use quarterply_engine::position::Game;
use quarterply_engine::tablebase::Tablebase;
use quarterply_uci::info::milliseconds;
use quarterply_uci::process::Stop;
use quarterply_work::{Cancel, Context, Digest, Executor, TaskError, TaskKind, Threads, WorkError};
use serde::{Deserialize, Serialize};
use shakmaty::ByColor;
use std::sync::Arc;
use std::time::Duration;

/// Engines that a worker keeps for the next pair.
const READY_MAX: usize = 4;

/// A pair to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairTask {
    /// The name of the match in the PGN.
    pub event: Arc<str>,
    /// The date that the games carry.
    pub date: Arc<str>,
    /// Its place in the schedule, from 0.
    pub index: usize,
    /// The number of its games.
    pub games: usize,
    /// The players; the first has white in the first game.
    pub players: [Arc<PlayerTask>; 2],
    /// The opening of its games.
    pub opening: Opening,
    /// When a game counts as won, as the user writes it.
    pub win: Option<Arc<str>>,
    /// When a game counts as drawn.
    pub draw: Option<Arc<str>>,
}

/// A player, and what its moves may cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerTask {
    /// Its name in the match.
    pub name: String,
    /// The player.
    pub player: PlayerData,
    /// The limit of its moves, as the user writes it.
    pub pace: String,
    /// See [`Pace::with_margin`] (milliseconds).
    pub margin: u64,
}

/// The data of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerData {
    /// This engine.
    Engine(EngineData),
    /// Another engine, which the machine offers.
    External(ExternalEngineData),
    /// A player that only this machine has, by its number in the [`PlayerFactory`].
    Local(usize),
}

/// The players of a match as data.
///
/// # Errors
/// The executor runs on other machines, and a player or the adjudication needs something that only this machine has.
pub fn players(
    plan: &MatchPlan,
    factory: &dyn PlayerFactory,
    executor: &mut dyn Executor<Pairs>,
) -> Result<Vec<Arc<PlayerTask>>, MatchError> {
    let elsewhere = executor.threads() == 0;
    if elsewhere {
        require_portable(plan, factory)?;
    }
    let mut players = players_with(plan, factory, &mut |path| executor.store(path))?;
    if elsewhere {
        for (number, player) in players.iter_mut().enumerate() {
            if let Some(Ok(data)) = factory.external(number) {
                *player = Arc::new(PlayerTask { player: PlayerData::External(data), ..PlayerTask::clone(player) });
            }
        }
    }
    Ok(players)
}

/// The players of a match as data, for an executor whose files are stored by `store`.
///
/// # Errors
/// A network cannot be stored.
pub fn players_with(
    plan: &MatchPlan,
    factory: &dyn PlayerFactory,
    store: &mut Store<'_>,
) -> Result<Vec<Arc<PlayerTask>>, MatchError> {
    let mut players = Vec::new();
    for (number, entrant) in plan.entrants.iter().enumerate() {
        let player = match factory.data(number) {
            Ok(Profile { parameters, hash, threads, overhead, .. }) => {
                let engine = EngineData::new(&parameters, hash, threads, store)?;
                PlayerData::Engine(EngineData { overhead: milliseconds(overhead), ..engine })
            }
            Err(_) => PlayerData::Local(number),
        };
        let pace = plan.pace_of(number);
        let name = entrant.name.clone();
        players.push(Arc::new(PlayerTask {
            name,
            player,
            pace: pace.to_string(),
            margin: milliseconds(pace.margin()),
        }));
    }
    Ok(players)
}

/// Checks that a match can be played on other machines. No player is started.
///
/// # Errors
/// A player or the adjudication needs something that only this machine has.
pub fn require_portable(plan: &MatchPlan, factory: &dyn PlayerFactory) -> Result<(), MatchError> {
    if plan.adjudication.tables.is_some() {
        let text = "--adjudicate-syzygy: endgame tables are on this machine only; leave it out, or play here";
        return Err(WorkError::Refused(text.to_owned()).into());
    }
    plan.entrants.iter().enumerate().try_for_each(|(player, entrant)| {
        let failed = |reason| MatchError::Player(entrant.name.clone(), reason);
        match factory.external(player) {
            Some(external) => external.map(drop).map_err(failed),
            None => factory.data(player).map(drop).map_err(failed),
        }
    })
}

/// Plays pairs.
#[derive(Default)]
pub struct Pairs {
    /// Players and endgame tables of this process.
    local: Option<Local>,
    /// Other engines that tasks may name.
    engines: OfferedEngines,
    /// Players that played lately, the last at the end.
    ready: Vec<(Arc<PlayerTask>, Box<dyn Player>)>,
}

#[derive(Clone)]
struct Local {
    factory: Arc<dyn PlayerFactory>,
    tables: Option<Arc<Tablebase>>,
}

impl Pairs {
    /// The executor that plays a match in this process.
    pub fn threads(plan: &MatchPlan, factory: Arc<dyn PlayerFactory>, stop: &Stop) -> Threads<Pairs> {
        let local = Local { factory, tables: plan.adjudication.tables.clone() };
        let count = plan.workers.clamp(1, plan.schedule().len().max(1));
        let make = move || Ok(Pairs { local: Some(local.clone()), ..Pairs::default() });
        Threads::start_until(count, Some(stop.flag()), make)
    }

    /// Plays pairs of tasks that name these engines, too.
    pub fn offering(engines: OfferedEngines) -> Pairs {
        Pairs { engines, ..Pairs::default() }
    }

    fn take_player(&mut self, task: &Arc<PlayerTask>, context: &Context) -> Result<Box<dyn Player>, TaskError> {
        let same = |(known, _): &(Arc<PlayerTask>, Box<dyn Player>)| known == task;
        if let Some(index) = self.ready.iter().position(same) {
            return Ok(self.ready.remove(index).1);
        }
        match (&task.player, &self.local) {
            (PlayerData::Engine(engine), _) => Ok(Box::new(engine.player(&task.name, context)?)),
            (PlayerData::External(data), _) => Ok(Box::new(self.engines.player(data, &task.name, context)?)),
            (PlayerData::Local(number), Some(local)) => local
                .factory
                .make_player(*number)
                .map_err(|reason| TaskError::Refused(format!("{}: {reason}", task.name))),
            (PlayerData::Local(_), None) => {
                Err(TaskError::Refused(format!("{} plays on another machine only", task.name)))
            }
        }
    }

    /// Keeps a player for the next pair; of those that tasks describe only the latest.
    fn keep(&mut self, task: &Arc<PlayerTask>, player: Box<dyn Player>) {
        self.ready.push((Arc::clone(task), player));
        let is_engine = |task: &PlayerTask| !matches!(task.player, PlayerData::Local(_));
        let engines = self.ready.iter().filter(|(task, _)| is_engine(task)).count();
        if engines > READY_MAX
            && let Some(oldest) = self.ready.iter().position(|(task, _)| is_engine(task))
        {
            self.ready.remove(oldest);
        }
    }
}

impl TaskKind for Pairs {
    const NAME: &'static str = "match";
    type Task = PairTask;
    type Outcome = PairLine;

    fn run(&mut self, task: &PairTask, context: &Context) -> Result<PairLine, TaskError> {
        let memory = |task: &PlayerTask| match &task.player {
            PlayerData::Engine(engine) => engine.hash as u64,
            PlayerData::External(engine) => engine.hash as u64,
            PlayerData::Local(_) => 0,
        };
        let [first, second] = &task.players;
        context.reserve(memory(first) + memory(second))?;
        let tables = self.local.as_ref().and_then(|local| local.tables.clone());
        let board = PairGames::new(task, tables, context).map_err(TaskError::Refused)?;
        let (mut white, mut black) = (self.take_player(first, context)?, self.take_player(second, context)?);
        let flags: Vec<_> = context.cancel.flags().cloned().collect();
        white.stop_on(&flags);
        black.stop_on(&flags);
        let line = board.play([white.as_mut(), black.as_mut()]);
        self.keep(first, white);
        self.keep(second, black);
        line.map_err(TaskError::Failed)?.ok_or(TaskError::Stopped)
    }

    fn objects(task: &PairTask) -> Vec<Digest> {
        let mut objects: Vec<Digest> = Vec::new();
        for player in &task.players {
            if let PlayerData::Engine(engine) = &player.player
                && let Some(digest) = engine.evaluation.object()
                && !objects.contains(&digest)
            {
                objects.push(digest);
            }
        }
        objects
    }

    fn checksum(task: &PairTask, line: &PairLine) -> Option<Digest> {
        let repeats = |player: &Arc<PlayerTask>| {
            let timed = player.pace.parse::<Pace>().map_or(true, |pace| pace.is_timed());
            !timed && matches!(&player.player, PlayerData::Engine(engine) if engine.threads <= 1)
        };
        task.players.iter().all(repeats).then(|| timeless(line))
    }
}

/// A checksum of everything in a pair but times.
fn timeless(line: &PairLine) -> Digest {
    let mut text = format!("{} {} {}\n", line.pair, line.opening, line.points);
    for game in &line.games {
        text += &format!("{} {} {}\n{}\n", game.ending, game.plies, game.nodes, without_times(&game.pgn));
    }
    Digest::of(text.as_bytes())
}

/// A game without the times in comments, such as `0.120s`.
pub(super) fn without_times(text: &str) -> String {
    let is_time =
        |word: &str| word.trim_end_matches('}').strip_suffix('s').is_some_and(|number| number.parse::<f64>().is_ok());
    text.split_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}

/// A pair that is played: everything but the players.
struct PairGames<'a> {
    task: &'a PairTask,
    opening: Game,
    paces: [Pace; 2],
    adjudication: Adjudication,
    /// Cancels the pair.
    cancel: Cancel,
}

impl<'a> PairGames<'a> {
    fn new(task: &'a PairTask, tables: Option<Arc<Tablebase>>, context: &Context) -> Result<PairGames<'a>, String> {
        let pace = |player: &PlayerTask| -> Result<Pace, String> {
            let pace: Pace = player.pace.parse().map_err(|error: PaceError| error.to_string())?;
            Ok(pace.with_margin(Duration::from_millis(player.margin)))
        };
        let [first, second] = &task.players;
        let wrong = |error: &dyn std::fmt::Display| error.to_string();
        let adjudication = Adjudication {
            win: task.win.as_ref().map(|rule| rule.parse().map_err(|error| wrong(&error))).transpose()?,
            draw: task.draw.as_ref().map(|rule| rule.parse().map_err(|error| wrong(&error))).transpose()?,
            tables,
        };
        let (paces, cancel) = ([pace(first)?, pace(second)?], context.cancel.clone());
        Ok(PairGames { task, opening: task.opening.game()?, paces, adjudication, cancel })
    }

    /// Plays the games; `None` if the pair was cancelled. An error says why a player cannot be started: its games would measure nothing.
    fn play(&self, players: [&mut dyn Player; 2]) -> Result<Option<PairLine>, String> {
        let [first, second] = players;
        let mut games = Vec::new();
        for index in 0..self.task.games {
            let players: [&mut dyn Player; 2] = [&mut *first, &mut *second];
            let players = in_game(index, players);
            let Some(record) = self.play_game(index, players) else { return Ok(None) };
            if let Ending::Failure(error @ PlayerError::Start { .. }) = &record.verdict.ending {
                return Err(error.to_string());
            }
            games.push(self.line(index, record));
        }
        let names = self.task.players.each_ref().map(|player| player.name.clone());
        Ok(Some(PairLine::new(self.task.index, names, self.opening.fen(), games)))
    }

    /// Plays one game; `None` if it was cancelled, however it ended: cancelling stops searches and, by an interrupt of the terminal,
    /// engine processes, so that the last move or a fault says nothing about a player.
    fn play_game(&self, index: usize, players: ByColor<&mut dyn Player>) -> Option<Record> {
        let mut adjudicators = self.adjudication.start();
        adjudicators.push(Box::new(AbandonGame(self.cancel.clone())));
        let record = game::play(players, &self.opening, in_game(index, self.paces), &mut adjudicators);
        (!self.cancel.is_cancelled()).then_some(record)
    }

    fn line(&self, index: usize, mut record: Record) -> GameLine {
        record.names = in_game(index, self.task.players.each_ref().map(|player| player.name.clone()));
        let number = self.task.index * PAIR + index + 1;
        let header = pgn::EventTags {
            event: self.task.event.to_string(),
            round: number,
            date: self.task.date.to_string(),
            time_control: in_game(index, self.paces).map(|pace| pace.pgn()),
        };
        GameLine::new(number, &record, pgn::write(&record, &header))
    }
}

/// The values of white and black in a game of a pair: the first player has white in the first game.
fn in_game<T>(index: usize, [first, second]: [T; 2]) -> ByColor<T> {
    if index.is_multiple_of(2) {
        ByColor { white: first, black: second }
    } else {
        ByColor { white: second, black: first }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{End, MatchEvent, MatchFiles, OpeningSupply, Specs, run};
    use super::*;
    use crate::game::Choice;
    use crate::openings::{OpeningSource, Options};
    use crate::players::PlayerDefaults;
    use quarterply_engine::clock::Limits;
    use quarterply_stats::Sprt;
    use quarterply_work::{LOOPBACK, Loopback};

    fn specs(texts: &[&str]) -> Specs {
        let specs = texts.iter().map(|text| text.parse().expect(text)).collect();
        Specs::new(specs, PlayerDefaults { hash: 1, ..PlayerDefaults::default() }, &Pace::Nodes(60)).expect("players")
    }

    /// Checksums of the pairs in the order in which they counted, and how the match ended.
    fn pairs(texts: &[&str], games: usize, sprt: Option<Sprt>, remote: bool) -> (Vec<Digest>, End) {
        let specs: Arc<dyn PlayerFactory> = Arc::new(specs(texts));
        let entrants = self::specs(texts).entrants().expect("profiles");
        let mut plan = MatchPlan::new(entrants, games, Pace::Nodes(60));
        plan.sprt = sprt;
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Loopback::connect(Box::new(Pairs::default()), folder.path().to_owned(), 3);
        let openings = OpeningSupply::new(OpeningSource::builtin(&Options { seed: 5, ..Options::default() }));
        let mut found = Vec::new();
        let (files, stop) = (MatchFiles::default(), Stop::default());
        let mut threads = Pairs::threads(&plan, Arc::clone(&specs), &stop);
        let mut elsewhere = connection.executor();
        let executor: &mut dyn Executor<Pairs> = if remote { &mut elsewhere } else { &mut threads };
        let outcome = run(&plan, specs.as_ref(), openings, &files, &stop, executor, &mut |event| {
            if let MatchEvent::Pair { line, .. } = event {
                assert_eq!(line.worker.as_deref(), remote.then_some(LOOPBACK));
                found.push(timeless(line));
            }
        });
        (found, outcome.expect("a match").end)
    }

    #[test]
    fn pairs_played_elsewhere_are_the_same_pairs_in_the_same_order() {
        let players = ["default", "default set.null_move.on=false name=B", "classic"];
        let local = pairs(&players, 6, None, false);
        assert_eq!((local.0.len(), local.1), (6, End::Complete));
        assert_eq!(pairs(&players, 6, None, true), local);
    }

    #[test]
    fn a_test_is_decided_at_the_same_pair() {
        let sprt: Sprt = "elo0=-200 elo1=0 alpha=0.2 beta=0.2".parse().expect("a test");
        let players = ["default", "default set.null_move.on=false name=B"];
        let local = pairs(&players, 60, Some(sprt), false);
        assert_eq!(local.1, End::Decided);
        assert_eq!(pairs(&players, 60, Some(sprt), true), local);
    }

    #[test]
    fn local_resources_are_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("engine");
        std::fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
        let specs = specs(&["default", &format!("cmd:{} name=Mute", program.display())]);
        std::fs::remove_file(&program).expect("it was there");
        let reason = specs.data(1).expect_err("a program");
        assert!(reason.contains("tasks hold no commands"), "{reason}");
        assert!(specs.data(0).is_ok());
        let plan = MatchPlan::new(specs.entrants().expect("profiles"), 2, Pace::Nodes(60));
        let error = require_portable(&plan, &specs).expect_err("no program").to_string();
        assert!(error.starts_with("cannot use player `Mute`: ") && error.contains("engine"), "{error}");
    }

    /// Its last move is cut short by Ctrl-C, and ends the game.
    struct Mating(Cancel);

    impl Player for Mating {
        fn name(&self) -> &str {
            "mating"
        }

        fn new_game(&mut self) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, _: &Game, _: &Limits) -> Result<Choice, PlayerError> {
            self.0.cancel();
            Ok(Choice { text: "e1e8".to_owned(), score: None, depth: 1, nodes: 1 })
        }
    }

    #[test]
    fn a_game_that_ends_with_a_move_cut_short_does_not_count() {
        let opening = Game::standard("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1").expect("a position");
        let player = |number| {
            let (pace, player) = ("nodes=60".to_owned(), PlayerData::Local(number));
            Arc::new(PlayerTask { name: number.to_string(), player, pace, margin: 0 })
        };
        let task = PairTask {
            event: "".into(),
            date: "".into(),
            index: 0,
            games: 1,
            players: [player(0), player(1)],
            opening: Opening::of(&opening),
            win: None,
            draw: None,
        };
        let (cancel, other) = (Cancel::default(), Cancel::default());
        let adjudication = Adjudication { win: None, draw: None, tables: None };
        let games =
            PairGames { task: &task, opening, paces: [Pace::Nodes(60); 2], adjudication, cancel: cancel.clone() };
        let played = |cancel: &Cancel| games.play([&mut Mating(cancel.clone()), &mut Mating(cancel.clone())]);
        assert!(played(&other).expect("players").is_some(), "a mate counts");
        assert!(played(&cancel).expect("players").is_none());
    }

    /// Games that are not played measure nothing: they decided a test in a second.
    #[test]
    fn a_player_that_can_no_longer_be_started_ends_the_match() {
        let specs: Arc<dyn PlayerFactory> = Arc::new(specs(&["default", "cmd:false name=Mute"]));
        let entrants = self::specs(&["default", "cmd:true name=Mute"]).entrants().expect("players");
        let plan = MatchPlan::new(entrants, 4, Pace::Nodes(60));
        let openings = OpeningSupply::new(OpeningSource::builtin(&Options { seed: 5, ..Options::default() }));
        let (files, stop, mut counted) = (MatchFiles::default(), Stop::default(), 0);
        let mut threads = Pairs::threads(&plan, Arc::clone(&specs), &stop);
        let ended = run(&plan, specs.as_ref(), openings, &files, &stop, &mut threads, &mut |event| {
            counted += usize::from(matches!(event, MatchEvent::Pair { .. }));
        });
        let error = ended.expect_err("no games").to_string();
        assert!(error.contains("cannot start cmd:false") && counted == 0, "{error}");
    }

    #[test]
    fn other_engines_are_named_in_tasks() {
        let specs = specs(&["default", "cmd:true name=Mute"]);
        let plan = MatchPlan::new(specs.entrants().expect("profiles"), 2, Pace::Nodes(60));
        require_portable(&plan, &specs).expect("a program that exists");
    }
}
