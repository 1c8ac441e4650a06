//! `quarterply datagen`: games of our own as training data, played, resumed, counted, shown and converted.

mod live;
mod play;

use std::path::PathBuf;

use clap::Subcommand;

use crate::args::Common;
use crate::failure::Done;

/// What to do; without a sub-command, a run is begun.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_long_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    begin: play::Begin,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Go on with a run that was stopped or killed; its games are those of a run left alone.
    Resume(play::Resume),
}

const AFTER: &str = "\
The folder of --out holds shards of games and nothing else that matters. Games are written one by one, in the order of their numbers; a kill \
loses the running games, and `datagen resume` plays them again, the same. The same --seed gives the same games with any number of --workers. \
Ctrl-C finishes the running games; a second one ends at once.

Examples:
  quarterply datagen --positions 1000000 --out data/first --seed 1
  quarterply datagen --hours 8 --out data/night --workers 2
  quarterply datagen resume data/first";

/// A folder of a run.
#[derive(clap::Args, Debug)]
struct FolderArgument {
    /// The folder that --out named.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Does what is asked for.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    match &arguments.action {
        None => play::begin(common, &arguments.begin),
        Some(Action::Resume(resume)) => play::resume(common, resume),
    }
}
