//! `quarterply window review GAME.pgn`: where a game was lost, and why the mistakes looked good.

use std::io::Write;
use std::path::PathBuf;

use miette::miette;
use quarterply_engine::evaluator::phase;
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::shakmaty::{Board, Color};
use quarterply_engine::words::grouped;
use quarterply_games::pgn::{self, AnnotatedGames, GameError, ReadGame};
use quarterply_uci::wdl::Wdl;
use quarterply_window::review::page::{AnalysedMistake, ReviewReport, expectations, page};
use quarterply_window::review::{self, MistakeAnalysis, MoveReview, PositionValue, ReviewSettings, sentences};
use quarterply_window::words;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::support;
use super::why::{paragraph, san_line};
use crate::common::{Common, pool_of};
use crate::export::{JsonLines, create, finish};
use crate::failure::{CommandResult, Failure};
use crate::limits::{HASH_MAX, SearchLimits};
use crate::listing::{Listing, terminal_width};
use crate::numbers::count;
use crate::screen::clean;
use crate::{interrupt, progress};

/// Which game, and how closely it is looked at.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// PGN file.
    #[arg(value_name = "GAME.pgn")]
    pub pgn: PathBuf,
    /// Review this game of a file with several games, from 1.
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..))]
    pub game: Option<usize>,
    #[command(flatten)]
    pub limits: SearchLimits,
    /// Analyse moves that lost at least PERCENT percent of a point.
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = count::<u32>(1..=100))]
    pub least: u32,
    /// Analyse the moves of one side only.
    #[arg(long, value_name = "SIDE")]
    pub side: Option<ReviewedSide>,
    /// Search each analysed move again without each of at most N rules, one rule at a time.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = count::<usize>(0..=30))]
    pub rules: usize,
    /// Limit a search with a rule off to N times the moves of the unchanged search.
    #[arg(long, value_name = "N", default_value_t = super::what_if::NODE_FACTOR, value_parser = count::<u64>(1..))]
    pub node_factor: u64,
    /// Size of the transposition table of each search, in MiB.
    #[arg(long, value_name = "MB", default_value_t = TABLE_DEFAULT, value_parser = count::<usize>(1..=HASH_MAX))]
    pub hash: usize,
    /// Write a page with the graph and boards.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
}

/// A side of the board.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReviewedSide {
    White,
    Black,
}

impl ReviewedSide {
    fn is(self, colour: Color) -> bool {
        (self == ReviewedSide::White) == (colour == Color::White)
    }
}

/// Searches every position of the game, then looks into the moves that lost most.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    let read = read(arguments)?;
    let (profile, parameters) = support::parameters(common)?;
    let limits = arguments.limits.get();
    let &Arguments { hash, rules, node_factor, .. } = arguments;
    let settings =
        ReviewSettings { parameters: &parameters, profile: &profile, limits: &limits, hash, rules, node_factor };
    let (control, stop) =
        interrupt::control("stopping: the review so far follows (press Ctrl-C again to end at once)")?;
    let mut json = JsonLines::open(common, [&arguments.pgn])?;
    let output = arguments.output.as_deref().map(|path| create(common, path, [&arguments.pgn])).transpose()?;
    let work = ReviewRun { common, arguments, settings: &settings, control: &control };
    let found = pool_of(common.workers.unwrap_or(1))?.install(|| work.all(&read.game))?;
    let (title, origin) = (title(&read), origin(&found, &settings));
    let report = ReviewReport {
        title: &title,
        origin: &origin,
        places: &found.places,
        values: &found.values,
        reviews: &found.reviews,
        mistakes: &found.mistakes,
        stopped: stop.is_set().then(|| read.game.moves().len()),
    };
    // First, because the reader of stdout may be gone.
    if let Some(draft) = output {
        finish(draft, &page(&report).map_err(Failure::input)?, stop.is_set())?;
    }
    write_json(&mut json, &report)?;
    let mut out = json.out();
    print(&mut out, &report)?;
    out.flush()?;
    if stop.is_set() { Ok(interrupt::code()) } else { json.close() }
}

/// The requested game. All games of the file are counted, also those that cannot be read.
fn read(arguments: &Arguments) -> Result<ReadGame, Failure> {
    let path = arguments.pgn.display();
    let AnnotatedGames { games, skipped, corrected } = pgn::read_annotated(&arguments.pgn).map_err(Failure::input)?;
    let refuse = |message: String| Err(Failure::Input(miette!("{message}")));
    let good = games.len();
    let mut all: Vec<Result<ReadGame, GameError>> = games.into_iter().map(Ok).collect();
    all.extend(skipped.into_iter().map(Err));
    all.sort_by_key(|game| game.as_ref().map_or_else(|error| error.begin, |read| read.line));
    let count = all.len();
    let place = match arguments.game {
        None if good > 1 => {
            return refuse(format!(
                "cannot review `{path}`: it holds {count} games; choose one of them with --game 1 to --game {count}"
            ));
        }
        None => all.iter().position(Result::is_ok).unwrap_or(0),
        Some(number) if number > count => {
            return refuse(format!(
                "cannot find game {number}: `{path}` holds {}; give another --game",
                words::several(count as u64, "game")
            ));
        }
        Some(number) => number - 1,
    };
    corrected.iter().for_each(|correction| say!("warning: {correction}"));
    let chosen = all.remove(place);
    all.iter().filter_map(|game| game.as_ref().err()).for_each(|error| say!("warning: {error}"));
    match chosen {
        Err(error) => refuse(error.to_string()),
        Ok(read) if read.game.moves().is_empty() => refuse(format!(
            "cannot review the game at {path}:{}: it has no moves; choose another one with --game",
            read.line
        )),
        Ok(read) => Ok(read),
    }
}

/// Expected score of the side: the probability to win plus half of that to draw, by the model of `UCI_ShowWDL`.
fn expect(score: Score, board: &Board) -> f64 {
    const WHOLE: f64 = 1000.0;
    let wdl = Wdl::of(score, phase(board));
    (f64::from(wdl.win) + f64::from(wdl.draw) / 2.0) / WHOLE
}

/// The results of a review.
struct ReviewResults {
    places: Vec<Game>,
    values: Vec<PositionValue>,
    reviews: Vec<MoveReview>,
    mistakes: Vec<AnalysedMistake>,
}

/// The settings that all searches of a review share.
struct ReviewRun<'a> {
    common: &'a Common,
    arguments: &'a Arguments,
    settings: &'a ReviewSettings<'a>,
    control: &'a Control,
}

impl ReviewRun<'_> {
    /// Searches every position, reviews every move and analyses the worst moves. After a stop: as far as it came.
    fn all(&self, game: &Game) -> Result<ReviewResults, Failure> {
        let mut places = review::positions(game);
        let bar = progress::bar(self.common, places.len(), "positions");
        let search_position = |place: &Game| {
            let value = review::search_position(place, self.settings, self.settings.limits.clone(), self.control);
            bar.inc(1);
            value
        };
        let values = places.par_iter().map(search_position).collect::<Result<Vec<_>, _>>().map_err(Failure::input)?;
        bar.finish_and_clear();
        let values: Vec<PositionValue> = values.into_iter().take_while(|value| value.whole).collect();
        places.truncate(values.len().max(1));
        let mut reviews = review::review_moves(&places, &values, &expect);
        let mistakes = self.mistakes(&places, &values, &reviews)?;
        for AnalysedMistake { place, insight } in &mistakes {
            reviews[*place].doubted = !sentences::is_confirmed(&reviews[*place], insight);
        }
        Ok(ReviewResults { places, values, reviews, mistakes })
    }

    /// Analyses the moves that lost most.
    fn mistakes(
        &self,
        places: &[Game],
        values: &[PositionValue],
        reviews: &[MoveReview],
    ) -> Result<Vec<AnalysedMistake>, Failure> {
        const PERCENT: f64 = 100.0;
        let least = f64::from(self.arguments.least) / PERCENT;
        let is_mistake = |review: &&MoveReview| {
            let turn = places[review.ply].position().turn();
            review.lost >= least && self.arguments.side.is_none_or(|side| side.is(turn))
        };
        let chosen: Vec<&MoveReview> = reviews.iter().filter(is_mistake).collect();
        let bar = progress::bar(self.common, chosen.len(), "mistakes");
        let analyse = |review: &&MoveReview| -> Result<Option<AnalysedMistake>, review::ReviewError> {
            let (place, best) = (&places[review.ply], values[review.ply].score);
            let found = review::analyse_mistake(place, review.mv, best, self.settings, &expect, self.control)?;
            bar.inc(1);
            Ok(found.map(|insight| AnalysedMistake { place: review.ply, insight }))
        };
        let analysed = chosen.par_iter().map(analyse).collect::<Result<Vec<_>, _>>().map_err(Failure::input)?;
        bar.finish_and_clear();
        Ok(analysed.into_iter().flatten().collect())
    }
}

fn title(read: &ReadGame) -> String {
    let tag = |name: &str| read.tag(name).filter(|text| !text.is_empty() && *text != "?");
    let result = tag("Result").filter(|result| *result != "*").map_or(String::new(), |result| format!(", {result}"));
    let event = tag("Event").map_or(String::new(), |event| format!(" ({event})"));
    clean(&format!("{} - {}{result}{event}", tag("White").unwrap_or("White"), tag("Black").unwrap_or("Black")))
}

fn origin(found: &ReviewResults, settings: &ReviewSettings<'_>) -> Vec<String> {
    let searched_nodes: u64 = found.values.iter().map(|value| value.nodes).sum();
    let limit = match (settings.limits.nodes, settings.limits.depth) {
        (Some(nodes), Some(depth)) => format!("{} nodes or depth {depth}", grouped(nodes)),
        (Some(nodes), None) => format!("{} nodes", grouped(nodes)),
        (None, depth) => format!("depth {}", depth.unwrap_or(0)),
    };
    let depths = || found.values.iter().map(PositionValue::depth).filter(|&depth| depth > 0);
    let (least, most) = (depths().min().unwrap_or(0), depths().max().unwrap_or(0));
    let positions = words::several(found.values.len() as u64, "position");
    vec![
        format!(
            "{positions} searched with {limit} each (depth {least} to {most}, {} nodes in all), profile {}, quarterply {}.",
            grouped(searched_nodes),
            settings.profile,
            env!("CARGO_PKG_VERSION")
        ),
        "Values are in pawns for the side that made the move. The expected score is the probability of a win plus half of that of a draw, from the win-draw-loss model of UCI_ShowWDL for the value and the pieces on the board.".to_owned(),
    ]
}

fn print(out: &mut dyn Write, report: &ReviewReport<'_>) -> Result<(), Failure> {
    writeln!(out, "{}\n", report.title)?;
    for line in graph(report) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    paragraph(out, &sentences::verdict(report))?;
    let mut listing =
        Listing::new(&["move", "best move", "value before", "value after", "lost", "depth", "grade"], 2..6);
    let faults: Vec<&MoveReview> = report.reviews.iter().filter(|review| !review.verdict().is_empty()).collect();
    for review in &faults {
        let place = &report.places[review.ply];
        listing.add_row([
            sentences::numbered(place, review.mv),
            review.best.map_or("-".to_owned(), |best| san_line(place, &[best])),
            words::score(review.before),
            words::score(review.after),
            sentences::percent_lost(review.lost),
            report.values[review.ply].depth().to_string(),
            review.verdict().to_owned(),
        ]);
    }
    if !faults.is_empty() {
        writeln!(out, "\n{listing}")?;
    }
    for AnalysedMistake { place, insight } in report.mistakes {
        writeln!(out)?;
        mistake(out, report, &report.reviews[*place], insight)?;
    }
    writeln!(out)?;
    for line in report.origin {
        paragraph(out, line)?;
    }
    Ok(())
}

fn mistake(
    out: &mut dyn Write,
    report: &ReviewReport<'_>,
    review: &MoveReview,
    insight: &MistakeAnalysis,
) -> Result<(), Failure> {
    let place = &report.places[review.ply];
    let favoured = report.values[review.ply].favoured(review.mv);
    paragraph(out, &sentences::loss(place, review))?;
    for sentence in sentences::why(place, review, insight, favoured) {
        paragraph(out, &sentence)?;
    }
    let runs = insight.alone.iterations.chunk_by(|one, next| one.score == next.score);
    let values = runs.map(|run| {
        let [first, last] = [&run[0], &run[run.len() - 1]];
        let depths =
            if run.len() == 1 { first.depth.to_string() } else { format!("{} to {}", first.depth, last.depth) };
        format!("{depths}: {}", words::score(first.score))
    });
    paragraph(out, &format!("Value of the move alone, by depth: {}.", values.collect::<Vec<_>>().join(", ")))?;
    Ok(())
}

/// Rows of the graph, its columns at most, and those before it.
const ROWS: usize = 8;
const COLUMNS: usize = 96;
const LABELS: usize = 6;

/// White's expected score after each move, as columns of `#`; long games have a column for several moves.
fn graph(report: &ReviewReport<'_>) -> Vec<String> {
    let points = expectations(report);
    let room = terminal_width().map_or(COLUMNS, |width| width.saturating_sub(LABELS).clamp(1, COLUMNS));
    let step = points.len().div_ceil(room).max(1);
    let heights: Vec<f64> = points.iter().step_by(step).map(|(_, white)| white * ROWS as f64).collect();
    let row = |row: usize| {
        let label = match row {
            ROWS => "100 %",
            row if row == ROWS / 2 => " 50 %",
            1 => "White",
            _ => "",
        };
        let filled = heights.iter().map(|&height| if height + 0.5 >= row as f64 { '#' } else { '.' });
        format!("{label:>5} {}", filled.collect::<String>())
    };
    (1..=ROWS).rev().map(row).collect()
}

fn write_json(json: &mut JsonLines, report: &ReviewReport<'_>) -> Result<(), Failure> {
    for review in report.reviews {
        let place = &report.places[review.ply];
        let mistake = report.mistakes.iter().find(|mistake| mistake.place == review.ply);
        json.write(&line(report, place, review, mistake))?;
    }
    json.write(&json!({
        "summary": true, "title": report.title, "origin": report.origin, "moves": report.reviews.len(),
        "stopped": report.stopped.is_some(),
    }))?;
    Ok(())
}

fn line(report: &ReviewReport<'_>, place: &Game, review: &MoveReview, mistake: Option<&AnalysedMistake>) -> Value {
    let uci = |mv: quarterply_engine::shakmaty::Move| mv.to_uci(place.castling_mode()).to_string();
    let value = &report.values[review.ply];
    let insight = mistake.map(|AnalysedMistake { insight, .. }| {
        let trials = insight.missed.iter().flat_map(|missed| &missed.trials);
        json!({
            "confirmed": sentences::is_confirmed(review, insight), "turn": insight.turn, "middle": insight.middle.0,
            "values": insight.alone.iterations.iter().map(|seen| (seen.depth, seen.score.0)).collect::<Vec<_>>(),
            "refutation": insight.alone.line.iter().map(|&mv| uci(mv)).collect::<Vec<_>>(),
            "sentence": sentences::why(place, review, insight, value.favoured(review.mv)),
            "without": trials.map(|trial| json!({
                "rule": trial.without.name(), "turn": trial.turn, "depth": trial.depth, "finished": trial.finished,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "ply": review.ply + 1, "fen": place.fen(), "move": uci(review.mv), "best": review.best.map(uci), "depth": value.depth(),
        "before": review.before.0, "after": review.after.0, "expected_before": review.expected[0], "expected_after": review.expected[1],
        "lost": review.lost, "grade": review.grade().name(), "looked": insight,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_those_of_the_curve() {
        let board = Game::new().position().board().clone();
        assert_eq!(expect(Score(0), &board), 0.5);
        assert_eq!(expect(Score::mate_in(quarterply_engine::score::Ply(1)), &board), 1.0);
        let (better, worse) = (expect(Score(150), &board), expect(Score(-150), &board));
        assert!(better > 0.6 && (better + worse - 1.0).abs() < 1e-9, "{better} {worse}");
    }
}
