//! Last best reply.

use super::extras::{Learner, NodeContext, NodeResult, Params as All, RatedMove, RatingView};
use crate::position::{NO_MOVE, is_quiet, pack};
use crate::score::Ply;
use crate::source::Description;
use crate::whole::SPREAD;
use shakmaty::Move;

pub(crate) const SOURCE: Description = Description {
    name: "last best reply",
    about: "Last best reply: the last refutation of the same move.",
    idea: "The quiet move that last refuted this exact move is searched early. It is a countermove with a more \
        specific key: piece, from, to, capture and promotion, and optionally the preceding move or the ply.",
    risk: "The more specific the key, the less often it occurs again.",
    reads: "path (the last one or two moves, ply); learned statistics.",
    papers: "`edwards-notes`, `uiterwijk1992`.",
};

crate::params! {
    /// the quiet move that last refuted the same move comes early
    on = false;
    /// bonus of that reply (history counts)
    bonus = 12000 in 0..=99999 by 1000;
    /// the move before the last one must also be the same
    two_moves = false;
    /// separate replies for each ply
    by_ply = false;
}

const SLOTS: usize = 1 << 14;
const TAG_SHIFT: u32 = 48;

#[derive(Clone, Copy)]
struct Reply {
    tag: u16,
    mv: u16,
}

crate::history::heap_table! {
    /// Replies by a hash of the moves they refute.
    pub struct LastBestReply([Reply; SLOTS]) = Reply { tag: 0, mv: NO_MOVE };
}

/// Everything of a move as one number: from, to, kind or promotion, piece and captured piece.
fn whole(mv: Move) -> u64 {
    const ROLE_SHIFT: u32 = 16;
    const CAPTURE_SHIFT: u32 = 20;
    let capture = mv.capture().map_or(0, |role| role as u64);
    u64::from(pack(mv)) | (mv.role() as u64) << ROLE_SHIFT | capture << CAPTURE_SHIFT
}

/// Where the reply to what was played is kept, and its tag; nothing after a null move.
fn place(p: &Params, context: &NodeContext, ply: Ply) -> Option<(usize, u16)> {
    let mut key = (whole(context.previous?) + 1).wrapping_mul(SPREAD);
    if p.two_moves {
        key = (key ^ whole(context.before?)).wrapping_mul(SPREAD).rotate_left(TAG_SHIFT / 2);
    }
    if p.by_ply {
        key = (key ^ (ply.index() as u64 + 1)).wrapping_mul(SPREAD);
    }
    let key = key ^ (key >> (TAG_SHIFT / 2));
    Some((key as usize % SLOTS, (key.wrapping_mul(SPREAD) >> TAG_SHIFT) as u16))
}

impl Learner for LastBestReply {
    fn rate(&self, view: &RatingView<'_>, moves: &mut [RatedMove]) {
        let p = &view.p.last_best_reply;
        let Some((slot, tag)) = place(p, view.context, view.ply) else { return };
        let reply = self.0[slot];
        view.add_to_quiets(moves, |mv| if reply.tag == tag && pack(mv) == reply.mv { p.bonus } else { 0 });
    }

    fn update(&mut self, p: &All, result: &NodeResult<'_>) {
        if let Some(mv) = result.cut.filter(|&mv| is_quiet(mv))
            && let Some((slot, tag)) = place(&p.last_best_reply, &result.context, result.ply)
        {
            self.0[slot] = Reply { tag, mv: pack(mv) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OrderingFixture, PLY};
    use crate::score::{Ply, Score};

    #[test]
    fn the_reply_belongs_to_all_of_the_move_it_refutes() {
        let before = OrderingFixture::new("6k1/5ppp/1n6/8/P7/8/5PPP/R5K1 b - - 0 1");
        let [there, takes, other, king] = ["b6d5", "b6a4", "b6c4", "g8f8"].map(|uci| before.mv(uci));
        let learnt = |two: bool, by_ply: bool, ply: Ply| {
            let mut fixture = OrderingFixture::new("6k1/5ppp/8/3n4/8/8/5PPP/R5K1 w - - 0 1").with(|p| {
                p.last_best_reply.on = true;
                p.last_best_reply.bonus = 700;
                (p.last_best_reply.two_moves, p.last_best_reply.by_ply) = (two, by_ply);
            });
            (fixture.at(ply).previous, fixture.at(ply).before) = (Some(there), Some(king));
            fixture.update(ply, Score(10), Some("h2h4"), &[]);
            fixture
        };
        for (name, two, by_ply, ply, previous, earlier, bonus) in [
            ("the same move", false, false, PLY, Some(there), Some(takes), 700),
            ("another square", false, false, PLY, Some(other), Some(king), 0),
            ("a capture", false, false, PLY, Some(takes), Some(king), 0),
            ("after a null move", false, false, PLY, None, Some(king), 0),
            ("both moves", true, false, PLY, Some(there), Some(king), 700),
            ("another move before", true, false, PLY, Some(there), Some(takes), 0),
            ("at another ply", false, false, Ply(4), Some(there), Some(king), 700),
            ("at another ply, by ply", false, true, Ply(4), Some(there), Some(king), 0),
        ] {
            let mut fixture = learnt(two, by_ply, ply);
            (fixture.context().previous, fixture.context().before) = (previous, earlier);
            assert_eq!(fixture.added("h2h4"), bonus, "{name}");
        }
    }
}
