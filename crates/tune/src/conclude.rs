//! The end of a run: is the best candidate better than the start values, also on what it was not tuned on?
//!
//! Three comparisons, all paired: the suite that was tuned on, the hold-out suite, and a match at equal nodes. Only the last two are
//! evidence for the candidate: it was selected because it is good on the suite that was tuned on. Each has its 95 % interval, and nothing
//! is concluded from fewer than [`SAMPLE_MIN`] positions or pairs of games.

use super::cache::MeasurementCache;
use super::cost_function::CostFunction;
use super::error::TuneError;
use super::objective::exact_cost;
use super::optimiser::Cost;
use super::plan::TuningPlan;
use super::run::OnEvent;
use super::space::Candidate;
use super::units::{CandidateTask, Measurement, SuiteRole, WorkUnit};
use quarterply_engine::words::grouped;
use quarterply_games::game::Pace;
use quarterply_stats::paired::{mean, t_test};
use quarterply_stats::{CONFIDENCE, Estimate, Pentanomial, SAMPLE_MIN};
use serde::{Deserialize, Serialize};

/// Digits of p-values and shares that are kept.
const SHARE_DIGITS: f64 = 1e6;

/// The result of a comparison with 95 % confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// The best candidate is better than the start values.
    Better,
    /// Inconclusive.
    #[default]
    Unclear,
    /// It is worse.
    Worse,
}

/// The verdict on a run: the first clear finding decides, the match before the hold-out, the hold-out before the tuning suite. So no
/// verdict claims what no finding shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "lowercase")]
pub enum TuningVerdict {
    /// Better in the match, or on the hold-out with an unclear match.
    Better,
    /// Better on the suite that was tuned on; nothing else shows a difference.
    #[strum(serialize = "only better on what it was tuned on")]
    OnlyWhereTuned,
    /// No comparison shows a difference.
    Unclear,
    /// The best candidate is the start values.
    #[strum(serialize = "no better")]
    NoBetter,
    /// Worse in the match, or on the hold-out with an unclear match, or even on the suite that was tuned on.
    Worse,
}

/// Two candidates on one suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SuiteComparison {
    /// Positions.
    pub positions: usize,
    /// The cost of the start values.
    pub start: Cost,
    /// The cost of the best candidate.
    pub best: Cost,
    /// Positions that only the best candidate solves.
    pub gained: usize,
    /// Positions that only the start values solve.
    pub lost: usize,
    /// The two-sided p-value of a paired t-test of the costs.
    pub p: Option<f64>,
    /// Lower end of the 95 % interval of the change of the costs, as a share of the cost of the start values; `None` if it is open.
    pub change_low: Option<f64>,
    /// Upper end of it.
    pub change_high: Option<f64>,
    /// The result with 95 % confidence.
    pub finding: Finding,
}

/// A match of the best candidate against the start values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamesComparison {
    /// Pairs by half points of the best candidate, 0 to 4.
    pub pairs: [u64; 5],
    /// Nodes per move, if that was the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_nodes: Option<u64>,
    /// Another limit of moves, as the user writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<String>,
    /// Elo to a tenth; `None` if it lost or won everything.
    pub elo: Option<f64>,
    /// Lower end of its 95 % interval; `None` if it is open.
    pub elo_low: Option<f64>,
    /// Upper end of it.
    pub elo_high: Option<f64>,
    /// The result with 95 % confidence.
    pub finding: Finding,
}

impl SuiteComparison {
    /// Returns true if there are too few positions for a conclusion.
    pub fn is_few(&self) -> bool {
        (self.positions as u64) < SAMPLE_MIN
    }
}

impl GamesComparison {
    /// The limit of moves as text.
    pub fn limit(&self) -> String {
        match (&self.move_limit, self.move_nodes) {
            (Some(limit), _) => limit.clone(),
            (None, nodes) => format!("{} nodes a move", grouped(nodes.unwrap_or_default())),
        }
    }

    /// Elo with its interval.
    pub fn estimate(&self) -> Estimate {
        Pentanomial::new(self.pairs).elo()
    }

    /// Returns true if there are too few pairs of games for a conclusion.
    pub fn is_few(&self) -> bool {
        !Pentanomial::new(self.pairs).is_conclusive()
    }
}

/// The conclusion of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// The best candidate.
    pub best: Candidate,
    /// The suite that was tuned on.
    pub tuning: Option<SuiteComparison>,
    /// The hold-out suite.
    pub holdout: Option<SuiteComparison>,
    /// The match.
    pub games: Option<GamesComparison>,
    /// The verdict.
    pub verdict: TuningVerdict,
    /// Nodes that the conclusion took.
    pub spent: u64,
    /// Why the comparison broke off, if it did: what was not measured by then is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The comparisons at the end of a run.
pub struct FinalComparison<'a> {
    /// The objective and the start values.
    pub cost_function: &'a CostFunction,
    /// The plan of the run, with the number of pairs, the openings and the limit of moves of the match.
    pub plan: &'a TuningPlan,
    /// Positions of the hold-out suite.
    pub holdout: u32,
}

impl FinalComparison<'_> {
    /// Compares the best candidate with the start values.
    pub fn conclude(
        &self,
        best: &Candidate,
        cache: &mut MeasurementCache<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Conclusion, TuneError> {
        let before = cache.spent();
        let (mut tuning, mut holdout, mut games) = (None, None, None);
        let mut measure = || -> Result<(), TuneError> {
            tuning = self.on_suite(best, SuiteRole::Tuning, self.cost_function.positions, cache, on_progress)?;
            holdout = self.on_suite(best, SuiteRole::Holdout, self.holdout, cache, on_progress)?;
            games = self.in_games(best, cache, on_progress)?;
            Ok(())
        };
        let failed = match measure() {
            // The search is finished: a failure of an engine after it must not lose its result.
            Err(TuneError::Engine(reason)) => Some(reason),
            Err(error @ TuneError::Faults(..)) => Some(error.to_string()),
            other => other.map(|()| None)?,
        };
        let finding = |suite: &Option<SuiteComparison>| suite.as_ref().map(|suite| suite.finding).unwrap_or_default();
        let found_in_games = games.as_ref().map(|games| games.finding).unwrap_or_default();
        let changed = *best != self.cost_function.start;
        let verdict = decide(changed, finding(&tuning), finding(&holdout), found_in_games);
        Ok(Conclusion { best: best.clone(), tuning, holdout, games, verdict, spent: cache.spent() - before, failed })
    }

    fn on_suite(
        &self,
        best: &Candidate,
        set: SuiteRole,
        positions: u32,
        cache: &mut MeasurementCache<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Option<SuiteComparison>, TuneError> {
        if positions == 0 {
            return Ok(None);
        }
        let units: Vec<WorkUnit> = (0..positions).map(|index| WorkUnit::Position { set, index }).collect();
        let task = |candidate: &Candidate| CandidateTask { candidate: candidate.clone(), units: units.clone() };
        let results = cache.measure(&[task(&self.cost_function.start), task(best)], on_progress)?;
        let [start, best] = &results[..] else { return Ok(None) };
        Ok(Some(compare(self.cost_function, start, best)))
    }

    fn in_games(
        &self,
        best: &Candidate,
        cache: &mut MeasurementCache<'_>,
        on_progress: &mut OnEvent<'_>,
    ) -> Result<Option<GamesComparison>, TuneError> {
        if self.plan.match_pairs == 0 || *best == self.cost_function.start {
            return Ok(None);
        }
        let opponent = &self.cost_function.start;
        // Earlier openings may have been used to measure candidates.
        let first = self.plan.tuning_openings();
        let openings = first..first + self.plan.match_pairs;
        let units = openings.map(|opening| WorkUnit::Pair { opponent: opponent.clone(), opening }).collect();
        let results = cache.measure(&[CandidateTask { candidate: best.clone(), units }], on_progress)?;
        let mut pairs = Pentanomial::default();
        for measure in results.iter().flatten() {
            if let Measurement::Pair { points, .. } = measure {
                pairs.add(usize::from(*points));
            }
        }
        Ok(Some(rate(pairs, &self.plan.pace())))
    }
}

/// Compares the measurements of two candidates on the same positions.
fn compare(cost_function: &CostFunction, start: &[Measurement], best: &[Measurement]) -> SuiteComparison {
    let objective = cost_function.objective.on_suites();
    let cost_of = |measure: &Measurement| objective.position_cost(measure, cost_function.cap);
    let pairs = || start.iter().zip(best);
    let differences: Vec<f64> = pairs().map(|(start, best)| cost_of(best) - cost_of(start)).collect();
    let solved = |measure: &Measurement| matches!(measure, Measurement::Position { solved: true, .. });
    let only = |is_solved: bool| {
        pairs().filter(|(start, best)| solved(best) == is_solved && solved(start) != is_solved).count()
    };
    let p = t_test(&differences);
    let total: f64 = differences.iter().sum();
    let finding = match p {
        _ if (differences.len() as u64) < SAMPLE_MIN => Finding::Unclear,
        Some(p) if p < 1.0 - CONFIDENCE && total < 0.0 => Finding::Better,
        Some(p) if p < 1.0 - CONFIDENCE => Finding::Worse,
        _ => Finding::Unclear,
    };
    let [change_low, change_high] = change_of(&differences, start.iter().map(cost_of).sum());
    let cost = |measures: &[Measurement]| exact_cost(&objective, cost_function.cap, measures, &[]);
    SuiteComparison {
        positions: start.len(),
        start: cost(start),
        best: cost(best),
        gained: only(true),
        lost: only(false),
        p: p.map(|p| (p * SHARE_DIGITS).round() / SHARE_DIGITS),
        change_low,
        change_high,
        finding,
    }
}

/// The ends of the 95 % interval of the sum of these differences, as shares of `whole`.
fn change_of(differences: &[f64], whole: f64) -> [Option<f64>; 2] {
    let margin = mean(differences).and_then(|mean| Some((mean.mean, mean.margin?)));
    [-1.0, 1.0].map(|side| {
        let (mean, margin) = margin.filter(|_| whole > 0.0)?;
        let share = (mean + side * margin) * differences.len() as f64 / whole;
        Some((share * SHARE_DIGITS).round() / SHARE_DIGITS)
    })
}

pub(super) fn rate(pairs: Pentanomial, pace: &Pace) -> GamesComparison {
    const TENTHS: f64 = 10.0;
    let elo = pairs.elo();
    let tenth = |value: f64| value.is_finite().then_some((value * TENTHS).round() / TENTHS);
    let finding = match elo {
        _ if !pairs.is_conclusive() => Finding::Unclear,
        Estimate { low, .. } if low > 0.0 => Finding::Better,
        Estimate { high, .. } if high < 0.0 => Finding::Worse,
        _ => Finding::Unclear,
    };
    let [elo, elo_low, elo_high] = [elo.value, elo.low, elo.high].map(tenth);
    let move_nodes = pace.nodes();
    let move_limit = move_nodes.is_none().then(|| pace.to_string());
    GamesComparison { pairs: pairs.counts, move_nodes, move_limit, elo, elo_low, elo_high, finding }
}

/// The verdict, given whether the candidate is another than the start values; what was not measured is unclear.
fn decide(changed: bool, tuning: Finding, holdout: Finding, games: Finding) -> TuningVerdict {
    match (games, holdout, tuning) {
        _ if !changed => TuningVerdict::NoBetter,
        (Finding::Better, _, _) | (Finding::Unclear, Finding::Better, _) => TuningVerdict::Better,
        (Finding::Unclear, Finding::Unclear, Finding::Better) => TuningVerdict::OnlyWhereTuned,
        (Finding::Unclear, Finding::Unclear, Finding::Unclear) => TuningVerdict::Unclear,
        (Finding::Worse, _, _)
        | (Finding::Unclear, Finding::Worse, _)
        | (Finding::Unclear, Finding::Unclear, Finding::Worse) => TuningVerdict::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;

    #[test]
    fn the_first_clear_finding_decides() {
        use Finding::{Better, Unclear, Worse};
        for (tuning, holdout, games, expected) in [
            (Better, Better, Better, TuningVerdict::Better),
            (Better, Unclear, Better, TuningVerdict::Better),
            (Better, Better, Unclear, TuningVerdict::Better),
            (Unclear, Worse, Better, TuningVerdict::Better),
            (Worse, Better, Unclear, TuningVerdict::Better),
            (Better, Unclear, Unclear, TuningVerdict::OnlyWhereTuned),
            (Unclear, Unclear, Unclear, TuningVerdict::Unclear),
            (Better, Better, Worse, TuningVerdict::Worse),
            (Better, Worse, Unclear, TuningVerdict::Worse),
            (Unclear, Unclear, Worse, TuningVerdict::Worse),
            (Worse, Unclear, Unclear, TuningVerdict::Worse),
        ] {
            assert_eq!(decide(true, tuning, holdout, games), expected, "{tuning:?} {holdout:?} {games:?}");
        }
        assert_eq!(decide(false, Unclear, Unclear, Unclear), TuningVerdict::NoBetter);
    }

    /// Four games, of which three were lost, were "worse, -338 Elo, keep the start values".
    #[test]
    fn a_match_is_clear_only_outside_its_margin_and_from_twenty_pairs_on() {
        let lost = rate(Pentanomial::new([1, 1, 0, 0, 0]), &Pace::Nodes(1));
        assert_eq!((lost.elo, lost.finding), (Some(-338.0), Finding::Unclear));
        assert!(lost.elo_low.is_none() && lost.elo_high.is_some(), "{lost:?}");
        assert_eq!(decide(true, Finding::Unclear, Finding::Unclear, lost.finding), TuningVerdict::Unclear);
        for (pairs, finding) in [
            ([0, 0, 10, 0, 0], Finding::Unclear),
            ([1, 4, 10, 5, 2], Finding::Unclear),
            ([0, 5, 40, 60, 20], Finding::Better),
            ([20, 60, 40, 5, 0], Finding::Worse),
            ([19, 0, 0, 0, 0], Finding::Unclear),
            ([20, 0, 0, 0, 0], Finding::Worse),
            ([0, 0, 0, 1, 18], Finding::Unclear),
            ([0, 0, 0, 1, 19], Finding::Better),
        ] {
            assert_eq!(rate(Pentanomial::new(pairs), &Pace::Nodes(1)).finding, finding, "{pairs:?}");
        }
    }

    /// The paper's objective with a limit of 1000 nodes.
    fn cost_function() -> CostFunction {
        CostFunction { cap: 1000, objective: Objective::default(), ..CostFunction::default() }
    }

    /// A position that takes this number of nodes.
    fn position(nodes: u64) -> Measurement {
        Measurement::Position { solved: nodes < 1000, first: nodes, stable: nodes, nodes }
    }

    #[test]
    fn few_positions_are_no_conclusion_and_every_change_has_its_interval() {
        for (count, finding) in [(1, Finding::Unclear), (19, Finding::Unclear), (20, Finding::Better)] {
            let start: Vec<Measurement> = (0..count).map(|i| position(500 + i % 3)).collect();
            let best: Vec<Measurement> = (0..count).map(|i| position(400 + i % 2)).collect();
            let found = compare(&cost_function(), &start, &best);
            assert_eq!(found.finding, finding, "{count} positions");
            let ends = [found.change_low, found.change_high];
            let around = |ends: [f64; 2]| ends[0] < -0.2 && -0.21 < ends[0] && ends[0] < ends[1] && ends[1] < -0.19;
            assert!(
                count == 1 && ends == [None; 2] || ends[0].zip(ends[1]).is_some_and(|(a, b)| around([a, b])),
                "{ends:?}"
            );
        }
    }

    /// The games of a blend were left out of the sum of costs but not of the sum of weights.
    #[test]
    fn a_blend_with_games_is_compared_on_suites_in_the_unit_of_its_suite_metric() {
        let measures: Vec<Measurement> = (0..30).map(|i| position(400 + i)).collect();
        let compared = |objective: &str| {
            let objective = objective.parse().expect(objective);
            let result = compare(&CostFunction { objective, ..cost_function() }, &measures, &measures);
            [result.start.value, result.best.value]
        };
        assert_eq!(compared("stable=1,games=1"), compared("stable"));
        assert_eq!(compared("stable=2,solved=1,games=3"), compared("stable=2,solved=1"));
    }

    #[test]
    fn suites_are_compared_position_by_position() {
        let cost_function = cost_function();
        let start: Vec<Measurement> = (0..40).map(|i| position(if i % 4 == 0 { 1000 } else { 500 + i })).collect();
        let best: Vec<Measurement> = (0..40).map(|i| position(if i == 1 { 1000 } else { 300 + i })).collect();
        let result = compare(&cost_function, &start, &best);
        assert_eq!((result.gained, result.lost, result.finding), (10, 1, Finding::Better));
        assert_eq!(compare(&cost_function, &best, &start).finding, Finding::Worse);
        assert_eq!(compare(&cost_function, &best, &best).finding, Finding::Unclear);
    }
}
