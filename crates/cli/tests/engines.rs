//! Engines that hang, spin, flood us or have children: they cost neither us nor the machine more than they must, and are gone when
//! we are.
#![cfg(target_os = "linux")]

mod support;

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use support::nats::wait;
use support::{contents, has_text, program, quarterply, words};
use tempfile::TempDir;

/// Longer than any of this takes.
const TIMEOUT: Duration = Duration::from_secs(60);
/// A program that ends within this time did not wait for its engine.
const SOON: Duration = Duration::from_secs(30);
/// The system's clock for processes (1/s).
const TICKS: u64 = 100;

/// Writes its process number and that of a child in a separate session, and ignores all signals that can be ignored. GO stands for its
/// answer to `go`.
const ENGINE: &str = r#"#!/bin/sh
trap '' TERM INT HUP
echo $$ >> PIDS
setsid sleep 999 </dev/null >/dev/null 2>&1 & echo $! >> PIDS
while read -r line; do
    case "$line" in
    uci) echo 'id name Odd'; echo 'option name Hash type spin default 1 min 1 max 999'; MORE echo uciok ;;
    isready) echo readyok ;;
    go*) echo went >> WENT; GO ;;
    esac
done
while :; do :; done
"#;

struct FakeEngine {
    folder: TempDir,
    engine: String,
}

impl FakeEngine {
    fn new(go: &str) -> FakeEngine {
        FakeEngine::with_lines("", go)
    }

    /// An engine that also executes MORE after the command `uci`.
    fn with_lines(more: &str, go: &str) -> FakeEngine {
        let folder = tempfile::tempdir().expect("a folder");
        let [draft, path] = ["draft.sh", "odd.sh"].map(|name| folder.path().join(name));
        let file = |name: &str| format!("'{}'", folder.path().join(name).display());
        let text = ENGINE
            .replace("PIDS", &file("pids"))
            .replace("WENT", &file("went"))
            .replace("GO", go)
            .replace("MORE", more);
        std::fs::write(&draft, text).expect("written");
        // Another process makes the program: what this one writes, a child that another test begets just then holds open for writing,
        // and such a program cannot be started.
        let made = Command::new("install").args(["-m", "755"]).args([&draft, &path]).status().expect("coreutils");
        assert!(made.success(), "{made}");
        std::fs::write(folder.path().join("two.epd"), SUITE).expect("written");
        let engine = path.display().to_string();
        FakeEngine { folder, engine }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn suite(&self) -> String {
        self.path("two.epd").display().to_string()
    }

    /// Arguments in which SUITE, ENGINE, PLAYER and OUT stand for this suite, this engine as a command and as a player, and a path.
    fn filled<'a>(&self, words: impl Iterator<Item = &'a str>) -> Vec<String> {
        let filled = words.map(|word| match word {
            "SUITE" => self.suite(),
            "ENGINE" => self.engine.clone(),
            "PLAYER" => self.player(),
            "OUT" => self.path("out").display().to_string(),
            other => other.to_owned(),
        });
        filled.collect()
    }

    fn player(&self) -> String {
        format!("cmd:{} name=Odd", self.engine)
    }

    /// Those of its processes that still run.
    fn living(&self) -> Vec<i32> {
        let text = std::fs::read_to_string(self.path("pids")).unwrap_or_default();
        let pids = text.lines().filter_map(|line| line.trim().parse().ok());
        pids.filter(|pid| lives(*pid)).collect()
    }

    fn is_gone(&self) -> Result<(), Vec<i32>> {
        let begun = Instant::now();
        while !self.living().is_empty() {
            if begun.elapsed() > SOON {
                let left = self.living();
                left.iter().filter_map(|pid| Pid::from_raw(*pid)).for_each(|pid| {
                    let _ = kill_process(pid, Signal::KILL);
                });
                return Err(left);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

const SUITE: &str =
    "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - bm Rc8#; id \"mate\";\n4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Nxd5; id \"queen\";\n";

fn lives(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z"))
}

fn start(arguments: &[impl AsRef<OsStr>]) -> Child {
    let mut command = Command::new(program());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

/// Waits for a file that an engine of `child` writes; a program that has ended, and what it said, is named.
fn wait_for(path: &Path, child: &mut Child) {
    let came = wait(|| {
        if let Some(status) = child.try_wait().expect("a child").filter(|_| !path.exists()) {
            let mut stderr = String::new();
            let _ = child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut stderr));
            panic!("{status} before {}: {stderr}", path.display());
        }
        path.exists().then_some(())
    });
    assert!(came.is_some(), "{} never came", path.display());
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id() as i32).expect("a process");
    kill_process(pid, signal).expect("it was there");
}

/// What came of it, and how long it took.
fn ended(name: &str, mut child: Child) -> (Output, Duration) {
    let begun = Instant::now();
    if wait(|| child.try_wait().expect("a child")).is_none() {
        child.kill().expect("killed");
        panic!("{name}: it did not end");
    }
    let time = begun.elapsed();
    (child.wait_with_output().expect("a child"), time)
}

#[test]
fn the_first_interrupt_ends_work_on_an_engine_that_hangs() {
    for (name, arguments) in [
        ("solve", "solve SUITE --nodes 1000 --engine ENGINE --json OUT"),
        ("match", "match --player default --player PLAYER --nodes 100 --games 2"),
        ("depth", "match --player default --player PLAYER --depth 2 --games 2"),
    ] {
        let fake = FakeEngine::new("while :; do :; done");
        let mut child = start(&fake.filled(arguments.split(' ')));
        wait_for(&fake.path("went"), &mut child);
        signal(&child, Signal::INT);
        let (output, time) = ended("the program", child);
        assert_eq!(output.status.code(), Some(130), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(time < SOON, "{name}: {time:?}");
        assert_eq!(fake.is_gone(), Ok(()), "{name}");
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(has_text(&stdout, "0 of 0 solved") || has_text(&stdout, "interrupted after 0"), "{name}: {stdout}");
    }
}

/// It was exit code 2, that of wrong arguments, with the message that the wait was stopped.
#[test]
fn an_interrupt_while_an_engine_starts_is_one() {
    for (name, arguments) in [
        ("solve", "solve SUITE --nodes 1000 --engine ENGINE"),
        ("match", "match --player default --player PLAYER --nodes 100 --games 2"),
        ("mine", "mine --check ENGINE --games 2"),
    ] {
        let fake = FakeEngine::with_lines("echo id name Slow; sleep 99;", "echo bestmove e2e4");
        let mut child = start(&fake.filled(arguments.split(' ')));
        wait_for(&fake.path("pids"), &mut child);
        signal(&child, Signal::INT);
        let (output, _) = ended(name, child);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{name}: {message}");
        assert!(!has_text(&message, "was stopped"), "{name}: {message}");
    }
}

#[test]
fn a_run_started_with_nohup_survives_its_terminal() {
    let [ignored, default] = ["trap '' HUP; exec", "exec env --default-signal=HUP"]; // the tests may run under nohup themselves
    for (name, prefix) in [("with nohup", ignored), ("without", default)] {
        let fake = FakeEngine::new("while :; do :; done");
        let script = format!("{prefix} \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, &program()]).args(fake.filled("solve SUITE --engine ENGINE".split(' ')));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
        wait_for(&fake.path("went"), &mut child);
        signal(&child, Signal::HUP);
        if prefix == ignored {
            std::thread::sleep(Duration::from_millis(500));
            assert!(child.try_wait().expect("a child").is_none(), "{name}: it ended");
            signal(&child, Signal::INT);
        }
        assert_eq!(ended(name, child).0.status.code(), Some(130), "{name}");
    }
}

/// Seconds of a processor that a process and its finished threads have used.
fn processor_time(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let words: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    const USER: usize = 11;
    const SYSTEM: usize = 12;
    (ticks(USER) + ticks(SYSTEM)) as f64 / TICKS as f64
}

/// The most memory that a process has had, in KiB.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[test]
fn an_engine_without_moves_is_a_failure() {
    let fake = FakeEngine::new("echo 'bestmove (none)'");
    quarterply(&["solve", &fake.suite(), "--nodes", "1000", "--engine", &fake.engine])
        .ends(1)
        .says(&["no move found for mate"]);
    let player = fake.player();
    quarterply(&["match", "--player", "default", "--player", &player, "--games", "2", "--nodes", "100"]).ends(1);
    // The fault has the word of the engine.
    let null = FakeEngine::new("echo 'bestmove 0000'");
    quarterply(&["match", "--player", "default", "--player", &null.player(), "--games", "2", "--nodes", "100"])
        .ends(1)
        .says(&["illegal move 0000"]);
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    /// A program that does not speak UCI is stopped soon, with the hint to the other protocol.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn programs_without_uci_are_stopped_with_a_hint() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = |name: &str, script: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("echo $$ >> '{}'\n{script}\n", folder.path().join("pids").display()))
                .expect("written");
            format!("sh {}", path.display())
        };
        let refusing = program(
            "refusing.sh",
            "echo Welcome; while read -r line; do echo \"Error (unknown command): $line\"; done",
        );
        let mute = program("mute.sh", "echo Welcome to this engine; cat >/dev/null");
        let slow = program(
            "slow.sh",
            "read -r line; echo 'id name Slow'; sleep 5.5; echo uciok\n\
             while read -r line; do case $line in isready) echo readyok;; go*) echo 'bestmove (none)';; esac; done",
        );
        let suite = folder.path().join("two.epd");
        std::fs::write(&suite, SUITE).expect("written");
        let suite = suite.display().to_string();
        let refused = "it answers `uci` with `Error (unknown command): uci`";
        let players = |engine: &str| words!("match --player default --player 'cmd:{engine}' --games 2");
        let solve = words!("solve {suite} --nodes 100 --engine '{refusing}'");
        for (arguments, needle) in
            [(players(&refusing), refused), (solve, refused), (players(&mute), "no answer to `uci` within 5 s")]
        {
            let begun = Instant::now();
            quarterply(&arguments).ends(2).says(&[needle, "`xboard:sh`"]);
            assert!(begun.elapsed() < SOON, "{arguments:?}: {:?}", begun.elapsed());
        }
        // An engine that has begun to answer may take its time.
        let run = quarterply(&["solve", &suite, "--nodes", "100", "--engine", &slow]);
        assert!(!has_text(&run.err, "xboard:") && has_text(&run.err, "no move found for mate"), "{}", run.err);
        let pids = contents(folder.path().join("pids"));
        assert!(pids.lines().filter_map(|line| line.parse().ok()).all(|pid| !lives(pid)), "{pids}");
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn the_timeout_option_limits_a_search() {
        let fake = FakeEngine::new("while :; do :; done");
        let begun = Instant::now();
        let run = quarterply(&["solve", &fake.suite(), "--nodes", "1000", "--engine", &fake.engine, "--timeout", "1"]);
        assert!(begun.elapsed() < TIMEOUT);
        assert_eq!(run.code, Some(1), "{}", run.err);
        run.says(&["no bestmove within", "mate"]);
        let player = fake.player();
        let run = quarterply(&words!("match --player default --player '{player}' --games 2 --nodes 100 --timeout 1"));
        let run = run.ends(1);
        run.says(&["lost all its games by faults"]).shows(&["no bestmove within"]);
        // The fault names the position.
        assert!(run.out.contains(" w ") || run.out.contains(" b "), "{}", run.out);
        assert_eq!(fake.is_gone(), Ok(()));
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn spinning_engines_end_with_the_program() {
        let twice = [Signal::INT, Signal::INT];
        for (name, arguments, signals) in [
            ("solve", "solve SUITE --nodes 1000 --engine ENGINE", &[Signal::INT][..]),
            ("solve killed", "solve SUITE --nodes 1000 --engine ENGINE", &[Signal::KILL]),
            ("uci-check", "uci-check ENGINE", &[Signal::INT]),
            ("uci-check killed", "uci-check ENGINE", &[Signal::KILL]),
            ("match twice", "match --player default --player PLAYER --nodes 100 --games 2", &twice),
            ("match killed", "match --player default --player PLAYER --tc 100+1 --games 2", &[Signal::KILL]),
            ("match ended", "match --player default --player PLAYER --tc 100+1 --games 2", &[Signal::TERM]),
            ("mine", "mine --check ENGINE --games 20 --play-nodes 60 --shallow-nodes 60 --nodes 3000", &[Signal::INT]),
            ("tune twice", "tune random --out OUT --engine ENGINE --params Odd --suite SUITE --nodes 100", &twice),
        ] {
            let fake = FakeEngine::with_lines(
                "echo 'option name Odd type spin default 1 min 1 max 9';",
                "while :; do :; done",
            );
            let mut child = start(&fake.filled(arguments.split(' ')));
            // The miner asks its engine only where it has found something.
            wait_for(&fake.path(if name == "mine" { "pids" } else { "went" }), &mut child);
            for each in signals {
                if child.try_wait().expect("a child").is_none() {
                    signal(&child, *each);
                }
                // On a busy machine two signals sent at once may arrive as one.
                std::thread::sleep(Duration::from_millis(500));
            }
            let (_, time) = ended(name, child);
            assert!(time < SOON, "{name}: {time:?}");
            assert_eq!(fake.is_gone(), Ok(()), "{name}");
        }
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_flood_of_output_needs_little_memory_and_time() {
        for flood in ["yes 'info depth 1 nodes 5 score cp 1 pv e2e4'", "yes | tr -d '\\n'", "yes nonsense >&2"] {
            let fake = FakeEngine::new(flood);
            let mut child =
                start(&["solve", &fake.suite(), "--nodes", "1000", "--hash", "1", "--engine", &fake.engine]);
            wait_for(&fake.path("went"), &mut child);
            let (before, begun) = (processor_time(child.id()), Instant::now());
            std::thread::sleep(Duration::from_secs(4));
            let share = (processor_time(child.id()) - before) / begun.elapsed().as_secs_f64();
            let memory = memory(child.id());
            signal(&child, Signal::INT);
            let (output, _) = ended("the program", child);
            assert_eq!(output.status.code(), Some(130), "{flood}");
            assert!(share < 0.35, "{flood}: {share:.2} of a core");
            assert!(memory < 150_000, "{flood}: {memory} KiB");
            assert_eq!(fake.is_gone(), Ok(()), "{flood}");
        }
    }
}
