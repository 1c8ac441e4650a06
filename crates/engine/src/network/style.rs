//! How a network's values are used: parameters that stand beside the network, whatever it was trained on.

use crate::score::Score;

crate::params! {
    /// size of the network's values (percent)
    size = 100 in 25..=400 by 5;
    /// added for the side to move, whom networks give more than a search likes (pawns/100)
    tempo = 0 in -200..=200 by 5;
    /// share of the classical evaluation in a value; the network has the rest (percent)
    classical = 40 in 0..=100 by 5;
}

/// All of it (percent).
const WHOLE: i32 = 100;

impl Params {
    /// What a value of the network counts for, seen by the side to move.
    #[inline(always)]
    pub fn apply(&self, value: Score) -> Score {
        Score(value.0 * self.size / WHOLE + self.tempo).as_eval()
    }

    /// Whether the classical evaluation has a share in values.
    #[inline(always)]
    pub fn asks_classical(&self) -> bool {
        self.classical > 0
    }

    /// Whether the network has a share in values.
    #[inline(always)]
    pub fn asks_network(&self) -> bool {
        self.classical < WHOLE
    }

    /// The mean of a value of the network, as it counts, and a classical one, weighted by their shares.
    #[inline(always)]
    pub fn blend(&self, network: Score, classical: Score) -> Score {
        Score((network.0 * (WHOLE - self.classical) + classical.0 * self.classical) / WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_multiplies_and_tempo_is_added_for_the_side_to_move() {
        let usual = Params { size: 100, tempo: 0, classical: 0 };
        for value in [-500, -1, 0, 7, 500].map(Score) {
            assert_eq!(usual.apply(value), value);
        }
        let other = Params { size: 150, tempo: -30, classical: 0 };
        assert_eq!([100, 0, -100].map(|value| other.apply(Score(value)).0), [120, -30, -180]);
        let most = Params { size: 400, tempo: 200, classical: 0 };
        assert_eq!(most.apply(Score::EVAL_MAX), Score::EVAL_MAX, "no value of a mate");
    }

    #[test]
    fn a_blend_is_the_mean_weighted_by_the_share_of_the_classical_value() {
        let [network, classical] = [Score(200), Score(-100)];
        for (share, mean) in [(0, 200), (30, 110), (50, 50), (100, -100)] {
            let style = Params { size: 100, tempo: 0, classical: share };
            assert_eq!(style.blend(network, classical), Score(mean), "{share} percent");
            assert_eq!((style.asks_classical(), style.asks_network()), (share > 0, share < 100));
        }
        let even = Params { size: 100, tempo: 0, classical: 50 };
        assert_eq!(even.blend(Score::EVAL_MAX, Score::EVAL_MAX), Score::EVAL_MAX, "no value of a mate");
        assert_eq!(even.blend(-Score::EVAL_MAX, -Score::EVAL_MAX), -Score::EVAL_MAX);
    }
}
