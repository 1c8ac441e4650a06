//! Cases about options.

use std::collections::HashSet;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

use super::answers::{TestPosition, declared, kind_of};
use super::connection::{RawConnection, first_word};
use super::{CaseError, CaseResult, Severity, demand};
use crate::info::{Declaration, OptionKind};
use crate::launch::Launch;

pub(super) fn set_option(launch: &Launch) -> Result<(), CaseError> {
    let (mut engine, options) = declared(launch)?;
    if kind_of(&options, "Hash").is_some() {
        for line in ["setoption name hASH value 2", "setoption  name   Hash  value   2 "] {
            engine.send(line)?;
            let lines = engine.sync().after(line)?;
            demand(!lines.iter().any(|line| complains(line)), || {
                format!("`{line}` is not understood: {}", lines.join(" / "))
            })?;
        }
    }
    for line in [
        "setoption name Hash value lots",
        "setoption name Hash value -5",
        "setoption name Hash value",
        "setoption name Hash",
        "setoption name Clear Hash",
        "setoption name clear hash value now",
        "setoption name Threads value 0",
        "setoption name No Such Option value 1",
        "setoption name SyzygyPath value /no such dir/with blanks/\u{fc}\u{f1}\u{ef}",
        "setoption name SyzygyPath value <empty>",
        "setoption name UCI_Chess960 value maybe",
        "setoption name",
        "setoption",
        "setoption value 3",
    ] {
        engine.send(line)?;
        engine.sync().after(line)?;
    }
    engine.play(&TestPosition::start(&[])?, "go depth 3").map(|_| ())
}

fn complains(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["no such", "unknown", "not found", "invalid", "unrecognized"].iter().any(|word| line.contains(word))
}

pub(super) fn option_lines(launch: &Launch) -> Result<(), CaseError> {
    let mut early = RawConnection::open(launch)?;
    early.send("setoption name Hash value 2")?;
    early.send("uci")?;
    early.until("uciok").after("setoption before uci")?;
    early.send("setoption name Hash value 3")?;
    early.sync()?;
    let (_, options) = declared(launch)?;
    let mut names = HashSet::new();
    for line in &options {
        let option: Declaration = line.trim().parse().map_err(|error| CaseError::fault(format!("{error}")))?;
        demand(names.insert(option.name.to_ascii_lowercase()), || format!("declared twice: {line}"))?;
        let has_default = line.contains(" default");
        match &option.kind {
            OptionKind::Spin { default, min, max } => {
                demand(min <= default && default <= max, || format!("the default is out of range: {line}"))?;
            }
            OptionKind::Combo { default, choices } => {
                demand(choices.contains(default), || format!("the default is none of the choices: {line}"))?;
            }
            OptionKind::Text { .. } => {
                demand(line.contains(" default "), || format!("no default; <empty> is meant: {line}"))?
            }
            OptionKind::Check { .. } => {
                let has_default = line.contains(" default true") || line.contains(" default false");
                demand(has_default, || format!("the default is neither true nor false: {line}"))?;
            }
            OptionKind::Button => demand(!has_default, || format!("a button has no default: {line}"))?,
        }
    }
    Ok(())
}

pub(super) fn hash_size(launch: &Launch) -> Result<(), CaseError> {
    const LARGE: i64 = 256;
    const MEBIBYTE: u64 = 1 << 20;
    let (mut engine, options) = declared(launch)?;
    let Some(OptionKind::Spin { min, max, .. }) = kind_of(&options, "Hash") else {
        return Err(CaseError::skip("it declares no Hash with default, min and max"));
    };
    if max < LARGE {
        return Err(CaseError::skip(format!("its Hash ends at {max}")));
    }
    let scene = TestPosition::start(&[])?;
    let mut with = |size: i64| -> Result<u64, CaseError> {
        engine.send(&format!("setoption name Hash value {size}"))?;
        engine.sync()?;
        engine.play(&scene, "go depth 4")?;
        memory_of(engine.id())
    };
    let (small, large, again) = (with(min)?, with(LARGE)?, with(min)?);
    let half = LARGE.unsigned_abs() / 2 * MEBIBYTE;
    if large < small + half {
        return Err(CaseError::skip("the size of its table cannot be seen from outside"));
    }
    demand(again + half < large, || format!("Hash {LARGE} back to {min} leaves {} MiB in use", again / MEBIBYTE))?;
    for size in [LARGE, min, LARGE, min, LARGE, min] {
        engine.send(&format!("setoption name Hash value {size}"))?;
    }
    engine.sync()?;
    engine.play(&scene, "go depth 2").map(|_| ())
}

/// Address space of a process in bytes: it includes a table that is allocated but not used yet.
fn memory_of(id: u32) -> Result<u64, CaseError> {
    let unknown = || CaseError::skip("the memory of a process is not available on this system");
    let mut system = System::new_with_specifics(RefreshKind::nothing()).map_err(|_| unknown())?;
    let pid = Pid::from_u32(id);
    let kind = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind);
    system.process(pid).map(|process| process.virtual_memory()).ok_or_else(unknown)
}

pub(super) fn names(launch: &Launch) -> Result<(), CaseError> {
    let (engine, options) = declared(launch)?;
    let id = |field: &str| {
        let start = format!("id {field} ");
        engine.seen.iter().find_map(|line| line.strip_prefix(&start)).map(str::trim).unwrap_or("").to_owned()
    };
    demand(!id("author").is_empty(), || "no `id author`".into()).rated(Severity::Tool)?;
    demand(engine.seen.iter().filter(|line| first_word(line) == "uciok").count() == 1, || "uciok not once".into())
        .rated(Severity::Tool)?;
    let name = id("name");
    demand(name.chars().any(|letter| letter.is_ascii_digit()), || format!("no version in `id name {name}`"))?;
    demand(matches!(kind_of(&options, "Ponder"), Some(OptionKind::Check { .. })), || {
        "no option `Ponder` of type check".into()
    })?;
    let squeezed = |text: &str| text.to_ascii_lowercase().replace([' ', '_', '-'], "");
    let overhead = options.iter().find(|line| squeezed(line).contains("namemoveoverhead"));
    match overhead {
        Some(line) => demand(line.contains("name Move Overhead type spin"), || {
            format!("the name differs from `Move Overhead`: {line}")
        }),
        None => Err(CaseError::fault("no option `Move Overhead`")),
    }
}
