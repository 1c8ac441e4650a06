//! The kind of a solution, as far as it is cheap to compute.

use quarterply_engine::evaluator::phase;
use quarterply_engine::position::{Position, is_quiet};
use quarterply_engine::score::Score;
use shakmaty::Move;

/// Largest game phase that counts as an endgame: two rooks and a minor piece each are more.
const ENDGAME_PHASE_MAX: i32 = 8;

/// A property of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Theme {
    /// It forces mate.
    Mate,
    /// It averts a loss and wins nothing.
    Defence,
    /// It loses material on its square.
    Sacrifice,
    /// Neither check nor capture nor promotion.
    Quiet,
    /// It gives check.
    Check,
    /// It captures.
    Capture,
    /// A pawn promotes.
    Promotion,
    /// Few pieces are left.
    Endgame,
}

impl Theme {
    /// The themes of `mv`, which is worth `score`; `saves` if it wins nothing.
    pub fn of(position: &Position, mv: Move, score: Score, saves: bool) -> Vec<Theme> {
        let check = position.gives_check(&position.check_info(), mv);
        let all = [
            (Theme::Mate, score.is_terminal()),
            (Theme::Defence, saves),
            (Theme::Sacrifice, !position.see_ge(mv, Score::ZERO)),
            (Theme::Quiet, is_quiet(mv) && !check),
            (Theme::Check, check),
            (Theme::Capture, mv.is_capture()),
            (Theme::Promotion, mv.is_promotion()),
            (Theme::Endgame, phase(position.board()) <= ENDGAME_PHASE_MAX),
        ];
        all.into_iter().filter(|(_, holds)| *holds).map(|(theme, _)| theme).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Ply;
    use quarterply_files::epd::parse_line;

    #[test]
    fn themes_are_recognized() {
        let mate = Score::mate_in(Ply(3));
        for (line, score, saves, expected) in [
            ("4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5;", Score(900), false, &[Theme::Capture, Theme::Endgame][..]),
            (
                "r1bq1rk1/ppppnppp/2n5/8/3P4/3B1N2/PPP2PPP/R1BQ1RK1 w - - bm Bxh7+;",
                Score(300),
                false,
                &[Theme::Sacrifice, Theme::Check, Theme::Capture],
            ),
            (
                "r1bq1rk1/ppppnppp/2n5/8/3P4/3B1N2/PPP2PPP/R1BQ1RK1 w - - bm Ng5;",
                Score(0),
                true,
                &[Theme::Defence, Theme::Quiet],
            ),
            ("7k/8/8/8/8/1R6/R7/K7 w - - bm Rg2;", mate, false, &[Theme::Mate, Theme::Quiet, Theme::Endgame]),
            (
                "7k/P7/8/8/8/8/8/K7 w - - bm a8=Q+;",
                mate,
                false,
                &[Theme::Mate, Theme::Check, Theme::Promotion, Theme::Endgame],
            ),
        ] {
            let record = parse_line(line, 1).expect(line);
            let position = Position::from_chess(record.position.clone());
            assert_eq!(Theme::of(&position, record.best[0], score, saves), expected, "{line}");
        }
    }
}
