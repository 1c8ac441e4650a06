//! A worker of a NATS server.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quarterply_games::offered::OfferedEngines;
use quarterply_window::words::several;
use quarterply_work::Build;
use quarterply_work::nats::{WorkerSettings, serve};

use super::{Arguments, TaskRunner, identity};
use crate::common::Common;
use crate::execution::{self, build, cache};
use crate::failure::{CommandResult, Failure};
use crate::interrupt::INTERRUPTED;

const SECONDS_PER_HOUR: f64 = 3600.0;

/// Executes the tasks of a server until stopped, or until the time is over.
pub fn serve_queue(common: &Common, arguments: &Arguments, url: &str, engines: &OfferedEngines) -> CommandResult {
    let link = execution::connect(url, "worker")?;
    let [stop, leave] = [Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false))];
    let signals = [Arc::clone(&stop), Arc::clone(&leave)];
    let quiet = common.quiet;
    let handler = move || match signals.iter().find(|signal| !signal.swap(true, Ordering::Relaxed)) {
        Some(_) if quiet => {}
        Some(signal) if Arc::ptr_eq(signal, &signals[0]) => {
            say!("ending after the running tasks (press Ctrl-C again to abandon them)")
        }
        Some(_) => say!("leaving the running tasks to other workers (press Ctrl-C again to end at once)"),
        None => std::process::exit(INTERRUPTED.into()),
    };
    ctrlc::set_handler(handler).map_err(Failure::input)?;
    let workers = common.worker_count();
    let build = Build { engines: engines.identities(), ..build() };
    let identity = identity(arguments, &build.program, workers);
    // A time beyond the range of the clock sets no limit.
    let time = arguments.hours.and_then(|hours| Duration::try_from_secs_f64(hours * SECONDS_PER_HOUR).ok());
    if !quiet {
        say!(
            "{} serves {url}, {} at a time, {} nodes per second each; build {}",
            identity.name,
            several(workers as u64, "task"),
            identity.speed,
            build.base().name()
        );
    }
    let service = WorkerSettings {
        identity,
        build,
        until: time.and_then(|time| Instant::now().checked_add(time)),
        memory: arguments.max_memory,
        folder: arguments.cache.clone().unwrap_or_else(cache),
        stop,
        leave,
        runner: &|| Box::new(TaskRunner::offering(engines)),
        notify: &|text| {
            if !quiet {
                say!("{text}");
            }
        },
    };
    let served = serve(&link, &service).map_err(execution::refuse)?;
    if !quiet {
        say!("{} done, {} failed", several(served.done, "task"), served.failed);
    }
    Ok(if served.too_large { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
