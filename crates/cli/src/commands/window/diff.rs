//! `quarterply window diff`: where two searches of one position differ.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::ArgPredicate;
use miette::miette;
use quarterply_engine::score::{Depth, Score};
use quarterply_engine::words::grouped;
use quarterply_window::diff::align::{Aligned, AlignmentExtent, align};
use quarterply_window::diff::page::{self, SearchSummary};
use quarterply_window::diff::{self, SearchComparison, SearchDifference};
use quarterply_window::trace::record::RecordSetup;
use quarterply_window::trace::{Decision, Filter};
use quarterply_window::words;
use serde_json::json;

use super::support::{self, StartPosition, show_failure};
use super::why::paragraph;
use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT, create};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::listing::Listing;
use crate::numbers::count;

/// Depth when nothing else limits the searches.
const DEPTH_DEFAULT: &str = "8";
/// Two profiles are compared.
const SIDES: usize = 2;

/// Which two searches.
#[derive(clap::Args, Debug)]
#[command(mut_arg("depth", |depth| depth.default_value(DEPTH_DEFAULT).default_value_if("nodes", ArgPredicate::IsPresent, None)))]
#[command(mut_arg("nodes", |nodes| nodes.default_value(None::<&str>).help("Limit each search to N nodes; without --depth, its depth has no limit")))]
pub struct Arguments {
    #[command(flatten)]
    pub place: StartPosition,
    /// Set one parameter of the second search only; may be repeated.
    #[arg(long, value_name = "RULE.PARAMETER=VALUE")]
    pub set_second: Vec<String>,
    /// List N causes, moves and single differences each.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = count::<u64>(1..=200))]
    pub list: u64,
    /// Write both trees side by side as a page.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Page: show N plies below the root.
    #[arg(long, value_name = "N", default_value_t = AlignmentExtent::default().plies, value_parser = count::<usize>(0..=60))]
    pub expand: usize,
    /// Page: show rows of moves with at least N permille of the nodes of a search.
    #[arg(long, value_name = "N", default_value_t = AlignmentExtent::default().share, value_parser = count::<u64>(0..=1000))]
    pub share: u64,
}

/// Records both searches and sets them side by side.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    let game = arguments.place.game()?;
    let limits = arguments.place.limits.get();
    let names = names(common, arguments)?;
    let draft = arguments.output.as_ref().map(|path| create(common, path, NO_INPUT)).transpose()?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let (control, stop) = interrupt::control(
        "stopping: the iterations that both searches finished are compared (press Ctrl-C again to end at once)",
    )?;
    let mut sides = Vec::new();
    for (side, name) in names.iter().enumerate() {
        let mut changed = common.clone();
        if side > 0 {
            changed.set.extend(arguments.set_second.iter().cloned());
        }
        let (profile, parameters) = support::named_parameters(name.as_deref(), &changed)?;
        let (hash, filter) = (arguments.place.hash, Filter::default());
        let setup =
            RecordSetup { game: &game, parameters: &parameters, profile: &profile, limits: &limits, hash, filter };
        let recorded = support::record_aside(&setup, &control)?;
        sides.push((profile, recorded));
    }
    let [(one, (trace, _)), (other, (other_trace, _))] = &sides[..] else {
        refuse!("cannot compare more than two searches; give --profile twice");
    };
    let Some((roots, depth)) = diff::common_roots([trace, other_trace]) else {
        refuse!(
            "cannot compare the searches: they have no finished iteration in common; give more --nodes or a --depth"
        );
    };
    let extent = AlignmentExtent { plies: arguments.expand, share: arguments.share };
    let aligned = align([trace, other_trace], roots, extent).map_err(show_failure)?;
    let comparison = &aligned.comparison;
    let mut labels = [one.clone(), other.clone()];
    if !arguments.set_second.is_empty() {
        labels[1] = format!("{other}, {}", arguments.set_second.join(", "));
    }
    json.write(&as_json(&labels, depth, &aligned))?;
    let mut out = json.out();
    let summaries = [SearchSummary::of(&labels[0], trace), SearchSummary::of(&labels[1], other_trace)];
    let [first, second] = summaries.map(|summary| summary.map_err(|error| show_failure(error.into())));
    let summaries = [first?, second?];
    // First, because the reader of stdout may be gone.
    if let Some(draft) = draft {
        draft.finish(page::page(&game.fen(), &words::plies(depth), &summaries, &aligned))?;
    }
    writeln!(out, "{}", game.fen())?;
    headline(&mut out, "A", &summaries[0])?;
    headline(&mut out, "B", &summaries[1])?;
    print(&mut out, comparison, depth, arguments.list as usize)?;
    writeln!(out, "\n{}", aligned.divergence.sentence(&words::plies(depth)))?;
    out.flush()?;
    if stop.is_set() { Ok(interrupt::code()) } else { json.close() }
}

/// The names of both profiles: two, or one of them twice if `--set-second` makes the difference.
fn names(common: &Common, arguments: &Arguments) -> Result<[Option<String>; SIDES], Failure> {
    match &common.profiles[..] {
        [one, other] => Ok([Some(one.clone()), Some(other.clone())]),
        [] | [_] if !arguments.set_second.is_empty() => Ok([common.profile.clone(), common.profile.clone()]),
        given => Err(Failure::Input(miette!(
            "cannot compare: {} given; give --profile twice, or --set-second RULE.PARAMETER=VALUE for the second search",
            words::several(given.len() as u64, "profile")
        ))),
    }
}

/// Depth, value and line of the last finished iteration, and below it what a later one had found when it was stopped.
fn headline(out: &mut dyn Write, letter: &str, summary: &SearchSummary) -> io::Result<()> {
    let (label, depth, value) = (&summary.label, summary.depth, summary.proven());
    let nodes = words::several(summary.nodes, "node");
    writeln!(out, "{letter} {label}: depth {depth}, value {value}, {nodes}: {}", summary.line)?;
    summary.unfinished.iter().try_for_each(|unfinished| writeln!(out, "  {unfinished}"))
}

fn print(out: &mut dyn Write, comparison: &SearchComparison, depth: Depth, most: usize) -> io::Result<()> {
    let moves = comparison.root.iter().take(most).map(|mv| {
        let score =
            |side: usize| mv.score[side].map_or("-".to_owned(), |(score, decision)| words::move_value(score, decision));
        let place = |side: usize| mv.place[side].map_or("-".to_owned(), |place| place.to_string());
        let [one, other] = mv.nodes.map(grouped);
        [mv.name.clone(), one, other, score(0), score(1), place(0), place(1)]
    });
    let heads = ["move", "nodes A", "nodes B", "value A", "value B", "place A", "place B"];
    let (moves, depth) = (Listing::of(&heads, moves), words::plies(depth));
    writeln!(out, "\nIteration {depth}, the last that both finished:\n{moves}")?;
    if comparison.causes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let common = words::several(comparison.common, "node");
    let introduction = format!(
        "Both trees agree at {common}. Causes of the differences, each in one search only, or in both with different \
         amounts:"
    );
    paragraph(out, &introduction)?;
    let causes = comparison.causes.iter().take(most).map(|(cause, amount)| {
        let [one, other] = amount.nodes.map(grouped);
        [cause.words(), grouped(amount.times), one, other]
    });
    writeln!(out, "{}", Listing::of(&["cause", "times", "nodes A", "nodes B"], causes))?;
    writeln!(out, "\nThe largest single differences:")?;
    for difference in comparison.differences.iter().take(most) {
        let [one, other] = difference.nodes.map(|nodes| words::several(nodes, "node"));
        writeln!(out, "  {}", place(difference))?;
        writeln!(out, "    A {one}: {}", difference.sides[0])?;
        writeln!(out, "    B {other}: {}", difference.sides[1])?;
    }
    Ok(())
}

fn place(difference: &SearchDifference) -> String {
    if difference.path.is_empty() { "at the root".to_owned() } else { format!("after {}", difference.path.join(" ")) }
}

fn as_json(labels: &[String; SIDES], depth: Depth, aligned: &Aligned) -> serde_json::Value {
    let comparison = &aligned.comparison;
    let score = |found: Option<(Score, Decision)>| found.map(|(score, _)| score.0);
    let decision = |found: Option<(Score, Decision)>| found.map(|(_, decision)| decision.name());
    json!({
        "searches": labels,
        "depth": depth.0,
        "common": comparison.common,
        "first": aligned.divergence.line(),
        "earlier": aligned.divergence.earlier.map(|depth| depth.0),
        "root": comparison.root.iter().map(|mv| json!({
            "move": mv.name, "nodes": mv.nodes, "score": mv.score.map(score),
            "decision": mv.score.map(decision), "place": mv.place,
        })).collect::<Vec<_>>(),
        "causes": comparison.causes.iter().map(|(cause, amount)| json!({
            "cause": cause.words(), "times": amount.times, "nodes": amount.nodes,
        })).collect::<Vec<_>>(),
        "differences": comparison.differences.iter().map(|difference| json!({
            "path": difference.path, "cause": difference.cause.words(), "sides": difference.sides, "nodes": difference.nodes,
        })).collect::<Vec<_>>(),
    })
}
