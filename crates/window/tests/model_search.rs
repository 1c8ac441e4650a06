//! Models searched by the engine: the textbook's value with the rules off, and the explanation where rules change it.

mod common;

use common::{shipped, view};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::profile;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_window::model::hundredths;
use quarterply_window::model_search::{ModelSearch, ModelSearchSettings, ModelSetup, OPEN};
use quarterply_window::show::tree;
use quarterply_window::trace::Trace;
use quarterply_window::{Model, words};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

fn named(profile: &str) -> Parameters {
    profile::builtin(profile).expect("built in")
}

fn searched<'a>(model: &'a Model, parameters: &'a Parameters) -> ModelSearch<'a> {
    let settings = ModelSearchSettings { parameters, profile: "test", depth: None };
    model.search(settings).expect("a model that is chess")
}

fn text(search: &ModelSearch<'_>) -> String {
    let mut out = Vec::new();
    let root = search.root().expect("an iteration");
    tree::write(&mut out, &search.trace, root, search.position(), &tree::Style { fold: OPEN, colours: false })
        .expect("a tree");
    String::from_utf8(out).expect("UTF-8")
}

/// Eighths of a pawn, as a model may have them.
fn pawns(random: &mut ChaCha8Rng, most: i32) -> f64 {
    f64::from(random.random_range(-8 * most..=8 * most)) / 8.0
}

/// A model of legal moves after a random game, with random scores; none if the game is over.
fn random_model(seed: u64, plies: usize) -> Option<Model> {
    const LETTERS: [&str; 4] = ["A", "B", "C", "D"];
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new();
    for _ in 0..random.random_range(0..50) {
        let moves = game.position().legal_moves();
        let &mv = moves.get(random.random_range(0..moves.len().max(1)))?;
        game.play(mv);
    }
    let mut nodes = Vec::new();
    let mut open: Vec<(String, String, Position)> = vec![(String::new(), String::new(), game.position().clone())];
    while let Some((key, line, position)) = open.pop() {
        let mut moves: Vec<Move> = position.legal_moves().to_vec();
        let width = if key.is_empty() { 2 } else { random.random_range(0..LETTERS.len() + 1) };
        while moves.len() > width {
            moves.swap_remove(random.random_range(0..moves.len()));
        }
        for (letter, mv) in LETTERS.iter().zip(moves) {
            let san = SanPlus::from_move(position.chess().clone(), mv);
            let (key, line) = (format!("{key}{letter}"), format!("{line} {san}").trim().to_owned());
            let mut node = json!({"key": key, "line": line, "score": pawns(&mut random, 8)});
            if random.random_range(0..2) == 0 {
                node["static"] = json!(pawns(&mut random, 3));
            }
            nodes.push(node);
            if key.len() < plies {
                open.push((key, line, position.play(mv)));
            }
        }
    }
    let text = json!({"fen": game.position().fen(), "nodes": nodes}).to_string();
    (!nodes.is_empty()).then(|| Model::parse(&text).expect("a model"))
}

/// With every rule off the engine is the textbook, on the examples that people learn from.
#[test]
fn examples_have_the_textbook_s_value_with_the_rules_off() {
    let classic = named("classic");
    let mut count = 0;
    for (name, text) in quarterply_data::MODELS {
        let model = Model::parse(text).expect(name);
        if model.fen.is_none() {
            continue;
        }
        let search = searched(&model, &classic);
        assert_eq!(search.value(), hundredths(search.run.value), "{name}");
        let comparison = search.comparison().expect("a comparison");
        assert!(
            comparison.agrees() && comparison.cause.is_none() && comparison.without.is_empty(),
            "{name}\n{comparison}"
        );
        assert_eq!(
            comparison.engine_line, comparison.textbook_line,
            "{name}: no two lines of these are worth the same"
        );
        count += 1;
    }
    assert!(count >= 5);
}

#[test]
fn random_models_have_the_textbook_s_value_with_the_rules_off() {
    let classic = named("classic");
    let mut values = std::collections::HashSet::new();
    for model in (0..240).filter_map(|seed| random_model(seed, 1 + seed as usize % 4)) {
        let search = searched(&model, &classic);
        assert_eq!(search.value(), hundredths(search.run.value), "{:?}\n{}", model.fen, text(&search));
        values.insert(search.value());
    }
    assert!(values.len() > 50);
}

/// Whatever rules do to random models: where they change the value, a decision is named, and it is one that was made.
#[test]
fn a_changed_value_always_has_a_cause() {
    let mut changed = 0;
    for (seed, profile) in (0..88).zip(profile::BUILTIN.iter().cycle()) {
        let Some(model) = random_model(1000 + seed, 5) else { continue };
        let parameters = named(profile);
        let search = searched(&model, &parameters);
        let comparison = search.comparison().expect("a comparison");
        assert_eq!(
            comparison.agrees(),
            comparison.cause.is_none(),
            "{profile} {:?}\n{}{comparison}",
            model.fen,
            text(&search)
        );
        if let Some((words, rule)) = &comparison.cause {
            changed += 1;
            assert!(words.contains("the leaves say"), "{words}");
            let named = rule.is_some() || words.contains("depth was used up");
            assert!(named, "{profile} {:?}\n{}{comparison}", model.fen, text(&search));
        }
    }
    assert!(changed > 8, "{changed}");
}

/// Moves that are not in the model do not exist: nothing that is shown names one.
#[test]
fn the_output_has_the_moves_of_the_model_only() {
    for model in (0..40).filter_map(|seed| random_model(2000 + seed, 4)) {
        let parameters = named("default");
        let search = searched(&model, &parameters);
        let mut known: Vec<&str> = model.nodes().iter().flat_map(|node| node.line.split_whitespace()).collect();
        known.extend(["--", "and", "more"]);
        for line in text(&search).lines().skip(2) {
            let line = line.trim_start_matches(['│', '├', '└', '─', ' ']);
            let Some(list) = line.strip_prefix("- ") else { continue };
            let mut words = list.split_whitespace();
            let first = words.next().expect("a move");
            assert!(known.contains(&first), "{line}\n{}", text(&search));
        }
        for id in 0..search.trace.len() {
            let node = search.trace.node(id).expect("a node");
            let only = node.only.as_ref().expect("a node of a model");
            assert!(node.moves().all(|mv| only.contains(&mv.mv)));
        }
    }
}

/// Every rule off but this one.
fn only(rule: Rule) -> Parameters {
    let mut parameters = named("classic");
    parameters.set(rule.switches()[0], 1).expect("a switch");
    parameters
}

/// The shipped models mislead one rule each, alone among rules that are off: it is named, with the decision; the textbook is right.
#[test]
fn shipped_models_mislead_their_rules() {
    for (name, rule, value, expected, expected_cause) in [
        (
            "quiet-pin",
            Rule::Futility,
            -275,
            0,
            "At 1.Rxe5 Qxe5, White to move, the search found <= -5.00 where the leaves say +1.00: futility skipped 1.Rxe5 Qxe5 \
             2.Bc3, the best move by the leaves (-5.00 + 1.50 = -3.50 <= alpha -2.75",
        ),
        (
            "zugzwang",
            Rule::NullMove,
            400,
            900,
            "At 1.Qa5, Black to move, the search found >= -4.00 where the leaves say -9.00: null move ended it (a null move \
             scores -4.00 >= beta -4.00",
        ),
    ] {
        let model = shipped(name);
        let parameters = only(rule);
        let comparison = searched(&model, &parameters).comparison().expect("a comparison");
        assert_eq!((comparison.engine.0, comparison.textbook.0.0), (value, expected), "{name}\n{comparison}");
        let (cause, by) = comparison.cause.as_ref().expect("a cause");
        assert_eq!(*by, Some(rule), "{name}");
        assert!(cause.starts_with(expected_cause), "{name}\n{comparison}");
        assert_eq!(comparison.sufficient_rules().collect::<Vec<_>>(), [rule], "{name}\n{comparison}");
        let text = comparison.to_string();
        let [value, expected] = [value, expected].map(|value| words::score(Score(value)));
        let verdict = format!("verdict: the rules changed the result: {value} in place of {expected}\n");
        assert!(text.contains(&verdict), "{text}");
        assert!(text.contains(&format!("Without {} alone the engine finds {expected} too.", rule.name())), "{text}");
        let missed = if rule == Rule::Futility { &comparison.skipped } else { &comparison.ended };
        let line = if rule == Rule::Futility { "1.Rxe5 Qxe5 2.Bc3" } else { "1.Qa5" };
        assert_eq!(missed[rule.name()], [line], "{name}\n{comparison}");
        // Two plies deeper the pin is within the depth where futility trusts no margin; a pass looks as good at any depth.
        let deeper = ModelSearchSettings { parameters: &parameters, profile: "test", depth: Some(5) };
        let deeper = model.search(deeper).expect("chess");
        assert_eq!(deeper.value() == hundredths(deeper.run.value), rule == Rule::Futility, "{name}");
    }
}

/// With all rules on, several hide the pin, each where another would have: they are found one after the other.
#[test]
fn rules_that_stand_in_for_each_other_are_named_together() {
    let model = shipped("quiet-pin");
    let parameters = named("default");
    let comparison = searched(&model, &parameters).comparison().expect("a comparison");
    assert!(!comparison.agrees() && comparison.sufficient_rules().next().is_none(), "{comparison}");
    assert!(comparison.together.len() > 1, "{comparison}");
    let mut without = parameters.clone();
    for rule in &comparison.together {
        rule.switches().iter().for_each(|switch| without.set(switch, 0).expect("a switch"));
    }
    let search = searched(&model, &without);
    assert_eq!(search.value(), hundredths(search.run.value), "{comparison}");
    assert!(comparison.to_string().contains("together the engine finds 0.00 too."), "{comparison}");
}

/// A model of `window show` and of other programs: the recording is a trace like any other, and has the list of the moves that exist.
#[test]
fn the_recording_is_a_trace() {
    let model = shipped("zugzwang");
    let parameters = named("default");
    let search = searched(&model, &parameters);
    let trace = Trace::from_bytes(search.trace.bytes().expect("in memory")).expect("a trace");
    let node = trace.node(trace.last_root().expect("a root")).expect("a node");
    assert_eq!(node.only.as_ref().map(Vec::len), Some(2));
    assert_eq!(trace.header().limits, "only the moves of a model, depth 3");
    assert!(trace.header().rules.iter().any(|rule| rule.name == "model leaf"));
    // The trace contains the model, so the comparison needs no other file.
    let recorded_model = ModelSetup::of(&trace).expect("known parameters").expect("a model");
    assert_eq!(
        recorded_model.comparison(trace).expect("a comparison").to_json(),
        search.comparison().expect("a comparison").to_json()
    );
}

/// The page names its model and repeats searches on the model's tree, never on chess.
#[test]
fn the_page_has_the_verdict() {
    let model = shipped("example-1");
    let parameters = named("default");
    let search = searched(&model, &parameters);
    let shown = search.view().expect("a view");
    assert!(shown.basis.is_some_and(|basis| basis.playable.is_some()));
    assert!(view(&search.trace).basis.is_none());
    assert!(shown.about.remarks.iter().any(|remark| remark.starts_with("verdict: ")), "{:?}", shown.about.remarks);
    let json: Value = search.comparison().expect("a comparison").to_json();
    assert_eq!(json["textbook"]["value"], 900);
}
