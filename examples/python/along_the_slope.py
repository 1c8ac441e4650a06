#!/usr/bin/env python3
"""From a screen of many values to a point further up: reads the folder of `ablate --together --out`.

    quarterply ablate --together --games 6000 --set singular.double_margin=8 --try singular.double_margin=22 ... --out runs/screen
    python3 along_the_slope.py runs/screen [--elo 5] [--most 1.5] [--format set|match|toml]

Each parameter was set to a low value and tried at a high one, on both sides of where it stands. The middle moves towards the better end: by
half of the way between the two for every --elo Elo that are to be expected of the high one (`elo_likely` of the table), and by no
more than --most times that half. Values stay on the grid of the parameter and within its range. What comes out is a point to be
measured by `match`, not a result. Only the standard library is needed, and read_results.py and
factorial.py beside this file.
"""

import argparse
import csv
import os
import subprocess

from factorial import on_grid, specs
from read_results import json_lines

FORMATS = {"set": "--set {}={}", "match": "set.{}={}"}


def lows(folder):
    """The values that --set gave, by the name of their parameter."""
    path = os.path.join(folder, "journal.jsonl")
    try:
        words = json_lines(path)[0]["profile"].split()
    except (ValueError, KeyError, IndexError, TypeError):
        raise SystemExit(f"{path}: not the journal of `ablate --out`") from None
    return dict(word.split("=", 1) for word in words if "=" in word)


def effects(folder):
    """Settings of one parameter with the Elo to be expected of them, as the table has them."""
    path = os.path.join(folder, "table.csv")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or "elo_likely" not in rows[0]:
        raise SystemExit(f"{path}: no column elo_likely: give the folder of `ablate --together --games N --try ... --out`")
    for row in rows:
        if row["elo_likely"]:
            setting = row["rule"]
            if "," in setting or "=" not in setting:
                raise SystemExit(f"{path}: `{setting}` is not one parameter with another value (--try NAME=VALUE)")
            yield (*setting.split("=", 1), float(row["elo_likely"]))


def whole(text, name):
    try:
        return int(text)
    except ValueError:
        raise SystemExit(f"{name}={text}: not a whole number; a switch has no middle, leave it out of the screen") from None


def further(low, high, elo, spec, options):
    """The value that so many Elo in favour of the high one speak for."""
    steps = max(-options.most, min(options.most, elo / options.elo))
    return on_grid(spec, (low + high) / 2 + (high - low) / 2 * steps)


def propose(options):
    """Name, low, high, Elo and value of each parameter, those of which most is to be expected first."""
    before = lows(options.folder)
    try:
        known = specs(options.program)
    except OSError as error:
        raise SystemExit(f"{options.program}: {error.strerror}; --program names quarterply where it is not on the path") from None
    except (subprocess.CalledProcessError, ValueError):
        raise SystemExit(f"`{options.program} params --format json` failed: --program names quarterply") from None
    for name, high, elo in sorted(effects(options.folder), key=lambda row: -abs(row[2])):
        if name not in before:
            raise SystemExit(f"{name}={high}: there is no --set {name}=... beside it: both ends of the way are needed")
        if name not in known:
            raise SystemExit(f"{name}: {options.program} has no such parameter; --program names the one that was measured")
        low, high = whole(before[name], name), whole(high, name)
        yield name, low, high, elo, further(low, high, elo, known[name], options)


def write(rows, form):
    if form == "toml":
        groups = {}
        for name, *_, value in rows:
            group, key = name.split(".", 1)
            groups.setdefault(group, []).append(f"{key} = {value}")
        print("\n\n".join("\n".join([f"[{group}]", *lines]) for group, lines in groups.items()))
    elif form:
        print(" ".join(FORMATS[form].format(name, value) for name, *_, value in rows))
    else:
        for name, low, high, elo, value in rows:
            print(f"{name:42} {low:>6} to {high:<6} {elo:+6.1f} Elo   {value}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="that of --out")
    parser.add_argument("--elo", type=float, default=5.0, help="Elo that are worth half of the way from low to high (5)")
    parser.add_argument("--most", type=float, default=1.5, help="most such halves that a value moves (1.5)")
    parser.add_argument("--format", choices=[*FORMATS, "toml"], help="for the command line, a player of `match`, a profile; a table if not given")
    parser.add_argument("--program", default="quarterply", help="the program that was measured (quarterply)")
    options = parser.parse_args()
    if options.elo <= 0 or options.most <= 0:
        raise SystemExit("--elo and --most: give numbers above 0")
    write(list(propose(options)), options.format)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}; give the folder of `ablate --together --out`") from None
