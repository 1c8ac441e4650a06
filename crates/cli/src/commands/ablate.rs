//! `quarterply ablate`: measures the effect of each rule on a suite and in games by switching it.

mod folder;
mod play;
mod written;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::ArgPredicate;
use indicatif::ProgressBar;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterEntry, Parameters};
use quarterply_engine::words::grouped;
use quarterply_files::epd::Suite;
use quarterply_files::fingerprint::of_parameters;
use quarterply_games::game::TimeControl;
use quarterply_games::matches::Stop as Stopping;
use quarterply_lab::ablation::games::PairScores;
use quarterply_lab::ablation::journal::{AblationLine, Limit, SavedLines};
use quarterply_lab::ablation::page::{PageInfo, csv, page, tables};
use quarterply_lab::ablation::{AblationPlan, AtDepth, AtNodes, Mode, NO_RULE, Setting, SettingWorth};
use quarterply_lab::suite::{
    self, HASH_DEFAULT, Stop, SuiteConditions, SuiteEngine, SuiteRow, SuiteSetup, SuiteWorker,
};

use crate::common::{Common, command_line};
use crate::execution::{self, Execution, ExecutionArguments, WORKERS};
use crate::export::{JsonLines, has_json_lines};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::limits::DEPTH_MAX;
use crate::listing::{Listing, note};
use crate::numbers::{count, positive, share};
use crate::progress;
use folder::AblationFolder;
use play::GamesPlan;

/// Default number of nodes per position.
const NODES_DEFAULT: &str = "50000";
/// Default number of nodes per move.
const GAME_NODES_DEFAULT: &str = "5000";
/// Default number of games of each setting in the first of two stages.
const FIRST_DEFAULT: usize = 400;
/// The group of the options for games.
const PLAY: &str = "play";
/// Default number of games of a block.
const BLOCK_DEFAULT: usize = 100;

/// Arguments of `ablate`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER, group = clap::ArgGroup::new(PLAY).args(["games", "staged"]).multiple(true))]
pub struct Arguments {
    /// EPD file with bm, am, dm or c0 points; optional with --games or --staged.
    #[arg(value_name = "SUITE", required_unless_present_any = ["games", "staged"])]
    pub suite: Option<PathBuf>,
    /// Search each position for N nodes, unless only --depth is given.
    #[arg(long, value_name = "N", default_value = NODES_DEFAULT, default_value_if("depth", ArgPredicate::IsPresent, None),
        requires = "suite", value_parser = count::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Search the suite also to depth D (plies) and compare the nodes.
    #[arg(long, value_name = "D", value_parser = count::<u32>(1..=DEPTH_MAX), requires = "suite")]
    pub depth: Option<u32>,
    /// Switch off each rule that is on, or only these, instead of inverting every switch.
    #[arg(long, value_name = "RULES", num_args = 0.., require_equals = true, value_delimiter = ',')]
    pub without: Option<Vec<String>>,
    /// Add each rule alone, or only these, to the textbook search.
    #[arg(long, value_name = "RULES", num_args = 0.., require_equals = true, value_delimiter = ',', conflicts_with = "without")]
    pub only: Option<Vec<String>>,
    /// Measure parameter values instead of switches; may be repeated, and commas separate the values of one
    /// setting, such as razoring.base=180,razoring.slope=150.
    #[arg(long = "try", value_name = "SETTING", conflicts_with_all = ["without", "only"])]
    pub tried: Vec<String>,
    /// With --together: play each number of all rules that are on, or of these, one step up against one step down.
    #[arg(long, hide_short_help = true, value_name = "RULES", num_args = 0.., require_equals = true, value_delimiter = ',',
        requires = "together", conflicts_with_all = ["without", "only", "tried", "suite"])]
    pub steps: Option<Vec<String>>,
    /// Play N games of each setting against the unchanged profile; with --staged in the first stage [default: 400]; with --together,
    /// N games of all settings.
    #[arg(long, value_name = "N", value_parser = super::matches::games)]
    pub games: Option<usize>,
    /// Play games in two stages: the variance of the first determines how many more each setting needs for an interval of --width.
    #[arg(long, conflicts_with = "together")]
    pub staged: bool,
    /// With --staged: the width of the 95 % intervals at an even score (Elo), for all or for each of --game-nodes.
    #[arg(long, value_name = "ELO", default_value = "16", value_delimiter = ',', value_parser = positive, requires = "staged")]
    pub width: Vec<f64>,
    /// With --staged: play at most N games of all settings, the widest intervals first [default: no limit].
    #[arg(long, value_name = "N", value_parser = super::matches::games, requires = "staged")]
    pub budget: Option<usize>,
    /// Search each move of the games for N nodes; several numbers, such as 2000,20k, measure each setting at each.
    #[arg(long, value_name = "N", default_value = GAME_NODES_DEFAULT, value_delimiter = ',', value_parser = count::<u64>(1..), requires = PLAY)]
    pub game_nodes: Vec<u64>,
    /// Play games with a time control instead: seconds per game and side, and seconds per move; with clock.nodes_per_ms, nodes replace time.
    #[arg(long, hide_short_help = true, value_name = "BASE+INCREMENT", requires = PLAY, conflicts_with = "game_nodes")]
    pub game_tc: Option<TimeControl>,
    /// Measure all settings in the same games: each is drawn for one of the two sides, and a game counts for all of them.
    #[arg(long, requires = "games")]
    pub together: bool,
    /// With --together: draw the sides again after N games, an even number.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = BLOCK_DEFAULT, value_parser = super::matches::games, requires = "together")]
    pub block: usize,
    /// With --together: use a setting in this share of the blocks, less than 1 if many settings weaken play.
    #[arg(long, hide_short_help = true, value_name = "SHARE", default_value = "100%", value_parser = share, requires = "together")]
    pub share: f64,
    /// Write journals, table.csv, scores.csv and page.html into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Continue the run in the folder of --out, or start it if the folder does not exist.
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Write the measured values into this copy of the sources: crates/engine/worths.json, docs/rules.md and docs/results/rules.md;
    /// with --game-tc add games by the clock to the rows that are there.
    #[arg(long, hide_short_help = true, value_name = "ROOT", conflicts_with_all = ["only", "tried", "steps"])]
    pub write: Option<PathBuf>,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

const AFTER: &str = "\
Each setting is compared with the unchanged profile by position or by game pair, with a 95 % interval. \
With --out an interrupted run loses only the setting that is being searched, and --resume continues it. Games of a setting continue after \
the stored ones; a setting with more games than --games keeps them. \
With --staged only the variance of the first stage decides how many games follow, never its results; a smaller --width or a larger --budget \
with --resume adds games. \
With --together the worth of a setting is its mean effect among the others; intervals widen if effects are not additive.

Examples:
  quarterply ablate data/suites/quarterply-24.epd --nodes 20k
  quarterply ablate data/suites/quarterply-24.epd --nodes 20k --depth 9 --out runs/ablation
  quarterply ablate --games 200 --without=null_move,probcut --out runs/games --resume
  quarterply ablate --staged --width 16,32 --budget 400k --game-nodes 2000,20k --out runs/worths --resume
  quarterply ablate data/suites/quarterply-24.epd --only --profile sex
  quarterply ablate --together --games 8000 --try butterfly.threats=true --try quiescence.blend=4
  quarterply ablate --together --games 20k --block 20 --steps=null_move,probcut";

/// Everything that stays the same while settings are measured.
struct Ablation<'a> {
    common: &'a Common,
    plan: &'a AblationPlan,
    suite: Option<&'a Suite>,
    limits: Vec<Limit>,
    games: Option<GamesPlan>,
    folder: Option<AblationFolder>,
    stop: Stopping,
    bar: ProgressBar,
}

/// The results.
struct AblationMeasurements {
    /// The profile as it is, then every setting; those before the break if it was interrupted.
    worths: Vec<SettingWorth>,
    /// The scores of all pairs, if each setting has separate games.
    scores: Option<PairScores>,
}

/// Measures the profile as it is, then every setting; exit code 130 if it was interrupted.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let stop = interrupt::listen(|| say!("stopping: the results so far follow (press Ctrl-C again to end at once)"))?;
    let parameters = common.parameters()?;
    let suite = arguments.suite.as_deref().map(super::solve::load).transpose()?;
    check_write(common, arguments)?;
    let plan = plan(&parameters, arguments)?;
    warn_of_idle_numbers(&plan);
    let games = GamesPlan::new(common.seed, arguments, &plan)?;
    let own = arguments.out.as_deref().map(folder::files).transpose()?.unwrap_or_default();
    // A run that is resumed replaces its earlier JSON lines.
    let is_earlier = || arguments.resume && !own.is_empty() && common.json_file().is_some_and(has_json_lines);
    let json_options = Common { overwrite: common.overwrite || is_earlier(), ..common.clone() };
    let mut json = JsonLines::open(&json_options, own.iter().chain(&arguments.suite))?;
    let folder = AblationFolder::open(common, arguments, (&parameters, &plan), suite.as_ref())?;
    let work = Ablation {
        common,
        plan: &plan,
        suite: suite.as_ref(),
        limits: limits(arguments),
        games,
        folder,
        stop,
        bar: progress::bar(common, plan.settings.len() + 1, "settings"),
    };
    let mut kept = work.folder.as_ref().map_or_else(|| Ok(SavedLines::in_memory()), AblationFolder::journal)?;
    if !common.quiet {
        kept.notes.iter().for_each(|note| say!("warning: {note}"));
    }
    let AblationMeasurements { worths, scores } = work.measured(arguments, &mut kept, &mut json)?;
    work.bar.finish_and_clear();
    if let Some(folder) = &work.folder {
        let scores = scores.zip(work.games.as_ref()).map(|(scores, games)| games.scores_table(&plan, &scores));
        let about = about(common, arguments, &work);
        folder.write(&csv(&worths), scores.as_deref(), &page(&about, &worths).map_err(Failure::input)?)?;
    }
    print(&plan, &worths, &json)?;
    if work.stop.is_set() {
        if work.folder.is_some() {
            say!("interrupted; run the same command with --resume to continue");
        }
        return Ok(interrupt::code());
    }
    json.close()?;
    if let Some(root) = &arguments.write {
        let method = work.games.as_ref().map(GamesPlan::method).unwrap_or_default();
        written::write_down(common, arguments, suite.as_ref(), root, (worths, method))?;
    }
    let whole = suite.is_none_or(|suite| suite.skipped.is_empty());
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks before the measurement that --write can store it: it is of a whole profile, and the files have a place for it.
fn check_write(common: &Common, arguments: &Arguments) -> Result<(), Failure> {
    let Some(root) = &arguments.write else { return Ok(()) };
    if !common.set.is_empty() {
        refuse!("cannot use --write with --set: the stored measurements are those of a profile; remove one of them");
    }
    if arguments.without.is_some() && arguments.game_tc.is_none() {
        let text = "cannot use --write with --without: the stored table has a row for every switch; leave --without out, or add games by the clock with --game-tc";
        refuse!("{text}");
    }
    if arguments.suite.is_some() && arguments.game_tc.is_some() {
        refuse!(
            "cannot use --write with --game-tc and a suite: games by the clock are added to rows measured before; leave the suite out"
        );
    }
    if arguments.suite.is_some() && arguments.nodes.is_none() {
        let text = "cannot use --write with --depth alone: the stored measurements are those at a number of nodes; add --nodes";
        refuse!("{text}");
    }
    written::check(common, arguments, root)
}

/// The place where positions are searched and games are played.
fn open_execution(arguments: &Arguments) -> Result<Execution, Failure> {
    let path = arguments.out.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    arguments.execution.open(&execution::RunIdentity {
        title: "ablate".to_owned(),
        identity: path.as_ref().map_or_else(execution::unique, |path| format!("ablate\n{}", path.display())),
        fresh: !arguments.resume,
        log: arguments.out.as_ref().map(|path| path.join(WORKERS)),
    })
}

/// The meanings of the columns of a suite.
const SUITE_COLUMNS: &str = "changed: positions newly solved and newly lost; stable: nodes until the solution is best \
    and remains it; ratio: of these nodes (at fixed depth: of all nodes) to those in row `none`, geometric mean";
/// The meanings of the last column of games, which were played for each setting alone, or for all together.
const DIFFERS: &str = "differs: yes if it is not 0 when all rows are considered together (Holm's method)";
const SHRUNKEN: &str = "shrunken: Elo corrected for the choice of the best of many settings";

/// One table for each way in which something was measured, and the meanings of its columns.
fn print(plan: &AblationPlan, worths: &[SettingWorth], json: &JsonLines) -> Result<(), Failure> {
    for table in tables(&plan.mode.row(), worths) {
        json.print(&format_args!("{}\n{}", table.title, Listing::of(&table.heads, &table.rows)))?;
    }
    if worths.iter().any(|worth| worth.at_nodes.is_some() || worth.at_depth.is_some()) {
        json.print(&note(SUITE_COLUMNS))?;
    }
    if worths.iter().any(|worth| !worth.games.is_empty()) {
        json.print(&note(&games_columns(plan.mode, worths)))?;
    }
    Ok(())
}

/// The meanings of the columns of games.
fn games_columns(mode: Mode, worths: &[SettingWorth]) -> String {
    let together = worths.iter().flat_map(|worth| &worth.games).any(|games| games.elo_shrunken.is_some());
    let elo = match mode {
        Mode::Stepped => "of the number one step up against one step down",
        _ if together => "mean effect of the setting among the others",
        Mode::Only => "of the setting against the textbook search",
        Mode::Inverted | Mode::Without | Mode::Tried => "of the setting against the unchanged profile",
    };
    format!("Elo: {elo}; {}", if together { SHRUNKEN } else { DIFFERS })
}

fn plan(parameters: &Parameters, arguments: &Arguments) -> Result<AblationPlan, Failure> {
    if !arguments.tried.is_empty() {
        return AblationPlan::tried(parameters, &arguments.tried).map_err(Failure::input);
    }
    if let Some(groups) = &arguments.steps {
        return AblationPlan::stepped(parameters, groups, arguments.game_tc.is_some()).map_err(Failure::input);
    }
    let (mode, rules) = match (&arguments.without, &arguments.only) {
        (Some(rules), _) => (Mode::Without, rules.as_slice()),
        (None, Some(rules)) => (Mode::Only, rules.as_slice()),
        (None, None) => (Mode::Inverted, [].as_slice()),
    };
    AblationPlan::new(parameters, mode, rules).map_err(Failure::input)
}

/// Warns of settings that change only numbers of rules that are off.
fn warn_of_idle_numbers(plan: &AblationPlan) {
    for Setting { rule, parameters, against, .. } in &plan.settings {
        let other = against.as_ref().unwrap_or(&plan.baseline);
        let changed = Parameters::specs().filter(|entry| parameters.get(&entry.name) != other.get(&entry.name));
        let switch = |entry: ParameterEntry| format!("{}.on", entry.group);
        let switches: Vec<String> = changed.map(switch).collect();
        let is_off = |switch: &String| parameters.get(switch) == Ok(0) && other.get(switch) == Ok(0);
        if let Some(switch) = switches.first().filter(|_| switches.iter().all(is_off)) {
            say!("warning: `{rule}` has no effect: {switch} is false");
        }
    }
}

fn limits(arguments: &Arguments) -> Vec<Limit> {
    if arguments.suite.is_none() {
        return Vec::new();
    }
    arguments.nodes.map(Limit::Nodes).into_iter().chain(arguments.depth.map(Limit::Depth)).collect()
}

fn about(common: &Common, arguments: &Arguments, work: &Ablation<'_>) -> PageInfo {
    let profile = common.settings();
    let mut conditions = vec![format!("profile {profile}, each {}", work.plan.mode.row())];
    if let Some(suite) = &arguments.suite {
        conditions.push(format!("suite {}", suite.display()));
    }
    conditions.extend(work.limits.iter().map(|limit| match limit {
        Limit::Nodes(nodes) => format!("{} nodes a position", grouped(*nodes)),
        Limit::Depth(depth) => format!("depth {depth}"),
    }));
    conditions.extend(work.games.as_ref().map(GamesPlan::in_words));
    conditions.push(format!("table {HASH_DEFAULT} MiB, one thread"));
    PageInfo {
        title: format!("Ablation of profile {profile}"),
        conditions,
        command: command_line(),
        method: work.games.as_ref().map(GamesPlan::method).unwrap_or_default(),
        row: work.plan.mode.row(),
        workers: arguments.out.as_ref().map_or_else(Vec::new, |path| execution::shares(&path.join(WORKERS))),
    }
}

fn conditions(limit: Limit) -> SuiteConditions {
    let limits = match limit {
        Limit::Nodes(nodes) => Limits::nodes(nodes),
        Limit::Depth(depth) => Limits::depth(depth),
    };
    SuiteConditions { limits, stop: Stop::AtLimit }
}

impl Ablation<'_> {
    /// Measures everything, in this process or elsewhere.
    fn measured(
        &self,
        arguments: &Arguments,
        kept: &mut SavedLines,
        json: &mut JsonLines,
    ) -> Result<AblationMeasurements, Failure> {
        let mut execution = open_execution(arguments)?;
        execution.show_below(&self.bar, progress::TEMPLATE);
        let measured = self.measure_all(kept, json, &mut execution);
        // Wait for running tasks only if their results can be resumed.
        execution.close(arguments.out.is_none() || (measured.is_ok() && !self.stop.is_set()))?;
        measured
    }

    /// The suite first, then games of all settings, which are written when all of them are known.
    fn measure_all(
        &self,
        kept: &mut SavedLines,
        json: &mut JsonLines,
        execution: &mut Execution,
    ) -> Result<AblationMeasurements, Failure> {
        let baseline =
            Setting { rule: NO_RULE.to_owned(), on: true, parameters: self.plan.baseline.clone(), against: None };
        let settings: Vec<&Setting> = std::iter::once(&baseline).chain(&self.plan.settings).collect();
        let mut found = AblationResults { work: self, settings, worths: Vec::new(), json };
        self.solve_all(kept, &mut found, execution)?;
        let mut worths = found.worths;
        let Some(plan) = &self.games else { return Ok(AblationMeasurements { worths, scores: None }) };
        self.bar.finish_and_clear();
        let scores = if self.stop.is_set() { None } else { plan.play(self, &mut worths, execution)? };
        worths.iter().try_for_each(|worth| json.write(worth))?;
        Ok(AblationMeasurements { worths, scores })
    }

    /// Runs the suite for all settings and limits of which the journal does not know the results, in their order.
    fn solve_all(
        &self,
        kept: &mut SavedLines,
        found: &mut AblationResults<'_, '_>,
        execution: &mut Execution,
    ) -> Result<(), Failure> {
        found.advance(kept)?;
        let Some(suite) = self.suite else { return Ok(()) };
        let workers = self.common.workers.unwrap_or(1);
        let mut executor = execution.executor(|| SuiteWorker::threads(workers, &self.stop));
        let settings = found.settings.clone();
        let all = settings.iter().flat_map(|setting| self.limits.iter().map(move |limit| (*setting, *limit)));
        let missing: Vec<_> = all.filter(|(setting, limit)| !kept.has(setting, *limit)).collect();
        let mut setups = Vec::new();
        for (setting, limit) in &missing {
            let searcher = SuiteEngine::engine(&setting.parameters, HASH_DEFAULT, 1, executor.as_mut());
            let searcher = searcher.map_err(Failure::run)?;
            setups.push(SuiteSetup { searcher, conditions: conditions(*limit) });
        }
        let positions = suite.records.iter().filter(|record| record.has_task()).count();
        let (mut rows, mut ended): (Vec<SuiteRow>, Result<(), Failure>) = (Vec::new(), Ok(()));
        let say = |text: &str| self.bar.suspend(|| say!("{text}"));
        let run = suite::run(&self.stop, suite, &setups, executor.as_mut(), &say, &mut |setup, _, row| {
            rows.push(row.clone());
            if rows.len() < positions {
                return true;
            }
            let (setting, limit) = missing[setup];
            self.bar.set_message(format!("{} {limit:?}", setting.rule));
            let rows = std::mem::take(&mut rows);
            let parameters = Some(of_parameters(&setting.parameters));
            let line = AblationLine { rule: setting.rule.clone(), on: setting.on, limit, parameters, rows };
            let added = kept.add(line).map_err(Failure::run);
            ended = added.and_then(|()| found.advance(kept));
            ended.is_ok()
        });
        ended?;
        run.map(drop).map_err(Failure::run)
    }
}

/// The settings of which the suite is measured, in their order.
struct AblationResults<'a, 'b> {
    work: &'a Ablation<'a>,
    settings: Vec<&'a Setting>,
    worths: Vec<SettingWorth>,
    json: &'b mut JsonLines,
}

impl AblationResults<'_, '_> {
    /// Adds the next settings as far as their results are known. They are written at once if no games follow.
    fn advance(&mut self, kept: &SavedLines) -> Result<(), Failure> {
        while let Some(setting) = self.settings.get(self.worths.len()) {
            let Setting { rule, on, .. } = setting;
            let mut worth = SettingWorth { rule: rule.clone(), on: *on, ..SettingWorth::default() };
            for &limit in &self.work.limits {
                if !kept.has(setting, limit) {
                    return Ok(());
                }
                let (Some(baseline), Some(rows)) = (kept.find(NO_RULE, true, limit), kept.find(rule, *on, limit))
                else {
                    return Ok(());
                };
                match limit {
                    Limit::Nodes(_) => worth.at_nodes = Some(AtNodes::new(baseline, rows)),
                    Limit::Depth(depth) => worth.at_depth = Some(AtDepth::new(depth, baseline, rows)),
                }
            }
            if self.work.games.is_none() {
                self.json.write(&worth)?;
            }
            self.worths.push(worth);
            self.work.bar.inc(1);
        }
        Ok(())
    }
}
