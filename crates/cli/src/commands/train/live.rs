//! A training while it goes on, on stderr.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use quarterply_engine::words::grouped;
use quarterply_learn::train::data::{Data, Source};
use quarterply_learn::train::folder::Line;
use quarterply_learn::train::run::{Event, Run};

use crate::common::Common;
use crate::progress;

/// What it looks like: how it goes, and below it how far it is.
const TEMPLATE: &str = "{wide_msg}\n{prefix} {wide_bar} {pos}/{len} [{elapsed} gone]";
/// Least time between two messages.
const PAUSE: Duration = Duration::from_millis(200);

/// The live display: a bar in a terminal, and a line for every line of the journal.
pub struct TrainDisplay {
    live: progress::ProgressLine,
    shown: Instant,
    begun: Option<(Instant, u64)>,
    steps: u64,
    line: Option<Line>,
}

impl TrainDisplay {
    /// A display before anything was read.
    pub fn new(common: &Common) -> TrainDisplay {
        let live = progress::ProgressLine::new(common, 0, "train", TEMPLATE);
        live.begin("reading games");
        TrainDisplay { live, shown: Instant::now(), begun: None, steps: 0, line: None }
    }

    /// Says what begins.
    pub fn begin(&mut self, run: &Run, threads: usize) {
        let (settings, done) = (run.settings(), run.steps());
        self.steps = settings.steps();
        self.live.bar.set_length(self.steps);
        self.live.bar.set_position(done);
        self.begun = Some((Instant::now(), done));
        let from = if done > 0 { format!("going on after {} batches: ", grouped(done)) } else { String::new() };
        let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        self.live.say(&format!(
            "{from}{} batches of {} positions, {threads}",
            grouped(self.steps),
            grouped(settings.plan.batch as u64)
        ));
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Reading(count) if self.is_due() => {
                self.live.bar.set_message(format!("reading games: {} positions", grouped(*count as u64)));
            }
            Event::Reading(_) => {}
            Event::Loaded(data) => {
                for text in &data.skipped {
                    self.live.say(&format!("warning: skipped a block: {text}"));
                }
                self.live.say(&describe(data));
            }
            Event::Batch { done, loss, per_second } => self.on_batch(*done, *loss, *per_second),
            Event::Line(line) => self.on_line(line),
            Event::Network(file) => self.live.say(&format!("{} written", file.display())),
        }
    }

    fn is_due(&mut self) -> bool {
        let due = !self.live.bar.is_hidden() && self.shown.elapsed() >= PAUSE;
        if due {
            self.shown = Instant::now();
        }
        due
    }

    fn on_batch(&mut self, done: u64, loss: f64, per_second: f64) {
        if !self.is_due() {
            return;
        }
        self.live.bar.set_position(done);
        let left = self.begun.filter(|(_, before)| done > *before).map(|(begin, before)| {
            let each = begin.elapsed().as_secs_f64() / (done - before) as f64;
            format!(", {} to go", HumanDuration(Duration::from_secs_f64(each * (self.steps - done) as f64)))
        });
        let held_out = self.line.map_or_else(String::new, |line| format!(", held out {:.6}", line.held_out));
        self.live.bar.set_message(format!(
            "loss {loss:.6}{held_out}, {} positions/s{}",
            grouped(per_second as u64),
            left.unwrap_or_default()
        ));
    }

    fn on_line(&mut self, line: &Line) {
        self.line = Some(*line);
        self.live.say(&format!(
            "pass {:6.2}  batch {:6}  loss {:.6}  held out {:.6}  rate {:.6}  {} positions/s",
            line.pass,
            line.batch,
            line.loss,
            line.held_out,
            line.rate,
            grouped(line.per_second as u64)
        ));
    }

    /// Says something from any thread without spoiling the bar.
    pub fn speaker(&self) -> impl Fn(&str) + Send + 'static {
        self.live.speaker()
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.live.end();
    }
}

fn describe(data: &Data) -> String {
    let games: u64 = data.sources.iter().map(Source::played).sum();
    let places: u64 = data.sources.iter().map(|source| source.visited).sum();
    let (visited, both) = match places {
        0 => (String::new(), ""),
        _ => (format!(" and {} places of positions that searches visited", grouped(places)), " and places"),
    };
    format!(
        "{} games{visited}: {} positions to learn from, {} of {} games{both} held out, {} met before and left out",
        grouped(games),
        grouped(data.train.len() as u64),
        grouped(data.held_out.len() as u64),
        grouped(data.held_out_games),
        grouped(data.duplicates)
    )
}
