//! The contribution of each piece to a network's value: the value with it less the value without it.

use super::vector::Level;
use super::{Network, Params, bucket};
use crate::eval::{self, KnownEnding};
use crate::position::Position;
use crate::score::Score;
use shakmaty::{Board, Color, File, Piece, Rank, Role, Square};
use std::fmt;

/// Centipawns in a pawn, for display.
const PAWN: f64 = 100.0;

/// A network's value of a position, taken apart. Its `Display` is what `eval` prints.
#[derive(Clone, Debug)]
pub struct Contributions {
    /// The network.
    pub name: String,
    board: Board,
    turn: Color,
    /// The value, seen by the side to move, before the 50-move counter damps it.
    pub score: Score,
    /// The classical value, seen by the side to move, and its share in percent, if it has one.
    pub classical: Option<(Score, i32)>,
    /// The share of the classical value in values that are not known otherwise (percent).
    pub share: i32,
    /// The share that the network was trained with (percent), if its file has it.
    pub trained_share: Option<i32>,
    /// The ending, if its result is known: then its value counts and not the network's.
    pub known: Option<KnownEnding>,
    /// The output bucket of the position, from 0.
    pub bucket: usize,
    /// The value of each output bucket, seen by the side to move.
    pub buckets: Vec<Score>,
    /// Every piece but the kings, with what it contributes, seen by White.
    pub pieces: Vec<(Square, Piece, Score)>,
}

impl Contributions {
    /// Takes the value of a position apart, as it counts in this style, given its classical value.
    pub fn of(network: &Network, style: &Params, position: &Position, classical: Score) -> Contributions {
        let (board, turn) = (position.board(), position.turn());
        let score = style.apply(network.value(board, turn));
        let without = |square: Square| {
            let mut rest = board.clone();
            rest.discard_piece_at(square);
            style.apply(network.value(&rest, turn))
        };
        let known = eval::known(board, turn);
        let white = |score: Score| if turn.is_white() { score } else { -score };
        let pieces = board.iter().filter(|(_, piece)| piece.role != Role::King);
        Contributions {
            name: network.name(),
            turn,
            score: match known {
                Some(known) => known.score(turn),
                None => style.blend(score, classical),
            },
            classical: (known.is_none() && style.uses_classical()).then_some((classical, style.classical)),
            share: style.classical,
            trained_share: network.classical_share(),
            known,
            bucket: bucket(board.occupied().count(), network.buckets()),
            buckets: (0..network.buckets()).map(|bucket| style.apply(network.value_in(board, turn, bucket))).collect(),
            pieces: pieces.map(|(square, piece)| (square, piece, white(score - without(square)))).collect(),
            board: board.clone(),
        }
    }

    /// The value, seen by White.
    pub fn white(&self) -> Score {
        if self.turn.is_white() { self.score } else { -self.score }
    }

    /// A rank of the board: the pieces, and below them what they contribute.
    fn rank(&self, f: &mut fmt::Formatter<'_>, rank: Rank) -> fmt::Result {
        write!(f, "{} |", rank.char())?;
        for file in File::ALL {
            let piece = self.board.piece_at(Square::from_coords(file, rank));
            write!(f, "{:^7}|", piece.map_or(' ', Piece::char))?;
        }
        write!(f, "\n  |")?;
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            let worth = self.pieces.iter().find(|(at, ..)| *at == square);
            let text = worth.map_or_else(String::new, |(_, _, score)| format!("{:+.2}", f64::from(score.0) / PAWN));
            write!(f, "{text:^7}|")?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Contributions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("  +{}", "-------+".repeat(File::ALL.len()));
        writeln!(
            f,
            "Network {} ({}): value with each piece minus value without it, in pawns for White\n",
            self.name,
            Level::used()
        )?;
        writeln!(f, "{line}")?;
        for rank in Rank::ALL.into_iter().rev() {
            self.rank(f, rank)?;
            writeln!(f, "{line}")?;
        }
        write!(f, "   ")?;
        for file in File::ALL {
            write!(f, "{:^8}", file.char())?;
        }
        writeln!(f, "\n")?;
        for (bucket, score) in self.buckets.iter().enumerate() {
            let used = if bucket == self.bucket && self.known.is_none() {
                format!(", used: {} pieces", self.board.occupied().count())
            } else {
                String::new()
            };
            writeln!(f, "Bucket {bucket}      {:+.2} for the side to move{used}", f64::from(score.0) / PAWN)?;
        }
        if let Some(known) = self.known {
            writeln!(f, "Known ending  {}: the network is not used", known.name)?;
        }
        let trained = match self.trained_share {
            Some(trained) if trained != self.share => format!(" (the network was trained with {trained} %)"),
            _ => String::new(),
        };
        match self.classical {
            Some((score, share)) => {
                let value = f64::from(score.0) / PAWN;
                writeln!(f, "Classical     {value:+.2} for the side to move, {share} % of the value{trained}")?;
            }
            None if self.known.is_none() => writeln!(f, "Classical     0 % of the value{trained}")?,
            None => {}
        }
        let (white, own) = (f64::from(self.white().0) / PAWN, f64::from(self.score.0) / PAWN);
        write!(f, "Final         {white:+.2} for White, {own:+.2} for the side to move ({})", self.turn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;
    use crate::position::Game;
    use crate::testing;

    #[test]
    fn a_piece_contributes_the_loss_of_value_without_it() {
        let network = Network::new(&random(32, 8, 21)).expect("its numbers fit");
        for fen in ["4k3/8/8/8/8/8/4PN2/4K3 w - - 0 1", "4k3/8/8/8/8/8/4PN2/4K3 b - - 0 1"] {
            let game = testing::game(fen);
            let plain = Params { scale: 100, tempo: 0, classical: 0 };
            let found = Contributions::of(&network, &plain, game.position(), Score(900));
            let less = testing::game(&fen.replace("N2", "3"));
            let value = |game: &Game| network.value(game.position().board(), game.position().turn());
            let mut lost = value(&game) - value(&less);
            if !game.position().turn().is_white() {
                lost = -lost;
            }
            assert!(found.pieces.contains(&(Square::F2, Role::Knight.of(Color::White), lost)), "{found}");
            assert_eq!((found.pieces.len(), found.score, found.bucket), (2, value(&game), 0));
            assert_eq!(found.buckets[0], found.score);
            let text = found.to_string();
            let shown = format!("|{:^7}|", format!("{:+.2}", f64::from(lost.0) / PAWN));
            assert!(text.contains(&shown) && text.contains("used: 4 pieces") && text.contains("Final"), "{text}");
            assert!(found.classical.is_none() && text.contains("Classical     0 % of the value\n"), "{text}");
            let quarter = Params { classical: 25, ..plain };
            let found = Contributions::of(&network, &quarter, game.position(), Score(900));
            assert_eq!(found.score, quarter.blend(value(&game), Score(900)));
            let text = found.to_string();
            assert!(text.contains("Classical     +9.00 for the side to move, 25 % of the value"), "{text}");
        }
    }
}
