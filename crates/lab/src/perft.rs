//! [`perft`] in parallel, and suites of published counts.

use quarterply_engine::perft::perft;
use quarterply_engine::position::{Game, Position};
use quarterply_files::epd::{Record, Suite};
use rayon::prelude::*;
use shakmaty::Move;

/// [`perft`] of every root move, in parallel on the current rayon pool, in the order of generation.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let moves = position.legal_moves();
    let count = |mv: &Move| (*mv, perft(&position.play(*mv), depth.saturating_sub(1), &|| false));
    moves.as_slice().par_iter().map(count).collect()
}

/// [`perft`] in parallel on the current rayon pool.
pub fn perft_parallel(position: &Position, depth: u32) -> u64 {
    match depth {
        0 | 1 => perft(position, depth, &|| false),
        _ => divide(position, depth).iter().map(|(_, count)| count).sum(),
    }
}

/// One count of a suite, given and found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftCheck {
    /// The line of the suite.
    pub line: usize,
    /// The position.
    pub fen: String,
    /// The depth.
    pub depth: u32,
    /// The count of the suite.
    pub expected: u64,
    /// The count that was found.
    pub found: u64,
}

impl PerftCheck {
    /// Returns true if both agree.
    pub fn agrees(&self) -> bool {
        self.expected == self.found
    }
}

/// Counts every given depth up to `depth_max` of one position.
pub fn check_record(record: &Record, depth_max: u32) -> Vec<PerftCheck> {
    let game = Game::from_chess(record.position.clone(), record.mode);
    let selected = record.counts.iter().filter(|(depth, _)| *depth <= depth_max);
    selected
        .map(|(depth, expected)| PerftCheck {
            line: record.line,
            fen: record.fen(),
            depth: *depth,
            expected: *expected,
            found: perft_parallel(game.position(), *depth),
        })
        .collect()
}

/// Counts every position of a suite up to `depth_max`, handing each check to `report`.
pub fn check_suite(suite: &Suite, depth_max: u32, report: &mut dyn FnMut(&Record, &[PerftCheck])) -> Vec<PerftCheck> {
    let mut all = Vec::new();
    for record in &suite.records {
        let checks = check_record(record, depth_max);
        report(record, &checks);
        all.extend(checks);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_files::epd::parse_suite;

    // Counts of the start position, of a well-known position rich in castling, captures and promotions, of an en-passant
    // pin, and of a Chess960 start; all published many times over.
    const SUITE: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902 ;D4 197281\n\
        r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D2 2039 ;D3 97862\n\
        8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D1 14 ;D2 191 ;D3 2812 ;D4 43238\n\
        bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9 ;D1 21 ;D2 528 ;D3 12189\n";

    #[test]
    fn published_counts_are_met() {
        let suite = parse_suite("perft.epd", SUITE.as_bytes()).expect("a good suite");
        let checks = check_suite(&suite, 9, &mut |_, _| {});
        assert_eq!(checks.len(), 14);
        for check in checks {
            assert!(check.agrees(), "{check:?}");
        }
    }

    #[test]
    fn a_wrong_count_is_found_and_deeper_ones_are_left_out() {
        let text = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 67 ;D6 764643";
        let suite = parse_suite("perft.epd", text.as_bytes()).expect("a good suite");
        let wrong: Vec<_> = check_suite(&suite, 2, &mut |_, _| {}).into_iter().filter(|c| !c.agrees()).collect();
        assert_eq!(wrong.iter().map(|c| (c.line, c.depth, c.expected, c.found)).collect::<Vec<_>>(), [(1, 2, 67, 66)]);
    }

    #[test]
    fn the_division_adds_up() {
        let game = Game::standard("4k3/8/8/8/8/8/8/4K2R w K -").expect("a good FEN");
        for depth in 1..=4 {
            let sum: u64 = divide(game.position(), depth).iter().map(|(_, count)| count).sum();
            assert_eq!(sum, perft(game.position(), depth, &|| false), "{depth}");
        }
        assert_eq!(perft_parallel(game.position(), 0), 1);
        let mated = Game::standard("7k/6Q1/6K1/8/8/8/8/8 b - -").expect("a good FEN");
        assert_eq!([1, 3].map(|depth| perft_parallel(mated.position(), depth)), [0, 0]);
    }
}
