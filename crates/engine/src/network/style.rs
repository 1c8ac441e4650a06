//! How a network's values are used: parameters that stand beside the network, whatever it was trained on.

use crate::score::Score;

crate::params! {
    /// size of the network's values (percent)
    size = 100 in 25..=400 by 5;
    /// added for the side to move, whom networks give more than a search likes (pawns/100)
    tempo = -45 in -200..=200 by 5;
}

/// All of it (percent).
const WHOLE: i32 = 100;

impl Params {
    /// What a value of the network counts for, seen by the side to move.
    #[inline(always)]
    pub fn apply(&self, value: Score) -> Score {
        Score(value.0 * self.size / WHOLE + self.tempo).as_eval()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_multiplies_and_tempo_is_added_for_the_side_to_move() {
        let usual = Params { size: 100, tempo: 0 };
        for value in [-500, -1, 0, 7, 500].map(Score) {
            assert_eq!(usual.apply(value), value);
        }
        let other = Params { size: 150, tempo: -30 };
        assert_eq!([100, 0, -100].map(|value| other.apply(Score(value)).0), [120, -30, -180]);
        let most = Params { size: 400, tempo: 200 };
        assert_eq!(most.apply(Score::EVAL_MAX), Score::EVAL_MAX, "no value of a mate");
    }
}
