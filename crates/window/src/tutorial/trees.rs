//! Minimax, alpha-beta and order, on small trees and in numbers.

use super::count::{Count, alpha_beta, minimax as whole_tree};
use super::{Chapter, ChapterPart, Depths, FigureTable, LARGE, SMALL, TutorialError};
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
            paragraph("\
White is to move and looks three plies ahead: two moves of its own, two replies to each, two answers to each reply. Only the
eight positions at the end are judged; the judgement is in pawns and seen by the side that made the last move. Everything
above follows from one rule: a position is worth as much as its best move, and what is good for one side is as bad for the
other. So a value changes its sign on its way up.

In the diagram every node that was judged shows, in this order: when it was (in parentheses), its value, two thresholds in
brackets, the comparison that decided, and the outcome. The right threshold is the best value so far among the siblings; the
left one is for the next chapter. An asterisk marks the line that both sides would choose."),
            ChapterPart::Tree(model(1)?),
            paragraph("\
The capture on d3 wins a piece at once and is worth 3.250: Black finds the better of two defences. The knight's check looks
like nothing on the board, but it is worth 9.000: both replies lose the queen. No move was left out, so all fourteen positions
were judged.

How does the program know the line afterwards? It noted every node that became the best of its siblings, in the order this
happened. Reading that list once, from its end, is enough:"),
            ChapterPart::Scan(model(1)?),
            paragraph("\
Whatever became best last at ply 1 is the move; before it in the list stands the reply that made its value, and so on."),
        ],
    })
}

pub(super) fn refutations(_: Depths) -> Result<Chapter, TutorialError> {
    Ok(Chapter {
        title: "Alpha-beta: one refutation is enough",
        blocks: vec![
            paragraph("\
White has found a move worth 12, a mate that nothing prevents. The other move is tried next. Its first reply already keeps
White from more than 0. How bad the other replies are for White does not matter any more: the move is refuted, and the
search drops it. That is all there is to alpha-beta. The left threshold says what the other side already has elsewhere, two
plies higher up: a value that reaches it cuts."),
            ChapterPart::Tree(model(2)?),
            paragraph("\
Moves that stand in the diagram without numbers were created and never judged, or never came into being. Equality is enough
for a cutoff: a value that only equals what is there already cannot change the choice.

The next tree has the same shape in a real ending. One of the lines that are never looked at ends in mate, and that does no
harm: the opponent would not go there."),
            ChapterPart::Tree(model(4)?),
            paragraph("\
A cutoff loses nothing. The value of the root and a best line are those of minimax, whatever was left out."),
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
            paragraph("\
How much is left out depends on luck: a strong move that comes first sets a threshold which the later ones do not reach. Here
is the second tree again with its two moves exchanged."),
            ChapterPart::Tree(model(3)?),
            ChapterPart::Text(format!("The better move first: {good} evaluations. The better move last: {bad}.")),
            paragraph("\
A program cannot know the best move before it searches, but it can guess. The first tree once more: now every position gets a
static score when it is created, and moves are tried in the order of that guess. The guess is never part of the result."),
            ChapterPart::Tree(model(5)?),
            ChapterPart::Text(format!(
                "As listed: {plain} evaluations. By static score: {ordered}. The value is the same."
            )),
        ],
    })
}

pub(super) fn numbers(depths: Depths) -> Result<Chapter, TutorialError> {
    let mut blocks = vec![paragraph("\
With b moves in each position and d plies, minimax looks at b to the power of d positions; with a perfect order, alpha-beta
needs about twice the square root of that. The order here is a guess: the static evaluation after the move, less three pawns
if the piece can be won where it went. Nodes are moves made; the three searches must agree on the value, and they do.")];
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
    blocks.push(paragraph("\
The evaluation is the engine's own, asked at the end of every line, in the middle of an exchange as well: a real search goes
on until captures are settled (quiescence). Its order is better too, because it learns while it searches."));
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
