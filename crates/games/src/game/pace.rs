//! The limit of each move: a clock, a time, nodes or a depth.

use quarterply_engine::clock::Limits;
use quarterply_files::count;
use shakmaty::{ByColor, Color};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// Time per game and side, and time won by each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Time at the beginning.
    pub base: Duration,
    /// Time won by each move.
    pub increment: Duration,
    /// Moves of a side after which its base time is added again; `None` if the base is for the whole game.
    pub moves: Option<u32>,
    /// A clock may be overdrawn by this much, for delays of pipes and scheduling.
    pub margin: Duration,
}

/// Why a text is not a valid time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a valid time control: expected seconds per game and, after +, seconds per move, both at most {max}, such as 1+0.01, or 40/60+0.5 for 60 seconds per 40 moves",
    max = TIME_MAX.as_secs()
)]
pub struct TimeControlError(String);

/// The longest time of a pace, about 30 years: sums of such times do not overflow.
pub const TIME_MAX: Duration = Duration::from_secs(1_000_000_000);

/// Reads a time in seconds; `None` if it is not a number from 0 to that of [`TIME_MAX`].
pub fn parse_seconds(text: &str) -> Option<Duration> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| *time <= TIME_MAX)
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let wrong = || TimeControlError(text.to_owned());
        let (moves, rest) = match text.trim().split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().ok().filter(|moves| *moves > 0).ok_or_else(wrong)?), rest),
            None => (None, text.trim()),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let base = parse_seconds(base).filter(|base| !base.is_zero()).ok_or_else(wrong)?;
        let increment = parse_seconds(increment).ok_or_else(wrong)?;
        Ok(TimeControl { base, increment, moves, margin: Duration::ZERO })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}+{}", self.base.as_secs_f64(), self.increment.as_secs_f64())
    }
}

/// The limit of each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Time from a clock.
    Clock(TimeControl),
    /// The same time for every move.
    Movetime {
        /// The time.
        time: Duration,
        /// It may be overdrawn by this much.
        margin: Duration,
    },
    /// Nodes per move, whatever time they take: results repeat on every machine.
    Nodes(u64),
    /// Plies per move, whatever time they take.
    Depth(u32),
}

/// Why a text is not a valid pace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a valid pace: expected a time control such as 1+0.01, or nodes=20000, depth=8 or movetime=0.5; times are at most {max} seconds",
    max = TIME_MAX.as_secs()
)]
pub struct PaceError(String);

impl Pace {
    /// The same pace with this margin, if it has a clock.
    #[must_use]
    pub fn with_margin(self, margin: Duration) -> Pace {
        match self {
            Pace::Clock(control) => Pace::Clock(TimeControl { margin, ..control }),
            Pace::Movetime { time, .. } => Pace::Movetime { time, margin },
            Pace::Nodes(_) | Pace::Depth(_) => self,
        }
    }

    /// The nodes of a move, if they are what is limited.
    pub fn nodes(&self) -> Option<u64> {
        match self {
            Pace::Nodes(nodes) => Some(*nodes),
            Pace::Clock(_) | Pace::Movetime { .. } | Pace::Depth(_) => None,
        }
    }

    /// The time control, if there is a clock.
    fn control(&self) -> Option<TimeControl> {
        match self {
            Pace::Clock(control) => Some(*control),
            Pace::Movetime { .. } | Pace::Nodes(_) | Pace::Depth(_) => None,
        }
    }

    /// How much a clock may be overdrawn.
    pub fn margin(&self) -> Duration {
        match self {
            Pace::Clock(TimeControl { margin, .. }) | Pace::Movetime { margin, .. } => *margin,
            Pace::Nodes(_) | Pace::Depth(_) => Duration::ZERO,
        }
    }

    /// Returns true if moves take time from a clock: results then depend on the machine.
    pub fn is_timed(&self) -> bool {
        matches!(self, Pace::Clock(_) | Pace::Movetime { .. })
    }

    /// The time control in the notation of PGN; `-` without a clock.
    pub fn pgn(&self) -> String {
        match self {
            Pace::Clock(control) if control.moves.is_some() && control.increment.is_zero() => {
                control.to_string().trim_end_matches("+0").to_owned()
            }
            Pace::Clock(control) => control.to_string(),
            Pace::Movetime { .. } | Pace::Nodes(_) | Pace::Depth(_) => "-".to_owned(),
        }
    }
}

impl FromStr for Pace {
    type Err = PaceError;

    fn from_str(text: &str) -> Result<Pace, PaceError> {
        let wrong = || PaceError(text.to_owned());
        let Some((kind, value)) = text.trim().split_once('=') else {
            return text.parse().map(Pace::Clock).map_err(|_| wrong());
        };
        let pace = match kind {
            "nodes" => count::parse(value).filter(|nodes| *nodes > 0).map(Pace::Nodes),
            "depth" => value.parse().ok().filter(|depth| *depth > 0).map(Pace::Depth),
            "movetime" => parse_seconds(value)
                .filter(|time| !time.is_zero())
                .map(|time| Pace::Movetime { time, margin: Duration::ZERO }),
            _ => None,
        };
        pace.ok_or_else(wrong)
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Clock(control) => write!(f, "{control}"),
            Pace::Movetime { time, .. } => write!(f, "movetime={}", time.as_secs_f64()),
            Pace::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Pace::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

/// The paces of both sides of a game.
#[derive(Clone, Copy, Debug)]
pub struct Paces(pub ByColor<Pace>);

impl From<Pace> for Paces {
    fn from(pace: Pace) -> Paces {
        Paces(ByColor { white: pace, black: pace })
    }
}

impl From<ByColor<Pace>> for Paces {
    fn from(paces: ByColor<Pace>) -> Paces {
        Paces(paces)
    }
}

/// Both clocks of one game.
pub(super) struct Clocks {
    paces: ByColor<Pace>,
    left: ByColor<Duration>,
    moves: ByColor<u32>,
}

impl Clocks {
    /// The clocks at the beginning of a game.
    pub fn new(Paces(paces): Paces) -> Clocks {
        let left = paces.map(|pace| pace.control().map_or(Duration::ZERO, |control| control.base));
        Clocks { paces, left, moves: ByColor { white: 0, black: 0 } }
    }

    /// The limits of `mover` for its move.
    pub fn limits(&self, mover: Color) -> Limits {
        match *self.paces.get(mover) {
            Pace::Nodes(nodes) => Limits::nodes(nodes),
            Pace::Depth(depth) => Limits::depth(depth),
            Pace::Movetime { time, .. } => Limits { movetime: Some(time), ..Limits::default() },
            // An opponent without a clock counts as one with the mover's time.
            Pace::Clock(TimeControl { increment, moves, .. }) => Limits {
                time: ByColor::new_with(|color| {
                    let has_clock = self.paces.get(color).control().is_some();
                    Some(*self.left.get(if has_clock { color } else { mover }))
                }),
                increment: self.paces.map(|pace| pace.control().map_or(increment, |control| control.increment)),
                moves_to_go: moves.map(|moves| moves - self.moves.get(mover) % moves),
                ..Limits::default()
            },
        }
    }

    /// Takes the time of a move off: what was left before anything was added, or `None` without a clock.
    ///
    /// # Errors
    /// [`TimeExceeded`] if the time was more than there was.
    pub fn stop(&mut self, mover: Color, time: Duration) -> Result<Option<Duration>, TimeExceeded> {
        match *self.paces.get(mover) {
            Pace::Nodes(_) | Pace::Depth(_) => Ok(None),
            Pace::Movetime { time: allowed, margin } if time > allowed + margin => Err(TimeExceeded),
            Pace::Movetime { .. } => Ok(None),
            Pace::Clock(control) => {
                let clock = self.left.get_mut(mover);
                if time > *clock + control.margin {
                    return Err(TimeExceeded);
                }
                let left = clock.saturating_sub(time);
                *clock = left + control.increment;
                let moves = self.moves.get_mut(mover);
                *moves += 1;
                if control.moves.is_some_and(|each| moves.is_multiple_of(each)) {
                    *clock += control.base;
                }
                Ok(Some(left))
            }
        }
    }
}

/// A player took more time than it had.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TimeExceeded;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read_and_written() {
        for (text, base, increment, moves, written) in [
            ("1+0.01", 1000, 10, None, "1+0.01"),
            ("60", 60_000, 0, None, "60+0"),
            (" 0.5+0 ", 500, 0, None, "0.5+0"),
            ("40/60+0.5", 60_000, 500, Some(40), "40/60+0.5"),
            ("40/9", 9000, 0, Some(40), "40/9+0"),
        ] {
            let control: TimeControl = text.parse().expect(text);
            let figures = (control.base.as_millis(), control.increment.as_millis(), control.moves);
            assert_eq!(figures, (base, increment, moves), "{text}");
            assert_eq!(control.to_string(), written);
            assert_eq!(written.parse(), Ok(control));
        }
        // A clock of 1.8e19 s overflowed with the first increment.
        for text in
            ["", "x", "1+", "+1", "-1", "0", "1+-1", "nan", "1e99", "1e10", "1+1e10", "0/60", "/60", "40/", "1/2/3"]
        {
            let error = text.parse::<TimeControl>().expect_err(text).to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("at most 1000000000,"), "{error}");
        }
    }

    #[test]
    fn paces_are_read_and_written() {
        for (text, pgn) in
            [("2+0.02", "2+0.02"), ("40/60+0", "40/60"), ("nodes=20000", "-"), ("depth=8", "-"), ("movetime=0.25", "-")]
        {
            let pace: Pace = text.parse().expect(text);
            assert_eq!((pace.to_string().as_str(), pace.pgn().as_str()), (text, pgn));
            assert_eq!(pace.is_timed(), pgn != "-" || text.starts_with("movetime"), "{text}");
        }
        for text in ["", "nodes=0", "nodes=x", "depth=-1", "movetime=0", "movetime=1e10", "1e10", "speed=3"] {
            let error = text.parse::<Pace>().expect_err(text).to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("at most 1000000000 seconds"), "{error}");
        }
    }

    #[test]
    fn clocks_count_down_and_are_refilled() {
        let ms = Duration::from_millis;
        let pace = "2/1+0.1".parse::<Pace>().expect("a pace").with_margin(ms(50));
        let mut clocks = Clocks::new(pace.into());
        assert_eq!(clocks.limits(Color::White).moves_to_go, Some(2));
        assert_eq!(clocks.stop(Color::White, ms(400)), Ok(Some(ms(600))));
        assert_eq!(clocks.limits(Color::White).moves_to_go, Some(1));
        assert_eq!(clocks.limits(Color::White).time, ByColor { white: Some(ms(700)), black: Some(ms(1000)) });
        // Overdrawn within the margin: nothing is left, and the second period begins.
        assert_eq!(clocks.stop(Color::White, ms(750)), Ok(Some(ms(0))));
        assert_eq!(clocks.limits(Color::White).time.white, Some(ms(1100)));
        assert_eq!(clocks.stop(Color::Black, ms(1051)), Err(TimeExceeded));
    }

    #[test]
    fn each_side_has_its_own_pace() {
        let ms = Duration::from_millis;
        let paces = ByColor { white: "2+0.1".parse().expect("a pace"), black: "movetime=0.5".parse().expect("a pace") };
        let mut clocks = Clocks::new(Paces(paces));
        let limits = clocks.limits(Color::White);
        assert_eq!((limits.time.white, limits.time.black, limits.movetime), (Some(ms(2000)), Some(ms(2000)), None));
        let limits = clocks.limits(Color::Black);
        assert_eq!((limits.time.white, limits.movetime), (None, Some(ms(500))));
        assert_eq!(clocks.stop(Color::White, ms(400)), Ok(Some(ms(1600))));
        assert_eq!(clocks.stop(Color::Black, ms(400)), Ok(None));
        assert_eq!(clocks.stop(Color::Black, ms(600)), Err(TimeExceeded));
        assert_eq!(clocks.limits(Color::White).time.white, Some(ms(1700)));
    }

    #[test]
    fn a_fixed_time_is_checked_by_the_move() {
        let ms = Duration::from_millis;
        let mut clocks = Clocks::new(Pace::Movetime { time: ms(100), margin: ms(20) }.into());
        assert_eq!(clocks.limits(Color::Black).movetime, Some(ms(100)));
        assert_eq!(clocks.stop(Color::White, ms(120)), Ok(None));
        assert_eq!(clocks.stop(Color::White, ms(121)), Err(TimeExceeded));
    }
}
