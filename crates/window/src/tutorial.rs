//! A chapter on search that makes its own figures: from minimax to alpha-beta, to ordering, to selective search.
//!
//! Every tree and every number in it is searched while it is printed.

mod budgets;
mod count;

use crate::{Model, ModelError, board, text, words};
use count::{Count, alpha_beta, minimax, rules};
use quarterply_data::EXAMPLES;
use quarterply_engine::position::{FenError, Game};
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::table::TableError;
use quarterply_engine::words::grouped;
use std::io::{self, Write};
use thiserror::Error;

/// A position with few pieces and one good move, where deep trees are still small.
const SMALL: &str = "8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40";
/// A middlegame.
const LARGE: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11";

/// How deep the counted searches go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depths {
    /// Minimax and alpha-beta of the small position (plies).
    pub small: u16,
    /// Minimax and alpha-beta of the middlegame (plies).
    pub large: u16,
    /// The engine with one rule after the other (plies).
    pub rules: u32,
}

impl Default for Depths {
    fn default() -> Depths {
        Depths { small: 6, large: 3, rules: 6 }
    }
}

/// Why the chapter was not printed to its end.
#[derive(Debug, Error)]
pub enum TutorialError {
    /// One of the models is not what it should be.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// One of the positions is not what it should be.
    #[error(transparent)]
    Position(#[from] FenError),
    /// No memory for a search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The text cannot be written.
    #[error("the text cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes the chapter.
///
/// # Errors
/// [`TutorialError`].
pub fn write(out: &mut dyn Write, depths: Depths) -> Result<(), TutorialError> {
    one_tree(out)?;
    refutations(out)?;
    order(out)?;
    numbers(out, depths)?;
    selective(out, depths)?;
    two_budgets(out, depths)?;
    writeln!(out, "{END}")?;
    Ok(())
}

fn model(number: usize) -> Result<Model, ModelError> {
    Model::parse(EXAMPLES[number - 1])
}

fn heading(out: &mut dyn Write, number: usize, title: &str) -> io::Result<()> {
    let line = format!("{number}. {title}");
    writeln!(out, "\n{line}\n{}\n", "-".repeat(line.chars().count()))
}

/// The board and the diagram of a model.
fn show(out: &mut dyn Write, model: &Model) -> Result<(), TutorialError> {
    if model.fen.is_some() {
        writeln!(out, "{}\n", board::lines(&model.position()?).join("\n"))?;
    }
    writeln!(out, "{}", text::diagram(&model.run()))?;
    Ok(())
}

fn one_tree(out: &mut dyn Write) -> Result<(), TutorialError> {
    const TITLE: &str = "How a program chooses a move";
    writeln!(out, "{TITLE}\n{}", "=".repeat(TITLE.chars().count()))?;
    heading(out, 1, "Minimax: everyone does the best they can")?;
    writeln!(out, "{MINIMAX_BEFORE}\n")?;
    let model = model(1)?;
    show(out, &model)?;
    writeln!(out, "{MINIMAX_AFTER}\n")?;
    writeln!(out, "{}", text::scan(&model.run()))?;
    writeln!(out, "{SCAN_AFTER}")?;
    Ok(())
}

fn refutations(out: &mut dyn Write) -> Result<(), TutorialError> {
    heading(out, 2, "Alpha-beta: one refutation is enough")?;
    writeln!(out, "{CUTOFF_BEFORE}\n")?;
    show(out, &model(2)?)?;
    writeln!(out, "{CUTOFF_AFTER}\n")?;
    show(out, &model(4)?)?;
    writeln!(out, "{MATE_AFTER}")?;
    Ok(())
}

fn order(out: &mut dyn Write) -> Result<(), TutorialError> {
    heading(out, 3, "Order: the same answer for less work")?;
    writeln!(out, "{ORDER_BEFORE}\n")?;
    show(out, &model(3)?)?;
    let evaluated = |number: usize| -> Result<usize, ModelError> { Ok(model(number)?.run().evaluations().count()) };
    let (good, bad) = (evaluated(2)?, evaluated(3)?);
    writeln!(out, "The better move first: {good} evaluations. The better move last: {bad}.\n")?;
    writeln!(out, "{STATIC_BEFORE}\n")?;
    show(out, &model(5)?)?;
    let (plain, ordered) = (evaluated(1)?, evaluated(5)?);
    writeln!(out, "As listed: {plain} evaluations. By static score: {ordered}. The value is the same.")?;
    Ok(())
}

fn numbers(out: &mut dyn Write, depths: Depths) -> Result<(), TutorialError> {
    heading(out, 4, "Real positions: what this means in numbers")?;
    writeln!(out, "{NUMBERS_BEFORE}\n")?;
    for (fen, depth) in [(SMALL, depths.small), (LARGE, depths.large)] {
        let game = Game::from_fen(fen, CastlingMode::Standard)?;
        writeln!(out, "{}\n", board::lines(game.position()).join("\n"))?;
        let whole = minimax(&game, depth);
        let listed = alpha_beta(&game, depth, false);
        let ordered = alpha_beta(&game, depth, true);
        writeln!(out, "{depth} plies deep:")?;
        for (name, count) in [("minimax", whole), ("alpha-beta", listed), ("alpha-beta, ordered", ordered)] {
            row(out, name, count, whole)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{NUMBERS_AFTER}")?;
    Ok(())
}

fn row(out: &mut dyn Write, name: &str, count: Count, whole: Count) -> io::Result<()> {
    const PERCENT: f64 = 100.0;
    let share = PERCENT * count.nodes as f64 / whole.nodes.max(1) as f64;
    let (nodes, value) = (grouped(count.nodes), words::score(count.value));
    writeln!(out, "  {name:<28} {nodes:>12} nodes {share:>7.2} %   value {value}")
}

fn selective(out: &mut dyn Write, depths: Depths) -> Result<(), TutorialError> {
    heading(out, 5, "Selective search: not every move deserves the same")?;
    writeln!(out, "{SELECTIVE_BEFORE}\n")?;
    let game = Game::from_fen(LARGE, CastlingMode::Standard)?;
    let depth = depths.rules;
    writeln!(out, "The middlegame above, {depth} plies deep, with quiescence at the end of every line:\n")?;
    let (plain, rows) = rules(&game, depth)?;
    row(out, "no rule", plain, plain)?;
    let idle = |count: &Count| *count == plain;
    for (name, count) in rows.iter().filter(|(_, count)| !idle(count)) {
        row(out, name, *count, plain)?;
    }
    let idle: Vec<&str> =
        rows.iter().filter(|(_, count)| idle(count)).map(|(name, _)| name.trim_end_matches(" alone")).collect();
    if !idle.is_empty() {
        writeln!(out, "\nAlone these change nothing here: {}.", idle.join(", "))?;
    }
    writeln!(out, "\n{SELECTIVE_AFTER}")?;
    Ok(())
}

fn two_budgets(out: &mut dyn Write, depths: Depths) -> Result<(), TutorialError> {
    heading(out, 6, "Two budgets: when dull moves hide a combination")?;
    writeln!(out, "{BUDGETS_BEFORE}\n")?;
    let game = Game::from_fen(budgets::POSITION, CastlingMode::Standard)?;
    writeln!(out, "{}\n", board::lines(game.position()).join("\n"))?;
    for iteration in FIRST_ITERATION..=depths.rules.max(FIRST_ITERATION) {
        writeln!(out, "iteration {iteration}")?;
        for (name, separate) in [("one budget", false), ("two budgets", true)] {
            let found = budgets::search(&game, iteration, separate)?;
            let (nodes, value) = (grouped(found.nodes), words::score(found.value));
            writeln!(out, "  {name:<12} {nodes:>9} nodes  value {value:>7}  {}", found.line)?;
        }
    }
    writeln!(out, "\n{BUDGETS_AFTER}")?;
    Ok(())
}

/// The first iteration that the chapter on budgets shows.
const FIRST_ITERATION: u32 = 4;

const MINIMAX_BEFORE: &str = "\
White is to move and looks three plies ahead: two moves of its own, two replies to each, two answers to each reply. Only the
eight positions at the end are judged; the judgement is in pawns and seen by the side that made the last move. Everything
above follows from one rule: a position is worth as much as its best move, and what is good for one side is as bad for the
other. So a value changes its sign on its way up.

In the diagram every node that was judged shows, in this order: when it was (in parentheses), its value, two thresholds in
brackets, the comparison that decided, and the outcome. The right threshold is the best value so far among the siblings; the
left one is for the next chapter. An asterisk marks the line that both sides would choose.";

const MINIMAX_AFTER: &str = "\
The capture on d3 wins a piece at once and is worth 3.250: Black finds the better of two defences. The knight's check looks
like nothing on the board, but it is worth 9.000: both replies lose the queen. No move was left out, so all fourteen positions
were judged.

How does the program know the line afterwards? It noted every node that became the best of its siblings, in the order this
happened. Reading that list once, from its end, is enough:";

const SCAN_AFTER: &str = "\
Whatever became best last at ply 1 is the move; before it in the list stands the reply that made its value, and so on.";

const CUTOFF_BEFORE: &str = "\
White has found a move worth 12, a mate that nothing prevents. The other move is tried next. Its first reply already keeps
White from more than 0. How bad the other replies are for White does not matter any more: the move is refuted, and the
search drops it. That is all there is to alpha-beta. The left threshold says what the other side already has elsewhere, two
plies higher up: a value that reaches it cuts.";

const CUTOFF_AFTER: &str = "\
Moves that stand in the diagram without numbers were created and never judged, or never came into being. Equality is enough
for a cutoff: a value that only equals what is there already cannot change the choice.

The next tree has the same shape in a real ending. One of the lines that are never looked at ends in mate, and that does no
harm: the opponent would not go there.";

const MATE_AFTER: &str = "\
A cutoff loses nothing. The value of the root and a best line are those of minimax, whatever was left out.";

const ORDER_BEFORE: &str = "\
How much is left out depends on luck: a strong move that comes first sets a threshold which the later ones do not reach. Here
is the second tree again with its two moves exchanged.";

const STATIC_BEFORE: &str = "\
A program cannot know the best move before it searches, but it can guess. The first tree once more: now every position gets a
static score when it is created, and moves are tried in the order of that guess. The guess is never part of the result.";

const NUMBERS_BEFORE: &str = "\
With b moves in each position and d plies, minimax looks at b to the power of d positions; with a perfect order, alpha-beta
needs about twice the square root of that. The order here is a guess: the static evaluation after the move, less three pawns
if the piece can be won where it went. Nodes are moves made; the three searches must agree on the value, and they do.";

const NUMBERS_AFTER: &str = "\
The evaluation is the engine's own, asked at the end of every line, in the middle of an exchange as well: a real search goes
on until captures are settled (quiescence). Its order is better too, because it learns while it searches.";

const SELECTIVE_BEFORE: &str = "\
So far every line was as long as every other. A real search spends its effort: lines that matter are followed further (check,
the only reply, one move that stands out), others are searched less deep (moves late in the order), and some are not searched
at all, because a bound or an exchange calculation says that they will not matter. Such a rule is a bet. Alpha-beta never
changes the answer, a rule may; what it saves is spent on depth.

Below, the first line is the engine with every rule off, the textbook above with quiescence and a learning move order. Each
further line switches on one rule alone; the last is everything together.";

const SELECTIVE_AFTER: &str = "\
Rules work together, so their effects do not add up: most of them are worth more when the others are on. Aspiration shows why:
a window around the last value saves work where the value stays inside, and costs a second search where it does not. What it comes
to in one position is chance, and a table that remembers the first search changes it again. What each is worth
in solved problems and in games is in docs/rules.md.";

const BUDGETS_BEFORE: &str = "\
Search by interestingness (Levy, Broughton and Taylor, 1989; profile sex) gives every line a budget and every move a price by
its kind: a check or the push of a passed pawn to the seventh rank costs half a ply or less, a dull move up to three. The line
ends when the budget is spent. That follows combinations far, but there is a trap: the defender pays too. One dull move of
the defender between two forcing moves of the attacker costs more than both, and the line ends before its point: a horizon
of a new kind.

The remedy of the same authors is a budget for each side. A move is charged to the side that makes it, and the line goes on
while what is left to the two sides, blended, is not spent. Here Black's b-pawn queens by force, and White has a free choice
among dull moves on the way:";

const BUDGETS_AFTER: &str = "\
With one budget the push is seen later, because White's quiet replies eat what Black's moves need. The price
of two budgets is nodes: lines are kept alive that a shared budget would have ended. Which of the two is better at equal
nodes is a question for suites and games: docs/results/rules.md. `quarterply window search --profile sex-two --fen FEN`
shows both budgets of every node.";

const END: &str = "
Where to go from here
---------------------

  quarterply window model data/models/example-5.json --format log      every comparison in words
  quarterply window model --new 2x2x2                                  a tree of your own
  quarterply window search --fen FEN --depth 8                         the engine's tree, with every decision
  quarterply window why MOVE --fen FEN                                 why a move is not the best
  quarterply window diff --fen FEN --profile default --profile falcon  where two searches part";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chapter_prints_its_models_and_numbers() {
        let mut out = Vec::new();
        write(&mut out, Depths { small: 3, large: 2, rules: 2 }).expect("the chapter");
        let text = String::from_utf8(out).expect("text");
        for expected in [
            "The better move first: 8 evaluations. The better move last: 10.",
            "As listed: 14 evaluations. By static score: 10.",
            "line 1.Ng6+ Kg8 2.Nxe5  value 9.000",
            "alpha-beta, ordered",
            "null_move",
            "two budgets",
        ] {
            assert!(text.contains(expected), "{expected}");
        }
    }
}
