//! Two searches side by side as a page.

use super::align::{Aligned, AlignedRow, AlignedSide};
use super::divergence::Divergence;
pub use crate::view::search::SearchSummary;
use crate::words;
use maud::{Markup, PreEscaped, html};
use quarterply_engine::words::grouped;
use quarterply_files::pages::document;

/// Causes and moves of the root that are listed.
const LISTED: usize = 40;

/// The page: totals, why the trees differ, the first node where they do, and both trees line by line.
pub fn page(fen: &str, depth: &str, sides: &[SearchSummary; 2], aligned: &Aligned) -> String {
    let comparison = &aligned.comparison;
    let body = html! {
        style { (PreEscaped(STYLE)) }
        p .kind { "Two searches of one position" }
        h1 { (sides[0].label) " and " (sides[1].label) }
        p .wrapped { code { (fen) } }
        div .scroll tabindex="0" { table .totals {
            thead { tr { th { "search" } th { "searched with" } th { "outcome" } th { "nodes" } } }
            tbody { @for (letter, side) in ["A", "B"].into_iter().zip(sides) {
                tr { th scope="row" { (letter) } td { (side.label) } td { (side.outcome()) } td { (grouped(side.nodes)) } }
            } }
        } }
        p { (parting(depth, &aligned.divergence)) }
        @if !comparison.causes.is_empty() {
            h2 { "Why they differ" }
            p .note {
                "Iteration " (depth) ", the last that both finished. Both trees agree at "
                (words::several(comparison.common, "node")) ". Each cause is in one search only, or in both with different amounts."
            }
            div .scroll tabindex="0" { table {
                thead { tr { th { "cause" } th { "times" } th { "nodes A" } th { "nodes B" } } }
                tbody { @for (cause, amount) in comparison.causes.iter().take(LISTED) {
                    tr { td { (cause.words()) } td { (grouped(amount.times)) } td { (grouped(amount.nodes[0])) } td { (grouped(amount.nodes[1])) } }
                } }
            } }
        }
        h2 { "Line by line" }
        p .note {
            "Each row is a line of moves with its results in both searches; small subtrees are counted together. \
             A bar marks differences, a frame marks the first node where the searches differ. Values are in \
             pawns for the side that moved."
        }
        div .scroll tabindex="0" { table .aligned {
            thead { tr {
                th { "line" } th { "value A" } th { "depth A" } th { "nodes A" }
                th { "value B" } th { "depth B" } th { "nodes B" }
            } }
            tbody { @for row in &aligned.rows { (line(row)) } }
        } }
    };
    document(&format!("{} and {}", sides[0].label, sides[1].label), &body)
}

/// The place of the first difference, in a sentence.
fn parting(depth: &str, divergence: &Divergence) -> Markup {
    html! {
        @match divergence.line().as_deref() {
            Some(line @ [_, ..]) => { "The trees first differ after " a href="#first" { b { (line.join(" ")) } } "." }
            _ => (divergence.sentence(depth)),
        }
    }
}

fn line(row: &AlignedRow) -> Markup {
    let mut class = if row.differs { "differs" } else { "same" }.to_owned();
    if row.first {
        class += " first";
    }
    html! {
        tr class=(class) id=[row.first.then_some("first")] {
            th scope="row" style=(format!("padding-left:{}px", INDENT * row.level + INDENT)) {
                (row.name)
                @if row.first { " " span .badge { "first difference" } }
            }
            @for side in &row.sides { (cells(side.as_ref())) }
        }
    }
}

/// Indentation of each ply (pixels).
const INDENT: usize = 14;

fn cells(side: Option<&AlignedSide>) -> Markup {
    html! {
        @match side {
            None => td .none colspan="3" { "not reached" },
            Some(side) => {
                td { (side.value) @if !side.notes.is_empty() { small { (side.notes.join("; ")) } } }
                td { @if let Some(depth) = side.depth { (words::plies(depth)) } }
                td { (grouped(side.nodes)) }
            }
        }
    }
}

const STYLE: &str = "\
.wrapped { overflow-wrap: anywhere; }
.aligned th[scope=row] { text-align: left; font-weight: 600; white-space: nowrap; }
.aligned td { text-align: right; vertical-align: top; }
.aligned td small { display: block; max-width: 30ch; margin-left: auto; white-space: normal; }
main { max-width: 84rem; }
.aligned .none { text-align: center; }
.aligned tr.differs > th { border-left: 4px solid #d55e00; }
.aligned tr.same > th { border-left: 4px solid transparent; }
.aligned tr.first { outline: 2px solid #d55e00; outline-offset: -2px; }
.aligned .badge { font-size: .75em; border: 1px solid currentColor; border-radius: 5px; padding: 0 6px; }
.totals td, .totals th { text-align: left; } .totals td:last-child, .totals th:last-child { text-align: right; }";
