//! The reply that refutes a move.

use super::line::Refutation;
use crate::show::move_name;
use crate::trace::NodeRecord;
use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::shakmaty::{Move, Role, Square};

/// The reason of a rule that ends a node, in terms of chess, with `{}` for the side to move; empty for other rules.
pub const fn end_meaning(rule: Rule) -> &'static str {
    match rule {
        Rule::NullMove => "{} could even pass",
        Rule::Draw => "the game is drawn",
        Rule::UpcomingRepetition => "{} can repeat a position",
        _ => "",
    }
}

/// A reply, and the line that goes on with it.
pub(super) struct ShownReply {
    pub mv: Move,
    pub line: Vec<String>,
}

/// The reply to `mv` that the search played in `after`; else the move that the table has for it; else a capture of the moved piece that
/// wins material.
pub(super) fn reply(child: &NodeRecord, after: &Position, mv: Move, line: &Refutation) -> Option<ShownReply> {
    if let Some(reply) = line.reply {
        return Some(ShownReply { mv: reply, line: line.moves.clone() });
    }
    let known = child.table.as_ref().and_then(|entry| entry.mv).and_then(|code| code.in_position(after));
    let mv = known.or_else(|| winning_capture(after, mv))?;
    Some(ShownReply { mv, line: vec![move_name(after, mv)] })
}

/// Usual value of a piece (pawns); a king is never lost.
const fn piece_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

/// The square of the moved piece.
fn destination(mv: Move, after: &Position) -> Square {
    mv.castling_side().map_or(mv.to(), |side| side.king_to(!after.turn()))
}

/// The capture of the moved piece by the least piece, if the side that moved `mv` loses material even when it takes back.
fn winning_capture(after: &Position, mv: Move) -> Option<Move> {
    let square = destination(mv, after);
    let on_square = |reply: &Move| reply.is_capture() && reply.to() == square && !reply.is_castle();
    let captures = after.legal_moves().into_iter().filter(on_square);
    let under = |reply: &Move| reply.promotion().is_some_and(|role| role != Role::Queen);
    let capture = captures.min_by_key(|reply| (piece_value(reply.role()), reply.from(), under(reply)))?;
    let taken_back = after.play(capture).legal_moves().iter().any(on_square);
    let gained = mv.capture().map_or(0, piece_value) + if taken_back { piece_value(capture.role()) } else { 0 };
    (piece_value(capture.capture()?) > gained).then_some(capture)
}

/// The effect of a reply: `recaptures`, `takes the rook on d4`, `gives check`. `after` is the position in which it is played, `mv` the move
/// before it.
pub(super) fn reply_effect(after: &Position, mv: Move, reply: Move) -> String {
    let named = |role: Role| format!("{role:?}").to_lowercase();
    let square = destination(mv, after);
    match reply.capture() {
        Some(_) if reply.to() == square && mv.is_capture() => return "recaptures".to_owned(),
        Some(taken) if reply.to() == square => return format!("takes the {}", named(taken)),
        Some(taken) => return format!("takes the {} on {}", named(taken), reply.to()),
        None if reply.is_promotion() => return "promotes".to_owned(),
        None => {}
    }
    let checks = after.gives_check(&after.check_info(), reply);
    if checks { "gives check".to_owned() } else { "replies".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;

    /// The position after a move, and the move.
    fn after(fen: &str, text: &str) -> (Position, Move) {
        let mut game = Game::standard(fen).expect("a position");
        let mv = crate::moves::read(game.position(), text).expect("legal");
        game.play(mv);
        (game.position().clone(), mv)
    }

    #[test]
    fn a_reply_is_named_by_what_it_does() {
        for (fen, mv, reply, expected) in [
            ("6k1/7p/8/8/8/3B4/8/6K1 w - - 0 1", "d3h7", "g8h7", "recaptures"),
            ("6k1/8/8/8/8/3B4/8/6K1 w - - 0 1", "d3h7", "g8h7", "takes the bishop"),
            ("6k1/8/8/8/6n1/8/8/R5K1 w - - 0 1", "g1h1", "g4f2", "gives check"),
            ("6k1/8/8/8/8/2b5/8/R5K1 w - - 0 1", "g1h1", "c3a1", "takes the rook on a1"),
            ("6k1/8/8/8/8/8/p7/6K1 w - - 0 1", "g1h2", "a2a1q", "promotes"),
            ("6k1/8/8/8/8/p7/8/6K1 w - - 0 1", "g1h2", "a3a2", "replies"),
            ("6k1/8/8/8/1p6/8/P7/6K1 w - - 0 1", "a2a4", "b4a3", "takes the pawn on a3"),
        ] {
            let (position, mv) = after(fen, mv);
            let reply = crate::moves::read(&position, reply).expect("legal");
            assert_eq!(reply_effect(&position, mv, reply), expected, "{fen}");
        }
    }

    #[test]
    fn a_capture_wins_material_if_more_is_taken_than_given() {
        for (fen, mv, expected) in [
            // A queen takes a guarded pawn; guarded itself, it still loses.
            ("6k1/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", Some("e6d5")),
            ("6k1/8/4p3/3p4/8/2N5/8/3QK3 w - - 0 1", "d1d5", Some("e6d5")),
            // Knight for knight, and a pawn for a pawn.
            ("6k1/8/4p3/3n4/8/2N5/8/4K3 w - - 0 1", "c3d5", None),
            ("6k1/8/4p3/8/3P4/2P5/8/4K3 w - - 0 1", "d4d5", Some("e6d5")),
            ("6k1/8/4p3/8/2PP4/8/8/4K3 w - - 0 1", "d4d5", None),
            // Nobody can take.
            ("6k1/8/8/8/8/8/8/3QK3 w - - 0 1", "d1d5", None),
        ] {
            let (position, mv) = after(fen, mv);
            let expected = expected.map(|text| crate::moves::read(&position, text).expect("legal"));
            assert_eq!(winning_capture(&position, mv), expected, "{fen}");
        }
    }
}
