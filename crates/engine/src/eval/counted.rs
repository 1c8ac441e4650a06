//! The counts of the evaluation in a position: all the data that a fit of the weights needs.

use shakmaty::Color;

use super::endings::KnownEnding;
use super::trace::{Blend, Trace};

/// A count of a weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightCount {
    /// Place in its vector ([`super::groups`]).
    pub place: u16,
    /// How often: for ordinary weights White's minus Black's.
    pub count: i16,
}

/// The counts behind one evaluation. With the weights of [`super::weights`] and the arithmetic of the evaluation they give its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluationCounts {
    /// Side to move.
    pub turn: Color,
    /// Weight of the middlegame half (0 to 24).
    pub phase: i32,
    /// Ordinary weights but for the tempo, White's uses minus Black's, each place once.
    pub weights: Vec<WeightCount>,
    /// Inputs of the danger that a colour brings to the other king (0 black, 1 white).
    pub danger: [Vec<WeightCount>; 2],
    /// Parts of the scale where a colour is the better one (0 black, 1 white); `None`: nothing can be won.
    pub scale: [Option<Vec<WeightCount>>; 2],
    /// Value of a known ending, seen by White; then nothing else counts.
    pub known: Option<i32>,
}

impl EvaluationCounts {
    pub(super) fn new(turn: Color, phase: i32) -> EvaluationCounts {
        EvaluationCounts {
            turn,
            phase,
            weights: Vec::new(),
            danger: [Vec::new(), Vec::new()],
            scale: [Some(Vec::new()), Some(Vec::new())],
            known: None,
        }
    }
}

/// Adds to the use of a place, or enters it.
fn enter(uses: &mut Vec<WeightCount>, place: usize, count: i32) {
    if count == 0 {
        return;
    }
    match uses.iter_mut().find(|known| usize::from(known.place) == place) {
        Some(known) => known.count += count as i16,
        None => uses.push(WeightCount { place: place as u16, count: count as i16 }),
    }
}

impl Trace for EvaluationCounts {
    const ACTIVE: bool = true;

    fn weigh(&mut self, place: usize, color: Color, count: i32) {
        if place != super::groups::TEMPO.at(0) {
            enter(&mut self.weights, place, if color.is_white() { count } else { -count });
        }
    }

    fn endanger(&mut self, place: usize, color: Color, count: i32) {
        enter(&mut self.danger[color as usize], place, count);
    }

    fn scale(&mut self, place: usize, color: Color, count: i32) {
        if let Some(parts) = &mut self.scale[color as usize] {
            enter(parts, place, count);
        }
    }

    fn no_winning_material(&mut self, color: Color) {
        self.scale[color as usize] = None;
    }

    fn blend(&mut self, _: Blend) {
        self.weights.retain(|used| used.count != 0);
    }

    fn known(&mut self, known: KnownEnding) {
        self.known = Some(known.white);
    }
}
