//! A dig: workers that mine one game after the other, and the journal that remembers what they found.

use super::journal::Journal;
use super::play::{Players, Step};
use super::{Find, MineError, Plan, Sieve, Source, Tally, Task, Verdict};
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_games::openings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Plies after a find that are left out: they belong to the same combination.
const SAME_COMBINATION: usize = 8;
/// Positions that the player itself thinks so decided (pawns/100) are not searched again.
const PLAYED_OUT: Score = Score(600);

/// Everything that decides which positions are searched, for comparing digs.
pub(super) fn marks() -> String {
    format!("{SAME_COMBINATION} plies, {PLAYED_OUT:?}")
}

/// What one game held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mined {
    /// The number of the game.
    pub game: u64,
    /// What became of its positions.
    pub tally: Tally,
    /// What is worth keeping.
    pub finds: Vec<Find>,
}

/// Mines all games that are not in the journal yet, until it is stopped. `on_game` hears of every game, those of the journal
/// first, the others as they end.
///
/// # Errors
/// [`MineError`] of the first game that could not be mined; the journal keeps those before it.
pub fn run(
    plan: &Plan,
    tasks: &[Task],
    journal: &mut Option<Journal>,
    on_game: &mut dyn FnMut(&Mined),
) -> Result<Vec<Mined>, MineError> {
    let mut mined = BTreeMap::new();
    let mut open = Vec::new();
    for task in tasks {
        match journal.as_ref().and_then(|journal| journal.done().get(&task.number)) {
            Some(done) => {
                on_game(done);
                mined.insert(task.number, done.clone());
            }
            None => open.push(task),
        }
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        for _ in 0..plan.workers.clamp(1, open.len().max(1)) {
            let (sender, next, open) = (sender.clone(), &next, &open);
            scope.spawn(move || work(plan, open, next, &sender));
        }
        drop(sender);
        for news in &receiver {
            let noted = news.and_then(|game| {
                journal.as_mut().map_or(Ok(()), |journal| journal.note(&game))?;
                Ok(game)
            });
            let game = noted.inspect_err(|_| next.store(open.len(), Ordering::Relaxed))?;
            on_game(&game);
            mined.insert(game.game, game);
        }
        Ok(mined.into_values().collect())
    })
}

/// Mines games until there are none left.
fn work(plan: &Plan, open: &[&Task], next: &AtomicUsize, sender: &Sender<Result<Mined, MineError>>) {
    let mut miner = None;
    while let Some(task) = open.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !plan.stop.is_set()) {
        let mined = match &mut miner {
            Some(miner) => Ok(miner),
            none => Miner::new(plan).map(|new| none.insert(new)),
        }
        .and_then(|miner| miner.mine(task));
        if plan.stop.is_set() {
            // A game that was broken off is mined again.
            return;
        }
        let failed = mined.is_err();
        if sender.send(mined).is_err() || failed {
            return; // a receiver that is gone has its error already
        }
    }
}

/// What a worker needs.
struct Miner<'a> {
    plan: &'a Plan,
    players: Players,
    sieve: Sieve<'a>,
}

impl<'a> Miner<'a> {
    fn new(plan: &'a Plan) -> Result<Miner<'a>, MineError> {
        Ok(Miner { plan, players: Players::new(&plan.parameters)?, sieve: Sieve::new(plan)? })
    }

    /// Everything worth keeping in one game.
    fn mine(&mut self, task: &Task) -> Result<Mined, MineError> {
        let (mut game, steps) = match &task.source {
            Source::Play { seed } => self.players.play(*seed, task.number, self.plan.play_nodes),
            Source::Played(game) => split_opening(game),
        };
        let mut mined = Mined { game: task.number, tally: Tally { games: 1, ..Tally::default() }, finds: Vec::new() };
        let mut wait = 0;
        for step in steps {
            if self.plan.stop.is_set() {
                break;
            }
            let decided = step.score.is_some_and(|score| score.0.abs() > PLAYED_OUT.0);
            if wait == 0 && !decided {
                mined.tally.positions += 1;
                let verdict = self.sieve.judge(&game, Some(step.mv))?;
                mined.tally.add(&verdict);
                if let Verdict::Found(find) = verdict {
                    mined.finds.push(*find);
                    wait = SAME_COMBINATION;
                }
            } else {
                wait = wait.saturating_sub(1);
            }
            game.play(step.mv);
        }
        mined.tally.nodes = self.sieve.take_nodes();
        Ok(mined)
    }
}

/// A game read from a file: its first plies are anybody's.
fn split_opening(game: &Game) -> (Game, Vec<Step>) {
    let mut start = Game::from_fen(&game.start_fen(), game.castling_mode()).unwrap_or_default();
    let known = openings::PLIES.min(game.moves().len());
    let (first, rest) = game.moves().split_at(known);
    first.iter().for_each(|mv| start.play(*mv));
    (start, rest.iter().map(|mv| Step { mv: *mv, score: None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_were_read_are_mined_after_their_opening() {
        let mut game = Game::new();
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"] {
            game.play_uci(text).expect(text);
        }
        let (start, rest) = split_opening(&game);
        assert_eq!((start.moves().len(), rest.len()), (openings::PLIES, 3));
        let (start, rest) = split_opening(&Game::new());
        assert_eq!((start.moves().len(), rest.len()), (0, 0));
    }
}
