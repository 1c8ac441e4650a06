//! Players that fail in every way: the result and the messages are right, and the next game is played.

#![cfg(unix)]

mod faulty;

use faulty::EngineFault;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_games::game::{Adjudicator, Choice, Ending, GameVerdict, Pace, Player, Record, play};
use quarterply_games::player::EnginePlayer;
use quarterply_games::players::{PlayerDefaults, RestartablePlayer, Spec, Timeouts};
use shakmaty::{ByColor, CastlingMode, Color};
use std::time::Duration;

/// No test: the program that the tests below start.
#[test]
fn faulty_engine() {
    faulty::run();
}

const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// Short where waiting is the fault, long where a busy machine could be.
fn terms() -> PlayerDefaults {
    let waits =
        Timeouts { start: ms(20_000), answer: ms(10_000), search: ms(500), grace: ms(300), ..Timeouts::default() };
    PlayerDefaults { hash: 1, waits, ..PlayerDefaults::default() }
}

fn make_player(text: &str) -> RestartablePlayer {
    RestartablePlayer::new(&text.parse::<Spec>().expect(text), &terms()).expect(text)
}

/// One game with the player on `color`; the opponent is sound.
fn game(player: &mut RestartablePlayer, color: Color, fault: EngineFault, pace: &str) -> Record {
    let mut sound = EnginePlayer::new("Sound", Parameters::default(), 1).expect("a small table");
    let players: ByColor<&mut dyn Player> = match color {
        Color::White => ByColor { white: player, black: &mut sound },
        Color::Black => ByColor { white: &mut sound, black: player },
    };
    let opening = Game::from_fen(&fault.opening(), CastlingMode::Standard).expect("a good FEN");
    let pace = pace.parse::<Pace>().expect("a pace").with_margin(ms(400));
    play(players, &opening, pace, &mut [])
}

/// The faults with their endings; `None` where the game must end by the rules.
const ENDINGS: [(EngineFault, Option<&str>); 15] = [
    (EngineFault::None, None),
    (EngineFault::Hang, Some("hang")),
    (EngineFault::Flood, Some("hang")),
    (EngineFault::Exit, Some("crash")),
    (EngineFault::Abort, Some("crash")),
    (EngineFault::InvalidAnswer, Some("garbage")),
    (EngineFault::NoMove, Some("garbage")),
    (EngineFault::Illegal, Some("illegal move e2e5")),
    (EngineFault::Late, Some("time loss")),
    (EngineFault::Disconnect, Some("disconnect")),
    (EngineFault::Noise, None),
    (EngineFault::Twice, None),
    (EngineFault::ExitAfter, None),
    (EngineFault::WrongClaim, None),
    (EngineFault::Resign, None),
];

fn check(protocol: &str, color: Color, endings: &[(EngineFault, Option<&str>)]) {
    let mut player = make_player(&faulty::player(protocol));
    for (fault, ending) in endings {
        let record = game(&mut player, color, *fault, "movetime=1");
        let verdict = &record.verdict;
        let name = format!("{protocol} {color} {fault:?}: {verdict:?}");
        match ending {
            Some(ending) => {
                assert_eq!((verdict.winner, verdict.ending.to_string().as_str()), (Some(!color), *ending), "{name}");
            }
            None => assert_eq!((verdict.winner, verdict.ending.code()), (Some(Color::White), "checkmate"), "{name}"),
        }
        if *fault == EngineFault::Exit {
            let detail = verdict.ending.detail().unwrap_or_default();
            assert!(detail.contains("exit status: 3") && detail.contains(faulty::LAST_WORDS), "{detail}");
        }
        assert_eq!(record.names.get(color), &format!("Faulty-{protocol}"));
    }
}

#[test]
fn uci_engines_may_break_down_in_any_way() {
    std::thread::scope(|scope| {
        scope.spawn(|| check("uci", Color::White, &ENDINGS));
        scope.spawn(|| check("uci", Color::Black, &ENDINGS));
    });
}

#[test]
fn xboard_engines_may_break_down_in_any_way() {
    let mut endings = ENDINGS;
    for (fault, ending) in &mut endings {
        match fault {
            // A word in the place of a move is one that cannot be played.
            EngineFault::InvalidAnswer => *ending = Some("illegal move xyzzy"),
            EngineFault::WrongClaim => *ending = Some("wrong claim 1-0 {White mates}"),
            EngineFault::Resign => *ending = Some("resignation"),
            _ => {}
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(|| check("xboard", Color::White, &endings));
        scope.spawn(|| {
            let mut endings = endings;
            endings.iter_mut().filter(|(fault, _)| *fault == EngineFault::WrongClaim).for_each(|(_, ending)| {
                *ending = Some("wrong claim 0-1 {Black mates}");
            });
            check("xboard", Color::Black, &endings);
        });
    });
}

#[test]
fn a_player_that_cannot_start_loses_and_is_named() {
    for (text, needles) in [
        ("cmd:false", vec!["cannot start cmd:false", "ended"]),
        ("cmd:/no/such/engine", vec!["cannot start cmd:/no/such/engine", "no program `/no/such/engine`"]),
        ("xboard:false", vec!["cannot start xboard:false", "ended"]),
    ] {
        let mut player = make_player(text);
        for _ in 0..5 {
            let record = game(&mut player, Color::White, EngineFault::None, "nodes=10");
            assert_eq!((record.verdict.winner, record.verdict.ending.code()), (Some(Color::Black), "no-start"));
            let detail = record.verdict.ending.detail().unwrap_or_default();
            assert!(needles.iter().all(|needle| detail.contains(needle)), "{detail}");
        }
    }
}

#[test]
fn options_that_an_engine_lacks_are_named() {
    for protocol in ["uci", "xboard"] {
        let text = format!("{} option.Contempt=3", faulty::player(protocol));
        let error = make_player(&text).start().expect_err("no such option").to_string();
        assert!(error.contains("has no option `Contempt`"), "{error}");
    }
}

#[test]
fn engines_that_play_one_game_only_are_started_for_each() {
    let mut player = make_player(&faulty::player("once"));
    for _ in 0..2 {
        let record = game(&mut player, Color::White, EngineFault::None, "movetime=1");
        assert_eq!(record.verdict.ending.code(), "checkmate", "{:?}", record.verdict.ending.detail());
    }
}

#[test]
fn engines_of_the_older_protocol_play_from_the_start_position_only() {
    let mut player = make_player(&faulty::player("old"));
    let mut sound = EnginePlayer::new("Sound", Parameters::default(), 1).expect("a small table");
    let pace = "2+0.1".parse::<Pace>().expect("a pace").with_margin(ms(10_000));
    let mut opening = Game::new();
    for mv in ["f2f3", "e7e5", "e1f2", "d7d5", "d1e1", "b8c6"] {
        opening.play_uci(mv).expect("legal");
    }
    // The side to move may be mated soon, but not at once.
    let mut stop: Vec<Box<dyn Adjudicator>> = vec![Box::new(AfterPlies(12))];
    let record = play(ByColor { white: &mut player, black: &mut sound }, &opening, pace, &mut stop);
    assert_eq!(record.verdict.ending, Ending::Adjudicated("enough"), "{:?}", record.verdict);
    let record = game(&mut player, Color::White, EngineFault::None, "2+0.1");
    assert_eq!((record.verdict.winner, record.verdict.ending.code()), (Some(Color::Black), "refusal"));
    assert!(record.verdict.ending.detail().is_some_and(|text| text.contains("setboard")));
}

/// Ends a game after this number of plies.
struct AfterPlies(usize);

impl Adjudicator for AfterPlies {
    fn adjudicate(&mut self, game: &Game, _: Color, _: &Choice) -> Option<GameVerdict> {
        (game.moves().len() >= self.0).then(|| GameVerdict::drawn(Ending::Adjudicated("enough")))
    }
}
