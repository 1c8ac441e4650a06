//! Watching one search for the solution.

use super::{Stop, SuiteRow};
use quarterply_engine::score::Score;
use quarterply_files::epd::Record;
use quarterply_games::solver::SolverEvent;
use shakmaty::Move;
use std::ops::ControlFlow;

/// First iteration that counts when the search stops at the first sight of a solution.
const FOUND_DEPTH_MIN: u32 = 2;

/// The criteria for a solved position.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveCriteria {
    best: Vec<Move>,
    avoid: Vec<Move>,
    mate: Option<i32>,
}

impl SolveCriteria {
    /// The task of a record. If it has points only, the moves with most points are the solution.
    pub fn new(record: &Record) -> SolveCriteria {
        let mut best = record.best.clone();
        if best.is_empty() && record.avoid.is_empty() && record.mate.is_none() {
            let most = record.points_max();
            best = record.points.iter().filter(|(_, points)| *points == most).map(|(mv, _)| *mv).collect();
        }
        SolveCriteria { best, avoid: record.avoid.clone(), mate: record.mate }
    }

    /// Returns true if this move with this score is a solution.
    pub fn solved_by(&self, mv: Move, score: Option<Score>) -> bool {
        let announced = score.and_then(Score::mate_moves);
        let mates = self.mate.is_none_or(|limit| {
            announced
                .is_some_and(|moves| moves.signum() == limit.signum() && moves.unsigned_abs() <= limit.unsigned_abs())
        });
        mates && !self.avoid.contains(&mv) && (self.best.is_empty() || self.best.contains(&mv))
    }
}

/// An uninterrupted interval with a solution as best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SolvedInterval {
    mv: Move,
    nodes: u64,
    depth: u32,
}

/// Follows the best move of one search.
#[derive(Clone, Debug)]
pub struct BestMoveWatch {
    task: SolveCriteria,
    stop: Stop,
    first: Option<u64>,
    interval: Option<SolvedInterval>,
    score: Option<Score>,
    deepest: u32,
    settled: Option<SolvedInterval>,
}

impl BestMoveWatch {
    /// A watch that has seen nothing yet.
    pub fn new(task: SolveCriteria, stop: Stop) -> BestMoveWatch {
        BestMoveWatch { task, stop, first: None, interval: None, score: None, deepest: 0, settled: None }
    }

    /// Records an event of the search; returns `Break` if the search may stop.
    pub fn record_event(&mut self, event: SolverEvent) -> ControlFlow<()> {
        let (SolverEvent::Best { depth, .. } | SolverEvent::Iteration(depth)) = event;
        self.deepest = self.deepest.max(depth);
        self.check_held();
        if let SolverEvent::Best { mv, depth, nodes, score } = event {
            self.record_best(mv, depth, nodes, score);
        }
        if self.settled.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Ends the search once the interval has lasted over enough iterations: those before the deepest one are finished.
    fn check_held(&mut self) {
        if let (Stop::Held(count), Some(interval), None) = (self.stop, self.interval, self.settled)
            && self.deepest - interval.depth >= count
        {
            self.settled = Some(interval);
        }
    }

    fn record_best(&mut self, mv: Move, depth: u32, nodes: u64, score: Option<Score>) {
        self.score = score.or(self.score);
        let counts = self.stop != Stop::WhenFound || depth >= FOUND_DEPTH_MIN;
        if self.settled.is_some() || !counts {
            return;
        }
        if !self.task.solved_by(mv, score) {
            self.interval = None;
            return;
        }
        self.first.get_or_insert(nodes);
        let start = self.interval.map_or((nodes, depth), |old| (old.nodes, old.depth));
        let interval = SolvedInterval { mv, nodes: start.0, depth: start.1 };
        self.interval = Some(interval);
        if self.stop == Stop::WhenFound {
            self.settled = Some(interval);
        }
    }

    /// Fills in `row` once the search has ended with `best` after `nodes`; an unsolved position costs `cap` nodes. Returns the move that
    /// counts as the final one.
    pub fn finish(&self, best: Option<Move>, nodes: u64, cap: u64, row: &mut SuiteRow) -> Option<Move> {
        let best = self.settled.map(|interval| interval.mv).or(best);
        let solved = self.settled.is_some() || best.is_some_and(|mv| self.task.solved_by(mv, self.score));
        row.solved = solved;
        if solved {
            let stable = self.settled.or(self.interval).map_or(nodes, |interval| interval.nodes);
            row.nodes_stable = stable.min(cap);
            row.nodes_first = self.first.unwrap_or(nodes).min(cap);
        } else {
            row.nodes_first = cap;
            row.nodes_stable = cap;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Ply;
    use quarterply_files::epd::parse_line;

    const CAP: u64 = 1000;

    fn record(operations: &str) -> Record {
        parse_line(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {operations}"), 1).expect("a good line")
    }

    /// Plays a search given as (move, depth, nodes) and returns solved, first, stable, and how many events it allowed.
    fn play(operations: &str, stop: Stop, events: &[(&str, u32, u64)], nodes: u64) -> (bool, u64, u64, usize) {
        let record = record(operations);
        let mut watch = BestMoveWatch::new(SolveCriteria::new(&record), stop);
        let mut seen = 0;
        let mut last = None;
        for (text, depth, nodes) in events {
            let mv = quarterply_files::epd::parse_move(&record.position, "bm", text).expect(text);
            last = Some(mv);
            seen += 1;
            if watch.record_event(SolverEvent::Best { mv, depth: *depth, nodes: *nodes, score: None }).is_break() {
                break;
            }
        }
        let mut row = SuiteRow::default();
        watch.finish(last, nodes, CAP, &mut row);
        (row.solved, row.nodes_first, row.nodes_stable, seen)
    }

    #[test]
    fn first_and_stable_are_counted_as_documented() {
        let wanders = [("e3", 1, 5), ("e4", 2, 20), ("e3", 3, 60), ("e4", 4, 200), ("e4", 5, 400)];
        for (name, operations, stop, events, expected) in [
            ("lost and found again", "bm e4;", Stop::AtLimit, &wanders[..], (true, 20, 200, 5)),
            ("lost at the end", "bm e4;", Stop::AtLimit, &wanders[..3], (false, CAP, CAP, 3)),
            ("never", "bm Kd1;", Stop::AtLimit, &wanders[..], (false, CAP, CAP, 5)),
            ("any of several", "bm e3 e4;", Stop::AtLimit, &wanders[..], (true, 5, 5, 5)),
            ("avoided", "am e3;", Stop::AtLimit, &wanders[..], (true, 20, 200, 5)),
            ("best and avoid", "bm e3 e4; am e3;", Stop::AtLimit, &wanders[..], (true, 20, 200, 5)),
            ("only points", "c0 \"e4=10, e3=9\";", Stop::AtLimit, &wanders[..], (true, 20, 200, 5)),
            ("stop at once", "bm e4;", Stop::WhenFound, &wanders[..], (true, 20, 20, 2)),
            ("first iteration", "bm e3;", Stop::WhenFound, &wanders[..], (true, 60, 60, 3)),
            ("held for one", "bm e4;", Stop::Held(1), &wanders[..], (true, 20, 20, 3)),
            ("held for two", "bm e4;", Stop::Held(2), &wanders[..], (true, 20, 200, 5)),
            ("no events", "bm e4;", Stop::AtLimit, &[], (false, CAP, CAP, 0)),
        ] {
            assert_eq!(play(operations, stop, events, 500), expected, "{name}");
        }
    }

    #[test]
    fn nothing_costs_more_than_the_cap() {
        let late = [("e4", 9, CAP + 70)];
        assert_eq!(play("bm e4;", Stop::AtLimit, &late, CAP + 100), (true, CAP, CAP, 1));
    }

    #[test]
    fn a_final_move_that_was_never_announced_counts_from_the_end() {
        let record = record("bm e4;");
        let watch = BestMoveWatch::new(SolveCriteria::new(&record), Stop::AtLimit);
        let mut row = SuiteRow::default();
        assert_eq!(watch.finish(Some(record.best[0]), 300, CAP, &mut row), Some(record.best[0]));
        assert_eq!((row.solved, row.nodes_first, row.nodes_stable), (true, 300, 300));
    }

    #[test]
    fn a_mate_must_be_announced_and_short_enough() {
        let any = record("dm 3;");
        let exact = record("bm e4; dm 3;");
        let (good, other) = (exact.best[0], record("bm e3;").best[0]);
        for (score, mv, any_move, this_move) in [
            (Some(Score::mate_in(Ply(5))), good, true, true),
            (Some(Score::mate_in(Ply(5))), other, true, false),
            (Some(Score::mate_in(Ply(7))), good, false, false),
            (Some(Score::mated_in(Ply(4))), good, false, false),
            (Some(Score(900)), good, false, false),
            (None, good, false, false),
        ] {
            assert_eq!(SolveCriteria::new(&any).solved_by(mv, score), any_move, "{score:?}");
            assert_eq!(SolveCriteria::new(&exact).solved_by(mv, score), this_move, "{score:?}");
        }
    }

    #[test]
    fn a_mate_against_the_side_to_move_must_be_announced_and_short_enough() {
        let mated = record("bm #-2;");
        let mv = record("bm e4;").best[0];
        for (score, solved) in [
            (Some(Score::mated_in(Ply(2))), true),
            (Some(Score::mated_in(Ply(4))), true),
            (Some(Score::mated_in(Ply(6))), false),
            (Some(Score::mate_in(Ply(3))), false),
            (Some(Score(-900)), false),
            (None, false),
        ] {
            assert_eq!(SolveCriteria::new(&mated).solved_by(mv, score), solved, "{score:?}");
        }
        // The number has no positive counterpart.
        let ever = SolveCriteria::new(&record("dm -2147483648;"));
        assert!(ever.solved_by(mv, Some(Score::mated_in(Ply(6)))));
    }
}
