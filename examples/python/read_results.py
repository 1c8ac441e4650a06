#!/usr/bin/env python3
"""Reads the files that Quarterply writes (docs/files.md) and prints a line for each.

    python3 read_results.py out.jsonl summary.json games.pgn

Only the standard library is needed.
"""

import json
import re
import sys


def json_lines(path):
    """One object for each complete line; an incomplete line at the end of a journal and a byte order mark are left out."""
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    lines = text.split("\n")
    whole = lines if text.endswith("\n") else lines[:-1]
    return [json.loads(line) for line in whole if line.strip()]


def solve(rows):
    """Rows of `solve --json`: the number of solved positions and the nodes to the solutions."""
    positions = [row for row in rows if "summary" not in row]
    solved = sum(row["solved"] for row in positions)
    nodes = sum(row["nodes_stable"] for row in positions)
    return f"solve: {solved} of {len(positions)} solved, {nodes} nodes to the solutions"


def match(rows):
    """The journal of `match --json`: a header, then one line for each finished pair of games."""
    names = [player["name"] for player in rows[0]["players"]]
    points = dict.fromkeys(names, 0.0)
    games = faults = 0
    for row in rows[1:]:
        for game in row.get("games", []) if "pair" in row else []:
            white, black = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0)}.get(game["result"], (0.5, 0.5))
            points[game["white"]] += white
            points[game["black"]] += black
            games += 1
            faults += "fault" in game
    score = ", ".join(f"{name} {value:g}" for name, value in points.items())
    return f"match: {games} games, {faults} faults: {score}"


def tune(summary):
    """`summary.json` of a tuning run: the best cost after every step."""
    best = [step["best_cost"]["value"] for step in summary["steps"] if step.get("best_cost")]
    course = f" from {best[0]:g} to {best[-1]:g}" if best else ""
    return f"tune: {summary['method']}, {len(summary['steps'])} steps, best{course}"


def journal(rows):
    """The journal of a tuning run, `journal.jsonl`: the number of measurements."""
    count = lambda record, field: sum(len(row[field]) for row in rows[1:] if row["record"] == record)
    candidates = sum(row["record"] == "candidate" for row in rows[1:])
    searches = count("tuning", "position") + count("holdout", "position")
    return f"journal: {candidates} candidates, {searches} searches, {count('pairs', 'opening')} pairs of games"


def pgn(text):
    """Games with a remark after each move: score / depth, time and nodes."""
    remark = re.compile(r"\{([+-]?[0-9.M]+|[+-]M[0-9]+)/([0-9]+)\s+([0-9.]+)s\s+([0-9]+)n\}")
    remarks = remark.findall(text)
    nodes = sum(int(found[3]) for found in remarks)
    return f"pgn: {text.count('[Event ')} games, {len(remarks)} moves with remarks, {nodes} nodes"


def describe(path):
    """The contents of a file, in one line."""
    if path.endswith(".pgn"):
        with open(path, encoding="utf-8-sig") as file:
            return pgn(file.read())
    if path.endswith("summary.json"):
        with open(path, encoding="utf-8-sig") as file:
            return tune(json.load(file))
    rows = json_lines(path)
    if rows and "match" in rows[0]:
        return match(rows)
    if rows and "tune" in rows[0]:
        return journal(rows)
    if rows and "nodes_stable" in rows[0]:
        return solve(rows)
    return f"{len(rows)} lines of another kind"


def main(names):
    for name in names:
        try:
            line = describe(name)
        except OSError as error:
            sys.exit(f"cannot read `{name}`: {error.strerror}; check the path")
        except (ValueError, LookupError, TypeError, AttributeError):
            sys.exit(f"cannot read `{name}`: not a result file of Quarterply; docs/files.md lists them")
        print(line)
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("cannot read results: expected a file; docs/files.md lists those that Quarterply writes")
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        sys.stderr.close()
