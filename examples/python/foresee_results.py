#!/usr/bin/env python3
"""Which static evaluation foresees the results of games better, and how well one can tell: no games need be played for it.

    python3 foresee_results.py GAMES... [--range 1000..2000] --try danger evaluation.king_danger=100 --try net EvalFile=new.nnue network.tempo=0

GAMES are folders of `quarterply datagen`. Positions of them that pass its filter, with scores within six pawns, are valued without a search:
with the values of the program, and once more for each --try with what it sets as `--set` does. A value foresees a result as
1 / (1 + exp(-(a + b + c m + d m m))), where b, c and d stand before the value and m is the number of men, -1 for none and 1 for 32; a, b, c and d
are fitted for each evaluation by itself, so that neither the size of its values nor what it gives the side to move counts. Printed is the mean square
of what is left, its difference from that of the program's own values and the 95 % interval of that: over the games, not over their positions, for
those of a game share its result. The score of the search in the games is the last row. An evaluation that has learned from these
games knows their results by heart: take others. Only the standard library is needed, and judged_moves.py and what that needs beside this file.
"""

import argparse
import math
import random
import re
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

from judged_moves import positive

ROW = re.compile(r'((?:\S+ ){4}).*id "([^"]+)"; ce (-?\d+); c9 "([^"]+)"')
VALUE = re.compile(r"^Final.* ([+-]\d+\.\d+) for the side to move")
RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
PAWN = 100
MEN_MIDDLE = 16
# Steps of Gauss and Newton; they come to an end after six or so.
STEPS = 20
TOLD = ("the program", "the score of the search")


class Sample:
    """One position of a game: what the result was for the side to move, and how many men there are."""

    def __init__(self, position, game, score, result):
        fields = position.split()
        self.position = " ".join(fields) + " 0 1"
        self.game = game
        self.score = score / PAWN
        self.result = result if fields[1] == "w" else 1 - result
        self.men = (sum(c.isalpha() for c in fields[0]) - MEN_MIDDLE) / MEN_MIDDLE


def read_samples(options):
    samples = []
    for games in options.games:
        command = [options.program, "datagen", "dump", games, "--epd", "--score-max", "600"]
        command += ["--range", options.range] if options.range else []
        dump = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if dump.returncode:
            raise SystemExit(f"{games}: not read")
        for line in dump.stdout.splitlines():
            position, number, score, result = ROW.match(line).groups()
            samples.append(Sample(position, f"{games} {number.split('.')[0]}", int(score), RESULTS[result]))
    random.Random(options.seed).shuffle(samples)
    return samples[: options.count]


def values(program, settings, samples):
    """What the program says of each position for its side to move, in pawns."""
    command = [program, *(word for setting in settings for word in ("--set", setting))]
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask():
        try:
            with engine.stdin as pipe:
                pipe.writelines(f"position fen {sample.position}\neval\n" for sample in samples)
        except BrokenPipeError:
            pass  # It has ended, and said why.

    threading.Thread(target=ask, daemon=True).start()
    told = (VALUE.match(line) for line in engine.stdout)
    found = [float(value[1]) for value in told if value]
    if engine.wait() or len(found) != len(samples):
        raise SystemExit(f"{' '.join(command)}: ended after {len(found)} of {len(samples)} positions")
    return found


def solve(matrix, right):
    """The solution of a few linear equations; what cannot be told from the rest is left at zero."""
    size = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        if abs(rows[at][at]) < 1e-9:
            rows[at] = [0.0] * at + [1.0] + [0.0] * (size - at)
        for row in range(size):
            if row != at:
                factor = rows[row][at] / rows[at][at]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    return [rows[at][size] / rows[at][at] for at in range(size)]


def features(value, men):
    return (1.0, value, value * men, value * men * men)


def foreseen(weights, row):
    exponent = sum(weight * number for weight, number in zip(weights, row))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, exponent))))


def misses(samples, found):
    """The square of what is left of each result when a value has foreseen all it can."""
    rows = [features(value, sample.men) for value, sample in zip(found, samples)]
    size = len(rows[0])
    weights = [0.0, 0.5] + [0.0] * (size - 2)
    for _ in range(STEPS):
        matrix = [[0.0] * size for _ in range(size)]
        right = [0.0] * size
        for row, sample in zip(rows, samples):
            chance = foreseen(weights, row)
            slope = chance * (1 - chance)
            left = slope * (sample.result - chance)
            for a in range(size):
                right[a] += row[a] * left
                for b in range(size):
                    matrix[a][b] += row[a] * row[b] * slope * slope
        step = solve(matrix, right)
        weights = [weight + change for weight, change in zip(weights, step)]
        if max(map(abs, step)) < 1e-6:
            break
    return [(foreseen(weights, row) - sample.result) ** 2 for row, sample in zip(rows, samples)]


def compare(samples, base, other):
    """The mean of other - base and its 95 % half-width, with the games as what was drawn."""
    mean = sum(o - b for o, b in zip(other, base)) / len(samples)
    games = {}
    for sample, o, b in zip(samples, other, base):
        games[sample.game] = games.get(sample.game, 0.0) + (o - b - mean)
    return mean, 1.96 * math.sqrt(sum(value * value for value in games.values())) / len(samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="folders of `quarterply datagen`, or shards")
    parser.add_argument("--try", dest="tries", action="append", nargs="+", default=[], metavar=("NAME", "OPTION=VALUE"),
                        help="an evaluation: a name for it, and what `--set` takes")
    parser.add_argument("--program", default="quarterply")
    parser.add_argument("--range", help="only games with these numbers, FIRST..LAST")
    parser.add_argument("--count", type=positive, default=60000, help="positions (60000)")
    parser.add_argument("--workers", type=positive, default=1, help="evaluations at a time (1)")
    parser.add_argument("--seed", type=int, default=1, help="which positions")
    options = parser.parse_args()
    for name, *settings in options.tries:
        wrong = [setting for setting in settings if "=" not in setting]
        if wrong or not settings:
            raise SystemExit(f"--try {name}: {(wrong or ['nothing'])[0]} is not OPTION=VALUE")
    samples = read_samples(options)
    games = len({sample.game for sample in samples})
    if games < 2:
        raise SystemExit("too few games: nothing can be told from less than two")
    print(f"{len(samples)} positions of {games} games", flush=True)
    with ThreadPoolExecutor(options.workers) as pool:
        tries = [pool.submit(values, options.program, settings, samples) for settings in [[], *(t[1:] for t in options.tries)]]
        base = misses(samples, tries[0].result())
        width = max(map(len, [*TOLD, *(t[0] for t in options.tries)]))
        print(f"{TOLD[0]:{width}}  {sum(base) / len(base):.6f}", flush=True)
        rows = [(name, job.result) for (name, *_), job in zip(options.tries, tries[1:])]
        for name, found in [*rows, (TOLD[1], lambda: [sample.score for sample in samples])]:
            other = misses(samples, found())
            mean, half = compare(samples, base, other)
            print(f"{name:{width}}  {sum(other) / len(other):.6f}  {mean:+.6f} ± {half:.6f}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}; --program names quarterply where it is not on the path") from None
