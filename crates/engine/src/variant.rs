//! The rules that the tag `Variant` of a game in PGN names.

use shakmaty::CastlingMode;

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Standard chess, or chess from a given position.
    Chess,
    /// Chess960, or Fischer random chess.
    Chess960,
}

impl Variant {
    /// Names of chess in programs, without blanks, `_` and `-`, in small letters.
    const CHESS: [&str; 10] =
        ["", "?", "-", "chess", "standard", "normal", "orthodox", "regular", "standardchess", "fromposition"];
    /// Names of Chess960.
    const CHESS960: [&str; 9] = [
        "chess960",
        "960",
        "fischerandom",
        "fischerrandom",
        "fischerandomchess",
        "fischerrandomchess",
        "frc",
        "freestyle",
        "freestylechess",
    ];

    /// The rules with this name; `None` for other rules.
    pub fn from_tag(name: &str) -> Option<Variant> {
        let plain: String = name.chars().filter(|c| !matches!(c, ' ' | '_' | '-') || name == "-").collect();
        let plain = plain.to_lowercase();
        if Variant::CHESS.contains(&plain.as_str()) {
            Some(Variant::Chess)
        } else {
            Variant::CHESS960.contains(&plain.as_str()).then_some(Variant::Chess960)
        }
    }

    /// The castling mode; `None` if the castling rights of the FEN determine it: some programs name positions of Chess960 chess.
    pub fn castling_mode(self) -> Option<CastlingMode> {
        (self == Variant::Chess960).then_some(CastlingMode::Chess960)
    }
}
