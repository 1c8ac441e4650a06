//! Draws.

use super::Description;

pub(crate) const RULE: Description = Description {
    name: "draw",
    about: "Draws by repetition, by fifty moves or by insufficient material.",
    idea: "The rules of chess: repetition, fifty moves without capture or pawn move, insufficient material. A position met \
        before in the search counts as drawn at once: an improvement on the second visit was already possible \
        on the first.",
    risk: "A position of the game, including the root, counts as drawn only at its third occurrence.",
    reads: "position, path, halfmove clock.",
    papers: "none, the laws of chess.",
};

crate::reason! { "repetition, fifty moves or insufficient material" }
