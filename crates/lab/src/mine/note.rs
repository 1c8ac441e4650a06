//! Finds in the format of a journal.

use super::MinedPosition;
use quarterply_engine::position::Game;
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;

/// A find in words: position and move as FEN and UCI notation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct MinedPositionText {
    fen: String,
    chess960: bool,
    best: String,
    nodes: u64,
    themes: Vec<String>,
}

impl From<MinedPosition> for MinedPositionText {
    fn from(find: MinedPosition) -> MinedPositionText {
        MinedPositionText {
            best: UciMove::from_move(find.best, find.mode).to_string(),
            chess960: find.mode == CastlingMode::Chess960,
            nodes: find.nodes,
            themes: find.themes.iter().map(|theme| theme.to_string()).collect(),
            fen: Game::from_chess(find.position, find.mode).fen(),
        }
    }
}

impl TryFrom<MinedPositionText> for MinedPosition {
    type Error = String;

    fn try_from(note: MinedPositionText) -> Result<MinedPosition, String> {
        let mode = if note.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let game = Game::from_fen(&note.fen, mode).map_err(|e| e.to_string())?;
        let best = game.parse_uci(&note.best).map_err(|e| e.to_string())?;
        let theme = |name: &String| name.parse().map_err(|_| format!("no theme is named `{name}`"));
        let themes = note.themes.iter().map(theme).collect::<Result<_, _>>()?;
        let position = game.position();
        Ok(MinedPosition {
            position: position.chess().clone(),
            mode,
            key: position.key(),
            best,
            nodes: note.nodes,
            themes,
            game: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(fen: &str, best: &str, theme: &str) -> MinedPositionText {
        let chess960 = fen.contains("HA");
        MinedPositionText { fen: fen.into(), chess960, best: best.into(), nodes: 77, themes: vec![theme.into()] }
    }

    #[test]
    fn finds_survive_a_journal() {
        for (fen, best) in [
            ("4k3/8/8/3q4/8/2N5/8/4K3 w - - 3 20", "c3d5"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1"),
            ("r3k2r/8/8/8/8/8/8/RK5R w HAha - 0 1", "b1h1"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "e5d6"),
        ] {
            let find = MinedPosition::try_from(note(fen, best, "quiet")).expect(fen);
            let text = serde_json::to_string(&find).expect("JSON");
            assert_eq!(serde_json::from_str::<MinedPosition>(&text).expect(&text), find, "{text}");
            assert_eq!(find.themes, [crate::mine::Theme::Quiet]);
        }
    }

    #[test]
    fn malformed_notes_are_refused() {
        for (fen, best, theme, needle) in [
            ("4k3/8/8 w - - 0 1", "e1e2", "quiet", "4k3/8/8"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e3", "quiet", "e1e3"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2", "quite", "`quite`"),
        ] {
            let error = MinedPosition::try_from(note(fen, best, theme)).expect_err(needle);
            assert!(error.contains(needle), "{error}");
        }
    }
}
