//! `quarterply mine`: tactical test positions out of games, played here or read from PGN.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use miette::miette;
use quarterply_engine::position::Game;
use quarterply_files::draft::Draft;
use quarterply_games::external::{EngineSetup, UciEngine};
use quarterply_games::game::Player;
use quarterply_games::pgn::{self, ReadGame};
use quarterply_games::players::PlayerDefaults;
use quarterply_lab::mine::{
    self, GameSource, GameToMine, Journal, MineError, MinedPosition, Mining, MiningPlan, MiningResult, MiningTally,
};
use quarterply_lab::suite::HASH_DEFAULT;
use quarterply_uci::launch::Launch;
use quarterply_uci::process::Stop;
use quarterply_window::words::several;
use quarterply_work::WorkError;
use serde_json::json;

use crate::common::Common;
use crate::dialogue::DialogueArguments;
use crate::execution::{ExecutionArguments, RunIdentity};
use crate::export::{JsonLines, create, finish, refuse_same};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::numbers::count;
use crate::progress;

/// The end of the help.
const AFTER: &str = "Examples:
  quarterply mine --games 200 --seed 7 -o suite.epd
  quarterply mine --games 200 --seed 7 --check stockfish \\
    --journal mining.jsonl -o suite.epd --holdout holdout.epd";

/// Arguments of `mine`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    /// Play N games [default: 100]; with --pgn, read at most N games.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    pub games: Option<u64>,
    /// Skip the first N games, to continue an earlier run or to divide the work.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u64>(0..))]
    pub skip: u64,
    /// Read games from these files instead of playing.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub pgn: Vec<PathBuf>,
    /// Play games with N nodes per move: few, so that tactical errors occur and are missed.
    #[arg(long, value_name = "N", default_value_t = 300, conflicts_with = "pgn", value_parser = count::<u64>(1..))]
    pub play_nodes: u64,
    /// Nodes of the search that must miss the solution.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count::<u64>(1..))]
    pub shallow_nodes: u64,
    /// Nodes of the search that must find it.
    #[arg(long, value_name = "N", default_value_t = 60_000, value_parser = count::<u64>(1..))]
    pub nodes: u64,
    /// Nodes of each of the two searches that must confirm it.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = count::<u64>(1..))]
    pub verify_nodes: u64,
    /// Keep only positions whose solution this UCI engine also finds.
    #[arg(long, value_name = "CMD")]
    pub check: Option<String>,
    /// Let that engine search N nodes.
    #[arg(long, value_name = "N", default_value_t = 2_000_000, requires = "check", value_parser = count::<u64>(1..))]
    pub check_nodes: u64,
    /// Abort a search of that engine after SECONDS; it has 5 s more to answer `stop` [default: 20 times the time expected from its speed].
    #[arg(long, value_name = "SECONDS", requires = "check", value_parser = count::<u64>(1..=super::solve::TIMEOUT_MAX))]
    pub timeout: Option<u64>,
    /// Record every finished game in FILE.jsonl and skip the games recorded in it: an interrupted run continues where it ended. The
    /// arguments and the build must be the same; --games, --skip and --workers may differ.
    #[arg(long, value_name = "FILE.jsonl")]
    pub journal: Option<PathBuf>,
    /// Keep at most N positions, spread evenly from easy to hard.
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    pub max: Option<u64>,
    /// Name the positions NAME.01, NAME.02 and so on.
    #[arg(long, value_name = "NAME", default_value = "Quarterply")]
    pub name: String,
    /// Write the positions to this file instead of stdout.
    #[arg(long, short, value_name = "FILE.epd")]
    pub output: Option<PathBuf>,
    /// Write the positions of every fourth game (or see --holdout-every) to this file instead, as a hold-out
    /// suite.
    #[arg(long, value_name = "FILE.epd")]
    pub holdout: Option<PathBuf>,
    /// Hold out one of N games.
    #[arg(long, value_name = "N", default_value_t = 4, requires = "holdout", value_parser = count::<u64>(2..))]
    pub holdout_every: u64,
    /// Hold out at most N positions, spread evenly from easy to hard.
    #[arg(long, value_name = "N", requires = "holdout", value_parser = count::<u64>(1..))]
    pub holdout_max: Option<u64>,
    #[command(flatten)]
    pub dialogue: DialogueArguments,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

/// Games played when no number is given.
const GAMES: u64 = 100;

/// Mines; exit code 1 if a game was left out or nothing was found.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let stop = interrupt::listen(|| say!("stopping: finished games are kept (press Ctrl-C again to end at once)"))?;
    arguments.dialogue.require_engine(arguments.check.as_ref(), "--check CMD")?;
    // Hours of work should not be lost to a path that cannot be written.
    let files = OutputFiles::open(common, arguments)?;
    let named = arguments.output.iter().chain(&arguments.holdout).chain(&arguments.journal).chain(&arguments.pgn);
    let _log = arguments.dialogue.open(common, named)?;
    let plan = plan(common, arguments, &stop)?;
    let games = games(common, arguments)?;
    if arguments.journal.is_some() && !common.quiet {
        say!("computing the signature of this program for the journal");
    }
    let mut journal = match &arguments.journal {
        Some(path) => Some(Journal::open(path, &plan, &games.name)?),
        None => None,
    };
    journal.iter().flat_map(|journal| &journal.notes).for_each(|note| say!("{note}"));
    let bar = progress::bar(common, games.tasks.len(), "games");
    let mut found = 0;
    let mut execution = arguments.execution.open(&RunIdentity::once(format!("mine {}", games.name)))?;
    execution.show_below(&bar, progress::TEMPLATE);
    let mut executor = execution.executor(|| Mining::threads(common.workers.unwrap_or(1), &plan));
    let say = |text: &str| bar.suspend(|| say!("{text}"));
    let mined = mine::run(&plan, &games.tasks, &mut journal, executor.as_mut(), &say, &mut |game| {
        found += game.finds.len();
        bar.set_message(format!("{found} found"));
        bar.inc(1);
    });
    drop(executor);
    bar.finish_and_clear();
    // The journal holds the finished games; running tasks are abandoned.
    execution.close(true)?;
    let mined = mined.map_err(|error| match error {
        MineError::Work(error @ WorkError::Refused(_)) => Failure::input(error),
        error => Failure::Run(miette!("{error}{}", advice(arguments))),
    })?;
    let every = arguments.holdout.as_ref().map(|_| arguments.holdout_every);
    let MiningResult { suite, holdout, tally } = mine::gather(mined, every);
    let (suite, holdout) = (choose(suite, arguments.max), choose(holdout, arguments.holdout_max));
    if suite.is_empty() && holdout.is_empty() {
        let advice = if stop.is_set() { "interrupted" } else { "take more games" };
        let report = miette!("cannot write a suite: no positions found ({}); {advice}", describe(&tally, 0));
        if !stop.is_set() {
            return Err(Failure::Run(report));
        }
        say!("{report}");
        return Ok(interrupt::code());
    }
    let report = MiningReport { suite: &suite, holdout: &holdout, tally: &tally, games: &games };
    files.write(&report, &arguments.name, stop.is_set())?;
    if !common.quiet || stop.is_set() {
        say!("{}", describe(&tally, suite.len() + holdout.len()));
    }
    if stop.is_set() {
        say_how_to_continue(arguments);
        return Ok(interrupt::code());
    }
    Ok(if games.skipped > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn choose(finds: Vec<MinedPosition>, most: Option<u64>) -> Vec<MinedPosition> {
    mine::select(finds, most.map_or(usize::MAX, |most| most as usize))
}

/// Says how an interrupted run is continued. The positions found so far are in its files.
fn say_how_to_continue(arguments: &Arguments) {
    let replace = if arguments.output.is_some() || arguments.holdout.is_some() { " with --overwrite" } else { "" };
    if arguments.journal.is_some() {
        say!("run the same command{replace} to continue");
    }
}

/// The remedy after a failure.
fn advice(arguments: &Arguments) -> &'static str {
    if arguments.journal.is_some() {
        "; the finished games are in the journal, run the same command to continue"
    } else {
        ""
    }
}

fn plan(common: &Common, arguments: &Arguments, stop: &Stop) -> Result<MiningPlan, Failure> {
    let check_engine = match &arguments.check {
        None => None,
        Some(command) => {
            let launch = Launch::parse(command).map_err(Failure::input)?;
            let (stopped, messages) = (stop.clone(), common.messages());
            let defaults = PlayerDefaults { hash: HASH_DEFAULT, stop: stopped, messages, ..PlayerDefaults::default() };
            let mut setup = EngineSetup { launch, name: None, options: Vec::new(), defaults };
            setup.defaults.timeouts.search_fixed = arguments.timeout.map(Duration::from_secs);
            // An engine that cannot be started should not cost a game first.
            let engine = UciEngine::start(&setup).map_err(|error| interrupt::failure(error, stop))?;
            setup.name = Some(Player::name(&engine).to_owned());
            setup.defaults.timeouts = setup.defaults.timeouts.of_known();
            Some((setup, arguments.check_nodes))
        }
    };
    let Arguments { shallow_nodes, nodes, verify_nodes, .. } = arguments;
    if shallow_nodes >= nodes || nodes > verify_nodes {
        refuse!(
            "cannot mine with --shallow-nodes {shallow_nodes}, --nodes {nodes} and --verify-nodes {verify_nodes}: they must increase in this order"
        );
    }
    Ok(MiningPlan {
        parameters: common.parameters()?,
        play_nodes: arguments.play_nodes,
        shallow_nodes: arguments.shallow_nodes,
        deep_nodes: arguments.nodes,
        verify_nodes: arguments.verify_nodes,
        check_engine,
        stop: stop.clone(),
    })
}

/// The games to mine.
struct InputGames {
    tasks: Vec<GameToMine>,
    /// Names of single games that were read, by their number; empty for games that are played here.
    names: Vec<String>,
    /// The seed of games that are played here.
    seed: u64,
    /// Name of all sources together, for the journal.
    name: String,
    /// How many could not be read.
    skipped: usize,
}

impl InputGames {
    /// A game in words: where it was read, or how it is played again.
    fn game_name(&self, number: u64) -> String {
        let read = usize::try_from(number).ok().and_then(|number| self.names.get(number)).cloned();
        read.unwrap_or_else(|| format!("game {} of seed {}", number + 1, self.seed))
    }
}

fn games(common: &Common, arguments: &Arguments) -> Result<InputGames, Failure> {
    let range = |count: u64| arguments.skip..arguments.skip.saturating_add(count);
    if arguments.pgn.is_empty() {
        let seed = common.seed;
        let task = |number| GameToMine { number, source: GameSource::Play(seed) };
        let tasks = range(arguments.games.unwrap_or(GAMES)).map(task).collect();
        return Ok(InputGames { tasks, names: Vec::new(), seed, name: format!("played, seed {seed}"), skipped: 0 });
    }
    let (named, skipped) = read(&arguments.pgn)?;
    let (games, names): (Vec<Game>, Vec<String>) = named.into_iter().unzip();
    let name = format!("read, {} with digest {:016x}", games.len(), mine::digest(&games));
    let numbers = range(arguments.games.unwrap_or(u64::MAX));
    let task = |(number, game)| GameToMine { number, source: GameSource::Played(Box::new(game)) };
    let tasks = (0..).zip(games).filter(|(number, _)| numbers.contains(number)).map(task).collect();
    Ok(InputGames { tasks, names, seed: common.seed, name, skipped })
}

/// The games of all files with their names, and how many had to be left out.
fn read(paths: &[PathBuf]) -> Result<(Vec<(Game, String)>, usize), Failure> {
    let mut games = Vec::new();
    let mut skipped = 0;
    for path in paths {
        let found = pgn::read_annotated(path).map_err(Failure::input)?;
        found.corrected.iter().for_each(|correction| say!("warning: {correction}"));
        found.skipped.iter().for_each(|error| say!("warning: {error}"));
        skipped += found.skipped.len();
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let moved = found.games.into_iter().filter(|read| !read.game.moves().is_empty());
        games.extend(moved.map(|read| {
            let name = read_name(&file, &read);
            (read.game, name)
        }));
    }
    if games.is_empty() {
        refuse!("cannot mine: none of the {skipped} games can be replayed; check the PGN files");
    }
    Ok((games, skipped))
}

/// `games.pgn:120, Kasparov - Topalov, Wijk aan Zee 1999, round 4`: the file and line of a game, and what its tags say.
fn read_name(file: &str, read: &ReadGame) -> String {
    let tag = |name: &str| read.tag(name).map(str::trim).filter(|text| !text.is_empty() && !text.starts_with('?'));
    let mut name = format!("{file}:{}", read.line);
    if let (Some(white), Some(black)) = (tag("White"), tag("Black")) {
        name += &format!(", {white} - {black}");
    }
    if let Some(event) = tag("Event") {
        name += &format!(", {event}");
    }
    if let Some(round) = tag("Round") {
        name += &format!(", round {round}");
    }
    name.replace('"', "'")
}

/// The results.
struct MiningReport<'a> {
    suite: &'a [MinedPosition],
    holdout: &'a [MinedPosition],
    tally: &'a MiningTally,
    games: &'a InputGames,
}

/// Where the positions go.
struct OutputFiles {
    suite: Option<Draft>,
    holdout: Option<Draft>,
    json: JsonLines,
}

impl OutputFiles {
    fn open(common: &Common, arguments: &Arguments) -> Result<OutputFiles, Failure> {
        let Arguments { output, holdout, journal, pgn, .. } = arguments;
        let inputs = || pgn.iter().chain(journal);
        refuse_same(output.iter().chain(holdout))?;
        let open = |path: &Option<PathBuf>| path.as_ref().map(|path| create(common, path, inputs())).transpose();
        Ok(OutputFiles { suite: open(output)?, holdout: open(holdout)?, json: JsonLines::open(common, inputs())? })
    }

    /// Writes all that was found. What is left of an interrupted mining run replaces no older file.
    fn write(mut self, report: &MiningReport<'_>, name: &str, interrupted: bool) -> CommandResult {
        let MiningReport { suite, holdout, tally, games } = *report;
        for (finds, held_out) in [(suite, false), (holdout, true)] {
            for find in finds {
                let game = games.game_name(find.game);
                self.json.write(&json!({"holdout": held_out, "find": find, "game": game}))?;
            }
        }
        if let Some(file) = self.holdout {
            finish(file, &text(holdout, &format!("{name}-holdout"), games), interrupted)?;
        }
        match self.suite {
            Some(file) => finish(file, &text(suite, name, games), interrupted)?,
            None => self.json.out().write_all(text(suite, name, games).as_bytes())?,
        }
        if interrupted {
            return Ok(interrupt::code());
        }
        self.json.write(&json!({"summary": true, "kept": suite.len() + holdout.len(), "tally": tally}))?;
        self.json.close()
    }
}

/// The positions as a suite.
fn text(finds: &[MinedPosition], name: &str, games: &InputGames) -> String {
    mine::records(finds, name, &|game| games.game_name(game)).iter().map(|record| format!("{record}\n")).collect()
}

fn describe(tally: &MiningTally, kept: usize) -> String {
    let MiningTally { games, positions, nodes, candidates, verified, refused, repeated } = tally;
    let [games, positions, nodes, candidates] =
        [(games, "game"), (positions, "position"), (nodes, "node"), (candidates, "candidate")]
            .map(|(count, thing)| several(*count, thing));
    format!(
        "{games}, {positions}, {nodes}: {candidates}, {verified} confirmed, of these {refused} \
         refused by the other engine and {repeated} found before; {kept} kept"
    )
}
