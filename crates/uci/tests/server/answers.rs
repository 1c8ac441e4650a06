//! What is answered in cases that other engines have been known to get wrong, and this one once did.

use crate::common::{Talk, best};
use quarterply_uci::info::Info;
use shakmaty::uci::UciMove;

/// The lines with a score among these, without those of bounds.
fn scored(lines: &[String]) -> Vec<Info> {
    let infos = lines.iter().filter_map(|line| line.parse::<Info>().ok());
    infos.filter(|info| info.value.is_some() && info.bound.is_none()).collect()
}

/// The first moves of the latest lines of the ranks from 1 to `ranks`, as a GUI keeps them.
fn latest(lines: &[String], ranks: usize) -> Vec<UciMove> {
    let told = scored(lines);
    let last =
        |rank| told.iter().rfind(|info| info.number == Some(rank)).unwrap_or_else(|| panic!("{rank}: {lines:?}"));
    (1..=ranks).map(|rank| last(rank).line[0]).collect()
}

#[test]
fn after_a_stop_each_rank_has_another_move() {
    let mut talk = Talk::new();
    for (ranks, nodes) in [(2, 450), (3, 700), (4, 1000), (20, 3000), (20, 1), (1, 1)] {
        let lines =
            talk.go(&format!("setoption name MultiPV value {ranks}\nucinewgame\nposition startpos\ngo nodes {nodes}"));
        let mut moves = latest(&lines, ranks);
        assert_eq!(moves[0].to_string(), best(&lines), "{ranks} lines, {nodes} nodes");
        moves.sort_by_key(ToString::to_string);
        moves.dedup();
        assert_eq!(moves.len(), ranks, "{ranks} lines, {nodes} nodes: {lines:?}");
    }
}

/// What was written after the store of lines was used up were the first ranks of one iteration and the last ranks of another.
#[test]
fn many_lines_are_written_for_whole_iterations() {
    const MOVES: usize = 20;
    let mut talk = Talk::new();
    let lines = talk.go("setoption name MultiPV value 256\nposition startpos\ngo depth 9");
    let told = scored(&lines);
    assert!(told.len() < 9 * MOVES, "not every iteration is written: {}", told.len());
    for iteration in told.chunks(MOVES) {
        let ranks: Vec<_> = iteration.iter().map(|info| info.number).collect();
        assert_eq!(ranks, (1..=MOVES).map(Some).collect::<Vec<_>>(), "{lines:?}");
        assert!(iteration.iter().all(|info| info.depth == iteration[0].depth), "{lines:?}");
    }
}
