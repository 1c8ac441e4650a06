//! The command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    ablate, bench, compare, datagen, eval, learn, matches, mine, params, perft, selfplay, shell, solve, stats, train,
    tune, uci_check, window, worker, workers,
};
use crate::common::{Common, NAME};

/// Version, commit and compiler.
const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("QUARTERPLY_COMMIT"), ", ", env!("QUARTERPLY_COMPILER"), ")");
/// Maximum width of help text in columns, on terminals of any width: long lines are hard to read.
const COLUMNS: usize = 80;

/// Groups of options that many commands have: the short help leaves them out.
const SHARED_OPTIONS: [&str; 3] = ["Everywhere", "Execution", "Filter"];
/// The last line of the help.
const SHORT_NOTE: &str = "\n\nAll options: --help. Terms: docs/glossary.md";
const LONG_NOTE: &str = "\n\nTerms: docs/glossary.md";

/// The whole command line with its help.
pub fn command() -> clap::Command {
    with_notes(Cli::command())
}

/// Hides shared options in the short help of a command and of those below it, and adds the notes. A negative number is a value, so
/// that the error names its range.
fn with_notes(command: clap::Command) -> clap::Command {
    let is_shared = |heading: Option<&str>| heading.is_some_and(|heading| SHARED_OPTIONS.contains(&heading));
    let command = command.mut_args(|argument| {
        let hidden = argument.is_hide_short_help_set() || is_shared(argument.get_help_heading());
        let takes_values = argument.get_action().takes_values();
        argument.hide_short_help(hidden).allow_negative_numbers(takes_values)
    });
    let [short, long] = [command.get_after_help(), command.get_after_long_help().or(command.get_after_help())]
        .map(|text| text.map(ToString::to_string).unwrap_or_default());
    let command = command.after_help(short + SHORT_NOTE).after_long_help(long + LONG_NOTE);
    command.mut_subcommands(with_notes)
}

/// A chess engine and a laboratory for search.
///
/// Without arguments, or with `uci` alone, it runs as a UCI engine on stdin and stdout. Arguments that are UCI lines are executed in order:
/// quarterply "setoption name Hash value 64" "go depth 12". The options `UCI_LimitStrength` and `UCI_Elo` (ratings of the CCRL list, not
/// Stockfish's scale) make it play weaker.
#[derive(Parser, Debug)]
#[command(after_help = "Example: quarterply match --player default --player classic --nodes 2000")]
#[command(name = NAME, version = VERSION, about, arg_required_else_help = false, max_term_width = COLUMNS)]
pub struct Cli {
    // Before the group of options, whose heading holds for all arguments after it.
    /// Under UCI: list all parameters as options, for tuners that set only listed options.
    #[arg(long)]
    pub show_parameters: bool,
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Reads the command line, or ends the program with a message. Only `window diff` takes more than one profile.
    ///
    /// # Errors
    /// The exit code, after a message or the help was printed.
    pub fn read() -> Result<Cli, ExitCode> {
        let mut command = command();
        let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
            Ok(matches) => matches,
            Err(error) => return Err(print_error(&error)),
        };
        let profiles: Vec<String> = matches.get_many("profile").into_iter().flatten().cloned().collect();
        let mut cli = Cli::from_arg_matches(&matches).map_err(|error| print_error(&error))?;
        if profiles.len() > 1 && !matches!(&cli.command, Some(Command::Window(window)) if window.compares()) {
            let text = "the argument '--profile <NAME|FILE.toml>' cannot be used multiple times";
            return Err(print_error(&command.error(ErrorKind::ArgumentConflict, text)));
        }
        cli.common.profiles = profiles;
        cli.common.seed_given = matches.value_source("seed") == Some(ValueSource::CommandLine);
        Ok(cli)
    }
}

/// Prints an error message or the help and returns the exit code. A closed pipe is not an error; any other failure to write is.
fn print_error(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => {
            say!("cannot write the text: {fault}");
            ExitCode::FAILURE
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(u8::MAX)),
    }
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Measure the effect of each rule on a suite or in games by switching it.
    #[command(after_help = "Example: quarterply ablate suite.epd --nodes 20k --out runs/ablation")]
    Ablate(ablate::Arguments),
    /// Search fixed positions and print the signature and the speed in the last line.
    #[command(after_help = "Example: quarterply bench 10 --profile classic")]
    Bench(bench::Arguments),
    /// Compare two result files of `solve`.
    #[command(after_help = "Example: quarterply compare old.jsonl new.jsonl")]
    Compare(compare::Arguments),
    /// Print a completion script for a shell.
    #[command(
        after_help = "Example: quarterply completions bash > ~/.local/share/bash-completion/completions/quarterply"
    )]
    Completions(shell::CompletionsArguments),
    /// Play self-play games as training data, and read such games.
    #[command(after_help = "Example: quarterply datagen --positions 1M --out data/first --seed 1")]
    Datagen(Box<datagen::Arguments>),
    /// Show the static evaluation of a position: the contribution of each piece, or each classical term.
    #[command(after_help = "Example: quarterply eval --fen \"8/5k2/8/8/3P4/8/5K2/8 w - - 0 1\"")]
    Eval(eval::Arguments),
    /// Fit parameters to games of `datagen`: evaluation weights, reductions of late moves, move order.
    #[command(after_help = "Example: quarterply learn eval games/first --page fit.html")]
    Learn(learn::Arguments),
    /// Write the manual pages.
    #[command(after_help = "Example: quarterply man --out ~/.local/share/man/man1")]
    Man(shell::ManArguments),
    /// Play a match between profiles of this engine and any UCI or xboard engines.
    #[command(after_help = "Example: quarterply match --player default --player \"cmd:toga2 tc=4+0.04\"")]
    Match(Box<matches::Arguments>),
    /// Find tactical test positions in self-play games or in PGN files.
    #[command(after_help = "Example: quarterply mine --games 200 --seed 7 -o suite.epd")]
    Mine(mine::Arguments),
    /// List every parameter, as a table or in the format of a tuner.
    #[command(after_help = "Example: quarterply params null_move --format openbench")]
    Params(params::Arguments),
    /// Count move sequences to test the move generator.
    #[command(after_help = "Example: quarterply perft 5 --divide")]
    Perft(perft::Arguments),
    /// Play games between two processes of this engine.
    #[command(after_help = "Example: quarterply selfplay --games 20 --tc 1+0.01")]
    Selfplay(selfplay::Arguments),
    /// Solve suites of test positions and report the nodes to the solution.
    #[command(after_help = "Example: quarterply solve suite.epd --nodes 100k --json out.jsonl")]
    Solve(solve::Arguments),
    /// Count cutoffs, rule decisions, re-searches and leaves of a search, and moves that pruning missed.
    #[command(after_help = "Example: quarterply stats --nodes 100k --page stats.html")]
    Stats(stats::Arguments),
    /// Train an evaluation network on games of `datagen`.
    #[command(after_help = "Example: quarterply train data/first --out nets/first")]
    Train(Box<train::Arguments>),
    /// Tune search and evaluation parameters.
    #[command(after_help = "Example: quarterply tune ga --quick --out runs/first")]
    Tune(tune::Arguments),
    /// Test an engine for common errors in the UCI protocol.
    #[command(after_help = "Example: quarterply uci-check \"stockfish\"")]
    UciCheck(uci_check::Arguments),
    /// Show search trees: small model trees, and every decision of the real search.
    #[command(after_help = "Example: quarterply window why e4 --depth 8")]
    Window(window::Arguments),
    /// Execute tasks of commands on other machines.
    #[command(after_help = "Example: quarterply worker --nats nats://192.0.2.7:4222 --workers 4")]
    Worker(worker::Arguments),
    /// Show the workers of a NATS server, and waiting and failed tasks.
    #[command(after_help = "Example: quarterply workers --nats nats://192.0.2.7:4222")]
    Workers(workers::Arguments),
    /// UCI lines.
    #[command(external_subcommand)]
    Lines(Vec<String>),
}
