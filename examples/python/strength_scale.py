"""Measure the scale of UCI_Elo: ratings of players from match journals, with the ratings of some players fixed.

    python3 examples/python/strength_scale.py --anchor skill-5=2204 --anchor skill-7=2500 games/*.jsonl

Fits the Elo model to the points of all pairs of games, with the named players fixed at their ratings, and prints every player's
rating with its standard error, from the curvature of the likelihood given the other ratings. The error counts each game as an
independent win or loss, so it is too large where games are drawn. Needs only the standard library.
"""

import argparse
import json
import math
import sys

LOGISTIC = math.log(10) / 400
STEPS = 2000
# Greatest distance (Elo) of a rating from the mean of the fixed ones: a player that lost or won every game has no finite rating.
FARTHEST = 1500.0


def read(paths):
    """Points of the first player and games, by pairing. The incomplete last line of a match that was killed is left out."""
    points, games = {}, {}
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")[:-1]
        except OSError as error:
            raise SystemExit(f"cannot read `{path}`: {error.strerror}; give journals of `match --json`") from None
        except ValueError:
            raise SystemExit(f"cannot read `{path}`: not a text file; give journals of `match --json`") from None
        for number, line in enumerate(lines, 1):
            try:
                pair = json.loads(line)
                if "pair" not in pair:
                    continue
                key, scored = tuple(pair["players"]), float(pair["points"])
            except (ValueError, KeyError, TypeError):
                raise SystemExit(f"cannot read {path}:{number}: not a line of a journal; give journals of `match --json`") from None
            points[key] = points.get(key, 0.0) + scored
            games[key] = games.get(key, 0) + 2
    return points, games


def expected(difference):
    return 1 / (1 + math.exp(-LOGISTIC * max(-FARTHEST, min(FARTHEST, difference))))


def fit(points, games, anchors):
    """Ratings by coordinate-wise Newton steps, and their standard errors."""
    players = sorted({name for key in games for name in key})
    mean = sum(anchors.values()) / len(anchors)
    ratings = {name: anchors.get(name, mean) for name in players}
    error = {}
    for _ in range(STEPS):
        moved = 0.0
        for name in players:
            if name in anchors:
                continue
            slope = curvature = 0.0
            for (first, second), count in games.items():
                if name not in (first, second):
                    continue
                sign = 1 if name == first else -1
                chance = expected(ratings[first] - ratings[second])
                slope += sign * (points[first, second] - count * chance)
                curvature += LOGISTIC * count * chance * (1 - chance)
            if curvature == 0:
                continue
            step = max(-200.0, min(200.0, slope / curvature))
            ratings[name] = max(mean - FARTHEST, min(mean + FARTHEST, ratings[name] + step))
            error[name] = math.sqrt(1 / (curvature * LOGISTIC))
            moved = max(moved, abs(step))
        if moved < 1e-3:
            break
    return ratings, error


def anchor(text):
    name, _, rating = text.rpartition("=")
    try:
        number = float(rating)
    except ValueError:
        number = math.nan
    if not name or not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"`{text}` is not a valid anchor: expected NAME=RATING")
    return name, number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journals", nargs="+")
    parser.add_argument("--anchor", action="append", type=anchor, required=True, metavar="NAME=RATING")
    arguments = parser.parse_args()
    anchors = dict(arguments.anchor)
    points, games = read(arguments.journals)
    missing = set(anchors) - {name for key in games for name in key}
    if missing:
        parser.error(f"cannot fix the rating of {', '.join(sorted(missing))}: no games in these journals; check the name")
    ratings, error = fit(points, games, anchors)
    for name in sorted(ratings, key=ratings.get):
        played = sum(count for key, count in games.items() if name in key)
        scored = sum(
            points[key] if name == key[0] else count - points[key] for key, count in games.items() if name in key
        )
        fixed = "fixed" if name in anchors else f"± {error[name]:.0f}"
        print(f"{name:16} {ratings[name]:7.0f} {fixed:8} {100 * scored / played:5.1f} % of {played} games")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()
