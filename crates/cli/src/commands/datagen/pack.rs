//! `quarterply datagen pack` and `unpack`.

use std::path::{Path, PathBuf};

use quarterply_datagen::packed::file::{FILE_MAX, PackedFileSummary, PackingError, pack};
use quarterply_datagen::packed::unpack::unpack;
use quarterply_engine::words::grouped;
use quarterply_files::draft::Rules;
use quarterply_window::words::several;
use serde_json::json;

use super::play::{MEBIBYTE, SHARD_SIZE_MAX};
use super::read::{GameFiles, NO_SEARCH, warn};
use crate::common::Common;
use crate::export::{JsonLines, refuse_json_file};
use crate::failure::{CommandResult, Failure};
use crate::numbers::count;
use crate::progress::counter;

/// Which games, into which file.
#[derive(clap::Args, Debug)]
pub struct PackArguments {
    #[command(flatten)]
    games: GameFiles,
    /// Write to FILE; further files are called NAME-2.games and so on.
    #[arg(long, short, value_name = "FILE.games")]
    output: PathBuf,
    /// Start another file before one exceeds MB MiB.
    #[arg(long, value_name = "MB", default_value_t = FILE_MAX / MEBIBYTE, value_parser = count::<u64>(1..=SHARD_SIZE_MAX))]
    file_size: u64,
}

/// Packs, and prints the files with the bytes of a position.
pub fn pack_games(common: &Common, arguments: &PackArguments) -> CommandResult {
    common.refuse_parameters(NO_SEARCH)?;
    refuse_json_file(common, &arguments.output)?;
    let archive = arguments.games.open()?;
    let inputs: Vec<&Path> = archive.files().collect();
    let rules = Rules { overwrite: common.overwrite, ..Rules::default() }.reading(&inputs);
    let mut json = JsonLines::open(common, &inputs)?;
    let progress = counter(common, "packing");
    let size = arguments.file_size * MEBIBYTE;
    let packed = pack(&archive, &arguments.output, &rules, size, &mut |games| progress.set_position(games));
    progress.finish_and_clear();
    let packed = packed.map_err(|error| match error {
        PackingError::Data(error) => Failure::from(error),
        PackingError::Draft(error) => Failure::from(error),
    })?;
    warn(common, &packed.tails, &packed.skipped);
    if let Some(older) = &packed.older {
        say!("warning: {} is older and not part of these games; remove it and the files after it", older.display());
    }
    for PackedFileSummary { path, games, kept, bytes } in &packed.files {
        let each = match *kept {
            0 => String::new(),
            kept => format!(", {:.3} bytes per position", *bytes as f64 / kept as f64),
        };
        json.print(&format!(
            "{}: {}, {} after the default filter, {} bytes{each}",
            path.display(),
            several(*games, "game"),
            several(*kept, "position"),
            grouped(*bytes),
        ))?;
        json.write(&json!({"file": path, "games": games, "kept": kept, "bytes": bytes}))?;
    }
    json.close()
}

/// Which packed files, into which folder.
#[derive(clap::Args, Debug)]
pub struct UnpackArguments {
    #[command(flatten)]
    games: GameFiles,
    /// Write the shards to DIR, which must not hold a run.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes the games as the shards of a run.
pub fn unpack_games(common: &Common, arguments: &UnpackArguments) -> CommandResult {
    common.refuse_parameters(NO_SEARCH)?;
    let archive = arguments.games.open()?;
    let mut json = JsonLines::open(common, archive.files())?;
    let unpacked = unpack(&archive, &arguments.out)?;
    warn(common, &unpacked.tails, &unpacked.skipped);
    if unpacked.games == 0 {
        refuse!("cannot unpack: the files hold no games; check the paths");
    }
    json.print(&format!("{}: {}", arguments.out.display(), several(unpacked.games, "game")))?;
    json.write(&json!({"folder": arguments.out, "games": unpacked.games}))?;
    json.close()
}
