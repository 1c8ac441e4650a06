//! A match of forty games against an engine that breaks down in every way, cut off in the middle of a line of its journal and
//! resumed.

#![cfg(unix)]

mod faulty;

use faulty::{ENDINGS, EngineFault, ms};
use quarterply_engine::position::Game;
use quarterply_games::game::Pace;
use quarterply_games::matches::line::{GameLine, GameResult, PairLine};
use quarterply_games::matches::{
    End, Existing, MatchEvent, MatchFiles, MatchOutcome, MatchPlan, OpeningSupply, Pairs, Specs, Stop, run,
};
use quarterply_games::players::{PlayerDefaults, Spec, Timeouts};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// No test: the program that the test below starts.
#[test]
fn faulty_engine() {
    faulty::run();
}

const GAMES: usize = 40;
/// Pairs before the match is cut off.
const PAIRS_BEFORE: usize = 7;
/// The name of the sound player.
const SOUND: &str = "default";

/// The fault of a round.
fn round(number: usize) -> (EngineFault, Option<&'static str>) {
    ENDINGS[number % ENDINGS.len()]
}

/// Plays or resumes until `pairs` pairs are finished.
fn play(files: &MatchFiles, pairs: usize) -> (MatchOutcome, Vec<PairLine>) {
    let pace = "movetime=0.002".parse::<Pace>().expect("a pace").with_margin(ms(400));
    let timeouts =
        Timeouts { start: ms(20_000), answer: ms(10_000), search: ms(1000), grace: ms(300), ..Timeouts::default() };
    let terms = PlayerDefaults { hash: 1, timeouts, ..PlayerDefaults::default() };
    let players = [SOUND.to_owned(), faulty::player("uci")];
    let specs = players.iter().map(|text| text.parse::<Spec>().expect(text)).collect();
    let specs = Arc::new(Specs::new(specs, terms, &pace).expect("good players"));
    let mut plan = MatchPlan::new(specs.entrants().expect("good players"), GAMES, pace);
    plan.workers = 2;
    let game = |number| Game::standard(&round(number).0.opening()).expect("a good FEN");
    let (stop, mut lines) = (Stop::default(), Vec::new());
    let mut executor = Pairs::threads(&plan, specs.clone(), &stop);
    let openings = OpeningSupply::new((0..ENDINGS.len()).map(game));
    let outcome = run(&plan, specs.as_ref(), openings, files, &stop, &mut executor, &mut |event| {
        if let MatchEvent::Pair { line, .. } = event {
            lines.push(line.clone());
            if lines.len() >= pairs {
                stop.set();
            }
        }
    });
    (outcome.expect("a match"), lines)
}

/// Takes away the end of the last line.
fn cut(journal: &Path) {
    let bytes = std::fs::read(journal).expect("the journal");
    let last = bytes.iter().rposition(|byte| *byte != b'\n').expect("a line");
    let begin = bytes[..last].iter().rposition(|byte| *byte == b'\n').expect("more than one line");
    std::fs::write(journal, &bytes[..(begin + last) / 2]).expect("written");
}

fn check(game: &GameLine, number: usize) {
    let (fault, ending) = round(number);
    let text = format!("{fault:?}: {game:?}");
    match ending {
        None => {
            assert!(game.fault.is_none() && game.ending == "checkmate" && game.result == GameResult::White, "{text}")
        }
        Some(ending) => {
            let won = if game.white == SOUND { GameResult::White } else { GameResult::Black };
            let by = game.fault.as_ref().map(|fault| fault.by.as_str());
            assert_eq!((game.ending.as_str(), game.result, by), (ending, won, Some("Faulty-uci")), "{text}");
        }
    }
}

/// Processes that we have started and that are still there, dead or alive.
fn children() -> Vec<String> {
    let own = format!(" {} ", std::process::id());
    let stat = |path: PathBuf| std::fs::read_to_string(path.join("stat")).unwrap_or_default();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| stat(entry.path()));
    // Behind the name in brackets come the state and the parent.
    all.filter(|stat| stat.rsplit(") ").next().is_some_and(|rest| rest.get(1..).is_some_and(|r| r.starts_with(&own))))
        .collect()
}

#[test]
fn forty_games_survive_every_fault_and_a_cut_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("match.jsonl");
    let files =
        |existing| MatchFiles { journal: Some(journal.clone()), pgn: Some(folder.path().join("match.pgn")), existing };
    let (first, before) = play(&files(Existing::Keep), PAIRS_BEFORE);
    assert_eq!((first.end, before.len() >= PAIRS_BEFORE), (End::Stopped, true), "{}", before.len());
    cut(&journal);
    let (second, lines) = play(&files(Existing::Resume), usize::MAX);
    assert_eq!((second.end, second.standing.games, lines.len()), (End::Complete, GAMES as u64, GAMES / 2));
    for (number, line) in lines.iter().enumerate() {
        assert_eq!((line.pair, line.games.len()), (number + 1, 2));
        line.games.iter().for_each(|game| check(game, number));
    }
    // Games that were complete before the cut are not played again.
    let kept = before.iter().filter(|line| lines.contains(line)).count();
    assert!(kept + 1 >= PAIRS_BEFORE, "{kept}");
    let games = std::fs::read_to_string(folder.path().join("match.pgn")).expect("the games");
    assert_eq!(games.matches("[Result ").count(), GAMES);
    assert_eq!(children(), Vec::<String>::new());
}
