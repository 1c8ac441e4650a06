//! Games: number, start position, result, moves and scores, each by its model.

use super::coder::{BitTree, Coder, Corrupt, Number, Reader, Writer};
use super::moves::{Moves, PreviousMoves};
use super::scores::Scores;
use super::start::Starts;
use crate::record::{Ending, GameOutcome, GameRecord, NO_SCORE, StoredMove};
use crate::replay::ReplayError;
use crate::viriformat::encode_move;
use shakmaty::{Chess, Move, Position as _};

/// Bits of the number of an outcome and of an ending.
const OUTCOME_BITS: u32 = 2;
const ENDING_BITS: u32 = 4;
/// A block has at most this many plies per byte of data, plus [`PLIES_MORE`]: corrupt data could otherwise decode to any number of plies.
const PLIES_PER_BYTE: u64 = 32;
/// See [`PLIES_PER_BYTE`].
const PLIES_MORE: u64 = 1024;

/// Encodes the games of a block.
pub fn encode(games: &[GameRecord]) -> Result<Vec<u8>, ReplayError> {
    let mut writer = Writer::default();
    let mut models = Models::default();
    for game in games {
        let moves = game.replay().map(|view| Ok(view?.mv)).collect::<Result<Vec<Move>, ReplayError>>()?;
        // A game that can be replayed can be coded.
        let _ = models.code(&mut writer, game.number, Some((game, &moves)));
    }
    Ok(writer.into_bytes())
}

/// Decodes `count` games from the data of a block; the first has the number `first`.
///
/// # Errors
/// The bytes were not written by [`encode`].
pub fn decode(bytes: &[u8], first: u64, count: u32) -> Result<Vec<GameRecord>, Corrupt> {
    let mut reader = Reader::new(bytes)?;
    let plies_left = PLIES_PER_BYTE * bytes.len() as u64 + PLIES_MORE;
    let mut models = Models { plies_left, ..Models::default() };
    let mut games = Vec::new();
    for number in first..first + u64::from(count) {
        games.push(models.code(&mut reader, number, None)?);
    }
    if reader.may_be_at_end() { Ok(games) } else { Err(Corrupt) }
}

/// The adaptive models of a block.
struct Models {
    starts: Starts,
    moves: Moves,
    scores: Scores,
    outcome: BitTree,
    ending: BitTree,
    plies: Number,
    random_until: Number,
    /// Plies that may still be decoded.
    plies_left: u64,
}

impl Default for Models {
    fn default() -> Models {
        Models {
            starts: Starts::default(),
            moves: Moves::default(),
            scores: Scores::default(),
            outcome: BitTree::new(OUTCOME_BITS),
            ending: BitTree::new(ENDING_BITS),
            plies: Number::default(),
            random_until: Number::default(),
            plies_left: u64::MAX,
        }
    }
}

impl Models {
    fn code(
        &mut self,
        coder: &mut impl Coder,
        number: u64,
        known: Option<(&GameRecord, &[Move])>,
    ) -> Result<GameRecord, Corrupt> {
        let game = known.map(|(game, _)| game);
        let outcome = self.outcome.code(coder, game.map(|game| game.outcome as u32))?;
        let ending = self.ending.code(coder, game.map(|game| game.ending as u32))?;
        let random_until = self.random_until.code(coder, game.map(|game| game.random_until.into()))?;
        let plies = self.plies.code(coder, game.map(|game| game.steps.len() as u32))?;
        // A game without a move counts as one ply.
        self.plies_left = self.plies_left.checked_sub(u64::from(plies) + 1).ok_or(Corrupt)?;
        let (start, mode) = self.starts.code(coder, game.map(|game| &game.start))?;
        let outcome = *GameOutcome::ALL.get(outcome as usize).ok_or(Corrupt)?;
        let ending = *Ending::ALL.get(ending as usize).ok_or(Corrupt)?;
        let random_until = u16::try_from(random_until).map_err(|_| Corrupt)?;
        let mut found = GameRecord { number, start, mode, outcome, ending, random_until, steps: Vec::new() };
        self.steps(coder, known, plies as usize, &mut found)?;
        Ok(found)
    }

    fn steps(
        &mut self,
        coder: &mut impl Coder,
        known: Option<(&GameRecord, &[Move])>,
        plies: usize,
        found: &mut GameRecord,
    ) -> Result<(), Corrupt> {
        let mut chess = found.start.clone();
        let mut before = PreviousMoves::default();
        self.scores.begin_game();
        for index in 0..plies {
            let mv = self.moves.code(coder, known.map(|(_, moves)| moves[index]), &chess, before)?;
            let known = known.map(|(game, _)| game.steps[index].stored_score());
            let score = if has_score(&chess, mv, found.ending, plies - index) {
                self.scores.code(coder, known, chess.turn().is_white())?
            } else {
                None
            };
            found.steps.push(StoredMove { raw: encode_move(mv), score: score.unwrap_or(NO_SCORE) });
            chess.play_unchecked(mv);
            before = before.then(mv);
        }
        Ok(())
    }
}

/// Plies at the end of a game adjudicated a draw whose positions have no score.
const DRAWN_TAIL: usize = 12;

/// Returns true if the position has a score, unless the score is too large: the rule of the default filter. `left` is the number of moves left,
/// this one included.
fn has_score(chess: &Chess, mv: Move, ending: Ending, left: usize) -> bool {
    let drawn_tail = ending == Ending::DrawnByScore && left <= DRAWN_TAIL;
    !chess.is_check() && !mv.is_capture() && !mv.is_promotion() && !drawn_tail
}
