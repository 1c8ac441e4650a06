//! A recorded search for the page.
//!
//! A trace has one record for each node, in the order in which nodes were left; the page needs rows in the order in which they
//! were entered, seen by the side that moved, with the moves that were not searched in between. A trace with more nodes
//! than requested is cut where the subtrees are small.

mod largest;
mod named_moves;
mod result;
mod rows;

pub use result::SearchSummary;

use quarterply_engine::position::{Game, Position};
use quarterply_engine::rules::Rule;

use self::largest::largest;
use self::rows::RowBuilder;
use super::{SearchInput, TreeInfo, View, sign};
use crate::move_sources::MoveSources;
use crate::trace::record::NETWORK;
use crate::trace::{NodeId, Purpose, Trace, TraceError};

impl View {
    /// The tree of a recorded search with at most about `nodes_max` of its nodes, those with the largest subtrees.
    pub fn of_trace(trace: &Trace, nodes_max: usize) -> Result<View, TraceError> {
        let game = trace.game()?;
        let position = game.position();
        let open = largest(trace, nodes_max)?;
        let mut rows = RowBuilder::new(trace, open, about(trace, position)?, game.castling_mode());
        let summary = trace.summary();
        let last = last_exact(trace);
        for iteration in &summary.iterations {
            if let Some(root) = iteration.root {
                rows.add_iteration(root, iteration, position, last == Some(root))?;
            }
        }
        let hidden = trace.len().saturating_sub(rows.read());
        let mut view = rows.finish();
        view.about.cut = hidden;
        if hidden > 0 {
            let counts = decision_counts(trace)?;
            view.about.rules.iter_mut().zip(counts).for_each(|(rule, count)| rule.count = count);
            view.explain();
            view.about.places = MoveSources::of(trace)?.tallies();
        }
        if let Some(root) = view.rows.first_mut() {
            root.nodes = root.nodes.max(u32::try_from(summary.nodes).unwrap_or(u32::MAX));
        }
        view.basis = basis(trace, game);
        view.labels = Rule::ALL.iter().map(|&rule| trace.labels(rule).to_vec()).collect();
        Ok(view)
    }
}

/// The game and the parameters of the trace. `None` for searches with a network, which the trace only names, and for model
/// trees, for which see [`crate::model_search::ModelSetup`].
fn basis(trace: &Trace, game: Game) -> Option<SearchInput> {
    let header = trace.header();
    let parameters = header.parameters().ok()?;
    let root = trace.last_root().and_then(|root| trace.node(root).ok());
    let is_model = root.is_some_and(|root| root.only.is_some());
    (!is_model && !header.profile.contains(NETWORK)).then_some(SearchInput { game, parameters, playable: None })
}

/// Number of decisions of each rule in the whole trace, shown or not.
fn decision_counts(trace: &Trace) -> Result<Vec<u64>, TraceError> {
    let mut counts = vec![0; Rule::ALL.len()];
    for id in 0..trace.len() {
        trace.node(id)?.reasons().for_each(|by| counts[by.rule as usize] += 1);
    }
    Ok(counts)
}

fn about(trace: &Trace, position: &Position) -> Result<TreeInfo, TraceError> {
    let (header, summary) = (trace.header(), trace.summary());
    let found = SearchSummary::of("", trace)?;
    let mut remarks: Vec<String> = found.unfinished.into_iter().collect();
    if !header.limits.is_empty() {
        remarks.push(format!("Limits of the search: {}.", header.limits));
    }
    if !header.filter.is_empty() {
        remarks.push(format!("Recorded only: {}.", header.filter));
    }
    if !header.parameters.is_empty() {
        let changed: Vec<String> = header.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        remarks.push(format!("Parameters that differ from the default: {}.", changed.join(", ")));
    }
    let unknown = ("", "");
    let known = Purpose::ALL.iter().map(|purpose| (purpose.name(), purpose.question()));
    let purposes = std::iter::once(unknown).chain(known).collect();
    Ok(TreeInfo {
        nodes: summary.nodes,
        unrecorded: summary.unrecorded,
        profile: header.profile.clone(),
        depth: found.depth,
        value: found.value.0,
        bound: sign(found.bound),
        line: found.line,
        remarks,
        purposes,
        ..TreeInfo::search(position.fen())
    })
}

/// The root of the last iteration with a value inside its window: it has a principal variation.
fn last_exact(trace: &Trace) -> Option<NodeId> {
    let mut exact = trace.chosen_iterations().rev().filter(|info| info.line == 0 && info.is_exact());
    exact.find_map(|info| info.root).or_else(|| trace.last_root())
}
