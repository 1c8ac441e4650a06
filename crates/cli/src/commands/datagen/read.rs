//! Reading games: figures, text, the formats of other trainers.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use quarterply_datagen::compare::compare;
use quarterply_datagen::convert::{ConvertError, Target, convert};
use quarterply_datagen::dump;
use quarterply_datagen::read::{Archive, TruncatedBlock};
use quarterply_datagen::replay::Filter;
use quarterply_datagen::stats::{self, Stats};
use quarterply_engine::words::grouped;
use quarterply_learn::train::settings::Plan;
use quarterply_window::words::several;
use quarterply_work::workers::WorkerShare;
use serde_json::json;

use super::filter::{FilterArguments, flags};
use crate::common::Common;
use crate::execution::{self, WORKERS};
use crate::export::{JsonLines, create, keep, refuse_json_file, replace};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;
use crate::numbers::count;

/// The page's name in the folder of a run.
const PAGE: &str = "stats.html";
/// Why reading games needs neither --profile nor --set.
pub const NO_SEARCH: &str = "the games are read without a search";
/// In hundredths.
const PAWN: f64 = 100.0;
const PERCENT: f64 = 100.0;

/// Games that exist.
#[derive(clap::Args, Debug)]
pub struct GameFiles {
    /// Folders of runs, also of running ones, folders of packed files, single shards, or single packed files.
    #[arg(value_name = "DATA", required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    damage: Damage,
}

/// The treatment of damaged files.
#[derive(clap::Args, Debug)]
pub struct Damage {
    /// Skip damaged blocks of packed files and the rest of damaged shards instead of ending with an error.
    #[arg(long)]
    pub skip_damaged: bool,
}

impl Damage {
    /// Opens files of games.
    pub fn open(&self, paths: &[PathBuf]) -> Result<Archive, Failure> {
        let archive = Archive::open(paths).map_err(Failure::input)?;
        Ok(archive.skipping_damaged(self.skip_damaged))
    }
}

impl GameFiles {
    /// Opens the files.
    pub fn open(&self) -> Result<Archive, Failure> {
        self.damage.open(&self.paths)
    }

    /// The workers of the runs and their shares, from the folders of distributed runs.
    fn workers(&self) -> Vec<WorkerShare> {
        self.paths.iter().filter(|path| path.is_dir()).flat_map(|path| execution::shares(&path.join(WORKERS))).collect()
    }
}

/// Warns of blocks and games that are left out.
pub fn warn(common: &Common, tails: &[TruncatedBlock], skipped: &[String]) {
    for text in skipped {
        // Also with --quiet: data is missing.
        say!("warning: skipped damage: {text}");
    }
    for TruncatedBlock { path, offset, bytes } in tails {
        if !common.quiet {
            say!(
                "{}: left out {bytes} bytes from offset {offset} on: a game cut off, or just being written",
                path.display()
            );
        }
    }
}

/// Figures.
#[derive(clap::Args, Debug)]
pub struct StatsArguments {
    #[command(flatten)]
    games: GameFiles,
    /// Write the page with the plots to this file [default: `stats.html` in the folder; no page if a file comes first].
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArguments,
}

/// Counts, prints, and writes the page; of files only if it is requested.
pub fn stats(common: &Common, arguments: &StatsArguments) -> CommandResult {
    common.refuse_parameters(NO_SEARCH)?;
    let archive = arguments.games.open()?;
    let first = arguments.games.paths.first().cloned().unwrap_or_default();
    let path = arguments.output.clone().or_else(|| first.is_dir().then(|| first.join(PAGE)));
    path.iter().try_for_each(|path| refuse_json_file(common, path))?;
    let mut json = JsonLines::open(common, archive.files())?;
    let begin = |path: &PathBuf| create(common, path, archive.files());
    let draft = arguments.output.as_ref().map(begin).transpose()?;
    let stats = Stats::collect(&archive, arguments.filter.filter()).map_err(Failure::input)?;
    warn(common, &stats.tails, &stats.skipped);
    if let Some(path) = &path {
        let name = arguments.games.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let page = stats::page(&stats, &name, &arguments.games.workers()).map_err(Failure::run)?;
        match draft {
            Some(draft) => draft.finish(page)?,
            // The page of a run that has grown replaces the earlier one.
            None => replace(path, archive.files(), &page)?,
        }
    }
    let endings = stats.endings.iter().map(|(ending, count)| (ending.to_string(), grouped(*count)));
    let facts = stats::facts(&stats).into_iter().chain(endings).map(<[String; 2]>::from);
    let listing = Listing::of(&["quantity", "value"], facts);
    let place = path.map_or_else(String::new, |path| format!("\n{}", path.display()));
    json.print(&format!("{listing}{place}"))?;
    json.write(&for_programs(&stats))?;
    json.close()
}

fn for_programs(stats: &Stats) -> serde_json::Value {
    let openings: serde_json::Map<String, serde_json::Value> = stats::OPENING_PLIES
        .iter()
        .zip(&stats.openings)
        .map(|(ply, variety)| (ply.to_string(), json!({"all": variety.all, "different": variety.different})))
        .collect();
    let endings: serde_json::Map<String, serde_json::Value> =
        stats.endings.iter().map(|(ending, count)| (ending.to_string(), json!(count))).collect();
    json!({
        "games": stats.totals.games, "white": stats.totals.white, "draws": stats.totals.draws, "black": stats.totals.black,
        "slots": stats.slots, "filled_slots": stats.filled_slots,
        "positions": stats.totals.moves, "kept": stats.totals.kept, "different": stats.positions.different,
        "different_games": stats.games.different, "endings": endings, "openings": openings,
        "lengths": stats.lengths, "scores": stats.scores, "phases": stats.phases, "bytes": stats.bytes, "files": stats.files,
    })
}

/// Which games, and by how much of a score a point is decided.
#[derive(clap::Args, Debug)]
pub struct CompareArguments {
    /// Folder of the run with the reference scores, those of the most nodes.
    #[arg(value_name = "TRUTH")]
    truth: PathBuf,
    /// Folders with other scores of the same games, as `relabel` writes them.
    #[arg(value_name = "DIR", required = true)]
    others: Vec<PathBuf>,
    /// Score with an expected result of 0.73 points, in centipawns, as in `train`.
    #[arg(long, value_name = "CP", default_value_t = Plan::default().scale, value_parser = count::<i32>(1..))]
    scale: i32,
    #[command(flatten)]
    filter: FilterArguments,
}

/// Compares, and prints a row for the static evaluation and each folder.
pub fn compare_scores(common: &Common, arguments: &CompareArguments) -> CommandResult {
    let parameters = common.parameters()?;
    let open = |path: &PathBuf| Archive::open(&[path]).map_err(Failure::input);
    let truth = open(&arguments.truth)?;
    let others = arguments.others.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut json = JsonLines::open(common, truth.files().chain(others.iter().flat_map(Archive::files)))?;
    let scale = f64::from(arguments.scale);
    let found = compare(&truth, &others, &arguments.filter.filter(), scale, &parameters).map_err(Failure::input)?;
    if found.positions == 0 {
        refuse!(
            "cannot compare `{}`: no position passes the filter; give longer runs, or --no-filter",
            arguments.truth.display()
        );
    }
    let names = arguments.others.iter().map(|path| path.display().to_string());
    let rows = [("static evaluation".to_owned(), None)].into_iter().chain(names.zip(others.iter().map(nodes)));
    let distances = [found.static_evaluation].into_iter().chain(found.others.iter().copied());
    let mut listing = Listing::new(&["scores", "nodes", "points²", "pawns", "bias", "reduction"], 1..6);
    let mut lines = Vec::new();
    for ((name, nodes), distance) in rows.zip(distances) {
        let reduction = 1.0 - distance.loss() / found.static_evaluation.loss();
        listing.add_row([
            name.clone(),
            nodes.map_or_else(String::new, grouped),
            format!("{:.5}", distance.loss()),
            format!("{:.2}", distance.root() / PAWN),
            format!("{:+.2}", distance.bias() / PAWN),
            format!("{:.0} %", PERCENT * reduction),
        ]);
        lines.push(
            json!({"scores": name, "nodes": nodes, "loss": distance.loss(), "root_cp": distance.root(), "reduction": reduction}),
        );
    }
    let (games, positions) = (several(found.games, "game"), several(found.positions, "position"));
    let of = nodes(&truth).map_or_else(String::new, |nodes| format!(" of {} nodes", grouped(nodes)));
    json.print(&format!(
        "{listing}\ndifferences from the scores{of} in {}: {positions} of {games}\n\
         points²: mean square, in expected points; pawns: root mean square; bias: mean for the side to move, in pawns; reduction of \
         points² against the static evaluation",
        arguments.truth.display()
    ))?;
    for line in &lines {
        json.write(line)?;
    }
    json.close()
}

/// The soft node limit of the searches of a run.
fn nodes(archive: &Archive) -> Option<u64> {
    let settings = &archive.headers().next()?.settings;
    Some(settings.relabelled.map_or(settings.soft_nodes, |[soft, _]| soft))
}

/// Text.
#[derive(clap::Args, Debug)]
pub struct DumpArguments {
    #[command(flatten)]
    games: GameFiles,
    /// Write games as PGN, every move with its score for the side that moved.
    #[arg(long, conflicts_with = "epd")]
    pgn: bool,
    /// Write positions that pass the filter as EPD: `bm` the move, `ce` the score for the side to move in centipawns,
    /// `c9` the result (default).
    #[arg(long)]
    epd: bool,
    /// Write only games with these numbers.
    #[arg(long, value_name = "FIRST..LAST", value_parser = parse_range)]
    range: Option<(u64, u64)>,
    /// Write to this file instead of stdout.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArguments,
}

fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (quarterply_files::count::parse(first), quarterply_files::count::parse(last)) {
        (Some(first), Some(last)) if 1 <= first && first <= last => Ok((first, last)),
        _ => Err("expected a number from 1 on, or a range such as 1..100".to_owned()),
    }
}

/// Writes games as text.
pub fn dump(common: &Common, arguments: &DumpArguments) -> CommandResult {
    common.refuse_parameters(NO_SEARCH)?;
    common.refuse_json("`datagen dump` writes EPD or PGN")?;
    if arguments.pgn {
        refuse_filter(&arguments.filter, "games are written whole as PGN")?;
    }
    let archive = arguments.games.open()?;
    if arguments.pgn && archive.headers().any(|header| header.settings.sampling.is_some()) {
        refuse!("cannot write PGN: the files hold positions from searches, which are not games; use --epd");
    }
    match &arguments.output {
        Some(path) => {
            let mut out = BufWriter::new(create(common, path, archive.files())?);
            dump_to(common, arguments, &archive, &mut out)?;
            keep(out)?;
        }
        None => dump_to(common, arguments, &archive, &mut BufWriter::new(io::stdout().lock()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a filter where it would not be used, for this reason.
fn refuse_filter(filter: &FilterArguments, reason: &str) -> Result<(), Failure> {
    let filter = filter.filter();
    if filter != Filter::DEFAULT {
        refuse!("cannot use {}: {reason}; remove it", flags(&filter));
    }
    Ok(())
}

fn dump_to(common: &Common, arguments: &DumpArguments, archive: &Archive, out: &mut dyn Write) -> Result<(), Failure> {
    let filter = arguments.filter.filter();
    let (first, last) = arguments.range.unwrap_or((0, u64::MAX));
    let mut games = archive.games();
    let (mut newest, mut written) = (0, 0u64);
    while let Some(game) = games.next() {
        let game = game.map_err(Failure::input)?;
        newest = game.number.max(newest);
        if game.number < first || game.number > last {
            continue;
        }
        written += 1;
        let illegal = |error: quarterply_datagen::replay::ReplayError| Failure::input(error.in_file(games.path()));
        if arguments.pgn {
            writeln!(out, "{}", dump::pgn(&game).map_err(illegal)?)?;
            continue;
        }
        for view in game.replay() {
            let view = view.map_err(illegal)?;
            if filter.keeps(&view) {
                writeln!(out, "{}", dump::epd(&game, &view))?;
            }
        }
    }
    warn(common, games.tails(), games.skipped());
    out.flush()?;
    if written == 0 && arguments.range.is_some() {
        refuse!("cannot find a game with a number from {first} to {last}: the greatest number is {newest}");
    }
    Ok(())
}

/// Formats of other trainers.
#[derive(clap::Args, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    games: GameFiles,
    /// Write whole games in viriformat, whose readers filter, or positions that pass the filter in bulletformat.
    #[arg(long, value_name = "FORMAT")]
    to: ConvertFormat,
    /// Write to this file; an existing file is replaced when the new one is complete.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    filter: FilterArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ConvertFormat {
    Bulletformat,
    Viriformat,
}

/// Converts games, and prints their number.
pub fn convert_games(common: &Common, arguments: &ConvertArguments) -> CommandResult {
    common.refuse_parameters(NO_SEARCH)?;
    if matches!(arguments.to, ConvertFormat::Viriformat) {
        refuse_filter(&arguments.filter, "games are written whole in viriformat, and its readers filter")?;
    }
    refuse_json_file(common, &arguments.output)?;
    let archive = arguments.games.open()?;
    let mut json = JsonLines::open(common, archive.files())?;
    let filter = arguments.filter.filter();
    let target = match arguments.to {
        ConvertFormat::Bulletformat => Target::Bulletformat,
        ConvertFormat::Viriformat => Target::Viriformat,
    };
    let (mut count, mut positions, mut left_out) = (0u64, 0u64, 0u64);
    let mut games = archive.games();
    let mut out = BufWriter::new(create(common, &arguments.output, archive.files())?);
    let mut bytes = Vec::new();
    while let Some(game) = games.next() {
        let game = game.map_err(Failure::input)?;
        bytes.clear();
        let converted = convert(&game, target, &filter, &mut bytes);
        let converted = converted.map_err(|error| match error {
            ConvertError::Replay(error) => Failure::input(error.in_file(games.path())),
            error => Failure::input(error),
        })?;
        positions += converted.positions;
        left_out += converted.left_out;
        count += 1;
        out.write_all(&bytes)?;
    }
    keep(out)?;
    warn(common, games.tails(), games.skipped());
    if !common.quiet {
        let (games, positions) = (several(count, "game"), several(positions, "position"));
        say!("{}: {games}, {positions}", arguments.output.display());
        if left_out > 0 {
            let left_out = several(left_out, "position");
            say!("left out {left_out} before random moves: bulletformat has no position without a result");
        }
    }
    json.write(&json!({"file": arguments.output, "games": count, "positions": positions}))?;
    json.close()
}
