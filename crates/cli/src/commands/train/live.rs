//! The progress of a training run on stderr.

use std::time::Instant;

use quarterply_engine::words::grouped;
use quarterply_learn::train::data::{DataSource, TrainingData};
use quarterply_learn::train::folder::TrainingLine;
use quarterply_learn::train::run::{TrainingEvent, TrainingRun};
use quarterply_window::words::several;

use crate::common::Common;
use crate::progress::{ProgressLine, time_left};

/// The template: the loss, and below it the progress of the training.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {pos}/{len} [{elapsed} gone]";

/// The live display: a bar in a terminal, and a line for every line of the journal.
pub struct TrainDisplay {
    /// The bar.
    pub line: ProgressLine,
    begun: Option<(Instant, u64)>,
    steps: u64,
    last: Option<TrainingLine>,
}

impl TrainDisplay {
    /// A display before anything was read.
    pub fn new(common: &Common) -> TrainDisplay {
        let line = ProgressLine::new(common, 0, "train", TEMPLATE);
        line.begin("reading games");
        TrainDisplay { line, begun: None, steps: 0, last: None }
    }

    /// Says what begins.
    pub fn begin(&mut self, run: &TrainingRun, threads: usize) {
        let (settings, done) = (&run.settings, run.steps());
        self.steps = settings.steps();
        self.line.bar.set_length(self.steps);
        self.line.bar.set_position(done);
        self.begun = Some((Instant::now(), done));
        let from = if done > 0 { format!("continuing after batch {}: ", grouped(done)) } else { String::new() };
        let threads = several(threads as u64, "thread");
        self.line.say(&format!(
            "{from}{} batches of {} positions, {threads}",
            grouped(self.steps),
            grouped(settings.plan.batch as u64)
        ));
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: &TrainingEvent<'_>) {
        match event {
            TrainingEvent::Reading(count) if self.line.is_due() => {
                self.line.bar.set_message(format!("reading games: {} positions", grouped(*count as u64)));
            }
            TrainingEvent::Reading(_) => {}
            TrainingEvent::Loaded(data) => {
                for text in &data.skipped {
                    self.line.say(&format!("warning: skipped damage: {text}"));
                }
                self.line.say(&describe(data));
            }
            TrainingEvent::Batch { done, loss, per_second } => self.on_batch(*done, *loss, *per_second),
            TrainingEvent::Line(line) => self.on_line(line),
            TrainingEvent::Network(file) => self.line.say(&format!("{} written", file.display())),
        }
    }

    fn on_batch(&mut self, done: u64, loss: f64, per_second: f64) {
        if !self.line.is_due() {
            return;
        }
        self.line.bar.set_position(done);
        let left = self.begun.and_then(|(begin, before)| {
            time_left(begin.elapsed().as_secs_f64(), done.saturating_sub(before) as f64, (self.steps - done) as f64)
        });
        let held_out = self.last.map_or_else(String::new, |line| format!(", held out {:.6}", line.held_out));
        self.line.bar.set_message(format!(
            "loss {loss:.6}{held_out}, {} positions/s{}",
            grouped(per_second as u64),
            left.map_or_else(String::new, |left| format!(", {left} to go"))
        ));
    }

    fn on_line(&mut self, line: &TrainingLine) {
        self.last = Some(*line);
        self.line.say(&format!(
            "pass {:6.2}  batch {:6}  loss {:.6}  held out {:.6}  rate {:.6}  {} positions/s",
            line.pass,
            line.batch,
            line.loss,
            line.held_out,
            line.rate,
            grouped(line.per_second as u64)
        ));
    }
}

fn describe(data: &TrainingData) -> String {
    let games: u64 = data.sources.iter().map(DataSource::played).sum();
    let slots: u64 = data.sources.iter().map(|source| source.sampled).sum();
    let (sampled, both) = match slots {
        0 => (String::new(), ""),
        _ => (format!(" and {} slots for sampled positions", grouped(slots)), " and slots"),
    };
    format!(
        "{} games{sampled}: {} positions to learn from, {} of {} games{both} held out, {} duplicates left out",
        grouped(games),
        grouped(data.train.len() as u64),
        grouped(data.held_out.len() as u64),
        grouped(data.held_out_games),
        grouped(data.duplicates)
    )
}
