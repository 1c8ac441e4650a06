//! The page in a real browser. Without an installed Chromium these tests do nothing and say so; `.ci/run` insists on one where
//! it could be had.

mod accessibility;
mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod reading;
mod site;
mod trees;
mod whynot;

use chromium::Chromium;
use common::{README as FEN, START, depth, game, nodes, quiet_pin, recorded, serving, shipped, view};
use quarterply_engine::params::Parameters;
use quarterply_engine::profile;
use quarterply_engine::search::classic::Decision;
use quarterply_window::serve::ServeOptions;
use quarterply_window::trace::Trace;
use quarterply_window::tutorial::{self, Depths, PageLocation};
use quarterply_window::view::{RowDecision, RowKind};
use quarterply_window::{ModelRun, View, html};
use serde_json::{Value, json};

/// A recorded search of the position of the README.
fn recording(count: u64) -> Trace {
    recorded(&game(FEN), &Parameters::default(), &nodes(count))
}

/// The tree of such a search.
fn recorded_nodes(count: u64) -> View {
    view(&recording(count))
}

/// The addresses of pages that can search: one with a local server, and one with its own engine if that was built.
fn searching_pages(trace: &Trace) -> impl Iterator<Item = String> {
    [served(Some(view(trace)))].into_iter().chain(site::engine_page(trace))
}

/// A refused request is an error of the browser where it is one of a server.
fn forget_refusals(browser: &mut Chromium) {
    browser.errors.retain(|error| !error.contains("status of 400"));
}

/// Writes a page where the browser can load it.
fn page_file(name: &str, page: &str) -> String {
    let path = std::env::temp_dir().join(format!("quarterply-{name}-{}.html", std::process::id()));
    std::fs::write(&path, page).expect("a writable folder");
    format!("file://{}", path.display())
}

/// An ordinary window with the page of a tree; `None` if no browser is installed.
fn opened(name: &str, view: &View) -> Option<Chromium> {
    let mut browser = Chromium::desktop(name)?;
    browser.open(&page_file(name, &html::page(view)));
    Some(browser)
}

/// A small search by the textbook with the rules off: it has much to remark upon.
fn textbook() -> Trace {
    recorded(&game(FEN), &profile::builtin("classic").expect("built in"), &nodes(2_000))
}

/// Serves a tree on a free port until the tests end.
fn served(view: Option<View>) -> String {
    serving(ServeOptions { view, ..ServeOptions::default() })
}

/// Serves the model that futility misreads, with every other rule off.
fn served_model() -> String {
    let played = quiet_pin();
    let view = Some(played.search().expect("chess").0);
    serving(ServeOptions { view, played: Some(played), ..ServeOptions::default() })
}

/// Selects the row where the moves lead, by the search box.
fn follow(browser: &mut Chromium, moves: &str) {
    browser.eval(&format!(
        "(() => {{ const box = document.getElementById('find-text'); box.value = {moves:?}; box.form.requestSubmit(); }})()"
    ));
}

/// Checks that hold for every page with a recorded search, from a file or from a server.
fn check_page(browser: &mut Chromium) {
    let rows = "document.querySelectorAll('#tree .item').length";
    let before = browser.eval(rows).as_u64().expect("a number");
    assert!(before > 3, "the tree shows {before} rows");

    // The tree opens and closes by keys.
    browser.eval("quarterply.select(1)");
    browser.wait("quarterply.row.id === 1");
    let expanded = "document.querySelector('#tree .selected').getAttribute('aria-expanded')";
    assert_eq!(browser.eval(expanded), "false");
    browser.key("ArrowRight");
    browser.wait(&format!("{expanded} === 'true'"));
    browser.key("ArrowDown");
    browser.wait("quarterply.row.id === 2");

    // A sequence of moves is followed; the board shows its last move. Which reply was searched depends on the network.
    follow(browser, "O-O");
    browser.wait("quarterply.row.san === 'O-O'");
    let reply = "quarterply.source.children(quarterply.row.id, 0, 50, '').then(({ rows }) => rows.find(row => row.san && row.kind === 0).san)";
    let reply = browser.text(reply);
    let line = format!("O-O {reply}");
    follow(browser, &line);
    browser.wait(&format!("quarterply.row.san === {reply:?}"));
    assert_eq!(browser.eval("quarterply.path.filter(row => row.san).map(row => row.san).join(' ')"), line);
    assert_eq!(browser.eval("document.querySelectorAll('#board use').length"), 32 - reply.matches('x').count());
    browser.wait(&format!("document.querySelector('#panel h2').textContent.includes({reply:?})"));
    follow(browser, "O-O Qxh2");
    browser.wait("document.getElementById('message').textContent.startsWith('Qxh2 is not in the tree')");

    // Light and dark.
    assert_eq!(browser.eval("document.documentElement.dataset.theme"), "light");
    browser.key("t");
    browser.wait("document.documentElement.dataset.theme === 'dark'");
    browser.key("t");

    check_filter(browser);
    check_player(browser);
    check_overview(browser);
}

/// Selects the rows of a rule, and opens the description of the rule.
fn check_filter(browser: &mut Chromium) {
    // Terms have the line of the glossary as a tooltip.
    browser.wait("[...document.querySelectorAll('#panel .facts .term')].some(one => one.textContent === 'Ply' && one.title.startsWith('one move of one side'))");

    // A filter leaves only what leads to its rule.
    browser.eval("quarterply.setFilter('rule-' + quarterply.about.rules.findIndex(rule => rule.name === 'null move'))");
    browser.wait("/^[\\d\\s]+ matches$/.test(document.getElementById('filter-count').textContent)");
    browser.key("m");
    browser.wait("quarterply.row.marks.some(mark => quarterply.about.rules[mark[0]].name === 'null move')");
    // The name of a rule opens what it is.
    browser.wait("document.querySelector('#panel .why [data-card]') !== null");
    browser.eval("document.querySelector('#panel .why [data-card]').click()");
    browser.wait("document.getElementById('card').open");
    let card = browser.text("document.getElementById('card').textContent");
    for part in ["Idea", "Risk", "Papers", "Measured"] {
        assert!(card.contains(part), "{part}: {card}");
    }
    browser.eval("document.getElementById('card').close()");
    browser.eval("quarterply.setFilter('')");
}

/// Goes on by events and finds cutoffs.
fn check_player(browser: &mut Chromium) {
    browser.eval("quarterply.select(0)");
    browser.wait("quarterply.row.id === 0");
    browser.key("n");
    browser.wait("quarterply.player.at() === 1 && quarterply.row.id === 1");
    browser.key("c");
    browser.wait("quarterply.row.decision === 1");
    let at = browser.eval("quarterply.player.at()").as_u64().expect("a number");
    browser.key(" ");
    browser.wait(&format!("quarterply.player.at() > {at}"));
    browser.key(" ");
}

/// Enlarges the overview by a click. Its bars show bounds as bounds, like the rows of the tree.
fn check_overview(browser: &mut Chromium) {
    browser.eval("quarterply.zoom(0)");
    browser.wait("quarterply.overview.top() === 0");
    let bounds = "(async () => { const { about, boundOf, overview, source } = quarterply; let bounds = 0; for (const bar of overview.bars().slice(0, 60)) { const row = (await source.path(bar.id)).pop(); if (boundOf(bar, about) !== boundOf(row, about)) return `row ${bar.id} differs`; bounds += boundOf(bar, about) > 0; } return bounds > 5; })()";
    assert_eq!(browser.eval(bounds), true);
    let widest = "quarterply.overview.bars().filter(bar => bar.line === 1).reduce((a, b) => a.w > b.w ? a : b)";
    let middle = browser.eval(&format!("quarterply.overview.middleOf({widest})"));
    browser.click(&middle, "left");
    browser.wait("quarterply.overview.top() !== 0");
}

#[test]
fn a_page_in_a_file_works() {
    let Some(mut browser) = opened("file", &recorded_nodes(20_000)) else { return };
    check_page(&mut browser);
}

/// A link opens the page at its row, event and filter; one that does not fit the tree is taken for what does.
#[test]
fn a_link_opens_what_was_shown() {
    let Some(mut browser) = Chromium::desktop("link") else { return };
    let url = page_file("link", &html::page(&recorded_nodes(3_000)));
    browser.open(&url);
    browser.eval("quarterply.setFilter('cutoff').then(() => quarterply.player.jump(false, 'cutoff'))");
    browser.wait("/^#row=\\d+&event=\\d+&filter=cutoff$/.test(location.hash)");
    let place = "[quarterply.row.id, quarterply.player.at(), quarterply.filter]";
    let (hash, shown) = (browser.text("location.hash"), browser.eval(place));
    leave(&mut browser);
    browser.open(&format!("{url}{hash}"));
    assert_eq!(browser.eval(place), shown);
    for filter in ["none", "rule-999", "differs"] {
        leave(&mut browser);
        browser.open(&format!("{url}#row=99999999&event=x&filter={filter}"));
        assert_eq!(browser.eval(place), json!([0, 0, ""]), "{filter}");
    }
}

/// Browsers refuse frequent changes of the address: the player goes on, and the address follows later.
#[test]
fn the_player_continues_if_the_address_cannot_be_changed() {
    let Some(mut browser) = opened("address", &recorded_nodes(1_000)) else { return };
    browser.eval("history.replaceState = () => { throw new Error('refused'); }");
    for at in 1..3 {
        browser.key("n");
        browser.wait(&format!("quarterply.player.at() === {at} && quarterply.row.id === {at}"));
    }
    browser.eval("delete history.replaceState");
    browser.wait("location.hash === '#row=2'");
}

/// The text of a remark goes on after its second colon.
#[test]
fn a_long_remark_is_shown_whole() {
    let mut view = recorded_nodes(1_000);
    view.about.remarks = vec![format!("Head: {}at the end: whole", "words ".repeat(50))];
    let Some(mut browser) = opened("remark", &view) else { return };
    let text = browser.text("document.querySelector('#panel details.lead').textContent");
    assert!(text.ends_with("words at the end: whole"), "{text}");
}

/// A link pasted over the address of an open page opens it there.
#[test]
fn a_pasted_link_is_followed() {
    let Some(mut browser) = opened("pasted", &recorded_nodes(3_000)) else { return };
    browser.eval("location.hash = 'row=5&filter=cutoff'");
    browser.wait("window.quarterply?.row?.id === 5 && quarterply.filter === 'cutoff'");
}

/// A link without a limit opens the form with all that it names, its moves played; the next form has the settings of that search.
#[test]
fn a_link_without_a_limit_fills_the_form() {
    let Some(mut browser) = Chromium::desktop("form") else { return };
    for url in searching_pages(&recording(1_000)) {
        let parts = "moves=e2e4,e7e5&profile=tactical&set=null_move.on=0,aspiration.width=40&until=alpha@40";
        browser.open(&format!("{url}#fen={}&{parts}", START.replace(' ', "%20")));
        browser.wait("document.getElementById('live').open");
        let filled = "(() => { const form = document.querySelector('#live form'); return [form.fen.value.split(' ').slice(0, 2).join(' '), form.profile.value, form.until.value, form.querySelector('[data-name=\"null_move.on\"]').checked, document.getElementById('live-others').textContent]; })()";
        let place = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
        let expected = json!([place, "tactical", "alpha@40", false, "Also set: aspiration.width = 40."]);
        assert_eq!(browser.eval(filled), expected);
        let limits = "(() => { const form = document.querySelector('#live form'); return [form.depth.value, form.nodes.value]; })()";
        assert_eq!(browser.eval(limits), json!(["8", "200000"]));
        browser.eval("(() => { const form = document.querySelector('#live form'); form.depth.value = 0; form.requestSubmit(); })()");
        browser.wait("document.getElementById('live-problem').textContent.includes('cannot search to depth 0')");
        forget_refusals(&mut browser);
        browser.eval(
            "(() => { const { depth } = document.querySelector('#live form'); depth.value = ''; depth.focus(); })()",
        );
        browser.call("Input.insertText", json!({"text": "-"}));
        browser.eval("document.querySelector('#live form').requestSubmit()");
        browser.wait("document.getElementById('live-problem').textContent.includes('cannot read the field depth')");
        browser.eval("(() => { const form = document.querySelector('#live form'); form.depth.value = ''; form.nodes.value = 500; form.requestSubmit(); })()");
        browser.wait("!document.getElementById('live').open && quarterply.about.profile === 'tactical'");
        browser.click_on("#new-search");
        browser.wait("document.getElementById('live').open");
        assert_eq!(browser.eval(filled), expected);
        assert_eq!(browser.eval(limits), json!(["", "500"]));
        leave(&mut browser);
    }
}

/// The form had `default` without a word.
#[test]
fn an_unknown_profile_in_a_link_is_a_warning_in_the_form() {
    let Some(mut browser) = Chromium::desktop("profile") else { return };
    for url in searching_pages(&recording(1_000)) {
        browser.open(&format!("{url}#fen={}&profile=nosuch", START.replace(' ', "%20")));
        browser.wait("document.getElementById('live').open");
        browser.wait("document.getElementById('live-problem').textContent.includes('cannot use the profile nosuch')");
        assert_eq!(browser.eval("document.querySelector('#live form').profile.value"), json!("default"));
        leave(&mut browser);
    }
}

fn leave(browser: &mut Chromium) {
    browser.call("Page.navigate", json!({"url": "about:blank"}));
    browser.wait("location.href === 'about:blank'");
}

/// Below the root alpha rises where a move beats one that was best at its node.
#[test]
fn the_player_finds_where_alpha_rises() {
    let Some(mut browser) = Chromium::desktop("alpha") else { return };
    let view = recorded_nodes(3_000);
    let is_best = |row: usize| matches!(view.rows[row].decision, Some(RowDecision::Best | RowDecision::Cutoff));
    let beats = |row: usize| {
        let before = view.up(row).into_iter().flat_map(|up| view.children(up)).filter(|&other| other < row);
        let rivals = before.filter(|&other| is_best(other) && view.rows[other].mv != view.rows[row].mv);
        view.rows[row].kind == RowKind::Node && is_best(row) && rivals.count() > 0
    };
    let expected: Vec<usize> = (1..view.rows.len()).filter(|&row| view.rows[row].level > 2 && beats(row)).collect();
    assert!(!expected.is_empty());
    browser.open(&page_file("alpha", &html::page(&view)));
    let found = "(async () => { const list = []; for (let id = 0; id < quarterply.about.rows; id++) { const row = (await quarterply.source.path(id)).pop(); if (row.level > 2 && await quarterply.player.beatsBest(row)) list.push(id); } return list; })()";
    assert_eq!(browser.eval(found), json!(expected));
}

/// The tree of a model has no iterations: the moves at its root are one level below the root.
#[test]
fn the_player_pauses_at_the_root_of_a_model() {
    let Some(mut browser) = Chromium::desktop("model-pause") else { return };
    browser.open(&page_file("model-pause", &html::page(&View::of_model(&shipped("example-1").run()))));
    browser.eval("(() => { document.getElementById('speed').value = '60'; document.getElementById('pause-at').value = 'alpha'; })()");
    for expected in ["Nxd3 left", "Ng6+ left"] {
        browser.eval("quarterply.player.toggle()");
        let event = "document.getElementById('event').textContent";
        browser.wait(&format!("!quarterply.player.playing() && {event}.includes({expected:?})"));
    }
    // Below the root: the moves with a better value than an earlier move of their node.
    let found = "(async () => { const list = []; for (let id = 0; id < quarterply.about.rows; id++) { const row = (await quarterply.source.path(id)).pop(); if (row.level > 1 && await quarterply.player.beatsBest(row)) list.push(row.san); } return list; })()";
    assert_eq!(browser.eval(found), json!(["Qg5", "Kh2", "Kg8"]));
}

/// A page that is opened without a search begins with an example and says what can be done with it.
#[test]
fn a_page_without_a_search_begins_with_an_example() {
    let Some(mut browser) = Chromium::desktop("example") else { return };
    browser.open(&served(None));
    browser.wait("!document.getElementById('hints').hidden && quarterply.about.rows > 1000");
    browser.click_on("#hints-rule");
    browser.wait("document.getElementById('compare').open && document.getElementById('hints').hidden");
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// Keys of the page leave alone what the keys of the browser do: links and lists that open, the list of moves to ask about, and
/// the focused element while the panel is drawn again.
#[test]
fn everything_works_by_keys() {
    let Some(mut browser) = Chromium::desktop("keys") else { return };
    for url in searching_pages(&textbook()) {
        browser.open(&url);
        works_by_keys(&mut browser);
    }
}

fn works_by_keys(browser: &mut Chromium) {
    let focused = "document.activeElement.id";
    // The list of moves: each is answered while one goes on to the next.
    browser.key("w");
    assert_eq!(browser.eval(focused), "ask-move");
    for place in 0..3 {
        browser.key("ArrowDown");
        let san = format!("quarterply.asking.current()?.answer.mv.san === quarterply.asking.legal()[{place}].san");
        browser.wait(&san);
        browser.wait("quarterply.asking.current().trials !== null");
        browser.wait(
            "document.getElementById('asked-status').textContent === quarterply.asking.current().answer.sentence",
        );
        assert_eq!(browser.eval(focused), "ask-move", "after {place}");
    }
    // After a choice with the pointer the answer has the focus, and keeps it when the evidence arrives.
    browser.eval("quarterply.asking.askUci(quarterply.asking.legal()[5].uci)");
    browser.wait("document.querySelector('#asked table') !== null && quarterply.asking.current().trials !== null");
    assert_eq!(browser.eval(focused), "asked");
    browser.eval("document.getElementById('asked-close').focus()");
    browser.key("Enter");
    browser.wait("document.getElementById('asked') === null");
    assert_eq!(browser.eval("document.getElementById('panel').contains(document.activeElement)"), true);
    // A list that opens.
    browser.eval("document.querySelector('#panel summary').focus()");
    browser.key("Enter");
    browser.wait("document.querySelector('#panel details').open");
    keeps_the_focus_where_it_is_drawn_again(browser);
    // A link: its page takes long to make, so the test does not wait for it.
    browser.eval("document.getElementById('tutorial').hidden = false");
    browser.eval("document.getElementById('tutorial').addEventListener('click', (event) => { window.followed = true; event.preventDefault(); })");
    browser.eval("document.getElementById('tutorial').focus()");
    browser.key("Enter");
    browser.wait("window.followed === true");
}

/// The filter, the moves of the line and the way in the overview are drawn again when they are used.
fn keeps_the_focus_where_it_is_drawn_again(browser: &mut Chromium) {
    let focused = "document.activeElement.id";
    browser.eval("(() => { const list = document.getElementById('filter'); list.focus(); list.value = 'cutoff'; list.dispatchEvent(new Event('change', {bubbles: true})); })()");
    browser.wait("location.hash.includes('filter=cutoff')");
    assert_eq!(browser.eval(focused), "filter");
    browser.eval("quarterply.setFilter('').then(() => quarterply.select(quarterply.pv[quarterply.pv.length - 1].id)).then(() => quarterply.zoom(quarterply.row.id))");
    browser.eval("document.querySelector('#line button').focus()");
    browser.key("Enter");
    browser.wait("document.querySelector('#line button').getAttribute('aria-current') === 'true'");
    assert_eq!(browser.eval("document.activeElement === document.querySelector('#line button')"), true);
    browser.eval("document.querySelector('#crumbs button').focus()");
    browser.key("Enter");
    browser.wait("document.querySelectorAll('#crumbs button').length === 1");
    assert_eq!(browser.eval("document.activeElement === document.querySelector('#crumbs button')"), true);
}

/// A rule switched off in the page: both searches, where they first differ, and both trees side by side.
#[test]
fn a_rule_is_switched_and_the_tree_changes() {
    let Some(mut browser) = Chromium::desktop("compare") else { return };
    for url in searching_pages(&recording(4_000)) {
        browser.open(&url);
        switch_a_rule(&mut browser);
    }
}

fn switch_a_rule(browser: &mut Chromium) {
    browser.click_on("#switch-rule");
    browser.wait("document.querySelectorAll('#compare [data-name]').length > 20");
    browser.eval("document.querySelector('#compare form').requestSubmit()");
    browser.wait("document.getElementById('compare-problem').textContent.includes('nothing differs')");
    forget_refusals(browser);
    browser.eval("document.querySelector('#compare [data-name=\"late_move_reduction.on\"]').click()");
    let slide = "(() => { const find = document.querySelector('#compare [name=find]'); find.value = 'aspiration width'; find.dispatchEvent(new Event('input')); const s = document.querySelector('#compare [data-name=\"aspiration.width\"]'); s.value = 40; s.dispatchEvent(new Event('input', {bubbles: true})); })()";
    browser.eval(slide);
    browser.eval("document.querySelector('#compare form').requestSubmit()");
    browser.wait("document.querySelectorAll('#compare-result tbody tr').length > 2");
    let text = browser.text("document.getElementById('compare-result').textContent");
    assert!(text.contains("late move reduction off") && text.contains("aspiration width 40"), "{text}");
    assert!(text.contains("The trees first differ after") || text.contains("at the root itself"), "{text}");
    let page = browser.text("quarterply.pageText('compare')");
    assert_eq!(page.matches("first difference").count(), 1, "one row is lit");
    check_marks(browser);
}

/// The dialog and the tree behind it agree that nothing differs, also about the start position to depth 8: the dialog once said so while
/// the page marked 208 rows as different and 3657 as missing in the other tree.
#[test]
fn a_rule_that_changes_nothing_marks_no_row() {
    let Some(mut browser) = Chromium::desktop("same") else { return };
    let trace = recorded(&game(START), &Parameters::default(), &depth(8));
    for url in searching_pages(&trace) {
        browser.open(&url);
        switch_without_effect(&mut browser);
    }
}

fn switch_without_effect(browser: &mut Chromium) {
    browser.click_on("#switch-rule");
    browser.wait("document.querySelectorAll('#compare [data-name]').length > 20");
    browser.eval("document.querySelector('#compare [data-name=\"mate_distance.on\"]').click()");
    browser.eval("document.querySelector('#compare form').requestSubmit()");
    browser.wait("document.querySelector('#compare-result .parting') !== null");
    let text = browser.eval("document.querySelector('#compare-result .parting').textContent");
    assert_eq!(text, "The trees are the same.");
    browser.eval("document.getElementById('compare').close()");
    browser.wait("!document.getElementById('differences').hidden");
    let text = browser.eval("document.getElementById('differences-status').textContent");
    assert_eq!(text, "Compared with mate distance off: no row differs.");
}

/// The tree behind says in words which rows differ from the other search; a key leads from one to the next, a filter keeps them alone,
/// and the marks can be taken off.
fn check_marks(browser: &mut Chromium) {
    browser.eval("document.getElementById('compare').close()");
    browser.wait("!document.getElementById('differences').hidden");
    let text = browser.text("document.getElementById('differences-status').textContent");
    assert!(text.starts_with("Compared with ") && text.contains("late move reduction off"), "{text}");
    browser.click_on("#differences-first");
    browser.wait("quarterply.row.differs?.first === true");
    browser.wait("document.querySelector('#tree .selected .badge.differs')?.textContent === 'first difference'");
    browser.wait("document.getElementById('panel').textContent.includes('Here the two searches first differ.')");
    let before = browser.eval("quarterply.player.at()");
    browser.key("d");
    browser.wait(&format!("quarterply.player.at() > {before} && quarterply.row.differs !== undefined"));
    browser.click_on("#differences-only");
    browser.wait("/^[\\d\\s]+ matches$/.test(document.getElementById('filter-count').textContent)");
    browser.wait("document.getElementById('differences-only').getAttribute('aria-pressed') === 'true'");
    browser.click_on("#differences-clear");
    browser.wait("document.getElementById('differences').hidden && quarterply.filter === ''");
    browser.wait("document.querySelectorAll('#tree .badge.differs').length === 0");
    browser.wait("quarterply.row.differs === undefined");
}

/// A model on the server: a leaf is changed in the page, a rule is set, and each time the tree behind is the new one. Moves that are not
/// in the model are reported as such.
#[test]
fn a_served_model_is_changed_in_the_page() {
    let Some(mut browser) = Chromium::desktop("stage") else { return };
    browser.open(&served_model());
    browser.wait("!document.getElementById('change-model').hidden && quarterply.about.value === -275");
    browser.click_on("#change-model");
    let stage_text = "document.getElementById('stage-status').textContent";
    let enter = |field: &str, value: &str| {
        format!(
            "(() => {{ const field = document.querySelector({field:?}); field.value = {value:?}; field.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )
    };
    browser.wait(&format!("{stage_text}.includes('in place of 0.00')"));
    browser.eval(&enter("#stage-set", "futility.on=false"));
    browser.wait(&format!(
        "{stage_text}.includes('the rules changed nothing, both find 0.00') && quarterply.about.value === 0"
    ));
    browser.eval(&enter("#stage [data-key=BGB]", "2.5"));
    browser.eval(&enter("#stage [data-key=BHA]", "2"));
    browser.wait(&format!("{stage_text}.includes('both find +2.00') && quarterply.about.value === 200"));
    browser.eval(&enter("#stage-set", "futilty.on=false"));
    browser.wait("document.getElementById('stage-problem').textContent.includes('did you mean `futility.on`?')");
    forget_refusals(&mut browser);
    browser.click_on("#stage-back");
    browser.wait(&format!("{stage_text}.includes('in place of 0.00') && quarterply.about.value === -275"));
    browser.click_on("#stage-close");
    let why = |san: &str| {
        format!(
            "(async () => {{ const {{ source, about }} = quarterply; const mv = quarterply.namedMoves(quarterply.positionOn(about.fen, [])).find((one) => one.san === {san:?}); return (await quarterply.whyNot(source, about, await source.path(0), mv)).sentence; }})()"
        )
    };
    let sentence = browser.text(&why("Kh1"));
    assert!(sentence.contains("Kh1 is not in the model here"), "{sentence}");
    let sentence = browser.text(&why("h3"));
    assert!(sentence.starts_with("h3 is the best move: h3 h5 a4, and White is 2.75 behind"), "{sentence}");
}

/// Every tree of the chapters is a page inside the page; the server's chapters lead to a search of their positions.
#[test]
fn the_trees_of_the_tutorial_can_be_walked_through() {
    let Some(mut browser) = Chromium::desktop("tutorial") else { return };
    let page = tutorial::page(Depths { small: 3, large: 2, rules: 2 }, PageLocation::File).expect("the chapters");
    browser.call("Page.navigate", json!({"url": page_file("tutorial", &page)}));
    let first = "document.querySelector('iframe')?.contentWindow?.quarterply";
    browser.wait(&format!("{first}?.row?.id === 0 && {first}.about.kind === 'model'"));
    browser.eval(&format!("{first}.player.step(1)"));
    browser.wait(&format!("{first}.row.id === 1"));
    // A page inside the page has pictures to share and no address. A model takes no questions, so its board does not look as if.
    browser.eval(&format!("{first}.share.open()"));
    let shared = "(() => { const page = document.querySelector('iframe').contentDocument; return [page.querySelectorAll('#share [data-picture]').length, page.querySelectorAll('#share-link, #share-copy').length, page.querySelectorAll('.board.asks').length]; })()";
    assert_eq!(browser.eval(shared), json!([4, 0, 0]));
    browser.eval("document.querySelector('iframe').contentDocument.getElementById('share').close()");
    browser.eval("document.querySelectorAll('iframe')[5].scrollIntoView()");
    let search = "document.querySelectorAll('iframe')[5].contentWindow?.quarterply";
    browser.wait(&format!("{search}?.about?.kind === 'search' && {search}.row?.id === 0"));
    // In the narrow panel of a page inside the page no column is cut off.
    browser.eval(&format!("{search}.select(0)"));
    browser.wait("document.querySelectorAll('iframe')[5].contentDocument.querySelector('#panel .places') !== null");
    let panel = "document.querySelectorAll('iframe')[5].contentDocument.getElementById('panel')";
    assert_eq!(browser.eval(&format!("{panel}.scrollWidth <= {panel}.clientWidth")), json!(true));
    browser.eval(&format!("{search}.select(1)"));
    browser.wait(&format!("{search}.row.id === 1"));
    let asks = "document.querySelectorAll('iframe')[5].contentDocument.querySelectorAll('.board.asks').length";
    assert_eq!(browser.eval(asks), 1);
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    browser.open(&format!("{}?fen={}", served(None), fen.replace(' ', "%20")));
    browser.wait(&format!("document.querySelector('#live [name=fen]')?.value === {fen:?}"));
}

#[test]
fn a_model_is_a_diagram() {
    let Some(mut browser) = Chromium::start("model") else { return };
    browser.look(1280, 800, true);
    browser.open(&page_file("model", &html::page(&View::of_model(&shipped("order-matters").run()))));
    // Dark where the system prefers that: dark ground, light letters.
    assert_eq!(browser.eval("document.documentElement.dataset.theme"), "dark");
    let light = |what: &str| {
        format!("getComputedStyle(document.body).{what}.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)")
    };
    let [ground, letters] = [light("backgroundColor"), light("color")].map(|sum| browser.eval(&sum).as_f64());
    assert!(ground < Some(200.0) && letters > Some(500.0), "{ground:?} {letters:?}");
    assert_eq!(browser.eval("document.querySelectorAll('#diagram .node').length"), 16);
    // At an ordinary width all of it is in sight, and no text leaves its box.
    browser.look(1440, 900, true);
    browser.wait("document.getElementById('diagram').scrollWidth <= document.getElementById('diagram').clientWidth");
    let wide = "[...document.querySelectorAll('#diagram .node')].filter(node => [...node.querySelectorAll('text')].some(text => text.getBBox().width > node.querySelector('rect').getBBox().width - 4)).map(node => node.textContent)";
    assert_eq!(browser.eval(wide), json!([]));
    browser.look(1280, 800, true);
    browser.click_on("#diagram .node.cutoff");
    browser.wait("quarterply.row.decision === 1");
    browser.wait("document.querySelector('#panel .why').textContent.includes('the two-ply threshold')");
    assert_eq!(browser.eval("getComputedStyle(document.querySelector('.board-pane')).display"), "none");
    // Guessed to the end, every decision right; then a leaf is changed, and the tree is searched again.
    browser.click_on("#play-model");
    browser.wait("document.querySelectorAll('#model .node').length === 16");
    browser.click_on("#model-again");
    browser.eval("(() => { const { events } = quarterply.models.run(); for (const { decision } of events) document.querySelector(`#model [data-guess='${decision}']`).click(); })()");
    let status = "document.getElementById('model-status').textContent";
    browser.wait(&format!("/(\\d+) of \\1 guessed right/.test({status})"));
    let before = browser.eval(status);
    browser.eval("(() => { const field = document.querySelector('#model [data-leaf]'); field.value = 15; field.dispatchEvent(new Event('input', {bubbles: true})); })()");
    assert_ne!(browser.eval(status), before);
}

/// The page's search of models makes the events of the program's, for any values of the leaves.
#[test]
fn the_page_searches_models_as_the_program_does() {
    let Some(mut browser) = Chromium::desktop("models") else { return };
    for name in ["example-1", "example-4", "example-5", "early-leaf", "deep-cutoff", "order-matters"] {
        let model = shipped(name);
        let run = model.run();
        browser.open(&page_file("models", &html::page(&View::of_model(&run))));
        browser.click_on("#play-model");
        browser.wait("quarterply.models.run() !== null");
        assert_eq!(browser.eval(PAGE_EVENTS), events_of(&run), "{name}");
        if name == "early-leaf" {
            change_a_leaf_that_is_ordered_by_its_score(&mut browser);
        }
    }
}

/// The events of the page's own search of a model: number, value and decision of each.
const PAGE_EVENTS: &str = "quarterply.models.run().events.map((event) => [quarterply.diagramRows.find((row) => row.id === event.id).number, event.value, event.decision])";

/// The same of the program.
fn events_of(run: &ModelRun<'_>) -> Value {
    let code = |decision| match decision {
        Decision::Cutoff => 1,
        Decision::Best => 2,
        Decision::NotBest => 3,
    };
    let events = run.evaluations().map(|e| json!([run.node(e.node).number, e.result.value.0, code(e.result.decision)]));
    events.collect()
}

/// A higher score also moves the leaf `C` to the front.
fn change_a_leaf_that_is_ordered_by_its_score(browser: &mut Chromium) {
    browser.eval("(() => { const { id } = quarterply.diagramRows.find((row) => row.level === 1 && row.san.endsWith('c')); const field = document.querySelector(`#model [data-leaf='${id}']`); field.value = 5; field.dispatchEvent(new Event('input', {bubbles: true})); })()");
    let mut changed = shipped("early-leaf");
    assert!(changed.rescore("C", 5.0), "the leaf is there");
    assert_eq!(browser.eval(PAGE_EVENTS), events_of(&changed.run()));
}

/// On a phone one part is shown at a time and nothing is wider than the screen.
#[test]
fn a_phone_shows_one_part_at_a_time() {
    let Some(mut browser) = Chromium::start("phone") else { return };
    browser.look(390, 844, false);
    browser.open(&page_file("phone", &html::page(&recorded_nodes(3_000))));
    let picture = "quarterply.share.pixelsOf(quarterply.share.pictures.tree()).then((blob) => blob?.size > 10000)";
    assert_eq!(browser.eval(picture), true, "the picture of a tree that is not visible");
    for part in ["overview", "tree", "panel", "board"] {
        browser.click_on(&format!("[data-show={part}]"));
        let shown = browser
            .eval("[...document.querySelectorAll('.pane')].filter(p => p.offsetHeight > 0).map(p => p.className)");
        assert_eq!(shown, json!([format!("pane {part}-pane")]));
        assert_eq!(browser.eval("document.documentElement.scrollWidth"), 390, "{part}");
        let tight = "[...document.querySelectorAll('#tree .c-score, .work span, .legend select')].filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)";
        assert_eq!(browser.eval(tight), json!([]), "{part}: the text of a cell fits into it");
    }
    // The name of a move is not cut off by the text after it.
    browser.eval("quarterply.source.find('O-O').then(found => quarterply.select(found.row))");
    browser.click_on("[data-show=tree]");
    browser.wait("quarterply.row.san === 'O-O' && document.querySelector('#tree .selected') !== null");
    browser.key("ArrowRight");
    browser.wait("document.querySelector('#tree .selected').getAttribute('aria-expanded') === 'true'");
    let cut = "[...document.querySelectorAll('#tree .item:not(.unsearched) .san')].filter(name => !name.textContent.includes(' ') && name.scrollWidth > name.clientWidth + 1).map(name => name.textContent)";
    assert_eq!(browser.eval(cut), json!([]));
    browser.look(320, 568, false);
    browser.click_on("[data-show=board]");
    assert_eq!(browser.eval("document.documentElement.scrollHeight"), 568, "no empty space is below the page");
}

/// On a phone no tooltip shows the rest of an explanation, so none is cut.
#[test]
fn a_phone_shows_whole_explanations_of_rules() {
    let Some(mut browser) = Chromium::start("phone-rules") else { return };
    browser.look(390, 844, false);
    browser.open(&served(Some(recorded_nodes(1_000))));
    browser.click_on("#switch-rule");
    browser.wait("document.querySelectorAll('#compare .slider small').length > 20");
    let cut = "[...document.querySelectorAll('#compare .slider small')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)";
    assert_eq!(browser.eval(cut), json!([]));
}

#[test]
fn fifty_thousand_nodes_fit_into_ten_megabytes() {
    const MEGABYTES: usize = 10;
    let page = html::page(&recorded_nodes(50_000));
    assert!(page.len() < MEGABYTES * 1_000_000, "{} bytes", page.len());
    eprintln!("the page of 50000 nodes has {} bytes", page.len());
}

/// Fills in the form of a live search and sends it.
fn wish(fen: &str, nodes: u32) -> String {
    format!(
        "(() => {{ const form = document.querySelector('#live form'); form.fen.value = {fen:?}; form.nodes.value = {nodes}; form.requestSubmit(); }})()"
    )
}

/// Tests that take many seconds; `.ci/run` runs them.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_page_that_can_search_works_and_searches() {
        let Some(mut browser) = Chromium::desktop("served") else { return };
        for url in searching_pages(&recording(20_000)) {
            browser.open(&url);
            check_page(&mut browser);

            browser.click_on("#new-search");
            browser.wait(
                "document.getElementById('live').open && document.querySelectorAll('#live [data-name]').length > 20",
            );
            browser.eval(&wish("no position at all", 4000));
            browser.wait("document.getElementById('live-problem').textContent.includes('no position at all')");
            forget_refusals(&mut browser);
            browser.eval("document.querySelector('[data-name=\"null_move.on\"]').click()");
            browser.eval(&wish("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 4000));
            browser.wait("!document.getElementById('live').open && quarterply.about.fen.startsWith('6k1/')");
            browser.wait("document.getElementById('headline').textContent.includes('Rd8#')");
            assert_eq!(browser.eval("quarterply.about.rules.find(rule => rule.name === 'null move').count"), 0);
        }
    }
}
