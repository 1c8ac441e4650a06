//! One game between two players under a referee.
//!
//! The referee keeps the clocks, checks every move, ends the game by the rules of chess, and asks adjudicators whether to end
//! it earlier. A player that loses on time, plays an illegal move or fails loses the game; nothing of this is an error.
//!
//! No clock runs during the preparation: the players first receive the new game and the opening.

pub mod adjudicate;
mod ending;
mod fault;
mod pace;

pub use ending::{Ending, GameResult, GameVerdict};
pub use fault::PlayerError;
pub use pace::{Pace, PaceError, Paces, TIME_MAX, TimeControl, TimeControlError, parse_seconds};

use pace::{Clocks, TimeExceeded};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use shakmaty::{ByColor, Color, Move, Position as _};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A game that is still undecided after this many moves of each side is a draw.
pub const MOVES_MAX: usize = 400;

/// A player's choice.
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

/// Additional information about a player's latest choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveInfo {
    /// The time it took, measured where the answer arrived; the referee's own measure if `None`.
    pub time: Option<Duration>,
    /// True if the player offered a draw with it.
    pub offers_draw: bool,
}

/// A player: it chooses moves.
pub trait Player {
    /// The player's name.
    fn name(&self) -> &str;

    /// Forgets earlier games.
    fn new_game(&mut self) -> Result<(), PlayerError>;

    /// Ends the search of a move as soon as one of these flags is set; the move and the game then do not count.
    fn stop_on(&mut self, _flags: &[Arc<AtomicBool>]) {}

    /// Gets ready for a game from `opening` at this pace. No clock runs yet.
    fn prepare(&mut self, _opening: &Game, _pace: &Pace) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Chooses a move. `limits` holds both clocks.
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError>;

    /// Additional information about the latest choice.
    fn remarks(&self) -> MoveInfo {
        MoveInfo::default()
    }

    /// The opponent offers a draw with the move that comes next.
    fn receive_draw_offer(&mut self) {}

    /// The game is over.
    fn game_over(&mut self, _game: &Game, _verdict: &GameVerdict) {}
}

/// One move of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// The player's search results.
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
    pub verdict: GameVerdict,
}

/// Ends games that are decided.
pub trait Adjudicator {
    /// Looks at the game after a move of `mover`.
    fn adjudicate(&mut self, game: &Game, mover: Color, choice: &Choice) -> Option<GameVerdict>;
}

/// Plays one game from `opening`, at one pace for both sides or at one for each.
pub fn play(
    players: ByColor<&mut dyn Player>,
    opening: &Game,
    paces: impl Into<Paces>,
    adjudicators: &mut [Box<dyn Adjudicator>],
) -> Record {
    let names = players.as_ref().map(|player| player.name().to_owned());
    let paces = paces.into();
    let clocks = Clocks::new(paces);
    let offer = None;
    let mut referee = Referee { players, game: opening.clone(), clocks, offer, played: Vec::new() };
    let verdict = referee.begin(&paces.0).unwrap_or_else(|| referee.run(adjudicators));
    for color in Color::ALL {
        referee.players.get_mut(color).game_over(&referee.game, &verdict);
    }
    Record { names, opening: opening.clone(), played: referee.played, verdict }
}

struct Referee<'a> {
    players: ByColor<&'a mut dyn Player>,
    game: Game,
    clocks: Clocks,
    /// The side that offered a draw with the latest move.
    offer: Option<Color>,
    played: Vec<Played>,
}

impl Referee<'_> {
    /// Starts the game for both players; a player that fails here has lost.
    fn begin(&mut self, paces: &ByColor<Pace>) -> Option<GameVerdict> {
        for color in Color::ALL {
            let player = self.players.get_mut(color);
            let ready = player.new_game().and_then(|()| player.prepare(&self.game, paces.get(color)));
            if let Err(error) = ready {
                return Some(GameVerdict::lost(color, Ending::Failure(error)));
            }
        }
        None
    }

    fn run(&mut self, adjudicators: &mut [Box<dyn Adjudicator>]) -> GameVerdict {
        loop {
            // The rules of chess take precedence over adjudication.
            if let Some(verdict) = ended(&self.game).or_else(|| self.adjudicated(adjudicators)) {
                return verdict;
            }
            if self.played.len() >= 2 * MOVES_MAX {
                return GameVerdict::drawn(Ending::TooLong);
            }
            let mover = self.game.position().turn();
            if let Err(verdict) = self.turn(mover) {
                return verdict;
            }
        }
    }

    /// The verdict of the adjudicators after the latest move; `None` before the first one.
    fn adjudicated(&self, adjudicators: &mut [Box<dyn Adjudicator>]) -> Option<GameVerdict> {
        let (last, mover) = (self.played.last()?, !self.game.position().turn());
        adjudicators.iter_mut().find_map(|adjudicator| adjudicator.adjudicate(&self.game, mover, &last.choice))
    }

    /// One move of `mover`; the error is how the game ended instead.
    fn turn(&mut self, mover: Color) -> Result<(), GameVerdict> {
        let limits = self.clocks.limits(mover);
        let offered = self.offer == Some(!mover);
        let player = self.players.get_mut(mover);
        if offered {
            player.receive_draw_offer();
        }
        let start = Instant::now();
        let choice = player.choose(&self.game, &limits).map_err(|error| self.failed(mover, error))?;
        let remarks = self.players.get(mover).remarks();
        let time = remarks.time.unwrap_or_else(|| start.elapsed());
        let lost = |ending| GameVerdict::lost(mover, ending);
        let left = self.clocks.stop(mover, time).map_err(|TimeExceeded| lost(Ending::TimeLoss))?;
        let mv = self.game.play_uci(&choice.text).map_err(|_| lost(Ending::IllegalMove(choice.text.clone())))?;
        self.played.push(Played { mv, choice, time, left });
        self.offer = remarks.offers_draw.then_some(mover);
        // The rules of chess are checked first: checkmate takes precedence over an agreed draw.
        if offered && remarks.offers_draw && ended(&self.game).is_none() {
            return Err(GameVerdict::drawn(Ending::Agreed));
        }
        Ok(())
    }

    /// The verdict after an error of `mover`.
    fn failed(&self, mover: Color, error: PlayerError) -> GameVerdict {
        match error {
            PlayerError::Resigned => GameVerdict::lost(mover, Ending::Resigned),
            PlayerError::Claimed { claim, text } => self.claimed(mover, claim, text),
            error => GameVerdict::lost(mover, Ending::Failure(error)),
        }
    }

    /// Checks a claim of the side to move. Games that are over by the rules have ended before, so that a claim can be right in
    /// three cases only: the player resigns, it accepts a draw, or its next move makes a draw by repetition or fifty moves.
    fn claimed(&self, mover: Color, claim: GameResult, text: String) -> GameVerdict {
        match claim {
            GameResult::White if mover.is_black() => GameVerdict::lost(mover, Ending::Resigned),
            GameResult::Black if mover.is_white() => GameVerdict::lost(mover, Ending::Resigned),
            GameResult::Draw if self.offer == Some(!mover) => GameVerdict::drawn(Ending::Agreed),
            GameResult::Draw => match draw_in_one(&self.game) {
                Some(verdict) => verdict,
                None => GameVerdict::lost(mover, Ending::WrongClaim(text)),
            },
            GameResult::White | GameResult::Black => GameVerdict::lost(mover, Ending::WrongClaim(text)),
        }
    }
}

/// The draw by repetition or fifty moves that some move of the side to move would bring about.
fn draw_in_one(game: &Game) -> Option<GameVerdict> {
    game.position().legal_moves().into_iter().find_map(|mv| {
        let mut after = game.clone();
        after.play(mv);
        after.draw().map(|draw| GameVerdict::drawn(Ending::Drawn(draw)))
    })
}

/// The ending by the rules of chess, if the game is over.
pub fn ended(game: &Game) -> Option<GameVerdict> {
    let position = game.position();
    if position.chess().legal_moves().is_empty() {
        return Some(if position.in_check() {
            GameVerdict::lost(position.turn(), Ending::Checkmate)
        } else {
            GameVerdict::drawn(Ending::Stalemate)
        });
    }
    game.draw().map(|draw| GameVerdict::drawn(Ending::Drawn(draw)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Draw;

    fn out_of_moves() -> PlayerError {
        PlayerError::InvalidAnswer { text: "out of moves".to_owned() }
    }

    /// Plays the given moves, then fails. `slow` is a move that takes long; a move with `=` offers a draw; `resign` resigns and a result
    /// claims it; other words are not moves. The second field is true if the last move offered a draw.
    struct Script(Vec<&'static str>, bool);

    impl Player for Script {
        fn name(&self) -> &str {
            "script"
        }
        fn new_game(&mut self) -> Result<(), PlayerError> {
            self.0.reverse();
            Ok(())
        }
        fn choose(&mut self, _: &Game, _: &Limits) -> Result<Choice, PlayerError> {
            let mut word = self.0.pop().ok_or_else(out_of_moves)?;
            if word == "resign" {
                return Err(PlayerError::Resigned);
            }
            if let Ok(claim) = word.parse() {
                return Err(PlayerError::Claimed { claim, text: word.to_owned() });
            }
            if word == "slow" {
                std::thread::sleep(Duration::from_millis(30));
                word = "a2a3";
            }
            self.1 = word.ends_with('=');
            Ok(Choice { text: word.trim_end_matches('=').to_owned(), score: None, depth: 1, nodes: 1 })
        }
        fn remarks(&self) -> MoveInfo {
            MoveInfo { time: None, offers_draw: self.1 }
        }
    }

    /// A game between scripts from this position.
    fn game(
        fen: &str,
        [white, black]: [&[&'static str]; 2],
        pace: Pace,
        adjudicators: &mut [Box<dyn Adjudicator>],
    ) -> Record {
        let opening = Game::standard(fen).expect(fen);
        let (mut white, mut black) = (Script(white.to_vec(), false), Script(black.to_vec(), false));
        play(ByColor { white: &mut white, black: &mut black }, &opening, pace, adjudicators)
    }

    const NODES: Pace = Pace::Nodes(5);
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn games_end_by_the_rules() {
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
            ("failure", START, vec!["e2e4"], vec![], Some(White), Ending::Failure(out_of_moves())),
            ("time", START, vec!["slow"], vec![], Some(Black), Ending::TimeLoss),
        ] {
            let pace = if name == "time" { "0.02+0.01".parse().expect("a pace") } else { NODES };
            let record = game(fen, [&white, &black], pace, &mut []);
            assert_eq!(record.verdict, GameVerdict { winner, ending }, "{name}");
        }
    }

    #[test]
    fn an_adjudicator_can_end_a_game() {
        struct AfterTwo;
        impl Adjudicator for AfterTwo {
            fn adjudicate(&mut self, game: &Game, mover: Color, _: &Choice) -> Option<GameVerdict> {
                let verdict = GameVerdict { winner: Some(mover), ending: Ending::Adjudicated("enough") };
                (game.moves().len() == 2).then_some(verdict)
            }
        }
        let record = game(START, [&["e2e4"], &["e7e5"]], NODES, &mut [Box::new(AfterTwo)]);
        assert_eq!(record.verdict, GameVerdict { winner: Some(Color::Black), ending: Ending::Adjudicated("enough") });
        assert_eq!(record.played.len(), 2);
    }

    #[test]
    fn a_game_that_is_over_by_the_rules_of_chess_is_not_adjudicated() {
        struct Always;
        impl Adjudicator for Always {
            fn adjudicate(&mut self, _: &Game, mover: Color, _: &Choice) -> Option<GameVerdict> {
                Some(GameVerdict { winner: Some(!mover), ending: Ending::Adjudicated("always") })
            }
        }
        let fifty = Ending::Drawn(Draw::FiftyMoves);
        for (name, fen, mv, winner, ending) in [
            ("mate", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8", Some(Color::White), Ending::Checkmate),
            ("stalemate", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "g1g6", None, Ending::Stalemate),
            ("fifty moves", "7k/8/8/8/8/8/6R1/K7 w - - 99 80", "g2g1", None, fifty),
            ("none", "7k/8/8/8/8/8/6R1/K7 w - - 9 80", "g2g1", Some(Color::Black), Ending::Adjudicated("always")),
        ] {
            let record = game(fen, [&[mv], &[]], NODES, &mut [Box::new(Always)]);
            assert_eq!(record.verdict, GameVerdict { winner, ending }, "{name}");
        }
    }

    #[test]
    fn claims_of_players_are_checked() {
        use Color::{Black, White};
        let wrong = |text: &str| Ending::WrongClaim(text.to_owned());
        let drawn = Ending::Drawn(Draw::Threefold);
        let there = vec!["g1f3", "f3g1", "g1f3", "f3g1"];
        let back = vec!["g8f6", "f6g8", "g8f6", "1/2-1/2"];
        for (name, white, black, winner, ending) in [
            ("resignation", vec!["resign"], vec![], Some(Black), Ending::Resigned),
            ("loss claimed", vec!["0-1"], vec![], Some(Black), Ending::Resigned),
            ("win claimed", vec!["1-0"], vec![], Some(Black), wrong("1-0")),
            ("win claimed by black", vec!["e2e4"], vec!["0-1"], Some(White), wrong("0-1")),
            ("draw claimed", vec!["1/2-1/2"], vec![], Some(Black), wrong("1/2-1/2")),
            ("repetition to come", there, back, None, drawn),
            ("offer taken by a claim", vec!["e2e4="], vec!["1/2-1/2"], None, Ending::Agreed),
            ("both offer", vec!["e2e4="], vec!["e7e5="], None, Ending::Agreed),
            ("an offer is over", vec!["e2e4=", "d2d4"], vec!["e7e5", "d7d5="], Some(Black), garbage()),
            ("a mate is not a draw", vec!["f2f3", "g2g4="], vec!["e7e5", "d8h4="], Some(Black), Ending::Checkmate),
        ] {
            let record = game(START, [&white, &black], NODES, &mut []);
            assert_eq!(record.verdict, GameVerdict { winner, ending }, "{name}");
        }
    }

    fn garbage() -> Ending {
        Ending::Failure(out_of_moves())
    }
}
