//! The folder of an ablation: journal, games, table and page.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_files::bench;
use quarterply_files::epd::Suite;
use quarterply_files::fingerprint::{fingerprint, of_parameters};
use quarterply_files::journal::old_names;
use quarterply_games::game::Pace;
use quarterply_lab::ablation::journal::{AblationHeader, Existing, SavedLines, VERSION};
use quarterply_lab::ablation::{AblationPlan, Setting};
use quarterply_lab::suite::HASH_DEFAULT;
use quarterply_uci::date::today;

use super::Arguments;
use crate::common::Common;
use crate::execution::WORKERS;
use crate::export::{NO_INPUT, replace};
use crate::failure::Failure;

/// Depth of the last bench that identifies program and profile: deep enough for decisions of every rule.
const BENCH_DEPTH: u32 = 7;
/// No deeper bench starts after this number of nodes: searches without rules would take half a minute.
const BENCH_NODES: u64 = 200_000;
/// The files.
const JOURNAL: &str = "journal.jsonl";
const GAMES: &str = "games";
const TABLE: &str = "table.csv";
const SCORES: &str = "scores.csv";
const PAGE: &str = "page.html";
/// Bytes of a setting in the name of a file; longer ones are cut and marked with their fingerprint, because file systems allow 255
/// bytes in all.
const NAME_MAX: usize = 180;

/// Where the work is kept.
pub struct AblationFolder {
    path: PathBuf,
    existing: Existing,
    header: AblationHeader,
}

impl AblationFolder {
    /// The folder of --out, made if need be; nothing without the flag. Results in it stay as they are.
    pub fn open(
        common: &Common,
        arguments: &Arguments,
        (profile, plan): (&Parameters, &AblationPlan),
        suite: Option<&Suite>,
    ) -> Result<Option<AblationFolder>, Failure> {
        let Some(path) = &arguments.out else { return Ok(None) };
        let existing = common.existing(arguments.resume, "a run")?;
        create(path)?;
        let begins = existing == Existing::Keep || existing == Existing::Resume && !path.join(JOURNAL).exists();
        if begins && let Some(found) = results(path)?.first() {
            let remedy = if arguments.resume { "" } else { "continue with --resume, " };
            refuse!(
                "cannot write to `{}`: it holds results; {remedy}replace them with --overwrite, or give another folder",
                found.display()
            );
        }
        let mut header = header(common, (profile, plan), suite);
        if arguments.together {
            (header.block, header.share) = (Some(arguments.block), Some(arguments.share.to_string()));
            header.together = Some(plan.settings.iter().map(|setting| setting.rule.clone()).collect());
        }
        Ok(Some(AblationFolder { path: path.clone(), existing, header }))
    }

    /// Opens the journal of what was measured. Other results of a run that is replaced are renamed to `NAME.old` once it is locked.
    pub fn journal(&self) -> Result<SavedLines, Failure> {
        let mut kept = SavedLines::open(&self.path.join(JOURNAL), self.existing, &self.header)?;
        if self.existing == Existing::Overwrite {
            for path in results(&self.path)? {
                let old = rename(&path)?;
                kept.notes.push(format!("{}: the earlier results are in {}", path.display(), old.display()));
            }
        }
        create(&self.path.join(GAMES))?;
        Ok(kept)
    }

    /// The journal of a setting's games at a limit.
    pub fn games_of(&self, setting: &Setting, pace: Pace) -> PathBuf {
        let state = if setting.on { "on" } else { "off" };
        let name = format!("{}-{state}-{pace}.jsonl", short_name(&setting.rule));
        self.path.join(GAMES).join(name.replace(['/', '\\'], "_"))
    }

    /// The journal of the games of a block, with --together.
    pub fn games_of_block(&self, number: usize) -> PathBuf {
        block_file(&self.path, number)
    }

    /// Writes tables and page, over those of an earlier part of the work.
    pub fn write(&self, table: &str, scores: Option<&str>, page: &str) -> Result<(), Failure> {
        let scores = scores.map(|scores| (SCORES, scores));
        for (name, text) in [(TABLE, table), (PAGE, page)].into_iter().chain(scores) {
            replace(&self.path.join(name), NO_INPUT, text)?;
        }
        say!("figures in {}, page in {}", self.path.join(TABLE).display(), self.path.join(PAGE).display());
        Ok(())
    }
}

fn block_file(folder: &Path, number: usize) -> PathBuf {
    folder.join(GAMES).join(format!("block-{:04}.jsonl", number + 1))
}

/// Number of blocks of games that a folder has.
pub fn blocks(folder: &Path) -> usize {
    (0..).take_while(|&number| block_file(folder, number).exists()).count()
}

/// The journals in a folder, of suites and of games.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let journal = folder.join(JOURNAL);
    let mut found: Vec<PathBuf> = [journal].into_iter().filter(|path| path.exists()).collect();
    let games = folder.join(GAMES);
    match fs::read_dir(&games) {
        Ok(entries) => found.extend(entries.flatten().map(|entry| entry.path())),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(unusable(&games, &error)),
    }
    Ok(found)
}

/// The results in a folder apart from the journal: files, and the folder of games unless it is empty.
fn results(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let files = [TABLE, SCORES, PAGE, WORKERS].map(|name| folder.join(name));
    let mut found: Vec<PathBuf> = files.into_iter().filter(|path| path.exists()).collect();
    let games = folder.join(GAMES);
    match fs::read_dir(&games) {
        Ok(mut entries) => found.extend(entries.next().map(|_| games)),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(unusable(&games, &error)),
    }
    Ok(found)
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::Input(miette!("cannot create folder `{}`: {error}; give another one to --out", folder.display()))
    })
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(miette!("cannot use `{}`: {error}; give another folder to --out", path.display()))
}

/// Renames to `NAME.old`, or to `NAME.2.old` and so on if that exists: nothing is lost. Returns the new path.
fn rename(path: &Path) -> Result<PathBuf, Failure> {
    let old = old_names(path).find(|name| !name.exists()).unwrap_or_default();
    fs::rename(path, &old).map_err(|error| unusable(path, &error))?;
    Ok(old)
}

/// A setting as a part of the name of a file.
fn short_name(setting: &str) -> String {
    if setting.len() <= NAME_MAX {
        return setting.to_owned();
    }
    let mark = fingerprint(setting.as_bytes());
    let start = &setting[..setting.floor_char_boundary(NAME_MAX - mark.len() - 1)];
    format!("{start}-{mark}")
}

/// The nodes of the deepest bench that is begun.
fn signature(parameters: &Parameters) -> u64 {
    let mut nodes = 0;
    for depth in 1..=BENCH_DEPTH {
        nodes = bench::signature(parameters, depth, usize::MAX);
        if nodes > BENCH_NODES {
            break;
        }
    }
    nodes
}

fn header(common: &Common, (profile, plan): (&Parameters, &AblationPlan), suite: Option<&Suite>) -> AblationHeader {
    let suite = suite.map(|suite| {
        let text: Vec<String> = suite.records.iter().map(|record| format!("{record:?}")).collect();
        format!("{}, fingerprint {}", suite.name, fingerprint(text.join("\n").as_bytes()))
    });
    AblationHeader {
        version: VERSION,
        engine: format!("quarterply {}", env!("CARGO_PKG_VERSION")),
        date: today('.'),
        bench: signature(&plan.baseline),
        profile: common.settings(),
        parameters: Some(format!("{} {}", of_parameters(profile), of_parameters(&plan.baseline))),
        mode: plan.mode.to_string(),
        suite,
        hash: HASH_DEFAULT,
        block: None,
        share: None,
        together: None,
    }
}
