//! A position from what people paste: a FEN, or a game in PGN, of which the last position of the main line counts.

use std::io::Cursor;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::CastlingMode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::Refused;

/// Request of the page: a pasted text.
#[derive(Deserialize)]
pub struct PasteBody {
    text: String,
    /// Moves after the position of a FEN, in UCI notation.
    #[serde(default)]
    moves: Vec<String>,
}

/// The position of a text: its FEN, and the number of moves (plies) that led to it.
pub fn position(wanted: &PasteBody) -> Result<Value, Refused> {
    let text = wanted.text.trim();
    if let Ok(mut game) = fen(text) {
        for mv in &wanted.moves {
            game.play_uci(mv).map_err(|error| Refused::bad(error.to_string()))?;
        }
        return Ok(json!({"fen": game.fen(), "plies": game.moves().len()}));
    }
    let mut reader = Reader::new(Cursor::new(text));
    let read =
        reader.read_game(&mut MainLine).map_err(|error| Refused::bad(format!("cannot read the text: {error}")))?;
    match read {
        Some(Ok(game)) if !game.moves().is_empty() || text.contains('[') => {
            Ok(json!({"fen": game.fen(), "plies": game.moves().len()}))
        }
        Some(Err(reason)) => Err(Refused::bad(reason)),
        _ => Err(Refused::bad("the text is neither a FEN nor a game in PGN; paste one of them")),
    }
}

fn fen(text: &str) -> Result<Game, String> {
    Game::from_fen(text, CastlingMode::Chess960).map_err(|error| error.to_string())
}

/// Plays the main line of a game.
struct MainLine;

impl Visitor for MainLine {
    type Tags = Game;
    type Movetext = Game;
    type Output = Result<Game, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Game> {
        ControlFlow::Continue(Game::new())
    }

    fn tag(&mut self, game: &mut Game, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            match fen(&value.decode_utf8_lossy()) {
                Ok(start) => *game = start,
                Err(reason) => return ControlFlow::Break(Err(format!("cannot read the tag FEN: {reason}"))),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Game) -> ControlFlow<Self::Output, Game> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        match san.san.to_move(game.position().chess()) {
            Ok(mv) => {
                game.play(mv);
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(Err(format!("`{san}` is not a legal move in {}", game.fen()))),
        }
    }

    fn end_game(&mut self, game: Game) -> Self::Output {
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Value, String> {
        after(text, &[])
    }

    fn after(text: &str, moves: &[&str]) -> Result<Value, String> {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        position(&PasteBody { text: text.to_owned(), moves }).map_err(|refused| refused.reason)
    }

    #[test]
    fn positions_and_games_are_read() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        assert_eq!(of(&format!("  {fen}\n")), Ok(json!({"fen": fen, "plies": 0})));
        let game = "[Event \"?\"]\n\n1. e4 {best by test} e5 2. Nf3 (2. f4 exf4) 2... Nc6 $1 *\n\n1. d4 *";
        let found = of(game).expect("a game");
        assert_eq!(found["plies"], 4);
        assert!(
            found["fen"].as_str().is_some_and(|fen| fen.starts_with("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2")),
            "{found}"
        );
        let started = format!("[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n1. Rd8# 1-0");
        assert_eq!(of(&started).expect("a game")["plies"], 1);
    }

    /// A link may name the first position and the moves since.
    #[test]
    fn moves_are_played_from_the_position_of_a_fen() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let found = after(fen, &["d1d7", "g8f8"]).expect("legal moves");
        assert_eq!(found, json!({"fen": "5k2/3R1ppp/8/8/8/8/5PPP/6K1 w - - 2 2", "plies": 2}));
        let reason = after(fen, &["d1d7", "d7d8"]).expect_err("Black is to move");
        assert!(reason.contains("d7d8"), "{reason}");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, expected) in [
            ("", "neither a FEN nor a game"),
            ("hello there", "neither a FEN nor a game"),
            ("1. e4 e5 2. Ke3", "`Ke3` is not a legal move"),
            ("[FEN \"nonsense\"]\n\n1. e4 *", "cannot read the tag FEN"),
        ] {
            let reason = of(text).expect_err(text);
            assert!(reason.contains(expected), "{text}: {reason}");
        }
    }
}
