//! Minimax, alpha-beta and order, on small trees and in numbers.

use super::count::{self, NodeCount};
use super::{ChapterPart, Depths, FigureTable, LARGE, SARGON, SMALL, STANDARD, TutorialError};
use crate::run::{Evaluation, ModelRun, shown};
use crate::text::decision_text;
use crate::{Model, ModelError, words};
use quarterply_data::EXAMPLES;
use quarterply_engine::position::Game;
use quarterply_engine::score::{Score, Window};
use quarterply_engine::search::classic::Decision;
use quarterply_engine::words::grouped;

fn model(number: usize) -> Result<Model, ModelError> {
    Model::parse(EXAMPLES[number - 1])
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> ChapterPart {
    ChapterPart::Text(text.to_owned())
}

pub(super) fn alpha_beta(_: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let cut = model(2)?;
    let decisions = decisions(&cut.run());
    Ok(vec![
        paragraph("\
White is to move and searches three plies deep: two moves, two replies to each, two moves after each reply. Only the eight leaves
are evaluated; scores are in pawns for the side that made the last move. Minimax gives every other node the value of its best move.
What is good for one side is as bad for the other, so a value changes its sign at each ply (negamax).

Here nothing can be left out, and all fourteen nodes get a value:"),
        ChapterPart::Tree(model(1)?),
        paragraph("\
The capture on d3 wins a piece at once and is worth 3.250: Black has the better of two defences. The knight's check is worth
9.000, because both replies lose the queen. The principal variation, the line of best moves for both sides, is marked.

Alpha-beta finds the same value with less work. Each node is searched with a window (alpha, beta). Alpha is the value that
the side to move has already by another move here or two plies higher. Beta is the value to which the opponent can limit it by
another move one ply higher. A move is then worth one of three things:"),
        ChapterPart::FigureTable(FigureTable {
            head: vec!["value", STANDARD, SARGON],
            rows: [
                ["at least beta", "fails high: beta cutoff, the other moves are not searched", "value >= A: ALPHA BETA CUTOFF"],
                ["between", "new best move, raises alpha", "value > M: NEW BEST"],
                ["at most alpha", "fails low, changes nothing", "value <= M: discard"],
            ]
            .map(|row| row.map(str::to_owned).to_vec())
            .to_vec(),
        }),
        paragraph("\
The third column is the notation of \"A Window into Sargon\", in which the diagrams of this project are written. A node that was
evaluated has the text (N): value [A,M] comparison RESULT. N counts the evaluations, A is beta, M is alpha, both for the side that made
the move. An open beta is MAX, an open alpha -MAX. An asterisk marks the principal variation.

In the next tree White has found a move worth 12, a mate that nothing prevents. The first reply to the other move already
limits White to 0. That reply refutes the move. Its value for Black is at least -12, which equals its beta, and the
program stops there, although the reply is really worth 0. The second reply is never searched."),
        ChapterPart::Tree(cut),
        paragraph("Every decision in that tree, in both notations:"),
        ChapterPart::FigureTable(FigureTable { head: vec!["node", STANDARD, SARGON], rows: decisions }),
        paragraph("\
Equality is enough for a cutoff: a value that only equals the best one so far cannot change the choice. A cutoff
loses nothing: the value of the root is that of minimax."),
    ])
}

/// The evaluations of a run, in standard terms and in the notation of A Window into Sargon.
fn decisions(run: &ModelRun<'_>) -> Vec<Vec<String>> {
    let infinite = |value: Score| match shown(value).as_str() {
        "MAX" => "infinity".to_owned(),
        "-MAX" => "-infinity".to_owned(),
        known => known.to_owned(),
    };
    let row = |e: &Evaluation| {
        let Window { alpha, beta } = e.result.window;
        let (value, window) = (shown(e.result.value), format!("({}, {})", infinite(alpha), infinite(beta)));
        let outcome = match e.result.decision {
            Decision::Cutoff => "fails high: beta cutoff".to_owned(),
            Decision::Best => format!("new best, alpha becomes {value}"),
            Decision::NotBest => "fails low".to_owned(),
        };
        vec![
            run.node(e.node).line.clone(),
            format!("{value} in {window}: {outcome}"),
            decision_text(e).trim().to_owned(),
        ]
    };
    run.evaluations().map(row).collect()
}

pub(super) fn variation(_: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    Ok(vec![
        paragraph("\
A program that keeps no line still knows the principal variation afterwards. It notes every node that became the best of its
siblings, in the order of the search. Reading that list once, from its end, is enough. This is the list of the first tree of chapter 1:"),
        ChapterPart::Scan(model(1)?),
        paragraph("\
The last entry of ply 1 is the move; the last entry of ply 2 before it is the reply that made its value, and so on.

The next tree is from a real ending. Moves without numbers in the diagram were created and not evaluated, or never created. One of
the lines that are not searched ends in mate, and that changes nothing: the opponent would not enter it."),
        ChapterPart::Tree(model(4)?),
    ])
}

pub(super) fn order(_: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let evaluated = |number: usize| -> Result<usize, ModelError> { Ok(model(number)?.run().evaluations().count()) };
    let (good, bad) = (evaluated(2)?, evaluated(3)?);
    let (plain, ordered) = (evaluated(1)?, evaluated(5)?);
    Ok(vec![
            paragraph("\
How many nodes alpha-beta saves depends on the move order: a strong first move sets a bound that later moves do not reach. Here
is the second tree of chapter 1 again with its two moves exchanged."),
            ChapterPart::Tree(model(3)?),
            ChapterPart::Text(format!("The better move first: {good} evaluations. The better move last: {bad}.")),
            paragraph("\
A program cannot know the best move before it searches, but it can guess. In the first tree of chapter 1, every position now gets
a static score when it is created, and moves are tried in the order of that guess. The guess is never part of the result."),
            ChapterPart::Tree(model(5)?),
            ChapterPart::Text(format!(
                "As listed: {plain} evaluations. By static score: {ordered}. The value is the same."
            )),
    ])
}

pub(super) fn numbers(depths: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let mut blocks = vec![paragraph("\
With b moves in each position and d plies, minimax looks at b to the power of d positions; with a perfect order, alpha-beta
needs about twice the square root of that. The order here is a guess: the static evaluation after the move, minus three pawns
if the opponent can win the moved piece. Nodes are moves made; the three searches must agree on the value, and they do.")];
    for (fen, depth) in [(SMALL, depths.small), (LARGE, depths.large)] {
        let game = Game::standard(fen)?;
        let whole = count::minimax(&game, depth).count;
        let listed = count::alpha_beta(&game, depth, false);
        let ordered = count::alpha_beta(&game, depth, true);
        let counts = [("minimax", whole), ("alpha-beta", listed), ("alpha-beta, ordered", ordered)];
        blocks.push(ChapterPart::Board(game));
        blocks.push(ChapterPart::Text(format!("{} deep:", words::several(depth.into(), "ply"))));
        blocks.push(ChapterPart::FigureTable(FigureTable {
            head: COUNTED.to_vec(),
            rows: counts.iter().map(|(name, count)| row(name, *count, whole)).collect(),
        }));
    }
    blocks.push(paragraph("\
The evaluation is that of the engine, at the end of every line, also in the middle of an exchange. A real search continues
until captures are settled (quiescence). Its order is better too, because it learns while it searches."));
    Ok(blocks)
}

/// Columns of searches that are counted.
pub(super) const COUNTED: [&str; 4] = ["search", "nodes", "share", "value"];

/// A table row: a counted search and the one that it is compared with.
pub(super) fn row(name: &str, count: NodeCount, whole: NodeCount) -> Vec<String> {
    const PERCENT: f64 = 100.0;
    let share = PERCENT * count.nodes as f64 / whole.nodes.max(1) as f64;
    vec![name.to_owned(), grouped(count.nodes), format!("{share:.2} %"), words::score(count.value)]
}
