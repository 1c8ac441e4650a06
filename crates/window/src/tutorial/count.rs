//! Counted searches: minimax, alpha-beta, and the engine with one rule after the other.

use crate::show::line_names;
use quarterply_engine::clock::Limits;
use quarterply_engine::evaluator::Evaluator;
use quarterply_engine::network::EvalFile;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::profile;
use quarterply_engine::score::{Ply, Score, Window};
use quarterply_engine::search::Searcher;
use quarterply_engine::search::classic::{self, GameTree};
use quarterply_engine::search::pool::TABLE_DEFAULT;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::San;
use quarterply_engine::table::{Table, TableError};

/// Moves made, and the value found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeCount {
    pub nodes: u64,
    pub value: Score,
}

/// A position searched to a fixed depth, valued by the static evaluation, mates and stalemates by the rules.
struct FixedDepthTree {
    depth: u16,
    evaluator: Evaluator,
    ordered: bool,
    nodes: u64,
}

impl FixedDepthTree {
    /// Uses the classical evaluation, like every search of the chapters.
    fn new(depth: u16, ordered: bool) -> FixedDepthTree {
        let evaluator = Evaluator::of(&Parameters::classical().evaluation_choice());
        FixedDepthTree { depth, evaluator, ordered, nodes: 0 }
    }

    /// The value of a position without further search, for the side to move.
    fn evaluate(&mut self, position: &Position, ply: u16) -> Score {
        match position.legal_moves().is_empty() {
            true if position.in_check() => Score::mated_in(Ply(ply)),
            true => Score::DRAW,
            false => self.evaluator.evaluate(position),
        }
    }

    fn minimax(&mut self, position: &Position, ply: u16) -> Score {
        let moves = if ply < self.depth { position.legal_moves() } else { Default::default() };
        if moves.is_empty() {
            return self.evaluate(position, ply);
        }
        let mut best = -Score::INFINITE;
        for mv in moves {
            self.nodes += 1;
            best = best.max(-self.minimax(&position.play(mv), ply + 1));
        }
        best
    }
}

/// A position, and whether the piece that moved to it can be won for less.
struct ReachedPosition {
    position: Position,
    hangs: bool,
}

impl GameTree for FixedDepthTree {
    type Node = ReachedPosition;
    type Step = Move;

    fn depth(&self) -> Ply {
        Ply(self.depth)
    }

    fn steps(&mut self, node: &ReachedPosition, ply: Ply) -> Vec<Move> {
        if ply.0 >= self.depth { Vec::new() } else { node.position.legal_moves().to_vec() }
    }

    fn child(&mut self, node: &ReachedPosition, step: Move, _: Ply) -> ReachedPosition {
        self.nodes += 1;
        ReachedPosition { position: node.position.play(step), hangs: !node.position.see_ge(step, Score::ZERO) }
    }

    fn guess(&mut self, node: &ReachedPosition) -> Score {
        const HANGING: Score = Score(300);
        let fault = if node.hangs { HANGING } else { Score::ZERO };
        if self.ordered { -self.evaluator.evaluate(&node.position) - fault } else { Score::ZERO }
    }

    fn value(&mut self, leaf: &ReachedPosition, ply: Ply, _: Window) -> Score {
        -self.evaluate(&leaf.position, ply.0)
    }
}

/// The textbook, with moves as the generator lists them or ordered by a guess.
pub(super) fn alpha_beta(game: &Game, depth: u16, ordered: bool) -> NodeCount {
    let mut tree = FixedDepthTree::new(depth, ordered);
    let root = ReachedPosition { position: game.position().clone(), hangs: false };
    let value = classic::search(&mut tree, root, &mut ());
    NodeCount { nodes: tree.nodes, value }
}

/// Counts of the engine without rules, then with each of the default's rules alone, then with all. Rules of the textbook profile, such
/// as move ordering, are on in every row and have no separate row.
pub(super) fn rules(game: &Game, depth: u32) -> Result<(NodeCount, Vec<(String, NodeCount)>), TableError> {
    let classic = classical("classic");
    let plain = engine(game, depth, &classic)?.count;
    let mut rows = Vec::new();
    let default = classical("default");
    let added = |name: &str| default.get(name) == Ok(1) && classic.get(name) == Ok(0);
    for entry in Parameters::specs().filter(|entry| entry.spec.name == "on" && added(&entry.name)) {
        rows.push((format!("{} alone", entry.group), engine(game, depth, &with(&classic, &[(&entry.name, 1)]))?.count));
    }
    // A window that was too narrow costs a second search, which only a table makes cheap.
    let pair = [("table.on", 1), ("aspiration.on", 1)];
    rows.push(("table and aspiration".to_owned(), engine(game, depth, &with(&classic, &pair))?.count));
    rows.push(("every rule of the default".to_owned(), engine(game, depth, &default)?.count));
    Ok((plain, rows))
}

/// Parameters with some values changed.
pub(super) fn with(parameters: &Parameters, set: &[(&str, i32)]) -> Parameters {
    let mut changed = parameters.clone();
    for &(name, value) in set {
        // Names and values are constants; a test sets all of them.
        let _ = changed.set(name, value);
    }
    changed
}

/// A built-in profile with the classical evaluation: the text about positions must not change with every network.
pub(super) fn classical(profile: &str) -> Parameters {
    Parameters { eval_file: EvalFile::Classical, ..profile::builtin(profile).unwrap_or_default() }
}

/// A counted search with the move it prefers, in short algebraic notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CountedSearch {
    pub count: NodeCount,
    pub best: String,
    /// The principal variation; of a search without quiescence the best move only.
    pub line: String,
}

/// The engine to a depth.
pub(super) fn engine(game: &Game, depth: u32, parameters: &Parameters) -> Result<CountedSearch, TableError> {
    let mut searcher = Searcher::new(parameters.clone(), Table::new(TABLE_DEFAULT)?.into());
    let outcome = searcher.search_within(game, &Limits::depth(depth));
    let best = outcome.best.map_or(String::new(), |mv| San::from_move(game.position().chess(), mv).to_string());
    let line = line_names(game.position(), &outcome.report.line).join(" ");
    Ok(CountedSearch { count: NodeCount { nodes: outcome.nodes, value: outcome.report.score }, best, line })
}

/// Every line to the depth, without quiescence. The position must have a legal move.
pub(super) fn minimax(game: &Game, depth: u16) -> CountedSearch {
    let mut tree = FixedDepthTree::new(depth, false);
    let mut best = (-Score::INFINITE, String::new());
    for mv in game.position().legal_moves() {
        tree.nodes += 1;
        let value = -tree.minimax(&game.position().play(mv), 1);
        if value > best.0 {
            best = (value, San::from_move(game.position().chess(), mv).to_string());
        }
    }
    CountedSearch { count: NodeCount { nodes: tree.nodes, value: best.0 }, line: best.1.clone(), best: best.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_searches_agree() {
        for (fen, depth) in [
            ("8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40", 4),
            ("r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11", 2),
            ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 3),
        ] {
            let game = Game::standard(fen).expect(fen);
            let whole = minimax(&game, depth).count;
            for ordered in [false, true] {
                let count = alpha_beta(&game, depth, ordered);
                assert_eq!(count.value, whole.value, "{fen} {ordered}");
                assert!(count.nodes <= whole.nodes, "{fen} {ordered}");
            }
        }
    }
}
