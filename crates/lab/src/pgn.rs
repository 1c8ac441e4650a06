//! Writing finished games as PGN, and reading games.

mod read;

pub use read::{GameError, GameFault, Games, ReadError, parse_games, read_games};

use crate::game::{Ending, Record};
use quarterply_engine::position::Game;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, Position};
use std::fmt::Write;

/// Longest line of move text, in characters.
const WIDTH: usize = 80;

/// What a game is part of.
#[derive(Clone, Debug)]
pub struct Header {
    /// The event.
    pub event: String,
    /// The number of the game in it.
    pub round: usize,
    /// The date as `yyyy.mm.dd`, or `????.??.??`.
    pub date: String,
    /// The time control as PGN writes it: seconds, `+`, seconds; `-` without a clock.
    pub time_control: String,
}

/// The game as PGN with a blank line at its end. Openings are written as moves, other starts as a FEN.
pub fn write(record: &Record, header: &Header) -> String {
    let mut text = String::new();
    let result = result(record.verdict.winner, &record.verdict.ending);
    for (name, value) in [
        ("Event", header.event.as_str()),
        ("Site", "?"),
        ("Date", header.date.as_str()),
        ("Round", &header.round.to_string()),
        ("White", record.names.white.as_str()),
        ("Black", record.names.black.as_str()),
        ("Result", result),
        ("TimeControl", header.time_control.as_str()),
        ("Termination", termination(&record.verdict.ending)),
    ] {
        tag(&mut text, name, value);
    }
    let start = record.opening.start_fen();
    if start != Game::new().fen() {
        if record.opening.castling_mode() == CastlingMode::Chess960 {
            tag(&mut text, "Variant", "Chess960");
        }
        tag(&mut text, "SetUp", "1");
        tag(&mut text, "FEN", &start);
    }
    text.push('\n');
    wrap(&mut text, &words(record, &start, result));
    text.push('\n');
    text
}

fn tag(text: &mut String, name: &str, value: &str) {
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
}

fn result(winner: Option<Color>, ending: &Ending) -> &'static str {
    match (winner, ending) {
        (Some(Color::White), _) => "1-0",
        (Some(Color::Black), _) => "0-1",
        (None, _) => "1/2-1/2",
    }
}

fn termination(ending: &Ending) -> &'static str {
    match ending {
        Ending::TimeLoss => "time forfeit",
        Ending::IllegalMove(_) | Ending::WrongClaim(_) => "rules infraction",
        Ending::Failure(_) => "abandoned",
        Ending::Adjudicated(_) | Ending::TooLong => "adjudication",
        Ending::Checkmate | Ending::Stalemate | Ending::Drawn(_) | Ending::Agreed | Ending::Resigned => "normal",
    }
}

/// Move numbers, moves and comments.
fn words(record: &Record, start: &str, result: &str) -> Vec<String> {
    let mode = record.opening.castling_mode();
    let mut chess =
        Game::from_fen(start, mode).map_or_else(|_| Chess::default(), |game| game.position().chess().clone());
    let mut words = Vec::new();
    let opening = record.opening.moves().iter().map(|mv| (*mv, None));
    let played = record.played.iter().map(|played| (played.mv, Some(comment(played))));
    let mut numbered = false;
    for (mv, comment) in opening.chain(played) {
        let number = chess.fullmoves();
        match chess.turn() {
            Color::White => words.push(format!("{number}.")),
            Color::Black if !numbered => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(SanPlus::from_move(chess.clone(), mv).to_string());
        numbered = comment.is_none();
        words.extend(comment);
        chess.play_unchecked(mv);
    }
    words.push(format!("{{{}}}", record.verdict.ending.to_string().replace(['{', '}'], "")));
    words.push(result.to_owned());
    words
}

/// Score in pawns for the side to move, depth and time, as match runners write them.
fn comment(played: &crate::game::Played) -> String {
    let value = match played.choice.score {
        None => "?".to_owned(),
        Some(score) => match score.mate_moves() {
            Some(moves) => format!("{}M{}", if moves < 0 { '-' } else { '+' }, moves.abs()),
            None => format!("{:+.2}", f64::from(score.0) / 100.0),
        },
    };
    format!("{{{value}/{} {:.3}s}}", played.choice.depth, played.time.as_secs_f64())
}

fn wrap(text: &mut String, words: &[String]) {
    let mut column = 0;
    for word in words.iter().flat_map(|word| word.split(' ')) {
        if column > 0 && column + 1 + word.len() > WIDTH {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += word.len();
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Choice, Played, Verdict};
    use quarterply_engine::score::{Ply, Score};
    use shakmaty::ByColor;
    use std::time::Duration;

    fn header() -> Header {
        Header { event: "a \"test\"".into(), round: 3, date: "2026.01.02".into(), time_control: "1+0.01".into() }
    }

    fn record(opening: Game, moves: &[(&str, Score)], verdict: Verdict) -> Record {
        let mut game = opening.clone();
        let play = |(text, score): &(&str, Score)| Played {
            mv: game.play_uci(text).expect(text),
            choice: Choice { text: (*text).to_owned(), score: Some(*score), depth: 9, nodes: 5 },
            time: Duration::from_millis(12),
            left: None,
        };
        let played = moves.iter().map(play).collect();
        Record { names: ByColor { white: "A".into(), black: "B".into() }, opening, played, verdict }
    }

    #[test]
    fn a_game_is_written_with_its_opening_and_comments() {
        let mut opening = Game::new();
        opening.play_uci("f2f3").expect("legal");
        let moves = [("e7e5", Score(25)), ("g2g4", Score(-130)), ("d8h4", Score::mate_in(Ply(1)))];
        let verdict = Verdict { winner: Some(Color::Black), ending: Ending::Checkmate };
        let expected = "[Event \"a \\\"test\\\"\"]\n[Site \"?\"]\n[Date \"2026.01.02\"]\n[Round \"3\"]\n[White \"A\"]\n\
            [Black \"B\"]\n[Result \"0-1\"]\n[TimeControl \"1+0.01\"]\n[Termination \"normal\"]\n\n\
            1. f3 e5 {+0.25/9 0.012s} 2. g4 {-1.30/9 0.012s} 2... Qh4# {+M1/9 0.012s}\n{checkmate} 0-1\n\n";
        assert_eq!(write(&record(opening, &moves, verdict), &header()), expected);
    }

    #[test]
    fn other_starts_carry_a_fen() {
        let opening = Game::from_fen("7k/5K2/8/8/8/8/8/6Q1 b - - 4 30", CastlingMode::Standard).expect("a good FEN");
        let verdict = Verdict { winner: None, ending: Ending::TooLong };
        let text = write(&record(opening, &[("h8h7", Score(0))], verdict), &header());
        assert!(text.contains("[SetUp \"1\"]\n[FEN \"7k/5K2/8/8/8/8/8/6Q1 b - - 4 30\"]"), "{text}");
        assert!(text.contains("30... Kh7 {+0.00/9 0.012s} {too long} 1/2-1/2"), "{text}");
    }

    #[test]
    fn no_line_is_too_long() {
        let mut opening = Game::new();
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(80) {
            opening.play_uci(text).expect("legal");
        }
        let verdict = Verdict { winner: None, ending: Ending::TooLong };
        let text = write(&record(opening, &[], verdict), &header());
        assert!(text.lines().all(|line| line.len() <= WIDTH) && text.lines().count() > 11, "{text}");
    }
}
