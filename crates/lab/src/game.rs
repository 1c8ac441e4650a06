//! One game between two players under a referee.
//!
//! The referee keeps the clocks, checks every move, ends the game by the rules of chess, and asks adjudicators whether to end
//! it earlier. A player that loses on time, plays an illegal move or fails loses the game; nothing of this is an error.

use quarterply_engine::clock::Limits;
use quarterply_engine::position::{Draw, Game};
use quarterply_engine::score::Score;
use shakmaty::{ByColor, Color, Move, Position as _};
use std::fmt;
use std::time::{Duration, Instant};
use thiserror::Error;

/// A game that is still undecided after this many moves of each side is a draw.
pub const MOVES_MAX: usize = 400;

/// What a player has chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The move in UCI notation, as the player wrote it.
    pub text: String,
    /// The value for the side to move, if known.
    pub score: Option<Score>,
    /// Depth reached (plies).
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

/// A player broke down: it crashed, fell silent or said something senseless.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PlayerError(pub String);

/// Someone who chooses moves.
pub trait Player {
    /// What the player is called.
    fn name(&self) -> &str;

    /// Forgets earlier games.
    fn new_game(&mut self) -> Result<(), PlayerError>;

    /// Chooses a move. `limits` holds both clocks.
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError>;
}

/// Time per game and side, and time won by each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Time at the beginning.
    pub base: Duration,
    /// Time won by each move.
    pub increment: Duration,
    /// A clock may be overdrawn by this much, for what pipes and scheduling take.
    pub margin: Duration,
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no time control; write seconds per game and, after +, seconds per move, such as 1+0.01")]
pub struct TimeControlError(String);

impl std::str::FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let wrong = || TimeControlError(text.to_owned());
        let (base, increment) = text.trim().split_once('+').unwrap_or((text.trim(), "0"));
        let seconds =
            |part: &str| part.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok()).ok_or_else(wrong);
        let control = TimeControl { base: seconds(base)?, increment: seconds(increment)?, margin: Duration::ZERO };
        if control.base.is_zero() { Err(wrong()) } else { Ok(control) }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.base.as_secs_f64(), self.increment.as_secs_f64())
    }
}

/// What each move may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Time from a clock.
    Clock(TimeControl),
    /// Nodes per move, whatever time they take: results repeat on every machine.
    Nodes(u64),
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Clock(control) => write!(f, "{control}"),
            Pace::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
        }
    }
}

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The loser is mated.
    Checkmate,
    /// The side to move has no move.
    Stalemate,
    /// Drawn by another rule.
    Drawn(Draw),
    /// The loser overstepped the time.
    TimeLoss,
    /// The loser played this.
    IllegalMove(String),
    /// The loser broke down.
    Failure(String),
    /// An adjudicator ended it.
    Adjudicated(&'static str),
    /// Nobody won within [`MOVES_MAX`] moves.
    TooLong,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Checkmate => f.write_str("checkmate"),
            Ending::Stalemate => f.write_str("stalemate"),
            Ending::Drawn(Draw::Threefold) => f.write_str("threefold repetition"),
            Ending::Drawn(Draw::FiftyMoves) => f.write_str("fifty moves"),
            Ending::Drawn(Draw::InsufficientMaterial) => f.write_str("insufficient material"),
            Ending::TimeLoss => f.write_str("time loss"),
            Ending::IllegalMove(text) => write!(f, "illegal move {text}"),
            Ending::Failure(reason) => write!(f, "failure: {reason}"),
            Ending::Adjudicated(reason) => f.write_str(reason),
            Ending::TooLong => f.write_str("too long"),
        }
    }
}

impl Ending {
    /// Did a player do something that a sound engine never does?
    pub fn is_fault(&self) -> bool {
        matches!(self, Ending::TimeLoss | Ending::IllegalMove(_) | Ending::Failure(_))
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub ending: Ending,
}

/// One move of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// What the player thought of it.
    pub choice: Choice,
    /// Time taken.
    pub time: Duration,
    /// Time left on the mover's clock when the move was made, if there is a clock.
    pub left: Option<Duration>,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Record {
    /// The players.
    pub names: ByColor<String>,
    /// The opening: where the players took over.
    pub opening: Game,
    /// Their moves.
    pub played: Vec<Played>,
    /// How it ended.
    pub verdict: Verdict,
}

/// Ends games that are decided.
pub trait Adjudicator {
    /// Looks at the game after a move of `mover`.
    fn judge(&mut self, game: &Game, mover: Color, choice: &Choice) -> Option<Verdict>;
}

/// Plays one game from `opening`.
pub fn play(
    players: ByColor<&mut dyn Player>,
    opening: &Game,
    pace: Pace,
    adjudicators: &mut [Box<dyn Adjudicator>],
) -> Record {
    let names = players.as_ref().map(|player| player.name().to_owned());
    let base = match pace {
        Pace::Clock(control) => control.base,
        Pace::Nodes(_) => Duration::ZERO,
    };
    let clocks = ByColor { white: base, black: base };
    let mut referee = Referee { players, game: opening.clone(), pace, clocks, played: Vec::new() };
    let verdict = referee.begin().unwrap_or_else(|| referee.run(adjudicators));
    Record { names, opening: opening.clone(), played: referee.played, verdict }
}

struct Referee<'a> {
    players: ByColor<&'a mut dyn Player>,
    game: Game,
    pace: Pace,
    clocks: ByColor<Duration>,
    played: Vec<Played>,
}

impl Referee<'_> {
    /// Tells both players; one that breaks down here has lost.
    fn begin(&mut self) -> Option<Verdict> {
        let failed = |color: Color, e: PlayerError| Verdict { winner: Some(!color), ending: Ending::Failure(e.0) };
        for color in Color::ALL {
            if let Err(error) = self.players.get_mut(color).new_game() {
                return Some(failed(color, error));
            }
        }
        None
    }

    fn run(&mut self, adjudicators: &mut [Box<dyn Adjudicator>]) -> Verdict {
        loop {
            if let Some(verdict) = ended(&self.game) {
                return verdict;
            }
            if self.played.len() >= 2 * MOVES_MAX {
                return Verdict { winner: None, ending: Ending::TooLong };
            }
            let mover = self.game.position().turn();
            if let Err(ending) = self.turn(mover) {
                return Verdict { winner: Some(!mover), ending };
            }
            let Some(last) = self.played.last() else { continue };
            for adjudicator in adjudicators.iter_mut() {
                if let Some(verdict) = adjudicator.judge(&self.game, mover, &last.choice) {
                    return verdict;
                }
            }
        }
    }

    /// One move of `mover`; the error is how it lost.
    fn turn(&mut self, mover: Color) -> Result<(), Ending> {
        let limits = self.limits();
        let start = Instant::now();
        let choice = self.players.get_mut(mover).choose(&self.game, &limits).map_err(|e| Ending::Failure(e.0))?;
        let time = start.elapsed();
        let left = self.stop_clock(mover, time)?;
        let mv = self.game.play_uci(&choice.text).map_err(|_| Ending::IllegalMove(choice.text.clone()))?;
        self.played.push(Played { mv, choice, time, left });
        Ok(())
    }

    fn limits(&self) -> Limits {
        match self.pace {
            Pace::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
            Pace::Clock(TimeControl { increment, .. }) => Limits {
                time: self.clocks.map(Some),
                increment: ByColor { white: increment, black: increment },
                ..Limits::default()
            },
        }
    }

    /// Takes the time off the mover's clock; what was left before the increment.
    fn stop_clock(&mut self, mover: Color, time: Duration) -> Result<Option<Duration>, Ending> {
        let Pace::Clock(control) = self.pace else { return Ok(None) };
        let clock = self.clocks.get_mut(mover);
        if time > *clock + control.margin {
            return Err(Ending::TimeLoss);
        }
        let left = clock.saturating_sub(time);
        *clock = left + control.increment;
        Ok(Some(left))
    }
}

/// Is the game over by the rules?
pub fn ended(game: &Game) -> Option<Verdict> {
    let position = game.position();
    if position.chess().legal_moves().is_empty() {
        return Some(if position.in_check() {
            Verdict { winner: Some(!position.turn()), ending: Ending::Checkmate }
        } else {
            Verdict { winner: None, ending: Ending::Stalemate }
        });
    }
    game.draw().map(|draw| Verdict { winner: None, ending: Ending::Drawn(draw) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    /// Plays the given moves, then breaks down.
    struct Script(Vec<&'static str>);

    impl Player for Script {
        fn name(&self) -> &str {
            "script"
        }
        fn new_game(&mut self) -> Result<(), PlayerError> {
            self.0.reverse();
            Ok(())
        }
        fn choose(&mut self, _: &Game, _: &Limits) -> Result<Choice, PlayerError> {
            let text = self.0.pop().ok_or_else(|| PlayerError("out of moves".to_owned()))?;
            if text == "slow" {
                std::thread::sleep(Duration::from_millis(30));
            }
            let text = if text == "slow" { "a2a3" } else { text };
            Ok(Choice { text: text.to_owned(), score: Some(Score::ZERO), depth: 1, nodes: 1 })
        }
    }

    fn game(fen: &str, white: &[&'static str], black: &[&'static str]) -> Record {
        let opening = Game::from_fen(fen, CastlingMode::Standard).expect(fen);
        let (mut white, mut black) = (Script(white.to_vec()), Script(black.to_vec()));
        let control = TimeControl { base: Duration::from_millis(20), ..second() };
        play(ByColor { white: &mut white, black: &mut black }, &opening, Pace::Clock(control), &mut [])
    }

    fn second() -> TimeControl {
        "1+0.01".parse().expect("a time control")
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn games_end_as_the_rules_say() {
        use Color::{Black, White};
        let there = ["g1f3", "f3g1", "g1f3", "f3g1"];
        let back = ["g8f6", "f6g8", "g8f6", "f6g8"];
        for (name, fen, white, black, winner, ending) in [
            ("mate", START, vec!["f2f3", "g2g4"], vec!["e7e5", "d8h4"], Some(Black), Ending::Checkmate),
            ("stalemate", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", vec!["g1g6"], vec![], None, Ending::Stalemate),
            ("repetition", START, there.to_vec(), back.to_vec(), None, Ending::Drawn(Draw::Threefold)),
            ("fifty", "7k/8/8/8/8/8/6R1/K7 w - - 99 80", vec!["g2g1"], vec![], None, Ending::Drawn(Draw::FiftyMoves)),
            ("mate first", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", vec!["a1a8"], vec![], Some(White), Ending::Checkmate),
            (
                "bare",
                "7k/8/8/8/8/8/1p6/K7 w - - 0 1",
                vec!["a1b2"],
                vec![],
                None,
                Ending::Drawn(Draw::InsufficientMaterial),
            ),
            ("illegal", START, vec!["e2e5"], vec![], Some(Black), Ending::IllegalMove("e2e5".into())),
            ("nonsense", START, vec!["e2e4"], vec!["(none)"], Some(White), Ending::IllegalMove("(none)".into())),
            ("failure", START, vec!["e2e4"], vec![], Some(White), Ending::Failure("out of moves".into())),
            ("time", START, vec!["slow"], vec![], Some(Black), Ending::TimeLoss),
        ] {
            let record = game(fen, &white, &black);
            assert_eq!(record.verdict, Verdict { winner, ending }, "{name}");
        }
    }

    #[test]
    fn an_adjudicator_can_end_a_game() {
        struct AfterTwo;
        impl Adjudicator for AfterTwo {
            fn judge(&mut self, game: &Game, mover: Color, _: &Choice) -> Option<Verdict> {
                let verdict = Verdict { winner: Some(mover), ending: Ending::Adjudicated("enough") };
                (game.moves().len() == 2).then_some(verdict)
            }
        }
        let (mut white, mut black) = (Script(vec!["e2e4"]), Script(vec!["e7e5"]));
        let players = ByColor::<&mut dyn Player> { white: &mut white, black: &mut black };
        let record = play(players, &Game::new(), Pace::Nodes(5), &mut [Box::new(AfterTwo)]);
        assert_eq!(record.verdict, Verdict { winner: Some(Color::Black), ending: Ending::Adjudicated("enough") });
        assert_eq!(record.played.len(), 2);
    }

    #[test]
    fn time_controls_are_read() {
        for (text, base, increment) in [("1+0.01", 1000, 10), ("60", 60_000, 0), (" 0.5+0 ", 500, 0)] {
            let control: TimeControl = text.parse().expect(text);
            assert_eq!((control.base.as_millis(), control.increment.as_millis()), (base, increment), "{text}");
        }
        for text in ["", "x", "1+", "+1", "-1", "0", "1+-1", "nan", "1e99"] {
            let error = text.parse::<TimeControl>().expect_err(text).to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }
}
