"""Loads a configuration that `quarterply params --format ctt` wrote, with chess-tuning-tools itself.

    python3.9 -m venv tools && tools/bin/pip install "scipy<1.11" "numpy<1.24" chess-tuning-tools
    quarterply params null_move --format ctt --openings openings.epd > ctt.json
    tools/bin/python examples/python/load_ctt.py ctt.json

Prints the first point that the tuner would try, or ends with an error that names the entry that it cannot read.
"""

import json
import pathlib
import sys

try:
    from tune.io import load_tuning_config
    from tune.local import initialize_optimizer
except ImportError as error:
    sys.exit(f"cannot load a configuration: {error}; install chess-tuning-tools as shown at the top of this file")


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except OSError as error:
        sys.exit(f"cannot read `{path}`: {error.strerror}; write it with `quarterply params --format ctt`")
    except ValueError as error:
        sys.exit(f"cannot read `{path}`: {error}; write it with `quarterply params --format ctt`")
    settings, commands, fixed, ranges = load_tuning_config(config)
    openings = pathlib.Path(settings["opening_file"])
    if not openings.exists() or openings.suffix not in {".epd", ".pgn"}:
        sys.exit(f"cannot use `{openings}`: not a file of openings in EPD or PGN; name one with --openings")
    if len(commands) != 2 or set(fixed[1]) < set(ranges):
        sys.exit(f"cannot use `{path}`: the second engine does not fix the tuned parameters; write it with `params --format ctt`")
    tuner = initialize_optimizer(X=[], y=[], noise=[], parameter_ranges=list(ranges.values()), random_seed=1)
    print(dict(zip(ranges, tuner.ask())))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("cannot load a configuration: expected one file; write it with `quarterply params --format ctt`")
    main(sys.argv[1])
