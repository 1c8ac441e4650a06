//! `quarterply window site`: the window as a web site that needs no server.

use std::path::PathBuf;

use maud::{PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::worth::Worths;
use quarterply_files::pages::document;
use quarterply_files::params::{self, ParameterList};
use quarterply_window::html::{OFFLINE, site_page};
use quarterply_window::tutorial::{self, Depths, PageLocation};
use serde_json::json;

use super::module::{SCALAR, SIMD};
use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT, create};
use crate::failure::{CommandResult, Failure};

const GLOSSARY: &str = include_str!("../../../../../docs/glossary.md");
/// Pages of the documentation that the site has.
const PAGES: [&str; 2] = ["rules", "glossary"];

/// Where to write.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Folder of the site; it must contain the WebAssembly modules of the engine.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes the pages next to the modules.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters("the pages of a site set the parameters")?;
    let folder = &arguments.folder;
    for name in [SIMD, SCALAR] {
        if !folder.join(name).is_file() {
            let path = folder.join(name);
            refuse!("cannot write the site: {} is missing; `make web` builds it", path.display());
        }
    }
    let tutorial = tutorial::page(Depths::default(), PageLocation::Site).map_err(Failure::input)?;
    let (offline, script) = OFFLINE;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    for (name, text) in [
        ("index.html", site_page(SIMD, SCALAR)),
        ("tutorial.html", tutorial),
        ("rules.html", page_of("Rules and parameters", &rules()?)),
        ("glossary.html", page_of("Glossary", GLOSSARY)),
        (offline, script.to_owned()),
    ] {
        let path = folder.join(name);
        create(common, &path, NO_INPUT)?.finish(text)?;
        json.write(&json!({"page": path}))?;
    }
    if !common.quiet {
        say!(
            "open {} through a web server, for example `python3 -m http.server --directory {}`",
            folder.join("index.html").display(),
            folder.display()
        );
    }
    json.close()
}

/// The manual of the window, which is the first page of the site.
const WINDOW: &str = "window-page";

/// Columns of names are not wrapped; the last column is text.
const STYLE: &str = "td:first-child { white-space: nowrap; } td, th { text-align: left; } \
                     td:last-child, td:nth-last-child(2):nth-child(2) { white-space: normal; min-width: 16rem; } a { color: inherit; }";

/// All rules and parameters as Markdown.
fn rules() -> Result<String, Failure> {
    let list = ParameterList::new(Parameters::default(), &[]).map_err(Failure::run)?;
    Ok(params::markdown(&list, Worths::builtin()))
}

/// A page of the documentation as a page of the site: links to pages of the site stay, other pages are only named.
fn page_of(title: &str, markdown: &str) -> String {
    const HEADING: &str = "## ";
    let anchored = |line: &str| match line.strip_prefix(HEADING) {
        Some(name) => format!("{line} {{#{}}}", name.trim_matches('`')),
        None => line.to_owned(),
    };
    let lines: Vec<String> = markdown.lines().map(anchored).collect();
    let text = lines.join("\n");
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut body = String::new();
    pulldown_cmark::html::push_html(&mut body, Parser::new_ext(&text, options).filter_map(linked()));
    document(
        title,
        &html! {
            style { (PreEscaped(STYLE)) }
            p { a href="index.html" { "Search a position" } " · " a href="tutorial.html" { "Tutorial" } " · " a href="rules.html" { "Rules" } " · " a href="glossary.html" { "Glossary" } }
            (PreEscaped(body))
        },
    )
}

/// Turns links to Markdown files into links to pages of the site, and drops those to files that it does not have.
fn linked<'a>() -> impl FnMut(Event<'a>) -> Option<Event<'a>> {
    let mut is_dropped = false;
    move |event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let page = dest_url.strip_suffix(".md").map(|name| match name {
                WINDOW => Some(&"index"),
                name => PAGES.iter().find(|page| **page == name),
            });
            is_dropped = page == Some(None);
            let dest_url = page.flatten().map_or(dest_url, |name| format!("{name}.html").into());
            (!is_dropped).then_some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) if std::mem::take(&mut is_dropped) => None,
        event => Some(event),
    }
}
