//! `quarterply window why MOVE`: why is a move not the best?

use std::io::{self, Write};
use std::process::ExitCode;

use clap::value_parser;
use miette::miette;
use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::{San, SanPlus};
use quarterply_window::trace::Filter;
use quarterply_window::trace::record::{Recording, Setup};
use quarterply_window::why::{Account, Question, WhatIf, explain, what_if};
use quarterply_window::words;

use super::support::{self, Place, show_failure};
use crate::args::Common;
use crate::export::table;
use crate::failure::{Done, Failure};

/// A search with a rule off may take so many times the nodes of the search as it is.
const PATIENCE: u64 = 4;
/// Columns of a paragraph.
const WIDTH: usize = 110;

/// Which move.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The move, like Nf3 or g1f3.
    #[arg(value_name = "MOVE")]
    pub mv: String,
    #[command(flatten)]
    pub place: Place,
    /// Ask about a position inside the tree: the moves from the root to it.
    #[arg(long, value_name = "MOVES")]
    pub after: Option<String>,
    /// Try at most so many rules off.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = value_parser!(u64).range(0..=30))]
    pub rules: u64,
}

/// Searches, explains, and searches again with each rule off that had a hand in it.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let game = arguments.place.game()?;
    let question = question(&game, arguments)?;
    let (profile, parameters) = support::parameters(common)?;
    let limits = arguments.place.limits();
    let hash = arguments.place.hash;
    let filter = Filter::default();
    let setup = Setup { game: &game, parameters: &parameters, profile: &profile, limits: &limits, hash, filter };
    let (trace, recording) = support::record_aside(&setup)?;
    let account = explain(&trace, &question).map_err(show_failure)?;
    let mut out = io::stdout().lock();
    introduce(&mut out, &game, &recording)?;
    tell(&mut out, &account)?;
    if !account.is_best || !question.after.is_empty() {
        out.flush()?;
        let first = *question.after.first().unwrap_or(&question.mv);
        compare_rules(&mut out, &setup, &recording, &account.rules, first, arguments.rules)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The moves that were given, checked from the root on.
fn question(game: &Game, arguments: &Arguments) -> Result<Question, Failure> {
    let mut game = game.clone();
    let mut after = Vec::new();
    for text in arguments.after.iter().flat_map(|moves| moves.split_whitespace()) {
        let mv = read_move(&game, text)?;
        after.push(mv);
        game.play(mv);
    }
    Ok(Question { after, mv: read_move(&game, &arguments.mv)? })
}

/// A move in UCI or short algebraic notation.
fn read_move(game: &Game, text: &str) -> Result<Move, Failure> {
    if let Ok(mv) = game.parse_uci(text) {
        return Ok(mv);
    }
    let san = text.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(game.position().chess()).ok());
    san.ok_or_else(|| {
        let legal: Vec<String> = game
            .position()
            .legal_moves()
            .into_iter()
            .map(|mv| San::from_move(game.position().chess(), mv).to_string())
            .collect();
        Failure::Input(miette!("`{text}` is no legal move in {}; legal are {}", game.fen(), legal.join(" ")))
    })
}

fn introduce(out: &mut dyn Write, game: &Game, recording: &Recording<()>) -> Result<(), Failure> {
    let report = &recording.outcome.report;
    let (line, depth) = (san_line(game, &report.line), report.depth);
    let value = words::score(report.score);
    let nodes = words::several(recording.outcome.nodes, "node");
    writeln!(out, "{}", game.fen())?;
    writeln!(out, "Searched to depth {depth} with {nodes}. Best: {line} ({value}).\n")?;
    Ok(())
}

fn san_line(game: &Game, line: &[Move]) -> String {
    let mut position = game.position().chess().clone();
    let mut names = Vec::new();
    for &mv in line {
        names.push(SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string());
    }
    names.join(" ")
}

fn tell(out: &mut dyn Write, account: &Account) -> Result<(), Failure> {
    for sentence in &account.sentences {
        paragraph(out, sentence)?;
    }
    if let Some(line) = &account.refutation {
        if !line.moves.is_empty() {
            paragraph(out, &format!("What follows it: {}.", line.moves.join(" ")))?;
        }
        paragraph(out, &line.end)?;
    }
    if account.iterations.is_empty() {
        return Ok(());
    }
    let mut listing = table(&["iteration", "place", "charged", "value", "nodes", ""], 0..5);
    for seen in &account.iterations {
        let (value, decision) = match seen.value {
            Some((value, decision)) => (words::score(value), words::decision(decision)),
            None => ("-".to_owned(), "stopped"),
        };
        listing.add_row([
            words::plies(seen.depth),
            seen.place.to_string(),
            seen.charged.map_or("-".to_owned(), words::plies),
            value,
            words::count(seen.made),
            decision.to_owned(),
        ]);
    }
    writeln!(out, "\n{listing}\n")?;
    Ok(())
}

/// A sentence, broken into lines.
fn paragraph(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(out, "{line}")?;
            line = " ".to_owned();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{line}")
}

/// What the search says as it is and with each rule off.
fn compare_rules(
    out: &mut dyn Write,
    setup: &Setup<'_>,
    recording: &Recording<()>,
    rules: &[Rule],
    mv: Move,
    most: u64,
) -> Result<(), Failure> {
    let depth = recording.outcome.report.depth.max(1);
    let limits = (depth, recording.outcome.nodes.saturating_mul(PATIENCE).max(1));
    let one = |rule: Option<Rule>| -> Result<WhatIf, Failure> {
        what_if(setup.game, setup.parameters, rule, mv, limits, setup.hash).map_err(Failure::input)
    };
    let title = san_line(setup.game, &[mv]);
    let usual = one(None)?;
    let gap = usual.best_value().0 - usual.value().0;
    let (value, line) = (words::score(usual.value()), san_line(setup.game, &usual.alone.report.line));
    let verdict = if usual.all.best == Some(mv) {
        "which is the best".to_owned()
    } else {
        format!("{gap} less than {}", san_line(setup.game, &usual.all.best.map_or(Vec::new(), |best| vec![best])))
    };
    paragraph(out, &format!("Searched alone to depth {depth}, {title} is worth {value}, {verdict}: {line}."))?;
    let rules: Vec<Rule> = rules.iter().copied().take(most as usize).collect();
    if rules.is_empty() {
        return Ok(());
    }
    let heads = ["what if", &format!("{title} alone"), "best", "value", "nodes", "depth"];
    let mut listing = table(&heads, 1..6);
    listing.add_row(row(setup.game, &usual));
    for rule in rules {
        listing.add_row(row(setup.game, &one(Some(rule))?));
    }
    writeln!(out, "\n{listing}")?;
    Ok(())
}

fn row(game: &Game, result: &WhatIf) -> Vec<String> {
    let best: Vec<Move> = result.all.best.into_iter().collect();
    vec![
        result.without.map_or("as it is".to_owned(), |rule| format!("without {}", rule.name())),
        words::score(result.value()),
        san_line(game, &best),
        words::score(result.best_value()),
        words::count(result.all.nodes),
        result.all.report.depth.to_string(),
    ]
}
