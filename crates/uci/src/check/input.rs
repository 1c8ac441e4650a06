//! Cases about what an engine must accept.

use super::wire::Wire;
use super::{Case, Finding};
use crate::launch::Launch;

pub(super) const CASES: &[Case] = &[
    Case { number: 1, name: "idle stop", about: "stop and ponderhit without a search are ignored", run: idle_stop },
    Case {
        number: 2,
        name: "ready while searching",
        about: "isready is answered at once, the search goes on",
        run: ready,
    },
];

fn idle_stop(launch: &Launch) -> Result<(), Finding> {
    let mut wire = Wire::ready(launch)?;
    wire.say("stop")?;
    wire.say("ponderhit")?;
    wire.never("bestmove")?;
    // A stop kept for later would end this search before its depth.
    wire.say("stop")?;
    wire.say("position startpos")?;
    let lines = wire.go("go depth 4")?;
    if lines.iter().any(|line| line.contains("depth 4")) {
        Ok(())
    } else {
        Err(Finding::fault("a stop before the search cut it short: no `depth 4` in `go depth 4`"))
    }
}

fn ready(launch: &Launch) -> Result<(), Finding> {
    let mut wire = Wire::ready(launch)?;
    wire.say("position startpos")?;
    wire.say("go infinite")?;
    let lines = wire.sync().map_err(|finding| finding.after("go infinite, isready"))?;
    if lines.iter().any(|line| line.starts_with("bestmove")) {
        return Err(Finding::fault("isready ended the search"));
    }
    wire.never("bestmove")?;
    wire.say("stop")?;
    wire.until("bestmove").map(|_| ())
}
