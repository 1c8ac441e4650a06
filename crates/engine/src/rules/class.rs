//! Classes of extensions, and the conditions that every extension can be given.
//!
//! Moreland sorts extensions by the effect of ending the line here (`moreland-notes`). A *win-seeking* one looks for more where the line
//! would fail low, a *loss-seeking* one suspects trouble where it would fail high. A *neutral* one follows a forcing sequence of unknown
//! outcome. A gated extension applies only if the evaluation fits its class.

use crate::node::{Node, NodeType};
use crate::score::Depth;
use crate::words::named;

named! {
    /// The purpose of an extension.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Class {
        /// The value may be higher.
        WinSeeking "win-seeking",
        /// It may be lower.
        LossSeeking "loss-seeking",
        /// A forcing sequence.
        Neutral "neutral",
    }
}

/// The conditions of one extension; its file declares them with [`extension_params!`](crate::extension_params!).
#[derive(Clone, Copy, Debug)]
pub struct ExtensionConditions {
    /// Only if the evaluation fits the class.
    pub gated: bool,
    /// Share at expected cut nodes (percent).
    pub cut_share: i32,
    /// Share at expected all nodes (percent).
    pub all_share: i32,
}

const PERCENT: i32 = 100;

impl Class {
    /// Returns true if the class applies here. In check the static evaluation is unknown, and every class applies.
    #[inline(always)]
    pub fn has_reason(self, n: &Node<'_>) -> bool {
        match self {
            _ if n.in_check => true,
            Class::WinSeeking => n.eval < n.window.beta,
            Class::LossSeeking => n.eval >= n.window.beta,
            Class::Neutral => true,
        }
    }

    /// The remaining amount of a breakdown line under these conditions. Lines that raise the cost of a move are unchanged.
    #[inline(always)]
    pub fn allow(self, conditions: ExtensionConditions, n: &Node<'_>, cost: Depth) -> Depth {
        if cost >= Depth::ZERO {
            return cost;
        }
        if conditions.gated && !self.has_reason(n) {
            return Depth::ZERO;
        }
        let share = match n.kind {
            NodeType::Pv => PERCENT,
            NodeType::Cut => conditions.cut_share,
            NodeType::All => conditions.all_share,
        };
        if share == PERCENT { cost } else { cost * share / PERCENT }
    }
}

/// Declares the parameters of an extension: in brackets the conditions that can matter to it, then its own parameters as with
/// [`params!`](crate::params!). Every extension also has the switches `reduction_only` and `exempt`.
#[macro_export]
macro_rules! extension_params {
    (@with [] [$($condition:ident)*] [$($body:tt)*]) => {
        $crate::params! {
            $($body)*
            /// only lower the reduction of the move, not its full cost
            reduction_only = false;
            /// remove the whole reduction of the move instead of extending it
            exempt = false;
        }

        impl Params {
            /// When the extension is granted.
            #[inline(always)]
            #[allow(clippy::needless_update, reason = "some extensions have all conditions")]
            pub(crate) fn conditions(&self) -> $crate::rules::class::ExtensionConditions {
                $crate::rules::class::ExtensionConditions { $($condition: self.$condition,)* ..$crate::rules::class::ExtensionConditions::FREE }
            }
        }
    };
    (@with [gated $($more:tt)*] [$($condition:ident)*] [$($body:tt)*]) => {
        $crate::extension_params! { @with [$($more)*] [$($condition)* gated] [
            $($body)*
            /// only if the evaluation fits the class of the extension: below beta if win-seeking, at least beta if
            /// loss-seeking
            gated = false;
        ] }
    };
    (@with [cut_share($default:literal) $($more:tt)*] [$($condition:ident)*] [$($body:tt)*]) => {
        $crate::extension_params! { @with [$($more)*] [$($condition)* cut_share] [
            $($body)*
            /// share of the extension at expected cut nodes (percent)
            cut_share = $default in 0..=100 by 10, neutral 100;
        ] }
    };
    (@with [cut_share $($more:tt)*] $($rest:tt)*) => {
        $crate::extension_params! { @with [cut_share(100) $($more)*] $($rest)* }
    };
    (@with [all_share $($more:tt)*] [$($condition:ident)*] [$($body:tt)*]) => {
        $crate::extension_params! { @with [$($more)*] [$($condition)* all_share] [
            $($body)*
            /// share of the extension at expected all nodes (percent)
            all_share = 100 in 0..=100 by 10;
        ] }
    };
    ([$($condition:tt)*] $($body:tt)*) => {
        $crate::extension_params! { @with [$($condition)*] [] [$($body)*] }
    };
}

impl ExtensionConditions {
    /// No conditions.
    pub const FREE: ExtensionConditions = ExtensionConditions { gated: false, cut_share: PERCENT, all_share: PERCENT };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use crate::score::{Score, Window};
    use crate::testing;

    fn node(game: &Game, kind: NodeType) -> Node<'_> {
        let window = Window::new(Score(-10), Score(20));
        Node::new(game.position(), testing::place(window, 5, 3, kind))
    }

    #[test]
    fn a_win_is_sought_below_beta_and_a_loss_from_beta_on() {
        let game = Game::new();
        let mut n = node(&game, NodeType::Pv);
        for (eval, win, loss) in [(-11, true, false), (-10, true, false), (19, true, false), (20, false, true)] {
            n.eval = Score(eval);
            assert_eq!(Class::WinSeeking.has_reason(&n), win, "{eval}");
            assert_eq!(Class::LossSeeking.has_reason(&n), loss, "{eval}");
            assert!(Class::Neutral.has_reason(&n));
            let gated = ExtensionConditions { gated: true, ..ExtensionConditions::FREE };
            for (conditions, allowed) in [(gated, win), (ExtensionConditions::FREE, true)] {
                let left = Class::WinSeeking.allow(conditions, &n, -Depth::QUARTER);
                assert_eq!(left, if allowed { -Depth::QUARTER } else { Depth::ZERO }, "{eval}");
            }
        }
        n.in_check = true;
        n.eval = -Score::INFINITE;
        assert!(Class::LossSeeking.has_reason(&n), "the evaluation is not known in check");
    }

    #[test]
    fn each_type_of_node_has_its_share() {
        let game = Game::new();
        let conditions = ExtensionConditions { cut_share: 50, all_share: 0, ..ExtensionConditions::FREE };
        for (kind, left) in [(NodeType::Pv, -1024), (NodeType::Cut, -512), (NodeType::All, 0)] {
            let n = node(&game, kind);
            assert_eq!(Class::Neutral.allow(conditions, &n, -Depth::ONE_PLY), Depth(left), "{kind:?}");
            assert_eq!(Class::Neutral.allow(conditions, &n, Depth::ONE_PLY), Depth::ONE_PLY, "what is dearer stays so");
        }
    }
}
