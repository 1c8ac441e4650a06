//! The games of an ablation: each setting in separate games, in one stage or two, or all settings in the same games.

use std::cell::RefCell;
use std::time::Instant;

use indicatif::HumanDuration;
use miette::miette;
use quarterply_engine::words::grouped;
use quarterply_games::game::Pace;
use quarterply_games::matches::MatchEvent;
use quarterply_lab::ablation::block_design::{self, BlockDesign};
use quarterply_lab::ablation::games::{self, Listener, PairScores, SecondStage, SettingMatch};
use quarterply_lab::ablation::staged::{self, StagePlan};
use quarterply_lab::ablation::{AblationPlan, SettingWorth};
use quarterply_stats::SAMPLE_MIN;
use quarterply_stats::screening::are_separable;
use quarterply_window::words::several;

use super::{Ablation, Arguments, FIRST_DEFAULT};
use crate::commands::matches::explain;
use crate::execution::Execution;
use crate::failure::Failure;
use crate::progress::{ProgressLine, time_left};

/// The bar of games. The time left is computed from the nodes of a move, because games at one limit take longer than at another.
const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg} [{elapsed} gone]";
/// Games of a pair.
const PAIR: usize = 2;
/// Minimum number of games of a first stage: fewer pairs do not determine the variance.
const FIRST_MIN: usize = PAIR * SAMPLE_MIN as usize;

/// Which games are played.
pub struct GamesPlan {
    /// The limits of the moves.
    paces: Vec<Pace>,
    /// The seed of the openings.
    seed: u64,
    kind: Kind,
}

enum Kind {
    /// Each setting has separate games.
    Apart(StagePlan),
    /// All settings play in the same games.
    Together(BlockDesign),
}

impl GamesPlan {
    /// The games of the arguments, if any.
    pub fn new(seed: u64, arguments: &Arguments, plan: &AblationPlan) -> Result<Option<GamesPlan>, Failure> {
        if arguments.games.is_none() && !arguments.staged {
            return Ok(None);
        }
        let games = arguments.games.unwrap_or(FIRST_DEFAULT);
        let (paces, widths): (Vec<Pace>, Vec<f64>) = limits(arguments)?.into_iter().unzip();
        let kind = if arguments.together {
            Kind::Together(design(seed, games, arguments, plan)?)
        } else {
            Kind::Apart(stages(games, plan.settings.len() * paces.len(), widths, arguments)?)
        };
        Ok(Some(GamesPlan { paces, seed, kind }))
    }

    /// How many games are played at which limits.
    pub fn in_words(&self) -> String {
        let limits: Vec<String> = self
            .paces
            .iter()
            .map(|pace| match pace.nodes() {
                Some(nodes) => format!("{} nodes a move", grouped(nodes)),
                None => pace.to_string(),
            })
            .collect();
        let limits = limits.join(" and at ");
        match &self.kind {
            Kind::Apart(stages) if !stages.widths.is_empty() => format!("games in two stages at {limits}"),
            Kind::Apart(stages) => format!("{} games at {limits}", stages.first),
            Kind::Together(design) => {
                let games = design.sides.len() * design.block;
                format!("{games} games of all settings together at {limits}, in blocks of {}", design.block)
            }
        }
    }

    /// The method of the measurement; empty with --together.
    pub fn method(&self) -> String {
        match &self.kind {
            Kind::Apart(stages) => stages.method(),
            Kind::Together(_) => String::new(),
        }
    }

    /// The scores of all pairs as a table.
    pub fn scores_table(&self, plan: &AblationPlan, scores: &PairScores) -> String {
        staged::scores_table(plan, &self.paces, scores)
    }

    /// Plays the games and adds the results to `worths`, whose first entry is that of the unchanged profile. Returns the scores if each
    /// setting has separate games.
    pub fn play(
        &self,
        work: &Ablation<'_>,
        worths: &mut [SettingWorth],
        execution: &mut Execution,
    ) -> Result<Option<PairScores>, Failure> {
        match &self.kind {
            Kind::Apart(stages) => self.play_apart(stages, work, worths, execution).map(Some),
            Kind::Together(design) => self.play_together(design, work, worths, execution).map(|()| None),
        }
    }

    fn play_apart(
        &self,
        stages: &StagePlan,
        work: &Ablation<'_>,
        worths: &mut [SettingWorth],
        execution: &mut Execution,
    ) -> Result<PairScores, Failure> {
        let journal = |setting: &_, pace| work.folder.as_ref().map(|folder| folder.games_of(setting, pace));
        let matches = staged::matches(work.plan, &self.paces, stages, self.seed, &journal);
        let display = Display::new(work, &matches);
        let mut second = |scores: &PairScores| {
            let games = stages.games(scores);
            display.plan(&matches, scores, &games);
            games
        };
        let second = (!stages.widths.is_empty()).then_some(&mut second as &mut SecondStage<'_>);
        let scores = display.play(&matches, execution, second)?;
        let found = staged::worths(&self.paces, stages, &scores);
        for (worth, found) in worths.iter_mut().skip(1).zip(found) {
            (worth.games, worth.change) = found;
        }
        Ok(scores)
    }

    /// Plays the blocks of the design; adds nothing if it was interrupted before enough of them were played.
    fn play_together(
        &self,
        design: &BlockDesign,
        work: &Ablation<'_>,
        worths: &mut [SettingWorth],
        execution: &mut Execution,
    ) -> Result<(), Failure> {
        let journal = |number| work.folder.as_ref().map(|folder| folder.games_of_block(number));
        let matches = block_design::matches((work.plan, design), self.paces[0], self.seed, &journal);
        let scores = Display::new(work, &matches).play(&matches, execution, None)?;
        let blocks = block_design::blocks(design, &scores);
        match block_design::worth(&blocks, self.paces[0]) {
            Ok((games, dispersion)) => {
                if !work.common.quiet {
                    say!("scatter of {} blocks: {dispersion:.2} times that expected by chance", blocks.len());
                }
                worths.iter_mut().skip(1).zip(games).for_each(|(worth, games)| worth.games = vec![games]);
                Ok(())
            }
            Err(_) if work.stop.is_set() => Ok(()),
            Err(error) => {
                Err(Failure::Input(miette!("cannot estimate the effects: {error}, or smaller ones (--block)")))
            }
        }
    }
}

/// The limits of the moves, nodes in ascending order or the clock, each with the width of its intervals.
fn limits(arguments: &Arguments) -> Result<Vec<(Pace, f64)>, Failure> {
    let widths = &arguments.width;
    let paces: Vec<Pace> = match arguments.game_tc {
        Some(control) => vec![Pace::Clock(control)],
        None => arguments.game_nodes.iter().copied().map(Pace::Nodes).collect(),
    };
    if widths.len() > 1 && widths.len() != paces.len() {
        let (widths, limits) = (widths.len(), paces.len());
        refuse!(
            "cannot use {widths} numbers of --width with {limits} of --game-nodes: give one width for all, or one for each"
        );
    }
    let mut limits: Vec<(Pace, f64)> = paces.into_iter().zip(widths.iter().copied().cycle()).collect();
    limits.sort_by_key(|(pace, _)| pace.nodes());
    if let Some(twice) = limits.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        refuse!("cannot play at --game-nodes {} twice: name each number once", twice[0].0.nodes().unwrap_or_default());
    }
    if arguments.together && limits.len() > 1 {
        refuse!(
            "cannot use --together with several --game-nodes: its games have one limit; run the command once for each"
        );
    }
    Ok(limits)
}

/// How many games each of `rows` rows gets.
fn stages(first: usize, rows: usize, widths: Vec<f64>, arguments: &Arguments) -> Result<StagePlan, Failure> {
    let budget = arguments.budget;
    if arguments.staged && first < FIRST_MIN {
        refuse!(
            "cannot use --staged with --games {first}: fewer than {FIRST_MIN} games do not determine the variance; give --games {FIRST_MIN} or more"
        );
    }
    let least = first * rows;
    if let Some(budget) = budget.filter(|budget| *budget < least) {
        refuse!(
            "cannot play in stages with --budget {budget}: the first stage of {rows} rows has {least} games; give --budget {least} or more, or fewer --games"
        );
    }
    Ok(StagePlan { first, widths: if arguments.staged { widths } else { Vec::new() }, budget })
}

/// Assigns the rules to the sides of the games of --together.
fn design(seed: u64, games: usize, arguments: &Arguments, plan: &AblationPlan) -> Result<BlockDesign, Failure> {
    if arguments.share <= 0.0 {
        refuse!("cannot measure with --share 0 %: no setting would be used; give more, such as 10%");
    }
    block_design::check(plan).map_err(Failure::input)?;
    // A resumed run keeps its blocks, however few games are requested.
    let held = arguments.out.as_deref().filter(|_| arguments.resume).map_or(0, super::folder::blocks);
    let games = games.max(held * arguments.block);
    let design = BlockDesign::new(plan.settings.len(), games, arguments.block, arguments.share, seed);
    if !are_separable(&design.sides) {
        let [settings, blocks] = [plan.settings.len(), design.sides.len()];
        refuse!(
            "cannot measure: {} cannot tell {} apart; give more --games or a smaller --block",
            several(blocks as u64, "block"),
            several(settings as u64, "setting")
        );
    }
    Ok(design)
}

/// Shows what happens in games.
struct Display<'a> {
    work: &'a Ablation<'a>,
    line: ProgressLine,
    state: RefCell<Costs>,
}

/// Nodes of games: how many there are, and how many are done now and were done before this run.
struct Costs {
    /// Nodes of a game of each match in some unit.
    each: Vec<f64>,
    left: f64,
    done: f64,
    begun: Instant,
}

impl<'a> Display<'a> {
    fn new(work: &'a Ablation<'a>, matches: &[SettingMatch]) -> Display<'a> {
        let held: Vec<usize> =
            matches.iter().map(|row| row.journal.as_deref().map_or(0, games::games_in_journal)).collect();
        let total: usize = matches.iter().zip(&held).map(|(row, held)| row.games.max(*held)).sum();
        let each: Vec<f64> = matches.iter().map(|row| row.pace.nodes().unwrap_or(1) as f64).collect();
        let left = matches
            .iter()
            .zip(&held)
            .zip(&each)
            .map(|((row, held), each)| row.games.saturating_sub(*held) as f64 * each);
        let state = Costs { left: left.sum(), each, done: 0.0, begun: Instant::now() };
        let line = ProgressLine::new(work.common, total as u64, "games", TEMPLATE);
        line.bar.set_position(held.iter().sum::<usize>() as u64);
        Display { work, line, state: state.into() }
    }

    /// Begins the second stage: prints the expected number of games.
    fn plan(&self, matches: &[SettingMatch], scores: &PairScores, games: &[usize]) {
        let held: Vec<usize> = scores.iter().map(|scores| scores.len() * PAIR).collect();
        let (total, played): (usize, usize) = (games.iter().sum(), held.iter().sum());
        let mut state = self.state.borrow_mut();
        let nodes = |games: usize, at: usize| games as f64 * state.each[at];
        state.left = games.iter().zip(&held).enumerate().map(|(at, (games, held))| nodes(games - held, at)).sum();
        self.line.bar.set_length(total as u64);
        self.line.bar.set_position(played as u64);
        self.line.bar.set_message("second stage");
        let most = games.iter().max().copied().unwrap_or_default();
        let least = games.iter().min().copied().unwrap_or_default();
        let time = state.time_left().map_or_else(String::new, |time| format!(", about {time:#}"));
        let (total, more, rows) = (grouped(total as u64), grouped((total - played) as u64), matches.len());
        let (least, most) = (grouped(least as u64), grouped(most as u64));
        self.line.say(&format!(
            "first stage done: {total} games expected, {least} to {most} for each of {rows} rows; {more} more to play{time}"
        ));
    }

    /// Plays all matches.
    fn play(
        &self,
        matches: &[SettingMatch],
        execution: &mut Execution,
        second: Option<&mut SecondStage<'_>>,
    ) -> Result<PairScores, Failure> {
        self.line.show_workers(execution);
        let stop = &self.work.stop;
        let mut executor = execution.executor(|| games::threads(self.work.common.workers.unwrap_or(1), stop));
        let on_event = |number: usize, event: &MatchEvent<'_>| self.show(&matches[number].name, number, event);
        let say = |text: &str| self.line.bar.suspend(|| say!("{text}"));
        let listener = Listener { on_event: &on_event, on_message: &say };
        let scores = games::play(stop, matches, executor.as_mut(), listener, second).map_err(explain);
        self.line.end();
        scores
    }

    /// Counts games, and prints their faults.
    fn show(&self, name: &str, number: usize, event: &MatchEvent<'_>) {
        match event {
            MatchEvent::Note(text) => self.line.say(&format!("warning: {text}")),
            MatchEvent::Game(line) => {
                self.line.bar.inc(1);
                let mut state = self.state.borrow_mut();
                let cost = state.each[number];
                (state.done, state.left) = (state.done + cost, state.left - cost);
                if self.line.is_due() {
                    let left = state.time_left().map_or_else(|| "?".to_owned(), |left| format!("{left:#}"));
                    self.line.bar.set_message(format!("{name}, {left} to go"));
                }
                if let Some(fault) = &line.fault {
                    self.line.bar.suspend(|| say!("{name}: game {}: {}: {}", line.game, fault.by, fault.what));
                }
            }
            _ => {}
        }
    }
}

impl Costs {
    /// The time that the games known so far will take; `None` before the first game of this run.
    fn time_left(&self) -> Option<HumanDuration> {
        time_left(self.begun.elapsed().as_secs_f64(), self.done, self.left.max(0.0))
    }
}
