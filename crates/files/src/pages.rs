//! Reports as pages of HTML and plots as SVG that need nothing else: no script, no network. In WebAssembly there are no reports and plots.
//!
//! - [`document`] is the frame and the style of every page;
//! - [`report`] are the parts that all reports are made of; [`plot`] draws, [`number`] writes numbers as people read them.

pub mod number;
#[cfg(not(target_arch = "wasm32"))]
pub mod plot;
#[cfg(not(target_arch = "wasm32"))]
pub mod report;

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("pages/page.css");

/// Nothing is fetched or run, so unescaped text of engines and files does no harm.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Policy of a page that embeds our pages with scripts; embedded pages inherit it and restrict it further.
const POLICY_WITH_FRAMES: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The icon of every page, inside the page; without it a browser requests one from the server. The slashes of its namespace are encoded, so
/// that tests can search a page for addresses.
pub const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http:%2F%2Fwww.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b6e69' d='M0 0h16v4H0z'/%3E%3Cpath fill='%23d55e00' d='M0 5h9v4H0z'/%3E%3Cpath fill='%2356b4e9' d='M10 5h6v4h-6z'/%3E%3Cpath fill='%23009e73' d='M0 10h4v4H0z'/%3E%3Cpath fill='%23cc79a7' d='M5 10h4v4H5z'/%3E%3C/svg%3E";

/// A page of HTML with the style of all reports.
pub fn document(title: &str, body: &Markup) -> String {
    framed(title, body, POLICY)
}

/// The same for a body with frames whose pages, given in their `srcdoc`, have scripts. Text from outside must be escaped.
pub fn document_with_frames(title: &str, body: &Markup) -> String {
    framed(title, body, POLICY_WITH_FRAMES)
}

/// The same for a body whose script asks its server for parts of the page.
pub fn document_that_loads(title: &str, body: &Markup) -> String {
    framed(title, body, &format!("{POLICY_WITH_FRAMES}; connect-src 'self'"))
}

fn framed(title: &str, body: &Markup, policy: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                link rel="icon" href=(PreEscaped(ICON));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string()
}
