//! Pages with their own engine: a web server that knows nothing but files, and what only such pages do.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use quarterply_window::html::{self, FirstTree};
use quarterply_window::session::SearchBody;
use quarterply_window::trace::Trace;
use serde_json::{Value, json};

use crate::chromium::{Chromium, needed};
use crate::common::{README as FEN, view};
use crate::{leave, recording};

/// Names the WebAssembly module of the engine where `make web` has not put it into the usual place.
const MODULE: &str = "QUARTERPLY_WASM";
const BUILT: &str = "../../dist/web/quarterply.wasm";

/// The module, if it was built; a message if not. A failure where pages must be tested.
pub fn module() -> Option<Vec<u8>> {
    needed(MODULE, BUILT, "pages with their own engine are not tested", "`make web` builds it")
}

/// Serves files by name until the tests end; returns the address of the folder.
fn serve_files(files: Vec<(&'static str, &'static str, Vec<u8>)>) -> String {
    let with = |router: Router, (name, kind, body): (&str, &'static str, Vec<u8>)| {
        let answer = move || async move { ([(header::CONTENT_TYPE, kind)], body) };
        router.route(&format!("/{name}"), get(answer))
    };
    let router = files.into_iter().fold(Router::new(), with);
    let (sender, address) = channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            sender.send(listener.local_addr().expect("bound")).expect("somebody waits");
            axum::serve(listener, router).await
        })
    });
    format!("http://{}/", address.recv().expect("a server"))
}

/// The address of a page with its own engine that shows a recorded search; `None` without a module.
pub fn engine_page(trace: &Trace) -> Option<String> {
    let page = html::live_page("search", &FirstTree::Trace(&trace.bytes().expect("in memory")), &module()?);
    Some(serve_files(vec![("", "text/html", page.into_bytes())]))
}

/// The address of the web site, without its other pages.
fn site() -> Option<String> {
    const MODULES: [&str; 2] = ["quarterply.wasm", "quarterply-scalar.wasm"];
    let module = module()?;
    let (offline, script) = html::OFFLINE;
    let page = html::site_page(MODULES[0], MODULES[1]).into_bytes();
    let mut files = vec![("index.html", "text/html", page), (offline, "text/javascript", script.as_bytes().to_vec())];
    files.extend(
        ["tutorial.html", "rules.html", "glossary.html"].map(|name| (name, "text/html", b"another page".to_vec())),
    );
    files.extend(MODULES.map(|name| (name, "application/wasm", module.clone())));
    Some(serve_files(files))
}

/// Once it was opened, the site needs no network.
#[test]
fn the_web_site_works_without_a_network() {
    let (Some(mut browser), Some(site)) = (Chromium::desktop("offline"), site()) else { return };
    browser.open(&format!("{site}index.html"));
    browser.wait("navigator.serviceWorker.controller !== null");
    browser.wait("caches.open('quarterply').then((kept) => kept.match('tutorial.html')).then(Boolean)");
    browser.call("Network.enable", json!({}));
    browser.call(
        "Network.emulateNetworkConditions",
        json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}),
    );
    leave(&mut browser);
    browser.open(&format!("{site}index.html#fen={}&nodes=500", FEN.replace(' ', "%20")));
    browser.wait("quarterply.about.nodes === 500");
    browser.call("Page.navigate", json!({"url": format!("{site}tutorial.html")}));
    browser.wait("document.body?.textContent === 'another page'");
    browser.errors.clear(); // of requests without a network
}

/// A link restores the search and the selected node; one that makes no sense says so, and the page works on.
#[test]
fn links_repeat_a_search_on_the_web_site() {
    let (Some(mut browser), Some(site)) = (Chromium::desktop("site"), site()) else { return };
    let url = format!("{site}index.html");
    let ready = browser.open(&url);
    eprintln!("the first tree of the web site is there after {ready:.2?}");
    browser.wait("quarterply.about.rows > 1000 && !document.getElementById('hints').hidden");
    let request = format!(
        "{{fen: {FEN:?}, moves: [], profile: 'falcon', depth: null, nodes: 3000, until: '', set: [['null_move.on', 0]]}}"
    );
    browser.eval(&format!("quarterply.live.search({request}, () => {{}}).then(() => quarterply.reload())"));
    browser.eval("quarterply.select(77)");
    browser.wait("location.hash.includes('row=77')");
    let link = browser.text("location.href");
    let shown = browser.eval("document.getElementById('headline').textContent");
    for part in ["profile=falcon", "nodes=3000", "set=null_move.on%3D0"] {
        assert!(link.contains(part), "{part}: {link}");
    }
    leave(&mut browser);
    browser.open(&link);
    browser.wait("quarterply.row.id === 77");
    assert_eq!(browser.eval("document.getElementById('headline').textContent"), shown);
    leave(&mut browser);
    browser.open(&format!("{url}#fen=nonsense&nodes=100"));
    browser.wait("document.getElementById('message').textContent.includes('`nonsense` is not a legal position')");
    browser.eval("document.getElementById('live').close()");
    browser.eval("quarterply.opener.position('1. e4 e5 2. Nf3 *')");
    browser.wait("document.querySelector('#live [name=fen]').value.startsWith('rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2')");
}

/// Starts a search that takes many seconds.
const BEGIN: &str = "document.getElementById('new-search').click(); while (!document.getElementById('live').open) await new Promise(requestAnimationFrame); const form = document.querySelector('#live form'); form.fen.value = FEN; form.nodes.value = 2000000; form.depth.value = 60; form.requestSubmit();";
const SEARCHED: u64 = 2_000_000;

pub fn begin_search(browser: &mut Chromium, then: &str) -> Value {
    browser.eval(&format!("(async () => {{ {} {then} }})()", BEGIN.replace("FEN", &format!("{FEN:?}"))))
}

/// A trace and models are opened, and pictures of what is shown are whole files.
#[test]
fn traces_and_models_are_opened_and_pictures_saved() {
    let (Some(mut browser), Some(url)) = (Chromium::desktop("open"), engine_page(&recording(1_000))) else { return };
    browser.open(&url);
    let bytes = recording(2_000).bytes().expect("in memory");
    let drop = |bytes: &[u8]| {
        format!(
            "quarterply.opener.file(new File([Uint8Array.from({})], 'tree.trace')).then(() => '', (error) => error.message)",
            json!(bytes)
        )
    };
    assert_eq!(browser.eval(&drop(&bytes)), "");
    assert_eq!(browser.eval("quarterply.about.nodes"), 2000);
    let newer: Vec<u8> =
        bytes.iter().enumerate().map(|(place, &byte)| if place == 8 { byte + 1 } else { byte }).collect();
    let refusal = browser.text(&drop(&newer));
    assert!(refusal.contains("version"), "{refusal}");
    assert_eq!(browser.eval("quarterply.about.nodes"), 2000, "the tree before is still shown");
    for (kind, sign) in [("board", "<rect"), ("tree", "<svg")] {
        let svg = browser.text(&format!("quarterply.share.pictures.{kind}()"));
        assert!(svg.starts_with("<svg") && svg.contains(sign), "{kind}");
        let size = browser
            .eval(&format!("quarterply.share.pixelsOf(quarterply.share.pictures.{kind}()).then((blob) => blob.size)"));
        assert!(size.as_u64() > Some(2_000), "{kind}: {size}");
    }
    for (name, kind) in [("quiet-pin", "search"), ("order-matters", "model")] {
        browser.click_on("#open-tree");
        browser.wait("document.querySelectorAll('#open option').length > 5");
        browser.eval(&format!("(() => {{ const list = document.querySelector('#open [name=model]'); list.value = {name:?}; list.dispatchEvent(new Event('change')); }})()"));
        browser.wait(&format!("!document.getElementById('open').open && quarterply.about.kind === {kind:?}"));
    }
    // The picture of a diagram brings its colours along.
    let svg = browser.text("quarterply.share.pictures.tree()");
    for rule in ["svg .node rect {", "svg .link {", "svg text {"] {
        assert!(svg.contains(rule), "{rule}");
    }
    // A link could not name this tree: the page does not contain it.
    browser.click_on("#share-tree");
    browser.wait("document.getElementById('share').textContent.includes('There is no link')");
    assert_eq!(browser.eval("document.getElementById('share-link')"), Value::Null);
}

/// In one file: a search that the page repeats, and everything else without any server.
#[test]
fn a_file_with_its_engine_works() {
    let Some(module) = module() else { return };
    let Some(mut browser) = Chromium::desktop("live") else { return };
    let request = SearchBody { fen: FEN.to_owned(), nodes: Some(20_000.into()), ..SearchBody::default() };
    let page = html::live_page("live", &FirstTree::Request(&request), &module);
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    browser.open(&crate::page_file("live", &page));
    let rows = view(&recording(20_000)).rows.len();
    assert_eq!(browser.eval("quarterply.about.rows"), rows, "the tree that the program records");
    crate::check_page(&mut browser);
}

/// Without WebAssembly the page says what is missing and what helps.
#[test]
fn a_browser_without_webassembly_gets_a_message() {
    let (Some(mut browser), Some(url)) = (Chromium::desktop("none"), engine_page(&recording(1_000))) else { return };
    browser.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": "delete globalThis.WebAssembly"}));
    browser.call("Page.navigate", json!({"url": url}));
    browser.wait("document.getElementById('message')?.textContent.includes('this browser has no WebAssembly')");
    browser.errors.clear(); // the reason is also an error in the console
}

/// Tests that take many seconds; `.ci/run` runs them.
mod slow {
    use super::*;

    /// The button reacts at once, and the part that was searched is shown, with a sentence; the page can be used meanwhile. From a web
    /// server and from a file.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_search_in_the_page_is_stopped() {
        let Some(module) = module() else { return };
        let first = recording(1_000).bytes().expect("in memory");
        let page = html::live_page("stop", &FirstTree::Trace(&first), &module);
        let file = crate::page_file("stop", &page);
        for url in [serve_files(vec![("", "text/html", page.into_bytes())]), file] {
            let Some(mut browser) = Chromium::desktop("stop") else { return };
            browser.open(&url);
            begin_search(&mut browser, "");
            browser.wait("/Searching, (0\\.[5-9]|[1-9])/.test(document.getElementById('live-go').textContent)");
            let rows = browser.eval("quarterply.source.matches('')");
            assert_eq!(rows.as_u64(), browser.eval("quarterply.about.rows").as_u64(), "the tree before answers");
            let start = Instant::now();
            let label = browser.eval("(() => { document.getElementById('live-stop').click(); return document.getElementById('live-go').textContent; })()");
            assert_eq!(label, "Stopping", "the button reacts at once");
            browser.wait("!document.getElementById('live').open && !document.getElementById('message').hidden");
            eprintln!("{url}: the tree of the stopped search is there after {:.2?}", start.elapsed());
            let [nodes, depth] =
                ["nodes", "depth"].map(|name| browser.eval(&format!("quarterply.about.{name}")).as_u64().expect(name));
            assert!((1_001..SEARCHED).contains(&nodes) && depth > 1, "{nodes} nodes, depth {depth}");
            let message = browser.text("document.getElementById('message').textContent.replace(/\\u202f/g, '')");
            assert_eq!(
                message,
                format!(
                    "The search was stopped after {nodes} nodes: depth {depth} is complete. This is the tree so far."
                )
            );
            crate::follow(&mut browser, "O-O");
            browser.wait("quarterply.row.san === 'O-O'");
            // Stopped before its worker runs: the tree stays.
            begin_search(&mut browser, "document.getElementById('live-stop').click();");
            browser.wait("document.getElementById('live-problem').textContent.startsWith('the search was stopped before anything was recorded')");
            assert_eq!(browser.eval("quarterply.about.nodes").as_u64(), Some(nodes));
        }
    }
}
