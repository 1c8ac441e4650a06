//! The run while it goes on, on stderr.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use quarterply_datagen::run::Totals;
use quarterply_datagen::settings::DatagenGoal;
use quarterply_engine::words::grouped;

use crate::common::Common;
use crate::progress::ProgressLine;

/// What it looks like: what there is, and below it how far the run is.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {percent} % [{elapsed} gone]";
/// Steps of the bar.
const STEPS: u64 = 1000;
const SECONDS_PER_HOUR: f64 = 3600.0;
const PERCENT: f64 = 100.0;

/// The live display: a bar in a terminal, nothing otherwise.
pub struct DatagenDisplay {
    /// The bar.
    pub line: ProgressLine,
    goal: DatagenGoal,
    so_far: Totals,
    start: Instant,
}

impl DatagenDisplay {
    /// A display for a run to this goal that goes on from `so_far`.
    pub fn new(common: &Common, goal: DatagenGoal, so_far: Totals) -> DatagenDisplay {
        let line = ProgressLine::new(common, STEPS, "datagen", TEMPLATE);
        line.begin("the first games are running");
        DatagenDisplay { line, goal, so_far, start: Instant::now() }
    }

    /// Shows what there is now.
    pub fn show(&mut self, totals: &Totals) {
        if !self.line.is_due() {
            return;
        }
        let elapsed = self.start.elapsed().as_secs_f64().max(f64::EPSILON);
        let rate = |now: u64, before: u64| (now - before) as f64 / elapsed;
        let share = self.share(totals, elapsed);
        self.line.bar.set_position((share * STEPS as f64) as u64);
        let (done, begun) = (share, self.share(&self.so_far, 0.0));
        let left = (done > begun).then(|| Duration::from_secs_f64(elapsed / (done - begun) * (1.0 - done)));
        self.line.bar.set_message(format!(
            "{} {}, {} positions after the filter, {:.0}/s, {:.0} % drawn{}",
            grouped(totals.games),
            if totals.games == 1 { "game" } else { "games" },
            grouped(totals.kept),
            rate(totals.kept, self.so_far.kept),
            PERCENT * totals.draws as f64 / totals.games.max(1) as f64,
            left.map_or_else(String::new, |left| format!(", {} to go", HumanDuration(left))),
        ));
    }

    /// How much of the goal is done, from 0 to 1: by the goal that is nearest.
    fn share(&self, totals: &Totals, elapsed: f64) -> f64 {
        let of = |done: f64, wanted: Option<f64>| wanted.map_or(0.0, |wanted| done / wanted);
        let games = of(totals.games as f64, self.goal.games.map(|games| games as f64));
        let positions = of(totals.kept as f64, self.goal.positions.map(|positions| positions as f64));
        let time = of(elapsed / SECONDS_PER_HOUR, self.goal.hours);
        games.max(positions).max(time).min(1.0)
    }
}
