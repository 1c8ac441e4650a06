//! From the news of a search to the lines a GUI reads, not more of them than it can use.
//!
//! Exact lines are written at once while they are few, and the latest of each rank is kept back while they are many. Bounds
//! and the current move are only of interest in a long search. Before the best move the latest lines are written in any case,
//! so that the last first line always begins with the best move.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use quarterply_engine::report::{Event, Outcome, Report};
use quarterply_engine::score::{Bound, Score};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position as _};

use crate::info::{BestMove, Info};
use crate::output::Output;
use crate::wdl::Wdl;

/// Before this a bound will soon be replaced by a score.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);
/// Before this nobody can follow the current move.
const CURRENT_AFTER: Duration = Duration::from_secs(3);
/// Lines that may come at once.
const BURST: f64 = 100.0;
/// Lines a second after that.
const LINES_PER_SECOND: f64 = 25.0;

/// How scores and moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// How castling is written.
    pub castling: CastlingMode,
    /// Are chances shown?
    pub wdl: bool,
    /// Lines to show.
    pub lines: usize,
}

/// The first line that a search has written, for whoever has to answer in its stead. Once that has happened the search says no more.
#[derive(Clone, Default, Debug)]
pub struct Told(Arc<Mutex<Standing>>);

#[derive(Default, Debug)]
struct Standing {
    line: Vec<Move>,
    closed: bool,
}

impl Told {
    /// The line that was written last, and silence from now on. `None` if there is no line yet, or while one is being written.
    pub fn close(&self) -> Option<Vec<Move>> {
        let mut standing = match self.0.try_lock() {
            Ok(standing) => standing,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        if standing.line.is_empty() {
            return None;
        }
        standing.closed = true;
        Some(standing.line.clone())
    }

    /// Is this the line that was written last?
    fn is(&self, line: &[Move]) -> bool {
        let standing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !standing.line.is_empty() && standing.line == line
    }

    /// Does `write` unless somebody else has answered; it is a first line if `line` is given.
    fn write(&self, line: Option<&[Move]>, write: impl FnOnce()) {
        let mut standing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if standing.closed {
            return;
        }
        write();
        if let Some(line) = line {
            standing.line = line.to_vec();
        }
    }
}

/// Writes what one search has to say.
pub struct Reporter {
    output: Output,
    manner: Manner,
    root: Chess,
    phase: i32,
    /// The latest report of each rank, and whether it has been written.
    latest: Vec<(Report, bool)>,
    /// The first line as last written.
    told: Told,
    allowance: Allowance,
}

impl Reporter {
    /// A reporter of a search of `root`, where `phase` of the pieces are left.
    pub fn new(output: Output, manner: Manner, root: Chess, phase: i32, told: Told) -> Reporter {
        Reporter { output, manner, root, phase, latest: Vec::new(), told, allowance: Allowance::default() }
    }

    /// The latest report of each rank.
    pub fn lines(&self) -> Vec<Report> {
        self.latest.iter().map(|(report, _)| report.clone()).collect()
    }

    /// Takes in one piece of news; breaks off when nobody is listening any more.
    pub fn hear(&mut self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Line(report) => self.line(report),
            Event::Current { mv, number, depth } => self.current(*mv, *number, *depth),
            Event::Best { .. } => {}
        }
        if self.output.broken() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn line(&mut self, report: &Report) {
        self.allowance.now(report.time);
        if report.bound != Bound::Exact {
            if report.time >= BOUNDS_AFTER && self.shown(report.number) && self.allowance.take() {
                self.write(report);
            }
            return;
        }
        let index = report.number.saturating_sub(1);
        if index < self.latest.len() {
            self.latest[index] = (report.clone(), false);
        } else {
            self.latest.push((report.clone(), false));
        }
        if self.allowance.take() {
            self.flush();
        }
    }

    fn current(&mut self, mv: Move, number: u32, depth: u32) {
        if self.allowance.time >= CURRENT_AFTER && self.allowance.take() {
            let current = Some(UciMove::from_move(mv, self.manner.castling));
            let info = Info { depth: Some(depth), current, current_number: Some(number), ..Info::default() };
            self.told.write(None, || self.output.line(info));
        }
    }

    /// Notes the time of news that carry none.
    pub fn clock(&mut self, time: Duration) {
        self.allowance.now(time);
    }

    /// Writes what is still unwritten, ends with a first line that begins with the best move, and returns the answer.
    pub fn close(&mut self, outcome: &Outcome, chosen: Option<&Report>) -> BestMove {
        self.flush();
        let mut report = chosen.unwrap_or(&outcome.report).clone();
        let (best, reply) = match chosen {
            Some(report) => (report.line.first().copied(), report.line.get(1).copied()),
            None => (outcome.best, outcome.ponder),
        };
        if report.line.first().copied() != best {
            report.line = best.into_iter().collect();
        }
        if !self.told.is(&report.line) {
            report.number = 1;
            self.write(&report);
        }
        answer(&self.root, self.manner.castling, best, reply)
    }

    fn shown(&self, number: usize) -> bool {
        number <= self.manner.lines
    }

    fn flush(&mut self) {
        for index in 0..self.latest.len().min(self.manner.lines) {
            if !self.latest[index].1 {
                self.latest[index].1 = true;
                let report = self.latest[index].0.clone();
                self.write(&report);
            }
        }
    }

    fn write(&mut self, report: &Report) {
        let wdl = self.manner.wdl.then(|| Wdl::of(report.score, self.phase));
        let info = Info::from_report(report, self.manner.castling, wdl);
        let first = (report.number == 1).then_some(report.line.as_slice());
        self.told.write(first, || self.output.line(info));
    }
}

/// The answer of a search: moves that cannot be played are left out.
pub fn answer(root: &Chess, castling: CastlingMode, best: Option<Move>, reply: Option<Move>) -> BestMove {
    let legal = best.filter(|mv| root.is_legal(*mv));
    let after = legal.and_then(|mv| root.clone().play(mv).ok());
    let notate = |mv: Move| UciMove::from_move(mv, castling);
    BestMove {
        best: legal.map(notate),
        ponder: after.and_then(|position| reply.filter(|mv| position.is_legal(*mv))).map(notate),
    }
}

/// The answer where there is no legal move: the game is over.
pub fn over(checked: bool) -> Info {
    let score = if checked { Score::mated_in(quarterply_engine::score::Ply::ROOT) } else { Score::DRAW };
    Info { depth: Some(0), value: Some(score.into()), ..Info::default() }
}

/// How many more lines may be written: a store that fills with time.
struct Allowance {
    time: Duration,
    lines: f64,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { time: Duration::ZERO, lines: BURST }
    }
}

impl Allowance {
    fn now(&mut self, time: Duration) {
        let passed = time.saturating_sub(self.time);
        self.lines = (self.lines + passed.as_secs_f64() * LINES_PER_SECOND).min(BURST);
        self.time = self.time.max(time);
    }

    fn take(&mut self) -> bool {
        let allowed = self.lines >= 1.0;
        if allowed {
            self.lines -= 1.0;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tape;

    fn report(game: &Chess, depth: u32, moves: &[&str], milliseconds: u64) -> Report {
        let mut position = game.clone();
        let line = moves.iter().map(|text| {
            let mv = text.parse::<UciMove>().expect("a move").to_move(&position).expect("legal");
            position.play_unchecked(mv);
            mv
        });
        Report {
            depth,
            seldepth: depth,
            number: 1,
            score: Score(depth as i32),
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::from_millis(milliseconds),
            hashfull: 5000,
            tbhits: 0,
            line: line.collect(),
        }
    }

    fn outcome(report: &Report) -> Outcome {
        let (best, ponder) = (report.line.first().copied(), report.line.get(1).copied());
        Outcome { best, ponder, report: report.clone(), nodes: 1, time: report.time }
    }

    fn reporter(tape: &Tape, lines: usize) -> Reporter {
        let manner = Manner { castling: CastlingMode::Standard, wdl: false, lines };
        Reporter::new(Output::new(tape.clone()), manner, Chess::default(), 24, Told::default())
    }

    #[test]
    fn something_is_said_before_the_best_move_even_if_the_search_said_nothing() {
        let tape = Tape::default();
        let last = report(&Chess::default(), 1, &["e2e4", "e7e5"], 0);
        let answer = reporter(&tape, 1).close(&outcome(&last), None);
        assert_eq!(answer.to_string(), "bestmove e2e4 ponder e7e5");
        assert_eq!(tape.lines().len(), 1);
        assert!(
            tape.lines()[0].contains("score cp 1 ") && tape.lines()[0].ends_with("pv e2e4 e7e5"),
            "{:?}",
            tape.lines()
        );
        assert!(tape.lines()[0].contains("hashfull 1000"), "never more than full");
    }

    #[test]
    fn many_lines_at_once_are_thinned_and_the_last_one_still_comes() {
        let tape = Tape::default();
        let mut reporter = reporter(&tape, 1);
        let start = Chess::default();
        for depth in 1..=1000 {
            let first = if depth == 1000 { "d2d4" } else { "e2e4" };
            assert!(reporter.hear(&Event::Line(&report(&start, depth, &[first], 1))).is_continue());
        }
        let written = tape.lines().len();
        assert!((50..=150).contains(&written), "{written}");
        let answer = reporter.close(&outcome(&report(&start, 1000, &["d2d4"], 1)), None);
        assert_eq!(answer.to_string(), "bestmove d2d4");
        assert!(tape.lines().last().is_some_and(|line| line.ends_with("pv d2d4")), "{:?}", tape.lines().last());
    }

    #[test]
    fn the_last_first_line_begins_with_the_best_move() {
        let tape = Tape::default();
        let mut reporter = reporter(&tape, 1);
        let start = Chess::default();
        let first = report(&start, 1, &["e2e4", "e7e5"], 0);
        let _ = reporter.hear(&Event::Line(&first));
        let other = report(&start, 2, &["g1f3"], 0);
        let outcome = Outcome { best: Some(other.line[0]), ponder: None, ..outcome(&first) };
        assert_eq!(reporter.close(&outcome, None).to_string(), "bestmove g1f3");
        assert!(tape.lines().last().is_some_and(|line| line.ends_with("pv g1f3")), "{:?}", tape.lines());
    }

    #[test]
    fn a_reply_that_is_not_legal_is_left_out() {
        let tape = Tape::default();
        let start = Chess::default();
        let first = report(&start, 1, &["e2e4"], 0);
        let outcome = Outcome { ponder: Some(first.line[0]), ..outcome(&first) };
        assert_eq!(reporter(&tape, 1).close(&outcome, None).to_string(), "bestmove e2e4");
    }

    #[test]
    fn the_current_move_is_told_only_in_a_long_search() {
        let tape = Tape::default();
        let mut reporter = reporter(&tape, 1);
        let mv = report(&Chess::default(), 1, &["e2e4"], 0).line[0];
        let event = Event::Current { mv, number: 3, depth: 9 };
        let _ = reporter.hear(&event);
        reporter.clock(Duration::from_millis(2900));
        let _ = reporter.hear(&event);
        assert!(tape.lines().is_empty());
        reporter.clock(Duration::from_millis(3001));
        let _ = reporter.hear(&event);
        assert_eq!(tape.lines(), ["info depth 9 currmove e2e4 currmovenumber 3"]);
    }

    #[test]
    fn bounds_are_flagged_and_wait_a_second() {
        let tape = Tape::default();
        let mut reporter = reporter(&tape, 1);
        for (time, bound) in [(10, Bound::Lower), (1500, Bound::Upper), (1600, Bound::Lower)] {
            let _ = reporter.hear(&Event::Line(&Report { bound, ..report(&Chess::default(), 4, &["e2e4"], time) }));
        }
        let lines = tape.lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("score cp 4 upperbound") && lines[1].contains("score cp 4 lowerbound"), "{lines:?}");
    }

    #[test]
    fn chances_are_shown_on_request() {
        let tape = Tape::default();
        let manner = Manner { castling: CastlingMode::Standard, wdl: true, lines: 1 };
        let mut reporter = Reporter::new(Output::new(tape.clone()), manner, Chess::default(), 24, Told::default());
        let _ = reporter.hear(&Event::Line(&report(&Chess::default(), 4, &["e2e4"], 0)));
        assert!(tape.lines()[0].contains(" wdl "), "{:?}", tape.lines());
    }

    #[test]
    fn a_search_that_was_answered_for_says_no_more() {
        let tape = Tape::default();
        let told = Told::default();
        let manner = Manner { castling: CastlingMode::Standard, wdl: false, lines: 1 };
        let mut reporter = Reporter::new(Output::new(tape.clone()), manner, Chess::default(), 24, told.clone());
        assert_eq!(told.close(), None, "nothing was said yet");
        let first = report(&Chess::default(), 1, &["e2e4", "e7e5"], 0);
        let _ = reporter.hear(&Event::Line(&first));
        assert_eq!(told.close(), Some(first.line.clone()));
        let _ = reporter.hear(&Event::Line(&report(&Chess::default(), 2, &["d2d4"], 0)));
        reporter.close(&outcome(&report(&Chess::default(), 3, &["g1f3"], 0)), None);
        assert_eq!(tape.lines().len(), 1, "{:?}", tape.lines());
    }

    #[test]
    fn games_that_are_over() {
        assert_eq!(over(true).to_string(), "info depth 0 score mate 0");
        assert_eq!(over(false).to_string(), "info depth 0 score cp 0");
    }
}
