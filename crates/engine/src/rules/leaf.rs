//! Leaves of model trees.

use super::Description;
use crate::score::Score;
use crate::words::score;
use std::fmt;

pub(crate) const RULE: Description = Description {
    name: "model leaf",
    about: "Ends of lines in model trees.",
    idea: "A line of a model tree ends where its author wrote a score. This score is the value of the line, \
        whatever the position on the board. Such a tree has no null moves: the value after one is the static \
        score of the position before it.",
    risk: "The scores are those of the author, correct or not.",
    reads: "the tree; other searches do not use the rule.",
    papers: "none.",
};

crate::reason! {
    passed: bool,
    value: Score,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = score(self.value);
        match self.passed {
            true => write!(f, "the tree has no null moves: worth {value} by the static score before the null move"),
            false => write!(f, "the line ends here, worth {value} to the side to move"),
        }
    }
}
