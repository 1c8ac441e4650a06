//! The learned cost: the chance that a late move matters, fitted to searches of our own.
//!
//! [`sample`] searches positions with the engine's own parameters and has late moves searched in full now and then, aside, without a
//! trace in the search; what is known of such a move before it is made, and whether it beat alpha, is an example. [`fit`] is a logistic
//! regression; its weights, rounded, are the coefficients of the rule `learned_cost`. Chances become reductions by a line that is laid
//! through the reductions of the formula on the same examples, so that both spend alike.

pub mod fit;
pub mod page;
pub mod sample;

#[cfg(test)]
mod tests;
