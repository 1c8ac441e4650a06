//! A tree that replaces another one: all parts of the page show the new tree.

use quarterply_window::html;
use serde_json::{Value, json};

use crate::chromium::Chromium;
use crate::common::README as FEN;
use crate::{
    forget_refusals, opened, page_file, recorded_nodes, recording, searching_pages, served, served_model, site,
};

/// Searches the position of the README from the page, and waits for the tree.
fn search(browser: &mut Chromium, nodes: u32) {
    let request =
        format!("{{fen: {FEN:?}, moves: [], profile: 'default', depth: null, nodes: {nodes}, until: '', set: []}}");
    browser.eval(&format!(
        "quarterply.live.search({request}, () => {{}}).then(() => quarterply.reload()).then(() => null)"
    ));
}

/// The answer about a move ends with its tree, although the next tree is shown at the same row.
#[test]
fn an_answer_about_a_move_ends_with_its_tree() {
    let Some(mut browser) = Chromium::desktop("answer-ends") else { return };
    for url in searching_pages(&recording(1_000)) {
        browser.open(&url);
        browser.eval("quarterply.asking.askUci(quarterply.asking.legal()[0].uci)");
        assert_ne!(browser.eval("quarterply.asking.current()"), Value::Null);
        search(&mut browser, 1_000);
        assert_eq!(browser.eval("[quarterply.row.id, quarterply.asking.current()]"), json!([0, null]));
        assert_eq!(browser.eval("document.getElementById('asked')"), Value::Null);
    }
}

/// The form of a model has the fields of the model that is shown, not of the first one.
#[test]
fn the_form_of_a_model_is_that_of_the_model_shown() {
    let Some(mut browser) = Chromium::desktop("two-models") else { return };
    browser.open(&served_model());
    let fields = "[...document.querySelectorAll('#stage [data-key]')].map((field) => field.dataset.key).join(' ')";
    let mut forms = Vec::new();
    for model in ["quiet-pin", "zugzwang"] {
        browser.click_on("#open-tree");
        browser.wait("document.getElementById('open').open && document.querySelectorAll('#open option').length > 5");
        browser.eval(&format!("(() => {{ const list = document.querySelector('#open [name=model]'); list.value = {model:?}; list.dispatchEvent(new Event('change')); }})()"));
        browser.wait("!document.getElementById('open').open");
        browser.click_on("#change-model");
        browser.wait("document.getElementById('stage-status').children.length > 0");
        forms.push(browser.eval(fields));
        assert_eq!(browser.eval("document.getElementById('stage-problem').textContent"), "", "{model}");
        browser.click_on("#stage-close");
    }
    assert_ne!(forms[0], forms[1]);
    // Rows of a tree that was replaced meanwhile are refused.
    browser.errors.retain(|error| !error.contains("status of 409"));
}

/// A link names the search of the tree that is shown: a refused file leaves it, and a model takes its place.
#[test]
fn a_link_names_the_search_of_the_tree_that_is_shown() {
    let Some(mut browser) = Chromium::desktop("link-names") else { return };
    browser.open(&served_model());
    search(&mut browser, 500);
    assert_eq!(browser.eval("location.hash.includes('fen=')"), true);
    let refused =
        "quarterply.opener.file(new File(['no trace'], 'tree.trace')).then(() => '', (error) => error.message)";
    assert_ne!(browser.eval(refused), "");
    forget_refusals(&mut browser);
    browser.eval("quarterply.select(1)");
    assert_eq!(browser.eval("location.hash.includes('fen=') && location.hash.includes('row=1')"), true);
    browser.click_on("#change-model");
    browser.wait("document.getElementById('stage-status').children.length > 0 && location.hash === '#row=0'");
}

/// A link with a search and a row opens both, also on a page that has no tree before.
#[test]
fn a_link_opens_the_row_of_a_search_that_is_still_to_be_made() {
    let Some(mut browser) = Chromium::desktop("link-row") else { return };
    browser.open(&format!("{}#fen={}&nodes=1000&row=77", served(None), FEN.replace(' ', "%20")));
    browser.wait("quarterply.about.nodes === 1000 && quarterply.row?.id === 77 && location.hash.includes('row=77')");
}

/// An answer to an earlier place of the slider that comes late changes nothing.
#[test]
fn a_late_event_of_the_player_is_not_shown() {
    let Some(mut browser) = opened("late-event", &recorded_nodes(1_000)) else { return };
    let late = "(async () => { const { player, source } = quarterply; const { event } = source; let late; source.event = (at) => (at === 10 ? new Promise((done) => { late = () => done(event(at)); }) : event(at)); const first = player.go(10); await player.go(20); late(); await first; return [player.at(), document.getElementById('position').value]; })()";
    assert_eq!(browser.eval(late), json!([20, "20"]));
}

/// Browsers refuse frequent changes of the address.
#[test]
fn the_address_follows_the_player_when_it_pauses() {
    let Some(mut browser) = opened("player-address", &recorded_nodes(1_000)) else { return };
    browser.eval("document.getElementById('speed').value = 60");
    let changes = "(async () => { const { player } = quarterply; const before = location.hash; player.toggle(); while (player.at() < 4) await new Promise((done) => setTimeout(done, 5)); const during = location.hash; player.pause(); return [during !== before, location.hash !== before]; })()";
    assert_eq!(browser.eval(changes), json!([false, true]));
}

/// The number of matches of an earlier filter that comes late changes nothing.
#[test]
fn a_late_number_of_matches_is_not_shown() {
    let Some(mut browser) = opened("late-matches", &recorded_nodes(1_000)) else { return };
    let late = "(async () => { const { source } = quarterply; const { matches } = source; const countText = () => document.getElementById('filter-count').textContent; let late; source.matches = (filter) => (filter === 'cutoff' ? new Promise((done) => { late = () => done(matches(filter)); }) : matches(filter)); const first = quarterply.setFilter('cutoff'); await quarterply.setFilter('line'); const shown = countText(); late(); await first; return shown !== '' && countText() === shown; })()";
    assert_eq!(browser.eval(late), true);
}

/// A row that is closed is selected if the selected row was below it.
#[test]
fn closing_a_row_selects_it_if_the_selected_row_is_below() {
    let Some(mut browser) = opened("closed-row", &recorded_nodes(1_000)) else { return };
    browser.eval("quarterply.select(3)");
    browser.eval("document.querySelector('#item-0 .twist').click()");
    browser.wait("quarterply.row.id === 0 && document.querySelector('#tree .selected')?.id === 'item-0'");
}

/// The reason why there is no tree is not replaced by a general message.
#[test]
fn a_page_that_cannot_load_its_engine_gives_the_reason() {
    let Some(mut browser) = Chromium::desktop("no-module") else { return };
    let url = page_file("no-module", &html::site_page("missing.wasm", "missing-scalar.wasm"));
    browser.call("Page.navigate", json!({"url": url}));
    browser.wait("document.getElementById('message')?.hidden === false");
    let message = browser
        .text("new Promise((done) => setTimeout(() => done(document.getElementById('message').textContent), 100))");
    assert!(message.starts_with("Cannot show the tree: cannot load missing.wasm: "), "{message}");
    // The failed request and its report.
    browser.errors.clear();
}

/// Tests that take many seconds; `.ci/run` runs them.
mod slow {
    use super::*;

    /// A form that is closed while it searches stops the search, shows what there is, and does not close the form that is opened next.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_form_that_is_closed_stops_its_search() {
        let Some(mut browser) = Chromium::desktop("closed-form") else { return };
        for url in searching_pages(&recording(1_000)) {
            browser.open(&url);
            site::begin_search(&mut browser, "");
            browser.wait("/Searching, (0\\.[5-9]|[1-9])/.test(document.getElementById('live-go').textContent)");
            browser.eval(
                "(() => { document.getElementById('live').close(); document.getElementById('new-search').click(); })()",
            );
            browser.wait("document.getElementById('message').textContent.startsWith('The search was stopped after')");
            let form = "[document.getElementById('live').open, document.getElementById('live-go').disabled, document.getElementById('live-go').textContent]";
            assert_eq!(browser.eval(form), json!([true, false, "Search"]), "{url}");
            let nodes = browser.eval("quarterply.about.nodes").as_u64().expect("a number");
            assert!((1_001..2_000_000).contains(&nodes), "{nodes} nodes");
        }
    }
}
