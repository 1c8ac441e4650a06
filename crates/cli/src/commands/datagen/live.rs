//! The progress of a run on stderr.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use quarterply_datagen::run::Totals;
use quarterply_datagen::settings::DatagenGoal;
use quarterply_engine::words::grouped;

use crate::common::Common;
use crate::progress::{ProgressLine, time_left};

/// The template: games and positions, and below it the progress of the run.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {percent} % [{elapsed} gone]";
/// Steps of the bar.
const STEPS: u64 = 1000;
const SECONDS_PER_HOUR: f64 = 3600.0;
/// The time to the goal is printed once, after this time and this number of games.
const FORECAST_AFTER: Duration = Duration::from_secs(10);
const FORECAST_GAMES: u64 = 4;
/// For runs that take longer, a smaller goal is printed too.
const LONG: Duration = Duration::from_secs(30 * 60);
/// How long the smaller goal takes.
const SHORT: Duration = Duration::from_secs(10 * 60);
const PERCENT: f64 = 100.0;

/// The progress of a run: a bar in a terminal, lines elsewhere.
pub struct DatagenDisplay {
    /// The bar.
    pub line: ProgressLine,
    goal: DatagenGoal,
    so_far: Totals,
    start: Instant,
    forecast: bool,
}

impl DatagenDisplay {
    /// A display for a run to this goal that continues from `so_far`.
    pub fn new(common: &Common, goal: DatagenGoal, so_far: Totals) -> DatagenDisplay {
        let line = ProgressLine::new(common, STEPS, "datagen", TEMPLATE);
        line.begin("no game is finished yet");
        DatagenDisplay { line, goal, so_far, start: Instant::now(), forecast: false }
    }

    /// Shows the current totals.
    pub fn show(&mut self, totals: &Totals) {
        if !self.line.is_due() {
            return;
        }
        self.tell_duration(totals);
        let elapsed = self.start.elapsed().as_secs_f64().max(f64::EPSILON);
        let rate = |now: u64, before: u64| (now - before) as f64 / elapsed;
        let share = self.share(totals, elapsed);
        self.line.bar.set_position((share * STEPS as f64) as u64);
        let left = time_left(elapsed, share - self.share(&self.so_far, 0.0), 1.0 - share);
        self.line.bar.set_message(format!(
            "{} {}, {} positions after the filter, {:.0}/s, {:.0} % drawn{}",
            grouped(totals.games),
            if totals.games == 1 { "game" } else { "games" },
            grouped(totals.kept),
            rate(totals.kept, self.so_far.kept),
            PERCENT * totals.draws as f64 / totals.games.max(1) as f64,
            left.map_or_else(String::new, |left| format!(", {left} to go")),
        ));
    }

    /// Prints the expected duration once, as soon as the speed is known.
    fn tell_duration(&mut self, totals: &Totals) {
        let elapsed = self.start.elapsed();
        let games = totals.games - self.so_far.games;
        if self.forecast || elapsed < FORECAST_AFTER || games < FORECAST_GAMES {
            return;
        }
        self.forecast = true;
        if let Some(text) = forecast(&self.goal, &self.so_far, totals, elapsed) {
            self.line.say(&text);
        }
    }

    /// How much of the goal is done, from 0 to 1: by the goal that is nearest.
    fn share(&self, totals: &Totals, elapsed: f64) -> f64 {
        let of = |done: f64, goal: Option<f64>| goal.map_or(0.0, |goal| done / goal);
        let games = of(totals.games as f64, self.goal.games.map(|games| games as f64));
        let positions = of(totals.kept as f64, self.goal.positions.map(|positions| positions as f64));
        let time = of(elapsed / SECONDS_PER_HOUR, self.goal.hours);
        games.max(positions).max(time).min(1.0)
    }
}

/// How long a run to this goal takes at the speed measured so far, and a shorter goal if that is long; `None` without a goal.
fn forecast(goal: &DatagenGoal, before: &Totals, now: &Totals, elapsed: Duration) -> Option<String> {
    let seconds = elapsed.as_secs_f64().max(f64::EPSILON);
    let (games, positions) = ((now.games - before.games) as f64 / seconds, (now.kept - before.kept) as f64 / seconds);
    let rest = |goal: Option<u64>, done: u64, speed: f64| {
        Some(goal?.saturating_sub(done) as f64 / speed).filter(|rest| rest.is_finite())
    };
    let by_time = goal.hours.map(|hours| (hours * SECONDS_PER_HOUR - seconds).max(0.0));
    let ends = [rest(goal.games, now.games, games), rest(goal.positions, now.kept, positions), by_time];
    let left = Duration::try_from_secs_f64(ends.into_iter().flatten().reduce(f64::min)?).ok()?;
    let at_end = now.kept as f64 + positions * left.as_secs_f64();
    let mut text = format!(
        "measured {positions:.0} positions/s: about {} to the goal, and {} positions after the filter then",
        HumanDuration(left),
        grouped(at_end as u64),
    );
    let short = rounded(positions * SHORT.as_secs_f64());
    if left > LONG && short > 0 {
        text += &format!(
            "; a first network needs less: a run with `--positions {short}` takes about {} (docs/training.md)",
            HumanDuration(SHORT)
        );
    }
    Some(text)
}

/// A number rounded down to its first digit.
fn rounded(value: f64) -> u64 {
    const BASE: f64 = 10.0;
    if value < 1.0 {
        return 0;
    }
    let unit = BASE.powf(value.log10().floor());
    ((value / unit).floor() * unit) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(games: u64, kept: u64) -> Totals {
        Totals { games, kept, ..Totals::default() }
    }

    #[test]
    fn the_time_to_the_goal_follows_from_the_measured_speed() {
        let (before, now) = (totals(100, 5_000), totals(120, 6_670));
        let text_for = |goal: DatagenGoal| forecast(&goal, &before, &now, Duration::from_secs(10));
        let far = DatagenGoal { positions: Some(5_000_000), ..DatagenGoal::default() };
        assert_eq!(
            text_for(far).as_deref(),
            Some(
                "measured 167 positions/s: about 8 hours to the goal, and 5 000 000 positions after the filter then; a first network \
                 needs less: a run with `--positions 100000` takes about 10 minutes (docs/training.md)"
            )
        );
        // The goal that is reached first counts.
        let near = text_for(DatagenGoal { games: Some(240), hours: Some(1.0), ..far }).expect("a goal");
        assert!(near.contains("about 60 seconds to the goal") && !near.contains("needs less"), "{near}");
        let hours = text_for(DatagenGoal { hours: Some(0.5), ..DatagenGoal::default() }).expect("a goal");
        assert!(hours.contains("about 30 minutes to the goal, and 305 600 positions"), "{hours}");
        assert_eq!(text_for(DatagenGoal::default()), None);
        let none = forecast(&far, &before, &totals(120, 5_000), Duration::from_secs(10));
        assert_eq!(none, None, "no position yet");
    }

    #[test]
    fn suggested_goals_are_round() {
        for (value, round) in [(100_200.0, 100_000), (99_999.0, 90_000), (7.5, 7), (0.4, 0)] {
            assert_eq!(rounded(value), round);
        }
    }
}
