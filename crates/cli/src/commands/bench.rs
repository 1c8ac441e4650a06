//! `quarterply bench [DEPTH]`: the signature of the search and its speed.

use quarterply_files::bench;
use serde_json::json;

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::CommandResult;
use crate::limits::DEPTH_MAX;
use crate::numbers::count;

/// Arguments of `bench`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Search each position to depth DEPTH, in plies.
    #[arg(value_name = "DEPTH", default_value_t = bench::DEPTH_DEFAULT, value_parser = count::<u32>(1..=DEPTH_MAX))]
    pub depth: u32,
}

/// Searches every position; the last line is `N nodes M nps`.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    let parameters = common.parameters()?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let mut failed = None;
    let total = bench::run(&parameters, arguments.depth, usize::MAX, &mut |step| {
        if !common.quiet && failed.is_none() {
            let bench::BenchStep { number, count, id, nodes, time } = step;
            failed = json.print(&format!("{number:2}/{count} {nodes:>9} nodes {:>6} ms  {id}", time.as_millis())).err();
        }
        if failed.is_none() {
            let bench::BenchStep { number, id, nodes, time, .. } = step;
            failed =
                json.write(&json!({"position": number, "id": id, "nodes": nodes, "ms": time.as_millis() as u64})).err();
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    json.write(&json!({
        "summary": true, "depth": arguments.depth, "nodes": total.nodes, "nps": total.speed(),
        "ms": total.time.as_millis() as u64,
    }))?;
    json.print(&total)?;
    json.close()
}
