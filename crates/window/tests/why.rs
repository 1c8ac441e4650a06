//! Every sentence of `window why` is held against the recorded search.

mod common;

use common::{README, depth, game, must, recorded, suite};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score};
use quarterply_engine::search::pool::TABLE_DEFAULT;
use quarterply_engine::shakmaty::Move;
use quarterply_window::show::{move_name, name};
use quarterply_window::trace::{Decision, MoveCode, MoveOutcome, MoveRecord, NodeRecord, Purpose};
use quarterply_window::why::{MoveQuestion, MoveStanding, WhatIfSearches, explain, standing, what_if};
use quarterply_window::words;

/// Moves that each search of a move alone and of all moves may make.
const NODES: u64 = 200_000;

/// Holds a sentence about a move of the root against the record of the root. A sentence that is not known here is an error.
fn holds(sentence: &str, root: &NodeRecord, position: &Position, mv: Move) -> Result<(), String> {
    let title = move_name(position, mv);
    let record = root.moves().find(|record| record.mv == MoveCode::of(mv));
    let Some(record) = record else {
        return must(sentence.contains("was skipped together with"), "the picker returned it");
    };
    let searched = match &record.outcome {
        MoveOutcome::Skipped { by, .. } => {
            return must(sentence.contains("was skipped") && sentence.contains(by.rule.name()), "another fate");
        }
        MoveOutcome::Unknown => return must(sentence.contains("about to be searched"), "another fate"),
        MoveOutcome::Searched(searched) => searched,
    };
    let move_value = searched.value.ok_or("it has no value")?;
    let value = words::score(move_value.score);
    if sentence.starts_with(&format!("{title} was move ")) {
        return must(sentence.starts_with(&format!("{title} was move {} in the order", record.number)), "the place");
    }
    if let Some(rest) = sentence.strip_prefix(&format!("The extension of {title} was limited by ")) {
        let limits =
            |line: &quarterply_window::trace::CostLine| line.by.rule == Rule::Explosion && line.cost > Depth::ZERO;
        let limited = rest.starts_with(Rule::Explosion.name()) && searched.breakdown.iter().any(limits);
        return must(limited, "the limit of extensions");
    }
    for (verb, sign) in [("reduced", 1), ("extended", -1)] {
        if let Some(rest) = sentence.strip_prefix(&format!("{title} was {verb} by ")) {
            let names_it = |line: &&quarterply_window::trace::CostLine| rest.starts_with(line.by.rule.name());
            let line = searched.breakdown.iter().find(names_it).ok_or("that rule is not in the breakdown")?;
            return must(line.cost.0.signum() == sign, "the sign of the rule");
        }
    }
    if sentence.contains(" gave ") {
        let parts: Vec<&str> = sentence.trim_end_matches('.').split("; ").collect();
        must(parts.len() == searched.tries.len(), "how often it was searched")?;
        let fits = |(part, search): (&&str, &quarterply_window::trace::ChildSearch)| {
            search.score.is_some_and(|score| part.ends_with(&words::score(score)))
        };
        return must(parts.iter().zip(&searched.tries).all(fits), "the values of its searches");
    }
    decision_holds(sentence, root, position, record, &value)
}

/// The same for the sentence about its value.
fn decision_holds(
    sentence: &str,
    root: &NodeRecord,
    position: &Position,
    record: &MoveRecord,
    value: &str,
) -> Result<(), String> {
    let move_value = record.searched().and_then(|searched| searched.value).ok_or("it has no value")?;
    let last = record.searched().and_then(|searched| searched.tries.last()).ok_or("no search")?;
    let best = root.best();
    let is_best = best.is_some_and(|best| best.mv == record.mv);
    match move_value.decision {
        Decision::Cutoff => return must(sentence.contains(&format!("Its value {value} reached beta")), "a cutoff"),
        Decision::Best if is_best => return must(sentence == format!("Its value {value} is the best."), "the best"),
        Decision::Best => return must(sentence.contains("was the best until"), "it was overtaken"),
        Decision::NotBest => {}
    }
    let reduced =
        last.purpose == Purpose::Reduced || last.purpose == Purpose::ReSearchMiddle || last.cost > Depth::ONE_PLY;
    let asked = name(position, Some(record.mv));
    let start = if reduced {
        let depth = words::plies((root.depth_out - last.cost).max(Depth::ZERO));
        format!("Searched to depth {depth} only, {asked} is worth at most {value}")
    } else {
        format!("{asked} is worth at most {value}")
    };
    must(sentence.starts_with(&start), "the depth at which that holds")?;
    let Some(best) = best else {
        return must(sentence.ends_with("; no move here was shown to be worth more."), "none");
    };
    let found = best.searched().and_then(|searched| searched.value).ok_or("the best move has no value")?;
    let title = name(position, Some(best.mv));
    if sentence.contains("no more than") {
        must(sentence.contains(&format!("no more than {title}, which was found before")), "the best move")?;
        return must(best.number < record.number && found.score <= move_value.score, "the order of their values");
    }
    let shown = words::move_value(found.score, found.decision);
    must(sentence.ends_with(&format!("{title} is better with {shown}.")), "the best value")?;
    must(found.score > move_value.score, "the order of their values")
}

/// Compares the answer about a move of the root with the record: the value, the better move, the depth, and the line.
fn answer_holds(answer: &str, root: &NodeRecord, position: &Position, mv: Move) -> Result<(), String> {
    let title = move_name(position, mv);
    let record = root.moves().find(|record| record.mv == MoveCode::of(mv));
    must(!answer.contains("is best") && answer.ends_with('.'), "a sentence")?;
    let Some(record) = record else {
        return must(answer.contains(&format!("{title} was not ")), "it was not searched");
    };
    let searched = match &record.outcome {
        MoveOutcome::Skipped { by, .. } => {
            let start = format!("{title} was not searched: {} skipped it", by.rule.name());
            return must(answer.starts_with(&start), "the rule that skipped it");
        }
        MoveOutcome::Unknown => return must(answer.contains("was stopped"), "it was stopped"),
        MoveOutcome::Searched(searched) => searched,
    };
    let move_value = searched.value.ok_or("it has no value")?;
    let bound = match move_value.decision {
        Decision::Cutoff => Bound::Lower,
        Decision::Best => Bound::Exact,
        Decision::NotBest => Bound::Upper,
    };
    let side = words::side(position.turn());
    must(answer.contains(&format!("{side} {}", standing(move_value.score, bound))), "the value")?;
    let best = root.best().filter(|best| best.mv != record.mv);
    if let Some(best) = best {
        let found = best.searched().and_then(|searched| searched.value).ok_or("the best move has no value")?;
        let for_side = if position.turn().is_black() { " for Black" } else { "" };
        let (better, value) = (name(position, Some(best.mv)), words::score(found.score));
        let shown =
            [format!("; {better} is {value}{for_side}"), format!("; {better} with {value}{for_side} was found before")];
        must(shown.iter().any(|shown| answer.contains(shown)), "the better move")?;
    } else {
        must(answer.contains("is the best move") || answer.contains("is the only legal move"), "it is best")?;
    }
    let line = answer.split_once(": ").and_then(|(_, rest)| rest.split_once(", and ")).map(|(line, _)| line);
    let line = line.filter(|line| line.starts_with(&title));
    let mut at = position.play(mv);
    for san in line.unwrap_or(&title).split(' ').skip(1) {
        let next = quarterply_window::moves::read(&at, san).ok_or(format!("{san} is not legal"))?;
        at = at.play(next);
    }
    let last = searched.tries.last().ok_or("no search")?;
    let reached = words::plies((root.depth_out - last.cost).max(Depth::ZERO));
    let depths = ["in quiescence".to_owned(), format!("to depth {reached}")];
    let names_it = |depth: &String| {
        [".", "; "].iter().any(|end| answer.contains(&format!("The position after it was searched {depth}{end}")))
    };
    must(depths.iter().any(names_it), "the depth")
}

/// Asks about moves of the root.
fn ask(game: &Game, plies: u32, step: usize) {
    let trace = recorded(game, &Parameters::default(), &depth(plies));
    let root = trace.last_root().expect("a root");
    let root = trace.node(root).expect("a node");
    let position = game.position();
    for mv in position.legal_moves().into_iter().step_by(step) {
        let account = explain(&trace, &MoveQuestion { after: Vec::new(), mv }).expect("whole");
        for sentence in &account.sentences {
            if let Err(reason) = holds(sentence, &root, position, mv) {
                panic!("{}: {mv:?}: `{sentence}` is wrong: {reason}", game.fen());
            }
        }
        if let Err(reason) = answer_holds(&account.answer, &root, position, mv) {
            panic!("{}: {mv:?}: `{}` is wrong: {reason}", game.fen(), account.answer);
        }
    }
}

#[test]
fn every_sentence_holds_in_12_positions() {
    ask(&game(README), 9, 3);
    suite(12).iter().for_each(|game| ask(game, 6, 5));
}

/// The beginning of an answer, by the position, the depth, and the move.
#[test]
fn answers_begin_with_chess() {
    for (fen, plies, san, expected) in [
        // The queen takes a guarded pawn.
        ("rnbqkbnr/ppp1pppp/8/3p4/8/5Q2/PPPPPPPP/RNB1KBNR w KQkq - 0 1", 5, "Qxd5", "Black recaptures: Qxd5 Qxd5"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, "g4", "Black "),
        // A back-rank mate, for White and for Black.
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 4, "Ra8+", "Ra8# is mate: White mates in 1"),
        ("r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", 4, "Ra1+", "Ra1# is mate: Black mates in 1"),
        ("2r3k1/5ppp/8/8/8/8/6PP/R6K w - - 0 1", 4, "Ra7", "Black mates: Ra7 Rc1#, and White is mated in 1"),
        // One legal move.
        ("7k/8/8/8/8/8/1r6/K7 w - - 0 1", 4, "Kxb2", "Kxb2 is the only legal move"),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", 4, "Kxe2", "Kxe2 is the best move: after Kxe2 White is level"),
    ] {
        let game = game(fen);
        let mv = quarterply_window::moves::read(game.position(), san).expect("legal");
        let trace = recorded(&game, &Parameters::default(), &depth(plies));
        let account = explain(&trace, &MoveQuestion { after: Vec::new(), mv }).expect("whole");
        assert!(account.answer.starts_with(expected), "{fen} {san}: {}", account.answer);
    }
}

/// The move was worth at most -0.10, then -0.02 alone, and the search of all moves was content with -0.10.
#[test]
fn a_hidden_move_is_reported_as_hidden() {
    let game = game(README);
    let mv = quarterply_window::moves::read(game.position(), "Bg3").expect("legal");
    let account = explain(&recorded(&game, &Parameters::default(), &depth(8)), &MoveQuestion { after: Vec::new(), mv })
        .expect("whole");
    let text = account.sentences.join(" ");
    assert!(text.contains("Searched to depth 6.73 only, Bg3 is worth at most -0.10, no more than dxc5"), "{text}");
    let usual = what_if(&game, &Parameters::default(), None, mv, (8, NODES), TABLE_DEFAULT).expect("memory");
    assert_eq!(usual.standing(), MoveStanding::Hidden(Score(8)));
    let text = WhatIfSearches { game: &game, usual: &usual, without: &[], handling: &account.handling }.answer();
    let end = "White is 0.02 behind; the search of all moves prefers dxc5 with -0.10, which is less. Bg3 was searched alone \
               to depth 8 with an empty table. Late move reduction hid Bg3: the position after it was searched to depth 6.73 only.";
    assert!(text.ends_with(end), "{text}");
}
