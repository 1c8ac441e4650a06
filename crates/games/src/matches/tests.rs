//! Whole matches between players that do not search.

use super::journal::Entrant;
use super::line::PairLine;
use super::pair::without_times;
use super::*;
use crate::game::{Choice, Pace, Player, PlayerError};
use quarterply_engine::clock::Limits;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use shakmaty::uci::UciMove;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The behaviour of a player.
#[derive(Clone, Copy, PartialEq)]
enum Behaviour {
    /// Plays a move that depends on the position and this number only.
    Draws(u64),
    /// Plays an illegal move at once.
    Cheats,
    /// Takes a while for each move.
    Dawdles,
}

struct FakePlayer {
    behaviour: Behaviour,
    /// A player that is stopped fails.
    stop: Stop,
}

impl Player for FakePlayer {
    fn name(&self) -> &str {
        "fake"
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let moves = game.position().legal_moves();
        let number = match self.behaviour {
            Behaviour::Cheats => return Ok(choice("e1e1".to_owned())),
            Behaviour::Dawdles => {
                std::thread::sleep(Duration::from_millis(2));
                0
            }
            Behaviour::Draws(number) => number,
        };
        if self.stop.is_set() {
            return Err(PlayerError::InvalidAnswer { text: "stopped like the match".to_owned() });
        }
        let index = game.position().key().wrapping_mul(number | 1) >> 32;
        let mv = moves[index as usize % moves.len()];
        Ok(choice(UciMove::from_move(mv, game.castling_mode()).to_string()))
    }
}

fn choice(text: String) -> Choice {
    Choice { text, score: Some(Score(3)), depth: 1, nodes: 7 }
}

#[derive(Clone)]
struct FakePlayers {
    behaviours: Vec<Behaviour>,
    stop: Stop,
}

impl PlayerFactory for FakePlayers {
    fn make_player(&self, player: usize) -> Result<Box<dyn Player>, String> {
        Ok(Box::new(FakePlayer { behaviour: self.behaviours[player], stop: self.stop.clone() }))
    }
}

/// A match of players with these behaviours, called A, B, ...
struct TestMatch {
    plan: MatchPlan,
    fakes: FakePlayers,
    files: MatchFiles,
    stop: Stop,
    /// Stop after this number of pairs.
    lines_max: usize,
}

/// Everything that a match shows.
struct Observed {
    outcome: Result<MatchOutcome, MatchError>,
    lines: Vec<PairLine>,
    notes: Vec<String>,
}

impl TestMatch {
    fn new(behaviours: &[Behaviour], games: usize) -> TestMatch {
        let entrant = |letter: char| Entrant { name: letter.to_string(), ..Entrant::default() };
        let entrants = ('A'..).take(behaviours.len()).map(entrant).collect();
        let mut plan = MatchPlan::new(entrants, games, Pace::Nodes(10));
        plan.event = "Trial".to_owned();
        let stop = Stop::default();
        let fakes = FakePlayers { behaviours: behaviours.to_vec(), stop: stop.clone() };
        TestMatch { plan, fakes, files: MatchFiles::default(), stop, lines_max: usize::MAX }
    }

    fn in_folder(mut self, folder: &TempDir, existing: Existing) -> TestMatch {
        let path = |name: &str| Some(folder.path().join(name));
        self.files = MatchFiles { journal: path("out.jsonl"), pgn: path("out.pgn"), existing };
        self
    }

    fn run(&self) -> Observed {
        let (mut lines, mut notes) = (Vec::new(), Vec::new());
        let mut executor = Pairs::threads(&self.plan, Arc::new(self.fakes.clone()), &self.stop);
        let mut watch = |event: MatchEvent<'_>| match event {
            MatchEvent::Note(note) => notes.push(note.to_owned()),
            MatchEvent::Begin { .. } | MatchEvent::Resized { .. } | MatchEvent::Game(..) => {}
            MatchEvent::Pair { line, .. } => {
                lines.push(line.clone());
                if lines.len() >= self.lines_max {
                    self.stop.set();
                }
            }
        };
        let outcome = run(&self.plan, &self.fakes, openings(), &self.files, &self.stop, &mut executor, &mut watch);
        Observed { outcome, lines, notes }
    }
}

impl Observed {
    fn outcome(&self) -> &MatchOutcome {
        self.outcome.as_ref().unwrap_or_else(|e| panic!("{e}"))
    }

    /// The games without their times.
    fn games(&self) -> Vec<String> {
        self.lines.iter().flat_map(|line| &line.games).map(|game| without_times(&game.pgn)).collect()
    }
}

fn openings() -> OpeningSupply {
    let fen = |number: u32| format!("{} {}", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0", number);
    OpeningSupply::new((1..=5).filter_map(move |number| Game::standard(&fen(number)).ok()))
}

/// Lines of the journal with all times at zero.
fn timeless_lines(path: &Path) -> Vec<PairLine> {
    let text = fs::read_to_string(path).expect("the journal");
    let lines = text.lines().filter(|line| line.starts_with("{\"pair\""));
    let mut lines: Vec<PairLine> = lines.map(|line| serde_json::from_str(line).expect("a pair")).collect();
    for game in lines.iter_mut().flat_map(|line| &mut line.games) {
        game.search_us = 0;
        game.pgn = without_times(&game.pgn);
    }
    lines
}

fn paths(folder: &TempDir) -> (PathBuf, PathBuf) {
    (folder.path().join("out.jsonl"), folder.path().join("out.pgn"))
}

const THREE: [Behaviour; 3] =
    [Behaviour::Draws(3), Behaviour::Draws(0x1234_5678_9abc), Behaviour::Draws(0x0f0f_1f2f_3f4f)];

#[test]
fn results_do_not_depend_on_how_many_are_played_at_a_time() {
    let mut trial = TestMatch::new(&THREE, 8);
    trial.plan.format = TournamentFormat::RoundRobin;
    let one = trial.run();
    assert_eq!((one.outcome().end, one.outcome().standing.games), (End::Complete, 24));
    assert_eq!(one.lines.iter().map(|line| line.pair).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    for workers in [2, 3, 50] {
        trial.plan.workers = workers;
        let many = trial.run();
        assert_eq!(many.games(), one.games(), "{workers}");
        let tallies = |seen: &Observed| seen.outcome().standing.pairings.clone();
        assert_eq!(tallies(&many), tallies(&one), "{workers}");
    }
}

#[test]
fn both_games_of_a_pair_begin_alike_with_colours_swapped() {
    let seen = TestMatch::new(&THREE[..2], 14).run();
    for (round, line) in seen.lines.iter().enumerate() {
        let opening = format!("w KQkq - 0 {}", round % 5 + 1);
        assert!(line.opening.ends_with(&opening) && line.players == ["A", "B"], "{line:?}");
        assert_eq!([&line.games[0].white, &line.games[0].black], ["A", "B"]);
        assert_eq!([&line.games[1].white, &line.games[1].black], ["B", "A"]);
        assert_eq!([line.games[0].game, line.games[1].game], [2 * round + 1, 2 * round + 2]);
    }
}

#[test]
fn a_resumed_match_is_the_same_as_one_that_was_not_interrupted() {
    let (whole, cut) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let mut trial = TestMatch::new(&THREE, 6).in_folder(&whole, Existing::Keep);
    trial.run().outcome();
    let (whole_json, whole_pgn) = paths(&whole);
    let bytes = fs::read(&whole_json).expect("the journal");
    let (json, pgn) = paths(&cut);
    trial = trial.in_folder(&cut, Existing::Resume);
    for workers in [1, 2] {
        trial.plan.workers = workers;
        for percent in [0, 1, 30, 55, 80, 99] {
            fs::write(&json, &bytes[..bytes.len() * percent / 100]).expect("cut");
            let _ = fs::remove_file(&pgn);
            let seen = trial.run();
            assert_eq!(seen.notes.len(), usize::from(percent > 0), "{percent} %: {:?}", seen.notes);
            assert_eq!(seen.outcome().standing.games, 12, "{percent} %");
            let mut lines = timeless_lines(&json);
            lines.sort_by_key(|line| line.pair);
            assert_eq!(lines, timeless_lines(&whole_json), "{percent} %");
            let text = |path: &Path| without_times(&fs::read_to_string(path).expect("the games"));
            assert_eq!(text(&pgn), text(&whole_pgn), "{percent} %");
        }
    }
}

#[test]
fn a_match_that_is_extended_is_the_same_as_a_longer_one() {
    let [whole, longer] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    TestMatch::new(&THREE, 8).in_folder(&whole, Existing::Keep).run().outcome();
    let trial = TestMatch::new(&THREE, 4).in_folder(&longer, Existing::Keep);
    let mut executor = Pairs::threads(&trial.plan, Arc::new(trial.fakes.clone()), &trial.stop);
    let players = players(&trial.plan, &trial.fakes, &mut executor).expect("players");
    let watch = Box::new(|_: MatchEvent<'_>| {});
    let game = Match::new(trial.plan.clone(), players, openings(), &trial.files, &trial.stop, watch);
    let mut game = game.expect("a match");
    for games in [4, 2, 8] {
        game.extend(games);
        quarterply_work::run(&mut game, &mut executor, &|_| {}).expect("played");
    }
    let MatchOutcome { standing, end, .. } = game.finish().expect("written");
    assert_eq!((standing.games, end), (16, End::Complete));
    assert_eq!(timeless_lines(&paths(&longer).0), timeless_lines(&paths(&whole).0));
}

#[test]
fn a_stopped_match_leaves_whole_pairs_and_resumes() {
    let folder = tempfile::tempdir().expect("a folder");
    let behaviours = [Behaviour::Dawdles, Behaviour::Draws(5)];
    let mut trial = TestMatch::new(&behaviours, 20).in_folder(&folder, Existing::Keep);
    trial.plan.workers = 3;
    trial.lines_max = 2;
    let first = trial.run();
    let games = first.outcome().standing.games;
    assert_eq!(first.outcome().end, End::Stopped);
    assert!((4..20).contains(&games), "{games}");
    // The players failed when the match was stopped: this is not a fault of a player.
    assert!(first.outcome().standing.fault_losses.is_empty());
    let (json, pgn) = paths(&folder);
    assert!(timeless_lines(&json).iter().all(|line| line.games.len() == 2));
    let trial = TestMatch::new(&behaviours, 20).in_folder(&folder, Existing::Resume);
    let second = trial.run();
    assert_eq!((second.outcome().end, second.outcome().standing.games), (End::Complete, 20));
    let text = fs::read_to_string(&pgn).expect("the games");
    let numbers: Vec<usize> =
        text.lines().filter_map(|line| line.strip_prefix("[Round \"")?.trim_end_matches("\"]").parse().ok()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
    assert_eq!(fs::read_to_string(&json).expect("the journal").matches("\"summary\"").count(), 1);
    trial.run().outcome();
    assert_eq!(fs::read_to_string(&json).expect("the journal").matches("\"summary\"").count(), 1);
}

#[test]
fn a_test_stops_each_pairing_by_itself() {
    let mut trial = TestMatch::new(&[Behaviour::Draws(3), Behaviour::Cheats, Behaviour::Draws(5)], 400);
    trial.plan.sprt = Some("elo0=0 elo1=50 alpha=0.1 beta=0.1".parse().expect("a test"));
    trial.plan.games = 60;
    let counts = |seen: &Observed| -> Vec<u64> {
        seen.outcome().standing.pairings.iter().map(|pairing| pairing.tally.games.games()).collect()
    };
    let one = trial.run();
    let counted = counts(&one);
    assert!(counted[0] < 60 && one.outcome().standing.pairings[0].is_decided(), "{counted:?}");
    assert_eq!(one.outcome().standing.fault_losses.len() as u64, counted[0]);
    assert!(one.outcome().standing.fault_losses.iter().all(|mishap| mishap.by == "B" && mishap.what.contains("e1e1")));
    trial.plan.workers = 3;
    assert_eq!(counts(&trial.run()), counted);
}

#[test]
fn a_match_that_is_decided_stays_decided() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut trial = TestMatch::new(&[Behaviour::Draws(3), Behaviour::Cheats], 200).in_folder(&folder, Existing::Resume);
    trial.plan.sprt = Some("elo0=0 elo1=50".parse().expect("a test"));
    trial.plan.workers = 4;
    let first = trial.run();
    assert_eq!(first.outcome().end, End::Decided);
    let again = trial.run();
    assert_eq!((again.outcome().end, again.outcome().speed.games), (End::Decided, 0));
    assert_eq!(again.outcome().standing, first.outcome().standing);
}

#[test]
fn a_match_that_is_over_without_a_new_game_ends_with_its_summary() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut trial = TestMatch::new(&[Behaviour::Draws(3), Behaviour::Cheats], 60).in_folder(&folder, Existing::Resume);
    trial.run().outcome();
    let (json, _) = paths(&folder);
    let text = || fs::read_to_string(&json).expect("the journal");
    let last = || text().lines().last().expect("a line").to_owned();
    let (whole, summary) = (text(), last());
    assert!(summary.starts_with("{\"summary\":true,\"games\":60,"), "{summary}");
    // Killed before the summary.
    fs::write(&json, whole.strip_suffix(&format!("{summary}\n")).expect("the last line")).expect("cut");
    for _ in 0..2 {
        assert_eq!(trial.run().outcome().speed.games, 0);
        assert_eq!(text(), whole, "the summary is written once");
    }
    trial.plan.sprt = Some("elo0=0 elo1=300".parse().expect("a test"));
    let decided = trial.run();
    assert_eq!((decided.outcome().end, decided.outcome().speed.games), (End::Decided, 0));
    assert!(last().contains("\"decision\":\"H1\"") && text().starts_with(&whole), "{}", last());
}

#[test]
fn foreign_pairs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let trial = TestMatch::new(&THREE[..2], 4).in_folder(&folder, Existing::Resume);
    trial.run().outcome();
    let (json, pgn) = paths(&folder);
    let text = fs::read_to_string(&json).expect("the journal");
    let games = fs::read_to_string(&pgn).expect("the games");
    let line = |index: usize| text.lines().nth(index).expect("a line");
    for (name, changed, needle) in [
        ("opening", text.replace("KQkq - 0 2\"", "KQkq - 0 3\""), "pair 2 is not of this match (the opening was"),
        (
            "players",
            text.replace("[\"A\",\"B\"]", "[\"B\",\"A\"]"),
            "pair 1 is not of this match (played by B and A then",
        ),
        ("twice", format!("{}\n{}\n{}\n", line(0), line(1), line(1)), "pair 1 is not of this match (it occurs twice"),
    ] {
        assert_ne!(changed, text, "{name}");
        fs::write(&json, &changed).expect("written");
        let message = trial.run().outcome.expect_err(name).to_string();
        assert!(message.contains(needle), "{name}: {message}");
        assert_eq!(fs::read_to_string(&json).expect("the journal"), changed, "{name}");
        assert_eq!(fs::read_to_string(&pgn).expect("the games"), games, "{name}");
    }
}

#[test]
fn fewer_games_than_were_played_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    TestMatch::new(&THREE[..2], 8).in_folder(&folder, Existing::Keep).run().outcome();
    let trial = TestMatch::new(&THREE[..2], 4).in_folder(&folder, Existing::Resume);
    let message = trial.run().outcome.expect_err("fewer").to_string();
    assert!(message.contains("pair 3 is beyond --games 4"), "{message}");
}

#[test]
fn useless_matches_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, _) = paths(&folder);
    for (name, trial, needle) in [
        ("alone", TestMatch::new(&THREE[..1], 4), "two or more players, and there are 1"),
        ("no games", TestMatch::new(&THREE[..2], 0), "it has no games"),
    ] {
        let message = trial.in_folder(&folder, Existing::Keep).run().outcome.expect_err(name).to_string();
        assert!(message.contains(needle), "{name}: {message}");
        assert!(!json.exists(), "{name}");
    }
    let trial = TestMatch::new(&THREE[..2], 4).in_folder(&folder, Existing::Keep);
    let none = OpeningSupply::new(std::iter::empty());
    let mut executor = Pairs::threads(&trial.plan, Arc::new(trial.fakes.clone()), &trial.stop);
    let outcome = run(&trial.plan, &trial.fakes, none, &trial.files, &trial.stop, &mut executor, &mut |_| {});
    assert!(matches!(outcome, Err(MatchError::NoOpenings)) && !json.exists());
}
