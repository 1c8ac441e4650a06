//! The position of a pasted text: a FEN, or the last position of the main line of a game in PGN.

use quarterply_engine::notation::MoveTextError;
use quarterply_engine::position::{DroppedRights, Game};
use quarterply_files::pgn::{self, GameError, GameFault};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::RequestError;

/// Request of the page: a pasted text.
#[derive(Deserialize)]
pub struct PasteBody {
    text: String,
    /// Moves after the position of a FEN, in UCI notation.
    #[serde(default)]
    moves: Vec<String>,
}

/// The position of a text: its FEN, the number of moves (plies) that led to it, and a warning of castling rights that were dropped.
pub fn position(body: &PasteBody) -> Result<Value, RequestError> {
    let text = body.text.trim_start_matches('\u{feff}').trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    // A comment of a game may begin with an address.
    if first.contains('/') && !first.starts_with('{') {
        let (mut game, dropped) = Game::from_fen_lossy(text, None).map_err(RequestError::bad)?;
        game.play_line(&body.moves).map_err(RequestError::bad)?;
        return Ok(answer(&game, dropped.as_ref()));
    }
    let no_game =
        || RequestError::bad("cannot read the text: it is neither a FEN nor a game in PGN; paste one of them");
    let found = pgn::parse_annotated("the text", text.as_bytes()).map_err(|_| no_game())?;
    let next = found.games.get(1).map_or(usize::MAX, |next| next.line);
    let corrected = found.corrected.first().filter(|correction| correction.line < next);
    match (found.games.first(), found.skipped.first()) {
        (Some(read), fault) if fault.is_none_or(|fault| read.line <= fault.begin) => {
            Ok(answer(&read.game, corrected.map(|correction| &correction.dropped)))
        }
        (_, Some(fault)) if !is_prose(fault) => {
            Err(RequestError::bad(format!("line {}: {}", fault.line, fault.reason())))
        }
        _ => Err(no_game()),
    }
}

/// Returns true if the text begins with words that are not moves.
fn is_prose(fault: &GameError) -> bool {
    fault.plies == 0 && matches!(fault.fault, GameFault::Move { reason: MoveTextError::Unreadable, .. })
}

fn answer(game: &Game, dropped: Option<&DroppedRights>) -> Value {
    json!({"fen": game.fen(), "plies": game.moves().len(), "warning": dropped.map(DroppedRights::to_string)})
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
        for before in ["  ", "\u{feff}"] {
            assert_eq!(of(&format!("{before}{fen}\n")), Ok(json!({"fen": fen, "plies": 0, "warning": null})));
        }
        let game = "[Event \"?\"]\n\n1. e4 {best by test} e5 2. Nf3 (2. f4 exf4) 2... Nc6 $1 *\n\n1. d4 *";
        let found = of(game).expect("a game");
        assert_eq!(found["plies"], 4);
        assert!(
            found["fen"].as_str().is_some_and(|fen| fen.starts_with("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2")),
            "{found}"
        );
        assert_eq!(of("{https://example.org/game} 1. e4 *").expect("an address in a comment")["plies"], 1);
        for variant in ["From Position", "Chess960", "-"] {
            let started = format!("[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n1. Rd8# 1-0");
            assert_eq!(of(&started).expect(variant)["plies"], 1);
        }
    }

    #[test]
    fn impossible_castling_rights_are_dropped_with_a_warning() {
        let (fen, left) = ("4k3/8/8/8/8/8/3R4/4K3 w K -", "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1");
        for text in [fen.to_owned(), format!("[FEN \"{fen}\"]\n\n*")] {
            let found = of(&text).expect(&text);
            assert_eq!(found["fen"], left, "{text}");
            let warning = found["warning"].as_str().unwrap_or_default();
            assert!(warning.starts_with("castling rights `K` of"), "{text}: {warning}");
        }
        let chess960 = "4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1";
        assert_eq!(of(chess960), Ok(json!({"fen": chess960, "plies": 0, "warning": null})));
    }

    /// A link may name the first position and the moves since.
    #[test]
    fn moves_are_played_from_the_position_of_a_fen() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let found = after(fen, &["d1d7", "g8f8"]).expect("legal moves");
        let left = "5k2/3R1ppp/8/8/8/8/5PPP/6K1 w - - 2 2";
        assert_eq!((&found["fen"], &found["plies"]), (&json!(left), &json!(2)));
        let reason = after(fen, &["d1d7", "d7d8"]).expect_err("Black is to move");
        assert!(reason.contains("d7d8"), "{reason}");
    }

    #[test]
    fn a_text_that_cannot_be_read_is_refused_with_the_reason() {
        for (text, expected) in [
            ("", "neither a FEN nor a game"),
            ("hello there", "neither a FEN nor a game"),
            ("hello [x] there", "neither a FEN nor a game"),
            ("1. e4 e5 2. Ke3", "line 1: cannot play `Ke3` after 2 half moves"),
            ("1. e4 e5\n2. Nf3 Nc66 3. Nc3", "line 2: cannot play `Nc66` after 3 half moves"),
            ("1. e4 c5 2. hello d4", "cannot play `hello` after 2 half moves"),
            ("1. e5", "cannot play `e5` after 0 half moves"),
            ("[FEN \"nonsense\"]\n\n1. e4 *", "cannot set up the FEN `nonsense`"),
            ("[Variant \"Atomic\"]\n\n1. e4 *", "cannot read a game with the tag `Variant \"Atomic\"`"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "`8/8/8/8/8/8/8/8 w - - 0 1` is not a legal position"),
        ] {
            let reason = of(text).expect_err(text);
            assert!(reason.contains(expected), "{text}: {reason}");
        }
    }
}
