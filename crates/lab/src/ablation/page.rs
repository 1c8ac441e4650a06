//! An ablation as a page with plots, and as a table of commas.

use super::{NONE, SettingWorth};
use maud::{Markup, PreEscaped, html};
use quarterply_engine::words::grouped;
use quarterply_pages::plot::{Interval, PlotError, forest, themed};
use quarterply_pages::{document, report};
use quarterply_stats::Pentanomial;
use quarterply_work::workers::{self, WorkerShare};
use std::fmt::Write;

/// What a page says besides its figures.
#[derive(Clone, Debug)]
pub struct PageInfo {
    /// The heading.
    pub title: String,
    /// Conditions: suite, limits, profile, program.
    pub conditions: Vec<String>,
    /// The command that made it.
    pub command: String,
    /// What was done to each rule.
    pub mode: String,
    /// The remote workers.
    pub workers: Vec<WorkerShare>,
}

/// The page.
///
/// # Errors
/// A plot cannot be drawn.
pub fn page(about: &PageInfo, worths: &[SettingWorth]) -> Result<String, PlotError> {
    let nodes = intervals(worths, |w| w.at_nodes.as_ref().map(|at| ([at.ratio_low, at.ratio, at.ratio_high], false)));
    let depth = intervals(worths, |w| w.at_depth.as_ref().map(|at| ([at.ratio_low, at.ratio, at.ratio_high], false)));
    let few = |pairs: [u64; 5]| !Pentanomial::new(pairs).is_conclusive();
    let elo = intervals(worths, |w| w.games.as_ref().map(|g| ([g.elo_low, g.elo, g.elo_high], few(g.pairs))));
    let ratio = |value: f64| format!("x{value:.2}");
    let body = html! {
        h1 { (about.title) }
        p { (about.conditions.join("; ")) "." }
        p { code { (about.command) } }
        (section("Nodes to the solution", "Right of the dashed line the change makes solutions dearer.", nodes, 1.0, "ratio", ratio)?)
        (section("Nodes at fixed depth", "Right of the dashed line the change makes the tree larger.", depth, 1.0, "ratio", ratio)?)
        (section("Games", "Left of the dashed line the change loses games.", elo, 0.0, "Elo", |value| format!("{value:+.0}"))?)
        h2 { "Figures" }
        @for table in &tables(&about.mode, worths) { (shown(table)) }
        @if !about.workers.is_empty() { (shown(&worker_table(&about.workers))) }
    };
    Ok(document(&about.title, &body))
}

/// Sorted by value; nothing where nothing was measured.
fn intervals(worths: &[SettingWorth], of: impl Fn(&SettingWorth) -> Option<([f64; 3], bool)>) -> Vec<Interval> {
    let interval = |worth: &SettingWorth| {
        let ([low, value, high], few) = of(worth)?;
        let name = format!("{} {}", worth.rule, state(worth));
        Some(Interval { name, low, value, high, few })
    };
    let mut list: Vec<Interval> = worths.iter().filter(|worth| worth.rule != NONE).filter_map(interval).collect();
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
        p { (reading) " Marks are values, lines their 95 % intervals; grey may be nothing, or has fewer than 20 pairs of games." }
        figure { (PreEscaped(plot)) }
    })
}

fn state(worth: &SettingWorth) -> &'static str {
    match worth.rule.as_str() {
        NONE => "",
        tried if tried.contains('=') => "",
        _ if worth.on => "on",
        _ => "off",
    }
}

/// A column of a table and what each worth has there.
type Column = (&'static str, fn(&SettingWorth) -> Option<String>);

/// What was measured, and its columns; narrow enough for terminals.
const TABLES: [(&str, &[Column]); 4] = [
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
    (
        "In the same games",
        &[
            ("games", |w| Some(w.games.as_ref()?.games.to_string())),
            ("Elo", |w| Some(format!("{:+.1}", w.games.as_ref()?.elo))),
            ("95 %", |w| w.games.as_ref().map(|g| format!("{:+.1}..{:+.1}", g.elo_low, g.elo_high))),
            ("likely", |w| Some(format!("{:+.1}", w.games.as_ref()?.elo_likely?))),
        ],
    ),
    (
        "In games",
        &[
            ("games", |w| Some(w.games.as_ref().filter(|g| g.elo_likely.is_none())?.games.to_string())),
            ("Elo", |w| Some(format!("{:+.1}", w.games.as_ref()?.elo))),
            ("95 %", |w| w.games.as_ref().map(|g| format!("{:+.1}..{:+.1}", g.elo_low, g.elo_high))),
        ],
    ),
];

/// A table of what was measured in one way.
pub struct AblationTable {
    /// What was measured.
    pub title: &'static str,
    /// The headings.
    pub heads: Vec<String>,
    /// A row for each setting.
    pub rows: Vec<Vec<String>>,
}

/// The tables of these settings: one for each way in which something was measured.
pub fn tables(mode: &str, worths: &[SettingWorth]) -> Vec<AblationTable> {
    let table = |(title, columns): (&'static str, &[Column])| {
        let heads = std::iter::once(format!("rule {mode}")).chain(columns.iter().map(|(name, _)| (*name).to_owned()));
        let row = |worth: &SettingWorth| {
            let values: Option<Vec<String>> = columns.iter().map(|(_, of)| of(worth)).collect();
            let name = format!("{} {}", worth.rule, state(worth)).trim_end().to_owned();
            Some(std::iter::once(name).chain(values?).collect())
        };
        let rows: Vec<Vec<String>> = worths.iter().filter_map(row).collect();
        (!rows.is_empty()).then(|| AblationTable { title, heads: heads.collect(), rows })
    };
    TABLES.into_iter().filter_map(table).collect()
}

fn worker_table(shares: &[WorkerShare]) -> AblationTable {
    let heads = workers::WORKER_COLUMNS.map(str::to_owned).to_vec();
    AblationTable { title: "Workers", heads, rows: workers::rows(shares) }
}

fn shown(table: &AblationTable) -> Markup {
    html! {
        h3 { (table.title) }
        (report::table(&table.heads, &table.rows))
    }
}

/// A cell with commas or quotes in it (RFC 4180).
fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

/// All figures with commas between them, for spreadsheets: empty where nothing was measured.
pub fn commas(worths: &[SettingWorth]) -> String {
    let mut text = String::from(
        "rule,on,solved,newly_solved,newly_lost,nodes_stable_total,ratio,ratio_low,ratio_high,\
         depth,depth_solved,depth_nodes_total,depth_ratio,depth_ratio_low,depth_ratio_high,games,game_nodes,elo,elo_low,elo_high,elo_likely\n",
    );
    for worth in worths {
        let nodes = worth.at_nodes.as_ref().map_or_else(
            || ",".repeat(6),
            |at| {
                let counts = [at.solved, at.newly_solved, at.newly_lost, at.nodes_stable_total];
                join(&counts.map(|count| count.to_string()), &[at.ratio, at.ratio_low, at.ratio_high])
            },
        );
        let depth = worth.at_depth.as_ref().map_or_else(
            || ",".repeat(5),
            |at| {
                let counts = [u64::from(at.depth), at.solved, at.nodes_total];
                join(&counts.map(|count| count.to_string()), &[at.ratio, at.ratio_low, at.ratio_high])
            },
        );
        let games = worth.games.as_ref().map_or_else(
            || ",".repeat(5),
            |g| {
                let counts = [g.games, g.nodes].map(|count| count.to_string());
                let likely = g.elo_likely.map(|likely| format!("{likely:.4}")).unwrap_or_default();
                join(&counts, &[g.elo, g.elo_low, g.elo_high]) + "," + &likely
            },
        );
        let rule = if worth.rule.contains([',', '"']) { quoted(&worth.rule) } else { worth.rule.clone() };
        let _ = writeln!(text, "{rule},{},{nodes},{depth},{games}", u8::from(worth.on));
    }
    text
}

fn join(counts: &[String], values: &[f64]) -> String {
    let values = values.iter().map(|value| format!("{value:.4}"));
    counts.iter().cloned().chain(values).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::{AtDepth, AtNodes, InGames};
    use super::*;
    use quarterply_work::WorkerCard;

    fn worths() -> Vec<SettingWorth> {
        let at_nodes = |ratio: f64| AtNodes {
            solved: 9,
            ratio,
            ratio_low: ratio - 0.1,
            ratio_high: ratio + 0.1,
            ..AtNodes::default()
        };
        let usual = SettingWorth { rule: NONE.to_owned(), at_nodes: Some(at_nodes(1.0)), ..SettingWorth::default() };
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
            games: Some(games),
            ..SettingWorth::default()
        };
        vec![usual, one]
    }

    fn worker() -> WorkerCard {
        let [name, program, processor] = ["<far>", "quarterply 1", "a fast one"].map(str::to_owned);
        WorkerCard { name, program, processor, speed: 400_000, workers: 2 }
    }

    fn about() -> PageInfo {
        PageInfo {
            title: "Ablation of <default>".to_owned(),
            conditions: vec!["ECM".to_owned()],
            command: "quarterply ablate".to_owned(),
            mode: "turned over".to_owned(),
            workers: vec![WorkerShare { card: worker(), tasks: 31, seconds: 77.4 }],
        }
    }

    #[test]
    fn the_page_shows_what_was_measured_and_escapes_names() {
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
    fn there_is_a_table_for_what_was_measured_and_it_fits_a_terminal() {
        const TERMINAL: usize = 80;
        const BORDERS: usize = 2;
        let mut worths = worths();
        worths[1].rule = "quiescence.evasions_limited".to_owned();
        let tables = tables("turned over", &worths);
        assert_eq!(
            tables.iter().map(|table| table.title).collect::<Vec<_>>(),
            ["On the suite at fixed nodes", "In games"]
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
    fn every_line_of_commas_has_all_columns() {
        let mut worths = worths();
        worths.push(SettingWorth {
            rule: "x".to_owned(),
            on: true,
            at_depth: Some(AtDepth::default()),
            ..SettingWorth::default()
        });
        let text = commas(&worths);
        let counts: Vec<usize> = text.lines().map(|line| line.matches(',').count()).collect();
        assert_eq!(counts, [20; 4], "{text}");
        assert!(text.contains("razoring,0,9,0,0,0,1.2000,"), "{text}");
    }
}
