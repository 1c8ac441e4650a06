//! Positions from FEN.

use super::Game;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, PositionErrorKinds};
use thiserror::Error;

/// The largest halfmove clock a game of chess can reach: after seventy-five moves of each side without capture or pawn move it is over
/// (FIDE Laws, 9.6.2). Wherever a position is read, a larger one counts as this.
pub const HALFMOVES_MAX: u32 = 150;

/// Why a FEN was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{fen}` is no legal position: {reason}")]
pub struct FenError {
    /// The text that was given.
    pub fen: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Game {
    /// A game from a FEN of four to six fields; X-FEN and Shredder castling rights are understood. A halfmove clock above
    /// [`HALFMOVES_MAX`] counts as that.
    ///
    /// # Errors
    /// [`FenError`] with the text and everything that is wrong with it.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        let refuse = |reason: String| FenError { fen: fen.to_owned(), reason };
        let parsed = fen.trim().parse::<Fen>().map_err(|e| refuse(e.to_string()))?;
        let mut setup = parsed.into_setup();
        setup.halfmoves = setup.halfmoves.min(HALFMOVES_MAX);
        let chess = Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_invalid_ep_square)
            .map_err(|e| refuse(explain(&e)))?;
        Ok(Game::from_chess(chess, mode))
    }
}

fn explain(error: &PositionError<Chess>) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("illegal position: ").unwrap_or(&text).to_owned();
    if error.kinds().contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS) {
        format!("{text} (remove castling rights without king and rook at home, or set UCI_Chess960)")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{EnPassantMode, Position as _};

    #[test]
    fn a_halfmove_clock_beyond_chess_does_not_overflow() {
        for (clock, expected) in
            [("0", 0), ("99", 99), ("150", 150), ("151", 150), ("4294967295", 150), ("99999999999", 150)]
        {
            let fen = format!("8/8/8/3k4/8/8/8/KQ6 w - - {clock} 90");
            let mut game = Game::from_fen(&fen, CastlingMode::Standard).expect("legal");
            assert_eq!((game.position().halfmoves(), game.position().reversible()), (expected, expected), "{clock}");
            game.play_uci("b1b2").expect("legal");
            assert_eq!(game.position().reversible(), expected + 1, "{clock}");
        }
        let mut setup = Chess::default().to_setup(EnPassantMode::Legal);
        setup.halfmoves = u32::MAX;
        let chess = Chess::from_setup(setup, CastlingMode::Standard).expect("legal");
        let game = Game::from_chess(chess, CastlingMode::Standard);
        let next = game.position().play(game.parse_uci("g1f3").expect("legal"));
        assert_eq!(next.reversible(), HALFMOVES_MAX + 1);
    }
}
