//! `quarterply workers`: who works behind a NATS server, on what, what waits, and what failed.

#[cfg(feature = "nats")]
mod server;

use clap::Subcommand;
use miette::miette;

use super::worker::address;
use crate::common::Common;
use crate::failure::{Done, Failure};
use crate::numbers::count;

/// What to look at, or what to do.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<WorkersAction>,
    /// Connect to the NATS server at URL [default: NATS_URL in the environment].
    #[arg(long, value_name = "URL", global = true)]
    nats: Option<String>,
}

#[derive(Subcommand, Debug)]
enum WorkersAction {
    /// Retry failed tasks of one run, or of all runs.
    #[command(after_help = "Example: quarterply workers retry --nats nats://192.0.2.7:4222")]
    Retry(Retry),
    /// Delete the tasks and outcomes of a run that will not be resumed.
    #[command(after_help = "Example: quarterply workers forget 0123456789abcdef --nats nats://192.0.2.7:4222")]
    Forget(Forget),
    /// Measure the speed of the queue with empty tasks.
    #[command(after_help = "Example: quarterply workers measure --nats nats://127.0.0.1:4222")]
    Measure(Measure),
}

/// Which.
#[derive(clap::Args, Debug)]
struct Retry {
    /// Name of the run in the table.
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

/// Arguments of `workers forget`.
#[derive(clap::Args, Debug)]
struct Forget {
    /// Name of the run in the table.
    #[arg(value_name = "RUN")]
    run: String,
}

/// How much.
#[derive(clap::Args, Debug)]
struct Measure {
    /// Create N tasks.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(1..))]
    tasks: u64,
    /// Let each task wait S seconds.
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    seconds: f64,
}

const AFTER: &str = "\
A worker that was not heard of for a minute is not shown. A task is given up when it went wrong, or was lost with its worker, five times; its \
run goes on with the others, and `workers retry` has it tried again.

Example: quarterply workers --nats nats://192.0.2.7:4222";

/// Does what is asked for.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let missing = || {
        Failure::Input(miette!("cannot connect: no server is given; give --nats URL, or NATS_URL in the environment"))
    };
    let url = address(arguments.nats.as_deref()).ok_or_else(missing)?;
    act(common, &url, arguments.action.as_ref())
}

#[cfg(not(feature = "nats"))]
fn act(_: &Common, _: &str, _: Option<&WorkersAction>) -> Done {
    Err(crate::execution::without_nats())
}

#[cfg(feature = "nats")]
fn act(common: &Common, url: &str, action: Option<&WorkersAction>) -> Done {
    let link = || crate::execution::connect(url, "workers");
    match action {
        None => server::show(common, &link()?),
        Some(WorkersAction::Retry(which)) => server::again(common, &link()?, which.run.as_deref()),
        Some(WorkersAction::Forget(which)) => server::throw_away(common, &link()?, &which.run),
        Some(WorkersAction::Measure(measure)) => server::measure(common, url, measure),
    }
}
