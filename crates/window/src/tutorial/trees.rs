//! Minimax, alpha-beta and order, on small trees and in numbers.

use super::count::{Count, alpha_beta, minimax as whole_tree};
use super::{Chapter, ChapterPart, Depths, FigureTable, LARGE, SMALL, TutorialError, prose};
use crate::{Model, ModelError, words};
use quarterply_data::EXAMPLES;
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::words::grouped;

fn model(number: usize) -> Result<Model, ModelError> {
    Model::parse(EXAMPLES[number - 1])
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> ChapterPart {
    ChapterPart::Text(text.to_owned())
}

pub(super) fn minimax(_: Depths) -> Result<Chapter, TutorialError> {
    Ok(Chapter {
        title: "Minimax: everyone does the best they can",
        blocks: vec![
            paragraph(prose::MINIMAX_BEFORE),
            ChapterPart::Tree(model(1)?),
            paragraph(prose::MINIMAX_AFTER),
            ChapterPart::Scan(model(1)?),
            paragraph(prose::SCAN_AFTER),
        ],
    })
}

pub(super) fn refutations(_: Depths) -> Result<Chapter, TutorialError> {
    Ok(Chapter {
        title: "Alpha-beta: one refutation is enough",
        blocks: vec![
            paragraph(prose::CUTOFF_BEFORE),
            ChapterPart::Tree(model(2)?),
            paragraph(prose::CUTOFF_AFTER),
            ChapterPart::Tree(model(4)?),
            paragraph(prose::MATE_AFTER),
        ],
    })
}

pub(super) fn order(_: Depths) -> Result<Chapter, TutorialError> {
    let evaluated = |number: usize| -> Result<usize, ModelError> { Ok(model(number)?.run().evaluations().count()) };
    let (good, bad) = (evaluated(2)?, evaluated(3)?);
    let (plain, ordered) = (evaluated(1)?, evaluated(5)?);
    Ok(Chapter {
        title: "Order: the same answer for less work",
        blocks: vec![
            paragraph(prose::ORDER_BEFORE),
            ChapterPart::Tree(model(3)?),
            ChapterPart::Text(format!("The better move first: {good} evaluations. The better move last: {bad}.")),
            paragraph(prose::STATIC_BEFORE),
            ChapterPart::Tree(model(5)?),
            ChapterPart::Text(format!(
                "As listed: {plain} evaluations. By static score: {ordered}. The value is the same."
            )),
        ],
    })
}

pub(super) fn numbers(depths: Depths) -> Result<Chapter, TutorialError> {
    let mut blocks = vec![paragraph(prose::NUMBERS_BEFORE)];
    for (fen, depth) in [(SMALL, depths.small), (LARGE, depths.large)] {
        let game = Game::from_fen(fen, CastlingMode::Standard)?;
        let whole = whole_tree(&game, depth);
        let listed = alpha_beta(&game, depth, false);
        let ordered = alpha_beta(&game, depth, true);
        let counts = [("minimax", whole), ("alpha-beta", listed), ("alpha-beta, ordered", ordered)];
        blocks.push(ChapterPart::Board(game));
        blocks.push(ChapterPart::Text(format!("{depth} plies deep:")));
        blocks.push(ChapterPart::FigureTable(FigureTable {
            head: COUNTED.to_vec(),
            rows: counts.iter().map(|(name, count)| row(name, *count, whole)).collect(),
        }));
    }
    blocks.push(paragraph(prose::NUMBERS_AFTER));
    Ok(Chapter { title: "Real positions: what this means in numbers", blocks })
}

/// Columns of searches that are counted.
pub(super) const COUNTED: [&str; 4] = ["search", "nodes", "share", "value"];

/// A table row: a counted search and the one that it is compared with.
pub(super) fn row(name: &str, count: Count, whole: Count) -> Vec<String> {
    const PERCENT: f64 = 100.0;
    let share = PERCENT * count.nodes as f64 / whole.nodes.max(1) as f64;
    vec![name.to_owned(), grouped(count.nodes), format!("{share:.2} %"), words::score(count.value)]
}
