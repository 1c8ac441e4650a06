//! Games played on other machines: a task is a range of numbers, its outcome these games.

use crate::play::Player;
use crate::record::GameRecord;
use crate::replay::Filter;
use crate::run::{Played, RunError, Shared};
use crate::settings::{Openings, Settings};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use quarterply_engine::network::{CLASSICAL, DEFAULT};
use quarterply_work::{Build, Course, Desk, Digest, Far, Fault, Found, NOMINAL_SPEED, Outcome, Task, WorkError, drive};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What such tasks are called.
pub const KIND: &str = "datagen";
/// Plies of a game, for the first guess of the time that it takes.
const PLIES: f64 = 120.0;
/// A task is no larger than this part of what is left, so that nobody is waited for in the end.
const PART: u64 = 16;
/// Most games of a task: they must fit into a message.
const GAMES_MAX: u64 = 256;
/// Weight of the last task in the mean time of a game.
const NEWEST: f64 = 0.2;

/// Games to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// The number of the first game.
    pub first: u64,
    /// The number of the last one.
    pub last: u64,
    /// How they are played; never with a path.
    pub settings: Settings,
    /// The network that judges positions, if a file has it.
    pub network: Option<Digest>,
    /// The book whose positions games begin from, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Digest>,
}

/// Games that were played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Games {
    /// Each as bytes of *viriformat*, in Base64.
    games: Vec<String>,
    /// Time spent in searches (seconds).
    searching: f64,
}

/// What all tasks of a run have in common.
pub(crate) struct Orders {
    build: Build,
    settings: Settings,
    network: Option<Digest>,
    book: Option<Digest>,
    /// How long a task should take (seconds).
    grain: f64,
}

impl Orders {
    /// Stores what the games need.
    ///
    /// # Errors
    /// The settings name something that other machines do not have.
    pub fn new(settings: &Settings, far: &mut Far<'_>) -> Result<Orders, RunError> {
        settings.check().map_err(crate::play::PlayError::from)?;
        if let Some(path) = &settings.syzygy {
            let text =
                format!("--syzygy {path}: endgame tables lie on this machine only; leave them out, or play here");
            return Err(WorkError::Executor(text).into());
        }
        let mut settings = settings.clone();
        let is_file = |text: &String| text != CLASSICAL && text != DEFAULT;
        let file = settings.eval_file.take_if(|text| is_file(text));
        let network = file.map(|file| far.store(Path::new(&file))).transpose()?;
        let openings = settings.openings.take();
        openings.as_ref().map(Openings::games).transpose().map_err(crate::play::PlayError::from)?;
        let book = openings.map(|book| far.store(Path::new(&book.file))).transpose()?;
        Ok(Orders { build: far.build.clone(), settings, network, book, grain: far.executor.grain() })
    }

    /// Has games played until the end. Errors go where games go.
    pub fn send(self, mut far: Far<'_>, shared: &Shared<'_, '_>, sender: &Sender<Played>) {
        let mean = PLIES * self.settings.soft_nodes as f64 / NOMINAL_SPEED;
        let mut course = Numbers { orders: self, shared, sender, mean, done: 0 };
        if let Err(error) = drive(&mut far, &mut course) {
            // Who does not listen any more has what it wants.
            let _ = sender.send(Err(error.into()));
        }
    }
}

/// The run as others see it.
struct Numbers<'a, 'b, 'c> {
    orders: Orders,
    shared: &'a Shared<'b, 'c>,
    sender: &'a Sender<Played>,
    /// Mean time of a game (seconds).
    mean: f64,
    done: u64,
}

impl Course<(u64, u64)> for Numbers<'_, '_, '_> {
    fn take(&mut self) -> Option<((u64, u64), Task)> {
        let fitting = (self.orders.grain / self.mean.max(f64::EPSILON)) as u64;
        let part = self.shared.games_left().map_or(GAMES_MAX, |left| left.div_ceil(PART));
        let (first, last) = self.shared.take_games(fitting.min(part).clamp(1, GAMES_MAX))?;
        let Orders { build, settings, network, book, .. } = &self.orders;
        let content = Content { first, last, settings: settings.clone(), network: *network, book: *book };
        let content = serde_json::to_value(content).unwrap_or_default();
        let objects = network.iter().chain(book).copied().collect();
        Some(((first, last), Task { kind: KIND.to_owned(), build: build.clone(), objects, content }))
    }

    fn done(&mut self, (first, last): (u64, u64), outcome: Outcome) -> Result<(), String> {
        let Games { games, searching } = serde_json::from_value(outcome.body).map_err(|error| error.to_string())?;
        let count = last - first + 1;
        if games.len() as u64 != count {
            return Err(format!("{} games instead of {count}", games.len()));
        }
        let mean = outcome.seconds / count as f64;
        self.mean += NEWEST * (mean - self.mean);
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.shared.count_time(time(outcome.seconds), time(searching));
        for (number, text) in (first..).zip(games) {
            let bytes = BASE64_STANDARD.decode(text).map_err(|error| error.to_string())?;
            let game = GameRecord::decode(number, &bytes).map_err(|error| error.to_string())?;
            let kept = Filter::DEFAULT.count(&game).map_err(|error| error.to_string())?;
            self.done += 1;
            // A run that has what it wants does not listen any more.
            let _ = self.sender.send(Ok((game, kept)));
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.shared.is_over()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done, self.shared.games_left())
    }
}

/// Plays games that others ask for.
#[derive(Default)]
pub struct Runner {
    /// The last player, who mostly can play on.
    player: Option<(Settings, [Option<Digest>; 2], Player)>,
}

impl Runner {
    fn player(&mut self, content: &Content, desk: &Desk) -> Result<&mut Player, Fault> {
        let refused = |error: &dyn std::fmt::Display| Fault::Refused(error.to_string());
        let Content { settings, network, book, .. } = content;
        let objects = [*network, *book];
        let known = self.player.as_ref().is_some_and(|(old, named, _)| old == settings && *named == objects);
        if !known {
            let path = |file: &String| file != CLASSICAL && file != DEFAULT;
            let named = settings.syzygy.is_some() || settings.openings.is_some();
            if named || settings.eval_file.as_ref().is_some_and(path) {
                return Err(Fault::Refused("its settings name files, and tasks hold no paths".to_owned()));
            }
            desk.room(settings.hash as u64)?;
            let mut here = settings.clone();
            let lies = |object: &Digest| desk.objects.path(object).map(|path| path.display().to_string());
            if let Some(network) = network {
                here.eval_file = Some(lies(network).map_err(Fault::Failed)?);
            }
            if let Some(book) = book {
                let file = lies(book).map_err(Fault::Failed)?;
                here.openings = Some(Openings::of(&file).map_err(|error| refused(&error))?.0);
            }
            let player = Player::new(&here, None).map_err(|error| refused(&error))?;
            self.player = Some((settings.clone(), objects, player));
        }
        let (_, _, player) = self.player.as_mut().ok_or(Fault::Stopped)?;
        Ok(player)
    }
}

impl quarterply_work::Runner for Runner {
    fn run(&mut self, task: &Task, desk: &Desk) -> Result<Found, Fault> {
        let content: Content = serde_json::from_value(task.content.clone())
            .map_err(|error| Fault::Refused(format!("it is no task of datagen ({error})")))?;
        if content.first > content.last || content.last - content.first >= GAMES_MAX {
            return Err(Fault::Refused(format!("games {} to {} at once", content.first, content.last)));
        }
        let player = self.player(&content, desk)?;
        let before = player.searching();
        let (mut games, mut all) = (Vec::new(), Vec::new());
        for number in content.first..=content.last {
            if desk.is_stopped() {
                return Err(Fault::Stopped);
            }
            let bytes = player.play(number).map_err(|error| Fault::Refused(error.to_string()))?.encode();
            games.push(BASE64_STANDARD.encode(&bytes));
            all.extend(bytes);
        }
        let searching = (player.searching() - before).as_secs_f64();
        let body = serde_json::to_value(Games { games, searching }).unwrap_or_default();
        Ok(Found { body, agree: Some(Digest::of(&all)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{Plan, SHARD_MAX, Writer, shards_of};
    use crate::run::{Totals, run};
    use crate::testing::plan;
    use quarterply_work::{Hands, Here};
    use std::fs;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn games_of_others_make_the_same_files_in_whatever_order_they_come() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("book.epd");
        fs::write(&file, "4r1k1/5ppp/8/8/8/8/5PPP/R5K1 w - -\n8/5pk1/6p1/8/8/1P6/1K6/8 w - -\n").expect("written");
        let (openings, _) = Openings::of(file.to_str().expect("UTF-8")).expect("a book");
        let begun = plan(30);
        let settings = Settings { openings: Some(openings), ..begun.settings.clone() };
        for plan in [begun.clone(), Plan { settings, ..begun }] {
            compare(&plan);
        }
    }

    /// Plays the games of a plan here and as others do.
    fn compare(plan: &Plan) {
        let written = |far: bool| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut writer = Writer::create(folder.path(), plan, SHARD_MAX).expect("a new run");
            let build = Build { program: "p".to_owned(), signature: "1".to_owned() };
            let runner = Box::new(Runner::default());
            let mut here = Here::new(build.clone(), runner, folder.path().join("objects"), 7);
            let hands = if far {
                Hands::Far(Far { executor: &mut here, build, say: &|text| panic!("{text}") })
            } else {
                Hands::Threads(2)
            };
            let none = &mut |_: &Totals| {};
            let summary = run(&mut writer, plan.goal, Totals::default(), hands, &AtomicBool::new(false), none);
            let summary = summary.expect("a run");
            assert_eq!(summary.all.games, 30);
            assert!(summary.searching > Duration::ZERO && summary.searching <= summary.working);
            shards_of(folder.path()).expect("shards").iter().map(|path| fs::read(path).expect("a shard")).collect()
        };
        let (local, far): (Vec<_>, Vec<_>) = (written(false), written(true));
        assert_eq!(local, far);
    }

    #[test]
    fn tasks_hold_no_paths() {
        let path = || "/etc/passwd".to_owned();
        let usual = Settings::default();
        for settings in [
            Settings { eval_file: Some(path()), ..usual.clone() },
            Settings { openings: Some(Openings { file: path(), fingerprint: 1 }), ..usual.clone() },
            Settings { syzygy: Some(path()), ..usual },
        ] {
            let content = Content { first: 1, last: 1, settings, network: None, book: None };
            let build = Build { program: "p".to_owned(), signature: "1".to_owned() };
            let content = serde_json::to_value(content).expect("JSON");
            let task = Task { kind: KIND.to_owned(), build, objects: Vec::new(), content };
            let objects = std::sync::Arc::new(quarterply_work::Shelf("/nowhere".into()));
            let desk = Desk { stop: std::sync::Arc::default(), objects, memory: None };
            let refused = quarterply_work::Runner::run(&mut Runner::default(), &task, &desk);
            assert!(matches!(&refused, Err(Fault::Refused(text)) if text.contains("no paths")), "{refused:?}");
        }
    }
}
