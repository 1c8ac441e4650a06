//! The first moves of weaker play: a table of first moves, and the principles of development that beginners are taught.

use quarterply_engine::position::{Game, Position};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use shakmaty::{Bitboard, Color, File, Move, Rank, Role, Square};

/// White's first moves with their shares (permille).
///
/// The first five are the counts of the Lichess opening explorer for players rated 2000 and more (blitz, rapid and classical; 24.1 million games
/// until 2018), as quoted in the documentation of the npm package `lichess-opening-explorer`. The source does not list the
/// moves that make up the remaining 4.8 %: it is divided among quiet moves of centre pawns and fianchettoes.
const FIRST_MOVES: [(&str, u32); 10] = [
    ("e2e4", 510),
    ("d2d4", 312),
    ("g1f3", 66),
    ("c2c4", 53),
    ("f2f4", 11),
    ("g2g3", 10),
    ("b2b3", 10),
    ("e2e3", 10),
    ("b1c3", 9),
    ("d2d3", 9),
];

/// Principles count up to this move of the game.
const PRINCIPLES_UNTIL: u32 = 8;

/// How much a principle counts for or against a move (percent of the greatest error of the level).
mod principle {
    /// Castle.
    pub const CASTLE: i32 = 100;
    /// Bring out a knight or a bishop.
    pub const DEVELOP: i32 = 50;
    /// Put a knight on the edge of the board.
    pub const EDGE_KNIGHT: i32 = -70;
    /// Put the king's or the queen's pawn into the centre, where no pawn attacks it.
    pub const CENTRE_PAWN: i32 = 80;
    /// Move one of them by one square.
    pub const SMALL_CENTRE_PAWN: i32 = 30;
    /// Attack the centre with the queen's bishop's pawn, two squares forward.
    pub const BISHOP_PAWN: i32 = 40;
    /// Move a rook's pawn, or the pawn that protects the king's wing.
    pub const FLANK_PAWN: i32 = -70;
    /// Move a knight's pawn.
    pub const KNIGHT_PAWN: i32 = -30;
    /// Bring out the queen.
    pub const QUEEN: i32 = -70;
    /// Move a rook.
    pub const ROOK: i32 = -100;
    /// Move the king without castling.
    pub const KING: i32 = -150;
    /// Move a knight or a bishop a second time.
    pub const AGAIN: i32 = -70;
}

/// Draws White's first move. `None` in any other position.
pub fn first_move(game: &Game, random: &mut ChaCha8Rng) -> Option<Move> {
    if !game.moves().is_empty() || game.position().key() != Game::new().position().key() {
        return None;
    }
    let total: u32 = FIRST_MOVES.iter().map(|(_, share)| share).sum();
    let mut drawn = random.random_range(0..total);
    let chosen = FIRST_MOVES.iter().find(|(_, share)| match drawn.checked_sub(*share) {
        Some(rest) => {
            drawn = rest;
            false
        }
        None => true,
    })?;
    game.parse_uci(chosen.0).ok()
}

/// The preference for a move by the principles of the opening (percent of the greatest error): positive for it, negative against it.
/// It is 0 for captures and for answers to a check.
pub fn preference(game: &Game, mv: Move) -> i32 {
    let position = game.position();
    if position.fullmoves() > PRINCIPLES_UNTIL || mv.is_capture() || position.in_check() {
        return 0;
    }
    if mv.is_castle() {
        return principle::CASTLE;
    }
    let Some(from) = mv.from() else { return 0 };
    match mv.role() {
        Role::Pawn if attacked_by_pawn(position, mv.to()) => 0,
        Role::Pawn => pawn(from.file(), from.distance(mv.to()) > 1),
        Role::Knight | Role::Bishop if !home(position.turn()).contains(from) => principle::AGAIN,
        Role::Knight if edge(mv.to()) => principle::EDGE_KNIGHT,
        Role::Knight | Role::Bishop => principle::DEVELOP,
        Role::Rook => principle::ROOK,
        Role::Queen => principle::QUEEN,
        Role::King => principle::KING,
    }
}

fn pawn(file: File, two_squares: bool) -> i32 {
    match file {
        File::D | File::E if two_squares => principle::CENTRE_PAWN,
        File::D | File::E => principle::SMALL_CENTRE_PAWN,
        File::C if two_squares => principle::BISHOP_PAWN,
        File::C => 0,
        File::B | File::G => principle::KNIGHT_PAWN,
        File::A | File::F | File::H => principle::FLANK_PAWN,
    }
}

fn attacked_by_pawn(position: &Position, square: Square) -> bool {
    let board = position.board();
    let enemies = board.by_color(!position.turn()) & board.pawns();
    (shakmaty::attacks::pawn_attacks(position.turn(), square) & enemies).any()
}

fn home(color: Color) -> Bitboard {
    Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth))
}

fn edge(square: Square) -> bool {
    matches!(square.file(), File::A | File::H)
}

#[cfg(test)]
mod tests {
    use super::*;

    use rand::SeedableRng;

    /// A game from the start position.
    fn game(moves: &str) -> Game {
        let mut game = Game::new();
        game.play_line(moves.split_whitespace()).expect("legal moves");
        game
    }

    #[test]
    fn first_moves_are_drawn_with_the_frequencies_of_the_table() {
        const DRAWS: u64 = 4000;
        let start = Game::new();
        let drawn: Vec<String> = (0..DRAWS)
            .filter_map(|seed| first_move(&start, &mut ChaCha8Rng::seed_from_u64(seed)))
            .map(|mv| shakmaty::uci::UciMove::from_standard(mv).to_string())
            .collect();
        assert_eq!(drawn.len(), DRAWS as usize, "every first move of the table is legal");
        assert_eq!(FIRST_MOVES.iter().map(|(_, share)| share).sum::<u32>(), 1000, "the shares are permille");
        for (text, share) in FIRST_MOVES {
            let found = drawn.iter().filter(|mv| *mv == text).count() as f64 / DRAWS as f64;
            let expected = f64::from(share) / 1000.0;
            let three_errors = 3.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
            assert!((found - expected).abs() < three_errors, "{text}: {found}, expected {expected}");
        }
    }

    #[test]
    fn the_table_is_for_the_start_position_only() {
        let random = || ChaCha8Rng::seed_from_u64(1);
        assert!(first_move(&game("e2e4"), &mut random()).is_none());
        assert!(first_move(&game("g1f3 g8f6 f3g1 f6g8"), &mut random()).is_none(), "the start position again");
    }

    #[test]
    fn principles_prefer_development_and_the_centre() {
        const OPEN: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        for (moves, better, worse) in [
            ("", "e2e4", "a2a3"),
            ("", "d2d4", "d2d3"),
            ("", "g1f3", "g1h3"),
            ("", "b1c3", "f2f3"),
            ("e2e4", "c7c5", "h7h6"),
            ("e2e4", "e7e5", "d7d5"),
            ("d2d4", "d7d5", "d7d6"),
            ("e2e4 e7e5", "g1f3", "d1h5"),
            (OPEN, "e1g1", "b1c3"),
            (OPEN, "b1c3", "c4b3"),
            (OPEN, "d2d3", "e1e2"),
            (OPEN, "d2d3", "h1g1"),
        ] {
            let game = game(moves);
            let weight = |text: &str| preference(&game, game.parse_uci(text).expect("a legal move"));
            assert!(weight(better) > weight(worse), "after `{moves}`: {better} and {worse}");
        }
        let capture = game("e2e4 d7d5");
        assert_eq!(preference(&capture, capture.parse_uci("e4d5").expect("legal")), 0);
        let check = game("e2e4 f7f6 d1h5");
        assert_eq!(preference(&check, check.parse_uci("g7g6").expect("legal")), 0);
        let later = game(&format!("{OPEN} b1c3 g8f6 d2d3 d7d6 c1g5 c8g4 h2h3 g4h5 a2a3 a7a6"));
        assert_eq!(preference(&later, later.parse_uci("d1d2").expect("legal")), 0, "move 9");
    }
}
