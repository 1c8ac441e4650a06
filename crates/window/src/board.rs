//! Boards as text.

use crate::words;
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::{File, Rank, Square};

/// Columns between two boards.
const GAP: &str = "    ";

/// The board with White below, letters for pieces, and who is to move.
pub fn lines(position: &Position) -> Vec<String> {
    let mut lines: Vec<String> = Rank::ALL
        .into_iter()
        .rev()
        .zip(ranks(position))
        .map(|(rank, squares)| {
            let squares: Vec<String> = squares.chars().map(String::from).collect();
            format!("{} {}", rank.char(), squares.join(" "))
        })
        .collect();
    let files: Vec<String> = File::ALL.into_iter().map(|file| file.char().to_string()).collect();
    lines.push(format!("  {}", files.join(" ")));
    lines.push(format!("  {} to move", words::side(position.turn())));
    lines
}

/// The ranks from the eighth to the first, a letter for each piece and a dot for each empty square.
pub fn ranks(position: &Position) -> Vec<String> {
    let board = position.board();
    let letter = |square| board.piece_at(square).map_or('.', |piece| piece.char());
    let rank = |rank| File::ALL.into_iter().map(|file| letter(Square::from_coords(file, rank))).collect();
    Rank::ALL.into_iter().rev().map(rank).collect()
}

/// Places blocks of text side by side, as many as fit into `width` columns.
pub fn side_by_side(blocks: &[Vec<String>], width: usize) -> String {
    let widest = blocks.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
    let across = ((width + GAP.len()) / (widest + GAP.len())).max(1);
    let mut text = String::new();
    for row in blocks.chunks(across) {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let cells = row.iter().map(|block| format!("{:<widest$}", block.get(line).map_or("", String::as_str)));
            text.push_str(cells.collect::<Vec<_>>().join(GAP).trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;

    #[test]
    fn boards_are_printed_side_by_side() {
        let start = lines(Game::new().position());
        assert_eq!((start[0].as_str(), start[7].as_str()), ("8 r n b q k b n r", "1 R N B Q K B N R"));
        let text = side_by_side(&[start.clone(), start.clone(), start], 42);
        let first = text.lines().next().expect("a line");
        assert_eq!(first, "8 r n b q k b n r    8 r n b q k b n r");
        assert_eq!(text.lines().filter(|line| line.contains("White to move")).count(), 2);
    }
}
