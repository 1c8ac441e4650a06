//! The page: one file with its style, its script and, unless it is served, its data.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::session::SearchBody;
use crate::view::{View, pack};

/// Maximum number of nodes of one page file, which then has about five megabytes. A search of 100 000 moves, the default of
/// `window search`, records up to some thousand nodes more: the roots and the separate searches of rules.
pub const NODES_MAX: usize = 120_000;

/// The page with places marked `{{name}}`.
const FRAME: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/style.css");
const PIECES: &str = include_str!("page/pieces.svg");

/// The texts of the parts of the script with these names.
macro_rules! scripts {
    ($($name:literal)+) => { &[$(include_str!(concat!("page/js/", $name, ".js"))),+] };
}

/// The script in the order in which its parts are needed.
const SCRIPT: &[&str] = scripts! {
    "words" "cards" "source" "remote" "engine" "chess" "rules" "answer" "whynot"
    "colours" "board" "overview" "marks" "tree" "pictures" "asking" "panel" "player"
    "legend" "live" "compare" "models" "stage" "open" "share" "main"
};

/// The script of the worker of a page with its own engine.
const WORKER: &str = concat!(include_str!("page/engine/module.js"), include_str!("page/engine/worker.js"));

/// The script with which the web site works without a network: the name of its file, and its text.
pub const OFFLINE: (&str, &str) = ("offline.js", include_str!("page/engine/offline.js"));

/// The effort of compressing the engine, of 10: a page is made once and loaded often.
const EFFORT: u8 = 9;

/// Sources that the Content-Security-Policy of a page allows; all other sites are excluded.
struct Policy {
    script: &'static str,
    connect: &'static str,
    worker: &'static str,
}

/// A page without a server, which shows its own data only.
const CLOSED: Policy = Policy { script: "'unsafe-inline'", connect: "'none'", worker: "'none'" };
/// A page that asks its server.
#[cfg(not(target_arch = "wasm32"))]
const SERVED: Policy = Policy { connect: "'self'", ..CLOSED };
/// A page with its engine in a worker, which is a blob.
const LIVE: Policy = Policy { script: "'unsafe-inline' 'wasm-unsafe-eval'", connect: "'none'", worker: "blob:" };
/// The same with the engine in separate files of the same folder.
const SITE: Policy = Policy { connect: "'self'", worker: "'self' blob:", ..LIVE };

/// The glossary of the documentation; the page shows the meanings of these terms as tooltips, since it may be read without a network.
const GLOSSARY: &str = include_str!("../../../docs/glossary.md");
const TERMS: &[&str] = &[
    "all node",
    "beta cutoff",
    "cost of a move",
    "cut node",
    "depth budget",
    "fail high, fail low",
    "ply",
    "principal variation",
    "quiescence search",
    "static evaluation",
    "transposition table",
    "window",
];

/// The meanings of [`TERMS`].
fn glossary() -> BTreeMap<&'static str, &'static str> {
    let cells = |line: &'static str| line.strip_prefix("| ")?.split_once(" | ");
    let rows = GLOSSARY.lines().filter_map(cells).filter(|(term, _)| TERMS.contains(term));
    rows.map(|(term, rest)| (term, rest.split(" | ").next().unwrap_or(rest))).collect()
}

/// The page with a tree inside: it needs no server and no network.
pub fn page(view: &View) -> String {
    let title = if view.about.title.is_empty() { "search" } else { view.about.title.as_str() };
    let setting = json!({"mode": "file", "about": view.about});
    frame(title, &CLOSED, setting, &PageParts { data: &STANDARD.encode(pack(view)), ..PageParts::default() })
}

/// The first tree of a page with its own engine.
pub enum FirstTree<'a> {
    /// A recorded search: the bytes of its file.
    Trace(&'a [u8]),
    /// A search that the page makes itself.
    Request(&'a SearchBody),
}

/// The page with an engine inside, which searches without a server: `module` is the WebAssembly module of crate `web`, with SIMD.
pub fn live_page(title: &str, first: &FirstTree<'_>, module: &[u8]) -> String {
    let module = STANDARD.encode(miniz_oxide::deflate::compress_to_vec_zlib(module, EFFORT));
    let (data, request) = match first {
        FirstTree::Trace(bytes) => (STANDARD.encode(bytes), None),
        FirstTree::Request(request) => (String::new(), Some(request)),
    };
    let parts = PageParts { data: &data, worker: WORKER, module: &module };
    frame(title, &LIVE, json!({"mode": "engine", "request": request}), &parts)
}

/// The page of a web site: the engine is in two files of the same folder, `simd` and `scalar`.
pub fn site_page(simd: &str, scalar: &str) -> String {
    let setting = json!({"mode": "engine", "modules": {"simd": simd, "scalar": scalar}, "tutorial": "tutorial.html", "glossaryPage": "glossary.html", "offline": OFFLINE.0});
    frame("search", &SITE, setting, &PageParts { worker: WORKER, ..PageParts::default() })
}

/// The page that asks a server for its tree; `key` opens the server's requests that change something.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn served_page(key: &str) -> String {
    frame("search", &SERVED, json!({"mode": "served", "key": key, "tutorial": "/tutorial"}), &PageParts::default())
}

/// Data inside a page.
#[derive(Default)]
struct PageParts<'a> {
    /// The tree: its columns, or a trace; in Base64.
    data: &'a str,
    /// The script of the worker.
    worker: &'a str,
    /// The engine, compressed and in Base64.
    module: &'a str,
}

fn frame(title: &str, policy: &Policy, mut setting: Value, parts: &PageParts<'_>) -> String {
    setting["glossary"] = json!(glossary());
    // In JSON, `<` occurs only in strings, where its escaped form is equivalent and cannot end the script element.
    let setting = setting.to_string().replace('<', "\\u003c");
    let script = SCRIPT.concat();
    fill(FRAME, |name| match name {
        "title" => escaped(title).into(),
        "scripts" => policy.script.into(),
        "fetching" => policy.connect.into(),
        "workers" => policy.worker.into(),
        "icon" => quarterply_files::pages::ICON.into(),
        "style" => STYLE.into(),
        "pieces" => PIECES.into(),
        "setting" => setting.as_str().into(),
        "data" => parts.data.into(),
        "worker" => parts.worker.into(),
        "module" => parts.module.into(),
        "script" => script.as_str().into(),
        _ => "".into(),
    })
}

/// Replaces every `{{name}}` of a frame. Inserted text is not searched for names.
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

/// A text whose special characters are escaped for HTML and XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{TreeInfo, TreeRow, ViewBuilder};

    #[test]
    fn hostile_titles_stay_text() {
        let title = "</script><script>alert(1)</script>{{data}}".to_owned();
        let mut builder = ViewBuilder::new(TreeInfo { title, ..TreeInfo::search(String::new()) });
        builder.push(TreeRow::default(), &[]);
        let page = page(&builder.finish());
        assert!(!page.contains("<script>alert"));
        assert!(page.contains("&lt;/script&gt;"));
        assert!(page.contains("connect-src 'none'"));
    }

    #[test]
    fn every_term_of_the_page_has_its_meaning_in_the_glossary() {
        assert_eq!(glossary().into_keys().collect::<Vec<_>>(), TERMS);
        assert_eq!(glossary()["ply"], "one move of one side; distance from the root");
        let script = SCRIPT.concat();
        assert!(TERMS.iter().all(|term| script.contains(&format!("\"{term}\""))), "a term is not used");
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        let page = served_page("key");
        for sign in ["src=\"http", "href=\"http", "@import", "url(http", "import("] {
            assert!(!page.contains(sign), "{sign}");
        }
    }
}
