//! The program as OpenBench's client drives it: version 27 of `Client/worker.py`, with its `bench.py`, `genfens.py` and `utils.py`
//! (github.com/AndyGrant/OpenBench). The test uses the built program instead of compiling one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{contents, folder, json_value, program, quarterply, refused, succeeds};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The client's name of its build: the engine and the first digits of the commit.
const NAME: &str = "Quarterply-1A2B3C4D";

/// The client's folder with the program in it.
struct Client(TempDir);

impl Client {
    fn new() -> Client {
        let folder = tempfile::tempdir().expect("a folder");
        // Another process makes the copy: what this one writes, a child that another test begets just then holds open for writing.
        let copied = Command::new("cp").arg(program()).arg(folder.path().join(NAME)).status().expect("coreutils");
        assert!(copied.success(), "{copied}");
        Client(folder)
    }

    /// Output and errors in one, as the client reads them.
    fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let command = Command::new(self.0.path().join(NAME))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .expect("it runs");
        [command.stdout, command.stderr].concat()
    }
}

/// Nodes and nodes a second by the client's rules: the last line that has a number before or after the word.
fn parse(stream: &[u8]) -> (Option<u64>, Option<u64>) {
    assert!(stream.is_ascii(), "the client reads ASCII: {}", String::from_utf8_lossy(stream));
    let text = String::from_utf8_lossy(stream);
    let plain = |line: &str| -> Vec<String> {
        let kept: String = line.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
        kept.split_whitespace().map(str::to_lowercase).collect()
    };
    let find = |unit: &str| {
        text.lines().rev().find_map(|line| {
            let words = plain(line);
            let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
            let before = (1..words.len()).find_map(|at| if words[at] == unit { number(at - 1) } else { None });
            before.or_else(|| (0..words.len()).find_map(|at| if words[at] == unit { number(at + 1) } else { None }))
        })
    };
    (find("nodes"), find("nps"))
}

#[test]
fn the_bench_is_read_and_repeats() {
    let client = Client::new();
    // The client says no depth; the form is the same, and this is quicker.
    let (nodes, speed) = parse(&client.run(&["bench", "4"]));
    assert!(speed.is_some_and(|speed| speed > 0), "{speed:?}");
    let shown = quarterply(&["bench", "4", "--json", "-", "--quiet"]).json();
    let last = shown.last().expect("a summary");
    assert_eq!(nodes, last["nodes"].as_u64());
    // With the network of a private engine it goes through UCI.
    assert_eq!(parse(&client.run(&["setoption name EvalFile value <default>", "bench 4", "quit"])).0, nodes);
}

#[test]
fn openings_are_generated_from_nothing_and_from_a_book() {
    let client = Client::new();
    fs::create_dir(client.0.path().join("Books")).expect("a folder");
    let book = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;\n";
    fs::write(client.0.path().join("Books/two.epd"), book).expect("a book");
    for place in ["None", "Books/two.epd"] {
        let out = client.run(&[&format!("genfens 3 seed 77 book {place} "), "quit"]);
        let out = String::from_utf8(out).expect("text");
        let fens: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("info string genfens ")).collect();
        assert_eq!(fens.len(), 3, "{place}: {out}");
        for fen in fens {
            assert!(shakmaty::fen::Fen::from_ascii(fen.as_bytes()).is_ok(), "{fen}");
            // The client makes EPD of it: four fields, and two counters that are numbers.
            let fields: Vec<&str> = fen.split_whitespace().collect();
            assert_eq!(fields.len(), 6, "{fen}");
            assert!(fields[4..].iter().all(|counter| counter.parse::<u32>().is_ok()), "{fen}");
        }
    }
    let ask = |seed: &str| client.run(&[&format!("genfens 5 seed {seed} book None "), "quit"]);
    assert!(ask("42") == ask("42") && ask("42") != ask("43"), "the seed decides");
    refused(&["genfens 5 book None", "quit"], "seed is missing");
}

#[test]
fn every_value_of_a_tuning_run_can_be_set() {
    let client = Client::new();
    let listed = String::from_utf8(client.run(&["uci", "quit"])).expect("text");
    let inputs = quarterply(&["params", "--format", "openbench"]).out;
    let mut lines = vec!["setoption name Hash value 1".to_owned()];
    for line in inputs.lines() {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, "int", value, least, most, _, _] = fields[..] else { panic!("{line}") };
        // Match runners set no option that the engine has not listed.
        let option = format!("option name {name} type spin default {value} min {least} max {most}");
        assert!(listed.lines().any(|line| line == option), "{option}");
        lines.push(format!("setoption name {name} value {value}"));
    }
    lines.extend(["isready", "ucinewgame", "position startpos", "go nodes 500", "quit"].map(str::to_owned));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let out = String::from_utf8(client.run(&lines)).expect("text");
    assert!(out.contains("readyok") && out.contains("bestmove ") && !out.contains("error"), "{out}");
    // For people the list is short.
    assert!(!quarterply(&["uci", "quit"]).out.contains("null_move.base"));
    // The values of a run come back as the server writes them: in the form of the inputs.
    let (_folder, at) = folder();
    let outputs = at("outputs.txt");
    fs::write(&outputs, inputs.replace("null_move.base, int, ", "null_move.base, int, 1")).expect("a file");
    quarterply(&["tune", "import", &outputs]).ends(2);
    fs::write(&outputs, &inputs).expect("a file");
    succeeds(&["tune", "import", &outputs]);
}

#[test]
fn make_puts_the_program_into_the_folder_of_the_client() {
    let arguments = [format!("EXE={NAME}"), "CC=gcc".to_owned(), "EVALFILE=/some/where.nnue".to_owned()];
    let Ok(shown) = Command::new("make").args(["-n", "-j"]).args(arguments).current_dir(ROOT).output() else { return };
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let makes = ["cp ", "tools/release/program --out "];
    let made = |line: &str| makes.iter().any(|make| line.starts_with(make)) && line.ends_with(NAME);
    assert!(text.lines().any(made), "compiled once, or with a profile: {text}");
}

#[test]
fn the_engine_file_has_the_fields_of_the_server() {
    let path: PathBuf = Path::new(ROOT).join("examples/openbench/Quarterply.json");
    let engine = json_value(&contents(path));
    for key in ["private", "nps", "source", "build", "test_presets", "tune_presets", "datagen_presets"] {
        assert!(!engine[key].is_null(), "{key}");
    }
    for key in ["path", "compilers", "cpuflags", "systems"] {
        assert!(!engine["build"][key].is_null(), "build {key}");
    }
    let client = Client::new();
    let listed = String::from_utf8(client.run(&["uci", "quit"])).expect("text");
    for kind in ["test_presets", "tune_presets", "datagen_presets"] {
        let presets = engine[kind].as_object().expect("presets");
        assert!(presets.contains_key("default"), "{kind}");
        for options in presets.values().filter_map(|preset| preset["both_options"].as_str()) {
            for option in options.split(' ') {
                let (name, _) = option.split_once('=').expect("a value");
                assert!(listed.contains(&format!("option name {name} ")), "{option}");
            }
        }
    }
}
