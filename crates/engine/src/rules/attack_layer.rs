//! Attack layer: once the shared budget is spent, only a side with remaining budget continues.

use super::search::{Search, Stopped};
use super::{Description, Skip};
use crate::budget::{self, Budget};
use crate::mate_at_a_glance;
use crate::node::Node;
use crate::score::{Depth, Score};
use crate::see;
use crate::words::{plies, score};
use shakmaty::Color;

pub(crate) const RULE: Description = Description {
    name: "attack layer",
    about: "Attack layer: one side searches forcing moves after the shared budget is spent.",
    idea: "Once the shared budget is spent, a side with remaining budget may continue, but only with forcing moves. \
        The side to move may stand pat as in quiescence; a defender in check, under a mate threat, or a minor piece \
        down must search all replies.",
    risk: "All replies to each forcing move are searched; the layer ends when the attacker's budget is \
        spent.",
    reads: "budgets of both sides, static evaluation, window, material at the root, cost of the move.",
    papers: "`levy1989` (two budgets; the layer is ours).",
};

crate::params! {
    /// continue with forcing moves if only one side has budget left; requires `budget.separate`
    on = false;
    /// greatest cost of a forcing move (1/8 ply)
    cost_max = 7 in 2..=12 by 1;
    /// loss of material since the root from which a defender may not stand pat (pawns/100)
    behind = 300 in 100..=900 by 20;
}

crate::reason! {
    evaluation: Score,
    beta: Score,
    cost: Depth,
    "{}",
    if cost > Depth::ZERO {
        format!("only forcing moves are searched, and this one costs {}", plies(cost))
    } else {
        format!("the evaluation {} >= beta {}, and standing pat is allowed", score(evaluation), score(beta))
    }
}

/// Units of a ply.
const UNITS: i32 = 8;

/// The side that continues once the shared budget is spent; `None` if it is not spent, or if neither side has a ply left.
pub fn attacker(p: &Params, budgets: &budget::Params, budget: Budget) -> Option<Color> {
    if !p.on || !budgets.separate || budget.left(budgets) >= Depth::ONE_PLY {
        return None;
    }
    let (white, black) = budget.sides();
    match (white >= Depth::ONE_PLY, black >= Depth::ONE_PLY) {
        (true, false) => Some(Color::White),
        (false, true) => Some(Color::Black),
        // With a blend far from the mean both may have something left; then neither attacks alone.
        _ => None,
    }
}

/// Returns true if the side to move may stand pat; its evaluation then becomes best value and alpha.
pub(crate) fn cut<S: Search>(s: &mut S, p: &Params, n: &mut Node<'_>) -> Result<Option<Score>, Stopped> {
    if n.attacker.is_none() || must_search_all_replies(p, n) {
        return Ok(None);
    }
    n.best = n.eval;
    if n.window.fails_high(n.eval) {
        let reason = Reason { evaluation: n.eval, beta: n.window.beta, cost: Depth::ZERO };
        s.report_reason(|| reason);
        return Ok(Some(n.eval));
    }
    n.window.alpha = n.window.alpha.max(n.eval);
    Ok(None)
}

/// Returns true if the side to move is in check, or if it is not the attacker and has lost `behind` since the root or may be mated at a
/// glance.
fn must_search_all_replies(p: &Params, n: &Node<'_>) -> bool {
    let turn = n.position.turn();
    let against_root = see::balance(n.position) - n.root_balance;
    let behind = -Score(turn.fold_wb(against_root.0, -against_root.0));
    n.in_check || n.attacker != Some(turn) && (behind >= Score(p.behind) || mate_at_a_glance::mates(n.position, !turn))
}

/// Returns true if a move of the attacker is too expensive. If standing pat is not allowed, every move is a reply.
pub fn skip(p: &Params, n: &Node<'_>, cost: Depth) -> Skip {
    let stands = n.best > -Score::INFINITE;
    let dear = cost > Depth(Depth::ONE_PLY.0 / UNITS * p.cost_max);
    if n.attacker == Some(n.position.turn()) && !n.in_check && stands && dear { Skip::This } else { Skip::No }
}

/// The reason for skipping a move.
pub(crate) fn reason(n: &Node<'_>, cost: Depth) -> Reason {
    Reason { evaluation: n.eval, beta: n.window.beta, cost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodeType;
    use crate::params::Parameters;
    use crate::position::Game;
    use crate::score::Window;
    use crate::testing;

    fn parameters() -> Parameters {
        let mut parameters = Parameters::default();
        parameters.attack_layer.on = true;
        parameters.budget.separate = true;
        parameters.budget.theta = 512;
        parameters
    }

    /// Budgets of White and Black after both paid from an even one (plies).
    fn budget(p: &budget::Params, white: i32, black: i32) -> Budget {
        const START: i32 = 20;
        let paid = |left: i32| Depth::plies(START - left) / 2;
        Budget::even(Depth::plies(START)).deduct(p, Color::White, paid(white)).deduct(p, Color::Black, paid(black))
    }

    #[test]
    fn a_side_that_alone_has_budget_left_attacks() {
        let p = parameters();
        let p = &p;
        let attacks = |white, black| attacker(&p.attack_layer, &p.budget, budget(&p.budget, white, black));
        assert_eq!(attacks(4, -2), None, "the shared budget is not spent");
        assert_eq!(attacks(2, -2), Some(Color::White));
        assert_eq!(attacks(-2, 2), Some(Color::Black));
        assert_eq!(attacks(0, 0), None);
        let off = Params { on: false, ..p.attack_layer };
        assert_eq!(attacker(&off, &p.budget, budget(&p.budget, 2, -2)), None);
        let shared = budget::Params { separate: false, ..p.budget };
        assert_eq!(attacker(&p.attack_layer, &shared, Budget::even(Depth::ZERO)), None);
    }

    /// The result of standing pat with beta at evaluation plus `above`: the value, and whether it is a lower bound.
    fn stand(fen: &str, attacker: Color, root: i32, above: i32) -> (bool, bool) {
        let game = testing::game(fen);
        let mut s = testing::searcher(parameters());
        let mut n = testing::node(&mut s, &game, testing::place(Window::FULL, 1, 3, NodeType::Cut));
        (n.attacker, n.root_balance) = (Some(attacker), Score(root));
        n.window = Window::reaching(n.eval + Score(above));
        let value = cut(&mut s, &parameters().attack_layer, &mut n).expect("nothing stops it");
        (value.is_some(), n.best > -Score::INFINITE)
    }

    #[test]
    fn a_defender_in_need_must_answer_and_others_may_wait() {
        const EVEN: &str = "6k1/5ppp/8/8/8/3R4/5PPP/3r2K1 b - - 0 1";
        const CALM: &str = "6k1/5ppp/8/8/8/3R4/4rPPP/6K1 b - - 0 1";
        assert_eq!(stand(CALM, Color::White, 0, 0), (true, true), "the defender has enough");
        assert_eq!(stand(CALM, Color::White, 0, 1), (false, true), "not enough, but a floor");
        assert_eq!(stand(CALM, Color::White, -299, 0), (true, true), "a little behind the root");
        assert_eq!(stand(CALM, Color::White, -300, 0), (false, false), "a minor piece behind the root");
        assert_eq!(stand(CALM, Color::Black, -300, 0), (true, true), "an attacker may always stop");
        assert_eq!(stand(EVEN.replace(" b ", " w ").as_str(), Color::White, 0, 0), (false, false), "in check");
        let mate = "6k1/5ppp/5N2/8/7Q/8/5PPP/6K1 b - - 0 1";
        let threatened = "6k1/5p1p/5BpQ/8/8/8/5PPP/6K1 b - - 0 1";
        assert_eq!(stand(mate, Color::White, 0, 0), (false, false), "in check again");
        assert_eq!(stand(threatened, Color::White, 1280, 0), (false, false), "mate is threatened");
    }

    #[test]
    fn the_attacker_continues_with_cheap_moves_alone() {
        let game = Game::new();
        let mut n = Node::new(game.position(), testing::place(Window::FULL, 1, 3, NodeType::Cut));
        let p = Params { on: true, ..Params::DEFAULT };
        let limit = Depth(128 * p.cost_max);
        for (attacker, stands, cost, skip_it) in [
            (Some(Color::White), true, limit, Skip::No),
            (Some(Color::White), true, limit + Depth(1), Skip::This),
            (Some(Color::White), false, limit + Depth(1), Skip::No),
            (Some(Color::Black), true, limit + Depth(1), Skip::No),
            (None, true, limit + Depth(1), Skip::No),
        ] {
            n.attacker = attacker;
            n.best = if stands { Score::ZERO } else { -Score::INFINITE };
            assert_eq!(skip(&p, &n, cost), skip_it, "{attacker:?} {stands} {cost:?}");
        }
    }
}
