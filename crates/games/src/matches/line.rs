//! The journal line of a finished pair: enough for the tables, the statistics and the PGN.

pub use crate::game::GameResult;
use crate::game::{Ending, Record};
use quarterply_uci::info::milliseconds;
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::time::Duration;

/// A finished pair: one line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairLine {
    /// The number of the pair in the schedule, from 1.
    pub pair: usize,
    /// The two players; the first has white in the first game.
    pub players: [String; 2],
    /// Where both games began.
    pub opening: String,
    /// Points of the first player.
    pub points: f64,
    /// The games in order.
    pub games: Vec<GameLine>,
    /// The worker that played it, if it was played elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// One game of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// The number of the game in the match, from 1.
    pub game: usize,
    /// The player of the white pieces.
    pub white: String,
    /// The player of the black pieces.
    pub black: String,
    /// The result.
    pub result: GameResult,
    /// Why it ended: [`crate::game::Ending::code`].
    pub ending: String,
    /// The player that lost the game by a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<PlayerFault>,
    /// Half moves played by the players.
    pub plies: u64,
    /// Nodes of all moves.
    pub nodes: u64,
    /// Time of all moves (microseconds).
    pub search_us: u64,
    /// The least time left on a clock after a move (milliseconds).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_left_ms: Option<u64>,
    /// The player that had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_left_by: Option<String>,
    /// The game.
    pub pgn: String,
}

/// Something that a sound engine never does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerFault {
    /// The player that committed the fault.
    pub by: String,
    /// The fault.
    pub what: String,
}

fn fault(record: &Record) -> Option<PlayerFault> {
    let ending = &record.verdict.ending;
    if !ending.is_fault() {
        return None;
    }
    let by = record.verdict.winner.map(|winner| record.names.get(!winner).clone());
    let mut game = record.opening.clone();
    record.played.iter().for_each(|played| game.play(played.mv));
    let what = ending.detail().unwrap_or_else(|| ending.to_string());
    Some(PlayerFault { by: by.unwrap_or_default(), what: format!("{what}, in {}", game.fen()) })
}

impl GameLine {
    /// The result of `record`, with its PGN.
    pub fn new(game: usize, record: &Record, pgn: String) -> GameLine {
        let left = least_left(record);
        let time: Duration = record.played.iter().map(|played| played.time).sum();
        GameLine {
            game,
            white: record.names.white.clone(),
            black: record.names.black.clone(),
            result: record.verdict.result(),
            ending: record.verdict.ending.code().to_owned(),
            fault: fault(record),
            plies: record.played.len() as u64,
            nodes: record.played.iter().map(|played| played.choice.nodes).sum(),
            search_us: u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
            least_left_ms: left.map(|(left, _)| milliseconds(left)),
            least_left_by: left.map(|(_, color)| record.names.get(color).clone()),
            pgn,
        }
    }
}

/// The least time that was left on a clock after a move, and whose clock it was: none after a loss on time.
fn least_left(record: &Record) -> Option<(Duration, Color)> {
    let mut mover = record.opening.position().turn();
    let mut least: Option<(Duration, Color)> = None;
    for played in &record.played {
        if let Some(left) = played.left
            && least.is_none_or(|(known, _)| left < known)
        {
            least = Some((left, mover));
        }
        mover = !mover;
    }
    // The move of a loss on time is not among these.
    let late = record.verdict.winner.filter(|_| record.verdict.ending == Ending::TimeLoss).map(|winner| !winner);
    late.map_or(least, |loser| least.map(|_| (Duration::ZERO, loser)))
}

impl PairLine {
    /// The line of the unit at `index` of the schedule.
    pub fn new(index: usize, players: [String; 2], opening: String, games: Vec<GameLine>) -> PairLine {
        let mut line = PairLine { pair: index + 1, players, opening, points: 0.0, games, worker: None };
        line.points = line.half_points().iter().sum::<usize>() as f64 / 2.0;
        line
    }

    /// Half points of the first player in each game. It has white in the first game and black in the second.
    pub fn half_points(&self) -> Vec<usize> {
        let of = |(index, game): (usize, &GameLine)| {
            let white = match game.result {
                GameResult::White => 2,
                GameResult::Draw => 1,
                GameResult::Black => 0,
            };
            if index.is_multiple_of(2) { white } else { 2 - white }
        };
        self.games.iter().enumerate().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Schedule, TournamentFormat};
    use super::*;
    use crate::game::{Choice, GameVerdict, Played, PlayerError};
    use quarterply_engine::position::Game;
    use shakmaty::ByColor;

    fn game(number: usize, winner: Option<Color>, ending: Ending) -> GameLine {
        let names = ByColor { white: "W".to_owned(), black: "B".to_owned() };
        let record =
            Record { names, opening: Game::new(), played: Vec::new(), verdict: GameVerdict { winner, ending } };
        GameLine::new(number, &record, "pgn".to_owned())
    }

    fn pair(games: Vec<GameLine>) -> PairLine {
        let unit = Schedule::new(2, TournamentFormat::Gauntlet, 6).unit(1).expect("three units");
        PairLine::new(unit.index, ["A".to_owned(), "B".to_owned()], "fen".to_owned(), games)
    }

    #[test]
    fn points_are_those_of_the_first_player() {
        use Color::{Black, White};
        let draw = || game(4, None, Ending::Stalemate);
        let won = |color| game(3, Some(color), Ending::Checkmate);
        for (name, games, half_points, points) in [
            ("both won", vec![won(White), won(Black)], vec![2, 2], 2.0),
            ("white wins both", vec![won(White), won(White)], vec![2, 0], 1.0),
            ("both lost", vec![won(Black), won(White)], vec![0, 0], 0.0),
            ("draw and win", vec![draw(), won(Black)], vec![1, 2], 1.5),
            ("one game", vec![won(White)], vec![2], 1.0),
        ] {
            let pair = pair(games);
            assert_eq!((pair.half_points(), pair.points, pair.pair), (half_points, points, 2), "{name}");
        }
    }

    #[test]
    fn faults_name_the_loser() {
        for (ending, code, what) in [
            (Ending::TimeLoss, "time-loss", Some("time loss")),
            (Ending::IllegalMove("e2e5".into()), "illegal-move", Some("illegal move e2e5")),
            (
                Ending::Failure(PlayerError::InvalidAnswer { text: "x".into() }),
                "garbage",
                Some("cannot read the answer `x`"),
            ),
            (Ending::Checkmate, "checkmate", None),
        ] {
            let line = game(1, Some(Color::White), ending);
            assert_eq!(line.ending, code);
            // The position is named, too.
            let what = what.map(|what| format!("{what}, in {}", Game::new().fen()));
            assert_eq!(line.fault, what.map(|what| PlayerFault { by: "B".to_owned(), what }), "{code}");
        }
    }

    #[test]
    fn the_player_with_the_least_time_is_named() {
        let mut opening = Game::new();
        opening.play_uci("e2e4").expect("a move");
        // Black moves first.
        let mut position = opening.clone();
        let mut played = |text: &str, left: Option<u64>| {
            let mv = position.parse_uci(text).expect(text);
            position.play(mv);
            let choice = Choice { text: text.to_owned(), score: None, depth: 1, nodes: 1 };
            Played { mv, choice, time: Duration::ZERO, left: left.map(Duration::from_millis) }
        };
        let moves = [("e7e5", Some(90)), ("g1f3", Some(40)), ("b8c6", Some(70)), ("f1b5", None)];
        let played = moves.map(|(text, left)| played(text, left)).to_vec();
        let names = ByColor { white: "W".to_owned(), black: "B".to_owned() };
        let verdict = GameVerdict { winner: None, ending: Ending::Stalemate };
        let record = Record { names, opening, played, verdict };
        let line = GameLine::new(1, &record, String::new());
        assert_eq!((line.least_left_ms, line.least_left_by.as_deref()), (Some(40), Some("W")));
        // "at least 40 ms left" was said of a match with a loss on time.
        let verdict = GameVerdict { winner: Some(Color::White), ending: Ending::TimeLoss };
        let late = GameLine::new(1, &Record { verdict, ..record }, String::new());
        assert_eq!((late.least_left_ms, late.least_left_by.as_deref()), (Some(0), Some("B")));
        let without = game(1, None, Ending::Stalemate);
        assert_eq!((without.least_left_ms, without.least_left_by), (None, None));
    }

    #[test]
    fn lines_are_read_back() {
        let line = pair(vec![game(3, None, Ending::TimeLoss), game(4, Some(Color::Black), Ending::Checkmate)]);
        let text = serde_json::to_string(&line).expect("JSON");
        assert!(text.contains("\"result\":\"1/2-1/2\"") && text.contains("\"ending\":\"time-loss\""), "{text}");
        assert_eq!(serde_json::from_str::<PairLine>(&text).expect("a line"), line);
    }
}
