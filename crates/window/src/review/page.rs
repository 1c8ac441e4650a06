//! A review as a page: the graph, every mistake with its board and its reasons, every move.

use super::{Grade, MistakeAnalysis, MoveReview, NOT_CONFIRMED, PositionValue, sentences};
use crate::picture::{self, Arrow};
use crate::words;
use maud::{Markup, PreEscaped, html};
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::Color;
use quarterply_files::pages::document;
use quarterply_files::pages::number::Scale;
use quarterply_files::pages::plot::{
    Axes, HEIGHT, PlotError, QUIET, SERIES, WIDTH, chart, level, line, on_paper, themed,
};

/// A mistake that was analysed.
#[derive(Clone, Debug)]
pub struct AnalysedMistake {
    /// The move, as a place in the list of all.
    pub place: usize,
    /// The analysis.
    pub insight: MistakeAnalysis,
}

/// Everything that a page shows.
#[derive(Clone, Copy, Debug)]
pub struct ReviewReport<'a> {
    /// Players and event.
    pub title: &'a str,
    /// The settings of the review, a line each.
    pub origin: &'a [String],
    /// The positions, before the first move and after each.
    pub places: &'a [Game],
    /// The result of the search of each.
    pub values: &'a [PositionValue],
    /// The review of each move.
    pub reviews: &'a [MoveReview],
    /// Those that were analysed.
    pub mistakes: &'a [AnalysedMistake],
    /// The number of moves of the game, if the review was stopped before its end.
    pub stopped: Option<usize>,
}

/// The page.
pub fn page(report: &ReviewReport<'_>) -> Result<String, PlotError> {
    let drawn = graph(report)?;
    let body = html! {
        (picture::shapes())
        style { (PreEscaped(STYLE)) }
        p .kind { "Review of a game" }
        h1 { (report.title) }
        p .verdict { (sentences::verdict(report)) }
        figure .scroll .wide tabindex="0" {
            (PreEscaped(themed(&drawn)))
            figcaption { "Expected score of White after each move, in percent of a point. Dots are analysed moves." }
        }
        @for analysed in report.mistakes { (mistake(report, analysed)) }
        h2 { "All moves" }
        (moves(report))
        h2 { "How it was made" }
        @for line in report.origin { p .note { (line) } }
    };
    Ok(document(report.title, &body))
}

/// Expected score of White after each move, by the number of moves made.
pub fn expectations(report: &ReviewReport<'_>) -> Vec<(f64, f64)> {
    let white = |review: &MoveReview, expected: f64| {
        if report.places[review.ply].position().turn() == Color::White { expected } else { 1.0 - expected }
    };
    let first = report.reviews.first().map(|review| (review.ply as f64, white(review, review.expected[0])));
    let rest = report.reviews.iter().map(|review| ((review.ply + 1) as f64, white(review, review.expected[1])));
    first.into_iter().chain(rest).collect()
}

fn graph(report: &ReviewReport<'_>) -> Result<String, PlotError> {
    const EVEN: f64 = 0.5;
    /// Room for the label of the whole point.
    const TOP: f64 = 1.05;
    let points = expectations(report);
    let last = points.last().map_or(1.0, |(x, _)| *x).max(1.0);
    let axes = Axes {
        x: 0.0..last,
        y: 0.0..TOP,
        x_scale: Scale::WHOLE,
        y_scale: Scale::PERCENT,
        x_name: "plies played",
        y_name: "expected score of White",
    };
    on_paper((WIDTH, HEIGHT), "Expected score of White after each move", |area| {
        let mut drawn = chart(area, &axes)?;
        level(&mut drawn, EVEN, &QUIET)?;
        line(&mut drawn, &points, &SERIES[0])?;
        let ends = report.mistakes.iter().filter_map(|analysed| points.get(analysed.place + 1));
        for &point in ends {
            line(&mut drawn, &[point], &SERIES[1])?;
        }
        Ok(())
    })
}

fn mistake(report: &ReviewReport<'_>, analysed: &AnalysedMistake) -> Markup {
    let review = &report.reviews[analysed.place];
    let (place, insight) = (&report.places[review.ply], &analysed.insight);
    let favoured = report.values[review.ply].favoured(review.mv);
    let name = sentences::numbered(place, review.mv);
    let grade = if sentences::is_confirmed(review, insight) { review.grade().name() } else { NOT_CONFIRMED };
    let turn = place.position().turn();
    let mut arrows = vec![(review.mv, Arrow::Played)];
    arrows.extend(review.best.map(|best| (best, Arrow::Better)));
    arrows.extend(insight.alone.line.get(1).map(|&reply| (reply, Arrow::Reply)));
    let label = format!("The position before {name}, {} to move", words::side(turn));
    html! {
        h2 id=(format!("ply-{}", review.ply + 1)) { (name) " " span class=(format!("grade {}", class(review.grade()))) { (grade) } }
        div .mistake {
            figure {
                (picture::board(place.position(), turn, &arrows, &label))
                figcaption { "Played" span .key .played { } " better" span .key .better { } " the reply" span .key .reply { } }
            }
            div {
                p { (sentences::loss(place, review)) }
                @for sentence in sentences::why(place, review, insight, favoured) { p { (sentence) } }
                (depths(insight))
                details { summary { "Commands" }
                    p .note { "Why the move is not the best, and the tree of its search:" }
                    pre { (commands(place, review)) }
                }
            }
        }
    }
}

/// The value of the move alone, iteration by iteration.
fn depths(insight: &MistakeAnalysis) -> Markup {
    html! {
        p .note { "Value of the move alone, by depth:" }
        ol .depths { @for seen in &insight.alone.iterations {
            li class=(if seen.score <= insight.middle { "bad" } else { "good" }) { span { (seen.depth) } " " (words::score(seen.score)) }
        } }
    }
}

/// Commands that continue from a mistake.
fn commands(place: &Game, review: &MoveReview) -> String {
    let (fen, mv) = (place.fen(), review.mv.to_uci(place.castling_mode()));
    format!(
        "quarterply window why {mv} --fen \"{fen}\"\nquarterply window search --fen \"{fen}\" --moves {mv} -o ply-{}.html",
        review.ply + 1
    )
}

fn class(grade: Grade) -> &'static str {
    match grade {
        Grade::Fine => "fine",
        other => other.name(),
    }
}

fn moves(report: &ReviewReport<'_>) -> Markup {
    html! {
        div .scroll tabindex="0" { table {
            thead { tr {
                th { "move" } th { "best move" } th { "value before" } th { "value after" } th { "lost" } th { "depth" }
                th { "grade" }
            } }
            tbody { @for review in report.reviews {
                @let place = &report.places[review.ply];
                @let analysed = report.mistakes.iter().any(|analysed| analysed.place == review.ply);
                tr {
                    th scope="row" {
                        @if analysed { a href=(format!("#ply-{}", review.ply + 1)) { (sentences::numbered(place, review.mv)) } }
                        @else { (sentences::numbered(place, review.mv)) }
                    }
                    td { @match review.best {
                        Some(best) if best != review.mv => (sentences::numbered(place, best)),
                        Some(_) => "the move played",
                        None => "-",
                    } }
                    td { (words::score(review.before)) }
                    td { (words::score(review.after)) }
                    td { (sentences::percent_lost(review.lost)) }
                    td { (report.values[review.ply].depth()) }
                    td { span class=(format!("grade {}", class(review.grade()))) { (review.verdict()) } }
                }
            } }
        } }
    }
}

const STYLE: &str = "\
.mistake { display: grid; grid-template-columns: minmax(14rem, 22rem) minmax(0, 1fr); gap: 1.2rem; align-items: start; }
.mistake figure { margin: 0; }
@media (max-width: 44rem) { .mistake { grid-template-columns: minmax(0, 1fr); } }
.grade { font-size: .75em; font-weight: 600; padding: .1em .6em; border: 1px solid currentColor; border-radius: 1em; color: var(--doubt); }
.grade:empty { display: none; }
.grade.blunder { color: var(--bad); }
.grade.mistake { display: inline; color: var(--bad); }
.key { display: inline-block; width: 1.4em; height: .45em; margin-left: .35em; border-radius: .2em; vertical-align: middle; }
.key.played { background: #d55e00; } .key.better { background: #0b6e69; } .key.reply { background: #0072b2; }
.depths { list-style: none; margin: .4rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem .9rem; font-variant-numeric: tabular-nums; }
.depths .bad { color: var(--bad); } .depths .good { color: var(--good); }
.depths span { color: var(--quiet); font-size: .8em; }
a { color: inherit; }";
