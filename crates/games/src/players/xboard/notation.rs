//! Moves as engines of xboard write and read them.

use super::features::Features;
use quarterply_engine::notation::read_move;
use quarterply_engine::position::Game;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, Move};
use std::time::Duration;

/// A move of the side to move in the notation that the engine expects.
pub fn write(game: &Game, mv: Move, features: &Features) -> String {
    let text = if features.san {
        San::from_move(game.position().chess(), mv).to_string()
    } else {
        match (game.castling_mode(), mv.castling_side()) {
            (CastlingMode::Chess960, Some(CastlingSide::KingSide)) => "O-O".to_owned(),
            (CastlingMode::Chess960, Some(CastlingSide::QueenSide)) => "O-O-O".to_owned(),
            _ => UciMove::from_move(mv, CastlingMode::Standard).to_string(),
        }
    };
    if features.usermove { format!("usermove {text}") } else { text }
}

/// The legal move that an engine means: coordinates or algebraic notation, whatever it declared.
pub fn read(game: &Game, text: &str) -> Option<Move> {
    read_move(game.position().chess(), text).ok()
}

/// The time control as arguments of `level`: minutes, or minutes and seconds, and seconds per move. The base is rounded up to
/// whole seconds; the exact time is sent with every move.
pub fn level(moves: Option<u32>, base: Duration, increment: Duration) -> String {
    const MINUTE: u64 = 60;
    let seconds = base.as_secs() + u64::from(base.subsec_nanos() > 0);
    let (minutes, rest) = (seconds / MINUTE, seconds % MINUTE);
    let base = if rest == 0 { minutes.to_string() } else { format!("{minutes}:{rest:02}") };
    format!("level {} {base} {}", moves.unwrap_or(0), increment.as_secs_f64())
}

/// A time in hundredths of a second.
pub fn centiseconds(time: Duration) -> u128 {
    const MILLISECONDS: u128 = 10;
    time.as_millis() / MILLISECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str, mode: CastlingMode) -> Game {
        Game::from_fen(fen, mode).expect(fen)
    }

    const MIDDLE: &str = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";

    #[test]
    fn moves_are_written_in_the_notation_of_the_engine() {
        let standard = game(MIDDLE, CastlingMode::Standard);
        let free = game("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", CastlingMode::Chess960);
        let features = |san, usermove| Features { san, usermove, ..Features::default() };
        for (game, mv, features, expected) in [
            (&standard, "e1g1", features(false, false), "e1g1"),
            (&standard, "b7a8q", features(false, true), "usermove b7a8q"),
            (&standard, "b7a8q", features(true, true), "usermove bxa8=Q"),
            (&standard, "e1c1", features(true, false), "O-O-O"),
            (&free, "e1g1", features(false, false), "O-O"),
            (&free, "e1b1", features(false, false), "O-O-O"),
            (&free, "e1f2", features(false, false), "e1f2"),
        ] {
            assert_eq!(write(game, game.parse_uci(mv).expect(mv), &features), expected);
        }
        assert_eq!(read(&free, "O-O"), free.parse_uci("e1g1").ok());
        assert_eq!(read(&standard, "bxa8=R"), standard.parse_uci("b7a8r").ok());
        assert_eq!(read(&standard, "Nf3"), None);
    }

    #[test]
    fn time_controls_become_levels() {
        let ms = Duration::from_millis;
        for (moves, base, increment, expected) in [
            (None, 2000, 20, "level 0 0:02 0.02"),
            (Some(40), 300_000, 0, "level 40 5 0"),
            (None, 500, 0, "level 0 0:01 0"),
            (None, 90_000, 12_000, "level 0 1:30 12"),
        ] {
            assert_eq!(level(moves, ms(base), ms(increment)), expected);
        }
        assert_eq!(centiseconds(ms(1239)), 123);
    }
}
