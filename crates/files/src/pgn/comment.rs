//! The search results of a player for its move, as a comment.

use quarterply_engine::score::{Ply, Score};
use std::fmt;
use std::time::Duration;

/// Marks a move of the opening.
const BOOK: &str = "book";
/// Written where the score is not known.
const NO_SCORE: &str = "?";
/// Centipawns in a pawn.
const PAWN: f64 = 100.0;
/// Longest mate that a score can hold (moves).
const MATE_MAX: u16 = 120;
/// Largest score that is not a mate score (pawns).
const SCORE_MAX: f64 = 310.0;

/// A comment on a move: what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveComment {
    /// The value for the side that moved.
    pub score: Option<Score>,
    /// Depth reached (plies).
    pub depth: Option<u32>,
    /// Time taken.
    pub time: Option<Duration>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// True if it was a move of the opening.
    pub book: bool,
    /// The remaining text.
    pub text: String,
}

impl MoveComment {
    /// A move of the opening.
    pub fn book() -> MoveComment {
        MoveComment { book: true, ..MoveComment::default() }
    }

    /// Adds the figures and the text of a comment, also of other match runners. Figures that are known already stay.
    pub fn note(&mut self, comment: &str) {
        for word in comment.split_whitespace() {
            let figure = word.trim_end_matches([',', ';']);
            if !self.note_figure(figure) {
                if !self.text.is_empty() {
                    self.text.push(' ');
                }
                self.text.push_str(word);
            }
        }
    }

    /// Returns true if this is a figure, and none of its kind was known.
    fn note_figure(&mut self, word: &str) -> bool {
        if word == BOOK {
            return !std::mem::replace(&mut self.book, true);
        }
        if let Some((score, depth)) = word.split_once('/') {
            let (score, depth) = (parse_score(score).ok_or(score == NO_SCORE), depth.parse().ok());
            let good = depth.is_some() && self.depth.is_none() && score != Err(false);
            if good {
                (self.score, self.depth) = (score.ok(), depth);
            }
            return good;
        }
        let free = |known: bool| (!known).then_some(word);
        let seconds = free(self.time.is_some()).and_then(|word| word.strip_suffix('s')).and_then(parse_seconds);
        let nodes = free(self.nodes.is_some()).and_then(|word| word.strip_suffix('n')).and_then(|n| n.parse().ok());
        let signed = free(self.score.is_some()).filter(|word| word.starts_with(['+', '-'])).and_then(parse_score);
        self.time = self.time.or(seconds);
        self.nodes = self.nodes.or(nodes);
        self.score = self.score.or(signed);
        seconds.is_some() || nodes.is_some() || signed.is_some()
    }
}

impl fmt::Display for MoveComment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if self.book {
            words.push(BOOK.to_owned());
        }
        match (self.score, self.depth) {
            (None, None) => {}
            (Some(score), None) => words.push(show_score(score)),
            (score, Some(depth)) => words.push(format!("{}/{depth}", score.map_or(NO_SCORE.to_owned(), show_score))),
        }
        words.extend(self.time.map(|time| format!("{:.3}s", time.as_secs_f64())));
        words.extend(self.nodes.map(|nodes| format!("{nodes}n")));
        if !self.text.is_empty() {
            words.push(self.text.clone());
        }
        f.write_str(&words.join(" "))
    }
}

/// Pawns, or `M` and moves to mate.
fn show_score(score: Score) -> String {
    match score.mate_moves() {
        Some(moves) => format!("{}M{}", if score < Score::ZERO { '-' } else { '+' }, moves.abs()),
        None => format!("{:+.2}", f64::from(score.0) / PAWN),
    }
}

fn parse_score(text: &str) -> Option<Score> {
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(moves) = size.strip_prefix('M') {
        let plies = 2 * moves.parse::<u16>().ok().filter(|moves| *moves <= MATE_MAX)?;
        return Some(if negative { Score::mated_in(Ply(plies)) } else { Score::mate_in(Ply(plies.saturating_sub(1))) });
    }
    // No second sign, and neither `inf` nor `nan`.
    let plain = size.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let pawns: f64 = size.parse().ok().filter(|pawns| plain && *pawns <= SCORE_MAX)?;
    let score = (pawns * PAWN).round() as i32;
    Some(Score(if negative { -score } else { score }))
}

fn parse_seconds(text: &str) -> Option<Duration> {
    text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(comment: &str) -> MoveComment {
        let mut remark = MoveComment::default();
        remark.note(comment);
        remark
    }

    fn figures(score: Option<i32>, depth: Option<u32>, ms: Option<u64>, nodes: Option<u64>, text: &str) -> MoveComment {
        let time = ms.map(Duration::from_millis);
        MoveComment { score: score.map(Score), depth, time, nodes, book: false, text: text.to_owned() }
    }

    #[test]
    fn comments_of_match_runners_are_read() {
        for (comment, expected) in [
            ("+0.35/12 0.123s 45678n", figures(Some(35), Some(12), Some(123), Some(45678), "")),
            ("-1.30/9 0.012s", figures(Some(-130), Some(9), Some(12), None, "")),
            ("+M5/20 1s 5n", figures(Some(31991), Some(20), Some(1000), Some(5), "")),
            ("-M5/20 1s 5n", figures(Some(-31990), Some(20), Some(1000), Some(5), "")),
            ("?/7 0.001s 1n", figures(None, Some(7), Some(1), Some(1), "")),
            ("0.00/1 0s", figures(Some(0), Some(1), Some(0), None, "")),
            (
                "+0.13/25 4.2s, White wins by adjudication",
                figures(Some(13), Some(25), Some(4200), None, "White wins by adjudication"),
            ),
            ("-0.05", figures(Some(-5), None, None, None, "")),
            ("A nice move. 1/2-1/2", figures(None, None, None, None, "A nice move. 1/2-1/2")),
            ("+1e9/3 --1/4 nans inf/3 +M999/1", figures(None, None, None, None, "+1e9/3 --1/4 nans inf/3 +M999/1")),
            ("", MoveComment::default()),
            ("book", MoveComment::book()),
        ] {
            assert_eq!(remark(comment), expected, "{comment}");
        }
    }

    #[test]
    fn comments_are_read_back() {
        for remark_text in
            ["book", "+0.35/12 0.123s 45678n", "-M0/1 0.000s 0n", "?/3 2.000s 9n late", "+309.99/1", "+M120/3"]
        {
            let read = remark(remark_text);
            assert_eq!(read.to_string(), remark_text);
            assert_eq!(remark(&read.to_string()), read);
        }
    }

    #[test]
    fn a_second_comment_adds_only_what_was_missing() {
        let mut read = remark("+0.35/12");
        read.note("-9.99/3 0.5s checkmate");
        assert_eq!(read, figures(Some(35), Some(12), Some(500), None, "-9.99/3 checkmate"));
    }
}
