//! Writing finished games as PGN, and reading games.
//!
//! A comment after each move of a player has the results of its search if there are any: `{+0.35/12 0.123s 45678n}` is the score in pawns for the side
//! that moved, the depth, the time and the nodes. Moves of the opening are marked `{book}`. The last comment gives the reason for the
//! end of the game.

pub use quarterply_files::pgn::{
    AnnotatedGames, Correction, GameError, GameFault, MoveComment, ReadError, ReadGame, parse_annotated, read_annotated,
};

use crate::game::{Ending, Played, Record};
use quarterply_engine::position::Game;
use shakmaty::san::SanPlus;
use shakmaty::{ByColor, CastlingMode, Position};
use std::fmt::Write;

/// Longest line of move text, in characters.
const WIDTH: usize = 80;

/// The source of a game.
#[derive(Clone, Debug)]
pub struct EventTags {
    /// The event.
    pub event: String,
    /// The number of the game in it.
    pub round: usize,
    /// The date as `yyyy.mm.dd`, or `????.??.??`.
    pub date: String,
    /// The time control of each side as PGN writes it: seconds, `+`, seconds; `-` without a clock.
    pub time_control: ByColor<String>,
}

/// The game as PGN with a blank line at its end. Openings are written as moves, other starts as a FEN.
pub fn write(record: &Record, header: &EventTags) -> String {
    let mut text = String::new();
    let result = record.verdict.result().to_string();
    let plies = record.opening.moves().len() + record.played.len();
    for (name, value) in [
        ("Event", header.event.as_str()),
        ("Site", "?"),
        ("Date", header.date.as_str()),
        ("Round", &header.round.to_string()),
        ("White", record.names.white.as_str()),
        ("Black", record.names.black.as_str()),
        ("Result", &result),
    ] {
        tag(&mut text, name, value);
    }
    start_tags(&mut text, &record.opening);
    tag(&mut text, "PlyCount", &plies.to_string());
    let ByColor { white, black } = &header.time_control;
    if white == black {
        tag(&mut text, "TimeControl", white);
    } else {
        tag(&mut text, "WhiteTimeControl", white);
        tag(&mut text, "BlackTimeControl", black);
    }
    tag(&mut text, "Termination", termination(&record.verdict.ending));
    text.push('\n');
    wrap(&mut text, &words(record, &result));
    text.push('\n');
    text
}

/// Writes the tags of the start position, unless it is the initial position of chess.
fn start_tags(text: &mut String, opening: &Game) {
    let (start, mode) = (opening.start_fen(), opening.castling_mode());
    if mode == CastlingMode::Chess960 {
        tag(text, "Variant", "Chess960");
    }
    if mode == CastlingMode::Chess960 || start != Game::new().fen() {
        tag(text, "SetUp", "1");
        tag(text, "FEN", &start);
    }
}

fn tag(text: &mut String, name: &str, value: &str) {
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
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

/// The reason for the end of the game, and the player at fault if there is one.
fn reason(record: &Record) -> String {
    let ending = &record.verdict.ending;
    match record.verdict.winner {
        Some(winner) if ending.is_fault() => format!("{}: {ending}", record.names.get(!winner)),
        _ => ending.to_string(),
    }
}

/// Move numbers, moves, comments and the result.
fn words(record: &Record, result: &str) -> Vec<String> {
    let start = Game::from_fen(&record.opening.start_fen(), record.opening.castling_mode()).unwrap_or_default();
    let mut chess = start.position().chess().clone();
    let mut words = Vec::new();
    let opening = record.opening.moves().iter().map(|mv| (*mv, MoveComment::book()));
    let played = record.played.iter().map(|played| (played.mv, comment_of(played)));
    for (mv, remark) in opening.chain(played) {
        let dots = if chess.turn().is_white() { "." } else { "..." };
        words.push(format!("{}{dots}", chess.fullmoves()));
        words.push(SanPlus::from_move(chess.clone(), mv).to_string());
        let remark = remark.to_string();
        if !remark.is_empty() {
            words.push(format!("{{{remark}}}"));
        }
        chess.play_unchecked(mv);
    }
    // A line must not begin with a per cent sign, and the comment must not end before its end.
    words.push(format!("{{{}}}", reason(record).replace(['{', '}', '%'], "")));
    words.push(result.to_owned());
    words
}

/// Wraps the words into lines. A word that is longer than a line is split.
fn wrap(text: &mut String, words: &[String]) {
    let mut column = 0;
    for word in words.iter().flat_map(|word| word.split_whitespace()) {
        let mut rest = word;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(WIDTH).map_or(rest.len(), |(at, _)| at);
            let (piece, next) = rest.split_at(end);
            let width = piece.chars().count();
            if column > 0 {
                let fits = column + 1 + width <= WIDTH;
                text.push(if fits { ' ' } else { '\n' });
                column = if fits { column + 1 } else { 0 };
            }
            text.push_str(piece);
            column += width;
            rest = next;
        }
    }
    text.push('\n');
}

/// The comment on a move of a player. Without depth, nodes and time nothing is known but the score.
fn comment_of(played: &Played) -> MoveComment {
    let Played { choice, time, .. } = played;
    let known = choice.depth > 0 || choice.nodes > 0 || !time.is_zero();
    MoveComment {
        score: choice.score,
        depth: known.then_some(choice.depth),
        time: known.then_some(*time),
        nodes: known.then_some(choice.nodes),
        ..MoveComment::default()
    }
}

#[cfg(test)]
mod tests;
