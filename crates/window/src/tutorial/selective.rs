//! Where a search looks longer and where it does not look at all.

use super::count::{self, Count, Counted};
use super::trees::{COUNTED, paragraph, row};
use super::{
    Chapter, ChapterPart, Depths, ExampleSearch, FigureTable, LARGE, ParameterValues, TutorialError, budgets, prose,
};
use crate::show::name;
use crate::words;
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::words::grouped;

/// The queen can take a knight that a pawn protects.
pub(super) const HANGING: &str = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 2 3";
/// White mates in two, by a move that threatens nothing.
pub(super) const ZUGZWANG: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
/// White wins by a quiet move and checks; from our own games (`data/suites/quarterply-tactics.epd`, Tactics.0775).
pub(super) const CHECKS: &str = "1r3rk1/7R/6P1/p1p1N3/PnPpP3/3P1p2/P7/2K2B2 w - - 0 43";

/// Iterations in which the examples are shown.
pub(super) const ZUGZWANG_ITERATIONS: std::ops::RangeInclusive<u32> = 2..=6;
pub(super) const CHECKS_ITERATIONS: std::ops::RangeInclusive<u32> = 3..=6;
/// The textbook's search of the hanging knight, by depth.
const HANGING_DEPTHS: std::ops::RangeInclusive<u16> = 1..=3;
/// A ply for every check, also for one that loses material.
pub(super) const WHOLE_CHECKS: ParameterValues = &[("check.on", 1), ("check.quarters", 4), ("check.losing_share", 100)];
/// How deep trees are that can be walked through.
const WALKED: u32 = 4;

fn game(fen: &str) -> Result<Game, TutorialError> {
    Ok(Game::from_fen(fen, CastlingMode::Standard)?)
}

fn walk(game: &Game, profile: &'static str, set: ParameterValues, depth: u32) -> ChapterPart {
    ChapterPart::Search(ExampleSearch { game: game.clone(), profile, set, depth })
}

pub(super) fn quiescence(_: Depths) -> Result<Chapter, TutorialError> {
    let place = game(HANGING)?;
    let mut rows = Vec::new();
    for depth in HANGING_DEPTHS {
        let plain = count::listed(&place, depth);
        let quiet = count::engine(&place, u32::from(depth), &count::classical("classic"))?;
        let cells = |found: &Counted| [found.best.clone(), words::score(found.count.value), grouped(found.count.nodes)];
        rows.push([vec![depth.to_string()], cells(&plain).to_vec(), cells(&quiet).to_vec()].concat());
    }
    let head = vec!["depth", "without", "value", "nodes", "with", "value", "nodes"];
    Ok(Chapter {
        title: "Quiescence: do not stop in the middle of an exchange",
        blocks: vec![
            paragraph(prose::QUIESCENCE_BEFORE),
            ChapterPart::Board(place.clone()),
            paragraph(prose::QUIESCENCE_BETWEEN),
            ChapterPart::FigureTable(FigureTable { head, rows }),
            paragraph(prose::QUIESCENCE_AFTER),
            walk(&place, "classic", &[], 2),
        ],
    })
}

/// The textbook without and with some switches, iteration by iteration.
fn by_iteration(
    place: &Game,
    iterations: std::ops::RangeInclusive<u32>,
    head: [&'static str; 2],
    set: &[(&str, i32)],
) -> Result<ChapterPart, TutorialError> {
    let plain = count::classical("classic");
    let changed = count::with(&plain, set);
    let mut rows = Vec::new();
    for iteration in iterations {
        let mut row = vec![iteration.to_string()];
        for parameters in [&plain, &changed] {
            let found = count::engine(place, iteration, parameters)?;
            row.extend([found.best, words::score(found.count.value), grouped(found.count.nodes)]);
        }
        rows.push(row);
    }
    let [without, with] = head;
    Ok(ChapterPart::FigureTable(FigureTable {
        head: vec!["depth", without, "value", "nodes", with, "value", "nodes"],
        rows,
    }))
}

/// Two counted searches of the middlegame.
fn pair(depth: u32, name: &str, set: &[(&str, i32)]) -> Result<ChapterPart, TutorialError> {
    let place = game(LARGE)?;
    let plain = count::classical("classic");
    let [without, with] =
        [count::engine(&place, depth, &plain)?, count::engine(&place, depth, &count::with(&plain, set))?];
    let rows = vec![row("without", without.count, without.count), row(name, with.count, without.count)];
    Ok(ChapterPart::FigureTable(FigureTable { head: COUNTED.to_vec(), rows }))
}

pub(super) fn null_move(depths: Depths) -> Result<Chapter, TutorialError> {
    const ON: ParameterValues = &[("null_move.on", 1)];
    let zugzwang = game(ZUGZWANG)?;
    Ok(Chapter {
        title: "Null move: good enough even without moving",
        blocks: vec![
            paragraph(prose::NULL_BEFORE),
            ChapterPart::Text(format!("The middlegame of chapter 4, {} plies deep:", depths.rules)),
            pair(depths.rules, "with null move", ON)?,
            walk(&game(LARGE)?, "classic", ON, WALKED),
            paragraph(prose::NULL_BETWEEN),
            ChapterPart::Board(zugzwang.clone()),
            by_iteration(&zugzwang, ZUGZWANG_ITERATIONS, ["without", "with null move"], ON)?,
            paragraph(prose::NULL_AFTER),
            walk(&zugzwang, "classic", ON, WALKED),
        ],
    })
}

pub(super) fn reductions(depths: Depths) -> Result<Chapter, TutorialError> {
    const ON: ParameterValues = &[("late_move_reduction.on", 1)];
    let mut blocks = vec![paragraph(prose::REDUCTIONS_BEFORE)];
    for depth in [depths.rules.saturating_sub(2).max(1), depths.rules] {
        blocks.push(ChapterPart::Text(format!("{depth} plies deep:")));
        blocks.push(pair(depth, "with reductions", ON)?);
    }
    blocks.push(paragraph(prose::REDUCTIONS_AFTER));
    blocks.push(walk(&game(LARGE)?, "classic", ON, WALKED + 1));
    Ok(Chapter { title: "Reductions: late moves get less", blocks })
}

pub(super) fn extensions(_: Depths) -> Result<Chapter, TutorialError> {
    let place = game(CHECKS)?;
    Ok(Chapter {
        title: "Extensions: forcing moves get more",
        blocks: vec![
            paragraph(prose::EXTENSIONS_BEFORE),
            ChapterPart::Board(place.clone()),
            by_iteration(&place, CHECKS_ITERATIONS, ["without", "with extensions"], WHOLE_CHECKS)?,
            paragraph(prose::EXTENSIONS_AFTER),
            walk(&place, "classic", WHOLE_CHECKS, WALKED - 1),
        ],
    })
}

pub(super) fn rules(depths: Depths) -> Result<Chapter, TutorialError> {
    let place = game(LARGE)?;
    let depth = depths.rules;
    let (plain, counts) = count::rules(&place, depth)?;
    let idle = |count: &Count| *count == plain;
    let mut rows = vec![row("no rule", plain, plain)];
    rows.extend(counts.iter().filter(|(_, count)| !idle(count)).map(|(name, count)| row(name, *count, plain)));
    let named = counts.iter().filter(|(_, count)| idle(count)).map(|(name, _)| name.trim_end_matches(" alone"));
    let nothing: Vec<&str> = named.collect();
    let mut blocks = vec![
        paragraph(prose::SELECTIVE_BEFORE),
        ChapterPart::Text(format!(
            "The middlegame of chapter 4, {depth} plies deep, with quiescence at the end of every line:"
        )),
        ChapterPart::FigureTable(FigureTable { head: COUNTED.to_vec(), rows }),
    ];
    if !nothing.is_empty() {
        blocks.push(ChapterPart::Text(format!("Alone these change nothing here: {}.", nothing.join(", "))));
    }
    blocks.push(paragraph(prose::SELECTIVE_AFTER));
    blocks.push(walk(&place, "default", &[], WALKED + 2));
    Ok(Chapter { title: "Selective search: not every move deserves the same", blocks })
}

/// The first moves of a search at the root with what they were charged, by the rule that prices them.
fn prices(place: &Game, profile: &'static str, depth: u32) -> Result<ChapterPart, TutorialError> {
    const LISTED: usize = 12;
    let trace = ExampleSearch { game: place.clone(), profile, set: &[], depth }.record()?;
    let mut rows = Vec::new();
    let root = trace.last_root().map(|id| trace.node(id)).transpose()?;
    for record in root.iter().flat_map(|root| root.moves()) {
        let Some(searched) = record.searched() else { continue };
        let Some(charged) = searched.charged else { continue };
        let told = searched.ledger.iter().map(|line| words::ledger(line, trace.labels(line.by.rule)));
        let told = told.collect::<Vec<_>>().join("; ");
        rows.push(vec![name(place.position(), Some(record.mv)), words::plies(charged), told]);
    }
    rows.truncate(LISTED);
    Ok(ChapterPart::FigureTable(FigureTable { head: vec!["move", "plies", "price"], rows }))
}

pub(super) fn interest(depths: Depths) -> Result<Chapter, TutorialError> {
    let (middlegame, place) = (game(LARGE)?, game(budgets::POSITION)?);
    let mut rows = Vec::new();
    for iteration in FIRST_ITERATION..=depths.rules.max(FIRST_ITERATION) {
        for (name, separate) in [("one budget", false), ("two budgets", true)] {
            let found = budgets::search(&place, iteration, separate)?;
            let (nodes, value) = (grouped(found.count.nodes), words::score(found.count.value));
            rows.push(vec![format!("iteration {iteration}, {name}"), nodes, value, found.line]);
        }
    }
    Ok(Chapter {
        title: "Two budgets: when dull moves hide a combination",
        blocks: vec![
            paragraph(prose::PRICES_BEFORE),
            prices(&middlegame, "sex", WALKED)?,
            paragraph(prose::BUDGETS_BEFORE),
            ChapterPart::Board(place.clone()),
            ChapterPart::FigureTable(FigureTable { head: vec!["search", "nodes", "value", "line"], rows }),
            paragraph(prose::BUDGETS_AFTER),
            walk(&place, "sex-two", &[], FIRST_ITERATION),
        ],
    })
}

/// The first iteration that the chapter on budgets shows.
const FIRST_ITERATION: u32 = 4;

pub(super) fn realization(_: Depths) -> Result<Chapter, TutorialError> {
    let place = game(LARGE)?;
    Ok(Chapter {
        title: "Realization probability: as far as it may come about",
        blocks: vec![
            paragraph(prose::REALIZATION_BEFORE),
            prices(&place, "realization", WALKED)?,
            paragraph(prose::REALIZATION_AFTER),
            walk(&place, "realization", &[], WALKED),
        ],
    })
}
