//! `quarterply window why MOVE`: why is a move not the best?

use std::io::{self, Write};
use std::process::ExitCode;

use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::score::Depth;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::words::grouped;
use quarterply_window::show::line_names;
use quarterply_window::trace::Filter;
use quarterply_window::trace::record::{RecordSetup, Recording};
use quarterply_window::why::{Explanation, MoveQuestion, explain};
use quarterply_window::words;
use serde_json::{Value, json};

use super::support::{self, StartPosition, show_failure};
use super::what_if::{self, WhatIfQuestion};
use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::listing::{Listing, terminal_width, wrapped};
use crate::numbers::count;

/// Columns of a paragraph, at most.
const WIDTH: usize = 110;

/// Which move.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Move, such as Nf3 or g1f3.
    #[arg(value_name = "MOVE")]
    pub mv: String,
    #[command(flatten)]
    pub place: StartPosition,
    /// Explain a move at the position after these moves from the root.
    #[arg(long, value_name = "MOVES")]
    pub after: Option<String>,
    /// Search again without each of at most N rules that affected the move, one rule at a time.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = count::<u64>(0..=30))]
    pub rules: u64,
    /// Limit a search with a rule off to N times the moves of the unchanged search.
    #[arg(long, value_name = "N", default_value_t = what_if::NODE_FACTOR, value_parser = count::<u64>(1..))]
    pub node_factor: u64,
}

/// Searches, explains, and searches the move again with each of the rules off that affected it.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    let game = arguments.place.game()?;
    let question = question(&game, arguments)?;
    let (profile, parameters) = support::parameters(common)?;
    let limits = arguments.place.limits.get();
    let hash = arguments.place.hash;
    let filter = Filter::default();
    let setup = RecordSetup { game: &game, parameters: &parameters, profile: &profile, limits: &limits, hash, filter };
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let (control, stop) =
        interrupt::control("stopping: the answer of the search so far follows (press Ctrl-C again to end at once)")?;
    let (trace, recording) = support::record_aside(&setup, &control)?;
    let account = explain(&trace, &question).map_err(show_failure)?;
    let mut report = as_json(&game, &arguments.mv, &recording, &account);
    let mut out = json.out();
    introduce(&mut out, &game, &recording)?;
    out.flush()?;
    if account.is_best || stop.is_set() {
        paragraph(&mut out, &account.answer)?;
        evidence(&mut out, &account)?;
    } else {
        let mut place = game.clone();
        question.after.iter().for_each(|&mv| place.play(mv));
        let trial = trial(&place, &parameters, arguments, (&question, &recording, &account));
        let answer = trial.run(&account.rules, arguments.rules, &stop)?;
        paragraph(&mut out, &answer.alone)?;
        // If the search of all moves did not search the move, its answer gives the reason; else the evidence repeats its result.
        if account.refutation.is_none() {
            paragraph(&mut out, &account.answer)?;
        }
        evidence(&mut out, &account)?;
        trial.tell(&mut out, &answer)?;
        report["what_if"] = trial.as_json(&answer);
    }
    out.flush()?;
    json.write(&report)?;
    json.close()?;
    Ok(if stop.is_set() { interrupt::code() } else { ExitCode::SUCCESS })
}

/// The move in its position, to be searched again as deep as it was.
fn trial<'a>(
    game: &'a Game,
    parameters: &'a Parameters,
    arguments: &Arguments,
    (question, recording, account): (&MoveQuestion, &Recording<()>, &Explanation),
) -> WhatIfQuestion<'a> {
    let whole = recording.summary.depth;
    let inside = || account.depth.unwrap_or_else(|| whole.saturating_sub(question.after.len() as u32));
    let depth = if question.after.is_empty() { whole } else { inside() }.max(1);
    let nodes = recording.outcome.nodes.saturating_mul(arguments.node_factor).max(what_if::NODES_LEAST);
    WhatIfQuestion { game, parameters, mv: question.mv, depth, nodes, hash: arguments.place.hash }
}

fn as_json(game: &Game, mv: &str, recording: &Recording<()>, account: &Explanation) -> Value {
    let report = &recording.outcome.report;
    let iterations = account.iterations.iter().map(|seen| {
        json!({
            "depth": seen.depth.0, "voter": seen.voter + 1, "finished": seen.finished, "place": seen.place, "deducted": seen.deducted.map(|cost| cost.0), "nodes": seen.nodes,
            "value": seen.value.map(|(value, _)| value.0), "decision": seen.value.map(|(_, decision)| decision.name()),
        })
    });
    json!({
        "fen": game.fen(), "move": mv, "depth": recording.summary.depth, "nodes": recording.outcome.nodes, "score": report.score.0,
        "line": recording.summary.line, "is_best": account.is_best, "answer": account.answer, "sentences": account.sentences,
        "refutation": account.refutation.as_ref().map(|line| json!({"moves": line.moves, "end": line.end})),
        "iterations": iterations.collect::<Vec<_>>(),
    })
}

/// The moves that were given, checked from the root on.
fn question(game: &Game, arguments: &Arguments) -> Result<MoveQuestion, Failure> {
    let mut game = game.clone();
    let mut after = Vec::new();
    for text in arguments.after.iter().flat_map(|moves| moves.split_whitespace()) {
        let mv = support::read_move(&game, text)?;
        after.push(mv);
        game.play(mv);
    }
    Ok(MoveQuestion { after, mv: support::read_move(&game, &arguments.mv)? })
}

fn introduce(out: &mut dyn Write, game: &Game, recording: &Recording<()>) -> Result<(), Failure> {
    let report = &recording.outcome.report;
    let (line, depth) = (san_line(game, &report.line), recording.summary.depth);
    let value = words::proven(report.score, report.bound);
    let nodes = words::several(recording.outcome.nodes, "node");
    let side = words::side(game.position().turn());
    writeln!(out, "{}", game.fen())?;
    let last = recording.summary.iterations.last().filter(|iteration| iteration.score.is_none());
    let begun =
        last.map_or(String::new(), |last| format!(", iteration {} unfinished", words::plies(Depth(last.depth))));
    writeln!(out, "Searched to depth {depth} with {nodes}{begun}. Best: {line} ({value}; pawns for {side}).\n")?;
    Ok(())
}

/// Moves in short algebraic notation.
pub fn san_line(game: &Game, line: &[Move]) -> String {
    line_names(game.position(), line).join(" ")
}

fn evidence(out: &mut dyn Write, account: &Explanation) -> Result<(), Failure> {
    if !account.sentences.is_empty() {
        writeln!(out, "\nEvidence:")?;
    }
    for sentence in &account.sentences {
        paragraph(out, sentence)?;
    }
    if let Some(line) = &account.refutation {
        if !line.moves.is_empty() {
            paragraph(out, &format!("The line after the move: {}.", line.moves.join(" ")))?;
        }
        paragraph(out, &line.end)?;
    }
    if account.iterations.is_empty() {
        return Ok(());
    }
    let mut listing = Listing::new(&["iteration", "place", "cost (plies)", "value", "nodes", "decision"], 0..5);
    for seen in &account.iterations {
        let (value, decision) = match seen.value {
            Some((value, decision)) => (words::move_value(value, decision), decision.name()),
            None => ("-".to_owned(), "stopped"),
        };
        let unfinished = if seen.finished { "" } else { ", iteration unfinished" };
        let voter = if seen.voter == 0 { String::new() } else { format!(", voter {}", seen.voter + 1) };
        listing.add_row([
            words::plies(seen.depth) + &voter,
            seen.place.to_string(),
            seen.deducted.map_or("-".to_owned(), words::plies),
            value,
            grouped(seen.nodes),
            format!("{decision}{unfinished}"),
        ]);
    }
    writeln!(out, "\n{listing}")?;
    Ok(())
}

/// A sentence, broken into lines.
pub fn paragraph(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let width = terminal_width().map_or(WIDTH, |width| width.min(WIDTH));
    writeln!(out, "{}", wrapped(text, width, "  "))
}
