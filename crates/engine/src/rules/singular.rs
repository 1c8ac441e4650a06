//! Singular extension, with multi-cut and negative extensions.

use super::Description;
use super::purpose::Purpose;
use super::search::{Search, Stopped};
use crate::node::{Candidate, Node, NodeType, Place};
use crate::position::{NO_MOVE, is_quiet, pack};
use crate::score::{Depth, Score, Window};
use crate::words::score;

pub(crate) const RULE: Description = Description {
    name: "singular",
    about: "Singular extension: a table move far above all others is searched deeper.",
    idea: "The table move is singular if every other move stays below its table value by a margin, in a reduced search \
        without it. A singular move is extended, by two or three plies if the margin is large. If another move reaches \
        beta as well, the node is cut. If the move is not singular, and its table value is at least beta or a cut node \
        is expected, it is reduced.",
    risk: "Search explosion: double extensions are limited along a line, and nothing is extended far beyond the root \
        depth.",
    reads: "table entry, window, expected node type, path (double extensions so far).",
    papers: "`anantharaman1988`, current practice.",
};

crate::extension_params! {
    [cut_share all_share]
    /// extend the table move if it is singular
    on = true;
    /// least depth (plies)
    depth_min = 4 in 3..=16 by 1, neutral 6;
    /// how much shallower than the node its table entry may be (plies)
    table_depth = 3 in 0..=8 by 1;
    /// margin by which the other moves must stay below the table value, per ply (pawns/1600)
    margin_slope = 32 in 2..=96 by 1, neutral 20;
    /// depth of the search without the table move (percent of the node's depth less one ply)
    depth_share = 55 in 10..=90 by 5, neutral 50;
    /// extension (1/1024 ply)
    single = 1024 in 0..=2048 by 128;
    /// additional extension outside the principal variation if the others stay below by `double_margin` more (1/1024
    /// ply)
    double = 1664 in 0..=2048 by 128, neutral 1024;
    /// additional margin for the second extension (pawns/100)
    double_margin = 10 in 0..=200 by 2, neutral 18;
    /// greatest number of double extensions on a line (moves)
    doubles_max = 8 in 0..=24 by 1;
    /// extension of a quiet move added to `double` if the others stay below by `triple_margin` more (1/1024 ply)
    triple = 640 in 0..=2048 by 128, neutral 512;
    /// additional margin for the third extension (pawns/100)
    triple_margin = 90 in 0..=500 by 5;
    /// outside the principal variation, cut the node if another move reaches beta as well
    multi_cut = true;
    /// reduction of a table move that is not singular if its table value is at least beta (1/1024 ply)
    negative = 1408 in 0..=4096 by 128, neutral 1536;
    /// reduction of a table move that is not singular at an expected cut node (1/1024 ply)
    negative_cut = 1152 in 0..=4096 by 128, neutral 1024;
}

crate::reason! {
    table_value "table value": Score,
    margin: Score,
    value: Score,
    beta: Score,
    "even without the table move {} >= beta {}", score(value), score(beta)
}

pub(crate) use super::reason::plain as reason;

/// Searches the node without its table move. Leaves the move's extension in the node; may cut it.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    let (Some(entry), Some(mv)) = (n.entry, n.table_move) else { return Ok(None) };
    let applies = p.on
        && !n.ply.is_root()
        && !n.is_exclusion()
        && n.plies() >= p.depth_min
        && n.ply.0 as i32 <= 2 * n.root_depth.whole();
    let reliable =
        entry.bound.is_lower() && entry.depth >= n.depth - Depth::plies(p.table_depth) && !entry.score.is_decisive();
    if !applies || !reliable {
        return Ok(None);
    }
    let target = entry.score - margin(p, n.depth);
    let depth = Depth((n.depth - Depth::ONE_PLY).0 * p.depth_share / PERCENT).max(Depth::ONE_PLY);
    let score = without(s, n, mv, target, depth)?;
    n.table_move_gap = entry.score - score;
    if score < target {
        n.singular = extension(p, n, target - score, is_quiet(mv), n.doubles);
    } else if p.multi_cut && score >= n.window.beta && !n.is_pv() && !score.is_decisive() {
        let (table_value, margin, beta) = (entry.score, margin(p, n.depth), n.window.beta);
        s.report_reason(|| Reason { table_value, margin, value: score, beta });
        return Ok(Some(score));
    } else if entry.score >= n.window.beta {
        n.singular = -Depth(p.negative);
    } else if n.kind == NodeType::Cut {
        n.singular = -Depth(p.negative_cut);
    }
    Ok(None)
}

const PERCENT: i32 = 100;

/// The value of the node when `mv` is not allowed, searched to this depth: does it reach `target`?
pub(super) fn without<S: Search>(
    s: &mut S,
    n: &Node<'_>,
    mv: shakmaty::Move,
    target: Score,
    depth: Depth,
) -> Result<Score, Stopped> {
    let budget = n.budget.deduct_both(n.depth - depth);
    let doubles = s.frame(n.ply).doubles;
    s.frame_mut(n.ply).excluded = pack(mv);
    let kind = if n.kind == NodeType::Pv { NodeType::Cut } else { n.kind };
    s.watch_sub_search(n, Purpose::Exclusion, None, n.depth - depth);
    let score = s.search(n.position, Place::new(Window::reaching(target), budget, n.ply, kind))?;
    let frame = s.frame_mut(n.ply);
    frame.excluded = NO_MOVE;
    frame.doubles = doubles;
    Ok(score)
}

/// How far the other moves must stay below the table's value.
pub fn margin(p: &Params, depth: Depth) -> Score {
    const GRAIN: i32 = 16;
    Score((p.margin_slope * depth.0 / Depth::ONE_PLY.0 / GRAIN).max(1))
}

fn extension(p: &Params, n: &Node<'_>, gap: Score, quiet: bool, doubles: i32) -> Depth {
    let mut extension = Depth(p.single);
    if !n.is_pv() && gap > Score(p.double_margin) && doubles < p.doubles_max {
        extension += Depth(p.double);
        if quiet && gap > Score(p.triple_margin) {
            extension += Depth(p.triple);
        }
    }
    extension
}

/// The table move's extension or reduction found by [`cut`].
pub fn cost(p: &Params, n: &Node<'_>, c: &Candidate) -> Depth {
    if p.on && c.from_table { -n.singular } else { Depth::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_move_that_stands_out_further_is_extended_by_more() {
        use crate::position::Game;

        let game = Game::new();
        let p = Params { single: 1024, double: 512, triple: 256, doubles_max: 6, ..Params::DEFAULT };
        let (some, far) = (Score(p.double_margin), Score(p.triple_margin));
        let more = Score(1);
        for (name, kind, gap, quiet, doubles, granted) in [
            ("alone", NodeType::Cut, some, true, 0, 1024),
            ("by more", NodeType::Cut, some + more, true, 0, 1536),
            ("far", NodeType::Cut, far + more, true, 0, 1792),
            ("not far enough", NodeType::Cut, far, true, 0, 1536),
            ("a capture", NodeType::Cut, far + more, false, 0, 1536),
            ("the last double one", NodeType::Cut, far + more, true, 5, 1792),
            ("enough of them on this line", NodeType::Cut, far + more, true, 6, 1024),
            ("on the principal variation", NodeType::Pv, far + more, true, 0, 1024),
        ] {
            let place = testing::place(Window::reaching(Score(0)), 8, 2, kind);
            let n = Node::new(game.position(), place);
            assert_eq!(extension(&p, &n, gap, quiet, doubles), Depth(granted), "{name}");
        }
    }

    #[test]
    fn the_table_move_is_tested_up_to_twice_the_depth_of_the_iteration() {
        use crate::params::Parameters;
        use crate::score::Bound;
        use crate::table::Entry;
        let fen = "6k1/5ppp/8/3q4/8/2N5/5PPP/6K1 w - - 0 1";
        let game = testing::game(fen);
        let takes = game.parse_uci("c3d5").expect("legal");
        for (root_plies, ply, tested) in [(10, 20, true), (10, 21, false), (6, 12, true), (6, 13, false)] {
            let mut s = testing::searcher(Parameters::classical());
            s.root_depth = Depth::plies(root_plies);
            s.evaluator.begin(game.position());
            let place = testing::place(Window::reaching(Score(900)), 8, ply, NodeType::Cut);
            let mut n = s.facts(game.position(), place);
            n.table_move = Some(takes);
            n.entry = Some(Entry { mv: pack(takes), ..testing::entry(Score(300), Bound::Lower, Depth::plies(8)) });
            let p = s.params().singular;
            cut(&mut s, &p, &mut n).expect("nothing stops it");
            assert_eq!(n.singular > Depth::ZERO, tested, "ply {ply} of iteration {root_plies}");
        }
    }

    #[test]
    fn the_margin_grows_with_depth_and_is_never_nothing() {
        let at = |margin_slope, plies| margin(&Params { margin_slope, ..Params::DEFAULT }, Depth::plies(plies)).0;
        assert_eq!([at(20, 6), at(20, 12), at(32, 12), at(2, 3)], [7, 15, 24, 1]);
    }
}
