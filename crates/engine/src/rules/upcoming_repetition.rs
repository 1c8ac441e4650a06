//! Upcoming repetition.

use super::Description;
use super::search::{Search, Stopped};
use crate::node::Node;
use crate::position::Position;
use crate::score::Score;
use crate::words::score;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, Color, Role, Square, attacks};
use std::sync::LazyLock;

pub(crate) const RULE: Description = Description {
    name: "upcoming repetition",
    about: "Upcoming repetition: a move that repeats a position is worth at least a draw.",
    idea: "If a move of the side to move leads back to an earlier position of the line after the root, the side has \
        at least a draw, one ply before the repetition occurs. Alpha is raised to the draw score, and the node is \
        cut if that reaches beta. A table holds the key differences of all reversible moves, so one lookup decides \
        whether a move connects two positions.",
    risk: "Scores that depend on the path are stored in the table, as with draws.",
    reads: "position, path, window.",
    papers: "`practice`; the table of keys is by Marcel van Kervinck (2013).",
};

crate::params! {
    /// a move that repeats a position of the line counts as at least a draw before it is made
    on = true;
}

crate::reason! {
    alpha: Score,
    beta: Score,
    "a move repeats a position: at least a draw, which is >= beta {}", score(beta)
}

/// The plies back to the nearest position that one move can lead to again.
const NEAREST: usize = 3;

/// A draw, if a repetition can be had and reaches beta; below that alpha is lifted to it.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if !p.on || n.ply.is_root() || n.is_exclusion() || n.window.alpha >= Score::DRAW || s.is_scripted() {
        return Ok(None);
    }
    if !repeats(n.position, n.ply.index(), |back| s.key_before(back)) {
        return Ok(None);
    }
    let reason = Reason { alpha: n.window.alpha, beta: n.window.beta };
    n.window.alpha = Score::DRAW;
    n.best = Score::DRAW;
    let decided = n.window.alpha >= n.window.beta;
    if decided {
        s.report_reason(|| reason);
    }
    Ok(decided.then_some(Score::DRAW))
}

/// Does a move of the side to move lead back to a position of the line after the root, which is `plies` plies back? `key(n)` is the key `n` plies
/// back.
fn repeats(position: &Position, plies: usize, key: impl Fn(usize) -> Option<u64>) -> bool {
    let furthest = plies.saturating_sub(1).min(position.reversible() as usize);
    let men = position.board().occupied();
    (NEAREST..=furthest).step_by(2).map_while(key).any(|earlier| {
        moved(position.key() ^ earlier).is_some_and(|squares| {
            let [one, other] = squares;
            let way = attacks::between(one, other) & men;
            let ours = men & (Bitboard::from(one) | Bitboard::from(other));
            way.is_empty() && ours.count() == 1 && (ours & position.board().by_color(position.turn())).any()
        })
    })
}

const SLOTS: usize = 1 << 13;

/// A place in the table: the difference of keys, and the squares; the difference is never 0.
type Slot = (u64, [Square; 2]);

/// All moves there and back of pieces on an empty board, by the difference of the keys before and after.
static MOVES: LazyLock<Box<[Option<Slot>]>> = LazyLock::new(|| {
    let mut slots = vec![None; SLOTS].into_boxed_slice();
    let turn = Zobrist64::zobrist_for_white_turn().0;
    for piece in Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| role.of(color))) {
        if piece.role == Role::Pawn {
            continue;
        }
        let key = |square| Zobrist64::zobrist_for_piece(square, piece).0;
        for from in Square::ALL {
            for to in attacks::attacks(from, piece, Bitboard::EMPTY).into_iter().filter(|&to| to > from) {
                let difference = key(from) ^ key(to) ^ turn;
                let free = probes(difference).find(|&at| slots[at].is_none()).expect("the table has room");
                slots[free] = Some((difference, [from, to]));
            }
        }
    }
    slots
});

fn probes(difference: u64) -> impl Iterator<Item = usize> {
    (0..SLOTS).map(move |further| (difference as usize + further) % SLOTS)
}

/// The squares of the move by which two positions differ, if it is one.
fn moved(difference: u64) -> Option<[Square; 2]> {
    (probes(difference).map_while(|at| MOVES[at])).find(|(key, _)| *key == difference).map(|(_, squares)| squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Can the side to move repeat a position after these moves? With `before` = 0 the root is one ply before the first move; otherwise it is
    /// the position after `before - 1` moves.
    fn upcoming(fen: &str, moves: &str, before: usize) -> bool {
        let game = testing::after(fen, moves);
        let keys = game.keys();
        let plies = keys.len() + 1 - before;
        repeats(game.position(), plies, |back| keys.len().checked_sub(back).map(|at| keys[at]))
    }

    /// The same by making every move.
    fn slowly(fen: &str, moves: &str) -> bool {
        let game = testing::after(fen, moves);
        let position = game.position();
        position.legal_moves().into_iter().any(|mv| game.keys().contains(&position.play(mv).key()))
    }

    const ROOKS: &str = "4k2r/8/8/8/8/8/P6P/R3K3 w - - 0 1";

    #[test]
    fn a_move_back_is_seen_before_it_is_made() {
        for (moves, before, expected) in [
            ("a1b1 e8d8 b1a1", 0, true),
            ("a1b1 e8d8 b1c1", 0, false),
            ("a1b1 e8d8 e1e2", 0, false),
            ("a1b1 e8d8", 0, false),
            ("a1b1 e8d8 b1c1 d8e8 c1a1", 0, false),
            ("a1b1 e8d8 b1c1 d8e8 c1b1", 0, true),
            ("a1b1 e8d8 b1c1 d8d7 c1b1", 0, true),
            ("a1b1 h8g8 b1a1", 0, true),
            ("a1b1 e8d8 a2a3 d8e8 b1a1", 0, false),
            ("a1b1 e8d8 b1a1", 1, false),
            ("a1b1 e8d8 b1c1 d8e8 c1b1", 2, true),
            ("a1b1 e8d8 b1c1 d8e8 c1b1", 3, false),
        ] {
            assert_eq!(upcoming(ROOKS, moves, before), expected, "{moves} {before}");
            assert!(before > 0 || slowly(ROOKS, moves) == expected, "{moves} as every move says");
        }
    }

    #[test]
    fn an_available_draw_raises_alpha_and_ends_a_node_whose_beta_it_reaches() {
        use crate::clock::{Clock, Limits};
        use crate::node::NodeType;
        use crate::score::Window;

        let game = testing::after(ROOKS, "a1b1 e8d8 b1a1");
        for (on, plies, alpha, beta, value, lifted) in [
            (true, 4, -200, -199, Some(Score::DRAW), true),
            (true, 4, -1, 0, Some(Score::DRAW), true),
            (true, 4, -200, 1, None, true),
            (true, 4, 0, 1, None, false),
            (true, 3, -200, -199, None, false),
            (true, 2, -200, -199, None, false),
            (false, 4, -200, -199, None, false),
        ] {
            let mut s = testing::searcher_with(|p| p.upcoming_repetition.on = on);
            s.begin(&game, &Limits::default(), Clock::unlimited());
            let window = Window::new(Score(alpha), Score(beta));
            let place = testing::place(window, 4, plies, NodeType::Cut);
            let mut n = Node::new(game.position(), place);
            let name = format!("{on} {plies} {alpha} {beta}");
            let p = s.params().upcoming_repetition;
            assert_eq!(cut(&mut s, &p, &mut n), Ok(value), "{name}");
            assert_eq!(n.window.alpha, if lifted { Score::DRAW } else { Score(alpha) }, "{name}");
            assert_eq!(n.best == Score::DRAW, lifted, "{name}: what the node is worth at least");
        }
    }

    #[test]
    fn it_is_the_side_to_move_that_moves_and_its_way_is_free() {
        // White's rook went b1-d1-a1 around its bishop, which then stepped between.
        for (fen, moves) in [
            ("4k3/8/8/8/8/8/8/R1B1K3 w - - 0 1", "a1b1 e8d8 c1b2 d8e8 b1a1 e8d8 b2c1"),
            ("3rk3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2 d8d7 a2b2 d7d6 b2b1 d6d8 b1c1 d8d7"),
            ("3rk3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2 d8d7 a2b2 d7d8 b2a2 d8d7 a2a1"),
            ("3rk3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a3 d8d7 a3a2 d7d8"),
            ("3rk3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a3 d8d7 a3a2 d7d8 a2b2 d8d6 b2a2"),
        ] {
            assert_eq!(upcoming(fen, moves, 0), slowly(fen, moves), "{moves}");
        }
    }
}
