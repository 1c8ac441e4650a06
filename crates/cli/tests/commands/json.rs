//! Every command with results writes them to `--json`.

use crate::support::{contents, file, folder, quarterply, succeeds};
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
    let mining = "mine --seed 11 --games 12 --play-nodes 60 --shallow-nodes 60 --nodes 3000 --verify-nodes 6000";
    for (line, key) in [
        ("bench 2", "nodes"),
        ("solve SUITE --nodes 300", "solved"),
        ("compare ONE TWO", "nodes_stable"),
        ("ablate SUITE --nodes 50", "rule"),
        ("eval", "score"),
        ("params null_move", "name"),
        ("perft 2 --divide", "leaves"),
        ("perft 2", "leaves"),
        ("perft --suite COUNTS", "expected"),
        (mining, "find"),
        ("match --player default --player classic --nodes 60 --games 2 --hash 1", "players"),
        ("selfplay --nodes 60 --games 2 --hash 1", "players"),
        ("uci-check --case 1", "verdict"),
        ("tune import VALUES", "name"),
        ("window model MODEL", "*"),
        ("window model --new 2x2", "*"),
        ("window search --depth 2", "*"),
        ("window show TRACE", "*"),
        ("window why e4 --depth 3 --rules 0", "sentences"),
        ("window diff --depth 2 --profile default --profile classic", "causes"),
        ("window tutorial --small 1 --large 1 --rules 1", "lines"),
    ] {
        let named = |word: &str| match word {
            "SUITE" => suite.clone(),
            "COUNTS" => counts.clone(),
            "MODEL" => model.clone(),
            "VALUES" => values.clone(),
            "ONE" => one.clone(),
            "TWO" => two.clone(),
            "TRACE" => trace.clone(),
            other => other.to_owned(),
        };
        let words: Vec<String> = line.split(' ').map(named).collect();
        let out = path("out.jsonl");
        for place in [out.as_str(), "-"] {
            // A file that is left by the command before is in the way of none.
            let _ = std::fs::remove_file(&out);
            let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            arguments.extend(["--json", place]);
            let run = succeeds(&arguments);
            let text = if place == "-" { run.out } else { contents(&out) };
            let lines: Vec<Value> = text
                .lines()
                .map(|text| {
                    serde_json::from_str(text).unwrap_or_else(|error| panic!("{line} {place}: {error}: {text}"))
                })
                .collect();
            assert!(!lines.is_empty(), "{line} {place}");
            let has = |value: &Value| key == "*" || value.get(key).is_some();
            assert!(lines.iter().any(has), "{line} {place}: no `{key}` in {}", lines[0]);
        }
    }
}
