//! `quarterply window site`: the window as a web site that needs no server.

use std::path::PathBuf;
use std::process::ExitCode;

use maud::{PreEscaped, html};
use miette::miette;
use pulldown_cmark::{Options, Parser};
use quarterply_engine::params::Parameters;
use quarterply_engine::rules::worth::Worths;
use quarterply_files::params::{self, Selection};
use quarterply_pages::document;
use quarterply_window::html::{OFFLINE, site_page};
use quarterply_window::tutorial::{self, Depths, Home};

use super::module::{SCALAR, SIMD};
use crate::common::Common;
use crate::export::{NO_INPUT, create, write_whole};
use crate::failure::{Done, Failure};

/// Where to write.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Folder of the site; it must contain the WebAssembly modules of the engine.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes the pages beside the modules.
pub fn run(common: &Common, arguments: &Arguments) -> Done {
    let folder = &arguments.folder;
    for name in [SIMD, SCALAR] {
        if !folder.join(name).is_file() {
            let path = folder.join(name);
            return Err(Failure::Input(miette!(
                "cannot write the site: {} is missing; `make web` builds it",
                path.display()
            )));
        }
    }
    let tutorial = tutorial::page(Depths::default(), Home::Site).map_err(Failure::input)?;
    let (offline, script) = OFFLINE;
    for (name, text) in [
        ("index.html", site_page(SIMD, SCALAR)),
        ("tutorial.html", tutorial),
        ("rules.html", rules()?),
        (offline, script.to_owned()),
    ] {
        let path = folder.join(name);
        write_whole(create(common, &path, NO_INPUT)?, &path, &text)?;
    }
    if !common.quiet {
        say!(
            "open {} through a web server, for example `python3 -m http.server --directory {}`",
            folder.join("index.html").display(),
            folder.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What follows from the meaning of the columns: names on one line, the last column is text.
const STYLE: &str = "td:first-child { white-space: nowrap; } td:last-child, th:last-child { text-align: left; white-space: normal; min-width: 16rem; } \
                     nav { columns: 10rem; } nav a { display: block; color: inherit; }";

/// All rules and parameters as a page with a list of contents.
fn rules() -> Result<String, Failure> {
    const HEADING: &str = "## ";
    let selection = Selection::new(Parameters::default(), &[])
        .map_err(|name| Failure::Run(miette!("`{name}` is not a parameter")))?;
    let text = params::markdown(&selection, Worths::builtin());
    let name = |line: &str| line.strip_prefix(HEADING).map(|title| title.trim_matches('`').to_owned());
    let anchored = |line: &str| name(line).map_or(line.to_owned(), |name| format!("{line} {{#{name}}}"));
    let lines: Vec<String> = text.lines().map(anchored).collect();
    let mut body = String::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    pulldown_cmark::html::push_html(&mut body, Parser::new_ext(&lines.join("\n"), options));
    Ok(document(
        "Rules and parameters",
        &html! {
            style { (PreEscaped(STYLE)) }
            p { a href="index.html" { "Search with these rules" } }
            nav aria-label="Contents" { @for name in text.lines().filter_map(name) { a href=(format!("#{name}")) { (name) } } }
            (PreEscaped(body))
        },
    ))
}
