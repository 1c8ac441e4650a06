//! The line that is searched: its positions in the evaluation and in the [`Tree`].

use super::Searcher;
use super::watch::Mode;
use crate::eval::damp;
use crate::hint::unlikely;
use crate::node::Place;
use crate::position::Position;
use crate::rules::search::Search as _;
use crate::rules::{Rule, draw, horizon, leaf};
use crate::score::{MAX_PLY, Score};
use crate::tree::{LineEnd, Script, Tree};
use shakmaty::{Color, Move};

impl<M: Mode> Searcher<M> {
    /// The static value of the position at the end of the line, before anything is made of it.
    #[inline(always)]
    pub(crate) fn raw(&mut self, position: &Position) -> Score {
        match self.tree.script() {
            Some(script) => script.value(),
            None => self.evaluator.raw(position),
        }
    }

    /// A static value, damped by the 50-move counter; scores of a tree stay as they are.
    #[inline(always)]
    pub(crate) fn damped(&self, raw: Score, position: &Position) -> Score {
        if self.is_scripted() { raw } else { damp(raw, position.halfmoves()) }
    }

    /// The value of a line that ends with this position, of quiescence if it has a `level`: it is drawn, a model tree has no more
    /// moves, or the line is as long as any may be.
    #[inline(always)]
    pub(crate) fn line_end(&mut self, position: &Position, place: Place, level: Option<i32>) -> Option<Score> {
        self.watch_called(Rule::Draw);
        if self.is_draw(position, place.ply) {
            self.watch_end(position, place, level, (Rule::Draw, draw::Reason {}), Score::DRAW);
            return Some(Score::DRAW);
        }
        if let Some(LineEnd { passed, value }) = self.tree.script().and_then(Script::end) {
            self.watch_end(position, place, level, (Rule::Leaf, leaf::Reason { passed, value }), value);
            return Some(value);
        }
        if unlikely(place.ply.index() >= MAX_PLY - 1) {
            let score = self.static_or_draw(position);
            self.watch_end(position, place, level, (Rule::Horizon, horizon::Reason {}), score);
            return Some(score);
        }
        None
    }

    /// The tree, if there is one, is at its root.
    #[inline(always)]
    pub(crate) fn begin_script(&mut self) {
        if let Some(script) = self.tree.script_mut() {
            script.begin();
        }
    }

    /// Appends a move of `turn` to the line.
    #[inline(always)]
    pub(crate) fn advance(&mut self, turn: Color, mv: Move) {
        self.evaluator.push(turn, mv);
        if let Some(script) = self.tree.script_mut() {
            script.push(mv);
        }
    }

    /// Appends a null move.
    #[inline(always)]
    pub(crate) fn advance_null(&mut self) {
        self.evaluator.push_null();
        if let Some(script) = self.tree.script_mut() {
            script.push_null();
        }
    }

    /// Undoes the last step of the line.
    #[inline(always)]
    pub(crate) fn retreat(&mut self) {
        self.evaluator.pop();
        if let Some(script) = self.tree.script_mut() {
            script.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Limits;
    use crate::node::NodeType;
    use crate::params::Parameters;
    use crate::position::Game;
    use crate::score::Window;
    use crate::search::watch::Watched;
    use crate::testing;
    use crate::tree::ScriptedPosition;

    #[test]
    fn a_suggested_move_that_a_scripted_tree_does_not_have_is_not_searched() {
        let game = Game::new();
        let [inside, outside] = ["e2e4", "d2d4"].map(|uci| game.parse_uci(uci).expect(uci));
        let position = |moves| ScriptedPosition { moves, value: Score::ZERO, leaf_value: Score::ZERO };
        let script = || Script::new(vec![position(vec![(inside, 1)]), position(Vec::new())]);
        let place = testing::place(Window::FULL, 4, 0, NodeType::Pv);
        for (script, suggested, first) in
            [(Some(script()), inside, Some(inside)), (Some(script()), outside, None), (None, outside, Some(outside))]
        {
            let mut watch = ();
            let watched = Watched::by(&mut watch);
            let mut s = Searcher::watched(Parameters::classical(), testing::table(), watched, script);
            let mut n = s.facts(game.position(), place);
            n.suggested = Some(suggested);
            assert_eq!(s.first_move(&n), first, "{suggested}");
        }
    }

    #[test]
    fn a_scripted_tree_keeps_its_scores_where_chess_is_nearly_a_draw() {
        // 90 plies without a capture or a pawn move damp a value; 100 are a draw.
        for (halfmoves, damped) in [(90, true), (100, true), (0, false)] {
            let game = testing::game(&format!("4k3/8/8/8/8/8/4P3/R3K3 w - - {halfmoves} 80"));
            let mv = game.parse_uci("a1b1").expect("legal");
            let root = ScriptedPosition { moves: vec![(mv, 1)], value: Score(80), leaf_value: Score(80) };
            let leaf = ScriptedPosition { moves: Vec::new(), value: Score(-300), leaf_value: Score(-300) };
            let (mut watch, table) = ((), testing::table());
            let script = Script::new(vec![root, leaf]);
            let mut s = Searcher::watched(Parameters::classical(), table, Watched::by(&mut watch), Some(script));
            assert_eq!(s.damped(Score(300), game.position()), Score(300), "{halfmoves}");
            assert_eq!(s.evaluate(game.position()), Score(80), "{halfmoves}");
            let found = testing::search(&mut s, &game, &Limits::depth(1));
            assert_eq!((found.best, found.report.score), (Some(mv), Score(300)), "{halfmoves}");
            let chess = testing::searcher(Parameters::classical());
            assert_eq!(chess.damped(Score(300), game.position()) < Score(300), damped, "{halfmoves}");
        }
    }
}
