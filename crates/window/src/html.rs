//! The page: one file with its style, its script and, unless it is served, its data.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::view::{View, pack};

/// Maximum number of nodes of one page file, which then has about five megabytes. A search of 100 000 moves, the default of
/// `window search`, records up to some thousand nodes more: the roots and the separate searches of rules.
pub const NODES_MAX: usize = 120_000;

/// The page with places marked `{{name}}`.
const FRAME: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/style.css");
const PIECES: &str = include_str!("page/pieces.svg");
/// The script in the order in which its parts are needed.
const SCRIPT: &[&str] = &[
    include_str!("page/js/words.js"),
    include_str!("page/js/cards.js"),
    include_str!("page/js/source.js"),
    include_str!("page/js/remote.js"),
    include_str!("page/js/chess.js"),
    include_str!("page/js/rules.js"),
    include_str!("page/js/whynot.js"),
    include_str!("page/js/colours.js"),
    include_str!("page/js/board.js"),
    include_str!("page/js/overview.js"),
    include_str!("page/js/marks.js"),
    include_str!("page/js/tree.js"),
    include_str!("page/js/pictures.js"),
    include_str!("page/js/asking.js"),
    include_str!("page/js/panel.js"),
    include_str!("page/js/player.js"),
    include_str!("page/js/legend.js"),
    include_str!("page/js/live.js"),
    include_str!("page/js/compare.js"),
    include_str!("page/js/models.js"),
    include_str!("page/js/stage.js"),
    include_str!("page/js/main.js"),
];

/// The page with a tree inside: it needs no server and no network.
pub fn page(view: &View) -> String {
    let title = if view.about.title.is_empty() { "search" } else { &view.about.title };
    frame(title, &json!({"mode": "file", "about": view.about}), &STANDARD.encode(pack(view)))
}

/// The page that asks a server for its tree; `key` opens the server's requests that change something.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn served_page(key: &str) -> String {
    frame("search", &json!({"mode": "served", "key": key}), "")
}

fn frame(title: &str, setting: &Value, data: &str) -> String {
    let fetching = if data.is_empty() { "'self'" } else { "'none'" };
    // In JSON, `<` occurs only in strings, where its escaped form is equivalent and cannot end the script element.
    let setting = setting.to_string().replace('<', "\\u003c");
    let script = SCRIPT.concat();
    fill(FRAME, |name| match name {
        "title" => escaped(title).into(),
        "fetching" => fetching.into(),
        "icon" => quarterply_pages::ICON.into(),
        "style" => STYLE.into(),
        "pieces" => PIECES.into(),
        "setting" => setting.as_str().into(),
        "data" => data.into(),
        "script" => script.as_str().into(),
        _ => "".into(),
    })
}

/// Replaces every `{{name}}` of a frame; what is put in is not looked at again.
fn fill<'a>(frame: &str, part: impl Fn(&str) -> Cow<'a, str>) -> String {
    let mut text = String::new();
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        text.push_str(&part(name));
        rest = after;
    }
    text + rest
}

/// A text without the signs that mean something in HTML and XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{About, Builder, Row};

    #[test]
    fn hostile_titles_stay_text() {
        let title = "</script><script>alert(1)</script>{{data}}".to_owned();
        let mut builder = Builder::new(About { title, ..About::search(String::new()) });
        builder.push(Row::default(), &[]);
        let page = page(&builder.finish());
        assert!(!page.contains("<script>alert"));
        assert!(page.contains("&lt;/script&gt;"));
        assert!(page.contains("connect-src 'none'"));
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        let page = served_page("key");
        for sign in ["src=\"http", "href=\"http", "@import", "url(http", "import("] {
            assert!(!page.contains(sign), "{sign}");
        }
    }
}
