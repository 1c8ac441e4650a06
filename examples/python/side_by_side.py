#!/usr/bin/env python3
"""Compare the speeds of programs, to about half a percent, on a machine whose speed varies by ten percent.

    python3 side_by_side.py [--rounds 6] [--depth 11] PROGRAM PROGRAM...
    python3 side_by_side.py "./old" "./new" "./new --set network.classical=0"

A PROGRAM is a command line of quarterply without its last arguments: `bench DEPTH --quiet` is appended, and the line that begins with
`N nodes` is read. In each round all programs run at the same time on one core, in another order. The system switches between them every few
milliseconds, so a slow phase of the machine slows all of them. The measured time is the processor time of a program minus that of a search
to depth 1. The output has the nodes of each program, and its nodes per second divided by those of the first program: the mean of the rounds
and its standard error. If programs search different trees, only their nodes per second are compared. The programs share the caches of the
core, unlike in play. Linux only; needs only the standard library.
"""

import argparse
import math
import os
import re
import shlex
import statistics
import subprocess
import sys

NODES = re.compile(r"^(\d+) nodes\b")


class Run:
    """A bench that has been started on a core."""

    def __init__(self, program, depth, core):
        self.program = program
        try:
            command = shlex.split(program) + ["bench", str(depth), "--quiet"]
        except ValueError as error:
            raise SystemExit(f"cannot read command `{program}`: {error}; close the quotation mark")
        pin = lambda: os.sched_setaffinity(0, {core})
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pin)
        except OSError as error:
            raise SystemExit(f"cannot start `{program}`: {error.strerror}; give the path of a program, such as ./quarterply")

    def end(self):
        """Waits for the end: the printed node count, and the processor time (s)."""
        text = self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        lines = text.split("\n")
        counts = [found for found in map(NODES.match, lines) if found]
        if self.process.returncode or not counts:
            raise SystemExit(f"cannot measure `{self.program}`: `bench` ended with code {self.process.returncode}, nodes printed: {len(counts)}; run it by hand")
        return int(counts[-1].group(1)), usage.ru_utime


def start_time(program, core):
    """Processor time of a program before its first node (s): the least of three runs."""
    return min(Run(program, 1, core).end()[1] for _ in range(3))


def one_round(programs, depth, core):
    """Nodes and processor time of each program, all run at the same time."""
    return [run.end() for run in [Run(program, depth, core) for program in programs]]


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a valid number: expected 1 or more")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", metavar="PROGRAM", nargs="+", help="command line; the first is the reference")
    parser.add_argument("--rounds", type=positive, default=6, help="number of rounds [default: 6]")
    parser.add_argument("--depth", type=positive, default=11, help="depth of the bench, in plies; some seconds per program are enough [default: 11]")
    options = parser.parse_args()
    if not hasattr(os, "sched_setaffinity"):
        raise SystemExit("cannot run programs on one core: this system does not support it; use Linux")
    programs = options.programs
    core = min(os.sched_getaffinity(0))
    begin = [start_time(program, core) for program in programs]
    nodes, logs = [0] * len(programs), [[] for _ in programs]
    for number in range(options.rounds):
        order = [(place + number) % len(programs) for place in range(len(programs))]
        speeds = [0.0] * len(programs)
        for place, (found, seconds) in zip(order, one_round([programs[place] for place in order], options.depth, core)):
            if seconds <= begin[place]:
                raise SystemExit(f"cannot measure to depth {options.depth}: it takes as long as depth 1; give a larger --depth")
            nodes[place], speeds[place] = found, found / (seconds - begin[place])
        for log, speed in zip(logs, speeds):
            log.append(math.log(speed / speeds[0]))
    print(f"{'nodes':>10}  nodes per second, relative to the first program")
    for program, count, log in zip(programs, nodes, logs):
        error = statistics.stdev(log) / math.sqrt(len(log)) if len(log) > 1 else math.nan
        print(f"{count:>10}  {math.exp(statistics.mean(log)):.3f} ± {error:.3f}  {program}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
