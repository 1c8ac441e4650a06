//! The figures as one self-contained page.

use super::{LENGTH_WIDTH, OPENING_PLIES, SCORE_WIDTH, SCORES_SIDE, Stats};
use crate::record::Ending;
use maud::{Markup, html};
use quarterply_engine::words::grouped;
use quarterply_files::pages::plot::{PlotError, columns};
use quarterply_files::pages::{document, report};
use quarterply_work::workers::{self, WorkerShare};

const PERCENT: f64 = 100.0;
/// Bytes in a MiB.
const MEBIBYTE: f64 = 1_048_576.0;
/// Pawns/100 in a pawn.
const PAWN: f64 = 100.0;

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", PERCENT * part as f64 / whole.max(1) as f64)
}

/// Names and values of what is counted, for the page and for the terminal.
pub fn facts(stats: &Stats) -> Vec<(String, String)> {
    let totals = &stats.totals;
    let mean = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
    let share = |part: u64| format!("{} ({})", grouped(part), percent(part, totals.games));
    let of_games = totals.moves - stats.filled_slots;
    let mut facts: Vec<(String, String)> = [
        ("games", grouped(totals.games)),
        ("White won", share(totals.white)),
        ("drawn", share(totals.draws)),
        ("Black won", share(totals.black)),
        ("positions", grouped(totals.moves)),
        ("after the filter", format!("{} ({})", grouped(totals.kept), percent(totals.kept, totals.moves))),
        (
            "distinct after the filter",
            format!("{} ({:.2} %)", grouped(stats.positions.different), PERCENT * stats.positions.share()),
        ),
        ("plies per game", format!("{:.1} on average", mean(of_games, totals.games))),
        ("absolute score", format!("{:.2} pawns on average", mean(stats.score_sum, totals.kept) / PAWN)),
        ("games that repeat another", grouped(stats.games.all - stats.games.different)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    if stats.slots > 0 {
        let text = format!("{}, {} with a position", grouped(stats.slots), grouped(stats.filled_slots));
        facts.push(("slots for sampled positions".to_owned(), text));
    }
    for (ply, variety) in OPENING_PLIES.iter().zip(&stats.openings) {
        let text =
            format!("{} of {} ({:.1} %)", grouped(variety.different), grouped(variety.all), PERCENT * variety.share());
        facts.push((format!("different positions at ply {ply}"), text));
    }
    facts.push(("files".to_owned(), format!("{}, {:.1} MiB", stats.files, stats.bytes as f64 / MEBIBYTE)));
    facts
}

/// A page with tables and plots; `workers` played the games, where that was done elsewhere.
pub fn page(stats: &Stats, name: &str, workers: &[WorkerShare]) -> Result<String, PlotError> {
    let title = format!("Games in {name}");
    let used = stats.lengths.iter().rposition(|count| *count > 0).map_or(1, |last| last + 1);
    let lengths = columns("Games by length", ["plies", "games"], [0.0, LENGTH_WIDTH as f64], &stats.lengths[..used])?;
    let width = f64::from(SCORE_WIDTH) / PAWN;
    let range = [-width * f64::from(SCORES_SIDE), width];
    let scores = columns("Positions by score", ["score for White (pawns)", "positions"], range, &stats.scores)?;
    let phases = columns("Positions by phase", ["phase", "positions"], [-0.5, 1.0], &stats.phases)?;
    let body = html! {
        p .kind { "Games as training data" }
        h1 { (title) }
        (report::facts(facts(stats)))
        h2 { "How games end" }
        (endings(stats))
        h2 { "Length of games" }
        (report::figure(&lengths, "Moves of both sides (plies), without the random ones; the last column holds all longer games."))
        h2 { "Scores of positions" }
        (report::figure(&scores, "Positions after the filter by the score of their search, seen from White; the outer columns hold all larger scores."))
        h2 { "Game phase of positions" }
        (report::figure(&phases, "Positions after the filter: 0 with kings and pawns only, 24 with all pieces."))
        h2 { "Engines and settings" }
        @for origin in &stats.origins {
            p { (origin.program) ", bench " (origin.bench) " at depth " (origin.bench_depth) ", evaluation " code { (origin.evaluation) } }
        }
        @if !workers.is_empty() { (report::table(workers::WORKER_COLUMNS, workers::rows(workers))) }
        @if let Some(settings) = &stats.settings { pre { (serde_json::to_string_pretty(settings).unwrap_or_default()) } }
        p .note {
            "The filter leaves out positions "
            @if !stats.filter.checks { "in check, " }
            @if !stats.filter.noisy { "whose best move is a capture or a promotion, " }
            "beyond " (stats.filter.score_max) " pawns/100, the first " (stats.filter.first) " plies of a game, and the last "
            (stats.filter.drawn_tail) " of games adjudicated drawn by score."
        }
    };
    Ok(document(&title, &body))
}

fn endings(stats: &Stats) -> Markup {
    let row =
        |(ending, count): (&Ending, &u64)| [ending.to_string(), grouped(*count), percent(*count, stats.totals.games)];
    report::table(["ending", "games", "share"], stats.endings.iter().map(row))
}
