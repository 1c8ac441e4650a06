#!/usr/bin/env python3
"""Which way of being selective is best, when each is tuned with the same effort?

Reads contest.toml: tunes each contestant with the same method, nodes and positions, measures all of them on positions that none was
tuned on, lets them play each other at equal nodes, and writes docs/results/contest.md with its plots.

    tools/contest/run.py tune      each contestant; what is finished is left alone, what was interrupted goes on
    tools/contest/run.py measure   the hold-out and what their searches do
    tools/contest/run.py play      the round robin; goes on where it was
    tools/contest/run.py write     the page, from whatever is finished
    tools/contest/run.py           all of it

`--program FILE` (target/release/quarterply), `--home DIR` (target/contest) where everything is kept, `--workers N`, `--only NAME`.
`--quick` does all of it with three contestants, two parameters and hardly any nodes, to see that it works; its page stays in the folder
of `--home`.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLAN = tomllib.loads((HERE / "contest.toml").read_text())
PAGE = ROOT / "docs" / "results" / "contest.md"
PLOT = ROOT / "docs" / "images" / "contest.svg"
# What each was tuned to, as profiles.
TUNED = HERE / "tuned"
ENDED_BY_SIGNAL = 130
QUICK = {
    "tuning": {"positions": 4, "nodes": 200, "budget_nodes": 2_000},
    "measuring": {"holdout": "data/suites/quarterply-24.epd", "nodes": 200, "stats_nodes": 200},
    "games": {"of_each_pairing": 2, "nodes": 50},
}
QUICK_CONTESTANTS = ["textbook", "sex-two", "realization"]
QUICK_TUNED = "aspiration.width,quiescence.delta_margin"


def fail(message):
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(1)


def run(arguments, log=None):
    """Runs the program; ends with its message if it fails, and quietly if it was interrupted."""
    shown = " ".join(str(part) for part in arguments)
    print(f"+ {shown}", file=sys.stderr, flush=True)
    with open(log, "w") if log else open(os.devnull, "w") as out:
        code = subprocess.run([str(part) for part in arguments], stdout=out, cwd=ROOT).returncode
    if code == ENDED_BY_SIGNAL:
        sys.exit(ENDED_BY_SIGNAL)
    if code != 0:
        fail(f"exit code {code} of: {shown}")


def last_line(path):
    """The last JSON line of a file that says it is a summary; nothing if the work behind it is not finished."""
    if not path.exists():
        return None
    lines = path.read_text().splitlines()
    summary = json.loads(lines[-1]) if lines else {}
    return summary if summary.get("summary") else None


class Contestant:
    def __init__(self, plan, home):
        self.name, self.says, self.profile, self.tuned = plan["name"], plan["says"], plan["profile"], plan["tuned"]
        self.set = [part for value in plan.get("set", []) for part in ("--set", value)]
        self.run = home / self.name
        self.values = self.run / "profile.toml"

    def is_tuned(self):
        summary = self.run / "summary.json"
        return summary.exists() and json.loads(summary.read_text())["finished"]

    def files(self, home, what):
        return home / f"{self.name}.{what}.jsonl"


def tune(program, home, contestants, workers):
    plan = PLAN["tuning"]
    for one in contestants:
        if one.is_tuned():
            continue
        log = home / f"{one.name}.tune.txt"
        if (one.run / "run.toml").exists():
            run([program, "tune", "resume", one.run, "--workers", workers, "--quiet"], log)
            continue
        run(
            [program, "tune", *plan["method"], "--profile", one.profile, *one.set, "--params", one.tuned]
            + ["--suite", plan["suite"], "--positions", plan["positions"], "--nodes", plan["nodes"]]
            + ["--budget-nodes", plan["budget_nodes"], "--generations", 10_000, "--match-pairs", 0]
            + ["--holdout", PLAN["measuring"]["holdout"], "--seed", plan["seed"]]
            + ["--workers", workers, "--quiet", "--out", one.run],
            log,
        )


def measure(program, home, contestants, workers):
    plan = PLAN["measuring"]
    for one in contestants:
        if not one.is_tuned():
            fail(f"{one.name} is not tuned: run.py tune")
        for what, settings in {"before": ["--profile", one.profile, *one.set], "after": ["--profile", one.values]}.items():
            out = one.files(home, what)
            if not last_line(out):
                run(
                    [program, "solve", plan["holdout"], "--nodes", plan["nodes"], *settings, "--workers", workers]
                    + ["--quiet", "--overwrite", "--json", out]
                )
        out = one.files(home, "stats")
        if not last_line(out):
            run(
                [program, "stats", "--suite", plan["holdout"], "--nodes", plan["stats_nodes"], "--audit", 0]
                + ["--profile", one.values, "--workers", workers, "--quiet", "--overwrite", "--json", out]
            )


def play(program, home, contestants, workers):
    plan = PLAN["games"]
    for one in contestants:
        if not one.is_tuned():
            fail(f"{one.name} is not tuned: run.py tune")
    players = [part for one in contestants for part in ("--player", f"{one.values} name={one.name}")]
    run(
        [program, "match", *players, "--format", "round-robin", "--games", plan["of_each_pairing"]]
        + ["--nodes", plan["nodes"], "--seed", plan["seed"], "--concurrency", workers]
        + ["--json", home / "games.jsonl", "--resume", "--quiet"],
        home / "games.txt",
    )


def grouped(number):
    return f"{number:,}".replace(",", " ")


def ratings(home):
    """Name -> (rating, lower end, upper end), as the match printed them."""
    found = {}
    table = home / "games.txt"
    for line in table.read_text().splitlines() if table.exists() else []:
        words = line.split()
        # A dash after the name separates the two players of a pairing; few games have one in the column LOS, too.
        if "[" not in line or "%" not in line or words[1] == "-":
            continue
        low, high = line[line.index("[") + 1 : line.index("]")].split(",")
        rating = line[: line.index("[")].split()[-1]
        found[words[0]] = (float(rating), float(low), float(high))
    return found


def rows(home, contestants):
    rated = ratings(home)
    table = []
    for one in contestants:
        before, after, stats = (last_line(one.files(home, what)) for what in ("before", "after", "stats"))
        if not (before and after and stats):
            continue
        census = stats["census"]
        cuts = census["deep_cuts"]
        table.append(
            {
                "name": one.name,
                "says": one.says,
                "parameters": one.tuned,
                "solved": (before["solved"], after["solved"]),
                "nodes": (before["nodes_stable_total"], after["nodes_stable_total"]),
                "branching": census["branching"],
                "first": cuts,
                "spent": spent(census),
                "elo": rated.get(one.name),
            }
        )
    return sorted(table, key=lambda row: -(row["elo"][0] if row["elo"] else -math.inf))


# Leaves so many plies from the root or more are deep.
DEEP = 10
AGAIN = ["again, deeper", "again, full depth", "again, open window"]
SIDE_SEARCHES = ["null move", "null move check", "multi-cut", "probcut", "probcut, captures", "razoring", "without the table move", "first guess"]


def spent(census):
    """What the nodes of a search went to: shares in percent, and the mean ply of its leaves."""
    visits, searches, leaves = census["visits"], census["searches"], census["leaves"]
    percent = lambda part, whole: 100 * part / whole if whole else 0
    made = lambda kinds: sum(searches[kind]["made"] for kind in kinds)
    everything = sum(search["made"] for search in searches.values())
    return {
        "quiescence": percent(visits["quiescence"], sum(visits.values())),
        "leaf": census["leaf_ply_mean"],
        "deep": percent(sum(leaves[DEEP:]), sum(leaves)),
        "reduced": percent(made(["reduced"]), everything),
        "again": percent(made(AGAIN), everything),
        "aside": percent(made(SIDE_SEARCHES), everything),
    }


def share(cuts):
    return 100 * cuts["first"] / cuts["cutoffs"] if cuts["cutoffs"] else None


def shown(number, form):
    """A number in this form; a dash where searches were too short for one."""
    return "-" if number is None else format(number, form)


def plot(table, file):
    """Ratings with their intervals as SVG."""
    shown = [row for row in table if row["elo"]]
    if not shown:
        return
    left, width, step, top = 190, 520, 26, 34
    low = min(row["elo"][1] for row in shown) - 20
    high = max(row["elo"][2] for row in shown) + 20
    at = lambda elo: left + (elo - low) / (high - low) * width
    height = top + step * len(shown) + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{left}" y="18" fill="#222222">Elo in the round robin, with 95 % intervals</text>',
    ]
    ticks = range(int(math.ceil(low / 100) * 100), int(high) + 1, 100)
    for tick in ticks:
        out.append(f'<line x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="{top}" y2="{height - 30}" stroke="#dddddd"/>')
        out.append(f'<text x="{at(tick):.1f}" y="{height - 12}" text-anchor="middle" fill="#555555">{tick:+d}</text>')
    for number, row in enumerate(shown):
        y = top + step * number + step / 2
        rating, lower, upper = row["elo"]
        out.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end" fill="#222222">{row["name"]}</text>')
        out.append(f'<line x1="{at(lower):.1f}" x2="{at(upper):.1f}" y1="{y}" y2="{y}" stroke="#2060a0" stroke-width="2"/>')
        out.append(f'<circle cx="{at(rating):.1f}" cy="{y}" r="4" fill="#2060a0"/>')
    out.append("</svg>")
    file.write_text("\n".join(out) + "\n")


def keep_profiles(program, contestants, folder):
    """Writes what each was tuned to: what differs from the profile `default`."""
    listed = json.loads(subprocess.run([str(program), "params", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    folder.mkdir(parents=True, exist_ok=True)
    for one in contestants:
        tuned = tomllib.loads(one.values.read_text())
        lines = [f"# {one.name}, tuned: what differs from the profile `default`. Written by tools/contest/run.py."]
        rule = None
        for parameter in listed:
            group, name = parameter["rule"], parameter["name"].split(".", 1)[1]
            value = tuned.get(group, {}).get(name, parameter["default"])
            if value == parameter["default"]:
                continue
            if group != rule:
                lines += ["", f"[{group}]"]
                rule = group
            lines.append(f"{name} = {str(value).lower() if isinstance(value, bool) else value}")
        (folder / f"{one.name}.toml").write_text("\n".join(lines) + "\n")


def version(program):
    return subprocess.run([str(program), "--version"], capture_output=True, text=True).stdout.strip()


def write(program, home, contestants, page, image, tuned):
    table = rows(home, contestants)
    if not table:
        fail("nothing is measured yet: run.py tune, then run.py measure")
    tuning, measuring, games = PLAN["tuning"], PLAN["measuring"], PLAN["games"]
    reading = page.read_text().split("\n## Reading\n", 1)[1:] if page.exists() else []
    lines = [
        "# Which selective search plays best?",
        "",
        "**Question.** Which way of selecting moves and depth plays best, if all are tuned with the same effort?",
        "",
        f"**Answer.** `{table[0]['name']}`, by games at {grouped(games['nodes'])} nodes a move.",
        "",
        "Generated by `tools/contest/run.py` (all but the last section) with " + version(program) + ".",
        "",
        f"Each contestant was tuned by `tune {' '.join(tuning['method'])}` with {grouped(tuning['budget_nodes'])} nodes on the same "
        f"{tuning['positions']} positions of our suite, {grouped(tuning['nodes'])} nodes a position, seed {tuning['seed']}. Then all were measured on "
        f"the hold-out (`{measuring['holdout']}`, positions of other games, {grouped(measuring['nodes'])} nodes each) and played "
        f"{games['of_each_pairing']} games a pairing at {grouped(games['nodes'])} nodes a move. `tools/contest/contest.toml` lists the tuned parameters of each, `tools/contest/tuned` their values.",
        "",
        "```sh",
        "tools/contest/run.py",
        "```",
        "",
        f"![ratings]({os.path.relpath(image, page.parent)})",
        "",
        "| contestant | Elo (95 %) | solved, before and after tuning | nodes to the solution (thousands) | branching factor | first move cuts |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in table:
        elo = "{:+.0f} [{:+.0f}, {:+.0f}]".format(*row["elo"]) if row["elo"] else "not played"
        nodes = " to ".join(grouped(round(total / 1000)) for total in row["nodes"])
        lines.append(
            f"| `{row['name']}` | {elo} | {row['solved'][0]} to {row['solved'][1]} | {nodes} | {shown(row['branching'], '.2f')} | {shown(share(row['first']), '.1f')} % |"
        )
    lines += [
        "",
        f"*Solved* and *nodes* are of the hold-out; unsolved positions count with all their nodes. *Branching factor* and *first move cuts* (at cut nodes of 4 plies and more) come from `stats` with {grouped(measuring['stats_nodes'])} nodes a position of the hold-out.",
        "",
        "The contestants:",
        "",
        *[f"- `{row['name']}`: {row['says']}." for row in table],
        "",
        "## Distribution of the nodes",
        "",
        f"| contestant | nodes in quiescence | mean ply of leaves | leaves at {DEEP} plies or more | searches: reduced | made again | null moves and other trials |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in table:
        went = row["spent"]
        lines.append(
            f"| `{row['name']}` | {went['quiescence']:.1f} % | {went['leaf']:.2f} | {went['deep']:.1f} % | {went['reduced']:.2f} % | {went['again']:.2f} % | {went['aside']:.2f} % |"
        )
    lines += ["", "From the same `stats`; *searches* are of moves, those of quiescence among them."]
    keep_profiles(program, [one for one in contestants if one.values.exists()], tuned)
    page.write_text("\n".join(lines) + "\n" + "".join("\n## Reading\n" + text for text in reading))
    plot(table, image)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["tune", "measure", "play", "write", "all"], default="all")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target" / "release" / "quarterply")
    parser.add_argument("--home", type=pathlib.Path, default=ROOT / "target" / "contest")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="hardly any nodes: does it work?")
    parser.add_argument("--only", help="tune or measure this contestant alone")
    asked = parser.parse_args()
    home, program = asked.home.resolve(), asked.program.resolve()
    if not program.exists():
        fail(f"{program} does not exist: cargo build --release")
    home.mkdir(parents=True, exist_ok=True)
    page, image, tuned = PAGE, PLOT, TUNED
    if asked.quick:
        page, image, tuned = home / "contest.md", home / "contest.svg", home / "tuned"
        for part, smaller in QUICK.items():
            PLAN[part].update(smaller)
        PLAN["contestant"] = [plan for plan in PLAN["contestant"] if plan["name"] in QUICK_CONTESTANTS]
        for plan in PLAN["contestant"]:
            plan["tuned"] = QUICK_TUNED
    everyone = [Contestant(plan, home) for plan in PLAN["contestant"]]
    some = [one for one in everyone if asked.only in (None, one.name)]
    if not some:
        fail(f"nobody is called {asked.only}: " + ", ".join(one.name for one in everyone))
    steps = {
        "tune": lambda: tune(program, home, some, asked.workers),
        "measure": lambda: measure(program, home, some, asked.workers),
        "play": lambda: play(program, home, everyone, asked.workers),
        "write": lambda: write(program, home, everyone, page, image, tuned),
    }
    for name, step in steps.items():
        if asked.step in ("all", name):
            step()


if __name__ == "__main__":
    main()
