//! Scores on a grid of expected points, each coded as its difference from the one before.

use super::coder::{Bit, Coder, Corrupt, Number};
use std::sync::LazyLock;

/// Score at which the grid assumes odds of e to 1 (pawns/100).
const SCALE: f64 = 400.0;
/// Steps of the grid between 0 and 1 expected points.
pub const STEPS: usize = 512;
/// Scores beyond this are not stored (pawns/100): the default filter leaves such positions out.
pub const SCORE_MAX: i16 = 2000;

/// The scores of the grid, lowest first, and the place of every score on it.
struct Grid {
    scores: Vec<i16>,
    places: Vec<u16>,
}

static GRID: LazyLock<Grid> = LazyLock::new(Grid::new);

/// Expected points of a score (0 to 1).
pub fn expected_points(score: i16) -> f64 {
    1.0 / (1.0 + libm::exp(-f64::from(score) / SCALE))
}

impl Grid {
    fn new() -> Grid {
        let score = |step: usize| {
            let points = step as f64 / STEPS as f64;
            let score = libm::round(SCALE * libm::log(points / (1.0 - points)));
            score.clamp((-SCORE_MAX).into(), SCORE_MAX.into()) as i16
        };
        let mut scores: Vec<i16> = (0..=STEPS).map(score).collect();
        // All steps beyond the largest score map to it.
        scores.dedup();
        let mut places = Vec::with_capacity(2 * SCORE_MAX as usize + 1);
        let mut place = 0;
        for score in -SCORE_MAX..=SCORE_MAX {
            let distance = |place: usize| (expected_points(scores[place]) - expected_points(score)).abs();
            while place + 1 < scores.len() && distance(place + 1) < distance(place) {
                place += 1;
            }
            places.push(place as u16);
        }
        Grid { scores, places }
    }

    /// The place of the nearest score of the grid; `None` beyond [`SCORE_MAX`].
    fn place(&self, score: i16) -> Option<i32> {
        let index = usize::try_from(i32::from(score) + i32::from(SCORE_MAX)).ok()?;
        self.places.get(index).map(|place| i32::from(*place))
    }

    fn score(&self, place: i32) -> Option<i16> {
        usize::try_from(place).ok().and_then(|place| self.scores.get(place)).copied()
    }

    fn top(&self) -> i32 {
        self.scores.len() as i32 - 1
    }
}

/// The score as a packed file stores it: the nearest of the grid; `None` beyond [`SCORE_MAX`].
pub fn rounded(score: i16) -> Option<i16> {
    GRID.place(score).and_then(|place| GRID.score(place))
}

/// Number of classes of recent changes, by powers of 2.
const CHANGES: usize = 8;
/// Number of classes of the distance from an even score.
const ZONES: usize = 4;
/// Upper ends of these classes, as divisors of the distance from an even score to the end of the grid.
const ZONE_ENDS: [i32; ZONES - 1] = [6, 2, 1];
/// The ends of the grid, where scores beyond [`SCORE_MAX`] are likely, are this fraction of it.
const EDGE_PART: i32 = 16;
/// Assumed change before the first score of a game (steps).
const FIRST_CHANGE: i32 = 60;
/// Largest change that is stored (steps).
const CHANGE_MAX: i32 = 1 << 10;
/// The predicted place is the last one, moved by this fraction of the way back to the one before.
const BACK_PART: i32 = 4;

/// Codes the scores of one game after another; [`Scores::begin_game`] precedes each.
#[derive(Default)]
pub struct Scores {
    /// True for a missing score, by two facts: one was there before, and that was near the end of the grid.
    missing: [[Bit; 2]; 2],
    equal: [[Bit; CHANGES]; ZONES],
    lower: [[Bit; 3]; CHANGES],
    size: [[Number; ZONES]; CHANGES],
    /// Places of the last two scores of this game, the last one first.
    last: [i32; 2],
    /// A mean of the last changes.
    change: i32,
    was_missing: bool,
}

impl Scores {
    /// Starts a game: resets the last scores, keeps the learned probabilities.
    pub fn begin_game(&mut self) {
        self.last = [GRID.place(0).unwrap_or(0); 2];
        self.change = FIRST_CHANGE;
        self.was_missing = false;
    }

    /// Codes a score, seen from White (pawns/100), or that there is none; `white` is whether White is to move. A known score that is not on the
    /// grid becomes the nearest one, and one beyond [`SCORE_MAX`] none.
    pub fn code(
        &mut self,
        coder: &mut impl Coder,
        known: Option<Option<i16>>,
        white: bool,
    ) -> Result<Option<i16>, Corrupt> {
        let grid = &*GRID;
        let known = known.map(|score| score.and_then(|score| grid.place(score)));
        let (last, top) = (self.last[0], grid.top());
        let near_end = last.min(top - last) < top / EDGE_PART;
        let missing = &mut self.missing[usize::from(self.was_missing)][usize::from(near_end)];
        self.was_missing = missing.code(coder, known.map(|place| place.is_none()))?;
        if self.was_missing {
            return Ok(None);
        }
        let expected = last + (self.last[1] - last) / BACK_PART;
        let sign = if white { 1 } else { -1 };
        let known = known.flatten().map(|place| sign * (place - expected));
        let place = sign.checked_mul(self.difference(coder, known, sign, top)?).ok_or(Corrupt)?;
        let place = place.checked_add(expected).ok_or(Corrupt)?;
        let score = grid.score(place).ok_or(Corrupt)?;
        self.change = ((3 * self.change + 4 * (place - last).abs() + 3) / 4).min(CHANGE_MAX);
        self.last = [place, last];
        Ok(Some(score))
    }

    /// Codes how much more the side to move has than expected, in steps.
    fn difference(&mut self, coder: &mut impl Coder, known: Option<i32>, sign: i32, top: i32) -> Result<i32, Corrupt> {
        let change = ((self.change + 1).ilog2() as usize).min(CHANGES - 1);
        let away = 2 * (self.last[0] - top / 2).abs();
        let zone = ZONE_ENDS.iter().position(|part| away < top / part).unwrap_or(ZONES - 1);
        let trend = (sign * (self.last[0] - self.last[1])).signum() + 1;
        if self.equal[zone][change].code(coder, known.map(|steps| steps == 0))? {
            return Ok(0);
        }
        let lower = self.lower[change][trend as usize].code(coder, known.map(|steps| steps < 0))?;
        let size = self.size[change][zone].code(coder, known.map(|steps| steps.unsigned_abs() - 1))?;
        let size = i32::try_from(size).ok().and_then(|size| size.checked_add(1)).ok_or(Corrupt)?;
        Ok(if lower { -size } else { size })
    }
}
