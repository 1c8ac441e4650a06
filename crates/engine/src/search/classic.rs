//! The textbook: fixed-depth minimax with alpha-beta, and nothing else.
//!
//! It has three uses. It is for teaching: every decision on a small model tree can be shown. It is the reference for the
//! selective search, which must find the same root values with every rule off. It also defines the term
//! *threshold*.
//!
//! Thresholds are kept one per ply in the classical description: `T[k]` is the smallest negated value among the siblings
//! at ply `k` so far, and it starts as `T[k - 2]`, so that a bound found near the root prunes at any depth. A
//! [`Window`] handed down and negated at every ply says the same with two numbers: for the children at ply `k`, `beta`
//! is `T[k - 1]` and `alpha` is `-T[k]`. Results are fail-hard: if no child beats `alpha`, the value of a node is
//! `alpha` itself, the inherited bound.
//!
//! Above the last ply all children of a node are created at once and then tried in the order of their static guesses,
//! best first, ties in listing order. At the last ply they are taken as listed and created one by one, so that after
//! a cutoff the others are never created.

mod chess;

pub use chess::{ChessNode, ChessTree};

use crate::score::{Ply, Score, Window};
use crate::words::named;

/// A game tree of fixed depth.
pub trait GameTree {
    /// The data of a place in the tree that the search needs.
    type Node;
    /// A move from a node to a child.
    type Step: Copy;

    /// The ply of the deepest nodes.
    fn depth(&self) -> Ply;

    /// The moves of `node`, in listing order; none for a leaf. Called once for each node, when the search reaches it.
    fn steps(&mut self, node: &Self::Node, ply: Ply) -> Vec<Self::Step>;

    /// The child of `node` at the end of `step`; `ply` is the child's.
    fn child(&mut self, node: &Self::Node, step: Self::Step, ply: Ply) -> Self::Node;

    /// A static guess at the value of `node` for the side that moved to it. It changes the order, never the result.
    fn guess(&mut self, node: &Self::Node) -> Score;

    /// The value of a leaf for the side that moved to it. Outside `window` a bound on the same side is enough.
    fn value(&mut self, leaf: &Self::Node, ply: Ply, window: Window) -> Score;
}

named! {
    /// The result of the comparison of a value with its thresholds.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Decision {
        /// It reached the two-ply threshold: the parent is refuted and its other children are not tried.
        Cutoff "cutoff",
        /// It is the best of its siblings so far.
        Best "best",
        /// It is not better than what is known.
        NotBest "not best",
    }
}

/// A value, the thresholds it met, and the outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValuedNode {
    /// The ply of the node.
    pub ply: Ply,
    /// Its value for the side that moved to it.
    pub value: Score,
    /// The thresholds before the decision: `beta` is the two-ply one, `alpha` the negated one-ply one.
    pub window: Window,
    /// The outcome.
    pub decision: Decision,
}

/// Receives the events of a search, in order. `()` watches nothing.
pub trait ClassicWatch<Node> {
    /// A node was created.
    fn created(&mut self, _node: &Node, _ply: Ply) {}
    /// A node was given a value, and the decision about it was made.
    fn valued(&mut self, _node: &Node, _result: &ValuedNode) {}
}

impl<Node> ClassicWatch<Node> for () {}

/// The minimax value of `root` for the side to move there.
pub fn search<T: GameTree, W: ClassicWatch<T::Node>>(tree: &mut T, root: T::Node, watch: &mut W) -> Score {
    let mut search = ClassicSearch { tree, watch };
    search.watch.created(&root, Ply::ROOT);
    let value = search.value(&root, Ply::ROOT, -Window::FULL);
    // Nothing reaches an open threshold, so the root is always valued.
    -value.unwrap_or(-Score::INFINITE)
}

/// What to do with `value` among siblings searched with `window`: equality cuts, and equality does not replace the best.
pub fn decide(value: Score, window: Window) -> Decision {
    if window.fails_high(value) {
        Decision::Cutoff
    } else if window.fails_low(value) {
        Decision::NotBest
    } else {
        Decision::Best
    }
}

struct ClassicSearch<'a, T, W> {
    tree: &'a mut T,
    watch: &'a mut W,
}

impl<T: GameTree, W: ClassicWatch<T::Node>> ClassicSearch<'_, T, W> {
    /// The value of `node` for the side that moved to it, `None` if one of its children refuted it.
    fn value(&mut self, node: &T::Node, ply: Ply, window: Window) -> Option<Score> {
        let steps = self.tree.steps(node, ply);
        if steps.is_empty() {
            return Some(self.tree.value(node, ply, window));
        }
        self.expand(node, &steps, ply.next(), -window)
    }

    /// Tries the children of `node`, which are at `ply`, with the thresholds in `window`.
    fn expand(&mut self, node: &T::Node, steps: &[T::Step], ply: Ply, mut window: Window) -> Option<Score> {
        if ply < self.tree.depth() {
            let mut children: Vec<T::Node> = steps.iter().map(|&step| self.create(node, step, ply)).collect();
            children.sort_by_cached_key(|child| -self.tree.guess(child));
            for child in children {
                self.try_child(&child, ply, &mut window)?;
            }
        } else {
            for &step in steps {
                let child = self.create(node, step, ply);
                self.try_child(&child, ply, &mut window)?;
            }
        }
        Some(-window.alpha)
    }

    fn create(&mut self, node: &T::Node, step: T::Step, ply: Ply) -> T::Node {
        let child = self.tree.child(node, step, ply);
        self.watch.created(&child, ply);
        child
    }

    /// Evaluates a child and updates the window; `None` if it refutes its parent. A child that is itself refuted has no value and is
    /// skipped.
    fn try_child(&mut self, child: &T::Node, ply: Ply, window: &mut Window) -> Option<()> {
        let Some(value) = self.value(child, ply, *window) else { return Some(()) };
        let decision = decide(value, *window);
        self.watch.valued(child, &ValuedNode { ply, value, window: *window, decision });
        match decision {
            Decision::Cutoff => return None,
            Decision::Best => window.alpha = value,
            Decision::NotBest => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A tree written as nested lists of leaf values.
    #[derive(Clone, Debug)]
    enum Nested {
        Leaf(i32),
        Inner(i32, Vec<Nested>),
    }

    impl Nested {
        fn height(&self) -> u16 {
            match self {
                Nested::Leaf(_) => 0,
                Nested::Inner(_, children) => 1 + children.iter().map(Nested::height).max().unwrap_or(0),
            }
        }

        /// Plain minimax, for the side that moved here.
        fn minimax(&self) -> i32 {
            match self {
                Nested::Leaf(value) => *value,
                Nested::Inner(_, children) => -children.iter().map(Nested::minimax).max().expect("inner node"),
            }
        }

        fn follow(&self, path: &[usize]) -> &Nested {
            match (path.split_first(), self) {
                (Some((&first, rest)), Nested::Inner(_, children)) => children[first].follow(rest),
                _ => self,
            }
        }
    }

    struct NestedTree(Nested);

    impl GameTree for NestedTree {
        type Node = Vec<usize>;
        type Step = usize;

        fn depth(&self) -> Ply {
            Ply(self.0.height())
        }

        fn steps(&mut self, node: &Vec<usize>, _: Ply) -> Vec<usize> {
            match self.0.follow(node) {
                Nested::Leaf(_) => Vec::new(),
                Nested::Inner(_, children) => (0..children.len()).collect(),
            }
        }

        fn child(&mut self, node: &Vec<usize>, step: usize, _: Ply) -> Vec<usize> {
            let mut child = node.clone();
            child.push(step);
            child
        }

        fn guess(&mut self, node: &Vec<usize>) -> Score {
            match self.0.follow(node) {
                Nested::Leaf(value) | Nested::Inner(value, _) => Score(*value),
            }
        }

        fn value(&mut self, leaf: &Vec<usize>, _: Ply, _: Window) -> Score {
            self.guess(leaf)
        }
    }

    #[derive(Default)]
    struct Log(Vec<(Vec<usize>, i32, Decision)>);

    impl ClassicWatch<Vec<usize>> for Log {
        fn valued(&mut self, node: &Vec<usize>, valued: &ValuedNode) {
            self.0.push((node.clone(), valued.value.0, valued.decision));
        }
    }

    fn leaves(values: &[i32]) -> Nested {
        Nested::Inner(0, values.iter().map(|&value| Nested::Leaf(value)).collect())
    }

    #[test]
    fn equality_cuts_and_does_not_replace() {
        let tree = Nested::Inner(0, vec![leaves(&[3, 5]), leaves(&[5, 9]), leaves(&[4, 5])]);
        let mut log = Log::default();
        let value = search(&mut NestedTree(tree), Vec::new(), &mut log);
        assert_eq!(value, Score(-5));
        assert_eq!(
            log.0,
            [
                (vec![0, 0], 3, Decision::Best),
                (vec![0, 1], 5, Decision::Best),
                (vec![0], -5, Decision::Best),
                (vec![1, 0], 5, Decision::Cutoff),
                (vec![2, 0], 4, Decision::Best),
                (vec![2, 1], 5, Decision::Cutoff),
            ]
        );
    }

    #[test]
    fn a_root_without_moves_is_its_own_value() {
        assert_eq!(search(&mut NestedTree(Nested::Leaf(7)), Vec::new(), &mut ()), Score(-7));
    }

    fn any_tree() -> impl Strategy<Value = Nested> {
        let leaf = (-20..20).prop_map(Nested::Leaf);
        leaf.prop_recursive(5, 200, 4, |inner| {
            ((-20..20), prop::collection::vec(inner, 1..4)).prop_map(|(guess, children)| Nested::Inner(guess, children))
        })
    }

    proptest! {
        #[test]
        fn agrees_with_plain_minimax(tree in any_tree()) {
            let expected = -tree.minimax();
            prop_assert_eq!(search(&mut NestedTree(tree), Vec::new(), &mut ()), Score(expected));
        }

        #[test]
        fn the_best_root_move_has_the_root_value(tree in any_tree()) {
            let mut log = Log::default();
            let mut nested = NestedTree(tree);
            let value = search(&mut nested, Vec::new(), &mut log);
            let best = log.0.iter().rev().find(|(node, _, decision)| node.len() == 1 && *decision == Decision::Best);
            if let Some((node, best_value, _)) = best {
                prop_assert_eq!(*best_value, value.0);
                prop_assert_eq!(nested.0.follow(node).minimax(), value.0);
            }
        }
    }
}
