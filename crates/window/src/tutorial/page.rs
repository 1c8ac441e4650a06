//! The chapters as one page, in which every tree can be walked through.

use super::{CHAPTERS, ChapterPart, Depths, END, ExampleSearch, FigureTable, SearchPlace, TutorialError, is_words};
use crate::view::View;
use crate::{Model, html as live, picture, text, words};
use maud::{Markup, PreEscaped, html};
use quarterply_engine::position::Game;
use quarterply_engine::score::Score;
use quarterply_engine::shakmaty::Color;
use quarterply_files::pages::{document_that_loads, document_with_frames};

/// The most nodes of a tree on the page: its file stays small, and the trees of the chapters have less.
const NODES_MAX: usize = 4000;
const TITLE: &str = "How a program chooses a move";

/// The place of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageLocation {
    /// In a file.
    File,
    /// On the local server, which can search its positions.
    Server,
    /// In the folder of a web site, next to a page that can.
    Site,
}

impl PageLocation {
    /// The address of the page that searches.
    fn window(self) -> Option<&'static str> {
        match self {
            PageLocation::File => None,
            PageLocation::Server => Some("/"),
            PageLocation::Site => Some("index.html"),
        }
    }
}

/// Makes the page. On a server it has the first chapter only, and requests each other one when that comes into sight.
pub fn page(depths: Depths, home: PageLocation) -> Result<String, TutorialError> {
    let on_demand = home == PageLocation::Server;
    let mut parts = Vec::new();
    for number in 1..=CHAPTERS.len() {
        parts.push(if on_demand && number > 1 { waiting(number) } else { written(number, depths, home)? });
    }
    let body = html! {
        (picture::shapes())
        style { (PreEscaped(STYLE)) }
        p .kind { "Quarterply" }
        h1 { (TITLE) }
        p { "All trees and numbers on this page come from searches made together with the page, except Elo from games. "
            "To step through a tree, choose a row or play the search event by event. In the trees of real searches, drag "
            "a piece to ask why that move was not played." }
        nav aria-label="Chapters" { ol {
            @for (number, (title, _)) in (1..).zip(CHAPTERS) { li { a href=(format!("#{}", anchor(number))) { (title) } } }
        } }
        @for part in parts { (part) }
        (end())
        @if on_demand { script type="module" { (PreEscaped(LOADING)) } }
    };
    Ok(if on_demand { document_that_loads(TITLE, &body) } else { document_with_frames(TITLE, &body) })
}

/// One chapter of a page: its number is from 1 to [`COUNT`](super::COUNT).
///
/// # Errors
/// [`TutorialError`].
///
/// # Panics
/// If there is no chapter with this number.
pub fn chapter_part(number: usize, depths: Depths, home: PageLocation) -> Result<String, TutorialError> {
    Ok(written(number, depths, home)?.into_string())
}

fn anchor(number: usize) -> String {
    format!("chapter-{number}")
}

fn heading(number: usize) -> Markup {
    html! { h2 id=(anchor(number)) { (number) ". " (CHAPTERS[number - 1].0) } }
}

/// Placeholder of a chapter that is not made yet.
fn waiting(number: usize) -> Markup {
    html! { section .waiting data-chapter=(number) { (heading(number)) p { "Searching …" } } }
}

fn written(number: usize, depths: Depths, home: PageLocation) -> Result<Markup, TutorialError> {
    let (_, make) = CHAPTERS[number - 1];
    let mut blocks = Vec::new();
    for (place, block) in SearchPlace::each(number, &make(depths)?) {
        blocks.push(match block {
            ChapterPart::Text(text) => paragraphs(text),
            ChapterPart::Board(game) => board(game),
            ChapterPart::Tree(model) => tree(model),
            ChapterPart::Scan(model) => html! { pre { (text::scan(&model.run())) } },
            ChapterPart::FigureTable(table) => rows(table),
            ChapterPart::Search(searched) => walk(searched, place, home)?,
        });
    }
    Ok(html! {
        section {
            (heading(number))
            @for block in blocks { (block) }
        }
    })
}

fn paragraphs(text: &str) -> Markup {
    html! { @for paragraph in text.split("\n\n") { p { (paragraph.replace('\n', " ")) } } }
}

fn board(game: &Game) -> Markup {
    let side = crate::words::side(game.position().turn());
    html! { figure .small {
        (picture::board(game.position(), Color::White, &[], &format!("{side} to move: {}", game.fen())))
        figcaption { (side) " to move" }
    } }
}

/// A model to walk through, and its diagram.
fn tree(model: &Model) -> Markup {
    let run = model.run();
    let title = model.title.clone().or_else(|| model.name.clone()).unwrap_or_else(|| "A tree".to_owned());
    html! {
        (frame(&title, &live::page(&View::of_model(&run))))
        details { summary { "The tree as a diagram" } pre { (text::diagram(&run)) } }
    }
}

fn rows(table: &FigureTable) -> Markup {
    html! { div .scroll tabindex="0" { table {
        thead { tr { @for name in &table.head { th .words[is_words(name)] { (name) } } } }
        tbody { @for row in &table.rows { tr {
            @for (column, cell) in row.iter().enumerate() {
                @if column == 0 { th scope="row" { (cell) } }
                @else { td .words[is_words(table.head[column])] { (cell) } }
            }
        } } }
    } } }
}

/// A search of the engine to walk through.
fn walk(searched: &ExampleSearch, place: SearchPlace, home: PageLocation) -> Result<Markup, TutorialError> {
    let view = View::of_trace(&searched.record()?, NODES_MAX)?;
    let switches = searched.set.iter().filter_map(|(name, _)| name.strip_suffix(".on"));
    let on: String = switches.map(|name| format!(" with {}", name.replace('_', " "))).collect();
    let (nodes, value) = (words::several(view.about.nodes, "node"), words::score(Score(view.about.value)));
    let title = format!("Profile {}{on}, depth {}: {nodes}, value {value}", searched.profile, searched.depth);
    Ok(html! {
        (frame(&title, &live::page(&view)))
        details { summary { "Search this position yourself" }
            @if let Some(window) = home.window() {
                @let fen = searched.game.fen().replace(' ', "%20").replace('/', "%2F");
                p {
                    a href=(format!("{window}?fen={fen}")) { "Open this position" }
                    " and search it with any profile and any rule on or off, or use the command:"
                }
            } @else {
                p {
                    "The page of " code { "quarterply window serve" }
                    " searches it with any profile and any rule on or off. Or use the command:"
                }
            }
            pre { (searched.command(place)) }
        }
    })
}

/// A page inside the page.
fn frame(title: &str, page: &str) -> Markup {
    html! { figure .live {
        iframe title=(title) srcdoc=(page) loading="lazy" {}
        figcaption { (title) }
    } }
}

fn end() -> Markup {
    let (head, list) = END.trim().split_once("\n\n").unwrap_or(("", END));
    html! {
        h2 { (head.lines().next().unwrap_or_default()) }
        pre { (list) }
    }
}

/// The script that requests chapters from a server.
const LOADING: &str = include_str!("../page/tutorial.js");

const STYLE: &str = "\
.waiting { min-height: 100vh; }
nav ol { columns: 2; column-gap: 3rem; max-width: 54rem; }
@media (max-width: 44rem) { nav ol { columns: 1; } }
a { color: inherit; }
main { max-width: 86rem; }
.small { max-width: 20rem; }
.live { margin: 1.2rem 0; }
.live iframe { width: 100%; height: min(46rem, 90vh); border: 1px solid var(--grid); border-radius: 10px; background: var(--panel); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
td.words, th.words { text-align: left; white-space: normal; min-width: 16rem; }";
