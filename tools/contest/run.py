#!/usr/bin/env python3
"""Which selective search plays best, at which number of nodes, if all are tuned with the same effort?

Reads contest.toml: tunes each contestant for play and for combinations, each with the same method, nodes and seed for all; measures all
of them on positions that none was tuned on; lets those tuned for play meet at several numbers of nodes a move; and writes
docs/results/contest.md with its plot.

    tools/contest/run.py tune      each contestant for play and for combinations
    tools/contest/run.py measure   the hold-out and what their searches do
    tools/contest/run.py play      a round robin for each number of nodes
    tools/contest/run.py write     the page, from whatever is finished
    tools/contest/run.py           all of it

Every step skips finished work and continues interrupted work. The tuned values are kept in tools/contest/tuned; a file
there whose `source` is not what contest.toml asks for is tuned again.

`--program FILE` (target/release/quarterply), `--home DIR` (target/contest) for runs, games and measurements, `--workers N`, `--only NAME`,
`--nodes N` (play with this number of nodes only). `--quick` does all of it with three contestants, two parameters and very few nodes, to
test the script; its values and its page stay in the folder of `--home`.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLAN = tomllib.loads((HERE / "contest.toml").read_text())
PAGE = ROOT / "docs" / "results" / "contest.md"
PLOT = ROOT / "docs" / "images" / "contest.svg"
# The tuned values of each contestant, as profiles.
TUNED = HERE / "tuned"
# The goals of tuning.
PLAY, COMBINATIONS = "play", "combinations"
ENDED_BY_SIGNAL = 130
# The bench of a tuned profile goes to the least depth with at least this number of nodes.
BENCH_NODES = 50_000
QUICK = {
    "tuning": {
        PLAY: {"method": ["spsa", "--objective", "games", "--iterations", 1, "--batch", 1, "--checks", 1, "--pairs", 1, "--openings", 2, "--nodes", 200], "nodes": 50},
        COMBINATIONS: {"method": ["cmaes", "--race", "--objective", "stable", "--generations", 100, "--budget-nodes", 2_000, "--positions", 4], "nodes": 200},
    },
    "measuring": {"holdout": "data/suites/quarterply-24.epd", "nodes": 200, "stats_nodes": 200},
    "games": {"of_each_pairing": 2, "nodes": [50, 100]},
}
QUICK_CONTESTANTS = ["textbook", "sex-1989", "realization"]
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
    check_exit(code, arguments)


def check_exit(code, arguments):
    """Ends with a message if the program failed."""
    if code != 0:
        fail(f"cannot run `{' '.join(map(str, arguments))}`: exit code {code}; see its message above")


def output_of(arguments):
    """The standard output of the program."""
    done = subprocess.run([str(part) for part in arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    check_exit(done.returncode, arguments)
    return done.stdout


def last_line(path):
    """The summary in the last line of a file of JSON lines; nothing if the measurement is not finished."""
    lines = path.read_text().splitlines() if path.exists() else []
    try:
        summary = json.loads(lines[-1]) if lines else {}
    except ValueError:  # A killed program may leave an incomplete line.
        return None
    return summary if summary.get("summary") else None


class Contestant:
    def __init__(self, plan, home, tuned):
        self.name, self.says, self.profile, self.tuned = plan["name"], plan["says"], plan["profile"], plan["tuned"]
        self.set = [part for value in plan.get("set", []) for part in ("--set", value)]
        self.home, self.folder = home, tuned

    def values(self, goal):
        """The file of its tuned values."""
        return self.folder / goal / f"{self.name}.toml"

    def source(self, goal):
        """The method, parameters and start values of its tuning."""
        plan = PLAN["tuning"][goal]
        method = " ".join(str(part) for part in plan["method"])
        return f"tools/contest: tune {method}, {plan['nodes']} nodes, seed {plan['seed']}, from {' '.join([self.profile, *self.set])}: {self.tuned}"

    def is_tuned(self, goal):
        values = self.values(goal)
        return values.exists() and tomllib.loads(values.read_text())["source"] == self.source(goal)

    def measured(self, what):
        return self.home / f"{self.name}.{what}.jsonl"


def tune(program, home, contestants, workers):
    for goal, plan in PLAN["tuning"].items():
        nodes = "--move-nodes" if goal == PLAY else "--nodes"
        for one in contestants:
            if one.is_tuned(goal):
                continue
            out, log, source = home / goal / one.name, home / f"{one.name}.{goal}.txt", home / f"{one.name}.{goal}.source"
            if out.exists() and (not source.exists() or source.read_text() != one.source(goal)):
                shutil.rmtree(out)
            source.write_text(one.source(goal))
            if (out / "run.toml").exists():
                run([program, "tune", "resume", out, "--workers", workers, "--quiet"], log)
            else:
                run(
                    [program, "tune", *plan["method"], nodes, plan["nodes"], "--profile", one.profile, *one.set]
                    + ["--params", one.tuned, "--seed", plan["seed"], "--holdout", PLAN["measuring"]["holdout"], "--match-pairs", 0]
                    + ["--workers", workers, "--quiet", "--out", out],
                    log,
                )
            keep(program, one, goal, out / "profile.toml")


def keep(program, one, goal, found):
    """Writes the values of a finished run as a complete profile, so that later defaults do not change its search."""
    listed = json.loads(output_of([program, "params", "--profile", found, "--format", "json"]))
    values = []
    for rule in dict.fromkeys(parameter["rule"] for parameter in listed):
        own = [parameter for parameter in listed if parameter["rule"] == rule and parameter["value"] != parameter["neutral"]]
        written = lambda value: str(value).lower() if isinstance(value, bool) else str(value)
        values += ["", f"[{rule}]", *[f"{p['name'].split('.', 1)[1]} = {written(p['value'])}" for p in own]] if own else []
    lines = [
        f"title = {json.dumps(f'{one.name}, tuned for {goal}')}",
        f"source = {json.dumps(one.source(goal))}",
        f'date = "{datetime.date.today()}"',
        f"bench = {bench(program, found)}",
        'from = "neutral"',
    ]
    file = one.values(goal)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines + values) + "\n")


def bench(program, profile):
    """The entry `bench` of a profile."""
    for depth in range(1, 64):
        nodes = int(output_of([program, "bench", depth, "--profile", profile, "--quiet"]).split("\n")[-2].split()[0])
        if nodes >= BENCH_NODES:
            return f"{{ depth = {depth}, nodes = {nodes} }}"


def check(contestants, goals):
    for one in contestants:
        for goal in goals:
            if not one.is_tuned(goal):
                fail(f"cannot use `{one.name}`: it is not tuned for {goal}; run `run.py tune`")


def measure(program, home, contestants, workers):
    plan = PLAN["measuring"]
    check(contestants, PLAN["tuning"])
    for one in contestants:
        tuned = {goal: ["--profile", one.values(goal)] for goal in PLAN["tuning"]}
        for what, settings in {"before": ["--profile", one.profile, *one.set], **tuned}.items():
            out = one.measured(what)
            if not last_line(out):
                run(
                    [program, "solve", plan["holdout"], "--nodes", plan["nodes"], *settings, "--workers", workers]
                    + ["--quiet", "--overwrite", "--json", out]
                )
        out = one.measured("stats")
        if not last_line(out):
            run(
                [program, "stats", "--suite", plan["holdout"], "--nodes", plan["stats_nodes"], "--audit", 0]
                + ["--profile", one.values(PLAY), "--workers", workers, "--quiet", "--overwrite", "--json", out]
            )


def play(program, home, contestants, workers, only):
    plan = PLAN["games"]
    check(contestants, [PLAY])
    players = [part for one in contestants for part in ("--player", f"{one.values(PLAY)} name={one.name}")]
    for nodes in plan["nodes"]:
        if only not in (None, nodes):
            continue
        run(
            [program, "match", *players, "--format", "round-robin", "--games", plan["of_each_pairing"]]
            + ["--nodes", nodes, "--seed", plan["seed"], "--concurrency", workers]
            + ["--json", home / f"games-{nodes}.jsonl", "--resume", "--quiet"],
            home / f"games-{nodes}.txt",
        )


def grouped(number):
    return f"{number:,}".replace(",", " ")


def ratings(table):
    """Name -> (rating, lower end, upper end), as the match printed them."""
    found = {}
    for line in table.read_text().splitlines() if table.exists() else []:
        words = line.split()
        # A dash after the name separates the two players of a pairing; few games have one in the column LOS, too.
        if "[" not in line or "%" not in line or words[1] == "-":
            continue
        low, high = line[line.index("[") + 1 : line.index("]")].split(",")
        rating = line[: line.index("[")].split()[-1]
        found[words[0]] = (float(rating), float(low), float(high))
    return found


def counts():
    """The numbers of nodes a move of the games, least first."""
    return sorted(PLAN["games"]["nodes"])


def rows(home, contestants):
    """The results of each contestant, in the order of their ratings with most nodes."""
    rated = {nodes: ratings(home / f"games-{nodes}.txt") for nodes in counts()}
    table = []
    for one in contestants:
        solved = {what: last_line(one.measured(what)) for what in ("before", COMBINATIONS, PLAY)}
        stats = last_line(one.measured("stats"))
        if not (all(solved.values()) and stats):
            continue
        table.append(
            {
                "name": one.name,
                "says": one.says,
                "solved": [summary["solved"] for summary in solved.values()],
                "nodes": [summary["nodes_stable_total"] for summary in solved.values()],
                "branching": stats["census"]["branching"],
                "first": stats["census"]["deep_cuts"],
                "spent": spent(stats["census"]),
                "elo": {nodes: rated[nodes][one.name] for nodes in counts() if one.name in rated[nodes]},
            }
        )
    strength = lambda row: [row["elo"].get(nodes, [-math.inf])[0] for nodes in reversed(counts())]
    return sorted(table, key=strength, reverse=True)


# Least distance of deep leaves from the root (plies).
DEEP = 10
AGAIN = ["re-search, deeper", "re-search, full depth", "re-search, open window"]
SIDE_SEARCHES = [
    "null move", "null move verification", "multi-cut", "probcut", "probcut, captures", "razoring", "without the table move",
    "internal iterative deepening",
]


def spent(census):
    """Distribution of the nodes of a search: shares in percent, and the mean ply of its leaves."""
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


# One for each contestant, distinguishable without colours by their labels.
COLOURS = ["#2060a0", "#c04020", "#208040", "#8040a0", "#907000", "#008090", "#c02080", "#505050"]


def plot(table, file):
    """Ratings with their intervals over the nodes a move, as SVG."""
    lines = [row for row in table if row["elo"]]
    if not lines:
        return
    left, width, top, tall, label = 60, 460, 40, 380, 190
    every = [value for row in lines for elo in row["elo"].values() for value in elo]
    low, high = math.floor(min(every) / 50) * 50, math.ceil(max(every) / 50) * 50
    first, last = math.log(counts()[0]), math.log(counts()[-1])
    x = lambda nodes: left + 20 + (math.log(nodes) - first) / ((last - first) or 1) * (width - 40)
    y = lambda elo: top + tall - (elo - low) / ((high - low) or 1) * tall
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + label} {top + tall + 50}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{left}" y="20" fill="#222222">Elo in the round robin with 95 % intervals, by nodes a move</text>',
    ]
    for tick in range(low, high + 1, 50):
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end" fill="#555555">{tick:+d}</text>')
    for nodes in counts():
        out.append(f'<text x="{x(nodes):.1f}" y="{top + tall + 24}" text-anchor="middle" fill="#555555">{grouped(nodes)}</text>')
    labels = spread([y(row["elo"][max(row["elo"])][0]) for row in lines], 16)
    for number, (row, height) in enumerate(zip(lines, labels)):
        colour, shift = COLOURS[number % len(COLOURS)], 3 * (number - len(lines) / 2)
        points = [(x(nodes) + shift, *map(y, elo)) for nodes, elo in sorted(row["elo"].items())]
        out.append(f'<polyline points="{" ".join(f"{at:.1f},{middle:.1f}" for at, middle, _, _ in points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for at, middle, lower, upper in points:
            out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{lower:.1f}" y2="{upper:.1f}" stroke="{colour}" stroke-width="2"/>')
            out.append(f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="3" fill="{colour}"/>')
        out.append(f'<text x="{left + width + 8}" y="{height + 4:.1f}" fill="{colour}">{row["name"]}</text>')
    out.append("</svg>")
    file.write_text("\n".join(out) + "\n")


def spread(heights, least):
    """Heights of labels, moved down where they would overlap."""
    placed, free = {}, -math.inf
    for height, number in sorted((height, number) for number, height in enumerate(heights)):
        placed[number] = free = max(height, free + least)
    return [placed[number] for number in range(len(heights))]


def answer(table):
    """Who leads at which numbers of nodes."""
    led = {}
    for nodes in counts():
        rated = [row for row in table if nodes in row["elo"]]
        if rated:
            led.setdefault(max(rated, key=lambda row: row["elo"][nodes][0])["name"], []).append(grouped(nodes))
    series = lambda words: " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    words = [f"`{name}` leads at {series(nodes)} nodes a move" for name, nodes in led.items()]
    return "; ".join(words) + "." if words else "No games were played yet."


def games_of_each_pairing(home, contestants):
    """Nodes a move -> games of each pairing that were played so far, rounded down."""
    pairings = len(contestants) * (len(contestants) - 1) // 2
    played = {}
    for nodes in counts():
        journal = home / f"games-{nodes}.jsonl"
        pairs = sum(line.startswith(b'{"pair":') for line in journal.open("rb")) if journal.exists() else 0
        played[nodes] = 2 * pairs // max(pairings, 1)
    return played


def elo(row, nodes):
    return "{:+.0f} [{:+.0f}, {:+.0f}]".format(*row["elo"][nodes]) if nodes in row["elo"] else "not played"


def write(program, home, contestants, page, image):
    table = rows(home, contestants)
    if not table:
        fail("cannot write the page: nothing is measured yet; run `run.py tune`, then `run.py measure`")
    tuning, measuring, games = PLAN["tuning"], PLAN["measuring"], PLAN["games"]
    reading = page.read_text().split("\n## Reading\n", 1)[1:] if page.exists() else []
    played = games_of_each_pairing(home, contestants)
    unfinished = [f"{played[nodes]} at {grouped(nodes)}" for nodes in counts() if 0 < played[nodes] < games["of_each_pairing"]]
    so_far = f" (so far {', '.join(unfinished)})" if unfinished else ""
    command = {goal: " ".join(str(part) for part in plan["method"]) for goal, plan in tuning.items()}
    lines = [
        "# Which selective search plays best?",
        "",
        "**Question.** Which way of selecting moves and depth plays best, at how many nodes, if all are tuned with the same effort?",
        "",
        f"**Answer.** {answer(table)}",
        "",
        f"Generated by `tools/contest/run.py` (all but the last section) with {output_of([program, '--version']).strip()}, {datetime.date.today()}.",
        "",
        "Each contestant was tuned twice, with the same effort for all; `tools/contest/contest.toml` lists the parameters, `tools/contest/tuned` has the values, as profiles with a pinned bench:",
        "",
        f"- for play, by `tune {command[PLAY]}` at {grouped(tuning[PLAY]['nodes'])} nodes a move;",
        f"- for combinations, by `tune {command[COMBINATIONS]}` with {grouped(tuning[COMBINATIONS]['nodes'])} nodes a position.",
        "",
        f"Those tuned for play met in a round robin of {games['of_each_pairing']} games a pairing at each number of nodes{so_far}. *Solved* counts positions of `{measuring['holdout']}` ({grouped(measuring['nodes'])} nodes each), from games that no tuning used.",
        "",
        "```sh",
        "tools/contest/run.py",
        "```",
        "",
        f"![ratings]({os.path.relpath(image, page.parent)})",
        "",
        "| contestant | " + " | ".join(f"Elo at {grouped(nodes)} nodes (95 %)" for nodes in counts()) + " |",
        "|---|" + "--:|" * len(counts()),
        *[f"| `{row['name']}` | " + " | ".join(elo(row, nodes) for nodes in counts()) + " |" for row in table],
        "",
        *[f"- `{row['name']}`: {row['says']}." for row in table],
        "",
        "## Combinations",
        "",
        "| contestant | solved: before tuning; tuned for combinations; tuned for play | nodes to the solution (thousands), in the same order |",
        "|---|--:|--:|",
    ]
    for row in table:
        nodes = ", ".join(grouped(round(total / 1000)) for total in row["nodes"])
        lines.append(f"| `{row['name']}` | {', '.join(map(str, row['solved']))} | {nodes} |")
    lines += [
        "",
        "Nodes are summed over the suite; an unsolved position counts with all its nodes.",
        "",
        "## Distribution of the nodes",
        "",
        f"| contestant | branching factor | first move cuts | nodes in quiescence | mean ply of leaves | leaves at {DEEP} plies or more | reduced searches | re-searches | null moves and other searches of rules |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in table:
        went = row["spent"]
        lines.append(
            f"| `{row['name']}` | {shown(row['branching'], '.2f')} | {shown(share(row['first']), '.1f')} % | {went['quiescence']:.1f} % | {went['leaf']:.2f} | {went['deep']:.1f} % | {went['reduced']:.2f} % | {went['again']:.2f} % | {went['aside']:.2f} % |"
        )
    lines += ["", f"Tuned for play; `stats` with {grouped(measuring['stats_nodes'])} nodes a position of the hold-out. *First move cuts*: share of the cutoffs by the first move, at cut nodes of 4 plies and more. The last three columns are shares of all searches of moves, quiescence included."]
    page.write_text("\n".join(lines) + "\n" + "".join("\n## Reading\n" + text for text in reading))
    plot(table, image)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["tune", "measure", "play", "write", "all"], default="all")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target" / "release" / "quarterply")
    parser.add_argument("--home", type=pathlib.Path, default=ROOT / "target" / "contest")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="test the script with very few nodes")
    parser.add_argument("--only", help="tune or measure this contestant alone")
    parser.add_argument("--nodes", type=int, help="play with this number of nodes a move only")
    asked = parser.parse_args()
    home, program = asked.home.resolve(), asked.program.resolve()
    if not program.is_file():
        fail(f"cannot run `{program}`: no such file; run `cargo build --release`, or give --program FILE")
    if asked.workers < 1:
        fail(f"`{asked.workers}` is not a valid number of workers: expected 1 or more")
    home.mkdir(parents=True, exist_ok=True)
    page, image, tuned = PAGE, PLOT, TUNED
    if asked.quick:
        page, image, tuned = home / "contest.md", home / "contest.svg", home / "tuned"
        PLAN.update(QUICK)
        PLAN["tuning"] = {goal: {"seed": 1, **plan} for goal, plan in QUICK["tuning"].items()}
        PLAN["games"] = {"seed": 1, **QUICK["games"]}
        PLAN["contestant"] = [plan for plan in PLAN["contestant"] if plan["name"] in QUICK_CONTESTANTS]
        for plan in PLAN["contestant"]:
            plan["tuned"] = QUICK_TUNED
    if asked.nodes not in (None, *PLAN["games"]["nodes"]):
        fail(f"`{asked.nodes}` is not a valid --nodes: expected " + " or ".join(map(str, PLAN["games"]["nodes"])))
    everyone = [Contestant(plan, home, tuned) for plan in PLAN["contestant"]]
    some = [one for one in everyone if asked.only in (None, one.name)]
    if not some:
        fail(f"`{asked.only}` is not a valid contestant: expected " + " or ".join(one.name for one in everyone))
    steps = {
        "tune": lambda: tune(program, home, some, asked.workers),
        "measure": lambda: measure(program, home, some, asked.workers),
        "play": lambda: play(program, home, everyone, asked.workers, asked.nodes),
        "write": lambda: write(program, home, everyone, page, image),
    }
    for name, step in steps.items():
        if asked.step in ("all", name):
            step()


if __name__ == "__main__":
    main()
