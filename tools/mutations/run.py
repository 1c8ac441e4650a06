#!/usr/bin/env python3
"""Measure whether the engine's tests notice errors: apply a random sample of mutations to a copy of the last commit, one at a time.

    tools/mutations/run.py                  100 mutations that compile, chosen with the seed below
    tools/mutations/run.py --seed 7 --count 20
    tools/mutations/run.py --table          print the results so far

cargo-mutants (`cargo install cargo-mutants --locked`) lists the mutations. The tests are those of crate quarterply-engine; none of them
compares the bench or another fixed node count. A mutation that does not compile proves nothing and is replaced by the next of the sample.
The journal (target/mutations/SEED.jsonl) gets a line after each mutation; an interrupted run continues there. After a change of the tests
`--again` runs the mutations that were missed.
"""

import argparse
import io
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOME = ROOT / "target" / "mutations"
COPY = HOME / "copy"
SOURCES = "crates/engine/src"
AREAS = [
    "search.rs", "search/**", "rules.rs", "rules/**", "ordering.rs", "ordering/**", "history.rs", "history/**",
    "correction.rs", "table.rs", "clock.rs", "budget.rs", "see.rs",
]
# Instrumentation, documentation and test scaffolding: no search result depends on them.
NOT_SEARCH = ["search/audit.rs", "search/quiescence/audit.rs", "rules/description.rs", "rules/worth.rs", "ordering/testing.rs"]
SEED = 20261128
COUNT = 100
TIMEOUT_S = 900
# Unit tests that take most of the time.
SLOW = ["search::consultation::", "search::audit::"]
# Fast to build instead of fast to run, with the checks of the second run of these tests in .ci/run.
SETTINGS = ["codegen-units=256", "opt-level=1", "debug-assertions=true", "overflow-checks=true"]


def sample(seed):
    """All mutations of the areas in the order of the seed, without `delete field`, which ignores the file filters of cargo-mutants."""
    files = [argument for area in AREAS for argument in ("--file", f"{SOURCES}/{area}")]
    files += [argument for path in NOT_SEARCH for argument in ("--exclude", f"{SOURCES}/{path}")]
    command = ["cargo", "mutants", "--package", "quarterply-engine", *files, "--list", "--json", "--diff"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if listed.returncode != 0:
        sys.exit("run.py: cannot list mutations: cargo mutants failed; install it with `cargo install cargo-mutants --locked`")
    mutations = [m for m in json.loads(listed.stdout) if m["genre"] != "StructField"]
    mutations.sort(key=lambda m: m["name"])
    random.Random(seed).shuffle(mutations)
    return mutations


def make_copy():
    """The last commit in the scratch copy; unchanged files keep their times, so that little is built."""
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        committed = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
    for path in COPY.rglob("*"):
        if path.is_file() and str(path.relative_to(COPY)) not in committed:
            path.unlink()
    for name, content in committed.items():
        path = COPY / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def run_tests():
    """(verdict, failed tests) of the copy as it is. All tests are run only if the fast unit tests pass."""
    fast = ["--lib", "--", *(argument for name in SLOW for argument in ("--skip", name))]
    verdict, failed = run_some_tests(fast)
    return (verdict, failed) if verdict != "missed" else run_some_tests([])


def run_some_tests(arguments):
    settings = [f"--config=profile.release.package.quarterply-engine.{setting}" for setting in SETTINGS]
    command = ["cargo", *settings, "test", "--release", "--no-fail-fast", "--package", "quarterply-engine", *arguments]
    environment = os.environ | {"CARGO_TARGET_DIR": str(HOME / "target"), "CARGO_INCREMENTAL": "1"}
    process = subprocess.Popen(
        command, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT_S)
    except BaseException as reason:
        os.killpg(process.pid, signal.SIGKILL)
        if isinstance(reason, subprocess.TimeoutExpired):
            return "caught", [f"no end within {TIMEOUT_S} s"]
        raise
    if "could not compile" in output:
        return "unviable", []
    failed = sorted(set(re.findall(r"^test (\S+) .*FAILED$", output, re.MULTILINE)))
    if process.returncode != 0:
        return "caught", failed or ["the test process ends"]
    return "missed", []


def try_mutation(mutation):
    path = COPY / mutation["file"]
    before = path.read_bytes()
    try:
        subprocess.run(["patch", "--quiet", "-p0"], cwd=COPY, input=mutation["diff"], text=True, check=True)
        return run_tests()
    finally:
        path.write_bytes(before)


def table(entries):
    print("| mutation | result |\n|---|---|")
    for entry in sorted(entries, key=lambda entry: entry["name"]):
        tests = entry["tests"]
        text = f"`{tests[0]}`" + (f" and {len(tests) - 1} more" if len(tests) > 1 else "") if tests else f"**{entry['verdict']}**"
        name = entry["name"].removeprefix(f"{SOURCES}/").replace("|", "\\|")
        print(f"| `{name}` | {text} |")
    caught = sum(entry["verdict"] == "caught" for entry in entries)
    print(f"\n{caught} of {len(entries)} mutations caught ({100 * caught / max(len(entries), 1):.0f} %).")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of the sample [default: {SEED}]")
    parser.add_argument("--count", type=int, default=COUNT, help=f"mutations that compile [default: {COUNT}]")
    parser.add_argument("--again", action="store_true", help="run missed mutations again")
    parser.add_argument("--table", action="store_true", help="print the results so far")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    HOME.mkdir(parents=True, exist_ok=True)
    journal = HOME / f"{arguments.seed}.jsonl"
    known, lines = {}, []
    if journal.exists():
        # A killed run may leave a partial last line; that mutation is run again.
        lines = [line for line in journal.read_text().splitlines(keepends=True) if line.endswith("\n")]
        known = {entry["name"]: entry for entry in map(json.loads, lines)}
    if arguments.table:
        table([entry for entry in known.values() if entry["verdict"] != "unviable"])
        return
    journal.write_text("".join(lines))
    mutations = sample(arguments.seed)
    make_copy()
    verdict, tests = run_tests()
    if verdict != "missed":
        sys.exit(f"run.py: cannot test mutations: the tests fail without one ({verdict}): {', '.join(tests)}; correct them first")
    viable = []
    for mutation in mutations:
        if len(viable) >= arguments.count:
            break
        entry = known.get(mutation["name"])
        if entry is None or (arguments.again and entry["verdict"] == "missed"):
            verdict, tests = try_mutation(mutation)
            entry = {"name": mutation["name"], "verdict": verdict, "tests": tests}
            with journal.open("a") as file:
                file.write(json.dumps(entry) + "\n")
            print(f"{len(viable)}: {entry['name']}: {verdict} {', '.join(tests[:2])}", file=sys.stderr, flush=True)
        if entry["verdict"] != "unviable":
            viable.append(entry)
    table(viable)


if __name__ == "__main__":
    main()
