//! The optimisers on the command line.

use quarterply_tune::objective::{Figure, Objective};
use quarterply_tune::optimiser::genetic::{self, Mutation, Selection};
use quarterply_tune::optimiser::{Method, cmaes, gradient, random, spsa};

use super::RunArguments;

use crate::numbers::count;

/// A method as it was ordered.
pub trait Order {
    /// What it has in common with the others.
    fn arguments(&self) -> &RunArguments;

    /// The method with its settings; `quick` if they are to fit a few minutes.
    fn method(&self, quick: bool) -> Method;

    /// What is made small if nothing is said.
    fn objective(&self) -> Objective {
        Objective::default()
    }
}

/// The genetic algorithm.
#[derive(clap::Args, Debug)]
pub struct Ga {
    #[command(flatten)]
    run: RunArguments,
    /// Organisms; 10 if nothing is said.
    ///
    /// Example: --population 20
    #[arg(long, value_name = "N", value_parser = count::<u32>(2..))]
    population: Option<u32>,
    /// Generations, the random one included; 50 if nothing is said, 40 with --quick.
    ///
    /// Example: --generations 100
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    generations: Option<u32>,
    /// How parents are chosen.
    ///
    /// Example: --selection rank
    #[arg(long, value_enum, value_name = "HOW", default_value = "roulette")]
    selection: SelectionName,
    /// Probability that a child has two parents; 0.75 if nothing is said.
    ///
    /// Example: --crossover 0.9
    #[arg(long, value_name = "P", value_parser = probability)]
    crossover: Option<f64>,
    /// Probability of a mutation; 0.05 if nothing is said.
    ///
    /// Example: --mutation 0.02
    #[arg(long, value_name = "P", value_parser = probability)]
    mutation: Option<f64>,
    /// What mutates with that probability.
    ///
    /// Example: --mutates organism
    #[arg(long, value_enum, value_name = "WHAT", default_value = "bit")]
    mutates: MutationName,
    /// Best organisms that live on; 1 if nothing is said.
    ///
    /// Example: --elite 2
    #[arg(long, value_name = "N", value_parser = count::<u32>(0..))]
    elite: Option<u32>,
    /// Make the first organism of the start values instead of random bits.
    ///
    /// Example: --from-start
    #[arg(long)]
    from_start: bool,
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

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("give a number above 0".to_owned()),
    }
}

fn or(given: Option<u32>, default: usize) -> usize {
    given.map_or(default, |count| count as usize)
}

impl Order for Ga {
    fn arguments(&self) -> &RunArguments {
        &self.run
    }

    fn method(&self, quick: bool) -> Method {
        /// Generations of a quick run.
        const QUICK_GENERATIONS: usize = 40;
        let paper = genetic::Settings::default();
        let generations = if quick { QUICK_GENERATIONS } else { paper.generations };
        Method::Genetic(genetic::Settings {
            population: or(self.population, paper.population),
            generations: or(self.generations, generations),
            selection: match self.selection {
                SelectionName::Roulette => Selection::Roulette,
                SelectionName::Scaled => Selection::Scaled,
                SelectionName::Rank => Selection::Rank,
                SelectionName::Tournament => Selection::Tournament,
            },
            crossover: self.crossover.unwrap_or(paper.crossover),
            mutation: self.mutation.unwrap_or(paper.mutation),
            mutates: match self.mutates {
                MutationName::Bit => Mutation::Bit,
                MutationName::Organism => Mutation::Organism,
            },
            elite: or(self.elite, paper.elite),
            from_start: self.from_start,
        })
    }
}

/// Descent along the measured gradient.
#[derive(clap::Args, Debug)]
pub struct Descent {
    #[command(flatten)]
    run: RunArguments,
    /// Steps; 20 if nothing is said.
    ///
    /// Example: --iterations 30
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    iterations: Option<u32>,
    /// Distance of the neighbours, in plies or shares of the range; 0.25 if nothing is said.
    ///
    /// Example: --delta 0.25
    #[arg(long, value_name = "X", value_parser = positive)]
    delta: Option<f64>,
    /// Length of the first step, in plies or shares of the range; 0.25 if nothing is said.
    ///
    /// Example: --eta 0.2
    #[arg(long, value_name = "X", value_parser = positive)]
    eta: Option<f64>,
    /// Each step has this share of the length of the one before; 0.9 if nothing is said.
    ///
    /// Example: --decay 0.9
    #[arg(long, value_name = "X", value_parser = probability)]
    decay: Option<f64>,
}

impl Order for Descent {
    fn arguments(&self) -> &RunArguments {
        &self.run
    }

    fn method(&self, _: bool) -> Method {
        let usual = gradient::Settings::default();
        Method::Gradient(gradient::Settings {
            iterations: or(self.iterations, usual.iterations),
            delta: self.delta.unwrap_or(usual.delta),
            eta: self.eta.unwrap_or(usual.eta),
            decay: self.decay.unwrap_or(usual.decay),
        })
    }
}

/// Simultaneous perturbation.
#[derive(clap::Args, Debug)]
pub struct Perturbation {
    #[command(flatten)]
    run: RunArguments,
    /// Iterations; 2000 if nothing is said, 100 with --quick.
    ///
    /// Example: --iterations 20
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    iterations: Option<u32>,
    /// Pairs of games, or positions, of one iteration; 8 if nothing is said.
    ///
    /// Example: --batch 16
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    batch: Option<u32>,
    /// The last perturbation as a share of the range; 0.05 if nothing is said.
    ///
    /// Example: --c-end 0.1
    #[arg(long, value_name = "X", value_parser = positive)]
    c_end: Option<f64>,
    /// The last learning rate; 0.002 if nothing is said.
    ///
    /// Example: --r-end 0.004
    #[arg(long, value_name = "X", value_parser = positive)]
    r_end: Option<f64>,
    /// How many times the point is priced by the whole objective; 20 if nothing is said.
    ///
    /// Example: --checks 10
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    checks: Option<u32>,
}

impl Order for Perturbation {
    fn arguments(&self) -> &RunArguments {
        &self.run
    }

    /// Who names a suite wants to tune on it.
    fn objective(&self) -> Objective {
        if self.run.suite.is_some() { Objective::default() } else { Objective::of(Figure::Games) }
    }

    fn method(&self, quick: bool) -> Method {
        /// Iterations of a quick run.
        const QUICK_ITERATIONS: usize = 100;
        let usual = spsa::Settings::default();
        let iterations = if quick { QUICK_ITERATIONS } else { usual.iterations };
        Method::Spsa(spsa::Settings {
            iterations: or(self.iterations, iterations),
            pairs: or(self.batch, usual.pairs),
            c_end: self.c_end.unwrap_or(usual.c_end),
            r_end: self.r_end.unwrap_or(usual.r_end),
            checks: or(self.checks, usual.checks),
            ..usual
        })
    }
}

/// Covariance matrix adaptation.
#[derive(clap::Args, Debug)]
pub struct Evolution {
    #[command(flatten)]
    run: RunArguments,
    /// Generations; 50 if nothing is said, 16 with --quick.
    ///
    /// Example: --generations 100
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    generations: Option<u32>,
    /// Candidates of each; 4 + 3 ln n for n parameters if nothing is said.
    ///
    /// Example: --population 20
    #[arg(long, value_name = "N", value_parser = count::<u32>(2..))]
    population: Option<u32>,
    /// The first standard deviation as a share of each range; 0.3 if nothing is said.
    ///
    /// Example: --sigma 0.2
    #[arg(long, value_name = "X", value_parser = positive)]
    sigma: Option<f64>,
    /// Positions or pairs of games that price a generation, drawn anew for each; all of them if nothing is said.
    ///
    /// Example: --sample 100
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    sample: Option<u32>,
    /// Begin at the centres of the ranges, not at the start values.
    ///
    /// Example: --from-centre
    #[arg(long)]
    from_centre: bool,
}

impl Order for Evolution {
    fn arguments(&self) -> &RunArguments {
        &self.run
    }

    fn method(&self, quick: bool) -> Method {
        /// Generations of a quick run.
        const QUICK_GENERATIONS: usize = 16;
        let usual = cmaes::Settings::default();
        let generations = if quick { QUICK_GENERATIONS } else { usual.generations };
        Method::Cmaes(cmaes::Settings {
            generations: or(self.generations, generations),
            population: or(self.population, usual.population),
            sigma: self.sigma.unwrap_or(usual.sigma),
            sample: or(self.sample, usual.sample),
            from_start: !self.from_centre,
        })
    }
}

/// Random search.
#[derive(clap::Args, Debug)]
pub struct Draws {
    #[command(flatten)]
    run: RunArguments,
    /// Steps; 50 if nothing is said, 18 with --quick.
    ///
    /// Example: --steps 100
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    steps: Option<u32>,
    /// Candidates of each step; 10 if nothing is said.
    ///
    /// Example: --population 20
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    population: Option<u32>,
}

impl Order for Draws {
    fn arguments(&self) -> &RunArguments {
        &self.run
    }

    fn method(&self, quick: bool) -> Method {
        /// Steps of a quick run.
        const QUICK_STEPS: usize = 18;
        let usual = random::Settings::default();
        let steps = if quick { QUICK_STEPS } else { usual.steps };
        Method::Random(random::Settings {
            steps: or(self.steps, steps),
            population: or(self.population, usual.population),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command};

    /// The method as it is ordered without any flag, and with `--quick`, and the help of its flags.
    fn ordered<T: Order + Args>() -> ([Method; 2], Command) {
        let command = || T::augment_args(Command::new("x"));
        let matches = command().get_matches_from(["x", "--out", "y"]);
        let order = T::from_arg_matches(&matches).expect("nothing is missing");
        ([order.method(false), order.method(true)], command())
    }

    #[test]
    fn the_defaults_in_the_help_are_those_of_the_program() {
        let says = |command: &Command, flag: &str, usual: String, quick: Option<String>| {
            let argument = command.get_arguments().find(|one| one.get_long() == Some(flag)).expect(flag);
            let help = argument.get_long_help().or(argument.get_help()).expect(flag).to_string();
            assert!(help.contains(&format!("{usual} if nothing is said")), "{flag}: {help}");
            assert_eq!(help.contains("--quick"), quick.is_some(), "{flag}: {help}");
            assert!(quick.is_none_or(|quick| help.contains(&format!("{quick} with --quick"))), "{flag}: {help}");
        };
        let ([Method::Genetic(usual), Method::Genetic(quick)], help) = ordered::<Ga>() else {
            panic!("another method")
        };
        says(&help, "generations", usual.generations.to_string(), Some(quick.generations.to_string()));
        says(&help, "population", usual.population.to_string(), None);
        says(&help, "crossover", usual.crossover.to_string(), None);
        says(&help, "mutation", usual.mutation.to_string(), None);
        says(&help, "elite", usual.elite.to_string(), None);
        let ([Method::Gradient(usual), _], help) = ordered::<Descent>() else { panic!("another method") };
        says(&help, "iterations", usual.iterations.to_string(), None);
        says(&help, "delta", usual.delta.to_string(), None);
        says(&help, "eta", usual.eta.to_string(), None);
        says(&help, "decay", usual.decay.to_string(), None);
        let ([Method::Spsa(usual), Method::Spsa(quick)], help) = ordered::<Perturbation>() else {
            panic!("another method")
        };
        says(&help, "iterations", usual.iterations.to_string(), Some(quick.iterations.to_string()));
        says(&help, "batch", usual.pairs.to_string(), None);
        says(&help, "c-end", usual.c_end.to_string(), None);
        says(&help, "r-end", usual.r_end.to_string(), None);
        says(&help, "checks", usual.checks.to_string(), None);
        let ([Method::Cmaes(usual), Method::Cmaes(quick)], help) = ordered::<Evolution>() else {
            panic!("another method")
        };
        says(&help, "generations", usual.generations.to_string(), Some(quick.generations.to_string()));
        says(&help, "sigma", usual.sigma.to_string(), None);
        let ([Method::Random(usual), Method::Random(quick)], help) = ordered::<Draws>() else {
            panic!("another method")
        };
        says(&help, "steps", usual.steps.to_string(), Some(quick.steps.to_string()));
        says(&help, "population", usual.population.to_string(), None);
    }
}
