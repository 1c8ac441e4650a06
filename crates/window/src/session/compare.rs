//! Comparison of two searches of the displayed position: as it was, and with other parameters. Both trees are shown side by side. Only one
//! comparison runs at a time; a new one or a closed connection ends the old one.

use std::sync::Arc;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::{ParameterKind, Parameters};
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answers::{Reply, RequestError, SessionAnswer, json_of};
use super::background::BackgroundTask;
use super::{NO_BASIS, NODES_SHOWN, Session, ShownTree, lock};
use crate::diff::align::{Aligned, AlignmentExtent, align};
use crate::diff::common_roots;
use crate::diff::divergence::Divergence;
use crate::diff::page::{self, SearchSummary};
use crate::trace::record::{self, RecordSetup};
use crate::trace::{Filter, Trace};
use crate::view::difference::RowDifferences;
use crate::view::{self, SearchInput, View};
use crate::words;

/// Node limit of each search.
const NODES_MAX: u64 = 1_000_000;
/// Number of causes in the summary; the page lists all.
const CAUSES: usize = 5;
/// Message if a repeated search does not produce the displayed tree.
const NOT_REPEATED: &str = "cannot compare the displayed tree: a repeated search produces another tree, for example after a change of the \
                            table size or of the program; search the position on this page first";
/// Message after the user stopped the comparison.
const STOPPED: &str = "the comparison was stopped";
pub const NO_COMPARISON: &str = "cannot show a comparison: there is none; compare two searches first";

/// The request of the page.
#[derive(Deserialize)]
pub struct CompareBody {
    tree: u64,
    /// Parameters of the second search that differ.
    set: Vec<(String, i32)>,
}

/// The results of a comparison so far.
#[derive(Default, Serialize)]
pub struct ComparisonState {
    error: Option<String>,
    /// Nodes, depth, value and line of both, where the trees differ, and why.
    result: Option<Value>,
    #[serde(skip)]
    page: String,
}

fn basis(session: &Session) -> Result<(Arc<ShownTree>, SearchInput, u32), RequestError> {
    let tree = session.tree();
    let basis = tree.view.basis.clone();
    let basis = basis.ok_or_else(|| RequestError::conflict(NO_BASIS))?;
    let depth = tree.view.about.depth.max(1);
    Ok((tree, basis, depth))
}

/// Heading of the parameters that belong to no rule.
const NO_RULE: &str = "search, ordering and evaluation";

/// Every parameter with its rule, its range and the value that the shown tree was searched with.
pub fn parameters(session: &Session) -> SessionAnswer {
    let (_, SearchInput { parameters, .. }, _) = basis(session)?;
    let list: Vec<Value> = Parameters::specs()
        .filter_map(|entry| {
            let value = parameters.get(&entry.name).ok()?;
            let spec = entry.spec;
            let rule = Rule::ALL.iter().find(|rule| rule.module() == entry.group);
            let meaning = words::capital(spec.doc.trim());
            Some(json!({
                "rule": rule.map(|&rule| rule as u8), "family": rule.map_or(NO_RULE, |rule| rule.family().name()), "about": description(entry.about),
                "name": entry.name, "switch": spec.kind == ParameterKind::Switch, "min": spec.min, "max": spec.max, "step": spec.step,
                "value": value, "meaning": meaning, "doc": format!("{} {meaning}", entry.about),
            }))
        })
        .collect();
    json_of(list)
}

/// The description of a rule without its name: `Check extension: moves that give check are searched deeper.` has both.
fn description(about: &str) -> String {
    words::capital(about.split_once(": ").map_or(about, |(_, text)| text))
}

/// Begins a comparison, and ends the one before.
pub fn start(session: &Session, body: CompareBody) -> SessionAnswer {
    let (tree, basis, depth) = basis(session)?;
    if tree.number != body.tree {
        return Err(RequestError::other_tree());
    }
    if body.set.is_empty() {
        return Err(RequestError::bad("cannot compare: nothing differs; switch a rule or move a slider first"));
    }
    let mut changed = basis.parameters.clone();
    for (name, value) in &body.set {
        changed.set(name, *value).map_err(|error| RequestError::bad(error.to_string()))?;
    }
    let label = body.set.iter().map(|(name, value)| setting(name, *value)).collect::<Vec<_>>().join(", ");
    let work = move |run: &BackgroundTask<ComparisonState>| {
        let found = compare(&tree, &basis, &changed, label, depth, &run.control);
        let mut outcome = run.state();
        match found {
            Ok((result, page)) => (outcome.result, outcome.page) = (Some(result), page),
            Err(error) => outcome.error = Some(error),
        }
    };
    let run = lock(&session.comparisons).begin(ComparisonState::default());
    session.start_task("comparison", run, work, |outcome| {
        let error = "cannot compare: internal error; please report it with the position and the settings";
        outcome.error = Some(error.to_owned());
    })
}

/// A setting in words: `null move off`, `aspiration width 40`.
fn setting(name: &str, value: i32) -> String {
    let rule = name.strip_suffix(".on").unwrap_or(name).replace(['_', '.'], " ");
    match Parameters::find(name) {
        Ok(entry) if entry.spec.kind == ParameterKind::Switch => {
            format!("{rule} {}", if value == 0 { "off" } else { "on" })
        }
        _ => format!("{rule} {value}"),
    }
}

/// Takes the marks off the rows of the tree that is shown.
pub fn clear(session: &Session) -> Value {
    session.tree().mark(None);
    json!({})
}

/// Both trees side by side.
pub fn shown(session: &Session) -> SessionAnswer {
    let run = lock(&session.comparisons).0.clone();
    let page = run.map(|run| run.state().page.clone()).filter(|page| !page.is_empty());
    page.map(Reply::Html).ok_or_else(|| RequestError::conflict(NO_COMPARISON))
}

/// Searches both, marks the differing rows of the tree, and returns the result and both trees as a page.
fn compare(
    tree: &ShownTree,
    basis: &SearchInput,
    changed: &Parameters,
    label: String,
    depth: u32,
    control: &Control,
) -> Result<(Value, String), String> {
    let one = search(basis, &basis.parameters, depth, control)?;
    let other = search(basis, changed, depth, control)?;
    let (roots, depth) = common_roots([&one, &other]).ok_or("the searches have no finished iteration in common")?;
    let aligned = align([&one, &other], roots, AlignmentExtent::default()).map_err(|error| error.to_string())?;
    let view = |trace| View::of_trace(trace, NODES_SHOWN).map_err(|error| error.to_string());
    let side_by_side = view(&other)?;
    if control.stopped() {
        return Err(STOPPED.to_owned());
    }
    // The marks belong to the displayed tree; all other text describes `one`.
    if !RowDifferences::between(&tree.view, &view(&one)?, String::new(), &Divergence::default()).list.is_empty() {
        return Err(NOT_REPEATED.to_owned());
    }
    let found = RowDifferences::between(&tree.view, &side_by_side, label.clone(), &aligned.divergence);
    let summary = |label: &str, trace| SearchSummary::of(label, trace).map_err(|error| error.to_string());
    let sides = [summary("as shown", &one)?, summary(&label, &other)?];
    let text = page::page(&basis.game.fen(), &words::plies(depth), &sides, &aligned);
    let mut result = result(&sides, depth, &aligned);
    result["differences"] = found.summary();
    tree.mark(Some(found));
    Ok((result, text))
}

fn search(basis: &SearchInput, parameters: &Parameters, depth: u32, control: &Control) -> Result<Trace, String> {
    if control.stopped() {
        return Err(STOPPED.to_owned());
    }
    let limits = Limits { depth: Some(depth), nodes: Some(NODES_MAX), ..Limits::default() };
    let (hash, filter) = (TABLE_DEFAULT, Filter::default());
    let setup = RecordSetup { game: &basis.game, parameters, profile: "", limits: &limits, hash, filter };
    let model = basis.playable.as_ref().map(|playable| playable.model.clone());
    record::in_memory(&setup, model, &control.child(), None).map_err(|error| error.to_string())
}

fn side(summary: &SearchSummary) -> Value {
    json!({
        "label": summary.label, "depth": summary.depth, "value": summary.value.0, "bound": view::sign(summary.bound), "line": summary.line, "nodes": summary.nodes,
    })
}

fn result(sides: &[SearchSummary; 2], depth: Depth, aligned: &Aligned) -> Value {
    let causes = aligned.comparison.causes.iter().take(CAUSES);
    json!({
        "depth": words::plies(depth),
        "sides": sides.iter().map(side).collect::<Vec<_>>(),
        "first": aligned.divergence.line(),
        "parting": aligned.divergence.sentence(&words::plies(depth)),
        "causes": causes.map(|(cause, amount)| json!({"cause": cause.words(), "times": amount.times, "nodes": amount.nodes})).collect::<Vec<_>>(),
    })
}
