//! A move searched alone, in terms of chess: the reply, the value, the better move, the depth.
//!
//! The search of all moves often proves no more than that a move is not the best: its value is a bound near the best one. The search of
//! the move alone has a value, so the answer begins with it where there is one.

use super::answer::{shown_line, standing};
use super::reply::reply_effect;
use super::verdict::MoveStanding;
use crate::show::{line_names, move_name};
use crate::words;
use quarterply_engine::position::Game;
use quarterply_engine::report::SearchReport;
use quarterply_engine::score::Score;
use quarterply_engine::shakmaty::Move;

/// The results of the last finished iterations of two searches of a position: one of the move alone, one of all moves.
#[derive(Clone, Copy, Debug)]
pub struct SearchedAlone<'a> {
    /// The position of the move.
    pub game: &'a Game,
    /// The move.
    pub mv: Move,
    /// The search of the move.
    pub alone: &'a SearchReport,
    /// The search of all moves.
    pub all: &'a SearchReport,
    /// True if both reached the requested depth. Otherwise their values are not compared.
    pub finished: bool,
}

impl SearchedAlone<'_> {
    /// The comparison of the move with the preferred one.
    pub fn standing(&self) -> MoveStanding {
        MoveStanding::of(self.all.line.first() == Some(&self.mv), self.alone.score, self.all.score)
    }

    /// The answer in sentences: `Black recaptures: Bxh7+ Kxh7 Ng5+ Kg6, and White is 1.95 ahead; the search of all moves prefers O-O with
    /// +0.66. Bxh7+ was searched alone to depth 10 with an empty table.`
    pub fn answer(&self) -> String {
        let (opening, depth) = (self.opening(), self.alone.depth);
        let title = move_name(self.game.position(), self.mv);
        let searched = format!("{title} was searched alone to depth {depth} with an empty table");
        if self.finished {
            return format!("{opening}{}. {searched}.", self.comparison());
        }
        let other = self.all.depth;
        format!(
            "{opening}. {searched}; the search of all moves reached depth {other}. Not both reached the wanted depth, so the values are not \
             compared."
        )
    }

    /// The reply, the line and the value.
    fn opening(&self) -> String {
        let (position, mv) = (self.game.position(), self.mv);
        let (side, title) = (words::side(position.turn()), move_name(position, mv));
        let stands = standing(self.alone.score, self.alone.bound);
        let after = position.play(mv);
        if after.legal_moves().is_empty() {
            let end = if after.in_check() { "is mate" } else { "is stalemate" };
            return format!("{title} {end}: {side} {stands}");
        }
        let Some(&reply) = self.alone.line.get(1) else { return format!("After {title} {side} {stands}") };
        let mated = self.alone.score.is_lost() && self.alone.score.mate_moves().is_some();
        let effect = if mated { "mates".to_owned() } else { reply_effect(&after, mv, reply) };
        let line = line_names(position, &self.alone.line);
        shown_line(&format!("{} {effect}", words::side(after.turn())), &line, &format!("{side} {stands}"))
    }

    /// The move that the search of all moves prefers.
    fn comparison(&self) -> String {
        let position = self.game.position();
        let Some(&best) = self.all.line.first() else { return String::new() };
        let (best, value) = (move_name(position, best), words::named(words::score(self.all.score), position.turn()));
        match self.standing() {
            MoveStanding::Preferred => "; the search of all moves prefers it too".to_owned(),
            MoveStanding::Equal => format!("; the search of all moves prefers {best}, which is worth as much"),
            MoveStanding::Worse(_) => format!("; {best} is {value}"),
            MoveStanding::Hidden(_) => format!("; the search of all moves prefers {best} with {value}, which is less"),
        }
    }
}

impl MoveStanding {
    /// The comparison of a move worth `value` with the preferred one, worth `best`.
    pub fn of(preferred: bool, value: Score, best: Score) -> MoveStanding {
        let gap = best - value;
        match gap.0 {
            _ if preferred => MoveStanding::Preferred,
            0 => MoveStanding::Equal,
            gap if gap > 0 => MoveStanding::Worse(Score(gap)),
            gap => MoveStanding::Hidden(Score(-gap)),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use quarterply_engine::score::Bound;
    use std::time::Duration;

    /// The report of an iteration that found this line.
    pub fn report(game: &Game, line: &str, depth: u32, score: Score) -> SearchReport {
        let mut position = game.position().clone();
        let moves = line.split_whitespace().map(|text| {
            let mv = crate::moves::read(&position, text).expect("legal");
            position = position.play(mv);
            mv
        });
        let (seldepth, bound, time, line) = (depth, Bound::Exact, Duration::ZERO, moves.collect());
        let (number, nodes, hashfull, tbhits, table) = (1, 1, 0, 0, None);
        SearchReport { depth, seldepth, number, score, bound, nodes, time, hashfull, tbhits, table, line }
    }

    fn answer_text(fen: &str, alone: (&str, Score), all: (&str, u32, Score)) -> String {
        let game = Game::standard(fen).expect("a position");
        let (line, depth, best) = all;
        let (alone, all) = (report(&game, alone.0, 9, alone.1), report(&game, line, depth, best));
        let mv = alone.line[0];
        SearchedAlone { game: &game, mv, alone: &alone, all: &all, finished: depth == 9 }.answer()
    }

    const GIFT: &str = "r1bq1rk1/ppp1nppp/2n1p3/3pP3/1b1P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 1";

    /// The other comparisons are in the test of `verdict.rs`.
    #[test]
    fn a_move_searched_alone_is_answered_by_the_reply_its_value_and_the_better_move() {
        let gift = "Bxh7+ Kxh7 Ng5+ Kg6 h4";
        let begins = "Black recaptures: Bxh7+ Kxh7 Ng5+ Kg6, and White ";
        for (value, best, expected) in [
            (
                -248,
                ("O-O Ng6", 9, Score(21)),
                "is 2.48 behind; O-O is +0.21. Bxh7+ was searched alone to depth 9 with an empty table.",
            ),
            (
                -30,
                ("O-O Ng6", 7, Score(66)),
                "is 0.30 behind. Bxh7+ was searched alone to depth 9 with an empty table; the search of all moves \
                 reached depth 7. Not both reached the wanted depth, so the values are not compared.",
            ),
        ] {
            let text = answer_text(GIFT, (gift, Score(value)), best);
            assert!(text.starts_with(&format!("{begins}{expected}")), "{text}");
        }
    }

    /// A search that ended inside its first iteration has a bound only.
    #[test]
    fn a_bound_is_called_a_bound() {
        let game = Game::standard(GIFT).expect("a position");
        let [mut alone, all] = ["Bxh7+ Kxh7", "O-O"].map(|line| report(&game, line, 1, Score(21)));
        alone.bound = Bound::Upper;
        let mv = alone.line[0];
        let text = SearchedAlone { game: &game, mv, alone: &alone, all: &all, finished: false }.answer();
        assert!(text.contains("White is at most 0.21 ahead. Bxh7+ was searched alone"), "{text}");
    }

    #[test]
    fn ends_of_games_and_black_are_named() {
        let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let text = answer_text(mate, ("Rd8", Score(Score::MATE.0 - 1)), ("Rd8", 9, Score(Score::MATE.0 - 1)));
        assert!(text.starts_with("Rd8# is mate: White mates in 1; the search of all moves prefers it too."), "{text}");
        let black = "3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1";
        let text = answer_text(black, ("h6 Rxd8+", Score(-Score::MATE.0 + 4)), ("Rxd1", 9, Score(Score::MATE.0 - 1)));
        assert!(text.starts_with("White mates: h6 Rxd8+, and Black is mated in 2; Rxd1# is"), "{text}");
        assert!(text.contains("for Black"), "{text}");
        let text = answer_text(GIFT, ("O-O", Score(0)), ("O-O", 9, Score(0)));
        assert!(text.starts_with("After O-O White is level; "), "{text}");
    }
}
