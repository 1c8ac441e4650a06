//! Positions from FEN.

use super::Game;
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, Castles, CastlingMode, Chess, FromSetup, Position as _, PositionError, PositionErrorKinds, Setup,
};
use std::fmt;
use thiserror::Error;

/// The largest halfmove clock a game of chess can reach: after seventy-five moves of each side without capture or pawn move it is over
/// (FIDE Laws, 9.6.2). Parsers replace larger values by this one.
pub const HALFMOVES_MAX: u32 = 150;

/// Why a FEN was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{fen}` is not a legal position: {reason}")]
pub struct FenError {
    /// The text that was given.
    pub fen: String,
    /// The fault.
    pub reason: String,
}

/// Castling rights of a FEN that its position cannot have, because king or rook is not on its square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DroppedRights {
    /// The letters as the FEN has them.
    pub letters: String,
    /// The FEN.
    pub fen: String,
}

impl DroppedRights {
    /// The rights among those of `fen` whose rooks are on `rooks`; `None` if there are none.
    pub fn of(fen: &str, rooks: Bitboard) -> Option<DroppedRights> {
        let mut fields = fen.split_whitespace();
        let (board, turn, letters) = (fields.next()?, fields.next()?, fields.next()?);
        let is_dropped = |letter: &char| {
            let alone = format!("{board} {turn} {letter} -").parse::<Fen>();
            alone.is_ok_and(|fen| (fen.as_setup().castling_rights & rooks).any())
        };
        let letters: String = letters.chars().filter(is_dropped).collect();
        (!letters.is_empty()).then(|| DroppedRights { letters, fen: fen.to_owned() })
    }
}

impl fmt::Display for DroppedRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DroppedRights { letters, fen } = self;
        write!(
            f,
            "castling rights `{letters}` of `{fen}` are dropped: king or rook is not on its square; correct the FEN"
        )
    }
}

/// A legal position from its parts. A halfmove clock above [`HALFMOVES_MAX`] counts as that, and an impossible en passant square is
/// left out. Castling rights that the position cannot have are dropped too: the second value holds the squares of their rooks.
///
/// # Errors
/// Everything else that is wrong with the position.
pub fn from_setup_lossy(setup: Setup, mode: CastlingMode) -> Result<(Chess, Bitboard), String> {
    let requested = setup.castling_rights;
    let without = |error: Box<PositionError<Chess>>| error.ignore_invalid_castling_rights().map_err(|e| explain(&e));
    let chess = legal(setup, mode).or_else(without)?;
    let dropped = requested & !chess.castles().castling_rights();
    Ok((chess, dropped))
}

/// How to castle in a position: as in Chess960 if its rights are all possible there, and not all in standard chess.
pub fn castling_mode(setup: &Setup) -> CastlingMode {
    let possible = |mode| Castles::from_setup(setup, mode).is_ok();
    CastlingMode::from_chess960(possible(CastlingMode::Chess960) && !possible(CastlingMode::Standard))
}

fn legal(mut setup: Setup, mode: CastlingMode) -> Result<Chess, Box<PositionError<Chess>>> {
    setup.halfmoves = setup.halfmoves.min(HALFMOVES_MAX);
    let read = |setup| {
        Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_invalid_ep_square)
            .map_err(Box::new)
    };
    // A check that the pawn behind the en passant square cannot have left standing: the square is wrong, not the position.
    let without_square = Setup { ep_square: None, ..setup.clone() };
    read(setup).or_else(|error| if is_impossible_check(&error) { read(without_square) } else { Err(error) })
}

fn is_impossible_check(error: &PositionError<Chess>) -> bool {
    error.kinds().contains(PositionErrorKinds::IMPOSSIBLE_CHECK)
}

/// The parts of a FEN with any blanks between its fields, and with a `;` behind it as in EPD.
fn parse(fen: &str) -> Result<Setup, FenError> {
    let plain = fen.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let setup = plain.parse::<Fen>().map_err(|error| refuse(fen, error.to_string()))?.into_setup();
    if is_of_variant(&setup) {
        return Err(refuse(fen, "it belongs to a variant of chess".to_owned()));
    }
    Ok(setup)
}

/// Returns true if the parts of a FEN belong to a variant of chess, with pieces in hand, promoted pieces or remaining checks.
pub fn is_of_variant(setup: &Setup) -> bool {
    setup.pockets.is_some() || setup.remaining_checks.is_some() || setup.promoted.any()
}

fn refuse(fen: &str, reason: String) -> FenError {
    FenError { fen: fen.to_owned(), reason }
}

impl Game {
    /// A game from a FEN; X-FEN and Shredder castling rights are understood. Fields missing at the end mean White to move, no castling,
    /// no en passant, halfmove clock 0, move 1. A halfmove clock above [`HALFMOVES_MAX`] counts as that. For FENs of this program: those
    /// of users are read by [`Game::from_fen_lossy`].
    ///
    /// # Errors
    /// [`FenError`] with the text and everything that is wrong with it.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        let chess = legal(parse(fen)?, mode).map_err(|error| refuse(fen, explain(&error)))?;
        Ok(Game::from_chess(chess, mode))
    }

    /// As [`Game::from_fen`], of standard chess.
    pub fn standard(fen: &str) -> Result<Game, FenError> {
        Game::from_fen(fen, CastlingMode::Standard)
    }

    /// As [`Game::from_fen`], but castling rights that the position cannot have are dropped: the second value names them for a
    /// warning. Without a mode, castling is that of [`castling_mode`].
    ///
    /// # Errors
    /// [`FenError`] with the text and everything else that is wrong with it.
    pub fn from_fen_lossy(fen: &str, mode: Option<CastlingMode>) -> Result<(Game, Option<DroppedRights>), FenError> {
        let setup = parse(fen)?;
        let mode = mode.unwrap_or_else(|| castling_mode(&setup));
        let (chess, dropped) = from_setup_lossy(setup, mode).map_err(|reason| refuse(fen, reason))?;
        Ok((Game::from_chess(chess, mode), DroppedRights::of(fen, dropped)))
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
    use crate::testing;
    use shakmaty::EnPassantMode;

    /// The FEN, its castling mode if it is given, the rights that are dropped, the mode and the position that remain.
    #[test]
    fn impossible_castling_rights_are_dropped_and_named() {
        use CastlingMode::{Chess960, Standard};
        for (fen, given, dropped, mode, left) in [
            ("8/8/8/8/8/5k2/8/5K1R w K - 0 1", Some(Standard), "K", Standard, "8/8/8/8/8/5k2/8/5K1R w - - 0 1"),
            ("8/8/8/8/8/5k2/8/5K1R w K - 0 1", None, "", Chess960, "8/8/8/8/8/5k2/8/5K1R w K - 0 1"),
            ("4k3/8/8/8/8/8/3R4/4K3 w K -", None, "K", Standard, "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1"),
            ("4k3/8/8/8/8/8/3R4/4K3 w KQkq -", Some(Chess960), "KQkq", Chess960, "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1"),
            ("r3k3/8/8/8/8/8/8/4K2R b KQkq - 3 9", None, "Qk", Standard, "r3k3/8/8/8/8/8/8/4K2R b Kq - 3 9"),
            ("4k3/8/8/8/8/8/8/1R2K2R w HBha -", Some(Chess960), "ha", Chess960, "4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1"),
            ("4k3/8/8/8/8/8/8/1R2K2R w HBha -", None, "Bha", Standard, "4k3/8/8/8/8/8/8/1R2K2R w K - 0 1"),
            ("4k3/8/8/8/8/8/8/1R2K2R w HB -", None, "", Chess960, "4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1"),
            ("4k3/8/8/8/8/8/8/RN2K3 w Q -", None, "", Standard, "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1"),
            ("4k3/8/8/8/8/8/8/1R2K3 w Q -", Some(Standard), "Q", Standard, "4k3/8/8/8/8/8/8/1R2K3 w - - 0 1"),
        ] {
            let (game, found) = Game::from_fen_lossy(fen, given).unwrap_or_else(|error| panic!("{fen}: {error}"));
            let letters = found.as_ref().map_or("", |found| found.letters.as_str());
            assert_eq!((letters, game.castling_mode(), game.fen().as_str()), (dropped, mode, left), "{fen}");
            let again = Game::from_fen(&game.fen(), mode).expect("what is left is legal");
            assert_eq!(again.position().key(), game.position().key(), "{fen}");
            assert_eq!(Game::from_fen(fen, mode).is_err(), !dropped.is_empty(), "{fen}");
        }
    }

    #[test]
    fn dropped_castling_rights_do_not_excuse_other_faults() {
        for fen in ["4k3/8/8/8/8/8/8/8 w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w KX - 0 1", "4k3/4R3/8/8/8/8/8/4K3 w q - 0 1"]
        {
            let error = Game::from_fen_lossy(fen, Some(CastlingMode::Standard)).expect_err(fen);
            assert_eq!(error.fen, fen);
        }
    }

    /// From public reports of what FENs other programs were given.
    #[test]
    fn fens_of_other_programs_are_read() {
        for (report, fen, left) in [
            (
                "official-stockfish/Stockfish#2464",
                "2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b KQkq - 0 1",
                "2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b - - 0 1",
            ),
            (
                "franciscoBSalgueiro/en-croissant#410",
                "rnbqkbnr/pppppppp/8/8/8/5BN1/PPPPPPPP/RNBQ1RK1 b HQkq - 0 1",
                "rnbqkbnr/pppppppp/8/8/8/5BN1/PPPPPPPP/RNBQ1RK1 b kq - 0 1",
            ),
            ("lichess-org/lila#19199", "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", "k7/8/8/3pP3/8/7n/5K2/8 w - - 0 1"),
            (
                "Disservin/fastchess#559",
                "rnbqkbnr/ppp2ppp/8/3Pp3/8/8/PPPP1PPP/RNBQKBNR w KQkq e6",
                "rnbqkbnr/ppp2ppp/8/3Pp3/8/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 1",
            ),
            (
                "official-stockfish/books#54",
                "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1;",
                "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1",
            ),
            ("niklasf/chessops#43", " 4k3/8/8/8/8/8/8/4K2R\tw  K - 0 1 ", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ] {
            let (game, _) = Game::from_fen_lossy(fen, None).unwrap_or_else(|error| panic!("{report}: {error}"));
            assert_eq!(game.fen(), left, "{report}");
        }
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qn] w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - +0+0 0 1",
            "4k3/8/8/8/8/8/8/4K2Q~ w - - 0 1",
        ] {
            let error = Game::from_fen_lossy(fen, None).expect_err(fen);
            assert_eq!(error.reason, "it belongs to a variant of chess", "{fen}");
        }
        let real = Game::standard("k7/8/8/3pP3/8/7n/5K2/8 w - - 0 1");
        assert!(real.is_ok() && Game::standard("B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1").is_err());
    }

    #[test]
    fn the_warning_names_letters_and_fen() {
        let (_, dropped) = Game::from_fen_lossy("4k3/8/8/8/8/8/3R4/4K3 w KQ -", None).expect("legal");
        let text = dropped.expect("both are impossible").to_string();
        assert!(text.starts_with("castling rights `KQ` of `4k3/8/8/8/8/8/3R4/4K3 w KQ -` are dropped"), "{text}");
    }

    #[test]
    fn a_halfmove_clock_beyond_chess_does_not_overflow() {
        for (clock, expected) in
            [("0", 0), ("99", 99), ("150", 150), ("151", 150), ("4294967295", 150), ("99999999999", 150)]
        {
            let fen = format!("8/8/8/3k4/8/8/8/KQ6 w - - {clock} 90");
            let mut game = testing::game(&fen);
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
