#!/usr/bin/env python3
"""Do the engine's tests notice when a rule is turned round?

Applies each mutation of list.toml, one at a time, to a scratch copy of the last commit, runs the engine's tests and notes which of
them failed. Only tests of meaning are run: not `map`, which holds a document against the text of the sources, and not the bench.

    tools/mutations/run.py                  all mutations that the journal does not know yet
    tools/mutations/run.py bound malus      only those whose names contain one of the words, known or not
    tools/mutations/run.py --unit           with the unit tests alone: fast; what survives is tried with all tests later
    tools/mutations/run.py --share 1/4      the first of four parts, for four runs side by side with one journal
    tools/mutations/run.py --list           what there is, and whether each text is still found exactly once
    tools/mutations/run.py --table          the table of what the journal knows

The journal (target/mutations/journal.jsonl) gets a line after every mutation, so that an interrupted run goes on where it was. A line
is known for as long as mutation and tests are the same: `--again` forgets survivors, for runs after tests were added. Mutations that do
not compile prove nothing; they are an error of the list.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = pathlib.Path("crates/engine/src")
HOME = ROOT / "target" / "mutations"
COPY = HOME / "copy"  # with --share a copy for each
TARGET = HOME / "target"
JOURNAL = HOME / "journal.jsonl"
TIMEOUT_S = 400
# Fast to build rather than fast to run, and with the checks that .ci/run's second run of these tests has. The settings concern the
# mutated crate alone.
SETTINGS = [
    "profile.release.package.quarterply-engine.codegen-units=256",
    "profile.release.package.quarterply-engine.opt-level=1",
    "profile.release.package.quarterply-engine.debug-assertions=true",
    "profile.release.package.quarterply-engine.overflow-checks=true",
]
STAGES = [
    ["--lib"],
    ["--test", "behaviour", "--test", "lines", "--test", "observer", "--test", "threads", "--test", "agreement"],
]
AREAS = ["exchange", "table", "history", "ordering", "search", "rules"]


def fail(message):
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(1)


def read_list():
    mutations = tomllib.loads((HERE / "list.toml").read_text())["mutation"]
    names = [m["name"] for m in mutations]
    for name in names:
        if names.count(name) > 1:
            fail(f"two mutations are called '{name}'")
    for m in mutations:
        if m["area"] not in AREAS:
            fail(f"'{m['name']}': no area is called '{m['area']}'; there are: {', '.join(AREAS)}")
        m["id"] = hashlib.sha256(json.dumps([m["file"], m["old"], m["new"]]).encode()).hexdigest()[:16]
    return mutations


def places(m, root):
    """How often the old text stands in the file outside its tests."""
    path = root / SOURCES / m["file"]
    if not path.exists():
        return 0
    return path.read_text().split("#[cfg(test)]\nmod tests")[0].count(m["old"])


def make_copy():
    """The last commit in the scratch copy; files that are the same keep their times, so that little is built."""
    HOME.mkdir(parents=True, exist_ok=True)
    new = COPY.with_name(COPY.name + ".new")
    subprocess.run(["rm", "-rf", new], check=True)
    new.mkdir()
    archive = subprocess.Popen(["git", "-C", ROOT, "archive", "HEAD"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "x", "-C", new], stdin=archive.stdout, check=True)
    if archive.wait() != 0:
        fail("git archive failed")
    kept = set()
    for path in sorted(new.rglob("*")):
        if path.is_file():
            relative = path.relative_to(new)
            kept.add(relative)
            target = COPY / relative
            if not target.exists() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
    for path in sorted(COPY.rglob("*")):
        if path.is_file() and path.relative_to(COPY) not in kept:
            path.unlink()


def cargo(arguments):
    command = ["cargo"]
    for setting in SETTINGS:
        command += ["--config", setting]
    command += ["test", "--release", "--no-fail-fast", "--package", "quarterply-engine", *arguments]
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "1"}
    process = subprocess.Popen(
        command, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT_S)
    except BaseException as reason:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(reason, subprocess.TimeoutExpired):
            return None, ""
        raise
    return process.returncode, output


def failed_tests(output):
    return sorted(set(re.findall(r"^test (\S+) \.\.\. FAILED$", output, re.MULTILINE)))


def outcome_of_tests(stages):
    """What the tests say about the copy as it is: (verdict, failed tests)."""
    for stage in stages:
        code, output = cargo(stage)
        if code is None:
            return "caught", [f"no end within {TIMEOUT_S} s"]
        if "could not compile" in output:
            return "does not compile", [line for line in output.splitlines() if line.startswith("error")][:3]
        if code != 0:
            return "caught", failed_tests(output) or [output.strip().splitlines()[-1]]
    return ("survived", []) if len(stages) == len(STAGES) else ("survived unit tests", [])


def try_mutation(m, stages):
    path = COPY / SOURCES / m["file"]
    before = path.read_text()
    try:
        path.write_text(before.replace(m["old"], m["new"], 1))
        return outcome_of_tests(stages)
    finally:
        path.write_text(before)


def read_journal():
    known = {}
    if JOURNAL.exists():
        for line in JOURNAL.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # cut off by a kill
            known[entry["id"]] = entry
    return known


def note(entry):
    with JOURNAL.open("a") as file:
        file.write(json.dumps(entry) + "\n")


def table(mutations, known):
    results = [(m, known.get(m["id"])) for m in mutations]
    print("| area | file | what is changed | caught by |\n|---|---|---|---|")
    for m, entry in results:
        if entry is None:
            text = "not run"
        elif entry["verdict"] == "caught":
            tests = entry["tests"]
            text = f"`{tests[0]}`" + (f" and {len(tests) - 1} more" if len(tests) > 1 else "")
        else:
            text = f"**{entry['verdict']}**"
        print(f"| {m['area']} | `{m['file']}` | {m['name']}: {m['means']} | {text} |")
    run = [entry for _, entry in results if entry]
    caught = sum(entry["verdict"] == "caught" for entry in run)
    if run:
        print(f"\n{caught} of {len(run)} mutations caught ({100 * caught / len(run):.0f} %), {len(mutations) - len(run)} not run.")
    return all(entry["verdict"] != "does not compile" for entry in run)


def take_share(text):
    """The I-th of N runs side by side: its own copy and its own target, the same journal."""
    global COPY, TARGET
    number, of = (int(part) for part in text.split("/"))
    if of > 1:
        COPY, TARGET = (HOME / f"{path.name}-{number}" for path in (COPY, TARGET))
    return number, of


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only mutations whose names contain one of these")
    parser.add_argument("--list", action="store_true", help="list the mutations and check their texts")
    parser.add_argument("--table", action="store_true", help="print what the journal knows")
    parser.add_argument("--unit", action="store_true", help="run the unit tests alone")
    parser.add_argument("--again", action="store_true", help="run survivors again")
    parser.add_argument("--share", default="1/1", help="only the I-th of N parts (I/N), for runs side by side")
    parser.add_argument("--trust", action="store_true", help="do not first run the tests without any mutation")
    parser.add_argument("--nice", type=int, default=5, help="how much to stand back for other programs (5)")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the tests end with us
    os.nice(arguments.nice)
    mutations = read_list()
    known = read_journal()
    if arguments.table:
        sys.exit(0 if table(mutations, known) else 1)
    wrong = [m for m in mutations if places(m, ROOT) != 1]
    if arguments.list:
        for m in mutations:
            print(f"{m['area']:9} {m['file']:32} {m['name']}: {m['means']}")
        print(f"{len(mutations)} mutations")
    for m in wrong:
        print(f"'{m['name']}': its old text stands {places(m, ROOT)} times in {m['file']}, not once: mend list.toml", file=sys.stderr)
    if wrong or arguments.list:
        sys.exit(1 if wrong else 0)

    def wanted(m):
        if arguments.words:
            return any(word in m["name"] for word in arguments.words)
        entry = known.get(m["id"])
        if entry is None or entry["verdict"] == "caught":
            return entry is None
        return arguments.again or (entry["verdict"] == "survived unit tests" and not arguments.unit)

    number, of = take_share(arguments.share)
    chosen = [m for index, m in enumerate(mutations) if index % of == number - 1 and wanted(m)]
    stages = STAGES[:1] if arguments.unit else STAGES
    make_copy()
    if chosen and not arguments.trust:
        verdict, tests = outcome_of_tests(stages)
        if not verdict.startswith("survived"):
            fail(f"the tests fail without any mutation ({verdict}): {', '.join(tests)}")
    for count, m in enumerate(chosen, 1):
        if places(m, COPY) != 1:
            fail(f"'{m['name']}' is not in the last commit: commit first")
        verdict, tests = try_mutation(m, stages)
        entry = {"id": m["id"], "name": m["name"], "verdict": verdict, "tests": tests}
        note(entry)
        known[m["id"]] = entry
        print(f"{count}/{len(chosen)} {m['area']}: {m['name']}: {verdict} {', '.join(tests[:2])}", file=sys.stderr, flush=True)
    sys.exit(0 if table(mutations, known) else 1)


if __name__ == "__main__":
    main()
