#!/usr/bin/env python3
"""Many parameters measured by the moves that are chosen: each search has all of them up or down by lot, and a longer one judges its move.

    python3 judged_moves.py run FACTORS POSITIONS.epd --nodes 50000 --judge-nodes 250000 --count 6000 --workers 2 --out moves.jsonl
    python3 judged_moves.py fit moves.jsonl [--worth 0.05] [--most 1.2] [--format table|set|match|toml]

A line of FACTORS is `NAME LOW HIGH`. Every position is searched --searches times from an empty table; the second search of two has each
parameter where the first had it not. What a search would have played at 30, 45, 65 and 100 percent of its nodes counts, the last most. Where
the searches of a position disagree, each move is made and the position behind it searched by --judge-nodes with the values of the
program; a value of the judge is worth 1 / (1 + exp(-value / 130)) points. `fit` compares the searches of a position with each other, by
least squares: what the high value gains over the low one in 1000 moves, with its 95 % interval, and what of that is likely where most
parameters do little. With a format it prints a point up the slope instead: from the middle, half of the way between both ends for each
--worth points in 1000 moves that are likely, and --most such halves at most; a switch goes where it is better. A point is to be measured by
`match`, not a result: the judge is the same engine, so that what it does not see counts for nothing.

`run` adds to its file until there are so many positions and goes on where it ended; a file of another run is refused. Only the standard
library is needed, and factorial.py and read_results.py beside this file.
"""

import argparse
import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys
import threading
from contextlib import ExitStack

from factorial import on_grid, specs
from read_results import json_lines

# At which share of the nodes a move counts, and how much.
SHARES = ((0.30, 0.15), (0.45, 0.20), (0.65, 0.25), (1.0, 0.40))
# Hundredths of a pawn that make the odds e times as good, for the judge.
POINTS_SCALE = 130
MATE = 3000
FORMATS = {"set": "--set {}={}", "match": "set.{}={}"}
SCORE = re.compile(r" score (cp|mate) (-?\d+)\b(?! \w+bound)")
LINE = re.compile(r" nodes (\d+).* pv (\S+)")


def read_factors(path):
    factors = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                words = line.split()
                if len(words) != 3:
                    raise SystemExit(f"{path}:{number}: `{line.strip()}` is not NAME LOW HIGH")
                factors.append(tuple(words))
    if not factors:
        raise SystemExit(f"{path}: no line NAME LOW HIGH in it")
    return factors


def read_positions(path, seed):
    """The positions of an EPD or FEN file without their clocks, in an order drawn by the seed."""
    with open(path, encoding="utf-8") as lines:
        positions = [" ".join(line.split()[:4]) for line in lines if len(line.split()) >= 4]
    if not positions:
        raise SystemExit(f"{path}: no position in it")
    random.Random(seed).shuffle(positions)
    return positions


def check(factors, table, path):
    """Refuses names and values that the program does not know: a search with others would measure nothing."""
    for name, *ends in factors:
        if name not in table:
            raise SystemExit(f"{path}: no parameter is called {name}: see `quarterply params`")
        spec = table[name]
        for end in ends:
            good = end in ("true", "false") if spec["kind"] == "switch" else re.fullmatch(r"-?\d+", end)
            if not good or spec["kind"] != "switch" and not spec["min"] <= int(end) <= spec["max"]:
                span = "true or false" if spec["kind"] == "switch" else f"{spec['min']} to {spec['max']}"
                raise SystemExit(f"{path}: {name} {end}: not a value of it; it is {span}")
        if ends[0] == ends[1]:
            raise SystemExit(f"{path}: {name}: both ends are {ends[0]}, so there is nothing to compare")


class Engine:
    """The program, spoken to in UCI."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def say(self, *lines):
        try:
            self.process.stdin.write("\n".join(lines) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise SystemExit(f"the program ended before `{lines[-1]}`") from None

    def search(self, position, nodes, move=None):
        """The moves held at each share of the nodes, and the value of the last."""
        behind = f" moves {move}" if move else ""
        self.say("ucinewgame", f"position fen {position} 0 1{behind}", f"go nodes {nodes}")
        held, current, value = [], None, 0
        for line in self.process.stdout:
            score, told = SCORE.search(line), LINE.search(line)
            if score:
                value = int(score[2]) if score[1] == "cp" else MATE if int(score[2]) > 0 else -MATE
            if told:
                while len(held) < len(SHARES) - 1 and int(told[1]) > SHARES[len(held)][0] * nodes:
                    held.append(current or told[2])
                current = told[2]
            if line.startswith("bestmove"):
                best = line.split()[1]
                held += [current or best] * (len(SHARES) - 1 - len(held)) + [best]
                return held, value
        raise SystemExit(f"the program ended while it searched `{position}`")

    def judge(self, position, nodes, move):
        """What a move is worth, in hundredths of a pawn for who makes it."""
        return -self.search(position, nodes, move)[1]


def lots(seed, number, searches, width):
    """Up or down for each parameter in each search of a position."""
    draw = random.Random(f"{seed} {number}")
    rows = []
    for search in range(searches):
        rows.append([not up for up in rows[-1]] if search % 2 else [draw.random() < 0.5 for _ in range(width)])
    return rows


def measure_position(searcher, judge, options, factors, number, position):
    searches = []
    for ups in lots(options.seed, number, options.searches, len(factors)):
        searcher.say(*(f"setoption name {name} value {high if up else low}" for (name, low, high), up in zip(factors, ups)))
        searches.append(["".join("01"[up] for up in ups), searcher.search(position, options.nodes)[0]])
    moves = sorted({move for _, held in searches for move in held})
    values = {move: judge.judge(position, options.judge_nodes, move) for move in moves} if len(moves) > 1 else {}
    return {"number": number, "position": position, "searches": searches, "values": values}


def plan_of(options, factors, positions):
    """What a run is: nothing else may be added to its file."""
    fingerprint = hashlib.sha256("\n".join(sorted(positions)).encode()).hexdigest()[:16]
    return {"judged_moves": 1, "factors": [list(factor) for factor in factors], "positions": fingerprint, "nodes": options.nodes,
            "judge_nodes": options.judge_nodes, "searches": options.searches, "seed": options.seed}


def begun(path, plan):
    """The numbers of the positions that the file holds; its last line goes if it was cut off. A new file begins with the plan."""
    if not os.path.exists(path) or not os.path.getsize(path):
        with open(path, "w", encoding="utf-8") as out:
            out.write(json.dumps(plan) + "\n")
        return set()
    rows = rows_of(path)
    for name, value in plan.items():
        if rows[0].get(name) != value:
            raise SystemExit(f"{path}: a run with other {name.replace('_', ' ')}; give another --out, or what it began with")
    with open(path, "rb+") as file:
        text = file.read()
        file.truncate(text.rfind(b"\n") + 1)
    return {row["number"] for row in rows[1:]}


def rows_of(path):
    """The plan and the rows of a file of `run`."""
    try:
        rows = json_lines(path)
    except ValueError:
        rows = []
    if not rows or "judged_moves" not in rows[0]:
        raise SystemExit(f"{path}: not a file of `judged_moves.py run --out`")
    return rows


def measure(options, factors):
    every = read_positions(options.positions, options.seed)
    positions = every[: options.count]
    done = begun(options.out, plan_of(options, factors, every))
    left = iter([(number, position) for number, position in enumerate(positions) if number not in done])
    lock, faults = threading.Lock(), []

    def take():
        with lock:
            return None if faults else next(left, None)

    def work():
        try:
            with ExitStack() as stack:
                searcher, judge = (stack.enter_context(Engine(options.program)) for _ in range(2))
                while (task := take()) is not None:
                    row = measure_position(searcher, judge, options, factors, *task)
                    with lock, open(options.out, "a", encoding="utf-8") as out:
                        out.write(json.dumps(row) + "\n")
        except (SystemExit, OSError) as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work) for _ in range(options.workers)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        faults.append(SystemExit("stopping; the same command goes on"))
    if faults:
        raise faults[0]


def read_rows(rows):
    """Of each position the signs of its searches and the points of their moves."""
    for row in rows:
        points = {move: 1 / (1 + math.exp(-value / POINTS_SCALE)) for move, value in row["values"].items()}
        signs = [[1.0 if bit == "1" else -1.0 for bit in bits] for bits, _ in row["searches"]]
        gains = [sum(share * points[move] for (_, share), move in zip(SHARES, held)) if points else 0.0
                 for _, held in row["searches"]]
        yield signs, gains


def within(rows):
    """Signs and gains as they differ from the mean of their position; positions whose searches agree tell nothing but that."""
    signs, gains, searches, positions = [], [], 0, 0
    for of_position, points in rows:
        searches, positions = searches + len(points), positions + 1
        if max(points) > min(points):
            means = [sum(column) / len(points) for column in zip(*of_position)]
            mean = sum(points) / len(points)
            signs += [[sign - centre for sign, centre in zip(row, means)] for row in of_position]
            gains += [point - mean for point in points]
    return signs, gains, searches, positions


def least_squares(rows, targets, rounds=12):
    """Weights of the columns, by conjugate gradients: lots are nearly independent, so that a few rounds do."""
    def forward(weights):
        return [sum(map(float.__mul__, row, weights)) for row in rows]

    def backward(values):
        total = [0.0] * len(rows[0])
        for row, value in zip(rows, values):
            total = [have + cell * value for have, cell in zip(total, row)]
        return total

    weights = [0.0] * len(rows[0])
    rest = backward(targets)
    way, size = rest, sum(cell * cell for cell in rest)
    for _ in range(rounds):
        if size < 1e-18:
            break
        image = backward(forward(way))
        step = size / sum(a * b for a, b in zip(way, image))
        weights = [weight + step * cell for weight, cell in zip(weights, way)]
        rest = [cell - step * pull for cell, pull in zip(rest, image)]
        size, before = sum(cell * cell for cell in rest), size
        way = [cell + size / before * old for cell, old in zip(rest, way)]
    errors = [target - value for target, value in zip(targets, forward(weights))]
    return weights, sum(error * error for error in errors)


def effects(factors, rows, path):
    """Points in 1000 moves that the high value gains, the standard error and what is likely of it, for each factor; and the counts."""
    signs, gains, searches, positions = within(read_rows(rows))
    if len(signs) <= 2 * len(factors):
        raise SystemExit(f"{path}: {len(signs)} searches of positions where moves differ; more than {2 * len(factors)} are needed")
    weights, squares = least_squares(signs, gains)
    each = searches / positions
    spread = squares / (len(signs) * (each - 1) / each - len(factors))
    scale = 2 * 1000 * len(signs) / searches
    found = []
    for at, weight in enumerate(weights):
        of_column = sum(row[at] * row[at] for row in signs)
        found.append((scale * weight, scale * math.sqrt(spread / of_column)))
    # How much parameters really differ: what is left of the mean square when noise is taken off.
    real = max(0.0, sum(gain * gain - error * error for gain, error in found) / len(found))
    return [(gain, error, gain * real / (real + error * error) if real else 0.0) for gain, error in found], len(signs), positions


def point(spec, low, high, likely, options):
    if spec["kind"] == "switch":
        return high if likely > 0 else low
    low, high = int(low), int(high)
    steps = max(-options.most, min(options.most, likely / options.worth))
    return on_grid(spec, (low + high) / 2 + (high - low) / 2 * steps)


def fit(options, table):
    plan, *measured = rows_of(options.moves)
    factors = [tuple(factor) for factor in plan["factors"]]
    check(factors, table, options.moves)
    found, differing, positions = effects(factors, measured, options.moves)
    rows = sorted(zip(factors, found), key=lambda row: -abs(row[1][2]))
    if options.format == "table":
        print(f"{positions} positions; points in 1000 moves by {differing} searches of positions where moves differ")
        for (name, low, high), (gain, error, likely) in rows:
            to = point(table[name], low, high, likely, options)
            print(f"{name:42} {low:>7} {high:>7}  {gain:+.3f} ± {1.96 * error:.3f}  likely {likely:+.3f}  is {table[name]['value']}  to {to}")
        return
    ends = [(name, point(table[name], low, high, likely, options)) for (name, low, high), (_, _, likely) in rows]
    if options.format == "toml":
        groups = {}
        for name, value in ends:
            group, key = name.split(".")
            groups.setdefault(group, []).append(f"{key} = {value}")
        print("\n\n".join("\n".join([f"[{group}]", *lines]) for group, lines in groups.items()))
    else:
        print(" ".join(FORMATS[options.format].format(name, value) for name, value in ends))


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: at least 1")
    return number


def even(text):
    number = positive(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"{text}: two searches belong together; give an even number")
    return number


def above_0(text):
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text}: give a number above 0")
    return number


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="quarterply", help="the program to run (quarterply)")
    parts = parser.add_subparsers(dest="part", required=True)
    run = parts.add_parser("run", help="search and judge")
    run.add_argument("factors")
    run.add_argument("positions", help="EPD or FEN file, of the engine's own games for example: `quarterply datagen dump RUN --epd`")
    run.add_argument("--nodes", type=positive, default=50_000, help="of each search (50000)")
    run.add_argument("--judge-nodes", type=positive, default=250_000, help="of the search behind each move (250000)")
    run.add_argument("--searches", type=even, default=6, help="of each position, an even number (6)")
    run.add_argument("--count", type=positive, default=6000, help="positions (6000)")
    run.add_argument("--workers", type=positive, default=1, help="positions at a time (1)")
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--out", required=True)
    slope = parts.add_parser("fit", help="tell what was found")
    slope.add_argument("moves", help="the file of `run --out`")
    slope.add_argument("--worth", type=above_0, default=0.05, help="points in 1000 moves for which a value moves by half of the way (0.05)")
    slope.add_argument("--most", type=above_0, default=1.2, help="halves of the way a value moves at most (1.2)")
    slope.add_argument("--format", choices=["table", *FORMATS, "toml"], default="table")
    return parser.parse_args(words)


def main():
    options = options_of(sys.argv[1:])
    table = specs(options.program)
    if options.part == "fit":
        return fit(options, table)
    factors = read_factors(options.factors)
    check(factors, table, options.factors)
    measure(options, factors)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}; --program names quarterply where it is not on the path") from None
