"""Many parameters measured in the same searches of a suite: each run moves all of them at once, up or down by lot.

    python3 examples/python/factorial.py run FACTORS --suite ecm.epd --nodes 30000 --runs 80 --seed 1 --out runs.jsonl -- --set probcut.on=false
    python3 examples/python/factorial.py fit FACTORS runs.jsonl

A line of FACTORS is `NAME CENTRE STEP`; a switch is written `NAME 0 0` and is on or off. Everything after `--` goes to
`quarterply solve` as it stands. `run` adds to its file until there are so many runs, and goes on with its draws where it ended.
`fit` prints what a step up does to the nodes to the solution and to the number of solved positions, by least squares with a
ridge, and at last the settings some way down the slope: a point to be measured, not a result. Needs no package.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys

# A factor moves by its step for each effect of this size, in percent of the nodes, but by no more than so many steps.
STEP_EFFECT = 0.6
STEPS_MOST = 1.6


def read_factors(path):
    factors = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                try:
                    name, centre, step = line.split()
                    factors.append((name, int(centre), int(step)))
                except ValueError:
                    raise SystemExit(f"{path}:{number}: `{line.strip()}` is not NAME CENTRE STEP") from None
    return factors


def read_runs(path, factors):
    with open(path, encoding="utf-8") as lines:
        runs = [json.loads(line) for line in lines]
    if any(len(run["signs"]) != len(factors) for run in runs):
        raise SystemExit(f"{path}: runs of other factors; there are {len(factors)} now: take another file")
    return runs


def specs(program):
    text = subprocess.check_output([program, "params", "--format", "json"], text=True)
    return {entry["name"]: entry for entry in json.loads(text)}


def on_grid(spec, value):
    """The value of the parameter that is nearest to a number."""
    value = spec["min"] + round((value - spec["min"]) / spec["step"]) * spec["step"]
    return max(spec["min"], min(spec["max"], value))


def setting(spec, centre, step, steps):
    """The value `steps` steps from the centre, on the grid of the parameter and within its range."""
    if spec["kind"] == "switch":
        value = "true" if steps > 0 else "false"
    else:
        value = on_grid(spec, centre + steps * step)
    return ["--set", f"{spec['name']}={value}"]


def settings(factors, table, steps):
    parts = [setting(table[name], centre, step, by) for (name, centre, step), by in zip(factors, steps)]
    return [part for pair in parts for part in pair]


def measure(options, factors, table):
    done_before = len(read_runs(options.out, factors)) if os.path.exists(options.out) else 0
    draw = random.Random(options.seed)
    for number in range(options.runs):
        signs = [draw.choice((-1, 1)) for _ in factors]
        if number < done_before:
            continue
        command = [options.program, "solve", options.suite, "--nodes", str(options.nodes), "--workers", str(options.workers), "--json", "-"]
        done = subprocess.run(command + options.rest + settings(factors, table, signs), capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"solve failed ({done.returncode}): {done.stderr.strip()}")
        found = json.loads(done.stdout.splitlines()[-1])
        with open(options.out, "a", encoding="utf-8") as out:
            out.write(json.dumps({"signs": signs, "solved": found["solved"], "positions": found["positions"],
                                  "stable": found["nodes_stable_total"]}) + "\n")


def least_squares(rows, targets, ridge):
    """Weights of the columns, the first of which is free, by elimination."""
    width = len(rows[0])
    matrix = [[sum(row[i] * row[j] for row in rows) for j in range(width)] for i in range(width)]
    for i in range(1, width):
        matrix[i][i] += ridge
    right = [sum(row[i] * target for row, target in zip(rows, targets)) for i in range(width)]
    for i in range(width):
        pivot = max(range(i, width), key=lambda r: abs(matrix[r][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        right[i], right[pivot] = right[pivot], right[i]
        for r in range(width):
            if r != i and matrix[r][i]:
                share = matrix[r][i] / matrix[i][i]
                matrix[r] = [a - share * b for a, b in zip(matrix[r], matrix[i])]
                right[r] -= share * right[i]
    return [right[i] / matrix[i][i] for i in range(width)]


def fit(options, factors, table):
    runs = read_runs(options.runs, factors)
    if len(runs) < 2:
        raise SystemExit(f"{options.runs}: {len(runs)} runs; at least 2 are needed")
    rows = [[1.0] + [float(sign) for sign in run["signs"]] for run in runs]
    ridge = options.ridge * len(runs)
    nodes = least_squares(rows, [100 * math.log(run["stable"]) for run in runs], ridge)
    solved = least_squares(rows, [float(run["solved"]) for run in runs], ridge)
    best = min(runs, key=lambda run: run["stable"])
    print(f"{len(runs)} runs: {math.exp(nodes[0] / 100) / 1e6:.3f} M nodes and {solved[0]:.1f} solved on average; "
          f"the best {best['stable'] / 1e6:.3f} M and {best['solved']}")
    for (name, centre, step), cost, more in sorted(zip(factors, nodes[1:], solved[1:]), key=lambda row: -abs(row[1])):
        print(f"{name:40} {centre:>6} ± {step:<5} nodes {cost:+.2f} %, solved {more:+.1f}")
    down = [max(-STEPS_MOST, min(STEPS_MOST, -cost / STEP_EFFECT)) for cost in nodes[1:]]
    print(" ".join(settings(factors, table, down)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="quarterply", help="the program to run (quarterply)")
    parts = parser.add_subparsers(dest="part", required=True)
    run = parts.add_parser("run", help="measure")
    run.add_argument("factors")
    run.add_argument("--suite", required=True)
    run.add_argument("--nodes", type=int, default=30_000)
    run.add_argument("--workers", type=int, default=1)
    run.add_argument("--runs", type=int, default=80)
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--out", required=True)
    slope = parts.add_parser("fit", help="tell what was found")
    slope.add_argument("factors")
    slope.add_argument("runs")
    slope.add_argument("--ridge", type=float, default=0.3, help="of the number of runs (0.3)")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    words, rest = sys.argv[1:at], sys.argv[at + 1:]
    options = parser.parse_args(words, argparse.Namespace(rest=rest))
    factors, table = read_factors(options.factors), specs(options.program)
    unknown = [name for name, _, _ in factors if name not in table]
    if unknown:
        raise SystemExit(f"{options.factors}: no parameter is called {', '.join(unknown)}: see `quarterply params`")
    (measure if options.part == "run" else fit)(options, factors, table)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}; --program names quarterply where it is not on the path") from None
