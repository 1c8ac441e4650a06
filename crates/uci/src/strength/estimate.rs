//! Estimates of a weaker player for the moves of a position.
//!
//! The estimate of a calculated move is the score of the search. That of any other move is the static evaluation of the position after
//! it, less the gain of the opponent by one exchange. So a player that does not calculate protects pieces and recaptures, but misses
//! tactics of both sides.

use quarterply_engine::position::{Game, Position};
use quarterply_engine::report::SearchReport;
use quarterply_engine::score::{Ply, Score};
use quarterply_engine::see::best_exchange;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use shakmaty::Move;

use super::{Handicap, PERCENT, opening};

/// A move and its estimate (pawns/100).
#[derive(Clone, Copy, Debug)]
pub struct MoveEstimate {
    /// The move.
    pub mv: Move,
    /// For the side to move, without error.
    pub value: i32,
}

/// The static evaluation of a position, for the side to move.
pub type Evaluate<'a> = &'a mut dyn FnMut(&Position) -> Score;

/// True with a chance of `percent`.
pub fn happens(random: &mut ChaCha8Rng, percent: u32) -> bool {
    random.random_range(0..PERCENT) < percent
}

/// The best line with a recapture that does not lose material by static exchange. It is obvious unless another line is better by more than
/// the error of the level.
pub fn obvious_recapture(handicap: &Handicap, lines: &[SearchReport], game: &Game) -> Option<usize> {
    let taken = game.moves().last().filter(|last| last.is_capture())?.to();
    let retakes = |mv: Move| mv.is_capture() && mv.to() == taken && game.position().see_ge(mv, Score::ZERO);
    let index = lines.iter().position(|line| line.line.first().is_some_and(|mv| retakes(*mv)))?;
    (lines[0].score.0 - lines[index].score.0 <= handicap.error).then_some(index)
}

/// The estimate of a move without calculation. A `careless` player overlooks captures of the opponent, except after a capture.
fn static_estimate(game: &Game, mv: Move, careless: bool, evaluate: Evaluate<'_>) -> i32 {
    let after = game.position().play(mv);
    if after.legal_moves().is_empty() {
        return if after.in_check() { Score::mate_in(Ply(1)).0 } else { Score::DRAW.0 };
    }
    let threat = if careless && !mv.is_capture() { 0 } else { best_exchange(&after).0 };
    -evaluate(&after).0 - threat
}

/// How often the score of a calculated line is missed (percent). Mates against the player are as hard to see as those for it.
fn missed(handicap: &Handicap, line: &SearchReport) -> u32 {
    let against = line.score.mate_moves().filter(|moves| *moves < 0).map(|moves| moves.unsigned_abs() as usize);
    match against.and_then(|moves| handicap.mates.get(moves.saturating_sub(1))) {
        Some(seen) => PERCENT - seen,
        None => handicap.missed,
    }
}

/// The moves that the player considers: those of the search, and of the other moves (all of `allowed`, or all if that is empty) those
/// that it does not calculate. A short mate that the player has not seen is left out, unless every line is one.
pub fn consider(
    handicap: &Handicap,
    lines: &[SearchReport],
    game: &Game,
    allowed: &[Move],
    evaluate: Evaluate<'_>,
    random: &mut ChaCha8Rng,
) -> Vec<MoveEstimate> {
    let mates = |line: &SearchReport| handicap.short_mate(line).is_some();
    let all_mate = lines.iter().all(mates);
    let careless = happens(random, handicap.overlooked);
    let mut considered = Vec::new();
    for line in lines.iter().filter(|line| all_mate || !mates(line)) {
        let Some(&mv) = line.line.first() else { continue };
        let calculated = !happens(random, missed(handicap, line));
        let value = if calculated { line.score.0 } else { static_estimate(game, mv, careless, evaluate) };
        considered.push(MoveEstimate { mv, value });
    }
    let searched = |mv: &Move| lines.iter().any(|line| line.line.first() == Some(mv));
    for mv in game.position().legal_moves().into_iter().filter(|mv| allowed.is_empty() || allowed.contains(mv)) {
        if !searched(&mv) && happens(random, handicap.missed) {
            considered.push(MoveEstimate { mv, value: static_estimate(game, mv, careless, evaluate) });
        }
    }
    considered
}

/// The move to play: the best by its value, a random error and the principles of the opening.
pub fn prefer(
    handicap: &Handicap,
    considered: &[MoveEstimate],
    game: &Game,
    random: &mut ChaCha8Rng,
) -> Option<MoveEstimate> {
    let percent = PERCENT as i32;
    let mut best: Option<(i32, MoveEstimate)> = None;
    for estimated in considered {
        let error = random.random_range(-handicap.error..=handicap.error);
        let principle =
            if handicap.principles { opening::preference(game, estimated.mv) * handicap.error / percent } else { 0 };
        let value = estimated.value.saturating_add(error + principle);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, *estimated));
        }
    }
    best.map(|(_, estimated)| estimated)
}
