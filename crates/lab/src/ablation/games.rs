//! Games of settings against the profile as it is.

use super::worth::InGames;
use quarterply_engine::network::{self, EvalFile};
use quarterply_engine::params::Parameters;
use quarterply_files::profile::{DEFAULT_NAME, value_text};
use quarterply_games::game::Pace;
use quarterply_games::matches::line::PairLine;
use quarterply_games::matches::{
    End, Existing, Match, MatchError, MatchEvent, MatchFiles, MatchOutcome, MatchPlan, OpeningSupply, Pairs, Specs,
    Stop, players_with,
};
use quarterply_games::openings::{OpeningSource, Options};
use quarterply_games::players::{PlayerDefaults, PlayerKind, Spec, SpecError};
use quarterply_work::{Digest, Executor, Threads, WorkError};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// How games are played.
#[derive(Clone, Debug)]
pub struct AblationGames {
    /// What each move may cost.
    pub pace: Pace,
    /// Set when no more games are wanted.
    pub stop: Stop,
}

impl AblationGames {
    /// The executor that plays `count` pairs at a time in this process. All players are engines of this program.
    pub fn threads(&self, count: usize) -> Threads<Pairs> {
        Threads::start_until(count, Some(self.stop.flag()), || Ok(Pairs::default()))
    }
}

/// A setting that plays against another one.
#[derive(Clone, Debug)]
pub struct SettingMatch {
    /// The name of the first player.
    pub name: String,
    /// The first.
    pub setting: Parameters,
    /// The second.
    pub usual: Parameters,
    /// How many games; if its journal holds more, all of them count.
    pub games: usize,
    /// The seed of the openings.
    pub seed: u64,
    /// Where their games are kept.
    pub journal: Option<PathBuf>,
}

/// What happens in the games of several matches, each time with the number of the setting_match.
#[derive(Clone, Copy)]
pub struct Listener<'a> {
    /// Receives the news of its match.
    pub news: &'a dyn Fn(usize, &MatchEvent<'_>),
    /// Receives messages of the executor.
    pub say: &'a dyn Fn(&str),
}

/// Plays matches one after the other, without a pause between them, or goes on where their journals end. `finished` receives what each
/// comes to, in the order in which they end; those that were stopped are left out.
///
/// # Errors
/// A journal is that of another match or cannot be written; or the games cannot be played.
pub fn play(
    conditions: &AblationGames,
    matches: &[SettingMatch],
    executor: &mut dyn Executor<Pairs>,
    listener: Listener<'_>,
    finished: &mut dyn FnMut(usize, InGames),
) -> Result<(), MatchError> {
    let networks = networks(matches, executor)?;
    let games = matches.iter().enumerate().map(|(number, setting_match)| {
        let watch = Box::new(move |news: MatchEvent<'_>| (listener.news)(number, &news));
        begin(conditions, setting_match, &networks, watch)
    });
    let mut end = |number: usize, game: Match<'_>| {
        let MatchOutcome { standing, end, .. } = game.finish()?;
        if end != End::Stopped {
            finished(number, InGames::new(standing.of(0).pairs, conditions.pace));
        }
        Ok(())
    };
    quarterply_work::run_all(games, executor, listener.say, &mut end)
}

/// The digests of the networks that are used, stored for those who need them.
fn networks(
    matches: &[SettingMatch],
    executor: &mut dyn Executor<Pairs>,
) -> Result<HashMap<PathBuf, Digest>, MatchError> {
    let mut networks = HashMap::new();
    for parameters in matches.iter().flat_map(|setting_match| [&setting_match.setting, &setting_match.usual]) {
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
    conditions: &AblationGames,
    setting_match: &SettingMatch,
    networks: &HashMap<PathBuf, Digest>,
    watch: Box<dyn FnMut(MatchEvent<'_>) + 'a>,
) -> Result<Match<'a>, MatchError> {
    let pace = conditions.pace;
    let specs = vec![spec(&setting_match.name, &setting_match.setting), spec("usual", &setting_match.usual)];
    let failed = |error: SpecError| MatchError::Player(setting_match.name.clone(), error.to_string());
    let terms = PlayerDefaults { stop: conditions.stop.clone(), ..PlayerDefaults::default() };
    let specs = Specs::new(specs, terms, &pace).map_err(failed)?;
    let games = setting_match.games.max(setting_match.journal.as_deref().map_or(0, held));
    let mut plan = MatchPlan::new(specs.entrants().map_err(failed)?, games, pace);
    let source = OpeningSource::builtin(&Options { seed: setting_match.seed, ..Options::default() });
    plan.settings.insert("openings".to_owned(), format!("builtin, fingerprint {:016x}", source.fingerprint()).into());
    plan.settings.insert("seed".to_owned(), setting_match.seed.into());
    let mut store = |path: &Path| {
        let known = networks.get(path).copied();
        known.ok_or_else(|| WorkError::Executor(format!("{} was not stored", path.display())))
    };
    let players = players_with(&plan, &specs, &mut store)?;
    let files = MatchFiles { journal: setting_match.journal.clone(), pgn: None, existing: Existing::Resume };
    Match::new(plan, players, OpeningSupply::new(source), &files, &conditions.stop, watch)
}

/// How many games the journal of an earlier part of the work holds; none if it cannot be read, which the match finds out by itself.
fn held(journal: &Path) -> usize {
    let Ok(file) = File::open(journal) else { return 0 };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let pairs = lines.filter_map(|line| serde_json::from_str::<PairLine>(&line).ok());
    pairs.map(|pair| pair.games.len()).sum()
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

    /// Plays a setting_match; returns its games and how many were played now.
    fn played(setting_match: &SettingMatch, stop: &Stop) -> (Option<u64>, usize) {
        let conditions = AblationGames { pace: Pace::Nodes(60), stop: stop.clone() };
        let (count, mut found) = (Cell::new(0), None);
        let news = |_: usize, news: &MatchEvent<'_>| {
            count.set(count.get() + usize::from(matches!(news, MatchEvent::Game(..))))
        };
        let listener = Listener { news: &news, say: &|text| panic!("{text}") };
        let mut executor = conditions.threads(1);
        let mut end = |_, games: InGames| found = Some(games.games);
        play(&conditions, std::slice::from_ref(setting_match), &mut executor, listener, &mut end).expect("played");
        (found, count.get())
    }

    #[test]
    fn games_are_played_by_the_two_settings_and_go_on_where_they_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("probcut.jsonl");
        let usual = Parameters::default();
        let mut setting = usual.clone();
        setting.set("probcut.on", 0).expect("a switch");
        let name = "without".to_owned();
        let mut setting_match =
            SettingMatch { name, setting, usual, games: 2, seed: 3, journal: Some(journal.clone()) };
        let stop = Stop::default();
        assert_eq!(played(&setting_match, &stop), (Some(2), 2));
        setting_match.games = 4;
        assert_eq!(played(&setting_match, &stop), (Some(4), 2));
        setting_match.games = 2;
        assert_eq!(played(&setting_match, &stop), (Some(4), 0), "what was played counts");
        let text = std::fs::read_to_string(&journal).expect("written");
        assert!(text.lines().next().is_some_and(|first| first.contains("probcut.on=false")), "{text}");
        stop.set();
        let setting_match = SettingMatch { journal: None, ..setting_match };
        assert_eq!(played(&setting_match, &stop), (None, 0), "a stopped match does not count");
    }
}
