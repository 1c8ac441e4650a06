//! All settings that determine the network of a run. They are stored in `settings.toml`.

use crate::train::data::{DataSource, PositionSelection, TrainingData};
use crate::train::error::TrainError;
use crate::train::kernel::Labels;
use crate::train::shape::Shape;
use crate::train::teacher::MoveSampling;
use quarterply_datagen::replay::Filter;
use quarterply_engine::network::{BUCKETS, NEURONS_MAX, NEURONS_STEP, SCALE_MAX};
use quarterply_files::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

/// The file in a run's folder.
pub const FILE: &str = "settings.toml";
/// The version of the folder's format.
pub const FORMAT: u32 = 2;
/// The remedy if the settings of a run are damaged.
const REMEDY: &str = "restore the file, or begin another run";
/// The warm-up takes at most the number of batches divided by this.
const WARMUP_SHARE: u64 = 10;

/// The training plan of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seed of everything random.
    pub seed: u64,
    /// Hidden units of each perspective.
    pub hidden: usize,
    /// Output layers, chosen by the number of pieces.
    pub buckets: usize,
    /// The network with the initial weights, by its name ([`quarterply_engine::network::Network::name`]), if they are not random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Number of passes over the positions, unless `samples` is given.
    pub passes: u64,
    /// Number of positions in all, each use of a position counted; the run ends with the last whole batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Share of the positions that are replaced by others with classical values: see [`crate::train::teacher`].
    #[serde(default, alias = "beside")]
    pub distil_share: f64,
    /// Positions learned from at a time.
    pub batch: usize,
    /// Highest learning rate.
    pub rate: f64,
    /// Learning rate at the end.
    pub rate_end: f64,
    /// Batches in which the rate rises; at most a tenth of all.
    pub warmup: u64,
    /// Weight decay.
    pub decay: f64,
    /// Share of the weights so far in their exponential moving average, which becomes the network; 0: the network has the latest weights.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub average: f64,
    /// Weight of the game's result in the target; the rest is the score of the search.
    pub result: f64,
    /// Weight of the game's result at the end of the training, if the weight changes: it changes in a straight line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_end: Option<f64>,
    /// The same in positions with at most [`crate::train::kernel::ENDING_MEN`] pieces, if it differs there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_endings: Option<f64>,
    /// Score (pawns/100) at which the odds are e to 1.
    pub scale: i32,
    /// Pawns/100 for each unit of the network's output, if this differs from the scale: `from` keeps its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<i32>,
    /// Share of the classical value in the blend that is trained. Play uses this share unless `network.classical` is set.
    #[serde(default)]
    pub classical: f64,
    /// Share of the games that is held out.
    pub held_out: f64,
    /// Which positions are learned from.
    pub filter: Filter,
    /// True if damaged blocks of games are skipped instead of refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_damaged: bool,
    /// Batches between two lines of the journal; a pass and the run end with one, too.
    pub every: u64,
    /// Passes between two intermediate network files; 0: none.
    pub keep: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            seed: 1,
            hidden: 256,
            buckets: 1,
            from: None,
            passes: 20,
            samples: None,
            distil_share: 0.0,
            batch: 16_384,
            rate: 1e-3,
            rate_end: 2.4e-6,
            warmup: 100,
            decay: 0.01,
            average: 0.0,
            result: 0.0,
            result_end: None,
            result_endings: None,
            scale: 400,
            unit: None,
            classical: 0.0,
            held_out: 0.01,
            filter: Filter::DEFAULT,
            skip_damaged: false,
            every: 100,
            keep: 0,
        }
    }
}

impl Plan {
    /// The size of the network.
    pub fn shape(&self) -> Shape {
        Shape { hidden: self.hidden, buckets: self.buckets }
    }

    /// Pawns/100 for each unit of the network's output.
    pub fn unit(&self) -> i32 {
        self.unit.unwrap_or(self.scale)
    }

    /// The labels of positions at the end of the training, by which networks are compared.
    pub fn goal(&self) -> Labels {
        self.labels(self.result_end.unwrap_or(self.result))
    }

    /// The labels of batch `step`, from 0, of `steps`.
    pub fn goal_at(&self, step: u64, steps: u64) -> Labels {
        let done = step as f64 / steps.saturating_sub(1).max(1) as f64;
        self.labels(self.result + (self.result_end.unwrap_or(self.result) - self.result) * done)
    }

    fn labels(&self, result: f64) -> Labels {
        Labels {
            result: result as f32,
            result_endings: self.result_endings.unwrap_or(result) as f32,
            scale: self.scale as f32,
            unit: self.unit() as f32 / self.scale as f32,
            classical: self.classical as f32,
        }
    }

    /// Which positions are used.
    pub fn selection(&self) -> PositionSelection {
        PositionSelection {
            filter: self.filter,
            held_out: self.held_out,
            seed: self.seed,
            classical: self.classical > 0.0,
            skip_damaged: self.skip_damaged,
        }
    }

    /// The learning rate of batch `step`, from 0, of `steps`: it rises in a straight line and falls as a cosine.
    pub fn rate_at(&self, step: u64, steps: u64) -> f64 {
        let warmup = self.warmup.min(steps / WARMUP_SHARE);
        if step < warmup {
            return self.rate * (step + 1) as f64 / warmup as f64;
        }
        let done = (step - warmup) as f64 / (steps - warmup).max(1) as f64;
        self.rate_end + (self.rate - self.rate_end) * (1.0 + libm::cos(PI * done)) / 2.0
    }

    /// Checks that a network can be trained with these settings.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the flag and what it may be.
    pub fn check(&self) -> Result<(), TrainError> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let below_1 = |flag: &str, share: f64, example: &str| {
            let text = format!("--{flag} {share}: give a share of at least 0 and below 1, such as {example}");
            ((0.0..1.0).contains(&share), text)
        };
        let up_to_1 = |flag: &str, share: f64| {
            ((0.0..=1.0).contains(&share), format!("--{flag} {share}: give a share from 0 to 1"))
        };
        let allowed = BUCKETS.map(|count| count.to_string()).join(", ");
        let hidden = self.hidden.is_multiple_of(NEURONS_STEP) && (NEURONS_STEP..=NEURONS_MAX).contains(&self.hidden);
        for (fine, text) in [
            (hidden, format!("--hidden {}: give a multiple of {NEURONS_STEP} up to {NEURONS_MAX}", self.hidden)),
            (BUCKETS.contains(&self.buckets), format!("--buckets {}: give one of {allowed}", self.buckets)),
            (self.passes > 0, "--passes 0: give at least 1".to_owned()),
            (self.batch > 0, "--batch 0: give at least 1".to_owned()),
            (
                self.samples.is_none_or(|samples| samples >= self.batch as u64),
                format!("--samples {}: give at least a batch ({})", self.samples.unwrap_or_default(), self.batch),
            ),
            (self.every > 0, "--journal-every 0: give at least 1".to_owned()),
            (positive(self.rate), format!("--rate {}: give a finite number above 0, such as 0.001", self.rate)),
            (
                positive(self.rate_end) && self.rate_end <= self.rate,
                format!("--rate-end {}: give a number above 0 and at most --rate ({})", self.rate_end, self.rate),
            ),
            (
                (0.0..1.0).contains(&(self.decay * self.rate)),
                format!(
                    "--decay {}: give a number of at least 0 and below {}, 1 / --rate",
                    self.decay,
                    1.0 / self.rate
                ),
            ),
            below_1("average", self.average, "0.999"),
            below_1("distil-share", self.distil_share, "30%"),
            up_to_1("result", self.result),
            up_to_1("result-end", self.result_end.unwrap_or_default()),
            up_to_1("result-endings", self.result_endings.unwrap_or_default()),
            below_1("classical", self.classical, "50%"),
            ((1..=SCALE_MAX).contains(&self.scale), format!("--scale {}: give 1 to {SCALE_MAX}", self.scale)),
            (
                self.held_out > 0.0 && self.held_out < 1.0,
                format!("--holdout-share {}: give a share above 0 and below 1, such as 1%", self.held_out),
            ),
        ] {
            if !fine {
                return Err(TrainError::Setting(text));
            }
        }
        self.check_storable()
    }

    /// Checks that [`FILE`] can hold all numbers: those of TOML have a sign.
    fn check_storable(&self) -> Result<(), TrainError> {
        for (flag, number) in [
            ("seed", self.seed),
            ("passes", self.passes),
            ("samples", self.samples.unwrap_or_default()),
            ("warmup", self.warmup),
            ("journal-every", self.every),
            ("keep-every", self.keep),
        ] {
            if i64::try_from(number).is_err() {
                return Err(TrainError::Setting(format!("--{flag} {number}: give at most {}", i64::MAX)));
            }
        }
        Ok(())
    }
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// A run: its plan and its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSettings {
    /// Version of the format of the folder.
    pub format: u32,
    /// The program that began the run.
    pub program: String,
    /// The command that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Training positions.
    pub positions: u64,
    /// Positions held out.
    pub held_out_positions: u64,
    /// Identifies the positions.
    pub fingerprint: String,
    /// The training plan.
    pub plan: Plan,
    /// The games read.
    pub sources: Vec<DataSource>,
}

impl TrainingSettings {
    /// A run of this plan on this data.
    ///
    /// # Errors
    /// There are too few or too many positions; or a path cannot be made absolute.
    pub fn new(
        plan: Plan,
        data: &TrainingData,
        program: String,
        command: Option<String>,
    ) -> Result<TrainingSettings, TrainError> {
        if data.train.len() < plan.batch {
            return Err(TrainError::Few(data.train.len(), plan.batch));
        }
        if u32::try_from(data.train.len()).is_err() {
            return Err(TrainError::Many(data.train.len()));
        }
        let absolute = |source: &DataSource| {
            let path = std::path::absolute(&source.path).map_err(|e| TrainError::io(&source.path, e))?;
            Ok(DataSource { path, ..source.clone() })
        };
        Ok(TrainingSettings {
            format: FORMAT,
            program,
            command,
            positions: data.train.len() as u64,
            held_out_positions: data.held_out.len() as u64,
            fingerprint: format!("{:016x}", data.fingerprint),
            plan,
            sources: data.sources.iter().map(absolute).collect::<Result<_, TrainError>>()?,
        })
    }

    /// Checks that the settings in `folder` have the numbers of positions of their games.
    ///
    /// # Errors
    /// [`TrainError::Damaged`]: they were edited.
    pub fn check_positions(&self, folder: &Path, data: &TrainingData) -> Result<(), TrainError> {
        for (name, written, found) in [
            ("positions", self.positions, data.train.len()),
            ("held_out_positions", self.held_out_positions, data.held_out.len()),
        ] {
            if written != found as u64 {
                let reason = format!("{name} is {written}, and the games have {found}");
                return Err(TrainError::Damaged(folder.join(FILE), reason, REMEDY));
            }
        }
        Ok(())
    }

    /// Batches in a pass; the positions left over are omitted from it.
    pub fn batches(&self) -> u64 {
        self.positions / self.plan.batch as u64
    }

    /// Batches in all.
    pub fn steps(&self) -> u64 {
        let passes = self.batches().saturating_mul(self.plan.passes);
        self.plan.samples.map_or(passes, |samples| samples / self.plan.batch as u64)
    }

    /// Which positions of the batch after `steps` are replaced by others with classical values; `None`: none of them.
    pub fn distils(&self, steps: u64) -> Option<MoveSampling> {
        let (pass, share) = (steps / self.batches(), self.plan.distil_share);
        (share > 0.0).then_some(MoveSampling { seed: self.plan.seed, pass, share })
    }

    /// Identifies the run in its checkpoint.
    pub fn identity(&self) -> u64 {
        let mut sum = Fingerprint::new();
        sum.add(format!("{:?} {} {}", self.plan, self.positions, self.fingerprint).as_bytes());
        sum.0
    }

    /// The settings as they are written.
    pub fn to_toml(&self) -> Result<String, TrainError> {
        const HEAD: &str =
            "# A run of `quarterply train`: everything needed to repeat it. `quarterply train resume` reads it.\n\n";
        let text = toml::to_string(self).map_err(|e| TrainError::Setting(format!("{FILE}: {e}")))?;
        Ok(HEAD.to_owned() + &text)
    }

    /// Reads the settings of a folder.
    ///
    /// # Errors
    /// There are none, or they cannot be understood.
    pub fn read(folder: &Path) -> Result<TrainingSettings, TrainError> {
        let file = folder.join(FILE);
        let text =
            fs::read_to_string(&file).map_err(|e| TrainError::NoRun(folder.to_owned(), format!("{FILE}: {e}")))?;
        let wrong = |reason: String| TrainError::Damaged(file.clone(), reason, REMEDY);
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| wrong(e.to_string()))?;
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(format) if format == i64::from(FORMAT) => {}
            found => {
                let found = found.map_or("none".to_owned(), |format| format.to_string());
                return Err(wrong(format!("format {found}, and this program reads format {FORMAT}")));
            }
        }
        let settings: TrainingSettings = toml::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        settings.plan.check().map_err(|e| wrong(e.to_string()))?;
        if settings.batches() == 0 {
            return Err(wrong("less than one batch of positions".to_owned()));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let plan = Plan { warmup: 50, ..Plan::default() };
        assert_eq!(plan.rate_at(0, 1000), 1e-3 / 50.0);
        assert_eq!(plan.rate_at(49, 1000), 1e-3);
        assert!((plan.rate_at(525, 1000) - (1e-3 + plan.rate_end) / 2.0).abs() < 1e-9, "half way down");
        assert!(plan.rate_at(999, 1000) < 1.01 * plan.rate_end);
        // A short run is not spent warming up.
        assert_eq!(plan.rate_at(2, 20), plan.rate);
    }

    #[test]
    fn a_number_of_passes_beyond_all_bounds_does_not_wrap_around() {
        let settings = TrainingSettings {
            format: FORMAT,
            program: String::new(),
            command: None,
            positions: 79,
            held_out_positions: 1,
            fingerprint: String::new(),
            plan: Plan { passes: u64::MAX, batch: 10, ..Plan::default() },
            sources: Vec::new(),
        };
        assert_eq!((settings.batches(), settings.steps()), (7, u64::MAX));
    }

    #[test]
    fn the_weight_of_the_result_changes_linearly() {
        let ramp = Plan { result: 0.1, result_end: Some(0.4), ..Plan::default() };
        let weights = |plan: &Plan, step| {
            let labels = plan.goal_at(step, 101);
            [labels.result, labels.result_endings]
        };
        assert_eq!((weights(&ramp, 0), weights(&ramp, 50), weights(&ramp, 100)), ([0.1; 2], [0.25; 2], [0.4; 2]));
        assert_eq!(ramp.goal(), ramp.goal_at(100, 101), "networks are compared by the last labels");
        let endings = Plan { result_endings: Some(0.5), ..ramp };
        assert_eq!((weights(&endings, 0), weights(&endings, 100)), ([0.1, 0.5], [0.4, 0.5]));
        let constant = Plan { result: 0.2, ..Plan::default() };
        assert_eq!((constant.goal_at(0, 101), constant.goal_at(0, 1)), (constant.goal(), constant.goal()));
    }

    /// The distilled share had another name.
    #[test]
    fn settings_of_older_runs_are_read() {
        let plan = Plan { distil_share: 0.25, ..Plan::default() };
        let text = toml::to_string(&plan).expect("plain data").replace("distil_share", "beside");
        assert_eq!(toml::from_str::<Plan>(&text).expect(&text), plan);
    }

    #[test]
    fn settings_that_make_no_sense_are_named() {
        let usual = Plan::default();
        assert!(usual.check().is_ok());
        for (plan, says) in [
            (Plan { hidden: 100, ..usual.clone() }, "--hidden 100: give a multiple of 32 up to 1024"),
            (Plan { hidden: 0, ..usual.clone() }, "--hidden 0"),
            (Plan { buckets: 3, ..usual.clone() }, "--buckets 3: give one of 1, 2, 4, 8"),
            (Plan { passes: 0, ..usual.clone() }, "--passes"),
            (Plan { samples: Some(100), ..usual.clone() }, "--samples 100: give at least a batch (16384)"),
            (Plan { average: 1.0, ..usual.clone() }, "--average 1: give a share of at least 0 and below 1"),
            (Plan { result_end: Some(2.0), ..usual.clone() }, "--result-end 2: give a share from 0 to 1"),
            (Plan { distil_share: 1.0, ..usual.clone() }, "--distil-share 1: give a share of at least 0 and below 1"),
            (Plan { batch: 0, ..usual.clone() }, "--batch"),
            (Plan { rate: f64::NAN, ..usual.clone() }, "cannot use --rate NaN: give a finite number above 0"),
            (Plan { rate_end: 1.0, ..usual.clone() }, "at most --rate (0.001)"),
            (Plan { decay: -1.0, ..usual.clone() }, "--decay -1"),
            (Plan { rate: 1000.0, ..usual.clone() }, "--decay 0.01: give a number of at least 0 and below 0.001"),
            (Plan { result: 1.5, ..usual.clone() }, "--result 1.5"),
            (Plan { result_endings: Some(1.5), ..usual.clone() }, "--result-endings 1.5"),
            (Plan { scale: 0, ..usual.clone() }, "--scale 0"),
            (Plan { classical: 1.0, ..usual.clone() }, "--classical 1: give a share of at least 0 and below 1"),
            (Plan { held_out: 0.0, ..usual.clone() }, "--holdout-share 0"),
            (Plan { seed: 1 << 63, ..usual.clone() }, "--seed 9223372036854775808: give at most 9223372036854775807"),
            (Plan { keep: u64::MAX, ..usual.clone() }, "--keep-every"),
        ] {
            let error = plan.check().expect_err(says).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
