//! The commands of README.md and docs are run in a temporary folder, with smaller numbers where they would take long. Those of
//! docs/results show how figures were made: they are only parsed, by a test of the program itself (`documentation.rs` there).

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::documentation::{DocumentedCommand, ROOT, commands, fenced, pages, read};
use crate::support::program;

/// A command that takes longer needs smaller numbers. Far more than any takes, for machines with other work.
const TIMEOUT: Duration = Duration::from_secs(300);
/// How often a command is looked after.
const LOOK: Duration = Duration::from_millis(10);

/// How the commands of a page are run.
struct Page {
    name: &'static str,
    /// What is done before.
    setup: &'static [&'static str],
    /// Replacements: text of the command, text that the test runs instead.
    changes: &'static [(&'static str, &'static str)],
    /// Beginnings of commands that are not run, and why. The test of the program parses them, too.
    parsed: &'static [(&'static str, &'static str)],
}

/// A run of games that takes a moment.
const GAMES: &str = "--games 8 --nodes 30 --hash 1 --bench-depth 1";
/// A tuning run that takes a moment.
const TUNING: &str = "--suite data/suites/quarterply-24.epd --positions 4 --nodes 100 --hash 1 --match-pairs 0";

const BUILDS: &str = "the program is built already";
const MODULE: &str = "builds the module, which takes minutes; .ci/run does";
const OTHER_ENGINE: &str = "needs another engine; tests/engines.rs plays against one";
const NATS: &str = "needs a server of NATS; tests/matches/elsewhere.rs works with one";
const LONG: &str = "a measurement of many games; the tests of ablate run a small one";
const LITTLE_DATA: &str = "learns nothing from a few games and says so with exit code 1; the tests of learn run it";
const DIG: &str = "finds nothing in a few games and says so with exit code 1; tests/commands/mine.rs runs it";
const SMALL_NETWORK: &str = "a network of a few games fails, with exit code 1; tests/commands/train.rs runs it";
const PYTHON: &str = "its flags are looked up in the script; tests/commands/python.rs runs it";

const PAGES: [Page; 19] = [
    Page {
        name: "README.md",
        setup: &[],
        changes: &[
            ("cargo run --release -- window", "quarterply window"),
            (
                "cargo run --release -- tune ga --quick",
                "quarterply tune ga --quick {TUNING} --population 4 --generations 1",
            ),
        ],
        parsed: &[("cargo test", "this test is a part of it"), ("quarterply match", OTHER_ENGINE)],
    },
    Page {
        name: "docs/consultation.md",
        setup: &["head -n 2 data/suites/quarterply-24.epd > problems.epd"],
        changes: &[("500000", "200"), ("position fen ...", "position startpos")],
        parsed: &[],
    },
    Page {
        name: "docs/datagen.md",
        setup: &["quarterply datagen {GAMES} --seed 2 --out data/second"],
        changes: &[
            ("--positions 5000000", "{GAMES}"),
            ("--positions 10000000", "--games 10"),
            ("--nodes 20000 ", "--nodes 30 --bench-depth 1 "),
            ("sample data/first --nodes 400", "sample data/first --bench-depth 1 --nodes 20"),
            ("--each 100 --search-nodes 2000", "--each 4 --search-nodes 100"),
            (
                "sample data/first --tree-nodes 20 --search-nodes 1500",
                "sample data/first --bench-depth 1 --tree-nodes 20 --search-nodes 100",
            ),
            ("--each 3200", "--each 80"),
            ("--classical 50%", "--classical 50% --holdout-share 50% --passes 1 --batch 64"),
            ("train first.games", "train first.games --hidden 32 --holdout-share 50% --passes 1 --batch 64"),
        ],
        parsed: &[("quarterply datagen --games 100000 --out data/far", NATS)],
    },
    Page {
        name: "docs/distributed.md",
        parsed: &[
            ("apt-get", "installs a program"),
            ("nats-server", NATS),
            ("quarterply worker", NATS),
            ("quarterply datagen", NATS),
            ("quarterply match", NATS),
        ],
        ..PLAIN
    },
    Page {
        name: "docs/evaluation.md",
        changes: &[
            ("--positions 400000 --nodes 500", "--games 40 --nodes 30 --hash 1 --bench-depth 1"),
            ("games/wdl", "games/fit"),
        ],
        parsed: &[("quarterply learn eval", LITTLE_DATA), ("cargo build", BUILDS)],
        ..PLAIN
    },
    Page {
        name: "docs/index.md",
        changes: &[("cargo run --release -- window", "quarterply window")],
        parsed: &[
            ("cargo test", "this test is a part of it"),
            ("git clone", "needs the address of a repository"),
            ("git sparse-checkout", "needs the clone"),
        ],
        ..PLAIN
    },
    Page {
        name: "docs/learned-cost.md",
        setup: &["printf 'from = \"learned\"\\n' > learned.toml"],
        changes: &[
            ("bench 8", "bench 2"),
            ("--games 2000", "{GAMES}"),
            ("--nodes 5000 --games 400", "--nodes 20 --games 2"),
            ("--out runs/learned", "--out runs/learned {TUNING} --population 4 --generations 1"),
        ],
        parsed: &[("quarterply learn cost", LITTLE_DATA)],
    },
    Page {
        name: "docs/measuring.md",
        setup: &[
            "head -n 2 data/suites/quarterply-24.epd > FILE.epd",
            "quarterply solve FILE.epd --nodes 100 --json old.json",
            "printf 'from = \"falcon\"\\n' | tee mine.toml > new.toml",
            "quarterply datagen {GAMES} --out games/first",
        ],
        changes: &[
            ("quarterply bench", "quarterply bench 3"),
            ("--nodes 500000", "--nodes 100"),
            ("data/suites/quarterply-24.epd --nodes 20k", "FILE.epd --nodes 20"),
            ("data/suites/quarterply-24.epd --without --depth 9", "FILE.epd --nodes 20 --without --depth 1"),
            ("data/suites/quarterply-24.epd --only", "FILE.epd --nodes 20 --only"),
            ("--nodes 200k ", ""),
            ("quarterply stats", "quarterply stats --nodes 20"),
            ("--tc 8+0.08 --concurrency 2", "--nodes 20"),
            ("--games 20000", "--games 2"),
        ],
        parsed: &[
            ("quarterply ablate --games", LONG),
            ("quarterply ablate --staged", LONG),
            ("quarterply ablate --together", LONG),
            ("quarterply match --player default --player \"cmd:toga2", OTHER_ENGINE),
            ("python3 ", PYTHON),
        ],
    },
    Page { name: "docs/network.md", setup: &["cp engine/src/network/built-in.nnue own.nnue"], ..PLAIN },
    Page { name: "docs/play-against-it.md", parsed: &[("cargo build", BUILDS)], ..PLAIN },
    Page {
        name: "docs/play.md",
        changes: &[
            ("sleep 2", "sleep 0.5"),
            ("go depth 12", "go depth 6"),
            ("go depth 8", "go depth 4"),
            ("--profile mine.toml", "--profile mine.toml --nodes 100"),
        ],
        ..PLAIN
    },
    Page {
        name: "docs/realization.md",
        setup: &["quarterply params realization.coefficients > mine.toml"],
        changes: &[("bench 8", "bench 2"), ("--depth 8", "--depth 4"), ("--nodes 2000", "--nodes 20 --games 2")],
        parsed: &[("quarterply learn realization", LITTLE_DATA)],
    },
    Page {
        name: "docs/suites.md",
        changes: &[
            ("--nodes 20k --json", "--nodes 100 --json"),
            ("--nodes 20k --set", "--nodes 100 --set"),
            ("--nodes 5000 --games 100", "--nodes 20 --games 2"),
            ("--nodes 5000 --games 200", "--nodes 20 --games 4"),
            ("--nodes 20000 --games 20000", "--nodes 20 --games 2"),
        ],
        parsed: &[
            ("quarterply solve data/suites/quarterply-24.epd --nodes 20k --engine", OTHER_ENGINE),
            ("quarterply mine --games", DIG),
            ("quarterply mine --pgn", OTHER_ENGINE),
            ("quarterply match --player \"cmd:", OTHER_ENGINE),
        ],
        ..PLAIN
    },
    Page {
        name: "docs/training.md",
        changes: &[
            ("--positions 5M --nodes 600 --hash 2", "{GAMES}"),
            ("--positions 5M", "{GAMES}"),
            ("--positions 300k --nodes 400 --hash 2", "{GAMES}"),
            ("--batch 2048 --rate 0.002 --passes 15", "--batch 64 --passes 1"),
            ("--holdout-share 5%", "--holdout-share 50%"),
            ("--classical 50%", "--classical 50% --hidden 32 --batch 64 --passes 1 --holdout-share 50%"),
            (
                "--batch 64 --passes 1 --holdout-share 50% --distil-share 20% --passes 4",
                "--batch 64 --holdout-share 50% --distil-share 20% --passes 1",
            ),
            ("nnue bench", "nnue bench 2"),
        ],
        parsed: &[("quarterply train verify", SMALL_NETWORK)],
        ..PLAIN
    },
    Page {
        name: "docs/tuning.md",
        setup: &["printf 'null_move.base, 2870.6\\n' > digest.csv"],
        changes: &[
            (
                "cargo run --release -- tune ga --quick",
                "quarterply tune ga --quick {TUNING} --population 4 --generations 1",
            ),
            (
                "--out runs/null-move",
                "--out runs/null-move {TUNING} --iterations 1 --pairs 1 --openings 1 --move-nodes 20",
            ),
        ],
        parsed: &[("quarterply tune ga --engine", OTHER_ENGINE)],
    },
    Page { name: "docs/tutorial.md", ..PLAIN },
    Page {
        name: "docs/uci-check.md",
        changes: &[
            ("uci-check \"./engine\" --", "uci-check \"quarterply\" --"),
            ("uci-check \"./engine\" ", "uci-check \"quarterply\" --case 25 "),
        ],
        ..PLAIN
    },
    Page { name: "docs/window-page.md", parsed: &[("make web", MODULE)], ..PLAIN },
    Page { name: "docs/window.md", ..PLAIN },
];

/// A page of which every command is run as it stands.
const PLAIN: Page = Page { name: "", setup: &[], changes: &[], parsed: &[] };

/// A folder with the files that the commands expect; the program is in the `PATH`.
pub fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(ROOT).expect("the project");
    for name in ["data", "bin"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    for entry in fs::read_dir(root.join("data")).expect("our data") {
        let entry = entry.expect("a file");
        symlink(entry.path(), folder.path().join("data").join(entry.file_name())).expect("a link");
    }
    for (from, to) in [
        (root.join("crates/engine"), "engine"),
        (root.join("examples"), "examples"),
        (PathBuf::from(program()), "bin/quarterply"),
    ] {
        symlink(from, folder.path().join(to)).expect("a link");
    }
    folder
}

/// Runs a line of a shell in the folder: what it said on stderr if it failed.
pub fn shell(folder: &Path, line: &str) -> Result<(), String> {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let stderr_path = folder.join("stderr");
    let stderr = fs::File::create(&stderr_path).expect("a file");
    let mut child = Process::new("bash")
        .args(["-c", &format!("set -o pipefail; {line}")])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .expect("bash runs");
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            let text = fs::read(&stderr_path).unwrap_or_default();
            return if status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&text).into_owned()) };
        }
        if begin.elapsed() > TIMEOUT {
            child.kill().and_then(|()| child.wait()).expect("it is ours");
            return Err("it takes too long: give smaller numbers in the table of the test".to_owned());
        }
        thread::sleep(LOOK);
    }
}

fn expand(text: &str) -> String {
    text.replace("{GAMES}", GAMES).replace("{TUNING}", TUNING)
}

/// Flags of a Python script are texts of the script.
fn look_up(command: &DocumentedCommand) -> Result<(), String> {
    let words = crate::documentation::words(&command.text);
    let script = words.iter().find(|word| word.ends_with(".py")).ok_or("no script")?;
    let text = fs::read_to_string(Path::new(ROOT).join(script)).map_err(|error| format!("{script}: {error}"))?;
    let flags = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
    match flags.map(|flag| flag.split('=').next().unwrap_or(flag)).find(|flag| !text.contains(*flag)) {
        Some(flag) => Err(format!("{script} knows no {flag}")),
        None => Ok(()),
    }
}

/// Runs the commands of a page; what went wrong, with page and line.
fn run(page: &Page) -> Vec<String> {
    let folder = place();
    if let toml = fenced(&read(page.name), "toml")
        && !toml.is_empty()
    {
        let text: String = toml.iter().map(|(_, line)| format!("{line}\n")).collect();
        fs::write(folder.path().join("mine.toml"), text).expect("a file");
    }
    let mut failures = Vec::new();
    for line in page.setup {
        failures
            .extend(shell(folder.path(), &expand(line)).err().map(|error| format!("{}: {line}: {error}", page.name)));
    }
    let (mut changed, mut parsed) = (vec![false; page.changes.len()], vec![false; page.parsed.len()]);
    for command in commands(page.name) {
        let outcome = match page.parsed.iter().position(|(prefix, _)| command.text.starts_with(prefix)) {
            Some(place) => {
                parsed[place] = true;
                if command.text.starts_with("python3") { look_up(&command) } else { Ok(()) }
            }
            None => {
                let mut text = command.text.clone();
                for (place, (from, to)) in page.changes.iter().enumerate() {
                    changed[place] |= text.contains(from);
                    text = text.replace(from, to);
                }
                shell(folder.path(), &expand(&text)).map_err(|error| format!("{text}: {error}"))
            }
        };
        failures
            .extend(outcome.err().map(|error| format!("{}:{}: {}: {error}", page.name, command.line, command.text)));
    }
    let idle = page.changes.iter().zip(changed).filter(|(_, used)| !used).map(|((from, _), _)| *from);
    let idle = idle.chain(page.parsed.iter().zip(parsed).filter(|(_, used)| !used).map(|((prefix, _), _)| *prefix));
    failures.extend(idle.map(|text| format!("{}: no command has `{text}`", page.name)));
    failures
}

/// What takes many seconds; `.ci/run` runs it.
mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn every_command_of_the_readme_and_the_docs_is_run() {
        let with_commands: Vec<String> = pages(false).into_iter().filter(|page| !commands(page).is_empty()).collect();
        let table: Vec<&Page> = PAGES.iter().collect();
        let known: Vec<&str> = table.iter().map(|page| page.name).collect();
        assert_eq!(with_commands, known, "pages with commands, and those of the table");
        let failures: Vec<String> = thread::scope(|scope| {
            let runs: Vec<_> = table.into_iter().map(|page| scope.spawn(move || run(page))).collect();
            runs.into_iter().flat_map(|run| run.join().expect("no panic")).collect()
        });
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
