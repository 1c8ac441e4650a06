//! The [`Position`], a chess position with the data that a search needs, and the [`Game`] that led to it.
//!
//! The rules of chess are those of shakmaty. This module adds incremental keys, repetition, and tests of moves before
//! they are made.

mod fen;
mod unpack;

pub use fen::{DroppedRights, FenError, HALFMOVES_MAX, castling_mode, from_setup_lossy, is_of_variant};

use crate::geometry::shields;
use crate::side::{Black, ConstColor, White};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    Bitboard, Board, ByColor, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, Move, MoveList, Piece,
    Position as _, PositionError, Role, Square, attacks,
};
use thiserror::Error;

/// A legal position with its keys and checkers kept up to date move by move.
#[derive(Clone, Debug)]
pub struct Position {
    chess: Chess,
    key: u64,
    pawn_key: u64,
    minor_key: u64,
    side_keys: ByColor<u64>,
    checkers: Bitboard,
    ep_file: Option<File>,
    /// Half moves since the last irreversible or null move: only these positions can be repeated.
    reversible: u32,
}

impl Position {
    /// The position with all data computed from scratch.
    pub fn from_chess(chess: Chess) -> Position {
        let reversible = chess.halfmoves().min(HALFMOVES_MAX);
        let mut position = Position {
            key: 0,
            pawn_key: 0,
            minor_key: 0,
            side_keys: ByColor::default(),
            checkers: chess.checkers(),
            ep_file: chess.legal_ep_square().map(Square::file),
            reversible,
            chess,
        };
        let board = position.chess.board().clone();
        for (square, piece) in board.iter() {
            position.toggle_keys(square, piece);
        }
        if position.turn().is_white() {
            position.key ^= Zobrist64::zobrist_for_white_turn().0;
        }
        position.key ^= position.castling_key() ^ ep_key(position.ep_file);
        position
    }

    /// The position as a shakmaty type.
    #[inline(always)]
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The placement of the pieces.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// The side to move.
    #[inline(always)]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// Zobrist key. It includes the en passant file only if such a capture is legal.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Key of the pawns alone.
    #[inline(always)]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// Key of knights, bishops and kings.
    #[inline(always)]
    pub fn minor_key(&self) -> u64 {
        self.minor_key
    }

    /// Key of the pieces of `color`, pawns excepted.
    #[inline(always)]
    pub fn side_key(&self, color: Color) -> u64 {
        *self.side_keys.get(color)
    }

    /// The pieces that give check.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns true if the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Half moves since the last capture or pawn move.
    #[inline(always)]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// Number of the next move, 1 for the first move of each side.
    #[inline(always)]
    pub fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Number of preceding positions that can equal this one.
    #[inline(always)]
    pub fn reversible(&self) -> u32 {
        self.reversible
    }

    /// The king's square.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        (self.board().kings() & self.board().by_color(color)).first().expect("a legal position has both kings")
    }

    /// The rooks that may still castle.
    #[inline(always)]
    pub fn castling_rights(&self) -> Bitboard {
        self.chess.castles().castling_rights()
    }

    /// Every legal move.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    /// Returns true if there is a legal en passant capture.
    #[inline(always)]
    pub fn has_en_passant(&self) -> bool {
        self.ep_file.is_some()
    }

    /// The squares that the opponent of the side to move attacks.
    pub fn attacked(&self) -> Bitboard {
        self.attacked_by(Bitboard::FULL)
    }

    /// The squares that the opponent's pieces on `squares` attack.
    #[inline(always)]
    pub fn attacked_by(&self, squares: Bitboard) -> Bitboard {
        let board = self.board();
        let (men, occupied) = (board.by_color(!self.turn()) & squares, board.occupied());
        let pawns = men & board.pawns();
        let mut all = if self.turn().is_white() { Black::pawn_attacks(pawns) } else { White::pawn_attacks(pawns) };
        (men & board.knights()).into_iter().for_each(|from| all |= attacks::knight_attacks(from));
        (men & board.bishops_and_queens()).into_iter().for_each(|from| all |= attacks::bishop_attacks(from, occupied));
        (men & board.rooks_and_queens()).into_iter().for_each(|from| all |= attacks::rook_attacks(from, occupied));
        (men & board.kings()).into_iter().for_each(|from| all |= attacks::king_attacks(from));
        all
    }

    /// Returns true if `color` has a piece other than king and pawns.
    #[inline(always)]
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.board().by_color(color) & !self.board().pawns() & !self.board().kings()).any()
    }

    /// Returns true if neither side can ever give mate.
    pub fn insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// Adds a piece on a square to the keys, or removes it.
    #[inline(always)]
    fn toggle_keys(&mut self, square: Square, piece: Piece) {
        let key = Zobrist64::zobrist_for_piece(square, piece).0;
        self.key ^= key;
        match piece.role {
            Role::Pawn => self.pawn_key ^= key,
            role => {
                *self.side_keys.get_mut(piece.color) ^= key;
                if matches!(role, Role::Knight | Role::Bishop | Role::King) {
                    self.minor_key ^= key;
                }
            }
        }
    }

    fn castling_key(&self) -> u64 {
        let rights = Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
        let held = rights.filter(|&(color, side)| self.chess.castles().has(color, side));
        held.fold(0, |key, (color, side)| key ^ Zobrist64::zobrist_for_castling_right(color, side).0)
    }

    /// The approximate key after a move, for prefetching only: castling, promotion, en passant and lost castling rights
    /// are left out.
    #[inline(always)]
    pub fn key_hint(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from().unwrap_or(mv.to()), mv.to());
        let piece = mv.role().of(self.turn());
        let mut key = self.key ^ Zobrist64::zobrist_for_white_turn().0 ^ ep_key(self.ep_file);
        key ^= Zobrist64::zobrist_for_piece(from, piece).0 ^ Zobrist64::zobrist_for_piece(to, piece).0;
        if let Some(victim) = mv.capture() {
            key ^= Zobrist64::zobrist_for_piece(to, victim.of(!self.turn())).0;
        }
        key
    }

    /// The position after a legal move.
    pub fn play(&self, mv: Move) -> Position {
        self.play_with(mv, true, |_| {})
    }

    /// The position after a legal move. `may_check` may be false only if the move gives no check. `announce` is called
    /// with the new keys as early as possible, for prefetching: the rest of its position is old, and lost castling
    /// rights and en passant are missing in the keys.
    #[inline(always)]
    pub fn play_with(&self, mv: Move, may_check: bool, announce: impl FnOnce(&Position)) -> Position {
        let mut next = self.clone();
        let us = self.turn();
        next.key ^= Zobrist64::zobrist_for_white_turn().0 ^ ep_key(self.ep_file);
        changes(us, mv, |square, piece, _| next.toggle_keys(square, piece));
        announce(&next);
        next.chess.play_unchecked(mv);
        if self.chess.castles().castling_rights() != next.chess.castles().castling_rights() {
            next.key ^= self.castling_key() ^ next.castling_key();
        }
        next.ep_file = next.chess.legal_ep_square().map(Square::file);
        next.key ^= ep_key(next.ep_file);
        debug_assert!(may_check || next.chess.checkers().is_empty());
        next.checkers = if may_check { next.chess.checkers() } else { Bitboard::EMPTY };
        next.reversible = if next.chess.halfmoves() == 0 { 0 } else { self.reversible.saturating_add(1) };
        next
    }

    /// Changes the key by `salt`, so that it differs from those of equal positions: two lines of a model tree to one
    /// position have separate scores.
    #[inline(always)]
    pub(crate) fn salt_key(&mut self, salt: u64) {
        self.key ^= salt;
    }

    /// The position after a null move; `None` in check.
    pub fn play_null(&self) -> Option<Position> {
        if self.in_check() {
            return None;
        }
        let chess = self.chess.clone().swap_turn().or_else(PositionError::ignore_too_much_material).ok()?;
        let mut next = self.clone();
        next.chess = chess;
        next.key ^= Zobrist64::zobrist_for_white_turn().0 ^ ep_key(self.ep_file);
        next.ep_file = None;
        next.checkers = Bitboard::EMPTY;
        next.reversible = 0;
        Some(next)
    }

    /// The data for [`Position::gives_check`].
    pub fn check_info(&self) -> CheckInfo {
        let them = !self.turn();
        let king = self.king(them);
        let occupied = self.board().occupied();
        let diagonal = attacks::bishop_attacks(king, occupied);
        let straight = attacks::rook_attacks(king, occupied);
        CheckInfo {
            king,
            squares: [
                Bitboard::EMPTY,
                attacks::pawn_attacks(them, king),
                attacks::knight_attacks(king),
                diagonal,
                straight,
                diagonal | straight,
                Bitboard::EMPTY,
                Bitboard::EMPTY,
            ],
            uncoverers: self.shields(king, self.turn()) & self.chess.us(),
        }
    }

    /// The pieces of either colour that alone stand between `king` and a slider of `attacker`.
    pub fn shields(&self, king: Square, attacker: Color) -> Bitboard {
        shields(self.board(), king, attacker)
    }

    /// Returns true if `mv` gives check. `info` is this position's [`Position::check_info`].
    #[inline(always)]
    pub fn gives_check(&self, info: &CheckInfo, mv: Move) -> bool {
        match mv {
            Move::Normal { role, from, to, promotion: None, .. } => {
                info.squares(role).contains(to)
                    || (info.uncoverers.contains(from) && !attacks::aligned(from, to, info.king))
            }
            _ => self.special_gives_check(info, mv),
        }
    }

    /// The same for promotions, en passant and castling.
    #[cold]
    fn special_gives_check(&self, info: &CheckInfo, mv: Move) -> bool {
        let us = self.turn();
        match mv {
            Move::Normal { from, to, role, promotion, .. } => {
                let occupied = self.board().occupied().without(from).with(to);
                attacks::attacks(to, promotion.unwrap_or(role).of(us), occupied).contains(info.king)
                    || (info.uncoverers.contains(from) && !attacks::aligned(from, to, info.king))
            }
            Move::EnPassant { from, to } => {
                let taken = Square::from_coords(to.file(), from.rank());
                let occupied = self.board().occupied().without(from).without(taken).with(to);
                info.squares(Role::Pawn).contains(to) || self.slider_attacks(info.king, us, occupied)
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
                let occupied = self.board().occupied().without(king).without(rook).with(king_to).with(rook_to);
                attacks::rook_attacks(rook_to, occupied).contains(info.king)
            }
            Move::Put { .. } => false,
        }
    }

    fn slider_attacks(&self, king: Square, attacker: Color, occupied: Bitboard) -> bool {
        let board = self.board();
        let sliders = (attacks::rook_attacks(king, occupied) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, occupied) & board.bishops_and_queens());
        (sliders & board.by_color(attacker) & occupied).any()
    }

    /// Returns true if a pawn of `color` on `square` is passed: no enemy pawn is ahead on its file or a neighbouring one.
    pub fn is_passed(&self, square: Square, color: Color) -> bool {
        let file = Bitboard::from_file(square.file());
        let files =
            file | (file.shift(1) & !Bitboard::from_file(File::A)) | (file.shift(-1) & !Bitboard::from_file(File::H));
        let enemy = self.board().pawns() & self.board().by_color(!color) & files;
        let rank = square.rank();
        !enemy.into_iter().any(|pawn| if color.is_white() { pawn.rank() > rank } else { pawn.rank() < rank })
    }

    /// FEN with the en passant square only where the capture is legal.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }
}

/// The effect of a move on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareChange {
    /// A piece is added.
    On,
    /// The piece is removed.
    Off,
}

/// Reports every change that a legal move of `us` makes to the board, removals first, for incremental updates.
#[inline(always)]
pub fn changes(us: Color, mv: Move, mut change: impl FnMut(Square, Piece, SquareChange)) {
    match mv {
        Move::Normal { role, from, capture, to, promotion } => {
            change(from, role.of(us), SquareChange::Off);
            if let Some(victim) = capture {
                change(to, victim.of(!us), SquareChange::Off);
            }
            change(to, promotion.unwrap_or(role).of(us), SquareChange::On);
        }
        Move::EnPassant { .. } | Move::Castle { .. } | Move::Put { .. } => special_changes(us, mv, &mut change),
    }
}

/// The same for en passant and castling.
#[cold]
fn special_changes(us: Color, mv: Move, change: &mut dyn FnMut(Square, Piece, SquareChange)) {
    match mv {
        Move::EnPassant { from, to } => {
            change(from, Role::Pawn.of(us), SquareChange::Off);
            change(Square::from_coords(to.file(), from.rank()), Role::Pawn.of(!us), SquareChange::Off);
            change(to, Role::Pawn.of(us), SquareChange::On);
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            change(king, Role::King.of(us), SquareChange::Off);
            change(rook, Role::Rook.of(us), SquareChange::Off);
            change(side.king_to(us), Role::King.of(us), SquareChange::On);
            change(side.rook_to(us), Role::Rook.of(us), SquareChange::On);
        }
        Move::Normal { .. } | Move::Put { .. } => {
            unreachable!("no drops in chess, and the caller knows of ordinary moves")
        }
    }
}

/// The squares from which pieces give check, computed once per node by [`Position::check_info`].
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    king: Square,
    /// By role; the first is not used.
    squares: [Bitboard; ROLES],
    uncoverers: Bitboard,
}

const ROLES: usize = 8;

impl CheckInfo {
    /// The squares from which a piece of `role` gives check.
    #[inline(always)]
    pub fn squares(&self, role: Role) -> Bitboard {
        self.squares[role as usize]
    }

    /// The squares to which the piece of `role` on `from` gives check, be it by uncovering another piece. Not for
    /// promotions, castling and en passant.
    #[inline(always)]
    pub fn checking_squares(&self, role: Role, from: Square) -> Bitboard {
        let uncovering = if self.uncoverers.contains(from) { !attacks::ray(self.king, from) } else { Bitboard::EMPTY };
        self.squares(role) | uncovering
    }
}

fn ep_key(file: Option<File>) -> u64 {
    file.map_or(0, |file| Zobrist64::zobrist_for_en_passant_file(file).0)
}

/// Greatest number of legal moves, in any position that can be set up: the capacity of shakmaty's lists.
pub const MOVES_MAX: usize = 270;

/// The packed form of "no move".
pub const NO_MOVE: u16 = 0;
const SQUARE_MASK: u16 = 63;
const TO_SHIFT: u16 = 6;
const KIND_SHIFT: u16 = 12;
const KIND_CASTLE: u16 = 6;
const KIND_EN_PASSANT: u16 = 7;

/// A move in 16 bits: from, to (the rook's square when castling), and kind or promotion. Never [`NO_MOVE`].
#[inline]
pub fn pack(mv: Move) -> u16 {
    let (from, to, kind) = match mv {
        Move::Normal { from, to, promotion, .. } => (from, to, promotion.map_or(0, |role| role as u16)),
        Move::EnPassant { from, to } => (from, to, KIND_EN_PASSANT),
        Move::Castle { king, rook } => (king, rook, KIND_CASTLE),
        Move::Put { to, .. } => (to, to, 0),
    };
    from as u16 | (to as u16) << TO_SHIFT | kind << KIND_SHIFT
}

/// The parts of a move, extracted once, because each query of a move tests its kind.
#[derive(Clone, Copy, Debug)]
pub struct MoveParts {
    /// The piece that moves.
    pub role: Role,
    /// Origin square.
    pub from: Square,
    /// Destination square; the rook's square for castling.
    pub to: Square,
    /// The move's [`pack`]ed form.
    pub packed: u16,
}

impl MoveParts {
    /// The parts of a move.
    #[inline(always)]
    pub fn of(mv: Move) -> MoveParts {
        match mv {
            Move::Normal { role, from, to, promotion: None, .. } => {
                MoveParts { role, from, to, packed: from as u16 | (to as u16) << TO_SHIFT }
            }
            _ => MoveParts::special(mv),
        }
    }

    /// The same for promotions, en passant and castling.
    #[cold]
    fn special(mv: Move) -> MoveParts {
        MoveParts { role: mv.role(), from: mv.from().unwrap_or(mv.to()), to: mv.to(), packed: pack(mv) }
    }
}

/// Returns true if the move is quiet: neither a capture nor a promotion to a queen.
#[inline]
pub fn is_quiet(mv: Move) -> bool {
    !mv.is_capture() && mv.promotion() != Some(Role::Queen)
}

/// The reason why a move is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum MoveError {
    #[error("`{0}` is not a valid move: expected the form e2e4 or e7e8q")]
    Malformed(String),
    #[error("`{text}` is illegal in {fen}")]
    Illegal { text: String, fen: String },
}

/// The reason for a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draw {
    /// The third occurrence of a position.
    Threefold,
    /// Fifty moves without capture or pawn move.
    FiftyMoves,
    /// Neither side can give mate.
    InsufficientMaterial,
}

/// A game: its start position, its moves and the current position.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    mode: CastlingMode,
    moves: Vec<Move>,
    position: Position,
    keys: Vec<u64>,
}

impl Default for Game {
    fn default() -> Game {
        Game::new()
    }
}

impl Game {
    /// A game from the start position.
    pub fn new() -> Game {
        Game::from_chess(Chess::default(), CastlingMode::Standard)
    }

    /// A game from a legal position.
    pub fn from_chess(chess: Chess, mode: CastlingMode) -> Game {
        let start = Position::from_chess(chess);
        Game { position: start.clone(), start, mode, moves: Vec::new(), keys: Vec::new() }
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The notation of castling, and the possible castling rights.
    pub fn castling_mode(&self) -> CastlingMode {
        self.mode
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Keys of all earlier positions, oldest first.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// FEN of the start position.
    pub fn start_fen(&self) -> String {
        self.start.fen()
    }

    /// FEN of the current position.
    pub fn fen(&self) -> String {
        self.position.fen()
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.keys.push(self.position.key());
        self.position = self.position.play(mv);
        self.moves.push(mv);
    }

    /// Plays a move in UCI notation. Castling is read as a king move and as king takes rook.
    ///
    /// # Errors
    /// [`MoveError`]; the game is unchanged.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, MoveError> {
        let mv = self.parse_uci(text)?;
        self.play(mv);
        Ok(mv)
    }

    /// Plays moves in UCI notation, up to the first one that is refused; the moves before it stay played.
    pub fn play_line(&mut self, moves: impl IntoIterator<Item = impl AsRef<str>>) -> Result<(), MoveError> {
        moves.into_iter().try_for_each(|text| self.play_uci(text.as_ref()).map(|_| ()))
    }

    /// The legal move that `text` names in UCI notation.
    ///
    /// # Errors
    /// [`MoveError`] with the text.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let uci: UciMove = text.parse().map_err(|_| MoveError::Malformed(text.to_owned()))?;
        uci.to_move(self.position.chess()).map_err(|_| MoveError::Illegal { text: text.to_owned(), fen: self.fen() })
    }

    /// Returns true if any position, including the current one, has occurred twice since the last irreversible move.
    pub fn has_repeated(&self) -> bool {
        let since = self.keys.len().saturating_sub(self.position.reversible() as usize);
        let mut keys: Vec<u64> = self.keys[since..].iter().copied().chain([self.position.key()]).collect();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The reason why the current position is a draw; `None` if it is not. Mate takes precedence over the fifty-move
    /// rule.
    pub fn draw(&self) -> Option<Draw> {
        let position = &self.position;
        if position.insufficient_material() {
            return Some(Draw::InsufficientMaterial);
        }
        if position.halfmoves() >= FIFTY_MOVES && !(position.in_check() && position.legal_moves().is_empty()) {
            return Some(Draw::FiftyMoves);
        }
        self.is_threefold().then_some(Draw::Threefold)
    }

    /// Returns true if the current position has occurred at least twice before.
    pub(crate) fn is_threefold(&self) -> bool {
        let earlier = self.keys.iter().rev().take(self.position.reversible() as usize);
        earlier.filter(|&&key| key == self.position.key()).count() >= 2
    }
}

/// Half moves of the fifty-move rule.
pub const FIFTY_MOVES: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn attacked_squares_are_those_that_each_man_attacks() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ] {
            let game = testing::game(fen);
            let position = game.position();
            let board = position.board();
            for squares in
                [Bitboard::FULL, board.pawns(), board.knights() | board.bishops(), board.queens(), board.kings()]
            {
                let men = board.by_color(!position.turn()) & squares;
                let each = men.into_iter().fold(Bitboard::EMPTY, |all, from| all | board.attacks_from(from));
                assert_eq!(position.attacked_by(squares), each, "{fen} {squares:?}");
            }
        }
    }

    #[test]
    fn a_repetition_counts_until_a_move_that_cannot_be_taken_back() {
        for (moves, repeated) in [
            ("", false),
            ("g1f3 g8f6 f3g1", false),
            ("g1f3 g8f6 f3g1 f6g8", true),
            ("g1f3 g8f6 f3g1 f6g8 b1c3", true),
            ("g1f3 g8f6 f3g1 f6g8 e2e4", false),
            ("g1f3 g8f6 f3g1 f6g8 e2e4 b8c6", false),
        ] {
            let mut game = Game::new();
            game.play_line(moves.split_whitespace()).expect(moves);
            assert_eq!(game.has_repeated(), repeated, "{moves}");
        }
    }
}
