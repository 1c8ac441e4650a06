//! All settings in the same games: in each block of games each is on one of the two sides, by lot.
//!
//! A game then tells about every setting at once, and as many games tell about each as tell about one when settings are played one after
//! the other: [`quarterply_stats::screening`]. What a setting is worth is its mean among others that may be there or not.

use super::games::{GamesError, Terrain, play};
use super::{InGames, Plan, PlanError, Setting};
use quarterply_engine::params::Parameters;
use quarterply_games::game::Pace;
use quarterply_games::matches::News;
use quarterply_stats::Pentanomial;
use quarterply_stats::screening::{Block, Fit, ScreeningError, fit};
use quarterply_work::Far;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// The lots, and what is played in all.
#[derive(Clone, Debug)]
pub struct Design {
    /// In each block, for each setting: 1 on the first side, -1 on the second, 0 on neither.
    pub sides: Vec<Vec<i8>>,
    /// Games of a block: an even number.
    pub block: usize,
}

impl Design {
    /// Blocks for so many games in all; each setting takes part in this share of the blocks. More games only add blocks.
    pub fn new(settings: usize, games: usize, block: usize, share: f64, seed: u64) -> Design {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut lot = || match rng.random_bool(share) {
            true => [1, -1][usize::from(rng.random_bool(0.5))],
            false => 0,
        };
        let sides = (0..games.div_ceil(block)).map(|_| (0..settings).map(|_| lot()).collect()).collect();
        Design { sides, block }
    }
}

/// Can all settings be on one side? Each parameter may be changed by one of them only.
///
/// # Errors
/// Names two settings and what both change.
pub fn check(plan: &Plan) -> Result<(), PlanError> {
    for entry in Parameters::specs() {
        let changes = |setting: &&Setting| setting.parameters.get(&entry.name) != plan.usual.get(&entry.name);
        let mut changing = plan.settings.iter().filter(changes).map(|setting| setting.rule.clone());
        if let (Some(first), Some(second)) = (changing.next(), changing.next()) {
            return Err(PlanError::Overlap { first, second, parameter: entry.name });
        }
    }
    Ok(())
}

/// The profile with the settings that are on this side of a block.
fn side(plan: &Plan, sides: &[i8], which: i8) -> Parameters {
    let mut parameters = plan.usual.clone();
    for (setting, _) in plan.settings.iter().zip(sides).filter(|(_, side)| **side == which) {
        for entry in Parameters::specs() {
            let value = setting.parameters.get(&entry.name);
            if value != plan.usual.get(&entry.name) {
                // The name and the value are those of a setting that was made.
                let _ = value.map(|value| parameters.set(&entry.name, value));
            }
        }
    }
    parameters
}

/// Plays a block, or goes on with it where its journal ends. `None` if it was stopped before the end.
///
/// # Errors
/// As [`play`].
pub fn block(
    (plan, design): (&Plan, &Design),
    number: usize,
    terrain: &Terrain,
    journal: Option<PathBuf>,
    far: Option<Far<'_>>,
    watch: &mut dyn FnMut(&News<'_>),
) -> Result<Option<Block>, GamesError> {
    /// Blocks have openings of their own.
    const SEEDS: u64 = 1 << 20;
    let sides = &design.sides[number];
    let terrain = Terrain {
        games: design.block,
        seed: terrain.seed.wrapping_mul(SEEDS).wrapping_add(number as u64),
        ..terrain.clone()
    };
    let players = (&side(plan, sides, 1), &side(plan, sides, -1));
    let played = play(&terrain, &format!("first of block {}", number + 1), players, journal, far, watch)?;
    Ok(played.map(|played| Block { sides: sides.clone(), pairs: Pentanomial::new(played.pairs) }))
}

/// What is told while blocks are played side by side, each time with the number of the block.
#[derive(Clone, Copy)]
pub struct Ears<'a> {
    /// Hears of the games.
    pub games: &'a (dyn Fn(usize, &News<'_>) + Sync),
    /// Hears that a block came to its end.
    pub ended: &'a (dyn Fn(usize) + Sync),
}

/// Plays all blocks side by side, one on each worker, so that none waits for the last game of a block; where there are fewer blocks than
/// workers, several share one. Their games are those that [`block`] plays. Blocks that were stopped before their end are left out.
///
/// # Errors
/// As [`play`], for one of the blocks; the others are stopped then, and go on where their journals end.
pub fn blocks(
    (plan, design): (&Plan, &Design),
    terrain: &Terrain,
    journal: &(dyn Fn(usize) -> Option<PathBuf> + Sync),
    ears: Ears<'_>,
) -> Result<Vec<Block>, GamesError> {
    let (count, workers) = (design.sides.len(), terrain.workers.max(1));
    let lanes = workers.min(count).max(1);
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Relaxed)).filter(|&number| number < count && !terrain.stop.is_set());
    let lane = |workers: usize| -> Result<Vec<(usize, Block)>, GamesError> {
        let terrain = Terrain { workers, ..terrain.clone() };
        let mut played = Vec::new();
        while let Some(number) = take() {
            let mut watch = |news: &News<'_>| (ears.games)(number, news);
            let ended = block((plan, design), number, &terrain, journal(number), None, &mut watch);
            if let Some(block) = ended.inspect_err(|_| terrain.stop.set())? {
                (ears.ended)(number);
                played.push((number, block));
            }
        }
        Ok(played)
    };
    let mut all = Vec::new();
    thread::scope(|scope| {
        let shares = (0..lanes).map(|at| workers / lanes + usize::from(at < workers % lanes));
        let lane = &lane;
        let lanes: Vec<_> = shares.map(|workers| scope.spawn(move || lane(workers))).collect();
        for lane in lanes {
            all.extend(lane.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok::<(), GamesError>(())
    })?;
    all.sort_unstable_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, block)| block).collect())
}

/// What each setting is worth, and how well the blocks fit together ([`Fit::misfit`]).
///
/// # Errors
/// There are too few blocks.
pub fn worth(blocks: &[Block], pace: Pace) -> Result<(Vec<InGames>, f64), ScreeningError> {
    let Fit { elo, likely, misfit } = fit(blocks)?;
    let own = |setting: usize| {
        let mut pairs = Pentanomial::default();
        for block in blocks {
            match block.sides[setting] {
                0 => {}
                1 => pairs += block.pairs,
                _ => pairs += block.pairs.reversed(),
            }
        }
        pairs
    };
    let both = elo.iter().zip(&likely).enumerate();
    Ok((both.map(|(at, (elo, likely))| InGames::estimated(own(at), pace, *elo, Some(*likely))).collect(), misfit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_games::matches::Stop;
    use std::sync::Mutex;

    fn plan(texts: &[&str]) -> Plan {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Plan::tried(&Parameters::default(), &texts).expect("settings")
    }

    const DEAF: Ears<'_> = Ears { games: &|_, _| (), ended: &|_| () };

    fn terrain(workers: usize) -> Terrain {
        Terrain { games: 0, pace: Pace::Nodes(60), workers, seed: 3, stop: Stop::default() }
    }

    #[test]
    fn blocks_side_by_side_are_those_of_one_after_the_other() {
        let plan = plan(&["multi_cut.on=true", "razoring.base=111"]);
        let design = Design::new(2, 6, 2, 1.0, 1);
        let one_by_one = |number| block((&plan, &design), number, &terrain(1), None, None, &mut |_| ());
        let expected: Vec<Block> = (0..3).map(|number| one_by_one(number).expect("played").expect("whole")).collect();
        for workers in [1, 2, 8] {
            let (games, ended) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
            let ears = Ears {
                games: &|number, news| {
                    if matches!(news, News::Game { .. }) {
                        games.lock().expect("whole").push(number);
                    }
                },
                ended: &|number| ended.lock().expect("whole").push(number),
            };
            let played = blocks((&plan, &design), &terrain(workers), &|_| None, ears).expect("played");
            assert_eq!(played, expected, "{workers} workers");
            let sorted = |told: Mutex<Vec<usize>>| {
                let mut told = told.into_inner().expect("whole");
                told.sort_unstable();
                told
            };
            assert_eq!(sorted(ended), [0, 1, 2]);
            assert_eq!(sorted(games), [0, 0, 1, 1, 2, 2]);
        }
    }

    #[test]
    fn blocks_that_were_stopped_are_gone_on_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan(&["multi_cut.on=true"]);
        let design = Design::new(1, 12, 2, 1.0, 1);
        let journal = |number: usize| Some(folder.path().join(format!("block-{number}.jsonl")));
        let halted = terrain(2);
        let ears = Ears { ended: &|_| halted.stop.set(), ..DEAF };
        let first = blocks((&plan, &design), &halted, &journal, ears).expect("no fault");
        assert!(
            (1..=2).contains(&first.len()),
            "stopped when the first ended, while another was played: {}",
            first.len()
        );
        assert_eq!(blocks((&plan, &design), &halted, &journal, DEAF).expect("no fault"), []);
        let all = blocks((&plan, &design), &terrain(2), &journal, DEAF).expect("no fault");
        assert_eq!(all, blocks((&plan, &design), &terrain(1), &|_| None, DEAF).expect("no fault"));
    }

    #[test]
    fn a_fault_of_one_block_stops_the_others() {
        let plan = plan(&["multi_cut.on=true"]);
        let design = Design::new(1, 4000, 4, 1.0, 1);
        let journal = |number| (number == 1).then(|| PathBuf::from("/no/such/folder/block.jsonl"));
        let faulty = terrain(2);
        let error = blocks((&plan, &design), &faulty, &journal, DEAF).expect_err("a journal that cannot be written");
        assert!(error.to_string().contains("/no/such/folder/block.jsonl") && faulty.stop.is_set(), "{error}");
    }

    #[test]
    fn lots_are_even_and_more_games_only_add_to_them() {
        for (share, part) in [(1.0, 1.0), (0.25, 0.25)] {
            let design = Design::new(10, 20_000, 20, share, 3);
            assert_eq!(design.sides.len(), 1000);
            let count = |side: i8| design.sides.iter().flatten().filter(|&&s| s == side).count() as f64 / 10_000.0;
            assert!((count(1) - part / 2.0).abs() < 0.02 && (count(-1) - part / 2.0).abs() < 0.02, "{share}");
            assert_eq!(Design::new(10, 400, 20, share, 3).sides[..], design.sides[..20]);
            assert_ne!(Design::new(10, 400, 20, share, 4).sides[..], design.sides[..20]);
        }
    }

    #[test]
    fn a_side_has_its_settings_and_no_others() {
        let plan = plan(&["multi_cut.on=true", "razoring.base=111,razoring.slope=222", "sex.on=true"]);
        let first = side(&plan, &[1, -1, 0], 1);
        let second = side(&plan, &[1, -1, 0], -1);
        let of = |parameters: &Parameters| {
            ["multi_cut.on", "razoring.base", "razoring.slope", "sex.on"].map(|name| parameters.get(name).ok())
        };
        let usual = of(&plan.usual);
        assert_eq!(of(&first), [Some(1), usual[1], usual[2], usual[3]]);
        assert_eq!(of(&second), [usual[0], Some(111), Some(222), usual[3]]);
    }

    #[test]
    fn what_changes_the_same_parameter_cannot_play_together() {
        assert_eq!(check(&plan(&["razoring.base=111", "razoring.slope=222"])), Ok(()));
        let error =
            check(&plan(&["razoring.base=111", "sex.on=true", "razoring.base=112"])).expect_err("one parameter");
        let text = "`razoring.base=111` and `razoring.base=112` both change `razoring.base`";
        assert!(error.to_string().starts_with(text), "{error}");
    }

    #[test]
    fn blocks_are_played_kept_and_counted_for_the_side_of_each_setting() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan(&["multi_cut.on=true", "late_move_pruning.base=0,late_move_pruning.slope=0"]);
        let terrain = Terrain { games: 0, pace: Pace::Nodes(60), workers: 1, seed: 3, stop: Stop::default() };
        let design = Design::new(2, 12, 4, 1.0, 1);
        let mut played = 0;
        let mut run = |number: usize| {
            let journal = Some(folder.path().join(format!("block-{number}.jsonl")));
            let mut count = |news: &News<'_>| played += usize::from(matches!(news, News::Game { .. }));
            block((&plan, &design), number, &terrain, journal, None, &mut count).expect("played").expect("to its end")
        };
        let blocks: Vec<Block> = (0..3).map(&mut run).collect();
        let again: Vec<Block> = (0..3).map(&mut run).collect();
        assert_eq!((played, &again), (12, &blocks), "what is in the journals is not played again");
        assert!(blocks.iter().all(|block| block.pairs.games() == 4));
        let counted = |setting: usize| {
            let points = |block: &Block| match block.sides[setting] {
                1 => block.pairs.points(),
                _ => 4.0 - block.pairs.points(),
            };
            blocks.iter().map(points).sum::<f64>()
        };
        let (worths, _) = worth(&blocks, Pace::Nodes(60)).expect("lots that tell them apart");
        for (setting, worth) in worths.iter().enumerate() {
            assert_eq!(Pentanomial::new(worth.pairs).points(), counted(setting));
            assert_eq!((worth.games, worth.nodes), (12, 60));
        }
    }
}
