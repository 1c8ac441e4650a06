//! Players as users name them.

use super::journal::Entrant;
use super::plan::{PlayerFactory, distinct};
use super::run::MatchError;
use crate::game::{Pace, Player};
use crate::offered::{ExternalEngineData, identity};
use crate::players::{PlayerDefaults, PlayerKind, Profile, RestartablePlayer, Spec, SpecError};
use quarterply_engine::clock::{Delays, Limits, SearchStability, Turn, soft_limit_percent};
use quarterply_engine::network;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::Engine;
use quarterply_files::bench;
use quarterply_files::fingerprint::{Fingerprint, fingerprint};
use quarterply_work::EngineIdentity;
use shakmaty::{ByColor, CastlingMode, Color};
use std::collections::BTreeSet;
use std::time::Duration;

/// Nodes of each search of the signature.
const SIGNATURE_NODES: u64 = 4000;
/// How many of these searches there are.
const SIGNATURE_POSITIONS: usize = 20;
/// Clocks in the fingerprint of a time management: time left and increment (milliseconds), and moves to the next time control.
const CLOCKS: [(u64, u64, Option<u32>); 4] =
    [(60_000, 600, None), (1_000, 20, None), (20_000, 0, None), (30_000, 0, Some(10))];
/// Move numbers at which the time of each clock is allotted.
const CLOCK_MOVES: [u32; 2] = [1, 40];
/// How settled searches are: iterations without a new best move, fall of the score (pawns/100), and effort for the best move (permille).
const CLOCK_SEARCHES: [(u32, i32, u32); 3] = [(0, 0, 300), (3, 0, 900), (1, 50, 600)];

/// The players of a match by their specifications.
#[derive(Clone, Debug)]
pub struct Specs {
    players: Vec<(String, Spec)>,
    terms: PlayerDefaults,
    pace: Pace,
}

impl Specs {
    /// Players on the same terms. Nothing is started.
    ///
    /// # Errors
    /// One of them does not exist or cannot play at this pace.
    pub fn new(specs: Vec<Spec>, terms: PlayerDefaults, pace: &Pace) -> Result<Specs, SpecError> {
        specs.iter().try_for_each(|spec| spec.check(pace))?;
        let names = distinct(specs.iter().map(Spec::label));
        Ok(Specs { players: names.into_iter().zip(specs).collect(), terms, pace: *pace })
    }

    /// Their entries in the journal.
    pub fn entrants(&self) -> Result<Vec<Entrant>, SpecError> {
        let entrant = |(name, spec): &(String, Spec)| {
            Ok(Entrant {
                name: name.clone(),
                spec: spec.to_string(),
                details: details(spec)?,
                program: program(spec),
                time_management: time_management(spec, &self.pace)?,
            })
        };
        self.players.iter().map(entrant).collect()
    }

    /// The paces of the players that do not use the common one, with this margin.
    pub fn paces(&self, margin: Duration) -> Vec<Option<Pace>> {
        self.players.iter().map(|(_, spec)| spec.pace.map(|pace| pace.with_margin(margin))).collect()
    }

    /// Starts every player once, so that a player that cannot be started, or cannot play from such an opening, is found before the match.
    /// Returns the common settings that a player does not use, in words.
    ///
    /// # Errors
    /// The name of the first that cannot be started or play, and the reason.
    pub fn try_out(&self, opening: Option<&Game>) -> Result<Vec<String>, MatchError> {
        let special = |game: &&Game| {
            game.castling_mode() == CastlingMode::Chess960 || game.start_fen() != Game::new().start_fen()
        };
        let mut unused = Vec::new();
        for (name, spec) in &self.players {
            let failed = |reason: String| MatchError::Player(name.clone(), reason);
            let player = RestartablePlayer::new(spec, &self.terms).map_err(|e| failed(e.to_string()))?;
            let mut player = player.named(name);
            player.start().map_err(|e| failed(e.to_string()))?;
            if let Some(opening) = opening.filter(special) {
                let pace = spec.pace.unwrap_or(self.pace);
                player.prepare(opening, &pace).map_err(|e| failed(e.to_string()))?;
            }
            unused.extend(player.unused_settings().into_iter().map(|setting| format!("{name}: {setting}")));
        }
        Ok(unused)
    }
}

impl Specs {
    /// The other engines that the players are, each once.
    ///
    /// # Errors
    /// A message for the user: the program of a player cannot be read.
    pub fn engines(&self) -> Result<Vec<EngineIdentity>, MatchError> {
        let mut engines = BTreeSet::new();
        for (name, spec) in &self.players {
            if let PlayerKind::Uci(launch) | PlayerKind::Xboard(launch) = &spec.kind {
                engines.insert(identity(launch).map_err(|reason| MatchError::Player(name.clone(), reason))?);
            }
        }
        Ok(engines.into_iter().collect())
    }

    /// Players whose network is used with another share of the classical evaluation than it was trained with, in words.
    pub fn share_mismatches(&self) -> Vec<String> {
        let profiles = self.players.iter().filter(|(_, spec)| matches!(spec.kind, PlayerKind::Profile(_)));
        let mismatch =
            |(name, spec): &(String, Spec)| Some(format!("{name}: {}", spec.parameters().ok()?.share_mismatch()?));
        profiles.filter_map(mismatch).collect()
    }
}

/// Facts that the play of a profile depends on in addition to its name: values that differ from the default, and a signature of some
/// searches, which changes with the program.
fn details(spec: &Spec) -> Result<Vec<String>, SpecError> {
    let PlayerKind::Profile(_) = spec.kind else { return Ok(Vec::new()) };
    let (parameters, usual) = (spec.parameters()?, Parameters::default());
    let names = Parameters::specs().map(|entry| format!("{}.{}", entry.group, entry.spec.name));
    let value = |parameters: &Parameters, name: &str| parameters.get(name).ok();
    let differs = |name: &String| value(&parameters, name) != value(&usual, name);
    let shown = |name: String| value(&parameters, &name).map(|value| format!("{name}={value}"));
    let mut details: Vec<String> = names.filter(differs).filter_map(shown).collect();
    details.extend(parameters.differing_coefficients().map(|(name, value)| format!("{name}={value}")));
    if parameters.eval_file != usual.eval_file {
        details.push(format!("{}={}", network::OPTION, parameters.eval_file.identity()));
    }
    details.push(format!("signature {:016x}", signature(parameters)));
    Ok(details)
}

/// The SHA-256 of the program of another engine; `None` for a profile, and if the program cannot be read.
fn program(spec: &Spec) -> Option<String> {
    match &spec.kind {
        PlayerKind::Profile(_) => None,
        PlayerKind::Uci(launch) | PlayerKind::Xboard(launch) => Some(identity(launch).ok()?.checksum.to_string()),
    }
}

/// A fingerprint of the time management of a profile; `None` for another engine, and without a clock. `pace` applies to players that
/// have none in their specification.
fn time_management(spec: &Spec, pace: &Pace) -> Result<Option<String>, SpecError> {
    let (PlayerKind::Profile(_), Pace::Clock(_)) = (&spec.kind, spec.pace.as_ref().unwrap_or(pace)) else {
        return Ok(None);
    };
    let p = spec.parameters()?.clock;
    let mut text = String::new();
    for (left, increment, moves_to_go) in CLOCKS {
        let limits = Limits {
            time: ByColor::new_with(|_| Some(Duration::from_millis(left))),
            increment: ByColor::new_with(|_| Duration::from_millis(increment)),
            moves_to_go,
            ..Limits::default()
        };
        for number in CLOCK_MOVES {
            let turn = Turn { color: Color::White, number };
            let allotment = limits.allot(&p, turn, Delays::default());
            let times = allotment.map(|allotment| [allotment.soft, allotment.hard].map(|time| time.as_micros()));
            text += &format!("{times:?};");
        }
    }
    for (stable, fall, effort) in CLOCK_SEARCHES {
        let settled = SearchStability { stable, fall: Score(fall), effort, only_move: false };
        text += &format!("{};", soft_limit_percent(&p, settled));
    }
    Ok(Some(fingerprint(text.as_bytes())))
}

/// A number that changes when these parameters play differently.
fn signature(parameters: Parameters) -> u64 {
    let mut engine = Engine::new(parameters);
    let mut fingerprint = Fingerprint::new();
    for record in bench::positions().into_iter().take(SIGNATURE_POSITIONS) {
        let game = Game::from_chess(record.position, record.mode);
        engine.new_game();
        let outcome = engine.search_within(&game, &Limits::nodes(SIGNATURE_NODES));
        let best = outcome.best.map(|mv| mv.to_string()).unwrap_or_default();
        fingerprint.add(format!("{best} {} {}", outcome.report.score.0, outcome.nodes).as_bytes());
    }
    fingerprint.0
}

impl PlayerFactory for Specs {
    fn make_player(&self, player: usize) -> Result<Box<dyn Player>, String> {
        let (name, spec) = self.players.get(player).ok_or("no such player")?;
        let terms = PlayerDefaults { timeouts: self.terms.timeouts.of_known(), ..self.terms.clone() };
        let player = RestartablePlayer::new(spec, &terms).map_err(|e| e.to_string())?;
        Ok(Box::new(player.named(name)))
    }

    fn data(&self, player: usize) -> Result<Profile, String> {
        let (_, spec) = self.players.get(player).ok_or("no such player")?;
        RestartablePlayer::portable(spec, &self.terms)
    }

    fn external(&self, player: usize) -> Option<Result<ExternalEngineData, String>> {
        let (_, spec) = self.players.get(player)?;
        ExternalEngineData::of(spec, &self.terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs(texts: &[&str]) -> Specs {
        let specs = texts.iter().map(|text| text.parse().expect(text)).collect();
        Specs::new(specs, PlayerDefaults::default(), &Pace::Nodes(100)).expect("players")
    }

    #[test]
    fn the_journal_distinguishes_players_by_their_play() {
        let players = ["default", "default tc=1+0.01", "default set.null_move.on=false", "classic"];
        let entrants = specs(&players).entrants().expect("profiles");
        let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        assert_eq!(names[..2], ["default", "default 2"]);
        let details = |index: usize| &entrants[index].details;
        assert_eq!((details(0), details(0).len()), (details(1), 1));
        assert_eq!(details(2)[0], "null_move.on=0");
        assert!(details(2)[1] != details(0)[0] && details(3).len() > 2, "{entrants:?}");
        assert!(entrants[0].time_management.is_none() && entrants[1].time_management.is_some(), "{entrants:?}");
    }

    #[test]
    fn the_journal_distinguishes_builds_of_an_engine_by_their_programs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        std::fs::write(&path, "one").expect("written");
        let specs = specs(&[&format!("cmd:{}", path.display())]);
        let program = || specs.entrants().expect("a player")[0].program.clone();
        let first = program().expect("a program");
        assert_eq!(program().as_ref(), Some(&first));
        std::fs::write(&path, "two").expect("rebuilt");
        assert!(program().is_some_and(|second| second != first && second.len() == first.len()));
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(program(), None, "a program that cannot be read");
        assert_eq!(super::program(&"default".parse().expect("a profile")), None);
    }

    #[test]
    fn the_journal_of_timed_games_distinguishes_time_managements() {
        let of = |player: &str, pace: &str| {
            let (player, pace) = (player.parse().expect(player), pace.parse().expect(pace));
            time_management(&player, &pace).expect("a profile")
        };
        let usual = of("default", "2+0.02");
        assert!(usual.is_some() && usual == of("default tc=1+0.01", "nodes=100"));
        for parameter in ["moves_to_go=20", "increment_share=50", "hard_factor=400", "unstable=150", "fall_step=0"] {
            let other = of(&format!("default set.clock.{parameter}"), "2+0.02");
            assert!(other.is_some() && other != usual, "{parameter}");
        }
        for (player, pace) in [("default", "movetime=1"), ("default nodes=9", "2+0.02"), ("cmd:sh", "2+0.02")] {
            assert_eq!(of(player, pace), None, "{player}, {pace}");
        }
    }

    #[test]
    fn a_player_that_cannot_be_started_is_named() {
        // It ends at once and never answers.
        let message = specs(&["cmd:true name=Mute"]).try_out(None).expect_err("no engine").to_string();
        assert!(message.starts_with("cannot use player `Mute`: "), "{message}");
    }
}
