//! Behaviour of the server that the cases of `uci-check` do not cover (`check.rs` runs those); numbers in names are those of the cases.

#[path = "server/answers.rs"]
mod answers;
mod common;
#[path = "server/weak_play.rs"]
mod weak_play;

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use common::{ENDLESS_GENFENS, LONG_BENCH, TestClient, any, best, host};
use quarterply_engine::network::{INPUTS, Network, Parts};
use quarterply_uci::info::{Declaration, Info};
use quarterply_uci::server::{LineError, run_lines};
use weak_play::{opening, weak};

const MATE_IN_ONE: &str = "position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
const ONE_REPLY: &str = "position fen 7k/8/6K1/8/8/8/8/R7 b - - 0 1";
const CHECKMATED: &str = "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATED: &str = "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const ROOK_ENDING: &str = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";

/// The last `info` line before the answer.
fn last_info(lines: &[String]) -> Info {
    lines[lines.len() - 2].parse().expect("an info line")
}

#[test]
fn case_03_commands_during_a_search_are_deferred_or_refused() {
    let mut client = TestClient::new();
    client.send("go infinite\nsetoption name Hash value 3\nucinewgame\ngo depth 1\nbench 1\nxyzzy");
    let lines = client.sync();
    for refused in [
        "`go depth 1` is ignored: a search is running; send `stop` first",
        "`bench 1` is ignored: a search is running",
        "Unknown command: xyzzy; `help` lists the commands",
    ] {
        assert!(
            lines.iter().any(|line| line.starts_with("info string ") && line.contains(refused)),
            "{refused}: {lines:?}"
        );
    }
    // The new position is kept for the next search; the running one is about the old.
    client.send(ROOK_ENDING);
    client.send("stop");
    let first = best(&client.until("bestmove"));
    assert!(!first.starts_with("e1") && !first.starts_with("h1"), "{first} is of the new position");
    let second = best(&client.go("go depth 3"));
    assert!(second.starts_with("e1") || second.starts_with("h1"), "{second} is not of the new position");
}

#[test]
fn case_03_a_go_after_stop_waits_for_the_old_answer() {
    let mut client = TestClient::new();
    client.send("go infinite\nstop\ngo depth 2\nstop\ngo depth 1");
    for _ in 0..3 {
        client.until("bestmove");
    }
    client.no_answer("three searches, three answers");
}

/// A selective search cannot prove the absence of a mate: `go mate` ends with one, at another limit, or when it is stopped.
#[test]
fn case_04_go_mate_without_a_mate_continues_until_stop_or_another_limit() {
    let mut client = TestClient::new();
    let lines = client.go(&format!("{MATE_IN_ONE}\ngo mate 1"));
    assert_eq!(best(&lines), "a1a8");
    client.send("position startpos\ngo mate 1");
    client.no_answer("no mate exists");
    client.send("stop");
    client.until("bestmove");
    client.go("go mate 1 nodes 2000");
    client.go("go mate 2 movetime 50");
}

/// The tables of 64 threads took more than a second, for which `isready` waited.
#[test]
fn many_threads_do_not_delay_isready() {
    let mut client = TestClient::new();
    client.sync();
    let began = Instant::now();
    client.send("setoption name Threads value 64");
    client.sync();
    client.send("ucinewgame");
    client.sync();
    let waited = began.elapsed();
    assert!(waited < Duration::from_secs(1), "{waited:?}");
    client.go("go nodes 5000");
}

#[test]
fn case_08_options_are_read_leniently_and_refusals_are_reported() {
    let mut client = TestClient::new();
    for (line, answer) in [
        ("setoption name  Clear   Hash", None),
        ("setoption name clear hash value now", None),
        ("setoption name SyzygyPath value <empty>", None),
        ("setoption name Hash value lots", Some("cannot set Hash to `lots`: expected a whole number")),
        ("setoption name Threads value 99999999999999999999", Some("Threads takes 1 to")),
        ("setoption name UCI_Chess960 value maybe", Some("expected true or false")),
        (
            "setoption name No Such Option value 3",
            Some("info string No such option: No Such Option; `uci` lists the options"),
        ),
        ("setoption name SyzygyPath value /no such/dir ü", Some("/no such/dir ü")),
        ("setoption name EvalFile value x.nnue", Some("EvalFile: cannot read `x.nnue`: ")),
        ("setoption", Some("setoption needs a name; write `setoption name NAME value VALUE`")),
    ] {
        client.send(line);
        let lines = client.sync();
        match answer {
            None => assert!(lines.is_empty(), "{line}: {lines:?}"),
            Some(text) => {
                assert!(
                    lines.len() == 1 && lines[0].starts_with("info string ") && lines[0].contains(text),
                    "{line}: {lines:?}"
                );
            }
        }
    }
    assert!(any(&client.go("go depth 3"), "depth 3"), "with as many threads as there may be");
}

/// A small network of numbers that mean nothing.
fn network() -> Network {
    const NEURONS: usize = 32;
    let count = |count: usize, most: i16| (0..count).map(|i| ((i * 37) as i16 % (2 * most)) - most).collect();
    let parts = Parts {
        neurons: NEURONS,
        buckets: 1,
        scale: 400,
        facts: String::new(),
        weights: count(INPUTS * NEURONS, 90),
        biases: count(NEURONS, 300),
        output_weights: count(2 * NEURONS, 60),
        output_biases: vec![0],
    };
    Network::new(&parts).expect("its numbers fit")
}

#[test]
fn a_network_is_taken_shown_and_kept_when_another_file_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (network, bytes) = (network(), network().encode());
    std::fs::write(path("good.nnue"), &bytes).expect("a file");
    std::fs::write(path("half.nnue"), &bytes[..bytes.len() / 2]).expect("a file");
    std::fs::write(path("other.nnue"), "a text").expect("a file");
    let mut client = TestClient::new();
    let mut send = |line: &str| {
        client.send(line);
        client.sync()
    };
    let set = |name: &str| format!("setoption name EvalFile value {name}");
    assert!(any(&send("eval"), "Bucket 0"), "of the built-in network at first");
    let taken = send(&set(&path("good.nnue")));
    assert!(taken.len() == 2 && taken[0].contains(&network.name()), "{taken:?}");
    assert!(taken[1].contains("lacks the classical share that it was trained with"), "{taken:?}");
    for (file, reason) in [
        ("half.nnue", "the network is truncated: 24"),
        ("other.nnue", "not a Quarterply network: it begins with `a text`"),
        ("none.nnue", "cannot read "),
    ] {
        let lines = send(&set(&path(file)));
        let named = |text: &str| lines[0].contains(text);
        assert!(lines.len() == 1 && lines[0].starts_with("info string EvalFile: "), "{lines:?}");
        assert!(named(file) && named(reason) && named("the old value stays"), "{lines:?}");
        assert!(any(&send("eval"), &format!("Network {}", network.name())), "the old one is kept");
    }
    assert!(any(&send("eval"), "Bucket 0"), "of the output");
    assert_eq!(send(&set("<classical>")), Vec::<String>::new());
    assert!(any(&send("eval"), "Term"));
    send(&set(&path("good.nnue")));
    let with = client.go("go depth 6");
    client.send(&set("<classical>"));
    let without = client.go("go depth 6");
    let nodes = |lines: &[String]| {
        lines.iter().rev().find_map(|line| line.split(" nodes ").nth(1)?.split(' ').next()?.parse::<u64>().ok())
    };
    assert_ne!(nodes(&with), nodes(&without), "the network is felt");
}

#[test]
fn case_09_and_25_options_are_declared_in_full_and_may_come_first() {
    let mut client = TestClient::new();
    client.send("setoption name Hash value 2\nsetoption name Show Parameters value true\nuci");
    let lines = client.until("uciok");
    assert_eq!(lines[..2], ["id name Test 1.0", "id author Nobody"]);
    let options: Vec<Declaration> =
        lines.iter().filter(|line| line.starts_with("option")).map(|line| line.parse().expect(line)).collect();
    assert_eq!(options.len(), lines.len() - 3, "nothing but options between id and uciok");
    assert_eq!(options[0].name, "Hash");
    assert!(options.iter().any(|option| option.name == "Move Overhead"));
    let first_parameter = options.iter().position(|option| option.name.contains('.')).expect("parameters are options");
    assert!(options[first_parameter..].iter().all(|option| option.name.contains('.')), "standard options come first");
}

#[test]
fn case_16_no_answer_before_stop_or_ponderhit() {
    let mut client = TestClient::new();
    for position in [MATE_IN_ONE, ONE_REPLY, CHECKMATED, STALEMATED] {
        for (go, release) in
            [("go infinite depth 1", "stop"), ("go ponder depth 2", "ponderhit"), ("go ponder movetime 10", "stop")]
        {
            client.send(position);
            client.send(go);
            client.no_answer(go);
            client.send(release);
            client.until("bestmove");
        }
    }
}

/// `go infinite movetime 60` thought for 60 ms, and on a busy machine was answered then.
#[test]
fn an_infinite_search_continues_whatever_time_it_is_given() {
    let mut client = TestClient::new();
    for go in ["go infinite movetime 20", "go infinite wtime 60 btime 60"] {
        client.send(go);
        let before = client.no_answer(go);
        let lines = [before, client.go("stop")].concat();
        let times = lines.iter().filter_map(|line| line.parse::<Info>().ok()).filter_map(|info| info.time);
        assert!(times.max() > Some(100), "{go}: {lines:?}");
    }
}

#[test]
fn case_23_a_smaller_table_takes_effect_and_back() {
    let mut client = TestClient::new();
    let mut search = |hash: &str| {
        client.send(&format!("setoption name Hash value {hash}\nucinewgame"));
        let info = last_info(&client.go("go depth 8"));
        (info.nodes, info.hashfull)
    };
    let (large, small) = (search("16"), search("1"));
    assert!(small.1 > large.1, "{small:?} {large:?}");
    assert_eq!(search("16"), large);
}

#[test]
fn profiles_and_parameters_change_the_search() {
    let mut client = TestClient::new();
    let mut nodes = |option: &str| {
        client.send(&format!("setoption name {option}\nucinewgame"));
        last_info(&client.go("go depth 5")).nodes
    };
    let usual = nodes("Profile value default");
    let classic = nodes("Profile value Classic");
    assert_ne!(usual, classic);
    assert_eq!(nodes("Profile value Default"), usual);
    assert_ne!(nodes("Late_Move_Reduction.On value false"), usual);
}

#[test]
fn limited_strength_answers_fast_and_within_its_lines() {
    let mut client = weak(1000);
    for position in ["position startpos", MATE_IN_ONE, ONE_REPLY] {
        client.send(position);
        let lines = client.go("go depth 30");
        let last = last_info(&lines);
        assert_eq!(last.line[0].to_string(), best(&lines), "{lines:?}");
        assert!(last.nodes.is_some_and(|nodes| nodes < 5000), "{lines:?}");
        assert!(!any(&lines, "multipv 2"), "{lines:?}");
    }
}

#[test]
fn limited_strength_takes_human_time_until_it_is_stopped() {
    let mut client = weak(1200);
    let start = Instant::now();
    client.go("go wtime 60000 btime 60000");
    assert!(start.elapsed() > Duration::from_millis(200), "a fifth of the usual time at least: {:?}", start.elapsed());
    client.send("go wtime 7200000 btime 7200000");
    client.no_answer("the clock allows minutes");
    client.go("stop");
}

#[test]
fn the_only_move_is_made_in_a_fraction_of_the_time() {
    const ONE: &str = "position startpos moves e2e4 f7f6 d1h5";
    const TWO: &str = "position fen 7k/8/8/8/8/8/7P/KB6 b - - 0 1";
    const GO: &str = "go wtime 20000 btime 20000 winc 200 binc 200";
    let mut client = TestClient::new();
    client.send("setoption name clock.nodes_per_ms value 100");
    let mut nodes = |position: &str, share: i32, go: &str| {
        client.send(&format!("setoption name clock.only_move value {share}\nucinewgame\n{position}"));
        let lines = client.go(go);
        assert!(lines[lines.len() - 1].contains(" ponder "), "{lines:?}");
        last_info(&lines).nodes.expect("nodes")
    };
    let (soon, late) = (nodes(ONE, 10, GO), nodes(ONE, 100, GO));
    assert!(soon > 0 && soon < late / 3, "{soon} nodes, {late} when the only move is treated like any other");
    assert_eq!(nodes(TWO, 10, GO), nodes(TWO, 100, GO), "of two moves one is chosen with all the time");
    // However little that is, a move to ponder on is found.
    nodes(ONE, 1, "go wtime 300 btime 300 winc 1 binc 1");
}

#[test]
fn limited_strength_plays_another_game_each_time_and_the_same_with_a_seed() {
    let mut client = weak(1000);
    let mut opening = |seed: u32| opening(&mut client, seed, 8);
    let different: std::collections::HashSet<Vec<String>> = (0..5).map(|_| opening(0)).collect();
    assert!(different.len() > 2, "{different:?}");
    assert_eq!(opening(5), opening(5));
}

#[test]
fn a_megabyte_of_nonsense_does_not_block_the_conversation() {
    let start = Instant::now();
    let mut client = TestClient::new();
    for line in [
        "setoption name ",
        "setoption name Hash value ",
        "position fen ",
        "position startpos moves ",
        "go depth 1 searchmoves ",
        "",
    ] {
        for word in ["x", "x "] {
            client.send(&format!("{line}{}", word.repeat((1 << 20) / word.len())));
        }
    }
    client.send("stop");
    let answers = client.sync();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let longest = answers.iter().map(String::len).max();
    assert!(longest < Some(3_000), "an answer of {longest:?} bytes");
}

#[test]
fn openings_are_remarks_and_a_wrong_request_is_one_too() {
    let mut client = TestClient::new();
    client.send("genfens 2 seed 1 book None");
    assert_eq!(client.until("info"), ["info string genfens first"]);
    assert_eq!(client.until("info"), ["info string genfens 2 seed 1 book None"]);
    client.send("stop\ngenfens");
    assert_eq!(client.until("info"), ["info string genfens needs a number"]);
}

/// `isready`, `stop` and `quit` waited until the last opening was drawn.
#[test]
fn openings_are_drawn_while_the_server_listens() {
    let mut client = TestClient::new();
    client.send(&format!("genfens {ENDLESS_GENFENS}"));
    assert_eq!(client.until("info"), ["info string genfens again"]);
    client.sync();
    client.send("go depth 1");
    assert!(any(&client.sync(), "`go depth 1` is ignored"));
    let lines = client.go("stop\ngo depth 2");
    assert!(any(&lines, "info string the openings are incomplete") && any(&lines, "info depth 2"), "{lines:?}");
    client.send(&format!("genfens {ENDLESS_GENFENS}"));
    client.close_input();
}

#[test]
fn openings_as_arguments_are_complete_and_a_wrong_request_is_an_error() {
    let (lines, result) = output_of(&["genfens 2 seed 1 book None", "genfens", "isready"]);
    assert_eq!(lines, ["info string genfens first", "info string genfens 2 seed 1 book None"]);
    assert_eq!(cause(result), "genfens needs a number");
}

#[test]
fn our_own_commands_answer() {
    let mut client = TestClient::new();
    client.send("go perft 3");
    assert_eq!(client.until("Nodes").last().map(String::as_str), Some("Nodes searched: 8902"));
    client.send("bench 4");
    assert_eq!(client.until("bench"), ["bench Some(4)"]);
    client.send("d");
    let shown = client.sync();
    assert!(
        any(&shown, "FEN: rnbqkbnr/pppppppp") && any(&shown, "Key: ") && any(&shown, "Checkers: none"),
        "{shown:?}"
    );
    client.send("eval");
    assert!(any(&client.sync(), "Final"));
    client.send("help");
    assert!(any(&client.sync(), "go perft DEPTH"));
    client.send("debug on\nisready\ndebug off");
    assert!(any(&client.sync(), "info string received: isready"));
}

#[test]
fn complaints_come_before_a_count() {
    let mut client = TestClient::new();
    client.send("go perft 1 frobnicate");
    let lines = client.until("Nodes");
    assert_eq!(lines.first().map(String::as_str), Some("info string Unknown word after go: frobnicate"), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 20"), "{lines:?}");
}

/// At `ponderhit` the time began again at zero, but the nodes did not: time ran backwards and the speed was many times too high.
#[test]
fn time_and_speed_continue_at_ponderhit() {
    /// Less than the search was pondering (`no_answer` waits 300 ms), more than it thinks after that.
    const PONDERED: u64 = 100;
    let mut client = TestClient::new();
    client.sync();
    client.send("position startpos\ngo ponder movetime 50");
    let before = client.no_answer("before ponderhit");
    let after = client.go("ponderhit");
    let times = |lines: &[String]| -> Vec<u64> {
        lines.iter().filter_map(|line| line.parse::<Info>().ok()).filter_map(|info| info.time).collect()
    };
    assert!(times(&after).iter().all(|time| *time >= PONDERED), "{after:?}");
    assert!([times(&before), times(&after)].concat().is_sorted(), "{before:?} {after:?}");
}

#[test]
fn a_bench_answers_isready_and_stop() {
    let mut client = TestClient::new();
    client.send(&format!("bench {LONG_BENCH}"));
    client.until("bench");
    client.sync();
    client.send("go depth 1");
    assert!(any(&client.sync(), "`go depth 1` is ignored"));
    client.send("stop");
    assert!(any(&client.go("go depth 2"), "info depth 2"));
}

#[test]
fn no_mixture_of_commands_breaks_the_conversation() {
    const LINES: &[&str] = &[
        "go depth 2",
        "go nodes 50",
        "go infinite",
        "go ponder wtime 10 btime 10",
        "go movetime 5",
        "go perft 2",
        "stop",
        "ponderhit",
        "stop",
        "isready",
        "ucinewgame",
        "position startpos moves d2d4",
        "position fen 7k/8/6K1/8/8/8/8/R7 b - - 0 1",
        CHECKMATED,
        "position fen bad",
        "setoption name Hash value 1",
        "setoption name Hash value 4",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name MultiPV value 3",
        "setoption name Profile value Classic",
        "setoption name UCI_Chess960 value true",
        "uci",
        "d",
        "eval",
        "nonsense",
        "",
    ];
    // A walk through the list that visits it in ever new orders.
    let mut place = 1_usize;
    let mut client = TestClient::new();
    for step in 0..400 {
        place = (place * 31 + step * 7 + 3) % 1_000_003;
        client.send(LINES[place % LINES.len()]);
        if step % 20 == 0 {
            client.sync();
        }
    }
    client.send("stop");
    client.sync();
    // It may still be at work on what was said before, and some of that was isready.
    client.send("setoption name sentinel");
    while !any(&client.until("info"), "sentinel") {}
    client.send(&format!("setoption name UCI_Chess960 value false\n{MATE_IN_ONE}"));
    assert_eq!(best(&client.go("go depth 3")), "a1a8");
    client.close_input();
}

/// Carries out lines as arguments; returns the output.
fn output_of(lines: &[&str]) -> (Vec<String>, Result<(), LineError>) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let result = run_lines(&lines, writer, host());
    (BufReader::new(reader).lines().map_while(Result::ok).collect(), result)
}

/// Why a line was not carried out.
fn cause(result: Result<(), LineError>) -> String {
    let error = result.expect_err("a line that cannot be carried out");
    std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default()
}

/// `go infinite` printed a move before the error, `go ponder depth 3` was answered with a request for a depth, and `go mate 1` never ended.
#[test]
fn lines_as_arguments_that_would_never_end_are_refused_before_they_are_searched() {
    for (line, remedy) in [
        ("go infinite", "give it a depth, nodes or a time"),
        ("go mate 1", "give it a depth, nodes or a time"),
        ("go ponder depth 3", "leave out `ponder`"),
        ("go infinite depth 3", "leave out `infinite`"),
    ] {
        let (lines, result) = output_of(&["isready", line]);
        let cause = cause(result);
        assert!(cause.starts_with(&format!("cannot run `{line}` here: it would never end; {remedy}")), "{cause}");
        assert_eq!(lines, ["readyok"], "{line}");
    }
    let (lines, result) = output_of(&[MATE_IN_ONE, "go mate 1 depth 8"]);
    assert!(result.is_ok() && best(&lines) == "a1a8", "{lines:?}");
}

#[test]
fn lines_as_arguments_run_to_their_end() {
    let (lines, result) =
        output_of(&["setoption name Hash value 2", "go depth 3", "position startpos moves e2e4", "go depth 2"]);
    assert!(result.is_ok());
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 2, "{lines:?}");
    let (_, result) = output_of(&["quit", "xyzzy"]);
    assert!(result.is_ok(), "nothing after quit counts");
    let error = output_of(&["isready", "xyzzy"]).1.expect_err("an unknown command");
    assert_eq!(error.to_string(), "in the line `xyzzy`");
    assert!(cause(Err(error)).starts_with("Unknown command: xyzzy"));
}

/// A writer that panics once, in the thread of the search.
struct PanickingWriter {
    output: std::io::PipeWriter,
    armed: bool,
}

impl Write for PanickingWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        assert!(
            !(self.armed && bytes.starts_with(b"info depth 3") && {
                self.armed = false;
                true
            }),
            "a trap"
        );
        self.output.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }
}

#[test]
fn a_search_that_dies_answers_and_the_next_one_works() {
    for (threads, go, end) in
        [(1, "go depth 6", ""), (3, "go depth 6", ""), (1, "go infinite", "stop"), (2, "go movetime 5000", "")]
    {
        let mut client = TestClient::through(|output| PanickingWriter { output, armed: true });
        client.send(&format!("setoption name Threads value {threads}\nposition startpos moves e2e4\n{go}"));
        let mut lines = client.until("info");
        while !any(&lines, "info string error: a defect") {
            lines.extend(client.until("info"));
        }
        if !end.is_empty() {
            client.no_answer(go);
            client.send(end);
        }
        let answer = best(&client.until("bestmove"));
        let known = lines.iter().rfind(|line| line.starts_with("info depth 2")).expect("a line of depth 2");
        assert!(known.ends_with(&format!(" pv {answer}")) || known.contains(&format!(" pv {answer} ")), "{lines:?}");
        let again = client.go("go depth 6");
        assert!(any(&again, "info depth 6") && !any(&again, "error"), "{again:?}");
        client.close_input();
    }
}
