//! Chapters on quiescence, null move, reductions, extensions and selective search.

use super::count::{self, CountedSearch, NodeCount};
use super::trees::{COUNTED, paragraph, row};
use super::{ChapterPart, Depths, ExampleSearch, FigureTable, LARGE, ParameterValues, TutorialError};
use crate::show::name;
use crate::words;
use quarterply_engine::position::Game;
use quarterply_engine::rules::worth::Worths;
use quarterply_engine::words::grouped;

/// The queen can take a knight that a pawn protects.
pub(super) const HANGING: &str = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 2 3";
/// White mates in two, by a move that threatens nothing.
pub(super) const ZUGZWANG: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
/// White wins by a quiet move and checks; from our own games (`data/suites/quarterply-tactics.epd`, Tactics.0775).
pub(super) const CHECKS: &str = "1r3rk1/7R/6P1/p1p1N3/PnPpP3/3P1p2/P7/2K2B2 w - - 0 43";

/// Black promotes by force, but between Black's checks White has many dull moves to choose from. From our own games
/// (`data/suites/quarterply-tactics.epd`, Tactics.0402).
pub(super) const TWO_BUDGETS: &str = "2r1k3/4pp2/2P3n1/3P3Q/pR5p/Pp2P2P/4KP2/1q3B2 b - - 0 31";

/// Iterations in which the examples are shown.
pub(super) const ZUGZWANG_ITERATIONS: std::ops::RangeInclusive<u32> = 2..=6;
pub(super) const CHECKS_ITERATIONS: std::ops::RangeInclusive<u32> = 3..=6;
/// The textbook's search of the hanging knight, by depth.
const HANGING_DEPTHS: std::ops::RangeInclusive<u16> = 1..=3;
/// A ply for every check, also for one that loses material.
pub(super) const WHOLE_CHECKS: ParameterValues = &[("check.on", 1), ("check.quarters", 4), ("check.losing_share", 100)];
/// Depth of trees that can be walked through (plies).
const WALKED: u32 = 4;

fn game(fen: &str) -> Result<Game, TutorialError> {
    Ok(Game::standard(fen)?)
}

fn walk(game: &Game, profile: &'static str, set: ParameterValues, depth: u32) -> ChapterPart {
    ChapterPart::Search(ExampleSearch { game: game.clone(), profile, set, depth })
}

pub(super) fn quiescence(_: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let place = game(HANGING)?;
    let mut rows = Vec::new();
    for depth in HANGING_DEPTHS {
        let plain = count::minimax(&place, depth);
        let quiet = count::engine(&place, u32::from(depth), &count::classical("classic"))?;
        let cells =
            |found: &CountedSearch| [found.best.clone(), words::score(found.count.value), grouped(found.count.nodes)];
        rows.push([vec![depth.to_string()], cells(&plain).to_vec(), cells(&quiet).to_vec()].concat());
    }
    let head = vec!["depth", "without", "value", "nodes", "with", "value", "nodes"];
    Ok(vec![
            paragraph("\
A search to a fixed depth can end in the middle of an exchange. At depth 1 the last move here may be the queen taking a
knight: the evaluation counts a knight won, and the recapture by the pawn is beyond the horizon."),
            ChapterPart::Board(place.clone()),
            paragraph("\
So a search does not end at its depth. From there on it looks at forcing moves only, mostly captures, and the side to move
may always stop and take the static value, because nobody is forced to capture. That is quiescence. Below, every depth is
searched without it by minimax, and with it by alpha-beta. Both judge positions alike."),
            ChapterPart::FigureTable(FigureTable { head, rows }),
            paragraph("\
Without quiescence, a search of odd depth ends with a move of White, and its value counts a capture whose recapture it does not
see. With quiescence the recapture is always seen.
At depth 1 quiescence costs nodes. At greater depths it needs fewer, because alpha-beta skips lines that minimax searches.
Two more rules keep quiescence small: it skips captures that lose material on their square, and captures that cannot raise the
value to alpha."),
            walk(&place, "classic", &[], 2),
    ])
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

pub(super) fn null_move(depths: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    const ON: ParameterValues = &[("null_move.on", 1)];
    let zugzwang = game(ZUGZWANG)?;
    Ok(vec![
            paragraph("\
If the side to move could pass and would still be so well off that the move before is refuted, then a real move will refute it
too, since passing is nearly always worse than the best move. So before any move the search passes, lets the opponent move
twice in a row, and searches some plies less deeply. If even this search reaches beta, the node fails high."),
            ChapterPart::Text(format!("The middlegame of chapter 4, {} deep:", words::several(depths.rules.into(), "ply"))),
            pair(depths.rules, "with null move", ON)?,
            walk(&game(LARGE)?, "classic", ON, WALKED),
            paragraph("\
The bet is lost where passing would be best: in zugzwang. White mates in two moves here, but only because Black must move."),
            ChapterPart::Board(zugzwang.clone()),
            by_iteration(&zugzwang, ZUGZWANG_ITERATIONS, ["without", "with null move"], ON)?,
            paragraph("\
With the null move the search assumes that Black can wait. Programs do not pass if a side has only pawns; here Black has a
bishop, so this condition does not help. Such positions are so rare that every strong program takes the bet."),
            walk(&zugzwang, "classic", ON, WALKED),
    ])
}

pub(super) fn reductions(depths: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    const ON: ParameterValues = &[("late_move_reduction.on", 1)];
    let mut blocks = vec![paragraph(
        "\
With a good order the best move is nearly always among the first. So late moves are first searched with less depth and a
null window, which only decides whether they are better than the best move so far.
Nearly all are not, and showing that costs little. A move that seems
to be better is searched again at full depth. Here is the middlegame of chapter 4, without and with reductions:",
    )];
    for depth in [depths.rules.saturating_sub(2).max(1), depths.rules] {
        blocks.push(ChapterPart::Text(format!("{} deep:", words::several(depth.into(), "ply"))));
        blocks.push(pair(depth, "with reductions", ON)?);
    }
    blocks.push(paragraph("\
The saving grows with the depth, because reductions add up along a line. The risk is a quiet move late in the order whose effect
is beyond the reduced depth. The amount of the reduction is among the parameters that programs tune most. It depends on depth and
place in the order, is smaller where the window is open and larger at a cut node, and depends on the history of the move."));
    blocks.push(walk(&game(LARGE)?, "classic", ON, WALKED + 1));
    Ok(blocks)
}

pub(super) fn extensions(_: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let place = game(CHECKS)?;
    Ok(vec![
            paragraph("\
The opposite bet: some moves cost less than a ply, so that lines with them go deeper. A check leaves few replies, and a series of
checks may end in mate, far beyond the depth of quiet moves. White's knight goes to g4 here, and an attack with
many checks wins. With one more ply for every check the search finds it earlier:"),
            ChapterPart::Board(place.clone()),
            by_iteration(&place, CHECKS_ITERATIONS, ["without", "with extensions"], WHOLE_CHECKS)?,
            paragraph("\
Extensions cost nodes at every iteration, also where they find nothing. So today's programs extend little and
choose with care: a check that does not lose material, the only reply, the one move that stands out from all others."),
            walk(&place, "classic", WHOLE_CHECKS, WALKED - 1),
    ])
}

/// Number of the most valuable rules that are named.
const MOST_VALUABLE: usize = 5;

pub(super) fn rules(depths: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let place = game(LARGE)?;
    let depth = depths.rules;
    let (plain, counts) = count::rules(&place, depth)?;
    let idle = |count: &NodeCount| *count == plain;
    let mut rows = vec![row("without", plain, plain)];
    rows.extend(counts.iter().filter(|(_, count)| !idle(count)).map(|(name, count)| row(name, *count, plain)));
    let named = counts.iter().filter(|(_, count)| idle(count)).map(|(name, _)| name.trim_end_matches(" alone"));
    let nothing: Vec<&str> = named.collect();
    let mut blocks = vec![
        paragraph("\
So far every line was as long as every other. A real search distributes its effort: lines that matter are searched further (check,
the only reply, one move that stands out), others are searched less deeply (moves late in the order), and some are not searched
at all, because a bound or an exchange calculation says that they will not matter. Such a rule is a bet. Alpha-beta never
changes the answer, a rule may; what it saves is spent on depth.

Below, the first line is the engine with every rule off, plain alpha-beta with quiescence and a learning move order: the search \"without\" of the last chapters. Each
further line switches on one rule alone; the last is everything together."),
        ChapterPart::Text(format!(
            "The middlegame of chapter 4, {} deep, with quiescence at the end of every line:",
            words::several(depth.into(), "ply")
        )),
        ChapterPart::FigureTable(FigureTable { head: COUNTED.to_vec(), rows }),
    ];
    if !nothing.is_empty() {
        blocks.push(ChapterPart::Text(format!("Alone these change nothing here: {}.", nothing.join(", "))));
    }
    blocks.push(paragraph("\
Rules work together, so their effects do not add up: most of them are worth more when the others are on. Aspiration shows why:
a window around the last value saves work where the value stays inside, and costs a second search where it does not. Its effect
in one position is chance, and a table that remembers the first search changes it again. The measured worth of each rule
in solved problems and in games is in docs/rules.md."));
    if let Some(most) = Worths::builtin().most_valuable(MOST_VALUABLE) {
        let text = format!(
            "In games, with all others on, these are worth most, as Elo with the rule minus Elo without it: {most}."
        );
        blocks.push(ChapterPart::Text(text));
    }
    blocks.push(walk(&place, "default", &[], WALKED + 2));
    Ok(blocks)
}

/// The first moves of a search at the root, with the depth deducted for each and the rules that changed it.
fn costs(place: &Game, profile: &'static str, depth: u32) -> Result<ChapterPart, TutorialError> {
    const LISTED: usize = 12;
    let trace = ExampleSearch { game: place.clone(), profile, set: &[], depth }.record()?;
    let mut rows = Vec::new();
    let root = trace.last_root().map(|id| trace.node(id)).transpose()?;
    for record in root.iter().flat_map(|root| root.moves()) {
        let Some(searched) = record.searched() else { continue };
        let Some(deducted) = searched.deducted else { continue };
        let costs = searched.breakdown.iter().map(|line| words::breakdown(line, trace.labels(line.by.rule)));
        let costs = costs.collect::<Vec<_>>().join("; ");
        rows.push(vec![name(place.position(), Some(record.mv)), words::plies(deducted), costs]);
    }
    rows.truncate(LISTED);
    Ok(ChapterPart::FigureTable(FigureTable { head: vec!["move", "plies", "costs"], rows }))
}

pub(super) fn interest(depths: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let (middlegame, place) = (game(LARGE)?, game(TWO_BUDGETS)?);
    let mut rows = Vec::new();
    for iteration in FIRST_ITERATION..=depths.rules.max(FIRST_ITERATION + 1) {
        for (name, profile) in [("one budget", "sex"), ("two budgets", "sex-two")] {
            let found = count::engine(&place, iteration, &count::classical(profile))?;
            let (nodes, value) = (grouped(found.count.nodes), words::score(found.count.value));
            rows.push(vec![format!("iteration {iteration}, {name}"), nodes, value, found.line]);
        }
    }
    Ok(vec![
            paragraph("\
A move need not cost a ply, a quarter less or a half more. Search by interestingness (Levy, Broughton and Taylor, 1989; profile
sex) gives every move a cost by its kind. These are the first moves of the middlegame of chapter 4 with their costs:"),
            costs(&middlegame, "sex", WALKED)?,
            paragraph("\
So every line has a budget and every move a cost: a safe check or the push of a passed pawn to the seventh rank costs half a ply or
less, a dull move up to three. The line ends when the budget is spent.
The search follows combinations far, but there is a trap: the moves of the defender have costs too. One dull move of
the defender between two forcing moves of the attacker costs more than both, and the line ends before its gain: a horizon
of a new kind.

The remedy of the same authors is a budget for each side. Only the side that makes a move pays for it (here twice its cost, so that
equal costs reach the same depth as with one budget), and the line continues while either budget is left (profile `sex-1989`). That continues very many lines; here a blend of both
budgets decides, which is an idea of this project (profile `sex-two`). Black's b-pawn queens by force, and White has a free choice
among dull moves on the way:"),
            ChapterPart::Board(place.clone()),
            ChapterPart::FigureTable(FigureTable { head: vec!["search", "nodes", "value", "line"], rows }),
            paragraph("\
With one budget the gain of the push is seen one iteration later, because White's quiet replies use up the depth that Black's moves
need. At iteration 5 two budgets cost nodes: they continue lines that a shared budget would have ended. Which of the two is better at equal
nodes is a question for suites and games: docs/results/rules.md. `quarterply window search --profile sex-two --fen FEN`
shows both budgets of every node."),
            walk(&place, "sex-two", &[], FIRST_ITERATION),
    ])
}

/// The first iteration that the chapter on budgets shows.
const FIRST_ITERATION: u32 = 4;

pub(super) fn realization(_: Depths) -> Result<Vec<ChapterPart>, TutorialError> {
    let place = game(LARGE)?;
    Ok(vec![
            paragraph("\
Realization probability (Tsuruoka, Yokoyama and Chikayama, 2002; profile realization) estimates the probability that a move
is played. A line is followed as long as it is likely enough: a move of chance P costs -log2 P bits, and a fixed number of bits (here two)
is a ply. Moves cost 80 percent of that on the principal variation, to which the root belongs; the table move costs 0.75 plies at most,
the first two moves cost a ply at most. The chances were learned from the program's own games. The same moves as before, with the costs of this scheme:"),
            costs(&place, "realization", WALKED)?,
            paragraph("\
Likely moves cost less than a ply, unlikely ones two and more. A move that both sides avoid in games is rated unlikely even where
it wins, so an expensive move that beats alpha is searched again at the cost of a ply. docs/realization.md shows how well the
chances fit."),
            walk(&place, "realization", &[], WALKED),
    ])
}
