#!/usr/bin/env python3
"""Show where games are decided, and where time is spent: reads journals of `match --json`.

    python3 where_games_turn.py games.jsonl [more.jsonl ...] [--player NAME] [--nodes] [--moves 5]

Each value that a player gave for its own move is converted into expected points. The change from one own move to the next, or to the
result, is the amount that these moves decided. For each range of moves the table has its share of these changes, its share of the time
(or of the nodes), and the ratio of the two shares: above 1, time is short; if time were spent in proportion to the changes, it would be
1 everywhere. Needs only the standard library, and read_results.py in the same folder.
"""

import argparse
import math
import re
import sys

from read_results import json_lines

REMARK = re.compile(r"\{([^}]*)\}")
# The number of the first move of a game, with three dots if Black moves first.
BEGINNING = re.compile(r"\s*([0-9]+)\.(\.\.)?")
VALUE = re.compile(r"([+-]?)(M?)([0-9.]+)/[0-9]+ ([0-9.]+)s ([0-9]+)n")


def no_journal(path):
    return SystemExit(f"cannot read `{path}`: not a journal; give a journal of `match --json`")


def journal(path):
    """The complete lines of a journal."""
    try:
        return json_lines(path)
    except OSError as error:
        raise SystemExit(f"cannot read `{path}`: {error.strerror}; give a journal of `match --json`") from None
    except ValueError:
        raise no_journal(path) from None


def expected(pawns, scale):
    """Expected points of a value."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, pawns / scale))))


def course(game, player, scale):
    """The player's own moves of a game: number of the move, expected points, seconds, nodes. Moves of the book are left out."""
    colour = 0 if game["white"] == player else 1
    moves = game["pgn"].split("\n\n", 1)[1].replace("\n", " ")
    beginning = BEGINNING.match(moves)
    first = 2 * int(beginning[1]) - 2 + bool(beginning[2]) if beginning else 0
    for ply, remark in enumerate(REMARK.findall(moves), first):
        found = VALUE.match(remark)
        if found and ply % 2 == colour:
            sign, mate, value, seconds, nodes = found.groups()
            pawns = (math.inf if mate else float(value)) * (-1 if sign == "-" else 1)
            yield ply // 2 + 1, expected(pawns, scale), float(seconds), int(nodes)


def tally(journals, player, scale, by_nodes, width):
    """For each range of moves: their number, the change of expected points, time or nodes; and the number of games."""
    stretches, games = {}, 0
    for path in journals:
        for row in journal(path):
            for game in row.get("games", []) if "pair" in row else []:
                if player not in (game["white"], game["black"]):
                    continue
                games += 1
                won = {"1-0": 1.0, "0-1": 0.0}.get(game["result"], 0.5)
                result = won if game["white"] == player else 1 - won
                moves = list(course(game, player, scale))
                after = [points for _, points, _, _ in moves[1:]] + [result]
                for (number, points, seconds, nodes), then in zip(moves, after):
                    stretch = stretches.setdefault((number - 1) // width, [0, 0.0, 0.0])
                    stretch[0] += 1
                    stretch[1] += abs(then - points)
                    stretch[2] += nodes if by_nodes else seconds
    return stretches, games


def main():
    parser = argparse.ArgumentParser(description="Show where games are decided, and where time is spent.")
    parser.add_argument("journals", nargs="+", metavar="JOURNAL")
    parser.add_argument("--player", help="player whose moves are counted [default: the first player of the first journal]")
    parser.add_argument("--nodes", action="store_true", help="show the share of the nodes instead of the time")
    parser.add_argument("--moves", type=int, default=5, help="moves in a range [default: 5]")
    parser.add_argument("--scale", type=float, default=1.2, help="value in pawns with an expected result of 0.73 points [default: 1.2]")
    given = parser.parse_args()
    if given.moves < 1 or not 0 < given.scale < math.inf:
        parser.error("--moves and --scale must be above 0")
    first = journal(given.journals[0])[:1]
    if not first or not isinstance(first[0], dict) or "match" not in first[0]:
        raise no_journal(given.journals[0])
    names = [player["name"] for player in first[0]["players"]]
    player = given.player or names[0]
    if player not in names:
        raise SystemExit(f"`{player}` is not a valid player: expected {' or '.join(names)}")
    stretches, games = tally(given.journals, player, given.scale, given.nodes, given.moves)
    decided, spent = (sum(stretch[at] for stretch in stretches.values()) for at in (1, 2))
    if not decided or not spent:
        raise SystemExit(f"cannot compare moves of {player}: too few have a remark with value, time and nodes; try --nodes or more games")
    what = "nodes" if given.nodes else "time"
    print(f"{player}: {games} games")
    print(f"{'moves':>9} {'a game':>7} {'decided':>8} {what:>7} {'ratio':>6}")
    for at, (moves, turned, used) in sorted(stretches.items()):
        span = f"{at * given.moves + 1}-{(at + 1) * given.moves}"
        share = used / spent
        ratio = f"{turned / decided / share:6.2f}" if share else f"{'-':>6}"
        print(f"{span:>9} {moves / games:7.2f} {turned / decided:8.1%} {share:7.1%} {ratio}")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()
