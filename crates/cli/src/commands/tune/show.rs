//! The output of finished runs and of `tune show`: the tables of one run, or several runs side by side.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use indicatif::HumanDuration;
use miette::miette;
use quarterply_engine::words::grouped;
use quarterply_tune::error::TuneError;
use quarterply_tune::folder::TuningFolder;
use quarterply_tune::history::RunSummary;
use quarterply_tune::journal::FILE as JOURNAL;
use quarterply_tune::plan::TuningPlan;
use quarterply_tune::progress::TuningProgress;
use quarterply_tune::recorded::Mismatch;
use quarterply_tune::report::{
    self, RunComparison, RunView, advice, conclusion_table, faults_text, gain, gain_text, iteration_word,
    mismatch_table, pairs_text, step_word, steps_table, values_table, values_text,
};
use quarterply_tune::run::{TuningRun, write_profile};
use quarterply_window::words;
use serde::Serialize;
use serde_json::json;

use crate::common::Common;
use crate::execution::{self, WORKERS};
use crate::export::{JsonLines, create};
use crate::failure::{CommandResult, Failure};
use crate::listing::Listing;

/// The files from which a run is continued and shown.
const RUN_FILES: [&str; 4] = [quarterply_tune::plan::FILE, JOURNAL, "journal.jsonl.zst", "summary.json"];
/// The page and the plot of a comparison.
const COMPARISON_PAGE: &str = "compare.html";
const COMPARISON_PLOT: &str = "compare.svg";

/// The files of a run, and the suites that it reads.
pub fn files(folder: &Path, plan: &TuningPlan) -> Vec<PathBuf> {
    let suites = [&plan.suite, &plan.holdout].into_iter().flatten().map(|suite| suite.path.clone());
    RUN_FILES.map(|name| folder.join(name)).into_iter().chain(suites).collect()
}

/// Writes the report and the best profile of a run into its folder and prints its tables.
///
/// If the report cannot be written, the tables are still printed and the exit code is 1.
pub fn run(
    common: &Common,
    folder: &Path,
    plan: &TuningPlan,
    summary: &RunSummary,
    progress: &TuningProgress,
    json: JsonLines,
) -> CommandResult {
    let base = plan.recorded();
    let command = plan.command.as_deref().unwrap_or("not recorded; run.toml has all settings");
    let workers = execution::shares(&folder.join(WORKERS));
    let engine = plan.engine.as_ref();
    let view = RunView { summary, base: base.as_ref(), engine, faults: &progress.faults, workers: &workers, command };
    let state = RunState { plan, progress, in_use: TuningFolder::is_in_use(folder) };
    // First, because the reader of stdout may be gone.
    let reported = report::write(folder, &view).and_then(|()| write_profile(folder, plan, summary));
    print(folder, &view, &state, json)?;
    if let Err(error) = reported {
        let reason = match &error {
            // Its remedy is that of a run which is not finished.
            TuneError::File(path, reason) => format!("cannot access `{}`: {reason}", path.display()),
            other => other.to_string(),
        };
        say!(
            "cannot write the report: {reason}; the results are in the journal: remove the cause, then write it again with \
             `quarterply tune show {}`",
            folder.display()
        );
        return Ok(ExitCode::FAILURE);
    }
    if !common.quiet {
        say!("the report is {}", folder.join(report::PAGE).display());
    }
    if let Some(reason) = summary.conclusion.as_ref().and_then(|conclusion| conclusion.failed.as_ref()) {
        say!("the comparison failed: {reason}; run `quarterply tune resume {}` to try it again", folder.display());
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the first and the last step like the paper, the values before and after, and what came of it.
fn print(folder: &Path, view: &RunView<'_>, state: &RunState<'_>, mut json: JsonLines) -> CommandResult {
    let summary = view.summary;
    json.write(&RunLine { value: summary, mismatches: view.mismatches(), progress: Some(state.progress) })?;
    if let Some(mismatches) = mismatch_table(view) {
        json.print(&written(&mismatches))?;
    }
    if summary.conclusion.is_none() {
        json.print(&state.text(folder, summary))?;
    }
    if let Some(faults) = faults_text(&summary.dimensions, view.faults) {
        json.print(&faults)?;
    }
    if summary.steps.is_empty() {
        json.print(&"no step is finished yet")?;
        return json.close();
    }
    json.print(&written(&steps_table(view)))?;
    json.print(&written(&values_table(view, view.sensitivity().as_ref())))?;
    if let Some(conclusion) = conclusion_table(view) {
        json.print(&written(&conclusion))?;
    }
    let state = if summary.finished { "finished" } else { "not finished" };
    let steps = words::several(summary.steps.len() as u64, step_word(&summary.method));
    let mut text = format!("{}, seed {}: {state} after {steps}", summary.method, summary.seed);
    for (what, suite) in [("tuned on", &summary.suite), ("hold-out", &summary.holdout)] {
        text += &suite.as_ref().map_or_else(String::new, |suite| format!("; {what}: {suite}"));
    }
    json.print(&text)?;
    if let Some(gain) = gain(view) {
        json.print(&gain)?;
    }
    if let Some(conclusion) = &summary.conclusion {
        json.print(&format!("verdict: {}. {}", conclusion.verdict, advice(view, conclusion)))?;
    }
    json.close()
}

/// A line of JSON about a run, with the recorded values that this version cannot use.
#[derive(Serialize)]
struct RunLine<'a, T> {
    #[serde(flatten)]
    value: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mismatches: Vec<Mismatch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<&'a TuningProgress>,
}

/// A run that is not finished.
struct RunState<'a> {
    plan: &'a TuningPlan,
    progress: &'a TuningProgress,
    /// True if a process works on it.
    in_use: bool,
}

impl RunState<'_> {
    /// How far the run is: iteration, games or nodes, values that moved most, gain, time left, and whether a process works on it.
    fn text(&self, folder: &Path, summary: &RunSummary) -> String {
        let RunState { plan, progress, in_use } = self;
        let method = plan.method.name();
        let done = match plan.objective.needs_games() {
            true => format!("{} played", pairs_text(progress.pairs)),
            false => format!("{} searched", words::several(progress.nodes, "node")),
        };
        let (iteration, iterations) = (grouped(progress.iteration as u64), grouped(progress.iterations as u64));
        let mut lines = vec![format!("{} {iteration} of {iterations}, {done}", iteration_word(method))];
        lines.push(format!("moved most: {}", values_text(&plan.space.dimensions, &progress.values)));
        if plan.objective.needs_games() {
            let gain = gain_text(method, progress).unwrap_or_else(|| "not measured yet".to_owned());
            lines.push(format!("gain against the start values: {gain}"));
        }
        let time = |time: Duration| HumanDuration(time).to_string();
        let worked = progress.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map(time);
        let left = match (summary.finished, progress.left(plan.budget)) {
            (true, _) => "the search is finished, the comparison with the start values is not".to_owned(),
            (false, Some(left)) => format!("about {} to go at that speed, then the final comparison", time(left)),
            (false, None) => "time left unknown".to_owned(),
        };
        lines.push(worked.map_or_else(|| left.clone(), |worked| format!("running time {worked}; {left}")));
        lines.push(match in_use {
            true => "a process is working on the run".to_owned(),
            false => {
                format!("no process is working on the run; continue with `quarterply tune resume {}`", folder.display())
            }
        });
        lines.join("\n")
    }
}

/// One candidate of a run: the step and its place in the population, both from 1.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    step: usize,
    place: usize,
}

impl FromStr for Member {
    type Err = String;

    fn from_str(text: &str) -> Result<Member, String> {
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
        let parts = text.split_once('.').and_then(|(step, place)| Some((number(step)?, number(place)?)));
        let (step, place) = parts.ok_or("give step and place, both from 1, such as 1.3")?;
        Ok(Member { step, place })
    }
}

/// Prints a candidate as a profile.
pub fn member(common: &Common, folder: &Path, Member { step, place }: Member) -> CommandResult {
    let run = TuningRun::open_read_only(folder).map_err(Failure::input)?;
    let plan = run.plan().clone();
    let steps = run.drive(&mut |_| {}).map_err(Failure::input)?.steps;
    let found = |what: &str, count: usize, expected: usize| {
        Failure::Input(miette!(
            "cannot find candidate {step}.{place}: `{}` has {count} {what}, not {expected}; give another --member",
            folder.display()
        ))
    };
    let population = steps.get(step - 1).map(|step| &step.snapshot.population);
    let population = population.ok_or_else(|| found("finished steps", steps.len(), step))?;
    let one = population.get(place - 1).ok_or_else(|| found("candidates in that step", population.len(), place))?;
    let profile = plan.profile_of(&one.candidate);
    let recorded = plan.recorded().map(|base| base.with(&plan.space, &one.candidate));
    let mismatches = recorded.map_or_else(Vec::new, |recorded| recorded.mismatches());
    let mut json = JsonLines::open(common, files(folder, &plan))?;
    json.write(&RunLine {
        value: json!({"step": step, "place": place, "profile": profile}),
        mismatches,
        progress: None,
    })?;
    json.print(&profile.trim_end())?;
    json.close()
}

/// A table for the terminal.
fn written(table: &report::TextTable) -> Listing {
    Listing::of(&table.head, &table.rows)
}

/// Sets runs side by side; the page and the plot go into `out`, if it is given.
pub fn compare(common: &Common, folders: &[PathBuf], out: Option<&Path>) -> CommandResult {
    let mut runs = Vec::new();
    let mut seen = HashSet::new();
    for folder in folders {
        if !seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())) {
            refuse!("cannot compare `{}` with itself; name each run once", folder.display());
        }
        let summary =
            TuningRun::open_read_only(folder).and_then(|run| run.drive(&mut |_| {})).map_err(Failure::input)?;
        runs.push((name(folder), summary));
    }
    let comparison = RunComparison::of(runs).map_err(Failure::input)?;
    let inputs = || folders.iter().flat_map(|folder| RUN_FILES.map(|name| folder.join(name)));
    let mut json = JsonLines::open(common, inputs())?;
    let table = comparison.table();
    comparison.figures().iter().try_for_each(|figures| json.write(figures))?;
    let show = |json: &mut JsonLines| {
        json.print(&written(&table))?;
        comparison.note.map_or(Ok(()), |note| json.print(&note))
    };
    let Some(out) = out else {
        show(&mut json)?;
        return json.close();
    };
    let write = |name: &str, text: String| {
        let path = out.join(name);
        let draft = create(common, &path, inputs())?;
        Ok::<_, Failure>(draft.finish(text)?)
    };
    fs::create_dir_all(out).map_err(|e| {
        Failure::Run(miette!("cannot write to folder `{}`: {e}; give another one to --out", out.display()))
    })?;
    write(COMPARISON_PLOT, report::plot::comparison(&comparison).map_err(Failure::run)?)?;
    write(COMPARISON_PAGE, comparison.page().map_err(Failure::run)?)?;
    show(&mut json)?;
    json.print(&format!("{} and {COMPARISON_PLOT} are written", out.join(COMPARISON_PAGE).display()))?;
    json.close()
}

/// The last part of a path.
fn name(folder: &Path) -> String {
    let whole = folder.file_name().unwrap_or(folder.as_os_str());
    whole.to_string_lossy().into_owned()
}
