//! The learned cost: the probability that a late move matters, fitted to searches of this engine.
//!
//! [`sample`] searches positions with the engine's parameters and audits some late moves by a full search, without an effect on
//! the main search. The features of such a move before it is made, and whether it beat alpha, form an example. [`fit`] is a
//! logistic regression; its rounded weights are the coefficients of the rule `learned_cost`. Probabilities become reductions by a
//! line fitted to the reductions of the formula on the same examples, so that both reduce equally on average.

pub mod fit;
pub mod page;
pub mod sample;

#[cfg(test)]
mod tests;
