//! All settings in the same games: in each block of games each setting is on one of the two sides, at random.
//!
//! Every game then measures all settings at once. For a given precision, all settings together need as many games as a single
//! setting played separately: [`quarterply_stats::screening`]. The effect of a setting is its mean over random states of the
//! others.

use super::games::{PairScores, SettingMatch};
use super::{AblationPlan, InGames, PlanError, Setting};
use quarterply_engine::params::Parameters;
use quarterply_games::game::Pace;
use quarterply_games::matches::schedule::PAIR;
use quarterply_stats::screening::{GameBlock, ScreeningError, ScreeningFit, fit};
use quarterply_stats::staged::counted;
use quarterply_stats::{Estimate, Pentanomial};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;

/// The random sides, and the games of a block.
#[derive(Clone, Debug)]
pub struct BlockDesign {
    /// In each block, for each setting: 1 on the first side, -1 on the second, 0 on neither.
    pub sides: Vec<Vec<i8>>,
    /// Games of a block: an even number.
    pub block: usize,
}

impl BlockDesign {
    /// Blocks for `games` games in total; each setting takes part in this share of the blocks. More games only add blocks.
    pub fn new(settings: usize, games: usize, block: usize, share: f64, seed: u64) -> BlockDesign {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut lot = || match rng.random_bool(share) {
            true => [1, -1][usize::from(rng.random_bool(0.5))],
            false => 0,
        };
        let sides = (0..games.div_ceil(block)).map(|_| (0..settings).map(|_| lot()).collect()).collect();
        BlockDesign { sides, block }
    }
}

/// Checks that all settings can be on one side: each parameter may be changed by one of them only, and none may select a file.
///
/// # Errors
/// [`PlanError::Overlap`] or [`PlanError::File`].
pub fn check(plan: &AblationPlan) -> Result<(), PlanError> {
    let selects_file = |setting: &&Setting| {
        let mut files = setting.parameters.coefficient_files().zip(plan.baseline.coefficient_files());
        setting.parameters.eval_file != plan.baseline.eval_file
            || files.any(|((_, one), (_, baseline))| one != baseline)
    };
    if let Some(setting) = plan.settings.iter().find(selects_file) {
        return Err(PlanError::File(setting.rule.clone()));
    }
    for entry in Parameters::specs() {
        let changes = |setting: &&Setting| setting.parameters.get(&entry.name) != plan.baseline.get(&entry.name);
        let mut changing = plan.settings.iter().filter(changes).map(|setting| setting.rule.clone());
        if let (Some(first), Some(second)) = (changing.next(), changing.next()) {
            return Err(PlanError::Overlap(first, second, entry.name));
        }
    }
    Ok(())
}

/// The profile with the settings that are on this side of a block, and with what those on the other side play against.
fn side(plan: &AblationPlan, sides: &[i8], which: i8) -> Parameters {
    let mut parameters = plan.baseline.clone();
    let here = plan.settings.iter().zip(sides).filter_map(|(setting, &side)| match side {
        0 => None,
        side if side == which => Some(&setting.parameters),
        _ => setting.against.as_ref(),
    });
    for changed in here {
        for entry in Parameters::specs() {
            let value = changed.get(&entry.name);
            if value != plan.baseline.get(&entry.name) {
                // The name and the value are those of a setting that was made.
                let _ = value.map(|value| parameters.set(&entry.name, value));
            }
        }
    }
    parameters
}

/// The matches of all blocks: the settings of one side against those of the other.
pub fn matches(
    (plan, design): (&AblationPlan, &BlockDesign),
    pace: Pace,
    seed: u64,
    journal: &dyn Fn(usize) -> Option<PathBuf>,
) -> Vec<SettingMatch> {
    /// Each block has different openings.
    const SEEDS: u64 = 1 << 20;
    let setting_match = |(number, sides): (usize, &Vec<i8>)| SettingMatch {
        name: format!("first of block {}", number + 1),
        setting: side(plan, sides, 1),
        baseline: side(plan, sides, -1),
        pace,
        games: design.block,
        seed: seed.wrapping_mul(SEEDS).wrapping_add(number as u64),
        journal: journal(number),
    };
    design.sides.iter().enumerate().map(setting_match).collect()
}

/// The blocks of which all games were played.
pub fn blocks(design: &BlockDesign, scores: &PairScores) -> Vec<GameBlock> {
    let whole = design.sides.iter().zip(scores).filter(|(_, scores)| scores.len() * PAIR >= design.block);
    whole.map(|(sides, scores)| GameBlock { sides: sides.clone(), pairs: counted(scores) }).collect()
}

/// The effect of each setting, and the consistency of the blocks ([`ScreeningFit::dispersion`]).
///
/// # Errors
/// The number of blocks is too small.
pub fn worth(blocks: &[GameBlock], pace: Pace) -> Result<(Vec<InGames>, f64), ScreeningError> {
    let ScreeningFit { elo, shrunken_elo, dispersion } = fit(blocks)?;
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
    let both = elo.iter().zip(&shrunken_elo).enumerate();
    let games = |(at, (elo, shrunken_elo)): (usize, (&Estimate, &f64))| InGames {
        elo_shrunken: Some(*shrunken_elo),
        ..InGames::new(own(at), pace, Some(*elo))
    };
    Ok((both.map(games).collect(), dispersion))
}

#[cfg(test)]
mod tests {
    use super::super::games::{Listener, play, threads};
    use super::*;
    use quarterply_games::matches::{MatchError, MatchEvent, Stop};
    use std::cell::Cell;

    fn plan(texts: &[&str]) -> AblationPlan {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        AblationPlan::tried(&Parameters::default(), &texts).expect("settings")
    }

    /// Plays the blocks of a design; returns those that ended, and the number of games that were played. The run stops when `most`
    /// blocks have ended.
    fn played(
        (plan, design): (&AblationPlan, &BlockDesign),
        workers: usize,
        most: usize,
        journal: &dyn Fn(usize) -> Option<PathBuf>,
    ) -> Result<(Vec<GameBlock>, usize), MatchError> {
        let stop = Stop::default();
        let (games, ended) = (Cell::new(0), Cell::new(0));
        let on_event = |_: usize, event: &MatchEvent<'_>| {
            games.set(games.get() + usize::from(matches!(event, MatchEvent::Game(..))));
            if let MatchEvent::Pair { standing, .. } = event {
                ended.set(ended.get() + usize::from(standing.games as usize == design.block));
            }
            if ended.get() >= most {
                stop.set();
            }
        };
        if most == 0 {
            stop.set();
        }
        let listener = Listener { on_event: &on_event, on_message: &|text| panic!("{text}") };
        let matches = matches((plan, design), Pace::Nodes(60), 3, journal);
        let scores = play(&stop, &matches, &mut threads(workers, &stop), listener, None)?;
        Ok((blocks(design, &scores), games.get()))
    }

    #[test]
    fn blocks_are_the_same_with_any_number_of_workers() {
        let plan = plan(&["multi_cut.on=true", "razoring.base=111"]);
        let design = BlockDesign::new(2, 6, 2, 1.0, 1);
        let one = played((&plan, &design), 1, usize::MAX, &|_| None).expect("played");
        assert_eq!((one.0.len(), one.1), (3, 6));
        for workers in [2, 8] {
            assert_eq!(played((&plan, &design), workers, usize::MAX, &|_| None).expect("played"), one, "{workers}");
        }
    }

    #[test]
    fn stopped_blocks_are_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan(&["multi_cut.on=true"]);
        let design = BlockDesign::new(1, 12, 2, 1.0, 1);
        let journal = |number: usize| Some(folder.path().join(format!("block-{number}.jsonl")));
        let (first, before) = played((&plan, &design), 2, 1, &journal).expect("no fault");
        assert!((1..=5).contains(&first.len()), "stopped when the first ended: {}", first.len());
        let (all, more) = played((&plan, &design), 2, usize::MAX, &journal).expect("no fault");
        assert_eq!(before + more, 12, "what is in the journals is not played again");
        assert_eq!(all, played((&plan, &design), 1, usize::MAX, &|_| None).expect("no fault").0);
        assert_eq!(played((&plan, &design), 2, 0, &|_| None).expect("no fault"), (vec![], 0));
    }

    #[test]
    fn a_fault_of_one_block_stops_the_others() {
        let plan = plan(&["multi_cut.on=true"]);
        let design = BlockDesign::new(1, 4000, 4, 1.0, 1);
        let journal = |number| (number == 1).then(|| PathBuf::from("/no/such/folder/block.jsonl"));
        let error = played((&plan, &design), 2, usize::MAX, &journal).expect_err("a journal that cannot be written");
        assert!(error.to_string().contains("/no/such/folder/block.jsonl"), "{error}");
    }

    #[test]
    fn sides_are_balanced_and_more_games_only_add_blocks() {
        for (share, part) in [(1.0, 1.0), (0.25, 0.25)] {
            let design = BlockDesign::new(10, 20_000, 20, share, 3);
            assert_eq!(design.sides.len(), 1000);
            let count = |side: i8| design.sides.iter().flatten().filter(|&&s| s == side).count() as f64 / 10_000.0;
            assert!((count(1) - part / 2.0).abs() < 0.02 && (count(-1) - part / 2.0).abs() < 0.02, "{share}");
            assert_eq!(BlockDesign::new(10, 400, 20, share, 3).sides[..], design.sides[..20]);
            assert_ne!(BlockDesign::new(10, 400, 20, share, 4).sides[..], design.sides[..20]);
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
        let baseline = of(&plan.baseline);
        assert_eq!(of(&first), [Some(1), baseline[1], baseline[2], baseline[3]]);
        assert_eq!(of(&second), [baseline[0], Some(111), Some(222), baseline[3]]);
    }

    #[test]
    fn a_step_up_plays_against_a_step_down() {
        let plan = AblationPlan::stepped(&Parameters::default(), &["razoring".to_owned()], false).expect("numbers");
        let sides: Vec<i8> = [1, -1, 0].into_iter().cycle().take(plan.settings.len()).collect();
        let (first, second) = (side(&plan, &sides, 1), side(&plan, &sides, -1));
        for (setting, lot) in plan.settings.iter().zip(&sides) {
            let name = setting.rule.split(' ').next().expect("a name");
            let [up, baseline] =
                [&setting.parameters, &plan.baseline].map(|parameters| parameters.get(name).expect("a number"));
            let down = setting.against.as_ref().and_then(|against| against.get(name).ok()).expect("a step down");
            let values = [first.get(name), second.get(name)].map(|value| value.expect("a number"));
            assert_eq!(values, [[baseline, baseline], [up, down], [down, up]][lot.rem_euclid(3) as usize], "{name}");
            assert!(down < baseline && baseline < up, "{name}");
        }
        assert_eq!(check(&plan), Ok(()));
    }

    #[test]
    fn settings_of_the_same_parameter_cannot_play_together() {
        assert_eq!(check(&plan(&["razoring.base=111", "razoring.slope=222"])), Ok(()));
        let error =
            check(&plan(&["razoring.base=111", "sex.on=true", "razoring.base=112"])).expect_err("one parameter");
        let text = "cannot play `razoring.base=111` and `razoring.base=112` together: both change `razoring.base`";
        assert!(error.to_string().starts_with(text), "{error}");
    }

    /// Both sides had the file of the profile, so the games measured nothing.
    #[test]
    fn settings_that_select_a_file_cannot_play_together() {
        let error = check(&plan(&["razoring.base=111", "EvalFile=<classical>"])).expect_err("a file").to_string();
        assert!(
            error.starts_with("cannot play `EvalFile=<classical>` together with other settings: it selects a file"),
            "{error}"
        );
    }

    #[test]
    fn blocks_count_for_the_side_of_each_setting() {
        let plan = plan(&["multi_cut.on=true", "late_move_pruning.base=0,late_move_pruning.slope=0"]);
        let design = BlockDesign::new(2, 12, 4, 1.0, 1);
        let (blocks, _) = played((&plan, &design), 1, usize::MAX, &|_| None).expect("played");
        assert!(blocks.len() == 3 && blocks.iter().all(|block| block.pairs.games() == 4));
        let counted = |setting: usize| {
            let points = |block: &GameBlock| match block.sides[setting] {
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
