//! Games with engines of others, where they are installed.

use quarterply_engine::position::Game;
use quarterply_games::game::adjudicate::Adjudication;
use quarterply_games::game::{Pace, play};
use quarterply_games::players::{PlayerDefaults, RestartablePlayer, Spec, SpecError};
use shakmaty::ByColor;
use std::time::Duration;

/// A busy machine may hold an engine up for so long.
const MARGIN: Duration = Duration::from_secs(20);
/// This number of plies shows that a conversation works.
const PLIES_MIN: usize = 12;

/// Two games with colours swapped, each after some moves of an opening. Nothing happens where a program is missing.
fn play_two(players: [&str; 2], pace: &str) {
    let pace = pace.parse::<Pace>().expect("a pace").with_margin(MARGIN);
    let specs = players.map(|player| player.parse::<Spec>().expect(player));
    if specs.iter().any(|spec| matches!(spec.check(&pace), Err(SpecError::NoProgram(..)))) {
        return;
    }
    let mut seats = specs.map(|spec| RestartablePlayer::new(&spec, &PlayerDefaults::default()).expect("a good player"));
    let mut opening = Game::new();
    opening.play_line(["e2e4", "c7c5", "g1f3", "b8c6", "f1b5", "g8f6", "e1g1"]).expect("legal");
    // Adjudication keeps the games short.
    let adjudication = Adjudication {
        win: "moves=3 score=250".parse().ok(),
        draw: "after=20 moves=2 score=300".parse().ok(),
        tables: None,
    };
    for swapped in [false, true] {
        let [first, second] = &mut seats;
        let (white, black) = if swapped { (second, first) } else { (first, second) };
        let record = play(ByColor { white, black }, &opening, pace, &mut adjudication.start());
        let verdict = &record.verdict;
        let text = format!("{players:?}: {verdict:?} {:?}", verdict.ending.detail());
        assert!(!verdict.ending.is_fault() && record.played.len() >= PLIES_MIN, "{text}");
        assert!(record.played.iter().all(|played| played.choice.depth > 0), "{text}");
    }
}

#[test]
fn gnu_chess_plays_by_xboard() {
    play_two(["xboard:gnuchess --xboard", "default"], "1+0.01");
    play_two(["xboard:gnuchess --xboard", "default"], "depth=3");
}

#[test]
fn fairy_max_plays_without_setboard() {
    play_two(["default", "xboard:fairymax option.Resign=1"], "1+0.02");
}

#[test]
fn two_engines_of_xboard_play_each_other() {
    play_two(["xboard:fairymax", "xboard:gnuchess --xboard"], "20/1");
}

#[test]
fn toga_and_glaurung_play_by_uci() {
    play_two(["cmd:toga2 option.Hash=8", "cmd:glaurung"], "nodes=3000");
}
