//! A line of output of an engine, by its meaning.

use crate::game::GameResult;
use quarterply_engine::score::{Ply, Score};

/// Scores from here on are mates; the excess is the number of moves to mate.
const MATE: i64 = 100_000;
/// Longest mate that a score can hold (moves).
const MATE_MAX: i64 = 120;

/// A line of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineLine<'a> {
    /// `feature ...`
    Feature(&'a str),
    /// Its move.
    Move(&'a str),
    /// It reports this as illegal, which is often an unknown command.
    Illegal(&'a str),
    /// It does not understand, or complains to its user.
    Complaint(&'a str),
    /// It resigns.
    Resign,
    /// It offers a draw.
    DrawOffer,
    /// It claims that the game is over.
    Result(GameResult),
    /// `pong N`
    Pong(&'a str),
    /// The results of its search so far.
    Thinking(ThinkingOutput),
    /// Anything else.
    Chatter,
}

/// The results of a search so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingOutput {
    /// Depth (plies).
    pub depth: u32,
    /// The value for the engine.
    pub score: Option<Score>,
    /// Nodes searched.
    pub nodes: u64,
}

impl<'a> EngineLine<'a> {
    /// Sorts a line.
    pub fn read(line: &'a str) -> EngineLine<'a> {
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match first {
            "feature" => EngineLine::Feature(rest),
            "move" => EngineLine::Move(rest.split_whitespace().next().unwrap_or("")),
            "pong" => EngineLine::Pong(rest),
            "resign" => EngineLine::Resign,
            "offer" if rest == "draw" => EngineLine::DrawOffer,
            "1-0" => EngineLine::Result(GameResult::White),
            "0-1" => EngineLine::Result(GameResult::Black),
            "1/2-1/2" => EngineLine::Result(GameResult::Draw),
            "Illegal" => EngineLine::Illegal(after_colon(rest)),
            "Error" | "tellusererror" => EngineLine::Complaint(rest),
            "White" | "Black" if rest == "resigns" => EngineLine::Resign,
            _ => EngineLine::read_old(line)
                .or_else(|| think(line).map(EngineLine::Thinking))
                .unwrap_or(EngineLine::Chatter),
        }
    }

    /// Moves as older engines write them: `My move is: e2e4` and `1. ... e7e5`.
    fn read_old(line: &'a str) -> Option<EngineLine<'a>> {
        if let Some(rest) = line.strip_prefix("My move is") {
            return Some(EngineLine::Move(after_colon(rest)));
        }
        let mut words = line.split_whitespace();
        let number = words.next()?.strip_suffix('.')?;
        let dots = words.next()?;
        (number.parse::<u32>().is_ok() && dots == "...").then(|| words.next().map(EngineLine::Move)).flatten()
    }
}

/// Returns true if a program that does not know the command `xboard` says so. Engines of the older protocol report errors in another form
/// ([`EngineLine::Illegal`], [`EngineLine::Complaint`]).
pub fn rejects_xboard(line: &str) -> bool {
    let text = line.to_ascii_lowercase();
    text.contains("unknown command") && text.contains("xboard") && EngineLine::read(line) == EngineLine::Chatter
}

/// The text after the first colon, or the whole text if there is none.
fn after_colon(text: &str) -> &str {
    text.split_once(':').map_or(text, |(_, rest)| rest).trim()
}

/// Reads `PLY SCORE TIME NODES ...`; a mark may follow the ply.
fn think(line: &str) -> Option<ThinkingOutput> {
    let mut words = line.split_whitespace();
    let ply = words.next()?;
    let depth = ply.trim_end_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()?;
    let score: i64 = words.next()?.parse().ok()?;
    let _time: i64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    Some(ThinkingOutput { depth, score: Some(value(score)), nodes })
}

/// The value that a number means.
fn value(number: i64) -> Score {
    let moves = (number.saturating_abs() - MATE).min(MATE_MAX);
    if moves < 0 {
        Score(number as i32).as_eval()
    } else if number < 0 {
        Score::mated_in(Ply(2 * moves as u16))
    } else {
        // The winning side needs at least one move to mate.
        Score::mate_in(Ply(2 * moves.max(1) as u16 - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{features, notation};
    use super::*;
    use proptest::prelude::*;
    use quarterply_engine::position::Game;

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in "(feature |move |Illegal |Error )?[ -~é]{0,40}", numbers in any::<[i64; 4]>()) {
            let _ = EngineLine::read(&line);
            let _ = EngineLine::read(&numbers.map(|number| number.to_string()).join(" "));
            let _ = (features::pairs(&line), notation::read(&Game::new(), &line));
        }
    }

    #[test]
    fn lines_are_sorted() {
        for (line, expected) in [
            ("feature ping=1 done=1", EngineLine::Feature("ping=1 done=1")),
            ("move e2e4", EngineLine::Move("e2e4")),
            ("move  O-O  ", EngineLine::Move("O-O")),
            ("My move is: Nf3", EngineLine::Move("Nf3")),
            ("My move is : g1f3", EngineLine::Move("g1f3")),
            ("12. ... e7e5", EngineLine::Move("e7e5")),
            ("move", EngineLine::Move("")),
            ("Illegal move: e2e5", EngineLine::Illegal("e2e5")),
            ("Illegal move (in check): a2a3", EngineLine::Illegal("a2a3")),
            ("Error (unknown command): easy", EngineLine::Complaint("(unknown command): easy")),
            ("tellusererror Illegal position", EngineLine::Complaint("Illegal position")),
            ("resign", EngineLine::Resign),
            ("Black resigns", EngineLine::Resign),
            ("offer draw", EngineLine::DrawOffer),
            ("1-0 {White mates}", EngineLine::Result(GameResult::White)),
            ("0-1", EngineLine::Result(GameResult::Black)),
            ("1/2-1/2 {Draw by repetition}", EngineLine::Result(GameResult::Draw)),
            ("pong 7", EngineLine::Pong("7")),
            ("# 9 35 120 33211 e2e4", EngineLine::Chatter),
            ("telluser hello", EngineLine::Chatter),
            ("White mates", EngineLine::Chatter),
            ("", EngineLine::Chatter),
        ] {
            assert_eq!(EngineLine::read(line), expected, "{line}");
        }
    }

    #[test]
    fn programs_that_do_not_know_xboard_are_told_from_older_engines() {
        for (line, expected) in [
            ("Unknown command: 'xboard'. Type help for more information.", true),
            ("info string Unknown command: xboard; `help` lists the commands", true),
            ("Unknown command: 'protover 2'. Type help for more information.", false),
            ("Error (unknown command): xboard", false),
            ("Illegal move: xboard", false),
            ("welcome to xboard", false),
        ] {
            assert_eq!(rejects_xboard(line), expected, "{line}");
        }
    }

    #[test]
    fn thoughts_are_read() {
        for (line, depth, score, nodes) in [
            ("9 156 1084 48000 Nf3 Nc6", 9, Score(156), 48_000),
            (" 10.   -35     12     4711\te2e4", 10, Score(-35), 4711),
            ("4& +20 0 100 e2e4 e7e5", 4, Score(20), 100),
            ("12 100003 10 5", 12, Score::mate_in(Ply(5)), 5),
            ("12 -100002 10 5 Kh8", 12, Score::mated_in(Ply(4)), 5),
            ("12 100000 10 5", 12, Score::mate_in(Ply(1)), 5),
            ("1 -100000 10 5", 1, Score::mated_in(Ply(0)), 5),
            ("3 9223372036854775807 1 1", 3, Score::mate_in(Ply(239)), 1),
            ("3 99999 1 1", 3, Score::EVAL_MAX, 1),
        ] {
            assert_eq!(
                EngineLine::read(line),
                EngineLine::Thinking(ThinkingOutput { depth, score: Some(score), nodes }),
                "{line}"
            );
        }
        for line in ["9 156 1084", "x 1 2 3", "9 1.5 2 3", "-9 1 2 3 4", "9 1 2 x"] {
            assert_eq!(EngineLine::read(line), EngineLine::Chatter, "{line}");
        }
    }
}
