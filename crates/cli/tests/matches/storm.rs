//! Commands of every kind while workers, the commands themselves, the server and the wire are struck at random: what comes out
//! is what this machine finds alone, and nothing is lost or counted twice.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::elsewhere::lines;
use super::support::nats::{Disk, OwnedChild, Server, TcpProxy, wait};
use super::support::{SUITE, assert_texts, contents, folder, has_text, succeeds, words};
use super::{QUICK, timeless};

/// Sets how many processes are killed.
const KILLS: &str = "QUARTERPLY_KILLS";
/// Sets the seed that victims and moments are drawn with.
const SEED: &str = "QUARTERPLY_STORM_SEED";
/// Kills in one run, after which it may come to its end.
const KILLS_OF_RUN: usize = 8;
/// How long one command may take, blows included.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The workers.
const WORKERS: [&str; 2] = ["first", "second"];

/// A command, how it is gone on with, and what it leaves.
struct WorkKind {
    name: &'static str,
    begin: fn(&str) -> String,
    /// The file from which on it can be gone on with, and how.
    again: fn(&str) -> (String, String),
    found: fn(&str) -> Vec<String>,
}

fn datagen(out: &str) -> String {
    format!("datagen --games 120 --nodes 120 --hash 1 --seed 3 --bench-depth 3 --out {out}")
}

fn games(out: &str) -> String {
    format!("{QUICK} --games 60 --pgn {out}.pgn --json {out}.jsonl")
}

fn tune(out: &str) -> String {
    let limits = "--positions 12 --nodes 400 --hash 1 --match-pairs 1 --move-nodes 50";
    format!("tune ga --preset paper --suite {SUITE} --population 6 --generations 8 {limits} --out {out}")
}

fn solve(out: &str) -> String {
    format!("solve {SUITE} --nodes 60000 --hash 1 --overwrite --json {out}.jsonl")
}

fn ablate(out: &str) -> String {
    let rules = "--without=null_move,probcut,late_move_reduction,futility";
    format!("ablate {SUITE} --nodes 1500 {rules} --staged --games 40 --width 150 --game-nodes 60 --out {out}")
}

const KINDS: [WorkKind; 5] = [
    WorkKind {
        name: "datagen",
        begin: datagen,
        again: |out| (format!("{out}/settings.toml"), format!("datagen resume {out}")),
        found: |out| vec![format!("{:?}", fs::read(format!("{out}/games-00001.shard")).expect("games"))],
    },
    WorkKind {
        name: "match",
        begin: games,
        again: |out| (format!("{out}.jsonl"), games(out) + " --resume"),
        found: |out| {
            let mut pairs: Vec<String> =
                lines(&format!("{out}.jsonl")).iter().map(|line| line["pair"].to_string()).collect();
            pairs.sort();
            pairs.push(timeless(&format!("{out}.pgn")));
            pairs
        },
    },
    WorkKind {
        name: "tune",
        begin: tune,
        again: |out| (format!("{out}/run.toml"), format!("tune resume {out}")),
        found: |out| ["summary.json", "profile.toml"].map(|name| contents(format!("{out}/{name}"))).to_vec(),
    },
    WorkKind {
        name: "solve",
        begin: solve,
        again: |out| (String::new(), solve(out)),
        found: |out| lines(&format!("{out}.jsonl")).iter().map(ToString::to_string).collect(),
    },
    WorkKind {
        name: "ablate",
        begin: ablate,
        again: |out| (format!("{out}/journal.jsonl"), ablate(out) + " --resume"),
        found: |out| {
            let mut found: Vec<String> =
                lines(&format!("{out}/journal.jsonl")).iter().map(ToString::to_string).collect();
            found.sort();
            found.push(contents(format!("{out}/table.csv")));
            found
        },
    },
];

/// A fault: a killed process, a cut or silent connection, or a stopped worker.
#[derive(Clone, Copy, Debug)]
enum InjectedFault {
    Worker,
    Command,
    Server,
    Cut,
    Silence,
    Hang,
}

/// A server and its workers, and the faults injected so far.
struct FaultInjector {
    server: Server,
    proxy: TcpProxy,
    workers: Vec<OwnedChild>,
    rng: ChaCha8Rng,
    kills: usize,
    kills_required: usize,
    tally: Vec<InjectedFault>,
}

impl FaultInjector {
    fn new(folder: &Path, kills_required: usize, seed: u64) -> Option<FaultInjector> {
        let server = Server::start(folder)?;
        let proxy = TcpProxy::to(&server);
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let mut injector =
            FaultInjector { server, proxy, workers: Vec::new(), rng, kills: 0, kills_required, tally: Vec::new() };
        injector.workers = WORKERS.iter().map(|name| injector.worker(name)).collect();
        Some(injector)
    }

    fn worker(&self, name: &str) -> OwnedChild {
        self.server.run_over(&self.proxy.url(), &words!("worker --workers 1 --name {name}"), &format!("{name}.log"))
    }

    /// Starts a command, or resumes it if it has left something to resume.
    fn command(&self, kind: &WorkKind, out: &str) -> OwnedChild {
        let (mark, again) = (kind.again)(out);
        let arguments = if fs::exists(&mark).unwrap_or(false) {
            again
        } else {
            // Killed before anything could be resumed: start again, as a user would.
            let _ = fs::remove_dir_all(out);
            (kind.begin)(out)
        };
        self.server.run_over(&self.proxy.url(), &words!("{arguments}"), "command.log")
    }

    /// Workers that ended without a server are started again, as their systemd unit does.
    fn restart_workers(&mut self) {
        for (which, name) in WORKERS.iter().enumerate() {
            if let Some(code) = self.workers[which].ended() {
                let log = self.server.log(&format!("{name}.log"));
                assert!(has_text(&log, "cannot connect to NATS"), "{code:?}: {log}");
                self.workers[which] = self.worker(name);
            }
        }
    }

    /// A time between two faults.
    fn moment(&mut self) -> Duration {
        Duration::from_millis(self.rng.random_range(50..1500))
    }

    /// Injects a fault.
    fn inject(&mut self, fault: InjectedFault, command: &mut Option<OwnedChild>) {
        let time = self.moment();
        let which = self.rng.random_range(0..WORKERS.len());
        match fault {
            InjectedFault::Worker => {
                let name = WORKERS[which];
                self.workers.remove(which).kill();
                self.workers.insert(which, self.worker(name));
            }
            InjectedFault::Command => command.take().expect("it runs").kill(),
            InjectedFault::Server => {
                self.server.down();
                sleep(time);
                self.server.up();
            }
            InjectedFault::Cut => self.proxy.cut(time * 2),
            InjectedFault::Silence => self.proxy.silence(time * 2),
            InjectedFault::Hang => {
                self.workers[which].signal("STOP");
                sleep(time * 2);
                self.workers[which].signal("CONT");
            }
        }
        self.kills +=
            usize::from(matches!(fault, InjectedFault::Worker | InjectedFault::Command | InjectedFault::Server));
        self.tally.push(fault);
    }

    /// Injects faults until a command has ended.
    fn pass(&mut self, kind: &WorkKind, out: &str) {
        const FAULTS: [InjectedFault; 6] = [
            InjectedFault::Worker,
            InjectedFault::Command,
            InjectedFault::Server,
            InjectedFault::Cut,
            InjectedFault::Silence,
            InjectedFault::Hang,
        ];
        let begin = Instant::now();
        let enough = self.kills_required.min(self.kills + KILLS_OF_RUN);
        let mut command = Some(self.command(kind, out));
        loop {
            self.restart_workers();
            let log = self.server.log("command.log");
            assert!(begin.elapsed() < TIMEOUT, "{} does not end after {:?}:\n{log}", kind.name, self.tally);
            let next = Instant::now() + self.moment();
            let ended = loop {
                let ended = command.as_mut().and_then(OwnedChild::ended);
                if ended.is_some() || Instant::now() >= next {
                    break ended;
                }
                sleep(Duration::from_millis(10));
            };
            match ended {
                Some(Some(0)) => return,
                // Lost with its worker five times, a task is given up and listed: a person has it tried again.
                Some(Some(1)) if has_text(&self.server.log("command.log"), "workers retry") => {
                    self.server.run(&["workers", "retry"], "retry.log").ends(0);
                    command = Some(self.command(kind, out));
                }
                // The fault came before it had connected to its server.
                Some(Some(1)) if has_text(&self.server.log("command.log"), "cannot connect to NATS") => {
                    command = Some(self.command(kind, out));
                }
                Some(code) => {
                    panic!("{}: {code:?} after {:?}\n{}", kind.name, self.tally, self.server.log("command.log"))
                }
                None if self.kills < enough => {
                    let fault = *FAULTS.choose(&mut self.rng).expect("there are some");
                    self.inject(fault, &mut command);
                    if command.is_none() {
                        command = Some(self.command(kind, out));
                    }
                }
                None => {}
            }
        }
    }
}

/// Kills a number of processes, in commands of every kind in turn.
fn run_with_faults(kills_required: usize, seed: u64) {
    let (folder, at) = folder();
    let Some(mut injector) = FaultInjector::new(folder.path(), kills_required, seed) else { return };
    for name in WORKERS {
        wait(|| injector.server.log(&format!("{name}.log")).contains("serves").then_some(())).expect("a worker");
    }
    let mut runs = 0;
    for kind in KINDS.iter().cycle() {
        let here = at(&format!("{}-here", kind.name));
        if runs < KINDS.len() {
            succeeds(&words!("{}", (kind.begin)(&here)));
        }
        let far = at(&format!("{}-{runs}", kind.name));
        injector.pass(kind, &far);
        assert!((kind.found)(&here) == (kind.found)(&far), "{}: other results after {:?}", kind.name, injector.tally);
        runs += 1;
        eprintln!("{} {runs}: {} kills, {} faults", kind.name, injector.kills, injector.tally.len());
        if runs >= KINDS.len() && injector.kills >= kills_required {
            break;
        }
    }
}

/// The number in a variable of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is not a number")))
}

/// `.ci/deep storm` runs this and the next.
#[test]
#[ignore = "takes some ten minutes"]
fn a_hundred_kills_do_not_change_the_results() {
    run_with_faults(number(KILLS).unwrap_or(100) as usize, number(SEED).unwrap_or(2));
}

/// JetStream of nats-server 2.9 stops after its disk was full: all clients wait until there is space and it was started
/// again.
#[test]
#[ignore = "takes a minute, and a disk that only root can mount"]
fn a_full_disk_of_the_server_loses_nothing() {
    let (folder, at) = folder();
    let Some(disk) = Disk::mount(folder.path().join("streams"), 16) else { return };
    let Some(mut server) = Server::start(folder.path()) else { return };
    let (here, far) = (at("here"), at("far"));
    succeeds(&words!("{}", datagen(&here)));
    let shard = |out: &str| fs::read(format!("{out}/games-00001.shard")).unwrap_or_default();
    let _worker = server.worker("only");
    let mut command = server.run(&words!("{}", datagen(&far)), "command.log");
    wait(|| (shard(&far).len() > shard(&here).len() / 5).then_some(())).expect("games");
    disk.fill();
    wait(|| has_text(&server.log("command.log"), "is the server's disk full?").then_some(())).expect("a message");
    let before = shard(&far).len();
    assert!(before < shard(&here).len() && command.ended().is_none(), "{}", server.log("command.log"));
    let late = server.run(&["workers"], "late.log").ends(1);
    assert_texts(&late, &["free space, and start the server again"]);
    server.down();
    disk.clear();
    server.up();
    let said = command.ends(0);
    assert!(shard(&here) == shard(&far), "{said}");
}
