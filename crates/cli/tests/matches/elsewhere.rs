//! Commands whose work is done by workers of a real server, and what goes wrong there.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use super::support::nats::{Server, wait};
use super::support::{
    SUITE, assert_texts, contents, file, folder, has_text, json_lines, program, quarterply, refused, succeeds, words,
};
use super::{QUICK, open_task, timeless};
use serde_json::{Value, json};

/// JSON lines without their times.
pub(crate) fn lines(path: &str) -> Vec<Value> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                ["ms", "date"].iter().for_each(|name| drop(map.remove(*name)));
                map.values_mut().for_each(strip);
            }
            Value::Array(all) => all.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut lines = json_lines(&contents(path));
    lines.iter_mut().for_each(strip);
    lines
}

#[test]
fn workers_give_the_same_results_of_suites_and_tuning() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let _workers = [server.worker("first"), server.worker("second")];

    let here_and_far = |command: &str, here: &str, far: &str, log: &str| {
        succeeds(&words!("{command} {}", at(here)));
        server.run(&words!("{command} {}", at(far)), log)
    };
    let solve = format!("solve {SUITE} --nodes 700 --hash 1 --json");
    here_and_far(&solve, "here.jsonl", "far.jsonl", "solve.log").ends(0);
    assert_eq!(lines(&at("here.jsonl")), lines(&at("far.jsonl")));

    let ablate = format!("ablate {SUITE} --nodes 200 --without=null_move,probcut --games 2 --game-nodes 30 --out");
    here_and_far(&ablate, "worth-here", "worth-far", "ablate.log").ends(0);
    assert_eq!(lines(&at("worth-here/journal.jsonl")), lines(&at("worth-far/journal.jsonl")));
    let table = |name: &str| contents(at(name));
    assert_eq!(table("worth-here/table.csv"), table("worth-far/table.csv"));

    let limits = "--positions 12 --nodes 400 --hash 1 --match-pairs 1 --move-nodes 50";
    let tune = format!("tune ga --preset paper --suite {SUITE} --population 6 --generations 4 {limits} --out");
    let begun = here_and_far(&tune, "tuned-here", "tuned-far", "tune.log");
    wait(|| fs::metadata(at("tuned-far/summary.json")).ok()).expect("a first step");
    begun.kill();
    server.run(&["tune", "resume", &at("tuned-far")], "resumed.log").ends(0);
    for name in ["summary.json", "profile.toml"] {
        assert_eq!(table(&format!("tuned-here/{name}")), table(&format!("tuned-far/{name}")));
    }
    assert!(table("tuned-far/workers.jsonl").contains("\"processor\""));
    // The pages list the remote workers; those of local runs have no such table.
    for (file, heading) in [("worth-far/page.html", "Workers"), ("tuned-far/report.html", "Workers")] {
        // One of the two may get no task; the page has the workers of the log and no others.
        let (page, folder) = (table(file), file.split('/').next().expect("a folder"));
        let there = lines(&at(&format!("{folder}/workers.jsonl")));
        let reported: HashSet<&str> = there.iter().filter_map(|line| line["worker"]["name"].as_str()).collect();
        let named: HashSet<&str> =
            ["first", "second"].into_iter().filter(|name| page.contains(&format!(">{name}<"))).collect();
        assert!(page.contains(heading) && !reported.is_empty(), "{file}");
        assert_eq!(named, reported, "{file}");
        assert!(!table(&file.replace("far", "here")).contains(heading), "{file}");
    }
}

/// Games in two stages: killed in the first, and gone on with by other workers.
#[test]
fn workers_give_the_same_rows_in_two_stages() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let _workers = [server.worker("first"), server.worker("second")];
    let staged = "ablate --staged --games 40 --width 110 --game-nodes 30,60 --without=null_move,mate_distance --out";
    succeeds(&words!("{staged} {} --quiet", at("here")));
    let begun = server.run(&words!("{staged} {}", at("far")), "begun.log");
    let journal = at("far/games/null_move-off-nodes=30.jsonl");
    wait(|| fs::read_to_string(&journal).ok().filter(|text| text.lines().count() > 3)).expect("a few pairs");
    begun.kill();
    let said = server.run(&words!("{staged} {} --resume", at("far")), "resumed.log").ends(0);
    assert_texts(&said, &["first stage done"]);
    for name in ["table.csv", "scores.csv"] {
        let [here, far] = ["here", "far"].map(|run| contents(at(&format!("{run}/{name}"))));
        assert_eq!(here, far, "{name}");
    }
}

/// A match with large tables.
const LARGE: &str = "match --player default --player classic --nodes 60 --hash 256 --games 2";

/// Tasks that are too large for every worker are listed; a worker with enough memory executes them when they are retried.
#[test]
fn failed_tasks_are_listed_and_retried() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let [json, pgn, far_pgn] = ["far.jsonl", "here.pgn", "far.pgn"].map(&at);
    succeeds(&words!("{LARGE} --pgn {pgn}"));

    let said = server.run(&words!("worker --max-memory 1 --workers 1"), "tight.log").ends(1);
    assert_texts(&said, &["more than --max-memory"]);

    let small = server.run(&words!("worker --max-memory 400 --workers 1 --name small"), "small.log");
    let files = format!("{LARGE} --json {json} --pgn {far_pgn}");
    let reason = "cannot create tables of 512 MiB: --max-memory leaves 400 MiB to a task";
    assert_texts(&server.run(&words!("{files}"), "match.log").ends(1), &[reason]);
    let list = server.run(&["workers"], "list.log").ends(0);
    assert_texts(&list, &["given up after 5 tries, last by small", reason, "workers retry"]);

    small.kill();
    let _large = server.worker("large");
    let retry = |more: &str| server.run(&words!("workers retry {more}"), "retry.log");
    assert_texts(&retry("nothing").ends(2), &["cannot find run `nothing` on the server: give one of "]);
    // An older file was noticed after the task had been queued again.
    let kept = at("kept.jsonl");
    fs::write(&kept, "old").expect("written");
    assert_texts(&retry(&format!("--json {kept}")).ends(2), &["--overwrite"]);
    assert_texts(&retry("").ends(0), &["queued again: 1 task"]);
    server.run(&words!("{files} --resume"), "resumed.log").ends(0);
    assert_eq!(timeless(&pgn), timeless(&far_pgn));
}

/// A small worker that is offered a task again and again must not use up the tries of a larger one that is busy.
#[cfg(unix)]
#[test]
fn tasks_that_a_small_worker_leaves_to_others_wait_for_a_larger_one() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let far_pgn = at("far.pgn");
    let large = server.worker("large");
    wait(|| {
        let (code, list) = server.run(&["workers"], "list.log").outcome();
        (code == Some(0) && has_text(&list, "large")).then_some(())
    })
    .expect("it is there");
    large.signal("STOP");
    let _small = server.run(&words!("worker --max-memory 400 --workers 1 --name small"), "small.log");
    let mut far = server.run(&words!("{LARGE} --pgn {far_pgn}"), "match.log");
    wait(|| (server.log("small.log").matches("is left to others").count() >= 2).then_some(())).expect("it is refused");
    // Time for more offers than there are tries.
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert!(!has_text(&server.log("small.log"), "is given up"), "{}", server.log("small.log"));
    large.signal("CONT");
    far.ends(0);
    assert_eq!(timeless(&far_pgn).matches("[Result ").count(), 2);
}

/// Workers store one outcome of a task: the command finds it on the server when the task comes again.
#[test]
fn a_suite_that_is_named_twice_is_solved_twice() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let (_keep, suite) = file("one.epd", b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#;\n");
    let _worker = server.worker("only");
    let solve = format!("solve {suite} {suite} --nodes 50 --hash 1 --json");
    succeeds(&words!("{solve} {}", at("here.jsonl")));
    server.run(&words!("{solve} {}", at("far.jsonl")), "solve.log").ends(0);
    assert_eq!(lines(&at("here.jsonl")), lines(&at("far.jsonl")));
}

/// A killed server can lose tasks that it had accepted; here they are taken out of its stream.
#[test]
fn tasks_that_the_server_lost_are_sent_again() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let [pgn, far_pgn] = ["here.pgn", "far.pgn"].map(&at);
    succeeds(&words!("{QUICK} --games 4 --pgn {pgn}"));
    let mut far = server.run(&words!("{QUICK} --games 4 --pgn {far_pgn}"), "match.log");
    let mut thief = RawNatsClient::new(&server, "purged");
    let purged = wait(|| {
        thief.say("PUB $JS.API.STREAM.PURGE.QUARTERPLY_TASKS purged 2\r\n{}\r\n");
        let answer: Value = serde_json::from_str(&thief.next().1).expect("JSON");
        answer["purged"].as_u64().filter(|count| *count > 0)
    });
    assert!(purged.is_some(), "nothing was in the queue");
    let _worker = server.worker("late");
    far.ends(0);
    assert_eq!(timeless(&pgn), timeless(&far_pgn));
}

/// A command that was killed and does not come back leaves tasks and outcomes on the server, which can be thrown away.
#[test]
fn an_abandoned_run_is_deleted() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let worker = server.worker("only");
    let [long, journal] = ["long.pgn", "long.jsonl"].map(&at);
    let long = server.run(&words!("{QUICK} --games 4000 --pgn {long} --json {journal}"), "long.log");
    wait(|| fs::read_to_string(&journal).ok().filter(|text| text.contains("\"pair\":"))).expect("it plays");
    let list = || {
        let file = at("list.jsonl");
        server.run(&["workers", "--json", &file, "--overwrite"], "list.log").ends(0);
        lines(&file)[0]["runs"].as_array().expect("runs").clone()
    };
    let run = list()[0]["run"].as_str().expect("a name").to_owned();
    let forget = |name: &str| server.run(&["workers", "forget", name], "forget.log");
    assert_texts(&forget(&run).ends(2), &["its command is running"]);
    let unknown = format!("cannot find run `nothing` on the server: give one of {run}");
    assert_texts(&forget("nothing").ends(2), &[&unknown]);
    // The worker first: it could finish the tasks that are left after the command has ended.
    worker.kill();
    long.kill();
    let forgotten =
        wait(|| Some(forget(&run).outcome()).filter(|(code, _)| *code == Some(0))).expect("it is silent by now");
    assert!(has_text(&forgotten.1, "forgotten:") && !has_text(&forgotten.1, "forgotten: 0 tasks"), "{}", forgotten.1);
    assert!(list().is_empty());
}

/// Its tasks stayed on the server, and workers continued them.
#[cfg(unix)]
#[test]
fn the_tasks_of_an_interrupted_measurement_are_deleted() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let tasks = || {
        let file = at("list.jsonl");
        server.run(&["workers", "--json", &file, "--overwrite"], "list.log").ends(0);
        lines(&file)[0]["runs"].as_array().expect("runs").first().and_then(|run| run["tasks"].as_u64())
    };
    let mut measurement = server.run(&words!("workers measure --tasks 50 --seconds 1"), "measure.log");
    wait(|| tasks().filter(|count| *count > 0)).expect("its tasks");
    measurement.signal("INT");
    measurement.ends(130);
    assert_eq!(tasks(), None);
}

/// A worker that hangs with a task in hand gets no other, loses that one, and may come back with it: nothing counts twice.
#[cfg(unix)]
#[test]
fn a_hanging_worker_does_not_delay_the_run() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let [json, pgn, far_pgn] = ["far.jsonl", "here.pgn", "far.pgn"].map(&at);
    succeeds(&words!("{QUICK} --games 24 --pgn {pgn}"));
    // Alone at first: on a busy machine another one might do everything before this one has begun.
    let slow = server.worker("slow");
    let mut far = server.run(&words!("{QUICK} --games 24 --json {json} --pgn {far_pgn}"), "match.log");
    let journal = || fs::read_to_string(&json).unwrap_or_default();
    wait(|| journal().contains("\"worker\":\"slow\"").then_some(())).expect("it plays");
    slow.signal("STOP");
    let _quick = server.worker("quick");
    far.ends(0);
    slow.signal("CONT");
    assert_eq!(timeless(&pgn), timeless(&far_pgn));
    assert_eq!(journal().lines().filter(|line| line.contains("\"pair\":")).count(), 12);
}

/// A client of the server without our program.
struct RawNatsClient(BufReader<TcpStream>);

impl RawNatsClient {
    /// Listens to a subject.
    fn new(server: &Server, subject: &str) -> RawNatsClient {
        let mut client =
            RawNatsClient(BufReader::new(TcpStream::connect(server.address()).expect("the server listens")));
        client.say(&format!("CONNECT {{\"verbose\":false}}\r\nSUB {subject} 1\r\nPING\r\n"));
        while client.line() != "PONG" {}
        client
    }

    fn say(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).expect("the server receives it");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// The subject and the text of the next message.
    fn next(&mut self) -> (String, String) {
        loop {
            let line = self.line();
            let words: Vec<&str> = line.split(' ').collect();
            match words[0] {
                "PING" => self.say("PONG\r\n"),
                "MSG" | "HMSG" => {
                    let size = |word: &str| word.parse::<usize>().expect("a size");
                    let all = size(words[words.len() - 1]);
                    let head = if words[0] == "HMSG" { size(words[words.len() - 2]) } else { 0 };
                    let mut bytes = vec![0; all];
                    self.0.read_exact(&mut bytes).expect("a message");
                    return (words[1].to_owned(), String::from_utf8(bytes.split_off(head)).expect("text"));
                }
                _ => {}
            }
        }
    }

    fn publish(&mut self, subject: &str, payload: &Value) {
        let payload = payload.to_string();
        self.say(&format!("PUB {subject} {}\r\n{payload}\r\n", payload.len()));
    }
}

/// If the outcomes of two machines for one task differ, the run stops and names both.
#[test]
fn a_worker_with_wrong_results_is_named() {
    let (folder, _) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let identity = json!({ "name": "liar", "program": "p", "processor": "bent", "speed": 1, "workers": 1 });
    let mut client = RawNatsClient::new(&server, "quarterply.task.>");
    let mut far = server.run(&words!("workers measure --tasks 2 --seconds 0.5"), "measure.log");
    let (subject, _) = client.next();
    let words: Vec<&str> = subject.split('.').collect();
    let (run, task) = (words[3], words[4]);
    let outcome = json!({ "task": task, "worker": identity, "seconds": 0.5, "agree": "0".repeat(64), "body": 1 });
    client.publish(&format!("quarterply.found.{run}.outcome.{task}"), &outcome);
    let _worker = server.worker("honest");
    assert_texts(&far.ends(1), &["honest (", "differs from that of liar (bent; p)", "remove the faulty one"]);
}

/// Once `solve` started the engine before it refused it.
#[test]
fn engines_of_suites_stay_here_and_are_not_started() {
    let (_keep, suite) = file("one.epd", b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#;\n");
    let (_folder, at) = folder();
    let (tasks, script, started) = (at("tasks"), at("engine.sh"), at("started"));
    let program = env!("CARGO_BIN_EXE_quarterply");
    fs::write(&script, format!("echo once >> '{started}'\nexec '{program}'\n")).expect("a script");
    let solve = format!("solve {suite} --nodes 50 --engine 'sh {script}'");
    succeeds(&words!("{solve}"));
    assert!(fs::exists(&started).expect("a folder"), "here it is started");
    fs::remove_file(&started).expect("a file");
    for place in [format!("--tasks {tasks}"), "--nats nats://127.0.0.1:1".to_owned()] {
        refused(&words!("{solve} {place}"), "tasks hold no commands");
        assert!(!fs::exists(&started).expect("a folder"), "{place}: the engine was started");
    }
}

/// Two programs of one name: ours, and the same with a byte more, which is another binary. Another process writes them: a program that
/// this one writes may be open for writing in a child that another test starts just then.
fn engines(at: &impl Fn(&str) -> String) -> [(String, String); 2] {
    let make = |name: &str, more: &str| {
        let path = at(name);
        let script = "mkdir -p \"${1%/*}\" && cp \"$2\" \"$1\" && printf \"$3\" >> \"$1\" && chmod 755 \"$1\"";
        let program = env!("CARGO_BIN_EXE_quarterply");
        let made = Command::new("sh").args(["-c", script, "sh", &path, program, more]).status().expect("a shell");
        assert!(made.success());
        let checksum = quarterply_work::Digest::of(&fs::read(&path).expect("a program")).to_string();
        (path, checksum)
    };
    [make("right/toy", ""), make("wrong/toy", "x")]
}

/// Another engine plays on the worker that offers it. Workers without it say why they leave its tasks to others, with both checksums,
/// and so does the command while nobody else is there.
#[test]
fn other_engines_play_on_workers_that_offer_them() {
    let (folder, at) = folder();
    let Some(server) = Server::start(folder.path()) else { return };
    let [(right, ours), (wrong, theirs)] = engines(&at);
    let players = "--player 'default name=Bob' --player 'classic name=Cid' --nodes 60 --hash 1 --games 4";
    let game = format!("match --player 'cmd:{right} name=Ann \"option.Move Overhead=7\"' {players}");
    succeeds(&words!("{game} --pgn {}", at("here.pgn")));

    let _without = server.worker("without");
    let worker = |name: &str, engine: &str| {
        let worker = words!("worker --workers 1 --name {name} --engine toy={engine}");
        server.run(&worker, &format!("{name}.log"))
    };
    let _wrong = worker("wrong", &wrong);
    let mut far = server.run(&words!("{game} --pgn {} --json {}", at("far.pgn"), at("far.jsonl")), "match.log");
    let wait_for = |log: &str, needle: &str| wait(|| has_text(&server.log(log), needle).then_some(()));
    for (log, needles) in [
        ("match.log", vec!["no worker can execute the tasks", "worker without: the worker offers no engine `toy`"]),
        ("match.log", vec![&*ours, &*theirs, "copy the program of the command to the worker"]),
        (
            "without.log",
            vec!["are left to other workers: the worker offers no engine `toy`", "--engine toy=PATH", &*ours],
        ),
        ("wrong.log", vec!["are left to other workers: `toy` of the worker has SHA-256", &*ours, &*theirs]),
    ] {
        for needle in needles {
            wait_for(log, needle).unwrap_or_else(|| panic!("{log}: {needle}: {}", server.log(log)));
        }
    }
    assert!(far.ended().is_none(), "it waits for a worker: {}", server.log("match.log"));

    let _right = worker("right", &right);
    far.ends(0);
    assert_eq!(timeless(&at("here.pgn")), timeless(&at("far.pgn")));
    let workers: HashSet<String> =
        lines(&at("far.jsonl")).iter().filter_map(|line| line["worker"].as_str().map(str::to_owned)).collect();
    assert_eq!(workers, HashSet::from(["right".to_owned()]));

    // Tuning on games finds the same on the worker as here.
    let sizes = "--steps 2 --population 2 --pairs 2 --openings 2 --match-pairs 1";
    let limits = format!("--holdout {SUITE} --nodes 50 --move-nodes 40 --hash 1");
    let order = format!("tune random --engine {right} --params check.quarters,null_move.on --objective games");
    let tune = |out: &str| words!("{order} {sizes} {limits} --out {}", at(out));
    succeeds(&tune("tuned-here"));
    server.run(&tune("tuned-far"), "tune.log").ends(0);
    let profile = |name: &str| contents(at(&format!("{name}/profile.toml")));
    assert_eq!(profile("tuned-here"), profile("tuned-far"));
    assert!(contents(at("tuned-far/workers.jsonl")).contains("\"right\""));
}

/// Without a server: a worker with another binary refuses the task file, and one that offers the engine executes it.
#[test]
fn task_files_name_other_engines_too() {
    let (_folder, at) = folder();
    let (run, json, list) = (at("run"), at("out.jsonl"), at("engines.toml"));
    let aside = at("aside.json");
    let [(right, ours), (wrong, theirs)] = engines(&at);
    fs::write(&list, "[[engine]]\nname = \"toy\"\npath = \"right/toy\"\n").expect("a list");
    let players = format!("--player 'cmd:{right} name=Ann' --player default");
    let game = words!("match {players} --nodes 60 --hash 1 --games 2 --json {json} --tasks {run}");
    let ended = std::thread::scope(|scope| {
        let played = scope.spawn(|| quarterply(&game));
        let task = open_task(&run).display().to_string();
        // Its outcome is written elsewhere: the match must not end before the other worker has the task.
        quarterply(&words!("worker --task {task} --engine toy={wrong} --out {aside}")).ends(1).says(&[&ours, &theirs]);
        let reason = contents(Path::new(&aside).with_extension("failed"));
        assert!(reason.contains(&theirs), "{reason}");
        succeeds(&["worker", "--task", &task, "--engines", &list]).says(&["offers engine `toy` with SHA-256"]);
        played.join().expect("no panic")
    });
    ended.ends(0);
}

/// The folder of outcomes was looked for below the current folder.
#[test]
fn a_task_is_executed_from_within_its_folder_or_into_another_one() {
    let (_folder, at) = folder();
    let (_keep, suite) = file("one.epd", b"6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#;\n");
    let (run, json, alone, aside) = (at("run"), at("out.jsonl"), at("alone/task.json"), at("aside"));
    let solve = words!("solve {suite} --nodes 50 --hash 1 --json {json} --tasks {run}");
    let ended = std::thread::scope(|scope| {
        let solved = scope.spawn(|| quarterply(&solve));
        let task = open_task(&run);
        let name = task.file_name().expect("a name").to_string_lossy().into_owned();
        fs::create_dir(at("alone")).and_then(|()| fs::create_dir(&aside)).expect("folders");
        fs::copy(&task, &alone).expect("copied");
        refused(&["worker", "--task", &alone], "outcomes` does not exist");
        succeeds(&["worker", "--task", &alone, "--out", &aside]);
        assert!(Path::new(&aside).join(&name).is_file(), "{name}");
        let inside =
            Command::new(program()).current_dir(format!("{run}/tasks")).args(["worker", "--task", &name]).status();
        assert!(inside.is_ok_and(|status| status.success()));
        solved.join().expect("no panic")
    });
    ended.ends(0);
}
