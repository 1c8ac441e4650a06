//! Games that a player lost by a fault: a crash, an illegal move, a time loss.
//!
//! Such a game counts as a loss of the player at fault, like in any match. Some are a property of the values that are tuned; many
//! mean that engine and limits do not fit, so a run stops after a number of them.

use super::space::Candidate;
use quarterply_games::game::{Ending, Pace};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Faults after which a run stops, by default.
pub const FAULTS: u32 = 5;

/// The kind of the fault of a player that cannot be started, as matches call it.
pub(crate) const NO_START: &str = "no-start";

/// A player of a pair of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum PairPlayer {
    /// The candidate that the pair measures.
    Candidate,
    /// Its opponent.
    Opponent,
}

/// How a game was lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameFault {
    /// The player at fault, which lost the game.
    pub by: PairPlayer,
    /// The kind of the fault, as matches call endings: `crash`, `time-loss`, `illegal-move` and so on.
    pub kind: String,
    /// Details: the illegal move, or how the program ended and its last output.
    pub what: String,
    /// The position in which it happened, as FEN.
    pub position: String,
}

/// A fault with the game in which it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultReport {
    /// The candidate of the pair.
    pub candidate: Candidate,
    /// Its opponent.
    pub opponent: Candidate,
    /// The number of the opening.
    pub opening: u32,
    /// The fault.
    #[serde(flatten)]
    pub fault: GameFault,
}

impl FaultReport {
    /// The values of the player at fault.
    pub fn values(&self) -> &Candidate {
        match self.fault.by {
            PairPlayer::Candidate => &self.candidate,
            PairPlayer::Opponent => &self.opponent,
        }
    }

    /// The fault and the values of the player, by the names of the parameters.
    pub fn describe(&self, names: &[String]) -> String {
        let settings = names.iter().zip(self.values()).map(|(name, value)| format!("{name} = {value}"));
        format!("{} (values: {})", self.fault, settings.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for GameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameFault { by, kind, what, position } = self;
        let kind = kind.replace('-', " ");
        // The details may begin with the kind, or be nothing else: `illegal move e2e4`, `time loss`.
        let reason = if what.starts_with(&kind) { what.clone() } else { format!("{kind}, {what}") };
        write!(f, "the {by} lost a game by {reason}, in {position}")
    }
}

/// The likely cause of a fault of this kind in games at this pace, and what to do.
pub fn advice(kind: &str, pace: &Pace) -> String {
    let timed = pace.is_timed();
    let narrow = "or leave the values out that cause it: narrow --params";
    let more = match pace {
        Pace::Nodes(nodes) => {
            format!("--move-nodes {nodes} may be too few for this engine: give more, or use --movetime")
        }
        Pace::Depth(depth) => {
            format!("--depth {depth} may be too shallow for this engine: give more, or use --movetime")
        }
        Pace::Clock(_) | Pace::Movetime { .. } => {
            format!("the time ({pace}) may be too short for this engine: give more")
        }
    };
    let time_loss = Ending::TimeLoss.code();
    match kind {
        kind if kind == time_loss => {
            format!("the time ({pace}) is too short for this engine on this machine: give a longer --tc or --movetime, or fewer --workers")
        }
        "hang" if !timed => {
            "the engine may not obey `go nodes` or `go depth`: `quarterply uci-check` tests it; --tc and --movetime do not need it"
                .to_owned()
        }
        NO_START => format!("the engine does not start with these values: repair the engine, {narrow}"),
        "illegal-move" | "wrong-claim" | "garbage" => format!("{more}; else repair the engine, {narrow}"),
        _ => format!("the engine fails in this position with these values: repair the engine, {narrow}; {more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn advice_names_the_likely_cause() {
        let movetime = Pace::Movetime { time: Duration::from_millis(10), margin: Duration::ZERO };
        for (kind, pace, needles) in [
            ("time-loss", movetime, ["movetime=0.01", "longer --tc or --movetime"]),
            ("illegal-move", Pace::Nodes(50), ["--move-nodes 50 may be too few", "repair the engine"]),
            ("illegal-move", Pace::Depth(1), ["--depth 1 may be too shallow", "repair the engine"]),
            ("hang", Pace::Nodes(50), ["`go nodes`", "uci-check"]),
            ("crash", Pace::Nodes(50), ["in this position with these values", "narrow --params"]),
            ("crash", movetime, ["in this position", "movetime=0.01"]),
            ("no-start", Pace::Nodes(50), ["does not start with these values", "narrow --params"]),
        ] {
            let text = advice(kind, &pace);
            assert!(needles.iter().all(|needle| text.contains(needle)), "{kind}: {text}");
        }
    }

    #[test]
    fn a_fault_is_reported_with_the_values_of_the_faulty_player() {
        let fault =
            |by| GameFault { by, kind: "crash".into(), what: "ended (signal: 11)".into(), position: "FEN".into() };
        let names = ["a".to_owned(), "b".to_owned()];
        let lost_on_time =
            GameFault { kind: "time-loss".into(), what: "time loss".into(), ..fault(PairPlayer::Opponent) };
        assert_eq!(lost_on_time.to_string(), "the opponent lost a game by time loss, in FEN");
        let illegal =
            GameFault { kind: "illegal-move".into(), what: "illegal move e2e4".into(), ..fault(PairPlayer::Candidate) };
        assert_eq!(illegal.to_string(), "the candidate lost a game by illegal move e2e4, in FEN");
        for (by, text) in [
            (
                PairPlayer::Candidate,
                "the candidate lost a game by crash, ended (signal: 11), in FEN (values: a = 1, b = 2)",
            ),
            (
                PairPlayer::Opponent,
                "the opponent lost a game by crash, ended (signal: 11), in FEN (values: a = 3, b = 4)",
            ),
        ] {
            let report = FaultReport { candidate: vec![1, 2], opponent: vec![3, 4], opening: 7, fault: fault(by) };
            assert_eq!(report.describe(&names), text);
        }
    }
}
