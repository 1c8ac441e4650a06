//! Play at reduced strength, as a GUI sees it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::common::{TestClient, best};

const RATINGS: [u32; 3] = [1200, 1600, 2000];

/// A client of a server that plays at this strength.
pub fn weak(elo: u32) -> TestClient {
    let mut client = TestClient::new();
    client.send(&format!("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value {elo}"));
    client
}

/// The moves of a game with this seed.
pub fn opening(client: &mut TestClient, seed: u32, plies: usize) -> Vec<String> {
    client.send(&format!("setoption name Strength Seed value {seed}\nucinewgame"));
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..plies {
        client.send(&format!("position startpos moves {}", moves.join(" ")));
        moves.push(best(&client.go("go nodes 100000")));
    }
    moves
}

/// One game in five began with 1.a3, 1.h3 or 1.f3 at 1200 and 1600.
#[test]
fn first_moves_are_those_that_people_choose() {
    const GAMES: u32 = 100;
    for elo in RATINGS {
        let mut client = weak(elo);
        let mut counts: HashMap<String, u32> = HashMap::new();
        for seed in 1..=GAMES {
            *counts.entry(opening(&mut client, seed, 1).remove(0)).or_default() += 1;
        }
        let share = |moves: &[&str]| moves.iter().filter_map(|mv| counts.get(*mv)).sum::<u32>();
        assert_eq!(share(&["a2a3", "h2h3", "f2f3", "a2a4", "h2h4", "g2g4"]), 0, "{elo}: {counts:?}");
        assert!((36..=66).contains(&share(&["e2e4"])), "51 % and three standard errors, {elo}: {counts:?}");
        assert!(share(&["e2e4", "d2d4", "g1f3", "c2c4"]) >= 80, "{elo}: {counts:?}");
    }
}

#[test]
fn the_first_three_moves_develop_pieces() {
    const GAMES: u32 = 20;
    const PLIES: usize = 6;
    for elo in RATINGS {
        let mut client = weak(elo);
        let moves: Vec<String> = (1..=GAMES).flat_map(|seed| opening(&mut client, seed, PLIES)).collect();
        // No piece but a pawn comes from the second or seventh rank this early, unless it was developed there.
        let flank = ["a2", "f2", "h2", "a7", "f7", "h7"];
        let found = moves.iter().filter(|mv| flank.iter().any(|square| mv.starts_with(square))).count();
        assert!(found * 10 < moves.len(), "{elo}: {found} of {} moves: {moves:?}", moves.len());
        let queens = moves.iter().filter(|mv| mv.starts_with("d1") || mv.starts_with("d8")).count();
        assert!(queens * 10 < moves.len(), "{elo}: {queens} of {} moves: {moves:?}", moves.len());
    }
}

#[test]
fn only_the_moves_of_searchmoves_are_played() {
    for elo in RATINGS {
        let mut client = weak(elo);
        for seed in 1..=10 {
            client.send(&format!("setoption name Strength Seed value {seed}\nucinewgame\nposition startpos"));
            let played = best(&client.go("go nodes 100000 searchmoves a2a3 h2h3"));
            assert!(["a2a3", "h2h3"].contains(&played.as_str()), "{elo}, {seed}: {played}");
        }
    }
}

/// After `ponderhit` it was answered at once.
#[test]
fn a_fixed_time_is_used_in_part() {
    const TIME: Duration = Duration::from_millis(1000);
    const LEAST: Duration = Duration::from_millis(150);
    let mut client = weak(1400);
    let middle = "fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 9";
    for (position, pondering) in [("startpos", false), (middle, false), ("startpos", true)] {
        client.send(&format!("position {position}"));
        let mut go = format!("go movetime {}", TIME.as_millis());
        if pondering {
            client.send(&go.replace("go", "go ponder"));
            client.sync();
            go = "ponderhit".to_owned();
        }
        let start = Instant::now();
        client.go(&go);
        assert!((LEAST..TIME).contains(&start.elapsed()), "{position}, {pondering}: {:?}", start.elapsed());
    }
}

#[test]
fn other_limits_are_answered_when_they_are_reached() {
    const LONG: Duration = Duration::from_secs(4);
    let mut client = weak(1400);
    client.send("position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 9");
    for go in ["go nodes 500", "go depth 2", "go movetime 30000 depth 2", "go movetime 30000 nodes 500"] {
        let start = Instant::now();
        client.go(go);
        assert!(start.elapsed() < LONG, "{go}: {:?}", start.elapsed());
    }
    for go in ["go infinite", "go ponder movetime 100"] {
        client.send(go);
        client.no_answer(go);
        let start = Instant::now();
        client.go("stop");
        assert!(start.elapsed() < LONG, "{go}: {:?}", start.elapsed());
    }
}
