//! The folder of an ablation: journal, games, table and page.

use std::fs;
use std::path::{Path, PathBuf};

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_files::bench;
use quarterply_files::epd::Suite;
use quarterply_files::fingerprint::fingerprint;
use quarterply_files::profile;
use quarterply_games::game::Pace;
use quarterply_games::matches::today;
use quarterply_lab::ablation::journal::{AblationHeader, Existing, SavedLines, VERSION};
use quarterply_lab::ablation::{AblationPlan, Setting};
use quarterply_lab::suite::HASH_DEFAULT;

use super::Arguments;
use crate::common::Common;
use crate::export::replace;
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

/// Where the work is kept.
pub struct AblationFolder {
    path: PathBuf,
    existing: Existing,
    header: AblationHeader,
}

impl AblationFolder {
    /// The folder of --out, made if need be; nothing without the flag.
    pub fn open(
        common: &Common,
        arguments: &Arguments,
        plan: &AblationPlan,
        suite: Option<&Suite>,
    ) -> Result<Option<AblationFolder>, Failure> {
        let Some(path) = &arguments.out else { return Ok(None) };
        if arguments.resume && common.overwrite {
            refuse!(
                "cannot use --resume with --overwrite: --resume continues a run, --overwrite replaces it; give one of them"
            );
        }
        let existing = match (arguments.resume, common.overwrite) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Overwrite,
            _ => Existing::Keep,
        };
        let games = path.join(GAMES);
        let made = fs::create_dir_all(&games);
        made.map_err(|error| {
            Failure::Input(miette!("cannot create folder `{}`: {error}; give another one to --out", path.display()))
        })?;
        if existing != Existing::Resume {
            forget_games(&games, existing)?;
        }
        let folder = AblationFolder { path: path.clone(), existing, header: header(common, plan, suite) };
        Ok(Some(folder))
    }

    /// The journal of what was measured.
    pub fn journal(&self) -> Result<SavedLines, Failure> {
        SavedLines::open(&self.path.join(JOURNAL), self.existing, &self.header).map_err(Failure::input)
    }

    /// The journal of a setting's games at a limit.
    pub fn games_of(&self, setting: &Setting, pace: Pace) -> PathBuf {
        let state = if setting.on { "on" } else { "off" };
        let name = format!("{}-{state}-{pace}.jsonl", setting.rule);
        self.path.join(GAMES).join(name.replace(['/', '\\'], "_"))
    }

    /// The journal of the games of a block, with --together.
    pub fn games_of_block(&self, number: usize) -> PathBuf {
        self.path.join(GAMES).join(format!("block-{:04}.jsonl", number + 1))
    }

    /// Writes tables and page, over those of an earlier part of the work.
    pub fn write(&self, table: &str, scores: Option<&str>, page: &str) -> Result<(), Failure> {
        let scores = scores.map(|scores| (SCORES, scores));
        for (name, text) in [(TABLE, table), (PAGE, page)].into_iter().chain(scores) {
            replace(&self.path.join(name), |out| out.write_all(text.as_bytes()))?;
        }
        say!("figures in {}, page in {}", self.path.join(TABLE).display(), self.path.join(PAGE).display());
        Ok(())
    }
}

/// Games of other work must not be taken for those of this one.
fn forget_games(games: &Path, existing: Existing) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::Input(miette!("cannot use folder `{}`: {error}; give another one to --out", games.display()));
    for entry in fs::read_dir(games).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if existing == Existing::Keep {
            refuse!(
                "cannot write to `{}`: it holds results; continue with --resume, replace them with --overwrite, or give another folder",
                path.display()
            );
        }
        fs::remove_file(&path).map_err(unreadable)?;
    }
    Ok(())
}

/// The profile by name, with what was set.
pub fn profile_name(common: &Common) -> String {
    let name = common.profile.as_deref().unwrap_or(profile::DEFAULT_NAME);
    std::iter::once(name).chain(common.set.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
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

fn header(common: &Common, plan: &AblationPlan, suite: Option<&Suite>) -> AblationHeader {
    let suite = suite.map(|suite| {
        let text: Vec<String> = suite.records.iter().map(|record| format!("{record:?}")).collect();
        format!("{}, fingerprint {}", suite.name, fingerprint(text.join("\n").as_bytes()))
    });
    AblationHeader {
        version: VERSION,
        engine: format!("quarterply {}", env!("CARGO_PKG_VERSION")),
        date: today(),
        bench: signature(&plan.usual),
        profile: profile_name(common),
        mode: plan.mode.to_string(),
        suite,
        hash: HASH_DEFAULT,
    }
}
