//! axe-core finds nothing to object to on any page, in wide and narrow windows, in light and dark colours.

use quarterply_window::{View, html};
use serde_json::{Value, json};

use crate::chromium::{Chromium, needed};
use crate::{common, page_file, recorded_nodes, recording, site};

/// Names the script of axe-core where `.ci/run` has not put it into the usual place.
const SCRIPT: &str = "QUARTERPLY_AXE";
const INSTALLED: &str = "../../target/axe/package/axe.min.js";
/// Width and height of a window in pixels: a desktop, a tablet and a phone.
const WINDOWS: [(u32, u32); 3] = [(1440, 900), (820, 1180), (390, 844)];
/// Dialogs of a page with an engine: name, and the button that opens it.
const DIALOGS: [(&str, &str); 3] = [("live", "new-search"), ("open", "open-tree"), ("share", "share-tree")];

/// The text of axe-core; a message if it is not there. A failure where pages must be tested.
fn script() -> Option<String> {
    let remedy = "`.ci/run` installs it (npm package axe-core)";
    needed(SCRIPT, INSTALLED, "accessibility is not tested", remedy)
        .map(|script| String::from_utf8(script).expect("text"))
}

/// Findings of axe-core on what the window shows: rule, number of elements, the first of them and its fault.
fn findings(browser: &mut Chromium) -> Vec<Value> {
    let found = browser.eval(
        "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.map((rule) => \
         [rule.id, rule.nodes.length, rule.nodes[0].html.slice(0, 200), rule.nodes[0].failureSummary]))",
    );
    found.as_array().expect("a list").clone()
}

/// Calls `check` with the page at `url` in each kind of window, with axe-core in the page.
fn in_each_window(name: &str, script: &str, url: &str, check: &mut dyn FnMut(&mut Chromium, &str)) {
    let Some(mut browser) = Chromium::start(name) else { return };
    browser.call("Page.setBypassCSP", json!({"enabled": true}));
    for (width, height) in WINDOWS {
        for dark in [false, true] {
            browser.look(width, height, dark);
            browser.open(url);
            browser.eval(&format!("{script};true"));
            let wide = browser.eval("document.documentElement.scrollWidth").as_u64();
            assert!(wide <= Some(u64::from(width)), "{url}: {wide:?} pixels wide in a window of {width}");
            check(&mut browser, &format!("{width} pixels, {}", if dark { "dark" } else { "light" }));
        }
    }
}

/// Tests that take many seconds; `.ci/run` runs them.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn axe_finds_nothing_on_a_page_with_its_engine() {
        let Some(script) = script() else { return };
        let Some(url) = site::engine_page(&recording(2_000)) else { return };
        in_each_window("axe-live", &script, &url, &mut |browser, window| {
            assert_eq!(findings(browser), Vec::<Value>::new(), "{window}");
            for (dialog, button) in DIALOGS {
                browser.eval(&format!("document.getElementById('{button}').click()"));
                browser.wait(&format!("document.getElementById('{dialog}').open"));
                assert_eq!(findings(browser), Vec::<Value>::new(), "{window}, dialog `{dialog}`");
                browser.eval(&format!("document.getElementById('{dialog}').close()"));
            }
        });
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn axe_finds_nothing_on_pages_of_files() {
        let Some(script) = script() else { return };
        let model = html::page(&View::of_model(&common::shipped("order-matters").run()));
        let search = html::page(&recorded_nodes(2_000));
        for (name, page) in [("axe-model", model), ("axe-search", search)] {
            in_each_window(name, &script, &page_file(name, &page), &mut |browser, window| {
                assert_eq!(findings(browser), Vec::<Value>::new(), "{name}, {window}");
            });
        }
    }

    /// Without a language a screen reader does not know how to read a page: such a page must not pass.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn axe_finds_a_page_without_a_language() {
        let Some(script) = script() else { return };
        let page = html::page(&View::of_model(&common::shipped("order-matters").run()));
        let silent = page.replacen(" lang=\"en\"", "", 1);
        assert_ne!(page, silent, "the page names its language");
        in_each_window("axe-silent", &script, &page_file("axe-silent", &silent), &mut |browser, window| {
            let found = findings(browser);
            assert!(found.iter().any(|finding| finding[0] == "html-has-lang"), "{window}: {found:?}");
        });
    }
}
