//! How an engine plays at reduced strength: errors by the judgement of a stronger engine, and its first moves.
//!
//! ```sh
//! cargo run --release -p quarterply-games --example weak_play -- errors ENGINE ELO GAMES STRONGER [NODES]
//! cargo run --release -p quarterply-games --example weak_play -- openings ENGINE ELO GAMES
//! ```
//!
//! The engine plays games against itself with `UCI_LimitStrength` on, each with another `Strength Seed`. STRONGER searches every
//! position with the same nodes; a move loses the difference of the scores before and after it. Positions that are decided are
//! not counted. The output is one row of a Markdown table for each measurement.

use quarterply_engine::clock::Limits;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::see::{best_exchange, gain};
use quarterply_engine::shakmaty::{Move, Role};
use quarterply_uci::client::{Client, ClientError};
use quarterply_uci::info::ScoreValue;
use quarterply_uci::launch::Launch;
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Duration;

const USAGE: &str = "expected `errors ENGINE ELO GAMES STRONGER [NODES]` or `openings ENGINE ELO GAMES`";
/// Nodes of the stronger engine for each position.
const EVALUATION_NODES: u64 = 20_000;
/// Nodes allowed to the engine; its own limit is lower.
const ENGINE_NODES: u64 = 10_000_000;
/// Where a game is ended.
const PLIES_MAX: usize = 100;
/// Plies of an opening: three moves of each side.
const OPENING_PLIES: usize = 6;
/// Scores are cut off here (pawns/100).
const SCORE_MAX: i32 = 1000;
/// A position whose score is beyond this is decided (pawns/100).
const DECIDED: i32 = 600;
/// Losses whose shares are reported (pawns/100).
const LOSSES: [i32; 2] = [100, 300];
/// A move that is this much worse than another by static exchange hangs a piece, if it also loses `HUNG_LOSS` (pawns/100).
const HUNG: i32 = 200;
const HUNG_LOSS: i32 = 150;
/// A recapture is missed if the other move loses this much (pawns/100).
const MISSED_LOSS: i32 = 100;
const TIMEOUT: Duration = Duration::from_secs(60);
const PERCENT: f64 = 100.0;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["errors", engine, elo, games, stronger] => errors(engine, elo, games.parse()?, stronger, EVALUATION_NODES),
        ["errors", engine, elo, games, stronger, nodes] => {
            errors(engine, elo, games.parse()?, stronger, nodes.parse()?)
        }
        ["openings", engine, elo, games] => openings(engine, elo, games.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn start(command: &str) -> Outcome<Client> {
    Ok(Client::start(&Launch::parse(command)?, TIMEOUT)?)
}

/// A player of reduced strength.
fn player(engine: &str, elo: &str) -> Outcome<Client> {
    let mut client = start(engine)?;
    for (name, value) in [("UCI_LimitStrength", "true"), ("UCI_Elo", elo), ("Hash", "2")] {
        client.set_option(name, Some(value))?;
    }
    Ok(client)
}

/// Plays a game of at most `plies` and returns it.
fn play(client: &mut Client, seed: usize, plies: usize) -> Result<Game, ClientError> {
    client.set_option("Strength Seed", Some(&seed.to_string()))?;
    client.new_game()?;
    let mut game = Game::new();
    while game.moves().len() < plies && game.draw().is_none() && !game.position().legal_moves().is_empty() {
        client.position(&game)?;
        let limits = Limits { nodes: Some(ENGINE_NODES), ..Limits::default() };
        match client.go(&limits, TIMEOUT, &mut |_| ControlFlow::Continue(()))?.best {
            Some(mv) => game.play(mv),
            None => break,
        }
    }
    Ok(game)
}

/// The evaluation of a position by the stronger engine.
#[derive(Clone, Copy)]
struct StrongerEvaluation {
    /// For the side to move (pawns/100), cut off.
    score: i32,
    best: Option<Move>,
}

fn evaluate(client: &mut Client, game: &Game, nodes: u64) -> Result<StrongerEvaluation, ClientError> {
    if game.position().legal_moves().is_empty() {
        let score = if game.position().in_check() { -SCORE_MAX } else { 0 };
        return Ok(StrongerEvaluation { score, best: None });
    }
    client.position(game)?;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let answer = client.go(&limits, TIMEOUT, &mut |_| ControlFlow::Continue(()))?;
    let score = match answer.info.and_then(|info| info.value) {
        Some(ScoreValue::Centipawns(amount)) => amount.clamp(-SCORE_MAX, SCORE_MAX),
        Some(ScoreValue::Mate(moves)) => SCORE_MAX * if moves > 0 { 1 } else { -1 },
        None => 0,
    };
    Ok(StrongerEvaluation { score, best: answer.best })
}

/// The material that a move keeps by static exchange alone: its gain less the best exchange of the opponent (pawns/100).
fn visible(position: &Position, mv: Move) -> i32 {
    gain(mv) - best_exchange(&position.play(mv)).0
}

/// Errors of all moves that were counted.
#[derive(Default)]
struct Errors {
    losses: Vec<i32>,
    hung: usize,
    recaptures: usize,
    missed: usize,
}

impl Errors {
    /// Counts a move from the evaluations `before` and `after` it.
    fn count(
        &mut self,
        position: &Position,
        last: Option<Move>,
        mv: Move,
        before: StrongerEvaluation,
        after: StrongerEvaluation,
    ) {
        if before.score.abs() > DECIDED {
            return;
        }
        let loss = (before.score + after.score).max(0);
        self.losses.push(loss);
        let most = position.legal_moves().into_iter().map(|other| visible(position, other)).max().unwrap_or(0);
        self.hung += usize::from(loss >= HUNG_LOSS && most - visible(position, mv) >= HUNG);
        let taken = last.filter(|last| last.is_capture()).map(|last| last.to());
        let retakes = |mv: Move| mv.is_capture() && Some(mv.to()) == taken;
        if before.best.is_some_and(retakes) {
            self.recaptures += 1;
            self.missed += usize::from(!retakes(mv) && loss >= MISSED_LOSS);
        }
    }

    fn row(&mut self, elo: &str) -> String {
        self.losses.sort_unstable();
        let all = self.losses.len().max(1);
        let mean = f64::from(self.losses.iter().sum::<i32>()) / all as f64;
        let median = self.losses.get(all / 2).copied().unwrap_or(0);
        let share = |part: usize, all: usize| format!("{:.1} %", PERCENT * part as f64 / all.max(1) as f64);
        let above = LOSSES.map(|least| share(self.losses.iter().filter(|loss| **loss > least).count(), all));
        format!(
            "| {elo} | {} | {mean:.0} | {median} | {} | {} | {} | {} of {} ({}) |",
            self.losses.len(),
            above[0],
            above[1],
            share(self.hung, all),
            self.missed,
            self.recaptures,
            share(self.missed, self.recaptures)
        )
    }
}

fn errors(engine: &str, elo: &str, games: usize, command: &str, nodes: u64) -> Outcome<()> {
    let (mut client, mut stronger) = (player(engine, elo)?, start(command)?);
    let mut errors = Errors::default();
    for seed in 1..=games {
        let played = play(&mut client, seed, PLIES_MAX)?;
        let mut game = Game::new();
        let mut before = evaluate(&mut stronger, &game, nodes)?;
        for &mv in played.moves() {
            let (position, last) = (game.position().clone(), game.moves().last().copied());
            game.play(mv);
            let after = evaluate(&mut stronger, &game, nodes)?;
            errors.count(&position, last, mv, before, after);
            before = after;
        }
    }
    println!(
        "| `UCI_Elo` | moves | mean loss | median | lose > 1 pawn | lose > 3 pawns | hung pieces | missed recaptures |"
    );
    println!("{}", errors.row(elo));
    Ok(())
}

fn openings(engine: &str, elo: &str, games: usize) -> Outcome<()> {
    let mut client = player(engine, elo)?;
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut replies: BTreeMap<String, usize> = BTreeMap::new();
    let (mut moves, mut flank, mut queen) = (0, 0, 0);
    for seed in 1..=games {
        let game = play(&mut client, seed, OPENING_PLIES)?;
        for (ply, mv) in game.moves().iter().enumerate() {
            if let Some(counts) = [&mut first, &mut replies].into_iter().nth(ply) {
                *counts.entry(mv.to_string()).or_default() += 1;
            }
            moves += 1;
            let file = mv.from().map(|square| square.file().char());
            flank += usize::from(mv.role() == Role::Pawn && !mv.is_capture() && matches!(file, Some('a' | 'f' | 'h')));
            queen += usize::from(mv.role() == Role::Queen);
        }
    }
    for (name, counts) in [("first moves", first), ("replies", replies)] {
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let total: usize = counts.iter().map(|(_, count)| count).sum();
        let shares: Vec<String> =
            counts.iter().map(|(mv, count)| format!("{mv} {:.1} %", PERCENT * *count as f64 / total as f64)).collect();
        println!("| {elo} | {name} | {} |", shares.join(", "));
    }
    let share = |part: usize| PERCENT * part as f64 / f64::from(moves.max(1));
    println!("| {elo} | moves 1 to 3 | a, f and h pawns {:.1} %, queen {:.1} % |", share(flank), share(queen));
    Ok(())
}
