//! Pairs of games played on other machines: a task is a pair of the schedule, its outcome the line of the journal.

use super::journal::Entrant;
use super::line::PairLine;
use super::plan::{Lineup, Plan};
use super::run::{MatchError, expect};
use super::schedule::Unit;
use super::worker::{Board, Finished, Hall, Report};
use crate::game::adjudicate::Adjudication;
use crate::game::{Pace, Player};
use crate::player::EnginePlayer;
use crate::portable::{EngineData, Opening, Portable, millis};
use quarterply_uci::process::Stop;
use quarterply_work::{Course, Desk, Digest, Far, Fault, Found, Outcome, Task, WorkError, drive};
use serde::{Deserialize, Serialize};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What such tasks are called.
pub const KIND: &str = "match";
/// Players that a worker keeps ready.
const READY_MAX: usize = 4;

/// A pair to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    event: String,
    date: String,
    /// Its place in the schedule, from 0.
    index: usize,
    games: usize,
    players: [Seated; 2],
    opening: Opening,
    /// When a game counts as won, as the user writes it.
    win: Option<String>,
    /// When a game counts as drawn.
    draw: Option<String>,
}

/// A player, and what its moves may cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seated {
    name: String,
    engine: EngineData,
    pace: String,
    /// See [`Pace::with_margin`] (milliseconds).
    margin: u64,
}

/// The players as data for other machines. Nothing is started, and nobody is asked.
///
/// # Errors
/// One of them, or the adjudication, needs something that only this machine has.
pub fn portable(plan: &Plan, lineup: &dyn Lineup) -> Result<Vec<Portable>, MatchError> {
    if plan.adjudication.tables.is_some() {
        let text = "--adjudicate-syzygy: endgame tables lie on this machine only; leave it out, or play here";
        return Err(WorkError::Executor(text.to_owned()).into());
    }
    let data = |(player, entrant): (usize, &Entrant)| {
        lineup.data(player).map_err(|reason| MatchError::Seat { name: entrant.name.clone(), reason })
    };
    plan.entrants.iter().enumerate().map(data).collect()
}

/// What all tasks of a match have in common, and who does them.
pub(super) struct Orders<'a> {
    far: Far<'a>,
    players: Vec<Seated>,
}

impl<'a> Orders<'a> {
    /// Makes data of the players.
    ///
    /// # Errors
    /// One of them, or the adjudication, needs something that only this machine has.
    pub fn new(plan: &Plan, lineup: &dyn Lineup, mut far: Far<'a>) -> Result<Orders<'a>, MatchError> {
        let mut players = Vec::new();
        for (player, portable) in portable(plan, lineup)?.iter().enumerate() {
            let engine = EngineData::new(portable, &mut far)?;
            let pace = plan.pace_of(player);
            let name = plan.entrants[player].name.clone();
            players.push(Seated { name, engine, pace: pace.to_string(), margin: millis(pace.margin()) });
        }
        Ok(Orders { far, players })
    }

    /// Has pairs played until the end.
    pub fn send(mut self, hall: &Hall<'_>, sender: &Sender<Report>) {
        let mut course = Pairs { players: &self.players, build: self.far.build.clone(), hall, sender, done: 0 };
        if let Err(error) = drive(&mut self.far, &mut course) {
            hall.halt.set();
            // Who does not listen any more has what it wants.
            let _ = sender.send(Report::Failed(error.into()));
        }
    }
}

/// The match as others see it.
struct Pairs<'a, 'b> {
    players: &'a [Seated],
    build: quarterply_work::Build,
    hall: &'a Hall<'b>,
    sender: &'a Sender<Report>,
    done: u64,
}

impl Course<Unit> for Pairs<'_, '_> {
    fn take(&mut self) -> Option<(Unit, Task)> {
        let unit = self.hall.take()?;
        let Some(opening) = self.hall.openings.get(unit.round) else {
            let _ = self.sender.send(Report::Failed(MatchError::NoOpenings));
            return None;
        };
        let plan = self.hall.plan;
        let players = unit.players.map(|player| self.players[player].clone());
        let mut objects: Vec<Digest> = Vec::new();
        for player in &players {
            if let Some(digest) = player.engine.evaluation.object()
                && !objects.contains(&digest)
            {
                objects.push(digest);
            }
        }
        let content = Content {
            event: plan.event.clone(),
            date: self.hall.date.clone(),
            index: unit.index,
            games: unit.games,
            players,
            opening: Opening::of(&opening),
            win: plan.adjudication.win.map(|rule| rule.to_string()),
            draw: plan.adjudication.draw.map(|rule| rule.to_string()),
        };
        let content = serde_json::to_value(content).unwrap_or_default();
        Some((unit, Task { kind: KIND.to_owned(), build: self.build.clone(), objects, content }))
    }

    fn done(&mut self, unit: Unit, outcome: Outcome) -> Result<(), String> {
        let mut line: PairLine = serde_json::from_value(outcome.body).map_err(|error| error.to_string())?;
        if line.pair != unit.index + 1 {
            return Err(format!("pair {} instead of {}", line.pair, unit.index + 1));
        }
        expect(self.hall.plan, &unit, &line, self.hall.openings)?;
        line.worker = Some(outcome.worker.name);
        self.hall.write(&line).map_err(|error| error.to_string())?;
        self.done += 1;
        for game in &line.games {
            let _ = self.sender.send(Report::Game(game.clone()));
        }
        let busy = Duration::try_from_secs_f64(outcome.seconds).unwrap_or_default();
        // A match that is over does not listen any more.
        let _ = self.sender.send(Report::Pair(Finished { index: unit.index, line, busy }));
        Ok(())
    }

    fn is_wanted(&self, unit: &Unit) -> bool {
        !self.hall.closed[unit.pairing].is_set()
    }

    fn is_over(&self) -> bool {
        self.hall.is_over()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let all = self.hall.schedule.len() - self.hall.done.len();
        (self.done, Some((all as u64).saturating_sub(self.done)))
    }
}

/// Plays pairs that others ask for.
#[derive(Default)]
pub struct Runner {
    /// Players that played lately, the last at the end.
    ready: Vec<(String, EngineData, EnginePlayer)>,
}

impl Runner {
    fn seat(&mut self, seated: &Seated, desk: &Desk) -> Result<EnginePlayer, Fault> {
        let known =
            |(name, data, _): &(String, EngineData, EnginePlayer)| *name == seated.name && *data == seated.engine;
        match self.ready.iter().position(known) {
            Some(index) => Ok(self.ready.remove(index).2),
            None => seated.engine.player(&seated.name, desk),
        }
    }

    fn play(&mut self, content: &Content, desk: &Desk) -> Result<PairLine, Fault> {
        let refused = |error: String| Fault::Refused(error);
        let [first, second] = &content.players;
        desk.room((first.engine.hash + second.engine.hash) as u64)?;
        let plan = plan(content).map_err(refused)?;
        let opening = content.opening.game().map_err(refused)?;
        let unit = Unit { index: content.index, pairing: 0, players: [0, 1], round: 0, games: content.games };
        let (mut white, mut black) = (self.seat(first, desk)?, self.seat(second, desk)?);
        let stop = Stop::from(std::sync::Arc::clone(&desk.stop));
        let reasons = [stop, Stop::default(), Stop::default()];
        let board = Board { plan: &plan, unit: &unit, date: &content.date, opening: &opening, reasons };
        let players: [&mut dyn Player; 2] = [&mut white, &mut black];
        let line = board.play(players, &mut |_| {}).ok_or(Fault::Stopped)?;
        self.ready.push((first.name.clone(), first.engine.clone(), white));
        self.ready.push((second.name.clone(), second.engine.clone(), black));
        self.ready.drain(..self.ready.len().saturating_sub(READY_MAX));
        Ok(line)
    }
}

/// A match of these two.
fn plan(content: &Content) -> Result<Plan, String> {
    let mut paces = Vec::new();
    for player in &content.players {
        let pace: Pace = player.pace.parse().map_err(|error: crate::game::PaceError| error.to_string())?;
        paces.push(pace.with_margin(Duration::from_millis(player.margin)));
    }
    let entrant = |player: &Seated| Entrant { name: player.name.clone(), spec: String::new(), details: Vec::new() };
    let entrants = content.players.iter().map(entrant).collect();
    let wrong = |error: &dyn std::fmt::Display| error.to_string();
    let adjudication = Adjudication {
        win: content.win.as_ref().map(|rule| rule.parse().map_err(|error| wrong(&error))).transpose()?,
        draw: content.draw.as_ref().map(|rule| rule.parse().map_err(|error| wrong(&error))).transpose()?,
        tables: None,
    };
    let mut plan = Plan::new(entrants, content.games, paces[0]);
    plan.paces = paces.into_iter().map(Some).collect();
    plan.event = content.event.clone();
    plan.adjudication = adjudication;
    Ok(plan)
}

/// Everything of a pair that is the same on every machine: all but times.
fn agree(line: &PairLine) -> Digest {
    let mut text = format!("{} {} {}\n", line.pair, line.opening, line.points);
    for game in &line.games {
        let timeless = game.pgn.split_whitespace().filter(|word| !is_time(word));
        text += &format!("{} {} {}\n{}\n", game.ending, game.plies, game.nodes, timeless.collect::<Vec<_>>().join(" "));
    }
    Digest::of(text.as_bytes())
}

/// Is it a time in a comment, such as `0.120s`?
fn is_time(word: &str) -> bool {
    word.trim_end_matches('}').strip_suffix('s').is_some_and(|number| number.parse::<f64>().is_ok())
}

impl quarterply_work::Runner for Runner {
    fn run(&mut self, task: &Task, desk: &Desk) -> Result<Found, Fault> {
        let content: Content = serde_json::from_value(task.content.clone())
            .map_err(|error| Fault::Refused(format!("it is no task of match ({error})")))?;
        let line = self.play(&content, desk)?;
        let repeats = |player: &Seated| {
            let timed = player.pace.parse::<Pace>().map_or(true, |pace| pace.is_timed());
            !timed && player.engine.threads <= 1
        };
        let agree = content.players.iter().all(repeats).then(|| agree(&line));
        let body = serde_json::to_value(&line).unwrap_or_default();
        Ok(Found { body, agree })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{End, Files, News, Specs, Supply, run, run_far};
    use super::*;
    use crate::openings::{Options, Source};
    use crate::players::Terms;
    use quarterply_stats::Sprt;
    use quarterply_work::{Build, Here};

    fn specs(texts: &[&str]) -> Specs {
        let specs = texts.iter().map(|text| text.parse().expect(text)).collect();
        Specs::new(specs, Terms { hash: 1, ..Terms::default() }, &Pace::Nodes(60)).expect("players")
    }

    /// Digests of the pairs in the order in which they counted, and how the match ended.
    fn pairs(texts: &[&str], games: usize, sprt: Option<Sprt>, far: bool) -> (Vec<Digest>, End) {
        let specs = specs(texts);
        let mut plan = Plan::new(specs.entrants().expect("profiles"), games, Pace::Nodes(60));
        plan.sprt = sprt;
        let folder = tempfile::tempdir().expect("a folder");
        let build = Build { program: "p".to_owned(), signature: "1".to_owned() };
        let mut here = Here::new(build.clone(), Box::new(Runner::default()), folder.path().to_owned(), 3);
        let openings = Supply::new(Source::builtin(&Options { seed: 5, ..Options::default() }));
        let mut found = Vec::new();
        let mut watch = |news: News<'_>| {
            if let News::Pair { line, .. } = news {
                assert_eq!(line.worker.as_deref(), far.then_some("here"));
                found.push(agree(line));
            }
        };
        let (files, stop, say) = (Files::default(), Stop::default(), |text: &str| panic!("{text}"));
        let outcome = if far {
            let far = Far { executor: &mut here, build, say: &say };
            run_far(&plan, &specs, &openings, &files, &stop, Some(far), &mut watch)
        } else {
            run(&plan, &specs, &openings, &files, &stop, &mut watch)
        };
        (found, outcome.expect("a match").end)
    }

    #[test]
    fn pairs_played_elsewhere_are_the_same_pairs_in_the_same_order() {
        let players = ["default", "default set.null_move.on=false name=B", "classic"];
        let local = pairs(&players, 6, None, false);
        assert_eq!((local.0.len(), local.1), (6, End::Complete));
        assert_eq!(pairs(&players, 6, None, true), local);
    }

    #[test]
    fn a_test_is_decided_at_the_same_pair() {
        let sprt: Sprt = "elo0=-200 elo1=0 alpha=0.2 beta=0.2".parse().expect("a test");
        let players = ["default", "default set.null_move.on=false name=B"];
        let local = pairs(&players, 60, Some(sprt), false);
        assert_eq!(local.1, End::Decided);
        assert_eq!(pairs(&players, 60, Some(sprt), true), local);
    }

    #[test]
    fn what_only_this_machine_has_is_refused_by_name() {
        let specs = specs(&["default", "cmd:true name=Mute"]);
        let reason = specs.data(1).expect_err("a program");
        assert!(reason.contains("tasks hold no commands"), "{reason}");
        assert!(specs.data(0).is_ok());
    }
}
