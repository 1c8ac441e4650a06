//! Mining: test positions out of games.
//!
//! Wherever a deep search finds one clearly best move that a shallow search misses, there may be a position worth solving. A
//! candidate is then searched much longer, with two lines and again with an empty table, and if wanted by another engine. What
//! is kept has one solution, which wins what was not won before, or saves what is lost otherwise, and is no mere recapture.
//!
//! Every game is mined by itself from its number, its moves and the [`Plan`]: the result depends neither on the number of
//! workers nor on their speed.

mod sieve;
mod theme;

pub use sieve::{Find, Sieve, Verdict};
pub use theme::Theme;

use crate::epd::{Operand, Operation, Record};
use crate::external::Setup;
use crate::game::{self, Pace};
use crate::openings;
use crate::player::EnginePlayer;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use rayon::prelude::*;
use shakmaty::ByColor;
use std::collections::HashSet;
use thiserror::Error;

/// Plies after a find that are left out: they belong to the same combination.
const SAME_COMBINATION: usize = 8;
/// Table of a player in MiB.
const PLAYER_HASH: usize = 4;

/// How carefully to mine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engine that plays and searches.
    pub parameters: Parameters,
    /// Nodes per move of games that are played here; few, so that chances arise and are missed.
    pub play_nodes: u64,
    /// Nodes of the search that must miss the move.
    pub shallow_nodes: u64,
    /// Nodes of the search that must find it.
    pub deep_nodes: u64,
    /// Nodes of the two searches that must confirm it.
    pub verify_nodes: u64,
    /// Another engine that must choose it too, and its nodes.
    pub referee: Option<(Setup, u64)>,
    /// Games mined at the same time.
    pub workers: usize,
}

/// Where a game comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// To be played on from here.
    Play(Game),
    /// Played already.
    Played(Game),
}

/// What became of the positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Positions searched.
    pub positions: u64,
    /// Positions where only the deep search found the move.
    pub candidates: u64,
    /// Of these, confirmed by the long searches.
    pub verified: u64,
    /// Of these, refused by the referee.
    pub refused: u64,
    /// Of the others, found before.
    pub repeated: u64,
}

/// Why mining failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MineError {
    /// No memory.
    #[error(transparent)]
    Table(#[from] quarterply_engine::table::TableError),
    /// The other engine cannot be started or broke down.
    #[error("the engine that checks the solutions failed: {0}")]
    Referee(String),
}

/// Mines all games. `on_game` hears of every finished game, with the number of its finds, in no certain order.
///
/// # Errors
/// [`MineError`] of the first game, in their order, that could not be mined.
pub fn run(plan: &Plan, sources: &[Source], on_game: &(dyn Fn(usize) + Sync)) -> Result<(Vec<Find>, Tally), MineError> {
    let work = |source: &Source| {
        let mined = mine_game(plan, source)?;
        on_game(mined.0.len());
        Ok(mined)
    };
    let all = || sources.par_iter().map(work).collect::<Vec<Result<_, MineError>>>();
    let mined = match rayon::ThreadPoolBuilder::new().num_threads(plan.workers.max(1)).build() {
        Ok(pool) => pool.install(all),
        Err(_) => sources.iter().map(work).collect(), // a system without threads still mines, one game after the other
    };
    merge(mined)
}

/// Puts the games together in their order, without positions that occurred before.
fn merge(mined: Vec<Result<(Vec<Find>, Tally), MineError>>) -> Result<(Vec<Find>, Tally), MineError> {
    let mut seen = HashSet::new();
    let mut finds = Vec::new();
    let mut sum = Tally::default();
    for game in mined {
        let (found, tally) = game?;
        sum.games += tally.games;
        sum.positions += tally.positions;
        sum.candidates += tally.candidates;
        sum.verified += tally.verified;
        sum.refused += tally.refused;
        for find in found {
            if seen.insert(find.key) {
                finds.push(find);
            } else {
                sum.repeated += 1;
            }
        }
    }
    Ok((finds, sum))
}

/// Everything worth keeping in one game.
fn mine_game(plan: &Plan, source: &Source) -> Result<(Vec<Find>, Tally), MineError> {
    let (start, moves) = match source {
        Source::Play(opening) => (opening.clone(), play(plan, opening)?),
        Source::Played(game) => split_opening(game),
    };
    let mut sieve = Sieve::new(plan)?;
    let mut tally = Tally { games: 1, ..Tally::default() };
    let mut finds = Vec::new();
    let mut game = start;
    let mut wait = 0;
    for mv in moves {
        if wait == 0 {
            tally.positions += 1;
            match sieve.judge(&game)? {
                Verdict::Dull => {}
                Verdict::Candidate => tally.candidates += 1,
                Verdict::Refused => {
                    tally.candidates += 1;
                    tally.verified += 1;
                    tally.refused += 1;
                }
                Verdict::Found(find) => {
                    tally.candidates += 1;
                    tally.verified += 1;
                    finds.push(*find);
                    wait = SAME_COMBINATION;
                }
            }
        } else {
            wait -= 1;
        }
        game.play(mv);
    }
    Ok((finds, tally))
}

/// Plays a game on from its opening; the moves after the opening.
fn play(plan: &Plan, opening: &Game) -> Result<Vec<shakmaty::Move>, MineError> {
    let player = |name| EnginePlayer::new(name, plan.parameters.clone(), PLAYER_HASH);
    let (mut white, mut black) = (player("white")?, player("black")?);
    let players: ByColor<&mut dyn game::Player> = ByColor { white: &mut white, black: &mut black };
    let record = game::play(players, opening, Pace::Nodes(plan.play_nodes), &mut []);
    Ok(record.played.iter().map(|played| played.mv).collect())
}

/// A game read from a file: its first plies are anybody's.
fn split_opening(game: &Game) -> (Game, Vec<shakmaty::Move>) {
    let mut start = Game::from_fen(&game.start_fen(), game.castling_mode()).unwrap_or_default();
    let known = openings::PLIES.min(game.moves().len());
    let (first, rest) = game.moves().split_at(known);
    first.iter().for_each(|mv| start.play(*mv));
    (start, rest.to_vec())
}

/// At most `most` finds, from easy to hard, evenly over the range of difficulty.
pub fn select(mut finds: Vec<Find>, most: usize) -> Vec<Find> {
    finds.sort_by_key(|find| (find.nodes, find.key));
    let count = finds.len();
    if count <= most {
        return finds;
    }
    finds
        .into_iter()
        .enumerate()
        .filter(|(rank, _)| (rank + 1) * most / count > rank * most / count)
        .map(|f| f.1)
        .collect()
}

/// The finds as test positions called `name.01`, `name.02` and so on; `c9` holds themes and nodes to the solution.
pub fn records(finds: &[Find], name: &str) -> Vec<Record> {
    let width = finds.len().to_string().len().max("01".len());
    let record = |(index, find): (usize, &Find)| {
        let mut record = Record::new(find.position.clone(), find.mode);
        record.best = vec![find.best];
        record.id = Some(format!("{name}.{:0width$}", index + 1));
        let themes = find.themes.iter().map(|theme| theme.name()).collect::<Vec<_>>().join(", ");
        let text = format!("{themes}; {} nodes", find.nodes);
        record.others = vec![Operation { name: "c9".to_owned(), operands: vec![Operand { text, quoted: true }] }];
        record
    };
    finds.iter().enumerate().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::parse_line;

    fn find(nodes: u64) -> Find {
        let record = parse_line("4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5;", 1).expect("a good line");
        Find {
            best: record.best[0],
            mode: record.mode,
            position: record.position,
            key: nodes,
            nodes,
            themes: vec![Theme::Sacrifice, Theme::Endgame],
        }
    }

    #[test]
    fn a_choice_is_even_and_sorted() {
        let finds = || [9, 3, 7, 1, 8, 2, 6, 4, 5].map(find).to_vec();
        for (most, expected) in
            [(0, vec![]), (1, vec![9]), (3, vec![3, 6, 9]), (9, (1..=9).collect()), (50, (1..=9).collect::<Vec<u64>>())]
        {
            let chosen = select(finds(), most).iter().map(|find| find.nodes).collect::<Vec<_>>();
            assert_eq!(chosen, expected, "{most}");
        }
    }

    #[test]
    fn positions_of_several_games_are_kept_once() {
        let tally = Tally { games: 1, positions: 10, candidates: 3, verified: 2, refused: 0, repeated: 0 };
        let (finds, sum) =
            merge(vec![Ok((vec![find(5), find(6)], tally)), Ok((vec![find(6), find(7)], tally))]).expect("no error");
        assert_eq!(finds.iter().map(|find| find.key).collect::<Vec<_>>(), [5, 6, 7]);
        assert_eq!((sum.games, sum.positions, sum.verified, sum.repeated), (2, 20, 4, 1));
    }

    #[test]
    fn records_are_named_and_commented() {
        let lines = records(&[find(1234), find(5)], "Test").iter().map(Record::to_string).collect::<Vec<_>>();
        assert_eq!(
            lines[0],
            "4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; id \"Test.01\"; c9 \"sacrifice, endgame; 1234 nodes\";"
        );
        assert!(lines[1].contains("id \"Test.02\""), "{}", lines[1]);
    }

    /// Games of the small dig.
    const GAMES: usize = 12;

    /// A small dig: searches so short that they are quick and miss much, games enough that something is found.
    fn dig(workers: usize) -> (Vec<String>, Tally) {
        let plan = Plan {
            parameters: Parameters::default(),
            play_nodes: 60,
            shallow_nodes: 60,
            deep_nodes: 3000,
            verify_nodes: 6000,
            referee: None,
            workers,
        };
        let sources: Vec<Source> =
            openings::Openings::new(Parameters::default(), 3).take(GAMES).map(Source::Play).collect();
        let (finds, tally) = run(&plan, &sources, &|_| {}).expect("mined");
        (records(&select(finds, usize::MAX), "T").iter().map(Record::to_string).collect(), tally)
    }

    #[test]
    fn mining_repeats_exactly_whatever_the_number_of_workers() {
        let (lines, tally) = dig(1);
        assert!(
            !lines.is_empty() && tally.games == GAMES as u64 && tally.verified as usize >= lines.len(),
            "{tally:?}"
        );
        assert_eq!(dig(2), (lines, tally));
    }

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
