//! `quarterply datagen`: plays, resumes, counts, shows and converts self-play games for training.

pub mod filter;
mod live;
mod pack;
pub mod play;
pub mod read;
mod relabel;
mod relabelling;
mod sample;

use clap::Subcommand;

use crate::common::Common;
use crate::failure::CommandResult;

/// Arguments of `datagen`; without a sub-command, a run is begun.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_long_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<DatagenAction>,
    #[command(flatten)]
    begin: play::Begin,
}

#[derive(Subcommand, Debug)]
enum DatagenAction {
    /// Continue a run that was stopped or killed; the games are the same as without the interruption.
    #[command(after_help = "Example: quarterply datagen resume data/first")]
    Resume(play::Resume),
    /// Print statistics of games: results, lengths, scores, phases, variety; of a folder, write a page with plots.
    #[command(after_help = "Example: quarterply datagen stats data/first")]
    Stats(read::StatsArguments),
    /// Write games as text: positions as EPD, or games as PGN.
    #[command(after_help = "Example: quarterply datagen dump data/first --pgn -o games.pgn")]
    Dump(read::DumpArguments),
    /// Write games in the format of another trainer.
    #[command(after_help = "Example: quarterply datagen convert data/first --to bulletformat -o g.bullet")]
    #[command(override_usage = "quarterply datagen convert --to <FORMAT> -o <FILE> <DATA>...")]
    Convert(read::ConvertArguments),
    /// Measure the distance of scores and static evaluations from the scores of a deeper search of the same games.
    #[command(after_help = "Example: quarterply datagen compare data/deep data/first")]
    Compare(read::CompareArguments),
    /// Pack the games of a run: a position that the default filter keeps takes 1.4 bytes.
    #[command(after_help = "Example: quarterply datagen pack data/first -o first.games")]
    Pack(pack::PackArguments),
    /// Write packed games as the shards of a run.
    #[command(after_help = "Example: quarterply datagen unpack first.games --out data/again")]
    Unpack(pack::UnpackArguments),
    /// Label the positions of a run again: write the same games with new scores.
    #[command(after_help = "Example: quarterply datagen relabel data/first --nodes 5k --out data/deep")]
    Relabel(relabel::Arguments),
    /// Sample positions from the search trees of a run's games, labelled by a separate search or by the tree.
    #[command(after_help = "Example: quarterply datagen sample data/first --nodes 400 --out data/seen")]
    Sample(sample::Arguments),
}

const AFTER: &str = "\
The folder of --out holds the shards of the games. Games are written one by one, in the order of their numbers. A run that is killed loses \
the running games, and `datagen resume` plays the same games again. The same --seed gives the same games with any number of --workers. \
Ctrl-C finishes the running games; a second one ends at once.

Examples:
  quarterply datagen --positions 1000000 --out data/first --seed 1
  quarterply datagen --hours 8 --out data/night --workers 2";

/// Begins a run, or runs the sub-command.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    match &arguments.action {
        None => play::begin(common, &arguments.begin),
        Some(DatagenAction::Resume(resume)) => play::resume(common, resume),
        Some(DatagenAction::Stats(stats)) => read::stats(common, stats),
        Some(DatagenAction::Dump(dump)) => read::dump(common, dump),
        Some(DatagenAction::Convert(convert)) => read::convert_games(common, convert),
        Some(DatagenAction::Compare(compare)) => read::compare_scores(common, compare),
        Some(DatagenAction::Pack(arguments)) => pack::pack_games(common, arguments),
        Some(DatagenAction::Unpack(arguments)) => pack::unpack_games(common, arguments),
        Some(DatagenAction::Relabel(relabel)) => relabel::run(common, relabel),
        Some(DatagenAction::Sample(sample)) => sample::run(common, sample),
    }
}
