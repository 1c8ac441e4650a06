//! `quarterply workers`: the workers of a NATS server, waiting tasks and failed tasks.

#[cfg(feature = "nats")]
mod server;

use clap::Subcommand;
use miette::miette;

use super::worker::{IDLE_MAX, address};
use crate::common::Common;
use crate::failure::{CommandResult, Failure};
use crate::numbers::count;

/// Arguments of `workers`.
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
    Retry {
        /// Name of the run, as `workers` lists it [default: all runs].
        #[arg(value_name = "RUN")]
        run: Option<String>,
    },
    /// Delete the tasks and outcomes of a run that will not be resumed.
    #[command(after_help = "Example: quarterply workers forget 0123456789abcdef --nats nats://192.0.2.7:4222")]
    Forget {
        /// Name of the run, as `workers` lists it.
        #[arg(value_name = "RUN")]
        run: String,
    },
    /// Measure the speed of the queue with empty tasks.
    #[command(after_help = "Example: quarterply workers measure --nats nats://127.0.0.1:4222")]
    Measure(Measure),
}

/// Arguments of `workers measure`.
#[derive(clap::Args, Debug)]
struct Measure {
    /// Create N tasks.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(1..))]
    tasks: u64,
    /// Let each task wait S seconds, from 0 to 3600.
    #[arg(long, value_name = "S", default_value_t = 0.0, value_parser = idle_seconds)]
    seconds: f64,
}

/// Reads the time of an idle task.
fn idle_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..=IDLE_MAX).contains(seconds));
    seconds.ok_or_else(|| format!("`{text}` is not a valid time: expected seconds from 0 to {IDLE_MAX}"))
}

const AFTER: &str = "\
A worker that has sent no message for a minute is not shown. A task fails when its execution failed, or its worker was lost, five times; its \
run continues with the other tasks, and `workers retry` repeats it.

Example: quarterply workers --nats nats://192.0.2.7:4222";

/// Shows the server, or runs the sub-command.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters("nothing is searched")?;
    let missing = || {
        Failure::Input(miette!("cannot connect: no server is given; give --nats URL, or NATS_URL in the environment"))
    };
    let url = address(arguments.nats.as_deref()).ok_or_else(missing)?;
    act(common, &url, arguments.action.as_ref())
}

#[cfg(not(feature = "nats"))]
fn act(_: &Common, _: &str, _: Option<&WorkersAction>) -> CommandResult {
    Err(crate::execution::without_nats())
}

#[cfg(feature = "nats")]
fn act(common: &Common, url: &str, action: Option<&WorkersAction>) -> CommandResult {
    let link = || crate::execution::connect(url, "workers");
    match action {
        None => server::show(common, &link()?),
        Some(WorkersAction::Retry { run }) => server::retry_tasks(common, &link()?, run.as_deref()),
        Some(WorkersAction::Forget { run }) => server::forget_run(common, &link()?, run),
        Some(WorkersAction::Measure(measure)) => server::measure(common, url, measure),
    }
}
