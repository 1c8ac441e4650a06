"""Loads a configuration that `quarterply params --format ctt` wrote, with chess-tuning-tools itself.

    python3.9 -m venv tools && tools/bin/pip install "scipy<1.11" "numpy<1.24" chess-tuning-tools
    quarterply params null_move --format ctt --openings openings.epd > ctt.json
    tools/bin/python examples/python/load_ctt.py ctt.json

Prints the first point that the tuner would try, or dies of what it does not understand.
"""

import json
import pathlib
import sys

from tune.io import load_tuning_config
from tune.local import initialize_optimizer


def main(path):
    with open(path, encoding="utf-8") as file:
        settings, commands, fixed, ranges = load_tuning_config(json.load(file))
    openings = pathlib.Path(settings["opening_file"])
    if not openings.exists() or openings.suffix not in {".epd", ".pgn"}:
        sys.exit(f"{openings}: no file of openings that cutechess reads")
    if len(commands) != 2 or set(fixed[1]) < set(ranges):
        sys.exit(f"{path}: the second engine must keep what the first one tunes")
    tuner = initialize_optimizer(X=[], y=[], noise=[], parameter_ranges=list(ranges.values()), random_seed=1)
    print(dict(zip(ranges, tuner.ask())))


if __name__ == "__main__":
    main(*sys.argv[1:])
