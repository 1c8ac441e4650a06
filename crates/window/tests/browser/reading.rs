//! The visible page: signs and colours, terms, the list of rules, the tutorial, and layouts without clipped text.

use quarterply_engine::params::Parameters;
use quarterply_window::{View, html};
use serde_json::{Value, json};

use crate::chromium::Chromium;
use crate::common::{README as FEN, depth, game, recorded, shipped, view};
use crate::{opened, page_file, recorded_nodes, served, served_model};

/// A search of the position of the README to this depth.
fn searched(plies: u32) -> View {
    view(&recorded(&game(FEN), &Parameters::default(), &depth(plies)))
}

/// Selects the row after these moves.
fn select(browser: &mut Chromium, moves: &str) {
    browser.eval(&format!(
        "quarterply.source.find({moves:?}).then((found) => quarterply.select(found.row)).then(() => null)"
    ));
    let last = moves.rsplit(' ').next().unwrap_or_default();
    browser.wait(&format!(
        "quarterply.row?.san === {last:?} && document.querySelector('#panel h2').textContent.includes({last:?})"
    ));
}

/// `+` is deeper and `-` shallower: of every mark in a page, by its number and by its badge.
#[test]
fn signs_and_colours_follow_the_action_of_a_rule() {
    let Some(mut browser) = opened("signs", &searched(8)) else { return };
    let wrong = r#"(async () => {
        const { about, source } = quarterply;
        const breakdowns = [];
        const seen = new Set();
        for (let id = 0; id < about.rows; id++) {
            const row = (await source.path(id)).pop();
            for (const mark of row.marks) {
                const { name } = about.rules[mark[0]];
                const family = about.families[quarterply.familyOf(about, mark)];
                seen.add(`${name}: ${family}`);
                const change = quarterply.changeOf(mark);
                if (mark[1] === 0 && ["extension", "reduction"].includes(family)) breakdowns.push(`${name} ended a node in the colour of ${family}`);
                if (mark[1] >= 2 && family === "extension" && change < 0) breakdowns.push(`${name} is an extension by ${change}`);
                if (mark[1] >= 2 && family === "reduction" && change > 0) breakdowns.push(`${name} is a reduction by ${change}`);
            }
        }
        return { breakdowns: breakdowns.slice(0, 5), seen: [...seen] };
    })()"#;
    let found = browser.eval(wrong);
    assert_eq!(found["breakdowns"], json!([]));
    let seen: Vec<&str> = found["seen"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    for expected in ["singular: node cut", "late move reduction: reduction"] {
        assert!(seen.contains(&expected), "{expected} is not in {seen:?}");
    }
    late_move_reduction_has_a_bar_for_each_term(&mut browser);
}

fn late_move_reduction_has_a_bar_for_each_term(browser: &mut Chromium) {
    select(browser, "Ne5");
    let rows = browser.eval(
        "[...document.querySelectorAll('#panel .breakdown-row')].map((row) => [row.dataset.term, row.querySelector('b').textContent, row.querySelector('small')?.textContent ?? ''])",
    );
    let rows: Vec<[String; 3]> = serde_json::from_value(rows).expect("rows of three");
    let number = |text: &str| {
        let halves = [('¼', 0.25), ('½', 0.5), ('¾', 0.75)];
        let plain = text.replace('\u{2212}', "-");
        let part: f64 = halves.iter().filter(|(sign, _)| plain.contains(*sign)).map(|(_, part)| part).sum();
        let whole = plain.trim_end_matches(['¼', '½', '¾']);
        let sign = if plain.starts_with('-') { -1.0 } else { 1.0 };
        whole.parse::<f64>().unwrap_or(0.0) + sign * part
    };
    let terms: Vec<&[String; 3]> = rows.iter().filter(|row| !row[2].is_empty()).collect();
    assert!(terms.len() > 3 && terms[0][0] == "base" && terms[0][1].starts_with('\u{2212}'), "{rows:?}");
    assert!(terms.iter().all(|row| row[2].starts_with("reduced ") || row[0] == "limit"), "{rows:?}");
    let (last, others) = rows.split_last().expect("rows");
    assert_eq!((rows[0][0].as_str(), last[0].as_str()), ("the move itself", "in all"));
    let sum: f64 = others.iter().map(|row| number(&row[1])).sum();
    assert!((sum - number(&last[1])).abs() < 0.06, "{sum} is not the sum: {rows:?}");
    let badge = browser.text("document.querySelector('#tree .selected .badge.rule').textContent");
    assert!(badge.starts_with('\u{2212}'), "{badge}");
}

/// Terms and rules in an answer open their explanation.
#[test]
fn terms_open_the_glossary() {
    let Some(mut browser) = opened("terms", &searched(6)) else { return };
    select(&mut browser, "dxc5");
    let term = "[...document.querySelectorAll('#panel .facts .term')].find((one) => one.textContent === 'Ply')";
    browser.wait(&format!("{term} !== undefined"));
    browser.eval(&format!("{term}.click()"));
    browser.wait("document.getElementById('card').open");
    let text = browser.text("document.getElementById('card').textContent");
    assert!(text.starts_with("ply") && text.contains("one move of one side") && text.contains("beta cutoff"), "{text}");
    browser.eval("document.getElementById('card').close()");
    let text = browser.text("quarterply.linked('table and beta cutoff <b>', quarterply.about)");
    assert!(
        text.contains("data-card") && text.contains("data-term=\"beta cutoff\"") && text.contains("&#60;b&#62;"),
        "{text}"
    );
}

/// A move that is not legal is named, with the reason, as far as the page knows it.
#[test]
fn an_illegal_move_is_reported() {
    let Some(mut browser) = opened("illegal", &searched(4)) else { return };
    for (uci, expected) in [
        ("e1g3", "e1g3 is not a legal move here: the king does not move so."),
        ("d3d4", "d3d4 is not a legal move here: a piece of the same side is on d4."),
        ("e7e6", "e7e6 is not a legal move here: White is to move."),
        ("h4h5", "h4h5 is not a legal move here: no piece is on h4."),
    ] {
        browser.eval(&format!("quarterply.select(0).then(() => quarterply.asking.askUci({uci:?})).then(() => null)"));
        browser.wait(&format!("document.getElementById('message').textContent === {expected:?}"));
    }
}

/// The rules are listed by family with a line each, the most active first; a field finds any parameter; the bar to scroll is in sight.
#[test]
fn rules_are_listed_by_family() {
    let Some(mut browser) = Chromium::start("rule-list") else { return };
    let url = served(Some(searched(7)));
    for (width, height) in [(1440, 900), (390, 844)] {
        browser.look(width, height, false);
        browser.open(&url);
        browser.click_on("#switch-rule");
        browser.wait("document.getElementById('compare').open");
        let headings = "[...document.querySelectorAll('#compare-list h3')].map((one) => one.textContent)";
        let headings: Vec<String> = serde_json::from_value(browser.eval(headings)).expect("texts");
        assert_eq!(headings[0], "most decisions in this tree", "{headings:?}");
        for family in ["node cut", "move skipped", "reduction", "extension"] {
            assert!(headings.iter().any(|heading| heading == family), "{family} is not in {headings:?}");
        }
        let first = "[...document.querySelectorAll('#compare-list [data-name]')].slice(0, 5).map((one) => quarterply.about.rules.find((rule) => one.closest('label').querySelector('span').textContent.startsWith(rule.name.slice(0, 4)))?.count ?? 0)";
        let counts: Vec<u64> = serde_json::from_value(browser.eval(first)).expect("counts");
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        let lines = "[...document.querySelectorAll('#compare-list .slider')].filter((one) => one.offsetHeight > 30 || !one.querySelector('small').textContent).length";
        // On a phone the explanation is shown whole: `a_phone_shows_whole_explanations_of_rules`.
        if width > 760 {
            assert_eq!(browser.eval(lines), 0, "one line each at {width}");
        }
        let bar = "(() => { const list = document.getElementById('compare-list'); return getComputedStyle(list).overflowY === 'scroll' && parseInt(getComputedStyle(list, '::-webkit-scrollbar').width) > 6 && list.scrollHeight > list.clientHeight; })()";
        assert_eq!(browser.eval(bar), true, "a bar to scroll at {width}");
        let sticky = "(() => { const [dialog, close] = [document.getElementById('compare'), document.getElementById('compare-close')].map((one) => one.getBoundingClientRect()); return close.bottom <= dialog.bottom && close.bottom <= innerHeight; })()";
        assert_eq!(browser.eval(sticky), true, "the button is in sight at {width}");
        browser.eval("(() => { const find = document.querySelector('#compare [name=find]'); find.value = 'null move'; find.dispatchEvent(new Event('input')); })()");
        let names = "[...document.querySelectorAll('#compare-list [data-name]')].map((one) => one.dataset.name)";
        let names: Vec<String> = serde_json::from_value(browser.eval(names)).expect("names");
        assert!(names.len() > 3 && names.iter().all(|name| name.starts_with("null_move")), "{names:?}");
        assert_eq!(browser.eval("document.documentElement.scrollWidth"), width);
    }
}

/// Long dialogs keep their button in sight.
#[test]
fn the_button_that_closes_a_dialog_stays_in_sight() {
    let Some(mut browser) = Chromium::start("close") else { return };
    browser.look(390, 640, false);
    browser.open(&page_file("close", &html::page(&searched(4))));
    browser.eval("document.getElementById('help').showModal()");
    let inside = "(() => { const [dialog, close] = [document.getElementById('help'), document.querySelector('#help form button')].map((one) => one.getBoundingClientRect()); return close.top >= dialog.top && close.bottom <= dialog.bottom && close.bottom <= innerHeight; })()";
    for place in ["0", "9999"] {
        browser.eval(&format!("document.getElementById('help').scrollTop = {place}"));
        assert_eq!(browser.eval(inside), true, "scrolled to {place}");
    }
    assert_eq!(
        browser.eval("document.getElementById('help').scrollHeight > document.getElementById('help').clientHeight"),
        true
    );
    // No line of text shows below the bar with the button.
    browser.eval("document.getElementById('help').scrollTop = 0");
    let gap = "(() => { const [dialog, bar] = [document.getElementById('help'), document.querySelector('#help form')].map((one) => one.getBoundingClientRect()); return Math.abs(dialog.bottom - bar.bottom) < 3; })()";
    assert_eq!(browser.eval(gap), true);
}

/// At a zoom of 200 % a desktop has the layout of a phone; its number line has letters of the usual size.
#[test]
fn drawings_do_not_grow_with_the_panel() {
    let Some(mut browser) = Chromium::start("drawings") else { return };
    browser.look(720, 900, false);
    browser.open(&page_file("drawings", &html::page(&searched(4))));
    browser.click_on("[data-show=panel]");
    let drawn = "(async () => { for (let id = 2; id < quarterply.about.rows; id++) { await quarterply.select(id); if (document.querySelector('#panel svg')) return true; } return false; })()";
    assert_eq!(browser.eval(drawn), true);
    let width = browser.eval("document.querySelector('#panel svg').getBoundingClientRect().width").as_f64();
    assert!(width > Some(0.0) && width <= Some(360.0), "{width:?}");
}

/// A printed page had the pane in sight only. The tree keeps its height: the page of a long search would have hundreds of sheets.
#[test]
fn paper_has_all_parts_and_no_buttons() {
    let Some(mut browser) = Chromium::start("print") else { return };
    browser.look(720, 900, false);
    browser.open(&page_file("print", &html::page(&searched(4))));
    browser.print();
    let height = |what: &str| format!("Math.round(document.querySelector('{what}').getBoundingClientRect().height)");
    for pane in ["board", "overview", "tree", "panel"] {
        let shown = browser.eval(&height(&format!(".{pane}-pane"))).as_u64();
        assert!(shown > Some(100) && shown < Some(3000), "{pane}: {shown:?}");
    }
    for control in ["#help-open", "#find", "#player", ".tabs"] {
        assert_eq!(browser.eval(&height(control)), 0, "{control}");
    }
}

/// The page of the tutorial opens with its first chapter; the others are made when they come into sight.
#[test]
fn the_tutorial_opens_at_once() {
    let Some(mut browser) = Chromium::desktop("tutorial-served") else { return };
    let url = served(None);
    browser.call("Page.navigate", json!({"url": format!("{url}tutorial")}));
    browser.wait("document.querySelector('#chapter-1') !== null && document.querySelectorAll('iframe').length > 1");
    assert_eq!(browser.eval("document.querySelectorAll('[data-chapter]').length > 7"), true);
    browser.eval("document.querySelector('#chapter-3').scrollIntoView()");
    browser.wait(
        "document.querySelector('[data-chapter=\"3\"]') === null && document.querySelector('#chapter-3') !== null",
    );
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// The buttons of a page that can search are in one row, and the title of the tree has room below them.
#[test]
fn the_title_of_a_served_model_has_room() {
    let Some(mut browser) = Chromium::desktop("served-title") else { return };
    browser.open(&served_model());
    browser.wait("!document.getElementById('change-model').hidden");
    let fits = "(() => { const [title, last] = ['headline', 'help-open'].map((id) => document.getElementById(id).getBoundingClientRect()); return [title.width > innerWidth / 2, last.top < 20 && last.right <= innerWidth, document.documentElement.scrollWidth <= innerWidth]; })()";
    for width in [1100, 1140, 1240, 1300] {
        browser.look(width, 900, false);
        assert_eq!(browser.eval(fits), json!([true, true, true]), "at {width}");
    }
}

/// No text is cut off: badges in the tree, names in diagrams, the position on a phone.
#[test]
fn nothing_is_clipped() {
    let Some(mut browser) = Chromium::start("clipped") else { return };
    let page = page_file("clipped", &html::page(&recorded_nodes(5_000)));
    for (width, height) in [(1440, 900), (390, 844)] {
        browser.look(width, height, false);
        browser.open(&page);
        if width < 760 {
            browser.click_on("[data-show=tree]");
        }
        browser.eval("quarterply.select(quarterply.about.rows - 40).then(() => null)");
        let cut = "[...document.querySelectorAll('#tree .badge')].filter((one) => one.offsetWidth && (one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > one.closest('.what').getBoundingClientRect().right + 1)).map((one) => one.textContent)";
        browser.wait("document.querySelectorAll('#tree .badge.rule').length > 0");
        assert_eq!(browser.eval(cut), json!([]), "badges at {width}");
    }
    browser.click_on("[data-show=board]");
    let whole = "(() => { const [fen, pane] = [document.getElementById('facts-small'), document.querySelector('.board-pane')]; pane.scrollTop = 9999; return fen.scrollWidth <= fen.clientWidth && fen.getBoundingClientRect().bottom <= pane.getBoundingClientRect().bottom; })()";
    assert_eq!(browser.eval(whole), true, "the position on a phone");
    assert_eq!(browser.eval("document.querySelector('label[for=find-text]').offsetHeight > 10"), true, "a label");
    names_of_a_diagram_are_whole(&mut browser);
}

fn names_of_a_diagram_are_whole(browser: &mut Chromium) {
    let model = shipped("quiet-pin");
    let page = page_file("clipped-model", &html::page(&View::of_model(&model.run())));
    browser.look(1440, 900, false);
    browser.open(&page);
    let cut = "[...document.querySelectorAll('svg .node')].filter((node) => { const box = node.querySelector('rect').getBoundingClientRect(); return [...node.querySelectorAll('text')].filter((text) => text.textContent).some((text) => { const at = text.getBoundingClientRect(); return at.left < box.left || at.right > box.right || text.textContent.includes('…'); }); }).map((node) => node.textContent)";
    assert_eq!(browser.eval("document.querySelectorAll('svg .node').length > 5"), true);
    assert_eq!(browser.eval(cut), json!([]), "names in a diagram");
}
