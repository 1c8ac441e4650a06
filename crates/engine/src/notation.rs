//! Moves as people and programs write them: one reader for PGN, EPD, xboard and the command line.
//!
//! It reads short and long algebraic notation and coordinates, with figurines, with or without marks of capture, check and mate, with
//! annotations (`!`, `?!`, `+-`) and `e.p.`. Castling is written with letters or zeros, promotion as `=Q`, `(Q)`, `/Q` or `Q`; more
//! disambiguation than needed is accepted. Letters of pieces are English: `S`, `D`, `T` and `L` are unreadable, because letters of
//! different languages contradict each other.

use std::borrow::Cow;

use shakmaty::{CastlingSide, Chess, File, Move, Position as _, Rank, Role, Square};
use thiserror::Error;

/// Why a text is not a move of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum MoveTextError {
    /// It has not the form of a move.
    #[error("it is not a move")]
    Unreadable,
    /// It has the form of a move, but the move is not legal.
    #[error("it is not legal")]
    Illegal,
    /// Several legal moves fit.
    #[error("it is ambiguous")]
    Ambiguous,
}

/// Marks of annotators after a move or between moves, the longest first where one begins with another.
const MARKS: [&str; 28] = [
    "+/-", "-/+", "+/=", "=/+", "+-", "-+", "+=", "=+", "+", "#", "!", "?", "=", "±", "∓", "⩲", "⩱", "∞", "□", "⯹",
    "⇆", "→", "↑", "⨀", "⟳", "†", "‡", "~",
];
/// En passant, check and mate in words, each without its dots.
const WORDS: [&str; 5] = ["ep", "dblch", "disch", "ch", "mate"];

/// The legal move that a text means.
pub fn read_move(position: &Chess, text: &str) -> Result<Move, MoveTextError> {
    let plain = ascii(text).ok_or(MoveTextError::Unreadable)?;
    let plain = bare(&plain);
    match Pattern::parse(plain) {
        Some(pattern) => pattern.find(position),
        None => match Pattern::parse(&plain.to_ascii_lowercase()) {
            Some(pattern) if pattern.is_coordinates() => pattern.find(position),
            _ => Err(MoveTextError::Unreadable),
        },
    }
}

/// Returns true if this is a separate annotation instead of a move.
pub fn is_annotation(word: &str) -> bool {
    if word.eq_ignore_ascii_case("e.p.") || word.eq_ignore_ascii_case("ep") {
        return true;
    }
    // No mark begins with a letter or a digit, and nearly all words do.
    if word.is_empty() || word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return false;
    }
    // A hyphen alone is a dash or a passed move; in a mark it is next to a plus or a stroke.
    let letters: Vec<char> = word.chars().collect();
    let neighbours = |at: usize| [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| letters.get(at)).copied());
    letters.iter().enumerate().all(|(at, letter)| match letter {
        '-' => neighbours(at).iter().flatten().any(|c| matches!(c, '+' | '/')),
        '/' => neighbours(at).iter().flatten().any(|c| matches!(c, '+' | '=')),
        letter => MARKS.iter().any(|mark| mark.contains(*letter)),
    })
}

/// The text with figurines as letters and all dashes and crosses alike; annotations stay. `None` if other characters are left.
fn ascii(text: &str) -> Option<Cow<'_, str>> {
    if text.is_ascii() {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '♔' | '♚' => plain.push('K'),
            '♕' | '♛' => plain.push('Q'),
            '♖' | '♜' => plain.push('R'),
            '♗' | '♝' => plain.push('B'),
            '♘' | '♞' => plain.push('N'),
            '♙' | '♟' => plain.push('P'),
            // Selectors of the style in which a figurine is drawn.
            '\u{fe0e}' | '\u{fe0f}' => {}
            // Hyphens, dashes and the minus sign; the two after it are dashes of Windows texts read as Latin-1.
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{96}' | '\u{97}' => plain.push('-'),
            '×' => plain.push('x'),
            c if c.is_ascii() || MARKS.iter().any(|mark| mark.starts_with(c)) => plain.push(c),
            _ => return None,
        }
    }
    Some(Cow::Owned(plain))
}

/// The text without the annotations behind it.
fn bare(text: &str) -> &str {
    let mut rest = text.trim();
    // Most moves end with their square.
    while !rest.ends_with(|c: char| c.is_ascii_digit()) {
        let shorter = MARKS.iter().find_map(|mark| rest.strip_suffix(mark)).or_else(|| without_word(rest));
        match shorter {
            Some(shorter) => rest = shorter.trim_end(),
            None => break,
        }
    }
    rest
}

/// The text without `e.p.`, `ch` or `mate` behind a square or castling.
fn without_word(text: &str) -> Option<&str> {
    let is_end = |c: char| c.is_ascii_digit() || matches!(c, 'O' | 'o' | '+' | '=') || is_promotion(c);
    let word_at = text.rfind(is_end).map(|at| at + 1)?;
    let word: String = text[word_at..].chars().filter(|c| !matches!(c, '.' | ' ')).collect();
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)).then(|| &text[..word_at])
}

fn is_promotion(letter: char) -> bool {
    matches!(letter, 'Q' | 'R' | 'B' | 'N')
}

/// The facts about a move in a text.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    Castling(CastlingSide),
    Piece(PiecePattern),
}

#[derive(Clone, Copy, Debug, Default)]
struct PiecePattern {
    /// `None`: a pawn, or any piece if the squares are complete.
    role: Option<Role>,
    from: Coordinates,
    to: Coordinates,
    /// True if it is marked as a capture.
    capture: bool,
    promotion: Option<Role>,
}

/// A square, or what is known of it.
#[derive(Clone, Copy, Debug, Default)]
struct Coordinates {
    file: Option<File>,
    rank: Option<Rank>,
}

impl Coordinates {
    fn square(self) -> Option<Square> {
        Some(Square::from_coords(self.file?, self.rank?))
    }

    fn fits(self, square: Square) -> bool {
        self.file.is_none_or(|file| file == square.file()) && self.rank.is_none_or(|rank| rank == square.rank())
    }
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        castling(text).map(Pattern::Castling).or_else(|| PiecePattern::parse(text).map(Pattern::Piece))
    }

    fn is_coordinates(self) -> bool {
        matches!(self, Pattern::Piece(piece) if piece.role.is_none() && piece.from.square().is_some())
    }

    fn find(self, position: &Chess) -> Result<Move, MoveTextError> {
        match self {
            Pattern::Castling(side) => position.castling_moves(side).first().copied().ok_or(MoveTextError::Illegal),
            Pattern::Piece(piece) => piece.find(position),
        }
    }
}

/// Castling in letters or zeros, with or without hyphens.
fn castling(text: &str) -> Option<CastlingSide> {
    if !text.chars().all(|c| matches!(c, 'O' | 'o' | '0' | '-')) || text.starts_with('-') || text.ends_with('-') {
        return None;
    }
    match (text.chars().filter(|c| *c != '-').count(), text.matches('-').count()) {
        (2, 0 | 1) if !text.contains("00") => Some(CastlingSide::KingSide),
        (3, 0 | 2) if !text.contains("00") => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

/// One sign of a move without piece and promotion.
#[derive(Clone, Copy)]
enum Sign {
    File(File),
    Rank(Rank),
    Capture,
    Hyphen,
}

/// Most signs of a move: two squares and what is between them.
const SIGNS_MAX: usize = 5;

impl PiecePattern {
    fn parse(text: &str) -> Option<PiecePattern> {
        let (text, promotion) = split_promotion(text);
        let mut letters = text.chars();
        let first = letters.next()?;
        // A small `b` is a file, and a small `p` is not a piece.
        let role = Role::from_char(first).filter(|_| !matches!(first, 'b' | 'p'));
        let squares = if role.is_some() { letters.as_str() } else { text };
        let mut signs = [Sign::Hyphen; SIGNS_MAX];
        let mut count = 0;
        for c in squares.chars() {
            *signs.get_mut(count)? = sign(c)?;
            count += 1;
        }
        let pattern = PiecePattern { promotion, ..squares_of(&signs[..count])? };
        // A pawn alone can be named by two files, as in `exd`.
        let short = pattern.to.rank.is_none();
        if short && role.is_some_and(|role| role != Role::Pawn) {
            return None;
        }
        Some(PiecePattern { role, ..pattern })
    }

    fn find(self, position: &Chess) -> Result<Move, MoveTextError> {
        let role = match (self.role, self.from.square()) {
            (Some(role), _) => role,
            (None, Some(from)) => position.board().role_at(from).ok_or(MoveTextError::Illegal)?,
            (None, None) => Role::Pawn,
        };
        let mut moves = match self.to.square() {
            Some(to) => position.san_candidates(role, to),
            None => position.legal_moves(),
        };
        moves.retain(|mv| self.fits(*mv, role));
        match moves[..] {
            [] => self.castles(position, role).ok_or(MoveTextError::Illegal),
            [mv] => Ok(mv),
            _ => Err(MoveTextError::Ambiguous),
        }
    }

    fn fits(self, mv: Move, role: Role) -> bool {
        let (Move::Normal { from, to, .. } | Move::EnPassant { from, to }) = mv else { return false };
        // A pawn move without a start file stays on its file.
        let straight = role == Role::Pawn && self.from.file.is_none() && !self.capture;
        mv.role() == role
            && self.from.fits(from)
            && self.to.fits(to)
            && self.promotion == mv.promotion()
            && (!self.capture || mv.is_capture())
            && (!straight || from.file() == to.file())
    }

    /// Castling as the king's move to its new square, or to the square of the rook.
    fn castles(self, position: &Chess, role: Role) -> Option<Move> {
        let (from, to) = (self.from.square()?, self.to.square()?);
        if role != Role::King || self.capture || self.promotion.is_some() {
            return None;
        }
        let turn = position.turn();
        let castling = CastlingSide::ALL.into_iter().flat_map(|side| {
            let castles = position.castling_moves(side);
            castles.into_iter().map(move |mv| (side, mv))
        });
        castling
            .filter(|(_, mv)| mv.from() == Some(from))
            .find(|(side, mv)| mv.to() == to || side.king_to(turn) == to)
            .map(|(_, mv)| mv)
    }
}

fn sign(c: char) -> Option<Sign> {
    Some(match c {
        'a'..='h' => Sign::File(File::from_char(c)?),
        '1'..='8' => Sign::Rank(Rank::from_char(c)?),
        'x' | 'X' | ':' => Sign::Capture,
        '-' => Sign::Hyphen,
        _ => return None,
    })
}

/// The two squares, as far as they are named.
fn squares_of(signs: &[Sign]) -> Option<PiecePattern> {
    use Sign::{Capture, File as F, Hyphen, Rank as R};
    let capture = signs.iter().any(|sign| matches!(sign, Capture));
    let (from, to) = match *signs {
        [F(file), R(rank)] | [Capture | Hyphen, F(file), R(rank)] => ((None, None), (Some(file), Some(rank))),
        [F(from), F(file), R(rank)] | [F(from), Capture | Hyphen, F(file), R(rank)] => {
            ((Some(from), None), (Some(file), Some(rank)))
        }
        [R(from), F(file), R(rank)] | [R(from), Capture | Hyphen, F(file), R(rank)] => {
            ((None, Some(from)), (Some(file), Some(rank)))
        }
        [F(f), R(r), F(file), R(rank)] | [F(f), R(r), Capture | Hyphen, F(file), R(rank)] => {
            ((Some(f), Some(r)), (Some(file), Some(rank)))
        }
        [F(from), F(file)] | [F(from), Capture, F(file)] => ((Some(from), None), (Some(file), None)),
        _ => return None,
    };
    let of = |(file, rank)| Coordinates { file, rank };
    Some(PiecePattern { from: of(from), to: of(to), capture, ..PiecePattern::default() })
}

/// The text before the promotion, and the piece.
fn split_promotion(text: &str) -> (&str, Option<Role>) {
    let inner = text.strip_suffix(')').unwrap_or(text);
    let Some(letter) = inner.chars().next_back() else { return (text, None) };
    let promotion = Role::from_char(letter).filter(|role| !matches!(role, Role::Pawn | Role::King));
    let Some(role) = promotion else { return (text, None) };
    let before = &inner[..inner.len() - letter.len_utf8()];
    let (before, marked) = match (inner.len() < text.len(), before.chars().next_back()) {
        (true, Some('(')) => (&before[..before.len() - 1], true),
        (true, _) => return (text, None),
        (false, Some('=' | '/')) => (&before[..before.len() - 1], true),
        (false, _) => (before, false),
    };
    // `exb` captures on the file b, and `ab` too.
    let is_square = before.ends_with(|c: char| c.is_ascii_digit());
    if is_square || marked { (before, Some(role)) } else { (text, None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use shakmaty::san::San;
    use shakmaty::uci::UciMove;
    use shakmaty::{CastlingMode, MoveList};

    fn position(fen: &str) -> Chess {
        Game::from_fen_lossy(fen, None).expect(fen).0.position().chess().clone()
    }

    fn uci(mv: Move) -> String {
        UciMove::from_move(mv, CastlingMode::Standard).to_string()
    }

    const MIDDLE: &str = "r3k2r/1P6/8/3pP3/8/2p5/3P4/R3K2R w KQkq d6 0 1";
    const KNIGHTS: &str = "4k3/8/8/8/8/1p6/N3b3/RN2K1N1 w - - 0 1";
    const BISHOP: &str = "4k3/8/8/8/2p5/1P6/B7/4K3 w - - 0 1";

    /// A position, a move in one of many notations, and the move in UCI notation.
    const NOTATIONS: &[(&str, &str, &str)] = &[
        (MIDDLE, "e1g1", "e1g1"),
        (MIDDLE, "e1h1", "e1g1"),
        (MIDDLE, "Ke1-c1", "e1c1"),
        (MIDDLE, "O-O", "e1g1"),
        (MIDDLE, "o-o-o", "e1c1"),
        (MIDDLE, "0-0+!", "e1g1"),
        (MIDDLE, "0–0–0", "e1c1"),
        (MIDDLE, "OO", "e1g1"),
        (MIDDLE, "exd6", "e5d6"),
        (MIDDLE, "ed6", "e5d6"),
        (MIDDLE, "ed", "e5d6"),
        (MIDDLE, "exd", "e5d6"),
        (MIDDLE, "exd6ep", "e5d6"),
        (MIDDLE, "exd6e.p.", "e5d6"),
        (MIDDLE, "e5xd6 e.p.+", "e5d6"),
        (MIDDLE, "e5:d6", "e5d6"),
        (MIDDLE, "e5-d6", "e5d6"),
        (MIDDLE, "d2xc3", "d2c3"),
        (MIDDLE, "dc", "d2c3"),
        (MIDDLE, "b8=Q", "b7b8q"),
        (MIDDLE, "b8Q", "b7b8q"),
        (MIDDLE, "b8N", "b7b8n"),
        (MIDDLE, "b8(R)", "b7b8r"),
        (MIDDLE, "b8/B", "b7b8b"),
        (MIDDLE, "b8=q+", "b7b8q"),
        (MIDDLE, "b7b8n", "b7b8n"),
        (MIDDLE, "b7-b8Q", "b7b8q"),
        (MIDDLE, "bxa8=Q+", "b7a8q"),
        (MIDDLE, "ba8Q", "b7a8q"),
        (MIDDLE, "B7A8Q", "b7a8q"),
        (MIDDLE, "♔f2!?", "e1f2"),
        (MIDDLE, "♚f2", "e1f2"),
        (MIDDLE, "♖xa8", "a1a8"),
        (MIDDLE, "Ra1xa8+", "a1a8"),
        (MIDDLE, "R1xa8", "a1a8"),
        (MIDDLE, "Rxh8mate", "h1h8"),
        (MIDDLE, "Rh1×h8†", "h1h8"),
        (MIDDLE, "Rh1:h8 ch.", "h1h8"),
        (MIDDLE, "Ra8", "a1a8"),
        (MIDDLE, "♙d4", "d2d4"),
        (MIDDLE, "Pd2-d4", "d2d4"),
        (MIDDLE, "d4+-", "d2d4"),
        (MIDDLE, "d4=", "d2d4"),
        (MIDDLE, "d4⩲", "d2d4"),
        (MIDDLE, "d4+/-", "d2d4"),
        (MIDDLE, "d4??", "d2d4"),
        (KNIGHTS, "Nbc3", "b1c3"),
        (KNIGHTS, "N1c3", "b1c3"),
        (KNIGHTS, "Nb1c3", "b1c3"),
        (KNIGHTS, "Na2-c3", "a2c3"),
        (KNIGHTS, "nac3", "a2c3"),
        (KNIGHTS, "Ngxe2", "g1e2"),
        (KNIGHTS, "Ng1e2", "g1e2"),
        (KNIGHTS, "Nf3", "g1f3"),
        (KNIGHTS, "kd2", "e1d2"),
        (BISHOP, "bc4", "b3c4"),
        (BISHOP, "bxc4", "b3c4"),
        (BISHOP, "Bb1", "a2b1"),
    ];

    #[test]
    fn moves_are_read_in_every_notation() {
        for &(fen, text, expected) in NOTATIONS {
            let found = read_move(&position(fen), text).map(uci);
            assert_eq!(found.as_deref(), Ok(expected), "{text} in {fen}");
        }
    }

    #[test]
    fn text_that_is_not_a_move_is_refused_with_a_reason() {
        use MoveTextError::{Ambiguous, Illegal, Unreadable};
        for (fen, text, reason) in [
            (MIDDLE, "", Unreadable),
            (MIDDLE, "Sf3", Unreadable),
            (MIDDLE, "Td1", Unreadable),
            (MIDDLE, "--", Unreadable),
            (MIDDLE, "0000", Unreadable),
            (MIDDLE, "Z0", Unreadable),
            (MIDDLE, "O-O-O-O", Unreadable),
            (MIDDLE, "O-O-", Unreadable),
            (MIDDLE, "O", Unreadable),
            (MIDDLE, "e9", Unreadable),
            (MIDDLE, "i4", Unreadable),
            (MIDDLE, "P@e4", Unreadable),
            (MIDDLE, "Кf2", Unreadable),
            (MIDDLE, "Rad", Unreadable),
            (MIDDLE, "d4-", Unreadable),
            (MIDDLE, "d2d4d5", Unreadable),
            (MIDDLE, "d4!x", Unreadable),
            (MIDDLE, "e2e4", Illegal),
            (MIDDLE, "Ke4", Illegal),
            (MIDDLE, "Kg1", Illegal),
            (MIDDLE, "Rxb1", Illegal),
            (MIDDLE, "e1b1", Illegal),
            (MIDDLE, "b8", Illegal),
            (MIDDLE, "b7b8", Illegal),
            (MIDDLE, "b8=K", Unreadable),
            (MIDDLE, "c3", Illegal),
            (MIDDLE, "dxe3", Illegal),
            (KNIGHTS, "Nc3", Ambiguous),
            (KNIGHTS, "Nxf3", Illegal),
            (BISHOP, "ac4", Illegal),
        ] {
            assert_eq!(read_move(&position(fen), text), Err(reason), "{text} in {fen}");
        }
    }

    #[test]
    fn castling_of_chess960_is_read() {
        let free = position("1r2k2r/8/8/8/8/8/8/1R3KR1 w GBhb - 0 1");
        for (text, side) in
            [("O-O", "f1g1"), ("f1g1", "f1g1"), ("Kf1xg1", ""), ("O-O-O", "f1b1"), ("f1b1", "f1b1"), ("f1c1", "f1b1")]
        {
            let found = read_move(&free, text).map(|mv| UciMove::from_move(mv, CastlingMode::Chess960).to_string());
            assert_eq!(found.as_deref().unwrap_or_default(), side, "{text}");
        }
        let at_f1 = position("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
        let found = read_move(&at_f1, "f1g1").map(|mv| mv.is_castle());
        assert_eq!(found, Ok(false), "the king's own move comes first");
    }

    #[test]
    fn annotations_are_no_moves() {
        for word in ["!", "?!", "+", "#", "++", "+-", "-/+", "=", "±", "∞", "e.p.", "ep", "E.P.", "⩲!", "=+-", "=/+"]
        {
            assert!(is_annotation(word), "{word}");
        }
        for word in ["", "-", "--", "--+", "-=", "/", "N", "D", "e4", "Nf3!", "x", "ch", "1-0", "."] {
            assert!(!is_annotation(word), "{word}");
        }
    }

    /// A text for a legal move in one of many notations.
    fn spell(rng: &mut ChaCha8Rng, mv: Move, moves: &MoveList) -> String {
        let san = San::disambiguate(mv, moves).to_string();
        if let Some(side) = mv.castling_side() {
            let king_side = side == CastlingSide::KingSide;
            let ways = if king_side { ["O-O", "0-0", "o-o", "0—0"] } else { ["O-O-O", "0-0-0", "OOO", "O–O–O"] };
            return (*ways.choose(rng).expect("ways")).to_owned();
        }
        let (from, to) = (mv.from().expect("no drops"), mv.to());
        let letter = if mv.role() == Role::Pawn { String::new() } else { mv.role().upper_char().to_string() };
        let figurine = ["♙", "♘", "♗", "♖", "♕", "♔"][mv.role() as usize - 1];
        let link = if mv.is_capture() { ["x", ":", "×", ""].choose(rng) } else { ["-", "", "–", ""].choose(rng) };
        let link = link.expect("links");
        let promotion = mv.promotion().map_or(String::new(), |role| {
            let letter = role.upper_char();
            [format!("={letter}"), format!("({letter})"), format!("/{letter}"), letter.to_string()]
                .choose(rng)
                .expect("ways")
                .clone()
        });
        let text = match rng.random_range(0..6) {
            0 => san,
            1 => uci(mv),
            2 => format!("{letter}{from}{link}{to}{promotion}"),
            3 => format!("{figurine}{from}{link}{to}{promotion}"),
            4 if mv.role() != Role::Pawn => san.replacen(&letter, figurine, 1),
            5 => san.replace('x', ""),
            _ => san.replace('=', ""),
        };
        text + ["", "+", "#", "!", "?!", "+!!", "+-", "="].choose(rng).expect("marks")
    }

    #[test]
    fn every_notation_of_every_move_means_that_move() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for start in [
            MIDDLE,
            KNIGHTS,
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/PPP1k3/8/8/8/8/3Kppp1/8 b - - 0 1",
        ] {
            for _ in 0..40 {
                let mut position = position(start);
                for _ in 0..40 {
                    let moves = position.legal_moves();
                    for mv in &moves {
                        let text = spell(&mut rng, *mv, &moves);
                        assert_eq!(read_move(&position, &text), Ok(*mv), "{text}");
                    }
                    let Some(mv) = moves.choose(&mut rng) else { break };
                    position.play_unchecked(*mv);
                }
            }
        }
    }
}
