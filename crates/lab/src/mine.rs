//! Mining: test positions out of games.
//!
//! A position is a candidate if a deep search finds one clearly best move that a shallow search misses. It is then searched much
//! longer, once with all moves and once without the best, and optionally by another engine. A position that is kept has one solution,
//! which wins or saves the game, and is neither a recapture nor the capture of an undefended piece.
//!
//! Every game is mined separately, from its number, its moves and the [`MiningPlan`]: the result depends neither on the number of
//! workers nor on their speed, nor on interruptions after which the run was resumed with its [`Journal`].

mod filter;
mod job;
mod journal;
mod note;
mod play;
mod staged_search;
mod theme;

pub use filter::{FilterVerdict, MinedPosition, PositionFilter};
pub use job::{MineTask, MinedGame, Mining, MiningSettings, run};
pub use journal::{Journal, JournalError};
pub use theme::Theme;

use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_files::epd::{Operand, Operation, Record};
use quarterply_games::external::EngineSetup;
use quarterply_uci::process::Stop;
use quarterply_work::WorkError;
use serde::{Deserialize, Serialize};
use shakmaty::Position as _;
use std::collections::HashSet;
use thiserror::Error;

/// A solution that takes more nodes than this is of medium difficulty.
pub const EASY_MAX: u64 = 2_000;
/// A solution that takes more nodes than this is hard.
pub const MEDIUM_MAX: u64 = 8_000;

/// Settings of a mining run.
#[derive(Clone, Debug, Default)]
pub struct MiningPlan {
    /// The parameters of the engine that plays and searches.
    pub parameters: Parameters,
    /// Nodes per move of games that are played here; few, so that moves are missed.
    pub play_nodes: u64,
    /// Nodes of the search that must miss the move.
    pub shallow_nodes: u64,
    /// Nodes of the search that must find it.
    pub deep_nodes: u64,
    /// Nodes of the two searches that must confirm it.
    pub verify_nodes: u64,
    /// Another engine that must choose it too, and its nodes.
    pub check_engine: Option<(EngineSetup, u64)>,
    /// Ends the mining run early: the games that are finished by then count.
    pub stop: Stop,
}

/// The source of a game.
#[derive(Clone, Debug)]
pub enum GameSource {
    /// To be played here, from a random start of this seed.
    Play(u64),
    /// Played already.
    Played(Box<Game>),
}

/// A game to mine.
#[derive(Clone, Debug)]
pub struct GameToMine {
    /// Its number among all games, from 0.
    pub number: u64,
    /// Its source.
    pub source: GameSource,
}

/// A number that identifies these games.
pub fn digest(games: &[Game]) -> u64 {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    const TURN: u32 = 5;
    let keys = games.iter().flat_map(|game| game.keys());
    keys.fold(0, |sum: u64, key| (sum.rotate_left(TURN) ^ key).wrapping_mul(SPREAD))
}

/// Counts of the positions, by their result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MiningTally {
    /// Games.
    pub games: u64,
    /// Positions searched.
    pub positions: u64,
    /// Nodes searched in them by this engine.
    pub nodes: u64,
    /// Positions where only the deep search found the move.
    pub candidates: u64,
    /// Of these, confirmed by the long searches.
    pub verified: u64,
    /// Of these, refused by the check engine.
    pub refused: u64,
    /// Of the others, found before.
    pub repeated: u64,
}

impl MiningTally {
    /// Counts one more position that was searched.
    fn add(&mut self, verdict: &FilterVerdict) {
        self.candidates += u64::from(*verdict != FilterVerdict::NotCandidate);
        self.verified += u64::from(matches!(verdict, FilterVerdict::Refused | FilterVerdict::Found(_)));
        self.refused += u64::from(*verdict == FilterVerdict::Refused);
    }
}

/// Why mining failed.
#[derive(Debug, Error)]
pub enum MineError {
    /// No memory.
    #[error(transparent)]
    Table(#[from] quarterply_engine::table::TableError),
    /// The other engine cannot be started or broke down.
    #[error("cannot check the solutions: {0}")]
    CheckEngine(String),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The tasks cannot be executed.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// The positions that a mining run found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MiningResult {
    /// Those of most games.
    pub suite: Vec<MinedPosition>,
    /// Those of every Nth game, held out; no position of `suite` is among them.
    pub holdout: Vec<MinedPosition>,
    /// The sum over all games.
    pub tally: MiningTally,
}

/// Puts the games together in their order, without positions that occurred before. The finds of every `every`th game are held
/// out.
pub fn gather(mined: Vec<MinedGame>, every: Option<u64>) -> MiningResult {
    let mut seen = HashSet::new();
    let mut result = MiningResult::default();
    for MinedGame { game, tally, finds } in mined {
        let sum = &mut result.tally;
        sum.games += tally.games;
        sum.positions += tally.positions;
        sum.nodes += tally.nodes;
        sum.candidates += tally.candidates;
        sum.verified += tally.verified;
        sum.refused += tally.refused;
        let held_out = every.is_some_and(|every| (game + 1).is_multiple_of(every));
        for find in finds.into_iter().map(|find| MinedPosition { game, ..find }) {
            if !seen.insert(find.key) {
                sum.repeated += 1;
            } else if held_out {
                result.holdout.push(find);
            } else {
                result.suite.push(find);
            }
        }
    }
    result
}

/// At most `most` finds, from easy to hard, evenly over the range of difficulty.
pub fn select(mut finds: Vec<MinedPosition>, most: usize) -> Vec<MinedPosition> {
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

/// A word for the difficulty of a solution that takes this number of nodes.
pub fn difficulty(nodes: u64) -> &'static str {
    if nodes <= EASY_MAX {
        "easy"
    } else if nodes <= MEDIUM_MAX {
        "medium"
    } else {
        "hard"
    }
}

/// The finds as test positions called `name.01`, `name.02` and so on; `c8` holds the game, which `game_name` names by its number,
/// and the move; `c9` holds difficulty, themes and nodes to the solution.
pub fn records(finds: &[MinedPosition], name: &str, game_name: &dyn Fn(u64) -> String) -> Vec<Record> {
    let width = finds.len().to_string().len().max("01".len());
    let record = |(index, find): (usize, &MinedPosition)| {
        let mut record = Record::new(find.position.clone(), find.mode);
        record.best = vec![find.best];
        record.id = Some(format!("{name}.{:0width$}", index + 1));
        let themes = find.themes.iter().map(|theme| theme.into()).collect::<Vec<&str>>().join(", ");
        let text = format!("{}; {themes}; {} nodes", difficulty(find.nodes), find.nodes);
        let origin = format!("{}, move {}", game_name(find.game), find.position.fullmoves());
        let comment = |name: &str, text: String| {
            let operands = vec![Operand { text, quoted: true }];
            Operation { name: name.to_owned(), operands }
        };
        record.others = vec![comment("c8", origin), comment("c9", text)];
        record
    };
    finds.iter().enumerate().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_files::epd::parse_line;
    use quarterply_work::{Executor, Loopback};

    fn find(nodes: u64) -> MinedPosition {
        let record = parse_line("4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5;", 1).expect("a good line");
        MinedPosition {
            best: record.best[0],
            mode: record.mode,
            position: record.position,
            key: nodes,
            nodes,
            themes: vec![Theme::Sacrifice, Theme::Endgame],
            game: 0,
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
        let tally = MiningTally { games: 1, positions: 10, candidates: 3, verified: 2, ..MiningTally::default() };
        let game = |game, finds: &[u64]| MinedGame { game, tally, finds: finds.iter().map(|key| find(*key)).collect() };
        let mined = [game(4, &[5, 6]), game(5, &[6, 7]), game(6, &[7, 8])];
        let keys = |finds: &[MinedPosition]| finds.iter().map(|find| find.key).collect::<Vec<_>>();
        let all = gather(mined.to_vec(), None);
        assert_eq!((keys(&all.suite), keys(&all.holdout)), (vec![5, 6, 7, 8], vec![]));
        assert_eq!(all.suite.iter().map(|find| find.game).collect::<Vec<_>>(), [4, 4, 5, 6]);
        assert_eq!((all.tally.games, all.tally.positions, all.tally.verified, all.tally.repeated), (3, 30, 6, 2));
        let split = gather(mined.to_vec(), Some(3));
        assert_eq!((keys(&split.suite), keys(&split.holdout)), (vec![5, 6, 8], vec![7]));
        assert_eq!(split.tally, all.tally);
    }

    #[test]
    fn records_are_named_and_commented() {
        let finds = [MinedPosition { game: 41, ..find(1234) }, find(5)];
        let lines = records(&finds, "Test", &|game| format!("game {game}"));
        let lines = lines.iter().map(Record::to_string).collect::<Vec<_>>();
        assert_eq!(
            lines[0],
            "4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; id \"Test.01\"; c8 \"game 41, move 1\"; \
             c9 \"easy; sacrifice, endgame; 1234 nodes\";"
        );
        assert!(lines[1].contains("id \"Test.02\""), "{}", lines[1]);
    }

    /// Games of the small mining run.
    const GAMES: u64 = 12;

    /// A small mining run: searches so short that they are quick and miss much, games enough that something is found.
    fn plan() -> MiningPlan {
        let (play_nodes, shallow_nodes, deep_nodes, verify_nodes) = (60, 60, 3000, 6000);
        MiningPlan { play_nodes, shallow_nodes, deep_nodes, verify_nodes, ..MiningPlan::default() }
    }

    #[test]
    fn the_executor_does_not_change_the_finds() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Loopback::connect(Box::new(Mining::default()), folder.path().to_owned(), 3);
        let plan = plan();
        let task = |number| GameToMine { number, source: GameSource::Play(11) };
        let tasks = (0..GAMES).map(task).collect::<Vec<_>>();
        let mined = |executor: &mut dyn Executor<Mining>| {
            run(&plan, &tasks, &mut None, executor, &|text| panic!("{text}"), &mut |_| {}).expect("mined")
        };
        let found = mined(&mut Mining::threads(1, &plan));
        assert_eq!(mined(&mut Mining::threads(2, &plan)), found);
        assert_eq!(mined(&mut connection.executor()), found);
        let MiningResult { suite, tally, .. } = gather(found, None);
        assert!(!suite.is_empty() && tally.games == GAMES && tally.verified as usize >= suite.len(), "{tally:?}");
    }
}
