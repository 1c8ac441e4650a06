//! Probabilities of win, draw and loss by the score, for `UCI_ShowWDL`.
//!
//! The chance to win is a logistic curve in the score. Its middle is the score at which a win is as likely as not. In games of this
//! program, the middle is higher and the curve steeper in endings: smaller advantages are mostly drawn there. The chance to
//! lose is the same curve for the other side, and the rest are draws. `docs/results/evaluation.md` has the fit.

use std::fmt;

use quarterply_engine::score::Score;
use quarterply_engine::tablebase;

/// Chances in thousandths; they add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// To win.
    pub win: u32,
    /// To draw.
    pub draw: u32,
    /// To lose.
    pub loss: u32,
}

/// Thousandths in the whole.
const WHOLE: u32 = 1000;
/// The phase of the initial position (knight and bishop 1, rook 2, queen 4).
pub const FULL_PHASE: i32 = 24;

/// The numbers of the curve (pawns/100).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlCurve {
    /// Score that wins half of the games with pawns only.
    pub middle_ending: f64,
    /// The same with all pieces on the board.
    pub middle_opening: f64,
    /// Change of the score that multiplies the odds by e, with pawns only.
    pub spread_ending: f64,
    /// The same with all pieces on the board.
    pub spread_opening: f64,
}

impl WdlCurve {
    /// The curve in use: fitted to games of this program at 5000 nodes a move by maximum likelihood.
    pub const USED: WdlCurve =
        WdlCurve { middle_ending: 275.2, middle_opening: 93.7, spread_ending: 52.3, spread_opening: 107.1 };

    /// The chances to win, to draw and to lose of a score (pawns/100) where `phase` (0 to 24) of the pieces is left.
    pub fn chances(&self, score: f64, phase: i32) -> [f64; 3] {
        let opening = f64::from(phase.clamp(0, FULL_PHASE)) / f64::from(FULL_PHASE);
        let middle = self.middle_ending + (self.middle_opening - self.middle_ending) * opening;
        let spread = self.spread_ending + (self.spread_opening - self.spread_ending) * opening;
        let chance = |score: f64| 1.0 / (1.0 + ((middle - score) / spread).exp());
        // Both chances are below their sum's limit of 1 because `middle` is positive.
        let (win, loss) = (chance(score), chance(-score));
        [win, 1.0 - win - loss, loss]
    }
}

impl Wdl {
    /// The chances of a result from the endgame tables.
    pub fn known(result: tablebase::Wdl) -> Wdl {
        let (win, loss) = (result == tablebase::Wdl::Win, result == tablebase::Wdl::Loss);
        let [win, draw, loss] = [win, !win && !loss, loss].map(|certain| if certain { WHOLE } else { 0 });
        Wdl { win, draw, loss }
    }

    /// The chances of a `score` where `phase` (0 to 24) of the pieces is left.
    pub fn of(score: Score, phase: i32) -> Wdl {
        if score.is_won() {
            return Wdl { win: WHOLE, draw: 0, loss: 0 };
        }
        if score.is_lost() {
            return Wdl { win: 0, draw: 0, loss: WHOLE };
        }
        let [win, _, loss] =
            WdlCurve::USED.chances(f64::from(score.0), phase).map(|chance| (f64::from(WHOLE) * chance).round() as u32);
        let loss = loss.min(WHOLE - win);
        Wdl { win, draw: WHOLE - win - loss, loss }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.win, self.draw, self.loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Ply;

    #[test]
    fn chances_add_up_and_mirror() {
        for phase in [-1, 0, 7, 24, 40] {
            for score in (-3000..=3000).step_by(50) {
                let (ours, theirs) = (Wdl::of(Score(score), phase), Wdl::of(Score(-score), phase));
                assert_eq!(ours.win + ours.draw + ours.loss, 1000, "{score} at {phase}");
                assert_eq!((ours.win, ours.loss), (theirs.loss, theirs.win), "{score} at {phase}");
            }
        }
    }

    #[test]
    fn more_is_better_and_endings_are_surer() {
        for phase in [0, 24] {
            let wins: Vec<u32> = (-400..=400).step_by(100).map(|score| Wdl::of(Score(score), phase).win).collect();
            assert!(wins.is_sorted() && wins.first() < wins.last(), "{wins:?}");
        }
        assert!(Wdl::of(Score(0), 0).draw > 900 && Wdl::of(Score(400), 0).win > 900);
        assert!((300..700).contains(&Wdl::of(Score(0), 24).draw));
        assert!(Wdl::of(Score(100), 24).win > Wdl::of(Score(100), 0).win);
    }

    #[test]
    fn results_of_the_tables_are_certain() {
        use quarterply_engine::tablebase::Wdl as Known;
        for (result, expected) in [
            (Known::Win, "1000 0 0"),
            (Known::CursedWin, "0 1000 0"),
            (Known::Draw, "0 1000 0"),
            (Known::BlessedLoss, "0 1000 0"),
            (Known::Loss, "0 0 1000"),
        ] {
            assert_eq!(Wdl::known(result).to_string(), expected, "{result:?}");
        }
    }

    #[test]
    fn proven_results_are_certain() {
        assert_eq!(Wdl::of(Score::mate_in(Ply(3)), 10).to_string(), "1000 0 0");
        assert_eq!(Wdl::of(Score::mated_in(Ply(2)), 10).to_string(), "0 0 1000");
        assert_eq!(Wdl::of(Score::tablebase_win_in(Ply(2)), 10).to_string(), "1000 0 0");
    }
}
