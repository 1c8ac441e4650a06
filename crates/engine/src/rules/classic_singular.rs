//! Singular extension in its original form.

use super::Description;
use super::search::{Search, Stopped};
use super::singular::without;
use crate::node::{Candidate, Node, NodeType};
use crate::score::{Depth, Score};
use crate::words::{pawns, score};

pub(crate) const RULE: Description = Description {
    name: "classical singular",
    about: "Singular extension in its original form: a move far above all others is searched deeper.",
    idea: "After a move scores above alpha, the other moves are searched with less depth against that score minus a \
        margin. If none reaches it, the move is singular: it is searched again one ply deeper, and the deeper score \
        counts.",
    risk: "Expensive: each move above alpha costs a search of all other moves, and a singular move is searched twice. \
        The rule `singular` takes the score from the table and decides before the move is searched.",
    reads: "window, score of the move, expected node type, ply.",
    papers: "`anantharaman1988`.",
};

crate::extension_params! {
    [cut_share]
    /// search singular moves above alpha again with more depth
    on = false;
    /// extension (quarter plies)
    quarters = 4 in 0..=4 by 1;
    /// least depth (plies)
    depth_min = 5 in 3..=16 by 1;
    /// margin by which the other moves must stay below the score of the move (pawns/100)
    margin = 60 in 5..=300 by 5;
    /// reduction of the search of the other moves (plies)
    less = 3 in 1..=8 by 1;
    /// only on the principal variation
    pv_only = false;
    /// greatest distance from the root (percent of the root depth)
    ply_max = 100 in 10..=200 by 10;
}

crate::reason! {
    value: Score,
    margin: Score,
    "it scores {}, and every other move more than {} less", score(value), pawns(margin)
}

/// The value of a move that was searched: `score`, or that of a deeper search if the move beats alpha and is singular.
pub(crate) fn extend_if_singular<S: Search>(
    s: &mut S,
    p: &Params,
    n: &mut Node<'_>,
    c: &Candidate,
    score: Score,
) -> Result<Score, Stopped> {
    if score <= n.window.alpha || !applies(p, n) || score.is_decisive() {
        return Ok(score);
    }
    let target = score - Score(p.margin);
    let depth = (n.depth - Depth::plies(p.less)).max(Depth::ONE_PLY);
    let others = without(s, n, c.mv, target, depth)?;
    if others >= target {
        return Ok(score);
    }
    n.singular_score = Some(score);
    let found = s.try_move(n, &Candidate { number: 1, ..c.clone() })?;
    n.singular_score = None;
    Ok(found)
}

fn applies(p: &Params, n: &Node<'_>) -> bool {
    const PERCENT: i32 = 100;
    let fits = if p.pv_only { n.is_pv() } else { n.kind != NodeType::All };
    let near = || i32::from(n.ply.0) * PERCENT <= p.ply_max * n.root_depth.whole();
    p.on && fits && near() && n.plies() >= p.depth_min && !n.ply.is_root() && !n.is_exclusion()
}

/// Deducted from the cost of a move that is searched again because it is singular.
pub fn cost(p: &Params, n: &Node<'_>, _: &Candidate) -> Depth {
    if n.singular_score.is_some() { -Depth::quarters(p.quarters) } else { Depth::ZERO }
}

/// The reason.
pub(crate) fn reason(p: &Params, n: &Node<'_>, _: &Candidate) -> Reason {
    Reason { value: n.singular_score.unwrap_or_default(), margin: Score(p.margin) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Game, NO_MOVE};
    use crate::score::Window;
    use crate::testing;

    #[test]
    fn a_move_is_tested_near_the_root_with_depth_enough_and_where_one_may_be_best() {
        use NodeType::{All, Cut, Pv};
        let game = Game::new();
        let p = Params { on: true, depth_min: 5, ply_max: 50, pv_only: false, ..Params::DEFAULT };
        let pv_only = Params { pv_only: true, ..p };
        for (name, p, kind, ply, plies, excluded, tested) in [
            ("a cut node in the twelfth iteration", p, Cut, 6, 5, NO_MOVE, true),
            ("too far from the root", p, Cut, 7, 5, NO_MOVE, false),
            ("too shallow", p, Cut, 6, 4, NO_MOVE, false),
            ("the root", p, Pv, 0, 5, NO_MOVE, false),
            ("an all node", p, All, 6, 5, NO_MOVE, false),
            ("a search without a move", p, Cut, 6, 5, 1, false),
            ("not on the principal variation", pv_only, Cut, 6, 5, NO_MOVE, false),
            ("on the principal variation", pv_only, Pv, 6, 5, NO_MOVE, true),
            ("off", Params { on: false, ..p }, Cut, 6, 5, NO_MOVE, false),
        ] {
            let place = testing::place(Window::reaching(Score(0)), plies, ply, kind);
            let mut n = Node::new(game.position(), place);
            (n.depth, n.root_depth, n.excluded) = (Depth::plies(plies), Depth::plies(12), excluded);
            assert_eq!(applies(&p, &n), tested, "{name}");
        }
    }
}
