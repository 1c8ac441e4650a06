//! `quarterply window` from the outside.

use std::fs;
use std::path::Path;

use crate::support::{contents, file, folder, has_text, json_value, quarterply, refused, succeeds, words};
use serde_json::Value;

const FEN: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11";

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/models").join(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn models_have_their_event_tables() {
    for number in 1..=5 {
        let run = quarterply(&["window", "model", &model(&format!("example-{number}.json")), "--format", "json"]);
        let found = run.value();
        let expected = json_value(&contents(model(&format!("example-{number}.expected.json"))));
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(&found[name], value, "example {number}: {name}");
        }
    }
}

#[test]
fn models_are_shown_in_every_form() {
    let example = model("example-4.json");
    for (format, needle) in [
        ("text", "line 1.Nf5+ Kg8 2.Nxh6+  value 5.125"),
        ("diagram", "(4): 12.000 [5.125,-MAX] 12.000>=5.125 ALPHA BETA CUTOFF"),
        ("log", "cutoff? 12.000 >= 5.125 (1.Nf5+ Kg8): yes"),
        ("text", "(order): value [two-ply, one-ply] comparison"),
        ("verdict", "of 8 leaves evaluated"),
        ("pairs", "created"),
        ("sargon", "PV = 1.Nf5+ Kg8 2.Nxh6+, note that the PV nodes are asterisked\nDecision 4) here is"),
        ("scan", "AGA  length 3 and it continues AG: taken"),
        ("boards", "1.Nf5+ Kg8 2.Nxh6+"),
    ] {
        let run = succeeds(&["window", "model", &example, "--format", format]);
        assert!(run.out.contains(needle), "{format}\n{}", run.out);
    }
}

/// The tree that docs/window.md shows is printed by the command above it.
#[test]
fn the_manual_shows_what_a_search_prints() {
    let page = contents(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/window.md"));
    let command =
        page.lines().find_map(|line| line.strip_prefix("quarterply window search --fen \"")).expect("a command");
    let (fen, _) = command.split_once('"').expect("a position in quotes");
    let run = quarterply(&words!("window search --fen \"{command}"));
    let (first, tree) = run.out.split_once('\n').expect("lines");
    assert_eq!(first, fen);
    assert!(tree.lines().count() > 2 && page.contains(tree), "put this into docs/window.md:\n{tree}");
}

/// The same tree through the engine: every form, `--set`, `--profile` and `--depth`, and the closing as JSON.
#[test]
fn models_go_through_the_engine() {
    let pin = model("quiet-pin.json");
    let engine =
        |more: &str| quarterply(&words!("window model {pin} --engine --profile classic --set futility.on=true {more}"));
    for (format, needle) in [
        ("text", "x Bc3 futility: -5.00 + 1.50 = -3.50 <= alpha -2.75"),
        ("text", "quiet-pin: the rook is given for a quiet pin"),
        ("text", "skipped by futility: 1.Rxe5 Qxe5 2.Bc3"),
        ("log", "move 2 Bc3 (quiet 0) skipped: futility: -5.00 + 1.50"),
        ("verdict", "verdict: the rules changed the result: -2.75 in place of 0.00"),
        ("html", "verdict: the rules changed the result: -2.75 in place of 0.00"),
        ("json", "\"agrees\": false"),
    ] {
        let run = engine(&format!("--format {format}")).ends(0);
        assert!(run.out.contains(needle), "{format}\n{}", run.out);
    }
    let run = engine("--set futility.on=false --format verdict");
    assert!(run.out.contains("verdict: the rules changed nothing, both find 0"), "{}", run.out);
    let run = engine("--depth 5 --format verdict");
    assert!(run.out.contains("leaves seen at depth 5") && run.out.contains("both find 0"), "{}", run.out);
    let closing = engine("--json -").value();
    assert_eq!((&closing["cause"]["rule"], &closing["engine"]["value"]), (&"futility".into(), &(-275).into()));
    let (_folder, at) = folder();
    let path = &at("pin.trace");
    engine(&format!("-o {path}")).ends(0);
    let shown = quarterply(&["window", "show", path]);
    assert!(shown.out.contains("x Bc3 futility:") && !shown.out.contains("Nf3"), "{}", shown.out);
    let closing = engine("--format verdict").out;
    assert!(shown.out.ends_with(&format!("\n\n{closing}")), "{}\n{closing}", shown.out);
    let page = quarterply(&["window", "show", path, "--format", "html"]);
    assert!(page.out.contains("verdict: the rules changed the result"), "the page ends with it too");
    let deeper = &at("deeper.trace");
    engine(&format!("--depth 5 -o {deeper}")).ends(0);
    let shown = quarterply(&["window", "show", deeper]);
    assert!(shown.out.ends_with(&engine("--depth 5 --format verdict").out), "{}", shown.out);
}

#[test]
fn models_that_the_engine_cannot_search_are_refused_with_the_key() {
    let zugzwang = model("zugzwang.json");
    for (arguments, needle) in [
        (&[model("deep-cutoff.json").as_str(), "--engine"][..], "deep-cutoff.json: the model has no fen"),
        (&[&zugzwang, "--engine", "--set", "nul_move.on=false"], "did you mean `null_move.on`?"),
        (&[&zugzwang, "--set", "null_move.on=true"], "the textbook search has no rules; add --engine"),
        (&[&zugzwang, "--engine", "--format", "pairs"], "cannot use this --format with --engine"),
        (&[&zugzwang, "--engine", "--format", "sargon"], "cannot use this --format with --engine"),
        (&[&zugzwang, "--engine", "--format", "trace"], "give a file with -o FILE.trace"),
        (&[&zugzwang, "--format", "trace"], "add --engine"),
        (&[&zugzwang, "-o", "no-such-model.trace"], "add --engine"),
        (&[&zugzwang, "--depth", "3"], "--engine"),
    ] {
        refused(&[&["window", "model"], arguments].concat(), needle);
    }
    refused(&["window", "serve", "--model", &model("deep-cutoff.json")], "deep-cutoff.json: the model has no fen");
    let nodes = r#"[{"key": "A", "line": "1.Qa5"}, {"key": "AG", "line": "1.Qa5 Rb9"}]"#;
    let text = format!(r#"{{"fen": "1k6/1r6/2K5/8/8/8/8/Q7 w - - 0 1", "nodes": {nodes}}}"#);
    let (_folder, path) = file("bad.json", text.as_bytes());
    refused(&["window", "model", &path, "--engine"], "bad.json: node with key `AG`: `Rb9` is not a legal move");
}

#[test]
fn a_refused_model_leaves_no_file() {
    let (folder, at) = folder();
    let (json, trace) = (at("out.jsonl"), at("model.trace"));
    refused(&["window", "model", &model("zugzwang.json"), "-o", &trace, "--json", &json], "add --engine");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// The output of models in docs/window.md equals that of the commands above it.
#[test]
fn the_chapter_shows_what_is_printed_of_models() {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/window.md");
    let text = contents(chapter);
    let shown: Vec<(&str, &str)> = text
        .split("```text\n$ quarterply ")
        .skip(1)
        .filter_map(|rest| rest.split_once("```")?.0.split_once('\n'))
        .filter(|(command, _)| command.starts_with("window model "))
        .collect();
    assert_eq!(shown.len(), 3);
    for (command, expected) in shown {
        let model = |word: &str| word.strip_prefix("data/models/").map_or(word.to_owned(), model);
        let run = quarterply(&command.split_whitespace().map(model).collect::<Vec<_>>());
        assert!(run.out.contains(expected), "put this into docs/window.md:\n{}", run.out);
    }
}

#[test]
fn the_case_of_an_extension_does_not_matter() {
    let (_folder, at) = folder();
    for (name, beginning) in [("PAGE.HTML", "<!DOCTYPE html>"), ("Table.Json", "{")] {
        succeeds(&["window", "model", &model("example-1.json"), "-o", &at(name)]);
        assert!(contents(at(name)).starts_with(beginning), "{name}");
    }
}

#[test]
fn a_template_is_a_model() {
    let run = quarterply(&["window", "model", "--new", "2x3"]);
    let (_folder, path) = file("new.json", run.out.as_bytes());
    let shown = quarterply(&["window", "model", &path, "--format", "diagram"]);
    assert!(shown.out.contains("1.B I"), "{}", shown.out);
}

#[test]
fn bad_models_are_refused_with_the_key() {
    for (text, needle) in [
        (r#"{"nodes": [{"key": "A"}, {"key": "BG"}]}"#, "node 2 with key `BG` has no parent: list `B` too"),
        (r#"{"nodes": [{"key": "A"}, {"key": "A"}]}"#, "node 2 repeats the key `A`"),
        (r#"{"nodes": []}"#, "the model has no nodes"),
        ("[1, 2", "not a model"),
    ] {
        let (_folder, path) = file("bad.json", text.as_bytes());
        quarterply(&["window", "model", &path]).ends(2).says(&[needle, "bad.json"]);
    }
    for (arguments, needle) in [
        (&["window", "model"][..], "give a model file, or a shape"),
        (&["window", "model", "--new", "2y2"], "`2y2` is not a valid shape"),
        (&["window", "model", &model("deep-cutoff.json"), "--format", "boards"], "the model has no fen"),
    ] {
        refused(arguments, needle);
    }
}

#[test]
fn a_search_is_shown_in_every_form() {
    let (_folder, at) = folder();
    for (ending, needle) in [
        ("txt", "see pruning: it loses more than"),
        ("log", "ended by table: "),
        ("jsonl", "\"breakdown\":[{\"by\":"),
        ("dot", "digraph search {"),
        ("svg", "<svg xmlns="),
    ] {
        let path = &at(&format!("tree.{ending}"));
        succeeds(&["window", "search", "--fen", FEN, "--nodes", "20000", "-o", path]).says(&["20 000 moves searched"]);
        let text = contents(path);
        assert!(text.contains(needle), "{ending}");
        if ending == "jsonl" {
            assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
        }
    }
}

#[test]
fn a_recording_is_checked_and_shown_again() {
    let (_folder, at) = folder();
    let path = &at("tree.trace");
    let run = succeeds(&["window", "search", "--fen", FEN, "--depth", "9", "--check", "-o", path]);
    assert!(run.out.contains(" 0 wrong") && run.out.contains("the same search without the recorder"), "{}", run.out);
    let shown = quarterply(&["window", "show", path, "--iteration", "5"]);
    assert!(shown.out.starts_with(FEN), "{}", shown.out);
    let whole = fs::read(path).expect("a trace");
    for (name, bytes, needle) in [
        ("cut.trace", &whole[..whole.len() / 2], "ends too early"),
        ("other.trace", b"something else altogether", "not a trace"),
    ] {
        let (_folder, path) = file(name, bytes);
        quarterply(&["window", "show", &path]).ends(2).says(&[needle, name]);
    }
    quarterply(&["window", "show", path, "--iteration", "50"]).says(&["no iteration of depth 50 was recorded"]);
}

#[test]
fn an_existing_file_is_kept_until_the_new_one_is_complete() {
    let (folder, path) = file("tree.svg", b"precious");
    let search = format!("window search --fen '{FEN}' --depth 4 --overwrite -o {path}");
    quarterply(&words!("{search} --filter iteration=30")).ends(2);
    assert_eq!(contents(&path), "precious");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no part of a file is left");
    succeeds(&words!("{search}"));
    assert!(contents(&path).starts_with("<svg"));
    if Path::new("/dev/full").exists() {
        quarterply(&words!("window search --depth 40 --format trace -o /dev/full"))
            .ends(1)
            .says(&["cannot write `/dev/full`"]);
    }
}

#[test]
fn a_wrong_json_file_is_refused_before_the_search() {
    let (_folder, at) = folder();
    let (trace, missing) = (at("tree.trace"), at("missing/out.jsonl"));
    succeeds(&["window", "search", "--depth", "2", "-o", &trace]);
    for (words, needle) in [
        (words!("window search --depth 2 --json {missing}"), "the folder"),
        (words!("window show {trace} --json {missing}"), "the folder"),
        (words!("window show {trace} --json {trace} --overwrite"), "the same command reads it"),
    ] {
        let run = refused(&words, needle);
        assert_eq!((run.out.as_str(), run.err.contains("searched")), ("", false), "{words:?}: {}", run.err);
    }
}

#[test]
fn filters_leave_out_and_count() {
    let run = quarterply(&["window", "search", "--fen", FEN, "--depth", "6", "--filter", "plies=2"]);
    assert!(has_text(&run.err, "more not recorded") && run.out.contains(" more\n"), "{} {}", run.err, run.out);
}

fn why(order: &str) -> String {
    succeeds(&words!("window why {order} --fen '{FEN}'")).out
}

#[test]
fn a_move_is_explained() {
    let text = why("Bd3 --rules 2 --nodes 20000");
    for needle in ["Bd3 was move", "Bd3 was searched alone to depth", "what if", "With any one of these rules off"] {
        assert!(has_text(&text, needle), "{needle}\n{text}");
    }
    // The best move of all, as the search names it, needs no trial.
    let best = text.split("Best: ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a best move");
    let text = why(&format!("{best} --nodes 20000"));
    assert!(text.contains("is the best.") && !text.contains("what if"), "{text}");
    let run = quarterply(&words!("window why Bd3 --rules 2 --json - --fen '{FEN}' --nodes 20000"));
    let report = run.value();
    let what_if = &report["what_if"];
    assert_eq!(what_if["searches"].as_array().map(Vec::len), Some(3), "{report}");
    assert!(what_if["sentences"][1].as_str().is_some_and(|verdict| has_text(&run.err, verdict)), "{report}");
    let text = why("h6 --after Rd1 --rules 0 --nodes 20000");
    assert!(text.contains("The position was last searched at depth") && !text.contains("what if"), "{text}");
    let text = why("Kh8 --after 'Kh1 h6 Kg1 a5 Qb3' --rules 0 --nodes 20000");
    assert!(text.contains("The position asked about was not searched: the search left the line at"), "{text}");
    quarterply(&["window", "why", "Nxe9", "--fen", FEN]).ends(2).says(&["cannot play `Nxe9` in", "dxc5"]);
}

/// What `why` says is what the recorded search did: its numbers are those of the JSON lines.
#[test]
fn an_explanation_has_the_numbers_of_the_search() {
    let search = quarterply(&["window", "search", "--fen", FEN, "--depth", "7", "--format", "jsonl"]);
    let nodes = search.json();
    let root = nodes.iter().find(|node| node["ply"] == 0).expect("a root");
    let steps = root["steps"].as_array().expect("what happened at the root");
    let searched: Vec<&Value> = steps.iter().filter(|step| step["tries"].is_array()).take(8).collect();
    assert!(searched.len() > 4, "{root}");
    for mv in searched {
        let (san, value) = (mv["san"].as_str().expect("a move"), mv["score"].as_i64().expect("a value"));
        let text = why(&format!("{san} --depth 7 --rules 0"));
        let place = format!("{san} was move {} in the order", mv["number"]);
        assert!(text.contains(&place), "{place}\n{text}");
        let shown = if value == 0 { "0.00".to_owned() } else { format!("{:+.2}", value as f64 / 100.0) };
        assert!(text.contains(&format!(" {shown}")), "{shown}\n{text}");
        for line in mv["breakdown"].as_array().into_iter().flatten() {
            let words = line["words"].as_str().expect("words").split(':').next().expect("a rule and its cost");
            assert!(text.contains(words), "{words}\n{text}");
        }
    }
}

#[test]
fn two_searches_are_compared() {
    let diff = format!("window diff --fen '{FEN}'");
    let found = succeeds(&words!("{diff} --profile default --profile falcon --depth 5 --json -")).value();
    assert_eq!(found["searches"], serde_json::json!(["default", "falcon"]));
    assert!(!found["causes"].as_array().expect("a list").is_empty());
    let same = quarterply(&words!("{diff} --profile default --profile default --depth 5"));
    assert!(same.out.contains("The trees are the same."), "{}", same.out);
    assert!(!same.out.contains("differ"), "equal searches do not differ\n{}", same.out);
    let but = quarterply(&words!("{diff} --set-second futility.on=false --depth 6"));
    assert!(but.out.contains("futility"), "{}", but.out);
    refused(&words!("{diff} --profile default"), "give --profile twice");
    refused(&words!("bench 1 --profile default --profile falcon"), "cannot be used multiple times");
}

#[test]
fn a_comparison_is_a_page() {
    let (_folder, at) = folder();
    let path = &at("diff.html");
    let arguments = words!("window diff --fen '{FEN}' --set-second null_move.on=false --depth 7 -o {path}");
    let run = succeeds(&arguments);
    assert!(run.out.contains("The trees first differ after "), "{}", run.out);
    let page = contents(path);
    assert_eq!(page.matches("first difference").count(), 1, "one row is lit");
    assert!(page.contains("null move"), "the rule is named");
    assert!(!page.contains("http://") && !page.contains("https://"), "it loads nothing");
    refused(&arguments, "--overwrite");
}

#[test]
fn a_recording_ends_at_the_requested_event() {
    let search = |more: &str| succeeds(&words!("window search --fen '{FEN}' {more}"));
    let reached = search("--nodes 20000 --format log --filter until=singular");
    assert!(!reached.err.contains("warning"), "{}", reached.err);
    // Razoring is off in the default profile: its event never happens.
    let (_folder, at) = folder();
    for target in ["--format log".to_owned(), format!("-o {}", at("a.trace"))] {
        let missed = search(&format!("--nodes 200 --filter until=razoring {target}"));
        assert!(
            has_text(&missed.err, "ended without the event of --filter until=razoring; search longer"),
            "{}",
            missed.err
        );
    }
    let refusal = "`nul_move` is not a valid value of the filter `until`";
    refused(&words!("window search --filter until=nul_move"), refusal);
}

#[test]
fn bets_are_ranked_by_rule() {
    let bets = |more: &str| succeeds(&words!("window bets --fen '{FEN}' --nodes 20000 {more}"));
    let run = bets("--list 1");
    assert!(
        run.out.contains("late move reduction") && run.out.contains("The lost bets with the largest errors:"),
        "{}",
        run.out
    );
    // The worths in games are those of the default profile.
    assert!(
        run.out.contains("worth (Elo)") && has_text(&run.out, "Elo with the rule minus Elo without it"),
        "{}",
        run.out
    );
    for changed in ["--profile tactical", "--set null_move.on=false"] {
        let other = bets(changed);
        assert!(other.out.contains("late move reduction") && !other.out.contains("worth"), "{}", other.out);
    }
    let rows = bets("--json -").json();
    let (summary, bets) = rows.split_last().expect("lines");
    let sum = |of: &dyn Fn(&Value) -> i64| summary["rules"].as_array().expect("rules").iter().map(of).sum::<i64>();
    assert_eq!(sum(&|rule| rule["lost"].as_i64().expect("a number")), bets.len() as i64);
    let costs: i64 = bets.iter().map(|bet| bet["cost"].as_i64().expect("a number")).sum();
    assert_eq!(sum(&|rule| rule["cost"].as_i64().expect("a number")), costs);
    let lost = |rule: &Value| rule["lost"].as_u64().expect("a number") > 0;
    assert!(summary["rules"].as_array().expect("rules").iter().all(|rule| rule["positions"] == u64::from(lost(rule))));
}

/// The shortest mate, with names that a page must not take for its own signs.
const GAME: &str = "[Event \"Club <A>\"]\n[White \"A & B\"]\n[Black \"C\"]\n[Result \"*\"]\n\n1. f3 e5 2. g4 Qh4# *\n";

#[test]
fn a_game_is_reviewed() {
    let (folder, path) = file("game.pgn", GAME.as_bytes());
    let page = folder.path().join("review.html").display().to_string();
    let run = succeeds(&["window", "review", &path, "--nodes", "4000", "--json", "-", "-o", &page]);
    let rows = run.json();
    let (summary, moves) = rows.split_last().expect("lines");
    assert_eq!((moves.len() as u64, summary["moves"].as_u64()), (4, Some(4)));
    assert_eq!(summary["summary"], true);
    let worst = moves.iter().max_by(|a, b| a["lost"].as_f64().partial_cmp(&b["lost"].as_f64()).expect("numbers"));
    let worst = worst.expect("a move");
    assert_eq!(
        (&worst["move"], &worst["grade"], &worst["after"]),
        (&"g2g4".into(), &"blunder".into(), &(-31_998).into())
    );
    assert_eq!(worst["looked"]["refutation"][1], "d8h4", "{worst}");
    let page = contents(&page);
    assert!(page.contains("A &amp; B - C (Club &lt;A&gt;)") && page.contains("2. g4 Qh4#") && !page.contains("<A>"));
    let one = quarterply(&["window", "review", &path, "--nodes", "10000", "--side", "black", "--least", "100"]);
    assert!(
        one.out.contains("White: 1 blunder, 1 mistake, ") && one.out.contains(". Black: no fault, 0.00"),
        "{}",
        one.out
    );
    assert!(!one.out.contains("Value of the move alone"), "{}", one.out);
}

#[test]
fn colours_in_the_names_of_a_game_are_shown_not_obeyed() {
    let (_folder, path) = file("evil.pgn", GAME.replace("Club", "\u{1b}[8mClub").as_bytes());
    let run = quarterply(&["window", "review", &path, "--nodes", "100"]);
    assert!(run.out.contains("(\\x1b[8mClub <A>)") && !run.out.contains('\u{1b}'), "{}", run.out);
}

#[test]
fn a_file_of_games_needs_a_choice() {
    let two = format!("{GAME}\n{}", GAME.replace("Club <A>", "Second"));
    let (_folder, path) = file("two.pgn", two.as_bytes());
    for (arguments, needle) in [
        (&["window", "review", &path][..], "it holds 2 games; choose one of them with --game 1 to --game 2"),
        (&["window", "review", &path, "--game", "3"], "holds 2 games"),
    ] {
        refused(arguments, needle);
    }
    let second = quarterply(&["window", "review", &path, "--game", "2", "--depth", "1", "--least", "100"]);
    assert!(second.out.starts_with("A & B - C (Second)"), "{}", second.out);
    let (_folder, empty) = file("none.pgn", b"[White \"A\"]\n\n*\n");
    refused(&["window", "review", &empty], "contains no game with moves");
}

#[test]
fn unfinished_searches_are_reported() {
    let text = why("Nxb5 --nodes 20000 --rules 0");
    assert!(text.contains("unfinished"), "{text}");
    let text = why("Nxb5 --depth 8 --rules 1 --node-factor 1");
    assert!(text.contains("what if"), "{text}");
    let mate = quarterply(&["window", "search", "--fen", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "--nodes", "20000"]);
    assert!(mate.out.contains("iteration 2 "), "a mate needs no hundred iterations\n{}", mate.out);
}

#[test]
fn keys_of_models_that_mean_nothing_are_a_warning() {
    let (_folder, path) = file("more.json", br#"{"shape": 2, "nodes": [{"key": "A", "scor": 3}]}"#);
    succeeds(&["window", "model", &path]).says(&["`shape` in the model is not a known key", "did you mean `score`?"]);
}

#[cfg(unix)]
#[test]
fn a_port_in_use_is_named_once() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let run = refused(&words!("window serve --port {port}"), "omit --port to get a free one");
    assert_eq!(run.err.matches("Address").count(), 1, "{}", run.err);
}

#[test]
fn bad_input_is_named() {
    for (arguments, needle) in [
        (&["window", "search", "--fen", "8/8/8 w"][..], "`8/8/8 w` is not a legal position"),
        (&["window", "search", "--fen", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"], "without legal moves"),
        (&["window", "search", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "is stalemate, without legal moves"),
        (&["window", "why", "Kh7", "--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"], "is checkmate, without legal moves"),
        (&["window", "search", "--fen", "startpos"], "give a complete one such as `rnbqkbnr"),
        (&["window", "search", "--moves", "e4 e5 Ke3"], "cannot play `Ke3` in"),
        (&["window", "search", "--nodes", "0"], "give a whole number of 1 or more"),
        (&["window", "serve", "--port", "70000"], "70000 is not in 0..=65535"),
        (&["window", "serve", "--trace", "no-such.trace"], "no-such.trace"),
        (&["window", "model", "--new", "2x2", "--format", "html"], "cannot be used with"),
        (&["window", "search", "--moves", "e2e5"], "e2e5"),
        (&["window", "search", "--filter", "line=e2e5"], "`e2e5` in the filter `line` is not a legal move"),
        (&["window", "search", "--filter", "deep=5"], "`deep` is not a valid filter: expected plies=N"),
        (&["window", "search", "--set", "nul_move.on=false"], "did you mean `null_move.on`"),
        (&["window", "search", "-o", "tree.xyz"], "cannot choose a format for `tree.xyz`: unknown extension"),
        (&["window", "search", "--format", "trace"], "give a file with -o FILE.trace"),
        (&["window", "search", "-o", "/no/such/folder/tree.txt", "--depth", "1"], "/no/such/folder/tree.txt"),
        (&["window", "search", "--depth", "0"], "give a whole number from 1 to 200"),
        (&["window", "search", "--hash", "0"], "give a whole number from 1 to 33554432"),
        (&["window", "show", "no-such.trace"], "no-such.trace"),
        (&["window", "show", "a.trace", "--profile", "classic"], "a trace is shown without a search; remove them"),
        (&["window", "serve", "--set", "null_move.on=false"], "without --model, the page sets the parameters"),
        (&["window", "tutorial", "--profile", "classic"], "the searches of the tutorial have fixed parameters"),
        (&["window", "site", "x", "--profile", "classic"], "the pages of a site set the parameters"),
        (&["window", "bets", "no-such.epd"], "no-such.epd"),
        (&["window", "bets", "--hash", "33554433"], "give a whole number from 1 to 33554432"),
        (&["window", "bets", "--workers", "2"], "this command has one thread"),
        (&["window", "why", "e4", "--seed", "2"], "this command has one thread"),
        (&["window", "diff", "--workers", "2"], "this command has one thread"),
        (&["window", "review", "no-such.pgn"], "no-such.pgn"),
        (&["window", "review", "game.pgn", "--least", "0"], "give a whole number from 1 to 100"),
        (&["window", "review", "game.pgn", "--side", "green"], "[possible values: white, black]"),
        (&["window", "bets", "--fen", "8/8/8 w"], "`8/8/8 w` is not a legal position"),
    ] {
        refused(arguments, needle);
    }
}

/// The default search fits into the page, and the last line says how to look at it.
#[test]
fn a_page_of_the_default_search_holds_all_nodes() {
    let (_folder, at) = folder();
    let text = &at("first.html");
    let run = succeeds(&["window", "search", "-o", text]);
    assert_eq!(run.err.lines().last(), Some(format!("open {text} in a browser").as_str()));
    assert!(!has_text(&run.err, "not in the page"), "{}", run.err);
    let quiet = quarterply(&["window", "search", "--nodes", "100", "--quiet", "--overwrite", "-o", text]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
}

#[test]
fn the_tutorial_is_a_page() {
    let (_folder, at) = folder();
    let text = &at("t.html");
    let arguments = ["window", "tutorial", "--small", "2", "--large", "1", "--rules", "1", "-o", text];
    let run = quarterply(&arguments);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
    assert!(contents(text).contains("id=\"chapter-11\""));
    refused(&arguments, "t.html");
}

#[test]
fn the_tutorial_is_printed() {
    let run = succeeds(&["window", "tutorial", "--small", "3", "--large", "2", "--rules", "2"]);
    assert!(run.out.contains("The better move first: 8 evaluations. The better move last: 10."), "{}", run.out);
}

/// Writes the files to a new folder.
fn folder_with(files: &[&str]) -> (tempfile::TempDir, String) {
    let (folder, at) = folder();
    for name in files {
        fs::write(at(name), "not a module, but nobody runs it").expect("written");
    }
    let path = folder.path().display().to_string();
    (folder, path)
}

/// The module of the engine is built apart from the program; a page or a site without it is refused before anything is written.
#[test]
fn pages_with_their_own_engine_need_its_module() {
    let (kept, path) = folder_with(&["quarterply.wasm"]);
    let run = quarterply(&["window", "site", &path]).ends(2);
    run.says(&["quarterply-scalar.wasm is missing; `make web` builds it"]);
    assert_eq!(fs::read_dir(kept.path()).expect("a folder").count(), 1, "nothing is written");

    let page = format!("{path}/page.html");
    let search = |output: &str, module: &str| {
        let run = std::process::Command::new(crate::support::program())
            .args(["window", "search", "--nodes", "500", "--live", "-o", output])
            .env("QUARTERPLY_WASM", module)
            .output()
            .expect("it starts");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (code, message) = search(&page, "/no/such/module");
    assert_eq!(code, Some(2), "{message}");
    assert!(has_text(&message, "cannot read `/no/such/module`: no such file"), "{message}");
    let module = format!("{path}/quarterply.wasm");
    let (code, message) = search(&format!("{path}/tree.trace"), &module);
    assert_eq!(code, Some(2), "{message}");
    assert!(has_text(&message, "only a page can hold the engine"), "{message}");
    let (code, message) = search(&page, &module);
    assert_eq!(code, Some(0), "{message}");
    let page = contents(page);
    assert!(page.contains(r#""mode":"engine""#) && page.contains(r#""nodes":500"#), "the request is in the page");
}

#[test]
fn a_site_has_all_its_pages() {
    let (kept, path) = folder_with(&["quarterply.wasm", "quarterply-scalar.wasm"]);
    let run = succeeds(&["window", "site", &path, "--json", "-"]);
    assert_eq!(run.out.lines().count(), 5, "a line for each page: {}", run.out);
    for (name, part) in [
        ("index.html", "quarterply-scalar.wasm"),
        ("tutorial.html", "index.html?fen="),
        ("rules.html", "<a href=\"glossary.html\">glossary</a>"),
        ("glossary.html", "parameters, papers lists the sources"),
        ("offline.js", "rules.html"),
    ] {
        let text = contents(kept.path().join(name));
        assert!(text.contains(part), "{name}: {part}");
    }
    quarterply(&["window", "site", &path]).ends(2);
}
