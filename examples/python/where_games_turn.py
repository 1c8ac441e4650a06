#!/usr/bin/env python3
"""Where games turn, and where time is spent: reads journals of `match --json`.

    python3 where_games_turn.py games.jsonl [more.jsonl ...] [--player NAME] [--nodes] [--moves 5]

Every value that a player gave for its own move is turned into expected points, and so is the result. How far they move from one own
move to the next is what the moves between them decided. For each stretch of moves the table has its share of all that, its share of
the time (or of the nodes), and how the two compare: where the last column is above 1, time is short. Time spent in proportion to what
is decided would make it 1 everywhere. Only the standard library is needed, and read_results.py beside this file.
"""

import argparse
import math
import re
import sys

from read_results import json_lines

REMARK = re.compile(r"\{([^}]*)\}")
# What a game begins with: the number of its first move, with three dots where that is Black's.
BEGINNING = re.compile(r"\s*([0-9]+)\.(\.\.)?")
VALUE = re.compile(r"([+-]?)(M?)([0-9.]+)/[0-9]+ ([0-9.]+)s ([0-9]+)n")


def journal(path):
    """The lines of a journal, one that was cut off at its end left out."""
    try:
        return json_lines(path)
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}") from None
    except ValueError:
        raise SystemExit(f"{path}: not a journal of `match --json`") from None


def expected(pawns, scale):
    """Points that a value promises."""
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
    """For each stretch of moves: how many there were, what they decided, what was spent on them; and the number of games."""
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
    parser = argparse.ArgumentParser(description="Where games turn, and where time is spent.")
    parser.add_argument("journals", nargs="+", metavar="JOURNAL")
    parser.add_argument("--player", help="whose moves; the first player of the first journal if not given")
    parser.add_argument("--nodes", action="store_true", help="share of the nodes in place of the time")
    parser.add_argument("--moves", type=int, default=5, help="moves in a stretch (5)")
    parser.add_argument("--scale", type=float, default=1.2, help="pawns that promise 73 %% of the points (1.2)")
    given = parser.parse_args()
    if given.moves < 1 or given.scale <= 0:
        raise SystemExit("--moves and --scale are to be above 0")
    first = journal(given.journals[0])[:1]
    if not first or "match" not in first[0]:
        raise SystemExit(f"{given.journals[0]}: not a journal of `match --json`")
    names = [player["name"] for player in first[0]["players"]]
    player = given.player or names[0]
    if player not in names:
        raise SystemExit(f"--player {player}: nobody of that name plays; there are {', '.join(names)}")
    stretches, games = tally(given.journals, player, given.scale, given.nodes, given.moves)
    decided, spent = (sum(stretch[at] for stretch in stretches.values()) for at in (1, 2))
    if not decided or not spent:
        raise SystemExit(f"no move of {player} has a remark with value, time and nodes")
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
    except BrokenPipeError:
        sys.stderr.close()
