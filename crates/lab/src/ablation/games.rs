//! Games of a setting against the profile as it is.

use super::worth::InGames;
use quarterply_engine::network;
use quarterply_engine::params::Parameters;
use quarterply_files::profile::{DEFAULT_NAME, value_text};
use quarterply_games::game::Pace;
use quarterply_games::matches::line::PairLine;
use quarterply_games::matches::{self, End, Files, MatchError, News, Plan, Specs, Stop, Supply};
use quarterply_games::openings::{Options, Source};
use quarterply_games::players::{Kind, Spec, SpecError, Terms};
use quarterply_work::Far;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why games could not be played.
#[derive(Debug, Error)]
pub enum GamesError {
    /// A player cannot be seated.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// The match cannot be played or written.
    #[error(transparent)]
    Match(#[from] MatchError),
}

/// How games are played.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// Games of each setting; one whose journal holds more keeps them all.
    pub games: usize,
    /// What each move may cost.
    pub pace: Pace,
    /// Games at a time.
    pub workers: usize,
    /// The seed of the openings.
    pub seed: u64,
    /// Set when no more games are wanted.
    pub stop: Stop,
}

/// Plays `setting`, called `name`, against `usual`, or goes on with it where its journal ends; others play if there are any. `None` if it
/// was stopped before the end.
///
/// # Errors
/// The journal is that of another match or cannot be written.
pub fn play(
    terrain: &Terrain,
    name: &str,
    (setting, usual): (&Parameters, &Parameters),
    journal: Option<PathBuf>,
    far: Option<Far<'_>>,
    watch: &mut dyn FnMut(&News<'_>),
) -> Result<Option<InGames>, GamesError> {
    let pace = terrain.pace;
    let terms = Terms { stop: terrain.stop.clone(), ..Terms::default() };
    let specs = Specs::new(vec![spec(name, setting), spec("usual", usual)], terms, &pace)?;
    let games = terrain.games.max(journal.as_deref().map_or(0, held));
    let mut plan = Plan::new(specs.entrants()?, games, pace);
    plan.workers = terrain.workers;
    let source = Source::builtin(&Options { seed: terrain.seed, ..Options::default() });
    plan.settings.insert("openings".to_owned(), format!("builtin, fingerprint {:016x}", source.fingerprint()).into());
    plan.settings.insert("seed".to_owned(), terrain.seed.into());
    let files = Files { journal, pgn: None, existing: matches::Existing::Resume };
    let outcome =
        matches::run_far(&plan, &specs, &Supply::new(source), &files, &terrain.stop, far, &mut |news| watch(&news))?;
    let counted = InGames::new(outcome.standing.of(0).pairs, pace);
    Ok((outcome.end != End::Stopped).then_some(counted))
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
        kind: Kind::Profile(DEFAULT_NAME.to_owned()),
        name: Some(name.to_owned()),
        options: Vec::new(),
        settings: settings
            .chain(parameters.eval_file.kept().map(|file| format!("{}={file}", network::OPTION)))
            .collect(),
        pace: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_played_by_the_two_settings_and_go_on_where_they_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("probcut.jsonl");
        let mut setting = Parameters::default();
        setting.set("probcut.on", 0).expect("a switch");
        let terrain = Terrain { games: 2, pace: Pace::Nodes(60), workers: 1, seed: 3, stop: Stop::default() };
        let players = (&setting, &Parameters::default());
        let mut played = 0;
        let mut count = |news: &News<'_>| played += usize::from(matches!(news, News::Game { .. }));
        let found = play(&terrain, "without", players, Some(journal.clone()), None, &mut count).expect("played");
        assert_eq!(found.as_ref().map(|found| found.games), Some(2));
        let more = Terrain { games: 4, ..terrain };
        let found = play(&more, "without", players, Some(journal.clone()), None, &mut count).expect("played");
        assert_eq!(found.map(|found| found.games), Some(4));
        assert_eq!(played, 4, "two and two more");
        let fewer = Terrain { games: 2, ..more };
        let mut none = |news: &News<'_>| assert!(!matches!(news, News::Game { .. }), "there are enough");
        let found = play(&fewer, "without", players, Some(journal.clone()), None, &mut none).expect("played");
        assert_eq!(found.map(|found| found.games), Some(4), "what was played counts");
        let text = std::fs::read_to_string(&journal).expect("written");
        assert!(text.lines().next().is_some_and(|first| first.contains("probcut.on=false")), "{text}");
    }

    #[test]
    fn a_stopped_match_does_not_count() {
        let terrain = Terrain { games: 2, pace: Pace::Nodes(60), workers: 1, seed: 3, stop: Stop::default() };
        terrain.stop.set();
        let p = Parameters::default();
        assert_eq!(play(&terrain, "same", (&p, &p), None, None, &mut |_| {}).expect("no fault"), None);
    }
}
