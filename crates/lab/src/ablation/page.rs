//! An ablation as a page with plots, and as CSV.

use super::{InGames, NO_RULE, SettingWorth, WorthChange};
use maud::{Markup, PreEscaped, html};
use quarterply_engine::words::grouped;
use quarterply_files::pages::plot::{Cross, Interval, PlotError, crosses, forest, themed};
use quarterply_files::pages::{document, report};
use quarterply_stats::Pentanomial;
use quarterply_work::workers::{self, WorkerShare};
use std::fmt::Write;

/// The text of a page around its figures.
#[derive(Clone, Debug)]
pub struct PageInfo {
    /// The heading.
    pub title: String,
    /// Conditions: suite, limits, profile, program.
    pub conditions: Vec<String>,
    /// The command that made it.
    pub command: String,
    /// The method of the figures of games; empty without games.
    pub method: String,
    /// The heading of the first column ([`Mode::row`](super::Mode::row)).
    pub row: String,
    /// The remote workers.
    pub workers: Vec<WorkerShare>,
}

/// The page.
pub fn page(about: &PageInfo, worths: &[SettingWorth]) -> Result<String, PlotError> {
    let nodes = intervals(worths, |w| w.at_nodes.as_ref().map(|at| ([at.ratio_low, at.ratio, at.ratio_high], false)));
    let depth = intervals(worths, |w| w.at_depth.as_ref().map(|at| ([at.ratio_low, at.ratio, at.ratio_high], false)));
    let ratio = |value: f64| format!("x{value:.2}");
    let body = html! {
        h1 { (about.title) }
        p { (about.conditions.join("; ")) "." }
        @if !about.method.is_empty() { p { (about.method) " All rows play the same openings." } }
        p { code { (about.command) } }
        (section("Nodes to the solution", "Right of the dashed line the change makes solutions cost more nodes.", nodes, 1.0, "ratio", ratio)?)
        (section("Nodes at fixed depth", "Right of the dashed line the change makes the tree larger.", depth, 1.0, "ratio", ratio)?)
        @for nodes in limits(worths) { (games_section(worths, nodes)?) }
        (change_section(worths)?)
        h2 { "Figures" }
        @for table in suite_tables(&about.row, worths) { (shown(&table)) }
        @for nodes in limits(worths) { (shown(&games_table(&about.row, worths, nodes, true))) }
        @if worths.iter().flat_map(|worth| &worth.games).any(|games| games.significant.is_some()) { p { (READING) } }
        @if let Some(table) = change_table(&about.row, worths) { (shown(&table)) }
        @if !about.workers.is_empty() {
            h3 { "Workers" }
            (report::table(workers::WORKER_COLUMNS, workers::rows(&about.workers)))
        }
    };
    Ok(document(&about.title, &body))
}

/// The meaning of the columns of games.
const READING: &str = "Elo is that of the change. `Yes` means that it differs from 0 when all rows of games are considered together \
    (Holm's method). The last column is the Elo of a row minus that of the row above, with a 95 % interval that uses the openings both \
    played; about one of twenty such intervals does not contain the true difference.";

/// The limits of the moves at which games were played, as nodes; 0 means a clock.
pub(super) fn limits(worths: &[SettingWorth]) -> impl Iterator<Item = u64> + use<> {
    let mut found: Vec<u64> = Vec::new();
    for games in worths.iter().flat_map(|worth| &worth.games) {
        if !found.contains(&games.nodes) {
            found.push(games.nodes);
        }
    }
    found.into_iter()
}

/// A limit in words.
pub(super) fn limit_in_words(nodes: u64) -> String {
    if nodes == 0 { "by the clock".to_owned() } else { format!("at {} nodes a move", grouped(nodes)) }
}

fn games_section(worths: &[SettingWorth], nodes: u64) -> Result<Markup, PlotError> {
    let few = |games: &InGames| !Pentanomial::new(games.pairs).is_conclusive();
    let elo = intervals(worths, |w| w.at(nodes).map(|g| ([g.elo_low, g.elo, g.elo_high], few(g))));
    let heading = format!("Games {}", limit_in_words(nodes));
    section(&heading, "Left of the dashed line the change loses games.", elo, 0.0, "Elo", |value| {
        format!("{value:+.0}")
    })
}

/// The probability that an interval does not contain 0 by chance alone.
const BY_CHANCE: f64 = 1.0 - quarterply_stats::CONFIDENCE;

/// The plot of the worths of rules at the last limit against those at the first; nothing if there is only one.
fn change_section(worths: &[SettingWorth]) -> Result<Markup, PlotError> {
    let Some((first, last)) = first_and_last_limit(worths) else { return Ok(html! {}) };
    let points: Vec<Cross> = worths.iter().filter_map(|worth| cross(worth, first, last)).collect();
    let [x_name, y_name] = [first, last].map(|nodes| format!("worth of the rule {} (Elo)", limit_in_words(nodes)));
    let title = format!("Worth of rules {} and {}", limit_in_words(first), limit_in_words(last));
    let plot = themed(&crosses(&title, &points, &x_name, &y_name)?);
    let chance = points.len() as f64 * BY_CHANCE;
    Ok(html! {
        h2 { "Which rules gain with nodes" }
        p {
            "The worth of a rule is Elo with it minus Elo without it. Above the dashed line it is worth more " (limit_in_words(last)) " than "
            (limit_in_words(first)) ". Coloured and named: the 95 % interval of the difference, from shared openings, does not contain 0; of "
            (points.len()) " rules, chance alone names about " (format!("{chance:.1}")) "."
        }
        figure { (PreEscaped(plot)) }
        p { (gain_in_words(worths).unwrap_or_default()) }
    })
}

/// The first and the last number of nodes, if they differ.
pub(super) fn first_and_last_limit(worths: &[SettingWorth]) -> Option<(u64, u64)> {
    let all: Vec<u64> = limits(worths).filter(|nodes| *nodes != 0).collect();
    let (first, last) = (*all.first()?, *all.last()?);
    (first != last).then_some((first, last))
}

fn cross(worth: &SettingWorth, first: u64, last: u64) -> Option<Cross> {
    let sides = |games: &InGames| match worth.on {
        true => [games.elo_low, games.elo, games.elo_high],
        false => [-games.elo_high, -games.elo, -games.elo_low],
    };
    let (x, y) = (sides(worth.at(first)?), sides(worth.at(last)?));
    Some(Cross { name: worth.rule.clone(), x, y, change: gain(worth) })
}

/// 1 if the rule is worth more at the last limit than at the first beyond chance, -1 if it is worth less, 0 if it may be chance.
fn gain(worth: &SettingWorth) -> i8 {
    let sign = if worth.on { 1 } else { -1 };
    match worth.change {
        Some(WorthChange { elo_low, .. }) if elo_low > 0.0 => sign,
        Some(WorthChange { elo_high, .. }) if elo_high < 0.0 => -sign,
        _ => 0,
    }
}

/// The rules that gain and those that lose from the first limit to the last; `None` if there is only one.
pub(super) fn gain_in_words(worths: &[SettingWorth]) -> Option<String> {
    let (first, last) = first_and_last_limit(worths)?;
    let named = |change: i8| {
        let names: Vec<&str> = worths.iter().filter(|w| gain(w) == change).map(|w| w.rule.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let [first, last] = [first, last].map(limit_in_words);
    Some(format!("Worth more {last} than {first}: {}. Worth less: {}.", named(1), named(-1)))
}

/// Sorted by value; nothing where nothing was measured.
fn intervals(worths: &[SettingWorth], of: impl Fn(&SettingWorth) -> Option<([f64; 3], bool)>) -> Vec<Interval> {
    let interval = |worth: &SettingWorth| {
        let ([low, value, high], few) = of(worth)?;
        let name = format!("{} {}", worth.rule, state(worth));
        Some(Interval { name, low, value, high, few })
    };
    let mut list: Vec<Interval> = worths.iter().filter(|worth| worth.rule != NO_RULE).filter_map(interval).collect();
    list.sort_by(|a, b| b.value.total_cmp(&a.value));
    list
}

fn section(
    heading: &str,
    reading: &str,
    rows: Vec<Interval>,
    neutral: f64,
    name: &str,
    written: impl Fn(f64) -> String,
) -> Result<Markup, PlotError> {
    if rows.is_empty() {
        return Ok(html! {});
    }
    let plot = themed(&forest(heading, &rows, neutral, name, written)?);
    Ok(html! {
        h2 { (heading) }
        p { (reading) " Marks are values, lines their 95 % intervals. Grey: the interval contains the dashed line, or there are fewer than 20 pairs of games." }
        figure { (PreEscaped(plot)) }
    })
}

fn state(worth: &SettingWorth) -> &'static str {
    match worth.rule.as_str() {
        NO_RULE => "",
        // A value that is tried, or a step of a number.
        tried if tried.contains('=') || tried.contains("..") => "",
        _ if worth.on => "on",
        _ => "off",
    }
}

/// A column of a table and what each worth has there.
type Column = (&'static str, fn(&SettingWorth) -> Option<String>);

/// The measurements on the suite, and their columns; narrow enough for terminals.
const SUITE_TABLES: [(&str, &[Column]); 2] = [
    (
        "On the suite at fixed nodes",
        &[
            ("solved", |w| Some(w.at_nodes.as_ref()?.solved.to_string())),
            ("changed", |w| w.at_nodes.as_ref().map(|at| format!("+{} -{}", at.newly_solved, at.newly_lost))),
            ("stable", |w| Some(grouped(w.at_nodes.as_ref()?.nodes_stable_total))),
            ("ratio", |w| Some(format!("{:.3}", w.at_nodes.as_ref()?.ratio))),
            ("95 %", |w| w.at_nodes.as_ref().map(|at| format!("{:.2}..{:.2}", at.ratio_low, at.ratio_high))),
        ],
    ),
    (
        "On the suite at fixed depth",
        &[
            ("solved", |w| Some(w.at_depth.as_ref()?.solved.to_string())),
            ("nodes", |w| Some(grouped(w.at_depth.as_ref()?.nodes_total))),
            ("ratio", |w| Some(format!("{:.3}", w.at_depth.as_ref()?.ratio))),
            ("95 %", |w| w.at_depth.as_ref().map(|at| format!("{:.2}..{:.2}", at.ratio_low, at.ratio_high))),
        ],
    ),
];

/// A table of the results of one kind of measurement.
pub struct AblationTable {
    /// The kind of measurement.
    pub title: String,
    /// The headings.
    pub heads: Vec<String>,
    /// A row for each setting.
    pub rows: Vec<Vec<String>>,
}

/// The tables of these settings: one for each kind of measurement.
pub fn tables(head: &str, worths: &[SettingWorth]) -> Vec<AblationTable> {
    let games = limits(worths).map(|nodes| games_table(head, worths, nodes, false));
    suite_tables(head, worths).into_iter().chain(games).chain(change_table(head, worths)).collect()
}

fn suite_tables(head: &str, worths: &[SettingWorth]) -> Vec<AblationTable> {
    let table = |(title, columns): (&str, &[Column])| {
        let heads = std::iter::once(head.to_owned()).chain(columns.iter().map(|(name, _)| (*name).to_owned()));
        let row = |worth: &SettingWorth| {
            let values: Option<Vec<String>> = columns.iter().map(|(_, of)| of(worth)).collect();
            Some(std::iter::once(named(worth)).chain(values?).collect())
        };
        let rows: Vec<Vec<String>> = worths.iter().filter_map(row).collect();
        (!rows.is_empty()).then(|| AblationTable { title: title.to_owned(), heads: heads.collect(), rows })
    };
    SUITE_TABLES.into_iter().filter_map(table).collect()
}

/// The games at a limit; by Elo and with the distances of neighbours if it is `sorted`.
fn games_table(head: &str, worths: &[SettingWorth], nodes: u64, sorted: bool) -> AblationTable {
    let mut rows: Vec<(&SettingWorth, &InGames)> =
        worths.iter().filter_map(|worth| worth.at(nodes).map(|games| (worth, games))).collect();
    if sorted {
        rows.sort_by(|(_, a), (_, b)| b.elo.total_cmp(&a.elo));
    }
    let together = rows.iter().any(|(_, games)| games.elo_shrunken.is_some());
    let columns = |games: &InGames| {
        let last = match games.elo_shrunken {
            Some(shrunken) => format!("{shrunken:+.1}"),
            None => if games.significant == Some(true) { "yes" } else { "" }.to_owned(),
        };
        let elo = (format!("{:+.1}", games.elo), format!("{:+.1}..{:+.1}", games.elo_low, games.elo_high));
        let behind = (sorted && !together).then(|| games.behind.map(change_in_words).unwrap_or_default());
        [games.games.to_string(), elo.0, elo.1, last].into_iter().chain(behind).collect::<Vec<String>>()
    };
    let mut heads = vec![head.to_owned(), "games".to_owned(), "Elo".to_owned(), "95 %".to_owned()];
    heads.push(if together { "shrunken" } else { "differs" }.to_owned());
    heads.extend((sorted && !together).then(|| "minus the row above".to_owned()));
    let rows = rows.into_iter().map(|(worth, games)| std::iter::once(named(worth)).chain(columns(games)).collect());
    let games = if together { "In the same games" } else { "In games" };
    AblationTable { title: format!("{games} {}", limit_in_words(nodes)), heads, rows: rows.collect() }
}

/// The difference of Elo between the last limit and the first.
fn change_table(head: &str, worths: &[SettingWorth]) -> Option<AblationTable> {
    let (first, last) = first_and_last_limit(worths)?;
    let row = |worth: &SettingWorth| {
        let change = worth.change?;
        let interval = format!("{:+.1}..{:+.1}", change.elo_low, change.elo_high);
        Some(vec![named(worth), format!("{:+.1}", change.elo), interval])
    };
    let heads = vec![head.to_owned(), "Elo".to_owned(), "95 %".to_owned()];
    let title = format!("{} minus {}", limit_in_words(last), limit_in_words(first));
    let title = title.replacen("at ", "At ", 1);
    Some(AblationTable { title, heads, rows: worths.iter().filter_map(row).collect() })
}

fn change_in_words(change: WorthChange) -> String {
    format!("{:+.1} ({:+.1}..{:+.1})", change.elo, change.elo_low, change.elo_high)
}

fn named(worth: &SettingWorth) -> String {
    format!("{} {}", worth.rule, state(worth)).trim_end().to_owned()
}

fn shown(table: &AblationTable) -> Markup {
    html! {
        h3 { (table.title) }
        (report::table(&table.heads, &table.rows))
    }
}

/// A cell; in quotes if it contains commas or quotes (RFC 4180).
pub(super) fn quoted(cell: &str) -> String {
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// All figures as CSV: a line for each setting and limit of its games, with empty cells where nothing was measured.
pub fn csv(worths: &[SettingWorth]) -> String {
    let mut text = String::from(
        "rule,on,solved,newly_solved,newly_lost,nodes_stable_total,ratio,ratio_low,ratio_high,\
         depth,depth_solved,depth_nodes_total,depth_ratio,depth_ratio_low,depth_ratio_high,games,game_nodes,elo,elo_low,elo_high,elo_shrunken,\
         significant,change,change_low,change_high\n",
    );
    for worth in worths {
        let nodes = cells(worth.at_nodes.as_ref().map(|at| {
            let counts = [at.solved, at.newly_solved, at.newly_lost, at.nodes_stable_total];
            (counts, [at.ratio, at.ratio_low, at.ratio_high])
        }));
        let depth = cells(worth.at_depth.as_ref().map(|at| {
            let counts = [u64::from(at.depth), at.solved, at.nodes_total];
            (counts, [at.ratio, at.ratio_low, at.ratio_high])
        }));
        let change = cells(worth.change.map(|change| ([], [change.elo, change.elo_low, change.elo_high])));
        let rule = quoted(&worth.rule);
        let limits = worth.games.iter().map(games_cells).chain(worth.games.is_empty().then(|| ",".repeat(6)));
        for games in limits {
            let _ = writeln!(text, "{rule},{},{nodes},{depth},{games},{change}", u8::from(worth.on));
        }
    }
    text
}

fn games_cells(games: &InGames) -> String {
    let counts = [games.games, games.nodes];
    let shrunken = games.elo_shrunken.map(|shrunken| format!("{shrunken:.4}")).unwrap_or_default();
    let significant = games.significant.map(|yes| u8::from(yes).to_string()).unwrap_or_default();
    cells(Some((counts, [games.elo, games.elo_low, games.elo_high]))) + "," + &shrunken + "," + &significant
}

/// Counts, a value and the ends of its interval; as many empty cells if there are none.
fn cells<const COUNTS: usize>(found: Option<([u64; COUNTS], [f64; 3])>) -> String {
    let Some((counts, values)) = found else { return ",".repeat(COUNTS + 2) };
    let values = values.iter().map(|value| format!("{value:.4}"));
    counts.iter().map(u64::to_string).chain(values).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::{AtDepth, AtNodes, InGames};
    use super::*;
    use quarterply_work::WorkerIdentity;

    fn worths() -> Vec<SettingWorth> {
        let at_nodes = |ratio: f64| AtNodes {
            solved: 9,
            ratio,
            ratio_low: ratio - 0.1,
            ratio_high: ratio + 0.1,
            ..AtNodes::default()
        };
        let baseline =
            SettingWorth { rule: NO_RULE.to_owned(), at_nodes: Some(at_nodes(1.0)), ..SettingWorth::default() };
        let games = InGames {
            games: 40,
            nodes: 500,
            elo: -12.0,
            elo_low: f64::NEG_INFINITY,
            elo_high: 3.0,
            ..InGames::default()
        };
        let one = SettingWorth {
            rule: "razoring".to_owned(),
            at_nodes: Some(at_nodes(1.2)),
            games: vec![games],
            ..SettingWorth::default()
        };
        vec![baseline, one]
    }

    fn worker() -> WorkerIdentity {
        let [name, program, processor] = ["<far>", "quarterply 1", "a fast one"].map(str::to_owned);
        WorkerIdentity { name, program, processor, speed: 400_000, workers: 2 }
    }

    fn about() -> PageInfo {
        PageInfo {
            title: "Ablation of <default>".to_owned(),
            conditions: vec!["ECM".to_owned()],
            command: "quarterply ablate".to_owned(),
            method: "400 games <each>.".to_owned(),
            row: "switch inverted".to_owned(),
            workers: vec![WorkerShare { identity: worker(), tasks: 31, seconds: 77.4 }],
        }
    }

    #[test]
    fn the_page_shows_measurements_and_escapes_names() {
        let text = page(&about(), &worths()).expect("drawn");
        assert!(text.contains("<td>&lt;far&gt;</td><td>2</td><td>400000</td><td>31</td><td>77</td>"));
        assert!(
            text.contains("Ablation of &lt;default&gt;")
                && text.contains("Nodes to the solution")
                && text.contains("razoring off"),
            "{text}"
        );
        assert!(!text.contains("Nodes at fixed depth"), "it was not measured");
        assert_eq!(text.matches("<svg").count(), 2);
    }

    #[test]
    fn tables_show_measurements_and_fit_a_terminal() {
        const TERMINAL: usize = 80;
        const BORDERS: usize = 2;
        let mut worths = worths();
        worths[1].rule = "quiescence.evasions_limited".to_owned();
        let tables = tables("turned over", &worths);
        assert_eq!(
            tables.iter().map(|table| table.title.as_str()).collect::<Vec<_>>(),
            ["On the suite at fixed nodes", "In games at 500 nodes a move"]
        );
        assert_eq!((tables[0].rows.len(), tables[1].rows.len()), (2, 1), "the profile as it is plays no games");
        for table in &tables {
            let width = |column: usize| {
                let cells = table.rows.iter().map(|row| &row[column]).chain([&table.heads[column]]);
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0) + BORDERS
            };
            let total: usize = (0..table.heads.len()).map(width).sum();
            assert!(total <= TERMINAL && table.rows.iter().all(|row| row.len() == table.heads.len()), "{total}");
        }
    }

    #[test]
    fn every_line_of_csv_has_all_columns() {
        let mut worths = worths();
        worths.push(SettingWorth {
            rule: "x".to_owned(),
            on: true,
            at_depth: Some(AtDepth::default()),
            ..SettingWorth::default()
        });
        let text = csv(&worths);
        let counts: Vec<usize> = text.lines().map(|line| line.matches(',').count()).collect();
        assert_eq!(counts, [24; 4], "{text}");
        assert!(text.contains("razoring,0,9,0,0,0,1.2000,"), "{text}");
    }

    /// A rule that is off and one that is on, at two limits.
    fn at_two_limits() -> Vec<SettingWorth> {
        let games = |nodes: u64, elo: f64, behind: Option<f64>| InGames {
            games: 400,
            nodes,
            pairs: [20, 40, 80, 40, 20],
            elo,
            elo_low: elo - 8.0,
            elo_high: elo + 8.0,
            significant: Some(elo.abs() > 30.0),
            behind: behind.map(|elo| WorthChange { elo, elo_low: elo - 9.0, elo_high: elo + 9.0 }),
            ..InGames::default()
        };
        let setting = |rule: &str, on, games: [InGames; 2]| {
            let elo = games[1].elo - games[0].elo;
            let change = Some(WorthChange { elo, elo_low: elo - 10.0, elo_high: elo + 10.0 });
            SettingWorth { rule: rule.to_owned(), on, games: games.to_vec(), change, ..SettingWorth::default() }
        };
        vec![
            setting("killers", false, [games(2000, -40.0, Some(-45.0)), games(20_000, -10.0, None)]),
            setting("razoring", true, [games(2000, 5.0, None), games(20_000, -20.0, Some(-10.0))]),
            setting("probcut", false, [games(2000, -45.0, Some(-5.0)), games(20_000, -60.0, Some(-40.0))]),
        ]
    }

    #[test]
    fn two_limits_are_compared_in_terms_of_the_rule() {
        let worths = at_two_limits();
        // Without killers, 30 Elo more at 20 000 nodes: the rule is worth less there.
        let words = gain_in_words(&worths).expect("two limits");
        assert_eq!(
            words,
            "Worth more at 20 000 nodes a move than at 2 000 nodes a move: probcut. Worth less: killers, razoring."
        );
        let text = page(&about(), &worths).expect("drawn");
        assert_eq!(text.matches("<svg").count(), 3);
        assert!(text.contains("400 games &lt;each&gt;. All rows play the same openings."), "{text}");
        assert!(text.contains(&words) && text.contains("At 20 000 nodes a move minus at 2 000 nodes a move"));
        let titles: Vec<String> = tables("turned over", &worths).into_iter().map(|table| table.title).collect();
        assert_eq!(titles.len(), 3, "{titles:?}");
        let lines = csv(&worths);
        assert_eq!(lines.lines().count(), 7, "{lines}");
        assert!(
            lines.contains("killers,0,,,,,,,,,,,,,,400,20000,-10.0000,-18.0000,-2.0000,,0,30.0000,20.0000,40.0000")
        );
        assert_eq!(gain_in_words(&worths[..0]), None);
    }

    #[test]
    fn the_page_lists_games_by_worth_with_the_distance_from_the_row_above() {
        let worths = at_two_limits();
        let table = games_table("turned over", &worths, 2000, true);
        let cells = |row: usize| [0, 2, 4, 5].map(|column| table.rows[row][column].clone());
        assert_eq!(cells(0), ["razoring on", "+5.0", "", ""]);
        assert_eq!(cells(1), ["killers off", "-40.0", "yes", "-45.0 (-54.0..-36.0)"]);
        assert_eq!(cells(2), ["probcut off", "-45.0", "yes", "-5.0 (-14.0..+4.0)"]);
        assert_eq!(games_table("turned over", &worths, 2000, false).rows[0].len(), 5);
    }
}
