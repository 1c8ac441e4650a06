//! A review in plain words.

use super::page::ReviewReport;
use super::{Grade, INACCURACY, MissedReply, MistakeAnalysis, MoveReview, RuleTrial, without_noise};
use crate::show::{line_names, move_name};
use crate::words;
use quarterply_engine::position::{Draw, Game};
use quarterply_engine::shakmaty::{Color, Move};

/// A move with its number: `12. Nf3`, `12... Nf6`.
pub fn numbered(place: &Game, mv: Move) -> String {
    let position = place.position();
    let dots = if position.turn() == Color::White { "." } else { "..." };
    format!("{}{dots} {}", position.fullmoves(), move_name(position, mv))
}

/// A line in short algebraic notation, with the number of its first move.
pub fn line(place: &Game, moves: &[Move]) -> String {
    let Some((&first, rest)) = moves.split_first() else { return String::new() };
    let rest = line_names(&place.position().play(first), rest);
    std::iter::once(numbered(place, first)).chain(rest).collect::<Vec<_>>().join(" ")
}

const PERCENT: f64 = 100.0;

/// A share of a point in whole percent.
fn percent(points: f64) -> String {
    format!("{:.0} %", PERCENT * points)
}

/// The loss of a move in percent: whole, unless the whole number would have another grade.
pub fn percent_lost(lost: f64) -> String {
    const DIGITS_MAX: usize = 2;
    let rounded = |digits: usize| format!("{:.digits$}", PERCENT * lost);
    let has_grade =
        |text: &String| text.parse().is_ok_and(|number: f64| Grade::of(number / PERCENT) == Grade::of(lost));
    let text = (0..DIGITS_MAX).map(rounded).find(has_grade).unwrap_or_else(|| rounded(DIGITS_MAX));
    format!("{text} %")
}

/// The loss of a move: the first sentence about it.
pub fn loss(place: &Game, review: &MoveReview) -> String {
    let title = numbered(place, review.mv);
    let side = words::side(place.position().turn());
    let [before, after] = review.expected;
    let (lost, from, to) = (percent_lost(review.lost), percent(before), percent(after));
    let values = format!("{} to {}", words::score(review.before), words::score(review.after));
    let better = review.best.map_or(String::new(), |best| format!("; better was {}", numbered(place, best)));
    format!(
        "{title} lost {lost} of a point: the expected score of {side} fell from {from} to {to} (value {values}){better}."
    )
}

/// Returns true if the search of the move alone finds it bad too.
pub fn is_confirmed(review: &MoveReview, insight: &MistakeAnalysis) -> bool {
    insight.turn.is_some() && without_noise(review.expected[0] - insight.expected) >= INACCURACY
}

/// The reasons for the mistake, in sentences. `favoured` is the last depth at which a search of all moves preferred it.
pub fn why(place: &Game, review: &MoveReview, insight: &MistakeAnalysis, favoured: Option<u32>) -> Vec<String> {
    let mut sentences = Vec::new();
    let depth = insight.alone.depth();
    let value = words::score(insight.alone.score);
    if !is_confirmed(review, insight) {
        sentences.push(format!(
            "Searched alone to depth {depth}, the move has the value {value}, a small loss only, so it is not counted \
             as a mistake."
        ));
        return sentences;
    }
    if let Some(favoured) = favoured {
        sentences.push(format!("The search of all moves last preferred this move at depth {favoured}."));
    }
    if let Some(draw) = draw_after(place, review.mv) {
        sentences.push(draw.to_owned());
        return sentences;
    }
    let refutation = line(place, &insight.alone.line);
    let turn = insight.turn.unwrap_or(depth);
    let at = |depth: u32| insight.alone.iterations.iter().find(|iteration| iteration.depth == depth);
    let now = at(turn).map_or_else(|| value.clone(), |iteration| words::score(iteration.score));
    match (at(turn.saturating_sub(1)), &insight.missed) {
        (Some(before), Some(_)) => {
            let (shallow, liked) = (before.depth, words::score(before.score));
            sentences.push(format!(
                "Searched alone, the move looked good at depth {shallow} ({liked}) and bad from depth {turn} on \
                 ({now}). At depth {depth} its value is {value}: {refutation}."
            ));
        }
        _ => sentences.push(format!(
            "A search of the move alone finds the refutation at depth {turn} already ({now}). At depth {depth} the \
             value of the move is {value}: {refutation}."
        )),
    }
    if let Some(missed) = &insight.missed {
        let shallow = turn.saturating_sub(1);
        if !missed.sentences.is_empty() {
            let known = line(place, &insight.alone.line[..missed.after]);
            sentences.push(format!(
                "After {known}, the search of the move alone to depth {shallow} decided about the next move of the \
                 refutation: {}",
                missed.sentences.join(" ")
            ));
        }
        sentences.push(hidden(missed, shallow));
    }
    sentences
}

/// The sentence about a move after which the game is a draw: there is no refutation to show.
fn draw_after(place: &Game, mv: Move) -> Option<&'static str> {
    let mut after = place.clone();
    after.play(mv);
    if after.position().legal_moves().is_empty() {
        return (!after.position().in_check()).then_some("The move is stalemate: the game is drawn.");
    }
    Some(match after.draw()? {
        Draw::Threefold => "After the move the position has occurred three times, so a draw can be claimed.",
        Draw::FiftyMoves => "After the move a draw can be claimed by the fifty-move rule.",
        Draw::InsufficientMaterial => "After the move neither side can give mate: the game is drawn.",
    })
}

/// Which rules hid the answer.
fn hidden(missed: &MissedReply, shallow: u32) -> String {
    let names = |trials: &[&RuleTrial]| {
        let named = trials.iter().map(|trial| match trial.turn {
            Some(turn) => format!("{} (seen at depth {turn})", trial.without.name()),
            None => trial.without.name().to_owned(),
        });
        named.collect::<Vec<_>>().join(", ")
    };
    let (hid, others): (Vec<&RuleTrial>, Vec<&RuleTrial>) =
        missed.trials.iter().partition(|trial| trial.turn.is_some());
    let (tried, open): (Vec<&RuleTrial>, Vec<&RuleTrial>) = others.into_iter().partition(|trial| trial.finished);
    let mut sentences = Vec::new();
    if !hid.is_empty() {
        sentences.push(format!(
            "Rules that hid the refutation (without any one of them the same search finds it): {}.",
            names(&hid)
        ));
    }
    let all_tried = open.is_empty() && missed.untried.is_empty();
    match (tried.is_empty(), hid.is_empty() && all_tried) {
        (true, _) => {}
        (false, true) => {
            let tried = names(&tried);
            sentences
                .push(format!("No single rule hid the refutation: the same search also misses it without {tried}."));
        }
        (false, false) => {
            sentences.push(format!("The same search still misses the refutation without {}.", names(&tried)));
        }
    }
    if !open.is_empty() {
        sentences.push(format!("The searches without {} did not finish.", names(&open)));
    }
    if !missed.untried.is_empty() {
        let untried: Vec<&str> = missed.untried.iter().map(|rule| rule.name()).collect();
        sentences.push(format!("Rules that were involved, but not tried (--rules): {}.", untried.join(", ")));
    }
    if sentences.is_empty() {
        return format!("No rule was involved: a search to depth {shallow} does not find the refutation.");
    }
    sentences.join(" ")
}

/// The faults of both sides, and how far the review came if it was stopped.
pub fn verdict(report: &ReviewReport<'_>) -> String {
    let faults = totals(report.places, report.reviews);
    match report.stopped {
        Some(moves) => format!(
            "Stopped after {} of {moves} half moves; not every mistake was analysed. In these moves: {faults}",
            report.reviews.len()
        ),
        None => faults,
    }
}

/// The number of moves of each grade by side: `White: 1 inaccuracy, 2 blunders; Black: no fault.`
fn totals(places: &[Game], reviews: &[MoveReview]) -> String {
    let of = |side: Color| {
        let own = || reviews.iter().filter(move |review| places[review.ply].position().turn() == side);
        let counts = [Grade::Blunder, Grade::Mistake, Grade::Inaccuracy].map(|grade| {
            let count = own().filter(|review| review.grade() == grade).count() as u64;
            (count > 0).then(|| words::several(count, grade.name()))
        });
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let lost: f64 = own().filter(|review| !review.doubted).map(|review| review.lost).sum();
        let faults = if counts.is_empty() { "no fault".to_owned() } else { counts.join(", ") };
        format!("{}: {faults}, {:.2} points lost in all", words::side(side), lost + 0.0) // an empty sum is -0
    };
    format!("{}. {}.", of(Color::White), of(Color::Black))
}
