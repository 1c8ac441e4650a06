//! Turns the events of a search into UCI lines, and limits their number.
//!
//! All lines of an iteration are written together. If there are too many lines, whole iterations are skipped. Bounds and the current move are
//! written only in long searches. The final lines are always written before the best move: one for each rank, each with a different move and with
//! all nodes of the search. The first begins with the best move.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use quarterply_engine::report::{ProgressEvent, SearchOutcome, SearchReport};
use quarterply_engine::score::Score;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position as _};

use crate::info::{BestMove, Info};
use crate::output::Output;
use crate::wdl::Wdl;

/// Bounds are not reported before this time: a score replaces them soon.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);
/// The current move is not reported before this time: it changes too fast to follow.
const CURRENT_AFTER: Duration = Duration::from_secs(3);
/// Lines that may be written at once.
const BURST: f64 = 100.0;
/// Lines a second after that.
const LINES_PER_SECOND: f64 = 25.0;

/// How scores and moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutputFormat {
    /// How castling is written.
    pub castling: CastlingMode,
    /// True if win-draw-loss probabilities are shown.
    pub wdl: bool,
    /// Lines to show.
    pub lines: usize,
}

/// The line that a search has reported, for the thread that answers in its place if it is late. After that the search writes nothing.
#[derive(Clone, Default, Debug)]
pub struct ReportedLine(Arc<Mutex<ReportedState>>);

#[derive(Default, Debug)]
struct ReportedState {
    line: Vec<Move>,
    closed: bool,
}

impl ReportedLine {
    /// Returns the last reported line and blocks further output. `None` if no line was reported yet, or while one is being written.
    pub fn close(&self) -> Option<Vec<Move>> {
        let mut state = match self.0.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        if state.line.is_empty() {
            return None;
        }
        state.closed = true;
        Some(state.line.clone())
    }

    /// Returns true if this is the line that was written last.
    fn is(&self, line: &[Move]) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !state.line.is_empty() && state.line == line
    }

    /// Calls `write` unless another thread has answered; `line` is recorded as the reported line if it is given.
    fn write(&self, line: Option<&[Move]>, write: impl FnOnce()) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return;
        }
        write();
        if let Some(line) = line {
            state.line = line.to_vec();
        }
    }
}

/// Writes the output of one search.
pub struct Reporter {
    output: Output,
    output_format: OutputFormat,
    root: Chess,
    phase: i32,
    /// The reports of the latest iteration, one for each rank.
    latest: Vec<SearchReport>,
    /// True if they were written.
    written: bool,
    /// The first line as last written.
    reported: ReportedLine,
    allowance: LineAllowance,
}

impl Reporter {
    /// A reporter of a search of `root`, where `phase` of the pieces are left.
    pub fn new(
        output: Output,
        output_format: OutputFormat,
        root: Chess,
        phase: i32,
        reported: ReportedLine,
    ) -> Reporter {
        Reporter {
            output,
            output_format,
            root,
            phase,
            latest: Vec::new(),
            written: true,
            reported,
            allowance: LineAllowance::default(),
        }
    }

    /// Processes one event of the search; breaks when the output is closed.
    pub fn on_event(&mut self, event: &ProgressEvent) -> ControlFlow<()> {
        match event {
            ProgressEvent::Iteration(lines) => self.iteration(lines),
            ProgressEvent::Bound(report) => self.bound(report),
            ProgressEvent::Current { mv, number, depth } => self.current(*mv, *number, *depth),
            ProgressEvent::Best { .. } => {}
        }
        if self.output.broken() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&mut self, lines: &[SearchReport]) {
        self.allowance.now(lines.first().map_or(Duration::ZERO, |report| report.time));
        (self.latest, self.written) = (lines.to_vec(), false);
        if self.allowance.take(lines.len().min(self.output_format.lines)) {
            self.flush();
        }
    }

    fn bound(&mut self, report: &SearchReport) {
        self.allowance.now(report.time);
        if report.time >= BOUNDS_AFTER && report.number <= self.output_format.lines && self.allowance.take(1) {
            self.write(report);
        }
    }

    fn current(&mut self, mv: Move, number: u32, depth: u32) {
        if self.allowance.time >= CURRENT_AFTER && self.allowance.take(1) {
            let current = Some(UciMove::from_move(mv, self.output_format.castling));
            let info = Info { depth: Some(depth), current, current_number: Some(number), ..Info::default() };
            self.reported.write(None, || self.output.line(info));
        }
    }

    /// Notes the time of an event that has none.
    pub fn clock(&mut self, time: Duration) {
        self.allowance.now(time);
    }

    /// Writes the final lines unless they were written already, and returns the answer. The line at index `chosen` is played and moves to the
    /// front; the others keep their order.
    pub fn close(&mut self, outcome: &SearchOutcome, chosen: usize) -> BestMove {
        let mut lines = outcome.lines.clone();
        if let Some(first) = lines.get_mut(..=chosen) {
            first.rotate_right(1);
        }
        for (index, report) in lines.iter_mut().enumerate() {
            report.number = index + 1;
        }
        let first = lines.first().map_or(Vec::new(), |report| report.line.clone());
        // A bound that was written since may begin with another move.
        if !same(&lines, &self.latest) || !self.reported.is(&first) {
            (self.latest, self.written) = (lines, false);
        }
        self.flush();
        answer(&self.root, self.output_format.castling, first.first().copied(), first.get(1).copied())
    }

    /// Writes the latest lines unless they were written.
    fn flush(&mut self) {
        if self.written {
            return;
        }
        self.written = true;
        for report in self.latest.iter().take(self.output_format.lines) {
            self.write(report);
        }
    }

    fn write(&self, report: &SearchReport) {
        let wdl = || report.table.map_or_else(|| Wdl::of(report.score, self.phase), Wdl::known);
        let wdl = self.output_format.wdl.then(wdl);
        let info = Info::from_report(report, self.output_format.castling, wdl);
        let first = (report.number == 1).then_some(report.line.as_slice());
        self.reported.write(first, || self.output.line(info));
    }
}

/// Returns true if these reports have equal lines, scores, depths and nodes.
fn same(lines: &[SearchReport], others: &[SearchReport]) -> bool {
    let content = |report: &'_ SearchReport| (report.depth, report.score, report.bound, report.nodes);
    let equal = |(one, other): (&SearchReport, &SearchReport)| content(one) == content(other) && one.line == other.line;
    lines.len() == others.len() && lines.iter().zip(others).all(equal)
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

/// The answer for a position without legal moves.
pub fn over(checked: bool) -> Info {
    let score = if checked { Score::mated_in(quarterply_engine::score::Ply::ROOT) } else { Score::DRAW };
    Info { depth: Some(0), value: Some(score.into()), ..Info::default() }
}

/// A token bucket: how many more lines may be written.
struct LineAllowance {
    time: Duration,
    lines: f64,
}

impl Default for LineAllowance {
    fn default() -> LineAllowance {
        LineAllowance { time: Duration::ZERO, lines: BURST }
    }
}

impl LineAllowance {
    fn now(&mut self, time: Duration) {
        let passed = time.saturating_sub(self.time);
        self.lines = (self.lines + passed.as_secs_f64() * LINES_PER_SECOND).min(BURST);
        self.time = self.time.max(time);
    }

    /// Takes `lines` if anything is left. The rest may become negative; nothing is allowed then until it has filled again.
    fn take(&mut self, lines: usize) -> bool {
        let allowed = self.lines >= 1.0;
        if allowed {
            self.lines -= lines as f64;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, SharedBuffer};
    use quarterply_engine::score::Bound;

    fn report(game: &Chess, depth: u32, moves: &[&str], milliseconds: u64) -> SearchReport {
        let mut position = game.clone();
        let line = moves.iter().map(|text| {
            let mv = text.parse::<UciMove>().expect("a move").to_move(&position).expect("legal");
            position.play_unchecked(mv);
            mv
        });
        let time = Duration::from_millis(milliseconds);
        SearchReport { time, hashfull: 5000, ..testing::report(depth, Score(depth as i32), line.collect()) }
    }

    fn outcome(lines: &[SearchReport]) -> SearchOutcome {
        let (report, lines) = (lines[0].clone(), lines.to_vec());
        let (best, ponder) = (report.line.first().copied(), report.line.get(1).copied());
        SearchOutcome { best, ponder, time: report.time, report, lines, nodes: 1 }
    }

    /// A reporter of this number of lines, and what it writes.
    fn reporter(lines: usize) -> (SharedBuffer, Reporter) {
        let (buffer, castling) = (SharedBuffer::default(), CastlingMode::Standard);
        let (output, output_format) = (Output::new(buffer.clone()), OutputFormat { castling, wdl: false, lines });
        (buffer, Reporter::new(output, output_format, Chess::default(), 24, ReportedLine::default()))
    }

    fn on_iteration(reporter: &mut Reporter, lines: &[SearchReport]) {
        assert!(reporter.on_event(&ProgressEvent::Iteration(lines)).is_continue());
    }

    #[test]
    fn a_line_precedes_the_best_move_even_if_the_search_reported_none() {
        let (buffer, mut reporter) = reporter(1);
        let answer = reporter.close(&outcome(&[report(&Chess::default(), 1, &["e2e4", "e7e5"], 0)]), 0);
        assert_eq!(answer.to_string(), "bestmove e2e4 ponder e7e5");
        let lines = buffer.lines();
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("score cp 1 ") && lines[0].ends_with("pv e2e4 e7e5"), "{lines:?}");
        assert!(lines[0].contains("hashfull 1000"), "never more than full");
    }

    #[test]
    fn many_lines_at_once_are_thinned_and_the_last_one_still_comes() {
        let (buffer, mut reporter) = reporter(1);
        let start = Chess::default();
        for depth in 1..=1000 {
            let first = if depth == 1000 { "d2d4" } else { "e2e4" };
            on_iteration(&mut reporter, &[report(&start, depth, &[first], 1)]);
        }
        let written = buffer.lines().len();
        assert!((50..=150).contains(&written), "{written}");
        let answer = reporter.close(&outcome(&[report(&start, 1000, &["d2d4"], 1)]), 0);
        assert_eq!(answer.to_string(), "bestmove d2d4");
        assert!(buffer.lines().last().is_some_and(|line| line.ends_with("pv d2d4")), "{:?}", buffer.lines().last());
    }

    /// One line for each of the start position's first moves.
    fn iteration(depth: u32, count: usize) -> Vec<SearchReport> {
        let start = Chess::default();
        let moves = start.legal_moves();
        let line = |index: usize| SearchReport {
            number: index + 1,
            line: vec![moves[index]],
            ..report(&start, depth, &[], 1)
        };
        (0..count).map(line).collect()
    }

    /// Single lines were counted, so that output stopped in the middle of an iteration.
    #[test]
    fn an_iteration_is_written_completely_or_not_at_all() {
        for count in [3, 20] {
            let (buffer, mut reporter) = reporter(count);
            for depth in 1..=200 {
                on_iteration(&mut reporter, &iteration(depth, count));
            }
            let lines = buffer.lines();
            assert!((BURST as usize..BURST as usize + count).contains(&lines.len()), "{count}: {}", lines.len());
            for (index, line) in lines.iter().enumerate() {
                let (depth, number) = (index / count + 1, index % count + 1);
                assert!(line.starts_with(&format!("info depth {depth} ")), "{count}: {line}");
                assert!(line.contains(&format!(" multipv {number} ")), "{count}: {line}");
            }
        }
    }

    /// The final lines came from two iterations: one move had two ranks, and another had none.
    #[test]
    fn the_final_lines_have_all_ranks_and_each_move_once() {
        let (buffer, mut reporter) = reporter(3);
        let before = iteration(4, 3);
        on_iteration(&mut reporter, &before);
        let mut lines = before.clone();
        lines.rotate_right(1);
        lines[0].depth = 5;
        for (index, report) in lines.iter_mut().enumerate() {
            report.number = index + 1;
        }
        reporter.close(&outcome(&lines), 0);
        let written: Vec<Info> = buffer.lines().iter().map(|line| line.parse().expect("a line")).collect();
        let expected = lines.iter().map(|report| Info::from_report(report, CastlingMode::Standard, None));
        assert_eq!(written[before.len()..], expected.collect::<Vec<_>>());
    }

    #[test]
    fn written_lines_are_not_repeated() {
        let (buffer, mut reporter) = reporter(3);
        let lines = iteration(4, 3);
        on_iteration(&mut reporter, &lines);
        let best = lines[0].line[0].to_uci(CastlingMode::Standard);
        assert_eq!(reporter.close(&outcome(&lines), 0).to_string(), format!("bestmove {best}"));
        assert_eq!(buffer.lines().len(), lines.len());
    }

    #[test]
    fn the_chosen_line_comes_first_and_the_others_keep_their_order() {
        let (buffer, mut reporter) = reporter(4);
        let lines = iteration(4, 4);
        on_iteration(&mut reporter, &lines);
        let answer = reporter.close(&outcome(&lines), 2);
        let [first, second, third, fourth] =
            [0, 1, 2, 3].map(|at: usize| lines[at].line[0].to_uci(CastlingMode::Standard));
        assert_eq!(answer.best, Some(third));
        let written: Vec<Info> =
            buffer.lines()[lines.len()..].iter().map(|line| line.parse().expect("a line")).collect();
        let moves: Vec<&UciMove> = written.iter().map(|info| &info.line[0]).collect();
        assert_eq!(moves, [&third, &first, &second, &fourth]);
        assert_eq!(written.iter().map(|info| info.number).collect::<Vec<_>>(), [1, 2, 3, 4].map(Some));
    }

    #[test]
    fn the_last_first_line_begins_with_the_best_move() {
        let (buffer, mut reporter) = reporter(1);
        let start = Chess::default();
        let first = report(&start, 1, &["e2e4", "e7e5"], 0);
        let other = report(&start, 2, &["g1f3"], 1500);
        for outcome in [&other, &first].map(|report| outcome(std::slice::from_ref(report))) {
            on_iteration(&mut reporter, std::slice::from_ref(&first));
            let _ = reporter.on_event(&ProgressEvent::Bound(&SearchReport { bound: Bound::Lower, ..other.clone() }));
            let best = UciMove::from_standard(outcome.lines[0].line[0]).to_string();
            let answer = reporter.close(&outcome, 0).to_string();
            assert!(answer.starts_with(&format!("bestmove {best}")), "{answer}");
            let lines = buffer.lines();
            assert!(lines.last().is_some_and(|line| line.contains(&format!(" pv {best}"))), "{lines:?}");
        }
    }

    #[test]
    fn a_reply_that_is_not_legal_is_left_out() {
        let (_, mut reporter) = reporter(1);
        let mut first = report(&Chess::default(), 1, &["e2e4"], 0);
        first.line.push(first.line[0]);
        assert_eq!(reporter.close(&outcome(&[first]), 0).to_string(), "bestmove e2e4");
    }

    #[test]
    fn the_current_move_is_reported_only_in_a_long_search() {
        let (buffer, mut reporter) = reporter(1);
        let mv = report(&Chess::default(), 1, &["e2e4"], 0).line[0];
        let event = ProgressEvent::Current { mv, number: 3, depth: 9 };
        let _ = reporter.on_event(&event);
        reporter.clock(Duration::from_millis(2900));
        let _ = reporter.on_event(&event);
        assert!(buffer.lines().is_empty());
        reporter.clock(Duration::from_millis(3001));
        let _ = reporter.on_event(&event);
        assert_eq!(buffer.lines(), ["info depth 9 currmove e2e4 currmovenumber 3"]);
    }

    #[test]
    fn bounds_are_flagged_and_wait_a_second() {
        let (buffer, mut reporter) = reporter(1);
        for (time, bound) in [(10, Bound::Lower), (1500, Bound::Upper), (1600, Bound::Lower)] {
            let _ = reporter.on_event(&ProgressEvent::Bound(&SearchReport {
                bound,
                ..report(&Chess::default(), 4, &["e2e4"], time)
            }));
        }
        let lines = buffer.lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("score cp 4 upperbound") && lines[1].contains("score cp 4 lowerbound"), "{lines:?}");
    }

    #[test]
    fn chances_are_shown_on_request() {
        let (buffer, mut reporter) = reporter(1);
        reporter.output_format.wdl = true;
        on_iteration(&mut reporter, &[report(&Chess::default(), 4, &["e2e4"], 0)]);
        assert!(buffer.lines()[0].contains(" wdl "), "{:?}", buffer.lines());
        let table = Some(quarterply_engine::tablebase::Wdl::Draw);
        let known = SearchReport { table, ..report(&Chess::default(), 5, &["e2e4"], 0) };
        on_iteration(&mut reporter, &[known]);
        assert!(buffer.lines()[1].contains(" wdl 0 1000 0 "), "{:?}", buffer.lines());
    }

    #[test]
    fn an_answered_search_prints_nothing_more() {
        let (buffer, mut reporter) = reporter(1);
        let reported = reporter.reported.clone();
        assert_eq!(reported.close(), None, "nothing was said yet");
        let first = report(&Chess::default(), 1, &["e2e4", "e7e5"], 0);
        on_iteration(&mut reporter, std::slice::from_ref(&first));
        assert_eq!(reported.close(), Some(first.line.clone()));
        on_iteration(&mut reporter, &[report(&Chess::default(), 2, &["d2d4"], 0)]);
        reporter.close(&outcome(&[report(&Chess::default(), 3, &["g1f3"], 0)]), 0);
        assert_eq!(buffer.lines().len(), 1, "{:?}", buffer.lines());
    }

    #[test]
    fn games_that_are_over() {
        assert_eq!(over(true).to_string(), "info depth 0 score mate 0");
        assert_eq!(over(false).to_string(), "info depth 0 score cp 0");
    }
}
