//! Leaves of model trees.

use super::Description;
use crate::score::Score;
use crate::words::score;

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
    "{}",
    if passed {
        format!("the tree has no null moves: worth {} by the static score before the null move", score(value))
    } else {
        format!("the line ends here, worth {} to the side to move", score(value))
    }
}
