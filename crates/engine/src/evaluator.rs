//! The static evaluation of a searcher: the classical terms, a network, or a weighted mean of both.
//!
//! An evaluator has a state for each ply of the current line: [`Evaluator::begin`] sets the first one,
//! [`Evaluator::push`] adds one, [`Evaluator::pop`] removes one. The state of the classical terms is their sums, that
//! of a network its accumulators.

use crate::eval::{self, Breakdown, EvalView, EvaluationCounts, Params, PawnTable, Sums};
use crate::network::vector::Level;
use crate::network::{self, Accumulators, Contributions, EvalFile, Network};
use crate::position::Position;
use crate::prefetch::prefetch;
use crate::score::{MAX_PLY, Score};
use shakmaty::{Board, Color, Move};

/// The static evaluation of one search thread, with its caches and the states of its line.
pub struct Evaluator {
    /// The network, if values come from one.
    network: Option<NetworkSource>,
    /// How much each group of chess terms counts.
    terms: Params,
    /// The sums of the chess terms, one for each ply from the root on; kept while these have a share.
    line: Vec<Sums>,
    /// Caches of pawn structures and material.
    pawns: PawnTable,
    known: EvalCache,
}

/// A network with its states.
struct NetworkSource {
    accumulators: Box<Accumulators>,
    /// How its values are used.
    style: network::Params,
}

/// The source of static evaluations and its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluationChoice {
    /// A network, or the classical terms.
    pub file: EvalFile,
    /// How the values of a network are used.
    pub network: network::Params,
    /// The style of the classical terms.
    pub terms: Params,
}

/// The effect of a change of parameters on an evaluator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvaluatorChange {
    /// No value changes.
    Nothing,
    /// Values change: stored static evaluations are invalid.
    Values,
    /// Values come from another source with other errors: the correction history is invalid as well.
    Source,
}

/// Entries of the table of known values; a power of two.
const EVAL_CACHE_ENTRIES: usize = 1 << 14;
const VALUE_MASK: u64 = 0xffff;

crate::history::heap_table! {
    /// Values of positions met before: nodes that end before they search a move leave nothing in the transposition table, and are
    /// met again in the next iteration. An entry is the key with the value in place of its low bits, which follow from the index.
    struct EvalCache([u64; EVAL_CACHE_ENTRIES]) = 0;
}

impl EvalCache {
    /// The value under `key`, from `evaluate` when it is not known.
    #[inline(always)]
    fn value(&mut self, key: u64, evaluate: impl FnOnce() -> Score) -> Score {
        let entry = &mut self.0[key as usize % EVAL_CACHE_ENTRIES];
        if (*entry ^ key) & !VALUE_MASK == 0 {
            return Score(i32::from(*entry as i16));
        }
        let score = evaluate();
        *entry = key & !VALUE_MASK | u64::from(score.0 as i16 as u16);
        score
    }
}

impl Evaluator {
    /// The classical evaluation in this style.
    pub fn new(style: &Params) -> Evaluator {
        Evaluator {
            network: None,
            terms: *style,
            line: Vec::with_capacity(MAX_PLY + 1),
            pawns: PawnTable::default(),
            known: EvalCache::default(),
        }
    }

    /// The chosen evaluation.
    pub fn of(choice: &EvaluationChoice) -> Evaluator {
        let network = choice.file.network().map(|network| {
            let accumulators = Box::new(Accumulators::new(network, Level::used()));
            NetworkSource { accumulators, style: choice.network }
        });
        Evaluator { network, ..Evaluator::new(&choice.terms) }
    }

    /// The network, if values come from one.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref().map(|source| &**source.accumulators.network())
    }

    /// Switches to the chosen source and style, and clears cached values that are invalid. The line is reset.
    pub fn set(&mut self, choice: &EvaluationChoice) -> EvaluatorChange {
        if self.network() != choice.file.network().as_deref() {
            *self = Evaluator::of(choice);
            return EvaluatorChange::Source;
        }
        if !self.restyle(choice) {
            return EvaluatorChange::Nothing;
        }
        self.known = EvalCache::default();
        EvaluatorChange::Values
    }

    /// Takes over the style of this choice, which has the same source; returns true if a value may change.
    fn restyle(&mut self, choice: &EvaluationChoice) -> bool {
        let terms_changed = std::mem::replace(&mut self.terms, choice.terms) != choice.terms;
        let Some(source) = &mut self.network else { return terms_changed };
        let changed = std::mem::replace(&mut source.style, choice.network) != choice.network;
        terms_changed && choice.network.uses_classical() || changed
    }

    /// Returns true if the classical terms have a share in values.
    #[inline(always)]
    fn uses_classical(&self) -> bool {
        self.network.as_ref().is_none_or(|source| source.style.uses_classical())
    }

    /// The value of any position for its side to move. Begins a line with this position.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        self.begin(position);
        eval::damp(self.raw(position), position.halfmoves())
    }

    /// Begins a line with this position.
    pub fn begin(&mut self, position: &Position) {
        if let Some(source) = &mut self.network {
            source.accumulators.begin(position.board());
        }
        if self.uses_classical() {
            self.line.clear();
            self.line.push(Sums::of(position.board()));
        }
    }

    /// Adds a legal move of `turn` to the line.
    #[inline(always)]
    pub fn push(&mut self, turn: Color, mv: Move) {
        if let Some(source) = &mut self.network {
            source.accumulators.push(turn, mv);
        }
        if self.uses_classical() {
            self.line.push(self.here().after(turn, mv));
        }
    }

    /// Adds a null move to the line.
    #[inline(always)]
    pub fn push_null(&mut self) {
        if let Some(source) = &mut self.network {
            source.accumulators.push_null();
        }
        if self.uses_classical() {
            self.line.push(self.here());
        }
    }

    /// Undoes the last move of the line.
    #[inline(always)]
    pub fn pop(&mut self) {
        if let Some(source) = &mut self.network {
            source.accumulators.pop();
        }
        if self.uses_classical() {
            self.line.pop();
        }
    }

    /// The sums at the end of the line.
    #[inline(always)]
    fn here(&self) -> Sums {
        self.line.last().copied().unwrap_or_default()
    }

    /// Prefetches the cached value of a position that will be evaluated soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(&self.known.0[key as usize % EVAL_CACHE_ENTRIES]);
    }

    /// The value of the position at the end of the line, before the fifty-move counter damps it, so that it may be
    /// stored under the key.
    #[inline]
    pub fn raw(&mut self, position: &Position) -> Score {
        let Evaluator { network, terms, line, pawns, known } = self;
        let mut classical = || {
            let sums = line.last().copied().unwrap_or_default();
            debug_assert_eq!(sums, Sums::of(position.board()), "the line has not come to {}", position.fen());
            eval::evaluate(&EvalView::of(position, sums, terms), pawns)
        };
        known.value(position.key(), || match network {
            None => classical(),
            Some(source) => source.value(position, classical),
        })
    }

    /// Empties the caches.
    pub fn clear(&mut self) {
        self.pawns = PawnTable::default();
        self.known = EvalCache::default();
    }
}

impl NetworkSource {
    /// The value of the position that the line has come to: the network's with the share of the classical terms, unless the result is
    /// known.
    #[inline(never)]
    fn value(&mut self, position: &Position, classical: impl FnOnce() -> Score) -> Score {
        let NetworkSource { accumulators, style } = self;
        let (board, turn) = (position.board(), position.turn());
        if let Some(known) = eval::known(board, turn) {
            return known.score(turn);
        }
        if !style.uses_network() {
            return classical();
        }
        let value = accumulators.value(board, turn);
        debug_assert!(accumulators.agree(board), "the line has not come to {}", position.fen());
        debug_assert_eq!(value, accumulators.network().value(board, turn), "{}", position.fen());
        let value = style.apply(value);
        if style.uses_classical() { style.blend(value, classical()) } else { value }
    }
}

/// The parts of a static evaluation. Its `Display` is the output of `eval`.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// By chess terms.
    Terms(Breakdown),
    /// By pieces.
    Pieces(Contributions),
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Explanation::Terms(breakdown) => breakdown.fmt(f),
            Explanation::Pieces(contributions) => contributions.fmt(f),
        }
    }
}

/// The parts of the chosen evaluation of a position.
pub fn explain(position: &Position, choice: &EvaluationChoice) -> Explanation {
    match choice.file.network() {
        None => Explanation::Terms(breakdown(position, &choice.terms)),
        Some(network) => {
            let classical = breakdown(position, &choice.terms).score;
            Explanation::Pieces(Contributions::of(&network, &choice.network, position, classical))
        }
    }
}

/// Every term of the evaluation of a position in this style.
fn breakdown(position: &Position, style: &Params) -> Breakdown {
    eval::breakdown(&EvalView::of(position, Sums::of(position.board()), style))
}

/// Game phase: 24 with all pieces on the board, 0 with pawns only.
pub fn phase(board: &Board) -> i32 {
    Sums::of(board).phase
}

/// The counts of the classical evaluation in a position; `pawns` is scratch.
pub fn count(position: &Position, pawns: &mut PawnTable) -> EvaluationCounts {
    eval::count(&EvalView::of(position, Sums::of(position.board()), &Params::NEUTRAL), pawns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::groups::TEMPO;
    use crate::eval::weights::WEIGHTS;
    use crate::network::tests::random_choice;
    use crate::params::Parameters;
    use crate::position::Game;
    use crate::testing;

    #[test]
    fn a_line_is_valued_as_its_last_position_by_itself() {
        let blended = |classical| {
            let network = network::Params { scale: 150, tempo: 35, classical };
            Parameters { eval_file: random_choice(32, 4, 5), network, ..Parameters::default() }
        };
        for parameters in [Parameters::classical(), blended(0), blended(35), blended(100)] {
            let mut line = Evaluator::of(&parameters.evaluation_choice());
            let mut game = Game::new();
            line.begin(game.position());
            for text in ["e2e4", "d7d5", "e4d5", "g8f6", "g1f3", "f6d5", "f1e2", "e7e6", "e1g1"] {
                let turn = game.position().turn();
                line.push(turn, game.play_uci(text).expect(text));
                check(&mut line, &parameters, game.position());
            }
            let passed = game.position().play_null().expect("nobody is in check");
            line.push_null();
            check(&mut line, &parameters, &passed);
            for _ in 0..=game.moves().len() {
                line.pop();
            }
            line.clear();
            check(&mut line, &parameters, Game::new().position());
        }
    }

    /// Asserts that the line has come to the value of this position by itself: what classical terms say alone, or their blend with what the
    /// network says alone.
    fn check(line: &mut Evaluator, parameters: &Parameters, position: &Position) {
        let (choice, style) = (parameters.evaluation_choice(), &parameters.network);
        let classical = breakdown(position, &parameters.evaluation).score;
        let network = parameters.eval_file.network().map(|network| network.value(position.board(), position.turn()));
        let expected = network.map_or(classical, |value| style.blend(style.apply(value), classical));
        assert_eq!(line.raw(position), expected, "share {}", style.classical);
        let alone = Evaluator::of(&choice).evaluate(position);
        assert_eq!(alone, eval::damp(expected, position.halfmoves()), "share {}", style.classical);
        let explained = match explain(position, &choice) {
            Explanation::Terms(terms) => terms.score,
            Explanation::Pieces(pieces) => pieces.score,
        };
        assert_eq!(explained, expected, "share {}", style.classical);
    }

    #[test]
    fn known_endings_are_recognised_with_a_network() {
        let even = network::Params { classical: 50, ..network::Params::DEFAULT };
        let networked = Parameters { eval_file: random_choice(32, 1, 5), network: even, ..Parameters::default() };
        let mut network = Evaluator::of(&networked.evaluation_choice());
        for (fen, name) in [
            ("8/8/8/8/3k4/8/3R4/3K4 b - - 0 1", Some("bare king")),
            ("4r3/8/8/8/3K4/8/8/3k4 b - - 0 1", Some("bare king")),
            ("8/8/8/8/k7/8/3B4/3K4 w - - 0 1", Some("no mating material")),
            ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Some("won pawn ending")),
            ("4k3/4p3/4K3/4P3/8/8/8/8 b - - 0 1", None),
        ] {
            let game = testing::game(fen);
            let Explanation::Pieces(explained) = explain(game.position(), &networked.evaluation_choice()) else {
                panic!("no network");
            };
            assert_eq!(explained.known.map(|known| known.name), name, "{fen}");
            assert_eq!(network.evaluate(game.position()), explained.score, "{fen}");
            let alike = explained.score == Evaluator::new(&Params::DEFAULT).evaluate(game.position());
            assert_eq!(alike, name.is_some(), "{fen}");
        }
    }

    #[test]
    fn changes_of_source_and_of_style_are_distinguished() {
        let classical = Parameters::classical();
        let alone = network::Params { classical: 0, ..network::Params::DEFAULT };
        let [one, other] = [1, 2].map(|seed| Parameters {
            eval_file: random_choice(32, 1, seed),
            network: alone,
            ..classical.clone()
        });
        let brisk = |terms: Params| Params { tempo: 2 * terms.tempo, ..terms };
        let styled = |from: &Parameters| Parameters { evaluation: brisk(from.evaluation), ..from.clone() };
        let even = network::Params { classical: 50, ..alone };
        let both = Parameters { network: even, ..one.clone() };
        let sized = |scale, tempo| Parameters { network: network::Params { scale, tempo, ..alone }, ..one.clone() };
        let game = Game::new();
        let value = |of: &Parameters| Evaluator::of(&of.evaluation_choice()).evaluate(game.position());
        let tempo = Score(WEIGHTS[TEMPO.at(0)].mg());
        assert_eq!(value(&styled(&classical)), value(&classical) + tempo);
        let mut evaluator = Evaluator::of(&classical.evaluation_choice());
        for (to, changed) in [
            (&classical, EvaluatorChange::Nothing),
            (&styled(&classical), EvaluatorChange::Values),
            (&one, EvaluatorChange::Source),
            (&one, EvaluatorChange::Nothing),
            (&styled(&one), EvaluatorChange::Nothing),
            (&sized(200, alone.tempo), EvaluatorChange::Values),
            (&sized(200, 35), EvaluatorChange::Values),
            (&both, EvaluatorChange::Values),
            (&both, EvaluatorChange::Nothing),
            (&styled(&both), EvaluatorChange::Values),
            (&other, EvaluatorChange::Source),
            (&classical, EvaluatorChange::Source),
        ] {
            assert_eq!(evaluator.set(&to.evaluation_choice()), changed);
            assert_eq!(evaluator.evaluate(game.position()), value(to));
        }
    }
}
