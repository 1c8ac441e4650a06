//! Adjudicators: they end games that are decided, to save the time for the remaining moves.
//!
//! [`Adjudication`] has the rules of a match; every game gets separate adjudicators from [`Adjudication::start`].

use super::{Adjudicator, Choice, Ending, GameVerdict};
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_engine::tablebase::{Tablebase, Wdl};
use quarterply_work::Cancel;
use shakmaty::Color;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// Why a text is not a valid adjudication rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a valid adjudication rule: {fault}; write it like `{example}`")]
pub struct AdjudicationError {
    text: String,
    fault: String,
    example: &'static str,
}

/// A game is won when the scores of both players agree on it: `moves=4 score=600`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinByScore {
    /// Number of consecutive moves of each side with such scores.
    pub moves: u32,
    /// Least score for the winner by both players (pawns/100), 1 or more.
    pub score: i32,
}

/// A game is a draw when the scores of both players agree on it: `after=40 moves=8 score=10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawByScore {
    /// Not before this move of the game.
    pub after: u32,
    /// Number of consecutive moves of each side with such scores.
    pub moves: u32,
    /// Greatest score for either side by both players (pawns/100).
    pub score: i32,
}

/// Reads `key=value` words, each key once and none left out.
fn figures<const N: usize>(text: &str, keys: [&str; N], example: &'static str) -> Result<[u32; N], AdjudicationError> {
    let wrong = |fault: String| AdjudicationError { text: text.to_owned(), fault, example };
    let mut found = [None; N];
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let (key, value) =
            word.split_once('=').ok_or_else(|| wrong(format!("expected KEY=VALUE instead of `{word}`")))?;
        let index = keys.iter().position(|known| *known == key).ok_or_else(|| wrong(format!("unknown `{key}`")))?;
        let value = value.parse().ok().filter(|value| *value <= i32::MAX as u32);
        let value = value.ok_or_else(|| wrong(format!("`{word}` is not a valid value: expected a whole number")))?;
        if found[index].replace(value).is_some() {
            return Err(wrong(format!("`{key}` is given twice")));
        }
    }
    let mut figures = [0; N];
    for ((figure, found), key) in figures.iter_mut().zip(found).zip(keys) {
        *figure = found.ok_or_else(|| wrong(format!("`{key}` is missing")))?;
    }
    Ok(figures)
}

/// Refuses a rule that ends every game: one without moves, or a win at a score of 0.
fn at_least_one(key: &str, value: u32, text: &str, example: &'static str) -> Result<u32, AdjudicationError> {
    let fault = || format!("`{key}` must be at least 1");
    if value > 0 { Ok(value) } else { Err(AdjudicationError { text: text.to_owned(), fault: fault(), example }) }
}

impl FromStr for WinByScore {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<WinByScore, AdjudicationError> {
        const EXAMPLE: &str = "moves=4 score=600";
        let [moves, score] = figures(text, ["moves", "score"], EXAMPLE)?;
        let moves = at_least_one("moves", moves, text, EXAMPLE)?;
        Ok(WinByScore { moves, score: at_least_one("score", score, text, EXAMPLE)? as i32 })
    }
}

impl fmt::Display for WinByScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "moves={} score={}", self.moves, self.score)
    }
}

impl FromStr for DrawByScore {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<DrawByScore, AdjudicationError> {
        const EXAMPLE: &str = "after=40 moves=8 score=10";
        let [after, moves, score] = figures(text, ["after", "moves", "score"], EXAMPLE)?;
        Ok(DrawByScore { after, moves: at_least_one("moves", moves, text, EXAMPLE)?, score: score as i32 })
    }
}

impl fmt::Display for DrawByScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after={} moves={} score={}", self.after, self.moves, self.score)
    }
}

/// The adjudication of a match.
#[derive(Clone, Debug, Default)]
pub struct Adjudication {
    /// Wins by score.
    pub win: Option<WinByScore>,
    /// Draws by score.
    pub draw: Option<DrawByScore>,
    /// Results by endgame tables.
    pub tables: Option<Arc<Tablebase>>,
}

impl Adjudication {
    /// The adjudicators of one game.
    pub fn start(&self) -> Vec<Box<dyn Adjudicator>> {
        let mut all: Vec<Box<dyn Adjudicator>> = Vec::new();
        if let Some(tables) = &self.tables {
            all.push(Box::new(ByTables(Arc::clone(tables))));
        }
        if let Some(rule) = self.win {
            all.push(Box::new(Winning { rule, leader: None, plies: 0 }));
        }
        if let Some(rule) = self.draw {
            all.push(Box::new(Drawing { rule, plies: 0 }));
        }
        all
    }
}

/// Counts the plies at which the same side was far ahead.
struct Winning {
    rule: WinByScore,
    leader: Option<Color>,
    plies: u32,
}

impl Adjudicator for Winning {
    fn adjudicate(&mut self, _: &Game, mover: Color, choice: &Choice) -> Option<GameVerdict> {
        let leader = match choice.score {
            Some(Score(score)) if score >= self.rule.score => Some(mover),
            Some(Score(score)) if score <= -self.rule.score => Some(!mover),
            _ => None,
        };
        self.plies = if leader == self.leader { self.plies + 1 } else { 1 };
        self.leader = leader;
        let winner = leader.filter(|_| self.plies >= 2 * self.rule.moves)?;
        Some(GameVerdict { winner: Some(winner), ending: Ending::Adjudicated("adjudicated by score") })
    }
}

/// Counts the plies at which neither side was ahead.
struct Drawing {
    rule: DrawByScore,
    plies: u32,
}

impl Adjudicator for Drawing {
    fn adjudicate(&mut self, game: &Game, _: Color, choice: &Choice) -> Option<GameVerdict> {
        use shakmaty::Position as _;
        let level = choice.score.is_some_and(|score| score.0.abs() <= self.rule.score);
        self.plies = if level { self.plies + 1 } else { 0 };
        let late = game.position().chess().fullmoves().get() > self.rule.after;
        (late && self.plies >= 2 * self.rule.moves)
            .then(|| GameVerdict::drawn(Ending::Adjudicated("adjudicated draw by score")))
    }
}

/// Looks positions up.
struct ByTables(Arc<Tablebase>);

impl Adjudicator for ByTables {
    fn adjudicate(&mut self, game: &Game, _: Color, _: &Choice) -> Option<GameVerdict> {
        // The tables hold positions with a halfmove clock of 0 only. Every capture resets it, so no table position is missed.
        let wdl = self.0.probe_wdl(game.position().chess())?;
        Some(verdict(wdl, game.position().turn()))
    }
}

/// The verdict from the table value for the side to move.
fn verdict(wdl: Wdl, turn: Color) -> GameVerdict {
    let winner = match wdl {
        Wdl::Win => Some(turn),
        Wdl::Loss => Some(!turn),
        // The fifty-move rule saves the loser.
        Wdl::CursedWin | Wdl::BlessedLoss | Wdl::Draw => None,
    };
    GameVerdict { winner, ending: Ending::Adjudicated("adjudicated by endgame tables") }
}

/// Ends a game of a cancelled task after the move in progress. Its result is not used.
pub struct AbandonGame(pub Cancel);

impl Adjudicator for AbandonGame {
    fn adjudicate(&mut self, _: &Game, _: Color, _: &Choice) -> Option<GameVerdict> {
        self.0.is_cancelled().then(|| GameVerdict::drawn(Ending::Adjudicated("abandoned")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(score: Option<i32>) -> Choice {
        Choice { text: String::new(), score: score.map(Score), depth: 1, nodes: 1 }
    }

    /// The ply, from 1, after which the game is ended, and how; the scores are those of the movers, white first.
    fn adjudicated(adjudication: &Adjudication, scores: &[Option<i32>]) -> Option<(usize, Option<Color>)> {
        let mut adjudicators = adjudication.start();
        let mut game = Game::new();
        for (index, score) in scores.iter().enumerate() {
            let mover = game.position().turn();
            game.play_uci(["g1f3", "g8f6", "f3g1", "f6g8"][index % 4]).expect("legal");
            for adjudicator in &mut adjudicators {
                if let Some(verdict) = adjudicator.adjudicate(&game, mover, &choice(*score)) {
                    return Some((index + 1, verdict.winner));
                }
            }
        }
        None
    }

    #[test]
    fn wins_need_both_players() {
        let win = Adjudication { win: "moves=2 score=500".parse().ok(), ..Adjudication::default() };
        let (white, black) = (Some(Color::White), Some(Color::Black));
        for (name, scores, expected) in [
            ("white wins", vec![500, -500, 700, -900], Some((4, white))),
            ("black wins", vec![-500, 500, -700, 32000], Some((4, black))),
            ("one does not agree", vec![500, -499, 500, -499, 500, -499], None),
            ("a new count after a doubt", vec![500, -500, 500, 0, 500, -500, 500, -500], Some((8, white))),
            ("both think they win", vec![500, 500, 500, 500, 500, 500], None),
        ] {
            let scores: Vec<Option<i32>> = scores.into_iter().map(Some).collect();
            assert_eq!(adjudicated(&win, &scores), expected, "{name}");
        }
        assert_eq!(adjudicated(&win, &[Some(500), Some(-500), None, Some(-500), Some(500), Some(-500)]), None);
    }

    #[test]
    fn draws_wait_for_their_move() {
        let draw = |text: &str| Adjudication { draw: text.parse().ok(), ..Adjudication::default() };
        let level = [Some(10), Some(-10), Some(0), Some(5), Some(0), Some(0), Some(0), Some(0), Some(0)];
        assert_eq!(adjudicated(&draw("after=0 moves=2 score=10"), &level), Some((4, None)));
        assert_eq!(adjudicated(&draw("after=3 moves=2 score=10"), &level), Some((6, None)));
        assert_eq!(adjudicated(&draw("after=0 moves=3 score=9"), &level), Some((8, None)));
        assert_eq!(adjudicated(&draw("after=0 moves=1 score=10"), &[None, Some(0), None, Some(0)]), None);
    }

    #[test]
    fn tables_know_the_fifty_move_rule() {
        use Color::{Black, White};
        for (wdl, winner) in [
            (Wdl::Win, Some(Black)),
            (Wdl::Loss, Some(White)),
            (Wdl::CursedWin, None),
            (Wdl::BlessedLoss, None),
            (Wdl::Draw, None),
        ] {
            assert_eq!(verdict(wdl, Black).winner, winner, "{wdl:?}");
        }
    }

    /// Runs where the variable names a directory with tables of four pieces.
    #[test]
    fn tables_end_games_after_a_capture_only() {
        let Ok(path) = std::env::var("QUARTERPLY_SYZYGY") else { return };
        let tables = Tablebase::open(&path).expect("the variable names a directory with tables");
        let adjudication = Adjudication { tables: Some(Arc::new(tables)), ..Adjudication::default() };
        let adjudicate = |fen: &str, mv: &str| {
            let mut game = Game::standard(fen).expect(fen);
            let mover = game.position().turn();
            game.play_uci(mv).expect(mv);
            adjudication.start()[0].adjudicate(&game, mover, &choice(None)).map(|verdict| verdict.winner)
        };
        assert_eq!(adjudicate("7k/8/8/8/8/8/1q6/K6Q w - - 0 1", "a1b2"), Some(Some(Color::White)));
        assert_eq!(adjudicate("7k/8/8/8/8/8/1q6/K5Q1 b - - 0 1", "b2g2"), None);
    }

    #[test]
    fn rules_are_read_and_written() {
        for text in ["moves=4 score=600", "moves=1 score=1"] {
            assert_eq!(text.parse::<WinByScore>().expect(text).to_string(), text);
        }
        assert_eq!("score=10,moves=8,after=40".parse(), Ok(DrawByScore { after: 40, moves: 8, score: 10 }));
        assert_eq!("after=0 moves=1 score=0".parse(), Ok(DrawByScore { after: 0, moves: 1, score: 0 }));
        for (text, fault) in [
            ("", "`moves` is missing"),
            ("moves=4", "`score` is missing"),
            ("moves=4 points=3", "unknown `points`"),
            ("moves=4 score=x", "`score=x` is not a valid value: expected a whole number"),
            ("moves=4 score=4000000000", "`score=4000000000` is not a valid value: expected a whole number"),
            ("moves=0 score=3", "`moves` must be at least 1"),
            ("moves=1 score=0", "`score` must be at least 1"),
            ("moves=4 moves=8 score=600", "`moves` is given twice"),
            ("moves=4 score=600 score=600", "`score` is given twice"),
            ("4 600", "expected KEY=VALUE instead of `4`"),
        ] {
            let error = text.parse::<WinByScore>().expect_err(text).to_string();
            assert!(error.contains(fault) && error.contains("write it like `moves=4 score=600`"), "{error}");
        }
    }
}
