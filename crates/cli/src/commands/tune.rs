//! `quarterply tune`: look for better parameters, go on after an interruption, show a run.

mod plan;
mod show;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use clap::{Subcommand, value_parser};
use quarterply_lab::tune::error::TuneError;
use quarterply_lab::tune::objective::Objective;
use quarterply_lab::tune::optimiser::Method;
use quarterply_lab::tune::optimiser::genetic::{self, Mutation, Selection};
use quarterply_lab::tune::run::{Means, Run};

use crate::args::Common;
use crate::failure::{Done, Failure};

/// What to do.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Tune with a genetic algorithm; --preset paper is the one of 2010.
    Ga(Box<GaArguments>),
    /// Go on with a run that was interrupted; the result is the same as without the interruption.
    Resume(FolderArguments),
    /// Show a run, finished or not, also while another process works on it.
    Show(FolderArguments),
}

/// A run that exists.
#[derive(clap::Args, Debug)]
struct FolderArguments {
    /// The folder that --out named.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// What every optimiser needs.
#[derive(clap::Args, Debug)]
struct RunArguments {
    /// Folder of the run; it must not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Parameters to tune: names or patterns, such as "null_move.*,futility.threshold_1=0..600,-null_move.verify".
    #[arg(long, value_name = "PATTERNS")]
    params: Option<String>,
    /// Suite to tune on.
    #[arg(long, value_name = "FILE.epd")]
    suite: Option<PathBuf>,
    /// Tune on so many positions of the suite, drawn at random; the others are the hold-out.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Seed that the positions are drawn with; not that of the run, so that several runs can share them.
    #[arg(long, value_name = "N", default_value_t = 1)]
    positions_seed: u64,
    /// Suite that is only looked at in the end.
    #[arg(long, value_name = "FILE.epd")]
    holdout: Option<PathBuf>,
    /// What is made small: first, stable, solved, games, or a blend such as stable=1,games=0.5.
    #[arg(long, value_name = "OBJECTIVE")]
    objective: Option<Objective>,
    /// Nodes per position.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// End after so many nodes in all.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    budget_nodes: Option<u64>,
    /// Table of each worker in MiB.
    #[arg(long, value_name = "MB")]
    hash: Option<usize>,
    /// Pairs of games that price a candidate, where the objective has games.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pairs: Option<u32>,
    /// Pairs of games of the final match.
    #[arg(long, value_name = "N")]
    match_pairs: Option<u32>,
    /// Nodes per move in games.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    move_nodes: Option<u64>,
}

/// The genetic algorithm.
#[derive(clap::Args, Debug)]
struct GaArguments {
    #[command(flatten)]
    run: RunArguments,
    /// The paper's 18 parameters, settings and limits on profile falcon.
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,
    /// Organisms.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..))]
    population: Option<u32>,
    /// Generations, the random one included.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    generations: Option<u32>,
    /// How parents are chosen.
    #[arg(long, value_enum, value_name = "HOW")]
    selection: Option<SelectionName>,
    /// Probability that a child has two parents.
    #[arg(long, value_name = "P", value_parser = probability)]
    crossover: Option<f64>,
    /// Probability of a mutation.
    #[arg(long, value_name = "P", value_parser = probability)]
    mutation: Option<f64>,
    /// What mutates with that probability.
    #[arg(long, value_enum, value_name = "WHAT")]
    mutates: Option<MutationName>,
    /// Best organisms that live on.
    #[arg(long, value_name = "N")]
    elite: Option<u32>,
    /// Make the first organism of the start values instead of random bits.
    #[arg(long)]
    from_start: bool,
}

/// Complete settings.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Preset {
    /// "Optimizing Selective Search in Chess", 2010.
    Paper,
}

/// How parents are chosen.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum SelectionName {
    /// In proportion to 1 / cost.
    Roulette,
    /// In proportion to the lead over the worst.
    Scaled,
    /// In proportion to the place from behind.
    Rank,
    /// The better of two drawn at random.
    Tournament,
}

/// What mutates.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum MutationName {
    /// Every bit.
    Bit,
    /// One bit of an organism.
    Organism,
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}

impl GaArguments {
    fn method(&self) -> Method {
        let paper = genetic::Settings::default();
        let count = |given: Option<u32>, default: usize| given.map_or(default, |count| count as usize);
        Method::Genetic(genetic::Settings {
            population: count(self.population, paper.population),
            generations: count(self.generations, paper.generations),
            selection: match self.selection {
                None | Some(SelectionName::Roulette) => Selection::Roulette,
                Some(SelectionName::Scaled) => Selection::Scaled,
                Some(SelectionName::Rank) => Selection::Rank,
                Some(SelectionName::Tournament) => Selection::Tournament,
            },
            crossover: self.crossover.unwrap_or(paper.crossover),
            mutation: self.mutation.unwrap_or(paper.mutation),
            mutates: match self.mutates {
                None | Some(MutationName::Bit) => Mutation::Bit,
                Some(MutationName::Organism) => Mutation::Organism,
            },
            elite: count(self.elite, paper.elite),
            from_start: self.from_start,
        })
    }
}

/// Does what is asked for.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let (run, workers) = match &arguments.action {
        Action::Ga(ga) => {
            let plan = plan::make(common, &ga.run, ga.method(), ga.preset == Some(Preset::Paper))?;
            let means = means(common)?;
            (Run::begin(&ga.run.out, plan, &means).map_err(Failure::input)?, means.workers)
        }
        Action::Resume(FolderArguments { folder }) => {
            let means = means(common)?;
            (Run::resume(folder, &means).map_err(Failure::input)?, means.workers)
        }
        Action::Show(FolderArguments { folder }) => (Run::look(folder).map_err(Failure::input)?, 0),
    };
    drive(common, run, workers)
}

/// Drives a run to its end and prints what came of it.
fn drive(common: &Common, run: Run, workers: usize) -> Done {
    let mut watch = watch::Watch::new(common, run.plan(), workers);
    let ended = run.drive(&mut |event| watch.see(&event));
    watch.finish();
    match ended {
        Ok(story) => {
            show::print(common, &story)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ TuneError::Stopped) => {
            eprintln!("{error}");
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(Failure::Run(miette::Report::msg(error.to_string()))),
    }
}

/// All processors unless told otherwise; Ctrl-C ends the run in good order, a second one at once.
fn means(common: &Common) -> Result<Means, Failure> {
    let all = || available_parallelism().map_or(1, usize::from);
    let stop = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stop);
    let handler = move || {
        if signal.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        eprintln!("stopping; the workers finish what they are at");
    };
    ctrlc::set_handler(handler).map_err(Failure::input)?;
    Ok(Means { workers: common.workers.unwrap_or_else(all).max(1), stop })
}
