//! "Why not this move?" in the page: every sentence is held against the same search made once more.

use std::collections::BTreeSet;

use quarterply_engine::params::Parameters;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::shakmaty::Move;
use quarterply_window::show::{move_name, position_of};
use quarterply_window::trace::{Decision, MoveCode, NodeRecord, Purpose, Trace};
use quarterply_window::why::{SearchedAlone, answer, what_if};
use quarterply_window::{html, moves};
use serde_json::Value;

use crate::chromium::Chromium;
use crate::common::{README as FEN, depth, game, must, nodes, recorded, view};
use crate::{opened, page_file, searching_pages};

/// Positions of many kinds: castling, promotions, pins, checks, an ending, a mate near.
const POSITIONS: [&str; 4] = [
    FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2P2k2/3p2p1/p2Pp2p/P3P2P/4K1P1/5p2/8 b - - 0 40",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
];

fn trace(fen: &str, count: u64) -> Trace {
    recorded(&game(fen), &Parameters::default(), &nodes(count))
}

/// Asks the page about random moves at random nodes. For each: the way to the node (which iteration, then which search of each node),
/// the move, the moves that are legal in the page, the answer and its time.
fn random_answers(browser: &mut Chromium, count: usize, seed: u64) -> Vec<Value> {
    let script = format!(
        r#"(async () => {{
            const {{ source, about }} = quarterply;
            let state = {seed};
            const random = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
            const searched = (row) => row.kind === 0 || row.kind === 1;
            const out = [];
            while (out.length < {count}) {{
                const path = await source.path(random(about.rows));
                const nodes = await quarterply.askedNode(source, path);
                const legal = quarterply.namedMoves(quarterply.positionOn(about.fen, nodes));
                if (!legal.length) continue;
                const mv = legal[random(legal.length)];
                const start = performance.now();
                const answer = await quarterply.whyNot(source, about, path, mv);
                const took = performance.now() - start;
                const way = [];
                for (let at = 1; at < nodes.length; at++) {{
                    const siblings = (await source.children(nodes[at - 1].id, 0, 500, "")).rows;
                    const same = at === 1 ? siblings.filter((row) => row.kind === 4) : siblings.filter(searched);
                    way.push(same.findIndex((row) => row.id === nodes[at].id));
                }}
                out.push({{
                    way, san: mv.san, legal: legal.map((one) => one.san).sort(), took, claim: answer.claim,
                    sentence: answer.sentence, rule: answer.rule ?? null,
                }});
            }}
            return out;
        }})()"#
    );
    browser.eval(&script).as_array().expect("a list").clone()
}

/// The node that a way leads to in a trace, with its position.
fn walk(trace: &Trace, way: &Value) -> (NodeRecord, Position) {
    let mut position = trace.game().expect("a game").position().clone();
    let steps: Vec<usize> =
        way.as_array().expect("a way").iter().map(|step| step.as_u64().expect("a place") as usize).collect();
    let roots: Vec<u64> = trace.summary().iterations.iter().filter_map(|iteration| iteration.root).collect();
    let mut node = trace.node(roots[steps[0]]).expect("a root");
    for &step in &steps[1..] {
        let (_, search) = node.searches().nth(step).expect("a search");
        let child = trace.node(search.child.expect("recorded")).expect("a node");
        position = position_of(&child, &position).expect("legal");
        node = child;
    }
    (node, position)
}

/// Holds a rule that the page names beside its sentence against a repeated search: one that reduced the move or ended the node after it.
fn rule_holds(trace: &Trace, node: &NodeRecord, mv: Move, claim: &str, answered: &Value) -> Result<(), String> {
    let named = |rule: Rule| answered["rule"] == rule.name();
    let record = node.moves().find(|record| record.mv == MoveCode::of(mv)).ok_or("the picker did not return it")?;
    let searched = record.searched().ok_or("it was never searched")?;
    must(record.decision() == Some(Decision::NotBest), "the decision is another")?;
    let last = searched.tries.last().ok_or("it has no search")?;
    if claim == "shallow" {
        let reduced = searched.breakdown.iter().any(|line| named(line.by.rule) && line.cost > Depth::ZERO);
        let once = searched.tries.len() == 1 && last.purpose == Purpose::Reduced;
        return must(reduced && once, "it was not reduced by that rule");
    }
    let child = trace.node(last.child.ok_or("not recorded")?).map_err(|error| error.to_string())?;
    must(child.ended.is_some_and(|by| named(by.rule)), "it was not ended by that rule")
}

/// The page and the program answer with the same words.
fn answer_agrees(trace: &Trace, node: &NodeRecord, position: &Position, mv: Move, answered: &Value) {
    let shown = answered["sentence"].as_str().unwrap_or_default().replace('\u{2212}', "-");
    assert_eq!(shown, answer(trace, node, position, mv).expect("whole"), "{}: {}", position.fen(), answered["claim"]);
}

#[test]
fn only_the_left_button_takes_a_piece() {
    let Some(mut browser) = opened("buttons", &view(&trace(FEN, 1_000))) else { return };
    let place = browser.eval("(() => { const box = document.getElementById('board').firstElementChild.getBoundingClientRect(); const { from } = quarterply.asking.legal()[0]; return [box.x + (box.width * ((from % 8) + 0.5)) / 8, box.y + (box.height * (7.5 - Math.floor(from / 8))) / 8]; })()");
    for (button, takes) in [("right", false), ("left", true)] {
        browser.click(&place, button);
        assert_eq!(browser.eval("document.querySelector('#board .target') !== null"), takes, "{button}");
    }
}

/// Two hundred sentences, fifty in each position, each compared with a repeated search.
#[test]
fn whynot_agrees_with_the_search() {
    const PAIRS: usize = 50;
    const NODES: u64 = 5_000;
    const MILLISECONDS_MAX: f64 = 100.0;
    let Some(mut browser) = Chromium::desktop("whynot") else { return };
    let (mut claims, mut times) = (BTreeSet::new(), Vec::new());
    for (fen, seed) in POSITIONS.into_iter().zip(1..) {
        browser.open(&page_file("whynot", &html::page(&view(&trace(fen, NODES)))));
        let again = trace(fen, NODES);
        for answered in random_answers(&mut browser, PAIRS, seed) {
            let (node, position) = walk(&again, &answered["way"]);
            let legal = position.legal_moves();
            let mut legal: Vec<String> = legal.into_iter().map(|mv| move_name(&position, mv)).collect();
            legal.sort();
            assert_eq!(answered["legal"], serde_json::json!(legal), "{}", position.fen());
            let mv = moves::read(&position, answered["san"].as_str().expect("a move")).expect("legal");
            let claim = answered["claim"].as_str().expect("a claim");
            if ["shallow", "cutAfter"].contains(&claim)
                && let Err(reason) = rule_holds(&again, &node, mv, claim, &answered)
            {
                panic!("{fen}, then {}: {}: {reason}\n{answered}\n{node:?}", position.fen(), answered["sentence"]);
            }
            answer_agrees(&again, &node, &position, mv, &answered);
            claims.insert(claim.to_owned());
            times.push(answered["took"].as_f64().expect("a time"));
        }
    }
    assert_eq!(times.len(), PAIRS * POSITIONS.len());
    assert!(claims.len() > 4, "not only one kind of answer: {claims:?}");
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    assert!(median < MILLISECONDS_MAX, "half of the answers took {median} ms or more");
}

/// The answer names the rule that ended the search after the move; the line below it neither repeats that nor says that no reply was
/// searched.
#[test]
fn the_rule_that_ended_the_search_is_named_once() {
    let Some(mut browser) = opened("ended", &view(&trace(FEN, 5_000))) else { return };
    let ask = r"(async () => {
        const { source, about } = quarterply;
        for (let id = 1; id < about.rows; id++) {
            const path = await source.path(id);
            const row = path.pop();
            if (row.kind !== 0 || !row.uci || !row.marks.some(([, action]) => action === 0)) continue;
            const mv = quarterply.namedMoves(quarterply.positionOn(about.fen, path)).find((one) => one.uci === row.uci);
            const answer = mv && (await quarterply.whyNot(source, about, path, mv));
            if (answer?.row?.id !== id || !/ ended the search after /.test(answer.sentence)) continue;
            await quarterply.select(row.up);
            await quarterply.asking.ask(mv);
            return quarterply.asking.current().line.moves.length;
        }
        return null;
    })()";
    assert_eq!(browser.eval(ask), 0, "a move after which a rule ended the search at once");
    let card = "[document.querySelectorAll('#asked .follows, #asked > .lead').length, document.querySelector('#asked [data-row]').textContent, / ended the search after /.test(document.getElementById('asked-lead').textContent)]";
    assert_eq!(browser.eval(card), serde_json::json!([0, "Show it in the tree", true]));
}

/// Asks about a move of the root of a served page and waits for all trials; they are compared with separate searches.
fn trials(browser: &mut Chromium, fen: &str, uci: &str) {
    browser.eval(&format!("quarterply.select(0).then(() => {{ quarterply.asking.askUci({uci:?}); }})"));
    browser.wait(&format!("quarterply.asking.current()?.answer.mv.uci === {uci:?}"));
    browser.wait("quarterply.asking.current()?.trials?.running === false");
    let trials = browser.eval("quarterply.asking.current().trials");
    let game = game(fen);
    let mv = moves::read(game.position(), uci).expect("legal");
    let depth = trials["wanted"].as_u64().expect("a depth") as u32;
    let rows = trials["rows"].as_array().expect("rows");
    assert!(!rows.is_empty(), "{trials}");
    for row in rows {
        let rule = Rule::ALL.iter().copied().find(|rule| row["without"] == rule.name());
        assert_eq!(rule.is_some(), !row["without"].is_null(), "{row}");
        let found = what_if(&game, &Parameters::default(), rule, mv, (depth, 2_000_000), 16).expect("memory");
        assert_eq!(row["finished"], found.finished, "{fen} {uci} {row}");
        assert_eq!(row["depth"], found.depth(), "{fen} {uci} {row}");
        if found.finished {
            let best = found.all.best.map(|mv| move_name(game.position(), mv));
            assert_eq!(
                (row["value"].as_i64(), row["best_value"].as_i64()),
                (Some(found.value().0.into()), Some(found.best_value().0.into())),
                "{row}"
            );
            assert_eq!(row["best"].as_str(), best.as_deref(), "{row}");
        }
    }
    leads_with_the_move_alone(browser, &trials, &game, mv, depth);
}

/// The panel begins with the sentence of the move searched alone, and that of the tree follows.
fn leads_with_the_move_alone(browser: &mut Chromium, trials: &Value, game: &Game, mv: Move, depth: u32) {
    let found = what_if(game, &Parameters::default(), None, mv, (depth, 2_000_000), 16).expect("memory");
    let (alone, all) = (&found.alone.report, &found.all.report);
    let answer = SearchedAlone { game, mv, alone, all, finished: found.finished }.answer();
    assert_eq!(trials["answer"], answer, "{trials}");
    let lead = "[...document.querySelectorAll('#asked-lead p')].map((one) => one.textContent)";
    let shown = browser.eval(lead);
    let tree = browser.eval("`In this tree: ${quarterply.asking.current().answer.sentence}`");
    assert_eq!(shown, Value::Array(vec![answer.into(), tree]));
}

#[test]
fn what_if_is_searched_from_the_page() {
    let Some(mut browser) = Chromium::start("whatif") else { return };
    browser.look(390, 844, false);
    let fen = POSITIONS[3];
    for url in searching_pages(&trace(fen, 3_000)) {
        browser.open(&url);
        what_if_is_answered(&mut browser, fen);
    }
}

fn what_if_is_answered(browser: &mut Chromium, fen: &str) {
    trials(browser, fen, "c3d5");
    // On a phone the answer is where one looks.
    assert_eq!(browser.eval("document.body.dataset.tab"), "panel");
    let text = browser.text("document.getElementById('asked').textContent");
    assert!(text.contains("Why not Nd5?") && text.contains("finished"), "{text}");
    // No rule was involved, so the answer names no rule.
    assert!(text.contains("No rule was involved: searched again, Nd5 is"), "{text}");
    browser.click_on("#asked-close");
    browser.wait("document.getElementById('asked') === null");
}

/// Compares the summary below the trials of a move with their values. Returns true if the unchanged search hid the move.
fn summary_holds(browser: &mut Chromium, san: &str) -> bool {
    let trials = browser.eval("quarterply.asking.current().trials");
    let text = browser.text("document.querySelector('#trials p').textContent");
    let rows: Vec<&Value> =
        trials["rows"].as_array().expect("rows").iter().filter(|row| row["finished"] == true).collect();
    let preferred = |row: &Value| row["best"] == san;
    let hidden = |row: &Value| !preferred(row) && row["value"].as_i64() > row["best_value"].as_i64();
    let usual = hidden(rows[0]);
    assert_eq!(text.contains("Searched alone it is worth more than"), usual, "{text}\n{trials}");
    let by = text.contains(&format!(" hid {san}"));
    assert_eq!(by, usual, "{text}\n{trials}");
    for row in &rows[1..] {
        let rule = row["without"].as_str().expect("a rule");
        let end = match (preferred(row), hidden(row)) {
            (true, _) => "is the best move",
            (_, true) => "alone is worth more than the best move, but other rules hide it",
            _ => "another move is at least as good",
        };
        let says = |sentence: &&str| sentence.contains("Without ") && sentence.contains(rule);
        let sentence = text.split('.').find(says).unwrap_or_else(|| panic!("{rule} in {text}"));
        assert!(sentence.ends_with(end), "{sentence}, not {end}\n{trials}");
    }
    usual
}

/// Tests that take many seconds; `.ci/run` runs them.
mod slow {
    use super::*;

    /// A move that beats the best one when it is searched alone was hidden, and the page says by what.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn the_page_names_the_rule_that_hid_a_move() {
        let Some(mut browser) = Chromium::start("hidden") else { return };
        let game = game(FEN);
        let mut hidden = 0;
        for plies in [8, 10] {
            let trace = recorded(&game, &Parameters::default(), &depth(plies));
            for url in searching_pages(&trace) {
                browser.open(&url);
                for (uci, san) in [("f4g3", "Bg3"), ("d1c2", "Qc2"), ("h2h3", "h3"), ("f3e5", "Ne5")] {
                    trials(&mut browser, FEN, uci);
                    browser.wait("!document.querySelector('#trials p').textContent.endsWith(' s')");
                    hidden += usize::from(summary_holds(&mut browser, san));
                }
            }
        }
        assert!(hidden > 0, "no move was hidden");
    }
}
