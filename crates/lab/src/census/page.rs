//! The figures as one self-contained page.

use super::{Census, Class, DEEP, DEPTHS, facts, tables};
use maud::html;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use quarterply_files::pages::number::{Scale, decimal};
use quarterply_files::pages::plot::{
    Axes, GRID, PlotError, Points, QUIET, SERIES, TEXT, TEXT_HEIGHT, WIDTH, anchored, columns, curves, on_paper,
    range_of,
};
use quarterply_files::pages::{document, report};
use quarterply_stats::wilson;

/// Depths with fewer cutoffs than this are left out of the plot.
const CUTOFFS_MIN: u64 = 30;
/// The target for the share of first moves.
const TARGET: f64 = 0.9;
/// Audits with fewer cases than this have intervals that span the plot.
const AUDITS_MIN: u64 = 20;
const PERCENT: f64 = 100.0;

/// A page with tables and plots; `conditions` are the positions and the limits of the search.
pub fn page(census: &Census, conditions: &[(&str, String)]) -> Result<String, PlotError> {
    let tables = tables(census);
    let body = html! {
        p .kind { "What the search does" }
        h1 { "Statistics of the search" }
        (report::facts(conditions.iter().cloned().chain(facts(census))))
        @for table in &tables {
            h2 { (table.title) }
            @if let Some(svg) = figure(census, table.title)? { (report::figure(&svg, "")) }
            (report::table(&table.header, &table.rows))
            p .note { (table.note) }
        }
    };
    Ok(document("Statistics of the search", &body))
}

/// The plot of a table, if it has one.
fn figure(census: &Census, title: &str) -> Result<Option<String>, PlotError> {
    Ok(match title {
        "Cutoffs by the first move searched" => Some(first_moves(census)?),
        "Which move cuts" => Some(numbers(census)?),
        "Branching factor by iteration" => Some(branching(census)?),
        "Where lines end" => Some(leaves(census)?),
        "Would it have mattered?" => audits(census)?,
        _ => None,
    })
}

fn first_moves(census: &Census) -> Result<String, PlotError> {
    let points = |class: Class| -> Points {
        let shares = (1..DEPTHS).map(|depth| (depth, census.cutoffs(class, [depth])));
        let known = shares.filter(|(_, cutoffs)| cutoffs.count >= CUTOFFS_MIN);
        known.filter_map(|(depth, cutoffs)| Some((depth as f64, cutoffs.first_share()?))).collect()
    };
    let lines = [
        ("cut nodes", points(Class::Cut)),
        ("all nodes", points(Class::All)),
        ("principal variation", points(Class::Pv)),
    ];
    let axes = Axes {
        x: 1.0..lines.iter().flat_map(|(_, points)| points).map(|(x, _)| *x).fold(DEEP as f64, f64::max),
        y: 0.0..1.0,
        x_scale: Scale::WHOLE,
        y_scale: Scale::PERCENT,
        x_name: "depth (plies)",
        y_name: "cutoffs by the first move",
    };
    curves("Cutoffs by the first move, by depth", &axes, &lines, Some(("target", TARGET)))
}

fn branching(census: &Census) -> Result<String, PlotError> {
    let known = || census.iterations.iter().enumerate().filter(|(_, it)| census.is_common(it));
    let sums: Points = known().filter_map(|(depth, it)| Some((depth as f64, it.factor()?))).collect();
    let means: Points = known().filter_map(|(depth, it)| Some((depth as f64, it.mean()?))).collect();
    let all = || sums.iter().chain(&means);
    let axes = Axes {
        x: range_of(all().map(|(x, _)| *x)),
        y: 0.0..range_of(all().map(|(_, y)| *y)).end,
        x_scale: Scale::WHOLE,
        y_scale: Scale::ONES,
        x_name: "iteration",
        y_name: "nodes divided by those of the iteration before",
    };
    curves("Branching factor by iteration", &axes, &[("of the sums", sums), ("geometric mean", means)], None)
}

fn numbers(census: &Census) -> Result<String, PlotError> {
    let x_name = "number of the move that cuts, at cut nodes (the last column: all later ones)";
    let counts = &census.all_cutoffs(Class::Cut).by_number;
    columns("Cutoffs at cut nodes by the number of the move", [x_name, "cutoffs"], [0.5, 1.0], counts)
}

fn leaves(census: &Census) -> Result<String, PlotError> {
    let (_, last) = census.leaf_plies();
    columns("Leaves by ply", ["distance from the root (plies)", "leaves"], [-0.5, 1.0], &census.leaves[..=last])
}

/// Shares that mattered, with their intervals; `None` where too little was audited.
fn audits(census: &Census) -> Result<Option<String>, PlotError> {
    const ROW: i32 = 24;
    const LEFT: i32 = 250;
    const RIGHT: i32 = 70;
    const TOP: i32 = 10;
    const RADIUS: u32 = 4;
    let enough = census.all_audits().filter(|(_, _, audits)| audits.audited >= AUDITS_MIN);
    let found: Vec<_> = enough
        .map(|(kind, rule, audits)| {
            (format!("{}: {}", kind.name(), rule.name()), wilson(audits.mattered, audits.audited))
        })
        .collect();
    if found.is_empty() {
        return Ok(None);
    }
    let most = found.iter().map(|(_, estimate)| estimate.high).fold(f64::MIN_POSITIVE, f64::max);
    let height = TOP * 2 + ROW * found.len() as i32;
    let x = |share: f64| LEFT + (share / most * f64::from(WIDTH as i32 - LEFT - RIGHT)) as i32;
    let svg = on_paper((WIDTH, height as u32), "Share that mattered, by rule", |area| {
        area.draw(&PathElement::new(vec![(x(0.0), 0), (x(0.0), height)], GRID.rgb))?;
        for (index, (name, estimate)) in found.iter().enumerate() {
            let y = TOP + ROW * index as i32 + ROW / 2;
            let label = anchored(&TEXT, TEXT_HEIGHT, HPos::Right, VPos::Center);
            area.draw(&Text::new(name.clone(), (LEFT - TOP, y), label))?;
            area.draw(&PathElement::new(
                vec![(x(estimate.low), y), (x(estimate.high), y)],
                SERIES[0].rgb.stroke_width(2),
            ))?;
            area.draw(&Circle::new((x(estimate.value), y), RADIUS, SERIES[0].rgb.filled()))?;
            let text = format!("{} %", decimal(estimate.value * PERCENT, 1));
            area.draw(&Text::new(
                text,
                (x(estimate.high) + TOP, y),
                anchored(&QUIET, TEXT_HEIGHT, HPos::Left, VPos::Center),
            ))?;
        }
        Ok(())
    })?;
    Ok(Some(svg))
}
