//! Every command with results writes them to `--json`.

use crate::support::{contents, file, folder, json_lines, quarterply, succeeds, words};
use serde_json::Value;

const SUITE: &[u8] = b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n";
const COUNTS: &[u8] = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";

#[test]
fn every_command_writes_json() {
    let (_a, suite) = file("small.epd", SUITE);
    let (_b, counts) = file("counts.epd", COUNTS);
    let (_c, model) = file("model.json", include_bytes!("../../../../data/models/example-1.json"));
    let (_d, values) = file("values.txt", b"null_move.base, 3000\n");
    let (_folder, path) = folder();
    let (one, two, trace) = (path("1.jsonl"), path("2.jsonl"), path("tree.trace"));
    for out in [&one, &two] {
        quarterply(&["solve", &suite, "--nodes", "300", "--quiet", "--json", out]);
    }
    quarterply(&["window", "search", "--depth", "2", "-o", &trace]);
    let play = "--play-nodes 60 --shallow-nodes 60 --nodes 3000 --verify-nodes 6000";
    for (words, key) in [
        (words!("bench 2"), "nodes"),
        (words!("solve {suite} --nodes 300"), "solved"),
        (words!("compare {one} {two}"), "nodes_stable"),
        (words!("ablate {suite} --nodes 50"), "rule"),
        (words!("eval"), "score"),
        (words!("params null_move"), "name"),
        (words!("perft 2 --divide"), "leaves"),
        (words!("perft 2"), "leaves"),
        (words!("perft --suite {counts}"), "expected"),
        (words!("mine --seed 11 --games 12 {play}"), "find"),
        (words!("match --player default --player classic --nodes 60 --games 2 --hash 1"), "players"),
        (words!("selfplay --nodes 60 --games 2 --hash 1"), "players"),
        (words!("uci-check --case 1"), "verdict"),
        (words!("tune import {values}"), "name"),
        (words!("window model {model}"), "*"),
        (words!("window model --new 2x2"), "*"),
        (words!("window search --depth 2"), "*"),
        (words!("window show {trace}"), "*"),
        (words!("window why e4 --depth 3 --rules 0"), "sentences"),
        (words!("window diff --depth 2 --profile default --profile classic"), "causes"),
        (words!("window tutorial --small 1 --large 1 --rules 1"), "lines"),
    ] {
        let out = path("out.jsonl");
        for place in [out.as_str(), "-"] {
            // A file that is left by the command before is in the way of none.
            let _ = std::fs::remove_file(&out);
            let run = succeeds(&[&words[..], &words!("--json {place}")].concat());
            let text = if place == "-" { run.out } else { contents(&out) };
            let lines = json_lines(&text);
            assert!(!lines.is_empty(), "{words:?} {place}");
            let has = |value: &Value| key == "*" || value.get(key).is_some();
            assert!(lines.iter().any(has), "{words:?} {place}: no `{key}` in {}", lines[0]);
        }
    }
}
