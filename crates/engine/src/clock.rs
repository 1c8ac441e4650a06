//! Time management: limits of a search, and the time allotted to a move from a game clock.
//!
//! The soft limit, scaled by the stability of the best move, is tested after each iteration; the hard limit is tested
//! at any point. A reserve is never allotted. It grows with the measured delays: on a busy machine the search may be
//! suspended for 0.1 s and more. When less than the reserve is left, only a part of the increment is spent, so that the
//! time recovers. This is the only file of the engine that reads a clock. WebAssembly has no clock: there the host
//! provides [`Instant`].
//!
//! Nodes can replace time (`nodes_per_ms`): games are then the same on every machine, and time management can be tuned
//! on busy machines.

#[cfg(any(test, target_arch = "wasm32"))]
pub mod hosted;

#[cfg(target_arch = "wasm32")]
pub use hosted::Instant;
#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;

use crate::position::Position;
use crate::score::Score;
use shakmaty::{ByColor, Color, Move};
use std::time::Duration;

crate::params! {
    /// moves for which the time must last at the start of a game; if the time control has a number of moves, the
    /// greatest number that counts (moves)
    moves_to_go = 38 in 5..=60 by 1;
    /// decrease of `moves_to_go` with each move of the game (percent of a move)
    moves_to_go_fall = 90 in 0..=150 by 10;
    /// least value of `moves_to_go` with an increment (moves)
    moves_to_go_min = 8 in 4..=40 by 1;
    /// least value of `moves_to_go` without an increment (moves)
    sudden_death_min = 32 in 4..=60 by 1;
    /// share of the increment added to the soft limit (percent)
    increment_share = 75 in 0..=100 by 5;
    /// time kept in reserve for delays outside the engine (milliseconds)
    reserve = 80 in 0..=1000 by 10;
    /// share of the recently measured delay that is added to the reserve (percent)
    delay_share = 150 in 0..=400 by 10;
    /// share of a measured delay that is kept at the next move (percent)
    delay_memory = 98 in 0..=100 by 1;
    /// reserve without an increment (percent of the reserve with one)
    sudden_death = 1000 in 100..=2000 by 50;
    /// least usable share of the remaining time, however large the reserve (percent)
    usable_min = 10 in 1..=50 by 1;
    /// hard limit as a multiple of the soft one (percent)
    hard_factor = 260 in 100..=1000 by 20;
    /// greatest share of the usable time for one move, unless it is the last of the time control (percent)
    hard_share = 40 in 5..=90 by 5;
    /// deduction for each iteration without a change of the best move (percent of the soft limit)
    stability_step = 9 in 0..=20 by 1;
    /// greatest number of iterations that counts for `stability_step` (iterations)
    stability_max = 8 in 1..=20 by 1;
    /// factor when the best move is new (percent of the soft limit)
    unstable = 110 in 50..=250 by 5;
    /// addition for each pawn by which the score has fallen in three iterations (percent of the soft limit)
    fall_step = 45 in 0..=200 by 5;
    /// greatest fall that counts for `fall_step` (pawns/100)
    fall_max = 80 in 0..=300 by 10;
    /// factor when the best move took none of the nodes (percent of the soft limit)
    effort_base = 180 in 100..=250 by 5;
    /// deduction from `effort_base` when the best move took all nodes (percent of the soft limit)
    effort_slope = 110 in 0..=200 by 5;
    /// factor when there is only one legal move (percent of the soft limit)
    only_move = 10 in 1..=100 by 5;
    /// nodes that count as a millisecond, so that games by the clock are the same on every machine; 0: the time is measured (nodes)
    nodes_per_ms = 0 in 0..=100000 by 50;
}

const PERCENT: u32 = 100;
/// In a millisecond.
const MICROSECONDS: u64 = 1000;

/// The limits of a search. The default has none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// The last iteration (plies).
    pub depth: Option<u32>,
    /// Number of nodes at which the search stops, even inside an iteration.
    pub nodes: Option<u64>,
    /// Number of nodes after which no iteration begins: the last iteration is completed.
    pub soft_nodes: Option<u64>,
    /// Exact time of the search.
    pub movetime: Option<Duration>,
    /// Stop at a mate by either side in at most this number of moves.
    pub mate: Option<u32>,
    /// Remaining time of each side.
    pub time: ByColor<Option<Duration>>,
    /// Increment of each side, added after each of its moves.
    pub increment: ByColor<Duration>,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Search until stopped, whatever time is given.
    pub infinite: bool,
    /// Search in the opponent's time until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves to search; all if empty.
    pub search_moves: Vec<Move>,
    /// Lines to report; 0 counts as 1.
    pub lines: usize,
    /// Search with one thread, so that the result is reproducible.
    pub single_thread: bool,
    /// Time lost on each move between the engine and the clock. It is deducted from the remaining time, or from
    /// `movetime` up to a tenth.
    pub overhead: Duration,
    /// When the time began to run, if that was before the search started.
    pub since: Option<Instant>,
}

/// Time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allotment {
    /// Do not begin another iteration after this time, which the stability of the search scales.
    pub soft: Duration,
    /// Stop the search at this time, even inside an iteration.
    pub hard: Duration,
    /// True if all of the time is used, whatever the stability of the search.
    pub exact: bool,
}

/// The greatest recent delay, during which the engine did not run. It decays with each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delays(Duration);

impl Delays {
    /// Records the longest delay of one move; zero if there was none.
    pub fn note(&mut self, p: &Params, delay: Duration) {
        // A machine that was put to sleep for an hour is not that slow.
        const LONGEST: Duration = Duration::from_secs(1);
        let decayed = self.0 * p.delay_memory as u32 / PERCENT;
        self.0 = decayed.max(delay.min(LONGEST));
    }

    /// The time to keep back.
    fn reserve(self, p: &Params, increment: Duration) -> Duration {
        let late = if p.nodes_per_ms > 0 { Duration::ZERO } else { self.0 };
        let reserve = Duration::from_millis(p.reserve as u64) + late * p.delay_share as u32 / PERCENT;
        if increment.is_zero() { reserve * p.sudden_death as u32 / PERCENT } else { reserve }
    }
}

/// The side to move and the number of its move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Side to move.
    pub color: Color,
    /// Number of the move, 1 for the first of each side.
    pub number: u32,
}

impl Turn {
    /// The turn in this position.
    pub fn of(position: &Position) -> Turn {
        Turn { color: position.turn(), number: position.fullmoves() }
    }
}

impl Limits {
    /// At most this number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Iterations up to this depth (plies).
    pub fn depth(plies: u32) -> Limits {
        Limits { depth: Some(plies), ..Limits::default() }
    }

    /// The time for one move, given the measured `delays`; `None` if the time is not limited.
    pub fn allot(&self, p: &Params, turn: Turn, delays: Delays) -> Option<Allotment> {
        const LEAST: Duration = Duration::from_millis(1);
        /// A fixed time is to be used: at most this part of it is kept back.
        const OVERHEAD_PART: u32 = 10;
        if self.infinite {
            return None;
        }
        if let Some(time) = self.movetime {
            let time = time.saturating_sub(self.overhead.min(time / OVERHEAD_PART)).max(LEAST);
            return Some(Allotment { soft: time, hard: time, exact: true });
        }
        let remaining = (*self.time.get(turn.color))?;
        let increment = *self.increment.get(turn.color);
        let reserve = delays.reserve(p, increment);
        let left = remaining.saturating_sub(self.overhead);
        let usable = left.saturating_sub(reserve).max(left * p.usable_min as u32 / PERCENT).max(LEAST);
        let whole = p.moves_to_go as u32;
        let moves = match self.moves_to_go {
            None | Some(0) => moves_expected(p, turn.number, increment),
            Some(to_go) => to_go.min(whole),
        };
        let soft = usable / moves + refilling(increment, left, reserve) * p.increment_share as u32 / PERCENT;
        let ceiling = if moves == 1 { usable } else { usable * p.hard_share as u32 / PERCENT };
        let hard = (soft * p.hard_factor as u32 / PERCENT).min(ceiling).max(LEAST);
        Some(Allotment { soft: soft.min(hard), hard, exact: false })
    }
}

/// For how many moves the remaining time must last. Games are decided in the middle: what comes after that is worth less, and where there is an
/// increment it will do.
fn moves_expected(p: &Params, number: u32, increment: Duration) -> u32 {
    let whole = p.moves_to_go as u32;
    let least = if increment.is_zero() { p.sudden_death_min } else { p.moves_to_go_min } as u32;
    let fallen = number.saturating_sub(1).saturating_mul(p.moves_to_go_fall as u32) / PERCENT;
    whole.saturating_sub(fallen).max(whole.min(least))
}

/// The part of the increment that may be spent: all of it while the reserve is whole, soon little when it is not, so that the clock
/// recovers before the next delay.
fn refilling(increment: Duration, left: Duration, reserve: Duration) -> Duration {
    let whole = reserve.as_millis().max(1) as u32;
    let there = left.min(reserve).as_millis() as u32;
    increment * there / whole * there / whole
}

/// The stability of the search in thread 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStability {
    /// Iterations since the last change of the best move.
    pub stable: u32,
    /// Decrease of the score in the last three iterations; negative if it rose.
    pub fall: Score,
    /// Share of all nodes spent on the best move (permille).
    pub effort: u32,
    /// True if there is only one legal move.
    pub only_move: bool,
}

/// The part of the soft limit to use (percent), given the stability of the search.
pub fn soft_limit_percent(p: &Params, settled: SearchStability) -> u32 {
    const PERMILLE: i32 = 1000;
    const PAWN: i32 = 100;
    let percent = PERCENT as i32;
    let stability = p.unstable - p.stability_step * (settled.stable as i32).min(p.stability_max);
    let fall = percent + p.fall_step * settled.fall.0.clamp(0, p.fall_max) / PAWN;
    let effort = p.effort_base - p.effort_slope * settled.effort as i32 / PERMILLE;
    let only_move = if settled.only_move { p.only_move } else { percent };
    let factors = [stability.max(1), fall, effort.max(1), only_move];
    let product: i64 = factors.into_iter().map(i64::from).product();
    (product / i64::from(percent).pow(3)).max(1) as u32
}

/// A running clock. Queries pass the number of nodes since the search began.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// When the search began; a restart leaves it alone.
    begun: Instant,
    /// From when on the time counts.
    start: Instant,
    allotment: Option<Allotment>,
    last_check: Instant,
    delay: Duration,
    /// Nodes that count as a millisecond; 0 if the time is measured.
    nodes_per_ms: u32,
    /// Nodes that had been made when the clock was started.
    first_node: u64,
}

impl Clock {
    /// Starts a clock with the time that `limits` allow for this turn, at `limits.since` if it is set, else now.
    pub fn start(limits: &Limits, p: &Params, turn: Turn, delays: Delays) -> Clock {
        let clock = Clock::unlimited();
        let allotment = limits.allot(p, turn, delays);
        let nodes_per_ms = p.nodes_per_ms as u32;
        let start = limits.since.unwrap_or(clock.start);
        Clock { begun: start, start, allotment, nodes_per_ms, ..clock }
    }

    /// A clock without limits.
    pub fn unlimited() -> Clock {
        let now = Instant::now();
        let (allotment, delay) = (None, Duration::ZERO);
        Clock { begun: now, start: now, allotment, last_check: now, delay, nodes_per_ms: 0, first_node: 0 }
    }

    /// Time since the start or the last restart, from which limits count; by nodes if these replace time.
    pub fn elapsed(&self, nodes: u64) -> Duration {
        self.since(self.start, nodes.saturating_sub(self.first_node))
    }

    /// Time since the search began, including pondering, from which reports count; by nodes if these replace time.
    pub fn total(&self, nodes: u64) -> Duration {
        self.since(self.begun, nodes)
    }

    /// Time since this moment, after which `nodes` nodes were searched.
    fn since(&self, moment: Instant, nodes: u64) -> Duration {
        match u64::from(self.nodes_per_ms) {
            0 => moment.elapsed(),
            each => Duration::from_micros(nodes.saturating_mul(MICROSECONDS) / each),
        }
    }

    /// Restarts the time of limits, because the opponent has played the expected move. The total time continues.
    pub fn restart(&mut self, nodes: u64) {
        let Clock { begun, allotment, nodes_per_ms, .. } = *self;
        *self = Clock { begun, allotment, nodes_per_ms, first_node: nodes, ..Clock::unlimited() };
    }

    /// The node that reaches the hard limit, if nodes replace time.
    pub fn last_node(&self) -> Option<u64> {
        let allotment = self.allotment.filter(|_| self.nodes_per_ms > 0)?;
        let nodes = (allotment.hard.as_micros() as u64).saturating_mul(u64::from(self.nodes_per_ms)) / MICROSECONDS;
        Some(self.first_node.saturating_add(nodes.max(1)))
    }

    /// Returns true at the hard limit. A search calls this about once a millisecond; a longer gap is recorded as a
    /// delay.
    pub fn expired(&mut self, nodes: u64) -> bool {
        if let Some(last) = self.last_node() {
            return nodes >= last;
        }
        let now = Instant::now();
        self.delay = self.delay.max(now.saturating_duration_since(self.last_check));
        self.last_check = now;
        self.allotment.is_some_and(|a| now.saturating_duration_since(self.start) >= a.hard)
    }

    /// The longest time between two calls of [`Clock::expired`].
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// Returns true if no other iteration should begin. Pondering counts as well, because its results need not be
    /// searched again.
    pub fn enough(&self, p: &Params, settled: SearchStability, nodes: u64) -> bool {
        (self.allotment)
            .is_some_and(|a| !a.exact && self.total(nodes) * PERCENT >= a.soft * soft_limit_percent(p, settled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const WHITE: Turn = Turn { color: Color::White, number: 1 };
    const BLACK: Turn = Turn { color: Color::Black, number: 1 };

    fn limits(left: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        let mut limits = Limits { moves_to_go, overhead: Duration::from_millis(10), ..Limits::default() };
        limits.time.white = Some(Duration::from_millis(left));
        limits.increment.white = Duration::from_millis(increment);
        limits
    }

    /// White's time for the first move.
    fn allot(p: &Params, limits: &Limits) -> Allotment {
        limits.allot(p, WHITE, Delays::default()).expect("a clock")
    }

    #[test]
    fn no_clock_gives_more_than_it_has() {
        for left in [0, 1, 5, 11, 100, 1000, 60_000, 7_200_000] {
            for increment in [0, 10, 5000] {
                for to_go in [None, Some(0), Some(1), Some(2), Some(40)] {
                    let a = allot(&Params::DEFAULT, &limits(left, increment, to_go));
                    let [least, most] = [1, left.saturating_sub(10).max(1)].map(Duration::from_millis);
                    let within = a.soft <= a.hard && least <= a.hard && a.hard <= most;
                    assert!(within, "{left} {increment} {to_go:?} {a:?}");
                }
            }
        }
    }

    #[test]
    fn only_the_mover_s_clock_counts() {
        assert!(limits(1000, 0, None).allot(&Params::DEFAULT, BLACK, Delays::default()).is_none());
        assert!(Limits::default().allot(&Params::DEFAULT, WHITE, Delays::default()).is_none());
    }

    /// `go infinite movetime 60` stopped thinking after 60 ms.
    #[test]
    fn an_infinite_search_is_allotted_no_time() {
        let movetime = Limits { movetime: Some(Duration::from_millis(60)), ..Limits::default() };
        for limits in [movetime, limits(1000, 10, None)] {
            assert!(limits.allot(&Params::DEFAULT, WHITE, Delays::default()).is_some(), "{limits:?}");
            let infinite = Limits { infinite: true, ..limits };
            assert!(infinite.allot(&Params::DEFAULT, WHITE, Delays::default()).is_none(), "{infinite:?}");
        }
    }

    #[test]
    fn the_turn_is_that_of_the_position() {
        let fen = "8/1p3pk1/p2p2p1/3Pp2p/1P2P2P/P3K1P1/8/8 b - - 0 35";
        assert_eq!(Turn::of(testing::game(fen).position()), Turn { color: Color::Black, number: 35 });
    }

    #[test]
    fn time_must_last_for_fewer_moves_later_in_the_game() {
        let p = Params {
            moves_to_go: 38,
            moves_to_go_fall: 90,
            moves_to_go_min: 8,
            sudden_death_min: 16,
            reserve: 200,
            ..Params::DEFAULT
        };
        let expected = |p: &Params, increment: u64| {
            [0, 1, 2, 3, 11, 34, 35, 36, 500, u32::MAX].map(|n| moves_expected(p, n, Duration::from_millis(increment)))
        };
        assert_eq!(expected(&p, 20), [38, 38, 38, 37, 29, 9, 8, 8, 8, 8]);
        assert_eq!(expected(&p, 0), [38, 38, 38, 37, 29, 16, 16, 16, 16, 16], "what is spent does not come back");
        assert_eq!(expected(&Params { moves_to_go_fall: 0, ..p }, 20), [38; 10]);
        assert_eq!(expected(&Params { moves_to_go: 6, ..p }, 20), [6; 10], "the minimum does not exceed the total");
        // The number of moves to the time control applies instead, up to the usual number.
        let soft = |moves_to_go, number| {
            let turn = Turn { number, ..WHITE };
            limits(10_200, 20, moves_to_go).allot(&p, turn, Delays::default()).expect("a clock").soft.as_millis()
        };
        // The reserve and the overhead are not part of it, and a control that was named does not shrink.
        for (to_go, number, moves) in
            [(None, 1, 38), (Some(40), 1, 38), (None, 11, 29), (Some(30), 11, 30), (Some(5), 11, 5), (Some(40), 61, 38)]
        {
            assert_eq!(soft(to_go, number), 9990 / moves + 15, "{to_go:?} {number}");
        }
    }

    #[test]
    fn movetime_is_used_up_to_the_overhead() {
        let [movetime, overhead, used, most] = [500, 30, 470, 450].map(Duration::from_millis);
        let limits = Limits { movetime: Some(movetime), overhead, ..Limits::default() };
        let a = allot(&Params::DEFAULT, &limits);
        assert_eq!((a.soft, a.hard), (used, used));
        let large = Limits { overhead: Duration::from_secs(5), ..limits.clone() };
        assert_eq!(allot(&Params::DEFAULT, &large).hard, most, "a tenth at most is kept back of a fixed time");
        let p = Params { nodes_per_ms: 1, ..Params::DEFAULT };
        let clock = Clock::start(&limits, &p, WHITE, Delays::default());
        assert!(!clock.enough(&p, SearchStability { only_move: true, ..SearchStability::default() }, 469));
    }

    /// Before the last move of a control, and where the increment is much of the time that is left, the soft limit is the hard one.
    #[test]
    fn the_only_move_is_made_soon_on_every_clock() {
        let p = Params { nodes_per_ms: 1, ..Params::DEFAULT };
        let only = SearchStability { stable: 4, only_move: true, ..SearchStability::default() };
        for limits in [limits(5000, 0, Some(1)), limits(1200, 600, None), limits(60_000, 0, None)] {
            let a = allot(&p, &limits);
            let clock = Clock::start(&limits, &p, WHITE, Delays::default());
            let third = a.hard.as_millis() as u64 / 3;
            assert!(clock.enough(&p, only, third) && !clock.enough(&p, only, 1), "{limits:?}: {a:?}");
        }
    }

    /// After `ponderhit`, the search of the opponent's time was repeated: a move took twice the time.
    #[test]
    fn time_of_the_opponent_counts_as_thought_about_the_move() {
        let p = Params { nodes_per_ms: 1, ..Params::DEFAULT };
        let limits = Limits { since: None, ..limits(60_000, 600, None) };
        let settled = SearchStability { stable: 2, effort: 500, ..SearchStability::default() };
        let mut clock = Clock::start(&limits, &p, WHITE, Delays::default());
        let soft = allot(&p, &limits).soft;
        let enough = (soft * soft_limit_percent(&p, settled) / PERCENT).as_millis() as u64 + 1;
        for (pondered, since, expected) in
            [(enough, 0, true), (enough / 2, 0, false), (enough / 2, enough / 2 + 2, true)]
        {
            clock.restart(pondered);
            assert_eq!(clock.enough(&p, settled, pondered + since), expected, "{pondered} {since}");
        }
    }

    #[test]
    fn a_settled_search_takes_less_time() {
        let p = Params::DEFAULT;
        let new = SearchStability { effort: 400, ..SearchStability::default() };
        let old = SearchStability { stable: 8, ..new };
        let (falling, clear) = (SearchStability { fall: Score(60), ..old }, SearchStability { effort: 950, ..old });
        let only = SearchStability { only_move: true, ..new };
        let [new, old, falling, clear, only] = [new, old, falling, clear, only].map(|s| soft_limit_percent(&p, s));
        assert!(old < new && falling > old && clear < old, "{new} {old} {falling} {clear}");
        assert_eq!(only, new * p.only_move as u32 / PERCENT, "the only move is made soon");
    }

    /// A game on a simulated clock: a search takes what it was allotted, stretched at random, and `delay` more with one of `every` moves. Returns
    /// the least time that was left, `None` if the clock ran out.
    fn simulated(p: &Params, base: u64, increment: u64, delay: u64, every: u64, mut draw: u64) -> Option<Duration> {
        const MOVES: u32 = 150;
        let mut left = Duration::from_millis(base);
        let mut least = left;
        let mut delays = Delays::default();
        let mut next = |bound: u64| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (draw >> 33) % bound
        };
        let phase = next(every);
        for number in 0..MOVES {
            let limits = limits(left.as_millis() as u64, increment, None);
            let a = limits.allot(p, Turn { number: number + 1, ..WHITE }, delays)?;
            let (stable, fall, effort) = (next(9) as u32, Score(next(100) as i32 - 40), 200 + next(800) as u32);
            let settled = SearchStability { stable, fall, effort, only_move: false };
            let late = if u64::from(number) % every == phase { Duration::from_millis(delay) } else { Duration::ZERO };
            let taken = (a.soft * soft_limit_percent(p, settled) / PERCENT).min(a.hard);
            // The engine stops late, and its answer is under way for a millisecond.
            left = left.checked_sub(taken + late + Duration::from_millis(1))?;
            least = least.min(left);
            left += Duration::from_millis(increment);
            delays.note(p, late);
        }
        Some(least)
    }

    /// The reserve covers a delay as long as itself at any time; measured delays have enlarged it.
    #[test]
    fn delays_within_the_reserve_or_met_before_cost_no_game() {
        const GAMES: u64 = 200;
        for (base, increment, delay, every) in [
            (1000, 10, 100, 40),
            (2000, 20, 200, 20),
            (8000, 80, 200, 5),
            (8000, 80, 400, 12),
            (1000, 10, 20, 3),
            (60_000, 0, 200, 20),
            (60_000, 600, 1000, 30),
        ] {
            let lost =
                (1..=GAMES).filter(|&seed| simulated(&Params::DEFAULT, base, increment, delay, every, seed).is_none());
            assert_eq!(lost.count(), 0, "of {GAMES} games at {base}+{increment}, {delay} ms late every {every} moves");
        }
    }

    #[test]
    fn the_clock_is_not_run_down_to_the_increment() {
        for (base, increment) in [(1000, 10), (2000, 20), (10_000, 100)] {
            for seed in 1..50 {
                let p = Params::DEFAULT;
                let least = simulated(&p, base, increment, 0, 1, seed).expect("time is left");
                assert!(least >= Duration::from_millis(p.reserve as u64) * 9 / 10, "{base}+{increment}: {least:?}");
            }
        }
    }

    #[test]
    fn measured_delays_enlarge_the_reserve_and_fade() {
        let p = Params::DEFAULT;
        let soft = |delays: Delays| limits(3000, 0, None).allot(&p, WHITE, delays).expect("a clock").soft;
        let mut delays = Delays::default();
        let calm = soft(delays);
        delays.note(&p, Duration::from_millis(400));
        let nervous = soft(delays);
        assert!(nervous < calm, "{nervous:?} {calm:?}");
        for _ in 0..400 {
            delays.note(&p, Duration::ZERO);
        }
        assert!(soft(delays) > calm - Duration::from_millis(1));
        delays.note(&p, Duration::from_secs(3600));
        let reserve = delays.reserve(&p, Duration::from_secs(1));
        assert!(reserve < Duration::from_secs(3), "a suspended machine is not measured");
    }

    #[test]
    fn the_clock_runs_from_the_request_and_notes_delays() {
        const EARLIER: Duration = Duration::from_millis(700);
        let mut limits = limits(60_000, 0, None);
        limits.since = Instant::now().checked_sub(EARLIER);
        let mut clock = Clock::start(&limits, &Params::DEFAULT, WHITE, Delays::default());
        assert!(clock.elapsed(0) >= EARLIER);
        assert!(!clock.expired(0) && clock.delay() < EARLIER);
        std::thread::sleep(Duration::from_millis(30));
        assert!(!clock.expired(0) && clock.delay() >= Duration::from_millis(30));
    }

    #[test]
    fn nodes_may_stand_for_time() {
        let p = Params { nodes_per_ms: 50, ..Params::DEFAULT };
        let limits = Limits { since: None, ..limits(3000, 0, None) };
        let mut busy = Delays::default();
        busy.note(&p, Duration::from_millis(400));
        let a = limits.allot(&p, WHITE, busy).expect("a clock");
        assert_eq!(Some(a), limits.allot(&p, WHITE, Delays::default()), "delays cost no nodes");
        let mut clock = Clock::start(&limits, &p, WHITE, busy);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!((clock.elapsed(0), clock.elapsed(120)), (Duration::ZERO, Duration::from_micros(2400)));
        let last = clock.last_node().expect("a limit");
        assert_eq!(last, a.hard.as_micros() as u64 * 50 / 1000);
        assert_eq!((clock.expired(last - 1), clock.expired(last), clock.delay()), (false, true, Duration::ZERO));
        let settled = SearchStability { effort: 500, ..SearchStability::default() };
        let soft =
            a.soft.as_micros() as u64 * 50 / 1000 * u64::from(soft_limit_percent(&p, settled)) / u64::from(PERCENT);
        assert_eq!([soft - 60, soft + 60].map(|nodes| clock.enough(&p, settled, nodes)), [false, true]);
        clock.restart(1000);
        assert_eq!((clock.elapsed(1000), clock.last_node()), (Duration::ZERO, Some(1000 + last)));
        // A limit of an age does not overflow.
        let age = Limits { movetime: Some(Duration::from_secs(u64::from(u32::MAX) * 1_000_000)), ..Limits::default() };
        assert!(Clock::start(&age, &p, WHITE, busy).last_node() > Some(u64::from(u32::MAX)));
        let unlimited = Clock::start(&Limits::default(), &p, WHITE, busy);
        assert_eq!((unlimited.last_node(), unlimited.elapsed(50)), (None, Duration::from_millis(1)));
    }

    /// The restart set the reported time back to zero, while the reported nodes went on.
    #[test]
    fn a_restart_does_not_set_the_total_time_back() {
        const PONDERED: Duration = Duration::from_millis(700);
        let mut limits = limits(60_000, 0, None);
        limits.since = Instant::now().checked_sub(PONDERED);
        let mut clock = Clock::start(&limits, &Params::DEFAULT, WHITE, Delays::default());
        clock.restart(1000);
        assert!(clock.elapsed(1000) < PONDERED && clock.total(1000) >= PONDERED);
        let p = Params { nodes_per_ms: 50, ..Params::DEFAULT };
        let mut counted = Clock::start(&limits, &p, WHITE, Delays::default());
        counted.restart(1000);
        let [since_hit, in_all] = [10, 30].map(Duration::from_millis);
        assert_eq!((counted.elapsed(1500), counted.total(1500)), (since_hit, in_all));
    }

    /// Every parameter of the clock changes the time allotted somewhere.
    #[test]
    fn every_parameter_is_felt() {
        let cases =
            [limits(60_000, 1000, None), limits(3000, 0, None), limits(60_000, 20_000, Some(2)), limits(100, 10, None)];
        let settled = [
            SearchStability::default(),
            SearchStability { stable: 20, fall: Score(400), effort: 1000, only_move: false },
            SearchStability { only_move: true, ..SearchStability::default() },
            SearchStability { stable: 3, fall: Score(30), effort: 500, only_move: false },
        ];
        let felt = |p: &Params| -> Vec<Duration> {
            let mut delays = Delays::default();
            delays.note(p, Duration::from_millis(300));
            delays.note(p, Duration::ZERO);
            let turns = [WHITE, Turn { number: 20, ..WHITE }, Turn { number: 90, ..WHITE }];
            let allotted = cases.iter().flat_map(|l| turns.map(|turn| l.allot(p, turn, delays)));
            let times = allotted.flatten().flat_map(|a| [a.soft, a.hard]);
            let last = Clock::start(&cases[0], p, WHITE, delays).last_node().unwrap_or_default();
            let stretched = settled.iter().map(|&s| Duration::from_millis(soft_limit_percent(p, s).into()));
            times.chain(stretched).chain([Duration::from_micros(last)]).collect()
        };
        let start = Params::DEFAULT;
        let usual = felt(&start);
        for spec in Params::SPECS {
            let changed = [spec.min, spec.max].into_iter().any(|value| {
                let mut p = start;
                p.assign(spec.name, value);
                felt(&p) != usual
            });
            assert!(changed, "clock.{} is not felt", spec.name);
        }
    }
}
