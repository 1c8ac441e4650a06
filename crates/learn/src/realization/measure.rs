//! The quality of chances: cross-entropy, how often the likeliest move is played, and calibration.

use super::data::{RealizationData, RealizationExample};
use rayon::prelude::*;

/// Widths of the calibration table: half a bit each, and what is beyond goes into the last.
pub const BINS: usize = 24;
/// Bins to a bit.
pub const BINS_OF_BIT: f64 = 2.0;
/// Positions that one thread adds at a time.
const PART: usize = 512;
/// Number of likeliest moves that [`RealizationQuality::top_3`] counts.
const FEW: usize = 3;

/// Moves whose chance was about the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealizationBin {
    /// Number of moves.
    pub moves: u64,
    /// Number of them that were played.
    pub played: u64,
    /// The sum of their chances.
    pub expected: f64,
}

impl RealizationBin {
    /// The mean chance.
    pub fn predicted(&self) -> f64 {
        self.expected / self.moves.max(1) as f64
    }

    /// The share that was played.
    pub fn observed(&self) -> f64 {
        self.played as f64 / self.moves.max(1) as f64
    }
}

/// The quality of a model on some positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealizationQuality {
    /// Positions.
    pub positions: u64,
    /// Sum of the surprises (bits).
    bits: f64,
    /// The likeliest move was played.
    top: u64,
    /// One of the three likeliest was.
    top_few: u64,
    /// Moves by chance.
    pub bins: [RealizationBin; BINS],
}

impl RealizationQuality {
    /// Cross-entropy (bits a position).
    pub fn cross_entropy(&self) -> f64 {
        self.bits / self.positions.max(1) as f64
    }

    /// How often the likeliest move was played (0 to 1).
    pub fn top_1(&self) -> f64 {
        self.top as f64 / self.positions.max(1) as f64
    }

    /// How often one of the three likeliest was (0 to 1).
    pub fn top_3(&self) -> f64 {
        self.top_few as f64 / self.positions.max(1) as f64
    }

    /// Mean error of chances, weighted by the chance of each move (bits); 0 is perfect.
    pub fn miscalibration(&self) -> f64 {
        let off = |bin: &RealizationBin| bin.expected * (bin.predicted().log2() - bin.observed().log2()).abs();
        let used: Vec<&RealizationBin> = self.bins.iter().filter(|bin| bin.played > 0).collect();
        let weight: f64 = used.iter().map(|bin| bin.expected).sum();
        used.into_iter().map(off).sum::<f64>() / weight.max(f64::MIN_POSITIVE)
    }

    fn add(&mut self, chances: &[f64], played: usize) {
        let own = chances[played];
        self.positions += 1;
        self.bits -= own.max(f64::MIN_POSITIVE).log2();
        // Half of the other moves with the same chance, rounded down, count as before the one played.
        let before = chances.iter().filter(|&&chance| chance > own).count();
        let equal = chances.iter().filter(|&&chance| chance == own).count() - 1;
        let rank = before + equal / 2;
        self.top += u64::from(rank == 0);
        self.top_few += u64::from(rank < FEW);
        for (index, &chance) in chances.iter().enumerate() {
            let bin = (-chance.max(f64::MIN_POSITIVE).log2() * BINS_OF_BIT) as usize;
            let bin = &mut self.bins[bin.min(BINS - 1)];
            bin.moves += 1;
            bin.played += u64::from(index == played);
            bin.expected += chance;
        }
    }

    fn join(mut self, other: &RealizationQuality) -> RealizationQuality {
        self.positions += other.positions;
        self.bits += other.bits;
        self.top += other.top;
        self.top_few += other.top_few;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.moves += more.moves;
            bin.played += more.played;
            bin.expected += more.expected;
        }
        self
    }
}

/// Measures a model by the chances it gives to the moves of each position.
pub fn measure(
    data: &RealizationData,
    chances: &(dyn Fn(&RealizationExample<'_>) -> Vec<f64> + Sync),
) -> RealizationQuality {
    let entered = |mut measured: RealizationQuality, index| {
        let example = data.example(index);
        measured.add(&chances(&example), example.played());
        measured
    };
    let parts: Vec<RealizationQuality> =
        (0..data.positions()).into_par_iter().fold_chunks(PART, RealizationQuality::default, entered).collect();
    parts.iter().fold(RealizationQuality::default(), RealizationQuality::join)
}

/// Every move as likely as any other.
pub fn uniform(example: &RealizationExample<'_>) -> Vec<f64> {
    vec![1.0 / example.moves() as f64; example.moves()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_moves_that_were_played_cost_few_bits() {
        let mut measured = RealizationQuality::default();
        measured.add(&[0.5, 0.25, 0.25], 0);
        assert_eq!((measured.cross_entropy(), measured.top_1(), measured.top_3()), (1.0, 1.0, 1.0));
        measured.add(&[0.125, 0.25, 0.25, 0.25, 0.125], 0);
        assert_eq!((measured.cross_entropy(), measured.top_1(), measured.top_3()), (2.0, 0.5, 0.5));
        measured.add(&[0.4, 0.35, 0.25], 2);
        assert_eq!((measured.top_1(), measured.top_3()), (1.0 / 3.0, 2.0 / 3.0));
    }

    #[test]
    fn equal_chances_are_worth_the_middle_of_their_ranks() {
        let mut measured = RealizationQuality::default();
        for played in 0..20 {
            measured.add(&[0.05; 20], played);
        }
        assert_eq!(measured.top_3(), 0.0, "nothing is known, so nothing is guessed");
        assert!((measured.cross_entropy() - 20f64.log2()).abs() < 1e-9);
    }

    #[test]
    fn chances_that_come_true_are_calibrated() {
        let mut right = RealizationQuality::default();
        let mut wrong = RealizationQuality::default();
        for index in 0..100 {
            right.add(&[0.75, 0.25], usize::from(index % 4 == 0));
            wrong.add(&[0.75, 0.25], usize::from(index % 4 != 0));
        }
        assert!(right.miscalibration() < 1e-9 && wrong.miscalibration() > 1.0, "{right:?} {wrong:?}");
        let sum: u64 = right.bins.iter().map(|bin| bin.played).sum();
        assert_eq!(sum, 100);
    }
}
