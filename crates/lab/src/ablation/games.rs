//! Games of settings against the profile as it is.

use quarterply_engine::network::{self, EvalFile};
use quarterply_engine::params::Parameters;
use quarterply_files::profile::{DEFAULT_NAME, value_text};
use quarterply_games::game::Pace;
use quarterply_games::matches::schedule::PAIR;
use quarterply_games::matches::{
    Existing, Match, MatchError, MatchEvent, MatchFiles, MatchPlan, OpeningSupply, Pairs, Specs, Stop, players_with,
};
use quarterply_games::openings::{OpeningSource, Options};
use quarterply_games::players::{PlayerDefaults, PlayerKind, Spec, SpecError};
use quarterply_work::{Digest, Executor, Threads, WorkError};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The executor that plays `count` pairs at a time in this process until `stop` is set. All players are engines of this program.
pub fn threads(count: usize, stop: &Stop) -> Threads<Pairs> {
    Threads::start_until(count, Some(stop.flag()), || Ok(Pairs::default()))
}

/// A setting that plays against another one.
#[derive(Clone, Debug)]
pub struct SettingMatch {
    /// The name of the first player.
    pub name: String,
    /// The first.
    pub setting: Parameters,
    /// The second.
    pub baseline: Parameters,
    /// The limit of each move.
    pub pace: Pace,
    /// The number of games; if its journal holds more, all of them count.
    pub games: usize,
    /// The seed of the openings: matches with the same one play the same openings.
    pub seed: u64,
    /// The journal of their games.
    pub journal: Option<PathBuf>,
}

/// Receives the events of several matches, with the number of the match.
#[derive(Clone, Copy)]
pub struct Listener<'a> {
    /// Receives the events of a match.
    pub on_event: &'a dyn Fn(usize, &MatchEvent<'_>),
    /// Receives messages of the executor.
    pub on_message: &'a dyn Fn(&str),
}

/// The half points of the pairs of each match, 0 to 4, in the order of the openings.
pub type PairScores = Vec<Vec<u8>>;

/// From the scores of a first stage, how many games each match gets in all.
pub type SecondStage<'a> = dyn FnMut(&PairScores) -> Vec<usize> + 'a;

/// Plays matches one after the other, without a pause between them, or resumes them from their journals; then the games that `second`
/// adds, if there is a second stage. If `stop` is set, matches have fewer pairs than planned.
///
/// # Errors
/// A journal is that of another match or cannot be written; or the games cannot be played.
pub fn play(
    stop: &Stop,
    matches: &[SettingMatch],
    executor: &mut dyn Executor<Pairs>,
    listener: Listener<'_>,
    second: Option<&mut SecondStage<'_>>,
) -> Result<PairScores, MatchError> {
    let networks = networks(matches, executor)?;
    let scores: Vec<RefCell<Vec<u8>>> = matches.iter().map(|_| RefCell::default()).collect();
    let mut openings = None;
    let games = matches.iter().zip(&scores).enumerate().map(|(number, (setting_match, scores))| {
        let watch = Box::new(move |event: MatchEvent<'_>| {
            if let MatchEvent::Pair { line, .. } = &event {
                scores.borrow_mut().push(line.half_points().iter().sum::<usize>() as u8);
            }
            (listener.on_event)(number, &event);
        });
        begin(stop, setting_match, supply(&mut openings, setting_match.seed), &networks, watch)
    });
    let mut over = BTreeMap::new();
    let is_last = second.is_none();
    quarterply_work::run_all(games, executor, listener.on_message, &mut |number, game| {
        if is_last {
            // Each match that is over gives its openings back, with the engine that evaluates them.
            return game.finish().map(drop);
        }
        over.insert(number, game);
        Ok(())
    })?;
    if let Some(second) = second.filter(|_| !stop.is_set()) {
        let first: PairScores = scores.iter().map(|scores| scores.borrow().clone()).collect();
        let sizes = second(&first);
        let longer = std::mem::take(&mut over).into_iter().map(|(number, mut game)| {
            game.extend(sizes[number]);
            Ok(game)
        });
        quarterply_work::run_all(longer, executor, listener.on_message, &mut |number, game| {
            over.insert(number, game);
            Ok(())
        })?;
    }
    over.into_values().try_for_each(|game| game.finish().map(drop))?;
    Ok(scores.into_iter().map(RefCell::into_inner).collect())
}

/// The openings of a seed with their fingerprint, drawn once for consecutive matches with the same seed.
fn supply(last: &mut Option<Openings>, seed: u64) -> Openings {
    if let Some(openings) = last.as_ref().filter(|known| known.seed == seed) {
        return openings.clone();
    }
    let source = OpeningSource::builtin(&Options { seed, ..Options::default() });
    let fingerprint = source.fingerprint();
    last.insert(Openings { seed, fingerprint, supply: OpeningSupply::new(source) }).clone()
}

/// Openings of a seed.
#[derive(Clone)]
struct Openings {
    seed: u64,
    fingerprint: u64,
    supply: OpeningSupply,
}

/// Stores the networks that are used for workers, and returns their digests.
fn networks(
    matches: &[SettingMatch],
    executor: &mut dyn Executor<Pairs>,
) -> Result<HashMap<PathBuf, Digest>, MatchError> {
    let mut networks = HashMap::new();
    for parameters in matches.iter().flat_map(|setting_match| [&setting_match.setting, &setting_match.baseline]) {
        if let EvalFile::Network { path, .. } = &parameters.eval_file {
            let path = PathBuf::from(&**path);
            if let Entry::Vacant(vacant) = networks.entry(path) {
                let digest = executor.store(vacant.key())?;
                vacant.insert(digest);
            }
        }
    }
    Ok(networks)
}

fn begin<'a>(
    stop: &Stop,
    setting_match: &SettingMatch,
    openings: Openings,
    networks: &HashMap<PathBuf, Digest>,
    watch: Box<dyn FnMut(MatchEvent<'_>) + 'a>,
) -> Result<Match<'a>, MatchError> {
    let pace = setting_match.pace;
    let specs = vec![spec(&setting_match.name, &setting_match.setting), spec("usual", &setting_match.baseline)];
    let failed = |error: SpecError| MatchError::Player(setting_match.name.clone(), error.to_string());
    let terms = PlayerDefaults { stop: stop.clone(), ..PlayerDefaults::default() };
    let specs = Specs::new(specs, terms, &pace).map_err(failed)?;
    let games = setting_match.games.max(setting_match.journal.as_deref().map_or(0, games_in_journal));
    let mut plan = MatchPlan::new(specs.entrants().map_err(failed)?, games, pace);
    let Openings { seed, fingerprint, supply } = openings;
    plan.settings.insert("openings".to_owned(), format!("builtin, fingerprint {fingerprint:016x}").into());
    plan.settings.insert("seed".to_owned(), seed.into());
    let mut store = |path: &Path| {
        let known = networks.get(path).copied();
        known.ok_or_else(|| WorkError::Executor(format!("{} was not stored", path.display())))
    };
    let players = players_with(&plan, &specs, &mut store)?;
    let files = MatchFiles { journal: setting_match.journal.clone(), pgn: None, existing: Existing::Resume };
    Match::new(plan, players, supply, &files, stop, watch)
}

/// Games up to the last pair in the journal of an earlier part of the work, also if pairs before it are missing; none if it cannot be
/// read, which the match finds out by itself.
pub fn games_in_journal(journal: &Path) -> usize {
    /// All that counts of a line; others have no such field.
    #[derive(Deserialize)]
    struct PairNumber {
        pair: usize,
    }
    let Ok(file) = File::open(journal) else { return 0 };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let pairs = lines.filter_map(|line| serde_json::from_str::<PairNumber>(&line).ok());
    pairs.map(|line| line.pair).max().unwrap_or(0) * PAIR
}

/// A player with these parameters, however they came about.
fn spec(name: &str, parameters: &Parameters) -> Spec {
    let settings =
        parameters.differing().map(|(entry, value)| format!("{}={}", entry.name, value_text(entry.spec.kind, value)));
    Spec {
        kind: PlayerKind::Profile(DEFAULT_NAME.to_owned()),
        name: Some(name.to_owned()),
        options: Vec::new(),
        settings: settings
            .chain(parameters.eval_file.kept().map(|file| format!("{}={file}", network::OPTION)))
            .chain(
                parameters
                    .coefficient_files()
                    .filter_map(|(model, file)| Some(format!("{}={}", model.option, file.kept()?))),
            )
            .collect(),
        pace: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::fs;

    fn without(rule: &str, games: usize, journal: Option<PathBuf>) -> SettingMatch {
        let baseline = Parameters::default();
        let mut setting = baseline.clone();
        setting.set(&format!("{rule}.on"), 0).expect("a switch");
        SettingMatch { name: "without".to_owned(), setting, baseline, pace: Pace::Nodes(60), games, seed: 3, journal }
    }

    /// Plays matches; returns their scores and the number of games played now.
    fn played(
        matches: &[SettingMatch],
        workers: usize,
        stop: &Stop,
        second: Option<&mut SecondStage<'_>>,
    ) -> (PairScores, usize) {
        let count = Cell::new(0);
        let on_event = |_: usize, event: &MatchEvent<'_>| {
            count.set(count.get() + usize::from(matches!(event, MatchEvent::Game(..))))
        };
        let listener = Listener { on_event: &on_event, on_message: &|text| panic!("{text}") };
        let scores = play(stop, matches, &mut threads(workers, stop), listener, second).expect("played");
        (scores, count.get())
    }

    #[test]
    fn games_are_played_by_the_two_settings_and_are_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("probcut.jsonl");
        let of = |games: usize| [without("probcut", games, Some(journal.clone()))];
        let stop = Stop::default();
        let pairs = |(scores, games): (PairScores, usize)| (scores[0].len(), games);
        assert_eq!(pairs(played(&of(2), 1, &stop, None)), (1, 2));
        assert_eq!(pairs(played(&of(4), 1, &stop, None)), (2, 2));
        assert_eq!(pairs(played(&of(2), 1, &stop, None)), (2, 0), "what was played counts");
        let text = fs::read_to_string(&journal).expect("written");
        assert!(text.lines().next().is_some_and(|first| first.contains("probcut.on=false")), "{text}");
        stop.set();
        assert_eq!(pairs(played(&[without("probcut", 2, None)], 1, &stop, None)), (0, 0), "a stopped match");
    }

    #[test]
    fn a_second_stage_adds_games_with_and_without_a_journal() {
        let folder = tempfile::tempdir().expect("a folder");
        let stop = Stop::default();
        let names = ["probcut", "null_move"];
        let here = |games: usize| names.map(|rule| without(rule, games, None));
        let kept = names.map(|rule| without(rule, 4, Some(folder.path().join(rule))));
        let (long, _) = played(&here(10), 1, &stop, None);
        let seen = RefCell::new(Vec::new());
        let mut second = |first: &PairScores| {
            seen.borrow_mut().push(first.clone());
            vec![6, 10]
        };
        for (matches, workers) in [(here(4), 1), (here(4), 2), (kept.clone(), 2)] {
            let (scores, games) = played(&matches, workers, &stop, Some(&mut second));
            assert_eq!((&scores[0][..], &scores[1][..], games), (&long[0][..3], &long[1][..], 16));
        }
        let first = vec![long[0][..2].to_vec(), long[1][..2].to_vec()];
        assert_eq!(*seen.borrow(), [first.clone(), first.clone(), first.clone()]);
        // Two workers were interrupted: the fourth pair is there, the third is not.
        let text = fs::read_to_string(folder.path().join("null_move")).expect("a journal");
        let is_left = |line: &&str| {
            line.starts_with("{\"match\"") || [1, 2, 4].iter().any(|n| line.starts_with(&format!("{{\"pair\":{n},")))
        };
        let lines: Vec<&str> = text.lines().filter(is_left).collect();
        assert_eq!(lines.len(), 4, "{text}");
        fs::write(folder.path().join("null_move"), lines.join("\n") + "\n").expect("cut");
        assert_eq!(games_in_journal(&folder.path().join("null_move")), 8);
        let (scores, games) = played(&kept, 1, &stop, Some(&mut second));
        assert_eq!((&scores[1][..], games), (&long[1][..], 2 + 2));
        assert_eq!(
            seen.borrow()[3],
            vec![long[0][..3].to_vec(), long[1][..4].to_vec()],
            "all that is there and the gap"
        );
    }
}
