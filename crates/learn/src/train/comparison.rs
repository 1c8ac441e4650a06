//! Comparison of evaluations in different units by how well they predict game results.

use crate::train::data::{self, DataSource, GameId, PositionSelection, ScannedGame};
use crate::train::error::TrainError;
use crate::train::kernel::{Labels, sigmoid};
use crate::train::packed::Packed;
use crate::train::teacher::Teacher;
use quarterply_datagen::record::GameRecord;
use quarterply_datagen::replay::ReplayError;
use quarterply_engine::network::Network;
use quarterply_stats::{SAMPLE_MIN, clustered_mean};
use serde::Serialize;
use shakmaty::{Board, Color, Role};
use std::collections::{HashMap, HashSet};

/// The usual material values (pawns/100).
const PIECE_VALUES: [(Role, i32); 5] =
    [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 300), (Role::Rook, 500), (Role::Queen, 900)];
/// Bounds of the fitted scale (pawns/100).
const SCALES: [f64; 2] = [10.0, 10_000.0];
/// Rounds of the search for a scale, each of which leaves 62 % of the range.
const ROUNDS: usize = 40;
/// The golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// The loss of an evaluation with its best scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FittedEvaluation {
    /// Mean square of the difference between expected points and target, with the best scale.
    pub loss: f64,
    /// The value (pawns/100) at which the odds are e to 1.
    pub scale: f64,
}

/// The conclusion from a comparison of two losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// The network has the smaller loss.
    Better,
    /// The interval contains zero, or there are too few games.
    Unclear,
    /// The network has the larger loss.
    Worse,
}

/// The loss of the network less that of another evaluation, on the same positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The mean over all positions; negative where the network is better.
    pub loss: f64,
    /// Lower end of its 95 % interval, by the scatter of games; `None` with fewer than two games.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Games with positions; those of a run and of its copies are the same.
    pub games: usize,
    /// The conclusion; unclear below [`SAMPLE_MIN`] games.
    pub finding: Finding,
}

/// The evaluations that are compared, on the same positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NetworkComparison {
    /// Games read, those of a run and of its copies once.
    pub games: u64,
    /// Positions of them that passed the filter.
    pub positions: usize,
    /// The network, blended with the share of the classical value that it was trained with.
    pub network: FittedEvaluation,
    /// The classical evaluation of this program.
    pub classical: FittedEvaluation,
    /// Counting pieces.
    pub material: FittedEvaluation,
    /// The network against the classical evaluation.
    pub against_classical: Difference,
    /// The network against counting pieces.
    pub against_material: Difference,
}

/// The games that a network is compared on.
#[derive(Clone, Debug)]
pub struct ValidationSet {
    /// The games.
    pub sources: Vec<DataSource>,
    /// Which positions, and which games are held out.
    pub selection: PositionSelection,
    /// True if only held-out games are used.
    pub held_out_only: bool,
    /// The targets of positions, and the share of the classical value in the network's.
    pub goal: Labels,
    /// Maximum number of positions, shared equally by the sources.
    pub positions_max: usize,
}

/// Material of White minus that of Black (pawns/100).
pub fn material(board: &Board) -> f32 {
    let side =
        |color| PIECE_VALUES.iter().map(move |(role, worth)| worth * board.by_piece(role.of(color)).count() as i32);
    (side(Color::White).sum::<i32>() - side(Color::Black).sum::<i32>()) as f32
}

/// The least loss that values (pawns/100) have with any scale.
pub fn fit(values: &[f32], targets: &[f32]) -> FittedEvaluation {
    let loss = |log: f64| squares(values, targets, libm::exp(log)).sum::<f64>() / values.len().max(1) as f64;
    let [mut low, mut high] = SCALES.map(libm::log);
    let inner = |low: f64, high: f64| [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    let mut probes = inner(low, high).map(|at| (at, loss(at)));
    for _ in 0..ROUNDS {
        if probes[0].1 < probes[1].1 {
            high = probes[1].0;
            let at = inner(low, high)[0];
            probes = [(at, loss(at)), probes[0]];
        } else {
            low = probes[0].0;
            let at = inner(low, high)[1];
            probes = [probes[1], (at, loss(at))];
        }
    }
    let (at, loss) = if probes[0].1 < probes[1].1 { probes[0] } else { probes[1] };
    FittedEvaluation { loss, scale: libm::exp(at) }
}

/// The values and the target of a position.
struct ScoredPosition {
    game: GameId,
    target: f32,
    network: f32,
    classical: f32,
    material: f32,
}

/// Compares a network with the classical evaluation and with counting pieces on games. `progress` receives the number of positions.
///
/// # Errors
/// Games that cannot be read or hold no position.
pub fn compare(
    network: &Network,
    validation: &ValidationSet,
    progress: &mut dyn FnMut(usize),
) -> Result<NetworkComparison, TrainError> {
    let mut rows: Vec<ScoredPosition> = Vec::new();
    let mut games = HashSet::new();
    for (index, source) in validation.sources.iter().enumerate() {
        // Each source has an equal share of the positions that are left.
        let sources = validation.sources.len() - index;
        let most = rows.len() + (validation.positions_max - rows.len()).div_ceil(sources);
        score_source(network, validation, source, most, (&mut rows, &mut games, progress))?;
        rows.truncate(most);
    }
    if rows.is_empty() {
        return Err(TrainError::NoPositions);
    }
    let column = |of: fn(&ScoredPosition) -> f32| rows.iter().map(of).collect::<Vec<_>>();
    let targets = column(|row| row.target);
    let values = [column(|row| row.network), column(|row| row.classical), column(|row| row.material)];
    let fitted = values.each_ref().map(|values| fit(values, &targets));
    let misses = [0, 1, 2].map(|at| squares(&values[at], &targets, fitted[at].scale).collect::<Vec<_>>());
    let [network, classical, material] = fitted;
    let of_games: Vec<GameId> = rows.iter().map(|row| row.game).collect();
    let [against_classical, against_material] = [1, 2].map(|other| difference(&of_games, &misses[0], &misses[other]));
    Ok(NetworkComparison {
        games: games.len() as u64,
        positions: rows.len(),
        network,
        classical,
        material,
        against_classical,
        against_material,
    })
}

/// The squared differences of predictions and targets.
fn squares(values: &[f32], targets: &[f32], scale: f64) -> impl Iterator<Item = f64> {
    let miss = move |(value, target): (&f32, &f32)| f64::from(sigmoid(value / scale as f32) - target);
    values.iter().zip(targets).map(miss).map(|miss| miss * miss)
}

/// The mean of `network` less `other`, position by position; positions of one game depend on each other, also those of other sources.
fn difference(games: &[GameId], network: &[f64], other: &[f64]) -> Difference {
    let mut clusters: Vec<(f64, usize)> = Vec::new();
    let mut places: HashMap<GameId, usize> = HashMap::new();
    for (game, difference) in games.iter().zip(network.iter().zip(other).map(|(own, other)| own - other)) {
        let place = *places.entry(*game).or_insert(clusters.len());
        if place == clusters.len() {
            clusters.push((0.0, 0));
        }
        let (sum, count) = &mut clusters[place];
        *sum += difference;
        *count += 1;
    }
    let games = clusters.len();
    let mean = clustered_mean(&clusters);
    let loss = mean.map_or(0.0, |mean| mean.mean);
    let margin = mean.and_then(|mean| mean.margin);
    let [low, high] = [margin.map(|margin| loss - margin), margin.map(|margin| loss + margin)];
    let finding = match (low, high) {
        _ if (games as u64) < SAMPLE_MIN => Finding::Unclear,
        (_, Some(high)) if high < 0.0 => Finding::Better,
        (Some(low), _) if low > 0.0 => Finding::Worse,
        _ => Finding::Unclear,
    };
    Difference { loss, low, high, games, finding }
}

/// Adds the positions of one source, until there are `most`, and the games that they are of.
fn score_source(
    network: &Network,
    validation: &ValidationSet,
    source: &DataSource,
    most: usize,
    (rows, games, progress): (&mut Vec<ScoredPosition>, &mut HashSet<GameId>, &mut dyn FnMut(usize)),
) -> Result<(), TrainError> {
    let counts = |of_game: u64| !validation.held_out_only || data::is_held_out(&validation.selection, of_game);
    let score_game = |teacher: &mut Teacher, game: &GameRecord, of_game| {
        if counts(of_game) { score_game(network, validation, teacher, game) } else { Ok(Vec::new()) }
    };
    data::each_game(source, validation.selection.skip_damaged, score_game, &mut |seen| {
        for ScannedGame { of_game, seed, found, .. } in seen {
            if rows.len() >= most {
                break;
            }
            let game = (seed, of_game);
            if counts(of_game) {
                games.insert(game);
            }
            rows.extend(found.into_iter().map(|row| ScoredPosition { game, ..row }));
        }
        progress(rows.len().min(most));
        Ok(rows.len() < most)
    })?;
    Ok(())
}

/// Values of the positions of a game; [`score_source`] adds the game.
fn score_game(
    network: &Network,
    validation: &ValidationSet,
    teacher: &mut Teacher,
    game: &GameRecord,
) -> Result<Vec<ScoredPosition>, ReplayError> {
    let share = validation.goal.classical;
    data::positions(game, &validation.selection.filter, |view| {
        let (position, packed) = (&view.position, Packed::of(view));
        let value = network.value(position.board(), position.turn()).0 as f32;
        let classical = teacher.value(position).0 as f32;
        ScoredPosition {
            game: (0, 0),
            target: validation.goal.target(&packed),
            network: (1.0 - share) * value + share * classical,
            classical,
            material: material(&packed.board()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::testing::{play, rewrite, sampled_positions};
    use quarterply_datagen::folder::Writer;
    use quarterply_datagen::read::Archive;
    use quarterply_datagen::replay::Filter;
    use quarterply_datagen::shard::ShardHeader;
    use quarterply_engine::network::EvalFile;
    use std::path::Path;

    #[test]
    fn the_scale_of_values_is_found() {
        for scale in [50.0f32, 321.0, 4000.0] {
            let values: Vec<f32> = (-40..40).map(|n| 25.0 * n as f32).collect();
            let targets: Vec<f32> = values.iter().map(|value| sigmoid(value / scale)).collect();
            let fitted = fit(&values, &targets);
            assert!((fitted.scale / f64::from(scale) - 1.0).abs() < 0.01, "{fitted:?}");
            assert!(fitted.loss < 1e-8, "{fitted:?}");
        }
    }

    /// Games of two positions each; the network misses each by more or less than the other evaluation.
    #[test]
    fn a_difference_is_clear_only_outside_its_interval_and_from_twenty_games_on() {
        let measured = |count: u64, lead: f64| {
            let games: Vec<GameId> = (0..count).flat_map(|game| [(1, game); 2]).collect();
            let other = vec![0.02; games.len()];
            let network: Vec<f64> = games.iter().map(|game| 0.02 + lead + 0.001 * (game.1 % 3) as f64).collect();
            difference(&games, &network, &other)
        };
        for (games, lead, finding) in [
            (30, 0.005, Finding::Worse),
            (30, -0.005, Finding::Better),
            (30, -0.001, Finding::Unclear),
            (19, 0.005, Finding::Unclear),
            (20, 0.005, Finding::Worse),
            (1, 0.005, Finding::Unclear),
        ] {
            let found = measured(games, lead);
            assert_eq!((found.finding, found.games), (finding, games as usize), "{found:?}");
            assert_eq!(found.low.is_some(), games > 1, "{found:?}");
            assert!(
                found.low.zip(found.high).is_none_or(|(low, high)| low < found.loss && found.loss < high),
                "{found:?}"
            );
        }
        let mean = measured(30, 0.005).loss;
        assert!((mean - 0.006).abs() < 1e-12, "{mean}");
    }

    /// Two runs of ten games: with the first alone, the order of the sources decides which games a network is compared on.
    #[test]
    fn each_source_has_its_share_of_the_positions() {
        const GAMES: u64 = 10;
        let folder = tempfile::tempdir().expect("a folder");
        let [all, one, two] = ["all", "one", "two"].map(|name| folder.path().join(name));
        play(&all, 2 * GAMES);
        play(&one, GAMES);
        let archive = Archive::open(&[&all]).expect("games");
        let header = ShardHeader { first: GAMES + 1, ..archive.headers().next().expect("a shard").clone() };
        let mut writer = Writer::begin(&two, header, 1 << 24).expect("a new run");
        for game in archive.games().skip(GAMES as usize) {
            writer.append(&game.expect("a game")).expect("written");
        }
        let [first, second] = [comparison_of(&[&one, &two], 100), comparison_of(&[&two, &one], 100)];
        assert_eq!((first.positions, second.positions), (100, 100));
        assert!((first.material.loss - second.material.loss).abs() < 1e-6, "{first:?} {second:?}");
    }

    /// 194 games of 97 gave too narrow an interval.
    #[test]
    fn a_copy_of_a_run_adds_no_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let [run, copy, sampled] = ["run", "copy", "sampled"].map(|name| folder.path().join(name));
        play(&run, 10);
        rewrite(&run, &copy, |_| ());
        sampled_positions(&run, &sampled);
        let compared = |sources: &[&Path]| comparison_of(sources, usize::MAX);
        let (alone, twice) = (compared(&[&run]), compared(&[&run, &copy]));
        assert_eq!((twice.games, twice.positions), (10, 2 * alone.positions));
        let [one, two] = [alone, twice].map(|found| found.against_material);
        assert_eq!(two.games, 10);
        let low = |found: Difference| found.low.expect("an interval");
        assert!((low(one) - low(two)).abs() < 1e-6, "{one:?} {two:?}");
        let with_samples = compared(&[&run, &sampled]);
        assert_eq!((with_samples.games, with_samples.against_material.games), (10, 10));
        assert!(with_samples.positions > alone.positions, "{with_samples:?}");
    }

    /// Compares the built-in network on all games of these sources.
    fn comparison_of(sources: &[&Path], positions_max: usize) -> NetworkComparison {
        let network = EvalFile::open("<default>").expect("is built in").network().expect("a network");
        let validation = ValidationSet {
            sources: sources.iter().map(|path| DataSource::all(path)).collect(),
            selection: PositionSelection {
                filter: Filter::ALL,
                held_out: 0.0,
                seed: 1,
                classical: false,
                skip_damaged: false,
            },
            held_out_only: false,
            goal: Labels { result: 0.5, result_endings: 0.5, scale: 400.0, unit: 1.0, classical: 0.0 },
            positions_max,
        };
        compare(&network, &validation, &mut |_| ()).expect("a comparison")
    }

    #[test]
    fn material_is_counted() {
        let board: Board = Board::from_ascii_board_fen(b"r3k2r/8/8/3N4/8/8/PPP5/R3K2Q").expect("a board");
        assert_eq!(material(&board), 1000.0);
    }
}
