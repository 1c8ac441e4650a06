//! The fixture of the tests of move order: a position and the moves that a picker returns in it.

use super::extras::{NodeContext, NodeResult, RatedMove};
use super::*;
use crate::history::{CONTINUATIONS, Histories, PieceTo};
use crate::params::Parameters;
use crate::position::{Game, NO_MOVE};
use crate::score::Depth;
use crate::table::Table;
use crate::testing;

/// The ply of the node.
pub(super) const PLY: Ply = Ply(2);

/// A node with its histories, whose moves a picker returns.
pub(crate) struct OrderingFixture {
    pub game: Game,
    pub histories: Histories,
    pub table: Table,
    pub facts: QuietFacts,
    pub orders: Orders,
    /// Depth of the nodes whose results are recorded (plies).
    depth: i32,
}

impl OrderingFixture {
    /// A position of which nothing is known.
    pub fn new(fen: &str) -> OrderingFixture {
        let game = testing::game(fen);
        let (table, orders) =
            (Table::new(1).expect("one MiB"), Orders::of(Parameters::DEFAULT.weights(), Parameters::DEFAULT.extras()));
        let context = Context {
            turn: game.position().turn(),
            pawn_key: 0,
            threatened: orders.threatened(game.position()),
            before: [PieceTo::NONE; CONTINUATIONS.len()],
        };
        let facts = QuietFacts { context, killers: Killers::NONE, counter: NO_MOVE };
        OrderingFixture { game, histories: Histories::default(), table, facts, orders, depth: 1 }
    }

    /// The same fixture with other parameters; learned data stays.
    pub fn with(mut self, change: impl Fn(&mut Parameters)) -> OrderingFixture {
        let mut parameters = Parameters::DEFAULT;
        change(&mut parameters);
        self.orders.change(parameters.weights(), parameters.extras());
        self
    }

    /// The sources of the second pass.
    pub fn extras(&mut self) -> &mut Extras {
        self.orders.extras.as_mut().expect("one of them is on")
    }

    /// The facts of the node, for the second pass.
    pub fn context(&mut self) -> &mut NodeContext {
        self.at(PLY)
    }

    /// The same for another ply.
    pub fn at(&mut self, ply: Ply) -> &mut NodeContext {
        self.extras().context(ply)
    }

    /// Sets the depth of the nodes that are recorded from now on.
    pub fn deep(&mut self, plies: i32) -> &mut OrderingFixture {
        self.depth = plies;
        self
    }

    /// Records a node of this position in the second pass: the move that cut, and quiet moves before it.
    pub fn update(&mut self, ply: Ply, score: Score, cut: Option<&str>, quiets: &[&str]) {
        let cut = cut.map(|uci| self.mv(uci));
        let quiets: Vec<Move> = quiets.iter().map(|uci| self.mv(uci)).collect();
        let position = self.game.position().clone();
        let (context, depth) = (*self.at(ply), Depth::plies(self.depth));
        self.extras().update_from(&NodeResult {
            context,
            position: &position,
            ply,
            depth,
            score,
            best: cut,
            cut,
            quiets: &quiets,
        });
    }

    /// The amount that the second pass adds to the number by which a move is ordered.
    pub fn added(&self, uci: &str) -> i32 {
        self.added_to(&[uci])[0]
    }

    /// The same for several moves of one kind, rated together.
    pub fn added_to(&self, moves: &[&str]) -> Vec<i32> {
        let position = self.game.position();
        let checks = position.check_info();
        let rated = |mv| RatedMove { mv, gives_check: position.gives_check(&checks, mv), score: 0, rest: 0 };
        let mut moves: Vec<RatedMove> = moves.iter().map(|uci| rated(self.mv(uci))).collect();
        let set = if is_quiet(moves[0].mv) { MoveSet::Quiet } else { MoveSet::Noisy };
        let extras = self.orders.extras.as_ref().expect("one of them is on");
        extras.rate(position, PLY, set, &mut moves);
        moves.iter().map(|rated| rated.score).collect()
    }

    /// A legal move.
    pub fn mv(&self, uci: &str) -> Move {
        self.game.parse_uci(uci).expect(uci)
    }

    /// All moves of a picker; after `limit` moves, `limited` is called.
    pub fn order(&self, mut picker: Picker, limit: usize, limited: fn(&mut Picker)) -> Vec<(String, Stage)> {
        let position = self.game.position();
        let checks = position.check_info();
        let OrderingFixture { histories, table, orders, .. } = self;
        let sources = Sources { histories, orders, ply: PLY, position, checks: &checks, table, quiet_scores: None };
        let mut order = Vec::new();
        while let Some(picked) = picker.next(sources, &crate::tree::Chess) {
            assert_eq!(picked.gives_check, position.gives_check(&checks, picked.mv), "{:?}", picked.mv);
            order.push((shakmaty::uci::UciMove::from_standard(picked.mv).to_string(), picked.stage));
            if order.len() == limit {
                limited(&mut picker);
            }
        }
        order
    }

    /// All moves of a node, with or without a move of the table.
    pub fn all(&self, table_move: Option<&str>) -> Vec<(String, Stage)> {
        self.order(Picker::all(table_move.map(|uci| self.mv(uci)), self.facts), usize::MAX, |_| {})
    }

    /// Panics if a legal move is not returned, or is returned twice.
    pub fn assert_complete(&self) {
        let order = self.all(None);
        let found: std::collections::BTreeSet<&str> = names(&order).into_iter().collect();
        let legal = self.game.position().legal_moves().len();
        assert_eq!((order.len(), found.len()), (legal, legal), "each move once: {order:?}");
    }

    /// The place at which a move is returned.
    pub fn place(&self, uci: &str) -> usize {
        self.all(None).iter().position(|(text, _)| text == uci).expect(uci)
    }

    /// The stage in which it is returned.
    pub fn stage(&self, uci: &str) -> Stage {
        self.all(None)[self.place(uci)].1
    }
}

/// The moves alone.
pub(super) fn names(order: &[(String, Stage)]) -> Vec<&str> {
    order.iter().map(|(text, _)| text.as_str()).collect()
}
