//! Each setting in separate games, at one limit of the moves or at several, in one stage or in two ([`quarterply_stats::staged`]).
//!
//! A row is a setting at a limit. All rows play the same openings in the same order, so that two rows are compared by the difference of
//! their scores from each opening.

use super::games::{PairScores, SettingMatch};
use super::worth::{InGames, WorthChange};
use super::{AblationPlan, Setting};
use quarterply_engine::words::grouped;
use quarterply_games::game::Pace;
use quarterply_games::matches::schedule::PAIR;
use quarterply_stats::staged::{FirstStage, counted, difference, half_width_of_elo, holm, sizes};
use std::path::PathBuf;

/// The numbers of games of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct StagePlan {
    /// Games of the first stage of a row.
    pub first: usize,
    /// The width of intervals at an even score (Elo), at each limit of the moves; none if there is only one stage.
    pub widths: Vec<f64>,
    /// Most games of all rows, those of the first stage included.
    pub budget: Option<usize>,
}

impl StagePlan {
    /// Games of each row in all, from the pairs of the first stage; a row that has more keeps them.
    pub fn games(&self, scores: &PairScores) -> Vec<usize> {
        let held = || scores.iter().map(|scores| scores.len() * PAIR);
        let widths = self.widths.iter().cycle().map(|width| half_width_of_elo(*width));
        let rows = scores.iter().zip(widths).map(|(scores, width)| Some((self.stage(scores)?, width)));
        let Some(rows) = rows.collect::<Option<Vec<_>>>().filter(|_| !self.widths.is_empty()) else {
            return held().collect();
        };
        let pairs = sizes(&rows, self.budget.map(|games| (games / PAIR) as u64));
        pairs.into_iter().zip(held()).map(|(pairs, held)| held.max(pairs as usize * PAIR)).collect()
    }

    /// The method of the figures, in words.
    pub fn method(&self) -> String {
        let first = grouped(self.first as u64);
        let Some(width) = self.widths.first() else {
            return format!("{first} games of each row; 95 % intervals by Student's t.");
        };
        let widths: Vec<String> = self.widths.iter().map(f64::to_string).collect();
        let width = if self.widths.iter().all(|other| other == width) {
            format!("{width} Elo wide at an even score")
        } else {
            format!("{} Elo wide at an even score, in the order of the limits", widths.join(" and "))
        };
        let most = self.budget.map_or_else(String::new, |budget| {
            format!(", the widest rows first, as long as {} games in all suffice", grouped(budget as u64))
        });
        format!(
            "Stein's two-stage procedure: {first} games of each row; their variance alone determines how many more make the 95 % interval \
             {width}{most}."
        )
    }

    /// The first stage of a row; `None` with fewer than two pairs.
    fn stage(&self, scores: &[u8]) -> Option<FirstStage> {
        FirstStage::new(counted(&scores[..self.pairs(scores)]))
    }

    /// Pairs of the first stage that a row has: all of them if there is no second one.
    fn pairs(&self, scores: &[u8]) -> usize {
        if self.widths.is_empty() { scores.len() } else { scores.len().min(self.first / PAIR) }
    }
}

/// The matches of all rows: the limits of the first setting, then those of the next.
pub fn matches(
    plan: &AblationPlan,
    paces: &[Pace],
    stages: &StagePlan,
    seed: u64,
    journal: &dyn Fn(&Setting, Pace) -> Option<PathBuf>,
) -> Vec<SettingMatch> {
    let row = |setting: &Setting, pace: Pace| SettingMatch {
        name: format!("{} {}", setting.rule, if setting.on { "on" } else { "off" }),
        setting: setting.parameters.clone(),
        baseline: plan.baseline.clone(),
        pace,
        games: stages.first,
        seed,
        journal: journal(setting, pace),
    };
    plan.settings.iter().flat_map(|setting| paces.iter().map(move |pace| row(setting, *pace))).collect()
}

/// The results of a setting: its games at each limit, without limits that have none, and Elo at the last limit minus Elo at the first.
pub type SettingGames = (Vec<InGames>, Option<WorthChange>);

/// The results of each setting, from the scores of all [`matches()`].
pub fn worths(paces: &[Pace], stages: &StagePlan, scores: &PairScores) -> Vec<SettingGames> {
    let p_value = |row: &Vec<u8>| stages.stage(row).map_or(1.0, |stage| stage.p_value(counted(row)));
    let significant = holm(&scores.iter().map(p_value).collect::<Vec<_>>());
    let mut rows: Vec<InGames> = scores
        .iter()
        .zip(paces.iter().cycle())
        .zip(significant)
        .map(|((row, pace), significant)| {
            let elo = stages.stage(row).map(|stage| stage.elo(counted(row)));
            InGames { significant: Some(significant), ..InGames::new(counted(row), *pace, elo) }
        })
        .collect();
    for first in 0..paces.len() {
        compare_neighbours(&mut rows, first, paces.len(), stages, scores);
    }
    let change = |scores: &[Vec<u8>]| match scores {
        [first, .., last] if !first.is_empty() && !last.is_empty() => {
            Some(WorthChange::from(difference(last, first, stages.first / PAIR)))
        }
        _ => None,
    };
    let settings = rows.chunks(paces.len().max(1)).zip(scores.chunks(paces.len().max(1)));
    settings
        .map(|(games, scores)| (games.iter().filter(|games| games.games > 0).cloned().collect(), change(scores)))
        .collect()
}

/// Adds to each row of a limit, the best excepted, its difference from the row that is next above it in Elo.
fn compare_neighbours(rows: &mut [InGames], first: usize, step: usize, stages: &StagePlan, scores: &PairScores) {
    let mut order: Vec<usize> = (first..rows.len()).step_by(step).filter(|at| rows[*at].games > 0).collect();
    order.sort_by(|a, b| rows[*b].elo.total_cmp(&rows[*a].elo));
    for pair in order.windows(2) {
        let found = difference(&scores[pair[1]], &scores[pair[0]], stages.first / PAIR);
        rows[pair[1]].behind = Some(WorthChange::from(found));
    }
}

/// The scores as a table for spreadsheets: a row for each setting and limit, and the half points of its pairs as digits in the order of the
/// openings, which are those of all rows.
pub fn scores_table(plan: &AblationPlan, paces: &[Pace], scores: &PairScores) -> String {
    let rows = plan.settings.iter().flat_map(|setting| paces.iter().map(move |pace| (setting, pace)));
    let mut text = String::from("rule,on,limit,half_points\n");
    for ((setting, pace), scores) in rows.zip(scores) {
        let digits: String = scores.iter().map(|half| char::from(b'0' + half)).collect();
        let rule = super::page::quoted(&setting.rule);
        text += &format!("{rule},{},{pace},{digits}\n", u8::from(setting.on));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::params::Parameters;

    fn plan(widths: &[f64]) -> StagePlan {
        StagePlan { first: 40, widths: widths.to_vec(), budget: None }
    }

    /// Pairs whose scores repeat.
    fn pairs(pattern: &[u8], count: usize) -> Vec<u8> {
        pattern.iter().copied().cycle().take(count).collect()
    }

    #[test]
    fn rows_get_games_by_their_width_and_keep_those_played() {
        let scores = vec![pairs(&[0, 2, 4, 2], 20), pairs(&[2], 20), pairs(&[2], 300)];
        let even = plan(&[60.0]);
        let games = even.games(&scores);
        assert!(games[0] > 200 && games[1] < games[0] && games[2] == 600, "{games:?}");
        let budget = StagePlan { budget: Some(140), ..even.clone() };
        assert_eq!(budget.games(&scores[..2].to_vec()), [100, 40]);
        assert_eq!(plan(&[]).games(&scores), [40, 40, 600]);
        assert_eq!(even.games(&vec![vec![2], vec![]]), [2, 0], "an interrupted first stage");
        // Only the first stage decides; later games do not.
        let mut longer = scores.clone();
        longer[0].extend(pairs(&[0], 5));
        assert_eq!(even.games(&longer), games);
        let [fine, coarse] = plan(&[30.0, 60.0]).games(&vec![scores[0].clone(); 2])[..] else { panic!("two rows") };
        assert!(fine > 3 * coarse && coarse == games[0], "{fine} {coarse}");
        assert!(plan(&[30.0, 60.0]).method().contains("interval 30 and 60 Elo wide at an even score, in the order of"));
        assert!(plan(&[16.0, 16.0]).method().ends_with("the 95 % interval 16 Elo wide at an even score."));
    }

    #[test]
    fn rows_are_compared_with_0_with_each_other_and_between_limits() {
        let paces = [Pace::Nodes(10), Pace::Nodes(100)];
        let good = pairs(&[3, 2, 3, 2, 3], 200);
        let scores = vec![good.clone(), pairs(&[2, 2, 1, 3], 200), pairs(&[2, 2, 1, 3], 100), pairs(&[2, 3, 1], 20)];
        let plan = StagePlan { first: 200, ..plan(&[]) };
        let [(first, change), (second, _)] = &worths(&paces, &plan, &scores)[..] else { panic!("two settings") };
        assert_eq!((first[0].games, first[0].nodes, first[1].nodes), (400, 10, 100));
        assert_eq!((first[0].significant, first[1].significant), (Some(true), Some(false)));
        let change = change.expect("two limits");
        assert!(change.elo < -90.0 && change.elo_high < 0.0, "{change:?}");
        assert!((change.elo - (first[1].elo - first[0].elo)).abs() < 1e-9);
        let behind = second[0].behind.expect("it is the second");
        assert!(behind.elo < 0.0 && first[0].behind.is_none(), "{behind:?}");
        let stopped = worths(&paces, &plan, &vec![good, vec![], vec![], vec![]]);
        assert_eq!((stopped[0].0.len(), stopped[0].1, stopped[1].0.len()), (1, None, 0));
    }

    #[test]
    fn the_scores_are_a_table() {
        let plan = AblationPlan::tried(&Parameters::default(), &["razoring.base=1,razoring.slope=2".to_owned()]);
        let plan = plan.expect("a setting");
        let paces = [Pace::Nodes(10), Pace::Nodes(20)];
        let rows = matches(&plan, &paces, &super::tests::plan(&[]), 5, &|_, _| None);
        assert!(rows.iter().all(|row| (row.seed, row.games) == (5, 40)), "all play the same openings");
        let text = scores_table(&plan, &paces, &vec![vec![0, 4, 2], vec![1]]);
        let rule = "\"razoring.base=1,razoring.slope=2\",1";
        assert_eq!(text, format!("rule,on,limit,half_points\n{rule},nodes=10,042\n{rule},nodes=20,1\n"));
    }
}
