#!/usr/bin/env python3
"""Which share of the evaluation's weights equals that of an older evaluation?

    weights_share.py [REVISION]       (run in the repository; the older evaluation is that of commit f298faa)

Compares the tables that both have: values of pieces, squares, mobility. Each old table is rescaled by one factor to fit the new one
best. The output has the share of weights within 3/100 of a pawn of the rescaled old ones, and that share for two kinds of shuffled tables:

  chance  the old table with its entries shuffled
  chess   the old table's smooth part (a quadratic in rank and file, or in the number of squares) with the rest shuffled: tables with
          the same chess-like trend and otherwise unrelated weights
"""
import itertools
import random
import re
import subprocess
import sys

NEAR = 3
SHUFFLES = 2000
PAIR = re.compile(r"pair\(\s*(-?\d+),\s*(-?\d+)\)")
ROLES = ["pawn", "knight", "bishop", "rook", "queen", "king"]


def text(path, revision):
    if revision is None:
        return open(path, encoding="utf-8").read()
    shown = subprocess.run(["git", "show", f"{revision}:{path}"], capture_output=True, text=True)
    if shown.returncode != 0:
        sys.exit(f"cannot read `{path}` of revision `{revision}`: {shown.stderr.strip()}; give a commit of this repository")
    return shown.stdout


def pairs(part):
    return [(int(mg), int(eg)) for mg, eg in PAIR.findall(part)]


def old_tables(revision):
    squares = text("crates/engine/src/eval/squares.rs", revision)
    weights = text("crates/engine/src/eval/weights.rs", revision)
    value = squares[squares.index("VALUE"):]
    value = pairs(value[: value.index("];")])
    tables = {"values": value[-5:]}
    boards = squares[squares.index("// pawn"):]
    boards = pairs(boards)[: 32 * 6]
    for index, role in enumerate(ROLES):
        tables[f"{role} squares"] = boards[32 * index : 32 * (index + 1)]
    for role in ROLES[1:5]:
        part = weights[weights.index(f"{role.upper()}_MOBILITY"):]
        tables[f"{role} mobility"] = pairs(part[: part.index("];")])
    return tables


def new_tables():
    source = text("crates/engine/src/eval/weights.rs", None)

    def group(name):
        """The pairs below the name, up to the first line with another one."""
        start = f"// {name}\n"
        below = source[source.index(start) + len(start):].splitlines()
        return pairs("\n".join(itertools.takewhile(lambda line: "//" not in line, below)))

    tables = {"values": group("VALUE")}
    for role in ROLES:
        tables[f"{role} squares"] = group(f"{role.upper()}_SQUARE")
    for role in ROLES[1:5]:
        tables[f"{role} mobility"] = group(f"{role.upper()}_MOBILITY")
    return tables


def features(name, index):
    if name.endswith("squares"):
        rank, file = index // 4 - 3.5, index % 4 - 1.5
        return [1.0, rank, file, rank * rank, file * file, rank * file]
    return [1.0, index, index * index] if name.endswith("mobility") else [1.0]


def smooth(name, values):
    """Least squares by the normal equations."""
    rows = [features(name, index) for index in range(len(values))]
    n = len(rows[0])
    a = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * v for r, v in zip(rows, values))] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for k in range(n):
            if k != i and a[i][i]:
                f = a[k][i] / a[i][i]
                a[k] = [x - f * y for x, y in zip(a[k], a[i])]
    solution = [a[i][n] / a[i][i] if a[i][i] else 0.0 for i in range(n)]
    return [sum(c * x for c, x in zip(solution, row)) for row in rows]


def rescaled(old, new):
    size = sum(o * o for o in old)
    factor = sum(o * n for o, n in zip(old, new)) / size if size else 1.0
    return [factor * o for o in old]


def near(old, new):
    return sum(abs(o - n) <= NEAR for o, n in zip(rescaled(old, new), new))


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    revision = sys.argv[1] if len(sys.argv) > 1 else "f298faa"
    try:
        old, new = old_tables(revision), new_tables()
    except (ValueError, IndexError):
        sys.exit(f"cannot compare with revision `{revision}`: its tables have another form; give a commit up to f298faa")
    rng = random.Random(1)
    total = 0
    sums = {"here": 0, "chance": 0.0, "chess": 0.0}
    beyond = [0] * SHUFFLES
    print(f"{'table':<18} {'weights':>7} {'within':>7} {'chance':>7} {'chess':>7}")
    for name in new:
        row = {"here": 0, "chance": 0.0, "chess": 0.0}
        count = 0
        for half in (0, 1):
            o = [float(p[half]) for p in old[name]]
            n = [float(p[half]) for p in new[name]]
            keep = [i for i in range(len(n)) if name != "pawn squares" or 4 <= i < 28]
            o, n = [o[i] for i in keep], [n[i] for i in keep]
            count += len(n)
            row["here"] += near(o, n)
            trend = smooth(name, o)
            rest = [x - t for x, t in zip(o, trend)]
            for shuffle in range(SHUFFLES):
                rng.shuffle(rest)
                shared = near([t + r for t, r in zip(trend, rest)], n)
                beyond[shuffle] += shared
                row["chess"] += shared / SHUFFLES
                row["chance"] += near(rng.sample(o, len(o)), n) / SHUFFLES
        total += count
        for key in sums:
            sums[key] += row[key]
        print(f"{name:<18} {count:>7} {row['here']:>7} {row['chance']:>7.1f} {row['chess']:>7.1f}")
    print(f"{'all':<18} {total:>7} {sums['here']:>7} {sums['chance']:>7.1f} {sums['chess']:>7.1f}")
    share = 100 * sums["here"] / total
    at_least = sum(b >= sums["here"] for b in beyond)
    print(f"{share:.1f} % of the weights are within {NEAR}/100 of a pawn; shuffled tables with a chess-like trend: "
          f"{100 * sums['chess'] / total:.1f} %, as many or more in {at_least} of {SHUFFLES} shuffles")


if __name__ == "__main__":
    main()
