//! The optimisers on the command line.

use quarterply_tune::objective::{Metric, Objective};
use quarterply_tune::optimiser::genetic::{self, Mutation, ParentSelection};
use quarterply_tune::optimiser::{Method, cmaes, gradient, random, spsa};

use super::RunArguments;

use crate::numbers::{count, positive, share};

/// A run of a method.
#[derive(clap::Args, Debug)]
pub struct RunOrder<M: clap::Args> {
    #[command(flatten)]
    pub(super) method: M,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

/// The options of a method.
pub trait OptimiserArguments: clap::Args {
    /// The method with its settings.
    fn method(&self) -> Method;

    /// The objective if none is named.
    fn objective(&self, _: &RunArguments) -> Objective {
        Objective::default()
    }
}

fn paper() -> genetic::GeneticSettings {
    genetic::GeneticSettings::default()
}

/// The genetic algorithm.
#[derive(clap::Args, Debug)]
pub struct Ga {
    /// Number of organisms.
    #[arg(long, value_name = "N", default_value_t = paper().population, value_parser = count::<usize>(2..))]
    population: usize,
    /// Number of generations, including the random first one; 12 with --quick.
    #[arg(long, value_name = "N", default_value_t = paper().generations, default_value_if("quick", "true", "12"),
        value_parser = count::<usize>(1..))]
    generations: usize,
    /// Selection of parents.
    #[arg(long, value_enum, value_name = "HOW", default_value = "roulette")]
    selection: SelectionName,
    /// Probability that a child has two parents.
    #[arg(long, hide_short_help = true, value_name = "P", default_value_t = paper().crossover, value_parser = share)]
    crossover: f64,
    /// Probability of a mutation.
    #[arg(long, value_name = "P", default_value_t = paper().mutation, value_parser = share)]
    mutation: f64,
    /// Unit that mutates with the probability of --mutation.
    #[arg(long, hide_short_help = true, value_enum, value_name = "WHAT", default_value = "bit")]
    mutates: MutationName,
    /// Number of best organisms that are kept unchanged.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = paper().elite, value_parser = count::<usize>(0..))]
    elite: usize,
    /// Start with one organism of the start values instead of random bits only.
    #[arg(long)]
    from_start: bool,
}

/// Selection of parents.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum SelectionName {
    /// In proportion to 1 / cost.
    Roulette,
    /// In proportion to the difference to the worst.
    Scaled,
    /// In proportion to the rank, counted from the worst.
    Rank,
    /// The better of two drawn at random.
    Tournament,
}

/// The unit of mutation.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum MutationName {
    /// Every bit.
    Bit,
    /// One bit of an organism.
    Organism,
}

impl OptimiserArguments for Ga {
    fn method(&self) -> Method {
        Method::Genetic(genetic::GeneticSettings {
            population: self.population,
            generations: self.generations,
            selection: match self.selection {
                SelectionName::Roulette => ParentSelection::Roulette,
                SelectionName::Scaled => ParentSelection::Scaled,
                SelectionName::Rank => ParentSelection::Rank,
                SelectionName::Tournament => ParentSelection::Tournament,
            },
            crossover: self.crossover,
            mutation: self.mutation,
            mutates: match self.mutates {
                MutationName::Bit => Mutation::Bit,
                MutationName::Organism => Mutation::Organism,
            },
            elite: self.elite,
            from_start: self.from_start,
        })
    }
}

/// Descent along the measured gradient.
#[derive(clap::Args, Debug)]
pub struct Descent {
    /// Number of steps.
    #[arg(long, value_name = "N", default_value_t = gradient::GradientSettings::default().iterations,
        value_parser = count::<usize>(1..))]
    iterations: usize,
    /// Distance of the finite differences, in plies or shares of the range.
    #[arg(long, value_name = "X", default_value_t = gradient::GradientSettings::default().delta, value_parser = positive)]
    delta: f64,
    /// Initial step length, in plies or shares of the range.
    #[arg(long, value_name = "X", default_value_t = gradient::GradientSettings::default().eta, value_parser = positive)]
    eta: f64,
    /// Factor by which the step length decreases each step.
    #[arg(long, value_name = "X", default_value_t = gradient::GradientSettings::default().decay, value_parser = share)]
    decay: f64,
}

impl OptimiserArguments for Descent {
    fn method(&self) -> Method {
        let Descent { iterations, delta, eta, decay } = *self;
        Method::Gradient(gradient::GradientSettings { iterations, delta, eta, decay })
    }
}

/// Simultaneous perturbation.
#[derive(clap::Args, Debug)]
pub struct Perturbation {
    /// Number of iterations; 100 with --quick.
    #[arg(long, value_name = "N", default_value_t = spsa::SpsaSettings::default().iterations,
        default_value_if("quick", "true", "100"), value_parser = count::<usize>(1..))]
    iterations: usize,
    /// Number of game pairs, or positions, of one iteration.
    #[arg(long, value_name = "N", default_value_t = spsa::SpsaSettings::default().pairs,
        value_parser = count::<usize>(1..))]
    batch: usize,
    /// Final perturbation as a share of the range.
    #[arg(long, hide_short_help = true, value_name = "X", default_value_t = spsa::SpsaSettings::default().c_end, value_parser = positive)]
    c_end: f64,
    /// Final learning rate.
    #[arg(long, hide_short_help = true, value_name = "X", default_value_t = spsa::SpsaSettings::default().r_end, value_parser = positive)]
    r_end: f64,
    /// Number of times that the current values are measured with the whole objective.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = spsa::SpsaSettings::default().checks,
        value_parser = count::<usize>(1..))]
    checks: usize,
}

impl OptimiserArguments for Perturbation {
    /// A suite that is named is to be tuned on.
    fn objective(&self, run: &RunArguments) -> Objective {
        if run.suite.is_some() { Objective::default() } else { Objective::of(Metric::Games) }
    }

    fn method(&self) -> Method {
        let Perturbation { iterations, batch: pairs, c_end, r_end, checks } = *self;
        Method::Spsa(spsa::SpsaSettings { iterations, pairs, c_end, r_end, checks, ..spsa::SpsaSettings::default() })
    }
}

/// Covariance matrix adaptation.
#[derive(clap::Args, Debug)]
pub struct Evolution {
    /// Number of generations; 16 with --quick.
    #[arg(long, value_name = "N", default_value_t = cmaes::CmaesSettings::default().generations,
        default_value_if("quick", "true", "16"), value_parser = count::<usize>(1..))]
    generations: usize,
    /// Number of candidates of each generation [default: 4 + 3 ln n for n parameters].
    #[arg(long, value_name = "N", value_parser = count::<usize>(2..))]
    population: Option<usize>,
    /// Initial standard deviation as a share of each range.
    #[arg(long, value_name = "X", default_value_t = cmaes::CmaesSettings::default().sigma, value_parser = positive)]
    sigma: f64,
    /// Number of positions or game pairs that measure a generation, drawn for each generation [default: all].
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..))]
    sample: Option<usize>,
    /// Start at the centres of the ranges instead of the start values.
    #[arg(long)]
    from_centre: bool,
}

impl OptimiserArguments for Evolution {
    fn method(&self) -> Method {
        let usual = cmaes::CmaesSettings::default();
        Method::Cmaes(cmaes::CmaesSettings {
            generations: self.generations,
            population: self.population.unwrap_or(usual.population),
            sigma: self.sigma,
            sample: self.sample.unwrap_or(usual.sample),
            from_start: !self.from_centre,
        })
    }
}

/// Random search.
#[derive(clap::Args, Debug)]
pub struct Draws {
    /// Number of steps; 18 with --quick.
    #[arg(long, value_name = "N", default_value_t = random::RandomSettings::default().steps,
        default_value_if("quick", "true", "18"), value_parser = count::<usize>(1..))]
    steps: usize,
    /// Number of candidates of each step.
    #[arg(long, value_name = "N", default_value_t = random::RandomSettings::default().population,
        value_parser = count::<usize>(1..))]
    population: usize,
}

impl OptimiserArguments for Draws {
    fn method(&self) -> Method {
        Method::Random(random::RandomSettings { steps: self.steps, population: self.population })
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgMatches, Command};

    /// The value of an argument as it is read, or nothing.
    fn value(matches: &ArgMatches, argument: &Arg) -> Option<String> {
        let raw = matches.get_raw(argument.get_id().as_str())?.next()?;
        Some(raw.to_string_lossy().into_owned())
    }

    /// `--quick` changes some defaults; the help of those, and of no others, says so.
    #[test]
    fn the_help_names_the_defaults_of_quick_runs() {
        let root = crate::args::command();
        let tune = root.find_subcommand("tune").expect("a command");
        let mut seen = 0;
        for name in ["ga", "gradient", "spsa", "cmaes", "random"] {
            let command = tune.find_subcommand(name).expect(name);
            let read = |more: &[&str]| {
                let words = ["x", "--out", "y"].iter().chain(more);
                Command::clone(command).get_matches_from(words)
            };
            let (usual, quick) = (read(&[]), read(&["--quick"]));
            for argument in command.get_arguments().filter(|one| !["quick", "help"].contains(&one.get_id().as_str())) {
                let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
                let help = help.unwrap_or_default();
                let (usual, quick) = (value(&usual, argument), value(&quick, argument));
                let quick_default = quick.filter(|quick| usual.as_ref() != Some(quick));
                seen += usize::from(quick_default.is_some());
                let is_documented =
                    quick_default.as_ref().is_none_or(|quick| help.contains(&format!("{quick} with --quick")));
                assert!(
                    is_documented && help.contains("with --quick") == quick_default.is_some(),
                    "{name} {argument}: {help}"
                );
            }
        }
        assert_eq!(seen, 4 + 5 * 4, "generations, iterations or steps of four methods, and four sizes of each");
    }
}
