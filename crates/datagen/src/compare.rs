//! The difference between scores of games and the scores of deeper searches of the same games, as a measure of labels.
//!
//! Labels of fewer nodes are only a part of the way from the static evaluation to a deep search, and a network learns at most that part.
//! So the distance of the labels is compared with that of the static evaluation.

use crate::error::DataError;
use crate::read::{Archive, ArchiveGames};
use crate::record::GameRecord;
use crate::replay::Filter;
use quarterply_engine::evaluator::Evaluator;
use quarterply_engine::params::Parameters;
use quarterply_engine::score::Score;

/// The difference between values and others of the same positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    squares: f64,
    pawns: f64,
    bias: f64,
    count: u64,
}

impl Distance {
    fn add(&mut self, value: Score, truth: Score, scale: f64) {
        let [own, reference] = [value, truth].map(|score| f64::from(score.0));
        let points = |score: f64| 1.0 / (1.0 + (-score / scale).exp());
        self.squares += (points(own) - points(reference)).powi(2);
        self.pawns += (own - reference).powi(2);
        self.bias += own - reference;
        self.count += 1;
    }

    /// Mean square of the difference of the points expected.
    pub fn loss(&self) -> f64 {
        self.squares / self.count.max(1) as f64
    }

    /// Root of the mean square of the difference (pawns/100).
    pub fn root(&self) -> f64 {
        (self.pawns / self.count.max(1) as f64).sqrt()
    }

    /// Mean difference for the side to move (pawns/100); positive if the values are too high.
    pub fn bias(&self) -> f64 {
        self.bias / self.count.max(1) as f64
    }
}

/// The results of [`compare`].
#[derive(Clone, Debug, Default)]
pub struct LabelComparison {
    /// Games that all archives contain.
    pub games: u64,
    /// Positions of them that pass the filter by the scores of the first.
    pub positions: u64,
    /// The static evaluation.
    pub static_evaluation: Distance,
    /// The others, as given.
    pub others: Vec<Distance>,
}

/// Compares the scores of `others`, and the static evaluation under `parameters`, with those of `truth`, in the positions of `truth`
/// that `filter` keeps; games that one of the others lacks at its end are left out. `scale` are the pawns/100 at which
/// 0.73 points are expected.
///
/// # Errors
/// Files cannot be read, or hold other games than `truth`.
pub fn compare(
    truth: &Archive,
    others: &[Archive],
    filter: &Filter,
    scale: f64,
    parameters: &Parameters,
) -> Result<LabelComparison, DataError> {
    let mut comparison =
        LabelComparison { others: vec![Distance::default(); others.len()], ..LabelComparison::default() };
    let mut evaluator = Evaluator::of(&parameters.evaluation_choice());
    let mut games = truth.games();
    let mut other_games: Vec<ArchiveGames<'_>> = others.iter().map(Archive::games).collect();
    while let Some(game) = games.next() {
        let game = game?;
        let Some(copies) =
            other_games.iter_mut().map(|games| same(&game, games)).collect::<Result<Option<Vec<_>>, _>>()?
        else {
            break;
        };
        comparison.games += 1;
        for view in game.replay() {
            let view = view.map_err(|error| error.in_file(games.path()))?;
            let Some(truth) = view.mover_score().filter(|_| filter.keeps(&view)) else { continue };
            // A packed copy may lack the score: the position is compared only where all have one.
            let turned = |score: Score| if view.turn().is_white() { score } else { -score };
            let scores = copies.iter().map(|copy| copy.steps[view.index].white_score().map(turned));
            let Some(scores) = scores.collect::<Option<Vec<Score>>>() else { continue };
            comparison.positions += 1;
            comparison.static_evaluation.add(evaluator.evaluate(&view.position), truth, scale);
            for (distance, score) in comparison.others.iter_mut().zip(scores) {
                distance.add(score, truth, scale);
            }
        }
    }
    Ok(comparison)
}

/// The copy of this game that comes next, if there is one.
fn same(game: &GameRecord, copies: &mut ArchiveGames<'_>) -> Result<Option<GameRecord>, DataError> {
    let Some(copy) = copies.next().transpose()? else { return Ok(None) };
    if copy.has_the_moves_of(game) {
        return Ok(Some(copy));
    }
    Err(DataError::OtherGame(copies.path().to_owned(), copy.number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Writer;
    use crate::testing::{game, plan, write};
    use std::path::Path;

    const GAMES: u64 = 6;
    const SHARD_MAX: u64 = 1 << 20;

    /// Writes the random games with scores changed.
    fn copy(folder: &Path, count: u64, change: impl Fn(i16) -> i16) {
        let mut writer = Writer::create(folder, &plan(count), SHARD_MAX).expect("a new run");
        for number in 1..=count {
            let mut game = game(number);
            for step in &mut game.steps {
                step.score = change(step.score);
            }
            writer.append(&game).expect("written");
        }
    }

    fn compared(folders: &[&Path], scale: f64) -> Result<LabelComparison, DataError> {
        let archives: Vec<Archive> = folders.iter().map(|folder| Archive::open(&[folder]).expect("games")).collect();
        compare(&archives[0], &archives[1..], &Filter::ALL, scale, &Parameters::classical())
    }

    #[test]
    fn the_distance_of_scores_is_that_of_the_points_they_promise() {
        let folder = tempfile::tempdir().expect("a folder");
        let [truth, twin, zero] = ["truth", "twin", "zero"].map(|name| folder.path().join(name));
        copy(&truth, GAMES, |_| 400);
        copy(&twin, GAMES, |_| 400);
        copy(&zero, GAMES - 1, |_| 0);
        let found = compared(&[&truth, &twin, &zero], 400.0).expect("compared");
        assert_eq!(found.games, GAMES - 1, "those that all have");
        let steps: usize = (1..GAMES).map(|number| game(number).steps.len()).sum();
        assert_eq!(found.positions, steps as u64);
        let gap = 1.0 / (1.0 + (-1.0f64).exp()) - 0.5;
        assert_eq!((found.others[0].loss(), found.others[0].root()), (0.0, 0.0));
        assert!((found.others[1].loss() - gap * gap).abs() < 1e-12, "{}", found.others[1].loss());
        assert!((found.others[1].root() - 400.0).abs() < 1e-9);
        assert!(found.static_evaluation.loss() > 0.0 && found.static_evaluation.root() > 0.0);
    }

    #[test]
    fn scores_count_for_the_side_to_move_on_both_sides() {
        let folder = tempfile::tempdir().expect("a folder");
        let [truth, other] = ["truth", "other"].map(|name| folder.path().join(name));
        copy(&truth, GAMES, |score| score / 100);
        copy(&other, GAMES, |score| score / 100 + 30);
        let found = compared(&[&truth, &other], 400.0).expect("compared");
        assert!((found.others[0].root() - 30.0).abs() < 1e-9, "{}", found.others[0].root());
        assert!(found.others[0].bias().abs() < 29.0, "what is too much for White is too little for Black");
    }

    #[test]
    fn the_bias_is_the_mean_of_what_the_side_to_move_is_given() {
        let truth = Score::ZERO;
        let mut distance = Distance::default();
        for gift in [Score(40), Score(20)] {
            distance.add(gift, truth, 400.0);
        }
        assert_eq!(distance.bias(), 30.0);
        distance.add(Score(-60), truth, 400.0);
        assert_eq!(distance.bias(), 0.0);
    }

    #[test]
    fn other_games_are_refused_by_file_and_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let [truth, other] = ["truth", "other"].map(|name| folder.path().join(name));
        write(&truth, 2, SHARD_MAX);
        let mut writer = Writer::create(&other, &plan(2), SHARD_MAX).expect("a new run");
        let mut longer = game(1);
        longer.steps.extend(game(2).steps);
        writer.append(&longer).expect("written");
        drop(writer);
        let error = compared(&[&truth, &other], 400.0).expect_err("another game").to_string();
        assert!(error.contains("game 1 is not that of the source") && error.contains("other"), "{error}");
    }
}
